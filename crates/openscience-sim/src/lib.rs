//! What does an agent look like that does exactly what its prompt says?
//!
//! The simulator speaks ACP v1 on a pair of byte streams. Each line of a prompt
//! is a directive (see [`HELP`]); any other line is answered in words. It is
//! the agent a newcomer meets first and the double that shows every fault a
//! real agent has shown.
//!
//! It has no clock and no random source: the same prompts give the same frames.
//! It runs no model and no tool, starts an MCP server only to save an artifact, and it bounds nothing on behalf
//! of its client.

mod agent;
mod client;
mod config;
mod directive;
mod fault;
mod history;
mod report;
mod script;
mod stdio;
mod tool_server;
mod turn;
mod wire;

use std::io;
use std::path::PathBuf;

use tokio::io::{AsyncRead, AsyncWrite};

pub use directive::HELP;

/// How one simulator process is set up.
#[derive(Debug, Clone, Default)]
pub struct SimConfig {
    /// The models offered by sessions, the first being the default. When empty,
    /// sessions have no configuration options at all.
    pub models: Vec<String>,
    /// Where sessions outlive the process, one NDJSON file each. Several
    /// processes may share it. Without it sessions last as long as the process.
    pub history_dir: Option<PathBuf>,
}

/// Serves this process's stdin and stdout until stdin ends or `exit CODE` is
/// carried out, and answers the code to exit with.
///
/// Nothing here keeps the runtime from shutting down, whatever the client does
/// with the streams. Threads of their own stay blocked on them until the
/// process ends.
pub async fn run(config: SimConfig) -> io::Result<i32> {
    let reader = stdio::reader(io::stdin())?;
    let (writer, written) = stdio::writer(io::stdout())?;
    let (stderr, told) = stdio::writer(io::stderr())?;
    let code = agent::serve(reader, writer, stderr, config).await;
    stdio::drained([written, told]).await;
    code
}

/// Serves one connection until `reader` ends or `exit CODE` is carried out, and
/// answers the exit code. `stderr N` writes to this process's stderr.
pub async fn serve<R, W>(reader: R, writer: W, config: SimConfig) -> io::Result<i32>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    agent::serve(reader, writer, tokio::io::stderr(), config).await
}
