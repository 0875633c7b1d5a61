//! Does the event stream tell everything, in order, once, to every reader however it comes and goes?

use std::time::Duration;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Daemon, Event, Serve, Session, Sse, eventually, scripted};

/// A turn that makes every kind of event the simulator can.
const EVERYTHING: &str = "think 12\nsay 80 2\ntool read {\"path\":\"notes.md\"}\nplan look | act\nusage 42\n\
    tool edit {\"path\":\"ä/😀.txt\"}\nsay 20 1\nraw {\"sessionUpdate\":\"brand_new\",\"x\":1}\nthink 3\nsay 5";

#[tokio::test]
async fn an_admission_is_told_in_its_order() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("say 3").await;
    let events = session.events(0).await;
    let types: Vec<&str> = events.iter().take(5).map(|event| event.name.as_str()).collect();
    let order =
        ["runtime.accepted", "message.updated", "message.part.updated", "turn.updated", "session.status"];
    assert_eq!(types, order);
    let [accepted, message, part, turn, busy] = events.get(..5).expect("five events") else { unreachable!() };
    assert_eq!(accepted.properties, json!({"acceptedAt": receipt["acceptedAt"], "effort": "normal"}));
    assert_eq!(message.properties["info"]["id"], receipt["messageID"]);
    assert_eq!(part.properties["part"]["text"], "say 3");
    assert_eq!(
        (&turn.properties["state"], &turn.properties["messageID"]),
        (&json!("ready"), &receipt["messageID"])
    );
    assert_eq!(busy.properties, json!({"sessionID": id, "status": {"type": "busy"}}));
    let states: Vec<&Value> = events
        .iter()
        .filter(|event| event.is("turn.updated"))
        .map(|event| &event.properties["state"])
        .collect();
    assert_eq!(states, ["ready", "active", "completed"]);
}

#[tokio::test]
async fn the_terminal_event_is_the_last_of_its_run_and_alone() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let mut runs = Vec::new();
    for prompt in ["say 3", "fail 5", "exit 1", "tool read {}", "stderr 5\nsay 1"] {
        runs.push(session.finish(prompt).await);
    }
    let events = session.events(0).await;
    for receipt in &runs {
        let run = receipt["runID"].as_str().expect("an id");
        let own: Vec<&Event> = events.iter().filter(|event| event.run_id == run).collect();
        let terminals = own.iter().filter(|event| event.is_terminal()).count();
        let last = own.last().expect("events");
        assert!(terminals == 1 && last.is_terminal(), "{last:?}");
        let word = format!("runtime.{}", receipt["state"].as_str().expect("a state"));
        assert_eq!(last.name, word);
        assert_eq!(last.kind, if receipt["state"] == "failed" { "error" } else { "stop" });
        assert_eq!(last.properties.get("messageID"), receipt.get("resultMessageID"));
        let first = own.first().expect("events");
        assert_eq!(last.sequence - first.sequence + 1, own.len() as u64, "runs do not interleave here");
    }
}

#[tokio::test]
async fn growth_rebuilds_the_transcript_in_utf_16_units() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let words = "text é\ntext 😀\nsplit 测试🧪\ntext \u{1F1E9}\u{1F1EA}\n".repeat(60);
    let receipt = session.finish(&words).await;
    assert_eq!(session.answer(&receipt).await, "é😀测试🧪\u{1F1E9}\u{1F1EA}".repeat(60));
    session.assert_transcript_is_told().await;
    let grown = session.events(0).await.into_iter().filter(|event| event.properties.get("delta").is_some());
    for event in grown {
        assert_eq!(event.properties["part"].get("text"), None, "growth does not repeat the text: {event:?}");
    }
}

#[tokio::test]
async fn replay_live_and_messages_agree_for_every_kind_of_event() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let mut stream = session.stream(0).await;
    let run = session.say(EVERYTHING).await;
    let live = stream.until_end(&run).await;
    assert_eq!(live, session.events(0).await);
    let half = live.get(live.len() / 2).expect("an event").sequence;
    assert_eq!(live.get(live.len() / 2 + 1..).expect("a tail"), session.events(half).await);
    session.assert_transcript_is_told().await;
    for wanted in ["system", "message", "thought", "tool", "plan", "stop", "raw"] {
        assert!(live.iter().any(|event| event.kind == wanted), "no event of kind {wanted}");
    }
    let daemon = daemon.stop().await.1.start().await;
    assert_eq!(live, daemon.session(&id).events(0).await, "also after a restart");
}

