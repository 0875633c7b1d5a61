//! Why an agent could not be started, opened or prompted, and what that means
//! for a run.

use std::io;

use openscience_protocol::RunError;
use openscience_protocol::codes::run as codes;

use crate::text;

/// What was being done when something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// The process was being started.
    Start,
    Initialize,
    /// A session was being created, loaded or resumed.
    Session,
    /// A mode or an option was being set.
    Configure,
    Prompt,
}

impl Stage {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Initialize => "initialize",
            Self::Session => "session",
            Self::Configure => "configure",
            Self::Prompt => "prompt",
        }
    }

    /// The code of a failure of this stage that has no code of its own.
    fn code(self) -> &'static str {
        match self {
            Self::Start | Self::Initialize => codes::AGENT_START_FAILED,
            Self::Session | Self::Configure => codes::SESSION_OPEN_FAILED,
            Self::Prompt => codes::PROMPT_FAILED,
        }
    }
}

/// An error answer of the agent, bounded and masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RpcError {
    /// Absent if the agent sent none that is an integer.
    pub code: Option<i64>,
    pub message: String,
}

/// How the connection to an agent ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AgentExit {
    /// `exit status: 7` or `signal: 9`; absent where there was no process.
    pub exit: Option<String>,
    /// The kept tail of stderr, masked; what it wrote to stdout instead, if stderr is empty.
    pub stderr: String,
    /// The longest line it wrote was too long to go on.
    pub endless_line: bool,
}

impl AgentExit {
    /// What this means for a turn or a session, and while doing what.
    pub fn run_error(&self, stage: Option<Stage>) -> RunError {
        let mut error = if self.endless_line {
            RunError::new(codes::FRAME_TOO_LARGE, "the agent wrote a line without end")
        } else {
            let message = match &self.exit {
                Some(exit) => format!("the agent exited ({exit})"),
                None => "the agent closed the connection".to_owned(),
            };
            RunError::new(codes::AGENT_EXITED, message)
        };
        error.stage = stage.map(|stage| stage.as_str().to_owned());
        error.exit.clone_from(&self.exit);
        error.stderr = excerpt(&self.stderr);
        error
    }
}

