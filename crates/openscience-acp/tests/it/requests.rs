//! What an agent asks its client to do: files are told and answered, terminals run and end.

use std::path::Path;
use std::time::Duration;

use openscience_acp::{Refused, SessionEvent, TERMINALS_MAX};
use openscience_core::authority::{Request, Run};
use openscience_core::input::{RequestKey, TerminalExit, TerminalSeen, TerminalStage};
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::peer::{Events, Peer, blocks, limits, session, turn};

fn ask(id: u32, method: &str, mut params: Value) -> Value {
    if params.get("sessionId").is_none() {
        params["sessionId"] = json!("s1");
    }
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

async fn told(events: &mut Events) -> (RequestKey, Request) {
    match events.next().await {
        SessionEvent::Request { key, request } => (key, *request),
        other => panic!("expected a request, got {other:?}"),
    }
}

async fn seen(events: &mut Events) -> TerminalSeen {
    match events.next().await {
        SessionEvent::Terminal(seen) => *seen,
        other => panic!("expected a terminal, got {other:?}"),
    }
}

fn shell(script: &str) -> Run {
    Run { command: "sh".to_owned(), args: vec!["-c".to_owned(), script.to_owned()], ..Run::default() }
}

/// Answers of the client by the id of the request, whatever their order.
async fn answer(peer: &mut Peer) -> Value {
    timeout(Duration::from_secs(20), peer.recv()).await.expect("no answer")
}

#[tokio::test]
async fn files_are_told_as_requests_and_answered_once() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    peer.send(ask(0, "fs/read_text_file", json!({"path": "/ws/a", "line": 2}))).await;
    let (key, request) = told(&mut events).await;
    assert_eq!(request, Request::Read { path: "/ws/a".to_owned(), line: Some(2), limit: None });
    assert!(connection.respond(key, Ok(json!({"content": "two"}))).await);
    assert!(!connection.respond(key, Ok(json!({}))).await, "answered once");
    assert_eq!(answer(&mut peer).await, json!({"jsonrpc": "2.0", "id": 0, "result": {"content": "two"}}));

    peer.send(ask(1, "fs/write_text_file", json!({"path": "/ws/a", "content": "x"}))).await;
    let (key, _) = told(&mut events).await;
    connection.respond(key, Err(Refused::new(Refused::FAILED, "permission denied"))).await;
    assert_eq!(answer(&mut peer).await["error"], json!({"code": -32603, "message": "permission denied"}));
}

#[tokio::test]
async fn what_nobody_can_answer_is_refused_at_once() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    for (params, method) in [
        (json!({"path": "/ws/a", "sessionId": "other"}), "fs/read_text_file"),
        (json!({"command": "ls", "sessionId": "other"}), "terminal/create"),
        (json!({"path": 7}), "fs/read_text_file"),
        (json!({"path": "/ws/a"}), "fs/write_text_file"),
    ] {
        peer.send(ask(1, method, params)).await;
        assert_eq!(answer(&mut peer).await["error"]["code"], -32602, "{method}");
    }
    for method in ["output", "wait_for_exit", "kill", "release"] {
        peer.send(ask(1, &format!("terminal/{method}"), json!({"terminalId": "ter_none"}))).await;
        let error = answer(&mut peer).await["error"].clone();
        assert_eq!(error, json!({"code": -32002, "message": "there is no such terminal"}));
    }
    // Taken back by the agent, and forgotten with its session.
    peer.send(ask(5, "fs/read_text_file", json!({"path": "/ws/a"}))).await;
    let (key, _) = told(&mut events).await;
    peer.send(json!({"method": "$/cancel_request", "params": {"requestId": 5}})).await;
    assert_eq!(answer(&mut peer).await["error"]["code"], -32800);
    assert!(!connection.respond(key, Ok(json!({}))).await);
    peer.send(ask(6, "fs/read_text_file", json!({"path": "/ws/a"}))).await;
    events.next().await;
    told(&mut events).await;
    connection.release("s1");
    let answer = answer(&mut peer).await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(6), &json!(-32800)));
}

#[tokio::test]
async fn a_command_runs_and_its_output_and_end_are_told() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let run = Run {
        env: vec![("WORD".to_owned(), "hé".to_owned())],
        ..shell("echo $WORD; pwd; echo err >&2; exit 3")
    };
    let folder = std::env::temp_dir().canonicalize().unwrap();
    connection.run("s1", "ter_1".to_owned(), run, &folder).await.unwrap();
    let started = seen(&mut events).await;
    assert_eq!((started.id.as_str(), started.exit), ("ter_1", None));
    assert_eq!(started.cwd, folder.to_string_lossy());

    peer.send(ask(1, "terminal/wait_for_exit", json!({"terminalId": "ter_1"}))).await;
    assert_eq!(answer(&mut peer).await["result"], json!({"exitCode": 3, "signal": null}));
    let output = format!("hé\n{}\nerr\n", folder.display());
    let ended = seen(&mut events).await;
    assert_eq!((ended.output.as_str(), ended.truncated), (output.as_str(), false));
    assert_eq!(ended.exit, Some(TerminalExit { code: Some(3), signal: None }));

    peer.send(ask(2, "terminal/output", json!({"terminalId": "ter_1"}))).await;
    let told = json!({"output": output, "truncated": false, "exitStatus": {"exitCode": 3, "signal": null}});
    assert_eq!(answer(&mut peer).await["result"], told);
    peer.send(ask(3, "terminal/kill", json!({"terminalId": "ter_1"}))).await;
    assert_eq!(answer(&mut peer).await["result"], json!({}));
    peer.send(ask(4, "terminal/release", json!({"terminalId": "ter_1"}))).await;
    assert_eq!(answer(&mut peer).await["result"], json!({}));
    let released = seen(&mut events).await;
    assert!(released.stage == TerminalStage::Released && !released.stop_requested);
    peer.send(ask(5, "terminal/output", json!({"terminalId": "ter_1"}))).await;
    assert_eq!(answer(&mut peer).await["error"]["code"], -32002);
}

