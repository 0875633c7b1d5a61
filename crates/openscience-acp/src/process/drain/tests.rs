use std::collections::HashSet;

use openscience_protocol::Limits;

use super::*;
use crate::channel::{EventStream, events};
use crate::launch::AcpLimits;
use crate::state::{LiveTurn, Route};
use crate::terminals::Ground;

const SECRET: &str = "sk-very-secret";

fn shared() -> Arc<Shared> {
    Shared::new(AcpLimits::from(&Limits::default()), Arc::new([SECRET.to_owned()]), true, Ground::default())
}

/// A session that has a turn.
fn working(shared: &Shared, number: u32, capacity: usize) -> EventStream {
    let (sink, events) = events(capacity);
    let mut state = shared.lock();
    let session = format!("s{number}");
    state
        .routes
        .insert(session.clone(), Route { sink, switches: HashSet::new(), prompted: true, reopened: false });
    state.turns.push(LiveTurn {
        request: i64::from(number),
        session,
        turn: format!("trn_{number}").parse().unwrap(),
        stderr_from: shared.stderr.mark(),
        stderr_told: 0,
        cancelled: false,
    });
    events
}

fn told(events: &mut EventStream) -> Vec<String> {
    let mut lines = Vec::new();
    while let Ok(event) = events.try_recv() {
        let SessionEvent::Update(AgentUpdate::Stderr(line)) = event else { panic!("{event:?}") };
        lines.push(line);
    }
    lines
}

#[tokio::test]
async fn lines_are_told_as_people_may_see_them() {
    let shared = shared();
    let mut events = working(&shared, 1, 64);
    let written = format!("one\r\n\n  \n\x1b[31mkey={SECRET}\x1b[0m\n þ \n{SECRET}\nno end");
    drain(Arc::clone(&shared), written.as_bytes()).await;
    assert_eq!(told(&mut events), ["one", "key=[masked]", " þ", "[masked]", "no end"]);
    assert!(shared.stderr.tail().ends_with("no end"));
}

#[tokio::test]
async fn a_line_is_told_to_the_one_session_that_has_a_turn_and_to_no_other() {
    let shared = shared();
    drain(Arc::clone(&shared), b"nobody\n".as_slice()).await;
    let mut first = working(&shared, 1, 64);
    drain(Arc::clone(&shared), b"first\n".as_slice()).await;
    let mut second = working(&shared, 2, 64);
    drain(Arc::clone(&shared), b"either\n".as_slice()).await;
    assert!(shared.lock().end_turn(&"trn_1".parse().unwrap()));
    drain(Arc::clone(&shared), b"second\n".as_slice()).await;
    shared.lock().routes.remove("s2");
    drain(Arc::clone(&shared), b"released\n".as_slice()).await;
    assert_eq!((told(&mut first), told(&mut second)), (vec!["first".to_owned()], vec!["second".to_owned()]));
    assert_eq!(shared.stderr.tail(), "nobody\nfirst\neither\nsecond\nreleased\n");
}

#[tokio::test(start_paused = true)]
async fn a_second_has_twenty_lines_and_a_turn_two_hundred() {
    let shared = shared();
    let mut events = working(&shared, 1, 1_000);
    let mut lines = Lines::new(&shared.secrets);
    let mut rate = Rate::default();
    let mut counts = Vec::new();
    for _ in 0..12 {
        lines.push("line\n".repeat(1_000).as_bytes(), |line| tell(&shared, &mut rate, line));
        counts.push(told(&mut events).len());
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    assert_eq!(counts, [20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 0, 0]);
    assert!(shared.lock().end_turn(&"trn_1".parse().unwrap()));
    let mut events = working(&shared, 2, 1_000);
    lines.push(b"line\n", |line| tell(&shared, &mut rate, line));
    assert_eq!(told(&mut events).len(), 1, "the next turn has its own");
}

#[tokio::test]
async fn a_full_sink_costs_lines_and_not_the_draining() {
    let shared = shared();
    let mut events = working(&shared, 1, 2);
    drain(Arc::clone(&shared), b"a\nb\nc\n".as_slice()).await;
    assert_eq!(told(&mut events), ["a", "b"]);
    drop(events);
    drain(Arc::clone(&shared), b"d\n".as_slice()).await;
    assert_eq!(shared.stderr.tail(), "a\nb\nc\nd\n");
}

#[test]
fn a_long_line_is_cut_and_never_within_a_secret() {
    let secrets = [SECRET.to_owned()];
    let check = |line: String| {
        let mut found = Vec::new();
        let mut lines = Lines::new(&secrets);
        for some in format!("{line}\nnext\n").as_bytes().chunks(1_000) {
            lines.push(some, |line| found.push(shown(line, &secrets)));
        }
        let [long, next] = found.as_slice() else { panic!("{}", found.len()) };
        assert!(long.len() <= LINE_BYTES && next == "next", "{} {next}", long.len());
        assert!(!long.contains("sk-"), "{long}");
        long.clone()
    };
    assert_eq!(check("é".repeat(100_000)).len(), LINE_BYTES);
    for before in LINE_BYTES - 20..=LINE_BYTES {
        let long = check(format!("{}{SECRET} after", "x".repeat(before)));
        assert!(long.len() >= LINE_BYTES - SECRET.len(), "{}", long.len());
    }
    check(SECRET.repeat(10_000));
}
