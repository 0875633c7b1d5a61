//! One event keeps its bound, whatever an agent or a person sends; rows stay whole.

use openscience_core::input::{AgentUpdate, Observation, Opened, TurnEnd};
use openscience_protocol::message::{PartBody, ToolState};
use openscience_protocol::{PermissionReply, RunError};
use serde_json::{Value, json};

use crate::journal;
use crate::world::{World, input, reply_to, words};

const MIB: usize = 1 << 20;

fn check(world: &World) {
    journal::check_bounds(&world.store, world.limits.max_event_bytes);
    journal::check_texts_of_live(&world.store, 0);
}

#[test]
fn long_texts_are_told_in_pieces_and_stored_whole() {
    for filler in ["\u{1}", "👍", "\""] {
        let text = filler.repeat(MIB / filler.len());
        let (mut world, _) = World::running("a");
        world.see(words(false, None, &text));
        world.see(words(true, Some(&"m".repeat(MIB)), &text));
        let chunk = json!({ "type": "text", "text": text });
        world.update(json!({ "sessionUpdate": "agent_thought_chunk", "content": chunk }));
        world.end("end_turn");
        check(&world);
        let texts: Vec<String> = world.store.parts.values().map(|part| world.store.text(part)).collect();
        assert_eq!(texts[2], text);
        assert_eq!(texts[3], text.repeat(2), "an overlong message id is none");
    }
}

#[test]
fn text_beyond_one_part_goes_on_in_a_new_one() {
    let (mut world, _) = World::running("a");
    world.limits.max_part_bytes = 100_000;
    let text = "0123456789".repeat(25_000);
    world.say(&text);
    world.end("end_turn");
    check(&world);
    let texts: Vec<String> =
        world.store.parts.range((2, 2)..).map(|(_, part)| world.store.text(part)).collect();
    assert!(texts.iter().all(|text| text.len() <= 100_000));
    assert_eq!(texts.concat(), text);
    assert!(texts.len() > 2);
}

#[test]
fn long_prompts_are_told_by_their_length() {
    for message in ["x".repeat(1_000_000), "\u{1}".repeat(60_000), "é".repeat(1_000_000)] {
        let mut world = World::new();
        let subtask = json!({ "type": "subtask", "prompt": message, "description": message, "agent": "a" });
        let agent = json!({ "type": "agent", "name": message });
        let parts = json!([{ "type": "text", "text": message }, subtask, agent]);
        world.submit(input(json!({ "parts": parts, "variant": message, "tier": message }))).unwrap();
        check(&world);
        let told = &world.store.events[2].1["properties"]["part"];
        assert_eq!(
            (&told["text"], &told["textLength"]),
            (&Value::Null, &json!(message.encode_utf16().count()))
        );
        let stored = &world.store.parts[&(1, 1)];
        assert_eq!(world.store.text(stored), message);
    }
}

#[test]
fn large_tools_are_cut_in_the_middle_and_stored_whole() {
    let output = "\u{1}".repeat(MIB / 2);
    let large = json!({ "content": "y".repeat(2 * MIB) });
    for status in ["pending", "in_progress", "completed", "failed"] {
        let (mut world, _) = World::running("a");
        world.update(json!({
            "sessionUpdate": "tool_call", "toolCallId": "c", "title": output, "kind": "edit", "status": status,
            "rawInput": large, "rawOutput": output, "locations": [{ "path": output }],
            "content": [{ "type": "diff", "path": "/a", "oldText": output, "newText": output }],
        }));
        world.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": output, "status": status }));
        world.update(json!({ "sessionUpdate": "tool_call_update", "toolCallId": "c", "title": "short" }));
        world.end("end_turn");
        check(&world);
        let told = world
            .store
            .events
            .iter()
            .find(|(_, event)| event["properties"]["part"]["callID"] == "c")
            .unwrap();
        assert!(told.1.to_string().contains("\"truncated\":true"), "{status}");
        let PartBody::Tool(tool) = &world.store.parts[&(2, 2)].part.body else { panic!() };
        let input = match &tool.state {
            ToolState::Completed(state) => &state.input,
            ToolState::Error(state) => &state.input,
            other => panic!("{other:?}"),
        };
        assert_eq!(*input, large);
    }
}

