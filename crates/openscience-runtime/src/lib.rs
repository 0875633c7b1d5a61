//! One actor per session: takes input in, asks the core, commits, acts.
//!
//! This crate knows no HTTP and no SQL, and decides nothing about sessions:
//! the core does.

mod actor;
mod adopt;
mod agents;
pub mod artifacts;
mod ask;
mod attach;
mod authority;
mod bus;
mod catalog;
mod clock;
mod connections;
mod deletion;
pub mod error;
mod figures;
mod frame;
mod grants;
mod heads;
mod inquiry;
mod known;
mod link;
pub mod mcp;
mod paths;
mod projects;
mod queue;
mod reader;
mod recovery;
mod remote;
pub mod request;
mod ring;
mod saving;
mod sessions;
mod shared;
mod state;
mod turn;
mod uploads;
mod visit;
mod visiting;
mod watch;
mod wishes;
mod work;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
pub use figures::{AgentFigures, Figures};
use openscience_files::artifact::ArtifactStore;
use openscience_protocol::snapshot::{CapabilityAgent, DECISION_SCOPE};
use openscience_protocol::{
    Capabilities, EVENT_RETENTION, Limits, PROTOCOL_VERSION, Project, ProjectId, Sequence, SessionId,
};
use openscience_store::{OpenConfig, Store};
pub use openscience_store::{OpenError, StoreError};
pub use state::TerminalVerb;
use tokio_util::sync::CancellationToken;
pub use turn::login;
pub use uploads::{Asked, Incoming, is_file_name, is_mime};

use crate::ask::Request;
use crate::clock::IdSource;
use crate::connections::Connections;
use crate::error::{SelectError, StartError};
use crate::request::{RuntimeConfig, Selected, Selector};
use crate::shared::Inner;

/// How long agents may take to end their turns when the daemon stops.
const STOP_TURNS: Duration = Duration::from_secs(2);
/// How long the process ladder may take after that, and the commits after it.
const STOP_AGENTS: Duration = Duration::from_millis(2_500);
const STOP_COMMITS: Duration = Duration::from_secs(1);

/// The runtime: cheap to clone, shared by every request.
#[derive(Debug, Clone)]
pub struct Runtime(Arc<Inner>);

/// SSE frames of consecutive events, and the sequence of the last of them.
#[derive(Debug, Clone)]
pub struct Frames {
    /// `id:`, `event:` and `data:` lines of each event, each frame closed by an empty line.
    pub bytes: Bytes,
    pub last: Sequence,
}

/// Why a stream of events ended. The client reconnects with its cursor.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    #[error("pruning has overtaken this reader")]
    Overtaken,
    #[error("the session was deleted")]
    Gone,
    #[error("could not read events")]
    Store(#[from] StoreError),
}

impl Runtime {
    /// Opens the store, settles what dead owners left and takes up work.
    pub async fn start(config: RuntimeConfig) -> Result<Self, StartError> {
        let ids = IdSource::default();
        let now = clock::now();
        let store = Store::open(OpenConfig {
            data_dir: config.data_dir.clone(),
            version: config.version.clone(),
            owner: ids.owner(now),
            now,
        })
        .await?;
        let folder =
            ArtifactStore::open(&config.data_dir.join("artifacts")).map_err(StartError::Artifacts)?;
        let config = Arc::new(config);
        let (desk, listener) = inquiry::Desk::open(&config, store.owner()).unzip();
        let inner = Arc::new(Inner {
            scratch: turn::workspaces(&config.data_dir).to_string_lossy().into_owned(),
            uploads: uploads::folder(&config.data_dir, &config.limits),
            bus: bus::Bus::new(config.limits.max_event_bytes),
            connections: Arc::new(Connections::new(
                Arc::clone(&config),
                ids.clone(),
                store.owner().clone(),
                desk.clone(),
            )),
            config,
            store,
            artifacts: folder,
            seals: artifacts::Seals::default(),
            ids,
            heads: heads::Heads::default(),
            sessions: sessions::Sessions::default(),
            projects: std::sync::Mutex::default(),
            subscribers: Arc::default(),
            live_runs: std::sync::atomic::AtomicUsize::default(),
            looks: tokio::sync::Semaphore::new(shared::LOOKS),
            stopping: CancellationToken::new(),
        });
        recovery::sweep(&inner).await?;
        saving::take_up(&inner).await;
        deletion::resume(&inner).await?;
        tokio::spawn(deletion::sweep_scratch(Arc::clone(&inner)));
        tokio::spawn(recovery::sweep_forever(Arc::clone(&inner)));
        tokio::spawn(saving::empty_trash_forever(Arc::clone(&inner)));
        tokio::spawn(watch::watch_forever(Arc::clone(&inner)));
        tokio::spawn(uploads::sweep_forever(Arc::clone(&inner)));
        if let (Some(desk), Some(listener)) = (desk, listener) {
            tokio::spawn(inquiry::serve(Arc::clone(&inner), desk, listener));
        }
        Ok(Self(inner))
    }

