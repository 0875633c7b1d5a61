//! Is the read model that is told the one that is read?

use std::collections::BTreeMap;

use reqwest::Method;
use serde_json::Value;

use super::daemon::Daemon;
use super::wait::PATIENCE;

const NAMES: [&str; 8] = [
    "thread_entry_added",
    "thread_entry_updated",
    "diff_updated",
    "terminal_updated",
    "operation_projection_updated",
    "permission_projection_updated",
    "metadata_projection_updated",
    "usage_projection_updated",
];

/// A stream of updates, read strictly, and what they come to.
#[derive(Debug)]
pub(crate) struct Updates {
    response: reqwest::Response,
    buffer: Vec<u8>,
    revision: i64,
    /// Names in order.
    pub(crate) names: Vec<String>,
    /// The newest form of each object, by kind and id.
    objects: BTreeMap<String, Value>,
}

impl Updates {
    /// Connects, then reads the state, as a client would.
    pub(crate) async fn open(daemon: &Daemon, session: &str) -> Self {
        let request = daemon.request(Method::GET, &format!("/session/{session}/state/events"));
        let response = tokio::time::timeout(PATIENCE, request.send()).await.expect("headers at once");
        let response = response.expect("a response");
        assert_eq!(response.status().as_u16(), 200);
        let mut updates =
            Self { response, buffer: Vec::new(), revision: -1, names: Vec::new(), objects: BTreeMap::new() };
        let state = daemon.get(&format!("/session/{session}/state")).await.json(200);
        updates.objects = objects(&state);
        updates.revision = state["revision"].as_i64().expect("a revision");
        updates
    }

    /// The next update; none once the daemon ended the stream between two frames.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let frame: Vec<u8> = self.buffer.drain(..end + 2).take(end).collect();
                let frame = String::from_utf8(frame).expect("frames are UTF-8");
                if frame.starts_with(':') {
                    continue;
                }
                let (name, data) = frame.split_once('\n').unwrap_or_else(|| panic!("two lines: {frame}"));
                let name = name.strip_prefix("event: ").expect("a name");
                let data = data.strip_prefix("data: ").expect("data");
                let update: Value = serde_json::from_str(data).expect("JSON");
                self.take(name, &update);
                return Some(update);
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk()).await.expect("news in time");
            let bytes = chunk.expect("a stream that is not cut")?;
            self.buffer.extend_from_slice(&bytes);
        }
    }

    fn take(&mut self, name: &str, update: &Value) {
        assert!(NAMES.contains(&name) && update["type"] == name, "{name}: {update}");
        let revision = update["revision"].as_i64().expect("a revision");
        // What was read is newer than what was told before.
        if revision > self.revision {
            for (key, object) in told(update) {
                let known = self.objects.insert(key, object);
                assert_eq!(name == "thread_entry_added", known.is_none() && update.get("entry").is_some());
            }
        }
        self.names.push(name.to_owned());
    }

    /// Reads on until what was told is what is read.
    pub(crate) async fn until_equal(&mut self, daemon: &Daemon, session: &str) -> Value {
        loop {
            let state = daemon.get(&format!("/session/{session}/state")).await.json(200);
            if objects(&state) == self.objects {
                return state;
            }
            self.next().await.expect("the stream goes on");
        }
    }
}

/// Every object of a state by kind and id.
fn objects(state: &Value) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    let list = |key: &str| state[key].as_array().expect("a list").clone();
    for entry in list("threads") {
        all.insert(format!("entry {}", entry["id"]), entry);
    }
    for diff in list("diffs") {
        all.insert(format!("diff {}", diff["path"]), diff);
    }
    for terminal in list("terminals") {
        all.insert(format!("terminal {}", terminal["terminalId"]), terminal);
    }
    for bundle in list("operations") {
        all.insert(format!("operation {}", bundle["operation"]["id"]), bundle["operation"].clone());
    }
    for request in list("permissions") {
        all.insert(format!("permission {}", request["id"]), request);
    }
    all.insert("metadata".to_owned(), state["metadata"].clone());
    all.extend(state.get("usage").map(|usage| ("usage".to_owned(), usage.clone())));
    all
}

/// The objects of an update.
fn told(update: &Value) -> Vec<(String, Value)> {
    let object = |key: &str, kind: &str, id: &str| {
        let object = update.get(key)?;
        let name = if id.is_empty() { kind.to_owned() } else { format!("{kind} {}", object[id]) };
        Some((name, object.clone()))
    };
    let all = [
        object("entry", "entry", "id"),
        object("diff", "diff", "path"),
        object("terminal", "terminal", "terminalId"),
        object("operation", "operation", "id"),
        object("request", "permission", "id"),
        object("metadata", "metadata", ""),
        object("usage", "usage", ""),
    ];
    all.into_iter().flatten().collect()
}
