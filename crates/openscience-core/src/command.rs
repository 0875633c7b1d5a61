//! What people ask for: cancel, decisions, metadata; prompts, stops and the queue by their own modules.

use openscience_protocol::event::CancelSource;
use openscience_protocol::row::{DecisionRow, DecisionState, RunRow, SessionPatch};
use openscience_protocol::{DecisionInput, EventBody, PermissionReply, PermissionRequest, RunId};

use crate::answer::{self, Answer, Refusal};
use crate::change::Change;
use crate::input::{Command, MetaPatch};
use crate::session::{Context, Decided, State};
use crate::stop::{self, Stop};
use crate::{artifact, broker, question, queue, state, submit, terminal, visit};

/// What a command comes to.
pub(crate) fn decide(state: &State, command: &Command, cx: &mut Context<'_>) -> Decided {
    match command {
        Command::Prompt(prompt) => submit::admit(state, prompt, cx),
        Command::Cancel { run, source, found } => cancel(state, run, *source, found.as_deref(), cx),
        Command::Abort { source } => stopped(state, Stop::Cancel(*source), cx),
        Command::GiveUp => stopped(state, Stop::Unrecorded, cx),
        Command::Decide { answer, found } => answer_decision(state, answer, found.as_deref(), cx),
        Command::Rename(patch) => rename(state, patch),
        Command::BeginDelete => begin_delete(state, cx),
        Command::Stop { force, recovered, owner } => {
            stop::interrupt(state, *force, *recovered, owner.as_ref(), cx)
        }
        Command::Cover(grants) => broker::cover(state, grants, cx),
        Command::Deliver(delivery) => queue::deliver(state, *delivery),
        Command::ClearQueue => queue::clear(state, cx),
        Command::Withdraw { turn, found } => queue::withdraw(state, turn, found.as_deref(), cx),
        Command::SendNow { turn, found } => queue::send_now(state, turn, found.as_deref(), cx),
        Command::LookAt(seen) => terminal::looked_at(state, seen, cx),
        Command::CancelTurn { turn, found } => queue::cancel(state, turn, found.as_deref(), cx),
        Command::ReopenClaim(claim) => artifact::reopen(state, claim, cx),
        Command::SettleClaim { claim, failure } => artifact::settle(state, claim, failure.as_deref(), cx),
        Command::Visited(visited) => visit::record(state, visited),
        Command::TakeOver { transcript, visited } => visit::take_over(state, transcript, visited),
    }
}

/// Stops whatever is current; fine if nothing is.
fn stopped(state: &State, why: Stop, cx: &mut Context<'_>) -> Decided {
    Decided { changes: stop::stop_all(state, why, cx), answer: Some(Ok(Answer::Done)) }
}

fn cancel(
    state: &State,
    id: &RunId,
    source: CancelSource,
    found: Option<&RunRow>,
    cx: &mut Context<'_>,
) -> Decided {
    let session = &state.row.id;
    // A follow-up shares the run it joined: the store finds that one by either id.
    let joined = state.follow_ups.iter().find(|receipt| receipt.id == *id).map(|receipt| &receipt.run_id);
    let id = joined.or(found.map(|row| &row.id)).unwrap_or(id);
    let Some(live) = state.runs().find(|live| live.run.id == *id) else {
        return match state.ended.iter().find(|run| run.id == *id).or(found) {
            Some(run) => Decided::answer(Answer::Run(Box::new(answer::run(session, run, &[])))),
            None => Decided::refuse(Refusal::RunNotFound),
        };
    };
    let next = state.waiting.as_ref().filter(|waiting| waiting.run.id != *id);
    let changes = stop::stop(state, live, Stop::Cancel(source), next, cx);
    let noted = changes.iter().rev().find_map(|change| match change {
        Change::RunNoted(run) | Change::RunEnded { run, .. } => Some(&**run),
        _ => None,
    });
    let closed = changes.iter().any(|change| matches!(change, Change::DecisionClosed { .. }));
    let waiting = if closed { &[][..] } else { &live.decisions };
    let view = answer::run(session, noted.unwrap_or(&live.run), waiting);
    Decided { changes, answer: Some(Ok(Answer::Run(Box::new(view)))) }
}

/// A person's order among sessions is not the agent's work: `updated` stays (wire contract §3.2).
fn rename(state: &State, patch: &MetaPatch) -> Decided {
    let mut row = state.row.clone();
    let mut changes = Vec::new();
    let mut stored =
        SessionPatch { archived: patch.archived, pinned: patch.pinned, ..SessionPatch::default() };
    let mut body = None;
    if let Some(title) = &patch.title {
        stored.title = Some(title.clone());
        stored.meta = Some(openscience_protocol::row::SessionMeta { titled: true, ..row.meta.clone() });
        body = Some(Box::new(EventBody::SessionUpdated {
            session_id: row.id.clone(),
            title: Some(title.clone()),
            mode: None,
            config: None,
            commands: None,
        }));
    }
    state::patch(&mut row, &stored);
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
    changes.extend(stop::stop_all(state, Stop::Cancel(CancelSource::User), cx));
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
            && *row.session_id() == state.row.id
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
        (Some((_, row)), _) if row.state != DecisionState::Pending => {
            Decided::refuse(Refusal::DecisionExpired)
        }
        (Some((live, row)), DecisionInput::Permission(reply)) if row.permission().is_some() => {
            broker::answer(state, live, row, reply, cx)
        }
        (Some((_, row)), DecisionInput::Question(reply)) => {
            question::answer(state, row, &reply.answers, cx.now)
        }
        (Some((_, row)), DecisionInput::QuestionReject(_)) => question::reject(state, row, cx.now),
        (Some(_) | None, _) => Decided::refuse(Refusal::DecisionExpired),
    }
}

/// True if it was answered exactly so, by whoever it was.
fn answered_so(row: &DecisionRow, input: &DecisionInput) -> bool {
    match input {
        DecisionInput::Permission(reply) => {
            row.permission().is_some() && row.reply == Some(reply.reply) && row.message == reply.message
        }
        DecisionInput::Question(reply) => row.answers.as_ref() == Some(&reply.answers),
        DecisionInput::QuestionReject(_) => {
            row.question().is_some() && row.reply == Some(PermissionReply::Reject)
        }
    }
}

/// Scopes that can be granted: wider ones need patterns, which come with grants.
pub(crate) fn scope_available(request: &PermissionRequest, reply: PermissionReply) -> bool {
    match reply {
        PermissionReply::Once | PermissionReply::Reject => true,
        PermissionReply::Session | PermissionReply::Project | PermissionReply::Always => {
            !request.always.is_empty()
        }
    }
}
