//! Is every request checked before anything happens: host, origin, token, selectors, form of the body?

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Daemon, Prompt, Reply, Serve, encode, eventually, raw};

/// A GET with these extra header lines; `host` is sent as given.
async fn get(daemon: &Daemon, path: &str, host: Option<&str>, extra: &[&str]) -> Reply {
    call(daemon, "GET", path, host, extra, "").await
}

async fn call(
    daemon: &Daemon,
    verb: &str,
    path: &str,
    host: Option<&str>,
    extra: &[&str],
    body: &str,
) -> Reply {
    let request = format!("{verb} {path} HTTP/1.1");
    let host = host.map(|host| format!("Host: {host}"));
    let length = format!("Content-Length: {}", body.len());
    let mut head = vec![request.as_str(), "Connection: close"];
    head.extend(host.as_deref());
    head.extend(extra);
    if !body.is_empty() {
        head.push(&length);
    }
    raw(daemon, &head, body.as_bytes()).await
}

#[tokio::test]
async fn only_loopback_host_names_are_answered() {
    let daemon = Daemon::start().await;
    let port = daemon.port();
    for host in ["localhost", "127.0.0.1", "[::1]"] {
        get(&daemon, "/runtime/capabilities", Some(host), &[]).await.json(200);
        get(&daemon, "/runtime/capabilities", Some(&format!("{host}:{port}")), &[]).await.json(200);
    }
    for host in
        [Some("evil.example"), Some("localhost.evil.example"), Some("127.0.0.1.evil.example:80"), Some("")]
    {
        for path in [
            "/global/health",
            "/runtime/capabilities",
            "/session",
            "/runtime/events?sessionID=ses_x",
            "/nope",
        ] {
            let body = get(&daemon, path, host, &[]).await.refusal(403, "forbidden_host");
            assert_eq!(body["error"], "Forbidden host", "{path}");
        }
    }
}

#[tokio::test]
async fn a_request_without_a_host_is_refused() {
    let daemon = Daemon::start().await;
    let reply = raw(&daemon, &["GET /runtime/capabilities HTTP/1.0", "Connection: close"], b"").await;
    reply.refusal(403, "forbidden_host");
    let reply = raw(&daemon, &["GET /runtime/capabilities HTTP/1.1", "Connection: close"], b"").await;
    assert!(matches!(reply.status, 400 | 403), "{}", reply.status);
}

#[tokio::test]
async fn foreign_pages_cannot_drive_the_daemon() {
    let serve =
        Serve::new().args(&["--cors", "https://lab.example"]).env("OPENSCIENCE_CORS_DOMAINS", "apps.example");
    let daemon = serve.start().await;
    let session = json!({"workspace": "project"}).to_string();
    let foreign = [
        "Origin: https://evil.example",
        "Origin: null",
        "Origin: http://localhost.evil.example",
        "Origin: https://localhost:1234",
        "Origin: https://apps.example",
        "Origin: http://x.apps.example",
        "Origin: https://lab.example.evil.example",
        "Sec-Fetch-Site: cross-site",
    ];
    for header in foreign {
        for path in ["/global/health", "/runtime/capabilities", "/runtime/events?sessionID=ses_x"] {
            let body =
                get(&daemon, path, Some("localhost"), &[header]).await.refusal(403, "forbidden_origin");
            assert_eq!(body["error"], "Forbidden origin", "{header}");
        }
        let extra = [header, "Content-Type: application/json"];
        call(&daemon, "POST", "/session", Some("localhost"), &extra, &session)
            .await
            .refusal(403, "forbidden_origin");
    }
    assert_eq!(daemon.get("/session").await.json(200), json!([]), "nothing was created");
    let own = [
        "http://localhost",
        "http://localhost:5173",
        "http://127.0.0.1:8080",
        "tauri://localhost",
        "http://tauri.localhost",
        "https://lab.example",
        "https://x.apps.example",
    ];
    for origin in own {
        let extra = [&*format!("Origin: {origin}"), "Sec-Fetch-Site: cross-site"];
        let reply = get(&daemon, "/runtime/capabilities", Some("localhost"), &extra).await;
        reply.json(200);
        assert_eq!(reply.header("access-control-allow-origin"), origin);
        assert!(reply.header("vary").to_lowercase().contains("origin"));
    }
}

