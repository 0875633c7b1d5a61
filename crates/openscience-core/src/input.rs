//! What enters the machine: commands of people, which may be refused, and
//! observations of the agent and the clock, which are facts.

use agent_client_protocol_schema::v1::{ContentBlock, PermissionOption, SessionUpdate, ToolCallUpdate};
use openscience_protocol::agent_config::ConfigReport;
use openscience_protocol::artifact::SavedFile;
use openscience_protocol::decision::{Answers, Question};
use openscience_protocol::event::CancelSource;
use openscience_protocol::message::Tokens;
use openscience_protocol::row::{
    AboutAgent, AskedForm, ClaimRow, DecisionRow, GrantRow, Receipt, RunRow, TurnRow,
};
use openscience_protocol::{
    ClaimId, DecisionId, DecisionInput, Delivery, OwnerId, PartBody, PromptInput, RunError, RunId, TurnId,
};
use serde_json::{Map, Value};

use crate::visit::{Transcript, Visited};

/// Names one request of an agent that waits for our answer: unique for the process's life.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestKey(pub u64);

/// One thing that happened or is asked for.
#[derive(Debug, Clone, PartialEq)]
pub enum Input {
    Command(Command),
    Observation(Observation),
}

/// What a person asks for. May be refused.
#[derive(Debug, Clone, PartialEq)]
pub enum Command {
    /// Admit a prompt. `found` is what the store holds for its run id and message id.
    Prompt(Box<PromptCommand>),
    /// Stop a run. `found` is its stored row; that of the run it joined for a follow-up.
    Cancel { run: RunId, source: CancelSource, found: Option<Box<RunRow>> },
    /// Stop whatever is current.
    Abort { source: CancelSource },
    /// Answer a decision. `found` is its stored row.
    Decide { answer: DecisionInput, found: Option<Box<DecisionRow>> },
    /// Change title, archived or pinned.
    Rename(MetaPatch),
    /// Take no new work; the session is about to be deleted.
    BeginDelete,
    /// The live run could not be recorded for too long: stop it and say so.
    GiveUp,
    /// End the live run as interrupted: the daemon stops, or the owner is dead.
    Stop {
        /// Do not wait for the agent.
        force: bool,
        /// Written by someone else than the run's owner.
        recovered: bool,
        /// Whose runs; of this process if absent, or of whoever is gone if `recovered`.
        owner: Option<OwnerId>,
    },
    /// Answer what waits and is covered by these grants that reach the session.
    Cover(Vec<GrantRow>),
    /// Set how waiting turns are sent.
    Deliver(Delivery),
    /// Take every waiting turn back.
    ClearQueue,
    /// Take a waiting turn back. `found` is its stored row.
    Withdraw { turn: TurnId, found: Option<Box<TurnRow>> },
    /// Put a waiting turn first and stop the current one for it. `found` is its stored row.
    SendNow { turn: TurnId, found: Option<Box<TurnRow>> },
    /// Stop one turn and not its run. `found` is its stored row.
    CancelTurn { turn: TurnId, found: Option<Box<TurnRow>> },
    /// A claim that failed is to be tried again: the stored row.
    ReopenClaim(Box<ClaimRow>),
    /// The files of a claim are with their message, or why they are not.
    SettleClaim { claim: ClaimId, failure: Option<String> },
    /// Record what came of a visit to the agent between turns.
    Visited(Box<Visited>),
    /// Take a conversation in that was held elsewhere.
    TakeOver { transcript: Box<Transcript>, visited: Box<Visited> },
    /// Keep what was seen of a terminal, because a person looked.
    LookAt(Box<TerminalSeen>),
}

/// A prompt and what is known of it already.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptCommand {
    pub input: PromptInput,
    /// Its parts as they are stored; none where the receipt of its key is known already.
    pub parts: Option<Vec<PartBody>>,
    /// The receipt stored under the run id the input's key gives.
    pub found: Option<Receipt>,
    /// The client's message id names a stored message or receipt of this session.
    pub message_taken: bool,
}

/// Metadata a person may change. `Some(None)` clears.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MetaPatch {
    pub title: Option<String>,
    pub archived: Option<Option<i64>>,
    pub pinned: Option<Option<i64>>,
}

/// What happened. Cannot be refused; what names a turn that is over is dropped.
#[derive(Debug, Clone, PartialEq)]
pub enum Observation {
    /// The agent process speaks ACP and holds this conversation.
    SessionOpened { turn: TurnId, opened: Box<Opened> },
    /// The prompt was written to the agent.
    Prompted { turn: TurnId },
    /// The agent told something of this session.
    Update(AgentUpdate),
    /// The agent asks for permission.
    PermissionAsked(Box<PermissionAsk>),
    /// The agent asks to have questions answered.
    QuestionAsked(Box<QuestionAsk>),
    /// The agent takes a request back.
    RequestWithdrawn { decision: DecisionId },
    /// The answer to a decision was written to the agent (or can never be).
    AnswerDelivered { decision: DecisionId, delivered: bool },
    /// The turn is over: every update of it came before.
    TurnEnded { turn: TurnId, end: TurnEnd },
    /// The agent's process group was asked to end because the turn did not, or must be left running.
    Escalated { turn: TurnId, still_running: bool },
    /// The agent said nothing for as long as the policy allows while it had the turn.
    Stalled { turn: TurnId },
    /// Something of a terminal changed.
    TerminalSeen(Box<TerminalSeen>),
    /// The agent's connection to the session is gone, and with it its terminals.
    TerminalsLost,
    /// The turn has saved these files: all of them, oldest first.
    Saved { turn: TurnId, files: Vec<SavedFile> },
    /// The turn is over, its files are claimed, and they are with its message or were waited for long enough.
    Drained { turn: TurnId, end: Option<TurnEnd> },
    /// The clock passed a point the machine asked to be woken at.
    Tick,
}

