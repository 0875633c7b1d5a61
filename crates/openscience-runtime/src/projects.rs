//! Which project a request is for: a canonical directory and its id.

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use openscience_protocol::session::ProjectTime;
use openscience_protocol::{Project, ProjectId};
use sha2::{Digest as _, Sha256};

use crate::clock;
use crate::error::SelectError;
use crate::request::{Selected, Selector};
use crate::shared::Inner;

/// Resolves the selectors of a request. The project is recorded once it is selected.
pub(crate) async fn select(inner: &Inner, selector: Selector) -> Result<Selected, SelectError> {
    let directory = match selector.directories.first() {
        Some(given) => Some(resolve(&selector.directories).ok_or_else(|| refused(given))?),
        None => None,
    };
    let Some(id) = selector.project else {
        let directory = directory.unwrap_or_else(|| inner.config.default_directory.clone());
        return record(inner, directory).await;
    };
    let project = inner.store.project(&id).await?.ok_or_else(|| SelectError::Unknown(id.clone()))?;
    let worktree = PathBuf::from(project.worktree);
    match directory {
        Some(directory) if directory != worktree => Err(SelectError::Mismatch(id, directory)),
        Some(_) | None if worktree.is_dir() => Ok(Selected { id, directory: worktree }),
        Some(_) | None => Err(SelectError::Stale(id, worktree)),
    }
}

fn refused(directory: &str) -> SelectError {
    SelectError::Directory { directory: directory.to_owned() }
}

/// The first candidate that is an existing absolute directory, links resolved.
fn resolve(candidates: &[String]) -> Option<PathBuf> {
    let canonical = |candidate: &String| {
        let path = Path::new(candidate);
        let path = path.is_absolute().then(|| path.canonicalize().ok()).flatten()?;
        // Directories are told as text; one that is not text cannot be selected.
        (path.is_dir() && path.to_str().is_some()).then_some(path)
    };
    candidates.iter().find_map(canonical)
}

/// `prj_` and 32 hex digits of a digest of the canonical path.
fn project_id(directory: &Path) -> Option<ProjectId> {
    let digest = Sha256::digest(directory.as_os_str().as_encoded_bytes());
    let head: [u8; 16] = digest.as_slice().first_chunk().copied()?;
    format!("{}_{:032x}", ProjectId::PREFIX, u128::from_be_bytes(head)).parse().ok()
}

async fn record(inner: &Inner, directory: PathBuf) -> Result<Selected, SelectError> {
    let known = inner.projects.lock().unwrap_or_else(PoisonError::into_inner).get(&directory).cloned();
    if let Some(id) = known {
        return Ok(Selected { id, directory });
    }
    let text = directory.to_string_lossy().into_owned();
    let id = project_id(&directory).ok_or_else(|| refused(&text))?;
    let now = clock::now();
    let project = Project {
        id: id.clone(),
        worktree: text,
        vcs: directory.join(".git").exists().then(|| "git".to_owned()),
        name: directory.file_name().map(|name| name.to_string_lossy().into_owned()),
        origin: "openscience".to_owned(),
        time: ProjectTime { created: now, updated: now },
        sandboxes: Vec::new(),
    };
    inner.store.record_project(&project).await?;
    inner.projects.lock().unwrap_or_else(PoisonError::into_inner).insert(directory.clone(), id.clone());
    Ok(Selected { id, directory })
}
