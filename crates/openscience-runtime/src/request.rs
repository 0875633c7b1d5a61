//! What callers hand to the runtime.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

pub use openscience_acp::catalog::{Catalog, CatalogSettings, Way};
pub use openscience_core::input::OpenMethod;
use openscience_core::profile::Profile;
pub use openscience_core::session::Policy;
use openscience_protocol::prompt::ModelRef;
use openscience_protocol::session::Rule;
use openscience_protocol::{
    AgentId, AgentLaunch, Delivery, InitialConfig, Limits, McpServer, ProjectId, Session, SessionId,
    Workspace,
};

/// Everything the runtime needs to know, read once by the binary.
#[derive(Debug, Clone)]
pub struct RuntimeConfig {
    /// Holds the database, workspaces, logs and owner locks.
    pub data_dir: PathBuf,
    /// Directory of requests that name none. Absolute and canonical.
    pub default_directory: PathBuf,
    /// Version of this binary.
    pub version: String,
    /// Agents by id; the binary adds `sim`.
    pub agents: BTreeMap<AgentId, AgentConfig>,
    /// Agents that need no configuration.
    pub registry: Catalog,
    pub default_agent: AgentId,
    /// The model of prompts that name none, in sessions of the default agent.
    pub default_model: Option<ModelRef>,
    /// Configured permission rules, for every session.
    pub rules: Vec<Rule>,
    /// Configured MCP servers, for every session of an agent that can reach them.
    pub mcp_servers: Vec<McpServer>,
    /// Environment every agent starts with: an allow-list of ours.
    pub agent_environment: Vec<(String, String)>,
    /// This binary, to start agents through its `exec-child` step; none in tests that have no binary.
    pub exec_child: Option<PathBuf>,
    pub limits: Limits,
    /// What is done where nobody acts in time.
    pub policy: Policy,
}

/// How an agent is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentConfig {
    pub command: PathBuf,
    pub args: Vec<String>,
    pub env: BTreeMap<String, String>,
    /// The family whose ways it has; that of its id if absent.
    pub kind: Option<String>,
    /// Came with the binary.
    pub built_in: bool,
    /// Command, first arguments and variables are those of the registry, looked up at each start; `command` is empty.
    pub from_registry: bool,
    /// Tells all updates of a turn before it answers the prompt, so the answer need not be held.
    pub ordered: bool,
    /// How long it may take to start, if not as long as the limits say.
    pub start_timeout: Option<Duration>,
    /// How long a process of it may rest before it is stopped.
    pub idle_timeout: Duration,
    pub context_reset: ContextReset,
}

impl AgentConfig {
    /// An agent that is described with its session.
    pub fn described(launch: &AgentLaunch) -> Self {
        Self {
            command: PathBuf::from(&launch.command),
            args: launch.args.clone(),
            env: launch.env.clone(),
            kind: launch.kind.clone(),
            ..Self::plain()
        }
    }

    /// Nothing but what holds where nobody says otherwise.
    pub(crate) fn plain() -> Self {
        Self {
            command: PathBuf::new(),
            args: Vec::new(),
            env: BTreeMap::new(),
            kind: None,
            built_in: false,
            from_registry: false,
            ordered: false,
            start_timeout: None,
            idle_timeout: IDLE_TIMEOUT,
            context_reset: ContextReset::default(),
        }
    }

    /// The ways of its family. `id` is its own.
    pub fn profile(&self, id: &AgentId) -> &'static Profile {
        Profile::of(self.kind.as_deref().unwrap_or(id.as_str()))
    }
}

/// How long an agent's process may rest if nobody says otherwise.
pub const IDLE_TIMEOUT: Duration = Duration::from_mins(10);

/// What is done when an agent has lost a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ContextReset {
    /// It is told what was said, from our transcript.
    #[default]
    Transcript,
    /// The run fails.
    Fail,
}

/// The selectors of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Selector {
    pub project: Option<ProjectId>,
    /// Candidates as written, percent-decoded once more, and both without blanks around them, in that
    /// order; the first that is an existing absolute directory counts.
    pub directories: Vec<String>,
}

/// A selected project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selected {
    pub id: ProjectId,
    /// Canonical directory.
    pub directory: PathBuf,
}

/// What a new session should be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewSession {
    /// Makes the creation idempotent.
    pub id: Option<SessionId>,
    pub parent_id: Option<SessionId>,
    pub title: Option<String>,
    pub permission: Option<Vec<Rule>>,
    /// `None` means isolated for a new session, and anything for an existing one.
    pub workspace: Option<Workspace>,
    pub agent: Option<AgentChoice>,
    pub deadline_ms: Option<u64>,
    /// How its waiting turns are sent.
    pub delivery: Delivery,
    /// MCP servers its agent is given besides the configured ones.
    pub mcp_servers: Vec<McpServer>,
    /// Instructions its agent is opened with.
    pub system_prompt: Option<String>,
    /// How its agent is to be set when it is opened.
    pub initial_config: Option<InitialConfig>,
    /// A conversation of the agent that it takes over.
    pub adopt: Option<Adoption>,
}

/// Which agent a session is bound to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentChoice {
    /// A known one, by id or alias.
    Named(AgentId),
    /// One that is described with the session.
    Described(AgentLaunch),
}

/// A conversation that an agent holds already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adoption {
    /// The agent's id of it.
    pub agent_session: String,
    pub method: OpenMethod,
}

/// What a fork should be.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ForkInput {
    /// Makes the fork idempotent.
    pub id: Option<SessionId>,
    pub title: Option<String>,
}

/// What to change of a session. `Some(None)` clears.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionPatchInput {
    pub title: Option<String>,
    pub archived: Option<Option<i64>>,
    pub pinned: Option<Option<i64>>,
}

/// Which sessions to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionFilter {
    /// Only sessions without a parent.
    pub roots: bool,
    /// Updated at or after this time (ms).
    pub start: Option<i64>,
    /// Part of the title, case-insensitive.
    pub search: Option<String>,
    pub limit: Option<u32>,
    /// Only sessions listed after this one.
    pub before: Option<SessionId>,
    /// Only sessions of this agent, by id or alias.
    pub agent: Option<AgentId>,
}

/// A page of sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionPage {
    pub sessions: Vec<Session>,
    /// Pass as `before` for the next page; none on the last.
    pub next: Option<SessionId>,
}
