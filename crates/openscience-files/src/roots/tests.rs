use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};

use tempfile::TempDir;

use super::*;

/// A project and a scratch folder of one session, and what lies outside.
struct World {
    _folder: TempDir,
    project: PathBuf,
    scratch: PathBuf,
    outside: PathBuf,
}

fn world() -> World {
    let folder = TempDir::new().unwrap();
    let root = folder.path().canonicalize().unwrap();
    let [project, scratch, outside] = ["project", "scratch", "outside"].map(|name| root.join(name));
    for path in [&project, &scratch, &outside] {
        fs::create_dir(path).unwrap();
    }
    fs::write(outside.join("secret"), "secret").unwrap();
    World { _folder: folder, project, scratch, outside }
}

impl World {
    /// As in an isolated session: the project is only read.
    fn roots(&self) -> Roots {
        Roots::new(std::slice::from_ref(&self.project), std::slice::from_ref(&self.scratch))
    }
}

fn read(roots: &Roots, path: &Path) -> Result<String, FileError> {
    roots.read_text(path, None, None)
}

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T, FileError>, says: &str) {
    let error = result.unwrap_err();
    assert!(error.to_string().contains(says), "{error}");
    assert!(!error.to_string().contains('/'), "{error}");
}

#[test]
fn files_are_read_in_both_and_written_in_the_scratch_folder_alone() {
    let world = world();
    let roots = world.roots();
    fs::write(world.project.join("a"), "of the project").unwrap();
    roots.write_text(&world.scratch.join("b"), "of the session").unwrap();
    assert_eq!(read(&roots, &world.project.join("a")).unwrap(), "of the project");
    assert_eq!(read(&roots, &world.scratch.join("b")).unwrap(), "of the session");
    refused(roots.write_text(&world.project.join("a"), "x"), "outside");
    refused(read(&roots, &world.outside.join("secret")), "outside");
    refused(read(&roots, &world.outside.join("nothing")), "outside");
    refused(roots.may_write(&world.project.join("new")), "outside");
    refused(read(&roots, Path::new("a")), "not absolute");
    refused(read(&roots, &world.project.join("none")), "no such file");
}

#[test]
fn no_link_and_no_step_upwards_leads_outside() {
    let world = world();
    let roots = world.roots();
    let inside = |name: &str| world.scratch.join(name);
    symlink(&world.outside, inside("folder")).unwrap();
    symlink(world.outside.join("secret"), inside("file")).unwrap();
    symlink(world.outside.join("to come"), inside("dangling")).unwrap();
    for path in
        ["folder/secret", "file", "folder/new", "dangling", "../outside/secret", "no/../../outside/secret"]
    {
        assert!(read(&roots, &inside(path)).is_err(), "{path}");
        assert!(roots.write_text(&inside(path), "x").is_err(), "{path}");
    }
    assert_eq!(fs::read_to_string(world.outside.join("secret")).unwrap(), "secret");
    assert!(!world.outside.join("to come").exists() && !world.outside.join("new").exists());
}

#[test]
fn a_link_that_stays_inside_is_followed_and_stays_a_link() {
    let world = world();
    let roots = world.roots();
    roots.write_text(&world.scratch.join("real"), "1").unwrap();
    symlink(world.scratch.join("real"), world.scratch.join("link")).unwrap();
    roots.write_text(&world.scratch.join("link"), "2").unwrap();
    assert_eq!(read(&roots, &world.scratch.join("link")).unwrap(), "2");
    assert!(world.scratch.join("link").symlink_metadata().unwrap().is_symlink());
    assert_eq!(fs::read_to_string(world.scratch.join("real")).unwrap(), "2");
}

#[test]
fn a_file_is_made_with_its_directories_and_keeps_its_mode() {
    let world = world();
    let roots = world.roots();
    let deep = world.scratch.join("a/b/c.sh");
    roots.write_text(&deep, "1").unwrap();
    fs::set_permissions(&deep, fs::Permissions::from_mode(0o751)).unwrap();
    roots.write_text(&deep, "2").unwrap();
    assert_eq!(fs::read_to_string(&deep).unwrap(), "2");
    assert_eq!(fs::metadata(&deep).unwrap().permissions().mode() & 0o777, 0o751);
    let left: Vec<_> = fs::read_dir(deep.parent().unwrap()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing else is left");
    refused(roots.write_text(&world.scratch.join("a"), "x"), "not a regular file");
    refused(roots.write_text(&world.scratch, "x"), "not a regular file");
    refused(roots.write_text(&world.scratch.join("a/b/c.sh/d"), "x"), "cannot be read or written");
}

#[test]
fn what_is_no_text_file_of_bounded_size_is_refused_at_once() {
    let world = world();
    let roots = world.roots();
    let path = |name: &str| world.scratch.join(name);
    fs::write(path("bytes"), [0xff, 0xfe]).unwrap();
    refused(read(&roots, &path("bytes")), "not UTF-8");
    fs::File::create(path("sparse")).unwrap().set_len(FILE_BYTES_MAX as u64 + 1).unwrap();
    refused(read(&roots, &path("sparse")), "larger than 16 MiB");
    refused(roots.write_text(&path("large"), &"x".repeat(FILE_BYTES_MAX + 1)), "larger than 16 MiB");
    refused(read(&roots, &world.scratch), "not a regular file");
    rustix::fs::mknodat(rustix::fs::CWD, path("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    refused(read(&roots, &path("pipe")), "not a regular file");
}

#[test]
fn a_part_is_read_by_lines() {
    let world = world();
    let roots = world.roots();
    let path = world.scratch.join("lines");
    fs::write(&path, "one\ntwo\r\nthree").unwrap();
    let check = |line, limit, expected: &str| {
        assert_eq!(roots.read_text(&path, line, limit).unwrap(), expected, "{line:?} {limit:?}");
    };
    check(None, None, "one\ntwo\r\nthree");
    check(Some(0), None, "one\ntwo\r\nthree");
    check(Some(2), None, "two\r\nthree");
    check(Some(2), Some(1), "two\r\n");
    check(None, Some(2), "one\ntwo\r\n");
    check(Some(3), Some(9), "three");
    check(Some(4), None, "");
    check(None, Some(0), "");
}

#[test]
fn a_directory_to_work_in_is_one_that_may_be_read() {
    let world = world();
    let roots = world.roots();
    assert_eq!(roots.directory(&world.project).unwrap(), world.project);
    assert_eq!(roots.directory(&world.scratch.join(".")).unwrap(), world.scratch);
    refused(roots.directory(&world.outside), "outside");
    refused(roots.directory(&world.project.join("none")), "not a directory");
}
