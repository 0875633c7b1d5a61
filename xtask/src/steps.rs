//! What is checked, in which order, each step by itself or all of them.

use std::ffi::OsString;
use std::time::Instant;

use anyhow::Context as _;

use crate::run::{program, say, succeed, works};
use crate::sdk::Sdk;
use crate::{agents, openapi, tidy};

/// Tells tests that the real agents are missing on purpose.
const WITHOUT_AGENTS: &str = "OPENSCIENCE_TEST_WITHOUT_AGENTS";

/// One thing that must hold.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    Format,
    Lint,
    Document,
    Agents,
    Test { with_agents: bool },
    Openapi,
    Sdk(Sdk),
    Tidy,
}

impl Step {
    fn name(self) -> &'static str {
        match self {
            Self::Format => "fmt",
            Self::Lint => "clippy",
            Self::Document => "doc",
            Self::Agents => "agents",
            Self::Test { .. } => "test",
            Self::Openapi => "openapi",
            Self::Sdk(Sdk::Python) => "sdk python",
            Self::Sdk(Sdk::Typescript) => "sdk typescript",
            Self::Tidy => "tidy",
        }
    }

    /// Fails if it does not hold.
    pub(crate) fn run(self) -> anyhow::Result<()> {
        match self {
            Self::Format => succeed(program("cargo", &["fmt", "--all", "--check"])),
            Self::Lint => {
                let arguments =
                    ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
                succeed(program("cargo", &arguments))
            }
            Self::Document => {
                let arguments = ["doc", "--workspace", "--no-deps", "--document-private-items", "--locked"];
                let mut command = program("cargo", &arguments);
                command.env("RUSTDOCFLAGS", "-D warnings");
                succeed(command)
            }
            Self::Agents => agents::install(),
            Self::Test { with_agents } => test(with_agents),
            Self::Openapi => openapi::check(),
            Self::Sdk(sdk) => sdk.check(),
            Self::Tidy => tidy::check(),
        }
    }
}

/// Runs all steps; stops at the first that fails.
pub(crate) fn all(with_agents: bool) -> anyhow::Result<()> {
    let steps = [
        Some(Step::Format),
        Some(Step::Lint),
        Some(Step::Document),
        with_agents.then_some(Step::Agents),
        Some(Step::Test { with_agents }),
        Some(Step::Openapi),
        Some(Step::Sdk(Sdk::Python)),
        Some(Step::Sdk(Sdk::Typescript)),
        Some(Step::Tidy),
    ];
    for step in steps.into_iter().flatten() {
        let name = step.name();
        say(format_args!("== {name}"));
        let began = Instant::now();
        step.run().with_context(|| format!("step {name} failed; alone: cargo xtask {name}"))?;
        say(format_args!("== {name} holds ({} s)", began.elapsed().as_secs()));
    }
    Ok(())
}

fn test(with_agents: bool) -> anyhow::Result<()> {
    let has_nextest = works(program("cargo", &["nextest", "--version"]));
    let tests: &[&str] = if has_nextest {
        &["nextest", "run", "--workspace", "--locked"]
    } else {
        &["test", "--workspace", "--all-targets", "--locked"]
    };
    for arguments in [tests, &["test", "--workspace", "--doc", "--locked"]] {
        let mut command = program("cargo", arguments);
        if !with_agents {
            command.env(WITHOUT_AGENTS, "1");
        }
        succeed(command)?;
    }
    Ok(())
}

/// Runs the benchmarks, which are a workspace of their own.
pub(crate) fn bench(arguments: Vec<OsString>) -> anyhow::Result<()> {
    let mut command = program("cargo", &["run", "--release", "--manifest-path", "bench/Cargo.toml", "--"]);
    command.args(arguments);
    succeed(command)
}
