//! What is stored: the rows a change becomes, and what restoring reads back.
//!
//! The core writes and reads these; the store keeps them and decides nothing.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::agent_config::{AgentLaunch, ChosenConfig, ConfigReport, InitialConfig};
use crate::artifact::{CaptureQuality, ClaimState};
use crate::decision::{Answers, DecisionStatus, PermissionReply, PermissionRequest, QuestionRequest};
use crate::event::{Actor, CancelSource, CloseReason};
use crate::prompt::{Effort, ModelRef};
use crate::queue::Delivery;
use crate::run::TurnState;
use crate::{
    AgentId, ArtifactId, ArtifactRunId, ClaimId, DecisionId, McpServer, Message, MessageId, MessageInfo,
    Millis, OwnerId, Part, ProjectId, Rule, RunError, RunId, RunState, Sequence, SessionId, Todo, TurnId,
    VersionId, Workspace,
};

/// A session as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRow {
    pub id: SessionId,
    pub project_id: ProjectId,
    /// Canonical project directory.
    pub directory: String,
    pub workspace: Workspace,
    pub parent_id: Option<SessionId>,
    pub title: String,
    pub agent: AgentId,
    pub permission: Option<Vec<Rule>>,
    pub deadline_ms: Option<u64>,
    /// Version of the daemon that created it.
    pub version: String,
    pub created: Millis,
    pub updated: Millis,
    pub archived: Option<Millis>,
    pub pinned: Option<Millis>,
    /// Set when deletion was asked for: no new work is admitted.
    pub deleting: bool,
    /// Grows with every change to runs, turns, decisions and metadata.
    pub revision: i64,
    /// Sequence of the newest event; 0 when there is none.
    pub latest_sequence: Sequence,
    /// Position of the newest message; 0 when there is none.
    pub latest_message: i64,
    pub meta: SessionMeta,
}

/// What a session knows besides its columns; stored as one JSON object.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct SessionMeta {
    /// The title was set by a person: agents do not overwrite it.
    pub titled: bool,
    /// The ACP session that holds this conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub agent_session: Option<String>,
    /// Turns the ACP session has been prompted with.
    pub agent_turns: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub todos: Vec<Todo>,
    /// The turn in which the agent told them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_turn: Option<TurnId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Current model value of the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub config: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<Value>,
    /// How waiting turns are sent.
    #[serde(skip_serializing_if = "Delivery::is_default")]
    pub delivery: Delivery,
    /// Handed to the agent with this session, besides the configured ones.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mcp_servers: Vec<McpServer>,
    /// Wishes for its agent, and what that told of itself.
    #[serde(skip_serializing_if = "AgentMeta::is_empty")]
    pub agent: Box<AgentMeta>,
    /// The session it was forked from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<SessionId>,
}

/// What a session wants of its agent, and what is known of that.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AgentMeta {
    /// Its agent, if that was described with the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<AgentLaunch>,
    /// Instructions its agent is opened with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// How its agent is to be set when it is opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_config: Option<InitialConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub initial_config_report: Option<ConfigReport>,
    /// What people set since.
    #[serde(skip_serializing_if = "ChosenConfig::is_empty")]
    pub chosen: ChosenConfig,
    /// Modes the agent offers, as it told them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub modes: Option<Value>,
    /// What the agent told of itself when the session was opened last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub about: Option<AboutAgent>,
}

impl AgentMeta {
    /// True if nothing is wanted and nothing known.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// What an agent told of itself.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct AboutAgent {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub info: Option<Value>,
    pub capabilities: Value,
    pub auth_methods: Value,
}

/// Metadata a change may set; `None` leaves a column as it is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SessionPatch {
    pub title: Option<String>,
    pub updated: Option<Millis>,
    /// `Some(None)` clears.
    pub archived: Option<Option<Millis>>,
    /// `Some(None)` clears.
    pub pinned: Option<Option<Millis>>,
    pub deleting: Option<bool>,
    pub meta: Option<SessionMeta>,
}

/// A receipt as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRow {
    pub id: RunId,
    pub request_id: Option<String>,
    /// Digest of the parsed input; an equal key with another digest is a conflict.
    pub fingerprint: String,
    pub message_id: MessageId,
    pub turn_id: TurnId,
    pub state: RunState,
    pub effort: Effort,
    pub agent: AgentId,
    pub owner: OwnerId,
    pub accepted_at: Millis,
    pub updated_at: Millis,
    pub completed_at: Option<Millis>,
    pub result_message_id: Option<MessageId>,
    pub error: Option<RunError>,
    pub stop_reason: Option<String>,
    /// A cancel was recorded.
    pub cancel: Option<CancelSource>,
    /// When the agent was told to stop, whatever the cause. With `error` set on a live run, that
    /// error is its intended end.
    pub stop_at: Option<Millis>,
    pub deadline_at: Option<Millis>,
    pub agent_still_running: bool,
    /// The agent had lost the conversation and was told of it from our transcript.
    pub context_reset: bool,
}

