//! Bodies that are not what their route reads.

use axum::body::Body;
use openscience_protocol::Limits;
use openscience_server::ServerConfig;
use serde_json::json;

use crate::{daemon, daemon_with, request};

#[tokio::test]
async fn broken_json_is_invalid_json() {
    let broken = request("POST", "/runtime/prompt").header("content-type", "application/json");
    let answer = daemon().await.send(broken.body(Body::from("{")).unwrap()).await;
    answer.assert_refused(400, "invalid_json");
}

#[tokio::test]
async fn a_body_of_another_type_is_refused_but_an_empty_one_is_an_empty_object() {
    let daemon = daemon().await;
    let text = request("POST", "/session").header("content-type", "text/plain");
    daemon.send(text.body(Body::from("{}")).unwrap()).await.assert_refused(415, "unsupported_media_type");
    let empty = daemon.send(request("POST", "/session").body(Body::empty()).unwrap()).await;
    assert!(empty.json()["id"].is_string());
    let empty = daemon.send(request("POST", "/runtime/cancel").body(Body::empty()).unwrap()).await;
    empty.assert_refused(400, "invalid_request");
}

#[tokio::test]
async fn a_body_over_the_limit_is_too_large() {
    let limits = Limits { max_body_bytes: 64, ..Limits::default() };
    let daemon = daemon_with(ServerConfig::default(), limits).await;
    let answer = daemon.post("/session", &json!({ "title": "x".repeat(64) })).await;
    answer.assert_refused(413, "payload_too_large");
    assert_eq!(answer.json()["limit"], 64);
}

#[tokio::test]
async fn an_invalid_body_is_told_where_and_without_what_was_sent() {
    let daemon = daemon().await;
    let body = json!({ "sessionID": "ses_a", "effort": "secret", "message": "also secret" });
    let answer = daemon.post("/runtime/prompt", &body).await;
    answer.assert_refused(400, "invalid_request");
    let problem = answer.json();
    assert_eq!(problem["success"], false);
    assert_eq!(problem["issues"][0]["path"], "effort");
    assert!(!problem.to_string().contains("secret"), "{problem}");
}

#[tokio::test]
async fn an_invalid_query_is_told_where() {
    let answer = daemon().await.get("/session?roots=yes").await;
    answer.assert_refused(400, "invalid_request");
    assert_eq!(answer.json()["issues"][0]["path"], "roots");
}
