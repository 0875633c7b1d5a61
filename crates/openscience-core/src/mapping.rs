//! What an agent tells becomes transcript and events. Nothing is dropped: what
//! is not known is kept raw, what comes late changes its row only.

use agent_client_protocol_schema::MaybeUndefined;
use agent_client_protocol_schema::v1::{
    CompactionStatus, CompactionUpdate, ContentBlock, ContentChunk, EmbeddedResourceResource, PlanEntry,
    PlanUpdateContent, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory, SessionUpdate,
};
use openscience_protocol::message::{
    CompactionPart, FilePart, PartBody, PartTime, ReasoningPart, TextPart, Todo,
};
use openscience_protocol::row::{ChunkRow, PartRow, SessionMeta, SessionPatch};
use openscience_protocol::run::TurnState;
use openscience_protocol::{EventBody, Millis, Part};
use serde_json::{Map, Value, json};

use crate::change::Change;
use crate::input::{AgentUpdate, TextChunk};
use crate::session::{AnswerMessage, Context, Live, State};
use crate::{text, tool};

/// Key under which a text part keeps the agent's id of its message.
const AGENT_MESSAGE: &str = "agentMessageID";

/// A raw update longer than this is told by its word only.
const RAW_BYTES_MAX: usize = 64 << 10;

/// What an update comes to.
pub(crate) fn update(state: &State, update: &AgentUpdate, cx: &mut Context<'_>) -> Vec<Change> {
    match update {
        AgentUpdate::Text(chunk) => text_chunk(state, chunk, cx),
        AgentUpdate::Known(update) => known(state, update, cx),
        AgentUpdate::Unknown { kind, raw } => vec![raw_event(state, kind.clone(), raw.clone())],
        AgentUpdate::Stderr(line) => {
            vec![told(EventBody::AgentStderr { session_id: state.row.id.clone(), line: line.clone() })]
        }
    }
}

fn told(body: EventBody) -> Change {
    Change::Told(Box::new(body))
}

/// The growing answer, while the agent may write into it.
fn active(state: &State) -> Option<(&Live, &AnswerMessage)> {
    let live = state.live.as_ref()?;
    live.open_turn().filter(|turn| turn.state == TurnState::Active)?;
    Some((live, live.answer.as_ref()?))
}

fn known(state: &State, update: &SessionUpdate, cx: &mut Context<'_>) -> Vec<Change> {
    match update {
        // During a turn it is an echo of the prompt.
        SessionUpdate::UserMessageChunk(_) => Vec::new(),
        SessionUpdate::AgentMessageChunk(chunk) | SessionUpdate::AgentThoughtChunk(chunk) => {
            match plain_text(update) {
                Some(text) => text_chunk(state, &text, cx),
                None => content(state, update, chunk, cx),
            }
        }
        SessionUpdate::ToolCall(call) => match active(state) {
            // A new call, even if the last turn had one of that id: some agents count anew each turn.
            Some((live, answer)) => tool::upsert(state, live, answer, &call.clone().into(), cx),
            None => tool_fields(state, &call.clone().into(), cx),
        },
        SessionUpdate::ToolCallUpdate(update) => tool_fields(state, &update.clone().into(), cx),
        SessionUpdate::Plan(plan) => todos(state, &plan.entries),
        SessionUpdate::PlanUpdate(update) => match &update.plan {
            PlanUpdateContent::Items(items) => todos(state, &items.entries),
            _ => vec![raw(state, update)],
        },
        SessionUpdate::PlanRemoved(_) => todos(state, &[]),
        SessionUpdate::AvailableCommandsUpdate(update) => {
            let commands = json!(update.available_commands);
            let meta = SessionMeta { commands: Some(commands.clone()), ..state.row.meta.clone() };
            meta_set(state, meta, |body| body.commands = Some(commands))
        }
        SessionUpdate::CurrentModeUpdate(update) => {
            let mode = update.current_mode_id.to_string();
            let meta = SessionMeta { mode: Some(mode.clone()), ..state.row.meta.clone() };
            meta_set(state, meta, |body| body.mode = Some(mode))
        }
        SessionUpdate::ConfigOptionUpdate(update) => {
            let config = json!(update.config_options);
            let model = model_value(&update.config_options).or_else(|| state.row.meta.model.clone());
            let meta = SessionMeta { config: Some(config.clone()), model, ..state.row.meta.clone() };
            meta_set(state, meta, |body| body.config = Some(config))
        }
        SessionUpdate::SessionInfoUpdate(update) => title(state, &update.title, cx.now),
        SessionUpdate::UsageUpdate(update) => {
            let usage = json!({ "used": update.used, "size": update.size, "cost": update.cost });
            let body = EventBody::SessionContext {
                session_id: state.row.id.clone(),
                used: update.used,
                size: update.size,
                cost: update.cost.as_ref().map(|cost| json!(cost)),
            };
            let meta = SessionMeta { usage: Some(usage), ..state.row.meta.clone() };
            if meta == state.row.meta {
                return Vec::new();
            }
            vec![Change::MetaSet { meta: Box::new(meta), body: Some(Box::new(body)) }]
        }
        SessionUpdate::CompactionUpdate(update) if update.status == CompactionStatus::Completed => {
            compaction(state, update, cx)
        }
        // The schema grows; what it does not name here is shown as it came.
        other => vec![raw(state, other)],
    }
}

