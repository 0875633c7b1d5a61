//! Why an operation of the runtime did not happen: one enum per operation a
//! caller can act on, without HTTP.

use std::fmt;
use std::path::PathBuf;

pub use openscience_files::open::FileFault;
pub use openscience_files::upload::UploadError;
use openscience_protocol::session_agent::AgentLogin;
use openscience_protocol::{
    AgentId, ClaimId, DecisionId, MessageId, ProjectId, RunError, RunId, Sequence, SessionId, TurnId,
    UploadId, Workspace,
};
pub use openscience_store::StoreError;

/// Why no project could be selected.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    #[error("the directory must be absolute and exist")]
    Directory { directory: String },
    #[error("project {0} is not known")]
    Unknown(ProjectId),
    #[error("the directory of project {0} is gone")]
    Stale(ProjectId, PathBuf),
    #[error("the directory is not that of project {0}")]
    Mismatch(ProjectId, PathBuf),
    #[error("could not read projects")]
    Store(#[from] StoreError),
}

/// Why a session could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    #[error("session {0} does not exist in this project")]
    NotFound(SessionId),
    #[error("session {0} is being deleted")]
    Deleting(SessionId),
    #[error("message {0} does not exist in this session")]
    MessageNotFound(MessageId),
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not read or write the session")]
    Store(#[from] StoreError),
}

/// Why the read model could not be read, or nothing done with a terminal.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    #[error("session {0} does not exist in this project")]
    SessionNotFound(SessionId),
    #[error("no terminal of that id was started in this session")]
    TerminalNotFound,
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not read or write the session")]
    Store(#[from] StoreError),
}

/// Agents that can be started, for a message to a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentIds(pub Vec<AgentId>);

impl fmt::Display for AgentIds {
    /// The first few: there may be any number.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const SHOWN: usize = 20;
        let shown: Vec<&str> = self.0.iter().take(SHOWN).map(AgentId::as_str).collect();
        f.write_str(&shown.join(", "))?;
        if self.0.len() > SHOWN { write!(f, " and {} more", self.0.len() - SHOWN) } else { Ok(()) }
    }
}

