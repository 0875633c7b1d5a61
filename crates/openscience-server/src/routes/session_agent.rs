//! The agent of a session between turns: read, set, open, let go, fork.

use axum::Json as Answer;
use axum::extract::State;
use openscience_protocol::session::TITLE_CHARS_MAX;
use openscience_protocol::session_agent::SessionAgent;
use openscience_protocol::{Session, SessionId};
use openscience_runtime::Runtime;
use openscience_runtime::error::CreateError;
use openscience_runtime::request::{ForkInput, OpenMethod};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::Value;
use utoipa::ToSchema;

use crate::document::{Reading, Selecting};
use crate::extract::{Json, JsonBody, Path};
use crate::problem::{Issue, Problem, ProblemBody};
use crate::routes::described::{Routes, routes};
use crate::routes::session::SessionPath;
use crate::routes::session_agent_input::scalar;
use crate::select::{Project, SelectorHeaders, SelectorQuery};
use crate::validate::{check_chars, check_name};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(get))
        .routes(routes!(mode))
        .routes(routes!(config))
        .routes(routes!(load))
        .routes(routes!(resume))
        .routes(routes!(close))
        .routes(routes!(fork))
}

/// Read the agent of a session: how it is started, what it told of itself, how it is set.
///
/// Starts nothing: what the agent told is from when the session was opened last.
#[utoipa::path(
    get, path = "/session/{id}/agent", operation_id = "session.agent", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "The agent.", body = SessionAgent)),
)]
async fn get(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<SessionAgent>, Problem> {
    Ok(Answer(runtime.session_agent(&project, &path.id).await?))
}

/// The mode to set.
#[derive(Debug, Deserialize, ToSchema)]
struct ModeInput {
    /// Id, name or alias.
    #[schema(min_length = 1, max_length = 1_000)]
    mode: String,
}

impl JsonBody for ModeInput {}

/// Set the mode of a session's agent, between turns.
///
/// Opens the conversation if need be. It is set again where the agent has to begin afresh.
#[utoipa::path(
    post, path = "/session/{id}/agent/mode", operation_id = "session.mode", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    request_body = ModeInput,
    responses(
        Reading,
        (status = 200, description = "The agent as it is now.", body = SessionAgent),
        (status = 400, description = "invalid_request or mode_not_found.", body = ProblemBody),
        (status = 409, description = "session_busy, method_not_supported or auth_required.", body = ProblemBody),
        (status = 502, description = "The agent could not be started or asked, or refused.", body = ProblemBody),
    ),
)]
async fn mode(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Json(input): Json<ModeInput>,
) -> Result<Answer<SessionAgent>, Problem> {
    named("mode", &input.mode)?;
    Ok(Answer(runtime.set_mode(&project, &path.id, input.mode).await?))
}

/// The option to set.
#[derive(Debug, Deserialize, ToSchema)]
struct ConfigInput {
    /// Id, category or name of the option.
    #[schema(min_length = 1, max_length = 1_000)]
    id: String,
    /// Its value or the name of it: a text, a number, or true or false.
    value: Value,
}

impl JsonBody for ConfigInput {}

/// Set a config option of a session's agent, between turns.
///
/// Opens the conversation if need be. It is set again where the agent has to begin afresh.
#[utoipa::path(
    post, path = "/session/{id}/agent/config", operation_id = "session.config", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    request_body = ConfigInput,
    responses(
        Reading,
        (status = 200, description = "The agent as it is now.", body = SessionAgent),
        (status = 400, description = "invalid_request, config_option_not_found or config_value_invalid.", body = ProblemBody),
        (status = 409, description = "session_busy, method_not_supported or auth_required.", body = ProblemBody),
        (status = 502, description = "The agent could not be started or asked, or refused.", body = ProblemBody),
    ),
)]
async fn config(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Json(input): Json<ConfigInput>,
) -> Result<Answer<SessionAgent>, Problem> {
    named("id", &input.id)?;
    let Some(value) = scalar(input.value) else {
        let message = "expected a text, a number, or true or false";
        return Err(Problem::invalid(vec![Issue::new("value", message)]));
    };
    named("value", &value)?;
    Ok(Answer(runtime.set_option(&project, &path.id, input.id, value).await?))
}

fn named(field: &str, text: &str) -> Result<(), Problem> {
    let mut issues = Vec::new();
    check_name(&mut issues, field, Some(text));
    if text.trim().is_empty() {
        issues.push(Issue::new(field, "expected a name"));
    }
    if issues.is_empty() { Ok(()) } else { Err(Problem::invalid(issues)) }
}

/// How a conversation is opened. Instructions are for new ones only.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct OpenBody {
    #[schema(ignore)]
    system_prompt: Option<IgnoredAny>,
}

