//! Bad input, and the faults a prompt can order.

use std::str::from_utf8;

use openscience_sim::SimConfig;
use serde_json::{Value, json};

use crate::client::Client;

#[tokio::test]
async fn a_line_that_is_no_message_is_answered_without_repeating_it() {
    let (mut client, session) = Client::ready().await;
    for (line, code) in [
        (&b"{\"secret\": \n"[..], -32700),
        (b"secret\n", -32700),
        (b"\xff\xfe\n", -32700),
        (b"[{\"secret\": 1}]\n", -32600),
        (b"\"secret\"\n", -32600),
        (b"{\"id\": {\"secret\": 1}}\n", -32600),
        (b"{\"secret\": 1}\n", -32600),
        (b"{\"id\": {\"secret\": 1}, \"method\": \"initialize\"}\n", -32600),
    ] {
        client.write(line).await;

        let answer = client.message().await;

        assert_eq!((&answer["id"], &answer["error"]["code"]), (&Value::Null, &json!(code)), "{answer}");
        assert!(!answer.to_string().contains("secret"), "{answer}");
    }
    client.write(b"\n  \r\n").await;
    assert_eq!(client.prompt(&session, "say 1").await.text(), "w1");
    client.stop().await;
}

#[tokio::test]
async fn unknown_methods_and_parameters_are_refused_and_notifications_ignored() {
    let (mut client, session) = Client::ready().await;

    assert_eq!(client.error_code("session/brew", json!({"secret": 1})).await, -32601);
    assert_eq!(client.error_code("session/set_mode", json!({})).await, -32601);
    assert_eq!(
        client.error_code("session/prompt", json!({"sessionId": session, "prompt": "secret"})).await,
        -32602
    );
    client.notify("session/brew", json!({})).await;
    client.notify("session/cancel", json!([])).await;
    client.answer(&json!({"id": 7}), json!({})).await;
    client.answer(&json!({"id": "seven"}), json!({})).await;

    assert_eq!(client.prompt(&session, "say 1").await.text(), "w1");
    client.stop().await;
}

#[tokio::test]
async fn ids_of_requests_may_be_strings() {
    let mut client = Client::start(SimConfig::default());

    client
        .send(
            json!({"jsonrpc": "2.0", "id": "a-b", "method": "initialize", "params": {"protocolVersion": 1}}),
        )
        .await;

    assert_eq!(client.message().await["id"], "a-b");
    client.stop().await;
}

#[tokio::test]
async fn garbage_is_whole_lines_that_are_no_messages() {
    let (mut client, session) = Client::ready().await;
    client.start_prompt(&session, "garbage\nsay 1").await;
    let (mut lines, mut bad_text) = (0, 0);
    let word = loop {
        let line = client.line().await.unwrap();
        match serde_json::from_slice::<Value>(&line) {
            Ok(message) if message["method"] == "session/update" => break message,
            Ok(message) => assert!(message["method"].is_null()),
            Err(_) => bad_text += usize::from(from_utf8(&line).is_err()),
        }
        lines += 1;
    };

    assert_eq!((lines, bad_text), (10, 1));
    assert_eq!(word["params"]["update"]["content"]["text"], "w1");
    client.stop().await;
}

#[tokio::test]
async fn a_huge_frame_has_exactly_the_size_asked_for() {
    let (mut client, session) = Client::ready().await;
    for bytes in [1_000, 100_000, 5_000_000] {
        client.start_prompt(&session, &format!("huge {bytes}")).await;

        let line = client.line().await.unwrap();

        assert_eq!(line.len() + 1, bytes);
        let message: Value = serde_json::from_slice(&line).unwrap();
        let text = message["params"]["update"]["content"]["text"].as_str().unwrap();
        assert!(text.len() > bytes - 300 && text.bytes().all(|byte| byte == b'x'));
        assert_eq!(client.message().await["result"]["stopReason"], "end_turn");
    }
    client.stop().await;
}

#[tokio::test]
async fn exit_ends_the_process_after_what_was_said() {
    let (mut client, session) = Client::ready().await;
    client.start_prompt(&session, "say 2\nexit 42\nsay 1").await;

    assert_eq!(client.message().await["params"]["update"]["content"]["text"], "w1");
    assert_eq!(client.message().await["params"]["update"]["content"]["text"], " w2");
    assert_eq!(client.line().await, None);
    assert_eq!(client.exit_code().await, 42);
}

#[tokio::test]
async fn the_end_of_stdin_ends_the_process_also_during_a_turn() {
    let (mut client, session) = Client::ready().await;
    client.start_prompt(&session, "say 1\nhang").await;
    client.message().await;

    client.hang_up();

    assert_eq!(client.line().await, None);
    assert_eq!(client.exit_code().await, 0);
}

#[tokio::test]
async fn a_process_can_stay_when_its_stdin_ends() {
    let (mut client, session) = Client::ready().await;
    let id = client.start_prompt(&session, "ignore-eof\nsay 1\nsleep 20\nsay 1\nexit 3").await;
    client.message().await;

    client.hang_up();

    assert_eq!(client.message().await["params"]["update"]["content"]["text"], "\nw1", "prompt {id}");
    assert_eq!(client.exit_code().await, 3);
}

#[tokio::test]
async fn a_fault_can_wait_for_the_next_request_of_a_method() {
    let (mut client, session) = Client::ready().await;
    let params = json!({"cwd": "/work", "mcpServers": []});
    let update = "raw {\"sessionUpdate\": \"early\"}";

    client.prompt(&session, "next session/new fail -32000").await;
    assert_eq!(client.error_code("session/new", params.clone()).await, -32000);

    client.prompt(&session, &format!("next session/new {update}")).await;
    let heard = client.ask("session/new", params.clone()).await;
    assert_eq!(heard.messages[0]["params"]["sessionId"], heard.response["result"]["sessionId"]);
    assert_eq!(heard.messages[0]["params"]["update"], json!({"sessionUpdate": "early"}));

    client.prompt(&session, "next session/list hang").await;
    client.request("session/list", json!({})).await;
    assert_eq!(client.ask("session/new", params.clone()).await.messages, [Value::Null; 0]);

    client.prompt(&session, "next session/new exit 5").await;
    client.request("session/new", params).await;
    assert_eq!(client.line().await, None);
    assert_eq!(client.exit_code().await, 5);
}

#[tokio::test]
async fn a_spawned_child_outlives_the_connection() {
    let (mut client, session) = Client::ready().await;

    let told = client.prompt(&session, "spawn detached").await.text();
    client.stop().await;

    let pid = told.strip_prefix("spawned ").unwrap();
    let status = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    assert!(status.contains("(sleep)"), "{status}");
    // Its own group: ending it by that id ends nothing else.
    assert_eq!(status.rsplit(") ").next().unwrap().split(' ').nth(2), Some(pid), "{status}");
    end_process(pid);
}

fn end_process(pid: &str) {
    #[expect(clippy::disallowed_methods, reason = "the child this test made has to go")]
    let status = std::process::Command::new("kill").args(["-KILL", pid]).status().unwrap();
    assert!(status.success());
}
