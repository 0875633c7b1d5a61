//! Recordings of real agents, played through a connection: all they said
//! arrives, in order, and nothing of it is unknown.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::ContentBlock;
use openscience_acp::{
    Connection, EventSink, EventStream, OpenedSession, Refused, SessionEvent, connect_io, events_within,
};
use openscience_core::input::{AgentUpdate, Given, RequestKey, TurnEnd};
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::peer::{Peer, limits, pipes, turn};

/// One line of a recording.
#[derive(serde::Deserialize)]
struct Line {
    dir: String,
    msg: Value,
}

/// What a session is known to have been told.
#[derive(Debug, Default, PartialEq)]
struct Told {
    text: String,
    updates: usize,
    ends: Vec<String>,
}

struct Replay {
    connection: Connection,
    peer: Peer,
    /// Recorded ids of requests by our ids for them.
    ids: HashMap<String, Value>,
    opening: HashMap<String, JoinHandle<OpenedSession>>,
    sink: EventSink,
    events: EventStream,
    told: Told,
    expected: Told,
    keys: HashMap<String, RequestKey>,
    loading: Option<String>,
    prompts: BTreeMap<String, u32>,
    open: Vec<String>,
    turns: u32,
}

#[tokio::test(start_paused = true)]
async fn recordings_of_real_agents_arrive_whole() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/acp");
    let mut recordings: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .filter(|agent| agent.path().is_dir())
        .flat_map(|agent| fs::read_dir(agent.path()).unwrap().flatten())
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "ndjson"))
        .collect();
    recordings.sort();
    assert!(!recordings.is_empty());
    for recording in recordings {
        let text = fs::read_to_string(&recording).unwrap();
        let lines: Vec<Line> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        play(&recording, lines).await;
    }
}

async fn play(recording: &Path, lines: Vec<Line>) {
    let Some(hello) = answer_to(&lines, "initialize") else { return };
    let (mut peer, stdin, stdout) = pipes(1 << 20);
    let connecting = connect_io("recorded".into(), stdout, stdin, false, limits());
    let (connection, ()) = tokio::join!(connecting, async {
        let request = peer.recv().await;
        peer.answer(&request, hello).await;
    });
    let (sink, events) = events_within(100_000, 1 << 30);
    let mut replay = Replay {
        connection: connection.unwrap(),
        peer,
        ids: HashMap::new(),
        opening: HashMap::new(),
        sink,
        events,
        told: Told::default(),
        expected: Told::default(),
        keys: HashMap::new(),
        loading: None,
        prompts: BTreeMap::new(),
        open: Vec::new(),
        turns: 0,
    };
    for line in lines {
        match line.dir.as_str() {
            "c2a" => replay.client(&line.msg).await,
            "a2c" => replay.agent(line.msg).await,
            "stdout-noise" => replay.peer.raw(format!("{}\n", line.msg).as_bytes()).await,
            _ => {}
        }
    }
    replay.finish(recording).await;
}

fn answer_to(lines: &[Line], method: &str) -> Option<Value> {
    let request = lines.iter().find(|line| line.dir == "c2a" && line.msg["method"] == method)?;
    let answers = |line: &&Line| line.dir == "a2c" && line.msg["id"] == request.msg["id"];
    lines.iter().find(answers).map(|line| line.msg["result"].clone())
}

fn id(message: &Value) -> String {
    message["id"].to_string()
}

impl Replay {
    /// Does what the recording client did, as far as we can.
    async fn client(&mut self, message: &Value) {
        let params = &message["params"];
        let session = params["sessionId"].as_str().unwrap_or_default().to_owned();
        match message["method"].as_str() {
            Some(method @ ("session/new" | "session/load" | "session/resume")) => {
                if params["cwd"].as_str().is_none_or(|cwd| !cwd.starts_with('/')) {
                    return;
                }
                let (connection, sink, method) =
                    (self.connection.clone(), self.sink.clone(), method.to_owned());
                self.loading = (method != "session/new").then(|| session.clone());
                let opening = tokio::spawn(async move {
                    match method.as_str() {
                        "session/new" => connection.new_session(Path::new("/ws"), sink).await,
                        "session/load" => connection.load_session(&session, Path::new("/ws"), sink).await,
                        _ => connection.resume_session(&session, Path::new("/ws"), sink).await,
                    }
                    .unwrap_or_else(|error| OpenedSession {
                        session_id: String::new(),
                        modes: None,
                        config_options: None,
                        raw: json!(error.to_string()),
                    })
                });
                self.sent(message).await;
                self.opening.insert(id(message), opening);
            }
            Some("session/prompt") if self.open.contains(&session) => {
                let Ok(blocks) = Vec::<ContentBlock>::deserialize(&params["prompt"]) else { return };
                self.turns += 1;
                self.connection.prompt(&session, turn(self.turns), blocks).unwrap();
                self.prompts.insert(id(message), self.turns);
                self.sent(message).await;
            }
            Some("session/cancel") => {
                self.connection.cancel(&session);
                let sent = self.peer.recv().await;
                assert_eq!((&sent["method"], &sent["params"]), (&message["method"], params));
            }
            None => self.decide(message).await,
            Some(_) => {}
        }
    }

