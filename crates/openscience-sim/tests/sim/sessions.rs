//! Opening, listing and closing sessions, and what is remembered of them.

use openscience_sim::SimConfig;
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::client::{Client, everything};

fn open(session: &str) -> Value {
    json!({"sessionId": session, "cwd": "/work", "mcpServers": []})
}

fn with_models(models: &[&str]) -> SimConfig {
    SimConfig { models: models.iter().map(|model| (*model).to_owned()).collect(), ..SimConfig::default() }
}

#[tokio::test]
async fn initialize_advertises_what_is_served() {
    let mut client = Client::start(SimConfig::default());

    let result = client.initialize(everything()).await;

    assert_eq!(result["protocolVersion"], 1);
    assert_eq!(result["agentInfo"]["name"], "openscience-sim");
    assert_eq!(result["authMethods"], json!([]));
    assert_eq!(result["agentCapabilities"]["loadSession"], true);
    let sessions = &result["agentCapabilities"]["sessionCapabilities"];
    assert_eq!(sessions, &json!({"list": {}, "resume": {}, "close": {}, "fork": {}, "systemPrompt": {}}));
    client.stop().await;
}

#[tokio::test]
async fn a_session_needs_an_initialized_connection_and_an_absolute_directory() {
    let mut client = Client::start(SimConfig::default());
    assert_eq!(client.error_code("session/new", json!({"cwd": "/work", "mcpServers": []})).await, -32600);

    client.initialize(everything()).await;

    assert_eq!(client.error_code("session/new", json!({"cwd": "work", "mcpServers": []})).await, -32602);
    assert_eq!(client.error_code("session/new", json!({"mcpServers": []})).await, -32602);
    client.stop().await;
}

