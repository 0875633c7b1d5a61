//! Prompts that come while a run is live: what joins, what waits, what becomes of them.

use openscience_core::answer::{Answer, Refusal};
use openscience_core::effect::Effect;
use openscience_core::input::{Command, Input, Observation, Opened};
use openscience_protocol::event::CancelSource;
use openscience_protocol::prompt::PromptAccepted;
use openscience_protocol::run::TurnState;
use openscience_protocol::{Delivery, MessageInfo, RunId, RunState, TurnId};
use serde_json::{Value, json};

use crate::world::{World, input};

fn submit(world: &mut World, key: &str, text: &str) -> PromptAccepted {
    world.submit(input(json!({ "requestID": key, "message": text }))).expect("admitted")
}

/// A prompt that joins; its turn.
fn join(world: &mut World, key: &str, text: &str) -> TurnId {
    submit(world, key, text).turn_id.expect("a follow-up")
}

/// Opens the conversation for the current turn.
fn open(world: &mut World) {
    let opened = Opened { agent_session: "a1".to_owned(), ..Opened::default() };
    world.see(Observation::SessionOpened { turn: world.turn(), opened: Box::new(opened) });
}

/// Gives the current turn to the agent.
fn prompted(world: &mut World) {
    open(world);
    world.see(Observation::Prompted { turn: world.turn() });
}

/// State words of all turns, in the order they came.
fn turns(world: &World) -> Vec<TurnState> {
    world.store.turns.iter().map(|turn| turn.state).collect()
}

/// The texts that were sent, one list a prompt.
fn sent(world: &World) -> Vec<Vec<String>> {
    let text = |block: &Value| block["text"].as_str().unwrap().to_owned();
    let blocks = |effect: &Effect| match effect {
        Effect::SendPrompt { blocks, .. } => {
            Some(json!(blocks).as_array().unwrap().iter().map(text).collect())
        }
        _ => None,
    };
    world.effects.iter().filter_map(blocks).collect()
}

fn state(world: &World, run: &RunId) -> RunState {
    world.receipt(run).state
}

#[test]
fn a_follow_up_has_the_receipt_of_the_run_it_joins_and_an_identity_of_its_own() {
    let (mut world, run) = World::running("a");
    world.now += 50;
    let accepted = submit(&mut world, "b", "more");
    assert_eq!((&accepted.run_id, accepted.accepted_at), (&run, 1_000));
    let before = world.store.clone();
    assert_eq!(submit(&mut world, "b", " more "), accepted);
    assert_eq!(world.store, before, "a retry adds nothing");
    let other = world.submit(input(json!({ "requestID": "b", "message": "else" })));
    assert_eq!(other, Err(Refusal::Conflict));
    world.end("end_turn");
    prompted(&mut world);
    world.end("end_turn");
    assert_eq!(submit(&mut world, "b", "more"), accepted, "whatever became of the run");
    assert_eq!((state(&world, &run), world.store.runs.len()), (RunState::Completed, 1));
}

#[test]
fn a_follow_up_is_one_append_with_its_events_in_order() {
    let (mut world, run) = World::running("a");
    let first = world.store.events.len();
    let prompt = world.prompt_of(input(json!({ "requestID": "b", "message": "more" })));
    let draft = world.step(&[Input::Command(prompt)]);
    assert!(draft.append.is_some_and(|append| append.bump && append.new_messages == 1));
    assert_eq!(draft.effects, []);
    let told: Vec<(&str, &Value, &Value)> = world.store.events[first..]
        .iter()
        .map(|(event_type, event)| (*event_type, &event["runID"], &event["properties"]["position"]))
        .collect();
    let run = json!(run);
    assert_eq!(
        told,
        [
            ("message.updated", &run, &Value::Null),
            ("message.part.updated", &run, &Value::Null),
            ("turn.updated", &run, &json!(0)),
        ]
    );
    join(&mut world, "c", "and more");
    assert_eq!(world.store.events.last().unwrap().1["properties"]["position"], 1);
}

