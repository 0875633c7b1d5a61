//! What a prompt is before it runs: its run id, its fingerprint, its transcript parts, its blocks.
//!
//! Says nothing about whether a prompt is admitted: the session's machine
//! decides that from what the store holds.

use std::fmt::Write;

use agent_client_protocol_schema::v1::{
    ContentBlock, EmbeddedResource, EmbeddedResourceResource, ResourceLink, TextContent, TextResourceContents,
};
use openscience_protocol::message::{AgentPart, ConversationPart, FilePart, SubtaskPart, TextPart};
use openscience_protocol::prompt::{InputPart, SubtaskInput};
use openscience_protocol::{PartBody, PromptInput, RunId, SessionId};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Names the way [`fingerprint`] is computed, so a later way never equals it by accident.
const FINGERPRINT_VERSION: &str = "1";

/// The run id that the input's key stands for; `None` if it has no key and the id must be a fresh one.
///
/// The key is the request id, else the message id. A request id never names the
/// same run as an equal message id.
pub fn run_id(session: &SessionId, input: &PromptInput) -> Option<RunId> {
    let (kind, identity) = match (&input.request_id, &input.message_id) {
        (Some(request), _) => ("request", request),
        (None, Some(message)) => ("message", message),
        (None, None) => return None,
    };
    let mut digest = Sha256::new();
    digest.update(session.as_str());
    digest.update([0]);
    digest.update(kind);
    digest.update([0]);
    digest.update(identity);
    format!("run_{}", hex(&digest.finalize())).parse().ok()
}

/// A digest of everything the input asks for, without its request id.
///
/// Equal keys with different fingerprints conflict. A field that is absent
/// leaves no trace, so a field added later does not change an old fingerprint.
pub fn fingerprint(input: &PromptInput) -> String {
    let mut value = json!(input);
    if let Value::Object(fields) = &mut value {
        fields.remove("requestID");
        fields.insert("agent".to_owned(), json!("research"));
        if let Some(message) = &input.message {
            fields.insert("message".to_owned(), json!(message.trim()));
        }
    }
    let mut text = String::new();
    canonical(&mut text, &value);
    format!("{FINGERPRINT_VERSION}:{}", hex(&Sha256::digest(text)))
}

/// The parts of the user message, in order; none if one of them stands for something that must be looked for.
pub fn input_parts(input: &PromptInput) -> Option<Vec<PartBody>> {
    let message = input.message.iter().map(|text| Some(message_part(text)));
    message.chain(input.parts.iter().flatten().map(part)).collect()
}

/// The whole prompt as its one part.
pub(crate) fn message_part(message: &str) -> PartBody {
    text_part(message.trim())
}

/// What the parts of a user message look like to the agent: a file as a link to it, a conversation embedded.
/// What of it this agent can take, and what the file holds, is seen when it is sent.
///
/// Parts that only an agent's message has are left out.
pub fn blocks(parts: &[PartBody]) -> Vec<ContentBlock> {
    let text = |text: String| Some(ContentBlock::Text(TextContent::new(text)));
    let block = |part: &PartBody| match part {
        PartBody::Text(part) => text(part.text.clone()),
        PartBody::Agent(part) => text(format!("@{}", part.name)),
        PartBody::Subtask(part) if part.description.is_empty() => text(part.prompt.clone()),
        PartBody::Subtask(part) => text(format!("{}\n\n{}", part.description, part.prompt)),
        PartBody::File(part) => Some(ContentBlock::ResourceLink(link(part))),
        PartBody::Conversation(part) => Some(ContentBlock::Resource(conversation(part))),
        PartBody::Reasoning(_)
        | PartBody::Tool(_)
        | PartBody::StepStart(_)
        | PartBody::StepFinish(_)
        | PartBody::Compaction(_) => None,
    };
    parts.iter().filter_map(block).collect()
}

/// A file by its reference. What the prompt itself calls it is the link's title.
fn link(part: &FilePart) -> ResourceLink {
    let said = part.source.as_ref().and_then(|source| source.get("uri")?.as_str());
    ResourceLink::new(part.filename.as_deref().unwrap_or("file"), part.url.clone())
        .mime_type(part.mime.clone())
        .size(part.size.and_then(|size| i64::try_from(size).ok()))
        .title(said.map(str::to_owned))
}

fn conversation(part: &ConversationPart) -> EmbeddedResource {
    let uri = format!("openscience:conversation/{}", part.source_session_id);
    let contents = TextResourceContents::new(part.text.clone(), uri).mime_type("text/markdown".to_owned());
    EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(contents))
}

/// A part as it is stored, if it needs nothing but itself.
pub fn part(input: &InputPart) -> Option<PartBody> {
    match input {
        InputPart::Text(text) => Some(text_part(&text.text)),
        InputPart::Agent(agent) => {
            Some(PartBody::Agent(AgentPart { name: agent.name.clone(), source: agent.source.clone() }))
        }
        InputPart::Subtask(SubtaskInput { attachments: Some(files), .. }) if !files.is_empty() => None,
        InputPart::Subtask(subtask) => Some(self::subtask(subtask)),
        InputPart::File(_)
        | InputPart::Conversation(_)
        | InputPart::Image(_)
        | InputPart::Audio(_)
        | InputPart::Resource(_)
        | InputPart::Json(_) => None,
    }
}

/// A subtask without its files: those are parts of their own.
pub fn subtask(subtask: &SubtaskInput) -> PartBody {
    PartBody::Subtask(SubtaskPart {
        prompt: subtask.prompt.clone(),
        description: subtask.description.clone(),
        agent: subtask.agent.clone(),
        model: subtask.model.clone(),
        command: subtask.command.clone(),
    })
}

fn text_part(text: &str) -> PartBody {
    PartBody::Text(TextPart { text: text.to_owned(), synthetic: None, time: None, metadata: None })
}

/// JSON without spaces, keys in byte order at every level, arrays as they are.
fn canonical(out: &mut String, value: &Value) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<_> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, field)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                scalar(out, &json!(key));
                out.push(':');
                canonical(out, field);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                canonical(out, item);
            }
            out.push(']');
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => scalar(out, value),
    }
}

fn scalar(out: &mut String, value: &Value) {
    out.push_str(&value.to_string());
}

/// Bytes as people write digests.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

#[cfg(test)]
mod tests;
