//! What this program says to whoever started it: whole lines, at once.
//!
//! Standard output carries only what a command is asked for; everything meant
//! for people goes to standard error.

use std::error::Error;
use std::fmt::Display;
use std::io::{self, Write as _};

/// Writes to standard output and makes sure it has left.
pub(crate) fn answer(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}

/// Tells a person something in one line on standard error.
pub(crate) fn notice(text: impl Display) {
    complain(&format!("openscience: {text}\n"));
}

/// Writes to standard error. If nobody can read it any more there is nobody to tell.
pub(crate) fn complain(text: &str) {
    drop(io::stderr().lock().write_all(text.as_bytes()));
}

/// An error and its causes, without line breaks.
pub(crate) fn one_line(error: &dyn Error) -> String {
    let mut line = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        line.push_str(": ");
        line.push_str(&error.to_string());
        cause = error.source();
    }
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What others wrote, on one line and without what would move a terminal's cursor.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
