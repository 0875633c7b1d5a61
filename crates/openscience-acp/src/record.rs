//! The newest things that happened on a connection, for people who look at it.
//!
//! Exactly the last 500, each of at most about 4 KiB, so a connection keeps
//! less than 2 MiB of them. Nothing is decided on them.

use std::collections::VecDeque;

use agent_client_protocol_schema::v1::{ContentBlock, SessionUpdate};
use openscience_core::authority::Request;
use openscience_core::input::{AgentUpdate, PermissionAsk, TurnEnd};
use openscience_protocol::EventKind;
use openscience_protocol::agent::EventLevel;
use serde::Serialize;
use serde_json::Value;
use tokio::time::Instant;

/// Records kept of a connection.
const RECORDS: usize = 500;

/// Longest text of a record; the rest is left out.
const TEXT_BYTES: usize = 1 << 10;

/// Longest frame part that is kept as it came; a longer one is left out.
const RAW_BYTES: usize = 1 << 10;

/// Longest title, id or word.
const WORD_BYTES: usize = 256;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// 1 for the first of the connection, then always one more.
    pub number: u64,
    pub at: Instant,
    /// The agent's id of the session it belongs to.
    pub session: Option<String>,
    pub note: Note,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    pub kind: EventKind,
    pub level: EventLevel,
    pub title: Option<String>,
    pub text: Option<String>,
    /// `user` or `assistant`.
    pub role: Option<&'static str>,
    pub message: Option<String>,
    pub tool_call: Option<String>,
    pub tool_kind: Option<String>,
    pub status: Option<String>,
    pub stop_reason: Option<String>,
    /// JSON text as the agent wrote it.
    pub raw: Option<Box<str>>,
    /// Something was too long and is cut or left out.
    pub truncated: bool,
}

/// The newest records.
#[derive(Debug, Default)]
pub(crate) struct Records {
    last: u64,
    kept: VecDeque<Record>,
}

impl Records {
    pub(crate) fn push(&mut self, session: Option<&str>, note: Note, at: Instant) {
        if self.kept.len() >= RECORDS {
            self.kept.pop_front();
        }
        self.last += 1;
        self.kept.push_back(Record { number: self.last, at, session: session.map(str::to_owned), note });
    }

    /// All that are kept, oldest first.
    pub(crate) fn all(&self) -> Vec<Record> {
        self.kept.iter().cloned().collect()
    }
}

impl Note {
    fn new(kind: EventKind) -> Self {
        Self {
            kind,
            level: EventLevel::Info,
            title: None,
            text: None,
            role: None,
            message: None,
            tool_call: None,
            tool_kind: None,
            status: None,
            stop_reason: None,
            raw: None,
            truncated: false,
        }
    }

    /// Something the runtime or the process did.
    pub(crate) fn system(title: &str, text: &str) -> Self {
        let mut note = Self::new(EventKind::System).titled(title);
        if !text.is_empty() {
            note.say(text);
        }
        note
    }

    pub(crate) fn warning(self) -> Self {
        Self { level: EventLevel::Warning, ..self }
    }

    fn titled(self, title: &str) -> Self {
        Self { title: Some(word(title)), ..self }
    }

    fn say(&mut self, text: &str) {
        let end = text.floor_char_boundary(TEXT_BYTES);
        self.truncated |= end < text.len();
        self.text = Some(text.get(..end).unwrap_or_default().to_owned());
    }

    fn carrying(mut self, raw: Option<&str>) -> Self {
        let fits = raw.filter(|raw| raw.len() <= RAW_BYTES);
        self.truncated |= raw.is_some() && fits.is_none();
        self.raw = fits.map(Into::into);
        self
    }

    /// A prompt that was handed to the agent.
    pub(crate) fn prompt(blocks: &[ContentBlock]) -> Self {
        let mut note = Self { role: Some("user"), ..Self::new(EventKind::Message) };
        let text = blocks.iter().find_map(|block| match block {
            ContentBlock::Text(text) => Some(text.text.as_str()),
            _ => None,
        });
        note.say(text.unwrap_or_default());
        note.truncated |= blocks.len() > 1;
        note
    }

