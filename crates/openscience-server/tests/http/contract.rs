//! The document is committed, complete and usable by generators.

use std::collections::BTreeSet;

use openscience_protocol::prompt::{MESSAGE_UNITS_MAX, NAME_CHARS_MAX, PARTS_MAX};
use openscience_protocol::session::{RULE_CHARS_MAX, RULES_MAX, TITLE_CHARS_MAX};
use openscience_protocol::whole::WHOLE_MAX;
use serde_json::Value;

const COMMITTED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../openapi/openscience.json");

/// Method, path and operation of every route.
fn operations(document: &Value) -> Vec<(String, &Value)> {
    let mut all = Vec::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            all.push((format!("{method} {path}"), operation));
        }
    }
    assert!(!all.is_empty());
    all
}

fn document() -> Value {
    serde_json::from_str(&openscience_server::openapi()).unwrap()
}

#[test]
fn the_committed_document_is_what_the_routes_say() {
    let committed = std::fs::read_to_string(COMMITTED).unwrap_or_default();
    assert!(
        committed == openscience_server::openapi(),
        "openapi/openscience.json is old: cargo xtask openapi"
    );
}

#[test]
fn every_operation_has_a_name_of_its_own_made_of_group_and_verb() {
    let document = document();
    let mut seen = BTreeSet::new();
    for (route, operation) in operations(&document) {
        let name = operation["operationId"].as_str().unwrap();
        let (group, verb) = name.split_once('.').unwrap();
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase());
        assert!(is_word(group) && is_word(verb), "{route}: {name}");
        assert_eq!(operation["tags"], serde_json::json!([group]), "{route}");
        assert!(seen.insert(name), "{route}: {name} is used twice");
    }
}

#[test]
fn every_refusal_has_the_one_error_body() {
    let document = document();
    for (route, operation) in operations(&document) {
        for (status, response) in operation["responses"].as_object().unwrap() {
            if status.starts_with('2') {
                continue;
            }
            let schema = &response["content"]["application/json"]["schema"]["$ref"];
            assert_eq!(schema, "#/components/schemas/Problem", "{route} {status}");
        }
    }
}

#[test]
fn every_answer_has_a_schema() {
    let document = document();
    for (route, operation) in operations(&document) {
        let (_, success) = operation["responses"]
            .as_object()
            .unwrap()
            .iter()
            .find(|(status, _)| status.starts_with('2'))
            .unwrap();
        let (_, content) = success["content"].as_object().unwrap().iter().next().unwrap();
        assert!(content["schema"].is_object(), "{route}");
    }
}

#[test]
fn every_answer_is_json_but_streams_of_events_metrics_and_bytes() {
    let document = document();
    for (route, operation) in operations(&document) {
        let answer = &operation["responses"].get("200").unwrap_or(&operation["responses"]["202"])["content"];
        let types: Vec<&String> = answer.as_object().unwrap().keys().collect();
        let streams =
            ["get /runtime/events", "get /session/{id}/state/events", "get /event", "get /global/event"];
        let expected = match route.as_str() {
            "get /metrics" => "text/plain",
            raw if raw.ends_with("/raw") => "application/octet-stream",
            stream if streams.contains(&stream) => "text/event-stream",
            _ => "application/json",
        };
        assert_eq!(types, [expected], "{route}");
    }
}

#[test]
fn the_document_states_the_bounds_that_are_checked() {
    let document = document();
    let field = |schema: &str, field: &str| {
        let found = &document["components"]["schemas"][schema]["properties"][field];
        assert!(found.is_object(), "{schema}.{field}");
        found.clone()
    };
    for (schema, name) in
        [("PromptInput", "deadlineMs"), ("PromptInput", "context"), ("SessionInput", "deadlineMs")]
    {
        let number = field(schema, name);
        assert_eq!(
            (number["minimum"].as_u64(), number["maximum"].as_u64()),
            (Some(1), Some(WHOLE_MAX)),
            "{name}"
        );
    }
    let parts = field("PromptInput", "parts");
    assert_eq!((parts["minItems"].as_u64(), parts["maxItems"].as_u64()), (Some(1), Some(PARTS_MAX as u64)));
    assert_eq!(field("SessionInput", "permission")["maxItems"], RULES_MAX);
    for schema in ["SessionInput", "SessionChange"] {
        assert_eq!(field(schema, "title")["maxLength"], TITLE_CHARS_MAX);
    }
    for name in ["permission", "pattern"] {
        assert_eq!(field("Rule", name)["maxLength"], RULE_CHARS_MAX);
    }
    for (schema, name) in [
        ("ModelRef", "providerID"),
        ("ModelRef", "modelID"),
        ("PromptInput", "variant"),
        ("PromptInput", "tier"),
        ("AgentInput", "name"),
        ("AgentInput", "id"),
        ("TextInput", "id"),
        ("SubtaskInput", "agent"),
        ("SubtaskInput", "command"),
        ("SubtaskInput", "description"),
    ] {
        assert_eq!(field(schema, name)["maxLength"], NAME_CHARS_MAX, "{schema}.{name}");
    }
    for (schema, name) in [("PromptInput", "message"), ("TextInput", "text"), ("SubtaskInput", "prompt")] {
        assert_eq!(field(schema, name)["maxLength"], MESSAGE_UNITS_MAX, "{schema}.{name}");
    }
    for (schema, prefix) in
        [("PermissionAnswer", "^per_"), ("QuestionAnswer", "^que_"), ("QuestionReject", "^que_")]
    {
        let id = field(schema, "requestID");
        assert!(id["pattern"].as_str().unwrap().starts_with(prefix), "{schema}");
    }
}

#[test]
fn every_reference_leads_somewhere() {
    fn check(value: &Value, document: &Value) {
        match value {
            Value::Object(map) => {
                if let Some(reference) = map.get("$ref").and_then(Value::as_str) {
                    let pointer = reference.strip_prefix('#').unwrap();
                    assert!(document.pointer(pointer).is_some(), "{reference}");
                }
                map.values().for_each(|value| check(value, document));
            }
            Value::Array(list) => list.iter().for_each(|value| check(value, document)),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    let document = document();
    check(&document, &document);
}

#[test]
fn only_health_needs_no_token() {
    let document = document();
    for (route, operation) in operations(&document) {
        let free = operation.get("security").is_some();
        assert_eq!(free, route == "get /global/health", "{route}");
    }
}