#[tokio::test]
async fn a_preflight_needs_no_token_and_the_refusal_of_a_page_can_be_read() {
    let daemon = Serve::new().token("secret").start().await;
    let ask = |origin: &'static str| {
        let extra = [
            origin,
            "Access-Control-Request-Method: POST",
            "Access-Control-Request-Headers: authorization,last-event-id,x-openscience-directory",
        ];
        let daemon = &daemon;
        async move { call(daemon, "OPTIONS", "/runtime/prompt", Some("localhost"), &extra, "").await }
    };
    let allowed = ask("Origin: http://localhost:3000").await;
    assert_eq!(allowed.status, 204);
    assert_eq!(allowed.header("access-control-allow-origin"), "http://localhost:3000");
    let headers = allowed.header("access-control-allow-headers").to_lowercase();
    for wanted in ["authorization", "last-event-id", "x-openscience-directory"] {
        assert!(headers.contains(wanted), "{headers}");
    }
    let methods = allowed.header("access-control-allow-methods");
    assert!(
        ["GET", "POST", "PUT", "PATCH", "DELETE"].iter().all(|method| methods.contains(method)),
        "{methods}"
    );
    let foreign = ask("Origin: https://evil.example").await;
    foreign.refusal(403, "forbidden_origin");
    assert_eq!(foreign.header("access-control-allow-origin"), "");
    let real = get(&daemon, "/session", Some("localhost"), &["Origin: http://localhost:3000"]).await;
    real.refusal(401, "unauthorized");
    assert_eq!(real.header("access-control-allow-origin"), "http://localhost:3000");
    let bare = call(&daemon, "OPTIONS", "/runtime/prompt", Some("localhost"), &[], "").await;
    bare.refusal(401, "unauthorized");
}

#[tokio::test]
async fn the_token_guards_everything_but_health() {
    let daemon = Serve::new().token("sëcret ✓ token".split(' ').next_back().expect("a word")).start().await;
    let bare = async |path: &str, header: &[&str]| get(&daemon, path, Some("localhost"), header).await;
    bare("/global/health", &[]).await.json(200);
    let paths = ["/runtime/capabilities", "/session", "/runtime/events?sessionID=ses_x", "/doc", "/nope"];
    for path in paths {
        let reply = bare(path, &[]).await;
        assert_eq!(reply.refusal(401, "unauthorized")["error"], "Unauthorized", "{path}");
        assert_eq!(reply.header("www-authenticate"), "Bearer realm=\"openscience\"");
    }
    for wrong in ["Bearer token2", "Bearer toke", "Bearer", "Bearer ", "Basic token", "token"] {
        let header = format!("Authorization: {wrong}");
        bare("/session", &[&header]).await.refusal(401, "unauthorized");
    }
    for right in ["Bearer token", "bearer token", "BEARER token"] {
        let header = format!("Authorization: {right}");
        bare("/session", &[&header]).await.json(200);
    }
    bare("/session?token=token", &[]).await.refusal(401, "unauthorized");
}

#[tokio::test]
async fn unknown_routes_and_methods_are_told_in_json() {
    let daemon = Daemon::start().await;
    let body = daemon.get("/no/such/route").await.refusal(404, "not_found");
    assert_eq!((&body["error"], &body["path"]), (&json!("not_found"), &json!("/no/such/route")));
    daemon.get("/").await.refusal(404, "not_found");
    let wrong = daemon.delete("/runtime/prompt").await;
    wrong.refusal(405, "method_not_allowed");
    assert!(wrong.header("allow").contains("POST"), "{:?}", wrong.headers);
    daemon.patch("/runtime/capabilities", &json!({})).await.refusal(405, "method_not_allowed");
    daemon.get("/session/").await.json(200);
    daemon.get("/runtime/capabilities/").await.json(200);
}

#[tokio::test]
async fn bodies_must_be_json_of_a_bounded_size() {
    let daemon = Serve::new().config(json!({"limits": {"maxBodyBytes": 50_000}})).start().await;
    let post = |content_type: &'static str, body: String| {
        let request =
            daemon.request(Method::POST, "/session").header("content-type", content_type).body(body);
        let daemon = &daemon;
        async move { daemon.send(request).await }
    };
    post("text/plain", "{}".into()).await.refusal(415, "unsupported_media_type");
    post("application/x-www-form-urlencoded", "title=x".into()).await.refusal(415, "unsupported_media_type");
    let broken = post("application/json", "{\n \"title\": s3cret}".into()).await.refusal(400, "invalid_json");
    let message = broken["message"].as_str().expect("a message");
    assert!(message.ends_with("line 2, column 11") && !broken.to_string().contains("s3cret"), "{broken}");
    post("application/json", "\u{0}".into()).await.refusal(400, "invalid_json");
    post("application/json; charset=utf-8", "{}".into()).await.json(200);
    post("application/merge-patch+json", "{}".into()).await.json(200);
    let large = json!({"title": "x".repeat(60_000)}).to_string();
    let refusal = post("application/json", large).await.refusal(413, "payload_too_large");
    assert_eq!(refusal["limit"], 50_000, "{refusal}");
    let empty = daemon.send(daemon.request(Method::POST, "/session")).await.json(200);
    assert_eq!(empty["title"], "New session");
    post("application/json", String::new()).await.json(200);
    assert_eq!(daemon.get("/session").await.json(200).as_array().map(Vec::len), Some(4));
}

