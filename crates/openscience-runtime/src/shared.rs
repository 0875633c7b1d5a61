//! What the runtime's parts share.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};

use openscience_core::session::Context;
use openscience_files::artifact::ArtifactStore;
use openscience_files::upload::Uploads;
use openscience_protocol::ProjectId;
use openscience_store::Store;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::artifacts::Seals;
use crate::bus::Bus;
use crate::clock::{self, IdSource};
use crate::connections::Connections;
use crate::heads::Heads;
use crate::request::RuntimeConfig;
use crate::sessions::Sessions;

/// Read models that are derived at once: each holds all messages of a session meanwhile, 16 MiB at most.
pub(crate) const LOOKS: usize = 2;

/// One per process.
#[derive(Debug)]
pub(crate) struct Inner {
    pub config: Arc<RuntimeConfig>,
    /// Directory that holds the scratch folders of isolated sessions.
    pub scratch: String,
    pub store: Store,
    /// Files that clients handed over.
    pub uploads: Uploads,
    /// Where files that agents save are.
    pub artifacts: ArtifactStore,
    pub seals: Seals,
    pub ids: IdSource,
    pub heads: Heads,
    pub bus: Bus,
    pub sessions: Sessions,
    pub connections: Arc<Connections>,
    /// Directories already recorded as projects: a cache in front of the store.
    pub projects: Mutex<HashMap<PathBuf, ProjectId>>,
    pub subscribers: Arc<AtomicUsize>,
    /// Runs this process has at work.
    pub live_runs: AtomicUsize,
    /// Places for those who derive a read model.
    pub looks: Semaphore,
    /// Cancelled when shutdown begins.
    pub stopping: CancellationToken,
}

impl Inner {
    /// What a decision made now may depend on.
    pub(crate) fn context<'a>(&'a self, ids: &'a mut IdSource) -> Context<'a> {
        Context {
            now: clock::now(),
            me: self.store.owner(),
            limits: &self.config.limits,
            policy: &self.config.policy,
            rules: &self.config.rules,
            default_model: self
                .config
                .default_model
                .as_ref()
                .map(|model| (&self.config.default_agent, model)),
            // Without this binary there is no tool to save any with.
            artifacts: self.config.exec_child.is_some(),
            scratch: &self.scratch,
            ids,
        }
    }
}
