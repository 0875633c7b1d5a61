//! The session machine: `decide` reads, `evolve` changes, `step` does both for
//! a batch of inputs and hands out what must be written, answered and done.

use std::borrow::Cow;
use std::cmp::Ordering;

use openscience_protocol::message::{MessageInfo, PartBody, ReasoningPart, TextPart};
use openscience_protocol::row::{
    Append, Appended, DecisionRow, DecisionState, MessageRow, NewEvent, PartRow, RunRow, SessionRow,
    SessionRows, TurnRow, Write,
};
use openscience_protocol::run::TurnState;
use openscience_protocol::{
    DecisionId, Limits, MessageId, Millis, OwnerId, PartId, Rule, RunId, SessionStatus, TurnId,
};

use crate::answer::{Answer, Refusal};
use crate::change::{self, Change};
use crate::effect::{Effect, TurnPlan};
use crate::input::{AgentUpdate, Input, Observation, TextChunk};
use crate::{admission, command, mapping, observe, text};

/// Growth is told in pieces of at most this many bytes.
const PIECE_BYTES_MAX: usize = 32 << 10;

/// An agent's message id is only compared; one longer than this is taken for none.
const AGENT_MESSAGE_BYTES_MAX: usize = 512;

/// Where new ids come from. The core has no randomness of its own.
pub trait Ids {
    fn message(&mut self, now: Millis) -> MessageId;
    fn part(&mut self, now: Millis) -> PartId;
    fn run(&mut self, now: Millis) -> RunId;
    fn turn(&mut self, now: Millis) -> TurnId;
    fn permission(&mut self, now: Millis) -> DecisionId;
}

/// What a decision may depend on besides the state.
pub struct Context<'a> {
    pub now: Millis,
    /// The process that decides.
    pub me: &'a OwnerId,
    pub limits: &'a Limits,
    /// Configured permission rules.
    pub rules: &'a [Rule],
    pub ids: &'a mut dyn Ids,
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").field("now", &self.now).field("me", &self.me).finish_non_exhaustive()
    }
}

/// What one input comes to.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Decided {
    pub changes: Vec<Change>,
    /// For a command: its answer or refusal.
    pub answer: Option<Result<Answer, Refusal>>,
}

impl Decided {
    /// Changes without an answer.
    pub fn changes(changes: Vec<Change>) -> Self {
        Self { changes, answer: None }
    }

    /// A refusal; nothing changes.
    pub fn refuse(refusal: Refusal) -> Self {
        Self { changes: Vec::new(), answer: Some(Err(refusal)) }
    }

    /// An answer; nothing changes.
    pub fn answer(answer: Answer) -> Self {
        Self { changes: Vec::new(), answer: Some(Ok(answer)) }
    }
}

/// What a batch of inputs comes to. Nothing in it holds before `append` is committed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Draft {
    /// Absent if nothing has to be written.
    pub append: Option<Append>,
    /// Answers by index of the input.
    pub answers: Vec<(usize, Result<Answer, Refusal>)>,
    pub effects: Vec<Effect>,
}

/// Everything a session knows that a rule may ask for. Restored from rows.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub row: SessionRow,
    pub live: Option<Live>,
    /// The newest answer that is over, for updates that come late. Lost with the process.
    pub recent: Option<AnswerMessage>,
    /// Receipts that ended in changes not committed yet: what the store told before does not know them.
    pub ended: Vec<RunRow>,
}

/// A run that has not ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    pub run: RunRow,
    pub turn: Option<TurnRow>,
    /// Parts of the user message.
    pub prompt: Vec<PartRow>,
    /// The assistant message, once the agent was prompted.
    pub answer: Option<AnswerMessage>,
    /// Decisions that are pending or whose answer is on its way.
    pub decisions: Vec<DecisionRow>,
}

/// An assistant message that grows.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerMessage {
    pub row: MessageRow,
    /// Parts it has.
    pub parts: i64,
    /// The newest text or reasoning part with all its text; open or closed.
    pub text: Option<PartRow>,
    /// UTF-16 units of that text.
    pub text_units: u64,
    pub tools: Vec<PartRow>,
}