#[test]
fn what_waits_together_is_sent_as_one_prompt_and_answered_once() {
    let (mut world, run) = World::running("a");
    let b = join(&mut world, "b", "two");
    let c = join(&mut world, "c", "three");
    world.end("end_turn");
    assert_eq!(state(&world, &run), RunState::Running);
    prompted(&mut world);
    assert_eq!(turns(&world), [TurnState::Completed, TurnState::Active, TurnState::Coalesced]);
    assert_eq!(world.store.turn(&c).unwrap().into_turn_id, Some(b));
    assert_eq!(sent(&world), [vec!["go"], vec!["two", "three"]]);
    let newest = world.store.messages.values().next_back().unwrap();
    let MessageInfo::Assistant(answer) = &newest.info else { panic!("{newest:?}") };
    assert_eq!(answer.parent_ids.len(), 2);
    assert_eq!(Some(&answer.parent_id), answer.parent_ids.last());
    let answer = answer.id.clone();
    world.say("both");
    world.end("max_tokens");
    let receipt = world.receipt(&run);
    assert_eq!(receipt.result_message_id, Some(answer), "the last answer is the result");
    assert_eq!((receipt.state, receipt.stop_reason.as_deref()), (RunState::Completed, Some("max_tokens")));
    let terminals = world.store.events.iter().filter(|(kind, _)| kind.starts_with("runtime.")).count();
    assert_eq!(terminals, 2, "accepted once, ended once");
}

#[test]
fn a_prompt_that_comes_while_the_agent_is_made_ready_is_sent_with_the_first() {
    let mut world = World::new();
    world.prompt("a", "one");
    join(&mut world, "b", "two");
    open(&mut world);
    join(&mut world, "c", "too late for the first");
    world.see(Observation::Prompted { turn: world.turn() });
    assert_eq!(sent(&world), [["one", "two"]]);
    assert_eq!(turns(&world), [TurnState::Active, TurnState::Coalesced, TurnState::Ready]);
}

#[test]
fn turns_with_other_settings_or_in_sequence_are_sent_alone() {
    let (mut world, _) = World::running("a");
    let ultra = |key: &str| input(json!({ "requestID": key, "message": key, "effort": "ultra" }));
    join(&mut world, "b", "b");
    world.submit(ultra("c")).unwrap();
    world.submit(ultra("d")).unwrap();
    join(&mut world, "e", "e");
    world.end("end_turn");
    prompted(&mut world);
    world.end("end_turn");
    prompted(&mut world);
    world.command(Command::Deliver(Delivery::Sequential)).unwrap();
    world.end("end_turn");
    join(&mut world, "f", "f");
    prompted(&mut world);
    world.end("end_turn");
    prompted(&mut world);
    let alone = |text: &str| vec![text.to_owned()];
    assert_eq!(
        sent(&world),
        [alone("go"), alone("b"), vec!["c".to_owned(), "d".to_owned()], alone("e"), alone("f")]
    );
}

#[test]
fn a_failed_turn_ends_its_run_and_takes_back_what_waits() {
    let (mut world, run) = World::running("a");
    join(&mut world, "b", "never sent");
    world.fail("prompt_failed");
    assert_eq!(state(&world, &run), RunState::Failed);
    assert_eq!(turns(&world), [TurnState::Failed, TurnState::Withdrawn]);
    assert_eq!(world.store.messages.len(), 3, "its message stays");
    let next = submit(&mut world, "c", "again");
    assert_eq!(next.turn_id, None, "a run of its own");
}

#[test]
fn the_outcome_of_an_earlier_turn_is_not_that_of_the_run() {
    let (mut world, run) = World::running("a");
    let decision =
        world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } }));
    world.decide(&decision, openscience_protocol::PermissionReply::Reject).unwrap();
    join(&mut world, "b", "go on without");
    world.end("end_turn");
    assert_eq!(world.store.turns[0].error.as_ref().unwrap().code, "permission_denied");
    prompted(&mut world);
    world.end("end_turn");
    assert_eq!((state(&world, &run), &world.receipt(&run).error), (RunState::Completed, &None));
    assert_eq!(world.store.turns[1].error, None);
}

