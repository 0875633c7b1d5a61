//! Whole runs as a client sees them: one line for each event.

use std::fmt::Write;

use insta::assert_snapshot;
use openscience_core::input::Observation;
use openscience_core::input::{Command, TurnEnd};
use openscience_protocol::event::CancelSource;
use openscience_protocol::message::Tokens;
use openscience_protocol::{PermissionReply, RunError};
use serde_json::{Value, json};

use crate::world::{World, words};

/// Sequence, type, kind and the facts that matter.
fn rendered(world: &World) -> String {
    let mut out = String::new();
    for (index, (event_type, event)) in world.store.events.iter().enumerate() {
        let properties = &event["properties"];
        let facts = facts(event_type, properties);
        let kind = event["kind"].as_str().unwrap();
        writeln!(out, "{:>2} {event_type} {kind} {facts}", index + 1).unwrap();
    }
    out.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

fn facts(event_type: &str, properties: &Value) -> String {
    let of = |value: &Value, keys: &[&str]| {
        let fact =
            |key: &&str| value.pointer(key).map(|fact| format!("{} {fact}", key.rsplit('/').next().unwrap()));
        keys.iter().filter_map(fact).collect::<Vec<_>>().join(", ")
    };
    match event_type {
        "message.updated" => of(
            &properties["info"],
            &["/role", "/id", "/parentID", "/finish", "/error/name", "/tokens/output"],
        ),
        "message.part.updated" => {
            let keys =
                ["/part/type", "/delta", "/offset", "/part/textLength", "/part/text", "/part/time/end"];
            let tool = [
                "/part/tool",
                "/part/state/status",
                "/part/state/output",
                "/part/state/error",
                "/part/reason",
            ];
            of(properties, &[&keys[..], &tool[..]].concat())
        }
        "permission.asked" => of(properties, &["/id", "/permission", "/patterns", "/tool/callID"]),
        _ => {
            let keys = [
                "/state",
                "/status/type",
                "/todos/0/content",
                "/requestID",
                "/reply",
                "/actor",
                "/source",
                "/reason",
            ];
            let end = ["/error/code", "/error/name", "/messageID", "/stopReason", "/exit", "/recovered"];
            of(properties, &[&keys[..], &end[..]].concat())
        }
    }
}

fn tool(world: &mut World, status: &str) {
    world.update(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "List", "kind": "execute", "status": status,
        "rawInput": { "command": "ls" },
    }));
}

