//! Where do log lines go? To standard error, or to a file of the data
//! directory once that is known to be ours.
//!
//! Logging fails alone: a line that cannot be written never ends or stops what
//! logged it.

mod file;

use std::io::{self, Write};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

pub(crate) use self::file::LogFile;

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

/// Standard error, whether or not anybody reads it: a launcher may close its end at any time.
#[derive(Debug)]
struct Stderr;

impl Write for Stderr {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        drop(io::stderr().lock().write_all(line));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Sends log lines to standard error.
pub(crate) fn log_to_stderr(level: Level) {
    log_to(|| Stderr, level);
}

/// Sends log lines to a file, which the caller opens once it may exist.
pub(crate) fn log_to_file(level: Level) -> LogFile {
    let file = LogFile::default();
    let writer = file.clone();
    log_to(move || writer.clone(), level);
    file
}

fn log_to(writer: impl for<'a> MakeWriter<'a> + Send + Sync + 'static, level: Level) {
    let lines = tracing_subscriber::fmt().with_env_filter(level.filter()).with_ansi(false);
    // It would complain of a failed write with `eprintln!`, which panics where stderr fails too.
    lines.log_internal_errors(false).with_writer(writer).init();
}
