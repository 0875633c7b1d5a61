//! Which project a request is about.

use axum::body::Body;
use http::StatusCode;
use serde_json::json;

use crate::{daemon, request};

#[tokio::test]
async fn a_request_that_selects_nothing_is_about_the_daemons_own_directory() {
    let daemon = daemon().await;
    let answer = daemon.get("/project/current").await;
    assert_eq!(answer.json()["worktree"], daemon.directory.to_str().unwrap());
}

#[tokio::test]
async fn the_query_beats_the_header() {
    let daemon = daemon().await;
    let other = daemon.directory.join("other");
    std::fs::create_dir(&other).unwrap();
    let path = format!("/project/current?directory={}", other.display());
    let both = request("GET", &path).header("x-openscience-directory", daemon.directory.to_str().unwrap());
    let answer = daemon.send(both.body(Body::empty()).unwrap()).await;
    assert_eq!(answer.json()["worktree"], other.to_str().unwrap());
}

#[tokio::test]
async fn a_directory_that_does_not_exist_is_refused_by_name_and_not_recorded() {
    let daemon = daemon().await;
    let answer = daemon.get("/session?directory=/nonexistent/place").await;
    answer.assert_refused(400, "directory_invalid");
    assert_eq!(answer.json()["name"], "ProjectDirectoryError");
    assert_eq!(answer.json()["data"], json!({ "directory": "/nonexistent/place" }));
    let known = daemon.get("/project").await.json().to_string();
    assert!(!known.contains("/nonexistent/place"), "{known}");
}

#[tokio::test]
async fn an_unknown_project_and_a_malformed_one_are_two_things() {
    let daemon = daemon().await;
    let unknown = daemon.get("/session?project=prj_unknown").await;
    unknown.assert_refused(404, "project_not_found");
    assert_eq!(unknown.json()["name"], "ProjectUnknownError");
    daemon.get("/session?project=nope").await.assert_refused(400, "invalid_request");
}

#[tokio::test]
async fn a_repeated_directory_is_refused() {
    let answer = daemon().await.get("/session?directory=/a&directory=/b").await;
    answer.assert_refused(400, "invalid_request");
}

#[tokio::test]
async fn routes_about_no_project_ignore_selectors() {
    let daemon = daemon().await;
    for path in ["/global/health", "/doc", "/project"] {
        let answer = daemon.get(&format!("{path}?directory=/nonexistent/place")).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
    }
}

#[tokio::test]
async fn a_project_is_selected_before_the_request_is_looked_at() {
    let answer = daemon().await.get("/runtime/run?directory=/nonexistent/place").await;
    answer.assert_refused(400, "directory_invalid");
}
