//! One line of an agent's stdout: which JSON-RPC message it is, or why it is
//! none.
//!
//! Parameters stay raw: what they mean is asked where they are used.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

/// One message, borrowed from its line.
#[derive(Debug)]
pub(crate) enum Message<'a> {
    Request { id: &'a RawValue, method: Cow<'a, str>, params: Option<&'a RawValue> },
    Notification { method: Cow<'a, str>, params: Option<&'a RawValue> },
    Response { id: &'a RawValue, answer: Result<Option<&'a RawValue>, &'a RawValue> },
}

/// Why a line is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Noise {
    Empty,
    /// Not UTF-8.
    Encoding,
    /// Text: a banner, a log line, a notice.
    Text,
    /// An object that was meant to be JSON.
    Malformed,
    /// JSON, but neither request, notification nor response.
    NoMessage,
}

/// Text that is borrowed from its line unless it holds escapes. (In an `Option`, a plain `Cow`
/// would always be copied.)
#[derive(Debug, Deserialize)]
pub(crate) struct Text<'a>(#[serde(borrow)] pub(crate) Cow<'a, str>);

#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow)]
    id: Option<&'a RawValue>,
    #[serde(borrow)]
    method: Option<Text<'a>>,
    #[serde(borrow)]
    params: Option<&'a RawValue>,
    #[serde(borrow)]
    result: Option<&'a RawValue>,
    #[serde(borrow)]
    error: Option<&'a RawValue>,
}

/// Reads one line.
pub(crate) fn decode(line: &[u8]) -> Result<Message<'_>, Noise> {
    let line = std::str::from_utf8(line).map_err(|_| Noise::Encoding)?.trim_ascii();
    if line.is_empty() {
        return Err(Noise::Empty);
    }
    if !line.starts_with('{') {
        return Err(if line.starts_with('[') && serde_json::from_str::<&RawValue>(line).is_ok() {
            Noise::NoMessage
        } else {
            Noise::Text
        });
    }
    let envelope: Envelope<'_> = serde_json::from_str(line).map_err(|_| Noise::Malformed)?;
    match envelope {
        Envelope { method: Some(method), id: Some(id), params, .. } => {
            Ok(Message::Request { id, method: method.0, params })
        }
        Envelope { method: Some(method), id: None, params, .. } => {
            Ok(Message::Notification { method: method.0, params })
        }
        Envelope { id: Some(id), error: Some(error), .. } => Ok(Message::Response { id, answer: Err(error) }),
        // An answer without a result is one of a language in which nothing is left out.
        Envelope { id: Some(id), error: None, result, .. } => {
            Ok(Message::Response { id, answer: Ok(result) })
        }
        Envelope { id: None, .. } => Err(Noise::NoMessage),
    }
}

/// An id of ours, as a number or as the text of one.
pub(crate) fn own_id(id: &RawValue) -> Option<i64> {
    id.get().trim_matches('"').parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(line: &[u8]) -> String {
        match decode(line) {
            Ok(Message::Request { id, method, .. }) => format!("request {id} {method}"),
            Ok(Message::Notification { method, .. }) => format!("notification {method}"),
            Ok(Message::Response { id, answer }) => format!("response {id} {}", answer.is_ok()),
            Err(noise) => format!("{noise:?}"),
        }
    }

    #[test]
    fn a_line_is_a_message_or_noise() {
        let check = |line: &str, expected: &str| assert_eq!(shape(line.as_bytes()), expected, "{line}");
        check(r#"{"id":0,"method":"a"}"#, "request 0 a");
        check(r#"{"id":"7-x","method":"a","params":null}"#, r#"request "7-x" a"#);
        check(r#"{"id":null,"method":"a"}"#, "notification a");
        check(r#"{"method":"a\u0062"}"#, "notification ab");
        check(r#"  {"id":1,"result":null,"extra":[1]} "#, "response 1 true");
        check(r#"{"id":"1"}"#, r#"response "1" true"#);
        check(r#"{"id":1,"error":{}}"#, "response 1 false");
        check(r#"{"id":null,"error":{"code":-32700}}"#, "NoMessage");
        check("{}", "NoMessage");
        check("[]", "NoMessage");
        check("[INFO] started", "Text");
        check("Loaded cached credentials.", "Text");
        check("\u{1b}[1mbanner\u{1b}[0m", "Text");
        check("", "Empty");
        check("  ", "Empty");
        check(r#"{"id":1,"#, "Malformed");
        check(r#"{"method":1}"#, "Malformed");
        assert_eq!(shape(b"{\"method\":\"\xff\"}"), "Encoding");
    }

    #[test]
    fn our_ids_are_found_in_numbers_and_texts() {
        let check = |text: &str, expected| {
            let raw = RawValue::from_string(text.to_owned()).unwrap();
            assert_eq!(own_id(&raw), expected, "{text}");
        };
        check("12", Some(12));
        check("\"12\"", Some(12));
        check("\"a\"", None);
        check("1.5", None);
    }
}
