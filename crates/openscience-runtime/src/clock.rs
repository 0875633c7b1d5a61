//! Time and randomness for everything above: the only place that reads the
//! clock and the system's random source.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use openscience_core::session::Ids;
use openscience_protocol::{
    ClaimId, DecisionId, MessageId, Millis, OwnerId, PartId, RunId, SessionId, TurnId, UploadId,
};

const BASE62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// Milliseconds since the Unix epoch.
#[expect(clippy::disallowed_methods, reason = "the one place that reads the clock")]
pub(crate) fn now() -> Millis {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Makes ids that sort by the time they were made (wire contract §5); shared by the whole process.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdSource {
    last: Arc<AtomicU64>,
}

impl IdSource {
    /// `ms * 4096 + counter`, strictly growing.
    fn tick(&self, now: Millis) -> u64 {
        let floor = now.unsigned_abs().wrapping_mul(4096) + 1;
        let previous = self
            .last
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |last| Some(floor.max(last + 1)))
            .unwrap_or_default();
        floor.max(previous + 1)
    }

    fn text(prefix: &str, stamp: u64) -> String {
        let mut random = [0_u8; 14];
        #[expect(clippy::disallowed_methods, reason = "the one place that draws random bytes")]
        // Without randomness the stamp alone still keeps ids of one process apart.
        if getrandom::fill(&mut random).is_err() {
            random = [0; 14];
        }
        let tail: String = random.iter().map(|byte| char::from(BASE62[usize::from(*byte) % 62])).collect();
        format!("{prefix}_{:012x}{tail}", stamp & 0xffff_ffff_ffff)
    }

    fn ascending<T: std::str::FromStr>(&self, prefix: &str, now: Millis) -> T {
        made(&Self::text(prefix, self.tick(now)))
    }

    /// Newest sorts first.
    pub(crate) fn session(&self, now: Millis) -> SessionId {
        made(&Self::text(SessionId::PREFIX, !self.tick(now)))
    }

    /// The id of this process as an owner of runs.
    pub(crate) fn owner(&self, now: Millis) -> OwnerId {
        self.ascending(OwnerId::PREFIX, now)
    }

    /// Names one uploaded file.
    pub(crate) fn upload(&self, now: Millis) -> UploadId {
        self.ascending(UploadId::PREFIX, now)
    }

    /// Names one agent process.
    pub(crate) fn connection(&self, now: Millis) -> String {
        Self::text("con", self.tick(now))
    }

    /// Names one terminal.
    pub(crate) fn terminal(&self, now: Millis) -> String {
        Self::text("ter", self.tick(now))
    }

    /// Marks one launch of an agent as started by `owner`.
    pub(crate) fn mark(&self, owner: &OwnerId, now: Millis) -> String {
        format!("{}{:x}", mark_prefix(owner), self.tick(now))
    }
}

/// What every mark of that owner's agents starts with.
pub(crate) fn mark_prefix(owner: &OwnerId) -> String {
    format!("{owner}.")
}

/// A key nobody else has; none if the system has no randomness.
pub(crate) fn secret() -> Option<[u8; 32]> {
    let mut key = [0_u8; 32];
    #[expect(clippy::disallowed_methods, reason = "the one place that draws random bytes")]
    getrandom::fill(&mut key).ok()?;
    Some(key)
}

/// Parses an id this module composed; its form is right by construction.
#[expect(clippy::panic, reason = "an id of our own making that does not parse is a bug, not an input")]
fn made<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("composed a malformed id: {text}"))
}

impl Ids for IdSource {
    fn message(&mut self, now: Millis) -> MessageId {
        self.ascending(MessageId::PREFIX, now)
    }

    fn part(&mut self, now: Millis) -> PartId {
        self.ascending(PartId::PREFIX, now)
    }

    fn run(&mut self, now: Millis) -> RunId {
        self.ascending(RunId::PREFIX, now)
    }

    fn turn(&mut self, now: Millis) -> TurnId {
        self.ascending(TurnId::PREFIX, now)
    }

    fn permission(&mut self, now: Millis) -> DecisionId {
        self.ascending("per", now)
    }

    fn question(&mut self, now: Millis) -> DecisionId {
        self.ascending("que", now)
    }

    fn claim(&mut self, now: Millis) -> ClaimId {
        self.ascending(ClaimId::PREFIX, now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_one_millisecond_grow_and_a_clock_set_back_does_not_reuse_one() {
        let mut ids = IdSource::default();
        let made: Vec<MessageId> =
            [5, 5, 5, 4, 6].into_iter().map(|ms| Ids::message(&mut ids, 1_700_000_000_000 + ms)).collect();
        assert!(made.is_sorted_by(|a, b| a < b), "{made:?}");
    }

    #[test]
    fn a_message_id_has_the_form_clients_may_choose() {
        let id = Ids::message(&mut IdSource::default(), 1_700_000_000_000);
        assert!(openscience_protocol::id::is_client_message_id(id.as_str()), "{id}");
    }

    #[test]
    fn a_later_session_sorts_first() {
        let ids = IdSource::default();
        let (first, second) = (ids.session(1_700_000_000_000), ids.session(1_700_000_000_001));
        assert!(second < first);
    }
}
