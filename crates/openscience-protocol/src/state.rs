//! The read model of a session: what was said and done, as objects that know how often and when they changed.
//!
//! Its words and keys are those of the runtime SDK it comes from (`turnId`, not `turnID`), and stable.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{DecisionId, MessageId, Millis, PartId, SessionId, TurnId};

/// Everything that is known of a session, at one revision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct SessionState {
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    /// Grows with every change of the session; an update of that revision or an older one is part of this.
    pub revision: i64,
    pub threads: Vec<ThreadEntry>,
    pub diffs: Vec<StateDiff>,
    pub terminals: Vec<StateTerminal>,
    pub tool_calls: Vec<ToolCallBundle>,
    pub operations: Vec<OperationBundle>,
    pub permissions: Vec<StatePermission>,
    pub metadata: StateMetadata,
    /// Absent as long as the agent has told none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<StateUsage>,
}

/// One entry of the conversation. Its id never changes; those of messages and tool calls are theirs in the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum ThreadEntry {
    UserMessage(UserEntry),
    AssistantMessage(AssistantEntry),
    AssistantThought(ThoughtEntry),
    Plan(PlanEntry),
    ToolCall(ToolCallEntry),
}

impl ThreadEntry {
    /// Unique in the session.
    pub fn id(&self) -> &str {
        match self {
            Self::UserMessage(entry) => entry.id.as_str(),
            Self::AssistantMessage(entry) => entry.id.as_str(),
            Self::AssistantThought(entry) => &entry.id,
            Self::Plan(entry) => &entry.id,
            Self::ToolCall(entry) => entry.id.as_str(),
        }
    }

    /// The turn it belongs to.
    pub fn turn(&self) -> Option<&TurnId> {
        match self {
            Self::UserMessage(entry) => entry.turn_id.as_ref(),
            Self::AssistantMessage(entry) => entry.turn_id.as_ref(),
            Self::AssistantThought(entry) => entry.turn_id.as_ref(),
            Self::Plan(entry) => entry.turn_id.as_ref(),
            Self::ToolCall(entry) => entry.turn_id.as_ref(),
        }
    }
}

/// How far an entry has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThreadEntryStatus {
    Streaming,
    Pending,
    InProgress,
    Completed,
    Failed,
}

/// A prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserEntry {
    pub id: MessageId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    pub text: String,
    pub content: Vec<ContentPart>,
}

/// What the agent answered in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistantEntry {
    pub id: MessageId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    pub text: String,
    pub output: Vec<ContentPart>,
    /// streaming, completed or failed.
    pub status: ThreadEntryStatus,
}

/// What the agent thought in a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ThoughtEntry {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    pub text: String,
    /// streaming, completed or failed.
    pub status: ThreadEntryStatus,
}

/// The agent's last plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PlanEntry {
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    pub plan: Vec<PlanStep>,
}

/// One step of a plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PlanStep {
    pub content: String,
    /// high, medium or low.
    pub priority: String,
    /// pending, in_progress or completed.
    pub status: String,
}

/// A call of one of the agent's tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallEntry {
    pub id: PartId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    /// The agent's own id; some agents count anew each turn.
    pub tool_call_id: String,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_kind: Option<String>,
    /// pending, in_progress, completed or failed.
    pub status: ThreadEntryStatus,
    pub content: Vec<ToolContent>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub locations: Vec<ToolLocation>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub raw_input: Option<Value>,
}

/// A place a call is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolLocation {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
}

/// One item of what a call came to; `id` is its kind and place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ToolContent {
    Content {
        id: String,
        text: String,
    },
    Diff {
        id: String,
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        old_text: Option<String>,
        new_text: String,
        change_type: ChangeType,
    },
    Terminal {
        id: String,
        terminal_id: String,
        status: TerminalStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        command: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        cwd: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        output: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        truncated: Option<bool>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        exit_code: Option<i64>,
    },
}

/// Whether a file was made or changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeType {
    Write,
    Update,
}

