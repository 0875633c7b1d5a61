//! A run at a terminal: the answer as it is said, a line for each tool, and a sign of life.
//!
//! Colours only where the terminal has them and nobody asked for none (`NO_COLOR`).

use std::collections::HashSet;
use std::io::{self, Write as _};

use anstyle::{AnsiColor, Style};
use openscience_protocol::RuntimeEvent;
use openscience_protocol::message::{PartBody, ToolPart, ToolState};
use serde_json::Value;

use crate::cli::run::line::{Content, Done, Line, Status};
use crate::output::printable;

const FRAMES: [&str; 4] = ["⠋", "⠙", "⠴", "⠦"];
const CLEAR: &str = "\r\x1b[2K";
const DIM: Style = Style::new().dimmed();
const BAD: Style = AnsiColor::Red.on_default();
const GOOD: Style = AnsiColor::Green.on_default();

/// What stands on the screen.
#[derive(Debug, Default)]
pub(in crate::cli::run) struct Screen {
    /// Texts of which a beginning is shown.
    begun: HashSet<String>,
    /// A text is being written: the cursor stands behind it.
    within: bool,
    /// A sign of life stands in the last line.
    spinning: bool,
    /// A question is shown: nothing moves until it is answered.
    paused: bool,
    frame: usize,
}

impl Screen {
    pub(super) fn event(&mut self, event: &RuntimeEvent) -> io::Result<()> {
        if event.event_type != "message.part.updated" {
            return Ok(());
        }
        let part = &event.properties["part"];
        let Some(id) = part["id"].as_str().filter(|_| part["type"] == "text") else { return Ok(()) };
        let open = part["time"]["end"].is_null() && part["time"].is_object();
        let begins = open && event.properties.get("delta").is_none();
        let text = if begins {
            self.begun.insert(id.to_owned());
            &part["text"]
        } else {
            &event.properties["delta"]
        };
        match text {
            Value::String(text) if self.begun.contains(id) && !text.is_empty() => self.say(text),
            _ => Ok(()),
        }
    }

    pub(super) fn line(&mut self, line: &Line) -> io::Result<()> {
        self.paused = false;
        match &line.content {
            Content::Part { part } => match &part.body {
                PartBody::Text(_) if self.begun.remove(part.id.as_str()) => self.end_text(),
                PartBody::Text(text) => {
                    self.say(&text.text)?;
                    self.end_text()
                }
                PartBody::Tool(tool) => self.whole_line(&tool_line(tool)),
                PartBody::Reasoning(_)
                | PartBody::StepStart(_)
                | PartBody::StepFinish(_)
                | PartBody::File(_)
                | PartBody::Agent(_)
                | PartBody::Conversation(_)
                | PartBody::Subtask(_)
                | PartBody::Compaction(_) => Ok(()),
            },
            Content::Permission { request, reply } => {
                let what = printable(&request.patterns.join(", "));
                self.whole_line(&format!("{DIM}{} {what}: {}{DIM:#}", request.permission, reply.as_str()))
            }
            Content::Error { error } => {
                let story = super::story(error);
                self.whole_line(&format!("{BAD}{story}{BAD:#}"))
            }
            Content::Done(done) => self.whole_line(&done_line(done)),
            Content::User { .. } | Content::Question { .. } => Ok(()),
        }
    }

    pub(super) fn tick(&mut self) -> io::Result<()> {
        if self.within || self.paused {
            return Ok(());
        }
        self.frame = (self.frame + 1) % FRAMES.len();
        self.spinning = true;
        let frame = FRAMES.get(self.frame).copied().unwrap_or_default();
        write(&format!("{CLEAR}{DIM}{frame} at work{DIM:#}"))
    }

    pub(super) fn pause(&mut self) {
        drop(self.clear());
        self.paused = true;
    }

    fn clear(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.spinning) { write(CLEAR) } else { Ok(()) }
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        self.clear()?;
        self.within = true;
        write(text)
    }

    fn end_text(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.within) { write("\n") } else { Ok(()) }
    }

    fn whole_line(&mut self, text: &str) -> io::Result<()> {
        self.clear()?;
        self.end_text()?;
        write(&format!("{text}\n"))
    }
}

fn tool_line(tool: &ToolPart) -> String {
    let (style, mark, title) = match &tool.state {
        ToolState::Completed(state) => (GOOD, "✓", state.title.as_str()),
        ToolState::Error(state) => (BAD, "✗", state.error.as_str()),
        ToolState::Running(_) | ToolState::Pending(_) => (DIM, "…", ""),
    };
    let title = printable(title.lines().next().unwrap_or_default());
    format!("{style}{mark}{style:#} {} {DIM}{title}{DIM:#}", printable(&tool.tool))
}

fn done_line(done: &Done) -> String {
    let tokens = done.tokens.input + done.tokens.output;
    let (style, word) = match done.status {
        Status::Completed => (DIM, "done"),
        Status::Error => (BAD, "failed"),
        Status::Rejected => (BAD, "rejected"),
    };
    let reason = done.reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default();
    let tokens = if tokens > 0 { format!(", {tokens} tokens") } else { String::new() };
    format!("{style}{word}{reason} ({}{tokens}){style:#}", done.agent)
}

/// Styles are left out where they would not be shown.
fn write(text: &str) -> io::Result<()> {
    let mut stdout = anstream::stdout().lock();
    stdout.write_all(text.as_bytes())?;
    stdout.flush()
}
