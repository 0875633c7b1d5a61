//! How what agents tell of a call becomes one state.

use serde_json::json;

use super::*;

#[test]
fn raw_output_is_told_by_the_text_in_it() {
    let check = |raw: Value, expected: &str| assert_eq!(raw_text(&raw), expected, "{raw}");
    check(json!("said"), "said");
    check(json!({ "stdout": "a", "formatted_output": "", "aggregated_output": "b" }), "b");
    check(json!({ "stdout": "", "formatted_output": "", "aggregated_output": "", "exit_code": 0 }), "");
    check(json!({ "output": "c", "metadata": {} }), "c");
    check(json!({ "output": 5 }), r#"{"output":5}"#);
    check(json!([1]), "[1]");
    check(json!(null), "null");
}

#[track_caller]
fn rendered(fields: Value) -> Value {
    let mut fields = fields;
    fields["toolCallId"] = json!("c");
    let update: ToolCallUpdate = serde_json::from_value(fields).unwrap();
    let mut view = View::new("c");
    view.apply(&update.into(), 7);
    json!(view.render().state)
}

#[test]
fn a_command_that_failed_in_silence_has_its_exit_code() {
    let raw = json!({ "formatted_output": "", "exit_code": 3 });
    let state = rendered(json!({ "status": "failed", "rawOutput": raw }));
    assert_eq!(state["error"], json!("the tool failed"));
    assert_eq!(state["metadata"], json!({ "exitCode": 3, "output": "" }));
}

#[test]
fn a_question_about_a_call_is_not_its_output() {
    let text = |text: &str| json!({ "type": "content", "content": { "type": "text", "text": text } });
    let diff = json!({ "type": "diff", "path": "/a", "oldText": null, "newText": "n" });
    let call: ToolCallUpdate =
        serde_json::from_value(json!({ "toolCallId": "c", "content": [text("May I?"), diff] })).unwrap();
    let mut view = View::new("c");
    view.apply(&asked(&call), 7);
    assert_eq!(view.output, None);
    let diff = json!({ "path": "/a", "oldText": null, "newText": "n", "revision": 1, "createdAt": 7, "updatedAt": 7 });
    assert_eq!(view.meta["diffs"], json!([diff]));
}

#[test]
fn a_tool_has_the_name_its_agent_gives_it() {
    let check = |told: Value, expected: &str| {
        let mut call = json!({ "toolCallId": "c", "title": "t", "kind": "execute" });
        call.as_object_mut().unwrap().extend(told.as_object().unwrap().clone());
        let update: ToolCallUpdate = serde_json::from_value(call.clone()).unwrap();
        let call: ToolCall = serde_json::from_value(call).unwrap();
        for fields in [Fields::from(call), Fields::from(update)] {
            let mut view = View::new("c");
            view.apply(&fields, 0);
            assert_eq!(view.tool.as_deref(), Some(expected), "{told}");
        }
    };
    check(json!({ "name": "own", "_meta": { "toolName": "other" } }), "own");
    check(json!({ "_meta": { "toolName": "run_shell_command" } }), "run_shell_command");
    check(json!({ "_meta": { "claudeCode": { "toolName": "Bash" } } }), "Bash");
    check(json!({ "_meta": { "claudeCode": "Bash" } }), "execute");
    check(json!({ "_meta": { "toolName": " " } }), "execute");
    check(json!({ "_meta": { "toolName": 5 } }), "execute");
    check(json!({ "_meta": null }), "execute");
    check(json!({}), "execute");
}
