//! The description of the HTTP interface, as JSON.

use std::process::ExitCode;

use crate::output;

/// Print the OpenAPI document of the HTTP interface.
#[derive(Debug, clap::Args)]
pub(super) struct Args {}

pub(super) fn run() -> ExitCode {
    super::exit_code(output::answer(&openscience_server::openapi()))
}
