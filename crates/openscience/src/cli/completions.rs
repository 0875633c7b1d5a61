//! What a shell needs to complete our command lines.

use std::process::ExitCode;

use clap_complete::Shell;

use crate::output;

const EXAMPLES: &str = "\
Examples:
  source <(openscience completions bash)
  openscience completions zsh > ~/.zfunc/_openscience
  openscience completions fish > ~/.config/fish/completions/openscience.fish";

/// Print completions for a shell.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    shell: Shell,
}

pub(super) fn run(args: &Args, mut command: clap::Command) -> ExitCode {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut command, "openscience", &mut script);
    super::exit_code(output::answer(&String::from_utf8_lossy(&script)))
}
