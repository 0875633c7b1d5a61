//! Does a badly written agent harm anything but its own turn?

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{BINARY, Daemon, Event, Serve, Session, Transcript, eventually, scripted};

/// Largest event on the wire, with room for the frame around it.
const EVENT_BYTES_MAX: usize = 256 * 1024 + 1_024;

async fn noisy(args: &[&str]) -> Daemon {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, args);
    serve.config(config).start().await
}

fn largest(events: &[Event]) -> usize {
    events.iter().map(|event| event.properties.to_string().len()).max().unwrap_or_default()
}

/// Peak resident memory of the daemon in bytes.
fn peak(daemon: &Daemon) -> u64 {
    let path = format!("/proc/{}/status", daemon.process.pid);
    let status = std::fs::read_to_string(path).expect("a living daemon");
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("VmHWM");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<u64>().ok()).expect("a number") * 1_024
}

#[tokio::test]
async fn noise_between_frames_is_skipped() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("garbage\nsay 2\ngarbage\nsay 2\ngarbage").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(daemon.session(&id).answer(&receipt).await.split_whitespace().count(), 4);
    let banners = noisy(&["--noise"]).await;
    let id = banners.new_session().await;
    let run = banners.session(&id).say("text Grüße\nask 1").await;
    let asked = banners.session(&id).permission().await;
    banners.session(&id).reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    let receipt = banners.session(&id).settled(&run).await;
    assert_eq!(banners.session(&id).answer(&receipt).await, "Grüßechosen y es/1");
}

#[tokio::test]
async fn neither_head_nor_tail_of_an_answer_is_cut() {
    let daemon = noisy(&[]).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for round in 0..30 {
        let receipt = session.finish(&format!("text head{round}\ntail  tail{round}")).await;
        assert_eq!(session.answer(&receipt).await, format!("head{round} tail{round}"));
    }
    let receipt = session.finish("text head\nlate 3").await;
    assert_eq!(
        session.answer(&receipt).await,
        "head late0 late1 late2",
        "within the grace of an unknown agent"
    );
    assert_eq!(session.finish("text next").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn what_comes_after_the_end_goes_to_no_other_run() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("say 2\nlate 50\nsay 3").await;
    assert_eq!(receipt["state"], "completed");
    let latest = session.latest().await;
    let marker = daemon.new_session().await;
    daemon.session(&marker).finish("say 40 5").await;
    assert_eq!(session.latest().await, latest, "no event without a run");
    let whole = session.answer(&receipt).await;
    assert!(whole.ends_with("w1 w2 w3") && whole.matches("w2").count() == 2, "late text is kept: {whole}");
    let next = session.finish("say 1").await;
    assert_eq!(session.answer(&next).await.trim(), "w1");
}

#[tokio::test]
async fn a_frame_over_the_limit_is_skipped_and_shown() {
    let daemon = Serve::new().config(json!({"limits": {"maxFrameBytes": 200_000}})).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("say 2\nhuge 150000\nsay 1\nhuge 250000\nsay 2").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let events = session.events(0).await;
    let raw: Vec<&Event> = events.iter().filter(|event| event.is("agent.raw")).collect();
    let [raw] = raw.as_slice() else { panic!("not one: {raw:?}") };
    assert_eq!((raw.kind.as_str(), &raw.properties["truncated"]), ("raw", &json!(true)));
    let text = session.answer(&receipt).await;
    assert!(text.len() > 140_000 && text.len() < 200_000, "{}", text.len());
    assert!(text.ends_with("w2"), "what follows is still read");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_endless_frame_ends_its_connection_without_filling_memory() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("say 1").await;
    let before = peak(&daemon);
    let receipt = session.finish("say 3\nhuge 150000000\nsay 1").await;
    assert_eq!((&receipt["state"], &receipt["error"]["code"]), (&json!("failed"), &json!("frame_too_large")));
    let grown = peak(&daemon).saturating_sub(before);
    assert!(grown < (32 + 32) << 20, "grew by {grown}");
    assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 3);
    assert_eq!(session.finish("say 2").await["state"], "completed");
}

