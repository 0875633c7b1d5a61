//! The read model of a session: read, followed, and what people may do with its terminals.
//!
//! Derived anew from the rows whenever something was committed, and not more often than that pays: whoever follows is told
//! what differs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::Stream;
use openscience_core::answer::Answer;
use openscience_core::read_model::{self, Known};
use openscience_protocol::SessionId;
use openscience_protocol::row::TerminalRow;
use openscience_protocol::state::{SessionState, StateEvent, StateTerminal};
use openscience_store::StoreError;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep, timeout};

use crate::Runtime;
use crate::actor::ActorError;
use crate::ask::Request;
use crate::error::{FollowError, StateError};
use crate::heads::Follower;
use crate::reader::Subscription;
use crate::request::Selected;
use crate::shared::Inner;

/// Shortest time between two looks of one follower.
const PAUSE: Duration = Duration::from_millis(100);

/// A follower rests so many times as long as its last look took: a long session costs no more than a short one.
const REST: u32 = 4;

/// How long the end of a terminal that was let go may be on its way to the store.
const ON_ITS_WAY: Duration = Duration::from_millis(500);

/// How long a command that is being ended may take to do so.
const ENDING: Duration = Duration::from_secs(3);

/// What may be done with a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalVerb {
    /// Look at its output.
    Refresh,
    /// The same once its command has ended, or after that time.
    Wait(Duration),
    /// Ask its command to end.
    Kill,
    /// End its command; the agent cannot ask for it any more.
    Release,
}

impl Runtime {
    /// Everything that is known of a session.
    pub async fn state(&self, project: &Selected, session: &SessionId) -> Result<SessionState, StateError> {
        self.in_project(project, session).await?;
        self.flush(session).await;
        let state = look(&self.0, session, |state| state).await?;
        state.ok_or_else(|| StateError::SessionNotFound(session.clone()))
    }

    /// What comes and changes in the read model from now on, each as one SSE frame. Ends with the session.
    pub async fn follow_state(
        &self,
        project: &Selected,
        session: &SessionId,
    ) -> Result<impl Stream<Item = Bytes> + Send + use<>, FollowError> {
        if self.is_stopping() {
            return Err(FollowError::ShuttingDown);
        }
        let max = self.0.config.limits.max_subscribers;
        let open = Subscription::open(&self.0.subscribers, max).ok_or(FollowError::TooManySubscribers)?;
        self.in_project(project, session).await.map_err(|error| match error {
            StateError::Store(error) => FollowError::Store(error),
            StateError::SessionNotFound(_) | StateError::TerminalNotFound | StateError::ShuttingDown => {
                FollowError::SessionNotFound(session.clone())
            }
        })?;
        // Subscribed before the first look: what is committed meanwhile wakes it.
        let head = self.0.heads.subscribe(session);
        let first = look(&self.0, session, |state| {
            let mut known = Known::default();
            known.news(&state);
            known
        });
        let known = first.await?.ok_or_else(|| FollowError::SessionNotFound(session.clone()))?;
        let (inner, session) = (Arc::clone(&self.0), session.clone());
        let follower = StateFollower { inner, session, head, known, pause: PAUSE, _open: open };
        Ok(futures_util::stream::unfold(follower, |mut follower| async move {
            let frames = follower.next().await?;
            Some((frames, follower))
        }))
    }

    /// One terminal, after something was done with it.
    pub async fn terminal(
        &self,
        project: &Selected,
        session: &SessionId,
        id: &str,
        verb: TerminalVerb,
    ) -> Result<StateTerminal, StateError> {
        if self.is_stopping() {
            return Err(StateError::ShuttingDown);
        }
        self.in_project(project, session).await?;
        let Some(handle) = self.0.connections.terminal(session, id) else {
            let row = self.last_seen(session, id).await?;
            return self.shown(session, &row, false).await;
        };
        match verb {
            TerminalVerb::Refresh => {}
            TerminalVerb::Wait(limit) => {
                tokio::select! {
                    _in_time = timeout(limit, handle.ended()) => {}
                    () = self.stopping() => return Err(StateError::ShuttingDown),
                }
            }
            TerminalVerb::Kill => handle.kill(),
            TerminalVerb::Release => {
                handle.release();
                // It is being ended: its end belongs to what is kept of it.
                drop(timeout(ENDING, handle.ended()).await);
            }
        }
        match self.ask(project, session, Request::LookAt(Box::new(handle.seen()))).await {
            Ok(Answer::Terminal(row)) => self.shown(session, &row, true).await,
            Ok(_) => Err(StateError::Store(StoreError::Closed)),
            // Released meanwhile.
            Err(ActorError::Refused(_)) => {
                let row = self.store_terminal(session, id).await?;
                self.shown(session, &row, false).await
            }
            Err(ActorError::NotFound | ActorError::TooMany) => {
                Err(StateError::SessionNotFound(session.clone()))
            }
            Err(ActorError::Store(error)) => Err(StateError::Store(error)),
        }
    }

