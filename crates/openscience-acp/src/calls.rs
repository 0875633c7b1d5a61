//! What is asked of an agent: sessions, options, prompts, answers.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    AuthenticateRequest, CancelNotification, ContentBlock, PromptRequest, SessionConfigKind,
    SessionConfigOption, SessionConfigOptionValue, SetSessionConfigOptionRequest, SetSessionModeRequest,
};
use openscience_core::input::{Given, RequestKey};
use openscience_protocol::{McpServer, TurnId};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep_until};

use crate::channel::EventSink;
use crate::connection::{Connection, OpenedSession};
use crate::error::{AgentError, Stage};
use crate::handlers;
use crate::pending::{CallError, Pending, Reply};
use crate::record::Note;
use crate::state::{Ask, LiveTurn, Outgoing, Shared, State, Written, answer_line, call_line};

/// Where a session works and which MCP servers it gets.
#[derive(Debug, Clone, Copy)]
pub struct Opening<'a> {
    pub cwd: &'a Path,
    /// Remote ones only for an agent whose capabilities say that it can reach them.
    pub mcp_servers: &'a [McpServer],
    /// Instructions of the session, if this agent is told of them here.
    pub system_prompt: Option<SystemPrompt<'a>>,
}

/// Instructions of a session, and where they stand in the request.
#[derive(Debug, Clone, Copy)]
pub enum SystemPrompt<'a> {
    /// `systemPrompt`: only for an agent that advertises it. Told with every opening.
    Standard(&'a str),
    /// `_meta.systemPrompt`: told to a new session only.
    Meta(&'a str),
}

impl<'a> From<&'a Path> for Opening<'a> {
    /// Without MCP servers.
    fn from(cwd: &'a Path) -> Self {
        Self { cwd, mcp_servers: &[], system_prompt: None }
    }
}

impl Connection {
    /// Creates a session. Its events go to `sink`; those told before the answer come first.
    pub async fn new_session(
        &self,
        opening: impl Into<Opening<'_>>,
        sink: EventSink,
    ) -> Result<OpenedSession, AgentError> {
        self.open("session/new", None, opening.into(), sink).await
    }

    /// Opens a session the agent has stored. The history it tells meanwhile is counted, not told on.
    pub async fn load_session(
        &self,
        id: &str,
        opening: impl Into<Opening<'_>>,
        sink: EventSink,
    ) -> Result<OpenedSession, AgentError> {
        self.open("session/load", Some(id), opening.into(), sink).await
    }

    /// As [`Self::load_session`], and the history is told to `sink` before this returns: it must be
    /// read meanwhile.
    pub async fn load_history(
        &self,
        id: &str,
        opening: impl Into<Opening<'_>>,
        sink: EventSink,
    ) -> Result<OpenedSession, AgentError> {
        let keep = Some(sink.clone());
        self.open_with("session/load", Some(id), opening.into(), sink, keep).await
    }

    /// Makes another session of an open one, with its conversation so far. Nobody listens to it yet.
    pub async fn fork_session(
        &self,
        id: &str,
        opening: impl Into<Opening<'_>>,
    ) -> Result<String, AgentError> {
        let request = OpenParams::new(Some(id), &opening.into());
        let shared = &self.0.shared;
        let timeout = shared.limits.open_timeout;
        let answer = shared.call("session/fork", &request, Stage::Session, timeout).await?;
        let raw: Value = serde_json::from_str(answer.get()).unwrap_or_default();
        let forked = raw.get("sessionId").and_then(Value::as_str).map(str::to_owned);
        forked.ok_or(AgentError::BadAnswer { stage: Stage::Session })
    }

    /// Has the agent free what it holds of a session. Its history stays with the agent.
    pub async fn close_session(&self, id: &str) -> Result<(), AgentError> {
        let shared = &self.0.shared;
        let timeout = shared.limits.open_timeout;
        shared.call("session/close", &json!({ "sessionId": id }), Stage::Session, timeout).await?;
        Ok(())
    }

