//! The `openscience` program: reads arguments, environment and configuration,
//! wires the crates together and turns signals into an orderly end.
//!
//! No rule about sessions lives here.

mod cli;
mod config;
mod environment;
mod output;
mod telemetry;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run(std::env::args_os().collect())
}
