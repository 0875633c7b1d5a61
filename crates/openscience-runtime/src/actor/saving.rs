//! The files of the session's turns: looked for when a turn is over at its agent, put away before it ends.

use std::sync::Arc;
use std::time::Duration;

use openscience_core::input::{Observation, TurnEnd};
use openscience_protocol::artifact::SavedFile;
use openscience_protocol::row::ClaimRow;
use openscience_protocol::{ArtifactRunId, TurnId};

use super::{Pending, Report, SessionActor};
use crate::saving;

/// How long a turn's end waits until its files are with its message.
const FINALIZE_MAX: Duration = Duration::from_secs(5);

/// How long a daemon that stops waits for a file that is being saved.
const LAST_WAIT: Duration = Duration::from_millis(200);

/// A turn that is over at its agent and waits for its files.
#[derive(Debug)]
pub(super) struct Draining {
    turn: TurnId,
    end: Option<TurnEnd>,
}

impl SessionActor {
    /// Has the turn's files looked for.
    pub(super) fn collect_files(
        &mut self,
        turn: TurnId,
        run: ArtifactRunId,
        end: Option<TurnEnd>,
        wait: Duration,
    ) {
        if self.draining.as_ref().is_some_and(|draining| draining.turn == turn) {
            // A machine that was restored does not know that this is on its way.
            return;
        }
        self.draining = Some(Draining { turn: turn.clone(), end });
        self.handoff = None;
        let (inner, session) = (Arc::clone(&self.inner), self.id.clone());
        let (project, reporter) = (self.machine.state().row.project_id.clone(), self.reporter.clone());
        tokio::spawn(async move {
            let files = saving::collect(&inner, &project, &session, &run, wait).await;
            drop(reporter.send(Report::Collected { turn, files }).await);
        });
    }

    pub(super) fn take_collected(&self, turn: TurnId, files: Vec<SavedFile>) -> Vec<Pending> {
        if files.is_empty() {
            return self.take_drained(turn);
        }
        vec![Pending::fact(Observation::Saved { turn, files })]
    }

    /// The turn ends, with what was found out about its files so far.
    pub(super) fn take_drained(&self, turn: TurnId) -> Vec<Pending> {
        let draining = self.draining.as_ref().filter(|draining| draining.turn == turn);
        let end = draining.map(|draining| draining.end.clone());
        end.map(|end| Pending::fact(Observation::Drained { turn, end })).into_iter().collect()
    }

    /// Has the files of a claim put with their message. The turn ends when they are, or when that takes too long.
    pub(super) fn finalize_files(&self, claim: Box<ClaimRow>) {
        let (inner, session, reporter) = (Arc::clone(&self.inner), self.id.clone(), self.reporter.clone());
        tokio::spawn(async move {
            let turn = claim.turn_id.clone();
            let settling = saving::settle(&inner, &session, &claim);
            tokio::pin!(settling);
            let settled = tokio::time::timeout(FINALIZE_MAX, &mut settling).await.is_ok();
            drop(reporter.send(Report::Drained { turn }).await);
            if !settled {
                tracing::warn!(session.id = %session, claim.id = %claim.id, "a turn ends before its files are put away");
                settling.await;
            }
        });
    }

    /// The turn is over for us: nothing more is waited for, and nothing more is saved for it.
    pub(super) fn files_over(&mut self, turn: &TurnId) {
        self.draining.take_if(|draining| draining.turn == *turn);
        if let Some((_, run)) = self.handoff.take_if(|(of, _)| of == turn) {
            self.end_run(run);
        }
    }

    /// Nothing is saved for that run any more. It never was at the agent.
    pub(super) fn end_run(&self, run: ArtifactRunId) {
        let (inner, session) = (Arc::clone(&self.inner), self.id.clone());
        let project = self.machine.state().row.project_id.clone();
        tokio::spawn(async move {
            saving::collect(&inner, &project, &session, &run, Duration::ZERO).await;
        });
    }

    /// What the current turn has saved by now: it is about to be interrupted.
    pub(super) async fn last_files(&self) -> Option<Pending> {
        let state = self.machine.state();
        let live = state.live.as_ref().filter(|live| live.run.owner == *self.inner.store.owner())?;
        let turn = live.open_turn().filter(|turn| turn.sent_at.is_some())?;
        let (run, project) = (turn.artifact_run.as_ref()?, &state.row.project_id);
        let files = saving::collect(&self.inner, project, &self.id, run, LAST_WAIT).await;
        (!files.is_empty()).then(|| Pending::fact(Observation::Saved { turn: turn.id.clone(), files }))
    }
}
