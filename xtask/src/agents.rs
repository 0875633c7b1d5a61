//! The real agents that tests drive: installed once, into a directory git ignores.

use anyhow::bail;

use crate::run::{program, root, say, succeed, works};

const PACKAGE: &str = "@zed-industries/codex-acp@0.16.0";
const PREFIX: &str = ".agents/codex";
/// The program itself rather than its Node wrapper: it needs no Node and half the memory.
const PROGRAM: &str = ".agents/codex/node_modules/@zed-industries/codex-acp-linux-x64/bin/codex-acp";

/// Installs what is missing.
pub(crate) fn install() -> anyhow::Result<()> {
    if root().join(PROGRAM).is_file() {
        return Ok(());
    }
    if !works(program("npm", &["--version"])) {
        bail!(
            "npm is needed to install {PACKAGE}, which tests drive; where it cannot be had, run \
             `cargo xtask ci --without-agents`"
        );
    }
    say(format_args!("installing {PACKAGE} into {PREFIX}"));
    succeed(program("npm", &["install", "--prefix", PREFIX, "--no-audit", "--no-fund", PACKAGE]))?;
    if root().join(PROGRAM).is_file() {
        Ok(())
    } else {
        bail!(
            "{PACKAGE} was installed but {PROGRAM} is not there; on another kind of machine run `cargo xtask ci \
             --without-agents`"
        )
    }
}
