//! The protocol with an agent that behaves.

use std::path::Path;
use std::time::Duration;

use openscience_acp::{AcpLimits, AgentError, SessionEvent, events, events_within};
use openscience_core::input::{AgentUpdate, Asking, Given};
use openscience_protocol::EventKind;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::peer::{answered, blocks, chunk, connected, limits, open, session, turn, update};

#[tokio::test]
async fn a_turn_is_prompted_told_and_ended() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.expect("session/prompt").await;
    assert_eq!(prompt["params"], json!({"sessionId": "s1", "prompt": [{"type": "text", "text": "hi"}]}));
    assert_eq!(connection.live_turns(), 1);

    assert_eq!(events.prompted().await, turn(1));
    peer.say("s1", "a").await;
    peer.say("s1", "b").await;
    peer.answer(&prompt, json!({"stopReason": "end_turn", "usage": {"inputTokens": 3}})).await;
    let (text, end) = events.rest().await;
    assert_eq!((text.as_str(), answered(end).as_str()), ("ab", "end_turn"));
    assert_eq!((connection.live_turns(), connection.sessions()), (0, 1));
}

#[tokio::test]
async fn the_last_chunk_and_the_answer_may_come_in_one_write() {
    let (connection, mut peer, mut events) = session(false, limits()).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.recv().await;
    let answer = json!({"id": prompt["id"].to_string(), "result": {"stopReason": "tired"}});
    peer.raw(format!("{}\n{answer}\n", chunk("s1", "tail")).as_bytes()).await;
    let (text, end) = events.rest().await;
    assert_eq!((text.as_str(), answered(end).as_str()), ("tail", "tired"));
}

#[tokio::test(start_paused = true)]
async fn text_that_follows_the_answer_within_a_moment_belongs_to_the_turn() {
    let (connection, mut peer, mut events) = session(false, limits()).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.recv().await;
    peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    for text in ["a", "b", "c"] {
        tokio::time::advance(Duration::from_millis(60)).await;
        peer.say("s1", text).await;
        tokio::task::yield_now().await;
    }
    let (text, end) = events.rest().await;
    assert_eq!((text.as_str(), answered(end).as_str()), ("abc", "end_turn"));
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_held_a_tenth_of_a_second_unless_the_agent_is_ordered() {
    for (ordered, expected) in [(true, Duration::ZERO), (false, Duration::from_millis(100))] {
        let (connection, mut peer, mut events) = session(ordered, limits()).await;
        connection.prompt("s1", turn(1), blocks("hi")).unwrap();
        let prompt = peer.recv().await;
        let start = Instant::now();
        peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
        events.rest().await;
        let held = start.elapsed();
        assert!(held >= expected && held < expected + Duration::from_millis(5), "{ordered} {held:?}");
    }
}

#[tokio::test]
async fn updates_we_do_not_know_are_kept_raw() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let raw = json!({"sessionUpdate": "brand_new", "z": [1]});
    peer.send(update("s1", &raw)).await;
    peer.send(update("s1", &json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}))).await;
    let unknown = AgentUpdate::Unknown { kind: Some("brand_new".to_owned()), raw: Some(raw) };
    assert_eq!(events.next().await, SessionEvent::Update(unknown));
    assert!(matches!(events.next().await, SessionEvent::Update(AgentUpdate::Known(_))));
    assert_eq!(connection.counters().unknown_updates, 1);
}

