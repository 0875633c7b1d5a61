//! Reaping what agents started and forgot. As a subreaper this process
//! inherits their orphans; those that die stay as zombies until someone waits
//! for them, and nobody else will.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use std::{fs, io};

use rustix::process::{Pid, WaitOptions, getpgrp, getpid, set_child_subreaper, waitpid};
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use super::tree::stat;

/// Time between looks while an agent lives.
const LOOK: Duration = Duration::from_secs(5);

/// Agents that the runtime waits for. A lock and not an actor: an agent must be known here
/// before anyone can look for its remains.
static OWNED: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

static SUBREAPER: AtomicBool = AtomicBool::new(false);

/// Makes orphans of agents children of this process, so that they can be found and reaped.
pub fn become_subreaper() -> io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    SUBREAPER.store(true, Ordering::Relaxed);
    Ok(())
}

/// Starts an agent, owned from its first moment.
pub(crate) fn spawn_owned(command: &mut Command) -> io::Result<(Child, i32)> {
    let mut owned = OWNED.lock().unwrap_or_else(PoisonError::into_inner);
    let child = command.spawn()?;
    let pid = child.id().and_then(|pid| i32::try_from(pid).ok()).ok_or(io::ErrorKind::NotFound)?;
    owned.insert(pid);
    Ok((child, pid))
}

/// The runtime has waited for that agent.
pub(crate) fn disown(pid: i32) {
    OWNED.lock().unwrap_or_else(PoisonError::into_inner).remove(&pid);
}

/// Reaps from time to time, for ever. However many agents live, one look serves all.
pub(crate) async fn tend() {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    loop {
        sleep(LOOK).await;
        let due = {
            let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
            let due = last.is_none_or(|last| last.elapsed() >= LOOK / 2);
            if due {
                *last = Some(Instant::now());
            }
            due
        };
        if due {
            // Fails only if the runtime is going down.
            spawn_blocking(reap_orphans).await.ok();
        }
    }
}

/// Reaps dead children of this process that are nobody's. Children in our own process group
/// were started by others than agents and are left alone.
pub(crate) fn reap_orphans() {
    if !SUBREAPER.load(Ordering::Relaxed) {
        return;
    }
    let (me, group) = (getpid().as_raw_pid(), getpgrp().as_raw_pid());
    let owned = OWNED.lock().unwrap_or_else(PoisonError::into_inner);
    let Ok(entries) = fs::read_dir("/proc") else { return };
    let dead = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| !owned.contains(pid))
        .filter(|pid| stat(*pid).is_some_and(|stat| stat.zombie && stat.parent == me && stat.group != group));
    for pid in dead.filter_map(Pid::from_raw) {
        // Fails only if someone else was faster.
        waitpid(Some(pid), WaitOptions::NOHANG).ok();
    }
}
