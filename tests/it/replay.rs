//! Does what a real agent once said come out whole? Recorded conversations, no agent needed.

use serde_json::{Value, json};

use crate::support::{Daemon, Serve, Session, eventually, python, repository};

/// One recorded conversation with a single prompt.
#[derive(Debug)]
struct Recording {
    /// Agent and name.
    name: String,
    /// What the agent said after the prompt.
    updates: Vec<Value>,
}

impl Recording {
    fn read(name: &str) -> Self {
        let path = repository().join(format!("tests/fixtures/acp/{name}.ndjson"));
        let text = std::fs::read_to_string(path).expect("a recording");
        let entries = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("a JSON line"));
        let turn = entries.skip_while(|entry| entry["msg"]["method"] != "session/prompt");
        let updates = turn
            .filter(|entry| entry["dir"] == "a2c" && entry["msg"]["method"] == "session/update")
            .map(|entry| entry["msg"]["params"]["update"].clone())
            .collect();
        Self { name: name.to_owned(), updates }
    }

    fn joined(&self, kind: &str) -> String {
        let chunks = self.updates.iter().filter(|update| update["sessionUpdate"] == kind);
        chunks.filter_map(|update| update["content"]["text"].as_str()).collect()
    }

    async fn daemon(&self) -> Daemon {
        let script = repository().join("tests/agents/replay_agent.py");
        let recording = repository().join(format!("tests/fixtures/acp/{}.ndjson", self.name));
        let agent = json!({"command": python(), "args": [script, recording]});
        Serve::new().config(json!({"agents": {"recorded": agent}, "defaultAgent": "recorded"})).start().await
    }

    /// The answer must be what was recorded, and told.
    async fn assert_is_kept(&self, session: Session<'_>, receipt: &Value) {
        assert_eq!(session.answer(receipt).await, self.joined("agent_message_chunk"), "{}", self.name);
        let messages = session.messages().await;
        let parts = messages.last().expect("an answer")["parts"].as_array().expect("parts").clone();
        let thoughts = parts.iter().filter(|part| part["type"] == "reasoning");
        let thoughts: String = thoughts.filter_map(|part| part["text"].as_str()).collect();
        assert_eq!(thoughts, self.joined("agent_thought_chunk"), "{}", self.name);
        let calls = self.updates.iter().filter(|update| update["sessionUpdate"] == "tool_call").count();
        let tools: Vec<&Value> = parts.iter().filter(|part| part["type"] == "tool").collect();
        assert!(tools.len() >= calls, "{}: {parts:?}", self.name);
        let closed =
            |tool: &&Value| ["completed", "error"].iter().any(|state| tool["state"]["status"] == *state);
        assert!(tools.iter().all(closed), "{}: {tools:?}", self.name);
        session.assert_transcript_is_told().await;
    }
}

/// Answers every permission with `reply` until the run ends.
async fn settle(session: Session<'_>, run: &str, reply: &str) -> Value {
    eventually("the recorded turn ends", async || {
        let snapshot = session.snapshot().await;
        for asked in snapshot["permissions"].as_array().expect("permissions") {
            let id = asked["id"].as_str().expect("an id");
            session.reply(id, reply).await.json(200);
        }
        let receipt = session.run(run).await;
        receipt["completedAt"].is_i64().then_some(receipt)
    })
    .await
}

#[tokio::test]
async fn recorded_turns_come_out_whole() {
    for name in [
        "codex/basic",
        "codex/stream",
        "codex/think",
        "codex/plan",
        "codex/tool_allow",
        "codex/tool_read",
        "codex/tool_write",
        "codex/two_tools",
        "claude/stream",
        "claude/tool_allow",
        "claude/tool_write",
        "opencode/think",
        "opencode/two_tools",
        "qwen/stream",
        "qwen/tool_allow",
    ] {
        let recording = Recording::read(name);
        let daemon = recording.daemon().await;
        let id = daemon.new_session().await;
        let session = daemon.session(&id);
        let run = session.say("again").await;
        let receipt = settle(session, &run, "once").await;
        assert_eq!(receipt["state"], "completed", "{name}: {receipt}");
        recording.assert_is_kept(session, &receipt).await;
    }
}

#[tokio::test]
async fn a_recorded_plan_becomes_todos() {
    for name in ["codex/plan", "qwen/plan"] {
        assert_plan_is_told(Recording::read(name)).await;
    }
}

async fn assert_plan_is_told(recording: Recording) {
    let daemon = recording.daemon().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("again").await;
    let todos = daemon.get(&format!("/session/{id}/todo")).await.json(200);
    let plan = recording.updates.iter().find(|update| update["sessionUpdate"] == "plan").expect("a plan");
    let told = |list: &Value| -> Vec<(Value, Value)> {
        let entries = list.as_array().expect("a list").iter();
        entries.map(|entry| (entry["content"].clone(), entry["status"].clone())).collect()
    };
    assert_eq!(told(&todos), told(&plan["entries"]));
}

#[tokio::test]
async fn a_recorded_rejection_says_permission_denied() {
    let recording = Recording::read("codex/tool_reject");
    let daemon = recording.daemon().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("again").await;
    let receipt = settle(session, &run, "reject").await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("permission_denied"))
    );
    recording.assert_is_kept(session, &receipt).await;
}

#[tokio::test]
async fn a_recorded_cancel_with_an_open_request_ends_cancelled() {
    let recording = Recording::read("codex/cancel_perm");
    let daemon = recording.daemon().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("again").await;
    session.permission().await;
    session.cancel(&run).await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "cancelled", "{receipt}");
    recording.assert_is_kept(session, &receipt).await;
}

#[tokio::test]
async fn a_recorded_model_error_fails_the_run_with_the_agents_words() {
    let recording = Recording::read("codex/llm_error");
    let daemon = recording.daemon().await;
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("again").await;
    assert_eq!(receipt["state"], "failed", "{receipt}");
    let error = &receipt["error"];
    assert_eq!((&error["code"], &error["stage"]), (&json!("prompt_failed"), &json!("prompt")), "{error}");
    assert_eq!(error["agentCode"], -32603, "{error}");
    daemon.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_agent_that_prints_a_line_and_leaves_could_not_be_started() {
    // It says that it is retired, on its standard output, and ends with status 0.
    let recording = Recording::read("kimi/basic");
    let daemon = recording.daemon().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("again").await;
    let error = &receipt["error"];
    assert_eq!(
        (&receipt["state"], &error["code"], &error["stage"]),
        (&json!("failed"), &json!("agent_start_failed"), &json!("initialize")),
        "{receipt}"
    );
    assert!(error["exit"].as_str().is_some_and(|exit| exit.contains('0')), "{error}");
    let said = error["stderr"].as_str().expect("what it said");
    assert!(said.contains("kimi-cli is no longer maintained"), "{error}");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_agent_that_wants_a_login_says_so() {
    let recording = Recording::read("auggie/basic");
    let daemon = recording.daemon().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("again").await;
    let error = &receipt["error"];
    assert_eq!(
        (&receipt["state"], &error["code"], &error["agentCode"]),
        (&json!("failed"), &json!("auth_required"), &json!(-32000)),
        "{receipt}"
    );
    assert!(error["message"].as_str().is_some_and(|text| text.contains("auggie login")), "{error}");
    session.assert_transcript_is_told().await;
}
