use serde_json::{Value, json};

use super::*;

fn update(call: &str, fields: Value) -> ToolCallUpdate {
    let mut whole = fields;
    whole["toolCallId"] = json!(call);
    serde_json::from_value(whole).unwrap()
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "content", "content": { "type": "text", "text": text } }] })
}

#[test]
fn a_call_is_told_at_once_and_then_four_times_a_second() {
    let mut pacer = Pacer::default();
    let told: Vec<Millis> = (0..1_000)
        .filter(|ms| {
            let due = !pacer.due(*ms).is_empty();
            pacer.push(update("a", text(&ms.to_string())), *ms).is_some() || due
        })
        .collect();
    assert_eq!(told, [0, 250, 500, 750]);
}

#[test]
fn the_newest_text_wins_and_what_it_leaves_out_stays() {
    let mut pacer = Pacer::default();
    pacer.push(update("a", json!({ "status": "in_progress" })), 0);
    assert_eq!(pacer.push(update("a", json!({ "title": "build" })), 10), None);
    assert_eq!(pacer.push(update("a", text("one")), 20), None);
    assert_eq!(pacer.push(update("a", text("two")), 30), None);
    assert_eq!(pacer.deadline(), Some(250));
    let mut expected = text("two");
    expected["title"] = json!("build");
    assert_eq!(pacer.due(250), [update("a", expected)]);
    assert_eq!(pacer.deadline(), None);
}

#[test]
fn the_end_of_a_call_is_never_held_and_carries_what_was() {
    let mut pacer = Pacer::default();
    pacer.push(update("a", text("one")), 0);
    pacer.push(update("a", text("two")), 1);
    let ended = pacer.push(update("a", json!({ "status": "completed" })), 2);
    let mut expected = text("two");
    expected["status"] = json!("completed");
    assert_eq!(ended, Some(update("a", expected)));
}

#[test]
fn calls_do_not_hold_up_each_other_and_the_turn_s_end_lets_all_go() {
    let mut pacer = Pacer::default();
    assert!(pacer.push(update("a", text("one")), 0).is_some());
    assert!(pacer.push(update("b", text("one")), 1).is_some());
    pacer.push(update("a", text("two")), 2);
    pacer.push(update("b", text("two")), 3);
    assert_eq!(pacer.finish().len(), 2);
    assert!(pacer.push(update("a", text("next turn")), 4).is_some());
}
