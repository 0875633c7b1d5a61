//! Answers to prompts that are held back for late updates: some agents answer
//! first and tell the rest of the text a moment later.
//!
//! Holds no clock and no timer: the reader asks what is due.

use std::time::Duration;

use openscience_core::input::TurnEnd;
use openscience_protocol::TurnId;
use tokio::time::Instant;

/// Silence of the session that ends the hold.
const QUIET: Duration = Duration::from_millis(100);

/// Longest hold.
const MOST: Duration = Duration::from_millis(500);

/// One answer.
#[derive(Debug, PartialEq)]
pub(crate) struct Held {
    pub(crate) session: String,
    pub(crate) turn: TurnId,
    pub(crate) end: TurnEnd,
    since: Instant,
    heard: Instant,
}

/// Answers held, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Holds(Vec<Held>);

impl Holds {
    pub(crate) fn hold(&mut self, session: String, turn: TurnId, end: TurnEnd, now: Instant) {
        self.0.push(Held { session, turn, end, since: now, heard: now });
    }

    /// The session told something.
    pub(crate) fn heard(&mut self, session: &str, now: Instant) {
        for held in &mut self.0 {
            if held.session == session {
                held.heard = now;
            }
        }
    }

    /// Time in which nothing could be heard, because a consumer was slow, does not count.
    pub(crate) fn shift(&mut self, by: Duration) {
        for held in &mut self.0 {
            held.since += by;
            held.heard += by;
        }
    }

    /// When something is due next.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.0.iter().map(|held| (held.heard + QUIET).min(held.since + MOST)).min()
    }

    /// Takes one answer that is due. While more can be read at once (`idle` is false) silence
    /// proves nothing: only the longest hold counts.
    pub(crate) fn due(&mut self, now: Instant, idle: bool) -> Option<Held> {
        let is_due = |held: &Held| now >= held.since + MOST || (idle && now >= held.heard + QUIET);
        let at = self.0.iter().position(is_due)?;
        Some(self.0.remove(at))
    }

    /// Takes all.
    pub(crate) fn take(&mut self) -> Vec<Held> {
        std::mem::take(&mut self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(now: Instant) -> Holds {
        let mut holds = Holds::default();
        let end = TurnEnd::Answered { stop_reason: "end_turn".to_owned(), tokens: None };
        holds.hold("s".to_owned(), "trn_1".parse().unwrap(), end, now);
        holds
    }

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn silence_ends_a_hold() {
        let start = Instant::now();
        let mut holds = holds(start);
        assert_eq!(holds.next(), Some(start + ms(100)));
        assert_eq!(holds.due(start + ms(99), true), None);
        holds.heard("other", start + ms(50));
        holds.heard("s", start + ms(60));
        assert_eq!(holds.due(start + ms(159), true), None);
        assert_eq!(holds.due(start + ms(160), false), None);
        assert!(holds.due(start + ms(160), true).is_some());
        assert_eq!(holds.next(), None);
    }

    #[test]
    fn a_session_that_never_falls_silent_is_held_half_a_second() {
        let start = Instant::now();
        let mut holds = holds(start);
        for n in 1..=10 {
            holds.heard("s", start + ms(n * 49));
        }
        assert_eq!(holds.next(), Some(start + ms(500)));
        assert!(holds.due(start + ms(499), false).is_none());
        assert!(holds.due(start + ms(500), false).is_some());
    }

    #[test]
    fn time_spent_waiting_for_a_consumer_does_not_count() {
        let start = Instant::now();
        let mut holds = holds(start);
        holds.shift(ms(700));
        assert_eq!(holds.due(start + ms(700), false), None);
        assert!(holds.due(start + ms(800), true).is_some());
    }
}
