//! Is a session shown as objects, are their changes told, and can its terminals be handled?

use serde_json::{Value, json};

use crate::support::{Daemon, Serve, Updates, eventually};

/// A prompt that comes to an object of each kind but a diff.
const VARIED: &str =
    "think 2\nsay 3\ntool search {\"q\":1}\nplan a | b\nusage 10\nterminal echo \"hi\"\nsay 2";

async fn lenient(serve: &Serve) -> Daemon {
    serve.clone().config(json!({"permission": {"bash": "allow"}})).start().await
}

async fn state(daemon: &Daemon, id: &str) -> Value {
    daemon.get(&format!("/session/{id}/state")).await.json(200)
}

#[tokio::test]
async fn a_session_is_shown_as_objects_and_each_of_them_by_itself() {
    let daemon = lenient(&Serve::new()).await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish(VARIED).await;
    let state = state(&daemon, &id).await;
    let kinds: Vec<&str> =
        state["threads"].as_array().unwrap().iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    assert_eq!(
        kinds,
        ["user_message", "assistant_thought", "assistant_message", "tool_call", "tool_call", "plan"]
    );
    let get = async |rest: &str| daemon.get(&format!("/session/{id}/state{rest}")).await;
    for (path, key) in [
        ("/threads", "threads"),
        ("/diffs", "diffs"),
        ("/terminals", "terminals"),
        ("/tool-calls", "toolCalls"),
        ("/operations", "operations"),
        ("/permissions", "permissions"),
        ("/metadata", "metadata"),
        ("/usage", "usage"),
    ] {
        assert_eq!(get(path).await.json(200), state[key], "{path}");
    }
    let terminal = &state["terminals"][0];
    assert_eq!((&terminal["status"], &terminal["output"]), (&json!("completed"), &json!("hi\n")));
    assert_eq!((&terminal["exitCode"], &terminal["command"]), (&json!(0), &json!("echo hi")));
    let call = &state["toolCalls"][1];
    assert_eq!(call["terminals"], json!([terminal]));
    assert_eq!(terminal["toolCallId"], call["toolCall"]["toolCallId"]);
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let tid = word(&terminal["terminalId"]);
    assert_eq!(get(&format!("/terminals/{tid}")).await.json(200), *terminal);
    for name in [word(&call["toolCall"]["id"]), word(&call["toolCall"]["toolCallId"])] {
        assert_eq!(get(&format!("/tool-calls/{name}")).await.json(200), *call);
    }
    let operation = &state["operations"][1];
    assert_eq!(
        get(&format!("/operations/{}", word(&operation["operation"]["id"]))).await.json(200),
        *operation
    );
    let permission = &state["permissions"][0];
    assert_eq!(permission["operationId"], operation["operation"]["id"]);
    assert_eq!(get(&format!("/permissions/{}", word(&permission["id"]))).await.json(200), *permission);
    assert_eq!(state["usage"]["contextUsedTokens"], 10);

    let serve = daemon.stop().await.1;
    let daemon = serve.start().await;
    let again = self::state(&daemon, &id).await;
    assert_eq!(again, state, "nothing of it was in memory only");
}

#[tokio::test]
async fn what_is_told_comes_to_what_is_read() {
    let rules = json!({"permission": {"bash": {"echo *": "allow"}}});
    let daemon = Serve::new().config(rules).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let mut updates = Updates::open(&daemon, &id).await;
    let run = session.say(&format!("{VARIED}\nask make\nsay 20 10")).await;
    let asked = session.permission().await;
    session.reply(asked["id"].as_str().unwrap(), "once").await.json(200);
    session.settled(&run).await;
    let state = updates.until_equal(&daemon, &id).await;
    for name in [
        "thread_entry_added",
        "thread_entry_updated",
        "terminal_updated",
        "operation_projection_updated",
        "permission_projection_updated",
        "metadata_projection_updated",
        "usage_projection_updated",
    ] {
        assert!(
            updates.names.iter().any(|told| told == name) || name == "metadata_projection_updated",
            "{name}"
        );
    }
    let streaming = |entry: &Value| entry["status"] == "streaming";
    assert!(!state["threads"].as_array().unwrap().iter().any(streaming));
    // Nothing is at work: a rename is told all the same.
    daemon.patch(&format!("/session/{id}"), &json!({"title": "Other"})).await.json(200);
    let told = updates.next().await.unwrap();
    assert_eq!(
        (&told["type"], &told["metadata"]["title"]),
        (&json!("metadata_projection_updated"), &json!("Other"))
    );
    daemon.delete(&format!("/session/{id}")).await.json(200);
    assert_eq!(updates.next().await, None, "the stream ends with its session");
}