    /// Ends all work and closes the store; at most about 6 s. True if everything ended in order.
    ///
    /// Streams end first. Agents are asked to end their turns, then to exit, then killed; what did
    /// not end by itself is interrupted.
    pub async fn shutdown(&self) -> bool {
        let inner = &self.0;
        inner.stopping.cancel();
        let mut orderly = true;
        orderly &= within(STOP_TURNS, async {
            inner.sessions.ask_all(|| Request::Stop { force: false }).await;
            inner.sessions.ask_all(|| Request::WaitIdle { own: true }).await;
        })
        .await;
        let agents = within(STOP_AGENTS, inner.connections.stop_all()).await;
        if !agents {
            inner.connections.kill_all();
        }
        // What was still being started was no connection yet: only its mark tells whose it is.
        recovery::end_processes(inner.store.owner()).await;
        let commits = within(STOP_COMMITS, inner.sessions.ask_all(|| Request::Stop { force: true })).await;
        if !orderly {
            tracing::info!("some turns did not end by themselves and are interrupted");
        }
        orderly = agents && commits;
        inner.store.close().await;
        orderly
    }

    /// Kills every agent process tree at once; for a second signal.
    pub fn kill_all(&self) {
        self.0.connections.kill_all();
        openscience_acp::sweep_marked(&clock::mark_prefix(self.0.store.owner()));
    }

    /// Resolves when shutdown begins: open streams end then.
    pub async fn stopping(&self) {
        self.0.stopping.cancelled().await;
    }

    /// The bounds in force.
    pub fn limits(&self) -> &Limits {
        &self.0.config.limits
    }

    /// Protocol support.
    pub fn capabilities(&self) -> Capabilities {
        let config = &self.0.config;
        let built_in = config.agents.get(&config.default_agent).is_some_and(|agent| agent.built_in);
        Capabilities {
            protocol_version: PROTOCOL_VERSION.to_owned(),
            server_version: config.version.clone(),
            idempotent_prompts: true,
            rich_inputs: true,
            run_snapshots: true,
            event_retention: EVENT_RETENTION,
            crash_recovery: "interrupt".to_owned(),
            decision_scope: DECISION_SCOPE.to_owned(),
            agent: CapabilityAgent { id: config.default_agent.clone(), built_in },
            files: uploads::capabilities(&config.limits),
        }
    }

    /// Tells other processes where this one listens.
    pub async fn announce_url(&self, url: &str) -> Result<(), StoreError> {
        self.0.store.announce_url(url).await
    }

    /// Resolves the selectors of a request to one project and records it.
    pub async fn select(&self, selector: Selector) -> Result<Selected, SelectError> {
        projects::select(&self.0, selector).await
    }

    /// All known projects.
    pub async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        self.0.store.projects().await
    }

    /// The project of a session, whichever that is.
    pub async fn project_of(&self, session: &SessionId) -> Result<Option<Selected>, StoreError> {
        let row = self.0.store.session(session).await?;
        Ok(row.map(|row| Selected { id: row.project_id, directory: row.directory.into() }))
    }

    /// An id that no session has.
    pub fn new_session_id(&self) -> SessionId {
        self.0.ids.session(clock::now())
    }

    /// One project.
    pub async fn project(&self, id: &ProjectId) -> Result<Option<Project>, StoreError> {
        self.0.store.project(id).await
    }

    fn is_stopping(&self) -> bool {
        self.0.stopping.is_cancelled()
    }
}

async fn within(limit: Duration, work: impl Future<Output = ()>) -> bool {
    tokio::time::timeout(limit, work).await.is_ok()
}
