//! What a batch of changes comes to: its rows and events in one append, its answers and effects.

use openscience_protocol::row::{Append, NewEvent, PartRow, SessionPatch, SessionRow, Write};
use openscience_protocol::{EventBody, RunId};

use crate::answer::{self, Answer, Refusal};
use crate::change::{self, Change};
use crate::effect::Effect;
use crate::session::{Aside, Context, Draft, State};
use crate::state;

/// Collects the projections of a batch of changes.
pub(crate) struct Gather {
    append: Append,
    pub(crate) effects: Vec<Effect>,
    pub(crate) answers: Vec<(usize, Result<Answer, Refusal>)>,
    asides: Vec<Aside>,
}

impl Gather {
    pub(crate) fn new(row: &SessionRow) -> Self {
        Self {
            append: Append {
                session: row.id.clone(),
                expected_revision: row.revision,
                bump: false,
                new_messages: 0,
                writes: Vec::new(),
                events: Vec::new(),
                relies_on: Vec::new(),
            },
            effects: Vec::new(),
            answers: Vec::new(),
            asides: Vec::new(),
        }
    }

    pub(crate) fn take(&mut self, change: &Change, state: &State, cx: &Context<'_>) {
        // What comes late is told by the revision alone.
        self.append.bump |= change.bumps() || matches!(change, Change::PartSet(row) if late(row, state));
        if let Change::MessageSet(row) | Change::MessageKept(row) = change
            && row.position > state.row.latest_message
        {
            self.append.new_messages += 1;
        }
        if let Change::ReliedOn(grant) = change {
            self.append.relies_on.push(grant.clone());
        }
        self.append.writes.extend(change.write());
        self.append.events.extend(event_of(change, state, cx));
        let after = self.append.events.len();
        self.asides.extend(aside_of(change, state, cx).map(|body| Aside { after, body }));
    }

    pub(crate) fn draft(self) -> Draft {
        let Self { append, effects, answers, asides } = self;
        let write = append.bump || !append.writes.is_empty() || !append.events.is_empty();
        let mut draft = Draft { append: write.then_some(append), answers, effects, asides };
        if let Some(append) = &mut draft.append {
            // What it writes itself stands with it.
            let own = |id: &String| {
                append.writes.iter().any(|write| matches!(write, Write::Grant(grant) if grant.id == *id))
            };
            append.relies_on =
                std::mem::take(&mut append.relies_on).into_iter().filter(|id| !own(id)).collect();
            append.writes = merge(std::mem::take(&mut append.writes));
        }
        draft
    }
}

/// Only what happens while a run is live is journaled.
fn event_of(change: &Change, state: &State, cx: &Context<'_>) -> Option<NewEvent> {
    let run = journal_of(change, state)?;
    let body = change.event(&state.row.id, cx.limits.max_event_bytes)?;
    Some(change::encode(&body, run, cx.now, cx.limits.max_event_bytes))
}

/// The run whose events tell the change, if it is journaled.
fn journal_of<'a>(change: &'a Change, state: &'a State) -> Option<&'a RunId> {
    match change {
        Change::RunAccepted(run) | Change::RunNoted(run) | Change::RunEnded { run, .. } => Some(&run.id),
        Change::Joined(_, follow_up) => Some(&follow_up.run_id),
        Change::Claimed { claim, .. } => Some(&claim.run_id),
        Change::TurnAdded(turn)
        | Change::TurnQueued { turn, .. }
        | Change::TurnSet(turn)
        | Change::TurnNoted(turn) => Some(&turn.run_id),
        Change::MessageSet(row) => state.run_of_message(row.info.id()),
        Change::MessageKept(_) | Change::PartKept(_) => None,
        Change::PartSet(row) if late(row, state) => None,
        Change::PartSet(row) => state.run_of_message(&row.part.message_id),
        Change::TextGrew { .. }
        | Change::MetaSet { .. }
        | Change::Patched { .. }
        | Change::StatusSet(_)
        | Change::Told(_)
        | Change::DecisionAsked { .. }
        | Change::DecisionAnswered { .. }
        | Change::DecisionDelivered { .. }
        | Change::DecisionClosed { .. }
        | Change::Granted(_)
        | Change::ReliedOn(_)
        | Change::CancelSent(_)
        | Change::TerminalSet(_)
        | Change::RequestServed(_)
        | Change::Collecting { .. }
        | Change::Versioned(_)
        | Change::ClaimSet(_)
        | Change::RequestRefused(_) => Some(&state.live.as_ref()?.run.id),
    }
}

/// The projection beside the journal: what happens with no live run, and the session's record
/// whenever it changes.
fn aside_of(change: &Change, state: &State, cx: &Context<'_>) -> Option<EventBody> {
    if let Change::Patched { patch, .. } = change
        && is_shown(patch)
    {
        let mut row = state.row.clone();
        state::patch(&mut row, patch);
        return Some(EventBody::SessionRecord { info: Box::new(answer::session(&row)) });
    }
    match journal_of(change, state) {
        Some(_) => None,
        None => change.event(&state.row.id, cx.limits.max_event_bytes),
    }
}

/// True if people see the change in the session's record.
fn is_shown(patch: &SessionPatch) -> bool {
    let SessionPatch { title, updated, archived, pinned, deleting: _, meta: _ } = patch;
    title.is_some() || updated.is_some() || archived.is_some() || pinned.is_some()
}

/// True for a part of an answer that is over: its row changes, the journal does not.
fn late(row: &PartRow, state: &State) -> bool {
    state.recent.as_ref().is_some_and(|recent| recent.row.position == row.message)
}

/// Later writes of the same row replace earlier ones; the order of the rest stays.
fn merge(writes: Vec<Write>) -> Vec<Write> {
    let mut out: Vec<Write> = Vec::with_capacity(writes.len());
    for write in writes {
        let same = out.iter_mut().find(|earlier| match (&**earlier, &write) {
            (Write::Session(_), Write::Session(_)) => true,
            (Write::Run(a), Write::Run(b)) => a.id == b.id,
            (Write::Turn(a), Write::Turn(b)) => a.id == b.id,
            (Write::Message(a), Write::Message(b)) => a.position == b.position,
            (Write::Decision(a), Write::Decision(b)) => a.id == b.id,
            (Write::Terminal(a), Write::Terminal(b)) => a.id == b.id,
            (Write::Claim(a), Write::Claim(b)) => a.id == b.id,
            _ => false,
        });
        match (same, write) {
            (Some(Write::Session(earlier)), Write::Session(later)) => overlay(earlier, later),
            (Some(earlier), write) => *earlier = write,
            (None, write) => out.push(write),
        }
    }
    out
}

fn overlay(earlier: &mut SessionPatch, later: SessionPatch) {
    let SessionPatch { title, updated, archived, pinned, deleting, meta } = later;
    *earlier = SessionPatch {
        title: title.or(earlier.title.take()),
        updated: updated.or(earlier.updated),
        archived: archived.or(earlier.archived),
        pinned: pinned.or(earlier.pinned),
        deleting: deleting.or(earlier.deleting),
        meta: meta.or(earlier.meta.take()),
    };
}
