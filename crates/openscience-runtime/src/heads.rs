//! The newest sequence of each session that somebody follows, and its newest frames. Outlives actors.
//!
//! Frames are a cache for many readers of one event: what is not here is read from the log.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use openscience_protocol::row::NewEvent;
use openscience_protocol::{Sequence, SessionId};
use tokio::sync::watch;

use crate::Frames;
use crate::ring::Ring;

/// The newest sequence of a session that was deleted: beyond every cursor.
const GONE: Sequence = Sequence::MAX;

/// What followers of a session are told.
#[derive(Debug, Default)]
struct News {
    latest: Sequence,
    ring: Ring,
    /// The newest revision that another process was seen to have made.
    revision: i64,
}

type Map = Mutex<HashMap<SessionId, watch::Sender<News>>>;

/// Wakes readers. The lock guards a map that is touched for the length of one look-up, by
/// actors of all sessions and by new readers; an actor of its own would add a hop to every event.
#[derive(Debug, Clone, Default)]
pub(crate) struct Heads(Arc<Map>);

impl Heads {
    /// Tells followers of the session that events up to `latest` are committed.
    pub(crate) fn publish(&self, session: &SessionId, latest: Sequence) {
        self.publish_events(session, latest, &[]);
    }

    /// The same with the events themselves, the last of which is `latest`; none if they are not known.
    pub(crate) fn publish_events(&self, session: &SessionId, latest: Sequence, events: &[NewEvent]) {
        // The frames are made outside the lock of the map.
        let Some(head) = self.head(session) else { return };
        head.send_if_modified(|news| {
            if latest <= news.latest {
                return false;
            }
            news.latest = latest;
            news.ring.push(session, latest, events);
            true
        });
    }

    /// Tells followers that something was committed which is not journaled.
    pub(crate) fn touch(&self, session: &SessionId) {
        if let Some(head) = self.head(session) {
            head.send_modify(|_| {});
        }
    }

    /// Tells followers what revision another process may have made of the session.
    pub(crate) fn revised(&self, session: &SessionId, revision: i64) {
        if let Some(head) = self.head(session) {
            head.send_if_modified(|news| {
                let newer = revision > news.revision;
                news.revision = news.revision.max(revision);
                newer
            });
        }
    }

    fn head(&self, session: &SessionId) -> Option<watch::Sender<News>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(session).cloned()
    }

    /// True if somebody would be told.
    pub(crate) fn is_followed(&self, session: &SessionId) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).contains_key(session)
    }

    /// Follows the session.
    pub(crate) fn subscribe(&self, session: &SessionId) -> Follower {
        let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let news = heads.entry(session.clone()).or_default().subscribe();
        Follower { session: session.clone(), news, heads: Arc::clone(&self.0) }
    }

    /// Sessions that somebody follows.
    pub(crate) fn followed(&self) -> Vec<SessionId> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).keys().cloned().collect()
    }

    /// Ends the streams of a deleted session: their next read finds nothing.
    pub(crate) fn gone(&self, session: &SessionId) {
        let mut heads = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(head) = heads.remove(session) {
            head.send_modify(|news| news.latest = GONE);
        }
    }
}

/// One reader's ear.
#[derive(Debug)]
pub(crate) struct Follower {
    session: SessionId,
    news: watch::Receiver<News>,
    heads: Arc<Map>,
}

impl Follower {
    /// Waits for an event after `seen`; its frames if they are at hand, else the log has them. An error
    /// if the session was deleted meanwhile.
    ///
    /// May wait although the log has such events, until the next publication: read the log first.
    pub(crate) async fn after(&mut self, seen: Sequence) -> Result<Option<Frames>, watch::error::RecvError> {
        let news = self.news.wait_for(|news| news.latest > seen).await?;
        Ok(news.ring.after(seen))
    }

    /// Waits for anything that was committed since it was asked last, journaled or not. An error if the session
    /// was deleted meanwhile.
    pub(crate) async fn changed(&mut self) -> Result<(), watch::error::RecvError> {
        self.news.changed().await
    }

    /// True if the session was deleted: nobody publishes here any more.
    pub(crate) fn is_gone(&self) -> bool {
        self.news.borrow().latest == GONE
    }
}

impl Drop for Follower {
    /// The last one takes the frames along.
    fn drop(&mut self) {
        let mut heads = self.heads.lock().unwrap_or_else(PoisonError::into_inner);
        // Given up under the lock: of two that leave at once, one is the last.
        self.news = watch::Sender::default().subscribe();
        if heads.get(&self.session).is_some_and(|head| head.receiver_count() == 0) {
            heads.remove(&self.session);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event() -> NewEvent {
        NewEvent { event_type: "t", body: "{}".to_owned() }
    }

    #[tokio::test]
    async fn all_followers_share_the_frames_of_an_event() {
        let (heads, session) = (Heads::default(), "ses_1".parse::<SessionId>().unwrap());
        let (mut one, mut two) = (heads.subscribe(&session), heads.subscribe(&session));
        heads.publish_events(&session, 5, &[event()]);
        let (one, two) = (one.after(4).await.unwrap().unwrap(), two.after(4).await.unwrap().unwrap());
        assert_eq!((one.last, one.bytes.as_ptr()), (5, two.bytes.as_ptr()));
    }

    #[tokio::test]
    async fn a_number_without_frames_sends_readers_to_the_log() {
        let (heads, session) = (Heads::default(), "ses_1".parse::<SessionId>().unwrap());
        let mut follower = heads.subscribe(&session);
        heads.publish_events(&session, 5, &[event()]);
        heads.publish(&session, 7);
        assert!(follower.after(5).await.unwrap().is_none());
        heads.publish_events(&session, 8, &[event()]);
        assert_eq!(follower.after(7).await.unwrap().map(|frames| frames.last), Some(8));
    }

    #[tokio::test]
    async fn news_that_come_late_change_nothing() {
        let (heads, session) = (Heads::default(), "ses_1".parse::<SessionId>().unwrap());
        let mut follower = heads.subscribe(&session);
        heads.publish(&session, 7);
        heads.publish_events(&session, 6, &[event()]);
        assert!(follower.after(5).await.unwrap().is_none());
    }

    #[test]
    fn the_last_follower_takes_the_head_along() {
        let (heads, session) = (Heads::default(), "ses_1".parse::<SessionId>().unwrap());
        let (one, two) = (heads.subscribe(&session), heads.subscribe(&session));
        drop(one);
        assert!(heads.is_followed(&session));
        drop(two);
        assert!(!heads.is_followed(&session));
    }

    #[tokio::test]
    async fn followers_of_a_deleted_session_are_woken_and_leave_a_new_one_alone() {
        let (heads, session) = (Heads::default(), "ses_1".parse::<SessionId>().unwrap());
        let mut follower = heads.subscribe(&session);
        heads.gone(&session);
        assert!(follower.after(1_000).await.unwrap().is_none());
        let _another = heads.subscribe(&session);
        drop(follower);
        assert!(heads.is_followed(&session));
    }
}
