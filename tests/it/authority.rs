//! Does the daemon read, write and run for an agent what it may, and nothing else?

use std::fs;

use serde_json::{Value, json};

use crate::support::{Daemon, Serve, Session, alive, eventually};

/// A daemon whose rules allow edits and commands.
async fn lenient() -> Daemon {
    Serve::new().config(json!({"permission": {"edit": "allow", "bash": "allow"}})).start().await
}

/// What the agent told of one directive.
async fn told(session: Session<'_>, directive: &str) -> String {
    let receipt = session.finish(directive).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    session.answer(&receipt).await
}

#[tokio::test]
async fn an_agent_reads_the_project_without_asking_and_nothing_outside_of_it() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    fs::write(daemon.world().project().join("a.txt"), "what is read").unwrap();
    fs::write(daemon.world().root().join("secret"), "secret").unwrap();
    fs::write(daemon.world().project().join("bytes"), [0xff]).unwrap();
    assert_eq!(told(session, "read a.txt").await, "what is read");
    for (path, says) in [
        ("none", "-32002 there is no such file"),
        ("../secret", "-32602 the path lies outside the directories of this session"),
        ("/etc/passwd", "-32602 the path lies outside the directories of this session"),
        ("bytes", "-32602 the file is not UTF-8 text"),
        (".", "-32602 it is not a regular file"),
    ] {
        assert_eq!(told(session, &format!("read {path}")).await, format!("read failed: {says}"));
    }
    let events = session.events(0).await;
    assert!(!events.iter().any(|event| event.is("permission.asked") || event.is("permission.replied")));
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_rule_about_reading_counts() {
    let rules = json!({"permission": {"read": {"*/secret*": "deny", "*/diary": "ask"}}});
    let daemon = Serve::new().config(rules).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for name in ["secret.txt", "diary", "a"] {
        fs::write(daemon.world().project().join(name), name).unwrap();
    }
    assert_eq!(told(session, "read secret.txt").await, "read failed: -32603 permission denied");
    assert_eq!(told(session, "read a").await, "a");
    let run = session.say("read diary").await;
    let asked = session.permission().await;
    assert_eq!(asked["permission"], "read");
    session.reply(asked["id"].as_str().unwrap(), "once").await.json(200);
    assert_eq!(session.answer(&session.settled(&run).await).await, "diary");
}

#[tokio::test]
async fn a_write_is_asked_for_and_done_once_a_person_allows_it() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let file = daemon.world().project().join("sub/new.txt");
    for (reply, says) in [("reject", "write failed: -32603 permission denied"), ("once", "wrote sub/new.txt")]
    {
        let run = session.say("write sub/new.txt hello").await;
        let asked = session.permission().await;
        assert_eq!(asked["patterns"], json!([file]), "{asked}");
        assert_eq!(asked["permission"], "edit");
        assert_eq!(asked["metadata"]["rawInput"]["content"], "hello");
        assert!(!file.exists(), "not before it is allowed");
        let result = session.reply(asked["id"].as_str().unwrap(), reply).await.json(200);
        assert_eq!(result["status"], "resolved");
        assert_eq!(session.answer(&session.settled(&run).await).await, says);
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), "hello");
    // Nobody is asked for what cannot be done.
    let outside = daemon.world().root().join("outside");
    let said = told(session, &format!("write {} x", json!(outside))).await;
    assert_eq!(said, "write failed: -32602 the path lies outside the directories of this session");
    assert!(!outside.exists());
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn what_is_remembered_is_done_without_asking() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("write a 1").await;
    let asked = session.permission().await;
    assert_eq!(asked["always"], json!([daemon.world().project().join("a")]));
    session.reply(asked["id"].as_str().unwrap(), "project").await.json(200);
    session.settled(&run).await;
    let other = daemon.new_session().await;
    assert_eq!(told(daemon.session(&other), "write a 2").await, "wrote a");
    assert_eq!(fs::read_to_string(daemon.world().project().join("a")).unwrap(), "2");
}

#[tokio::test]
async fn an_isolated_session_writes_its_own_folder_and_only_reads_the_project() {
    let daemon = lenient().await;
    let id = daemon.create(&json!({"workspace": "isolated"})).await;
    let session = daemon.session(&id);
    let project = daemon.world().project();
    fs::write(project.join("a"), "of the project").unwrap();
    assert_eq!(told(session, "write own mine\nread own").await, "wrote own\nmine");
    let own = daemon.world().data().join("workspaces").join(&id).join("own");
    assert_eq!(fs::read_to_string(own).unwrap(), "mine");
    assert_eq!(told(session, &format!("read {}", json!(project.join("a")))).await, "of the project");
    let said = told(session, &format!("write {} x", json!(project.join("a")))).await;
    assert_eq!(said, "write failed: -32602 the path lies outside the directories of this session");
    let other = daemon.create(&json!({"workspace": "isolated"})).await;
    let foreign = daemon.world().data().join("workspaces").join(&other).join("x");
    let said = told(session, &format!("write {} x", json!(foreign))).await;
    assert!(said.starts_with("write failed: -32602"), "{said}");
}

