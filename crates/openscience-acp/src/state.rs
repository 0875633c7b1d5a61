//! What reader, writer and callers of one connection share: sessions, open
//! requests, what waits to be written, how it ends.
//!
//! One lock, held for moments and never across an await. It is not an actor
//! because cancelling and answering must work while a sink is full.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openscience_core::input::{AgentUpdate, RequestKey};
use openscience_protocol::TurnId;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{Notify, oneshot, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::channel::EventSink;
use crate::connection::Counters;
use crate::early::Early;
use crate::error::{AgentError, AgentExit};
use crate::handlers::AskKind;
use crate::launch::AcpLimits;
use crate::pending::Pending;
use crate::process::{Mark, Stderr};
use crate::record::{Note, Records};
use crate::terminals::{Ground, Terminals};
use crate::text;

/// How a connection was asked to end; a later one is stronger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum End {
    Run,
    Stop,
    Kill,
}

/// Messages that may wait to be written. Turns and sessions are bounded elsewhere; only an
/// agent that asks and never reads gets here.
const OUTBOX: usize = 4_096;

/// Bytes that may wait to be written.
const OUTBOX_BYTES: usize = 256 << 20;

/// Lines of noise kept.
const NOISE_LINES: usize = 50;

/// Characters kept of a line of noise.
const NOISE_CHARS: usize = 400;

/// What one connection's tasks and callers share.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<State>,
    pub(crate) limits: AcpLimits,
    pub(crate) secrets: Arc<[String]>,
    pub(crate) stderr: Stderr,
    /// What terminals start with.
    pub(crate) ground: Ground,
    /// Answers to prompts are not held.
    pub(crate) ordered: bool,
    /// A message waits to be written.
    pub(crate) outbox_ready: Notify,
    /// A prompt was written.
    pub(crate) prompted: Notify,
    /// The writer shall let go of stdin.
    pub(crate) close_stdin: CancellationToken,
    /// The agent closed a pipe, or writes what cannot be read on.
    pub(crate) pipe_closed: CancellationToken,
    /// The agent is gone; `exit` tells how.
    pub(crate) gone: CancellationToken,
    end: watch::Sender<End>,
    exit: watch::Sender<Option<AgentExit>>,
}

/// What the lock guards.
#[derive(Debug)]
pub(crate) struct State {
    last_id: i64,
    pub(crate) pending: HashMap<i64, Pending>,
    pub(crate) routes: HashMap<String, Route>,
    /// Sessions whose history is being told again, and how many requests wait for each.
    pub(crate) loading: HashMap<String, u64>,
    pub(crate) asks: HashMap<RequestKey, Ask>,
    pub(crate) terminals: Terminals,
    pub(crate) early: Early,
    /// Turns that have not ended, in order of their prompts.
    pub(crate) turns: Vec<LiveTurn>,
    /// Prompts that were written, for the reader to tell.
    pub(crate) marks: VecDeque<(String, TurnId)>,
    outbox: VecDeque<Outgoing>,
    outbox_bytes: usize,
    pub(crate) closed: bool,
    pub(crate) endless_line: bool,
    pub(crate) last_frame: Instant,
    pub(crate) counters: Counters,
    pub(crate) noise: VecDeque<String>,
    pub(crate) records: Records,
    /// The session that was opened or prompted last.
    pub(crate) latest: Option<String>,
    /// Since when no turn is live.
    pub(crate) idle_since: Instant,
    /// Told whenever a turn or a session goes.
    pub(crate) news: watch::Sender<()>,
}

/// Where the events of a session go.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) sink: EventSink,
    /// Options that are switches: their values go out as booleans.
    pub(crate) switches: HashSet<String>,
    /// The agent has had a prompt of it since it was opened here.
    pub(crate) prompted: bool,
    /// It was opened by a load or a resume.
    pub(crate) reopened: bool,
}

/// A request of the agent that waits for our answer.
#[derive(Debug)]
pub(crate) struct Ask {
    /// Its id, as it came.
    pub(crate) id: Box<RawValue>,
    pub(crate) session: String,
    pub(crate) kind: AskKind,
}

/// A turn the agent works on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LiveTurn {
    pub(crate) request: i64,
    pub(crate) session: String,
    pub(crate) turn: TurnId,
    /// What the agent wrote to stderr before is not of this turn.
    pub(crate) stderr_from: Mark,
    /// Lines of stderr its session was told.
    pub(crate) stderr_told: usize,
    /// The agent was told to stop it.
    pub(crate) cancelled: bool,
}

/// One message to the agent.
#[derive(Debug)]
pub(crate) struct Outgoing {
    pub(crate) line: Vec<u8>,
    pub(crate) written: Written,
}

/// Who wants to know that a message was written.
#[derive(Debug)]
pub(crate) enum Written {
    Nobody,
    Prompt { session: String, turn: TurnId },
    Answer(oneshot::Sender<()>),
}

