//! What an agent asks us to do for it: under the rules of all permissions, and done at most once.

use openscience_core::authority::{ALLOW, Request, Run, asked};
use openscience_core::effect::Effect;
use openscience_core::input::{
    Given, Input, Observation, RequestKey, TerminalExit, TerminalSeen, TerminalStage,
};
use openscience_protocol::event::CancelSource;
use openscience_protocol::row::{DecisionRow, DecisionState, TerminalRow};
use openscience_protocol::{PermissionReply, Rule};
use serde_json::json;

use crate::world::World;

fn write(path: &str) -> Request {
    Request::Write { path: path.to_owned(), content: "x".to_owned() }
}

fn read(path: &str) -> Request {
    Request::Read { path: path.to_owned(), line: None, limit: None }
}

fn run(command: &str) -> Request {
    Request::Run(Run { command: command.to_owned(), ..Run::default() })
}

fn rule(permission: &str, pattern: &str, action: &str) -> Rule {
    serde_json::from_value(json!({ "permission": permission, "pattern": pattern, "action": action })).unwrap()
}

/// What comes of it first: serve, refuse, await, or the option that answers it.
fn came_of(world: &mut World, request: &Request, possible: bool) -> String {
    let key = RequestKey(u64::try_from(world.effects.len()).unwrap() + 1_000);
    let mut ask = asked(key, request);
    let ours = ask.ours.as_mut().unwrap();
    ours.possible = possible;
    ours.allowed = allowed(world);
    ask.grants.clone_from(&world.store.grants);
    let before = world.effects.len();
    world.see(Observation::PermissionAsked(Box::new(ask)));
    match world.effects.get(before) {
        Some(Effect::ServeRequest { key: served }) => {
            assert_eq!(*served, key);
            "serve".to_owned()
        }
        Some(Effect::RefuseRequest { .. }) => "refuse".to_owned(),
        Some(Effect::AwaitDecision { .. }) => "await".to_owned(),
        Some(Effect::AnswerDecision { given: Given::Option(option), .. }) => option.clone(),
        other => panic!("{other:?}"),
    }
}

/// As the store tells it.
fn allowed(world: &World) -> Vec<DecisionRow> {
    let allowed = |row: &&DecisionRow| !matches!(row.reply, None | Some(PermissionReply::Reject));
    world.store.decisions.values().filter(allowed).cloned().collect()
}

#[test]
fn reading_is_allowed_unless_a_rule_says_otherwise_and_the_rest_is_asked() {
    let check = |rules: &[Rule], request: &Request, expected: &str| {
        let (mut world, _) = World::running("a");
        world.rules = rules.to_vec();
        assert_eq!(came_of(&mut world, request, true), expected, "{rules:?} {request:?}");
    };
    check(&[], &read("/ws/a"), "serve");
    check(&[], &write("/ws/a"), "await");
    check(&[], &run("make"), "await");
    check(&[rule("*", "*", "ask")], &read("/ws/a"), "await");
    check(&[rule("read", "/ws/secret*", "deny")], &read("/ws/secret.txt"), "reject");
    check(&[rule("read", "/ws/secret*", "deny")], &read("/ws/a"), "serve");
    check(&[rule("edit", "*", "allow")], &write("/ws/a"), ALLOW);
    check(&[rule("edit", "*", "allow"), rule("edit", "/ws/.env", "deny")], &write("/ws/.env"), "reject");
    check(&[rule("bash", "make", "allow")], &run("make"), ALLOW);
    check(&[rule("bash", "make", "allow")], &run("make; rm -r /"), "await");
    check(&[rule("bash", "rm *", "deny")], &run("make; rm -r /"), "reject");
}

#[test]
fn what_cannot_be_done_or_belongs_to_no_turn_is_refused_and_never_asked() {
    let (mut world, _) = World::running("a");
    assert_eq!(came_of(&mut world, &write("/etc/passwd"), false), "refuse");
    assert_eq!(came_of(&mut world, &read("/etc/passwd"), false), "refuse");
    world.end("end_turn");
    let before = world.store.decisions.len();
    for request in [read("/ws/a"), write("/ws/a"), run("make")] {
        let ask = asked(RequestKey(1), &request);
        let draft = world.step(&[Input::Observation(Observation::PermissionAsked(Box::new(ask)))]);
        assert_eq!(draft.effects, [Effect::RefuseRequest { key: RequestKey(1) }]);
    }
    assert_eq!(world.store.decisions.len(), before);
}

#[test]
fn a_person_allows_or_rejects_it_like_any_permission() {
    for (reply, option) in [(PermissionReply::Once, ALLOW), (PermissionReply::Reject, "reject")] {
        let (mut world, _) = World::running("a");
        assert_eq!(came_of(&mut world, &write("/ws/a"), true), "await");
        let id = world.pending().pop().unwrap();
        let request = world.store.decisions[&id].permission().unwrap().clone();
        assert_eq!((request.permission.as_str(), request.patterns), ("edit", vec!["/ws/a".to_owned()]));
        assert_eq!(request.tool, None, "no call of the agent is known to be meant");
        world.decide(&id, reply).unwrap();
        let given = world.effects.iter().rev().find_map(|effect| match effect {
            Effect::AnswerDecision { given: Given::Option(option), .. } => Some(option.clone()),
            _ => None,
        });
        assert_eq!(given, Some(option.to_owned()));
        assert_eq!(
            world.machine.state().live.as_ref().unwrap().open_turn().unwrap().refused,
            reply == PermissionReply::Reject
        );
    }
}

