//! The agent as processes of the operating system: started in a group of its
//! own, watched, and ended with everything it started.

mod drain;
mod leftovers;
mod orphans;
mod spawn;
mod stderr;
mod supervisor;
mod tree;

pub use leftovers::sweep_marked;
pub use orphans::become_subreaper;
pub use tree::MARK_VARIABLE;

pub(crate) use drain::drain;
pub(crate) use orphans::disown;
pub(crate) use spawn::{spawn, start};
pub(crate) use stderr::{Mark, Stderr};
pub(crate) use supervisor::{Guard, Supervisor, watch_pipes};
pub(crate) use tree::Tree;

/// Kills all members of a tree, and those they start meanwhile.
pub(crate) fn kill_now(tree: &Tree) {
    /// Rounds against a tree that forks; the supervisor goes on after them.
    const ROUNDS: usize = 5;
    for _ in 0..ROUNDS {
        if tree.kill() {
            break;
        }
    }
}