#[tokio::test]
async fn a_dropped_reader_gets_exactly_what_it_missed() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 150 8\ntool read {}\nsay 20 2").await;
    let mut first = session.stream(0).await;
    let mut seen = Vec::new();
    while seen.len() < 12 {
        seen.push(first.next().await.expect("an event"));
    }
    drop(first);
    session.settled(&run).await;
    let cursor = seen.last().expect("events").sequence;
    let path = format!("/runtime/events?sessionID={id}&afterSequence=0");
    let request = daemon.request(Method::GET, &path).header("last-event-id", cursor.to_string());
    let mut again = Sse::open(request, &id, Some(cursor)).await;
    seen.extend(again.until_end(&run).await);
    assert_eq!(seen, session.events(0).await, "the header wins over the query");
}

#[tokio::test]
async fn fifty_readers_that_come_and_go_each_see_every_event_once() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run =
        session.say(&format!("say 120 6\n{}say 40 4", "tool read {\"n\":1}\nthink 2\n".repeat(20))).await;
    let reader = async |seed: usize| {
        let mut random = seed * 7_919 + 1;
        let mut seen: Vec<Event> = Vec::new();
        loop {
            random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
            let cursor = seen.last().map_or(0, |event| event.sequence);
            let mut stream = reconnect(session, cursor, random.is_multiple_of(2)).await;
            for _ in 0..=random % 40 {
                seen.push(stream.next().await.expect("an event"));
                if seen.last().is_some_and(Event::is_terminal) {
                    return seen;
                }
            }
        }
    };
    let all = join_all((0..50).map(reader)).await;
    session.settled(&run).await;
    let truth = session.events(0).await;
    assert!(truth.len() > 60, "{}", truth.len());
    for seen in all {
        assert_eq!(seen, truth);
    }
}

async fn reconnect(session: Session<'_>, cursor: u64, by_header: bool) -> Sse {
    if by_header {
        let path = format!("/runtime/events?sessionID={}", session.id());
        let request = session.daemon.request(Method::GET, &path).header("last-event-id", cursor.to_string());
        Sse::open(request, session.id(), Some(cursor)).await
    } else {
        session.stream(cursor).await
    }
}

#[tokio::test]
async fn cursors_outside_the_window_are_told_with_the_window() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    assert_eq!(session.finish("repeat 600 plan look | act").await["state"], "completed");
    let snapshot = session.snapshot().await;
    let (oldest, latest) = (snapshot["oldestSequence"].as_u64(), snapshot["latestSequence"].as_u64());
    let (oldest, latest) = (oldest.expect("oldest"), latest.expect("latest"));
    assert_eq!(oldest, latest - 2_047, "the window is arithmetic");
    for route in ["/runtime/events", "/runtime/events/replay"] {
        let at =
            async |cursor: &str| daemon.get(&format!("{route}?sessionID={id}&afterSequence={cursor}")).await;
        for bad in ["abc", "-1", "", "1.5", "1e3", "%2B1", "99999999999999999999"] {
            at(bad).await.refusal(400, "invalid_cursor");
        }
        let ahead = at(&(latest + 1).to_string()).await.refusal(409, "cursor_ahead");
        assert_eq!(
            (&ahead["error"], ahead["latestSequence"].as_u64()),
            (&json!("cursor_ahead"), Some(latest))
        );
        for old in [0, 1, oldest - 2] {
            let expired = at(&old.to_string()).await.refusal(409, "cursor_expired");
            let window = (expired["error"].as_str(), expired["oldestSequence"].as_u64());
            assert_eq!(window, (Some("cursor_expired"), Some(oldest)));
        }
    }
    assert_eq!(session.events(oldest - 1).await.len(), 2_048);
    assert_eq!(session.events(latest).await, []);
    let whole = daemon.get(&format!("/runtime/events/replay?sessionID={id}")).await.json(200);
    assert_eq!(whole["events"][0]["sequence"].as_u64(), Some(oldest), "no cursor: everything retained");
    let mut stream =
        Sse::open(daemon.request(Method::GET, &format!("/runtime/events?sessionID={id}")), &id, None).await;
    assert_eq!(stream.next().await.map(|event| event.sequence), Some(oldest));
    let header = async |value: &'static str| {
        let path = format!("/runtime/events?sessionID={id}&afterSequence={latest}");
        daemon.send(daemon.request(Method::GET, &path).header("last-event-id", value)).await
    };
    header("abc").await.refusal(400, "invalid_cursor");
    header("-3").await.refusal(400, "invalid_cursor");
    header("0").await.refusal(409, "cursor_expired");
}