    /// A terminal that nobody has any more. Of one just let go the end may still be on its way to the store.
    async fn last_seen(&self, session: &SessionId, id: &str) -> Result<TerminalRow, StateError> {
        let mut head = self.0.heads.subscribe(session);
        loop {
            let row = self.store_terminal(session, id).await?;
            if !row.is_running() || !matches!(timeout(ON_ITS_WAY, head.changed()).await, Ok(Ok(()))) {
                return Ok(row);
            }
        }
    }

    async fn store_terminal(&self, session: &SessionId, id: &str) -> Result<TerminalRow, StateError> {
        self.0.store.terminal(session, id).await?.ok_or(StateError::TerminalNotFound)
    }

    async fn shown(
        &self,
        session: &SessionId,
        row: &TerminalRow,
        held: bool,
    ) -> Result<StateTerminal, StateError> {
        let messages = self.0.store.messages(session, None).await?;
        Ok(read_model::terminal(row, held, read_model::shown_by(&messages, &row.id)))
    }

    async fn in_project(&self, project: &Selected, session: &SessionId) -> Result<(), StateError> {
        let row = self.0.store.session(session).await?.filter(|row| row.project_id == project.id);
        row.map(|_| ()).ok_or_else(|| StateError::SessionNotFound(session.clone()))
    }
}

/// Derives the read model and makes something of it; none if the session is gone.
async fn look<T: Send + 'static>(
    inner: &Inner,
    session: &SessionId,
    make: impl FnOnce(SessionState) -> T + Send + 'static,
) -> Result<Option<T>, StoreError> {
    // All rows of a session are in memory meanwhile: only so many at once. It is never closed.
    let _turn = inner.looks.acquire().await.ok();
    let Some(rows) = inner.store.state(session).await? else { return Ok(None) };
    let held: BTreeSet<String> = inner.connections.terminals(session).into_iter().collect();
    // Of a long session it takes longer than an async thread may.
    let derived = spawn_blocking(move || make(read_model::derive(&rows, &held))).await;
    derived.map(Some).map_err(|_| StoreError::Closed)
}

/// One who follows; counts as a subscriber while it lives.
struct StateFollower {
    inner: Arc<Inner>,
    session: SessionId,
    head: Follower,
    known: Known,
    pause: Duration,
    _open: Subscription,
}

impl StateFollower {
    /// What is new, once something is; none once the session is gone.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            self.head.changed().await.ok()?;
            sleep(self.pause).await;
            let start = Instant::now();
            let mut known = std::mem::take(&mut self.known);
            let looked = look(&self.inner, &self.session, move |state| {
                let news = known.news(&state);
                (known, state.revision, news)
            });
            let (known, revision, news) = match looked.await {
                Ok(looked) => looked?,
                Err(error) => {
                    tracing::warn!(session.id = %self.session, %error, "the read model cannot be followed on");
                    return None;
                }
            };
            self.known = known;
            self.pause = PAUSE.max(start.elapsed() * REST);
            if news.is_empty() {
                continue;
            }
            let mut frames = BytesMut::new();
            for update in news {
                let name = update.name();
                let event = StateEvent { revision, update };
                let Ok(data) = serde_json::to_string(&event) else { continue };
                for piece in ["event: ", name, "\ndata: ", &data, "\n\n"] {
                    frames.put_slice(piece.as_bytes());
                }
            }
            return Some(frames.freeze());
        }
    }
}
