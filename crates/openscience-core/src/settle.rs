//! How turns and runs end: the outcome table of the product, and what is closed on the way.

use openscience_protocol::event::{CancelSource, CloseReason};
use openscience_protocol::message::{MessageInfo, PartBody, StepFinishPart, Tokens};
use openscience_protocol::row::{MessageRow, PartRow, RunRow, SessionPatch, TurnRow};
use openscience_protocol::run::{RunState, TurnState};
use openscience_protocol::{EventBody, MessageId, Millis, Part, RunError, SessionStatus, codes};

use crate::change::Change;
use crate::input::TurnEnd;
use crate::session::{AnswerMessage, Context, Live, State};
use crate::stop::interrupted;
use crate::{answer, artifact, broker, mapping, tool};

/// What a run and its turn come to.
struct Outcome {
    state: RunState,
    error: Option<RunError>,
    stop_reason: Option<String>,
    turn: TurnState,
    turn_error: Option<RunError>,
    finish: String,
    tokens: Tokens,
}

/// Our recorded cancel wins, then a recorded intended end, then what the agent says.
fn outcome(live: &Live, end: Option<&TurnEnd>) -> Outcome {
    let (stop_reason, tokens) = match end {
        Some(TurnEnd::Answered { stop_reason, tokens }) => {
            (Some(stop_reason.clone()), tokens.unwrap_or_default())
        }
        Some(TurnEnd::Failed(_)) | None => (None, Tokens::default()),
    };
    let refused = live.open_turn().is_some_and(|turn| turn.refused);
    let failed = |error: RunError, finish: &str| Outcome {
        state: RunState::Failed,
        error: Some(error.clone()),
        stop_reason: stop_reason.clone(),
        turn: TurnState::Failed,
        turn_error: Some(error),
        finish: finish.to_owned(),
        tokens,
    };
    let cancelled = || Outcome {
        state: RunState::Cancelled,
        error: None,
        turn: TurnState::Cancelled,
        turn_error: None,
        ..failed(interrupted(), "cancelled")
    };
    if live.run.cancel.is_some() {
        return cancelled();
    }
    if let Some(error) = &live.run.error {
        let stopped = error.code == codes::run::RUNTIME_STOPPED;
        let state = if stopped { RunState::Interrupted } else { RunState::Failed };
        return Outcome { state, ..failed(error.clone(), "error") };
    }
    // Only this turn was to stop, whatever the agent made of it.
    if live.open_turn().is_some_and(|turn| turn.cancel_at.is_some()) {
        return cancelled();
    }
    match end {
        Some(TurnEnd::Answered { stop_reason: word, .. }) if word == "cancelled" => {
            failed(unasked_cancel(refused), "cancelled")
        }
        Some(TurnEnd::Answered { stop_reason: word, .. }) => Outcome {
            state: RunState::Completed,
            error: None,
            turn: TurnState::Completed,
            turn_error: refused.then(|| {
                RunError::new(
                    codes::run::PERMISSION_DENIED,
                    "a permission was refused; the agent went on without it",
                )
            }),
            ..failed(interrupted(), finish_word(word))
        },
        Some(TurnEnd::Failed(error)) => failed(error.clone(), "error"),
        None => Outcome { state: RunState::Interrupted, ..failed(interrupted(), "error") },
    }
}

/// The agent ended the turn as cancelled, though nobody cancelled the run.
fn unasked_cancel(refused: bool) -> RunError {
    if refused {
        RunError::new(
            codes::run::PERMISSION_DENIED,
            "the agent ended its turn after a permission was refused",
        )
    } else {
        RunError::new(codes::run::AGENT_CANCELLED, "the agent ended its turn as cancelled, unasked")
    }
}

/// ACP's stop reasons in the transcript's words; unknown words are kept.
fn finish_word(stop_reason: &str) -> &str {
    match stop_reason {
        "end_turn" => "stop",
        "max_tokens" => "length",
        "max_turn_requests" => "tool-calls",
        other => other,
    }
}

/// The current turn is over at the agent: it ends once its files are looked after, if it may have any.
pub(crate) fn drain(
    state: &State,
    live: &Live,
    end: Option<&TurnEnd>,
    next: Option<&Live>,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    artifact::collect(state, live, end, cx).unwrap_or_else(|| turn_over(state, live, end, next, cx))
}

