//! Who gets in: a prompt starts a run, joins one, or waits for one that is being ended.

use openscience_protocol::message::{MessageInfo, UserInfo, UserTime};
use openscience_protocol::prompt::{ModelRef, PromptAccepted, PromptInput};
use openscience_protocol::row::{FollowUpRow, MessageRow, PartRow, Receipt, RunRow, TurnRow, TurnSettings};
use openscience_protocol::run::{RunState, TurnState};
use openscience_protocol::{MessageId, Part, PartBody, RunId, SessionStatus};

use crate::answer::{Answer, Refusal};
use crate::change::Change;
use crate::input::PromptCommand;
use crate::session::{Context, Decided, Live, State, after};
use crate::{admission, settle};

/// What a prompt comes to.
pub(crate) fn admit(state: &State, prompt: &PromptCommand, cx: &mut Context<'_>) -> Decided {
    let input = &prompt.input;
    let key = admission::run_id(&state.row.id, input);
    let fingerprint = admission::fingerprint(input);
    if let Some(receipt) = key.as_ref().and_then(|key| known(state, prompt, key)) {
        return if receipt.fingerprint == fingerprint {
            Decided::answer(Answer::Accepted(accepted(&receipt)))
        } else {
            Decided::refuse(Refusal::Conflict)
        };
    }
    if state.row.deleting {
        return Decided::refuse(Refusal::Deleting);
    }
    if prompt.message_taken || input.message_id.as_deref().is_some_and(|id| taken(state, id)) {
        return Decided::refuse(Refusal::Conflict);
    }
    let queued: usize = state.runs().map(|live| live.queued().count()).sum();
    if state.live.is_some() && queued >= cx.limits.max_waiting_turns {
        return Decided::refuse(Refusal::QueueFull);
    }
    // Files were not looked for because there was a receipt.
    let Some(parts) = prompt.parts.as_deref() else { return Decided::refuse(Refusal::Conflict) };
    let new = New { key, fingerprint, input, parts };
    match (&state.live, &state.waiting) {
        (None, _) => start(state, new, cx),
        (Some(live), _) if !live.closing() => join(state, live, new, cx),
        (Some(_), None) => wait(state, new, cx),
        (Some(_), Some(waiting)) if !waiting.closing() => join(state, waiting, new, cx),
        // Cancelled elsewhere; its owner ends it in a moment.
        (Some(_), Some(_)) => Decided::refuse(Refusal::Busy),
    }
}

/// A prompt that is let in.
struct New<'a> {
    key: Option<RunId>,
    fingerprint: String,
    input: &'a PromptInput,
    parts: &'a [PartBody],
}

/// The receipt that the key has already. The machine knows what the store did not when it was asked.
fn known(state: &State, prompt: &PromptCommand, key: &RunId) -> Option<Receipt> {
    let run = state.receipts().find(|run| run.id == *key).map(receipt);
    let follow_up = || state.follow_ups.iter().find(|receipt| receipt.id == *key).cloned();
    run.or_else(follow_up).or_else(|| prompt.found.clone())
}

fn taken(state: &State, id: &str) -> bool {
    let runs = state.receipts().map(|run| &run.message_id);
    runs.chain(state.follow_ups.iter().map(|receipt| &receipt.message_id)).any(|known| known.as_str() == id)
}

/// A run's own receipt.
fn receipt(run: &RunRow) -> Receipt {
    Receipt {
        id: run.id.clone(),
        run_id: run.id.clone(),
        fingerprint: run.fingerprint.clone(),
        message_id: run.message_id.clone(),
        accepted_at: run.accepted_at,
        turn_id: None,
    }
}

fn accepted(receipt: &Receipt) -> PromptAccepted {
    PromptAccepted {
        run_id: receipt.run_id.clone(),
        accepted_at: receipt.accepted_at,
        turn_id: receipt.turn_id.clone(),
    }
}

/// runtime.accepted, message.updated, its parts, turn.updated, session.status: one transaction.
fn start(state: &State, new: New<'_>, cx: &mut Context<'_>) -> Decided {
    let (run, turn, mut changes) = accept(state, new, cx);
    changes.push(Change::StatusSet(SessionStatus::Busy));
    changes.push(settle::started(&turn, cx));
    Decided { changes, answer: Some(Ok(Answer::Accepted(accepted(&receipt(&run))))) }
}

/// The same, for a run that starts when the closing one has ended: the session is busy already.
fn wait(state: &State, new: New<'_>, cx: &mut Context<'_>) -> Decided {
    let (run, _, changes) = accept(state, new, cx);
    Decided { changes, answer: Some(Ok(Answer::Accepted(accepted(&receipt(&run))))) }
}

fn accept(state: &State, new: New<'_>, cx: &mut Context<'_>) -> (RunRow, TurnRow, Vec<Change>) {
    let New { key, fingerprint, input, parts } = new;
    let run = new_run(state, input, key, fingerprint, cx);
    let turn = new_turn(state, &run.id, &run.message_id, run.turn_id.clone(), 0, input, cx);
    let mut changes = vec![Change::RunAccepted(Box::new(run.clone()))];
    changes.extend(asked(state, input, parts, &turn, 0, cx));
    (run, turn, changes)
}

