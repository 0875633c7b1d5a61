//! Every bound in one place; the defaults are documented in docs/configuration.md.

use serde::{Deserialize, Serialize};

/// Every bound of the daemon. Sizes in bytes, times in milliseconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Limits {
    /// Sessions with an actor at work.
    pub max_sessions: usize,
    /// Agent processes.
    pub max_connections: usize,
    /// Open event streams.
    pub max_subscribers: usize,
    /// Turns waiting in one session.
    pub max_waiting_turns: usize,
    /// One JSON request body.
    pub max_body_bytes: usize,
    /// One ACP frame.
    pub max_frame_bytes: usize,
    /// One event on the wire.
    pub max_event_bytes: usize,
    /// One stored text part; longer text continues in a new part.
    pub max_part_bytes: usize,
    /// One artifact that an agent sends in its call, decoded.
    pub artifact_inline_bytes: u64,
    /// One artifact.
    pub artifact_file_bytes: u64,
    /// All that one turn saves.
    pub artifact_run_bytes: u64,
    /// All that one session saves.
    pub artifact_session_bytes: u64,
    /// One uploaded or attached file.
    pub max_upload_bytes: u64,
    /// How long an upload that no message names is kept.
    pub upload_keep_ms: u64,
    /// Space that is left free on the disk; less on a small one.
    pub disk_reserve_bytes: u64,
    /// Time between comments on an idle event stream.
    pub heartbeat_ms: u64,
    /// From spawning an agent to its `initialize` answer; renewed by progress.
    pub start_timeout_ms: u64,
    /// Opening an ACP session; renewed by progress.
    pub open_timeout_ms: u64,
    /// From `session/cancel` to ending the agent's process tree.
    pub cancel_escalate_ms: u64,
    /// From `session/cancel` to the terminal event, whatever the agent does.
    pub cancel_settle_ms: u64,
    /// Tail kept of an agent's stderr.
    pub stderr_tail_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_sessions: 1_000,
            max_connections: 64,
            max_subscribers: 4_096,
            max_waiting_turns: 64,
            max_body_bytes: 16 << 20,
            max_frame_bytes: 32 << 20,
            max_event_bytes: 256 << 10,
            max_part_bytes: 4 << 20,
            artifact_inline_bytes: 32 << 20,
            artifact_file_bytes: 1 << 30,
            artifact_run_bytes: 2 << 30,
            artifact_session_bytes: 10 << 30,
            max_upload_bytes: 10 << 30,
            upload_keep_ms: 86_400_000,
            disk_reserve_bytes: 2 << 30,
            heartbeat_ms: 5_000,
            start_timeout_ms: 60_000,
            open_timeout_ms: 60_000,
            cancel_escalate_ms: 5_000,
            cancel_settle_ms: 10_000,
            stderr_tail_bytes: 64 << 10,
        }
    }
}
