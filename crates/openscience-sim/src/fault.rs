//! How does an agent go wrong outside the protocol?
//!
//! Noise on its streams, processes it leaves behind, signals it does not heed,
//! and its own end.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex as StdMutex, PoisonError};

use tokio::io::{AsyncWrite, AsyncWriteExt as _};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::{Mutex, mpsc};

use crate::directive::Directive;
use crate::turn::Turn;
use crate::wire::Out;

/// Lines that no client can read as a message; only broken ones, so that what
/// follows is still in frame.
const GARBAGE: &[u8] = b"Loaded cached credentials.\n\
    \x1b[1;31m*** banner ***\x1b[0m\n\
    \n\
    \r\n\
    a line that ends like on Windows\r\n\
    invalid UTF-8: \xff\xfe\xc3\x28\n\
    {\"jsonrpc\":\"2.0\",\"method\":\"session/up\n\
    [1,2,3]\n\
    null\n\
    {\"hello\":\"world\"}\n";

/// The process around the connection.
#[derive(Clone)]
pub(crate) struct Host {
    exits: mpsc::Sender<i32>,
    stays_at_eof: Arc<AtomicBool>,
    /// Faults that wait for the next request of a method.
    waiting: Arc<StdMutex<HashMap<String, Directive>>>,
    /// Held for one directive, so that lines of two sessions do not mix.
    stderr: Arc<Mutex<dyn AsyncWrite + Send + Unpin>>,
}

impl fmt::Debug for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Host").field("stays_at_eof", &self.stays_at_eof).finish_non_exhaustive()
    }
}

impl Host {
    /// Also answers the receiving end of [`Host::exit`].
    pub(crate) fn new(stderr: impl AsyncWrite + Send + Unpin + 'static) -> (Self, mpsc::Receiver<i32>) {
        let (exits, codes) = mpsc::channel(1);
        let stderr = Arc::new(Mutex::new(stderr));
        (Self { exits, stays_at_eof: Arc::default(), waiting: Arc::default(), stderr }, codes)
    }

    /// Ends the process; what was sent before still goes out.
    pub(crate) fn exit(&self, code: u8) {
        // Full or closed: the process is ending already.
        self.exits.try_send(code.into()).ok();
    }

    /// Keeps a fault for the next request of `method`.
    pub(crate) fn expect(&self, method: &str, fault: Directive) {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(method.to_owned(), fault);
    }

    /// The fault this request of `method` meets.
    pub(crate) fn met(&self, method: &str) -> Option<Directive> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner).remove(method)
    }

    pub(crate) fn ignore_eof(&self) {
        self.stays_at_eof.store(true, Ordering::Relaxed);
    }

    pub(crate) fn stays_at_eof(&self) -> bool {
        self.stays_at_eof.load(Ordering::Relaxed)
    }

    pub(crate) async fn stderr_lines(&self, lines: u64) -> io::Result<()> {
        let mut stderr = self.stderr.lock().await;
        for line in 1..=lines {
            stderr.write_all(format!("stderr line {line}\n").as_bytes()).await?;
        }
        stderr.flush().await
    }
}

impl Turn {
    pub(crate) async fn garbage(&self) -> io::Result<()> {
        self.report.outbox().send(Out::Lines(GARBAGE.to_owned())).await
    }

    /// Takes SIGTERM over for good: the handler stays when its stream is dropped.
    pub(crate) async fn ignore_term(&self) -> io::Result<()> {
        match signal(SignalKind::terminate()) {
            Ok(_) => Ok(()),
            Err(_) => self.report.say("SIGTERM could not be ignored").await,
        }
    }

    /// Leaves a process behind that nothing here waits for or ends.
    pub(crate) async fn spawn(&self, detached: bool, holding: bool) -> io::Result<()> {
        #[expect(clippy::disallowed_methods, reason = "a process that nobody looks after is the fault shown")]
        let mut command = std::process::Command::new("sleep");
        command.arg("600").stdin(Stdio::null()).stderr(Stdio::null());
        command.stdout(if holding { Stdio::inherit() } else { Stdio::null() });
        if detached {
            command.process_group(0);
        }
        match command.spawn() {
            Ok(child) => self.report.say(&format!("spawned {}", child.id())).await,
            Err(error) => self.report.say(&format!("nothing spawned: {}", error.kind())).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncReadExt as _;

    use super::Host;

    #[tokio::test]
    async fn stderr_lines_are_numbered() {
        let (stderr, mut seen) = tokio::io::duplex(1024);
        let (host, _exits) = Host::new(stderr);

        host.stderr_lines(2).await.unwrap();
        drop(host);

        let mut text = String::new();
        seen.read_to_string(&mut text).await.unwrap();
        assert_eq!(text, "stderr line 1\nstderr line 2\n");
    }
}
