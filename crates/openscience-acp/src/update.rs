//! Parameters of `session/update`, as the core takes them: text first, since
//! it is nearly all there is; then what is known; the rest raw.

use std::borrow::Cow;

use agent_client_protocol_schema::v1::SessionUpdate;
use openscience_core::input::{AgentUpdate, TextChunk};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::decode::Text;

/// Longest raw update that is kept.
pub(crate) const RAW_BYTES: usize = 64 << 10;

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(rename = "sessionId", borrow)]
    session: Cow<'a, str>,
    #[serde(borrow)]
    update: &'a RawValue,
}

#[derive(Deserialize)]
struct Outline<'a> {
    #[serde(rename = "sessionUpdate", borrow)]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    content: Option<&'a RawValue>,
    #[serde(rename = "messageId", borrow)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Content<'a> {
    #[serde(rename = "type", borrow)]
    kind: Cow<'a, str>,
    text: String,
}

/// The session and what it was told; none if it names no session.
pub(crate) fn parse(params: &RawValue) -> Option<(Cow<'_, str>, AgentUpdate)> {
    let params: Params<'_> = serde_json::from_str(params.get()).ok()?;
    Some((params.session, update(params.update)))
}

fn update(raw: &RawValue) -> AgentUpdate {
    let outline: Option<Outline<'_>> = serde_json::from_str(raw.get()).ok();
    let kind = outline.as_ref().and_then(|outline| text(outline.kind?));
    if let Some(outline) = &outline {
        let thought = match kind.as_deref() {
            Some("agent_message_chunk") => Some(false),
            Some("agent_thought_chunk") => Some(true),
            _ => None,
        };
        if let Some(chunk) = thought.and_then(|thought| chunk(outline, thought)) {
            return AgentUpdate::Text(chunk);
        }
    }
    match serde_json::from_str::<SessionUpdate>(raw.get()) {
        Ok(known) => AgentUpdate::Known(Box::new(known)),
        Err(_) => AgentUpdate::Unknown {
            kind: kind.map(Cow::into_owned),
            raw: if raw.get().len() <= RAW_BYTES { serde_json::from_str(raw.get()).ok() } else { None },
        },
    }
}

/// The text of a chunk; none if it holds something else.
fn chunk(outline: &Outline<'_>, thought: bool) -> Option<TextChunk> {
    let content: Content<'_> = serde_json::from_str(outline.content?.get()).ok()?;
    if content.kind != "text" {
        return None;
    }
    let message = outline.message.and_then(text).map(Cow::into_owned);
    Some(TextChunk { thought, message, text: content.text })
}

fn text(raw: &RawValue) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Text<'_>>(raw.get()).ok().map(|text| text.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(update: &serde_json::Value) -> AgentUpdate {
        let params = json!({"sessionId": "s", "update": update, "_meta": {}}).to_string();
        let raw = RawValue::from_string(params).unwrap();
        let (session, update) = parse(&raw).unwrap();
        assert_eq!(session, "s");
        update
    }

    fn words(thought: bool, message: Option<&str>, text: &str) -> AgentUpdate {
        AgentUpdate::Text(TextChunk { thought, message: message.map(str::to_owned), text: text.to_owned() })
    }

    #[test]
    fn text_of_the_agent_is_text() {
        let text = |text: &str| json!({"type": "text", "text": text, "annotations": null});
        assert_eq!(
            parsed(
                &json!({"sessionUpdate": "agent_message_chunk", "content": text("a\n\"é\""), "messageId": "m"})
            ),
            words(false, Some("m"), "a\n\"é\"")
        );
        assert_eq!(
            parsed(&json!({"content": text("t"), "messageId": null, "sessionUpdate": "agent_thought_chunk"})),
            words(true, None, "t")
        );
        assert_eq!(
            parsed(&json!({"sessionUpdate": "agent_message_chunk", "content": text("a"), "messageId": 7})),
            words(false, None, "a")
        );
    }

    #[test]
    fn other_chunks_and_updates_we_know_are_typed() {
        for update in [
            json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "", "mimeType": "image/png"}}),
            json!({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "x"}}),
            json!({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "status": "new-word", "kind": "odd"}),
            json!({"sessionUpdate": "usage_update", "used": 1, "size": 2}),
        ] {
            assert!(matches!(parsed(&update), AgentUpdate::Known(_)), "{update}");
        }
    }

    #[test]
    fn what_we_do_not_know_is_kept_as_it_came() {
        for update in [
            json!({"sessionUpdate": "brand_new", "z": 1, "a": [2]}),
            json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "hologram"}}),
            json!({"sessionUpdate": "tool_call", "title": null}),
            json!({"sessionUpdate": 5}),
            json!("text"),
        ] {
            let kind = update.get("sessionUpdate").and_then(|kind| kind.as_str()).map(str::to_owned);
            assert_eq!(parsed(&update), AgentUpdate::Unknown { kind, raw: Some(update.clone()) });
        }
    }

    #[test]
    fn a_large_unknown_update_is_told_by_its_word() {
        let update = json!({"sessionUpdate": "brand_new", "x": "x".repeat(RAW_BYTES)});
        assert_eq!(parsed(&update), AgentUpdate::Unknown { kind: Some("brand_new".to_owned()), raw: None });
    }

    #[test]
    fn an_update_without_a_session_is_none() {
        let raw = RawValue::from_string(r#"{"update":{}}"#.to_owned()).unwrap();
        assert!(parse(&raw).is_none());
    }
}
