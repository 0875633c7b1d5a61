use http::HeaderMap;
use serde_json::{Value, json};

use super::*;
use crate::extract::parse;

fn headers() -> HeaderMap {
    HeaderMap::from_iter([(http::header::CONTENT_TYPE, "application/json".parse().unwrap())])
}

fn prompt(fields: &Value) -> Result<PromptInput, Value> {
    let mut body = json!({ "sessionID": "ses_a", "effort": "normal" });
    for (key, value) in fields.as_object().unwrap() {
        body[key] = value.clone();
    }
    let parsed = parse::<PromptInput>(&headers(), body.to_string().as_bytes());
    parsed.and_then(checked_prompt).map_err(|problem| problem.to_json())
}

#[track_caller]
fn accepts(fields: &Value) {
    assert_eq!(prompt(fields).err(), None, "{fields}");
}

#[track_caller]
fn refuses(fields: &Value, path: &str, message: &str) {
    let problem = prompt(fields).expect_err("refused");
    assert_eq!(problem["code"], "invalid_request");
    assert_eq!(problem["issues"], json!([{ "path": path, "message": message }]));
}

#[test]
fn texts_of_a_prompt_are_trimmed_before_they_are_passed_on() {
    let input =
        prompt(&json!({ "message": "\u{feff}  hello\n\u{a0}", "requestID": " key\u{feff}" })).unwrap();
    assert_eq!(input.message.as_deref(), Some("hello"));
    assert_eq!(input.request_id.as_deref(), Some("key"));
    let kept = prompt(&json!({ "message": "\u{85}hello\u{200b}" })).unwrap();
    assert_eq!(kept.message.as_deref(), Some("\u{85}hello\u{200b}"), "blanks only to others");
}

#[test]
fn a_prompt_has_exactly_one_of_message_and_parts() {
    let text = json!([{ "type": "text", "text": "x" }]);
    accepts(&json!({ "message": "x" }));
    accepts(&json!({ "parts": text }));
    refuses(&json!({}), "", "expected exactly one of message and parts");
    refuses(&json!({ "message": "x", "parts": text }), "", "expected exactly one of message and parts");
    refuses(&json!({ "parts": [] }), "parts", "expected 1 to 256 items");
    let parts = |count: usize| json!({ "parts": vec![json!({ "type": "text", "text": "x" }); count] });
    accepts(&parts(256));
    refuses(&parts(257), "parts", "expected 1 to 256 items");
}

#[test]
fn lengths_of_a_prompt_are_counted_in_utf16_units() {
    accepts(&json!({ "message": "x".repeat(1_000_000) }));
    accepts(&json!({ "message": "😀".repeat(500_000) }));
    refuses(&json!({ "message": "😀".repeat(500_001) }), "message", "expected 1 to 1000000 characters");
    refuses(&json!({ "message": " \n" }), "message", "expected 1 to 1000000 characters");
    accepts(&json!({ "message": "x", "requestID": "k".repeat(200) }));
    refuses(
        &json!({ "message": "x", "requestID": "k".repeat(201) }),
        "requestID",
        "expected 1 to 200 characters",
    );
    refuses(&json!({ "message": "x", "requestID": "  " }), "requestID", "expected 1 to 200 characters");
}

#[test]
fn a_message_id_has_the_form_clients_may_choose() {
    accepts(&json!({ "message": "x", "messageID": "msg_0123456789abABCDEFGHIJKLMN" }));
    refuses(
        &json!({ "message": "x", "messageID": "msg_short" }),
        "messageID",
        "expected msg_, 12 hexadecimal digits and 14 of A-Z a-z 0-9",
    );
}

#[test]
fn numbers_of_a_prompt_are_whole_and_from_one_to_what_every_client_keeps_exact() {
    let expected = "expected a whole number from 1 to 9007199254740991";
    for key in ["context", "deadlineMs"] {
        for number in [json!(1), json!(65_536.0), json!(9_007_199_254_740_991_u64), json!(null)] {
            accepts(&json!({ "message": "x", key: number }));
        }
        let wrong = [
            json!(0),
            json!(-1),
            json!(1.5),
            json!(9_007_199_254_740_992_u64),
            json!(u64::MAX),
            json!("1"),
            json!([]),
        ];
        for number in wrong {
            refuses(&json!({ "message": "x", key: number }), key, expected);
        }
    }
    let input = prompt(&json!({ "message": "x", "deadlineMs": 1e3, "context": 2 })).unwrap();
    assert_eq!((input.deadline_ms, input.context), (Some(1_000), Some(2)));
}

