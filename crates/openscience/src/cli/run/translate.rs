//! From the events of a run to the lines that tell it.
//!
//! Pure: the same events give the same lines, whether they come from this process or from a daemon. What an event
//! leaves out because it is too long is named, for the caller to read.
//!
//! What it promises: one session, part ids that are told once, steps that open and close, answers inside a
//! step only, and nothing after the end.

use std::collections::{HashMap, HashSet};

use openscience_protocol::decision::PermissionReply;
use openscience_protocol::event::RuntimeEvent;
use openscience_protocol::message::{
    Message, MessageError, MessageInfo, Part, PartBody, StepFinishPart, Tokens, ToolState,
};
use openscience_protocol::{
    DecisionId, MessageId, Millis, PartId, PermissionRequest, QuestionRequest, RunError, RunId,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::line::{Content, Done, Line, PermissionAsked, Root};
use super::outcome::{Ended, Outcome};

/// What comes of an event.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Told {
    Line(Line),
    /// The event leaves out what this part holds: hand it to [`Translator::part`].
    Part {
        message: MessageId,
        part: PartId,
    },
    /// The same of a prompt: hand it to [`Translator::user`].
    User(MessageId),
    /// Someone has to answer.
    Asked(Ask),
    Ended(Ended),
}

/// What waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Ask {
    Permission(PermissionRequest),
    Question(QuestionRequest),
}

impl Ask {
    pub(super) fn id(&self) -> &DecisionId {
        match self {
            Self::Permission(request) => &request.id,
            Self::Question(request) => &request.id,
        }
    }
}

/// The step that is open.
#[derive(Debug)]
struct Step {
    message: MessageId,
    part: PartId,
}

/// What was told so far of one run.
#[derive(Debug)]
pub(super) struct Translator {
    root: Root,
    /// None until it is accepted.
    run: Option<RunId>,
    at: Millis,
    /// Prompts whose parts are still being told, and those parts; none for one that must be read.
    prompts: HashMap<MessageId, Option<Vec<Part>>>,
    /// Ids that are never told again: parts, and prompts by their message.
    told: HashSet<String>,
    step: Option<Step>,
    asked: HashMap<DecisionId, Ask>,
    tokens: Tokens,
    cost: f64,
    error: Option<MessageError>,
    /// The process was told to stop: what ends now ends by that.
    stopped: bool,
}

impl Translator {
    /// For a session as it stands at that time.
    pub(super) fn new(root: Root, at: Millis) -> Self {
        Self {
            root,
            run: None,
            at,
            prompts: HashMap::new(),
            told: HashSet::new(),
            step: None,
            asked: HashMap::new(),
            tokens: Tokens::default(),
            cost: 0.0,
            error: None,
            stopped: false,
        }
    }

    /// The run to tell of.
    pub(super) fn accepted(&mut self, run: RunId, at: Millis) {
        self.run = Some(run);
        self.at = self.at.max(at);
    }

    /// From here on a step that ends is one that was stopped.
    pub(super) fn stop(&mut self) {
        self.stopped = true;
    }

    /// What the next event comes to.
    pub(super) fn event(&mut self, event: &RuntimeEvent) -> Vec<Told> {
        if self.run.as_ref() != Some(&event.run_id) {
            return Vec::new();
        }
        self.at = self.at.max(event.time);
        let properties = &event.properties;
        match event.event_type.as_str() {
            "message.updated" => self.message(properties),
            "message.part.updated" => return self.part_updated(properties),
            "turn.updated" => return self.turn_updated(properties).into_iter().collect(),
            "permission.asked" => return self.asked(read(properties).map(Ask::Permission)),
            "question.asked" => return self.asked(read(properties).map(Ask::Question)),
            "permission.replied" | "question.replied" | "question.rejected" => {
                return self.answered(properties).map(Told::Line).into_iter().collect();
            }
            "session.error" => self.error = field(properties, "error").or(self.error.take()),
            "runtime.completed" => return vec![Told::Ended(Ended::Completed)],
            "runtime.cancelled" => return vec![Told::Ended(Ended::Cancelled)],
            "runtime.failed" => return vec![Told::Ended(failure(properties))],
            // Nothing a line tells.
            _ => {}
        }
        Vec::new()
    }

    fn message(&mut self, properties: &Value) {
        if let Some(MessageInfo::User(info)) = field(properties, "info")
            && !self.told.contains(info.id.as_str())
        {
            self.prompts.entry(info.id).or_insert_with(|| Some(Vec::new()));
        }
    }

