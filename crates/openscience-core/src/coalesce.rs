//! Merges the small pieces an agent streams its text in.
//!
//! Decides when text goes on, never what it means; it holds text of one part at
//! a time and keeps no timer: [`Coalescer::deadline`] says when to flush.

use openscience_protocol::Millis;

use crate::input::TextChunk;

/// Longest time text is held: a reader sees a stream, the journal sees few writes.
const HOLD_MS: Millis = 50;

/// Text is not merged beyond this, so a fast agent cannot grow one event without bound.
const SIZE_MAX: usize = 16 << 10;

/// Holds the text that has not gone out yet.
///
/// The first text of a part goes out at once, later text of it merged. Whoever
/// passes another input of the session on calls [`Coalescer::interrupt`] before.
#[derive(Debug, Default)]
pub struct Coalescer {
    /// The part text belongs to now: kind and message id.
    part: Option<(bool, Option<String>)>,
    held: Option<Held>,
}

#[derive(Debug)]
struct Held {
    chunk: TextChunk,
    since: Millis,
}

impl Coalescer {
    /// Takes text in and returns what must go out now, in order.
    pub fn push(&mut self, chunk: TextChunk, now: Millis) -> Vec<TextChunk> {
        // Agents do send empty chunks; one must not use up the rule for first text.
        if chunk.text.is_empty() {
            return self.overdue(now).into_iter().collect();
        }
        if !self.continues(&chunk) {
            let mut out: Vec<_> = self.flush().into_iter().collect();
            self.part = Some((chunk.thought, chunk.message.clone()));
            out.push(chunk);
            return out;
        }
        let mut out = Vec::new();
        if self.held.as_ref().is_some_and(|held| held.chunk.text.len() + chunk.text.len() > SIZE_MAX) {
            out.extend(self.flush());
        }
        match &mut self.held {
            Some(held) => held.chunk.text.push_str(&chunk.text),
            None => self.held = Some(Held { chunk, since: now }),
        }
        out.extend(self.overdue(now));
        out
    }

    /// Takes the held text; later text of the same part is still merged.
    pub fn flush(&mut self) -> Option<TextChunk> {
        self.held.take().map(|held| held.chunk)
    }

    /// Ends the part because another input comes; the text returned goes out before it.
    #[must_use = "the held text goes out before the other input"]
    pub fn interrupt(&mut self) -> Option<TextChunk> {
        self.part = None;
        self.flush()
    }

    /// When [`Coalescer::flush`] is due; `None` while nothing is held.
    pub fn deadline(&self) -> Option<Millis> {
        self.held.as_ref().map(|held| held.since.saturating_add(HOLD_MS))
    }

    fn continues(&self, chunk: &TextChunk) -> bool {
        self.part
            .as_ref()
            .is_some_and(|(thought, message)| *thought == chunk.thought && *message == chunk.message)
    }

    /// Takes the held text if it is long enough or was held for long enough.
    fn overdue(&mut self, now: Millis) -> Option<TextChunk> {
        let full = self.held.as_ref().is_some_and(|held| held.chunk.text.len() >= SIZE_MAX);
        let late = self.deadline().is_some_and(|deadline| now >= deadline);
        if full || late { self.flush() } else { None }
    }
}

#[cfg(test)]
mod tests;
