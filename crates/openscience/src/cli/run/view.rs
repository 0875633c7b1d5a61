//! What is shown of a run: JSON lines for programs, text for people.
//!
//! At a terminal the answer appears as it is said, with a sign of life while nothing is said. Piped, standard output
//! carries the words of the answer and nothing else.

mod screen;

use std::io;

use openscience_protocol::RuntimeEvent;
use openscience_protocol::decision::{Question, QuestionOption};
use openscience_protocol::message::{MessageError, PartBody};
use serde_json::Value;

use self::screen::Screen;
use super::line::{Content, Line};
use super::translate::Ask;
use crate::output::{self, printable};

/// How a run is shown.
#[derive(Debug)]
pub(super) enum View {
    Json,
    /// Words only: standard output is no terminal.
    Plain,
    Screen(Screen),
}

impl View {
    pub(super) fn new(json: bool, terminal: bool) -> Self {
        match (json, terminal) {
            (true, _) => Self::Json,
            (false, false) => Self::Plain,
            (false, true) => Self::Screen(Screen::default()),
        }
    }

    /// True if a sign of life is shown.
    pub(super) fn is_live(&self) -> bool {
        matches!(self, Self::Screen(_))
    }

    /// An event as it comes, before the line it may become.
    pub(super) fn event(&mut self, event: &RuntimeEvent) -> io::Result<()> {
        match self {
            Self::Json | Self::Plain => Ok(()),
            Self::Screen(screen) => screen.event(event),
        }
    }

    pub(super) fn line(&mut self, line: &Line) -> io::Result<()> {
        match self {
            Self::Json => output::answer(&format!("{}\n", serde_json::to_string(line)?)),
            Self::Plain => plain(line),
            Self::Screen(screen) => screen.line(line),
        }
    }

    /// Some time has passed.
    pub(super) fn tick(&mut self) -> io::Result<()> {
        match self {
            Self::Json | Self::Plain => Ok(()),
            Self::Screen(screen) => screen.tick(),
        }
    }

    /// Shows a question to whoever sits at the terminal.
    pub(super) fn ask(&mut self, ask: &Ask) {
        if let Self::Screen(screen) = self {
            screen.pause();
        }
        output::complain(&question(ask));
    }
}

fn plain(line: &Line) -> io::Result<()> {
    match &line.content {
        Content::Part { part } => match &part.body {
            PartBody::Text(text) => output::answer(&format!("{}\n", text.text.trim_end())),
            PartBody::Reasoning(_)
            | PartBody::Tool(_)
            | PartBody::StepStart(_)
            | PartBody::StepFinish(_)
            | PartBody::File(_)
            | PartBody::Agent(_)
            | PartBody::Conversation(_)
            | PartBody::Subtask(_)
            | PartBody::Compaction(_) => Ok(()),
        },
        Content::Error { error } => {
            output::complain(&format!("openscience: {}\n", story(error)));
            Ok(())
        }
        Content::User { .. } | Content::Permission { .. } | Content::Question { .. } | Content::Done(_) => {
            Ok(())
        }
    }
}

/// What went wrong, and below it the last words of the agent: marked, so that no line of it passes for one of ours.
fn story(error: &MessageError) -> String {
    let word = |key: &str| error.data.get(key).and_then(Value::as_str);
    let mut story = word("message").unwrap_or("it failed").to_owned();
    if let Some(exit) = word("exit") {
        story = format!("{story} ({exit})");
    }
    let stderr = word("stderr").unwrap_or_default().lines();
    stderr.fold(story, |story, line| story + "\n  | " + &printable(line))
}

/// The question in words, with what can be answered.
fn question(ask: &Ask) -> String {
    match ask {
        Ask::Permission(request) => {
            let what = printable(&request.patterns.join(", "));
            let session = if request.always.is_empty() { "" } else { "  [s] for this session" };
            let category = printable(&request.permission);
            format!("\nThe agent asks for {category}: {what}\n[y] once{session}  [n] no > ")
        }
        Ask::Question(request) => {
            let text: String = request.questions.iter().map(choices).collect();
            let several =
                if request.questions.len() > 1 { "one answer each, separated by ;" } else { "an answer" };
            text + &format!("A number, {several}, or nothing to dismiss > ")
        }
    }
}

fn choices(question: &Question) -> String {
    let option =
        |(number, option): (usize, &QuestionOption)| format!("  [{number}] {}\n", printable(&option.label));
    let options: String = (1..).zip(&question.options).map(option).collect();
    format!("\n{}\n{options}", printable(&question.question))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_cannot_hide_itself_behind_control_characters() {
        let request = serde_json::json!({
            "id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": ["rm -rf /\r\u{1b}[2Kls"],
            "metadata": {}, "always": [],
        });
        let text = question(&Ask::Permission(serde_json::from_value(request).unwrap()));
        assert_eq!(text, "\nThe agent asks for bash: rm -rf /  [2Kls\n[y] once  [n] no > ");
    }

    #[test]
    fn questions_are_shown_with_their_choices_numbered() {
        let request = serde_json::json!({
            "id": "que_1", "sessionID": "ses_1",
            "questions": [{"question": "Which?", "header": "H", "options": [
                {"label": "A", "description": ""}, {"label": "B", "description": ""},
            ]}],
        });
        let text = question(&Ask::Question(serde_json::from_value(request).unwrap()));
        assert_eq!(text, "\nWhich?\n  [1] A\n  [2] B\nA number, an answer, or nothing to dismiss > ");
    }
}
