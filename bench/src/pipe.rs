//! How fast can updates of an agent be read at all? One process writes lines,
//! another parses each as JSON: no store, no network.

use std::io::{self, BufRead as _, BufReader, BufWriter, Write as _};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, ensure};
use serde_json::Value;

const BUFFER: usize = 64 << 10;

/// Writes `count` updates, as an agent that has nothing to think about.
pub(crate) fn produce(count: u64) -> io::Result<()> {
    let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
    for number in 0..count {
        let update = r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"ses_0123456789","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"w"#;
        writeln!(out, r#"{update}{number} "}}}}}}}}"#)?;
    }
    out.flush()
}

/// Lines per second that are read from a pipe and parsed.
pub(crate) fn lines_per_second(count: u64) -> anyhow::Result<f64> {
    let mut source = Command::new(std::env::current_exe()?)
        .args(["pipe-source", &count.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .context("could not start the source of lines")?;
    let lines = BufReader::with_capacity(BUFFER, source.stdout.take().context("the source has no output")?);
    let mut began = None;
    let mut seen = 0_u64;
    for line in lines.lines() {
        let message: Value = serde_json::from_str(&line?)?;
        // The start of the process is not what is measured.
        began.get_or_insert_with(Instant::now);
        seen += u64::from(message.get("method").is_some_and(|method| method == "session/update"));
    }
    let elapsed = began.context("the source said nothing")?.elapsed();
    ensure!(source.wait()?.success() && seen == count, "{seen} of {count} lines came");
    Ok(seen as f64 / elapsed.as_secs_f64())
}
