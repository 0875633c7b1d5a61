//! Agents as people see them: which can be started, which processes are at work.

use openscience_acp::{AgentExit, OpenSession, Record, Standing};
use openscience_protocol::agent::{
    Agent, AgentConnection, ConnectionCounters, ConnectionEvent, ConnectionSession, ConnectionStatus,
};
use openscience_protocol::row::DecisionState;
use openscience_protocol::{AgentId, PermissionRequest};
use openscience_store::StoreError;
use serde_json::{Map, Value};
use tokio::time::Instant;

use crate::connections::{Key, Seen, Shared};
use crate::{Runtime, clock};

impl Runtime {
    /// Agents that can be started, by id.
    pub fn agents(&self) -> Vec<Agent> {
        self.0.config.known_agents()
    }

    /// The agent of that id or alias.
    pub fn agent_named(&self, asked: &AgentId) -> Option<Agent> {
        self.agent(asked).map(|id| self.0.config.shown_agent(&id))
    }

    /// Agent processes of this daemon, oldest first, and those that are being started. One that ended by
    /// itself is told until another takes its place.
    pub async fn agent_connections(&self) -> Result<Vec<AgentConnection>, StoreError> {
        let mut seen = self.0.connections.seen();
        seen.sort_by(|a, b| a.id().cmp(b.id()));
        let mut all = Vec::with_capacity(seen.len());
        for seen in &seen {
            all.push(match seen {
                Seen::Started(shared) => self.connection(shared).await?,
                Seen::Waiting { id, key } => yet_to_come(id, key, ConnectionStatus::Idle),
                Seen::Connecting { id, key } => yet_to_come(id, key, ConnectionStatus::Connecting),
            });
        }
        Ok(all)
    }

    /// Ends an agent process; turns it works on fail. False if there is none of that id.
    pub async fn stop_agent_connection(&self, id: &str) -> bool {
        self.0.connections.stop(id).await
    }

    async fn connection(&self, shared: &Shared) -> Result<AgentConnection, StoreError> {
        let connection = &shared.connection;
        let standing = connection.standing();
        let initialized = connection.initialized();
        let (status, error) = status(connection.is_closed(), standing.exit.as_ref());
        let in_flight: Vec<String> =
            standing.sessions.iter().filter(|open| open.busy).map(|open| open.id.clone()).collect();
        let session = |open: &OpenSession| {
            Some(ConnectionSession { agent_session: open.id.clone(), session: open.of.clone()? })
        };
        Ok(AgentConnection {
            status,
            error,
            session_id: standing.latest.clone(),
            session_ids: standing.sessions.iter().map(|open| open.id.clone()).collect(),
            sessions: standing.sessions.iter().filter_map(session).collect(),
            events: events(shared, &connection.records()),
            pending_permissions: self.pending(&standing).await?,
            pid: connection.pid(),
            agent_info: initialized.agent_info.clone(),
            capabilities: serde_json::to_value(&initialized.capabilities).unwrap_or(Value::Null),
            auth_methods: initialized.auth_methods.clone(),
            stderr_tail: connection.stderr_tail(),
            counters: connection.counters(),
            prompt_in_flight: !in_flight.is_empty(),
            prompt_in_flight_session_ids: in_flight,
            ..yet_to_come(&shared.id, &shared.key, status)
        })
    }

    /// Permissions the agent waits for and people may answer, oldest first.
    async fn pending(&self, standing: &Standing) -> Result<Vec<PermissionRequest>, StoreError> {
        let mut rows = Vec::new();
        let asking = standing.sessions.iter().filter(|open| !open.asks.is_empty());
        for session in asking.filter_map(|open| open.of.as_ref()) {
            let open = self.0.store.open_decisions(session).await?;
            rows.extend(open.into_iter().filter(|row| row.state == DecisionState::Pending));
        }
        rows.sort_by(|a, b| (a.asked_at, &a.id).cmp(&(b.asked_at, &b.id)));
        Ok(rows.iter().filter_map(|row| row.permission().cloned()).collect())
    }
}

/// A process that ended by itself is in error if it says so.
fn status(closed: bool, exit: Option<&AgentExit>) -> (ConnectionStatus, Option<String>) {
    const WELL: &str = "exit status: 0";
    match exit {
        Some(exit) if exit.endless_line || exit.exit.as_deref().is_some_and(|status| status != WELL) => {
            (ConnectionStatus::Error, Some(exit.run_error(None).message))
        }
        Some(_) => (ConnectionStatus::Closed, None),
        None if closed => (ConnectionStatus::Closed, None),
        None => (ConnectionStatus::Connected, None),
    }
}

/// A process of which nothing is known yet.
fn yet_to_come(id: &str, key: &Key, status: ConnectionStatus) -> AgentConnection {
    AgentConnection {
        id: id.to_owned(),
        agent: key.agent.clone(),
        status,
        cwd: key.directory.to_string_lossy().into_owned(),
        session_id: None,
        session_ids: Vec::new(),
        sessions: Vec::new(),
        error: None,
        events: Vec::new(),
        pending_permissions: Vec::new(),
        pid: None,
        agent_info: None,
        capabilities: Value::Object(Map::new()),
        auth_methods: Value::Array(Vec::new()),
        stderr_tail: String::new(),
        counters: ConnectionCounters::default(),
        prompt_in_flight: false,
        prompt_in_flight_session_ids: Vec::new(),
    }
}

fn events(shared: &Shared, records: &[Record]) -> Vec<ConnectionEvent> {
    let (now, instant) = (clock::now(), Instant::now());
    let event = |record: &Record| {
        let age = i64::try_from(instant.duration_since(record.at).as_millis()).unwrap_or(i64::MAX);
        let note = record.note.clone();
        ConnectionEvent {
            id: format!("{}-event-{}", shared.id, record.number),
            kind: note.kind,
            level: note.level,
            timestamp: now.saturating_sub(age),
            session_id: record.session.clone(),
            title: note.title,
            text: note.text,
            role: note.role,
            message_id: note.message,
            tool_call_id: note.tool_call,
            tool_kind: note.tool_kind,
            status: note.status,
            stop_reason: note.stop_reason,
            raw: note.raw.and_then(|raw| serde_json::from_str(&raw).ok()),
            truncated: note.truncated.then_some(true),
        }
    };
    records.iter().map(event).collect()
}
