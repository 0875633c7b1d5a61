//! Where do log lines go? To standard error, or to a file of the data
//! directory once that is known to be ours.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing_subscriber::EnvFilter;

const FILE_NAME: &str = "openscience.log";
/// A longer file is put aside at the next start, in the place of the one put aside before.
const FILE_BYTES_MAX: u64 = 16 << 20;
/// Lines kept until the file is open; starting says little.
const WAITING_BYTES_MAX: usize = 64 << 10;

/// How much is logged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "UPPER")]
pub(crate) enum Level {
    Debug,
    Info,
    Warn,
    Error,
}

impl Level {
    /// Ours at the level asked for, other crates only when something is wrong.
    fn filter(self) -> EnvFilter {
        EnvFilter::new(match self {
            Self::Debug => "warn,openscience=debug",
            Self::Info => "warn,openscience=info",
            Self::Warn => "warn",
            Self::Error => "error",
        })
    }
}

/// The log file. Lines wait in memory until it is opened: before the store has looked at the data
/// directory, nothing may be written there.
#[derive(Debug, Clone, Default)]
pub(crate) struct LogFile(
    /// Guards which of the two a line goes to. Not an actor: a line must be written when it is logged,
    /// also while the process is ending.
    Arc<Mutex<Sink>>,
);

#[derive(Debug)]
enum Sink {
    Waiting(Vec<u8>),
    Open(File),
}

impl Default for Sink {
    fn default() -> Self {
        Self::Waiting(Vec::new())
    }
}

impl LogFile {
    /// Opens the file below the data directory and writes what has waited.
    pub(crate) fn open(&self, data_dir: &Path) -> io::Result<()> {
        let dir = data_dir.join("logs");
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&dir)?;
        let path = dir.join(FILE_NAME);
        if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > FILE_BYTES_MAX) {
            fs::rename(&path, dir.join(format!("{FILE_NAME}.1")))?;
        }
        let mut file = OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
        let mut sink = self.sink();
        if let Sink::Waiting(lines) = &*sink {
            file.write_all(lines)?;
        }
        *sink = Sink::Open(file);
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
            Sink::Waiting(lines) => {
                if lines.len() + line.len() <= WAITING_BYTES_MAX {
                    lines.extend_from_slice(line);
                }
                Ok(line.len())
            }
            Sink::Open(file) => file.write(line),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut *self.sink() {
            Sink::Waiting(_) => Ok(()),
            Sink::Open(file) => file.flush(),
        }
    }
}

/// Sends log lines to standard error.
pub(crate) fn log_to_stderr(level: Level) {
    let lines = tracing_subscriber::fmt().with_env_filter(level.filter()).with_ansi(false);
    lines.with_writer(io::stderr).init();
}

/// Sends log lines to a file, which the caller opens once it may exist.
pub(crate) fn log_to_file(level: Level) -> LogFile {
    let file = LogFile::default();
    let writer = file.clone();
    let lines = tracing_subscriber::fmt().with_env_filter(level.filter()).with_ansi(false);
    lines.with_writer(move || writer.clone()).init();
    file
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn lines_written_before_the_file_is_open_come_first_in_it() {
        let data = tempfile::tempdir().unwrap();
        let mut log = LogFile::default();
        log.write_all(b"one\n").unwrap();
        assert!(!data.path().join("logs").exists());
        log.open(data.path()).unwrap();
        log.write_all(b"two\n").unwrap();
        let path = data.path().join("logs").join(FILE_NAME);
        assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_long_file_is_put_aside_when_it_is_opened() {
        let data = tempfile::tempdir().unwrap();
        let dir = data.path().join("logs");
        fs::create_dir(&dir).unwrap();
        File::create(dir.join(FILE_NAME)).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        LogFile::default().open(data.path()).unwrap();
        assert_eq!(fs::metadata(dir.join(FILE_NAME)).unwrap().len(), 0);
        assert_eq!(fs::metadata(dir.join("openscience.log.1")).unwrap().len(), FILE_BYTES_MAX + 1);
    }
}