/// A part of a prompt or an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum ContentPart {
    Text {
        text: String,
    },
    File {
        uri: String,
        mime_type: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
    Image {
        uri: String,
        mime_type: String,
    },
    Audio {
        uri: String,
        mime_type: String,
    },
    Resource {
        uri: String,
        mime_type: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },
    Json {
        #[schema(value_type = Object)]
        value: Value,
    },
}

/// What became of a file by the agent's tools: the newest change of each path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateDiff {
    pub path: String,
    pub change_type: ChangeType,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_text: Option<String>,
    pub new_text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub old_line_count: Option<u64>,
    pub new_line_count: u64,
    /// The call that changed it last.
    pub tool_call_id: String,
    pub created_at: Millis,
    pub updated_at: Millis,
    /// 1 for the first, then one more with each change.
    pub revision: i64,
}

/// How a terminal stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TerminalStatus {
    /// Nobody saw it end, and it cannot be asked any more.
    Unknown,
    Running,
    Completed,
}

/// A command that runs, or ran, for the agent in a terminal of the daemon's.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateTerminal {
    pub terminal_id: String,
    pub status: TerminalStatus,
    pub command: String,
    pub cwd: String,
    /// The end of what it wrote, at most 64 KiB.
    pub output: String,
    /// In UTF-16 units.
    pub output_length: u64,
    pub output_line_count: u64,
    /// Earlier output was dropped.
    pub truncated: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signal: Option<String>,
    /// The call that shows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    pub created_at: Millis,
    pub updated_at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_requested_at: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub released_at: Option<Millis>,
    /// 1 for the first, then one more with each change.
    pub revision: i64,
}

/// A tool call with what it changed and ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallBundle {
    pub tool_call: ToolCallEntry,
    pub diffs: Vec<StateDiff>,
    pub terminals: Vec<StateTerminal>,
}

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationKind {
    DocumentEdit,
    ExecuteCommand,
    McpCall,
    NetworkRequest,
    ReadFile,
    Unknown,
    WriteFile,
}

/// How far an operation has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationPhase {
    Proposed,
    AwaitingPermission,
    Running,
    Completed,
    Failed,
    Cancelled,
}

/// What an operation is aimed at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TargetType {
    Command,
    Endpoint,
    McpTool,
    Path,
    Unknown,
}

/// What an operation is aimed at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct OperationTarget {
    #[serde(rename = "type")]
    pub target_type: TargetType,
    pub value: String,
}

/// Why an operation came to nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum FailureReason {
    Cancelled,
    Failed,
    PermissionDenied,
    Timeout,
}

/// How a refusal showed itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionFamily {
    /// Asked, refused, and the agent ended its turn as cancelled.
    PermissionRequestCancelled,
    /// Asked, refused, and the agent went on without.
    PermissionRequestEndTurn,
    /// Never asked: the agent's mode refuses.
    ModeDenied,
}

/// What was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionDecision {
    Allowed,
    Denied,
}

/// What is known of the permission of an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationPermission {
    pub requested: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub request_id: Option<DecisionId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<PermissionDecision>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<PermissionFamily>,
}

/// What an operation came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationResult {
    pub output: Vec<ContentPart>,
    pub output_text: String,
}

/// One thing an agent did, or wants to do, outside of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Operation {
    /// Unique in the session: that of its tool call in the transcript, else of the permission it is.
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    pub kind: OperationKind,
    pub phase: OperationPhase,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<OperationTarget>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<OperationResult>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure_reason: Option<FailureReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<OperationPermission>,
    pub started_at: Millis,
    pub updated_at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Millis>,
}

/// An operation with the permissions that were asked for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct OperationBundle {
    pub operation: Operation,
    pub permission_requests: Vec<StatePermission>,
}

/// What a permission is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionKind {
    Document,
    Filesystem,
    Mcp,
    Network,
    Terminal,
    Unknown,
}

/// Where a permission stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionPhase {
    Pending,
    Allowed,
    /// Refused, or closed before anyone answered: `closeReason` tells.
    Denied,
}