/// The current turn is over: the run goes on with the next one, or ends.
pub(crate) fn turn_over(
    state: &State,
    live: &Live,
    end: Option<&TurnEnd>,
    next: Option<&Live>,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    let outcome = outcome(live, end);
    let follows = live.queued().next().filter(|next| goes_on(live, &outcome, next));
    let Some(follows) = follows else { return finish(state, live, outcome, end, false, next, cx) };
    let mut changes = close_turn(state, live, &outcome, end, cx);
    if let Some(answer) = &live.answer {
        let error = outcome.error.as_ref().map(|error| answer::message_error(error, live.run.agent.as_str()));
        changes.push(close_message(answer, &outcome, error, cx));
    }
    changes.push(Change::RunNoted(Box::new(RunRow {
        updated_at: cx.now,
        stop_reason: outcome.stop_reason,
        result_message_id: result(live),
        ..live.run.clone()
    })));
    changes.push(touched(cx));
    changes.push(started(follows, cx));
    changes
}

/// Turns that wait are answered unless the run's end is decided, or this turn failed. One that says what
/// to do instead of what was refused is answered also where the agent ended this turn over the refusal.
fn goes_on(live: &Live, outcome: &Outcome, next: &TurnRow) -> bool {
    let over_refusal =
        outcome.turn_error.as_ref().is_some_and(|error| error.code == codes::run::PERMISSION_DENIED);
    let open = !live.closing() && live.run.error.is_none();
    match outcome.turn {
        TurnState::Completed | TurnState::Cancelled => open,
        TurnState::Failed if next.instead && over_refusal => open,
        TurnState::Queued
        | TurnState::Ready
        | TurnState::Active
        | TurnState::Coalesced
        | TurnState::Withdrawn
        | TurnState::Failed => false,
    }
}

/// Everything that ends a run, its terminal event last.
pub(crate) fn end(
    state: &State,
    live: &Live,
    end: Option<&TurnEnd>,
    recovered: bool,
    next: Option<&Live>,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    finish(state, live, outcome(live, end), end, recovered, next, cx)
}

/// The end of a run whose every turn was taken back before one was sent.
pub(crate) fn emptied(state: &State, live: &Live, cx: &mut Context<'_>) -> Vec<Change> {
    let mut live = live.clone();
    live.run.cancel = live.run.cancel.or(Some(CancelSource::User));
    end(state, &live, None, false, None, cx)
}

/// `next` is the run that starts when this one has ended.
fn finish(
    state: &State,
    live: &Live,
    outcome: Outcome,
    end: Option<&TurnEnd>,
    recovered: bool,
    next: Option<&Live>,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    let mut changes = close_turn(state, live, &outcome, end, cx);
    changes.extend(live.queued().map(|turn| Change::TurnSet(Box::new(withdrawn(turn, cx.now)))));
    let error = outcome.error.as_ref().map(|error| answer::message_error(error, live.run.agent.as_str()));
    let executed = state.live.as_ref().is_some_and(|known| known.run.id == live.run.id);
    if let Some(error) = error.as_ref().filter(|_| executed) {
        let session_id = state.row.id.clone();
        changes.push(Change::Told(Box::new(EventBody::SessionError { session_id, error: error.clone() })));
    }
    if let Some(answer) = &live.answer {
        changes.push(close_message(answer, &outcome, error, cx));
    }
    changes.push(touched(cx));
    if executed {
        let status = if next.is_some() { SessionStatus::Busy } else { SessionStatus::Idle };
        changes.push(Change::StatusSet(status));
    }
    changes.push(Change::RunEnded { run: Box::new(receipt(live, outcome, cx)), recovered });
    // Whoever recovers a run acts on nothing: the next one's owner starts it when it learns of this.
    changes.extend(next.filter(|_| executed && !recovered).and_then(|next| start(next, cx)));
    changes
}

/// Starts the run's next turn, if it has no current one and is ours to execute.
pub(crate) fn start(live: &Live, cx: &Context<'_>) -> Option<Change> {
    let may = live.run.owner == *cx.me && live.open_turn().is_none() && !live.closing();
    live.queued().next().filter(|_| may).map(|turn| started(turn, cx))
}

pub(crate) fn started(turn: &TurnRow, cx: &Context<'_>) -> Change {
    Change::TurnNoted(Box::new(begun(turn, cx)))
}

/// The turn as the run's current one.
pub(crate) fn begun(turn: &TurnRow, cx: &Context<'_>) -> TurnRow {
    let artifact_run = cx.artifacts.then(|| artifact::run_of(&turn.id, cx.now));
    TurnRow { started_at: Some(cx.now), artifact_run, ..turn.clone() }
}

/// A turn that was taken back before it was sent.
pub(crate) fn withdrawn(turn: &TurnRow, now: Millis) -> TurnRow {
    TurnRow { state: TurnState::Withdrawn, ended_at: Some(now), ..turn.clone() }
}

pub(crate) fn touched(cx: &Context<'_>) -> Change {
    let patch = SessionPatch { updated: Some(cx.now), ..SessionPatch::default() };
    Change::Patched { patch, body: None }
}

