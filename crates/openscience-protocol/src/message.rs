//! The transcript: messages made of typed parts.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::prompt::{DelegationSettings, Effort, ModelRef};
use crate::{MessageId, Millis, PartId, SessionId};

/// A message with its parts in order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Message {
    pub info: MessageInfo,
    pub parts: Vec<Part>,
}

/// What is known of a message besides its parts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "role", rename_all = "snake_case")]
pub enum MessageInfo {
    User(UserInfo),
    Assistant(AssistantInfo),
}

impl MessageInfo {
    /// The message's id.
    pub fn id(&self) -> &MessageId {
        match self {
            Self::User(info) => &info.id,
            Self::Assistant(info) => &info.id,
        }
    }
}

/// Times of a user message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct UserTime {
    pub created: Millis,
}

/// A prompt as it stands in the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct UserInfo {
    pub id: MessageId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    pub time: UserTime,
    /// Always `research`.
    pub agent: String,
    pub model: ModelRef,
    pub effort: Effort,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation_settings: Option<DelegationSettings>,
}

/// Times of an assistant message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AssistantTime {
    pub created: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed: Option<Millis>,
}

/// Where the agent worked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessagePath {
    pub cwd: String,
    pub root: String,
}

/// Tokens from and into the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct CacheTokens {
    pub read: u64,
    pub write: u64,
}

/// Tokens used; 0 where the agent does not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct Tokens {
    pub input: u64,
    pub output: u64,
    pub reasoning: u64,
    pub cache: CacheTokens,
}

/// Why an assistant message ended early.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct MessageError {
    /// `ProviderAuthError`, `MessageOutputLengthError`, `MessageAbortedError` or `UnknownError`.
    pub name: String,
    #[schema(value_type = Object)]
    pub data: Map<String, Value>,
}

/// An answer as it stands in the transcript.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct AssistantInfo {
    pub id: MessageId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    /// The user message it answers; of several, the last.
    #[serde(rename = "parentID")]
    pub parent_id: MessageId,
    /// All user messages it answers.
    #[serde(rename = "parentIDs", default, skip_serializing_if = "Vec::is_empty")]
    pub parent_ids: Vec<MessageId>,
    #[serde(rename = "modelID")]
    pub model_id: String,
    #[serde(rename = "providerID")]
    pub provider_id: String,
    pub mode: String,
    /// Always `research`.
    pub agent: String,
    pub path: MessagePath,
    pub time: AssistantTime,
    pub cost: f64,
    pub tokens: Tokens,
    /// stop, length, tool-calls, refusal, cancelled or the agent's own word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<MessageError>,
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Part {
    pub id: PartId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    #[serde(rename = "messageID")]
    pub message_id: MessageId,
    #[serde(flatten)]
    pub body: PartBody,
}

/// What a part holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum PartBody {
    Text(TextPart),
    Reasoning(ReasoningPart),
    File(FilePart),
    Tool(ToolPart),
    StepStart(StepStartPart),
    StepFinish(StepFinishPart),
    Agent(AgentPart),
    Conversation(ConversationPart),
    Subtask(SubtaskPart),
    Compaction(CompactionPart),
}

/// When a part was open.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PartTime {
    pub start: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end: Option<Millis>,
}

/// Text of a prompt or an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct TextPart {
    pub text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub synthetic: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<PartTime>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
}

/// The agent's thoughts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ReasoningPart {
    pub text: String,
    pub time: PartTime,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
}

/// A file by URL.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FilePart {
    pub mime: String,
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// Bytes of the file when the prompt was admitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub source: Option<Value>,
}

/// A call of one of the agent's tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolPart {
    #[serde(rename = "callID")]
    pub call_id: String,
    /// The agent's tool name if given, else the ACP kind.
    pub tool: String,
    pub state: ToolState,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
}

/// When a tool started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolStart {
    pub start: Millis,
}

/// When a tool ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolSpan {
    pub start: Millis,
    pub end: Millis,
}

/// Where a tool call stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum ToolState {
    Pending(ToolPending),
    Running(ToolRunning),
    Completed(ToolCompleted),
    Error(ToolError),
}

/// Announced, not started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolPending {
    #[schema(value_type = Object)]
    pub input: Value,
    /// The input as text.
    pub raw: String,
}

/// At work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolRunning {
    #[schema(value_type = Object)]
    pub input: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    pub time: ToolStart,
}

/// Done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolCompleted {
    #[schema(value_type = Object)]
    pub input: Value,
    pub output: String,
    pub title: String,
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
    pub time: ToolSpan,
}

/// Failed, refused or cut off.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ToolError {
    #[schema(value_type = Object)]
    pub input: Value,
    pub error: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<Map<String, Value>>,
    pub time: ToolSpan,
}

/// The agent was prompted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
pub struct StepStartPart {}

/// The agent answered the prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StepFinishPart {
    pub reason: String,
    pub cost: f64,
    pub tokens: Tokens,
}

/// A mention of an agent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentPart {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub source: Option<Value>,
}

/// The frozen excerpt of another conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ConversationPart {
    #[serde(rename = "sourceSessionID")]
    pub source_session_id: SessionId,
    #[serde(rename = "throughMessageID")]
    pub through_message_id: MessageId,
    #[serde(rename = "snapshotID")]
    pub snapshot_id: String,
    pub label: String,
    pub text: String,
}

/// An explicit subtask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SubtaskPart {
    pub prompt: String,
    pub description: String,
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

/// The agent compacted its context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CompactionPart {
    pub auto: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// One entry of the agent's plan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Todo {
    pub id: String,
    pub content: String,
    /// pending, in_progress or completed.
    pub status: String,
    /// high, medium or low.
    pub priority: String,
}