#[test]
fn names_in_a_prompt_are_bounded_wherever_they_stand() {
    #[track_caller]
    fn check(fields: impl Fn(&str) -> Value, path: &str, max: usize) {
        accepts(&fields(&"é".repeat(max)));
        refuses(&fields(&"é".repeat(max + 1)), path, &format!("expected at most {max} characters"));
    }
    let with = |key: &'static str, value: Value| json!({ "message": "x", key: value });
    let part = |part: Value| json!({ "parts": [part] });

    check(|name| with("variant", json!(name)), "variant", 1_000);
    check(|name| with("tier", json!(name)), "tier", 1_000);
    check(|name| with("model", json!({ "providerID": name, "modelID": "m" })), "model.providerID", 1_000);
    check(|name| with("model", json!({ "providerID": "p", "modelID": name })), "model.modelID", 1_000);
    let worker = |name: &str| json!({ "workerModel": { "providerID": name, "modelID": "m" } });
    check(
        |name| with("delegationSettings", worker(name)),
        "delegationSettings.workerModel.providerID",
        1_000,
    );
    check(|text| part(json!({ "type": "text", "text": text })), "parts[0].text", 1_000_000);
    check(|name| part(json!({ "type": "text", "text": "x", "id": name })), "parts[0].id", 1_000);
    check(|name| part(json!({ "type": "agent", "name": name })), "parts[0].name", 1_000);
    check(|name| part(json!({ "type": "file", "url": "u", "mime": name })), "parts[0].mime", 1_000);
    let mention = |name: &str| json!({ "value": name, "start": 0, "end": 1 });
    check(
        |name| part(json!({ "type": "agent", "name": "a", "source": mention(name) })),
        "parts[0].source.value",
        1_000,
    );
    let subtask = |key: &str, value: &str| {
        let mut subtask = json!({ "type": "subtask", "prompt": "p", "description": "d", "agent": "a" });
        subtask[key] = json!(value);
        part(subtask)
    };
    check(|text| subtask("prompt", text), "parts[0].prompt", 1_000_000);
    for key in ["description", "agent", "command", "id"] {
        check(|name| subtask(key, name), &format!("parts[0].{key}"), 1_000);
    }
}

#[test]
fn the_source_of_a_mention_is_a_text_and_its_place() {
    let mention = |source: Value| json!({ "parts": [{ "type": "agent", "name": "a", "source": source }] });
    accepts(&mention(json!({ "value": "@a", "start": 0, "end": 2 })));
    accepts(&mention(json!(null)));
    for source in [json!("x"), json!(1), json!(["@a", 0, 2]), json!(true)] {
        refuses(&mention(source), "parts[0].source", "expected an object");
    }
    refuses(&mention(json!({ "value": "@a", "start": 0 })), "parts[0].source.end", "required");
    refuses(
        &mention(json!({ "value": "@a", "start": -1, "end": 2 })),
        "parts[0].source.start",
        "expected a whole number from 0 to 9007199254740991",
    );
}

#[test]
fn a_value_of_the_wrong_type_is_told_where_it_stands_and_what_was_expected() {
    for effort in [json!(5), json!(null), json!([]), json!({}), json!({ "normal": null }), json!("huge")] {
        refuses(&json!({ "message": "x", "effort": effort }), "effort", "expected normal or ultra");
    }
    let settings = |settings: Value| json!({ "message": "x", "delegationSettings": settings });
    let levels = "expected off, light, standard or high";
    refuses(&settings(json!({ "level": 1 })), "delegationSettings.level", levels);
    refuses(&settings(json!({ "level": { "off": null } })), "delegationSettings.level", levels);
    refuses(&settings(json!(["off"])), "delegationSettings", "expected an object");
    refuses(&json!({ "message": "x", "model": ["p", "m"] }), "model", "expected an object");
    refuses(&json!({ "parts": ["x"] }), "parts[0]", "expected an object");
    refuses(&json!({ "parts": { "0": "x" } }), "parts", "expected a list");
}

#[test]
fn keys_a_prompt_does_not_have_are_refused() {
    for key in ["agent", "system", "noReply", "tools", "deadline"] {
        let problem = prompt(&json!({ "message": "x", key: true })).expect_err(key);
        assert_eq!(problem["issues"], json!([{ "path": key, "message": "unknown key" }]));
    }
}

