//! Repairs what the generator of the document writes badly, so that readers
//! of the document (people, client generators, validators) get plain schemas.

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
        if let Some(Value::Array(types)) = parameter.pointer_mut("/schema/type") {
            types.retain(|kind| kind != "null");
            if let [only] = types.as_slice() {
                parameter["schema"]["type"] = only.clone();
            }
        }
    }
    if let Some(schema) = operation.pointer_mut("/requestBody/content/application~1json/schema") {
        let some = schema.get("oneOf").and_then(Value::as_array).and_then(|kinds| kinds.first()).cloned();
        if let Some(some) = some {
            *schema = some;
        }
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
}