    /// A prompt is whole when its turn waits.
    fn turn_updated(&mut self, properties: &Value) -> Option<Told> {
        let message: MessageId = field(properties, "messageID")?;
        match self.prompts.remove(&message)? {
            Some(parts) => self.user_line(&message, parts).map(Told::Line),
            None => Some(Told::User(message)),
        }
    }

    fn part_updated(&mut self, properties: &Value) -> Vec<Told> {
        let Some(place) = field::<Place>(properties, "part") else { return Vec::new() };
        let whole = field::<Part>(properties, "part");
        if let Some(prompt) = self.prompts.get_mut(&place.message_id) {
            *prompt = match (prompt.take(), whole) {
                (Some(mut parts), Some(part)) if !is_cut(&part) => {
                    parts.push(part);
                    Some(parts)
                }
                _ => None,
            };
            return Vec::new();
        }
        let grows = properties.get("delta").is_some();
        match whole {
            Some(part) if is_cut(&part) && is_told(&part) => self.missing(&place),
            Some(part) => self.part(&part).into_iter().map(Told::Line).collect(),
            // Only its length is told.
            None if !grows && place.time.as_ref().is_some_and(|time| time.end.is_some()) => {
                self.missing(&place)
            }
            None => Vec::new(),
        }
    }

    fn missing(&self, place: &Place) -> Vec<Told> {
        if !self.is_open(&place.message_id) || self.told.contains(place.id.as_str()) {
            return Vec::new();
        }
        vec![Told::Part { message: place.message_id.clone(), part: place.id.clone() }]
    }

    fn is_open(&self, message: &MessageId) -> bool {
        self.step.as_ref().is_some_and(|step| step.message == *message)
    }

    /// A part as it stands; a line only if it is closed, belongs to the open step and was not told.
    pub(super) fn part(&mut self, part: &Part) -> Option<Line> {
        if !is_told(part) || self.told.contains(part.id.as_str()) {
            return None;
        }
        let mut part = part.clone();
        match &mut part.body {
            PartBody::StepStart(_) if self.step.is_none() => {
                self.step = Some(Step { message: part.message_id.clone(), part: part.id.clone() });
            }
            PartBody::StepStart(_) => return None,
            _ if !self.is_open(&part.message_id) => return None,
            PartBody::StepFinish(finish) => {
                self.step = None;
                self.count(finish);
                if self.stopped {
                    "error".clone_into(&mut finish.reason);
                }
            }
            PartBody::Text(_)
            | PartBody::Reasoning(_)
            | PartBody::Tool(_)
            | PartBody::File(_)
            | PartBody::Agent(_)
            | PartBody::Conversation(_)
            | PartBody::Subtask(_)
            | PartBody::Compaction(_) => {}
        }
        self.told.insert(part.id.as_str().to_owned());
        Some(self.line(Content::Part { part: Box::new(part) }))
    }

    fn count(&mut self, finish: &StepFinishPart) {
        let Tokens { input, output, reasoning, cache } = finish.tokens;
        self.tokens.input += input;
        self.tokens.output += output;
        self.tokens.reasoning += reasoning;
        self.tokens.cache.read += cache.read;
        self.tokens.cache.write += cache.write;
        self.cost += finish.cost;
    }

    /// A prompt that was read whole.
    pub(super) fn user(&mut self, message: Message) -> Option<Line> {
        self.user_line(message.info.id(), message.parts)
    }

    fn user_line(&mut self, message: &MessageId, parts: Vec<Part>) -> Option<Line> {
        if !self.told.insert(message.as_str().to_owned()) {
            return None;
        }
        self.told.extend(parts.iter().map(|part| part.id.as_str().to_owned()));
        Some(self.line(Content::User { parts }))
    }

    /// What a message of the transcript says that no event told: the reader was overtaken.
    pub(super) fn catch_up(&mut self, message: Message) -> Vec<Line> {
        match message.info {
            MessageInfo::User(_) => {
                self.prompts.remove(message.info.id());
                self.user(message).into_iter().collect()
            }
            MessageInfo::Assistant(_) => message.parts.iter().filter_map(|part| self.part(part)).collect(),
        }
    }

    /// Something waits for an answer; nothing if it is known already.
    pub(super) fn asked(&mut self, ask: Option<Ask>) -> Vec<Told> {
        let Some(ask) = ask.filter(|ask| !self.asked.contains_key(ask.id())) else { return Vec::new() };
        self.asked.insert(ask.id().clone(), ask.clone());
        vec![Told::Asked(ask)]
    }

