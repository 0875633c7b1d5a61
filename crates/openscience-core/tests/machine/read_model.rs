//! A session as objects: what each is made of, and what is told of it when something changes.

use std::collections::{BTreeMap, BTreeSet};

use openscience_core::input::{AgentUpdate, Observation, TerminalExit, TerminalSeen, TerminalStage};
use openscience_core::read_model::{Known, derive};
use openscience_protocol::message::PartBody;
use openscience_protocol::row::StateRows;
use openscience_protocol::state::{SessionState, StateUpdate, ThreadEntry};
use openscience_protocol::{Message, PermissionReply};
use serde_json::{Value, json};

use crate::ops::{Dice, any, world as random_world};
use crate::world::{World, words};

/// The read model as a process derives it that holds these terminals.
fn state_with(world: &World, held: &[&str]) -> SessionState {
    let store = &world.store;
    let message = |row: &openscience_protocol::row::MessageRow| {
        let parts = store.parts.values().filter(|part| part.message == row.position);
        let parts = parts.map(|part| {
            let mut whole = part.part.clone();
            let text = store.text(part);
            match &mut whole.body {
                PartBody::Text(body) => body.text = text,
                PartBody::Reasoning(body) => body.text = text,
                _ => {}
            }
            whole
        });
        Message { info: row.info.clone(), parts: parts.collect() }
    };
    let rows = StateRows {
        session: store.session.clone(),
        messages: store.messages.values().map(message).collect(),
        turns: store.turns.clone(),
        decisions: store.decisions.values().cloned().collect(),
        terminals: store.terminals.values().cloned().collect(),
    };
    derive(&rows, &held.iter().map(|&id| id.to_owned()).collect::<BTreeSet<String>>())
}

fn state(world: &World) -> SessionState {
    state_with(world, &[])
}

