//! Saving one file in the run that is active: checked, counted, copied, recorded.
//!
//! Nothing of a write that is refused or cut off is left in the run: it counts from the moment its record is there.

use std::fs::{File, Permissions};
use std::io::{self, Read, Write as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::PathBuf;
use std::time::{Duration, UNIX_EPOCH};

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use cap_std::fs::Dir;
use openscience_protocol::artifact::{SavedFile, SavedSource};
use openscience_protocol::{ArtifactId, ArtifactRunId, Millis, VersionId};
use sha2::{Digest as _, Sha256};

use super::content::{self, ContentError};
use super::lock::{self, Held, LockError, Usage};
use super::quota::{self, Budget, Space};
use super::source::{ImportRoots, Opened};
use super::{PENDING, RUNS, SessionFiles, blob, handoff, record};
use crate::name::{FileName, NameError};
use crate::{dir, mime};

/// How long a write waits for the one before it.
const TURN_WAIT: Duration = Duration::from_mins(2);

/// Copied at once.
const CHUNK_BYTES: usize = 256 << 10;

/// A version's bytes never change.
const KEPT_MODE: u32 = 0o400;

/// Longest type of a file.
const MIME_BYTES_MAX: usize = 255;

/// Why a file was not saved, in words for the agent. No path is among them.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    #[error("no artifact run is active: files can be saved while a prompt is being answered")]
    NotActive,
    #[error(transparent)]
    Name(#[from] NameError),
    #[error("the mimeType is not the name of a type")]
    Mime,
    #[error("Artifact local source path is outside allowed artifact import roots.")]
    Outside,
    #[error("the file does not exist: save it in the workspace first, then call the tool again")]
    Missing,
    #[error("the path does not name a regular file")]
    NotAFile,
    #[error("the file cannot be read")]
    Unreadable,
    #[error("the file changed while it was being saved")]
    Changed,
    #[error("the content is not valid base64")]
    Base64,
    #[error(
        "the content is too long to be sent inline; at most {limit} bytes: save it in the workspace and use localPath"
    )]
    InlineTooLarge { limit: u64 },
    #[error("the file has {size} bytes; at most {limit} are saved in one file")]
    FileTooLarge { size: u64, limit: u64 },
    #[error("one turn may save at most {limit} bytes, and this file is too many")]
    RunFull { limit: u64 },
    #[error("a session may save at most {limit} bytes, and this file is too many")]
    SessionFull { limit: u64 },
    #[error("one turn may save at most {limit} files")]
    TooManyFiles { limit: u64 },
    #[error("the disk has not enough free space left")]
    DiskFull,
    #[error("name_conflict: this disk cannot tell the filename from that of another file of the turn")]
    NameConflict,
    #[error(transparent)]
    Content(#[from] ContentError),
    #[error("other files of the session are being saved; try again")]
    Busy,
    #[error("the file could not be saved")]
    Io(#[from] io::Error),
}

impl From<LockError> for WriteError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy => Self::Busy,
            LockError::Io(error) => Self::Io(error),
        }
    }
}

/// How the content of a call is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Base64,
}

/// Where the bytes come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source<'a> {
    Inline { content: &'a str, encoding: Encoding },
    LocalPath { path: &'a str },
}

/// One call of the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WriteRequest<'a> {
    pub filename: &'a str,
    pub mime_type: Option<&'a str>,
    pub source: Source<'a>,
}

/// What is to be saved, before it is.
pub(super) struct Content {
    reader: Box<dyn Read>,
    size: u64,
    /// The file it comes from, to see that it stays as it is.
    file: Option<File>,
    pub source: SavedSource,
}

/// A file that is finished and has no name yet.
pub(super) struct Draft {
    pub temporary: String,
    pub sha256: String,
    pub size: u64,
    pub mtime_ms: Millis,
}

/// What makes a draft a saved file, in this order. Each may be the last thing a process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// The bytes are kept.
    Keep,
    /// They are counted.
    Count,
    /// From here on the write is accepted.
    Record,
    /// The file has its name. Made up for from the record if it is missing.
    Place,
}