/// Why a session was not created.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    // A client chose the name: it may be of any length, and is not repeated.
    #[error("no agent of that id is configured or known to the registry; configured: {0}")]
    AgentNotFound(AgentIds),
    #[error("parent session {0} does not exist in this project")]
    ParentNotFound(SessionId),
    #[error("session {session} exists with workspace {workspace:?}")]
    WorkspaceMismatch { session: SessionId, workspace: Workspace, requested: Workspace },
    /// `what` is `agent`, `project`, `origin` or `conversation`.
    #[error("session {session} exists with another {what}")]
    Conflict { session: SessionId, what: &'static str },
    #[error("session {0} was deleted")]
    Deleted(SessionId),
    #[error("session {0} is being deleted")]
    Deleting(SessionId),
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("the agent of the session takes no system prompt")]
    SystemPromptUnsupported,
    /// The agent's conversation belongs to a session already.
    #[error("session {session} holds this conversation")]
    Taken { session: SessionId },
    /// The agent could not be asked, or refused.
    #[error(transparent)]
    Visit(#[from] VisitError),
    #[error("could not record the session")]
    Store(#[from] StoreError),
}

impl From<RunError> for CreateError {
    fn from(error: RunError) -> Self {
        Self::Visit(VisitError::Agent(error))
    }
}

impl From<SessionError> for CreateError {
    fn from(error: SessionError) -> Self {
        Self::Visit(error.into())
    }
}

/// Why an agent could not be asked what it knows.
#[derive(Debug, thiserror::Error)]
pub enum AgentError {
    #[error("no agent of that id is configured or known to the registry; configured: {0}")]
    NotFound(AgentIds),
    #[error("{}", .0.message)]
    Agent(RunError),
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not read sessions")]
    Store(#[from] StoreError),
}

impl From<RunError> for AgentError {
    fn from(error: RunError) -> Self {
        Self::Agent(error)
    }
}

/// Why a login was not made.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    #[error(transparent)]
    Agent(#[from] AgentError),
    #[error("the agent has no such way to log in, or none that is meant when none is named")]
    MethodNotFound { known: Vec<AgentLogin> },
    #[error("variables of the agent's environment have to be set: {}", names.join(", "))]
    Environment { method: String, names: Vec<String> },
    /// `env` are names.
    #[error("a person has to log in at a terminal: {label}")]
    Terminal {
        method: String,
        command: String,
        args: Vec<String>,
        env: Vec<String>,
        label: String,
        success_patterns: Vec<String>,
    },
    #[error("{}", .0.message)]
    Failed(RunError),
}

/// Why a prompt was not accepted.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    #[error("session {0} does not exist in this project")]
    NotFound(SessionId),
    #[error("session {0} is being deleted")]
    Deleting(SessionId),
    #[error("a run of the session is being ended by another process")]
    Busy,
    #[error("as many prompts of the session wait as the limit allows")]
    QueueFull,
    #[error("the request id or message id was used with another prompt")]
    Conflict,
    #[error(transparent)]
    Attachment(#[from] AttachError),
    #[error("too many sessions are at work")]
    TooManySessions,
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not record the prompt")]
    Store(#[from] StoreError),
}

/// Why something a prompt brings cannot be taken, and where it stands in the prompt.
#[derive(Debug, thiserror::Error)]
#[error("{place}: {fault}")]
pub struct AttachError {
    /// Such as `parts[1].url`.
    pub place: String,
    pub fault: AttachFault,
}

/// What is wrong with it. Repeats nothing that was sent.
#[derive(Debug, thiserror::Error)]
pub enum AttachFault {
    #[error("{0}")]
    Invalid(String),
    #[error("there is no such file, upload or conversation")]
    Missing,
    #[error("the upload is not whole yet")]
    Incomplete,
    #[error("the file is larger than the limit")]
    TooLarge { limit: u64, size: u64 },
    #[error("the file is outside the session's directories, and no rule allows it")]
    Outside,
    #[error("the disk has no room for it")]
    Full,
    #[error("the file cannot be read")]
    Io(#[source] std::io::Error),
    #[error("the conversation could not be read")]
    Store(#[source] StoreError),
}

/// Why an upload could not be made, read, changed or shown.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error(transparent)]
    Upload(#[from] UploadError),
    #[error("a message names upload {0}")]
    InUse(UploadId),
    #[error("the offset is beyond the end of the file")]
    BeyondEnd,
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not read which uploads are used")]
    Store(#[from] StoreError),
}

/// Why a run could not be read or cancelled.
#[derive(Debug, thiserror::Error)]
pub enum RunLookupError {
    #[error("session {0} does not exist in this project")]
    SessionNotFound(SessionId),
    #[error("run {0} does not exist in this session")]
    RunNotFound(RunId),
    #[error("turn {0} does not exist in this run")]
    TurnNotFound(TurnId),
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not read or write the run")]
    Store(#[from] StoreError),
}

/// Why an agent was not visited between turns, or not with success.
#[derive(Debug, Clone, thiserror::Error)]
pub enum VisitError {
    #[error("session {0} does not exist in this project")]
    SessionNotFound(SessionId),
    #[error("session {0} is being deleted")]
    Deleting(SessionId),
    #[error("a run of session {0} is live")]
    Busy(SessionId),
    #[error("session {0} has no conversation with its agent yet")]
    NoConversation(SessionId),
    #[error("the agent has no such mode, or several; it offers {offered}")]
    UnknownMode { offered: String },
    #[error("the agent has no such option, or several; it offers {offered}")]
    UnknownOption { offered: String },
    #[error("the option has no such value; it offers {offered}")]
    InvalidValue { offered: String },
    /// The agent could not be started or asked, or refused.
    #[error("{}", .0.message)]
    Agent(RunError),
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not read or write the session")]
    Store(#[from] StoreError),
}

impl From<RunError> for VisitError {
    fn from(error: RunError) -> Self {
        Self::Agent(error)
    }
}

/// Why an artifact could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    #[error("there is no such artifact in this project")]
    NotFound,
    #[error("the bytes of the artifact are gone")]
    Gone,
    #[error("the bytes of the artifact are not those that were saved")]
    Damaged,
    #[error("the artifact cannot be read")]
    Unreadable(#[from] std::io::Error),
    #[error("the offset is beyond the end of the file")]
    BeyondEnd,
    #[error("could not read or write artifacts")]
    Store(#[from] StoreError),
}

/// Why the files of a claim are not with their message.
#[derive(Debug, thiserror::Error)]
pub enum ClaimError {
    #[error("claim {0} does not exist in this project")]
    NotFound(ClaimId),
    #[error("the files of claim {0} belong to another message")]
    Conflict(ClaimId),
    #[error("the files of claim {claim} are not with their message: {reason}")]
    NotFinalized { claim: ClaimId, reason: String },
    #[error("could not read or write the claim")]
    Store(#[from] StoreError),
}

/// Why a file was not kept as a Result.
#[derive(Debug, thiserror::Error)]
pub enum DeclareError {
    #[error("session {0} does not exist in this project")]
    SessionNotFound(SessionId),
    #[error("message {0} does not exist in this session")]
    MessageNotFound(MessageId),
    #[error("the path leads out of the folders of the session")]
    Outside,
    #[error("the file does not exist")]
    Missing,
    #[error("the file is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    #[error("the disk has not enough free space left")]
    Full,
    #[error(transparent)]
    Refused(openscience_files::artifact::WriteError),
    #[error("the file could not be kept")]
    Unwritable(#[source] std::io::Error),
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not record the file")]
    Store(#[from] StoreError),
}

/// Why a turn or the queue of a session could not be read or changed.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    #[error("session {0} does not exist in this project")]
    SessionNotFound(SessionId),
    #[error("turn {0} does not exist in this session")]
    NotFound(TurnId),
    #[error("turn {0} does not wait any more")]
    NotQueued(TurnId),
    #[error("another process executes the run")]
    NotOwned { url: Option<String> },
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not read or write the queue")]
    Store(#[from] StoreError),
}

/// Why a decision was not taken.
#[derive(Debug, thiserror::Error)]
pub enum DecideError {
    #[error("session {0} does not exist in this project")]
    SessionNotFound(SessionId),
    #[error("decision {0} was answered differently")]
    Conflict(DecisionId),
    #[error("decision {0} is not pending")]
    Expired(DecisionId),
    #[error("decision {decision} waits in another process")]
    NotOwned { decision: DecisionId, url: Option<String> },
    #[error("this scope cannot be granted for decision {0}")]
    ScopeNotAvailable(DecisionId),
    #[error("the answer does not fit the question")]
    InvalidAnswer,
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not record the decision")]
    Store(#[from] StoreError),
}

/// Why grants could not be read or revoked.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    #[error("no grant of that id reaches this project")]
    NotFound,
    #[error("could not read or write grants")]
    Store(#[from] StoreError),
}

/// Why events cannot be read from a cursor.
#[derive(Debug, thiserror::Error)]
pub enum FollowError {
    #[error("session {0} does not exist in this project")]
    SessionNotFound(SessionId),
    #[error("the cursor is older than the oldest retained event")]
    Expired { oldest: Sequence, latest: Sequence },
    #[error("the cursor is ahead of the newest event")]
    Ahead { oldest: Sequence, latest: Sequence },
    #[error("too many event streams are open")]
    TooManySubscribers,
    #[error("the runtime is shutting down")]
    ShuttingDown,
    #[error("could not read events")]
    Store(#[from] StoreError),
}

/// Why nobody can listen now.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error("too many event streams are open")]
    TooManySubscribers,
    #[error("the runtime is shutting down")]
    ShuttingDown,
}

/// Why the runtime did not start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    #[error(transparent)]
    Open(#[from] openscience_store::OpenError),
    #[error("could not open the folder of artifacts")]
    Artifacts(#[source] std::io::Error),
    #[error("could not settle what an earlier process left")]
    Recover(#[from] StoreError),
}
