//! Bytes of an artifact as HTTP has them: whole, in part, or not again. What they are is not decided here.

use std::io::SeekFrom;

use axum::body::Body;
use axum::response::Response;
use bytes::BytesMut;
use futures_util::stream;
use http::header::{self, HeaderName};
use http::{HeaderMap, HeaderValue, StatusCode};
use openscience_protocol::VersionId;
use openscience_protocol::codes::api;
use openscience_runtime::artifacts::OpenArtifact;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Deserialize;
use tokio::io::{AsyncReadExt as _, AsyncSeekExt as _};
use utoipa::IntoParams;

use crate::problem::Problem;

/// Read at once.
const CHUNK_BYTES: u64 = 64 << 10;

/// Whatever a file holds, a browser shows it as a page of its own that can do nothing.
const SANDBOX: &str = "sandbox; default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; \
                       font-src data:; media-src data: blob:";

/// What a name keeps as it is in a header.
const NAME: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RawQuery {
    /// Another version than the newest.
    #[serde(rename = "versionID")]
    #[param(rename = "versionID", value_type = Option<String>)]
    pub(crate) version_id: Option<VersionId>,
    /// To be saved, not shown.
    download: Option<bool>,
}

/// A part of the bytes: where it begins and how long it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    from: u64,
    length: u64,
}

/// What of the bytes is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Asked {
    All,
    Part(Span),
    /// No byte of it is there.
    Nothing,
}

/// The answer to a request for these bytes.
pub(crate) async fn answer(
    opened: OpenArtifact,
    query: &RawQuery,
    headers: &HeaderMap,
) -> Result<Response, Problem> {
    let OpenArtifact { file, size, mime_type, filename, sha256 } = opened;
    let tag = format!("\"sha256:{sha256}\"");
    let mut response = Response::new(Body::empty());
    describe(response.headers_mut(), &tag, &mime_type, &filename, query.download == Some(true));
    if names(headers, &header::IF_NONE_MATCH, &tag) {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        return Ok(response);
    }
    // A part is of no use to who has another beginning.
    let fits = !headers.contains_key(header::IF_RANGE) || names(headers, &header::IF_RANGE, &tag);
    let range = headers.get(header::RANGE).and_then(|range| range.to_str().ok()).filter(|_| fits);
    let span = match range.map_or(Asked::All, |range| asked(range, size)) {
        Asked::All => Span { from: 0, length: size },
        Asked::Part(span) => {
            *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            let last = span.from + span.length - 1;
            put(
                response.headers_mut(),
                &header::CONTENT_RANGE,
                &format!("bytes {}-{last}/{size}", span.from),
            );
            span
        }
        Asked::Nothing => return Err(unsatisfiable(size)),
    };
    let mut file = tokio::fs::File::from_std(file);
    file.seek(SeekFrom::Start(span.from)).await.map_err(|error| Problem::store_unavailable(&error))?;
    put(response.headers_mut(), &header::CONTENT_LENGTH, &span.length.to_string());
    *response.body_mut() = body(file, span.length);
    Ok(response)
}

fn unsatisfiable(size: u64) -> Problem {
    let message = "no byte of the range is there";
    let problem = Problem::new(StatusCode::RANGE_NOT_SATISFIABLE, api::RANGE_NOT_SATISFIABLE, message);
    match HeaderValue::from_str(&format!("bytes */{size}")) {
        Ok(value) => problem.with_header(header::CONTENT_RANGE, value),
        Err(_) => problem,
    }
}

/// So many bytes of the file. One that has become shorter cuts the answer off.
fn body(file: tokio::fs::File, length: u64) -> Body {
    Body::from_stream(stream::try_unfold((file, length), |(mut file, left)| async move {
        if left == 0 {
            return Ok::<_, std::io::Error>(None);
        }
        let wanted = left.min(CHUNK_BYTES);
        let mut chunk = BytesMut::with_capacity(usize::try_from(wanted).unwrap_or_default());
        let read = (&mut file).take(wanted).read_buf(&mut chunk).await?;
        if read == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some((chunk.freeze(), (file, left - read as u64))))
    }))
}