impl Live {
    /// The turn, if the agent may still speak in it.
    pub fn open_turn(&self) -> Option<&TurnRow> {
        self.turn.as_ref().filter(|turn| turn.ended_at.is_none())
    }

    /// True once the end was decided by a cancel, a deadline or a stop; a cancel that another
    /// process recorded counts before its owner tells the agent.
    pub fn closing(&self) -> bool {
        self.run.stop_at.is_some() || self.run.cancel.is_some()
    }
}

/// The rules of one session over its state.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionMachine {
    pub(crate) state: State,
}

impl SessionMachine {
    /// The machine as its rows tell. Reads rows, never events: the journal is pruned, the rows are not.
    pub fn restore(rows: SessionRows) -> Self {
        let SessionRows { session, runs, turns, messages, mut parts, mut chunks, mut decisions } = rows;
        parts.sort_by_key(|row| (row.message, row.position));
        chunks.sort_by_key(|row| (row.message, row.part, row.offset));
        decisions.sort_by(decision_order);
        let live = runs.into_iter().next().map(|run| {
            let turn = turns.into_iter().find(|turn| turn.run_id == run.id);
            let at = |id: &MessageId| messages.iter().find(|row| row.info.id() == id).map(|row| row.position);
            let user = at(&run.message_id);
            let prompt = parts.iter().filter(|part| Some(part.message) == user).cloned().collect();
            let answer = messages
                .iter()
                .rev()
                .find(|row| matches!(&row.info, MessageInfo::Assistant(info) if info.parent_id == run.message_id))
                .map(|row| restore_answer(row, &parts, &chunks));
            // An answer that never reached the agent stays indeterminate after its run.
            decisions.retain(|row| row.run_id == run.id);
            Live { run, turn, prompt, answer, decisions }
        });
        Self { state: State { row: session, live, recent: None, ended: Vec::new() } }
    }

    /// The state, to read.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes over what the store assigned.
    pub fn committed(&mut self, appended: Appended) {
        self.state.row.revision = appended.revision;
        self.state.row.latest_sequence = appended.latest_sequence;
        self.state.ended.clear();
    }

    /// Busy while a run is live.
    pub fn status(&self) -> SessionStatus {
        if self.state.live.is_some() { SessionStatus::Busy } else { SessionStatus::Idle }
    }

    /// When the machine wants a [`Observation::Tick`], if it does. Only the live run's owner asks:
    /// a tick anywhere else changes nothing.
    pub fn deadline(&self, limits: &Limits) -> Option<Millis> {
        let live = self.state.live.as_ref()?;
        match (live.run.stop_at, live.open_turn()) {
            // Another process recorded a cancel: apply it now.
            (None, _) if live.run.cancel.is_some() => Some(live.run.updated_at),
            (None, _) => live.run.deadline_at,
            (Some(_), None) => None,
            (Some(stop), Some(turn)) => Some(match turn.escalated_at {
                None => after(stop, limits.cancel_escalate_ms),
                Some(_) => after(stop, limits.cancel_settle_ms),
            }),
        }
    }

    /// Reads the state and says what one input comes to. Changes nothing.
    pub fn decide(&self, input: &Input, cx: &mut Context<'_>) -> Decided {
        match input {
            Input::Command(command) => command::decide(&self.state, command, cx),
            Input::Observation(observation) => {
                Decided::changes(observe::decide(&self.state, observation, cx))
            }
        }
    }

    /// The only thing that changes state.
    pub fn evolve(&mut self, change: &Change) -> Option<Effect> {
        self.state.evolve(change)
    }

    /// Decides and evolves inputs one after another and gathers what they come to.
    pub fn step(&mut self, inputs: &[Input], cx: &mut Context<'_>) -> Draft {
        let mut gather = Gather::new(&self.state.row);
        for (index, input) in inputs.iter().enumerate() {
            for piece in expand(input, cx.limits) {
                let decided = self.decide(&piece, cx);
                for change in decided.changes {
                    gather.take(&change, &self.state, cx);
                    gather.effects.extend(self.evolve(&change));
                }
                if let Some(answer) = decided.answer {
                    gather.answers.push((index, answer));
                }
            }
        }
        gather.draft()
    }
}

