//! What the client hears of a turn, and how turns end.

use serde_json::json;

use crate::client::{Client, prompt};

#[tokio::test]
async fn words_come_one_by_one_and_before_the_answer() {
    let (mut client, session) = Client::ready().await;

    let heard = client.prompt(&session, "say 3").await;

    assert_eq!(heard.chunks("agent_message_chunk"), ["w1", " w2", " w3"]);
    assert_eq!(heard.response["result"], json!({"stopReason": "end_turn"}));
    heard.assert_typed();
    client.stop().await;
}

#[tokio::test]
async fn a_stream_of_words_loses_none() {
    let (mut client, session) = Client::ready().await;

    let heard = client.prompt(&session, "say 20000").await;

    let expected: Vec<_> = (1..=20_000).map(|number| format!("w{number}")).collect();
    assert_eq!(heard.text(), expected.join(" "));
    client.stop().await;
}

#[tokio::test]
async fn an_ordinary_line_is_answered_in_words() {
    let (mut client, session) = Client::ready().await;

    let heard = client.prompt(&session, "hello 🙂 there\n\nsay what?").await;

    assert_eq!(heard.text(), "You said: hello 🙂 there\nsay: expected a number");
    assert_eq!(heard.chunks("agent_message_chunk")[..4], ["You ", "said: ", "hello ", "🙂 "]);
    client.stop().await;
}

#[tokio::test]
async fn a_prompt_without_blocks_is_answered_done() {
    let (mut client, session) = Client::ready().await;

    let heard = client.ask("session/prompt", json!({"sessionId": session, "prompt": []})).await;

    assert_eq!((heard.text().as_str(), heard.stop_reason()), ("done", "end_turn"));
    client.stop().await;
}

#[tokio::test]
async fn pace_thoughts_and_tools_keep_their_order() {
    let (mut client, session) = Client::ready().await;

    let heard = client.prompt(&session, "say 2 1\nthink 2\nsay 1\ntool grep {\"q\": 1}\nsay 1\nsay 1").await;

    let kinds: Vec<_> = heard.updates().map(|update| update["sessionUpdate"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        [
            "agent_message_chunk",
            "agent_message_chunk",
            "agent_thought_chunk",
            "agent_thought_chunk",
            "agent_message_chunk",
            "tool_call",
            "tool_call_update",
            "tool_call_update",
            "agent_message_chunk",
            "agent_message_chunk",
        ]
    );
    assert_eq!(heard.chunks("agent_thought_chunk"), ["t1", " t2"]);
    assert_eq!(heard.chunks("agent_message_chunk"), ["w1", " w2", "w1", "w1", "\nw1"]);
    heard.assert_typed();
    client.stop().await;
}

#[tokio::test]
async fn a_tool_call_goes_from_pending_to_its_end() {
    let (mut client, session) = Client::ready().await;
    let script = "tool bash {\"command\": \"ls\", \"output\": \"a.txt\"}\ntool fetch {\"error\": true}";

    let heard = client.prompt(&session, script).await;

    let updates: Vec<_> = heard.updates().cloned().collect();
    assert_eq!(
        updates[..3],
        [
            json!({"sessionUpdate": "tool_call", "toolCallId": "call-1-1", "title": "bash", "name": "bash",
            "kind": "execute", "rawInput": {"command": "ls", "output": "a.txt"}, "status": "pending"}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "call-1-1", "status": "in_progress"}),
            json!({"sessionUpdate": "tool_call_update", "toolCallId": "call-1-1", "status": "completed",
            "content": [{"type": "content", "content": {"type": "text", "text": "a.txt"}}],
            "rawOutput": {"ok": true, "output": "a.txt"}}),
        ]
    );
    assert_eq!(updates[3]["toolCallId"], "call-1-2");
    assert_eq!(updates[5]["status"], "failed");
    assert_eq!(updates[5]["content"][0]["content"]["text"], "fetch failed");
    let again = client.prompt(&session, "tool x").await;
    assert_eq!(again.updates().next().unwrap()["toolCallId"], "call-2-1");
    client.stop().await;
}

#[tokio::test]
async fn a_plan_is_told_as_it_is_carried_out() {
    let (mut client, session) = Client::ready().await;

    let heard = client.prompt(&session, "plan read it | write it").await;

    let states: Vec<Vec<_>> = heard
        .updates()
        .map(|update| {
            update["entries"].as_array().unwrap().iter().map(|entry| entry["status"].clone()).collect()
        })
        .collect();
    assert_eq!(
        states,
        [
            ["pending", "pending"],
            ["in_progress", "pending"],
            ["completed", "in_progress"],
            ["completed", "completed"],
        ]
    );
    heard.assert_typed();
    client.stop().await;
}

#[tokio::test]
async fn usage_is_told_in_an_update_and_in_the_answer() {
    let (mut client, session) = Client::ready().await;

    let heard = client.prompt(&session, "usage 1000").await;

    let update = json!({"sessionUpdate": "usage_update", "used": 1000, "size": 200_000});
    assert_eq!(heard.updates().collect::<Vec<_>>(), [&update]);
    let usage = json!({"totalTokens": 1000, "inputTokens": 750, "outputTokens": 250});
    assert_eq!(heard.response["result"]["usage"], usage);
    client.stop().await;
}

