//! Settles what dead processes left: their runs end as interrupted, once,
//! whoever sees it first. Nothing is resumed and nothing is sent again.

use std::sync::Arc;
use std::time::Duration;

use openscience_core::effect::Effect;
use openscience_core::input::{Command, Input, Observation};
use openscience_core::session::{Draft, SessionMachine};
use openscience_protocol::{OwnerId, SessionId};
use openscience_store::{AppendError, StoreError};

use crate::clock;
use crate::deletion;
use crate::saving;
use crate::shared::Inner;

/// How often living processes look for dead ones.
const SWEEP: Duration = Duration::from_secs(1);

/// Settles the runs of every dead owner. Errors leave the rest for the next sweep.
pub(crate) async fn sweep(inner: &Arc<Inner>) -> Result<(), StoreError> {
    let dead = inner.store.dead_owners().await?;
    if dead.is_empty() {
        return Ok(());
    }
    for owner in &dead {
        end_processes(owner).await;
    }
    for (session, owner, _run) in inner.store.live_sessions(None).await? {
        if dead.contains(&owner) {
            settle_for(inner, &session, Some(&owner), true).await?;
        }
    }
    for owner in &dead {
        inner.store.forget_owner(owner).await?;
    }
    saving::take_up(inner).await;
    deletion::resume(inner).await
}

/// Ends what the agents of a daemon left running: its work is about to be called interrupted.
pub(crate) async fn end_processes(owner: &OwnerId) {
    let prefix = clock::mark_prefix(owner);
    match tokio::task::spawn_blocking(move || openscience_acp::sweep_marked(&prefix)).await {
        Ok(0) => {}
        Ok(found) => tracing::warn!(%owner, found, "ended processes that a daemon left"),
        Err(error) => tracing::warn!(%owner, %error, "could not look for processes that a daemon left"),
    }
}

/// Sweeps each second until the runtime stops.
pub(crate) async fn sweep_forever(inner: Arc<Inner>) {
    while inner.stopping.run_until_cancelled(tokio::time::sleep(SWEEP)).await.is_some() {
        if let Err(error) = sweep(&inner).await {
            tracing::warn!(%error, "could not settle what a dead process left");
        }
    }
}

/// Ends the runs of a session whose actor is gone.
pub(crate) async fn settle(inner: &Arc<Inner>, session: &SessionId, recovered: bool) {
    if let Err(error) = settle_for(inner, session, None, recovered).await {
        tracing::warn!(session.id = %session, %error, "could not settle a run");
    }
}

async fn settle_for(
    inner: &Arc<Inner>,
    session: &SessionId,
    owner: Option<&OwnerId>,
    recovered: bool,
) -> Result<(), StoreError> {
    // Someone else may settle it first: then the revision differs and nothing is left to do.
    while let Some(rows) = inner.store.restore(session).await? {
        let mut machine = SessionMachine::restore(rows);
        let saved = saved(inner, &machine, owner).await;
        let Draft { append, asides, effects, .. } = stopped(inner, &mut machine, owner, recovered, saved);
        let Some(append) = append else { return Ok(()) };
        let events = if inner.bus.is_heard() { append.events.clone() } else { Vec::new() };
        match inner.store.append(append).await {
            Ok(appended) => {
                inner.heads.publish(session, appended.latest_sequence);
                // A run that waited for this one may be ours.
                inner.sessions.refresh(session, appended.revision);
                inner.bus.publish(&machine.state().row, &events, &asides);
                put_away(inner, session, effects);
                return Ok(());
            }
            Err(AppendError::Revision) => {}
            Err(AppendError::Gone) => return Ok(()),
            Err(AppendError::Store(error)) => return Err(error),
        }
    }
    Ok(())
}

/// What the turn of that owner has saved and nobody has claimed.
async fn saved(inner: &Inner, machine: &SessionMachine, owner: Option<&OwnerId>) -> Option<Input> {
    let state = machine.state();
    let live = state.live.as_ref().filter(|live| owner.is_none_or(|owner| live.run.owner == *owner))?;
    let turn = live.open_turn()?;
    let run = turn.artifact_run.as_ref()?;
    let files = saving::collect(inner, &state.row.project_id, &state.row.id, run, Duration::ZERO).await;
    let turn = turn.id.clone();
    (!files.is_empty()).then(|| Input::Observation(Observation::Saved { turn, files }))
}

/// Has files that were claimed put with their messages.
fn put_away(inner: &Arc<Inner>, session: &SessionId, effects: Vec<Effect>) {
    for effect in effects {
        if let Effect::FinalizeFiles { claim } = effect {
            let (inner, session) = (Arc::clone(inner), session.clone());
            tokio::spawn(async move { saving::settle(&inner, &session, &claim).await });
        }
    }
}

/// The end of the owner's runs, as the core decides it.
fn stopped(
    inner: &Inner,
    machine: &mut SessionMachine,
    owner: Option<&OwnerId>,
    recovered: bool,
    saved: Option<Input>,
) -> Draft {
    let mut ids = inner.ids.clone();
    let stop = Input::Command(Command::Stop { force: true, recovered, owner: owner.cloned() });
    let inputs: Vec<Input> = saved.into_iter().chain([stop]).collect();
    machine.step(&inputs, &mut inner.context(&mut ids))
}
