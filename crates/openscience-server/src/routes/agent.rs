//! Agents that can be started, and their processes at work.

use axum::Json as Answer;
use axum::extract::State;
use openscience_protocol::AgentId;
use openscience_protocol::agent::{Agent, AgentConnection};
use openscience_protocol::codes::api;
use openscience_protocol::session_agent::AgentLogin;
use openscience_runtime::Runtime;
use openscience_runtime::error::CreateError;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::document::{Guarded, Reading};
use crate::extract::{Json, JsonBody, Path};
use crate::problem::{Problem, ProblemBody};
use crate::refusal::store;
use crate::routes::described::{Routes, routes};
use crate::select::{Project, SelectorHeaders, SelectorQuery};
use crate::validate::check_name;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(list))
        .routes(routes!(connections))
        .routes(routes!(disconnect))
        .routes(routes!(authenticate))
        .routes(routes!(get))
}

/// List the agents that can be asked for: configured ones, those of the public registry, and what came with the daemon.
///
/// Looks at what is on this machine; nothing is fetched or started.
#[utoipa::path(
    get, path = "/agent", operation_id = "agent.list", tag = "agent",
    responses(Guarded, (status = 200, description = "Agents by id.", body = Vec<Agent>)),
)]
async fn list(State(runtime): State<Runtime>) -> Answer<Vec<Agent>> {
    Answer(runtime.agents())
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct AgentPath {
    id: String,
}

/// Read one agent.
#[utoipa::path(
    get, path = "/agent/{id}", operation_id = "agent.get", tag = "agent",
    params(AgentPath),
    responses(
        Guarded,
        (status = 200, description = "The agent.", body = Agent),
        (status = 404, description = "agent_not_found.", body = ProblemBody),
    ),
)]
async fn get(State(runtime): State<Runtime>, Path(path): Path<AgentPath>) -> Result<Answer<Agent>, Problem> {
    let missing = || {
        let known = CreateError::AgentNotFound(runtime.agent_ids());
        Problem::not_found(api::AGENT_NOT_FOUND, known.to_string())
    };
    runtime.agent_named(&AgentId::from(path.id.as_str())).map(Answer).ok_or_else(missing)
}

/// How to log in.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LoginInput {
    /// Id of one of the agent's ways; the marked or only one if left out.
    #[schema(max_length = 1_000)]
    method_id: Option<String>,
}

impl JsonBody for LoginInput {}

/// Log in to an agent.
///
/// Only what the agent does alone is done. Where a person has to run a program or set variables the answer
/// is 409 and `data` says which; end the agent's processes afterwards, so that they start anew.
#[utoipa::path(
    post, path = "/agent/{id}/authenticate", operation_id = "agent.authenticate", tag = "agent",
    params(AgentPath, SelectorQuery, SelectorHeaders),
    request_body = Option<LoginInput>,
    responses(
        Reading,
        (status = 200, description = "The way that was taken.", body = AgentLogin),
        (status = 400, description = "invalid_request or auth_method_not_found.", body = ProblemBody),
        (status = 404, description = "agent_not_found.", body = ProblemBody),
        (status = 409, description = "auth_terminal or auth_env.", body = ProblemBody),
        (status = 502, description = "auth_failed, or the agent could not be started.", body = ProblemBody),
    ),
)]
async fn authenticate(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<AgentPath>,
    Json(input): Json<LoginInput>,
) -> Result<Answer<AgentLogin>, Problem> {
    let mut issues = Vec::new();
    check_name(&mut issues, "methodId", input.method_id.as_deref());
    if !issues.is_empty() {
        return Err(Problem::invalid(issues));
    }
    let agent = AgentId::from(path.id.as_str());
    Ok(Answer(runtime.authenticate(&project, &agent, input.method_id.as_deref()).await?))
}

/// List the agent processes of this daemon, oldest first, with the newest 500 things that happened on each.
#[utoipa::path(
    get, path = "/agent/connection", operation_id = "agent.connections", tag = "agent",
    responses(Guarded, (status = 200, description = "Agent processes.", body = Vec<AgentConnection>)),
)]
async fn connections(State(runtime): State<Runtime>) -> Result<Answer<Vec<AgentConnection>>, Problem> {
    runtime.agent_connections().await.map(Answer).map_err(|error| store(&error))
}

/// End an agent process.
///
/// Answers once it is gone with all it started. Turns it works on fail with `agent_exited`; the next
/// prompt starts another.
#[utoipa::path(
    delete, path = "/agent/connection/{id}", operation_id = "agent.disconnect", tag = "agent",
    params(AgentPath),
    responses(
        Guarded,
        (status = 200, description = "True: it is gone.", body = bool, content_type = "application/json"),
        (status = 404, description = "connection_not_found.", body = ProblemBody),
    ),
)]
async fn disconnect(
    State(runtime): State<Runtime>,
    Path(path): Path<AgentPath>,
) -> Result<Answer<bool>, Problem> {
    if runtime.stop_agent_connection(&path.id).await {
        return Ok(Answer(true));
    }
    Err(Problem::not_found(api::CONNECTION_NOT_FOUND, "no agent process has that id"))
}