#[test]
fn a_cancel_closes_what_is_asked() {
    let (mut world, run_id) = World::running("a");
    assert_eq!(came_of(&mut world, &run("make"), true), "await");
    let id = world.pending().pop().unwrap();
    world.cancel(&run_id).unwrap();
    assert_eq!(world.store.decisions[&id].state, DecisionState::Closed);
    assert_eq!(world.store.run(&run_id).unwrap().cancel, Some(CancelSource::User));
}

#[test]
fn what_was_allowed_in_the_turn_is_done_without_asking_again() {
    let (mut world, _) = World::running("a");
    let edit = json!({ "toolCallId": "c", "kind": "edit", "locations": [{ "path": "/ws/a" }] });
    let id = world.ask(edit);
    world.decide(&id, PermissionReply::Once).unwrap();
    assert_eq!(came_of(&mut world, &write("/ws/a"), true), "serve");
    assert_eq!(came_of(&mut world, &write("/ws/b"), true), "await");
    assert_eq!(came_of(&mut world, &run("/ws/a"), true), "await");
    // The next turn is another matter.
    world.end("end_turn");
    world.prompt("b", "go");
    world.start();
    assert_eq!(came_of(&mut world, &write("/ws/a"), true), "await");
}

#[test]
fn a_rejection_is_no_permission_for_what_follows() {
    let (mut world, _) = World::running("a");
    let edit = json!({ "toolCallId": "c", "kind": "edit", "locations": [{ "path": "/ws/a" }] });
    let id = world.ask(edit);
    world.decide(&id, PermissionReply::Reject).unwrap();
    assert_eq!(came_of(&mut world, &write("/ws/a"), true), "await");
}

#[test]
fn a_grant_covers_what_we_do_too_and_a_denial_beats_it() {
    let (mut world, _) = World::running("a");
    assert_eq!(came_of(&mut world, &run("make"), true), "await");
    let id = world.pending().pop().unwrap();
    assert_eq!(world.store.decisions[&id].permission().unwrap().always, ["make"]);
    world.decide(&id, PermissionReply::Session).unwrap();
    world.end("end_turn");
    world.prompt("b", "go");
    world.start();
    assert_eq!(came_of(&mut world, &run("make"), true), ALLOW);
    world.rules.push(rule("bash", "make", "deny"));
    assert_eq!(came_of(&mut world, &run("make"), true), "reject");
}

#[test]
fn the_one_call_that_is_open_is_taken_for_the_one_that_asks() {
    let (mut world, _) = World::running("a");
    world.update(
        json!({ "sessionUpdate": "tool_call", "toolCallId": "c", "title": "t", "status": "in_progress" }),
    );
    assert_eq!(came_of(&mut world, &write("/ws/a"), true), "await");
    let id = world.pending().pop().unwrap();
    assert_eq!(world.store.decisions[&id].permission().unwrap().tool.as_ref().unwrap().call_id, "c");
    world.update(
        json!({ "sessionUpdate": "tool_call", "toolCallId": "d", "title": "t", "status": "in_progress" }),
    );
    assert_eq!(came_of(&mut world, &write("/ws/b"), true), "await");
    let unclear = world.pending().into_iter().find(|other| *other != id).unwrap();
    assert_eq!(world.store.decisions[&unclear].permission().unwrap().tool, None);
}

fn seen(output: &str) -> TerminalSeen {
    TerminalSeen {
        id: "ter_1".to_owned(),
        command: "make".to_owned(),
        cwd: "/ws".to_owned(),
        output: output.to_owned(),
        ..TerminalSeen::default()
    }
}

fn look(world: &mut World, seen: TerminalSeen) -> TerminalRow {
    world.now += 10;
    world.see(Observation::TerminalSeen(Box::new(seen)));
    world.store.terminals["ter_1"].clone()
}

#[test]
fn a_terminal_keeps_its_times_and_counts_its_changes() {
    let (mut world, _) = World::running("a");
    world.see(Observation::TerminalSeen(Box::new(seen("late"))));
    assert!(world.store.terminals.is_empty(), "only a start makes one");
    let started = look(&mut world, TerminalSeen { stage: TerminalStage::Started, ..seen("") });
    assert_eq!((started.revision, started.created, started.is_running()), (1, world.now, true));
    assert_eq!(look(&mut world, seen("")), started, "nothing new was seen");
    let grown = look(&mut world, seen("a"));
    assert_eq!((grown.revision, grown.created, grown.updated), (2, started.created, world.now));
    let stopped = look(&mut world, TerminalSeen { stop_requested: true, ..seen("a") });
    assert_eq!((stopped.revision, stopped.stop_requested), (3, Some(world.now)));
    let exit = Some(TerminalExit { code: Some(2), signal: None });
    let ended = TerminalSeen { exit, stop_requested: true, ..seen("ab") };
    let over = look(&mut world, ended.clone());
    assert_eq!((over.revision, over.exit_code, over.completed), (4, Some(2), Some(world.now)));
    assert_eq!(over.stop_requested, stopped.stop_requested, "set once");
    let released = look(&mut world, TerminalSeen { stage: TerminalStage::Released, ..ended });
    assert_eq!((released.revision, released.released), (5, Some(world.now)));
    assert_eq!((released.output.as_str(), released.completed), ("ab", over.completed));
    assert!(world.machine.state().terminals.is_empty());
}

#[test]
fn terminals_end_with_the_connection_that_had_them() {
    let (mut world, _) = World::running("a");
    look(&mut world, TerminalSeen { stage: TerminalStage::Started, ..seen("a") });
    world.see(Observation::TerminalsLost);
    let row = &world.store.terminals["ter_1"];
    assert_eq!((row.released, row.completed, row.revision), (Some(world.now), None, 2));
    assert!(!row.is_running());
    let lost = row.clone();
    assert_eq!(look(&mut world, seen("more")), lost, "what comes late is nobody's");
}
