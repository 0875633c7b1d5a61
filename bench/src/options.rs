//! What is to be run? The command line, read by hand: there is little of it.

use std::path::PathBuf;

use anyhow::{Context as _, bail};

pub(crate) const HELP: &str = "\
Compares the daemon with the limit server: the least program that does the same work.

  --rounds N     rounds of every case [default: 7, with --quick 3]
  --quick        fewer requests per round, for a first look
  --only TEXT    cases whose name holds this text; may be repeated
  --daemon PATH  the daemon to measure [default: built from this repository, release profile]
  --out DIR      where report.json and report.md go [default: target/report beside the benchmark]
";

/// A whole run, or one of the parts this program plays for itself.
#[derive(Debug)]
pub(crate) enum Task {
    Run(Options),
    Help,
    /// The limit server.
    LimitServer {
        port: u16,
        data: PathBuf,
    },
    /// An agent that reads and never says a word.
    StubAgent,
    /// So many lines of ACP updates on standard output.
    PipeSource(u64),
}

#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) rounds: usize,
    pub(crate) quick: bool,
    pub(crate) only: Vec<String>,
    pub(crate) daemon: Option<PathBuf>,
    pub(crate) out: PathBuf,
}

/// Reads the arguments after the program's name.
pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> anyhow::Result<Task> {
    let mut rounds = None;
    let mut options = Options {
        rounds: 0,
        quick: false,
        only: Vec::new(),
        daemon: None,
        out: PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("target/report"),
    };
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "limit-server" => {
                let port = value()?.parse()?;
                return Ok(Task::LimitServer { port, data: value()?.into() });
            }
            "stub-agent" => return Ok(Task::StubAgent),
            "pipe-source" => return Ok(Task::PipeSource(value()?.parse()?)),
            "--help" | "-h" => return Ok(Task::Help),
            "--rounds" => rounds = Some(value()?.parse().context("--rounds needs a number")?),
            "--quick" => options.quick = true,
            "--only" => options.only.push(value()?),
            "--daemon" => options.daemon = Some(value()?.into()),
            "--out" => options.out = value()?.into(),
            // What runners put between their own arguments and ours.
            "--" => {}
            other => bail!("unknown argument {other}\n\n{HELP}"),
        }
    }
    options.rounds = rounds.unwrap_or(if options.quick { 3 } else { 7 });
    if options.rounds == 0 {
        bail!("--rounds must be at least 1");
    }
    Ok(Task::Run(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(line: &str) -> anyhow::Result<Task> {
        parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_quick_run_has_fewer_rounds_unless_told_how_many() {
        let rounds = |line| match parsed(line).unwrap() {
            Task::Run(options) => options.rounds,
            other => panic!("{other:?}"),
        };
        assert_eq!(rounds(""), 7);
        assert_eq!(rounds("--quick"), 3);
        assert_eq!(rounds("--rounds 5 --quick"), 5);
    }

    #[test]
    fn what_is_not_known_is_refused() {
        assert!(parsed("--fast").is_err());
        assert!(parsed("--rounds 0").is_err());
        assert!(parsed("--out").is_err());
    }
}
