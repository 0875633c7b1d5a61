//! What does a client learn when an agent fails, and does the session go on?

use futures_util::future::join_all;
use serde_json::json;

use crate::support::{BINARY, Daemon, Event, Prompt, Serve, Transcript, eventually, kill, scripted};

#[tokio::test]
async fn the_agents_stop_reason_stands_on_the_receipt() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for (reason, finish) in
        [("max_tokens", "length"), ("max_turn_requests", "tool-calls"), ("refusal", "refusal")]
    {
        let receipt = session.finish(&format!("say 2\nstop {reason}")).await;
        assert_eq!((&receipt["state"], &receipt["stopReason"]), (&json!("completed"), &json!(reason)));
        let result = receipt["resultMessageID"].as_str().expect("a result");
        let message = daemon.get(&format!("/session/{id}/message/{result}")).await.json(200);
        assert_eq!(message["info"]["finish"], finish);
    }
    let receipt = session.finish("say 2\nstop cancelled").await;
    assert_eq!((&receipt["state"], &receipt["error"]["code"]), (&json!("failed"), &json!("agent_cancelled")));
    assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 2, "text is kept");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_error_answer_fails_the_run_at_once_with_the_agents_code() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for (directive, code) in [
        ("error -32603 broken", -32603),
        ("error -32000 login first", -32000),
        ("error 400 none", 400),
        ("error -1 huge", -1),
    ] {
        let receipt = session.finish(&format!("text before\n{directive}")).await;
        assert_eq!(receipt["state"], "failed", "{directive}");
        let error = &receipt["error"];
        assert_eq!((&error["agentCode"], &error["stage"]), (&json!(code), &json!("prompt")), "{error}");
        assert!(error["message"].as_str().is_some_and(|text| text.len() < 20_000), "bounded");
        let last = session.events(0).await.pop().expect("events");
        assert!(last.is("runtime.failed") && last.properties["error"] == *error, "{last:?}");
    }
    let messages = session.messages().await;
    let kept = messages.iter().filter(|message| Transcript::text_of(message) == "before").count();
    assert_eq!(kept, 4, "the text before the error is kept");
    assert_eq!(session.finish("text fine").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_agent_that_exits_tells_why_at_every_stage() {
    let stages = [
        ("initialize", "initialize", "agent_start_failed"),
        ("session/new", "session", "agent_exited"),
        ("session/prompt", "prompt", "agent_exited"),
    ];
    for (method, stage, code) in stages {
        let serve = Serve::new();
        let (config, _log) = scripted(&serve.world, &["--exit-before", method]);
        let daemon = serve.config(config).start().await;
        let id = daemon.new_session().await;
        let receipt = daemon.session(&id).finish("text never").await;
        assert_eq!(receipt["state"], "failed", "{method}");
        let error = &receipt["error"];
        assert_eq!((&error["code"], &error["stage"]), (&json!(code), &json!(stage)), "{error}");
        assert!(error["exit"].as_str().is_some_and(|exit| exit.contains('7')), "{error}");
        let stderr = error["stderr"].as_str().expect("a stderr tail");
        assert!(stderr.contains("first line") && stderr.contains("last words"), "{stderr}");
        daemon.session(&id).assert_transcript_is_told().await;
    }
}

#[tokio::test]
async fn an_agent_that_cannot_be_started_fails_the_run_not_the_session() {
    let config = json!({
        "agents": {"missing": {"command": "no-such-agent-anywhere"}, "silent": {"command": "/bin/true"},
                   "folder": {"command": "/usr"}},
        "defaultAgent": "missing",
    });
    let daemon = Serve::new().config(config).start().await;
    for agent in ["missing", "silent", "folder"] {
        let id = daemon.create(&json!({"agent": agent, "workspace": "project"})).await;
        let receipt = daemon.session(&id).finish("say 1").await;
        assert_eq!(receipt["state"], "failed", "{agent}");
        assert_eq!(receipt["error"]["code"], "agent_start_failed", "{agent}: {receipt}");
        let message = receipt["error"]["message"].as_str().expect("a message");
        if agent == "missing" {
            assert!(message.contains("no-such-agent-anywhere") && message.contains("/usr/bin"), "{message}");
        }
        let text = daemon.session(&id).messages().await;
        assert_eq!(
            Transcript::text_of(text.first().expect("the user message")),
            "say 1",
            "the prompt is kept"
        );
    }
    let id = daemon.create(&json!({"agent": "sim", "workspace": "project"})).await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed", "others are not affected");
}

#[tokio::test]
async fn an_agent_that_never_gets_ready_is_given_up_with_its_last_words() {
    let slow = "echo resolving packages >&2; sleep 600";
    let config = json!({
        "agents": {"slow": {"command": "/bin/sh", "args": ["-c", slow]}}, "defaultAgent": "slow",
        "limits": {"startTimeoutMs": 1_000},
    });
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 1").await;
    eventually("it starts", async || (!daemon.agents().is_empty()).then_some(())).await;
    let processes = daemon.get("/agent/connection").await.json(200);
    assert_eq!(processes[0]["status"], "connecting", "not connected before it is ready");
    let receipt = session.settled(&run).await;
    let error = &receipt["error"];
    assert_eq!(
        (&error["code"], &error["stage"]),
        (&json!("agent_start_failed"), &json!("initialize")),
        "{error}"
    );
    assert_eq!(error["stderr"], "resolving packages");
    eventually("it is gone", async || daemon.agents().is_empty().then_some(())).await;
}

#[tokio::test]
async fn an_agent_that_could_not_be_started_is_tried_again() {
    let serve = Serve::new();
    let flag = serve.world.root().join("tried").display().to_string();
    let script = "if [ -e \"$0\" ]; then exec \"$1\" agent sim; fi; : > \"$0\"; echo not yet >&2; exit 1";
    let agent = json!({"command": "/bin/sh", "args": ["-c", script, flag, BINARY]});
    let daemon = serve.config(json!({"agents": {"moody": agent}, "defaultAgent": "moody"})).start().await;
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("say 1").await;
    let error = &receipt["error"];
    assert_eq!(
        (&error["code"], &error["stderr"]),
        (&json!("agent_start_failed"), &json!("not yet")),
        "{error}"
    );
    assert_eq!(daemon.session(&id).finish("say 2").await["state"], "completed");
    daemon.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn after_every_kind_of_end_the_next_prompt_is_admitted_at_once() {
    let daemon = Serve::new().config(json!({"limits": {"cancelEscalateMs": 200}})).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let next = async |after: &str| {
        let receipt = session.finish("say 2").await;
        assert_eq!(receipt["state"], "completed", "after {after}: {receipt}");
        assert_eq!(receipt.get("contextReset"), None, "after {after}: {receipt}");
        assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 2, "after {after}");
    };
    next("nothing").await;
    for (prompt, state) in [
        ("fail -32603", "failed"),
        ("say 1\nexit 3", "failed"),
        ("stderr 3\nexit 0", "failed"),
        ("stop cancelled", "failed"),
        ("stop refusal", "completed"),
        ("say 1", "completed"),
    ] {
        assert_eq!(session.finish(prompt).await["state"], state, "{prompt}");
        next(prompt).await;
    }
    for prompt in ["hang", "say 1\nhang", "ignore-cancel\nhang", "ask bash"] {
        let run = session.say(prompt).await;
        session.cancel(&run).await.json(200);
        assert_eq!(session.settled(&run).await["state"], "cancelled", "{prompt}");
        next(prompt).await;
    }
    let run = session.prompt(&Prompt::text("hang").with("deadlineMs", 100)).await;
    let receipt = session.settled(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("deadline_exceeded"))
    );
    next("a deadline").await;
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_deadline_stops_the_work_and_keeps_what_there_is() {
    let daemon = Daemon::start().await;
    let id = daemon.create(&json!({"workspace": "project", "deadlineMs": 1_500})).await;
    let session = daemon.session(&id);
    let receipt = session.finish("say 7\nask bash").await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("deadline_exceeded"))
    );
    let deadline = receipt["deadlineAt"].as_i64().expect("a deadline");
    assert_eq!(Some(deadline), receipt["acceptedAt"].as_i64().map(|time| time + 1_500));
    assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 7);
    assert_eq!(session.snapshot().await["permissions"], json!([]));
}