#[tokio::test]
async fn an_endless_frame_is_no_trouble_of_other_agents() {
    let config = json!({"limits": {"maxFrameBytes": 100_000}, "defaultAgent": "sim",
        "agents": {"other": {"command": BINARY, "args": ["agent", "sim"]}}});
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    let other = daemon.create(&json!({"workspace": "project", "agent": "other"})).await;
    let run = daemon.session(&other).say("say 50\nask make\nsay 50").await;
    let asked = daemon.session(&other).permission().await;
    for _ in 0..3 {
        let receipt = daemon.session(&id).finish("say 1\nhuge 300000\nhang").await;
        assert_eq!(receipt["error"]["code"], "frame_too_large", "{receipt}");
    }
    assert_eq!(daemon.session(&other).run(&run).await["state"], "running");
    daemon.session(&other).reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    let receipt = daemon.session(&other).settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(daemon.session(&other).answer(&receipt).await.matches("w50").count(), 2);
}

#[tokio::test]
async fn an_agent_that_starts_with_a_line_without_end_is_given_up() {
    let endless = json!({"command": "/bin/sh", "args": ["-c", "tr '\\0' x < /dev/zero"]});
    let config = json!({"limits": {"maxFrameBytes": 1_000_000}, "agents": {"endless": endless},
        "defaultAgent": "endless"});
    let daemon = Serve::new().config(config).start().await;
    let before = peak(&daemon);
    let id = daemon.new_session().await;
    let receipt = daemon.session(&id).finish("say 1").await;
    assert_eq!(receipt["error"]["stage"], "initialize", "{receipt}");
    let code = receipt["error"]["code"].as_str().expect("a code");
    assert!(["agent_start_failed", "frame_too_large"].contains(&code), "{receipt}");
    assert!(peak(&daemon).saturating_sub(before) < 32 << 20);
    eventually("it is gone", async || daemon.agents().is_empty().then_some(())).await;
}

#[tokio::test]
async fn what_a_large_turn_said_is_kept_when_the_agent_is_gone() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let tool = format!("tool plot {{\"output\":\"{}\"}}", "o".repeat(100_000));
    let work = format!("usage 42\n{tool}\nhuge 2000000\nsay 1\nhuge 2000000\nsay 2\nexit 137");
    let receipt = session.finish(&work).await;
    let error = &receipt["error"];
    assert_eq!((&error["code"], &error["exit"]), (&json!("agent_exited"), &json!("exit status: 137")));
    let answer = session.answer(&receipt).await;
    assert!(answer.len() > 3_900_000 && answer.ends_with("w2"), "{} bytes", answer.len());
    let result = receipt["resultMessageID"].as_str().expect("a result");
    let message = daemon.get(&format!("/session/{id}/message/{result}")).await.json(200);
    let parts = message["parts"].as_array().expect("parts");
    let plot = parts.iter().find(|part| part["type"] == "tool").expect("the tool");
    assert_eq!(plot["state"]["output"].as_str().map(str::len), Some(100_000));
    let events = session.events(0).await;
    assert!(events.iter().any(|event| event.is("session.context")), "the usage is kept");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_flood_in_one_session_leaves_its_neighbours_quick() {
    let daemon = noisy(&[]).await;
    let (loud, id) = (daemon.new_session().await, daemon.create(&json!({"agent": "sim"})).await);
    let run = daemon.session(&loud).say("grow 400 2000\ntext done").await;
    let quiet = daemon.session(&id);
    let mut times = Vec::new();
    while daemon.session(&loud).run(&run).await.get("completedAt").is_none() {
        let begin = Instant::now();
        assert_eq!(quiet.finish("say 2").await["state"], "completed");
        times.push(begin.elapsed());
    }
    times.sort_unstable();
    let middle = times.get(times.len() / 2).expect("a turn during the flood");
    assert!(*middle < Duration::from_secs(1), "{times:?}");
    let data = daemon.world().data();
    let stored = |name: &str| std::fs::metadata(data.join(name)).map(|file| file.len()).unwrap_or_default();
    let bytes = stored("openscience.db") + stored("openscience.db-wal");
    assert!(bytes < 40_000_000, "{bytes} bytes stored of 800,000 of output told 400 times");
}

