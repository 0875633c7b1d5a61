//! Agents that can be started, those that the registry has, and the one that is part of this binary.

mod registry;

use std::path::PathBuf;
use std::process::ExitCode;

use openscience_protocol::AgentId;
use openscience_protocol::agent::Agent as Startable;
use openscience_runtime::Runtime;
use openscience_sim::SimConfig;

use super::serve::failure::StartFailure;
use super::serve::plan::Prepared;
use super::serve::{data_dir_help, threads};
use crate::environment::{Environment, EnvironmentError, Format};
use crate::output::{self, one_line, printable};

/// Show and get agents; run the one that comes with this program.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    agent: Agent,
}

#[derive(Debug, clap::Subcommand)]
enum Agent {
    /// Download an agent of the registry and unpack it into the data directory
    Install(registry::InstallArgs),
    /// Fetch the newest registry of agents
    Update(registry::UpdateArgs),
    /// List the agents that can be started, as GET /agent does
    List(ListArgs),
    /// Show how one is started
    Show {
        /// Its id or alias
        id: String,
        #[command(flatten)]
        list: ListArgs,
    },
    #[command(hide = true)]
    Sim(SimArgs),
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    /// Text for people, or one JSON document
    #[arg(long, default_value = "text")]
    format: Format,
    #[arg(long, value_name = "DIR", help = data_dir_help())]
    data_dir: Option<PathBuf>,
}

/// A deterministic ACP agent on standard input and output, scripted by its prompt.
#[derive(Debug, clap::Args)]
#[command(after_help = openscience_sim::HELP)]
struct SimArgs {
    /// A model to offer; may be repeated
    #[arg(long = "model", value_name = "ID")]
    models: Vec<String>,
    /// Keep sessions here, so that they outlive this process
    #[arg(long, value_name = "DIR")]
    history_dir: Option<PathBuf>,
}

/// Why agents cannot be shown.
#[derive(Debug, thiserror::Error)]
enum ShowFailure {
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    #[error(transparent)]
    Start(#[from] StartFailure),
    #[error("no agent of that id is configured; configured: {0}")]
    NotFound(openscience_runtime::error::AgentIds),
    #[error("the answer cannot be written")]
    Answer(#[from] serde_json::Error),
}

pub(super) fn run(args: Args) -> ExitCode {
    let shown = match args.agent {
        Agent::Sim(args) => return simulate(args),
        Agent::Install(args) => return registry::install(&args),
        Agent::Update(args) => return registry::update(&args),
        Agent::List(args) => with_runtime(&args, |runtime| {
            let agents = runtime.agents();
            match args.format {
                Format::Text => Ok(agents.iter().map(line).collect()),
                Format::Json => Ok(serde_json::to_string(&agents)? + "\n"),
            }
        }),
        Agent::Show { id, list } => with_runtime(&list, |runtime| {
            let agent = runtime.agent_named(&AgentId::from(id.as_str()));
            let agent = agent.ok_or_else(|| ShowFailure::NotFound(runtime.agent_ids()))?;
            match list.format {
                Format::Text => Ok(described(&agent)),
                Format::Json => Ok(serde_json::to_string(&agent)? + "\n"),
            }
        }),
    };
    match shown {
        Ok(text) => super::exit_code(output::answer(&text)),
        Err(failure) => {
            output::notice(one_line(&failure));
            ExitCode::FAILURE
        }
    }
}

/// Asks the runtime, so that the answer is what a daemon would say.
fn with_runtime(
    args: &ListArgs,
    ask: impl FnOnce(&Runtime) -> Result<String, ShowFailure>,
) -> Result<String, ShowFailure> {
    let environment = Environment::read()?;
    let prepared = Prepared::new(args.data_dir.as_deref(), None, &environment)?;
    let executor = threads()?;
    let answer = executor.block_on(async {
        let runtime = Runtime::start(prepared.runtime).await.map_err(StartFailure::from)?;
        let answer = ask(&runtime);
        runtime.shutdown().await;
        answer
    });
    executor.shutdown_background();
    answer
}

fn line(agent: &Startable) -> String {
    let mark = if agent.default { "*" } else { " " };
    format!("{mark} {:<16}  {}\n", printable(agent.id.as_str()), command_line(agent))
}

fn command_line(agent: &Startable) -> String {
    let words = std::iter::once(&agent.command).chain(&agent.args);
    words.map(|word| printable(word)).collect::<Vec<_>>().join(" ")
}

fn described(agent: &Startable) -> String {
    let id = printable(agent.id.as_str());
    let default = if agent.default { ", the default" } else { "" };
    let built_in = if agent.built_in { ", built in" } else { "" };
    let variables = if agent.env.is_empty() { "none".to_owned() } else { printable(&agent.env.join(", ")) };
    format!("{id}{default}{built_in}\ncommand {}\nvariables {variables}\n", command_line(agent))
}

fn simulate(SimArgs { models, history_dir }: SimArgs) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::notice(format_args!("could not start the simulator: {error}"));
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(openscience_sim::run(SimConfig { models, history_dir })) {
        // Not a return: the thread that reads standard input cannot be interrupted.
        Ok(code) => std::process::exit(code),
        Err(error) => {
            output::notice(format_args!("the simulator ended: {error}"));
            std::process::exit(1)
        }
    }
}
