//! A played recording as text for people: outcomes, transcript, journal. Ids
//! and times are left out, long texts are shortened.

use std::fmt::Write as _;

use openscience_protocol::message::{PartBody, ToolState};
use openscience_protocol::row::{DecisionRow, NewEvent, RunRow, TurnRow};
use openscience_protocol::{MessageInfo, Part, RunError};
use serde_json::{Map, Value};

use crate::book::Book;
use crate::play::Played;

/// Longer texts are shown by their ends.
const TEXT_CHARACTERS_MAX: usize = 240;
const END_CHARACTERS: usize = 80;
/// Longer sections are shown by their ends.
const LINES_MAX: usize = 150;
const END_LINES: usize = 20;

pub(crate) fn render(played: &Played) -> String {
    let mut out = String::new();
    for (number, (_, book)) in (1..).zip(&played.sessions) {
        if played.sessions.len() > 1 {
            line(&mut out, 0, &format!("session {number}"));
        }
        for section in [outcome, transcript, journal] {
            let mut text = String::new();
            section(&mut text, book);
            out.push_str(&clipped(&text));
        }
    }
    for (text, refusal) in &played.refused {
        line(&mut out, 0, &format!("refused {text:?}: {refusal:?}"));
    }
    if !played.unasked.is_empty() {
        line(&mut out, 0, &format!("never asked by us: {}", played.unasked.join(", ")));
    }
    out
}

/// A section without the middle of what goes on and on.
fn clipped(section: &str) -> String {
    let lines: Vec<&str> = section.lines().collect();
    if lines.len() <= LINES_MAX {
        return section.to_owned();
    }
    let (head, rest) = lines.split_at(END_LINES);
    let (middle, tail) = rest.split_at(rest.len() - END_LINES);
    format!("{}\n  … {} lines …\n{}\n", head.join("\n"), middle.len(), tail.join("\n"))
}

fn line(out: &mut String, depth: usize, text: &str) {
    writeln!(out, "{:indent$}{text}", "", indent = depth * 2).unwrap();
}

fn outcome(out: &mut String, book: &Book) {
    line(out, 0, "outcome");
    for (run, turn) in book.runs.iter().zip(&book.turns) {
        line(out, 1, &run_line(run));
        line(out, 2, &turn_line(turn));
    }
    for decision in &book.decisions {
        line(out, 1, &decision_line(decision));
    }
    let meta = &book.session.meta;
    for todo in &meta.todos {
        line(out, 1, &format!("todo {} {} {} {:?}", todo.id, todo.status, todo.priority, todo.content));
    }
    if let Some(usage) = &meta.usage {
        line(out, 1, &format!("usage {usage}"));
    }
    let model = meta.model.as_deref().unwrap_or("none");
    let commands = names(meta.commands.as_ref(), "name");
    let config = names(meta.config.as_ref(), "id");
    line(out, 1, &format!("model {model}; config {config}; commands {commands}"));
}

fn names(list: Option<&Value>, key: &str) -> String {
    let items = list.and_then(Value::as_array).into_iter().flatten();
    let names: Vec<&str> = items.filter_map(|item| item[key].as_str()).collect();
    names.join(" ")
}

fn run_line(run: &RunRow) -> String {
    let mut text = format!("run {}", run.state.as_str());
    if let Some(source) = run.cancel {
        write!(text, " by {}", source.as_str()).unwrap();
    }
    if let Some(reason) = &run.stop_reason {
        write!(text, ", stopReason {reason}").unwrap();
    }
    text + &error(run.error.as_ref())
}

fn turn_line(turn: &TurnRow) -> String {
    let state = serde_json::to_value(turn.state).unwrap();
    let refused = if turn.refused { ", a permission was refused" } else { "" };
    format!("turn {}{refused}{}", word(&state), error(turn.error.as_ref()))
}

