//! The MCP servers that agents start and call back into: hidden, since only agents run them.

use std::path::PathBuf;
use std::process::ExitCode;

use openscience_mcp::artifacts::{self, ArtifactSettings};
use openscience_mcp::questions;
use openscience_protocol::artifact::DEFAULT_PROJECT_NAME;
use openscience_protocol::{Limits, SessionId, inquiry};

use crate::output;

/// Tools of this program for agents, as MCP servers on standard input and output.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    server: Server,
}

#[derive(Debug, clap::Subcommand)]
enum Server {
    Artifacts(Box<ArtifactsArgs>),
    Questions(QuestionsArgs),
}

/// Lets the agent ask people something. The daemon hands out what it needs.
#[derive(Debug, clap::Args)]
struct QuestionsArgs {
    /// Where the daemon listens
    #[arg(long, env = inquiry::SOCKET_VARIABLE, hide_env_values = true, value_name = "PATH")]
    socket: PathBuf,
    /// What shows for which session it asks
    #[arg(long, env = inquiry::PASS_VARIABLE, hide_env_values = true, value_name = "PASS")]
    pass: String,
}

/// Lets the agent save files with its session. The daemon hands out what it needs.
#[derive(Debug, clap::Args)]
struct ArtifactsArgs {
    /// Holds the artifacts of all projects
    #[arg(long, value_name = "DIR")]
    folder: PathBuf,
    /// The project they are saved in
    #[arg(long, value_name = "ID", default_value = DEFAULT_PROJECT_NAME)]
    project: String,
    /// The session they are saved in
    #[arg(long, value_name = "ID")]
    session: SessionId,
    /// A folder that files may be copied from; may be repeated, the first is the workspace
    #[arg(long = "root", value_name = "DIR")]
    roots: Vec<PathBuf>,
    /// Bounds that are not the usual ones, as JSON
    #[arg(long, value_name = "JSON", value_parser = limits, default_value = "{}")]
    limits: Limits,
}

fn limits(text: &str) -> Result<Limits, serde_json::Error> {
    serde_json::from_str(text)
}

pub(super) fn run(args: Args) -> ExitCode {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::notice(format_args!("could not start the server: {error}"));
            return ExitCode::FAILURE;
        }
    };
    let ended = match args.server {
        Server::Questions(QuestionsArgs { socket, pass }) => {
            runtime.block_on(questions::serve(socket, pass)).map_err(|error| error.to_string())
        }
        Server::Artifacts(args) => {
            let ArtifactsArgs { folder, project, session, roots, limits } = *args;
            let settings = ArtifactSettings { folder, project, session, roots, limits };
            runtime.block_on(artifacts::serve(settings)).map_err(|error| error.to_string())
        }
    };
    // Not a return: the thread that reads standard input cannot be interrupted.
    match ended {
        Ok(()) => std::process::exit(0),
        Err(error) => {
            output::notice(format_args!("the server ended: {error}"));
            std::process::exit(1)
        }
    }
}
