//! Readers follow the log: replay and live are one loop, so there is no seam
//! between them to lose an event in. A slow reader lags and never skips.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::Stream;
use openscience_protocol::row::StoredEvent;
use openscience_protocol::{RuntimeEvent, Sequence, SessionId};
use openscience_store::Store;
use tokio::sync::watch;

use crate::{Frames, ReadError};

/// Events read at once; with the byte bound, what one reader holds.
const PAGE_EVENTS: u32 = 512;
const PAGE_BYTES: usize = 256 << 10;

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
    head: watch::Receiver<Sequence>,
    seen: Sequence,
    /// Nothing was read yet: the head may be behind the log.
    first: bool,
    _open: Subscription,
}

/// Every event after `seen`, then each new one, until the session is gone.
pub(crate) fn follow(
    store: Store,
    session: SessionId,
    head: watch::Receiver<Sequence>,
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
                let seen = self.seen;
                if self.head.wait_for(|newest| *newest > seen).await.is_err() {
                    // The session was deleted while we slept, or the runtime is gone.
                    return Ok(None);
                }
            }
            let page = self.store.events_after(&self.session, self.seen, PAGE_EVENTS, PAGE_BYTES).await?;
            let Some(page) = page else { return Err(ReadError::Gone) };
            if page.oldest > self.seen + 1 {
                return Err(ReadError::Overtaken);
            }
            if let Some(frames) = self.frames(&page.events)? {
                // More of the log may be there already: look before sleeping.
                self.first = page.latest > self.seen;
                return Ok(Some(frames));
            }
        }
    }

    fn frames(&mut self, events: &[StoredEvent]) -> Result<Option<Frames>, ReadError> {
        let size: usize = events.iter().map(|event| event.body.len() + 160).sum();
        let mut bytes = BytesMut::with_capacity(size);
        for event in events {
            if event.sequence != self.seen + 1 {
                return Err(ReadError::Overtaken);
            }
            self.seen = event.sequence;
            frame(&mut bytes, &self.session, event);
        }
        Ok((!events.is_empty()).then(|| Frames { bytes: bytes.freeze(), last: self.seen }))
    }
}

/// One event as an SSE frame.
fn frame(out: &mut BytesMut, session: &SessionId, event: &StoredEvent) {
    let sequence = event.sequence.to_string();
    for piece in ["id: ", &sequence, "\nevent: ", &event.event_type, "\ndata: "] {
        out.put_slice(piece.as_bytes());
    }
    data(out, session, event);
    out.put_slice(b"\n\n");
}

/// The event's JSON: its stored body with the number and the session in front.
fn data(out: &mut BytesMut, session: &SessionId, event: &StoredEvent) {
    let sequence = event.sequence.to_string();
    let rest = event.body.strip_prefix('{').unwrap_or(&event.body);
    for piece in ["{\"sequence\":", &sequence, ",\"sessionID\":\"", session.as_str(), "\",", rest] {
        out.put_slice(piece.as_bytes());
    }
}

/// The event as a value, for the replay answer.
pub(crate) fn event(session: &SessionId, event: &StoredEvent) -> Option<RuntimeEvent> {
    let mut out = BytesMut::with_capacity(event.body.len() + 80);
    data(&mut out, session, event);
    let bytes: Bytes = out.freeze();
    serde_json::from_slice(&bytes).ok()
}