    /// A page of the sessions the agent knows of that directory, as it told them.
    pub async fn list_sessions(&self, cwd: &Path, cursor: Option<&str>) -> Result<Value, AgentError> {
        let mut request = json!({ "cwd": cwd });
        if let Some(cursor) = cursor {
            request["cursor"] = json!(cursor);
        }
        let shared = &self.0.shared;
        let timeout = shared.limits.open_timeout;
        let answer = shared.call("session/list", &request, Stage::Session, timeout).await?;
        serde_json::from_str(answer.get()).map_err(|_| AgentError::BadAnswer { stage: Stage::Session })
    }

    /// Opens a session the agent has stored, without its history.
    pub async fn resume_session(
        &self,
        id: &str,
        opening: impl Into<Opening<'_>>,
        sink: EventSink,
    ) -> Result<OpenedSession, AgentError> {
        self.open("session/resume", Some(id), opening.into(), sink).await
    }

    async fn open(
        &self,
        method: &str,
        id: Option<&str>,
        opening: Opening<'_>,
        sink: EventSink,
    ) -> Result<OpenedSession, AgentError> {
        self.open_with(method, id, opening, sink, None).await
    }

    async fn open_with(
        &self,
        method: &str,
        id: Option<&str>,
        opening: Opening<'_>,
        sink: EventSink,
        history: Option<EventSink>,
    ) -> Result<OpenedSession, AgentError> {
        let shared = &self.0.shared;
        let request = OpenParams::new(id, &opening);
        let pending = |reply| Pending::Open { session: id.map(str::to_owned), sink, history, reply };
        let timeout = shared.limits.open_timeout;
        let answer = shared.request(method, &request, Stage::Session, timeout, pending).await?;
        let raw: Value = serde_json::from_str(answer.get()).unwrap_or_default();
        let session_id = match id {
            Some(id) => id.to_owned(),
            None => raw
                .get("sessionId")
                .and_then(Value::as_str)
                .ok_or(AgentError::BadAnswer { stage: Stage::Session })?
                .to_owned(),
        };
        let config_options = raw.get("configOptions").and_then(options);
        if let Some(options) = &config_options {
            shared.lock().note_switches(&session_id, options);
        }
        let modes = raw.get("modes").and_then(|modes| Deserialize::deserialize(modes).ok());
        Ok(OpenedSession { session_id, modes, config_options, raw })
    }

    /// Sets an option of a session. Returns all options as they then are, if the agent tells.
    pub async fn set_config_option(
        &self,
        session: &str,
        option: &str,
        value: &str,
    ) -> Result<Option<Vec<SessionConfigOption>>, AgentError> {
        let shared = &self.0.shared;
        let switch = shared.lock().routes.get(session).is_some_and(|route| route.switches.contains(option));
        let typed = match value.parse() {
            Ok(value) if switch => SessionConfigOptionValue::Boolean { value },
            _ => SessionConfigOptionValue::value_id(value.to_owned()),
        };
        let request = SetSessionConfigOptionRequest::new(session.to_owned(), option.to_owned(), typed);
        let answer = self.configure("session/set_config_option", &request).await?;
        let answer: Value = serde_json::from_str(answer.get()).unwrap_or_default();
        let config_options = answer.get("configOptions").and_then(options);
        if let Some(options) = &config_options {
            shared.lock().note_switches(session, options);
        }
        Ok(config_options)
    }

    /// Logs in by one of the agent's methods.
    pub async fn authenticate(&self, method: &str) -> Result<(), AgentError> {
        let request = AuthenticateRequest::new(method.to_owned());
        let shared = &self.0.shared;
        let timeout = shared.limits.open_timeout;
        shared.call("authenticate", &request, Stage::Session, timeout).await?;
        Ok(())
    }

    /// Sets the mode of a session.
    pub async fn set_mode(&self, session: &str, mode: &str) -> Result<(), AgentError> {
        let request = SetSessionModeRequest::new(session.to_owned(), mode.to_owned());
        self.configure("session/set_mode", &request).await?;
        Ok(())
    }

    async fn configure(&self, method: &str, request: &impl Serialize) -> Result<Box<RawValue>, AgentError> {
        let shared = &self.0.shared;
        let timeout = shared.limits.open_timeout;
        shared.call(method, request, Stage::Configure, timeout).await
    }

