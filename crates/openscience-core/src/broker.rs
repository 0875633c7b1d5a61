//! Permissions: asked, answered once; and how any decision is closed when nobody can answer any more.
//!
//! Questions are asked and answered by their own module.

use agent_client_protocol_schema::v1::PermissionOption;
use openscience_protocol::decision::PermissionAnswer;
use openscience_protocol::event::{Actor, CloseReason};
use openscience_protocol::row::{Asked, DecisionRow, DecisionState, GrantRow, GrantScope, TurnRow};
use openscience_protocol::{DecisionId, Millis, PermissionReply, PermissionRequest, ToolRef, Workspace};
use serde_json::Value;

use crate::answer::{self, Answer, Refusal};
use crate::change::Change;
use crate::command::scope_available;
use crate::input::{Given, PermissionAsk};
use crate::rules::{Source, Verdict};
use crate::session::{Context, Decided, Live, State, after, expires};
use crate::{authority, grant, permission, question, rules, submit, tool};

/// Why a rule's permission became a refusal.
const NO_ALLOW_ONCE: &str = "the agent offers no option that allows just this once";

/// What a request of the agent comes to: asked, or answered by a rule or a grant before anyone is asked.
pub(crate) fn ask(state: &State, live: &Live, ask: &PermissionAsk, cx: &mut Context<'_>) -> Vec<Change> {
    if let Some(ours) = &ask.ours {
        return authority::decide(state, live, ask, ours, cx);
    }
    let open = live.open_turn().filter(|turn| live.told(turn).is_none() && !live.closing());
    let (Some(turn), Some(message)) = (open, &live.answer) else {
        return vec![Change::RequestRefused(ask.key)];
    };
    let mut changes = tool::upsert(state, live, message, &tool::asked(&ask.tool), cx);
    let ask = &PermissionAsk { tool: tool::filled(message, &ask.tool), ..ask.clone() };
    let category = permission::category(&ask.tool);
    let patterns = permission::patterns(&ask.tool);
    let tool =
        ToolRef { message_id: message.row.info.id().clone(), call_id: ask.tool.tool_call_id.to_string() };
    changes.extend(ask_for(state, live, turn, ask, (category, &patterns), Some(tool), cx));
    changes
}

/// What a request in our words comes to: asked, or answered by a rule or a grant before anyone is asked.
pub(crate) fn ask_for(
    state: &State,
    live: &Live,
    turn: &TurnRow,
    ask: &PermissionAsk,
    (category, patterns): (String, &[String]),
    tool: Option<ToolRef>,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    let request = request(state, ask, (category, patterns), tool, cx);
    let relied = relied_on(state, &request, ask.grants.iter().chain(&state.granted));
    // All of it, or nothing.
    let granted = !relied.is_empty();
    let session_rules = state.row.permission.as_deref().unwrap_or_default();
    let verdict = rules::evaluate(session_rules, granted, cx.rules, &request.permission, patterns);
    let asks_a_person = verdict == Verdict::Ask && permission::asks_a_person(&ask.tool);
    let row = pending(live, request.id.clone(), Asked::Permission(request), cx.now);
    let allowed = permission::choose(&ask.options, true);
    let actor = match verdict {
        Verdict::Allow { by: Source::Grant } => Actor::Grant,
        Verdict::Allow { .. } | Verdict::Deny { .. } | Verdict::Ask => Actor::Rule,
    };
    match (verdict, allowed) {
        // Whoever would be asked about it is asked by it.
        (Verdict::Ask, Some(option)) if asks_a_person => {
            changes.push(decided(row, PermissionReply::Once, actor, Some(option), ask, cx.now));
        }
        (Verdict::Ask, _) => changes.push(Change::DecisionAsked { row: Box::new(row), key: ask.key }),
        (Verdict::Deny { .. }, _) => {
            let option = permission::choose(&ask.options, false);
            changes.push(refused_turn(turn));
            changes.push(decided(row, PermissionReply::Reject, actor, option, ask, cx.now));
        }
        // Never wider than just this once.
        (Verdict::Allow { .. }, None) => {
            let option = permission::choose(&ask.options, false);
            let row = DecisionRow { message: Some(NO_ALLOW_ONCE.to_owned()), ..row };
            changes.push(refused_turn(turn));
            changes.push(decided(row, PermissionReply::Reject, actor, option, ask, cx.now));
        }
        (Verdict::Allow { .. }, Some(option)) => {
            changes.extend(relied.into_iter().map(|grant| Change::ReliedOn(grant.id.clone())));
            changes.push(decided(row, PermissionReply::Once, actor, Some(option), ask, cx.now));
        }
    }
    changes
}