/// A point in time and a limit after it.
pub(crate) fn after(start: Millis, limit_ms: u64) -> Millis {
    start.saturating_add(Millis::try_from(limit_ms).unwrap_or(Millis::MAX))
}

/// Splits an input into pieces that each can be decided on the state alone.
fn expand<'a>(input: &'a Input, limits: &Limits) -> Vec<Cow<'a, Input>> {
    let chunk = match input {
        Input::Observation(Observation::Update(AgentUpdate::Text(chunk))) => Some(Cow::Borrowed(chunk)),
        Input::Observation(Observation::Update(AgentUpdate::Known(update))) => {
            mapping::plain_text(update).map(Cow::Owned)
        }
        Input::Observation(_) | Input::Command(_) => None,
    };
    let Some(chunk) = chunk else { return vec![Cow::Borrowed(input)] };
    let message = chunk.message.as_ref().filter(|id| id.len() <= AGENT_MESSAGE_BYTES_MAX);
    // Escaping can make one byte six.
    let bytes = (limits.max_event_bytes.saturating_sub(4 << 10) / 6).clamp(64, PIECE_BYTES_MAX);
    let piece = |text: &str| {
        let chunk = TextChunk { thought: chunk.thought, message: message.cloned(), text: text.to_owned() };
        Cow::Owned(Input::Observation(Observation::Update(AgentUpdate::Text(chunk))))
    };
    text::pieces(&chunk.text, bytes).into_iter().map(piece).collect()
}

/// Collects the projections of a batch of changes.
struct Gather {
    append: Append,
    effects: Vec<Effect>,
    answers: Vec<(usize, Result<Answer, Refusal>)>,
}

impl Gather {
    fn new(row: &SessionRow) -> Self {
        Self {
            append: Append {
                session: row.id.clone(),
                expected_revision: row.revision,
                bump: false,
                new_messages: 0,
                writes: Vec::new(),
                events: Vec::new(),
            },
            effects: Vec::new(),
            answers: Vec::new(),
        }
    }

    fn take(&mut self, change: &Change, state: &State, cx: &Context<'_>) {
        self.append.bump |= change.bumps();
        if let Change::MessageSet(row) = change
            && row.position > state.row.latest_message
        {
            self.append.new_messages += 1;
        }
        self.append.writes.extend(change.write());
        self.append.events.extend(event_of(change, state, cx));
    }

    fn draft(self) -> Draft {
        let Self { append, effects, answers } = self;
        let write = append.bump || !append.writes.is_empty() || !append.events.is_empty();
        let mut draft = Draft { append: write.then_some(append), answers, effects };
        if let Some(append) = &mut draft.append {
            append.writes = merge(std::mem::take(&mut append.writes));
        }
        draft
    }
}

/// Only what happens while a run is live is journaled.
fn event_of(change: &Change, state: &State, cx: &Context<'_>) -> Option<NewEvent> {
    let run = match change {
        Change::RunAccepted(run) => &run.id,
        _ => &state.live.as_ref()?.run.id,
    };
    if late(change, state) {
        return None;
    }
    let body = change.event(&state.row.id, cx.limits.max_event_bytes)?;
    Some(change::encode(&body, run, cx.now, cx.limits.max_event_bytes))
}

/// True for a change to a message of an earlier run: its row changes, the journal does not.
fn late(change: &Change, state: &State) -> bool {
    let Change::PartSet(row) = change else { return false };
    state.recent.as_ref().is_some_and(|recent| recent.row.position == row.message)
}

/// Later writes of the same row replace earlier ones; the order of the rest stays.
fn merge(writes: Vec<Write>) -> Vec<Write> {
    let mut out: Vec<Write> = Vec::with_capacity(writes.len());
    for write in writes {
        let same = out.iter_mut().find(|earlier| match (&**earlier, &write) {
            (Write::Run(a), Write::Run(b)) => a.id == b.id,
            (Write::Turn(a), Write::Turn(b)) => a.id == b.id,
            (Write::Message(a), Write::Message(b)) => a.position == b.position,
            (Write::Decision(a), Write::Decision(b)) => a.id == b.id,
            _ => false,
        });
        match same {
            Some(earlier) => *earlier = write,
            None => out.push(write),
        }
    }
    out
}

