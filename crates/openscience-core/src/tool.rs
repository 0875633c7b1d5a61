//! Tool parts: one per ACP tool call id, merged from whatever the agent tells
//! in whatever order. A call that has ended never goes back.

mod name;

use agent_client_protocol_schema::v1::{
    ContentBlock, EmbeddedResourceResource, ToolCall, ToolCallContent, ToolCallLocation, ToolCallStatus,
    ToolCallUpdate, ToolKind,
};
use openscience_protocol::message::{
    PartBody, ToolCompleted, ToolError, ToolPart, ToolPending, ToolRunning, ToolSpan, ToolStart, ToolState,
};
use openscience_protocol::row::{PartRow, TerminalRow};
use openscience_protocol::{Millis, Part};
use serde_json::{Map, Value, json};

use crate::change::Change;
use crate::mapping;
use crate::session::{AnswerMessage, Context, Live, State};

/// What one update tells of a tool call; absent is unchanged.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fields {
    pub call_id: String,
    pub name: Option<String>,
    pub kind: Option<ToolKind>,
    pub status: Option<ToolCallStatus>,
    pub title: Option<String>,
    pub content: Option<Vec<ToolCallContent>>,
    pub locations: Option<Vec<ToolCallLocation>>,
    pub raw_input: Option<Value>,
    pub raw_output: Option<Value>,
}

impl From<ToolCall> for Fields {
    fn from(call: ToolCall) -> Self {
        Self {
            call_id: call.tool_call_id.to_string(),
            name: call.name.or_else(|| name::in_meta(call.meta.as_ref())),
            kind: Some(call.kind),
            status: Some(call.status),
            title: Some(call.title),
            content: (!call.content.is_empty()).then_some(call.content),
            locations: (!call.locations.is_empty()).then_some(call.locations),
            raw_input: call.raw_input,
            raw_output: call.raw_output,
        }
    }
}

impl From<ToolCallUpdate> for Fields {
    fn from(update: ToolCallUpdate) -> Self {
        let fields = update.fields;
        Self {
            call_id: update.tool_call_id.to_string(),
            name: fields.name.or_else(|| name::in_meta(update.meta.as_ref())),
            kind: fields.kind,
            status: fields.status,
            title: fields.title,
            content: fields.content,
            locations: fields.locations,
            raw_input: fields.raw_input,
            raw_output: fields.raw_output,
        }
    }
}

/// What a permission request tells of its call. Its texts explain the question: they are no output.
pub(crate) fn asked(call: &ToolCallUpdate) -> Fields {
    let mut fields = Fields::from(call.clone());
    if let Some(content) = &mut fields.content {
        content.retain(|item| matches!(item, ToolCallContent::Diff(_)));
    }
    fields
}

/// Opens or updates the part of a tool call in the growing answer.
pub(crate) fn upsert(
    state: &State,
    live: &Live,
    answer: &AnswerMessage,
    fields: &Fields,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    debug_assert!(live.answer.is_some(), "a tool belongs to an answer");
    if answer.sealed.contains(&fields.call_id) {
        return Vec::new();
    }
    if let Some(row) = find(answer, &fields.call_id) {
        return update(row, fields, &state.terminals, cx.now).into_iter().collect();
    }
    let mut changes: Vec<Change> = mapping::close_text(answer, cx.now).into_iter().collect();
    let mut view = View::new(&fields.call_id);
    view.apply(fields, cx.now);
    view.apply_terminals(fields, &state.terminals);
    let part = Part {
        id: cx.ids.part(cx.now),
        session_id: state.row.id.clone(),
        message_id: answer.row.info.id().clone(),
        body: PartBody::Tool(view.render()),
    };
    let row = PartRow { message: answer.row.position, position: answer.parts + 1, part, open: false };
    changes.push(Change::PartSet(Box::new(row)));
    changes
}

/// The part of a tool call, if the answer has one.
pub(crate) fn find<'a>(answer: &'a AnswerMessage, call_id: &str) -> Option<&'a PartRow> {
    answer.tools.iter().find(|row| matches!(&row.part.body, PartBody::Tool(tool) if tool.call_id == call_id))
}

