//! A prompt as a client sends it. Strict: unknown keys are refused.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::SessionId;

/// Longest prompt text, in UTF-16 code units.
pub const MESSAGE_UNITS_MAX: usize = 1_000_000;

/// How hard the agent should think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effort {
    /// The agent's own level.
    Normal,
    /// The agent's highest thought level.
    Ultra,
}

/// A model of a provider.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ModelRef {
    #[serde(rename = "providerID")]
    pub provider_id: String,
    #[serde(rename = "modelID")]
    pub model_id: String,
}

/// How much the agent may delegate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DelegationLevel {
    Off,
    Light,
    #[default]
    Standard,
    High,
}

/// How freely delegated work may act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Autonomy {
    Interactive,
    #[default]
    Balanced,
    Autonomous,
}

/// Settings of delegated work; kept on the message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DelegationSettings {
    #[serde(default)]
    pub level: DelegationLevel,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worker_model: Option<ModelRef>,
    #[serde(default)]
    pub autonomy: Autonomy,
}

/// One prompt. Exactly one of `message` and `parts` is given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PromptInput {
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    pub effort: Effort,
    /// Idempotency key: the same key in the same session returns the same receipt. 1 to 200 characters.
    #[serde(rename = "requestID", default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 200)]
    pub request_id: Option<String>,
    /// A native message id, `^msg_[0-9a-fA-F]{12}[A-Za-z0-9]{14}$`; for advanced clients.
    #[serde(rename = "messageID", default, skip_serializing_if = "Option::is_none")]
    #[schema(pattern = "^msg_[0-9a-fA-F]{12}[A-Za-z0-9]{14}$")]
    pub message_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 1_000_000)]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1)]
    pub parts: Option<Vec<InputPart>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    /// Context budget in tokens, greater than 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub context: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation_settings: Option<DelegationSettings>,
    /// Milliseconds from acceptance after which the run is stopped and fails `deadline_exceeded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub deadline_ms: Option<u64>,
}

/// A part of a prompt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum InputPart {
    Text(TextInput),
    File(FileInput),
    Agent(AgentInput),
    Conversation(ConversationInput),
    Subtask(SubtaskInput),
}

/// Ordinary text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TextInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub text: String,
}

/// A file by URL (`data:`, `file:` or `upload:`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub mime: String,
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub source: Option<Value>,
}

/// A mention of an agent; reaches the agent as the text `@name`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub source: Option<Value>,
}

/// A reference to another conversation, frozen when the prompt is admitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConversationInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(rename = "sourceSessionID")]
    pub source_session_id: SessionId,
    #[serde(rename = "throughMessageID", default, skip_serializing_if = "Option::is_none")]
    pub through_message_id: Option<crate::MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 160)]
    pub label: Option<String>,
}

/// An explicit subtask.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SubtaskInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    pub prompt: String,
    pub description: String,
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<FileInput>>,
}

/// The answer to an admitted prompt: it acknowledges admission, not success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptAccepted {
    #[serde(rename = "runID")]
    pub run_id: crate::RunId,
    pub accepted_at: crate::Millis,
}