    /// Queues a prompt. `Prompted` and later `TurnEnded` come through the session's sink.
    pub fn prompt(&self, session: &str, turn: TurnId, blocks: Vec<ContentBlock>) -> Result<(), AgentError> {
        let shared = &self.0.shared;
        let request = PromptRequest::new(session.to_owned(), blocks);
        let id = {
            let mut state = shared.lock();
            if !state.closed && !state.routes.contains_key(session) {
                return Err(AgentError::UnknownSession);
            }
            state.next_id()
        };
        // Encoded without the lock: a prompt may be large.
        let line = call_line(Some(id), "session/prompt", &request)?;
        let mut state = shared.lock();
        if state.outbox_full() {
            return Err(AgentError::QueueFull);
        }
        let written = Written::Prompt { session: session.to_owned(), turn: turn.clone() };
        let note = Note::prompt(&request.prompt);
        if !shared.enqueue(&mut state, Outgoing { line, written }) {
            let exit = shared.exit().borrow().clone().unwrap_or_default();
            return Err(AgentError::Exited { stage: Stage::Prompt, exit });
        }
        state.pending.insert(id, Pending::Prompt { session: session.to_owned(), turn: turn.clone() });
        let stderr_from = shared.stderr.mark();
        state.record(Some(session), note);
        if let Some(route) = state.routes.get_mut(session) {
            route.prompted = true;
        }
        let session = session.to_owned();
        state.latest = Some(session.clone());
        state.turns.push(LiveTurn {
            request: id,
            session,
            turn,
            stderr_from,
            stderr_told: 0,
            cancelled: false,
        });
        Ok(())
    }

    /// Asks the agent to stop what the session does. Written after what waits already.
    pub fn cancel(&self, session: &str) {
        let shared = &self.0.shared;
        shared.cancel(&mut shared.lock(), session);
    }

    /// Answers a permission or a form. True once the answer is written; false if it never can be.
    pub async fn answer(&self, key: RequestKey, given: Given) -> bool {
        let written = self.0.shared.written(key, |ask| {
            let line = answer_line(&ask.id, &handlers::outcome(ask.kind, &given)).ok();
            let text = match &given {
                Given::Option(option) => option.as_str(),
                Given::Content(_) | Given::Answers(_) => "answered",
                Given::Declined(_) => "declined",
                Given::Cancelled => "cancelled",
            };
            (line, Note::ask_over(ask.kind.answered(), text))
        });
        match written {
            Some(written) => written.await.is_ok(),
            None => false,
        }
    }

    /// True while the request of that key waits for its answer.
    pub fn is_asking(&self, key: RequestKey) -> bool {
        self.0.shared.lock().asks.contains_key(&key)
    }

    /// Forgets a session: no more events of it. What it asks is answered as cancelled, what runs for it is ended,
    /// and a turn it still has is asked to stop: nobody waits for it.
    pub fn release(&self, session: &str) {
        let shared = &self.0.shared;
        let mut state = shared.lock();
        state.routes.remove(session);
        if state.turns.iter().any(|turn| turn.session == session && !turn.cancelled) {
            shared.cancel(&mut state, session);
        }
        // Nobody waits for them any more: a retired process may end.
        state.turns.retain(|turn| turn.session != session);
        state.went();
        shared.cancel_asks(&mut state, session);
        state.terminals.end(session, true);
    }
}

/// Parameters of all requests that open a session. The schema's own leave an empty list of MCP
/// servers out where it is optional by now; agents of older versions refuse that.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OpenParams<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    cwd: &'a Path,
    mcp_servers: &'a [McpServer],
    #[serde(skip_serializing_if = "Option::is_none")]
    system_prompt: Option<Value>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Value>,
}

impl<'a> OpenParams<'a> {
    fn new(session_id: Option<&'a str>, opening: &Opening<'a>) -> Self {
        let Opening { cwd, mcp_servers, system_prompt } = *opening;
        let (system_prompt, meta) = match system_prompt {
            Some(SystemPrompt::Standard(text)) => {
                let content = json!([{ "type": "text", "text": text }]);
                (Some(json!({ "mode": "append", "content": content })), None)
            }
            Some(SystemPrompt::Meta(text)) if session_id.is_none() => {
                (None, Some(json!({ "systemPrompt": text })))
            }
            Some(SystemPrompt::Meta(_)) | None => (None, None),
        };
        Self { session_id, cwd, mcp_servers, system_prompt, meta }
    }
}

