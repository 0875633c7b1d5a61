//! Events: journaled, numbered public facts of a session.
//!
//! A stored event type is never edited; a new one is added.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use crate::decision::Answers;
use crate::prompt::Effort;
use crate::run::TurnState;
use crate::{
    AgentId, ArtifactFile, ClaimId, DecisionId, MessageId, MessageInfo, Millis, Part, PartBody, PartId,
    PermissionReply, PermissionRequest, QuestionRequest, RunError, RunId, Sequence, Session, SessionId,
    SessionStatus, Todo, TurnId,
};

/// Coarse class of an event, for clients that render by class.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    System,
    Message,
    Thought,
    Tool,
    Plan,
    Permission,
    Artifact,
    Error,
    Stop,
    Raw,
}

/// One event as clients see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct RuntimeEvent {
    #[schema(minimum = 1)]
    pub sequence: Sequence,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    #[serde(rename = "runID")]
    pub run_id: RunId,
    #[serde(rename = "type")]
    pub event_type: String,
    pub kind: EventKind,
    #[schema(value_type = Object)]
    pub properties: Value,
    pub time: Millis,
}

/// Who stopped a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CancelSource {
    /// A person or their program.
    User,
    /// A harness that ran out of time.
    RunnerTimeout,
}

impl CancelSource {
    /// The word on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::RunnerTimeout => "runner_timeout",
        }
    }

    /// The source of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::User, Self::RunnerTimeout].into_iter().find(|source| source.as_str() == word)
    }
}

/// A text or reasoning part without its text.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PartOutline {
    pub id: PartId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    #[serde(rename = "messageID")]
    pub message_id: MessageId,
    /// `text` or `reasoning`.
    #[serde(rename = "type")]
    pub part_type: &'static str,
    /// UTF-16 units of the text after this event.
    #[serde(rename = "textLength")]
    pub text_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time: Option<crate::message::PartTime>,
}