#[tokio::test]
async fn permissions_are_asked_and_answered_under_any_request_id() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let ask = |id: Value| {
        let options = json!([{"optionId": "go#1", "name": "Go", "kind": "allow_once"}, {"optionId": "x", "kind": "odd"}]);
        json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission",
               "params": {"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": options}})
    };
    // All at once, answered in reverse.
    let mut keys = Vec::new();
    for id in [json!(0), json!("a-b"), json!(7)] {
        peer.send(ask(id)).await;
    }
    for _ in 0..3 {
        let SessionEvent::Permission(asked) = events.next().await else { panic!("no permission") };
        assert_eq!((asked.options.len(), asked.raw_options.as_array().unwrap().len()), (1, 2));
        keys.push(asked.key);
    }
    for (key, id, option) in
        [(keys[2], json!(7), None), (keys[1], json!("a-b"), Some("go#1")), (keys[0], json!(0), Some("x"))]
    {
        assert!(connection.answer(key, Given::option(option.map(str::to_owned))).await);
        assert!(!connection.answer(key, Given::Cancelled).await, "answered once");
        let answer = peer.recv().await;
        let outcome = match option {
            Some(option) => json!({"outcome": "selected", "optionId": option}),
            None => json!({"outcome": "cancelled"}),
        };
        assert_eq!(answer, json!({"jsonrpc": "2.0", "id": id, "result": {"outcome": outcome}}));
    }
}

#[tokio::test]
async fn a_permission_can_be_taken_back_by_the_agent() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    peer.send(json!({"id": "p", "method": "session/request_permission",
        "params": {"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": []}}))
        .await;
    let SessionEvent::Permission(asked) = events.next().await else { panic!("no permission") };
    peer.send(json!({"method": "$/cancel_request", "params": {"requestId": "other"}})).await;
    peer.send(json!({"method": "$/cancel_request", "params": {"requestId": "p"}})).await;
    assert_eq!(events.next().await, SessionEvent::Withdrawn { key: asked.key });
    assert_eq!(peer.recv().await["error"]["code"], -32800);
    assert!(!connection.answer(asked.key, Given::Option("x".to_owned())).await);
}

/// A form of a session or of a prompt.
fn form(id: &Value, scope: &Value) -> Value {
    let mut params = json!({"mode": "form", "message": "Which?", "toolCallId": "c",
        "requestedSchema": {"type": "object", "properties": {"f": {"type": "boolean"}}}});
    params.as_object_mut().unwrap().extend(scope.as_object().unwrap().clone());
    json!({"jsonrpc": "2.0", "id": id, "method": "elicitation/create", "params": params})
}

#[tokio::test]
async fn a_form_is_filled_in_declined_or_cancelled() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let content = serde_json::Map::from_iter([("f".to_owned(), json!(true))]);
    for (id, given, expected) in [
        (json!(1), Given::Content(content), json!({"action": "accept", "content": {"f": true}})),
        (json!("b"), Given::Declined(Some("why".to_owned())), json!({"action": "decline"})),
        (json!(2), Given::Cancelled, json!({"action": "cancel"})),
        (json!(3), Given::Option("x".to_owned()), json!({"action": "cancel"})),
    ] {
        peer.send(form(&id, &json!({"sessionId": "s1"}))).await;
        let SessionEvent::Question(asked) = events.next().await else { panic!("no question") };
        assert_eq!(asked.call.as_deref(), Some("c"));
        let Asking::Form(form) = &asked.asking else { panic!("no form") };
        assert_eq!(
            (form.message.as_str(), &form.schema["properties"]["f"]["type"]),
            ("Which?", &json!("boolean"))
        );
        assert!(connection.is_asking(asked.key));
        assert!(connection.answer(asked.key, given).await);
        assert!(!connection.is_asking(asked.key));
        assert_eq!(peer.recv().await, json!({"jsonrpc": "2.0", "id": id, "result": expected}));
    }
}

