//! What tools changed and ran: diffs by path, terminals by id, and both by the call they belong to.

use std::collections::{BTreeMap, HashMap};

use openscience_protocol::message::{ToolPart, ToolState};
use openscience_protocol::row::TerminalRow;
use openscience_protocol::state::{
    ChangeType, StateDiff, StateTerminal, TerminalStatus, ThreadEntry, ToolCallBundle,
};
use openscience_protocol::{Millis, PartId};
use serde_json::Value;

use super::{Call, Source, items, terminal_ids, text};
use crate::text::units;

/// The newest change of each path, in the order in which paths first changed.
pub(super) fn diffs(source: &Source<'_>) -> Vec<StateDiff> {
    let mut diffs: Vec<StateDiff> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for call in source.calls() {
        for mut diff in of_call(&call) {
            let known = places.get(&diff.path).and_then(|at| diffs.get_mut(*at));
            if let Some(known) = known {
                diff.created_at = known.created_at;
                diff.revision += known.revision;
                *known = diff;
            } else {
                places.insert(diff.path.clone(), diffs.len());
                diffs.push(diff);
            }
        }
    }
    diffs
}

fn of_call(call: &Call<'_>) -> impl Iterator<Item = StateDiff> {
    let time = time_of(call);
    let id = call.tool.call_id.clone();
    items(call.tool, "diffs").iter().filter_map(move |told| {
        let number = |key: &str| told.get(key).and_then(Value::as_i64);
        let old_text = text(told, "oldText").map(str::to_owned);
        let new_text = text(told, "newText")?.to_owned();
        Some(StateDiff {
            path: text(told, "path")?.to_owned(),
            change_type: change_type(old_text.as_deref()),
            old_line_count: old_text.as_deref().map(lines),
            new_line_count: lines(&new_text),
            old_text,
            new_text,
            tool_call_id: id.clone(),
            created_at: number("createdAt").unwrap_or(time),
            updated_at: number("updatedAt").unwrap_or(time),
            revision: number("revision").unwrap_or(1),
        })
    })
}

/// When a call was first known to do something.
fn time_of(call: &Call<'_>) -> Millis {
    match &call.tool.state {
        ToolState::Running(state) => state.time.start,
        ToolState::Completed(state) => state.time.start,
        ToolState::Error(state) => state.time.start,
        ToolState::Pending(_) => super::operations::asked_at(call.message),
    }
}

/// A file without an old text is new, whether the agent leaves that out, empty or null.
pub(super) fn change_type(old: Option<&str>) -> ChangeType {
    if old.is_none_or(str::is_empty) { ChangeType::Write } else { ChangeType::Update }
}

/// Lines of a text; what follows the last line feed is one too.
pub(super) fn lines(text: &str) -> u64 {
    if text.is_empty() { 0 } else { text.bytes().filter(|byte| *byte == b'\n').count() as u64 + 1 }
}

pub(super) fn terminals(source: &Source<'_>) -> Vec<StateTerminal> {
    let mut shown: HashMap<&str, &ToolPart> = HashMap::new();
    for call in source.calls() {
        shown.extend(terminal_ids(call.tool).map(|id| (id, call.tool)));
    }
    let of = |row: &TerminalRow| {
        let tool_call = shown.get(row.id.as_str()).map(|tool| tool.call_id.clone());
        terminal(row, source.held.contains(&row.id), tool_call)
    };
    source.rows.terminals.iter().map(of).collect()
}

pub(super) fn terminal(row: &TerminalRow, held: bool, tool_call: Option<String>) -> StateTerminal {
    StateTerminal {
        terminal_id: row.id.clone(),
        status: status(row, held),
        command: row.command.clone(),
        cwd: row.cwd.clone(),
        output_length: units(&row.output),
        output_line_count: lines(&row.output),
        output: row.output.clone(),
        truncated: row.truncated,
        exit_code: row.exit_code,
        signal: row.signal.clone(),
        tool_call_id: tool_call,
        created_at: row.created,
        updated_at: row.updated,
        completed_at: row.completed,
        stop_requested_at: row.stop_requested,
        released_at: row.released,
        revision: row.revision,
    }
}

/// One that nobody has any more may have ended or not.
pub(super) fn status(row: &TerminalRow, held: bool) -> TerminalStatus {
    match row.completed {
        Some(_) => TerminalStatus::Completed,
        None if row.is_running() && held => TerminalStatus::Running,
        None => TerminalStatus::Unknown,
    }
}

/// Each call of the thread with its own objects.
pub(super) fn bundles(
    source: &Source<'_>,
    threads: &[ThreadEntry],
    diffs: &[StateDiff],
    terminals: &[StateTerminal],
) -> Vec<ToolCallBundle> {
    let calls: HashMap<&PartId, Call<'_>> = source.calls().map(|call| (call.id, call)).collect();
    let bundle = |entry: &ThreadEntry| {
        let ThreadEntry::ToolCall(entry) = entry else { return None };
        let call = calls.get(&entry.id)?;
        let changed = of_call(call).map(|own| {
            // The object of the path, if this call was the last to change it.
            let newest = |diff: &&StateDiff| diff.path == own.path && diff.new_text == own.new_text;
            diffs.iter().find(newest).cloned().unwrap_or(own)
        });
        let ran = |id: &str| terminals.iter().find(|terminal| terminal.terminal_id == id).cloned();
        Some(ToolCallBundle {
            tool_call: entry.clone(),
            diffs: changed.collect(),
            terminals: terminal_ids(call.tool).filter_map(ran).collect(),
        })
    };
    threads.iter().filter_map(bundle).collect()
}
