//! What comes when its turn is over: rows may change, the journal does not.

use openscience_protocol::message::PartBody;
use serde_json::json;

use crate::journal;
use crate::world::{World, words};

/// All texts of a message.
fn texts(world: &World, message: i64) -> Vec<String> {
    let parts = world.store.parts.range((message, 0)..(message + 1, 0));
    let text = |part| Some(world.store.text(part)).filter(|text| !text.is_empty());
    parts.filter_map(|(_, part)| text(part)).collect()
}

fn over() -> World {
    let (mut world, _) = World::running("a");
    world.see(words(false, Some("m1"), "one"));
    world.end("end_turn");
    world
}

#[test]
fn late_text_joins_its_part_and_nobody_is_told() {
    let mut world = over();
    let events = world.store.events.len();
    world.see(words(false, Some("m1"), " late"));
    world.see(words(false, None, " later"));
    world.see(words(true, Some("m1"), "a thought"));
    world.see(words(false, Some("m9"), "unknown"));
    assert_eq!(texts(&world, 2), ["one late later"]);
    assert_eq!(world.store.events.len(), events);
    assert!(world.store.parts.values().all(|part| !part.open));
}

#[test]
fn during_the_next_turn_only_text_that_names_its_message_is_late() {
    let mut world = over();
    world.prompt("b", "next");
    assert!(world.see(words(false, None, " before the prompt is written")).is_empty());
    world.start();
    world.see(words(false, Some("m2"), "two"));
    assert!(world.see(words(false, Some("m1"), " late")).is_empty());
    world.see(words(false, None, "three"));
    assert_eq!(texts(&world, 2), ["one before the prompt is written late"]);
    assert_eq!(texts(&world, 4), ["two", "three"]);
    journal::check_texts_of_live(&world.store, 0);
}

#[test]
fn a_restored_machine_that_is_told_of_the_answer_before_goes_on_with_it() {
    let (mut world, _) = World::running("a");
    world.see(words(false, Some("m1"), "one"));
    world.update(json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "T", "kind": "other" }));
    world.end("end_turn");
    let over: Vec<_> = world.machine.answers().cloned().collect();
    world.prompt("b", "next");
    world.start();
    world.see(words(false, Some("m2"), "two"));
    let known: Vec<_> = world.machine.answers().cloned().collect();
    let lived = world.machine.state().recent.clone();
    let me = world.me.to_string();
    world.restart(&me);
    assert_eq!(world.machine.answers().collect::<Vec<_>>(), known[..1].iter().collect::<Vec<_>>());
    assert_eq!(known[1..], over[..1]);
    world.machine.recall(&world.store.message_rows(2));
    assert_eq!(world.machine.state().recent, lived);
    world.see(words(false, Some("m1"), " late"));
    assert_eq!(texts(&world, 2), ["one late"]);
    assert_eq!(texts(&world, 4), ["two"]);
}

#[test]
fn an_agent_that_reuses_a_message_id_goes_on_in_its_new_answer() {
    let mut world = over();
    world.prompt("b", "next");
    world.start();
    // The first text with the old id is taken for late text of the old answer.
    world.see(words(false, Some("m2"), "two"));
    world.see(words(false, Some("m2"), " more"));
    assert_eq!(texts(&world, 4), ["two more"]);
}

#[test]
fn a_run_that_said_nothing_does_not_hide_the_answer_before_it() {
    let mut world = over();
    world.prompt("b", "next");
    world.fail("agent_start_failed");
    world.see(words(false, Some("m1"), " late"));
    assert_eq!(texts(&world, 2), ["one late"]);
}

#[test]
fn without_a_run_what_is_told_of_the_session_is_stored_and_not_journaled() {
    let mut world = over();
    let events = world.store.events.len();
    world.update(json!({ "sessionUpdate": "current_mode_update", "currentModeId": "ask" }));
    world.update(json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2 }));
    world.update(json!({ "sessionUpdate": "session_info_update", "title": "T" }));
    world.update(json!({ "sessionUpdate": "available_commands_update", "availableCommands": [] }));
    let plan = json!([{ "content": "c", "priority": "high", "status": "completed" }]);
    world.update(json!({ "sessionUpdate": "plan", "entries": plan }));
    let row = &world.store.session;
    assert_eq!((row.title.as_str(), row.meta.mode.as_deref(), row.meta.todos.len()), ("T", Some("ask"), 1));
    assert_eq!(world.store.events.len(), events);
}

#[test]
fn what_says_nothing_new_is_not_told_again() {
    let (mut world, _) = World::running("a");
    for update in [
        json!({ "sessionUpdate": "current_mode_update", "currentModeId": "ask" }),
        json!({ "sessionUpdate": "usage_update", "used": 1, "size": 2 }),
        json!({ "sessionUpdate": "session_info_update", "title": "T" }),
        json!({ "sessionUpdate": "available_commands_update", "availableCommands": [] }),
        json!({ "sessionUpdate": "config_option_update", "configOptions": [] }),
        json!({ "sessionUpdate": "plan", "entries": [{ "content": "c", "priority": "high", "status": "pending" }] }),
    ] {
        assert_eq!(world.update(update.clone()).len(), 1, "{update}");
        let revision = world.store.session.revision;
        assert_eq!(world.update(update.clone()).len(), 0, "{update}");
        assert_eq!(world.store.session.revision, revision);
    }
}

#[test]
fn an_echo_of_the_prompt_is_dropped_and_other_content_becomes_files() {
    let (mut world, _) = World::running("a");
    let echo = json!({ "sessionUpdate": "user_message_chunk", "content": { "type": "text", "text": "go" } });
    assert!(world.update(echo).is_empty());
    let image = json!({ "type": "image", "data": "AA==", "mimeType": "image/png" });
    let chunk = json!({ "sessionUpdate": "agent_message_chunk", "content": image });
    assert_eq!(world.update(chunk.clone()), ["message.part.updated"]);
    let file = world.store.parts.values().next_back().unwrap();
    assert!(matches!(&file.part.body, PartBody::File(file) if file.url == "data:image/png;base64,AA=="));
    world.end("end_turn");
    assert!(world.update(chunk).is_empty());
}
