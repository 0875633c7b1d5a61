//! Which agents can be started, how, and which one answers when nobody says?
//!
//! A program is looked up on PATH when it is started, not here.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openscience_acp::catalog::REGISTRY_URL;
use openscience_core::profile::canonical;
use openscience_protocol::AgentId;
use openscience_protocol::prompt::ModelRef;
use openscience_runtime::request::{AgentConfig, Catalog, CatalogSettings, ContextReset, IDLE_TIMEOUT, Way};
use serde_json::{Map, Value};

use super::ConfigError;
use super::document::{self, AgentEntry, Document};

const SIMULATOR: &str = "sim";
/// Another name people know the simulator by.
const SIMULATOR_ALIAS: &str = "simulator";

/// How the simulator is started.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Launch<'a> {
    /// This binary.
    pub(crate) program: &'a Path,
    pub(crate) data_dir: &'a Path,
}

/// The agents of this process.
#[derive(Debug)]
pub(crate) struct Agents {
    pub(crate) configs: BTreeMap<AgentId, AgentConfig>,
    /// Those that need no configuration.
    pub(crate) registry: Catalog,
    pub(crate) default: AgentId,
    /// The model of prompts that name none, in sessions of that agent.
    pub(crate) model: Option<ModelRef>,
    /// Why it is that one, if a person might be surprised.
    pub(crate) notice: Option<String>,
}

impl Agents {
    /// Resolves the configured agents and the built-in one. `chosen` is what a flag says.
    pub(crate) fn resolve(
        document: &Document,
        launch: Launch<'_>,
        chosen: Option<&str>,
    ) -> Result<Self, ConfigError> {
        let registry = registry(document, launch.data_dir);
        let mut configs = BTreeMap::new();
        for (id, entry) in &document.agents.0 {
            let id = AgentId::from(id.as_str());
            let config = match &entry.command {
                Some(command) => configured(command, entry),
                None if id.as_str() == SIMULATOR => simulator(launch, entry),
                None if registry.entry(id.as_str()).is_some() => of_registry(entry),
                None => return Err(ConfigError::NoCommand(id)),
            };
            configs.insert(id, config);
        }
        configs.entry(AgentId::from(SIMULATOR)).or_insert_with(|| simulator(launch, &AgentEntry::default()));
        let (default, reason) = default(document, chosen);
        let same = || configs.keys().find(|id| canonical(id.as_str()) == canonical(default.as_str()));
        let known = if configs.contains_key(&default) { None } else { same().cloned() };
        let default = known.unwrap_or(default);
        let of_registry = registry.entry(default.as_str()).filter(|_| !configs.contains_key(&default));
        let default = of_registry.as_ref().map_or(default, |entry| AgentId::from(entry.id.as_str()));
        if of_registry.is_some() || configs.contains_key(&default) {
            // A file that other tools share may name a model of theirs: who configured no agent did not mean the simulator.
            let model = document.model.as_deref().filter(|_| reason != Some(Reason::Nothing));
            let model = model.map(|model| model_of(&default, model));
            let notice = reason.map(|reason| reason.notice(&default, document.model.is_some()));
            Ok(Self { configs, registry, default, model, notice })
        } else {
            let known: Vec<&str> = configs.keys().map(AgentId::as_str).collect();
            Err(ConfigError::AgentNotFound { id: default, known: known.join(", ") })
        }
    }
}

/// Why an agent answers that nobody chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    First,
    Nothing,
}

impl Reason {
    fn notice(self, default: &AgentId, model: bool) -> String {
        match self {
            Self::First => format!("no defaultAgent is configured: {default} answers, the first of agents"),
            Self::Nothing if model => {
                "no agent is configured: the built-in simulator answers, without the configured model"
                    .to_owned()
            }
            Self::Nothing => "no agent is configured: the built-in simulator answers".to_owned(),
        }
    }
}

/// `provider/model`; a model without a provider is the agent's own.
fn model_of(agent: &AgentId, model: &str) -> ModelRef {
    let (provider, id) = model.split_once('/').unwrap_or((agent.as_str(), model));
    ModelRef { provider_id: provider.to_owned(), model_id: id.to_owned() }
}