#[test]
fn a_prompt_during_a_cancel_is_a_run_that_waits_for_its_end() {
    let (mut world, run) = World::running("a");
    join(&mut world, "b", "goes down with it");
    world.cancel(&run).unwrap();
    let next = submit(&mut world, "c", "next");
    assert!(next.run_id != run && next.turn_id.is_none());
    let joined = submit(&mut world, "d", "joins the next");
    assert_eq!((&joined.run_id, joined.turn_id.is_some()), (&next.run_id, true));
    assert_eq!(state(&world, &next.run_id), RunState::Accepted);
    world.say("late words of the first");
    assert_eq!(world.store.events.last().unwrap().1["runID"], json!(run));
    world.end("cancelled");
    assert_eq!(state(&world, &run), RunState::Cancelled);
    let told: Vec<&str> = world.store.events.iter().rev().take(2).map(|(kind, _)| *kind).collect();
    assert_eq!(told, ["runtime.cancelled", "session.status"], "the session stays busy");
    prompted(&mut world);
    world.end("end_turn");
    assert_eq!(sent(&world), [vec!["go"], vec!["next", "joins the next"]]);
    assert_eq!(state(&world, &next.run_id), RunState::Completed);
    let ended = world.store.events.iter().rev().map(|(kind, _)| *kind).nth(1);
    assert_eq!(ended, Some("session.idle"));
}

#[test]
fn a_run_that_waits_can_be_cancelled_and_takes_nothing_with_it() {
    let (mut world, run) = World::running("a");
    world.cancel(&run).unwrap();
    let next = submit(&mut world, "b", "next").run_id;
    assert_eq!(world.cancel(&next).unwrap().state, RunState::Cancelled);
    assert_eq!(state(&world, &run), RunState::Running, "it is still being ended");
    let third = submit(&mut world, "c", "third").run_id;
    world.command(Command::Abort { source: CancelSource::User }).unwrap();
    assert_eq!(state(&world, &third), RunState::Cancelled, "an abort stops all of it");
    world.end("cancelled");
    assert_eq!(world.machine.state().runs().count(), 0);
}

#[test]
fn a_cancel_under_the_follow_ups_own_id_cancels_the_run_it_joined() {
    let (mut world, run) = World::running("a");
    let prompt = input(json!({ "requestID": "b", "message": "more" }));
    let own = openscience_core::admission::run_id(&world.store.session.id, &prompt).unwrap();
    world.submit(prompt).unwrap();
    let told = world.cancel(&own).unwrap();
    assert_eq!(told.run_id, run);
    world.restart("own_1");
    assert_eq!(world.cancel(&own).unwrap().run_id, run, "also when only the store knows");
}

#[test]
fn a_full_queue_refuses_before_anything_is_stored() {
    let (mut world, run) = World::running("a");
    world.limits.max_waiting_turns = 2;
    join(&mut world, "b", "b");
    let before = {
        join(&mut world, "c", "c");
        world.store.clone()
    };
    let refused = world.submit(input(json!({ "requestID": "d", "message": "d" })));
    assert_eq!(refused, Err(Refusal::QueueFull));
    assert_eq!(world.store, before);
    join(&mut world, "c", "c");
    world.cancel(&run).unwrap();
    let refused = world.submit(input(json!({ "requestID": "d", "message": "d" })));
    assert_eq!(refused, Err(Refusal::QueueFull), "those that go down still wait");
    world.end("cancelled");
    assert_eq!(submit(&mut world, "d", "d").turn_id, None);
}

