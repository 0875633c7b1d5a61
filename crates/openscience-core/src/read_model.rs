//! A session as objects that people look at: thread, diffs, terminals, tool calls, operations, permissions.
//!
//! Derived from rows and from nothing else, so it is the same after a restart and in every process. What changed
//! is told by comparing: whoever follows need not be told of every step.

mod objects;
mod operations;
mod summary;
mod threads;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use openscience_protocol::message::{PartBody, ToolPart, ToolState};
use openscience_protocol::row::{StateRows, TerminalRow};
use openscience_protocol::state::{
    Operation, OperationBundle, OperationLifecycle, OperationPhase, PermissionDecision, PermissionLifecycle,
    PermissionPhase, SessionState, StatePermission, StateTerminal, StateUpdate,
};
use openscience_protocol::{Message, MessageId, MessageInfo, PartId, TurnId};
use serde::Serialize;
use serde_json::{Map, Value};

/// The read model of a session. `held` are the terminals that can be asked for in this process.
pub fn derive(rows: &StateRows, held: &BTreeSet<String>) -> SessionState {
    let source = Source::new(rows, held);
    let terminals = objects::terminals(&source);
    let diffs = objects::diffs(&source);
    let threads = threads::entries(&source);
    let permissions = operations::permissions(&source);
    let operations = operations::operations(&source, &permissions);
    let tool_calls = objects::bundles(&source, &threads, &diffs, &terminals);
    let of = |operation: &Operation| {
        permissions.iter().filter(|request| request.operation_id == operation.id).cloned().collect()
    };
    let bundle = |operation: Operation| OperationBundle { permission_requests: of(&operation), operation };
    SessionState {
        session_id: rows.session.id.clone(),
        // Each of the two only grows, and every change that is told raises one of them.
        revision: rows.session.revision + rows.session.latest_sequence,
        threads,
        diffs,
        terminals,
        tool_calls,
        operations: operations.into_iter().map(bundle).collect(),
        permissions,
        metadata: summary::metadata(rows),
        usage: summary::usage(rows),
    }
}

/// One terminal as people see it. `tool_call` is the call that shows it.
pub fn terminal(row: &TerminalRow, held: bool, tool_call: Option<String>) -> StateTerminal {
    objects::terminal(row, held, tool_call)
}

/// The call that shows a terminal, if one does.
pub fn shown_by(messages: &[Message], terminal: &str) -> Option<String> {
    let mut calls = messages.iter().flat_map(|message| &message.parts).filter_map(|part| match &part.body {
        PartBody::Tool(tool) => Some(tool),
        _ => None,
    });
    let shows = |tool: &&ToolPart| terminal_ids(tool).any(|id| id == terminal);
    calls.rfind(shows).map(|tool| tool.call_id.clone())
}

/// What the objects are made of, with the look-ups they share.
struct Source<'a> {
    rows: &'a StateRows,
    held: &'a BTreeSet<String>,
    turns: HashMap<&'a MessageId, &'a TurnId>,
}

/// A tool call and where it stands.
#[derive(Clone, Copy)]
struct Call<'a> {
    message: &'a Message,
    id: &'a PartId,
    tool: &'a ToolPart,
}

impl<'a> Source<'a> {
    fn new(rows: &'a StateRows, held: &'a BTreeSet<String>) -> Self {
        let turns =
            rows.turns.iter().map(|turn| (&turn.message_id, turn.into_turn_id.as_ref().unwrap_or(&turn.id)));
        Self { rows, held, turns: turns.collect() }
    }

    /// The turn that a message was sent with or answers.
    fn turn_of(&self, message: &MessageInfo) -> Option<TurnId> {
        let asked = match message {
            MessageInfo::User(info) => &info.id,
            MessageInfo::Assistant(info) => &info.parent_id,
        };
        self.turns.get(asked).map(|turn| (*turn).clone())
    }

    /// Every tool call, oldest first.
    fn calls(&self) -> impl Iterator<Item = Call<'a>> {
        let of = |message: &'a Message| message.parts.iter().map(move |part| (message, part));
        self.rows.messages.iter().flat_map(of).filter_map(|(message, part)| match &part.body {
            PartBody::Tool(tool) => Some(Call { message, id: &part.id, tool }),
            _ => None,
        })
    }
}

/// What is known of a call besides its state's own fields.
fn metadata(tool: &ToolPart) -> Option<&Map<String, Value>> {
    match &tool.state {
        ToolState::Pending(_) => tool.metadata.as_ref(),
        ToolState::Running(state) => state.metadata.as_ref(),
        ToolState::Completed(state) => Some(&state.metadata),
        ToolState::Error(state) => state.metadata.as_ref(),
    }
}

