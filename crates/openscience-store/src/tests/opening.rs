//! Which directories and databases are taken, and which are refused and why?

use std::fs;
use std::os::unix::fs::PermissionsExt;

use sqlx::Connection;

use super::{Data, id};
use crate::error::OpenError;
use crate::schema::MIGRATIONS;
use crate::{OpenConfig, Store};

/// What a later version could bring.
const NEXT: &str = "ALTER TABLE project ADD COLUMN colour TEXT";

async fn open_next(data: &Data, owner: &str) -> Result<Store, OpenError> {
    let migrations: Vec<&'static str> = MIGRATIONS.iter().copied().chain([NEXT]).collect();
    Store::open_with(data.config(owner), &migrations).await
}

#[tokio::test]
async fn an_empty_place_becomes_a_private_data_directory() {
    let data = Data::new();
    let place = data.folder.path().join("new");
    let config = OpenConfig { data_dir: place.clone(), ..data.config("own_a") };
    let store = Store::open(config).await.unwrap();
    let mode = |name: &str| fs::metadata(place.join(name)).unwrap().permissions().mode() & 0o777;
    for folder in [".", "artifacts", "uploads", "workspaces", "cache", "logs", "owners"] {
        assert_eq!(mode(folder), 0o700, "{folder}");
    }
    for file in [
        "openscience.format",
        "openscience.db",
        "openscience.db-wal",
        "openscience.db-shm",
        "migrate.lock",
        "owners/own_a.lock",
    ] {
        assert_eq!(mode(file), 0o600, "{file}");
    }
    store.close().await;
}

#[tokio::test]
async fn a_closed_store_opens_again_with_what_it_holds() {
    let data = Data::new();
    let store = data.with_session().await;
    let before = store.session(&id("ses_a")).await.unwrap();
    store.close().await;
    store.close().await;
    let store = data.open("own_b").await;
    assert_eq!(store.session(&id("ses_a")).await.unwrap(), before);
    assert!(before.is_some());
    store.close().await;
}

#[tokio::test]
async fn a_directory_with_other_files_is_refused_and_left_as_it_is() {
    let data = Data::new();
    fs::write(data.folder.path().join("thesis.tex"), "").unwrap();
    let error = data.try_open("own_a").await.unwrap_err();
    assert!(matches!(error, OpenError::ForeignDirectory { .. }), "{error}");
    assert_eq!(fs::read_dir(data.folder.path()).unwrap().count(), 1);
    fs::remove_file(data.folder.path().join("thesis.tex")).unwrap();
    // A volume of its own is not empty either.
    fs::create_dir(data.folder.path().join("lost+found")).unwrap();
    data.open("own_b").await.close().await;
}

#[tokio::test]
async fn a_layout_of_another_version_is_refused() {
    let data = Data::new();
    fs::write(data.folder.path().join("openscience.format"), "openscience 9\n").unwrap();
    let error = data.try_open("own_a").await.unwrap_err();
    assert!(matches!(error, OpenError::Format { .. }), "{error}");
}

#[tokio::test]
async fn each_thing_that_is_in_the_way_is_named_in_one_line() {
    let check = async |prepare: fn(&std::path::Path), name: &str, fits: fn(&OpenError) -> bool| {
        let data = Data::new();
        data.open("own_a").await.close().await;
        prepare(data.folder.path());
        let error = data.try_open("own_b").await.unwrap_err();
        let line = error.to_string();
        assert!(fits(&error), "{error:?}");
        assert!(!line.contains('\n') && line.contains(name), "{line}");
    };
    check(
        |path| fs::write(path.join("openscience.db"), "this is no database, as anyone can see").unwrap(),
        "openscience.db",
        |error| matches!(error, OpenError::Damaged { .. }),
    )
    .await;
    check(
        |path| {
            fs::remove_file(path.join("openscience.db")).unwrap();
            fs::create_dir(path.join("openscience.db")).unwrap();
        },
        "openscience.db",
        |error| matches!(error, OpenError::Database { .. }),
    )
    .await;
    check(
        |path| {
            fs::remove_dir_all(path.join("owners")).unwrap();
            fs::write(path.join("owners"), "").unwrap();
        },
        "data directory",
        |error| matches!(error, OpenError::Directory { .. }),
    )
    .await;
}

#[tokio::test]
async fn the_database_of_another_program_is_left_alone() {
    let data = Data::new();
    let mut shell = data.shell().await;
    sqlx::query("CREATE TABLE recipe (name TEXT)").execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let error = data.try_open("own_a").await.unwrap_err();
    assert!(matches!(error, OpenError::ForeignDatabase { .. }), "{error}");
}

#[tokio::test]
async fn a_database_of_a_version_that_was_never_released_is_refused_at_once() {
    let data = Data::new();
    data.open("own_a").await.close().await;
    let mut shell = data.shell().await;
    sqlx::query("CREATE INDEX of_my_own ON session (title)").execute(&mut shell).await.unwrap();
    data.open("own_b").await.close().await;
    sqlx::query("ALTER TABLE session DROP COLUMN pinned").execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let error = data.try_open("own_c").await.unwrap_err();
    assert!(matches!(error, OpenError::Unreleased { .. }), "{error}");
    let seen = crate::inspect(data.folder.path()).await.trouble;
    assert!(matches!(seen, Some(OpenError::Unreleased { .. })), "{seen:?}");
}

#[tokio::test]
async fn a_database_newer_than_the_binary_is_refused() {
    let data = Data::new();
    open_next(&data, "own_a").await.unwrap().close().await;
    let error = data.try_open("own_b").await.unwrap_err();
    assert!(matches!(error, OpenError::Newer { found: 2, known: 1, .. }), "{error}");
    open_next(&data, "own_c").await.unwrap().close().await;
}

#[tokio::test]
async fn the_schema_does_not_change_under_a_living_owner() {
    let data = Data::new();
    let store = data.open("own_a").await;
    store.announce_url("http://127.0.0.1:4096").await.unwrap();
    let error = open_next(&data, "own_b").await.unwrap_err();
    let line = error.to_string();
    assert!(line.contains("from schema 1 to 2") && line.contains("openscience 1.2.3"), "{line}");
    assert!(line.contains("at http://127.0.0.1:4096"), "{line}");
    store.close().await;
    drop(store);
    open_next(&data, "own_b").await.unwrap().close().await;
}

#[tokio::test]
async fn a_failed_migration_leaves_the_database_as_it_was() {
    let data = Data::new();
    data.with_session().await.close().await;
    let broken = [MIGRATIONS[0], "DROP TABLE session; CREATE TABLE nonsense ("];
    assert!(Store::open_with(data.config("own_b"), &broken).await.is_err());
    let store = data.open("own_c").await;
    assert!(store.session(&id("ses_a")).await.unwrap().is_some());
    store.close().await;
}