fn default(document: &Document, chosen: Option<&str>) -> (AgentId, Option<Reason>) {
    if let Some(id) = chosen.or(document.default_agent.as_deref()) {
        return (AgentId::from(id), None);
    }
    let mut ids = document.agents.0.iter().map(|(id, _)| id.as_str());
    match (ids.next(), ids.next()) {
        (Some(only), None) => (AgentId::from(only), None),
        (Some(first), Some(_)) => (AgentId::from(first), Some(Reason::First)),
        (None, _) => (AgentId::from(SIMULATOR), Some(Reason::Nothing)),
    }
}

/// The registry as it is configured. Reads nothing yet.
pub(crate) fn registry(document: &Document, data_dir: &Path) -> Catalog {
    let entry = &document.registry;
    Catalog::new(CatalogSettings {
        enabled: entry.enabled.unwrap_or(true),
        url: entry.url.clone().unwrap_or_else(|| REGISTRY_URL.to_owned()),
        cache_dir: data_dir.join("cache"),
        ways: entry.ways.clone().unwrap_or_else(|| Way::ALL.to_vec()),
    })
}

/// What is configured for an agent whose command the registry knows.
fn of_registry(entry: &AgentEntry) -> AgentConfig {
    AgentConfig { from_registry: true, ..configured("", entry) }
}

fn configured(command: &str, entry: &AgentEntry) -> AgentConfig {
    AgentConfig {
        command: PathBuf::from(command),
        args: entry.args.clone(),
        env: entry.env.0.iter().cloned().collect(),
        kind: entry.r#type.clone(),
        built_in: false,
        from_registry: false,
        ordered: entry.r#type.as_deref().is_some_and(is_built_in),
        start_timeout: entry.start_timeout_ms.map(Duration::from_millis),
        idle_timeout: idle_timeout(entry),
        context_reset: context_reset(entry),
    }
}

fn idle_timeout(entry: &AgentEntry) -> Duration {
    entry.idle_timeout_ms.map_or(IDLE_TIMEOUT, Duration::from_millis)
}

fn context_reset(entry: &AgentEntry) -> ContextReset {
    match entry.context_reset {
        Some(document::ContextReset::Fail) => ContextReset::Fail,
        Some(document::ContextReset::Transcript) | None => ContextReset::Transcript,
    }
}

fn simulator(launch: Launch<'_>, entry: &AgentEntry) -> AgentConfig {
    let history = launch.data_dir.join("cache").join("sim");
    let mut args = vec!["agent".to_owned(), "sim".to_owned()];
    args.extend(["--history-dir".to_owned(), history.display().to_string()]);
    for model in entry.models.iter().flatten() {
        args.extend(["--model".to_owned(), model.clone()]);
    }
    AgentConfig {
        command: launch.program.to_owned(),
        args,
        env: BTreeMap::new(),
        kind: None,
        built_in: true,
        from_registry: false,
        ordered: true,
        start_timeout: entry.start_timeout_ms.map(Duration::from_millis),
        idle_timeout: idle_timeout(entry),
        context_reset: context_reset(entry),
    }
}

/// True if people call that agent so.
pub(crate) fn is_agent(agent: &AgentId, name: &str) -> bool {
    agent.as_str() == name || (agent.as_str() == SIMULATOR && name == SIMULATOR_ALIAS)
}

/// True for the names of the agent that needs no configuration.
pub(super) fn is_built_in(id: &str) -> bool {
    id == SIMULATOR || id == SIMULATOR_ALIAS
}

/// Makes commands that are relative paths absolute, from where their document lies.
///
/// Left as they are they would start from each project's directory, so a project could put its own program there.
pub(super) fn anchor_commands(object: &mut Map<String, Value>, base: &Path, home: Option<&Path>) {
    for key in ["agents", "mcp"] {
        let entries = object.get_mut(key).and_then(Value::as_object_mut);
        for (_, entry) in entries.into_iter().flatten() {
            if let Some(Value::String(command)) = entry.get_mut("command")
                && command.contains('/')
            {
                let path = base.join(expand_home(command, home));
                if let Ok(path) = path.into_os_string().into_string() {
                    *command = path;
                }
            }
        }
    }
}

/// Puts the home directory in the place of a leading `~/`.
pub(super) fn expand_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}
