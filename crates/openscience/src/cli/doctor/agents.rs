//! Does each agent start, say hello and end?
//!
//! All at once, each within a bound. No session is opened: that could cost money, or wait for a person to log in.

use std::path::PathBuf;
use std::time::Duration;

use openscience_acp::{AcpLimits, AgentError, Connection, connect};
use openscience_protocol::{AgentId, Limits, McpServer, RunError};
use openscience_runtime::request::{AgentConfig, Catalog};
use openscience_runtime::{login, mcp};
use serde::Serialize;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::config::Agents;

/// A person waits: longer than that no agent is waited for, whatever is configured.
const START_TIME_MAX: Duration = Duration::from_secs(30);
/// What an agent that keeps talking without saying hello gets in addition.
const TALK_TIME_MAX: Duration = Duration::from_secs(5);

/// What all agents are started with.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    pub(super) limits: Limits,
    pub(super) mcp_servers: Vec<McpServer>,
    pub(super) environment: Vec<(String, String)>,
    /// This binary.
    pub(super) program: PathBuf,
    pub(super) directory: PathBuf,
    /// What the mark of every agent starts with.
    pub(super) mark: String,
}

/// One agent.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct AgentReport {
    pub(super) id: String,
    pub(super) default: bool,
    pub(super) built_in: bool,
    /// As configured.
    pub(super) command: String,
    /// The program that is started; none if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) resolved: Option<String>,
    /// Found by its name in a directory of `PATH`.
    pub(super) on_path: bool,
    /// Names of its configured variables.
    pub(super) env: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<Answer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<RunError>,
    /// What a person may try.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) hint: Option<String>,
    /// The end of what it wrote to stderr.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) stderr: String,
}

/// What an agent that works told of itself.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Answer {
    /// From starting the process to its answer.
    pub(super) initialize_ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) agent_info: Option<Value>,
    pub(super) auth: Auth,
    /// Configured MCP servers that it is not given, because it cannot reach them.
    pub(super) left_out_mcp_servers: Vec<String>,
}

/// Whether it may want a login; that it does is known only when a session is opened.
#[derive(Debug, Serialize)]
pub(super) struct Auth {
    /// `none`, `ready` (the daemon logs in by itself if need be) or `by_hand`.
    pub(super) state: &'static str,
    /// The method the daemon would use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) login: Option<String>,
    /// Ids of all methods.
    pub(super) methods: Vec<String>,
}

/// Examines all agents; by id.
pub(super) async fn examine(agents: Agents, surroundings: Surroundings) -> Vec<AgentReport> {
    let mut running = JoinSet::new();
    let mut configs = agents.configs;
    // The default agent must work, also if only the registry knows it.
    configs.entry(agents.default.clone()).or_insert_with(AgentConfig::of_registry);
    let mut reports = Vec::new();
    for (id, config) in configs {
        let config = match of_registry(&id, config, &agents.registry, &surroundings) {
            Ok(config) => config,
            Err(mut report) => {
                report.default = id == agents.default;
                reports.push(*report);
                continue;
            }
        };
        let default = id == agents.default;
        let surroundings = surroundings.clone();
        running.spawn(async move { one(id, config, default, surroundings).await });
    }
    reports.extend(running.join_all().await);
    reports.sort_by(|a, b| a.id.cmp(&b.id));
    reports
}

/// An agent of the registry with the command that would start it. One that would be downloaded first, or that
/// cannot be started, is told of and not examined.
fn of_registry(
    id: &AgentId,
    config: AgentConfig,
    registry: &Catalog,
    surroundings: &Surroundings,
) -> Result<AgentConfig, Box<AgentReport>> {
    if !config.from_registry {
        return Ok(config);
    }
    let found = registry.find(id.as_str(), config.path(&surroundings.environment));
    match found {
        Ok(found) if found.way.downloads() => {
            let way = found.way;
            let mut report = AgentReport::new(id, &config.located(found, &surroundings.limits));
            report.hint =
                Some(format!("{way} downloads it when it is started first, which is not tried here"));
            Err(Box::new(report))
        }
        Ok(found) => Ok(config.located(found, &surroundings.limits)),
        Err(error) => {
            let mut report = AgentReport::new(id, &config);
            let code = openscience_protocol::codes::run::AGENT_START_FAILED;
            report.error = Some(RunError::new(code, error.to_string()).at("start"));
            report.hint = Some("install one of them; openscience agent install knows some".to_owned());
            Err(Box::new(report))
        }
    }
}

