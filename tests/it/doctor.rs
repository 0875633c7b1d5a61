//! Does `doctor` tell what is wrong without touching anything?

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Daemon, Serve, World, eventually, scripted, signal};

/// Longer than any agent of these tests may take.
const SOON: Duration = Duration::from_secs(20);

/// Runs `doctor --format json`; its exit status and its document, which is all it prints.
async fn examine(serve: &Serve, args: &[&str]) -> (i32, Value) {
    let data = serve.world.data().display().to_string();
    let mut process = serve.run(&[&["doctor", "--format", "json", "--data-dir", &data], args].concat());
    let status = process.end(SOON).await.code().expect("an exit status");
    assert_eq!(process.stderr(), "");
    let text = process.stdout();
    let report: Value = serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert_eq!(text.lines().count(), 1, "{text}");
    assert_eq!((&report["type"], &report["ok"]), (&json!("doctor"), &json!(status == 0)), "{report}");
    assert_eq!(report["problems"].as_array().expect("a list").is_empty(), status == 0, "{report}");
    (status, report)
}

fn agent<'a>(report: &'a Value, id: &str) -> &'a Value {
    let agents = report["agents"].as_array().expect("a list");
    agents.iter().find(|agent| agent["id"] == id).unwrap_or_else(|| panic!("no {id} in {report}"))
}

/// Every file and folder of the test but what processes print, with its mode and a digest of its content.
fn files(world: &World) -> BTreeMap<String, (u32, u64)> {
    use std::os::unix::fs::PermissionsExt;
    fn collect(folder: &Path, found: &mut BTreeMap<String, (u32, u64)>) {
        for entry in std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            // The index of SQLite's log is memory that processes share.
            if name.starts_with("stdout.") || name.starts_with("stderr.") || name.ends_with("-shm") {
                continue;
            }
            let mode = entry.metadata().expect("metadata").permissions().mode();
            let mut digest = DefaultHasher::new();
            // Nor has the socket of a living daemon any content.
            if path.is_file() {
                std::fs::read(&path).expect("a file").hash(&mut digest);
            }
            found.insert(path.display().to_string(), (mode, digest.finish()));
            if path.is_dir() {
                collect(&path, found);
            }
        }
    }
    let mut found = BTreeMap::new();
    collect(&world.root(), &mut found);
    found
}

#[tokio::test]
async fn on_a_new_machine_all_is_well_and_nothing_is_made() {
    let serve = Serve::new();
    let before = files(&serve.world);
    let (status, report) = examine(&serve, &[]).await;
    assert_eq!(status, 0, "{report}");
    let sim = agent(&report, "sim");
    assert_eq!((&sim["default"], &sim["builtIn"]), (&json!(true), &json!(true)));
    assert_eq!(sim["resolved"], sim["command"]);
    assert!(sim["answer"]["agentInfo"]["version"].is_string(), "{sim}");
    assert!(sim["answer"]["initializeMs"].is_u64(), "{sim}");
    assert_eq!(sim["answer"]["auth"], json!({"state": "none", "methods": []}));
    let data = &report["data"];
    assert_eq!((&data["state"], &data["writable"]), (&json!("absent"), &json!(true)), "{data}");
    assert!(data["freeBytes"].as_u64().is_some_and(|free| free > 0), "{data}");
    assert_eq!(report["configuration"]["defaultAgent"], "sim");
    let warnings = report["configuration"]["warnings"].to_string();
    assert!(warnings.contains("the built-in simulator answers"), "{warnings}");
    assert_eq!(files(&serve.world), before);
    assert_eq!(serve.world.processes(), Vec::<i32>::new());
}