#[test]
fn a_file_too_large_for_an_event_is_told_without_its_address() {
    let (mut world, _) = World::running("a");
    let mut chunk = |data: String| {
        let image = json!({ "type": "image", "data": data, "mimeType": "image/png" });
        world.update(json!({ "sessionUpdate": "agent_message_chunk", "content": image }));
        let (_, event) = world.store.events.last().unwrap();
        event["properties"]["part"].clone()
    };
    let small = chunk("AAAA".to_owned());
    assert_eq!((&small["url"], small.get("source")), (&json!("data:image/png;base64,AAAA"), None));
    let large = chunk("A".repeat(MIB));
    let bytes = "data:image/png;base64,".len() + MIB;
    assert_eq!(
        (&large["url"], &large["source"]),
        (&json!(""), &json!({ "truncated": true, "bytes": bytes }))
    );
    assert_eq!((&large["type"], &large["mime"]), (&json!("file"), &json!("image/png")));
    world.end("end_turn");
    check(&world);
    let stored = world.store.parts.values().filter_map(|row| match &row.part.body {
        PartBody::File(file) => Some(file.url.len()),
        _ => None,
    });
    assert_eq!(stored.max(), Some(bytes), "whole in the message");
}

#[test]
fn large_requests_and_answers_keep_the_bound() {
    let (mut world, _) = World::running("a");
    let command = format!("echo {}; rm b", "\u{1}".repeat(2 * MIB));
    let id = world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": command } }));
    let request = world.store.decisions[&id].permission().unwrap();
    assert_eq!(request.patterns.len(), 2);
    assert_eq!(request.patterns[1], "rm b");
    assert!(json!(request).to_string().len() <= 120 << 10);
    let different: Vec<String> = (0..100_000).map(|number| format!("c{number}")).collect();
    let many = "a;b;".repeat(MIB / 4) + &different.join(";");
    world.ask(json!({ "toolCallId": "d", "kind": "execute", "rawInput": { "command": many } }));
    world
        .command(world.decision_of(reply_to(&id, PermissionReply::Reject, Some(&"\u{1}".repeat(100_000)))))
        .unwrap();
    check(&world);
}

#[test]
fn everything_else_keeps_the_bound_too() {
    let long = "\u{1}".repeat(MIB);
    let (mut world, _) = World::running("a");
    let entry = json!({ "content": long, "priority": "low", "status": "pending" });
    let entries: Vec<&Value> = std::iter::repeat_n(&entry, 3).collect();
    world.update(json!({ "sessionUpdate": "plan", "entries": entries }));
    let entry = json!({ "content": "c", "priority": "low", "status": "pending" });
    let entries: Vec<&Value> = std::iter::repeat_n(&entry, 20_000).collect();
    world.update(json!({ "sessionUpdate": "plan", "entries": entries }));
    world.update(json!({ "sessionUpdate": "current_mode_update", "currentModeId": long }));
    world.update(json!({ "sessionUpdate": "session_info_update", "title": long }));
    let command = json!({ "name": "n", "description": long });
    world.update(json!({ "sessionUpdate": "available_commands_update", "availableCommands": [command] }));
    let image = json!({ "type": "image", "data": "A".repeat(MIB), "mimeType": "image/png" });
    world.update(json!({ "sessionUpdate": "agent_message_chunk", "content": image }));
    world.see(Observation::Update(AgentUpdate::Stderr(long.clone())));
    let raw = Some(json!({ "x": long }));
    world.see(Observation::Update(AgentUpdate::Unknown { kind: Some("odd".to_owned()), raw }));
    let (_, event) = world.store.events.last().unwrap();
    assert_eq!((&event["properties"]["truncated"], event["properties"].get("raw")), (&json!(true), None));
    let opened = Opened { fresh: true, agent_info: Some(json!({ "name": long })), ..Opened::default() };
    world.see(Observation::SessionOpened { turn: world.turn(), opened: Box::new(opened) });
    let mut error = RunError::new("agent_exited", long.clone());
    error.stderr = Some(long);
    world.see(Observation::TurnEnded { turn: world.turn(), end: TurnEnd::Failed(error) });
    check(&world);
    let (event_type, event) = world.store.events.last().unwrap();
    assert_eq!(
        (*event_type, &event["properties"]["error"]["code"]),
        ("runtime.failed", &json!("agent_exited"))
    );
}

#[test]
fn a_smaller_bound_is_kept_as_well() {
    let (mut world, _) = World::running("a");
    world.limits.max_event_bytes = 16 << 10;
    world.say(&"\u{1}".repeat(100_000));
    world.update(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "kind": "read", "status": "completed",
        "rawOutput": "\u{1}".repeat(100_000),
    }));
    world.end("end_turn");
    check(&world);
}