#[tokio::test]
async fn a_killed_agent_is_replaced_by_a_fresh_one() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    assert_eq!(session.finish("say 1").await["state"], "completed");
    daemon.kill_agents().await;
    assert_eq!(session.finish("say 1").await["state"], "completed", "killed while idle: nobody notices");
    let run = session.say("say 4\nhang").await;
    let mut stream = session.stream(0).await;
    stream
        .until(|event| event.run_id == run && event.properties["part"]["type"] == "text" && is_answer(event))
        .await;
    daemon.kill_agents().await;
    let receipt = session.settled(&run).await;
    assert_eq!((&receipt["state"], &receipt["error"]["code"]), (&json!("failed"), &json!("agent_exited")));
    assert!(receipt["error"]["exit"].as_str().is_some_and(|exit| exit.contains('9')), "{receipt}");
    assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 4, "text is kept");
    assert_eq!(session.finish("say 1").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn every_turn_of_an_agent_that_dies_fails_once() {
    let daemon = Daemon::start().await;
    let ids = join_all((0..4).map(|_| daemon.new_session())).await;
    let mut runs = Vec::new();
    for id in &ids {
        let session = daemon.session(id);
        let run = session.say("say 2\nhang").await;
        session
            .stream(0)
            .await
            .until(|event| event.properties["part"]["type"] == "text" && is_answer(event))
            .await;
        runs.push(run);
    }
    assert_eq!(daemon.agents().len(), 1, "one process serves all");
    daemon.kill_agents().await;
    for (id, run) in ids.iter().zip(&runs) {
        let session = daemon.session(id);
        let receipt = session.settled(run).await;
        assert_eq!(
            (&receipt["state"], &receipt["error"]["code"]),
            (&json!("failed"), &json!("agent_exited"))
        );
        let events = session.events(0).await;
        assert_eq!(events.iter().filter(|event| event.is_terminal()).count(), 1);
        assert_eq!(events.iter().filter(|event| event.is("agent.exited")).count(), 1);
        assert_eq!(session.finish("say 1").await["state"], "completed");
        session.assert_transcript_is_told().await;
    }
    assert_eq!(daemon.agents().len(), 1);
}

fn is_answer(event: &Event) -> bool {
    event.properties["part"]["text"].as_str().is_none_or(|text| !text.contains("hang"))
}

#[tokio::test]
async fn a_silent_agent_fails_its_run_and_one_that_waits_for_a_person_does_not() {
    let config = json!({"stallTimeoutMs": 400, "decisionTimeoutMs": 900, "decisionTimeoutOutcome": "once"});
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("say 20 50\nhang").await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("agent_stalled")),
        "{receipt}"
    );
    assert!(session.answer(&receipt).await.ends_with("w20"), "words that come are no silence");
    // Only the limit of the decision ends the silence.
    let receipt = session.finish("ask make\nsay 1").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_dead_agent_is_no_hindrance_to_new_sessions() {
    let daemon = Daemon::start().await;
    let old = daemon.new_session().await;
    for round in 0..8 {
        assert_eq!(daemon.session(&old).finish("say 1").await["state"], "completed", "round {round}");
        let new = daemon.new_session().await;
        // At once, before anyone can have noticed.
        daemon.agents().into_iter().for_each(kill);
        let receipt = daemon.session(&new).finish("say 1").await;
        assert_eq!(receipt["state"], "completed", "round {round}: {receipt}");
    }
}

#[tokio::test]
async fn an_agent_that_has_gone_silent_is_replaced() {
    let serve = Serve::new();
    let flag = serve.world.root().join("wedged").display().to_string();
    let (mut config, log) = scripted(&serve.world, &["--deaf-once", &flag]);
    config["limits"] = json!({"openTimeoutMs": 400});
    let daemon = serve.config(config).start().await;
    let (old, new) = (daemon.new_session().await, daemon.new_session().await);
    let receipt = daemon.session(&old).finish("text one").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let wedged = daemon.agents();
    let error = daemon.session(&new).finish("text never").await["error"].clone();
    assert_eq!(
        (&error["code"], &error["stage"]),
        (&json!("session_open_failed"), &json!("session")),
        "{error}"
    );
    eventually("it is ended", async || daemon.agents().iter().all(|pid| !wedged.contains(pid)).then_some(()))
        .await;
    for id in [&new, &old] {
        let receipt = daemon.session(id).finish("text two").await;
        assert_eq!(receipt["state"], "completed", "{receipt}");
    }
    assert_eq!(log.received("initialize").len(), 2, "one fresh process serves both");
}
