//! What every journal must keep to, whatever happened.

use std::collections::{BTreeMap, BTreeSet};

use openscience_core::effect::Effect;
use openscience_protocol::row::MessageRow;
use openscience_protocol::{MessageInfo, PartBody};
use serde_json::Value;

use crate::store::{Store, units};

/// What the events tell, read as a client does.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Text and its length by part id; no text if an event told its length only.
    texts: BTreeMap<String, (Option<String>, u64)>,
    /// Run and state words by turn id.
    turns: BTreeMap<String, (String, Vec<String>)>,
    /// Decisions that wait, with their run.
    waiting: BTreeMap<String, String>,
    /// Decisions that were answered or closed.
    decided: BTreeSet<String>,
    /// The run at work, then the one that waits.
    open: Vec<String>,
    over: BTreeSet<String>,
}

fn word(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("a word: {value}")).to_owned()
}

/// Reads all events and checks what holds for each prefix of them.
pub(crate) fn read(store: &Store) -> Told {
    let mut told = Told::default();
    for (event_type, event) in &store.events {
        assert_eq!(event["type"], **event_type);
        told.take(event_type, &word(&event["runID"]), &event["properties"]);
    }
    let open: Vec<&str> =
        store.runs.iter().filter(|run| !run.state.is_terminal()).map(|run| run.id.as_str()).collect();
    assert_eq!(told.open, open);
    assert_eq!(told.over.len() + told.open.len(), store.runs.len());
    told
}

impl Told {
    fn take(&mut self, event_type: &str, run: &str, properties: &Value) {
        if event_type == "runtime.accepted" {
            assert!(self.open.len() < 2, "one run is executed and one waits");
            assert!(!self.over.contains(run) && !self.open.iter().any(|open| open == run), "accepted once");
            self.open.push(run.to_owned());
        }
        assert!(self.open.iter().any(|open| open == run), "only of runs that have not ended: {event_type}");
        match event_type {
            "runtime.completed" | "runtime.failed" | "runtime.cancelled" => self.terminal(run),
            "turn.updated" => self.turn(run, properties),
            "permission.asked" => {
                assert_eq!(self.waiting.insert(word(&properties["id"]), run.to_owned()), None, "asked once");
            }
            "permission.replied" | "permission.cancelled" => {
                let id = word(&properties["requestID"]);
                self.waiting.remove(&id);
                assert!(self.decided.insert(id), "answered or closed once");
            }
            "message.part.updated" => self.part(properties),
            _ => {}
        }
    }

    fn terminal(&mut self, run: &str) {
        self.open.retain(|open| open != run);
        assert!(self.over.insert(run.to_owned()));
        assert!(!self.waiting.values().any(|of| of == run), "nothing asked is left open: {:?}", self.waiting);
        for (turn, (_, states)) in self.turns.iter().filter(|(_, (of, _))| of == run) {
            assert!(states.len() >= 2, "{turn} {states:?}");
            assert!(
                !matches!(states.last().map(String::as_str), Some("ready" | "active")),
                "{turn} {states:?}"
            );
        }
    }

    fn turn(&mut self, run: &str, properties: &Value) {
        let (of, states) = self.turns.entry(word(&properties["turnID"])).or_default();
        run.clone_into(of);
        let state = word(&properties["state"]);
        match (states.last().map(String::as_str), state.as_str()) {
            (None, "ready")
            | (Some("ready"), "active" | "coalesced" | "withdrawn")
            | (Some("ready" | "active"), "completed" | "failed" | "cancelled") => {}
            (last, next) => panic!("a turn went from {last:?} to {next}"),
        }
        states.push(state);
    }

