//! Sessions as records: create, read, list, change, delete; and their transcript.

use std::sync::Arc;

use openscience_core::answer;
use openscience_core::input::MetaPatch;
use openscience_core::profile::{self, SystemPromptWay};
use openscience_protocol::row::{AgentMeta, SessionMeta, SessionRow};
use openscience_protocol::{
    AgentId, EventBody, Message, MessageId, PermissionRequest, QuestionRequest, Session, SessionId,
    SessionStatus, Todo,
};
use openscience_store::{Creation, SessionQuery};

use crate::actor::ActorError;
use crate::ask::Request;
use crate::error::{AgentIds, CreateError, SessionError};
use crate::request::{AgentChoice, NewSession, Selected, SessionFilter, SessionPage, SessionPatchInput};
use crate::{Runtime, clock, deletion};

impl Runtime {
    /// Creates a session, or returns the one of that id. True if it is new.
    pub async fn create_session(
        &self,
        project: &Selected,
        new: NewSession,
    ) -> Result<(Session, bool), CreateError> {
        if self.is_stopping() {
            return Err(CreateError::ShuttingDown);
        }
        let row = self.new_row(project, &new).await?;
        if let Some(adoption) = &new.adopt {
            return self.adopt(project, row, adoption).await;
        }
        match self.0.store.create_session(row).await? {
            Creation::New(row) => {
                self.0.sessions.made(&row);
                let session = answer::session(&row);
                self.0.bus.tell(&row, &EventBody::SessionCreated { info: Box::new(session.clone()) });
                Ok((session, true))
            }
            Creation::Existing(row) => existing(project, &new, &row).map(|()| (answer::session(&row), false)),
            Creation::Deleted => match new.id {
                Some(id) => Err(CreateError::Deleted(id)),
                None => Err(CreateError::Store(openscience_store::StoreError::Closed)),
            },
        }
    }

    async fn new_row(&self, project: &Selected, new: &NewSession) -> Result<SessionRow, CreateError> {
        let config = &self.0.config;
        let (agent, launch) = match &new.agent {
            Some(AgentChoice::Described(launch)) => (profile::launch_id(launch), Some(launch.clone())),
            Some(AgentChoice::Named(asked)) => (self.agent_or_newer(asked).await?, None),
            None => (config.default_agent.clone(), None),
        };
        if new.system_prompt.is_some() {
            let known = self.0.connections.agent(&agent, launch.as_ref());
            let way = known.map(|known| known.profile(&agent).system_prompt);
            if way.is_none_or(|way| way == SystemPromptWay::None) {
                return Err(CreateError::SystemPromptUnsupported);
            }
        }
        if let Some(parent) = &new.parent_id {
            let row = self.0.store.session(parent).await?;
            if row.is_none_or(|row| row.project_id != project.id) {
                return Err(CreateError::ParentNotFound(parent.clone()));
            }
        }
        let now = clock::now();
        Ok(SessionRow {
            id: new.id.clone().unwrap_or_else(|| self.0.ids.session(now)),
            project_id: project.id.clone(),
            directory: project.directory.to_string_lossy().into_owned(),
            workspace: new.workspace.unwrap_or_default(),
            parent_id: new.parent_id.clone(),
            title: new.title.clone().unwrap_or_else(|| default_title(new.parent_id.is_some(), now)),
            agent,
            permission: new.permission.clone(),
            deadline_ms: new.deadline_ms,
            version: config.version.clone(),
            created: now,
            updated: now,
            archived: None,
            pinned: None,
            deleting: false,
            revision: 0,
            latest_sequence: 0,
            latest_message: 0,
            meta: SessionMeta {
                titled: new.title.is_some(),
                delivery: new.delivery,
                mcp_servers: new.mcp_servers.clone(),
                agent_session: new.adopt.as_ref().map(|adoption| adoption.agent_session.clone()),
                agent: Box::new(AgentMeta {
                    launch,
                    system_prompt: new.system_prompt.clone(),
                    initial_config: new.initial_config.clone(),
                    ..AgentMeta::default()
                }),
                ..SessionMeta::default()
            },
        })
    }

