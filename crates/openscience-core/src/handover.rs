//! What is an agent told of a conversation it has lost?
//!
//! The newest of our transcript, bounded, as one text to put before a prompt.
//! Reads no rows and decides nothing about when that is needed.

use std::fmt::Write as _;

use openscience_protocol::message::{ToolPart, ToolState};
use openscience_protocol::{Message, MessageInfo, PartBody};

/// Newest messages that are told.
pub const MESSAGES_MAX: usize = 40;

/// Characters of the whole text.
pub const CHARS_MAX: usize = 40_000;

/// Characters of one message in an excerpt.
pub const MESSAGE_CHARS_MAX: usize = 4_000;

/// Characters of a tool's title: what a tool did is in what the agent said of it.
const TITLE_CHARS_MAX: usize = 200;

const INTRODUCTION: &str = "Your memory of this conversation was lost. Below is what was said in it so far, for you to know; \
                            the message to answer comes after it.";
const LEFT_OUT: &str = "(what came before is left out)";
const END: &str = "(end of what was said so far)";

/// The text for an agent that has lost what nobody here knows.
pub fn unknown() -> String {
    "Your memory of this conversation was lost, and what was said in it is not known here. The message to answer comes next.".to_owned()
}

/// The text for the agent, from the messages before the prompt, oldest first. None if no agent has ever
/// answered: then nothing is lost.
pub fn render(history: &[Message]) -> Option<String> {
    history.iter().find(|message| matches!(message.info, MessageInfo::Assistant(_)))?;
    let spoken: Vec<String> = history.iter().filter_map(said).collect();
    // Room for what stands around the messages, and the blank lines between all of it.
    let room = CHARS_MAX - [INTRODUCTION, LEFT_OUT, END].map(|text| text.len() + 2).iter().sum::<usize>();
    let told = newest(&spoken, room);
    let whole = told.len() == spoken.len() && told.last().copied() == spoken.first().map(String::as_str);
    let left_out = (!whole).then_some(LEFT_OUT);
    let mut text = INTRODUCTION.to_owned();
    for piece in left_out.into_iter().chain(told.into_iter().rev()).chain([END]) {
        text.push_str("\n\n");
        text.push_str(piece);
    }
    (!spoken.is_empty()).then_some(text)
}

/// The newest messages that fit into so many characters, the newest first; of a newest that does not fit, its
/// end.
fn newest(spoken: &[String], mut room: usize) -> Vec<&str> {
    let first = spoken.len().saturating_sub(MESSAGES_MAX);
    let mut told: Vec<&str> = Vec::new();
    for message in spoken.get(first..).unwrap_or_default().iter().rev() {
        let length = message.chars().count() + 2;
        if length > room {
            if told.is_empty() {
                told.push(end(message, room - 2));
            }
            break;
        }
        room -= length;
        told.push(message);
    }
    told
}

/// What another conversation is told of these messages, oldest first, as Markdown. None if nothing was said.
pub fn excerpt(history: &[Message]) -> Option<String> {
    let short = |message: String| match start(&message, MESSAGE_CHARS_MAX) {
        whole if whole.len() == message.len() => message,
        cut => format!("{cut} […]"),
    };
    let spoken: Vec<String> = history.iter().filter_map(said).map(short).collect();
    let told: Vec<&str> = newest(&spoken, CHARS_MAX).into_iter().rev().collect();
    (!told.is_empty()).then(|| told.join("\n\n"))
}

/// A message in words; none if it has none.
fn said(message: &Message) -> Option<String> {
    let role = match message.info {
        MessageInfo::User(_) => "User",
        MessageInfo::Assistant(_) => "Assistant",
    };
    let pieces: Vec<String> = message
        .parts
        .iter()
        .filter_map(|part| words(&part.body))
        .filter(|text| !text.trim().is_empty())
        .collect();
    (!pieces.is_empty()).then(|| format!("{role}: {}", pieces.join("\n")))
}

