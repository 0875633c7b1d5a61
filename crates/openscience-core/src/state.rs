//! What a session's machine knows: restored from rows, changed by changes only.

use std::cmp::Ordering;

use openscience_protocol::MessageId;
use openscience_protocol::message::{MessageInfo, PartBody, ReasoningPart, TextPart};
use openscience_protocol::row::{
    ChunkRow, DecisionRow, DecisionState, MessageRow, PartRow, RunRow, SessionPatch, SessionRow, SessionRows,
    TurnRow,
};
use openscience_protocol::run::TurnState;

use crate::change::Change;
use crate::effect::{Effect, TurnPlan};
use crate::{admission, text};

/// Everything a session knows that a rule may ask for. Restored from rows.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub row: SessionRow,
    pub live: Option<Live>,
    /// The newest answer that is over, for updates that come late. Lost with the process.
    pub recent: Option<AnswerMessage>,
    /// The newest receipts that ended here: what the store told before a batch may not know them.
    /// Lost with the process; a final receipt never changes.
    pub ended: Vec<RunRow>,
    /// Decisions of the run before whose answer was on its way when it ended. Lost with the process.
    pub undelivered: Vec<DecisionRow>,
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

impl State {
    pub(crate) fn restore(rows: SessionRows) -> Self {
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
        Self { row: session, live, recent: None, ended: Vec::new(), undelivered: Vec::new() }
    }

    /// The only thing that changes state.
    pub(crate) fn evolve(&mut self, change: &Change) -> Option<Effect> {
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
                if let Some(live) = self.live.take() {
                    self.recent = live.answer.or(self.recent.take());
                    self.undelivered = live.decisions;
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
                self::patch(&mut self.row, patch);
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

    fn set_decision(&mut self, row: &DecisionRow, change: &Change) -> Option<Effect> {
        let live = self.live.as_mut().filter(|live| live.run.id == row.run_id);
        let held = live.map_or(&mut self.undelivered, |live| &mut live.decisions);
        held.retain(|known| known.id != row.id);
        if matches!(row.state, DecisionState::Pending | DecisionState::Indeterminate) {
            held.push(row.clone());
            held.sort_by(decision_order);
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

/// The row with the patch applied.
pub(crate) fn patch(row: &mut SessionRow, patch: &SessionPatch) {
    if let Some(title) = &patch.title {
        row.title.clone_from(title);
    }
    if let Some(meta) = &patch.meta {
        row.meta = meta.clone();
    }
    row.updated = patch.updated.unwrap_or(row.updated);
    row.archived = patch.archived.unwrap_or(row.archived);
    row.pinned = patch.pinned.unwrap_or(row.pinned);
    row.deleting = patch.deleting.unwrap_or(row.deleting);
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

fn restore_answer(row: &MessageRow, parts: &[PartRow], chunks: &[ChunkRow]) -> AnswerMessage {
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
