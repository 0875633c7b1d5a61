//! Is a prompt admitted exactly once, and does its receipt tell the truth, whatever the agent does?

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Daemon, Prompt, Serve, Session, eventually, scripted};

/// The model that the conformance check of the Python client asks for.
fn with_fixture_model() -> Serve {
    Serve::new().config(json!({"agents": {"sim": {"models": ["stress/fixture-model", "stress/other"]}}}))
}

#[tokio::test]
async fn an_untouched_session_answers_as_the_conformance_check_wants() {
    let daemon = Serve::new().token("secret").start().await;
    let capabilities = daemon.get("/runtime/capabilities").await.json(200);
    let expected = json!({
        "protocolVersion": "1.0", "serverVersion": daemon.ready["version"], "idempotentPrompts": true,
        "richInputs": true, "runSnapshots": true, "eventRetention": 2048, "crashRecovery": "interrupt",
        "decisionScope": "connected_runtime", "agent": {"id": "sim", "builtIn": true},
        "files": {
            "schemes": ["data", "file", "upload"], "maxBodyBytes": 16 << 20, "maxUploadBytes": 10_u64 << 30,
            "diskReserveBytes": 2_u64 << 30, "maxMediaBytes": 5 << 20, "maxTextBytes": 1 << 20,
            "maxInlineBytes": 16 << 20,
        },
    });
    assert_eq!(capabilities, expected);
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let snapshot = session.snapshot().await;
    let empty = json!({
        "sessionID": id, "runs": [], "oldestSequence": 1, "latestSequence": 0, "permissions": [],
        "questions": [], "decisionScope": "connected_runtime",
    });
    assert_eq!(snapshot, empty);
    let replay =
        async |after: &str| daemon.get(&format!("/runtime/events/replay?sessionID={id}{after}")).await;
    let nothing = json!({"events": [], "oldestSequence": 1, "latestSequence": 0});
    assert_eq!(replay("").await.json(200), nothing);
    assert_eq!(replay("&afterSequence=0").await.json(200), nothing);
    let ahead = replay("&afterSequence=1").await.refusal(409, "cursor_ahead");
    assert_eq!((&ahead["error"], &ahead["latestSequence"]), (&json!("cursor_ahead"), &json!(0)));
    session.lookup("run_unknown").await.refusal(404, "run_not_found");
    let abort = daemon.post(&format!("/session/{id}/abort"), &json!({})).await;
    assert_eq!(abort.json(200), json!(true));
}

#[tokio::test]
async fn a_run_with_a_fixture_model_passes_the_conformance_check() {
    let daemon = with_fixture_model().start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let model = json!({"providerID": "stress", "modelID": "fixture-model"});
    let parts = json!([{"type": "text", "text": "say 20 2"}, {"type": "text", "text": "and this"}]);
    let prompt = Prompt(json!({"effort": "normal", "parts": parts, "model": model, "context": 65_536}))
        .key("stress-1")
        .with("delegation", false);
    let cursor = session.latest().await;
    let accepted = session.submit(&prompt).await.json(202);
    assert_eq!(session.submit(&prompt).await.json(202), accepted, "at once");
    let run = accepted["runID"].as_str().expect("a run id");
    let events = session.stream(cursor).await.until_end(run).await;
    assert!(events.last().expect("events").is("runtime.completed"));
    assert!(events.iter().all(|event| event.run_id == run));
    assert_eq!(session.submit(&prompt).await.json(202), accepted, "after the end");
    let receipt = session.run(run).await;
    assert_eq!((&receipt["state"], &receipt["requestID"]), (&json!("completed"), &json!("stress-1")));
    assert!(session.answer(&receipt).await.split_whitespace().count() >= 20);
    let messages = session.messages().await;
    let users: Vec<&Value> = messages.iter().filter(|message| message["info"]["role"] == "user").collect();
    let [user] = users.as_slice() else { panic!("not one user message: {messages:?}") };
    let texts: Vec<&str> =
        user["parts"].as_array().expect("parts").iter().filter_map(|part| part["text"].as_str()).collect();
    assert_eq!(texts, ["say 20 2", "and this"]);
    assert_eq!((&user["info"]["model"], &user["info"]["context"]), (&model, &json!(65_536)));
    let snapshot = session.snapshot().await;
    assert_eq!(snapshot["runs"], json!([receipt]));
    let replayed = session.events(0).await;
    assert_eq!(replayed.iter().filter(|event| event.is_terminal()).count(), 1);
    assert_eq!(replayed.last().map(|event| event.sequence), snapshot["latestSequence"].as_u64());
    let mut changed = prompt.clone();
    changed.0["parts"] = json!([{"type": "text", "text": "say 20 2"}]);
    assert_eq!(session.submit(&changed).await.refusal(409, "request_conflict")["error"], "request_conflict");
}

