//! How runs end, and how they are stopped.

use openscience_core::answer::Answer;
use openscience_core::effect::Effect;
use openscience_core::input::{Command, Input, Observation};
use openscience_core::session::SessionMachine;
use openscience_protocol::event::CancelSource;
use openscience_protocol::{PermissionReply, RunId, RunState};
use serde_json::json;

use crate::journal;
use crate::world::{World, answered};

const EXECUTE: &str = r#"{"toolCallId": "c", "kind": "execute", "rawInput": {"command": "ls"}}"#;

fn call() -> serde_json::Value {
    serde_json::from_str(EXECUTE).unwrap()
}

fn refuse(world: &mut World) {
    let id = world.ask(call());
    world.decide(&id, PermissionReply::Reject).unwrap();
}

fn abort(world: &mut World) {
    world.command(Command::Abort { source: CancelSource::User }).unwrap();
}

fn shut_down(world: &mut World) {
    world.command(Command::Stop { force: false, recovered: false, owner: None }).unwrap();
}

/// Runs the script on a run whose agent has said something; checks how it ends.
#[track_caller]
fn check(script: impl FnOnce(&mut World), expected: &str) {
    let mut world = World::new();
    let prompt = json!({ "requestID": "a", "message": "go", "deadlineMs": 60_000 });
    let run = world.submit(crate::world::input(prompt)).unwrap().run_id;
    world.start();
    world.say("text");
    script(&mut world);
    assert_eq!(world.outcome(&run), expected);
    let row = world.receipt(&run);
    assert_eq!(row.completed_at, Some(world.now));
    let answer = &world.store.messages[&2];
    assert_eq!(row.result_message_id.as_ref(), Some(answer.info.id()), "what was said is kept");
    journal::check_texts_of_live(&world.store, 0);
    journal::check_effects(&world.effects);
    // Nothing later changes it.
    let before = world.store.clone();
    world.see(answered(&row.turn_id, "end_turn"));
    world.see(Observation::Tick);
    world.see(Observation::Escalated { turn: row.turn_id.clone(), still_running: true });
    abort(&mut world);
    shut_down(&mut world);
    assert_eq!(world.cancel(&run).unwrap().state, row.state);
    assert_eq!(world.store, before);
}

#[test]
fn the_outcome_is_our_cancel_then_our_end_then_the_agents_word() {
    let end = |word: &'static str| move |world: &mut World| drop(world.end(word));
    check(end("end_turn"), "completed - end_turn / Completed -");
    check(end("max_tokens"), "completed - max_tokens / Completed -");
    check(end("max_turn_requests"), "completed - max_turn_requests / Completed -");
    check(end("refusal"), "completed - refusal / Completed -");
    check(end("a new word"), "completed - a new word / Completed -");
    check(end("cancelled"), "failed agent_cancelled cancelled / Failed agent_cancelled");
    check(|world| drop(world.fail("prompt_failed")), "failed prompt_failed - / Failed prompt_failed");
    check(|world| drop(world.fail("agent_exited")), "failed agent_exited - / Failed agent_exited");
}

#[test]
fn a_refused_permission_shows_at_the_end() {
    let after_refusal = |word: &'static str| {
        move |world: &mut World| {
            refuse(world);
            world.end(word);
        }
    };
    check(after_refusal("cancelled"), "failed permission_denied cancelled / Failed permission_denied");
    check(after_refusal("end_turn"), "completed - end_turn / Completed permission_denied");
}

#[test]
fn a_recorded_cancel_wins_whatever_the_agent_says() {
    for word in ["cancelled", "end_turn", "max_tokens"] {
        let script = |world: &mut World| {
            abort(world);
            world.say(" more");
            world.end(word);
        };
        check(script, &format!("cancelled - {word} / Cancelled -"));
    }
    let failing = |world: &mut World| {
        abort(world);
        world.fail("agent_exited");
    };
    check(failing, "cancelled - - / Cancelled -");
    let refused = |world: &mut World| {
        refuse(world);
        abort(world);
        world.end("cancelled");
    };
    check(refused, "cancelled - cancelled / Cancelled -");
}

#[test]
fn a_deadline_and_a_shutdown_are_intended_ends() {
    let deadline = |world: &mut World| {
        assert_eq!(world.wake(), Vec::<&str>::new());
        world.end("end_turn");
    };
    check(deadline, "failed deadline_exceeded end_turn / Failed deadline_exceeded");
    let shutdown = |world: &mut World| {
        shut_down(world);
        world.end("cancelled");
    };
    check(shutdown, "interrupted runtime_stopped cancelled / Failed runtime_stopped");
    let killed = |world: &mut World| {
        shut_down(world);
        world.command(Command::Stop { force: true, recovered: false, owner: None }).unwrap();
    };
    check(killed, "interrupted runtime_stopped - / Failed runtime_stopped");
    let both = |world: &mut World| {
        world.wake();
        shut_down(world);
        world.end("cancelled");
    };
    check(both, "failed deadline_exceeded cancelled / Failed deadline_exceeded");
}