impl Shared {
    pub(crate) fn new(limits: AcpLimits, secrets: Arc<[String]>, ordered: bool, ground: Ground) -> Arc<Self> {
        let state = State {
            last_id: 0,
            pending: HashMap::new(),
            routes: HashMap::new(),
            loading: HashMap::new(),
            asks: HashMap::new(),
            terminals: Terminals::default(),
            early: Early::new(limits.frame_bytes),
            turns: Vec::new(),
            marks: VecDeque::new(),
            outbox: VecDeque::new(),
            outbox_bytes: 0,
            closed: false,
            endless_line: false,
            last_frame: Instant::now(),
            counters: Counters::default(),
            noise: VecDeque::new(),
            records: Records::default(),
            latest: None,
            idle_since: Instant::now(),
            news: watch::Sender::new(()),
        };
        Arc::new(Self {
            state: Mutex::new(state),
            stderr: Stderr::new(limits.stderr_tail_bytes, Arc::clone(&secrets)),
            limits,
            secrets,
            ground,
            ordered,
            outbox_ready: Notify::new(),
            prompted: Notify::new(),
            close_stdin: CancellationToken::new(),
            pipe_closed: CancellationToken::new(),
            gone: CancellationToken::new(),
            end: watch::Sender::new(End::Run),
            exit: watch::Sender::new(None),
        })
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks for the end; a weaker wish than before changes nothing.
    pub(crate) fn ask(&self, end: End) {
        self.end.send_if_modified(|asked| {
            let stronger = end > *asked;
            *asked = (*asked).max(end);
            stronger
        });
    }

    /// Resolves once an end at least that strong was asked for.
    pub(crate) async fn asked(&self, end: End) {
        // The sender lives in self, so waiting cannot fail.
        self.end.subscribe().wait_for(|asked| *asked >= end).await.ok();
    }

    pub(crate) fn is_asked(&self, end: End) -> bool {
        *self.end.borrow() >= end
    }

    /// Tells everyone that the agent is gone.
    pub(crate) fn publish_exit(&self, mut exit: AgentExit) {
        {
            let mut state = self.lock();
            exit.endless_line = state.endless_line;
            // Some agents say why they leave on stdout.
            if exit.stderr.trim().is_empty() && !state.noise.is_empty() {
                exit.stderr = state.noise.make_contiguous().join("\n");
            }
        }
        self.exit.send_replace(Some(exit));
        self.gone.cancel();
    }

    pub(crate) fn exit(&self) -> watch::Receiver<Option<AgentExit>> {
        self.exit.subscribe()
    }

    /// How it ended; waits for that.
    pub(crate) async fn exited(&self) -> AgentExit {
        // The sender lives in self, so waiting cannot fail.
        self.exit().wait_for(Option::is_some).await.ok().and_then(|exit| exit.clone()).unwrap_or_default()
    }

    /// The tail of stderr since that turn began; empty if it is not live.
    pub(crate) fn stderr_of(&self, turn: &TurnId) -> String {
        let from = self.lock().turns.iter().find(|live| live.turn == *turn).map(|live| live.stderr_from);
        from.map(|from| self.stderr.tail_since(from)).unwrap_or_default()
    }

    /// Queues a message. False if the connection is closed or the agent does not read.
    pub(crate) fn enqueue(&self, state: &mut State, message: Outgoing) -> bool {
        if state.closed || self.close_stdin.is_cancelled() {
            return false;
        }
        if state.outbox.len() >= OUTBOX {
            // It asks and does not read the answers: it never will.
            self.pipe_closed.cancel();
            return false;
        }
        state.outbox_bytes += message.line.len();
        state.outbox.push_back(message);
        self.outbox_ready.notify_one();
        true
    }

    /// The next message to write.
    pub(crate) fn next_outgoing(&self) -> Option<Outgoing> {
        let mut state = self.lock();
        let next = state.outbox.pop_front()?;
        state.outbox_bytes -= next.line.len();
        Some(next)
    }

    /// Nothing will be written any more: those who wait for it learn that.
    pub(crate) fn drop_outbox(&self) {
        let dropped = {
            let mut state = self.lock();
            state.outbox_bytes = 0;
            std::mem::take(&mut state.outbox)
        };
        drop(dropped);
    }

    /// Keeps a line that is no message, for people to look at.
    pub(crate) fn keep_noise(&self, line: &[u8]) {
        let text = text::plain(&text::mask(&String::from_utf8_lossy(line), &self.secrets));
        let text = text::bounded_to(text.trim(), NOISE_CHARS);
        tracing::debug!(line = text, "agent wrote a line that is no message");
        let mut state = self.lock();
        if state.noise.len() >= NOISE_LINES {
            state.noise.pop_front();
        }
        state.noise.push_back(text);
    }
}

/// Where an update belongs.
#[derive(Debug)]
pub(crate) enum Place {
    Sink(EventSink, AgentUpdate),
    /// Kept for later, counted, or dropped.
    Nowhere,
}

impl State {
    /// A fresh id for a request of ours.
    pub(crate) fn next_id(&mut self) -> i64 {
        self.last_id += 1;
        self.last_id
    }

    /// True if so much waits that no prompt may be added.
    pub(crate) fn outbox_full(&self) -> bool {
        self.outbox.len() >= OUTBOX / 2 || self.outbox_bytes >= OUTBOX_BYTES
    }

