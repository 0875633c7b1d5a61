//! Who gets in: prompts, their keys, what is stored for them.

use openscience_core::answer::{Answer, Refusal};
use openscience_core::effect::Effect;
use openscience_core::input::{Command, Input, MetaPatch, PromptCommand};
use openscience_protocol::event::CancelSource;
use openscience_protocol::whole::WHOLE_MAX;
use openscience_protocol::{DecisionInput, RunState, SessionStatus};
use serde_json::{Value, json};

use crate::world::{World, input};

const MESSAGE: &str = "msg_0123456789ab01234567890000";

fn keyed(key: &str, text: &str) -> Value {
    json!({ "requestID": key, "message": text })
}

#[track_caller]
fn check(world: &mut World, fields: Value, expected: Result<&str, Refusal>) {
    let before = world.store.clone();
    let accepted = world.submit(input(fields.clone())).map(|accepted| accepted.run_id);
    match expected {
        Ok(key) => {
            let run = world.store.runs.iter().find(|run| run.request_id.as_deref() == Some(key));
            assert_eq!(accepted.as_ref().ok(), run.map(|run| &run.id), "{fields}");
        }
        Err(refusal) => {
            assert_eq!(accepted, Err(refusal), "{fields}");
            assert_eq!(world.store, before, "a refusal changes nothing: {fields}");
        }
    }
}

#[test]
fn an_admission_is_one_append_with_its_events_in_order() {
    let mut world = World::new();
    let prompt =
        input(json!({ "parts": [{ "type": "text", "text": "a" }, { "type": "agent", "name": "b" }] }));
    let draft = world.step(&[Input::Command(world.prompt_of(prompt))]);
    let append = draft.append.unwrap();
    let types: Vec<&str> = append.events.iter().map(|event| event.event_type).collect();
    assert_eq!(
        types,
        [
            "runtime.accepted",
            "message.updated",
            "message.part.updated",
            "message.part.updated",
            "turn.updated",
            "session.status"
        ]
    );
    assert!(append.bump && append.new_messages == 1);
    assert!(matches!(&*draft.effects, [Effect::StartTurn(_)]));
    assert_eq!(world.machine.status(), SessionStatus::Busy);
}

#[test]
fn an_identical_retry_gets_its_receipt_whatever_became_of_it() {
    let mut world = World::new();
    let first = world.submit(input(keyed("a", "go"))).unwrap();
    let again = |world: &mut World| {
        let before = world.store.clone();
        assert_eq!(world.submit(input(keyed("a", " go "))), Ok(first.clone()));
        assert_eq!(world.store, before);
    };
    again(&mut world);
    world.start();
    world.now += 5;
    again(&mut world);
    world.end("end_turn");
    again(&mut world);
    world.prompt("b", "next");
    again(&mut world);
    world.command(Command::BeginDelete).unwrap();
    again(&mut world);
    assert_eq!(world.receipt(&first.run_id).state, RunState::Completed);
}

#[test]
fn a_key_with_another_prompt_is_a_conflict() {
    let mut world = World::new();
    world.prompt("a", "go");
    check(&mut world, keyed("a", "else"), Err(Refusal::Conflict));
    check(
        &mut world,
        json!({ "requestID": "a", "message": "go", "effort": "ultra" }),
        Err(Refusal::Conflict),
    );
    world.command(Command::Abort { source: CancelSource::User }).unwrap();
    check(&mut world, keyed("a", "else"), Err(Refusal::Conflict));
    check(&mut world, keyed("a", "go"), Ok("a"));
}

#[test]
fn a_deleted_session_takes_no_prompt() {
    let mut world = World::new();
    world.prompt("a", "go");
    world.start();
    world.command(Command::BeginDelete).unwrap();
    check(&mut world, keyed("b", "go"), Err(Refusal::Deleting));
    world.end("cancelled");
    check(&mut world, keyed("b", "go"), Err(Refusal::Deleting));
    check(&mut world, keyed("a", "go"), Ok("a"));
}

#[test]
fn a_message_id_is_used_once_also_by_a_cancelled_run() {
    let mut world = World::new();
    let with_id = |key: &str| json!({ "requestID": key, "messageID": MESSAGE, "message": "go" });
    check(&mut world, with_id("a"), Ok("a"));
    check(&mut world, with_id("b"), Err(Refusal::Conflict));
    world.command(Command::Abort { source: CancelSource::User }).unwrap();
    check(&mut world, with_id("b"), Err(Refusal::Conflict));
    check(&mut world, with_id("a"), Ok("a"));
    // Without a request id the message id is the key: another run's key, so not a retry.
    check(&mut world, json!({ "messageID": MESSAGE, "message": "go" }), Err(Refusal::Conflict));
}

