//! Tool parts: merged from what the agent tells, in whatever order it tells it.

use openscience_core::input::{Command, Observation};
use openscience_protocol::event::CancelSource;
use openscience_protocol::message::{PartBody, ToolState};
use serde_json::{Value, json};

use crate::world::{World, once_or_not};

fn update(mut fields: Value) -> Value {
    fields["sessionUpdate"] = json!("tool_call_update");
    fields["toolCallId"] = json!("c");
    fields
}

fn call(mut fields: Value) -> Value {
    fields["sessionUpdate"] = json!("tool_call");
    fields["toolCallId"] = json!("c");
    if fields.get("title").is_none() {
        fields["title"] = json!("");
    }
    fields
}

/// Tool, status and what it holds, of every tool part.
fn tools(world: &World) -> Vec<String> {
    let tool = |body: &PartBody| {
        let PartBody::Tool(tool) = body else { return None };
        let text = match &tool.state {
            ToolState::Pending(state) => format!("pending {} {:?}", state.input, tool.metadata),
            ToolState::Running(state) => {
                format!("running {} {:?} {:?}", state.input, state.title, state.metadata)
            }
            ToolState::Completed(state) => {
                format!("completed {} {:?} {:?}", state.input, state.title, state.output)
            }
            ToolState::Error(state) => format!("error {} {:?}", state.input, state.error),
        };
        Some(format!("{} {text}", tool.tool))
    };
    world.store.parts.values().filter_map(|row| tool(&row.part.body)).collect()
}

#[track_caller]
fn check(updates: impl IntoIterator<Item = Value>, expected: &str) {
    let (mut world, _) = World::running("a");
    for told in updates {
        world.update(told);
    }
    assert_eq!(tools(&world), [expected]);
}

