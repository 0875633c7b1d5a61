use std::collections::BTreeMap;
use std::path::Path;

use futures_util::{FutureExt as _, StreamExt as _};
use openscience_protocol::row::{Append, NewEvent};
use openscience_protocol::{AgentId, Limits};
use tempfile::TempDir;

use super::*;
use crate::Runtime;
use crate::request::{Catalog, NewSession, RuntimeConfig, Selected, Selector};

fn config(root: &Path) -> RuntimeConfig {
    RuntimeConfig {
        data_dir: root.join("data"),
        default_directory: root.canonicalize().unwrap(),
        version: "1".to_owned(),
        agents: BTreeMap::new(),
        registry: Catalog::disabled(),
        default_agent: AgentId::from("sim"),
        default_model: None,
        rules: Vec::new(),
        mcp_servers: Vec::new(),
        policy: openscience_core::session::Policy::default(),
        agent_environment: Vec::new(),
        exec_child: None,
        limits: Limits::default(),
    }
}

/// A runtime with one session, whose journal the test writes itself.
struct Log {
    runtime: Runtime,
    project: Selected,
    session: SessionId,
    _root: TempDir,
}

impl Log {
    async fn new() -> Self {
        let root = TempDir::new().unwrap();
        let runtime = Runtime::start(config(root.path())).await.unwrap();
        let project = runtime.select(Selector::default()).await.unwrap();
        let (session, _) = runtime.create_session(&project, NewSession::default()).await.unwrap();
        Self { runtime, project, session: session.id, _root: root }
    }

    /// Commits so many events and tells nobody: what another process does.
    async fn commit(&self, count: usize) -> (Sequence, Vec<NewEvent>) {
        let event = || NewEvent { event_type: "t", body: r#"{"type":"t"}"#.to_owned() };
        let events: Vec<NewEvent> = std::iter::repeat_with(event).take(count).collect();
        let append = Append {
            session: self.session.clone(),
            expected_revision: 0,
            bump: false,
            new_messages: 0,
            writes: Vec::new(),
            events: events.clone(),
            relies_on: Vec::new(),
        };
        (self.runtime.0.store.append(append).await.unwrap().latest_sequence, events)
    }

    /// Commits and tells, as an actor does.
    async fn write(&self, count: usize) {
        let (latest, events) = self.commit(count).await;
        self.runtime.0.heads.publish_events(&self.session, latest, &events);
    }

    async fn follow(&self, after: Sequence) -> impl Stream<Item = Result<Frames, ReadError>> + Unpin {
        Box::pin(self.runtime.follow(&self.project, &self.session, Some(after)).await.unwrap())
    }
}

/// The sequences of the next frames, which must go on after `seen`.
async fn next(
    stream: &mut (impl Stream<Item = Result<Frames, ReadError>> + Unpin),
    seen: Sequence,
) -> Sequence {
    let frames = stream.next().await.unwrap().unwrap();
    let text = String::from_utf8(frames.bytes.to_vec()).unwrap();
    let ids = text.lines().filter_map(|line| line.strip_prefix("id: ")?.parse::<Sequence>().ok());
    assert_eq!(ids.collect::<Vec<_>>(), (seen + 1..=frames.last).collect::<Vec<_>>());
    frames.last
}

#[tokio::test]
async fn what_is_committed_between_the_cursor_and_the_first_look_is_told() {
    for told in [true, false] {
        let log = Log::new().await;
        log.write(3).await;
        let mut stream = log.follow(3).await;
        // The run ends before anyone has polled the stream.
        if told {
            log.write(2).await;
        } else {
            drop(log.commit(2).await);
        }
        assert_eq!(next(&mut stream, 3).await, 5);
        assert!(stream.next().now_or_never().is_none(), "then it waits");
    }
}

#[tokio::test]
async fn what_is_committed_between_two_looks_is_told() {
    let log = Log::new().await;
    let mut stream = log.follow(0).await;
    log.write(2).await;
    assert_eq!(next(&mut stream, 0).await, 2);
    // Told without its frames, then with them, then after frames that the reader has not got.
    let (latest, _) = log.commit(1).await;
    log.runtime.0.heads.publish(&log.session, latest);
    assert_eq!(next(&mut stream, 2).await, 3);
    log.write(1).await;
    assert_eq!(next(&mut stream, 3).await, 4);
    drop(log.commit(1).await);
    log.write(1).await;
    assert_eq!(next(&mut stream, 4).await, 6);
}

#[tokio::test]
async fn readers_of_any_pace_are_told_every_event_once_and_in_order() {
    let log = Log::new().await;
    let mut readers = [log.follow(0).await, log.follow(0).await, log.follow(0).await];
    let mut seen = [0; 3];
    for round in 1..=60 {
        log.write(round % 7 + 1).await;
        for (pace, (reader, seen)) in readers.iter_mut().zip(&mut seen).enumerate() {
            if round % (pace * 5 + 1) == 0 {
                *seen = next(reader, *seen).await;
            }
        }
    }
    let latest = log.runtime.0.store.session(&log.session).await.unwrap().unwrap().latest_sequence;
    for (reader, seen) in readers.iter_mut().zip(&mut seen) {
        while *seen < latest {
            *seen = next(reader, *seen).await;
        }
    }
}

#[tokio::test]
async fn a_reader_that_pruning_has_overtaken_ends_and_skips_nothing() {
    let log = Log::new().await;
    log.write(10).await;
    let mut stream = log.follow(0).await;
    assert_eq!(next(&mut stream, 0).await, 10);
    drop(log.commit(2_048).await);
    log.runtime.0.heads.publish(&log.session, 2_058);
    assert_eq!(next(&mut stream, 10).await, 10 + i64::from(PAGE_EVENTS), "nothing it needs is gone yet");
    drop(log.commit(2_048).await);
    let overtaken = stream.next().await.unwrap();
    assert!(matches!(overtaken, Err(ReadError::Overtaken)), "{overtaken:?}");
    assert!(stream.next().await.is_none());
}

#[tokio::test]
async fn a_stream_ends_with_its_session() {
    let log = Log::new().await;
    log.write(1).await;
    let mut stream = log.follow(0).await;
    assert_eq!(next(&mut stream, 0).await, 1);
    log.runtime.delete_session(&log.project, &log.session).await.unwrap();
    assert!(!matches!(stream.next().await, Some(Ok(_))));
}

#[tokio::test]
async fn a_stream_that_was_told_its_session_is_gone_ends_whatever_the_log_says() {
    let log = Log::new().await;
    log.write(1).await;
    let mut stream = log.follow(0).await;
    assert_eq!(next(&mut stream, 0).await, 1);
    log.runtime.0.heads.gone(&log.session);
    drop(log.commit(1).await);
    assert_eq!(next(&mut stream, 1).await, 2, "what is there is told");
    assert!(stream.next().await.is_none());
}
