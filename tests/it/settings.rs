//! Does what is configured reach the agent?
//!
//! Which source of a setting wins is tested where the configuration is read.

use serde_json::{Value, json};

use crate::support::{Daemon, Prompt, Serve, eventually, scripted};

/// The `mcpServers` of every message by which the agent was asked for a session.
fn given(received: &[Value]) -> Vec<&Value> {
    received.iter().map(|message| &message["params"]["mcpServers"]).collect()
}

fn names(servers: &Value) -> Vec<&str> {
    servers.as_array().expect("a list").iter().filter_map(|server| server["name"].as_str()).collect()
}

#[tokio::test]
async fn an_agent_gets_the_configured_mcp_servers_and_those_of_its_session_whenever_it_opens_one() {
    let serve = Serve::new();
    let (mut config, log) = scripted(&serve.world, &["--reopen", "ok", "--mcp", "http"]);
    config["mcp"] = json!({
        "papers": {"command": "env", "args": ["-u", "X"], "env": {"PAPERS_KEY": "k-papers"}},
        "web": {"url": "https://web.example/mcp", "headers": {"Authorization": "Bearer k-web"}},
        "stream": {"type": "sse", "url": "https://stream.example"},
        "replaced": {"command": "/bin/configured"},
    });
    let daemon = serve.config(config).start().await;
    let own = json!([
        {"name": "replaced", "command": "/bin/asked", "args": ["-x"], "env": [{"name": "K", "value": "v"}]},
        {"type": "http", "name": "more", "url": "http://more.example", "headers": []},
    ]);
    let id = daemon.create(&json!({"workspace": "project", "mcpServers": own})).await;
    let plain = daemon.new_session().await;
    assert_eq!(daemon.session(&id).finish("text 1").await["state"], "completed");
    assert_eq!(daemon.session(&plain).finish("text 1").await["state"], "completed");
    let opened = log.received("session/new");
    let [first, second] = given(&opened)[..] else { panic!("{opened:?}") };
    assert_eq!(
        names(first),
        ["papers", "web", "replaced", "more", "open-science-artifacts", "openscience-questions"],
        "sse was not offered"
    );
    assert_eq!(
        names(second),
        ["papers", "web", "replaced", "open-science-artifacts", "openscience-questions"]
    );
    let env = json!([{"name": "PAPERS_KEY", "value": "k-papers"}]);
    let papers = json!({"name": "papers", "command": "/usr/bin/env", "args": ["-u", "X"], "env": env});
    assert_eq!(first[0], papers);
    let headers = json!([{"name": "Authorization", "value": "Bearer k-web"}]);
    let web = json!({"type": "http", "name": "web", "url": "https://web.example/mcp", "headers": headers});
    assert_eq!(first[1], web);
    assert_eq!((&first[2], &first[3]), (&own[0], &own[1]));

    // A restart takes the conversation up with the same servers.
    let (status, serve) = daemon.stop().await;
    assert!(status.success());
    let daemon = serve.start().await;
    assert_eq!(daemon.session(&id).finish("text 2").await["state"], "completed");
    let loaded = log.received("session/load");
    let [again] = given(&loaded)[..] else { panic!("{loaded:?}") };
    let without_ours =
        |servers: &Value| servers.as_array().expect("a list").split_last().map(|(_, others)| others.to_vec());
    assert_eq!((names(again), without_ours(again)), (names(first), without_ours(first)));
    let told = daemon.get(&format!("/session/{id}")).await.json(200).to_string();
    let journal = json!(daemon.get(&format!("/runtime/replay?sessionID={id}")).await.text()).to_string();
    let file = std::fs::read_to_string(daemon.world().data().join("logs/openscience.log")).expect("a log");
    assert!(file.contains("mcp.server=\"stream\""), "whoever looks for the missing one finds why: {file}");
    for text in [told, journal, file] {
        assert!(
            !text.contains("k-papers") && !text.contains("k-web") && !text.contains("/bin/asked"),
            "{text}"
        );
    }
}

#[tokio::test]
async fn an_mcp_server_that_was_asked_for_and_cannot_be_reached_fails_the_run_and_says_so() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let servers = json!([{"type": "http", "name": "web", "url": "http://web.example"}]);
    let id = daemon.create(&json!({"workspace": "project", "mcpServers": servers})).await;
    let receipt = daemon.session(&id).finish("text never").await;
    let error = &receipt["error"];
    assert_eq!((&error["code"], &error["stage"]), (&json!("session_open_failed"), &json!("session")));
    assert_eq!(error["message"], "agent scripted does not take MCP servers over http: web");
    assert_eq!(log.received("session/new"), Vec::<Value>::new());
}

#[tokio::test]
async fn keys_of_mcp_servers_are_masked_where_an_agent_repeats_them() {
    let script = "read -r line; echo \"no use for k-mcp-secret\" >&2; exit 4";
    let config = json!({
        "agents": {"leaky": {"command": "sh", "args": ["-c", script]}},
        "mcp": {"web": {"url": "http://web.example", "headers": {"Authorization": "Bearer k-mcp-secret"}}},
    });
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("text never").await;
    assert_eq!(receipt["error"]["stderr"], "no use for [masked]", "{receipt}");
}

/// The model of the user message and of the answer.
async fn models(daemon: &Daemon, id: &str, prompt: &Prompt) -> (String, String) {
    let session = daemon.session(id);
    let run = session.prompt(prompt).await;
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let messages = session.messages().await;
    let [.., user, answer] = messages.as_slice() else { panic!("{messages:?}") };
    let word = |value: &Value| value.as_str().expect("a word").to_owned();
    let (user, answer) = (&user["info"]["model"], &answer["info"]);
    let name = |info: &Value| format!("{}/{}", word(&info["providerID"]), word(&info["modelID"]));
    (name(user), name(answer))
}

