//! What does the end of a run mean for the process: which status, which exit code, which reason?

use openscience_protocol::codes::{api, run};
use openscience_protocol::message::MessageError;
use openscience_protocol::{RunError, RunState, RuntimeRun};
use serde_json::{Map, Value};

use super::line::Status;
use crate::cli::serve::signals::StopSignal;

/// The exit code of wrong arguments, a wrong configuration, an unknown agent or model.
pub(in crate::cli) const USAGE: u8 = 2;
const FAILED: u8 = 1;
const REJECTED: u8 = 3;

/// The connection to a daemon was lost and did not come back.
pub(super) const CONNECTION_LOST: &str = "connection_lost";

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Ended {
    Completed,
    /// Failed or interrupted.
    Failed(Box<RunError>),
    Cancelled,
}

impl Ended {
    pub(super) fn failed(code: &str, message: impl Into<String>) -> Self {
        Self::Failed(Box::new(RunError::new(code, message)))
    }

    /// What a receipt says; none if the run has not ended.
    pub(super) fn of(receipt: &RuntimeRun) -> Option<Self> {
        match receipt.state {
            RunState::Accepted | RunState::Running => None,
            RunState::Completed => Some(Self::Completed),
            RunState::Cancelled => Some(Self::Cancelled),
            RunState::Failed | RunState::Interrupted => Some(match &receipt.error {
                Some(error) => Self::Failed(Box::new(error.clone())),
                None => Self::failed(run::RUN_FAILED, "the run ended without a reason"),
            }),
        }
    }

    /// What is told of it: `told` is what the runtime said, if it did, and what is known besides is added.
    pub(super) fn error(&self, told: Option<MessageError>) -> Option<MessageError> {
        let (name, message) = match self {
            Self::Completed => return None,
            Self::Failed(error) => ("UnknownError", error.message.as_str()),
            Self::Cancelled => ("MessageAbortedError", "the run was cancelled"),
        };
        let new = || MessageError {
            name: name.to_owned(),
            data: Map::from_iter([("message".to_owned(), Value::from(message))]),
        };
        let mut error = told.unwrap_or_else(new);
        if let Self::Failed(cause) = self {
            let known = [("stage", &cause.stage), ("exit", &cause.exit), ("stderr", &cause.stderr)];
            let known =
                known.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?.into())));
            error.data.extend(known);
        }
        Some(error)
    }
}

/// What the process says of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) status: Status,
    pub(super) exit_code: u8,
    pub(super) reason: Option<String>,
}

impl Outcome {
    /// `stopped` is the signal that ended it. A run that was complete before it took effect is complete.
    pub(super) fn of(ended: &Ended, stopped: Option<StopSignal>) -> Self {
        let (status, exit_code, reason) = match ended {
            Ended::Completed => return Self { status: Status::Completed, exit_code: 0, reason: None },
            Ended::Cancelled => (Status::Error, FAILED, run::CANCELLED),
            Ended::Failed(error) if error.code == run::PERMISSION_DENIED => {
                (Status::Rejected, REJECTED, error.code.as_str())
            }
            Ended::Failed(error) => (Status::Error, exit_code(&error.code), error.code.as_str()),
        };
        let reason = Some(reason.to_owned());
        match stopped {
            Some(signal) => Self { status: Status::Error, exit_code: signal.exit_code(), reason },
            None => Self { status, exit_code, reason },
        }
    }
}

/// What a refusal or a failure of this code comes to. Trying the same again would not help with the first group.
pub(super) fn exit_code(code: &str) -> u8 {
    const WRONG: [&str; 18] = [
        run::MODEL_NOT_AVAILABLE,
        api::AGENT_NOT_FOUND,
        api::NOT_AVAILABLE,
        api::INVALID_REQUEST,
        api::PAYLOAD_TOO_LARGE,
        api::SESSION_NOT_FOUND,
        api::SESSION_CONFLICT,
        api::SESSION_DELETED,
        api::WORKSPACE_MISMATCH,
        api::DIRECTORY_INVALID,
        api::PROJECT_NOT_FOUND,
        api::PROJECT_STALE,
        api::UNAUTHORIZED,
        api::FORBIDDEN_HOST,
        "config_invalid",
        "attachment_not_found",
        "attachment_unreadable",
        "external_directory",
    ];
    if WRONG.contains(&code) { USAGE } else { FAILED }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(ended: &Ended, stopped: Option<StopSignal>, status: Status, exit_code: u8, reason: &str) {
        let reason = (!reason.is_empty()).then(|| reason.to_owned());
        assert_eq!(Outcome::of(ended, stopped), Outcome { status, exit_code, reason }, "{ended:?}");
    }

    #[test]
    fn each_end_has_its_exit_code_and_its_reason() {
        let failed = |code: &str| Ended::failed(code, "why");
        check(&Ended::Completed, None, Status::Completed, 0, "");
        check(&Ended::Cancelled, None, Status::Error, 1, "cancelled");
        check(&failed("deadline_exceeded"), None, Status::Error, 1, "deadline_exceeded");
        check(&failed("runtime_stopped"), None, Status::Error, 1, "runtime_stopped");
        check(&failed("agent_exited"), None, Status::Error, 1, "agent_exited");
        check(&failed("model_not_available"), None, Status::Error, 2, "model_not_available");
        check(&failed("agent_not_found"), None, Status::Error, 2, "agent_not_found");
        check(&failed("permission_denied"), None, Status::Rejected, 3, "permission_denied");
    }

    #[test]
    fn a_signal_gives_its_exit_code_unless_the_run_was_complete() {
        let interrupted = Some(StopSignal::Interrupt);
        check(&Ended::Cancelled, interrupted, Status::Error, 130, "cancelled");
        check(&Ended::Cancelled, Some(StopSignal::Terminate), Status::Error, 143, "cancelled");
        check(&Ended::Cancelled, Some(StopSignal::HangUp), Status::Error, 129, "cancelled");
        let denied = Ended::failed("permission_denied", "why");
        check(&denied, interrupted, Status::Error, 130, "permission_denied");
        check(&Ended::Completed, interrupted, Status::Completed, 0, "");
    }
}