#[tokio::test]
async fn a_large_chunk_becomes_events_of_bounded_size() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("say 1\nhuge 3000000\nsay 1").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert!(session.answer(&receipt).await.len() > 2_900_000, "text is never cut");
    let events = session.events(0).await;
    assert!(largest(&events) <= EVENT_BYTES_MAX, "{}", largest(&events));
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn text_beyond_a_parts_limit_goes_on_in_a_new_part() {
    let daemon = Serve::new().config(json!({"limits": {"maxPartBytes": 100_000}})).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("say 60000").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let text = session.answer(&receipt).await;
    let words: Vec<String> = (1..=60_000).map(|number| format!("w{number}")).collect();
    assert!(text == words.join(" "), "{} of {} bytes", text.len(), words.join(" ").len());
    let messages = session.messages().await;
    let parts = messages.last().expect("an answer")["parts"].as_array().expect("parts").clone();
    let texts: Vec<usize> = parts.iter().filter_map(|part| part["text"].as_str()).map(str::len).collect();
    assert!(texts.len() >= 3 && texts.iter().all(|length| *length <= 100_000), "{texts:?}");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn output_told_again_and_again_does_not_grow_quadratically() {
    let daemon = noisy(&[]).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("grow 100 4000\ntext done").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let events = session.events(0).await;
    let told: usize = events.iter().map(|event| event.properties.to_string().len()).sum();
    assert!(told < 6_000_000, "{told} bytes told for 400,000 of output");
    assert!(largest(&events) <= EVENT_BYTES_MAX, "{}", largest(&events));
    let messages = session.messages().await;
    let message = messages.last().expect("an answer");
    let whole = daemon
        .get(&format!("/session/{id}/message/{}", message["info"]["id"].as_str().expect("an id")))
        .await;
    let whole = whole.json(200);
    let tool = whole["parts"].as_array().expect("parts").iter().find(|part| part["type"] == "tool").cloned();
    let output = tool.as_ref().and_then(|part| part["state"]["output"].as_str()).expect("an output");
    assert_eq!(output.len(), 400_000, "whole by id");
}

#[tokio::test]
async fn stderr_is_drained_and_told_in_measure() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("stderr 60000\nsay 2").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let events = session.events(0).await;
    let lines: Vec<&str> = events
        .iter()
        .filter(|event| event.is("agent.stderr"))
        .map(|event| event.properties["line"].as_str().expect("a line"))
        .collect();
    assert!((1..=200).contains(&lines.len()), "told, and rate-limited: {}", lines.len());
    assert!(lines.iter().all(|line| line.starts_with("stderr line ")), "{lines:?}");
    let receipt = session.finish("stderr 60000\nexit 9").await;
    let stderr = receipt["error"]["stderr"].as_str().expect("a tail");
    assert!(stderr.len() <= 64 * 1024 && stderr.contains("stderr line 60000"), "{}", stderr.len());
    assert!(receipt["error"]["exit"].as_str().is_some_and(|exit| exit.contains('9')), "{receipt}");
}

#[tokio::test]
async fn unknown_requests_of_an_agent_are_refused_and_the_turn_goes_on() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("call future/method {\"a\":1}\ncall future/question {}\nsay 1").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let text = session.answer(&receipt).await;
    assert!(text.contains("w1"), "{text}");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_agent_that_exits_cleanly_in_mid_turn_still_failed_it() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for code in [0, 1, 137] {
        let receipt = session.finish(&format!("say 5\ntool read {{}}\nexit {code}")).await;
        assert_eq!(
            (&receipt["state"], &receipt["error"]["code"]),
            (&json!("failed"), &json!("agent_exited")),
            "{code}"
        );
        assert_eq!(receipt["error"]["exit"], format!("exit status: {code}"));
        assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 5);
    }
    let exits = session.events(0).await.into_iter().filter(|event| event.is("agent.exited")).count();
    assert_eq!(exits, 3);
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn many_small_chunks_arrive_whole_and_merged() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session: Session<'_> = daemon.session(&id);
    let receipt = session.finish("say 20000").await;
    let text = session.answer(&receipt).await;
    let words: Vec<String> = (1..=20_000).map(|number| format!("w{number}")).collect();
    assert!(text == words.join(" "), "{} bytes", text.len());
    let growth = session.events(0).await.len();
    assert!(growth < 200, "merged: {growth} events");
    session.assert_transcript_is_told().await;
    let first = eventually("told", async || session.messages().await.first().map(Transcript::text_of)).await;
    assert_eq!(first, "say 20000");
    let tokens: &Value = &session.messages().await.last().expect("an answer")["info"]["tokens"].clone();
    assert!(tokens["input"].is_u64(), "{tokens}");
}
