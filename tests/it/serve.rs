//! Does `serve` start, say so, refuse to start and stop as launchers and people expect?

use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Daemon, Serve, World, eventually, free_port, scripted, signal, within};

const SOON: Duration = Duration::from_secs(5);

/// Runs `serve` with these arguments to its end, which must be 1 with a reason on stderr only.
async fn refused(serve: &Serve, args: &[&str]) -> String {
    let mut process = serve.run(&[&["serve"], args].concat());
    let status = process.end(SOON).await;
    assert_eq!(status.code(), Some(1), "{args:?}: {}", process.stderr());
    assert_eq!(process.stdout(), "", "{args:?}: stdout is for readiness");
    let stderr = process.stderr();
    assert!(!stderr.trim().is_empty(), "{args:?}: no reason given");
    stderr
}

#[tokio::test]
async fn json_readiness_is_one_line_with_five_keys_and_nothing_else_is_printed() {
    let daemon = Daemon::start().await;
    let session = daemon.new_session().await;
    daemon.session(&session).finish("say 3").await;
    let ready = daemon.ready.as_object().expect("an object");
    let mut keys: Vec<&str> = ready.keys().map(String::as_str).collect();
    keys.sort_unstable();
    assert_eq!(keys, ["pid", "schemaVersion", "type", "url", "version"]);
    assert_eq!(daemon.ready["type"], "server.ready");
    assert_eq!(daemon.ready["schemaVersion"], 1);
    assert_eq!(daemon.ready["pid"], daemon.process.pid);
    assert_eq!(daemon.url, format!("http://127.0.0.1:{}", daemon.port()));
    assert_eq!(daemon.process.stdout().lines().count(), 1, "{}", daemon.process.stdout());
    let mut version = daemon.serve.run(&["--version"]);
    assert!(version.end(SOON).await.success());
    assert_eq!(version.stdout(), format!("{}\n", daemon.ready["version"].as_str().expect("a version")));
}

#[tokio::test]
async fn text_readiness_is_the_default_and_the_flag_beats_the_environment() {
    let serve = Serve::new();
    let data = serve.world.data().display().to_string();
    let line = async |serve: &Serve, args: &[&str]| {
        let port = free_port(&serve.world).to_string();
        let process = serve.run(&[&["serve", "--port", &port, "--data-dir", &data], args].concat());
        let line =
            eventually("readiness", async || Some(process.stdout()).filter(|text| text.ends_with('\n')));
        line.await
    };
    let text = line(&serve, &[]).await;
    let prefix = "openscience server listening on http://127.0.0.1:";
    let port = text.strip_prefix(prefix).unwrap_or_else(|| panic!("{text}")).trim_end();
    assert!(port.parse::<u16>().is_ok(), "{text}");
    let json_by_env = serve.clone().env("OPENSCIENCE_SERVER_READY_FORMAT", "json");
    assert!(line(&json_by_env, &[]).await.starts_with("{\"type\":\"server.ready\""));
    assert!(line(&json_by_env, &["--format", "text"]).await.starts_with(prefix));
    assert!(line(&json_by_env, &["--hostname", "localhost", "--format=text"]).await.starts_with(prefix));
}

#[tokio::test]
async fn a_taken_port_ends_the_start_naming_the_port() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let serve = Serve::new();
    let data = serve.world.data().display().to_string();
    let text = refused(&serve, &["--port", &port, "--data-dir", &data]).await;
    assert!(text.contains(&port), "{text}");
    let lines = refused(&serve, &["--port", &port, "--data-dir", &data, "--format", "json"]).await;
    let errors: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let [error] = errors.as_slice() else { panic!("not one error line: {lines}") };
    assert_eq!(error["type"], "server.error");
    assert!(error["code"].is_string() && error["message"].as_str().is_some_and(|text| text.contains(&port)));
}

#[tokio::test]
async fn usage_errors_exit_one_without_a_line_on_stdout() {
    let serve = Serve::new();
    let check = async |args: &[&str]| drop(refused(&serve, args).await);
    check(&["--no-such-flag"]).await;
    check(&["--port", "70000"]).await;
    check(&["--port", "http"]).await;
    check(&["--format", "xml"]).await;
    check(&["--hostname", "example.com"]).await;
    check(&["--cors", "*"]).await;
    for args in [&["--cors", "nonsense", "--format", "json"][..], &["--format=json", "--no-such-flag"]] {
        let lines = refused(&serve, args).await;
        let error: Value = serde_json::from_str(&lines).expect("one JSON line and nothing else");
        assert_eq!((&error["type"], &error["code"]), (&json!("server.error"), &json!("usage")), "{lines}");
        assert!(error["message"].as_str().is_some_and(|text| !text.is_empty()), "{lines}");
    }
    let reason = refused(&serve, &["--hostname", "0.0.0.0"]).await;
    assert!(reason.to_lowercase().contains("token"), "{reason}");
}

