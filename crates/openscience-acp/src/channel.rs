//! What one session is told, on its way to who listens: in order, and bounded
//! by number and by bytes.
//!
//! A full channel makes the reader wait, and with it the agent. What an event
//! weighs is estimated, not measured.

use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    ContentBlock, EmbeddedResourceResource, SessionUpdate, ToolCallContent,
};
use openscience_core::authority::Request;
use openscience_core::input::{AgentUpdate, Asking};
use openscience_protocol::SessionId;
use serde_json::Value;
use tokio::sync::mpsc::error::{TryRecvError, TrySendError};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use crate::connection::SessionEvent;

/// Bytes of one session that wait for who listens. One event that is larger goes alone.
pub const SESSION_BYTES: usize = 4 << 20;

/// A channel for the events of a session: at most `count`, and [`SESSION_BYTES`].
pub fn events(count: usize) -> (EventSink, EventStream) {
    events_within(count, SESSION_BYTES)
}

/// A channel for at most `count` events of about `bytes` together.
pub fn events_within(count: usize, bytes: usize) -> (EventSink, EventStream) {
    let (sender, receiver) = mpsc::channel(count);
    let most = u32::try_from(bytes).unwrap_or(u32::MAX).max(1);
    let room = Arc::new(Semaphore::new(usize::try_from(most).unwrap_or(Semaphore::MAX_PERMITS)));
    (EventSink { sender, room, most, of: None }, EventStream(receiver))
}

/// Where the events of a session go.
#[derive(Debug, Clone)]
pub struct EventSink {
    sender: mpsc::Sender<Weighed>,
    /// A permit for each byte that may still wait.
    room: Arc<Semaphore>,
    most: u32,
    /// Whose events they are, for people who look at the connection.
    of: Option<SessionId>,
}

/// The events of a session.
#[derive(Debug)]
pub struct EventStream(mpsc::Receiver<Weighed>);

/// An event and the room it takes until somebody has it.
#[derive(Debug)]
struct Weighed {
    event: SessionEvent,
    _room: OwnedSemaphorePermit,
}

/// Why an event was not taken.
#[derive(Debug)]
pub(crate) enum Unsent {
    /// It must wait.
    Full(SessionEvent),
    /// Nobody listens.
    Closed,
}

/// Room for one event.
#[derive(Debug)]
pub(crate) struct Room<'a> {
    place: mpsc::Permit<'a, Weighed>,
    bytes: OwnedSemaphorePermit,
}

impl Room<'_> {
    pub(crate) fn send(self, event: SessionEvent) {
        self.place.send(Weighed { event, _room: self.bytes });
    }
}

impl EventSink {
    /// Names the session whose events these are.
    #[must_use]
    pub fn of(self, session: SessionId) -> Self {
        Self { of: Some(session), ..self }
    }

    pub(crate) fn session(&self) -> Option<&SessionId> {
        self.of.as_ref()
    }

    pub(crate) fn try_send(&self, event: SessionEvent) -> Result<(), Unsent> {
        let Ok(room) = Arc::clone(&self.room).try_acquire_many_owned(self.weight(&event)) else {
            return Err(Unsent::Full(event));
        };
        match self.sender.try_send(Weighed { event, _room: room }) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(back)) => Err(Unsent::Full(back.event)),
            Err(TrySendError::Closed(_)) => Err(Unsent::Closed),
        }
    }

    /// Waits for room for that event; none if nobody listens any more.
    pub(crate) async fn reserve(&self, event: &SessionEvent) -> Option<Room<'_>> {
        // Who stops listening drops what waits, and with it frees the room.
        let bytes = Arc::clone(&self.room).acquire_many_owned(self.weight(event)).await.ok()?;
        let place = self.sender.reserve().await.ok()?;
        Some(Room { place, bytes })
    }

    /// True if nobody listens any more.
    pub(crate) fn is_closed(&self) -> bool {
        self.sender.is_closed()
    }

    pub(crate) fn same_channel(&self, other: &Self) -> bool {
        self.sender.same_channel(&other.sender)
    }

    fn weight(&self, event: &SessionEvent) -> u32 {
        u32::try_from(event.weight()).unwrap_or(u32::MAX).min(self.most)
    }
}

impl EventStream {
    /// The next event; none once nobody can tell of the session any more.
    pub async fn recv(&mut self) -> Option<SessionEvent> {
        self.0.recv().await.map(|weighed| weighed.event)
    }

    /// The next event, if one waits.
    pub fn try_recv(&mut self) -> Result<SessionEvent, TryRecvError> {
        self.0.try_recv().map(|weighed| weighed.event)
    }
}

impl SessionEvent {
    /// About how many bytes it holds in memory.
    pub fn weight(&self) -> usize {
        match self {
            Self::Update(AgentUpdate::Text(chunk)) => SMALL + chunk.text.len(),
            Self::Update(AgentUpdate::Known(update)) => SMALL + update_weight(update),
            Self::Update(AgentUpdate::Unknown { raw, .. }) => SMALL + json_weight(raw.as_ref()),
            Self::Update(AgentUpdate::Stderr(line)) => SMALL + line.len(),
            Self::Permission(ask) => {
                let fields = &ask.tool.fields;
                SMALL
                    + json_weight(fields.raw_input.as_ref())
                    + fields.content.iter().flatten().map(content_weight).sum::<usize>()
                    + json_weight(Some(&ask.raw_options))
            }
            Self::Question(ask) => match &ask.asking {
                Asking::Form(form) => SMALL + form.message.len() + json_weight(Some(&form.schema)),
                // None come from agents.
                Asking::Questions(_) => SELDOM,
            },
            Self::Request { request, .. } => SMALL + request_weight(request),
            Self::Terminal(seen) => SMALL + seen.command.len() + seen.output.len(),
            Self::Prompted { .. } | Self::Withdrawn { .. } | Self::TurnEnded { .. } | Self::Exited(_) => {
                SMALL
            }
        }
    }
}

