//! The step between spawning and the agent itself: ties the agent's life to
//! ours, then becomes it.
//!
//! Runs in the child, as a hidden subcommand of the binary, because the signal
//! has to be asked for by the process that shall get it.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt as _;

use rustix::process::{Signal, getppid, set_parent_process_death_signal};

/// Becomes the agent. `args` are those after `exec-child`: our pid, `--`, the command and its
/// arguments. Returns only if that failed.
pub fn exec_child(args: impl IntoIterator<Item = OsString>) -> io::Error {
    let mut args = args.into_iter();
    let parent = args.next().and_then(|pid| pid.to_str()?.parse::<i32>().ok());
    let command = args.find(|arg| arg != "--");
    let (Some(parent), Some(command)) = (parent, command) else {
        return io::Error::new(io::ErrorKind::InvalidInput, "expected a pid, -- and a command");
    };
    if let Err(error) = set_parent_process_death_signal(Some(Signal::KILL)) {
        return error.into();
    }
    // The parent may have died before the signal was asked for.
    if getppid().map(rustix::process::Pid::as_raw_pid) != Some(parent) {
        return io::Error::new(io::ErrorKind::BrokenPipe, "the parent is gone");
    }
    #[expect(clippy::disallowed_methods, reason = "this crate starts processes")]
    std::process::Command::new(command).args(args).exec()
}
