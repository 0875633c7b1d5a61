//! Questions that wait for an answer.

use axum::Json as Answer;
use axum::extract::State;
use openscience_protocol::QuestionRequest;
use openscience_protocol::decision::Answers;
use openscience_runtime::Runtime;
use serde::Deserialize;
use utoipa::ToSchema;

use crate::document::{Reading, Selecting};
use crate::extract::{Json, JsonBody, Path};
use crate::problem::{Problem, ProblemBody};
use crate::routes::described::{Routes, routes};
use crate::routes::permission::DecisionPath;
use crate::select::{Project, SelectorHeaders, SelectorQuery};

pub(crate) fn routes() -> Routes {
    Routes::new().routes(routes!(list)).routes(routes!(reply)).routes(routes!(reject))
}

/// List the questions that wait in the sessions of a project.
#[utoipa::path(
    get, path = "/question", operation_id = "question.list", tag = "question",
    params(SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Pending questions.", body = Vec<QuestionRequest>)),
)]
async fn list(
    Project(project): Project,
    State(runtime): State<Runtime>,
) -> Result<Answer<Vec<QuestionRequest>>, Problem> {
    Ok(Answer(runtime.pending_questions(&project).await?))
}

/// The answers to a question, one list per question in order.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct QuestionReplyInput {
    #[schema(value_type = Vec<Vec<String>>)]
    answers: Answers,
}

impl JsonBody for QuestionReplyInput {}

/// Answer a question by its id alone.
///
/// For older clients: `/runtime/decision` answers with the receipt and tells a conflict. Here a stored receipt
/// wins, whatever it says.
#[utoipa::path(
    post, path = "/question/{id}/reply", operation_id = "question.reply", tag = "question",
    params(DecisionPath, SelectorQuery, SelectorHeaders),
    request_body = QuestionReplyInput,
    responses(
        Reading,
        (status = 200, description = "True: it is answered.", body = bool, content_type = "application/json"),
        (status = 400, description = "invalid_request or invalid_answer.", body = ProblemBody),
        (
            status = 409,
            description = "decision_expired, or decision_not_owned with the `url` that can.",
            body = ProblemBody,
        ),
    ),
)]
async fn reply(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<DecisionPath>,
    Json(input): Json<QuestionReplyInput>,
) -> Result<Answer<bool>, Problem> {
    runtime.reply_question(&project, path.id, input.answers).await?;
    Ok(Answer(true))
}

/// Dismiss a question by its id alone.
///
/// A body is ignored.
#[utoipa::path(
    post, path = "/question/{id}/reject", operation_id = "question.reject", tag = "question",
    params(DecisionPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "True: it is dismissed.", body = bool, content_type = "application/json"),
        (
            status = 409,
            description = "decision_expired, or decision_not_owned with the `url` that can.",
            body = ProblemBody,
        ),
    ),
)]
async fn reject(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<DecisionPath>,
) -> Result<Answer<bool>, Problem> {
    runtime.reject_question(&project, path.id).await?;
    Ok(Answer(true))
}