#[tokio::test]
async fn an_identical_retry_gets_its_receipt_for_ever_and_a_changed_one_never() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let prompt = Prompt::text("say 5").key("  key-1 ");
    let accepted = daemon.session(&id).submit(&prompt).await.json(202);
    let run = accepted["runID"].as_str().expect("a run id").to_owned();
    let receipt = daemon.session(&id).settled(&run).await;
    assert_eq!(receipt["requestID"], "key-1", "keys are trimmed");
    let daemon = daemon.stop().await.1.start().await;
    let session = daemon.session(&id);
    assert_eq!(session.submit(&prompt).await.json(202), accepted, "after a restart");
    let same = Prompt::text("  say 5 \n").key("key-1");
    assert_eq!(session.submit(&same).await.json(202), accepted, "messages are trimmed");
    let changed = [
        Prompt::text("say 6").key("key-1"),
        Prompt(json!({"effort": "ultra", "message": "say 5"})).key("key-1"),
        Prompt(json!({"effort": "normal", "parts": [{"type": "text", "text": "say 5"}]})).key("key-1"),
        prompt.clone().with("tier", "fast"),
        prompt.clone().with("delegationSettings", json!({})),
        prompt.clone().with("model", json!({"providerID": "a", "modelID": "b"})),
    ];
    for prompt in changed {
        session.submit(&prompt).await.refusal(409, "request_conflict");
    }
    assert_eq!(session.run(&run).await, receipt);
    assert_eq!(session.messages().await.len(), 2, "nothing ran again");
    let other = daemon.new_session().await;
    let elsewhere = daemon.session(&other).prompt(&prompt).await;
    assert_ne!(elsewhere, run, "keys belong to a session");
}

#[tokio::test]
async fn a_hundred_identical_prompts_at_once_are_one_run() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let prompt = Prompt::text("text done").key("once");
    let replies = join_all((0..100).map(|_| session.submit(&prompt))).await;
    let accepted = replies.first().expect("replies").json(202);
    assert!(replies.iter().all(|reply| reply.json(202) == accepted));
    let run = accepted["runID"].as_str().expect("a run id");
    assert_eq!(session.settled(run).await["state"], "completed");
    let events = session.events(0).await;
    assert_eq!(events.iter().filter(|event| event.is("runtime.accepted")).count(), 1);
    assert_eq!(session.messages().await.len(), 2);
    assert_eq!(log.received("session/prompt").len(), 1, "the agent was asked once");
}

#[tokio::test]
async fn a_client_message_id_names_the_message_and_the_run() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let message = "msg_0123456789abABCDEFGHIJKLMN";
    let prompt = Prompt::text("say 2").with("messageID", message);
    let accepted = session.submit(&prompt).await.json(202);
    let run = accepted["runID"].as_str().expect("a run id");
    let receipt = session.settled(run).await;
    assert_eq!(receipt["messageID"], message);
    assert_eq!(session.submit(&prompt).await.json(202), accepted);
    session.submit(&Prompt::text("say 3").with("messageID", message)).await.refusal(409, "request_conflict");
    let other_key = prompt.clone().key("another");
    session.submit(&other_key).await.refusal(409, "request_conflict");
    let assistant = receipt["resultMessageID"].as_str().expect("a result");
    let messages = session.messages().await;
    assert_eq!(messages.first().expect("a message")["info"]["id"], message);
    assert_eq!(messages.last().expect("a message")["info"]["id"], assistant);
    let held = "msg_0123456789abABCDEFGHIJKLMO";
    let hanging = session.prompt(&Prompt::text("hang").with("messageID", held)).await;
    session.cancel(&hanging).await.json(200);
    session.settled(&hanging).await;
    session.submit(&Prompt::text("say 1").with("messageID", held)).await.refusal(409, "request_conflict");
    let key_like = Prompt::text("say 1").key(held);
    assert_ne!(session.prompt(&key_like).await, hanging, "a request key is no message id");
}

