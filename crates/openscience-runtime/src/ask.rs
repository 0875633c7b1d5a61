//! What callers ask of a session, and the store's part of each question.

use openscience_core::admission;
use openscience_core::input::{Command, MetaPatch, PromptCommand, QuestionAsk, RequestKey, TerminalSeen};
use openscience_core::session::SessionMachine;
use openscience_core::visit::{Transcript, Visited};
use openscience_protocol::event::CancelSource;
use openscience_protocol::row::{ClaimRow, RunRow};
use openscience_protocol::{
    ClaimId, DecisionInput, Delivery, PartBody, PromptInput, RunId, SessionId, TurnId,
};
use openscience_store::{Store, StoreError};

use crate::inquiry::Asker;
use crate::link::Link;
use crate::visit::Visit;

/// One request to a session's actor.
#[derive(Debug)]
pub(crate) enum Request {
    /// A prompt, and its parts as they are stored unless its receipt is known.
    Prompt(Box<(PromptInput, Option<Vec<PartBody>>)>),
    Cancel {
        run: RunId,
        source: CancelSource,
    },
    Abort {
        source: CancelSource,
    },
    Decide(DecisionInput),
    /// The agent's MCP server asks. Dropping `asker` says that it could not be taken.
    Question {
        ask: Box<QuestionAsk>,
        asker: Asker,
    },
    /// The server that asked has left.
    QuestionGone(RequestKey),
    /// Grants were given that may reach the session.
    Cover,
    Deliver(Delivery),
    ClearQueue,
    Withdraw(TurnId),
    SendNow(TurnId),
    CancelTurn(TurnId),
    Patch(MetaPatch),
    BeginDelete,
    /// Record what became of the files of a claim.
    SettleClaim {
        claim: ClaimId,
        failure: Option<String>,
    },
    /// Files of a claim that failed are to be put away after all.
    ReopenClaim(Box<ClaimRow>),
    /// Have the agent visited between turns.
    Visit(Visit),
    /// Take a conversation in; the link holds it, if it is open.
    TakeOver {
        transcript: Box<Transcript>,
        visited: Box<Visited>,
        link: Option<Box<Link>>,
    },
    Stop {
        force: bool,
    },
    /// Keep what was seen of a terminal; answered with its row.
    LookAt(Box<TerminalSeen>),
    /// Write what is held back, so that a read sees it.
    Flush,
    /// Answered when no run is live, or none of this process.
    WaitIdle {
        own: bool,
    },
    /// The stored session has this revision: restore if ours is older.
    Refresh {
        revision: i64,
    },
}

impl Request {
    /// The command, if it stops work: that is done even while nothing can be recorded.
    pub(crate) fn cancel(self) -> Option<Command> {
        match self {
            Self::Cancel { run, source } => Some(Command::Cancel { run, source, found: None }),
            Self::Abort { source } => Some(Command::Abort { source }),
            Self::Stop { force } => Some(Command::Stop { force, recovered: false, owner: None }),
            Self::CancelTurn(turn) => Some(Command::CancelTurn { turn, found: None }),
            Self::Prompt(_)
            | Self::Decide(_)
            | Self::Question { .. }
            | Self::QuestionGone(_)
            | Self::Cover
            | Self::Deliver(_)
            | Self::ClearQueue
            | Self::Withdraw(_)
            | Self::SendNow(_)
            | Self::Patch(_)
            | Self::BeginDelete
            | Self::SettleClaim { .. }
            | Self::ReopenClaim(_)
            | Self::Visit(_)
            | Self::TakeOver { .. }
            | Self::LookAt(_)
            | Self::Flush
            | Self::WaitIdle { .. }
            | Self::Refresh { .. } => None,
        }
    }

    /// True if its answer depends on the live run as it is now, whoever drives it.
    pub(crate) fn minds_the_live_run(&self) -> bool {
        match self {
            Self::Cancel { .. }
            | Self::Abort { .. }
            | Self::Decide(_)
            | Self::Deliver(_)
            | Self::ClearQueue
            | Self::Withdraw(_)
            | Self::SendNow(_)
            | Self::CancelTurn(_)
            | Self::Visit(_)
            | Self::TakeOver { .. }
            | Self::SettleClaim { .. }
            | Self::ReopenClaim(_)
            | Self::BeginDelete => true,
            // A prompt meets the revision when it is recorded.
            Self::Prompt(_)
            | Self::Question { .. }
            | Self::QuestionGone(_)
            | Self::Cover
            | Self::Patch(_)
            | Self::Stop { .. }
            | Self::LookAt(_)
            | Self::Flush
            | Self::WaitIdle { .. }
            | Self::Refresh { .. } => false,
        }
    }

