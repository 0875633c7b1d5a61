//! Ending runs before their agents do: cancel, deadline, shutdown, recovery.

use openscience_protocol::event::{CancelSource, CloseReason};
use openscience_protocol::row::TurnRow;
use openscience_protocol::run::TurnState;
use openscience_protocol::{OwnerId, RunError, codes};

use crate::answer::Answer;
use crate::change::Change;
use crate::session::{Context, Decided, Live, State, after};
use crate::{artifact, broker, settle, terminal};

/// Why a run is told to stop before its agent ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Cancel(CancelSource),
    Deadline,
    Shutdown,
    /// The agent was silent for too long.
    Stalled,
    /// Nothing could be recorded for too long.
    Unrecorded,
}

/// Records the stop, closes decisions and tells the agent once; a run whose agent was not prompted ends here.
///
/// Elsewhere than at the run's owner a cancel is recorded and nothing else happens. `next` is the run
/// that starts when this one has ended.
pub(crate) fn stop(
    state: &State,
    live: &Live,
    why: Stop,
    next: Option<&Live>,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    let mut run = live.run.clone();
    let mine = run.owner == *cx.me;
    let first = run.stop_at.is_none();
    run.updated_at = cx.now;
    match why {
        // Also while a deadline or a shutdown stops the run: until the terminal event a cancel wins.
        Stop::Cancel(source) => run.cancel = run.cancel.or(Some(source)),
        Stop::Deadline if mine && first => {
            run.error = Some(RunError::new(codes::run::DEADLINE_EXCEEDED, "the run's deadline passed"));
        }
        Stop::Shutdown if mine && first => run.error = Some(interrupted()),
        Stop::Stalled if mine && first => {
            let message = "the agent was silent for longer than stallTimeoutMs";
            run.error = Some(RunError::new(codes::run::AGENT_STALLED, message).at("prompt"));
        }
        Stop::Unrecorded if mine && first => {
            let message = "what the agent did could not be recorded";
            run.error = Some(RunError::new(codes::run::STORE_UNAVAILABLE, message));
        }
        Stop::Deadline | Stop::Shutdown | Stop::Stalled | Stop::Unrecorded => return Vec::new(),
    }
    if !(mine && first) {
        let news = run.cancel != live.run.cancel;
        return news.then(|| Change::RunNoted(Box::new(run))).into_iter().collect();
    }
    run.stop_at = Some(cx.now);
    let mut changes = vec![Change::RunNoted(Box::new(run.clone()))];
    changes.extend(broker::close_all(live, reason(why), cx.now));
    match live.open_turn() {
        Some(turn) if turn.state == TurnState::Active => {
            // A turn that is being cancelled was told already.
            let told = turn.cancel_at.is_some();
            changes.extend((!told).then(|| Change::CancelSent(turn.id.clone())));
        }
        Some(_) | None => {
            let stopped = Live { run, decisions: Vec::new(), ..live.clone() };
            changes.extend(settle::drain(state, &stopped, None, next, cx));
        }
    }
    changes
}

/// The word for decisions that a stop closes.
fn reason(why: Stop) -> CloseReason {
    match why {
        Stop::Cancel(_) | Stop::Stalled | Stop::Unrecorded => CloseReason::Cancelled,
        Stop::Deadline => CloseReason::Deadline,
        Stop::Shutdown => CloseReason::Restart,
    }
}

/// The intended end of a run whose process stops.
pub(crate) fn interrupted() -> RunError {
    RunError::new(codes::run::RUNTIME_STOPPED, "the runtime stopped before the run ended")
}

/// Stops whatever is current, the run that waits too; fine if nothing is.
pub(crate) fn stop_all(state: &State, why: Stop, cx: &mut Context<'_>) -> Vec<Change> {
    each(state, |_| true, |live, next| stop(state, live, why, next, cx))
}

