//! What the agent asks of us: permissions become events, the rest is refused.

use std::borrow::Cow;
use std::sync::atomic::{AtomicU64, Ordering};

use agent_client_protocol_schema::v1::{PermissionOption, ToolCallUpdate, ToolCallUpdateFields};
use openscience_core::input::{PermissionAsk, RequestKey};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

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

/// A permission request of one session.
pub(crate) struct Asked {
    pub(crate) session: String,
    pub(crate) ask: PermissionAsk,
}

/// Reads a permission request; none if it is malformed.
pub(crate) fn permission(params: Option<&RawValue>) -> Option<Asked> {
    let params: PermissionParams<'_> = serde_json::from_str(params?.get()).ok()?;
    let understood = |option: &Value| PermissionOption::deserialize(option).ok();
    let ask = PermissionAsk {
        key: next_key(),
        tool: tool(params.tool)?,
        options: params.options.iter().filter_map(understood).collect(),
        raw_options: Value::Array(params.options),
        grants: Vec::new(),
        real_paths: false,
    };
    Some(Asked { session: params.session.into_owned(), ask })
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

/// Keys are unique for the process's life, so an answer can never reach another agent.
fn next_key() -> RequestKey {
    static LAST: AtomicU64 = AtomicU64::new(0);
    RequestKey(LAST.fetch_add(1, Ordering::Relaxed) + 1)
}

/// The answer to a permission request.
pub(crate) fn outcome(option: Option<&str>) -> Value {
    match option {
        Some(option) => json!({"outcome": {"outcome": "selected", "optionId": option}}),
        None => json!({"outcome": {"outcome": "cancelled"}}),
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

    /// Answers all open permissions of a session as cancelled.
    pub(crate) fn cancel_asks(&self, state: &mut State, session: &str) {
        let keys: Vec<RequestKey> =
            state.asks.iter().filter(|(_, ask)| ask.session == session).map(|(key, _)| *key).collect();
        for key in keys {
            if let Some(Ask { id, .. }) = state.asks.remove(&key) {
                self.reply(state, &id, &outcome(None));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(params: &Value) -> Option<Asked> {
        permission(Some(&RawValue::from_string(params.to_string()).unwrap()))
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
        assert_eq!(asked.ask.options.len(), 1);
        assert_eq!(asked.ask.options.first().unwrap().option_id.0.as_ref(), "a#1");
        assert_eq!(asked.ask.raw_options, options);
        assert_eq!(asked.ask.tool.tool_call_id.0.as_ref(), "c");
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
