//! Repairs what the generator of the document writes badly, so that readers
//! of the document (people, client generators, validators) get plain schemas.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

const SCHEMAS: &str = "#/components/schemas/";
/// Our aliases of `i64` become references to a schema of that name.
const INTEGER: &str = "i64";

/// The same document, said better.
pub(crate) fn polished(mut document: Value) -> Value {
    inline_integers(&mut document);
    if let Some(schemas) = at(&mut document, &["components", "schemas"]) {
        schemas.shift_remove(INTEGER);
        move_strictness(schemas);
    }
    if let Some(paths) = at(&mut document, &["paths"]) {
        let operations = paths.values_mut().filter_map(Value::as_object_mut).flat_map(Map::values_mut);
        for operation in operations {
            forbid_null(operation);
        }
    }
    forbid_null_in_answers(&mut document);
    document
}

fn at<'a>(document: &'a mut Value, path: &[&str]) -> Option<&'a mut Map<String, Value>> {
    path.iter().try_fold(document, |value, key| value.get_mut(key))?.as_object_mut()
}

fn inline_integers(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if referenced(map) == Some(INTEGER) {
                map.shift_remove("$ref");
                map.insert("type".to_owned(), json!("integer"));
                map.insert("format".to_owned(), json!("int64"));
            }
            map.values_mut().for_each(inline_integers);
        }
        Value::Array(list) => list.iter_mut().for_each(inline_integers),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn referenced(schema: &Map<String, Value>) -> Option<&str> {
    schema.get("$ref")?.as_str()?.strip_prefix(SCHEMAS)
}

/// A strict variant is `allOf` its fields and its tag. If the fields alone were
/// strict, the tag could never stand beside them: the whole must be.
fn move_strictness(schemas: &mut Map<String, Value>) {
    let strict: Vec<String> = schemas
        .iter()
        .filter(|(_, schema)| schema.get("additionalProperties") == Some(&json!(false)))
        .map(|(name, _)| name.clone())
        .collect();
    let mut moved = Vec::new();
    for variant in schemas.values_mut().filter_map(|schema| schema.get_mut("oneOf")).flat_map(variants) {
        let parts = variant.get("allOf").and_then(Value::as_array).into_iter().flatten();
        let of = parts.filter_map(Value::as_object).find_map(referenced);
        if let Some(name) = of.filter(|name| strict.iter().any(|strict| strict == name)) {
            moved.push(name.to_owned());
            variant.insert("unevaluatedProperties".to_owned(), json!(false));
        }
    }
    for name in moved {
        if let Some(Value::Object(schema)) = schemas.get_mut(&name) {
            schema.shift_remove("additionalProperties");
        }
    }
}

fn variants(one_of: &mut Value) -> impl Iterator<Item = &mut Map<String, Value>> {
    one_of.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut)
}

/// A parameter or a body that may be left out is still never null.
fn forbid_null(operation: &mut Value) {
    let parameters = operation.get_mut("parameters").and_then(Value::as_array_mut);
    for parameter in parameters.into_iter().flatten() {
        if let Some(schema) = parameter.get_mut("schema") {
            without_null(schema);
        }
    }
    if let Some(schema) = operation.pointer_mut("/requestBody/content/application~1json/schema") {
        without_null(schema);
    }
}

/// A field of an answer that may be left out is never null. Of input fields null is accepted, so
/// theirs stay as they are, unless an answer shows them too.
fn forbid_null_in_answers(document: &mut Value) {
    let mut found = BTreeSet::new();
    for operation in document.get("paths").into_iter().flat_map(children).flat_map(children) {
        references(operation.get("responses").unwrap_or(&Value::Null), &mut found);
    }
    let Some(schemas) = at(document, &["components", "schemas"]) else { return };
    let mut next: Vec<String> = found.iter().cloned().collect();
    while let Some(name) = next.pop() {
        let mut below = BTreeSet::new();
        references(schemas.get(&name).unwrap_or(&Value::Null), &mut below);
        next.extend(below.into_iter().filter(|name| found.insert(name.clone())));
    }
    for (_, schema) in schemas.iter_mut().filter(|(name, _)| found.contains(*name)) {
        forbid_null_in_fields(schema);
    }
}

fn children(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_object().into_iter().flat_map(Map::values)
}

