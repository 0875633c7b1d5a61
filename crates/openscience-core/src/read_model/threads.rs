//! The conversation as entries in order: one answer and one line of thought a turn, each call of its own.

use openscience_protocol::message::{
    AssistantInfo, FilePart, MessageInfo, PartBody, ReasoningPart, TextPart, ToolPart, ToolState, UserInfo,
};
use openscience_protocol::state::{
    AssistantEntry, ContentPart, PlanEntry, PlanStep, ThoughtEntry, ThreadEntry, ThreadEntryStatus,
    ToolCallEntry, ToolContent, ToolLocation, UserEntry,
};
use openscience_protocol::{Message, Part, Todo};
use serde_json::Value;

use super::objects::{change_type, status};
use super::{Source, items, meta, terminal_ids, text};

pub(super) fn entries(source: &Source<'_>) -> Vec<ThreadEntry> {
    let mut entries = Vec::new();
    for message in &source.rows.messages {
        match &message.info {
            MessageInfo::User(info) => entries.push(user(source, message, info)),
            MessageInfo::Assistant(info) => assistant(source, message, info, &mut entries),
        }
    }
    put_plan(source, &mut entries);
    entries
}

fn user(source: &Source<'_>, message: &Message, info: &UserInfo) -> ThreadEntry {
    let content: Vec<ContentPart> = message.parts.iter().filter_map(content).collect();
    ThreadEntry::UserMessage(UserEntry {
        id: info.id.clone(),
        turn_id: source.turn_of(&message.info),
        text: joined(&content),
        content,
    })
}

/// Answer and thought stand where they begin and hold all that follows of their kind.
fn assistant(source: &Source<'_>, message: &Message, info: &AssistantInfo, entries: &mut Vec<ThreadEntry>) {
    let turn_id = source.turn_of(&message.info);
    let status = match (&info.time.completed, &info.error) {
        (None, _) => ThreadEntryStatus::Streaming,
        (Some(_), Some(_)) => ThreadEntryStatus::Failed,
        (Some(_), None) => ThreadEntryStatus::Completed,
    };
    let output: Vec<ContentPart> =
        message.parts.iter().filter(|part| is_answer(part)).filter_map(content).collect();
    let mut answer = (!output.is_empty()).then(|| {
        let text = joined(&output);
        let id = info.id.clone();
        ThreadEntry::AssistantMessage(AssistantEntry { id, turn_id: turn_id.clone(), text, output, status })
    });
    let thoughts: Vec<&ReasoningPart> = message.parts.iter().filter_map(thought).collect();
    let mut thinking = thoughts.last().map(|last| {
        let over = last.time.end.is_some() && status == ThreadEntryStatus::Streaming;
        ThreadEntry::AssistantThought(ThoughtEntry {
            id: format!("{}-thought", info.id),
            turn_id: turn_id.clone(),
            text: thoughts.iter().map(|part| part.text.as_str()).collect(),
            status: if over { ThreadEntryStatus::Completed } else { status },
        })
    });
    for part in &message.parts {
        match &part.body {
            PartBody::Text(_) | PartBody::File(_) => entries.extend(answer.take()),
            PartBody::Reasoning(_) => entries.extend(thinking.take()),
            PartBody::Tool(tool) => {
                let mut entry = call(source, part, tool);
                entry.turn_id.clone_from(&turn_id);
                entries.push(ThreadEntry::ToolCall(entry));
            }
            PartBody::StepStart(_)
            | PartBody::StepFinish(_)
            | PartBody::Agent(_)
            | PartBody::Conversation(_)
            | PartBody::Subtask(_)
            | PartBody::Compaction(_) => {}
        }
    }
}

fn is_answer(part: &Part) -> bool {
    matches!(part.body, PartBody::Text(_) | PartBody::File(_))
}

fn thought(part: &Part) -> Option<&ReasoningPart> {
    match &part.body {
        PartBody::Reasoning(thought) => Some(thought),
        _ => None,
    }
}

/// All that is text in them; answers after a call are of the same turn and go on.
fn joined(content: &[ContentPart]) -> String {
    let text = |part: &ContentPart| match part {
        ContentPart::Text { text } => Some(text.clone()),
        ContentPart::File { .. }
        | ContentPart::Image { .. }
        | ContentPart::Audio { .. }
        | ContentPart::Resource { .. }
        | ContentPart::Json { .. } => None,
    };
    content.iter().filter_map(text).collect()
}

fn content(part: &Part) -> Option<ContentPart> {
    match &part.body {
        PartBody::Text(TextPart { text, .. }) => Some(ContentPart::Text { text: text.clone() }),
        PartBody::File(file) => Some(file_content(file)),
        PartBody::Agent(agent) => Some(ContentPart::Text { text: format!("@{}", agent.name) }),
        PartBody::Subtask(task) => {
            Some(ContentPart::Text { text: format!("{}\n{}", task.description, task.prompt) })
        }
        PartBody::Conversation(excerpt) => Some(ContentPart::Resource {
            uri: excerpt.snapshot_id.clone(),
            mime_type: "text/markdown".to_owned(),
            text: Some(excerpt.text.clone()),
        }),
        PartBody::Reasoning(_)
        | PartBody::Tool(_)
        | PartBody::StepStart(_)
        | PartBody::StepFinish(_)
        | PartBody::Compaction(_) => None,
    }
}