impl AgentReport {
    /// What is known before it is started.
    fn new(id: &AgentId, config: &AgentConfig) -> Self {
        Self {
            id: id.as_str().to_owned(),
            default: false,
            built_in: config.built_in,
            command: config.command.display().to_string(),
            resolved: None,
            on_path: false,
            env: config.env.keys().cloned().collect(),
            answer: None,
            error: None,
            hint: None,
            stderr: String::new(),
        }
    }
}

async fn one(id: AgentId, config: AgentConfig, default: bool, surroundings: Surroundings) -> AgentReport {
    let launch = launch(&id, &config, &surroundings);
    let resolved = launch.resolve().ok();
    let bare = launch.command.components().count() == 1 && !launch.command.is_absolute();
    let mut report = AgentReport {
        default,
        on_path: bare && resolved.is_some(),
        resolved: resolved.map(|path| path.display().to_string()),
        ..AgentReport::new(&id, &config)
    };
    let mut limits = AcpLimits::from(&surroundings.limits);
    let own = config.start_timeout.unwrap_or(limits.start_timeout);
    limits.start_timeout = own.min(START_TIME_MAX);
    let patience = limits.start_timeout + TALK_TIME_MAX;
    let start = Instant::now();
    match timeout(patience, connect(launch, limits)).await {
        Ok(Ok(connection)) => {
            let took = u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX);
            report.answer = Some(answer(&connection, took, &report.env, &surroundings.mcp_servers));
            connection.stop().await;
            report.stderr = connection.stderr_tail();
        }
        Ok(Err(error)) => {
            report.hint = hint(&id, &error);
            let mut error = RunError::from(error);
            report.stderr = error.stderr.take().unwrap_or_default();
            report.error = Some(error);
        }
        Err(_) => {
            let message = "the agent talks but does not answer to initialize";
            report.error = Some(RunError::new(openscience_protocol::codes::run::AGENT_START_FAILED, message));
            report.hint = Some(by_hand());
        }
    }
    report
}

fn launch(id: &AgentId, config: &AgentConfig, surroundings: &Surroundings) -> openscience_acp::Launch {
    openscience_acp::Launch {
        agent: id.clone(),
        command: config.command.clone(),
        args: config.args.clone(),
        env: config.env.clone(),
        secrets: mcp::secrets(&surroundings.mcp_servers),
        base_env: surroundings.environment.clone(),
        cwd: surroundings.directory.clone(),
        exec_child: Some(surroundings.program.clone()),
        ordered: config.ordered,
        offer: openscience_acp::Offer::NONE,
        mark: format!("{}{id}", surroundings.mark),
    }
}

fn answer(connection: &Connection, initialize_ms: u64, env: &[String], servers: &[McpServer]) -> Answer {
    let initialized = connection.initialized();
    let methods = initialized.auth_methods.as_array().into_iter().flatten();
    let methods = methods.filter_map(|method| method.get("id")?.as_str()).map(str::to_owned).collect();
    let login = login(&initialized.auth_methods, env);
    let state = match (&methods, &login) {
        (_, Some(_)) => "ready",
        (methods, None) if Vec::is_empty(methods) => "none",
        (_, None) => "by_hand",
    };
    let reach = &initialized.capabilities.mcp_capabilities;
    let left_out = servers.iter().filter(|server| mcp::unreachable(server, reach).is_some());
    Answer {
        initialize_ms,
        agent_info: initialized.agent_info.clone(),
        auth: Auth { state, login, methods },
        left_out_mcp_servers: left_out.map(|server| server.name().to_owned()).collect(),
    }
}

/// What a person may try.
fn hint(id: &AgentId, error: &AgentError) -> Option<String> {
    match error {
        AgentError::CommandNotFound { command, searched: Some(_) } => Some(format!(
            "install {command}, or give its whole path in agents.{id}.command: a service has another PATH than your shell"
        )),
        AgentError::CommandNotFound { searched: None, .. } => {
            Some(format!("correct the path in agents.{id}.command"))
        }
        AgentError::Timeout { .. } => Some(format!(
            "{}; if it was downloading itself, install it, or raise agents.{id}.startTimeoutMs",
            by_hand()
        )),
        AgentError::Spawn(_)
        | AgentError::Exited { .. }
        | AgentError::Refused { .. }
        | AgentError::AuthRequired { .. }
        | AgentError::BadAnswer { .. }
        | AgentError::FrameTooLarge { .. } => Some(by_hand()),
        AgentError::ProtocolVersion(_) => {
            Some("install a version of it that speaks ACP version 1".to_owned())
        }
        AgentError::DirectoryMissing
        | AgentError::TakenId
        | AgentError::UnknownSession
        | AgentError::QueueFull
        | AgentError::Encode(_) => None,
    }
}

fn by_hand() -> String {
    "run its command by hand: it must wait for ACP messages on its standard input and write nothing else than answers"
        .to_owned()
}
