//! Plays a recording at its own pace, in a time that passes only while nobody
//! has anything left to do.
//!
//! The agent's lines are said as they were; the client's are what we are made
//! to say, and checked against what we say. A prompt starts at the line that
//! opened its session, because our sessions are opened by their first prompt.

use std::collections::BTreeMap;
use std::time::Duration;

use openscience_acp::{AcpLimits, Connection, Counters, connect_io};
use openscience_core::answer::{Answer, Refusal};
use openscience_protocol::{Limits, PermissionReply};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, sleep_until};

use crate::book::Book;
use crate::host::{Ask, Host};
use crate::link::Opening;
use crate::recording::{Line, Recording, Speaker, prompt_text};

/// What a recording came to.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) recording: Recording,
    /// Sessions by the agent's id, in the order they were opened.
    pub(crate) sessions: Vec<(String, Book)>,
    pub(crate) counters: Counters,
    /// Prompts that were refused, with the reason.
    pub(crate) refused: Vec<(String, Refusal)>,
    /// Requests of the recording's client that we never make.
    pub(crate) unasked: Vec<String>,
}

struct Player {
    recording: Recording,
    start: Instant,
    connection: Connection,
    stdout: DuplexStream,
    stdin: mpsc::Receiver<Value>,
    /// All we said, and which of it was answered.
    heard: Vec<(Value, bool)>,
    /// What we should say.
    expected: Vec<Value>,
    hosts: BTreeMap<String, Host>,
    order: Vec<String>,
    refused: Vec<(String, Refusal)>,
    unasked: Vec<String>,
}

/// Plays the recording of that name of an agent to its end.
pub(crate) async fn play(agent: &str, name: &str) -> Played {
    let mut player = Player::start(Recording::read(agent, name)).await;
    let (mut at, mut last) = (0, Speaker::Agent);
    for line in 0..player.recording.lines.len() {
        let Line { at: recorded, speaker, .. } = player.recording.lines[line];
        // Whoever answers has heard all that was said before.
        at = recorded.max(if speaker == last { at } else { at + 1 });
        last = speaker;
        sleep_until(player.start + Duration::from_millis(at)).await;
        match speaker {
            Speaker::Client => player.client(line).await,
            Speaker::Agent => player.agent(line).await,
        }
    }
    player.end().await
}

