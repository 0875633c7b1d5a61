//! What did an agent really receive from the daemon?
//!
//! Configures `tests/agents/scripted_agent.py`, which is strict and keeps a log.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::process::command;
use super::world::{World, repository};

static PYTHON: OnceLock<PathBuf> = OnceLock::new();

/// The real interpreter behind `python3`, whatever wrapper stands on the path.
pub(crate) fn python() -> &'static Path {
    PYTHON.get_or_init(|| {
        let mut probe = command(Path::new("python3"));
        probe.args(["-c", "import sys; print(sys.executable)"]).stdin(Stdio::null());
        let output = probe.into_std().output().expect("python3 must be installed to run these tests");
        String::from_utf8(output.stdout).expect("a path").trim().into()
    })
}

/// The scripted agent as configuration, and its log.
pub(crate) fn scripted(world: &World, args: &[&str]) -> (Value, Log) {
    let log = Log(world.root().join("agent.log"));
    let script = repository().join("tests/agents/scripted_agent.py");
    let mut all = vec![script.display().to_string(), "--log".to_owned(), log.0.display().to_string()];
    all.extend(args.iter().map(|&arg| arg.to_owned()));
    let agent = json!({"command": python(), "args": all});
    (json!({"agents": {"scripted": agent}, "defaultAgent": "scripted"}), log)
}

/// What the scripted agent received.
#[derive(Debug)]
pub(crate) struct Log(PathBuf);

impl Log {
    pub(crate) fn entries(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(&self.0).unwrap_or_default();
        let entries = text.lines().map(|line| serde_json::from_str(line).expect("a JSON line"));
        let entries: Vec<Value> = entries.collect();
        for entry in &entries {
            assert_eq!(entry.get("violation"), None, "the agent was spoken to wrongly");
        }
        entries
    }

    /// Received requests and notifications of this method.
    pub(crate) fn received(&self, method: &str) -> Vec<Value> {
        self.entries().into_iter().filter(|entry| entry["method"] == method).collect()
    }
}
