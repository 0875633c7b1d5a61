//! The limit server: the least that does the daemon's work on the same stack.
//!
//! Rows in SQLite with `synchronous=FULL`, one writing thread with group commit,
//! every event framed once and sent to all readers as it is. It has no sessions to
//! speak of, no agents, receipts, guards or validation: nobody could use it, and
//! nothing that does the work can be much faster.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::{Body, Bytes};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::serve::ListenerExt as _;
use futures_util::{StreamExt as _, stream};
use tokio::net::TcpListener;
use tokio::sync::broadcast;
use tokio_stream::wrappers::BroadcastStream;

use crate::limit_store::{Store, Write};

/// As many events as the daemon keeps for replay.
pub(crate) const WINDOW: usize = 2_048;
/// Frames a reader may lag behind; more than any case writes.
const BACKLOG: usize = 4_096;

const EVENT_STREAM: [(&str, &str); 1] = [("content-type", "text/event-stream")];
const JSON: [(&str, &str); 1] = [("content-type", "application/json")];

#[derive(Clone)]
struct App {
    store: Store,
    live: broadcast::Sender<Bytes>,
    /// Framed windows by the length of their events; made once.
    windows: Arc<Mutex<HashMap<usize, Arc<Vec<Bytes>>>>>,
}

/// Serves until it is killed.
pub(crate) async fn serve(port: u16, data: &Path) -> anyhow::Result<()> {
    let app =
        App { store: Store::open(data)?, live: broadcast::Sender::new(BACKLOG), windows: Arc::default() };
    let routes = axum::Router::new()
        .route("/health", get(|| async { (JSON, r#"{"healthy":true}"#) }))
        .route("/session", post(create))
        .route("/append", post(append))
        .route("/events", get(events))
        .route("/replay", get(replay))
        .with_state(app);
    let listener = TcpListener::bind(("127.0.0.1", port)).await?;
    let listener = listener.tap_io(|socket| {
        // Without it a measurement shows the delay of the network stack, not ours.
        drop(socket.set_nodelay(true));
    });
    Ok(axum::serve(listener, routes).await?)
}

/// A session is a title with a number.
async fn create(State(app): State<App>, body: Bytes) -> Result<Response, StatusCode> {
    let body: serde_json::Value = serde_json::from_slice(&body).map_err(|_| StatusCode::BAD_REQUEST)?;
    let title = body.get("title").map(ToString::to_string).unwrap_or_default();
    let number = app.store.write(Write::Session(title.clone())).await?;
    Ok((JSON, format!(r#"{{"id":"ses_{number:016x}","title":{title}}}"#)).into_response())
}

/// Durable first, then told to every reader.
async fn append(State(app): State<App>, body: Bytes) -> Result<Response, StatusCode> {
    let sequence = app.store.write(Write::Event(body.clone())).await?;
    let mut frame = format!("id: {sequence}\ndata: ").into_bytes();
    frame.extend_from_slice(&body);
    frame.extend_from_slice(b"\n\n");
    // Without readers nobody needs to be told.
    drop(app.live.send(frame.into()));
    Ok((JSON, format!(r#"{{"sequence":{sequence}}}"#)).into_response())
}

/// Live frames, after a comment at once.
async fn events(State(app): State<App>) -> Response {
    let live = BroadcastStream::new(app.live.subscribe()).filter_map(|frame| async { frame.ok() });
    let frames = stream::iter([Bytes::from_static(b": connected\n\n")]).chain(live);
    (EVENT_STREAM, Body::from_stream(frames.map(Ok::<_, std::convert::Infallible>))).into_response()
}

/// A whole window, each event `bytes` long with its frame.
async fn replay(State(app): State<App>, Query(query): Query<HashMap<String, usize>>) -> Response {
    let window = app.window(query.get("bytes").copied().unwrap_or(360));
    let mut body = Vec::with_capacity(window.iter().map(Bytes::len).sum());
    for frame in window.iter() {
        body.extend_from_slice(frame);
    }
    (EVENT_STREAM, Body::from(body)).into_response()
}

impl App {
    fn window(&self, bytes: usize) -> Arc<Vec<Bytes>> {
        let mut windows = self.windows.lock().unwrap_or_else(PoisonError::into_inner);
        let made = windows
            .entry(bytes)
            .or_insert_with(|| Arc::new((1..=WINDOW).map(|sequence| frame(sequence, bytes)).collect()));
        Arc::clone(made)
    }
}

fn frame(sequence: usize, bytes: usize) -> Bytes {
    let head =
        format!("id: {sequence}\nevent: message.part.updated\ndata: {{\"sequence\":{sequence},\"text\":\"");
    let text = "x".repeat(bytes.saturating_sub(head.len() + "\"}\n\n".len()));
    format!("{head}{text}\"}}\n\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_as_long_as_asked_for() {
        for sequence in [1, 2_048] {
            assert_eq!(frame(sequence, 360).len(), 360);
        }
        assert!(frame(1, 5).ends_with(b"\"\"}\n\n"));
    }
}