#[tokio::test]
async fn prompts_without_identity_are_all_different() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let first = session.finish("say 1").await;
    let second = session.finish("say 1").await;
    assert_ne!(first["runID"], second["runID"]);
    let runs = session.snapshot().await["runs"].clone();
    assert_eq!(runs, json!([first, second]), "by acceptance");
    assert_eq!(first.get("requestID"), None);
}

#[tokio::test]
async fn an_unknown_model_fails_the_run_naming_the_offer() {
    let daemon = with_fixture_model().start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let model = json!({"providerID": "stress", "modelID": "imaginary"});
    let run = session.prompt(&Prompt::text("say 1").with("model", model)).await;
    let receipt = session.settled(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("model_not_available"))
    );
    let message = receipt["error"]["message"].as_str().expect("a message");
    assert!(message.contains("stress/fixture-model"), "{message}");
    let events = session.events(0).await;
    let last = events.last().expect("events");
    assert!(
        last.is("runtime.failed") && last.properties["error"]["code"] == "model_not_available",
        "{last:?}"
    );
    let good = json!({"providerID": "stress", "modelID": "other"});
    let run = session.prompt(&Prompt::text("say 1").with("model", good)).await;
    let receipt = session.settled(&run).await;
    let result = receipt["resultMessageID"].as_str().unwrap_or_else(|| panic!("{receipt}"));
    let info = daemon.get(&format!("/session/{id}/message/{result}")).await.json(200)["info"].clone();
    assert_eq!((&info["providerID"], &info["modelID"]), (&json!("stress"), &json!("other")));
    let bare = Daemon::start().await;
    let id = bare.new_session().await;
    let asked = Prompt::text("say 1").with("model", json!({"providerID": "a", "modelID": "b"}));
    let run = bare.session(&id).prompt(&asked).await;
    assert_eq!(bare.session(&id).settled(&run).await["error"]["code"], "model_not_available");
}

#[tokio::test]
async fn whoever_reads_the_end_finds_it_everywhere() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let mut stream = session.stream(0).await;
    for _ in 0..20 {
        let run = session.say("say 1").await;
        stream.until_end(&run).await;
        assert_eq!(session.run(&run).await["state"], "completed");
        let runs = session.snapshot().await["runs"].clone();
        assert!(runs.as_array().expect("runs").iter().all(|run| run["state"] == "completed"), "{runs}");
        assert_eq!(daemon.get("/session/status").await.json(200), json!({}));
    }
}

#[tokio::test]
async fn clients_that_leave_do_not_stop_the_work() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 60 5").await;
    let mut stream = session.stream(0).await;
    stream.until(|event| event.properties.get("delta").is_some()).await;
    drop(stream);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed");
    assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 60);
}

#[tokio::test]
async fn many_sessions_work_at_the_same_time_and_hear_only_of_themselves() {
    let daemon = Daemon::start().await;
    let ids = join_all((0..12).map(|_| daemon.new_session())).await;
    let one = async |id: &String| {
        let session: Session<'_> = daemon.session(id);
        let mut stream = session.stream(0).await;
        let run = session.say("think 5\nsay 30 3\ntool read {\"path\":\"a\"}\nsay 3").await;
        let events = stream.until_end(&run).await;
        assert!(events.iter().all(|event| event.run_id == run));
        assert_eq!(session.run(&run).await["state"], "completed");
        session.assert_transcript_is_told().await;
    };
    join_all(ids.iter().map(one)).await;
}

#[tokio::test]
async fn the_receipt_shows_when_the_agent_was_heard_and_what_it_waits_for() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 1\nask bash").await;
    let asked = session.permission().await;
    let waiting = eventually("waiting is shown", async || {
        let receipt = session.run(&run).await;
        receipt.get("waiting").cloned()
    })
    .await;
    assert_eq!(waiting["decisions"], json!([asked["id"]]));
    assert!(waiting["since"].is_i64());
    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt.get("waiting"), None);
    assert!(receipt["completedAt"].as_i64() >= receipt["acceptedAt"].as_i64(), "{receipt}");
}
