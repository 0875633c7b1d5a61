//! Waits for the end of an agent and brings it about: stdin closed, TERM,
//! KILL, and nothing of the tree left behind.

use std::os::unix::process::ExitStatusExt as _;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Child;
use tokio::task::{JoinHandle, spawn_blocking};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::Tree;
use super::orphans::{disown, reap_orphans, tend};
use crate::error::AgentExit;
use crate::state::{End, Shared};

/// An agent that closed its pipes gets this long to exit by itself.
const EXIT_AFTER_CLOSE: Duration = Duration::from_secs(1);

/// Stderr of a tree that is gone gets this long to be read.
const STDERR_DRAIN: Duration = Duration::from_millis(300);

/// Time between looks at a tree that is being ended.
const LOOK: Duration = Duration::from_millis(20);

/// Looks after KILL. What survives them waits in the kernel and cannot be ended by anyone.
const LOOKS: usize = 100;

/// Owns the child; its end is the end of the connection.
#[derive(Debug)]
pub(crate) struct Supervisor {
    pub(crate) child: Child,
    pub(crate) tree: Guard,
    pub(crate) shared: Arc<Shared>,
    pub(crate) drained: JoinHandle<()>,
    pub(crate) grace: Duration,
}

/// Kills the tree when its owner goes without having ended it.
#[derive(Debug)]
pub(crate) struct Guard(Option<Arc<Tree>>);

impl Guard {
    pub(crate) fn new(tree: Arc<Tree>) -> Self {
        Self(Some(tree))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(tree) = &self.0 {
            tree.kill();
        }
    }
}

impl Supervisor {
    /// Runs until the tree is gone, then tells everyone.
    pub(crate) async fn run(mut self) {
        let mut until = None;
        let status = tokio::select! {
            status = self.child.wait() => status.ok(),
            () = must_end(&self.shared) => self.ladder(&mut until).await,
        };
        if let Some(tree) = &self.tree.0 {
            disown(tree.root());
        }
        self.sweep(until).await;
        // Fails only if the runtime is going down.
        spawn_blocking(reap_orphans).await.ok();
        // The pipe may be held open by a process that is not ours.
        if timeout(STDERR_DRAIN, &mut self.drained).await.is_err() {
            self.drained.abort();
        }
        self.tree.0 = None;
        let exit = status.map(describe);
        tracing::info!(agent.exit = exit.as_deref(), "agent and its processes are gone");
        self.shared.publish_exit(AgentExit { exit, stderr: self.shared.stderr.tail(), endless_line: false });
    }

    /// Asks with growing force. `until` becomes the time at which asking ends.
    async fn ladder(&mut self, until: &mut Option<Instant>) -> Option<ExitStatus> {
        let shared = Arc::clone(&self.shared);
        let start = Instant::now();
        *until = Some(start + self.grace);
        // Who belongs to it is seen best before anyone dies.
        self.look(Tree::collect).await;
        shared.close_stdin.cancel();
        tokio::select! {
            status = self.child.wait() => return status.ok(),
            () = shared.asked(End::Kill) => *until = None,
            () = sleep(self.grace / 2) => {
                self.look(Tree::terminate).await;
                tokio::select! {
                    status = timeout_at(start + self.grace, self.child.wait()) => {
                        if let Ok(status) = status {
                            return status.ok();
                        }
                    }
                    () = shared.asked(End::Kill) => *until = None,
                }
            }
        }
        self.look(Tree::kill).await;
        self.child.wait().await.ok()
    }

    /// Ends what the agent left: asked until then, killed after.
    async fn sweep(&self, until: Option<Instant>) {
        if let Some(until) = until.filter(|until| Instant::now() < *until)
            && self.look(Tree::collect).await.is_some_and(|left| !left.is_empty())
        {
            self.look(Tree::terminate).await;
            while Instant::now() < until && !self.shared.is_asked(End::Kill) {
                sleep(LOOK).await;
                if self.look(Tree::collect).await.is_none_or(|left| left.is_empty()) {
                    break;
                }
            }
        }
        for _ in 0..LOOKS {
            if self.look(Tree::kill).await.unwrap_or(true) {
                break;
            }
            sleep(LOOK).await;
        }
    }

    /// Looks at the tree outside of the async threads; none if the runtime is going down.
    async fn look<T: Send + 'static>(&self, look: impl FnOnce(&Tree) -> T + Send + 'static) -> Option<T> {
        let tree = Arc::clone(self.tree.0.as_ref()?);
        spawn_blocking(move || look(&tree)).await.ok()
    }
}

/// Resolves when the agent has to go: we were asked to end it, or it no longer reads or writes
/// and is of no use.
async fn must_end(shared: &Shared) {
    let closed = async {
        shared.pipe_closed.cancelled().await;
        sleep(EXIT_AFTER_CLOSE).await;
    };
    tokio::select! {
        () = shared.asked(End::Stop) => {}
        () = closed => {}
        () = tend() => {}
    }
}

/// As people write it.
fn describe(status: ExitStatus) -> String {
    match (status.code(), status.signal()) {
        (Some(code), _) => format!("exit status: {code}"),
        (None, Some(signal)) => format!("signal: {signal}"),
        (None, None) => "unknown".to_owned(),
    }
}

/// Stands in for a supervisor where there is no process: the connection ends with its pipes.
pub(crate) async fn watch_pipes(shared: Arc<Shared>) {
    tokio::select! {
        () = shared.pipe_closed.cancelled() => {}
        () = shared.asked(End::Stop) => {}
    }
    shared.close_stdin.cancel();
    shared.publish_exit(AgentExit::default());
}
