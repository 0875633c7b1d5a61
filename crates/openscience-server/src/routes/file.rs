//! Files that clients hand over for prompts: as they are, not in JSON.

use axum::Json as Answer;
use axum::body::{Body, HttpBody};
use axum::extract::State;
use bytes::BytesMut;
use futures_util::FutureExt as _;
use openscience_protocol::preview::PreviewEncoding;
use openscience_protocol::prompt::NAME_CHARS_MAX;
use openscience_protocol::{Preview, Upload, UploadId};
use openscience_runtime::error::{FileError, UploadError};
use openscience_runtime::{Asked, Incoming, Runtime, is_file_name, is_mime};
use serde::Deserialize;
use utoipa::IntoParams;

use crate::document::Guarded;
use crate::extract::{self, Path, Query};
use crate::problem::{Issue, Problem, ProblemBody};
use crate::routes::described::{Routes, routes};

/// Written to the disk at once.
const PIECE_BYTES: usize = 1 << 20;

/// The name of a file that came without one.
const UNNAMED: &str = "upload";

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(upload, uploads))
        .routes(routes!(resume, one, remove))
        .routes(routes!(preview))
}

/// What is known of a file before it comes.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct UploadQuery {
    /// Its name, without directories; at most 255 bytes.
    filename: Option<String>,
    /// Its type; told by its name if left out.
    mime: Option<String>,
    /// Bytes it will have, if it comes in pieces: it is whole once it has them.
    size: Option<u64>,
}

impl UploadQuery {
    fn checked(self) -> Result<(String, String, Option<u64>), Problem> {
        let filename = self.filename.unwrap_or_else(|| UNNAMED.to_owned());
        let mut issues = Vec::new();
        if !is_file_name(&filename) {
            issues.push(Issue::new("filename", "expected a name of 1 to 255 bytes without slashes"));
        }
        let mime = self.mime.unwrap_or_default();
        let short = mime.chars().nth(NAME_CHARS_MAX).is_none();
        if !(short && (mime.is_empty() || is_mime(&mime))) {
            issues.push(Issue::new("mime", "expected a type such as text/csv"));
        }
        if issues.is_empty() { Ok((filename, mime, self.size)) } else { Err(Problem::invalid(issues)) }
    }
}

/// Hand over a file.
///
/// The body is the file itself, of any type, and goes to the disk as it comes. The answer's `url` names it in a
/// `file` part of a prompt. A large file may come in pieces: give its `size`, then go on at `offset`.
#[utoipa::path(
    post, path = "/file/upload", operation_id = "file.upload", tag = "file",
    params(UploadQuery),
    request_body(content = String, content_type = "application/octet-stream"),
    responses(
        Guarded,
        (status = 200, description = "The file, as far as it has come.", body = Upload),
        (status = 400, description = "invalid_request.", body = ProblemBody),
        (status = 408, description = "The body did not come on for a minute; what came is kept.", body = ProblemBody),
        (status = 413, description = "The file is larger than `limit` bytes.", body = ProblemBody),
        (status = 507, description = "storage_full.", body = ProblemBody),
    ),
)]
async fn upload(
    State(runtime): State<Runtime>,
    Query(query): Query<UploadQuery>,
    mut body: Body,
) -> Result<Answer<Upload>, Problem> {
    let (filename, mime, size) = query.checked()?;
    let known = size.or_else(|| body.size_hint().exact());
    let limit = runtime.limits().max_upload_bytes;
    if let Some(size) = known.filter(|size| *size > limit) {
        extract::drain(&mut body).await;
        return Err(FileError::from(UploadError::TooLarge { limit, size }).into());
    }
    let (id, incoming) = match runtime.begin_upload(filename, mime, size).await {
        Ok(begun) => begun,
        Err(error) => {
            extract::drain(&mut body).await;
            return Err(error.into());
        }
    };
    let taken = take(incoming, &mut body).await;
    if matches!(taken, Err(Stopped::Refused(_)))
        && let Err(error) = runtime.remove_upload(id).await
    {
        tracing::debug!(%error, "an upload that was refused is left to be swept");
    }
    answer(taken, body).await
}

/// Which upload.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct UploadPath {
    id: UploadId,
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct OffsetQuery {
    /// Bytes that are there already.
    offset: u64,
}

/// Go on with a file.
///
/// The body is the next piece. 409 `upload_offset` tells where it goes on if `offset` is not there.
#[utoipa::path(
    put, path = "/file/upload/{id}", operation_id = "file.resume", tag = "file",
    params(UploadPath, OffsetQuery),
    request_body(content = String, content_type = "application/octet-stream"),
    responses(
        Guarded,
        (status = 200, description = "The file, as far as it has come.", body = Upload),
        (status = 400, description = "invalid_request.", body = ProblemBody),
        (status = 404, description = "upload_not_found.", body = ProblemBody),
        (status = 408, description = "The body did not come on for a minute; what came is kept.", body = ProblemBody),
        (status = 409, description = "upload_offset, upload_busy or upload_sealed.", body = ProblemBody),
        (status = 413, description = "The file is larger than `limit` bytes.", body = ProblemBody),
        (status = 507, description = "storage_full; what came is kept.", body = ProblemBody),
    ),
)]
async fn resume(
    State(runtime): State<Runtime>,
    Path(path): Path<UploadPath>,
    Query(query): Query<OffsetQuery>,
    mut body: Body,
) -> Result<Answer<Upload>, Problem> {
    let taken = match runtime.resume_upload(path.id, query.offset).await {
        Ok(incoming) => take(incoming, &mut body).await,
        Err(error) => Err(Stopped::Refused(error)),
    };
    answer(taken, body).await
}

