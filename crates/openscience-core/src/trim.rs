//! Keeps one event within its bound: tool output is cut in the middle, the address of a file that
//! holds the file is left out, the row stays whole.

use openscience_protocol::Part;
use openscience_protocol::message::{FilePart, PartBody, ToolPart, ToolState};
use serde::Serialize;
use serde_json::{Map, Value, json};

use crate::text;

/// Shorter texts are never cut: ids and words stay what they are.
const KEEP_MIN: usize = 256;

/// The part as an event may show it: itself if it fits, else cut and marked `truncated`.
pub(crate) fn for_event(part: &Part, bytes_max: usize) -> Part {
    if weight(part) <= bytes_max {
        return part.clone();
    }
    // Escaping can make one byte six; halving finds a fit without counting escapes.
    let mut keep = bytes_max / 2;
    while keep > KEEP_MIN {
        let smaller = shrink(part, keep);
        if weight(&smaller) <= bytes_max {
            return smaller;
        }
        keep /= 2;
    }
    shrink(part, 0)
}

/// Any JSON object cut until it fits: long texts in their middle, long lists at their end.
///
/// For what has no better way of being shortened; the object is marked `truncated`.
pub(crate) fn fit(value: &Value, bytes_max: usize) -> Value {
    let mut keep = bytes_max / 4;
    loop {
        let mut smaller = cut(value, keep.max(KEEP_MIN));
        if let Value::Object(fields) = &mut smaller {
            fields.insert("truncated".to_owned(), Value::Bool(true));
        }
        if keep <= KEEP_MIN || weight(&smaller) <= bytes_max {
            return smaller;
        }
        keep /= 2;
    }
}

fn cut(value: &Value, keep: usize) -> Value {
    match value {
        Value::String(text) => Value::String(middle(text, keep)),
        Value::Array(items) => {
            let mut left = keep;
            let items = items.iter().map(|item| cut(item, keep));
            Value::Array(items.take_while(|item| take(&mut left, item)).collect())
        }
        Value::Object(fields) => {
            // Our own objects have a few fields and keep them; an agent's may have any number.
            let mut left = keep.saturating_mul(64);
            let fields = fields.iter().map(|(key, field)| (key.clone(), cut(field, keep)));
            Value::Object(fields.take_while(|(key, field)| take(&mut left, &json!([key, field]))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
    }
}

/// Takes the value's weight from what is left; false if it is too heavy.
fn take(left: &mut usize, value: &Value) -> bool {
    let rest = left.checked_sub(weight(value));
    *left = rest.unwrap_or_default();
    rest.is_some()
}

fn shrink(part: &Part, keep: usize) -> Part {
    let body = match &part.body {
        PartBody::Tool(tool) => PartBody::Tool(shrink_tool(tool, keep)),
        PartBody::File(file) => {
            // Half an address leads nowhere: a long one goes as a whole.
            let (url, source) = if file.url.len() > keep {
                (String::new(), json!({ "truncated": true, "bytes": file.url.len() }))
            } else {
                (file.url.clone(), json!({ "truncated": true }))
            };
            PartBody::File(FilePart { url, source: Some(source), ..file.clone() })
        }
        PartBody::Text(_)
        | PartBody::Reasoning(_)
        | PartBody::StepStart(_)
        | PartBody::StepFinish(_)
        | PartBody::Agent(_)
        | PartBody::Conversation(_)
        | PartBody::Subtask(_)
        | PartBody::Compaction(_) => part.body.clone(),
    };
    Part { body, ..part.clone() }
}

fn shrink_tool(tool: &ToolPart, keep: usize) -> ToolPart {
    let mut tool = tool.clone();
    let input =
        |value: &Value| if weight(value) > keep { json!({ "truncated": true }) } else { value.clone() };
    match &mut tool.state {
        ToolState::Pending(state) => {
            state.input = input(&state.input);
            state.raw = middle(&state.raw, keep / 2);
            tool.metadata = Some(thin(&tool.metadata.take().unwrap_or_default(), keep));
        }
        ToolState::Running(state) => {
            state.input = input(&state.input);
            state.metadata = Some(thin(&state.metadata.take().unwrap_or_default(), keep));
        }
        ToolState::Completed(state) => {
            state.input = input(&state.input);
            state.output = middle(&state.output, keep);
            state.metadata = thin(&state.metadata, keep);
        }
        ToolState::Error(state) => {
            state.input = input(&state.input);
            state.error = middle(&state.error, keep);
            state.metadata = Some(thin(&state.metadata.take().unwrap_or_default(), keep));
        }
    }
    tool
}

fn thin(map: &Map<String, Value>, keep: usize) -> Map<String, Value> {
    let mut thinned: Map<String, Value> = map
        .iter()
        .filter_map(|(key, value)| match value {
            Value::String(text) => Some((key.clone(), Value::String(middle(text, (keep / 4).max(64))))),
            _ if weight(value) <= keep / 4 => Some((key.clone(), value.clone())),
            _ => None,
        })
        .collect();
    thinned.insert("truncated".to_owned(), Value::Bool(true));
    thinned
}

/// Bytes of its JSON.
pub(crate) fn weight(value: &impl Serialize) -> usize {
    serde_json::to_string(value).map_or(usize::MAX, |text| text.len())
}

/// Head and tail of a long text with a note of what was left out.
pub(crate) fn middle(text: &str, keep: usize) -> String {
    if text.len() <= keep {
        return text.to_owned();
    }
    let (head, _) = text::cut(text, keep / 2);
    let tail = text::tail(text, keep / 2);
    let left_out = text.len() - head.len() - tail.len();
    format!("{head}\n[{left_out} bytes left out]\n{tail}")
}