    /// True if so much waits that noise is not worth an answer.
    pub(crate) fn outbox_busy(&self) -> bool {
        self.outbox.len() >= OUTBOX / 64
    }

    /// The session, if there is exactly one.
    pub(crate) fn only_session(&self) -> Option<String> {
        if self.routes.len() == 1 { self.routes.keys().next().cloned() } else { None }
    }

    /// The turn the agent works on and where its events go, if exactly one session has one.
    pub(crate) fn only_turn(&mut self) -> Option<(&mut LiveTurn, &Route)> {
        let (turn, others) = self.turns.split_last_mut()?;
        let alone = others.iter().all(|other| other.session == turn.session);
        let route = self.routes.get(&turn.session).filter(|_| alone)?;
        Some((turn, route))
    }

    /// Decides where an update goes that took `bytes` on the wire.
    /// `raw` is the update as it came.
    pub(crate) fn place(
        &mut self,
        session: &str,
        update: AgentUpdate,
        raw: Option<&str>,
        bytes: usize,
        now: Instant,
    ) -> Place {
        if self.loading.contains_key(session) {
            self.counters.replayed += 1;
            return match self.history(session) {
                Some(sink) => Place::Sink(sink, update),
                None => Place::Nowhere,
            };
        }
        if let Some(route) = self.routes.get(session) {
            let sink = route.sink.clone();
            self.record_update(session, &update, raw, now);
            return Place::Sink(sink, update);
        }
        let opening =
            self.pending.values().any(|pending| matches!(pending, Pending::Open { session: None, .. }));
        if opening {
            self.counters.early_dropped += self.early.push(session, update, bytes, now);
        } else {
            self.counters.unrouted += 1;
        }
        Place::Nowhere
    }

    /// Where the history of a session goes that is being loaded.
    fn history(&self, session: &str) -> Option<EventSink> {
        self.pending.values().find_map(|pending| match pending {
            Pending::Open { session: Some(loading), history, .. } if loading == session => history.clone(),
            Pending::Open { .. } | Pending::Call(_) | Pending::Prompt { .. } => None,
        })
    }

    /// Forgets that a load waits.
    pub(crate) fn loaded(&mut self, session: &str) {
        if let Some(waiting) = self.loading.get_mut(session) {
            *waiting -= 1;
            if *waiting == 0 {
                self.loading.remove(session);
            }
        }
    }

    /// Takes a turn out of the live ones. False if it was none.
    pub(crate) fn end_turn(&mut self, turn: &TurnId) -> bool {
        let before = self.turns.len();
        self.turns.retain(|live| live.turn != *turn);
        let was_live = self.turns.len() < before;
        if was_live {
            self.went();
        }
        was_live
    }

    /// A turn or a session is gone: who waits for a process at rest may look again.
    pub(crate) fn went(&mut self) {
        if self.turns.is_empty() {
            self.idle_since = Instant::now();
        }
        self.news.send_replace(());
    }

    /// Keeps what happened for people to see.
    pub(crate) fn record(&mut self, session: Option<&str>, note: Note) {
        self.records.push(session, note, Instant::now());
    }

    pub(crate) fn record_update(
        &mut self,
        session: &str,
        update: &AgentUpdate,
        raw: Option<&str>,
        now: Instant,
    ) {
        if let Some(note) = Note::update(update, raw) {
            self.records.push(Some(session), note, now);
        }
    }
}

/// One line with a request (`id`) or a notification.
pub(crate) fn call_line(
    id: Option<i64>,
    method: &str,
    params: &impl Serialize,
) -> Result<Vec<u8>, AgentError> {
    #[derive(Serialize)]
    struct Call<'a, P> {
        jsonrpc: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<i64>,
        method: &'a str,
        params: &'a P,
    }
    line(&Call { jsonrpc: "2.0", id, method, params })
}

/// One line with an answer to the agent's request.
pub(crate) fn answer_line(id: &RawValue, result: &impl Serialize) -> Result<Vec<u8>, AgentError> {
    #[derive(Serialize)]
    struct Answer<'a, R> {
        jsonrpc: &'static str,
        id: &'a RawValue,
        result: &'a R,
    }
    line(&Answer { jsonrpc: "2.0", id, result })
}

/// One line with a refusal. Never repeats what the agent sent.
pub(crate) fn refusal_line(id: Option<&RawValue>, code: i32, message: &str) -> Result<Vec<u8>, AgentError> {
    #[derive(Serialize)]
    struct Refusal<'a> {
        jsonrpc: &'static str,
        id: Option<&'a RawValue>,
        error: Reason<'a>,
    }
    #[derive(Serialize)]
    struct Reason<'a> {
        code: i32,
        message: &'a str,
    }
    line(&Refusal { jsonrpc: "2.0", id, error: Reason { code, message } })
}

fn line(message: &impl Serialize) -> Result<Vec<u8>, AgentError> {
    let mut line = serde_json::to_vec(message).map_err(AgentError::Encode)?;
    line.push(b'\n');
    Ok(line)
}