impl Player {
    async fn start(recording: Recording) -> Self {
        let (stdin, stdin_agent) = tokio::io::duplex(1 << 20);
        let (stdout, mut stdout_agent) = tokio::io::duplex(1 << 20);
        let (tell, mut heard) = mpsc::channel(1_024);
        tokio::spawn(async move {
            let mut lines = BufReader::new(stdin_agent).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                tell.send(serde_json::from_str(&line).unwrap()).await.unwrap();
            }
        });
        let limits = AcpLimits::from(&Limits::default());
        let connecting = connect_io(recording.agent.as_str().into(), stdout, stdin, false, limits);
        let (connection, ()) = tokio::join!(connecting, async {
            let request: Value = heard.recv().await.unwrap();
            let (_, answer) = recording.answer(0).unwrap();
            say(&mut stdout_agent, answer, Some(&request["id"])).await;
        });
        Self {
            recording,
            start: Instant::now(),
            connection: connection.unwrap(),
            stdout: stdout_agent,
            stdin: heard,
            heard: Vec::new(),
            expected: Vec::new(),
            hosts: BTreeMap::new(),
            order: Vec::new(),
            refused: Vec::new(),
            unasked: Vec::new(),
        }
    }

    /// Has us say what the client said, as far as we ever would.
    async fn client(&mut self, at: usize) {
        let line = &self.recording.lines[at];
        let session = line.session().unwrap_or_default().to_owned();
        let known = self.hosts.get(&session);
        match (line.method(), known) {
            (Some("initialize"), _) => {}
            (Some("session/new" | "session/load" | "session/resume"), _) => self.open(at).await,
            (Some("session/prompt"), Some(host)) => {
                let text = prompt_text(&line.message);
                let first = self.recording.requests(0, "session/prompt", &session).next();
                if first.is_some_and(|(first, _)| first == at) {
                    // Sent when the session was opened.
                    return self.expect(at);
                }
                match host.ask(Ask::Prompt { text: text.clone() }).await {
                    Ok(answer) => {
                        assert!(matches!(answer, Answer::Accepted(_)), "{answer:?}");
                        self.expect(at);
                    }
                    Err(refusal) => self.refused.push((text, refusal)),
                }
            }
            (Some("session/cancel"), Some(host)) if self.recording.busy(at, &session) => {
                host.ask(Ask::Cancel).await.unwrap();
                self.expect(at);
            }
            // Set when the session was opened.
            (Some("session/set_config_option"), Some(_))
                if self.model(&session).is_some_and(|model| line.message["params"]["value"] == model) =>
            {
                self.expect(at);
            }
            (None, _) if line.message.is_object() => self.decide(at).await,
            (None, _) => self.unasked.push(line.message.to_string()),
            (Some(method), _) => self.unasked.push(method.to_owned()),
        }
    }

    fn expect(&mut self, at: usize) {
        self.expected.push(self.recording.lines[at].message.clone());
    }

    /// The model the client chose in that session, if the agent took it.
    fn model(&self, session: &str) -> Option<String> {
        let mut chosen = self.recording.requests(0, "session/set_config_option", session);
        let (at, line) = chosen.find(|(_, line)| line.message["params"]["configId"] == "model")?;
        let (_, answer) = self.recording.answer(at)?;
        answer.get("result")?;
        line.message["params"]["value"].as_str().map(str::to_owned)
    }

    /// Starts the session that is opened at that line, and its first prompt.
    async fn open(&mut self, at: usize) {
        let line = &self.recording.lines[at];
        let method = line.method().unwrap().to_owned();
        let answer = self.recording.answer(at).and_then(|(_, answer)| answer.get("result"));
        let absolute = line.message["params"]["cwd"].as_str().is_some_and(|cwd| cwd.starts_with('/'));
        let (Some(answer), true) = (answer, absolute) else {
            // We never give a relative directory, and what cannot be loaded has no conversation.
            self.unasked.push(format!("{method} {}", line.message["params"]["cwd"]));
            return;
        };
        let known = line.session().map(str::to_owned);
        let session = known.clone().unwrap_or_else(|| answer["sessionId"].as_str().unwrap().to_owned());
        let model = self.model(&session);
        let prompt = self.recording.requests(at, "session/prompt", &session).next();
        let prompt = prompt.map(|(first, line)| (first, prompt_text(&line.message)));
        self.expect(at);
        let host = Host::start(
            self.connection.clone(),
            Opening { number: self.hosts.len(), agent: self.recording.agent.clone(), method, known, model },
        );
        let text = if let Some((first, text)) = prompt {
            let mut cancels = self.recording.requests(at, "session/cancel", &session);
            if cancels.any(|(cancel, _)| cancel < first) {
                // A cancel before the first prompt comes before the session is opened.
                assert_eq!(host.ask(Ask::Abort).await, Ok(Answer::Done));
            }
            text
        } else {
            // A session without a prompt is one we would not have opened.
            let text = "never answered";
            let params = json!({"sessionId": session, "prompt": [{"type": "text", "text": text}]});
            self.expected.push(json!({"method": "session/prompt", "params": params}));
            text.to_owned()
        };
        let answer = host.ask(Ask::Prompt { text }).await;
        assert!(matches!(answer, Ok(Answer::Accepted(_))), "{answer:?}");
        self.order.push(session.clone());
        self.hosts.insert(session, host);
    }

    /// Answers a permission as the client did.
    async fn decide(&mut self, at: usize) {
        self.expect(at);
        let asked = self.recording.asked(at);
        if asked["method"] != "session/request_permission" {
            // Refused: we offer no files.
            self.expected.pop();
            return self.expected.push(json!({"id": asked["id"]}));
        }
        let asked = &asked["params"];
        let outcome = &self.recording.lines[at].message["result"]["outcome"];
        let option =
            asked["options"].as_array().unwrap().iter().find(|o| o["optionId"] == outcome["optionId"]);
        let reply = match option.and_then(|option| option["kind"].as_str()) {
            Some("allow_once") => PermissionReply::Once,
            Some("reject_once") => PermissionReply::Reject,
            Some(other) => panic!("no recording chose {other}"),
            // The cancel of the run has answered it.
            None => return,
        };
        let call = asked["toolCall"]["toolCallId"].as_str().unwrap().to_owned();
        let host = &self.hosts[asked["sessionId"].as_str().unwrap()];
        let answer = host.ask(Ask::Decide { call, reply }).await;
        assert!(matches!(answer, Ok(Answer::Decision { .. })), "{answer:?}");
    }

    /// Says what the agent said; an answer only if we asked.
    async fn agent(&mut self, at: usize) {
        let line = &self.recording.lines[at];
        if line.method().is_some() {
            return say(&mut self.stdout, &line.message, None).await;
        }
        while let Ok(message) = self.stdin.try_recv() {
            self.heard.push((message, false));
        }
        let before = self.recording.lines[..at].iter();
        let mut asked = before.filter(|asked| asked.speaker == Speaker::Client && asked.method().is_some());
        let Some(asked) = asked.find(|asked| asked.message["id"] == line.message["id"]) else { return };
        let same =
            |(message, answered): &&mut (Value, bool)| !*answered && alike(message) == alike(&asked.message);
        if let Some((ours, answered)) = self.heard.iter_mut().find(same) {
            *answered = true;
            say(&mut self.stdout, &line.message, Some(&ours["id"])).await;
        }
    }

    /// The agent goes away, and we with it.
    async fn end(self) -> Played {
        let Self { recording, connection, stdout, mut stdin, mut hosts, refused, unasked, .. } = self;
        // Answers to prompts are held for what may come late.
        sleep(Duration::from_secs(1)).await;
        let counters = connection.counters();
        drop(stdout);
        connection.closed().await;
        sleep(Duration::from_secs(1)).await;
        let mut sessions = Vec::new();
        for session in self.order {
            let host = hosts.remove(&session).unwrap();
            sessions.push((session, host.end().await));
        }
        let mut heard: Vec<String> = self.heard.iter().map(|(message, _)| alike(message)).collect();
        while let Ok(message) = stdin.try_recv() {
            heard.push(alike(&message));
        }
        let mut expected: Vec<String> = self.expected.iter().map(alike).collect();
        heard.sort();
        expected.sort();
        assert_eq!(heard, expected, "what we said and what the client had said");
        Played { recording, sessions, counters, refused, unasked }
    }
}

/// A message without what may differ: the id of a request.
fn alike(message: &Value) -> String {
    match message.get("method") {
        Some(method) => json!([method, message["params"]]).to_string(),
        None => json!([message["id"], message["result"]]).to_string(),
    }
}

/// Writes a message; an answer with our id in the place of the recorded one.
async fn say(stdout: &mut DuplexStream, message: &Value, id: Option<&Value>) {
    let mut message = message.clone();
    if let Some(id) = id {
        message["id"] = id.clone();
    }
    stdout.write_all(format!("{message}\n").as_bytes()).await.unwrap();
}
