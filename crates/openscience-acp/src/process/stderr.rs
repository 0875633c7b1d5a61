//! The tail of what an agent writes to stderr, never shown with a secret in it.
//!
//! Knows no turns: whoever wants the part of one marks where it begins.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::text;

/// The tail, shared between the task that drains and those who show it.
#[derive(Debug, Clone)]
pub(crate) struct Stderr(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// A lock and not an actor: it guards a ring of bytes that anyone may look at.
    ring: Mutex<Ring>,
    limit: usize,
    secrets: Arc<[String]>,
}

#[derive(Debug, Default)]
struct Ring {
    bytes: VecDeque<u8>,
    /// Bytes ever written.
    written: u64,
    /// Something was dropped at the front.
    cut: bool,
}

/// A place in what the agent wrote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mark(u64);

impl Stderr {
    pub(crate) fn new(limit: usize, secrets: Arc<[String]>) -> Self {
        Self(Arc::new(Inner { ring: Mutex::default(), limit, secrets }))
    }

    pub(crate) fn push(&self, bytes: &[u8]) {
        let mut ring = self.ring();
        ring.bytes.extend(bytes);
        ring.written += bytes.len() as u64;
        let surplus = ring.bytes.len().saturating_sub(self.0.limit + self.longest_secret());
        if surplus > 0 {
            ring.bytes.drain(..surplus);
            ring.cut = true;
        }
    }

    /// Where it stands now.
    pub(crate) fn mark(&self) -> Mark {
        Mark(self.ring().written)
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.0.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn longest_secret(&self) -> usize {
        self.0.secrets.first().map_or(0, String::len)
    }

    /// The tail as text. Starts with a whole line if something was cut.
    pub(crate) fn tail(&self) -> String {
        self.tail_since(Mark(0))
    }

    /// What of the tail was written after that mark.
    pub(crate) fn tail_since(&self, mark: Mark) -> String {
        let (bytes, written, cut) = {
            let ring = self.ring();
            (ring.bytes.iter().copied().collect::<Vec<u8>>(), ring.written, ring.cut)
        };
        let mut from = 0;
        if cut {
            // The front may hold the end of a secret that cannot be recognized any more.
            from = self.longest_secret().min(bytes.len());
            let rest = bytes.get(from..).unwrap_or_default();
            from += memchr::memchr(b'\n', rest).map_or(0, |end| end + 1);
        }
        let since = usize::try_from(written.saturating_sub(mark.0)).unwrap_or(usize::MAX);
        let mut marked = bytes.len().saturating_sub(since);
        while let Some(secret) = text::secret_across(&bytes, marked, &self.0.secrets) {
            marked = secret.end;
        }
        let shown = bytes.get(from.max(marked)..).unwrap_or_default();
        text::plain(&text::mask(&String::from_utf8_lossy(shown), &self.0.secrets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stderr(limit: usize, secrets: &[&str]) -> Stderr {
        Stderr::new(limit, secrets.iter().map(|&secret| secret.to_owned()).collect())
    }

    fn tail(input: &[u8], limit: usize, secrets: &[&str]) -> String {
        let stderr = stderr(limit, secrets);
        for some in input.chunks(7_000) {
            stderr.push(some);
        }
        stderr.tail()
    }

    #[test]
    fn the_tail_is_kept_without_secrets_and_colours() {
        assert_eq!(
            tail(b"\x1b[31mkey sk-secret\x1b[0m\nend \xff", 100, &["sk-secret"]),
            "key [masked]\nend \u{fffd}"
        );
    }

    #[test]
    fn a_flood_leaves_whole_lines_and_no_half_secret() {
        let flood = "token=sk-secret-value\n".repeat(1_000);
        let kept = tail(flood.as_bytes(), 1_000, &["sk-secret-value"]);
        assert!(kept.len() <= 1_000 && kept.len() > 600, "{}", kept.len());
        assert!(kept.lines().all(|line| line == "token=[masked]"), "{kept}");
    }

    #[test]
    fn only_what_came_after_a_mark_is_shown_since_it() {
        let stderr = stderr(100, &["sk-secret"]);
        stderr.push(b"before\nhalf of sk-s");
        let mark = stderr.mark();
        assert_eq!(stderr.tail_since(mark), "");
        stderr.push(b"ecret after\n");
        assert_eq!(stderr.tail_since(mark), " after\n");
        assert_eq!(stderr.tail(), "before\nhalf of [masked] after\n");
        assert_eq!(stderr.tail_since(stderr.mark()), "");

        // A mark that the ring has left behind shows what there is.
        stderr.push("a line of text\n".repeat(50).as_bytes());
        assert_eq!(stderr.tail_since(mark), stderr.tail());
        let late = stderr.mark();
        stderr.push(b"last\n");
        assert_eq!(stderr.tail_since(late), "last\n");
    }
}