/// How far a permission may reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionScope {
    Once,
    Session,
}

/// One option of the agent, as it named it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PermissionChoice {
    pub id: String,
    pub name: String,
    pub kind: String,
}

/// A permission that was asked for, or answered by a rule before anyone was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatePermission {
    #[schema(value_type = String)]
    pub id: DecisionId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<TurnId>,
    pub operation_id: String,
    pub kind: PermissionKind,
    pub phase: PermissionPhase,
    pub title: String,
    /// What an answer may choose from.
    pub scope_options: Vec<PermissionScope>,
    pub options: Vec<PermissionChoice>,
    /// Its category, as rules name it.
    pub permission: String,
    pub patterns: Vec<String>,
    /// What was said with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Who answered: rule, grant, policy, person or timeout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Why nobody can answer any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub close_reason: Option<String>,
    pub requested_at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_at: Option<Millis>,
}

/// What a session is called and set to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateMetadata {
    pub id: SessionId,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current_mode_id: Option<String>,
    /// Current value of each config option by its id.
    #[schema(value_type = Object)]
    pub config: Map<String, Value>,
    pub available_commands: Vec<StateCommand>,
    pub agent_config_options: Vec<StateConfigOption>,
}

/// A command the agent offers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StateCommand {
    pub name: String,
    pub description: String,
}

/// What kind of value a config option has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfigOptionType {
    Boolean,
    Number,
    Select,
    String,
}

/// An option the agent offers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StateConfigOption {
    pub id: String,
    pub name: String,
    #[serde(rename = "type")]
    pub option_type: ConfigOptionType,
    #[schema(value_type = Object)]
    pub value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<ConfigChoice>,
}

/// A value that a config option may have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConfigChoice {
    pub value: String,
    pub name: String,
}

/// Tokens and cost, as far as the agent told them: those of the newest turn, and how full its context is.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", default)]
pub struct StateUsage {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thought_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_read_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cached_write_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_used_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_window_tokens: Option<u64>,
    /// Only if the agent tells it in dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// What happened to an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationLifecycle {
    Started,
    Updated,
    Completed,
    Failed,
}

/// What happened to a permission.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionLifecycle {
    Requested,
    Resolved,
}

/// One object of the read model that came or changed, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum StateUpdate {
    ThreadEntryAdded {
        entry: ThreadEntry,
    },
    ThreadEntryUpdated {
        entry: ThreadEntry,
    },
    DiffUpdated {
        diff: StateDiff,
    },
    TerminalUpdated {
        terminal: StateTerminal,
    },
    OperationProjectionUpdated {
        operation: Box<Operation>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn_id: Option<TurnId>,
        lifecycle: OperationLifecycle,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        error_message: Option<String>,
    },
    PermissionProjectionUpdated {
        operation: Box<Operation>,
        request: Box<StatePermission>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        turn_id: Option<TurnId>,
        lifecycle: PermissionLifecycle,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        decision: Option<PermissionDecision>,
    },
    MetadataProjectionUpdated {
        metadata: StateMetadata,
    },
    UsageProjectionUpdated {
        usage: StateUsage,
    },
}

impl StateUpdate {
    /// Its name, as in `event:` of its frame.
    pub fn name(&self) -> &'static str {
        match self {
            Self::ThreadEntryAdded { .. } => "thread_entry_added",
            Self::ThreadEntryUpdated { .. } => "thread_entry_updated",
            Self::DiffUpdated { .. } => "diff_updated",
            Self::TerminalUpdated { .. } => "terminal_updated",
            Self::OperationProjectionUpdated { .. } => "operation_projection_updated",
            Self::PermissionProjectionUpdated { .. } => "permission_projection_updated",
            Self::MetadataProjectionUpdated { .. } => "metadata_projection_updated",
            Self::UsageProjectionUpdated { .. } => "usage_projection_updated",
        }
    }
}

/// An update with the revision of the session at which it holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StateEvent {
    pub revision: i64,
    #[serde(flatten)]
    pub update: StateUpdate,
}
