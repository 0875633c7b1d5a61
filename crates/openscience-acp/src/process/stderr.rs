//! What an agent writes to stderr: always drained, only the tail kept, never
//! shown with a secret in it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::io::{AsyncRead, AsyncReadExt as _};

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
    /// Something was dropped at the front.
    cut: bool,
}

impl Stderr {
    pub(crate) fn new(limit: usize, secrets: Arc<[String]>) -> Self {
        Self(Arc::new(Inner { ring: Mutex::default(), limit, secrets }))
    }

    /// Reads to the end.
    pub(crate) async fn drain(self, mut stderr: impl AsyncRead + Unpin) {
        let mut buffer = vec![0; 8 << 10];
        // A pipe that cannot be read has nothing more to tell.
        while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
            self.push(buffer.get(..read).unwrap_or_default());
        }
    }

    fn push(&self, bytes: &[u8]) {
        let mut ring = self.0.ring.lock().unwrap_or_else(PoisonError::into_inner);
        ring.bytes.extend(bytes);
        let surplus = ring.bytes.len().saturating_sub(self.0.limit + self.longest_secret());
        if surplus > 0 {
            ring.bytes.drain(..surplus);
            ring.cut = true;
        }
    }

    fn longest_secret(&self) -> usize {
        self.0.secrets.first().map_or(0, String::len)
    }

    /// The tail as text. Starts with a whole line if something was cut.
    pub(crate) fn tail(&self) -> String {
        let (mut bytes, cut) = {
            let ring = self.0.ring.lock().unwrap_or_else(PoisonError::into_inner);
            (ring.bytes.iter().copied().collect::<Vec<u8>>(), ring.cut)
        };
        if cut {
            // The front may hold the end of a secret that cannot be recognized any more.
            bytes.drain(..self.longest_secret().min(bytes.len()));
            if let Some(end) = memchr::memchr(b'\n', &bytes) {
                bytes.drain(..=end);
            }
        }
        text::plain(&text::mask(&String::from_utf8_lossy(&bytes), &self.0.secrets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn tail(input: &[u8], limit: usize, secrets: &[&str]) -> String {
        let secrets: Vec<String> = secrets.iter().map(|&secret| secret.to_owned()).collect();
        let stderr = Stderr::new(limit, secrets.into());
        stderr.clone().drain(input).await;
        stderr.tail()
    }

    #[tokio::test]
    async fn the_tail_is_kept_without_secrets_and_colours() {
        assert_eq!(
            tail(b"\x1b[31mkey sk-secret\x1b[0m\nend \xff", 100, &["sk-secret"]).await,
            "key [masked]\nend \u{fffd}"
        );
    }

    #[tokio::test]
    async fn a_flood_leaves_whole_lines_and_no_half_secret() {
        let flood = "token=sk-secret-value\n".repeat(1_000);
        let kept = tail(flood.as_bytes(), 1_000, &["sk-secret-value"]).await;
        assert!(kept.len() <= 1_000 && kept.len() > 600, "{}", kept.len());
        assert!(kept.lines().all(|line| line == "token=[masked]"), "{kept}");
    }
}