fn json_of(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

/// Kind, text or title, and status of each entry.
fn thread(world: &World) -> Vec<String> {
    let line = |entry: &ThreadEntry| {
        let entry = json_of(entry);
        let of = |key: &str| entry[key].as_str().unwrap_or("-").to_owned();
        let text = if entry["title"].is_null() { of("text") } else { of("title") };
        format!("{} {text} {}", of("kind"), of("status"))
    };
    state(world).threads.iter().map(line).collect()
}

fn call(fields: Value) -> Value {
    let mut call = json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t" });
    call.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    call
}

fn update(fields: Value) -> Value {
    call(json!({ "sessionUpdate": "tool_call_update" })).as_object().map_or(Value::Null, |base| {
        let mut update = base.clone();
        update.remove("title");
        update.extend(fields.as_object().unwrap().clone());
        Value::Object(update)
    })
}

fn diff(path: &str, old: Value, new: &str) -> Value {
    json!({ "type": "diff", "path": path, "oldText": old, "newText": new })
}

#[test]
fn a_turn_is_one_answer_one_thought_and_its_calls_in_order() {
    let (mut world, _) = World::running("a");
    world.see(words(true, None, "hm "));
    world.say("first ");
    world.update(call(json!({ "title": "List", "kind": "execute", "status": "in_progress" })));
    world.see(words(true, None, "aha"));
    world.say("second");
    let expected = [
        "user_message go -",
        "assistant_thought hm aha completed",
        "assistant_message first second streaming",
        "tool_call List in_progress",
    ];
    assert_eq!(thread(&world), expected);
    let before: Vec<String> = state(&world).threads.iter().map(|entry| entry.id().to_owned()).collect();
    world.update(update(json!({ "status": "completed" })));
    world.end("end_turn");
    let expected = [
        "user_message go -",
        "assistant_thought hm aha completed",
        "assistant_message first second completed",
        "tool_call List completed",
    ];
    assert_eq!(thread(&world), expected);
    let after = state(&world);
    assert_eq!(after.threads.iter().map(ThreadEntry::id).collect::<Vec<_>>(), before, "ids stay");
    let turn = world.store.turns[0].id.clone();
    assert!(after.threads.iter().all(|entry| entry.turn() == Some(&turn)));
}

#[test]
fn a_cancelled_turn_leaves_nothing_streaming() {
    let (mut world, run) = World::running("a");
    world.see(words(true, None, "hm"));
    world.say("half");
    world.update(call(json!({ "status": "in_progress" })));
    world.cancel(&run).unwrap();
    world.end("cancelled");
    let expected = [
        "user_message go -",
        "assistant_thought hm failed",
        "assistant_message half failed",
        "tool_call t failed",
    ];
    assert_eq!(thread(&world), expected);
    let operation = json_of(&state(&world).operations[0].operation);
    assert_eq!(
        (&operation["phase"], &operation["failureReason"]),
        (&json!("cancelled"), &json!("cancelled"))
    );
}

#[test]
fn the_last_plan_stands_with_its_turn() {
    let (mut world, _) = World::running("a");
    let entries = json!([{ "content": "one", "priority": "high", "status": "pending" }]);
    world.update(json!({ "sessionUpdate": "plan", "entries": entries }));
    world.say("done");
    world.end("end_turn");
    world.prompt("b", "again");
    world.start();
    world.say("more");
    let kinds: Vec<String> =
        thread(&world).iter().map(|line| line.split(' ').next().unwrap().to_owned()).collect();
    assert_eq!(kinds, ["user_message", "assistant_message", "plan", "user_message", "assistant_message"]);
    let plan = json_of(&state(&world).threads[2]);
    assert_eq!(plan["plan"], entries);
    assert_eq!(plan["turnId"], json!(world.store.turns[0].id));
}

#[test]
fn the_newest_change_of_a_path_counts_its_changes_and_keeps_its_first_time() {
    let (mut world, _) = World::running("a");
    world.update(call(
        json!({ "content": [diff("/ws/a", Value::Null, "1"), diff("/ws/b", json!("x\n"), "")] }),
    ));
    let first = world.now;
    world.now += 10;
    world.update(update(json!({ "content": [diff("/ws/a", Value::Null, "1\n2")] })));
    world.update(update(json!({ "content": [diff("/ws/a", Value::Null, "1\n2")], "status": "completed" })));
    world.now += 10;
    world.update(call(json!({ "toolCallId": "d", "content": [diff("/ws/a", json!("1\n2"), "3")] })));
    // What an update leaves out is not there any more: it replaces the call's content.
    let [a] = &state(&world).diffs[..] else { panic!("one path") };
    let a = json_of(a);
    assert_eq!(
        (&a["path"], &a["revision"], &a["changeType"]),
        (&json!("/ws/a"), &json!(3), &json!("update"))
    );
    assert_eq!((&a["createdAt"], &a["updatedAt"]), (&json!(first), &json!(world.now)));
    assert_eq!(
        (&a["toolCallId"], &a["oldLineCount"], &a["newLineCount"]),
        (&json!("d"), &json!(2), &json!(1))
    );
    let bundles = state(&world).tool_calls;
    let of = |index: usize| json_of(&bundles[index])["diffs"].clone();
    assert_eq!(of(0)[0]["newText"], "1\n2");
    assert_eq!(of(1)[0], a);
}

#[test]
fn a_file_without_an_old_text_is_written_and_not_updated() {
    for (old, expected) in [(Value::Null, "write"), (json!(""), "write"), (json!("x"), "update")] {
        let (mut world, _) = World::running("a");
        world.update(call(json!({ "content": [diff("/ws/a", old, "1")] })));
        assert_eq!(json_of(&state(&world).diffs[0])["changeType"], expected);
    }
}

#[test]
fn operations_and_permissions_of_different_turns_are_never_taken_for_each_other() {
    let (mut world, _) = World::running("a");
    for turn in 0..2 {
        let ask = json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } });
        let id = world.ask(ask);
        world.decide(&id, PermissionReply::Once).unwrap();
        world.update(update(json!({ "status": "completed" })));
        world.end("end_turn");
        if turn == 0 {
            world.prompt("b", "go");
            world.start();
        }
    }
    let state = state(&world);
    let [first, second] = &state.operations[..] else { panic!("two operations") };
    assert_ne!(first.operation.id, second.operation.id);
    assert_ne!(first.operation.turn_id, second.operation.turn_id);
    for bundle in [first, second] {
        assert_eq!(bundle.permission_requests.len(), 1);
        assert_eq!(bundle.permission_requests[0].turn_id, bundle.operation.turn_id);
    }
}

/// Phase, failure, decision and family of the only operation.
fn operation(world: &World) -> String {
    let state = state(world);
    assert_eq!(state.operations.len(), 1);
    let operation = json_of(&state.operations[0].operation);
    let told = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let permission = &operation["permission"];
    [&operation["phase"], &operation["failureReason"], &permission["decision"], &permission["family"]]
        .map(told)
        .join(" ")
}

#[test]
fn an_operation_goes_through_its_phases() {
    let (mut world, _) = World::running("a");
    world.update(call(json!({ "status": "pending", "kind": "execute", "rawInput": { "command": "ls" } })));
    assert_eq!(operation(&world), "proposed - - -");
    let id = world.ask(json!({ "toolCallId": "c" }));
    assert_eq!(operation(&world), "awaiting_permission - - -");
    world.decide(&id, PermissionReply::Once).unwrap();
    assert_eq!(operation(&world), "proposed - allowed -");
    world.update(update(json!({ "status": "in_progress" })));
    assert_eq!(operation(&world), "running - allowed -");
    let content = json!([{ "type": "content", "content": { "type": "text", "text": "out" } }]);
    world.update(update(json!({ "status": "completed", "content": content })));
    assert_eq!(operation(&world), "completed - allowed -");
    let told = json_of(&state(&world).operations[0].operation);
    assert_eq!(told["target"], json!({ "type": "command", "value": "ls" }));
    assert_eq!((&told["kind"], &told["result"]["outputText"]), (&json!("execute_command"), &json!("out")));
    assert!(told["completedAt"].is_i64());
}

