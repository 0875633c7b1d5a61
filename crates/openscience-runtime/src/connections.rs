//! Agent processes: one per agent and project, shared by sessions, started by
//! whoever needs it first, stopped when nobody does.
//!
//! How each of them is kept and ended is in `life`; which may be stopped is
//! decided by the core.

mod life;
mod room;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::{self, BoxFuture, WeakShared};
use openscience_acp::{AcpLimits, Connection, Launch};
use openscience_core::authority::Offer;
use openscience_core::idle;
use openscience_protocol::row::SessionRow;
use openscience_protocol::{AgentId, AgentLaunch, McpServer, OwnerId, RunError, codes};
use tokio::time::{Instant, timeout_at};

use self::life::Place;
use self::room::{Entry, Rooms};
use crate::clock::{self, IdSource};
use crate::inquiry::Desk;
use crate::mcp;
use crate::request::{AgentConfig, RuntimeConfig};

/// What a process is shared by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub agent: AgentId,
    pub directory: PathBuf,
    /// How it is started, if it is not configured.
    pub launch: Option<Arc<AgentLaunch>>,
    /// What it is started with besides.
    pub arguments: Vec<String>,
}

impl Key {
    /// The process of a known agent for a project.
    pub(crate) fn known(agent: AgentId, directory: PathBuf) -> Self {
        Self { agent, directory, launch: None, arguments: Vec::new() }
    }
}

/// A process and whether it still takes new turns.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub id: Arc<str>,
    pub key: Key,
    pub connection: Connection,
    retired: Arc<AtomicBool>,
    /// Leases of it.
    uses: Arc<AtomicUsize>,
    /// A session was opened there: the agent can start and work.
    worked: Arc<AtomicBool>,
}

impl Shared {
    /// True once a session was opened there.
    pub(crate) fn has_worked(&self) -> bool {
        self.worked.load(Ordering::Relaxed)
    }

    pub(crate) fn note_worked(&self) {
        self.worked.store(true, Ordering::Relaxed);
    }

    /// True while a turn is made ready there.
    pub(crate) fn is_wanted(&self) -> bool {
        self.uses.load(Ordering::Relaxed) > 0
    }

    /// True if a new turn may be sent there.
    pub(crate) fn usable(&self) -> bool {
        !self.retired.load(Ordering::Relaxed) && !self.connection.is_closed()
    }
}

/// Keeps a process from being stopped for being idle while it is made ready for a turn.
#[derive(Debug)]
pub(crate) struct Lease(Shared);

impl Lease {
    pub(crate) fn shared(&self) -> &Shared {
        &self.0
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        self.0.uses.fetch_sub(1, Ordering::Relaxed);
        self.0.connection.touch();
    }
}

/// A start that all who wait for it drive: it goes on as long as one of them does. What it gives is leased
/// until all of them have it.
type Start = future::Shared<Starting>;
type Starting = BoxFuture<'static, Result<Arc<Lease>, RunError>>;

/// Where the process of a key is, or will be.
#[derive(Debug)]
pub(crate) struct Slot {
    pub id: Arc<str>,
    progress: Arc<Progress>,
    /// Held by those who wait.
    start: Option<WeakShared<Starting>>,
}

/// How far a start has come.
#[derive(Debug, Default)]
struct Progress {
    /// It has its place under the limit and is being started.
    connecting: AtomicBool,
    process: OnceLock<Shared>,
}

impl Slot {
    fn process(&self) -> Option<&Shared> {
        self.progress.process.get()
    }
}

/// A process or one that is to be, as people see it.
#[derive(Debug, Clone)]
pub(crate) enum Seen {
    Waiting { id: Arc<str>, key: Key },
    Connecting { id: Arc<str>, key: Key },
    Started(Shared),
}

impl Seen {
    pub(crate) fn id(&self) -> &str {
        match self {
            Self::Waiting { id, .. } | Self::Connecting { id, .. } => id,
            Self::Started(shared) => &shared.id,
        }
    }
}

/// A process that takes no new turns.
#[derive(Debug)]
struct Leaving {
    shared: Shared,
    /// It is being ended; else it waits for its last turn.
    ending: bool,
}

