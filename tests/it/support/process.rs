//! How are processes started, watched and ended from the outside?

use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::process::{Child, Command};

use super::wait::within;
use super::world::World;

/// A started program whose output goes to files. Killed when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pub(crate) pid: i32,
    stdout: PathBuf,
    stderr: PathBuf,
    _world: Arc<World>,
}

impl Process {
    /// Starts `program` with exactly this environment.
    pub(crate) fn start(
        world: &Arc<World>,
        program: &Path,
        args: &[String],
        env: &[(String, String)],
        cwd: &Path,
    ) -> Self {
        Self::fed(world, program, args, env, cwd, Stdio::null())
    }

    /// The same, with something to read on its standard input.
    pub(crate) fn fed(
        world: &Arc<World>,
        program: &Path,
        args: &[String],
        env: &[(String, String)],
        cwd: &Path,
        stdin: Stdio,
    ) -> Self {
        let (stdout, stderr) = world.outputs();
        let file = |path: &Path| Stdio::from(File::create(path).expect("output file"));
        let child = command(program)
            .args(args)
            .env_clear()
            .envs(env.iter().map(|(key, value)| (key, value)))
            .current_dir(cwd)
            .stdin(stdin)
            .stdout(file(&stdout))
            .stderr(file(&stderr))
            .kill_on_drop(true)
            .spawn()
            .unwrap_or_else(|error| panic!("{} does not start: {error}", program.display()));
        let pid = child.id().and_then(|id| i32::try_from(id).ok()).expect("a pid");
        Self { child, pid, stdout, stderr, _world: Arc::clone(world) }
    }

    pub(crate) fn stdout(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.stdout).unwrap_or_default()).into_owned()
    }

    pub(crate) fn stderr(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(&self.stderr).unwrap_or_default()).into_owned()
    }

    /// The exit status, if it has ended.
    pub(crate) fn ended(&mut self) -> Option<ExitStatus> {
        self.child.try_wait().expect("status of a child")
    }

    /// Waits for the end.
    pub(crate) async fn end(&mut self, limit: Duration) -> ExitStatus {
        within(limit, "the process ends", async || self.ended()).await
    }
}

/// The one place of these tests that builds a command.
#[expect(clippy::disallowed_methods, reason = "the tests start the daemon from the outside")]
pub(crate) fn command(program: &Path) -> Command {
    Command::new(program)
}

/// Sends a signal; fine if the process is gone.
pub(crate) fn signal(pid: i32, signal: Signal) {
    let pid = Pid::from_raw(pid).expect("a positive pid");
    match kill_process(pid, signal) {
        Ok(()) | Err(rustix::io::Errno::SRCH) => {}
        Err(error) => panic!("cannot signal {pid:?}: {error}"),
    }
}

/// Ends a process the hard way.
pub(crate) fn kill(pid: i32) {
    signal(pid, Signal::KILL);
}

/// True while the process exists and is no zombie.
pub(crate) fn alive(pid: i32) -> bool {
    let Ok(stat) = std::fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with(['Z', 'X']))
}

/// All living processes whose environment names `mark`.
pub(crate) fn marked_by(mark: &Path) -> Vec<i32> {
    let mark = mark.to_str().expect("a text path").as_bytes();
    let entries = std::fs::read_dir("/proc").expect("/proc");
    entries
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            let environment = std::fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.windows(mark.len()).any(|window| window == mark) && alive(*pid)
        })
        .collect()
}
