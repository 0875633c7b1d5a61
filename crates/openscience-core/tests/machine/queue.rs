//! The queue: taking turns back, putting one first, stopping one and not its run.

use openscience_core::answer::{Answer, Refusal};
use openscience_core::effect::Effect;
use openscience_core::input::{Command, Observation, Opened};
use openscience_core::queue;
use openscience_protocol::run::{RunTurn, TurnState};
use openscience_protocol::{Delivery, RunState, TurnId};
use serde_json::json;

use crate::world::{World, input};

fn join(world: &mut World, text: &str) -> TurnId {
    let accepted = world.submit(input(json!({ "requestID": text, "message": text }))).expect("admitted");
    accepted.turn_id.expect("a follow-up")
}

fn prompted(world: &mut World) {
    let opened = Opened { agent_session: "a1".to_owned(), ..Opened::default() };
    world.see(Observation::SessionOpened { turn: world.turn(), opened: Box::new(opened) });
    world.see(Observation::Prompted { turn: world.turn() });
}

fn told(world: &mut World, command: Command) -> Result<RunTurn, Refusal> {
    match world.command(command)? {
        Answer::Turn(turn) => Ok(turn),
        other => panic!("{other:?}"),
    }
}

fn withdraw(world: &mut World, turn: &TurnId) -> Result<RunTurn, Refusal> {
    let found = world.found(turn);
    told(world, Command::Withdraw { turn: turn.clone(), found })
}

fn send_now(world: &mut World, turn: &TurnId) -> Result<RunTurn, Refusal> {
    let found = world.found(turn);
    told(world, Command::SendNow { turn: turn.clone(), found })
}

fn cancel(world: &mut World, turn: &TurnId) -> Result<RunTurn, Refusal> {
    let found = world.found(turn);
    told(world, Command::CancelTurn { turn: turn.clone(), found })
}

/// Turns that wait, next first.
fn waiting(world: &World) -> Vec<TurnId> {
    let queue = queue::view(world.machine.state());
    assert!(queue.turns.iter().enumerate().all(|(index, turn)| turn.position as usize == index));
    queue.turns.into_iter().map(|turn| turn.id).collect()
}

fn state(world: &World, turn: &TurnId) -> TurnState {
    world.store.turn(turn).unwrap().state
}

#[test]
fn the_queue_holds_what_waits_and_not_what_the_agent_has() {
    let mut world = World::new();
    world.prompt("a", "go");
    assert_eq!(waiting(&world), [], "the agent is being made ready for it");
    let (b, c) = (join(&mut world, "b"), join(&mut world, "c"));
    assert_eq!(waiting(&world), [b, c]);
    prompted(&mut world);
    assert_eq!(waiting(&world), [], "sent with the first");
}

#[test]
fn a_turn_that_was_taken_back_is_never_sent_and_its_message_stays() {
    let (mut world, run) = World::running("a");
    let (b, c) = (join(&mut world, "b"), join(&mut world, "c"));
    assert_eq!(withdraw(&mut world, &b).unwrap().state, TurnState::Withdrawn);
    assert_eq!(waiting(&world), [c]);
    assert_eq!(withdraw(&mut world, &b), Err(Refusal::TurnNotQueued), "only once");
    assert_eq!(withdraw(&mut world, &"trn_none".parse().unwrap()), Err(Refusal::TurnNotFound));
    let current = world.turn();
    assert_eq!(withdraw(&mut world, &current), Err(Refusal::TurnNotQueued));
    assert_eq!(world.command(Command::ClearQueue), Ok(Answer::Withdrawn(1)));
    assert_eq!(world.command(Command::ClearQueue), Ok(Answer::Withdrawn(0)));
    world.end("end_turn");
    assert_eq!(world.receipt(&run).state, RunState::Completed);
    assert_eq!(world.store.messages.len(), 4);
}

#[test]
fn a_run_whose_last_turn_was_taken_back_ends_cancelled() {
    let (mut world, run) = World::running("a");
    world.cancel(&run).unwrap();
    let next = world.prompt("b", "next");
    let turn = world.receipt(&next).turn_id;
    assert_eq!(waiting(&world), std::slice::from_ref(&turn));
    assert_eq!(withdraw(&mut world, &turn).unwrap().state, TurnState::Withdrawn);
    assert_eq!(world.receipt(&next).state, RunState::Cancelled);
    world.end("cancelled");
    assert_eq!(world.machine.state().live, None);
}

#[test]
fn a_turn_sent_now_takes_the_place_of_the_current_one() {
    let (mut world, run) = World::running("a");
    world.command(Command::Deliver(Delivery::Sequential)).unwrap();
    let first = world.turn();
    let (b, c) = (join(&mut world, "b"), join(&mut world, "c"));
    world.say("half an ans");
    send_now(&mut world, &c).unwrap();
    assert!(matches!(world.effects.last(), Some(Effect::CancelTurn { turn }) if *turn == first));
    assert_eq!(waiting(&world), [c.clone(), b.clone()]);
    world.end("end_turn");
    assert_eq!(state(&world, &first), TurnState::Cancelled, "whatever the agent made of it");
    assert_eq!(world.turn(), c);
    prompted(&mut world);
    world.end("end_turn");
    assert_eq!(world.turn(), b);
    prompted(&mut world);
    world.end("end_turn");
    assert_eq!(world.receipt(&run).state, RunState::Completed);
}