#[tokio::test]
async fn an_unusable_data_directory_ends_the_start() {
    let serve = Serve::new();
    let file = serve.world.root().join("a file");
    std::fs::write(&file, "not a directory").expect("a file");
    let file = file.display().to_string();
    refused(&serve, &["--port", "0", "--data-dir", &file]).await;
    refused(&serve, &["--port", "0", "--data-dir", &format!("{file}/below")]).await;
    for name in [".open-science", ".open-science-project"] {
        let root = serve.world.home().join(name);
        std::fs::create_dir_all(&root).expect("a folder");
        std::fs::write(root.join("thesis.txt"), "of somebody else").expect("a file");
    }
    refused(&serve, &["--port", "0"]).await;
    for name in ["thesis", ".hidden"] {
        let folder = serve.world.folder(&format!("of somebody else {name}"));
        std::fs::write(folder.join(name), "of somebody else").expect("a file");
        let mode = std::fs::metadata(&folder).expect("a folder").permissions();
        let named = folder.display().to_string();
        let line = refused(&serve, &["--port", "0", "--format", "json", "--data-dir", &named]).await;
        assert!(line.contains("\"code\":\"data_dir_foreign\"") && line.contains(&named), "{line}");
        assert_eq!(std::fs::read_dir(&folder).expect("a folder").count(), 1, "nothing was put there");
        assert_eq!(std::fs::metadata(&folder).expect("a folder").permissions(), mode);
    }
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_left_alone() {
    let serve = Serve::new();
    let id = serve.start().await.new_session().await;
    let daemon = serve.start().await;
    let (status, serve) = daemon.stop().await;
    assert!(status.success());
    let path = serve.world.data().join("openscience.db");
    let mut database = std::fs::read(&path).expect("the database");
    let known = u32::from_be_bytes(header_version(&mut database).try_into().expect("four bytes"));
    // SQLite keeps the schema version that programs set in its file header.
    header_version(&mut database).copy_from_slice(&4_321_u32.to_be_bytes());
    std::fs::write(&path, &database).expect("the database");
    let data = serve.world.data().display().to_string();
    let reason = refused(&serve, &["--port", "0", "--data-dir", &data]).await;
    assert!(reason.contains("4321") && reason.contains(&known.to_string()), "names both: {reason}");
    assert_eq!(std::fs::read(&path).expect("the database"), database, "nothing was changed");
    header_version(&mut database).copy_from_slice(&known.to_be_bytes());
    std::fs::write(&path, &database).expect("the database");
    serve.start().await.get(&format!("/session/{id}")).await.json(200);
}

fn header_version(database: &mut [u8]) -> &mut [u8] {
    database.get_mut(60..64).expect("a file header")
}

#[tokio::test]
async fn data_is_readable_by_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let daemon = Daemon::start().await;
    daemon.new_session().await;
    let mode = |path: &Path| std::fs::metadata(path).expect("a file").permissions().mode() & 0o777;
    let data = daemon.world().data();
    assert_eq!(mode(&data), 0o700);
    assert_eq!(mode(&data.join("openscience.db")), 0o600);
}

#[tokio::test]
async fn broken_configuration_ends_the_start_naming_the_key() {
    let serve = Serve::new();
    let data = serve.world.data().display().to_string();
    let args = ["--port", "0", "--data-dir", &data];
    let wrong_type = serve.clone().config(json!({"limits": {"heartbeatMs": "often"}}));
    assert!(refused(&wrong_type, &args).await.contains("limits.heartbeatMs"));
    refused(&serve.clone().config(json!([])), &args).await;
    refused(&serve.clone().config(json!({"defaultAgent": "nobody"})), &args).await;
    refused(&serve.clone().env("OPENSCIENCE_CONFIG_CONTENT", "{"), &args).await;
    let wildcard = serve.clone().config(json!({"server": {"cors": ["*"]}}));
    assert!(refused(&wildcard, &args).await.contains("server.cors[0]"));
    for (name, value) in [("OPENSCIENCE_SERVER_READY_FORMAT", "yaml"), ("OPENSCIENCE_AUTH_TOKEN", "s3cret ")]
    {
        let reason = refused(&serve.clone().env(name, value), &args).await;
        assert!(reason.contains(name) && !reason.contains(value), "{reason}");
    }
}

