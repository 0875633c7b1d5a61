//! A journal in, the lines that tell it out.

use openscience_protocol::AgentId;
use serde_json::json;

use super::*;
use crate::cli::run::line::Status;
use crate::cli::serve::signals::StopSignal;

const SESSION: &str = "ses_1";
const RUN: &str = "run_1";

fn translator() -> Translator {
    let root = Root { session: SESSION.parse().unwrap(), parent: None, agent: AgentId::from("sim") };
    let mut translator = Translator::new(root, 1);
    translator.accepted(RUN.parse().unwrap(), 2);
    translator
}

fn event(event_type: &str, properties: Value) -> RuntimeEvent {
    let kind = openscience_protocol::EventKind::System;
    let (session_id, run_id) = (SESSION.parse().unwrap(), RUN.parse().unwrap());
    let event_type = event_type.to_owned();
    RuntimeEvent { sequence: 1, session_id, run_id, event_type, kind, properties, time: 7 }
}

/// A part of the answer, with what its type adds.
fn part(id: &str, body: Value) -> RuntimeEvent {
    event("message.part.updated", json!({ "part": whole("msg_a", id, body) }))
}

fn whole(message: &str, id: &str, mut body: Value) -> Value {
    for (key, value) in [("id", id), ("sessionID", SESSION), ("messageID", message)] {
        body[key] = value.into();
    }
    body
}

fn start(id: &str) -> RuntimeEvent {
    part(id, json!({"type": "step-start"}))
}

fn tokens(input: u64) -> Value {
    json!({"input": input, "output": 2, "reasoning": 3, "cache": {"read": 4, "write": 5}})
}

fn finish(id: &str) -> RuntimeEvent {
    part(id, json!({"type": "step-finish", "reason": "stop", "cost": 0.5, "tokens": tokens(1)}))
}

fn text(id: &str, end: Option<i64>) -> RuntimeEvent {
    let time = end.map_or(json!({"start": 1}), |end| json!({"start": 1, "end": end}));
    part(id, json!({"type": "text", "text": "hello", "time": time}))
}

fn tool(id: &str, status: &str) -> RuntimeEvent {
    let state = json!({
        "status": status, "input": {}, "raw": "", "output": "out", "title": "t", "metadata": {}, "error": "e",
        "time": {"start": 1, "end": 2},
    });
    part(id, json!({"type": "tool", "callID": "c", "tool": "bash", "state": state}))
}

fn value(line: &Line) -> Value {
    serde_json::to_value(line).unwrap()
}

/// What the events come to, one word each: a line by its type and its part.
fn words(translator: &mut Translator, events: &[RuntimeEvent]) -> Vec<String> {
    let told = events.iter().flat_map(|event| translator.event(event));
    told.map(|told| match told {
        Told::Line(line) => {
            let line = value(&line);
            let part = line["part"]["id"].as_str().unwrap_or_default();
            format!("{} {part}", line["type"].as_str().unwrap()).trim().to_owned()
        }
        Told::Part { part, .. } => format!("read {part}"),
        Told::User(message) => format!("read {message}"),
        Told::Asked(ask) => format!("asked {}", ask.id()),
        Told::Ended(ended) => format!("{ended:?}").to_lowercase(),
    })
    .collect()
}

fn check(events: &[RuntimeEvent], expected: &[&str]) {
    assert_eq!(words(&mut translator(), events), expected);
}

#[test]
fn a_prompt_is_told_with_its_parts_once_it_waits() {
    let mut translator = translator();
    let info = json!({
        "role": "user", "id": "msg_u", "sessionID": SESSION, "time": {"created": 1}, "agent": "research",
        "model": {"providerID": "sim", "modelID": "default"}, "effort": "normal",
    });
    let sent = whole("msg_u", "prt_u", json!({"type": "text", "text": "hi"}));
    let events = [
        event("runtime.accepted", json!({"acceptedAt": 1, "effort": "normal"})),
        event("message.updated", json!({ "info": info })),
        event("message.part.updated", json!({ "part": sent })),
        event("turn.updated", json!({"turnID": "trn_1", "state": "ready", "messageID": "msg_u"})),
        event("turn.updated", json!({"turnID": "trn_1", "state": "completed", "messageID": "msg_u"})),
    ];
    let told: Vec<Told> = events.iter().flat_map(|event| translator.event(event)).collect();
    let [Told::Line(line)] = told.as_slice() else { panic!("{told:?}") };
    let expected = json!({"type": "user", "timestamp": 7, "sessionID": SESSION, "parts": [sent]});
    assert_eq!(value(line), expected);
}

