//! What a session's machine knows: restored from rows, changed by changes only.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use openscience_protocol::artifact::ClaimState;
use openscience_protocol::message::{MessageInfo, PartBody, ReasoningPart, TextPart};
use openscience_protocol::row::{
    ChunkRow, ClaimRow, DecisionRow, DecisionState, GrantRow, GrantScope, MessageRow, MessageRows, PartRow,
    Receipt, RunRow, SessionPatch, SessionRow, SessionRows, TerminalRow, TurnRow,
};
use openscience_protocol::run::TurnState;
use openscience_protocol::{MessageId, Millis, RunId, TurnId};

use crate::change::Change;
use crate::effect::{Effect, TurnPlan};
use crate::input::{Blocks, Given};
use crate::{admission, text, tool};

/// A tool call that has ended and holds more is not held in memory: a turn can have many of them.
const SEALED_BYTES: usize = 64 << 10;

/// Everything a session knows that a rule may ask for. Restored from rows.
#[derive(Debug, Clone, PartialEq)]
pub struct State {
    pub row: SessionRow,
    /// The run that is executed, or that is being ended.
    pub live: Option<Live>,
    /// The run that starts when the live one has ended; only beside one whose end is decided.
    pub waiting: Option<Live>,
    /// The newest answer that is over, for updates that come late. Lost with the process, not by a restore.
    pub recent: Option<AnswerMessage>,
    /// The newest receipts that ended here: what the store told before a batch may not know them.
    /// Lost with the process; a final receipt never changes.
    pub ended: Vec<RunRow>,
    /// The newest receipts of follow-ups that were made here, for the same reason. Lost with the process.
    pub follow_ups: Vec<Receipt>,
    /// Grants that were given here since the last commit: what was looked up before does not know them.
    pub granted: Vec<GrantRow>,
    /// Terminals that were not released, oldest first.
    pub terminals: Vec<TerminalRow>,
    /// Decisions of the run before whose answer was on its way when it ended. Lost with the process.
    pub undelivered: Vec<DecisionRow>,
    /// Claims whose files are not with their message yet.
    pub claims: Vec<ClaimRow>,
    /// The turn whose files are being looked for or put away. Lost with the process: whoever asked tells of it.
    pub draining: Option<TurnId>,
}

/// A run that has not ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Live {
    pub run: RunRow,
    /// Turns that have not ended, next first, and those that were sent with the current one.
    pub turns: Vec<TurnRow>,
    /// Parts of the messages of those turns.
    pub prompt: Vec<PartRow>,
    /// The assistant message of the current turn, once the agent was prompted.
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
    /// Its tool calls, but those in `sealed`.
    pub tools: Vec<PartRow>,
    /// Ids of calls that have ended and are too large to be held: what is told of them later is nobody's.
    pub sealed: BTreeSet<String>,
}

impl Live {
    fn new(run: RunRow) -> Self {
        Self { run, turns: Vec::new(), prompt: Vec::new(), answer: None, decisions: Vec::new() }
    }

    /// The current turn: the agent has it, or is being made ready for it.
    pub fn open_turn(&self) -> Option<&TurnRow> {
        self.turns.iter().find(|turn| turn.started_at.is_some() && turn.ended_at.is_none())
    }

    /// Turns that wait, next first.
    pub fn queued(&self) -> impl Iterator<Item = &TurnRow> {
        self.turns.iter().filter(|turn| turn.started_at.is_none() && turn.ended_at.is_none())
    }

    /// The turn and those whose prompts were sent with it, in the order they were sent.
    pub(crate) fn sent_as<'a>(&'a self, turn: &'a TurnRow) -> impl Iterator<Item = &'a TurnRow> {
        let with = move |other: &&TurnRow| other.into_turn_id.as_ref() == Some(&turn.id);
        std::iter::once(turn).chain(self.turns.iter().filter(with))
    }

    /// True once the end was decided by a cancel, a deadline or a stop; a cancel that another
    /// process recorded counts before its owner tells the agent.
    pub fn closing(&self) -> bool {
        self.run.stop_at.is_some() || self.run.cancel.is_some()
    }

    /// Decisions that wait for an answer, oldest first.
    pub fn pending(&self) -> impl Iterator<Item = &DecisionRow> {
        self.decisions.iter().filter(|row| row.state == DecisionState::Pending)
    }

