//! `openscience agent install` and `openscience agent update`: the only commands that load something from the
//! network because a person says so.
//!
//! What may be loaded, and how it is checked, is decided by the catalog.

use std::path::PathBuf;
use std::process::ExitCode;

use openscience_acp::catalog::{Catalog, FetchError, InstallError, Installation};
use openscience_store::OpenError;

use crate::cli::{exit_code, serve::data_dir_help};
use crate::config::{self, ConfigError, Settings};
use crate::environment::{Environment, EnvironmentError};
use crate::output::{self, one_line};

#[derive(Debug, clap::Args)]
pub(super) struct InstallArgs {
    /// Its id in the registry, or an alias
    id: String,
    #[arg(long, value_name = "DIR", help = data_dir_help())]
    data_dir: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub(super) struct UpdateArgs {
    #[arg(long, value_name = "DIR", help = data_dir_help())]
    data_dir: Option<PathBuf>,
}

/// Why nothing was loaded.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error("the current directory cannot be used")]
    Directory(#[source] std::io::Error),
    #[error("the operating system refused threads")]
    Threads(#[source] std::io::Error),
    #[error(transparent)]
    DataDirectory(#[from] OpenError),
    #[error("the registry was not fetched")]
    Fetch(#[from] FetchError),
    #[error("agent {id} was not installed")]
    Install { id: String, source: InstallError },
}

/// Downloads an agent and says where it is.
pub(super) fn install(args: &InstallArgs) -> ExitCode {
    let InstallArgs { id, data_dir } = args;
    told(with_catalog(data_dir.clone(), async |catalog| {
        let installed = catalog.install(id).await;
        installed
            .map(|done| installed_text(&done))
            .map_err(|source| Failure::Install { id: id.clone(), source })
    }))
}

/// Fetches the registry and says how many agents it has.
pub(super) fn update(args: &UpdateArgs) -> ExitCode {
    told(with_catalog(args.data_dir.clone(), async |catalog| {
        Ok(format!("{} agents are known\n", catalog.update().await?))
    }))
}

fn with_catalog(
    data_dir: Option<PathBuf>,
    work: impl AsyncFnOnce(Catalog) -> Result<String, Failure>,
) -> Result<String, Failure> {
    let environment = Environment::read()?;
    let directory = std::env::current_dir().and_then(std::fs::canonicalize).map_err(Failure::Directory)?;
    let settings = Settings::read(&environment, &directory)?;
    let chosen = data_dir.or_else(|| environment.data_dir.clone());
    let data_dir = config::data_dir(chosen.as_deref(), environment.home.as_deref())?;
    // What is put there must not make it look like somebody else's.
    openscience_store::lay_out(&data_dir)?;
    let executor =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Failure::Threads)?;
    executor.block_on(work(config::registry(&settings.document, &data_dir)))
}

fn told(done: Result<String, Failure>) -> ExitCode {
    match done {
        Ok(text) => exit_code(output::answer(&text)),
        Err(failure) => {
            output::notice(format_args!("error: {}", one_line(&failure)));
            ExitCode::FAILURE
        }
    }
}

fn installed_text(installation: &Installation) -> String {
    let Installation { id, version, command, already, verified } = installation;
    let how = if *already { "was installed before" } else { "is installed" };
    let unverified = match (already, verified) {
        (false, false) => "The registry tells no digest of it: it is what its address gave.\n",
        (true, _) | (false, true) => "",
    };
    format!("{id} {version} {how}: {}\n{unverified}", command.display())
}
