//! Does an append write all it says, or nothing?

use openscience_protocol::row::{
    Append, Appended, DecisionState, SessionMeta, SessionPatch, StoredEvent, TurnRow, Write,
};
use openscience_protocol::run::TurnState;
use openscience_protocol::{RunState, SessionId};
use sqlx::Connection;

use super::{
    Data, append_to, assistant, chunk, count, decision_row, event, id, live_run, part_row, run_row,
    text_body, tool_body, turn_row, user, write,
};
use crate::error::{AppendError, StoreError};

#[tokio::test]
async fn every_row_comes_back_as_it_was_written() {
    let data = Data::new();
    let store = data.with_session().await;
    let before = store.session(&id("ses_a")).await.unwrap().unwrap();
    let mut writes = live_run();
    writes.push(Write::Part(Box::new(part_row((2, "msg_answer"), 2, false, tool_body("out\u{0}".into())))));
    writes.push(Write::Decision(Box::new(decision_row("per_b", "run_a", DecisionState::Indeterminate))));
    let append = Append {
        bump: true,
        new_messages: 2,
        writes: writes.clone(),
        events: vec![event("one"), event("two \u{0} \u{2028} \"quoted\"")],
        ..append_to("ses_a", 0)
    };
    let appended = store.append(append.clone()).await.unwrap();
    assert_eq!(appended, Appended { revision: 1, latest_sequence: 2 });

    let rows = store.restore(&id("ses_a")).await.unwrap().unwrap();
    assert_eq!(rows.session.revision, 1);
    assert_eq!(rows.session.latest_sequence, 2);
    assert_eq!(rows.session.latest_message, 2);
    assert_eq!(rows.session.meta, before.meta);
    let mut restored: Vec<Write> = Vec::new();
    restored.extend(rows.messages.into_iter().map(Write::Message));
    restored.extend(rows.parts.into_iter().map(|row| Write::Part(Box::new(row))));
    restored.extend(rows.chunks.into_iter().map(Write::Chunk));
    restored.extend(rows.runs.into_iter().map(|row| Write::Run(Box::new(row))));
    restored.extend(rows.turns.into_iter().map(|row| Write::Turn(Box::new(row))));
    restored.extend(rows.decisions.into_iter().map(|row| Write::Decision(Box::new(row))));
    assert_eq!(restored.len(), writes.len());
    for write in writes {
        assert!(restored.contains(&write), "{write:?} not in {restored:#?}");
    }

    let page = store.events_after(&id("ses_a"), 0, 10, usize::MAX).await.unwrap().unwrap();
    let stored = |sequence, new: &openscience_protocol::row::NewEvent| StoredEvent {
        sequence,
        event_type: new.event_type.to_owned(),
        body: new.body.clone(),
    };
    assert_eq!(page.events, vec![stored(1, &append.events[0]), stored(2, &append.events[1])]);
    store.close().await;
}

#[tokio::test]
async fn a_later_write_of_the_same_append_replaces_an_earlier_one() {
    let data = Data::new();
    let store = data.with_session().await;
    let mut writes = live_run();
    let closed = part_row((2, "msg_answer"), 1, false, text_body("abc"));
    writes.push(Write::Part(Box::new(closed.clone())));
    let ended = TurnRow {
        state: TurnState::Completed,
        ended_at: Some(9),
        ..turn_row("trn_a", "run_a", "msg_ask", None)
    };
    writes.push(Write::Turn(Box::new(ended)));
    writes.push(Write::Decision(Box::new(decision_row("per_a", "run_a", DecisionState::Closed))));
    write(&store, writes, vec![]).await.unwrap();

    let rows = store.restore(&id("ses_a")).await.unwrap().unwrap();
    assert_eq!((rows.turns, rows.chunks, rows.decisions), (vec![], vec![], vec![]));
    let answer = store.message(&id("ses_a"), &id("msg_answer")).await.unwrap().unwrap();
    assert_eq!(answer.parts, [closed.part]);
    assert_eq!(count(&data, "part_chunk").await, 0);
    store.close().await;
}

