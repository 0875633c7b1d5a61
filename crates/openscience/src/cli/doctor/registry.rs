//! Which agents of the registry are installed? Only looks: nothing is fetched or started.

use openscience_runtime::request::Catalog;
use serde::Serialize;

/// What is known of the registry here.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RegistryReport {
    /// `fresh`, `stale` (older than a day) or `embedded` (it came with this program).
    pub(super) document: &'static str,
    /// How many there are.
    pub(super) agents: usize,
    /// Those that start without a download, by id.
    pub(super) installed: Vec<InstalledReport>,
}

/// An agent that is here.
#[derive(Debug, Serialize)]
pub(super) struct InstalledReport {
    pub(super) id: String,
    /// `path`, or `installed` by `openscience agent install`.
    pub(super) via: &'static str,
    pub(super) command: String,
}

/// None if the registry is disabled. `path` is the `PATH` that agents get.
pub(super) fn examine(registry: &Catalog, path: Option<&str>) -> Option<RegistryReport> {
    let entries = registry.entries();
    let installed = entries.iter().filter_map(|entry| {
        let found = registry.find(&entry.id, path).ok().filter(|found| !found.way.downloads())?;
        let command = found.command.display().to_string();
        Some(InstalledReport { id: entry.id.clone(), via: found.way.as_str(), command })
    });
    registry.is_enabled().then(|| RegistryReport {
        document: registry.freshness().as_str(),
        agents: entries.len(),
        installed: installed.collect(),
    })
}
