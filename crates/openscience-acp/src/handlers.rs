//! What the agent asks of us: permissions and forms become events; files and terminals are in `requests`, the rest is refused.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use agent_client_protocol_schema::v1::{PermissionOption, ToolCallUpdate, ToolCallUpdateFields};
use openscience_core::input::{Asking, Given, PermissionAsk, QuestionAsk, RequestKey};
use openscience_protocol::row::AskedForm;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::connection::SessionEvent;
use crate::decode::own_id;
use crate::pending::Pending;
use crate::record::Note;
use crate::state::{Ask, Outgoing, Shared, State, Written, answer_line, refusal_line};

/// JSON-RPC codes we answer with.
pub(crate) mod code {
    pub(crate) const PARSE: i32 = -32700;
    pub(crate) const METHOD_NOT_FOUND: i32 = -32601;
    pub(crate) const INVALID_PARAMS: i32 = -32602;
    pub(crate) const CANCELLED: i32 = -32800;
}

#[derive(Deserialize)]
struct PermissionParams<'a> {
    #[serde(rename = "sessionId", borrow)]
    session: Cow<'a, str>,
    #[serde(rename = "toolCall", borrow)]
    tool: &'a RawValue,
    options: Vec<Value>,
}

/// A request of one session that a person may answer.
pub(crate) struct Asked {
    pub(crate) session: String,
    pub(crate) event: SessionEvent,
    pub(crate) note: Note,
    pub(crate) key: RequestKey,
    pub(crate) kind: AskKind,
}

/// Which form the answer to a request has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AskKind {
    Permission,
    Form,
    /// A result or an error: it was asked of us to do something.
    Client,
}

/// Reads a permission request; none if it is malformed.
pub(crate) fn permission(params: Option<&RawValue>) -> Option<Asked> {
    let raw = params?;
    let params: PermissionParams<'_> = serde_json::from_str(raw.get()).ok()?;
    let understood = |option: &Value| PermissionOption::deserialize(option).ok();
    let ask = PermissionAsk {
        key: request_key(),
        tool: tool(params.tool)?,
        options: params.options.iter().filter_map(understood).collect(),
        raw_options: Value::Array(params.options),
        grants: Vec::new(),
        real_paths: false,
        ours: None,
    };
    let note = Note::permission(&ask, Some(raw.get()));
    let (key, event) = (ask.key, SessionEvent::Permission(Box::new(ask)));
    Some(Asked { session: params.session.into_owned(), event, note, key, kind: AskKind::Permission })
}

#[derive(Deserialize)]
struct FormParams<'a> {
    #[serde(borrow)]
    mode: Cow<'a, str>,
    #[serde(rename = "sessionId", borrow, default)]
    session: Option<Cow<'a, str>>,
    /// The request of ours that it is about, if it names no session.
    #[serde(rename = "requestId", borrow, default)]
    request: Option<&'a RawValue>,
    #[serde(rename = "toolCallId", default)]
    call: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(rename = "requestedSchema")]
    schema: Value,
}

/// Reads a form that is to be filled in; none if it is malformed, of another mode, or of no session.
pub(crate) fn form(state: &State, params: Option<&RawValue>) -> Option<Asked> {
    let raw = params?;
    let params: FormParams<'_> = serde_json::from_str(raw.get()).ok()?;
    if params.mode != "form" {
        return None;
    }
    let session = match (params.session, params.request) {
        (Some(session), _) => session.into_owned(),
        (None, Some(request)) => match state.pending.get(&own_id(request)?)? {
            Pending::Prompt { session, .. } => session.clone(),
            Pending::Call(_) | Pending::Open { .. } => return None,
        },
        (None, None) => return None,
    };
    let note = Note::question(&params.message, Some(raw.get()));
    let asking = Asking::Form(AskedForm { message: params.message, schema: params.schema });
    let ask = QuestionAsk { key: request_key(), call: params.call, asking };
    let (key, event) = (ask.key, SessionEvent::Question(Box::new(ask)));
    Some(Asked { session, event, note, key, kind: AskKind::Form })
}

/// The tool call as far as it can be read; its id is enough.
fn tool(raw: &RawValue) -> Option<ToolCallUpdate> {
    #[derive(Deserialize)]
    struct Named {
        #[serde(rename = "toolCallId")]
        id: String,
    }
    serde_json::from_str(raw.get()).ok().or_else(|| {
        let named: Named = serde_json::from_str(raw.get()).ok()?;
        Some(ToolCallUpdate::new(named.id, ToolCallUpdateFields::new()))
    })
}

