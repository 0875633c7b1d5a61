//! How is a real agent set up so that its model is ours?

use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use crate::support::{Daemon, Process, Serve, World, command, eventually, python, repository};

/// The agents that are driven.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Agent {
    Codex,
    Claude,
    Qwen,
}

impl Agent {
    /// The program, by its place below the repository, where the test command installs it.
    fn program(self) -> &'static str {
        match self {
            Self::Codex => ".agents/codex/node_modules/@zed-industries/codex-acp-linux-x64/bin/codex-acp",
            Self::Claude => ".agents/claude/node_modules/.bin/claude-agent-acp",
            Self::Qwen => ".agents/qwen/node_modules/.bin/qwen",
        }
    }

    /// Writes its configuration into the world's home; gives how it is started.
    fn configure(self, world: &World, port: u16) -> Value {
        let program = repository().join(self.program());
        assert!(program.is_file(), "{} is missing: cargo xtask agents", self.program());
        match self {
            Self::Codex => codex(&program, world, port),
            Self::Claude => claude(&program, world, port),
            Self::Qwen => qwen(&program, world, port),
        }
    }
}

/// A daemon whose agent is a real one, and the scripted model behind that.
#[derive(Debug)]
pub(crate) struct Real {
    pub(crate) daemon: Daemon,
    model: Process,
}

impl Real {
    /// None if agents are left out on purpose; a missing agent is a failure.
    pub(crate) async fn start(agent: Agent) -> Option<Self> {
        if left_out() {
            println!("left out: OPENSCIENCE_TEST_WITHOUT_AGENTS is set");
            return None;
        }
        let serve = Serve::new();
        let stub = repository().join("tests/agents/stub_llm.py").display().to_string();
        let env = serve.environment();
        let model = Process::start(&serve.world, python(), &[stub], &env, &serve.world.root());
        let port = eventually("the scripted model's port", async || {
            model.stdout().split_once('\n').and_then(|(port, _)| port.parse().ok())
        })
        .await;
        let agent = agent.configure(&serve.world, port);
        let serve = serve.config(json!({
            "agents": {"real": agent}, "defaultAgent": "real", "limits": {"diskReserveBytes": 1},
        }));
        Some(Self { daemon: serve.start().await, model })
    }

    /// A file of the project.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.daemon.world().project().join(name)
    }

    /// Processes the daemon started.
    pub(crate) fn agents(&self) -> Vec<i32> {
        self.daemon.agents().into_iter().filter(|pid| *pid != self.model.pid).collect()
    }

    /// The same with a new daemon on the same data.
    pub(crate) async fn restart(self) -> Self {
        let (status, serve) = self.daemon.stop().await;
        assert_eq!(status.code(), Some(0));
        Self { daemon: serve.start().await, model: self.model }
    }

    pub(crate) async fn stop_daemon(self) -> (ExitStatus, (Arc<World>, Process)) {
        let (status, serve) = self.daemon.stop().await;
        (status, (serve.world, self.model))
    }
}

#[expect(clippy::disallowed_methods, reason = "the tests' own switch")]
fn left_out() -> bool {
    std::env::var("OPENSCIENCE_TEST_WITHOUT_AGENTS").is_ok_and(|value| value == "1")
}

static NODE: OnceLock<String> = OnceLock::new();

/// A `PATH` on which the agents that are written for Node find it.
fn path() -> &'static str {
    NODE.get_or_init(|| {
        let mut probe = command(Path::new("node"));
        probe.args(["-p", "require('path').dirname(process.execPath)"]).stdin(Stdio::null());
        let output = probe.into_std().output().expect("node must be installed to run these tests");
        let folder = String::from_utf8(output.stdout).expect("a path");
        format!("{}:/usr/local/bin:/usr/bin:/bin", folder.trim())
    })
}

/// A folder below the home.
fn folder(world: &World, name: &str) -> PathBuf {
    let folder = world.home().join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Asks for every command; without codex's own sandbox, whose helper now and then fails on a busy
/// machine and then the allowed command does not run.
fn codex(program: &Path, world: &World, port: u16) -> Value {
    let home = folder(world, ".codex");
    let project = json!(world.project().display().to_string());
    let config = format!(
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
    );
    std::fs::write(home.join("config.toml"), config).expect("a configuration");
    let env = json!({"STUB_KEY": "stub-key", "OPENAI_API_KEY": "stub-key", "CODEX_HOME": home});
    json!({"command": program, "env": env, "type": "codex"})
}

fn claude(program: &Path, world: &World, port: u16) -> Value {
    let env = json!({
        "PATH": path(),
        "ANTHROPIC_BASE_URL": format!("http://127.0.0.1:{port}"),
        "ANTHROPIC_API_KEY": "stub-key",
        "CLAUDE_CONFIG_DIR": folder(world, ".claude"),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    });
    json!({"command": program, "env": env, "type": "claude"})
}

fn qwen(program: &Path, world: &World, port: u16) -> Value {
    let settings = json!({
        "security": {"auth": {"selectedType": "openai"}},
        "privacy": {"usageStatisticsEnabled": false},
        "general": {"disableAutoUpdate": true},
    });
    let file = folder(world, ".qwen").join("settings.json");
    std::fs::write(file, settings.to_string()).expect("settings");
    let env = json!({
        "PATH": path(),
        "OPENAI_BASE_URL": format!("http://127.0.0.1:{port}/v1"),
        "OPENAI_API_KEY": "stub-key",
        "OPENAI_MODEL": "stub-model",
    });
    json!({"command": program, "args": ["--acp"], "env": env})
}