/// The receipt of a prompt that joined a live run. Its outcome is that run's, which is always read
/// from the run itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FollowUpRow {
    /// The run id its own key stands for.
    pub id: RunId,
    /// The run it joined.
    pub run_id: RunId,
    pub request_id: Option<String>,
    /// As in [`RunRow::fingerprint`].
    pub fingerprint: String,
    pub message_id: MessageId,
    pub turn_id: TurnId,
}

/// What admission needs of a receipt: a run's own or that of a follow-up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// The run id the key stands for.
    pub id: RunId,
    /// The run that answers: another one for a follow-up.
    pub run_id: RunId,
    pub fingerprint: String,
    pub message_id: MessageId,
    /// When the run that answers was accepted.
    pub accepted_at: Millis,
    /// The turn of a follow-up.
    pub turn_id: Option<TurnId>,
}

/// What an agent is set to for a turn; turns that differ in it are never sent as one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnSettings {
    pub effort: Effort,
    /// The model that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelRef>,
    /// The thought level that was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
}

/// One ACP prompt as stored: queued, then started, sent, active, ended.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnRow {
    pub id: TurnId,
    pub run_id: RunId,
    pub message_id: MessageId,
    pub state: TurnState,
    /// Order in its run: the smallest is next.
    pub rank: i64,
    pub settings: TurnSettings,
    pub queued_at: Millis,
    /// When its agent was asked for: it is the run's current turn, no longer in the queue.
    pub started_at: Option<Millis>,
    /// When its prompt was handed out: no later prompt is sent with it.
    pub sent_at: Option<Millis>,
    pub active_at: Option<Millis>,
    /// When a person asked to stop this turn and not its run.
    pub cancel_at: Option<Millis>,
    pub ended_at: Option<Millis>,
    /// The turn whose prompt this one was sent with.
    pub into_turn_id: Option<TurnId>,
    pub stop_reason: Option<String>,
    pub error: Option<RunError>,
    /// A permission of this turn was refused.
    pub refused: bool,
    /// It says what to do instead of what was refused in the turn before: it is sent also if the agent
    /// ended that turn over the refusal.
    pub instead: bool,
    /// When the agent's process tree was told to end because the turn did not.
    pub escalated_at: Option<Millis>,
    /// What it saves files under, once its agent was asked for.
    pub artifact_run: Option<ArtifactRunId>,
}

/// A message as stored; order in the transcript is by position.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRow {
    /// 1 for the first message of the session.
    pub position: i64,
    pub info: MessageInfo,
}

/// A part as stored; order in its message is by position.
#[derive(Debug, Clone, PartialEq)]
pub struct PartRow {
    /// Position of its message.
    pub message: i64,
    /// 1 for the first part of the message.
    pub position: i64,
    pub part: Part,
    /// Text still grows by [`ChunkRow`]s; folded into `part` when it closes.
    pub open: bool,
}

/// Growth of an open text part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRow {
    pub message: i64,
    pub part: i64,
    /// UTF-16 units of the text before this chunk.
    pub offset: u64,
    pub text: String,
}

/// Where a stored decision stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DecisionState {
    /// Waits for an answer.
    Pending,
    /// Answered; whether the agent has the answer is not known.
    Indeterminate,
    /// Answered, and the agent has the answer.
    Resolved,
    /// Closed without an answer.
    Closed,
}

impl DecisionState {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Indeterminate => "indeterminate",
            Self::Resolved => "resolved",
            Self::Closed => "closed",
        }
    }

    /// The state of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Pending, Self::Indeterminate, Self::Resolved, Self::Closed]
            .into_iter()
            .find(|state| state.as_str() == word)
    }

    /// The status a receipt shows; a decision that has none answers nothing.
    pub fn status(self) -> Option<DecisionStatus> {
        match self {
            Self::Pending | Self::Closed => None,
            Self::Indeterminate => Some(DecisionStatus::Indeterminate),
            Self::Resolved => Some(DecisionStatus::Resolved),
        }
    }
}

/// What a decision asks, as stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Asked {
    Permission(PermissionRequest),
    Question(AskedQuestions),
}

/// Questions and what their answers are made into.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedQuestions {
    #[serde(flatten)]
    pub request: QuestionRequest,
    /// The form as the agent sent it: its answer is filled in from the labels. None if it wants the labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<AskedForm>,
}

