//! What is left of the work when the daemon is killed in the middle of it?

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Daemon, Event, Prompt, Serve, eventually, scripted};

#[tokio::test]
async fn a_killed_daemon_settles_everything_before_its_port_answers_again() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let prompt = Prompt::text("think 2\nsay 9\nspawn\nask make").key("k");
    let accepted = daemon.session(&id).submit(&prompt).await.json(202);
    let run = accepted["runID"].as_str().expect("an id").to_owned();
    daemon.session(&id).permission().await;
    let before = daemon.session(&id).events(0).await;
    let daemon = daemon.crash().await.start().await;
    let session = daemon.session(&id);
    let receipt = session.run(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("interrupted"), &json!("runtime_stopped"))
    );
    assert!(receipt["completedAt"].is_i64(), "{receipt}");
    assert_eq!(daemon.get("/session/status").await.json(200), json!({}));
    assert_eq!(session.snapshot().await["permissions"], json!([]));
    let after = session.events(0).await;
    assert_eq!(after.get(..before.len()), Some(before.as_slice()), "nothing told before is changed");
    let last = after.last().expect("events");
    assert!(last.is("runtime.failed") && last.properties["recovered"] == true, "{last:?}");
    assert_eq!(after.iter().filter(|event| event.is_terminal()).count(), 1);
    let messages = session.messages().await;
    for part in messages.iter().flat_map(|message| message["parts"].as_array().expect("parts")) {
        let open = ["pending", "running"].iter().any(|state| part["state"]["status"] == *state);
        assert!(!open, "left open: {part}");
    }
    assert!(session.answer(&receipt).await.contains("w9"), "the text is kept");
    session.assert_transcript_is_told().await;
    assert_eq!(session.submit(&prompt).await.json(202), accepted, "an identical retry gets its receipt");
    assert_eq!(session.run(&run).await, receipt);
    eventually("no process of the old tree is left", async || daemon.agents().is_empty().then_some(())).await;
    let next = session.finish("say 2").await;
    assert_eq!(next["state"], "completed");
    let events = session.events(last.sequence).await;
    assert_eq!(events.first().map(|event| event.sequence), Some(last.sequence + 1));
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_second_crash_changes_nothing_that_was_settled() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let run = daemon.session(&id).say("say 2\nhang").await;
    daemon.session(&id).running(&run).await;
    let daemon = daemon.crash().await.start().await;
    let settled = (daemon.session(&id).snapshot().await, daemon.session(&id).messages().await);
    let events = daemon.session(&id).events(0).await;
    let daemon = daemon.crash().await.start().await;
    assert_eq!(settled, (daemon.session(&id).snapshot().await, daemon.session(&id).messages().await));
    assert_eq!(events, daemon.session(&id).events(0).await);
}

#[tokio::test]
async fn many_sessions_are_settled_at_once() {
    let daemon = Daemon::start().await;
    let ids = join_all((0..6).map(|_| daemon.new_session())).await;
    for (number, id) in ids.iter().enumerate() {
        let session = daemon.session(id);
        session.finish("say 1").await;
        match number % 3 {
            0 => drop(session.say("hang").await),
            1 => {
                session.say("ask make").await;
                session.permission().await;
            }
            _ => {}
        }
    }
    let daemon = daemon.crash().await.start().await;
    for (number, id) in ids.iter().enumerate() {
        let snapshot = daemon.session(id).snapshot().await;
        let states: Vec<&Value> =
            snapshot["runs"].as_array().expect("runs").iter().map(|run| &run["state"]).collect();
        let expected: &[&str] = if number % 3 == 2 { &["completed"] } else { &["completed", "interrupted"] };
        assert_eq!(states, expected);
        assert_eq!(snapshot["permissions"], json!([]));
        daemon.session(id).assert_transcript_is_told().await;
    }
}