pub(super) const STEPS: [Step; 4] = [Step::Keep, Step::Count, Step::Record, Step::Place];

impl SessionFiles {
    /// Saves a file in the run that is active. What an agent says of the run counts for nothing.
    pub fn write(
        &self,
        request: WriteRequest<'_>,
        roots: &ImportRoots,
        budget: &Budget,
    ) -> Result<SavedFile, WriteError> {
        let name = FileName::new(request.filename)?;
        let media = media_type(name.as_str(), request.mime_type)?;
        let run = self.active()?.ok_or(WriteError::NotActive)?;
        // Opened now: what is put in its place later is not what was meant.
        let content = Content::open(request.source, roots, budget)?;
        let folder = self.make()?;
        let mut held = lock::take(&folder, TURN_WAIT)?;
        let pending = dir::make_folder(&folder, PENDING)?;
        still(&pending, &run)?;
        let saved = dir::make_folder(&pending, run.as_str())?;
        let usage = usage(&mut held, &folder, &run)?;
        quota::admit(content.size, &usage, space(&folder)?, budget)?;
        if dir::exists(&saved, name.as_str())?
            && !record::read(&saved)?.iter().any(|f| f.name == name.as_str())
        {
            return Err(WriteError::NameConflict);
        }
        let source = content.source.clone();
        let draft = content.draft(&saved, |head| Ok(content::check(name.as_str(), media, head)?))?;
        let mut saving = self.saving(&run, &name, media, source, &usage, draft)?;
        let done = still(&pending, &run).and_then(|()| {
            let blobs = self.store.blobs(&self.project)?;
            STEPS.iter().try_for_each(|step| saving.perform(*step, &blobs, &saved, &mut held))?;
            Ok(())
        });
        saved.remove_file(&saving.draft.temporary).ok();
        done.map(|()| saving.record)
    }

    pub(super) fn saving(
        &self,
        run: &ArtifactRunId,
        name: &FileName,
        mime: Option<&str>,
        source: SavedSource,
        usage: &Usage,
        draft: Draft,
    ) -> Result<Saving, WriteError> {
        let number = usage.run_files + 1;
        let session = self.session.as_str();
        let record = SavedFile {
            number,
            name: name.as_str().to_owned(),
            mime_type: mime.map(str::to_owned),
            size: draft.size,
            sha256: draft.sha256.clone(),
            mtime_ms: draft.mtime_ms,
            result_id: self.result_id(&source, name.as_str())?,
            source,
            version_id: made(VersionId::PREFIX, &[session, run.as_str(), &number.to_string()])?,
            replaced: false,
        };
        let usage = Usage {
            session_bytes: usage.session_bytes.saturating_add(draft.size),
            run_id: Some(run.clone()),
            run_bytes: usage.run_bytes.saturating_add(draft.size),
            run_files: number,
        };
        Ok(Saving { draft, record, usage })
    }

    /// The same source is the same Result: a file of the project by its place, what was sent by session and name.
    pub(super) fn result_id(&self, source: &SavedSource, name: &str) -> Result<ArtifactId, WriteError> {
        match source {
            SavedSource::LocalPath { path } => made(ArtifactId::PREFIX, &["localPath", &self.project, path]),
            SavedSource::Inline => {
                made(ArtifactId::PREFIX, &["inline", &self.project, self.session.as_str(), name])
            }
        }
    }
}

/// Refuses what comes too late.
fn still(pending: &Dir, run: &ArtifactRunId) -> Result<(), WriteError> {
    if handoff::get(pending)?.as_ref() == Some(run) { Ok(()) } else { Err(WriteError::NotActive) }
}

/// A draft and what it becomes.
pub(super) struct Saving {
    pub draft: Draft,
    pub record: SavedFile,
    usage: Usage,
}

