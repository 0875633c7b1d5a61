//! Where are the files that clients hand over, and how much of each is here?
//!
//! A record beside the bytes tells what a file is; it is written before them. Once a prompt uses a file its
//! bytes stand under their digest, once for all that are equal, and never change again. Who uses what is
//! asked elsewhere.
//!
//! ```text
//! upl_….json          what it is
//! upl_….part          its bytes, as long as they may grow
//! blobs/<sha256>/…    its bytes, sealed: `bytes`, and the same file under the names agents see
//! ```

use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io::{self, ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use openscience_protocol::{Millis, Upload, UploadId, upload};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::hash;
use crate::mime;
use crate::open::{FileFault, open_real};

/// The folder of sealed bytes.
const BLOBS: &str = "blobs";
/// The name of sealed bytes.
const BYTES: &str = "bytes";
/// Held while bytes are sealed or removed: what is being sealed is not removed.
const LOCK: &str = "lock";
/// Free space is looked at again after so many bytes.
const LOOK_BYTES: u64 = 16 << 20;
/// No more than one part in so many of a small disk is kept free.
const RESERVE_PARTS: u64 = 20;
/// Longest name of a file.
const NAME_BYTES_MAX: usize = 255;

/// Why an upload could not be made, read or changed.
#[derive(Debug, thiserror::Error)]
pub enum UploadError {
    #[error("upload {0} does not exist")]
    NotFound(UploadId),
    #[error("the upload goes on at another offset")]
    Offset { at: u64 },
    #[error("another request writes to the upload")]
    Busy,
    #[error("a prompt has used the upload: it does not change any more")]
    Sealed,
    #[error("the upload is not whole")]
    Incomplete,
    #[error("the file is larger than the limit")]
    TooLarge { limit: u64, size: u64 },
    #[error("the disk has no room for it")]
    Full,
    #[error("the upload's file cannot be used")]
    Fault(#[from] FileFault),
    #[error("the upload could not be read or written")]
    Io(#[source] io::Error),
}

impl From<io::Error> for UploadError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::Full,
            _ => Self::Io(error),
        }
    }
}

/// A file that is about to come.
#[derive(Debug, Clone)]
pub struct NewUpload {
    pub id: UploadId,
    pub filename: String,
    pub mime: String,
    /// Bytes it will have, if that is known.
    pub size: Option<u64>,
    pub now: Millis,
}

/// What is kept beside the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Record {
    filename: String,
    mime: String,
    created: Millis,
    /// Bytes it will have, if that was said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// Of the whole file; none before it is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sha256: Option<String>,
}

/// A file whose bytes do not change any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    pub id: UploadId,
    pub filename: String,
    pub mime: String,
    pub size: u64,
    /// Where an agent finds it.
    pub path: PathBuf,
}

/// The folder of uploads. Several processes may use it at once.
#[derive(Debug, Clone)]
pub struct Uploads {
    root: PathBuf,
    bytes_max: u64,
    reserve: u64,
}

/// True for a name that is one component of a path and shows what it is.
pub fn is_file_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
        && name.len() <= NAME_BYTES_MAX
        && !name.chars().any(|c| c == '/' || c.is_control())
}

impl Uploads {
    /// `root` is made when it is needed.
    pub fn new(root: PathBuf, bytes_max: u64, reserve: u64) -> Self {
        Self { root, bytes_max, reserve }
    }

    /// The folder: agents may read what is below it.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Begins a file. Nothing of it is taken before its place is known to suffice.
    pub fn begin(&self, new: NewUpload) -> Result<Writer, UploadError> {
        folder(&self.root)?;
        let NewUpload { id, filename, mime, size, now } = new;
        let size_now = size.unwrap_or_default();
        if size_now > self.bytes_max {
            return Err(UploadError::TooLarge { limit: self.bytes_max, size: size_now });
        }
        if self.room()? <= size_now {
            return Err(UploadError::Full);
        }
        let mime = mime::settled(&mime, &filename);
        let record = Record { filename, mime, created: now, total: size, sha256: None };
        self.write_record(&id, &record, now)?;
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(self.part(&id))?;
        let (file, hasher) = (locked(file)?, Some(Sha256::new()));
        Ok(Writer { uploads: self.clone(), id, record, file, offset: 0, looked: 0, hasher })
    }

