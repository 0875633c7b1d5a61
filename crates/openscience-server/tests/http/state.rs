//! The read model of sessions without agent.

use axum::body::Body;
use http_body_util::BodyExt;
use openscience_protocol::Limits;
use openscience_server::ServerConfig;
use serde_json::json;
use tower::ServiceExt;

use crate::{daemon, daemon_with, request};

#[tokio::test]
async fn an_empty_session_has_metadata_and_nothing_else() {
    let daemon = daemon().await;
    let id = daemon.session().await;
    let state = daemon.get(&format!("/session/{id}/state")).await.json();
    let metadata = json!({
        "id": id, "title": "New session", "config": {}, "availableCommands": [], "agentConfigOptions": [],
    });
    let expected = json!({
        "sessionID": id, "revision": 0, "threads": [], "diffs": [], "terminals": [], "toolCalls": [],
        "operations": [], "permissions": [], "metadata": metadata,
    });
    assert_eq!(state, expected);
    assert_eq!(daemon.get(&format!("/session/{id}/state/metadata")).await.json(), metadata);
    assert_eq!(daemon.get(&format!("/session/{id}/state/diffs?path=a")).await.json(), json!([]));
}

#[tokio::test]
async fn what_is_asked_wrongly_is_refused() {
    let daemon = daemon().await;
    let id = daemon.session().await;
    daemon.get("/session/nope/state").await.assert_refused(400, "invalid_request");
    daemon.get("/session/ses_none/state").await.assert_refused(404, "session_not_found");
    let wait = format!("/session/{id}/state/terminals/ter_1/wait?timeoutMs=soon");
    daemon.post(&wait, &json!({})).await.assert_refused(400, "invalid_request");
    let other = daemon.directory.parent().unwrap().join("other");
    std::fs::create_dir(&other).unwrap();
    let elsewhere = format!("/session/{id}/state?directory={}", other.to_str().unwrap());
    daemon.get(&elsewhere).await.assert_refused(404, "session_not_found");
    let patch = daemon.send_json("PATCH", &format!("/session/{id}/state"), &json!({})).await;
    patch.assert_refused(405, "method_not_allowed");
}

#[tokio::test]
async fn followers_are_told_of_a_rename_and_count_as_subscribers() {
    let limits = Limits { max_subscribers: 1, ..Limits::default() };
    let daemon = daemon_with(ServerConfig::default(), limits).await;
    let id = daemon.session().await;
    let path = format!("/session/{id}/state/events");
    let stream = request("GET", &path).body(Body::empty()).unwrap();
    let response = daemon.router.clone().oneshot(stream).await.unwrap();
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    let mut body = response.into_body();
    daemon.get(&path).await.assert_refused(429, "too_many_subscribers");
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.starts_with(b":"), "a comment comes at once");
    daemon.send_json("PATCH", &format!("/session/{id}"), &json!({ "title": "Two" })).await;
    let told = body.frame().await.unwrap().unwrap().into_data().unwrap();
    let told = String::from_utf8(told.to_vec()).unwrap();
    let data = told.strip_prefix("event: metadata_projection_updated\ndata: ").unwrap().trim_end();
    let update: serde_json::Value = serde_json::from_str(data).unwrap();
    assert_eq!((&update["metadata"]["title"], &update["revision"]), (&json!("Two"), &json!(1)));
    daemon.runtime.shutdown().await;
    assert!(body.frame().await.is_none());
    daemon.get(&path).await.assert_refused(503, "shutting_down");
}