fn file_content(file: &FilePart) -> ContentPart {
    let (uri, mime_type) = (file.url.clone(), file.mime.clone());
    let embedded = file.source.as_ref().filter(|source| text(source, "type") == Some("resource"));
    if let Some(source) = embedded {
        let text = source.get("text").and_then(|told| text(told, "value")).map(str::to_owned);
        return ContentPart::Resource { uri, mime_type, text };
    }
    match mime_type.split('/').next() {
        Some("image") => ContentPart::Image { uri, mime_type },
        Some("audio") => ContentPart::Audio { uri, mime_type },
        _ => ContentPart::File { uri, mime_type, title: file.filename.clone() },
    }
}

/// A call; its turn is that of its message.
fn call(source: &Source<'_>, part: &Part, tool: &ToolPart) -> ToolCallEntry {
    ToolCallEntry {
        id: part.id.clone(),
        turn_id: None,
        tool_call_id: tool.call_id.clone(),
        title: title(tool),
        tool_kind: meta(tool, "kind").and_then(Value::as_str).map(str::to_owned),
        status: match &tool.state {
            ToolState::Pending(_) => ThreadEntryStatus::Pending,
            ToolState::Running(_) => ThreadEntryStatus::InProgress,
            ToolState::Completed(_) => ThreadEntryStatus::Completed,
            ToolState::Error(_) => ThreadEntryStatus::Failed,
        },
        content: contents(source, tool),
        locations: items(tool, "locations").iter().filter_map(location).collect(),
        raw_input: Some(input(tool).clone())
            .filter(|input| input.as_object().is_none_or(|map| !map.is_empty())),
    }
}

pub(super) fn title(tool: &ToolPart) -> String {
    let told = match &tool.state {
        ToolState::Running(state) => state.title.as_deref(),
        ToolState::Completed(state) => Some(state.title.as_str()),
        ToolState::Pending(_) | ToolState::Error(_) => None,
    };
    let told = told.or_else(|| meta(tool, "title").and_then(Value::as_str));
    told.filter(|title| !title.is_empty()).unwrap_or(&tool.tool).to_owned()
}

pub(super) fn input(tool: &ToolPart) -> &Value {
    match &tool.state {
        ToolState::Pending(state) => &state.input,
        ToolState::Running(state) => &state.input,
        ToolState::Completed(state) => &state.input,
        ToolState::Error(state) => &state.input,
    }
}

/// What a call wrote, as far as it is told.
pub(super) fn output(tool: &ToolPart) -> Option<&str> {
    let told = match &tool.state {
        ToolState::Completed(state) => Some(state.output.as_str()),
        ToolState::Error(state) => Some(state.error.as_str()),
        ToolState::Pending(_) | ToolState::Running(_) => meta(tool, "output").and_then(Value::as_str),
    };
    told.filter(|text| !text.is_empty())
}

fn location(told: &Value) -> Option<ToolLocation> {
    let line = told.get("line").and_then(Value::as_u64);
    Some(ToolLocation { path: text(told, "path")?.to_owned(), line })
}

/// Text, diffs and terminals, each numbered from 1 over all of them.
fn contents(source: &Source<'_>, tool: &ToolPart) -> Vec<ToolContent> {
    let mut contents = Vec::new();
    let shows_terminals = terminal_ids(tool).next().is_some();
    // What a terminal wrote is told with the terminal.
    if let Some(text) = output(tool).filter(|_| !shows_terminals) {
        contents.push(ToolContent::Content { id: "content-1".to_owned(), text: text.to_owned() });
    }
    for told in items(tool, "diffs") {
        let (Some(path), Some(new)) = (text(told, "path"), text(told, "newText")) else { continue };
        let old = text(told, "oldText");
        contents.push(ToolContent::Diff {
            id: format!("diff-{}", contents.len() + 1),
            path: path.to_owned(),
            old_text: old.map(str::to_owned),
            new_text: new.to_owned(),
            change_type: change_type(old),
        });
    }
    for terminal in terminal_ids(tool) {
        let row = source.rows.terminals.iter().find(|row| row.id == terminal);
        let held = source.held.contains(terminal);
        contents.push(ToolContent::Terminal {
            id: format!("terminal-{}", contents.len() + 1),
            terminal_id: terminal.to_owned(),
            status: row.map_or(openscience_protocol::state::TerminalStatus::Unknown, |row| status(row, held)),
            command: row.map(|row| row.command.clone()),
            cwd: row.map(|row| row.cwd.clone()),
            output: row.map(|row| row.output.clone()),
            truncated: row.map(|row| row.truncated),
            exit_code: row.and_then(|row| row.exit_code),
        });
    }
    contents
}

/// The last plan stands behind all else of the turn that told it.
fn put_plan(source: &Source<'_>, entries: &mut Vec<ThreadEntry>) {
    let meta = &source.rows.session.meta;
    if meta.todos.is_empty() {
        return;
    }
    let turn_id = meta.plan_turn.clone();
    let of_turn = |entry: &ThreadEntry| turn_id.is_some() && entry.turn() == turn_id.as_ref();
    let at = entries.iter().rposition(of_turn).map_or(entries.len(), |at| at + 1);
    let step = |todo: &Todo| PlanStep {
        content: todo.content.clone(),
        priority: todo.priority.clone(),
        status: todo.status.clone(),
    };
    let id = turn_id.as_ref().map_or_else(|| "plan".to_owned(), |turn| format!("{turn}-plan"));
    let plan = meta.todos.iter().map(step).collect();
    entries.insert(at, ThreadEntry::Plan(PlanEntry { id, turn_id, plan }));
}
