//! Are messages read as people wrote and agents told them?

use openscience_protocol::message::{Message, ToolState};
use openscience_protocol::row::Write;
use openscience_protocol::{PartBody, SessionId};
use proptest::prelude::{ProptestConfig, any, prop};
use proptest::strategy::Strategy;
use proptest::test_runner::TestRunner;

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