impl Saving {
    pub(super) fn perform(
        &mut self,
        step: Step,
        blobs: &Dir,
        saved: &Dir,
        held: &mut Held,
    ) -> io::Result<()> {
        match step {
            Step::Keep => blob::keep(blobs, &self.draft.sha256, saved, &self.draft.temporary),
            Step::Count => held.count(&self.usage),
            Step::Record => record::append(saved, &self.record),
            Step::Place => {
                blob::place(blobs, &self.draft.sha256, saved, &self.record.name)?;
                dir::sync(saved)
            }
        }
    }
}

impl Content {
    pub(super) fn open(source: Source<'_>, roots: &ImportRoots, budget: &Budget) -> Result<Self, WriteError> {
        match source {
            Source::Inline { content, encoding } => {
                let bytes = inline(content, encoding, budget.inline)?;
                let size = bytes.len() as u64;
                Ok(Self {
                    reader: Box::new(io::Cursor::new(bytes)),
                    size,
                    file: None,
                    source: SavedSource::Inline,
                })
            }
            Source::LocalPath { path } => {
                let Opened { file, real } = roots.file(path)?;
                let source = SavedSource::LocalPath { path: text(real) };
                let unreadable = |_| WriteError::Unreadable;
                let size = file.metadata().map_err(unreadable)?.len();
                let reader = Box::new(file.try_clone().map_err(unreadable)?);
                Ok(Self { reader, size, file: Some(file), source })
            }
        }
    }

    pub(super) fn size(&self) -> u64 {
        self.size
    }

    /// Copies it into a file without a name, once `check` has seen how it begins. Nothing is left if that fails.
    pub(super) fn draft(
        mut self,
        folder: &Dir,
        check: impl FnOnce(&[u8]) -> Result<(), WriteError>,
    ) -> Result<Draft, WriteError> {
        let before = self.file.as_ref().map(stamp).transpose()?;
        let temporary = dir::temporary_name()?;
        let mut target = dir::make_file(folder, &temporary)?;
        let copied = self.copy(&mut target, check).and_then(|sha256| {
            let after = self.file.as_ref().map(stamp).transpose()?;
            if before != after {
                return Err(WriteError::Changed);
            }
            target.set_permissions(Permissions::from_mode(KEPT_MODE))?;
            target.sync_all()?;
            Ok((sha256, mtime_ms(&target)?))
        });
        match copied {
            Ok((sha256, mtime_ms)) => Ok(Draft { temporary, sha256, size: self.size, mtime_ms }),
            Err(error) => {
                folder.remove_file(&temporary).ok();
                Err(error)
            }
        }
    }

    /// Copies exactly as much as was promised: a source that grows is refused before it fills the disk.
    fn copy(
        &mut self,
        target: &mut File,
        check: impl FnOnce(&[u8]) -> Result<(), WriteError>,
    ) -> Result<String, WriteError> {
        let mut head = Vec::new();
        self.read(content::HEAD_BYTES as u64, &mut head)?;
        check(&head)?;
        let mut hasher = Sha256::new();
        let mut chunk = head;
        let mut copied = 0;
        while !chunk.is_empty() {
            copied += chunk.len() as u64;
            if copied > self.size {
                return Err(WriteError::Changed);
            }
            hasher.update(&chunk);
            target.write_all(&chunk)?;
            chunk.clear();
            self.read(CHUNK_BYTES as u64, &mut chunk)?;
        }
        if copied == self.size { Ok(dir::hex(&hasher.finalize())) } else { Err(WriteError::Changed) }
    }

    fn read(&mut self, bytes: u64, into: &mut Vec<u8>) -> Result<(), WriteError> {
        self.reader.by_ref().take(bytes).read_to_end(into).map(drop).map_err(|_| WriteError::Unreadable)
    }
}

