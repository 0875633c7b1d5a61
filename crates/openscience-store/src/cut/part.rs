//! What of one part can be cut, how long it is as JSON, and how it is cut.
//!
//! Does not know how much there is of it in all.

use std::io;

use openscience_protocol::message::{Part, PartBody, PartTime, ToolPart, ToolState};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// What a tool call put out.
pub(super) fn output(part: &Part) -> usize {
    let PartBody::Tool(tool) = &part.body else { return 0 };
    match &tool.state {
        ToolState::Pending(state) => json_text_bytes(&state.raw),
        ToolState::Running(_) => 0,
        ToolState::Completed(state) => json_text_bytes(&state.output),
        ToolState::Error(state) => json_text_bytes(&state.error),
    }
}

/// Keeps its head and its tail.
pub(super) fn cut_output(part: &mut Part, level: usize) {
    let PartBody::Tool(tool) = &mut part.body else { return };
    match &mut tool.state {
        ToolState::Pending(state) => cut_text(&mut state.raw, level),
        ToolState::Running(_) => {}
        ToolState::Completed(state) => cut_text(&mut state.output, level),
        ToolState::Error(state) => cut_text(&mut state.error, level),
    }
    mark(details_of(tool));
}

/// What a tool was called with.
pub(super) fn input(part: &Part) -> usize {
    let PartBody::Tool(tool) = &part.body else { return 0 };
    json_bytes(match &tool.state {
        ToolState::Pending(state) => &state.input,
        ToolState::Running(state) => &state.input,
        ToolState::Completed(state) => &state.input,
        ToolState::Error(state) => &state.input,
    })
}

/// Half a command or half a document would only mislead: it goes as a whole.
pub(super) fn cut_input(part: &mut Part, _level: usize) {
    let PartBody::Tool(tool) = &mut part.body else { return };
    let input = match &mut tool.state {
        ToolState::Pending(state) => &mut state.input,
        ToolState::Running(state) => &mut state.input,
        ToolState::Completed(state) => &mut state.input,
        ToolState::Error(state) => &mut state.input,
    };
    *input = json!({ "truncated": true });
    mark(details_of(tool));
}

/// The title, the diffs and whatever else is told of a tool call beside its output.
pub(super) fn details(part: &Part) -> usize {
    let PartBody::Tool(tool) = &part.body else { return 0 };
    let (title, details) = match &tool.state {
        ToolState::Pending(_) => (None, tool.metadata.as_ref()),
        ToolState::Running(state) => (state.title.as_ref(), state.metadata.as_ref()),
        ToolState::Completed(state) => (Some(&state.title), Some(&state.metadata)),
        ToolState::Error(state) => (None, state.metadata.as_ref()),
    };
    title.map_or(0, |title| json_text_bytes(title)) + details.map_or(0, json_bytes)
}

/// Keeps the small ones.
pub(super) fn cut_details(part: &mut Part, _level: usize) {
    let PartBody::Tool(tool) = &mut part.body else { return };
    let title = match &mut tool.state {
        ToolState::Running(state) => state.title.as_mut(),
        ToolState::Completed(state) => Some(&mut state.title),
        ToolState::Pending(_) | ToolState::Error(_) => None,
    };
    if let Some(title) = title {
        title.truncate(title.floor_char_boundary(DETAIL_BYTES_MAX));
    }
    let details = details_of(tool);
    details.retain(|_, value| json_bytes(value) <= DETAIL_BYTES_MAX);
    mark(details);
}

/// A detail up to this long is a word or a number, not a document.
const DETAIL_BYTES_MAX: usize = 128;

fn details_of(tool: &mut ToolPart) -> &mut Map<String, Value> {
    match &mut tool.state {
        ToolState::Pending(_) => tool.metadata.get_or_insert_default(),
        ToolState::Running(state) => state.metadata.get_or_insert_default(),
        ToolState::Completed(state) => &mut state.metadata,
        ToolState::Error(state) => state.metadata.get_or_insert_default(),
    }
}

/// The address of a file, which may hold the file.
pub(super) fn url(part: &Part) -> usize {
    let PartBody::File(file) = &part.body else { return 0 };
    json_text_bytes(&file.url)
}

/// Half an address leads nowhere: it goes as a whole.
pub(super) fn cut_url(part: &mut Part, _level: usize) {
    let PartBody::File(file) = &mut part.body else { return };
    file.source = Some(json!({ "truncated": true, "bytes": file.url.len() }));
    file.url = String::new();
}

