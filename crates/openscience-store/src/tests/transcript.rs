//! Are messages read as people wrote and agents told them?

use openscience_protocol::message::{FilePart, Message, PartTime, ReasoningPart, TextPart, ToolState};
use openscience_protocol::row::Write;
use openscience_protocol::{PartBody, SessionId};
use proptest::prelude::{ProptestConfig, any, prop};
use proptest::strategy::Strategy;
use proptest::test_runner::TestRunner;
use serde_json::json;

use super::{Data, assistant, chunk, id, live_run, part_row, text_body, tool_body, user, write};
use crate::error::StoreError;

fn text(message: &Message, part: usize) -> &str {
    match &message.parts[part].body {
        PartBody::Text(part) => &part.text,
        other => panic!("{other:?}"),
    }
}

fn output(message: &Message) -> (&str, bool) {
    match &message.parts[0].body {
        PartBody::Tool(tool) => match &tool.state {
            ToolState::Completed(state) => (&state.output, state.metadata.contains_key("truncated")),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn messages_come_oldest_first_with_open_text_joined() {
    let data = Data::new();
    let store = data.with_session().await;
    let session: SessionId = id("ses_a");
    write(&store, live_run(), vec![]).await.unwrap();
    let messages = store.messages(&session, None).await.unwrap();
    assert_eq!(messages.len(), 2);
    assert_eq!(messages[0].info, user(1, "msg_ask").info);
    assert_eq!((text(&messages[0], 0), text(&messages[1], 0)), ("what?", "ab\u{0}c"));
    assert_eq!(store.messages(&session, Some(1)).await.unwrap(), messages[1..]);
    assert_eq!(store.messages(&session, Some(0)).await.unwrap(), []);
    assert_eq!(store.message(&session, &id("msg_answer")).await.unwrap().as_ref(), messages.get(1));
    store.close().await;
}

#[tokio::test]
async fn a_message_is_read_as_it_is_stored_with_what_its_open_parts_have_grown_by() {
    let data = Data::new();
    let store = data.with_session().await;
    let session: SessionId = id("ses_a");
    write(&store, live_run(), vec![]).await.unwrap();
    let live = store.restore(&session).await.unwrap().unwrap();
    for message in &live.messages {
        let rows = store.message_rows(&session, message.info.id()).await.unwrap().unwrap();
        assert_eq!(rows.message, *message);
        assert!(rows.parts.iter().eq(live.parts.iter().filter(|part| part.message == message.position)));
        assert!(rows.chunks.iter().eq(live.chunks.iter().filter(|chunk| chunk.message == message.position)));
    }
    assert_eq!((live.messages.len(), live.chunks.is_empty()), (2, false));
    assert_eq!(store.message_rows(&session, &id("msg_none")).await.unwrap(), None);
    store.close().await;
}

#[tokio::test]
async fn only_the_largest_tool_outputs_of_a_long_list_are_shortened() {
    let data = Data::new();
    let store = data.with_session().await;
    let session: SessionId = id("ses_a");
    let mut writes = vec![Write::Message(user(1, "msg_1"))];
    let outputs = ["ü".repeat(40_000), "s".repeat(2_000), "x".repeat(60_000)];
    for (number, output) in (2..).zip(&outputs) {
        let message = format!("msg_{number}");
        writes.push(Write::Message(assistant(number, &message, "msg_1")));
        let part = part_row((number, &message), 1, false, tool_body(output.clone()));
        writes.push(Write::Part(Box::new(part)));
    }
    let long = text_body(&"t".repeat(20_000));
    writes.push(Write::Part(Box::new(part_row((1, "msg_1"), 1, false, long))));
    write(&store, writes, vec![]).await.unwrap();

    let messages = store.messages_within(&session, None, 50_000).await.unwrap();
    assert!(serde_json::to_string(&messages).unwrap().len() < 54_000);
    assert_eq!(text(&messages[0], 0).len(), 20_000);
    assert_eq!(output(&messages[2]), (outputs[1].as_str(), false));
    for (message, character) in [(1, 'ü'), (3, 'x')] {
        let (text, truncated) = output(&messages[message]);
        assert!(truncated);
        assert!(text.starts_with(character) && text.ends_with(character));
        assert!((8_000..16_000).contains(&text.len()), "{}", text.len());
    }
    let whole = store.message(&session, &id("msg_4")).await.unwrap().unwrap();
    assert_eq!(output(&whole), (outputs[2].as_str(), false));
    let all = store.messages(&session, None).await.unwrap();
    assert_eq!(output(&all[1]), (outputs[0].as_str(), false));
    store.close().await;
}

const LIST_BYTES_MAX: usize = 16 << 20;

/// What of the message's first part was cut, read as clients read it.
fn is_marked(message: &Message) -> bool {
    let part = serde_json::to_value(&message.parts[0]).unwrap();
    part["metadata"]["truncated"] == true
        || part["state"]["metadata"]["truncated"] == true
        || part["source"]["truncated"] == true
}

/// Stores one part a message and reads them as a list, which must be within the bound, and each by
/// its id, which must be whole. Returns the list.
async fn listed(bodies: Vec<PartBody>) -> Vec<Message> {
    let data = Data::new();
    let store = data.with_session().await;
    let session: SessionId = id("ses_a");
    let stored = bodies.clone();
    for (number, body) in (1..).zip(bodies) {
        let message = format!("msg_{number}");
        let part = part_row((number, &message), 1, false, body);
        let writes = vec![Write::Message(user(number, &message)), Write::Part(Box::new(part))];
        write(&store, writes, vec![]).await.unwrap();
    }
    let messages = store.messages(&session, None).await.unwrap();
    let bytes = serde_json::to_string(&messages).unwrap().len();
    assert!(bytes < LIST_BYTES_MAX + (64 << 10), "{bytes}");
    assert_eq!(messages.len(), stored.len());
    for (message, body) in messages.iter().zip(&stored) {
        let whole = store.message(&session, message.info.id()).await.unwrap().unwrap();
        assert_eq!(whole.parts[0].body, *body);
        assert_eq!(is_marked(message), message.parts[0].body != *body, "marked if cut, and only then");
    }
    let newest = store.messages(&session, Some(1)).await.unwrap();
    assert_eq!(newest.last().map(|message| &message.parts[0].body), stored.last(), "a short list is whole");
    store.close().await;
    messages
}

#[tokio::test]
async fn a_list_of_long_texts_is_cut_in_the_middle_of_the_longest() {
    let four = 4 << 20;
    let mut bodies: Vec<PartBody> = ["a", "é", "\u{1}", "\""]
        .iter()
        .map(|filler| text_body(&filler.repeat(four / filler.len() / if *filler == "\u{1}" { 6 } else { 1 })))
        .collect();
    let time = PartTime { start: 1, end: Some(2) };
    let thoughts = "t".repeat(four);
    bodies.push(PartBody::Reasoning(ReasoningPart { text: thoughts, time: time.clone(), metadata: None }));
    let open = PartTime { end: None, ..time };
    let growing = TextPart { text: "o".repeat(four), synthetic: None, time: Some(open), metadata: None };
    bodies.push(PartBody::Text(growing));
    bodies.push(text_body(&"s".repeat(100_000)));
    let messages = listed(bodies).await;
    for (message, filler) in messages.iter().zip(["a", "é", "\u{1}", "\""]) {
        assert!(text(message, 0).starts_with(filler) && text(message, 0).ends_with(filler));
    }
    let cut: Vec<bool> = messages.iter().map(is_marked).collect();
    assert_eq!(cut, [true, true, true, true, true, false, false], "a text that grows is all there");
}

#[tokio::test]
async fn outputs_are_cut_before_inputs_and_inputs_before_texts() {
    let called = |input: usize, diff: usize, output: usize| {
        let PartBody::Tool(mut tool) = tool_body("o".repeat(output)) else { unreachable!() };
        let ToolState::Completed(state) = &mut tool.state else { unreachable!() };
        state.input = json!({ "content": "i".repeat(input) });
        state.metadata.insert("diffs".to_owned(), json!("d".repeat(diff)));
        state.metadata.insert("kind".to_owned(), json!("edit"));
        if diff > 0 {
            state.title = "é".repeat(diff / 2);
        }
        PartBody::Tool(tool)
    };
    let state = |message: &Message| serde_json::to_value(&message.parts[0]).unwrap()["state"].clone();
    let mib = 1 << 20;
    // Outputs suffice.
    let messages = listed(vec![
        called(4 * mib, 0, 4 * mib),
        called(4 * mib, 0, 4 * mib),
        text_body("t"),
        called(0, 0, mib),
    ])
    .await;
    assert_eq!(state(&messages[0])["input"]["content"].as_str().unwrap().len(), 4 * mib);
    assert!(!is_marked(&messages[3]));
    // Only the largest inputs have to go as well.
    let mut bodies = vec![called(4 * mib, 0, 10), called(3 * mib, 0, 10)];
    bodies.extend((0..4).map(|_| text_body(&"t".repeat(3 * mib))));
    let messages = listed(bodies).await;
    assert_eq!(state(&messages[0])["input"], json!({ "truncated": true }));
    assert!(messages[1..].iter().all(|message| !is_marked(message)));
    // Then what is told beside them, then addresses that hold a file.
    let url = format!("data:image/png;base64,{}", "A".repeat(3 * mib));
    let file =
        FilePart { mime: "image/png".to_owned(), url: url.clone(), filename: None, size: None, source: None };
    let mut bodies = vec![called(10, 4 * mib, 10), PartBody::File(file)];
    bodies.extend((0..5).map(|_| text_body(&"t".repeat(3 * mib))));
    let messages = listed(bodies).await;
    assert_eq!(state(&messages[0])["metadata"], json!({ "kind": "edit", "truncated": true }));
    assert_eq!(state(&messages[0])["title"], "é".repeat(64));
    let file = serde_json::to_value(&messages[1].parts[0]).unwrap();
    assert_eq!(
        (&file["url"], &file["source"]),
        (&json!(""), &json!({ "truncated": true, "bytes": url.len() }))
    );
    assert!(messages[2..].iter().all(|message| !is_marked(message)));
}

#[tokio::test]
async fn very_many_short_texts_and_outputs_are_cut_too() {
    let data = Data::new();
    let store = data.with_session().await;
    let mut writes = vec![Write::Message(user(1, "msg_1"))];
    for position in 1..=300 {
        let body = if position % 2 == 0 { text_body(&"t".repeat(900)) } else { tool_body("o".repeat(900)) };
        writes.push(Write::Part(Box::new(part_row((1, "msg_1"), position, false, body))));
    }
    write(&store, writes, vec![]).await.unwrap();
    let messages = store.messages_within(&id("ses_a"), None, 150_000).await.unwrap();
    let bytes = serde_json::to_string(&messages).unwrap().len();
    assert!((100_000..160_000).contains(&bytes), "{bytes}");
    assert_eq!(messages[0].parts.len(), 300);
    store.close().await;
}

#[tokio::test]
async fn growth_that_does_not_continue_the_text_is_corruption() {
    let data = Data::new();
    let store = data.with_session().await;
    write(&store, live_run(), vec![]).await.unwrap();
    write(&store, vec![Write::Chunk(chunk(2, 1, 9, "d"))], vec![]).await.unwrap();
    let error = store.messages(&id("ses_a"), None).await.unwrap_err();
    assert!(matches!(error, StoreError::Corrupt { table: "part_chunk", column: "offset", .. }), "{error:?}");
    store.close().await;
}

#[test]
fn open_text_reads_as_its_chunks_joined() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let data = Data::new();
    let store = runtime.block_on(data.with_session());
    runtime.block_on(write(&store, vec![Write::Message(user(1, "msg_a"))], vec![])).unwrap();
    let part = std::cell::Cell::new(0);
    let texts = prop::collection::vec(any::<String>(), 0..6);
    let mut runner = TestRunner::new(ProptestConfig { cases: 48, ..ProptestConfig::default() });
    let joined = runner.run(&texts.prop_map(|texts| texts), |texts| {
        let position = part.get() + 1;
        part.set(position);
        let first = part_row((1, "msg_a"), position, true, text_body("𝄞 "));
        let mut offset = 3;
        let mut writes = vec![Write::Part(Box::new(first))];
        for text in texts.iter().filter(|text| !text.is_empty()) {
            writes.push(Write::Chunk(chunk(1, position, offset, text)));
            offset += text.encode_utf16().count() as u64;
        }
        runtime.block_on(write(&store, writes, vec![])).unwrap();
        let message = runtime.block_on(store.messages(&id("ses_a"), None)).unwrap().remove(0);
        let index = usize::try_from(position - 1).unwrap();
        assert_eq!(text(&message, index), format!("𝄞 {}", texts.concat()));
        Ok(())
    });
    joined.unwrap();
    runtime.block_on(store.close());
}

#[tokio::test]
async fn uploads_that_messages_name_are_known_until_their_session_is_deleted() {
    let data = Data::new();
    let store = data.with_session().await;
    let file = |url: &str| {
        let mime = "image/png".to_owned();
        PartBody::File(FilePart { mime, url: url.to_owned(), filename: None, size: None, source: None })
    };
    let bodies = [
        file("upload:upl_a"),
        text_body("upload:upl_no"),
        file("data:,upload:upl_no"),
        file("upload:upl_b"),
        file("upload:upl_a"),
    ];
    let mut writes = vec![Write::Message(user(1, "msg_1"))];
    for (position, body) in (1..).zip(bodies) {
        writes.push(Write::Part(Box::new(part_row((1, "msg_1"), position, false, body))));
    }
    write(&store, writes, vec![]).await.unwrap();
    let mut used: Vec<String> = store.used_uploads().await.unwrap().into_iter().collect();
    used.sort();
    assert_eq!(used, ["upl_a", "upl_b"]);
    assert!(store.is_upload_used(&id("upl_a")).await.unwrap());
    assert!(!store.is_upload_used(&id("upl_no")).await.unwrap());
    store.delete_session(&id("ses_a"), 1).await.unwrap();
    assert!(store.used_uploads().await.unwrap().is_empty());
    store.close().await;
}
