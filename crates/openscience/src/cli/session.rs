//! `openscience session`: the sessions of a data directory, without a daemon.
//!
//! Works beside daemons on the same data. An exported session is one JSON document that another data directory takes in.

mod copy;
mod text;

use std::path::PathBuf;
use std::process::ExitCode;

use openscience_protocol::{Message, RuntimeRun, Session, SessionId};
use openscience_runtime::Runtime;
use openscience_runtime::request::{RuntimeConfig, Selected, Selector, SessionFilter};
use openscience_server::Problem;
use openscience_store::TransferError;
use serde::Serialize;

use self::copy::{Copied, DocumentError};
use super::Logging;
use super::serve::failure::StartFailure;
use super::serve::plan::Prepared;
use super::serve::{data_dir_help, start_log, threads};
use crate::environment::{Environment, EnvironmentError, Format};
use crate::output::{self, one_line};

const EXAMPLES: &str = "\
Examples:
  openscience session list
  openscience session show ses_… --format json
  openscience session export ses_… --output session.json
  openscience session import session.json --data-dir /elsewhere";

/// List, show, delete, export and import sessions.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    #[command(subcommand)]
    command: Command,
    #[arg(long, global = true, value_name = "DIR", help = data_dir_help())]
    data_dir: Option<PathBuf>,
    /// Text for people, or one JSON document
    #[arg(long, global = true, default_value = "text")]
    format: Format,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// List the sessions of the current directory, newest first
    List {
        /// Those of all directories
        #[arg(long)]
        all: bool,
    },
    /// Show a session with its messages
    Show { session: SessionId },
    /// Delete a session; a run of it is cancelled first
    Delete { session: SessionId },
    /// Write a session as one JSON document
    Export {
        session: SessionId,
        /// A file to write, instead of standard output
        #[arg(long, short, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Take in an exported session, for the current directory
    Import {
        /// The document; - is standard input
        file: PathBuf,
        /// Give it an id of its own instead of the one it had
        #[arg(long)]
        new_id: bool,
    },
}

