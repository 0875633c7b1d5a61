//! Does stopping always stop, in time, only what was meant, and say so?

use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Daemon, Event, Prompt, Serve, Session, Transcript, alive, eventually, scripted};

/// Waits until the agent has said something in this run.
async fn spoken(session: Session<'_>, run: &str) {
    let mut stream = session.stream(0).await;
    stream.until(|event| event.run_id == run && is_agents_text(event)).await;
}

fn is_agents_text(event: &Event) -> bool {
    let part = &event.properties["part"];
    part["type"] == "text" && (event.properties.get("delta").is_some() || part["time"]["start"].is_i64())
}

/// The pid the simulator's `spawn` told.
async fn spawned(session: Session<'_>) -> i32 {
    eventually("the agent tells the grandchild's pid", async || {
        let messages = session.messages().await;
        let text = Transcript::text_of(messages.last()?);
        text.split_once("spawned ")?.1.split_whitespace().next()?.parse().ok()
    })
    .await
}

#[tokio::test]
async fn aborting_an_idle_session_is_fine() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let abort = daemon.request(Method::POST, &format!("/session/{id}/abort"));
    assert_eq!(daemon.send(abort).await.json(200), json!(true));
    daemon.post("/session/ses_nobody/abort", &json!({})).await.refusal(404, "session_not_found");
    assert_eq!(daemon.session(&id).snapshot().await["latestSequence"], 0);
}

#[tokio::test]
async fn a_cancelled_turn_keeps_its_text_and_closes_its_parts() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("think 2\nsay 6\ntogether ask make ;; hang").await;
    session.permission().await;
    let answer = session.cancel(&run).await.json(200);
    assert!(["running", "cancelled"].contains(&answer["state"].as_str().expect("a state")), "{answer}");
    let receipt = session.settled(&run).await;
    assert_eq!((&receipt["state"], receipt.get("error")), (&json!("cancelled"), None));
    assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 6);
    let last = session.events(0).await.pop().expect("events");
    assert!(last.is("runtime.cancelled"), "{last:?}");
    assert_eq!(
        (&last.properties["source"], &last.properties["messageID"]),
        (&json!("user"), &receipt["resultMessageID"])
    );
    let messages = session.messages().await;
    let message = messages.last().expect("an answer");
    assert!(message["info"]["time"]["completed"].is_i64(), "{message}");
    for part in message["parts"].as_array().expect("parts") {
        let open = ["pending", "running"].iter().any(|state| part["state"]["status"] == *state);
        let endless = part["time"].is_object() && !part["time"]["end"].is_i64();
        assert!(!open && !endless, "left open: {part}");
    }
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn the_agent_is_told_exactly_once_and_with_open_requests_answered() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for (number, prompt) in ["text going\nhang", "text going\nask 2"].into_iter().enumerate() {
        let run = session.say(prompt).await;
        if prompt.contains("ask") {
            session.permissions(2).await;
        } else {
            spoken(session, &run).await;
        }
        for _ in 0..3 {
            session.cancel(&run).await.json(200);
        }
        assert_eq!(session.settled(&run).await["state"], "cancelled");
        let cancels = log.received("session/cancel");
        assert_eq!(cancels.len(), number + 1);
        let prompts = log.received("session/prompt");
        assert_eq!(
            cancels.last().map(|cancel| &cancel["params"]["sessionId"]),
            prompts.last().map(|prompt| &prompt["params"]["sessionId"])
        );
    }
    let answers: Vec<Value> = log
        .entries()
        .into_iter()
        .filter(|entry| entry.get("method").is_none() && entry.get("id").is_some())
        .collect();
    assert_eq!(answers.len(), 2);
    assert!(
        answers.iter().all(|answer| answer["result"]["outcome"] == json!({"outcome": "cancelled"})),
        "{answers:?}"
    );
}

