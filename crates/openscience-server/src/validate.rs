//! Bounds of prompts and answers that their types cannot say.
//!
//! Lengths are UTF-16 code units, as clients count them.

use openscience_protocol::decision::{
    DecisionInput, MESSAGE_UNITS_MAX as ANSWER_UNITS_MAX, PermissionAnswer, QuestionAnswer, QuestionReject,
};
use openscience_protocol::id::is_client_message_id;
use openscience_protocol::prompt::{
    AgentInput, ConversationInput, FileInput, InputPart, MESSAGE_UNITS_MAX, PromptInput, SubtaskInput,
    TextInput,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::extract::{JsonBody, fault};
use crate::problem::{Issue, Problem};

const REQUEST_ID_UNITS_MAX: usize = 200;
const LABEL_UNITS_MAX: usize = 160;

/// The prompt with its texts trimmed, or everything that is wrong with it.
pub(crate) fn checked_prompt(mut input: PromptInput) -> Result<PromptInput, Problem> {
    trim(&mut input.request_id);
    trim(&mut input.message);
    let mut issues = Vec::new();
    check_length(&mut issues, "requestID", input.request_id.as_deref(), REQUEST_ID_UNITS_MAX);
    check_length(&mut issues, "message", input.message.as_deref(), MESSAGE_UNITS_MAX);
    if input.message_id.as_deref().is_some_and(|id| !is_client_message_id(id)) {
        issues.push(Issue::new("messageID", "expected msg_, 12 hexadecimal digits and 14 of A-Z a-z 0-9"));
    }
    if input.context == Some(0) {
        issues.push(Issue::new("context", "expected a whole number above 0"));
    }
    if input.deadline_ms == Some(0) {
        issues.push(Issue::new("deadlineMs", "expected a whole number above 0"));
    }
    match (&input.message, &input.parts) {
        (None, None) | (Some(_), Some(_)) => {
            issues.push(Issue::new("", "expected exactly one of message and parts"));
        }
        (Some(_), None) => {}
        (None, Some(parts)) => check_parts(&mut issues, parts),
    }
    if issues.is_empty() { Ok(input) } else { Err(Problem::invalid(issues)) }
}

fn check_parts(issues: &mut Vec<Issue>, parts: &[InputPart]) {
    if parts.is_empty() {
        issues.push(Issue::new("parts", "expected at least one part"));
    }
    for (index, part) in parts.iter().enumerate() {
        match part {
            InputPart::Conversation(part) => {
                let path = format!("parts[{index}].label");
                check_length(issues, &path, part.label.as_deref(), LABEL_UNITS_MAX);
            }
            InputPart::Text(_) | InputPart::File(_) | InputPart::Agent(_) | InputPart::Subtask(_) => {}
        }
    }
}

/// The answer, or everything that is wrong with it.
pub(crate) fn checked_decision(input: DecisionInput) -> Result<DecisionInput, Problem> {
    let mut issues = Vec::new();
    let (prefix, message) = match &input {
        DecisionInput::Permission(answer) => ("per_", answer.message.as_deref()),
        DecisionInput::Question(_) | DecisionInput::QuestionReject(_) => ("que_", None),
    };
    if !input.request_id().as_str().starts_with(prefix) {
        issues.push(Issue::new("requestID", format!("expected an id that starts with {prefix}")));
    }
    if message.is_some_and(|message| units(message) > ANSWER_UNITS_MAX) {
        issues.push(Issue::new("message", format!("expected at most {ANSWER_UNITS_MAX} characters")));
    }
    if issues.is_empty() { Ok(input) } else { Err(Problem::invalid(issues)) }
}

fn trim(text: &mut Option<String>) {
    if let Some(text) = text {
        let trimmed = text.trim();
        if trimmed.len() != text.len() {
            *text = trimmed.to_owned();
        }
    }
}

fn check_length(issues: &mut Vec<Issue>, path: &str, text: Option<&str>, max: usize) {
    if text.is_some_and(|text| !(1..=max).contains(&units(text))) {
        issues.push(Issue::new(path, format!("expected 1 to {max} characters")));
    }
}

fn units(text: &str) -> usize {
    text.encode_utf16().count()
}

impl JsonBody for PromptInput {
    /// A part is read by its tag, which hides the place of a fault inside it.
    fn locate(body: &Value) -> Option<Issue> {
        let parts = body.get("parts")?.as_array()?;
        parts.iter().enumerate().find_map(|(index, part)| {
            let path = format!("parts[{index}]");
            match tag(part, "type")? {
                "text" => untagged::<TextInput>(&path, part, "type"),
                "file" => untagged::<FileInput>(&path, part, "type"),
                "agent" => untagged::<AgentInput>(&path, part, "type"),
                "conversation" => untagged::<ConversationInput>(&path, part, "type"),
                "subtask" => untagged::<SubtaskInput>(&path, part, "type"),
                // A word of the client, not ours.
                _ => Some(Issue::new(format!("{path}.type"), "unknown kind of part")),
            }
        })
    }
}

impl JsonBody for DecisionInput {
    /// An answer is read by its tag, which hides the place of a fault inside it.
    fn locate(body: &Value) -> Option<Issue> {
        match tag(body, "kind")? {
            "permission" => untagged::<PermissionAnswer>("", body, "kind"),
            "question" => untagged::<QuestionAnswer>("", body, "kind"),
            "question_reject" => untagged::<QuestionReject>("", body, "kind"),
            // A word of the client, not ours.
            _ => Some(Issue::new("kind", "expected permission, question or question_reject")),
        }
    }
}

fn tag<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

/// The fault of one variant, read as what it is without its tag.
fn untagged<T: DeserializeOwned>(path: &str, value: &Value, key: &str) -> Option<Issue> {
    let mut fields = value.as_object()?.clone();
    fields.remove(key);
    fault::<T>(path, Value::Object(fields))
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
