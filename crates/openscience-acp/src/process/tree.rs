//! Which processes belong to an agent, and killing exactly those.
//!
//! Three signs: being a descendant, being in its group, carrying its mark in
//! the environment. A pid alone is never trusted: it counts only together with
//! the start time of its process.

use std::collections::BTreeMap;
use std::fs;
use std::sync::{Mutex, PoisonError};

use memchr::memmem;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, getpid, kill_process_group, pidfd_open, pidfd_send_signal, waitpid,
};

/// Names the launch in the environment of an agent and all it starts.
pub const MARK_VARIABLE: &str = "OPENSCIENCE_AGENT_MARK";

/// The processes of one agent.
#[derive(Debug)]
pub(crate) struct Tree {
    /// The process we started, leader of its group.
    root: i32,
    /// When the root started; 0 if that is not known.
    root_start: u64,
    mark: String,
    /// Descendants ever seen and when they started: one that left its group and lost its parent
    /// is still ours. A lock and not an actor: a second signal must be able to kill at once.
    seen: Mutex<BTreeMap<i32, u64>>,
}

/// What `/proc/<pid>/stat` tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) parent: i32,
    pub(crate) group: i32,
    pub(crate) start: u64,
    pub(crate) zombie: bool,
}

impl Tree {
    pub(crate) fn new(root: i32, mark: String) -> Self {
        let root_start = stat(root).map_or(0, |stat| stat.start);
        Self { root, root_start, mark, seen: Mutex::new(BTreeMap::new()) }
    }

    pub(crate) fn root(&self) -> i32 {
        self.root
    }

    /// Finds and remembers all members; returns those that live, the root among them.
    ///
    /// Reads all of `/proc`: not for an async thread.
    pub(crate) fn collect(&self) -> Vec<(i32, u64)> {
        let all = self.younger_processes();
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.retain(|pid, start| all.get(pid).is_some_and(|stat| stat.start == *start));
        let root = all.get(&self.root).filter(|stat| stat.start == self.root_start);
        if root.is_some() {
            seen.insert(self.root, self.root_start);
        }
        // A group outlives its leader; a stranger that got the leader's pid has a group of its own.
        let own_group = root.is_some() || !all.contains_key(&self.root);
        for (&pid, stat) in &all {
            if (own_group && stat.group == self.root) || self.carries_mark(pid) {
                seen.insert(pid, stat.start);
            }
        }
        loop {
            let children: Vec<(i32, u64)> = all
                .iter()
                .filter(|(pid, stat)| seen.contains_key(&stat.parent) && !seen.contains_key(pid))
                .map(|(pid, stat)| (*pid, stat.start))
                .collect();
            if children.is_empty() {
                break;
            }
            seen.extend(children);
        }
        seen.iter()
            .filter(|(pid, _)| all.get(pid).is_some_and(|stat| !stat.zombie))
            .map(|(pid, start)| (*pid, *start))
            .collect()
    }

    /// Sends TERM to the group, and to members outside of it.
    pub(crate) fn terminate(&self) {
        self.signal_group(Signal::TERM);
        for (pid, start) in self.collect() {
            if stat(pid).is_some_and(|stat| stat.group != self.root) {
                signal(pid, start, Signal::TERM);
            }
        }
    }

    /// Kills all members that can be found. True if none is left but zombies of others.
    pub(crate) fn kill(&self) -> bool {
        // Members first: killing their parents would make them harder to find.
        let members = self.collect();
        self.signal_group(Signal::KILL);
        for (pid, start) in &members {
            signal(*pid, *start, Signal::KILL);
        }
        self.reap();
        members.is_empty()
    }

    /// Reaps members that became our children. The root is waited for by its owner.
    fn reap(&self) {
        let me = getpid().as_raw_pid();
        let seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        for (&pid, &start) in seen.iter().filter(|(pid, _)| **pid != self.root) {
            let ours = stat(pid).is_some_and(|stat| stat.zombie && stat.start == start && stat.parent == me);
            if ours && let Some(pid) = Pid::from_raw(pid) {
                // Fails only if someone else was faster.
                waitpid(Some(pid), WaitOptions::NOHANG).ok();
            }
        }
    }

    /// Signals the group, while the root keeps its number from being given to others.
    fn signal_group(&self, signal: Signal) {
        if self.root <= 1 || stat(self.root).is_none_or(|stat| stat.start != self.root_start) {
            return;
        }
        if let Some(group) = Pid::from_raw(self.root) {
            // Fails only if the group is gone.
            kill_process_group(group, signal).ok();
        }
    }

    /// All processes that are not older than the root.
    fn younger_processes(&self) -> BTreeMap<i32, Stat> {
        let Ok(entries) = fs::read_dir("/proc") else { return BTreeMap::new() };
        entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .filter_map(|pid| Some((pid, stat(pid)?)))
            .filter(|(pid, stat)| stat.start >= self.root_start && *pid > 1)
            .filter(|(pid, _)| *pid != getpid().as_raw_pid())
            .collect()
    }

    fn carries_mark(&self, pid: i32) -> bool {
        if self.mark.is_empty() {
            return false;
        }
        let Ok(environment) = fs::read(format!("/proc/{pid}/environ")) else { return false };
        let entry = format!("{MARK_VARIABLE}={}", self.mark);
        memmem::find_iter(&environment, entry.as_bytes()).any(|at| {
            let starts = at == 0 || environment.get(at - 1) == Some(&0);
            starts && matches!(environment.get(at + entry.len()), None | Some(0))
        })
    }
}

/// Signals a process if it is still the one that started then.
pub(super) fn signal(pid: i32, start: u64, signal: Signal) {
    let Some(handle) = Pid::from_raw(pid).and_then(|pid| pidfd_open(pid, PidfdFlags::empty()).ok()) else {
        return;
    };
    // Checked after the handle was taken: the handle cannot change its process any more.
    if stat(pid).is_some_and(|stat| stat.start == start) {
        // Fails only if the process is gone.
        pidfd_send_signal(&handle, signal).ok();
    }
}

pub(crate) fn stat(pid: i32) -> Option<Stat> {
    parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
}

/// The name in parentheses may hold anything, so fields are counted from its end.
fn parse(stat: &str) -> Option<Stat> {
    let (_, rest) = stat.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    Some(Stat {
        zombie: matches!(*fields.first()?, "Z" | "X"),
        parent: fields.get(1)?.parse().ok()?,
        group: fields.get(2)?.parse().ok()?,
        start: fields.get(19)?.parse().ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_name_cannot_forge_fields() {
        let line = "12 (a) R 1 1 1) S 3 4 4 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 1 0 777 1 1";
        assert_eq!(parse(line), Some(Stat { parent: 3, group: 4, start: 777, zombie: false }));
        assert_eq!(parse("12 (a) Z"), None);
    }

    #[test]
    fn this_process_is_found_in_proc() {
        let me = getpid().as_raw_pid();
        let stat = stat(me).unwrap();
        assert!(stat.start > 0 && !stat.zombie && stat.parent > 0);
    }
}
