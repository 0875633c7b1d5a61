//! Results: what a project keeps of what its agents made, with all versions.

use axum::Json as Answer;
use axum::extract::State;
use axum::response::Response;
use http::HeaderMap;
use openscience_protocol::artifact::{Artifact, ArtifactDetail, ArtifactState, TITLE_UNITS_MAX};
use openscience_protocol::{ArtifactId, MessageId, SessionId};
use openscience_runtime::Runtime;
use openscience_runtime::artifacts::{ArtifactRef, NewArtifact};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::document::{Reading, Selecting};
use crate::extract::{Json, JsonBody, Path, Query};
use crate::problem::{Issue, Problem, ProblemBody};
use crate::routes::artifact_raw::{self, RawQuery};
use crate::routes::described::{Routes, routes};
use crate::select::{Project, SelectorHeaders, SelectorQuery};
use crate::validate::check_units;

/// Longest path of a file that is named (UTF-16 units), and longest summary of one.
const PATH_UNITS_MAX: usize = 4_096;
const SUMMARY_UNITS_MAX: usize = 10_000;

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(list))
        .routes(routes!(get, update, trash))
        .routes(routes!(restore))
        .routes(routes!(raw))
        .routes(routes!(declare))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct StateQuery {
    /// `active` if absent.
    state: Option<ArtifactState>,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ResultPath {
    #[param(value_type = String)]
    id: ArtifactId,
}

/// List the Results of a project, the newest first.
#[utoipa::path(
    get, path = "/file/artifact-store", operation_id = "results.list", tag = "results",
    params(StateQuery, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Results.", body = Vec<Artifact>)),
)]
async fn list(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Query(query): Query<StateQuery>,
) -> Result<Answer<Vec<Artifact>>, Problem> {
    Ok(Answer(runtime.artifacts(&project, query.state.unwrap_or_default()).await?))
}

/// Read a Result with all its versions.
#[utoipa::path(
    get, path = "/file/artifact-store/{id}", operation_id = "results.get", tag = "results",
    params(ResultPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The Result.", body = ArtifactDetail),
        (status = 404, description = "artifact_not_found.", body = ProblemBody),
    ),
)]
async fn get(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<ResultPath>,
) -> Result<Answer<ArtifactDetail>, Problem> {
    Ok(Answer(runtime.artifact(&project, &path.id).await?))
}

/// What to change of a Result.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct ResultChange {
    #[schema(min_length = 1, max_length = 240)]
    title: String,
}

impl JsonBody for ResultChange {}

/// Give a Result another title.
#[utoipa::path(
    patch, path = "/file/artifact-store/{id}", operation_id = "results.update", tag = "results",
    params(ResultPath, SelectorQuery, SelectorHeaders),
    request_body = ResultChange,
    responses(
        Reading,
        (status = 200, description = "The Result.", body = Artifact),
        (status = 404, description = "artifact_not_found.", body = ProblemBody),
    ),
)]
async fn update(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<ResultPath>,
    Json(input): Json<ResultChange>,
) -> Result<Answer<Artifact>, Problem> {
    let mut issues = Vec::new();
    if input.title.trim().is_empty() {
        issues.push(Issue::new("title", "expected at least 1 character"));
    }
    check_units(&mut issues, "title", Some(&input.title), TITLE_UNITS_MAX);
    if !issues.is_empty() {
        return Err(Problem::invalid(issues));
    }
    Ok(Answer(runtime.rename_artifact(&project, &path.id, &input.title).await?))
}

/// Put a Result into the trash.
///
/// It is kept there for thirty days; saving it again takes it out.
#[utoipa::path(
    delete, path = "/file/artifact-store/{id}", operation_id = "results.trash", tag = "results",
    params(ResultPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The Result.", body = Artifact),
        (status = 404, description = "artifact_not_found.", body = ProblemBody),
    ),
)]
async fn trash(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<ResultPath>,
) -> Result<Answer<Artifact>, Problem> {
    Ok(Answer(runtime.trash_artifact(&project, &path.id).await?))
}

/// Take a Result out of the trash.
#[utoipa::path(
    post, path = "/file/artifact-store/{id}/restore", operation_id = "results.restore", tag = "results",
    params(ResultPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The Result.", body = Artifact),
        (status = 404, description = "artifact_not_found.", body = ProblemBody),
    ),
)]
async fn restore(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<ResultPath>,
) -> Result<Answer<Artifact>, Problem> {
    Ok(Answer(runtime.restore_artifact(&project, &path.id).await?))
}

/// Read the bytes of a version.
///
/// Who has them already (`If-None-Match`) is told so by 304.
#[utoipa::path(
    get, path = "/file/artifact-store/{id}/raw", operation_id = "results.raw", tag = "results",
    params(ResultPath, RawQuery, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The bytes.", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 206, description = "The part that `Range` asks for.", body = Vec<u8>, content_type = "application/octet-stream"),
        (status = 404, description = "artifact_not_found.", body = ProblemBody),
        (status = 410, description = "artifact_damaged: the bytes are gone.", body = ProblemBody),
        (status = 416, description = "range_not_satisfiable.", body = ProblemBody),
    ),
)]
async fn raw(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<ResultPath>,
    Query(query): Query<RawQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let artifact = ArtifactRef::Result(path.id);
    let opened = runtime.open_artifact(&project, &artifact, query.version_id.as_ref()).await?;
    artifact_raw::answer(opened, &query, &headers).await
}

/// A file to keep.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct DeclareInput {
    /// Below the project, or below the session's own folder.
    #[schema(min_length = 1, max_length = 4_096)]
    path: String,
    #[serde(rename = "sessionID")]
    #[schema(value_type = String)]
    session_id: SessionId,
    #[serde(rename = "messageID")]
    #[schema(value_type = Option<String>)]
    message_id: Option<MessageId>,
    #[schema(max_length = 10_000)]
    summary: Option<String>,
}

impl JsonBody for DeclareInput {}

/// Keep a file as a version of a Result.
///
/// The same file again is the next version of the same Result.
#[utoipa::path(
    post, path = "/file/artifact", operation_id = "results.declare", tag = "results",
    params(SelectorQuery, SelectorHeaders),
    request_body = DeclareInput,
    responses(
        Reading,
        (status = 200, description = "The Result.", body = Artifact),
        (status = 400, description = "invalid_request or artifact_refused.", body = ProblemBody),
        (status = 403, description = "path_not_allowed: it leads out of the folders of the session.", body = ProblemBody),
        (status = 404, description = "file_not_found, session_not_found or message_not_found.", body = ProblemBody),
        (status = 413, description = "The file is larger than `limit` bytes.", body = ProblemBody),
        (status = 507, description = "storage_full: too little space would be left.", body = ProblemBody),
    ),
)]
async fn declare(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Json(input): Json<DeclareInput>,
) -> Result<Answer<Artifact>, Problem> {
    let DeclareInput { path, session_id, message_id, summary } = input;
    let mut issues = Vec::new();
    if path.is_empty() {
        issues.push(Issue::new("path", "expected a path"));
    }
    check_units(&mut issues, "path", Some(&path), PATH_UNITS_MAX);
    check_units(&mut issues, "summary", summary.as_deref(), SUMMARY_UNITS_MAX);
    if !issues.is_empty() {
        return Err(Problem::invalid(issues));
    }
    let new = NewArtifact { path, session: session_id, message: message_id, summary };
    Ok(Answer(runtime.declare_artifact(&project, new).await?))
}
