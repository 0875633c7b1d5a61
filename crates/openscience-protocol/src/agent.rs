//! Agents that can be started, and their processes at work.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::decision::PermissionRequest;
use crate::{AgentId, EventKind, Millis, SessionId};

/// An agent that sessions can be bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    #[schema(value_type = String)]
    pub id: AgentId,
    pub source: AgentSource,
    /// Came with the daemon.
    pub built_in: bool,
    /// Sessions that name no agent get this one.
    pub default: bool,
    /// The family whose ways it has, if that is known.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What would be started now; empty if it is one of the registry that cannot be started here.
    pub command: String,
    pub args: Vec<String>,
    /// Names of the configured variables; never their values.
    pub env: Vec<String>,
    /// Its program is here: starting it downloads nothing.
    pub installed: bool,
    /// How one of the registry would be started: `path`, `installed`, `npx` or `uvx`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Why it cannot be started here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// What the registry says of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub registry: Option<RegistryEntry>,
}

/// Who knows an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum AgentSource {
    BuiltIn,
    Configured,
    Registry,
}

/// An agent in the public registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RegistryEntry {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Where this is known from: `fresh`, `stale` (older than a day) or `embedded` (it came with the daemon).
    pub document: String,
}

/// Whether a process can be spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionStatus {
    /// It waits for room under the limit of agent processes.
    Idle,
    /// It is being started.
    Connecting,
    Connected,
    /// It ended by itself with a failure; `error` says how.
    Error,
    /// It was ended, or ended by itself as if all were well.
    Closed,
}

/// One agent process, what it told of itself and what happened there.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentConnection {
    pub id: String,
    #[schema(value_type = String)]
    pub agent: AgentId,
    pub status: ConnectionStatus,
    /// Directory it was started in.
    pub cwd: String,
    /// The agent's id of the session that was opened or prompted last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The agent's own ids of the sessions that are open there.
    pub session_ids: Vec<String>,
    /// The same sessions, with our ids of them.
    pub sessions: Vec<ConnectionSession>,
    /// How it ended, if the status is `error`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The newest 500 things that happened there, oldest first, each cut to at most about 4 KiB.
    pub events: Vec<ConnectionEvent>,
    /// Permissions that wait for a person, oldest first.
    pub pending_permissions: Vec<PermissionRequest>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pid: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub agent_info: Option<Value>,
    #[schema(value_type = Object)]
    pub capabilities: Value,
    #[schema(value_type = Vec<Object>)]
    pub auth_methods: Value,
    /// The last of what it wrote to stderr, configured values masked.
    pub stderr_tail: String,
    pub counters: ConnectionCounters,
    /// It works on a prompt.
    pub prompt_in_flight: bool,
    /// The agent's ids of the sessions whose prompts it works on.
    pub prompt_in_flight_session_ids: Vec<String>,
}

/// A session that is open at an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ConnectionSession {
    /// The agent's id of it.
    #[serde(rename = "sessionId")]
    pub agent_session: String,
    /// Ours.
    #[serde(rename = "sessionID")]
    pub session: SessionId,
}

/// How much attention an event of a connection deserves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventLevel {
    Info,
    Warning,
    Error,
}

/// One thing that happened on a connection. For people who look at it: it is neither journaled nor numbered
/// like the events of a session.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionEvent {
    /// Unique among all connections.
    pub id: String,
    pub kind: EventKind,
    pub level: EventLevel,
    pub timestamp: Millis,
    /// The agent's id of the session it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// `user` or `assistant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_kind: Option<String>,
    /// Of a tool, or the code of a failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// What the agent sent, if it is at most 1 KiB.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub raw: Option<Value>,
    /// True if something was too long and is cut or left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub truncated: Option<bool>,
}

/// What a connection has counted since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConnectionCounters {
    /// Messages read.
    pub frames: u64,
    /// Lines that were no message.
    pub noise: u64,
    /// Of these, lines that were not UTF-8.
    pub invalid_utf8: u64,
    /// Messages beyond the limit.
    pub oversized: u64,
    /// Updates of a kind this version does not know, or beyond the limit.
    pub unknown_updates: u64,
    /// Updates that told history again.
    pub replayed: u64,
    /// Updates and requests of sessions that are not open.
    pub unrouted: u64,
    /// Updates of unknown sessions that waited too long or were too many.
    pub early_dropped: u64,
    /// Notifications that are not served.
    pub ignored: u64,
    /// Requests of the agent that were refused.
    pub refused: u64,
    /// Answers nobody waited for any more.
    pub late_answers: u64,
}
