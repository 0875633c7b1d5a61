//! Which run saves now? One small file that the daemon writes and the tool's server reads.

use std::io;

use cap_std::fs::Dir;
use openscience_protocol::ArtifactRunId;
use serde::{Deserialize, Serialize};

use crate::dir;

pub(super) const HANDOFF: &str = "current-run.json";

const LOCK: &str = ".handoff.lock";

/// It holds one id.
const BYTES_MAX: u64 = 4 << 10;

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Handoff {
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<ArtifactRunId>,
}

/// Says which run saves now; durable when it returns.
pub(super) fn set(pending: &Dir, run: &ArtifactRunId) -> io::Result<()> {
    let held = lock(pending)?;
    put(pending, Some(run))?;
    drop(held);
    Ok(())
}

/// Says that no run saves now, unless it is another one than that.
pub(super) fn clear(pending: &Dir, run: &ArtifactRunId) -> io::Result<()> {
    let held = lock(pending)?;
    if get(pending)?.as_ref() == Some(run) {
        put(pending, None)?;
    }
    drop(held);
    Ok(())
}

/// Held for one small write: whoever ends a run must not end the one that has just begun.
fn lock(pending: &Dir) -> io::Result<std::fs::File> {
    let file = dir::open_or_make(pending, LOCK)?;
    rustix::fs::flock(&file, rustix::fs::FlockOperation::LockExclusive)?;
    Ok(file)
}

fn put(pending: &Dir, run: Option<&ArtifactRunId>) -> io::Result<()> {
    let content = serde_json::to_vec(&Handoff { run_id: run.cloned() })?;
    dir::put(pending, HANDOFF, &content)
}

/// The run that saves now. A file that is not one of ours names none.
pub(super) fn get(pending: &Dir) -> io::Result<Option<ArtifactRunId>> {
    let Some(content) = dir::get(pending, HANDOFF, BYTES_MAX)? else { return Ok(None) };
    Ok(serde_json::from_slice::<Handoff>(&content).unwrap_or_default().run_id)
}
