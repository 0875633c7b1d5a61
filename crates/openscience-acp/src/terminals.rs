//! Commands that run for an agent: started in a group of their own, their output kept by its end, and
//! ended with the session that wanted them.
//!
//! Whether a command may run is decided before it comes here.

mod life;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openscience_core::authority::Run;
use openscience_core::input::{TerminalExit, TerminalSeen, TerminalStage};
use openscience_protocol::SessionId;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::connection::Connection;
use crate::process::{Tree, start};
use crate::requests::Refused;
use crate::state::Shared;

/// Terminals of one session that were not released.
pub const TERMINALS_MAX: usize = 32;

/// Requests of an agent that may wait for one command.
const WAITING_MAX: usize = 64;

/// Output kept if the agent does not say how much, and the most it may ask for.
const OUTPUT_BYTES: usize = 1 << 20;

/// Output that is shown to people: it is written to the database with each look.
const SHOWN_BYTES: usize = 64 << 10;

/// What commands start with.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ground {
    pub(crate) base_env: Vec<(String, String)>,
    pub(crate) exec_child: Option<PathBuf>,
    /// What their marks start with; that of the agent.
    pub(crate) mark: String,
}

/// The terminals of one connection that were not released.
#[derive(Debug, Default)]
pub(crate) struct Terminals {
    held: HashMap<String, Arc<Terminal>>,
}

impl Terminals {
    pub(crate) fn find(&self, session: &str, id: &str) -> Option<Arc<Terminal>> {
        self.held.get(id).filter(|terminal| terminal.session == session).cloned()
    }

    /// Ends it and forgets it.
    pub(crate) fn release(&mut self, terminal: &Terminal) {
        self.held.remove(&terminal.id);
        terminal.kept().released = true;
        terminal.stop.cancel();
        terminal.let_go.cancel();
    }

    /// Ends what runs for a session, and forgets it if the session is gone.
    pub(crate) fn end(&mut self, session: &str, gone: bool) {
        for terminal in self.held.values().filter(|terminal| terminal.session == session) {
            terminal.stop();
            if gone {
                terminal.let_go.cancel();
            }
        }
        if gone {
            self.held.retain(|_, terminal| terminal.session != session);
        }
    }

    /// Forgets all; their processes are ended.
    pub(crate) fn clear(&mut self) {
        for (_, terminal) in self.held.drain() {
            terminal.stop();
            terminal.let_go.cancel();
        }
    }

    pub(crate) fn trees(&self) -> Vec<Arc<Tree>> {
        self.held.values().map(|terminal| Arc::clone(&terminal.tree)).collect()
    }

    fn count(&self, session: &str) -> usize {
        self.held.values().filter(|terminal| terminal.session == session).count()
    }
}

/// One command.
#[derive(Debug)]
pub(crate) struct Terminal {
    id: String,
    session: String,
    command: String,
    cwd: String,
    tree: Arc<Tree>,
    /// A lock and not an actor: an agent asks for the output while more of it is read.
    kept: Mutex<Kept>,
    over: watch::Sender<bool>,
    /// Somebody wants it to end.
    stop: CancellationToken,
    /// Nobody asks for it any more: what it left running goes too.
    let_go: CancellationToken,
    waiting: AtomicUsize,
}

#[derive(Debug)]
struct Kept {
    output: VecDeque<u8>,
    bytes_max: usize,
    truncated: bool,
    exit: Option<TerminalExit>,
    stop_requested: bool,
    released: bool,
}

impl Kept {
    fn push(&mut self, bytes: &[u8]) {
        self.output.extend(bytes);
        let surplus = self.output.len().saturating_sub(self.bytes_max);
        if surplus > 0 {
            self.output.drain(..surplus);
            self.truncated = true;
        }
    }

