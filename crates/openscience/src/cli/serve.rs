//! `openscience serve`: from arguments to an answering port, and from a signal
//! to an orderly end.
//!
//! The port answers only after everything an earlier process left is settled.

pub(super) mod daemon;
pub(super) mod failure;
pub(super) mod listen;
pub(super) mod plan;
pub(super) mod signals;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use self::failure::{StartFailure, json_line};
use self::plan::Plan;
use super::Logging;
use crate::config::DATA_DIR_NAME;
use crate::environment::{Environment, Format};
use crate::telemetry::LogFile;
use crate::{output, telemetry};

/// Serve sessions over HTTP and SSE on localhost.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Port to listen on; 0 tries 4096, 4097, then any free one [default: 0]
    #[arg(long)]
    port: Option<u16>,
    /// 127.0.0.1 or localhost; 0.0.0.0 (for containers) needs OPENSCIENCE_AUTH_TOKEN
    #[arg(long, value_name = "HOST", default_value = "127.0.0.1")]
    hostname: String,
    /// Form of the line that says where the server listens, and of start errors [default: text]
    #[arg(long)]
    format: Option<Format>,
    /// A further web origin that may call, with scheme and host; may be repeated
    #[arg(long, value_name = "ORIGIN", value_parser = origin)]
    cors: Vec<String>,
    #[arg(long, value_name = "DIR", help = data_dir_help())]
    data_dir: Option<PathBuf>,
    /// The agent of sessions that name none
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
}

/// Names the directory of this build: one for development has another.
pub(super) fn data_dir_help() -> String {
    format!("Where the database, workspaces and logs are kept [default: ~/{DATA_DIR_NAME}]")
}

/// Why an origin is refused.
#[derive(Debug, thiserror::Error)]
#[error("expected http:// or https:// and a host, such as https://notebook.example")]
struct NoOrigin;

fn origin(text: &str) -> Result<String, NoOrigin> {
    if openscience_server::is_origin(text) { Ok(text.to_owned()) } else { Err(NoOrigin) }
}

impl Format {
    /// What the flag says, else what the environment says, else text.
    fn choose(flag: Option<Self>, environment: Option<Self>) -> Self {
        flag.or(environment).unwrap_or(Self::Text)
    }

    fn report(self, failure: &StartFailure) {
        match self {
            Self::Text => output::notice(failure.line()),
            Self::Json => output::complain(&json_line(failure.code(), &failure.line())),
        }
    }
}

/// Runs the daemon until it is told to stop.
pub(super) fn run(args: &Args, logging: Logging) -> ExitCode {
    let environment = match Environment::read() {
        Ok(environment) => environment,
        Err(error) => {
            Format::choose(args.format, None).report(&error.into());
            return ExitCode::FAILURE;
        }
    };
    let format = Format::choose(args.format, environment.ready_format);
    match try_run(args, &environment, format, logging) {
        Ok(code) => code,
        Err(failure) => {
            format.report(&failure);
            ExitCode::FAILURE
        }
    }
}

fn try_run(
    args: &Args,
    environment: &Environment,
    format: Format,
    logging: Logging,
) -> Result<ExitCode, StartFailure> {
    let plan = Plan::new(args, environment)?;
    for notice in &plan.notices {
        output::notice(notice);
    }
    let log = start_log(logging);
    host_agents();
    let executor = threads()?;
    let ended = executor.block_on(daemon::run(plan, format, log));
    // Whatever still runs there holds nothing that matters.
    executor.shutdown_background();
    ended
}

/// Starts logging where it was asked for; a file is opened by the caller, once it may be.
pub(super) fn start_log(logging: Logging) -> Option<LogFile> {
    if logging.print_logs {
        telemetry::log_to_stderr(logging.log_level);
        return None;
    }
    Some(telemetry::log_to_file(logging.log_level))
}

/// Makes this a process that agents can be started from.
pub(super) fn host_agents() {
    keep_freed_memory();
    raise_descriptor_limit();
    if let Err(error) = openscience_acp::become_subreaper() {
        tracing::warn!(%error, "children of agents may outlive them");
    }
}

pub(super) fn threads() -> Result<tokio::runtime::Runtime, StartFailure> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .map_err(|source| StartFailure::System { what: "threads", source })
}

/// Says in one line of JSON, if that was asked for, that the arguments are wrong. False if it was not.
pub(super) fn report_usage(text: &str, arguments: &[OsString]) -> bool {
    let flag = arguments.iter().any(|argument| argument == "--format=json")
        || arguments.windows(2).any(|pair| pair == ["--format", "json"]);
    let environment = Environment::read().ok().and_then(|environment| environment.ready_format);
    let json = Format::choose(flag.then_some(Format::Json), environment) == Format::Json;
    if json {
        let message = text.lines().next().unwrap_or_default().trim_start_matches("error: ");
        output::complain(&json_line("usage", message));
    }
    json
}

/// Freed blocks up to this size are kept for the next one.
const KEPT_BYTES: usize = 1 << 20;

/// Has the C library keep the memory of a few pages of the journal. It takes the largest block that
/// was ever given back for the size a program works with; below, it asks the system for fresh memory
/// again and again, which takes longer than reading the page.
fn keep_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(KEPT_BYTES)));
}

/// More than any number of streams and agents needs; agents inherit it, so not simply the maximum.
const DESCRIPTORS: u64 = 65_536;

/// Each stream and each agent holds descriptors; the usual soft limit of 1,024 is below our own bounds.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.map_or(DESCRIPTORS, |maximum| maximum.min(DESCRIPTORS));
    if limit.current.is_some_and(|current| current < wanted) {
        limit.current = Some(wanted);
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::warn!(%error, "the limit of open files stays as it is");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flag_wins_over_the_environment_and_text_is_the_default() {
        assert_eq!(Format::choose(None, None), Format::Text);
        assert_eq!(Format::choose(None, Some(Format::Json)), Format::Json);
        assert_eq!(Format::choose(Some(Format::Text), Some(Format::Json)), Format::Text);
        assert_eq!(Format::choose(Some(Format::Json), Some(Format::Text)), Format::Json);
    }
}