#[test]
fn a_call_runs_and_ends() {
    let first =
        call(json!({ "title": "List", "kind": "execute", "status": "pending", "rawInput": { "a": 1 } }));
    check(
        [first.clone()],
        r#"execute pending {"a":1} Some({"kind": String("execute"), "title": String("List")})"#,
    );
    let running = update(json!({ "status": "in_progress" }));
    check(
        [first.clone(), running.clone()],
        r#"execute running {"a":1} Some("List") Some({"kind": String("execute")})"#,
    );
    let done = update(json!({
        "status": "completed", "rawOutput": { "stdout": "no", "output": "raw" },
        "content": [{ "type": "content", "content": { "type": "text", "text": "out" } }],
    }));
    check([first.clone(), running.clone(), done.clone()], r#"execute completed {"a":1} "List" "out""#);
    check([first.clone(), done], r#"execute completed {"a":1} "List" "out""#);
    let failed = update(json!({ "status": "failed", "rawOutput": "broke" }));
    check([first.clone(), running, failed], r#"execute error {"a":1} "broke""#);
    check([first, update(json!({ "status": "failed" }))], r#"execute error {"a":1} "the tool failed""#);
}

#[test]
fn an_update_may_come_first() {
    let done = update(json!({ "status": "completed", "rawOutput": "out", "title": "T" }));
    check([done.clone()], r#"other completed {} "T" "out""#);
    let late = call(json!({ "title": "List", "kind": "read", "status": "pending", "rawInput": { "a": 1 } }));
    check([done, late], r#"read completed {"a":1} "List" "out""#);
}

#[test]
fn a_permission_may_come_first() {
    let (mut world, _) = World::running("a");
    world.ask(json!({ "toolCallId": "c", "kind": "edit", "title": "Write", "rawInput": { "path": "/a" } }));
    assert_eq!(
        tools(&world),
        [r#"edit pending {"path":"/a"} Some({"kind": String("edit"), "title": String("Write")})"#]
    );
    world.update(update(json!({ "status": "completed", "rawOutput": "ok" })));
    assert_eq!(tools(&world), [r#"edit completed {"path":"/a"} "Write" "ok""#]);
}

#[test]
fn a_call_that_has_ended_never_goes_back() {
    for back in ["pending", "in_progress", "failed", "a word of tomorrow"] {
        let done = update(json!({ "status": "completed", "rawOutput": "out" }));
        check([done, update(json!({ "status": back }))], r#"other completed {} "" "out""#);
    }
    let failed = update(json!({ "status": "failed", "rawOutput": "no" }));
    check([failed, update(json!({ "status": "completed" }))], r#"other error {} "no""#);
    let running = update(json!({ "status": "in_progress" }));
    check([running, update(json!({ "status": "pending" }))], "other running {} None None");
}

#[test]
fn what_is_null_or_empty_changes_nothing() {
    let first =
        call(json!({ "title": "T", "kind": "search", "rawInput": { "a": 1 }, "status": "in_progress" }));
    let nothing = update(json!({
        "title": null, "kind": null, "status": null, "rawInput": null, "rawOutput": null, "content": null,
        "locations": null,
    }));
    let expected = r#"search running {"a":1} Some("T") Some({"kind": String("search")})"#;
    check(
        [first.clone(), nothing.clone(), update(json!({ "title": "", "content": [], "kind": "other" }))],
        expected,
    );
    let (mut world, _) = World::running("a");
    world.update(first);
    assert_eq!(world.update(nothing), Vec::<&str>::new(), "what says nothing new is not told");
}

#[test]
fn the_agents_own_name_is_the_tool() {
    check([call(json!({ "kind": "other", "name": "lab_read" }))], "lab_read pending {} None");
    let named = update(json!({ "name": "lab_read" }));
    check([call(json!({ "kind": "read" })), named], r#"lab_read pending {} Some({"kind": String("read")})"#);
}

#[test]
fn what_is_left_open_is_closed_with_the_run() {
    let (mut world, _) = World::running("a");
    world.update(update(json!({ "status": "in_progress", "rawOutput": "half" })));
    world.command(Command::Abort { source: CancelSource::User }).unwrap();
    world.end("cancelled");
    assert_eq!(tools(&world), [r#"other error {} "the run was cancelled before the tool ended""#]);
    let part = world.store.parts.values().find(|row| matches!(row.part.body, PartBody::Tool(_))).unwrap();
    let PartBody::Tool(tool) = &part.part.body else { panic!() };
    let ToolState::Error(state) = &tool.state else { panic!() };
    assert_eq!(json!(state.metadata), json!({ "interrupted": true, "output": "half" }));
}

#[test]
fn a_call_id_that_the_last_turn_used_is_a_new_call() {
    let (mut world, _) = World::running("a");
    world.update(call(json!({ "title": "One", "status": "completed" })));
    world.end("end_turn");
    world.prompt("b", "next");
    world.start();
    let late = world.update(update(json!({ "rawOutput": "late" })));
    assert_eq!(late, Vec::<&str>::new());
    assert_eq!(tools(&world), [r#"other completed {} "One" "late""#]);
    world.update(call(json!({ "title": "Two", "status": "in_progress" })));
    world.update(update(json!({ "status": "completed", "rawOutput": "two" })));
    assert_eq!(tools(&world), [r#"other completed {} "One" "late""#, r#"other completed {} "Two" "two""#]);
}

#[test]
fn text_after_a_tool_is_a_new_part() {
    let (mut world, _) = World::running("a");
    world.say("a");
    world.update(call(json!({})));
    world.say("b");
    world.update(update(json!({ "status": "completed" })));
    world.say("c");
    world.ask_with(json!({ "toolCallId": "d" }), once_or_not());
    world.say("d");
    let texts: Vec<String> = world.store.parts.values().map(|part| world.store.text(part)).collect();
    assert_eq!(texts, ["go", "", "a", "", "bc", "", "d"]);
    world.see(Observation::Tick);
}

#[test]
fn a_large_call_that_has_ended_is_in_its_row_and_not_in_memory() {
    let (mut world, _) = World::running("a");
    let output = |text: &str| json!([{ "type": "content", "content": { "type": "text", "text": text } }]);
    let large = "x".repeat(1 << 20);
    world.update(call(json!({ "title": "Read", "status": "in_progress", "content": output(&large) })));
    let held = |world: &World| {
        let answer = world.machine.state().live.as_ref().and_then(|live| live.answer.as_ref()).unwrap();
        (answer.tools.len(), answer.sealed.len())
    };
    assert_eq!(held(&world), (1, 0), "while it runs more may be told of it");
    world.update(update(json!({ "status": "completed" })));
    assert_eq!(held(&world), (0, 1));
    // It has ended: what is told of it now changes nothing and is no other call.
    world.update(update(json!({ "status": "failed", "content": output("late") })));
    let [told] = tools(&world).try_into().unwrap_or_else(|all: Vec<String>| panic!("{} calls", all.len()));
    assert!(told.contains("completed") && told.len() > large.len());
}