#[tokio::test]
async fn a_command_runs_in_the_session_s_directory_and_its_output_is_told() {
    let daemon = lenient().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let said = told(session, r#"terminal sh "-c" "pwd; echo err >&2; exit 3""#).await;
    assert_eq!(said, format!("exit 3: {}\nerr\n", daemon.world().project().display()));
    let said = told(session, "terminal env").await;
    assert!(!said.contains("OPENSCIENCE_CONFIG") && said.contains("HOME="), "{said}");
    let said = told(session, "terminal no-such-command-here").await;
    assert_eq!(said, "terminal failed: -32603 there is no such command");
    let create = |more: Value| {
        let mut params = json!({"command": "true"});
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        format!("call terminal/create {params}")
    };
    for cwd in ["/", "relative"] {
        let said = told(session, &create(json!({"cwd": cwd}))).await;
        assert!(said.contains("-32602"), "{cwd}: {said}");
    }
    let said = told(session, r#"call terminal/output {"terminalId":"ter_none"}"#).await;
    assert_eq!(said, "terminal/output failed: -32002 there is no such terminal");
}

#[tokio::test]
async fn a_denied_command_is_not_started() {
    let rules = json!({"permission": {"bash": {"*": "allow", "touch *": "deny"}}});
    let daemon = Serve::new().config(rules).start().await;
    let id = daemon.new_session().await;
    let said = told(daemon.session(&id), r#"terminal sh "-c" "true; touch made""#).await;
    assert_eq!(said, "terminal failed: -32603 permission denied");
    assert!(!daemon.world().project().join("made").exists());
}

/// The id of a process that a terminal of the session runs, once it does.
async fn sleeper(daemon: &Daemon) -> i32 {
    let file = daemon.world().project().join("pid");
    eventually("the command runs", async || fs::read_to_string(&file).ok()?.trim().parse().ok()).await
}

const SLEEP: &str = r#"terminal sh "-c" "sleep 1000 & echo $! > pid; wait""#;

async fn gone(pid: i32) {
    eventually("the command has ended", async || (!alive(pid)).then_some(())).await;
}

#[tokio::test]
async fn a_cancel_ends_what_runs_in_terminals() {
    let daemon = lenient().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say(SLEEP).await;
    let pid = sleeper(&daemon).await;
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    gone(pid).await;
    assert_eq!(told(session, "say 1").await, "w1");
}

#[tokio::test]
async fn terminals_end_with_their_agent_their_session_and_their_daemon() {
    for how in ["agent", "session", "stop", "crash"] {
        let daemon = lenient().await;
        let id = daemon.new_session().await;
        let run = daemon.session(&id).say(SLEEP).await;
        let pid = sleeper(&daemon).await;
        match how {
            "agent" => {
                let connections = daemon.get("/agent/connection").await.json(200);
                let connection = connections[0]["id"].as_str().unwrap().to_owned();
                daemon.delete(&format!("/agent/connection/{connection}")).await.json(200);
                assert_eq!(daemon.session(&id).settled(&run).await["error"]["code"], "agent_exited");
                gone(pid).await;
            }
            "session" => {
                daemon.delete(&format!("/session/{id}")).await.json(200);
                gone(pid).await;
            }
            "stop" => {
                let (status, serve) = daemon.stop().await;
                assert!(status.success());
                gone(pid).await;
                assert_eq!(serve.world.processes(), Vec::<i32>::new());
            }
            _ => {
                let serve = daemon.crash().await;
                let daemon = serve.start().await;
                gone(pid).await;
                assert_eq!(daemon.session(&id).run(&run).await["state"], "interrupted");
            }
        }
    }
}

#[tokio::test]
async fn a_silent_turn_is_not_stalled_while_a_command_runs_for_it() {
    let rules = json!({"permission": {"bash": "allow"}, "stallTimeoutMs": 300});
    let daemon = Serve::new().config(rules).start().await;
    let id = daemon.new_session().await;
    assert_eq!(told(daemon.session(&id), "terminal sleep \"1\"").await, "exit 0: ");
}