    /// The end of the output as text, at most so many bytes of it; and whether something is missing.
    fn text(&self, bytes_max: usize) -> (String, bool) {
        let skipped = self.output.len().saturating_sub(bytes_max);
        let bytes: Vec<u8> = self.output.iter().skip(skipped).copied().collect();
        let cut = self.truncated || skipped > 0;
        // Half a character at the front is dropped; one that is still being written shows as unreadable.
        let start =
            if cut { bytes.iter().take(3).take_while(|byte| (**byte & 0xc0) == 0x80).count() } else { 0 };
        (String::from_utf8_lossy(bytes.get(start..).unwrap_or_default()).into_owned(), cut)
    }
}

impl Terminal {
    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks it to end.
    pub(crate) fn stop(&self) {
        {
            let mut kept = self.kept();
            kept.stop_requested |= kept.exit.is_none();
        }
        self.stop.cancel();
    }

    /// The answer to `terminal/output`.
    pub(crate) fn output_answer(&self) -> Value {
        let kept = self.kept();
        let (output, truncated) = kept.text(usize::MAX);
        let mut answer = json!({"output": output, "truncated": truncated});
        if let Some(exit) = &kept.exit {
            answer["exitStatus"] = status(exit);
        }
        answer
    }

    /// The answer to `terminal/wait_for_exit`, if it has ended.
    pub(crate) fn exit_answer(&self) -> Option<Value> {
        self.kept().exit.as_ref().map(status)
    }

    /// The same once it has ended.
    pub(crate) async fn waited(&self) -> Value {
        self.ended().await;
        self.waiting.fetch_sub(1, Ordering::Relaxed);
        self.exit_answer().unwrap_or_else(|| json!({}))
    }

    /// Takes a place among those who wait; false if there is none.
    pub(crate) fn may_wait(&self) -> bool {
        let one_more = |waiting: usize| (waiting < WAITING_MAX).then_some(waiting + 1);
        self.waiting.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    async fn ended(&self) {
        // The sender lives in self, so waiting cannot fail.
        self.over.subscribe().wait_for(|over| *over).await.ok();
    }

    fn seen(&self) -> TerminalSeen {
        let kept = self.kept();
        let (output, truncated) = kept.text(SHOWN_BYTES);
        TerminalSeen {
            id: self.id.clone(),
            stage: if kept.released { TerminalStage::Released } else { TerminalStage::Held },
            command: self.command.clone(),
            cwd: self.cwd.clone(),
            output,
            truncated,
            exit: kept.exit.clone(),
            stop_requested: kept.stop_requested,
        }
    }
}

fn status(exit: &TerminalExit) -> Value {
    json!({"exitCode": exit.code, "signal": exit.signal})
}

/// A terminal of a session, for people who look at it.
#[derive(Debug, Clone)]
pub struct TerminalHandle {
    terminal: Arc<Terminal>,
    shared: Arc<Shared>,
}

impl TerminalHandle {
    /// How it stands.
    pub fn seen(&self) -> TerminalSeen {
        self.terminal.seen()
    }

    /// Resolves when its command has ended.
    pub async fn ended(&self) {
        self.terminal.ended().await;
    }

    /// Asks its command to end; it may still be asked for.
    pub fn kill(&self) {
        self.terminal.stop();
    }

