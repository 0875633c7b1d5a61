//! How does a binary distribution get onto this machine? Only when a person asks for it.
//!
//! Downloaded, compared with its digest, unpacked into a folder that nobody looks at, and moved into place in one step.

use std::fs::{DirBuilder, File};
use std::io::{self, Seek as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use super::archive::{self, ArchiveError, Bounds, Kind};
use super::document::{Entry, Target};
use super::fetch::{self, FetchError};
use super::installed::{self, FILES, Installed, LAUNCH};
use super::ways;

/// Why an agent was not installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("the registry knows no agent {id}; it knows {known}")]
    Unknown { id: String, known: String },
    #[error("the registry has no archive of agent {id} for {platform}{}", other(*.packaged))]
    NoArchive { id: String, platform: String, packaged: bool },
    #[error("the registry tells no version of agent {id}")]
    NoVersion { id: String },
    #[error("it was not fetched")]
    Fetch(#[from] FetchError),
    #[error("its archive is not the one the registry means: its SHA-256 is {found}, it should be {expected}")]
    Digest { expected: String, found: String },
    #[error("its archive was not unpacked")]
    Archive(#[from] ArchiveError),
    #[error("its archive does not hold the program that the registry names")]
    NoProgram,
    #[error("it could not be put into place")]
    Io(#[from] io::Error),
}

fn other(packaged: bool) -> &'static str {
    if packaged { "; it is started through npx or uvx, which fetch it" } else { "" }
}

/// An agent that is installed now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Installation {
    pub id: String,
    pub version: String,
    /// The program.
    pub command: PathBuf,
    /// It was there before.
    pub already: bool,
    /// The registry told its digest, and it is the one.
    pub verified: bool,
}

/// Installs an entry below `agents`. Blocks.
pub(super) fn install(entry: &Entry, platform: &str, agents: &Path) -> Result<Installation, InstallError> {
    let id = entry.id.clone();
    let distribution = &entry.distribution;
    let target = distribution.binary.get(platform);
    let Some((target, url)) = target.and_then(|target| Some((target, target.archive.as_deref()?))) else {
        let packaged = distribution.npx.is_some() || distribution.uvx.is_some();
        return Err(InstallError::NoArchive { id, platform: platform.to_owned(), packaged });
    };
    let version = entry.version.clone().ok_or_else(|| InstallError::NoVersion { id: id.clone() })?;
    let folder = installed::folder(agents, &entry.id);
    let place = folder.join(&version);
    let done =
        |command, already| Installation { id, version, command, already, verified: target.sha256.is_some() };
    if let Some(there) = installed::read(&place) {
        return Ok(done(there.command, true));
    }
    DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
    let staged = stage(target, url, &folder)?;
    match std::fs::rename(staged.path(), &place) {
        Ok(()) => {}
        // Somebody else was faster, or it is what an older program left that is not whole.
        Err(_) if installed::read(&place).is_some() => {}
        Err(_) => {
            std::fs::remove_dir_all(&place)?;
            std::fs::rename(staged.path(), &place)?;
        }
    }
    let there = installed::read(&place).ok_or(InstallError::NoProgram)?;
    Ok(done(there.command, false))
}

/// A folder with everything in it, beside the place it is for.
fn stage(target: &Target, url: &str, folder: &Path) -> Result<tempfile::TempDir, InstallError> {
    let kind = Kind::of(url).ok_or(ArchiveError::Kind)?;
    let command = archive::inside(Path::new(&target.command.replace('\\', "/")))?;
    let program = ways::program_name(&target.command).ok_or(InstallError::NoProgram)?;
    let mut download = tempfile::tempfile_in(folder)?;
    let found = fetch::download(url, &mut download, fetch::ARCHIVE_BYTES_MAX)?;
    if let Some(expected) = target.sha256.as_ref().filter(|expected| **expected != found) {
        return Err(InstallError::Digest { expected: expected.clone(), found });
    }
    download.rewind()?;
    // Its name is no version's.
    let staged = tempfile::Builder::new().prefix(".new-").tempdir_in(folder)?;
    let files = staged.path().join(FILES);
    DirBuilder::new().mode(0o700).create(&files)?;
    archive::unpack(kind, download, &files, &program, Bounds::AGENT)?;
    let command = if kind == Kind::Program { PathBuf::from(program) } else { command };
    let path = files.join(&command);
    if !path.is_file() {
        return Err(InstallError::NoProgram);
    }
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))?;
    let launch = Installed {
        command,
        args: target.run.args.clone(),
        env: target.run.env.clone(),
        archive: url.to_owned(),
        sha256: found,
    };
    let mut file = File::create(staged.path().join(LAUNCH))?;
    file.write_all(&serde_json::to_vec(&launch).map_err(io::Error::other)?)?;
    Ok(staged)
}