#[tokio::test]
async fn cancelling_what_is_over_or_elsewhere_stops_nothing() {
    let daemon = Daemon::start().await;
    let (id, other) = (daemon.new_session().await, daemon.new_session().await);
    let session = daemon.session(&id);
    let done = session.finish("say 2").await;
    let old = done["runID"].as_str().expect("an id");
    let later = session.say("say 1\nhang").await;
    spoken(session, &later).await;
    assert_eq!(session.cancel(old).await.json(200), done, "unchanged");
    daemon.session(&other).cancel(&later).await.refusal(404, "run_not_found");
    session.cancel("run_nobody").await.refusal(404, "run_not_found");
    daemon.session("ses_nobody").cancel(&later).await.refusal(404, "session_not_found");
    daemon.post("/runtime/cancel", &json!({"sessionID": id, "runID": later, "x": 1})).await.refused(400);
    daemon.post("/runtime/cancel", &json!({"sessionID": id})).await.refused(400);
    assert_eq!(session.run(&later).await["state"], "running");
    assert_eq!(session.snapshot().await["runs"].as_array().map(Vec::len), Some(2));
    session.cancel(&later).await.json(200);
    let receipt = session.settled(&later).await;
    assert_eq!(session.cancel(&later).await.json(200), receipt);
}

#[tokio::test]
async fn a_cancel_of_nothing_stops_nothing_later() {
    let limits = json!({"limits": {"cancelEscalateMs": 50, "cancelSettleMs": 150}});
    let daemon = Serve::new().config(limits).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let done = session.finish("say 1").await;
    daemon.post(&format!("/session/{id}/abort"), &json!({})).await.json(200);
    session.cancel(done["runID"].as_str().expect("an id")).await.json(200);
    let receipt = session.finish("say 60 10").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 60);
    let stopped = session.say("ignore-cancel\nsay 1\nhang").await;
    spoken(session, &stopped).await;
    session.cancel(&stopped).await.json(200);
    session.settled(&stopped).await;
    let receipt = session.finish("say 60 10").await;
    assert_eq!(receipt["state"], "completed", "nor does an earlier stop: {receipt}");
}

#[tokio::test]
async fn the_first_source_of_a_cancel_is_kept() {
    let daemon = Serve::new().config(json!({"limits": {"cancelEscalateMs": 400}})).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ignore-cancel\nsay 1\nhang").await;
    spoken(session, &run).await;
    let abort = daemon.request(Method::POST, &format!("/session/{id}/abort"));
    let abort = abort.header("x-openscience-abort-source", "runner_timeout");
    assert_eq!(daemon.send(abort).await.json(200), json!(true));
    session.cancel(&run).await.json(200);
    session.settled(&run).await;
    let last = session.events(0).await.pop().expect("events");
    assert_eq!(
        (&last.name, &last.properties["source"]),
        (&"runtime.cancelled".to_owned(), &json!("runner_timeout"))
    );
}

#[tokio::test]
async fn a_run_whose_agent_is_not_up_yet_is_cancelled_at_once() {
    let config =
        json!({"agents": {"slow": {"command": "/bin/sleep", "args": ["600"]}}, "defaultAgent": "slow"});
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 1").await;
    assert_eq!(session.run(&run).await["state"], "accepted");
    let begin = Instant::now();
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    assert!(begin.elapsed() < Duration::from_secs(2), "took {:?}", begin.elapsed());
}

#[tokio::test]
async fn a_run_is_stopped_at_every_step_before_its_prompt_and_the_prompt_is_never_sent() {
    for step in ["initialize", "session/new"] {
        let serve = Serve::new();
        let (config, log) = scripted(&serve.world, &["--silent-at", step]);
        let daemon = serve.config(config).start().await;
        let id = daemon.new_session().await;
        let session = daemon.session(&id);
        for deadline in [None, Some(200)] {
            let prompt = Prompt::text("text never").with("deadlineMs", deadline);
            let run = session.prompt(&prompt).await;
            let wanted = if deadline.is_some() { "failed" } else { "cancelled" };
            if deadline.is_none() {
                eventually(step, async || log.received(step).first().map(drop)).await;
                session.cancel(&run).await.json(200);
            }
            let receipt = session.settled(&run).await;
            assert_eq!(receipt["state"], wanted, "{step}: {receipt}");
        }
        assert_eq!(log.received("session/prompt").len(), 0);
        session.assert_transcript_is_told().await;
    }
}

