//! A recorded conversation: what a client and an agent once said to each other,
//! line by line. Says nothing about what it should come to.

use std::path::PathBuf;

use serde_json::Value;

/// Who said a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speaker {
    Client,
    Agent,
}

/// One message, with when it was said.
#[derive(Debug)]
pub(crate) struct Line {
    /// Milliseconds since the recording began.
    pub(crate) at: u64,
    pub(crate) speaker: Speaker,
    pub(crate) message: Value,
}

impl Line {
    pub(crate) fn method(&self) -> Option<&str> {
        self.message["method"].as_str()
    }

    /// The session a request or notification names.
    pub(crate) fn session(&self) -> Option<&str> {
        self.message["params"]["sessionId"].as_str()
    }

    /// The update of a `session/update`.
    pub(crate) fn update(&self) -> Option<&Value> {
        let told = self.speaker == Speaker::Agent && self.method() == Some("session/update");
        told.then(|| &self.message["params"]["update"])
    }

    /// True for an answer to the request `id` of the other side.
    fn answers(&self, id: &Value) -> bool {
        self.method().is_none() && self.message.get("id") == Some(id)
    }
}

/// A recorded conversation.
#[derive(Debug)]
pub(crate) struct Recording {
    pub(crate) agent: String,
    pub(crate) lines: Vec<Line>,
}

/// Where the recordings of an agent are.
pub(crate) fn folder(agent: &str) -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/acp")).join(agent)
}

impl Recording {
    pub(crate) fn read(agent: &str, name: &str) -> Self {
        let text = std::fs::read_to_string(folder(agent).join(format!("{name}.ndjson"))).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let lines = lines.filter_map(|line| {
            let speaker = match line["dir"].as_str() {
                Some("c2a") => Speaker::Client,
                Some("a2c") => Speaker::Agent,
                // Notes of whoever recorded it, and stderr, which a connection without a process has not.
                _ => return None,
            };
            Some(Line { at: line["t"].as_u64().unwrap(), speaker, message: line["msg"].clone() })
        });
        Self { agent: agent.to_owned(), lines: lines.collect() }
    }

    /// The other side's answer to the request at that line, and where it stands.
    pub(crate) fn answer(&self, at: usize) -> Option<(usize, &Value)> {
        let asked = &self.lines[at];
        let id = asked.message.get("id")?;
        let mut after = self.lines.iter().enumerate().skip(at);
        let answer = after.find(|(_, line)| line.speaker != asked.speaker && line.answers(id));
        answer.map(|(at, line)| (at, &line.message))
    }

    /// The agent's request that the client's answer at that line belongs to.
    pub(crate) fn asked(&self, at: usize) -> &Value {
        let answer = &self.lines[at].message;
        let before = self.lines[..at].iter().rev();
        let mut asked = before.filter(|line| line.speaker == Speaker::Agent && line.method().is_some());
        &asked.find(|line| line.message["id"] == answer["id"]).unwrap().message
    }

    /// Lines from `at` on in which the client asks for `method` in `session`.
    pub(crate) fn requests<'a>(
        &'a self,
        at: usize,
        method: &'a str,
        session: &'a str,
    ) -> impl Iterator<Item = (usize, &'a Line)> {
        let lines = self.lines.iter().enumerate().skip(at);
        lines.filter(move |(_, line)| {
            line.speaker == Speaker::Client
                && line.method() == Some(method)
                && line.session() == Some(session)
        })
    }

    /// True if at that line the session had a prompt without an answer.
    pub(crate) fn busy(&self, at: usize, session: &str) -> bool {
        let prompts = self.requests(0, "session/prompt", session).take_while(|(line, _)| *line < at);
        prompts.into_iter().any(|(line, _)| self.answer(line).is_none_or(|(answered, _)| answered > at))
    }
}

/// The text of a prompt.
pub(crate) fn prompt_text(message: &Value) -> String {
    message["params"]["prompt"][0]["text"].as_str().unwrap().to_owned()
}
