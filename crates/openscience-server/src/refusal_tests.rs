use openscience_protocol::{ProjectId, SessionId, Workspace};
use openscience_runtime::error::AgentIds;

use openscience_runtime::error::TurnError;

use super::*;

fn session() -> SessionId {
    "ses_a".parse().unwrap()
}

fn project() -> ProjectId {
    "prj_a".parse().unwrap()
}

#[track_caller]
fn check(problem: impl Into<Problem>, status: u16, code: &str) {
    let problem = problem.into();
    let body = problem.to_json();
    assert_eq!((problem.status().as_u16(), body["code"].as_str().unwrap()), (status, code));
    assert!(body["error"].is_string() && body["message"].is_string(), "{body}");
}

#[test]
fn refusals_have_their_status_and_their_code() {
    check(SessionError::NotFound(session()), 404, "session_not_found");
    check(SessionError::MessageNotFound("msg_a".parse().unwrap()), 404, "message_not_found");
    check(SessionError::Deleting(session()), 409, "session_deleting");
    check(SessionError::ShuttingDown, 503, "shutting_down");
    check(CreateError::AgentNotFound(ids(1)), 400, "agent_not_found");
    check(CreateError::ParentNotFound(session()), 404, "session_not_found");
    check(CreateError::Conflict { session: session(), what: "agent" }, 409, "session_conflict");
    check(CreateError::Deleted(session()), 409, "session_deleted");
    check(SubmitError::Busy, 409, "session_busy");
    check(SubmitError::Conflict, 409, "request_conflict");
    check(SubmitError::QueueFull, 409, "queue_full");
    check(RunLookupError::TurnNotFound("trn_a".parse().unwrap()), 404, "turn_not_found");
    check(TurnError::NotFound("trn_a".parse().unwrap()), 404, "turn_not_found");
    check(TurnError::NotQueued("trn_a".parse().unwrap()), 409, "turn_not_queued");
    check(TurnError::NotOwned { url: None }, 409, "run_not_owned");
    let fault = |fault| SubmitError::Attachment(AttachError { place: "parts[0].url".to_owned(), fault });
    check(fault(AttachFault::Invalid("no".to_owned())), 400, "invalid_request");
    check(fault(AttachFault::Missing), 400, "attachment_not_found");
    check(fault(AttachFault::Incomplete), 400, "upload_incomplete");
    check(fault(AttachFault::TooLarge { limit: 1, size: 2 }), 413, "payload_too_large");
    check(fault(AttachFault::Outside), 403, "external_directory");
    check(fault(AttachFault::Full), 507, "storage_full");
    check(fault(AttachFault::Io(std::io::Error::other("x"))), 503, "store_unavailable");
    let upload = || "upl_a".parse().unwrap();
    check(FileError::from(UploadError::NotFound(upload())), 404, "upload_not_found");
    check(FileError::from(UploadError::Offset { at: 3 }), 409, "upload_offset");
    check(FileError::from(UploadError::Busy), 409, "upload_busy");
    check(FileError::from(UploadError::Sealed), 409, "upload_sealed");
    check(FileError::from(UploadError::Full), 507, "storage_full");
    check(FileError::InUse(upload()), 409, "upload_in_use");
    check(FileError::BeyondEnd, 400, "invalid_request");
    check(RunLookupError::RunNotFound("run_a".parse().unwrap()), 404, "run_not_found");
    check(DecideError::Conflict("per_a".parse().unwrap()), 409, "decision_conflict");
    check(DecideError::Expired("per_a".parse().unwrap()), 409, "decision_expired");
    check(DecideError::ScopeNotAvailable("per_a".parse().unwrap()), 400, "scope_not_available");
    check(DecideError::InvalidAnswer, 400, "invalid_answer");
}

#[test]
fn a_missing_record_is_not_found_by_error_and_by_name() {
    let body = Problem::from(RunLookupError::SessionNotFound(session())).to_json();
    assert_eq!(body["error"], "not_found");
    assert_eq!(body["name"], "NotFoundError");
    assert_eq!(body["data"]["message"], body["message"]);
}

