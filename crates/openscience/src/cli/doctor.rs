//! `openscience doctor`: would the daemon work here, and if not, why?
//!
//! Looks at configuration, data directory and agents as `serve` would, and changes nothing: no directory is made, nothing
//! registers, and agents are started only to say hello. Values that may be secrets are never shown.

mod agents;
mod data;
mod registry;
mod text;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use openscience_acp::{find_program, sweep_marked};
use openscience_protocol::McpServer;
use serde::Serialize;

use self::agents::AgentReport;
use self::data::{CacheReport, DataReport};
use self::registry::RegistryReport;
use super::Logging;
use super::serve::signals::Signals;
use crate::config::{self, Agents, Launch, Reading, Settings};
use crate::environment::{Environment, Format};
use crate::output::{self, one_line};
use crate::telemetry;

/// Tell whether the configuration, the data directory and the agents work.
///
/// Changes nothing. Exits with 0 if the default agent and the data directory can be used, else with 1.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Text for people, or one JSON document
    #[arg(long, default_value = "text")]
    format: Format,
    #[arg(long, value_name = "DIR", help = super::serve::data_dir_help())]
    data_dir: Option<PathBuf>,
    /// The default agent, as for serve
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

/// Everything there is to tell. Keys may be added.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    r#type: &'static str,
    schema_version: u32,
    version: &'static str,
    /// Nothing keeps the daemon from working.
    ok: bool,
    /// What does, one line each.
    problems: Vec<String>,
    configuration: ConfigurationReport,
    /// None if there is no place for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<DataReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache: Option<CacheReport>,
    /// By id.
    agents: Vec<AgentReport>,
    /// None if it is disabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    registry: Option<RegistryReport>,
}

/// What was read, and what came of it.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct ConfigurationReport {
    /// As far as they count; whether they are there if the configuration could not be read.
    sources: Vec<SourceReport>,
    warnings: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default_agent: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    /// Names of the servers that agents are given.
    mcp_servers: Vec<String>,
}

/// A file or variable.
#[derive(Debug, Serialize)]
struct SourceReport {
    name: String,
    state: &'static str,
}

