//! A server under test: the daemon or the limit server, started, watched, ended.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};

use crate::rss;

/// Longer than any start that is worth measuring.
const START_MAX: Duration = Duration::from_secs(20);
/// A server that accepts before it can answer must not hold the probe up.
const ANSWER_MAX: Duration = Duration::from_millis(500);
const POLL: Duration = Duration::from_micros(500);
/// What an orderly end may take.
const END_MAX: Duration = Duration::from_secs(10);

/// A program that can be started as a server.
#[derive(Debug, Clone)]
pub(crate) enum Program {
    Limit,
    Daemon { path: PathBuf },
}

/// A running server.
#[derive(Debug)]
pub(crate) struct Subject {
    child: Child,
    pub(crate) address: SocketAddr,
    /// From its start to the first 200.
    pub(crate) started_in: Duration,
}

impl Program {
    fn command(&self, port: u16, data: &Path) -> anyhow::Result<Command> {
        let own = std::env::current_exe()?;
        let mut command = match self {
            Self::Limit => {
                let mut command = Command::new(own);
                command.arg("limit-server").arg(port.to_string()).arg(data);
                command
            }
            Self::Daemon { path } => {
                let mut command = Command::new(path);
                command
                    .arg("serve")
                    .args(["--port", &port.to_string()])
                    .arg("--data-dir")
                    .arg(data.join("root"));
                command.env("OPENSCIENCE_CONFIG_DIR", data).env("OPENSCIENCE_DISABLE_PROJECT_CONFIG", "1");
                command.env("OPENSCIENCE_CONFIG_CONTENT", configuration(&own));
                command
            }
        };
        command.current_dir(data).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(std::fs::File::create(data.join("stderr"))?);
        Ok(command)
    }

    fn first_page(&self) -> &'static str {
        match self {
            Self::Limit => "/health",
            Self::Daemon { .. } => "/runtime/capabilities",
        }
    }

    /// Starts it on a free port and waits until it answers.
    pub(crate) fn start(&self, data: &Path) -> anyhow::Result<Subject> {
        let address = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut command = self.command(address.port(), data)?;
        let began = Instant::now();
        let mut child = command.spawn().with_context(|| format!("could not start {command:?}"))?;
        while !answers(address, self.first_page()) {
            if child.try_wait()?.is_some() || began.elapsed() > START_MAX {
                child.kill().ok();
                let said = std::fs::read_to_string(data.join("stderr")).unwrap_or_default();
                bail!("{self:?} did not start: {said}");
            }
            std::thread::sleep(POLL);
        }
        Ok(Subject { child, address, started_in: began.elapsed() })
    }
}

/// The agents and the bounds of a daemon that is measured.
fn configuration(own: &Path) -> String {
    serde_json::json!({
        "defaultAgent": "sim",
        "agents": {"stub": {"command": own, "args": ["stub-agent"]}},
        // The stub keeps runs waiting; a case has more of them than a user's default allows.
        "limits": {"maxSessions": 100_000, "startTimeoutMs": 600_000},
    })
    .to_string()
}

fn answers(address: SocketAddr, path: &str) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut socket = TcpStream::connect(address)?;
        socket.set_read_timeout(Some(ANSWER_MAX))?;
        write!(socket, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n")?;
        let mut status = [0; 12];
        socket.read_exact(&mut status)?;
        Ok(&status == b"HTTP/1.1 200")
    };
    ask().unwrap_or(false)
}

impl Subject {
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// Memory of it and its children, in MiB.
    pub(crate) fn resident_mib(&self) -> f64 {
        rss::tree_mib(self.child.id())
    }

    /// Processor time it has taken so far, in milliseconds.
    pub(crate) fn cpu_ms(&self) -> f64 {
        rss::cpu_ms(self.child.id())
    }

    /// Asks it to end and waits; its data can be used again.
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM)?;
        let began = Instant::now();
        while self.child.try_wait()?.is_none() {
            if began.elapsed() > END_MAX {
                bail!("a server did not end");
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        Ok(())
    }
}

impl Drop for Subject {
    /// Its data is thrown away, so there is nothing to wait for.
    fn drop(&mut self) {
        self.child.kill().ok();
        self.child.wait().ok();
    }
}
