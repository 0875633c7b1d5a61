//! A run and its durable receipt.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{AgentId, MessageId, Millis, RunId, SessionId, TurnId};

/// Where a run stands. The last four are final and never change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    /// Recorded; the agent has not been prompted yet.
    Accepted,
    /// The agent has the prompt.
    Running,
    /// The agent's turn ended by itself. Says nothing about the quality of the answer.
    Completed,
    /// Ended with `error`.
    Failed,
    /// Ended by a recorded cancel request.
    Cancelled,
    /// Its owner died or stopped; nothing was executed again.
    Interrupted,
}

impl RunState {
    /// True if the run can no longer change.
    pub fn is_terminal(self) -> bool {
        match self {
            Self::Accepted | Self::Running => false,
            Self::Completed | Self::Failed | Self::Cancelled | Self::Interrupted => true,
        }
    }

    /// The word on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Running => "running",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
        }
    }

    /// The state of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Accepted, Self::Running, Self::Completed, Self::Failed, Self::Cancelled, Self::Interrupted]
            .into_iter()
            .find(|state| state.as_str() == word)
    }
}

/// Why a run did not complete.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunError {
    /// Stable snake_case word (see the table in docs/errors).
    pub code: String,
    /// For people; bounded, without secrets, paths of the daemon or the prompt.
    pub message: String,
    /// What the daemon was doing: `start`, `initialize`, `session`, `configure`, `prompt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// Exit status or signal of the agent process, as text (`exit status: 7`, `signal: 9`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<String>,
    /// Last lines the agent wrote to stderr; bounded, configured secrets masked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stderr: Option<String>,
    /// JSON-RPC error code the agent answered with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_code: Option<i64>,
}

impl RunError {
    /// An error with a code and a message only.
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            stage: None,
            exit: None,
            stderr: None,
            agent_code: None,
        }
    }

    /// The same error, naming what was being done.
    #[must_use]
    pub fn at(mut self, stage: &str) -> Self {
        self.stage = Some(stage.to_owned());
        self
    }
}

/// What a run waits for: people, not the agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Waiting {
    /// Ids of the pending decisions.
    pub decisions: Vec<crate::DecisionId>,
    /// When the oldest of them was asked.
    pub since: Millis,
}

/// The turn a follow-up became.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct RunTurn {
    pub id: TurnId,
    /// queued, ready, active, completed, cancelled, coalesced, withdrawn or failed.
    pub state: TurnState,
    /// The turn its prompt was sent with.
    #[serde(rename = "intoTurnID", default, skip_serializing_if = "Option::is_none")]
    pub into_turn_id: Option<TurnId>,
}

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum TurnState {
    Queued,
    Ready,
    Active,
    Completed,
    Cancelled,
    Coalesced,
    Withdrawn,
    Failed,
}

/// The durable receipt of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RuntimeRun {
    #[serde(rename = "runID")]
    pub run_id: RunId,
    #[serde(rename = "sessionID")]
    pub session_id: SessionId,
    /// The key the client chose, if any.
    #[serde(rename = "requestID", default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
    /// The user message this run answers.
    #[serde(rename = "messageID")]
    pub message_id: MessageId,
    pub state: RunState,
    pub accepted_at: Millis,
    pub updated_at: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub completed_at: Option<Millis>,
    /// The assistant message that holds the result.
    #[serde(rename = "resultMessageID", default, skip_serializing_if = "Option::is_none")]
    pub result_message_id: Option<MessageId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<RunError>,
    /// Why the agent stopped, in ACP's words; unknown words are kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// The agent that answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub agent: Option<AgentId>,
    /// The agent did not end its turn and could not be stopped without harming other sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_still_running: Option<bool>,
    /// The agent had lost the conversation and began afresh, with the newest of the transcript.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_reset: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<Waiting>,
    /// When the agent was last heard of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity_at: Option<Millis>,
    /// When the run is stopped, whatever it has reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deadline_at: Option<Millis>,
    /// The turn that was asked for, or that a follow-up became.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<RunTurn>,
}
