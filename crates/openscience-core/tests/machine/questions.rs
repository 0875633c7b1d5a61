//! Questions: asked, answered or dismissed once, closed.

use openscience_core::answer::{Answer, Refusal};
use openscience_core::effect::Effect;
use openscience_core::input::{Asking, Given, Observation, QuestionAsk, RequestKey};
use openscience_core::session::Policy;
use openscience_protocol::row::{DecisionRow, DecisionState};
use openscience_protocol::{DecisionId, DecisionInput, DecisionStatus, PermissionReply};
use serde_json::{Map, Value, json};

use crate::world::{World, answers_to, dismissal_of, form_asked, reply_to};

fn colour() -> Value {
    json!({ "colour": { "type": "string", "enum": ["red", "blue"] } })
}

fn asking() -> (World, DecisionId) {
    let (mut world, _) = World::running("a");
    assert_eq!(world.ask_form(&colour()), ["question.asked"]);
    let id = world.pending().pop().unwrap();
    (world, id)
}

/// State, reply, answers, actor, close reason.
fn row(world: &World, id: &DecisionId) -> String {
    let DecisionRow { state, reply, answers, actor, close_reason, .. } = &world.store.decisions[id];
    format!(
        "{state:?} {} {} {} {}",
        reply.map_or("-", PermissionReply::as_str),
        answers.as_ref().map_or("-".to_owned(), |answers| json!(answers).to_string()),
        actor.map_or("-", |actor| actor.as_str()),
        close_reason.map_or("-".to_owned(), |reason| format!("{reason:?}")),
    )
}

fn last_given(world: &World) -> Option<&Given> {
    world.effects.iter().rev().find_map(|effect| match effect {
        Effect::AnswerDecision { given, .. } => Some(given),
        _ => None,
    })
}

fn decide(world: &mut World, input: DecisionInput) -> Result<Answer, Refusal> {
    world.command(world.decision_of(input))
}

#[test]
fn the_answer_fills_in_the_form_and_goes_through_three_states() {
    let (mut world, id) = asking();
    let asked = &world.store.decisions[&id].question().unwrap().clone();
    assert_eq!(asked.tool.as_ref().map(|tool| tool.call_id.as_str()), Some("c1"));
    assert_eq!(asked.asked_at, Some(world.now));
    let answer = decide(&mut world, answers_to(&id, &[&["blue"]])).unwrap();
    let Answer::Decision { result, settled } = answer else { panic!("{answer:?}") };
    assert_eq!((result.status, settled), (DecisionStatus::Indeterminate, false));
    assert_eq!(row(&world, &id), r#"Indeterminate - [["blue"]] person -"#);
    let content = Map::from_iter([("colour".to_owned(), json!("blue"))]);
    assert_eq!(last_given(&world), Some(&Given::Content(content)));
    assert_eq!(world.store.events.last().unwrap().0, "question.replied");

    world.see(Observation::AnswerDelivered { decision: id.clone(), delivered: true });
    assert_eq!(row(&world, &id), r#"Resolved - [["blue"]] person -"#);
    world.end("end_turn");
    world.restart("own_2");
    for (input, expected) in [
        (answers_to(&id, &[&["blue"]]), None),
        (answers_to(&id, &[&["red"]]), Some(Refusal::DecisionConflict)),
        (dismissal_of(&id), Some(Refusal::DecisionConflict)),
        (reply_to(&id, PermissionReply::Once, None), Some(Refusal::DecisionConflict)),
    ] {
        assert_eq!(decide(&mut world, input).err(), expected);
    }
}

#[test]
fn an_answer_that_does_not_fit_consumes_nothing() {
    let (mut world, id) = asking();
    let wrong: [&[&[&str]]; 5] = [&[&["green"]], &[], &[&[]], &[&["red", "blue"]], &[&["red"], &["red"]]];
    for answers in wrong {
        assert_eq!(decide(&mut world, answers_to(&id, answers)), Err(Refusal::InvalidAnswer), "{answers:?}");
    }
    assert_eq!(decide(&mut world, reply_to(&id, PermissionReply::Once, None)), Err(Refusal::DecisionExpired));
    let long = "x".repeat(100_001);
    world.ask_form(&json!({ "text": { "type": "string" } }));
    let text = world.pending().pop().unwrap();
    assert_eq!(decide(&mut world, answers_to(&text, &[&[&long]])), Err(Refusal::InvalidAnswer));
    assert_eq!(world.pending().len(), 2);
    assert!(decide(&mut world, answers_to(&text, &[&["x"]])).is_ok());
    assert!(decide(&mut world, answers_to(&id, &[&["red"]])).is_ok());
}

#[test]
fn a_dismissed_question_declines_the_form_and_the_turn_goes_on() {
    let (mut world, id) = asking();
    world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } }));
    assert!(decide(&mut world, dismissal_of(&id)).is_ok());
    assert_eq!(row(&world, &id), "Indeterminate reject - person -");
    assert_eq!(last_given(&world), Some(&Given::Declined(None)));
    assert_eq!(world.pending().len(), 1, "the permission still waits");
    assert!(decide(&mut world, dismissal_of(&id)).is_ok(), "its receipt");
    let permission = world.pending().pop().unwrap();
    world.ask_form(&colour());
    world.decide(&permission, PermissionReply::Reject).unwrap();
    assert_eq!(world.pending().len(), 1, "a rejected permission takes no question along");
    let run = world.store.runs[0].id.clone();
    world.end("end_turn");
    assert!(world.outcome(&run).starts_with("completed"));
}

