//! Does a real agent, with all its habits, work through the daemon?
//!
//! codex-acp 0.16.0 against a scripted model. It asks before it tells of a call, ends a turn as
//! cancelled after a rejection, does not exit at the end of its input and has no fast way to be killed.

mod codex;

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{Event, eventually, kill};

/// The scripted model's answer to `SAY n`.
fn words(count: usize) -> String {
    (1..=count).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ")
}

/// A shell call that the agent must ask for.
const WRITE: &str = "TOOL shell {\"command\":\"echo hi > f.txt\"}";

/// Leaves the test out where agents are left out on purpose.
macro_rules! codex {
    () => {
        match codex::Codex::start().await {
            Some(codex) => codex,
            None => return,
        }
    };
}

#[tokio::test]
async fn two_thousand_streamed_words_arrive_whole() {
    let codex = codex!();
    let id = codex.daemon.new_session().await;
    let session = codex.daemon.session(&id);
    let receipt = session.finish("SAY 2000").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let text = session.answer(&receipt).await;
    // codex puts a warning about the unknown model before its first answer.
    assert!(text.ends_with(&words(2_000)), "{} bytes: …{}", text.len(), tail(&text));
    session.assert_transcript_is_told().await;
    let again = session.finish("SAY 30").await;
    assert!(session.answer(&again).await.ends_with(&words(30)));
}

fn tail(text: &str) -> String {
    text.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect()
}

#[tokio::test]
async fn an_allowed_command_runs() {
    let codex = codex!();
    let id = codex.daemon.new_session().await;
    let session = codex.daemon.session(&id);
    let run = session.say(WRITE).await;
    let asked = session.permission().await;
    assert_eq!(
        (&asked["permission"], &asked["patterns"]),
        (&json!("bash"), &json!(["echo hi > f.txt", "> f.txt"])),
        "{asked}"
    );
    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let file = std::fs::read_to_string(codex.daemon.world().project().join("f.txt"));
    assert_eq!(
        file.ok().as_deref(),
        Some("hi\n"),
        "what the command wrote: {}",
        json!(session.messages().await)
    );
    let messages = session.messages().await;
    let parts = messages.last().expect("an answer")["parts"].as_array().expect("parts").clone();
    let tools: Vec<&Value> = parts.iter().filter(|part| part["type"] == "tool").collect();
    let [tool] = tools.as_slice() else { panic!("not one call: {parts:?}") };
    assert_eq!(tool["state"]["status"], "completed", "{tool}");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_rejected_command_does_not_run_and_the_run_says_why() {
    let codex = codex!();
    let id = codex.daemon.new_session().await;
    let session = codex.daemon.session(&id);
    let run = session.say(WRITE).await;
    let asked = session.permission().await;
    session.reply(asked["id"].as_str().expect("an id"), "reject").await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("permission_denied")),
        "{receipt}"
    );
    assert!(!codex.daemon.world().project().join("f.txt").exists());
    assert_eq!(session.finish("SAY 3").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_cancel_in_mid_turn_keeps_the_text() {
    let codex = codex!();
    let id = codex.daemon.new_session().await;
    let session = codex.daemon.session(&id);
    let run = session.say("SAY 4000 5").await;
    let mut stream = session.stream(0).await;
    stream.until(|event| growth(event).is_some_and(|delta| delta.contains("w4"))).await;
    let begin = Instant::now();
    session.cancel(&run).await.json(200);
    let receipt = session.settled(&run).await;
    assert!(begin.elapsed() < Duration::from_secs(5), "took {:?}", begin.elapsed());
    assert_eq!(receipt["state"], "cancelled", "{receipt}");
    assert!(session.answer(&receipt).await.contains("w1 w2 w3"));
    assert_eq!(session.finish("SAY 3").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

fn growth(event: &Event) -> Option<&str> {
    event.properties["delta"].as_str()
}

#[tokio::test]
async fn a_cancel_while_it_asks_ends_the_turn() {
    let codex = codex!();
    let id = codex.daemon.new_session().await;
    let session = codex.daemon.session(&id);
    let run = session.say(WRITE).await;
    let asked = session.permission().await;
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    assert_eq!(session.snapshot().await["permissions"], json!([]));
    session.reply(asked["id"].as_str().expect("an id"), "once").await.refusal(409, "decision_expired");
    assert!(!codex.daemon.world().project().join("f.txt").exists());
    assert_eq!(session.finish("SAY 3").await["state"], "completed");
}

#[tokio::test]
async fn two_sessions_share_one_process_without_mixing() {
    let codex = codex!();
    let (one, two) = (codex.daemon.new_session().await, codex.daemon.new_session().await);
    let (one, two) = (codex.daemon.session(&one), codex.daemon.session(&two));
    let runs = [one.say("SAY 300 2").await, two.say("THINK 20\nSAY 200 3").await];
    let [first, second] = runs;
    let (first, second) = (one.settled(&first).await, two.settled(&second).await);
    assert!(one.answer(&first).await.ends_with(&words(300)));
    assert!(two.answer(&second).await.ends_with(&words(200)));
    for session in [one, two] {
        let events = session.events(0).await;
        assert!(events.iter().all(|event| event.session_id == session.id()));
        session.assert_transcript_is_told().await;
    }
}

#[tokio::test]
async fn a_killed_agent_fails_its_run_and_the_session_goes_on() {
    let codex = codex!();
    let id = codex.daemon.new_session().await;
    let session = codex.daemon.session(&id);
    let run = session.say("SAY 4000 5").await;
    let mut stream = session.stream(0).await;
    stream.until(|event| growth(event).is_some_and(|delta| delta.contains("w4"))).await;
    for pid in codex.agents() {
        kill(pid);
    }
    let receipt = session.settled(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("agent_exited")),
        "{receipt}"
    );
    assert!(session.answer(&receipt).await.contains("w1 w2 w3"), "the text is kept");
    let next = session.finish("SAY 5").await;
    assert_eq!(next["state"], "completed", "{next}");
    assert!(session.answer(&next).await.ends_with(&words(5)));
    session.assert_transcript_is_told().await;
    assert!(!codex.agents().is_empty());
    let world = std::sync::Arc::clone(&codex.daemon.serve.world);
    let model = codex.model_pid();
    let (status, _serve) = codex.stop_daemon().await;
    assert_eq!(status.code(), Some(0));
    eventually("nothing but the model is left", async || {
        world.processes().iter().all(|pid| *pid == model).then_some(())
    })
    .await;
}
