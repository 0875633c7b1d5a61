//! Directories the daemon works for.

use axum::Json as Answer;
use axum::extract::State;
use openscience_protocol::Project as ProjectRecord;
use openscience_protocol::codes::api;
use openscience_runtime::Runtime;

use crate::document::{Guarded, Selecting};
use crate::problem::{Problem, ProblemBody};
use crate::refusal::store;
use crate::routes::described::{Routes, routes};
use crate::select::{Project, SelectorHeaders, SelectorQuery};

pub(crate) fn routes() -> Routes {
    Routes::new().routes(routes!(list)).routes(routes!(current))
}

/// List all projects the daemon knows.
#[utoipa::path(
    get, path = "/project", operation_id = "project.list", tag = "project",
    responses(
        Guarded,
        (status = 200, description = "Projects.", body = Vec<ProjectRecord>),
        (status = 503, description = "store_unavailable.", body = ProblemBody),
    ),
)]
async fn list(State(runtime): State<Runtime>) -> Result<Answer<Vec<ProjectRecord>>, Problem> {
    let projects = runtime.projects().await.map_err(|error| store(&error))?;
    Ok(Answer(projects))
}

/// Read the selected project.
#[utoipa::path(
    get, path = "/project/current", operation_id = "project.current", tag = "project",
    params(SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "The project.", body = ProjectRecord)),
)]
async fn current(
    Project(project): Project,
    State(runtime): State<Runtime>,
) -> Result<Answer<ProjectRecord>, Problem> {
    let record = runtime.project(&project.id).await.map_err(|error| store(&error))?;
    let missing =
        || Problem::not_found(api::PROJECT_NOT_FOUND, format!("project {} is not known", project.id));
    record.map(Answer).ok_or_else(missing)
}
