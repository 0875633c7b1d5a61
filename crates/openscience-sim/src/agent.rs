//! Which request gets which answer?
//!
//! One loop takes the client's lines in order. It answers everything itself but
//! prompts, which run beside it until they are answered.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentCapabilities, CancelNotification, ClientCapabilities, CloseSessionRequest, CloseSessionResponse,
    ContentBlock, ContentChunk, Error, ForkSessionRequest, ForkSessionResponse, Implementation,
    InitializeRequest, InitializeResponse, ListSessionsRequest, ListSessionsResponse, LoadSessionRequest,
    LoadSessionResponse, McpServer, NewSessionRequest, NewSessionResponse, PromptCapabilities, PromptRequest,
    ResumeSessionRequest, ResumeSessionResponse, SessionCapabilities, SessionCloseCapabilities,
    SessionForkCapabilities, SessionId, SessionInfo, SessionListCapabilities, SessionResumeCapabilities,
    SessionSystemPromptCapabilities, SessionUpdate, SetSessionConfigOptionRequest,
    SetSessionConfigOptionResponse, SystemPrompt,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;

use crate::config::Options;
use crate::directive::Directive;
use crate::fault::Host;
use crate::history::{self, Entry, History};
use crate::report::Report;
use crate::script::{self, Script};
use crate::turn::{Session, Turn};
use crate::wire::{Incoming, Line, Outbox, read_lines, write_frames};
use crate::{SimConfig, stdio};

/// Lines read ahead of the loop.
const LINES_MAX: usize = 16;
/// Sessions in one answer to `session/list`.
const PAGE_LEN: usize = 50;

pub(crate) async fn serve<R, W, E>(reader: R, writer: W, stderr: E, config: SimConfig) -> io::Result<i32>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
    E: AsyncWrite + Send + Unpin + 'static,
{
    let (outbox, frames) = Outbox::new();
    let (host, mut exits) = Host::new(stderr);
    let (lines, mut incoming) = mpsc::channel::<Line>(LINES_MAX);
    // Sets of one: dropping a set ends its task.
    let (mut reading, mut writing) = (JoinSet::new(), JoinSet::new());
    reading.spawn(read_lines(BufReader::new(reader), lines));
    writing.spawn(write_frames(frames, writer));
    let mut agent = Agent::new(config, outbox, host);
    let mut ended = false;

    let code = loop {
        tokio::select! {
            biased;
            Some(code) = exits.recv() => break code,
            Some(written) = writing.join_next() => {
                // The writer only ends early when the client has closed our stdout.
                written??;
                break 0;
            }
            line = incoming.recv(), if !ended => match line {
                Some(line) => agent.handle(line).await?,
                None if agent.host.stays_at_eof() => ended = true,
                None => break 0,
            },
            Some(_) = agent.turns.join_next() => {}
        }
    };
    agent.turns.shutdown().await;
    drop(agent);
    if let Ok(Some(written)) = tokio::time::timeout(stdio::DRAIN, writing.join_next()).await {
        written??;
    }
    Ok(code)
}

struct Agent {
    config: SimConfig,
    history: Arc<History>,
    outbox: Outbox,
    host: Host,
    /// What the client can do; none until it has said so.
    client: Option<Arc<ClientCapabilities>>,
    sessions: HashMap<SessionId, Arc<Session>>,
    turns: JoinSet<()>,
}

/// What a session is opened with.
struct Opening {
    cwd: PathBuf,
    /// Their names.
    mcp_servers: Vec<McpServer>,
    instructions: Option<String>,
}

impl Opening {
    fn of(cwd: PathBuf, mcp_servers: &[McpServer], instructions: Option<&SystemPrompt>) -> Self {
        let text = |block: &ContentBlock| match block {
            ContentBlock::Text(text) => Some(text.text.clone()),
            _ => None,
        };
        let texts =
            |prompt: &SystemPrompt| prompt.content.iter().filter_map(text).collect::<Vec<_>>().join("\n");
        let mcp_servers = mcp_servers.to_vec();
        Self { cwd, mcp_servers, instructions: instructions.map(texts) }
    }
}

/// A result ready to be sent, or the error to send.
type Answered<T = Value> = Result<T, Error>;

