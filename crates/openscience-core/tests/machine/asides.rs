//! What is told live beside the journal: nothing of it is stored as an event.

use openscience_core::input::{Command, Input, MetaPatch, Observation};
use openscience_core::session::Draft;
use openscience_protocol::EventBody;
use serde_json::{Value, json};

use crate::world::{World, words};

/// Place, type and properties of each.
fn told(draft: &Draft) -> Vec<(usize, &'static str, Value)> {
    let told = |aside: &openscience_core::session::Aside| {
        (aside.after, EventBody::event_type(&aside.body), json!(aside.body))
    };
    draft.asides.iter().map(told).collect()
}

fn rename(title: &str) -> Input {
    Input::Command(Command::Rename(MetaPatch { title: Some(title.to_owned()), ..MetaPatch::default() }))
}

fn over() -> World {
    let (mut world, _) = World::running("a");
    world.see(words(false, Some("m1"), "one"));
    world.end("end_turn");
    world
}

#[test]
fn a_rename_tells_the_record_as_it_is_after_it() {
    let mut world = World::new();
    let draft = world.step(&[rename("New")]);
    let told = told(&draft);
    let [(0, "session.updated", properties)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(properties["info"]["title"], "New");
    assert_eq!(world.store.events.len(), 0);
}

#[test]
fn a_rename_during_a_run_is_journaled_and_tells_the_record_too() {
    let (mut world, _) = World::running("a");
    let before = world.store.events.len();
    let draft = world.step(&[rename("New")]);
    let told = told(&draft);
    let [(1, "session.updated", properties)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(properties["info"]["title"], "New");
    assert_eq!(world.store.events.len(), before + 1);
}

#[test]
fn what_an_agent_tells_after_its_run_is_told_and_not_journaled() {
    let mut world = over();
    let events = world.store.events.len();
    let draft = world.step(&[Input::Observation(words(false, Some("m1"), " late"))]);
    let part = told(&draft);
    let [(0, "message.part.updated", properties)] = part.as_slice() else { panic!("{part:?}") };
    assert_eq!(properties["part"]["text"], "one late");
    assert_eq!(world.store.events.len(), events);
}

#[test]
fn a_late_part_is_told_beside_the_journal_of_the_next_run() {
    let mut world = over();
    world.prompt("b", "next");
    world.start();
    let draft = world.step(&[Input::Observation(words(false, Some("m1"), " late"))]);
    assert_eq!(told(&draft).first().map(|(_, event_type, _)| *event_type), Some("message.part.updated"));
}

#[test]
fn an_admission_tells_the_record_in_its_place_and_nothing_twice() {
    let mut world = World::new();
    let input = crate::world::input(json!({ "requestID": "a", "message": "go" }));
    let prompt = Input::Command(world.prompt_of(input));
    let draft = world.step(&[prompt]);
    let events = draft.append.as_ref().map_or(0, |append| append.events.len());
    let told = told(&draft);
    let [(after, "session.updated", _)] = told.as_slice() else { panic!("{told:?}") };
    assert!(*after > 0 && *after < events, "before session.status");
}

#[test]
fn a_mark_for_deletion_is_not_told() {
    let mut world = World::new();
    assert_eq!(told(&world.step(&[Input::Command(Command::BeginDelete)])), []);
}

#[test]
fn nothing_that_is_journaled_is_told_beside_it() {
    let (mut world, _) = World::running("a");
    let draft = world.step(&[Input::Observation(words(false, None, "text"))]);
    assert_eq!(told(&draft), []);
    let turn = world.turn();
    assert_eq!(told(&world.step(&[Input::Observation(Observation::Prompted { turn })])), []);
}
