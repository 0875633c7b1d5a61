//! The session machine: `decide` reads, `evolve` changes, `step` does both for
//! a batch of inputs and hands out what must be written, answered and done.

use std::borrow::Cow;

use openscience_protocol::prompt::ModelRef;
use openscience_protocol::row::{Append, Appended, DecisionRow, MessageRows, SessionRow, SessionRows};
use openscience_protocol::whole::WHOLE_MAX;
use openscience_protocol::{
    AgentId, ClaimId, DecisionId, EventBody, Limits, MessageId, Millis, OwnerId, PartId, Rule, RunId,
    SessionStatus, TurnId, Workspace,
};

use crate::answer::{Answer, Refusal};
use crate::change::Change;
use crate::effect::Effect;
use crate::gather::Gather;
use crate::input::{AgentUpdate, Input, Observation, TextChunk};
pub use crate::state::{AnswerMessage, Live, State};
use crate::{artifact, command, mapping, observe, text, visit};

/// Growth is told in pieces of at most this many bytes.
const PIECE_BYTES_MAX: usize = 32 << 10;

/// An agent's message id is only compared; one longer than this is taken for none.
const AGENT_MESSAGE_BYTES_MAX: usize = 512;

/// Final receipts a machine remembers, so that a retry soon after needs no look-up.
const RECEIPTS_KEPT: usize = 16;

/// Where new ids come from. The core has no randomness of its own.
pub trait Ids {
    fn message(&mut self, now: Millis) -> MessageId;
    fn part(&mut self, now: Millis) -> PartId;
    fn run(&mut self, now: Millis) -> RunId;
    fn turn(&mut self, now: Millis) -> TurnId;
    fn permission(&mut self, now: Millis) -> DecisionId;
    fn question(&mut self, now: Millis) -> DecisionId;
    fn claim(&mut self, now: Millis) -> ClaimId;
}

/// What is done where nobody acts in time. Nothing, unless it is configured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Policy {
    /// How long a decision waits for an answer.
    pub decision_timeout_ms: Option<u64>,
    /// Whether one that nobody answered is allowed just once; else it is rejected.
    pub decision_timeout_allows: bool,
    /// How long an agent that has a turn may be silent while nothing is asked of a person.
    pub stall_timeout_ms: Option<u64>,
}

/// What a decision may depend on besides the state.
pub struct Context<'a> {
    pub now: Millis,
    /// The process that decides.
    pub me: &'a OwnerId,
    pub limits: &'a Limits,
    pub policy: &'a Policy,
    /// Configured permission rules.
    pub rules: &'a [Rule],
    /// The model of prompts that name none, and the agent whose sessions it is for.
    pub default_model: Option<(&'a AgentId, &'a ModelRef)>,
    /// Turns can save files, which are claimed before they end.
    pub artifacts: bool,
    /// Directory that holds the scratch folders of isolated sessions.
    pub scratch: &'a str,
    pub ids: &'a mut dyn Ids,
}

impl Context<'_> {
    /// Where the session's agent works.
    pub(crate) fn working_directory(&self, row: &SessionRow) -> String {
        match row.workspace {
            Workspace::Project => row.directory.clone(),
            Workspace::Isolated => format!("{}/{}", self.scratch, row.id),
        }
    }
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
    /// What is told to those who listen now and not journaled.
    pub asides: Vec<Aside>,
}

/// A fact that is told live and not journaled.
#[derive(Debug, Clone, PartialEq)]
pub struct Aside {
    /// Events of the append that were before it.
    pub after: usize,
    pub body: EventBody,
}

/// The rules of one session over its state.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionMachine {
    pub(crate) state: State,
}

impl SessionMachine {
    /// The machine as its rows tell. Reads rows, never events: the journal is pruned, the rows are not.
    pub fn restore(rows: SessionRows) -> Self {
        Self { state: State::restore(rows) }
    }

    /// True if the machine itself knows the receipt of that id.
    pub fn knows_run(&self, run: &RunId) -> bool {
        let runs = self.state.receipts().map(|run| &run.id);
        runs.chain(self.state.follow_ups.iter().map(|receipt| &receipt.id)).any(|known| known == run)
    }

    /// True if no prompt was ever admitted, as far as this machine knows.
    pub fn is_blank(&self) -> bool {
        self.state.row.latest_message == 0
    }