#[tokio::test]
async fn what_another_daemon_does_is_told_too() {
    let serve = Serve::new();
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.new_session().await;
    let mut updates = Updates::open(&two, &id).await;
    one.session(&id).finish("say 3").await;
    updates.until_equal(&two, &id).await;
    one.patch(&format!("/session/{id}"), &json!({"title": "Theirs"})).await.json(200);
    let told = updates.next().await.unwrap();
    assert_eq!(told["metadata"]["title"], "Theirs");
}

#[tokio::test]
async fn a_terminal_is_looked_at_waited_for_killed_and_released() {
    let daemon = lenient(&Serve::new()).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say(r#"terminal sh "-c" "echo one; sleep 1000""#).await;
    let first = eventually("the terminal", async || {
        let terminals = daemon.get(&format!("/session/{id}/state/terminals")).await.json(200);
        terminals.as_array().unwrap().first().cloned()
    })
    .await;
    assert_eq!(first["status"], "running");
    let tid = first["terminalId"].as_str().unwrap().to_owned();
    let act = async |verb: &str| {
        daemon.post(&format!("/session/{id}/state/terminals/{tid}/{verb}"), &json!({})).await.json(200)
    };
    let seen = eventually("its output", async || {
        let seen = act("refresh").await;
        (seen["output"] == "one\n").then_some(seen)
    })
    .await;
    assert!(seen["revision"].as_i64() > first["revision"].as_i64() || first["output"] == "one\n");
    assert_eq!((&seen["outputLineCount"], &seen["outputLength"]), (&json!(2), &json!(4)));
    assert_eq!(act("wait?timeoutMs=20").await["status"], "running");
    let stopped = act("kill").await;
    assert!(stopped["stopRequestedAt"].is_i64(), "{stopped}");
    let ended = act("wait").await;
    assert_eq!((&ended["status"], &ended["signal"]), (&json!("completed"), &json!("SIGTERM")));
    assert!(ended["completedAt"].is_i64() && ended["revision"].as_i64() > seen["revision"].as_i64());
    let receipt = session.settled(&run).await;
    assert!(session.answer(&receipt).await.starts_with("exit null: one"), "{receipt}");
    // The agent has let go of it: it stays as it was.
    let released = act("refresh").await;
    assert!(released["releasedAt"].is_i64());
    assert_eq!(act("kill").await, released);
    assert_eq!(act("release").await, released);
}

#[tokio::test]
async fn a_released_terminal_ends_and_the_agent_cannot_ask_for_it() {
    let daemon = lenient(&Serve::new()).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("terminal sleep \"1000\"").await;
    let first = eventually("the terminal", async || {
        let terminals = daemon.get(&format!("/session/{id}/state/terminals")).await.json(200);
        terminals.as_array().unwrap().first().cloned()
    })
    .await;
    let path = format!("/session/{id}/state/terminals/{}", first["terminalId"].as_str().unwrap());
    let released = daemon.post(&format!("{path}/release"), &json!({})).await.json(200);
    assert!(released["releasedAt"].is_i64(), "{released}");
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed");
    let terminal = eventually("its end", async || {
        let terminal = daemon.get(&path).await.json(200);
        terminal["releasedAt"].is_i64().then_some(terminal)
    })
    .await;
    assert_eq!(terminal["releasedAt"], released["releasedAt"]);
}

#[tokio::test]
async fn what_is_not_there_is_told_by_its_code() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    for (path, code) in [
        ("/state/terminals/ter_none", "terminal_not_found"),
        ("/state/tool-calls/none", "tool_call_not_found"),
        ("/state/operations/none", "operation_not_found"),
        ("/state/permissions/per_none", "permission_not_found"),
    ] {
        daemon.get(&format!("/session/{id}{path}")).await.refusal(404, code);
        daemon.get(&format!("/session/ses_none{path}")).await.refusal(404, "session_not_found");
    }
    for verb in ["wait", "refresh", "kill", "release"] {
        let path = format!("/state/terminals/ter_none/{verb}");
        daemon.post(&format!("/session/{id}{path}"), &json!({})).await.refusal(404, "terminal_not_found");
        daemon.post(&format!("/session/ses_none{path}"), &json!({})).await.refusal(404, "session_not_found");
    }
    daemon.get("/session/ses_none/state/events").await.refusal(404, "session_not_found");
    daemon
        .get(&format!("/session/{id}/state/terminals/ter_none?unknown=1"))
        .await
        .refusal(404, "terminal_not_found");
    let empty = state(&daemon, &id).await;
    assert_eq!((&empty["threads"], empty.get("usage")), (&json!([]), None));
    assert_eq!(daemon.get(&format!("/session/{id}/state/usage")).await.json(200), json!({}));
}