/// What the lock guards.
#[derive(Debug)]
struct Table {
    slots: HashMap<Key, Arc<Slot>>,
    leaving: Vec<Leaving>,
    rooms: Rooms,
    /// Whether taking up a conversation has worked for an agent, the last time it was tried.
    reopens: HashMap<AgentId, bool>,
}

/// All agent processes. The lock guards tables for the length of a look-up and of the decision
/// which process is stopped; it is no actor, because a lease must be taken at once. Starting and
/// ending happen outside it.
#[derive(Debug)]
pub(crate) struct Connections {
    table: Mutex<Table>,
    config: Arc<RuntimeConfig>,
    ids: IdSource,
    owner: OwnerId,
    /// Where agents ask questions.
    desk: Option<Arc<Desk>>,
}

impl Connections {
    pub(crate) fn new(
        config: Arc<RuntimeConfig>,
        ids: IdSource,
        owner: OwnerId,
        desk: Option<Arc<Desk>>,
    ) -> Self {
        // What came with the binary is known to take conversations up.
        let known = config.agents.iter().filter(|(_, agent)| agent.built_in);
        let table = Table {
            slots: HashMap::new(),
            leaving: Vec::new(),
            rooms: Rooms::new(config.limits.max_connections),
            reopens: known.map(|(id, _)| (id.clone(), true)).collect(),
        };
        Self { table: Mutex::new(table), config, ids, owner, desk }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A lease of the process for that key, started if need be. Callers that come meanwhile share the start.
    ///
    /// Under the limit of processes it waits for its turn, at most as long as a start may take.
    pub(crate) async fn get(self: &Arc<Self>, key: &Key) -> Result<Lease, RunError> {
        let Some(agent) = self.agent(&key.agent, key.launch.as_deref()) else {
            return Err(unknown(&key.agent));
        };
        let until = Instant::now() + self.limits(&agent).start_timeout;
        loop {
            let (slot, start) = self.slot(key, &agent, until);
            let started = match start {
                Some(start) => Some(start.await?),
                None => None,
            };
            let shared = started.as_ref().map(|lease| lease.shared()).or(slot.process());
            // One that was stopped between start and lease is looked for again.
            if let Some(lease) = shared.and_then(|shared| self.lease(shared)) {
                return Ok(lease);
            }
        }
    }

    /// Keeps a process for a turn; none if it takes no new ones.
    pub(crate) fn lease(&self, shared: &Shared) -> Option<Lease> {
        // Under the lock no process is chosen to be stopped.
        let _table = self.lock();
        if shared.retired.load(Ordering::Relaxed) {
            return None;
        }
        shared.uses.fetch_add(1, Ordering::Relaxed);
        Some(Lease(shared.clone()))
    }

    /// As [`Self::lease`], for a session that is open there: none also if the process is gone.
    pub(crate) fn lease_again(&self, shared: &Shared) -> Option<Lease> {
        self.lease(shared).filter(|lease| lease.0.usable())
    }

    /// A slot whose process is usable, or is being started: then with the start.
    fn slot(self: &Arc<Self>, key: &Key, agent: &AgentConfig, until: Instant) -> (Arc<Slot>, Option<Start>) {
        let mut table = self.lock();
        // One without a process whose callers have all gone is forgotten.
        table.slots.retain(|_, slot| slot.process().map_or(is_wanted(slot), Shared::usable));
        if let Some(slot) = table.slots.get(key) {
            if slot.process().is_some() {
                return (Arc::clone(slot), None);
            }
            // One that has failed is for those who waited for it.
            if let Some(start) =
                slot.start.as_ref().and_then(WeakShared::upgrade).filter(|start| start.peek().is_none())
            {
                return (Arc::clone(slot), Some(start));
            }
        }
        let id: Arc<str> = self.ids.connection(clock::now()).into();
        let progress = Arc::<Progress>::default();
        let start =
            Arc::clone(self).start(key.clone(), agent.clone(), Arc::clone(&id), Arc::clone(&progress), until);
        let start = start.boxed().shared();
        let slot = Arc::new(Slot { id, progress, start: start.downgrade() });
        table.slots.insert(key.clone(), Arc::clone(&slot));
        (slot, Some(start))
    }

    /// The MCP servers for a session at that process: the configured ones, those asked for, and ours, by which its
    /// agent asks people and saves files.
    pub(crate) fn mcp_servers(&self, session: &SessionRow, at: &Shared) -> Result<Vec<McpServer>, RunError> {
        let capabilities = &at.connection.initialized().capabilities.mcp_capabilities;
        let asked = &session.meta.mcp_servers;
        let mut servers = mcp::servers(&self.config, asked, &at.key.agent, capabilities)?;
        let asks = self.desk.as_ref().and_then(|desk| desk.server(&session.id));
        let own = mcp::artifacts(&self.config, session).into_iter().chain(asks);
        // Whoever gives the name to another server means that one.
        let own: Vec<McpServer> =
            own.filter(|own| servers.iter().all(|given| given.name() != own.name())).collect();
        servers.extend(own);
        Ok(servers)
    }

    /// How an agent is started and treated: as it is described with its session, else as it is configured.
    pub(crate) fn agent(
        &self,
        agent: &AgentId,
        launch: Option<&AgentLaunch>,
    ) -> Option<Cow<'_, AgentConfig>> {
        match launch {
            Some(launch) => Some(Cow::Owned(AgentConfig::described(launch))),
            None => self.config.agent(agent),
        }
    }