#[test]
fn a_prompt_needs_its_session_and_its_effort() {
    let refused = |body: &str| {
        let problem = parse::<PromptInput>(&headers(), body.as_bytes()).unwrap_err().to_json();
        problem["issues"][0]["path"].clone()
    };
    assert_eq!(refused(r#"{"sessionID":"ses_a","message":"x"}"#), "effort");
    assert_eq!(refused(r#"{"effort":"normal","message":"x"}"#), "sessionID");
    assert_eq!(refused(r#"{"sessionID":"ses_../a","effort":"normal","message":"x"}"#), "sessionID");
}

#[test]
fn a_fault_inside_a_part_is_told_with_its_place() {
    let part = |part: Value| json!({ "parts": [{ "type": "text", "text": "fine" }, part] });
    refuses(&part(json!({ "type": "text", "text": 7 })), "parts[1].text", "expected a string");
    refuses(&part(json!({ "type": "text" })), "parts[1].text", "required");
    refuses(&part(json!({ "type": "file", "url": "data:," })), "parts[1].mime", "required");
    let kinds = "expected text, file, agent, conversation, subtask, image, audio, resource or json";
    for kind in [json!("secret"), json!(1), json!({ "text": null })] {
        refuses(&part(json!({ "type": kind, "text": "x" })), "parts[1].type", kinds);
    }
    refuses(&part(json!({ "text": "x" })), "parts[1].type", "required");
    let subtask =
        json!({ "type": "subtask", "prompt": "p", "description": "d", "agent": "a", "model": ["p", "m"] });
    refuses(&part(subtask), "parts[1].model", "expected an object");
    refuses(
        &part(json!({ "type": "conversation", "sourceSessionID": "ses_b", "label": "" })),
        "parts[1].label",
        "expected 1 to 160 characters",
    );
    refuses(
        &part(json!({ "type": "text", "text": "x", "synthetic": true })),
        "parts[1].synthetic",
        "unknown key",
    );
}

fn decision(body: &Value) -> Result<DecisionInput, Value> {
    let parsed = parse::<DecisionInput>(&headers(), body.to_string().as_bytes());
    parsed.and_then(checked_decision).map_err(|problem| problem.to_json())
}

#[test]
fn an_answer_names_a_request_of_its_own_kind() {
    let answer = |kind: &str, request: &str, rest: Value| {
        let mut body = json!({ "kind": kind, "sessionID": "ses_a", "requestID": request });
        for (key, value) in rest.as_object().unwrap() {
            body[key] = value.clone();
        }
        match decision(&body) {
            Ok(_) => "accepted".to_owned(),
            Err(problem) => problem["issues"][0]["path"].as_str().unwrap().to_owned(),
        }
    };

    assert_eq!(answer("permission", "per_a", json!({ "reply": "once" })), "accepted");
    assert_eq!(answer("question", "que_a", json!({ "answers": [["yes"]] })), "accepted");
    assert_eq!(answer("question_reject", "que_a", json!({})), "accepted");
    assert_eq!(answer("permission", "que_a", json!({ "reply": "once" })), "requestID");
    assert_eq!(answer("question_reject", "per_a", json!({})), "requestID");
    assert_eq!(answer("permission", "per_a", json!({ "reply": "perhaps" })), "reply");
    assert_eq!(answer("permission", "per_a", json!({})), "reply");
    assert_eq!(answer("question", "que_a", json!({ "answers": ["yes"] })), "answers[0]");
    assert_eq!(answer("other", "per_a", json!({})), "kind");
}

#[test]
fn an_answer_is_strict_and_its_message_bounded() {
    let permission = |rest: Value| {
        let mut body =
            json!({ "kind": "permission", "sessionID": "ses_a", "requestID": "per_a", "reply": "reject" });
        for (key, value) in rest.as_object().unwrap() {
            body[key] = value.clone();
        }
        decision(&body).map_err(|problem| problem["issues"][0]["message"].clone())
    };

    permission(json!({ "message": "x".repeat(100_000) })).expect("accepted");
    assert_eq!(
        permission(json!({ "message": "x".repeat(100_001) })).unwrap_err(),
        "expected at most 100000 characters"
    );
    assert_eq!(permission(json!({ "remember": true })).unwrap_err(), "unknown key");
    for reply in [json!(1), json!({ "once": null }), json!("perhaps")] {
        assert_eq!(
            permission(json!({ "reply": reply })).unwrap_err(),
            "expected once, session, project, always or reject"
        );
    }
    assert_eq!(
        permission(json!({ "kind": 1 })).unwrap_err(),
        "expected permission, question or question_reject"
    );
}
