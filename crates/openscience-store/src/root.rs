//! The data directory: is it ours, and is everything in it that must be there?
//!
//! Opens no database and deletes nothing.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::error::OpenError;

/// Names a directory as ours; its text is the version of the layout.
const MARKER: &str = "openscience.format";
const FORMAT: &str = "openscience 1\n";

/// Stands in every volume of its own, empty otherwise.
const MADE_BY_MKFS: &str = "lost+found";

/// Folders other parts of the program expect to exist.
const FOLDERS: [&str; 6] = ["artifacts", "uploads", "workspaces", "cache", "logs", "owners"];

/// Private to the user: transcripts and agents' files.
const FOLDER_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// How long a process waits for another one that migrates: a migration of a large database is slow.
const MIGRATION_WAIT: Duration = Duration::from_secs(30);
/// Short enough not to be noticed at start.
const MIGRATION_POLL: Duration = Duration::from_millis(20);

/// What a data directory is before it is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    /// It does not exist and would be created.
    Absent,
    /// It exists and would become ours.
    Empty,
    Ours,
}

/// Makes the directory ours without opening anything in it, for who only wants to put something there.
pub fn lay_out(path: &Path) -> Result<(), OpenError> {
    Root::prepare(path).map(|_| ())
}

/// Paths inside the data directory.
#[derive(Debug, Clone)]
pub(crate) struct Root {
    path: PathBuf,
}

impl Root {
    /// Paths of a directory nobody has looked at.
    pub(crate) fn at(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// Takes the directory for ours, or creates it.
    pub(crate) fn prepare(path: &Path) -> Result<Self, OpenError> {
        let root = Self::at(path);
        root.create(path)?;
        root.mark()?;
        for folder in FOLDERS {
            root.create(&path.join(folder))?;
        }
        Ok(root)
    }

    pub(crate) fn database(&self) -> PathBuf {
        self.path.join("openscience.db")
    }

    pub(crate) fn owners(&self) -> PathBuf {
        self.path.join("owners")
    }

    fn failed(&self, cause: io::Error) -> OpenError {
        OpenError::Directory { path: self.path.clone(), cause }
    }

    fn create(&self, path: &Path) -> Result<(), OpenError> {
        let created = DirBuilder::new().recursive(true).mode(FOLDER_MODE).create(path);
        created.map_err(|cause| self.failed(cause))
    }

    /// Writes the marker, unless it is there.
    fn mark(&self) -> Result<(), OpenError> {
        match self.look()? {
            Place::Ours => return Ok(()),
            Place::Absent | Place::Empty => {}
        }
        let marked = || {
            fs::set_permissions(&self.path, Permissions::from_mode(FOLDER_MODE))?;
            private_file(&self.path.join(MARKER))?.write_all(FORMAT.as_bytes())
        };
        marked().map_err(|cause| self.failed(cause))
    }

    /// What the directory is to us; changes nothing.
    ///
    /// A directory without a marker becomes ours if it is empty: files of others must neither be hidden from them nor mixed
    /// with ours, whoever named the directory.
    pub(crate) fn look(&self) -> Result<Place, OpenError> {
        let marker = self.path.join(MARKER);
        match fs::read_to_string(&marker) {
            Ok(text) if text == FORMAT => return Ok(Place::Ours),
            // Another process is just writing it.
            Ok(text) if text.is_empty() => return Ok(Place::Empty),
            Ok(_) => return Err(OpenError::Format { path: self.path.clone() }),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) if error.kind() == ErrorKind::InvalidData => {
                return Err(OpenError::Format { path: self.path.clone() });
            }
            Err(error) => return Err(self.failed(error)),
        }
        match self.is_empty() {
            Ok(true) => Ok(Place::Empty),
            // Laid out by another process meanwhile.
            Ok(false) if marker.exists() => Ok(Place::Ours),
            Ok(false) => Err(OpenError::ForeignDirectory { path: self.path.clone() }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Place::Absent),
            Err(error) => Err(self.failed(error)),
        }
    }

    fn is_empty(&self) -> io::Result<bool> {
        for entry in fs::read_dir(&self.path)? {
            if entry?.file_name() != MADE_BY_MKFS {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Creates the database file, so that it and what SQLite puts beside it are private.
    ///
    /// An existing one is not opened here: closing it would drop SQLite's own locks on it.
    pub(crate) fn create_database(&self) -> Result<(), OpenError> {
        let path = self.database();
        match OpenOptions::new().write(true).create_new(true).mode(FILE_MODE).open(&path) {
            Ok(_) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(cause) => Err(OpenError::Database { path, cause: cause.into() }),
        }
    }

    /// Waits until no other process opens or migrates the database; held until the file is dropped.
    pub(crate) async fn lock(&self) -> Result<File, OpenError> {
        let file = private_file(&self.path.join("migrate.lock")).map_err(|cause| self.failed(cause))?;
        let deadline = tokio::time::Instant::now() + MIGRATION_WAIT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(fs::TryLockError::Error(cause)) => return Err(self.failed(cause)),
                Err(fs::TryLockError::WouldBlock) if tokio::time::Instant::now() >= deadline => {
                    return Err(OpenError::Locked { path: self.database() });
                }
                Err(fs::TryLockError::WouldBlock) => tokio::time::sleep(MIGRATION_POLL).await,
            }
        }
    }
}

/// Opens a file for writing, and creates it private if it is not there. Closed on exec.
pub(crate) fn private_file(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(FILE_MODE).open(path)
}

/// Tells this boot of the machine from another; empty where the system does not say.
pub(crate) fn boot_id() -> String {
    let mut text = String::new();
    match File::open("/proc/sys/kernel/random/boot_id").and_then(|mut file| file.read_to_string(&mut text)) {
        Ok(_) => text.trim_end().to_owned(),
        Err(_) => String::new(),
    }
}
