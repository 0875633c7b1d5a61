//! Permissions that wait for an answer.

use axum::Json as Answer;
use axum::extract::State;
use openscience_protocol::decision::{MESSAGE_UNITS_MAX, StandingGrant};
use openscience_protocol::{DecisionId, PermissionReply, PermissionRequest};
use openscience_runtime::Runtime;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::document::{Reading, Selecting};
use crate::extract::{Json, JsonBody, Path};
use crate::problem::{Problem, ProblemBody};
use crate::routes::described::{Routes, routes};
use crate::select::{Project, SelectorHeaders, SelectorQuery};
use crate::validate::check_units;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(list))
        .routes(routes!(reply))
        .routes(routes!(standing))
        .routes(routes!(revoke))
}

/// List the permissions that wait in the sessions of a project.
#[utoipa::path(
    get, path = "/permission", operation_id = "permission.list", tag = "permission",
    params(SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Pending permissions.", body = Vec<PermissionRequest>)),
)]
async fn list(
    Project(project): Project,
    State(runtime): State<Runtime>,
) -> Result<Answer<Vec<PermissionRequest>>, Problem> {
    Ok(Answer(runtime.pending_permissions(&project).await?))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct GrantPath {
    id: String,
}

/// List what people have allowed for more than one session: the project's grants and those for all.
#[utoipa::path(
    get, path = "/permission/standing", operation_id = "permission.standing", tag = "permission",
    params(SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Grants, oldest first.", body = Vec<StandingGrant>)),
)]
async fn standing(
    Project(project): Project,
    State(runtime): State<Runtime>,
) -> Result<Answer<Vec<StandingGrant>>, Problem> {
    Ok(Answer(runtime.standing_grants(&project).await?))
}

/// Revoke a standing grant.
///
/// The next request it would have covered is asked again.
#[utoipa::path(
    delete, path = "/permission/standing/{id}", operation_id = "permission.revoke", tag = "permission",
    params(GrantPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "True: it is gone.", body = bool, content_type = "application/json"),
        (status = 404, description = "grant_not_found.", body = ProblemBody),
    ),
)]
async fn revoke(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<GrantPath>,
) -> Result<Answer<bool>, Problem> {
    runtime.revoke_grant(&project, &path.id).await?;
    Ok(Answer(true))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct DecisionPath {
    #[param(value_type = String)]
    pub(crate) id: DecisionId,
}

/// The answer to a permission that the path names.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct PermissionReplyInput {
    reply: PermissionReply,
    #[schema(max_length = 100_000)]
    message: Option<String>,
}

impl JsonBody for PermissionReplyInput {}

/// Answer a permission by its id alone.
///
/// For older clients: `/runtime/decision` answers with the receipt and tells a conflict. Here a stored receipt
/// wins, whatever it says.
#[utoipa::path(
    post, path = "/permission/{id}/reply", operation_id = "permission.reply", tag = "permission",
    params(DecisionPath, SelectorQuery, SelectorHeaders),
    request_body = PermissionReplyInput,
    responses(
        Reading,
        (status = 200, description = "True: it is answered.", body = bool, content_type = "application/json"),
        (status = 400, description = "invalid_request or scope_not_available.", body = ProblemBody),
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
    Json(input): Json<PermissionReplyInput>,
) -> Result<Answer<bool>, Problem> {
    let PermissionReplyInput { reply, message } = input;
    let mut issues = Vec::new();
    check_units(&mut issues, "message", message.as_deref(), MESSAGE_UNITS_MAX);
    if !issues.is_empty() {
        return Err(Problem::invalid(issues));
    }
    runtime.reply_permission(&project, path.id, reply, message).await?;
    Ok(Answer(true))
}
