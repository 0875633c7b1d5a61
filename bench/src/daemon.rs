//! The daemon's interface, as far as the cases need it.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use memchr::memmem;
use reqwest::Client;
use serde_json::{Value, json};

use crate::load::{self, Request};
use crate::sse::Reader;
use crate::subject::Subject;

/// Longer than any run a case starts.
const RUN_MAX: Duration = Duration::from_mins(2);
const POLL: Duration = Duration::from_millis(10);

/// Which agent answers in a session.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Agent {
    /// The simulator.
    Simulator,
    /// A process that never says a word: what is measured ends with the admission.
    Stub,
}

impl Agent {
    fn id(self) -> &'static str {
        match self {
            Self::Simulator => "sim",
            Self::Stub => "stub",
        }
    }

    /// Making a folder for the agent is not part of an admission.
    fn workspace(self) -> &'static str {
        match self {
            Self::Simulator => "isolated",
            Self::Stub => "project",
        }
    }
}

pub(crate) fn create(daemon: &Subject, title: &str, agent: Agent) -> Request {
    let body = json!({"title": title, "agent": agent.id(), "workspace": agent.workspace()});
    Request::post(daemon.url("/session"), body.to_string())
}

pub(crate) fn prompt(daemon: &Subject, session: &str, key: &str, message: &str) -> Request {
    let body = json!({"sessionID": session, "requestID": key, "effort": "normal", "message": message});
    Request::post(daemon.url("/runtime/prompt"), body.to_string())
}

pub(crate) fn events_path(session: &str, after: Option<u64>) -> String {
    let cursor = after.map(|after| format!("&afterSequence={after}")).unwrap_or_default();
    format!("/runtime/events?sessionID={session}{cursor}")
}

/// Makes sessions and returns their ids.
pub(crate) async fn sessions(
    client: &Client,
    daemon: &Subject,
    agent: Agent,
    count: usize,
) -> anyhow::Result<Vec<String>> {
    let mut ids = Vec::with_capacity(count);
    for number in 0..count {
        let answer = load::send(client, &create(daemon, &format!("session {number}"), agent)).await?;
        let answer: Value = serde_json::from_slice(&answer)?;
        ids.push(answer.get("id").and_then(Value::as_str).context("a session has no id")?.to_owned());
    }
    Ok(ids)
}

/// One session.
pub(crate) async fn session(client: &Client, daemon: &Subject, agent: Agent) -> anyhow::Result<String> {
    sessions(client, daemon, agent, 1).await?.pop().context("no session was made")
}

/// Waits until no run of the session is live; the sequence of its newest event.
pub(crate) async fn settled(client: &Client, daemon: &Subject, session: &str) -> anyhow::Result<u64> {
    let request = Request::get(daemon.url(&format!("/runtime/snapshot?sessionID={session}")));
    let wait = async {
        loop {
            let snapshot: Value = serde_json::from_slice(&load::send(client, &request).await?)?;
            let runs = snapshot.get("runs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
            let state = |run: &Value| run.get("state").and_then(Value::as_str).unwrap_or_default().to_owned();
            let states: Vec<String> = runs.iter().map(state).collect();
            if states.iter().all(|state| state == "completed") {
                return snapshot.get("latestSequence").and_then(Value::as_u64).context("no latestSequence");
            }
            let live =
                states.iter().all(|state| ["completed", "accepted", "running"].contains(&state.as_str()));
            ensure!(live, "a run did not complete: {snapshot}");
            tokio::time::sleep(POLL).await;
        }
    };
    tokio::time::timeout(RUN_MAX, wait).await.context("a run takes too long")?
}

/// Runs a prompt to its end.
pub(crate) async fn run(
    client: &Client,
    daemon: &Subject,
    session: &str,
    message: &str,
) -> anyhow::Result<u64> {
    let key = format!("key of {message}");
    load::send(client, &prompt(daemon, session, &key, message)).await?;
    settled(client, daemon, session).await
}

/// What one client saw of a run.
#[derive(Debug)]
pub(crate) struct Watched {
    /// From sending the prompt until the end had arrived.
    pub(crate) elapsed_s: f64,
    pub(crate) events: usize,
    /// Of the stream, frames included.
    pub(crate) bytes: usize,
    pub(crate) text: Vec<u8>,
}

/// Runs a prompt and follows it live. The agent is at work already: starting it is not measured.
pub(crate) async fn watch(
    client: &Client,
    daemon: &Subject,
    session: &str,
    message: &str,
) -> anyhow::Result<Watched> {
    let latest = run(client, daemon, session, "say 1").await?;
    let mut reader = Reader::open(daemon.address, &events_path(session, Some(latest))).await?;
    let began = Instant::now();
    load::send(client, &prompt(daemon, session, "the one that is watched", message)).await?;
    let end = reader.until(b"event: runtime.completed", 1);
    tokio::time::timeout(RUN_MAX, end).await.context("a run takes too long")??;
    let elapsed_s = began.elapsed().as_secs_f64();
    let events = reader.sequences()?.len();
    Ok(Watched { elapsed_s, events, bytes: reader.body.len(), text: reader.body })
}

impl Watched {
    pub(crate) fn saw(&self, text: &str) -> bool {
        memmem::find(&self.text, text.as_bytes()).is_some()
    }
}
