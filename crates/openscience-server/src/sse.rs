//! An event stream on the wire: cursors in, frames, comments and heartbeats out.
//!
//! Which events come next is the runtime's to say; nothing is buffered here.

use std::time::Duration;

use axum::Extension;
use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures_util::{Stream, StreamExt};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use openscience_protocol::Sequence;
use openscience_protocol::codes::api;
use openscience_runtime::{Frames, ReadError, Runtime};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use crate::extract;
use crate::problem::Problem;
use crate::serve::Stop;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
const CONNECTED: Bytes = Bytes::from_static(b": connected\n\n");
const HEARTBEAT: Bytes = Bytes::from_static(b": heartbeat\n\n");

/// The sequence a stream goes on after. A `Last-Event-ID` that is not empty
/// beats the query: clients that reconnect advance only the header.
pub(crate) fn stream_cursor(headers: &HeaderMap, query: Option<&str>) -> Result<Option<Sequence>, Problem> {
    let only = extract::only(headers, LAST_EVENT_ID.as_str()).map_err(|_| invalid("Last-Event-ID"))?;
    match only.map(|value| value.as_bytes().trim_ascii()) {
        Some([]) | None => query_cursor(query),
        Some(bytes) => sequence(bytes, "Last-Event-ID").map(Some),
    }
}

/// The sequence of `afterSequence`.
pub(crate) fn query_cursor(query: Option<&str>) -> Result<Option<Sequence>, Problem> {
    query.map(|text| sequence(text.as_bytes(), "afterSequence")).transpose()
}

fn sequence(text: &[u8], place: &str) -> Result<Sequence, Problem> {
    let digits = text.iter().all(u8::is_ascii_digit).then(|| std::str::from_utf8(text).ok()).flatten();
    digits.and_then(|digits| digits.parse().ok()).ok_or_else(|| invalid(place))
}

fn invalid(place: &str) -> Problem {
    let message = format!("{place} must be a whole number, 0 or more");
    Problem::new(StatusCode::BAD_REQUEST, api::INVALID_CURSOR, message)
}

/// Answers with `frames` as they come, until they end or `ends` resolves.
pub(crate) fn respond(
    frames: impl Stream<Item = Result<Frames, ReadError>> + Send + 'static,
    heartbeat: Duration,
    ends: impl Future<Output = ()> + Send + 'static,
) -> Response {
    stream(chunks(frames, heartbeat, ends))
}

/// To whom a live stream tells, which decides its form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    Project,
    Global,
}

impl Told {
    fn connected(self) -> Bytes {
        Bytes::from_static(match self {
            Self::Project => b"data: {\"type\":\"server.connected\",\"properties\":{}}\n\n",
            Self::Global => b"data: {\"payload\":{\"type\":\"server.connected\",\"properties\":{}}}\n\n",
        })
    }

    fn heartbeat(self) -> Bytes {
        Bytes::from_static(match self {
            Self::Project => b"data: {\"type\":\"server.heartbeat\",\"properties\":{}}\n\n",
            Self::Global => b"data: {\"payload\":{\"type\":\"server.heartbeat\",\"properties\":{}}}\n\n",
        })
    }
}

/// Answers with live facts as they come and a heartbeat at each interval, until the facts end or
/// `ends` resolves.
pub(crate) fn respond_live(
    facts: impl Stream<Item = Bytes> + Send + 'static,
    told: Told,
    heartbeat: Duration,
    ends: impl Future<Output = ()> + Send + 'static,
) -> Response {
    stream(beating(facts, told.connected(), Beat::Always(told.heartbeat()), heartbeat, ends))
}

/// Answers with frames as they come and a comment in silence, until they end or `ends` resolves.
pub(crate) fn respond_frames(
    frames: impl Stream<Item = Bytes> + Send + 'static,
    heartbeat: Duration,
    ends: impl Future<Output = ()> + Send + 'static,
) -> Response {
    stream(beating(frames, CONNECTED, Beat::InSilence(HEARTBEAT), heartbeat, ends))
}

fn stream(chunks: impl Stream<Item = Bytes> + Send + 'static) -> Response {
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream")),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        (HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no")),
    ];
    (headers, Body::from_stream(chunks.map(Ok::<_, std::convert::Infallible>))).into_response()
}

/// A comment at once, then frames, and a comment whenever a heartbeat passes without one.
fn chunks(
    frames: impl Stream<Item = Result<Frames, ReadError>> + Send + 'static,
    heartbeat: Duration,
    ends: impl Future<Output = ()> + Send + 'static,
) -> impl Stream<Item = Bytes> + Send + 'static {
    let frames = frames.map(written).take_while(|frame| std::future::ready(frame.is_some()));
    let frames = frames.filter_map(std::future::ready);
    beating(frames, CONNECTED, Beat::InSilence(HEARTBEAT), heartbeat, ends)
}

/// How often streams show that they are alive.
pub(crate) fn heartbeat(runtime: &Runtime) -> Duration {
    Duration::from_millis(runtime.limits().heartbeat_ms)
}

/// Resolves when streams must end: the runtime stops, or the listener that serves them.
pub(crate) async fn over(runtime: Runtime, stop: Option<Extension<Stop>>) {
    let stopped = async {
        match stop {
            Some(Extension(stop)) => stop.requested().await,
            // Served by other means than our own listener.
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = runtime.stopping() => {}
        () = stopped => {}
    }
}

/// What keeps a stream alive, and when it is sent.
#[derive(Debug, Clone)]
enum Beat {
    /// When an interval passes without a frame.
    InSilence(Bytes),
    /// At each interval.
    Always(Bytes),
}

/// `first` at once, then frames as they come, and beats between them.
fn beating(
    frames: impl Stream<Item = Bytes> + Send + 'static,
    first: Bytes,
    beat: Beat,
    heartbeat: Duration,
    ends: impl Future<Output = ()> + Send + 'static,
) -> impl Stream<Item = Bytes> + Send + 'static {
    let period = heartbeat.max(Duration::from_millis(1));
    let mut beats = interval_at(Instant::now() + period, period);
    beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let (bytes, always) = match beat {
        Beat::InSilence(bytes) => (bytes, false),
        Beat::Always(bytes) => (bytes, true),
    };
    let state = (Box::pin(frames), Box::pin(ends), beats);
    let rest = futures_util::stream::unfold(state, move |(mut frames, mut ends, mut beats)| {
        let bytes = bytes.clone();
        async move {
            let chunk = tokio::select! {
                biased;
                () = &mut ends => return None,
                // Frames that never cease must not keep a beat away for ever.
                _ = beats.tick() => bytes,
                frame = frames.next() => {
                    if !always {
                        beats.reset();
                    }
                    frame?
                }
            };
            Some((chunk, (frames, ends, beats)))
        }
    });
    futures_util::stream::iter([first]).chain(rest)
}

/// The bytes to send; none if the stream is over and the client should come back with its cursor.
fn written(frames: Result<Frames, ReadError>) -> Option<Bytes> {
    match frames {
        Ok(frames) => Some(frames.bytes),
        Err(ReadError::Overtaken | ReadError::Gone) => None,
        Err(ReadError::Store(error)) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "an event stream could not go on");
            None
        }
    }
}

#[cfg(test)]
#[path = "sse_tests.rs"]
mod tests;
