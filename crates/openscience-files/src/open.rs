//! Is this a file one may read now, and is it the one that was meant?
//!
//! Follows no link, waits for no pipe. Whether somebody may read it is asked elsewhere.

use std::fs::{self, File, Metadata};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Why a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FileFault {
    #[error("the file does not exist")]
    Missing,
    #[error("it is neither a file nor a directory")]
    NotAFile,
    #[error("a link stands where there was none")]
    Moved,
    #[error("the file cannot be read")]
    Unreadable(#[source] io::Error),
}

impl From<io::Error> for FileFault {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => Self::Missing,
            _ if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => Self::Moved,
            _ => Self::Unreadable(error),
        }
    }
}

/// What a path leads to, links resolved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    pub path: PathBuf,
    /// Bytes of a file; none of a directory.
    pub size: Option<u64>,
}

/// Finds what a path leads to and whether it can be read.
pub fn find(path: &Path) -> Result<Found, FileFault> {
    let real = path.canonicalize()?;
    if fs::metadata(&real)?.is_dir() {
        fs::read_dir(&real)?;
        return Ok(Found { path: real, size: None });
    }
    let (_, metadata) = open_real(&real)?;
    Ok(Found { path: real, size: Some(metadata.len()) })
}

/// Opens a regular file by its real path: one through a link is refused, also if the link has just come.
pub fn open_real(path: &Path) -> Result<(File, Metadata), FileFault> {
    // A pipe would keep an ordinary open waiting for its writer.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(io::Error::from)?);
    let opened = file.metadata()?;
    if !opened.is_file() {
        return Err(FileFault::NotAFile);
    }
    // What is open is what stands at the path, and no directory on the way is a link.
    let standing = fs::symlink_metadata(path)?;
    if path.canonicalize()? != path || (standing.dev(), standing.ino()) != (opened.dev(), opened.ino()) {
        return Err(FileFault::Moved);
    }
    Ok((file, opened))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn root() -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().canonicalize().unwrap();
        (root, path)
    }

    #[test]
    fn a_path_is_found_through_links_and_opened_without_any() {
        let (_root, at) = root();
        fs::create_dir(at.join("real")).unwrap();
        fs::write(at.join("real/a.txt"), "abc").unwrap();
        symlink(at.join("real"), at.join("link")).unwrap();
        symlink(at.join("real/a.txt"), at.join("a link.txt")).unwrap();
        let real = Found { path: at.join("real/a.txt"), size: Some(3) };
        for path in ["real/a.txt", "link/a.txt", "real/./a.txt", "link/../real/a.txt", "a link.txt"] {
            assert_eq!(find(&at.join(path)).unwrap(), real, "{path}");
        }
        assert!(open_real(&at.join("real/a.txt")).is_ok());
        for path in ["link/a.txt", "a link.txt", "real/../real/a.txt"] {
            assert!(matches!(open_real(&at.join(path)), Err(FileFault::Moved)), "{path}");
        }
        assert_eq!(find(&at.join("link")).unwrap(), Found { path: at.join("real"), size: None });
    }

    #[test]
    fn what_is_no_file_is_told_at_once() {
        let (_root, at) = root();
        rustix::fs::mkfifoat(rustix::fs::CWD, at.join("pipe"), Mode::RUSR | Mode::WUSR).unwrap();
        assert!(matches!(find(&at.join("pipe")), Err(FileFault::NotAFile)));
        assert!(matches!(find(Path::new("/dev/null")), Err(FileFault::NotAFile)));
        assert!(matches!(find(&at.join("nothing")), Err(FileFault::Missing)));
        fs::write(at.join("a"), "").unwrap();
        assert!(matches!(find(&at.join("a/b")), Err(FileFault::Missing)));
        symlink(at.join("around"), at.join("around")).unwrap();
        assert!(matches!(find(&at.join("around")), Err(FileFault::Moved)));
    }
}