/// Why a command was not carried out.
#[derive(Debug, thiserror::Error)]
enum SessionFailure {
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    #[error(transparent)]
    Start(#[from] StartFailure),
    #[error("{0}")]
    Refused(String),
    #[error(transparent)]
    Transfer(#[from] TransferError),
    #[error(transparent)]
    Document(#[from] DocumentError),
    #[error("{} cannot be used", .path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("the answer cannot be written")]
    Answer(#[from] serde_json::Error),
}

fn refused(error: impl Into<Problem>) -> SessionFailure {
    SessionFailure::Refused(error.into().message().to_owned())
}

/// A session with everything people want to see.
#[derive(Debug, Serialize)]
struct Shown {
    session: Session,
    runs: Vec<RuntimeRun>,
    messages: Vec<Message>,
}

pub(super) fn run(args: &Args, logging: Logging) -> ExitCode {
    match try_run(args, logging) {
        Ok(answer) => super::exit_code(output::answer(&answer)),
        Err(failure) => {
            output::notice(one_line(&failure));
            ExitCode::FAILURE
        }
    }
}

fn try_run(args: &Args, logging: Logging) -> Result<String, SessionFailure> {
    let environment = Environment::read()?;
    let prepared = Prepared::new(args.data_dir.as_deref(), None, &environment)?;
    // Nothing it does is worth a line, unless somebody wants to see it.
    drop(start_log(logging));
    let executor = threads()?;
    let answer = executor.block_on(async {
        let directory = prepared.runtime.data_dir.clone();
        let sessions = Sessions::open(prepared.runtime, directory).await?;
        let answer = sessions.carry_out(args).await;
        sessions.runtime.shutdown().await;
        answer
    });
    executor.shutdown_background();
    answer
}

/// The sessions of a data directory.
struct Sessions {
    runtime: Runtime,
    /// The current directory.
    here: Selected,
    data_dir: PathBuf,
}

impl Sessions {
    async fn open(config: RuntimeConfig, data_dir: PathBuf) -> Result<Self, SessionFailure> {
        let runtime = Runtime::start(config).await.map_err(StartFailure::from)?;
        let here = runtime.select(Selector::default()).await.map_err(refused)?;
        Ok(Self { runtime, here, data_dir })
    }

    async fn carry_out(&self, args: &Args) -> Result<String, SessionFailure> {
        match &args.command {
            Command::List { all } => {
                let sessions = self.list(*all).await?;
                match args.format {
                    Format::Text => Ok(text::list(&sessions, *all)),
                    Format::Json => Ok(serde_json::to_string(&sessions)? + "\n"),
                }
            }
            Command::Show { session } => {
                let shown = self.show(session).await?;
                match args.format {
                    Format::Text => Ok(text::show(&shown)),
                    Format::Json => Ok(serde_json::to_string(&shown)? + "\n"),
                }
            }
            Command::Delete { session } => {
                let place = self.place(session).await?;
                self.runtime.delete_session(&place, session).await.map_err(refused)?;
                Ok(match args.format {
                    Format::Text => format!("deleted {session}\n"),
                    Format::Json => format!("{}\n", serde_json::json!({ "id": session, "deleted": true })),
                })
            }
            Command::Export { session, output } => self.export(session, output.as_deref()).await,
            Command::Import { file, new_id } => {
                let session = self.import(file, *new_id).await?;
                Ok(match args.format {
                    Format::Text => format!("imported {}: {}\n", session.id, text::printable(&session.title)),
                    Format::Json => serde_json::to_string(&session)? + "\n",
                })
            }
        }
    }

    async fn place(&self, session: &SessionId) -> Result<Selected, SessionFailure> {
        let place = self.runtime.project_of(session).await;
        let place = place.map_err(openscience_runtime::error::SessionError::Store).map_err(refused)?;
        place.ok_or_else(|| SessionFailure::Refused(format!("session {session} does not exist")))
    }

    async fn list(&self, all: bool) -> Result<Vec<Session>, SessionFailure> {
        let filter = SessionFilter::default();
        if !all {
            return Ok(self.runtime.sessions(&self.here, filter).await.map_err(refused)?.sessions);
        }
        let projects = self.runtime.projects().await;
        let projects = projects.map_err(openscience_runtime::error::SessionError::Store).map_err(refused)?;
        let mut sessions = Vec::new();
        for project in projects {
            let project = Selected { id: project.id, directory: project.worktree.into() };
            let page = self.runtime.sessions(&project, filter.clone()).await.map_err(refused)?;
            sessions.extend(page.sessions);
        }
        sessions.sort_by_key(|session| std::cmp::Reverse(session.time.created));
        Ok(sessions)
    }

    async fn show(&self, id: &SessionId) -> Result<Shown, SessionFailure> {
        let place = self.place(id).await?;
        let session = self.runtime.session(&place, id).await.map_err(refused)?;
        let runs = self.runtime.snapshot(&place, id).await.map_err(refused)?.runs;
        let messages = self.runtime.messages(&place, id, None).await.map_err(refused)?;
        Ok(Shown { session, runs, messages })
    }

    async fn export(
        &self,
        id: &SessionId,
        output: Option<&std::path::Path>,
    ) -> Result<String, SessionFailure> {
        let dump = openscience_store::export_session(&self.data_dir, id).await?;
        let document = serde_json::to_string(&Copied::new(dump))? + "\n";
        let Some(path) = output else { return Ok(document) };
        let failed = |source| SessionFailure::File { path: path.to_owned(), source };
        std::fs::write(path, document).map_err(failed)?;
        Ok(format!("wrote {}\n", path.display()))
    }

    async fn import(&self, file: &std::path::Path, new_id: bool) -> Result<Session, SessionFailure> {
        let failed = |source| SessionFailure::File { path: file.to_owned(), source };
        let document = if file.as_os_str() == "-" {
            std::io::read_to_string(std::io::stdin().lock())
        } else {
            std::fs::read_to_string(file)
        };
        let copied = Copied::read(&document.map_err(failed)?)?;
        let id = if new_id { self.runtime.new_session_id() } else { copied.id()? };
        let dump = copied.placed(&id, &self.here);
        openscience_store::import_session(&self.data_dir, &dump).await?;
        let session = self.runtime.session(&self.here, &id).await.map_err(refused)?;
        if self.runtime.agent_named(&session.agent).is_none() {
            output::notice(format_args!("warning: its agent {} is not configured here", session.agent));
        }
        Ok(session)
    }
}