#[tokio::test]
async fn mode_title_and_raw_updates_are_sent_as_asked() {
    let (mut client, session) = Client::ready().await;
    let script = "mode plan\ntitle My study\nraw {\"sessionUpdate\": \"news\", \"x\": 1}";

    let heard = client.prompt(&session, script).await;

    assert_eq!(
        heard.updates().collect::<Vec<_>>(),
        [
            &json!({"sessionUpdate": "current_mode_update", "currentModeId": "plan"}),
            &json!({"sessionUpdate": "session_info_update", "title": "My study"}),
            &json!({"sessionUpdate": "news", "x": 1}),
        ]
    );
    client.stop().await;
}

#[tokio::test]
async fn stop_and_fail_end_the_turn_in_its_place() {
    let (mut client, session) = Client::ready().await;

    let stopped = client.prompt(&session, "say 1\nstop max_tokens\nsay 2").await;
    let unknown = client.prompt(&session, "stop coffee").await;
    let failed = client.prompt(&session, "say 1\nfail -32000\nsay 2").await;
    let after = client.prompt(&session, "say 1").await;

    assert_eq!((stopped.text().as_str(), stopped.stop_reason()), ("w1", "max_tokens"));
    assert_eq!(unknown.stop_reason(), "coffee");
    assert_eq!((failed.text().as_str(), &failed.response["error"]["code"]), ("w1", &json!(-32000)));
    assert_eq!(after.stop_reason(), "end_turn");
    client.stop().await;
}

#[tokio::test]
async fn a_cancel_ends_a_turn_that_waits() {
    let (mut client, session) = Client::ready().await;
    for script in [
        "say 1\nhang",
        "say 1\nsleep 600000",
        "say 2 600000",
        "say 1\nask ls",
        "say 1\nrepeat 10000000 sleep 0",
    ] {
        let id = client.start_prompt(&session, script).await;
        assert_eq!(client.message().await["params"]["update"]["content"]["text"], "w1", "{script}");

        client.cancel(&session).await;

        assert_eq!(client.until(id).await.stop_reason(), "cancelled", "{script}");
    }
    client.stop().await;
}

#[tokio::test]
async fn a_cancel_ends_a_turn_that_streams() {
    let (mut client, session) = Client::ready().await;
    let id = client.start_prompt(&session, "say 10000000").await;
    client.message().await;

    client.cancel(&session).await;

    assert_eq!(client.until(id).await.stop_reason(), "cancelled");
    client.stop().await;
}

#[tokio::test]
async fn a_cancel_without_a_turn_does_nothing() {
    let (mut client, session) = Client::ready().await;

    client.cancel(&session).await;
    client.cancel("sim-nowhere").await;

    assert_eq!(client.prompt(&session, "say 1").await.stop_reason(), "end_turn");
    client.stop().await;
}

#[tokio::test]
async fn a_turn_can_ignore_a_cancel() {
    let (mut client, session) = Client::ready().await;
    let id = client.start_prompt(&session, "ignore-cancel\nsay 1\nsleep 20\nsay 1").await;
    client.message().await;

    client.cancel(&session).await;

    let heard = client.until(id).await;
    assert_eq!((heard.text().as_str(), heard.stop_reason()), ("\nw1", "end_turn"));
    client.stop().await;
}

#[tokio::test]
async fn a_second_prompt_in_a_busy_session_is_refused() {
    let (mut client, session) = Client::ready().await;
    let first = client.start_prompt(&session, "hang").await;

    assert_eq!(client.error_code("session/prompt", prompt(&session, "say 1")).await, -32603);

    client.cancel(&session).await;
    assert_eq!(client.until(first).await.stop_reason(), "cancelled");
    client.stop().await;
}

#[tokio::test]
async fn two_sessions_talk_at_the_same_time() {
    let (mut client, one) = Client::ready().await;
    let two = client.new_session().await;
    assert_ne!(one, two);
    let first = client.start_prompt(&one, "say 1\nask one").await;
    let asked = loop {
        let message = client.message().await;
        if message["method"] == "session/request_permission" {
            break message;
        }
    };

    let heard = client.prompt(&two, "say 2").await;

    assert!(heard.messages.iter().all(|message| message["params"]["sessionId"] == two.as_str()));
    assert_eq!(heard.text(), "w1 w2");
    client.answer(&asked, json!({"outcome": {"outcome": "cancelled"}})).await;
    assert_eq!(client.until(first).await.stop_reason(), "cancelled");
    client.stop().await;
}

#[tokio::test]
async fn late_goes_on_after_the_answer() {
    let (mut client, session) = Client::ready().await;

    let heard = client.prompt(&session, "say 1\nlate 1\ntool x").await;

    assert_eq!((heard.text().as_str(), heard.stop_reason()), ("w1", "end_turn"));
    assert_eq!(client.message().await["params"]["update"]["content"]["text"], "\nlate");
    assert_eq!(client.message().await["params"]["update"]["toolCallId"], "call-1-1");
    client.stop().await;
}

#[tokio::test]
async fn repeat_carries_a_step_out_again_and_again() {
    let (mut client, session) = Client::ready().await;

    let heard = client.prompt(&session, "repeat 3 say 1\nrepeat 2 stop refusal").await;

    assert_eq!((heard.text().as_str(), heard.stop_reason()), ("w1\nw1\nw1", "refusal"));
    client.stop().await;
}