#[test]
fn a_prompt_too_long_for_an_event_is_read() {
    let info = json!({
        "role": "user", "id": "msg_u", "sessionID": SESSION, "time": {"created": 1}, "agent": "research",
        "model": {"providerID": "sim", "modelID": "default"}, "effort": "normal",
    });
    let outline = whole("msg_u", "prt_u", json!({"type": "text", "textLength": 500_000}));
    let events = [
        event("message.updated", json!({ "info": info })),
        event("message.part.updated", json!({ "part": outline })),
        event("turn.updated", json!({"turnID": "trn_1", "state": "ready", "messageID": "msg_u"})),
    ];
    check(&events, &["read msg_u"]);
}

#[test]
fn parts_are_told_once_and_only_when_they_are_closed() {
    let growth = event(
        "message.part.updated",
        json!({"part": whole("msg_a", "prt_2", json!({"type": "text", "textLength": 9})), "delta": "x", "offset": 5}),
    );
    let thought = json!({"type": "reasoning", "text": "hm", "time": {"start": 1, "end": 2}});
    let events = [
        start("prt_1"),
        text("prt_2", None),
        growth,
        text("prt_2", Some(3)),
        text("prt_2", Some(3)),
        part("prt_3", thought),
        tool("prt_4", "pending"),
        tool("prt_4", "running"),
        tool("prt_4", "completed"),
        tool("prt_4", "completed"),
        tool("prt_5", "error"),
        finish("prt_6"),
    ];
    check(
        &events,
        &[
            "step_start prt_1",
            "text prt_2",
            "reasoning prt_3",
            "tool_use prt_4",
            "tool_use prt_5",
            "step_finish prt_6",
        ],
    );
}

#[test]
fn nothing_is_told_outside_a_step_and_nothing_of_another_run() {
    let other = RuntimeEvent { run_id: "run_2".parse().unwrap(), ..start("prt_0") };
    let foreign = event(
        "message.part.updated",
        json!({"part": whole("msg_b", "prt_9", json!({
            "type": "text", "text": "of a step that began before us", "time": {"start": 1, "end": 2},
        }))}),
    );
    let events =
        [other, text("prt_1", Some(2)), start("prt_2"), foreign, finish("prt_3"), text("prt_4", Some(2))];
    check(&events, &["step_start prt_2", "step_finish prt_3"]);
}

#[test]
fn what_an_event_leaves_out_is_read_where_it_stands() {
    let time = json!({"start": 1, "end": 2});
    let long = part("prt_2", json!({"type": "text", "textLength": 500_000, "time": time}));
    let state = json!({
        "status": "completed", "input": {}, "output": "o…t", "title": "t", "metadata": {"truncated": true},
        "time": time,
    });
    let cut = part("prt_3", json!({"type": "tool", "callID": "c", "tool": "bash", "state": state}));
    let mut translator = translator();
    assert_eq!(
        words(&mut translator, &[start("prt_1"), long.clone(), cut]),
        ["step_start prt_1", "read prt_2", "read prt_3"]
    );
    let body = json!({"type": "text", "text": "all of it", "time": time});
    let read: Part = serde_json::from_value(whole("msg_a", "prt_2", body)).unwrap();
    assert_eq!(value(&translator.part(&read).unwrap())["part"]["text"], "all of it");
    assert_eq!(translator.part(&read), None, "told once");
    assert!(words(&mut translator, &[long]).is_empty());
}

#[test]
fn a_transcript_tells_what_no_event_did_and_repeats_nothing() {
    let mut translator = translator();
    words(&mut translator, &[start("prt_1"), text("prt_2", Some(3))]);
    let info = json!({
        "role": "assistant", "id": "msg_a", "sessionID": SESSION, "parentID": "msg_u", "modelID": "m",
        "providerID": "p", "mode": "research", "agent": "research", "path": {"cwd": "/", "root": "/"},
        "time": {"created": 1}, "cost": 0.0, "tokens": tokens(0),
    });
    let of = |event: RuntimeEvent| event.properties["part"].clone();
    let parts = [start("prt_1"), text("prt_2", Some(3)), text("prt_3", Some(4)), tool("prt_4", "running")];
    let parts: Vec<Value> = parts.into_iter().map(of).collect();
    let message: Message = serde_json::from_value(json!({"info": info, "parts": parts})).unwrap();
    let ids: Vec<Value> =
        translator.catch_up(message).iter().map(|line| value(line)["part"]["id"].clone()).collect();
    assert_eq!(ids, ["prt_3"]);
    assert_eq!(words(&mut translator, &[tool("prt_4", "completed")]), ["tool_use prt_4"]);
}

