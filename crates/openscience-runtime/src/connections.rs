//! Agent processes: one per agent and project, shared by sessions, started by
//! whoever needs it first.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use openscience_acp::{AcpLimits, Connection, Launch};
use openscience_protocol::{AgentId, McpServer, OwnerId, RunError, codes};
use tokio::sync::OnceCell;

use crate::clock::{self, IdSource};
use crate::mcp;
use crate::request::{AgentConfig, RuntimeConfig};

/// How often a retired process is asked whether its last turn has ended.
const RETIRED_POLL: Duration = Duration::from_millis(250);

/// What a process is shared by.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Key {
    pub agent: AgentId,
    pub directory: PathBuf,
}

/// A process and whether it still takes new turns.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub id: Arc<str>,
    pub key: Key,
    pub connection: Connection,
    retired: Arc<AtomicBool>,
}

impl Shared {
    /// True if a new turn may be sent there.
    pub(crate) fn usable(&self) -> bool {
        !self.retired.load(Ordering::Relaxed) && !self.connection.is_closed()
    }
}

type Slot = Arc<OnceCell<Shared>>;

/// All agent processes. The lock guards a map for the length of a look-up; starting a process
/// happens outside it, once per slot.
#[derive(Debug)]
pub(crate) struct Connections {
    slots: Mutex<HashMap<Key, Slot>>,
    /// Processes that take no new turns but still have one.
    retired: Mutex<Vec<Shared>>,
    config: Arc<RuntimeConfig>,
    ids: IdSource,
    owner: OwnerId,
}

impl Connections {
    pub(crate) fn new(config: Arc<RuntimeConfig>, ids: IdSource, owner: OwnerId) -> Self {
        Self { slots: Mutex::default(), retired: Mutex::default(), config, ids, owner }
    }

    /// The process for that key, started if need be. Callers that come meanwhile share the start.
    pub(crate) async fn get(&self, key: &Key) -> Result<Shared, RunError> {
        let Some(agent) = self.config.agents.get(&key.agent) else {
            let message = format!("agent {} is not configured any more", key.agent);
            return Err(RunError::new(codes::run::AGENT_START_FAILED, message).at("start"));
        };
        let slot = self.slot(key).await?;
        let started = slot.get_or_try_init(|| self.start(key, agent)).await.cloned();
        if started.is_err() {
            self.forget(key, &slot);
        }
        started
    }

    /// A slot whose process is usable or not started yet.
    async fn slot(&self, key: &Key) -> Result<Slot, RunError> {
        let idle = {
            let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
            slots.retain(|_, slot| slot.get().is_none_or(Shared::usable));
            if let Some(slot) = slots.get(key) {
                return Ok(Arc::clone(slot));
            }
            if slots.len() < self.config.limits.max_connections {
                let slot = Slot::default();
                slots.insert(key.clone(), Arc::clone(&slot));
                return Ok(slot);
            }
            let idle = |slot: &&Slot| slot.get().is_some_and(|shared| shared.connection.live_turns() == 0);
            let found =
                slots.iter().find(|(_, slot)| idle(slot)).map(|(key, slot)| (key.clone(), Arc::clone(slot)));
            let Some((idle_key, slot)) = found else {
                let message = "all agent processes are at work";
                return Err(RunError::new(codes::run::AGENT_CAPACITY, message).at("start"));
            };
            slots.remove(&idle_key);
            slots.insert(key.clone(), Slot::default());
            slot
        };
        if let Some(shared) = idle.get() {
            shared.connection.stop().await;
        }
        // Whoever looked meanwhile may have taken it out: what is started must be in the map.
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Arc::clone(slots.entry(key.clone()).or_default()))
    }

    /// The MCP servers for a session at that process: the configured ones and those asked for.
    pub(crate) fn mcp_servers(&self, asked: &[McpServer], at: &Shared) -> Result<Vec<McpServer>, RunError> {
        let capabilities = &at.connection.initialized().capabilities.mcp_capabilities;
        mcp::servers(&self.config, asked, &at.key.agent, capabilities)
    }

    /// Names of the variables an agent is configured with.
    pub(crate) fn environment(&self, agent: &AgentId) -> Vec<String> {
        let agent = self.config.agents.get(agent);
        agent.map(|agent| agent.env.keys().cloned().collect()).unwrap_or_default()
    }

    fn forget(&self, key: &Key, slot: &Slot) {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if slots.get(key).is_some_and(|known| Arc::ptr_eq(known, slot)) {
            slots.remove(key);
        }
    }

    async fn start(&self, key: &Key, agent: &AgentConfig) -> Result<Shared, RunError> {
        let launch = Launch {
            agent: key.agent.clone(),
            command: agent.command.clone(),
            args: agent.args.clone(),
            env: agent.env.clone(),
            secrets: mcp::secrets(&self.config.mcp_servers),
            base_env: self.config.agent_environment.clone(),
            cwd: key.directory.clone(),
            exec_child: self.config.exec_child.clone(),
            ordered: agent.ordered,
            mark: self.ids.mark(&self.owner, clock::now()),
        };
        let mut limits = AcpLimits::from(&self.config.limits);
        if let Some(own) = agent.start_timeout_ms {
            limits.start_timeout = Duration::from_millis(own);
        }
        let connection = openscience_acp::connect(launch, limits).await?;
        let id = self.ids.connection(clock::now()).into();
        Ok(Shared { id, key: key.clone(), connection, retired: Arc::default() })
    }

    /// Takes no new turns there; the process ends with its last live one.
    pub(crate) fn retire(self: &Arc<Self>, shared: &Shared) {
        if shared.retired.swap(true, Ordering::Relaxed) {
            return;
        }
        let connection = shared.connection.clone();
        self.retired.lock().unwrap_or_else(PoisonError::into_inner).push(shared.clone());
        let this = Arc::clone(self);
        tokio::spawn(async move {
            while connection.live_turns() > 0 && !connection.is_closed() {
                tokio::time::sleep(RETIRED_POLL).await;
            }
            connection.stop().await;
            this.retired
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .retain(|known| !known.connection.is_closed());
        });
    }

    /// Every process that was started and not replaced.
    pub(crate) fn all(&self) -> Vec<Shared> {
        let slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let started = slots.values().filter_map(|slot| slot.get()).cloned();
        let mut all: Vec<Shared> = started.chain(retired.iter().cloned()).collect();
        // One that is retired stays in its slot until the next start.
        all.sort_by(|a, b| a.id.cmp(&b.id));
        all.dedup_by(|a, b| a.id == b.id);
        all
    }

    /// Ends the process of that id by the ladder. False if there is none.
    pub(crate) async fn stop(&self, id: &str) -> bool {
        let Some(shared) = self.all().into_iter().find(|shared| *shared.id == *id) else { return false };
        shared.connection.stop().await;
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        slots.retain(|_, slot| slot.get().is_none_or(|known| known.id != shared.id));
        true
    }

    /// Ends every process by the ladder, at once.
    pub(crate) async fn stop_all(&self) {
        futures_util::future::join_all(self.all().iter().map(|shared| shared.connection.stop())).await;
    }

    /// Kills every process tree.
    pub(crate) fn kill_all(&self) {
        for shared in self.all() {
            shared.connection.kill();
        }
    }
}
