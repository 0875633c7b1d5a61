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
    const ROUNDS: usize = 5;
    let mut found = 0;
    for _ in 0..ROUNDS {
        let marked = marked(prefix);
        if marked.is_empty() {
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
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn only_processes_with_that_mark_are_killed() {
        #[expect(clippy::disallowed_methods, reason = "this crate starts processes")]
        let sleeper = |mark: &str| {
            Command::new("sleep").arg("60").env(MARK_VARIABLE, mark).stdin(Stdio::null()).spawn().unwrap()
        };
        let prefix = format!("own_{}_dead.", getpid().as_raw_pid());
        let mut ours = sleeper(&format!("{prefix}1"));
        let mut other = sleeper(&format!("own_{}_live.1", getpid().as_raw_pid()));
        assert!(sweep_marked(&prefix) >= 1);
        assert!(!ours.wait().unwrap().success());
        assert!(other.try_wait().unwrap().is_none(), "another owner's process lives on");
        other.kill().unwrap();
        other.wait().unwrap();
    }
}