/// The grants that together cover the request; none if they do not. What cannot be granted is not covered.
fn relied_on<'a>(
    state: &State,
    request: &PermissionRequest,
    grants: impl Iterator<Item = &'a GrantRow>,
) -> Vec<&'a GrantRow> {
    let reaches = |grant: &&GrantRow| grant.scope == GrantScope::Session || !is_bound(state, request);
    let grants: Vec<&GrantRow> = grants.filter(reaches).collect();
    let covering =
        |pattern: &String| grants.iter().find(|grant| grant.covers(&request.permission, pattern)).copied();
    request.always.iter().map(covering).collect::<Option<Vec<_>>>().unwrap_or_default()
}

/// True for a command of a session that works in a folder of its own: it would do something else elsewhere.
fn is_bound(state: &State, request: &PermissionRequest) -> bool {
    request.permission == "bash" && state.row.workspace == Workspace::Isolated
}

/// Answers what waits and is wholly covered by grants.
pub(crate) fn cover(state: &State, grants: &[GrantRow], cx: &Context<'_>) -> Decided {
    let mine = state.live.iter().filter(|live| live.run.owner == *cx.me);
    let changes = mine.flat_map(|live| covered(state, live, None, grants, cx.now)).collect();
    Decided { changes, answer: Some(Ok(Answer::Done)) }
}

/// Answers of all pending decisions but one that the grants cover.
fn covered(
    state: &State,
    live: &Live,
    but: Option<&DecisionId>,
    grants: &[GrantRow],
    now: Millis,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for (row, request) in permissions(live).filter(|(row, _)| Some(&row.id) != but) {
        let relied = relied_on(state, request, grants.iter());
        let option = permission::choose(&options(request), true);
        if relied.is_empty() || option.is_none() {
            continue;
        }
        changes.extend(relied.into_iter().map(|grant| Change::ReliedOn(grant.id.clone())));
        let row = answered(row.clone(), PermissionReply::Once, Actor::Grant, now);
        changes.push(given(row, option));
    }
    changes
}

/// The permissions that wait, oldest first.
fn permissions(live: &Live) -> impl Iterator<Item = (&DecisionRow, &PermissionRequest)> {
    live.pending().filter_map(|row| Some((row, row.permission()?)))
}

/// A permission that waited has its answer.
fn given(row: DecisionRow, option: Option<String>) -> Change {
    Change::DecisionAnswered { row: Box::new(row), given: Given::option(option), key: None }
}

/// What is remembered of an answer: its patterns, as far as its scope may reach.
fn grants(request: &PermissionRequest, reply: PermissionReply, now: Millis) -> Vec<GrantRow> {
    let scope = match reply {
        PermissionReply::Once | PermissionReply::Reject => return Vec::new(),
        PermissionReply::Session => GrantScope::Session,
        // Hosts are the same for every project; commands and files are not.
        PermissionReply::Always if request.permission == "webfetch" => GrantScope::Always,
        PermissionReply::Project | PermissionReply::Always => GrantScope::Project,
    };
    let grant = |(place, pattern): (usize, &String)| GrantRow {
        id: format!("{}-{place}", request.id),
        scope,
        permission: request.permission.clone(),
        pattern: pattern.clone(),
        created: now,
    };
    request.always.iter().enumerate().map(grant).collect()
}

fn request(
    state: &State,
    ask: &PermissionAsk,
    (permission, patterns): (String, &[String]),
    tool: Option<ToolRef>,
    cx: &mut Context<'_>,
) -> PermissionRequest {
    let cwd = cx.working_directory(&state.row);
    let place = grant::Place { project: &state.row.directory, cwd: &cwd };
    PermissionRequest {
        id: cx.ids.permission(cx.now),
        session_id: state.row.id.clone(),
        permission,
        always: grant::grantable(ask, patterns, place),
        patterns: permission::shown(patterns.to_vec()),
        metadata: permission::metadata(ask),
        tool,
        asked_at: Some(cx.now),
        expires_at: cx.policy.decision_timeout_ms.map(|limit| after(cx.now, limit)),
    }
}

/// The row of a decision nobody has answered.
pub(crate) fn pending(live: &Live, id: DecisionId, request: Asked, now: Millis) -> DecisionRow {
    DecisionRow {
        id,
        run_id: live.run.id.clone(),
        request,
        state: DecisionState::Pending,
        reply: None,
        message: None,
        answers: None,
        actor: None,
        close_reason: None,
        asked_at: now,
        decided_at: None,
    }
}

fn decided(
    row: DecisionRow,
    reply: PermissionReply,
    actor: Actor,
    option: Option<String>,
    ask: &PermissionAsk,
    now: Millis,
) -> Change {
    let row = Box::new(answered(row, reply, actor, now));
    Change::DecisionAnswered { row, given: Given::option(option), key: Some(ask.key) }
}

/// The row with its answer, of which nobody knows yet whether it reached the agent.
pub(crate) fn answered(row: DecisionRow, reply: PermissionReply, actor: Actor, now: Millis) -> DecisionRow {
    DecisionRow {
        state: DecisionState::Indeterminate,
        reply: Some(reply),
        actor: Some(actor),
        decided_at: Some(now),
        ..row
    }
}

