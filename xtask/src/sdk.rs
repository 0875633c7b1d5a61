//! Do the SDKs have what the interface has, and does that work against the daemon?
//!
//! Each is checked by its own language's means; what those are stands here and nowhere else.

use std::path::PathBuf;
use std::process::Command;

use anyhow::bail;

use crate::run::{program, root, succeed, works};

/// The oldest Python the package runs on, as a question whose answer is the exit status.
const IS_NEW_ENOUGH: &str = "import sys; sys.exit(sys.version_info < (3, 10))";
const PYTHONS: [&str; 2] = ["python3", "python"];
/// The oldest Node the package runs on, likewise.
const IS_NODE_NEW_ENOUGH: &str = "process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)";

/// A language with an SDK of ours.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sdk {
    Python,
    Typescript,
}

impl Sdk {
    /// Writes what is generated.
    pub(crate) fn write(self) -> anyhow::Result<()> {
        match self {
            Self::Python => succeed(python(&["sdk-python/tools/generate.py"])?),
            Self::Typescript => {
                succeed(npm(&["ci"])?)?;
                succeed(npm(&["run", "generate"])?)
            }
        }
    }

    /// Fails if what is generated differs, or a test fails. Needs the debug build of the daemon.
    pub(crate) fn check(self) -> anyhow::Result<()> {
        match self {
            Self::Python => {
                succeed(python(&["sdk-python/tools/generate.py", "--check"])?)?;
                let tests = [
                    "-m",
                    "unittest",
                    "discover",
                    "--start-directory",
                    "tests",
                    "--top-level-directory",
                    ".",
                ];
                let mut command = python(&tests)?;
                command.current_dir(root().join("sdk-python")).env("OPENSCIENCE_BIN", daemon()?);
                succeed(command)
            }
            Self::Typescript => {
                for arguments in [&["ci"][..], &["run", "generate:check"], &["run", "build"]] {
                    succeed(npm(arguments)?)?;
                }
                let mut command = npm(&["test"])?;
                command.env("OPENSCIENCE_BINARY", daemon()?);
                succeed(command)
            }
        }
    }
}

/// The daemon that earlier steps have built.
fn daemon() -> anyhow::Result<PathBuf> {
    let daemon = root().join("target/debug/openscience");
    if daemon.exists() {
        return Ok(daemon);
    }
    bail!("there is no {} to test against: run `cargo build` first", daemon.display())
}

fn python(arguments: &[&str]) -> anyhow::Result<Command> {
    let found = PYTHONS.into_iter().find(|name| works(program(name, &["-c", IS_NEW_ENOUGH])));
    let Some(name) = found else { bail!("there is no Python 3.10 or newer: install one as python3") };
    let mut command = program(name, arguments);
    // Compiled files would lie among the sources.
    command.env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}

/// npm at work in the package.
fn npm(arguments: &[&str]) -> anyhow::Result<Command> {
    if !works(program("node", &["-e", IS_NODE_NEW_ENOUGH])) || !works(program("npm", &["--version"])) {
        bail!("there is no Node 20 or newer with npm: sdk-typescript cannot be checked without");
    }
    let mut command = program("npm", arguments);
    command.current_dir(root().join("sdk-typescript"));
    Ok(command)
}
