//! How is a script carried out, and how does its turn end?
//!
//! Exactly one answer goes to each prompt, after everything the turn said. The
//! steps that talk to the client or break things are in [`crate::client`] and
//! [`crate::fault`].

use std::future::{Future, poll_fn};
use std::io;
use std::ops::ControlFlow;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    ClientCapabilities, CurrentModeUpdate, Error, McpServer, Plan, PlanEntry, PlanEntryPriority,
    PlanEntryStatus, SessionId, SessionInfoUpdate, SessionUpdate, ToolKind, Usage, UsageUpdate,
};
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::config::Options;
use crate::directive::Directive;
use crate::fault::Host;
use crate::history::{Entry, History};
use crate::report::Report;
use crate::script::Script;
use crate::tool_server;

/// The context size every usage update names.
const CONTEXT_SIZE: u64 = 200_000;
/// The MCP server through which artifacts are saved.
const ARTIFACT_SERVER: &str = "open-science-artifacts";
const ARTIFACT_TOOL: &str = "write_artifact_file";

/// One conversation this process has open.
#[derive(Debug)]
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) cwd: std::path::PathBuf,
    pub(crate) mcp_servers: Vec<McpServer>,
    /// What it was opened with as system prompt.
    pub(crate) instructions: Option<String>,
    /// Touched by the dispatcher and by the end of a turn; never held across an await.
    state: Mutex<SessionState>,
}

#[derive(Debug)]
pub(crate) struct SessionState {
    pub(crate) options: Options,
    /// Turns ever started, over all processes.
    pub(crate) turns: u64,
    /// Cancels the turn that is active, if one is.
    pub(crate) active: Option<watch::Sender<bool>>,
}

impl Session {
    pub(crate) fn new(
        id: SessionId,
        cwd: std::path::PathBuf,
        mcp_servers: Vec<McpServer>,
        instructions: Option<String>,
        options: Options,
        turns: u64,
    ) -> Self {
        let state = Mutex::new(SessionState { options, turns, active: None });
        Self { id, cwd, mcp_servers, instructions, state }
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, SessionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks the active turn to end; without one nothing happens.
    pub(crate) fn cancel(&self) {
        if let Some(active) = &self.state().active {
            active.send_replace(true);
        }
    }
}

/// How a turn ends before or after its last step.
#[derive(Debug, PartialEq)]
pub(crate) enum End {
    Stop(String),
    Fail(i32),
    Exit(u8),
    /// Answer now, go on after so many milliseconds.
    Late(u64),
}

impl End {
    pub(crate) fn cancelled() -> Self {
        Self::Stop("cancelled".to_owned())
    }
}

/// Whether the turn goes on; an error means that the client is gone or that the
/// history cannot be written.
pub(crate) type Flow = io::Result<ControlFlow<End>>;

pub(crate) const GO_ON: Flow = Ok(ControlFlow::Continue(()));

/// One prompt being answered.
#[derive(Debug)]
pub(crate) struct Turn {
    pub(crate) session: Arc<Session>,
    pub(crate) report: Report,
    pub(crate) client: Arc<ClientCapabilities>,
    pub(crate) history: Arc<History>,
    pub(crate) host: Host,
    pub(crate) cancel: watch::Receiver<bool>,
    pub(crate) ignore_cancel: AtomicBool,
    /// The prompt's blocks in words.
    pub(crate) brought: String,
    /// Tokens to name in the answer; 0 when no step named any.
    pub(crate) tokens: AtomicU64,
}

impl Turn {
    /// Carries the script out and answers the prompt with this id.
    pub(crate) async fn run(self, prompt: Value, script: Script) {
        if let Err(error) = self.answer(&prompt, script).await {
            // Only a client that is gone cannot be told, and it needs no answer.
            let failed = Error::internal_error().data(error.kind().to_string());
            drop(self.finish(&prompt, Err(failed)).await);
        }
    }

    async fn answer(&self, prompt: &Value, script: Script) -> io::Result<()> {
        self.history.append(&self.session.id, Entry::User { text: script.text }).await?;
        let mut steps = script.steps.iter();
        let mut end = tokio::select! {
            biased;
            () = self.cancelled() => End::cancelled(),
            end = self.play_all(&mut steps) => end?,
        };
        let outcome = match &end {
            End::Exit(code) => {
                self.host.exit(*code);
                return Ok(());
            }
            End::Fail(code) => Err(Error::new(*code, "simulated failure")),
            End::Stop(reason) => Ok(self.result(reason)?),
            End::Late(_) => Ok(self.result("end_turn")?),
        };
        self.remember().await?;
        self.finish(prompt, outcome).await?;

        while let End::Late(delay_ms) = end {
            tokio::time::sleep(Duration::from_millis(delay_ms)).await;
            self.report.say("late").await?;
            end = self.play_all(&mut steps).await?;
            self.remember().await?;
        }
        if let End::Exit(code) = end {
            self.host.exit(code);
        }
        Ok(())
    }

