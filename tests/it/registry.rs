//! Do agents of the public registry start by their id, without configuration?
//!
//! The network is a server of the test, what would be downloaded is a script that starts the simulator. Which program is
//! looked for, and how archives are unpacked, is tested where it is decided.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{BINARY, Daemon, Serve, World};

/// A folder that is all of `PATH`.
fn bin(world: &World) -> PathBuf {
    world.folder("bin")
}

/// A program that notes its arguments, one a line, and is the simulator from then on.
fn put(world: &World, name: &str) {
    let (log, path) = (world.root().join(name), bin(world).join(name));
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"$@\" > '{}.args'\nexec '{BINARY}' agent sim --history-dir '{}.history'\n",
        log.display(),
        log.display(),
    );
    std::fs::write(&path, script).expect("a script");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
}

/// What it was started with last.
fn arguments(world: &World, name: &str) -> Vec<String> {
    let text = std::fs::read_to_string(world.root().join(format!("{name}.args"))).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

/// A machine with these programs and no other.
fn machine(programs: &[&str]) -> Serve {
    let serve = Serve::new();
    let path = bin(&serve.world).display().to_string();
    for program in programs {
        put(&serve.world, program);
    }
    serve.env("PATH", &path)
}

/// Gives everybody the same, and counts.
fn server(body: Vec<u8>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let url = format!("http://{}", listener.local_addr().expect("an address"));
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { break };
            if stream.read(&mut [0; 4_096]).unwrap_or_default() > 0 {
                count.fetch_add(1, Ordering::SeqCst);
                let head = b"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n";
                stream.write_all(&[head, body.as_slice()].concat()).ok();
            }
        }
    });
    (url, asked)
}

async fn agent_of(daemon: &Daemon, session: &str) -> Value {
    daemon.get(&format!("/session/{session}/agent")).await.json(200)
}

#[tokio::test]
async fn an_alias_is_all_it_takes_to_start_an_agent_through_npx() {
    let daemon = machine(&["npx"]).start().await;
    let id = daemon.create(&json!({"agent": "claude"})).await;
    assert_eq!(agent_of(&daemon, &id).await["agent"], "claude-acp");
    assert_eq!(
        arguments(daemon.world(), "npx"),
        Vec::<String>::new(),
        "nothing starts before the first prompt"
    );
    let receipt = daemon.session(&id).finish("say 2").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(arguments(daemon.world(), "npx"), ["--yes", "@agentclientprotocol/claude-agent-acp"]);
    let shown = daemon.get("/agent/claude").await.json(200);
    assert_eq!((&shown["id"], &shown["source"]), (&json!("claude-acp"), &json!("registry")));
    assert_eq!(
        (&shown["via"], &shown["installed"], &shown["type"]),
        (&json!("npx"), &json!(false), &json!("claude-acp"))
    );
    assert_eq!(shown["registry"]["document"], "embedded");
    let listed = daemon.get("/agent").await.json(200);
    let listed = listed.as_array().expect("a list");
    assert!(listed.contains(&shown), "{listed:?}");
    let default: Vec<&Value> = listed.iter().filter(|agent| agent["default"] == true).collect();
    assert!(matches!(default[..], [sim] if sim["id"] == "sim" && sim["source"] == "built_in"), "{default:?}");
}

#[tokio::test]
async fn what_an_agent_starts_is_looked_up_each_time_and_the_session_stays_bound_to_its_id() {
    let serve = machine(&["npx"]).config(json!({"defaultAgent": "gemini-cli"}));
    let daemon = serve.start().await;
    assert_eq!(
        daemon.get("/runtime/capabilities").await.json(200)["agent"],
        json!({"id": "gemini", "builtIn": false})
    );
    let id = daemon.new_session().await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    assert_eq!(arguments(daemon.world(), "npx"), ["--yes", "@google/gemini-cli", "--acp"]);
    // Somebody installs it meanwhile.
    put(daemon.world(), "gemini");
    daemon.kill_agents().await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    assert_eq!(arguments(daemon.world(), "gemini"), ["--acp"]);
    assert_eq!(daemon.get("/agent/gemini").await.json(200)["installed"], true);
    // And configures it, under another name.
    let (_, serve) = daemon.stop().await;
    put(&serve.world, "own");
    let config = json!({"agents": {"gemini-cli": {"command": "own", "args": ["mine"]}}});
    let daemon = serve.config(config).start().await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    assert_eq!(arguments(daemon.world(), "own"), ["mine"]);
    assert_eq!(agent_of(&daemon, &id).await["agent"], "gemini");
}

