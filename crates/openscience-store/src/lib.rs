//! The log and the tables on SQLite. The only crate that knows SQL.
//!
//! It keeps rows and events and decides nothing about them, with one exception: an append made on
//! another revision than the stored one is refused. One task writes, on a connection of its own;
//! reads go through a read-only pool and never wait for it.

mod append;
mod artifacts;
mod cut;
mod decode;
mod encode;
mod error;
mod events;
mod grants;
mod inspect;
mod messages;
mod owners;
mod root;
mod runs;
mod schema;
mod sessions;
mod sql;
mod state;
mod transfer;
mod uploads;
mod writer;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use openscience_protocol::{Millis, OwnerId};
use sqlx::sqlite::SqlitePoolOptions;
use sqlx::{SqliteConnection, SqlitePool};
use tokio::sync::{Mutex, mpsc};
use tokio::task::JoinHandle;

pub use artifacts::{NumberedVersion, ResultRow, SessionFile};
pub use error::{AppendError, Cause, OpenError, StoreError};
pub use events::{EventPage, EventRef, EventText, Mark};
pub use inspect::{Inspection, inspect};
pub use owners::LiveOwner;
pub use root::{Place, lay_out};
pub use runs::SnapshotRows;
pub use sessions::{Creation, SessionQuery};
pub use transfer::{DumpRow, SessionDump, TransferError, export_session, import_session};

use owners::Owner;
use root::Root;
use writer::{Op, Request, Small, Writer};

/// Connections that read: enough that a long answer does not hold up short ones.
const READERS: u32 = 4;

/// Where the store is, and who opens it.
#[derive(Debug, Clone)]
pub struct OpenConfig {
    /// Holds the database and all files.
    pub data_dir: PathBuf,
    /// A new id for every start.
    pub owner: OwnerId,
    /// Version of this binary.
    pub version: String,
    pub now: Millis,
}

/// The store: cheap to clone, shared by everyone in the process.
#[derive(Clone)]
pub struct Store(Arc<Inner>);

struct Inner {
    writer: mpsc::Sender<Op>,
    readers: SqlitePool,
    owner: Owner,
    /// Another process was alive when owners were last looked at.
    shared: Arc<AtomicBool>,
    /// The writing task, until [`Store::close`] has waited for it.
    task: Mutex<Option<JoinHandle<()>>>,
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Store").field(&self.0.owner.id).finish()
    }
}

impl Store {
    /// Creates or validates the data directory, brings the database to this version's schema and
    /// registers this process as an owner.
    pub async fn open(config: OpenConfig) -> Result<Self, OpenError> {
        Self::open_with(config, schema::MIGRATIONS).await
    }

    async fn open_with(config: OpenConfig, migrations: &[&'static str]) -> Result<Self, OpenError> {
        let OpenConfig { data_dir, owner, version, now } = config;
        let root = Root::prepare(&data_dir)?;
        let lock = root.lock().await?;
        let mut connection = schema::open(&root, migrations).await?;
        let schema_version = schema::version_of(migrations);
        let owner = Owner::register(&mut connection, &root, &owner, schema_version, &version, now).await?;
        drop(lock);
        Self::start(&root, connection, owner).await
    }

    async fn start(root: &Root, mut connection: SqliteConnection, owner: Owner) -> Result<Self, OpenError> {
        let failed = |error| OpenError::database(root.database(), error);
        sqlx::query(sql::NO_BUSY_TIMEOUT).execute(&mut connection).await.map_err(failed)?;
        let readers = SqlitePoolOptions::new()
            .max_connections(READERS)
            // Connections to a file do not go stale; a test would double the cost of a read.
            .test_before_acquire(false)
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(schema::reader_options(root))
            .await
            .map_err(failed)?;
        let (writer, inbox) = mpsc::channel(writer::QUEUE_LEN_MAX);
        let shared = Arc::new(AtomicBool::new(false));
        let task =
            Writer::new(schema::writer_options(root), connection, inbox, Arc::clone(&shared), &owner.id);
        let task = Mutex::new(Some(tokio::spawn(task.run())));
        Ok(Self(Arc::new(Inner { writer, readers, owner, shared, task })))
    }

    /// Changes whenever another process has committed; writes of this one do not count.
    pub async fn data_version(&self) -> Result<i64, StoreError> {
        let (request, answer) = Request::new(());
        self.send(Op::DataVersion(request)).await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Finishes what is queued and closes the database. Every later call answers
    /// [`StoreError::Closed`].
    ///
    /// The owner is forgotten here if it leaves no live run; its lock ends with the last handle.
    pub async fn close(&self) {
        let mut task = self.0.task.lock().await;
        let Some(handle) = task.take() else { return };
        if let Err(error) = self.forget_owner(self.owner()).await {
            tracing::debug!(%error, "the owner stays for others to forget");
        }
        self.0.readers.close().await;
        if self.send(Op::Close).await.is_ok()
            && let Err(error) = handle.await
        {
            tracing::error!(%error, "the writing task failed");
        }
    }

    async fn send(&self, op: Op) -> Result<(), StoreError> {
        self.0.writer.send(op).await.map_err(|_| StoreError::Closed)
    }

    /// Writes one row; true if it changed anything.
    async fn small(&self, small: Small) -> Result<bool, StoreError> {
        let (request, answer) = Request::new(small);
        self.send(Op::Small(request)).await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }
}
