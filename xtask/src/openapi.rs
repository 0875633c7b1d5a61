//! The committed description of the HTTP interface is what the binary prints.

use std::fs;

use anyhow::{Context as _, bail};

use crate::run::{output, program, root};

const FILE: &str = "openapi/openscience.json";

fn generated() -> anyhow::Result<String> {
    output(program("cargo", &["run", "--quiet", "--package", "openscience", "--", "openapi"]))
}

/// Writes the document.
pub(crate) fn write() -> anyhow::Result<()> {
    fs::write(root().join(FILE), generated()?).with_context(|| format!("could not write {FILE}"))
}

/// Fails if the committed document is another one.
pub(crate) fn check() -> anyhow::Result<()> {
    let committed =
        fs::read_to_string(root().join(FILE)).with_context(|| format!("could not read {FILE}"))?;
    let generated = generated()?;
    if committed == generated {
        return Ok(());
    }
    let differs = committed.lines().zip(generated.lines()).take_while(|(old, new)| old == new).count() + 1;
    bail!("{FILE}:{differs}: differs from what the binary prints; run `cargo xtask openapi`")
}