#[tokio::test]
async fn what_is_configured_without_a_command_is_laid_over_the_registry() {
    let config = json!({"agents": {"codex": {"args": ["--more"], "env": {"CODEX_KEY": "k-secret"}}}});
    let daemon = machine(&["codex-acp"]).config(config).start().await;
    let id = daemon.new_session().await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    assert_eq!(arguments(daemon.world(), "codex-acp"), ["--more"]);
    let shown = daemon.get("/agent/codex-acp").await.json(200);
    assert_eq!(
        (&shown["id"], &shown["source"], &shown["default"]),
        (&json!("codex"), &json!("configured"), &json!(true))
    );
    assert_eq!((&shown["via"], &shown["env"]), (&json!("path"), &json!(["CODEX_KEY"])));
    assert_eq!(shown["registry"]["id"], "codex-acp");
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_fails_its_run_and_one_that_nobody_knows_is_refused() {
    let daemon = machine(&[]).start().await;
    let id = daemon.create(&json!({"agent": "copilot"})).await;
    let receipt = daemon.session(&id).finish("say 1").await;
    let error = &receipt["error"];
    assert_eq!((&error["code"], &error["stage"]), (&json!("agent_start_failed"), &json!("start")));
    let message = error["message"].as_str().expect("a message");
    let looked = "agent github-copilot-cli is not installed: looked for copilot, npx (searched in ";
    assert!(message.starts_with(looked), "{message}");
    let shown = daemon.get("/agent/copilot").await.json(200);
    assert_eq!((&shown["command"], shown.get("via"), &shown["installed"]), (&json!(""), None, &json!(false)));
    assert!(shown["problem"].as_str().expect("a problem").starts_with(looked), "{shown}");
    assert_eq!(agent_of(&daemon, &id).await.get("command"), None);

    let refusal = daemon.post("/session", &json!({"agent": "nobody"})).await.refusal(400, "agent_not_found");
    let message = refusal["message"].as_str().expect("a message");
    assert!(message.ends_with("configured: sim") && !message.contains("nobody"), "{message}");
    daemon.get("/agent/nobody").await.refusal(404, "agent_not_found");
    let daemon = Serve::new().config(json!({"registry": {"enabled": false}})).start().await;
    daemon.post("/session", &json!({"agent": "claude"})).await.refusal(400, "agent_not_found");
    assert_eq!(daemon.get("/agent").await.json(200).as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn the_network_is_asked_for_what_nobody_here_knows_and_not_before() {
    let entry =
        json!({"id": "newcomer", "distribution": {"uvx": {"package": "newcomer==2", "args": ["acp"]}}});
    let document = json!({"agents": [entry]}).to_string();
    let (url, asked) = server(document.clone().into_bytes());
    let serve = machine(&["uvx", "npx"]).env("OPENSCIENCE_REGISTRY_URL", &format!("{url}/registry.json"));
    let daemon = serve.start().await;
    daemon.get("/agent").await.json(200);
    let id = daemon.create(&json!({"agent": "goose"})).await;
    assert_eq!(agent_of(&daemon, &id).await["agent"], "goose");
    assert_eq!(asked.load(Ordering::SeqCst), 0, "what came with the daemon was enough");
    let id = daemon.create(&json!({"agent": "newcomer"})).await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    assert_eq!(arguments(daemon.world(), "uvx"), ["newcomer==2", "acp"]);
    daemon.post("/session", &json!({"agent": "nobody"})).await.refusal(400, "agent_not_found");
    assert_eq!(asked.load(Ordering::SeqCst), 1, "a day is not over");
    let cached = daemon.world().data().join("cache/registry.json");
    assert_eq!(std::fs::read_to_string(cached).expect("the cache"), document);
    assert_eq!(daemon.get("/agent/newcomer").await.json(200)["registry"]["document"], "fresh");
}

/// Runs `openscience agent …`; its exit status, stdout and stderr.
async fn agent(serve: &Serve, args: &[&str]) -> (i32, String, String) {
    let data = serve.world.data().display().to_string();
    let mut process = serve.run(&[&["agent"], args, &["--data-dir", &data]].concat());
    let status = process.end(Duration::from_secs(20)).await.code().expect("an exit status");
    (status, process.stdout(), process.stderr())
}

#[tokio::test]
async fn an_agent_is_installed_by_a_command_and_then_starts_without_path() {
    let serve = machine(&["tool"]);
    let program = bin(&serve.world).join("tool");
    let (archive, _) = server(std::fs::read(&program).expect("a script"));
    std::fs::remove_file(program).expect("it is not on the path");
    let target = json!({"archive": format!("{archive}/tool-linux"), "cmd": "./tool", "args": ["acp"]});
    let platforms = ["linux-x86_64", "linux-aarch64", "darwin-x86_64", "darwin-aarch64"];
    let binary: serde_json::Map<String, Value> =
        platforms.iter().map(|platform| ((*platform).to_owned(), target.clone())).collect();
    let entry = json!({"id": "tool", "name": "Tool", "version": "1.0.0", "distribution": {"binary": binary}});
    let (url, asked) = server(json!({"agents": [entry]}).to_string().into_bytes());
    let serve = serve.env("OPENSCIENCE_REGISTRY_URL", &format!("{url}/registry.json"));
    assert_eq!(agent(&serve, &["update"]).await, (0, "1 agents are known\n".into(), String::new()));
    let (status, told, _) = agent(&serve, &["install", "tool"]).await;
    let path = serve.world.data().join("cache/agents/tool/1.0.0/files/tool");
    let first = told.lines().next().unwrap_or_default();
    assert_eq!(
        (status, first),
        (0, format!("tool 1.0.0 is installed: {}", path.display()).as_str()),
        "{told}"
    );
    assert!(told.contains("no digest"), "{told}");
    let (status, told, _) = agent(&serve, &["install", "tool"]).await;
    assert!(status == 0 && told.starts_with("tool 1.0.0 was installed before: "), "{told}");
    let (status, told, error) = agent(&serve, &["install", "nobody"]).await;
    assert_eq!((status, told.as_str()), (1, ""), "{error}");
    assert!(error.contains("the registry knows no agent nobody; it knows tool"), "{error}");
    assert_eq!(asked.load(Ordering::SeqCst), 1);

    let daemon = serve.start().await;
    let id = daemon.create(&json!({"agent": "tool"})).await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    assert_eq!(arguments(daemon.world(), "tool"), ["acp"]);
    let shown = daemon.get("/agent/tool").await.json(200);
    assert_eq!((&shown["via"], &shown["installed"]), (&json!("installed"), &json!(true)));
    assert_eq!(shown["command"].as_str().map(Path::new), Some(path.as_path()));
}

#[tokio::test]
async fn without_a_network_the_commands_say_so_and_nothing_hangs() {
    let serve = machine(&[]);
    let (status, _, error) = agent(&serve, &["update"]).await;
    assert!(
        status == 1 && error.contains("the registry was not fetched: the network did not deliver it"),
        "{error}"
    );
    let (status, _, error) = agent(&serve, &["install", "goose"]).await;
    assert!(status == 1 && error.contains("agent goose was not installed: it was not fetched"), "{error}");
    // What the commands left is the daemon's own.
    let daemon = serve.start().await;
    assert_eq!(daemon.session(&daemon.new_session().await).finish("say 1").await["state"], "completed");
}

#[tokio::test]
async fn doctor_tells_which_agents_of_the_registry_are_here_and_starts_none_that_would_be_downloaded() {
    let serve = machine(&["goose", "codex-acp", "npx"]);
    let examine = async |args: &[&str]| {
        let data = serve.world.data().display().to_string();
        let all = [&["doctor", "--format", "json", "--data-dir", &data], args].concat();
        let mut process = serve.run(&all);
        let status = process.end(Duration::from_secs(20)).await.code().expect("an exit status");
        let report: Value = serde_json::from_str(&process.stdout()).expect("a report");
        (status, report)
    };
    let find = |report: &Value, id: &str| {
        let agents = report["agents"].as_array().expect("a list");
        agents.iter().find(|agent| agent["id"] == id).cloned().unwrap_or_else(|| panic!("no {id}: {report}"))
    };
    let (status, report) = examine(&[]).await;
    assert_eq!(status, 0, "{report}");
    assert_eq!(report["agents"].as_array().map(Vec::len), Some(1), "only what is configured is started");
    let registry = &report["registry"];
    assert_eq!(registry["document"], "embedded");
    let installed = registry["installed"].as_array().expect("a list");
    let ids: Vec<&Value> = installed.iter().map(|agent| &agent["id"]).collect();
    assert_eq!(ids, ["codex-acp", "goose"]);
    assert_eq!(installed[0]["via"], "path");
    // The default agent has to work.
    let (status, report) = examine(&["--agent", "codex"]).await;
    assert!(status == 0 && find(&report, "codex-acp")["answer"].is_object(), "{report}");
    let (status, report) = examine(&["--agent", "claude"]).await;
    let claude = find(&report, "claude-acp");
    assert_eq!((status, &claude["default"], claude.get("answer")), (0, &json!(true), None), "{report}");
    assert!(claude["hint"].as_str().expect("a hint").starts_with("npx downloads it"), "{claude}");
    assert_eq!(arguments(&serve.world, "npx"), Vec::<String>::new());
    let (status, report) = examine(&["--agent", "kimi"]).await;
    assert_eq!((status, &report["problems"]), (1, &json!(["the default agent kimi does not work"])));
    assert!(find(&report, "kimi")["error"]["message"].as_str().expect("why").contains("looked for kimi"));
}
