//! A prompt as a client sends it. Strict: unknown keys are refused.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

use crate::SessionId;
use crate::whole::{Whole, positive};

/// Longest prompt text, in UTF-16 code units; of a part too.
pub const MESSAGE_UNITS_MAX: usize = 1_000_000;

/// Most parts of a prompt: each becomes a row and an event.
pub const PARTS_MAX: usize = 256;

/// Longest name, such as that of a model, in characters.
pub const NAME_CHARS_MAX: usize = 1_000;

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
    #[schema(max_length = 1_000)]
    pub provider_id: String,
    #[serde(rename = "modelID")]
    #[schema(max_length = 1_000)]
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
    /// The prompt as one text; left out if there are `parts`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 1, max_length = 1_000_000)]
    pub message: Option<String>,
    /// The prompt in parts; left out if there is a `message`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(min_items = 1, max_items = 256)]
    pub parts: Option<Vec<InputPart>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub variant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub tier: Option<String>,
    /// Context budget in tokens, greater than 0.
    #[serde(default, deserialize_with = "positive", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64)]
    pub context: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation_settings: Option<DelegationSettings>,
    /// Milliseconds from acceptance after which the run is stopped and fails `deadline_exceeded`.
    #[serde(default, deserialize_with = "positive", skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1, maximum = 9_007_199_254_740_991_i64)]
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
    Image(MediaInput),
    Audio(MediaInput),
    Resource(ResourceInput),
    Json(JsonInput),
}

/// Ordinary text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TextInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub id: Option<String>,
    #[schema(max_length = 1_000_000)]
    pub text: String,
}

/// A file by URL (`data:`, `file:` or `upload:`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct FileInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub id: Option<String>,
    #[schema(max_length = 1_000)]
    pub mime: String,
    pub url: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub filename: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    pub source: Option<Map<String, Value>>,
}

/// A mention of an agent; reaches the agent as the text `@name`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct AgentInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub id: Option<String>,
    #[schema(max_length = 1_000)]
    pub name: String,
    /// Where the mention stands in the text; kept on the message.
    #[serde(default, deserialize_with = "agent_source", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<AgentSource>)]
    pub source: Option<Value>,
}

/// Where a text mentions an agent.
#[derive(Debug, Deserialize, ToSchema)]
pub struct AgentSource {
    #[schema(max_length = 1_000)]
    value: String,
    #[schema(value_type = u64, maximum = 9_007_199_254_740_991_i64)]
    start: Whole<0>,
    #[schema(value_type = u64, maximum = 9_007_199_254_740_991_i64)]
    end: Whole<0>,
}

fn agent_source<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Value>, D::Error> {
    let source = Option::<AgentSource>::deserialize(source)?;
    Ok(source.map(|AgentSource { value, start: Whole(start), end: Whole(end) }| {
        json!({ "value": value, "start": start, "end": end })
    }))
}

/// A reference to another conversation, frozen when the prompt is admitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ConversationInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
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
    #[schema(max_length = 1_000)]
    pub id: Option<String>,
    #[schema(max_length = 1_000_000)]
    pub prompt: String,
    #[schema(max_length = 1_000)]
    pub description: String,
    #[schema(max_length = 1_000)]
    pub agent: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub attachments: Option<Vec<FileInput>>,
}

/// An image or a sound in the prompt itself, as ACP has it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct MediaInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub id: Option<String>,
    #[schema(max_length = 1_000)]
    pub mime_type: String,
    /// Base64.
    pub data: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub filename: Option<String>,
}

/// A document in the prompt itself: exactly one of `text` and `blob`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResourceInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub id: Option<String>,
    /// What the agent is told that it is; nothing is fetched.
    #[schema(max_length = 1_000)]
    pub uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub mime_type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blob: Option<String>,
}

/// A value that reaches the agent as a JSON document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct JsonInput {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub id: Option<String>,
    #[schema(value_type = Object)]
    pub value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 1_000)]
    pub filename: Option<String>,
}

/// The answer to an admitted prompt: it acknowledges admission, not success.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PromptAccepted {
    #[serde(rename = "runID")]
    pub run_id: crate::RunId,
    pub accepted_at: crate::Millis,
    /// The turn of a follow-up: the prompt joined that run.
    #[serde(rename = "turnID", default, skip_serializing_if = "Option::is_none")]
    pub turn_id: Option<crate::TurnId>,
}
