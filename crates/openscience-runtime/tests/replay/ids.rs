//! Ids that count up, so that a snapshot does not change by itself.

use openscience_core::session::Ids;
use openscience_protocol::{ClaimId, DecisionId, MessageId, Millis, PartId, RunId, TurnId};

/// One count for all kinds.
#[derive(Debug)]
pub(crate) struct Counter(u64);

impl Counter {
    /// Of one of several sessions: no two have the same ids, as no two in the world have.
    pub(crate) fn of(session: usize) -> Self {
        Self(1_000 * u64::try_from(session).unwrap())
    }

    fn next<T: std::str::FromStr<Err: std::fmt::Debug>>(&mut self, prefix: &str) -> T {
        self.0 += 1;
        format!("{prefix}_{}", self.0).parse().unwrap()
    }
}

impl Ids for Counter {
    fn message(&mut self, _: Millis) -> MessageId {
        self.next("msg")
    }

    fn part(&mut self, _: Millis) -> PartId {
        self.next("prt")
    }

    fn run(&mut self, _: Millis) -> RunId {
        self.next("run")
    }

    fn turn(&mut self, _: Millis) -> TurnId {
        self.next("trn")
    }

    fn permission(&mut self, _: Millis) -> DecisionId {
        self.next("per")
    }

    fn question(&mut self, _: Millis) -> DecisionId {
        self.next("que")
    }

    fn claim(&mut self, _: Millis) -> ClaimId {
        self.next("clm")
    }
}
