//! What people do with turns that wait, and with the one the agent has.

use openscience_protocol::TurnId;
use openscience_protocol::queue::{Delivery, Queue, QueuedTurn};
use openscience_protocol::row::{SessionMeta, TurnRow};
use openscience_protocol::run::TurnState;

use crate::answer::{self, Answer, Refusal};
use crate::change::Change;
use crate::session::{Context, Decided, Live, State};
use crate::{artifact, broker, settle};

/// The turns that wait, as clients see them: those of the live run, then those of the next.
pub fn view(state: &State) -> Queue {
    let waiting = state.runs().flat_map(Live::queued);
    let turns = (0..).zip(waiting).map(|(position, turn)| QueuedTurn {
        id: turn.id.clone(),
        position,
        status: turn.state,
        queued_at: turn.queued_at,
        message_id: turn.message_id.clone(),
        run_id: turn.run_id.clone(),
    });
    Queue { delivery: state.row.meta.delivery, turns: turns.collect() }
}

/// Sets how waiting turns are sent from now on.
pub(crate) fn deliver(state: &State, delivery: Delivery) -> Decided {
    let mut changes = Vec::new();
    if state.row.meta.delivery != delivery {
        let meta = SessionMeta { delivery, ..state.row.meta.clone() };
        changes.push(Change::MetaSet { meta: Box::new(meta), body: None });
    }
    Decided { changes, answer: Some(Ok(Answer::Queue(Queue { delivery, ..view(state) }))) }
}

/// Takes every waiting turn back; their messages stay.
pub(crate) fn clear(state: &State, cx: &mut Context<'_>) -> Decided {
    if let Some(foreign) = state.runs().find(|live| live.run.owner != *cx.me && live.queued().count() > 0) {
        return Decided::refuse(Refusal::RunNotOwned { owner: foreign.run.owner.clone() });
    }
    let mut withdrawn = 0;
    let mut changes = Vec::new();
    for live in state.runs() {
        let turns: Vec<&TurnRow> = live.queued().collect();
        withdrawn += u32::try_from(turns.len()).unwrap_or(u32::MAX);
        changes.extend(without(state, live, &turns, cx));
    }
    Decided { changes, answer: Some(Ok(Answer::Withdrawn(withdrawn))) }
}

/// Takes one waiting turn back; its message stays.
pub(crate) fn withdraw(state: &State, id: &TurnId, found: Option<&TurnRow>, cx: &mut Context<'_>) -> Decided {
    let (live, turn) = match queued(state, id, found, cx) {
        Ok(found) => found,
        Err(refusal) => return Decided::refuse(refusal),
    };
    let changes = without(state, live, &[turn], cx);
    let taken = settle::withdrawn(turn, cx.now);
    Decided { changes, answer: Some(Ok(Answer::Turn(answer::turn(&taken)))) }
}

/// Puts a waiting turn first and stops the current one for it.
pub(crate) fn send_now(state: &State, id: &TurnId, found: Option<&TurnRow>, cx: &mut Context<'_>) -> Decided {
    let (live, turn) = match queued(state, id, found, cx) {
        Ok(found) => found,
        Err(refusal) => return Decided::refuse(refusal),
    };
    let first = live.queued().map(|turn| turn.rank).min().unwrap_or_default();
    let moved = TurnRow { rank: if turn.rank == first { first } else { first - 1 }, ..turn.clone() };
    let mut changes = vec![Change::TurnNoted(Box::new(moved.clone()))];
    let current = live.open_turn().filter(|_| !live.closing());
    match current {
        Some(current) if current.sent_at.is_some() => {
            changes.extend(stop_turn(state, &live.with(&moved), current, cx));
        }
        // It is sent with the current one, once the agent is ready.
        Some(current)
            if state.row.meta.delivery == Delivery::Coalesce && current.settings == turn.settings => {}
        // The agent is being made ready for another prompt: that one waits behind this one.
        Some(current) => {
            let back = TurnRow { started_at: None, ..current.clone() };
            changes.push(Change::TurnNoted(Box::new(back)));
            let front = TurnRow { rank: moved.rank.min(current.rank - 1), ..settle::begun(&moved, cx) };
            changes.push(Change::TurnNoted(Box::new(front)));
        }
        None => {}
    }
    Decided { changes, answer: Some(Ok(Answer::Turn(answer::turn(turn)))) }
}