#[test]
fn a_plain_turn() {
    let (mut world, _) = World::running("a");
    world.say("Hel");
    world.say("lo 👍");
    world.say("!");
    let tokens = Tokens { output: 7, ..Tokens::default() };
    let end = TurnEnd::Answered { stop_reason: "end_turn".to_owned(), tokens: Some(tokens) };
    world.see(Observation::TurnEnded { turn: world.turn(), end });
    assert_snapshot!(rendered(&world), @r#"
     1 runtime.accepted system
     2 message.updated message role "user", id "msg_00001"
     3 message.part.updated message type "text", text "go"
     4 turn.updated system state "ready", messageID "msg_00001"
     5 session.status system type "busy"
     6 agent.connected system
     7 turn.updated system state "active", messageID "msg_00001"
     8 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", output 0
     9 message.part.updated message type "step-start"
    10 message.part.updated message type "text", text "Hel"
    11 message.part.updated message type "text", delta "lo 👍", offset 3, textLength 8
    12 message.part.updated message type "text", delta "!", offset 8, textLength 9
    13 message.part.updated message type "text", text "Hello 👍!", end 1000
    14 message.part.updated message type "step-finish", reason "stop"
    15 turn.updated system state "completed", messageID "msg_00001", stopReason "end_turn"
    16 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", finish "stop", output 7
    17 session.idle system
    18 runtime.completed stop messageID "msg_00004", stopReason "end_turn"
    "#);
}

#[test]
fn a_turn_that_thinks_plans_and_uses_a_tool() {
    let (mut world, _) = World::running("a");
    world.see(words(true, None, "hm"));
    world.see(words(true, None, "m"));
    world.say("Look:");
    let entries = json!([{ "content": "list", "priority": "low", "status": "in_progress" }]);
    world.update(json!({ "sessionUpdate": "plan", "entries": entries }));
    tool(&mut world, "in_progress");
    world.update(json!({
        "sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed", "rawOutput": "a b",
    }));
    world.say("Done.");
    world.end("end_turn");
    assert_snapshot!(rendered(&world), @r#"
     1 runtime.accepted system
     2 message.updated message role "user", id "msg_00001"
     3 message.part.updated message type "text", text "go"
     4 turn.updated system state "ready", messageID "msg_00001"
     5 session.status system type "busy"
     6 agent.connected system
     7 turn.updated system state "active", messageID "msg_00001"
     8 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", output 0
     9 message.part.updated message type "step-start"
    10 message.part.updated thought type "reasoning", text "hm"
    11 message.part.updated thought type "reasoning", delta "m", offset 2, textLength 3
    12 message.part.updated thought type "reasoning", text "hmm", end 1000
    13 message.part.updated message type "text", text "Look:"
    14 todo.updated plan content "list"
    15 message.part.updated message type "text", text "Look:", end 1000
    16 message.part.updated tool type "tool", tool "execute", status "running"
    17 message.part.updated tool type "tool", tool "execute", status "completed", output "a b"
    18 message.part.updated message type "text", text "Done."
    19 message.part.updated message type "text", text "Done.", end 1000
    20 message.part.updated message type "step-finish", reason "stop"
    21 turn.updated system state "completed", messageID "msg_00001", stopReason "end_turn"
    22 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", finish "stop", output 0
    23 session.idle system
    24 runtime.completed stop messageID "msg_00004", stopReason "end_turn"
    "#);
}

fn asking() -> World {
    let (mut world, _) = World::running("a");
    world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls && pwd" } }));
    world
}

fn reply(world: &mut World, reply: PermissionReply) {
    let id = world.pending().pop().unwrap();
    world.decide(&id, reply).unwrap();
    world.see(Observation::AnswerDelivered { decision: id, delivered: true });
}

#[test]
fn a_permission_that_is_given() {
    let mut world = asking();
    reply(&mut world, PermissionReply::Once);
    tool(&mut world, "completed");
    world.end("end_turn");
    assert_snapshot!(rendered(&world), @r#"
     1 runtime.accepted system
     2 message.updated message role "user", id "msg_00001"
     3 message.part.updated message type "text", text "go"
     4 turn.updated system state "ready", messageID "msg_00001"
     5 session.status system type "busy"
     6 agent.connected system
     7 turn.updated system state "active", messageID "msg_00001"
     8 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", output 0
     9 message.part.updated message type "step-start"
    10 message.part.updated tool type "tool", tool "execute", status "pending"
    11 permission.asked permission id "per_00007", permission "bash", patterns ["ls","pwd"], callID "c"
    12 permission.replied permission requestID "per_00007", reply "once", actor "person"
    13 message.part.updated tool type "tool", tool "execute", status "completed", output ""
    14 message.part.updated message type "step-finish", reason "stop"
    15 turn.updated system state "completed", messageID "msg_00001", stopReason "end_turn"
    16 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", finish "stop", output 0
    17 session.idle system
    18 runtime.completed stop messageID "msg_00004", stopReason "end_turn"
    "#);
}

#[test]
fn a_permission_that_is_refused() {
    let mut world = asking();
    reply(&mut world, PermissionReply::Reject);
    tool(&mut world, "failed");
    world.end("cancelled");
    assert_snapshot!(rendered(&world), @r#"
     1 runtime.accepted system
     2 message.updated message role "user", id "msg_00001"
     3 message.part.updated message type "text", text "go"
     4 turn.updated system state "ready", messageID "msg_00001"
     5 session.status system type "busy"
     6 agent.connected system
     7 turn.updated system state "active", messageID "msg_00001"
     8 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", output 0
     9 message.part.updated message type "step-start"
    10 message.part.updated tool type "tool", tool "execute", status "pending"
    11 permission.asked permission id "per_00007", permission "bash", patterns ["ls","pwd"], callID "c"
    12 permission.replied permission requestID "per_00007", reply "reject", actor "person"
    13 message.part.updated tool type "tool", tool "execute", status "error", error "the tool failed"
    14 message.part.updated message type "step-finish", reason "cancelled"
    15 turn.updated system state "failed", code "permission_denied", messageID "msg_00001", stopReason "cancelled"
    16 session.error error name "UnknownError"
    17 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", finish "cancelled", name "UnknownError", output 0
    18 session.idle system
    19 runtime.failed error code "permission_denied", messageID "msg_00004", stopReason "cancelled"
    "#);
}

#[test]
fn a_cancelled_turn() {
    let mut world = asking();
    world.command(Command::Abort { source: CancelSource::RunnerTimeout }).unwrap();
    world.say("still");
    world.end("cancelled");
    assert_snapshot!(rendered(&world), @r#"
     1 runtime.accepted system
     2 message.updated message role "user", id "msg_00001"
     3 message.part.updated message type "text", text "go"
     4 turn.updated system state "ready", messageID "msg_00001"
     5 session.status system type "busy"
     6 agent.connected system
     7 turn.updated system state "active", messageID "msg_00001"
     8 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", output 0
     9 message.part.updated message type "step-start"
    10 message.part.updated tool type "tool", tool "execute", status "pending"
    11 permission.asked permission id "per_00007", permission "bash", patterns ["ls","pwd"], callID "c"
    12 permission.cancelled permission requestID "per_00007", reason "cancelled"
    13 message.part.updated message type "text", text "still"
    14 message.part.updated message type "text", text "still", end 1000
    15 message.part.updated tool type "tool", tool "execute", status "error", error "the run was cancelled before the tool ended"
    16 message.part.updated message type "step-finish", reason "cancelled"
    17 turn.updated system state "cancelled", messageID "msg_00001", stopReason "cancelled"
    18 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", finish "cancelled", name "MessageAbortedError", output 0
    19 session.idle system
    20 runtime.cancelled stop source "runner_timeout", messageID "msg_00004", stopReason "cancelled"
    "#);
}

#[test]
fn an_agent_that_exits_while_a_tool_runs() {
    let (mut world, _) = World::running("a");
    tool(&mut world, "in_progress");
    let mut error = RunError::new("agent_exited", "the agent exited").at("prompt");
    error.exit = Some("exit status: 7".to_owned());
    world.see(Observation::TurnEnded { turn: world.turn(), end: TurnEnd::Failed(error) });
    assert_snapshot!(rendered(&world), @r#"
     1 runtime.accepted system
     2 message.updated message role "user", id "msg_00001"
     3 message.part.updated message type "text", text "go"
     4 turn.updated system state "ready", messageID "msg_00001"
     5 session.status system type "busy"
     6 agent.connected system
     7 turn.updated system state "active", messageID "msg_00001"
     8 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", output 0
     9 message.part.updated message type "step-start"
    10 message.part.updated tool type "tool", tool "execute", status "running"
    11 agent.exited system exit "exit status: 7"
    12 message.part.updated tool type "tool", tool "execute", status "error", error "the run failed before the tool ended"
    13 message.part.updated message type "step-finish", reason "error"
    14 turn.updated system state "failed", code "agent_exited", messageID "msg_00001"
    15 session.error error name "UnknownError"
    16 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", finish "error", name "UnknownError", output 0
    17 session.idle system
    18 runtime.failed error code "agent_exited", messageID "msg_00004"
    "#);
}

#[test]
fn a_run_that_is_recovered_and_the_one_after_it() {
    let mut world = asking();
    world.say("half a sen");
    world.say("ten");
    world.restart("own_2");
    world.command(Command::Stop { force: true, recovered: true, owner: None }).unwrap();
    world.prompt("b", "again");
    assert_snapshot!(rendered(&world), @r#"
     1 runtime.accepted system
     2 message.updated message role "user", id "msg_00001"
     3 message.part.updated message type "text", text "go"
     4 turn.updated system state "ready", messageID "msg_00001"
     5 session.status system type "busy"
     6 agent.connected system
     7 turn.updated system state "active", messageID "msg_00001"
     8 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", output 0
     9 message.part.updated message type "step-start"
    10 message.part.updated tool type "tool", tool "execute", status "pending"
    11 permission.asked permission id "per_00007", permission "bash", patterns ["ls","pwd"], callID "c"
    12 message.part.updated message type "text", text "half a sen"
    13 message.part.updated message type "text", delta "ten", offset 10, textLength 13
    14 permission.cancelled permission requestID "per_00007", reason "restart"
    15 message.part.updated message type "text", text "half a senten", end 1000
    16 message.part.updated tool type "tool", tool "execute", status "error", error "the run was interrupted before the tool ended"
    17 message.part.updated message type "step-finish", reason "error"
    18 turn.updated system state "failed", code "runtime_stopped", messageID "msg_00001"
    19 session.error error name "UnknownError"
    20 message.updated message role "assistant", id "msg_00004", parentID "msg_00001", finish "error", name "UnknownError", output 0
    21 session.idle system
    22 runtime.failed error code "runtime_stopped", messageID "msg_00004", recovered true
    23 runtime.accepted system
    24 message.updated message role "user", id "msg_00010"
    25 message.part.updated message type "text", text "again"
    26 turn.updated system state "ready", messageID "msg_00010"
    27 session.status system type "busy"
    "#);
}
