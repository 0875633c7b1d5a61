//! What the runtime's refusals look like on the wire: one exhaustive match per
//! operation, so a new reason does not compile until someone chose its status.

use http::{HeaderValue, StatusCode, header};
use openscience_protocol::RunError;
use openscience_protocol::codes::{api, run};
use openscience_runtime::error::{
    AgentError, ArtifactError, AttachError, AttachFault, ClaimError, CreateError, DecideError, DeclareError,
    FileError, FileFault, FollowError, GrantError, ListenError, LoginError, RunLookupError, SelectError,
    SessionError, StateError, StoreError, SubmitError, TurnError, UploadError, VisitError,
};
use serde_json::json;

use crate::problem::{Issue, Problem, bounded};

impl From<SelectError> for Problem {
    fn from(error: SelectError) -> Self {
        let message = error.to_string();
        match error {
            SelectError::Directory { directory } => {
                Self::new(StatusCode::BAD_REQUEST, api::DIRECTORY_INVALID, message)
                    .named("ProjectDirectoryError", json!({ "directory": bounded(&directory) }))
            }
            SelectError::Unknown(project) => Self::not_found(api::PROJECT_NOT_FOUND, message)
                .named("ProjectUnknownError", json!({ "projectID": project })),
            SelectError::Stale(project, directory) => {
                let data = json!({
                    "projectID": project,
                    "reason": "missing_directory",
                    "directory": directory.to_string_lossy(),
                });
                Self::new(StatusCode::GONE, api::PROJECT_STALE, message).named("ProjectStaleError", data)
            }
            SelectError::Mismatch(project, directory) => {
                let data = json!({ "projectID": project, "directory": directory.to_string_lossy() });
                conflict(api::PROJECT_MISMATCH, &message).named("ProjectMismatchError", data)
            }
            SelectError::Store(source) => store(&source),
        }
    }
}

impl From<SessionError> for Problem {
    fn from(error: SessionError) -> Self {
        let message = error.to_string();
        match error {
            SessionError::NotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            SessionError::MessageNotFound(_) => Self::not_found(api::MESSAGE_NOT_FOUND, message),
            SessionError::Deleting(_) => conflict(api::SESSION_DELETING, &message),
            SessionError::ShuttingDown => shutting_down(&message),
            SessionError::Store(source) => store(&source),
        }
    }
}

impl From<CreateError> for Problem {
    fn from(error: CreateError) -> Self {
        let message = error.to_string();
        match error {
            CreateError::AgentNotFound(_) => {
                Self::new(StatusCode::BAD_REQUEST, api::AGENT_NOT_FOUND, message)
            }
            CreateError::ParentNotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            CreateError::WorkspaceMismatch { session, workspace, requested } => {
                let message = format!("session {session} exists with workspace {}", workspace.as_str());
                let data = json!({ "sessionID": session, "workspace": workspace, "requested": requested });
                conflict(api::WORKSPACE_MISMATCH, &message).named("SessionWorkspaceMismatchError", data)
            }
            CreateError::Conflict { .. } => conflict(api::SESSION_CONFLICT, &message),
            CreateError::SystemPromptUnsupported => {
                Self::new(StatusCode::BAD_REQUEST, run::SYSTEM_PROMPT_UNSUPPORTED, message)
                    .named("AcpSystemPromptError", json!({}))
            }
            CreateError::Taken { session } => conflict(api::AGENT_SESSION_TAKEN, &message)
                .named("AcpLoadError", json!({ "sessionID": session })),
            CreateError::Visit(source) => source.into(),
            CreateError::Deleted(_) => conflict(api::SESSION_DELETED, &message),
            CreateError::Deleting(_) => conflict(api::SESSION_DELETING, &message),
            CreateError::ShuttingDown => shutting_down(&message),
            CreateError::Store(source) => store(&source),
        }
    }
}

impl From<SubmitError> for Problem {
    fn from(error: SubmitError) -> Self {
        let message = error.to_string();
        match error {
            SubmitError::NotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            SubmitError::Deleting(_) => conflict(api::SESSION_DELETING, &message),
            SubmitError::Busy => conflict(api::SESSION_BUSY, &message),
            SubmitError::QueueFull => conflict(api::QUEUE_FULL, &message),
            SubmitError::Conflict => conflict(api::REQUEST_CONFLICT, &message),
            SubmitError::Attachment(error) => error.into(),
            SubmitError::TooManySessions => too_many(api::TOO_MANY_SESSIONS, &message),
            SubmitError::ShuttingDown => shutting_down(&message),
            SubmitError::Store(source) => store(&source),
        }
    }
}