/// What an event says, typed. Serializes to the event's `properties`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum EventBody {
    RuntimeAccepted {
        accepted_at: Millis,
        effort: Effort,
    },
    RuntimeCompleted {
        #[serde(rename = "messageID", skip_serializing_if = "Option::is_none")]
        message_id: Option<MessageId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        stop_reason: Option<String>,
    },
    RuntimeFailed {
        message: String,
        error: RunError,
        #[serde(rename = "messageID", skip_serializing_if = "Option::is_none")]
        message_id: Option<MessageId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        stop_reason: Option<String>,
        /// Written by someone else than the dead owner.
        #[serde(skip_serializing_if = "Option::is_none")]
        recovered: Option<bool>,
    },
    RuntimeCancelled {
        source: CancelSource,
        #[serde(rename = "messageID", skip_serializing_if = "Option::is_none")]
        message_id: Option<MessageId>,
        #[serde(skip_serializing_if = "Option::is_none")]
        stop_reason: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        recovered: Option<bool>,
    },
    TurnUpdated {
        #[serde(rename = "turnID")]
        turn_id: TurnId,
        state: TurnState,
        #[serde(skip_serializing_if = "Option::is_none")]
        position: Option<u32>,
        /// The turn its prompt was sent with.
        #[serde(rename = "intoTurnID", skip_serializing_if = "Option::is_none")]
        into_turn_id: Option<TurnId>,
        #[serde(rename = "messageID")]
        message_id: MessageId,
        #[serde(skip_serializing_if = "Option::is_none")]
        stop_reason: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<RunError>,
    },
    MessageUpdated {
        info: MessageInfo,
    },
    /// A part opened, changed state or closed.
    PartUpdated {
        part: Part,
    },
    /// A closing text too long to repeat: told by its length.
    PartClosed {
        part: PartOutline,
    },
    /// A text grew.
    PartGrew {
        part: PartOutline,
        delta: String,
        /// UTF-16 units of the text before this event.
        offset: u64,
    },
    TodoUpdated {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        todos: Vec<Todo>,
    },
    PermissionAsked(PermissionRequest),
    PermissionReplied {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        #[serde(rename = "requestID")]
        request_id: DecisionId,
        reply: PermissionReply,
        /// rule, grant, policy, person or timeout.
        actor: Actor,
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    PermissionCancelled {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        #[serde(rename = "requestID")]
        request_id: DecisionId,
        /// Why nobody can answer any more.
        reason: CloseReason,
    },
    QuestionAsked(QuestionRequest),
    QuestionReplied {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        #[serde(rename = "requestID")]
        request_id: DecisionId,
        /// The labels for each question, in order.
        answers: Answers,
        actor: Actor,
    },
    QuestionRejected {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        #[serde(rename = "requestID")]
        request_id: DecisionId,
        /// person, timeout or policy: the questions could not be put to anyone.
        actor: Actor,
        /// Why they could not.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
    },
    QuestionCancelled {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        #[serde(rename = "requestID")]
        request_id: DecisionId,
        /// Why nobody can answer any more.
        reason: CloseReason,
    },
    SessionStatusChanged {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        status: SessionStatus,
    },
    SessionIdle {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
    },
    SessionError {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        error: crate::message::MessageError,
    },
    SessionUpdated {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        #[serde(skip_serializing_if = "Option::is_none")]
        title: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        mode: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        config: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        commands: Option<Value>,
    },
    /// Told live only, never journaled: nobody follows a session that is not there.
    SessionCreated {
        info: Box<Session>,
    },
    /// How the session's record stands after a change of it. Told live only, never journaled.
    SessionRecord {
        info: Box<Session>,
    },
    /// Told live only, never journaled: the journal is gone with it.
    SessionDeleted {
        info: Box<Session>,
    },
    SessionContext {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        used: u64,
        size: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        cost: Option<Value>,
    },
    AgentConnected {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        agent: AgentId,
        #[serde(skip_serializing_if = "Option::is_none")]
        agent_info: Option<Value>,
    },
    AgentResumed {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        /// How the agent took the conversation up again: resume or load.
        method: String,
    },
    AgentReset {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        context_reset: bool,
        /// agent_exited, idle_stopped, load_failed, not_supported or foreign_turns.
        reason: String,
    },
    AgentExited {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        #[serde(skip_serializing_if = "Option::is_none")]
        exit: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        stderr: Option<String>,
    },
    AgentStderr {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        line: String,
    },
    /// A turn has saved files.
    ArtifactCreated {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        #[serde(rename = "runID")]
        run_id: RunId,
        #[serde(rename = "turnID")]
        turn_id: TurnId,
        #[serde(rename = "artifactSessionID")]
        artifact_session_id: SessionId,
        #[serde(rename = "artifactClaimID")]
        artifact_claim_id: ClaimId,
        /// Paths are left out: they change.
        files: Vec<ArtifactFile>,
        /// How many there are, if not all are listed.
        #[serde(skip_serializing_if = "Option::is_none")]
        file_count: Option<usize>,
    },
    AgentRaw {
        #[serde(rename = "sessionID")]
        session_id: SessionId,
        /// The update's own word, if it has one.
        #[serde(skip_serializing_if = "Option::is_none")]
        update: Option<String>,
        /// The update as it came, if it is small enough.
        #[serde(skip_serializing_if = "Option::is_none")]
        raw: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        truncated: Option<bool>,
    },
}

/// Who or what answered a decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Actor {
    Rule,
    Grant,
    Policy,
    Person,
    Timeout,
}

impl Actor {
    /// The word on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::Grant => "grant",
            Self::Policy => "policy",
            Self::Person => "person",
            Self::Timeout => "timeout",
        }
    }
}

/// Why a decision was closed without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CloseReason {
    /// Its run was cancelled.
    Cancelled,
    /// Another permission of the session was rejected.
    Rejected,
    /// The agent withdrew it or ended its turn.
    Withdrawn,
    /// The agent process ended.
    AgentExited,
    /// The daemon stopped or died.
    Restart,
    /// The run's deadline passed.
    Deadline,
}

