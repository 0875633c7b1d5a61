//! What is opened and set between turns, and conversations that were held elsewhere.

use openscience_core::answer::{Answer, Refusal};
use openscience_core::input::{AgentUpdate, Command, Observation, Opened};
use openscience_core::transcribe;
use openscience_core::visit::{Transcript, Visited};
use openscience_protocol::row::MessageRows;
use openscience_protocol::{PartBody, RunError};
use serde_json::{Value, json};

use crate::world::{World, known};

fn visited(visited: Visited) -> Command {
    Command::Visited(Box::new(visited))
}

fn opened(session: &str) -> Box<Opened> {
    Box::new(Opened { agent_session: session.to_owned(), fresh: true, ..Opened::default() })
}

#[test]
fn an_agent_is_visited_between_turns_only() {
    let (mut world, _) = World::running("a");
    assert_eq!(world.machine.may_visit(), Err(Refusal::Busy));
    world.end("end_turn");
    assert_eq!(world.machine.may_visit(), Ok(()));
    world.command(Command::BeginDelete).unwrap();
    assert_eq!(world.machine.may_visit(), Err(Refusal::Deleting));
}

#[test]
fn what_was_set_is_kept_and_told_to_those_who_listen() {
    let mut world = World::new();
    let config = json!([{
        "id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "large",
        "options": [{ "value": "large", "name": "Large" }],
    }]);
    let set = Visited {
        opened: Some(opened("a1")),
        mode: Some("plan".to_owned()),
        option: Some(("model".to_owned(), "large".to_owned())),
        config: Some(config.clone()),
    };
    let draft = world.step(&[openscience_core::input::Input::Command(visited(set))]);
    let told: Vec<Value> =
        draft.asides.iter().map(|aside| serde_json::to_value(&aside.body).unwrap()).collect();
    assert!(world.store.events.is_empty(), "without a run nothing is journaled");
    assert_eq!((told.len(), &told[0]["mode"]), (2, &json!("plan")), "{told:?}");
    let meta = &world.machine.state().row.meta;
    assert_eq!((meta.agent_session.as_deref(), meta.mode.as_deref()), (Some("a1"), Some("plan")));
    assert_eq!((meta.model.as_deref(), &meta.config), (Some("large"), &Some(config)));
    assert_eq!(meta.agent.chosen.mode.as_deref(), Some("plan"));
    assert_eq!(meta.agent.chosen.options["model"], "large");
}

#[test]
fn a_visit_that_brought_nothing_writes_nothing() {
    let mut world = World::new();
    let draft = world.step(&[openscience_core::input::Input::Command(visited(Visited::default()))]);
    assert_eq!((draft.append, draft.answers.len()), (None, 1));
}

#[test]
fn another_conversation_of_the_agent_counts_its_turns_anew() {
    let (mut world, _) = World::running("a");
    world.end("end_turn");
    assert_eq!(world.machine.state().row.meta.agent_turns, 1);
    let same = Visited { opened: Some(opened("a1")), ..Visited::default() };
    world.command(visited(same)).unwrap();
    assert_eq!(world.machine.state().row.meta.agent_turns, 1);
    let other = Visited { opened: Some(opened("a2")), ..Visited::default() };
    world.command(visited(other)).unwrap();
    assert_eq!(world.machine.state().row.meta.agent_turns, 0);
}

fn told(updates: Value) -> Vec<AgentUpdate> {
    let update = |update: &Value| match known(update.clone()) {
        Observation::Update(update) => update,
        other => panic!("{other:?}"),
    };
    updates.as_array().unwrap().iter().map(update).collect()
}

fn chunk(kind: &str, text: &str) -> Value {
    json!({ "sessionUpdate": kind, "content": { "type": "text", "text": text } })
}

/// The transcript of that history, in words.
fn history(world: &mut World, updates: Value) -> Transcript {
    let row = world.machine.state().row.clone();
    let updates = told(updates);
    world.with_context(|cx| transcribe::history(&row, updates, cx))
}

fn words(rows: &MessageRows) -> String {
    let word = |body: &PartBody| match body {
        PartBody::Text(text) => text.text.clone(),
        PartBody::Reasoning(text) => format!("({})", text.text),
        PartBody::Tool(tool) => format!("[{}]", tool.call_id),
        _ => String::new(),
    };
    let parts: Vec<String> =
        rows.parts.iter().map(|part| word(&part.part.body)).filter(|word| !word.is_empty()).collect();
    parts.join(" ")
}