impl From<AttachError> for Problem {
    fn from(error: AttachError) -> Self {
        let message = error.to_string();
        let AttachError { place, fault } = error;
        let issue = Issue::new(place, fault.to_string());
        let bad = |code| Self::new(StatusCode::BAD_REQUEST, code, message.clone()).with_issue(issue.clone());
        match fault {
            AttachFault::Invalid(_) => Self::invalid(vec![issue]),
            AttachFault::Missing => bad(api::ATTACHMENT_NOT_FOUND),
            AttachFault::Incomplete => bad(api::UPLOAD_INCOMPLETE),
            AttachFault::TooLarge { limit, size } => too_large(&message, limit, size).with_issue(issue),
            AttachFault::Outside => {
                Self::new(StatusCode::FORBIDDEN, api::EXTERNAL_DIRECTORY, message).with_issue(issue)
            }
            AttachFault::Full => full(&message),
            AttachFault::Io(source) => Self::store_unavailable(&source),
            AttachFault::Store(source) => store(&source),
        }
    }
}

impl From<FileError> for Problem {
    fn from(error: FileError) -> Self {
        let message = error.to_string();
        match error {
            FileError::Upload(error) => upload(error, &message),
            FileError::InUse(_) => conflict(api::UPLOAD_IN_USE, &message),
            FileError::BeyondEnd => Self::invalid(vec![Issue::new("offset", message)]),
            FileError::ShuttingDown => shutting_down(&message),
            FileError::Store(source) => store(&source),
        }
    }
}

fn upload(error: UploadError, message: &str) -> Problem {
    match error {
        UploadError::NotFound(_) => Problem::not_found(api::UPLOAD_NOT_FOUND, message),
        UploadError::Offset { at } => conflict(api::UPLOAD_OFFSET, message).with_offset(at),
        UploadError::Busy => conflict(api::UPLOAD_BUSY, message),
        UploadError::Sealed => conflict(api::UPLOAD_SEALED, message),
        UploadError::Incomplete => conflict(api::UPLOAD_INCOMPLETE, message),
        UploadError::TooLarge { limit, size } => too_large(message, limit, size),
        UploadError::Full => full(message),
        UploadError::Fault(FileFault::Missing | FileFault::Moved | FileFault::NotAFile) => {
            Problem::not_found(api::UPLOAD_NOT_FOUND, "the upload's bytes are gone")
        }
        UploadError::Fault(FileFault::Unreadable(source)) | UploadError::Io(source) => {
            Problem::store_unavailable(&source)
        }
    }
}

fn too_large(message: &str, limit: u64, size: u64) -> Problem {
    let limit = usize::try_from(limit).unwrap_or(usize::MAX);
    let problem = Problem::new(StatusCode::PAYLOAD_TOO_LARGE, api::PAYLOAD_TOO_LARGE, message);
    problem.with_limit(limit).with_size(size)
}

fn full(message: &str) -> Problem {
    Problem::new(StatusCode::INSUFFICIENT_STORAGE, api::STORAGE_FULL, message)
}

impl From<RunLookupError> for Problem {
    fn from(error: RunLookupError) -> Self {
        let message = error.to_string();
        match error {
            RunLookupError::SessionNotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            RunLookupError::RunNotFound(_) => Self::not_found(api::RUN_NOT_FOUND, message),
            RunLookupError::TurnNotFound(_) => Self::not_found(api::TURN_NOT_FOUND, message),
            RunLookupError::ShuttingDown => shutting_down(&message),
            RunLookupError::Store(source) => store(&source),
        }
    }
}

impl From<GrantError> for Problem {
    fn from(error: GrantError) -> Self {
        let message = error.to_string();
        match error {
            GrantError::NotFound => Self::not_found(api::GRANT_NOT_FOUND, message),
            GrantError::Store(source) => store(&source),
        }
    }
}

impl From<ArtifactError> for Problem {
    fn from(error: ArtifactError) -> Self {
        let message = error.to_string();
        match error {
            ArtifactError::NotFound => Self::not_found(api::ARTIFACT_NOT_FOUND, message),
            ArtifactError::Gone => Self::new(StatusCode::GONE, api::ARTIFACT_DAMAGED, message),
            ArtifactError::Damaged => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, api::ARTIFACT_DAMAGED, message)
            }
            ArtifactError::Unreadable(cause) => Self::store_unavailable(&cause),
            ArtifactError::BeyondEnd => Self::invalid(vec![Issue::new("offset", message)]),
            ArtifactError::Store(source) => store(&source),
        }
    }
}

