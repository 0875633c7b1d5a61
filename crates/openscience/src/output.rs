//! What this program says to whoever started it: whole lines, at once.
//!
//! Standard output carries only what a command is asked for; everything meant
//! for people goes to standard error.

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
