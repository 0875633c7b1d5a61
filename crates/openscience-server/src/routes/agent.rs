//! Agents that can be started, and their processes at work.

use axum::Json as Answer;
use axum::extract::State;
use openscience_protocol::AgentId;
use openscience_protocol::agent::{Agent, AgentConnection};
use openscience_protocol::codes::api;
use openscience_runtime::Runtime;
use openscience_runtime::error::CreateError;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::document::Guarded;
use crate::extract::Path;
use crate::problem::{Problem, ProblemBody};
use crate::refusal::store;
use crate::routes::described::{Routes, routes};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(list))
        .routes(routes!(connections))
        .routes(routes!(disconnect))
        .routes(routes!(get))
}

/// List the agents that can be started: configured ones and those that came with the daemon.
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