fn refused_turn(turn: &TurnRow) -> Change {
    Change::TurnNoted(Box::new(TurnRow { refused: true, ..turn.clone() }))
}

/// A person's answer to a pending permission.
pub(crate) fn answer(
    state: &State,
    live: &Live,
    row: &DecisionRow,
    reply: &PermissionAnswer,
    cx: &mut Context<'_>,
) -> Decided {
    let Some(request) = row.permission() else { return Decided::refuse(Refusal::DecisionExpired) };
    let elsewhere = matches!(reply.reply, PermissionReply::Project | PermissionReply::Always);
    if !scope_available(request, reply.reply) || (elsewhere && is_bound(state, request)) {
        return Decided::refuse(Refusal::ScopeNotAvailable);
    }
    let allow = reply.reply != PermissionReply::Reject;
    let option = permission::choose(&options(request), allow);
    if allow && option.is_none() {
        return Decided::refuse(Refusal::ScopeNotAvailable);
    }
    let person = DecisionRow {
        message: reply.message.clone(),
        ..answered(row.clone(), reply.reply, Actor::Person, cx.now)
    };
    let result = answer::decision(&state.row.id, &person);
    let mut changes = Vec::new();
    if !allow && let Some(turn) = live.open_turn() {
        changes.push(refused_turn(turn));
    }
    let granted = grants(request, reply.reply, cx.now);
    changes.extend(granted.iter().map(|grant| Change::Granted(Box::new(grant.clone()))));
    changes.push(given(person, option));
    changes.extend(covered(state, live, Some(&row.id), &granted, cx.now));
    if !allow {
        changes.extend(reject_others(live, row, cx.now));
        if let (Some(turn), Some(message)) = (live.open_turn(), &reply.message) {
            changes.extend(submit::instead(state, live, turn, message, cx));
        }
    }
    Decided { changes, answer: result.map(|result| Ok(Answer::Decision { result, settled: false })) }
}

/// A rejection refuses the session's other pending permissions too.
fn reject_others(live: &Live, row: &DecisionRow, now: Millis) -> Vec<Change> {
    permissions(live)
        .filter(|(other, _)| other.id != row.id)
        .map(|(other, request)| {
            let refused = answered(other.clone(), PermissionReply::Reject, Actor::Policy, now);
            given(refused, permission::choose(&options(request), false))
        })
        .collect()
}

/// Answers, as the policy says, what nobody answered in time.
pub(crate) fn time_out(live: &Live, cx: &Context<'_>) -> Vec<Change> {
    let due = |row: &&DecisionRow| expires(row, cx.policy).is_some_and(|at| at <= cx.now);
    let mut changes = Vec::new();
    for row in live.pending().filter(due) {
        let Some(request) = row.permission() else {
            changes.push(question::declined(row, Actor::Timeout, cx.now));
            continue;
        };
        let allowed =
            permission::choose(&options(request), true).filter(|_| cx.policy.decision_timeout_allows);
        let reply = if allowed.is_some() { PermissionReply::Once } else { PermissionReply::Reject };
        if allowed.is_none()
            && let Some(turn) = live.open_turn()
        {
            changes.push(refused_turn(turn));
        }
        let option = allowed.or_else(|| permission::choose(&options(request), false));
        changes.push(given(answered(row.clone(), reply, Actor::Timeout, cx.now), option));
    }
    changes
}

/// The options the agent offered, as far as we understand them.
fn options(request: &PermissionRequest) -> Vec<PermissionOption> {
    let offered = request.metadata.get("options").and_then(Value::as_array);
    offered.into_iter().flatten().filter_map(|option| serde_json::from_value(option.clone()).ok()).collect()
}

/// The answer reached the agent, or never will.
pub(crate) fn delivered(state: &State, id: &DecisionId, delivered: bool) -> Vec<Change> {
    let live = state.live.iter().flat_map(|live| &live.decisions);
    live.chain(&state.undelivered)
        .find(|row| row.id == *id && row.state == DecisionState::Indeterminate)
        .map(|row| {
            let state = if delivered { DecisionState::Resolved } else { DecisionState::Indeterminate };
            Change::DecisionDelivered { row: Box::new(DecisionRow { state, ..row.clone() }) }
        })
        .into_iter()
        .collect()
}

/// Closes every pending decision of the run.
pub(crate) fn close_all(live: &Live, reason: CloseReason, now: Millis) -> Vec<Change> {
    live.pending().map(|row| close(row, reason, now)).collect()
}

/// Closes one pending decision.
pub(crate) fn close(row: &DecisionRow, reason: CloseReason, now: Millis) -> Change {
    let row = Box::new(DecisionRow {
        state: DecisionState::Closed,
        close_reason: Some(reason),
        decided_at: Some(now),
        ..row.clone()
    });
    Change::DecisionClosed { row, reason }
}