impl From<ClaimError> for Problem {
    fn from(error: ClaimError) -> Self {
        let message = error.to_string();
        match error {
            ClaimError::NotFound(_) => Self::not_found(api::CLAIM_NOT_FOUND, message),
            ClaimError::Conflict(_) => conflict(api::CLAIM_CONFLICT, &message),
            ClaimError::NotFinalized { .. } => conflict(api::CLAIM_NOT_FINALIZED, &message),
            ClaimError::Store(source) => store(&source),
        }
    }
}

impl From<DeclareError> for Problem {
    fn from(error: DeclareError) -> Self {
        let message = error.to_string();
        match error {
            DeclareError::SessionNotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            DeclareError::MessageNotFound(_) => Self::not_found(api::MESSAGE_NOT_FOUND, message),
            DeclareError::Outside => Self::new(StatusCode::FORBIDDEN, api::PATH_NOT_ALLOWED, message),
            DeclareError::Missing => Self::not_found(api::FILE_NOT_FOUND, message),
            DeclareError::TooLarge { limit } => {
                let limit = usize::try_from(limit).unwrap_or(usize::MAX);
                Self::new(StatusCode::PAYLOAD_TOO_LARGE, api::PAYLOAD_TOO_LARGE, message).with_limit(limit)
            }
            DeclareError::Full => Self::new(StatusCode::INSUFFICIENT_STORAGE, api::STORAGE_FULL, message),
            DeclareError::Refused(_) => Self::new(StatusCode::BAD_REQUEST, api::ARTIFACT_REFUSED, message),
            DeclareError::Unwritable(cause) => Self::store_unavailable(&cause),
            DeclareError::ShuttingDown => shutting_down(&message),
            DeclareError::Store(source) => store(&source),
        }
    }
}

impl From<TurnError> for Problem {
    fn from(error: TurnError) -> Self {
        let message = error.to_string();
        match error {
            TurnError::SessionNotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            TurnError::NotFound(_) => Self::not_found(api::TURN_NOT_FOUND, message),
            TurnError::NotQueued(_) => conflict(api::TURN_NOT_QUEUED, &message),
            TurnError::NotOwned { url } => conflict(api::RUN_NOT_OWNED, &message).with_url(url),
            TurnError::ShuttingDown => shutting_down(&message),
            TurnError::Store(source) => store(&source),
        }
    }
}

impl From<VisitError> for Problem {
    fn from(error: VisitError) -> Self {
        let message = error.to_string();
        let unknown = |code: &str| Self::new(StatusCode::BAD_REQUEST, code, message.clone());
        match error {
            VisitError::SessionNotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            VisitError::Deleting(_) => conflict(api::SESSION_DELETING, &message),
            VisitError::Busy(_) => conflict(api::SESSION_BUSY, &message),
            VisitError::NoConversation(_) => conflict(api::AGENT_SESSION_MISSING, &message),
            VisitError::UnknownMode { .. } => unknown(api::MODE_NOT_FOUND),
            VisitError::UnknownOption { .. } => unknown(api::CONFIG_OPTION_NOT_FOUND),
            VisitError::InvalidValue { .. } => unknown(api::CONFIG_VALUE_INVALID),
            VisitError::Agent(source) => agent(&source),
            VisitError::ShuttingDown => shutting_down(&message),
            VisitError::Store(source) => store(&source),
        }
    }
}

impl From<AgentError> for Problem {
    fn from(error: AgentError) -> Self {
        let message = error.to_string();
        match error {
            AgentError::NotFound(_) => Self::new(StatusCode::BAD_REQUEST, api::AGENT_NOT_FOUND, message),
            AgentError::Agent(source) => agent(&source),
            AgentError::ShuttingDown => shutting_down(&message),
            AgentError::Store(source) => store(&source),
        }
    }
}

impl From<LoginError> for Problem {
    fn from(error: LoginError) -> Self {
        const NAME: &str = "AcpAuthenticationError";
        let message = error.to_string();
        match error {
            LoginError::Agent(AgentError::NotFound(known)) => {
                Self::not_found(api::AGENT_NOT_FOUND, AgentError::NotFound(known).to_string())
            }
            LoginError::Agent(source) => source.into(),
            LoginError::MethodNotFound { known } => {
                Self::new(StatusCode::BAD_REQUEST, api::AUTH_METHOD_NOT_FOUND, message)
                    .named(NAME, json!({ "authMethods": known }))
            }
            LoginError::Environment { method, names } => {
                conflict(api::AUTH_ENV, &message).named(NAME, json!({ "methodId": method, "names": names }))
            }
            LoginError::Terminal { method, command, args, env, label, success_patterns } => {
                let data = json!({
                    "methodId": method,
                    "command": command,
                    "args": args,
                    "env": env,
                    "label": label,
                    "successPatterns": success_patterns,
                });
                conflict(api::AUTH_TERMINAL, &message).named(NAME, data)
            }
            LoginError::Failed(source) => {
                let data = json!({ "error": source });
                Self::new(StatusCode::BAD_GATEWAY, api::AUTH_FAILED, message).named(NAME, data)
            }
        }
    }
}

