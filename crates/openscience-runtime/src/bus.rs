//! What happens now, told to whoever listens: of one project or of all.
//!
//! No cursor and no memory: what was told before a listener came is in the journal and the rows. One
//! broadcast for all listeners, so a publication nobody hears costs one look. Tells what this
//! process commits, not what others on the same data do.

use bytes::{BufMut as _, Bytes, BytesMut};
use futures_util::Stream;
use openscience_core::change;
use openscience_core::session::Aside;
use openscience_protocol::row::{NewEvent, SessionRow};
use openscience_protocol::{EventBody, ProjectId};
use serde::Deserialize;
use serde_json::value::RawValue;
use tokio::sync::broadcast::{self, error::RecvError};

use crate::Runtime;
use crate::error::ListenError;
use crate::reader::Subscription;
use crate::request::Selected;

/// Facts a listener may be behind before its stream is closed.
const FACTS_WAITING: usize = 2_000;

/// One fact, written once for all who hear it.
#[derive(Debug, Clone)]
struct Fact {
    project: ProjectId,
    /// The project's directory as a JSON string.
    directory: Bytes,
    /// `{"type":…,"properties":…}`
    payload: Bytes,
}

/// Where facts are told.
#[derive(Debug)]
pub(crate) struct Bus {
    facts: broadcast::Sender<Fact>,
    event_bytes_max: usize,
}

impl Bus {
    pub(crate) fn new(event_bytes_max: usize) -> Self {
        Self { facts: broadcast::Sender::new(FACTS_WAITING), event_bytes_max }
    }

    /// True if somebody listens.
    pub(crate) fn is_heard(&self) -> bool {
        self.facts.receiver_count() > 0
    }

    /// Tells what a commit came to, in order: journaled events and what is told beside them.
    pub(crate) fn publish(&self, row: &SessionRow, events: &[NewEvent], asides: &[Aside]) {
        if !self.is_heard() {
            return;
        }
        let mut asides = asides.iter().peekable();
        for (index, event) in events.iter().enumerate() {
            while let Some(aside) = asides.next_if(|aside| aside.after <= index) {
                self.tell(row, &aside.body);
            }
            if let Some(properties) = properties(&event.body) {
                self.send(row, event.event_type, properties);
            } else {
                tracing::error!(event_type = event.event_type, "an event of our own cannot be read");
            }
        }
        for aside in asides {
            self.tell(row, &aside.body);
        }
    }

    /// Tells one fact that is not journaled.
    pub(crate) fn tell(&self, row: &SessionRow, body: &EventBody) {
        if self.is_heard() {
            self.send(row, body.event_type(), &change::properties(body, self.event_bytes_max));
        }
    }

    fn send(&self, row: &SessionRow, event_type: &str, properties: &str) {
        let mut payload = BytesMut::with_capacity(properties.len() + event_type.len() + 32);
        for piece in ["{\"type\":\"", event_type, "\",\"properties\":", properties, "}"] {
            payload.put_slice(piece.as_bytes());
        }
        let fact = Fact {
            project: row.project_id.clone(),
            directory: serde_json::to_vec(&row.directory).unwrap_or_default().into(),
            payload: payload.freeze(),
        };
        // The last listener may have left meanwhile.
        drop(self.facts.send(fact));
    }
}

/// The properties of a stored event, as they stand there.
fn properties(body: &str) -> Option<&str> {
    #[derive(Deserialize)]
    struct Stored<'a> {
        #[serde(borrow)]
        properties: &'a RawValue,
    }
    serde_json::from_str::<Stored<'_>>(body).ok().map(|stored| stored.properties.get())
}

impl Fact {
    /// The fact as a frame for listeners of its project.
    fn frame(&self) -> Bytes {
        joined(&[b"data: ", &self.payload, b"\n\n"])
    }

    /// The fact as a frame for listeners of all projects.
    fn global_frame(&self) -> Bytes {
        joined(&[b"data: {\"directory\":", &self.directory, b",\"payload\":", &self.payload, b"}\n\n"])
    }
}

fn joined(pieces: &[&[u8]]) -> Bytes {
    let mut out = BytesMut::with_capacity(pieces.iter().map(|piece| piece.len()).sum());
    for piece in pieces {
        out.put_slice(piece);
    }
    out.freeze()
}

/// One listener; counts as a subscriber while it lives.
struct Listener {
    facts: broadcast::Receiver<Fact>,
    /// All projects if none.
    project: Option<ProjectId>,
    _open: Subscription,
}

impl Listener {
    /// The next fact of interest; none once it is too far behind.
    async fn next(&mut self) -> Option<Bytes> {
        loop {
            let fact = match self.facts.recv().await {
                Ok(fact) => fact,
                Err(RecvError::Lagged(missed)) => {
                    tracing::info!(missed, "a listener was too slow; its stream is closed");
                    return None;
                }
                Err(RecvError::Closed) => return None,
            };
            match &self.project {
                None => return Some(fact.global_frame()),
                Some(project) if *project == fact.project => return Some(fact.frame()),
                Some(_) => {}
            }
        }
    }
}

impl Runtime {
    /// Whatever happens from now on in one project, or in all, each fact as one SSE frame. Ends when
    /// the listener falls behind.
    pub fn listen(
        &self,
        project: Option<&Selected>,
    ) -> Result<impl Stream<Item = Bytes> + Send + use<>, ListenError> {
        if self.is_stopping() {
            return Err(ListenError::ShuttingDown);
        }
        let max = self.0.config.limits.max_subscribers;
        let open = Subscription::open(&self.0.subscribers, max).ok_or(ListenError::TooManySubscribers)?;
        let project = project.map(|project| project.id.clone());
        let listener = Listener { facts: self.0.bus.facts.subscribe(), project, _open: open };
        Ok(futures_util::stream::unfold(listener, |mut listener| async move {
            let frame = listener.next().await?;
            Some((frame, listener))
        }))
    }
}

#[cfg(test)]
#[path = "bus_tests.rs"]
mod tests;