    /// The command with what the store knows; none for a request that only waits.
    pub(crate) async fn into_command(
        self,
        store: &Store,
        session: &SessionId,
        machine: &SessionMachine,
    ) -> Result<Option<Command>, StoreError> {
        let command = match self {
            Self::Prompt(prompt) => {
                let (input, parts) = *prompt;
                Command::Prompt(Box::new(PromptCommand { input, parts, found: None, message_taken: false }))
            }
            Self::Cancel { run, source } => Command::Cancel { run, source, found: None },
            Self::Abort { source } => Command::Abort { source },
            Self::Decide(answer) => Command::Decide { answer, found: None },
            Self::Patch(patch) => Command::Rename(patch),
            Self::BeginDelete => Command::BeginDelete,
            Self::SettleClaim { claim, failure } => Command::SettleClaim { claim, failure },
            Self::ReopenClaim(claim) => Command::ReopenClaim(claim),
            Self::Stop { force } => Command::Stop { force, recovered: false, owner: None },
            Self::Cover => Command::Cover(Vec::new()),
            Self::Deliver(delivery) => Command::Deliver(delivery),
            Self::ClearQueue => Command::ClearQueue,
            Self::Withdraw(turn) => Command::Withdraw { turn, found: None },
            Self::SendNow(turn) => Command::SendNow { turn, found: None },
            Self::CancelTurn(turn) => Command::CancelTurn { turn, found: None },
            Self::LookAt(seen) => Command::LookAt(seen),
            // Held text is written before any command; this one changes nothing.
            Self::Flush => Command::Rename(MetaPatch::default()),
            Self::TakeOver { transcript, visited, .. } => Command::TakeOver { transcript, visited },
            // The actor makes visits and takes inquiries itself.
            Self::WaitIdle { .. }
            | Self::Refresh { .. }
            | Self::Visit(_)
            | Self::Question { .. }
            | Self::QuestionGone(_) => return Ok(None),
        };
        look_up(command, store, session, machine).await.map(Some)
    }
}

/// The command with what the store holds of its keys now. Asked again after another process wrote:
/// what was found before may be old.
pub(crate) async fn look_up(
    command: Command,
    store: &Store,
    session: &SessionId,
    machine: &SessionMachine,
) -> Result<Command, StoreError> {
    match command {
        Command::Prompt(prompt) => {
            Ok(Command::Prompt(Box::new(known_prompt(*prompt, store, session, machine).await?)))
        }
        Command::Cancel { run, source, .. } => {
            let known = machine.knows_run(&run);
            let found = if known { None } else { found_run(store, session, &run).await?.map(Box::new) };
            Ok(Command::Cancel { run, source, found })
        }
        Command::Decide { answer, .. } => {
            let id = answer.request_id();
            let held = machine
                .state()
                .live
                .as_ref()
                .is_some_and(|live| live.decisions.iter().any(|row| row.id == *id));
            let found = if held { None } else { store.decision(session, id).await?.map(Box::new) };
            Ok(Command::Decide { answer, found })
        }
        Command::Cover(_) => Ok(Command::Cover(store.grants(session).await?)),
        Command::Withdraw { turn, .. } => {
            let found = store.turn(session, &turn).await?.map(Box::new);
            Ok(Command::Withdraw { turn, found })
        }
        Command::SendNow { turn, .. } => {
            let found = store.turn(session, &turn).await?.map(Box::new);
            Ok(Command::SendNow { turn, found })
        }
        Command::CancelTurn { turn, .. } => {
            let found = store.turn(session, &turn).await?.map(Box::new);
            Ok(Command::CancelTurn { turn, found })
        }
        Command::Abort { .. }
        | Command::Deliver(_)
        | Command::ClearQueue
        | Command::Rename(_)
        | Command::BeginDelete
        | Command::GiveUp
        | Command::SettleClaim { .. }
        | Command::ReopenClaim(_)
        | Command::Visited(_)
        | Command::TakeOver { .. }
        | Command::LookAt(_)
        | Command::Stop { .. } => Ok(command),
    }
}

/// The run of that id, or the one that the follow-up of that id joined.
async fn found_run(store: &Store, session: &SessionId, id: &RunId) -> Result<Option<RunRow>, StoreError> {
    if let Some(run) = store.run(session, id).await? {
        return Ok(Some(run));
    }
    match store.follow_up(session, id).await? {
        Some((run, _)) => store.run(session, &run).await,
        None => Ok(None),
    }
}

async fn known_prompt(
    prompt: PromptCommand,
    store: &Store,
    session: &SessionId,
    machine: &SessionMachine,
) -> Result<PromptCommand, StoreError> {
    // A session without messages has no receipts. If another process has just admitted one, the
    // append meets its revision and all of this is asked again.
    let blank = machine.is_blank();
    let PromptCommand { input, parts, .. } = prompt;
    let found = match admission::run_id(session, &input) {
        Some(run) if !blank && !machine.knows_run(&run) => store.receipt(session, &run).await?,
        Some(_) | None => None,
    };
    let message_taken = match (&found, &input.message_id) {
        (None, Some(message)) if !blank => store.message_used(session, message).await?,
        (Some(_) | None, _) => false,
    };
    Ok(PromptCommand { input, parts, found, message_taken })
}