impl State {
    fn evolve(&mut self, change: &Change) -> Option<Effect> {
        match change {
            Change::RunAccepted(run) => {
                self.live = Some(Live {
                    run: (**run).clone(),
                    turn: None,
                    prompt: Vec::new(),
                    answer: None,
                    decisions: Vec::new(),
                });
                None
            }
            Change::RunNoted(run) => {
                self.live.as_mut()?.run = (**run).clone();
                None
            }
            Change::RunEnded { run, .. } => {
                if let Some(answer) = self.live.take().and_then(|live| live.answer) {
                    self.recent = Some(answer);
                }
                self.ended.push((**run).clone());
                Some(Effect::RunOver { run: run.id.clone() })
            }
            Change::TurnSet(turn) => self.set_turn(turn),
            Change::TurnNoted(turn) => {
                let live = self.live.as_mut()?;
                let before = live.turn.replace(turn.clone());
                let escalated =
                    turn.escalated_at.is_some() && before.is_some_and(|t| t.escalated_at.is_none());
                escalated.then(|| Effect::EscalateTurn { turn: turn.id.clone() })
            }
            Change::MessageSet(row) => {
                self.set_message(row);
                None
            }
            Change::PartSet(row) => {
                self.set_part(row);
                None
            }
            Change::TextGrew { chunk, .. } => {
                let answer = self.live.as_mut()?.answer.as_mut()?;
                if let Some(open) = &mut answer.text {
                    push_text(&mut open.part.body, &chunk.text);
                    answer.text_units += text::units(&chunk.text);
                }
                None
            }
            Change::MetaSet { meta, .. } => {
                self.row.meta = (**meta).clone();
                None
            }
            Change::Patched { patch, .. } => {
                self.patch(patch);
                None
            }
            Change::StatusSet(_) | Change::Told(_) => None,
            Change::CancelSent(turn) => Some(Effect::CancelTurn { turn: turn.clone() }),
            Change::RequestRefused(key) => Some(Effect::RefuseRequest { key: *key }),
            Change::DecisionAsked { row, .. }
            | Change::DecisionAnswered { row, .. }
            | Change::DecisionDelivered { row }
            | Change::DecisionClosed { row, .. } => self.set_decision(row, change),
        }
    }

    fn set_turn(&mut self, turn: &TurnRow) -> Option<Effect> {
        let row = &self.row;
        let live = self.live.as_mut()?;
        live.turn = Some(turn.clone());
        match turn.state {
            TurnState::Ready => Some(Effect::StartTurn(Box::new(plan(row, live, turn)))),
            TurnState::Queued | TurnState::Active => None,
            TurnState::Completed
            | TurnState::Cancelled
            | TurnState::Coalesced
            | TurnState::Withdrawn
            | TurnState::Failed => Some(Effect::TurnOver { turn: turn.id.clone() }),
        }
    }

    fn set_message(&mut self, row: &MessageRow) {
        self.row.latest_message = self.row.latest_message.max(row.position);
        let Some(live) = &mut self.live else { return };
        match (&row.info, &mut live.answer) {
            (MessageInfo::User(_), _) => {}
            (MessageInfo::Assistant(_), Some(answer)) => answer.row = row.clone(),
            (MessageInfo::Assistant(_), None) => {
                live.answer = Some(AnswerMessage {
                    row: row.clone(),
                    parts: 0,
                    text: None,
                    text_units: 0,
                    tools: Vec::new(),
                });
            }
        }
    }

    fn set_part(&mut self, row: &PartRow) {
        let answers =
            self.live.as_mut().and_then(|live| live.answer.as_mut()).into_iter().chain(&mut self.recent);
        for answer in answers {
            if answer.row.position == row.message {
                answer.set(row);
                return;
            }
        }
        if let Some(live) = &mut self.live {
            live.prompt.push(row.clone());
        }
    }

