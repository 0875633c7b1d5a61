//! The real agents that tests drive: installed once, into a directory git ignores.

use anyhow::bail;

use crate::run::{program, root, say, succeed, works};

/// An agent from npm.
#[derive(Debug)]
struct Agent {
    /// With its version: without one, two machines test different agents.
    package: &'static str,
    prefix: &'static str,
    /// What must be there afterwards, below the prefix.
    program: &'static str,
}

const AGENTS: [Agent; 3] = [
    Agent {
        package: "@zed-industries/codex-acp@0.16.0",
        prefix: ".agents/codex",
        // The program itself rather than its Node wrapper: it needs no Node and half the memory.
        program: "node_modules/@zed-industries/codex-acp-linux-x64/bin/codex-acp",
    },
    Agent {
        package: "@agentclientprotocol/claude-agent-acp@0.49.0",
        prefix: ".agents/claude",
        program: "node_modules/.bin/claude-agent-acp",
    },
    Agent {
        package: "@qwen-code/qwen-code@0.15.10",
        prefix: ".agents/qwen",
        program: "node_modules/.bin/qwen",
    },
];

/// Installs what is missing.
pub(crate) fn install() -> anyhow::Result<()> {
    AGENTS.iter().filter(|agent| !agent.is_there()).try_for_each(Agent::install)
}

impl Agent {
    fn is_there(&self) -> bool {
        root().join(self.prefix).join(self.program).is_file()
    }

    fn install(&self) -> anyhow::Result<()> {
        let Self { package, prefix, program: file } = self;
        if !works(program("npm", &["--version"])) {
            bail!(
                "npm is needed to install {package}, which tests drive; where it cannot be had, run \
                 `cargo xtask ci --without-agents`"
            );
        }
        say(format_args!("installing {package} into {prefix}"));
        succeed(program("npm", &["install", "--prefix", prefix, "--no-audit", "--no-fund", package]))?;
        if self.is_there() {
            Ok(())
        } else {
            bail!(
                "{package} was installed but {prefix}/{file} is not there; on another kind of machine run \
                 `cargo xtask ci --without-agents`"
            )
        }
    }
}
