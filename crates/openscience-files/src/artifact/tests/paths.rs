//! Which paths lead where?

use std::fs;
use std::os::unix::fs::symlink;

use openscience_protocol::artifact::SavedSource;

use super::{BUDGET, Desk, inline};
use crate::artifact::{ImportRoots, Source, WriteError, WriteRequest};

const OUTSIDE: &str = "Artifact local source path is outside allowed artifact import roots.";

#[test]
fn only_regular_files_below_the_roots_are_copied() {
    let desk = Desk::new();
    fs::write(desk.work("a.txt"), "inside").unwrap();
    fs::create_dir_all(desk.work("sub/deep")).unwrap();
    fs::write(desk.work("sub/deep/b.txt"), "deep").unwrap();
    let secret = desk.dir.path().join("secret.txt");
    fs::write(&secret, "secret").unwrap();
    symlink(&secret, desk.work("link-out")).unwrap();
    symlink("a.txt", desk.work("link-in")).unwrap();
    symlink(desk.work("a.txt"), desk.work("link-in-absolute")).unwrap();
    symlink(desk.dir.path(), desk.work("folder-out")).unwrap();
    symlink(desk.work("gone"), desk.work("dangling")).unwrap();
    symlink("loop", desk.work("loop")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        desk.work("pipe"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    let absolute = |path: &str| desk.work(path).to_str().unwrap().to_owned();
    let missing = WriteError::Missing.to_string();
    let no_file = WriteError::NotAFile.to_string();
    for (path, told) in [
        ("a.txt".to_owned(), ""),
        ("./a.txt".to_owned(), ""),
        ("sub/../a.txt".to_owned(), ""),
        ("sub//deep/./b.txt".to_owned(), ""),
        (absolute("a.txt"), ""),
        (absolute("sub/../a.txt"), ""),
        ("link-in".to_owned(), ""),
        ("link-in-absolute".to_owned(), ""),
        (absolute("link-in-absolute"), ""),
        ("folder-out/work/a.txt".to_owned(), ""),
        ("link-out".to_owned(), OUTSIDE),
        (absolute("link-out"), OUTSIDE),
        ("folder-out/secret.txt".to_owned(), OUTSIDE),
        ("../secret.txt".to_owned(), OUTSIDE),
        (absolute("../secret.txt"), OUTSIDE),
        (secret.to_str().unwrap().to_owned(), OUTSIDE),
        ("/etc/passwd".to_owned(), OUTSIDE),
        ("/no/such/file".to_owned(), OUTSIDE),
        ("/proc/self/environ".to_owned(), OUTSIDE),
        ("../gone".to_owned(), OUTSIDE),
        ("loop".to_owned(), OUTSIDE),
        ("gone.txt".to_owned(), &missing),
        ("sub/gone.txt".to_owned(), &missing),
        ("dangling".to_owned(), OUTSIDE),
        ("a.txt/b".to_owned(), &missing),
        (absolute("gone.txt"), &missing),
        ("pipe".to_owned(), &no_file),
        ("sub".to_owned(), &no_file),
        (".".to_owned(), &no_file),
        (String::new(), &no_file),
        (absolute(""), &no_file),
        ("a\0b".to_owned(), OUTSIDE),
    ] {
        let came = desk.local("x.txt", &path).err().map(|error| error.to_string()).unwrap_or_default();
        assert_eq!(came, told, "{path:?}");
    }
}

#[test]
fn the_first_root_that_has_the_file_is_meant_and_a_root_that_is_gone_is_none() {
    let desk = Desk::new();
    let other = tempfile::tempdir().unwrap();
    fs::write(desk.work("both.txt"), "first").unwrap();
    fs::write(other.path().join("both.txt"), "second").unwrap();
    fs::write(other.path().join("one.txt"), "only here").unwrap();
    symlink(other.path().join("one.txt"), desk.work("across")).unwrap();
    let roots = ImportRoots::open([desk.work("").as_path(), desk.work("gone").as_path(), other.path()]);
    let save = |path: &str| {
        let request = WriteRequest { filename: "x", mime_type: None, source: Source::LocalPath { path } };
        desk.bytes(&desk.files.write(request, &roots, &BUDGET).unwrap())
    };
    assert_eq!(save("both.txt"), b"first");
    assert_eq!(save("one.txt"), b"only here");
    assert_eq!(save("across"), b"only here");
    assert_eq!(save(other.path().join("both.txt").to_str().unwrap()), b"second");

    let none = ImportRoots::open([desk.work("gone").as_path()]);
    let request = WriteRequest { filename: "x", mime_type: None, source: Source::LocalPath { path: "a" } };
    assert!(matches!(desk.files.write(request, &none, &BUDGET), Err(WriteError::Outside)));
}

#[test]
fn a_root_that_is_a_link_is_the_folder_it_leads_to_under_every_spelling() {
    let desk = Desk::new();
    fs::write(desk.work("a.txt"), "text").unwrap();
    let link = desk.dir.path().join("link");
    symlink(desk.work(""), &link).unwrap();
    let real = desk.work("").canonicalize().unwrap();
    let roots = ImportRoots::open([link.as_path()]);
    let mut results = Vec::new();
    for path in [
        link.join("a.txt").to_str().unwrap().to_owned(),
        real.join("a.txt").to_str().unwrap().to_owned(),
        format!("{}/./a.txt", link.display()),
        format!("{}//a.txt", real.display()),
        "./a.txt".to_owned(),
    ] {
        let request =
            WriteRequest { filename: "x", mime_type: None, source: Source::LocalPath { path: &path } };
        let saved = desk.files.write(request, &roots, &BUDGET).unwrap();
        let SavedSource::LocalPath { path } = saved.source else { panic!("a local path") };
        assert_eq!(path, real.join("a.txt").to_str().unwrap());
        results.push(saved.result_id);
    }
    results.dedup();
    assert_eq!(results.len(), 1, "one file is one result");
}

#[test]
fn what_is_put_in_a_files_place_after_it_was_opened_is_not_saved() {
    let desk = Desk::new();
    fs::write(desk.work("a.txt"), "meant").unwrap();
    let roots = desk.roots();
    let opened = roots.file("a.txt").unwrap();
    fs::remove_file(desk.work("a.txt")).unwrap();
    fs::write(desk.dir.path().join("secret"), "secret").unwrap();
    symlink(desk.dir.path().join("secret"), desk.work("a.txt")).unwrap();
    assert_eq!(std::io::read_to_string(opened.file).unwrap(), "meant");
    assert!(roots.file("a.txt").is_err());
}

#[test]
fn a_session_whose_folder_was_replaced_by_a_link_saves_nothing_there() {
    let desk = Desk::new();
    let elsewhere = tempfile::tempdir().unwrap();
    fs::create_dir_all(elsewhere.path().join(".pending")).unwrap();
    fs::copy(desk.kept(".pending/current-run.json"), elsewhere.path().join(".pending/current-run.json"))
        .unwrap();
    fs::remove_dir_all(desk.kept("")).unwrap();
    symlink(elsewhere.path(), desk.kept("").to_str().unwrap().trim_end_matches('/')).unwrap();
    assert!(matches!(desk.inline("x", "y"), Err(WriteError::Io(_))));
    assert!(desk.files.close(&desk.run, super::WAIT).is_err());
    assert!(desk.files.left().is_err());
}

#[test]
fn a_project_that_is_no_folder_name_has_no_files() {
    let desk = Desk::new();
    let session = "ses_s".parse().unwrap();
    for bad in ["", ".", "..", "a/b", ".blobs", "prj p", "prj\0", "é"] {
        assert!(desk.store.session(bad, &session).is_none(), "{bad:?}");
    }
    assert!(desk.store.session("default-project", &session).is_some());
    for sha256 in ["", "..", "../../x", &"A".repeat(64), &"0".repeat(63)] {
        assert!(desk.store.open_bytes("prj_p", sha256, |_| false).is_err(), "{sha256:?}");
    }
}

#[test]
fn a_run_that_is_named_by_nobody_but_the_daemon_is_the_only_one() {
    let desk = Desk::new();
    for forged in ["{\"runId\":\"../../x\"}", "{\"runId\":\"artifact-run-1-1/..\"}", "{}", "", "[]", "\u{0}"]
    {
        fs::write(desk.kept(".pending/current-run.json"), forged).unwrap();
        let refused = desk.files.write(inline("x", "y"), &desk.roots(), &BUDGET);
        assert!(matches!(refused, Err(WriteError::NotActive)), "{forged:?}");
    }
}