fn meta<'a>(tool: &'a ToolPart, key: &str) -> Option<&'a Value> {
    metadata(tool)?.get(key)
}

fn items<'a>(tool: &'a ToolPart, key: &str) -> &'a [Value] {
    meta(tool, key).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, key: &str) -> Option<&'a str> {
    value.get(key)?.as_str()
}

fn terminal_ids(tool: &ToolPart) -> impl Iterator<Item = &str> {
    items(tool, crate::tool::TERMINALS).iter().filter_map(Value::as_str)
}

/// What a follower knows already: a digest of each object.
#[derive(Debug, Clone, Default)]
pub struct Known(BTreeMap<String, u64>);

impl Known {
    /// What came or changed since it was asked last: first what is derived from calls, then the thread, then what
    /// is summed up.
    pub fn news(&mut self, state: &SessionState) -> Vec<StateUpdate> {
        let mut news = Vec::new();
        for diff in &state.diffs {
            if self.learn("diff", &diff.path, diff).is_some() {
                news.push(StateUpdate::DiffUpdated { diff: diff.clone() });
            }
        }
        for terminal in &state.terminals {
            if self.learn("terminal", &terminal.terminal_id, terminal).is_some() {
                news.push(StateUpdate::TerminalUpdated { terminal: terminal.clone() });
            }
        }
        for entry in &state.threads {
            let entry_news = match self.learn("thread", entry.id(), entry) {
                Some(Learned::New) => StateUpdate::ThreadEntryAdded { entry: entry.clone() },
                Some(Learned::Changed) => StateUpdate::ThreadEntryUpdated { entry: entry.clone() },
                None => continue,
            };
            news.push(entry_news);
        }
        for bundle in &state.operations {
            let operation = &bundle.operation;
            if let Some(learned) = self.learn("operation", &operation.id, operation) {
                news.push(operation_news(operation, learned));
            }
            for request in &bundle.permission_requests {
                if self.learn("permission", request.id.as_str(), request).is_some() {
                    news.push(permission_news(operation, request));
                }
            }
        }
        if self.learn("metadata", "", &state.metadata).is_some() {
            news.push(StateUpdate::MetadataProjectionUpdated { metadata: state.metadata.clone() });
        }
        if let Some(usage) = &state.usage
            && self.learn("usage", "", usage).is_some()
        {
            news.push(StateUpdate::UsageProjectionUpdated { usage: *usage });
        }
        news
    }

    fn learn(&mut self, kind: &str, id: &str, object: &impl Serialize) -> Option<Learned> {
        let mut hasher = DefaultHasher::new();
        serde_json::to_string(object).unwrap_or_default().hash(&mut hasher);
        let digest = hasher.finish();
        match self.0.insert(format!("{kind} {id}"), digest) {
            None => Some(Learned::New),
            Some(before) if before != digest => Some(Learned::Changed),
            Some(_) => None,
        }
    }
}

#[derive(Clone, Copy)]
enum Learned {
    New,
    Changed,
}

fn operation_news(operation: &Operation, learned: Learned) -> StateUpdate {
    let lifecycle = match (operation.phase, learned) {
        (OperationPhase::Completed, _) => OperationLifecycle::Completed,
        (OperationPhase::Failed | OperationPhase::Cancelled, _) => OperationLifecycle::Failed,
        (_, Learned::New) => OperationLifecycle::Started,
        (_, Learned::Changed) => OperationLifecycle::Updated,
    };
    let failed = lifecycle == OperationLifecycle::Failed;
    let told = operation.result.as_ref().map(|result| result.output_text.clone());
    StateUpdate::OperationProjectionUpdated {
        turn_id: operation.turn_id.clone(),
        operation: Box::new(operation.clone()),
        lifecycle,
        error_message: told.filter(|text| failed && !text.is_empty()),
    }
}

fn permission_news(operation: &Operation, request: &StatePermission) -> StateUpdate {
    let (lifecycle, decision) = match request.phase {
        PermissionPhase::Pending => (PermissionLifecycle::Requested, None),
        PermissionPhase::Allowed => (PermissionLifecycle::Resolved, Some(PermissionDecision::Allowed)),
        PermissionPhase::Denied => (PermissionLifecycle::Resolved, Some(PermissionDecision::Denied)),
    };
    StateUpdate::PermissionProjectionUpdated {
        operation: Box::new(operation.clone()),
        request: Box::new(request.clone()),
        turn_id: request.turn_id.clone(),
        lifecycle,
        decision,
    }
}