/// What an event takes that holds nothing of any length.
const SMALL: usize = 256;

/// What an update takes that is small and seldom.
const SELDOM: usize = 4 << 10;

fn update_weight(update: &SessionUpdate) -> usize {
    match update {
        SessionUpdate::ToolCall(call) => {
            json_weight(call.raw_input.as_ref())
                + json_weight(call.raw_output.as_ref())
                + call.content.iter().map(content_weight).sum::<usize>()
        }
        SessionUpdate::ToolCallUpdate(update) => {
            json_weight(update.fields.raw_input.as_ref())
                + json_weight(update.fields.raw_output.as_ref())
                + update.fields.content.iter().flatten().map(content_weight).sum::<usize>()
        }
        SessionUpdate::AgentMessageChunk(chunk)
        | SessionUpdate::AgentThoughtChunk(chunk)
        | SessionUpdate::UserMessageChunk(chunk) => block_weight(&chunk.content),
        // Plans, commands and the like.
        _ => SELDOM,
    }
}

fn request_weight(request: &Request) -> usize {
    match request {
        Request::Read { path, .. } => path.len(),
        Request::Write { path, content } => path.len() + content.len(),
        Request::Run(run) => {
            run.line().len() + run.env.iter().map(|(name, value)| name.len() + value.len()).sum::<usize>()
        }
    }
}

fn content_weight(content: &ToolCallContent) -> usize {
    match content {
        ToolCallContent::Content(content) => block_weight(&content.content),
        ToolCallContent::Diff(diff) => diff.new_text.len() + diff.old_text.as_ref().map_or(0, String::len),
        _ => SMALL,
    }
}

fn block_weight(block: &ContentBlock) -> usize {
    match block {
        ContentBlock::Text(text) => text.text.len(),
        ContentBlock::Image(image) => image.data.len(),
        ContentBlock::Audio(audio) => audio.data.len(),
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => text.text.len(),
            EmbeddedResourceResource::BlobResourceContents(blob) => blob.blob.len(),
            _ => SELDOM,
        },
        _ => SELDOM,
    }
}

fn json_weight(value: Option<&Value>) -> usize {
    match value {
        None | Some(Value::Null | Value::Bool(_) | Value::Number(_)) => 32,
        Some(Value::String(text)) => 32 + text.len(),
        Some(Value::Array(items)) => items.iter().map(|item| json_weight(Some(item))).sum::<usize>() + 32,
        Some(Value::Object(map)) => {
            map.iter().map(|(key, item)| key.len() + json_weight(Some(item))).sum::<usize>() + 64
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openscience_core::input::TextChunk;

    fn text(length: usize) -> SessionEvent {
        let text = "x".repeat(length);
        SessionEvent::Update(AgentUpdate::Text(TextChunk { thought: false, message: None, text }))
    }

    /// Sends until one must wait; the bytes that were taken.
    fn fill(sink: &EventSink, length: usize) -> usize {
        let mut taken = 0;
        loop {
            let event = text(length);
            let weight = event.weight();
            match sink.try_send(event) {
                Ok(()) => taken += weight,
                Err(Unsent::Full(_)) => return taken,
                Err(Unsent::Closed) => panic!("somebody listens"),
            }
        }
    }

    /// True if it is not done at once.
    async fn waits(work: &mut (impl Future + Unpin)) -> bool {
        tokio::select! {
            biased;
            _ = work => false,
            () = std::future::ready(()) => true,
        }
    }

    #[test]
    fn what_waits_is_bounded_by_bytes_and_by_number() {
        let (sink, _stream) = events_within(1_000, 64 << 10);
        let taken = fill(&sink, 10 << 10);
        assert!(taken <= 64 << 10 && taken > 50 << 10, "{taken}");
        let (sink, _stream) = events_within(3, 64 << 10);
        assert_eq!(fill(&sink, 0), 3 * SMALL);
    }

    #[test]
    fn what_is_read_makes_room() {
        let (sink, mut stream) = events_within(1_000, 64 << 10);
        let first = fill(&sink, 10 << 10);
        while stream.try_recv().is_ok() {}
        assert_eq!(fill(&sink, 10 << 10), first);
    }

    #[tokio::test]
    async fn an_event_larger_than_the_bound_goes_alone() {
        let (sink, mut stream) = events_within(1_000, 64 << 10);
        assert!(sink.try_send(text(1 << 20)).is_ok());
        assert!(matches!(sink.try_send(text(0)), Err(Unsent::Full(_))));
        assert_eq!(stream.recv().await, Some(text(1 << 20)));
        assert!(sink.try_send(text(0)).is_ok());
        // Now something waits, and the large one waits for it.
        let large = text(1 << 20);
        let mut room = Box::pin(sink.reserve(&large));
        assert!(waits(&mut room).await);
        assert_eq!(stream.recv().await, Some(text(0)));
        room.await.unwrap().send(large);
        assert_eq!(stream.recv().await, Some(text(1 << 20)));
    }

    #[tokio::test]
    async fn who_waits_for_room_learns_that_nobody_listens_any_more() {
        let (sink, stream) = events_within(1_000, 1_000);
        assert!(sink.try_send(text(1_000)).is_ok());
        let event = text(1);
        let mut room = Box::pin(sink.reserve(&event));
        assert!(waits(&mut room).await);
        drop(stream);
        assert!(room.await.is_none());
        assert!(matches!(sink.try_send(text(1)), Err(Unsent::Closed)));
    }
}
