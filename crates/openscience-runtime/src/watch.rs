//! Notices what other processes commit: wakes readers here, and actors whose
//! session changed under them. Reads numbers only; actors read the rows.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use openscience_protocol::SessionId;
use openscience_store::StoreError;

use crate::shared::Inner;

/// How often while somebody follows a session or a run is at work here.
const BUSY: Duration = Duration::from_millis(50);
/// How often otherwise.
const QUIET: Duration = Duration::from_millis(250);

/// Watches until the runtime stops.
pub(crate) async fn watch_forever(inner: Arc<Inner>) {
    let mut seen = None;
    loop {
        let work = inner.subscribers.load(Ordering::Relaxed) + inner.live_runs.load(Ordering::Relaxed);
        let pause = tokio::time::sleep(if work > 0 { BUSY } else { QUIET });
        if inner.stopping.run_until_cancelled(pause).await.is_none() {
            return;
        }
        match look(&inner, seen).await {
            Ok(version) => seen = Some(version),
            Err(StoreError::Closed) => return,
            Err(error) => tracing::warn!(%error, "could not look for work of other processes"),
        }
    }
}

/// Compares the database's version with the one seen before; tells whom a foreign commit may concern.
async fn look(inner: &Arc<Inner>, seen: Option<i64>) -> Result<i64, StoreError> {
    let version = inner.store.data_version().await?;
    if seen == Some(version) {
        return Ok(version);
    }
    if seen.is_some() {
        inner.sessions.forget_made();
    }
    // Also at the first look: others may have committed before it.
    inner.sessions.cover(None);
    let mut sessions: Vec<SessionId> = inner.heads.followed();
    sessions.extend(inner.sessions.working());
    sessions.sort_unstable();
    sessions.dedup();
    if sessions.is_empty() {
        return Ok(version);
    }
    let marks = inner.store.marks(&sessions).await?;
    for mark in &marks {
        inner.heads.publish(&mark.session, mark.latest_sequence);
        inner.heads.revised(&mark.session, mark.revision);
        inner.sessions.refresh(&mark.session, mark.revision);
    }
    if marks.len() < sessions.len() {
        let known: HashSet<&SessionId> = marks.iter().map(|mark| &mark.session).collect();
        for deleted in sessions.iter().filter(|session| !known.contains(session)) {
            inner.heads.gone(deleted);
            inner.sessions.refresh(deleted, i64::MAX);
        }
    }
    Ok(version)
}