/// What is known of a file that changes when its content does.
fn stamp(file: &File) -> Result<(u64, i64, i64), WriteError> {
    let metadata = file.metadata().map_err(|_| WriteError::Unreadable)?;
    Ok((metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}

fn mtime_ms(file: &File) -> io::Result<Millis> {
    let since = file.metadata()?.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
}

/// The bytes that were sent; whitespace in base64 and missing padding are forgiven.
fn inline(content: &str, encoding: Encoding, limit: u64) -> Result<Vec<u8>, WriteError> {
    const ENGINE: GeneralPurpose = GeneralPurpose::new(
        &STANDARD,
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
    );
    let too_large = WriteError::InlineTooLarge { limit };
    let bytes = match encoding {
        Encoding::Utf8 if content.len() as u64 > limit => return Err(too_large),
        Encoding::Utf8 => return Ok(content.as_bytes().to_vec()),
        Encoding::Base64 => {
            let packed: Vec<u8> = content.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
            if packed.len() as u64 / 4 * 3 > limit.saturating_add(3) {
                return Err(too_large);
            }
            ENGINE.decode(packed).map_err(|_| WriteError::Base64)?
        }
    };
    if bytes.len() as u64 > limit { Err(too_large) } else { Ok(bytes) }
}

/// The type that was said, else the one that the name tells.
pub(super) fn media_type<'a>(name: &str, said: Option<&'a str>) -> Result<Option<&'a str>, WriteError> {
    match said {
        Some(said) if said.len() <= MIME_BYTES_MAX && said.is_ascii() && mime::is_valid(said) => {
            Ok(Some(said.trim()))
        }
        Some(_) => Err(WriteError::Mime),
        None => Ok(mime::of_name(name)),
    }
}

/// What was counted, or is counted now: by what the run has recorded and what lies with messages.
fn usage(held: &mut Held, folder: &Dir, run: &ArtifactRunId) -> io::Result<Usage> {
    let known = held.usage()?;
    if let Some(known) = known.as_ref().filter(|usage| usage.run_id.as_ref() == Some(run)) {
        return Ok(known.clone());
    }
    let pending = dir::open_folder(folder, PENDING)?;
    let records = match dir::find_folder(&pending, run.as_str())? {
        Some(saved) => record::read(&saved)?,
        None => Vec::new(),
    };
    let session_bytes = match known {
        Some(usage) => usage.session_bytes,
        None => saved_bytes(folder)?,
    };
    Ok(Usage {
        session_bytes,
        run_id: Some(run.clone()),
        run_bytes: records.iter().map(|file| file.size).sum(),
        run_files: records.iter().map(|file| file.number).max().unwrap_or(0),
    })
}

/// Bytes of all files in the session's folders.
fn saved_bytes(folder: &Dir) -> io::Result<u64> {
    let mut bytes = 0;
    for name in dir::names(folder)? {
        if name == PENDING {
            let pending = dir::open_folder(folder, PENDING)?;
            for run in dir::names(&pending)? {
                if let Ok(saved) = dir::open_folder(&pending, &run) {
                    bytes += record::read(&saved)?.iter().map(|file| file.size).sum::<u64>();
                }
            }
        } else if name != RUNS
            && let Ok(message) = dir::open_folder(folder, &name)
        {
            for file in dir::names(&message)? {
                bytes += message.symlink_metadata(&file)?.len();
            }
        }
    }
    Ok(bytes)
}

pub(super) fn space(folder: &Dir) -> io::Result<Space> {
    let disk = rustix::fs::fstatvfs(folder)?;
    let bytes = |blocks: u64| blocks.saturating_mul(disk.f_frsize);
    Ok(Space { available: bytes(disk.f_bavail), total: bytes(disk.f_blocks) })
}

/// An id that follows from what it names.
pub(super) fn made<T: std::str::FromStr>(prefix: &str, parts: &[&str]) -> Result<T, WriteError> {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part.as_bytes());
        hasher.update([0]);
    }
    let digest = dir::hex(&hasher.finalize());
    let short = digest.get(..32).unwrap_or(&digest);
    format!("{prefix}_{short}").parse().map_err(|_| WriteError::Io(io::ErrorKind::InvalidInput.into()))
}

fn text(path: PathBuf) -> String {
    path.into_os_string().into_string().unwrap_or_else(|other| other.to_string_lossy().into_owned())
}
