//! What an agent did or wanted to do, and what it asked for it.

use agent_client_protocol_schema::v1::{ToolCallUpdate, ToolCallUpdateFields};
use openscience_protocol::message::{AssistantInfo, MessageInfo, ToolState};
use openscience_protocol::row::{DecisionRow, DecisionState};
use openscience_protocol::run::TurnState;
use openscience_protocol::state::{
    ContentPart, FailureReason, Operation, OperationKind, OperationPermission, OperationPhase,
    OperationResult, OperationTarget, PermissionChoice, PermissionDecision, PermissionFamily, PermissionKind,
    PermissionPhase, PermissionScope, StatePermission, TargetType,
};
use openscience_protocol::{Message, Millis, PermissionReply, PermissionRequest, TurnId, codes};
use serde_json::{Value, json};

use super::threads::{input, output, title};
use super::{Call, Source, items, meta, text};
use crate::permission;

/// Modes in which an agent refuses by itself what it would else ask for (claude).
const DENYING_MODES: [&str; 1] = ["dontAsk"];

pub(super) fn permissions(source: &Source<'_>) -> Vec<StatePermission> {
    asked(source).map(|(row, request)| permission_of(source, row, request)).collect()
}

/// Decisions that are permissions; questions are none.
fn asked<'a>(source: &Source<'a>) -> impl Iterator<Item = (&'a DecisionRow, &'a PermissionRequest)> {
    source.rows.decisions.iter().filter_map(|row| Some((row, row.permission()?)))
}

fn permission_of(source: &Source<'_>, row: &DecisionRow, request: &PermissionRequest) -> StatePermission {
    let call = call_of(source, request);
    let message = request.tool.as_ref().map(|tool| &tool.message_id);
    let message = message.and_then(|id| source.rows.messages.iter().find(|message| message.info.id() == id));
    let options = request.metadata.get("options").and_then(Value::as_array);
    let choice = |option: &Value| {
        let of = |key: &str| text(option, key).map(str::to_owned);
        Some(PermissionChoice { id: of("optionId")?, name: of("name")?, kind: of("kind")? })
    };
    let mut scope_options = vec![PermissionScope::Once];
    if !request.always.is_empty() {
        scope_options.push(PermissionScope::Session);
    }
    StatePermission {
        id: row.id.clone(),
        turn_id: message.and_then(|message| source.turn_of(&message.info)).or_else(|| turn_at(source, row)),
        operation_id: call.map_or_else(|| row.id.to_string(), |call| call.id.to_string()),
        kind: permission_kind(call.map_or_else(|| kind_of(&request.permission, ""), |call| kind(&call))),
        phase: phase(row),
        title: named(request, call),
        scope_options,
        options: options.into_iter().flatten().filter_map(choice).collect(),
        permission: request.permission.clone(),
        patterns: request.patterns.clone(),
        reason: row.message.clone(),
        actor: row.actor.map(|actor| actor.as_str().to_owned()),
        close_reason: row.close_reason.map(|reason| word(&json!(reason))),
        requested_at: row.asked_at,
        resolved_at: row.decided_at,
    }
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn named(request: &PermissionRequest, call: Option<Call<'_>>) -> String {
    let told = request.metadata.get("title").and_then(Value::as_str).map(str::to_owned);
    told.or_else(|| call.map(|call| title(call.tool))).unwrap_or_else(|| request.permission.clone())
}

fn phase(row: &DecisionRow) -> PermissionPhase {
    match (row.state, row.reply) {
        (DecisionState::Pending, _) => PermissionPhase::Pending,
        (DecisionState::Closed, _) | (_, None | Some(PermissionReply::Reject)) => PermissionPhase::Denied,
        (DecisionState::Indeterminate | DecisionState::Resolved, Some(_)) => PermissionPhase::Allowed,
    }
}

/// The turn of its run that was at work when it was asked.
fn turn_at(source: &Source<'_>, row: &DecisionRow) -> Option<TurnId> {
    let at_work = source.rows.turns.iter().filter(|turn| {
        turn.run_id == row.run_id && turn.active_at.is_some_and(|active| active <= row.asked_at)
    });
    at_work.max_by_key(|turn| turn.active_at).map(|turn| turn.id.clone())
}

/// The call that a permission is about.
fn call_of<'a>(source: &Source<'a>, request: &PermissionRequest) -> Option<Call<'a>> {
    let tool = request.tool.as_ref()?;
    source
        .calls()
        .find(|call| *call.message.info.id() == tool.message_id && call.tool.call_id == tool.call_id)
}

