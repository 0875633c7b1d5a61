//! The newest sequence of each session that somebody follows. Outlives actors.
//!
//! Carries numbers only: readers read the log.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use openscience_protocol::{Sequence, SessionId};
use tokio::sync::watch;

/// Wakes readers. The lock guards a map that is touched for the length of one look-up, by
/// actors of all sessions and by new readers; an actor of its own would add a hop to every event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heads(Arc<Mutex<HashMap<SessionId, watch::Sender<Sequence>>>>);

impl Heads {
    /// Tells followers of the session that events up to `latest` are committed.
    pub(crate) fn publish(&self, session: &SessionId, latest: Sequence) {
        let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(head) = heads.get(session) else { return };
        if head.receiver_count() == 0 {
            heads.remove(session);
            return;
        }
        head.send_if_modified(|newest| {
            let newer = latest > *newest;
            *newest = latest.max(*newest);
            newer
        });
    }

    /// Follows the session. The value may lag behind the log until the next publication.
    pub(crate) fn subscribe(&self, session: &SessionId) -> watch::Receiver<Sequence> {
        let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heads.entry(session.clone()).or_insert_with(|| watch::Sender::new(0)).subscribe()
    }

    /// Sessions that somebody follows.
    pub(crate) fn followed(&self) -> Vec<SessionId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Ends the streams of a deleted session: their next read finds nothing.
    pub(crate) fn gone(&self, session: &SessionId) {
        let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(head) = heads.remove(session) {
            head.send_replace(Sequence::MAX);
        }
    }
}