#[tokio::test]
async fn each_agent_is_told_with_what_keeps_it_from_working() {
    let serve = Serve::new();
    let (mut config, log) = scripted(&serve.world, &["--exit-before", "initialize"]);
    let secret = "read -r _; echo \"cannot resolve package with $KEY\" >&2; exit 1";
    config["agents"]["missing"] = json!({"command": "no-such-agent-anywhere"});
    config["agents"]["nowhere"] = json!({"command": "/no/such/agent"});
    config["agents"]["silent"] =
        json!({"command": "sh", "args": ["-c", "echo downloading >&2; sleep 1000"], "startTimeoutMs": 2_000});
    config["agents"]["resolver"] =
        json!({"command": "sh", "args": ["-c", secret], "env": {"KEY": "s3cret-key"}});
    config["agents"]["chatty"] = json!({"command": "echo", "args": ["usage: chatty [--acp]"]});
    config["defaultAgent"] = json!("sim");
    config["limits"] = json!({"startTimeoutMs": 3_600_000});
    let serve = serve.config(config);
    let begin = Instant::now();
    let (status, report) = examine(&serve, &[]).await;
    assert_eq!(status, 0, "only the default agent must work: {report}");
    assert!(begin.elapsed() < Duration::from_secs(10), "all at once: {:?}", begin.elapsed());
    let told = |id: &str| {
        let agent = agent(&report, id);
        assert_eq!(agent.get("answer"), None, "{agent}");
        assert!(agent["hint"].as_str().is_some_and(|hint| !hint.is_empty()), "{agent}");
        assert_eq!(agent["error"]["code"], "agent_start_failed", "{agent}");
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let error = &agent["error"];
        (word(&error["stage"]), word(&error["message"]), word(&agent["stderr"]), agent.clone())
    };
    let (stage, message, _, missing) = told("missing");
    assert_eq!((stage.as_str(), missing.get("resolved")), ("start", None));
    assert!(message.contains("no-such-agent-anywhere") && message.contains("/usr/bin"), "{message}");
    assert_eq!(told("nowhere").0, "start");
    let (stage, message, stderr, silent) = told("silent");
    assert_eq!((stage.as_str(), stderr.trim_end()), ("initialize", "downloading"), "{message}");
    assert_eq!(silent["onPath"], true);
    assert!(silent["resolved"].as_str().is_some_and(|path| path.ends_with("/sh")), "{silent}");
    assert!(silent["hint"].as_str().is_some_and(|hint| hint.contains("agents.silent.startTimeoutMs")));
    let (_, message, stderr, resolver) = told("resolver");
    assert!(message.contains("exit status: 1"), "{message}");
    assert_eq!(stderr, "cannot resolve package with [masked]");
    assert_eq!(resolver["env"], json!(["KEY"]));
    assert!(told("chatty").2.contains("usage: chatty"), "what it said instead");
    assert!(told("scripted").2.contains("last words"));
    assert!(!report.to_string().contains("s3cret"), "{report}");
    assert_eq!(log.received("session/new"), Vec::<Value>::new(), "no session is opened");
    assert_eq!(serve.world.processes(), Vec::<i32>::new(), "nothing is left running");
}

#[tokio::test]
async fn a_default_agent_that_does_not_start_is_a_problem() {
    let config = json!({"agents": {"mine": {"command": "no-such-agent-anywhere"}}});
    let (status, report) = examine(&Serve::new().config(config.clone()), &[]).await;
    assert_eq!((status, &report["problems"]), (1, &json!(["the default agent mine does not work"])));
    let (status, report) = examine(&Serve::new().config(config), &["--agent", "sim"]).await;
    assert_eq!(status, 0, "{report}");
}

#[tokio::test]
async fn a_login_and_what_an_agent_is_not_given_are_told() {
    let serve = Serve::new();
    let (mut config, _log) = scripted(&serve.world, &["--mcp", "http"]);
    let keyed = json!({"protocolVersion": 1, "authMethods": [
        {"id": "by-key", "type": "env_var", "vars": [{"name": "THE_KEY"}]}, {"id": "browser", "type": "terminal"},
    ]});
    let answer =
        format!("read -r line; echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{keyed}}}'; cat > /dev/null");
    let id = "id=$(printf %s \"$line\" | sed 's/.*\"id\":\\([0-9]*\\).*/\\1/')";
    let script = answer
        .replace("read -r line;", &format!("read -r line; {id};"))
        .replace("\"id\":1,", "\"id\":'$id',");
    config["agents"]["keyed"] =
        json!({"command": "sh", "args": ["-c", script], "env": {"THE_KEY": "s3cret-key"}});
    config["agents"]["unkeyed"] = json!({"command": "sh", "args": ["-c", script]});
    config["mcp"] = json!({
        "web": {"url": "http://web.example/?key=s3cret-key"}, "old": {"type": "sse", "url": "http://old.example"},
    });
    let (status, report) = examine(&serve.config(config), &[]).await;
    assert_eq!(status, 0, "{report}");
    let auth = |id: &str| agent(&report, id)["answer"]["auth"].clone();
    let methods = json!(["by-key", "browser"]);
    assert_eq!(auth("keyed"), json!({"state": "ready", "login": "by-key", "methods": methods}));
    assert_eq!(auth("unkeyed"), json!({"state": "by_hand", "methods": methods}));
    let left_out = |id: &str| agent(&report, id)["answer"]["leftOutMcpServers"].clone();
    assert_eq!((left_out("scripted"), left_out("keyed")), (json!(["old"]), json!(["web", "old"])));
    assert_eq!(report["configuration"]["mcpServers"], json!(["web", "old"]));
    assert!(!report.to_string().contains("s3cret"), "{report}");
}