#[test]
fn what_ended_in_the_same_batch_is_known_though_the_store_was_asked_before() {
    let mut world = World::new();
    let prompt = |key: &str, text: &str| {
        let mut prompt = input(keyed(key, text));
        prompt.message_id = Some(MESSAGE.to_owned());
        let parts = openscience_core::admission::input_parts(&prompt);
        let found = PromptCommand { input: prompt, parts, found: None, message_taken: false };
        Input::Command(Command::Prompt(Box::new(found)))
    };
    let run = openscience_core::admission::run_id(&world.store.session.id, &input(keyed("a", "go"))).unwrap();
    let cancel =
        || Input::Command(Command::Cancel { run: run.clone(), source: CancelSource::User, found: None });
    let draft = world.step(&[
        prompt("a", "go"),
        cancel(),
        prompt("a", "go"),
        prompt("a", "x"),
        prompt("b", "go"),
        cancel(),
    ]);
    let told: Vec<String> = draft
        .answers
        .iter()
        .map(|(index, answer)| match answer {
            Ok(Answer::Run(run)) => format!("{index} {}", run.state.as_str()),
            Ok(Answer::Accepted(_)) => format!("{index} accepted"),
            other => format!("{index} {other:?}"),
        })
        .collect();
    assert_eq!(
        told,
        ["0 accepted", "1 cancelled", "2 accepted", "3 Err(Conflict)", "4 Err(Conflict)", "5 cancelled"]
    );
    assert_eq!(world.store.runs.len(), 1);
}

#[test]
fn a_deadline_is_the_prompts_else_the_sessions() {
    let mut world = World::new();
    world.store.session.deadline_ms = Some(700);
    world.restart("own_1");
    let run = world.prompt("a", "go");
    assert_eq!(world.receipt(&run).deadline_at, Some(1_700));
    world.command(Command::Abort { source: CancelSource::User }).unwrap();
    let fields = json!({ "requestID": "b", "message": "go", "deadlineMs": WHOLE_MAX });
    let run = world.submit(input(fields)).unwrap().run_id;
    assert_eq!(world.receipt(&run).deadline_at, Some(WHOLE_MAX.cast_signed()));
}

#[test]
fn names_change_without_a_run_and_a_persons_title_stays() {
    let mut world = World::new();
    let patch = MetaPatch { title: Some("mine".to_owned()), pinned: Some(Some(4)), archived: Some(Some(5)) };
    world.command(Command::Rename(patch)).unwrap();
    world.update(json!({ "sessionUpdate": "session_info_update", "title": "theirs" }));
    assert!(world.store.events.is_empty());
    let row = &world.store.session;
    assert_eq!((row.title.as_str(), row.pinned, row.archived), ("mine", Some(4), Some(5)));
    world.command(Command::Rename(MetaPatch { pinned: Some(None), ..MetaPatch::default() })).unwrap();
    assert_eq!(world.store.session.pinned, None);

    world.prompt("a", "go");
    world
        .command(Command::Rename(MetaPatch { title: Some("new".to_owned()), ..MetaPatch::default() }))
        .unwrap();
    let (event_type, event) = world.store.events.last().unwrap();
    assert_eq!((*event_type, &event["properties"]["title"]), ("session.updated", &json!("new")));
}

#[test]
fn what_is_not_there_cannot_be_stopped_or_answered() {
    let mut world = World::new();
    assert_eq!(world.cancel(&"run_x".parse().unwrap()), Err(Refusal::RunNotFound));
    assert_eq!(world.command(Command::Abort { source: CancelSource::User }), Ok(Answer::Done));
    assert_eq!(
        world.command(Command::Stop { force: false, recovered: false, owner: None }),
        Ok(Answer::Done)
    );
    let reject: DecisionInput = serde_json::from_value(
        json!({ "kind": "question_reject", "sessionID": "ses_s", "requestID": "que_x" }),
    )
    .unwrap();
    assert_eq!(world.command(world.decision_of(reject)), Err(Refusal::DecisionExpired));
    assert_eq!(world.store.session.revision, 0);
}

#[test]
fn a_prompt_without_a_model_gets_the_one_configured_for_its_agent_and_stays_the_same_prompt() {
    #[track_caller]
    fn model(configured: Option<(&str, &str)>, asked: Value) -> (Value, String) {
        let mut world = World::new();
        world.default_model = configured.map(|(agent, model)| {
            (agent.into(), serde_json::from_value(json!({ "providerID": "p", "modelID": model })).unwrap())
        });
        let draft = world.step(&[Input::Command(world.prompt_of(input(asked)))]);
        let [Effect::StartTurn(plan)] = draft.effects.as_slice() else { panic!("{:?}", draft.effects) };
        let (run, turn) = (world.store.runs.first().unwrap(), world.store.turns.first().unwrap());
        assert_eq!(turn.settings.model, plan.settings.model);
        (json!(plan.settings.model.as_ref().map(|model| &model.model_id)), run.fingerprint.clone())
    }

    let agent = World::new().store.session.agent.as_str().to_owned();
    let plain = || keyed("k", "x");
    let asked =
        json!({ "requestID": "k", "message": "x", "model": { "providerID": "p", "modelID": "asked" } });
    let (none, fingerprint) = model(None, plain());
    assert_eq!(none, Value::Null);
    assert_eq!(
        model(Some((&agent, "m")), plain()),
        (json!("m"), fingerprint),
        "a retry outlives the setting"
    );
    assert_eq!(model(Some(("another", "m")), plain()).0, Value::Null);
    assert_eq!(model(Some((&agent, "m")), asked).0, json!("asked"));
}
