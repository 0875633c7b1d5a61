//! Why an operation of the store did not happen: one enum per operation a caller can act on.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use openscience_protocol::OwnerId;

/// What the database said. Kept for logs; nothing is decided by it outside this crate.
#[derive(Debug, Clone)]
pub struct Cause(Arc<sqlx::Error>);

impl Cause {
    /// SQLite's primary result code, if it was SQLite that failed.
    pub(crate) fn code(&self) -> Option<i32> {
        primary_code(&self.0)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Error for Cause {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0.source()
    }
}

/// Why a read or a write failed. Of a write, nothing was stored.
#[derive(Debug, Clone, thiserror::Error)]
pub enum StoreError {
    /// Locked for too long, disk full, input or output error: it may work later.
    #[error("the database cannot be used now")]
    Unavailable(#[source] Cause),
    /// A row refers to something that does not exist, or takes a place that is taken.
    #[error("the write breaks a constraint of the database")]
    Constraint(#[source] Cause),
    /// A stored row breaks an invariant.
    #[error("column {column} of row {row} in table {table} is not valid")]
    Corrupt { table: &'static str, column: &'static str, row: String },
    /// A row cannot be written as JSON.
    #[error("a row cannot be encoded")]
    Encode(#[source] Arc<serde_json::Error>),
    /// [`close`](crate::Store::close) was called.
    #[error("the store is closed")]
    Closed,
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        if matches!(error, sqlx::Error::PoolClosed) {
            return Self::Closed;
        }
        match primary_code(&error) {
            Some(code::CONSTRAINT) => Self::Constraint(Cause(Arc::new(error))),
            _ => Self::Unavailable(Cause(Arc::new(error))),
        }
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(error: serde_json::Error) -> Self {
        Self::Encode(Arc::new(error))
    }
}

/// Why an append stored nothing.
#[derive(Debug, Clone, thiserror::Error)]
pub enum AppendError {
    /// Someone else wrote first: restore and decide again.
    #[error("the session has another revision")]
    Revision,
    /// The session does not exist or was deleted.
    #[error("the session does not exist")]
    Gone,
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why the store could not be opened. Each is one line that names the problem and the path.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("cannot use the data directory: {}: {cause}", path.display())]
    Directory { path: PathBuf, cause: io::Error },
    #[error("the directory holds other files and no openscience.format: {}", path.display())]
    ForeignDirectory { path: PathBuf },
    #[error("the data directory was laid out by another version of openscience: {}", path.display())]
    Format { path: PathBuf },
    #[error("cannot read or write the database: {}: {cause}", path.display())]
    Database { path: PathBuf, cause: Box<dyn Error + Send + Sync> },
    #[error("the database is locked by another process: {}", path.display())]
    Locked { path: PathBuf },
    #[error("the file is damaged or not a database: {}", path.display())]
    Damaged { path: PathBuf },
    #[error("the database belongs to another program: {}", path.display())]
    ForeignDatabase { path: PathBuf },
    #[error(
        "the database has schema {found}, this version knows up to {known}: {}",
        path.display()
    )]
    Newer { found: i64, known: i64, path: PathBuf },
    #[error(
        "the database was made by a version of openscience that was never released; move it away: {}",
        path.display()
    )]
    Unreleased { path: PathBuf },
    #[error(
        "the database must be upgraded from schema {found} to {known}, but openscience {version} is using it{}: {}",
        at(url.as_deref()),
        path.display()
    )]
    LiveOwner { version: String, url: Option<String>, found: i64, known: i64, path: PathBuf },
    #[error("the owner id {owner} is taken: {}", path.display())]
    OwnerTaken { owner: OwnerId, path: PathBuf },
}

fn at(url: Option<&str>) -> String {
    url.map(|url| format!(" at {url}")).unwrap_or_default()
}

impl OpenError {
    /// What `error` of the database at `path` means to someone who starts the program.
    pub(crate) fn database(path: PathBuf, error: sqlx::Error) -> Self {
        match primary_code(&error) {
            Some(code::BUSY | code::LOCKED) => Self::Locked { path },
            Some(code::CORRUPT | code::NOT_A_DATABASE) => Self::Damaged { path },
            _ => Self::Database { path, cause: error.into() },
        }
    }
}

/// SQLite's primary result codes that mean something to us.
pub(crate) mod code {
    /// A statement that does not fit the schema.
    pub(crate) const ERROR: i32 = 1;
    pub(crate) const BUSY: i32 = 5;
    pub(crate) const LOCKED: i32 = 6;
    pub(crate) const CORRUPT: i32 = 11;
    pub(crate) const CONSTRAINT: i32 = 19;
    pub(crate) const NOT_A_DATABASE: i32 = 26;
}

/// The low byte of SQLite's extended code; the rest only tells variants apart.
pub(crate) fn primary_code(error: &sqlx::Error) -> Option<i32> {
    let code: i32 = error.as_database_error()?.code()?.parse().ok()?;
    Some(code & 0xff)
}
