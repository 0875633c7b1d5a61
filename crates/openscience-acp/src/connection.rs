//! A connection to one agent: how it is made and how it ends. What is asked of
//! the agent is in `calls`.

use std::fmt;
use std::sync::Arc;

use openscience_core::authority::{Offer, Request};
use openscience_core::input::{AgentUpdate, PermissionAsk, QuestionAsk, RequestKey, TerminalSeen, TurnEnd};
pub use openscience_protocol::agent::ConnectionCounters as Counters;
use openscience_protocol::{AgentId, RunError, TurnId};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};

use agent_client_protocol_schema::v1::{SessionConfigOption, SessionModeState};

use crate::error::{AgentError, AgentExit, Stage};
use crate::initialize::{self, Initialized};
use crate::launch::{AcpLimits, Launch};
use crate::process::{self, Guard, Supervisor, Tree, spawn, watch_pipes};
use crate::record::Note;
use crate::state::{End, Shared};
use crate::terminals::Ground;
use crate::{reader, writer};

/// What happens to a session on an agent, in order.
#[derive(Debug, Clone, PartialEq)]
pub enum SessionEvent {
    /// The prompt was written to the agent.
    Prompted {
        turn: TurnId,
    },
    Update(AgentUpdate),
    Permission(Box<PermissionAsk>),
    /// A form that is to be filled in.
    Question(Box<QuestionAsk>),
    /// The agent asks us to do something, which may have to be allowed.
    Request {
        key: RequestKey,
        request: Box<Request>,
    },
    /// A terminal of the session came, changed or ended.
    Terminal(Box<TerminalSeen>),
    /// The agent takes a request back.
    Withdrawn {
        key: RequestKey,
    },
    /// The turn is over: every update of it came before.
    TurnEnded {
        turn: TurnId,
        end: TurnEnd,
    },
    /// The agent is gone. The last event.
    Exited(RunError),
}

/// A session the agent opened.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenedSession {
    /// The agent's id of it.
    pub session_id: String,
    pub modes: Option<SessionModeState>,
    /// Options that could be read; `raw` has all.
    pub config_options: Option<Vec<SessionConfigOption>>,
    /// The whole answer as it came.
    pub raw: Value,
}

/// A connection to one agent. Cheap to clone; the agent is stopped with the last of them.
#[derive(Clone)]
pub struct Connection(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) agent: AgentId,
    pub(crate) shared: Arc<Shared>,
    tree: Option<Arc<Tree>>,
    initialized: Initialized,
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("agent", &self.0.agent)
            .field("pid", &self.pid())
            .field("closed", &self.is_closed())
            .finish_non_exhaustive()
    }
}

// The agent must not outlive those who can speak to it.
impl Drop for Inner {
    fn drop(&mut self) {
        self.shared.ask(End::Stop);
    }
}

/// Starts an agent and shakes hands with it.
pub async fn connect(launch: Launch, limits: AcpLimits) -> Result<Connection, AgentError> {
    let secrets: Arc<[String]> = launch.masked().into();
    let spawned = spawn(&launch).await?;
    let ground = Ground {
        base_env: launch.base_env.clone(),
        exec_child: launch.exec_child.clone(),
        mark: launch.mark.clone(),
    };
    let shared = Shared::new(limits, secrets, launch.ordered, ground);
    let supervisor = Supervisor {
        child: spawned.child,
        tree: Guard::new(Arc::clone(&spawned.tree)),
        shared: Arc::clone(&shared),
        drained: tokio::spawn(process::drain(Arc::clone(&shared), spawned.stderr)),
        grace: shared.limits.stop_grace,
    };
    tokio::spawn(supervisor.run());
    tokio::spawn(writer::run(Arc::clone(&shared), spawned.stdin));
    tokio::spawn(reader::run(Arc::clone(&shared), spawned.stdout));
    handshake(launch.agent, launch.offer, shared, Some(spawned.tree)).await
}

