//! Does a reader that comes and goes learn what one that stayed learned, whatever happens meanwhile?

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::{Daemon, Event, Session, Sse, eventually};

/// Every type that is journaled.
const TYPES: [&str; 20] = [
    "agent.connected",
    "agent.exited",
    "agent.raw",
    "agent.reset",
    "agent.stderr",
    "message.part.updated",
    "message.updated",
    "permission.asked",
    "permission.cancelled",
    "permission.replied",
    "runtime.accepted",
    "runtime.cancelled",
    "runtime.completed",
    "runtime.failed",
    "session.context",
    "session.error",
    "session.idle",
    "session.status",
    "session.updated",
    "todo.updated",
];

/// How many runs [`everything`] makes.
const RUNS: usize = 6;

/// Runs that together tell every type of event.
async fn everything(session: Session<'_>) {
    let first = "stderr 3\nthink 4\nsay 30 3\ntool read {\"path\":\"ä 😀\"}\nplan look | act\nusage 42\nusage 0\ntitle New\nmode calm\n\
        raw {\"sessionUpdate\":\"brand_new\",\"x\":1}\nsay 3";
    assert_eq!(session.finish(first).await["state"], "completed");
    let run = session.say("ask make\nsay 2").await;
    let asked = session.permission().await;
    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    session.settled(&run).await;
    let run = session.say("say 2\nask make").await;
    session.permission().await;
    session.cancel(&run).await.json(200);
    session.settled(&run).await;
    // The agent says that it forgot the session, and does not take it up again.
    let forgetful = "next session/resume fail -32603\nnext session/load fail -32603\nsay 1\nfail -32002";
    assert_eq!(session.finish(forgetful).await["state"], "failed");
    assert_eq!(session.finish("say 1").await["state"], "completed");
    assert_eq!(session.finish("say 2\nexit 3").await["error"]["code"], "agent_exited");
}

/// Reads until every run has ended; after each `stretch` events (0: never) it leaves and comes back.
async fn read(session: Session<'_>, stretch: usize) -> Vec<Event> {
    let mut seen: Vec<Event> = Vec::new();
    let mut ended = 0;
    loop {
        let cursor = seen.last().map_or(0, |event| event.sequence);
        let mut stream = if stretch % 2 == 1 {
            let path = format!("/runtime/events?sessionID={}", session.id());
            let request =
                session.daemon.request(Method::GET, &path).header("last-event-id", cursor.to_string());
            Sse::open(request, session.id(), Some(cursor)).await
        } else {
            session.stream(cursor).await
        };
        let mut left = stretch;
        loop {
            seen.push(stream.next().await.expect("an event"));
            ended += usize::from(seen.last().is_some_and(Event::is_terminal));
            if ended == RUNS {
                return seen;
            }
            left = left.wrapping_sub(1);
            if left == 0 {
                break;
            }
        }
    }
}

#[tokio::test]
async fn every_type_of_event_reaches_readers_that_come_and_go_as_it_reached_the_one_that_stayed() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let (readings, ()) =
        tokio::join!(join_all([0, 1, 4, 13].map(|stretch| read(session, stretch))), everything(session));
    let [stayed, gone @ ..] = readings.as_slice() else { unreachable!() };
    for reading in gone {
        assert_eq!(reading, stayed);
    }
    assert_eq!(session.events(0).await, *stayed);
    let types: BTreeSet<&str> = stayed.iter().map(|event| event.name.as_str()).collect();
    let missing: Vec<&&str> = TYPES.iter().filter(|name| !types.contains(**name)).collect();
    assert_eq!(missing, Vec::<&&str>::new(), "the runs did not tell these");
    let used: Vec<&Value> = stayed
        .iter()
        .filter(|event| event.is("session.context"))
        .map(|event| &event.properties["used"])
        .collect();
    assert_eq!(used, [42, 0], "nothing is a number too");
    session.assert_transcript_is_told().await;
    let daemon = daemon.crash().await.start().await;
    assert_eq!(read(daemon.session(&id), 7).await, *stayed, "also after a crash");
}