/// A key that is unique for the process's life, so an answer can never reach another agent.
pub fn request_key() -> RequestKey {
    static LAST: AtomicU64 = AtomicU64::new(0);
    RequestKey(LAST.fetch_add(1, Ordering::Relaxed) + 1)
}

/// The answer to a request of that kind. What does not fit it cancels it.
pub(crate) fn outcome(kind: AskKind, given: &Given) -> Value {
    match (kind, given) {
        (AskKind::Permission, Given::Option(option)) => {
            json!({"outcome": {"outcome": "selected", "optionId": option}})
        }
        (AskKind::Permission, _) => json!({"outcome": {"outcome": "cancelled"}}),
        (AskKind::Form, Given::Content(content)) => json!({"action": "accept", "content": content}),
        (AskKind::Form, Given::Declined(_)) => json!({"action": "decline"}),
        (AskKind::Form, Given::Cancelled | Given::Option(_) | Given::Answers(_)) => {
            json!({"action": "cancel"})
        }
        // Answered by `Connection::respond` alone.
        (AskKind::Client, _) => json!({}),
    }
}

impl AskKind {
    /// What people who look at the connection read once it is answered.
    pub(crate) fn answered(self) -> &'static str {
        match self {
            Self::Permission => "Permission response sent",
            Self::Form => "Question response sent",
            Self::Client => "Request answered",
        }
    }

    /// What they read once the agent has taken it back.
    pub(crate) fn withdrawn(self) -> &'static str {
        match self {
            Self::Permission => "Permission request withdrawn",
            Self::Form => "Question withdrawn",
            Self::Client => "Request withdrawn",
        }
    }
}

/// The open request that a `$/cancel_request` names.
pub(crate) fn cancelled(state: &State, params: Option<&RawValue>) -> Option<RequestKey> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(rename = "requestId", borrow)]
        id: &'a RawValue,
    }
    let params: Params<'_> = serde_json::from_str(params?.get()).ok()?;
    state.asks.iter().find(|(_, ask)| ask.id.get() == params.id.get()).map(|(key, _)| *key)
}

impl Shared {
    /// Answers a request of the agent with a result nobody waits for.
    pub(crate) fn reply(&self, state: &mut State, id: &RawValue, result: &Value) {
        if let Ok(line) = answer_line(id, result) {
            self.enqueue(state, Outgoing { line, written: Written::Nobody });
        }
    }

    /// Refuses a request of the agent.
    pub(crate) fn refuse(&self, state: &mut State, id: Option<&RawValue>, code: i32, message: &str) {
        state.counters.refused += 1;
        if let Ok(line) = refusal_line(id, code, message) {
            self.enqueue(state, Outgoing { line, written: Written::Nobody });
        }
    }

    /// Answers all that a session asks as cancelled.
    pub(crate) fn cancel_asks(&self, state: &mut State, session: &str) {
        let keys: Vec<RequestKey> =
            state.asks.iter().filter(|(_, ask)| ask.session == session).map(|(key, _)| *key).collect();
        for key in keys {
            match state.asks.remove(&key) {
                Some(Ask { id, kind: AskKind::Client, .. }) => {
                    self.refuse(state, Some(&id), code::CANCELLED, "request cancelled");
                }
                Some(Ask { id, kind, .. }) => self.reply(state, &id, &outcome(kind, &Given::Cancelled)),
                None => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(params: &Value) -> Option<PermissionAsk> {
        let asked = permission(Some(&RawValue::from_string(params.to_string()).unwrap()))?;
        let SessionEvent::Permission(ask) = asked.event else { panic!("a permission") };
        Some(*ask)
    }

    #[test]
    fn options_we_do_not_know_are_shown_and_not_offered() {
        let options = json!([
            {"optionId": "a#1", "name": "Yes", "kind": "allow_once"},
            {"optionId": "m", "name": "Maybe", "kind": "allow_sometimes"},
            {"name": "broken"}
        ]);
        let asked =
            read(&json!({"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": options})).unwrap();
        assert_eq!(asked.options.len(), 1);
        assert_eq!(asked.options.first().unwrap().option_id.0.as_ref(), "a#1");
        assert_eq!(asked.raw_options, options);
        assert_eq!(asked.tool.tool_call_id.0.as_ref(), "c");
    }

    #[test]
    fn a_request_without_session_tool_or_options_is_malformed() {
        for params in [
            json!({"sessionId": "s", "toolCall": {}, "options": []}),
            json!({"sessionId": "s", "options": []}),
            json!({"toolCall": {"toolCallId": "c"}, "options": []}),
            json!({"sessionId": "s", "toolCall": {"toolCallId": "c"}, "options": null}),
        ] {
            assert!(read(&params).is_none(), "{params}");
        }
    }
}
