//! Places for agent processes: as many as the limit allows, first come first served.
//!
//! Knows no process. Who has a place gives it back; who waits may go at any time.

use std::collections::VecDeque;

use tokio::sync::oneshot;

/// Places taken, and who waits for one.
#[derive(Debug)]
pub(crate) struct Rooms {
    max: usize,
    taken: usize,
    waiting: VecDeque<oneshot::Sender<()>>,
}

/// A turn in the queue. Whoever lets it go must ask [`Ticket::given`] whether a place comes back.
#[derive(Debug)]
pub(crate) struct Ticket(oneshot::Receiver<()>);

/// What came of asking for a place.
#[derive(Debug)]
pub(crate) enum Entry {
    Taken,
    Waits(Ticket),
}

impl Rooms {
    pub(crate) fn new(max: usize) -> Self {
        Self { max, taken: 0, waiting: VecDeque::new() }
    }

    /// Takes a place if one is free and nobody waits for it, else a turn in the queue.
    pub(crate) fn enter(&mut self) -> Entry {
        if self.waiting() == 0 && self.taken < self.max {
            self.taken += 1;
            return Entry::Taken;
        }
        let (sender, receiver) = oneshot::channel();
        self.waiting.push_back(sender);
        Entry::Waits(Ticket(receiver))
    }

    /// How many wait.
    pub(crate) fn waiting(&mut self) -> usize {
        self.waiting.retain(|waiter| !waiter.is_closed());
        self.waiting.len()
    }

    /// A place is free again: it goes to who waits longest.
    pub(crate) fn leave(&mut self) {
        self.taken = self.taken.saturating_sub(1);
        while self.taken < self.max
            && let Some(waiter) = self.waiting.pop_front()
        {
            // One that has gone meanwhile gets none.
            if waiter.send(()).is_ok() {
                self.taken += 1;
            }
        }
    }
}

impl Ticket {
    /// Resolves when a place is given.
    pub(crate) async fn turn(&mut self) {
        // The queue lives as long as who waits in it.
        if (&mut self.0).await.is_err() {
            std::future::pending::<()>().await;
        }
    }

    /// Gives the turn up. True if a place was given meanwhile, which must be left.
    pub(crate) fn given(&mut self) -> bool {
        self.0.close();
        self.0.try_recv().is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn waits(rooms: &mut Rooms) -> Ticket {
        match rooms.enter() {
            Entry::Waits(ticket) => ticket,
            Entry::Taken => panic!("a place was free"),
        }
    }

    #[test]
    fn places_are_given_in_the_order_they_were_asked_for() {
        let mut rooms = Rooms::new(1);
        assert!(matches!(rooms.enter(), Entry::Taken));
        let mut tickets = [waits(&mut rooms), waits(&mut rooms), waits(&mut rooms)];
        rooms.leave();
        assert_eq!(tickets.each_mut().map(|ticket| ticket.0.try_recv().is_ok()), [true, false, false]);
        assert_eq!(rooms.waiting(), 2);
        rooms.leave();
        assert_eq!(tickets.each_mut().map(|ticket| ticket.0.try_recv().is_ok()), [false, true, false]);
    }

    #[test]
    fn who_comes_when_others_wait_does_not_overtake_them() {
        let mut rooms = Rooms::new(2);
        assert!(matches!(rooms.enter(), Entry::Taken));
        assert!(matches!(rooms.enter(), Entry::Taken));
        let first = waits(&mut rooms);
        rooms.leave();
        // The place is the first one's, whether or not it knows already.
        let _second = waits(&mut rooms);
        drop(first);
        assert_eq!((rooms.taken, rooms.waiting()), (2, 1));
    }

    #[test]
    fn who_goes_holds_nobody_up_and_a_place_given_too_late_comes_back() {
        let mut rooms = Rooms::new(1);
        assert!(matches!(rooms.enter(), Entry::Taken));
        let (mut gone, mut late, mut last) = (waits(&mut rooms), waits(&mut rooms), waits(&mut rooms));
        assert!(!gone.given());
        assert_eq!(rooms.waiting(), 2);
        rooms.leave();
        assert!(late.given(), "it was given a place and did not know");
        rooms.leave();
        assert!(last.given());
        assert_eq!(rooms.taken, 1);
        rooms.leave();
        assert!(matches!(rooms.enter(), Entry::Taken));
    }

    #[tokio::test]
    async fn a_turn_comes_once_a_place_is_left() {
        let mut rooms = Rooms::new(1);
        assert!(matches!(rooms.enter(), Entry::Taken));
        let mut ticket = waits(&mut rooms);
        rooms.leave();
        ticket.turn().await;
        assert_eq!(rooms.waiting(), 0);
    }
}
