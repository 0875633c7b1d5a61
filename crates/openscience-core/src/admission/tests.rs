use super::*;

fn session() -> SessionId {
    "ses_one".parse().expect("a session id")
}

fn input(mut fields: Value) -> PromptInput {
    let object = fields.as_object_mut().expect("an object");
    object.entry("sessionID").or_insert_with(|| json!("ses_one"));
    object.entry("effort").or_insert_with(|| json!("normal"));
    serde_json::from_value(fields).expect("a prompt")
}

fn texts(blocks: &[ContentBlock]) -> Vec<String> {
    json!(blocks)
        .as_array()
        .expect("a list")
        .iter()
        .map(|block| block["text"].as_str().unwrap_or("not text").to_owned())
        .collect()
}

#[test]
fn a_prompt_without_a_key_has_no_run_id_of_its_own() {
    assert_eq!(run_id(&session(), &input(json!({ "message": "x" }))), None);
}

#[test]
fn the_run_id_is_a_digest_of_session_and_key_and_never_changes() {
    let id = run_id(&session(), &input(json!({ "message": "x", "requestID": "a" }))).expect("an id");
    assert_eq!(id.as_str(), "run_40373c4521c4e8bc13d40e03631f6266ded87a7304fa0d85a9b754505324fcfd");
}

#[test]
fn the_run_id_tells_sessions_keys_and_kinds_of_key_apart() {
    let other: SessionId = "ses_two".parse().expect("a session id");
    let message = "msg_0123456789abABCDEFGHIJKLMN";
    let of = |session: &SessionId, fields: Value| run_id(session, &input(fields)).expect("an id");
    let ids = [
        of(&session(), json!({ "requestID": "a" })),
        of(&session(), json!({ "requestID": "b" })),
        of(&other, json!({ "requestID": "a" })),
        of(&session(), json!({ "requestID": message })),
        of(&session(), json!({ "messageID": message })),
    ];
    for (index, id) in ids.iter().enumerate() {
        assert!(!ids.iter().skip(index + 1).any(|other| other == id), "{index}: {id}");
    }
}

#[test]
fn the_request_id_counts_before_the_message_id() {
    let both = json!({ "requestID": "a", "messageID": "msg_0123456789abABCDEFGHIJKLMN", "message": "x" });
    let one = json!({ "requestID": "a", "message": "something else" });
    assert_eq!(run_id(&session(), &input(both)), run_id(&session(), &input(one)));
}

#[test]
fn a_key_of_any_characters_gives_an_id() {
    for key in ["\u{0}", "../..", "ключ", "a b\nc"] {
        let id = run_id(&session(), &input(json!({ "requestID": key })));
        assert_eq!(id.map(|id| id.as_str().len()), Some("run_".len() + 64), "{key:?}");
    }
}

/// Stored fingerprints must stay equal to those computed by later versions.
#[test]
fn old_fingerprints_stay_what_they_are() {
    let small = input(json!({ "message": "x" }));
    assert_eq!(fingerprint(&small), "1:7d440d1b36469c5653a90c087fc30f4194286ecfc9315e49eb58ecb74b80ea2a");
    let full = input(json!({
        "requestID": "a",
        "messageID": "msg_0123456789abABCDEFGHIJKLMN",
        "effort": "ultra",
        "parts": [
            { "type": "text", "text": "Grüße\n" },
            { "type": "agent", "name": "lab", "source": { "value": "@lab", "start": 0, "end": 4 } },
            { "type": "subtask", "prompt": "p", "description": "d", "agent": "research" },
        ],
        "model": { "providerID": "p", "modelID": "m" },
        "variant": "high",
        "tier": "t",
        "context": 100_000,
        "delegation": true,
        "delegationSettings": { "level": "light" },
    }));
    assert_eq!(fingerprint(&full), "1:3cfcac4cd50c913179807d0ab8b1eac59e33010d91b86a57a8db7d7badc2c7cb");
}

