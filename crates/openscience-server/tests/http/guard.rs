//! What every request meets before its route.

use axum::body::Body;
use http::StatusCode;
use openscience_protocol::Limits;
use openscience_server::ServerConfig;
use serde_json::{Value, json};

use crate::{Daemon, daemon, daemon_with, request};

async fn with_token() -> Daemon {
    let config = ServerConfig {
        token: Some("secret".to_owned()),
        version: "1.2.3".to_owned(),
        run_id: "local-7".to_owned(),
        ..ServerConfig::default()
    };
    daemon_with(config, Limits::default()).await
}

#[tokio::test]
async fn health_answers_without_a_token_and_with_every_key() {
    let answer = with_token().await.get("/global/health").await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(
        answer.json(),
        json!({
            "healthy": true, "version": "1.2.3", "sourceSha": null, "sourceWorktreeHash": null,
            "runId": "local-7",
        })
    );
}

#[tokio::test]
async fn every_other_route_needs_the_token_even_one_that_does_not_exist() {
    let daemon = with_token().await;
    for path in ["/runtime/capabilities", "/doc", "/nothing"] {
        let answer = daemon.get(path).await;
        answer.assert_refused(401, "unauthorized");
        assert_eq!(answer.json()["error"], "Unauthorized");
        assert_eq!(answer.header("www-authenticate"), "Bearer realm=\"openscience\"");
    }
    let allowed = request("GET", "/runtime/capabilities").header("authorization", "bearer secret");
    let answer = daemon.send(allowed.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.json()["protocolVersion"], "1.0");
}

#[tokio::test]
async fn another_host_is_refused_before_anything_else() {
    let daemon = with_token().await;
    let foreign = http::Request::builder().uri("/doc").header("host", "evil.example");
    let answer = daemon.send(foreign.body(Body::empty()).unwrap()).await;
    answer.assert_refused(403, "forbidden_host");
    assert_eq!(answer.json()["error"], "Forbidden host");
}

#[tokio::test]
async fn another_origin_is_refused_and_cannot_read_why() {
    let daemon = daemon().await;
    let foreign = request("GET", "/global/health").header("origin", "https://evil.example");
    let answer = daemon.send(foreign.body(Body::empty()).unwrap()).await;
    answer.assert_refused(403, "forbidden_origin");
    assert_eq!(answer.header("access-control-allow-origin"), "");
}

#[tokio::test]
async fn an_allowed_origin_is_echoed_on_answers_and_refusals() {
    let daemon = with_token().await;
    for path in ["/global/health", "/runtime/capabilities"] {
        let local = request("GET", path).header("origin", "http://localhost:5173");
        let answer = daemon.send(local.body(Body::empty()).unwrap()).await;
        assert_eq!(answer.header("access-control-allow-origin"), "http://localhost:5173", "{path}");
        assert_eq!(answer.header("vary"), "Origin", "{path}");
    }
}

#[tokio::test]
async fn a_preflight_is_answered_without_a_token() {
    let preflight = request("OPTIONS", "/runtime/prompt")
        .header("origin", "http://localhost:5173")
        .header("access-control-request-method", "POST")
        .header("access-control-request-headers", "authorization,content-type");
    let answer = with_token().await.send(preflight.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::NO_CONTENT);
    assert_eq!(answer.header("access-control-allow-origin"), "http://localhost:5173");
    assert_eq!(answer.header("access-control-allow-methods"), "GET,HEAD,PUT,POST,DELETE,PATCH");
    assert_eq!(answer.header("access-control-allow-headers"), "authorization,content-type");
}

#[tokio::test]
async fn an_unknown_route_is_named() {
    let answer = daemon().await.get("/nothing/here?x=1").await;
    answer.assert_refused(404, "not_found");
    assert_eq!(answer.json()["error"], "not_found");
    assert_eq!(answer.json()["path"], "/nothing/here");
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_ones() {
    let daemon = daemon().await;
    let answer = daemon.send(request("DELETE", "/session").body(Body::empty()).unwrap()).await;
    answer.assert_refused(405, "method_not_allowed");
    let mut allowed: Vec<&str> = answer.header("allow").split(',').collect();
    allowed.sort_unstable();
    assert_eq!(allowed, ["GET", "HEAD", "POST"]);
}

#[tokio::test]
async fn a_slash_at_the_end_changes_nothing() {
    let daemon = daemon().await;
    assert_eq!(daemon.get("/global/health/").await.status, StatusCode::OK);
    assert_eq!(daemon.get("/session/?roots=true").await.json(), json!([]));
    assert_eq!(daemon.get("/session/status/").await.json(), json!({}));
}

#[tokio::test]
async fn head_is_get_without_a_body() {
    let answer = daemon().await.send(request("HEAD", "/session").body(Body::empty()).unwrap()).await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.header("content-type"), "application/json");
    assert!(answer.body.is_empty());
}

#[tokio::test]
async fn the_document_is_served() {
    let answer = daemon().await.get("/doc").await;
    assert_eq!(answer.header("content-type"), "application/json");
    assert_eq!(answer.json(), serde_json::from_str::<Value>(&openscience_server::openapi()).unwrap());
}
