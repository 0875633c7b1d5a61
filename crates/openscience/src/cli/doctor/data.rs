//! Can the data directory be used, and who uses it?

use std::path::Path;

use openscience_store::{Inspection, LiveOwner, Place, inspect};
use rustix::fs::{Access, access, statvfs};
use serde::Serialize;

use crate::output::one_line;

/// Entries of the cache that are counted at most: what it holds is of interest, not to the last file.
const CACHE_ENTRIES_MAX: u64 = 100_000;

/// The data directory.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DataReport {
    pub(super) path: String,
    /// `absent` (it would be made), `empty`, `ours` or `refused`.
    pub(super) state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) schema: Option<i64>,
    pub(super) known_schema: i64,
    /// Of an absent one: whether it can be made.
    pub(super) writable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) free_bytes: Option<u64>,
    pub(super) daemons: Vec<DaemonReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
}

/// A process that uses it now.
#[derive(Debug, Serialize)]
pub(super) struct DaemonReport {
    pub(super) pid: u32,
    pub(super) version: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) url: Option<String>,
}

/// What can be deleted without loss of anything but the simulator's conversations.
#[derive(Debug, Serialize)]
pub(super) struct CacheReport {
    pub(super) path: String,
    pub(super) files: u64,
    pub(super) bytes: u64,
}

pub(super) async fn examine(path: &Path) -> DataReport {
    let Inspection { place, found_schema, known_schema, owners, trouble } = inspect(path).await;
    // The nearest place that exists decides whether the rest can be made.
    let existing = path.ancestors().find(|path| path.exists());
    // A folder cannot be made where a link stands, wherever that leads.
    let dangling = path.ancestors().find(|path| path.is_symlink() && !path.exists());
    let dangling = dangling.map(|link| format!("a link that leads nowhere stands there: {}", link.display()));
    let writable = existing
        .is_some_and(|path| path.is_dir() && access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok());
    let unwritable = || format!("nobody of this user may write there: {}", path.display());
    DataReport {
        path: path.display().to_string(),
        state: match (&trouble, place) {
            _ if dangling.is_some() => "refused",
            (None, Some(Place::Absent)) => "absent",
            (None, Some(Place::Empty)) => "empty",
            (None, Some(Place::Ours)) => "ours",
            (Some(_), _) | (None, None) => "refused",
        },
        schema: found_schema,
        known_schema,
        writable: writable && dangling.is_none(),
        free_bytes: existing
            .and_then(|path| statvfs(path).ok())
            .map(|fs| fs.f_bavail.saturating_mul(fs.f_frsize)),
        daemons: owners.into_iter().map(daemon).collect(),
        error: trouble
            .map(|trouble| one_line(&trouble))
            .or(dangling)
            .or_else(|| (!writable).then(unwritable)),
    }
}

fn daemon(owner: LiveOwner) -> DaemonReport {
    let LiveOwner { pid, version, schema_version: _, url } = owner;
    DaemonReport { pid, version, url }
}

pub(super) fn cache(data_dir: &Path) -> CacheReport {
    let path = data_dir.join("cache");
    let mut report = CacheReport { path: path.display().to_string(), files: 0, bytes: 0 };
    let mut folders = vec![path];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            // Of the entry itself: a link may lead anywhere.
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                folders.push(entry.path());
            } else if report.files < CACHE_ENTRIES_MAX {
                report.files += 1;
                report.bytes += metadata.len();
            }
        }
    }
    report
}