#[tokio::test]
async fn a_running_daemon_is_found_with_its_address_and_a_killed_one_is_not() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("say 1").await;
    let before = files(daemon.world());
    let (status, report) = examine(&daemon.serve, &[]).await;
    assert_eq!(status, 0, "{report}");
    let data = &report["data"];
    assert_eq!((&data["state"], &data["schema"]), (&json!("ours"), &data["knownSchema"]), "{data}");
    let version = &daemon.ready["version"];
    let expected = json!([{"pid": daemon.process.pid, "version": version, "url": daemon.url}]);
    assert_eq!(data["daemons"], expected);
    assert!(
        report["cache"]["files"].as_u64().is_some_and(|files| files >= 1),
        "the simulator's conversation"
    );
    assert_eq!(files(daemon.world()), before);

    let serve = daemon.crash().await;
    let before = files(&serve.world);
    let (status, report) = examine(&serve, &[]).await;
    assert_eq!((status, &report["data"]["daemons"]), (0, &json!([])), "{report}");
    assert_eq!(files(&serve.world), before, "the crash is left for the next daemon");
    let daemon = serve.start().await;
    let (status, serve) = daemon.stop().await;
    assert!(status.success());
    let before = files(&serve.world);
    assert_eq!(examine(&serve, &[]).await.1["data"]["daemons"], json!([]));
    assert_eq!(files(&serve.world), before);
}

#[tokio::test]
async fn a_data_directory_that_cannot_be_used_is_a_problem_and_stays_as_it_is() {
    let serve = Serve::new();
    std::fs::create_dir(serve.world.data()).expect("a folder");
    std::fs::write(serve.world.data().join("thesis.tex"), "of somebody else").expect("a file");
    let before = files(&serve.world);
    let (status, report) = examine(&serve, &[]).await;
    assert_eq!((status, &report["data"]["state"]), (1, &json!("refused")), "{report}");
    assert!(
        report["problems"][0].as_str().is_some_and(|text| text.contains("openscience.format")),
        "{report}"
    );
    assert!(agent(&report, "sim")["answer"].is_object(), "the rest is examined all the same");
    assert_eq!(files(&serve.world), before);
}

#[tokio::test]
async fn a_link_that_leads_nowhere_is_no_place_for_data() {
    let serve = Serve::new();
    std::os::unix::fs::symlink(serve.world.root().join("unmounted"), serve.world.data()).expect("a link");
    let (status, report) = examine(&serve, &[]).await;
    let data = &report["data"];
    assert_eq!(
        (status, &data["state"], &data["writable"]),
        (1, &json!("refused"), &json!(false)),
        "{report}"
    );
    assert!(report["problems"][0].as_str().is_some_and(|text| text.contains("leads nowhere")), "{report}");
    let mut daemon = serve.spawn();
    assert_eq!(daemon.end(SOON).await.code(), Some(1), "serve would not start either");
}