    /// Goes on with a file where it ended.
    pub fn resume(&self, id: &UploadId, offset: u64) -> Result<Writer, UploadError> {
        self.record(id)?;
        let file = match OpenOptions::new().append(true).open(self.part(id)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(UploadError::Sealed),
            opened => locked(opened?)?,
        };
        // Read again: whoever held the lock before has written it.
        let record = self.record(id)?;
        let at = file.metadata()?.len();
        if at != offset {
            return Err(UploadError::Offset { at });
        }
        let hasher = (at == 0).then(Sha256::new);
        let (uploads, id) = (self.clone(), id.clone());
        Ok(Writer { uploads, id, record, file, offset: at, looked: at, hasher })
    }

    /// What is known of a file.
    pub fn look(&self, id: &UploadId) -> Result<Upload, UploadError> {
        let record = self.record(id)?;
        let (_, offset) = self.bytes(id, &record)?;
        Ok(shown(id, &record, offset))
    }

    /// All files, newest first; at most `max`.
    pub fn list(&self, max: usize) -> Result<Vec<Upload>, UploadError> {
        let mut all: Vec<Upload> = Vec::new();
        for id in self.ids()? {
            // It may go while this goes on.
            all.extend(self.look(&id).ok());
        }
        all.sort_by(|a, b| (b.created, &b.id).cmp(&(a.created, &a.id)));
        all.truncate(max);
        Ok(all)
    }

    /// Opens the bytes of a file, whole or not.
    pub fn open(&self, id: &UploadId) -> Result<(File, Upload), UploadError> {
        let record = self.record(id)?;
        let (file, offset) = self.bytes(id, &record)?;
        let upload = shown(id, &record, offset);
        Ok((file, upload))
    }

    /// Forgets a file.
    pub fn remove(&self, id: &UploadId) -> Result<(), UploadError> {
        let _guard = self.guard()?;
        let record = self.record(id)?;
        self.forget(id)?;
        let used = self.digests()?;
        if let Some(digest) = record.sha256.filter(|digest| !used.contains(digest)) {
            gone(fs::remove_dir_all(self.blob(&digest)))?;
        }
        Ok(())
    }

    /// Takes a file for a prompt: it is whole, its bytes stand under their digest, and it was used now.
    pub fn seal(&self, id: &UploadId, now: Millis) -> Result<Sealed, UploadError> {
        let _guard = self.guard()?;
        let record = self.record(id)?;
        let digest = record.sha256.clone().ok_or(UploadError::Incomplete)?;
        match File::open(self.part(id)) {
            Ok(file) => {
                let _part = locked(file)?;
                // A piece may have come since the record was read.
                if self.record(id)?.sha256.as_ref() != Some(&digest) {
                    return Err(UploadError::Busy);
                }
                self.settle(&self.part(id), &digest)?;
                fs::remove_file(self.part(id))?;
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error.into()),
        }
        self.touch(id, now)?;
        self.sealed(id, record, &digest)
    }

    /// Keeps bytes that came with a prompt, once however often they come.
    pub fn keep(&self, bytes: &[u8], filename: &str, mime: &str, now: Millis) -> Result<Sealed, UploadError> {
        let size = bytes.len() as u64;
        if size > self.bytes_max {
            return Err(UploadError::TooLarge { limit: self.bytes_max, size });
        }
        folder(&self.root)?;
        let digest = hash::of(bytes)?;
        let id: UploadId = format!("{}_{digest}", UploadId::PREFIX)
            .parse()
            .map_err(|_| io::Error::other("a digest is no id"))?;
        let _guard = self.guard()?;
        let record = match self.record(&id) {
            Ok(record) if self.blob(&digest).join(BYTES).exists() => {
                self.touch(&id, now)?;
                record
            }
            Ok(_) | Err(UploadError::NotFound(_)) => {
                if self.room()? < size {
                    return Err(UploadError::Full);
                }
                let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(&self.root)?;
                file.write_all(bytes)?;
                file.as_file().sync_data()?;
                self.settle(file.path(), &digest)?;
                let (filename, mime) = (filename.to_owned(), mime::settled(mime, filename));
                let record =
                    Record { filename, mime, created: now, total: Some(size), sha256: Some(digest.clone()) };
                self.write_record(&id, &record, now)?;
                record
            }
            Err(error) => return Err(error),
        };
        self.sealed(&id, record, &digest)
    }

    /// A file that a prompt has used, under the name an agent should see.
    pub fn sealed_as(&self, id: &UploadId, filename: Option<&str>) -> Result<(File, Sealed), UploadError> {
        let mut record = self.record(id)?;
        let digest = record.sha256.clone().ok_or(UploadError::Incomplete)?;
        if let Some(name) = filename.filter(|name| is_file_name(name)) {
            name.clone_into(&mut record.filename);
        }
        let (file, _) = open_real(&self.real_blob(&digest)?)?;
        Ok((file, self.sealed(id, record, &digest)?))
    }

