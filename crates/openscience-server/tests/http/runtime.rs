//! The runtime protocol, as far as it needs no agent.

use axum::body::Body;
use http::StatusCode;
use http_body_util::BodyExt;
use serde_json::json;
use tower::ServiceExt;

use crate::{daemon, request};

#[tokio::test]
async fn capabilities_name_the_protocol() {
    let answer = daemon().await.get("/runtime/capabilities").await.json();
    assert_eq!(answer["protocolVersion"], "1.0");
    assert_eq!(answer["eventRetention"], 2048);
    assert_eq!(answer["decisionScope"], "connected_runtime");
}

#[tokio::test]
async fn a_fresh_session_has_an_empty_snapshot_and_an_empty_journal() {
    let daemon = daemon().await;
    let id = daemon.session().await;
    let snapshot = daemon.get(&format!("/runtime/snapshot?sessionID={id}")).await.json();
    assert_eq!(snapshot["sessionID"], id.as_str());
    assert_eq!((&snapshot["oldestSequence"], &snapshot["latestSequence"]), (&json!(1), &json!(0)));
    assert_eq!(snapshot["runs"], json!([]));
    for cursor in ["", "&afterSequence=0"] {
        let replay = daemon.get(&format!("/runtime/events/replay?sessionID={id}{cursor}")).await.json();
        assert_eq!(replay, json!({ "events": [], "oldestSequence": 1, "latestSequence": 0 }));
    }
}

#[tokio::test]
async fn a_cursor_ahead_of_the_journal_is_refused_before_a_stream_begins() {
    let daemon = daemon().await;
    let id = daemon.session().await;
    for route in ["/runtime/events", "/runtime/events/replay"] {
        let answer = daemon.get(&format!("{route}?sessionID={id}&afterSequence=1")).await;
        answer.assert_refused(409, "cursor_ahead");
        assert_eq!(answer.json()["error"], "cursor_ahead");
        assert_eq!(answer.json()["latestSequence"], 0);
    }
}

#[tokio::test]
async fn a_cursor_that_is_no_number_is_invalid() {
    let daemon = daemon().await;
    let id = daemon.session().await;
    for route in ["/runtime/events", "/runtime/events/replay"] {
        for cursor in ["", "-1", "1.5", "x"] {
            let answer = daemon.get(&format!("{route}?sessionID={id}&afterSequence={cursor}")).await;
            answer.assert_refused(400, "invalid_cursor");
        }
    }
    let header = request("GET", &format!("/runtime/events?sessionID={id}")).header("last-event-id", "x");
    daemon.send(header.body(Body::empty()).unwrap()).await.assert_refused(400, "invalid_cursor");
}

#[tokio::test]
async fn events_of_an_unknown_session_are_not_found() {
    let daemon = daemon().await;
    for route in ["/runtime/events", "/runtime/events/replay", "/runtime/snapshot"] {
        let answer = daemon.get(&format!("{route}?sessionID=ses_a")).await;
        answer.assert_refused(404, "session_not_found");
        daemon.get(route).await.assert_refused(400, "invalid_request");
    }
}

#[tokio::test]
async fn a_stream_begins_with_a_comment_and_ends_with_the_runtime() {
    let daemon = daemon().await;
    let id = daemon.session().await;
    // Whatever a client accepts: some ask for JSON here.
    let follow =
        request("GET", &format!("/runtime/events?sessionID={id}")).header("accept", "application/json");
    let response = daemon.router.clone().oneshot(follow.body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["content-type"], "text/event-stream");
    assert_eq!(response.headers()["cache-control"], "no-cache");
    let mut body = response.into_body();
    let first = body.frame().await.unwrap().unwrap().into_data().unwrap();
    assert_eq!(first, ": connected\n\n");

    daemon.runtime.shutdown().await;
    body.collect().await.unwrap();
}

#[tokio::test]
async fn runs_that_do_not_exist_are_not_found() {
    let daemon = daemon().await;
    let id = daemon.session().await;
    let run = daemon.get(&format!("/runtime/run?sessionID={id}&runID=run_a")).await;
    run.assert_refused(404, "run_not_found");
    assert_eq!(run.json()["error"], "not_found");
    let cancel = daemon.post("/runtime/cancel", &json!({ "sessionID": id, "runID": "run_a" })).await;
    cancel.assert_refused(404, "run_not_found");
    let path = daemon.get(&format!("/runtime/run?sessionID={id}&runID=..%2Fa")).await;
    path.assert_refused(400, "invalid_request");
}

#[tokio::test]
async fn a_cancel_is_strict() {
    let body = json!({ "sessionID": "ses_a", "runID": "run_a", "force": true });
    let answer = daemon().await.post("/runtime/cancel", &body).await;
    answer.assert_refused(400, "invalid_request");
    assert_eq!(answer.json()["issues"][0]["path"], "force");
}

#[tokio::test]
async fn a_prompt_for_a_missing_session_is_not_found() {
    let body = json!({ "sessionID": "ses_a", "effort": "normal", "message": "hello" });
    daemon().await.post("/runtime/prompt", &body).await.assert_refused(404, "session_not_found");
}

#[tokio::test]
async fn a_development_agent_is_not_available() {
    let prompt = request("POST", "/runtime/prompt").header("x-openscience-dev-agent", "x");
    let answer = daemon().await.send(prompt.body(Body::empty()).unwrap()).await;
    answer.assert_refused(400, "dev_agent_unavailable");
}

#[tokio::test]
async fn a_decision_nobody_asked_for_has_expired() {
    let daemon = daemon().await;
    let id = daemon.session().await;
    let answer = json!({ "kind": "permission", "sessionID": id, "requestID": "per_a", "reply": "once" });
    daemon.post("/runtime/decision", &answer).await.assert_refused(409, "decision_expired");
}
