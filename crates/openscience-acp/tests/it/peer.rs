//! An agent at the other end of pipes in memory, played by the test.

use std::path::Path;
use std::time::Duration;

use agent_client_protocol_schema::v1::ContentBlock;
use openscience_acp::{AcpLimits, Connection, EventStream, OpenedSession, SessionEvent, connect_io, events};
use openscience_core::input::{AgentUpdate, TurnEnd};
use openscience_protocol::{Limits, TurnId};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};

/// The agent's side.
pub(crate) struct Peer {
    stdin: Lines<BufReader<DuplexStream>>,
    pub(crate) stdout: DuplexStream,
}

pub(crate) fn limits() -> AcpLimits {
    AcpLimits::from(&Limits::default())
}

pub(crate) fn turn(n: u32) -> TurnId {
    format!("trn_{n}").parse().unwrap()
}

pub(crate) fn blocks(text: &str) -> Vec<ContentBlock> {
    vec![ContentBlock::from(text)]
}

/// Pipes, before any handshake.
pub(crate) fn pipes(stdout_bytes: usize) -> (Peer, DuplexStream, DuplexStream) {
    let (stdin, stdin_agent) = tokio::io::duplex(64 << 10);
    let (stdout, stdout_agent) = tokio::io::duplex(stdout_bytes);
    let peer = Peer { stdin: BufReader::new(stdin_agent).lines(), stdout: stdout_agent };
    (peer, stdin, stdout)
}

/// A connection after the handshake.
pub(crate) async fn connected(ordered: bool, limits: AcpLimits) -> (Connection, Peer) {
    let (mut peer, stdin, stdout) = pipes(64 << 10);
    let connecting = connect_io("fake".into(), stdout, stdin, ordered, limits);
    let (connection, ()) = tokio::join!(connecting, async {
        let request = peer.recv().await;
        assert_eq!(request["method"], "initialize");
        peer.answer(&request, json!({"protocolVersion": 1, "agentCapabilities": {}})).await;
    });
    (connection.unwrap(), peer)
}

/// A connection with one session `s1`.
pub(crate) async fn session(ordered: bool, limits: AcpLimits) -> (Connection, Peer, Events) {
    let (connection, mut peer) = connected(ordered, limits).await;
    let events = open(&connection, &mut peer, "s1", 64).await;
    (connection, peer, events)
}

/// Opens a session that gets that id.
pub(crate) async fn open(connection: &Connection, peer: &mut Peer, id: &str, capacity: usize) -> Events {
    let (sink, events) = events(capacity);
    let (opened, ()) = tokio::join!(connection.new_session(Path::new("/ws"), sink), async {
        let request = peer.recv().await;
        assert_eq!(request["method"], "session/new");
        assert_eq!(request["params"], json!({"cwd": "/ws", "mcpServers": []}));
        peer.answer(&request, json!({"sessionId": id})).await;
    });
    let opened: OpenedSession = opened.unwrap();
    assert_eq!(opened.session_id, id);
    Events(events)
}

impl Peer {
    /// The next message of the client.
    pub(crate) async fn recv(&mut self) -> Value {
        let line = self.stdin.next_line().await.unwrap().expect("the client closed stdin");
        serde_json::from_str(&line).unwrap()
    }

    /// The next message, which must be a request or notification of that name.
    pub(crate) async fn expect(&mut self, method: &str) -> Value {
        let message = self.recv().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    pub(crate) async fn raw(&mut self, bytes: &[u8]) {
        self.stdout.write_all(bytes).await.unwrap();
    }

    pub(crate) async fn answer(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    pub(crate) async fn say(&mut self, session: &str, text: &str) {
        self.send(chunk(session, text)).await;
    }
}

pub(crate) fn update(session: &str, update: &Value) -> Value {
    json!({"jsonrpc": "2.0", "method": "session/update", "params": {"sessionId": session, "update": update}})
}

pub(crate) fn chunk(session: &str, text: &str) -> Value {
    update(
        session,
        &json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}),
    )
}

/// What a session is told.
#[derive(Debug)]
pub(crate) struct Events(pub(crate) EventStream);

impl Events {
    /// The next event; fails instead of waiting for ever.
    pub(crate) async fn next(&mut self) -> SessionEvent {
        tokio::time::timeout(Duration::from_secs(20), self.0.recv())
            .await
            .expect("no event")
            .expect("no sink")
    }

    pub(crate) async fn text(&mut self) -> String {
        match self.next().await {
            SessionEvent::Update(AgentUpdate::Text(chunk)) => chunk.text,
            other => panic!("expected text, got {other:?}"),
        }
    }

    pub(crate) async fn prompted(&mut self) -> TurnId {
        match self.next().await {
            SessionEvent::Prompted { turn } => turn,
            other => panic!("expected prompted, got {other:?}"),
        }
    }

    /// The next line of stderr; what comes before is skipped.
    pub(crate) async fn stderr(&mut self) -> String {
        loop {
            if let SessionEvent::Update(AgentUpdate::Stderr(line)) = self.next().await {
                return line;
            }
        }
    }

    /// Text up to the end of the turn, and that end.
    pub(crate) async fn rest(&mut self) -> (String, TurnEnd) {
        let mut text = String::new();
        loop {
            match self.next().await {
                SessionEvent::Prompted { .. } | SessionEvent::Update(AgentUpdate::Stderr(_)) => {}
                SessionEvent::Update(AgentUpdate::Text(chunk)) => text.push_str(&chunk.text),
                SessionEvent::TurnEnded { end, .. } => return (text, end),
                other => panic!("unexpected {other:?}"),
            }
        }
    }
}

#[track_caller]
pub(crate) fn failed(end: TurnEnd) -> openscience_protocol::RunError {
    match end {
        TurnEnd::Failed(error) => error,
        TurnEnd::Answered { stop_reason, .. } => panic!("the turn was answered: {stop_reason}"),
    }
}

#[track_caller]
pub(crate) fn answered(end: TurnEnd) -> String {
    match end {
        TurnEnd::Answered { stop_reason, .. } => stop_reason,
        TurnEnd::Failed(error) => panic!("the turn failed: {error:?}"),
    }
}