    /// Taking up a conversation with turns worked, or did not.
    pub(crate) fn reopened(&self, agent: &AgentId, worked: bool) {
        self.lock().reopens.insert(agent.clone(), worked);
    }

    async fn start(
        self: Arc<Self>,
        key: Key,
        agent: AgentConfig,
        id: Arc<str>,
        progress: Arc<Progress>,
        until: Instant,
    ) -> Result<Arc<Lease>, RunError> {
        self.predecessor_gone(&key).await;
        let agent = if agent.from_registry { self.config.agent_to_start(&key.agent).await? } else { agent };
        let place = self.place(until).await?;
        progress.connecting.store(true, Ordering::Relaxed);
        let launch = Launch {
            agent: key.agent.clone(),
            command: agent.command.clone(),
            args: agent.args.iter().chain(&key.arguments).cloned().collect(),
            env: agent.env.clone(),
            secrets: mcp::secrets(&self.config.mcp_servers),
            base_env: self.config.agent_environment.clone(),
            cwd: key.directory.clone(),
            exec_child: self.config.exec_child.clone(),
            ordered: agent.ordered,
            offer: offer(&key.agent, &agent.command),
            mark: self.ids.mark(&self.owner, clock::now()),
        };
        let connection = openscience_acp::connect(launch, self.limits(&agent)).await?;
        let shared = Shared {
            id,
            key,
            connection,
            retired: Arc::default(),
            // The lease below: nobody may stop it before its first turn.
            uses: Arc::new(AtomicUsize::new(1)),
            worked: Arc::default(),
        };
        // Nothing else sets it.
        progress.process.get_or_init(|| shared.clone());
        tokio::spawn(life::keep(Arc::clone(&self), shared.clone(), agent.idle_timeout, place));
        Ok(Arc::new(Lease(shared)))
    }

    /// How long after a cancel a turn is over whatever the agent does.
    pub(crate) fn settle_limit(&self) -> Duration {
        Duration::from_millis(self.config.limits.cancel_settle_ms)
    }

    fn limits(&self, agent: &AgentConfig) -> AcpLimits {
        let limits = AcpLimits::from(&self.config.limits);
        AcpLimits { start_timeout: agent.start_timeout.unwrap_or(limits.start_timeout), ..limits }
    }

    /// What is being ended may still write the conversations that its successor takes up.
    async fn predecessor_gone(&self, key: &Key) {
        let ending: Vec<Connection> = {
            let table = self.lock();
            let same = table.leaving.iter().filter(|leaving| leaving.ending && leaving.shared.key == *key);
            same.map(|leaving| leaving.shared.connection.clone()).collect()
        };
        for connection in ending {
            connection.closed().await;
        }
    }