    /// News of the agent; none if it says nothing.
    pub(crate) fn update(update: &AgentUpdate, raw: Option<&str>) -> Option<Self> {
        Some(match update {
            AgentUpdate::Text(chunk) if chunk.text.is_empty() => return None,
            AgentUpdate::Text(chunk) => {
                let kind = if chunk.thought { EventKind::Thought } else { EventKind::Message };
                let message = chunk.message.as_deref().map(word);
                let mut note = Self { role: Some("assistant"), message, ..Self::new(kind) };
                note.say(&chunk.text);
                note
            }
            AgentUpdate::Known(update) => Self::known(update).carrying(raw),
            AgentUpdate::Unknown { kind, raw: None } => Self {
                truncated: true,
                ..Self::new(EventKind::Raw).titled(kind.as_deref().unwrap_or("unknown"))
            },
            AgentUpdate::Unknown { kind, raw: Some(_) } => {
                Self::new(EventKind::Raw).titled(kind.as_deref().unwrap_or("unknown")).carrying(raw)
            }
            AgentUpdate::Stderr(line) => Self::system("agent", line).warning(),
        })
    }

    fn known(update: &SessionUpdate) -> Self {
        match update {
            SessionUpdate::ToolCall(call) => Self {
                tool_call: Some(word(&call.tool_call_id.0)),
                tool_kind: spelled(&call.kind),
                status: spelled(&call.status),
                ..Self::new(EventKind::Tool).titled(&call.title)
            },
            SessionUpdate::ToolCallUpdate(update) => Self {
                tool_call: Some(word(&update.tool_call_id.0)),
                tool_kind: update.fields.kind.as_ref().and_then(spelled),
                status: update.fields.status.as_ref().and_then(spelled),
                title: update.fields.title.as_deref().map(word),
                ..Self::new(EventKind::Tool)
            },
            SessionUpdate::UserMessageChunk(_) => {
                Self { role: Some("user"), ..Self::new(EventKind::Message) }
            }
            SessionUpdate::AgentMessageChunk(_) => {
                Self { role: Some("assistant"), ..Self::new(EventKind::Message) }
            }
            SessionUpdate::AgentThoughtChunk(_) => {
                Self { role: Some("assistant"), ..Self::new(EventKind::Thought) }
            }
            SessionUpdate::Plan(_) | SessionUpdate::PlanUpdate(_) | SessionUpdate::PlanRemoved(_) => {
                Self::new(EventKind::Plan).titled("Plan update")
            }
            _ => Self::new(EventKind::System).titled("Session update"),
        }
    }

    /// A permission the agent asks for.
    pub(crate) fn permission(ask: &PermissionAsk, raw: Option<&str>) -> Self {
        let mut note = Self {
            level: EventLevel::Warning,
            tool_call: Some(word(&ask.tool.tool_call_id.0)),
            ..Self::new(EventKind::Permission).titled("Permission requested")
        };
        note.say(ask.tool.fields.title.as_deref().unwrap_or_default());
        note.carrying(raw)
    }

    /// Questions the agent asks.
    pub(crate) fn question(message: &str, raw: Option<&str>) -> Self {
        let mut note =
            Self { level: EventLevel::Warning, ..Self::new(EventKind::Permission).titled("Question asked") };
        note.say(message);
        note.carrying(raw)
    }

    /// What became of a request of the agent.
    pub(crate) fn ask_over(title: &str, text: &str) -> Self {
        let mut note = Self::new(EventKind::Permission).titled(title);
        note.say(text);
        note
    }

    /// Something the agent asks us to do.
    pub(crate) fn client_request(request: &Request) -> Self {
        let (title, text) = match request {
            Request::Read { path, .. } => ("File read requested", path.clone()),
            Request::Write { path, .. } => ("File write requested", path.clone()),
            Request::Run(run) => ("Terminal requested", run.line()),
        };
        let mut note = Self::new(EventKind::Tool).titled(title);
        note.say(&text);
        note
    }

