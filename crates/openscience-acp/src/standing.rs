//! How a connection stands: what is open there, what works, since when it rests.
//!
//! Tells and decides nothing: whether a process may be stopped is asked elsewhere.

use openscience_core::input::RequestKey;
use openscience_protocol::{SessionId, TurnId};
use tokio::sync::watch;
use tokio::time::Instant;

use crate::connection::Connection;
use crate::error::AgentExit;
use crate::record::Record;
use crate::state::End;

/// A session that is open at the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenSession {
    /// The agent's id of it.
    pub id: String,
    /// Whose events go there, as its sink was named.
    pub of: Option<SessionId>,
    /// The agent has had a prompt of it since it was opened here.
    pub prompted: bool,
    /// It was opened by a load or a resume, so that has worked.
    pub reopened: bool,
    /// A prompt is in flight.
    pub busy: bool,
    /// Permissions the agent waits for.
    pub asks: Vec<RequestKey>,
}

/// A connection at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct Standing {
    /// By the agent's ids.
    pub sessions: Vec<OpenSession>,
    /// The session opened or prompted last.
    pub latest: Option<String>,
    /// Since when no turn is live; none while one is.
    pub idle_since: Option<Instant>,
    /// How the process ended, if it did and nobody asked it to.
    pub exit: Option<AgentExit>,
}

impl Connection {
    /// How it stands now.
    pub fn standing(&self) -> Standing {
        let shared = &self.0.shared;
        let exit = shared.exit().borrow().clone().filter(|_| !shared.is_asked(End::Stop));
        let state = shared.lock();
        let mut sessions: Vec<OpenSession> = state
            .routes
            .iter()
            .map(|(id, route)| OpenSession {
                id: id.clone(),
                of: route.sink.session().cloned(),
                prompted: route.prompted,
                reopened: route.reopened,
                busy: state.turns.iter().any(|turn| turn.session == *id),
                asks: state.asks.iter().filter(|(_, ask)| ask.session == *id).map(|(key, _)| *key).collect(),
            })
            .collect();
        sessions.sort_by(|a, b| a.id.cmp(&b.id));
        let idle_since = state.turns.is_empty().then_some(state.idle_since);
        Standing { sessions, latest: state.latest.clone(), idle_since, exit }
    }

    /// The newest 500 things that happened, oldest first.
    pub fn records(&self) -> Vec<Record> {
        self.0.shared.lock().records.all()
    }

    /// Changes whenever a turn or a session goes.
    pub fn news(&self) -> watch::Receiver<()> {
        self.0.shared.lock().news.subscribe()
    }

    /// Resolves when that turn is not live, or the agent is gone.
    pub async fn turn_over(&self, turn: &TurnId) {
        let mut news = self.news();
        while self.0.shared.lock().turns.iter().any(|live| live.turn == *turn) {
            tokio::select! {
                _exit = self.closed() => return,
                Ok(()) = news.changed() => {}
            }
        }
    }

    /// Begins the time of rest anew: somebody had a use for it, whether or not there was a turn.
    pub fn touch(&self) {
        self.0.shared.lock().went();
    }
}