fn words(body: &PartBody) -> Option<String> {
    match body {
        PartBody::Text(part) => Some(part.text.clone()),
        PartBody::Tool(part) => Some(tool(part)),
        PartBody::File(part) => Some(format!("[file {}]", part.filename.as_deref().unwrap_or(&part.mime))),
        PartBody::Agent(part) => Some(format!("@{}", part.name)),
        PartBody::Conversation(part) => Some(format!("[conversation {}]", part.label)),
        PartBody::Subtask(part) => Some(format!("[subtask {}] {}", part.description, part.prompt)),
        PartBody::Compaction(part) => part.summary.clone(),
        PartBody::Reasoning(_) | PartBody::StepStart(_) | PartBody::StepFinish(_) => None,
    }
}

/// That a tool was used, not what it said.
fn tool(part: &ToolPart) -> String {
    let (title, outcome) = match &part.state {
        ToolState::Completed(state) => (Some(state.title.as_str()), "done"),
        ToolState::Error(_) => (None, "failed"),
        ToolState::Running(state) => (state.title.as_deref(), "not finished"),
        ToolState::Pending(_) => (None, "not finished"),
    };
    let mut text = format!("[tool {}", start(&part.tool, TITLE_CHARS_MAX));
    if let Some(title) = title.filter(|title| !title.is_empty() && *title != part.tool) {
        // Writing to a String cannot fail.
        write!(text, ": {}", start(title, TITLE_CHARS_MAX)).ok();
    }
    text + ", " + outcome + "]"
}

/// The first characters of a text.
fn start(text: &str, chars: usize) -> &str {
    let at = text.char_indices().nth(chars).map_or(text.len(), |(at, _)| at);
    text.get(..at).unwrap_or_default()
}

