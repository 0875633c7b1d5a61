//! How does a client use one session: prompt, wait, decide, cancel, read?

use reqwest::Method;
use serde_json::{Value, json};

use super::client::Reply;
use super::daemon::Daemon;
use super::events::{Event, Sse, Transcript};
use super::wait::eventually;

/// A session of a daemon.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Session<'a> {
    pub(crate) daemon: &'a Daemon,
    id: &'a str,
}

/// A prompt body under construction.
#[derive(Debug, Clone)]
pub(crate) struct Prompt(pub(crate) Value);

impl Prompt {
    /// A prompt with a fresh identity: two of them are two prompts.
    pub(crate) fn text(message: &str) -> Self {
        Self(json!({"effort": "normal", "message": message}))
    }

    /// With an idempotency key.
    pub(crate) fn key(self, request: &str) -> Self {
        self.with("requestID", request)
    }

    pub(crate) fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.0[key] = value.into();
        self
    }
}

impl Daemon {
    /// Creates a session and gives its id.
    pub(crate) async fn create(&self, body: &Value) -> String {
        let session = self.post("/session", body).await.json(200);
        session["id"].as_str().expect("a session id").to_owned()
    }

    /// A new session in the project directory.
    pub(crate) async fn new_session(&self) -> String {
        self.create(&json!({"workspace": "project"})).await
    }

    pub(crate) fn session<'a>(&'a self, id: &'a str) -> Session<'a> {
        Session { daemon: self, id }
    }
}

impl<'a> Session<'a> {
    pub(crate) fn id(&self) -> &'a str {
        self.id
    }

    /// Submits a prompt; whatever comes back.
    pub(crate) async fn submit(&self, prompt: &Prompt) -> Reply {
        let body = prompt.clone().with("sessionID", self.id);
        self.daemon.post("/runtime/prompt", &body.0).await
    }

    /// Submits a prompt that must be accepted; its run id.
    pub(crate) async fn prompt(&self, prompt: &Prompt) -> String {
        let accepted = self.submit(prompt).await.json(202);
        assert!(accepted["acceptedAt"].is_i64(), "{accepted}");
        accepted["runID"].as_str().expect("a run id").to_owned()
    }

    /// Submits a text.
    pub(crate) async fn say(&self, message: &str) -> String {
        self.prompt(&Prompt::text(message)).await
    }

    /// Submits a text and waits for its end; the receipt.
    pub(crate) async fn finish(&self, message: &str) -> Value {
        let run = self.say(message).await;
        self.settled(&run).await
    }

    pub(crate) async fn lookup(&self, run: &str) -> Reply {
        self.daemon.get(&format!("/runtime/run?sessionID={}&runID={run}", self.id)).await
    }

    pub(crate) async fn run(&self, run: &str) -> Value {
        self.lookup(run).await.json(200)
    }

    /// Waits until the run is at work.
    pub(crate) async fn running(&self, run: &str) {
        eventually("it runs", async || (self.run(run).await["state"] == "running").then_some(())).await;
    }

    /// The receipt once it is final.
    pub(crate) async fn settled(&self, run: &str) -> Value {
        eventually("the run settles", async || {
            let receipt = self.run(run).await;
            let state = receipt["state"].as_str().expect("a state").to_owned();
            match state.as_str() {
                "accepted" | "running" => None,
                "completed" | "failed" | "cancelled" | "interrupted" => Some(receipt),
                other => panic!("no such state: {other}"),
            }
        })
        .await
    }

    pub(crate) async fn snapshot(&self) -> Value {
        self.daemon.get(&format!("/runtime/snapshot?sessionID={}", self.id)).await.json(200)
    }

    /// The newest sequence.
    pub(crate) async fn latest(&self) -> u64 {
        self.snapshot().await["latestSequence"].as_u64().expect("latestSequence")
    }

    /// All retained events after a cursor, page by page.
    pub(crate) async fn events(&self, after: u64) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        loop {
            let cursor = events.last().map_or(after, |event| event.sequence);
            let path = format!("/runtime/events/replay?sessionID={}&afterSequence={cursor}", self.id);
            let page = self.daemon.get(&path).await.json(200);
            let found = page["events"].as_array().expect("events");
            if found.is_empty() {
                assert_eq!(page["latestSequence"].as_u64(), Some(cursor), "an empty page is the end");
                return events;
            }
            events.extend(found.iter().map(|event| Event::parse(event, self.id)));
            let sequences =
                events.windows(2).all(|pair| matches!(pair, [a, b] if a.sequence + 1 == b.sequence));
            assert!(sequences, "replay has a gap");
        }
    }

    /// Subscribes after a cursor.
    pub(crate) async fn stream(&self, after: u64) -> Sse {
        let path = format!("/runtime/events?sessionID={}&afterSequence={after}", self.id);
        Sse::open(self.daemon.request(Method::GET, &path), self.id, Some(after)).await
    }

    /// Waits for the first pending permission.
    pub(crate) async fn permission(&self) -> Value {
        self.permissions(1).await.remove(0)
    }

    /// Waits until exactly so many permissions are pending.
    pub(crate) async fn permissions(&self, count: usize) -> Vec<Value> {
        eventually("the permissions are pending", async || {
            let snapshot = self.snapshot().await;
            let pending = snapshot["permissions"].as_array().expect("permissions").clone();
            (pending.len() == count).then_some(pending)
        })
        .await
    }

    /// Waits for the first pending question.
    pub(crate) async fn question(&self) -> Value {
        eventually("the question is pending", async || {
            let snapshot = self.snapshot().await;
            snapshot["questions"].as_array().expect("questions").first().cloned()
        })
        .await
    }

    /// Answers a question; whatever comes back.
    pub(crate) async fn tell(&self, question: &Value, answers: &Value) -> Reply {
        let body = json!({
            "kind": "question", "sessionID": self.id, "requestID": question["id"], "answers": answers,
        });
        self.daemon.post("/runtime/decision", &body).await
    }

    /// Dismisses a question; whatever comes back.
    pub(crate) async fn dismiss(&self, question: &Value) -> Reply {
        let body = json!({"kind": "question_reject", "sessionID": self.id, "requestID": question["id"]});
        self.daemon.post("/runtime/decision", &body).await
    }

    /// Answers a permission; whatever comes back.
    pub(crate) async fn reply(&self, request: &str, reply: &str) -> Reply {
        let body = json!({"kind": "permission", "sessionID": self.id, "requestID": request, "reply": reply});
        self.daemon.post("/runtime/decision", &body).await
    }

    pub(crate) async fn cancel(&self, run: &str) -> Reply {
        self.daemon.post("/runtime/cancel", &json!({"sessionID": self.id, "runID": run})).await
    }

    pub(crate) async fn messages(&self) -> Vec<Value> {
        let messages = self.daemon.get(&format!("/session/{}/message", self.id)).await.json(200);
        messages.as_array().expect("messages").clone()
    }

    /// The text of the message a run ended with.
    pub(crate) async fn answer(&self, receipt: &Value) -> String {
        let id = receipt["resultMessageID"].as_str().unwrap_or_else(|| panic!("no result: {receipt}"));
        let message = self.daemon.get(&format!("/session/{}/message/{id}", self.id)).await.json(200);
        Transcript::text_of(&message)
    }

    /// What the events say must be what the messages say.
    pub(crate) async fn assert_transcript_is_told(&self) {
        let told = Transcript::of(&self.events(0).await);
        told.assert_is(&self.messages().await);
    }
}
