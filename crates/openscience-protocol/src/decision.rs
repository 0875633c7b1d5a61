//! Decisions: permissions and questions that wait for a person.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::{DecisionId, MessageId, Millis, SessionId};

/// Longest message with a reply, in UTF-16 code units.
pub const MESSAGE_UNITS_MAX: usize = 100_000;

/// How far an answer reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum PermissionReply {
    Once,
    Session,
    Project,
    Always,
    Reject,
}

impl PermissionReply {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Project => "project",
            Self::Always => "always",
            Self::Reject => "reject",
        }
    }
}

/// An answer to a pending decision. Strict: unknown keys are refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum DecisionInput {
    Permission(PermissionAnswer),
    Question(QuestionAnswer),
    QuestionReject(QuestionReject),
}

/// The answer to a permission.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PermissionAnswer {
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    #[serde(rename = "requestID")]
    #[schema(value_type = String, pattern = "^per_[A-Za-z0-9_-]{1,120}$")]
    pub request_id: DecisionId,
    pub reply: PermissionReply,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 100_000)]
    pub message: Option<String>,
}

/// The answers to a question, one list per question in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionAnswer {
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    #[serde(rename = "requestID")]
    #[schema(value_type = String, pattern = "^que_[A-Za-z0-9_-]{1,120}$")]
    pub request_id: DecisionId,
    #[schema(value_type = Vec<Vec<String>>)]
    pub answers: Answers,
}

/// Dismisses a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct QuestionReject {
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    #[serde(rename = "requestID")]
    #[schema(value_type = String, pattern = "^que_[A-Za-z0-9_-]{1,120}$")]
    pub request_id: DecisionId,
}

impl DecisionInput {
    /// The session the decision belongs to.
    pub fn session_id(&self) -> &SessionId {
        match self {
            Self::Permission(answer) => &answer.session_id,
            Self::Question(answer) => &answer.session_id,
            Self::QuestionReject(answer) => &answer.session_id,
        }
    }

    /// The decision that is answered.
    pub fn request_id(&self) -> &DecisionId {
        match self {
            Self::Permission(answer) => &answer.request_id,
            Self::Question(answer) => &answer.request_id,
            Self::QuestionReject(answer) => &answer.request_id,
        }
    }
}

/// Whether the agent is known to have the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DecisionStatus {
    /// The answer reached the agent.
    Resolved,
    /// The answer is recorded; whether it reached the agent is not known.
    Indeterminate,
}

/// The receipt of a decision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DecisionResult {
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    #[serde(rename = "requestID")]
    pub request_id: DecisionId,
    pub status: DecisionStatus,
    pub decided_at: Millis,
}

/// The tool call a decision is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ToolRef {
    #[serde(rename = "messageID")]
    pub message_id: MessageId,
    #[serde(rename = "callID")]
    pub call_id: String,
}

/// A permission that waits for an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct PermissionRequest {
    #[schema(value_type = String, pattern = "^per_[A-Za-z0-9_-]{1,120}$")]
    pub id: DecisionId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    /// Category: read, edit, bash, webfetch, search, external_directory, else the tool's own name.
    pub permission: String,
    /// What exactly is asked for: commands, paths, hosts.
    pub patterns: Vec<String>,
    /// What the agent told: title, kind, rawInput, options.
    #[schema(value_type = Object)]
    pub metadata: Map<String, Value>,
    /// Patterns a wider scope would grant; empty where none can be granted.
    pub always: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolRef>,
    /// When the agent asked.
    #[serde(rename = "askedAt", default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Millis>,
    /// When it is answered by itself: only if a limit is configured.
    #[serde(rename = "expiresAt", default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Millis>,
}

/// How far a standing grant reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum StandingScope {
    /// Every session of the project.
    Project,
    /// Every session.
    Global,
}

/// A permission that was given for more than one session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StandingGrant {
    pub id: String,
    /// The category it allows.
    pub permission: String,
    /// Exactly what it allows.
    pub pattern: String,
    pub scope: StandingScope,
    /// When it was given.
    pub created: Millis,
}

/// One choice of a question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuestionOption {
    pub label: String,
    pub description: String,
}

/// One question of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Question {
    pub question: String,
    pub header: String,
    pub options: Vec<QuestionOption>,
    /// True: any number of labels answers it, else one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multiple: Option<bool>,
    /// False: only the options answer it. Otherwise any text does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub custom: Option<bool>,
    /// True: an empty list leaves it unanswered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional: Option<bool>,
}

/// The answers to the questions of a request: the labels for each of them, in order.
pub type Answers = Vec<Vec<String>>;

/// Questions that wait for answers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QuestionRequest {
    #[schema(value_type = String, pattern = "^que_[A-Za-z0-9_-]{1,120}$")]
    pub id: DecisionId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    pub questions: Vec<Question>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<ToolRef>,
    /// When the agent asked.
    #[serde(rename = "askedAt", default, skip_serializing_if = "Option::is_none")]
    pub asked_at: Option<Millis>,
    /// When it is answered by itself: only if a limit is configured.
    #[serde(rename = "expiresAt", default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Millis>,
}
