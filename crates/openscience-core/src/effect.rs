//! What the shell must do next. Nothing here is done before the changes that
//! caused it are committed.

use openscience_protocol::row::{ClaimRow, TurnSettings};
use openscience_protocol::{AgentId, ArtifactRunId, DecisionId, RunId, TurnId};

use crate::input::{Blocks, Given, RequestKey, TurnEnd};

/// One thing to do; handed out in the order the changes were made.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Open the conversation at the agent if need be, in place of any that is being opened.
    StartTurn(Box<TurnPlan>),
    /// Send the prompt: the conversation is open.
    SendPrompt { turn: TurnId, blocks: Blocks },
    /// Send `session/cancel` once.
    CancelTurn { turn: TurnId },
    /// The agent did not end the turn: end its process tree, or retire it if others live there.
    EscalateTurn { turn: TurnId },
    /// The turn is over for us; forget what still starts or runs for it.
    TurnOver { turn: TurnId },
    /// A request of the agent waits for a person.
    AwaitDecision { decision: DecisionId, key: RequestKey },
    /// Give the agent its answer. `key` if it was never awaited.
    AnswerDecision { decision: DecisionId, key: Option<RequestKey>, given: Given },
    /// Answer a request that was never shown to anyone as cancelled.
    RefuseRequest { key: RequestKey },
    /// Do what the agent asked us to do: it is allowed.
    ServeRequest { key: RequestKey },
    /// Sessions whose agents wait may be covered by a new grant.
    TellGrants,
    /// Whether the answer reached the agent is now known as well as it will be.
    DecisionSettled { decision: DecisionId },
    /// The turn is over at the agent: accept no more of its files, wait at most so long for those that were
    /// accepted, and tell of them.
    CollectFiles { turn: TurnId, run: ArtifactRunId, end: Option<Box<TurnEnd>>, wait_ms: u64 },
    /// Put the files of a claim with their message.
    FinalizeFiles { claim: Box<ClaimRow> },
    /// The run is terminal.
    RunOver { run: RunId },
}

/// How a turn is to be run.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnPlan {
    pub run: RunId,
    pub turn: TurnId,
    pub agent: AgentId,
    /// The ACP session that holds the conversation so far.
    pub agent_session: Option<String>,
    pub settings: TurnSettings,
    /// What it saves files under.
    pub artifact_run: Option<ArtifactRunId>,
}
