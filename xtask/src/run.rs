//! Starting programs, and where the repository is.

use std::fmt::Display;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail};

/// The root of the repository: this crate's parent when it was built.
pub(crate) fn root() -> &'static Path {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.parent().unwrap_or(own)
}

/// Says one line to whoever runs this.
pub(crate) fn say(line: impl Display) {
    drop(writeln!(std::io::stderr().lock(), "{line}"));
}

/// A program that runs in the root of the repository.
pub(crate) fn program(name: &str, arguments: &[&str]) -> Command {
    #[expect(clippy::disallowed_methods, reason = "a tool of developers, not the daemon")]
    let mut command = Command::new(name);
    command.args(arguments).current_dir(root());
    command
}

/// Runs a program and fails if it does.
pub(crate) fn succeed(mut command: Command) -> anyhow::Result<()> {
    let words = words(&command);
    let status = command.status().with_context(|| format!("could not start {words}"))?;
    if status.success() { Ok(()) } else { bail!("{words}: {status}") }
}

/// What a program writes to standard output.
pub(crate) fn output(mut command: Command) -> anyhow::Result<String> {
    let words = words(&command);
    let output = command.stderr(Stdio::inherit()).output();
    let output = output.with_context(|| format!("could not start {words}"))?;
    if !output.status.success() {
        bail!("{words}: {}", output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{words}: not text"))
}

/// True if a program can be started and succeeds, without a word.
pub(crate) fn works(mut command: Command) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    silent.status().is_ok_and(|status| status.success())
}

fn words(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
