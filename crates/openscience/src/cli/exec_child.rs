//! The step between the daemon and an agent: it asks to die with its parent
//! and then becomes the agent, keeping its process id.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::output;

/// What a shell answers for a command it cannot start.
const CANNOT_START: u8 = 127;

/// `arguments` are the parent's process id, `--`, the command and its arguments.
pub(super) fn run(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    let error = openscience_acp::exec_child(arguments);
    output::notice(format_args!("could not start the agent: {error}"));
    ExitCode::from(CANNOT_START)
}
