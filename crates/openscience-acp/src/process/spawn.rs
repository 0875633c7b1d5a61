//! Starting agents, all from one thread.
//!
//! The parent-death signal is bound to the *thread* that forked, so that
//! thread must live as long as the process.

use std::io;
use std::process::Stdio;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::orphans::spawn_owned;
use super::tree::{MARK_VARIABLE, Tree};
use crate::error::AgentError;
use crate::launch::Launch;

/// An agent process and its pipes.
#[derive(Debug)]
pub(crate) struct Spawned {
    pub(crate) child: Child,
    pub(crate) tree: Arc<Tree>,
    pub(crate) stdin: ChildStdin,
    pub(crate) stdout: ChildStdout,
    pub(crate) stderr: ChildStderr,
}

struct Job {
    command: Command,
    mark: String,
    /// The runtime that will wait for the child.
    runtime: Handle,
    reply: oneshot::Sender<io::Result<Spawned>>,
}

/// The way to the spawning thread; made on first use. A lock and not an actor: it guards only
/// whether the thread was started.
static SPAWNER: Mutex<Option<SyncSender<Job>>> = Mutex::new(None);

/// Agents that may wait to be started; far above the limit of connections.
const QUEUE: usize = 1_024;

/// Starts the agent.
pub(crate) async fn spawn(launch: &Launch) -> Result<Spawned, AgentError> {
    if !launch.cwd.is_dir() {
        return Err(AgentError::DirectoryMissing);
    }
    let command = command(launch)?;
    let (reply, spawned) = oneshot::channel();
    let job = Job { command, mark: launch.mark.clone(), runtime: Handle::current(), reply };
    send(job).map_err(AgentError::Spawn)?;
    match spawned.await {
        Ok(result) => result.map_err(AgentError::Spawn),
        Err(_) => Err(AgentError::Spawn(io::Error::other("the spawning thread is gone"))),
    }
}

fn command(launch: &Launch) -> Result<Command, AgentError> {
    let program = launch.resolve()?;
    #[expect(clippy::disallowed_methods, reason = "this crate starts processes")]
    let mut command = Command::new(launch.exec_child.as_ref().unwrap_or(&program));
    if launch.exec_child.is_some() {
        command.arg("exec-child").arg(std::process::id().to_string()).arg("--").arg(&program);
    }
    command
        .args(&launch.args)
        .env_clear()
        .envs(launch.base_env.iter().map(|(name, value)| (name, value)))
        .envs(&launch.env)
        .env(MARK_VARIABLE, &launch.mark)
        .current_dir(&launch.cwd)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .process_group(0);
    Ok(command)
}

fn send(job: Job) -> io::Result<()> {
    let mut spawner = SPAWNER.lock().unwrap_or_else(PoisonError::into_inner);
    let sender = if let Some(sender) = &*spawner {
        sender
    } else {
        let (sender, jobs) = sync_channel::<Job>(QUEUE);
        std::thread::Builder::new().name("agent-spawner".to_owned()).spawn(move || {
            for job in jobs {
                run(job);
            }
        })?;
        spawner.insert(sender)
    };
    sender.try_send(job).map_err(|_| io::Error::from(io::ErrorKind::WouldBlock))
}

fn run(mut job: Job) {
    let _runtime = job.runtime.enter();
    let result = spawn_owned(&mut job.command).and_then(|(child, pid)| adopt(child, pid, job.mark));
    if let Err(Ok(unwanted)) = job.reply.send(result) {
        // Nobody waits any more.
        unwanted.tree.kill();
    }
}

fn adopt(mut child: Child, pid: i32, mark: String) -> io::Result<Spawned> {
    let tree = Arc::new(Tree::new(pid, mark));
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        tree.kill();
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    Ok(Spawned { child, tree, stdin, stdout, stderr })
}