#[test]
fn another_process_may_join_and_its_prompt_is_answered_by_the_owner() {
    let (mut world, run) = World::running("a");
    let mut other = world.clone();
    other.restart("own_other");
    let accepted = submit(&mut other, "b", "from elsewhere");
    assert_eq!(accepted.run_id, run);
    world.store = other.store;
    world.ids = other.ids;
    world.restart("own_1");
    world.end("end_turn");
    prompted(&mut world);
    assert_eq!(sent(&world).last().unwrap(), &["from elsewhere"]);
}

#[test]
fn a_run_of_another_process_starts_there_when_the_one_before_has_ended() {
    let (mut world, run) = World::running("a");
    world.cancel(&run).unwrap();
    let mut other = world.clone();
    other.restart("own_other");
    other.effects.clear();
    let next = submit(&mut other, "b", "next").run_id;
    world.store = other.store.clone();
    world.ids = other.ids.clone();
    world.restart("own_1");
    world.effects.clear();
    world.end("cancelled");
    assert_eq!(
        world.machine.deadline(&world.me, &world.limits, &world.policy),
        None,
        "it is not this one's to start"
    );
    assert!(!world.effects.iter().any(|effect| matches!(effect, Effect::StartTurn(_))));
    other.store = world.store;
    other.ids = world.ids;
    other.restart("own_other");
    other.wake();
    assert!(matches!(&*other.effects, [Effect::StartTurn(plan)] if plan.run == next));
}

#[test]
fn a_run_that_waited_for_one_of_a_dead_process_is_started_by_its_owner_and_not_by_the_recovery() {
    let (mut world, run) = World::running("a");
    world.cancel(&run).unwrap();
    world.restart("own_other");
    let next = submit(&mut world, "b", "next").run_id;
    world.effects.clear();
    let dead = "own_1".parse().unwrap();
    world.command(Command::Stop { force: true, recovered: true, owner: Some(dead) }).unwrap();
    assert_eq!((state(&world, &run), state(&world, &next)), (RunState::Cancelled, RunState::Accepted));
    assert!(!world.effects.iter().any(|effect| matches!(effect, Effect::StartTurn(_))), "nobody would do it");
    world.wake();
    assert!(matches!(world.effects.last(), Some(Effect::StartTurn(plan)) if plan.run == next));
}

#[test]
fn recovery_ends_the_run_that_waits_with_the_one_that_is_live() {
    let (mut world, run) = World::running("a");
    join(&mut world, "b", "b");
    world.cancel(&run).unwrap();
    let next = submit(&mut world, "c", "c").run_id;
    world.restart("own_2");
    world.command(Command::Stop { force: true, recovered: true, owner: None }).unwrap();
    assert_eq!(state(&world, &run), RunState::Cancelled);
    assert_eq!(state(&world, &next), RunState::Interrupted);
    assert_eq!(turns(&world), [TurnState::Cancelled, TurnState::Withdrawn, TurnState::Withdrawn]);
    let recovered = world.store.events.iter().filter(|(_, event)| event["properties"]["recovered"] == true);
    assert_eq!(recovered.count(), 2);
}

#[test]
fn recovery_in_the_middle_of_a_later_turn_keeps_what_was_said() {
    let (mut world, run) = World::running("a");
    join(&mut world, "b", "b");
    world.say("first answer");
    world.end("end_turn");
    prompted(&mut world);
    world.say("second ans");
    world.restart("own_2");
    world.command(Command::Stop { force: true, recovered: true, owner: None }).unwrap();
    let result = world.receipt(&run).result_message_id.unwrap();
    let position = world.store.position(&result).unwrap();
    let texts: Vec<String> =
        world.store.parts.range((position, 0)..).map(|(_, part)| world.store.text(part)).collect();
    assert!(texts.contains(&"second ans".to_owned()), "{texts:?}");
}

#[test]
fn a_deleted_session_ends_both_of_its_runs() {
    let (mut world, run) = World::running("a");
    world.cancel(&run).unwrap();
    submit(&mut world, "b", "b");
    assert_eq!(world.command(Command::BeginDelete), Ok(Answer::Done));
    world.end("cancelled");
    assert_eq!(world.machine.state().runs().count(), 0);
}
