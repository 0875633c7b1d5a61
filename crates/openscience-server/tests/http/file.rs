//! Files that clients hand over, and prompts that name them.

use axum::body::Body;
use http::StatusCode;
use openscience_protocol::Limits;
use openscience_server::ServerConfig;
use serde_json::{Value, json};

use crate::{Answer, Daemon, daemon, daemon_with, request};

impl Daemon {
    async fn send_bytes(&self, method: &str, path: &str, bytes: &[u8]) -> Answer {
        self.send(request(method, path).body(Body::from(bytes.to_vec())).unwrap()).await
    }

    async fn upload(&self, query: &str, bytes: &[u8]) -> Value {
        let answer = self.send_bytes("POST", &format!("/file/upload?{query}"), bytes).await;
        assert_eq!(answer.status, StatusCode::OK, "{:?}", answer.body);
        answer.json()
    }

    async fn prompt(&self, session: &str, key: &str, part: &Value) -> Answer {
        let body = json!({ "sessionID": session, "requestID": key, "effort": "normal", "parts": [part] });
        self.post("/runtime/prompt", &body).await
    }
}

fn path_of(upload: &Value) -> String {
    format!("/file/upload/{}", upload["id"].as_str().unwrap())
}

fn file(url: &str) -> Value {
    json!({ "type": "file", "mime": "text/plain", "url": url })
}

#[tokio::test]
async fn a_file_is_uploaded_shown_listed_and_removed() {
    let daemon = daemon().await;
    assert_eq!(daemon.get("/file/upload").await.json(), json!([]));
    let made = daemon.upload("filename=a%20b.csv", b"a,b\n1,2\n").await;
    assert_eq!((&made["filename"], &made["mime"]), (&json!("a b.csv"), &json!("text/csv")));
    assert_eq!((&made["size"], &made["offset"]), (&json!(8), &json!(8)));
    assert_eq!(made["url"], format!("upload:{}", made["id"].as_str().unwrap()));
    assert_eq!(made["sha256"], "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470");
    assert_eq!(daemon.get(&path_of(&made)).await.json(), made);
    assert_eq!(daemon.get("/file/upload").await.json(), json!([made]));
    let preview = daemon.get(&format!("{}/preview", path_of(&made))).await.json();
    assert_eq!((&preview["kind"], &preview["rows"]), (&json!("csv"), &json!([["a", "b"], ["1", "2"]])));
    let page = daemon.get(&format!("{}/preview?offset=4&maxBytes=4&encoding=base64", path_of(&made))).await;
    assert_eq!(page.json()["content"], "MSwyCg==");
    daemon.get(&format!("{}/preview?offset=9", path_of(&made))).await.assert_refused(400, "invalid_request");
    let gone = daemon.send_bytes("DELETE", &path_of(&made), b"").await;
    assert_eq!(gone.json(), json!(true));
    for method in ["GET", "DELETE"] {
        daemon.send_bytes(method, &path_of(&made), b"").await.assert_refused(404, "upload_not_found");
    }
    daemon.get("/file/upload/upl_a/preview").await.assert_refused(404, "upload_not_found");
    daemon.get("/file/upload/nope").await.assert_refused(400, "invalid_request");
}