    /// Makes room for the next prompt, then answers this one.
    async fn finish(&self, prompt: &Value, outcome: Result<Value, Error>) -> io::Result<()> {
        self.session.state().active = None;
        self.report.outbox().reply(Some(prompt), outcome).await
    }

    async fn remember(&self) -> io::Result<()> {
        let text = self.report.take_said();
        if text.is_empty() {
            return Ok(());
        }
        self.history.append(&self.session.id, Entry::Agent { text }).await
    }

    /// The answer to the prompt. Not the typed one: `stop` may name an unknown reason.
    fn result(&self, reason: &str) -> io::Result<Value> {
        let tokens = self.tokens.load(Ordering::Relaxed);
        if tokens == 0 {
            return Ok(json!({"stopReason": reason}));
        }
        let output = tokens / 4;
        let usage = serde_json::to_value(Usage::new(tokens, tokens - output, output))?;
        Ok(json!({"stopReason": reason, "usage": usage}))
    }

    /// Waits for a cancel that counts.
    async fn cancelled(&self) {
        let mut cancel = self.cancel.clone();
        let sender_gone = cancel.wait_for(|cancelled| *cancelled).await.is_err();
        if sender_gone || self.ignore_cancel.load(Ordering::Relaxed) {
            std::future::pending::<()>().await;
        }
    }

    async fn play_all(&self, steps: &mut std::slice::Iter<'_, Directive>) -> io::Result<End> {
        for step in steps {
            if let ControlFlow::Break(end) = self.play(step).await? {
                return Ok(end);
            }
        }
        Ok(End::Stop("end_turn".to_owned()))
    }

    /// Carries out one step. Boxed because steps hold steps.
    fn play<'a>(&'a self, step: &'a Directive) -> Pin<Box<dyn Future<Output = Flow> + Send + 'a>> {
        Box::pin(async move {
            match step {
                Directive::Tell(text) => self.report.say(text).await?,
                Directive::Say { words, pace_ms } => self.report.say_words(*words, *pace_ms).await?,
                Directive::Think { words } => self.report.think_words(*words).await?,
                Directive::Tool { name, input } => self.tool(name, input).await?,
                Directive::Plan(entries) => self.plan(entries).await?,
                Directive::Usage(tokens) => self.usage(*tokens).await?,
                Directive::Title(text) => self.title(text).await?,
                Directive::Mode(name) => {
                    let mode = CurrentModeUpdate::new(name.clone());
                    self.report.update(&SessionUpdate::CurrentModeUpdate(mode)).await?;
                }
                Directive::Instructions => {
                    let told = self.session.instructions.as_deref().unwrap_or("no instructions");
                    self.report.say(told).await?;
                }
                Directive::Raw(update) => self.report.update(update).await?,
                Directive::Blocks => self.report.say(&self.brought).await?,
                Directive::Ask { name, options, announced } => {
                    return self.ask(name, options, *announced).await;
                }
                Directive::Question { text, choices } => self.question(text, choices).await?,
                Directive::Read(path) => self.read(path).await?,
                Directive::Write { path, text } => self.write(path, text).await?,
                Directive::Terminal { command, args } => self.terminal(command, args).await?,
                Directive::Artifact { name, text } => self.artifact(name, text).await?,
                Directive::Call { method, params } => self.call(method, params).await?,
                Directive::Sleep(ms) => tokio::time::sleep(Duration::from_millis(*ms)).await,
                Directive::Repeat { times, step } => return self.repeat(*times, step).await,
                Directive::Together(steps) => return self.together(steps).await,
                Directive::Stop(reason) => return Ok(ControlFlow::Break(End::Stop(reason.clone()))),
                Directive::Late(ms) => return Ok(ControlFlow::Break(End::Late(*ms))),
                Directive::Fail(code) => return Ok(ControlFlow::Break(End::Fail(*code))),
                Directive::Exit(code) => return Ok(ControlFlow::Break(End::Exit(*code))),
                Directive::Hang => std::future::pending().await,
                Directive::IgnoreCancel => self.ignore_cancel.store(true, Ordering::Relaxed),
                Directive::IgnoreEof => self.host.ignore_eof(),
                Directive::IgnoreTerm => self.ignore_term().await?,
                Directive::Next { method, fault } => self.host.expect(method, fault.as_ref().clone()),
                Directive::Garbage => self.garbage().await?,
                Directive::Huge(bytes) => self.report.say_huge(*bytes).await?,
                Directive::Stderr(lines) => self.host.stderr_lines(*lines).await?,
                Directive::Spawn { detached, holding } => self.spawn(*detached, *holding).await?,
            }
            GO_ON
        })
    }