#[test]
fn the_fingerprint_covers_the_canonical_json_of_the_input() {
    let mut text = String::new();
    canonical(&mut text, &json!({ "b": [2, 1, { "z": null, "a": "\"\n" }], "ä": 1.5, "B": {}, "a": [] }));
    assert_eq!(text, r#"{"B":{},"a":[],"b":[2,1,{"a":"\"\n","z":null}],"ä":1.5}"#);
}

#[test]
fn inputs_that_ask_for_the_same_have_the_same_fingerprint() {
    let same = |one: Value, other: Value| {
        assert_eq!(fingerprint(&input(one.clone())), fingerprint(&input(other.clone())), "{one} {other}");
    };
    same(json!({ "message": "x", "requestID": "a" }), json!({ "message": "x" }));
    same(json!({ "message": " x\n" }), json!({ "message": "x" }));
    same(
        json!({ "message": "x", "delegationSettings": {} }),
        json!({ "message": "x", "delegationSettings": { "autonomy": "balanced", "level": "standard" } }),
    );
    let mention = |source: &str| {
        let source: Value = serde_json::from_str(source).expect("json");
        json!({ "parts": [{ "type": "agent", "name": "lab", "source": source }] })
    };
    same(mention(r#"{"value":"@lab","start":0,"end":4}"#), mention(r#"{"end":4,"start":0,"value":"@lab"}"#));
}

#[test]
fn inputs_that_differ_have_different_fingerprints() {
    let text = |text: &str| json!({ "type": "text", "text": text });
    let inputs = [
        json!({ "message": "x" }),
        json!({ "message": "y" }),
        json!({ "message": "x", "sessionID": "ses_two" }),
        json!({ "message": "x", "effort": "ultra" }),
        json!({ "message": "x", "messageID": "msg_0123456789abABCDEFGHIJKLMN" }),
        json!({ "message": "x", "model": { "providerID": "p", "modelID": "m" } }),
        json!({ "message": "x", "variant": "v" }),
        json!({ "message": "x", "tier": "v" }),
        json!({ "message": "x", "context": 1 }),
        json!({ "message": "x", "delegation": false }),
        json!({ "message": "x", "delegationSettings": {} }),
        json!({ "message": "x", "delegationSettings": { "level": "off" } }),
        json!({ "message": "x", "deadlineMs": 1 }),
        json!({ "parts": [text("x")] }),
        json!({ "parts": [text(" x")] }),
        json!({ "parts": [text("x"), text("y")] }),
        json!({ "parts": [text("y"), text("x")] }),
    ];
    let prints: Vec<_> = inputs.iter().map(|fields| fingerprint(&input(fields.clone()))).collect();
    for (index, print) in prints.iter().enumerate() {
        let twin = prints.iter().skip(index + 1).position(|other| other == print);
        assert_eq!(twin, None, "{}", inputs[index]);
    }
}

#[test]
fn a_message_is_one_text_part_without_the_space_around_it() {
    assert_eq!(
        json!(input_parts(&input(json!({ "message": " a b\n" })))),
        json!([{ "type": "text", "text": "a b" }])
    );
}

#[test]
fn input_parts_keep_their_order_and_lose_their_ids() {
    let subtask = json!({
        "type": "subtask", "prompt": "p", "description": "d", "agent": "research",
        "model": { "providerID": "p", "modelID": "m" }, "command": "/c",
    });
    let given = input(json!({ "parts": [
        { "type": "text", "text": " a ", "id": "prt_1" },
        { "type": "agent", "name": "lab", "source": { "value": "@lab", "start": 0, "end": 4 }, "id": "prt_2" },
        subtask,
    ] }));
    assert_eq!(
        json!(input_parts(&given).expect("parts")),
        json!([
            { "type": "text", "text": " a " },
            { "type": "agent", "name": "lab", "source": { "value": "@lab", "start": 0, "end": 4 } },
            subtask,
        ])
    );
}

#[test]
fn a_prompt_with_what_must_be_looked_for_has_no_parts_yet() {
    let check = |part: Value, known: bool| {
        let text = json!({ "type": "text", "text": "x" });
        assert_eq!(input_parts(&input(json!({ "parts": [text, part] }))).is_some(), known, "{part}");
    };
    let file = json!({ "type": "file", "mime": "text/plain", "url": "data:,x" });
    let subtask = |attachments: Value| json!({ "type": "subtask", "prompt": "p", "description": "d", "agent": "a", "attachments": attachments });
    check(json!({ "type": "text", "text": "x" }), true);
    check(json!({ "type": "agent", "name": "lab" }), true);
    check(subtask(json!([])), true);
    check(subtask(json!([{ "mime": "text/plain", "url": "data:,x" }])), false);
    check(file, false);
    check(json!({ "type": "conversation", "sourceSessionID": "ses_two" }), false);
    check(json!({ "type": "image", "mimeType": "image/png", "data": "" }), false);
    check(json!({ "type": "audio", "mimeType": "audio/wav", "data": "" }), false);
    check(json!({ "type": "resource", "uri": "x:y", "text": "" }), false);
    check(json!({ "type": "json", "value": null }), false);
}

#[test]
fn a_file_is_a_link_and_a_conversation_is_embedded() {
    let parts: Vec<PartBody> = serde_json::from_value(json!([
        { "type": "file", "mime": "text/csv", "url": "upload:upl_a", "filename": "a.csv", "size": 7 },
        { "type": "file", "mime": "text/plain", "url": "file:///a", "source": { "type": "resource", "uri": "note:1" } },
        {
            "type": "conversation", "sourceSessionID": "ses_two", "throughMessageID": "msg_1", "snapshotID": "s",
            "label": "Two", "text": "User: hi",
        },
    ]))
    .expect("parts");
    assert_eq!(
        json!(blocks(&parts)),
        json!([
            { "type": "resource_link", "name": "a.csv", "uri": "upload:upl_a", "mimeType": "text/csv", "size": 7 },
            { "type": "resource_link", "name": "file", "uri": "file:///a", "mimeType": "text/plain", "title": "note:1" },
            {
                "type": "resource",
                "resource": {
                    "uri": "openscience:conversation/ses_two", "mimeType": "text/markdown", "text": "User: hi",
                },
            },
        ])
    );
}

#[test]
fn the_agent_gets_text_mentions_and_subtasks_as_text() {
    let given = input(json!({ "parts": [
        { "type": "text", "text": "look at" },
        { "type": "agent", "name": "lab" },
        { "type": "subtask", "prompt": "count them", "description": "Counting", "agent": "research" },
        { "type": "subtask", "prompt": "count them", "description": "", "agent": "research" },
    ] }));
    assert_eq!(
        texts(&blocks(&input_parts(&given).expect("parts"))),
        ["look at", "@lab", "Counting\n\ncount them", "count them"]
    );
}

#[test]
fn parts_of_an_answer_are_never_sent_to_the_agent() {
    let parts: Vec<PartBody> = serde_json::from_value(json!([
        { "type": "reasoning", "text": "hm", "time": { "start": 1 } },
        { "type": "step-start" },
        { "type": "compaction", "auto": true },
    ]))
    .expect("parts");
    assert_eq!(texts(&blocks(&parts)), Vec::<String>::new());
}