#[test]
fn selection_fails_under_the_names_clients_know() {
    let named = |error: SelectError| {
        let body = Problem::from(error).to_json();
        (body["name"].as_str().unwrap().to_owned(), body["data"].clone())
    };
    let directory = SelectError::Directory { directory: "/nowhere".to_owned() };
    assert_eq!(named(directory), ("ProjectDirectoryError".to_owned(), json!({ "directory": "/nowhere" })));
    assert_eq!(
        named(SelectError::Unknown(project())),
        ("ProjectUnknownError".to_owned(), json!({ "projectID": "prj_a" }))
    );
    assert_eq!(
        named(SelectError::Stale(project(), "/gone".into())),
        (
            "ProjectStaleError".to_owned(),
            json!({ "projectID": "prj_a", "reason": "missing_directory", "directory": "/gone" })
        )
    );
    assert_eq!(
        named(SelectError::Mismatch(project(), "/other".into())),
        ("ProjectMismatchError".to_owned(), json!({ "projectID": "prj_a", "directory": "/other" }))
    );
    check(SelectError::Unknown(project()), 404, "project_not_found");
    check(SelectError::Stale(project(), "/gone".into()), 410, "project_stale");
}

fn ids(count: usize) -> AgentIds {
    AgentIds((0..count).map(|number| format!("a{number}").as_str().into()).collect())
}

#[test]
fn what_was_received_comes_back_bounded_or_not_at_all() {
    let long = "x".repeat(1_000_000);
    let message = |count| Problem::from(CreateError::AgentNotFound(ids(count))).to_json()["message"].clone();
    assert_eq!(message(2), "no agent of that id is configured or known to the registry; configured: a0, a1");
    assert!(message(1_000).as_str().unwrap().ends_with("a18, a19 and 980 more"));
    let problem = Problem::from(SelectError::Directory { directory: long });
    assert!(problem.to_json().to_string().len() < 5_000);
}

#[test]
fn another_workspace_is_told_with_both() {
    let error = CreateError::WorkspaceMismatch {
        session: session(),
        workspace: Workspace::Isolated,
        requested: Workspace::Project,
    };
    let problem = Problem::from(error);
    assert_eq!(problem.status(), StatusCode::CONFLICT);
    assert_eq!(
        problem.to_json(),
        json!({
            "error": "workspace_mismatch",
            "code": "workspace_mismatch",
            "message": "session ses_a exists with workspace isolated",
            "name": "SessionWorkspaceMismatchError",
            "data": { "sessionID": "ses_a", "workspace": "isolated", "requested": "project" },
        })
    );
}

#[test]
fn a_refused_cursor_tells_the_bounds_of_the_journal() {
    let expired = Problem::from(FollowError::Expired { oldest: 5, latest: 9 }).to_json();
    assert_eq!(expired["error"], "cursor_expired");
    assert_eq!((&expired["oldestSequence"], &expired["latestSequence"]), (&json!(5), &json!(9)));
    let ahead = Problem::from(FollowError::Ahead { oldest: 1, latest: 0 }).to_json();
    assert_eq!(ahead["error"], "cursor_ahead");
    assert_eq!((&ahead["oldestSequence"], &ahead["latestSequence"]), (&json!(1), &json!(0)));
}

#[test]
fn too_many_of_something_says_when_to_come_back() {
    for problem in [Problem::from(SubmitError::TooManySessions), FollowError::TooManySubscribers.into()] {
        assert_eq!(problem.status(), StatusCode::TOO_MANY_REQUESTS);
        assert_eq!(problem.headers()[header::RETRY_AFTER], "1");
    }
}

#[test]
fn a_decision_of_another_process_names_it_if_it_is_known() {
    let at = |url: Option<&str>| {
        let decision = "per_a".parse().unwrap();
        Problem::from(DecideError::NotOwned { decision, url: url.map(str::to_owned) }).to_json()
    };
    assert_eq!(at(Some("http://127.0.0.1:4097"))["url"], "http://127.0.0.1:4097");
    assert_eq!(at(None).get("url"), None);
}

#[test]
fn a_store_that_is_closed_or_broken_tells_nothing_of_itself() {
    check(SessionError::Store(StoreError::Closed), 503, "shutting_down");
    let corrupt = StoreError::Corrupt { table: "session", column: "title", row: "ses_a".to_owned() };
    let problem = Problem::from(SessionError::Store(corrupt));
    assert_eq!(problem.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!problem.to_json().to_string().contains("title"));
}