/// Stops runs by `end`, the waiting one first: how the live one ends depends on whether another follows.
fn each(
    state: &State,
    concerned: impl Fn(&Live) -> bool,
    mut end: impl FnMut(&Live, Option<&Live>) -> Vec<Change>,
) -> Vec<Change> {
    let waiting = state.waiting.as_ref();
    let mut changes = Vec::new();
    if let Some(live) = waiting.filter(|live| concerned(live)) {
        changes = end(live, None);
    }
    let left = waiting.filter(|_| !ends(&changes));
    if let Some(live) = state.live.as_ref().filter(|live| concerned(live)) {
        changes.extend(end(live, left));
    }
    changes
}

fn ends(changes: &[Change]) -> bool {
    changes.iter().any(|change| matches!(change, Change::RunEnded { .. }))
}

/// Ends the runs of one owner as interrupted: those of this process, unless another is named or
/// whoever it is is gone.
pub(crate) fn interrupt(
    state: &State,
    force: bool,
    recovered: bool,
    owner: Option<&OwnerId>,
    cx: &mut Context<'_>,
) -> Decided {
    let me = cx.me.clone();
    let concerned = |live: &Live| match owner {
        Some(owner) => live.run.owner == *owner,
        None => recovered || live.run.owner == me,
    };
    let mut changes =
        each(state, concerned, |live, next| interrupt_run(state, live, force, recovered, next, cx));
    if force {
        changes.extend(terminal::lost(state, cx.now));
    }
    Decided { changes, answer: Some(Ok(Answer::Done)) }
}

fn interrupt_run(
    state: &State,
    live: &Live,
    force: bool,
    recovered: bool,
    next: Option<&Live>,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    if !force {
        return stop(state, live, Stop::Shutdown, next, cx);
    }
    let mut live = live.clone();
    if live.run.cancel.is_none() && live.run.error.is_none() {
        live.run.error = Some(interrupted());
    }
    let mut changes = broker::close_all(&live, CloseReason::Restart, cx.now);
    live.decisions.clear();
    changes.extend(settle::end(state, &live, None, recovered, next, cx));
    changes
}

/// A point in time the machine asked to be woken at (see `SessionMachine::deadline`).
pub(crate) fn tick(state: &State, cx: &mut Context<'_>) -> Vec<Change> {
    let me = cx.me.clone();
    let mine = |live: &&Live| live.run.owner == me;
    let waiting = state.waiting.as_ref();
    let changes = waiting
        .filter(mine)
        .map(|live| tick_run(state, live, None, cx))
        .filter(|changes| !changes.is_empty());
    if let Some(changes) = changes {
        // What is due in the live run is still due.
        return changes;
    }
    let Some(live) = state.live.as_ref().filter(mine) else { return Vec::new() };
    let due = tick_run(state, live, waiting, cx);
    // A run that waited for one of another process starts when that has ended.
    if due.is_empty() && !live.closing() { settle::start(live, cx).into_iter().collect() } else { due }
}

fn tick_run(state: &State, live: &Live, next: Option<&Live>, cx: &mut Context<'_>) -> Vec<Change> {
    let now = cx.now;
    if live.run.stop_at.is_none() {
        match (live.run.cancel, live.run.deadline_at) {
            // Recorded by another process.
            (Some(source), _) => return stop(state, live, Stop::Cancel(source), next, cx),
            (None, Some(deadline)) if deadline <= now => {
                return stop(state, live, Stop::Deadline, next, cx);
            }
            (None, _) => {}
        }
    }
    let Some(turn) = live.open_turn() else { return Vec::new() };
    let Some(told) = live.told(turn) else { return broker::time_out(live, cx) };
    let draining = state.draining.as_ref();
    let settled = artifact::settle_at(turn, told, draining, cx.limits.cancel_settle_ms) <= now;
    let mut changes = Vec::new();
    let mut live = live.clone();
    let at_agent = draining != Some(&turn.id);
    if at_agent && turn.escalated_at.is_none() && after(told, cx.limits.cancel_escalate_ms) <= now {
        let turn = TurnRow { escalated_at: Some(now), ..turn.clone() };
        live = live.with(&turn);
        changes.push(Change::TurnNoted(Box::new(turn)));
    }
    if settled {
        changes.extend(settle::drain(state, &live, None, next, cx));
    }
    changes
}
