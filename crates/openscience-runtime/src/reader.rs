//! Readers follow the log: replay and live are one loop, so there is no seam
//! between them to lose an event in. A slow reader lags and never skips; one that is
//! awake finds its frames made already.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::BytesMut;
use futures_util::Stream;
use openscience_protocol::{Sequence, SessionId};
use openscience_store::{EventRef, EventText, Store};

use crate::heads::Follower;
use crate::ring::PAGE_BYTES;
use crate::{Frames, ReadError, frame};

/// Events read at once; with the byte bound, what one reader holds.
const PAGE_EVENTS: u32 = 512;

/// An open stream; counts as one subscriber while it lives.
#[derive(Debug)]
pub(crate) struct Subscription(Arc<AtomicUsize>);

impl Subscription {
    /// One more, unless there are `max` already.
    pub(crate) fn open(count: &Arc<AtomicUsize>, max: usize) -> Option<Self> {
        let admit = |open: usize| (open < max).then_some(open + 1);
        count.fetch_update(Ordering::Relaxed, Ordering::Relaxed, admit).ok()?;
        Some(Self(Arc::clone(count)))
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

struct Reader {
    store: Store,
    session: SessionId,
    head: Follower,
    seen: Sequence,
    /// Nothing was read yet: the head may be behind the log.
    first: bool,
    _open: Subscription,
}

/// Every event after `seen`, then each new one, until the session is gone.
pub(crate) fn follow(
    store: Store,
    session: SessionId,
    head: Follower,
    seen: Sequence,
    open: Subscription,
) -> impl Stream<Item = Result<Frames, ReadError>> + Send + use<> {
    let reader = Reader { store, session, head, seen, first: true, _open: open };
    futures_util::stream::unfold(Some(reader), |reader| async move {
        let mut reader = reader?;
        match reader.next().await {
            Ok(Some(frames)) => Some((Ok(frames), Some(reader))),
            Ok(None) => None,
            Err(error) => Some((Err(error), None)),
        }
    })
}

impl Reader {
    /// The next page that holds events; none once nobody publishes any more.
    async fn next(&mut self) -> Result<Option<Frames>, ReadError> {
        loop {
            if !std::mem::take(&mut self.first) {
                match self.head.after(self.seen).await {
                    Ok(Some(frames)) => {
                        self.seen = frames.last;
                        return Ok(Some(frames));
                    }
                    Ok(None) => {}
                    // The session was deleted while we slept, or the runtime is gone.
                    Err(_) => return Ok(None),
                }
            }
            let page = self.store.event_text(&self.session, self.seen, PAGE_EVENTS, PAGE_BYTES).await?;
            let Some(page) = page else { return Err(ReadError::Gone) };
            if page.oldest > self.seen + 1 {
                return Err(ReadError::Overtaken);
            }
            if let Some(frames) = self.frames(&page)? {
                // More of the log may be there already: look before sleeping.
                self.first = page.latest > self.seen;
                return Ok(Some(frames));
            }
            if self.head.is_gone() {
                return Ok(None);
            }
        }
    }

    fn frames(&mut self, page: &EventText) -> Result<Option<Frames>, ReadError> {
        let waiting = usize::try_from(page.latest - self.seen).unwrap_or_default();
        let room = page.bytes()? + waiting.min(PAGE_EVENTS as usize) * frame::OVERHEAD;
        let mut bytes = BytesMut::with_capacity(room);
        for event in page.events()? {
            let EventRef { sequence, event_type, body } = event;
            if sequence != self.seen + 1 {
                return Err(ReadError::Overtaken);
            }
            self.seen = sequence;
            frame::put(&mut bytes, &self.session, sequence, event_type, body);
        }
        Ok((!bytes.is_empty()).then(|| Frames { bytes: bytes.freeze(), last: self.seen }))
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