fn raw(state: &State, update: &impl serde::Serialize) -> Change {
    let raw = serde_json::to_value(update).ok();
    let kind =
        raw.as_ref().and_then(|raw| raw.get("sessionUpdate")).and_then(Value::as_str).map(str::to_owned);
    raw_event(state, kind, raw)
}

fn raw_event(state: &State, update: Option<String>, raw: Option<Value>) -> Change {
    let raw = raw.filter(|raw| raw.to_string().len() <= RAW_BYTES_MAX);
    let truncated = raw.is_none().then_some(true);
    told(EventBody::AgentRaw { session_id: state.row.id.clone(), update, raw, truncated })
}

/// What a `session.updated` event says.
#[derive(Default)]
struct Updated {
    mode: Option<String>,
    config: Option<Value>,
    commands: Option<Value>,
}

fn meta_set(state: &State, meta: SessionMeta, tell: impl FnOnce(&mut Updated)) -> Vec<Change> {
    if meta == state.row.meta {
        return Vec::new();
    }
    let mut updated = Updated::default();
    tell(&mut updated);
    let Updated { mode, config, commands } = updated;
    let session_id = state.row.id.clone();
    let body = EventBody::SessionUpdated { session_id, title: None, mode, config, commands };
    vec![Change::MetaSet { meta: Box::new(meta), body: Some(Box::new(body)) }]
}

/// The current value of the option that selects the model.
pub fn model_value(options: &[SessionConfigOption]) -> Option<String> {
    let option = model_option(options)?;
    match &option.kind {
        SessionConfigKind::Select(select) => Some(select.current_value.to_string()),
        _ => None,
    }
}

/// As [`model_value`], of options as they are kept.
pub(crate) fn model_of(config: &Value) -> Option<String> {
    let options: Vec<SessionConfigOption> =
        config.as_array()?.iter().filter_map(|option| serde_json::from_value(option.clone()).ok()).collect();
    model_value(&options)
}

/// The option that selects the model.
pub fn model_option(options: &[SessionConfigOption]) -> Option<&SessionConfigOption> {
    options.iter().find(|option| option.category == Some(SessionConfigOptionCategory::Model))
}

fn title(state: &State, title: &MaybeUndefined<String>, now: Millis) -> Vec<Change> {
    let MaybeUndefined::Value(title) = title else { return Vec::new() };
    // A title a person chose stays.
    if state.row.meta.titled || title.is_empty() || *title == state.row.title {
        return Vec::new();
    }
    let title: String = title.chars().take(200).collect();
    let patch = SessionPatch { title: Some(title.clone()), updated: Some(now), ..SessionPatch::default() };
    let session_id = state.row.id.clone();
    let body = EventBody::SessionUpdated {
        session_id,
        title: Some(title),
        mode: None,
        config: None,
        commands: None,
    };
    vec![Change::Patched { patch, body: Some(Box::new(body)) }]
}

fn todos(state: &State, entries: &[PlanEntry]) -> Vec<Change> {
    let word = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let todos: Vec<Todo> = (1..)
        .zip(entries)
        .map(|(index, entry)| Todo {
            id: format!("todo_{index}"),
            content: entry.content.clone(),
            status: word(json!(entry.status)),
            priority: word(json!(entry.priority)),
        })
        .collect();
    let body = EventBody::TodoUpdated { session_id: state.row.id.clone(), todos: todos.clone() };
    let turn = state.live.as_ref().and_then(Live::open_turn).map(|turn| turn.id.clone());
    let known = state.row.meta.clone();
    let plan_turn = if todos == known.todos { known.plan_turn.clone() } else { turn };
    let meta = SessionMeta { todos, plan_turn, ..known };
    if meta == state.row.meta {
        return Vec::new();
    }
    vec![Change::MetaSet { meta: Box::new(meta), body: Some(Box::new(body)) }]
}

