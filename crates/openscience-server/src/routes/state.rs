//! The read model of a session: read whole or in pieces, followed, and what may be done with its terminals.

use std::time::Duration;

use axum::extract::State;
use axum::response::Response;
use axum::{Extension, Json as Answer};
use openscience_protocol::SessionId;
use openscience_protocol::codes::api;
use openscience_protocol::state::{
    OperationBundle, SessionState, StateDiff, StateEvent, StateMetadata, StatePermission, StateTerminal,
    StateUsage, ThreadEntry, ToolCallBundle,
};
use openscience_runtime::{Runtime, TerminalVerb};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::document::Selecting;
use crate::extract::{Path, Query};
use crate::problem::{Problem, ProblemBody};
use crate::routes::described::{Routes, routes};
use crate::routes::session::SessionPath;
use crate::select::{Project, SelectorHeaders, SelectorQuery};
use crate::serve::Stop;
use crate::sse::{self, heartbeat, over};

/// How long `wait` waits if nobody says, and at most.
const WAIT_MS: u64 = 60_000;
const WAIT_MS_MAX: u64 = 600_000;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(get))
        .routes(routes!(threads))
        .routes(routes!(diffs))
        .routes(routes!(terminals))
        .routes(routes!(terminal))
        .routes(routes!(wait))
        .routes(routes!(refresh))
        .routes(routes!(kill))
        .routes(routes!(release))
        .routes(routes!(tool_calls))
        .routes(routes!(tool_call))
        .routes(routes!(operations))
        .routes(routes!(operation))
        .routes(routes!(permissions))
        .routes(routes!(permission))
        .routes(routes!(metadata))
        .routes(routes!(usage))
        .routes(routes!(events))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct TerminalPath {
    id: SessionId,
    #[serde(rename = "terminalID")]
    terminal: String,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ToolCallPath {
    id: SessionId,
    /// Its id in the transcript, or the agent's own, which then means the newest.
    #[serde(rename = "toolCallID")]
    call: String,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct OperationPath {
    id: SessionId,
    #[serde(rename = "operationID")]
    operation: String,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct PermissionPath {
    id: SessionId,
    #[serde(rename = "requestID")]
    request: String,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct DiffQuery {
    /// Only the change of that path.
    path: Option<String>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct WaitQuery {
    /// How long to wait: a minute if absent, ten at most.
    #[serde(rename = "timeoutMs")]
    #[param(maximum = 600_000)]
    timeout_ms: Option<u64>,
}

/// Read everything that is known of a session.
///
/// `revision` grows with each change. Who follows `/state/events` first and reads this then leaves out updates of that
/// revision and older ones.
#[utoipa::path(
    get, path = "/session/{id}/state", operation_id = "state.get", tag = "state",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "The read model.", body = SessionState)),
)]
async fn get(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<SessionState>, Problem> {
    Ok(Answer(runtime.state(&project, &path.id).await?))
}

/// Read the conversation as entries in order.
#[utoipa::path(
    get, path = "/session/{id}/state/threads", operation_id = "state.threads", tag = "state",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Entries.", body = Vec<ThreadEntry>)),
)]
async fn threads(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Vec<ThreadEntry>>, Problem> {
    Ok(Answer(runtime.state(&project, &path.id).await?.threads))
}

/// Read what became of files: the newest change of each path.
#[utoipa::path(
    get, path = "/session/{id}/state/diffs", operation_id = "state.diffs", tag = "state",
    params(SessionPath, DiffQuery, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Changes.", body = Vec<StateDiff>)),
)]
async fn diffs(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Query(query): Query<DiffQuery>,
) -> Result<Answer<Vec<StateDiff>>, Problem> {
    let mut diffs = runtime.state(&project, &path.id).await?.diffs;
    diffs.retain(|diff| query.path.as_ref().is_none_or(|path| diff.path == *path));
    Ok(Answer(diffs))
}