/// Looks, tells, and says by its status whether all is well.
pub(super) fn run(args: &Args, logging: Logging) -> ExitCode {
    if logging.print_logs {
        telemetry::log_to_stderr(logging.log_level);
    }
    // Children of agents come to us, so that they can be ended with them.
    if let Err(error) = openscience_acp::become_subreaper() {
        output::notice(format_args!("warning: children of agents may outlive them: {error}"));
    }
    let executor = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(executor) => executor,
        Err(error) => {
            output::notice(format_args!("the operating system refused threads: {error}"));
            return ExitCode::FAILURE;
        }
    };
    // Everything the agents leave behind is found by it.
    let mark = match super::random_name() {
        Ok(name) => format!("doctor-{name}."),
        Err(error) => {
            output::notice(format_args!("the operating system refused random bytes: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let report = executor.block_on(async {
        tokio::select! {
            report = examine(args, &mark) => Some(report),
            () = interrupted() => None,
        }
    });
    sweep_marked(&mark);
    let Some(report) = report else { return ExitCode::FAILURE };
    let text = match args.format {
        Format::Text => text::render(&report),
        Format::Json => match serde_json::to_string(&report) {
            Ok(json) => json + "\n",
            Err(error) => {
                output::notice(format_args!("the report cannot be written: {error}"));
                return ExitCode::FAILURE;
            }
        },
    };
    let written = super::exit_code(output::answer(&text));
    if report.ok { written } else { ExitCode::FAILURE }
}

/// Resolves when somebody does not want to wait any longer.
async fn interrupted() {
    match Signals::install() {
        Ok(mut signals) => signals.next().await,
        // The signal then ends the process as it does any other.
        Err(_) => std::future::pending().await,
    }
}

async fn examine(args: &Args, mark: &str) -> Report {
    let mut report = Report {
        r#type: "doctor",
        schema_version: 1,
        version: env!("CARGO_PKG_VERSION"),
        ok: false,
        problems: Vec::new(),
        configuration: ConfigurationReport::default(),
        data: None,
        cache: None,
        agents: Vec::new(),
        registry: None,
    };
    match Environment::read() {
        Ok(environment) => examine_with(args, &environment, mark, &mut report).await,
        Err(error) => report.fail_configuration(one_line(&error)),
    }
    report.ok = report.problems.is_empty();
    report
}

async fn examine_with(args: &Args, environment: &Environment, mark: &str, report: &mut Report) {
    let chosen = args.data_dir.as_deref().or(environment.data_dir.as_deref());
    let data_dir = match config::data_dir(chosen, environment.home.as_deref()) {
        Ok(data_dir) => data_dir,
        Err(error) => return report.problems.push(one_line(&error)),
    };
    let data = data::examine(&data_dir).await;
    report.problems.extend(data.error.clone().map(|error| format!("data directory: {error}")));
    report.data = Some(data);
    report.cache = Some(data::cache(&data_dir));
    let directory = match std::env::current_dir().and_then(std::fs::canonicalize) {
        Ok(directory) => directory,
        Err(error) => {
            return report.fail_configuration(format!("the current directory cannot be used: {error}"));
        }
    };
    let settings = match Settings::read(environment, &directory) {
        Ok(settings) => settings,
        Err(error) => {
            report.configuration.sources = sources(&config::seen(environment, &directory));
            return report.fail_configuration(one_line(&error));
        }
    };
    report.configuration.note(&settings);
    report.configuration.warnings.extend(missing_programs(&settings.mcp_servers, environment));
    let program = match std::env::current_exe() {
        Ok(program) => program,
        Err(error) => {
            return report.problems.push(format!("the path of this program is not known: {error}"));
        }
    };
    let launch = Launch { program: &program, data_dir: &data_dir };
    let agents = match Agents::resolve(&settings.document, launch, args.agent.as_deref()) {
        Ok(agents) => agents,
        Err(error) => return report.fail_configuration(one_line(&error)),
    };
    report.configuration.warnings.extend(agents.notice.clone());
    report.configuration.default_agent = Some(agents.default.as_str().to_owned());
    let model = agents.model.as_ref();
    report.configuration.model = model.map(|model| format!("{}/{}", model.provider_id, model.model_id));
    let path = environment.for_agents.iter().rev().find(|(name, _)| name == "PATH");
    report.registry = registry::examine(&agents.registry, path.map(|(_, path)| path.as_str()));
    let surroundings = agents::Surroundings {
        limits: settings.document.limits,
        mcp_servers: settings.mcp_servers,
        environment: environment.for_agents.clone(),
        program,
        directory,
        mark: mark.to_owned(),
    };
    report.agents = agents::examine(agents, surroundings).await;
    let broken = report.agents.iter().find(|agent| agent.default && agent.error.is_some());
    report.problems.extend(broken.map(|agent| format!("the default agent {} does not work", agent.id)));
}

impl Report {
    fn fail_configuration(&mut self, error: String) {
        self.problems.push(format!("configuration: {error}"));
        self.configuration.error = Some(error);
    }
}

fn sources(origins: &[config::Origin]) -> Vec<SourceReport> {
    let source = |origin: &config::Origin| SourceReport {
        name: origin.name.clone(),
        state: match origin.reading {
            Reading::Full => "read",
            Reading::Reduced => "reduced",
            Reading::Absent => "absent",
            Reading::Present => "present",
            Reading::Disabled => "disabled",
        },
    };
    origins.iter().map(source).collect()
}

/// A line for each MCP server whose program is not where an agent would look: agents seldom say so themselves.
fn missing_programs(servers: &[McpServer], environment: &Environment) -> Vec<String> {
    let path = environment.for_agents.iter().rev().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.as_str());
    let missing = |server: &McpServer| {
        let McpServer::Stdio { name, command, env, .. } = server else { return None };
        let own = env.iter().rev().find(|pair| pair.name == "PATH").map(|pair| pair.value.as_str());
        let found = if command.contains('/') {
            Path::new(command).is_file()
        } else {
            find_program(Path::new(command), path).or_else(|| find_program(Path::new(command), own)).is_some()
        };
        (!found).then(|| format!("mcp.{name}.command: there is no program {command}"))
    };
    servers.iter().filter_map(missing).collect()
}

impl ConfigurationReport {
    fn note(&mut self, settings: &Settings) {
        self.sources = sources(&settings.origins);
        self.warnings.clone_from(&settings.warnings);
        self.mcp_servers = settings.mcp_servers.iter().map(|server| server.name().to_owned()).collect();
    }
}
