//! Agents, questions and late answers, as far as no agent is at work.

use axum::body::Body;
use serde_json::json;

use crate::{daemon, request};

#[tokio::test]
async fn an_agent_is_shown_by_its_id_and_by_its_alias() {
    let daemon = daemon().await;
    let agent = json!({
        "id": "sim", "source": "built_in", "builtIn": true, "default": true, "type": "sim",
        "command": "/nonexistent/agent", "args": [], "env": ["KEY"], "installed": false,
        "problem": "command not found: /nonexistent/agent",
    });
    assert_eq!(daemon.get("/agent").await.json(), json!([agent]));
    assert_eq!(daemon.get("/agent/sim").await.json(), agent);
    assert_eq!(daemon.get("/agent/simulator").await.json(), agent);
    daemon.get("/agent/none").await.assert_refused(404, "agent_not_found");
}

#[tokio::test]
async fn a_process_that_is_not_there_cannot_be_ended() {
    let daemon = daemon().await;
    assert_eq!(daemon.get("/agent/connection").await.json(), json!([]));
    let end = request("DELETE", "/agent/connection/con_none").body(Body::empty()).unwrap();
    daemon.send(end).await.assert_refused(404, "connection_not_found");
}

#[tokio::test]
async fn nothing_that_does_not_wait_can_be_answered() {
    let daemon = daemon().await;
    assert_eq!(daemon.get("/question").await.json(), json!([]));
    for (path, body) in [
        ("/permission/per_none/reply", json!({ "reply": "once", "unknown": 1 })),
        ("/question/que_none/reply", json!({ "answers": [["a"]] })),
        ("/question/que_none/reject", json!({})),
    ] {
        daemon.post(path, &body).await.assert_refused(409, "decision_expired");
    }
    let bare = request("POST", "/question/que_none/reject").body(Body::empty()).unwrap();
    daemon.send(bare).await.assert_refused(409, "decision_expired");
}

#[tokio::test]
async fn an_answer_that_is_none_is_refused() {
    let daemon = daemon().await;
    for (path, body) in [
        ("/permission/per_none/reply", json!({})),
        ("/permission/per_none/reply", json!({ "reply": "perhaps" })),
        ("/permission/per_none/reply", json!({ "reply": "once", "message": "m".repeat(100_001) })),
        ("/permission/nope/reply", json!({ "reply": "once" })),
        ("/question/que_none/reply", json!({ "answers": "a" })),
        ("/question/nope/reject", json!({})),
    ] {
        daemon.post(path, &body).await.assert_refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn there_are_no_compute_jobs() {
    assert_eq!(daemon().await.get("/settings/compute/jobs").await.json(), json!([]));
}
