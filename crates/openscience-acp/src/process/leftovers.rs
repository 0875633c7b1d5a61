//! Processes that outlived the daemon that started them.
//!
//! They are known by the mark in their environment alone: no pid is recorded,
//! so none can be mistaken after it was given to another program.

use std::fs;

use memchr::memmem;
use rustix::process::{Signal, getpid};

use super::tree::{self, MARK_VARIABLE};

/// Kills every process whose agent mark starts with `prefix`; returns how many were found.
///
/// Reads all of `/proc`: not for an async thread.
pub fn sweep_marked(prefix: &str) -> usize {
    /// Rounds against a tree that forks.
    const ROUNDS: usize = 6;
    let (mut found, mut quiet) = (0, false);
    for _ in 0..ROUNDS {
        let marked = marked(prefix);
        // Looked at twice: in the middle of an exec a process has no environment to read.
        if marked.is_empty() && std::mem::replace(&mut quiet, true) {
            break;
        }
        found += marked.len();
        for (pid, start) in marked {
            tree::signal(pid, start, Signal::KILL);
        }
    }
    found
}

fn marked(prefix: &str) -> Vec<(i32, u64)> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let me = getpid().as_raw_pid();
    entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| *pid > 1 && *pid != me)
        .filter_map(|pid| Some((pid, tree::stat(pid).filter(|stat| !stat.zombie)?.start)))
        .filter(|(pid, _)| carries(*pid, prefix))
        .collect()
}

fn carries(pid: i32, prefix: &str) -> bool {
    let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
    let entry = format!("{MARK_VARIABLE}={prefix}");
    memmem::find_iter(&environment, entry.as_bytes()).any(|at| at == 0 || environment.get(at - 1) == Some(&0))
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
    use std::process::{Child, Command, Stdio};

    use super::*;

    /// A process that waits, returned when its environment can be read: a spawn returns before that.
    fn waiting(mark: &str) -> Child {
        #[expect(clippy::disallowed_methods, reason = "this crate starts processes")]
        let mut command = Command::new("sh");
        command.args(["-c", "echo && read -r line"]).env(MARK_VARIABLE, mark);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdout.as_mut().unwrap().read_exact(&mut [0]).unwrap();
        child
    }

    #[test]
    fn only_processes_with_that_mark_are_killed() {
        let prefix = format!("own_{}_dead.", getpid().as_raw_pid());
        let mut ours = waiting(&format!("{prefix}1"));
        let mut other = waiting(&format!("own_{}_live.1", getpid().as_raw_pid()));
        assert!(sweep_marked(&prefix) >= 1);
        assert_eq!(ours.wait().unwrap().signal(), Some(Signal::KILL.as_raw()));
        assert!(other.try_wait().unwrap().is_none(), "another owner's process lives on");
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
