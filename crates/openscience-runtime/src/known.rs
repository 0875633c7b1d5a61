//! Which agent does an id mean, and how is it started now?
//!
//! Configured agents win over those of the registry, also where one is called by an alias of the other. A session
//! stays bound to its id; what that id starts is looked up each time, so that a new version or another program
//! counts from the next start on.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

use openscience_acp::catalog::{Entry, LaunchError, Startable};
use openscience_acp::locate;
use openscience_core::profile;
use openscience_protocol::agent::{Agent, AgentSource, RegistryEntry};
use openscience_protocol::{AgentId, Limits, RunError, codes};

use crate::request::{AgentConfig, RuntimeConfig};

/// What an agent may take to start that has to be downloaded first.
const DOWNLOAD_TIME: Duration = Duration::from_mins(3);

impl RuntimeConfig {
    /// The id that sessions of this agent are bound to; none if nobody here knows the agent.
    pub(crate) fn agent_id(&self, asked: &AgentId) -> Option<AgentId> {
        let configured = self.configured(asked).map(|(id, _)| id.clone());
        configured.or_else(|| Some(AgentId::from(self.registry.entry(asked.as_str())?.id.as_str())))
    }

    /// Whoever configured `claude` has what others call `claude-acp`, and the other way round.
    fn configured(&self, asked: &AgentId) -> Option<(&AgentId, &AgentConfig)> {
        let meant = profile::canonical(asked.as_str());
        let same = || self.agents.iter().find(|(id, _)| profile::canonical(id.as_str()) == meant);
        self.agents.get_key_value(asked).or_else(same)
    }

    /// How the agent that a session is bound to is started and treated, as far as is known here. One of the
    /// registry that cannot be started, or that is to be looked up when it is, has no command.
    pub(crate) fn agent(&self, id: &AgentId) -> Option<Cow<'_, AgentConfig>> {
        match self.configured(id) {
            Some((_, config)) if !config.from_registry => Some(Cow::Borrowed(config)),
            None if !self.registry.is_enabled() => None,
            Some(_) | None => {
                let own = self.settings(id);
                let found = self.registry.find(id.as_str(), own.path(&self.agent_environment));
                Some(Cow::Owned(match found {
                    Ok(found) => own.located(found, &self.limits),
                    Err(_) => own,
                }))
            }
        }
    }

    /// The same, to start it now: the network is asked if it has to be.
    pub(crate) async fn agent_to_start(&self, id: &AgentId) -> Result<AgentConfig, RunError> {
        let own = self.settings(id);
        let found = self.registry.find_to_start(id.as_str(), own.path(&self.agent_environment)).await;
        found.map(|found| own.located(found, &self.limits)).map_err(|error| not_startable(&error))
    }

    /// What is configured for an agent of the registry.
    fn settings(&self, id: &AgentId) -> AgentConfig {
        self.configured(id).map_or_else(AgentConfig::of_registry, |(_, config)| config.clone())
    }

    /// All agents that can be asked for, by id.
    pub(crate) fn known_agents(&self) -> Vec<Agent> {
        let mut all: BTreeMap<&AgentId, Agent> = BTreeMap::new();
        let of_registry = self.registry_only();
        for (id, config) in &self.agents {
            all.insert(id, self.shown(id, config, self.registry.entry(id.as_str()).as_ref()));
        }
        for (id, entry) in &of_registry {
            all.insert(id, self.shown(id, &AgentConfig::of_registry(), Some(entry)));
        }
        all.into_values().collect()
    }

    /// What the registry has and nobody configured.
    fn registry_only(&self) -> Vec<(AgentId, Entry)> {
        let entries = self.registry.entries().into_iter();
        let entries = entries.map(|entry| (AgentId::from(entry.id.as_str()), entry));
        entries.filter(|(id, _)| self.configured(id).is_none()).collect()
    }

    /// One agent as people see it.
    pub(crate) fn shown_agent(&self, id: &AgentId) -> Agent {
        let entry = self.registry.entry(id.as_str());
        self.shown(id, &self.settings(id), entry.as_ref())
    }

    fn shown(&self, id: &AgentId, own: &AgentConfig, entry: Option<&Entry>) -> Agent {
        let found =
            own.from_registry.then(|| self.registry.find(id.as_str(), own.path(&self.agent_environment)));
        let (config, via, problem) = match found {
            Some(Ok(found)) => (own.clone().located(found.clone(), &self.limits), Some(found.way), None),
            Some(Err(error)) => (own.clone(), None, Some(error.to_string())),
            None => (own.clone(), None, None),
        };
        let here =
            locate(&config.command, &self.default_directory, own.path(&self.agent_environment)).is_some();
        let missing = || format!("command not found: {}", config.command.display());
        let problem = problem.or_else(|| (!here).then(missing));
        let entry = entry.filter(|_| !own.built_in).map(|entry| RegistryEntry {
            id: entry.id.clone(),
            name: entry.name.clone(),
            version: entry.version.clone(),
            description: entry.description.clone(),
            document: self.registry.freshness().as_str().to_owned(),
        });
        let family = own.profile(id).id;
        Agent {
            id: id.clone(),
            source: match (own.built_in, self.agents.contains_key(id)) {
                (true, _) => AgentSource::BuiltIn,
                (false, true) => AgentSource::Configured,
                (false, false) => AgentSource::Registry,
            },
            built_in: own.built_in,
            default: *id == self.default_agent,
            kind: Some(family.to_owned()).filter(|family| !family.is_empty()),
            command: config.command.to_string_lossy().into_owned(),
            args: config.args,
            env: config.env.into_keys().collect(),
            installed: here && via.is_none_or(|way| !way.downloads()),
            via: via.map(|way| way.as_str().to_owned()),
            problem,
            registry: entry,
        }
    }
}

impl AgentConfig {
    /// One of the registry, for which nothing is configured.
    pub fn of_registry() -> Self {
        Self { from_registry: true, ..Self::plain() }
    }

    /// The `PATH` that its process has. `inherited` is the environment that every agent starts with.
    pub fn path<'a>(&'a self, inherited: &'a [(String, String)]) -> Option<&'a str> {
        let inherited = || inherited.iter().rev().find(|(name, _)| name == "PATH");
        self.env.get("PATH").or_else(|| inherited().map(|(_, path)| path)).map(String::as_str)
    }

    /// What was found in the registry, with what is configured over it.
    #[must_use]
    pub fn located(self, found: Startable, limits: &Limits) -> Self {
        let Startable { way, command, args, env } = found;
        let patience = DOWNLOAD_TIME.max(Duration::from_millis(limits.start_timeout_ms));
        Self {
            command,
            args: [args, self.args].concat(),
            env: env.into_iter().chain(self.env).collect(),
            start_timeout: self.start_timeout.or_else(|| way.downloads().then_some(patience)),
            ..self
        }
    }
}

fn not_startable(error: &LaunchError) -> RunError {
    RunError::new(codes::run::AGENT_START_FAILED, error.to_string()).at("start")
}

#[cfg(test)]
#[path = "known_tests.rs"]
mod tests;
