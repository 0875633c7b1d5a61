//! Are agent processes started with what they need and nothing else, and ended with all they started?

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{BINARY, Daemon, Serve, alive, eventually, scripted};

/// The simulator behind two shells, the way package runners start agents.
fn wrapped() -> Value {
    let inner = format!("\"{BINARY}\" agent sim; true");
    let outer = format!("/bin/sh -c '{inner}'; true");
    json!({"agents": {"wrapped": {"command": "/bin/sh", "args": ["-c", outer]}}, "defaultAgent": "wrapped"})
}

#[tokio::test]
async fn a_wrapped_agent_goes_with_its_wrapper() {
    let daemon = Serve::new().config(wrapped()).start().await;
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("spawn\nspawn detached\nsay 1").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert!(daemon.agents().len() >= 5, "two shells, the agent, two grandchildren: {:?}", daemon.agents());
    let (status, serve) = daemon.stop().await;
    assert_eq!(status.code(), Some(0));
    assert_eq!(serve.world.processes(), Vec::<i32>::new());
}

#[tokio::test]
async fn what_a_killed_daemon_leaves_is_swept_at_the_next_start() {
    let daemon = Serve::new().config(wrapped()).start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("spawn\nspawn holding\nsay 1").await;
    let old = daemon.agents();
    assert!(old.len() >= 5, "{old:?}");
    let daemon = daemon.crash().await.start().await;
    eventually("the old tree is gone", async || old.iter().all(|pid| !alive(*pid)).then_some(())).await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
}

#[tokio::test]
async fn stubborn_agents_and_their_orphans_end_with_the_daemon() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &["--stubborn"]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("orphan\ntext done").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(daemon.agents().len(), 2);
    let (status, serve) = daemon.stop().await;
    assert_eq!(status.code(), Some(0));
    assert_eq!(serve.world.processes(), Vec::<i32>::new());
}

#[tokio::test]
async fn one_process_serves_many_sessions_of_a_project_and_another_project_gets_its_own() {
    let daemon = Daemon::start().await;
    for _ in 0..3 {
        let id = daemon.new_session().await;
        assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    }
    assert_eq!(daemon.agents().len(), 1);
    let other = daemon.world().folder("other").display().to_string();
    let query = format!("directory={}", crate::support::encode(&other));
    let session = daemon.post(&format!("/session?{query}"), &json!({"workspace": "project"})).await.json(200);
    let prompt = json!({"sessionID": session["id"], "effort": "normal", "message": "say 1"});
    let accepted = daemon.post(&format!("/runtime/prompt?{query}"), &prompt).await.json(202);
    let run = accepted["runID"].as_str().expect("an id");
    let path =
        format!("/runtime/run?{query}&runID={run}&sessionID={}", session["id"].as_str().expect("an id"));
    eventually("it completes", async || {
        (daemon.get(&path).await.json(200)["state"] == "completed").then_some(())
    })
    .await;
    assert_eq!(daemon.agents().len(), 2);
}

#[tokio::test]
async fn an_agent_sees_an_allowed_environment_and_its_own_values() {
    let serve = Serve::new()
        .token("server-token")
        .env("DATABASE_URL", "MARKER")
        .env("HTTPS_PROXY", "http://127.0.0.1:9");
    let (mut config, _log) = scripted(&serve.world, &[]);
    let other = config["agents"]["scripted"].clone();
    config["agents"]["other"] = other;
    config["agents"]["scripted"]["env"] = json!({"API_KEY": "first-key"});
    config["agents"]["other"]["env"] = json!({"OTHER_KEY": "second-key"});
    let daemon = serve.config(config).start().await;
    let environment = async |agent: &str| -> Value {
        let id = daemon.create(&json!({"agent": agent, "workspace": "project"})).await;
        let receipt = daemon.session(&id).finish("env").await;
        serde_json::from_str(&daemon.session(&id).answer(&receipt).await).expect("JSON")
    };
    let (first, second) = (environment("scripted").await, environment("other").await);
    for seen in [&first, &second] {
        assert_eq!(seen["HOME"], daemon.world().home().display().to_string());
        assert!(seen["PATH"].is_string() && seen["HTTPS_PROXY"].is_string(), "{seen}");
        let text = seen.to_string();
        for secret in ["server-token", "MARKER", "OPENSCIENCE_AUTH_TOKEN", "OPENSCIENCE_CONFIG_CONTENT"] {
            assert!(!text.contains(secret), "{secret}: {text}");
        }
    }
    assert_eq!((&first["API_KEY"], first.get("OTHER_KEY")), (&json!("first-key"), None));
    assert_eq!((&second["OTHER_KEY"], second.get("API_KEY")), (&json!("second-key"), None));
}

