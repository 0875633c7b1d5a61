//! Agents that say what they should not, too much of it, or nothing.

use std::path::Path;

use openscience_acp::{AcpLimits, AgentError, SessionEvent, connect_io};
use openscience_core::input::{AgentUpdate, Given};
use openscience_protocol::RunError;
use serde_json::json;

use crate::peer::{answered, blocks, chunk, failed, limits, open, pipes, session, turn, update};

#[tokio::test]
async fn noise_on_stdout_is_counted_and_the_session_goes_on() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.recv().await;
    peer.raw(b"Loaded cached credentials.\n\x1b[1;32m== banner ==\x1b[0m\n\n\r\n").await;
    peer.raw(format!("{}\r\n", chunk("s1", "a")).as_bytes()).await;
    peer.raw(b"bad \xff\xfe bytes\n{\"method\":\"session/update\",\"params\":\"\xff\"}\n[]\n").await;
    peer.say("s1", "é").await;
    peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    let (text, end) = events.rest().await;
    assert_eq!((text.as_str(), answered(end).as_str()), ("aé", "end_turn"));
    let counters = connection.counters();
    assert_eq!((counters.noise, counters.invalid_utf8), (7, 2));
    assert_eq!(connection.noise()[..2], ["Loaded cached credentials.", "== banner =="]);
}

#[tokio::test]
async fn broken_json_is_answered_without_repeating_it() {
    let (_connection, mut peer, _events) = session(true, limits()).await;
    peer.raw(b"{\"id\": 3, \"secret words\n").await;
    let answer = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32700, "message": "parse error"}});
    assert_eq!(peer.recv().await, answer);
}

#[tokio::test]
async fn error_answers_of_any_shape_end_the_turn() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let cases = [
        (json!({"code": -32603, "message": "Internal error"}), Some(-32603), "prompt_failed"),
        (json!({"code": -32000, "message": "log in first"}), Some(-32000), "auth_required"),
        (json!({"code": 400}), Some(400), "prompt_failed"),
        (json!({"code": -32603, "message": "m", "data": "d".repeat(1 << 20)}), Some(-32603), "prompt_failed"),
        (json!({"message": ["odd"]}), None, "prompt_failed"),
        (json!("plain"), None, "prompt_failed"),
    ];
    for (n, (error, agent_code, code)) in (0..).zip(cases) {
        connection.prompt("s1", turn(n), blocks("secret words")).unwrap();
        let prompt = peer.recv().await;
        peer.send(json!({"jsonrpc": "2.0", "id": prompt["id"], "error": error})).await;
        let failure = failed(events.rest().await.1);
        assert_eq!((failure.code.as_str(), failure.stage.as_deref()), (code, Some("prompt")));
        assert_eq!(failure.agent_code, agent_code);
        assert!(!failure.message.is_empty() && failure.message.len() < 4_000);
    }
}

#[tokio::test]
async fn an_update_that_is_too_large_is_told_as_unknown() {
    let limits = AcpLimits { frame_bytes: 100_000, ..limits() };
    let (connection, mut peer, mut events) = session(true, limits).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.recv().await;
    events.prompted().await;
    let large =
        json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawOutput": "x".repeat(150_000)});
    peer.send(update("s1", &large)).await;
    peer.say("s1", "after").await;
    peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    let unknown = AgentUpdate::Unknown { kind: Some("tool_call_update".to_owned()), raw: None };
    assert_eq!(events.next().await, SessionEvent::Update(unknown));
    let (text, end) = events.rest().await;
    assert_eq!((text.as_str(), answered(end).as_str()), ("after", "end_turn"));
    assert_eq!(connection.counters().oversized, 1);
}

#[tokio::test]
async fn another_frame_that_is_too_large_fails_the_turns_and_the_connection_lives() {
    let limits = AcpLimits { frame_bytes: 100_000, ..limits() };
    let (connection, mut peer, mut first) = session(true, limits).await;
    let mut second = open(&connection, &mut peer, "s2", 8).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    connection.prompt("s2", turn(2), blocks("hi")).unwrap();
    let prompt = peer.recv().await;
    peer.recv().await;
    let large = json!({"id": prompt["id"], "result": {"stopReason": "end_turn", "x": "x".repeat(150_000)}});
    peer.send(large).await;
    for events in [&mut first, &mut second] {
        assert_eq!(failed(events.rest().await.1).code, "frame_too_large");
    }
    // What it still works on is stopped.
    let cancelled = [peer.expect("session/cancel").await, peer.expect("session/cancel").await];
    assert_eq!([&cancelled[0]["params"]["sessionId"], &cancelled[1]["params"]["sessionId"]], ["s1", "s2"]);

    connection.prompt("s1", turn(3), blocks("hi")).unwrap();
    let prompt = peer.recv().await;
    peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    assert_eq!(answered(first.rest().await.1), "end_turn");
}

#[tokio::test]
async fn a_line_without_end_ends_the_connection() {
    let limits = AcpLimits { frame_bytes: 100_000, ..limits() };
    let (connection, mut peer, mut events) = session(true, limits).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    peer.recv().await;
    peer.raw(&vec![b'x'; 200_001]).await;
    assert_eq!(failed(events.rest().await.1).code, "frame_too_large");
    let SessionEvent::Exited(error) = events.next().await else { panic!("no exit") };
    assert_eq!(error.code, "frame_too_large");
    assert!(connection.closed().await.endless_line && connection.is_closed());
}

