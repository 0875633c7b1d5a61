//! What people ask for: admission, cancel, decisions, metadata.

use openscience_protocol::event::{Actor, CancelSource};
use openscience_protocol::message::{MessageInfo, UserInfo, UserTime};
use openscience_protocol::prompt::{ModelRef, PromptAccepted, PromptInput};
use openscience_protocol::row::{
    DecisionRow, DecisionState, MessageRow, PartRow, RunRow, SessionPatch, TurnRow,
};
use openscience_protocol::run::{RunState, TurnState};
use openscience_protocol::{
    DecisionInput, EventBody, MessageId, Millis, Part, PermissionReply, RunError, RunId, SessionStatus, codes,
};

use crate::answer::{self, Answer, Refusal};
use crate::change::Change;
use crate::input::{Command, MetaPatch, PromptCommand};
use crate::session::{Context, Decided, Live, State, after};
use crate::{admission, broker, settle};

/// What a command comes to.
pub(crate) fn decide(state: &State, command: &Command, cx: &mut Context<'_>) -> Decided {
    match command {
        Command::Prompt(prompt) => admit(state, prompt, cx),
        Command::Cancel { run, source, found } => cancel(state, run, *source, found.as_deref(), cx),
        Command::Abort { source } => stopped(state, Stop::Cancel(*source), cx),
        Command::GiveUp => stopped(state, Stop::Unrecorded, cx),
        Command::Decide { answer, found } => answer_decision(state, answer, found.as_deref(), cx),
        Command::Rename(patch) => rename(state, patch),
        Command::BeginDelete => begin_delete(state, cx),
        Command::Stop { force, recovered } => interrupt(state, *force, *recovered, cx),
    }
}

fn admit(state: &State, prompt: &PromptCommand, cx: &mut Context<'_>) -> Decided {
    let input = &prompt.input;
    let key = admission::run_id(&state.row.id, input);
    let fingerprint = admission::fingerprint(input);
    let live = state.live.as_ref().map(|live| &live.run);
    let same_key = live
        .into_iter()
        .chain(&state.ended)
        .find(|run| key.as_ref() == Some(&run.id))
        .or(prompt.found.as_ref());
    if let Some(run) = same_key {
        return if run.fingerprint == fingerprint {
            Decided::answer(Answer::Accepted(accepted(run)))
        } else {
            Decided::refuse(Refusal::Conflict)
        };
    }
    if state.row.deleting {
        return Decided::refuse(Refusal::Deleting);
    }
    let taken = |run: &RunRow| Some(run.message_id.as_str()) == input.message_id.as_deref();
    if prompt.message_taken || live.into_iter().chain(&state.ended).any(taken) {
        return Decided::refuse(Refusal::Conflict);
    }
    if live.is_some() {
        return Decided::refuse(Refusal::Busy);
    }
    let run = new_run(state, input, key, fingerprint, cx);
    let answer = Answer::Accepted(accepted(&run));
    Decided { changes: admission_changes(state, input, run, cx), answer: Some(Ok(answer)) }
}

fn accepted(run: &RunRow) -> PromptAccepted {
    PromptAccepted { run_id: run.id.clone(), accepted_at: run.accepted_at }
}

fn new_run(
    state: &State,
    input: &PromptInput,
    key: Option<RunId>,
    fingerprint: String,
    cx: &mut Context<'_>,
) -> RunRow {
    let now = cx.now;
    let chosen: Option<MessageId> = input.message_id.as_deref().and_then(|id| id.parse().ok());
    let deadline = input.deadline_ms.or(state.row.deadline_ms);
    RunRow {
        id: key.unwrap_or_else(|| cx.ids.run(now)),
        request_id: input.request_id.clone(),
        fingerprint,
        message_id: chosen.unwrap_or_else(|| cx.ids.message(now)),
        turn_id: cx.ids.turn(now),
        state: RunState::Accepted,
        effort: input.effort,
        agent: state.row.agent.clone(),
        model: input.model.clone(),
        variant: input.variant.clone(),
        owner: cx.me.clone(),
        accepted_at: now,
        updated_at: now,
        completed_at: None,
        result_message_id: None,
        error: None,
        stop_reason: None,
        cancel: None,
        stop_at: None,
        deadline_at: deadline.map(|ms| after(now, ms)),
        agent_still_running: false,
    }
}

