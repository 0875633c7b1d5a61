//! What is known of the terminals that run an agent's commands, kept for people after the process is gone.
//!
//! Knows no process: it is told what was seen of one.

use openscience_protocol::Millis;
use openscience_protocol::row::TerminalRow;

use crate::answer::{Answer, Refusal};
use crate::change::Change;
use crate::input::{TerminalSeen, TerminalStage};
use crate::session::{Context, Decided, State};

/// What was seen of a terminal changes its row, or makes it. None if that says nothing new.
pub(crate) fn seen(state: &State, seen: &TerminalSeen, now: Millis) -> Option<TerminalRow> {
    let TerminalSeen { id, stage, command, cwd, output, truncated, exit, stop_requested } = seen;
    let known = state.terminals.iter().find(|row| row.id == *id);
    // What is told late of one that was let go, or given up for lost.
    if known.is_none() && *stage != TerminalStage::Started {
        return None;
    }
    let fresh = || TerminalRow {
        id: id.clone(),
        command: command.clone(),
        cwd: cwd.clone(),
        output: String::new(),
        truncated: false,
        exit_code: None,
        signal: None,
        created: now,
        updated: now,
        completed: None,
        stop_requested: None,
        released: None,
        revision: 0,
    };
    let before = known.cloned().unwrap_or_else(fresh);
    let at = |was: Option<Millis>, is: bool| was.or(is.then_some(now));
    let mut row = TerminalRow {
        output: output.clone(),
        truncated: *truncated,
        completed: at(before.completed, exit.is_some()),
        stop_requested: at(before.stop_requested, *stop_requested),
        released: at(before.released, *stage == TerminalStage::Released),
        ..before.clone()
    };
    if let Some(exit) = exit {
        row.exit_code = exit.code;
        row.signal.clone_from(&exit.signal);
    }
    if known.is_some() && row == before {
        return None;
    }
    row.updated = now;
    row.revision += 1;
    Some(row)
}

/// A person looked at a terminal, or did something to it: its row as it is then.
pub(crate) fn looked_at(state: &State, seen: &TerminalSeen, cx: &Context<'_>) -> Decided {
    let known = state.terminals.iter().find(|row| row.id == seen.id);
    match (self::seen(state, seen, cx.now), known) {
        (Some(row), _) => Decided {
            answer: Some(Ok(Answer::Terminal(Box::new(row.clone())))),
            changes: vec![Change::TerminalSet(Box::new(row))],
        },
        (None, Some(row)) => Decided::answer(Answer::Terminal(Box::new(row.clone()))),
        (None, None) => Decided::refuse(Refusal::TerminalNotFound),
    }
}

/// The agent that had the session is gone, and with it all that ran for it.
pub(crate) fn lost(state: &State, now: Millis) -> Vec<Change> {
    let gone = |row: &TerminalRow| {
        let row =
            TerminalRow { released: Some(now), updated: now, revision: row.revision + 1, ..row.clone() };
        Change::TerminalSet(Box::new(row))
    };
    state.terminals.iter().map(gone).collect()
}
