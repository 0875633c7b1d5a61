//! How is a foreign archive unpacked without doing harm? Into an empty folder, within bounds, and nothing but
//! plain files and folders.
//!
//! One entry that would reach outside, a link, or anything too much refuses the whole archive: half of it would
//! be a broken program.

use std::collections::BTreeSet;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{self, BufReader, Read};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Component, Path, PathBuf};

/// Why an archive was not unpacked. No name of an entry is repeated: it may be anything.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("archives and installers of this kind are not unpacked")]
    Kind,
    #[error("an entry would be written outside of the archive's folder")]
    Outside,
    #[error("it holds a link or something else that is neither file nor folder")]
    Special,
    #[error("two of its entries have the same name")]
    Twice,
    #[error("it holds more than {0} entries")]
    Entries(u64),
    #[error("one of its files is larger than {0} bytes")]
    File(u64),
    #[error("it is larger than {0} bytes when unpacked")]
    Total(u64),
    #[error("it is damaged")]
    Damaged(#[source] io::Error),
    #[error("it could not be unpacked")]
    Io(#[source] io::Error),
}

/// How much an archive may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    pub(super) entries: u64,
    pub(super) file_bytes: u64,
    pub(super) total_bytes: u64,
}

impl Bounds {
    /// What programs are shipped as, and not what fills a disk.
    pub(super) const AGENT: Self = Self { entries: 4_096, file_bytes: 256 << 20, total_bytes: 512 << 20 };
}

/// The form of an archive, told by the end of its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    TarGz,
    TarBz2,
    Zip,
    /// The program itself.
    Program,
}

impl Kind {
    /// None for what people install by hand.
    pub(super) fn of(url: &str) -> Option<Self> {
        const INSTALLERS: [&str; 10] =
            [".deb", ".rpm", ".apk", ".pkg", ".dmg", ".msi", ".appimage", ".7z", ".rar", ".tar.xz"];
        let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
        let ends = |endings: &[&str]| endings.iter().any(|ending| path.ends_with(ending));
        if ends(&[".tar.gz", ".tgz"]) {
            Some(Self::TarGz)
        } else if ends(&[".tar.bz2", ".tbz2"]) {
            Some(Self::TarBz2)
        } else if ends(&[".zip"]) {
            Some(Self::Zip)
        } else {
            (!ends(&INSTALLERS)).then_some(Self::Program)
        }
    }
}

/// Unpacks into an empty folder. `program` is the name of what is no archive.
pub(super) fn unpack(
    kind: Kind,
    archive: File,
    into: &Path,
    program: &str,
    bounds: Bounds,
) -> Result<(), ArchiveError> {
    let mut folder = Folder { root: into, bounds, entries: 0, bytes: 0, made: BTreeSet::new() };
    let archive = BufReader::new(archive);
    match kind {
        Kind::TarGz => tar(flate2::bufread::MultiGzDecoder::new(archive), &mut folder),
        Kind::TarBz2 => tar(bzip2::bufread::MultiBzDecoder::new(archive), &mut folder),
        Kind::Zip => zip(archive, &mut folder),
        Kind::Program => folder.file(Path::new(program), true, archive),
    }
}

/// What headers and padding may take besides content.
const TAR_OVERHEAD: u64 = 16 << 20;

fn tar(stream: impl Read, folder: &mut Folder<'_>) -> Result<(), ArchiveError> {
    // Long names are read whole: the bound holds for what is no content, too.
    let mut archive = tar::Archive::new(stream.take(folder.bounds.total_bytes + TAR_OVERHEAD));
    for entry in archive.entries().map_err(ArchiveError::Damaged)? {
        let entry = entry.map_err(ArchiveError::Damaged)?;
        let header = entry.header();
        let (kind, mode) = (header.entry_type(), header.mode().unwrap_or_default());
        if kind.is_pax_global_extensions() {
            continue;
        }
        let path = entry.path().map_err(ArchiveError::Damaged)?.into_owned();
        if kind.is_dir() {
            folder.folder(&path)?;
        } else if kind.is_file() {
            folder.file(&path, mode & 0o111 != 0, entry)?;
        } else {
            return Err(ArchiveError::Special);
        }
    }
    Ok(())
}