#[tokio::test]
async fn unknown_configuration_keys_warn_once_and_never_fail() {
    let foreign = json!({"sandbox": {"on": true}, "provider": {}, "experimental": [1], "$schema": "x"});
    let serve = Serve::new().config(foreign).env("OPENSCIENCE_DISABLE_AUTOUPDATE", "1");
    let file = serve.world.config().join("openscience.json");
    std::fs::write(&file, r#"{"sandbox": 1, "agent": {"build": {"mode": "primary"}}}"#).expect("a file");
    let daemon = serve.start().await;
    daemon.get("/global/health").await.json(200);
    let warnings = daemon.process.stderr().lines().filter(|line| line.contains("sandbox")).count();
    assert!((1..=2).contains(&warnings), "once a source: {}", daemon.process.stderr());
}

#[tokio::test]
async fn health_tells_the_build_and_the_run() {
    let serve = Serve::new().env("OPENSCIENCE_SOURCE_SHA", " abc ").env("OPENSCIENCE_RUN_ID", "night-7");
    let health = serve.start().await.get("/global/health").await.json(200);
    assert_eq!(health["healthy"], true);
    assert!(health["version"].is_string());
    assert_eq!((&health["sourceSha"], &health["runId"]), (&json!("abc"), &json!("night-7")));
    assert_eq!(health.get("sourceWorktreeHash"), Some(&Value::Null));
    let plain = Daemon::start().await;
    let health = plain.get("/global/health").await.json(200);
    let run = health["runId"].as_str().expect("a run id");
    assert!(run.starts_with(&format!("local-{}-", plain.process.pid)), "{run}");
}

#[tokio::test]
async fn the_simulator_says_once_that_nothing_is_configured() {
    let daemon = Daemon::start().await;
    let notes =
        |daemon: &Daemon| daemon.process.stderr().lines().filter(|line| line.contains("imulator")).count();
    let session = daemon.new_session().await;
    daemon.session(&session).finish("say 1").await;
    assert_eq!(notes(&daemon), 1, "{}", daemon.process.stderr());
    let chosen = Serve::new().config(json!({"defaultAgent": "sim"})).start().await;
    assert_eq!(notes(&chosen), 0, "{}", chosen.process.stderr());
}

#[tokio::test]
async fn an_idle_daemon_ends_cleanly_on_each_signal() {
    let serve = Serve::new();
    for stop in [Signal::TERM, Signal::INT, Signal::HUP] {
        let mut daemon = serve.start().await;
        let session = daemon.new_session().await;
        daemon.session(&session).finish("say 2").await;
        signal(daemon.process.pid, stop);
        let status = daemon.process.end(SOON).await;
        assert_eq!(status.code(), Some(0), "{stop:?}: {}", daemon.process.stderr());
        assert!(!daemon.process.stderr().contains("stopping"), "{stop:?}: there is nothing to wait for");
        assert_eq!(serve.world.processes(), Vec::<i32>::new(), "{stop:?} leaves nothing behind");
    }
}

#[tokio::test]
async fn sigterm_ends_stuck_work_in_time_and_the_run_is_interrupted() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ignore-cancel\nspawn\nsay 3\nhang").await;
    let mut stream = session.stream(0).await;
    stream.until(|event| event.properties["part"]["type"] == "text" && event.run_id == run).await;
    let begin = Instant::now();
    signal(daemon.process.pid, Signal::TERM);
    while stream.next().await.is_some() {}
    let mut daemon = daemon;
    let status = daemon.process.end(Duration::from_secs(8)).await;
    assert!(begin.elapsed() < Duration::from_secs(7), "took {:?}", begin.elapsed());
    assert_eq!(status.code(), Some(0), "{}", daemon.process.stderr());
    assert_eq!(daemon.world().processes(), Vec::<i32>::new(), "the whole tree is gone");
    let daemon = daemon.serve.start().await;
    let session = daemon.session(&id);
    let receipt = session.run(&run).await;
    assert_eq!(receipt["state"], "interrupted", "{receipt}");
    assert_eq!(receipt["error"]["code"], "runtime_stopped", "{receipt}");
    let events = session.events(0).await;
    let last = events.last().expect("events");
    assert!(last.is("runtime.failed") && last.run_id == run, "{last:?}");
    assert_eq!(events.iter().filter(|event| event.is_terminal()).count(), 1);
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn whoever_waits_for_a_stubborn_agent_to_end_is_told_so_once() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &["--stubborn"]);
    let mut daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let run = daemon.session(&id).say("hang").await;
    daemon.session(&id).running(&run).await;
    signal(daemon.process.pid, Signal::TERM);
    let status = daemon.process.end(Duration::from_secs(8)).await;
    let said = daemon.process.stderr();
    assert_eq!(status.code(), Some(0), "{said}");
    assert_eq!(said.lines().filter(|line| line.contains("stopping")).count(), 1, "{said}");
    assert_eq!(daemon.world().processes(), Vec::<i32>::new(), "{said}");
}

