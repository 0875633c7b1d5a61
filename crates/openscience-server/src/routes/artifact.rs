//! Files that a session's turns have saved.

use axum::Json as Answer;
use axum::extract::{Extension, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue};
use openscience_protocol::preview::Preview;
use openscience_protocol::{ArtifactFile, ClaimId, MessageId, VersionId};
use openscience_runtime::Runtime;
use openscience_runtime::artifacts::ArtifactRef;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::document::{Reading, Selecting};
use crate::extract::{Json, JsonBody, Path, Query};
use crate::problem::{Issue, Problem, ProblemBody};
use crate::routes::artifact_raw::{self, RawQuery};
use crate::routes::described::{Routes, routes};
use crate::routes::file::PreviewQuery;
use crate::routes::session::SessionPath;
use crate::select::{Project, SelectorHeaders, SelectorQuery};
use crate::serve::Near;

/// What a path keeps as it is in a URL.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(list))
        .routes(routes!(finalize))
        .routes(routes!(raw))
        .routes(routes!(preview))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct ArtifactsQuery {
    /// At most so many.
    #[param(minimum = 1)]
    limit: Option<u32>,
    /// Only files after this version: the `x-next-cursor` of the page before.
    #[param(value_type = Option<String>)]
    after: Option<VersionId>,
}

/// List the files that a session has saved, oldest first.
///
/// Each is there once, as it is with its message or in its run. `path` and `fileUrl` are for callers on the same
/// machine. Files that no turn has claimed come last, without `versionID`.
#[utoipa::path(
    get, path = "/session/{id}/artifact", operation_id = "artifact.list", tag = "artifact",
    params(SessionPath, ArtifactsQuery, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (
            status = 200, description = "Files.", body = Vec<ArtifactFile>,
            headers(("x-next-cursor" = String, description = "Pass as `after` for the next page; absent on the last.")),
        ),
    ),
)]
async fn list(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Query(query): Query<ArtifactsQuery>,
    near: Option<Extension<Near>>,
) -> Result<Response, Problem> {
    if query.limit == Some(0) {
        return Err(Problem::invalid(vec![Issue::new("limit", "expected at least 1")]));
    }
    let page = runtime.session_artifacts(&project, &path.id, query.after.as_ref(), query.limit).await?;
    let near = is_near(near);
    let files: Vec<ArtifactFile> = page.files.into_iter().map(|file| located(file, near)).collect();
    let mut response = Answer(files).into_response();
    // An id holds only characters a header may hold.
    if let Some(Ok(next)) = page.next.map(|next| HeaderValue::from_str(next.as_str())) {
        response.headers_mut().insert("x-next-cursor", next);
    }
    Ok(response)
}

fn is_near(near: Option<Extension<Near>>) -> bool {
    near.is_some_and(|Extension(Near(near))| near)
}

/// The file with its place for a caller on this machine, else without.
fn located(file: ArtifactFile, near: bool) -> ArtifactFile {
    if !near {
        return ArtifactFile { path: None, file_url: None, ..file };
    }
    let file_url = file.path.as_deref().map(|path| format!("file://{}", utf8_percent_encode(path, PATH)));
    ArtifactFile { file_url, ..file }
}

/// Which claim, and for which message.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct FinalizeInput {
    #[serde(rename = "claimID")]
    #[schema(value_type = String)]
    claim_id: ClaimId,
    #[serde(rename = "messageID")]
    #[schema(value_type = String)]
    message_id: MessageId,
}

impl JsonBody for FinalizeInput {}

/// Put the files of a claim with their message.
///
/// The daemon does so itself at the end of each turn: this is for a claim that failed, or to be sure. Asked again for
/// the same message it answers the same list.
#[utoipa::path(
    post, path = "/artifact/finalize", operation_id = "artifact.finalize", tag = "artifact",
    params(SelectorQuery, SelectorHeaders),
    request_body = FinalizeInput,
    responses(
        Reading,
        (status = 200, description = "The files of the claim, by name.", body = Vec<ArtifactFile>),
        (status = 404, description = "claim_not_found.", body = ProblemBody),
        (
            status = 409,
            description = "claim_conflict: they belong to another message; claim_not_finalized with the reason.",
            body = ProblemBody,
        ),
    ),
)]
async fn finalize(
    Project(project): Project,
    State(runtime): State<Runtime>,
    near: Option<Extension<Near>>,
    Json(input): Json<FinalizeInput>,
) -> Result<Answer<Vec<ArtifactFile>>, Problem> {
    let files = runtime.finalize_artifacts(&project, &input.claim_id, &input.message_id).await?;
    let near = is_near(near);
    Ok(Answer(files.into_iter().map(|file| located(file, near)).collect()))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ArtifactPath {
    /// `art_…`, or `sessionId:ownerId:filename`, percent-encoded.
    id: String,
}

impl ArtifactPath {
    /// What the path names.
    pub(crate) fn artifact(&self) -> Result<ArtifactRef, Problem> {
        self.id.parse().map_err(|expected: &str| Problem::invalid(vec![Issue::new("id", expected)]))
    }
}

/// Read an artifact's bytes.
///
/// They are compared with their digest before any is sent. What a browser would run is sandboxed. Who has them already
/// (`If-None-Match`) is told so by 304.
#[utoipa::path(
    get, path = "/artifact/{id}/raw", operation_id = "artifact.raw", tag = "artifact",
    params(ArtifactPath, RawQuery, SelectorQuery, SelectorHeaders),
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
    Path(path): Path<ArtifactPath>,
    Query(query): Query<RawQuery>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let opened = runtime.open_artifact(&project, &path.artifact()?, query.version_id.as_ref()).await?;
    artifact_raw::answer(opened, &query, &headers).await
}

/// Which version of a Result.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
struct VersionQuery {
    /// Of a Result: this version instead of the newest.
    #[serde(rename = "versionID")]
    #[param(value_type = Option<String>)]
    version_id: Option<VersionId>,
}

/// Look at an artifact.
///
/// A page of text, rows of a table, cells of a notebook, or an image with its size. Of a Result, its newest version.
#[utoipa::path(
    get, path = "/artifact/{id}/preview", operation_id = "artifact.preview", tag = "artifact",
    params(ArtifactPath, VersionQuery, PreviewQuery, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The page.", body = Preview),
        (status = 404, description = "artifact_not_found.", body = ProblemBody),
        (status = 410, description = "artifact_damaged: the bytes are gone.", body = ProblemBody),
    ),
)]
async fn preview(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<ArtifactPath>,
    Query(VersionQuery { version_id }): Query<VersionQuery>,
    Query(query): Query<PreviewQuery>,
) -> Result<Answer<Preview>, Problem> {
    let artifact = path.artifact()?;
    Ok(Answer(runtime.preview_artifact(&project, &artifact, version_id.as_ref(), query.into()).await?))
}