/// Bits of a mode that tell what an entry is, and two of the kinds.
const KIND_MASK: u32 = 0o170_000;
const KIND_FILE: u32 = 0o100_000;
const KIND_FOLDER: u32 = 0o040_000;

fn zip(archive: BufReader<File>, folder: &mut Folder<'_>) -> Result<(), ArchiveError> {
    let damaged = |error: zip::result::ZipError| ArchiveError::Damaged(io::Error::other(error));
    let mut archive = zip::ZipArchive::new(archive).map_err(damaged)?;
    for index in 0..archive.len() {
        let entry = archive.by_index(index).map_err(damaged)?;
        let mode = entry.unix_mode().unwrap_or_default();
        if !matches!(mode & KIND_MASK, 0 | KIND_FILE | KIND_FOLDER) {
            return Err(ArchiveError::Special);
        }
        let path = PathBuf::from(entry.name().map_err(damaged)?.into_owned());
        if entry.is_dir() {
            folder.folder(&path)?;
        } else {
            folder.file(&path, mode & 0o111 != 0, entry)?;
        }
    }
    Ok(())
}

/// Where it goes, and how much of it there was.
struct Folder<'a> {
    root: &'a Path,
    bounds: Bounds,
    entries: u64,
    bytes: u64,
    /// Folders that exist: the rest of a path is looked up by nobody, so no link can lead elsewhere.
    made: BTreeSet<PathBuf>,
}

impl Folder<'_> {
    fn count(&mut self) -> Result<(), ArchiveError> {
        self.entries += 1;
        if self.entries > self.bounds.entries {
            Err(ArchiveError::Entries(self.bounds.entries))
        } else {
            Ok(())
        }
    }

    fn folder(&mut self, path: &Path) -> Result<(), ArchiveError> {
        self.count()?;
        let path = inside(path)?;
        self.make(&path)
    }

    fn make(&mut self, path: &Path) -> Result<(), ArchiveError> {
        if path.as_os_str().is_empty() || self.made.contains(path) {
            return Ok(());
        }
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(self.root.join(path))
            .map_err(ArchiveError::Io)?;
        self.made.insert(path.to_owned());
        Ok(())
    }

    fn file(&mut self, path: &Path, executable: bool, content: impl Read) -> Result<(), ArchiveError> {
        self.count()?;
        let path = inside(path)?;
        self.make(path.parent().unwrap_or(Path::new("")))?;
        let mode = if executable { 0o700 } else { 0o600 };
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(mode).open(self.root.join(path)).map_err(
                |error| match error.kind() {
                    io::ErrorKind::AlreadyExists => ArchiveError::Twice,
                    _ => ArchiveError::Io(error),
                },
            )?;
        let left = self.bounds.total_bytes - self.bytes;
        let allowed = left.min(self.bounds.file_bytes);
        let written = copy(&mut content.take(allowed + 1), &mut file)?;
        self.bytes += written;
        match written {
            written if written <= allowed => Ok(()),
            _ if allowed == left => Err(ArchiveError::Total(self.bounds.total_bytes)),
            _ => Err(ArchiveError::File(self.bounds.file_bytes)),
        }
    }
}

/// Copies, and tells a damaged archive from a full disk.
fn copy(from: &mut impl Read, into: &mut File) -> Result<u64, ArchiveError> {
    use std::io::Write as _;
    let (mut total, mut buffer) = (0, vec![0; 64 << 10]);
    loop {
        let count = from.read(&mut buffer).map_err(ArchiveError::Damaged)?;
        let Some(read) = buffer.get(..count).filter(|read| !read.is_empty()) else { return Ok(total) };
        into.write_all(read).map_err(ArchiveError::Io)?;
        total += count as u64;
    }
}

/// The path below the folder; an error if it would lead out of it or to the folder itself.
pub(super) fn inside(path: &Path) -> Result<PathBuf, ArchiveError> {
    let text = path.to_str().ok_or(ArchiveError::Outside)?;
    // Archives made on Windows.
    if text.contains(['\\', '\0']) {
        return Err(ArchiveError::Outside);
    }
    let mut kept = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(part) => kept.push(part),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => {
                return Err(ArchiveError::Outside);
            }
        }
    }
    Ok(kept)
}

#[cfg(test)]
mod tests;
