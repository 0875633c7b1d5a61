//! Which agents were installed here, and what is each started with?
//!
//! `<cache>/agents/<id>/<version>/` holds `files/`, what its archive held, and `launch.json`, what the registry
//! said of it when it was installed. A folder appears whole or not at all.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::document::{Entry, is_version};
use super::ways::{Startable, Way};

/// What the folder of the archive's content is called.
pub(super) const FILES: &str = "files";
/// What the file beside it is called.
pub(super) const LAUNCH: &str = "launch.json";

/// How one version is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Installed {
    /// Path of the program below [`FILES`].
    pub(super) command: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
    /// Where its archive was.
    pub(super) archive: String,
    pub(super) sha256: String,
}

/// The folder of all versions.
pub(super) fn folder(agents: &Path, id: &str) -> PathBuf {
    agents.join(id)
}

/// What is installed of an agent: the version the registry names, else the newest.
pub(super) fn newest(agents: &Path, entry: &Entry) -> Option<Startable> {
    let folder = folder(agents, &entry.id);
    let named = entry.version.as_deref().and_then(|version| read(&folder.join(version)));
    named.or_else(|| {
        let versions = folder.read_dir().ok()?.filter_map(Result::ok);
        // What is just being unpacked has another kind of name.
        let versions = versions.filter(|version| version.file_name().to_str().is_some_and(is_version));
        let versions = versions.filter_map(|version| {
            let changed =
                version.metadata().and_then(|meta| meta.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            Some((changed, read(&version.path())?))
        });
        versions.max_by_key(|(changed, _)| *changed).map(|(_, installed)| installed)
    })
}

/// One version; none if it is not whole.
pub(super) fn read(version: &Path) -> Option<Startable> {
    let text = std::fs::read(version.join(LAUNCH)).ok()?;
    let installed: Installed = serde_json::from_slice(&text).ok()?;
    let command = version.join(FILES).join(installed.command);
    let Installed { args, env, .. } = installed;
    command.is_file().then_some(Startable { way: Way::Installed, command, args, env })
}
