//! The event journal: a stretch of it, or all of it as it grows.

use axum::extract::State;
use axum::response::Response;
use axum::{Extension, Json as Answer};
use http::HeaderMap;
use openscience_protocol::{Replay, SessionId};
use openscience_runtime::Runtime;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::document::Selecting;
use crate::extract::Query;
use crate::problem::{Problem, ProblemBody};
use crate::routes::described::{Routes, routes};
use crate::select::{Project, SelectorHeaders, SelectorQuery};
use crate::serve::Stop;
use crate::sse::{self, heartbeat, over};

pub(crate) fn routes() -> Routes {
    Routes::new().routes(routes!(replay)).routes(routes!(events))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CursorQuery {
    #[serde(rename = "sessionID")]
    session_id: SessionId,
    /// Sequence of the last event already seen; all retained events if absent.
    #[serde(rename = "afterSequence")]
    #[param(value_type = Option<i64>, minimum = 0)]
    after_sequence: Option<String>,
}

/// Read retained events after a cursor.
///
/// At most about 16 MiB at once: go on from the last sequence until the answer is empty.
#[utoipa::path(
    get, path = "/runtime/events/replay", operation_id = "runtime.replay", tag = "runtime",
    params(CursorQuery, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "Events in order.", body = Replay),
        (status = 400, description = "invalid_request or invalid_cursor.", body = ProblemBody),
        (
            status = 409,
            description = "cursor_expired or cursor_ahead, with `oldestSequence` and `latestSequence`.",
            body = ProblemBody,
        ),
    ),
)]
async fn replay(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Query(query): Query<CursorQuery>,
) -> Result<Answer<Replay>, Problem> {
    let after = sse::query_cursor(query.after_sequence.as_deref())?;
    Ok(Answer(runtime.replay(&project, &query.session_id, after).await?))
}

/// Follow the events of a session.
///
/// Every retained event after the cursor, then each new one, each as a frame of `id` (the sequence),
/// `event` (the type) and `data` (a RuntimeEvent on one line). A `Last-Event-ID` header that is not
/// empty beats `afterSequence`. Comments keep the stream alive; it does not end with a run.
#[utoipa::path(
    get, path = "/runtime/events", operation_id = "runtime.events", tag = "runtime",
    params(
        CursorQuery, SelectorQuery, SelectorHeaders,
        ("Last-Event-ID" = Option<String>, Header, description = "Sequence of the last event already seen."),
    ),
    responses(
        Selecting,
        (status = 200, description = "Frames of events.", body = String, content_type = "text/event-stream"),
        (status = 400, description = "invalid_request or invalid_cursor.", body = ProblemBody),
        (
            status = 409,
            description = "cursor_expired or cursor_ahead, with `oldestSequence` and `latestSequence`.",
            body = ProblemBody,
        ),
        (status = 429, description = "too_many_subscribers: come back after `Retry-After` seconds.", body = ProblemBody),
    ),
)]
async fn events(
    Project(project): Project,
    State(runtime): State<Runtime>,
    stop: Option<Extension<Stop>>,
    headers: HeaderMap,
    Query(query): Query<CursorQuery>,
) -> Result<Response, Problem> {
    let after = sse::stream_cursor(&headers, query.after_sequence.as_deref())?;
    let frames = runtime.follow(&project, &query.session_id, after).await?;
    Ok(sse::respond(frames, heartbeat(&runtime), over(runtime, stop)))
}