#[tokio::test]
async fn a_form_may_name_the_prompt_it_is_about_and_one_of_nobody_is_refused() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.recv().await["id"].clone();
    assert!(matches!(events.next().await, SessionEvent::Prompted { .. }));
    peer.send(form(&json!(1), &json!({"requestId": prompt}))).await;
    let SessionEvent::Question(asked) = events.next().await else { panic!("no question") };
    connection.answer(asked.key, Given::Cancelled).await;
    peer.recv().await;
    for scope in [
        json!({"requestId": 999}),
        json!({}),
        json!({"sessionId": "s1", "mode": "url"}),
        json!({"sessionId": "s1", "mode": null}),
    ] {
        peer.send(form(&json!(2), &scope)).await;
        assert_eq!(peer.recv().await["error"]["code"], -32602, "{scope}");
    }
    peer.send(form(&json!(3), &json!({"sessionId": "s9"}))).await;
    assert_eq!(peer.recv().await["result"], json!({"action": "cancel"}), "of a session that is not open");
}

#[tokio::test]
async fn a_permission_of_a_session_that_is_not_open_is_cancelled_at_once() {
    let (connection, mut peer, _events) = session(true, limits()).await;
    let ask = |session: &str| {
        json!({"id": 1, "method": "session/request_permission",
               "params": {"sessionId": session, "toolCall": {"toolCallId": "c"}, "options": []}})
    };
    peer.send(ask("other")).await;
    assert_eq!(peer.recv().await["result"], json!({"outcome": {"outcome": "cancelled"}}));
    connection.release("s1");
    peer.send(ask("s1")).await;
    assert_eq!(peer.recv().await["result"], json!({"outcome": {"outcome": "cancelled"}}));
    assert_eq!(connection.sessions(), 0);
}

#[tokio::test]
async fn requests_we_do_not_serve_are_refused_by_their_own_id() {
    let (connection, mut peer, _events) = session(true, limits()).await;
    for (id, method) in
        [(json!(0), "fs/list_directory"), (json!("t"), "terminal/resize"), (json!(-1), "_x/y")]
    {
        peer.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": {"path": "secret"}})).await;
        let refusal =
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "method not found"}});
        assert_eq!(peer.recv().await, refusal);
    }
    peer.send(json!({"jsonrpc": "2.0", "method": "_auth/status_update", "params": {}})).await;
    peer.send(json!({"jsonrpc": "2.0", "id": 5, "method": "session/request_permission", "params": {}})).await;
    assert_eq!(peer.recv().await["error"]["code"], -32602);
    assert_eq!((connection.counters().refused, connection.counters().ignored), (4, 1));
}

#[tokio::test]
async fn what_is_told_before_the_session_is_known_comes_first() {
    let (connection, mut peer) = connected(true, limits()).await;
    let (sink, events) = events(1);
    let mut events = crate::peer::Events(events);
    let (opened, ()) = tokio::join!(connection.new_session(Path::new("/ws"), sink), async {
        let request = peer.recv().await;
        peer.say("s1", "early ").await;
        peer.say("other", "lost").await;
        peer.say("s1", "bird ").await;
        peer.answer(
            &request,
            json!({"sessionId": "s1", "modes": {"currentModeId": "m", "availableModes": []}}),
        )
        .await;
        peer.say("s1", "late").await;
    });
    assert_eq!(opened.unwrap().modes.unwrap().current_mode_id.0.as_ref(), "m");
    assert_eq!([events.text().await, events.text().await, events.text().await].concat(), "early bird late");
}

#[tokio::test]
async fn history_told_by_a_load_is_counted_and_not_told_on() {
    let (connection, mut peer) = connected(true, limits()).await;
    let (sink, events) = events(8);
    let mut events = crate::peer::Events(events);
    let (opened, ()) = tokio::join!(connection.load_session("old", Path::new("/ws"), sink), async {
        let request = peer.expect("session/load").await;
        assert_eq!(request["params"], json!({"sessionId": "old", "cwd": "/ws", "mcpServers": []}));
        for n in 0..200 {
            peer.say("old", &n.to_string()).await;
        }
        peer.answer(&request, Value::Null).await;
    });
    let opened = opened.unwrap();
    assert_eq!((opened.session_id.as_str(), opened.config_options), ("old", None));
    assert_eq!(connection.counters().replayed, 200);
    peer.say("old", "new").await;
    assert_eq!(events.text().await, "new");
}