/// Stops one turn and not its run: the current one, or takes a waiting one back. One that has ended
/// is answered as it is.
pub(crate) fn cancel(state: &State, id: &TurnId, found: Option<&TurnRow>, cx: &mut Context<'_>) -> Decided {
    let current = state.live.as_ref().and_then(|live| Some((live, live.open_turn()?)));
    let Some((live, turn)) = current.filter(|(_, turn)| turn.id == *id) else {
        return match ended(state, id, found) {
            Some(turn) => Decided::answer(Answer::Turn(answer::turn(turn))),
            None => withdraw(state, id, found, cx),
        };
    };
    if live.run.owner != *cx.me {
        return Decided::refuse(Refusal::RunNotOwned { owner: live.run.owner.clone() });
    }
    let changes = if live.closing() { Vec::new() } else { stop_turn(state, live, turn, cx) };
    let last = changes.iter().rev().find_map(|change| match change {
        Change::TurnSet(row) | Change::TurnNoted(row) if row.id == *id => Some(&**row),
        _ => None,
    });
    let view = answer::turn(last.unwrap_or(turn));
    Decided { changes, answer: Some(Ok(Answer::Turn(view))) }
}

/// A turn that is over: as the store found it, or sent with the current one.
fn ended<'a>(state: &'a State, id: &TurnId, found: Option<&'a TurnRow>) -> Option<&'a TurnRow> {
    let known = state.runs().flat_map(|live| &live.turns).find(|turn| turn.id == *id);
    known.or(found).filter(|turn| turn.ended_at.is_some())
}

/// Tells the agent to stop the turn; one it does not have yet ends here.
fn stop_turn(state: &State, live: &Live, turn: &TurnRow, cx: &mut Context<'_>) -> Vec<Change> {
    if turn.cancel_at.is_some() {
        return Vec::new();
    }
    let turn = TurnRow { cancel_at: Some(cx.now), ..turn.clone() };
    if turn.state == TurnState::Active {
        let mut changes =
            broker::close_all(live, openscience_protocol::event::CloseReason::Cancelled, cx.now);
        changes.push(Change::TurnNoted(Box::new(turn)));
        return changes;
    }
    let stopped = live.with(&turn);
    match artifact::collect(state, &stopped, None, cx) {
        Some(mut changes) => {
            changes.insert(0, Change::TurnNoted(Box::new(turn)));
            changes
        }
        None => settle::turn_over(state, &stopped, None, state.waiting.as_ref(), cx),
    }
}

/// The waiting turn of that id and its run, if both are ours to change.
fn queued<'a>(
    state: &'a State,
    id: &TurnId,
    found: Option<&TurnRow>,
    cx: &Context<'_>,
) -> Result<(&'a Live, &'a TurnRow), Refusal> {
    let mut all = state.runs().flat_map(|live| live.queued().map(move |turn| (live, turn)));
    let Some((live, turn)) = all.find(|(_, turn)| turn.id == *id) else {
        let known = state.runs().flat_map(|live| &live.turns).any(|turn| turn.id == *id);
        let over = known || found.is_some();
        return Err(if over { Refusal::TurnNotQueued } else { Refusal::TurnNotFound });
    };
    if live.run.owner != *cx.me {
        return Err(Refusal::RunNotOwned { owner: live.run.owner.clone() });
    }
    Ok((live, turn))
}

/// Takes the turns back. A run that has no other turn ends with its last one.
fn without(state: &State, live: &Live, turns: &[&TurnRow], cx: &mut Context<'_>) -> Vec<Change> {
    if live.open_turn().is_none() && live.queued().count() == turns.len() && !turns.is_empty() {
        return settle::emptied(state, live, cx);
    }
    turns.iter().map(|turn| Change::TurnSet(Box::new(settle::withdrawn(turn, cx.now)))).collect()
}