/// A form an agent asked to have filled in.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AskedForm {
    /// What it is for.
    pub message: String,
    /// Its fields, in the agent's words and order.
    pub schema: Value,
}

/// A decision and its receipt as stored.
#[derive(Debug, Clone, PartialEq)]
pub struct DecisionRow {
    pub id: DecisionId,
    pub run_id: RunId,
    pub request: Asked,
    pub state: DecisionState,
    /// A question is only ever rejected; its answers are below.
    pub reply: Option<PermissionReply>,
    /// What the person said with it, or why nobody was asked.
    pub message: Option<String>,
    /// What a question was answered.
    pub answers: Option<Answers>,
    pub actor: Option<Actor>,
    pub close_reason: Option<CloseReason>,
    pub asked_at: Millis,
    pub decided_at: Option<Millis>,
}

impl DecisionRow {
    /// The permission, if it is one.
    pub fn permission(&self) -> Option<&PermissionRequest> {
        match &self.request {
            Asked::Permission(request) => Some(request),
            Asked::Question(_) => None,
        }
    }

    /// The questions, if it is some.
    pub fn question(&self) -> Option<&QuestionRequest> {
        match &self.request {
            Asked::Permission(_) => None,
            Asked::Question(asked) => Some(&asked.request),
        }
    }

    /// The session whose agent asks.
    pub fn session_id(&self) -> &SessionId {
        match &self.request {
            Asked::Permission(request) => &request.session_id,
            Asked::Question(asked) => &asked.request.session_id,
        }
    }
}

/// How far a remembered permission reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum GrantScope {
    /// The session it was given in, as long as that exists.
    Session,
    /// Every session of the project.
    Project,
    /// Every session.
    Always,
}

impl GrantScope {
    /// The word in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Session => "session",
            Self::Project => "project",
            Self::Always => "always",
        }
    }

    /// The scope of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Session, Self::Project, Self::Always].into_iter().find(|scope| scope.as_str() == word)
    }
}

/// A permission a person gave for more than once: exactly this pattern of this category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrantRow {
    /// The decision it was given with, and its place there.
    pub id: String,
    pub scope: GrantScope,
    pub permission: String,
    /// Compared literally.
    pub pattern: String,
    pub created: Millis,
}

impl GrantRow {
    /// True if it allows that pattern of that category.
    pub fn covers(&self, permission: &str, pattern: &str) -> bool {
        self.permission == permission && self.pattern == pattern
    }
}

/// A command that runs, or ran, for an agent in a terminal of ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalRow {
    /// Unique in the session.
    pub id: String,
    /// The command and its arguments as one line.
    pub command: String,
    pub cwd: String,
    /// The end of what it wrote, as far as it was looked at.
    pub output: String,
    /// Earlier output was dropped.
    pub truncated: bool,
    pub exit_code: Option<i64>,
    pub signal: Option<String>,
    pub created: Millis,
    pub updated: Millis,
    /// When it was seen to have ended.
    pub completed: Option<Millis>,
    /// When somebody asked to stop it.
    pub stop_requested: Option<Millis>,
    /// When nobody could ask for it any more: it was released, or its agent is gone.
    pub released: Option<Millis>,
    /// 1 for the first, then one more with each change.
    pub revision: i64,
}

impl TerminalRow {
    /// True while its command runs, as far as is known.
    pub fn is_running(&self) -> bool {
        self.completed.is_none() && self.released.is_none()
    }
}

/// What binds the files that a turn saved to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClaimRow {
    pub id: ClaimId,
    pub run_id: RunId,
    pub turn_id: TurnId,
    pub artifact_run: ArtifactRunId,
    /// The message the files go to.
    pub message_id: MessageId,
    pub state: ClaimState,
    /// Why it failed.
    pub reason: Option<String>,
    /// The process that puts them there.
    pub owner: OwnerId,
    pub created: Millis,
    /// When its state last changed.
    pub updated: Millis,
}

/// One version of a Result. It makes the Result if there is none, and numbers itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionRow {
    pub id: VersionId,
    pub artifact_id: ArtifactId,
    pub project_id: ProjectId,
    pub session_id: SessionId,
    /// The claim it came with; none for a file that a person named.
    pub claim_id: Option<ClaimId>,
    pub artifact_run: Option<ArtifactRunId>,
    /// The message it belongs to, or will.
    pub message_id: Option<MessageId>,
    /// Its place among the writes of its turn, from 1.
    pub write: u64,
    pub name: String,
    pub mime_type: Option<String>,
    pub size: u64,
    pub sha256: String,
    pub mtime: Millis,
    /// The file it was copied from, else its name.
    pub source_path: String,
    pub capture: CaptureQuality,
    /// It was saved over in its own turn: a version, and no file of the turn.
    pub replaced: bool,
    /// What a Result is called and is, if this version makes it.
    pub title: String,
    pub kind: String,
    pub summary: Option<String>,
    pub created: Millis,
}

