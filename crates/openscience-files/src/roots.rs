//! May the agent of a session touch this file, and which file is that really?
//!
//! Links are followed first and the place they lead to is judged; then it is opened below its root and
//! nowhere else, so that a link put there meanwhile leads nowhere. Whether somebody allows it is decided elsewhere.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};
use rustix::fs::OFlags;

/// Longest file that is read or written for an agent.
pub const FILE_BYTES_MAX: usize = 16 << 20;

/// Why a file was not read or written. Says nothing of what lies outside.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("the path is not absolute")]
    Relative,
    #[error("the path lies outside the directories of this session")]
    Outside,
    #[error("there is no such file")]
    NotFound,
    #[error("it is not a regular file")]
    NotAFile,
    #[error("it is not a directory")]
    NotADirectory,
    #[error("the file is larger than 16 MiB")]
    TooLarge,
    #[error("the file is not UTF-8 text")]
    NotText,
    #[error("the file cannot be read or written")]
    Io(#[source] io::Error),
}

/// Directories that an agent may read and write in.
#[derive(Debug, Clone, Default)]
pub struct Roots {
    read: Vec<PathBuf>,
    write: Vec<PathBuf>,
}

/// Where a path leads.
#[derive(Debug)]
struct Place<'a> {
    root: &'a Path,
    /// Below the root, without links as far as it exists.
    path: PathBuf,
    exists: bool,
}

impl Roots {
    /// What may be written may be read. A directory that does not exist is none.
    pub fn new(read: &[PathBuf], write: &[PathBuf]) -> Self {
        let existing = |paths: &[PathBuf]| paths.iter().filter_map(|path| path.canonicalize().ok()).collect();
        let write: Vec<PathBuf> = existing(write);
        let mut readable: Vec<PathBuf> = existing(read);
        readable.extend(write.iter().cloned());
        Self { read: readable, write }
    }

    /// Says why a file cannot be read, as far as its place tells.
    pub fn may_read(&self, path: &Path) -> Result<(), FileError> {
        locate(&self.read, path)?.exists.then_some(()).ok_or(FileError::NotFound)
    }

    /// Says why a file cannot be written, as far as its place tells.
    pub fn may_write(&self, path: &Path) -> Result<(), FileError> {
        locate(&self.write, path).map(|_| ())
    }

    /// The real directory of that path, which may be worked in.
    pub fn directory(&self, path: &Path) -> Result<PathBuf, FileError> {
        let place = locate(&self.read, path)?;
        let real = place.root.join(&place.path);
        if real.is_dir() { Ok(real) } else { Err(FileError::NotADirectory) }
    }

    /// The text of a file: from its `line`, 1 the first, at most `limit` lines.
    pub fn read_text(&self, path: &Path, line: Option<u32>, limit: Option<u32>) -> Result<String, FileError> {
        let place = locate(&self.read, path)?;
        if !place.exists {
            return Err(FileError::NotFound);
        }
        if place.path.as_os_str().is_empty() {
            return Err(FileError::NotAFile);
        }
        let root = Dir::open_ambient_dir(place.root, ambient_authority()).map_err(failed)?;
        let mut options = OpenOptions::new();
        // A pipe must not hold us up, and what has become a link meanwhile is not followed.
        options.read(true).custom_flags((OFlags::NONBLOCK | OFlags::NOFOLLOW).bits().cast_signed());
        let file = root.open_with(&place.path, &options).map_err(failed)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(FileError::NotAFile);
        }
        if metadata.len() > FILE_BYTES_MAX as u64 {
            return Err(FileError::TooLarge);
        }
        let mut bytes = Vec::new();
        // It may have grown.
        file.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() > FILE_BYTES_MAX {
            return Err(FileError::TooLarge);
        }
        let text = String::from_utf8(bytes).map_err(|_| FileError::NotText)?;
        Ok(lines(text, line, limit))
    }

    /// Writes a file as a whole: whoever reads it sees the old text or the new one. Makes the file and
    /// the directories it is in; the mode of an existing one stays.
    pub fn write_text(&self, path: &Path, text: &str) -> Result<(), FileError> {
        if text.len() > FILE_BYTES_MAX {
            return Err(FileError::TooLarge);
        }
        let place = locate(&self.write, path)?;
        let name = place.path.file_name().ok_or(FileError::NotAFile)?;
        let root = Dir::open_ambient_dir(place.root, ambient_authority()).map_err(failed)?;
        let folder = match place.path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
            Some(parent) => {
                if !place.exists {
                    root.create_dir_all(parent).map_err(failed)?;
                }
                root.open_dir(parent).map_err(failed)?
            }
            None => root,
        };
        let mode = match folder.symlink_metadata(name) {
            Ok(metadata) if !metadata.is_file() => return Err(FileError::NotAFile),
            Ok(metadata) => Some(metadata.permissions()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed(error)),
        };
        let new = temporary_name();
        let written = || {
            let mut file = folder.open_with(&new, OpenOptions::new().write(true).create_new(true))?;
            file.write_all(text.as_bytes())?;
            if let Some(mode) = mode {
                file.set_permissions(mode)?;
            }
            file.sync_all()?;
            folder.rename(&new, &folder, name)
        };
        written().map_err(|error| {
            // Nothing more can be done about it.
            folder.remove_file(&new).ok();
            failed(error)
        })
    }
}

/// Finds where a path leads, and the root that is below.
fn locate<'a>(roots: &'a [PathBuf], path: &Path) -> Result<Place<'a>, FileError> {
    if !path.is_absolute() {
        return Err(FileError::Relative);
    }
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = path;
    let mut real = loop {
        match existing.canonicalize() {
            Ok(real) => break real,
            // A link to nothing is not nothing, and a directory that cannot be entered hides anything.
            Err(_) if existing.symlink_metadata().is_ok() => return Err(FileError::Outside),
            Err(_) => {}
        }
        // What leads upwards out of something that is not there leads nowhere.
        let step = existing.components().next_back();
        let (Some(Component::Normal(name)), Some(parent)) = (step, existing.parent()) else {
            return Err(FileError::Outside);
        };
        missing.push(name.to_owned());
        existing = parent;
    };
    let exists = missing.is_empty();
    real.extend(missing.iter().rev());
    let below = |root: &'a PathBuf| Some((root.as_path(), real.strip_prefix(root).ok()?));
    let (root, below) = roots.iter().find_map(below).ok_or(FileError::Outside)?;
    Ok(Place { root, path: below.to_owned(), exists })
}

/// A part of a text by lines, each with its end.
fn lines(text: String, line: Option<u32>, limit: Option<u32>) -> String {
    if line.is_none_or(|line| line <= 1) && limit.is_none() {
        return text;
    }
    let count = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let skipped = count(line.unwrap_or(1).max(1)) - 1;
    text.split_inclusive('\n').skip(skipped).take(limit.map_or(usize::MAX, count)).collect()
}

/// A name nobody else uses: by process and count.
fn temporary_name() -> String {
    static LAST: AtomicU64 = AtomicU64::new(0);
    format!(".openscience-{}-{}.tmp", std::process::id(), LAST.fetch_add(1, Ordering::Relaxed))
}

fn failed(error: io::Error) -> FileError {
    match error.kind() {
        io::ErrorKind::NotFound => FileError::NotFound,
        io::ErrorKind::IsADirectory => FileError::NotAFile,
        _ => FileError::Io(error),
    }
}

#[cfg(test)]
mod tests;
