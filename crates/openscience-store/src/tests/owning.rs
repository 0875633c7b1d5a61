//! Is the life of another process judged rightly?

use std::fs;

use openscience_protocol::OwnerId;
use openscience_protocol::RunState;
use openscience_protocol::row::Write;
use sqlx::Connection;

use super::{Data, id, run_row, user, write};
use crate::Store;
use crate::error::OpenError;

async fn dead(store: &Store) -> Vec<OwnerId> {
    store.dead_owners().await.unwrap()
}

#[tokio::test]
async fn an_owner_is_dead_when_its_store_is_dropped() {
    let data = Data::new();
    let (a, b) = (data.open("own_a").await, data.open("own_b").await);
    assert_eq!(a.owner().as_str(), "own_a");
    assert_eq!((dead(&a).await, dead(&b).await), (vec![], vec![]));
    drop(b);
    assert_eq!(dead(&a).await, [id("own_b")]);
    assert!(a.forget_owner(&id("own_b")).await.unwrap());
    assert_eq!(dead(&a).await, []);
    assert!(!data.folder.path().join("owners/own_b.lock").exists());
    a.close().await;
}

#[tokio::test]
async fn an_owner_without_a_lock_file_or_from_another_boot_is_dead() {
    let data = Data::new();
    let (a, b, c) = (data.open("own_a").await, data.open("own_b").await, data.open("own_c").await);
    fs::remove_file(data.folder.path().join("owners/own_b.lock")).unwrap();
    let mut shell = data.shell().await;
    sqlx::query("UPDATE owner SET boot_id = 'before' WHERE id = 'own_c'").execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    assert_eq!(dead(&a).await, [id("own_b"), id("own_c")]);
    for store in [a, b, c] {
        store.close().await;
    }
}

#[tokio::test]
async fn a_lock_file_nobody_holds_proves_no_life() {
    let data = Data::new();
    let a = data.open("own_a").await;
    let mut shell = data.shell().await;
    sqlx::query(
        "INSERT INTO owner SELECT 'own_x', pid, boot_id, schema_version, version, url, started FROM owner",
    )
    .execute(&mut shell)
    .await
    .unwrap();
    shell.close().await.unwrap();
    fs::write(data.folder.path().join("owners/own_x.lock"), "").unwrap();
    assert_eq!(dead(&a).await, [id("own_x")]);
    a.close().await;
}

#[tokio::test]
async fn an_owner_with_a_live_run_is_remembered() {
    let data = Data::new();
    let a = data.with_session().await;
    let live = run_row("run_a", "msg_a", RunState::Running);
    write(&a, vec![Write::Message(user(1, "msg_a")), Write::Run(Box::new(live.clone()))], vec![])
        .await
        .unwrap();
    a.close().await;
    drop(a);
    let b = data.open("own_b").await;
    assert_eq!(dead(&b).await, [id("own_a")]);
    assert!(!b.forget_owner(&id("own_a")).await.unwrap());
    assert_eq!(b.live_sessions(None).await.unwrap(), [(id("ses_a"), id("own_a"), id("run_a"))]);
    let ended = openscience_protocol::row::RunRow { state: RunState::Interrupted, ..live };
    write(&b, vec![Write::Run(Box::new(ended))], vec![]).await.unwrap();
    assert!(b.forget_owner(&id("own_a")).await.unwrap());
    assert_eq!(dead(&b).await, []);
    b.close().await;
}

#[tokio::test]
async fn a_store_that_is_closed_at_rest_leaves_no_owner() {
    let data = Data::new();
    let (a, b) = (data.open("own_a").await, data.open("own_b").await);
    b.close().await;
    assert_eq!(dead(&a).await, []);
    assert_eq!(fs::read_dir(data.folder.path().join("owners")).unwrap().count(), 1);
    a.close().await;
}

#[tokio::test]
async fn an_owner_tells_its_url() {
    let data = Data::new();
    let (a, b) = (data.open("own_a").await, data.open("own_b").await);
    a.announce_url("http://127.0.0.1:1").await.unwrap();
    assert_eq!(b.owner_url(&id("own_a")).await.unwrap().as_deref(), Some("http://127.0.0.1:1"));
    assert_eq!(b.owner_url(&id("own_b")).await.unwrap(), None);
    assert_eq!(b.owner_url(&id("own_none")).await.unwrap(), None);
    a.close().await;
    b.close().await;
}

#[tokio::test]
async fn an_owner_id_is_used_once() {
    let data = Data::new();
    let a = data.open("own_a").await;
    let error = data.try_open("own_a").await.unwrap_err();
    assert!(matches!(error, OpenError::OwnerTaken { .. }), "{error}");
    drop(a);
    let a = data.open("own_b").await;
    let error = data.try_open("own_a").await.unwrap_err();
    assert!(matches!(error, OpenError::OwnerTaken { .. }), "{error}");
    a.close().await;
}