#[tokio::test]
async fn an_end_is_told_by_the_snapshot_or_by_the_stream_that_follows_it() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 2\nask make\nsay 1").await;
    let asked = session.permission().await;
    let before = session.snapshot().await;
    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    session.settled(&run).await;
    let after = session.snapshot().await;

    assert_eq!(before["runs"][0]["state"], "running");
    let mut missed = session.stream(before["latestSequence"].as_u64().expect("a cursor")).await;
    assert!(missed.until_end(&run).await.iter().any(|event| event.is("permission.replied")));
    assert_eq!(after["runs"][0]["state"], "completed");
    let mut rest = session.stream(after["latestSequence"].as_u64().expect("a cursor")).await;
    rest.comment().await;
    let next = session.say("say 1").await;
    let events = rest.until_end(&next).await;
    assert!(events.iter().all(|event| event.run_id == next), "nothing of the run before");
}

#[tokio::test]
async fn a_permission_waits_for_an_answer_when_every_client_has_left() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 2\nask make\nsay 3").await;
    let mut readers = vec![session.stream(0).await, session.stream(0).await];
    for reader in &mut readers {
        reader.until(|event| event.is("permission.asked")).await;
    }
    drop(readers);
    // A second prompt of another session shows that the daemon has noticed.
    let other = daemon.new_session().await;
    daemon.session(&other).finish("say 1").await;
    let asked = session.permission().await;
    let receipt = session.run(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["waiting"]["decisions"]),
        (&json!("running"), &json!([asked["id"]]))
    );
    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    let receipt = eventually("it completes", async || {
        Some(session.run(&run).await).filter(|receipt| receipt["state"] == "completed")
    })
    .await;
    assert!(session.answer(&receipt).await.ends_with("w1 w2 w3"));
}

/// Resident memory of the daemon now, in bytes.
fn resident(daemon: &Daemon) -> usize {
    let path = format!("/proc/{}/status", daemon.process.pid);
    let status = std::fs::read_to_string(path).expect("a living daemon");
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).expect("VmRSS");
    line.split_whitespace().nth(1).and_then(|kib| kib.parse::<usize>().ok()).expect("a number") * 1_024
}

#[tokio::test]
async fn clients_that_stop_reading_cost_little_memory_and_do_not_hold_up_the_end() {
    const CLIENTS: usize = 40;
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let flood = format!("repeat 16 tool big {{\"output\":\"{}\"}}", "x".repeat(100_000));
    // What the work itself takes is taken before.
    session.finish(&flood).await;
    let cursor = session.latest().await;
    let mut stalled = Vec::new();
    for _ in 0..CLIENTS {
        stalled.push(stall(session, cursor).await);
    }
    let before = resident(&daemon);
    let run = session.say(&flood).await;
    let events = session.stream(cursor).await.until_end(&run).await;
    let told: usize = events.iter().map(|event| event.properties.to_string().len()).sum();
    let grown = resident(&daemon).saturating_sub(before);
    assert!(told > 4_000_000, "{told} bytes told");
    assert!(grown < CLIENTS * told / 3, "{grown} bytes for clients that were told {told} each");
    assert_eq!(session.run(&run).await["state"], "completed");
    let begin = Instant::now();
    let (status, _) = daemon.stop().await;
    assert!(status.success() && begin.elapsed() < Duration::from_secs(6), "{status} {:?}", begin.elapsed());
    drop(stalled);
}

/// A client whose stream has begun and that reads nothing from then on.
async fn stall(session: Session<'_>, cursor: u64) -> TcpStream {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4_096).expect("a small buffer");
    let address = ([127, 0, 0, 1], session.daemon.port()).into();
    let mut client = socket.connect(address).await.expect("a connection");
    let path = format!("/runtime/events?sessionID={}&afterSequence={cursor}", session.id());
    let head = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    client.write_all(head.as_bytes()).await.expect("a request");
    client.read_u8().await.expect("an answer");
    client
}