/// A request with what was told of its call before: some agents send only the call's id with it.
pub(crate) fn filled(answer: &AnswerMessage, update: &ToolCallUpdate) -> ToolCallUpdate {
    let mut update = update.clone();
    let known = find(answer, &update.tool_call_id.to_string()).map(|row| &row.part.body);
    let Some(PartBody::Tool(part)) = known else { return update };
    let mut view = View::of(part);
    let fields = &mut update.fields;
    let told = |value: Option<Value>| value.and_then(|value| serde_json::from_value(value).ok());
    fields.kind = fields.kind.filter(|kind| *kind != ToolKind::Other).or(told(view.meta.remove("kind")));
    fields.name = fields.name.take().or(view.tool.filter(|name| name != "other"));
    fields.title = fields.title.take().or(view.title);
    let input = Some(view.input).filter(|input| input.as_object().is_none_or(|input| !input.is_empty()));
    fields.raw_input = fields.raw_input.take().or(input);
    if fields.locations.as_ref().is_none_or(Vec::is_empty)
        && let Some(locations) = view.meta.remove("locations")
    {
        fields.locations = serde_json::from_value(locations).ok();
    }
    update
}

/// The part after an update, if that says anything new.
pub(crate) fn update(
    row: &PartRow,
    fields: &Fields,
    terminals: &[TerminalRow],
    now: Millis,
) -> Option<Change> {
    let PartBody::Tool(tool) = &row.part.body else { return None };
    let mut view = View::of(tool);
    view.apply(fields, now);
    view.apply_terminals(fields, terminals);
    let body = PartBody::Tool(view.render());
    (body != row.part.body).then(|| {
        Change::PartSet(Box::new(PartRow { part: Part { body, ..row.part.clone() }, ..row.clone() }))
    })
}

/// Ends tool calls that the turn left open.
pub(crate) fn close_open(answer: &AnswerMessage, why: &str, now: Millis) -> Vec<Change> {
    let close = |row: &PartRow| {
        let PartBody::Tool(tool) = &row.part.body else { return None };
        let mut view = View::of(tool);
        if matches!(view.phase, Phase::Completed | Phase::Failed) {
            return None;
        }
        view.phase = Phase::Failed;
        view.ended = Some(now);
        view.started = view.started.or(Some(now));
        view.failure = Some(why.to_owned());
        view.meta.insert("interrupted".to_owned(), Value::Bool(true));
        let part = Part { body: PartBody::Tool(view.render()), ..row.part.clone() };
        Some(Change::PartSet(Box::new(PartRow { part, ..row.clone() })))
    };
    answer.tools.iter().filter_map(close).collect()
}

/// True if the call has ended.
pub(crate) fn is_over(part: &ToolPart) -> bool {
    match part.state {
        ToolState::Completed(_) | ToolState::Error(_) => true,
        ToolState::Pending(_) | ToolState::Running(_) => false,
    }
}

/// About how many bytes of text a call holds.
pub(crate) fn size(part: &ToolPart) -> usize {
    let told = match &part.state {
        ToolState::Pending(state) => text_in(&state.input) + state.raw.len(),
        ToolState::Running(state) => text_in(&state.input) + state.metadata.as_ref().map_or(0, texts_in),
        ToolState::Completed(state) => text_in(&state.input) + state.output.len() + texts_in(&state.metadata),
        ToolState::Error(state) => {
            text_in(&state.input) + state.error.len() + state.metadata.as_ref().map_or(0, texts_in)
        }
    };
    told + part.metadata.as_ref().map_or(0, texts_in)
}

fn texts_in(map: &Map<String, Value>) -> usize {
    map.iter().map(|(key, value)| key.len() + text_in(value)).sum()
}

fn text_in(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(|item| 16 + text_in(item)).sum(),
        Value::Object(map) => texts_in(map),
        Value::Null | Value::Bool(_) | Value::Number(_) => 8,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Pending,
    Running,
    Completed,
    Failed,
}

/// A tool part taken apart, so that fields can be merged whatever its state.
struct View {
    call_id: String,
    tool: Option<String>,
    phase: Phase,
    title: Option<String>,
    input: Value,
    output: Option<String>,
    failure: Option<String>,
    meta: Map<String, Value>,
    started: Option<Millis>,
    ended: Option<Millis>,
}

impl View {
    fn new(call_id: &str) -> Self {
        Self {
            call_id: call_id.to_owned(),
            tool: None,
            phase: Phase::Pending,
            title: None,
            input: json!({}),
            output: None,
            failure: None,
            meta: Map::new(),
            started: None,
            ended: None,
        }
    }