#[tokio::test]
async fn options_exist_only_where_models_are_given() {
    let (mut client, _) = Client::ready().await;
    let plain = client.result("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
    assert_eq!(plain.as_object().unwrap().keys().collect::<Vec<_>>(), ["sessionId"]);
    client.stop().await;

    let (mut client, _) = Client::ready_with(with_models(&["lab/small", "lab/large"])).await;
    let offered = client.result("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
    assert_eq!(
        offered["configOptions"],
        json!([
            {"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "lab/small",
                "options": [{"value": "lab/small", "name": "lab/small"}, {"value": "lab/large", "name": "lab/large"}]},
            {"id": "thought_level", "name": "Thought level", "category": "thought_level", "type": "select",
                "currentValue": "low", "options": [{"value": "low", "name": "low"}, {"value": "high", "name": "high"}]},
        ])
    );
    client.stop().await;
}

#[tokio::test]
async fn an_option_takes_only_values_on_offer() {
    let (mut client, session) = Client::ready_with(with_models(&["small", "large"])).await;
    let set = |id: &str, value: Value| json!({"sessionId": session, "configId": id, "value": value});
    let method = "session/set_config_option";

    let result = client.result(method, set("model", json!("large"))).await;
    let again = client.result(method, set("thought_level", json!("high"))).await;

    assert_eq!(result["configOptions"][0]["currentValue"], "large");
    assert_eq!(again["configOptions"][0]["currentValue"], "large");
    assert_eq!(again["configOptions"][1]["currentValue"], "high");
    for (id, value) in [("model", json!("huge")), ("model", json!(true)), ("colour", json!("red"))] {
        let mut params = set(id, value.clone());
        if value.is_boolean() {
            params["type"] = json!("boolean");
        }
        assert_eq!(client.error_code(method, params).await, -32602, "{id} {value}");
    }
    client.stop().await;
}

#[tokio::test]
async fn load_replays_the_history_before_it_answers() {
    let (mut client, session) = Client::ready().await;
    client.prompt(&session, "hello\nsay 2").await;
    client.prompt(&session, "tool x\nhuge 5000").await;

    let heard = client.ask("session/load", open(&session)).await;

    let replayed: Vec<_> = heard
        .updates()
        .map(|update| {
            (update["sessionUpdate"].as_str().unwrap(), update["content"]["text"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        replayed,
        [
            ("user_message_chunk", "hello\nsay 2"),
            ("agent_message_chunk", "You said: hello\nw1 w2"),
            ("user_message_chunk", "tool x\nhuge 5000"),
        ]
    );
    assert_eq!(heard.response["result"], json!({}));
    assert_eq!(client.prompt(&session, "say 1").await.text(), "w1");
    client.stop().await;
}

#[tokio::test]
async fn resume_opens_without_a_replay() {
    let (mut client, session) = Client::ready().await;
    client.prompt(&session, "say 2").await;

    let heard = client.ask("session/resume", open(&session)).await;

    assert_eq!((heard.messages, &heard.response["result"]), (vec![], &json!({})));
    client.stop().await;
}

#[tokio::test]
async fn an_unknown_session_is_not_found() {
    let (mut client, _) = Client::ready().await;
    for id in ["sim-99", "../sim-1", "sim-../1", "", "SIM-1"] {
        assert_eq!(client.error_code("session/load", open(id)).await, -32002, "{id}");
        assert_eq!(client.error_code("session/resume", open(id)).await, -32002, "{id}");
        assert_eq!(client.error_code("session/close", open(id)).await, -32002, "{id}");
        let prompt = json!({"sessionId": id, "prompt": []});
        assert_eq!(client.error_code("session/prompt", prompt).await, -32002, "{id}");
    }
    client.stop().await;
}

#[tokio::test]
async fn the_history_and_the_options_survive_a_restart() {
    let dir = tempdir().unwrap();
    let config = SimConfig { models: vec!["a".into(), "b".into()], ..Client::with_history(dir.path()) };
    let (mut client, session) = Client::ready_with(config.clone()).await;
    client.prompt(&session, "say 2\ntool x").await;
    let set = json!({"sessionId": session, "configId": "model", "value": "b"});
    client.result("session/set_config_option", set).await;
    client.stop().await;

    let mut client = Client::start(config);
    client.initialize(everything()).await;
    let heard = client.ask("session/load", open(&session)).await;
    let next = client.prompt(&session, "tool x").await;
    let other = client.new_session().await;

    assert_eq!(heard.chunks("user_message_chunk"), ["say 2\ntool x"]);
    assert_eq!(heard.chunks("agent_message_chunk"), ["w1 w2"]);
    assert_eq!(heard.response["result"]["configOptions"][0]["currentValue"], "b");
    assert_eq!(next.updates().next().unwrap()["toolCallId"], "call-2-1");
    assert_ne!(other, session);
    client.stop().await;
}

#[tokio::test]
async fn processes_that_share_a_history_never_share_an_id() {
    let dir = tempdir().unwrap();
    let (mut one, first) = Client::ready_with(Client::with_history(dir.path())).await;
    let (mut two, second) = Client::ready_with(Client::with_history(dir.path())).await;
    let third = one.new_session().await;
    let fourth = two.new_session().await;

    assert_eq!([first, second, third, fourth], ["sim-1", "sim-2", "sim-3", "sim-4"]);
    one.stop().await;
    two.stop().await;
}

#[tokio::test]
async fn a_line_cut_short_by_a_crash_is_left_out() {
    let dir = tempdir().unwrap();
    let (mut client, session) = Client::ready_with(Client::with_history(dir.path())).await;
    client.prompt(&session, "say 1").await;
    let path = dir.path().join(format!("{session}.ndjson"));
    let mut bytes = std::fs::read(&path).unwrap();
    bytes.extend_from_slice(b"{\"entry\":\"user\",\"te");
    std::fs::write(&path, bytes).unwrap();

    let heard = client.ask("session/load", open(&session)).await;

    assert_eq!(heard.chunks("user_message_chunk"), ["say 1"]);
    client.stop().await;
}

#[tokio::test]
async fn close_ends_the_turn_and_forgets_nothing() {
    let (mut client, session) = Client::ready().await;
    let id = client.start_prompt(&session, "say 1\nhang").await;
    client.message().await;

    let close = client.request("session/close", json!({"sessionId": session})).await;
    let mut responses = [client.message().await, client.message().await];
    responses.sort_by_key(|response| response["id"].as_u64());

    assert_eq!(
        (&responses[0]["id"], &responses[0]["result"]["stopReason"]),
        (&json!(id), &json!("cancelled"))
    );
    assert_eq!((&responses[1]["id"], &responses[1]["result"]), (&json!(close), &json!({})));
    assert_eq!(client.error_code("session/close", json!({"sessionId": session})).await, -32002);
    let heard = client.ask("session/load", open(&session)).await;
    assert_eq!(heard.chunks("agent_message_chunk"), ["w1"]);
    client.stop().await;
}

#[tokio::test]
async fn a_busy_session_is_not_opened_again() {
    let (mut client, session) = Client::ready().await;
    let id = client.start_prompt(&session, "hang").await;

    assert_eq!(client.error_code("session/load", open(&session)).await, -32603);
    assert_eq!(client.error_code("session/resume", open(&session)).await, -32603);

    client.cancel(&session).await;
    assert_eq!(client.until(id).await.stop_reason(), "cancelled");
    client.stop().await;
}

#[tokio::test]
async fn the_list_pages_newest_first() {
    let dir = tempdir().unwrap();
    let (mut client, _) = Client::ready_with(Client::with_history(dir.path())).await;
    for _ in 0..55 {
        client.new_session().await;
    }
    let here = client.result("session/new", json!({"cwd": "/elsewhere", "mcpServers": []})).await;
    let here = here["sessionId"].as_str().unwrap();
    client.prompt(here, "title A study").await;

    let first = client.result("session/list", json!({})).await;
    let cursor = first["nextCursor"].clone();
    let second = client.result("session/list", json!({"cursor": cursor})).await;
    let elsewhere = client.result("session/list", json!({"cwd": "/elsewhere"})).await;

    assert_eq!(first["sessions"][0], json!({"sessionId": "sim-57", "cwd": "/elsewhere", "title": "A study"}));
    assert_eq!(first["sessions"].as_array().unwrap().len(), 50);
    assert_eq!(second["sessions"][0]["sessionId"], "sim-7");
    assert_eq!(second["sessions"].as_array().unwrap().len(), 7);
    assert!(second["nextCursor"].is_null());
    assert_eq!(elsewhere["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(client.error_code("session/list", json!({"cursor": "x"})).await, -32602);
    client.stop().await;
}