#[tokio::test]
async fn an_end_between_snapshot_and_stream_is_never_lost() {
    let daemon = Daemon::start().await;
    let ids = join_all((0..8).map(|_| daemon.new_session())).await;
    let race = async |id: &String| {
        let session = daemon.session(id);
        for _ in 0..15 {
            let run = session.say("say 1").await;
            loop {
                let snapshot = session.snapshot().await;
                let runs = snapshot["runs"].as_array().expect("runs");
                let receipt = runs.iter().find(|receipt| receipt["runID"] == *run).expect("the run");
                let ended = receipt["state"] == "completed";
                let cursor = snapshot["latestSequence"].as_u64().expect("a cursor");
                if ended {
                    break;
                }
                session.stream(cursor).await.until_end(&run).await;
            }
        }
    };
    join_all(ids.iter().map(race)).await;
}

#[tokio::test]
async fn a_stream_at_the_tail_opens_at_once_and_stays_alive_by_comments() {
    let daemon = Serve::new().config(json!({"limits": {"heartbeatMs": 100}})).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let mut stream = session.stream(0).await;
    for _ in 0..5 {
        stream.comment().await;
    }
    let run = session.say("say 3\nsleep 400\nsay 1").await;
    let events = stream.until_end(&run).await;
    assert_eq!(events, session.events(0).await);
    assert!(stream.comments >= 6, "comments go on while the agent is silent: {}", stream.comments);
    stream.comment().await;
}

#[tokio::test]
async fn by_default_a_comment_comes_at_once_and_within_six_seconds() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let mut stream = daemon.session(&id).stream(0).await;
    let limit = |ms| Duration::from_millis(ms);
    tokio::time::timeout(limit(1_000), stream.comment()).await.expect("a first comment at once");
    tokio::time::timeout(limit(6_000), stream.comment()).await.expect("a heartbeat");
}

#[tokio::test]
async fn the_form_of_a_stream_does_not_depend_on_accept() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 1").await;
    session.settled(&run).await;
    for accept in ["application/json", "text/event-stream", "*/*", "image/png"] {
        let path = format!("/runtime/events?sessionID={id}");
        let request = daemon.request(Method::GET, &path).header("accept", accept);
        Sse::open(request, &id, Some(0)).await.until_end(&run).await;
    }
}

#[tokio::test]
async fn a_reader_that_does_not_read_slows_nobody_and_misses_nothing() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let mut lazy = session.stream(0).await;
    let tool = format!("tool big {{\"x\":\"{}\"}}", "x".repeat(100_000));
    for _ in 0..4 {
        assert_eq!(session.finish(&format!("repeat 8 {tool}\nsay 20 1")).await["state"], "completed");
    }
    let latest = session.latest().await;
    let mut seen = 0;
    while seen < latest {
        match lazy.next().await {
            Some(event) => seen = event.sequence,
            None => lazy = session.stream(seen).await,
        }
    }
    assert_eq!(seen, latest);
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn interleaved_text_thoughts_and_tools_keep_the_agents_order() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("order 60").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let messages = session.messages().await;
    let parts = messages.last().expect("an answer")["parts"].as_array().expect("parts");
    let told: Vec<String> = parts.iter().filter_map(brief).collect();
    let expected: Vec<String> = (0..60)
        .flat_map(|number| {
            let (a, b) = (2 * number, 2 * number + 1);
            let words = [format!("text{number}"), format!("t{a}"), format!("t{b}")];
            words.into_iter().chain([format!("between{number}"), format!("thought{number}")])
        })
        .collect();
    assert_eq!(told, expected);
    assert!(
        parts.iter().filter(|part| part["type"] == "tool").all(|part| part["state"]["status"] == "completed")
    );
    session.assert_transcript_is_told().await;
}

fn brief(part: &Value) -> Option<String> {
    match part["type"].as_str().expect("a type") {
        "text" | "reasoning" => Some(part["text"].as_str().expect("a text").trim().to_owned()),
        "tool" => Some(part["callID"].as_str().expect("an id").to_owned()),
        _ => None,
    }
}

#[tokio::test]
async fn what_happens_without_a_run_burns_no_sequence() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("say 2").await;
    let latest = session.latest().await;
    daemon.patch(&format!("/session/{id}"), &json!({"title": "renamed"})).await.json(200);
    for pid in daemon.agents() {
        crate::support::kill(pid);
    }
    eventually("the agent is gone", async || daemon.agents().is_empty().then_some(())).await;
    assert_eq!(session.latest().await, latest);
    let daemon = daemon.crash().await.start().await;
    assert_eq!(daemon.session(&id).latest().await, latest, "nor does a restart");
}
