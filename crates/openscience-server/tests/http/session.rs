//! Sessions that no agent has worked in.

use axum::body::Body;
use http::StatusCode;
use serde_json::json;

use crate::{daemon, request};

#[tokio::test]
async fn a_session_can_be_made_read_and_listed() {
    let daemon = daemon().await;
    let made = daemon.post("/session", &json!({ "title": "Title", "workspace": "project" })).await;
    assert_eq!(made.status, StatusCode::OK);
    let session = made.json();
    assert_eq!(session["title"], "Title");
    assert_eq!(session["workspace"], "project");
    assert_eq!(session["directory"], daemon.directory.to_str().unwrap());
    let id = session["id"].as_str().unwrap();

    assert_eq!(daemon.get(&format!("/session/{id}")).await.json(), session);
    assert_eq!(daemon.get("/session").await.json(), json!([session]));
    assert_eq!(daemon.get(&format!("/session/{id}/children")).await.json(), json!([]));
    assert_eq!(daemon.get(&format!("/session/{id}/message?limit=0")).await.json(), json!([]));
    assert_eq!(daemon.get(&format!("/session/{id}/todo")).await.json(), json!([]));
    assert_eq!(daemon.get("/session/status").await.json(), json!({}));
    assert_eq!(daemon.get("/permission").await.json(), json!([]));
}

#[tokio::test]
async fn a_list_in_pages_names_where_the_next_begins() {
    let daemon = daemon().await;
    let (older, newer) = (daemon.session().await, daemon.session().await);
    let first = daemon.get("/session?limit=1").await;
    assert_eq!(first.json()[0]["id"], newer.as_str());
    let next = first.header("x-next-cursor");
    let second = daemon.get(&format!("/session?limit=1&before={next}")).await;
    assert_eq!(second.json()[0]["id"], older.as_str());
    assert_eq!(second.header("x-next-cursor"), "");
}

#[tokio::test]
async fn a_session_of_a_given_id_is_made_once() {
    let daemon = daemon().await;
    let body = json!({ "id": "ses_mine", "workspace": "project" });
    let first = daemon.post("/session", &body).await.json();
    assert_eq!(daemon.post("/session", &body).await.json(), first);
    let other = daemon.post("/session", &json!({ "id": "ses_mine", "workspace": "isolated" })).await;
    other.assert_refused(409, "workspace_mismatch");
    assert_eq!(other.json()["name"], "SessionWorkspaceMismatchError");
}

#[tokio::test]
async fn a_session_can_be_renamed_pinned_and_deleted() {
    let daemon = daemon().await;
    let path = format!("/session/{}", daemon.session().await);
    let change = json!({ "title": "New", "time": { "pinned": 7 } });
    let changed = daemon.send_json("PATCH", &path, &change).await.json();
    assert_eq!((&changed["title"], &changed["time"]["pinned"]), (&json!("New"), &json!(7)));
    let cleared = daemon.send_json("PATCH", &path, &json!({ "time": { "pinned": 0 } })).await.json();
    assert_eq!(cleared["time"].get("pinned"), None);

    let deleted = daemon.send(request("DELETE", &path).body(Body::empty()).unwrap()).await;
    assert_eq!(deleted.json(), json!(true));
    daemon.get(&path).await.assert_refused(404, "session_not_found");
}

#[tokio::test]
async fn a_missing_session_and_a_malformed_id_are_two_things() {
    let daemon = daemon().await;
    for below in ["", "/message", "/message/msg_a", "/todo", "/children"] {
        daemon.get(&format!("/session/ses_a{below}")).await.assert_refused(404, "session_not_found");
        let malformed = daemon.get(&format!("/session/nope{below}")).await;
        malformed.assert_refused(400, "invalid_request");
        assert_eq!(malformed.json()["issues"][0]["path"], "id");
    }
    daemon.get("/session/ses_..%2F..%2Fetc").await.assert_refused(400, "invalid_request");
}

#[tokio::test]
async fn an_abort_of_an_idle_session_is_fine_and_its_body_is_ignored() {
    let daemon = daemon().await;
    let path = format!("/session/{}/abort", daemon.session().await);
    let text = request("POST", &path).header("content-type", "text/plain");
    let answer = daemon.send(text.body(Body::from("whatever")).unwrap()).await;
    assert_eq!((answer.status, answer.json()), (StatusCode::OK, json!(true)));
    daemon.post("/session/ses_a/abort", &json!({})).await.assert_refused(404, "session_not_found");
}

#[tokio::test]
async fn an_unknown_agent_and_what_is_not_built_are_refused() {
    let daemon = daemon().await;
    daemon.post("/session", &json!({ "agent": "nope" })).await.assert_refused(400, "agent_not_found");
    let later = daemon.post("/session", &json!({ "workingRoot": "/x" })).await;
    later.assert_refused(400, "not_available");
}
