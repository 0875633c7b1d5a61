//! Agents that can be started, and their processes at work.

use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use crate::AgentId;

/// An agent that sessions can be bound to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Agent {
    #[schema(value_type = String)]
    pub id: AgentId,
    /// Came with the daemon.
    pub built_in: bool,
    /// Sessions that name no agent get this one.
    pub default: bool,
    pub command: String,
    pub args: Vec<String>,
    /// Names of the configured variables; never their values.
    pub env: Vec<String>,
}

/// Whether a process can be spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConnectionStatus {
    Connected,
    Closed,
}

/// One agent process and what it told of itself.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AgentConnection {
    pub id: String,
    #[schema(value_type = String)]
    pub agent: AgentId,
    pub status: ConnectionStatus,
    /// Directory it was started in.
    pub cwd: String,
    /// The agent's own ids of the sessions that are open there.
    pub session_ids: Vec<String>,
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
