//! Where are the files that agents saved, and which of them are whose?
//!
//! `artifacts/<project>/<session>/` holds what a session saved: `.pending/<run>/` while a turn lasts, `<message>/`
//! afterwards; `.blobs/` beside the sessions holds every version's bytes under their digest, which the files above
//! are links to. A write counts from the moment its record is there, so everything can be put in order from the
//! records after a crash. What a claim is, and to which message it goes, is decided elsewhere.

mod blob;
mod content;
mod declare;
mod finalize;
mod handoff;
mod lock;
mod quota;
mod record;
mod source;
mod write;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use openscience_protocol::artifact::SavedFile;
use openscience_protocol::{ArtifactRunId, MessageId, SessionId};

use crate::dir;

pub use blob::{BlobError, Verified};
pub use content::ContentError;
pub use finalize::{FinalFile, FinalizeError, Finalizing};
pub use quota::Budget;
pub use source::ImportRoots;
pub use write::{Encoding, Source, WriteError, WriteRequest};

/// Holds what turns have saved and what says which turn saves now.
const PENDING: &str = ".pending";
/// Says which messages runs went to.
const RUNS: &str = ".runs";

/// The folder of all artifacts: cheap to clone.
#[derive(Debug, Clone)]
pub struct ArtifactStore {
    root: Arc<Dir>,
    path: PathBuf,
}

/// The files of one session.
#[derive(Debug, Clone)]
pub struct SessionFiles {
    store: ArtifactStore,
    project: String,
    session: SessionId,
}

/// What one turn saved, as found when it was closed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Closed {
    /// Every accepted write, oldest first.
    pub files: Vec<SavedFile>,
    /// A write was still going on after the wait: it will be refused, or stays where it is.
    pub late: bool,
}

impl ArtifactStore {
    /// Opens the folder, made if need be. It may be a link: people put it on another disk.
    pub fn open(path: &Path) -> io::Result<Self> {
        use std::os::unix::fs::DirBuilderExt as _;
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)?;
        let root = Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Self { root: Arc::new(root), path: path.to_owned() })
    }

    /// The session's files. `project` is a project id or [`openscience_protocol::artifact::DEFAULT_PROJECT_NAME`];
    /// none if it is no name for a folder.
    pub fn session(&self, project: &str, session: &SessionId) -> Option<SessionFiles> {
        is_segment(project).then(|| SessionFiles {
            store: self.clone(),
            project: project.to_owned(),
            session: session.clone(),
        })
    }

    fn project(&self, project: &str) -> io::Result<Dir> {
        dir::make_folder(&self.root, project)
    }
}

/// A letter or digit first, then those and `.`, `_`, `-`: never a path, never one of our own folders.
fn is_segment(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_' | b'-');
    text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && text.len() <= 200
        && text.bytes().all(plain)
}

impl SessionFiles {
    /// Says which run saves now; durable when it returns. What another run was saving is its own end to tell.
    pub fn activate(&self, run: &ArtifactRunId) -> io::Result<()> {
        handoff::set(&dir::make_folder(&self.make()?, PENDING)?, run)
    }

    /// The run that saves now.
    pub fn active(&self) -> io::Result<Option<ArtifactRunId>> {
        let Some(folder) = self.find()? else { return Ok(None) };
        match dir::find_folder(&folder, PENDING)? {
            Some(pending) => handoff::get(&pending),
            None => Ok(None),
        }
    }

    /// Ends the run: nothing is accepted for it any more, and what was accepted is listed once it is written, after
    /// `wait` at the latest. A newer run stays as it is.
    pub fn close(&self, run: &ArtifactRunId, wait: Duration) -> io::Result<Closed> {
        let Some(folder) = self.find()? else { return Ok(Closed::default()) };
        let Some(pending) = dir::find_folder(&folder, PENDING)? else { return Ok(Closed::default()) };
        handoff::clear(&pending, run)?;
        let late = match lock::take(&folder, wait) {
            Ok(held) => {
                drop(held);
                false
            }
            Err(lock::LockError::Busy) => true,
            Err(lock::LockError::Io(error)) => return Err(error),
        };
        let files = match dir::find_folder(&pending, run.as_str())? {
            Some(saved) => record::read(&saved)?,
            None => Vec::new(),
        };
        Ok(Closed { files, late })
    }

    /// Runs that have files here and do not save now, with their files. Whose they are is not known here.
    pub fn left(&self) -> io::Result<Vec<(ArtifactRunId, Vec<SavedFile>)>> {
        let Some(folder) = self.find()? else { return Ok(Vec::new()) };
        let Some(pending) = dir::find_folder(&folder, PENDING)? else { return Ok(Vec::new()) };
        let active = handoff::get(&pending)?;
        let mut left = Vec::new();
        for name in dir::names(&pending)? {
            let Ok(run) = name.parse::<ArtifactRunId>() else { continue };
            if active.as_ref() == Some(&run) {
                continue;
            }
            if let Some(saved) = dir::find_folder(&pending, &name)? {
                let files = record::read(&saved)?;
                if !files.is_empty() {
                    left.push((run, files));
                }
            }
        }
        Ok(left)
    }

    /// Removes what no message has: the session is gone. Files that are with messages stay, and so do all versions.
    pub fn forget_pending(&self) -> io::Result<()> {
        let Some(folder) = self.find()? else { return Ok(()) };
        match folder.remove_dir_all(PENDING) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Where a file is while its turn lasts.
    pub fn pending_path(&self, run: &ArtifactRunId, name: &str) -> PathBuf {
        self.path().join(PENDING).join(run.as_str()).join(name)
    }

    /// Where a file is once it is with its message.
    pub fn message_path(&self, message: &MessageId, name: &str) -> PathBuf {
        self.path().join(message.as_str()).join(name)
    }

    fn path(&self) -> PathBuf {
        self.store.path.join(&self.project).join(self.session.as_str())
    }

    fn make(&self) -> io::Result<Dir> {
        dir::make_folder(&self.store.project(&self.project)?, self.session.as_str())
    }

    fn find(&self) -> io::Result<Option<Dir>> {
        match dir::find_folder(&self.store.root, &self.project)? {
            Some(project) => dir::find_folder(&project, self.session.as_str()),
            None => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests;