#[tokio::test]
async fn a_second_signal_ends_at_once() {
    let mut daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let run = daemon.session(&id).say("ignore-cancel\nspawn\nhang").await;
    daemon.session(&id).running(&run).await;
    eventually("the agent and its grandchild live", async || (daemon.agents().len() >= 2).then_some(()))
        .await;
    let begin = Instant::now();
    signal(daemon.process.pid, Signal::TERM);
    within(SOON, "the port is closed", async || {
        TcpListener::bind(("127.0.0.1", daemon.port())).ok().map(drop)
    })
    .await;
    signal(daemon.process.pid, Signal::TERM);
    let status = daemon.process.end(SOON).await;
    assert_eq!(status.code(), Some(1), "{}", daemon.process.stderr());
    assert!(begin.elapsed() < Duration::from_secs(2), "took {:?}", begin.elapsed());
    let world = Arc::clone(&daemon.serve.world);
    within(SOON, "no tree is left", async || world.processes().is_empty().then_some(())).await;
}

#[tokio::test]
async fn a_launcher_finds_the_child_it_started() {
    let serve = Serve::new();
    let world: &World = &serve.world;
    let mut env = serve.environment();
    env.push(("OPENSCIENCE_SERVER_READY_FORMAT".into(), "json".into()));
    env.push(("OPENSCIENCE_AUTH_TOKEN".into(), "secret".into()));
    env.push(("OPENSCIENCE_DATA_DIR".into(), world.data().display().to_string()));
    let port = free_port(world).to_string();
    let mut child = crate::support::command(Path::new(crate::support::BINARY))
        .args(["serve", "--port", &port, "--log-level", "INFO"])
        .env_clear()
        .envs(env)
        .current_dir(world.project())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("a child");
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).expect("a pid");
    let mut lines =
        tokio::io::AsyncBufReadExt::lines(tokio::io::BufReader::new(child.stdout.take().expect("piped")));
    let line =
        tokio::time::timeout(SOON, lines.next_line()).await.expect("in time").expect("text").expect("a line");
    let ready: Value = serde_json::from_str(&line).expect("JSON");
    assert_eq!((&ready["type"], &ready["pid"]), (&json!("server.ready"), &json!(pid)));
    let url = ready["url"].as_str().expect("a url");
    let http = reqwest::Client::builder().no_proxy().build().expect("a client");
    let health = http.get(format!("{url}/global/health")).bearer_auth("secret").send().await.expect("health");
    assert!(health.status().is_success());
    let health: Value = health.json().await.expect("JSON");
    assert!(health["healthy"] == true && health["version"] == ready["version"], "{health}");
    signal(pid, Signal::TERM);
    let status = tokio::time::timeout(SOON, child.wait()).await.expect("ends in time").expect("a status");
    assert_eq!(status.code(), Some(0));
    assert_eq!(lines.next_line().await.expect("text"), None, "nothing after the readiness line");
}

/// A pipe at this path; its reading end, which no child inherits.
fn pipe(path: &Path) -> OwnedFd {
    use rustix::fs::{CWD, Mode, OFlags, mkfifoat, open};
    mkfifoat(CWD, path, Mode::RUSR | Mode::WUSR).expect("a pipe");
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    open(path, flags, Mode::empty()).expect("its reading end")
}

/// A run that fails and is logged, the next one, and an orderly end.
async fn works_without_a_log(daemon: Daemon) {
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("exit 3").await;
    assert_eq!((&receipt["state"], &receipt["error"]["code"]), (&json!("failed"), &json!("agent_exited")));
    let receipt = session.finish("say 1").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let (status, _serve) = daemon.stop().await;
    assert_eq!(status.code(), Some(0));
}

#[tokio::test]
async fn a_launcher_may_stop_reading_what_is_logged() {
    let serve = Serve::new().args(&["--print-logs"]);
    // Where the first process of a world writes its stderr.
    let path = serve.world.root().join("stderr.0");
    let stderr = pipe(&path);
    let daemon = serve.start().await;
    std::fs::remove_file(&path).expect("the pipe");
    drop(stderr);
    works_without_a_log(daemon).await;
}

#[tokio::test]
async fn a_log_that_cannot_be_written_stops_nothing_although_nobody_can_be_told() {
    let (status, serve) = Daemon::start().await.stop().await;
    assert!(status.success());
    let path = serve.world.data().join("logs/openscience.log");
    std::fs::remove_file(&path).expect("a log");
    let log = pipe(&path);
    // Where the second process of a world writes its stderr.
    let path = serve.world.root().join("stderr.1");
    let stderr = pipe(&path);
    let daemon = serve.start().await;
    std::fs::remove_file(&path).expect("the pipe");
    drop((log, stderr));
    works_without_a_log(daemon).await;
}