    async fn repeat(&self, times: u64, step: &Directive) -> Flow {
        for _ in 0..times {
            if let end @ ControlFlow::Break(_) = self.play(step).await? {
                return Ok(end);
            }
            // A step that waits for nothing must not keep a cancel out.
            tokio::task::consume_budget().await;
        }
        GO_ON
    }

    /// Carries steps out at the same time; the first that ends the turn ends it for all.
    async fn together(&self, steps: &[Directive]) -> Flow {
        let mut playing: Vec<_> = steps.iter().map(|step| self.play(step)).collect();
        poll_fn(|context| {
            let mut end = None;
            playing.retain_mut(|step| match step.as_mut().poll(context) {
                Poll::Pending => true,
                Poll::Ready(Ok(ControlFlow::Continue(()))) => false,
                Poll::Ready(ended) => {
                    end.get_or_insert(ended);
                    false
                }
            });
            match end {
                Some(end) => Poll::Ready(end),
                None if playing.is_empty() => Poll::Ready(GO_ON),
                None => Poll::Pending,
            }
        })
        .await
    }

    async fn tool(&self, name: &str, input: &Value) -> io::Result<()> {
        let failed = input.get("error") == Some(&Value::Bool(true));
        let outcome = if failed { "failed" } else { "done" };
        let text = input
            .get("output")
            .and_then(Value::as_str)
            .map_or_else(|| format!("{name} {outcome}"), str::to_owned);
        let call = self.report.open_call(name, kind_of(name), input).await?;
        call.start().await?;
        call.end(failed, &text, json!({"ok": !failed, "output": text})).await
    }

    /// Tells the plan as it stands before, during and after each entry.
    async fn plan(&self, entries: &[String]) -> io::Result<()> {
        for state in 0..entries.len() + 2 {
            let entries = entries.iter().enumerate().map(|(index, entry)| {
                let status = match (index + 1).cmp(&state) {
                    std::cmp::Ordering::Less => PlanEntryStatus::Completed,
                    std::cmp::Ordering::Equal => PlanEntryStatus::InProgress,
                    std::cmp::Ordering::Greater => PlanEntryStatus::Pending,
                };
                PlanEntry::new(entry, PlanEntryPriority::Medium, status)
            });
            self.report.update(&SessionUpdate::Plan(Plan::new(entries.collect()))).await?;
        }
        Ok(())
    }

    async fn usage(&self, tokens: u64) -> io::Result<()> {
        self.tokens.store(tokens, Ordering::Relaxed);
        let usage = UsageUpdate::new(tokens, CONTEXT_SIZE);
        self.report.update(&SessionUpdate::UsageUpdate(usage)).await
    }

    async fn title(&self, text: &str) -> io::Result<()> {
        self.history.append(&self.session.id, Entry::Title { text: text.to_owned() }).await?;
        let info = SessionInfoUpdate::new().title(text.to_owned());
        self.report.update(&SessionUpdate::SessionInfoUpdate(info)).await
    }

    /// Saves a file as an agent does: by a call of the tool, shown like any other.
    async fn artifact(&self, name: &str, text: &str) -> io::Result<()> {
        let server = self.session.mcp_servers.iter().find_map(|server| match server {
            McpServer::Stdio(server) if server.name == ARTIFACT_SERVER => Some(server),
            _ => None,
        });
        let Some(server) = server else {
            let text = format!("{name} was not saved: the artifact tool is not connected");
            return self.report.say(&text).await;
        };
        let input = json!({"filename": name, "source": {"kind": "inline", "content": text}});
        let call = self.report.open_call(ARTIFACT_TOOL, ToolKind::Other, &input).await?;
        call.start().await?;
        let answer = tool_server::call(server, ARTIFACT_TOOL, &input).await;
        let told = match &answer {
            Ok(_) => format!("{name} was saved"),
            Err(problem) => format!("{name} was not saved: {problem}"),
        };
        let shown = answer.as_ref().map_or_else(String::as_str, String::as_str);
        call.end(answer.is_err(), shown, json!({"output": shown})).await?;
        self.report.say(&told).await
    }
}

/// The kind clients group a tool of that name under.
fn kind_of(name: &str) -> ToolKind {
    match name {
        "read" => ToolKind::Read,
        "edit" | "write" => ToolKind::Edit,
        "delete" => ToolKind::Delete,
        "move" => ToolKind::Move,
        "grep" | "search" => ToolKind::Search,
        "bash" | "execute" | "shell" => ToolKind::Execute,
        "fetch" => ToolKind::Fetch,
        "think" => ToolKind::Think,
        _ => ToolKind::Other,
    }
}