/// Why a piece did not come to its end.
enum Stopped {
    /// Ours: it is too large, or the disk has no room.
    Refused(FileError),
    /// The client's.
    Cut(Problem),
}

impl From<FileError> for Stopped {
    fn from(error: FileError) -> Self {
        Self::Refused(error)
    }
}

/// Writes a piece as it comes. What has come stays, whatever becomes of the rest.
async fn take(mut incoming: Incoming, body: &mut Body) -> Result<Upload, Stopped> {
    let mut gathered = BytesMut::new();
    loop {
        let mut next = std::pin::pin!(extract::next(body, extract::PATIENCE));
        let next = if let Some(next) = next.as_mut().now_or_never() {
            next
        } else {
            // What has come is not lost with a client that is.
            incoming.write(gathered.split().freeze()).await?;
            next.await
        };
        let data = match next {
            Ok(Some(data)) => data,
            Ok(None) => break,
            Err(cut) => {
                incoming.write(gathered.freeze()).await?;
                incoming.finish(false).await?;
                return Err(Stopped::Cut(cut));
            }
        };
        gathered.extend_from_slice(&data);
        if gathered.len() >= PIECE_BYTES {
            incoming.write(gathered.split().freeze()).await?;
        }
    }
    incoming.write(gathered.freeze()).await?;
    Ok(incoming.finish(true).await?)
}

async fn answer(taken: Result<Upload, Stopped>, mut body: Body) -> Result<Answer<Upload>, Problem> {
    match taken {
        Ok(upload) => Ok(Answer(upload)),
        Err(Stopped::Cut(problem)) => Err(problem),
        Err(Stopped::Refused(error)) => {
            extract::drain(&mut body).await;
            Err(error.into())
        }
    }
}

/// List uploads, newest first; at most 1,000.
#[utoipa::path(
    get, path = "/file/upload", operation_id = "file.uploads", tag = "file",
    responses(Guarded, (status = 200, description = "Uploads.", body = Vec<Upload>)),
)]
async fn uploads(State(runtime): State<Runtime>) -> Result<Answer<Vec<Upload>>, Problem> {
    Ok(Answer(runtime.uploads().await?))
}

/// Read what is known of an upload.
#[utoipa::path(
    get, path = "/file/upload/{id}", operation_id = "file.get", tag = "file",
    params(UploadPath),
    responses(
        Guarded,
        (status = 200, description = "The upload.", body = Upload),
        (status = 404, description = "upload_not_found.", body = ProblemBody),
    ),
)]
async fn one(
    State(runtime): State<Runtime>,
    Path(path): Path<UploadPath>,
) -> Result<Answer<Upload>, Problem> {
    Ok(Answer(runtime.upload(path.id).await?))
}

/// Throw an upload away.
///
/// One that a message names stays: 409 `upload_in_use`.
#[utoipa::path(
    delete, path = "/file/upload/{id}", operation_id = "file.delete", tag = "file",
    params(UploadPath),
    responses(
        Guarded,
        (status = 200, description = "True: it is gone.", body = bool, content_type = "application/json"),
        (status = 404, description = "upload_not_found.", body = ProblemBody),
        (status = 409, description = "upload_in_use.", body = ProblemBody),
    ),
)]
async fn remove(
    State(runtime): State<Runtime>,
    Path(path): Path<UploadPath>,
) -> Result<Answer<bool>, Problem> {
    runtime.remove_upload(path.id).await?;
    Ok(Answer(true))
}

/// Which page of a file, and how.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PreviewQuery {
    /// Byte at which the page begins; of a notebook, the cell.
    #[serde(default)]
    #[param(required = false)]
    offset: u64,
    /// Bytes the page has at most: 8,192 if left out, never more than 10 MiB.
    #[param(minimum = 1)]
    max_bytes: Option<u32>,
    /// As the kind of file wants it if left out.
    encoding: Option<PreviewEncoding>,
}

impl From<PreviewQuery> for Asked {
    fn from(query: PreviewQuery) -> Self {
        Self { offset: query.offset, bytes_max: query.max_bytes, encoding: query.encoding }
    }
}

/// Look at an upload.
///
/// A page of text, rows of a table, cells of a notebook, or an image with its size.
#[utoipa::path(
    get, path = "/file/upload/{id}/preview", operation_id = "file.preview", tag = "file",
    params(UploadPath, PreviewQuery),
    responses(
        Guarded,
        (status = 200, description = "The page.", body = Preview),
        (status = 400, description = "invalid_request: the offset is beyond the end.", body = ProblemBody),
        (status = 404, description = "upload_not_found.", body = ProblemBody),
    ),
)]
async fn preview(
    State(runtime): State<Runtime>,
    Path(path): Path<UploadPath>,
    Query(query): Query<PreviewQuery>,
) -> Result<Answer<Preview>, Problem> {
    Ok(Answer(runtime.preview_upload(path.id, query.into()).await?))
}
