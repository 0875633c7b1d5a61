//! The newest frames of one session, made once for all its readers.
//!
//! A cache: the log is the truth. Who does not find what they need here reads the log.

use std::collections::VecDeque;

use bytes::{Bytes, BytesMut};
use openscience_protocol::row::NewEvent;
use openscience_protocol::{Sequence, SessionId};

use crate::{Frames, frame};

/// Frames one reader takes at once; a single event may be longer.
pub(crate) const PAGE_BYTES: usize = 256 << 10;
/// Frames kept of a session: enough for readers that are awake, little enough to have of many sessions.
const RING_BYTES: usize = PAGE_BYTES;

/// Frames of consecutive events, in one piece.
#[derive(Debug)]
struct Page {
    first: Sequence,
    last: Sequence,
    bytes: Bytes,
}

/// Consecutive pages up to the newest event that was put in.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    pages: VecDeque<Page>,
    bytes: usize,
}

impl Ring {
    /// Adds events just committed, the last of which has the number `latest`.
    ///
    /// What does not follow on what is here replaces it: others have written meanwhile.
    pub(crate) fn push(&mut self, session: &SessionId, latest: Sequence, events: &[NewEvent]) {
        let before = latest - i64::try_from(events.len()).unwrap_or_default();
        if self.pages.back().is_some_and(|page| page.last != before) {
            self.clear();
        }
        let (mut first, mut out) = (before + 1, BytesMut::new());
        for (sequence, event) in (first..).zip(events) {
            if !out.is_empty() && out.len() + event.body.len() + frame::OVERHEAD > PAGE_BYTES {
                self.add(Page { first, last: sequence - 1, bytes: out.split().freeze() });
                first = sequence;
            }
            frame::put(&mut out, session, sequence, event.event_type, &event.body);
        }
        if !out.is_empty() {
            self.add(Page { first, last: latest, bytes: out.freeze() });
        }
    }

    fn add(&mut self, page: Page) {
        self.bytes += page.bytes.len();
        self.pages.push_back(page);
        while self.bytes > RING_BYTES
            && self.pages.len() > 1
            && let Some(oldest) = self.pages.pop_front()
        {
            self.bytes -= oldest.bytes.len();
        }
    }

    fn clear(&mut self) {
        self.pages.clear();
        self.bytes = 0;
    }

    /// The frames a reader who has seen `seen` needs next, if they begin a page here.
    pub(crate) fn after(&self, seen: Sequence) -> Option<Frames> {
        let at = self.pages.binary_search_by_key(&(seen + 1), |page| page.first).ok()?;
        self.pages.get(at).map(|page| Frames { bytes: page.bytes.clone(), last: page.last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(bodies: &[usize]) -> Vec<NewEvent> {
        let event =
            |length: &usize| NewEvent { event_type: "t", body: format!("{{{}}}", "x".repeat(*length)) };
        bodies.iter().map(event).collect()
    }

    fn push(ring: &mut Ring, latest: Sequence, bodies: &[usize]) {
        ring.push(&"ses_1".parse().unwrap(), latest, &events(bodies));
    }

    /// The last sequence of what follows on each.
    fn found<const N: usize>(ring: &Ring, seen: [Sequence; N]) -> [Option<Sequence>; N] {
        seen.map(|seen| ring.after(seen).map(|frames| frames.last))
    }

    #[test]
    fn a_reader_goes_on_where_a_commit_began_and_nowhere_else() {
        let mut ring = Ring::default();
        push(&mut ring, 3, &[1, 1, 1]);
        push(&mut ring, 4, &[1]);
        assert_eq!(found(&ring, [0, 1, 3, 4]), [Some(3), None, Some(4), None]);
        let text = String::from_utf8(ring.after(3).unwrap().bytes.to_vec()).unwrap();
        assert!(text.starts_with("id: 4\nevent: t\ndata: {\"sequence\":4,"), "{text}");
    }

    #[test]
    fn what_others_wrote_meanwhile_empties_it() {
        let mut ring = Ring::default();
        push(&mut ring, 3, &[1, 1, 1]);
        push(&mut ring, 9, &[1, 1]);
        assert_eq!(found(&ring, [0, 3, 7]), [None, None, Some(9)]);
    }

    #[test]
    fn a_page_is_bounded_unless_one_event_is_longer() {
        let mut ring = Ring::default();
        push(&mut ring, 3, &[PAGE_BYTES / 2, PAGE_BYTES / 4, PAGE_BYTES / 2]);
        // The first page went for the second.
        assert_eq!(found(&ring, [0, 2]), [None, Some(3)]);
        push(&mut ring, 4, &[2 * PAGE_BYTES]);
        assert_eq!(found(&ring, [2, 3]), [None, Some(4)]);
    }

    #[test]
    fn nothing_is_kept_beyond_the_bound_but_the_newest_page() {
        let mut ring = Ring::default();
        for latest in 1..=100 {
            push(&mut ring, latest, &[PAGE_BYTES / 10]);
        }
        assert!(ring.bytes <= RING_BYTES && ring.pages.len() < 10);
        assert_eq!(ring.bytes, ring.pages.iter().map(|page| page.bytes.len()).sum::<usize>());
        assert_eq!(found(&ring, [99]), [Some(100)]);
    }
}