/// Read the terminals that ran, or run, for the agent.
#[utoipa::path(
    get, path = "/session/{id}/state/terminals", operation_id = "state.terminals", tag = "state",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Terminals, oldest first.", body = Vec<StateTerminal>)),
)]
async fn terminals(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Vec<StateTerminal>>, Problem> {
    Ok(Answer(runtime.state(&project, &path.id).await?.terminals))
}

/// Read one terminal as it was last seen.
#[utoipa::path(
    get, path = "/session/{id}/state/terminals/{terminalID}", operation_id = "state.terminal", tag = "state",
    params(TerminalPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The terminal.", body = StateTerminal),
        (status = 404, description = "session_not_found or terminal_not_found.", body = ProblemBody),
    ),
)]
async fn terminal(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<TerminalPath>,
) -> Result<Answer<StateTerminal>, Problem> {
    let terminals = runtime.state(&project, &path.id).await?.terminals;
    let found = terminals.into_iter().find(|terminal| terminal.terminal_id == path.terminal);
    found.map(Answer).ok_or_else(|| missing(api::TERMINAL_NOT_FOUND, "terminal"))
}

/// Wait until a terminal's command has ended.
///
/// Answers the terminal as it is then, or after `timeoutMs` as it is.
#[utoipa::path(
    post, path = "/session/{id}/state/terminals/{terminalID}/wait", operation_id = "state.wait", tag = "state",
    params(TerminalPath, WaitQuery, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The terminal.", body = StateTerminal),
        (status = 404, description = "session_not_found or terminal_not_found.", body = ProblemBody),
    ),
)]
async fn wait(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<TerminalPath>,
    Query(query): Query<WaitQuery>,
) -> Result<Answer<StateTerminal>, Problem> {
    let limit = Duration::from_millis(query.timeout_ms.unwrap_or(WAIT_MS).min(WAIT_MS_MAX));
    Ok(Answer(runtime.terminal(&project, &path.id, &path.terminal, TerminalVerb::Wait(limit)).await?))
}

/// Look at a terminal's output now.
#[utoipa::path(
    post, path = "/session/{id}/state/terminals/{terminalID}/refresh", operation_id = "state.refresh", tag = "state",
    params(TerminalPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The terminal.", body = StateTerminal),
        (status = 404, description = "session_not_found or terminal_not_found.", body = ProblemBody),
    ),
)]
async fn refresh(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<TerminalPath>,
) -> Result<Answer<StateTerminal>, Problem> {
    Ok(Answer(runtime.terminal(&project, &path.id, &path.terminal, TerminalVerb::Refresh).await?))
}

/// Ask a terminal's command to end.
///
/// The agent may still ask for its output. The answer may still say `running`: wait for the end.
#[utoipa::path(
    post, path = "/session/{id}/state/terminals/{terminalID}/kill", operation_id = "state.kill", tag = "state",
    params(TerminalPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The terminal.", body = StateTerminal),
        (status = 404, description = "session_not_found or terminal_not_found.", body = ProblemBody),
    ),
)]
async fn kill(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<TerminalPath>,
) -> Result<Answer<StateTerminal>, Problem> {
    Ok(Answer(runtime.terminal(&project, &path.id, &path.terminal, TerminalVerb::Kill).await?))
}

/// End a terminal's command and let go of it: the agent cannot ask for it any more.
#[utoipa::path(
    post, path = "/session/{id}/state/terminals/{terminalID}/release", operation_id = "state.release", tag = "state",
    params(TerminalPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The terminal.", body = StateTerminal),
        (status = 404, description = "session_not_found or terminal_not_found.", body = ProblemBody),
    ),
)]
async fn release(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<TerminalPath>,
) -> Result<Answer<StateTerminal>, Problem> {
    Ok(Answer(runtime.terminal(&project, &path.id, &path.terminal, TerminalVerb::Release).await?))
}

/// Read the tool calls, each with what it changed and ran.
#[utoipa::path(
    get, path = "/session/{id}/state/tool-calls", operation_id = "state.toolcalls", tag = "state",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Calls, oldest first.", body = Vec<ToolCallBundle>)),
)]
async fn tool_calls(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Vec<ToolCallBundle>>, Problem> {
    Ok(Answer(runtime.state(&project, &path.id).await?.tool_calls))
}

/// Read one tool call with what it changed and ran.
#[utoipa::path(
    get, path = "/session/{id}/state/tool-calls/{toolCallID}", operation_id = "state.toolcall", tag = "state",
    params(ToolCallPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The call.", body = ToolCallBundle),
        (status = 404, description = "session_not_found or tool_call_not_found.", body = ProblemBody),
    ),
)]
async fn tool_call(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<ToolCallPath>,
) -> Result<Answer<ToolCallBundle>, Problem> {
    let calls = runtime.state(&project, &path.id).await?.tool_calls;
    let is_meant = |bundle: &ToolCallBundle| {
        let call = &bundle.tool_call;
        call.id.as_str() == path.call || call.tool_call_id == path.call
    };
    let found = calls.into_iter().rfind(is_meant);
    found.map(Answer).ok_or_else(|| missing(api::TOOL_CALL_NOT_FOUND, "tool call"))
}