fn error(error: Option<&RunError>) -> String {
    let Some(error) = error else { return String::new() };
    let mut text = format!(", {}: {}", error.code, error.message);
    if let Some(stage) = &error.stage {
        write!(text, " (stage {stage})").unwrap();
    }
    if let Some(code) = error.agent_code {
        write!(text, " (agent code {code})").unwrap();
    }
    text
}

fn decision_line(decision: &DecisionRow) -> String {
    let request = decision.permission().unwrap();
    let mut text =
        format!("permission {} {:?} {}", request.permission, request.patterns, decision.state.as_str());
    if let (Some(reply), Some(actor)) = (decision.reply, decision.actor) {
        write!(text, ", {} by {}", reply.as_str(), actor.as_str()).unwrap();
    }
    if let Some(reason) = decision.close_reason {
        write!(text, ", {}", word(&serde_json::to_value(reason).unwrap())).unwrap();
    }
    let told: Vec<&str> = request.metadata.keys().map(String::as_str).collect();
    let options = names(request.metadata.get("options"), "kind");
    write!(text, "; told {}; options {options}; always {:?}", told.join(" "), request.always).unwrap();
    text
}

fn transcript(out: &mut String, book: &Book) {
    line(out, 0, "transcript");
    for message in &book.messages {
        match &message.info {
            MessageInfo::User(_) => line(out, 1, "user"),
            MessageInfo::Assistant(info) => {
                let finish = info.finish.as_deref().unwrap_or("open");
                let model = format!("{}/{}", info.provider_id, info.model_id);
                line(out, 1, &format!("assistant, {model}, mode {}, finish {finish}", info.mode));
                if let Some(error) = &info.error {
                    line(out, 2, &format!("error {} {}", error.name, Value::Object(error.data.clone())));
                }
            }
        }
        for part in book.parts_of(message) {
            self::part(out, &part);
        }
    }
}

fn part(out: &mut String, part: &Part) {
    match &part.body {
        PartBody::Text(body) => {
            let open = body.time.as_ref().is_some_and(|time| time.end.is_none());
            line(out, 2, &format!("text{} {}", if open { " (open)" } else { "" }, short(&body.text)));
        }
        PartBody::Reasoning(body) => {
            let open = if body.time.end.is_none() { " (open)" } else { "" };
            line(out, 2, &format!("reasoning{open} {}", short(&body.text)));
        }
        PartBody::Tool(tool) => {
            line(out, 2, &format!("tool {} {}", tool.tool, tool.call_id));
            state(out, &tool.state);
            if let Some(metadata) = &tool.metadata {
                fields(out, "metadata", metadata);
            }
        }
        PartBody::StepStart(_) => line(out, 2, "step-start"),
        PartBody::StepFinish(body) => {
            let (input, output) = (body.tokens.input, body.tokens.output);
            line(out, 2, &format!("step-finish {}, tokens {input} in {output} out", body.reason));
        }
        PartBody::File(_)
        | PartBody::Agent(_)
        | PartBody::Conversation(_)
        | PartBody::Subtask(_)
        | PartBody::Compaction(_) => panic!("no recording has {part:?}"),
    }
}

fn state(out: &mut String, state: &ToolState) {
    let (status, input) = match state {
        ToolState::Pending(state) => ("pending", &state.input),
        ToolState::Running(state) => ("running", &state.input),
        ToolState::Completed(state) => ("completed", &state.input),
        ToolState::Error(state) => ("error", &state.input),
    };
    line(out, 3, &format!("state {status}"));
    if let Some(input) = input.as_object() {
        fields(out, "input", input);
    }
    match state {
        ToolState::Pending(_) | ToolState::Running(_) => {}
        ToolState::Completed(state) => {
            line(out, 3, &format!("title {}", short(&state.title)));
            line(out, 3, &format!("output {}", short(&state.output)));
            fields(out, "metadata", &state.metadata);
        }
        ToolState::Error(state) => {
            line(out, 3, &format!("error {}", short(&state.error)));
            fields(out, "metadata", state.metadata.as_ref().unwrap_or(&Map::new()));
        }
    }
}

