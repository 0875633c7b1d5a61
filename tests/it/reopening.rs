//! Does a conversation go on when the agent's process did not, and is it said when it cannot?

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Daemon, Event, Serve, Transcript, scripted};

fn resets(events: &[Event]) -> Vec<&Event> {
    events.iter().filter(|event| event.is("agent.reset")).collect()
}

#[tokio::test]
async fn the_history_an_agent_tells_again_is_neither_stored_nor_told() {
    let check = async |(how, method): (&str, &str)| {
        let serve = Serve::new();
        let (config, log) = scripted(&serve.world, &["--reopen", how]);
        let daemon = serve.config(config).start().await;
        let id = daemon.new_session().await;
        let session = daemon.session(&id);
        session.finish("text one").await;
        let (before, cursor) = (session.messages().await, session.latest().await);
        daemon.kill_agents().await;
        let receipt = session.finish("text two").await;
        assert_eq!(receipt["state"], "completed", "{how}: {receipt}");
        assert_eq!(session.answer(&receipt).await, "two", "{how}");
        let after = session.messages().await;
        assert_eq!(after.len(), before.len() + 2, "{how}");
        assert_eq!(after.get(..before.len()), Some(before.as_slice()), "{how}");
        let events = session.events(cursor).await;
        assert!(events.len() < 30, "{how}: {} events", events.len());
        assert!(events.iter().all(|event| !event.properties.to_string().contains("old")), "{how}");
        assert!(resets(&events).is_empty(), "{how}: nothing was lost");
        let opened = log.received("session/new");
        let again = log.received(method);
        assert_eq!((opened.len(), again.len()), (1, 1), "{how}");
        let prompts = log.received("session/prompt");
        let ids: Vec<_> = prompts.iter().map(|prompt| &prompt["params"]["sessionId"]).collect();
        assert_eq!(ids, vec![&again.first().expect("one")["params"]["sessionId"]; 2], "{how}");
        session.assert_transcript_is_told().await;
    };
    join_all([("ok", "session/load"), ("resume", "session/resume")].map(check)).await;
}

#[tokio::test]
async fn a_conversation_the_agent_lost_goes_on_and_says_so() {
    let check = async |args: &[&str]| {
        let serve = Serve::new();
        let (config, log) = scripted(&serve.world, args);
        let daemon = serve.config(config).start().await;
        let id = daemon.new_session().await;
        let session = daemon.session(&id);
        session.finish("text one").await;
        let cursor = session.latest().await;
        daemon.kill_agents().await;
        let receipt = session.finish("text two").await;
        assert_eq!(receipt["state"], "completed", "{args:?}: {receipt}");
        let events = session.events(cursor).await;
        let [reset] = resets(&events)[..] else { panic!("{args:?}: {events:?}") };
        assert_eq!(reset.properties["contextReset"], true, "{args:?}");
        assert!(reset.properties["reason"].is_string(), "{args:?}");
        assert_eq!(log.received("session/new").len(), 2, "{args:?}");
        let texts: Vec<String> = session.messages().await.iter().map(Transcript::text_of).collect();
        assert_eq!(texts, ["text one", "one", "text two", "two"], "{args:?}: the transcript is whole");
        assert_eq!(session.finish("text three").await["state"], "completed");
        assert_eq!(resets(&session.events(0).await).len(), 1, "{args:?}: said once");
        session.assert_transcript_is_told().await;
    };
    join_all([&["--reopen", "missing"][..], &["--reopen", "broken"], &[]].map(check)).await;
}

#[tokio::test]
async fn an_agent_that_forgot_a_session_is_asked_for_it_again() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &["--reopen", "ok"]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("text one\nerror -32002 no such session").await;
    assert_eq!((&receipt["state"], &receipt["error"]["agentCode"]), (&json!("failed"), &json!(-32_002)));
    let receipt = session.finish("text two").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(session.answer(&receipt).await, "two");
    assert_eq!((log.received("initialize").len(), log.received("session/load").len()), (1, 1));
}

#[tokio::test]
async fn an_id_that_an_agent_gives_twice_never_mixes_two_sessions() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &["--same-id"]);
    let daemon = serve.config(config).start().await;
    let (one, two) = (daemon.new_session().await, daemon.new_session().await);
    let (first, second) = (daemon.session(&one), daemon.session(&two));
    let run = first.say("text mine\nask 1\ntext all mine").await;
    let asked = first.permission().await;
    let receipt = second.finish("text other").await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("session_open_failed")),
        "{receipt}"
    );
    first.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    let receipt = first.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(first.answer(&receipt).await, "minechosen y es/1all mine");
    // Once the first is deleted its id is free again.
    daemon.delete(&format!("/session/{one}")).await.json(200);
    let receipt = second.finish("text other").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(second.answer(&receipt).await, "other");
    second.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_agent_that_leaves_after_each_answer_is_started_for_each_prompt() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for round in 0..4 {
        let receipt = session.finish("say 2\nlate 1\nexit 0").await;
        assert_eq!(receipt["state"], "completed", "round {round}: {receipt}");
        daemon.kill_agents().await;
    }
    let events = session.events(0).await;
    assert!(resets(&events).is_empty(), "the conversation is taken up again each time");
    assert_eq!(session.messages().await.len(), 8);
}

#[tokio::test]
async fn daemons_that_take_turns_in_a_conversation_take_it_up_again_each_time() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &["--reopen", "ok"]);
    let serve = serve.config(config);
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.new_session().await;
    let mut opened = Vec::new();
    for daemon in [&one, &one, &two, &one, &two, &two] {
        let receipt = daemon.session(&id).finish("text done").await;
        assert_eq!(receipt["state"], "completed", "{receipt}");
        opened.push(log.received("session/load").len());
    }
    assert_eq!(opened, [0, 0, 1, 2, 3, 3], "whoever was not the last to hold it opens it again");
    assert_eq!(log.received("session/new").len(), 1);
    let events = one.session(&id).events(0).await;
    assert!(resets(&events).is_empty());
    let methods: Vec<&Value> = events
        .iter()
        .filter(|event| event.is("agent.resumed"))
        .map(|event| &event.properties["method"])
        .collect();
    assert_eq!(methods, ["load", "load", "load"]);
    one.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn where_a_conversation_cannot_be_taken_up_again_each_change_of_daemons_is_said() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let serve = serve.config(config);
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.new_session().await;
    for daemon in [&one, &two, &two, &one] {
        let receipt = daemon.session(&id).finish("text done").await;
        assert_eq!(receipt["state"], "completed", "{receipt}");
    }
    let events = one.session(&id).events(0).await;
    let reasons: Vec<_> = resets(&events).iter().map(|event| &event.properties["reason"]).collect();
    assert_eq!(reasons, ["not_supported", "foreign_turns"]);
    assert_eq!(log.received("session/new").len(), 3);
}
