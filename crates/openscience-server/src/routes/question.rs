//! Questions of agents. None are asked yet, so none wait and none can be answered.

use axum::Json as Answer;
use openscience_protocol::{DecisionId, QuestionRequest};
use openscience_runtime::error::DecideError;
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
    responses(Selecting, (status = 200, description = "Pending questions: none yet.", body = Vec<QuestionRequest>)),
)]
async fn list(_: Project) -> Answer<[QuestionRequest; 0]> {
    Answer([])
}

/// The answers to a question, one list per question in order.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct QuestionReplyInput {
    #[expect(dead_code, reason = "read to refuse what is no answer")]
    answers: Vec<Vec<String>>,
}

impl JsonBody for QuestionReplyInput {}

/// Answer a question.
#[utoipa::path(
    post, path = "/question/{id}/reply", operation_id = "question.reply", tag = "question",
    params(DecisionPath, SelectorQuery, SelectorHeaders),
    request_body = QuestionReplyInput,
    responses(
        Reading,
        (status = 200, description = "True: it is answered.", body = bool, content_type = "application/json"),
        (status = 409, description = "decision_expired: nothing waits.", body = ProblemBody),
    ),
)]
async fn reply(
    _: Project,
    Path(path): Path<DecisionPath>,
    _: Json<QuestionReplyInput>,
) -> Result<Answer<bool>, Problem> {
    Err(expired(path.id))
}

/// Dismiss a question.
///
/// A body is ignored.
#[utoipa::path(
    post, path = "/question/{id}/reject", operation_id = "question.reject", tag = "question",
    params(DecisionPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "True: it is dismissed.", body = bool, content_type = "application/json"),
        (status = 409, description = "decision_expired: nothing waits.", body = ProblemBody),
    ),
)]
async fn reject(_: Project, Path(path): Path<DecisionPath>) -> Result<Answer<bool>, Problem> {
    Err(expired(path.id))
}

fn expired(id: DecisionId) -> Problem {
    DecideError::Expired(id).into()
}