impl JsonBody for OpenBody {}

impl OpenBody {
    fn check(&self) -> Result<(), Problem> {
        match self.system_prompt {
            Some(_) => Err(CreateError::SystemPromptUnsupported.into()),
            None => Ok(()),
        }
    }
}

/// Open the conversation of a session now, by `session/load`.
///
/// There is no other way tried if the agent refuses. One that is open stays as it is.
#[utoipa::path(
    post, path = "/session/{id}/load", operation_id = "session.load", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    request_body = Option<OpenBody>,
    responses(
        Reading,
        (status = 200, description = "The agent as it is now.", body = SessionAgent),
        (status = 400, description = "invalid_request or system_prompt_unsupported.", body = ProblemBody),
        (
            status = 409,
            description = "session_busy, agent_session_missing, method_not_supported or auth_required.",
            body = ProblemBody,
        ),
        (status = 502, description = "The agent could not be started or asked, or refused.", body = ProblemBody),
    ),
)]
async fn load(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Json(input): Json<OpenBody>,
) -> Result<Answer<SessionAgent>, Problem> {
    input.check()?;
    let opened = runtime.open_session(&project, &path.id, OpenMethod::Load).await;
    opened.map(Answer).map_err(|error| Problem::from(error).with_name("AcpLoadError"))
}

/// Open the conversation of a session now, by `session/resume`.
///
/// There is no other way tried if the agent refuses. One that is open stays as it is.
#[utoipa::path(
    post, path = "/session/{id}/resume", operation_id = "session.resume", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    request_body = Option<OpenBody>,
    responses(
        Reading,
        (status = 200, description = "The agent as it is now.", body = SessionAgent),
        (status = 400, description = "invalid_request or system_prompt_unsupported.", body = ProblemBody),
        (
            status = 409,
            description = "session_busy, agent_session_missing, method_not_supported or auth_required.",
            body = ProblemBody,
        ),
        (status = 502, description = "The agent could not be started or asked, or refused.", body = ProblemBody),
    ),
)]
async fn resume(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Json(input): Json<OpenBody>,
) -> Result<Answer<SessionAgent>, Problem> {
    input.check()?;
    let opened = runtime.open_session(&project, &path.id, OpenMethod::Resume).await;
    opened.map(Answer).map_err(|error| Problem::from(error).with_name("AcpResumeError"))
}

/// Let the conversation of a session go: the agent frees what it holds of it.
///
/// Nothing is deleted; the next prompt opens it again. A body is ignored.
#[utoipa::path(
    post, path = "/session/{id}/close", operation_id = "session.close", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "Always true.", body = bool, content_type = "application/json"),
        (status = 409, description = "session_busy or session_deleting.", body = ProblemBody),
    ),
)]
async fn close(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<bool>, Problem> {
    runtime.close_session(&project, &path.id).await?;
    Ok(Answer(true))
}

/// What the fork should be; everything may be left out.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
struct ForkBody {
    /// Makes the fork idempotent: the fork of that id is returned if there is one.
    id: Option<SessionId>,
    #[schema(max_length = 1_000)]
    title: Option<String>,
    #[schema(ignore)]
    system_prompt: Option<IgnoredAny>,
}

impl JsonBody for ForkBody {}

/// Make a session of another one's conversation so far, at the agent and here.
///
/// The source stays as it is. An isolated fork begins with an empty scratch folder.
#[utoipa::path(
    post, path = "/session/{id}/fork", operation_id = "session.fork", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    request_body = Option<ForkBody>,
    responses(
        Reading,
        (status = 200, description = "The fork.", body = Session),
        (status = 400, description = "invalid_request or system_prompt_unsupported.", body = ProblemBody),
        (
            status = 409,
            description = "session_busy, agent_session_missing, method_not_supported, session_conflict, session_deleted or auth_required.",
            body = ProblemBody,
        ),
        (status = 502, description = "The agent could not be started or asked, or refused.", body = ProblemBody),
    ),
)]
async fn fork(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Json(input): Json<ForkBody>,
) -> Result<Answer<Session>, Problem> {
    if input.system_prompt.is_some() {
        return Err(CreateError::SystemPromptUnsupported.into());
    }
    let mut issues = Vec::new();
    check_chars(&mut issues, "title", input.title.as_deref(), TITLE_CHARS_MAX);
    if !issues.is_empty() {
        return Err(Problem::invalid(issues));
    }
    let forked =
        runtime.fork_session(&project, &path.id, ForkInput { id: input.id, title: input.title }).await;
    forked.map(|(session, _)| Answer(session)).map_err(|error| Problem::from(error).with_name("AcpForkError"))
}