fn fields(out: &mut String, name: &str, fields: &Map<String, Value>) {
    line(out, 3, name);
    for (key, value) in fields {
        let value = match value {
            Value::String(text) => short(text),
            Value::Array(items) => items.iter().map(timeless).collect::<Value>().to_string(),
            other => other.to_string(),
        };
        line(out, 4, &format!("{key} {value}"));
    }
}

/// Without when and how often it changed.
fn timeless(item: &Value) -> Value {
    let mut item = item.clone();
    if let Some(fields) = item.as_object_mut() {
        fields.retain(|key, _| !["revision", "createdAt", "updatedAt"].contains(&key.as_str()));
    }
    item
}

fn short(text: &str) -> String {
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= TEXT_CHARACTERS_MAX {
        return format!("{text:?}");
    }
    let head: String = characters[..END_CHARACTERS].iter().collect();
    let tail: String = characters[characters.len() - END_CHARACTERS..].iter().collect();
    format!("{head:?} … {tail:?} ({} characters)", characters.len())
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

/// One line an event; growth of one text is counted.
fn journal(out: &mut String, book: &Book) {
    line(out, 0, "events");
    let mut lines: Vec<(String, u32)> = Vec::new();
    for event in &book.events {
        let text = event_line(event);
        match lines.last_mut() {
            Some((last, count)) if *last == text && text.ends_with("grows") => *count += 1,
            _ => lines.push((text, 1)),
        }
    }
    for (text, count) in lines {
        let count = if count > 1 { format!(" x{count}") } else { String::new() };
        line(out, 1, &format!("{text}{count}"));
    }
}

fn event_line(event: &NewEvent) -> String {
    let body: Value = serde_json::from_str(&event.body).unwrap();
    let properties = &body["properties"];
    let detail = match event.event_type {
        "message.updated" => {
            let info = &properties["info"];
            format!("{} {}", word(&info["role"]), word(&info["finish"]))
        }
        "message.part.updated" => part_detail(properties),
        "turn.updated" => format!("{} {}", word(&properties["state"]), word(&properties["stopReason"])),
        "session.status" => word(&properties["status"]["type"]).to_owned(),
        "session.context" => format!("{} of {}", properties["used"], properties["size"]),
        "session.updated" => {
            let told = properties.as_object().unwrap().keys().filter(|key| *key != "sessionID");
            told.map(String::as_str).collect::<Vec<_>>().join(" ")
        }
        "session.error" => word(&properties["error"]["name"]).to_owned(),
        "permission.asked" => format!("{} {}", word(&properties["permission"]), properties["patterns"]),
        "permission.replied" => format!("{} by {}", word(&properties["reply"]), word(&properties["actor"])),
        "permission.cancelled" => word(&properties["reason"]).to_owned(),
        "todo.updated" => properties["todos"].as_array().unwrap().len().to_string(),
        "agent.connected" => word(&properties["agentInfo"]["name"]).to_owned(),
        "runtime.failed" => word(&properties["error"]["code"]).to_owned(),
        _ => String::new(),
    };
    format!("{} {} {detail}", event.event_type, word(&body["kind"])).trim_end().to_owned()
}

fn part_detail(properties: &Value) -> String {
    let part = &properties["part"];
    let state = match (part["type"].as_str(), part["time"].as_object()) {
        _ if properties["delta"].is_string() => "grows",
        (Some("tool"), _) => {
            return format!("tool {} {}", word(&part["tool"]), word(&part["state"]["status"]));
        }
        (Some("step-finish"), _) => word(&part["reason"]),
        (_, Some(time)) if time.contains_key("end") => "closes",
        (_, Some(_)) => "opens",
        (_, None) => "",
    };
    format!("{} {state}", word(&part["type"])).trim_end().to_owned()
}
