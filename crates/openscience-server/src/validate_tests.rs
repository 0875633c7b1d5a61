use http::HeaderMap;
use serde_json::json;

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
    let input = prompt(&json!({ "message": "  hello\n", "requestID": " key " })).unwrap();
    assert_eq!(input.message.as_deref(), Some("hello"));
    assert_eq!(input.request_id.as_deref(), Some("key"));
}

#[test]
fn a_prompt_has_exactly_one_of_message_and_parts() {
    let text = json!([{ "type": "text", "text": "x" }]);
    accepts(&json!({ "message": "x" }));
    accepts(&json!({ "parts": text }));
    refuses(&json!({}), "", "expected exactly one of message and parts");
    refuses(&json!({ "message": "x", "parts": text }), "", "expected exactly one of message and parts");
    refuses(&json!({ "parts": [] }), "parts", "expected at least one part");
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
fn numbers_of_a_prompt_are_above_zero() {
    accepts(&json!({ "message": "x", "context": 1, "deadlineMs": 1 }));
    refuses(&json!({ "message": "x", "context": 0 }), "context", "expected a whole number above 0");
    refuses(&json!({ "message": "x", "context": -1 }), "context", "expected a whole number, 0 or more");
    refuses(&json!({ "message": "x", "deadlineMs": 0 }), "deadlineMs", "expected a whole number above 0");
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
    refuses(&part(json!({ "type": "secret" })), "parts[1].type", "unknown kind of part");
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
}
