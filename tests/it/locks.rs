//! Does a database that others hold or that is written a lot fail anybody?

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::json;

use crate::support::{BINARY, Daemon, Lock, Process, Prompt, Serve, Session, eventually};

/// A prompt that asks, its answer or its cancel, and its end.
async fn work(session: Session<'_>, number: usize) -> Duration {
    let begin = Instant::now();
    let cancels = number.is_multiple_of(3);
    let run = session.say("say 3\nask make\nsay 2").await;
    let asked = session.permission().await;
    if cancels {
        session.cancel(&run).await.json(200);
    } else {
        session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    }
    let wanted = if cancels { "cancelled" } else { "completed" };
    assert_eq!(session.settled(&run).await["state"], wanted);
    begin.elapsed()
}

#[tokio::test]
async fn another_writer_delays_and_fails_nobody() {
    let daemon = Daemon::start().await;
    let ids = join_all((0..12).map(|_| daemon.new_session())).await;
    join_all(ids.iter().map(async |id| daemon.session(id).finish("say 1").await)).await;
    let lock = Lock::hold_again_and_again(daemon.world(), 300).await;
    let times = join_all(ids.iter().enumerate().map(|(number, id)| work(daemon.session(id), number))).await;
    drop(lock);
    let longest = times.iter().max().expect("times");
    assert!(*longest < Duration::from_secs(15), "bounded by the times the lock was held: {longest:?}");
    for id in &ids {
        daemon.session(id).assert_transcript_is_told().await;
    }
    let errors = daemon.process.stderr();
    assert!(!errors.contains("locked"), "{errors}");
}

#[tokio::test]
async fn streams_that_are_open_do_not_keep_the_log_of_the_database() {
    let daemon = Daemon::start().await;
    let ids = join_all((0..4).map(|_| daemon.new_session())).await;
    let mut streams = Vec::new();
    for _ in 0..5 {
        streams.extend(join_all(ids.iter().map(async |id| daemon.session(id).stream(0).await)).await);
    }
    // Each call is written several times.
    let flood = format!("repeat 40 tool big {{\"output\":\"{}\"}}", "x".repeat(100_000));
    let ends = join_all(ids.iter().map(async |id| daemon.session(id).finish(&flood).await)).await;
    assert!(ends.iter().all(|receipt| receipt["state"] == "completed"));
    let data = daemon.world().data();
    let bytes = |name: &str| std::fs::metadata(data.join(name)).map(|file| file.len()).unwrap_or_default();
    let (log, database) = (bytes("openscience.db-wal"), bytes("openscience.db"));
    assert!(database > 16 << 20, "not enough was written: {database}");
    assert!(log < 32 << 20, "the log has {log} bytes beside {database}");
    drop(streams);
    let (status, serve) = daemon.stop().await;
    assert!(status.success());
    assert!(bytes("openscience.db-wal") == 0, "an orderly end leaves no log");
    let daemon = serve.start().await;
    assert_eq!(daemon.get("/session/status").await.json(200), json!({}));
}

/// A daemon whose files may be kept from growing.
async fn limited() -> Daemon {
    let serve = Serve::new();
    let world = Arc::clone(&serve.world);
    // Without this the first write that is refused would end the process.
    let script = "trap '' XFSZ; exec \"$0\" \"$@\"";
    let data = world.data().display().to_string();
    let serving = [BINARY, "serve", "--port", "0", "--format", "json", "--data-dir", &data];
    let args: Vec<String> = ["-c", script].into_iter().chain(serving).map(str::to_owned).collect();
    let process = Process::start(&world, Path::new("/bin/sh"), &args, &serve.environment(), &world.project());
    serve.adopt(process).await
}

/// From now on no file of the daemon can be written, or all can again.
fn let_write(daemon: &Daemon, writes: bool) {
    let current = if writes { None } else { Some(0) };
    let limit = Rlimit { current, maximum: None };
    prlimit(Pid::from_raw(daemon.process.pid), Resource::Fsize, limit).expect("a limit");
}

