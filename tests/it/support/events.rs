//! Is every frame of an event stream well formed, in order, and do the events tell the transcript?

use std::collections::BTreeMap;
use std::time::Duration;

use reqwest::RequestBuilder;
use serde::Deserialize;
use serde_json::Value;

use super::wait::PATIENCE;

const KINDS: [&str; 10] =
    ["system", "message", "thought", "tool", "plan", "permission", "artifact", "error", "stop", "raw"];

/// One event, exactly as on the wire.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct Event {
    pub(crate) sequence: u64,
    #[serde(rename = "sessionID")]
    pub(crate) session_id: String,
    #[serde(rename = "runID")]
    pub(crate) run_id: String,
    #[serde(rename = "type")]
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) properties: Value,
    pub(crate) time: i64,
}

impl Event {
    #[track_caller]
    pub(crate) fn parse(value: &Value, session: &str) -> Self {
        let event: Self =
            serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"));
        assert!(event.sequence >= 1 && event.time > 0, "{value}");
        assert!(event.properties.is_object() && event.run_id.starts_with("run_"), "{value}");
        assert!(KINDS.contains(&event.kind.as_str()), "{value}");
        assert_eq!(event.session_id, session, "{value}");
        event
    }

    pub(crate) fn is(&self, name: &str) -> bool {
        self.name == name
    }

    pub(crate) fn is_terminal(&self) -> bool {
        ["runtime.completed", "runtime.failed", "runtime.cancelled"].contains(&self.name.as_str())
    }
}

/// An event stream read strictly: a frame that breaks a rule of the wire panics.
#[derive(Debug)]
pub(crate) struct Sse {
    response: reqwest::Response,
    session: String,
    buffer: Vec<u8>,
    /// Sequence of the last event, or the cursor.
    pub(crate) seen: Option<u64>,
    /// Comments so far.
    pub(crate) comments: usize,
}

impl Sse {
    /// Subscribes; the headers must come at once, whether there are events or not.
    pub(crate) async fn open(request: RequestBuilder, session: &str, after: Option<u64>) -> Self {
        let sending = tokio::time::timeout(Duration::from_secs(10), request.send());
        let response = sending.await.expect("headers at once").expect("a response");
        assert_eq!(response.status().as_u16(), 200, "{:?}", response.text().await);
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok());
        assert_eq!(header("content-type"), Some("text/event-stream"));
        assert_eq!(header("cache-control"), Some("no-cache"));
        Self { session: session.to_owned(), buffer: Vec::new(), seen: after, comments: 0, response }
    }

    /// The next event; none if the daemon ended the stream between two frames.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        let waiting = tokio::time::timeout(PATIENCE, async {
            loop {
                match self.frame().await? {
                    Some(event) => return Some(event),
                    None => self.comments += 1,
                }
            }
        });
        waiting.await.expect("an event in time")
    }

    /// Waits for one more comment, dropping events.
    pub(crate) async fn comment(&mut self) {
        let waiting = async { while self.frame().await.expect("an open stream").is_some() {} };
        tokio::time::timeout(PATIENCE, waiting).await.expect("a comment in time");
        self.comments += 1;
    }

    /// Events up to and with the first that `last` accepts.
    pub(crate) async fn until(&mut self, mut last: impl FnMut(&Event) -> bool) -> Vec<Event> {
        let mut events = Vec::new();
        loop {
            let event = self.next().await.unwrap_or_else(|| panic!("the stream ended after {events:?}"));
            let stop = last(&event);
            events.push(event);
            if stop {
                return events;
            }
        }
    }

    /// Events up to and with the terminal event of a run.
    pub(crate) async fn until_end(&mut self, run: &str) -> Vec<Event> {
        self.until(|event| event.is_terminal() && event.run_id == run).await
    }

    /// `Some(None)` is a comment.
    async fn frame(&mut self) -> Option<Option<Event>> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let frame: Vec<u8> = self.buffer.drain(..end + 2).take(end).collect();
                let frame = String::from_utf8(frame).expect("frames are UTF-8");
                return Some(self.read(&frame));
            }
            match self.response.chunk().await {
                Ok(Some(bytes)) => self.buffer.extend_from_slice(&bytes),
                Ok(None) => {
                    assert!(self.buffer.is_empty(), "a clean end inside a frame");
                    return None;
                }
                Err(_broken_connection) => return None,
            }
        }
    }

    fn read(&mut self, frame: &str) -> Option<Event> {
        if frame.starts_with(':') {
            assert!(!frame.contains('\n'), "a comment stands alone: {frame:?}");
            return None;
        }
        let mut fields = BTreeMap::new();
        for line in frame.split('\n') {
            let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("not a field: {line:?}"));
            assert_eq!(fields.insert(name, value), None, "{name} twice: {frame:?}");
        }
        assert_eq!(fields.keys().copied().collect::<Vec<_>>(), ["data", "event", "id"], "{frame:?}");
        let value: Value = serde_json::from_str(fields["data"]).expect("JSON data");
        let event = Event::parse(&value, &self.session);
        assert_eq!(fields["id"], event.sequence.to_string(), "{frame:?}");
        assert_eq!(fields["event"], event.name, "{frame:?}");
        if let Some(seen) = self.seen {
            assert_eq!(event.sequence, seen + 1, "a gap or a repeat");
        }
        self.seen = Some(event.sequence);
        Some(event)
    }
}

