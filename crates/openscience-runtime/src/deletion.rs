//! Deleting a session: its work is ended, its children go first, then its rows
//! and its scratch folder. Owned by the process, not by the request that asked:
//! a caller that leaves, or a restart, does not leave it half done.

use std::sync::Arc;

use openscience_core::answer;
use openscience_protocol::{EventBody, SessionId};
use openscience_store::StoreError;

use crate::actor::ActorError;
use crate::ask::Request;
use crate::clock;
use crate::saving;
use crate::shared::Inner;
use crate::turn;

/// Takes up deletions that an earlier process began and did not finish.
pub(crate) async fn resume(inner: &Arc<Inner>) -> Result<(), StoreError> {
    for session in inner.store.deleting_sessions().await? {
        let inner = Arc::clone(inner);
        tokio::spawn(async move {
            if let Err(error) = finish(&inner, &session).await {
                tracing::warn!(session.id = %session, ?error, "a session could not be deleted yet");
            }
        });
    }
    Ok(())
}

/// Removes scratch folders of sessions that are gone: a daemon may have died between the rows and the files.
pub(crate) async fn sweep_scratch(inner: Arc<Inner>) {
    let Ok(mut entries) = tokio::fs::read_dir(&inner.scratch).await else { return };
    while let Ok(Some(entry)) = entries.next_entry().await {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<SessionId>() else { continue };
        // What was never a session of ours stays.
        match inner.store.tombstone(&id).await {
            Ok(true) => remove_scratch(&inner, &id).await,
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(%error, "could not look for scratch folders that were left");
                return;
            }
        }
    }
}

async fn remove_scratch(inner: &Inner, id: &SessionId) {
    let scratch = turn::scratch(&inner.config.data_dir, id.as_str());
    match tokio::fs::remove_dir_all(&scratch).await {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            tracing::warn!(session.id = %id, %error, "the scratch folder could not be removed");
        }
        Ok(()) | Err(_) => {}
    }
}

/// Marks the session, waits for the end of its work and removes it.
pub(crate) async fn finish(inner: &Arc<Inner>, id: &SessionId) -> Result<(), ActorError> {
    ask(inner, id, Request::BeginDelete).await?;
    for child in inner.store.children(id).await.map_err(ActorError::Store)? {
        Box::pin(finish(inner, &child.id)).await?;
    }
    ask(inner, id, Request::WaitIdle { own: false }).await?;
    // Gone already if someone else was faster: then they tell it.
    let row = inner.store.session(id).await.map_err(ActorError::Store)?;
    if let Some(row) = &row {
        // While the session is there to be deleted again, if this is cut off.
        saving::forget(inner, &row.project_id, id).await;
    }
    inner.store.delete_session(id, clock::now()).await.map_err(ActorError::Store)?;
    if let Some(row) = row {
        inner.bus.tell(&row, &EventBody::SessionDeleted { info: Box::new(answer::session(&row)) });
    }
    inner.heads.gone(id);
    inner.sessions.remove(id);
    remove_scratch(inner, id).await;
    Ok(())
}

/// A session that is gone already needs nothing more: someone else was faster.
async fn ask(inner: &Arc<Inner>, id: &SessionId, request: Request) -> Result<(), ActorError> {
    match inner.sessions.ask(inner, id, None, request).await {
        Ok(_) | Err(ActorError::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}
