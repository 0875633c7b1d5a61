//! One writer at a time in a session's folder, whatever the process.
//!
//! The lock file holds what has been counted, so that counting costs nothing. It is held for one write or one
//! finalization, and ends with its process.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, Write as _};
use std::time::{Duration, Instant};

use cap_std::fs::Dir;
use openscience_protocol::ArtifactRunId;
use rustix::fs::FlockOperation;
use serde::{Deserialize, Serialize};

use crate::dir;

const LOCK: &str = ".lock";

/// Between two tries; a write of a small file takes about as long.
const POLL: Duration = Duration::from_millis(2);

/// Why the lock could not be had.
#[derive(Debug, thiserror::Error)]
pub(super) enum LockError {
    #[error("another write goes on")]
    Busy,
    #[error("the lock cannot be taken")]
    Io(#[from] io::Error),
}

/// What has been saved so far. A crash may leave one write counted that was not kept.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Usage {
    pub session_bytes: u64,
    /// The run of the two below.
    pub run_id: Option<ArtifactRunId>,
    pub run_bytes: u64,
    pub run_files: u64,
}

/// The lock, until it is dropped.
#[derive(Debug)]
pub(super) struct Held(File);

/// Takes the lock of a session's folder, waiting at most so long.
pub(super) fn take(folder: &Dir, wait: Duration) -> Result<Held, LockError> {
    let file = dir::open_or_make(folder, LOCK)?;
    let begin = Instant::now();
    loop {
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(Held(file)),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) if begin.elapsed() < wait => {
                std::thread::sleep(POLL.min(wait));
            }
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => return Err(LockError::Busy),
            Err(error) => return Err(LockError::Io(error.into())),
        }
    }
}

impl Held {
    /// What was counted; none if that cannot be read.
    pub(super) fn usage(&mut self) -> io::Result<Option<Usage>> {
        let mut content = String::new();
        self.0.rewind()?;
        (&self.0).take(4 << 10).read_to_string(&mut content)?;
        Ok(serde_json::from_str(&content).ok())
    }

    /// Keeps a count. It need not be durable: one that is torn is counted again.
    pub(super) fn count(&mut self, usage: &Usage) -> io::Result<()> {
        let content = serde_json::to_vec(usage)?;
        self.0.rewind()?;
        self.0.set_len(0)?;
        self.0.write_all(&content)
    }
}