/// The last characters of a text: what was said last counts most.
fn end(text: &str, chars: usize) -> &str {
    let skipped = text.chars().count().saturating_sub(chars);
    let at = text.char_indices().nth(skipped).map_or(text.len(), |(at, _)| at);
    text.get(at..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use openscience_protocol::Part;
    use serde_json::{Value, json};

    fn message(role: &str, parts: &[Value]) -> Message {
        let info = match role {
            "user" => {
                json!({"role": "user", "id": "msg_1", "sessionID": "ses_1", "time": {"created": 1}, "agent": "research",
                "model": {"providerID": "p", "modelID": "m"}, "effort": "normal"})
            }
            _ => {
                json!({"role": "assistant", "id": "msg_2", "sessionID": "ses_1", "parentID": "msg_1", "modelID": "m",
                "providerID": "p", "mode": "research", "agent": "research", "path": {"cwd": "/", "root": "/"},
                "time": {"created": 1}, "cost": 0.0,
                "tokens": {"input": 0, "output": 0, "reasoning": 0, "cache": {"read": 0, "write": 0}}})
            }
        };
        let part = |body: &Value| -> Part {
            let mut part = json!({"id": "prt_1", "sessionID": "ses_1", "messageID": "msg_1"});
            part.as_object_mut().unwrap().extend(body.as_object().unwrap().clone());
            serde_json::from_value(part).unwrap()
        };
        Message { info: serde_json::from_value(info).unwrap(), parts: parts.iter().map(part).collect() }
    }

    fn text(role: &str, text: &str) -> Message {
        message(role, &[json!({"type": "text", "text": text})])
    }

    #[test]
    fn what_was_said_is_told_in_order_with_who_said_it() {
        let tool = |state: Value| json!({"type": "tool", "callID": "c", "tool": "bash", "state": state});
        let span = json!({"start": 1, "end": 2});
        let answer = message(
            "assistant",
            &[
                json!({"type": "step-start"}),
                json!({"type": "reasoning", "text": "secret thought", "time": {"start": 1}}),
                json!({"type": "text", "text": "I look."}),
                tool(
                    json!({"status": "completed", "input": {}, "output": "long output", "title": "ls -l", "metadata": {}, "time": span}),
                ),
                tool(json!({"status": "error", "input": {}, "error": "no", "time": span})),
                json!({"type": "file", "mime": "image/png", "url": "data:", "filename": "plot.png"}),
            ],
        );
        let told = render(&[text("user", "Ähm, first?"), answer, text("user", "second")]).unwrap();
        let expected = format!(
            "{INTRODUCTION}\n\nUser: Ähm, first?\n\nAssistant: I look.\n[tool bash: ls -l, done]\n[tool bash, failed]\n\
             [file plot.png]\n\nUser: second\n\n{END}"
        );
        assert_eq!(told, expected);
    }

    #[test]
    fn nothing_is_told_where_no_agent_has_answered() {
        assert_eq!(render(&[]), None);
        assert_eq!(render(&[text("user", "never sent")]), None);
        assert_eq!(render(&[message("assistant", &[json!({"type": "step-start"})])]), None);
    }

    #[test]
    fn only_the_newest_messages_are_told() {
        let history: Vec<Message> = (0..100)
            .map(|n| text(if n % 2 == 0 { "user" } else { "assistant" }, &format!("<{n}>")))
            .collect();
        let told = render(&history).unwrap();
        let numbers: Vec<usize> = (0..100).filter(|n| told.contains(&format!("<{n}>"))).collect();
        assert_eq!(numbers, (60..100).collect::<Vec<_>>());
        assert!(told.contains(LEFT_OUT));
        assert!(!render(&history[60..]).unwrap().contains(LEFT_OUT));
    }

    #[test]
    fn the_text_is_bounded_in_characters_and_no_message_is_split_but_the_newest() {
        let long = "é🌾".repeat(6_000);
        let history: Vec<Message> = (0..6)
            .map(|n| text(if n % 2 == 0 { "user" } else { "assistant" }, &format!("<{n}>{long}</{n}>")))
            .collect();
        let told = render(&history).unwrap();
        assert!((36_000..=CHARS_MAX).contains(&told.chars().count()), "{}", told.chars().count());
        for n in 0..6 {
            let (begins, ends) = (told.contains(&format!("<{n}>")), told.contains(&format!("</{n}>")));
            assert_eq!((begins, ends), (n >= 3, n >= 3), "{n}");
        }
        let huge = text("assistant", &("🌾".repeat(100_000) + "the end"));
        let told = render(&[text("user", "<first>"), huge]).unwrap();
        assert!((39_900..=CHARS_MAX).contains(&told.chars().count()), "{}", told.chars().count());
        assert!(
            told.contains(&format!("the end\n\n{END}"))
                && told.contains(LEFT_OUT)
                && !told.contains("<first>")
        );
    }

    #[test]
    fn an_excerpt_has_the_newest_messages_each_of_them_bounded() {
        assert_eq!(excerpt(&[]), None);
        let two = excerpt(&[text("user", "first?"), text("assistant", "yes")]);
        assert_eq!(two.as_deref(), Some("User: first?\n\nAssistant: yes"));
        let long = text("user", &"é".repeat(5_000));
        let told = excerpt(&[long.clone(), text("assistant", "yes")]).unwrap();
        let expected =
            format!("User: {} […]\n\nAssistant: yes", "é".repeat(MESSAGE_CHARS_MAX - "User: ".len()));
        assert_eq!(told, expected);
        let many: Vec<Message> = (0..50).map(|_| long.clone()).collect();
        let told = excerpt(&many).unwrap();
        assert!((36_000..=CHARS_MAX).contains(&told.chars().count()), "{}", told.chars().count());
        let short: Vec<Message> = (0..50).map(|n| text("user", &format!("<{n}>"))).collect();
        let told = excerpt(&short).unwrap();
        assert!(told.starts_with("User: <10>") && told.ends_with("User: <49>"), "{told}");
    }
}