/// Why an operation on an agent failed.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("command not found: {command}")]
    CommandNotFound {
        command: String,
        /// The `PATH` that was searched, for a plain name.
        searched: Option<String>,
    },
    #[error("the working directory does not exist")]
    DirectoryMissing,
    #[error("could not start the agent")]
    Spawn(#[source] io::Error),
    #[error("the agent exited")]
    Exited { stage: Stage, exit: AgentExit },
    #[error("the agent did not answer in time")]
    Timeout { stage: Stage, stderr: String },
    #[error("the agent refused: {}", error.message)]
    Refused { stage: Stage, error: RpcError, stderr: String },
    #[error("the agent wants authentication: {}", error.message)]
    AuthRequired { stage: Stage, error: RpcError },
    #[error("the agent speaks protocol version {0}")]
    ProtocolVersion(i64),
    #[error("the agent's answer cannot be read")]
    BadAnswer { stage: Stage },
    #[error("the agent gave a new session the id of one that is open")]
    TakenId,
    #[error("the agent wrote a frame that is too large")]
    FrameTooLarge { stage: Stage },
    #[error("the session is not open on this agent")]
    UnknownSession,
    #[error("too much waits to be written to the agent")]
    QueueFull,
    #[error("could not encode a message")]
    Encode(#[source] serde_json::Error),
}

/// JSON-RPC code of an agent that wants authentication.
const AUTH_REQUIRED: i64 = -32000;

impl AgentError {
    /// An error answer at that stage.
    pub(crate) fn refused(stage: Stage, error: RpcError, stderr: String) -> Self {
        // Only opening and prompting need a login; elsewhere the number is any server error.
        if matches!(stage, Stage::Session | Stage::Prompt) && error.code == Some(AUTH_REQUIRED) {
            return Self::AuthRequired { stage, error };
        }
        Self::Refused { stage, error, stderr }
    }
}

impl From<AgentError> for RunError {
    fn from(error: AgentError) -> Self {
        let text = text::bounded(&error.to_string());
        match error {
            AgentError::CommandNotFound { searched, .. } => {
                let message = match searched {
                    Some(path) => format!("{text} (searched in {})", text::bounded_to(&path, 500)),
                    None => text,
                };
                failure(codes::AGENT_START_FAILED, Stage::Start, message)
            }
            AgentError::DirectoryMissing => failure(codes::DIRECTORY_MISSING, Stage::Start, text),
            AgentError::Spawn(source) => {
                failure(codes::AGENT_START_FAILED, Stage::Start, format!("{text}: {source}"))
            }
            AgentError::Exited { stage, exit } => {
                let mut error = exit.run_error(Some(stage));
                // It never was a working agent.
                if matches!(stage, Stage::Start | Stage::Initialize) {
                    codes::AGENT_START_FAILED.clone_into(&mut error.code);
                }
                error
            }
            AgentError::Timeout { stage, stderr } => {
                Self { stderr: excerpt(&stderr), ..failure(stage.code(), stage, text) }
            }
            AgentError::Refused { stage, error, stderr } => Self {
                agent_code: error.code,
                stderr: excerpt(&stderr),
                ..failure(stage.code(), stage, text::bounded(&error.message))
            },
            AgentError::AuthRequired { stage, error } => Self {
                agent_code: error.code,
                ..failure(codes::AUTH_REQUIRED, stage, text::bounded(&error.message))
            },
            AgentError::ProtocolVersion(_) => failure(codes::AGENT_START_FAILED, Stage::Initialize, text),
            AgentError::BadAnswer { stage } => failure(stage.code(), stage, text),
            AgentError::TakenId => failure(codes::SESSION_OPEN_FAILED, Stage::Session, text),
            AgentError::FrameTooLarge { stage } => failure(codes::FRAME_TOO_LARGE, stage, text),
            AgentError::UnknownSession | AgentError::QueueFull | AgentError::Encode(_) => {
                failure(codes::PROMPT_FAILED, Stage::Prompt, text)
            }
        }
    }
}

fn failure(code: &str, stage: Stage, message: String) -> RunError {
    RunError::new(code, message).at(stage.as_str())
}

/// The part of stderr that goes into an error.
pub(crate) fn excerpt(stderr: &str) -> Option<String> {
    let lines = text::last_lines(stderr);
    if lines.is_empty() { None } else { Some(lines) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: AgentError, code: &str, stage: &str) -> RunError {
        let error = RunError::from(error);
        assert_eq!((error.code.as_str(), error.stage.as_deref()), (code, Some(stage)), "{error:?}");
        error
    }

    #[test]
    fn every_failure_has_the_code_of_its_stage() {
        let exit = AgentExit { exit: Some("exit status: 7".to_owned()), ..AgentExit::default() };
        let refusal = |code| RpcError { code: Some(code), message: "no".to_owned() };
        let refused = |stage, code| AgentError::refused(stage, refusal(code), String::new());

        check(
            AgentError::CommandNotFound { command: "x".to_owned(), searched: None },
            "agent_start_failed",
            "start",
        );
        check(AgentError::DirectoryMissing, "directory_missing", "start");
        check(refused(Stage::Initialize, -32603), "agent_start_failed", "initialize");
        check(refused(Stage::Session, -32603), "session_open_failed", "session");
        check(refused(Stage::Session, -32000), "auth_required", "session");
        check(refused(Stage::Prompt, -32603), "prompt_failed", "prompt");
        let error = check(refused(Stage::Prompt, -32000), "auth_required", "prompt");
        assert_eq!(error.agent_code, Some(-32000));
        check(refused(Stage::Initialize, -32000), "agent_start_failed", "initialize");
        check(refused(Stage::Configure, -32000), "session_open_failed", "configure");
        check(
            AgentError::Exited { stage: Stage::Initialize, exit: exit.clone() },
            "agent_start_failed",
            "initialize",
        );
        let error = check(AgentError::Exited { stage: Stage::Session, exit }, "agent_exited", "session");
        assert_eq!(error.exit.as_deref(), Some("exit status: 7"));
    }

    #[test]
    fn the_searched_path_is_named() {
        let error = RunError::from(AgentError::CommandNotFound {
            command: "no-such".to_owned(),
            searched: Some("/a:/b".to_owned()),
        });
        assert_eq!(error.message, "command not found: no-such (searched in /a:/b)");
    }
}