fn describe(headers: &mut HeaderMap, tag: &str, mime_type: &str, filename: &str, download: bool) {
    let text = mime_type.starts_with("text/") && !mime_type.contains("charset");
    let charset = if text { "; charset=utf-8" } else { "" };
    put(headers, &header::CONTENT_TYPE, &format!("{mime_type}{charset}"));
    put(headers, &header::ETAG, tag);
    put(headers, &header::ACCEPT_RANGES, "bytes");
    put(headers, &header::X_CONTENT_TYPE_OPTIONS, "nosniff");
    put(headers, &header::CACHE_CONTROL, "private, no-store, max-age=0");
    put(headers, &header::CONTENT_SECURITY_POLICY, SANDBOX);
    let way = if download { "attachment" } else { "inline" };
    let name = utf8_percent_encode(filename, NAME);
    put(headers, &header::CONTENT_DISPOSITION, &format!("{way}; filename*=UTF-8''{name}"));
}

/// Sets a header to a text of ours; one that cannot stand in a header is left out.
fn put(headers: &mut HeaderMap, name: &HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(name, value);
    }
}

/// True if the header names the tag among others, or any tag.
fn names(headers: &HeaderMap, name: &HeaderName, tag: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
    tags.any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known) == tag)
}

/// What a `Range` asks of so many bytes. More than one part, or another unit, is the whole.
fn asked(range: &str, size: u64) -> Asked {
    let Some(spec) = range.trim().strip_prefix("bytes=").filter(|spec| !spec.contains(',')) else {
        return Asked::All;
    };
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    let Some((first, last)) = spec.trim().split_once('-') else { return Asked::All };
    let (from, to) = match (first.is_empty(), number(first), number(last)) {
        // So many from the end.
        (true, _, Some(count)) => (size.saturating_sub(count), if count == 0 { 0 } else { size }),
        (false, Some(from), Some(last)) if last < from => return Asked::All,
        (false, Some(from), Some(last)) => (from, last.saturating_add(1).min(size)),
        (false, Some(from), None) if last.is_empty() => (from, size),
        (_, _, _) => return Asked::All,
    };
    if from < to { Asked::Part(Span { from, length: to - from }) } else { Asked::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_is_one_part_of_what_is_there() {
        let part = |from, length| Asked::Part(Span { from, length });
        for (range, expected) in [
            ("bytes=0-0", part(0, 1)),
            ("bytes=2-4", part(2, 3)),
            ("bytes=2-", part(2, 8)),
            ("bytes=2-99", part(2, 8)),
            ("bytes=-3", part(7, 3)),
            ("bytes=-99", part(0, 10)),
            ("bytes=9-9", part(9, 1)),
            ("bytes=10-", Asked::Nothing),
            ("bytes=10-20", Asked::Nothing),
            ("bytes=-0", Asked::Nothing),
            ("bytes=99999999999999999999-", Asked::Nothing),
            ("bytes=4-2", Asked::All),
            ("bytes=0-1,3-4", Asked::All),
            ("lines=0-1", Asked::All),
            ("bytes=", Asked::All),
            ("bytes=-", Asked::All),
            ("bytes=a-b", Asked::All),
            ("bytes=+1-2", Asked::All),
        ] {
            assert_eq!(asked(range, 10), expected, "{range}");
        }
        assert_eq!(asked("bytes=0-", 0), Asked::Nothing);
    }

    #[test]
    fn a_tag_is_found_among_others() {
        let sent = |value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::IF_NONE_MATCH, HeaderValue::from_static(value));
            names(&headers, &header::IF_NONE_MATCH, "\"sha256:a\"")
        };
        for good in ["\"sha256:a\"", "W/\"sha256:a\"", "\"x\", \"sha256:a\"", "*"] {
            assert!(sent(good), "{good}");
        }
        assert!(!sent("\"sha256:b\"") && !sent("sha256:a"));
    }
}