/// What a person or an agent wrote.
pub(super) fn words(part: &Part) -> usize {
    match &part.body {
        // Readers add to it by its length: it must be all there.
        PartBody::Text(text) if grows(text.time.as_ref()) => 0,
        PartBody::Reasoning(text) if grows(Some(&text.time)) => 0,
        PartBody::Text(text) => json_text_bytes(&text.text),
        PartBody::Reasoning(text) => json_text_bytes(&text.text),
        PartBody::Conversation(excerpt) => json_text_bytes(&excerpt.text),
        PartBody::Subtask(task) => json_text_bytes(&task.prompt),
        PartBody::Compaction(compaction) => compaction.summary.as_deref().map_or(0, json_text_bytes),
        PartBody::File(_)
        | PartBody::Tool(_)
        | PartBody::StepStart(_)
        | PartBody::StepFinish(_)
        | PartBody::Agent(_) => 0,
    }
}

/// Keeps head and tail.
pub(super) fn cut_words(part: &mut Part, level: usize) {
    match &mut part.body {
        PartBody::Text(text) => {
            cut_text(&mut text.text, level);
            mark(text.metadata.get_or_insert_default());
        }
        PartBody::Reasoning(text) => {
            cut_text(&mut text.text, level);
            mark(text.metadata.get_or_insert_default());
        }
        PartBody::Conversation(excerpt) => cut_text(&mut excerpt.text, level),
        PartBody::Subtask(task) => cut_text(&mut task.prompt, level),
        PartBody::Compaction(compaction) => {
            if let Some(summary) = &mut compaction.summary {
                cut_text(summary, level);
            }
        }
        PartBody::File(_)
        | PartBody::Tool(_)
        | PartBody::StepStart(_)
        | PartBody::StepFinish(_)
        | PartBody::Agent(_) => {}
    }
}

fn grows(time: Option<&PartTime>) -> bool {
    time.is_some_and(|time| time.end.is_none())
}

fn mark(metadata: &mut Map<String, Value>) {
    metadata.insert("truncated".to_owned(), Value::Bool(true));
}

/// What stands where something was left out.
const GAP: &str = "\n[… shortened; read the message by its id for all of it …]\n";

/// Head and tail of a text, so that it takes about `level` bytes as JSON.
fn cut_text(text: &mut String, level: usize) {
    let half = level.saturating_sub(json_text_bytes(GAP)) / 2;
    let fits = |left: &mut usize, character: char| {
        *left = left.checked_sub(json_character_bytes(character))?;
        Some(character.len_utf8())
    };
    let head: usize = text.chars().scan(half, fits).sum();
    let tail: usize = text.chars().rev().scan(half, fits).sum();
    let head = text.get(..head).unwrap_or_default();
    let tail = text.get(text.len() - tail..).unwrap_or_default();
    *text = [head, GAP, tail].concat();
}

/// The length of a text within quotes in JSON.
pub(super) fn json_text_bytes(text: &str) -> usize {
    text.chars().map(json_character_bytes).sum()
}

fn json_character_bytes(character: char) -> usize {
    match character {
        '"' | '\\' | '\n' | '\r' | '\t' | '\u{8}' | '\u{c}' => 2,
        '\0'..='\u{1f}' => 6,
        _ => character.len_utf8(),
    }
}

/// The length as JSON.
pub(super) fn json_bytes(value: &impl Serialize) -> usize {
    let mut count = Count(0);
    match serde_json::to_writer(&mut count, value) {
        Ok(()) => count.0,
        // What is stored as JSON can be written as JSON.
        Err(_) => 0,
    }
}

/// Counts what is written to it.
struct Count(usize);

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_as_long_as_its_json() {
        for text in ["", "plain", "é👍\u{7f}", "\"\\\n\r\t\u{8}\u{c}\u{0}\u{1f}"] {
            assert_eq!(json_text_bytes(text) + 2, json_bytes(&text), "{text:?}");
        }
    }

    #[test]
    fn a_text_keeps_as_much_of_both_ends_as_fits() {
        for filler in ["x", "é", "👍", "\u{1}", "\"a"] {
            for level in [70, 128, 1_000, 1_001, 10_000] {
                let mut text = filler.repeat(20_000);
                cut_text(&mut text, level);
                let length = json_text_bytes(&text);
                assert!(length <= level && length + 16 > level, "{filler:?} {level} {length}");
                assert!(text.starts_with(filler) || level == 70, "{text}");
            }
        }
    }
}
