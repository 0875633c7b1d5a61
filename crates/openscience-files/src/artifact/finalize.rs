//! Putting the files of a claim with their message.
//!
//! The marker says which message it is before any file moves, and every step may be done again: whoever finds a
//! finalization half done goes on with it, to the same message or not at all.

use std::io;
use std::time::Duration;

use cap_std::fs::Dir;
use openscience_protocol::artifact::SavedFile;
use openscience_protocol::{ArtifactRunId, ClaimId, MessageId};
use serde::{Deserialize, Serialize};

use super::lock::{self, LockError};
use super::{PENDING, RUNS, SessionFiles, blob, record};
use crate::dir;

/// It holds three ids.
const MARKER_BYTES_MAX: u64 = 4 << 10;

/// Why files are not with their message.
#[derive(Debug, thiserror::Error)]
pub enum FinalizeError {
    #[error("the files belong to another message")]
    Conflict,
    #[error("the bytes of a file are gone")]
    Missing,
    #[error("other files of the session are being saved")]
    Busy,
    #[error("the files could not be put with their message")]
    Io(#[from] io::Error),
}

impl From<LockError> for FinalizeError {
    fn from(error: LockError) -> Self {
        match error {
            LockError::Busy => Self::Busy,
            LockError::Io(error) => Self::Io(error),
        }
    }
}

/// The files of one claim, and where they go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finalizing {
    pub claim: ClaimId,
    pub run: ArtifactRunId,
    pub message: MessageId,
    /// Every write that was claimed.
    pub files: Vec<FinalFile>,
}

/// One write that was claimed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FinalFile {
    pub number: u64,
    pub name: String,
    pub sha256: String,
    /// Its own turn saved another file over it: it has no file.
    pub replaced: bool,
}

impl From<&SavedFile> for FinalFile {
    fn from(file: &SavedFile) -> Self {
        let SavedFile { number, name, sha256, replaced, .. } = file.clone();
        Self { number, name, sha256, replaced }
    }
}

/// What was decided for a run, for whoever comes later.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Marker {
    #[serde(rename = "runId")]
    run: ArtifactRunId,
    #[serde(rename = "claimId")]
    claim: ClaimId,
    #[serde(rename = "messageId")]
    message: MessageId,
}

/// What puts files with their message, in this order. Each may be done again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    Mark,
    /// One file has its place and name.
    Place {
        name: String,
        sha256: String,
    },
    /// The names are durable.
    Sync,
    /// What the run has left goes, unless something was saved that was not claimed.
    Clear,
}

/// All steps of a finalization.
pub(super) fn steps(finalizing: &Finalizing) -> Vec<Step> {
    let files = finalizing.files.iter().filter(|file| !file.replaced);
    let place = files.map(|file| Step::Place { name: file.name.clone(), sha256: file.sha256.clone() });
    std::iter::once(Step::Mark).chain(place).chain([Step::Sync, Step::Clear]).collect()
}

impl SessionFiles {
    /// Puts the files with their message. Done again for the same message it changes nothing.
    pub fn finalize(&self, finalizing: &Finalizing, wait: Duration) -> Result<(), FinalizeError> {
        let folder = self.make()?;
        let held = lock::take(&folder, wait)?;
        for step in steps(finalizing) {
            self.perform(&folder, finalizing, &step)?;
        }
        drop(held);
        Ok(())
    }

    pub(super) fn perform(
        &self,
        folder: &Dir,
        finalizing: &Finalizing,
        step: &Step,
    ) -> Result<(), FinalizeError> {
        match step {
            Step::Mark => mark(folder, finalizing),
            Step::Place { name, sha256 } => {
                let message = dir::make_folder(folder, finalizing.message.as_str())?;
                let blobs = self.store.blobs(&self.project)?;
                match blob::place(&blobs, sha256, &message, name) {
                    Err(error) if error.kind() == io::ErrorKind::NotFound => Err(FinalizeError::Missing),
                    placed => Ok(placed?),
                }
            }
            Step::Sync => match dir::find_folder(folder, finalizing.message.as_str())? {
                Some(message) => Ok(dir::sync(&message)?),
                None => Ok(()),
            },
            Step::Clear => clear(folder, finalizing),
        }
    }
}

/// Decides for this message; durable before any file moves.
fn mark(folder: &Dir, finalizing: &Finalizing) -> Result<(), FinalizeError> {
    let marker = Marker {
        run: finalizing.run.clone(),
        claim: finalizing.claim.clone(),
        message: finalizing.message.clone(),
    };
    let runs = dir::make_folder(folder, RUNS)?;
    let name = format!("{}.json", finalizing.run);
    match dir::get(&runs, &name, MARKER_BYTES_MAX)? {
        None => {
            let content = serde_json::to_vec(&marker).map_err(io::Error::from)?;
            Ok(dir::put(&runs, &name, &content)?)
        }
        // One that cannot be read decides for nobody, so nothing is guessed.
        Some(known) => match serde_json::from_slice::<Marker>(&known) {
            Ok(known) if known == marker => Ok(()),
            Ok(_) | Err(_) => Err(FinalizeError::Conflict),
        },
    }
}

fn clear(folder: &Dir, finalizing: &Finalizing) -> Result<(), FinalizeError> {
    let Some(pending) = dir::find_folder(folder, PENDING)? else { return Ok(()) };
    let Some(saved) = dir::find_folder(&pending, finalizing.run.as_str())? else { return Ok(()) };
    let claimed = finalizing.files.iter().map(|file| file.number).max().unwrap_or(0);
    if record::read(&saved)?.iter().any(|file| file.number > claimed) {
        return Ok(());
    }
    drop(saved);
    pending.remove_dir_all(finalizing.run.as_str())?;
    Ok(())
}
