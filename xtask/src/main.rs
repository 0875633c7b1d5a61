//! `cargo xtask`: everything that must hold before a change is merged, and the
//! tools that keep generated files true. `cargo xtask ci` is exactly what CI runs.
//!
//! It changes nothing but generated files.

mod agents;
mod openapi;
mod run;
mod sdk;
mod steps;
mod tidy;

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Context as _, bail};

use crate::sdk::Sdk;
use crate::steps::Step;

const USAGE: &str = "\
usage: cargo xtask <command>

  ci [--without-agents]    every step below, in this order
  fmt                      formatting
  clippy                   lints, all targets, warnings are errors
  doc                      documentation, private items too, warnings are errors
  agents                   install the real agents that tests drive, if they are missing
  test [--without-agents]  tests, then documentation tests
  openapi [--check]        write openapi/openscience.json, or only compare
  tidy                     borders between crates, reachable files, documents, dependencies
  sdk python [--write]     the Python package: generated files and tests; or write what is generated
  sdk typescript [--write] the same of the TypeScript package, which is installed and built first
  bench [ARGS]             the benchmarks, in release
";

fn main() -> ExitCode {
    match dispatch(std::env::args_os().skip(1).collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            run::say(format_args!("xtask: {error:#}"));
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: Vec<OsString>) -> anyhow::Result<()> {
    let mut arguments = arguments.into_iter();
    let command = arguments.next().with_context(|| USAGE.to_owned())?;
    if command == "bench" {
        return steps::bench(arguments.collect());
    }
    let flags: Vec<String> = arguments
        .map(|flag| flag.into_string().map_err(|flag| anyhow::anyhow!("{} is not a flag", flag.display())))
        .collect::<anyhow::Result<_>>()?;
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    match (command.to_str(), flags.as_slice()) {
        (Some("ci"), []) => steps::all(true),
        (Some("ci"), ["--without-agents"]) => steps::all(false),
        (Some("fmt"), []) => Step::Format.run(),
        (Some("clippy"), []) => Step::Lint.run(),
        (Some("doc"), []) => Step::Document.run(),
        (Some("agents"), []) => Step::Agents.run(),
        (Some("test"), []) => Step::Test { with_agents: true }.run(),
        (Some("test"), ["--without-agents"]) => Step::Test { with_agents: false }.run(),
        (Some("openapi"), []) => openapi::write(),
        (Some("openapi"), ["--check"]) => Step::Openapi.run(),
        (Some("sdk"), ["python"]) => Step::Sdk(Sdk::Python).run(),
        (Some("sdk"), ["python", "--write"]) => Sdk::Python.write(),
        (Some("sdk"), ["typescript"]) => Step::Sdk(Sdk::Typescript).run(),
        (Some("sdk"), ["typescript", "--write"]) => Sdk::Typescript.write(),
        (Some("tidy"), []) => Step::Tidy.run(),
        _ => bail!("{USAGE}"),
    }
}
