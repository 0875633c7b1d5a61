//! Bodies, queries and path segments, read so that every refusal has our body.
//!
//! The texts of serde repeat what was received; they are cut down to what was
//! expected before they leave.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::rejection::RawPathParamsRejection;
use axum::extract::{FromRequest, FromRequestParts, RawPathParams, Request};
use bytes::BytesMut;
use http::request::Parts;
use http::{HeaderMap, StatusCode, header};
use http_body_util::BodyExt;
use openscience_protocol::codes::api;
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde_path_to_error::Segment;

use crate::App;
use crate::problem::{Issue, Problem};

/// A body that is too long is read this far before the refusal, because most
/// clients do not read an answer before they have sent everything.
const DRAINED_BYTES_MAX: usize = 64 << 20;

/// A body that can say more about a fault than its type's deserializer.
pub(crate) trait JsonBody: DeserializeOwned {
    /// Finds faults inside values whose deserializer tells no place, such as variants by tag.
    fn locate(_body: &serde_json::Value) -> Option<Issue> {
        None
    }
}

/// A JSON body.
#[derive(Debug)]
pub(crate) struct Json<T>(pub(crate) T);

impl<T: JsonBody> FromRequest<App> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        let (parts, body) = request.into_parts();
        let bytes = read(body, app.runtime.limits().max_body_bytes).await?;
        parse(&parts.headers, &bytes).map(Self)
    }
}

async fn read(mut body: Body, limit: usize) -> Result<Bytes, Problem> {
    let too_large = || {
        let message = format!("the body is longer than {limit} bytes");
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, api::PAYLOAD_TOO_LARGE, message).with_limit(limit)
    };
    if body.size_hint().lower() > DRAINED_BYTES_MAX as u64 {
        return Err(too_large());
    }
    let mut kept = BytesMut::new();
    let mut size = 0_usize;
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|_| {
            Problem::new(StatusCode::BAD_REQUEST, api::INVALID_REQUEST, "the body was cut off")
        })?;
        let Ok(data) = frame.into_data() else { continue };
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
    let invalid_json =
        || Problem::new(StatusCode::BAD_REQUEST, api::INVALID_JSON, "the body is not valid JSON");
    let mut source = serde_json::Deserializer::from_slice(text);
    let value = serde_path_to_error::deserialize(&mut source).map_err(|error| {
        let path = path_text(error.path());
        let cause = error.into_inner();
        match cause.classify() {
            serde_json::error::Category::Data => {
                // Not valid JSON further on counts more than a wrong value before it.
                let Ok(whole) = serde_json::from_slice(text) else { return invalid_json() };
                let issue = T::locate(&whole).unwrap_or_else(|| issue(&path, &cause.to_string()));
                Problem::invalid(vec![issue])
            }
            serde_json::error::Category::Io
            | serde_json::error::Category::Syntax
            | serde_json::error::Category::Eof => invalid_json(),
        }
    })?;
    source.end().map_err(|_| invalid_json())?;
    // Structs can be read from lists too; a body is an object.
    if text.trim_ascii_start().first() != Some(&b'{') {
        return Err(Problem::invalid(vec![Issue::new("", "expected an object")]));
    }
    Ok(value)
}

/// True for `application/json` and `application/*+json`, with any parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let Some(value) = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    essence
        .strip_prefix("application/")
        .is_some_and(|subtype| subtype == "json" || subtype.ends_with("+json"))
}

/// The fault of one JSON value of a known type, if it has one, below `path`.
pub(crate) fn fault<T: DeserializeOwned>(path: &str, value: serde_json::Value) -> Option<Issue> {
    let error = serde_path_to_error::deserialize::<_, T>(value).err()?;
    let below = path_text(error.path());
    Some(issue(&joined(path, &below), &error.into_inner().to_string()))
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
    let source = serde_urlencoded::Deserializer::new(form_urlencoded::parse(text.as_bytes()));
    serde_path_to_error::deserialize(source).map_err(|error| {
        let path = path_text(error.path());
        Problem::invalid(vec![issue(&path, &error.into_inner().to_string())])
    })
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
    let source = MapDeserializer::<_, serde::de::value::Error>::new(segments.iter());
    serde_path_to_error::deserialize(source).map_err(|error| {
        let path = path_text(error.path());
        Problem::invalid(vec![issue(&path, &error.into_inner().to_string())])
    })
}

/// An issue from an error text of serde, without what the text repeats of the request.
fn issue(path: &str, text: &str) -> Issue {
    let text = without_position(text);
    if let Some(field) = quoted_after(text, "missing field ") {
        return Issue::new(joined(path, field), "required");
    }
    if let Some(field) = quoted_after(text, "duplicate field ") {
        return Issue::new(joined(path, field), "given more than once");
    }
    if let Some(key) = quoted_after(text, "unknown field ") {
        // The path ends in the key already, unless a tag hid it. Of all that is
        // received only the name of a key may come back, if it looks like one.
        let holder = path.strip_suffix(key).unwrap_or(path).trim_end_matches('.');
        let key = if is_key(key) { key } else { "" };
        return Issue::new(joined(holder, key), "unknown key");
    }
    if !text.starts_with("invalid type: ")
        && !text.starts_with("invalid value: ")
        && !text.starts_with("invalid length ")
        && !text.starts_with("unknown variant ")
    {
        // Texts of our own types and of number parsing repeat nothing.
        return Issue::new(path, text);
    }
    // The last `expected` is serde's: a received text can only stand before it.
    match text.rsplit_once(", expected ") {
        Some((_, expected)) => Issue::new(path, format!("expected {}", plain(expected))),
        None => Issue::new(path, "invalid"),
    }
}

fn without_position(text: &str) -> &str {
    match text.rsplit_once(" at line ") {
        Some((message, _)) => message,
        None => text,
    }
}

fn quoted_after<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    text.strip_prefix(prefix)?.strip_prefix('`')?.split('`').next()
}

fn is_key(text: &str) -> bool {
    text.len() <= 64 && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// What serde expects, in the words of JSON.
fn plain(expected: &str) -> &str {
    match expected {
        "u32" | "u64" | "usize" => "a whole number, 0 or more",
        "i64" => "a whole number",
        "a sequence" => "a list",
        "a map" => "an object",
        _ if expected.starts_with("struct ") || expected.starts_with("internally tagged enum ") => {
            "an object"
        }
        _ => expected,
    }
}

fn joined(path: &str, below: &str) -> String {
    match (path, below) {
        ("", _) => below.to_owned(),
        (_, "") => path.to_owned(),
        _ if below.starts_with('[') => format!("{path}{below}"),
        _ => format!("{path}.{below}"),
    }
}

/// A path such as `parts[0].text`.
fn path_text(path: &serde_path_to_error::Path) -> String {
    let mut text = String::new();
    for segment in path {
        let below = match segment {
            Segment::Seq { index } => format!("[{index}]"),
            Segment::Map { key } => key.clone(),
            Segment::Enum { variant } => variant.clone(),
            Segment::Unknown => continue,
        };
        text = joined(&text, &below);
    }
    text
}

#[cfg(test)]
#[path = "extract_tests.rs"]
mod tests;