#[tokio::test]
async fn a_prompt_that_breaks_its_schema_is_refused_without_being_repeated() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let good = || Prompt::text("MARKER");
    let parts = |parts: Value| Prompt(json!({"effort": "normal", "parts": parts}));
    let broken = [
        Prompt(json!({"message": "MARKER"})),
        Prompt(json!({"effort": "normal"})),
        good().with("effort", "MARKER"),
        good().with("parts", json!([{"type": "text", "text": "MARKER"}])),
        good().with("unknown", "MARKER"),
        good().with("agent", "build"),
        good().with("system", "MARKER"),
        good().with("noReply", true),
        good().with("requestID", ""),
        good().with("requestID", "   "),
        good().with("requestID", "MARKER".repeat(40)),
        good().with("messageID", "msg_MARKER"),
        good().with("model", json!({"providerID": "MARKER"})),
        good().with("context", 0),
        good().with("context", 1.5),
        good().with("delegation", "MARKER"),
        good().with("delegationSettings", json!({"level": "MARKER"})),
        Prompt::text("   "),
        Prompt::text(&"é".repeat(1_000_001)),
        parts(json!([])),
        parts(json!([{"type": "text", "text": "MARKER", "synthetic": true}])),
        parts(json!([{"type": "MARKER"}])),
        parts(json!([{"text": "MARKER"}])),
    ];
    for prompt in broken {
        let reply = session.submit(&prompt).await;
        let body = reply.refusal(400, "invalid_request");
        assert_eq!((&body["error"], &body["success"]), (&json!("invalid_request"), &json!(false)), "{body}");
        let issues = body["issues"].as_array().expect("issues");
        let whole = |issue: &Value| issue.get("path").is_some() && issue["message"].is_string();
        assert!(!issues.is_empty() && issues.iter().all(whole), "{body}");
        assert!(body.get("data").is_none() && !reply.text().contains("MARKER"), "{body}");
    }
    let path_like = json!({"sessionID": "ses_../../etc", "effort": "normal", "message": "x"});
    daemon.post("/runtime/prompt", &path_like).await.refused(400);
    let snapshot = session.snapshot().await;
    assert_eq!(
        (&snapshot["runs"], &snapshot["latestSequence"]),
        (&json!([]), &json!(0)),
        "nothing was admitted"
    );
    session.submit(&Prompt::text(&"é".repeat(1_000_000))).await.json(202);
}

#[tokio::test]
async fn identifiers_and_numbers_in_addresses_are_strict() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    for path in [
        "/session/foo",
        "/session/ses_..%2F..%2Fetc",
        "/session/ses_%00",
        &format!("/session/ses_{}", "a".repeat(121)),
        "/runtime/snapshot",
        "/runtime/snapshot?sessionID=foo",
        &format!("/runtime/run?sessionID={id}&runID=..%2Frun"),
        &format!("/runtime/run?sessionID={id}"),
        "/session?roots=perhaps",
        "/session?limit=1.5",
        "/session?limit=-1",
        "/session?start=yesterday",
        &format!("/session/{id}/message?limit=1e3"),
        &format!("/session/{id}/message/foo"),
    ] {
        daemon.get(path).await.refused(400);
    }
    for (path, code) in [
        ("/session/ses_nobody", "session_not_found"),
        ("/session/ses_nobody/message", "session_not_found"),
        ("/runtime/snapshot?sessionID=ses_nobody", "session_not_found"),
        ("/runtime/events?sessionID=ses_nobody", "session_not_found"),
        ("/runtime/events/replay?sessionID=ses_nobody", "session_not_found"),
        ("/runtime/run?sessionID=ses_nobody&runID=run_x", "session_not_found"),
        (&*format!("/runtime/run?sessionID={id}&runID=run_nobody"), "run_not_found"),
        (&*format!("/session/{id}/message/msg_nobody"), "message_not_found"),
    ] {
        assert_eq!(daemon.get(path).await.refusal(404, code)["error"], "not_found", "{path}");
    }
}