    /// Our request that stands for a recorded one: the same but for its id.
    async fn sent(&mut self, recorded: &Value) {
        let request = self.peer.recv().await;
        assert_eq!((&request["method"], &request["params"]), (&recorded["method"], &recorded["params"]));
        self.ids.insert(id(recorded), request["id"].clone());
    }

    /// Answers a permission as the recording client did.
    async fn decide(&mut self, recorded: &Value) {
        let Some(key) = self.keys.remove(&id(recorded)) else { return };
        let option = recorded["result"]["outcome"]["optionId"].as_str().map(str::to_owned);
        let (written, answer) =
            tokio::join!(self.connection.answer(key, Given::option(option)), self.peer.recv());
        assert!(written);
        assert_eq!((&answer["id"], &answer["result"]), (&recorded["id"], &recorded["result"]));
    }

    /// Says what the recorded agent said.
    async fn agent(&mut self, mut message: Value) {
        match message["method"].as_str() {
            Some("session/update") => {
                self.expect(&message["params"]);
                self.peer.send(message).await;
            }
            Some("session/request_permission") => {
                let recorded = id(&message);
                self.peer.send(message).await;
                loop {
                    match self.events.recv().await.unwrap() {
                        SessionEvent::Permission(asked) => {
                            self.keys.insert(recorded, asked.key);
                            break;
                        }
                        other => self.told.add(other),
                    }
                }
            }
            Some(method) if message.get("id").is_some() => {
                let served = method.starts_with("fs/");
                self.peer.send(message).await;
                if served {
                    loop {
                        match self.events.recv().await.unwrap() {
                            SessionEvent::Request { key, .. } => {
                                // As the recorded client did.
                                let refused = Refused::new(-32601, "method not found");
                                self.connection.respond(key, Err(refused)).await;
                                break;
                            }
                            other => self.told.add(other),
                        }
                    }
                }
                assert_eq!(self.peer.recv().await["error"]["code"], -32601);
            }
            Some(_) => self.peer.send(message).await,
            None => {
                let recorded = id(&message);
                let Some(ours) = self.ids.remove(&recorded) else { return };
                if self.prompts.remove(&recorded).is_some() {
                    let end = message["result"]["stopReason"].as_str().unwrap_or("prompt_failed");
                    self.expected.ends.push(end.to_owned());
                }
                message["id"] = ours;
                self.peer.send(message).await;
                if let Some(opening) = self.opening.remove(&recorded) {
                    self.loading = None;
                    let session = opening.await.unwrap().session_id;
                    self.open.extend((!session.is_empty()).then_some(session));
                }
            }
        }
    }

    fn expect(&mut self, params: &Value) {
        let session = params["sessionId"].as_str().unwrap();
        let early = self.opening.values().len() > 0 && self.loading.is_none();
        if self.loading.as_deref() == Some(session)
            || !(early || self.open.iter().any(|open| open == session))
        {
            return;
        }
        let update = &params["update"];
        let text = update["content"]["text"].as_str();
        match (update["sessionUpdate"].as_str(), text) {
            (Some("agent_message_chunk" | "agent_thought_chunk"), Some(text)) => {
                self.expected.text.push_str(text);
            }
            _ => self.expected.updates += 1,
        }
    }

    async fn finish(mut self, recording: &Path) {
        let open = self.prompts.len();
        self.expected.ends.extend(vec!["agent_exited".to_owned(); open]);
        self.expected.ends.sort();
        let counters = self.connection.counters();
        drop((self.peer, self.sink));
        self.connection.closed().await;
        while let Some(event) = self.events.recv().await {
            self.told.add(event);
        }
        self.told.ends.sort();
        assert_eq!(self.told, self.expected, "{}", recording.display());
        assert_eq!(counters.unknown_updates, 0, "{}", recording.display());
    }
}

impl Told {
    fn add(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Update(AgentUpdate::Text(chunk)) => self.text.push_str(&chunk.text),
            SessionEvent::Update(AgentUpdate::Known(_)) => self.updates += 1,
            SessionEvent::TurnEnded { end: TurnEnd::Answered { stop_reason, .. }, .. } => {
                self.ends.push(stop_reason);
            }
            SessionEvent::TurnEnded { end: TurnEnd::Failed(error), .. } => self.ends.push(error.code),
            SessionEvent::Prompted { .. } | SessionEvent::Exited(_) => {}
            other @ (SessionEvent::Update(_)
            | SessionEvent::Permission(_)
            | SessionEvent::Question(_)
            | SessionEvent::Request { .. }
            | SessionEvent::Terminal(_)
            | SessionEvent::Withdrawn { .. }) => {
                panic!("unexpected {other:?}")
            }
        }
    }
}