#[test]
fn a_refusal_is_known_by_how_the_agent_took_it() {
    let refused = |stop: &str| {
        let (mut world, _) = World::running("a");
        let id = world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } }));
        world.decide(&id, PermissionReply::Reject).unwrap();
        world.update(update(json!({ "status": "failed" })));
        assert_eq!(operation(&world), "failed permission_denied denied -");
        world.end(stop);
        operation(&world)
    };
    assert_eq!(refused("end_turn"), "failed permission_denied denied permission_request_end_turn");
    assert_eq!(refused("cancelled"), "failed permission_denied denied permission_request_cancelled");
    // Claude in a mode that does not ask.
    let mut world = World::new();
    world.store.session.meta.mode = Some("dontAsk".to_owned());
    world.store.session.meta.agent_session = Some("a1".to_owned());
    world.restart("own_1");
    world.prompt("a", "go");
    world.start();
    world.update(call(json!({ "status": "failed" })));
    assert_eq!(operation(&world), "failed failed denied mode_denied");
}

#[test]
fn a_permission_shows_its_options_and_what_a_wider_answer_may_be() {
    let (mut world, _) = World::running("a");
    let id = world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } }));
    let told = json_of(&state(&world).permissions[0]);
    assert_eq!(
        (&told["id"], &told["phase"], &told["kind"]),
        (&json!(id), &json!("pending"), &json!("terminal"))
    );
    assert_eq!(told["scopeOptions"], json!(["once", "session"]));
    assert_eq!(told["options"][1], json!({ "id": "yes", "name": "Yes", "kind": "allow_once" }));
    assert_eq!(told["turnId"], json!(world.store.turns[0].id));
    world.decide(&id, PermissionReply::Reject).unwrap();
    let told = json_of(&state(&world).permissions[0]);
    assert_eq!((&told["phase"], &told["actor"]), (&json!("denied"), &json!("person")));
}

#[test]
fn a_terminal_is_running_only_where_somebody_has_it() {
    let (mut world, _) = World::running("a");
    let mut seen = TerminalSeen {
        id: "ter_1".to_owned(),
        stage: TerminalStage::Started,
        command: "make all".to_owned(),
        cwd: "/ws".to_owned(),
        output: "a\né😀".to_owned(),
        ..TerminalSeen::default()
    };
    world.see(Observation::TerminalSeen(Box::new(seen.clone())));
    world.update(call(
        json!({ "status": "in_progress", "content": [{ "type": "terminal", "terminalId": "ter_1" }] }),
    ));
    let told = |world: &World, held: &[&str]| json_of(&state_with(world, held).terminals[0]);
    let here = told(&world, &["ter_1"]);
    assert_eq!((&here["status"], &here["toolCallId"]), (&json!("running"), &json!("c")));
    assert_eq!((&here["outputLength"], &here["outputLineCount"]), (&json!(5), &json!(2)));
    assert_eq!(told(&world, &[])["status"], "unknown");
    let shown = json_of(&state_with(&world, &["ter_1"]).tool_calls[0]);
    assert_eq!(shown["toolCall"]["content"][0]["output"], "a\né😀");
    assert_eq!(shown["terminals"], json!([here]));
    // What the terminal wrote is the call's output.
    seen.stage = TerminalStage::Held;
    seen.output.push_str("end");
    seen.exit = Some(TerminalExit { code: Some(0), signal: None });
    world.see(Observation::TerminalSeen(Box::new(seen)));
    world.update(update(json!({ "status": "completed" })));
    let state = state(&world);
    assert_eq!(json_of(&state.terminals[0])["status"], "completed");
    assert_eq!(json_of(&state.operations[0])["operation"]["result"]["outputText"], "a\né😀end");
}