#[test]
fn what_was_asked_is_told_with_its_answer_and_a_rule_s_answer_is_not() {
    let mut translator = translator();
    let asked = json!({
        "id": "per_1", "sessionID": SESSION, "permission": "bash", "patterns": ["make"],
        "metadata": {"title": "x"}, "always": [],
    });
    let question = json!({"id": "que_1", "sessionID": SESSION, "questions": []});
    let replied = |id: &str| json!({"sessionID": SESSION, "requestID": id, "reply": "once", "actor": "person", "answers": [["A"]]});
    let events = [
        event("permission.asked", asked.clone()),
        event("permission.asked", asked),
        event("permission.replied", replied("per_0")),
    ];
    assert_eq!(words(&mut translator, &events), ["asked per_1"]);
    let told = translator.event(&event("permission.replied", replied("per_1")));
    let [Told::Line(line)] = told.as_slice() else { panic!("{told:?}") };
    let request = json!({"id": "per_1", "sessionID": SESSION, "permission": "bash", "patterns": ["make"]});
    let expected = json!({
        "type": "permission", "timestamp": 7, "sessionID": SESSION, "request": request, "reply": "once",
    });
    assert_eq!(value(line), expected);
    assert_eq!(words(&mut translator, &[event("question.asked", question)]), ["asked que_1"]);
    let told = translator.event(&event("question.replied", replied("que_1")));
    let [Told::Line(line)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(value(line)["answers"], json!([["A"]]));
}

fn last_lines(translator: Translator, ended: &Ended, stopped: Option<StopSignal>) -> Vec<Value> {
    let outcome = Outcome::of(ended, stopped);
    translator.finish(ended, &outcome).iter().map(value).collect()
}

#[test]
fn a_completed_run_ends_with_done_alone_and_the_sum_of_its_steps() {
    let mut translator = translator();
    let events = [
        start("prt_1"),
        finish("prt_2"),
        start("prt_3"),
        finish("prt_4"),
        event("runtime.completed", json!({})),
    ];
    let words = words(&mut translator, &events);
    assert_eq!(words.last().unwrap(), "completed");
    let lines = last_lines(translator, &Ended::Completed, None);
    let total = json!({"input": 2, "output": 4, "reasoning": 6, "cache": {"read": 8, "write": 10}});
    let done = json!({
        "type": "done", "timestamp": 7, "sessionID": SESSION, "status": "completed", "exitCode": 0,
        "agent": "sim", "tokens": total, "cost": 1.0, "children": [],
    });
    assert_eq!(lines, [done]);
}

#[test]
fn a_failed_run_tells_the_error_of_the_runtime_before_done() {
    let mut translator = translator();
    let error = json!({"name": "ProviderAuthError", "data": {"providerID": "p", "message": "log in"}});
    let failed = json!({"message": "log in", "error": {"code": "auth_required", "message": "log in"}});
    let events = [
        start("prt_1"),
        finish("prt_2"),
        event("session.error", json!({"sessionID": SESSION, "error": error})),
        event("runtime.failed", failed),
    ];
    let told = events.iter().flat_map(|event| translator.event(event)).last().unwrap();
    let Told::Ended(ended) = told else { panic!("{told:?}") };
    let lines = last_lines(translator, &ended, None);
    let [error_line, done] = lines.as_slice() else { panic!("{lines:?}") };
    assert_eq!((&error_line["type"], &error_line["error"]), (&json!("error"), &error));
    assert_eq!(
        (&done["status"], &done["exitCode"], &done["reason"]),
        (&json!("error"), &json!(1), &json!("auth_required"))
    );
}

#[test]
fn a_step_that_a_signal_ends_is_closed_with_an_error_whoever_closes_it() {
    let mut closed_by_agent = translator();
    words(&mut closed_by_agent, &[start("prt_1")]);
    closed_by_agent.stop();
    let told = closed_by_agent.event(&finish("prt_2"));
    let [Told::Line(line)] = told.as_slice() else { panic!("{told:?}") };
    assert_eq!(value(line)["part"]["reason"], "error");
    assert_eq!(last_lines(closed_by_agent, &Ended::Cancelled, Some(StopSignal::Interrupt)).len(), 2);

    let mut left_open = translator();
    words(&mut left_open, &[start("prt_1"), text("prt_2", None)]);
    let lines = last_lines(left_open, &Ended::Cancelled, Some(StopSignal::Terminate));
    let types: Vec<&Value> = lines.iter().map(|line| &line["type"]).collect();
    assert_eq!(types, ["step_finish", "error", "done"]);
    let first = lines.first().unwrap();
    assert_eq!((&first["part"]["reason"], &first["part"]["id"]), (&json!("error"), &json!("prt_1-end")));
    let done = lines.last().unwrap();
    assert_eq!((&done["exitCode"], &done["reason"]), (&json!(143), &json!("cancelled")));
}

#[test]
fn lines_of_a_session_made_from_another_name_that_one() {
    let parent = Some("ses_0".parse().unwrap());
    let root = Root { session: SESSION.parse().unwrap(), parent, agent: AgentId::from("sim") };
    let outcome = Outcome { status: Status::Completed, exit_code: 0, reason: None };
    let lines = Translator::new(root, 1).finish(&Ended::Completed, &outcome);
    assert_eq!(value(lines.first().unwrap())["parentID"], "ses_0");
}