#[tokio::test]
async fn a_disk_that_takes_nothing_for_a_while_loses_nothing() {
    let daemon = limited().await;
    let (id, other) = (daemon.new_session().await, daemon.new_session().await);
    let session = daemon.session(&id);
    let run = session.say("say 60 10").await;
    let mut stream = session.stream(0).await;
    stream.until(|event| event.properties.get("delta").is_some()).await;

    let_write(&daemon, false);
    let refused = daemon.session(&other).submit(&Prompt::text("say 1").key("k")).await;
    refused.refusal(503, "store_unavailable");
    daemon
        .patch(&format!("/session/{other}"), &json!({"title": "x"}))
        .await
        .refusal(503, "store_unavailable");
    assert_eq!(session.run(&run).await["state"], "running", "reading goes on");
    let_write(&daemon, true);

    stream.until_end(&run).await;
    let receipt = session.run(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let words: Vec<String> = (1..=60).map(|number| format!("w{number}")).collect();
    assert_eq!(session.answer(&receipt).await, words.join(" "));
    session.assert_transcript_is_told().await;
    assert_eq!(daemon.session(&other).snapshot().await["runs"], json!([]), "what was refused left no trace");
    let run = daemon.session(&other).prompt(&Prompt::text("say 1").key("k")).await;
    assert_eq!(daemon.session(&other).settled(&run).await["state"], "completed");
}

#[tokio::test]
async fn a_cancel_reaches_the_agent_although_it_cannot_be_recorded() {
    let daemon = limited().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 2\nhang").await;
    let mut stream = session.stream(0).await;
    stream.until(|event| event.run_id == run && event.properties["part"]["text"] == "w1").await;
    let_write(&daemon, false);
    session.cancel(&run).await.refusal(503, "store_unavailable");
    let_write(&daemon, true);
    stream.until_end(&run).await;
    assert_eq!(session.run(&run).await["state"], "cancelled");
    assert_eq!(session.finish("say 1").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_agent_that_leaves_while_nothing_can_be_written_is_told_afterwards() {
    let daemon = limited().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 2\nsleep 100\nsay 3\ntool read {}\nexit 3").await;
    let mut stream = session.stream(0).await;
    stream.until(|event| event.run_id == run && event.properties["part"]["text"] == "w1").await;
    let_write(&daemon, false);
    eventually("the agent is gone", async || daemon.agents().is_empty().then_some(())).await;
    let_write(&daemon, true);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["error"]["code"], "agent_exited", "{receipt}");
    assert_eq!(session.answer(&receipt).await.split_whitespace().count(), 5);
    session.assert_transcript_is_told().await;
    assert_eq!(session.finish("say 1").await["state"], "completed");
}

#[tokio::test]
async fn an_answer_that_cannot_be_recorded_is_not_given_and_can_be_given_again() {
    let daemon = limited().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask make\nsay 1").await;
    let asked = session.permission().await;
    let request = asked["id"].as_str().expect("an id");
    let_write(&daemon, false);
    session.reply(request, "once").await.refusal(503, "store_unavailable");
    daemon.delete(&format!("/session/{id}")).await.refusal(503, "store_unavailable");
    let_write(&daemon, true);
    assert_eq!(session.snapshot().await["permissions"], json!([asked]));
    assert_eq!(session.run(&run).await["state"], "running");
    session.reply(request, "reject").await.json(200);
    let receipt = session.settled(&run).await;
    assert!(session.answer(&receipt).await.contains("rejected"), "the first answer never reached the agent");
    session.assert_transcript_is_told().await;
}

/// The turn a run begins with.
async fn first_turn(session: Session<'_>, run: &str) -> String {
    let mut stream = session.stream(0).await;
    let told = stream.until(|event| event.run_id == run && event.is("turn.updated")).await;
    let turn = told.last().expect("events").properties["turnID"].as_str().expect("an id");
    turn.to_owned()
}

#[tokio::test]
async fn a_cancel_of_what_has_ended_or_is_unknown_stops_nothing_else_while_nothing_can_be_written() {
    let daemon = limited().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let over = session.finish("say 1").await;
    let over = over["runID"].as_str().expect("an id");
    let over_turn = first_turn(session, over).await;
    let run = session.say("say 150 10").await;
    let mut stream = session.stream(session.latest().await).await;
    stream.until(|event| event.properties.get("delta").is_some()).await;
    let_write(&daemon, false);
    let unwritten = "what is said meanwhile cannot be written";
    eventually(unwritten, async || (session.cancel(over).await.status == 503).then_some(())).await;
    session.cancel("run_unknown").await.refusal(503, "store_unavailable");
    let turns = format!("/session/{id}/turn");
    daemon.post(&format!("{turns}/trn_unknown/cancel"), &json!({})).await.refusal(503, "store_unavailable");
    daemon.post(&format!("{turns}/{over_turn}/cancel"), &json!({})).await.refusal(503, "store_unavailable");
    let_write(&daemon, true);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert!(session.answer(&receipt).await.ends_with("w150"));
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_cancel_of_a_turn_reaches_the_agent_although_it_cannot_be_recorded() {
    let daemon = limited().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 2\nhang").await;
    let turn = first_turn(session, &run).await;
    let mut stream = session.stream(0).await;
    stream.until(|event| event.run_id == run && event.properties["part"]["text"] == "w1").await;
    let_write(&daemon, false);
    let path = format!("/session/{id}/turn/{turn}/cancel");
    daemon.post(&path, &json!({})).await.refusal(503, "store_unavailable");
    let_write(&daemon, true);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    session.assert_transcript_is_told().await;
}