#[test]
fn settings_and_usage_are_summed_up() {
    let (mut world, _) = World::running("a");
    let state_before = state(&world);
    assert_eq!(state_before.usage, None);
    let options = json!([
        { "id": "m", "name": "Model", "category": "model", "type": "select", "currentValue": "x",
          "options": [{ "value": "x", "name": "X" }] },
        { "id": "auto", "name": "Auto", "type": "boolean", "currentValue": true },
        { "id": "odd", "name": "Odd", "type": "hologram", "currentValue": 3 },
    ]);
    world.update(json!({ "sessionUpdate": "config_option_update", "configOptions": options }));
    let commands = json!([{ "name": "help", "description": "h" }]);
    world.update(json!({ "sessionUpdate": "available_commands_update", "availableCommands": commands }));
    world.update(json!({ "sessionUpdate": "current_mode_update", "currentModeId": "plan" }));
    let cost = json!({ "amount": 0.5, "currency": "USD" });
    world.update(json!({ "sessionUpdate": "usage_update", "used": 5, "size": 9, "cost": cost }));
    let told = json_of(&state(&world));
    let metadata = &told["metadata"];
    assert_eq!(metadata["config"], json!({ "m": "x", "auto": true }));
    assert_eq!((&metadata["availableCommands"], &metadata["currentModeId"]), (&commands, &json!("plan")));
    assert_eq!(metadata["agentConfigOptions"][0]["options"], json!([{ "value": "x", "name": "X" }]));
    let usage = json!({ "contextUsedTokens": 5, "contextWindowTokens": 9, "costUsd": 0.5 });
    assert_eq!(told["usage"], usage);
}

/// Name and id or lifecycle of each update.
fn news(known: &mut Known, world: &World) -> Vec<String> {
    let name = |update: &StateUpdate| {
        let told = json_of(update);
        let more = ["lifecycle", "decision"].map(|key| told[key].as_str().unwrap_or_default().to_owned());
        [told["type"].as_str().unwrap(), &more[0], &more[1]].join(" ").trim().to_owned()
    };
    known.news(&state(world)).iter().map(name).collect()
}

#[test]
fn what_changed_is_told_by_name_derived_objects_first() {
    let (mut world, _) = World::running("a");
    let mut known = Known::default();
    assert_eq!(news(&mut known, &world), ["thread_entry_added", "metadata_projection_updated"]);
    assert_eq!(news(&mut known, &world), Vec::<String>::new());
    let fields = json!({ "kind": "edit", "content": [diff("/ws/a", Value::Null, "1")] });
    world.update(call(fields));
    assert_eq!(
        news(&mut known, &world),
        ["diff_updated", "thread_entry_added", "operation_projection_updated started"]
    );
    let id = world.ask(json!({ "toolCallId": "c" }));
    assert_eq!(
        news(&mut known, &world),
        ["operation_projection_updated updated", "permission_projection_updated requested"]
    );
    world.decide(&id, PermissionReply::Once).unwrap();
    assert_eq!(
        news(&mut known, &world),
        ["operation_projection_updated updated", "permission_projection_updated resolved allowed"]
    );
    world.update(update(json!({ "status": "completed" })));
    assert_eq!(news(&mut known, &world), ["thread_entry_updated", "operation_projection_updated completed"]);
    world.say("text");
    assert_eq!(news(&mut known, &world), ["thread_entry_added"]);
    world.say(" grows");
    assert_eq!(news(&mut known, &world), ["thread_entry_updated"]);
    world.update(json!({ "sessionUpdate": "usage_update", "used": 5, "size": 9 }));
    assert_eq!(news(&mut known, &world), ["usage_projection_updated"]);
}

#[test]
fn whatever_happens_ids_are_unique_and_nothing_changes_without_a_new_revision() {
    for seed in 0..40 {
        let (mut world, mut dice) = (random_world(), Dice(seed));
        let mut known = Known::default();
        let mut revision = -1;
        for step in 0..120 {
            let input = any(&mut world, &mut dice);
            world.step(&[input]);
            let state = state(&world);
            let mut ids: BTreeMap<String, u32> = BTreeMap::new();
            let all = state.threads.iter().map(|entry| format!("thread {}", entry.id()));
            let all =
                all.chain(state.operations.iter().map(|bundle| format!("operation {}", bundle.operation.id)));
            all.for_each(|id| *ids.entry(id).or_default() += 1);
            assert!(ids.values().all(|count| *count == 1), "seed {seed}, step {step}: {ids:?}");
            let news = known.news(&state);
            assert!(state.revision >= revision, "seed {seed}, step {step}");
            assert!(news.is_empty() || state.revision > revision, "seed {seed}, step {step}: {news:?}");
            revision = state.revision;
        }
    }
}

#[test]
fn what_comes_late_is_told_with_a_new_revision() {
    let (mut world, _) = World::running("a");
    world.say("text");
    world.end("end_turn");
    let before = state(&world).revision;
    world.see(Observation::Update(AgentUpdate::Text(openscience_core::input::TextChunk {
        thought: false,
        message: None,
        text: " late".to_owned(),
    })));
    assert!(state(&world).revision > before);
    assert_eq!(thread(&world)[1], "assistant_message text late completed");
}
