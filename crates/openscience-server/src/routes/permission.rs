//! Permissions that wait for an answer.

use axum::Json as Answer;
use axum::extract::State;
use openscience_protocol::PermissionRequest;
use openscience_runtime::Runtime;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::App;
use crate::document::Selecting;
use crate::problem::Problem;
use crate::select::{Project, SelectorHeaders, SelectorQuery};

pub(crate) fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new().routes(routes!(list))
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
