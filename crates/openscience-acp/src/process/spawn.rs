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
    reply: oneshot::Sender<io::Result<(Child, Arc<Tree>)>>,
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
    let (child, tree) = start(command, launch.mark.clone()).await.map_err(AgentError::Spawn)?;
    adopt(child, tree).map_err(AgentError::Spawn)
}

/// Starts a process that leads a group of its own and carries `mark`. Whoever gets it waits for it and then
/// disowns it.
pub(crate) async fn start(command: Command, mark: String) -> io::Result<(Child, Arc<Tree>)> {
    let (reply, started) = oneshot::channel();
    send(Job { command, mark, runtime: Handle::current(), reply })?;
    started.await.unwrap_or_else(|_| Err(io::Error::other("the spawning thread is gone")))
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

fn run(job: Job) {
    let Job { mut command, mark, runtime, reply } = job;
    let _runtime = runtime.enter();
    let result = spawn_owned(&mut command).map(|(child, pid)| (child, Arc::new(Tree::new(pid, mark))));
    // It may hold the other end of a pipe that is read to its end.
    drop(command);
    if let Err(Ok((_, unwanted))) = reply.send(result) {
        // Nobody waits any more.
        unwanted.kill();
    }
}

fn adopt(mut child: Child, tree: Arc<Tree>) -> io::Result<Spawned> {
    let (Some(stdin), Some(stdout), Some(stderr)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        tree.kill();
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    Ok(Spawned { child, tree, stdin, stdout, stderr })
}
