//! How an agent process is kept: watched while it rests, ended when nobody
//! needs it, let go when it is gone.

use std::sync::Arc;
use std::time::Duration;

use openscience_acp::TerminalHandle;
use openscience_core::idle::Verdict;
use openscience_protocol::{SessionId, TurnId};
use tokio::time::{Instant, sleep_until, timeout};

use super::room::Ticket;
use super::{Connections, Seen, Shared};

/// A place under the limit of processes, or a turn in the queue for one. Given back when dropped.
#[derive(Debug)]
pub(super) struct Place {
    connections: Arc<Connections>,
    /// While it still waits.
    ticket: Option<Ticket>,
}

impl Place {
    pub(super) fn new(connections: &Arc<Connections>, ticket: Option<Ticket>) -> Self {
        Self { connections: Arc::clone(connections), ticket }
    }

    /// Resolves when the place is there.
    pub(super) async fn turn(&mut self) {
        if let Some(ticket) = &mut self.ticket {
            ticket.turn().await;
        }
        self.ticket = None;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut table = self.connections.lock();
        if self.ticket.as_mut().is_none_or(Ticket::given) {
            table.rooms.leave();
        }
    }
}

/// Stops a process once it was idle for long enough, makes room when it comes to rest, and gives its
/// place back when it is gone.
pub(super) async fn keep(
    connections: Arc<Connections>,
    shared: Shared,
    idle_timeout: Duration,
    place: Place,
) {
    let mut news = shared.connection.news();
    let mut look = Instant::now() + idle_timeout;
    loop {
        tokio::select! {
            _exit = shared.connection.closed() => break,
            Ok(()) = news.changed() => connections.make_room(),
            () = sleep_until(look) => look = connections.look(&shared, idle_timeout),
        }
    }
    // In this order: else more would be stopped for who waits for this place.
    drop(place);
    connections.gone(&shared);
}

impl Connections {
    /// Stops a process that nobody needs. When to look again.
    fn look(&self, shared: &Shared, idle_timeout: Duration) -> Instant {
        let now = Instant::now();
        let mut table = self.lock();
        if !shared.usable() {
            return now + idle_timeout;
        }
        match table.standing(shared, now).verdict(idle_timeout) {
            Verdict::LookIn(wait) => now + wait,
            Verdict::Stop => {
                tracing::info!(agent.id = %shared.key.agent, connection.id = %shared.id, "an idle agent is stopped");
                table.end(shared);
                now + idle_timeout
            }
        }
    }

    /// A process that was put aside is gone.
    fn gone(&self, shared: &Shared) {
        self.lock().leaving.retain(|leaving| leaving.shared.id != shared.id);
    }

    /// Takes no new turns there; the process ends with its last live one.
    pub(crate) fn retire(self: &Arc<Self>, shared: &Shared) {
        self.lock().put_aside(shared, false);
        let (this, shared) = (Arc::clone(self), shared.clone());
        tokio::spawn(async move {
            let connection = &shared.connection;
            let mut news = connection.news();
            while connection.live_turns() > 0 && !connection.is_closed() {
                tokio::select! {
                    _exit = connection.closed() => {}
                    _ = news.changed() => {}
                }
            }
            connection.stop().await;
            this.gone(&shared);
        });
    }

    /// A turn that is over for us and not for the agent, which was told to stop it. If it does not, its
    /// process is ended, or retired if others are at work there.
    pub(crate) fn abandon(self: &Arc<Self>, shared: &Shared, session: &str, turn: &TurnId) {
        let limit = Duration::from_millis(self.config.limits.cancel_escalate_ms);
        let (this, shared) = (Arc::clone(self), shared.clone());
        let (session, turn) = (session.to_owned(), turn.clone());
        tokio::spawn(async move {
            if timeout(limit, shared.connection.turn_over(&turn)).await.is_ok() {
                return;
            }
            if shared.connection.live_turns() > 1 {
                this.retire(&shared);
                shared.connection.release(&session);
            } else {
                this.lock().end(&shared);
            }
        });
    }

    /// Every process that was started and not replaced.
    pub(crate) fn processes(&self) -> Vec<Shared> {
        let started = |seen| match seen {
            Seen::Started(shared) => Some(shared),
            Seen::Waiting { .. } | Seen::Connecting { .. } => None,
        };
        self.seen().into_iter().filter_map(started).collect()
    }

    /// A terminal of the session that can be asked for.
    pub(crate) fn terminal(&self, session: &SessionId, id: &str) -> Option<TerminalHandle> {
        self.processes().iter().find_map(|shared| shared.connection.terminal(session, id))
    }

    /// All of them.
    pub(crate) fn terminals(&self, session: &SessionId) -> Vec<String> {
        self.processes().iter().flat_map(|shared| shared.connection.terminals(session)).collect()
    }

    /// Ends the process of that id by the ladder. False if there is none.
    pub(crate) async fn stop(&self, id: &str) -> bool {
        let Some(shared) = self.processes().into_iter().find(|shared| *shared.id == *id) else {
            return false;
        };
        self.lock().put_aside(&shared, true);
        shared.connection.stop().await;
        self.gone(&shared);
        true
    }

    /// Ends every process by the ladder, at once.
    pub(crate) async fn stop_all(&self) {
        futures_util::future::join_all(self.processes().iter().map(|shared| shared.connection.stop())).await;
    }

    /// Kills every process tree.
    pub(crate) fn kill_all(&self) {
        for shared in self.processes() {
            shared.connection.kill();
        }
    }
}