#[tokio::test]
async fn an_open_session_survives_a_resume_that_is_refused() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let (sink, _unused) = openscience_acp::events(8);
    let (opened, ()) = tokio::join!(connection.resume_session("s1", Path::new("/ws"), sink), async {
        let request = peer.expect("session/resume").await;
        peer.send(json!({"id": request["id"], "error": {"code": -32601, "message": "nope"}})).await;
    });
    let Err(AgentError::Refused { error, .. }) = opened else { panic!("{opened:?}") };
    assert_eq!((error.code, error.message.as_str()), (Some(-32601), "nope"));
    peer.say("s1", "still here").await;
    assert_eq!(events.text().await, "still here");
}

#[tokio::test]
async fn an_agent_that_wants_a_login_says_so() {
    let (connection, mut peer) = connected(true, limits()).await;
    let (sink, _unused) = events(8);
    let (opened, ()) = tokio::join!(connection.new_session(Path::new("/ws"), sink), async {
        let request = peer.recv().await;
        peer.send(
            json!({"id": request["id"], "error": {"code": -32000, "message": "Authentication required"}}),
        )
        .await;
    });
    let error = openscience_protocol::RunError::from(opened.unwrap_err());
    assert_eq!((error.code.as_str(), error.agent_code), ("auth_required", Some(-32000)));
}

#[tokio::test]
async fn options_are_set_by_id_and_switches_as_booleans() {
    let (connection, mut peer) = connected(true, limits()).await;
    let (sink, _events) = events(8);
    let options = json!([
        {"id": "model", "name": "Model", "type": "select", "category": "odd", "currentValue": "b",
         "options": [{"value": "a$|(x)", "name": "A"}]},
        {"id": "auto", "name": "Auto", "type": "boolean", "currentValue": false},
        {"id": "broken"}
    ]);
    let (opened, ()) = tokio::join!(connection.new_session(Path::new("/ws"), sink), async {
        let request = peer.recv().await;
        peer.answer(&request, json!({"sessionId": "s1", "configOptions": options})).await;
    });
    assert_eq!(opened.unwrap().config_options.unwrap().len(), 2);
    for (option, value, sent) in [
        ("model", "a$|(x)", json!({"sessionId": "s1", "configId": "model", "value": "a$|(x)"})),
        ("auto", "true", json!({"sessionId": "s1", "configId": "auto", "type": "boolean", "value": true})),
    ] {
        let (set, ()) = tokio::join!(connection.set_config_option("s1", option, value), async {
            let request = peer.expect("session/set_config_option").await;
            assert_eq!(request["params"], sent);
            peer.answer(&request, json!({"configOptions": options})).await;
        });
        assert_eq!(set.unwrap().unwrap().len(), 2);
    }
    let (set, ()) = tokio::join!(connection.set_mode("s1", "https://m#x"), async {
        let request = peer.expect("session/set_mode").await;
        assert_eq!(request["params"], json!({"sessionId": "s1", "modeId": "https://m#x"}));
        // What a language without null sends for an empty result.
        peer.send(json!({"jsonrpc": "2.0", "id": request["id"]})).await;
    });
    set.unwrap();
}

#[tokio::test]
async fn two_sessions_interleave_and_keep_their_own() {
    let (connection, mut peer, mut first) = session(false, limits()).await;
    let mut second = open(&connection, &mut peer, "s2", 64).await;
    connection.prompt("s1", turn(1), blocks("one")).unwrap();
    connection.prompt("s2", turn(2), blocks("two")).unwrap();
    let (one, two) = (peer.recv().await, peer.recv().await);
    for n in 0..5 {
        peer.say("s2", &format!("b{n}")).await;
        peer.say("s1", &format!("a{n}")).await;
    }
    peer.answer(&two, json!({"stopReason": "end_turn"})).await;
    peer.answer(&one, json!({"stopReason": "cancelled"})).await;
    let (text, end) = first.rest().await;
    assert_eq!((text.as_str(), answered(end).as_str()), ("a0a1a2a3a4", "cancelled"));
    let (text, end) = second.rest().await;
    assert_eq!((text.as_str(), answered(end).as_str()), ("b0b1b2b3b4", "end_turn"));
}