    /// A place under the limit. At the limit the longest idle process that may be stopped is, else this
    /// waits its turn.
    async fn place(self: &Arc<Self>, until: Instant) -> Result<Place, RunError> {
        let entry = self.lock().rooms.enter();
        let ticket = match entry {
            Entry::Taken => return Ok(Place::new(self, None)),
            Entry::Waits(ticket) => ticket,
        };
        // Dropped while it waits, it gives back what it was given.
        let mut place = Place::new(self, Some(ticket));
        self.make_room();
        if timeout_at(until, place.turn()).await.is_err() {
            let message = "as many agent processes as the limit allows are at work";
            return Err(RunError::new(codes::run::AGENT_CAPACITY, message).at("start"));
        }
        Ok(place)
    }

    /// Stops idle processes for those who wait, as far as that may be.
    fn make_room(self: &Arc<Self>) {
        let mut table = self.lock();
        let now = Instant::now();
        loop {
            let coming = table.leaving.iter().filter(|leaving| leaving.ending).count();
            if table.rooms.waiting() <= coming {
                return;
            }
            let usable = table.started().filter(|shared| shared.usable());
            let Some(shared) =
                idle::longest_idle(usable.map(|shared| (shared.clone(), table.standing(shared, now))))
            else {
                return;
            };
            tracing::info!(agent.id = %shared.key.agent, connection.id = %shared.id, "an idle agent makes room");
            table.end(&shared);
        }
    }

    /// Every process that was started and not replaced, and those to come.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        let table = self.lock();
        let slots = table.slots.iter().filter(|(_, slot)| slot.process().is_some() || is_wanted(slot));
        let slots = slots.map(|(key, slot)| match slot.process() {
            Some(shared) => Seen::Started(shared.clone()),
            None if slot.progress.connecting.load(Ordering::Relaxed) => {
                Seen::Connecting { id: Arc::clone(&slot.id), key: key.clone() }
            }
            None => Seen::Waiting { id: Arc::clone(&slot.id), key: key.clone() },
        });
        let leaving = table.leaving.iter().map(|leaving| Seen::Started(leaving.shared.clone()));
        slots.chain(leaving).collect()
    }
}

/// An agent that a session is bound to and that is not configured any more.
pub(crate) fn unknown(agent: &AgentId) -> RunError {
    let message = format!("agent {agent} is not configured any more");
    RunError::new(codes::run::AGENT_START_FAILED, message).at("start")
}

/// What that agent is told that we do for it.
fn offer(id: &AgentId, command: &Path) -> Offer {
    let program = command.file_name().map(|name| name.to_string_lossy());
    Offer::of(id.as_str(), program.as_deref().unwrap_or_default())
}

/// True if somebody waits for the process of that slot. Asked under the lock, under which alone slots are handed out.
fn is_wanted(slot: &Arc<Slot>) -> bool {
    Arc::strong_count(slot) > 1
}

impl Table {
    /// Processes that were started and take turns, or are gone and not replaced.
    fn started(&self) -> impl Iterator<Item = &Shared> {
        self.slots.values().filter_map(|slot| slot.process())
    }

    /// What decides whether a process may be stopped.
    fn standing(&self, shared: &Shared, now: Instant) -> idle::Standing {
        let told = shared.connection.standing();
        let held = told
            .sessions
            .iter()
            .map(|session| idle::Held { prompted: session.prompted, reopened: session.reopened });
        idle::Standing {
            idle: told.idle_since.map(|since| now.duration_since(since)),
            in_use: shared.uses.load(Ordering::Relaxed) > 0,
            reopens: self.reopens.get(&shared.key.agent) == Some(&true),
            sessions: held.collect(),
        }
    }

    /// Takes a process out of use. The caller holds the lock, so no lease of it can be taken in between.
    fn put_aside(&mut self, shared: &Shared, ending: bool) {
        shared.retired.store(true, Ordering::Relaxed);
        self.slots.retain(|_, slot| slot.process().is_none_or(|known| known.id != shared.id));
        match self.leaving.iter_mut().find(|leaving| leaving.shared.id == shared.id) {
            Some(leaving) => leaving.ending |= ending,
            None => self.leaving.push(Leaving { shared: shared.clone(), ending }),
        }
    }

    /// Takes a process out of use and ends it.
    fn end(&mut self, shared: &Shared) {
        self.put_aside(shared, true);
        let connection = shared.connection.clone();
        tokio::spawn(async move { connection.stop().await });
    }
}