#[test]
fn a_turn_sent_now_while_the_agent_is_made_ready_goes_along_or_before() {
    let mut world = World::new();
    world.prompt("a", "go");
    let first = world.turn();
    let (_b, c) = (join(&mut world, "b"), join(&mut world, "c"));
    send_now(&mut world, &c).unwrap();
    assert_eq!(world.turn(), first, "it goes along");
    world.command(Command::Deliver(Delivery::Sequential)).unwrap();
    send_now(&mut world, &c).unwrap();
    assert_eq!(world.turn(), c, "it goes before");
    assert!(matches!(world.effects.last(), Some(Effect::StartTurn(plan)) if plan.turn == c));
    prompted(&mut world);
    world.end("end_turn");
    assert_eq!(world.turn(), first, "nothing is lost");
}

#[test]
fn a_cancelled_turn_ends_and_its_run_goes_on_with_the_next() {
    let (mut world, run) = World::running("a");
    let first = world.turn();
    let decision =
        world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } }));
    let b = join(&mut world, "b");
    assert_eq!(cancel(&mut world, &first).unwrap().state, TurnState::Active);
    assert_eq!(world.pending(), [], "what it asked is closed");
    assert!(matches!(world.effects.last(), Some(Effect::CancelTurn { .. })));
    let asked = world.ask_with(json!({ "toolCallId": "d", "kind": "execute" }), crate::world::once_or_not());
    assert!(asked.is_empty(), "nobody is asked any more");
    let effects = world.effects.len();
    cancel(&mut world, &first).unwrap();
    assert_eq!(world.effects.len(), effects, "the agent is told once");
    world.see(Observation::AnswerDelivered { decision, delivered: true });
    world.end("cancelled");
    assert_eq!((state(&world, &first), world.turn()), (TurnState::Cancelled, b));
    assert_eq!(cancel(&mut world, &first).unwrap().state, TurnState::Cancelled, "answered as it is");
    prompted(&mut world);
    world.end("end_turn");
    assert_eq!(world.receipt(&run).state, RunState::Completed);
}

#[test]
fn a_run_whose_only_turn_is_cancelled_is_cancelled() {
    let (mut world, run) = World::running("a");
    let turn = world.turn();
    cancel(&mut world, &turn).unwrap();
    world.say("kept");
    world.end("end_turn");
    let receipt = world.receipt(&run);
    assert_eq!((receipt.state, receipt.cancel.is_some()), (RunState::Cancelled, true));
    let (kind, event) = world.store.events.last().unwrap();
    assert_eq!((*kind, &event["properties"]["source"]), ("runtime.cancelled", &json!("user")));
}

#[test]
fn a_cancelled_turn_that_does_not_end_is_ended_in_time_and_the_next_one_starts() {
    let (mut world, run) = World::running("a");
    let first = world.turn();
    let b = join(&mut world, "b");
    cancel(&mut world, &first).unwrap();
    let start = world.now;
    world.wake();
    assert!(matches!(world.effects.last(), Some(Effect::EscalateTurn { .. })));
    world.wake();
    assert_eq!(world.now - start, 10_000);
    assert_eq!((state(&world, &first), world.turn()), (TurnState::Cancelled, b));
    assert_eq!(world.receipt(&run).state, RunState::Running);
}

#[test]
fn a_run_cancelled_after_its_turn_ends_no_later_than_the_turn_would_have() {
    let (mut world, run) = World::running("a");
    let (turn, start) = (world.turn(), world.now);
    cancel(&mut world, &turn).unwrap();
    world.now += 3_000;
    let effects = world.effects.len();
    world.cancel(&run).unwrap();
    assert_eq!(world.effects.len(), effects, "the agent was told already");
    world.wake();
    assert_eq!(world.now - start, 5_000);
    world.wake();
    assert_eq!((world.now - start, world.receipt(&run).state), (10_000, RunState::Cancelled));
}

#[test]
fn a_settle_limit_before_the_escalation_is_kept() {
    let (mut world, run) = World::running("a");
    world.limits.cancel_settle_ms = 700;
    world.cancel(&run).unwrap();
    world.wake();
    assert_eq!((world.now, world.receipt(&run).state), (1_700, RunState::Cancelled));
}

#[test]
fn a_turn_that_waits_is_taken_back_by_its_cancel_and_one_sent_along_is_over() {
    let mut world = World::new();
    world.prompt("a", "go");
    let b = join(&mut world, "b");
    prompted(&mut world);
    assert_eq!(cancel(&mut world, &b).unwrap().state, TurnState::Coalesced);
    let c = join(&mut world, "c");
    assert_eq!(cancel(&mut world, &c).unwrap().state, TurnState::Withdrawn);
    assert_eq!(cancel(&mut world, &"trn_none".parse().unwrap()), Err(Refusal::TurnNotFound));
}

#[test]
fn only_the_owner_of_a_run_changes_its_queue() {
    let (mut world, _) = World::running("a");
    let (first, b) = (world.turn(), join(&mut world, "b"));
    world.restart("own_other");
    let not_owned =
        |refused: Result<RunTurn, Refusal>| assert!(matches!(refused, Err(Refusal::RunNotOwned { .. })));
    not_owned(withdraw(&mut world, &b));
    not_owned(send_now(&mut world, &b));
    not_owned(cancel(&mut world, &first));
    not_owned(cancel(&mut world, &b));
    assert!(matches!(world.command(Command::ClearQueue), Err(Refusal::RunNotOwned { .. })));
}
