//! `openscience run`: one prompt to its end, for scripts and people.
//!
//! The same runtime as `serve`, in this process, or a daemon that serves already. The lines it writes and its exit
//! code are a contract: docs/automation.md.

mod drive;
mod host;
mod keyboard;
mod line;
mod local;
mod outcome;
mod prompt;
mod remote;
mod sse;
mod translate;
mod view;

use std::io::IsTerminal as _;
use std::path::PathBuf;
use std::process::ExitCode;

use openscience_protocol::prompt::{Autonomy, DelegationLevel, DelegationSettings, Effort, ModelRef};
use openscience_protocol::session::TITLE_CHARS_MAX;
use openscience_protocol::{AgentId, PromptInput, Session, SessionId, Workspace};

use self::drive::{Drive, Finished, Policy};
use self::host::{Host, HostError, Wanted};
use self::local::{Local, LocalError};
pub(super) use self::outcome::USAGE;
use self::prompt::{Prompt, PromptError};
use self::remote::{BadAddress, Remote};
use self::view::View;
use super::Logging;
use super::serve::failure::StartFailure;
use super::serve::plan::Prepared;
use super::serve::signals::Signals;
use super::serve::{data_dir_help, host_agents, start_log, threads};
use crate::environment::{Environment, EnvironmentError};
use crate::output::{self, one_line};
use crate::telemetry::{self, LogFile};

const EXAMPLES: &str = "\
Examples:
  openscience run \"What does this project do?\"
  git diff | openscience run --workspace project \"Review this change\"
  openscience run --continue --workspace project \"Now fix it\"
  openscience run --format json --auto-approve --workspace project -- \"Make the tests pass\"

Exit codes:
  0  completed
  1  failed, interrupted, cancelled or past its deadline
  2  wrong arguments or configuration, unknown agent or model
  3  ended because a permission or question was rejected
  130, 143  stopped by SIGINT, SIGTERM

docs/automation.md describes the JSON lines.";

/// Carry out one prompt, then exit.
///
/// Piped input is appended to the prompt. The agent works in a folder of its own unless --workspace project
/// puts it into the current directory.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// The prompt
    #[arg(value_name = "MESSAGE")]
    message: Vec<String>,
    /// Text for people, or one JSON object a line
    #[arg(long, default_value = "default")]
    format: Format,
    /// Allow once whatever the agent asks for and nobody has denied; answer questions with their first choice
    #[arg(long, alias = "dangerously-skip-permissions")]
    auto_approve: bool,
    /// Reject whatever the agent asks for and nobody has allowed; so it is too where nobody sits at a terminal
    #[arg(long, conflicts_with = "auto_approve")]
    deny_prompts: bool,
    /// Where the agent works: in the current directory, or in a folder of the session's own [default: isolated]
    #[arg(long, value_name = "MODE")]
    workspace: Option<WorkspaceMode>,
    /// Go on with this session
    #[arg(long, short, value_name = "ID")]
    session: Option<SessionId>,
    /// Go on with the newest session of this directory
    #[arg(long = "continue", short = 'c', conflicts_with = "session")]
    latest: bool,
    /// The model, as provider/model
    #[arg(long, short, value_name = "PROVIDER/MODEL", value_parser = model)]
    model: Option<Model>,
    /// The agent's thought level
    #[arg(long, value_name = "LEVEL")]
    variant: Option<String>,
    /// How hard to think: the agent's own level, or its highest
    #[arg(long, default_value = "normal")]
    effort: EffortLevel,
    /// The agent
    #[arg(long, value_name = "ID")]
    agent: Option<String>,
    /// A file to go with the prompt; may be repeated
    #[arg(long, short, value_name = "PATH")]
    file: Vec<PathBuf>,
    /// The title of the new session
    #[arg(long, value_parser = title, conflicts_with_all = ["session", "latest"])]
    title: Option<String>,
    /// Stop the run after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    deadline: Option<u64>,
    /// Let the daemon at this address do it, such as http://127.0.0.1:4096
    #[arg(long, value_name = "URL", conflicts_with_all = ["port", "data_dir"])]
    attach: Option<String>,
    /// Serve the HTTP interface on this port while it runs; 0 takes any free one
    #[arg(long)]
    port: Option<u16>,
    #[arg(long, value_name = "DIR", help = data_dir_help())]
    data_dir: Option<PathBuf>,
    /// How much the agent may delegate; kept with the prompt
    #[arg(long, value_name = "LEVEL", num_args = 0..=1, default_missing_value = "standard")]
    delegation: Option<Delegation>,
    /// The model of delegated work; kept with the prompt
    #[arg(long, value_name = "PROVIDER/MODEL", value_parser = model)]
    worker_model: Option<Model>,
    /// How freely delegated work may act; kept with the prompt
    #[arg(long, value_name = "LEVEL")]
    autonomy: Option<AutonomyLevel>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Default,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum WorkspaceMode {
    Project,
    Isolated,
}

