//! The sessions at work: which actor answers for an id.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openscience_core::answer::Answer;
use openscience_protocol::row::SessionRow;
use openscience_protocol::{Millis, ProjectId, SessionId};
use openscience_store::StoreError;
use tokio::sync::{mpsc, oneshot};

use crate::actor::{ActorError, Envelope, SessionActor};
use crate::ask::Request;
use crate::recovery;
use crate::shared::Inner;

/// Requests that wait for one session; beyond, callers wait.
const REQUESTS_WAITING: usize = 256;

/// Sessions just made whose rows are kept for their first request; beyond, all are forgotten.
const MADE_MAX: usize = 4_096;

/// Actors by session. The lock guards maps for the length of a look-up; an actor that finds
/// nothing to do leaves under the same lock, so no request can fall between.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<Table>);

#[derive(Debug, Default)]
struct Table {
    actors: HashMap<SessionId, Handle>,
    /// Rows as they were made. An actor that begins with an old one meets the revision at its commit.
    made: HashMap<SessionId, SessionRow>,
}

/// An actor at work.
#[derive(Debug, Clone)]
struct Handle {
    commands: mpsc::Sender<Envelope>,
    activity: Activity,
}

/// What others see of a session's actor.
#[derive(Debug, Clone, Default)]
pub(crate) struct Activity {
    /// When the agent was last heard of: milliseconds since the epoch, 0 for never.
    heard: Arc<AtomicI64>,
    /// A permission waits for a person.
    asks: Arc<AtomicBool>,
}

impl Activity {
    pub(crate) fn note(&self, now: Millis) {
        self.heard.store(now, Ordering::Relaxed);
    }

    fn last(&self) -> Option<Millis> {
        Some(self.heard.load(Ordering::Relaxed)).filter(|at| *at > 0)
    }

    /// Notes whether a permission waits for a person.
    pub(crate) fn asks(&self, permission: bool) {
        self.asks.store(permission, Ordering::Relaxed);
    }
}

impl Sessions {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the row of a session just made: most are asked something next, and need not be read for it.
    pub(crate) fn made(&self, row: &SessionRow) {
        let made = &mut self.table().made;
        if made.len() >= MADE_MAX {
            made.clear();
        }
        made.insert(row.id.clone(), row.clone());
    }

    /// Forgets rows that another process may have changed.
    pub(crate) fn forget_made(&self) {
        self.table().made = HashMap::new();
    }

    /// The session's actor, started if need be.
    fn handle(&self, id: &SessionId, inner: &Arc<Inner>) -> mpsc::Sender<Envelope> {
        let mut table = self.table();
        if let Some(handle) = table.actors.get(id).filter(|handle| !handle.commands.is_closed()) {
            return handle.commands.clone();
        }
        let (handle, commands) = mpsc::channel(REQUESTS_WAITING);
        let activity = Activity::default();
        table.actors.insert(id.clone(), Handle { commands: handle.clone(), activity: activity.clone() });
        let made = table.made.remove(id);
        let (id, inner) = (id.clone(), Arc::clone(inner));
        tokio::spawn(async move {
            let run = SessionActor::run(id.clone(), Arc::clone(&inner), made, commands, activity);
            let actor = tokio::spawn(run);
            if actor.await.is_err_and(|error| error.is_panic()) {
                tracing::error!(session.id = %id, "a session's actor panicked; its run is settled");
                inner.sessions.remove(&id);
                recovery::settle(&inner, &id, false).await;
            }
        });
        handle
    }

    /// Asks the session and waits for the answer.
    pub(crate) async fn ask(
        &self,
        inner: &Arc<Inner>,
        id: &SessionId,
        project: Option<ProjectId>,
        request: Request,
    ) -> Result<Answer, ActorError> {
        let (reply, answer) = oneshot::channel();
        let mut envelope = Envelope { project, request, reply };
        // An actor can leave between look-up and send; the next look-up starts another.
        for _ in 0..8 {
            match self.handle(id, inner).send(envelope).await {
                Ok(()) => return answer.await.unwrap_or(Err(ActorError::Store(StoreError::Closed))),
                Err(back) => envelope = back.0,
            }
        }
        Err(ActorError::Store(StoreError::Closed))
    }