#[tokio::test]
async fn a_slow_reader_slows_the_agent_and_loses_nothing() {
    const CHUNKS: usize = 2_000;
    let (connection, mut peer) = crate::peer::connected(true, limits()).await;
    let mut events = open(&connection, &mut peer, "s1", 2).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.recv().await;
    events.prompted().await;
    let text = "x".repeat(1_000);
    let mut writing = tokio::spawn(async move {
        for n in 0..CHUNKS {
            peer.say("s1", &format!("{n:04}{text}")).await;
        }
        peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    });
    // Nobody reads: the agent must get stuck with a pipe and a buffer full.
    let stuck = tokio::time::timeout(std::time::Duration::from_millis(200), &mut writing).await;
    assert!(stuck.is_err(), "two megabytes went somewhere");
    assert!(connection.counters().frames < 200, "{:?}", connection.counters());

    let (all, end) = events.rest().await;
    writing.await.unwrap();
    assert_eq!(answered(end), "end_turn");
    assert_eq!(all.len(), CHUNKS * 1_004);
    assert!((0..CHUNKS).all(|n| all.get(n * 1_004..n * 1_004 + 4) == Some(&format!("{n:04}"))));
}

#[tokio::test]
async fn the_end_of_the_agent_reaches_every_session_even_past_a_full_sink() {
    let (connection, mut peer) = crate::peer::connected(false, limits()).await;
    let mut full = open(&connection, &mut peer, "s1", 1).await;
    let mut other = open(&connection, &mut peer, "s2", 8).await;
    connection.prompt("s2", turn(2), blocks("hi")).unwrap();
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    peer.recv().await;
    peer.recv().await;
    for n in 0..50 {
        peer.say("s1", &format!("{n} ")).await;
    }
    peer.say("s2", "last words").await;
    drop(peer);
    // The reader is stuck at s1 and cannot see the end of the pipe: someone stops the agent.
    connection.stop().await;
    let (text, end) = other.rest().await;
    assert_eq!((text.as_str(), failed(end).code.as_str()), ("last words", "agent_exited"));
    assert!(matches!(other.next().await, SessionEvent::Exited(_)));

    let (text, end) = full.rest().await;
    assert_eq!(text, (0..50).map(|n| n.to_string() + " ").collect::<Vec<_>>().concat());
    assert_eq!(failed(end).stage.as_deref(), Some("prompt"));
    assert!(matches!(full.next().await, SessionEvent::Exited(error) if error.stage.is_none()));
    assert_eq!((full.0.recv().await, connection.live_turns()), (None, 0));
    let refused = connection.prompt("s1", turn(3), blocks("hi"));
    assert!(matches!(refused, Err(AgentError::Exited { .. })), "{refused:?}");
}

#[tokio::test]
async fn an_answer_that_was_held_counts_when_the_agent_goes() {
    let (connection, mut peer, mut events) = session(false, limits()).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.recv().await;
    peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    peer.say("s1", "tail").await;
    drop(peer);
    let (text, end) = events.rest().await;
    assert_eq!((text.as_str(), answered(end).as_str()), ("tail", "end_turn"));
    assert!(matches!(events.next().await, SessionEvent::Exited(_)));
}

#[tokio::test]
async fn open_requests_fail_when_the_agent_goes() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    peer.send(json!({"id": 1, "method": "session/request_permission",
        "params": {"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": []}}))
        .await;
    let SessionEvent::Permission(asked) = events.next().await else { panic!("no permission") };
    let (set, ()) = tokio::join!(connection.set_mode("s1", "m"), async {
        peer.recv().await;
        drop(peer);
    });
    assert!(matches!(set, Err(AgentError::Exited { .. })), "{set:?}");
    assert!(!connection.answer(asked.key, Given::Cancelled).await);
}

#[tokio::test]
async fn an_agent_of_another_protocol_version_is_refused() {
    let (mut peer, stdin, stdout) = pipes(1 << 10);
    let connecting = connect_io("fake".into(), stdout, stdin, true, limits());
    let (refused, ()) = tokio::join!(connecting, async {
        let request = peer.recv().await;
        assert_eq!(request["params"]["protocolVersion"], 1);
        peer.answer(&request, json!({"protocolVersion": 2})).await;
    });
    let error = RunError::from(refused.unwrap_err());
    assert_eq!((error.code.as_str(), error.stage.as_deref()), ("agent_start_failed", Some("initialize")));
}

#[tokio::test]
async fn an_id_given_to_two_sessions_stays_with_the_first() {
    let (connection, mut peer, mut first) = session(true, limits()).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.expect("session/prompt").await;
    let (sink, _unused) = openscience_acp::events(8);
    let (refused, ()) = tokio::join!(connection.new_session(Path::new("/ws"), sink), async {
        let request = peer.expect("session/new").await;
        peer.answer(&request, json!({"sessionId": "s1"})).await;
    });
    let error = RunError::from(refused.unwrap_err());
    assert_eq!((error.code.as_str(), error.stage.as_deref()), ("session_open_failed", Some("session")));
    peer.say("s1", "mine").await;
    peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    let (text, end) = first.rest().await;
    assert_eq!((text.as_str(), answered(end).as_str()), ("mine", "end_turn"));
    // Once nobody listens to the first, the id is free.
    drop(first);
    open(&connection, &mut peer, "s1", 8).await;
}

#[tokio::test]
async fn a_session_without_an_id_was_not_opened() {
    let (connection, mut peer, _events) = session(true, limits()).await;
    for answer in [json!({}), json!(null), json!({"sessionId": 5}), json!("s2"), json!([])] {
        let (sink, _unused) = openscience_acp::events(8);
        let (refused, ()) = tokio::join!(connection.new_session(Path::new("/ws"), sink), async {
            let request = peer.expect("session/new").await;
            peer.answer(&request, answer.clone()).await;
        });
        let error = RunError::from(refused.unwrap_err());
        assert_eq!((error.code.as_str(), error.stage.as_deref()), ("session_open_failed", Some("session")));
    }
    assert_eq!(connection.sessions(), 1);
}