#[tokio::test]
async fn a_directory_selects_a_project_by_query_or_header() {
    let daemon = Daemon::start().await;
    let folder = daemon.world().folder("100%20 +α 测试 😀");
    let directory = folder.display().to_string();
    let query = format!("/session?directory={}", encode(&directory));
    let session = daemon.post(&query, &json!({})).await.json(200);
    assert_eq!(session["directory"], directory.as_str());
    let twice = format!("/session?directory={}", encode(&encode(&directory)));
    assert_eq!(
        daemon.get(&twice).await.json(200)[0]["id"],
        session["id"],
        "an encoded value is decoded once more"
    );
    let by_header =
        daemon.request(Method::GET, "/session").header("x-openscience-directory", encode(&directory));
    assert_eq!(daemon.send(by_header).await.json(200)[0]["id"], session["id"]);
    assert_eq!(daemon.get("/session").await.json(200), json!([]), "the default project is another one");
    let link = daemon.world().root().join("link");
    std::os::unix::fs::symlink(&folder, &link).expect("a link");
    for form in [format!("{directory}/"), link.display().to_string(), format!(" {directory} ")] {
        let path = format!("/session?directory={}", encode(&form));
        assert_eq!(daemon.get(&path).await.json(200)[0]["id"], session["id"], "{form}");
    }
    let lost = format!("/session/{}", session["id"].as_str().expect("an id"));
    daemon.get(&lost).await.refusal(404, "session_not_found");
    daemon.get(&format!("{lost}?directory={}", encode(&directory))).await.json(200);
}

#[tokio::test]
async fn names_that_differ_in_their_encoding_are_two_projects() {
    let daemon = Daemon::start().await;
    for name in ["a b", "a%20b", "a+b", "Ä", "A\u{308}"] {
        let folder = daemon.world().folder(name).display().to_string();
        let path = format!("/session?directory={}", encode(&folder));
        let session = daemon.post(&path, &json!({"workspace": "project"})).await.json(200);
        assert_eq!(session["directory"], folder.as_str());
        assert_eq!(daemon.get(&path).await.json(200), json!([session]), "{name}: no other's");
        let id = session["id"].as_str().expect("an id");
        let prompt = json!({"sessionID": id, "effort": "normal", "message": "say 1"});
        let query = path.split_once('?').expect("a query").1;
        let run = daemon.post(&format!("/runtime/prompt?{query}"), &prompt).await.json(202)["runID"].clone();
        let run = format!("/runtime/run?{query}&sessionID={id}&runID={}", run.as_str().expect("an id"));
        eventually("it completes", async || {
            (daemon.get(&run).await.json(200)["state"] == "completed").then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn selectors_that_name_nothing_are_refused() {
    let daemon = Daemon::start().await;
    let here = daemon.world().project().display().to_string();
    let other = daemon.world().folder("other").display().to_string();
    let project = daemon.get("/project/current").await.json(200)["id"].as_str().expect("an id").to_owned();
    let gone = daemon.world().folder("gone");
    let query = format!("/project/current?directory={}", encode(&gone.display().to_string()));
    let stale = daemon.get(&query).await.json(200)["id"].as_str().expect("an id").to_owned();
    std::fs::remove_dir(&gone).expect("an empty folder");
    for refused in ["relative/path", "", "/no/such/folder", "/etc/passwd"] {
        let path = format!("/session?directory={}", encode(refused));
        if refused.is_empty() {
            daemon.get(&path).await.json(200);
        } else {
            daemon.get(&path).await.named(400, "ProjectDirectoryError");
        }
    }
    daemon
        .get(&format!("/session?directory={}&directory={}", encode(&here), encode(&other)))
        .await
        .refused(400);
    daemon
        .get("/session?project=prj_00000000000000000000000000000000")
        .await
        .named(404, "ProjectUnknownError");
    daemon.get(&format!("/session?project={stale}")).await.named(410, "ProjectStaleError");
    let both = format!("/session?projectID={project}&directory={}", encode(&other));
    daemon.get(&both).await.named(409, "ProjectMismatchError");
    daemon.get(&format!("/session?projectID={project}&directory={}", encode(&here))).await.json(200);
    let header = daemon.request(Method::GET, "/session").header("x-openscience-project", &project);
    daemon.send(header).await.json(200);
    daemon.get("/global/health?directory=relative").await.json(200);
}