#[tokio::test]
async fn a_missing_program_of_an_mcp_server_is_told() {
    let here = "/bin/sh";
    let config = json!({"mcp": {
        "gone": {"command": "no-such-program"}, "away": {"command": "/no/such/program"},
        "here": {"command": here}, "bare": {"command": "sh"}, "web": {"url": "http://web.example"},
    }});
    let (status, report) = examine(&Serve::new().config(config), &[]).await;
    assert_eq!(status, 0, "agents work without it: {report}");
    let warnings: Vec<&str> = report["configuration"]["warnings"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(Value::as_str)
        .filter(|warning| warning.starts_with("mcp."))
        .collect();
    assert_eq!(
        warnings,
        [
            "mcp.gone.command: there is no program no-such-program",
            "mcp.away.command: there is no program /no/such/program",
        ]
    );
}

#[tokio::test]
async fn files_that_cannot_be_read_are_told_with_the_others() {
    let serve = Serve::new();
    let project = serve.world.project().join("openscience.json");
    std::fs::write(&project, "{broken").expect("a file");
    let (status, report) = examine(&serve, &[]).await;
    assert_eq!(status, 1, "{report}");
    let sources = report["configuration"]["sources"].as_array().expect("a list");
    let found: Vec<&str> = sources.iter().filter_map(|source| source["state"].as_str()).collect();
    assert_eq!(found, ["absent", "present", "present"], "{report}");
    assert!(
        report["configuration"]["error"].as_str().is_some_and(|error| error.contains("openscience.json"))
    );
}

#[tokio::test]
async fn a_wrong_configuration_is_told_and_not_repeated() {
    let wrong = json!({"agents": {"a": {"command": "a", "env": {"KEY": ["s3cret"]}}}});
    let (status, report) = examine(&Serve::new().config(wrong), &[]).await;
    let error = report["configuration"]["error"].as_str().expect("an error");
    assert!(status == 1 && error.contains("agents.a.env.KEY"), "{report}");
    assert!(!report.to_string().contains("s3cret"), "{report}");
    assert_eq!(report["data"]["state"], "absent", "the rest is examined all the same");
    let (status, report) = examine(&Serve::new(), &["--agent", "nobody"]).await;
    let error = report["configuration"]["error"].as_str().expect("an error");
    assert!(status == 1 && error.contains("nobody") && error.contains("sim"), "{report}");
}

#[tokio::test]
async fn files_are_told_with_how_far_they_count() {
    let serve = Serve::new();
    let project = serve.world.project().join("openscience.json");
    std::fs::write(&project, r#"{"server": {"port": 1}, "model": "p/m"}"#).expect("a file");
    let (_, report) = examine(&serve, &[]).await;
    let sources = report["configuration"]["sources"].as_array().expect("a list");
    let states: Vec<&str> = sources.iter().filter_map(|source| source["state"].as_str()).collect();
    assert_eq!(states, ["absent", "reduced", "read"], "{sources:?}");
    assert_eq!(sources[1]["name"], project.display().to_string());
    let warnings = report["configuration"]["warnings"].to_string();
    assert!(warnings.contains("trustedProjects"), "{warnings}");
    let disabled = serve.env("OPENSCIENCE_DISABLE_PROJECT_CONFIG", "1");
    assert_eq!(examine(&disabled, &[]).await.1["configuration"]["sources"][1]["state"], "disabled");
}

#[tokio::test]
async fn whoever_does_not_wait_for_a_silent_agent_leaves_nothing_running() {
    let script = "setsid sleep 1000 & echo started >&2; sleep 1000";
    let config = json!({"agents": {"silent": {"command": "sh", "args": ["-c", script]}}});
    let serve = Serve::new().config(config);
    let mut process = serve.run(&["doctor"]);
    eventually("the agent and its children live", async || {
        (serve.world.processes().len() >= 4).then_some(())
    })
    .await;
    signal(process.pid, Signal::INT);
    assert_eq!(process.end(Duration::from_secs(5)).await.code(), Some(1), "{}", process.stderr());
    eventually("nothing is left", async || serve.world.processes().is_empty().then_some(())).await;
}

#[tokio::test]
async fn people_read_the_same_in_words() {
    let config = json!({"agents": {"mine": {"command": "no-such-agent-anywhere"}}, "defaultAgent": "mine"});
    let daemon = Serve::new().config(config).start().await;
    let data = daemon.world().data().display().to_string();
    let mut process = daemon.serve.run(&["doctor", "--data-dir", &data]);
    assert_eq!(process.end(SOON).await.code(), Some(1));
    let text = process.stdout();
    for part in [
        "mine (default): FAILED at start: command not found: no-such-agent-anywhere",
        "try: install no-such-agent-anywhere",
        "sim (built in): works, ready after ",
        "read: OPENSCIENCE_CONFIG_CONTENT",
        "free: ",
        &format!("in use: process {} at {}", daemon.process.pid, daemon.url),
        "- the default agent mine does not work",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(process.stderr(), "");
    let mut process = daemon.serve.run(&["doctor", "--agent", "sim", "--data-dir", &data]);
    assert_eq!(process.end(SOON).await.code(), Some(0));
    let text = process.stdout();
    assert!(text.ends_with("\nThe daemon and its default agent would work. Not: mine\n"), "{text}");
    let mut help = daemon.serve.run(&["doctor", "--help"]);
    assert!(help.end(SOON).await.success());
    assert!(help.stdout().contains("Changes nothing"), "{}", help.stdout());
}