#[tokio::test]
async fn a_file_in_pieces_goes_on_where_it_ended() {
    let daemon = daemon().await;
    let made = daemon.upload("filename=x.txt&size=6", b"abc").await;
    assert_eq!((&made["size"], &made["offset"], made.get("sha256")), (&json!(6), &json!(3), None));
    let path = path_of(&made);
    let wrong = daemon.send_bytes("PUT", &format!("{path}?offset=2"), b"def").await;
    wrong.assert_refused(409, "upload_offset");
    assert_eq!(wrong.json()["offset"], 3);
    daemon.send_bytes("PUT", &path, b"def").await.assert_refused(400, "invalid_request");
    let session = daemon.session().await;
    let url = made["url"].as_str().unwrap();
    daemon.prompt(&session, "a", &file(url)).await.assert_refused(400, "upload_incomplete");
    let over = daemon.send_bytes("PUT", &format!("{path}?offset=3"), b"defg").await;
    over.assert_refused(413, "payload_too_large");
    assert_eq!((&over.json()["limit"], &over.json()["size"]), (&json!(6), &json!(7)));
    let whole = daemon.send_bytes("PUT", &format!("{path}?offset=3"), b"def").await.json();
    assert_eq!(whole["sha256"], "bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721");

    assert_eq!(daemon.prompt(&session, "b", &file(url)).await.status, StatusCode::ACCEPTED);
    let sealed = daemon.send_bytes("PUT", &format!("{path}?offset=6"), b"g").await;
    sealed.assert_refused(409, "upload_sealed");
    daemon.send_bytes("DELETE", &path, b"").await.assert_refused(409, "upload_in_use");
}

#[tokio::test]
async fn limits_are_told_before_a_run_is_made() {
    let limits = Limits { max_upload_bytes: 10, max_body_bytes: 2_000, ..Limits::default() };
    let daemon = daemon_with(ServerConfig::default(), limits).await;
    let capabilities = daemon.get("/runtime/capabilities").await.json();
    assert_eq!(
        (&capabilities["files"]["maxUploadBytes"], &capabilities["files"]["maxBodyBytes"]),
        (&json!(10), &json!(2_000))
    );
    assert_eq!(capabilities["files"]["schemes"], json!(["data", "file", "upload"]));
    let over = daemon.send_bytes("POST", "/file/upload", b"12345678901").await;
    over.assert_refused(413, "payload_too_large");
    assert_eq!((&over.json()["limit"], &over.json()["size"]), (&json!(10), &json!(11)));
    assert_eq!(daemon.upload("", b"1234567890").await["filename"], "upload");
    assert_eq!(daemon.get("/file/upload").await.json().as_array().unwrap().len(), 1);

    let session = daemon.session().await;
    std::fs::write(daemon.directory.join("large.txt"), "12345678901").unwrap();
    let large = format!("file://{}/large.txt", daemon.directory.display());
    for (part, place) in [(file(&large), "parts[0].url"), (file("data:,12345678901"), "parts[0].url")] {
        let refused = daemon.prompt(&session, "a", &part).await;
        refused.assert_refused(413, "payload_too_large");
        let body = refused.json();
        assert_eq!(
            (&body["limit"], &body["size"], &body["issues"][0]["path"]),
            (&json!(10), &json!(11), &json!(place))
        );
    }
    let body = daemon.prompt(&session, "a", &file(&format!("data:,{}", "x".repeat(2_000)))).await;
    body.assert_refused(413, "payload_too_large");
    assert!(body.json()["message"].as_str().unwrap().contains("POST /file/upload"));
    let snapshot = daemon.get(&format!("/runtime/snapshot?sessionID={session}")).await.json();
    assert_eq!(snapshot["runs"], json!([]));
}