#[test]
fn a_cancel_before_the_terminal_event_wins_over_an_intended_end() {
    let late = |world: &mut World| {
        world.wake();
        abort(world);
        world.end("cancelled");
    };
    check(late, "cancelled - cancelled / Cancelled -");
    let stopping = |world: &mut World| {
        shut_down(world);
        abort(world);
        world.command(Command::Stop { force: true, recovered: false, owner: None }).unwrap();
    };
    check(stopping, "cancelled - - / Cancelled -");
}

#[test]
fn a_run_whose_owner_died_is_interrupted_or_what_it_was_meant_to_be() {
    let recover = |world: &mut World| {
        world.restart("own_2");
        world.command(Command::Stop { force: true, recovered: true, owner: None }).unwrap();
        assert_eq!(world.store.events.last().unwrap().1["properties"]["recovered"], true);
    };
    check(recover, "interrupted runtime_stopped - / Failed runtime_stopped");
    let cancelled = |world: &mut World| {
        abort(world);
        recover(world);
    };
    check(cancelled, "cancelled - - / Cancelled -");
    let late = |world: &mut World| {
        world.wake();
        recover(world);
    };
    check(late, "failed deadline_exceeded - / Failed deadline_exceeded");
}

#[test]
fn before_the_agent_is_prompted_a_stop_ends_the_run_at_once() {
    type Script = fn(&mut World, &RunId);
    let scripts: [(Script, &str); 5] = [
        (|world, _| abort(world), "cancelled - - / Cancelled -"),
        (
            |world, run| assert_eq!(world.cancel(run).unwrap().state, RunState::Cancelled),
            "cancelled - - / Cancelled -",
        ),
        (|world, _| shut_down(world), "interrupted runtime_stopped - / Failed runtime_stopped"),
        (|world, _| drop(world.wake()), "failed deadline_exceeded - / Failed deadline_exceeded"),
        (
            |world, _| drop(world.fail("agent_start_failed")),
            "failed agent_start_failed - / Failed agent_start_failed",
        ),
    ];
    for (script, expected) in scripts {
        let mut world = World::new();
        world.store.session.deadline_ms = Some(100);
        world.restart("own_1");
        let run = world.prompt("a", "go");
        script(&mut world, &run);
        assert_eq!(world.outcome(&run), expected);
        assert_eq!(world.receipt(&run).result_message_id, None);
        let turn = world.receipt(&run).turn_id;
        assert!(world.effects.contains(&Effect::TurnOver { turn: turn.clone() }));
        assert!(
            !world.effects.contains(&Effect::CancelTurn { turn: turn.clone() }),
            "it has no prompt to cancel"
        );
        assert!(world.see(Observation::Prompted { turn }).is_empty());
        journal::read(&world.store);
    }
}

#[test]
fn a_cancel_is_told_to_the_agent_once_and_the_first_source_stays() {
    let (mut world, run) = World::running("a");
    let id = world.ask(call());
    let view = world.cancel(&run).unwrap();
    assert_eq!((view.state, view.waiting), (RunState::Running, None));
    assert_eq!(
        world.store.decisions[&id].close_reason.unwrap(),
        openscience_protocol::event::CloseReason::Cancelled
    );
    world.cancel(&run).unwrap();
    world.command(Command::Abort { source: CancelSource::RunnerTimeout }).unwrap();
    let told = world.effects.iter().filter(|effect| matches!(effect, Effect::CancelTurn { .. })).count();
    assert_eq!(told, 1);
    world.end("cancelled");
    let last = &world.store.events.last().unwrap().1;
    assert_eq!((&last["type"], &last["properties"]["source"]), (&json!("runtime.cancelled"), &json!("user")));
    assert_eq!(world.cancel(&run).unwrap().state, RunState::Cancelled);
}

#[test]
fn a_turn_that_does_not_end_is_escalated_after_5_s_and_settled_after_10() {
    let (mut world, run) = World::running("a");
    assert_eq!(world.machine.deadline(&world.me, &world.limits, &world.policy), None);
    abort(&mut world);
    let start = world.now;
    world.now += 4_999;
    assert!(world.see(Observation::Tick).is_empty());
    assert!(world.wake().is_empty());
    let turn = world.turn();
    assert_eq!(
        (world.now, world.effects.last()),
        (start + 5_000, Some(&Effect::EscalateTurn { turn: turn.clone() }))
    );
    assert!(world.see(Observation::Escalated { turn, still_running: true }).is_empty());
    world.wake();
    assert_eq!(world.now, start + 10_000);
    assert_eq!(world.outcome(&run), "cancelled - - / Cancelled -");
    assert!(world.receipt(&run).agent_still_running);
    assert_eq!(world.machine.deadline(&world.me, &world.limits, &world.policy), None);
    journal::check_effects(&world.effects);
}