    /// What became of such a request.
    pub(crate) fn client_response(text: &str) -> Self {
        let mut note = Self::new(EventKind::Tool).titled("Request answered");
        note.say(text);
        note
    }

    /// The end of a turn.
    pub(crate) fn end(end: &TurnEnd) -> Self {
        match end {
            TurnEnd::Answered { stop_reason, .. } => Self {
                stop_reason: Some(word(stop_reason)),
                ..Self::new(EventKind::Stop).titled("Prompt stopped")
            },
            TurnEnd::Failed(error) => {
                let mut note = Self {
                    level: EventLevel::Error,
                    status: Some(word(&error.code)),
                    ..Self::new(EventKind::Error).titled("Prompt failed")
                };
                note.say(&error.message);
                note
            }
        }
    }
}

/// A word, an id or a title, cut.
fn word(text: &str) -> String {
    text.get(..text.floor_char_boundary(WORD_BYTES)).unwrap_or_default().to_owned()
}

/// The word a value has on the wire.
fn spelled(value: &impl Serialize) -> Option<String> {
    match serde_json::to_value(value) {
        Ok(Value::String(text)) => Some(word(&text)),
        Ok(_) | Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openscience_core::input::TextChunk;
    use serde_json::json;

    fn text(text: &str) -> AgentUpdate {
        AgentUpdate::Text(TextChunk { thought: false, message: None, text: text.to_owned() })
    }

    fn known(update: &Value) -> AgentUpdate {
        AgentUpdate::Known(Box::new(serde_json::from_value(update.clone()).unwrap()))
    }

    #[test]
    fn exactly_the_last_ones_are_kept_in_order() {
        let mut records = Records::default();
        let now = Instant::now();
        for n in 0..1_234 {
            records.push(Some("s"), Note::update(&text(&n.to_string()), None).unwrap(), now);
        }
        let kept = records.all();
        let numbers: Vec<u64> = kept.iter().map(|record| record.number).collect();
        assert_eq!(numbers, (735..=1_234).collect::<Vec<u64>>());
        let texts: Vec<String> = kept.iter().filter_map(|record| record.note.text.clone()).collect();
        assert_eq!(texts, (734..1_234).map(|n: u32| n.to_string()).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_long_is_cut_and_says_so() {
        let note = Note::update(&text(&"é".repeat(10_000)), None).unwrap();
        assert!(note.truncated && note.text.unwrap().len() <= TEXT_BYTES);
        let update = json!({"sessionUpdate": "tool_call", "toolCallId": "c".repeat(1_000), "title": "t".repeat(1_000),
            "rawInput": {"text": "x".repeat(5_000)}});
        let note = Note::update(&known(&update), Some(&update.to_string())).unwrap();
        assert!(note.truncated && note.raw.is_none());
        assert_eq!(note.tool_call.unwrap().len() + note.title.unwrap().len(), 2 * WORD_BYTES);
        let small = json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "kind": "execute"});
        let note = Note::update(&known(&small), Some(&small.to_string())).unwrap();
        assert_eq!(note.raw.as_deref(), Some(small.to_string().as_str()));
        assert_eq!((note.tool_kind.as_deref(), note.status.as_deref()), (Some("execute"), Some("pending")));
    }

    #[test]
    fn every_update_has_its_kind_and_an_empty_text_is_none() {
        let check = |update: AgentUpdate, kind: EventKind| {
            assert_eq!(Note::update(&update, Some("{}")).unwrap().kind, kind, "{update:?}");
        };
        check(text("a"), EventKind::Message);
        check(
            AgentUpdate::Text(TextChunk { thought: true, message: None, text: "a".to_owned() }),
            EventKind::Thought,
        );
        check(known(&json!({"sessionUpdate": "plan", "entries": []})), EventKind::Plan);
        check(known(&json!({"sessionUpdate": "usage_update", "used": 1, "size": 2})), EventKind::System);
        check(AgentUpdate::Unknown { kind: None, raw: None }, EventKind::Raw);
        check(AgentUpdate::Stderr("x".to_owned()), EventKind::System);
        assert_eq!(Note::update(&text(""), None), None);
    }
}