/// Closes what the current turn left open, and the turn.
fn close_turn(
    state: &State,
    live: &Live,
    outcome: &Outcome,
    end: Option<&TurnEnd>,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    let mut changes = exited(state, end);
    changes.extend(broker::close_all(live, close_reason(live, end), cx.now));
    if let Some(answer) = &live.answer {
        changes.extend(close_parts(answer, outcome, cx));
        changes.push(step_finish(state, answer, outcome, cx));
    }
    if let Some(turn) = live.open_turn() {
        changes.push(Change::TurnSet(Box::new(TurnRow {
            state: outcome.turn,
            ended_at: Some(cx.now),
            stop_reason: outcome.stop_reason.clone(),
            error: outcome.turn_error.clone(),
            ..turn.clone()
        })));
    }
    changes
}

/// The agent's process ended under the turn.
fn exited(state: &State, end: Option<&TurnEnd>) -> Vec<Change> {
    let Some(TurnEnd::Failed(error)) = end.filter(|_| exit(end)) else { return Vec::new() };
    let session_id = state.row.id.clone();
    let (exit, stderr) = (error.exit.clone(), error.stderr.clone());
    vec![Change::Told(Box::new(EventBody::AgentExited { session_id, exit, stderr }))]
}

fn exit(end: Option<&TurnEnd>) -> bool {
    matches!(end, Some(TurnEnd::Failed(error)) if error.code == codes::run::AGENT_EXITED)
}

/// Why nobody can answer what the run still asks.
fn close_reason(live: &Live, end: Option<&TurnEnd>) -> CloseReason {
    let cancelled =
        live.run.cancel.is_some() || live.open_turn().is_some_and(|turn| turn.cancel_at.is_some());
    if cancelled {
        CloseReason::Cancelled
    } else if exit(end) {
        CloseReason::AgentExited
    } else {
        CloseReason::Withdrawn
    }
}

fn receipt(live: &Live, outcome: Outcome, cx: &Context<'_>) -> RunRow {
    RunRow {
        state: outcome.state,
        error: outcome.error,
        stop_reason: outcome.stop_reason,
        cancel: live.run.cancel.or((outcome.state == RunState::Cancelled).then_some(CancelSource::User)),
        updated_at: cx.now,
        completed_at: Some(cx.now),
        result_message_id: result(live),
        ..live.run.clone()
    }
}

/// The newest answer of the run.
fn result(live: &Live) -> Option<MessageId> {
    let current = live.answer.as_ref().map(|answer| answer.row.info.id().clone());
    current.or_else(|| live.run.result_message_id.clone())
}

fn close_parts(answer: &AnswerMessage, outcome: &Outcome, cx: &Context<'_>) -> Vec<Change> {
    let denied = |error: &RunError| error.code == codes::run::PERMISSION_DENIED;
    let why = match outcome.state {
        _ if outcome.turn_error.as_ref().is_some_and(denied) => {
            "the turn ended after a permission was refused"
        }
        RunState::Cancelled => "the run was cancelled before the tool ended",
        RunState::Interrupted => "the run was interrupted before the tool ended",
        RunState::Failed => "the run failed before the tool ended",
        RunState::Completed | RunState::Accepted | RunState::Running => "the turn ended before the tool did",
    };
    let mut changes: Vec<Change> = mapping::close_text(answer, cx.now).into_iter().collect();
    changes.extend(tool::close_open(answer, why, cx.now));
    changes
}

fn step_finish(state: &State, answer: &AnswerMessage, outcome: &Outcome, cx: &mut Context<'_>) -> Change {
    let body = StepFinishPart { reason: outcome.finish.clone(), cost: 0.0, tokens: outcome.tokens };
    let part = Part {
        id: cx.ids.part(cx.now),
        session_id: state.row.id.clone(),
        message_id: answer.row.info.id().clone(),
        body: PartBody::StepFinish(body),
    };
    Change::PartSet(Box::new(PartRow {
        message: answer.row.position,
        position: answer.parts + 1,
        part,
        open: false,
    }))
}

fn close_message(
    answer: &AnswerMessage,
    outcome: &Outcome,
    error: Option<openscience_protocol::message::MessageError>,
    cx: &Context<'_>,
) -> Change {
    let mut row: MessageRow = answer.row.clone();
    if let MessageInfo::Assistant(info) = &mut row.info {
        info.time.completed = Some(cx.now);
        info.finish = Some(outcome.finish.clone());
        info.tokens = outcome.tokens;
        info.error = error.or_else(|| {
            (outcome.state == RunState::Cancelled).then(|| {
                answer::message_error(&RunError::new(codes::run::CANCELLED, "the run was cancelled"), "")
            })
        });
    }
    Change::MessageSet(row)
}
