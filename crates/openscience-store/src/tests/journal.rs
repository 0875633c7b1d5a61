//! Are events numbered, windowed and pruned as promised?

use openscience_protocol::row::{Append, NewEvent};
use sqlx::Connection;

use super::{Data, append_to, count, event, id};
use crate::Store;
use crate::error::StoreError;

async fn journal(store: &Store, events: usize) {
    let events = (0..events).map(|number| event(&number.to_string())).collect();
    store.append(Append { events, ..append_to("ses_a", 0) }).await.unwrap();
}

/// First and last sequence of a page, and how many events it has.
async fn page(store: &Store, after: i64, limit: u32, max_bytes: usize) -> Option<(i64, i64, usize)> {
    let page = store.events_after(&id("ses_a"), after, limit, max_bytes).await.unwrap().unwrap();
    Some((page.events.first()?.sequence, page.events.last()?.sequence, page.events.len()))
}

#[tokio::test]
async fn the_window_is_arithmetic_whatever_is_still_stored() {
    let data = Data::new();
    let store = data.with_session().await;
    assert_eq!(store.window(&id("ses_a")).await.unwrap(), Some((1, 0)));
    assert_eq!(store.window(&id("ses_none")).await.unwrap(), None);
    journal(&store, 2_048).await;
    assert_eq!(store.window(&id("ses_a")).await.unwrap(), Some((1, 2_048)));
    journal(&store, 2).await;
    // Two events older than the window are still stored, and nobody sees them.
    assert_eq!(count(&data, "event").await, 2_050);
    assert_eq!(store.window(&id("ses_a")).await.unwrap(), Some((3, 2_050)));
    assert_eq!(page(&store, 0, 10, usize::MAX).await, Some((3, 12, 10)));
    store.close().await;
}

#[tokio::test]
async fn events_are_pruned_when_a_multiple_is_passed() {
    let data = Data::new();
    let store = data.with_session().await;
    journal(&store, 2_300).await;
    assert_eq!(count(&data, "event").await, 2_048);
    journal(&store, 3).await;
    assert_eq!(count(&data, "event").await, 2_051);
    journal(&store, 1).await;
    assert_eq!(count(&data, "event").await, 2_048);
    assert_eq!(page(&store, 0, 5_000, usize::MAX).await, Some((257, 2_304, 2_048)));
    store.close().await;
}

#[tokio::test]
async fn a_page_ends_at_its_limit_at_its_bytes_or_at_the_head() {
    let data = Data::new();
    let store = data.with_session().await;
    let none = store.events_after(&id("ses_none"), 0, 1, 1).await.unwrap();
    assert_eq!(none, None);
    let empty = store.events_after(&id("ses_a"), 0, 1, 1).await.unwrap().unwrap();
    assert_eq!((empty.events, empty.oldest, empty.latest), (vec![], 1, 0));
    journal(&store, 9).await;
    assert_eq!(page(&store, 0, 3, usize::MAX).await, Some((1, 3, 3)));
    assert_eq!(page(&store, 4, 99, usize::MAX).await, Some((5, 9, 5)));
    assert_eq!(page(&store, 9, 99, usize::MAX).await, None);
    assert_eq!(page(&store, 99, 99, usize::MAX).await, None);
    // One event is told however large it is.
    let length = event("0").body.len();
    assert_eq!(page(&store, 0, 99, 1).await, Some((1, 1, 1)));
    assert_eq!(page(&store, 0, 99, 2 * length).await, Some((1, 2, 2)));
    store.close().await;
}

#[tokio::test]
async fn each_event_of_a_page_has_its_own_type_and_body() {
    let data = Data::new();
    let store = data.with_session().await;
    let types = ["session.idle", "message.updated", "todo.updated", "message.updated", "turn.updated"];
    let told = |(number, event_type): (usize, &&'static str)| NewEvent {
        event_type,
        body: event(&format!("{number} é \n{}", "x".repeat(number * 700))).body,
    };
    let events: Vec<NewEvent> = types.iter().enumerate().map(told).collect();
    store.append(Append { events: events.clone(), ..append_to("ses_a", 0) }).await.unwrap();
    for after in 0..5 {
        for limit in 1..6 {
            let page = store
                .events_after(&id("ses_a"), i64::try_from(after).unwrap(), limit, usize::MAX)
                .await
                .unwrap()
                .unwrap();
            let read: Vec<_> =
                page.events.iter().map(|e| (e.sequence, e.event_type.as_str(), e.body.as_str())).collect();
            let expected = events.iter().zip(1_i64..).skip(after).take(usize::try_from(limit).unwrap());
            let expected: Vec<_> = expected.map(|(e, at)| (at, e.event_type, e.body.as_str())).collect();
            assert_eq!(read, expected, "{limit} after {after}");
        }
    }
    store.close().await;
}

#[tokio::test]
async fn a_missing_event_is_corruption_and_not_a_shorter_page() {
    let data = Data::new();
    let store = data.with_session().await;
    journal(&store, 5).await;
    let mut shell = data.shell().await;
    sqlx::query("DELETE FROM event WHERE sequence IN (3, 5)").execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    for after in [1, 2, 4] {
        let error = store.events_after(&id("ses_a"), after, 9, usize::MAX).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt { table: "event", .. }), "{after}: {error:?}");
    }
    store.close().await;
}