/// Names of the schemas a value leads to.
fn references(value: &Value, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            found.extend(referenced(map).map(str::to_owned));
            map.values().for_each(|value| references(value, found));
        }
        Value::Array(list) => list.iter().for_each(|value| references(value, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Takes null from every field, at any depth, that is not required.
fn forbid_null_in_fields(schema: &mut Value) {
    match schema {
        Value::Object(map) => {
            let required = map.get("required").cloned().unwrap_or_default();
            let is_required =
                |name: &str| required.as_array().is_some_and(|all| all.iter().any(|one| one == name));
            if let Some(Value::Object(fields)) = map.get_mut("properties") {
                let optional = fields.iter_mut().filter(|(name, _)| !is_required(name));
                optional.for_each(|(_, field)| without_null(field));
            }
            map.values_mut().for_each(forbid_null_in_fields);
        }
        Value::Array(list) => list.iter_mut().for_each(forbid_null_in_fields),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The same schema for what is there.
fn without_null(schema: &mut Value) {
    if let Some(Value::Array(types)) = schema.get_mut("type") {
        types.retain(|kind| kind != "null");
        if let [only] = types.as_slice() {
            schema["type"] = only.clone();
        }
    }
    let Some(kinds) = schema.get("oneOf").and_then(Value::as_array) else { return };
    let some: Vec<&Value> = kinds.iter().filter(|kind| kind.get("type") != Some(&json!("null"))).collect();
    if let ([only], true) = (some.as_slice(), kinds.len() == 2) {
        *schema = Value::clone(only);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_alias_of_an_integer_is_an_integer() {
        let document = polished(json!({
            "components": { "schemas": {
                "i64": { "type": "integer" },
                "Run": { "properties": { "time": { "$ref": "#/components/schemas/i64", "description": "When." } } },
            } },
        }));
        assert_eq!(
            document["components"]["schemas"],
            json!({ "Run": { "properties": {
                "time": { "description": "When.", "type": "integer", "format": "int64" },
            } } })
        );
    }

    #[test]
    fn a_strict_variant_is_strict_as_a_whole() {
        let tag = json!({ "type": "object", "properties": { "kind": { "enum": ["a"] } } });
        let document = polished(json!({
            "components": { "schemas": {
                "A": { "type": "object", "additionalProperties": false },
                "B": { "type": "object" },
                "Either": { "oneOf": [
                    { "allOf": [{ "$ref": "#/components/schemas/A" }, tag] },
                    { "allOf": [{ "$ref": "#/components/schemas/B" }, tag] },
                ] },
            } },
        }));
        let schemas = &document["components"]["schemas"];
        assert_eq!(schemas["A"], json!({ "type": "object" }));
        assert_eq!(schemas["Either"]["oneOf"][0]["unevaluatedProperties"], json!(false));
        assert_eq!(schemas["Either"]["oneOf"][1].get("unevaluatedProperties"), None);
    }

    #[test]
    fn what_may_be_left_out_is_still_not_null() {
        let schema = json!({ "oneOf": [{ "$ref": "#/components/schemas/A" }, { "type": "null" }] });
        let document = polished(json!({ "paths": { "/a": { "post": {
            "parameters": [{ "name": "x", "schema": { "type": ["string", "null"] } }],
            "requestBody": { "content": { "application/json": { "schema": schema } } },
        } } } }));
        let operation = &document["paths"]["/a"]["post"];
        assert_eq!(operation["parameters"][0]["schema"]["type"], "string");
        assert_eq!(
            operation["requestBody"]["content"]["application/json"]["schema"],
            json!({ "$ref": "#/components/schemas/A" })
        );
    }

    #[test]
    fn a_field_of_an_answer_that_may_be_left_out_is_never_null() {
        let schema = json!({
            "required": ["always"],
            "properties": {
                "always": { "type": ["string", "null"] },
                "some": { "type": ["string", "null"] },
                "other": { "oneOf": [{ "$ref": "#/components/schemas/B" }, { "type": "null" }] },
            },
        });
        let answer = json!({ "$ref": "#/components/schemas/A" });
        let document = polished(json!({
            "paths": { "/a": { "get": { "responses": { "200": { "content": { "application/json": {
                "schema": answer,
            } } } } } } },
            "components": { "schemas": { "A": schema, "B": schema, "Input": schema } },
        }));
        let schemas = &document["components"]["schemas"];
        for name in ["A", "B"] {
            let fields = &schemas[name]["properties"];
            assert_eq!(fields["always"]["type"], json!(["string", "null"]), "{name}");
            assert_eq!(fields["some"]["type"], "string", "{name}");
            assert_eq!(fields["other"], json!({ "$ref": "#/components/schemas/B" }), "{name}");
        }
        assert_eq!(schemas["Input"], schema);
    }
}
