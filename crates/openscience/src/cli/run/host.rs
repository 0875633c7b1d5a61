//! Who does the work: the runtime of this process, or a daemon that serves already.
//!
//! Both are asked the same and answer in the same words.

use std::pin::Pin;
use std::time::Duration;

use futures_util::Stream;
use openscience_protocol::prompt::PromptAccepted;
use openscience_protocol::{
    AgentId, DecisionInput, Message, MessageId, PromptInput, RunId, RuntimeEvent, RuntimeRun, Sequence,
    Session, SessionId, Snapshot, Workspace,
};

use super::local::Local;
use super::remote::Remote;

/// A refusal, in the words of the HTTP interface.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(super) struct HostError {
    pub(super) code: String,
    pub(super) message: String,
}

/// Why no more events come.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum Lost {
    /// Events were forgotten before they were read: the transcript holds what they told.
    #[error("events were forgotten before they were read")]
    Overtaken,
    #[error("{message}")]
    Gone { code: String, message: String },
}

pub(super) type Events = Pin<Box<dyn Stream<Item = Result<RuntimeEvent, Lost>> + Send>>;

/// The session to make.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) title: Option<String>,
    pub(super) workspace: Workspace,
    pub(super) agent: Option<AgentId>,
}

/// Who does the work.
#[derive(Debug)]
pub(super) enum Host {
    Here(Local),
    There(Remote),
}

/// Asks whichever of the two it is.
macro_rules! ask {
    ($host:expr, $($call:tt)+) => {
        match $host {
            Host::Here(local) => local.$($call)+.await,
            Host::There(remote) => remote.$($call)+.await,
        }
    };
}

impl Host {
    pub(super) async fn create(&self, wanted: Wanted) -> Result<Session, HostError> {
        ask!(self, create(wanted))
    }

    pub(super) async fn session(&self, id: &SessionId) -> Result<Session, HostError> {
        ask!(self, session(id))
    }

    /// Sessions of the project without a parent.
    pub(super) async fn roots(&self) -> Result<Vec<Session>, HostError> {
        ask!(self, roots())
    }

    pub(super) async fn snapshot(&self, id: &SessionId) -> Result<Snapshot, HostError> {
        ask!(self, snapshot(id))
    }

    pub(super) async fn prompt(&self, input: PromptInput) -> Result<PromptAccepted, HostError> {
        ask!(self, prompt(input))
    }

    /// Every event after the cursor.
    pub(super) async fn follow(&self, id: &SessionId, after: Sequence) -> Result<Events, Lost> {
        match self {
            Self::Here(local) => local.follow(id, after).await,
            Self::There(remote) => Ok(remote.follow(id, after)),
        }
    }

    pub(super) async fn decide(&self, answer: DecisionInput) -> Result<(), HostError> {
        ask!(self, decide(answer))
    }

    pub(super) async fn cancel(&self, id: &SessionId, run: &RunId) -> Result<(), HostError> {
        ask!(self, cancel(id, run))
    }

    pub(super) async fn run(&self, id: &SessionId, run: &RunId) -> Result<RuntimeRun, HostError> {
        ask!(self, run(id, run))
    }

    /// One message, whole.
    pub(super) async fn message(&self, id: &SessionId, message: &MessageId) -> Result<Message, HostError> {
        ask!(self, message(id, message))
    }

    /// All messages; long ones may be cut.
    pub(super) async fn messages(&self, id: &SessionId) -> Result<Vec<Message>, HostError> {
        ask!(self, messages(id))
    }

    /// Ends what this process holds; what a daemon holds is its own.
    pub(super) async fn end(self, killed: impl Future<Output = ()>) {
        match self {
            Self::Here(local) => local.end(killed).await,
            Self::There(_) => {}
        }
    }
}

/// How often a lost daemon is looked for before it counts as gone: half a minute.
pub(super) const ATTEMPTS: u32 = 120;
/// How long is waited between two attempts.
pub(super) const PAUSE: Duration = Duration::from_millis(250);