#[tokio::test]
async fn a_cancel_reaches_the_agent_behind_a_large_prompt_and_once() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let text = "x".repeat(10 << 20);
    connection.prompt("s1", turn(1), blocks(&text)).unwrap();
    connection.cancel("s1");
    // The agent talks while its stdin is full: neither side may block the other.
    peer.say("s1", "busy").await;
    assert_eq!(events.text().await, "busy");
    let prompt = peer.expect("session/prompt").await;
    assert_eq!(prompt["params"]["prompt"][0]["text"].as_str().unwrap().len(), text.len());
    assert_eq!(peer.expect("session/cancel").await["params"], json!({"sessionId": "s1"}));
    assert_eq!(events.prompted().await, turn(1));
    peer.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    assert_eq!(answered(events.rest().await.1), "cancelled");
}

#[tokio::test]
async fn a_prompt_is_told_as_written_before_what_answers_it() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    for n in 0..200 {
        connection.prompt("s1", turn(n), blocks("hi")).unwrap();
        let prompt = peer.recv().await;
        peer.say("s1", "x").await;
        peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
        assert_eq!(events.prompted().await, turn(n));
        assert_eq!(events.text().await, "x");
        assert!(
            matches!(events.next().await, SessionEvent::TurnEnded { turn: ended, .. } if ended == turn(n))
        );
    }
}

#[tokio::test]
async fn a_released_session_is_told_nothing_more() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = peer.recv().await;
    events.prompted().await;
    connection.release("s1");
    peer.say("s1", "stray").await;
    peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    // Answered after all of that was read.
    peer.send(json!({"id": 1, "method": "probe"})).await;
    peer.recv().await;
    assert_eq!(events.0.recv().await, None);
    assert_eq!((connection.live_turns(), connection.counters().unrouted), (0, 1));
    assert!(matches!(connection.prompt("s1", turn(2), blocks("hi")), Err(AgentError::UnknownSession)));
}

#[tokio::test(start_paused = true)]
async fn silence_ends_waiting_and_progress_renews_it() {
    let limits = AcpLimits { open_timeout: Duration::from_secs(30), ..limits() };
    let (connection, mut peer) = connected(true, limits).await;
    let (sink, _unused) = events(8);
    let start = Instant::now();
    let (opened, ()) = tokio::join!(connection.load_session("old", Path::new("/ws"), sink.clone()), async {
        let request = peer.recv().await;
        for _ in 0..90 {
            tokio::time::advance(Duration::from_secs(1)).await;
            peer.say("old", "history").await;
        }
        peer.answer(&request, json!({})).await;
    });
    opened.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(90));

    let start = Instant::now();
    let opened = connection.load_session("silent", Path::new("/ws"), sink).await;
    assert!(matches!(opened, Err(AgentError::Timeout { .. })), "{opened:?}");
    assert_eq!(start.elapsed(), Duration::from_secs(30));
}