    fn part(&mut self, properties: &Value) {
        let part = &properties["part"];
        if !matches!(part["type"].as_str(), Some("text" | "reasoning")) {
            return;
        }
        let known = self.texts.entry(word(&part["id"]));
        match (properties.get("delta"), part.get("text")) {
            (Some(delta), None) => {
                let (text, length) = known.or_default();
                assert_eq!(properties["offset"], *length);
                text.as_mut().expect("a text that grows was opened whole").push_str(&word(delta));
                *length += units(&word(delta));
                assert_eq!(part["textLength"], *length);
            }
            (None, Some(text)) => {
                let text = word(text);
                let length = units(&text);
                known
                    .and_modify(|(known, _)| assert!(known.as_deref() == Some(&text), "closes as it grew"))
                    .or_insert((Some(text), length));
            }
            (None, None) => {
                let length = part["textLength"].as_u64().unwrap();
                known.and_modify(|(_, known)| assert_eq!(length, *known)).or_insert((None, length));
            }
            (Some(_), Some(_)) => panic!("both whole and growing: {properties}"),
        }
    }
}

/// The text the events tell is the text the rows hold. Not of answers that are over: late updates
/// change rows only. But of one whose end is among the events after the first `since`.
pub(crate) fn check_texts_of_live(store: &Store, since: usize) {
    let told = read(store);
    let over = |row: &MessageRow| match &row.info {
        MessageInfo::Assistant(info) => info.time.completed.is_some(),
        MessageInfo::User(_) => false,
    };
    // Closed, then the status, then the terminal.
    let closed =
        store.events.iter().skip(since).rev().nth(2).map(|(_, event)| &event["properties"]["info"]["id"]);
    let just_closed = |row: &MessageRow| closed.is_some_and(|id| id == row.info.id().as_str());
    for row in store.messages.values().filter(|row| !over(row) || just_closed(row)) {
        for part in store.parts.range((row.position, 0)..(row.position + 1, 0)).map(|(_, part)| part) {
            let is_text = matches!(part.part.body, PartBody::Text(_) | PartBody::Reasoning(_));
            match told.texts.get(part.part.id.as_str()) {
                Some((Some(text), _)) => assert!(*text == store.text(part), "{:?} differs", part.part.id),
                Some((None, _)) => {}
                None => assert!(!is_text, "{:?} was never told of", part.part.id),
            }
        }
    }
}

/// Nothing is done twice for the same turn, run or decision.
pub(crate) fn check_effects(effects: &[Effect]) {
    let mut done = BTreeSet::new();
    for effect in effects {
        let name = match effect {
            // Another turn may have been put before one whose agent was still being made ready.
            // A machine that was restored asks for files again.
            Effect::StartTurn(_)
            | Effect::TellGrants
            | Effect::DecisionSettled { .. }
            | Effect::CollectFiles { .. } => continue,
            Effect::SendPrompt { turn, .. } => format!("send {turn}"),
            Effect::CancelTurn { turn } => format!("cancel {turn}"),
            Effect::EscalateTurn { turn } => format!("escalate {turn}"),
            Effect::TurnOver { turn } => format!("over {turn}"),
            Effect::AwaitDecision { decision, .. } => format!("await {decision}"),
            Effect::AnswerDecision { decision, .. } => format!("answer {decision}"),
            Effect::RefuseRequest { key } => format!("refuse {key:?}"),
            Effect::ServeRequest { key } => format!("serve {key:?}"),
            Effect::FinalizeFiles { claim } => format!("finalize {}", claim.id),
            Effect::RunOver { run } => format!("run over {run}"),
        };
        assert!(done.insert(name.clone()), "done twice: {name}");
    }
}

/// Every frame fits.
pub(crate) fn check_bounds(store: &Store, bytes_max: usize) {
    for (index, (event_type, event)) in store.events.iter().enumerate() {
        let mut wire = event.clone();
        wire["sequence"] = Value::from(index + 1);
        wire["sessionID"] = Value::from("ses_".to_owned() + &"x".repeat(120));
        let frame = format!("id: {}\nevent: {event_type}\ndata: {wire}\n\n", index + 1);
        assert!(frame.len() <= bytes_max, "{event_type} has {} bytes", frame.len());
    }
}
