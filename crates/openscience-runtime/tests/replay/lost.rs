//! Was anything lost? Compares what an agent said in a recording with the rows
//! and the journal it became, to the byte.

use std::collections::BTreeMap;

use openscience_protocol::message::PartBody;
use openscience_protocol::row::DecisionState;
use openscience_protocol::{MessageInfo, Part};
use serde_json::{Value, json};

use crate::book::Book;
use crate::recording::{Recording, Speaker};

/// What an agent said in one session, but for the history it repeats while it loads one.
#[derive(Debug, Default)]
struct Said {
    text: String,
    thoughts: String,
    /// Ids of tool calls in the order they came.
    calls: Vec<String>,
    asked: usize,
    plan: Option<Value>,
    usage: Option<Value>,
    commands: Option<Value>,
}

fn said(recording: &Recording, session: &str) -> Said {
    let mut said = Said::default();
    let loading = recording.requests(0, "session/load", session).next();
    let loading = loading.and_then(|(asked, _)| Some(asked..recording.answer(asked)?.0));
    for (at, line) in recording.lines.iter().enumerate() {
        let of_agent = line.speaker == Speaker::Agent && line.session() == Some(session);
        if !of_agent || loading.as_ref().is_some_and(|loading| loading.contains(&at)) {
            continue;
        }
        let Some(update) = line.update() else {
            if line.method() == Some("session/request_permission") {
                said.asked += 1;
                said.call(&line.message["params"]["toolCall"]);
            }
            continue;
        };
        let text = || update["content"]["text"].as_str().unwrap();
        match update["sessionUpdate"].as_str().unwrap() {
            "agent_message_chunk" => said.text.push_str(text()),
            "agent_thought_chunk" => said.thoughts.push_str(text()),
            "tool_call" | "tool_call_update" => said.call(update),
            "plan" => said.plan = Some(update["entries"].clone()),
            "usage_update" => said.usage = Some(json!([update["used"], update["size"]])),
            "available_commands_update" => said.commands = Some(without_nulls(&update["availableCommands"])),
            // Told with the options of the session, and an echo of what we said.
            "config_option_update" | "current_mode_update" | "user_message_chunk" => {}
            other => panic!("no recording has {other}"),
        }
    }
    said
}

/// An optional field may be left out or null; we leave it out.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        Value::Object(fields) => {
            let fields = fields.iter().filter(|(_, field)| !field.is_null());
            Value::Object(fields.map(|(key, field)| (key.clone(), without_nulls(field))).collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.clone(),
    }
}

impl Said {
    fn call(&mut self, call: &Value) {
        let id = call["toolCallId"].as_str().unwrap();
        if !self.calls.iter().any(|known| known == id) {
            self.calls.push(id.to_owned());
        }
    }
}

/// Every word, call, plan, command and number of the agent is in the rows, and told.
pub(crate) fn assert_nothing_is_lost(recording: &Recording, session: &str, book: &Book) {
    let said = said(recording, session);
    let answers = book.messages.iter().filter(|row| matches!(row.info, MessageInfo::Assistant(_)));
    let parts: Vec<Part> = answers.flat_map(|message| book.parts_of(message)).collect();
    let (mut text, mut thoughts, mut calls) = (String::new(), String::new(), Vec::new());
    for part in &parts {
        match &part.body {
            PartBody::Text(body) => text.push_str(&body.text),
            PartBody::Reasoning(body) => thoughts.push_str(&body.text),
            PartBody::Tool(tool) => calls.push(tool.call_id.clone()),
            _ => {}
        }
    }
    assert_eq!((&text, &thoughts, &calls), (&said.text, &said.thoughts, &said.calls));
    let waits = |state| matches!(state, DecisionState::Pending | DecisionState::Indeterminate);
    assert_eq!(book.decisions.len(), said.asked);
    assert!(book.decisions.iter().all(|row| !waits(row.state)), "{:?}", book.decisions);
    let meta = &book.session.meta;
    let plan = |entries: &Value| -> Vec<[String; 3]> {
        let word = |entry: &Value, key: &str| entry[key].as_str().unwrap().to_owned();
        let entries = entries.as_array().unwrap().iter();
        entries.map(|entry| ["content", "status", "priority"].map(|key| word(entry, key))).collect()
    };
    assert_eq!(plan(&json!(meta.todos)), said.plan.as_ref().map(plan).unwrap_or_default());
    assert_eq!(meta.usage.as_ref().map(|usage| json!([usage["used"], usage["size"]])), said.usage);
    assert_eq!(meta.commands, said.commands);
    assert!(book.chunks.is_empty(), "text that still grows after the end");
    assert_journal_tells(book, &parts);
}

/// Whoever only follows the journal ends with the same parts as the rows.
fn assert_journal_tells(book: &Book, parts: &[Part]) {
    let mut told: BTreeMap<String, Value> = BTreeMap::new();
    let mut terminal = None;
    for event in &book.events {
        let body: Value = serde_json::from_str(&event.body).unwrap();
        let (run, part) = (&body["runID"], &body["properties"]["part"]);
        assert_ne!(Some(run), terminal.as_ref(), "told after the end: {body}");
        if event.event_type.starts_with("runtime.") && event.event_type != "runtime.accepted" {
            terminal = Some(run.clone());
        }
        if part.is_null() {
            continue;
        }
        let id = part["id"].as_str().unwrap().to_owned();
        let Some(delta) = body["properties"]["delta"].as_str() else {
            told.insert(id, part.clone());
            continue;
        };
        let known = told.get_mut(&id).unwrap();
        let before = known["text"].as_str().unwrap().to_owned();
        let units = |text: &str| json!(text.encode_utf16().count());
        assert_eq!(body["properties"]["offset"], units(&before));
        known["text"] = json!(before + delta);
        assert_eq!(part["textLength"], units(known["text"].as_str().unwrap()));
    }
    for part in parts {
        assert_eq!(told.get(part.id.as_str()), Some(&json!(part)));
    }
    assert_eq!(terminal, book.runs.last().map(|run| json!(run.id)));
}
