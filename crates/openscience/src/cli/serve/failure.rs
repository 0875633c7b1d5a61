//! Why did the daemon not start, in one line for a person or for a program?

use std::io;

use openscience_runtime::error::StartError;
use openscience_store::OpenError;

use super::listen::ListenError;
use crate::config::ConfigError;
use crate::environment::EnvironmentError;
use crate::output::one_line;

/// Why the daemon did not start.
#[derive(Debug, thiserror::Error)]
pub(in crate::cli) enum StartFailure {
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(
        "--hostname {0} is not served: use 127.0.0.1, localhost or, with OPENSCIENCE_AUTH_TOKEN set, 0.0.0.0"
    )]
    Hostname(String),
    #[error("--hostname 0.0.0.0 needs a token: set OPENSCIENCE_AUTH_TOKEN")]
    TokenRequired,
    #[error("the current directory cannot be used")]
    Directory(#[source] io::Error),
    #[error("the path of this program is not known")]
    Program(#[source] io::Error),
    #[error("the operating system refused {what}")]
    System { what: &'static str, source: io::Error },
    #[error(transparent)]
    Listen(#[from] ListenError),
    #[error(transparent)]
    Start(#[from] StartError),
}

impl StartFailure {
    /// A stable word for programs.
    pub(in crate::cli) fn code(&self) -> &'static str {
        match self {
            Self::Environment(_) => "config_invalid",
            Self::Config(error) => match error {
                ConfigError::AgentNotFound { .. } => "agent_not_found",
                ConfigError::NoHome => "data_dir_unusable",
                ConfigError::Unreadable { .. }
                | ConfigError::Syntax { .. }
                | ConfigError::NoObject { .. }
                | ConfigError::Key { .. }
                | ConfigError::NoCommand(_) => "config_invalid",
            },
            Self::Hostname(_) => "hostname_not_allowed",
            Self::TokenRequired => "token_required",
            Self::Directory(_) => "directory_unusable",
            Self::Program(_) | Self::System { .. } => "system_error",
            Self::Listen(error) => match error {
                ListenError::Taken { .. } => "port_in_use",
                ListenError::Refused { .. } => "port_unusable",
            },
            Self::Start(error) => start_code(error),
        }
    }

    /// The whole story in one line.
    pub(in crate::cli) fn line(&self) -> String {
        one_line(self)
    }
}

fn start_code(error: &StartError) -> &'static str {
    match error {
        StartError::Open(error) => match error {
            OpenError::Directory { .. } => "data_dir_unusable",
            OpenError::ForeignDirectory { .. } => "data_dir_foreign",
            OpenError::Format { .. } => "data_dir_format",
            OpenError::Database { .. }
            | OpenError::Locked { .. }
            | OpenError::Damaged { .. }
            | OpenError::ForeignDatabase { .. }
            | OpenError::Unreleased { .. } => "database_unusable",
            OpenError::Newer { .. } => "database_newer",
            OpenError::LiveOwner { .. } | OpenError::OwnerTaken { .. } => "database_in_use",
        },
        StartError::Artifacts(_) => "data_dir_unusable",
        StartError::Recover(_) => "database_unusable",
    }
}

/// A start error as one line of JSON.
pub(super) fn json_line(code: &str, message: &str) -> String {
    let object = serde_json::json!({"type": "server.error", "code": code, "message": message});
    format!("{object}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_one_line_with_its_causes() {
        let failure = StartFailure::Directory(io::Error::other("gone\nfor good"));
        assert_eq!(failure.line(), "the current directory cannot be used: gone for good");
        assert_eq!(
            json_line(failure.code(), &failure.line()),
            "{\"type\":\"server.error\",\"code\":\"directory_unusable\",\
             \"message\":\"the current directory cannot be used: gone for good\"}\n"
        );
    }
}