#[tokio::test]
async fn a_killed_command_ends_with_all_it_started_and_may_be_asked_for() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let script = "trap '' TERM; sleep 1000 & echo $!; wait";
    connection.run("s1", "ter_1".to_owned(), shell(script), Path::new("/")).await.unwrap();
    seen(&mut events).await;
    loop {
        peer.send(ask(0, "terminal/output", json!({"terminalId": "ter_1"}))).await;
        if answer(&mut peer).await["result"]["output"] != "" {
            break;
        }
    }
    peer.send(ask(1, "terminal/wait_for_exit", json!({"terminalId": "ter_1"}))).await;
    peer.send(ask(2, "terminal/kill", json!({"terminalId": "ter_1"}))).await;
    assert_eq!(answer(&mut peer).await["id"], 2);
    assert!(seen(&mut events).await.stop_requested);
    let exit = answer(&mut peer).await;
    assert_eq!(exit["result"], json!({"exitCode": null, "signal": "SIGKILL"}));
    let ended = seen(&mut events).await;
    assert_eq!(ended.exit, Some(TerminalExit { code: None, signal: Some("SIGKILL".to_owned()) }));
    let child: i32 = ended.output.trim().parse().unwrap();
    crate::process::death(child).await;
    peer.send(ask(3, "terminal/output", json!({"terminalId": "ter_1"}))).await;
    assert_eq!(answer(&mut peer).await["result"]["exitStatus"]["signal"], "SIGKILL");
}

#[tokio::test]
async fn only_the_end_of_a_flood_is_kept() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let run = Run { output_bytes: Some(1_000), ..shell("yes é | head -c 3000000; echo; echo last") };
    connection.run("s1", "ter_1".to_owned(), run, Path::new("/")).await.unwrap();
    seen(&mut events).await;
    let ended = seen(&mut events).await;
    assert!(ended.output.ends_with("\nlast\n") && ended.truncated);
    peer.send(ask(1, "terminal/output", json!({"terminalId": "ter_1"}))).await;
    let result = answer(&mut peer).await["result"].clone();
    let output = result["output"].as_str().unwrap();
    assert!(output.len() <= 1_000 && !output.contains('\u{fffd}'), "{}", output.len());
    assert_eq!(result["truncated"], true);
}

#[tokio::test]
async fn terminals_are_bounded_and_end_with_their_session() {
    let (connection, _peer, mut events) = session(true, limits()).await;
    for n in 0..TERMINALS_MAX {
        let run = shell("echo $$; exec sleep 1000");
        connection.run("s1", format!("ter_{n}"), run, Path::new("/")).await.unwrap();
    }
    let refused = connection.run("s1", "ter_x".to_owned(), shell("true"), Path::new("/")).await.unwrap_err();
    assert!(refused.message.contains("too many"), "{}", refused.message);
    assert!(connection.run("s1", "ter_y".to_owned(), shell("true"), Path::new("/none")).await.is_err());
    for _ in 0..TERMINALS_MAX {
        seen(&mut events).await;
    }
    connection.end_terminals("s1");
    let mut over = 0;
    while over < TERMINALS_MAX {
        let seen = seen(&mut events).await;
        assert!(seen.stop_requested);
        over += usize::from(seen.exit.is_some());
    }
    connection.release("s1");
}

#[tokio::test]
async fn a_command_that_is_not_there_is_refused_and_a_line_of_shell_runs() {
    let (connection, _peer, mut events) = session(true, limits()).await;
    let bare = |command: &str| Run { command: command.to_owned(), ..Run::default() };
    let none = bare("openscience-no-such-program");
    let refused = connection.run("s1", "ter_1".to_owned(), none, Path::new("/")).await.unwrap_err();
    assert_eq!(refused.message, "there is no such command");
    connection.run("s1", "ter_2".to_owned(), bare("echo a && echo b"), Path::new("/")).await.unwrap();
    seen(&mut events).await;
    assert_eq!(seen(&mut events).await.output, "a\nb\n");
}

#[tokio::test]
async fn a_prompt_goes_on_while_a_command_runs() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.expect("session/prompt").await;
    events.prompted().await;
    connection.run("s1", "ter_1".to_owned(), shell("sleep 1000"), Path::new("/")).await.unwrap();
    seen(&mut events).await;
    peer.send(ask(1, "terminal/wait_for_exit", json!({"terminalId": "ter_1"}))).await;
    peer.say("s1", "meanwhile").await;
    assert_eq!(events.text().await, "meanwhile");
    peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    events.rest().await;
    // The agent goes, and its command with it.
    drop(peer);
    connection.stop().await;
    connection.closed().await;
}