    /// The agent of that id or alias, as far as is known here.
    pub(crate) fn agent(&self, asked: &AgentId) -> Option<AgentId> {
        self.0.config.agent_id(asked)
    }

    /// The same; a newer registry is asked for one that nobody here knows.
    async fn agent_or_newer(&self, asked: &AgentId) -> Result<AgentId, CreateError> {
        if let Some(id) = self.agent(asked) {
            return Ok(id);
        }
        self.0.config.registry.renewed().await;
        self.agent(asked).ok_or_else(|| CreateError::AgentNotFound(self.agent_ids()))
    }

    /// Ids of the configured agents; those of the registry are too many for a message.
    pub fn agent_ids(&self) -> AgentIds {
        AgentIds(self.0.config.agents.keys().cloned().collect())
    }

    /// One session of the project.
    pub async fn session(&self, project: &Selected, id: &SessionId) -> Result<Session, SessionError> {
        Ok(answer::session(&self.row(project, id).await?))
    }

    pub(crate) async fn row(&self, project: &Selected, id: &SessionId) -> Result<SessionRow, SessionError> {
        let row = self.0.store.session(id).await?;
        row.filter(|row| row.project_id == project.id).ok_or_else(|| SessionError::NotFound(id.clone()))
    }

    /// Sessions of the project, newest created first.
    pub async fn sessions(
        &self,
        project: &Selected,
        filter: SessionFilter,
    ) -> Result<SessionPage, SessionError> {
        // One more than asked for tells whether there is a next page.
        let query = SessionQuery {
            roots: filter.roots,
            updated_since: filter.start,
            search: filter.search,
            limit: filter.limit.map(|limit| limit.saturating_add(1)),
            before: filter.before,
            // One that is not known here may be that of older sessions.
            agent: filter.agent.map(|asked| self.agent(&asked).unwrap_or(asked)),
        };
        let mut rows = self.0.store.list_sessions(&project.id, &query).await?;
        let wanted = filter.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let more = rows.len() > wanted;
        rows.truncate(wanted);
        let next = rows.last().filter(|_| more).map(|row| row.id.clone());
        Ok(SessionPage { sessions: rows.iter().map(answer::session).collect(), next })
    }

    /// Sessions whose parent it is.
    pub async fn children(&self, project: &Selected, id: &SessionId) -> Result<Vec<Session>, SessionError> {
        self.row(project, id).await?;
        Ok(self.0.store.children(id).await?.iter().map(answer::session).collect())
    }

    /// Changes title, archived or pinned.
    pub async fn patch_session(
        &self,
        project: &Selected,
        id: &SessionId,
        patch: SessionPatchInput,
    ) -> Result<Session, SessionError> {
        let SessionPatchInput { title, archived, pinned } = patch;
        self.command(project, id, Request::Patch(MetaPatch { title, archived, pinned })).await?;
        self.session(project, id).await
    }