#[test]
fn a_history_becomes_messages_as_if_it_had_been_lived() {
    let mut world = World::new();
    let call =
        json!({ "sessionUpdate": "tool_call", "toolCallId": "t", "title": "Look", "status": "pending" });
    let transcript = history(
        &mut world,
        json!([
            chunk("user_message_chunk", "one "), chunk("user_message_chunk", "question"),
            chunk("agent_thought_chunk", "hm"), chunk("agent_message_chunk", "an "),
            call, chunk("agent_message_chunk", "answer"),
            chunk("user_message_chunk", "two"),
            { "sessionUpdate": "current_mode_update", "currentModeId": "x" },
            chunk("agent_message_chunk", "more"),
            chunk("user_message_chunk", "unanswered"),
        ]),
    );
    let said: Vec<String> = transcript.messages.iter().map(words).collect();
    assert_eq!(said, ["one question", "(hm) an  [t] answer", "two", "more", "unanswered", ""]);
    assert_eq!(transcript.turns, 3);
    assert!(transcript.messages.iter().flat_map(|rows| &rows.parts).all(|part| !part.open));
    let positions: Vec<i64> = transcript.messages.iter().map(|rows| rows.message.position).collect();
    assert_eq!(positions, [1, 2, 3, 4, 5, 6]);
    assert!(world.store.events.is_empty(), "the session itself has lived none of it");
}

#[test]
fn history_that_begins_with_the_agent_is_kept_too() {
    let mut world = World::new();
    let transcript = history(&mut world, json!([chunk("agent_message_chunk", "hello")]));
    assert_eq!(transcript.messages.iter().map(words).collect::<Vec<_>>(), ["", "hello"]);
    assert!(history(&mut world, json!([])).messages.is_empty());
}

#[test]
fn a_conversation_is_taken_over_once_and_without_events() {
    let mut world = World::new();
    let transcript =
        history(&mut world, json!([chunk("user_message_chunk", "a"), chunk("agent_message_chunk", "b")]));
    let take_over = |transcript: &Transcript| Command::TakeOver {
        transcript: Box::new(transcript.clone()),
        visited: Box::new(Visited { opened: Some(opened("a1")), ..Visited::default() }),
    };
    assert_eq!(world.command(take_over(&transcript)), Ok(Answer::Done));
    assert!(world.store.events.is_empty());
    assert_eq!(world.machine.state().row.latest_message, 2);
    assert_eq!(world.machine.state().row.meta.agent_turns, 1);
    assert_eq!(world.command(take_over(&transcript)), Ok(Answer::Done));
    assert_eq!(world.store.messages.len(), 2, "a retry adds nothing");
    let run = world.prompt("key", "go on");
    world.start();
    world.say("on");
    world.end("end_turn");
    assert_eq!(world.receipt(&run).error, None::<RunError>);
    assert_eq!(world.machine.state().row.latest_message, 4);
    assert_eq!(world.command(take_over(&transcript)), Ok(Answer::Done));
    assert_eq!(world.store.messages.len(), 4);
}

#[test]
fn a_copy_has_the_same_words_and_ids_of_its_own() {
    let mut world = World::new();
    let original =
        history(&mut world, json!([chunk("user_message_chunk", "a"), chunk("agent_message_chunk", "b")]))
            .messages;
    let to = "ses_copy".parse().unwrap();
    let copy = transcribe::copied(original.clone(), &to, 5, &mut world.ids);
    assert_eq!(copy.iter().map(words).collect::<Vec<_>>(), original.iter().map(words).collect::<Vec<_>>());
    let parent = |rows: &MessageRows| serde_json::to_value(&rows.message.info).unwrap()["parentID"].clone();
    assert_eq!(parent(&copy[1]), json!(copy[0].message.info.id()));
    for (copied, old) in copy.iter().zip(&original) {
        assert_ne!(copied.message.info.id(), old.message.info.id());
        for part in &copied.parts {
            assert_eq!((&part.part.session_id, &part.part.message_id), (&to, copied.message.info.id()));
            assert!(old.parts.iter().all(|old| old.part.id != part.part.id));
        }
    }
}
