//! What was said in a session: messages, and the agent's plan.

use axum::Json as Answer;
use axum::extract::State;
use openscience_protocol::{Message, MessageId, SessionId, Todo};
use openscience_runtime::Runtime;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::document::Selecting;
use crate::extract::{Path, Query};
use crate::problem::Problem;
use crate::routes::described::{Routes, routes};
use crate::routes::session::SessionPath;
use crate::select::{Project, SelectorHeaders, SelectorQuery};

pub(crate) fn routes() -> Routes {
    Routes::new().routes(routes!(messages)).routes(routes!(message)).routes(routes!(todos))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct MessagesQuery {
    /// Only the newest so many; all if absent or 0.
    limit: Option<u32>,
}

/// Read the messages of a session, oldest first.
#[utoipa::path(
    get, path = "/session/{id}/message", operation_id = "session.messages", tag = "session",
    params(SessionPath, MessagesQuery, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Messages with their parts.", body = Vec<Message>)),
)]
async fn messages(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Query(query): Query<MessagesQuery>,
) -> Result<Answer<Vec<Message>>, Problem> {
    let limit = query.limit.filter(|limit| *limit != 0);
    Ok(Answer(runtime.messages(&project, &path.id, limit).await?))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct MessagePath {
    id: SessionId,
    #[serde(rename = "messageID")]
    message: MessageId,
}

/// Read one message.
#[utoipa::path(
    get, path = "/session/{id}/message/{messageID}", operation_id = "session.message", tag = "session",
    params(MessagePath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "The message with its parts.", body = Message)),
)]
async fn message(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<MessagePath>,
) -> Result<Answer<Message>, Problem> {
    Ok(Answer(runtime.message(&project, &path.id, &path.message).await?))
}

/// Read the agent's plan.
#[utoipa::path(
    get, path = "/session/{id}/todo", operation_id = "session.todo", tag = "session",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Entries of the last plan.", body = Vec<Todo>)),
)]
async fn todos(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Vec<Todo>>, Problem> {
    Ok(Answer(runtime.todos(&project, &path.id).await?))
}
