//! Are claims, versions and Results there as they were written, once, and gone when they should be?

use openscience_protocol::artifact::{CaptureQuality, ClaimState};
use openscience_protocol::row::{ClaimRow, VersionRow, Write};
use openscience_protocol::{ArtifactId, VersionId};

use super::{Data, NOW, count, id, live_run, project, project_id, write};
use crate::Store;

fn claim(claim: &str, run: &str, state: ClaimState) -> ClaimRow {
    ClaimRow {
        id: id(claim),
        run_id: id("run_a"),
        turn_id: id("trn_a"),
        artifact_run: id(run),
        message_id: id("msg_answer"),
        state,
        reason: (state == ClaimState::Failed).then(|| "why".to_owned()),
        owner: id("own_gone"),
        created: NOW,
        updated: NOW + 1,
    }
}

fn version(version: &str, result: &str, name: &str, write: u64) -> VersionRow {
    VersionRow {
        id: id(version),
        artifact_id: id(result),
        project_id: project_id(),
        session_id: id("ses_a"),
        claim_id: Some(id("clm_a")),
        artifact_run: Some(id("artifact-run-1-1")),
        message_id: Some(id("msg_answer")),
        write,
        name: name.to_owned(),
        mime_type: Some("text/csv".to_owned()),
        size: 3,
        sha256: "a".repeat(64),
        mtime: NOW,
        source_path: format!("/srv/{name}"),
        capture: CaptureQuality::Exact,
        replaced: false,
        title: name.to_owned(),
        kind: "table".to_owned(),
        summary: None,
        created: NOW,
    }
}

/// A store with a live run, a claim of it, and two versions of one Result besides one of another.
async fn claimed(data: &Data) -> Store {
    let store = data.with_session().await;
    let mut writes = live_run();
    writes.push(Write::Claim(Box::new(claim("clm_a", "artifact-run-1-1", ClaimState::Pending))));
    let first = VersionRow { replaced: true, ..version("ver_1", "art_x", "x.csv", 1) };
    for row in [first, version("ver_2", "art_x", "x.csv", 2), version("ver_3", "art_y", "y.csv", 3)] {
        writes.push(Write::Version(Box::new(row)));
    }
    write(&store, writes, Vec::new()).await.unwrap();
    store
}

#[tokio::test]
async fn versions_number_themselves_within_their_result_and_are_recorded_once() {
    let data = Data::new();
    let store = claimed(&data).await;
    let numbers = async |result: &str| {
        let versions = store.versions(&id::<ArtifactId>(result)).await.unwrap();
        versions.into_iter().map(|known| (known.row.id.to_string(), known.number)).collect::<Vec<_>>()
    };
    let numbered = |pairs: &[(&str, i64)]| {
        pairs.iter().map(|(id, number)| ((*id).to_owned(), *number)).collect::<Vec<_>>()
    };
    assert_eq!(numbers("art_x").await, numbered(&[("ver_2", 2), ("ver_1", 1)]));
    // The same write again, and a new one.
    let again = [version("ver_2", "art_x", "x.csv", 2), version("ver_4", "art_x", "x.csv", 4)];
    let writes = again.map(|row| Write::Version(Box::new(row))).to_vec();
    write(&store, writes, Vec::new()).await.unwrap();
    assert_eq!(numbers("art_x").await, numbered(&[("ver_4", 3), ("ver_2", 2), ("ver_1", 1)]));
    assert_eq!(numbers("art_y").await, numbered(&[("ver_3", 1)]));
    let found = store.result(&project_id(), &id("art_x")).await.unwrap().unwrap();
    assert_eq!((found.versions, found.current.number), (3, 3));
    assert_eq!(found.current.row, version("ver_4", "art_x", "x.csv", 4));
    assert!(store.result(&id("prj_other"), &id("art_x")).await.unwrap().is_none());
    store.close().await;
}

#[tokio::test]
async fn a_pending_claim_is_restored_and_found_by_name_and_by_whoever_takes_it_up() {
    let data = Data::new();
    let store = claimed(&data).await;
    let row = claim("clm_a", "artifact-run-1-1", ClaimState::Pending);
    assert_eq!(store.restore(&id("ses_a")).await.unwrap().unwrap().claims, std::slice::from_ref(&row));
    assert_eq!(store.claim(&id("clm_a")).await.unwrap(), Some((id("ses_a"), row.clone())));
    assert_eq!(store.left_claims().await.unwrap(), [(id("ses_a"), row.clone())], "its process is not there");
    assert!(store.is_claimed(&id("ses_a"), &id("artifact-run-1-1")).await.unwrap());
    assert!(!store.is_claimed(&id("ses_a"), &id("artifact-run-2-1")).await.unwrap());
    let mine = ClaimRow { owner: store.owner().clone(), ..row.clone() };
    write(&store, vec![Write::Claim(Box::new(mine))], Vec::new()).await.unwrap();
    assert_eq!(store.left_claims().await.unwrap(), []);
    let failed = claim("clm_a", "artifact-run-1-1", ClaimState::Failed);
    write(&store, vec![Write::Claim(Box::new(failed.clone()))], Vec::new()).await.unwrap();
    assert_eq!(store.claim(&id("clm_a")).await.unwrap(), Some((id("ses_a"), failed)));
    assert_eq!(store.restore(&id("ses_a")).await.unwrap().unwrap().claims, []);
    let twice = claim("clm_b", "artifact-run-1-1", ClaimState::Pending);
    let refused = write(&store, vec![Write::Claim(Box::new(twice))], Vec::new()).await;
    assert!(refused.is_err(), "the files of a turn are claimed once");
    store.close().await;
}

