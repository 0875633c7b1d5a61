//! What a command is answered, and how rows look to clients.

use openscience_protocol::decision::{StandingGrant, StandingScope};
use openscience_protocol::message::MessageError;
use openscience_protocol::prompt::PromptAccepted;
use openscience_protocol::row::{
    DecisionRow, DecisionState, GrantRow, GrantScope, RunRow, SessionRow, TerminalRow, TurnRow,
};
use openscience_protocol::run::{RunTurn, Waiting};
use openscience_protocol::session::SessionTime;
use openscience_protocol::{DecisionResult, OwnerId, Queue, RunError, RuntimeRun, Session, SessionId, codes};
use serde_json::{Map, Value};

/// The answer to a command that was taken.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    Accepted(PromptAccepted),
    Run(Box<RuntimeRun>),
    /// The receipt; `settled` is false while the answer is on its way to the agent.
    Decision {
        result: DecisionResult,
        settled: bool,
    },
    Session(Box<Session>),
    Queue(Queue),
    /// How many turns were taken back.
    Withdrawn(u32),
    Turn(RunTurn),
    Terminal(Box<TerminalRow>),
    Done,
}

/// Why a command was not taken. Nothing changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The session has a run that waits and is about to be ended elsewhere.
    Busy,
    /// As many turns wait as the limit allows.
    QueueFull,
    TurnNotFound,
    /// The turn does not wait any more.
    TurnNotQueued,
    /// Another process executes the run.
    RunNotOwned {
        owner: OwnerId,
    },
    /// The key or the message id was used with another prompt.
    Conflict,
    Deleting,
    RunNotFound,
    TerminalNotFound,
    DecisionConflict,
    DecisionExpired,
    DecisionNotOwned {
        owner: OwnerId,
    },
    ScopeNotAvailable,
    InvalidAnswer,
}

/// A receipt as clients see it.
pub fn run(session: &SessionId, row: &RunRow, decisions: &[DecisionRow]) -> RuntimeRun {
    let terminal = row.state.is_terminal();
    let pending: Vec<&DecisionRow> =
        decisions.iter().filter(|d| d.run_id == row.id && d.state == DecisionState::Pending).collect();
    let waiting = pending.first().filter(|_| !terminal).map(|oldest| Waiting {
        decisions: pending.iter().map(|d| d.id.clone()).collect(),
        since: oldest.asked_at,
    });
    RuntimeRun {
        run_id: row.id.clone(),
        session_id: session.clone(),
        request_id: row.request_id.clone(),
        message_id: row.message_id.clone(),
        state: row.state,
        accepted_at: row.accepted_at,
        updated_at: row.updated_at,
        completed_at: row.completed_at,
        result_message_id: row.result_message_id.clone().filter(|_| terminal),
        // On a live run it is only what the end is meant to be.
        error: row.error.clone().filter(|_| terminal),
        stop_reason: row.stop_reason.clone(),
        agent: Some(row.agent.clone()),
        agent_still_running: row.agent_still_running.then_some(true),
        context_reset: row.context_reset.then_some(true),
        waiting,
        last_activity_at: None,
        deadline_at: row.deadline_at,
        turn: None,
    }
}

/// A turn as clients see it.
pub fn turn(row: &TurnRow) -> RunTurn {
    RunTurn { id: row.id.clone(), state: row.state, into_turn_id: row.into_turn_id.clone() }
}

/// A session as clients see it.
pub fn session(row: &SessionRow) -> Session {
    let slug = row.id.as_str().strip_prefix("ses_").unwrap_or(row.id.as_str()).to_owned();
    Session {
        id: row.id.clone(),
        slug,
        project_id: row.project_id.clone(),
        directory: row.directory.clone(),
        workspace: row.workspace,
        parent_id: row.parent_id.clone(),
        title: row.title.clone(),
        version: row.version.clone(),
        time: SessionTime {
            created: row.created,
            updated: row.updated,
            archived: row.archived,
            pinned: row.pinned,
        },
        permission: row.permission.clone(),
        agent: row.agent.clone(),
        deadline_ms: row.deadline_ms,
    }
}

/// A grant as clients see it; none for one that ends with its session.
pub fn standing(row: &GrantRow) -> Option<StandingGrant> {
    let scope = match row.scope {
        GrantScope::Session => return None,
        GrantScope::Project => StandingScope::Project,
        GrantScope::Always => StandingScope::Global,
    };
    let GrantRow { id, permission, pattern, created, .. } = row.clone();
    Some(StandingGrant { id, permission, pattern, scope, created })
}

/// The receipt of a decision that was answered; none if it was not.
pub fn decision(session: &SessionId, row: &DecisionRow) -> Option<DecisionResult> {
    Some(DecisionResult {
        session_id: session.clone(),
        request_id: row.id.clone(),
        status: row.state.status()?,
        decided_at: row.decided_at?,
    })
}

/// How a run's error stands on its assistant message.
pub(crate) fn message_error(error: &RunError, provider: &str) -> MessageError {
    let mut data = Map::new();
    let name = if error.code == codes::run::AUTH_REQUIRED {
        data.insert("providerID".to_owned(), Value::String(provider.to_owned()));
        "ProviderAuthError"
    } else if error.code == codes::run::CANCELLED {
        "MessageAbortedError"
    } else {
        "UnknownError"
    };
    data.insert("message".to_owned(), Value::String(error.message.clone()));
    MessageError { name: name.to_owned(), data }
}
