//! A client that says what it is told and keeps what it hears.

use std::io;
use std::path::Path;

use agent_client_protocol_schema::v1::SessionNotification;
use openscience_sim::SimConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::task::JoinHandle;

pub(crate) struct Client {
    from: BufReader<DuplexStream>,
    to: Option<DuplexStream>,
    process: JoinHandle<io::Result<i32>>,
    last_id: u64,
}

/// One prompt's end and the messages that came before it.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) messages: Vec<Value>,
    pub(crate) response: Value,
}

impl Client {
    /// A simulator that has not been initialized.
    pub(crate) fn start(config: SimConfig) -> Self {
        let (to, reader) = tokio::io::duplex(64 * 1024);
        let (writer, from) = tokio::io::duplex(64 * 1024);
        let process = tokio::spawn(openscience_sim::serve(reader, writer, config));
        Self { from: BufReader::new(from), to: Some(to), process, last_id: 0 }
    }

    /// An initialized simulator and a session of it; the client offers everything.
    pub(crate) async fn ready() -> (Self, String) {
        Self::ready_with(SimConfig::default()).await
    }

    pub(crate) async fn ready_with(config: SimConfig) -> (Self, String) {
        let mut client = Self::start(config);
        client.initialize(everything()).await;
        let session = client.new_session().await;
        (client, session)
    }

    pub(crate) fn with_history(dir: &Path) -> SimConfig {
        SimConfig { history_dir: Some(dir.to_owned()), ..SimConfig::default() }
    }

    pub(crate) async fn initialize(&mut self, capabilities: Value) -> Value {
        let params = json!({"protocolVersion": 1, "clientCapabilities": capabilities});
        self.result("initialize", params).await
    }

    pub(crate) async fn new_session(&mut self) -> String {
        let result = self.result("session/new", json!({"cwd": "/work", "mcpServers": []})).await;
        result["sessionId"].as_str().unwrap().to_owned()
    }

    pub(crate) async fn write(&mut self, bytes: &[u8]) {
        self.to.as_mut().unwrap().write_all(bytes).await.unwrap();
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.write(format!("{message}\n").as_bytes()).await;
    }

    /// Sends a request and answers its id.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        let id = self.last_id;
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})).await;
        id
    }

    pub(crate) async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "method": method, "params": params})).await;
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    /// The next line as it came, without its newline; none at the end of the stream.
    pub(crate) async fn line(&mut self) -> Option<Vec<u8>> {
        let mut line = Vec::new();
        self.from.read_until(b'\n', &mut line).await.unwrap();
        (line.pop() == Some(b'\n')).then_some(line)
    }

    pub(crate) async fn message(&mut self) -> Value {
        serde_json::from_slice(&self.line().await.expect("the stream goes on")).unwrap()
    }

    /// Everything up to the response with this id.
    pub(crate) async fn until(&mut self, id: u64) -> Heard {
        let mut messages = Vec::new();
        loop {
            let message = self.message().await;
            if message["id"] == id && message["method"].is_null() {
                return Heard { messages, response: message };
            }
            messages.push(message);
        }
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Heard {
        let id = self.request(method, params).await;
        self.until(id).await
    }

    #[track_caller]
    pub(crate) fn result(&mut self, method: &str, params: Value) -> impl Future<Output = Value> + '_ {
        let method = method.to_owned();
        async move {
            let heard = self.ask(&method, params).await;
            assert!(heard.response["error"].is_null(), "{method}: {}", heard.response);
            heard.response["result"].clone()
        }
    }

    pub(crate) async fn error_code(&mut self, method: &str, params: Value) -> i64 {
        let heard = self.ask(method, params).await;
        heard.response["error"]["code"].as_i64().expect("an error")
    }

    pub(crate) async fn start_prompt(&mut self, session: &str, text: &str) -> u64 {
        self.request("session/prompt", prompt(session, text)).await
    }

    /// Prompts and hears the turn to its end.
    pub(crate) async fn prompt(&mut self, session: &str, text: &str) -> Heard {
        self.ask("session/prompt", prompt(session, text)).await
    }

    pub(crate) async fn cancel(&mut self, session: &str) {
        self.notify("session/cancel", json!({"sessionId": session})).await;
    }

    /// Ends the simulator's stdin.
    pub(crate) fn hang_up(&mut self) {
        self.to = None;
    }

    /// The exit code, once it has one.
    pub(crate) async fn exit_code(self) -> i32 {
        let Self { from, to, process, .. } = self;
        let code = process.await.unwrap().unwrap();
        drop((from, to));
        code
    }

    pub(crate) async fn stop(mut self) {
        self.hang_up();
        assert_eq!(self.exit_code().await, 0);
    }
}

impl Heard {
    pub(crate) fn stop_reason(&self) -> &str {
        self.response["result"]["stopReason"].as_str().unwrap_or("none")
    }

    pub(crate) fn updates(&self) -> impl Iterator<Item = &Value> {
        let updates = self.messages.iter().filter(|message| message["method"] == "session/update");
        updates.map(|message| &message["params"]["update"])
    }

    /// The text said, chunk after chunk.
    pub(crate) fn text(&self) -> String {
        self.chunks("agent_message_chunk").concat()
    }

    pub(crate) fn chunks(&self, kind: &str) -> Vec<&str> {
        let chunks = self.updates().filter(|update| update["sessionUpdate"] == kind);
        chunks.map(|update| update["content"]["text"].as_str().unwrap()).collect()
    }

    /// Fails unless every update is one of the protocol's.
    pub(crate) fn assert_typed(&self) {
        for message in &self.messages {
            if message["method"] == "session/update" {
                let typed = serde_json::from_value::<SessionNotification>(message["params"].clone());
                assert!(typed.is_ok(), "{message}: {typed:?}");
            }
        }
    }
}

pub(crate) fn prompt(session: &str, text: &str) -> Value {
    json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]})
}

pub(crate) fn everything() -> Value {
    json!({"fs": {"readTextFile": true, "writeTextFile": true}, "terminal": true,
        "elicitation": {"form": {}}})
}