fn tool_fields(state: &State, fields: &tool::Fields, cx: &mut Context<'_>) -> Vec<Change> {
    let late = state.recent.as_ref().and_then(|recent| tool::find(recent, &fields.call_id));
    let sealed = state.recent.as_ref().is_some_and(|recent| recent.sealed.contains(&fields.call_id));
    match (active(state), late) {
        (Some((_, answer)), None) if sealed && tool::find(answer, &fields.call_id).is_none() => Vec::new(),
        (Some((live, answer)), None) => tool::upsert(state, live, answer, fields, cx),
        (Some((live, answer)), Some(_)) if tool::find(answer, &fields.call_id).is_some() => {
            tool::upsert(state, live, answer, fields, cx)
        }
        (_, Some(row)) => tool::update(row, fields, &state.terminals, cx.now).into_iter().collect(),
        (None, None) => Vec::new(),
    }
}

/// Text that continues the open part grows it; any other opens a new part.
fn text_chunk(state: &State, chunk: &TextChunk, cx: &mut Context<'_>) -> Vec<Change> {
    if chunk.text.is_empty() {
        return Vec::new();
    }
    let Some((_, answer)) = active(state) else { return late_text(state, chunk) };
    if names_recent(state, chunk) && answer.text.as_ref().and_then(agent_message) != chunk.message.as_deref()
    {
        return late_text(state, chunk);
    }
    let goes_on = |open: &&PartRow| continues(open, chunk, cx.limits.max_part_bytes);
    if let Some(open) = answer.text.as_ref().filter(goes_on) {
        return vec![grow(answer, open, chunk)];
    }
    let mut changes: Vec<Change> = close_text(answer, cx.now).into_iter().collect();
    changes.push(open_text(state, answer, chunk, cx));
    changes
}

/// True if the chunk names the text of an answer that is over.
fn names_recent(state: &State, chunk: &TextChunk) -> bool {
    let recent = state.recent.as_ref().and_then(|recent| recent.text.as_ref()).and_then(agent_message);
    chunk.message.is_some() && recent == chunk.message.as_deref()
}

/// Text of an answer that is over joins its newest part; nobody is told, the row is right.
fn late_text(state: &State, chunk: &TextChunk) -> Vec<Change> {
    let Some(row) = state.recent.as_ref().and_then(|recent| recent.text.as_ref()) else { return Vec::new() };
    // Before the next prompt is written the agent can only go on with its last answer.
    let ours = active(state).is_none() && chunk.message.is_none();
    if is_thought(row) != chunk.thought || !(ours || names_recent(state, chunk)) {
        return Vec::new();
    }
    let mut row = row.clone();
    match &mut row.part.body {
        PartBody::Text(part) => part.text.push_str(&chunk.text),
        PartBody::Reasoning(part) => part.text.push_str(&chunk.text),
        _ => return Vec::new(),
    }
    vec![Change::PartSet(Box::new(row))]
}

fn is_thought(row: &PartRow) -> bool {
    matches!(row.part.body, PartBody::Reasoning(_))
}

fn agent_message(row: &PartRow) -> Option<&str> {
    let metadata = match &row.part.body {
        PartBody::Text(part) => part.metadata.as_ref(),
        PartBody::Reasoning(part) => part.metadata.as_ref(),
        _ => None,
    };
    metadata?.get(AGENT_MESSAGE)?.as_str()
}

fn text_of(row: &PartRow) -> &str {
    match &row.part.body {
        PartBody::Text(part) => &part.text,
        PartBody::Reasoning(part) => &part.text,
        _ => "",
    }
}

fn continues(open: &PartRow, chunk: &TextChunk, bytes_max: usize) -> bool {
    open.open
        && is_thought(open) == chunk.thought
        && agent_message(open) == chunk.message.as_deref()
        && text_of(open).len() + chunk.text.len() <= bytes_max
}

fn grow(answer: &AnswerMessage, open: &PartRow, chunk: &TextChunk) -> Change {
    let offset = answer.text_units;
    let length = offset + text::units(&chunk.text);
    let time = match &open.part.body {
        PartBody::Text(part) => part.time.clone(),
        PartBody::Reasoning(part) => Some(part.time.clone()),
        _ => None,
    };
    let part_type = if chunk.thought { "reasoning" } else { "text" };
    Change::TextGrew {
        chunk: ChunkRow { message: open.message, part: open.position, offset, text: chunk.text.clone() },
        outline: text::outline(&open.part, part_type, length, time),
    }
}

