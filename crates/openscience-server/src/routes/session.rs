//! Sessions: make, list, read, change, delete.

use std::collections::BTreeMap;

use axum::Json as Answer;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue};
use openscience_protocol::event::CancelSource;
use openscience_protocol::session_agent::SessionReferences;
use openscience_protocol::{Session, SessionId, SessionStatus};
use openscience_runtime::Runtime;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::document::{Reading, Selecting};
use crate::extract::{Json, Path, Query};
use crate::problem::{Problem, ProblemBody};
use crate::routes::described::{Routes, routes};
use crate::routes::session_input::{AgentList, SessionChange, SessionInput, SessionsQuery};
use crate::select::{Project, SelectorHeaders, SelectorQuery};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(list, create))
        .routes(routes!(status))
        .routes(routes!(get, update, delete))
        .routes(routes!(children))
        .routes(routes!(abort))
}

/// Sessions of this daemon, or references to those an agent knows.
#[derive(Debug, ToSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only its schema is used: each form is answered as it is")]
enum SessionList {
    Local(Vec<Session>),
    Referenced(SessionReferences),
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SessionPath {
    pub(crate) id: SessionId,
}

/// Create a session.
///
/// Starts no agent. With an `id` it is idempotent: the session of that id is returned if it exists.
#[utoipa::path(
    post, path = "/session", operation_id = "session.create", tag = "session",
    params(SelectorQuery, SelectorHeaders),
    request_body = Option<SessionInput>,
    responses(
        Reading,
        (status = 200, description = "The session.", body = Session),
        (
            status = 400,
            description = "invalid_request, agent_not_found, system_prompt_unsupported or not_available.",
            body = ProblemBody,
        ),
        (
            status = 409,
            description = "workspace_mismatch, session_conflict, session_deleted, session_deleting; for a conversation that is taken over also agent_session_taken, method_not_supported or auth_required.",
            body = ProblemBody,
        ),
        (
            status = 502,
            description = "The agent of a conversation that is taken over could not be started or asked, or refused.",
            body = ProblemBody,
        ),
    ),
)]
async fn create(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Json(input): Json<SessionInput>,
) -> Result<Answer<Session>, Problem> {
    let (session, _) = runtime.create_session(&project, input.try_into()?).await?;
    Ok(Answer(session))
}

/// List the sessions of a project, newest created first.
#[utoipa::path(
    get, path = "/session", operation_id = "session.list", tag = "session",
    params(SessionsQuery, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (
            status = 200, description = "Sessions; for `source=remote` and `source=all` an object of references.", body = SessionList,
            headers(("x-next-cursor" = String, description = "Pass as `before` for the next page; absent on the last.")),
        ),
    ),
)]
async fn list(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Query(query): Query<SessionsQuery>,
) -> Result<Response, Problem> {
    let of_agent = query.of_agent();
    let filter = query.try_into()?;
    if let Some(AgentList { agent, all, cursor }) = of_agent {
        let listed = runtime.agent_sessions(&project, agent.as_ref(), all, cursor.as_deref()).await;
        let listed = listed.map_err(|error| Problem::from(error).with_name("AcpListError"))?;
        return Ok(Answer(listed).into_response());
    }
    let page = runtime.sessions(&project, filter).await?;
    let mut response = Answer(page.sessions).into_response();
    // An id holds only characters a header may hold.
    if let Some(Ok(next)) = page.next.map(|next| HeaderValue::from_str(next.as_str())) {
        response.headers_mut().insert("x-next-cursor", next);
    }
    Ok(response)
}

/// Tell which sessions of a project are at work.
#[utoipa::path(
    get, path = "/session/status", operation_id = "session.status", tag = "session",
    params(SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (
            status = 200, description = "Status by session id; idle sessions are absent.",
            body = BTreeMap<String, SessionStatus>,
        ),
    ),
)]
async fn status(
    Project(project): Project,
    State(runtime): State<Runtime>,
) -> Result<Answer<BTreeMap<SessionId, SessionStatus>>, Problem> {
    Ok(Answer(runtime.statuses(&project).await?.into_iter().collect()))
}

/// Read a session.
#[utoipa::path(
    get, path = "/session/{id}", operation_id = "session.get", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "The session.", body = Session)),
)]
async fn get(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Session>, Problem> {
    Ok(Answer(runtime.session(&project, &path.id).await?))
}

/// Change the title or the marks of a session.
#[utoipa::path(
    patch, path = "/session/{id}", operation_id = "session.update", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    request_body = SessionChange,
    responses(Reading, (status = 200, description = "The session as it is now.", body = Session)),
)]
async fn update(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Json(change): Json<SessionChange>,
) -> Result<Answer<Session>, Problem> {
    Ok(Answer(runtime.patch_session(&project, &path.id, change.try_into()?).await?))
}

/// Delete a session and its children.
///
/// A live run is cancelled first. Files of the project stay.
#[utoipa::path(
    delete, path = "/session/{id}", operation_id = "session.delete", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "True: the session is gone.", body = bool, content_type = "application/json")),
)]
async fn delete(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<bool>, Problem> {
    runtime.delete_session(&project, &path.id).await?;
    Ok(Answer(true))
}

/// List the sessions that have this one as their parent.
#[utoipa::path(
    get, path = "/session/{id}/children", operation_id = "session.children", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Sessions.", body = Vec<Session>)),
)]
async fn children(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Vec<Session>>, Problem> {
    Ok(Answer(runtime.children(&project, &path.id).await?))
}

/// Stop whatever a session is doing.
///
/// Fine if it is idle. A body is ignored.
#[utoipa::path(
    post, path = "/session/{id}/abort", operation_id = "session.abort", tag = "session",
    params(
        SessionPath, SelectorQuery, SelectorHeaders,
        (
            "x-openscience-abort-source" = Option<String>, Header,
            description = "`runner_timeout` if a harness ran out of time; else a person is assumed.",
        ),
    ),
    responses(Selecting, (status = 200, description = "Always true.", body = bool, content_type = "application/json")),
)]
async fn abort(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    headers: HeaderMap,
) -> Result<Answer<bool>, Problem> {
    runtime.abort(&project, &path.id, abort_source(&headers)).await?;
    Ok(Answer(true))
}

fn abort_source(headers: &HeaderMap) -> CancelSource {
    let word = headers.get("x-openscience-abort-source").and_then(|value| value.to_str().ok());
    word.and_then(|word| CancelSource::parse(word.trim())).unwrap_or(CancelSource::User)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_abort_is_by_a_person_unless_a_runner_says_it_ran_out_of_time() {
        let source = |word: Option<&str>| {
            let mut headers = HeaderMap::new();
            if let Some(word) = word {
                headers.insert("x-openscience-abort-source", word.parse().unwrap());
            }
            abort_source(&headers)
        };
        assert_eq!(source(None), CancelSource::User);
        assert_eq!(source(Some("runner_timeout")), CancelSource::RunnerTimeout);
        assert_eq!(source(Some("something else")), CancelSource::User);
    }
}