/// Messages as a client builds them from events alone.
#[derive(Debug, Default)]
pub(crate) struct Transcript {
    infos: Vec<Value>,
    parts: Vec<Value>,
    /// UTF-16 units of texts that have grown: counting a long one anew for each event takes seconds.
    lengths: BTreeMap<String, u64>,
}

impl Transcript {
    pub(crate) fn of(events: &[Event]) -> Self {
        let mut transcript = Self::default();
        for event in events {
            match event.name.as_str() {
                "message.updated" => upsert(&mut transcript.infos, &event.properties["info"]),
                "message.part.updated" => transcript.part(event),
                _ => {}
            }
        }
        transcript
    }

    fn part(&mut self, event: &Event) {
        let part = &event.properties["part"];
        let id = part["id"].as_str().expect("a part id").to_owned();
        let Some(length) = part["textLength"].as_u64() else {
            assert!(event.properties.get("delta").is_none(), "a whole part has no delta: {event:?}");
            self.lengths.remove(&id);
            return upsert(&mut self.parts, part);
        };
        let known = self.parts.iter_mut().find(|known| known["id"] == part["id"]);
        let known = known.unwrap_or_else(|| panic!("growth of a part never opened: {event:?}"));
        let mut text = known["text"].as_str().expect("a text").to_owned();
        let told = self.lengths.entry(id).or_insert_with(|| units(&text));
        if let Some(delta) = event.properties["delta"].as_str() {
            assert!(!delta.is_empty(), "{event:?}");
            assert_eq!(event.properties["offset"].as_u64(), Some(*told), "{event:?}");
            text.push_str(delta);
            *told += units(delta);
        }
        assert_eq!(*told, length, "{event:?}");
        let mut grown = part.clone();
        let fields = grown.as_object_mut().expect("an object");
        fields.remove("textLength");
        fields.insert("text".to_owned(), text.into());
        *known = grown;
    }

    /// Panics unless these messages say the same.
    #[track_caller]
    pub(crate) fn assert_is(&self, messages: &[Value]) {
        let told: Vec<Value> = self
            .infos
            .iter()
            .map(|info| {
                let mine = self.parts.iter().filter(|part| part["messageID"] == info["id"]);
                serde_json::json!({"info": info, "parts": mine.collect::<Vec<_>>()})
            })
            .collect();
        for (told, stored) in told.iter().zip(messages) {
            assert_eq!(told["info"], stored["info"], "message infos differ");
            let of = |message: &Value| message["parts"].as_array().expect("parts").clone();
            for (told, stored) in of(told).iter().zip(&of(stored)) {
                assert_eq!(told, stored, "parts differ");
            }
            assert_eq!(of(told).len(), of(stored).len(), "numbers of parts differ");
        }
        assert_eq!(told.len(), messages.len(), "numbers of messages differ");
    }

    /// The joined text parts of a message.
    pub(crate) fn text_of(message: &Value) -> String {
        let parts = message["parts"].as_array().expect("parts");
        parts.iter().filter(|part| part["type"] == "text").filter_map(|part| part["text"].as_str()).collect()
    }
}

fn upsert(list: &mut Vec<Value>, value: &Value) {
    match list.iter_mut().find(|known| known["id"] == value["id"]) {
        Some(known) => *known = value.clone(),
        None => list.push(value.clone()),
    }
}

fn units(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}
