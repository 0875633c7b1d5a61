//! Streams without cursor, as far as they need no agent.

use axum::body::Body;
use http_body_util::BodyExt;
use openscience_protocol::Limits;
use openscience_server::ServerConfig;
use serde_json::{Value, json};
use tower::ServiceExt;

use crate::{Daemon, daemon, daemon_with, request};

/// A stream that was opened.
struct Stream(Body);

impl Stream {
    async fn open(daemon: &Daemon, path: &str) -> Self {
        let request = request("GET", path).body(Body::empty()).unwrap();
        let response = daemon.router.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        Self(response.into_body())
    }

    /// The next frame's data; none at the end.
    async fn next(&mut self) -> Option<Value> {
        let bytes = self.0.frame().await?.unwrap().into_data().unwrap();
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let data = text.strip_prefix("data: ").and_then(|rest| rest.strip_suffix("\n\n")).unwrap();
        Some(serde_json::from_str(data).unwrap())
    }
}

fn of_daemon(event_type: &str) -> Value {
    json!({ "type": event_type, "properties": {} })
}

#[tokio::test]
async fn a_session_is_told_as_it_comes_changes_and_goes() {
    let daemon = daemon().await;
    let mut project = Stream::open(&daemon, "/event").await;
    let mut global = Stream::open(&daemon, "/global/event").await;
    assert_eq!(project.next().await.unwrap(), of_daemon("server.connected"));
    assert_eq!(global.next().await.unwrap(), json!({ "payload": of_daemon("server.connected") }));

    let session = daemon.post("/session", &json!({ "title": "One" })).await.json();
    let path = format!("/session/{}", session["id"].as_str().unwrap());
    let renamed = daemon.send_json("PATCH", &path, &json!({ "title": "Two" })).await.json();
    daemon.send(request("DELETE", &path).body(Body::empty()).unwrap()).await;
    let mut told = Vec::new();
    for _ in 0..3 {
        let fact = project.next().await.unwrap();
        let whole = json!({ "directory": daemon.directory.to_str().unwrap(), "payload": fact });
        assert_eq!(global.next().await.unwrap(), whole);
        told.push(fact);
    }
    let fact = |event_type: &str, info: &Value| json!({ "type": event_type, "properties": { "info": info } });
    let expected = [
        fact("session.created", &session),
        fact("session.updated", &renamed),
        fact("session.deleted", &renamed),
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn another_project_is_not_heard() {
    let daemon = daemon().await;
    let other = daemon.directory.parent().unwrap().join("other");
    std::fs::create_dir(&other).unwrap();
    let elsewhere = format!("/event?directory={}", other.to_str().unwrap());
    let mut stream = Stream::open(&daemon, &elsewhere).await;
    daemon.session().await;
    let own = format!("/session?directory={}", other.to_str().unwrap());
    let session = daemon.post(&own, &json!({})).await.json();
    stream.next().await.unwrap();
    assert_eq!(stream.next().await.unwrap()["properties"]["info"], session);
}

#[tokio::test]
async fn a_silent_stream_beats_in_data() {
    let limits = Limits { heartbeat_ms: 1, ..Limits::default() };
    let daemon = daemon_with(ServerConfig::default(), limits).await;
    let mut project = Stream::open(&daemon, "/event").await;
    let mut global = Stream::open(&daemon, "/global/event").await;
    for expected in ["server.connected", "server.heartbeat", "server.heartbeat"] {
        assert_eq!(project.next().await.unwrap(), of_daemon(expected));
        assert_eq!(global.next().await.unwrap(), json!({ "payload": of_daemon(expected) }));
    }
}

#[tokio::test]
async fn live_streams_count_as_subscribers_and_end_at_shutdown() {
    let limits = Limits { max_subscribers: 1, ..Limits::default() };
    let daemon = daemon_with(ServerConfig::default(), limits).await;
    let mut stream = Stream::open(&daemon, "/event").await;
    for path in ["/event", "/global/event"] {
        daemon.get(path).await.assert_refused(429, "too_many_subscribers");
    }
    stream.next().await.unwrap();
    daemon.runtime.shutdown().await;
    assert_eq!(stream.next().await, None);
    daemon.get("/global/event").await.assert_refused(503, "shutting_down");
}
