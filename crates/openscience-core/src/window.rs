//! Which events can still be replayed, and where a reader goes on.
//!
//! The window is arithmetic over the newest sequence: nobody stores its start.

use openscience_protocol::{EVENT_RETENTION, Sequence};

/// The events of a session that are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Window {
    /// Sequence of the newest event; 0 when there is none.
    pub latest: Sequence,
}

impl Window {
    /// Sequence of the oldest event that is kept; 1 when there is none.
    pub fn oldest(self) -> Sequence {
        (self.latest - EVENT_RETENTION + 1).max(1)
    }
}

/// Why a reader cannot go on from its cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum CursorError {
    #[error("events after this cursor are gone; the oldest event kept is {oldest}")]
    Expired { oldest: Sequence, latest: Sequence },
    #[error("the cursor is ahead of the newest event, {latest}")]
    Ahead { oldest: Sequence, latest: Sequence },
}

/// The sequence after which a reader reads on; all kept events if it has no cursor.
pub fn resume_after(latest: Sequence, after: Option<Sequence>) -> Result<Sequence, CursorError> {
    let oldest = Window { latest }.oldest();
    match after {
        None => Ok(oldest - 1),
        Some(after) if after < oldest - 1 => Err(CursorError::Expired { oldest, latest }),
        Some(after) if after > latest => Err(CursorError::Ahead { oldest, latest }),
        Some(after) => Ok(after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_2048_events_are_kept() {
        let check = |latest, oldest| assert_eq!(Window { latest }.oldest(), oldest, "{latest}");
        check(0, 1);
        check(1, 1);
        check(2_047, 1);
        check(2_048, 1);
        check(2_049, 2);
        check(10_000, 7_953);
    }

    #[track_caller]
    fn check(latest: Sequence, after: Option<Sequence>, expected: Result<Sequence, CursorError>) {
        assert_eq!(resume_after(latest, after), expected, "{latest} {after:?}");
    }

    #[test]
    fn a_reader_without_a_cursor_gets_everything_kept() {
        check(0, None, Ok(0));
        check(9, None, Ok(0));
        check(2_048, None, Ok(0));
        check(2_049, None, Ok(1));
    }

    #[test]
    fn only_a_gap_expires_a_cursor() {
        let expired = Err(CursorError::Expired { oldest: 11, latest: 2_058 });
        check(2_058, Some(0), expired);
        check(2_058, Some(9), expired);
        check(2_058, Some(10), Ok(10));
        check(2_058, Some(11), Ok(11));
        check(0, Some(-1), Err(CursorError::Expired { oldest: 1, latest: 0 }));
    }

    #[test]
    fn a_cursor_at_the_newest_event_waits_and_beyond_it_is_ahead() {
        check(0, Some(0), Ok(0));
        check(0, Some(1), Err(CursorError::Ahead { oldest: 1, latest: 0 }));
        check(2_058, Some(2_058), Ok(2_058));
        check(2_058, Some(2_059), Err(CursorError::Ahead { oldest: 11, latest: 2_058 }));
        check(2_058, Some(Sequence::MAX), Err(CursorError::Ahead { oldest: 11, latest: 2_058 }));
    }

    #[test]
    fn the_error_names_the_edge_of_the_window() {
        let told = |after| resume_after(2_058, Some(after)).expect_err("outside").to_string();
        assert_eq!(told(3), "events after this cursor are gone; the oldest event kept is 11");
        assert_eq!(told(3_000), "the cursor is ahead of the newest event, 2058");
    }
}