    /// Removes what nobody uses and nobody has touched since `before`; how many files that were.
    pub fn sweep(&self, used: &HashSet<String>, before: SystemTime) -> io::Result<usize> {
        if !self.root.exists() {
            return Ok(0);
        }
        let _guard = self.guard()?;
        let old = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).is_ok_and(|at| at < before);
        let mut swept = 0;
        for id in self.ids()? {
            // A part that grows is in use, however old its record.
            if !used.contains(id.as_str())
                && old(&self.record_path(&id))
                && (old(&self.part(&id)) || !self.part(&id).exists())
            {
                self.forget(&id)?;
                swept += 1;
            }
        }
        let digests = self.digests()?;
        for entry in entries(&self.root.join(BLOBS))? {
            if !digests.contains(&entry) && old(&self.blob(&entry)) {
                gone(fs::remove_dir_all(self.blob(&entry)))?;
            }
        }
        for entry in entries(&self.root)? {
            let lost =
                entry.strip_suffix(PART).is_some_and(|id| !self.root.join(format!("{id}{RECORD}")).exists());
            if (lost || entry.starts_with(TEMPORARY)) && old(&self.root.join(&entry)) {
                gone(fs::remove_file(self.root.join(&entry)))?;
            }
        }
        Ok(swept)
    }

    fn sealed(&self, id: &UploadId, record: Record, digest: &str) -> Result<Sealed, UploadError> {
        let bytes = self.real_blob(digest)?;
        let size = fs::metadata(&bytes)?.len();
        let named = bytes.with_file_name(&record.filename);
        let path = match fs::hard_link(&bytes, &named) {
            Ok(()) => named,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => named,
            // A file system without links: the name is a comfort.
            Err(_) => bytes,
        };
        let Record { filename, mime, .. } = record;
        Ok(Sealed { id: id.clone(), filename, mime, size, path })
    }

    fn real_blob(&self, digest: &str) -> io::Result<PathBuf> {
        Ok(self.blob(digest).canonicalize()?.join(BYTES))
    }

    /// Puts bytes under their digest, unless they are there.
    fn settle(&self, from: &Path, digest: &str) -> io::Result<()> {
        folder(&self.root.join(BLOBS))?;
        folder(&self.blob(digest))?;
        match fs::hard_link(from, self.blob(digest).join(BYTES)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(_) => fs::copy(from, self.blob(digest).join(BYTES)).map(drop)?,
            Ok(()) => {}
        }
        fs::set_permissions(self.blob(digest).join(BYTES), Permissions::from_mode(0o400))?;
        File::open(self.blob(digest))?.sync_all()
    }

    fn forget(&self, id: &UploadId) -> io::Result<()> {
        // The record last: without it nobody would look for the rest.
        gone(fs::remove_file(self.part(id)))?;
        gone(fs::remove_file(self.record_path(id)))
    }

    /// Digests that files have.
    fn digests(&self) -> io::Result<HashSet<String>> {
        let ids = self.ids()?;
        Ok(ids.iter().filter_map(|id| self.record(id).ok()?.sha256).collect())
    }

    fn ids(&self) -> io::Result<Vec<UploadId>> {
        let names = entries(&self.root)?;
        Ok(names.iter().filter_map(|name| name.strip_suffix(RECORD)?.parse().ok()).collect())
    }

    fn bytes(&self, id: &UploadId, record: &Record) -> Result<(File, u64), UploadError> {
        let open = |path: PathBuf| -> io::Result<(File, u64)> {
            let file = File::open(path)?;
            let length = file.metadata()?.len();
            Ok((file, length))
        };
        let part = open(self.part(id));
        match (part, &record.sha256) {
            (Ok(part), _) => Ok(part),
            (Err(_), Some(digest)) => Ok(open(self.blob(digest).join(BYTES))?),
            (Err(error), None) if error.kind() == ErrorKind::NotFound => {
                Err(UploadError::NotFound(id.clone()))
            }
            (Err(error), None) => Err(error.into()),
        }
    }

    fn record(&self, id: &UploadId) -> Result<Record, UploadError> {
        let mut text = String::new();
        match File::open(self.record_path(id)) {
            Ok(mut file) => file.read_to_string(&mut text)?,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(UploadError::NotFound(id.clone()));
            }
            Err(error) => return Err(error.into()),
        };
        Ok(serde_json::from_str(&text).map_err(io::Error::other)?)
    }

    fn write_record(&self, id: &UploadId, record: &Record, now: Millis) -> io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(&self.root)?;
        file.write_all(&serde_json::to_vec(record)?)?;
        file.as_file().set_modified(time(now))?;
        file.as_file().sync_all()?;
        file.persist(self.record_path(id)).map_err(|error| error.error)?;
        File::open(&self.root)?.sync_all()
    }

    fn touch(&self, id: &UploadId, now: Millis) -> io::Result<()> {
        OpenOptions::new().append(true).open(self.record_path(id))?.set_modified(time(now))
    }

    /// Bytes that may still be written.
    fn room(&self) -> io::Result<u64> {
        let disk = rustix::fs::statvfs(&self.root)?;
        let reserve = self.reserve.min((disk.f_blocks / RESERVE_PARTS).saturating_mul(disk.f_frsize));
        Ok(disk.f_bavail.saturating_mul(disk.f_frsize).saturating_sub(reserve))
    }

    fn guard(&self) -> io::Result<File> {
        folder(&self.root)?;
        let options = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).to_owned();
        let file = options.open(self.root.join(LOCK))?;
        file.lock()?;
        Ok(file)
    }

    fn record_path(&self, id: &UploadId) -> PathBuf {
        self.root.join(format!("{id}{RECORD}"))
    }

    fn part(&self, id: &UploadId) -> PathBuf {
        self.root.join(format!("{id}{PART}"))
    }

    fn blob(&self, digest: &str) -> PathBuf {
        self.root.join(BLOBS).join(digest)
    }
}