    /// Ends its command and forgets it: the agent cannot ask for it any more.
    pub fn release(&self) {
        self.shared.lock().terminals.release(&self.terminal);
    }
}

impl Connection {
    /// Starts a command for a session in that directory, as terminal `id`. What becomes of it is told through
    /// the session's sink.
    pub async fn run(&self, session: &str, id: String, run: Run, cwd: &Path) -> Result<(), Refused> {
        let shared = &self.0.shared;
        let refused = |message: &str| Err(Refused::new(Refused::FAILED, message));
        if shared.lock().terminals.count(session) >= TERMINALS_MAX {
            return refused("the session has too many terminals: release some");
        }
        let mark = format!("{}.{id}", shared.ground.mark);
        let Some(mut command) = life::command(&shared.ground, &run, cwd, &mark) else {
            return refused("there is no such command");
        };
        let Ok(output) = life::capture(&mut command) else {
            return refused("the command could not be started");
        };
        let Ok((child, tree)) = start(command, mark).await else {
            return refused("the command could not be started");
        };
        let asked =
            run.output_bytes.map_or(OUTPUT_BYTES, |most| usize::try_from(most).unwrap_or(OUTPUT_BYTES));
        let terminal = Arc::new(Terminal {
            id,
            session: session.to_owned(),
            command: run.line(),
            cwd: cwd.to_string_lossy().into_owned(),
            tree,
            kept: Mutex::new(Kept {
                output: VecDeque::new(),
                bytes_max: asked.min(OUTPUT_BYTES),
                truncated: false,
                exit: None,
                stop_requested: false,
                released: false,
            }),
            over: watch::Sender::new(false),
            stop: CancellationToken::new(),
            let_go: CancellationToken::new(),
            waiting: AtomicUsize::new(0),
        });
        {
            let mut state = shared.lock();
            // The session or its agent went while the command was started.
            if state.closed || !state.routes.contains_key(session) {
                terminal.stop();
                terminal.let_go.cancel();
            } else {
                state.terminals.held.insert(terminal.id.clone(), Arc::clone(&terminal));
            }
        }
        life::tell_of(shared, &terminal, TerminalSeen { stage: TerminalStage::Started, ..terminal.seen() })
            .await;
        tokio::spawn(life::watch_over(Arc::clone(shared), terminal, child, output));
        Ok(())
    }

    /// A terminal that was not released, by our id of its session.
    pub fn terminal(&self, session: &SessionId, id: &str) -> Option<TerminalHandle> {
        let shared = &self.0.shared;
        let state = shared.lock();
        let of = |agent_session: &String| {
            state.routes.get(agent_session).is_some_and(|route| route.sink.session() == Some(session))
        };
        let terminal = state.terminals.held.get(id).filter(|terminal| of(&terminal.session))?;
        Some(TerminalHandle { terminal: Arc::clone(terminal), shared: Arc::clone(shared) })
    }

    /// Ids of the terminals of that session of ours that were not released.
    pub fn terminals(&self, session: &SessionId) -> Vec<String> {
        let state = self.0.shared.lock();
        let of = |terminal: &&Arc<Terminal>| {
            state.routes.get(&terminal.session).is_some_and(|route| route.sink.session() == Some(session))
        };
        state.terminals.held.values().filter(of).map(|terminal| terminal.id.clone()).collect()
    }

    /// Ends what runs for a session.
    pub fn end_terminals(&self, session: &str) {
        self.0.shared.lock().terminals.end(session, false);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(output: &str, bytes_max: usize) -> Kept {
        let mut kept = Kept {
            output: VecDeque::new(),
            bytes_max,
            truncated: false,
            exit: None,
            stop_requested: false,
            released: false,
        };
        for byte in output.as_bytes() {
            kept.push(std::slice::from_ref(byte));
        }
        kept
    }

    #[test]
    fn the_end_of_the_output_is_kept_from_a_character_on() {
        let check = |output: &str, bytes_max: usize, expected: (&str, bool)| {
            let (text, cut) = kept(output, bytes_max).text(usize::MAX);
            assert_eq!((text.as_str(), cut), expected, "{output} {bytes_max}");
        };
        check("hello", 5, ("hello", false));
        check("hello", 3, ("llo", true));
        check("aé€😀", 4, ("😀", true));
        check("aé€😀", 3, ("", true));
        check("aé€😀", 6, ("😀", true));
        check("aé€😀", 7, ("€😀", true));
        check("hello", 0, ("", true));
    }

    #[test]
    fn people_are_shown_less_and_told_so() {
        assert_eq!(kept("aé€", 100).text(3), ("€".to_owned(), true));
        assert_eq!(kept("aé€", 100).text(6), ("aé€".to_owned(), false));
    }
}
