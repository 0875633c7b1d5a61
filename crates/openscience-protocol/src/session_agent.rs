//! The agent of a session as clients see it, and what an agent knows without one.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::agent_config::ConfigReport;
use crate::{AgentId, Millis, RunError, SessionId};

/// The agent of a session: how it is started, what it told of itself, how it is set.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionAgent {
    #[schema(value_type = String)]
    pub agent: AgentId,
    /// The family whose ways it has, if that is known.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Absent if the agent is not configured any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    pub args: Vec<String>,
    /// Names of the configured variables; never their values.
    pub env: Vec<String>,
    /// The conversation is open on a process of this daemon.
    pub open: bool,
    /// The agent's id of the conversation; absent before there is one.
    #[serde(rename = "agentSessionID", skip_serializing_if = "Option::is_none")]
    pub agent_session: Option<String>,
    /// Name and version, as it told them when it was opened last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub agent_info: Option<Value>,
    /// As it told them when it was opened last.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub capabilities: Option<Value>,
    pub auth_methods: Vec<AgentLogin>,
    pub metadata: SessionMetadata,
    /// What came of the initial configuration; absent if there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_config_report: Option<ConfigReport>,
    pub diagnostics: Diagnostics,
}

/// How the agent of a session is set, and what it offers.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionMetadata {
    /// The agent's id of the conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub title: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub current_mode_id: Option<String>,
    /// Values by option id.
    #[schema(value_type = Object)]
    pub config: Value,
    #[schema(value_type = Vec<Object>)]
    pub available_commands: Value,
    #[schema(value_type = Vec<Object>)]
    pub agent_modes: Value,
    #[schema(value_type = Vec<Object>)]
    pub agent_config_options: Value,
}

/// The last that is worth knowing when something is wrong.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Diagnostics {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub last_usage: Option<Value>,
    /// Of the newest run that failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_error: Option<RunError>,
}

/// Who has to do something to log in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum LoginKind {
    /// The agent, when it is asked to.
    Agent,
    /// Whoever configures its environment.
    EnvVar,
    /// A person at a terminal.
    Terminal,
}

/// One way to log in to an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct AgentLogin {
    pub id: String,
    pub label: String,
    #[serde(rename = "type")]
    pub kind: LoginKind,
    /// The one that is meant if none is named.
    pub default: bool,
}

/// Who knows of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SessionSource {
    /// This daemon.
    Local,
    /// The agent.
    Remote,
    Both,
}

/// A session that this daemon or an agent knows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionReference {
    #[schema(value_type = String)]
    pub agent: AgentId,
    /// The agent's id of it.
    #[serde(rename = "agentSessionID", skip_serializing_if = "Option::is_none")]
    pub agent_session: Option<String>,
    /// Ours, if there is one.
    #[serde(rename = "sessionID", skip_serializing_if = "Option::is_none")]
    pub session_id: Option<SessionId>,
    pub cwd: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated_at: Option<Millis>,
    pub source: SessionSource,
}

/// A page of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionReferences {
    pub sessions: Vec<SessionReference>,
    /// Pass as `cursor` for the next page; absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<String>,
}
