//! What is told of a data directory, and does looking leave it as it is?

use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::Path;

use sqlx::Connection;

use super::Data;
use crate::error::OpenError;
use crate::inspect::inspect;
use crate::root::Place;

/// Every file below with a digest of its content, but the index that SQLite shares in memory.
fn files(folder: &Path) -> BTreeMap<String, u64> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        found.insert(next.display().to_string(), 0);
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if !path.display().to_string().ends_with("-shm") {
                let mut digest = DefaultHasher::new();
                fs::read(&path).unwrap().hash(&mut digest);
                found.insert(path.display().to_string(), digest.finish());
            }
        }
    }
    found
}

#[tokio::test]
async fn a_place_that_is_absent_or_empty_stays_so() {
    let data = Data::new();
    let inspection = inspect(data.folder.path()).await;
    assert_eq!((inspection.place, inspection.found_schema), (Some(Place::Empty), None));
    assert!(inspection.trouble.is_none() && inspection.owners.is_empty());
    assert_eq!(fs::read_dir(data.folder.path()).unwrap().count(), 0);
    let absent = data.folder.path().join("absent");
    assert_eq!(inspect(&absent).await.place, Some(Place::Absent));
    assert!(!absent.exists());
}

#[tokio::test]
async fn a_store_is_seen_with_those_who_live_on_it_and_not_touched() {
    let data = Data::new();
    let store = data.open("own_a").await;
    store.announce_url("http://127.0.0.1:1").await.unwrap();
    let before = files(data.folder.path());
    let inspection = inspect(data.folder.path()).await;
    assert_eq!(inspection.place, Some(Place::Ours));
    assert_eq!(inspection.found_schema, Some(inspection.known_schema));
    let [owner] = inspection.owners.as_slice() else { panic!("{inspection:?}") };
    assert_eq!((owner.pid, owner.url.as_deref()), (std::process::id(), Some("http://127.0.0.1:1")));
    assert!(inspection.trouble.is_none(), "{inspection:?}");
    assert_eq!(files(data.folder.path()), before);
    store.close().await;

    let before = files(data.folder.path());
    assert_eq!(inspect(data.folder.path()).await.owners, []);
    assert_eq!(files(data.folder.path()), before);
    assert!(!data.folder.path().join("openscience.db-shm").exists());
}

#[tokio::test]
async fn what_a_store_would_be_refused_for_is_told() {
    let data = Data::new();
    data.open("own_a").await.close().await;
    let mut shell = data.shell().await;
    sqlx::query("PRAGMA user_version = 4321").execute(&mut shell).await.unwrap();
    shell.close().await.unwrap();
    let inspection = inspect(data.folder.path()).await;
    assert!(matches!(inspection.trouble, Some(OpenError::Newer { found: 4_321, .. })), "{inspection:?}");
    fs::write(data.folder.path().join("openscience.db"), "no database, as anyone can see").unwrap();
    let inspection = inspect(data.folder.path()).await;
    assert!(matches!(inspection.trouble, Some(OpenError::Damaged { .. })), "{inspection:?}");
    let foreign = Data::new();
    fs::write(foreign.folder.path().join("thesis.tex"), "").unwrap();
    let inspection = inspect(foreign.folder.path()).await;
    assert!(matches!(inspection.trouble, Some(OpenError::ForeignDirectory { .. })), "{inspection:?}");
}
