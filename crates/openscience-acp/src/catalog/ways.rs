//! How is an agent of the registry started on this machine? Looks for its program, then for what would fetch it.
//!
//! Only looks: nothing is started, downloaded or written.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use super::document::{Entry, Package, Run};
use super::installed;
use crate::launch::{DEFAULT_PATH, find_program};
use crate::text;

/// A way to start an agent of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Its program is found on `PATH`.
    Path,
    /// It was installed by `openscience agent install`.
    Installed,
    /// `npx` fetches it from the package registry, if need be.
    Npx,
    /// `uvx` does.
    Uvx,
}

impl Way {
    /// In the order in which they are tried if nobody says otherwise: what is here first.
    pub const ALL: [Self; 4] = [Self::Path, Self::Installed, Self::Npx, Self::Uvx];

    /// The word in configuration and on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Installed => "installed",
            Self::Npx => "npx",
            Self::Uvx => "uvx",
        }
    }

    /// True if starting it so may load something from the network.
    pub fn downloads(self) -> bool {
        match self {
            Self::Path | Self::Installed => false,
            Self::Npx | Self::Uvx => true,
        }
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What an agent of the registry is started with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Startable {
    pub way: Way,
    /// Absolute path.
    pub command: PathBuf,
    pub args: Vec<String>,
    /// What its distribution wants set.
    pub env: BTreeMap<String, String>,
}

/// Why an agent of the registry cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    #[error("agent {id} is neither configured nor known to the registry")]
    Unknown { id: String },
    #[error("agent {id} is not installed: looked for {} (searched in {searched})", looked_for.join(", "))]
    NotInstalled { id: String, looked_for: Vec<String>, searched: String },
    #[error("the registry tells no way to start agent {id} on {platform} that the configuration allows")]
    NoWay { id: String, platform: String },
}

/// Programs of agents whose distribution does not tell them: a package may bring one of another name.
const PROGRAMS: [(&str, &[&str]); 11] = [
    ("auggie", &["auggie"]),
    ("claude-acp", &["claude-agent-acp"]),
    ("cline", &["cline"]),
    ("codex-acp", &["codex-acp"]),
    ("factory-droid", &["droid"]),
    ("gemini", &["gemini"]),
    ("github-copilot-cli", &["copilot"]),
    ("kilo", &["kilo", "kilocode"]),
    ("opencode", &["opencode"]),
    ("pi-acp", &["pi-acp"]),
    ("qwen-code", &["qwen"]),
];

/// The platform of this process as the registry names it.
pub(super) fn platform() -> String {
    let system = if cfg!(target_os = "macos") { "darwin" } else { std::env::consts::OS };
    format!("{system}-{}", std::env::consts::ARCH)
}

/// Where programs are looked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Here<'a> {
    pub(super) platform: &'a str,
    /// A value of `PATH`.
    pub(super) path: Option<&'a str>,
    /// Holds what was installed.
    pub(super) agents: &'a Path,
}

/// The first of these ways that works here.
pub(super) fn find(entry: &Entry, ways: &[Way], here: Here<'_>) -> Result<Startable, LaunchError> {
    let mut looked_for = Vec::new();
    for way in ways {
        let found = match way {
            Way::Path => on_path(entry, here, &mut looked_for),
            Way::Installed => installed::newest(here.agents, entry),
            Way::Npx => entry
                .distribution
                .npx
                .as_ref()
                .and_then(|package| fetched(Way::Npx, &["--yes"], package, here, &mut looked_for)),
            Way::Uvx => entry
                .distribution
                .uvx
                .as_ref()
                .and_then(|package| fetched(Way::Uvx, &[], package, here, &mut looked_for)),
        };
        if let Some(found) = found {
            return Ok(found);
        }
    }
    let id = entry.id.clone();
    if looked_for.is_empty() {
        return Err(LaunchError::NoWay { id, platform: here.platform.to_owned() });
    }
    let searched = text::bounded_to(here.path.unwrap_or(DEFAULT_PATH), 500);
    Err(LaunchError::NotInstalled { id, looked_for, searched })
}

fn on_path(entry: &Entry, here: Here<'_>, looked_for: &mut Vec<String>) -> Option<Startable> {
    for (program, run) in programs(entry, here.platform) {
        if let Some(command) = find_program(Path::new(&program), here.path) {
            let Run { args, env } = run.clone();
            return Some(Startable { way: Way::Path, command, args, env });
        }
        looked_for.push(program);
    }
    None
}

/// Names its program may have on `PATH`, and what it is then started with.
fn programs<'a>(entry: &'a Entry, platform: &str) -> Vec<(String, &'a Run)> {
    let distribution = &entry.distribution;
    let target = distribution.binary.get(platform);
    let packages = [&distribution.npx, &distribution.uvx];
    let run =
        target.map(|target| &target.run).or_else(|| packages.into_iter().flatten().map(|p| &p.run).next());
    let mut found: Vec<(String, &Run)> = Vec::new();
    if let Some(target) = target {
        found.extend(program_name(&target.command).map(|name| (name, &target.run)));
    }
    let known = PROGRAMS.iter().find(|(id, _)| *id == entry.id).map(|(_, names)| *names).unwrap_or_default();
    for name in known {
        found.extend(run.map(|run| ((*name).to_owned(), run)));
    }
    // uvx starts the program that has the name of its package.
    found.extend(
        distribution.uvx.as_ref().map(|package| (package_name(&package.spec).to_owned(), &package.run)),
    );
    let mut names = Vec::new();
    found.retain(|(name, _)| {
        let new = !names.contains(name);
        names.push(name.clone());
        new
    });
    found
}

/// The last part of a path within an archive, without the ending that Windows wants.
pub(super) fn program_name(command: &str) -> Option<String> {
    let name = command.rsplit(['/', '\\']).next()?;
    let name = name.strip_suffix(".exe").unwrap_or(name);
    (!name.is_empty() && name != "." && name != "..").then(|| name.to_owned())
}

/// A package of Python without version and extras.
fn package_name(spec: &str) -> &str {
    spec.split(['=', '@', '<', '>', '~', '!', '[', ';']).next().unwrap_or(spec)
}

/// By a program that fetches the package: that is what the form of the registry defines. Which of its
/// programs is meant is for it to know.
fn fetched(
    way: Way,
    flags: &[&str],
    package: &Package,
    here: Here<'_>,
    looked_for: &mut Vec<String>,
) -> Option<Startable> {
    let Some(command) = find_program(Path::new(way.as_str()), here.path) else {
        looked_for.push(way.as_str().to_owned());
        return None;
    };
    let flags = flags.iter().map(|flag| (*flag).to_owned());
    let args = flags.chain([package.spec.clone()]).chain(package.run.args.clone()).collect();
    Some(Startable { way, command, args, env: package.run.env.clone() })
}

#[cfg(test)]
mod tests;
