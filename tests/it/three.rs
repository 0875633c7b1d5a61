//! Do three daemons on one data directory keep their promises whatever is done to them at random?

use std::collections::{BTreeMap, BTreeSet};

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Daemon, Event, Prompt, Serve, eventually};

/// A small generator (SplitMix64): the same numbers everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }

    fn pick<'a, T>(&mut self, among: &'a [T]) -> &'a T {
        let index = usize::try_from(self.below(among.len() as u64)).expect("an index");
        among.get(index).expect("one of them")
    }
}

/// One thing that is done.
enum Step {
    Prompt(String),
    Cancel(String),
    /// Answers whatever waits in the session, in one way or another.
    Decide(bool),
    Abort,
}

/// A prompt whose text follows from its key: a repeated key is a retry.
fn prompt(key: &str) -> Prompt {
    let kind = key.bytes().map(u64::from).sum::<u64>() % 5;
    let text = ["say 3", "say 20 5", "ask make\nsay 1", "question Why? | a | b\nsay 1", "say 1\nhang"];
    let index = usize::try_from(kind).expect("an index");
    Prompt::text(text.get(index).expect("a text")).key(key)
}

/// Receipts of keys that were accepted, by session and key.
type Accepted = BTreeMap<(String, String), BTreeSet<String>>;

async fn step(daemon: &Daemon, id: &str, step: &Step) -> Option<(String, String)> {
    let session = daemon.session(id);
    match step {
        Step::Prompt(key) => {
            let reply = session.submit(&prompt(key)).await;
            match reply.status {
                202 => {
                    let run = reply.json(202)["runID"].as_str().expect("a run").to_owned();
                    return Some((key.clone(), run));
                }
                _ => drop(reply.refused(409)),
            }
        }
        Step::Cancel(run) => {
            let reply = session.cancel(run).await;
            assert!([200, 404].contains(&reply.status), "{}", reply.text());
        }
        Step::Abort => {
            let reply = daemon.post(&format!("/session/{id}/abort"), &json!({})).await;
            assert_eq!(reply.status, 200, "{}", reply.text());
        }
        Step::Decide(yes) => {
            let snapshot = session.snapshot().await;
            let waiting = |kind: &str| snapshot[kind].as_array().expect("a list").first().cloned();
            let reply = match (waiting("permissions"), waiting("questions")) {
                (Some(asked), _) => {
                    let reply = if *yes { "once" } else { "reject" };
                    session.reply(asked["id"].as_str().expect("an id"), reply).await
                }
                (None, Some(asked)) if *yes => session.tell(&asked, &json!([["a"]])).await,
                (None, Some(asked)) => session.dismiss(&asked).await,
                (None, None) => return None,
            };
            assert!([200, 409].contains(&reply.status), "{}", reply.text());
        }
    }
    None
}

/// What may be read of a session, the same at every daemon.
async fn check(daemons: &[Daemon], id: &str, accepted: &Accepted) {
    let mut seen: Option<(Vec<Event>, Value)> = None;
    for daemon in daemons {
        let session = daemon.session(id);
        let events = session.events(0).await;
        let runs = session.snapshot().await["runs"].clone();
        if let Some((events_before, runs_before)) = &seen {
            assert_eq!((&events, &runs), (events_before, runs_before), "every daemon shows the same");
        }
        seen = Some((events, runs));
    }
    let (events, runs) = seen.expect("a daemon");
    let sequences: Vec<u64> = events.iter().map(|event| event.sequence).collect();
    assert_eq!(sequences, (1..=events.len() as u64).collect::<Vec<_>>(), "no gap, no reuse");
    let runs = runs.as_array().expect("runs");
    let ids: BTreeSet<&str> = runs.iter().filter_map(|run| run["runID"].as_str()).collect();
    assert_eq!(ids.len(), runs.len());
    for run in &ids {
        let terminals = events.iter().filter(|event| event.run_id == *run && event.is_terminal()).count();
        let last = events.iter().rfind(|event| event.run_id == *run).expect("events of the run");
        assert!(terminals == 1 && last.is_terminal(), "one terminal event, the last: {run} {last:?}");
    }
    let told: BTreeSet<&str> = events.iter().map(|event| event.run_id.as_str()).collect();
    assert_eq!(told, ids, "every run is told");
    for event in
        events.iter().filter(|event| event.name.split_once('.').is_some_and(|(_, what)| what == "asked"))
    {
        let about = |other: &&Event| other.properties["requestID"] == event.properties["id"];
        assert_eq!(events.iter().filter(about).count(), 1, "answered or closed once: {event:?}");
    }
    for ((_, key), runs) in accepted.iter().filter(|((session, _), _)| session == id) {
        assert_eq!(runs.len(), 1, "one run per request key: {key} {runs:?}");
        let run = runs.first().expect("a run");
        assert!(ids.contains(run.as_str()), "{key} {run}");
        for daemon in daemons {
            let again = daemon.session(id).submit(&prompt(key)).await.json(202);
            assert_eq!(again["runID"], run.as_str(), "a retry finds its receipt anywhere");
        }
    }
    // A message for each prompt that was accepted, whatever was retried.
    let messages = daemons.first().expect("a daemon").session(id).messages().await;
    let users = messages.iter().filter(|message| message["info"]["role"] == "user").count();
    assert_eq!(users, accepted.keys().filter(|(session, _)| session == id).count());
}

async fn play(seed: u64) {
    let mut dice = Dice(seed);
    let limits = json!({"cancelEscalateMs": 500, "cancelSettleMs": 2_000});
    let serve = Serve::new().config(json!({"limits": limits}));
    let daemons = [serve.start().await, serve.start().await, serve.start().await];
    let first = daemons.first().expect("a daemon");
    let sessions = [first.new_session().await, first.new_session().await];
    let mut accepted = Accepted::new();
    for _ in 0..25 {
        let steps: Vec<(&Daemon, &String, Step)> = (0..4)
            .map(|_| {
                let id = dice.pick(&sessions);
                let runs: Vec<&String> = accepted
                    .iter()
                    .filter(|((session, _), _)| session == id)
                    .flat_map(|(_, runs)| runs)
                    .collect();
                let step = match dice.below(10) {
                    0..=4 => Step::Prompt(format!("k{}", dice.below(30))),
                    5..=6 if !runs.is_empty() => Step::Cancel((*dice.pick(&runs)).clone()),
                    7 if dice.below(4) == 0 => Step::Abort,
                    _ => Step::Decide(dice.below(2) == 0),
                };
                (dice.pick(&daemons), id, step)
            })
            .collect();
        let done = join_all(steps.iter().map(|(daemon, id, what)| step(daemon, id, what))).await;
        for ((_, id, _), found) in steps.iter().zip(done) {
            if let Some((key, run)) = found {
                accepted.entry(((*id).clone(), key)).or_default().insert(run);
            }
        }
    }
    for id in &sessions {
        let session = first.session(id);
        eventually("everything has ended", async || {
            first.post(&format!("/session/{id}/abort"), &json!({})).await.json(200);
            let snapshot = session.snapshot().await;
            let runs = snapshot["runs"].as_array().expect("runs").clone();
            runs.iter().all(|run| run["completedAt"].is_i64()).then_some(())
        })
        .await;
        check(&daemons, id, &accepted).await;
    }
}

#[tokio::test]
async fn what_is_done_at_random_through_three_daemons_is_admitted_joined_cancelled_and_settled_once() {
    for seed in [1, 20_261_130] {
        println!("seed {seed}");
        play(seed).await;
    }
}
