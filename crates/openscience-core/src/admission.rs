//! What a prompt is before it runs: its run id, its fingerprint, its transcript parts, its blocks.
//!
//! Says nothing about whether a prompt is admitted: the session's machine
//! decides that from what the store holds.

use std::fmt::Write;

use agent_client_protocol_schema::v1::{ContentBlock, TextContent};
use openscience_protocol::message::{AgentPart, SubtaskPart, TextPart};
use openscience_protocol::prompt::InputPart;
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

/// The parts of the user message, in order.
///
/// Leaves out what [`unavailable`] names: such a prompt is refused before.
pub fn input_parts(input: &PromptInput) -> Vec<PartBody> {
    let message = input.message.iter().map(|text| text_part(text.trim()));
    message.chain(input.parts.iter().flatten().filter_map(part)).collect()
}

/// Names the part of the input that is not served yet.
pub fn unavailable(input: &PromptInput) -> Option<&'static str> {
    input.parts.iter().flatten().find_map(|part| match part {
        InputPart::File(_) => Some("parts.file"),
        InputPart::Conversation(_) => Some("parts.conversation"),
        InputPart::Subtask(subtask)
            if subtask.attachments.as_ref().is_some_and(|files| !files.is_empty()) =>
        {
            Some("parts.attachments")
        }
        InputPart::Text(_) | InputPart::Agent(_) | InputPart::Subtask(_) => None,
    })
}

/// What the parts of a user message look like to the agent.
///
/// Parts that only an agent's message has are left out.
pub fn blocks(parts: &[PartBody]) -> Vec<ContentBlock> {
    let text = |part: &PartBody| match part {
        PartBody::Text(part) => Some(part.text.clone()),
        PartBody::Agent(part) => Some(format!("@{}", part.name)),
        PartBody::Subtask(part) if part.description.is_empty() => Some(part.prompt.clone()),
        PartBody::Subtask(part) => Some(format!("{}\n\n{}", part.description, part.prompt)),
        PartBody::Reasoning(_)
        | PartBody::File(_)
        | PartBody::Tool(_)
        | PartBody::StepStart(_)
        | PartBody::StepFinish(_)
        | PartBody::Conversation(_)
        | PartBody::Compaction(_) => None,
    };
    parts.iter().filter_map(text).map(|text| ContentBlock::Text(TextContent::new(text))).collect()
}

fn part(input: &InputPart) -> Option<PartBody> {
    match input {
        InputPart::Text(text) => Some(text_part(&text.text)),
        InputPart::Agent(agent) => {
            Some(PartBody::Agent(AgentPart { name: agent.name.clone(), source: agent.source.clone() }))
        }
        InputPart::Subtask(subtask) => Some(PartBody::Subtask(SubtaskPart {
            prompt: subtask.prompt.clone(),
            description: subtask.description.clone(),
            agent: subtask.agent.clone(),
            model: subtask.model.clone(),
            command: subtask.command.clone(),
        })),
        InputPart::File(_) | InputPart::Conversation(_) => None,
    }
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