const RECORD: &str = ".json";
const PART: &str = ".part";
const TEMPORARY: &str = ".new";

/// A file that grows. Only one at a time of each, whatever the process.
#[derive(Debug)]
pub struct Writer {
    uploads: Uploads,
    id: UploadId,
    record: Record,
    /// Locked.
    file: File,
    offset: u64,
    /// Bytes when free space was looked at.
    looked: u64,
    /// Of all bytes so far, if they were all seen here.
    hasher: Option<Sha256>,
}

impl Writer {
    /// Appends bytes; nothing of them if they are too many.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), UploadError> {
        let size = self.offset + bytes.len() as u64;
        let limit = self.record.total.unwrap_or(u64::MAX).min(self.uploads.bytes_max);
        if size > limit {
            return Err(UploadError::TooLarge { limit, size });
        }
        if size > self.looked + LOOK_BYTES {
            if self.uploads.room()? == 0 {
                return Err(UploadError::Full);
            }
            self.looked = size;
        }
        if self.offset < size && self.record.sha256.is_some() {
            // It was whole and is not any more: said before its bytes come.
            self.record.sha256 = None;
            self.uploads.write_record(&self.id, &self.record, self.record.created)?;
        }
        self.file.write_all(bytes)?;
        self.offset = size;
        if let Some(hasher) = &mut self.hasher {
            hasher.update(bytes);
        }
        Ok(())
    }

    /// Makes it durable. `ended`: the piece came to its end, and the file with it if its size was not said.
    pub fn finish(mut self, ended: bool, now: Millis) -> Result<Upload, UploadError> {
        self.file.sync_all()?;
        let whole = self.record.total.map_or(ended, |total| total == self.offset);
        if whole && self.record.sha256.is_none() {
            let digest = match self.hasher.take() {
                Some(hasher) => hash::finished(hasher),
                None => hash::of(File::open(self.uploads.part(&self.id))?)?,
            };
            self.record.sha256 = Some(digest);
        }
        self.uploads.write_record(&self.id, &self.record, now)?;
        Ok(shown(&self.id, &self.record, self.offset))
    }
}

fn shown(id: &UploadId, record: &Record, offset: u64) -> Upload {
    Upload {
        id: id.clone(),
        url: upload::url(id),
        filename: record.filename.clone(),
        mime: record.mime.clone(),
        size: record.total.unwrap_or(offset),
        sha256: record.sha256.clone(),
        offset,
        created: record.created,
    }
}

fn locked(file: File) -> Result<File, UploadError> {
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(UploadError::Busy),
        Err(TryLockError::Error(error)) => Err(error.into()),
    }
}

fn folder(path: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(path)
}

/// Fine if it is gone already.
fn gone(removed: io::Result<()>) -> io::Result<()> {
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        Ok(()) | Err(_) => Ok(()),
    }
}

/// Names in a folder; none if there is no folder.
fn entries(path: &Path) -> io::Result<Vec<String>> {
    let read = match fs::read_dir(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        read => read?,
    };
    let names = read.map(|entry| entry.map(|entry| entry.file_name().to_string_lossy().into_owned()));
    names.collect()
}

fn time(at: Millis) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(at.max(0).unsigned_abs())
}

#[cfg(test)]
mod tests;
