//! Does the Harbor adapter understand what the binary of this build tells?
//!
//! Its own tests do the work; they need an interpreter that has Harbor, which not every machine has.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use crate::support::{BINARY, Process, Serve, command, repository};

/// An interpreter that can import Harbor: the one that was named, the one beside the agents, or one on the path.
fn interpreter() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the tests' own switch")]
    if let Ok(named) = std::env::var("OPENSCIENCE_TEST_HARBOR_PYTHON") {
        assert!(has_harbor(Path::new(&named)), "{named} has no Harbor");
        return Some(named.into());
    }
    let installed = repository().join(".agents/harbor/bin/python");
    let candidates = [installed, "python3.13".into(), "python3.12".into()];
    candidates.into_iter().find(|candidate| has_harbor(candidate))
}

fn has_harbor(python: &Path) -> bool {
    let mut probe = command(python);
    probe.args(["-c", "import harbor"]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    probe.into_std().status().is_ok_and(|status| status.success())
}

#[tokio::test]
async fn the_harbor_adapter_runs_the_binary_and_writes_trajectories_that_harbor_reads() {
    let Some(python) = interpreter() else {
        println!("left out: no interpreter has Harbor, see tooling/harbor/README.md");
        return;
    };
    let adapter = repository().join("tooling/harbor");
    let serve = Serve::new();
    let mut env = serve.environment();
    env.extend([
        ("PYTHONPATH".to_owned(), adapter.join("src").display().to_string()),
        ("PYTHONDONTWRITEBYTECODE".to_owned(), "1".to_owned()),
        ("OPENSCIENCE_BINARY".to_owned(), BINARY.to_owned()),
    ]);
    let tests = adapter.join("tests").display().to_string();
    let args = ["-m", "unittest", "discover", &tests].map(str::to_owned);
    let mut process = Process::start(&serve.world, &python, &args, &env, &serve.world.project());
    let status = process.end(Duration::from_secs(50)).await;
    assert!(status.success(), "{}", process.stderr());
    assert!(process.stderr().contains("OK"), "{}", process.stderr());
}