    /// Lets an idle actor go, unless a request is on its way to it.
    pub(crate) fn retire(&self, id: &SessionId, commands: &mpsc::Receiver<Envelope>) -> bool {
        let mut table = self.table();
        let idle = commands.is_empty() && commands.sender_strong_count() <= 1;
        if idle {
            table.actors.remove(id);
        }
        idle
    }

    /// Sessions that have an actor.
    pub(crate) fn working(&self) -> Vec<SessionId> {
        self.table().actors.keys().cloned().collect()
    }

    /// Tells an actor at work that its session may have changed elsewhere. One that is too busy to
    /// take the news will meet the revision at its next commit.
    pub(crate) fn refresh(&self, id: &SessionId, revision: i64) {
        if let Some(handle) = self.table().actors.get(id) {
            let (reply, _) = oneshot::channel();
            drop(handle.commands.try_send(Envelope {
                project: None,
                request: Request::Refresh { revision },
                reply,
            }));
        }
    }

    /// Tells sessions whose agents wait for permission, or only that one, that a grant may have been given where
    /// they do not hear of it. One too busy to take the news is asked again with the next.
    pub(crate) fn cover(&self, only: Option<&SessionId>) {
        let table = self.table();
        let waiting = table.actors.iter().filter(|(id, handle)| {
            handle.activity.asks.load(Ordering::Relaxed) && only.is_none_or(|only| only == *id)
        });
        for (_, handle) in waiting {
            let (reply, _) = oneshot::channel();
            drop(handle.commands.try_send(Envelope { project: None, request: Request::Cover, reply }));
        }
    }

    /// When the session's agent was last heard of.
    pub(crate) fn last_activity(&self, id: &SessionId) -> Option<Millis> {
        self.table().actors.get(id)?.activity.last()
    }

    /// True if the session has an actor.
    pub(crate) fn at_work(&self, id: &SessionId) -> bool {
        self.table().actors.contains_key(id)
    }

    /// Forgets the actor of a session that is gone.
    pub(crate) fn remove(&self, id: &SessionId) {
        self.table().actors.remove(id);
    }

    /// Asks every actor at work.
    pub(crate) async fn ask_all(&self, make: impl Fn() -> Request) {
        let handles: Vec<mpsc::Sender<Envelope>> =
            self.table().actors.values().map(|h| h.commands.clone()).collect();
        let ask = |handle: mpsc::Sender<Envelope>| {
            let (reply, answer) = oneshot::channel();
            let envelope = Envelope { project: None, request: make(), reply };
            async move {
                if handle.send(envelope).await.is_ok() {
                    drop(answer.await);
                }
            }
        };
        futures_util::future::join_all(handles.into_iter().map(ask)).await;
    }
}

#[cfg(test)]
mod tests {
    use openscience_protocol::row::SessionMeta;
    use openscience_protocol::{AgentId, Workspace};

    use super::*;

    fn row(id: &str) -> SessionRow {
        SessionRow {
            id: id.parse().unwrap(),
            project_id: "prj_1".parse().unwrap(),
            directory: "/p".to_owned(),
            workspace: Workspace::Project,
            parent_id: None,
            title: String::new(),
            agent: AgentId::from("sim"),
            permission: None,
            deadline_ms: None,
            version: String::new(),
            created: 1,
            updated: 1,
            archived: None,
            pinned: None,
            deleting: false,
            revision: 0,
            latest_sequence: 0,
            latest_message: 0,
            meta: SessionMeta::default(),
        }
    }

    #[test]
    fn rows_of_sessions_just_made_are_bounded_and_forgotten_when_others_write() {
        let sessions = Sessions::default();
        for number in 0..=MADE_MAX {
            sessions.made(&row(&format!("ses_{number}")));
            assert!(sessions.table().made.len() <= MADE_MAX);
        }
        assert!(sessions.table().made.contains_key(&row(&format!("ses_{MADE_MAX}")).id));
        sessions.forget_made();
        assert!(sessions.table().made.is_empty());
    }
}