impl EventBody {
    /// The event's type, as in `event:` of its SSE frame.
    pub fn event_type(&self) -> &'static str {
        match self {
            Self::RuntimeAccepted { .. } => "runtime.accepted",
            Self::RuntimeCompleted { .. } => "runtime.completed",
            Self::RuntimeFailed { .. } => "runtime.failed",
            Self::RuntimeCancelled { .. } => "runtime.cancelled",
            Self::TurnUpdated { .. } => "turn.updated",
            Self::MessageUpdated { .. } => "message.updated",
            Self::PartUpdated { .. } | Self::PartClosed { .. } | Self::PartGrew { .. } => {
                "message.part.updated"
            }
            Self::TodoUpdated { .. } => "todo.updated",
            Self::PermissionAsked(_) => "permission.asked",
            Self::PermissionReplied { .. } => "permission.replied",
            Self::PermissionCancelled { .. } => "permission.cancelled",
            Self::QuestionAsked(_) => "question.asked",
            Self::QuestionReplied { .. } => "question.replied",
            Self::QuestionRejected { .. } => "question.rejected",
            Self::QuestionCancelled { .. } => "question.cancelled",
            Self::SessionStatusChanged { .. } => "session.status",
            Self::SessionIdle { .. } => "session.idle",
            Self::SessionError { .. } => "session.error",
            Self::SessionUpdated { .. } | Self::SessionRecord { .. } => "session.updated",
            Self::SessionCreated { .. } => "session.created",
            Self::SessionDeleted { .. } => "session.deleted",
            Self::SessionContext { .. } => "session.context",
            Self::AgentConnected { .. } => "agent.connected",
            Self::AgentResumed { .. } => "agent.resumed",
            Self::AgentReset { .. } => "agent.reset",
            Self::AgentExited { .. } => "agent.exited",
            Self::AgentStderr { .. } => "agent.stderr",
            Self::ArtifactCreated { .. } => "artifact.created",
            Self::AgentRaw { .. } => "agent.raw",
        }
    }

    /// The event's coarse class.
    pub fn kind(&self) -> EventKind {
        match self {
            Self::RuntimeAccepted { .. }
            | Self::TurnUpdated { .. }
            | Self::SessionStatusChanged { .. }
            | Self::SessionIdle { .. }
            | Self::SessionUpdated { .. }
            | Self::SessionCreated { .. }
            | Self::SessionRecord { .. }
            | Self::SessionDeleted { .. }
            | Self::SessionContext { .. }
            | Self::AgentConnected { .. }
            | Self::AgentResumed { .. }
            | Self::AgentReset { .. }
            | Self::AgentExited { .. }
            | Self::AgentStderr { .. } => EventKind::System,
            Self::RuntimeCompleted { .. } | Self::RuntimeCancelled { .. } => EventKind::Stop,
            Self::MessageUpdated { .. } => EventKind::Message,
            Self::PartUpdated { part } => part.body.kind(),
            Self::PartClosed { part } | Self::PartGrew { part, .. } => {
                if part.part_type == "reasoning" {
                    EventKind::Thought
                } else {
                    EventKind::Message
                }
            }
            Self::TodoUpdated { .. } => EventKind::Plan,
            Self::PermissionAsked(_)
            | Self::PermissionReplied { .. }
            | Self::PermissionCancelled { .. }
            | Self::QuestionAsked(_)
            | Self::QuestionReplied { .. }
            | Self::QuestionRejected { .. }
            | Self::QuestionCancelled { .. } => EventKind::Permission,
            Self::RuntimeFailed { .. } | Self::SessionError { .. } => EventKind::Error,
            Self::ArtifactCreated { .. } => EventKind::Artifact,
            Self::AgentRaw { .. } => EventKind::Raw,
        }
    }
}

impl PartBody {
    /// The class of events about such a part.
    pub fn kind(&self) -> EventKind {
        match self {
            Self::Reasoning(_) => EventKind::Thought,
            Self::Tool(_) => EventKind::Tool,
            Self::Text(_)
            | Self::File(_)
            | Self::StepStart(_)
            | Self::StepFinish(_)
            | Self::Agent(_)
            | Self::Conversation(_)
            | Self::Subtask(_)
            | Self::Compaction(_) => EventKind::Message,
        }
    }
}
