//! How is the log file written so that it neither fails what logs nor fills the disk?
//!
//! Lines that cannot be written are dropped and counted. A full file is put aside, in the place of
//! the one put aside before. What is logged is decided elsewhere.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::mem;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};

const FILE_NAME: &str = "openscience.log";
const ASIDE_NAME: &str = "openscience.log.1";
/// The file is put aside once it is so long; one line may reach beyond.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// How much is written to a full file that cannot be replaced before that is tried again.
const RETRY_BYTES: u64 = 1 << 20;
/// Lines kept until the file is open; starting says little.
const WAITING_BYTES_MAX: usize = 64 << 10;

/// The log file. Lines wait in memory until it is opened: before the store has looked at the data
/// directory, nothing may be written there. Writing to it never fails.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogFile(
    /// Guards which of the two a line goes to. Not an actor: a line must be written when it is logged,
    /// also while the process is ending.
    Arc<Mutex<Sink>>,
);

#[derive(Debug)]
enum Sink {
    Waiting { lines: Vec<u8>, lost: u64 },
    Open(Current),
}

impl Default for Sink {
    fn default() -> Self {
        Self::Waiting { lines: Vec::new(), lost: 0 }
    }
}

impl LogFile {
    /// Opens the file below the data directory and writes what has waited.
    pub(crate) fn open(&self, data_dir: &Path) -> io::Result<()> {
        let dir = data_dir.join("logs");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&dir)?;
        let mut current = Current::open(&dir)?;
        let mut sink = self.sink();
        if let Sink::Waiting { lines, lost } = &*sink {
            lines.split_inclusive(|byte| *byte == b'\n').for_each(|line| current.put(line));
            current.lines.lost = current.lines.lost.saturating_add(*lost);
        }
        *sink = Sink::Open(current);
        Ok(())
    }

    fn sink(&self) -> MutexGuard<'_, Sink> {
        // A sink is whole at every point where a writer could panic.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        match &mut *self.sink() {
            Sink::Waiting { lines, lost } => {
                if lines.len() + line.len() <= WAITING_BYTES_MAX {
                    lines.extend_from_slice(line);
                } else {
                    *lost = lost.saturating_add(1);
                }
            }
            Sink::Open(current) => current.put(line),
        }
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        // Nothing is held back.
        Ok(())
    }
}

/// The file that lines go to now.
#[derive(Debug)]
struct Current {
    lines: Lines<File>,
    path: PathBuf,
    aside: PathBuf,
    /// What may be written before the length of the file must be looked at again.
    room: u64,
}

impl Current {
    fn open(dir: &Path) -> io::Result<Self> {
        let (path, aside) = (dir.join(FILE_NAME), dir.join(ASIDE_NAME));
        let mut current = Self { lines: Lines::new(append(&path)?), path, aside, room: 0 };
        current.make_room();
        Ok(current)
    }

    fn put(&mut self, line: &[u8]) {
        let length = u64::try_from(line.len()).unwrap_or(u64::MAX);
        if self.room < length {
            self.make_room();
        }
        self.lines.put(line);
        self.room = self.room.saturating_sub(length);
    }

    /// Puts the file aside if it is full. Its real length counts: others may have cut it.
    fn make_room(&mut self) {
        let length = self.lines.out.metadata().map_or(0, |metadata| metadata.len());
        self.room = match FILE_BYTES_MAX.saturating_sub(length) {
            0 => self.replace(),
            room => room,
        };
    }

    /// Goes on with an empty file, or with the one there is; answers how much may be written to it.
    fn replace(&mut self) -> u64 {
        match fs::rename(&self.path, &self.aside) {
            Ok(()) => {}
            // Somebody has removed the file, which is as good.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => {
                // Old lines are worth less than a disk with space on it.
                let emptied = self.lines.out.set_len(0);
                self.lines.tell(&format!("the log file is emptied, it cannot be put aside: {error}"));
                return if emptied.is_ok() { FILE_BYTES_MAX } else { RETRY_BYTES };
            }
        }
        match append(&self.path) {
            Ok(file) => {
                self.lines.out = file;
                self.lines.torn = false;
                FILE_BYTES_MAX
            }
            Err(error) => {
                self.lines.tell(&format!("a new log file cannot be opened: {error}"));
                RETRY_BYTES
            }
        }
    }
}

fn append(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

/// Writes whole lines, and drops those that cannot be written.
#[derive(Debug)]
struct Lines<W> {
    out: W,
    /// Lines dropped since the last one that was written.
    lost: u64,
    /// Whether only the beginning of a line was written.
    torn: bool,
}

impl<W: Write> Lines<W> {
    fn new(out: W) -> Self {
        Self { out, lost: 0, torn: false }
    }

    /// Writes a line, after telling how many are missing before it.
    fn put(&mut self, line: &[u8]) {
        if self.lost > 0 {
            let note = warning(&format!("log lines could not be written lost={}", self.lost));
            if self.write(note.as_bytes()) {
                self.lost = 0;
            }
        }
        if self.lost > 0 || !self.write(line) {
            self.lost = self.lost.saturating_add(1);
        }
    }

    /// Writes a warning of our own.
    fn tell(&mut self, text: &str) {
        self.put(warning(text).as_bytes());
    }

    /// True if all of it was written.
    fn write(&mut self, line: &[u8]) -> bool {
        if mem::take(&mut self.torn) && self.out.write(b"\n").is_err() {
            self.torn = true;
            return false;
        }
        let mut rest = line;
        while !rest.is_empty() {
            match self.out.write(rest) {
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => {
                    self.torn = rest.len() < line.len();
                    return false;
                }
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
            }
        }
        true
    }
}

/// A warning in the form of all lines. Not logged like others: this is where they end.
fn warning(text: &str) -> String {
    let mut line = String::new();
    if SystemTime.format_time(&mut Writer::new(&mut line)).is_err() {
        // A line without its time is better than none.
        line.clear();
    }
    line.push_str("  WARN openscience: ");
    line.push_str(text);
    line.push('\n');
    line
}

#[cfg(test)]
mod tests;