#[tokio::test]
async fn a_prompt_that_names_no_model_runs_with_the_configured_one() {
    let config = json!({
        "agents": {"sim": {"models": ["p/first", "p/wanted", "p/asked"]}}, "model": "p/wanted",
    });
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    let wanted = ("p/wanted".to_owned(), "p/wanted".to_owned());
    assert_eq!(models(&daemon, &id, &Prompt::text("say 1")).await, wanted);
    let asked = Prompt::text("say 1").with("model", json!({"providerID": "p", "modelID": "asked"}));
    assert_eq!(models(&daemon, &id, &asked).await.1, "p/asked");
    assert_eq!(models(&daemon, &id, &Prompt::text("say 1")).await, wanted, "not the one before");
}

#[tokio::test]
async fn a_configured_model_that_the_default_agent_does_not_offer_fails_the_run_naming_the_offer() {
    let serve = Serve::new();
    let (mut config, _log) = scripted(&serve.world, &[]);
    config["agents"]["sim"] = json!({"models": ["p/first"]});
    config["defaultAgent"] = json!("sim");
    config["model"] = json!("p/misspelt");
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("say 1").await;
    assert_eq!(receipt["error"]["code"], "model_not_available", "{receipt}");
    let message = receipt["error"]["message"].as_str().expect("a message");
    assert!(message.contains("p/misspelt") && message.contains("p/first"), "{message}");
    let other = daemon.create(&json!({"workspace": "project", "agent": "scripted"})).await;
    let receipt = daemon.session(&other).finish("text 1").await;
    assert_eq!(receipt["state"], "completed", "it is not for other agents: {receipt}");
}

#[tokio::test]
async fn an_agent_may_have_its_own_time_to_start() {
    let config = json!({
        "agents": {"silent": {"command": "sleep", "args": ["1000"], "startTimeoutMs": 200}},
        "limits": {"startTimeoutMs": 600_000},
    });
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    let error = &daemon.session(&id).finish("say 1").await["error"];
    assert_eq!((&error["code"], &error["stage"]), (&json!("agent_start_failed"), &json!("initialize")));
}

#[tokio::test]
async fn runs_at_work_and_streams_and_agent_processes_are_bounded_as_configured() {
    let serve = Serve::new();
    let (mut config, _log) = scripted(&serve.world, &[]);
    config["defaultAgent"] = json!("sim");
    config["limits"] = json!({"maxSessions": 2, "maxConnections": 1, "maxSubscribers": 1});
    config["agents"]["scripted"]["startTimeoutMs"] = json!(1_000);
    let daemon = serve.config(config).start().await;
    let (one, two, three) =
        (daemon.new_session().await, daemon.new_session().await, daemon.new_session().await);
    let first = daemon.session(&one).say("say 1\nhang").await;
    let stream = daemon.session(&one).stream(0).await;
    eventually("the agent has its prompt", async || {
        let connections = daemon.get("/agent/connection").await.json(200);
        (connections[0]["promptInFlight"] == true).then_some(())
    })
    .await;
    let path = format!("/runtime/events?sessionID={two}");
    daemon.get(&path).await.refusal(429, "too_many_subscribers");
    drop(stream);

    let other = daemon.create(&json!({"workspace": "project", "agent": "scripted"})).await;
    let receipt = daemon.session(&other).finish("text 1").await;
    assert_eq!(receipt["error"]["code"], "agent_capacity", "{receipt}");

    daemon.session(&two).say("hang").await;
    let refused = daemon.session(&three).submit(&Prompt::text("say 1")).await;
    refused.refusal(429, "too_many_sessions");
    assert_eq!(refused.header("retry-after"), "1");
    for id in [&one, &two] {
        daemon.post(&format!("/session/{id}/abort"), &json!({})).await.json(200);
    }
    assert_eq!(daemon.session(&one).settled(&first).await["state"], "cancelled");
    let receipt = eventually("an idle process makes room", async || {
        let receipt = daemon.session(&other).finish("text 1").await;
        (receipt["state"] == "completed").then_some(receipt)
    })
    .await;
    assert_eq!(receipt.get("error"), None, "{receipt}");
}

#[tokio::test]
async fn events_and_stderr_are_cut_and_waiting_ends_as_configured() {
    let limits = json!({"maxEventBytes": 8_192, "stderrTailBytes": 300, "openTimeoutMs": 2_000});
    let daemon = Serve::new().config(json!({"limits": limits})).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let output = "x".repeat(50_000);
    let prompt = format!("tool big {{\"output\":\"{output}\"}}\nstderr 100\nnext session/new hang");
    assert_eq!(session.finish(&prompt).await["state"], "completed");
    let answer = session.messages().await.pop().expect("an answer").to_string();
    assert!(answer.contains(&output), "the message is whole");
    let of_tools = session.events(0).await.into_iter().filter(|event| event.kind == "tool");
    let longest = of_tools.map(|event| event.properties.to_string().len()).max().expect("tool events");
    assert!(longest < 10_000, "{longest}");
    let connections = daemon.get("/agent/connection").await.json(200);
    let tail = connections[0]["stderrTail"].as_str().expect("a tail");
    assert!(!tail.is_empty() && tail.len() <= 300, "{tail}");
    let other = daemon.new_session().await;
    let error = &daemon.session(&other).finish("say 1").await["error"];
    assert_eq!(
        (&error["code"], &error["stage"]),
        (&json!("session_open_failed"), &json!("session")),
        "{error}"
    );
}