#[test]
fn labels_are_the_answer_where_no_form_was_asked() {
    let (mut world, _) = World::running("a");
    let questions = json!([{ "question": "Which?", "header": "H", "options": [], "multiple": true }]);
    let ask = |key, questions: &Value| {
        let asking = Asking::Questions(serde_json::from_value(questions.clone()).unwrap());
        Observation::QuestionAsked(Box::new(QuestionAsk { key: RequestKey(key), call: None, asking }))
    };
    assert_eq!(world.see(ask(1, &questions)), ["question.asked"]);
    let id = world.pending().pop().unwrap();
    decide(&mut world, answers_to(&id, &[&["this", "that"]])).unwrap();
    let labels = vec![vec!["this".to_owned(), "that".to_owned()]];
    assert_eq!(last_given(&world), Some(&Given::Answers(labels)));
    // None at all is not something to ask.
    assert_eq!(world.see(ask(2, &json!([]))), ["question.rejected"]);
    assert!(matches!(last_given(&world), Some(Given::Declined(Some(_)))));
}

#[test]
fn a_form_that_cannot_be_asked_is_declined_and_says_why() {
    let (mut world, _) = World::running("a");
    assert_eq!(world.ask_form(&json!({ "f": { "type": "object" } })), ["question.rejected"]);
    assert_eq!(world.pending(), []);
    let id = world.store.decisions.keys().next().unwrap().clone();
    assert_eq!(row(&world, &id), "Indeterminate reject - policy -");
    let row = &world.store.decisions[&id];
    let reason = "the form has a field of a kind that cannot be asked";
    assert_eq!(row.message.as_deref(), Some(reason));
    assert_eq!(last_given(&world), Some(&Given::Declined(Some(reason.to_owned()))));
    assert!(matches!(world.effects.last(), Some(Effect::AnswerDecision { key: Some(_), .. })));
}

#[test]
fn nobody_in_time_declines_whatever_is_allowed_then() {
    let (mut world, _) = World::running("a");
    world.policy =
        Policy { decision_timeout_ms: Some(50), decision_timeout_allows: true, stall_timeout_ms: None };
    world.ask_form(&colour());
    let id = world.pending().pop().unwrap();
    assert_eq!(world.store.decisions[&id].question().unwrap().expires_at, Some(world.now + 50));
    assert_eq!(world.wake(), ["question.rejected"]);
    assert_eq!(row(&world, &id), "Indeterminate reject - timeout -");
    assert_eq!(last_given(&world), Some(&Given::Declined(None)));
}

#[test]
fn what_closes_permissions_closes_questions() {
    let check = |what: &str, close: fn(&mut World), reason: &str| {
        let (mut world, id) = asking();
        close(&mut world);
        assert_eq!(row(&world, &id), format!("Closed - - - {reason}"), "{what}");
        assert_eq!(last_given(&world), Some(&Given::Cancelled), "{what}");
        let told = world.store.events.iter().filter(|(name, _)| *name == "question.cancelled").count();
        assert_eq!(told, 1, "{what}");
        assert_eq!(decide(&mut world, answers_to(&id, &[&["red"]])), Err(Refusal::DecisionExpired), "{what}");
    };
    check("cancel", |world| drop(world.cancel(&world.store.runs[0].id.clone())), "Cancelled");
    check("exit", |world| drop(world.fail("agent_exited")), "AgentExited");
    check("the end of the turn", |world| drop(world.end("end_turn")), "Withdrawn");
    check(
        "the agent",
        |world| {
            let decision = world.pending().pop().unwrap();
            drop(world.see(Observation::RequestWithdrawn { decision }));
        },
        "Withdrawn",
    );
    check(
        "shutdown",
        |world| {
            let stop = openscience_core::input::Command::Stop { force: true, recovered: false, owner: None };
            drop(world.command(stop));
        },
        "Restart",
    );
    check(
        "deletion",
        |world| drop(world.command(openscience_core::input::Command::BeginDelete)),
        "Cancelled",
    );
}

#[test]
fn nobody_is_asked_for_a_run_that_is_ending_or_another_processes() {
    let (mut world, run) = World::running("a");
    world.cancel(&run).unwrap();
    assert_eq!(world.ask_form(&colour()), Vec::<&str>::new());
    assert!(matches!(world.effects.last(), Some(Effect::RefuseRequest { .. })));

    let (mut world, _) = World::running("a");
    world.restart("own_2");
    assert_eq!(world.see(form_asked(RequestKey(9), &colour())), Vec::<&str>::new());
    assert_eq!(world.effects.last(), Some(&Effect::RefuseRequest { key: RequestKey(9) }));
    let all = world.store.decisions.values();
    assert_eq!(all.filter(|row| row.state == DecisionState::Pending).count(), 0);
}
