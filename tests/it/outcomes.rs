//! What does a receipt say, for every way in which a run can end?
//!
//! One table. What else happens on the way is tested by kind of failure.

use serde_json::{Value, json};

use crate::support::{Daemon, Prompt, Serve, Session, eventually, kill, scripted};

/// What is done to the run meanwhile.
#[derive(Debug, Clone, Copy)]
enum Act {
    Nothing,
    /// Rejects the permission it asks for.
    Reject,
    /// Dismisses its question.
    Dismiss,
    Cancel,
    /// Stops its turn and not the run.
    CancelTurn,
    /// Kills its agent.
    Kill,
}

/// State, code and stop reason of the receipt, then state and code of its turn.
type Expected = [&'static str; 5];

async fn outcome(session: Session<'_>, prompt: &Prompt, act: Act) -> ([String; 5], Value) {
    let run = session.prompt(prompt).await;
    match act {
        Act::Nothing => {}
        Act::Reject => {
            let asked = session.permission().await;
            session.reply(asked["id"].as_str().expect("an id"), "reject").await.json(200);
        }
        Act::Dismiss => drop(session.dismiss(&session.question().await).await.json(200)),
        Act::Cancel | Act::CancelTurn | Act::Kill => at_work(session, &run, act).await,
    }
    let receipt = session.settled(&run).await;
    let events = session.events(0).await;
    let terminals: Vec<_> =
        events.iter().filter(|event| event.run_id == run && event.is_terminal()).collect();
    let last = events.iter().rfind(|event| event.run_id == run);
    assert!(
        terminals.len() == 1 && last == terminals.first().copied(),
        "one terminal event, the last: {terminals:?}"
    );
    let turn = events.iter().rfind(|event| event.run_id == run && event.is("turn.updated")).expect("a turn");
    let word = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let found = [
        word(&receipt["state"]),
        word(&receipt["error"]["code"]),
        word(&receipt["stopReason"]),
        word(&turn.properties["state"]),
        word(&turn.properties["error"]["code"]),
    ];
    (found, receipt)
}

async fn at_work(session: Session<'_>, run: &str, act: Act) {
    session.running(run).await;
    match act {
        Act::Kill => session.daemon.agents().into_iter().for_each(kill),
        Act::CancelTurn => {
            let turn = eventually("an active turn", async || {
                let events = session.events(0).await;
                let active = events.into_iter().rfind(|event| event.is("turn.updated"))?;
                active.properties["turnID"].as_str().map(str::to_owned)
            })
            .await;
            let path = format!("/session/{}/turn/{turn}/cancel", session.id());
            session.daemon.post(&path, &json!({})).await.json(200);
        }
        Act::Cancel | Act::Nothing | Act::Reject | Act::Dismiss => {
            session.cancel(run).await.json(200);
        }
    }
}

#[tokio::test]
async fn every_way_to_end_has_its_receipt() {
    const TABLE: [(&str, Act, Expected); 24] = [
        ("say 1", Act::Nothing, ["completed", "-", "end_turn", "completed", "-"]),
        ("say 1\nstop max_tokens", Act::Nothing, ["completed", "-", "max_tokens", "completed", "-"]),
        ("stop max_turn_requests", Act::Nothing, ["completed", "-", "max_turn_requests", "completed", "-"]),
        ("stop refusal", Act::Nothing, ["completed", "-", "refusal", "completed", "-"]),
        ("stop something_new", Act::Nothing, ["completed", "-", "something_new", "completed", "-"]),
        // Cancelled by nobody, after a refusal, and although the agent went on after one.
        (
            "stop cancelled",
            Act::Nothing,
            ["failed", "agent_cancelled", "cancelled", "failed", "agent_cancelled"],
        ),
        (
            "say 1\nask make\nstop cancelled",
            Act::Reject,
            ["failed", "permission_denied", "cancelled", "failed", "permission_denied"],
        ),
        ("ask make\nsay 1", Act::Reject, ["completed", "-", "end_turn", "completed", "permission_denied"]),
        (
            "ask make\nstop max_tokens",
            Act::Reject,
            ["completed", "-", "max_tokens", "completed", "permission_denied"],
        ),
        ("ask make\nfail -32603", Act::Reject, ["failed", "prompt_failed", "-", "failed", "prompt_failed"]),
        // A question that nobody answers is no refusal.
        ("question Why?\nsay 1", Act::Dismiss, ["completed", "-", "end_turn", "completed", "-"]),
        (
            "question Why?\nstop cancelled",
            Act::Dismiss,
            ["failed", "agent_cancelled", "cancelled", "failed", "agent_cancelled"],
        ),
        // Our own cancel, whatever the agent makes of it.
        ("say 1\nhang", Act::Cancel, ["cancelled", "-", "cancelled", "cancelled", "-"]),
        ("say 1\nignore-cancel\nhang", Act::Cancel, ["cancelled", "-", "-", "cancelled", "-"]),
        ("say 1\nask make", Act::Cancel, ["cancelled", "-", "cancelled", "cancelled", "-"]),
        ("say 1\nquestion Why?\nhang", Act::Cancel, ["cancelled", "-", "cancelled", "cancelled", "-"]),
        ("say 1\nhang", Act::CancelTurn, ["cancelled", "-", "cancelled", "cancelled", "-"]),
        // The agent's errors and exits.
        ("fail -32603", Act::Nothing, ["failed", "prompt_failed", "-", "failed", "prompt_failed"]),
        ("say 3\nfail -32603", Act::Nothing, ["failed", "prompt_failed", "-", "failed", "prompt_failed"]),
        ("fail -32000", Act::Nothing, ["failed", "auth_required", "-", "failed", "auth_required"]),
        ("say 1\nexit 0", Act::Nothing, ["failed", "agent_exited", "-", "failed", "agent_exited"]),
        ("exit 3", Act::Nothing, ["failed", "agent_exited", "-", "failed", "agent_exited"]),
        ("say 1\nhang", Act::Kill, ["failed", "agent_exited", "-", "failed", "agent_exited"]),
        // The frame that was skipped may have been its answer.
        ("huge 40000", Act::Nothing, ["completed", "-", "end_turn", "completed", "-"]),
    ];
    let limits = json!({"cancelEscalateMs": 300, "cancelSettleMs": 1_000});
    let daemon = Serve::new().config(json!({"limits": limits})).start().await;
    for (prompt, act, expected) in TABLE {
        let id = daemon.new_session().await;
        let session = daemon.session(&id);
        let (found, receipt) = outcome(session, &Prompt::text(prompt), act).await;
        assert_eq!(found, expected, "{prompt:?} {act:?}: {receipt}");
        assert!(receipt["completedAt"].as_i64() >= receipt["acceptedAt"].as_i64(), "{receipt}");
        if prompt.starts_with("say") {
            assert!(session.answer(&receipt).await.starts_with("w1"), "text is kept: {prompt:?}");
        }
        session.assert_transcript_is_told().await;
    }
}

#[tokio::test]
async fn every_limit_in_time_has_its_receipt() {
    let config = json!({"stallTimeoutMs": 1_500, "decisionTimeoutMs": 300,
        "limits": {"cancelEscalateMs": 300, "cancelSettleMs": 1_000}});
    let daemon = Serve::new().config(config).start().await;
    let check = async |prompt: Prompt, expected: Expected| {
        let id = daemon.new_session().await;
        let (found, receipt) = outcome(daemon.session(&id), &prompt, Act::Nothing).await;
        assert_eq!(found, expected, "{prompt:?}: {receipt}");
    };
    let deadline = |text: &str| Prompt::text(text).with("deadlineMs", 500);
    let passed = ["failed", "deadline_exceeded", "cancelled", "failed", "deadline_exceeded"];
    check(deadline("say 1\nhang"), passed).await;
    let unheard = ["failed", "deadline_exceeded", "-", "failed", "deadline_exceeded"];
    check(deadline("ignore-cancel\nhang"), unheard).await;
    let stalled = ["failed", "agent_stalled", "cancelled", "failed", "agent_stalled"];
    check(Prompt::text("say 1\nhang"), stalled).await;
    let refused = ["completed", "-", "end_turn", "completed", "permission_denied"];
    check(Prompt::text("ask make\nsay 1"), refused).await;
    check(Prompt::text("question Why?\nsay 1"), ["completed", "-", "end_turn", "completed", "-"]).await;
}

/// A daemon whose agent fails like this, and what a prompt to it comes to.
async fn failed_start(serve: Serve, config: &Value, body: &Value, prompt: &Prompt) -> [String; 3] {
    let daemon = serve.config(config.clone()).start().await;
    let id = daemon.create(body).await;
    let (found, receipt) = outcome(daemon.session(&id), prompt, Act::Nothing).await;
    let [state, code, _, turn, turn_code] = found;
    assert_eq!((turn.as_str(), &turn_code), ("failed", &code), "{receipt}");
    [state, code, receipt["error"]["stage"].as_str().unwrap_or("-").to_owned()]
}

#[tokio::test]
async fn every_start_that_fails_has_its_receipt() {
    let body = json!({"workspace": "project"});
    let run = |script: &str| json!({"agents": {"a": {"command": "/bin/sh", "args": ["-c", script]}}, "defaultAgent": "a"});
    let missing = json!({"agents": {"a": {"command": "no-such-program"}}, "defaultAgent": "a"});
    let silent = {
        let mut config = run("sleep 600");
        config["limits"] = json!({"startTimeoutMs": 500});
        config
    };
    for (config, code, stage) in [
        (missing, "agent_start_failed", "start"),
        (run("exit 0"), "agent_start_failed", "initialize"),
        (run("exit 7"), "agent_start_failed", "initialize"),
        (silent, "agent_start_failed", "initialize"),
    ] {
        let found = failed_start(Serve::new(), &config, &body, &Prompt::text("say 1")).await;
        assert_eq!(found, ["failed", code, stage], "{config}");
    }
    for (flags, code, stage) in [
        (&["--exit-before", "session/new"][..], "agent_exited", "session"),
        (&["--silent-at", "session/new"], "session_open_failed", "session"),
    ] {
        let serve = Serve::new();
        let (mut config, _log) = scripted(&serve.world, flags);
        config["limits"] = json!({"openTimeoutMs": 500});
        let found = failed_start(serve, &config, &body, &Prompt::text("text 1")).await;
        assert_eq!(found, ["failed", code, stage], "{flags:?}");
    }
    let model = Prompt::text("say 1").with("model", json!({"providerID": "p", "modelID": "none"}));
    let found = failed_start(Serve::new(), &json!({}), &body, &model).await;
    assert_eq!(found, ["failed", "model_not_available", "configure"]);
}

#[tokio::test]
async fn a_project_that_is_gone_and_a_daemon_that_stops_have_their_receipts() {
    let serve = Serve::new();
    let folder = serve.world.folder("elsewhere");
    let daemon = serve.start().await;
    let query = format!("/session?directory={}", crate::support::encode(&folder.display().to_string()));
    let session = daemon.post(&query, &json!({"workspace": "project"})).await.json(200);
    let project = session["projectID"].as_str().expect("a project").to_owned();
    std::fs::remove_dir_all(&folder).expect("removed");
    let body = json!({"sessionID": session["id"], "effort": "normal", "message": "say 1"});
    let prompt = daemon.request(reqwest::Method::POST, "/runtime/prompt");
    let refused = daemon.send(prompt.header("x-openscience-project", &project).json(&body)).await;
    assert!(refused.status >= 400, "nothing is begun in a project that is gone: {}", refused.text());

    let id = daemon.new_session().await;
    let (cancelled, hangs) = (daemon.new_session().await, id);
    let run = daemon.session(&hangs).say("say 1\nhang").await;
    daemon.session(&hangs).running(&run).await;
    let stopped = daemon.session(&cancelled).say("ignore-cancel\nhang").await;
    daemon.session(&cancelled).running(&stopped).await;
    daemon.session(&cancelled).cancel(&stopped).await.json(200);
    let daemon: Daemon = daemon.crash().await.start().await;
    let receipt = daemon.session(&hangs).run(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("interrupted"), &json!("runtime_stopped")),
        "{receipt}"
    );
    let receipt = daemon.session(&cancelled).run(&stopped).await;
    assert_eq!((&receipt["state"], receipt.get("error")), (&json!("cancelled"), None), "{receipt}");
}
