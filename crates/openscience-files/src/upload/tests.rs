use super::*;

const DIGEST_OF_ABCDEF: &str = "bef57ec7f53a6d40beb640a780a639c83bc29ac8a9816f1fc6c5c6dcd93c4721";

struct Folder {
    _root: tempfile::TempDir,
    uploads: Uploads,
}

fn folder_of(bytes_max: u64) -> Folder {
    let root = tempfile::tempdir().unwrap();
    let uploads = Uploads::new(root.path().join("uploads"), bytes_max, 0);
    Folder { _root: root, uploads }
}

fn id(name: &str) -> UploadId {
    format!("upl_{name}").parse().unwrap()
}

fn new(name: &str, size: Option<u64>) -> NewUpload {
    NewUpload { id: id(name), filename: "a b.csv".into(), mime: String::new(), size, now: 1_000 }
}

/// One that is whole.
fn put(uploads: &Uploads, name: &str, bytes: &[u8]) -> Upload {
    let mut writer = uploads.begin(new(name, None)).unwrap();
    writer.write(bytes).unwrap();
    writer.finish(true, 1_000).unwrap()
}

fn names(uploads: &Uploads) -> Vec<String> {
    uploads.list(10).unwrap().into_iter().map(|upload| upload.id.to_string()).collect()
}

#[test]
fn a_file_in_pieces_is_whole_when_it_has_its_size() {
    let Folder { uploads, _root } = folder_of(100);
    let mut writer = uploads.begin(new("a", Some(6))).unwrap();
    writer.write(b"abc").unwrap();
    let first = writer.finish(true, 1_000).unwrap();
    assert_eq!((first.size, first.offset, &first.sha256), (6, 3, &None));
    assert_eq!((first.mime.as_str(), first.url.as_str()), ("text/csv", "upload:upl_a"));
    assert!(matches!(uploads.seal(&id("a"), 2_000), Err(UploadError::Incomplete)));

    assert!(matches!(uploads.resume(&id("a"), 2), Err(UploadError::Offset { at: 3 })));
    let mut writer = uploads.resume(&id("a"), 3).unwrap();
    writer.write(b"def").unwrap();
    assert!(matches!(writer.write(b"g"), Err(UploadError::TooLarge { limit: 6, size: 7 })));
    let whole = writer.finish(true, 1_000).unwrap();
    assert_eq!((whole.offset, whole.sha256.as_deref()), (6, Some(DIGEST_OF_ABCDEF)));
    assert_eq!(uploads.look(&id("a")).unwrap(), whole);
}

#[test]
fn a_file_whose_size_was_not_said_may_go_on_until_it_is_used() {
    let Folder { uploads, _root } = folder_of(100);
    let first = put(&uploads, "a", b"abc");
    assert!(first.sha256.is_some());
    let mut writer = uploads.resume(&id("a"), 3).unwrap();
    writer.write(b"def").unwrap();
    assert_eq!(writer.finish(true, 1_000).unwrap().sha256.as_deref(), Some(DIGEST_OF_ABCDEF));
    let sealed = uploads.seal(&id("a"), 2_000).unwrap();
    assert_eq!(fs::read(&sealed.path).unwrap(), b"abcdef");
    assert_eq!(sealed.path.file_name().unwrap(), "a b.csv");
    assert!(matches!(uploads.resume(&id("a"), 6), Err(UploadError::Sealed)));
    assert_eq!(uploads.look(&id("a")).unwrap().offset, 6);
}

#[test]
fn what_was_cut_off_is_kept_and_not_taken_for_whole() {
    let Folder { uploads, _root } = folder_of(100);
    let mut writer = uploads.begin(new("a", None)).unwrap();
    writer.write(b"abc").unwrap();
    // A crash: nobody finishes it.
    drop(writer);
    let found = uploads.look(&id("a")).unwrap();
    assert_eq!((found.offset, &found.sha256), (3, &None));
    let mut writer = uploads.resume(&id("a"), 3).unwrap();
    writer.write(b"d").unwrap();
    let cut = writer.finish(false, 1_000).unwrap();
    assert_eq!((cut.offset, &cut.sha256), (4, &None));
    let mut writer = uploads.resume(&id("a"), 4).unwrap();
    writer.write(b"ef").unwrap();
    assert_eq!(writer.finish(true, 1_000).unwrap().sha256.as_deref(), Some(DIGEST_OF_ABCDEF));
}

#[test]
fn a_crash_while_a_whole_file_grows_leaves_no_digest_of_what_it_was() {
    let Folder { uploads, _root } = folder_of(100);
    put(&uploads, "a", b"abc");
    let mut writer = uploads.resume(&id("a"), 3).unwrap();
    writer.write(b"d").unwrap();
    drop(writer);
    assert_eq!(uploads.look(&id("a")).unwrap().sha256, None);
    assert!(matches!(uploads.seal(&id("a"), 2_000), Err(UploadError::Incomplete)));
}

#[test]
fn only_one_writes_at_a_time() {
    let Folder { uploads, _root } = folder_of(100);
    let writer = uploads.begin(new("a", None)).unwrap();
    assert!(matches!(uploads.resume(&id("a"), 0), Err(UploadError::Busy)));
    drop(writer);
    assert!(uploads.resume(&id("a"), 0).is_ok());
}

