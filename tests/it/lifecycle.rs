//! Are agent processes started with what they need and nothing else, and ended with all they started?

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{BINARY, Daemon, Process, Serve, alive, eventually, kill, scripted};

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
async fn sessions_that_start_together_share_one_start() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &["--slow", "200"]);
    let daemon = serve.config(config).start().await;
    let ids = join_all((0..6).map(|_| daemon.new_session())).await;
    let ends = join_all(ids.iter().map(async |id| daemon.session(id).finish("text done").await)).await;
    assert!(ends.iter().all(|receipt| receipt["state"] == "completed"), "{ends:?}");
    assert_eq!((log.received("initialize").len(), log.received("session/new").len()), (1, 6));
    assert_eq!(daemon.agents().len(), 1);
}

#[tokio::test]
async fn who_gives_up_waiting_for_an_agent_takes_nobody_along() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &["--slow", "500"]);
    let daemon = serve.config(config).start().await;
    let (leaves, stays) = (daemon.new_session().await, daemon.new_session().await);
    let left = daemon.session(&leaves).say("text never").await;
    let waited = daemon.session(&stays).say("text done").await;
    eventually("it starts", async || log.received("initialize").first().map(drop)).await;
    daemon.session(&leaves).cancel(&left).await.json(200);
    assert_eq!(daemon.session(&leaves).settled(&left).await["state"], "cancelled");
    assert_eq!(daemon.session(&stays).settled(&waited).await["state"], "completed");
    assert_eq!(log.received("session/prompt").len(), 1, "what was cancelled is never sent");
    assert_eq!(log.received("initialize").len(), 1, "the start went on for who stayed");
    eventually("one process is left", async || (daemon.agents().len() == 1).then_some(())).await;
}

#[tokio::test]
async fn a_daemon_that_stops_while_agents_start_leaves_nothing_behind() {
    let config = json!({
        "agents": {"stuck": {"command": "/bin/sh", "args": ["-c", "sleep 600 & sleep 601; true"]}},
        "defaultAgent": "stuck",
    });
    let serve = Serve::new().config(config);
    for begun in [true, false] {
        let daemon = serve.start().await;
        let id = daemon.new_session().await;
        let run = daemon.session(&id).say("say 1").await;
        if begun {
            eventually("its tree is there", async || (daemon.agents().len() >= 3).then_some(())).await;
        }
        let begin = Instant::now();
        let (status, serve) = daemon.stop().await;
        assert_eq!(status.code(), Some(0));
        assert!(begin.elapsed() < Duration::from_secs(6), "took {:?}", begin.elapsed());
        assert_eq!(serve.world.processes(), Vec::<i32>::new(), "begun: {begun}");
        let daemon = serve.start().await;
        assert_eq!(daemon.session(&id).run(&run).await["state"], "interrupted");
    }
}

#[tokio::test]
async fn an_agent_that_dies_while_the_daemon_stops_ends_its_run_once() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let run = daemon.session(&id).say("say 1\nhang").await;
    daemon.session(&id).running(&run).await;
    let agents = daemon.agents();
    let (stopped, ()) = tokio::join!(daemon.stop(), async { agents.into_iter().for_each(kill) });
    let (status, serve) = stopped;
    assert_eq!(status.code(), Some(0));
    let daemon = serve.start().await;
    let session = daemon.session(&id);
    let state = session.run(&run).await["state"].clone();
    assert!(state == "failed" || state == "interrupted", "{state}");
    assert_eq!(session.events(0).await.iter().filter(|event| event.is_terminal()).count(), 1);
    session.assert_transcript_is_told().await;
    assert_eq!(session.finish("say 1").await["state"], "completed");
}

#[tokio::test]
async fn sessions_and_restarts_leave_nothing_behind_in_the_daemon() {
    let daemon = Daemon::start().await;
    let held = |what: &str| {
        let folder = format!("/proc/{}/{what}", daemon.process.pid);
        std::fs::read_dir(folder).expect("a living daemon").count()
    };
    let round = async || {
        let ids = join_all((0..20).map(|_| daemon.new_session())).await;
        let ends = join_all(ids.iter().map(async |id| daemon.session(id).finish("say 1").await)).await;
        assert!(ends.iter().all(|receipt| receipt["state"] == "completed"), "{ends:?}");
        drop(join_all(ids.iter().map(async |id| daemon.session(id).stream(0).await.next().await)).await);
        join_all(ids.iter().map(async |id| daemon.delete(&format!("/session/{id}")).await.json(200))).await;
        daemon.kill_agents().await;
    };
    round().await;
    let (files, threads) = (held("fd"), held("task"));
    for _ in 0..4 {
        round().await;
    }
    // The client keeps connections open, and threads that wait for work come and go.
    eventually("all is given back", async || {
        (held("fd") <= files + 10 && held("task") <= threads + 6).then_some(())
    })
    .await;
    assert_eq!(daemon.agents(), Vec::<i32>::new());
}

#[tokio::test]
async fn the_log_tells_no_prompt_no_answer_and_no_secret() {
    let serve = Serve::new().token("server-token-42").args(&["--log-level", "DEBUG"]);
    let (mut config, _log) = scripted(&serve.world, &[]);
    config["agents"]["scripted"]["env"] = json!({"API_KEY": "hunter2-hunter2"});
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("text my-answer").await;
    let run = session.say("ask 1").await;
    let asked = session.permission().await;
    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    session.settled(&run).await;
    session.finish("env\nerror -32603 my-failure").await;
    daemon.post("/runtime/prompt", &json!({"sessionID": id, "my-key": "my-prompt"})).await.refused(400);
    let (_, serve) = daemon.stop().await;
    let log = std::fs::read_to_string(serve.world.data().join("logs/openscience.log")).expect("a log");
    assert!(log.contains(&id) || log.contains("agent connected"), "something is logged: {log}");
    for secret in ["my-answer", "my-prompt", "my-failure", "my-key", "hunter2", "server-token-42", "echo 0"] {
        let line = log.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{secret}");
    }
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
async fn a_daemon_without_any_environment_works() {
    let serve = Serve::new();
    let config = json!({"agents": {"missing": {"command": "no-such-agent"},
        "mine": {"command": BINARY, "args": ["agent", "sim"]}}, "defaultAgent": "mine"});
    let env = [("OPENSCIENCE_CONFIG_CONTENT".to_owned(), config.to_string())];
    let data = serve.world.data().display().to_string();
    let args = ["serve", "--port", "0", "--format", "json", "--data-dir", &data].map(str::to_owned);
    let world = Arc::clone(&serve.world);
    let process = Process::start(&world, Path::new(BINARY), &args, &env, &world.project());
    let daemon = serve.adopt(process).await;
    let id = daemon.new_session().await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    let id = daemon.create(&json!({"agent": "missing"})).await;
    let receipt = daemon.session(&id).finish("say 1").await;
    let message = receipt["error"]["message"].as_str().expect("a message");
    assert!(message.contains("no-such-agent") && message.contains("/usr/bin"), "{message}");
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
        daemon.session(id).running(&run).await;
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
