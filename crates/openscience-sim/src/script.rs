//! What does a whole prompt ask for, and how is it remembered?

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource, Error};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::directive::{self, Directive};

/// A prompt taken apart.
#[derive(Debug, PartialEq)]
pub(crate) struct Script {
    pub(crate) steps: Vec<Directive>,
    /// The prompt as text, for the history.
    pub(crate) text: String,
}

impl Script {
    /// A prompt that asks for nothing is answered `done`.
    pub(crate) fn of(prompt: &[ContentBlock]) -> Self {
        let mut steps = Vec::new();
        let mut texts = Vec::new();
        for block in prompt {
            if let ContentBlock::Text(text) = block {
                let lines = text.text.lines().filter(|line| !line.trim().is_empty());
                steps.extend(lines.map(directive::parse));
                texts.push(text.text.clone());
            } else {
                let mention = mention(block);
                steps.push(Directive::Tell(mention.clone()));
                texts.push(mention);
            }
        }
        if steps.is_empty() {
            steps.push(Directive::Tell("done".to_owned()));
        }
        Self { steps, text: texts.join("\n") }
    }
}

/// Longest text of a block that is told as it is.
const TEXT_CHARS_MAX: usize = 200;

/// What a prompt brought, as JSON on one line: long texts by their length in bytes and their digest.
pub(crate) fn brought(prompt: &[ContentBlock]) -> Result<String, Error> {
    let blocks = serde_json::to_value(prompt).map_err(|_| Error::internal_error())?;
    Ok(bounded(blocks).to_string())
}

fn bounded(value: Value) -> Value {
    match value {
        Value::String(text) if text.chars().nth(TEXT_CHARS_MAX).is_some() => {
            let digest = Sha256::digest(&text);
            let digest = digest.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"));
            json!({ "bytes": text.len(), "sha256": digest })
        }
        Value::Array(items) => items.into_iter().map(bounded).collect(),
        Value::Object(fields) => fields.into_iter().map(|(key, field)| (key, bounded(field))).collect(),
        other => other,
    }
}

fn mention(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Image(image) => format!("[image {}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[audio {}]", audio.mime_type),
        ContentBlock::ResourceLink(link) => format!("[resource_link {}]", link.uri),
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => format!("[resource {}]", text.uri),
            EmbeddedResourceResource::BlobResourceContents(blob) => format!("[resource {}]", blob.uri),
            _ => "[resource]".to_owned(),
        },
        _ => "[content]".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{Directive, Script, brought};

    fn script(prompt: serde_json::Value) -> Script {
        Script::of(&serde_json::from_value::<Vec<_>>(prompt).unwrap())
    }

    fn tell(text: &str) -> Directive {
        Directive::Tell(text.to_owned())
    }

    #[test]
    fn an_empty_prompt_is_answered_done() {
        for prompt in [json!([]), json!([{"type": "text", "text": " \n\r\n"}])] {
            assert_eq!(script(prompt).steps, [tell("done")]);
        }
    }

    #[test]
    fn blocks_that_are_not_text_are_mentioned_in_their_place() {
        let prompt = script(json!([
            {"type": "text", "text": "look\nhang"},
            {"type": "image", "mimeType": "image/png", "data": "AA=="},
            {"type": "audio", "mimeType": "audio/wav", "data": "AA=="},
            {"type": "resource_link", "name": "a", "uri": "file:///a"},
            {"type": "resource", "resource": {"uri": "file:///b", "text": "say 1"}},
            {"type": "resource", "resource": {"uri": "file:///c", "blob": "AA=="}},
        ]));

        assert_eq!(
            prompt.steps,
            [
                tell("You said: look"),
                Directive::Hang,
                tell("[image image/png]"),
                tell("[audio audio/wav]"),
                tell("[resource_link file:///a]"),
                tell("[resource file:///b]"),
                tell("[resource file:///c]"),
            ]
        );
        assert_eq!(
            prompt.text,
            "look\nhang\n[image image/png]\n[audio audio/wav]\n[resource_link file:///a]\n\
             [resource file:///b]\n[resource file:///c]"
        );
    }

    #[test]
    fn what_a_prompt_brought_is_told_with_long_texts_by_their_digest() {
        let blocks = serde_json::from_value::<Vec<_>>(json!([
            {"type": "text", "text": "blocks"},
            {"type": "image", "mimeType": "image/png", "data": "A".repeat(201), "uri": "file:///a"},
        ]));
        let told: serde_json::Value = serde_json::from_str(&brought(&blocks.unwrap()).unwrap()).unwrap();
        let digest = "dea81b358bf5398fcac273cd724126e665c20d2ab58957a01beedd2df1f502f4";
        assert_eq!(told[0], json!({"type": "text", "text": "blocks"}));
        let data = &told[1]["data"];
        assert_eq!(*data, json!({"bytes": 201, "sha256": digest}));
        assert_eq!(told[1]["uri"], "file:///a");
    }
}