/// One of each call, and one of each permission that is about no call.
pub(super) fn operations(source: &Source<'_>, permissions: &[StatePermission]) -> Vec<Operation> {
    let mut operations: Vec<Operation> =
        source.calls().map(|call| of_call(source, &call, permissions)).collect();
    let own = asked(source).zip(permissions).filter(|((row, _), seen)| seen.operation_id == row.id.as_str());
    operations.extend(own.map(|((row, request), seen)| of_permission(row, request, seen)));
    operations
}

fn of_call(source: &Source<'_>, call: &Call<'_>, permissions: &[StatePermission]) -> Operation {
    let mut asked = permissions.iter().filter(|request| request.operation_id == call.id.as_str());
    let waits = asked.clone().any(|request| request.phase == PermissionPhase::Pending);
    let newest = asked.next_back();
    let denied = newest.is_some_and(|request| request.phase == PermissionPhase::Denied);
    let (mut phase, started, ended) = match &call.tool.state {
        ToolState::Pending(_) => (OperationPhase::Proposed, asked_at(call.message), None),
        ToolState::Running(state) => (OperationPhase::Running, state.time.start, None),
        ToolState::Completed(state) => (OperationPhase::Completed, state.time.start, Some(state.time.end)),
        ToolState::Error(state) => (OperationPhase::Failed, state.time.start, Some(state.time.end)),
    };
    let failed = phase == OperationPhase::Failed;
    if waits && ended.is_none() {
        phase = OperationPhase::AwaitingPermission;
    }
    let failure_reason = failed.then(|| failure(source, call, denied));
    if failure_reason == Some(FailureReason::Cancelled) {
        phase = OperationPhase::Cancelled;
    }
    let text = output(call.tool).map(str::to_owned);
    let times = newest.into_iter().map(|request| request.resolved_at.unwrap_or(request.requested_at));
    Operation {
        id: call.id.to_string(),
        turn_id: source.turn_of(&call.message.info),
        tool_call_id: Some(call.tool.call_id.clone()),
        kind: kind(call),
        phase,
        title: title(call.tool),
        target: target(call),
        result: text.map(|output_text| OperationResult {
            output: vec![ContentPart::Text { text: output_text.clone() }],
            output_text,
        }),
        failure_reason,
        permission: permission_seen(source, call, newest, failed),
        started_at: started,
        updated_at: times.chain(ended).fold(started, Millis::max),
        completed_at: ended,
    }
}

/// What is known of its permission: asked for and answered, or refused by the mode before it was.
fn permission_seen(
    source: &Source<'_>,
    call: &Call<'_>,
    newest: Option<&StatePermission>,
    failed: bool,
) -> Option<OperationPermission> {
    let Some(request) = newest else {
        let info = assistant(call.message)?;
        let refused = failed && DENYING_MODES.contains(&info.mode.as_str()) && !interrupted(call);
        return refused.then_some(OperationPermission {
            requested: false,
            request_id: None,
            decision: Some(PermissionDecision::Denied),
            family: Some(PermissionFamily::ModeDenied),
        });
    };
    let decision = match request.phase {
        PermissionPhase::Pending => None,
        PermissionPhase::Allowed => Some(PermissionDecision::Allowed),
        PermissionPhase::Denied => Some(PermissionDecision::Denied),
    };
    Some(OperationPermission {
        requested: true,
        request_id: Some(request.id.clone()),
        decision,
        family: (decision == Some(PermissionDecision::Denied))
            .then(|| family(source, request.turn_id.as_ref()))
            .flatten(),
    })
}

/// How the agent took the refusal; unknown until its turn is over.
fn family(source: &Source<'_>, turn: Option<&TurnId>) -> Option<PermissionFamily> {
    let turn = source.rows.turns.iter().find(|row| Some(&row.id) == turn)?;
    turn.ended_at?;
    let cancelled = turn.stop_reason.as_deref() == Some("cancelled") || turn.state == TurnState::Cancelled;
    Some(if cancelled {
        PermissionFamily::PermissionRequestCancelled
    } else {
        PermissionFamily::PermissionRequestEndTurn
    })
}

fn interrupted(call: &Call<'_>) -> bool {
    meta(call.tool, "interrupted") == Some(&Value::Bool(true))
}

fn failure(source: &Source<'_>, call: &Call<'_>, denied: bool) -> FailureReason {
    let turn = source.turn_of(&call.message.info);
    let turn = source.rows.turns.iter().find(|row| Some(&row.id) == turn.as_ref());
    let code = turn.and_then(|turn| turn.error.as_ref()).map(|error| error.code.as_str());
    if denied {
        FailureReason::PermissionDenied
    } else if !interrupted(call) {
        FailureReason::Failed
    } else if code == Some(codes::run::DEADLINE_EXCEEDED) {
        FailureReason::Timeout
    } else {
        FailureReason::Cancelled
    }
}