impl Agent {
    fn new(config: SimConfig, outbox: Outbox, host: Host) -> Self {
        let history = Arc::new(History::new(config.history_dir.clone()));
        let (client, sessions, turns) = (None, HashMap::new(), JoinSet::new());
        Self { config, history, outbox, host, client, sessions, turns }
    }

    async fn handle(&mut self, line: Line) -> io::Result<()> {
        let Some(line) = line else {
            return self.outbox.reply::<Value>(None, Err(Error::parse_error())).await;
        };
        if line.trim_ascii().is_empty() {
            return Ok(());
        }
        match Incoming::parse(&line) {
            Ok(Incoming::Request { id, method, params }) => self.request(&id, &method, &params).await,
            Ok(Incoming::Notification { method, params }) => {
                if method == "session/cancel" {
                    self.cancel(&params);
                }
                Ok(())
            }
            Ok(Incoming::Response { id, answer }) => {
                self.outbox.answered(&id, answer);
                Ok(())
            }
            Err(error) => self.outbox.reply::<Value>(None, Err(error)).await,
        }
    }

    async fn request(&mut self, id: &Value, method: &str, params: &RawValue) -> io::Result<()> {
        let fault = self.host.met(method);
        match &fault {
            Some(Directive::Hang) => return Ok(()),
            Some(Directive::Exit(code)) => {
                self.host.exit(*code);
                return Ok(());
            }
            Some(Directive::Fail(code)) => {
                let failed = Error::new(*code, "simulated failure");
                return self.outbox.reply::<Value>(Some(id), Err(failed)).await;
            }
            _ => {}
        }
        let outcome = match method {
            "session/prompt" => match self.prompt(id, params) {
                Ok(()) => return Ok(()),
                Err(error) => Err(error),
            },
            method => self.answer(method, params).await,
        };
        if let (Some(Directive::Raw(update)), Ok(result)) = (&fault, &outcome) {
            // vibe and copilot speak of a session before they have named it.
            let asked = serde_json::from_str::<Value>(params.get())?;
            let session = result.get("sessionId").or_else(|| asked.get("sessionId"));
            self.outbox.notify("session/update", &json!({"sessionId": session, "update": update})).await?;
        }
        self.outbox.reply(Some(id), outcome).await
    }

    async fn answer(&mut self, method: &str, params: &RawValue) -> Answered {
        match method {
            "initialize" => self.initialize(params),
            "session/new" => self.new_session(params).await,
            "session/load" => self.load(params).await,
            "session/resume" => self.resume(params).await,
            "session/close" => self.close(params),
            "session/fork" => self.fork(params).await,
            "session/list" => self.list(params).await,
            "session/set_config_option" => self.set_option(params).await,
            _ => Err(Error::method_not_found()),
        }
    }

    fn initialize(&mut self, params: &RawValue) -> Answered {
        let request: InitializeRequest = read(params)?;
        self.client = Some(Arc::new(request.client_capabilities));
        let prompt = PromptCapabilities::new().image(true).audio(true).embedded_context(true);
        let sessions = SessionCapabilities::new()
            .list(SessionListCapabilities::default())
            .resume(SessionResumeCapabilities::default())
            .close(SessionCloseCapabilities::default())
            .fork(SessionForkCapabilities::default())
            .system_prompt(SessionSystemPromptCapabilities::default());
        let capabilities = AgentCapabilities::new()
            .load_session(true)
            .prompt_capabilities(prompt)
            .session_capabilities(sessions);
        let info =
            Implementation::new("openscience-sim", env!("CARGO_PKG_VERSION")).title("Simulator".to_owned());
        written(
            &InitializeResponse::new(ProtocolVersion::V1)
                .agent_capabilities(capabilities)
                .auth_methods(Vec::new())
                .agent_info(info),
        )
    }

    fn client(&self) -> Answered<&Arc<ClientCapabilities>> {
        self.client.as_ref().ok_or_else(|| Error::new(-32600, "initialize comes first"))
    }

    async fn new_session(&mut self, params: &RawValue) -> Answered {
        self.client()?;
        let request: NewSessionRequest = read(params)?;
        absolute(&request.cwd)?;
        let id = self.history.create(&request.cwd).await.map_err(unwritable)?;
        let options = Options::new(&self.config.models);
        let response = NewSessionResponse::new(id.clone()).config_options(options.offer());
        let opening = Opening::of(request.cwd, &request.mcp_servers, request.system_prompt.as_ref());
        self.open(id, opening, options, 0);
        written(&response)
    }