impl From<WorkspaceMode> for Workspace {
    fn from(mode: WorkspaceMode) -> Self {
        match mode {
            WorkspaceMode::Project => Self::Project,
            WorkspaceMode::Isolated => Self::Isolated,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum EffortLevel {
    Normal,
    Ultra,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Delegation {
    Off,
    Light,
    Standard,
    High,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum AutonomyLevel {
    Interactive,
    Balanced,
    Autonomous,
}

/// A model; without a provider it is the agent's own.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Model {
    provider: Option<String>,
    name: String,
}

impl Model {
    fn of(&self, agent: &AgentId) -> ModelRef {
        let provider_id = self.provider.clone().unwrap_or_else(|| agent.as_str().to_owned());
        ModelRef { provider_id, model_id: self.name.clone() }
    }
}

/// Why a value is refused.
#[derive(Debug, thiserror::Error)]
enum BadValue {
    #[error("expected provider/model")]
    Model,
    #[error("expected at most {TITLE_CHARS_MAX} characters")]
    Title,
}

fn model(text: &str) -> Result<Model, BadValue> {
    if !crate::config::is_model(text) {
        return Err(BadValue::Model);
    }
    let (provider, name) = match text.split_once('/') {
        Some((provider, name)) => (Some(provider.to_owned()), name),
        None => (None, text),
    };
    Ok(Model { provider, name: name.to_owned() })
}

fn title(text: &str) -> Result<String, BadValue> {
    if text.chars().count() > TITLE_CHARS_MAX { Err(BadValue::Title) } else { Ok(text.to_owned()) }
}

/// Why nothing was begun.
#[derive(Debug, thiserror::Error)]
enum RunFailure {
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    #[error(transparent)]
    Prompt(#[from] PromptError),
    #[error(transparent)]
    Address(#[from] BadAddress),
    #[error(transparent)]
    Start(#[from] StartFailure),
    #[error(transparent)]
    Refused(#[from] HostError),
    #[error("no session of this directory can be continued")]
    NothingToContinue,
    #[error("session {session} works in {}, not in {}", .has.as_str(), .wanted.as_str())]
    Workspace { session: SessionId, has: Workspace, wanted: Workspace },
    #[error("session {session} is one of {has}, not of {wanted}")]
    Agent { session: SessionId, has: AgentId, wanted: String },
}

impl From<LocalError> for RunFailure {
    fn from(error: LocalError) -> Self {
        match error {
            LocalError::Start(failure) => Self::Start(failure),
            LocalError::Refused(error) => Self::Refused(error),
        }
    }
}

impl RunFailure {
    fn exit_code(&self) -> u8 {
        match self {
            Self::Environment(_)
            | Self::Prompt(_)
            | Self::Address(_)
            | Self::NothingToContinue
            | Self::Workspace { .. }
            | Self::Agent { .. } => USAGE,
            Self::Start(failure) => outcome::exit_code(failure.code()),
            Self::Refused(error) => outcome::exit_code(&error.code),
        }
    }
}

/// Carries out the prompt; the exit code tells how it went.
pub(super) fn run(args: &Args, logging: Logging) -> ExitCode {
    let ended = Environment::read()
        .map_err(RunFailure::from)
        .and_then(|environment| try_run(args, &environment, logging));
    ExitCode::from(ended.unwrap_or_else(|failure| {
        output::notice(one_line(&failure));
        failure.exit_code()
    }))
}

/// Where the work is done.
enum Place {
    Here(Box<Prepared>, Option<LogFile>),
    There(Remote),
}

fn try_run(args: &Args, environment: &Environment, logging: Logging) -> Result<u8, RunFailure> {
    let prompt = Prompt::read(&args.message, &args.file)?;
    let place = if let Some(url) = &args.attach {
        if logging.print_logs {
            telemetry::log_to_stderr(logging.log_level);
        }
        let directory =
            std::env::current_dir().and_then(std::fs::canonicalize).map_err(StartFailure::Directory)?;
        let directory = directory.to_string_lossy().into_owned();
        Place::There(Remote::new(url, environment.auth_token.clone(), directory)?)
    } else {
        let prepared = Prepared::new(args.data_dir.as_deref(), args.agent.as_deref(), environment)?;
        prepared.notices.iter().for_each(output::notice);
        let log = start_log(logging);
        host_agents();
        Place::Here(Box::new(prepared), log)
    };
    let executor = threads()?;
    let ended = executor.block_on(work(args, environment, place, prompt));
    // A thread that reads the keyboard holds nothing that matters.
    executor.shutdown_background();
    ended
}

async fn work(
    args: &Args,
    environment: &Environment,
    place: Place,
    prompt: Prompt,
) -> Result<u8, RunFailure> {
    let system = |source| StartFailure::System { what: "signal handlers", source };
    let mut signals = Signals::install().map_err(system)?;
    let host = match place {
        Place::There(remote) => Host::There(remote),
        Place::Here(prepared, log) => tokio::select! {
            started = Local::start(*prepared, args.port, environment, log) => Host::Here(started?),
            signal = signals.next_kind() => return Ok(signal.exit_code()),
        },
    };
    let ended = on(&host, args, prompt, &mut signals).await;
    let hurry = ended.as_ref().is_ok_and(|finished| finished.hurry);
    host.end(async {
        if !hurry {
            signals.next().await;
        }
    })
    .await;
    ended.map(|finished| finished.exit_code)
}

async fn on(host: &Host, args: &Args, prompt: Prompt, signals: &mut Signals) -> Result<Finished, RunFailure> {
    let session = session(host, args).await?;
    let input = args.input(&session, prompt);
    let mut view = View::new(args.format == Format::Json, std::io::stdout().is_terminal());
    Ok(Drive::new(host, &mut view, signals, args.policy(), &session).run(input).await)
}

/// The session to go on with, or a new one.
async fn session(host: &Host, args: &Args) -> Result<Session, RunFailure> {
    let known = match &args.session {
        Some(id) => Some(host.session(id).await?),
        None if args.latest => {
            let roots = host.roots().await?.into_iter().filter(|session| session.time.archived.is_none());
            Some(roots.max_by_key(|session| session.time.updated).ok_or(RunFailure::NothingToContinue)?)
        }
        None => None,
    };
    let workspace = args.workspace.map(Workspace::from);
    let Some(session) = known else {
        let agent = args.agent.as_deref().map(AgentId::from);
        let wanted = Wanted { title: args.title.clone(), workspace: workspace.unwrap_or_default(), agent };
        return Ok(host.create(wanted).await?);
    };
    let (id, has) = (session.id.clone(), session.workspace);
    if let Some(wanted) = workspace.filter(|wanted| *wanted != has) {
        return Err(RunFailure::Workspace { session: id, has, wanted });
    }
    match &args.agent {
        Some(wanted) if !crate::config::is_agent(&session.agent, wanted) => {
            Err(RunFailure::Agent { session: id, has: session.agent, wanted: wanted.clone() })
        }
        Some(_) | None => Ok(session),
    }
}

impl Args {
    fn policy(&self) -> Policy {
        if self.auto_approve {
            Policy::Approve
        } else if !self.deny_prompts && std::io::stdin().is_terminal() && std::io::stderr().is_terminal() {
            Policy::Person
        } else {
            Policy::Deny
        }
    }

    fn input(&self, session: &Session, prompt: Prompt) -> PromptInput {
        let parts = prompt.parts();
        PromptInput {
            session_id: session.id.clone(),
            effort: match self.effort {
                EffortLevel::Normal => Effort::Normal,
                EffortLevel::Ultra => Effort::Ultra,
            },
            // Sent again it is the same prompt.
            request_id: super::random_name().ok(),
            message_id: None,
            message: parts.is_none().then_some(prompt.text),
            parts,
            model: self.model.as_ref().map(|model| model.of(&session.agent)),
            variant: self.variant.clone(),
            tier: None,
            context: None,
            delegation: self.delegation.map(|level| level != Delegation::Off),
            delegation_settings: self.delegation_settings(&session.agent),
            deadline_ms: self.deadline.map(|seconds| seconds * 1_000),
        }
    }

    fn delegation_settings(&self, agent: &AgentId) -> Option<DelegationSettings> {
        if self.delegation.is_none() && self.worker_model.is_none() && self.autonomy.is_none() {
            return None;
        }
        Some(DelegationSettings {
            level: match self.delegation {
                Some(Delegation::Off) => DelegationLevel::Off,
                Some(Delegation::Light) => DelegationLevel::Light,
                Some(Delegation::Standard) => DelegationLevel::Standard,
                Some(Delegation::High) => DelegationLevel::High,
                None => DelegationLevel::default(),
            },
            worker_model: self.worker_model.as_ref().map(|model| model.of(agent)),
            autonomy: match self.autonomy {
                Some(AutonomyLevel::Interactive) => Autonomy::Interactive,
                Some(AutonomyLevel::Balanced) => Autonomy::Balanced,
                Some(AutonomyLevel::Autonomous) => Autonomy::Autonomous,
                None => Autonomy::default(),
            },
        })
    }
}

#[cfg(test)]
mod tests;