fn assistant(message: &Message) -> Option<&AssistantInfo> {
    match &message.info {
        MessageInfo::Assistant(info) => Some(info),
        MessageInfo::User(_) => None,
    }
}

/// When the message of a call began.
pub(super) fn asked_at(message: &Message) -> Millis {
    match &message.info {
        MessageInfo::User(info) => info.time.created,
        MessageInfo::Assistant(info) => info.time.created,
    }
}

/// A permission without a call: what it stands for was done if it was allowed, as far as is known.
fn of_permission(row: &DecisionRow, request: &PermissionRequest, seen: &StatePermission) -> Operation {
    let (phase, failure_reason, decision) = match (seen.phase, row.state) {
        (PermissionPhase::Pending, _) => (OperationPhase::AwaitingPermission, None, None),
        (PermissionPhase::Allowed, _) => (OperationPhase::Completed, None, Some(PermissionDecision::Allowed)),
        (PermissionPhase::Denied, DecisionState::Closed) => {
            (OperationPhase::Cancelled, Some(FailureReason::Cancelled), Some(PermissionDecision::Denied))
        }
        (PermissionPhase::Denied, _) => {
            (OperationPhase::Failed, Some(FailureReason::PermissionDenied), Some(PermissionDecision::Denied))
        }
    };
    let kind = kind_of(&request.permission, "");
    let value = request.patterns.first().cloned();
    Operation {
        id: row.id.to_string(),
        turn_id: seen.turn_id.clone(),
        tool_call_id: None,
        kind,
        phase,
        title: seen.title.clone(),
        target: value.map(|value| OperationTarget { target_type: target_type(kind), value }),
        result: None,
        failure_reason,
        permission: Some(OperationPermission {
            requested: true,
            request_id: Some(row.id.clone()),
            decision,
            family: None,
        }),
        started_at: row.asked_at,
        updated_at: row.decided_at.unwrap_or(row.asked_at),
        completed_at: row.decided_at,
    }
}

/// The call in the words in which permissions are asked for.
fn as_told(call: &Call<'_>) -> ToolCallUpdate {
    let of = |value: Option<&Value>| value.and_then(|value| serde_json::from_value(value.clone()).ok());
    let mut fields = ToolCallUpdateFields::new();
    fields.kind = meta(call.tool, "kind").and_then(|kind| serde_json::from_value(kind.clone()).ok());
    fields.raw_input = Some(input(call.tool).clone());
    fields.locations = of(Some(&Value::Array(items(call.tool, "locations").to_vec())));
    ToolCallUpdate::new(call.tool.call_id.clone(), fields)
}

fn kind(call: &Call<'_>) -> OperationKind {
    kind_of(&permission::category(&as_told(call)), &call.tool.tool)
}

fn kind_of(category: &str, tool: &str) -> OperationKind {
    match category {
        "bash" => OperationKind::ExecuteCommand,
        "read" | "search" => OperationKind::ReadFile,
        "edit" => OperationKind::WriteFile,
        "webfetch" => OperationKind::NetworkRequest,
        _ if tool.starts_with("mcp__") => OperationKind::McpCall,
        _ => OperationKind::Unknown,
    }
}

fn permission_kind(kind: OperationKind) -> PermissionKind {
    match kind {
        OperationKind::ExecuteCommand => PermissionKind::Terminal,
        OperationKind::NetworkRequest => PermissionKind::Network,
        OperationKind::ReadFile | OperationKind::WriteFile | OperationKind::DocumentEdit => {
            PermissionKind::Filesystem
        }
        OperationKind::McpCall => PermissionKind::Mcp,
        OperationKind::Unknown => PermissionKind::Unknown,
    }
}

fn target_type(kind: OperationKind) -> TargetType {
    match kind {
        OperationKind::ExecuteCommand => TargetType::Command,
        OperationKind::NetworkRequest => TargetType::Endpoint,
        OperationKind::ReadFile | OperationKind::WriteFile | OperationKind::DocumentEdit => TargetType::Path,
        OperationKind::McpCall => TargetType::McpTool,
        OperationKind::Unknown => TargetType::Unknown,
    }
}

fn target(call: &Call<'_>) -> Option<OperationTarget> {
    let told = as_told(call);
    let kind = kind(call);
    let value = match kind {
        OperationKind::ExecuteCommand => permission::command(&told),
        OperationKind::NetworkRequest => permission::raw_text(&told, "url").map(str::to_owned),
        OperationKind::ReadFile | OperationKind::WriteFile | OperationKind::DocumentEdit => {
            permission::paths(&told).into_iter().next()
        }
        OperationKind::McpCall => Some(call.tool.tool.clone()),
        OperationKind::Unknown => None,
    };
    value.map(|value| OperationTarget { target_type: target_type(kind), value })
}