#[tokio::test]
async fn an_agent_that_reads_late_is_told_of_the_cancel_behind_the_prompt() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &["--nap", "700"]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    // Longer than a pipe holds: some of it is written when the cancel comes.
    let run = session.say(&format!("text {}\nhang", "x".repeat(120_000))).await;
    eventually("the prompt is on its way", async || {
        let processes = daemon.get("/agent/connection").await.json(200);
        (processes[0]["promptInFlight"] == true).then_some(())
    })
    .await;
    let asked = Instant::now();
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    assert!(asked.elapsed() < Duration::from_secs(5), "took {:?}", asked.elapsed());
    eventually("the agent has read both", async || log.received("session/cancel").first().map(drop)).await;
    assert_eq!(log.received("session/prompt").len(), 1);
    assert_eq!(session.finish("text next").await["state"], "completed");
    assert_eq!(log.received("session/cancel").len(), 1, "told once");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_agent_that_ignores_cancel_is_ended_with_its_tree_within_ten_seconds() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ignore-cancel\nspawn\nhang").await;
    let grandchild = spawned(session).await;
    assert!(alive(grandchild));
    let begin = Instant::now();
    session.cancel(&run).await.json(200);
    let receipt = session.settled(&run).await;
    assert!(begin.elapsed() < Duration::from_millis(10_500), "took {:?}", begin.elapsed());
    assert_eq!(receipt["state"], "cancelled");
    eventually("the grandchild is gone", async || (!alive(grandchild)).then_some(())).await;
    let next = Instant::now();
    assert_eq!(session.finish("say 1").await["state"], "completed");
    assert!(next.elapsed() < Duration::from_secs(5), "took {:?}", next.elapsed());
}

#[tokio::test]
async fn not_even_a_tree_that_ignores_everything_survives() {
    let limits = json!({"limits": {"cancelEscalateMs": 300}});
    let daemon = Serve::new().config(limits).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ignore-cancel\nignore-eof\nignore-term\nspawn detached holding\nhang").await;
    let grandchild = spawned(session).await;
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    eventually("the whole tree is gone", async || daemon.agents().is_empty().then_some(())).await;
    assert!(!alive(grandchild));
    assert_eq!(session.finish("say 1").await["state"], "completed");
}

#[tokio::test]
async fn a_stuck_turn_does_not_take_another_sessions_turn_along() {
    let limits = json!({"limits": {"cancelEscalateMs": 200, "cancelSettleMs": 600}});
    let daemon = Serve::new().config(limits).start().await;
    let (id, other) = (daemon.new_session().await, daemon.new_session().await);
    let (session, neighbour) = (daemon.session(&id), daemon.session(&other));
    let going = neighbour.say("say 100 15\nask make\nsay 3").await;
    spoken(neighbour, &going).await;
    let run = session.say("ignore-cancel\nsay 1\nhang").await;
    spoken(session, &run).await;
    assert_eq!(daemon.agents().len(), 1, "one process serves both");
    session.cancel(&run).await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!((&receipt["state"], &receipt["agentStillRunning"]), (&json!("cancelled"), &json!(true)));
    assert_eq!(session.finish("say 2").await["state"], "completed", "on a fresh process");
    let asked = neighbour.permission().await;
    neighbour.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    assert_eq!(neighbour.settled(&going).await["state"], "completed");
    assert_eq!(neighbour.finish("say 2").await["state"], "completed");
    eventually("the retired process is gone", async || (daemon.agents().len() == 1).then_some(())).await;
}