#[tokio::test]
async fn open_calls_and_questions_of_many_runs_are_closed_before_the_port_answers() {
    let call = |number: usize| {
        format!(
            "raw {{\"sessionUpdate\":\"tool_call\",\"toolCallId\":\"c{number}\",\"title\":\"t\",\"status\":\"in_progress\"}}\n"
        )
    };
    let prompt = format!("say 1\n{}together ask make ;; ask test", (0..5).map(call).collect::<String>());
    let daemon = Daemon::start().await;
    let ids = join_all((0..3).map(|_| daemon.new_session())).await;
    let runs = join_all(ids.iter().map(async |id| {
        let run = daemon.session(id).say(&prompt).await;
        (run, daemon.session(id).permissions(2).await)
    }))
    .await;
    let daemon = daemon.crash().await.start().await;
    assert_eq!(daemon.get("/permission").await.json(200), json!([]));
    for (id, (run, asked)) in ids.iter().zip(&runs) {
        let session = daemon.session(id);
        assert_eq!(session.run(run).await["state"], "interrupted");
        let messages = session.messages().await;
        let parts = messages.last().expect("an answer")["parts"].as_array().expect("parts");
        let tools: Vec<&Value> = parts.iter().filter(|part| part["type"] == "tool").collect();
        assert_eq!(tools.len(), 7);
        for tool in tools {
            assert_eq!(tool["state"]["status"], "error", "{tool}");
            assert!(tool["state"]["error"].is_string() && tool["state"]["time"]["end"].is_i64(), "{tool}");
        }
        let events = session.events(0).await;
        let closed: Vec<&Value> = events
            .iter()
            .filter(|event| event.is("permission.cancelled"))
            .map(|event| &event.properties["requestID"])
            .collect();
        assert_eq!(closed, asked.iter().map(|asked| &asked["id"]).collect::<Vec<_>>());
        assert!(events.last().is_some_and(Event::is_terminal));
        session.assert_transcript_is_told().await;
    }
}

#[tokio::test]
async fn a_recorded_cancel_survives_the_crash() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let run = daemon.session(&id).say("ignore-cancel\nsay 2\nhang").await;
    let mut stream = daemon.session(&id).stream(0).await;
    stream
        .until(|event| event.is("message.part.updated") && event.properties["part"]["type"] == "step-start")
        .await;
    daemon.session(&id).cancel(&run).await.json(200);
    let daemon = daemon.crash().await.start().await;
    let session = daemon.session(&id);
    assert_eq!(session.run(&run).await["state"], "cancelled");
    let last = session.events(0).await.pop().expect("events");
    assert!(last.is("runtime.cancelled"), "{last:?}");
    assert_eq!((&last.properties["recovered"], &last.properties["source"]), (&json!(true), &json!("user")));
}

#[tokio::test]
async fn a_crash_right_after_admission_never_loses_nor_repeats_the_prompt() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let mut daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    for round in 0..4_usize {
        let prompt = Prompt::text("text done\nhang").key(&format!("round-{round}"));
        let accepted = daemon.session(&id).submit(&prompt).await.json(202);
        if round % 2 == 1 {
            eventually("the agent has it", async || {
                (log.received("session/prompt").len() > round / 2).then_some(())
            })
            .await;
        }
        let begin = Instant::now();
        daemon = daemon.crash().await.start().await;
        let session = daemon.session(&id);
        assert_eq!(session.submit(&prompt).await.json(202), accepted, "round {round}");
        let run = accepted["runID"].as_str().expect("an id");
        assert_eq!(session.run(run).await["state"], "interrupted", "round {round}");
        assert!(begin.elapsed() < Duration::from_secs(6), "took {:?}", begin.elapsed());
    }
    let mut texts: Vec<Value> = Vec::new();
    for prompt in log.received("session/prompt") {
        texts.push(prompt["params"]["prompt"].clone());
    }
    assert!(texts.len() <= 4, "no prompt was sent twice: {texts:?}");
    assert_eq!(
        daemon.session(&id).messages().await.iter().filter(|m| m["info"]["role"] == "user").count(),
        4
    );
    daemon.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_reader_goes_on_across_the_crash_without_a_gap() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).say("say 500 5").await;
    let mut stream = daemon.session(&id).stream(0).await;
    let mut seen: Vec<Event> = Vec::new();
    while seen.len() < 10 {
        seen.push(stream.next().await.expect("an event"));
    }
    let serve = daemon.crash().await;
    while let Some(event) = stream.next().await {
        seen.push(event);
    }
    let daemon = serve.start().await;
    let session = daemon.session(&id);
    let cursor = seen.last().expect("events").sequence;
    let mut again = session.stream(cursor).await;
    seen.extend(again.until(Event::is_terminal).await);
    assert_eq!(seen, session.events(0).await);
}

#[tokio::test]
async fn a_deleted_session_stays_deleted_whenever_the_crash_comes() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("say 1").await;
    assert_eq!(daemon.delete(&format!("/session/{id}")).await.json(200), json!(true));
    let daemon = daemon.crash().await.start().await;
    daemon.get(&format!("/session/{id}")).await.refusal(404, "session_not_found");
    assert_eq!(daemon.get("/session").await.json(200), json!([]));
}
