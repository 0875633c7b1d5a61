//! Whatever happens in whatever order, each decision is answered once.

use std::collections::BTreeMap;

use openscience_core::effect::Effect;
use openscience_core::input::{Command, Observation, RequestKey};
use openscience_protocol::event::CancelSource;
use openscience_protocol::row::{DecisionRow, DecisionState};
use openscience_protocol::{DecisionId, PermissionReply};
use proptest::collection::vec;
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use serde_json::json;

use crate::world::{World, answers_to, asked, dismissal_of, form_asked, once_or_not, reply_to};

/// Something that may happen to decisions; a number names one of them.
#[derive(Debug, Clone)]
enum Step {
    AskPermission,
    AskQuestion,
    /// A form that cannot be asked.
    AskTooMuch,
    Answer(usize, usize),
    Withdraw(usize),
    Delivered(usize, bool),
    Cancel,
    CancelTurn,
    Abort,
    /// The clock moves to what is due, or by itself.
    Time,
    EndTurn,
    Exit,
    Prompt,
    Begin,
    Stop,
    /// The same process reads its rows again, as after a write of another one.
    Restore,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => Just(Step::AskPermission),
        4 => Just(Step::AskQuestion),
        1 => Just(Step::AskTooMuch),
        8 => (any::<usize>(), any::<usize>()).prop_map(|(which, how)| Step::Answer(which, how)),
        2 => any::<usize>().prop_map(Step::Withdraw),
        3 => (any::<usize>(), any::<bool>()).prop_map(|(which, delivered)| Step::Delivered(which, delivered)),
        1 => Just(Step::Cancel),
        1 => Just(Step::CancelTurn),
        1 => Just(Step::Abort),
        3 => Just(Step::Time),
        1 => Just(Step::EndTurn),
        1 => Just(Step::Exit),
        2 => Just(Step::Prompt),
        3 => Just(Step::Begin),
        1 => Just(Step::Stop),
        1 => Just(Step::Restore),
    ]
}

/// Mostly one that exists.
fn which(world: &World, number: usize) -> DecisionId {
    let all: Vec<&DecisionId> = world.store.decisions.keys().collect();
    let found = all.get(number % (all.len() + 1));
    found.map_or_else(|| "per_unknown".parse().unwrap(), |id| (*id).clone())
}

fn play(world: &mut World, step: &Step, keys: &mut u64) {
    *keys += 1;
    let key = RequestKey(*keys);
    let live = world.machine.state().live.is_some();
    match step {
        Step::AskPermission => {
            let call = json!({ "toolCallId": format!("c{}", keys), "kind": "execute", "rawInput": { "command": "ls" } });
            world.see(asked(key, call, once_or_not()));
        }
        Step::AskQuestion => {
            world.see(form_asked(key, &json!({ "f": { "type": "string", "enum": ["a", "b"] } })));
        }
        Step::AskTooMuch => drop(world.see(form_asked(key, &json!({ "f": { "type": "object" } })))),
        Step::Answer(number, how) => {
            let id = which(world, *number);
            let input = match how % 6 {
                0 => reply_to(&id, PermissionReply::Once, None),
                1 => reply_to(&id, PermissionReply::Session, None),
                2 => reply_to(&id, PermissionReply::Reject, Some("no")),
                3 => answers_to(&id, &[&["a"]]),
                4 => answers_to(&id, &[&["none"]]),
                _ => dismissal_of(&id),
            };
            drop(world.command(world.decision_of(input)));
        }
        Step::Withdraw(number) => {
            let decision = which(world, *number);
            world.see(Observation::RequestWithdrawn { decision });
        }
        Step::Delivered(number, delivered) => {
            let decision = which(world, *number);
            world.see(Observation::AnswerDelivered { decision, delivered: *delivered });
        }
        Step::Cancel if live => {
            let run = world.machine.state().live.as_ref().unwrap().run.id.clone();
            drop(world.cancel(&run));
        }
        Step::CancelTurn if live => {
            let turn = world.turn();
            let found = world.found(&turn);
            drop(world.command(Command::CancelTurn { turn, found }));
        }
        Step::Abort => drop(world.command(Command::Abort { source: CancelSource::User })),
        Step::Time => {
            let due = world.machine.deadline(&world.me, &world.limits, &world.policy);
            world.now = due.map_or(world.now, |due| due.max(world.now)) + 1;
            world.see(Observation::Tick);
        }
        Step::EndTurn if live => drop(world.end("end_turn")),
        Step::Exit if live => drop(world.fail("agent_exited")),
        Step::Prompt => drop(world.prompt(&format!("k{keys}"), "go")),
        Step::Begin if live => world.start(),
        Step::Stop => {
            drop(world.command(Command::Stop {
                force: keys.is_multiple_of(2),
                recovered: false,
                owner: None,
            }));
        }
        Step::Restore => world.restart("own_1"),
        Step::Cancel | Step::CancelTurn | Step::EndTurn | Step::Exit | Step::Begin => {}
    }
}

/// A decision that was answered keeps its answer; one that was closed stays so.
fn check_final(before: &BTreeMap<DecisionId, DecisionRow>, world: &World) {
    for (id, row) in before.iter().filter(|(_, row)| row.state != DecisionState::Pending) {
        let now = &world.store.decisions[id];
        let delivered = row.state == DecisionState::Indeterminate && now.state == DecisionState::Resolved;
        assert_eq!(DecisionRow { state: row.state, ..now.clone() }, *row);
        assert!(delivered || now.state == row.state, "{id}: {:?} after {:?}", now.state, row.state);
    }
}

/// One event tells that it was asked, if it was, and one what became of it.
fn check_told(world: &World, id: &DecisionId, row: &DecisionRow) {
    let told = |names: &[&str], field: &str| {
        let events =
            world.store.events.iter().filter(|(name, _)| names.iter().any(|end| name.ends_with(end)));
        events.filter(|(_, event)| event["properties"][field] == id.as_str()).count()
    };
    let over = told(&[".replied", ".rejected", ".cancelled"], "requestID");
    assert_eq!(over, usize::from(row.state != DecisionState::Pending), "{row:?}");
    assert!(told(&[".asked"], "id") <= 1, "{row:?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_decision_is_answered_once_under_any_interleaving(steps in vec(step(), 0..60)) {
        let (mut world, _) = World::running("first");
        world.policy.decision_timeout_ms = Some(50);
        let mut keys = 100;
        for step in &steps {
            let before = world.store.decisions.clone();
            play(&mut world, step, &mut keys);
            check_final(&before, &world);
        }
        drop(world.command(Command::Stop { force: true, recovered: false, owner: None }));
        let mut answers: BTreeMap<String, usize> = BTreeMap::new();
        for effect in &world.effects {
            match effect {
                Effect::AnswerDecision { decision, .. } => *answers.entry(decision.to_string()).or_default() += 1,
                Effect::RefuseRequest { key } => *answers.entry(format!("{key:?}")).or_default() += 1,
                _ => {}
            }
        }
        assert!(answers.values().all(|count| *count == 1), "{answers:?}");
        for (id, row) in &world.store.decisions {
            assert_ne!(row.state, DecisionState::Pending, "none waits for a run that is over: {row:?}");
            assert!(answers.contains_key(id.as_str()), "the agent got its answer: {row:?}");
            check_told(&world, id, row);
        }
    }
}