/// Shakes hands with an agent that is reached without starting a process.
pub async fn connect_io(
    agent: AgentId,
    stdout: impl AsyncRead + Unpin + Send + 'static,
    stdin: impl AsyncWrite + Unpin + Send + 'static,
    ordered: bool,
    limits: AcpLimits,
) -> Result<Connection, AgentError> {
    let shared = Shared::new(limits, Arc::new([]), ordered, Ground::default());
    tokio::spawn(watch_pipes(Arc::clone(&shared)));
    tokio::spawn(writer::run(Arc::clone(&shared), stdin));
    tokio::spawn(reader::run(Arc::clone(&shared), stdout));
    handshake(agent, Offer::ALL, shared, None).await
}

async fn handshake(
    agent: AgentId,
    offer: Offer,
    shared: Arc<Shared>,
    tree: Option<Arc<Tree>>,
) -> Result<Connection, AgentError> {
    let leaving = Leaving(Some(Arc::clone(&shared)));
    let timeout = shared.limits.start_timeout;
    let answer = shared.call("initialize", &initialize::request(offer), Stage::Initialize, timeout).await;
    let initialized = answer.and_then(|answer| initialize::read(&answer))?;
    leaving.stay();
    shared.lock().record(None, Note::system("Agent initialized", ""));
    tracing::info!(agent.id = %agent, agent.pid = tree.as_ref().map(|tree| tree.root()), "agent connected");
    Ok(Connection(Arc::new(Inner { agent, shared, tree, initialized })))
}

/// Kills an agent that did not get through the handshake, or whose caller stopped waiting.
struct Leaving(Option<Arc<Shared>>);

impl Leaving {
    fn stay(mut self) {
        self.0 = None;
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        if let Some(shared) = &self.0 {
            shared.ask(End::Kill);
        }
    }
}

impl Connection {
    /// What the agent told of itself.
    pub fn initialized(&self) -> &Initialized {
        &self.0.initialized
    }

    /// Turns that have not ended.
    pub fn live_turns(&self) -> usize {
        self.0.shared.lock().turns.len()
    }

    /// Sessions that are open and routed.
    pub fn sessions(&self) -> usize {
        self.0.shared.lock().routes.len()
    }

    /// True if nothing can be asked of the agent any more.
    pub fn is_closed(&self) -> bool {
        let shared = &self.0.shared;
        shared.pipe_closed.is_cancelled() || shared.is_asked(End::Stop) || shared.exit().borrow().is_some()
    }

    /// The process we started, if there is one and it lives.
    pub fn pid(&self) -> Option<u32> {
        if self.0.shared.exit().borrow().is_some() {
            return None;
        }
        self.0.tree.as_ref().and_then(|tree| u32::try_from(tree.root()).ok())
    }

    /// Resolves when the process and all it started are gone.
    pub async fn closed(&self) -> AgentExit {
        self.0.shared.exited().await
    }

    /// Ends the agent: stdin closed, TERM, KILL, the whole tree. Idempotent; resolves when it is gone.
    pub async fn stop(&self) {
        self.0.shared.ask(End::Stop);
        self.0.shared.exited().await;
    }

    /// Kills the whole tree before it returns. Reads `/proc`, so it takes milliseconds.
    pub fn kill(&self) {
        self.0.shared.ask(End::Kill);
        let terminals = self.0.shared.lock().terminals.trees();
        for tree in &terminals {
            process::kill_now(tree);
        }
        if let Some(tree) = self.0.tree.as_ref().filter(|_| self.0.shared.exit().borrow().is_none()) {
            process::kill_now(tree);
        }
    }

    /// The kept tail of stderr, configured values masked.
    pub fn stderr_tail(&self) -> String {
        self.0.shared.stderr.tail()
    }

    /// The newest lines of stdout that were no messages, masked.
    pub fn noise(&self) -> Vec<String> {
        self.0.shared.lock().noise.iter().cloned().collect()
    }

    /// What was counted so far.
    pub fn counters(&self) -> Counters {
        self.0.shared.lock().counters
    }
}
