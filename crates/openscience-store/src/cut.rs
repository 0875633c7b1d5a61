//! Keeps a list of messages within a size by cutting the largest things in it.
//!
//! What tools put out goes first, then what went into them, then files, and only then what people
//! and agents wrote. Messages and parts stay, with their ids, however many there are.

mod part;

use openscience_protocol::message::{Message, MessageInfo, Part};

use crate::cut::part::{json_bytes, json_text_bytes};

/// One kind of thing that can be cut.
struct Step {
    /// Its length as JSON in that part; 0 if the part has none.
    length: fn(&Part) -> usize,
    /// Cuts it to about that length and marks the part.
    cut: fn(&mut Part, usize),
    /// Shorter ones are left alone.
    least: usize,
    /// It can only go as a whole.
    whole: bool,
}

/// What is cut, in this order, until the list fits. At the end even short texts, so that a list of
/// very many messages fits too.
const STEPS: [Step; 7] = [
    Step { length: part::output, cut: part::cut_output, least: 1 << 10, whole: false },
    Step { length: part::input, cut: part::cut_input, least: 256, whole: true },
    Step { length: part::details, cut: part::cut_details, least: 256, whole: true },
    Step { length: part::url, cut: part::cut_url, least: 256, whole: true },
    Step { length: part::words, cut: part::cut_words, least: 1 << 10, whole: false },
    Step { length: part::output, cut: part::cut_output, least: 128, whole: false },
    Step { length: part::words, cut: part::cut_words, least: 128, whole: false },
];

/// Messages gathered so far.
pub(crate) struct Cut {
    bytes_max: usize,
    /// About the length of all that is gathered, as JSON.
    bytes: usize,
    /// At this length it is cut, so that what is gathered stays bounded too.
    next_look: usize,
    messages: Vec<Message>,
}

impl Cut {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { bytes_max, bytes: 0, next_look: bytes_max.saturating_mul(2), messages: Vec::new() }
    }

    /// Starts a message.
    pub(crate) fn message(&mut self, info: MessageInfo) {
        self.bytes += json_bytes(&info) + r#"{"info":,"parts":[]},"#.len();
        self.messages.push(Message { info, parts: Vec::new() });
    }

    /// Adds a part to the message that was started last: `body` bytes were stored of it, and
    /// `grown` is what it has grown by since.
    pub(crate) fn part<'a>(&mut self, part: Part, body: usize, grown: impl IntoIterator<Item = &'a str>) {
        let ids = part.id.as_str().len() + part.session_id.as_str().len() + part.message_id.as_str().len();
        let grown: usize = grown.into_iter().map(json_text_bytes).sum();
        self.bytes += body + grown + ids + r#""id":"","sessionID":"","messageID":"",,"#.len();
        if let Some(message) = self.messages.last_mut() {
            message.parts.push(part);
        }
        if self.bytes > self.next_look {
            self.shorten();
            self.next_look = self.bytes.max(self.bytes_max).saturating_mul(2);
        }
    }

    /// The messages, within the size.
    pub(crate) fn finish(mut self) -> Vec<Message> {
        self.shorten();
        self.messages
    }

    fn shorten(&mut self) {
        for step in &STEPS {
            let Some(excess) = self.bytes.checked_sub(self.bytes_max).filter(|excess| *excess > 0) else {
                return;
            };
            self.take(step, excess);
        }
    }

    /// Cuts everything of that kind above one length, the greatest that makes the list fit.
    fn take(&mut self, step: &Step, excess: usize) {
        let parts = self.messages.iter().flat_map(|message| &message.parts);
        let mut lengths: Vec<usize> = parts.map(step.length).filter(|length| *length > step.least).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        let level = if step.whole { below(&lengths, excess) } else { level(&lengths, excess) };
        let level = level.max(step.least);
        for part in self.messages.iter_mut().flat_map(|message| &mut message.parts) {
            let before = (step.length)(part);
            if before > level {
                (step.cut)(part, level);
                self.bytes = self.bytes.saturating_sub(before.saturating_sub((step.length)(part)));
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

/// The length below the last of the longest that must go to save `excess`.
fn below(lengths: &[usize], excess: usize) -> usize {
    let mut sum = 0;
    let last = lengths.iter().find(|length| {
        sum += **length;
        sum >= excess
    });
    last.map_or(0, |length| length.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::{below, level};

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

    #[test]
    fn of_what_goes_as_a_whole_only_the_largest_go() {
        let check = |excess, expected| assert_eq!(below(&[10, 8, 1], excess), expected, "{excess}");
        check(1, 9);
        check(10, 9);
        check(11, 7);
        check(19, 0);
        check(20, 0);
    }
}
