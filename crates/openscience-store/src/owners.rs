//! Which processes are alive: an owner proves its life by a lock on a file, held while it runs.
//!
//! Decides nothing about the runs of a dead owner; that is recovery's work.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use openscience_protocol::{Millis, OwnerId};
use sqlx::SqliteConnection;
use sqlx::sqlite::SqliteRow;

use crate::decode::Columns;
use crate::encode::{self, Tail};
use crate::error::{OpenError, StoreError, code, primary_code};
use crate::root::{self, Root};
use crate::writer::Small;
use crate::{Store, sql};

/// This process, as others see it.
#[derive(Debug)]
pub(crate) struct Owner {
    pub(crate) id: OwnerId,
    pub(crate) boot_id: String,
    pub(crate) folder: PathBuf,
    /// Locked; the lock ends with the process, however it ends.
    _lock: File,
}

impl Owner {
    /// Takes the lock first and then tells of itself: a row without a held lock is a dead owner.
    pub(crate) async fn register(
        connection: &mut SqliteConnection,
        root: &Root,
        id: &OwnerId,
        schema_version: i64,
        version: &str,
        started: Millis,
    ) -> Result<Self, OpenError> {
        let folder = root.owners();
        let path = lock_path(&folder, id);
        let failed = |cause| OpenError::Directory { path: path.clone(), cause };
        let lock = root::private_file(&path).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(OpenError::OwnerTaken { owner: id.clone(), path });
            }
            Err(TryLockError::Error(cause)) => return Err(failed(cause)),
        }
        let boot_id = root::boot_id();
        let row = encode::owner(id.as_str(), &boot_id, schema_version, version, started)
            .map_err(|error| OpenError::Database { path: root.database(), cause: error.into() })?;
        let inserted = sqlx::query(sql::INSERT_OWNER).bind(row).execute(connection).await;
        inserted.map_err(|error| match primary_code(&error) {
            Some(code::CONSTRAINT) => OpenError::OwnerTaken { owner: id.clone(), path: root.database() },
            _ => OpenError::database(root.database(), error),
        })?;
        Ok(Self { id: id.clone(), boot_id, folder, _lock: lock })
    }
}

fn lock_path(folder: &Path, id: &OwnerId) -> PathBuf {
    folder.join(format!("{id}.lock"))
}

/// A stored owner.
struct OwnerRow {
    id: OwnerId,
    pid: u32,
    boot_id: String,
    schema_version: i64,
    version: String,
    url: Option<String>,
}

fn decode(row: &SqliteRow) -> Result<OwnerRow, StoreError> {
    let columns = Columns::new("owner", row);
    Ok(OwnerRow {
        id: columns.word("id")?,
        pid: columns.get("pid")?,
        boot_id: columns.get("boot_id")?,
        schema_version: columns.get("schema_version")?,
        version: columns.get("version")?,
        url: columns.get("url")?,
    })
}

/// True if a process of this boot holds the owner's lock.
fn is_alive(folder: &Path, boot_id: &str, owner: &OwnerRow) -> io::Result<bool> {
    if owner.boot_id != boot_id {
        return Ok(false);
    }
    let file = match File::open(lock_path(folder, &owner.id)) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    // Shared, so that two processes that look at the same moment do not take each other for the owner.
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(error)) => Err(error),
    }
}

/// A process at work on the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LiveOwner {
    /// As the process itself sees it.
    pub pid: u32,
    pub version: String,
    pub schema_version: i64,
    /// Where it listens, once it does.
    pub url: Option<String>,
}

/// Every owner that lives.
pub(crate) async fn living(
    connection: &mut SqliteConnection,
    root: &Root,
) -> Result<Vec<LiveOwner>, OpenError> {
    let path = root.database();
    let rows = sqlx::query(sql::OWNERS).fetch_all(connection).await;
    let rows = rows.map_err(|error| OpenError::database(path.clone(), error))?;
    let boot_id = root::boot_id();
    let mut living = Vec::new();
    for row in &rows {
        let owner =
            decode(row).map_err(|error| OpenError::Database { path: path.clone(), cause: error.into() })?;
        let alive = is_alive(&root.owners(), &boot_id, &owner);
        if alive.map_err(|cause| OpenError::Directory { path: root.owners(), cause })? {
            let OwnerRow { id: _, pid, boot_id: _, schema_version, version, url } = owner;
            living.push(LiveOwner { pid, version, schema_version, url });
        }
    }
    Ok(living)
}

/// Refuses to change the schema under a living process that writes another one.
pub(crate) fn refuse_live(
    living: &[LiveOwner],
    root: &Root,
    found: i64,
    known: i64,
) -> Result<(), OpenError> {
    match living.iter().find(|owner| owner.schema_version != known) {
        None => Ok(()),
        Some(LiveOwner { version, url, .. }) => Err(OpenError::LiveOwner {
            version: version.clone(),
            url: url.clone(),
            found,
            known,
            path: root.database(),
        }),
    }
}

impl Store {
    /// The id under which this process owns runs.
    pub fn owner(&self) -> &OwnerId {
        &self.0.owner.id
    }

    /// Tells other processes where this one listens.
    pub async fn announce_url(&self, url: &str) -> Result<(), StoreError> {
        let row = Tail::default().value(self.owner())?.value(url)?.into_array();
        self.small(Small { sql: sql::ANNOUNCE_URL, row }).await?;
        Ok(())
    }

    /// Where that owner listens, if it does.
    pub async fn owner_url(&self, owner: &OwnerId) -> Result<Option<String>, StoreError> {
        let url: Option<Option<String>> = sqlx::query_scalar(sql::OWNER_URL)
            .bind(owner.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        Ok(url.flatten())
    }

    /// Owners whose process has ended. An owner that cannot be judged counts as alive.
    pub async fn dead_owners(&self) -> Result<Vec<OwnerId>, StoreError> {
        let rows = sqlx::query(sql::OWNERS).fetch_all(&self.0.readers).await?;
        let mut dead = Vec::new();
        let mut alive = 0_u32;
        for row in &rows {
            let owner = decode(row)?;
            if owner.id == self.0.owner.id {
                continue;
            }
            match is_alive(&self.0.owner.folder, &self.0.owner.boot_id, &owner) {
                Ok(false) => dead.push(owner.id),
                Ok(true) => alive += 1,
                Err(error) => {
                    tracing::warn!(owner.id = %owner.id, %error, "cannot tell whether an owner is alive");
                    alive += 1;
                }
            }
        }
        self.0.shared.store(alive > 0, Ordering::Relaxed);
        Ok(dead)
    }

    /// Removes a dead owner. False, and nothing is removed, while a live run names it.
    pub async fn forget_owner(&self, owner: &OwnerId) -> Result<bool, StoreError> {
        let row = Tail::default().value(owner)?.into_array();
        let forgotten = self.small(Small { sql: sql::FORGET_OWNER, row }).await?;
        if forgotten {
            remove_lock(&self.0.owner.folder, owner);
        }
        Ok(forgotten)
    }
}

/// Removes the lock file of an owner that has no row any more.
fn remove_lock(folder: &Path, owner: &OwnerId) {
    match fs::remove_file(lock_path(folder, owner)) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(owner.id = %owner, %error, "cannot remove an owner's lock file"),
    }
}