/// runtime.accepted, message.updated, its parts, turn.updated, session.status: one transaction.
fn admission_changes(state: &State, input: &PromptInput, run: RunRow, cx: &mut Context<'_>) -> Vec<Change> {
    let now = cx.now;
    let position = state.row.latest_message + 1;
    let turn = TurnRow {
        id: run.turn_id.clone(),
        run_id: run.id.clone(),
        message_id: run.message_id.clone(),
        state: TurnState::Ready,
        queued_at: now,
        active_at: None,
        ended_at: None,
        stop_reason: None,
        error: None,
        refused: false,
        escalated_at: None,
    };
    let message_id = run.message_id.clone();
    let info = user_info(state, input, &run, now);
    let mut changes = vec![
        Change::RunAccepted(Box::new(run)),
        Change::MessageSet(MessageRow { position, info: MessageInfo::User(info) }),
    ];
    for (index, body) in (1..).zip(admission::input_parts(input)) {
        let part = Part {
            id: cx.ids.part(now),
            session_id: state.row.id.clone(),
            message_id: message_id.clone(),
            body,
        };
        changes.push(Change::PartSet(Box::new(PartRow {
            message: position,
            position: index,
            part,
            open: false,
        })));
    }
    changes.push(Change::TurnSet(turn));
    changes.push(Change::Patched {
        patch: SessionPatch { updated: Some(now), ..SessionPatch::default() },
        body: None,
    });
    changes.push(Change::StatusSet(SessionStatus::Busy));
    changes
}

fn user_info(state: &State, input: &PromptInput, run: &RunRow, now: Millis) -> UserInfo {
    UserInfo {
        id: run.message_id.clone(),
        session_id: state.row.id.clone(),
        time: UserTime { created: now },
        agent: "research".to_owned(),
        model: input.model.clone().unwrap_or_else(|| current_model(state)),
        effort: input.effort,
        variant: input.variant.clone(),
        tier: input.tier.clone(),
        context: input.context,
        delegation: input.delegation,
        delegation_settings: input.delegation_settings.clone(),
    }
}

/// The agent's model split at the first slash; the agent's own where it tells none.
pub(crate) fn current_model(state: &State) -> ModelRef {
    let model = state.row.meta.model.as_deref();
    match model.map(|value| value.split_once('/').unwrap_or((state.row.agent.as_str(), value))) {
        Some((provider, id)) => ModelRef { provider_id: provider.to_owned(), model_id: id.to_owned() },
        None => ModelRef { provider_id: state.row.agent.as_str().to_owned(), model_id: "default".to_owned() },
    }
}

/// Why a run is told to stop before its agent ends by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    Cancel(CancelSource),
    Deadline,
    Shutdown,
    /// Nothing could be recorded for too long.
    Unrecorded,
}

/// Records the stop, closes decisions and tells the agent once; a run whose agent was not prompted ends here.
///
/// Elsewhere than at the run's owner a cancel is recorded and nothing else happens.
pub(crate) fn stop(state: &State, live: &Live, why: Stop, cx: &mut Context<'_>) -> Vec<Change> {
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
        Stop::Unrecorded if mine && first => {
            let message = "what the agent did could not be recorded";
            run.error = Some(RunError::new(codes::run::STORE_UNAVAILABLE, message));
        }
        Stop::Deadline | Stop::Shutdown | Stop::Unrecorded => return Vec::new(),
    }
    if !(mine && first) {
        let news = run.cancel != live.run.cancel;
        return news.then(|| Change::RunNoted(Box::new(run))).into_iter().collect();
    }
    run.stop_at = Some(cx.now);
    let mut changes = vec![Change::RunNoted(Box::new(run.clone()))];
    changes.extend(broker::close_all(live, broker::reason(why), cx.now));
    match live.open_turn() {
        Some(turn) if turn.state == TurnState::Active => changes.push(Change::CancelSent(turn.id.clone())),
        Some(_) | None => {
            let stopped = Live { run, decisions: Vec::new(), ..live.clone() };
            changes.extend(settle::end(state, &stopped, None, false, cx));
        }
    }
    changes
}

/// The intended end of a run whose process stops.
pub(crate) fn interrupted() -> RunError {
    RunError::new(codes::run::RUNTIME_STOPPED, "the runtime stopped before the run ended")
}

/// Stops whatever is current; fine if nothing is.
fn stopped(state: &State, why: Stop, cx: &mut Context<'_>) -> Decided {
    let changes = state.live.as_ref().map(|live| stop(state, live, why, cx)).unwrap_or_default();
    Decided { changes, answer: Some(Ok(Answer::Done)) }
}

fn cancel(
    state: &State,
    id: &RunId,
    source: CancelSource,
    found: Option<&RunRow>,
    cx: &mut Context<'_>,
) -> Decided {
    let session = &state.row.id;
    match state.live.as_ref().filter(|live| live.run.id == *id) {
        Some(live) => {
            let changes = stop(state, live, Stop::Cancel(source), cx);
            let noted = changes.iter().rev().find_map(|change| match change {
                Change::RunNoted(run) | Change::RunEnded { run, .. } => Some(&**run),
                _ => None,
            });
            let closed = changes.iter().any(|change| matches!(change, Change::DecisionClosed { .. }));
            let waiting = if closed { &[][..] } else { &live.decisions };
            let view = answer::run(session, noted.unwrap_or(&live.run), waiting);
            Decided { changes, answer: Some(Ok(Answer::Run(Box::new(view)))) }
        }
        None => match state.ended.iter().find(|run| run.id == *id).or(found) {
            Some(run) => Decided::answer(Answer::Run(Box::new(answer::run(session, run, &[])))),
            None => Decided::refuse(Refusal::RunNotFound),
        },
    }
}

