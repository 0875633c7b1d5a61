//! Does logging go on whatever the file system does, within its bound?

use std::os::unix::fs::{MetadataExt as _, symlink};

use tempfile::TempDir;

use super::*;

/// A data directory with a folder for logs, and that folder.
fn data_with_logs() -> (TempDir, PathBuf) {
    let data = tempfile::tempdir().unwrap();
    let dir = data.path().join("logs");
    fs::create_dir(&dir).unwrap();
    (data, dir)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).unwrap().len()
}

/// Makes the file so long without writing.
fn grow(path: &Path, length: u64) {
    OpenOptions::new().create(true).append(true).open(path).unwrap().set_len(length).unwrap();
}

/// An output that takes so many bytes and no more.
#[derive(Debug, Default)]
struct Disk {
    written: Vec<u8>,
    space: usize,
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = bytes.len().min(self.space);
        if fits == 0 {
            return Err(ErrorKind::StorageFull.into());
        }
        self.space -= fits;
        self.written.extend_from_slice(&bytes[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn lines_of(lines: &Lines<Disk>) -> Vec<&str> {
    std::str::from_utf8(&lines.out.written).unwrap().lines().collect()
}

#[test]
fn lines_written_before_the_file_is_open_come_first_in_it() {
    let data = tempfile::tempdir().unwrap();
    let mut log = LogFile::default();
    log.write_all(b"one\n").unwrap();
    assert!(!data.path().join("logs").exists());
    log.open(data.path()).unwrap();
    log.write_all(b"two\n").unwrap();
    let path = data.path().join("logs").join(FILE_NAME);
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\ntwo\n");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
}

#[test]
fn lines_that_found_no_place_before_the_file_was_open_are_counted_in_it() {
    let data = tempfile::tempdir().unwrap();
    let mut log = LogFile::default();
    log.write_all(b"one\n").unwrap();
    for _ in 0..3 {
        log.write_all(&vec![b'x'; WAITING_BYTES_MAX]).unwrap();
    }
    log.open(data.path()).unwrap();
    log.write_all(b"two\n").unwrap();
    let text = fs::read_to_string(data.path().join("logs").join(FILE_NAME)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let ["one", note, "two"] = lines.as_slice() else { panic!("{text}") };
    assert!(note.contains(" WARN openscience: ") && note.ends_with("lost=3"), "{note}");
}

#[test]
fn lost_lines_are_counted_and_told_once_when_writing_works_again() {
    let mut lines = Lines::new(Disk { space: 6, ..Disk::default() });
    for line in ["one\n", "two\n", "three\n"] {
        lines.put(line.as_bytes());
    }
    lines.out.space = 1_000;
    for line in ["four\n", "five\n"] {
        lines.put(line.as_bytes());
    }
    let found = lines_of(&lines);
    let ["one", "tw", note, "four", "five"] = found.as_slice() else { panic!("{found:?}") };
    assert!(note.ends_with("lost=2"), "{note}");
}

#[test]
fn a_note_that_cannot_be_written_either_stays_owed() {
    let mut lines = Lines::new(Disk::default());
    lines.put(b"one\n");
    lines.out.space = 10;
    lines.put(b"two\n");
    assert_eq!(lines.lost, 2);
    lines.out.space = 1_000;
    lines.put(b"three\n");
    let found = lines_of(&lines);
    let [torn, note, "three"] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(torn.len(), 10);
    assert!(note.ends_with("lost=2"), "{note}");
}

#[test]
fn a_full_disk_fails_nobody_who_logs() {
    let (data, dir) = data_with_logs();
    symlink("/dev/full", dir.join(FILE_NAME)).unwrap();
    let mut log = LogFile::default();
    log.write_all(b"one\n").unwrap();
    log.open(data.path()).unwrap();
    log.write_all(b"two\n").unwrap();
    log.flush().unwrap();
    let Sink::Open(current) = &*log.sink() else { panic!("not open") };
    assert_eq!(current.lines.lost, 2);
}

#[test]
fn a_long_file_is_put_aside_when_it_is_opened() {
    let (data, dir) = data_with_logs();
    grow(&dir.join(FILE_NAME), FILE_BYTES_MAX + 1);
    LogFile::default().open(data.path()).unwrap();
    assert_eq!(length(&dir.join(FILE_NAME)), 0);
    assert_eq!(length(&dir.join(ASIDE_NAME)), FILE_BYTES_MAX + 1);
}

#[test]
fn a_file_that_grows_too_long_is_put_aside_in_the_place_of_the_one_before() {
    let (data, dir) = data_with_logs();
    let (path, aside) = (dir.join(FILE_NAME), dir.join(ASIDE_NAME));
    fs::write(&aside, "of long ago").unwrap();
    grow(&path, FILE_BYTES_MAX - 6);
    let mut log = LogFile::default();
    log.open(data.path()).unwrap();
    for line in ["one\n", "two\n", "three\n"] {
        log.write_all(line.as_bytes()).unwrap();
    }
    assert_eq!(fs::read_to_string(&path).unwrap(), "three\n");
    assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
    assert_eq!(length(&aside), FILE_BYTES_MAX + 2);
    assert_eq!(fs::read_dir(&dir).unwrap().count(), 2, "one is kept");
}

#[test]
fn noise_without_end_is_bounded() {
    let (data, dir) = data_with_logs();
    let mut log = LogFile::default();
    log.open(data.path()).unwrap();
    let mut line = vec![b'x'; 1 << 20];
    line[(1 << 20) - 1] = b'\n';
    for _ in 0..40 {
        log.write_all(&line).unwrap();
    }
    assert_eq!(length(&dir.join(ASIDE_NAME)), FILE_BYTES_MAX);
    assert_eq!(length(&dir.join(FILE_NAME)), 8 << 20);
}

#[test]
fn a_file_that_cannot_be_put_aside_is_emptied_and_logging_goes_on() {
    let (data, dir) = data_with_logs();
    let path = dir.join(FILE_NAME);
    fs::create_dir(dir.join(ASIDE_NAME)).unwrap();
    grow(&path, FILE_BYTES_MAX);
    let mut log = LogFile::default();
    log.open(data.path()).unwrap();
    log.write_all(b"one\n").unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let [note, "one"] = lines.as_slice() else { panic!("{} bytes", text.len()) };
    assert!(note.contains("cannot be put aside"), "{note}");
}

#[test]
fn logging_outlives_its_directory() {
    let (data, dir) = data_with_logs();
    grow(&dir.join(FILE_NAME), FILE_BYTES_MAX - 1);
    let mut log = LogFile::default();
    log.open(data.path()).unwrap();
    fs::remove_dir_all(&dir).unwrap();
    for line in ["one\n", "two\n"] {
        log.write_all(line.as_bytes()).unwrap();
    }
    let Sink::Open(current) = &*log.sink() else { panic!("not open") };
    assert_eq!((current.lines.lost, current.room), (0, RETRY_BYTES - 4));
}

#[test]
fn a_file_that_others_have_cut_is_filled_again() {
    let (data, dir) = data_with_logs();
    let path = dir.join(FILE_NAME);
    grow(&path, FILE_BYTES_MAX - 1);
    let mut log = LogFile::default();
    log.open(data.path()).unwrap();
    File::create(&path).unwrap();
    log.write_all(b"one\n").unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "one\n");
    assert!(!dir.join(ASIDE_NAME).exists());
}
