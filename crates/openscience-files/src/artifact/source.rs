//! Which file does an agent mean by a path, and may it be copied?
//!
//! A path is opened below the handle of an allowed root, so nothing that is swapped between looking and opening can
//! lead out of it. What a path is called says nothing; where the opened file is does.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt as _};

use super::WriteError;

/// Folders that files may be copied from; a relative path is looked for in each, in order.
#[derive(Debug)]
pub struct ImportRoots(Vec<Root>);

#[derive(Debug)]
struct Root {
    /// As it was given: it may lead through links.
    given: PathBuf,
    /// Where it is.
    real: PathBuf,
    dir: Dir,
}

/// A regular file, open.
#[derive(Debug)]
pub(super) struct Opened {
    pub file: File,
    /// Where it is.
    pub real: PathBuf,
}

/// What came of one way to open a file.
enum Attempt {
    Opened(Opened),
    /// There is no such file.
    Missing,
    /// The way leads out of the root, or may not be gone.
    Elsewhere,
}

impl ImportRoots {
    /// Opens the folders. One that is not there is no root.
    pub fn open<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Self {
        let open = |path: &Path| {
            let real = path.canonicalize().ok()?;
            let dir = Dir::open_ambient_dir(&real, ambient_authority()).ok()?;
            Some(Root { given: path.to_owned(), real, dir })
        };
        Self(paths.into_iter().filter_map(open).collect())
    }

    /// The file of that path.
    pub(super) fn file(&self, path: &str) -> Result<Opened, WriteError> {
        if self.0.is_empty() {
            return Err(WriteError::Outside);
        }
        let path = Path::new(path);
        let mut missing = false;
        for root in &self.0 {
            let below = if path.is_absolute() {
                path.strip_prefix(&root.given).or_else(|_| path.strip_prefix(&root.real)).ok()
            } else {
                Some(path)
            };
            let Some(below) = below else { continue };
            match root.attempt(below)? {
                Attempt::Opened(opened) => return Ok(opened),
                Attempt::Missing => missing = true,
                Attempt::Elsewhere => {}
            }
        }
        match self.by_real_path(path)? {
            Some(opened) => Ok(opened),
            None if missing => Err(WriteError::Missing),
            None => Err(WriteError::Outside),
        }
    }

    /// A way that leads through links of its own, perhaps from one root into another.
    fn by_real_path(&self, path: &Path) -> Result<Option<Opened>, WriteError> {
        for base in &self.0 {
            let Ok(real) = base.real.join(path).canonicalize() else { continue };
            for root in &self.0 {
                let Ok(below) = real.strip_prefix(&root.real) else { continue };
                if let Attempt::Opened(opened) = root.attempt(below)? {
                    return Ok(Some(opened));
                }
            }
        }
        Ok(None)
    }
}

impl Root {
    fn attempt(&self, below: &Path) -> Result<Attempt, WriteError> {
        // Without a trailing slash and dots that mean nothing.
        let below: PathBuf = below.components().collect();
        if below.as_os_str().is_empty() {
            return Err(WriteError::NotAFile);
        }
        let nonblocking = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
        let options = OpenOptions::new().read(true).custom_flags(nonblocking).clone();
        let file = match self.dir.open_with(&below, &options) {
            Ok(file) => file.into_std(),
            Err(error) => return refused(&error),
        };
        if !file.metadata().map_err(WriteError::from)?.is_file() {
            return Err(WriteError::NotAFile);
        }
        // Names the source and nothing else: the bytes are those of the open file.
        let real = self.dir.canonicalize(&below).unwrap_or(below);
        Ok(Attempt::Opened(Opened { file, real: self.real.join(real) }))
    }
}

fn refused(error: &io::Error) -> Result<Attempt, WriteError> {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Ok(Attempt::Missing),
        io::ErrorKind::OutOfMemory | io::ErrorKind::Interrupted => Err(WriteError::Unreadable),
        _ => Ok(Attempt::Elsewhere),
    }
}
