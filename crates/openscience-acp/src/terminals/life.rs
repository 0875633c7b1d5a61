//! How a command lives: started, its output kept, brought to its end with all it started, and told of.

use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use openscience_core::authority::Run;
use openscience_core::input::{TerminalExit, TerminalSeen};
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::process::{Child, Command};
use tokio::task::spawn_blocking;
use tokio::time::{sleep, timeout};

use super::{Ground, Terminal};
use crate::connection::SessionEvent;
use crate::launch::find_program;
use crate::process::{MARK_VARIABLE, Tree, disown, kill_now};
use crate::state::{End, Shared};

/// From TERM to KILL when a command is stopped.
const GRACE: Duration = Duration::from_millis(500);

/// What a command that has ended left in its pipe is read for at most this long: others may hold it.
const DRAIN: Duration = Duration::from_millis(200);

/// The command as a process; none if there is no such program.
pub(super) fn command(ground: &Ground, run: &Run, cwd: &Path, mark: &str) -> Option<Command> {
    let path = run.env.iter().chain(&ground.base_env).find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.as_str());
    let (program, args) = match program(&run.command, cwd, path) {
        Some(program) => (program, run.args.clone()),
        // Other clients run a command in a shell, so some agents send a whole line.
        None if run.args.is_empty() && run.command.contains(char::is_whitespace) => {
            (PathBuf::from("/bin/sh"), vec!["-c".to_owned(), run.command.clone()])
        }
        None => return None,
    };
    #[expect(clippy::disallowed_methods, reason = "this crate starts processes")]
    let mut command = Command::new(ground.exec_child.as_ref().unwrap_or(&program));
    if ground.exec_child.is_some() {
        command.arg("exec-child").arg(std::process::id().to_string()).arg("--").arg(&program);
    }
    command
        .args(args)
        .env_clear()
        .envs(ground.base_env.iter().map(|(name, value)| (name, value)))
        .envs(run.env.iter().map(|(name, value)| (name, value)))
        .env(MARK_VARIABLE, mark)
        .current_dir(cwd)
        .stdin(Stdio::null())
        .process_group(0);
    Some(command)
}

fn program(name: &str, cwd: &Path, path: Option<&str>) -> Option<PathBuf> {
    if name.contains('/') {
        let program = cwd.join(name);
        return program.is_file().then_some(program);
    }
    find_program(Path::new(name), path)
}

/// One pipe for stdout and stderr, so that their order is kept.
pub(super) fn capture(command: &mut Command) -> std::io::Result<pipe::Receiver> {
    let (reader, writer) = std::io::pipe()?;
    command.stdout(writer.try_clone()?).stderr(writer);
    pipe::Receiver::from_owned_fd(reader.into())
}

/// Tells the session how the terminal stands.
async fn tell(shared: &Shared, terminal: &Terminal) {
    tell_of(shared, terminal, terminal.seen()).await;
}

pub(super) async fn tell_of(shared: &Shared, terminal: &Terminal, seen: TerminalSeen) {
    let sink = shared.lock().routes.get(&terminal.session).map(|route| route.sink.clone());
    let Some(sink) = sink else { return };
    let event = SessionEvent::Terminal(Box::new(seen));
    if let Some(room) = sink.reserve(&event).await {
        room.send(event);
    }
}

/// Keeps its output and waits for its end, or brings it about.
pub(super) async fn watch_over(
    shared: Arc<Shared>,
    terminal: Arc<Terminal>,
    mut child: Child,
    output: pipe::Receiver,
) {
    let reading = tokio::spawn(keep(Arc::clone(&terminal), output));
    let status = tokio::select! {
        status = child.wait() => status.ok(),
        () = wanted(&shared, &terminal) => {
            if terminal.stop.is_cancelled() {
                tell(&shared, &terminal).await;
            }
            end(&shared, &terminal, &mut child).await
        }
    };
    disown(terminal.tree.root());
    let mut reading = reading;
    // What it left running may write on.
    let drained = timeout(DRAIN, &mut reading).await.is_ok();
    let exit = how(status);
    // Told before the agent can learn of it: what it says then comes later.
    tell_of(&shared, &terminal, TerminalSeen { exit: Some(exit.clone()), ..terminal.seen() }).await;
    terminal.kept().exit = Some(exit);
    terminal.over.send_replace(true);
    tokio::select! {
        () = terminal.let_go.cancelled() => {}
        () = shared.gone.cancelled() => {}
        () = shared.asked(End::Stop) => {}
    }
    look(&terminal, kill_now).await;
    if !drained {
        reading.abort();
    }
    if terminal.kept().released {
        tell(&shared, &terminal).await;
    }
}

/// Resolves when it has to end.
async fn wanted(shared: &Shared, terminal: &Terminal) {
    tokio::select! {
        () = terminal.stop.cancelled() => {}
        () = terminal.let_go.cancelled() => {}
        () = shared.gone.cancelled() => {}
        () = shared.asked(End::Stop) => {}
    }
}

/// Ends it: asked first, unless the agent is killed too.
async fn end(shared: &Shared, terminal: &Terminal, child: &mut Child) -> Option<ExitStatus> {
    look(terminal, Tree::terminate).await;
    tokio::select! {
        status = child.wait() => return status.ok(),
        () = shared.asked(End::Kill) => {}
        () = sleep(GRACE) => {}
    }
    look(terminal, kill_now).await;
    child.wait().await.ok()
}

/// Reads `/proc`: not on an async thread.
async fn look(terminal: &Terminal, at: impl FnOnce(&Tree) + Send + 'static) {
    let tree = Arc::clone(&terminal.tree);
    // Fails only if the runtime is going down.
    spawn_blocking(move || at(&tree)).await.ok();
}

async fn keep(terminal: Arc<Terminal>, mut output: pipe::Receiver) {
    let mut buffer = vec![0; 8 << 10];
    // A pipe that cannot be read has nothing more to tell.
    while let Ok(read @ 1..) = output.read(&mut buffer).await {
        terminal.kept().push(buffer.get(..read).unwrap_or_default());
    }
}

fn how(status: Option<ExitStatus>) -> TerminalExit {
    TerminalExit {
        code: status.and_then(|status| status.code()).map(i64::from),
        signal: status.and_then(|status| status.signal()).map(name),
    }
}

/// A signal as agents know it.
fn name(signal: i32) -> String {
    const NAMES: [(i32, &str); 9] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (6, "SIGABRT"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (11, "SIGSEGV"),
        (13, "SIGPIPE"),
        (15, "SIGTERM"),
    ];
    let known = NAMES.iter().find(|(number, _)| *number == signal);
    known.map_or_else(|| signal.to_string(), |(_, name)| (*name).to_owned())
}
