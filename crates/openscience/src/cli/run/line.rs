//! What one line of `--format json` looks like.
//!
//! Shapes only: which line is told when is decided by [`super::translate`].

use openscience_protocol::decision::PermissionReply;
use openscience_protocol::message::{MessageError, PartBody, Tokens};
use openscience_protocol::{AgentId, DecisionId, Millis, Part, QuestionRequest, SessionId};
use serde::Serialize;

/// One line: what happened, when and in which session.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Line {
    #[serde(rename = "type")]
    kind: &'static str,
    timestamp: Millis,
    #[serde(rename = "sessionID")]
    session_id: SessionId,
    /// Of a session that was made from another.
    #[serde(rename = "parentID", skip_serializing_if = "Option::is_none")]
    parent_id: Option<SessionId>,
    #[serde(flatten)]
    pub(super) content: Content,
}

/// The session that lines are about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Root {
    pub(super) session: SessionId,
    pub(super) parent: Option<SessionId>,
    pub(super) agent: AgentId,
}

impl Root {
    pub(super) fn line(&self, timestamp: Millis, content: Content) -> Line {
        Line {
            kind: content.kind(),
            timestamp,
            session_id: self.session.clone(),
            parent_id: self.parent.clone(),
            content,
        }
    }
}

/// What a line tells.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Content {
    /// What was sent.
    User { parts: Vec<Part> },
    /// A part of the answer, closed.
    Part { part: Box<Part> },
    /// A permission that was answered.
    Permission { request: PermissionAsked, reply: PermissionReply },
    /// Questions that were answered; dismissed if there are no answers.
    Question { request: QuestionRequest, answers: Vec<Vec<String>> },
    /// Why the run did not come to a good end.
    Error { error: MessageError },
    /// The last line.
    Done(Box<Done>),
}

impl Content {
    /// The word of the line's `type`.
    fn kind(&self) -> &'static str {
        match self {
            Self::User { .. } => "user",
            Self::Part { part } => match &part.body {
                PartBody::StepStart(_) => "step_start",
                PartBody::StepFinish(_) => "step_finish",
                PartBody::Reasoning(_) => "reasoning",
                PartBody::Tool(_) => "tool_use",
                // No others are told: see `translate::is_told`.
                PartBody::Text(_)
                | PartBody::File(_)
                | PartBody::Agent(_)
                | PartBody::Conversation(_)
                | PartBody::Subtask(_)
                | PartBody::Compaction(_) => "text",
            },
            Self::Permission { .. } => "permission",
            Self::Question { .. } => "question",
            Self::Error { .. } => "error",
            Self::Done(_) => "done",
        }
    }
}

/// What was asked for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct PermissionAsked {
    pub(super) id: DecisionId,
    #[serde(rename = "sessionID")]
    pub(super) session_id: SessionId,
    pub(super) permission: String,
    pub(super) patterns: Vec<String>,
}

/// How it ended, and what it took.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Done {
    pub(super) status: Status,
    /// That of the process.
    pub(super) exit_code: u8,
    /// The run's error code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
    pub(super) agent: AgentId,
    pub(super) tokens: Tokens,
    pub(super) cost: f64,
    /// Sessions that the run made: agents work in one of their own, so there are none.
    pub(super) children: Vec<SessionId>,
}

/// In one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Status {
    Completed,
    Error,
    /// Ended over something that was refused.
    Rejected,
}
