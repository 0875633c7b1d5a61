//! Requests of ours that the agent has not answered, and what its answers say.

use openscience_core::input::TurnEnd;
use openscience_protocol::message::{CacheTokens, Tokens};
use openscience_protocol::{RunError, TurnId};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::sync::oneshot;

use crate::channel::EventSink;
use crate::error::{AgentError, RpcError, Stage};
use crate::text;

/// Why a request got no result.
#[derive(Debug)]
pub(crate) enum CallError {
    Refused(RpcError),
    /// A frame that may have been the answer was too large to read.
    TooLarge,
    /// The new session has the id of one that is open.
    TakenId,
}

/// Where a result goes.
pub(crate) type Reply = oneshot::Sender<Result<Box<RawValue>, CallError>>;

/// A request that waits.
#[derive(Debug)]
pub(crate) enum Pending {
    Call(Reply),
    /// The answer makes a session known. `session` is its id where we named it.
    Open {
        session: Option<String>,
        sink: EventSink,
        /// Where the history goes that is told before the answer; nowhere if absent.
        history: Option<EventSink>,
        reply: Reply,
    },
    Prompt {
        session: String,
        turn: TurnId,
    },
}

/// What an error answer says, however little of it is well formed.
pub(crate) fn rpc_error(raw: &RawValue, secrets: &[String]) -> RpcError {
    let fields: ErrorFields = serde_json::from_str(raw.get()).unwrap_or_default();
    let code = fields.code.as_ref().and_then(Value::as_i64);
    let message =
        fields.message.as_ref().and_then(Value::as_str).map(str::trim).filter(|text| !text.is_empty());
    let detail = fields.data.as_ref().and_then(detail);
    let message = match (message, detail) {
        (Some(message), Some(detail)) if !message.contains(detail) => {
            format!("{}: {}", text::bounded_to(message, 1_400), text::bounded_to(detail, 500))
        }
        (Some(message), _) => message.to_owned(),
        (None, Some(detail)) => detail.to_owned(),
        (None, None) => "the agent gave no reason".to_owned(),
    };
    RpcError { code, message: text::bounded(&text::plain(&text::mask(&message, secrets))) }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ErrorFields {
    code: Option<Value>,
    message: Option<Value>,
    data: Option<Value>,
}

/// The reason in the data, in the places where agents put one. Other fields may repeat what was
/// sent to the agent and are left out.
fn detail(data: &Value) -> Option<&str> {
    data.as_str()
        .or_else(|| ["message", "details"].iter().find_map(|key| data.get(key)?.as_str()))
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// How a turn ended, from the answer to its prompt.
///
/// `stderr` is asked for its tail only if the turn failed.
pub(crate) fn turn_end(
    answer: Result<Option<&RawValue>, RpcError>,
    stderr: impl FnOnce() -> String,
) -> TurnEnd {
    match answer {
        Err(error) => TurnEnd::Failed(RunError::from(AgentError::refused(Stage::Prompt, error, stderr()))),
        Ok(result) => {
            let fields: PromptFields =
                result.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
            TurnEnd::Answered {
                stop_reason: fields
                    .stop_reason
                    .as_ref()
                    .and_then(Value::as_str)
                    .map_or_else(|| UNKNOWN.to_owned(), |word| text::bounded_to(word, 100)),
                tokens: fields.usage.as_ref().and_then(tokens),
            }
        }
    }
}

/// The word for an answer without a stop reason: it ended, and nobody knows why.
const UNKNOWN: &str = "unknown";

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PromptFields {
    stop_reason: Option<Value>,
    usage: Option<Value>,
}

fn tokens(usage: &Value) -> Option<Tokens> {
    let usage = usage.as_object()?;
    let count = |key: &str| usage.get(key).and_then(Value::as_u64).unwrap_or(0);
    Some(Tokens {
        input: count("inputTokens"),
        output: count("outputTokens"),
        reasoning: count("thoughtTokens"),
        cache: CacheTokens { read: count("cachedReadTokens"), write: count("cachedWriteTokens") },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn error(value: &Value) -> RpcError {
        rpc_error(&RawValue::from_string(value.to_string()).unwrap(), &["sk-secret".to_owned()])
    }

    #[test]
    fn an_error_answer_is_read_however_it_is_made() {
        let check = |value: Value, code: Option<i64>, message: &str| {
            assert_eq!(error(&value), RpcError { code, message: message.to_owned() }, "{value}");
        };
        check(json!({"code": -32603, "message": "Internal error"}), Some(-32603), "Internal error");
        check(
            json!({"code": -32603, "message": "Internal error", "data": {"details": "400 stub"}}),
            Some(-32603),
            "Internal error: 400 stub",
        );
        check(
            json!({"code": -32602, "message": "Invalid params", "data": {"json": {"prompt": "secret words"}}}),
            Some(-32602),
            "Invalid params",
        );
        check(json!({"code": 400, "data": "bad key sk-secret"}), Some(400), "bad key [masked]");
        check(json!({"code": "E1", "message": 5}), None, "the agent gave no reason");
        check(json!("text"), None, "the agent gave no reason");
        let large = error(&json!({"code": 1, "message": "m".repeat(5_000), "data": "d".repeat(1 << 20)}));
        assert!(large.message.chars().count() <= 2_001);
    }

    #[test]
    fn a_turn_ends_with_the_words_of_the_agent() {
        let check = |result: Value, word: &str, expected: Option<(u64, u64, u64)>| {
            let raw = RawValue::from_string(result.to_string()).unwrap();
            let TurnEnd::Answered { stop_reason, tokens } = turn_end(Ok(Some(&raw)), String::new) else {
                panic!("{result} is an answer")
            };
            assert_eq!(stop_reason, word, "{result}");
            let tokens = tokens.map(|tokens| (tokens.input, tokens.output, tokens.cache.read));
            assert_eq!(tokens, expected, "{result}");
        };
        check(json!({"stopReason": "end_turn"}), "end_turn", None);
        check(json!({"stopReason": "tired", "usage": null}), "tired", None);
        check(
            json!({"stopReason": "end_turn", "usage": {"inputTokens": 1, "outputTokens": 2, "cachedReadTokens": 3, "totalTokens": null}}),
            "end_turn",
            Some((1, 2, 3)),
        );
        check(json!({"stopReason": null}), "unknown", None);
        check(json!(null), "unknown", None);
    }
}
