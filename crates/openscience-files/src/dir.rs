//! Directories by handle: what is opened below one is below it, whatever names and links say.
//!
//! No path of anyone else is ever joined here; names are components that their callers have checked.

use std::fs::File;
use std::io::{self, Read as _, Write as _};

use cap_std::fs::Dir;
use rustix::fs::{Mode, OFlags};

/// Only its owner may look into what we keep.
const FOLDER_MODE: Mode = Mode::RWXU;
const FILE_MODE: Mode = Mode::RUSR.union(Mode::WUSR);

/// Opens a folder that is there and is no link.
pub(crate) fn open_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
    let opened = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    Ok(Dir::from_std_file(File::from(opened)))
}

/// Opens a folder, made if need be.
pub(crate) fn make_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
    match rustix::fs::mkdirat(parent, name, FOLDER_MODE) {
        Ok(()) => sync(parent)?,
        Err(rustix::io::Errno::EXIST) => {}
        Err(error) => return Err(error.into()),
    }
    open_folder(parent, name)
}

/// A folder that may not be there.
pub(crate) fn find_folder(parent: &Dir, name: &str) -> io::Result<Option<Dir>> {
    match open_folder(parent, name) {
        Ok(dir) => Ok(Some(dir)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a file to read that is no link and no pipe that would block.
pub(crate) fn open_file(parent: &Dir, name: &str) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
    Ok(File::from(rustix::fs::openat(parent, name, flags, Mode::empty())?))
}

/// A file that may not be there.
pub(crate) fn find_file(parent: &Dir, name: &str) -> io::Result<Option<File>> {
    match open_file(parent, name) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Opens a file to read and write, made if need be.
pub(crate) fn open_or_make(parent: &Dir, name: &str) -> io::Result<File> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::openat(parent, name, flags, FILE_MODE)?))
}

/// Makes a new file to write.
pub(crate) fn make_file(parent: &Dir, name: &str) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(File::from(rustix::fs::openat(parent, name, flags, FILE_MODE)?))
}

/// True if there is anything of that name, a dangling link too.
pub(crate) fn exists(parent: &Dir, name: &str) -> io::Result<bool> {
    match parent.symlink_metadata(name) {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Makes names that were given or taken in the folder durable.
pub(crate) fn sync(dir: &Dir) -> io::Result<()> {
    // A handle that only names a folder cannot be synced.
    let flags = OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY;
    let open = rustix::fs::openat(dir, ".", flags, Mode::empty())?;
    Ok(rustix::fs::fsync(open)?)
}

/// Writes a small file whole or not at all; durable when it returns.
pub(crate) fn put(dir: &Dir, name: &str, content: &[u8]) -> io::Result<()> {
    let temporary = temporary_name()?;
    let mut file = make_file(dir, &temporary)?;
    let written = file.write_all(content).and_then(|()| file.sync_all());
    let placed = written.and_then(|()| dir.rename(&temporary, dir, name));
    if placed.is_err() {
        // The error that made it fail is the one to tell.
        dir.remove_file(&temporary).ok();
    }
    placed.and_then(|()| sync(dir))
}

/// A small file's content; none if it is not there.
pub(crate) fn get(dir: &Dir, name: &str, bytes_max: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = find_file(dir, name)? else { return Ok(None) };
    let mut content = Vec::new();
    file.take(bytes_max).read_to_end(&mut content)?;
    Ok(Some(content))
}

/// A name for a file that is not finished. No artifact begins with a dot.
pub(crate) fn temporary_name() -> io::Result<String> {
    let mut bytes = [0_u8; 12];
    #[expect(
        clippy::disallowed_methods,
        reason = "keeps files of several processes apart and decides nothing"
    )]
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(format!(".{}.tmp", hex(&bytes)))
}

/// Lower-case hex.
pub(crate) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

/// Names of what is in a folder, sorted.
pub(crate) fn names(dir: &Dir) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in dir.entries()? {
        // A name that is no text is not ours.
        names.extend(entry?.file_name().into_string());
    }
    names.sort();
    Ok(names)
}