#[tokio::test]
async fn an_agent_waits_once_so_many_bytes_of_a_session_wait() {
    const MIB: usize = 1 << 20;
    let (connection, mut peer) = connected(true, limits()).await;
    let (sink, mut events) = events_within(64, 2 * MIB);
    let (opened, ()) = tokio::join!(connection.new_session(Path::new("/ws"), sink), async {
        let request = peer.recv().await;
        peer.answer(&request, json!({"sessionId": "s1"})).await;
    });
    opened.unwrap();
    let output = |n: usize| {
        let text = format!("{n} {}", "x".repeat(MIB / 2));
        update("s1", &json!({"sessionUpdate": "tool_call_update", "toolCallId": "c", "rawOutput": text}))
    };
    // What it writes before anybody listens: the bound, one that waits for room, and what is in pipes.
    let mut written = 0;
    let writing = async {
        for n in 0..16 {
            peer.send(output(n)).await;
            written = n + 1;
        }
    };
    tokio::select! {
        biased;
        () = writing => panic!("nobody listens, and the agent wrote on"),
        () = stands_still(&connection) => {}
    }
    assert!((3..=6).contains(&written), "{written} of half a MiB");
    // Nothing is lost for that: the rest comes as it is read.
    for n in 0..written {
        let SessionEvent::Update(AgentUpdate::Known(known)) = events.recv().await.unwrap() else {
            panic!("{n}")
        };
        assert!(format!("{known:?}").contains(&format!("\"{n} xxx")), "{n}");
    }
}

/// Resolves once the connection has read nothing for some rounds of the scheduler.
async fn stands_still(connection: &openscience_acp::Connection) {
    let (mut frames, mut rounds) = (0, 0);
    while rounds < 10_000 {
        tokio::task::yield_now().await;
        let now = connection.counters().frames;
        rounds = if now == frames { rounds + 1 } else { 0 };
        frames = now;
    }
}

#[tokio::test]
async fn a_connection_tells_how_it_stands_and_what_happened() {
    let (connection, mut peer, mut events) = session(true, limits()).await;
    let news = connection.news();
    let stands = |prompted, busy| {
        let standing = connection.standing();
        let [session] = standing.sessions.as_slice() else { panic!("{standing:?}") };
        assert_eq!((session.prompted, session.busy, session.reopened), (prompted, busy, false));
        assert_eq!(standing.idle_since.is_none(), busy);
    };
    stands(false, false);
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    stands(true, true);
    assert!(!news.has_changed().unwrap());
    let prompt = peer.expect("session/prompt").await;
    peer.say("s1", "a").await;
    peer.say("other", "nobody's").await;
    peer.answer(&prompt, json!({"stopReason": "end_turn"})).await;
    events.rest().await;
    stands(true, false);
    assert!(news.has_changed().unwrap());
    let told: Vec<(u64, EventKind, Option<String>)> = connection
        .records()
        .into_iter()
        .map(|record| (record.number, record.note.kind, record.note.text))
        .collect();
    let text = |text: &str| Some(text.to_owned());
    assert_eq!(
        told,
        [
            (1, EventKind::System, None),
            (2, EventKind::System, None),
            (3, EventKind::Message, text("hi")),
            (4, EventKind::Message, text("a")),
            (5, EventKind::Stop, None),
        ]
    );
    let (sink, _old) = openscience_acp::events(8);
    let (opened, ()) = tokio::join!(connection.resume_session("old", Path::new("/ws"), sink), async {
        let request = peer.recv().await;
        peer.answer(&request, json!({})).await;
    });
    opened.unwrap();
    let standing = connection.standing();
    let reopened: Vec<bool> = standing.sessions.iter().map(|session| session.reopened).collect();
    assert_eq!((reopened, standing.latest.as_deref()), (vec![true, false], Some("old")));
}

#[tokio::test]
async fn a_turn_of_a_session_that_is_let_go_is_told_to_stop_once() {
    let (connection, mut peer, _events) = session(true, limits()).await;
    let _other = open(&connection, &mut peer, "s2", 64).await;
    for (session, n, asked) in [("s1", 1, false), ("s2", 2, true)] {
        connection.prompt(session, turn(n), blocks("hi")).unwrap();
        peer.expect("session/prompt").await;
        if asked {
            connection.cancel(session);
        }
        connection.release(session);
        assert_eq!(peer.expect("session/cancel").await["params"], json!({ "sessionId": session }));
    }
    connection.release("s1");
    peer.send(json!({"id": 1, "method": "probe"})).await;
    assert_eq!(peer.recv().await["id"], 1, "and nothing else is");
}
