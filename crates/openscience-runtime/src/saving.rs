//! Files that agents save, beside the actor: who may save now, what was saved, and putting it away.
//!
//! Whose files they are is decided by the core; here its decisions become folders.

use std::sync::Arc;
use std::time::Duration;

use openscience_files::artifact::{FinalFile, FinalizeError, Finalizing, SessionFiles};
use openscience_protocol::artifact::SavedFile;
use openscience_protocol::row::{ClaimRow, SessionRow};
use openscience_protocol::{ArtifactRunId, ProjectId, SessionId};

use openscience_store::StoreError;

use crate::actor::ActorError;
use crate::ask::Request;
use crate::clock;
use crate::shared::Inner;

/// How long a finalization waits for a write that goes on in the session.
const FINALIZE_WAIT: Duration = Duration::from_mins(1);

/// How often is looked for what has been in the trash for too long.
const TRASH_LOOK: Duration = Duration::from_hours(1);

/// The files of a session.
pub(crate) fn files(inner: &Inner, project: &ProjectId, session: &SessionId) -> Option<SessionFiles> {
    inner.artifacts.session(project.as_str(), session)
}

/// Says that the session's agent saves for this turn now; durable when it returns. A turn that cannot save is a turn.
pub(crate) async fn activate(inner: &Inner, row: &SessionRow, run: ArtifactRunId) {
    let Some(files) = files(inner, &row.project_id, &row.id) else { return };
    let done = tokio::task::spawn_blocking(move || files.activate(&run)).await;
    if let Ok(Err(error)) = done {
        tracing::warn!(session.id = %row.id, %error, "this turn cannot save files");
    }
}

/// Ends the run and lists what it has saved, unless that was claimed already. What cannot be listed stays where it is.
pub(crate) async fn collect(
    inner: &Inner,
    project: &ProjectId,
    session: &SessionId,
    run: &ArtifactRunId,
    wait: Duration,
) -> Vec<SavedFile> {
    let Some(files) = files(inner, project, session) else { return Vec::new() };
    let ending = run.clone();
    let closed = match tokio::task::spawn_blocking(move || files.close(&ending, wait)).await {
        Ok(Ok(closed)) => closed,
        Ok(Err(error)) => {
            tracing::warn!(session.id = %session, %error, "what a turn has saved could not be listed");
            return Vec::new();
        }
        // The daemon is stopping.
        Err(_) => return Vec::new(),
    };
    if closed.late {
        tracing::warn!(session.id = %session, artifact.run = %run, "a turn ended while a file was being saved");
    }
    let claimed = !closed.files.is_empty() && inner.store.is_claimed(session, run).await.unwrap_or(false);
    if claimed { Vec::new() } else { closed.files }
}

/// Why the files of a claim are not with their message, in words for people.
async fn finalize(inner: &Inner, row: &SessionRow, claim: &ClaimRow) -> Result<(), String> {
    let session = &row.id;
    let gone = || "artifacts are not kept here".to_owned();
    let files = files(inner, &row.project_id, session).ok_or_else(gone)?;
    let versions =
        inner.store.claimed_versions(session, &claim.id).await.map_err(|error| error.to_string())?;
    let finalizing = Finalizing {
        claim: claim.id.clone(),
        run: claim.artifact_run.clone(),
        message: claim.message_id.clone(),
        files: versions
            .into_iter()
            .map(|row| FinalFile {
                number: row.write,
                name: row.name,
                sha256: row.sha256,
                replaced: row.replaced,
            })
            .collect(),
    };
    let done = tokio::task::spawn_blocking(move || files.finalize(&finalizing, FINALIZE_WAIT)).await;
    match done {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => {
            tracing::warn!(session.id = %session, claim.id = %claim.id, ?error, "files could not be put away");
            Err(match error {
                // Its cause may name a path.
                FinalizeError::Io(cause) => {
                    format!("the files could not be put with their message: {}", cause.kind())
                }
                FinalizeError::Conflict | FinalizeError::Missing | FinalizeError::Busy => error.to_string(),
            })
        }
        Err(_) => Err("the daemon stopped".to_owned()),
    }
}

/// Puts the files of a claim with their message and records what came of it.
pub(crate) async fn settle(inner: &Arc<Inner>, session: &SessionId, claim: &ClaimRow) {
    let row = match inner.store.session(session).await {
        Ok(Some(row)) => row,
        Ok(None) => return,
        Err(error) => {
            tracing::warn!(session.id = %session, %error, "the files of a turn wait to be put away");
            return;
        }
    };
    let failure = finalize(inner, &row, claim).await.err();
    let request = Request::SettleClaim { claim: claim.id.clone(), failure };
    match inner.sessions.ask(inner, session, None, request).await {
        // A session that is gone needs no record.
        Ok(_) | Err(ActorError::NotFound) => {}
        Err(error) => {
            tracing::warn!(session.id = %session, ?error, "that files were put away could not be recorded yet");
        }
    }
}

/// The same for a claim that may have failed before; it is pending again meanwhile.
pub(crate) async fn settle_again(
    inner: &Arc<Inner>,
    session: &SessionId,
    claim: &ClaimRow,
) -> Result<(), StoreError> {
    let request = Request::ReopenClaim(Box::new(claim.clone()));
    match inner.sessions.ask(inner, session, None, request).await {
        Err(ActorError::Store(error)) => return Err(error),
        Ok(_) | Err(ActorError::NotFound | ActorError::Refused(_) | ActorError::TooMany) => {}
    }
    settle(inner, session, claim).await;
    Ok(())
}

/// Takes up claims that no living process sees to.
pub(crate) async fn take_up(inner: &Arc<Inner>) {
    match inner.store.left_claims().await {
        Ok(left) => {
            for (session, claim) in left {
                let inner = Arc::clone(inner);
                tokio::spawn(async move { settle(&inner, &session, &claim).await });
            }
        }
        Err(error) => tracing::warn!(%error, "files that a process left could not be looked for"),
    }
}

/// Removes what no message of a session that is gone has.
pub(crate) async fn forget(inner: &Inner, project: &ProjectId, session: &SessionId) {
    let Some(files) = files(inner, project, session) else { return };
    if let Ok(Err(error)) = tokio::task::spawn_blocking(move || files.forget_pending()).await {
        tracing::warn!(session.id = %session, %error, "files of a deleted session could not be removed");
    }
}

/// Empties the trash of what has been in it for too long, until the runtime stops.
pub(crate) async fn empty_trash_forever(inner: Arc<Inner>) {
    loop {
        if let Err(error) = empty_trash(&inner).await {
            tracing::warn!(%error, "the trash could not be emptied");
        }
        if inner.stopping.run_until_cancelled(tokio::time::sleep(TRASH_LOOK)).await.is_none() {
            return;
        }
    }
}

async fn empty_trash(inner: &Inner) -> Result<(), StoreError> {
    let before = clock::now() - openscience_protocol::artifact::TRASH_KEPT_MS;
    let unused = inner.store.empty_trash(before).await?;
    let store = inner.artifacts.clone();
    let emptied = tokio::task::spawn_blocking(move || {
        for (project, sha256) in unused {
            if let Err(error) = store.forget_bytes(project.as_str(), &sha256) {
                tracing::warn!(%error, "bytes that nothing needs could not be removed");
            }
        }
    });
    drop(emptied.await);
    Ok(())
}
