//! What callers ask of a session, and the store's part of each question.

use openscience_core::admission;
use openscience_core::input::{Command, MetaPatch, PromptCommand};
use openscience_core::session::Live;
use openscience_protocol::event::CancelSource;
use openscience_protocol::{DecisionInput, PromptInput, RunId, SessionId};
use openscience_store::{Store, StoreError};

/// One request to a session's actor.
#[derive(Debug)]
pub(crate) enum Request {
    Prompt(Box<PromptInput>),
    Cancel {
        run: RunId,
        source: CancelSource,
    },
    Abort {
        source: CancelSource,
    },
    Decide(DecisionInput),
    Patch(MetaPatch),
    BeginDelete,
    Stop {
        force: bool,
    },
    /// Write what is held back, so that a read sees it.
    Flush,
    /// Answered when no run is live.
    WaitIdle,
}

impl Request {
    /// The command with what the store knows; none for a request that only waits.
    pub(crate) async fn into_command(
        self,
        store: &Store,
        session: &SessionId,
        live: Option<&Live>,
    ) -> Result<Option<Command>, StoreError> {
        let command = match self {
            Self::Prompt(input) => Command::Prompt(Box::new(prompt(*input, store, session).await?)),
            Self::Cancel { run, source } => {
                let stored = live.is_none_or(|live| live.run.id != run);
                let found = if stored { store.run(session, &run).await?.map(Box::new) } else { None };
                Command::Cancel { run, source, found }
            }
            Self::Abort { source } => Command::Abort { source },
            Self::Decide(answer) => {
                let known =
                    live.is_some_and(|live| live.decisions.iter().any(|d| d.id == *answer.request_id()));
                let found = if known {
                    None
                } else {
                    store.decision(session, answer.request_id()).await?.map(Box::new)
                };
                Command::Decide { answer, found }
            }
            Self::Patch(patch) => Command::Rename(patch),
            Self::BeginDelete => Command::BeginDelete,
            Self::Stop { force } => Command::Stop { force, recovered: false },
            // Held text is written before any command; this one changes nothing.
            Self::Flush => Command::Rename(MetaPatch::default()),
            Self::WaitIdle => return Ok(None),
        };
        Ok(Some(command))
    }
}

async fn prompt(input: PromptInput, store: &Store, session: &SessionId) -> Result<PromptCommand, StoreError> {
    let found = match admission::run_id(session, &input) {
        Some(run) => store.run(session, &run).await?,
        None => None,
    };
    let message_taken = match (&found, &input.message_id) {
        (None, Some(message)) => store.message_used(session, message).await?,
        (Some(_), _) | (None, None) => false,
    };
    Ok(PromptCommand { input, found, message_taken })
}
