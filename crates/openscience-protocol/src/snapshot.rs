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

/// What files a prompt may bring, in bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CapabilityFiles {
    /// Schemes a file part's `url` may have.
    pub schemes: Vec<String>,
    /// One JSON body, and so what a `data:` URL can hold.
    pub max_body_bytes: u64,
    /// One uploaded or attached file.
    pub max_upload_bytes: u64,
    /// Space that is left free on the disk.
    pub disk_reserve_bytes: u64,
    /// An image or a sound up to this is shown to an agent that can see or hear it.
    pub max_media_bytes: u64,
    /// A text up to this is shown to an agent that takes embedded texts.
    pub max_text_bytes: u64,
    /// All that is shown with one prompt; what is beyond is linked.
    pub max_inline_bytes: u64,
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
    pub files: CapabilityFiles,
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