#[tokio::test]
async fn files_of_a_session_are_those_that_were_not_saved_over_in_pages_and_by_name() {
    let data = Data::new();
    let store = claimed(&data).await;
    let names = async |after: Option<VersionId>, limit| {
        let files = store.session_files(&id("ses_a"), after.as_ref(), limit).await.unwrap();
        files.into_iter().map(|file| file.version.id.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(None, None).await, ["ver_2", "ver_3"]);
    assert_eq!(names(None, Some(1)).await, ["ver_2"]);
    assert_eq!(names(Some(id("ver_2")), None).await, ["ver_3"]);
    for owner in ["msg_answer", "artifact-run-1-1"] {
        let file = store.session_file(&project_id(), &id("ses_a"), owner, "x.csv").await.unwrap().unwrap();
        assert_eq!((file.version.id.as_str(), file.claim.is_some()), ("ver_2", true));
    }
    assert!(store.session_file(&project_id(), &id("ses_a"), "msg_other", "x.csv").await.unwrap().is_none());
    let claimed = store.claimed_versions(&id("ses_a"), &id("clm_a")).await.unwrap();
    assert_eq!(claimed.iter().map(|row| row.write).collect::<Vec<_>>(), [1, 2, 3]);
    store.close().await;
}

#[tokio::test]
async fn a_deleted_session_leaves_its_results() {
    let data = Data::new();
    let store = claimed(&data).await;
    store.delete_session(&id("ses_a"), NOW).await.unwrap();
    assert_eq!(count(&data, "claim").await, 0);
    assert_eq!(store.results(&project_id(), false).await.unwrap().len(), 2);
    let file = store.session_file(&project_id(), &id("ses_a"), "msg_answer", "y.csv").await.unwrap().unwrap();
    assert_eq!((file.version.id.as_str(), file.claim), ("ver_3", None));
    store.close().await;
}

#[tokio::test]
async fn the_trash_is_emptied_of_what_is_old_and_of_bytes_that_nothing_has() {
    let data = Data::new();
    let store = claimed(&data).await;
    store.record_project(&project("prj_other")).await.unwrap();
    let own = VersionRow { sha256: "b".repeat(64), claim_id: None, ..version("ver_5", "art_z", "z.csv", 0) };
    store.record_version(&own).await.unwrap();
    let (x, z) = (id::<ArtifactId>("art_x"), id::<ArtifactId>("art_z"));
    assert!(store.rename_result(&project_id(), &x, "Table", NOW + 5).await.unwrap());
    assert!(!store.rename_result(&id("prj_other"), &x, "theirs", NOW).await.unwrap());
    for result in [&x, &z] {
        assert!(store.trash_result(&project_id(), result, NOW + 10).await.unwrap());
        assert!(!store.trash_result(&project_id(), result, NOW + 20).await.unwrap(), "it is there already");
    }
    let trashed = store.results(&project_id(), true).await.unwrap();
    assert_eq!(trashed.len(), 2);
    assert!(trashed.iter().all(|row| row.trashed == Some(NOW + 10)));
    assert_eq!(store.empty_trash(NOW + 10).await.unwrap(), [], "nothing is older");
    // What is saved again is out of it, with its title.
    write(&store, vec![Write::Version(Box::new(version("ver_6", "art_x", "x.csv", 9)))], Vec::new())
        .await
        .unwrap();
    assert_eq!(store.result(&project_id(), &x).await.unwrap().unwrap().current.row.title, "Table");
    assert!(store.trash_result(&project_id(), &x, NOW + 11).await.unwrap());
    assert!(store.restore_result(&project_id(), &x).await.unwrap());
    assert!(!store.restore_result(&project_id(), &x).await.unwrap());
    let unused = store.empty_trash(NOW + 99).await.unwrap();
    assert_eq!(unused, [(project_id(), "b".repeat(64))], "the others' bytes are still had");
    assert!(store.result(&project_id(), &z).await.unwrap().is_none());
    assert_eq!((count(&data, "result").await, count(&data, "version").await), (2, 4));
    store.close().await;
}
