//! The agents that are part of this binary, and those that it gets from the registry.

mod registry;

use std::path::PathBuf;
use std::process::ExitCode;

use openscience_sim::SimConfig;

use crate::output;

/// Get agents of the registry; run the one that comes with this program.
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
    #[command(hide = true)]
    Sim(SimArgs),
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

pub(super) fn run(args: Args) -> ExitCode {
    match args.agent {
        Agent::Install(args) => registry::install(&args),
        Agent::Update(args) => registry::update(&args),
        Agent::Sim(args) => simulate(args),
    }
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
