//! What a turn asks of its client, and what it makes of each answer.

use openscience_sim::SimConfig;
use serde_json::{Value, json};

use crate::client::{Client, Heard};

/// Plays a turn that asks once, answering with a result or an error.
async fn asked(script: &str, method: &str, answer: Value) -> (Value, Heard) {
    let (mut client, session) = Client::ready().await;
    let id = client.start_prompt(&session, script).await;
    let mut earlier = Vec::new();
    let request = loop {
        let message = client.message().await;
        if message["method"] == method {
            break message;
        }
        earlier.push(message);
    };
    assert_eq!(request["id"], 0);
    assert_eq!(request["params"]["sessionId"], session.as_str());
    let mut reply = json!({"jsonrpc": "2.0", "id": 0});
    reply.as_object_mut().unwrap().extend(answer.as_object().unwrap().clone());
    client.send(reply).await;
    let mut heard = client.until(id).await;
    heard.messages.splice(0..0, earlier);
    heard.assert_typed();
    client.stop().await;
    (request, heard)
}

async fn permission(script: &str, outcome: Value) -> (Value, Heard) {
    asked(script, "session/request_permission", json!({"result": {"outcome": outcome}})).await
}

fn last_status(heard: &Heard) -> Value {
    heard.updates().filter(|update| update["sessionUpdate"] == "tool_call_update").last().unwrap()["status"]
        .clone()
}

#[tokio::test]
async fn an_allowed_permission_completes_its_tool() {
    let (request, heard) =
        permission("ask ls", json!({"outcome": "selected", "optionId": "opt-allow-once"})).await;

    assert_eq!(
        request["params"]["toolCall"],
        json!({"toolCallId": "call-1-1", "title": "ls", "name": "ls",
        "kind": "execute", "status": "pending", "rawInput": {"command": "ls"}})
    );
    assert_eq!(
        request["params"]["options"],
        json!([
            {"optionId": "opt-allow-once", "name": "allow once", "kind": "allow_once"},
            {"optionId": "opt-reject-once", "name": "reject once", "kind": "reject_once"},
        ])
    );
    assert_eq!(heard.updates().next().unwrap()["sessionUpdate"], "tool_call");
    assert_eq!((last_status(&heard), heard.text()), (json!("completed"), "allowed".to_owned()));
    assert_eq!(heard.stop_reason(), "end_turn");
}

#[tokio::test]
async fn a_rejected_permission_fails_its_tool_and_the_turn_goes_on() {
    let script = "ask \"rm x\" allow_once,reject_once,allow_always,allow_always,maybe\nsay 1";
    let (request, heard) =
        permission(script, json!({"outcome": "selected", "optionId": "opt-reject-once"})).await;

    let ids: Vec<_> = request["params"]["options"]
        .as_array()
        .unwrap()
        .iter()
        .map(|option| option["optionId"].clone())
        .collect();
    assert_eq!(
        ids,
        ["opt-allow-once", "opt-reject-once", "opt-allow-always", "opt-allow-always-2", "opt-maybe"]
    );
    assert_eq!((last_status(&heard), heard.text()), (json!("failed"), "rejected\nw1".to_owned()));
}

#[tokio::test]
async fn a_cancelled_permission_ends_the_turn_as_cancelled() {
    let (_, heard) = permission("ask ls\nsay 1", json!({"outcome": "cancelled"})).await;

    assert_eq!((heard.text().as_str(), heard.stop_reason()), ("", "cancelled"));
}

#[tokio::test]
async fn an_option_that_was_not_offered_is_named_as_a_mistake() {
    let (_, heard) = permission("ask ls", json!({"outcome": "selected", "optionId": "yes"})).await;

    assert_eq!(heard.text(), "the chosen option was not offered");
}

#[tokio::test]
async fn a_permission_may_come_before_its_tool_call() {
    let (request, heard) =
        permission("ask-first ls", json!({"outcome": "selected", "optionId": "opt-allow-once"})).await;

    let first = heard.updates().next().unwrap();
    assert_eq!(first["sessionUpdate"], "tool_call_update");
    assert_eq!(first["toolCallId"], request["params"]["toolCall"]["toolCallId"]);
}

#[tokio::test]
async fn several_permissions_can_be_open_and_answered_in_any_order() {
    let (mut client, session) = Client::ready().await;
    let id = client.start_prompt(&session, "together ask-first a ;; ask-first b ;; ask-first c").await;
    let mut requests = Vec::new();
    for _ in 0..3 {
        requests.push(client.message().await);
    }

    for (request, option) in
        requests.iter().rev().zip(["opt-allow-once", "opt-reject-once", "opt-allow-once"])
    {
        client.answer(request, json!({"outcome": {"outcome": "selected", "optionId": option}})).await;
    }

    let heard = client.until(id).await;
    let mut ends: Vec<_> = heard
        .updates()
        .filter_map(|update| Some((update["toolCallId"].as_str()?, update["status"].as_str()?)))
        .collect();
    ends.sort_unstable();
    assert_eq!(ends, [("call-1-1", "completed"), ("call-1-2", "failed"), ("call-1-3", "completed")]);
    client.stop().await;
}

#[tokio::test]
async fn a_question_is_a_form_and_its_answer_is_told() {
    let (request, heard) = asked(
        "question Which one? | red | blue",
        "elicitation/create",
        json!({"result": {"action": "accept", "content": {"answer": "red"}}}),
    )
    .await;

    assert_eq!(request["params"]["mode"], "form");
    assert_eq!(request["params"]["message"], "Which one?");
    assert_eq!(request["params"]["requestedSchema"]["properties"]["answer"]["enum"], json!(["red", "blue"]));
    assert_eq!(heard.text(), "answer: red");
}