/// The user message, its follow-up receipt and its turn: one transaction.
fn join(state: &State, live: &Live, new: New<'_>, cx: &mut Context<'_>) -> Decided {
    let New { key, fingerprint, input, parts } = new;
    let id = key.unwrap_or_else(|| cx.ids.run(cx.now));
    let message_id = message_id(input, cx);
    let rank = live.turns.iter().map(|turn| turn.rank + 1).max().unwrap_or_default();
    let turn_id = cx.ids.turn(cx.now);
    let turn = new_turn(state, &live.run.id, &message_id, turn_id.clone(), rank, input, cx);
    let receipt = Receipt {
        id: id.clone(),
        run_id: live.run.id.clone(),
        fingerprint: fingerprint.clone(),
        message_id: message_id.clone(),
        accepted_at: live.run.accepted_at,
        turn_id: Some(turn_id.clone()),
    };
    let row = FollowUpRow {
        id,
        run_id: live.run.id.clone(),
        request_id: input.request_id.clone(),
        fingerprint,
        message_id,
        turn_id,
    };
    let answer = Answer::Accepted(accepted(&receipt));
    let mut changes = vec![Change::Joined(Box::new(receipt), Box::new(row))];
    let position = u32::try_from(live.queued().count()).unwrap_or(u32::MAX);
    changes.extend(asked(state, input, parts, &turn, position, cx));
    Decided { changes, answer: Some(Ok(answer)) }
}

/// What a person says to do instead of what they refused: the run's next turn, however many wait.
pub(crate) fn instead(
    state: &State,
    live: &Live,
    turn: &TurnRow,
    message: &str,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    if message.trim().is_empty() {
        return Vec::new();
    }
    let TurnSettings { effort, model, variant, tier, context } = turn.settings.clone();
    let input = PromptInput {
        session_id: state.row.id.clone(),
        effort,
        request_id: None,
        message_id: None,
        message: Some(message.to_owned()),
        parts: None,
        model,
        variant,
        tier,
        context,
        delegation: None,
        delegation_settings: None,
        deadline_ms: None,
    };
    let first = live.queued().map(|turn| turn.rank - 1).min();
    let rank = first.unwrap_or(turn.rank + 1);
    let id = cx.ids.turn(cx.now);
    let next = new_turn(state, &live.run.id, &message_id(&input, cx), id, rank, &input, cx);
    let parts = [admission::message_part(message)];
    asked(state, &input, &parts, &TurnRow { instead: true, ..next }, 0, cx)
}

/// The turn, its message with its parts, and the session's time.
fn asked(
    state: &State,
    input: &PromptInput,
    parts: &[PartBody],
    turn: &TurnRow,
    position: u32,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    let now = cx.now;
    let message = state.row.latest_message + 1;
    let info = MessageInfo::User(user_info(state, input, turn));
    let mut changes = vec![
        Change::TurnAdded(Box::new(turn.clone())),
        Change::MessageSet(MessageRow { position: message, info }),
    ];
    for (position, body) in (1..).zip(parts.iter().cloned()) {
        let part = Part {
            id: cx.ids.part(now),
            session_id: state.row.id.clone(),
            message_id: turn.message_id.clone(),
            body,
        };
        changes.push(Change::PartSet(Box::new(PartRow { message, position, part, open: false })));
    }
    changes.push(Change::TurnQueued { turn: Box::new(turn.clone()), position });
    changes.push(settle::touched(cx));
    changes
}

fn message_id(input: &PromptInput, cx: &mut Context<'_>) -> MessageId {
    let chosen = input.message_id.as_deref().and_then(|id| id.parse().ok());
    chosen.unwrap_or_else(|| cx.ids.message(cx.now))
}

fn new_run(
    state: &State,
    input: &PromptInput,
    key: Option<RunId>,
    fingerprint: String,
    cx: &mut Context<'_>,
) -> RunRow {
    let now = cx.now;
    let deadline = input.deadline_ms.or(state.row.deadline_ms);
    RunRow {
        id: key.unwrap_or_else(|| cx.ids.run(now)),
        request_id: input.request_id.clone(),
        fingerprint,
        message_id: message_id(input, cx),
        turn_id: cx.ids.turn(now),
        state: RunState::Accepted,
        effort: input.effort,
        agent: state.row.agent.clone(),
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
        context_reset: false,
    }
}

fn new_turn(
    state: &State,
    run: &RunId,
    message: &MessageId,
    id: openscience_protocol::TurnId,
    rank: i64,
    input: &PromptInput,
    cx: &Context<'_>,
) -> TurnRow {
    TurnRow {
        id,
        run_id: run.clone(),
        message_id: message.clone(),
        state: TurnState::Ready,
        rank,
        settings: TurnSettings {
            effort: input.effort,
            model: input.model.clone().or_else(|| default_model(state, cx)),
            variant: input.variant.clone(),
            tier: input.tier.clone(),
            context: input.context,
        },
        queued_at: cx.now,
        started_at: None,
        sent_at: None,
        active_at: None,
        cancel_at: None,
        ended_at: None,
        into_turn_id: None,
        stop_reason: None,
        error: None,
        refused: false,
        instead: false,
        escalated_at: None,
        artifact_run: None,
    }
}

/// What is configured for prompts that name no model, in sessions of the agent it is configured for.
fn default_model(state: &State, cx: &Context<'_>) -> Option<ModelRef> {
    cx.default_model.filter(|(agent, _)| **agent == state.row.agent).map(|(_, model)| model.clone())
}

fn user_info(state: &State, input: &PromptInput, turn: &TurnRow) -> UserInfo {
    UserInfo {
        id: turn.message_id.clone(),
        session_id: state.row.id.clone(),
        time: UserTime { created: turn.queued_at },
        agent: "research".to_owned(),
        model: turn.settings.model.clone().unwrap_or_else(|| current_model(state)),
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
