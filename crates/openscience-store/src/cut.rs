//! Keeps a list of messages within a size by shortening the largest tool outputs.
//!
//! Text of people and agents is never cut; if that alone is too long, the list is too long.

use openscience_protocol::message::{Message, MessageInfo, Part, PartBody, ToolState};
use serde_json::{Map, Value};

/// An output is not made shorter than this: its first and last lines still tell what it was.
const OUTPUT_BYTES_MIN: usize = 1 << 10;

/// Messages gathered so far.
pub(crate) struct Cut {
    bytes_max: usize,
    /// About the length of all gathered parts as JSON.
    bytes: usize,
    messages: Vec<Message>,
}

impl Cut {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, bytes: 0, messages: Vec::new() }
    }

    /// Starts a message.
    pub(crate) fn message(&mut self, info: MessageInfo) {
        self.messages.push(Message { info, parts: Vec::new() });
    }

    /// Adds a part of `bytes` to the message that was started last.
    pub(crate) fn part(&mut self, part: Part, bytes: usize) {
        if let Some(message) = self.messages.last_mut() {
            message.parts.push(part);
        }
        self.bytes += bytes;
        // Shortened now and then, so that what is gathered stays bounded too.
        if self.bytes / 2 > self.bytes_max {
            self.shorten();
        }
    }

    /// The messages, within the size.
    pub(crate) fn finish(mut self) -> Vec<Message> {
        if self.bytes > self.bytes_max {
            self.shorten();
        }
        self.messages
    }

    /// Shortens every output above one length, the greatest that makes the list fit.
    fn shorten(&mut self) {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        let mut lengths: Vec<usize> = parts.filter_map(|part| output(part).map(str::len)).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        let level = level(&lengths, self.bytes.saturating_sub(self.bytes_max)).max(OUTPUT_BYTES_MIN);
        for message in &mut self.messages {
            for part in &mut message.parts {
                let before = output(part).map_or(0, str::len);
                if before > level {
                    shorten(part, level);
                    let after = output(part).map_or(0, str::len);
                    self.bytes = self.bytes.saturating_sub(before.saturating_sub(after));
                }
            }
        }
    }
}

/// The length to which the longest of `lengths`, longest first, must shrink to save `excess`.
fn level(lengths: &[usize], excess: usize) -> usize {
    let mut sum = 0;
    for (count, length) in (1..).zip(lengths) {
        sum += length;
        let next = lengths.get(count).copied().unwrap_or(0);
        // All of the longest `count` down to the next length save enough: the level is between.
        if sum - next * count >= excess {
            return (sum - excess) / count;
        }
    }
    0
}

/// What a tool call put out.
fn output(part: &Part) -> Option<&str> {
    let PartBody::Tool(tool) = &part.body else { return None };
    match &tool.state {
        ToolState::Completed(state) => Some(&state.output),
        ToolState::Error(state) => Some(&state.error),
        ToolState::Pending(_) | ToolState::Running(_) => None,
    }
}

/// Keeps head and tail of an output, about `level` bytes of it, and marks the call.
fn shorten(part: &mut Part, level: usize) {
    let PartBody::Tool(tool) = &mut part.body else { return };
    match &mut tool.state {
        ToolState::Completed(state) => {
            state.output = head_and_tail(&state.output, level);
            mark(&mut state.metadata);
        }
        ToolState::Error(state) => {
            state.error = head_and_tail(&state.error, level);
            mark(state.metadata.get_or_insert_default());
        }
        ToolState::Pending(_) | ToolState::Running(_) => {}
    }
}

fn mark(metadata: &mut Map<String, Value>) {
    metadata.insert("truncated".to_owned(), Value::Bool(true));
}

fn head_and_tail(text: &str, level: usize) -> String {
    const GAP: &str = "\n[… shortened; read the message by its id for all of it …]\n";
    let half = level.saturating_sub(GAP.len()) / 2;
    let head = text.floor_char_boundary(half);
    let tail = text.ceil_char_boundary(text.len().saturating_sub(half));
    format!("{}{GAP}{}", text.get(..head).unwrap_or(""), text.get(tail..).unwrap_or(""))
}

#[cfg(test)]
mod tests {
    use super::level;

    #[test]
    fn the_level_saves_exactly_what_is_too_much() {
        let saved = |lengths: &[usize], level: usize| -> usize {
            lengths.iter().map(|length| length.saturating_sub(level)).sum()
        };
        for (lengths, excess) in
            [(vec![10, 8, 1], 1), (vec![10, 8, 1], 2), (vec![10, 8, 1], 6), (vec![5, 5, 5], 7), (vec![9], 9)]
        {
            let level = level(&lengths, excess);
            assert!(saved(&lengths, level) >= excess, "{lengths:?} {excess}");
            assert!(saved(&lengths, level + 1) < excess, "{lengths:?} {excess}");
        }
        assert_eq!(level(&[3, 2], 9), 0);
    }
}