impl State {
    /// Remembers which options of a session are switches.
    fn note_switches(&mut self, session: &str, options: &[SessionConfigOption]) {
        if let Some(route) = self.routes.get_mut(session) {
            route.switches = options
                .iter()
                .filter(|option| matches!(option.kind, SessionConfigKind::Boolean(_)))
                .map(|option| option.id.0.to_string())
                .collect();
        }
    }
}

/// The options that can be read.
fn options(raw: &Value) -> Option<Vec<SessionConfigOption>> {
    let read = |option: &Value| SessionConfigOption::deserialize(option).ok();
    Some(raw.as_array()?.iter().filter_map(read).collect())
}

impl Shared {
    /// Queues the answer to a request that waits; resolves once it is written, fails if it never can be.
    pub(crate) fn written(
        &self,
        key: RequestKey,
        answer: impl FnOnce(&Ask) -> (Option<Vec<u8>>, Note),
    ) -> Option<oneshot::Receiver<()>> {
        let mut state = self.lock();
        let ask = state.asks.remove(&key)?;
        let (line, note) = answer(&ask);
        let (told, written) = oneshot::channel();
        if !self.enqueue(&mut state, Outgoing { line: line?, written: Written::Answer(told) }) {
            return None;
        }
        state.record(Some(&ask.session), note);
        Some(written)
    }

    fn cancel(&self, state: &mut State, session: &str) {
        let request = CancelNotification::new(session.to_owned());
        let Ok(line) = call_line(None, "session/cancel", &request) else { return };
        for turn in state.turns.iter_mut().filter(|turn| turn.session == session) {
            turn.cancelled = true;
        }
        state.record(Some(session), Note::system("Prompt cancellation requested", "").warning());
        self.enqueue(state, Outgoing { line, written: Written::Nobody });
    }

    /// Sends a request and waits for its result.
    pub(crate) async fn call(
        self: &Arc<Self>,
        method: &str,
        params: &impl Serialize,
        stage: Stage,
        timeout: Duration,
    ) -> Result<Box<RawValue>, AgentError> {
        self.request(method, params, stage, timeout, Pending::Call).await
    }

    async fn request(
        self: &Arc<Self>,
        method: &str,
        params: &impl Serialize,
        stage: Stage,
        timeout: Duration,
        pending: impl FnOnce(Reply) -> Pending,
    ) -> Result<Box<RawValue>, AgentError> {
        let (reply, slot) = oneshot::channel();
        let id = self.send_request(method, params, pending(reply))?;
        tokio::select! {
            biased;
            answer = slot => match answer {
                Ok(Ok(answer)) => Ok(answer),
                Ok(Err(CallError::Refused(error))) => Err(AgentError::refused(stage, error, self.stderr.tail())),
                Ok(Err(CallError::TooLarge)) => Err(AgentError::FrameTooLarge { stage }),
                Ok(Err(CallError::TakenId)) => Err(AgentError::TakenId),
                Err(_) => Err(AgentError::Exited { stage, exit: self.exited().await }),
            },
            () = self.silence(timeout) => {
                self.give_up(id);
                Err(AgentError::Timeout { stage, stderr: self.stderr.tail() })
            }
        }
    }

    /// Queues a request and remembers who waits. On a closed connection the reply slot goes at once.
    fn send_request(
        &self,
        method: &str,
        params: &impl Serialize,
        pending: Pending,
    ) -> Result<i64, AgentError> {
        let mut state = self.lock();
        let id = state.next_id();
        let line = call_line(Some(id), method, params)?;
        if self.enqueue(&mut state, Outgoing { line, written: Written::Nobody }) {
            if let Pending::Open { session: Some(session), .. } = &pending {
                *state.loading.entry(session.clone()).or_default() += 1;
            }
            state.pending.insert(id, pending);
        }
        Ok(id)
    }

    /// Nobody waits for that request any more.
    fn give_up(&self, id: i64) {
        let mut state = self.lock();
        if let Some(Pending::Open { session: Some(session), .. }) = state.pending.remove(&id) {
            state.loaded(&session);
        }
    }

    /// Resolves when the agent has said nothing for that long.
    async fn silence(&self, timeout: Duration) {
        let start = Instant::now();
        loop {
            let until = self.lock().last_frame.max(start) + timeout;
            if Instant::now() >= until {
                return;
            }
            sleep_until(until).await;
        }
    }
}
