//! How much is at work now, in numbers.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

use openscience_protocol::AgentId;

use crate::Runtime;

/// Numbers of this process at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Figures {
    /// Runs that are executed here.
    pub live_runs: usize,
    /// Open event streams.
    pub subscribers: usize,
    /// Sessions that are held in memory.
    pub sessions: usize,
    pub agents: BTreeMap<AgentId, AgentFigures>,
}

/// Numbers of one agent's processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AgentFigures {
    /// Processes that are started.
    pub processes: usize,
    /// Turns they have.
    pub turns: usize,
}

impl Runtime {
    /// How much is at work now.
    pub fn figures(&self) -> Figures {
        let inner = &self.0;
        let mut agents: BTreeMap<AgentId, AgentFigures> = BTreeMap::new();
        for shared in inner.connections.processes() {
            let figures = agents.entry(shared.key.agent.clone()).or_default();
            figures.processes += 1;
            figures.turns += shared.connection.live_turns();
        }
        Figures {
            live_runs: inner.live_runs.load(Ordering::Relaxed),
            subscribers: inner.subscribers.load(Ordering::Relaxed),
            sessions: inner.sessions.working().len(),
            agents,
        }
    }
}