    fn patch(&mut self, patch: &openscience_protocol::row::SessionPatch) {
        if let Some(title) = &patch.title {
            self.row.title.clone_from(title);
        }
        if let Some(meta) = &patch.meta {
            self.row.meta = meta.clone();
        }
        self.row.updated = patch.updated.unwrap_or(self.row.updated);
        self.row.archived = patch.archived.unwrap_or(self.row.archived);
        self.row.pinned = patch.pinned.unwrap_or(self.row.pinned);
        self.row.deleting = patch.deleting.unwrap_or(self.row.deleting);
    }

    fn set_decision(&mut self, row: &DecisionRow, change: &Change) -> Option<Effect> {
        let live = self.live.as_mut()?;
        live.decisions.retain(|known| known.id != row.id);
        if matches!(row.state, DecisionState::Pending | DecisionState::Indeterminate) {
            live.decisions.push(row.clone());
            live.decisions.sort_by(decision_order);
        }
        let decision = row.id.clone();
        match change {
            Change::DecisionAsked { key, .. } => Some(Effect::AwaitDecision { decision, key: *key }),
            Change::DecisionAnswered { option, key, .. } => {
                Some(Effect::AnswerDecision { decision, key: *key, option: option.clone() })
            }
            Change::DecisionDelivered { .. } => Some(Effect::DecisionSettled { decision }),
            Change::DecisionClosed { .. } => {
                Some(Effect::AnswerDecision { decision, key: None, option: None })
            }
            _ => None,
        }
    }
}

fn decision_order(a: &DecisionRow, b: &DecisionRow) -> Ordering {
    (a.asked_at, &a.id).cmp(&(b.asked_at, &b.id))
}

impl AnswerMessage {
    fn set(&mut self, row: &PartRow) {
        self.parts = self.parts.max(row.position);
        match &row.part.body {
            PartBody::Text(TextPart { text, .. }) | PartBody::Reasoning(ReasoningPart { text, .. }) => {
                self.text_units = text::units(text);
                self.text = Some(row.clone());
            }
            PartBody::Tool(_) => match self.tools.iter_mut().find(|tool| tool.position == row.position) {
                Some(tool) => *tool = row.clone(),
                None => self.tools.push(row.clone()),
            },
            PartBody::File(_)
            | PartBody::StepStart(_)
            | PartBody::StepFinish(_)
            | PartBody::Agent(_)
            | PartBody::Conversation(_)
            | PartBody::Subtask(_)
            | PartBody::Compaction(_) => {}
        }
    }
}

fn restore_answer(
    row: &MessageRow,
    parts: &[PartRow],
    chunks: &[openscience_protocol::row::ChunkRow],
) -> AnswerMessage {
    let mut answer =
        AnswerMessage { row: row.clone(), parts: 0, text: None, text_units: 0, tools: Vec::new() };
    for part in parts.iter().filter(|part| part.message == row.position) {
        let mut part = part.clone();
        for chunk in chunks.iter().filter(|c| c.message == part.message && c.part == part.position) {
            push_text(&mut part.part.body, &chunk.text);
        }
        answer.set(&part);
    }
    answer
}

fn push_text(body: &mut PartBody, text: &str) {
    match body {
        PartBody::Text(part) => part.text.push_str(text),
        PartBody::Reasoning(part) => part.text.push_str(text),
        PartBody::File(_)
        | PartBody::Tool(_)
        | PartBody::StepStart(_)
        | PartBody::StepFinish(_)
        | PartBody::Agent(_)
        | PartBody::Conversation(_)
        | PartBody::Subtask(_)
        | PartBody::Compaction(_) => {}
    }
}

fn plan(row: &SessionRow, live: &Live, turn: &TurnRow) -> TurnPlan {
    let bodies: Vec<PartBody> = live.prompt.iter().map(|part| part.part.body.clone()).collect();
    TurnPlan {
        run: live.run.id.clone(),
        turn: turn.id.clone(),
        agent: live.run.agent.clone(),
        agent_session: row.meta.agent_session.clone(),
        model: live.run.model.clone(),
        variant: live.run.variant.clone(),
        effort: live.run.effort,
        blocks: admission::blocks(&bodies),
    }
}