#[tokio::test]
async fn closing_a_part_drops_the_chunks_of_earlier_appends() {
    let data = Data::new();
    let store = data.with_session().await;
    write(&store, live_run(), vec![]).await.unwrap();
    write(&store, vec![Write::Chunk(chunk(2, 1, 4, "d"))], vec![]).await.unwrap();
    assert_eq!(count(&data, "part_chunk").await, 3);
    let closed = part_row((2, "msg_answer"), 1, false, text_body("ab\u{0}cd"));
    write(&store, vec![Write::Part(Box::new(closed))], vec![]).await.unwrap();
    assert_eq!(count(&data, "part_chunk").await, 0);
    store.close().await;
}

#[tokio::test]
async fn another_revision_writes_nothing() {
    let data = Data::new();
    let store = data.with_session().await;
    let stale = Append { writes: live_run(), events: vec![event("x")], ..append_to("ses_a", 7) };
    assert!(matches!(store.append(stale).await, Err(AppendError::Revision)));
    assert_eq!(store.window(&id("ses_a")).await.unwrap(), Some((1, 0)));
    for table in ["run", "turn", "message", "part", "part_chunk", "decision", "event"] {
        assert_eq!(count(&data, table).await, 0, "{table}");
    }
    store.close().await;
}

#[tokio::test]
async fn only_a_bump_raises_the_revision() {
    let data = Data::new();
    let store = data.with_session().await;
    let growth = Append { events: vec![event("x")], ..append_to("ses_a", 0) };
    assert_eq!(store.append(growth).await.unwrap(), Appended { revision: 0, latest_sequence: 1 });
    let change = Append { bump: true, ..append_to("ses_a", 0) };
    assert_eq!(store.append(change.clone()).await.unwrap(), Appended { revision: 1, latest_sequence: 1 });
    assert!(matches!(store.append(change).await, Err(AppendError::Revision)));
    store.close().await;
}

#[tokio::test]
async fn an_append_to_a_session_that_is_not_there_is_gone() {
    let data = Data::new();
    let store = data.with_session().await;
    assert!(matches!(store.append(append_to("ses_none", 0)).await, Err(AppendError::Gone)));
    store.close().await;
}

#[tokio::test]
async fn a_patch_changes_what_it_names_and_nothing_else() {
    let data = Data::new();
    let store = data.with_session().await;
    let before = store.session(&id("ses_a")).await.unwrap().unwrap();
    let patch = SessionPatch {
        title: Some("New".to_owned()),
        updated: Some(5),
        archived: Some(Some(6)),
        pinned: Some(Some(7)),
        ..SessionPatch::default()
    };
    write(&store, vec![Write::Session(patch)], vec![]).await.unwrap();
    let meta = SessionMeta { agent_session: Some("remote".to_owned()), ..SessionMeta::default() };
    let patches = [
        SessionPatch { pinned: Some(None), ..SessionPatch::default() },
        SessionPatch { deleting: Some(true), meta: Some(meta.clone()), ..SessionPatch::default() },
    ];
    write(&store, patches.map(Write::Session).to_vec(), vec![]).await.unwrap();
    let after = store.session(&id("ses_a")).await.unwrap().unwrap();
    let expected = openscience_protocol::row::SessionRow {
        title: "New".to_owned(),
        updated: 5,
        archived: Some(6),
        pinned: None,
        deleting: true,
        meta,
        ..before
    };
    assert_eq!(after, expected);
    store.close().await;
}