    fn asks(&self, message: &MessageId) -> bool {
        self.turns.iter().any(|turn| turn.message_id == *message)
    }

    /// Puts the turn in, or in the place of its older self.
    fn put(&mut self, turn: &TurnRow) -> Option<TurnRow> {
        let at = self.turns.iter().position(|known| known.id == turn.id);
        let before = at.map(|at| self.turns.swap_remove(at));
        self.turns.push(turn.clone());
        self.sort_turns();
        before
    }

    fn sort_turns(&mut self) {
        self.turns.sort_by(|a, b| (a.rank, &a.id).cmp(&(b.rank, &b.id)));
    }

    /// The run with the turn as it is about to be.
    pub(crate) fn with(&self, turn: &TurnRow) -> Self {
        let mut live = self.clone();
        live.put(turn);
        live
    }

    /// When the agent was told to stop the turn, if it was: with its run, or by itself.
    pub(crate) fn told(&self, turn: &TurnRow) -> Option<Millis> {
        self.run.stop_at.into_iter().chain(turn.cancel_at).min()
    }

    /// Forgets a turn that is over, and what was sent with it.
    fn forget(&mut self, turn: &TurnRow) {
        self.turns.retain(|known| known.id != turn.id && known.into_turn_id.as_ref() != Some(&turn.id));
        let turns = &self.turns;
        self.prompt.retain(|part| turns.iter().any(|turn| turn.message_id == part.part.message_id));
    }
}

impl State {
    pub(crate) fn restore(rows: SessionRows) -> Self {
        let SessionRows {
            session,
            runs,
            turns,
            messages,
            mut parts,
            mut chunks,
            mut decisions,
            mut terminals,
            claims,
        } = rows;
        terminals.sort_by(terminal_order);
        parts.sort_by_key(|row| (row.message, row.position));
        chunks.sort_by_key(|row| (row.message, row.part, row.offset));
        decisions.sort_by(decision_order);
        let restored = |run: RunRow| {
            let mut live = Live::new(run);
            live.turns = turns.iter().filter(|turn| turn.run_id == live.run.id).cloned().collect();
            live.sort_turns();
            live.prompt = parts.iter().filter(|part| live.asks(&part.part.message_id)).cloned().collect();
            let answers = |row: &&MessageRow| match &row.info {
                MessageInfo::Assistant(info) => live.asks(&info.parent_id),
                MessageInfo::User(_) => false,
            };
            live.answer = messages.iter().rev().find(answers).map(|row| restore_answer(row, &parts, &chunks));
            // An answer that never reached the agent stays indeterminate after its run.
            live.decisions = decisions.iter().filter(|row| row.run_id == live.run.id).cloned().collect();
            live
        };
        let mut runs = runs.into_iter().map(restored);
        Self {
            row: session,
            live: runs.next(),
            waiting: runs.next(),
            recent: None,
            ended: Vec::new(),
            follow_ups: Vec::new(),
            granted: Vec::new(),
            terminals,
            undelivered: Vec::new(),
            claims,
            draining: None,
        }
    }

    /// The newest answer that is over, from its rows.
    pub(crate) fn recall(&mut self, rows: &MessageRows) {
        let MessageRows { message, parts, chunks } = rows;
        self.recent = Some(restore_answer(message, parts, chunks));
    }

    /// The runs that have not ended: the live one first.
    pub fn runs(&self) -> impl Iterator<Item = &Live> {
        self.live.iter().chain(&self.waiting)
    }

    /// The runs that are known here, ended ones among them.
    pub(crate) fn receipts(&self) -> impl Iterator<Item = &RunRow> {
        self.runs().map(|live| &live.run).chain(&self.ended)
    }

    /// The run of that id, if it has not ended.
    pub(crate) fn run_mut(&mut self, id: &RunId) -> Option<&mut Live> {
        self.live.iter_mut().chain(&mut self.waiting).find(|live| live.run.id == *id)
    }

    /// The run whose events tell of the message: the one that asks with it, else the live one.
    pub(crate) fn run_of_message(&self, message: &MessageId) -> Option<&RunId> {
        let asks = self.runs().find(|live| live.asks(message));
        asks.or(self.live.as_ref()).map(|live| &live.run.id)
    }