#[tokio::test]
async fn what_a_stopped_turn_still_says_reaches_no_later_run() {
    let limits = json!({"limits": {"cancelEscalateMs": 100, "cancelSettleMs": 300}});
    let daemon = Serve::new().config(limits).start().await;
    let (id, other) = (daemon.new_session().await, daemon.new_session().await);
    let (session, neighbour) = (daemon.session(&id), daemon.session(&other));
    let going = neighbour.say("say 1\nask make").await;
    let asked = neighbour.permission().await;
    let run = session.say("ignore-cancel\nsay 100000 5").await;
    spoken(session, &run).await;
    session.cancel(&run).await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!((&receipt["state"], &receipt["agentStillRunning"]), (&json!("cancelled"), &json!(true)));
    let (kept, cursor) = (session.answer(&receipt).await, session.latest().await);
    let next = session.finish("say 60 5").await;
    let words: Vec<String> = (1..=60).map(|number| format!("w{number}")).collect();
    assert_eq!(session.answer(&next).await, words.join(" "));
    assert_eq!(session.answer(&receipt).await, kept, "nor is it added to the old answer");
    let events = session.events(cursor).await;
    assert!(events.iter().all(|event| event.run_id == next["runID"]));
    neighbour.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    assert_eq!(neighbour.settled(&going).await["state"], "completed");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn thirty_rounds_of_prompt_and_cancel_leave_the_session_usable() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let mut stream = session.stream(0).await;
    for round in 0..30 {
        let run = session.say("say 40 2\nask make\nsay 5").await;
        for _ in 0..round {
            let event = stream.next().await.expect("an event");
            if event.is_terminal() {
                break;
            }
            if event.is("permission.asked") {
                break;
            }
        }
        session.cancel(&run).await.json(200);
        assert_eq!(session.settled(&run).await["state"], "cancelled", "round {round}");
        let newest = session.latest().await;
        while stream.seen.is_some_and(|seen| seen < newest) {
            stream.next().await.expect("an event");
        }
        assert_eq!(daemon.get("/session/status").await.json(200), json!({}), "round {round}");
    }
    let begin = Instant::now();
    assert_eq!(session.finish("say 1").await["state"], "completed");
    assert!(begin.elapsed() < Duration::from_secs(3), "took {:?}", begin.elapsed());
    let runs = session.snapshot().await["runs"].as_array().expect("runs").clone();
    let open = |run: &&Value| ["accepted", "running"].iter().any(|state| run["state"] == *state);
    assert_eq!(runs.iter().filter(open).count(), 0);
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_cancel_that_races_the_end_tells_one_story() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for round in 0..25_u64 {
        let run = session.say(&format!("say {}", 1 + round % 5)).await;
        session.cancel(&run).await.json(200);
        let receipt = session.settled(&run).await;
        let state = receipt["state"].as_str().expect("a state");
        assert!(["completed", "cancelled"].contains(&state), "{receipt}");
        let events = session.events(0).await;
        let ends: Vec<&Event> =
            events.iter().filter(|event| event.run_id == run && event.is_terminal()).collect();
        let [end] = ends.as_slice() else { panic!("not one end: {ends:?}") };
        assert_eq!(end.name, format!("runtime.{state}"));
    }
}

#[tokio::test]
async fn a_prompt_that_is_cancelled_at_once_is_cancelled_at_the_agent_too_and_the_conversation_goes_on() {
    let serve = Serve::new();
    // This agent can take up nothing: what it holds is all there is.
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("text one").await;
    for round in 0..20 {
        let run = session.say("hang").await;
        session.cancel(&run).await.json(200);
        assert_eq!(session.settled(&run).await["state"], "cancelled", "round {round}");
        let receipt = session.finish("text again").await;
        assert_eq!(receipt["state"], "completed", "round {round}: {receipt}");
        assert_eq!(receipt.get("contextReset"), None, "round {round}: {receipt}");
        assert_eq!(session.answer(&receipt).await, "again", "round {round}");
    }
    assert_eq!(log.received("session/new").len(), 1);
    let hanging =
        log.received("session/prompt").iter().filter(|p| p["params"]["prompt"][0]["text"] == "hang").count();
    assert_eq!(log.received("session/cancel").len(), hanging, "each that was begun is told to stop, once");
    session.assert_transcript_is_told().await;
}