#[test]
fn a_clock_that_comes_late_escalates_and_settles_at_once() {
    let (mut world, run) = World::running("a");
    abort(&mut world);
    world.now += 60_000;
    world.see(Observation::Tick);
    assert_eq!(world.outcome(&run), "cancelled - - / Cancelled -");
    assert!(world.effects.iter().any(|effect| matches!(effect, Effect::EscalateTurn { .. })));
}

#[test]
fn elsewhere_a_cancel_is_only_recorded_and_its_owner_applies_it() {
    for prompted in [true, false] {
        let mut world = World::new();
        let run = world.prompt("a", "go");
        if prompted {
            world.start();
            world.ask(call());
        }
        let turn = world.turn();
        world.effects.clear();
        world.restart("own_2");
        world.now += 100_000;
        assert!(world.see(Observation::Tick).is_empty());
        shut_down(&mut world);
        world.command(Command::Stop { force: true, recovered: false, owner: None }).unwrap();
        let view = world.cancel(&run).unwrap();
        assert!(!view.state.is_terminal());
        assert_eq!(view.waiting.is_some(), prompted);
        assert_eq!(world.effects, [], "only the owner has the agent");

        world.restart("own_1");
        let refused = world.ask_with(call(), json!([]));
        assert!(refused.is_empty(), "a run that is to stop asks nothing more");
        world.effects.clear();
        world.wake();
        let cancel = Effect::CancelTurn { turn: turn.clone() };
        assert_eq!(world.effects.contains(&cancel), prompted);
        assert_eq!(world.receipt(&run).state.is_terminal(), !prompted);
        assert_eq!(world.pending(), []);
        if prompted {
            world.end("cancelled");
        }
        assert_eq!(world.receipt(&run).state, RunState::Cancelled);
    }
}

#[test]
fn elsewhere_the_clock_of_a_stop_runs_for_nobody() {
    let (mut world, _) = World::running("a");
    abort(&mut world);
    world.restart("own_2");
    world.now += 100_000;
    let before = world.store.clone();
    world.see(Observation::Tick);
    assert_eq!(world.store, before);
}

#[test]
fn an_end_that_comes_before_a_recorded_cancel_is_applied_is_cancelled() {
    let (mut world, run) = World::running("a");
    world.restart("own_2");
    world.cancel(&run).unwrap();
    world.restart("own_1");
    world.end("end_turn");
    assert_eq!(world.outcome(&run), "cancelled - end_turn / Cancelled -");
}

#[test]
fn a_session_that_is_deleted_ends_its_run() {
    let (mut world, run) = World::running("a");
    assert_eq!(world.command(Command::BeginDelete), Ok(Answer::Done));
    assert_eq!(world.command(Command::BeginDelete), Ok(Answer::Done));
    assert!(world.store.session.deleting);
    world.end("cancelled");
    assert_eq!(world.outcome(&run), "cancelled - cancelled / Cancelled -");
}

#[test]
fn a_stale_turn_is_not_this_turn() {
    let (mut world, first) = World::running("a");
    let stale = world.turn();
    world.end("end_turn");
    let second = world.prompt("b", "go");
    let before = world.store.clone();
    world.see(Observation::Prompted { turn: stale.clone() });
    world.see(answered(&stale, "end_turn"));
    world.see(Observation::Escalated { turn: stale, still_running: true });
    assert_eq!(world.store, before);
    assert_eq!(world.receipt(&first).state, RunState::Completed);
    assert_eq!(world.receipt(&second).state, RunState::Accepted);
}

#[test]
fn nothing_of_a_lost_draft_was_done() {
    let (mut world, run) = World::running("a");
    let draft = world.draft(&[Input::Command(Command::Abort { source: CancelSource::User })]);
    assert!(!draft.effects.is_empty());
    world.machine = SessionMachine::restore(world.store.rows());
    world.end("end_turn");
    assert_eq!(world.outcome(&run), "completed - end_turn / Completed -");
}

#[test]
fn a_silent_agent_is_stopped_and_what_it_had_said_is_kept() {
    let (mut world, run) = World::running("a");
    world.say("half");
    let turn = world.turn();
    world.see(Observation::Stalled { turn: turn.clone() });
    assert!(matches!(world.effects.last(), Some(Effect::CancelTurn { .. })));
    world.end("cancelled");
    assert_eq!(world.outcome(&run), "failed agent_stalled cancelled / Failed agent_stalled");
    world.see(Observation::Stalled { turn });
    assert_eq!(world.outcome(&run), "failed agent_stalled cancelled / Failed agent_stalled");
}

#[test]
fn an_agent_that_waits_for_a_person_is_not_stalled() {
    let (mut world, run) = World::running("a");
    world.ask(json!({ "toolCallId": "c", "kind": "execute" }));
    assert!(world.see(Observation::Stalled { turn: world.turn() }).is_empty());
    assert_eq!(world.receipt(&run).stop_at, None);
}
