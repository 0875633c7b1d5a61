//! Bodies, queries and path segments, read so that every refusal has our body.
//!
//! What a value must look like is said by its type and judged by
//! [`crate::reader`].

use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use bytes::BytesMut;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use http_body_util::BodyExt;
use openscience_protocol::codes::api;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::App;
use crate::problem::{Issue, Problem};
use crate::reader::{Fault, Reader};
use crate::tree::{Tree, TreeError};

/// A body that is too long is read this far before the refusal, because most
/// clients do not read an answer before they have sent everything.
const DRAINED_BYTES_MAX: usize = 64 << 20;

/// A body that does not come on for this long is given up.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A type bodies are read into. One that holds variants told apart by a tag
/// reads those itself: serde's own way would lose their places.
pub(crate) trait JsonBody: DeserializeOwned {
    fn read(body: Reader) -> Result<Self, Fault> {
        Self::deserialize(body)
    }
}

/// A JSON body.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: JsonBody> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read(body, app.runtime.limits().max_body_bytes, PATIENCE).await?;
        parse(&parts.headers, &bytes).map(Self)
    }
}

async fn read(mut body: Body, limit: usize, patience: Duration) -> Result<Bytes, Problem> {
    let too_large = || {
        let message = format!("the body is longer than {limit} bytes; files go to POST /file/upload");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, api::PAYLOAD_TOO_LARGE, message).with_limit(limit)
    };
    if body.size_hint().lower() > DRAINED_BYTES_MAX as u64 {
        return Err(too_large());
    }
    let mut kept = BytesMut::new();
    let mut size = 0_usize;
    while let Some(data) = next(&mut body, patience).await? {
        size = size.saturating_add(data.len());
        if size > limit.max(DRAINED_BYTES_MAX) {
            return Err(too_large());
        }
        if size <= limit {
            kept.extend_from_slice(&data);
        }
    }
    if size > limit { Err(too_large()) } else { Ok(kept.freeze()) }
}

/// The next bytes of a body; none at its end.
pub(crate) async fn next(body: &mut Body, patience: Duration) -> Result<Option<Bytes>, Problem> {
    while let Some(frame) = timeout(patience, body.frame()).await.map_err(|_| too_slow())? {
        let frame = frame.map_err(|_| Problem::invalid(vec![Issue::new("", "the body was cut off")]))?;
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// Reads what a client still sends, so that it reads why it is refused; not without end.
pub(crate) async fn drain(body: &mut Body) {
    let mut left = DRAINED_BYTES_MAX;
    while let Ok(Some(data)) = next(body, PATIENCE).await {
        let Some(rest) = left.checked_sub(data.len()) else { return };
        left = rest;
    }
}

/// The rest of such a body may still come: the connection cannot be used again.
fn too_slow() -> Problem {
    Problem::new(StatusCode::REQUEST_TIMEOUT, api::REQUEST_TIMEOUT, "the body did not come on")
        .with_header(header::CONNECTION, HeaderValue::from_static("close"))
}

pub(crate) fn parse<T: JsonBody>(headers: &HeaderMap, bytes: &[u8]) -> Result<T, Problem> {
    let text = match bytes {
        [] => b"{}".as_slice(),
        _ if is_json(headers) => bytes,
        _ => {
            return Err(Problem::new(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                api::UNSUPPORTED_MEDIA_TYPE,
                "the body must be application/json",
            ));
        }
    };
    let tree = Tree::read(text).map_err(|error| match error {
        TreeError::NotJson { line, column } => {
            let message = format!("the body is not valid JSON: line {line}, column {column}");
            Problem::new(StatusCode::BAD_REQUEST, api::INVALID_JSON, message)
        }
        TreeError::Beyond(issue) => Problem::invalid(vec![issue]),
    })?;
    T::read(Reader::of_json(tree)).map_err(invalid)
}

fn invalid(fault: Fault) -> Problem {
    Problem::invalid(vec![fault.into()])
}

/// True for one `application/json` or `application/*+json`, with any parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(only), None) = (types.next(), types.next()) else { return false };
    let essence = only.to_str().unwrap_or_default().split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    essence
        .strip_prefix("application/")
        .is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

/// The one value of a header. A second one is refused: which counts, others may see differently.
pub(crate) fn only<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a HeaderValue>, Issue> {
    let mut values = headers.get_all(name).iter();
    let first = values.next();
    match values.next() {
        None => Ok(first),
        Some(_) => Err(Issue::new(name, "given more than once")),
    }
}

/// The query of a request; keys its type does not know are dropped.
#[derive(Debug)]
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequestParts<App> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &App) -> Result<Self, Problem> {
        query(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

fn query<T: DeserializeOwned>(text: &str) -> Result<T, Problem> {
    let pairs = form_urlencoded::parse(text.as_bytes());
    let pairs = pairs.map(|(key, value)| (key.into_owned(), value.into_owned()));
    T::deserialize(Reader::of_texts(pairs)).map_err(invalid)
}

/// Named segments of the path; their types are read from text.
#[derive(Debug)]
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<App> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Problem> {
        match RawPathParams::from_request_parts(parts, app).await {
            Ok(segments) => segments_of(&segments).map(Self),
            Err(RawPathParamsRejection::InvalidUtf8InPathParam(_)) => {
                Err(Problem::invalid(vec![Issue::new("", "expected a path in UTF-8")]))
            }
            Err(error) => Err(Problem::internal(&error)),
        }
    }
}

fn segments_of<T: DeserializeOwned>(segments: &RawPathParams) -> Result<T, Problem> {
    let pairs = segments.iter().map(|(key, value)| (key.to_owned(), value.to_owned()));
    T::deserialize(Reader::of_texts(pairs)).map_err(invalid)
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