#[tokio::test]
async fn a_broken_constraint_fails_its_own_append_only() {
    let data = Data::new();
    let store = data.with_session().await;
    super::create(&store, "ses_b").await;
    write(&store, vec![Write::Message(user(1, "msg_a"))], vec![]).await.unwrap();
    let broken = [
        // The same id at another position.
        Write::Message(user(2, "msg_a")),
        // Another message at a position that is taken.
        Write::Message(assistant(1, "msg_b", "msg_a")),
        // A part without a message, growth without a part, a receipt without a message.
        Write::Part(Box::new(part_row((9, "msg_a"), 1, false, text_body("x")))),
        Write::Chunk(chunk(1, 9, 0, "x")),
        Write::Run(Box::new(run_row("run_a", "msg_none", RunState::Accepted))),
        Write::Decision(Box::new(decision_row("per_a", "run_none", DecisionState::Pending))),
    ];
    for write in broken {
        let bad = Append { writes: vec![write.clone()], events: vec![event("x")], ..append_to("ses_a", 0) };
        let good = Append { events: vec![event("x")], ..append_to("ses_b", 0) };
        let (bad, good) = tokio::join!(store.append(bad), store.append(good));
        assert!(matches!(bad, Err(AppendError::Store(StoreError::Constraint(_)))), "{write:?}: {bad:?}");
        good.unwrap();
    }
    assert_eq!(store.window(&id("ses_a")).await.unwrap(), Some((1, 0)));
    assert_eq!(store.window(&id("ses_b")).await.unwrap(), Some((1, 6)));
    store.close().await;
}

#[tokio::test]
async fn runs_keep_their_order_of_acceptance_when_they_change() {
    let data = Data::new();
    let store = data.with_session().await;
    let accept = |run: &str, position| {
        let message = format!("msg_{run}");
        vec![
            Write::Message(user(position, &message)),
            Write::Run(Box::new(run_row(run, &message, RunState::Accepted))),
        ]
    };
    write(&store, [accept("run_c", 1), accept("run_b", 2)].concat(), vec![]).await.unwrap();
    write(&store, accept("run_a", 3), vec![]).await.unwrap();
    let done = run_row("run_c", "msg_run_c", RunState::Completed);
    write(&store, vec![Write::Run(Box::new(done))], vec![]).await.unwrap();
    let snapshot = store.snapshot(&id("ses_a")).await.unwrap().unwrap();
    let order: Vec<&str> = snapshot.runs.iter().map(|run| run.id.as_str()).collect();
    assert_eq!(order, ["run_c", "run_b", "run_a"]);
    store.close().await;
}

#[tokio::test]
async fn a_full_disk_writes_nothing_and_the_writer_goes_on() {
    let data = Data::new();
    data.with_session().await.close().await;
    let root = crate::root::Root::prepare(data.folder.path()).unwrap();
    let options = crate::schema::writer_options(&root).pragma("max_page_count", "64");
    let connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
    let (sender, inbox) = tokio::sync::mpsc::channel(8);
    let shared = std::sync::Arc::default();
    let writer = crate::writer::Writer::new(options, connection, inbox, shared, &id("own_b"));
    let task = tokio::spawn(writer.run());

    let append = async |text: &str| {
        let append = Append { events: vec![event(text)], ..append_to("ses_a", 0) };
        let encoded = crate::encode::Encoded::new(&append).unwrap();
        let (request, answer) = crate::writer::Request::new(encoded);
        sender.send(crate::writer::Op::Append(Box::new(request))).await.ok().unwrap();
        answer.await.unwrap()
    };
    let full = append(&"x".repeat(1 << 20)).await;
    assert!(matches!(full, Err(AppendError::Store(StoreError::Unavailable(_)))), "{full:?}");
    assert_eq!(append("small").await.unwrap().latest_sequence, 1);
    drop(sender);
    task.await.unwrap();
}

#[tokio::test]
async fn a_row_that_breaks_an_invariant_is_named() {
    let data = Data::new();
    let store = data.with_session().await;
    write(&store, live_run(), vec![]).await.unwrap();
    let mut shell = data.shell().await;
    sqlx::query("UPDATE run SET effort = 'huge'").execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let session: SessionId = id("ses_a");
    let error = store.run(&session, &id("run_a")).await.unwrap_err();
    assert_eq!(error.to_string(), "column effort of row run_a in table run is not valid");
    store.close().await;
    assert!(matches!(store.session(&session).await, Err(StoreError::Closed)));
    assert!(matches!(store.append(append_to("ses_a", 0)).await, Err(AppendError::Store(StoreError::Closed))));
}