    /// The only thing that changes state.
    pub(crate) fn evolve(&mut self, change: &Change) -> Option<Effect> {
        match change {
            Change::RunAccepted(run) => {
                let place = if self.live.is_none() { &mut self.live } else { &mut self.waiting };
                *place = Some(Live::new((**run).clone()));
                None
            }
            Change::RunNoted(run) => {
                self.run_mut(&run.id)?.run = (**run).clone();
                None
            }
            Change::RunEnded { run, .. } => Some(self.end_run(run)),
            Change::Joined(receipt, _) => {
                self.follow_ups.push((**receipt).clone());
                None
            }
            Change::TurnAdded(turn) => {
                self.run_mut(&turn.run_id)?.put(turn);
                None
            }
            Change::TurnSet(turn) => self.set_turn(turn),
            Change::TurnNoted(turn) => self.note_turn(turn),
            Change::MessageSet(row) => {
                self.set_message(row);
                None
            }
            Change::PartSet(row) => {
                self.set_part(row);
                None
            }
            Change::MessageKept(row) => {
                self.row.latest_message = self.row.latest_message.max(row.position);
                None
            }
            Change::TextGrew { chunk, .. } => {
                self.grow_text(&chunk.text);
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
            Change::Granted(grant) => {
                self.granted.push((**grant).clone());
                (grant.scope != GrantScope::Session).then_some(Effect::TellGrants)
            }
            Change::TurnQueued { .. }
            | Change::PartKept(_)
            | Change::StatusSet(_)
            | Change::Told(_)
            | Change::Versioned(_)
            | Change::ReliedOn(_) => None,
            Change::Collecting { .. } | Change::Claimed { .. } | Change::ClaimSet(_) => {
                self.evolve_files(change)
            }
            Change::CancelSent(turn) => Some(Effect::CancelTurn { turn: turn.clone() }),
            Change::RequestRefused(key) => Some(Effect::RefuseRequest { key: *key }),
            Change::RequestServed(key) => Some(Effect::ServeRequest { key: *key }),
            Change::TerminalSet(row) => {
                self.set_terminal(row);
                None
            }
            Change::DecisionAsked { row, .. }
            | Change::DecisionAnswered { row, .. }
            | Change::DecisionDelivered { row }
            | Change::DecisionClosed { row, .. } => self.set_decision(row, change),
        }
    }

    fn grow_text(&mut self, more: &str) {
        let Some(answer) = self.live.as_mut().and_then(|live| live.answer.as_mut()) else { return };
        if let Some(open) = &mut answer.text {
            push_text(&mut open.part.body, more);
            answer.text_units += text::units(more);
        }
    }

    /// What becomes of the files of turns.
    fn evolve_files(&mut self, change: &Change) -> Option<Effect> {
        match change {
            Change::Collecting { turn, run, end, wait_ms } => {
                self.draining = Some(turn.clone());
                let (turn, run, end) = (turn.clone(), run.clone(), end.clone());
                Some(Effect::CollectFiles { turn, run, end, wait_ms: *wait_ms })
            }
            Change::Claimed { claim, .. } => {
                self.claims.push((**claim).clone());
                Some(Effect::FinalizeFiles { claim: claim.clone() })
            }
            Change::ClaimSet(claim) => {
                self.claims.retain(|known| known.id != claim.id);
                if claim.state == ClaimState::Pending {
                    self.claims.push((**claim).clone());
                    self.claims.sort_by(|a, b| (a.created, &a.id).cmp(&(b.created, &b.id)));
                }
                None
            }
            _ => None,
        }
    }

    fn end_run(&mut self, run: &RunRow) -> Effect {
        if self.waiting.take_if(|waiting| waiting.run.id == run.id).is_none()
            && let Some(live) = std::mem::replace(&mut self.live, self.waiting.take())
        {
            self.recent = live.answer.or(self.recent.take());
            self.undelivered = live.decisions;
        }
        self.ended.push(run.clone());
        Effect::RunOver { run: run.id.clone() }
    }

    fn set_turn(&mut self, turn: &TurnRow) -> Option<Effect> {
        let live = self.run_mut(&turn.run_id)?;
        match turn.state {
            TurnState::Queued | TurnState::Ready | TurnState::Active | TurnState::Coalesced => {
                live.put(turn);
                None
            }
            TurnState::Completed | TurnState::Cancelled | TurnState::Withdrawn | TurnState::Failed => {
                live.forget(turn);
                self.draining.take_if(|draining| *draining == turn.id);
                turn.started_at.map(|_| Effect::TurnOver { turn: turn.id.clone() })
            }
        }
    }

    fn note_turn(&mut self, turn: &TurnRow) -> Option<Effect> {
        let live = self.run_mut(&turn.run_id)?;
        let before = live.put(turn)?;
        let news = |of: fn(&TurnRow) -> bool| of(turn) && !of(&before);
        let id = turn.id.clone();
        if news(|turn| turn.started_at.is_some()) {
            let over = live.answer.take();
            self.recent = over.or(self.recent.take());
            return Some(Effect::StartTurn(Box::new(self.plan(turn)?)));
        }
        if news(|turn| turn.sent_at.is_some()) {
            return Some(Effect::SendPrompt { turn: id, blocks: blocks(live, turn) });
        }
        if news(|turn| turn.cancel_at.is_some()) {
            return Some(Effect::CancelTurn { turn: id });
        }
        news(|turn| turn.escalated_at.is_some()).then_some(Effect::EscalateTurn { turn: id })
    }

    fn plan(&self, turn: &TurnRow) -> Option<TurnPlan> {
        let live = self.live.as_ref()?;
        Some(TurnPlan {
            run: live.run.id.clone(),
            turn: turn.id.clone(),
            agent: live.run.agent.clone(),
            agent_session: self.row.meta.agent_session.clone(),
            settings: turn.settings.clone(),
            artifact_run: turn.artifact_run.clone(),
        })
    }

    fn set_message(&mut self, row: &MessageRow) {
        self.row.latest_message = self.row.latest_message.max(row.position);
        let Some(live) = &mut self.live else { return };
        match (&row.info, &mut live.answer) {
            (MessageInfo::User(_), _) => {}
            (MessageInfo::Assistant(_), Some(answer)) => answer.row = row.clone(),
            (MessageInfo::Assistant(_), None) => {
                live.answer = Some(AnswerMessage::new(row.clone()));
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
        let mut runs = self.live.iter_mut().chain(&mut self.waiting);
        if let Some(live) = runs.find(|live| live.asks(&row.part.message_id)) {
            live.prompt.push(row.clone());
        }
    }

    fn set_terminal(&mut self, row: &TerminalRow) {
        self.terminals.retain(|known| known.id != row.id);
        if row.released.is_none() {
            self.terminals.push(row.clone());
            self.terminals.sort_by(terminal_order);
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
            Change::DecisionAnswered { given, key, .. } => {
                Some(Effect::AnswerDecision { decision, key: *key, given: given.clone() })
            }
            Change::DecisionDelivered { .. } => Some(Effect::DecisionSettled { decision }),
            Change::DecisionClosed { .. } => {
                Some(Effect::AnswerDecision { decision, key: None, given: Given::Cancelled })
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

fn terminal_order(a: &TerminalRow, b: &TerminalRow) -> Ordering {
    (a.created, &a.id).cmp(&(b.created, &b.id))
}

fn decision_order(a: &DecisionRow, b: &DecisionRow) -> Ordering {
    (a.asked_at, &a.id).cmp(&(b.asked_at, &b.id))
}

impl AnswerMessage {
    fn new(row: MessageRow) -> Self {
        Self { row, parts: 0, text: None, text_units: 0, tools: Vec::new(), sealed: BTreeSet::new() }
    }

    fn set(&mut self, row: &PartRow) {
        self.parts = self.parts.max(row.position);
        match &row.part.body {
            PartBody::Text(TextPart { text, .. }) | PartBody::Reasoning(ReasoningPart { text, .. }) => {
                self.text_units = text::units(text);
                self.text = Some(row.clone());
            }
            PartBody::Tool(tool) if tool::is_over(tool) && tool::size(tool) > SEALED_BYTES => {
                self.tools.retain(|known| known.position != row.position);
                self.sealed.insert(tool.call_id.clone());
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
    let mut answer = AnswerMessage::new(row.clone());
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

/// What the turn's prompt looks like to the agent, with those that are sent with it.
fn blocks(live: &Live, turn: &TurnRow) -> Blocks {
    let of = |turn: &TurnRow| {
        let parts = live.prompt.iter().filter(|part| part.part.message_id == turn.message_id);
        admission::blocks(&parts.map(|part| part.part.body.clone()).collect::<Vec<PartBody>>())
    };
    live.sent_as(turn).flat_map(of).collect()
}