    /// Only what was asked is told: a rule's answers are nobody's news.
    fn answered(&mut self, properties: &Value) -> Option<Line> {
        let id: DecisionId = field(properties, "requestID")?;
        let content = match self.asked.get(&id)?.clone() {
            Ask::Permission(request) => Content::Permission {
                request: PermissionAsked {
                    id: request.id,
                    session_id: request.session_id,
                    permission: request.permission,
                    patterns: request.patterns,
                },
                reply: field::<PermissionReply>(properties, "reply")?,
            },
            Ask::Question(request) => {
                Content::Question { request, answers: field(properties, "answers").unwrap_or_default() }
            }
        };
        Some(self.line(content))
    }

    /// The last lines: an open step is closed, what went wrong is told, and how it ended.
    pub(super) fn finish(mut self, ended: &Ended, outcome: &Outcome) -> Vec<Line> {
        let mut lines: Vec<Line> = self.close_step().into_iter().collect();
        if let Some(error) = ended.error(self.error.take()) {
            lines.push(self.line(Content::Error { error }));
        }
        let done = Done {
            status: outcome.status,
            exit_code: outcome.exit_code,
            reason: outcome.reason.clone(),
            agent: self.root.agent.clone(),
            tokens: self.tokens,
            cost: self.cost,
            children: Vec::new(),
        };
        lines.push(self.line(Content::Done(Box::new(done))));
        lines
    }

    fn close_step(&mut self) -> Option<Line> {
        let Step { message, part } = self.step.take()?;
        let body = StepFinishPart { reason: "error".to_owned(), cost: 0.0, tokens: Tokens::default() };
        let part = Part {
            // Named after the step, so that it is nobody else's.
            id: format!("{part}-end").parse().ok()?,
            session_id: self.root.session.clone(),
            message_id: message,
            body: PartBody::StepFinish(body),
        };
        Some(self.line(Content::Part { part: Box::new(part) }))
    }

    fn line(&self, content: Content) -> Line {
        self.root.line(self.at, content)
    }
}

/// Where a part belongs, whole or not.
#[derive(Debug, Deserialize)]
struct Place {
    id: PartId,
    #[serde(rename = "messageID")]
    message_id: MessageId,
    time: Option<openscience_protocol::message::PartTime>,
}

/// True for the parts of an answer that lines tell, once they are closed.
fn is_told(part: &Part) -> bool {
    match &part.body {
        PartBody::Text(text) => text.time.as_ref().is_some_and(|time| time.end.is_some()),
        PartBody::Reasoning(thought) => thought.time.end.is_some(),
        PartBody::Tool(tool) => match tool.state {
            ToolState::Completed(_) | ToolState::Error(_) => true,
            ToolState::Pending(_) | ToolState::Running(_) => false,
        },
        PartBody::StepStart(_) | PartBody::StepFinish(_) => true,
        PartBody::File(_)
        | PartBody::Agent(_)
        | PartBody::Conversation(_)
        | PartBody::Subtask(_)
        | PartBody::Compaction(_) => false,
    }
}

/// True if the event had to leave something of it out.
pub(super) fn is_cut(part: &Part) -> bool {
    let marked = |metadata: &Map<String, Value>| metadata.get("truncated") == Some(&Value::Bool(true));
    match &part.body {
        PartBody::Tool(tool) => {
            let of_state = match &tool.state {
                ToolState::Completed(state) => Some(&state.metadata),
                ToolState::Error(state) => state.metadata.as_ref(),
                ToolState::Running(state) => state.metadata.as_ref(),
                ToolState::Pending(_) => None,
            };
            of_state.is_some_and(marked) || tool.metadata.as_ref().is_some_and(marked)
        }
        PartBody::File(file) => file.source.as_ref().and_then(Value::as_object).is_some_and(marked),
        PartBody::Text(text) => text.metadata.as_ref().is_some_and(marked),
        PartBody::Reasoning(thought) => thought.metadata.as_ref().is_some_and(marked),
        PartBody::StepStart(_)
        | PartBody::StepFinish(_)
        | PartBody::Agent(_)
        | PartBody::Conversation(_)
        | PartBody::Subtask(_)
        | PartBody::Compaction(_) => false,
    }
}

fn failure(properties: &Value) -> Ended {
    match field::<RunError>(properties, "error") {
        Some(error) => Ended::Failed(Box::new(error)),
        None => Ended::failed(openscience_protocol::codes::run::RUN_FAILED, "the run failed"),
    }
}

fn read<T: DeserializeOwned>(value: &Value) -> Option<T> {
    T::deserialize(value).ok()
}

fn field<T: DeserializeOwned>(properties: &Value, name: &str) -> Option<T> {
    read(properties.get(name)?)
}

#[cfg(test)]
mod tests;
