//! When may an agent process be stopped because nobody needs it?
//!
//! Never if a conversation would be lost with it: each of its sessions must be
//! one that can be taken up again, or one that holds nothing. Knows no process
//! and no clock.

use std::time::Duration;

/// A session that is open at the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The agent has had a prompt of it there.
    pub prompted: bool,
    /// It was taken up there by a load or a resume.
    pub reopened: bool,
}

/// What is known of a process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// For how long no turn was live; none while one is.
    pub idle: Option<Duration>,
    /// Somebody makes it ready for a turn.
    pub in_use: bool,
    /// A load or a resume has worked for this agent.
    pub reopens: bool,
    pub sessions: Vec<Held>,
}

/// What to do about a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    Stop,
    /// Nothing can come of it sooner: look again then.
    LookIn(Duration),
}

impl Standing {
    /// True if nobody needs it now and nothing is lost with it.
    pub fn stoppable(&self) -> bool {
        let kept = |session: &Held| !session.prompted || session.reopened || self.reopens;
        // What was reopened holds the turns it had before.
        self.idle.is_some() && !self.in_use && self.sessions.iter().all(kept)
    }

    /// Whether it is stopped after it has been idle for `timeout`.
    pub fn verdict(&self, timeout: Duration) -> Verdict {
        let left = self.idle.filter(|_| !self.in_use).map(|idle| timeout.saturating_sub(idle));
        match left {
            Some(Duration::ZERO) if self.stoppable() => Verdict::Stop,
            Some(Duration::ZERO) | None => Verdict::LookIn(timeout),
            Some(left) => Verdict::LookIn(left),
        }
    }
}

/// The process to stop first when room is needed: of those that may be stopped, the longest idle one.
pub fn longest_idle<T>(all: impl IntoIterator<Item = (T, Standing)>) -> Option<T> {
    let stoppable = all.into_iter().filter(|(_, standing)| standing.stoppable());
    stoppable.max_by_key(|(_, standing)| standing.idle).map(|(process, _)| process)
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: Held = Held { prompted: false, reopened: false };
    const NEW: Held = Held { prompted: true, reopened: false };
    const TAKEN_UP: Held = Held { prompted: false, reopened: true };
    const TAKEN_UP_AND_USED: Held = Held { prompted: true, reopened: true };

    fn standing(idle: Option<u64>, in_use: bool, reopens: bool, sessions: &[Held]) -> Standing {
        Standing { idle: idle.map(Duration::from_secs), in_use, reopens, sessions: sessions.to_vec() }
    }

    #[test]
    fn a_process_is_stopped_only_if_nothing_is_lost_with_it() {
        #[track_caller]
        fn check(idle: Option<u64>, in_use: bool, reopens: bool, sessions: &[Held], stoppable: bool) {
            assert_eq!(standing(idle, in_use, reopens, sessions).stoppable(), stoppable);
        }
        check(Some(0), false, false, &[], true);
        check(Some(0), false, false, &[EMPTY, EMPTY], true);
        check(Some(0), false, false, &[NEW], false);
        check(Some(0), false, false, &[EMPTY, NEW], false);
        check(Some(0), false, true, &[NEW, NEW], true);
        check(Some(0), false, false, &[TAKEN_UP, TAKEN_UP_AND_USED], true);
        check(Some(0), false, false, &[TAKEN_UP_AND_USED, NEW], false);
        check(Some(900), true, true, &[], false);
        check(None, false, true, &[], false);
    }

    #[test]
    fn it_is_stopped_when_it_was_idle_for_long_enough_and_looked_at_no_more_often_than_needed() {
        #[track_caller]
        fn check(standing: &Standing, verdict: Verdict) {
            assert_eq!(standing.verdict(Duration::from_mins(10)), verdict, "{standing:?}");
        }
        let look_in = |seconds| Verdict::LookIn(Duration::from_secs(seconds));
        check(&standing(Some(600), false, true, &[NEW]), Verdict::Stop);
        check(&standing(Some(599), false, true, &[NEW]), look_in(1));
        check(&standing(Some(0), false, true, &[NEW]), look_in(600));
        check(&standing(Some(900), false, false, &[NEW]), look_in(600));
        check(&standing(Some(900), true, true, &[NEW]), look_in(600));
        check(&standing(Some(10), true, true, &[NEW]), look_in(600));
        check(&standing(None, false, true, &[NEW]), look_in(600));
    }

    #[test]
    fn the_longest_idle_one_goes_first_unless_it_must_stay() {
        let all = [
            ("busy", standing(None, false, true, &[NEW])),
            ("in use", standing(Some(90), true, true, &[NEW])),
            ("holds a conversation", standing(Some(80), false, false, &[NEW])),
            ("short", standing(Some(10), false, true, &[NEW])),
            ("long", standing(Some(70), false, true, &[NEW])),
        ];
        assert_eq!(longest_idle(all.clone()), Some("long"));
        assert_eq!(longest_idle(all.into_iter().take(3)), None);
    }
}