#[tokio::test]
async fn configured_secrets_are_masked_in_what_an_agent_last_said() {
    let script = "echo \"my key is $API_KEY\" >&2; exit 4";
    let leaky = json!({"command": "/bin/sh", "args": ["-c", script], "env": {"API_KEY": "hunter2-hunter2"}});
    let daemon =
        Serve::new().config(json!({"agents": {"leaky": leaky}, "defaultAgent": "leaky"})).start().await;
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("say 1").await;
    let stderr = receipt["error"]["stderr"].as_str().expect("a tail");
    assert!(stderr.contains("my key is") && !receipt.to_string().contains("hunter2"), "{receipt}");
    let events = daemon.session(&id).events(0).await;
    assert!(events.iter().all(|event| !event.properties.to_string().contains("hunter2")));
}

#[tokio::test]
async fn blanks_and_letters_in_paths_are_kept() {
    let serve = Serve::new();
    let folder = serve.world.folder("My Dir (α) #1");
    let program = folder.join("the agent.sh");
    std::fs::write(&program, format!("#!/bin/sh\nexec \"{BINARY}\" agent sim\n")).expect("a script");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("an executable");
    let agent = json!({"command": program.display().to_string()});
    let config = json!({"agents": {"mine": agent}, "defaultAgent": "mine"});
    let daemon = serve.config(config).data(folder.join("data ö")).start().await;
    for body in [json!({}), json!({"workspace": "project"})] {
        let id = daemon.create(&body).await;
        let receipt = daemon.session(&id).finish("say 1").await;
        assert_eq!(receipt["state"], "completed", "{receipt}");
    }
}

#[tokio::test]
async fn an_agents_own_path_is_searched_for_its_command() {
    let serve = Serve::new();
    let bin = serve.world.folder("bin");
    std::os::unix::fs::symlink(BINARY, bin.join("my-agent")).expect("a link");
    let path = format!("{}:/usr/bin:/bin", bin.display());
    let agent = json!({"command": "my-agent", "args": ["agent", "sim"], "env": {"PATH": path}});
    let daemon = serve.config(json!({"agents": {"mine": agent}, "defaultAgent": "mine"})).start().await;
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("say 1").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
}

#[tokio::test]
async fn a_strict_agent_is_spoken_to_by_the_book() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("text one\nerror -32603 no").await;
    let run = session.say("ask 2").await;
    for asked in session.permissions(2).await.iter().rev() {
        session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    }
    session.settled(&run).await;
    let run = session.say("text two\nhang").await;
    session.cancel(&run).await.json(200);
    session.settled(&run).await;
    let other = daemon.create(&json!({})).await;
    assert_eq!(daemon.session(&other).finish("text three").await["state"], "completed");
    daemon.delete(&format!("/session/{id}")).await.json(200);
    let methods: Vec<String> =
        log.entries().iter().filter_map(|entry| entry["method"].as_str().map(str::to_owned)).collect();
    assert_eq!(methods.first().map(String::as_str), Some("initialize"));
    assert_eq!(methods.iter().filter(|method| *method == "initialize").count(), 1);
    assert_eq!(methods.iter().filter(|method| *method == "session/new").count(), 2);
    let prompt = log.received("session/prompt").first().map(|frame| frame["params"]["prompt"].clone());
    assert_eq!(prompt, Some(json!([{"type": "text", "text": "text one\nerror -32603 no"}])));
}

#[tokio::test]
async fn a_deletion_goes_on_when_its_caller_leaves_and_when_the_daemon_is_killed() {
    let daemon = Daemon::start().await;
    let left = daemon.new_session().await;
    let killed = daemon.new_session().await;
    for id in [&left, &killed] {
        let run = daemon.session(id).say("ignore-cancel\nsay 1\nhang").await;
        eventually("it runs", async || {
            (daemon.session(id).run(&run).await["state"] == "running").then_some(())
        })
        .await;
    }
    let impatient = |daemon: &Daemon, id: &str| {
        daemon.request(Method::DELETE, &format!("/session/{id}")).timeout(Duration::from_millis(300)).send()
    };
    assert!(impatient(&daemon, &left).await.is_err(), "the agent takes longer to end");
    let gone = async |daemon: &Daemon, id: &str| {
        let path = format!("/session/{id}");
        eventually("it is gone", async || (daemon.get(&path).await.status == 404).then_some(())).await;
    };
    gone(&daemon, &left).await;
    assert!(impatient(&daemon, &killed).await.is_err(), "the agent takes longer to end");
    let daemon = daemon.crash().await.start().await;
    gone(&daemon, &killed).await;
    daemon.post("/session", &json!({ "id": killed })).await.refusal(409, "session_deleted");
}
