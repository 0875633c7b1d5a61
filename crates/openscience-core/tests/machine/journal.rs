//! What every journal must keep to, whatever happened.

use std::collections::{BTreeMap, BTreeSet};

use openscience_core::effect::Effect;
use openscience_protocol::PartBody;
use serde_json::Value;

use crate::store::{Store, units};

/// What the events tell, read as a client does.
#[derive(Debug, Default)]
pub(crate) struct Told {
    /// Text and its length by part id; no text if an event told its length only.
    texts: BTreeMap<String, (Option<String>, u64)>,
    /// State words by turn id.
    turns: BTreeMap<String, Vec<String>>,
    /// Decisions that wait.
    waiting: BTreeSet<String>,
    /// Decisions that were answered or closed.
    decided: BTreeSet<String>,
    live: Option<String>,
    over: BTreeSet<String>,
    over_last: Option<String>,
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
    assert_eq!(
        told.live.as_deref(),
        store.runs.iter().find(|run| !run.state.is_terminal()).map(|run| run.id.as_str())
    );
    assert_eq!(told.over.len() + usize::from(told.live.is_some()), store.runs.len());
    told
}

impl Told {
    fn take(&mut self, event_type: &str, run: &str, properties: &Value) {
        if event_type == "runtime.accepted" {
            assert_eq!(self.live, None, "one run at a time");
            assert!(!self.over.contains(run), "a run is accepted once");
            self.live = Some(run.to_owned());
        }
        assert_eq!(self.live.as_deref(), Some(run), "only a live run is told of: {event_type}");
        match event_type {
            "runtime.completed" | "runtime.failed" | "runtime.cancelled" => self.terminal(run),
            "turn.updated" => self.turn(properties),
            "permission.asked" => {
                assert!(self.waiting.insert(word(&properties["id"])), "asked once");
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
        self.live = None;
        self.over_last = Some(run.to_owned());
        assert!(self.over.insert(run.to_owned()));
        assert!(self.waiting.is_empty(), "nothing asked is left open: {:?}", self.waiting);
        for (turn, states) in &self.turns {
            assert!(states.len() >= 2, "{turn} {states:?}");
            assert!(
                !matches!(states.last().map(String::as_str), Some("ready" | "active")),
                "{turn} {states:?}"
            );
        }
    }

    fn turn(&mut self, properties: &Value) {
        let states = self.turns.entry(word(&properties["turnID"])).or_default();
        let state = word(&properties["state"]);
        match (states.last().map(String::as_str), state.as_str()) {
            (None, "ready")
            | (Some("ready"), "active")
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

/// The text the events tell is the text the rows hold. Of the newest messages: late updates change
/// rows only, and only of an answer that is over.
pub(crate) fn check_texts_of_live(store: &Store) {
    let told = read(store);
    let run = told.live.clone().or_else(|| told.over_last.clone());
    let run = store.runs.iter().find(|row| Some(row.id.as_str()) == run.as_deref());
    let Some(first) = run.and_then(|run| store.position(&run.message_id)) else { return };
    for part in store.parts.range((first, 0)..).map(|(_, part)| part) {
        let is_text = matches!(part.part.body, PartBody::Text(_) | PartBody::Reasoning(_));
        match told.texts.get(part.part.id.as_str()) {
            Some((Some(text), _)) => assert!(*text == store.text(part), "{:?} differs", part.part.id),
            Some((None, _)) => {}
            None => assert!(!is_text, "{:?} was never told of", part.part.id),
        }
    }
}

/// Nothing is done twice for the same turn, run or decision.
pub(crate) fn check_effects(effects: &[Effect]) {
    let mut done = BTreeSet::new();
    for effect in effects {
        let name = match effect {
            Effect::StartTurn(plan) => format!("start {}", plan.turn),
            Effect::CancelTurn { turn } => format!("cancel {turn}"),
            Effect::EscalateTurn { turn } => format!("escalate {turn}"),
            Effect::TurnOver { turn } => format!("over {turn}"),
            Effect::AwaitDecision { decision, .. } => format!("await {decision}"),
            Effect::AnswerDecision { decision, .. } => format!("answer {decision}"),
            Effect::RefuseRequest { key } => format!("refuse {key:?}"),
            Effect::RunOver { run } => format!("run over {run}"),
            Effect::DecisionSettled { .. } => continue,
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
