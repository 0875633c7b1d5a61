//! The document is committed, complete and usable by generators.

use std::collections::BTreeSet;

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
