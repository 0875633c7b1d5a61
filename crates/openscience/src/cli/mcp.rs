//! The MCP servers that agents start and call back into: hidden, since only agents run them.

use std::path::PathBuf;
use std::process::ExitCode;

use openscience_protocol::inquiry;

use crate::output;

/// Tools of this program for agents, as MCP servers on standard input and output.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(subcommand)]
    server: Server,
}

#[derive(Debug, clap::Subcommand)]
enum Server {
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
            runtime.block_on(openscience_mcp::questions::serve(socket, pass))
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
