//! Configured agents, agents of the registry, and both of one name.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use openscience_acp::catalog::{Catalog, CatalogSettings, Way};
use serde_json::json;
use tempfile::TempDir;

use super::*;
use crate::request::{ContextReset, IDLE_TIMEOUT};

/// Programs on `PATH`, a registry in the cache, and what is configured.
struct Machine {
    config: RuntimeConfig,
    root: TempDir,
}

impl Machine {
    fn new(programs: &[&str], configured: &[(&str, AgentConfig)]) -> Self {
        let root = TempDir::new().unwrap();
        let (bin, cache) = (root.path().join("bin"), root.path().join("cache"));
        for folder in [&bin, &cache] {
            std::fs::create_dir(folder).unwrap();
        }
        for program in programs {
            std::fs::write(bin.join(program), "").unwrap();
            std::fs::set_permissions(bin.join(program), std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        let npx = json!({"npx": {"package": "@a/claude@1", "args": ["--acp"], "env": {"A": "registry", "B": "registry"}}});
        let document = json!({"agents": [
            {"id": "claude-acp", "name": "Claude", "version": "1.0.0", "distribution": npx},
            {"id": "goose", "distribution": {"uvx": {"package": "goose"}}},
        ]});
        std::fs::write(cache.join("registry.json"), document.to_string()).unwrap();
        let registry = Catalog::new(CatalogSettings {
            enabled: true,
            url: "http://127.0.0.1:1/registry.json".to_owned(),
            cache_dir: cache,
            ways: Way::ALL.to_vec(),
        });
        let config = RuntimeConfig {
            data_dir: root.path().join("data"),
            default_directory: root.path().to_owned(),
            version: "1".to_owned(),
            agents: configured.iter().map(|(id, config)| (AgentId::from(*id), config.clone())).collect(),
            registry,
            default_agent: AgentId::from("claude-acp"),
            default_model: None,
            rules: Vec::new(),
            mcp_servers: Vec::new(),
            policy: openscience_core::session::Policy::default(),
            agent_environment: vec![("PATH".to_owned(), bin.display().to_string())],
            exec_child: None,
            limits: Limits::default(),
        };
        Self { config, root }
    }

    fn id(&self, asked: &str) -> Option<String> {
        self.config.agent_id(&AgentId::from(asked)).map(|id| id.as_str().to_owned())
    }

    /// What the agent a session is bound to would be started with.
    fn line(&self, id: &str) -> Option<String> {
        let agent = self.config.agent(&AgentId::from(id))?;
        let command = agent.command.strip_prefix(self.root.path().join("bin")).unwrap_or(&agent.command);
        Some([vec![command.display().to_string()], agent.args.clone()].concat().join(" "))
    }
}

fn configured(command: &str) -> AgentConfig {
    AgentConfig { command: Path::new(command).to_owned(), ..AgentConfig::plain() }
}

#[test]
fn an_agent_of_the_registry_needs_no_configuration() {
    let machine = Machine::new(&["npx"], &[]);
    assert_eq!(machine.id("claude").as_deref(), Some("claude-acp"));
    assert_eq!(machine.id(" Claude ").as_deref(), Some("claude-acp"));
    assert_eq!((machine.id("goose").as_deref(), machine.id("nobody")), (Some("goose"), None));
    assert_eq!(machine.line("claude-acp").as_deref(), Some("npx --yes @a/claude@1 --acp"));
}

#[test]
fn a_configured_agent_wins_over_that_of_the_registry_whatever_both_are_called() {
    let machine = Machine::new(&["npx"], &[("claude", configured("/mine"))]);
    for asked in ["claude", "claude-acp"] {
        assert_eq!(machine.id(asked).as_deref(), Some("claude"), "{asked}");
        // Also for sessions that were bound before it was configured.
        assert_eq!(machine.line(asked).as_deref(), Some("/mine"), "{asked}");
    }
    let shown = machine.config.known_agents();
    let ids: Vec<&str> = shown.iter().map(|agent| agent.id.as_str()).collect();
    assert_eq!(ids, ["claude", "goose"]);
}

#[test]
fn a_session_is_started_with_what_its_agent_is_now() {
    let before = Machine::new(&["npx"], &[("claude", configured("/mine"))]);
    assert_eq!(before.line("claude").as_deref(), Some("/mine"));
    let after = Machine::new(&["npx", "claude-agent-acp"], &[]);
    assert_eq!(after.line("claude").as_deref(), Some("claude-agent-acp --acp"), "not configured any more");
}

#[test]
fn what_is_configured_for_an_agent_of_the_registry_is_laid_over_it() {
    let own = AgentConfig {
        args: vec!["--more".to_owned()],
        env: [("B", "own"), ("C", "own")].map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
        context_reset: ContextReset::Fail,
        ..AgentConfig::of_registry()
    };
    let machine = Machine::new(&["npx"], &[("claude", own)]);
    assert_eq!(machine.line("claude").as_deref(), Some("npx --yes @a/claude@1 --acp --more"));
    let agent = machine.config.agent(&AgentId::from("claude")).unwrap().into_owned();
    let env: Vec<(&str, &str)> =
        agent.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(env, [("A", "registry"), ("B", "own"), ("C", "own")]);
    assert_eq!((agent.context_reset, agent.idle_timeout), (ContextReset::Fail, IDLE_TIMEOUT));
    assert_eq!(agent.start_timeout, Some(DOWNLOAD_TIME), "it may have to be downloaded");
    let patient = AgentConfig { start_timeout: Some(Duration::from_secs(7)), ..AgentConfig::of_registry() };
    let machine = Machine::new(&["npx"], &[("claude", patient)]);
    let agent = machine.config.agent(&AgentId::from("claude")).unwrap().into_owned();
    assert_eq!(agent.start_timeout, Some(Duration::from_secs(7)));
}

#[tokio::test]
async fn who_cannot_be_started_fails_with_what_was_looked_for() {
    let machine = Machine::new(&[], &[]);
    let start = async |id: &str| {
        let error = machine.config.agent_to_start(&AgentId::from(id)).await.unwrap_err();
        assert_eq!((error.code.as_str(), error.stage.as_deref()), ("agent_start_failed", Some("start")));
        error.message
    };
    let message = start("claude-acp").await;
    assert!(message.contains("looked for claude-agent-acp, npx (searched in "), "{message}");
    assert_eq!(start("mine").await, "agent mine is neither configured nor known to the registry");
}

#[test]
fn people_see_who_knows_an_agent_and_how_it_would_be_started() {
    let sim = AgentConfig { built_in: true, ..configured("/bin/sh") };
    let machine = Machine::new(&["npx"], &[("sim", sim), ("mine", configured("no-such-program"))]);
    let all = machine.config.known_agents();
    let ids: Vec<&str> = all.iter().map(|agent| agent.id.as_str()).collect();
    assert_eq!(ids, ["claude-acp", "goose", "mine", "sim"]);
    let [claude, goose, mine, sim] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((claude.source, claude.default, claude.installed), (AgentSource::Registry, true, false));
    assert_eq!((claude.via.as_deref(), claude.kind.as_deref()), (Some("npx"), Some("claude-acp")));
    assert!(claude.command.ends_with("/bin/npx") && claude.problem.is_none(), "{claude:?}");
    let entry = claude.registry.as_ref().unwrap();
    assert_eq!((entry.version.as_deref(), entry.document.as_str()), (Some("1.0.0"), "fresh"));
    assert_eq!((goose.command.as_str(), &goose.via, goose.installed), ("", &None, false));
    assert!(goose.problem.as_ref().unwrap().contains("looked for goose, uvx"), "{goose:?}");
    assert_eq!((mine.source, mine.installed, &mine.registry), (AgentSource::Configured, false, &None));
    assert_eq!(mine.problem.as_deref(), Some("command not found: no-such-program"));
    assert_eq!((sim.source, sim.installed, &sim.problem), (AgentSource::BuiltIn, true, &None));
    assert_eq!(machine.config.shown_agent(&AgentId::from("claude-acp")), *claude);
}
