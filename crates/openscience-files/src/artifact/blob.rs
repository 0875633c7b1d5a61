//! The bytes of every version, once, under their digest.
//!
//! A blob is written once and never changed; files of turns are links to it. Read back, it is what was saved or it is
//! an error.

use std::fs::File;
use std::io::{self, Read as _, Seek as _};
use std::os::unix::fs::MetadataExt as _;

use cap_std::fs::Dir;
use sha2::{Digest as _, Sha256};

use super::{ArtifactStore, is_segment};
use crate::dir;

const BLOBS: &str = ".blobs";

/// Read at once.
const CHUNK_BYTES: usize = 256 << 10;

/// Why the bytes of a version cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum BlobError {
    #[error("the bytes are gone")]
    Missing,
    #[error("the bytes are not those that were saved")]
    Damaged,
    #[error("the bytes cannot be read")]
    Io(#[from] io::Error),
}

/// Says that the bytes of a file were compared with their digest; holds as long as the file does not change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Verified {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl Verified {
    fn new(file: &File) -> io::Result<Self> {
        let metadata = file.metadata()?;
        Ok(Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            size: metadata.size(),
            changed: (metadata.mtime(), metadata.mtime_nsec()),
        })
    }
}

impl ArtifactStore {
    /// Opens the bytes of that digest, and compares them with it unless `known` says that this was done.
    pub fn open_bytes(
        &self,
        project: &str,
        sha256: &str,
        known: impl FnOnce(&Verified) -> bool,
    ) -> Result<(File, Verified), BlobError> {
        let shard = self.find_shard(project, sha256)?.ok_or(BlobError::Missing)?;
        let mut file = dir::find_file(&shard, sha256)?.ok_or(BlobError::Missing)?;
        let seal = Verified::new(&file)?;
        if !known(&seal) {
            if digest(&mut file)? != sha256 {
                return Err(BlobError::Damaged);
            }
            file.rewind()?;
        }
        Ok((file, seal))
    }

    /// Removes bytes that no version has any more. What links to them elsewhere stays.
    pub fn forget_bytes(&self, project: &str, sha256: &str) -> io::Result<()> {
        let Some(shard) = self.find_shard(project, sha256)? else { return Ok(()) };
        match shard.remove_file(sha256) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    fn find_shard(&self, project: &str, sha256: &str) -> io::Result<Option<Dir>> {
        let Some(name) = shard_of(sha256).filter(|_| is_segment(project)) else { return Ok(None) };
        let Some(project) = dir::find_folder(&self.root, project)? else { return Ok(None) };
        let Some(blobs) = dir::find_folder(&project, BLOBS)? else { return Ok(None) };
        dir::find_folder(&blobs, name)
    }

    pub(super) fn blobs(&self, project: &str) -> io::Result<Dir> {
        dir::make_folder(&self.project(project)?, BLOBS)
    }
}

/// The folder of a digest; none for a text that is none.
fn shard_of(sha256: &str) -> Option<&str> {
    let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    sha256.get(..2).filter(|_| sha256.len() == 64 && sha256.bytes().all(hex))
}

/// Keeps the bytes of a finished file under their digest; durable when it returns.
pub(super) fn keep(blobs: &Dir, sha256: &str, from: &Dir, name: &str) -> io::Result<()> {
    let shard = shard_of(sha256).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
    let shard = dir::make_folder(blobs, shard)?;
    if let Some(known) = dir::find_file(&shard, sha256)?
        && known.metadata()?.len() == from.metadata(name)?.len()
    {
        return Ok(());
    }
    link(from, name, &shard, sha256)?;
    dir::sync(&shard)
}

/// Gives bytes that are kept a name of their own in a folder, in the place of what is there.
pub(super) fn place(blobs: &Dir, sha256: &str, to: &Dir, name: &str) -> io::Result<()> {
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    let shard = dir::find_folder(blobs, shard_of(sha256).ok_or_else(missing)?)?.ok_or_else(missing)?;
    let kept = dir::find_file(&shard, sha256)?.ok_or_else(missing)?.metadata()?;
    if let Some(there) = dir::find_file(to, name)? {
        let there = there.metadata()?;
        if (there.dev(), there.ino()) == (kept.dev(), kept.ino()) {
            return Ok(());
        }
    }
    link(&shard, sha256, to, name)
}

/// A second name for a file, put in the place of what has it; a copy where links are not to be had.
fn link(from: &Dir, name: &str, to: &Dir, new: &str) -> io::Result<()> {
    let temporary = dir::temporary_name()?;
    if from.hard_link(name, to, &temporary).is_err() {
        // Some file systems have none, and others only so many.
        copy(from, name, to, &temporary)?;
    }
    let placed = to.rename(&temporary, to, new);
    // Two names of one file: renaming one to the other does nothing and leaves both.
    to.remove_file(&temporary).ok();
    placed
}

fn copy(from: &Dir, name: &str, to: &Dir, new: &str) -> io::Result<()> {
    let mut source = dir::open_file(from, name)?;
    let mut target = dir::make_file(to, new)?;
    let copied = io::copy(&mut source, &mut target).and_then(|_| target.sync_all());
    if copied.is_err() {
        to.remove_file(new).ok();
    }
    copied
}

fn digest(file: &mut File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let read = file.read(&mut chunk)?;
        match chunk.get(..read) {
            Some(bytes) if !bytes.is_empty() => hasher.update(bytes),
            Some(_) | None => return Ok(dir::hex(&hasher.finalize())),
        }
    }
}