    /// Cancels the live run, waits for its end, deletes children first, then the session.
    ///
    /// Deleting a session that is gone already is fine: a retry may come after the answer was lost.
    pub async fn delete_session(&self, project: &Selected, id: &SessionId) -> Result<(), SessionError> {
        match self.row(project, id).await {
            Ok(_) => {}
            Err(SessionError::NotFound(_)) if self.0.store.tombstone(id).await? => return Ok(()),
            Err(error) => return Err(error),
        }
        // The mark is committed before anything else, so that a restart takes the deletion up.
        self.command(project, id, Request::BeginDelete).await?;
        let (inner, session) = (Arc::clone(&self.0), id.clone());
        // A task of its own: it goes on if the caller leaves.
        let deletion = tokio::spawn(async move { deletion::finish(&inner, &session).await });
        match deletion.await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(ActorError::Store(error))) => Err(SessionError::Store(error)),
            Ok(Err(ActorError::NotFound | ActorError::Refused(_) | ActorError::TooMany)) | Err(_) => {
                Err(SessionError::Deleting(id.clone()))
            }
        }
    }

    async fn command(
        &self,
        project: &Selected,
        id: &SessionId,
        request: Request,
    ) -> Result<(), SessionError> {
        match self.ask(project, id, request).await {
            Ok(_) => Ok(()),
            Err(ActorError::NotFound | ActorError::TooMany) => Err(SessionError::NotFound(id.clone())),
            Err(ActorError::Refused(_)) => Err(SessionError::Deleting(id.clone())),
            Err(ActorError::Store(error)) => Err(SessionError::Store(error)),
        }
    }

    /// Sessions of the project that are not idle.
    pub async fn statuses(
        &self,
        project: &Selected,
    ) -> Result<Vec<(SessionId, SessionStatus)>, SessionError> {
        let live = self.0.store.live_sessions(Some(&project.id)).await?;
        Ok(live.into_iter().map(|(session, _, _)| (session, SessionStatus::Busy)).collect())
    }

    /// The agent's last plan.
    pub async fn todos(&self, project: &Selected, id: &SessionId) -> Result<Vec<Todo>, SessionError> {
        Ok(self.row(project, id).await?.meta.todos)
    }

    /// The newest `limit` messages, oldest first; all if `limit` is `None`.
    pub async fn messages(
        &self,
        project: &Selected,
        id: &SessionId,
        limit: Option<u32>,
    ) -> Result<Vec<Message>, SessionError> {
        self.row(project, id).await?;
        self.flush(id).await;
        Ok(self.0.store.messages(id, limit).await?)
    }

    /// One message, whole.
    pub async fn message(
        &self,
        project: &Selected,
        id: &SessionId,
        message: &MessageId,
    ) -> Result<Message, SessionError> {
        self.row(project, id).await?;
        self.flush(id).await;
        let found = self.0.store.message(id, message).await?;
        found.ok_or_else(|| SessionError::MessageNotFound(message.clone()))
    }

    /// Writes what an actor at work holds back. If it cannot, the read shows what is committed.
    pub(crate) async fn flush(&self, id: &SessionId) {
        if self.0.sessions.at_work(id) {
            drop(self.0.sessions.ask(&self.0, id, None, Request::Flush).await);
        }
    }

    /// Pending permissions of all sessions of the project.
    pub async fn pending_permissions(
        &self,
        project: &Selected,
    ) -> Result<Vec<PermissionRequest>, SessionError> {
        let rows = self.0.store.pending_decisions(&project.id).await?;
        Ok(rows.iter().filter_map(|row| row.permission().cloned()).collect())
    }

    /// Questions that wait in the project's sessions, oldest first.
    pub async fn pending_questions(&self, project: &Selected) -> Result<Vec<QuestionRequest>, SessionError> {
        let rows = self.0.store.pending_decisions(&project.id).await?;
        Ok(rows.iter().filter_map(|row| row.question().cloned()).collect())
    }
}

/// A session of that id exists: it must be the one that was asked for.
fn existing(project: &Selected, new: &NewSession, row: &SessionRow) -> Result<(), CreateError> {
    let session = row.id.clone();
    if row.deleting {
        return Err(CreateError::Deleting(session));
    }
    if row.project_id != project.id {
        return Err(CreateError::Conflict { session, what: "project" });
    }
    match new.workspace {
        Some(requested) if requested != row.workspace => {
            return Err(CreateError::WorkspaceMismatch { session, workspace: row.workspace, requested });
        }
        Some(_) | None => {}
    }
    match &new.agent {
        Some(AgentChoice::Named(asked)) if !is_same(asked, &row.agent) => {
            Err(CreateError::Conflict { session, what: "agent" })
        }
        Some(AgentChoice::Described(launch)) if profile::launch_id(launch) != row.agent => {
            Err(CreateError::Conflict { session, what: "agent" })
        }
        Some(_) | None => Ok(()),
    }
}

/// True for two names of one agent.
fn is_same(a: &AgentId, b: &AgentId) -> bool {
    profile::canonical(a.as_str()) == profile::canonical(b.as_str())
}

fn default_title(child: bool, now: i64) -> String {
    if !child {
        return "New session".to_owned();
    }
    let time = jiff::Timestamp::from_millisecond(now).unwrap_or_default();
    format!("Child session - {time:.3}")
}