/// How a conversation that the agent holds is taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OpenMethod {
    /// The agent tells its history.
    Load,
    Resume,
}

impl OpenMethod {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Resume => "resume",
        }
    }
}

/// An ACP session that was opened for us.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Opened {
    /// The agent's id of the session.
    pub agent_session: String,
    /// A new process or a new ACP session; false if the open one was used again.
    pub fresh: bool,
    /// `name` and `version` as the agent told them.
    pub agent_info: Option<Value>,
    /// Config options as the agent told them, after ours were set.
    pub config: Option<Value>,
    /// Current mode id.
    pub mode: Option<String>,
    /// Current value of the model option.
    pub model: Option<String>,
    /// Modes it offers, as it told them.
    pub modes: Option<Value>,
    /// What it told of itself.
    pub about: Option<AboutAgent>,
    /// What came of the session's initial configuration, if that was applied.
    pub report: Option<ConfigReport>,
    /// The conversation was taken up again; the method's word.
    pub resumed: Option<&'static str>,
    /// The conversation's context was lost; the reason's word.
    pub context_reset: Option<String>,
}

/// What an agent tells of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum AgentUpdate {
    Known(Box<SessionUpdate>),
    /// Text of the agent, merged by the shell before it is decided on.
    Text(TextChunk),
    /// An update we do not know, or one too large to read.
    Unknown {
        /// Its `sessionUpdate` word.
        kind: Option<String>,
        /// The update as it came; absent if it was too large.
        raw: Option<Value>,
    },
    /// A line of stderr, while exactly this session has a turn on the agent.
    Stderr(String),
}

/// Consecutive text of one kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextChunk {
    /// The agent's thoughts, not its answer.
    pub thought: bool,
    /// The agent's id of the message, if it gives one.
    pub message: Option<String>,
    pub text: String,
}

/// A permission request as the agent sent it.
#[derive(Debug, Clone, PartialEq)]
pub struct PermissionAsk {
    pub key: RequestKey,
    pub tool: ToolCallUpdate,
    /// Options we understand.
    pub options: Vec<PermissionOption>,
    /// All options as they came, for people to see.
    pub raw_options: Value,
    /// Grants that reach the session, as the store holds them.
    pub grants: Vec<GrantRow>,
    /// The paths it names lead nowhere else: no link on their way.
    pub real_paths: bool,
    /// What it asks us to do for it; none if it asks to do it itself.
    pub ours: Option<Ours>,
}

/// A request that we carry out ourselves if it is allowed.
#[derive(Debug, Clone, PartialEq)]
pub struct Ours {
    /// It changes nothing.
    pub reads: bool,
    /// It can be done where it is meant to be; else nobody need be asked.
    pub possible: bool,
    /// What was allowed in the run.
    pub allowed: Vec<DecisionRow>,
}

/// A terminal as it is seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TerminalSeen {
    pub id: String,
    pub stage: TerminalStage,
    /// The command and its arguments as one line.
    pub command: String,
    pub cwd: String,
    /// The end of what it wrote.
    pub output: String,
    /// Earlier output was dropped.
    pub truncated: bool,
    /// How its command ended; none while it runs.
    pub exit: Option<TerminalExit>,
    /// Somebody asked to stop it.
    pub stop_requested: bool,
}

/// Where a terminal stands with those who may ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TerminalStage {
    /// It was just started: nothing was seen of it before.
    Started,
    #[default]
    Held,
    /// The agent let go of it.
    Released,
}

/// How a command ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TerminalExit {
    pub code: Option<i64>,
    pub signal: Option<String>,
}

/// Questions as they came.
#[derive(Debug, Clone, PartialEq)]
pub struct QuestionAsk {
    pub key: RequestKey,
    /// The agent's tool call they are about.
    pub call: Option<String>,
    pub asking: Asking,
}

/// In which form questions come.
#[derive(Debug, Clone, PartialEq)]
pub enum Asking {
    /// Fields to be filled in.
    Form(AskedForm),
    /// As people see them: the labels are the answer.
    Questions(Vec<Question>),
}

/// What an agent that asked is given.
#[derive(Debug, Clone, PartialEq)]
pub enum Given {
    /// Nobody answers any more.
    Cancelled,
    /// One of the options of a permission.
    Option(String),
    /// A form, filled in.
    Content(Map<String, Value>),
    /// The labels for each question.
    Answers(Answers),
    /// The questions are not answered, and why if anybody says so.
    Declined(Option<String>),
}

impl Given {
    /// One of the options of a permission; cancelled if none answers it.
    pub fn option(option: Option<String>) -> Self {
        option.map_or(Self::Cancelled, Self::Option)
    }
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnEnd {
    /// The agent answered the prompt request.
    Answered {
        /// ACP's word; unknown words are kept.
        stop_reason: String,
        tokens: Option<Tokens>,
    },
    /// It did not: error answer, exit, start failure.
    Failed(RunError),
}

/// What a prompt looks like to the agent.
pub type Blocks = Vec<ContentBlock>;
