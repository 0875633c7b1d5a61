//! What a client reads to (re)connect.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{AgentId, PermissionRequest, QuestionRequest, RuntimeEvent, RuntimeRun, Sequence, SessionId};

/// Decisions live in the process that runs the agent.
pub const DECISION_SCOPE: &str = "connected_runtime";

/// The agent that answers when a session names none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapabilityAgent {
    #[schema(value_type = String)]
    pub id: AgentId,
    pub built_in: bool,
}

/// What this runtime can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Capabilities {
    pub protocol_version: String,
    pub server_version: String,
    pub idempotent_prompts: bool,
    pub rich_inputs: bool,
    pub run_snapshots: bool,
    pub event_retention: i64,
    pub crash_recovery: String,
    pub decision_scope: String,
    pub agent: CapabilityAgent,
}

/// The state of a session and the cursor to follow it from.
///
/// The cursor is taken first: an update made meanwhile may show up in both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Snapshot {
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    /// All live runs and the newest 100, by acceptance.
    pub runs: Vec<RuntimeRun>,
    /// Present and true if older runs were left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runs_truncated: Option<bool>,
    pub oldest_sequence: Sequence,
    pub latest_sequence: Sequence,
    pub permissions: Vec<PermissionRequest>,
    pub questions: Vec<QuestionRequest>,
    pub decision_scope: String,
}

/// A stretch of the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Replay {
    pub events: Vec<RuntimeEvent>,
    pub oldest_sequence: Sequence,
    pub latest_sequence: Sequence,
}