/// Read what the agent did or wants to do, each with the permissions that were asked for it.
#[utoipa::path(
    get, path = "/session/{id}/state/operations", operation_id = "state.operations", tag = "state",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Operations.", body = Vec<OperationBundle>)),
)]
async fn operations(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Vec<OperationBundle>>, Problem> {
    Ok(Answer(runtime.state(&project, &path.id).await?.operations))
}

/// Read one operation with its permissions.
#[utoipa::path(
    get, path = "/session/{id}/state/operations/{operationID}", operation_id = "state.operation", tag = "state",
    params(OperationPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The operation.", body = OperationBundle),
        (status = 404, description = "session_not_found or operation_not_found.", body = ProblemBody),
    ),
)]
async fn operation(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<OperationPath>,
) -> Result<Answer<OperationBundle>, Problem> {
    let operations = runtime.state(&project, &path.id).await?.operations;
    let found = operations.into_iter().find(|bundle| bundle.operation.id == path.operation);
    found.map(Answer).ok_or_else(|| missing(api::OPERATION_NOT_FOUND, "operation"))
}

/// Read the permissions that were asked for, answered or not.
#[utoipa::path(
    get, path = "/session/{id}/state/permissions", operation_id = "state.permissions", tag = "state",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Permissions, oldest first.", body = Vec<StatePermission>)),
)]
async fn permissions(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Vec<StatePermission>>, Problem> {
    Ok(Answer(runtime.state(&project, &path.id).await?.permissions))
}

/// Read one permission.
#[utoipa::path(
    get, path = "/session/{id}/state/permissions/{requestID}", operation_id = "state.permission", tag = "state",
    params(PermissionPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The permission.", body = StatePermission),
        (status = 404, description = "session_not_found or permission_not_found.", body = ProblemBody),
    ),
)]
async fn permission(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<PermissionPath>,
) -> Result<Answer<StatePermission>, Problem> {
    let permissions = runtime.state(&project, &path.id).await?.permissions;
    let found = permissions.into_iter().find(|permission| permission.id.as_str() == path.request);
    found.map(Answer).ok_or_else(|| missing(api::PERMISSION_NOT_FOUND, "permission"))
}

/// Read what the session is called and set to.
#[utoipa::path(
    get, path = "/session/{id}/state/metadata", operation_id = "state.metadata", tag = "state",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Metadata.", body = StateMetadata)),
)]
async fn metadata(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<StateMetadata>, Problem> {
    Ok(Answer(runtime.state(&project, &path.id).await?.metadata))
}

/// Read the tokens and the cost that the agent told; an empty object if it told none.
#[utoipa::path(
    get, path = "/session/{id}/state/usage", operation_id = "state.usage", tag = "state",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Usage.", body = StateUsage)),
)]
async fn usage(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<StateUsage>, Problem> {
    Ok(Answer(runtime.state(&project, &path.id).await?.usage.unwrap_or_default()))
}

/// Follow the read model.
///
/// Frames of `event` (the update's `type`) and `data` (a StateEvent on one line): each object that came or changed, whole,
/// with the session's `revision`. What changes quickly is told as it is then, some times a second. There is no
/// cursor: read `/state` after connecting.
#[utoipa::path(
    get, path = "/session/{id}/state/events", operation_id = "state.events", tag = "state",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "Frames of updates.", body = StateEvent, content_type = "text/event-stream"),
        (status = 429, description = "too_many_subscribers: come back after `Retry-After` seconds.", body = ProblemBody),
    ),
)]
async fn events(
    Project(project): Project,
    State(runtime): State<Runtime>,
    stop: Option<Extension<Stop>>,
    Path(path): Path<SessionPath>,
) -> Result<Response, Problem> {
    let frames = runtime.follow_state(&project, &path.id).await?;
    Ok(sse::respond_frames(frames, heartbeat(&runtime), over(runtime, stop)))
}

fn missing(code: &'static str, what: &str) -> Problem {
    Problem::not_found(code, format!("no {what} of that id is known in this session"))
}
