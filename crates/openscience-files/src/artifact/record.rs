//! What a run has saved: one line for each accepted write, appended and synced.
//!
//! A write is accepted when its line is whole. A line that a crash cut off never was one.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use cap_std::fs::Dir;
use openscience_protocol::artifact::SavedFile;

use crate::dir;

/// Beside the files; no artifact begins with a dot.
pub(super) const RECORDS: &str = ".records";

/// Every accepted write of the run, oldest first, with what later ones replaced.
pub(super) fn read(saved: &Dir) -> io::Result<Vec<SavedFile>> {
    let Some(mut file) = dir::find_file(saved, RECORDS)? else { return Ok(Vec::new()) };
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let mut files: Vec<SavedFile> = Vec::new();
    let mut lines = text.split(|byte| *byte == b'\n');
    // What stands behind the last newline is not whole.
    lines.next_back();
    for line in lines {
        if let Ok(record) = serde_json::from_slice::<SavedFile>(line) {
            files.push(SavedFile { replaced: false, ..record });
        }
    }
    let mut seen = std::collections::HashSet::new();
    for file in files.iter_mut().rev() {
        file.replaced = !seen.insert(file.name.clone());
    }
    Ok(files)
}

/// Adds a line; durable when it returns. A line that was cut off goes first.
pub(super) fn append(saved: &Dir, record: &SavedFile) -> io::Result<()> {
    let known = dir::exists(saved, RECORDS)?;
    let mut file = dir::open_or_make(saved, RECORDS)?;
    let whole = whole_bytes(&mut file)?;
    file.set_len(whole)?;
    file.seek(SeekFrom::Start(whole))?;
    let mut line = serde_json::to_vec(record)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_all()?;
    if known { Ok(()) } else { dir::sync(saved) }
}

/// Bytes up to the last newline.
fn whole_bytes(file: &mut File) -> io::Result<u64> {
    /// Longer than a record can be.
    const TAIL: u64 = 64 << 10;
    let size = file.seek(SeekFrom::End(0))?;
    let from = size.saturating_sub(TAIL);
    file.seek(SeekFrom::Start(from))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let end = tail.iter().rposition(|byte| *byte == b'\n');
    Ok(end.map_or(if from == 0 { 0 } else { size }, |end| from + end as u64 + 1))
}
