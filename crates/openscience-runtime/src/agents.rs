//! Agents as people see them: which can be started, which processes are at work.

use openscience_protocol::AgentId;
use openscience_protocol::agent::{Agent, AgentConnection, ConnectionStatus};
use serde_json::Value;

use crate::Runtime;
use crate::connections::Shared;
use crate::request::AgentConfig;

impl Runtime {
    /// Agents that can be started, by id.
    pub fn agents(&self) -> Vec<Agent> {
        self.0.config.agents.iter().map(|(id, config)| self.view(id, config)).collect()
    }

    /// The agent of that id or alias.
    pub fn agent_named(&self, asked: &AgentId) -> Option<Agent> {
        let id = self.agent(asked)?;
        self.0.config.agents.get(&id).map(|config| self.view(&id, config))
    }

    fn view(&self, id: &AgentId, config: &AgentConfig) -> Agent {
        Agent {
            id: id.clone(),
            built_in: config.built_in,
            default: *id == self.0.config.default_agent,
            command: config.command.to_string_lossy().into_owned(),
            args: config.args.clone(),
            env: config.env.keys().cloned().collect(),
        }
    }

    /// Agent processes of this daemon, oldest first. One that ended by itself is told until another
    /// takes its place.
    pub fn agent_connections(&self) -> Vec<AgentConnection> {
        let mut all: Vec<AgentConnection> = self.0.connections.all().iter().map(connection).collect();
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all
    }

    /// Ends an agent process; turns it works on fail. False if there is none of that id.
    pub async fn stop_agent_connection(&self, id: &str) -> bool {
        self.0.connections.stop(id).await
    }
}

fn connection(shared: &Shared) -> AgentConnection {
    let connection = &shared.connection;
    let initialized = connection.initialized();
    let status = if connection.is_closed() { ConnectionStatus::Closed } else { ConnectionStatus::Connected };
    AgentConnection {
        id: shared.id.to_string(),
        agent: shared.key.agent.clone(),
        status,
        cwd: shared.key.directory.to_string_lossy().into_owned(),
        session_ids: connection.session_ids(),
        pid: connection.pid(),
        agent_info: initialized.agent_info.clone(),
        capabilities: serde_json::to_value(&initialized.capabilities).unwrap_or(Value::Null),
        auth_methods: initialized.auth_methods.clone(),
        stderr_tail: connection.stderr_tail(),
        counters: connection.counters(),
        prompt_in_flight: connection.live_turns() > 0,
    }
}