#[tokio::test]
async fn a_declined_question_is_told() {
    let (_, heard) =
        asked("question Why?", "elicitation/create", json!({"result": {"action": "decline"}})).await;

    assert_eq!(heard.text(), "the question was declined");
}

#[tokio::test]
async fn files_are_read_and_written_below_the_working_directory() {
    let (read, heard) =
        asked("read a.txt", "fs/read_text_file", json!({"result": {"content": "one\ntwo"}})).await;
    assert_eq!((&read["params"]["path"], heard.text()), (&json!("/work/a.txt"), "one\ntwo".to_owned()));

    let (write, heard) = asked("write /b.txt some text", "fs/write_text_file", json!({"result": null})).await;
    assert_eq!(write["params"]["path"], "/b.txt");
    assert_eq!((&write["params"]["content"], heard.text()), (&json!("some text"), "wrote /b.txt".to_owned()));
}

#[tokio::test]
async fn an_error_of_the_client_is_told() {
    let error = json!({"error": {"code": -32002, "message": "no such file"}});
    for (script, method, told) in [
        ("read a", "fs/read_text_file", "read failed: -32002 no such file"),
        ("write a b", "fs/write_text_file", "write failed: -32002 no such file"),
        ("question a", "elicitation/create", "question failed: -32002 no such file"),
        ("ask a", "session/request_permission", "permission failed: -32002 no such file"),
        ("terminal ls", "terminal/create", "terminal failed: -32002 no such file"),
        ("call _ext/a {\"b\": 1}", "_ext/a", "_ext/a failed: -32002 no such file"),
    ] {
        let (_, heard) = asked(script, method, error.clone()).await;
        assert_eq!((heard.text().as_str(), heard.stop_reason()), (told, "end_turn"));
    }
}

#[tokio::test]
async fn any_request_can_be_sent() {
    let (request, heard) = asked("call _ext/a {\"b\": 1}", "_ext/a", json!({"result": {"c": 2}})).await;

    assert_eq!(request["params"]["b"], 1);
    assert_eq!(heard.text(), "_ext/a: {\"c\":2}");
}

#[tokio::test]
async fn a_terminal_is_shown_waited_for_and_released() {
    let (mut client, session) = Client::ready().await;
    let id = client.start_prompt(&session, "terminal sh -c \"echo hi\"").await;
    let mut methods = Vec::new();
    let heard = loop {
        let message = client.message().await;
        let result = match message["method"].as_str() {
            Some("terminal/create") => {
                assert_eq!(message["params"]["args"], json!(["-c", "echo hi"]));
                json!({"terminalId": "t1"})
            }
            Some("terminal/wait_for_exit") => json!({"exitCode": 0, "signal": null}),
            Some("terminal/output") => json!({"output": "hi\n", "truncated": false}),
            Some("terminal/release") => {
                client.answer(&message, json!({})).await;
                break client.until(id).await;
            }
            _ => {
                methods.push(message["params"]["update"]["status"].clone());
                continue;
            }
        };
        client.answer(&message, result).await;
    };

    assert_eq!(methods, ["pending", "in_progress"]);
    assert_eq!((last_status(&heard), heard.text()), (json!("completed"), "exit 0: hi\n".to_owned()));
    client.stop().await;
}

#[tokio::test]
async fn what_the_client_does_not_offer_is_not_asked_for() {
    let mut client = Client::start(SimConfig::default());
    client.initialize(json!({})).await;
    let session = client.new_session().await;

    let heard = client.prompt(&session, "read a\nwrite a b\nquestion a\nterminal ls").await;

    assert_eq!(
        heard.text(),
        "the client does not read files\nthe client does not write files\n\
         the client does not answer questions\nthe client has no terminal"
    );
    client.stop().await;
}

#[tokio::test]
async fn an_artifact_needs_its_server() {
    let (mut client, session) = Client::ready().await;
    let server = json!({"name": "open-science-artifacts", "command": "/bin/true", "args": [], "env": []});
    let connected = client.result("session/new", json!({"cwd": "/work", "mcpServers": [server]})).await;

    let without = client.prompt(&session, "artifact a.txt hello").await;
    let with = client.prompt(connected["sessionId"].as_str().unwrap(), "artifact a.txt hello").await;

    assert_eq!(without.text(), "a.txt was not saved: the artifact tool is not connected");
    assert!(with.text().starts_with("a.txt was not saved: the tool cannot be called"), "{}", with.text());
    client.stop().await;
}

#[tokio::test]
async fn an_artifact_is_saved_by_a_call_of_the_tool_and_its_answer_is_told() {
    let (mut client, _) = Client::ready().await;
    let server = |result: &str| {
        let script = format!(
            "read a; echo '{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{{}}}}'; read b; read c; echo \"$c\" | \
             grep -q write_artifact_file && echo '{{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{result}}}'"
        );
        json!({"name": "open-science-artifacts", "command": "/bin/sh", "args": ["-c", script], "env": []})
    };
    for (result, told) in [
        (r#"{"content":[{"type":"text","text":"kept"}]}"#, "a.txt was saved"),
        (r#"{"isError":true,"content":[{"type":"text","text":"no"}]}"#, "a.txt was not saved: no"),
    ] {
        let opened =
            client.result("session/new", json!({"cwd": "/work", "mcpServers": [server(result)]})).await;
        let heard =
            client.prompt(opened["sessionId"].as_str().unwrap(), "artifact a.txt \"two words\"").await;
        assert_eq!(heard.text(), told);
    }
    client.stop().await;
}
