//! Drains what an agent writes to stderr: all of it into the tail, and a few
//! lines to the session the agent works for, if there is exactly one.
//!
//! Telling never stops the draining: an agent whose stderr is full stands still.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use openscience_core::input::AgentUpdate;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::time::Instant;

use crate::connection::SessionEvent;
use crate::record::Note;
use crate::state::Shared;
use crate::text;

/// Longest line that is told; the rest of it is only in the tail.
const LINE_BYTES: usize = 4 << 10;

/// Lines told in any second: as many as a person reads.
const LINES_A_SECOND: usize = 20;

/// Lines told of one turn: an agent that logs must not push the transcript out of the event window.
const LINES_A_TURN: usize = 200;

/// Reads to the end.
pub(crate) async fn drain(shared: Arc<Shared>, mut stderr: impl AsyncRead + Unpin) {
    let mut lines = Lines::new(&shared.secrets);
    let mut rate = Rate::default();
    let mut buffer = vec![0; 8 << 10];
    // A pipe that cannot be read has nothing more to tell.
    while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
        let some = buffer.get(..read).unwrap_or_default();
        shared.stderr.push(some);
        lines.push(some, |line| tell(&shared, &mut rate, line));
    }
    lines.end(|line| tell(&shared, &mut rate, line));
}

/// Tells a line, if there is someone to tell and not too much was told.
fn tell(shared: &Shared, rate: &mut Rate, line: &[u8]) {
    let now = Instant::now();
    // A flood ends here, before anything is copied.
    let wanted = rate.has_room(now)
        && shared.lock().only_turn().is_some_and(|(turn, _)| turn.stderr_told < LINES_A_TURN);
    if !wanted {
        return;
    }
    let line = shown(line, &shared.secrets);
    if line.is_empty() {
        return;
    }
    // Sent under the lock: the turn cannot end in between, so its end is told later.
    let mut state = shared.lock();
    let Some((turn, route)) = state.only_turn() else { return };
    let session = turn.session.clone();
    let note = Note::system("agent", &line).warning();
    // To a full sink the line is lost: what is told of the turn itself goes first.
    if route.sink.try_send(SessionEvent::Update(AgentUpdate::Stderr(line))).is_ok() {
        turn.stderr_told += 1;
        rate.took(now);
        state.record(Some(&session), note);
    }
}

/// A line as people may see it: masked as the tail is, and cut.
fn shown(line: &[u8], secrets: &[String]) -> String {
    let line = String::from_utf8_lossy(line);
    let mut end = line.floor_char_boundary(LINE_BYTES);
    while let Some(secret) = text::secret_across(line.as_bytes(), end, secrets) {
        end = secret.start;
    }
    let mut line = text::plain(&text::mask(line.get(..end).unwrap_or_default(), secrets));
    // What stands for a secret can be longer than the secret.
    line.truncate(line.floor_char_boundary(LINE_BYTES));
    line.truncate(line.trim_end().len());
    line
}

/// Splits what is read into lines.
struct Lines {
    line: Vec<u8>,
    /// What is kept of a line: enough to recognize a secret at the end of what is shown.
    keep: usize,
}

impl Lines {
    /// Secrets come longest first.
    fn new(secrets: &[String]) -> Self {
        Self { line: Vec::new(), keep: LINE_BYTES + secrets.first().map_or(0, String::len) }
    }

    fn push(&mut self, mut bytes: &[u8], mut each: impl FnMut(&[u8])) {
        while let Some(end) = memchr::memchr(b'\n', bytes) {
            let (rest_of_line, after) = bytes.split_at(end);
            self.grow(rest_of_line);
            each(&self.line);
            self.line.clear();
            bytes = after.get(1..).unwrap_or_default();
        }
        self.grow(bytes);
    }

    /// Nothing comes any more: a line without end is one too.
    fn end(&self, mut each: impl FnMut(&[u8])) {
        if !self.line.is_empty() {
            each(&self.line);
        }
    }

    fn grow(&mut self, bytes: &[u8]) {
        let room = self.keep.saturating_sub(self.line.len()).min(bytes.len());
        self.line.extend_from_slice(bytes.get(..room).unwrap_or_default());
    }
}

/// When lines were told: as many as may be told in a second.
#[derive(Debug, Default)]
struct Rate(VecDeque<Instant>);

impl Rate {
    fn has_room(&self, now: Instant) -> bool {
        let oldest = if self.0.len() < LINES_A_SECOND { None } else { self.0.front() };
        oldest.is_none_or(|oldest| now.duration_since(*oldest) >= Duration::from_secs(1))
    }

    fn took(&mut self, now: Instant) {
        if self.0.len() >= LINES_A_SECOND {
            self.0.pop_front();
        }
        self.0.push_back(now);
    }
}

#[cfg(test)]
mod tests;