    fn of(part: &ToolPart) -> Self {
        let mut view = Self { tool: Some(part.tool.clone()), ..Self::new(&part.call_id) };
        match &part.state {
            ToolState::Pending(state) => {
                view.input = state.input.clone();
                view.meta = part.metadata.clone().unwrap_or_default();
            }
            ToolState::Running(state) => {
                view.phase = Phase::Running;
                view.input = state.input.clone();
                view.meta = state.metadata.clone().unwrap_or_default();
                view.title.clone_from(&state.title);
                view.started = Some(state.time.start);
            }
            ToolState::Completed(state) => {
                view.phase = Phase::Completed;
                view.input = state.input.clone();
                view.meta.clone_from(&state.metadata);
                view.title = Some(state.title.clone());
                view.output = Some(state.output.clone());
                (view.started, view.ended) = (Some(state.time.start), Some(state.time.end));
            }
            ToolState::Error(state) => {
                view.phase = Phase::Failed;
                view.input = state.input.clone();
                view.meta = state.metadata.clone().unwrap_or_default();
                view.failure = Some(state.error.clone());
                (view.started, view.ended) = (Some(state.time.start), Some(state.time.end));
            }
        }
        if view.output.is_none() {
            view.output = view.meta.remove("output").and_then(|v| v.as_str().map(str::to_owned));
        }
        if view.title.is_none() {
            view.title = view.meta.remove("title").and_then(|v| v.as_str().map(str::to_owned));
        }
        view
    }

    fn apply(&mut self, fields: &Fields, now: Millis) {
        let kind = fields.kind.filter(|kind| *kind != ToolKind::Other).map(kind_word);
        if let Some(kind) = kind {
            self.meta.insert("kind".to_owned(), Value::String(kind.to_owned()));
        }
        let better = fields.name.clone().or_else(|| match self.tool.as_deref() {
            None | Some("other") => kind.map(str::to_owned),
            Some(_) => None,
        });
        self.tool = better.or(self.tool.take());
        if let Some(title) = fields.title.as_ref().filter(|title| !title.is_empty()) {
            self.title = Some(title.clone());
        }
        if let Some(input) = &fields.raw_input {
            self.input = input.clone();
        }
        if let Some(locations) = &fields.locations {
            self.meta.insert("locations".to_owned(), json!(locations));
        }
        self.apply_output(fields, now);
        self.apply_status(fields.status, now);
    }

    fn apply_output(&mut self, fields: &Fields, now: Millis) {
        let content = fields.content.as_deref().unwrap_or_default();
        let before = self.meta.get("diffs").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let diffs: Vec<Value> = content
            .iter()
            .filter_map(|item| match item {
                ToolCallContent::Diff(diff) => {
                    let told =
                        json!({ "path": diff.path, "oldText": diff.old_text, "newText": diff.new_text });
                    Some(diff_after(before, told, now))
                }
                _ => None,
            })
            .collect();
        if !diffs.is_empty() {
            self.meta.insert("diffs".to_owned(), Value::Array(diffs));
        }
        let terminals: Vec<Value> = content
            .iter()
            .filter_map(|item| match item {
                ToolCallContent::Terminal(terminal) => Some(json!(terminal.terminal_id)),
                _ => None,
            })
            .collect();
        if !terminals.is_empty() {
            self.meta.insert(TERMINALS.to_owned(), Value::Array(terminals));
        }
        let texts: Vec<String> = content.iter().filter_map(content_text).collect();
        let told = (!texts.is_empty()).then(|| texts.join("\n"));
        if let Some(output) = told.or_else(|| fields.raw_output.as_ref().map(raw_text)) {
            self.output = Some(output);
        }
        if let Some(code) = fields.raw_output.as_ref().and_then(|raw| raw.get("exit_code")?.as_i64()) {
            self.meta.insert("exitCode".to_owned(), json!(code));
        }
    }

    /// What its terminals wrote is its output, where the agent tells no other with the update.
    fn apply_terminals(&mut self, fields: &Fields, terminals: &[TerminalRow]) {
        let told = fields.content.iter().flatten().any(|item| content_text(item).is_some());
        let ids = self.meta.get(TERMINALS).and_then(Value::as_array);
        let Some(ids) = ids.filter(|_| !told && fields.raw_output.is_none()) else { return };
        let shown =
            ids.iter().filter_map(|id| terminals.iter().find(|row| Some(row.id.as_str()) == id.as_str()));
        let shown: Vec<&str> = shown.map(|row| row.output.as_str()).collect();
        if !shown.is_empty() {
            self.output = Some(shown.join("\n"));
        }
    }

    fn apply_status(&mut self, status: Option<ToolCallStatus>, now: Millis) {
        if matches!(self.phase, Phase::Completed | Phase::Failed) {
            return;
        }
        match status {
            Some(ToolCallStatus::InProgress) => {
                self.phase = Phase::Running;
                self.started = self.started.or(Some(now));
            }
            Some(ToolCallStatus::Completed) => self.end(Phase::Completed, now),
            Some(ToolCallStatus::Failed) => self.end(Phase::Failed, now),
            // A newer word than the schema knows says nothing about the end.
            Some(_) | None => {}
        }
    }

