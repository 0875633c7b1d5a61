//! How is codex-acp set up so that its model is ours?

use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;

use serde_json::json;

use crate::support::{Daemon, Process, Serve, eventually, python, repository};

/// Names the agent by its place under `.agents`, where the test command installs it.
const PROGRAM: &str = ".agents/codex/node_modules/@zed-industries/codex-acp-linux-x64/bin/codex-acp";
const INSTALL: &str =
    "npm install --prefix .agents/codex --no-audit --no-fund @zed-industries/codex-acp@0.16.0";

/// A daemon whose agent is codex-acp, and the scripted model behind it.
#[derive(Debug)]
pub(crate) struct Codex {
    pub(crate) daemon: Daemon,
    model: Process,
}

impl Codex {
    /// None if agents are left out on purpose; a missing agent is a failure.
    pub(crate) async fn start() -> Option<Self> {
        if left_out() {
            println!("left out: OPENSCIENCE_TEST_WITHOUT_AGENTS is set");
            return None;
        }
        let program = repository().join(PROGRAM);
        assert!(program.is_file(), "{PROGRAM} is missing. In the repository: {INSTALL}");
        let serve = Serve::new();
        let stub = repository().join("tests/agents/stub_llm.py").display().to_string();
        let env = serve.environment();
        let model = Process::start(&serve.world, python(), &[stub], &env, &serve.world.root());
        let port = eventually("the scripted model's port", async || {
            model.stdout().split_once('\n').and_then(|(port, _)| port.parse().ok())
        })
        .await;
        let home = configure(&serve, port);
        let agent = json!({
            "command": program,
            "env": {"STUB_KEY": "stub-key", "OPENAI_API_KEY": "stub-key", "CODEX_HOME": home},
        });
        let serve = serve.config(json!({"agents": {"codex": agent}, "defaultAgent": "codex"}));
        Some(Self { daemon: serve.start().await, model })
    }

    /// Processes the daemon started.
    pub(crate) fn agents(&self) -> Vec<i32> {
        self.daemon.agents().into_iter().filter(|pid| *pid != self.model.pid).collect()
    }

    pub(crate) fn model_pid(&self) -> i32 {
        self.model.pid
    }

    pub(crate) async fn stop_daemon(self) -> (ExitStatus, (Arc<crate::support::World>, Process)) {
        let (status, serve) = self.daemon.stop().await;
        (status, (serve.world, self.model))
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests' own switch")]
fn left_out() -> bool {
    std::env::var("OPENSCIENCE_TEST_WITHOUT_AGENTS").is_ok_and(|value| value == "1")
}

/// Writes codex's configuration; gives its home.
fn configure(serve: &Serve, port: u16) -> PathBuf {
    let home = serve.world.home().join(".codex");
    std::fs::create_dir_all(&home).expect("a folder");
    let text = config(port, &serve.world.project());
    std::fs::write(home.join("config.toml"), text).expect("a configuration");
    home
}

/// Asks for every command; without codex's own sandbox, whose helper now and then fails on a busy
/// machine and then the allowed command does not run.
fn config(port: u16, project: &Path) -> String {
    let project = json!(project.display().to_string());
    format!(
        r#"model = "stub-model"
model_provider = "stub"
approval_policy = "untrusted"
sandbox_mode = "danger-full-access"

[model_providers.stub]
name = "Stub"
base_url = "http://127.0.0.1:{port}/v1"
env_key = "STUB_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0

[projects.{project}]
trust_level = "trusted"
"#
    )
}