fn interrupt(state: &State, force: bool, recovered: bool, cx: &mut Context<'_>) -> Decided {
    let mine = |live: &&Live| recovered || live.run.owner == *cx.me;
    let Some(live) = state.live.as_ref().filter(mine) else { return Decided::answer(Answer::Done) };
    let mut changes = Vec::new();
    let mut live = live.clone();
    if !force {
        changes.extend(stop(state, &live, Stop::Shutdown, cx));
        return Decided { changes, answer: Some(Ok(Answer::Done)) };
    }
    if live.run.cancel.is_none() && live.run.error.is_none() {
        live.run.error = Some(interrupted());
    }
    changes.extend(broker::close_all(&live, openscience_protocol::event::CloseReason::Restart, cx.now));
    live.decisions.clear();
    changes.extend(settle::end(state, &live, None, recovered, cx));
    Decided { changes, answer: Some(Ok(Answer::Done)) }
}

/// A person's order among sessions is not the agent's work: `updated` stays (wire contract §3.2).
fn rename(state: &State, patch: &MetaPatch) -> Decided {
    let mut row = state.row.clone();
    let mut changes = Vec::new();
    let mut stored =
        SessionPatch { archived: patch.archived, pinned: patch.pinned, ..SessionPatch::default() };
    row.archived = patch.archived.unwrap_or(row.archived);
    row.pinned = patch.pinned.unwrap_or(row.pinned);
    let mut body = None;
    if let Some(title) = &patch.title {
        stored.title = Some(title.clone());
        stored.meta = Some(openscience_protocol::row::SessionMeta { titled: true, ..row.meta.clone() });
        row.title.clone_from(title);
        body = Some(Box::new(EventBody::SessionUpdated {
            session_id: row.id.clone(),
            title: Some(title.clone()),
            mode: None,
            config: None,
            commands: None,
        }));
    }
    if stored != SessionPatch::default() {
        changes.push(Change::Patched { patch: stored, body });
    }
    Decided { changes, answer: Some(Ok(Answer::Session(Box::new(answer::session(&row))))) }
}

fn begin_delete(state: &State, cx: &mut Context<'_>) -> Decided {
    let mut changes = Vec::new();
    if !state.row.deleting {
        let patch = SessionPatch { deleting: Some(true), ..SessionPatch::default() };
        changes.push(Change::Patched { patch, body: None });
    }
    if let Some(live) = &state.live {
        changes.extend(stop(state, live, Stop::Cancel(CancelSource::User), cx));
    }
    Decided { changes, answer: Some(Ok(Answer::Done)) }
}

/// Order: stored receipt, owner elsewhere, pending here, answer check, commit (product §8).
fn answer_decision(
    state: &State,
    input: &DecisionInput,
    found: Option<&DecisionRow>,
    cx: &mut Context<'_>,
) -> Decided {
    let named = |row: &&DecisionRow| {
        row.id == *input.request_id()
            && row.request.session_id == state.row.id
            && *input.session_id() == state.row.id
    };
    let held = state.live.as_ref().and_then(|live| Some((live, live.decisions.iter().find(named)?)));
    let known = held.map(|(_, row)| row).or(found.filter(named));
    if let Some(row) = known
        && let Some(result) = answer::decision(&state.row.id, row)
    {
        return if answered_so(row, input) {
            Decided::answer(Answer::Decision { result, settled: held.is_none() })
        } else {
            Decided::refuse(Refusal::DecisionConflict)
        };
    }
    // What the store told may be older than a change of this batch: only what is held here is pending.
    match (held, input) {
        (Some((live, _)), _) if live.run.owner != *cx.me => {
            Decided::refuse(Refusal::DecisionNotOwned { owner: live.run.owner.clone() })
        }
        (Some((live, row)), DecisionInput::Permission(reply)) if row.state == DecisionState::Pending => {
            broker::answer(state, live, row, reply, cx)
        }
        (Some(_) | None, _) => Decided::refuse(Refusal::DecisionExpired),
    }
}

/// True if a person gave exactly this answer.
fn answered_so(row: &DecisionRow, input: &DecisionInput) -> bool {
    match input {
        DecisionInput::Permission(reply) => {
            row.actor == Some(Actor::Person) && row.reply == Some(reply.reply) && row.message == reply.message
        }
        DecisionInput::Question(_) | DecisionInput::QuestionReject(_) => false,
    }
}

/// Scopes that can be granted: wider ones need patterns, which come with grants.
pub(crate) fn scope_available(row: &DecisionRow, reply: PermissionReply) -> bool {
    match reply {
        PermissionReply::Once | PermissionReply::Reject => true,
        PermissionReply::Session | PermissionReply::Project | PermissionReply::Always => {
            !row.request.always.is_empty()
        }
    }
}
