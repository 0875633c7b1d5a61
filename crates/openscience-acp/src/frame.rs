//! Lines out of an agent's stdout, bounded however long the agent makes them.
//!
//! Works on bytes; whether a line is text or JSON is not asked here.

use std::io;

use memchr::memchr;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// How much of a frame that is too large is kept for a look.
pub(crate) const HEAD_BYTES: usize = 64 << 10;

/// A line buffer that grew beyond this is given back after use.
const KEPT_CAPACITY: usize = 1 << 20;

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Frame<'a> {
    /// One line without its end.
    Line(&'a [u8]),
    /// A line beyond the limit: its first [`HEAD_BYTES`].
    Oversized { head: &'a [u8] },
    /// More than twice the limit and still no end. Reading on makes no sense.
    Endless,
    /// The agent closed its stdout.
    End,
}

/// Reads frames. [`FrameReader::next`] may be dropped and called again without loss.
#[derive(Debug)]
pub(crate) struct FrameReader<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// Bytes of the current line so far, kept or not.
    total: usize,
    limit: usize,
    /// The current line was handed out.
    done: bool,
}

impl<R: AsyncRead + Unpin> FrameReader<R> {
    pub(crate) fn new(reader: R, limit: usize) -> Self {
        Self {
            reader: BufReader::with_capacity(64 << 10, reader),
            line: Vec::new(),
            total: 0,
            limit,
            done: false,
        }
    }

    /// The next frame.
    pub(crate) async fn next(&mut self) -> io::Result<Frame<'_>> {
        if self.done {
            self.start_line();
        }
        loop {
            let available = self.reader.fill_buf().await?;
            if available.is_empty() {
                if self.total == 0 {
                    return Ok(Frame::End);
                }
                // The last line of an agent that was cut off, or does not end its last line.
                break;
            }
            let end = memchr(b'\n', available);
            let body = available.get(..end.unwrap_or(available.len())).unwrap_or_default();
            self.total += body.len();
            if self.total <= self.limit {
                self.line.extend_from_slice(body);
            } else {
                let wanted = HEAD_BYTES.saturating_sub(self.line.len()).min(body.len());
                self.line.extend_from_slice(body.get(..wanted).unwrap_or_default());
                self.line.truncate(HEAD_BYTES);
                self.line.shrink_to(HEAD_BYTES);
            }
            let used = body.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
            if self.total > self.limit.saturating_mul(2) {
                return Ok(Frame::Endless);
            }
        }
        self.done = true;
        if self.total > self.limit {
            return Ok(Frame::Oversized { head: &self.line });
        }
        Ok(Frame::Line(self.line.strip_suffix(b"\r").unwrap_or(&self.line)))
    }

    fn start_line(&mut self) {
        self.done = false;
        self.total = 0;
        self.line.clear();
        self.line.shrink_to(KEPT_CAPACITY);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn frames(input: &[u8], limit: usize) -> Vec<String> {
        let mut reader = FrameReader::new(input, limit);
        let mut seen = Vec::new();
        loop {
            let text = match reader.next().await.unwrap() {
                Frame::Line(line) => String::from_utf8_lossy(line).into_owned(),
                Frame::Oversized { head } => format!("oversized {}", head.len()),
                Frame::Endless => "endless".to_owned(),
                Frame::End => return seen,
            };
            seen.push(text.clone());
            if text == "endless" {
                return seen;
            }
        }
    }

    #[tokio::test]
    async fn lines_come_whole_with_any_end() {
        assert_eq!(frames(b"a\nb\r\n\nlast", 100).await, ["a", "b", "", "last"]);
        assert_eq!(frames(b"", 100).await, [""; 0]);
    }

    #[tokio::test]
    async fn a_line_beyond_the_limit_is_skipped_and_the_next_one_read() {
        let input = format!("{}\nok\n", "x".repeat(150));
        assert_eq!(frames(input.as_bytes(), 100).await, ["oversized 150", "ok"]);
        assert_eq!(frames(format!("{}\n", "x".repeat(100)).as_bytes(), 100).await.len(), 1);
    }

    #[tokio::test]
    async fn only_the_head_of_a_large_line_is_kept() {
        let input = format!("{}\nok\n", "x".repeat(300_000));
        assert_eq!(frames(input.as_bytes(), 200_000).await, ["oversized 65536", "ok"]);
    }

    #[tokio::test]
    async fn a_line_without_end_is_given_up_at_twice_the_limit() {
        let input = "x".repeat(400_000);
        assert_eq!(frames(input.as_bytes(), 100_000).await, ["endless"]);
    }
}