fn open_text(state: &State, answer: &AnswerMessage, chunk: &TextChunk, cx: &mut Context<'_>) -> Change {
    let time = PartTime { start: cx.now, end: None };
    let text = chunk.text.clone();
    let metadata = chunk.message.as_ref().map(|id| Map::from_iter([(AGENT_MESSAGE.to_owned(), json!(id))]));
    let body = if chunk.thought {
        PartBody::Reasoning(ReasoningPart { text, time, metadata })
    } else {
        PartBody::Text(TextPart { text, synthetic: None, time: Some(time), metadata })
    };
    new_part(state, answer, body, true, cx)
}

fn new_part(
    state: &State,
    answer: &AnswerMessage,
    body: PartBody,
    open: bool,
    cx: &mut Context<'_>,
) -> Change {
    let part = Part {
        id: cx.ids.part(cx.now),
        session_id: state.row.id.clone(),
        message_id: answer.row.info.id().clone(),
        body,
    };
    Change::PartSet(Box::new(PartRow {
        message: answer.row.position,
        position: answer.parts + 1,
        part,
        open,
    }))
}

/// Closes the open text part, if there is one.
pub(crate) fn close_text(answer: &AnswerMessage, now: Millis) -> Option<Change> {
    let mut row = answer.text.as_ref().filter(|row| row.open)?.clone();
    row.open = false;
    match &mut row.part.body {
        PartBody::Text(part) => {
            if let Some(time) = &mut part.time {
                time.end = Some(now);
            }
        }
        PartBody::Reasoning(part) => part.time.end = Some(now),
        _ => return None,
    }
    Some(Change::PartSet(Box::new(row)))
}

/// The text of an update that is nothing but text of the agent.
pub(crate) fn plain_text(update: &SessionUpdate) -> Option<TextChunk> {
    let (thought, chunk) = match update {
        SessionUpdate::AgentMessageChunk(chunk) => (false, chunk),
        SessionUpdate::AgentThoughtChunk(chunk) => (true, chunk),
        _ => return None,
    };
    let ContentBlock::Text(text) = &chunk.content else { return None };
    let message = chunk.message_id.as_ref().map(ToString::to_string);
    Some(TextChunk { thought, message, text: text.text.clone() })
}

/// A chunk that is not plain text becomes a file part.
fn content(state: &State, update: &SessionUpdate, chunk: &ContentChunk, cx: &mut Context<'_>) -> Vec<Change> {
    let (Some((_, answer)), Some(file)) = (active(state), file_part(&chunk.content)) else {
        return vec![raw(state, update)];
    };
    let mut changes: Vec<Change> = close_text(answer, cx.now).into_iter().collect();
    changes.push(new_part(state, answer, PartBody::File(file), false, cx));
    changes
}

fn file_part(block: &ContentBlock) -> Option<FilePart> {
    let data = |mime: &str, base64: &str| format!("data:{mime};base64,{base64}");
    let file = |mime: &str, url: String, filename: Option<String>| FilePart {
        mime: mime.to_owned(),
        url,
        filename,
        size: None,
        source: None,
    };
    match block {
        ContentBlock::Image(image) => Some(file(&image.mime_type, data(&image.mime_type, &image.data), None)),
        ContentBlock::Audio(audio) => Some(file(&audio.mime_type, data(&audio.mime_type, &audio.data), None)),
        ContentBlock::ResourceLink(link) => {
            let mime = link.mime_type.as_deref().unwrap_or("application/octet-stream");
            Some(file(mime, link.uri.clone(), Some(link.name.clone())))
        }
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => {
                let mime = text.mime_type.as_deref().unwrap_or("text/plain");
                let source = json!({ "type": "resource", "text": { "value": text.text } });
                Some(FilePart { source: Some(source), ..file(mime, text.uri.clone(), None) })
            }
            EmbeddedResourceResource::BlobResourceContents(blob) => {
                let mime = blob.mime_type.as_deref().unwrap_or("application/octet-stream");
                Some(file(mime, data(mime, &blob.blob), None))
            }
            _ => None,
        },
        _ => None,
    }
}

fn compaction(state: &State, update: &CompactionUpdate, cx: &mut Context<'_>) -> Vec<Change> {
    let Some((_, answer)) = active(state) else { return vec![raw(state, update)] };
    let summary = match &update.summary {
        MaybeUndefined::Value(blocks) => {
            let texts: Vec<&str> = blocks
                .iter()
                .filter_map(|block| match block {
                    ContentBlock::Text(text) => Some(text.text.as_str()),
                    _ => None,
                })
                .collect();
            Some(texts.join("\n"))
        }
        MaybeUndefined::Null | MaybeUndefined::Undefined => None,
    };
    let mut changes: Vec<Change> = close_text(answer, cx.now).into_iter().collect();
    let body = PartBody::Compaction(CompactionPart { auto: true, summary });
    changes.push(new_part(state, answer, body, false, cx));
    changes
}