#[tokio::test]
async fn what_is_no_file_is_refused_with_its_place() {
    let daemon = daemon().await;
    let session = daemon.session().await;
    let below = |name: &str| format!("file://{}/{name}", daemon.directory.display());
    std::os::unix::fs::symlink("/etc/passwd", daemon.directory.join("out")).unwrap();
    rustix_fifo(&daemon.directory.join("pipe"));
    for (url, status, code) in [
        (below("missing.txt"), 400, "attachment_not_found"),
        ("upload:upl_none".to_owned(), 400, "attachment_not_found"),
        (below("pipe"), 400, "invalid_request"),
        ("https://a.example/".to_owned(), 400, "invalid_request"),
        ("data:text/plain;base64,?".to_owned(), 400, "invalid_request"),
        ("file:///etc/passwd".to_owned(), 403, "external_directory"),
        ("file:///etc/missing".to_owned(), 403, "external_directory"),
        (below("out"), 403, "external_directory"),
        (below("../../x"), 403, "external_directory"),
    ] {
        let refused = daemon.prompt(&session, "a", &file(&url)).await;
        refused.assert_refused(status, code);
        assert_eq!(refused.json()["issues"][0]["path"], "parts[0].url", "{url}");
        assert!(!String::from_utf8_lossy(&refused.body).contains("passwd"), "{url}");
    }
    let bad = json!({ "type": "file", "mime": "nonsense", "url": "data:,x" });
    daemon.prompt(&session, "a", &bad).await.assert_refused(400, "invalid_request");
    for part in [
        json!({ "type": "image", "mimeType": "text/plain", "data": "" }),
        json!({ "type": "audio", "mimeType": "audio/wav", "data": "?" }),
        json!({ "type": "resource", "uri": "x:y" }),
        json!({ "type": "resource", "uri": "x:y", "text": "a", "blob": "" }),
        json!({ "type": "conversation", "sourceSessionID": session }),
        json!({ "type": "json" }),
    ] {
        daemon.prompt(&session, "a", &part).await.assert_refused(400, "invalid_request");
    }
    let other = json!({ "type": "conversation", "sourceSessionID": "ses_none" });
    daemon.prompt(&session, "a", &other).await.assert_refused(400, "attachment_not_found");
    daemon.prompt("ses_none", "a", &file("data:,x")).await.assert_refused(404, "session_not_found");
    assert_eq!(daemon.get(&format!("/session/{session}/message")).await.json(), json!([]));
}

/// A pipe nobody writes to: opening it the usual way would wait for ever.
fn rustix_fifo(path: &std::path::Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

#[tokio::test]
async fn a_rule_of_the_session_allows_a_file_outside() {
    let daemon = daemon().await;
    let outside = tempfile::tempdir().unwrap();
    let path = outside.path().canonicalize().unwrap().join("a.txt");
    std::fs::write(&path, "x").unwrap();
    let url = format!("file://{}", path.display());
    let rule = |action: &str| {
        let pattern = format!("{}/*", path.parent().unwrap().display());
        json!({ "permission": [{ "permission": "external_directory", "pattern": pattern, "action": action }] })
    };
    for (action, status) in [("allow", StatusCode::ACCEPTED), ("ask", StatusCode::FORBIDDEN)] {
        let session = daemon.post("/session", &rule(action)).await.json();
        let answer = daemon.prompt(session["id"].as_str().unwrap(), "a", &file(&url)).await;
        assert_eq!(answer.status, status, "{action}");
    }
}

#[tokio::test]
async fn a_retry_gets_its_receipt_whatever_has_become_of_the_file() {
    let daemon = daemon().await;
    let session = daemon.session().await;
    let path = daemon.directory.join("a.txt");
    std::fs::write(&path, "x").unwrap();
    let part = file(&format!("file://{}", path.display()));
    let first = daemon.prompt(&session, "a", &part).await;
    assert_eq!(first.status, StatusCode::ACCEPTED);
    std::fs::remove_file(&path).unwrap();
    let again = daemon.prompt(&session, "a", &part).await;
    assert_eq!((again.status, again.json()), (StatusCode::ACCEPTED, first.json()));
    daemon.prompt(&session, "b", &part).await.assert_refused(400, "attachment_not_found");
    daemon.prompt(&session, "a", &file("data:,other")).await.assert_refused(409, "request_conflict");
}

#[tokio::test]
async fn a_name_that_is_a_path_is_refused() {
    let daemon = daemon().await;
    for query in ["filename=a%2Fb", "filename=..", "filename=", "filename=a%00", "mime=nonsense"] {
        let refused = daemon.send_bytes("POST", &format!("/file/upload?{query}"), b"x").await;
        refused.assert_refused(400, "invalid_request");
    }
    assert_eq!(daemon.get("/file/upload").await.json(), json!([]));
}