    async fn load(&mut self, params: &RawValue) -> Answered {
        self.client()?;
        let request: LoadSessionRequest = read(params)?;
        absolute(&request.cwd)?;
        let opening = Opening::of(request.cwd, &request.mcp_servers, request.system_prompt.as_ref());
        let (entries, session) = self.reopen(request.session_id, opening).await?;
        let report = Report::new(session.id.clone(), 0, self.outbox.clone());
        for entry in entries {
            let update = match entry {
                Entry::User { text } => SessionUpdate::UserMessageChunk(ContentChunk::new(text.into())),
                Entry::Agent { text } => SessionUpdate::AgentMessageChunk(ContentChunk::new(text.into())),
                Entry::Opened { .. } | Entry::Title { .. } | Entry::Option { .. } => continue,
            };
            report.update(&update).await.map_err(unwritable)?;
        }
        written(&LoadSessionResponse::new().config_options(session.state().options.offer()))
    }

    async fn resume(&mut self, params: &RawValue) -> Answered {
        self.client()?;
        let request: ResumeSessionRequest = read(params)?;
        absolute(&request.cwd)?;
        let opening = Opening::of(request.cwd, &request.mcp_servers, request.system_prompt.as_ref());
        let (_, session) = self.reopen(request.session_id, opening).await?;
        written(&ResumeSessionResponse::new().config_options(session.state().options.offer()))
    }

    /// Opens a session from its history; one that is busy stays as it is.
    async fn reopen(&mut self, id: SessionId, opening: Opening) -> Answered<(Vec<Entry>, Arc<Session>)> {
        if self.sessions.get(&id).is_some_and(|session| session.state().active.is_some()) {
            return Err(Error::new(-32603, "a prompt is active in this session"));
        }
        let read = self.history.read(&id).await.map_err(unwritable)?;
        let entries = read.ok_or_else(|| Error::session_not_found(id.clone()))?;
        let mut options = Options::new(&self.config.models);
        let mut turns = 0;
        for entry in &entries {
            match entry {
                Entry::User { .. } => turns += 1,
                // A model that is not offered any more is left at the default.
                Entry::Option { id, value } => drop(options.set(id, value)),
                Entry::Opened { .. } | Entry::Agent { .. } | Entry::Title { .. } => {}
            }
        }
        let session = self.open(id, opening, options, turns);
        Ok((entries, session))
    }

    fn open(&mut self, id: SessionId, opening: Opening, options: Options, turns: u64) -> Arc<Session> {
        let Opening { cwd, mcp_servers, instructions } = opening;
        let session = Session::new(id.clone(), cwd, mcp_servers, instructions, options, turns);
        let session = Arc::new(session);
        self.sessions.insert(id, Arc::clone(&session));
        session
    }

    /// Another session with the history so far. It is not open until it is loaded or resumed.
    async fn fork(&mut self, params: &RawValue) -> Answered {
        self.client()?;
        let request: ForkSessionRequest = read(params)?;
        absolute(&request.cwd)?;
        if self.sessions.get(&request.session_id).is_some_and(|session| session.state().active.is_some()) {
            return Err(Error::new(-32603, "a prompt is active in this session"));
        }
        let read = self.history.read(&request.session_id).await.map_err(unwritable)?;
        let entries = read.ok_or_else(|| Error::session_not_found(request.session_id.clone()))?;
        let id = self.history.create(&request.cwd).await.map_err(unwritable)?;
        for entry in entries {
            match entry {
                // It has been opened in its own directory.
                Entry::Opened { .. } => {}
                Entry::User { .. } | Entry::Agent { .. } | Entry::Title { .. } | Entry::Option { .. } => {
                    self.history.append(&id, entry).await.map_err(unwritable)?;
                }
            }
        }
        let opening = Opening::of(request.cwd, &request.mcp_servers, request.system_prompt.as_ref());
        let (_, session) = self.reopen(id.clone(), opening).await?;
        let offer = session.state().options.offer();
        written(&ForkSessionResponse::new(id).config_options(offer))
    }

    fn close(&mut self, params: &RawValue) -> Answered {
        self.client()?;
        let request: CloseSessionRequest = read(params)?;
        let session = self.sessions.remove(&request.session_id);
        session.ok_or_else(|| Error::session_not_found(request.session_id))?.cancel();
        written(&CloseSessionResponse::new())
    }