/// One write to one table; applied in order within an append.
#[derive(Debug, Clone, PartialEq)]
pub enum Write {
    /// Change columns of the session's own row.
    Session(SessionPatch),
    /// Insert, or replace the run of that id.
    Run(Box<RunRow>),
    /// Insert.
    FollowUp(Box<FollowUpRow>),
    /// Insert, or replace the turn of that id.
    Turn(Box<TurnRow>),
    /// Insert, or replace the message at that position.
    Message(MessageRow),
    /// Insert, or replace the part at that position; drops its chunks when it is no longer open.
    Part(Box<PartRow>),
    /// Insert.
    Chunk(ChunkRow),
    /// Insert, or replace the decision of that id.
    Decision(Box<DecisionRow>),
    /// Insert, unless its scope has one for the same pattern.
    Grant(Box<GrantRow>),
    /// Insert, or replace the terminal of that id.
    Terminal(Box<TerminalRow>),
    /// Insert, or replace the claim of that id.
    Claim(Box<ClaimRow>),
    /// Insert, unless there is a version of that id.
    Version(Box<VersionRow>),
}

/// An event before the store numbers it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewEvent {
    pub event_type: &'static str,
    /// JSON object `{"runID":…,"type":…,"kind":…,"properties":…,"time":…}` on one line;
    /// a frame prefixes `sequence` and `sessionID`.
    pub body: String,
}

/// An event as stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    pub sequence: Sequence,
    pub event_type: String,
    /// As in [`NewEvent::body`].
    pub body: String,
}

/// All that one actor step writes, applied as a whole or not at all.
#[derive(Debug, Clone, PartialEq)]
pub struct Append {
    pub session: SessionId,
    /// The revision the decisions were made on.
    pub expected_revision: i64,
    /// True if a run, a turn, a decision or metadata changed.
    pub bump: bool,
    /// Messages that are new in this append.
    pub new_messages: i64,
    pub writes: Vec<Write>,
    pub events: Vec<NewEvent>,
    /// Ids of grants it relies on: if one is gone nothing is written, as with another revision.
    pub relies_on: Vec<String>,
}

/// What an append came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    pub revision: i64,
    /// Sequence of the newest event of the session after it.
    pub latest_sequence: Sequence,
}

/// One message as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct MessageRows {
    pub message: MessageRow,
    pub parts: Vec<PartRow>,
    /// Growth of those parts that are open, by offset.
    pub chunks: Vec<ChunkRow>,
}

/// Everything a session's read model is derived from.
#[derive(Debug, Clone, PartialEq)]
pub struct StateRows {
    pub session: SessionRow,
    /// All messages, oldest first; the largest parts may be cut.
    pub messages: Vec<Message>,
    /// All turns.
    pub turns: Vec<TurnRow>,
    /// All decisions, oldest first.
    pub decisions: Vec<DecisionRow>,
    /// All terminals, oldest first.
    pub terminals: Vec<TerminalRow>,
}

/// Everything a session's machine is restored from.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionRows {
    pub session: SessionRow,
    /// Runs that are not terminal, in order of acceptance: the one at work, then the one that waits.
    pub runs: Vec<RunRow>,
    /// Turns of those runs that have not ended, and those that were sent with them.
    pub turns: Vec<TurnRow>,
    /// Messages of those turns and their answers.
    pub messages: Vec<MessageRow>,
    /// Parts of those messages.
    pub parts: Vec<PartRow>,
    /// Growth of those parts that are open, by offset.
    pub chunks: Vec<ChunkRow>,
    /// Decisions that are pending or indeterminate.
    pub decisions: Vec<DecisionRow>,
    /// Terminals that were not released.
    pub terminals: Vec<TerminalRow>,
    /// Claims that are pending.
    pub claims: Vec<ClaimRow>,
}

impl SessionRows {
    /// A session of which nothing is at work.
    #[must_use]
    pub const fn at_rest(session: SessionRow) -> Self {
        Self {
            session,
            runs: Vec::new(),
            turns: Vec::new(),
            messages: Vec::new(),
            parts: Vec::new(),
            chunks: Vec::new(),
            decisions: Vec::new(),
            terminals: Vec::new(),
            claims: Vec::new(),
        }
    }
}
