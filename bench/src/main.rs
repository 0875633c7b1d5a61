//! The benchmark: the daemon beside a server that does only what cannot be left out.
//!
//! Both run on the same machine within the same seconds, round by round, and only
//! their ratio is judged: milliseconds say more about the machine than about us.
//! `docs/benchmarks.md` tells the method.

mod bench;
mod cases;
mod daemon;
mod fan_out;
mod limit_server;
mod limit_store;
mod load;
mod options;
mod pipe;
mod probe;
mod report;
mod rss;
mod sse;
mod stats;
mod subject;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::bench::{Bench, Sizes, Starter};
use crate::cases::{ALL, Case, Kind};
use crate::options::{HELP, Options, Task};
use crate::report::{Report, Round, Series};
use crate::subject::Program;

fn main() -> anyhow::Result<()> {
    let task = options::parse(std::env::args().skip(1))?;
    let runtime = || tokio::runtime::Builder::new_multi_thread().enable_all().build();
    match task {
        Task::Help => print!("{HELP}"),
        Task::LimitServer { port, data } => runtime()?.block_on(limit_server::serve(port, &data))?,
        Task::StubAgent => {
            std::io::copy(&mut std::io::stdin(), &mut std::io::sink())?;
        }
        Task::PipeSource(count) => pipe::produce(count)?,
        Task::Run(options) => {
            let report = runtime()?.block_on(run(&options))?;
            print!("{}", report.write(&options.out)?);
            eprintln!("written to {}", options.out.display());
        }
    }
    Ok(())
}

/// A thousand streams take more descriptors than a program may usually have.
fn raise_descriptor_limit() -> anyhow::Result<()> {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    setrlimit(Resource::Nofile, limit).context("the limit of open files cannot be raised")
}

async fn run(options: &Options) -> anyhow::Result<Report> {
    raise_descriptor_limit()?;
    let daemon = match &options.daemon {
        Some(path) => path.canonicalize().context("there is no such daemon")?,
        None => build_daemon()?,
    };
    let version = version(&daemon)?;
    let cases: Vec<Case> = ALL.iter().filter(|case| is_wanted(case, &options.only)).copied().collect();
    ensure!(!cases.is_empty(), "no case is called {}", options.only.join(" or "));
    let sizes = if options.quick { Sizes::QUICK } else { Sizes::FULL };
    let scratch = tempfile::Builder::new().prefix("openscience-bench-").tempdir()?;
    let limit = Starter::prepare(Program::Limit, scratch.path().join("start-limit"))?;
    let ours = Starter::prepare(Program::Daemon { path: daemon.clone() }, scratch.path().join("start-ours"))?;
    let filled = if cases.iter().any(|case| case.kind == Kind::Restart) {
        let limit = Starter::prepare(Program::Limit, scratch.path().join("filled-limit"))?;
        let ours = Starter::prepare(Program::Daemon { path: daemon }, scratch.path().join("filled-ours"))?;
        let client = load::client()?;
        limit.fill(&client).await?;
        ours.fill(&client).await?;
        Some((limit, ours))
    } else {
        None
    };
    let filled = filled.as_ref().map(|(limit, ours)| (limit, ours));

    let mut series: Vec<Series> = cases.into_iter().map(|case| Series { case, rounds: Vec::new() }).collect();
    for number in 1..=options.rounds {
        let data = scratch.path().join(format!("round-{number}"));
        let bench = Bench::start((&limit, &ours), filled, &data, sizes).await?;
        for Series { case, rounds } in &mut series {
            eprintln!("round {number} of {}: {}", options.rounds, case.name);
            let round = measure(&bench, *case, &data).await;
            rounds.push(round.with_context(|| format!("case {} failed", case.name))?);
        }
        drop(bench);
        std::fs::remove_dir_all(&data)?;
    }
    Ok(Report {
        daemon: version,
        quick: options.quick,
        processors: std::thread::available_parallelism().map_or(0, usize::from),
        rows: report::rows(&series),
        series,
    })
}

fn is_wanted(case: &Case, only: &[String]) -> bool {
    only.is_empty() || only.iter().any(|word| case.name.contains(word.as_str()))
}

/// The limit server, then ours, between two looks at the disk.
async fn measure(bench: &Bench<'_>, case: Case, data: &Path) -> anyhow::Result<Round> {
    let before = probe::sync_ms(data)?;
    let limit = bench.limit(case.kind).await.context("limit server")?;
    let ours = bench.ours(case.kind).await.context("daemon")?;
    let sync_ms = [before, probe::sync_ms(data)?];
    Ok(Round { limit, ours, sync_ms, load_average: probe::load_average() })
}

/// Builds the daemon of this repository as it is.
fn build_daemon() -> anyhow::Result<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the benchmark has no repository")?;
    let arguments = ["build", "--release", "--locked", "-p", "openscience"];
    let status = Command::new("cargo").args(arguments).current_dir(root).status()?;
    ensure!(status.success(), "the daemon could not be built");
    Ok(root.join("target/release/openscience"))
}

fn version(daemon: &Path) -> anyhow::Result<String> {
    let output = Command::new(daemon).arg("--version").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