    /// Newest first, a page at a time; the cursor is the last id of the page before.
    async fn list(&self, params: &RawValue) -> Answered {
        self.client()?;
        let request: ListSessionsRequest =
            if params.get() == "null" { ListSessionsRequest::new() } else { read(params)? };
        let mut ids = self.history.ids().await.map_err(unwritable)?;
        if let Some(cursor) = request.cursor {
            let at = ids.iter().position(|id| *id.0 == *cursor);
            ids.truncate(at.ok_or_else(|| Error::new(-32602, "unknown cursor"))?);
        }
        let mut page = Vec::new();
        let mut cursor = None;
        for id in ids.into_iter().rev() {
            // Its file may have gone since the directory was read.
            let Some(entries) = self.history.read(&id).await.map_err(unwritable)? else { continue };
            let Some(info) = history::summary(id, entries) else { continue };
            if request.cwd.as_ref().is_some_and(|cwd| *cwd != info.cwd) {
                continue;
            }
            if page.len() == PAGE_LEN {
                cursor = page.last().map(|last: &SessionInfo| last.session_id.to_string());
                break;
            }
            page.push(info);
        }
        written(&ListSessionsResponse::new(page).next_cursor(cursor))
    }

    async fn set_option(&self, params: &RawValue) -> Answered {
        self.client()?;
        let request: SetSessionConfigOptionRequest = read(params)?;
        let session = self.session(&request.session_id)?;
        let value = request.value.as_value_id().map_or("", |value| &value.0);
        let offer = {
            let options = &mut session.state().options;
            if !options.set(&request.config_id.0, value) {
                return Err(Error::new(-32602, "this value is not among the options"));
            }
            options.offer().unwrap_or_default()
        };
        let entry = Entry::Option { id: request.config_id.to_string(), value: value.to_owned() };
        self.history.append(&session.id, entry).await.map_err(unwritable)?;
        written(&SetSessionConfigOptionResponse::new(offer))
    }

    fn session(&self, id: &SessionId) -> Answered<&Arc<Session>> {
        self.sessions.get(id).ok_or_else(|| Error::session_not_found(id.clone()))
    }

    /// Starts a turn, which answers the prompt itself.
    fn prompt(&mut self, id: &Value, params: &RawValue) -> Answered<()> {
        let client = Arc::clone(self.client()?);
        let request: PromptRequest = read(params)?;
        let session = Arc::clone(self.session(&request.session_id)?);
        let (cancelled, cancel) = watch::channel(false);
        let number = {
            let mut state = session.state();
            if state.active.is_some() {
                return Err(Error::new(-32603, "a prompt is active in this session"));
            }
            state.active = Some(cancelled);
            state.turns += 1;
            state.turns
        };
        let turn = Turn {
            report: Report::new(session.id.clone(), number, self.outbox.clone()),
            session,
            client,
            history: Arc::clone(&self.history),
            host: self.host.clone(),
            cancel,
            ignore_cancel: AtomicBool::new(false),
            brought: script::brought(&request.prompt)?,
            tokens: AtomicU64::new(0),
        };
        self.turns.spawn(turn.run(id.clone(), Script::of(&request.prompt)));
        Ok(())
    }

    /// A cancel of a session that is not open or has no turn is none.
    fn cancel(&self, params: &RawValue) {
        let request = read::<CancelNotification>(params).ok();
        if let Some(session) = request.and_then(|request| self.sessions.get(&request.session_id)) {
            session.cancel();
        }
    }
}

/// Reads parameters; the error repeats nothing of them.
fn read<T: DeserializeOwned>(params: &RawValue) -> Answered<T> {
    serde_json::from_str(params.get()).map_err(|_| Error::invalid_params())
}

fn written<T: Serialize>(response: &T) -> Answered {
    serde_json::to_value(response).map_err(|_| Error::internal_error())
}

fn absolute(cwd: &Path) -> Answered<()> {
    if cwd.is_absolute() { Ok(()) } else { Err(Error::new(-32602, "cwd must be absolute")) }
}

/// The client is told the kind of failure and no path.
#[expect(clippy::needless_pass_by_value, reason = "shaped for map_err")]
fn unwritable(error: io::Error) -> Error {
    Error::new(-32603, format!("the history cannot be used: {}", error.kind()))
}
