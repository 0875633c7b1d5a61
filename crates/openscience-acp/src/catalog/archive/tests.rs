//! Archives that a person would not want unpacked, and those they would.

use std::io::{Seek as _, Write as _};
use std::os::unix::fs::PermissionsExt as _;

use tempfile::TempDir;

use super::*;

const SMALL: Bounds = Bounds { entries: 3, file_bytes: 10, total_bytes: 15 };

/// An entry: its path, what it is, its content.
type Item<'a> = (&'a str, ::tar::EntryType, &'a [u8]);

const FILE: ::tar::EntryType = ::tar::EntryType::Regular;
const FOLDER: ::tar::EntryType = ::tar::EntryType::Directory;

fn tar_of(items: &[Item<'_>]) -> Vec<u8> {
    let mut builder = ::tar::Builder::new(Vec::new());
    for (path, kind, content) in items {
        let mut header = ::tar::Header::new_gnu();
        header.set_entry_type(*kind);
        header.set_size(content.len() as u64);
        header.set_mode(0o755);
        header.set_link_name("/etc/passwd").unwrap();
        // Names that the builder would refuse are what this is about.
        header.as_old_mut().name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        builder.append(&header, *content).unwrap();
    }
    builder.into_inner().unwrap()
}

fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zip_of(items: &[(&str, u32, &[u8])]) -> Vec<u8> {
    let mut writer = ::zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    for (path, mode, content) in items {
        let options = ::zip::write::SimpleFileOptions::default().unix_permissions(*mode);
        writer.start_file(*path, options).unwrap();
        writer.write_all(content).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

fn file_of(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file.rewind().unwrap();
    file
}

fn unpacked(kind: Kind, bytes: &[u8], bounds: Bounds) -> Result<TempDir, ArchiveError> {
    let folder = TempDir::new().unwrap();
    unpack(kind, file_of(bytes), folder.path(), "program", bounds).map(|()| folder)
}

fn from_tar(items: &[Item<'_>]) -> Result<TempDir, ArchiveError> {
    unpacked(Kind::TarGz, &gz(&tar_of(items)), SMALL)
}

fn mode(path: &Path) -> u32 {
    path.metadata().unwrap().permissions().mode() & 0o777
}

#[test]
fn files_and_folders_are_unpacked_for_their_owner_alone() {
    let items = [("a/", FOLDER, &b""[..]), ("a/run", FILE, b"#!"), ("./b", FILE, b"text")];
    let mut bz2 = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
    bz2.write_all(&tar_of(&items)).unwrap();
    let zip = zip_of(&[("a/run", 0o755, b"#!"), ("b", 0o644, b"text")]);
    for (kind, bytes) in
        [(Kind::TarGz, gz(&tar_of(&items))), (Kind::TarBz2, bz2.finish().unwrap()), (Kind::Zip, zip)]
    {
        let folder = unpacked(kind, &bytes, SMALL).unwrap();
        assert_eq!(std::fs::read(folder.path().join("a/run")).unwrap(), b"#!", "{kind:?}");
        assert_eq!(std::fs::read(folder.path().join("b")).unwrap(), b"text", "{kind:?}");
        assert_eq!(mode(&folder.path().join("a/run")), 0o700, "{kind:?}");
        assert_eq!(mode(&folder.path().join("a")), 0o700, "{kind:?}");
    }
    let folder = unpacked(Kind::Program, b"#!", SMALL).unwrap();
    assert_eq!(mode(&folder.path().join("program")), 0o700);
}

#[test]
fn nothing_is_written_outside_of_the_folder() {
    for path in ["../up", "a/../../up", "/abs", "a/../b", "..", "a\\..\\..\\up"] {
        assert!(matches!(from_tar(&[(path, FILE, b"x")]), Err(ArchiveError::Outside)), "{path}");
        assert!(matches!(from_tar(&[(path, FOLDER, b"")]), Err(ArchiveError::Outside)), "{path}");
        let zip = zip_of(&[(path, 0o644, b"x")]);
        assert!(matches!(unpacked(Kind::Zip, &zip, SMALL), Err(ArchiveError::Outside)), "{path}");
    }
}

#[test]
fn links_and_other_things_refuse_the_archive() {
    use ::tar::EntryType::{Block, Char, Fifo, Link, Symlink};
    for kind in [Symlink, Link, Fifo, Char, Block] {
        let archive = from_tar(&[("ok", FILE, b"x"), ("l", kind, b"")]);
        assert!(matches!(archive, Err(ArchiveError::Special)), "{kind:?}");
    }
    let mut writer = ::zip::ZipWriter::new(io::Cursor::new(Vec::new()));
    writer.add_symlink("l", "/etc/passwd", ::zip::write::SimpleFileOptions::default()).unwrap();
    let zip = writer.finish().unwrap().into_inner();
    assert!(matches!(unpacked(Kind::Zip, &zip, SMALL), Err(ArchiveError::Special)));
}

#[test]
fn two_entries_of_one_name_and_a_file_in_place_of_a_folder_are_refused() {
    assert!(matches!(from_tar(&[("a", FILE, b"x"), ("./a", FILE, b"y")]), Err(ArchiveError::Twice)));
    assert!(matches!(from_tar(&[("a", FILE, b"x"), ("a/b", FILE, b"y")]), Err(ArchiveError::Io(_))));
    assert!(matches!(from_tar(&[("a/b", FILE, b"x"), ("a", FILE, b"y")]), Err(ArchiveError::Twice)));
}

#[test]
fn what_is_too_much_is_refused() {
    let exact = [("a", FILE, &[0; 10][..]), ("b", FILE, &[0; 5]), ("c/", FOLDER, b"")];
    from_tar(&exact).unwrap();
    let large = [("a", FILE, &[0; 11][..])];
    assert!(matches!(from_tar(&large), Err(ArchiveError::File(10))));
    let all = [("a", FILE, &[0; 10][..]), ("b", FILE, &[0; 6])];
    assert!(matches!(from_tar(&all), Err(ArchiveError::Total(15))));
    let many = [("a", FILE, &b""[..]), ("b", FILE, b""), ("c", FILE, b""), ("d", FILE, b"")];
    assert!(matches!(from_tar(&many), Err(ArchiveError::Entries(3))));
    // Whatever its directory says of sizes.
    let zip = zip_of(&[("a", 0o644, &[0; 11])]);
    assert!(matches!(unpacked(Kind::Zip, &zip, SMALL), Err(ArchiveError::File(10))));
    assert!(matches!(unpacked(Kind::Program, &[0; 11], SMALL), Err(ArchiveError::File(10))));
}

#[test]
fn a_damaged_archive_is_told_as_such() {
    let whole = gz(&tar_of(&[("a", FILE, b"x")]));
    let half = whole.get(..whole.len() / 2).unwrap();
    assert!(matches!(unpacked(Kind::TarGz, half, SMALL), Err(ArchiveError::Damaged(_))));
    for kind in [Kind::TarGz, Kind::TarBz2, Kind::Zip] {
        assert!(matches!(unpacked(kind, b"<html>", SMALL), Err(ArchiveError::Damaged(_))), "{kind:?}");
    }
}

#[test]
fn the_end_of_its_address_tells_what_an_archive_is() {
    let check = |url: &str, kind| assert_eq!(Kind::of(url), kind, "{url}");
    check("https://a.example/x.tar.gz", Some(Kind::TarGz));
    check("https://a.example/X.TGZ?sig=a.zip", Some(Kind::TarGz));
    check("https://a.example/x.tar.bz2", Some(Kind::TarBz2));
    check("https://a.example/x.tbz2", Some(Kind::TarBz2));
    check("https://a.example/x.zip#y", Some(Kind::Zip));
    check("https://a.example/releases/agent-linux", Some(Kind::Program));
    check("https://a.example/x.deb", None);
    check("https://a.example/x.AppImage", None);
    check("https://a.example/x.tar.xz", None);
}