    /// The state, to read.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Takes over what the store assigned.
    pub fn committed(&mut self, appended: Appended) {
        self.state.row.revision = appended.revision;
        self.state.row.latest_sequence = appended.latest_sequence;
        let old = self.state.ended.len().saturating_sub(RECEIPTS_KEPT);
        self.state.ended.drain(..old);
        self.state.granted.clear();
        let old = self.state.follow_ups.len().saturating_sub(RECEIPTS_KEPT);
        self.state.follow_ups.drain(..old);
    }

    /// The answer that grows and the one before it, as far as they are known.
    pub fn answers(&self) -> impl Iterator<Item = &MessageId> {
        let growing = self.state.live.as_ref().and_then(|live| live.answer.as_ref());
        growing.into_iter().chain(&self.state.recent).map(|answer| answer.row.info.id())
    }

    /// Tells a machine that was restored of the newest answer that is over: late updates are its own.
    pub fn recall(&mut self, rows: &MessageRows) {
        self.state.recall(rows);
    }

    /// Lets the last answer go: what comes so late is nobody's any more. Memory of an idle session.
    pub fn forget_recent(&mut self) {
        self.state.recent = None;
    }

    /// Busy while a run is live.
    pub fn status(&self) -> SessionStatus {
        if self.state.live.is_some() { SessionStatus::Busy } else { SessionStatus::Idle }
    }

    /// Whether people may have the agent visited now: between turns.
    pub fn may_visit(&self) -> Result<(), Refusal> {
        visit::may_visit(&self.state)
    }

    /// When the machine wants a [`Observation::Tick`], if it does. Only what `me` executes counts:
    /// a tick anywhere else changes nothing.
    pub fn deadline(&self, me: &OwnerId, limits: &Limits, policy: &Policy) -> Option<Millis> {
        let mine = |live: &&Live| live.run.owner == *me;
        let draining = self.state.draining.as_ref();
        let due = self.state.runs().filter(mine).filter_map(|live| due(live, draining, limits, policy)).min();
        // It waited for a run of another process, which has ended.
        let idle = self
            .state
            .live
            .as_ref()
            .filter(mine)
            .filter(|live| live.open_turn().is_none() && !live.closing());
        let start = idle.and_then(|live| live.queued().map(|turn| turn.queued_at).next());
        due.into_iter().chain(start).min()
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
    pub fn step<'a>(&mut self, inputs: impl IntoIterator<Item = &'a Input>, cx: &mut Context<'_>) -> Draft {
        let mut gather = Gather::new(&self.state.row);
        for (index, input) in inputs.into_iter().enumerate() {
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

/// When something is due in the run.
fn due(live: &Live, draining: Option<&TurnId>, limits: &Limits, policy: &Policy) -> Option<Millis> {
    let run = &live.run;
    let stopped = live.open_turn().and_then(|turn| {
        let told = live.told(turn)?;
        let settled = artifact::settle_at(turn, told, draining, limits.cancel_settle_ms);
        Some(match turn.escalated_at {
            None if draining != Some(&turn.id) => after(told, limits.cancel_escalate_ms).min(settled),
            None | Some(_) => settled,
        })
    });
    match run.stop_at {
        Some(_) => stopped,
        // Another process recorded a cancel: apply it now.
        None if run.cancel.is_some() => Some(run.updated_at),
        None => {
            let unanswered = live.pending().filter_map(|row| expires(row, policy)).min();
            run.deadline_at.into_iter().chain(stopped).chain(unanswered).min()
        }
    }
}

/// When a pending decision is answered by itself, if it ever is.
pub(crate) fn expires(row: &DecisionRow, policy: &Policy) -> Option<Millis> {
    policy.decision_timeout_ms.map(|limit| after(row.asked_at, limit))
}

/// A point in time and a limit after it.
pub(crate) fn after(start: Millis, limit_ms: u64) -> Millis {
    // Told to clients: no later than what all of them keep exact.
    start.saturating_add(Millis::try_from(limit_ms).unwrap_or(Millis::MAX)).min(WHOLE_MAX.cast_signed())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_is_later_than_what_clients_keep_exact() {
        assert_eq!(after(1_000, 500), 1_500);
        assert_eq!(after(1_000, WHOLE_MAX), 9_007_199_254_740_991);
        assert_eq!(after(1_000, u64::MAX), 9_007_199_254_740_991);
    }
}