/// What the agent said, or how it failed: with the code a run would have failed with.
fn agent(error: &RunError) -> Problem {
    let status = match error.code.as_str() {
        run::METHOD_NOT_SUPPORTED
        | run::AUTH_REQUIRED
        | run::DIRECTORY_MISSING
        | run::CONTEXT_LOST
        | run::INITIAL_CONFIG_FAILED => StatusCode::CONFLICT,
        run::SYSTEM_PROMPT_UNSUPPORTED => StatusCode::BAD_REQUEST,
        run::AGENT_CAPACITY | run::STORE_UNAVAILABLE => StatusCode::SERVICE_UNAVAILABLE,
        _ => StatusCode::BAD_GATEWAY,
    };
    let name = match error.code.as_str() {
        run::AUTH_REQUIRED => "AcpAuthenticationError",
        run::INITIAL_CONFIG_FAILED => "AcpInitialConfigError",
        run::SYSTEM_PROMPT_UNSUPPORTED => "AcpSystemPromptError",
        run::METHOD_NOT_SUPPORTED => "AcpProtocolError",
        _ => "AcpProcessError",
    };
    Problem::new(status, &error.code, error.message.clone()).named(name, json!({ "error": error }))
}

impl From<DecideError> for Problem {
    fn from(error: DecideError) -> Self {
        let message = error.to_string();
        match error {
            DecideError::SessionNotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            DecideError::Conflict(_) => conflict(api::DECISION_CONFLICT, &message),
            DecideError::Expired(_) => conflict(api::DECISION_EXPIRED, &message),
            DecideError::NotOwned { url, .. } => conflict(api::DECISION_NOT_OWNED, &message).with_url(url),
            DecideError::ScopeNotAvailable(_) => {
                Self::new(StatusCode::BAD_REQUEST, api::SCOPE_NOT_AVAILABLE, message)
            }
            DecideError::InvalidAnswer => Self::new(StatusCode::BAD_REQUEST, api::INVALID_ANSWER, message),
            DecideError::ShuttingDown => shutting_down(&message),
            DecideError::Store(source) => store(&source),
        }
    }
}

impl From<StateError> for Problem {
    fn from(error: StateError) -> Self {
        let message = error.to_string();
        match error {
            StateError::SessionNotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            StateError::TerminalNotFound => Self::not_found(api::TERMINAL_NOT_FOUND, message),
            StateError::ShuttingDown => shutting_down(&message),
            StateError::Store(source) => store(&source),
        }
    }
}

impl From<FollowError> for Problem {
    fn from(error: FollowError) -> Self {
        let message = error.to_string();
        match error {
            FollowError::SessionNotFound(_) => Self::not_found(api::SESSION_NOT_FOUND, message),
            FollowError::Expired { oldest, latest } => {
                conflict(api::CURSOR_EXPIRED, &message).with_window(oldest, latest)
            }
            FollowError::Ahead { oldest, latest } => {
                conflict(api::CURSOR_AHEAD, &message).with_window(oldest, latest)
            }
            FollowError::TooManySubscribers => too_many(api::TOO_MANY_SUBSCRIBERS, &message),
            FollowError::ShuttingDown => shutting_down(&message),
            FollowError::Store(source) => store(&source),
        }
    }
}

impl From<ListenError> for Problem {
    fn from(error: ListenError) -> Self {
        let message = error.to_string();
        match error {
            ListenError::TooManySubscribers => too_many(api::TOO_MANY_SUBSCRIBERS, &message),
            ListenError::ShuttingDown => shutting_down(&message),
        }
    }
}

fn conflict(code: &str, message: &str) -> Problem {
    Problem::new(StatusCode::CONFLICT, code, message)
}

fn too_many(code: &str, message: &str) -> Problem {
    Problem::new(StatusCode::TOO_MANY_REQUESTS, code, message)
        .with_header(header::RETRY_AFTER, HeaderValue::from_static("1"))
}

fn shutting_down(message: &str) -> Problem {
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, api::SHUTTING_DOWN, message)
}

/// What a failed read or write of the store looks like.
pub(crate) fn store(error: &StoreError) -> Problem {
    match error {
        StoreError::Unavailable(_) => Problem::store_unavailable(error),
        StoreError::Closed => shutting_down("the store is closed"),
        StoreError::Constraint(_) | StoreError::Corrupt { .. } | StoreError::Encode(_) => {
            Problem::internal(error)
        }
    }
}

#[cfg(test)]
#[path = "refusal_tests.rs"]
mod tests;