    fn end(&mut self, phase: Phase, now: Millis) {
        self.phase = phase;
        self.started = self.started.or(Some(now));
        self.ended = Some(now);
    }

    fn render(self) -> ToolPart {
        let Self { call_id, tool, phase, title, input, output, failure, mut meta, started, ended } = self;
        let start = started.unwrap_or_default();
        let span = ToolSpan { start, end: ended.unwrap_or(start) };
        let mut metadata = None;
        let keep = |meta: &mut Map<String, Value>, key: &str, value: Option<String>| {
            if let Some(value) = value {
                meta.insert(key.to_owned(), Value::String(value));
            }
        };
        let state = match phase {
            Phase::Pending => {
                keep(&mut meta, "title", title);
                keep(&mut meta, "output", output);
                metadata = (!meta.is_empty()).then_some(meta);
                let raw = if input.as_object().is_some_and(Map::is_empty) {
                    String::new()
                } else {
                    input.to_string()
                };
                ToolState::Pending(ToolPending { input, raw })
            }
            Phase::Running => {
                keep(&mut meta, "output", output);
                let meta = (!meta.is_empty()).then_some(meta);
                ToolState::Running(ToolRunning { input, title, metadata: meta, time: ToolStart { start } })
            }
            Phase::Completed => ToolState::Completed(ToolCompleted {
                input,
                output: output.unwrap_or_default(),
                title: title.unwrap_or_default(),
                metadata: meta,
                time: span,
            }),
            Phase::Failed => {
                keep(&mut meta, "title", title);
                let told = output.clone().filter(|output| !output.is_empty());
                let error = failure.or(told).unwrap_or_else(|| "the tool failed".to_owned());
                keep(&mut meta, "output", output.filter(|output| *output != error));
                ToolState::Error(ToolError {
                    input,
                    error,
                    metadata: (!meta.is_empty()).then_some(meta),
                    time: span,
                })
            }
        };
        ToolPart { call_id, tool: tool.unwrap_or_else(|| "other".to_owned()), state, metadata }
    }
}

/// Names the terminals that a call shows.
pub(crate) const TERMINALS: &str = "terminals";

/// A diff with how often and when it changed within its call.
fn diff_after(before: &[Value], mut told: Value, now: Millis) -> Value {
    let known = before.iter().find(|known| known["path"] == told["path"]);
    if let Some(known) = known
        && known["oldText"] == told["oldText"]
        && known["newText"] == told["newText"]
    {
        return known.clone();
    }
    let revision = known.and_then(|known| known["revision"].as_i64()).unwrap_or_default() + 1;
    let created = known.and_then(|known| known["createdAt"].as_i64()).unwrap_or(now);
    told["revision"] = json!(revision);
    told["createdAt"] = json!(created);
    told["updatedAt"] = json!(now);
    told
}

/// ACP's word for a tool kind.
pub(crate) fn kind_word(kind: ToolKind) -> &'static str {
    match kind {
        ToolKind::Read => "read",
        ToolKind::Edit => "edit",
        ToolKind::Delete => "delete",
        ToolKind::Move => "move",
        ToolKind::Search => "search",
        ToolKind::Execute => "execute",
        ToolKind::Think => "think",
        ToolKind::Fetch => "fetch",
        ToolKind::SwitchMode => "switch_mode",
        _ => "other",
    }
}

/// The text of an item, if it is text or names a resource.
pub(crate) fn content_text(item: &ToolCallContent) -> Option<String> {
    let ToolCallContent::Content(content) = item else { return None };
    match &content.content {
        ContentBlock::Text(text) => Some(text.text.clone()),
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => Some(text.text.clone()),
            _ => None,
        },
        ContentBlock::ResourceLink(link) => Some(link.uri.clone()),
        _ => None,
    }
}

/// Raw output as text: a string as it is; an object by the field that holds its text, if it has one.
fn raw_text(raw: &Value) -> String {
    // codex tells stdout, stderr and both together; opencode tells `output`.
    let keys = ["formatted_output", "aggregated_output", "output"];
    let texts = || keys.into_iter().filter_map(|key| raw.get(key)?.as_str());
    match raw {
        Value::String(text) => text.clone(),
        // Where all of them are empty the tool said nothing.
        _ => texts()
            .find(|text| !text.is_empty())
            .or_else(|| texts().next())
            .map_or_else(|| raw.to_string(), str::to_owned),
    }
}

#[cfg(test)]
mod tests;
