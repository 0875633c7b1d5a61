//! What is started, with which environment and within which bounds.
//!
//! Finding agents (registry, aliases, profiles) is not done here.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openscience_core::authority::Offer;
use openscience_protocol::{AgentId, Limits};

use crate::error::AgentError;

/// How one agent process is started.
#[derive(Clone)]
pub struct Launch {
    pub agent: AgentId,
    /// An absolute path, a path relative to `cwd`, or a name looked up in the child's `PATH`.
    pub command: PathBuf,
    pub args: Vec<String>,
    /// Configured for this agent. Values are masked in its stderr and in errors.
    pub env: BTreeMap<String, String>,
    /// Further values that must not be shown, such as keys of MCP servers it is given.
    pub secrets: Vec<String>,
    /// The rest of the child's environment; nothing else is inherited.
    pub base_env: Vec<(String, String)>,
    pub cwd: PathBuf,
    /// The binary whose `exec-child` step ties the agent's life to ours.
    pub exec_child: Option<PathBuf>,
    /// The agent tells all updates of a turn before it answers the prompt, so the answer is not held.
    pub ordered: bool,
    /// What it is told that we do for it.
    pub offer: Offer,
    /// Random text by which descendants of this agent are found. Not empty.
    pub mark: String,
}

// Values of the environment are secrets: only names are shown.
impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Launch")
            .field("agent", &self.agent)
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

impl Launch {
    /// The command as a path that exists, or why there is none.
    pub fn resolve(&self) -> Result<PathBuf, AgentError> {
        let path = self.variable("PATH");
        locate(&self.command, &self.cwd, path).ok_or_else(|| {
            let searched = is_name(&self.command).then(|| path.unwrap_or(DEFAULT_PATH).to_owned());
            self.not_found(searched)
        })
    }

    fn not_found(&self, searched: Option<String>) -> AgentError {
        AgentError::CommandNotFound { command: self.command.display().to_string(), searched }
    }

    fn variable(&self, name: &str) -> Option<&str> {
        let base = self.base_env.iter().rev().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        self.env.get(name).map(String::as_str).or(base)
    }

    /// Values that must not be shown, longest first, so that none hides in another.
    pub(crate) fn masked(&self) -> Vec<String> {
        let mut secrets: Vec<String> = self
            .env
            .values()
            .chain(&self.secrets)
            // A key of several lines may be printed line by line.
            .flat_map(|value| std::iter::once(value.as_str()).chain(value.lines()))
            .filter(|value| value.len() >= SECRET_BYTES_MIN)
            .map(str::to_owned)
            .collect();
        secrets.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        secrets.dedup();
        secrets
    }
}

/// Shorter values (`1`, `true`, `info`) are words that logs are full of.
const SECRET_BYTES_MIN: usize = 6;

/// Where programs are looked for when nobody says.
pub(crate) const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The program that a command means: a path, from `cwd` if it is relative, or a name that is looked up in `path`, a value of `PATH`.
pub fn locate(command: &Path, cwd: &Path, path: Option<&str>) -> Option<PathBuf> {
    if is_name(command) {
        return find_program(command, path);
    }
    Some(cwd.join(command)).filter(|path| path.is_file())
}

fn is_name(command: &Path) -> bool {
    !command.is_absolute() && command.components().count() == 1
}

/// The program of that bare name in the absolute folders of `path`, a value of `PATH`.
pub fn find_program(name: &Path, path: Option<&str>) -> Option<PathBuf> {
    std::env::split_paths(path.unwrap_or(DEFAULT_PATH))
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(name))
        .find(|candidate| is_executable(candidate))
}

fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The bounds of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcpLimits {
    /// Longest frame that is read.
    pub frame_bytes: usize,
    /// Tail kept of stderr.
    pub stderr_tail_bytes: usize,
    /// From spawn to the `initialize` answer; renewed by every frame.
    pub start_timeout: Duration,
    /// Opening or configuring a session; renewed by every frame.
    pub open_timeout: Duration,
    /// From closing stdin to KILL when an agent is stopped; TERM comes half way.
    pub stop_grace: Duration,
}

impl From<&Limits> for AcpLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            frame_bytes: limits.max_frame_bytes,
            stderr_tail_bytes: limits.stderr_tail_bytes,
            start_timeout: Duration::from_millis(limits.start_timeout_ms),
            open_timeout: Duration::from_millis(limits.open_timeout_ms),
            stop_grace: Duration::from_secs(2),
        }
    }
}

/// The part of an environment that agents may inherit: what programs need to run and to reach
/// the network, no keys and no tokens.
pub fn allowed_environment(all: impl IntoIterator<Item = (String, String)>) -> Vec<(String, String)> {
    all.into_iter().filter(|(name, _)| is_allowed(name)).collect()
}

fn is_allowed(name: &str) -> bool {
    const NAMES: [&str; 26] = [
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TERM",
        "COLORTERM",
        "NO_COLOR",
        "TMPDIR",
        "TMP",
        "TEMP",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "NODE_EXTRA_CA_CERTS",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "NVM_DIR",
        "PYENV_ROOT",
        "VOLTA_HOME",
    ];
    let upper = name.to_ascii_uppercase();
    let proxy = upper.ends_with("_PROXY");
    NAMES.contains(&if proxy { upper.as_str() } else { name })
        || name.starts_with("LC_")
        || name.starts_with("XDG_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_inherit_what_programs_need_and_no_keys() {
        let check = |name: &str, kept: bool| assert_eq!(is_allowed(name), kept, "{name}");
        check("PATH", true);
        check("LC_ALL", true);
        check("XDG_CONFIG_HOME", true);
        check("https_proxy", true);
        check("path", false);
        check("OPENSCIENCE_TOKEN", false);
        check("ANTHROPIC_API_KEY", false);
        check("SSH_AUTH_SOCK", false);
    }
}