#[test]
fn the_limit_is_the_largest_that_is_taken() {
    let Folder { uploads, _root } = folder_of(3);
    let too_large = uploads.begin(new("a", Some(4)));
    assert!(matches!(too_large, Err(UploadError::TooLarge { limit: 3, size: 4 })));
    assert_eq!(names(&uploads), Vec::<String>::new());
    let mut writer = uploads.begin(new("b", None)).unwrap();
    writer.write(b"abc").unwrap();
    assert!(matches!(writer.write(b"d"), Err(UploadError::TooLarge { limit: 3, size: 4 })));
    assert_eq!(writer.finish(true, 1_000).unwrap().size, 3);
    assert!(matches!(uploads.keep(b"abcd", "a", "", 1_000), Err(UploadError::TooLarge { .. })));
}

#[test]
fn a_disk_without_room_takes_nothing() {
    let root = tempfile::tempdir().unwrap();
    let uploads = Uploads::new(root.path().join("uploads"), u64::MAX, 0);
    assert!(matches!(uploads.begin(new("a", Some(u64::MAX))), Err(UploadError::Full)));
}

#[test]
fn equal_bytes_are_kept_once_whoever_brings_them() {
    let Folder { uploads, _root } = folder_of(100);
    put(&uploads, "a", b"abcdef");
    put(&uploads, "b", b"abcdef");
    let first = uploads.seal(&id("a"), 2_000).unwrap();
    let second = uploads.seal(&id("b"), 2_000).unwrap();
    let kept = uploads.keep(b"abcdef", "c.txt", "text/plain", 2_000).unwrap();
    assert_eq!(uploads.keep(b"abcdef", "d.txt", "text/html", 3_000).unwrap(), kept);
    assert_eq!(kept.id.as_str(), format!("upl_{DIGEST_OF_ABCDEF}"));
    let inode = |path: &Path| std::os::unix::fs::MetadataExt::ino(&fs::metadata(path).unwrap());
    assert_eq!(inode(&first.path), inode(&second.path));
    assert_eq!(inode(&first.path), inode(&kept.path));
    assert_eq!(entries(&uploads.root().join(BLOBS)).unwrap(), [DIGEST_OF_ABCDEF]);
    let (_, seen) = uploads.sealed_as(&kept.id, Some("../x")).unwrap();
    assert_eq!(seen.path.file_name().unwrap(), "c.txt", "a name that is no name is not used");
    let (_, seen) = uploads.sealed_as(&kept.id, Some("as asked.txt")).unwrap();
    assert_eq!(fs::read(&seen.path).unwrap(), b"abcdef");
    assert_eq!(seen.path.file_name().unwrap(), "as asked.txt");
}

#[test]
fn removing_one_leaves_the_bytes_another_has() {
    let Folder { uploads, _root } = folder_of(100);
    put(&uploads, "a", b"abcdef");
    put(&uploads, "b", b"abcdef");
    uploads.seal(&id("a"), 2_000).unwrap();
    let other = uploads.seal(&id("b"), 2_000).unwrap();
    uploads.remove(&id("a")).unwrap();
    assert!(matches!(uploads.remove(&id("a")), Err(UploadError::NotFound(_))));
    assert_eq!(fs::read(&other.path).unwrap(), b"abcdef");
    uploads.remove(&id("b")).unwrap();
    assert_eq!(entries(&uploads.root().join(BLOBS)).unwrap(), Vec::<String>::new());
}

#[test]
fn what_is_used_or_new_stays_and_the_rest_is_swept() {
    let Folder { uploads, _root } = folder_of(100);
    for name in ["used", "old", "new", "grows"] {
        put(&uploads, name, name.as_bytes());
    }
    uploads.seal(&id("used"), 1_000).unwrap();
    uploads.seal(&id("old"), 1_000).unwrap();
    uploads.seal(&id("new"), 5_000).unwrap();
    // Its record is old, its bytes are of now.
    fs::write(uploads.root().join(".new1"), "left by a crash").unwrap();
    File::open(uploads.root().join(".new1")).unwrap().set_modified(time(1_000)).unwrap();
    let blobs = uploads.root().join(BLOBS);
    for entry in entries(&blobs).unwrap() {
        File::open(blobs.join(entry)).unwrap().set_modified(time(1_000)).unwrap();
    }
    let used = HashSet::from(["upl_used".to_owned()]);
    assert_eq!(uploads.sweep(&used, time(3_000)).unwrap(), 1);
    let mut left = names(&uploads);
    left.sort();
    assert_eq!(left, ["upl_grows", "upl_new", "upl_used"]);
    assert_eq!(entries(&blobs).unwrap().len(), 2);
    assert!(!uploads.root().join(".new1").exists());
    assert_eq!(uploads.sweep(&HashSet::new(), time(6_000)).unwrap(), 2);
    assert_eq!(names(&uploads), ["upl_grows"]);
}

#[test]
fn a_folder_that_was_never_made_is_empty() {
    let Folder { uploads, _root } = folder_of(100);
    assert_eq!(names(&uploads), Vec::<String>::new());
    assert_eq!(uploads.sweep(&HashSet::new(), time(1)).unwrap(), 0);
    assert!(matches!(uploads.look(&id("a")), Err(UploadError::NotFound(_))));
}

#[test]
fn a_name_is_one_component_of_a_path() {
    for good in ["a", "a b.csv", "größe 🧬.txt", ".hidden"] {
        assert!(is_file_name(good), "{good}");
    }
    for bad in ["", ".", "..", "a/b", "/a", "a\0", "a\nb", &"a".repeat(256)] {
        assert!(!is_file_name(bad), "{bad:?}");
    }
}
