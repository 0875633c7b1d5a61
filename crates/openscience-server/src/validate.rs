//! Bounds of prompts and answers that their types cannot say, and how those
//! with variants are read.
//!
//! Lengths of texts are UTF-16 code units, as clients count them; those of
//! names are characters.

use openscience_protocol::decision::{
    DecisionInput, MESSAGE_UNITS_MAX as ANSWER_UNITS_MAX, PermissionAnswer, QuestionAnswer, QuestionReject,
};
use openscience_protocol::id::is_client_message_id;
use openscience_protocol::prompt::{
    AgentInput, ConversationInput, FileInput, InputPart, JsonInput, MESSAGE_UNITS_MAX, MediaInput, ModelRef,
    NAME_CHARS_MAX, PARTS_MAX, PromptInput, ResourceInput, SubtaskInput, TextInput,
};
use serde::Deserialize;

use crate::extract::JsonBody;
use crate::problem::{Issue, Problem};
use crate::reader::{Fault, Reader, Variant, joined};

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
    let names = [("variant", &input.variant), ("tier", &input.tier)];
    for (path, name) in names {
        check_name(&mut issues, path, name.as_deref());
    }
    check_model(&mut issues, "model", input.model.as_ref());
    let settings = input.delegation_settings.as_ref();
    let worker = settings.and_then(|settings| settings.worker_model.as_ref());
    check_model(&mut issues, "delegationSettings.workerModel", worker);
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
    for (index, part) in parts.iter().enumerate() {
        check_part(issues, &format!("parts[{index}]"), part);
    }
}

fn check_part(issues: &mut Vec<Issue>, path: &str, part: &InputPart) {
    let at = |field: &str| joined(path, field);
    let id = match part {
        InputPart::Text(part) => {
            check_text(issues, &at("text"), &part.text);
            &part.id
        }
        InputPart::File(part) => {
            check_file(issues, path, part);
            &part.id
        }
        InputPart::Agent(part) => {
            check_name(issues, &at("name"), Some(&part.name));
            let mention = part.source.as_ref().and_then(|source| source.get("value")?.as_str());
            check_name(issues, &at("source.value"), mention);
            &part.id
        }
        InputPart::Conversation(part) => {
            check_length(issues, &at("label"), part.label.as_deref(), LABEL_UNITS_MAX);
            &part.id
        }
        InputPart::Image(part) | InputPart::Audio(part) => {
            check_name(issues, &at("mimeType"), Some(&part.mime_type));
            check_name(issues, &at("filename"), part.filename.as_deref());
            &part.id
        }
        InputPart::Resource(part) => {
            check_name(issues, &at("uri"), Some(&part.uri));
            check_name(issues, &at("mimeType"), part.mime_type.as_deref());
            &part.id
        }
        InputPart::Json(part) => {
            check_name(issues, &at("filename"), part.filename.as_deref());
            &part.id
        }
        InputPart::Subtask(part) => {
            check_text(issues, &at("prompt"), &part.prompt);
            check_name(issues, &at("description"), Some(&part.description));
            check_name(issues, &at("agent"), Some(&part.agent));
            check_name(issues, &at("command"), part.command.as_deref());
            check_model(issues, &at("model"), part.model.as_ref());
            for (index, file) in part.attachments.iter().flatten().enumerate() {
                check_file(issues, &at(&format!("attachments[{index}]")), file);
            }
            &part.id
        }
    };
    check_name(issues, &at("id"), id.as_deref());
}

fn check_file(issues: &mut Vec<Issue>, path: &str, file: &FileInput) {
    check_name(issues, &joined(path, "mime"), Some(&file.mime));
    check_name(issues, &joined(path, "filename"), file.filename.as_deref());
}

fn check_model(issues: &mut Vec<Issue>, path: &str, model: Option<&ModelRef>) {
    check_name(issues, &joined(path, "providerID"), model.map(|model| model.provider_id.as_str()));
    check_name(issues, &joined(path, "modelID"), model.map(|model| model.model_id.as_str()));
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
    check_units(&mut issues, "message", message, ANSWER_UNITS_MAX);
    if issues.is_empty() { Ok(input) } else { Err(Problem::invalid(issues)) }
}

fn trim(text: &mut Option<String>) {
    if let Some(text) = text {
        let trimmed = text.trim_matches(is_blank);
        if trimmed.len() != text.len() {
            *text = trimmed.to_owned();
        }
    }
}

/// What clients trim, who do it before they count: the blanks of JavaScript.
fn is_blank(character: char) -> bool {
    character == '\u{feff}' || (character.is_whitespace() && character != '\u{85}')
}

/// Adds an issue if a name is too long.
pub(crate) fn check_name(issues: &mut Vec<Issue>, path: &str, name: Option<&str>) {
    check_chars(issues, path, name, NAME_CHARS_MAX);
}

/// Adds an issue if a text has more than `max` characters.
pub(crate) fn check_chars(issues: &mut Vec<Issue>, path: &str, text: Option<&str>, max: usize) {
    if text.is_some_and(|text| text.chars().nth(max).is_some()) {
        issues.push(Issue::new(path, at_most(max)));
    }
}

/// Adds an issue if a text has more than `max` UTF-16 units.
pub(crate) fn check_units(issues: &mut Vec<Issue>, path: &str, text: Option<&str>, max: usize) {
    if text.is_some_and(|text| units(text) > max) {
        issues.push(Issue::new(path, at_most(max)));
    }
}

fn check_text(issues: &mut Vec<Issue>, path: &str, text: &str) {
    check_units(issues, path, Some(text), MESSAGE_UNITS_MAX);
}

fn at_most(max: usize) -> String {
    format!("expected at most {max} characters")
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
    fn read(mut body: Reader) -> Result<Self, Fault> {
        let parts = body.take("parts")?;
        let mut input = Self::deserialize(body)?;
        let parts = parts.map(|parts| parts.items(PARTS_MAX, read_part)).transpose();
        input.parts = parts.map_err(|fault| fault.within("parts"))?;
        Ok(input)
    }
}

fn read_part(part: Reader) -> Result<InputPart, Fault> {
    let kinds: &[Variant<InputPart>] = &[
        ("text", |fields| TextInput::deserialize(fields).map(InputPart::Text)),
        ("file", |fields| FileInput::deserialize(fields).map(InputPart::File)),
        ("agent", |fields| AgentInput::deserialize(fields).map(InputPart::Agent)),
        ("conversation", |fields| ConversationInput::deserialize(fields).map(InputPart::Conversation)),
        ("subtask", |fields| SubtaskInput::deserialize(fields).map(InputPart::Subtask)),
        ("image", |fields| MediaInput::deserialize(fields).map(InputPart::Image)),
        ("audio", |fields| MediaInput::deserialize(fields).map(InputPart::Audio)),
        ("resource", |fields| ResourceInput::deserialize(fields).map(InputPart::Resource)),
        ("json", |fields| JsonInput::deserialize(fields).map(InputPart::Json)),
    ];
    part.variant("type", kinds)
}

impl JsonBody for DecisionInput {
    fn read(body: Reader) -> Result<Self, Fault> {
        let kinds: &[Variant<Self>] = &[
            ("permission", |fields| PermissionAnswer::deserialize(fields).map(Self::Permission)),
            ("question", |fields| QuestionAnswer::deserialize(fields).map(Self::Question)),
            ("question_reject", |fields| QuestionReject::deserialize(fields).map(Self::QuestionReject)),
        ];
        body.variant("kind", kinds)
    }
}

#[cfg(test)]
#[path = "validate_tests.rs"]
mod tests;
