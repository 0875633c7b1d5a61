//! Do writers that compete keep out of each other's way?

use openscience_protocol::row::{Append, Write};
use openscience_protocol::{RunState, SessionId};
use sqlx::Connection;

use super::{Data, append_to, count, create, event, id, run_row, user};
use crate::Store;
use crate::error::AppendError;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_sessions_append_at_once_and_each_has_an_unbroken_journal() {
    let data = Data::new();
    let store = data.with_session().await;
    let mut producers = Vec::new();
    for number in 0..40 {
        let session = format!("ses_{number}");
        create(&store, &session).await;
        let store = store.clone();
        producers.push(tokio::spawn(async move {
            for round in 0..10 {
                let events = vec![event("one"), event("two"), event("three")];
                let append = Append { events, ..append_to(&session, 0) };
                let appended = store.append(append).await.unwrap();
                assert_eq!(appended.latest_sequence, 3 * (round + 1));
            }
        }));
    }
    for producer in producers {
        producer.await.unwrap();
    }
    for number in 0..40 {
        let session: SessionId = id(&format!("ses_{number}"));
        let page = store.events_after(&session, 0, 100, usize::MAX).await.unwrap().unwrap();
        let sequences: Vec<i64> = page.events.iter().map(|event| event.sequence).collect();
        assert_eq!(sequences, (1..=30).collect::<Vec<_>>());
    }
    store.close().await;
}

#[tokio::test]
async fn appends_of_one_session_that_wait_together_keep_their_order() {
    let data = Data::new();
    let store = data.with_session().await;
    let append = |text: &str| store.append(Append { events: vec![event(text)], ..append_to("ses_a", 0) });
    let (a, b, c) = tokio::join!(append("a"), append("b"), append("c"));
    let sequences = [a, b, c].map(|appended| appended.unwrap().latest_sequence);
    assert_eq!(sequences, [1, 2, 3]);
    store.close().await;
}

/// Accepts runs in `ses_a` until it has had its way `times` times, deciding again after each refusal.
async fn compete(store: Store, name: &'static str, times: usize) -> usize {
    let session: SessionId = id("ses_a");
    let (mut done, mut refused) = (0, 0);
    while done < times {
        let row = store.session(&session).await.unwrap().unwrap();
        let message = format!("msg_{name}_{done}");
        let run = run_row(&format!("run_{name}_{done}"), &message, RunState::Completed);
        let append = Append {
            bump: true,
            new_messages: 1,
            writes: vec![Write::Message(user(row.latest_message + 1, &message)), Write::Run(Box::new(run))],
            events: vec![event(name)],
            ..append_to("ses_a", row.revision)
        };
        match store.append(append).await {
            Ok(_) => done += 1,
            Err(AppendError::Revision) => refused += 1,
            Err(error) => panic!("{error:?}"),
        }
    }
    refused
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_stores_compete_for_a_session_and_neither_overwrites_the_other() {
    let data = Data::new();
    let (a, b) = (data.with_session().await, data.open("own_b").await);
    // Both know of each other, as after the first look at owners.
    a.dead_owners().await.unwrap();
    b.dead_owners().await.unwrap();
    let race = [tokio::spawn(compete(a.clone(), "a", 20)), tokio::spawn(compete(b.clone(), "b", 20))];
    for racer in race {
        racer.await.unwrap();
    }
    let row = a.session(&id("ses_a")).await.unwrap().unwrap();
    assert_eq!((row.revision, row.latest_sequence, row.latest_message), (40, 40, 40));
    assert_eq!(count(&data, "run").await, 40);
    assert_eq!(a.messages(&id("ses_a"), None).await.unwrap().len(), 40);
    a.close().await;
    b.close().await;
}

#[tokio::test]
async fn the_data_version_changes_with_commits_of_others_only() {
    let data = Data::new();
    let (a, b) = (data.with_session().await, data.open("own_b").await);
    let before = a.data_version().await.unwrap();
    create(&a, "ses_b").await;
    assert_eq!(a.data_version().await.unwrap(), before);
    create(&b, "ses_c").await;
    assert_ne!(a.data_version().await.unwrap(), before);
    a.close().await;
    b.close().await;
}

#[tokio::test]
async fn a_writer_that_has_failed_still_notices_commits_of_others() {
    for commits_before in 0..4 {
        let data = Data::new();
        let other = data.with_session().await;
        let root = crate::root::Root::prepare(data.folder.path()).unwrap();
        let options = crate::schema::writer_options(&root).pragma("max_page_count", "64");
        let connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
        let (sender, inbox) = tokio::sync::mpsc::channel(8);
        let shared = std::sync::Arc::default();
        let writer = crate::writer::Writer::new(options, connection, inbox, shared, &id("own_b"));
        let task = tokio::spawn(writer.run());
        let version = async || {
            let (request, answer) = crate::writer::Request::new(());
            sender.send(crate::writer::Op::DataVersion(request)).await.ok().unwrap();
            answer.await.unwrap().unwrap()
        };
        for number in 0..commits_before {
            create(&other, &format!("ses_before_{number}")).await;
            version().await;
        }
        let before = version().await;
        let append = Append { events: vec![event(&"x".repeat(1 << 20))], ..append_to("ses_a", 0) };
        let encoded = crate::encode::Encoded::new(&append).unwrap();
        let (request, answer) = crate::writer::Request::new(encoded);
        sender.send(crate::writer::Op::Append(Box::new(request))).await.ok().unwrap();
        assert!(answer.await.unwrap().is_err(), "it opens its connection anew");
        create(&other, "ses_after").await;
        assert_ne!(version().await, before, "after {commits_before} commits");
        drop(sender);
        task.await.unwrap();
        other.close().await;
    }
}

#[tokio::test]
async fn the_writer_waits_for_a_lock_and_then_writes() {
    let data = Data::new();
    let store = data.with_session().await;
    let mut shell = data.shell().await;
    let held = shell.begin_with("BEGIN IMMEDIATE").await.unwrap();
    let append = store.append(Append { events: vec![event("x")], ..append_to("ses_a", 0) });
    let release = async {
        // Time enough for the writer to be refused at least once.
        store.session(&id("ses_a")).await.unwrap();
        held.rollback().await.unwrap();
    };
    let (appended, ()) = tokio::join!(append, release);
    assert_eq!(appended.unwrap().latest_sequence, 1);
    shell.close().await.unwrap();
    store.close().await;
}
