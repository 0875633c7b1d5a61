//! Updates of sessions we do not know yet: real agents tell of a session
//! before they answer the request that creates it.

use std::collections::VecDeque;
use std::time::Duration;

use openscience_core::input::AgentUpdate;
use tokio::time::Instant;

/// Most updates that wait.
const FRAMES: usize = 256;

/// Longest wait.
const AGE: Duration = Duration::from_mins(1);

/// Updates that wait for their session; bounded in number, bytes and age.
#[derive(Debug)]
pub(crate) struct Early {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    bytes_max: usize,
}

#[derive(Debug)]
struct Waiting {
    session: String,
    update: AgentUpdate,
    bytes: usize,
    since: Instant,
}

impl Early {
    pub(crate) fn new(bytes_max: usize) -> Self {
        Self { waiting: VecDeque::new(), bytes: 0, bytes_max }
    }

    /// Keeps an update that took `bytes` on the wire. Returns how many were given up for it.
    pub(crate) fn push(&mut self, session: &str, update: AgentUpdate, bytes: usize, now: Instant) -> u64 {
        let mut dropped = self.expire(now);
        self.bytes += bytes;
        self.waiting.push_back(Waiting { session: session.to_owned(), update, bytes, since: now });
        while self.waiting.len() > FRAMES || self.bytes > self.bytes_max {
            let Some(oldest) = self.waiting.pop_front() else { break };
            self.bytes -= oldest.bytes;
            dropped += 1;
        }
        dropped
    }

    /// Takes what waited for a session, in order.
    pub(crate) fn take(&mut self, session: &str, now: Instant) -> Vec<AgentUpdate> {
        self.expire(now);
        let (taken, kept): (Vec<_>, Vec<_>) =
            self.waiting.drain(..).partition(|waiting| waiting.session == session);
        self.waiting = kept.into();
        self.bytes = self.waiting.iter().map(|waiting| waiting.bytes).sum();
        taken.into_iter().map(|waiting| waiting.update).collect()
    }

    fn expire(&mut self, now: Instant) -> u64 {
        let mut expired = 0;
        while let Some(oldest) = self.waiting.front() {
            if now.duration_since(oldest.since) < AGE {
                break;
            }
            self.bytes -= oldest.bytes;
            self.waiting.pop_front();
            expired += 1;
        }
        expired
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn update(n: usize) -> AgentUpdate {
        AgentUpdate::Unknown { kind: Some(n.to_string()), raw: None }
    }

    #[test]
    fn updates_wait_for_their_session_in_order() {
        let now = Instant::now();
        let mut early = Early::new(1_000);
        for n in 0..4 {
            early.push(if n % 2 == 0 { "a" } else { "b" }, update(n), 10, now);
        }
        assert_eq!(early.take("a", now), [update(0), update(2)]);
        assert_eq!(early.take("a", now), []);
        assert_eq!(early.take("b", now), [update(1), update(3)]);
    }

    #[test]
    fn number_bytes_and_age_are_bounded() {
        let now = Instant::now();
        let mut early = Early::new(10_000);
        let dropped: u64 = (0..300).map(|n| early.push("a", update(n), 1, now)).sum();
        assert_eq!(dropped, 44);
        assert_eq!(early.push("a", update(300), 9_990, now), 246);
        assert_eq!(early.take("a", now + AGE), []);
    }
}
