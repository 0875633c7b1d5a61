//! Sessions as people read them.

use std::fmt::{self, Write as _};

use jiff::Timestamp;
use openscience_protocol::message::{MessageInfo, PartBody, ToolState};
use openscience_protocol::{Message, Session};

use super::Shown;
pub(super) use crate::output::printable;

/// Titles in a list are cut to this many characters.
const TITLE_CHARS: usize = 60;

pub(super) fn list(sessions: &[Session], with_directory: bool) -> String {
    if sessions.is_empty() {
        return "no sessions\n".to_owned();
    }
    sessions.iter().map(|session| row(session, with_directory)).collect()
}

fn row(session: &Session, with_directory: bool) -> String {
    let title: String = printable(&session.title).chars().take(TITLE_CHARS).collect();
    let directory =
        if with_directory { format!("  {}", printable(&session.directory)) } else { String::new() };
    let (id, updated) = (&session.id, time(session.time.updated));
    let (agent, workspace) = (printable(session.agent.as_str()), session.workspace.as_str());
    format!("{id}  {updated}  {agent:<10}  {workspace:<8}{directory}  {title}\n")
}

fn time(at: i64) -> String {
    let time = Timestamp::from_millisecond(at).unwrap_or_default();
    format!("{time:.0}")
}

pub(super) fn show(shown: &Shown) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    write(&mut text, shown).ok();
    text
}

fn write(out: &mut String, shown: &Shown) -> fmt::Result {
    let Shown { session, runs, messages } = shown;
    writeln!(out, "{}  {}", session.id, printable(&session.title))?;
    writeln!(out, "agent {}, workspace {}", printable(session.agent.as_str()), session.workspace.as_str())?;
    writeln!(out, "directory {}", printable(&session.directory))?;
    writeln!(out, "created {}, updated {}", time(session.time.created), time(session.time.updated))?;
    for run in runs {
        let error =
            run.error.as_ref().map(|error| format!(" ({}: {})", error.code, printable(&error.message)));
        let error = error.unwrap_or_default();
        writeln!(out, "run {} {}{error}", run.run_id, run.state.as_str())?;
    }
    messages.iter().try_for_each(|entry| message(out, entry))
}

fn message(out: &mut String, message: &Message) -> fmt::Result {
    let (who, at) = match &message.info {
        MessageInfo::User(info) => ("you", info.time.created),
        MessageInfo::Assistant(info) => ("agent", info.time.created),
    };
    writeln!(out, "\n{who}, {}", time(at))?;
    message.parts.iter().try_for_each(|entry| part(out, &entry.body))
}

fn part(out: &mut String, body: &PartBody) -> fmt::Result {
    match body {
        PartBody::Text(text) => lines(out, "  ", &text.text),
        PartBody::Reasoning(thought) => lines(out, "  ~ ", &thought.text),
        PartBody::Tool(tool) => {
            let (state, title) = match &tool.state {
                ToolState::Pending(_) => ("pending", ""),
                ToolState::Running(_) => ("running", ""),
                ToolState::Completed(state) => ("completed", state.title.as_str()),
                ToolState::Error(state) => ("error", state.error.as_str()),
            };
            writeln!(out, "  [{} {state}] {}", printable(&tool.tool), printable(title))
        }
        PartBody::File(file) => {
            writeln!(out, "  [file {}]", printable(file.filename.as_deref().unwrap_or(&file.mime)))
        }
        PartBody::Agent(agent) => writeln!(out, "  @{}", printable(&agent.name)),
        PartBody::Subtask(task) => lines(out, "  ", &task.prompt),
        PartBody::Conversation(conversation) => {
            writeln!(out, "  [conversation {}]", printable(&conversation.label))
        }
        PartBody::Compaction(_) => writeln!(out, "  [compacted]"),
        PartBody::StepStart(_) | PartBody::StepFinish(_) => Ok(()),
    }
}

fn lines(out: &mut String, mark: &str, text: &str) -> fmt::Result {
    text.lines().try_for_each(|line| writeln!(out, "{mark}{}", printable(line)))
}
