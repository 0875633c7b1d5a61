//! How does the simulator call a tool of an MCP server that came with its session?
//!
//! As a real agent does: it starts the server, says hello, calls once and lets it go. It offers no model the tools and
//! keeps no server running.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use agent_client_protocol_schema::v1::McpServerStdio;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// A server that says nothing for this long is given up.
const PATIENCE: Duration = Duration::from_mins(1);

/// The text of the tool's answer, or of its error.
pub(crate) async fn call(server: &McpServerStdio, tool: &str, arguments: &Value) -> Result<String, String> {
    let unusable = |error: io::Error| format!("the tool cannot be called: {}", error.kind());
    let mut connection = Connection::open(server).map_err(unusable)?;
    let asked = connection.call(tool, arguments);
    let answer = tokio::time::timeout(PATIENCE, asked).await;
    let answer = answer.map_err(|_| "the tool does not answer".to_owned())?.map_err(unusable)?;
    let text = answer["result"]["content"][0]["text"].as_str();
    let text = text.or(answer["error"]["message"].as_str()).unwrap_or_default().to_owned();
    let failed = answer.get("error").is_some() || answer["result"]["isError"] == Value::Bool(true);
    if failed { Err(text) } else { Ok(text) }
}

struct Connection {
    /// Ended when this is dropped.
    _child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Connection {
    fn open(server: &McpServerStdio) -> io::Result<Self> {
        #[expect(clippy::disallowed_methods, reason = "an agent starts the servers it is given")]
        let mut command = Command::new(&server.command);
        command.args(&server.args).envs(server.env.iter().map(|pair| (&pair.name, &pair.value)));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let to = child.stdin.take().ok_or_else(gone)?;
        let from = BufReader::new(child.stdout.take().ok_or_else(gone)?);
        Ok(Self { _child: child, to, from })
    }

    async fn call(&mut self, tool: &str, arguments: &Value) -> io::Result<Value> {
        let client = json!({"name": "openscience-sim", "version": env!("CARGO_PKG_VERSION")});
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client});
        self.ask(1, "initialize", &hello).await?;
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).await?;
        self.ask(2, "tools/call", &json!({"name": tool, "arguments": arguments})).await
    }

    async fn send(&mut self, message: &Value) -> io::Result<()> {
        self.to.write_all(format!("{message}\n").as_bytes()).await
    }

    async fn ask(&mut self, id: u64, method: &str, params: &Value) -> io::Result<Value> {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await?;
        let mut line = String::new();
        loop {
            line.clear();
            if self.from.read_line(&mut line).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if let Ok(message) = serde_json::from_str::<Value>(&line)
                && message["id"] == id
            {
                return Ok(message);
            }
        }
    }
}
