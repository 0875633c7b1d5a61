//! Doing what an agent asks of us: its files and its terminals, inside the session's directories.
//!
//! Whether it may is decided by the core; here it is said whether it can, and it is done.

use std::path::{Path, PathBuf};

use openscience_acp::{Connection, Refused};
use openscience_core::authority::{Request, Run};
use openscience_files::{FileError, Roots};
use openscience_protocol::Workspace;
use openscience_protocol::row::SessionRow;
use serde_json::{Value, json};
use tokio::task::spawn_blocking;

use crate::turn;

/// A request of the agent that waits, and why it cannot be carried out if so.
#[derive(Debug)]
pub(crate) struct Asked {
    pub request: Request,
    pub refused: Option<Refused>,
}

/// Where a session's agent works.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    project: PathBuf,
    /// The session's own folder, if it has one.
    scratch: Option<PathBuf>,
}

impl Place {
    pub(crate) fn of(row: &SessionRow, data_dir: &Path) -> Self {
        let scratch = match row.workspace {
            Workspace::Project => None,
            Workspace::Isolated => Some(turn::scratch(data_dir, row.id.as_str())),
        };
        Self { project: PathBuf::from(&row.directory), scratch }
    }

    /// The agent's working directory.
    fn cwd(&self) -> &Path {
        self.scratch.as_deref().unwrap_or(&self.project)
    }

    /// An isolated session writes its own folder and reads the project too.
    fn roots(&self) -> Roots {
        let project = std::slice::from_ref(&self.project);
        match &self.scratch {
            None => Roots::new(&[], project),
            Some(scratch) => Roots::new(project, std::slice::from_ref(scratch)),
        }
    }
}

/// A request that nobody allowed.
pub(crate) fn denied() -> Refused {
    Refused::new(Refused::FAILED, "permission denied")
}

/// A request that came for a turn which is over, or that nobody will answer.
pub(crate) fn over() -> Refused {
    Refused::new(Refused::CANCELLED, "the turn is over")
}

fn refused(error: &FileError) -> Refused {
    let code = match error {
        FileError::NotFound => Refused::NOT_FOUND,
        FileError::Relative
        | FileError::Outside
        | FileError::NotAFile
        | FileError::NotADirectory
        | FileError::TooLarge
        | FileError::NotText => Refused::INVALID,
        FileError::Io(_) => Refused::FAILED,
    };
    Refused::new(code, error.to_string())
}

/// Why the request cannot be carried out, as far as its place tells: then nobody need be asked.
pub(crate) async fn impossible(place: &Place, request: &Request) -> Option<Refused> {
    let (place, request) = (place.clone(), outline(request));
    blocking(move || {
        let roots = place.roots();
        match &request {
            Request::Read { path, .. } => roots.may_read(Path::new(path)),
            Request::Write { path, .. } => roots.may_write(Path::new(path)),
            Request::Run(run) => directory(&place, &roots, run).map(|_| ()),
        }
    })
    .await
    .err()
}

/// The request without what may be large.
fn outline(request: &Request) -> Request {
    match request {
        Request::Write { path, .. } => Request::Write { path: path.clone(), content: String::new() },
        Request::Read { .. } | Request::Run(_) => request.clone(),
    }
}

fn directory(place: &Place, roots: &Roots, run: &Run) -> Result<PathBuf, FileError> {
    roots.directory(run.cwd.as_deref().map_or(place.cwd(), Path::new))
}

/// Does it. A new terminal gets the name `id`.
pub(crate) async fn carry_out(
    connection: &Connection,
    session: &str,
    place: &Place,
    request: Request,
    id: String,
) -> Result<Value, Refused> {
    let at = place.clone();
    match request {
        Request::Read { path, line, limit } => {
            let read = move || at.roots().read_text(Path::new(&path), line, limit);
            Ok(json!({ "content": blocking(read).await? }))
        }
        Request::Write { path, content } => {
            blocking(move || at.roots().write_text(Path::new(&path), &content)).await?;
            Ok(json!({}))
        }
        Request::Run(run) => {
            let (run, cwd) = blocking(move || {
                let cwd = directory(&at, &at.roots(), &run)?;
                Ok((run, cwd))
            })
            .await?;
            connection.run(session, id.clone(), run, &cwd).await?;
            Ok(json!({ "terminalId": id }))
        }
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, FileError> + Send + 'static,
) -> Result<T, Refused> {
    match spawn_blocking(work).await {
        Ok(result) => result.map_err(|error| refused(&error)),
        // The runtime is going down.
        Err(_) => Err(over()),
    }
}
