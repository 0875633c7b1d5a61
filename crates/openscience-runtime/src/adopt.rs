//! Sessions whose conversation was held elsewhere: taken over from an agent, or forked from another session.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use agent_client_protocol_schema::v1::SessionUpdate;
use openscience_acp::{EventStream, OpenedSession, Opening, SessionEvent};
use openscience_core::answer;
use openscience_core::input::{AgentUpdate, OpenMethod, Opened};
use openscience_core::transcribe;
use openscience_core::visit::{self, Transcript, Visited};
use openscience_protocol::row::{MessageRow, MessageRows, PartRow, SessionRow};
use openscience_protocol::{EventBody, Message, RunError, Session, SessionId};
use openscience_store::Creation;
use tokio::time::timeout;

use crate::actor::ActorError;
use crate::ask::Request;
use crate::connections::Connections;
use crate::error::{CreateError, VisitError};
use crate::link::Link;
use crate::request::{Adoption, ForkInput, Selected};
use crate::turn::{self, Place};
use crate::visit::Errand;
use crate::{Runtime, clock, wishes};

/// Events of the agent that wait while its history is read.
const UPDATES_WAITING: usize = 64;
/// Updates of a history that are taken; the rest of a longer one stays with the agent.
const HISTORY_UPDATES_MAX: usize = 200_000;
/// Some agents go on telling history after they have answered: until they pause for this long.
const QUIET: Duration = Duration::from_millis(100);

impl Runtime {
    /// Makes a session of a conversation the agent holds. Nothing is made if the agent does not take it up.
    pub(crate) async fn adopt(
        &self,
        project: &Selected,
        row: SessionRow,
        adoption: &Adoption,
    ) -> Result<(Session, bool), CreateError> {
        let taken = self.0.store.session_of_agent(&project.id, &row.agent, &adoption.agent_session).await?;
        if let Some(other) = taken {
            // Made before and perhaps not finished: this may be a retry.
            let unfinished = other.id == row.id && other.latest_message == 0 && other.meta.agent_turns == 0;
            if other.id != row.id {
                return Err(CreateError::Taken { session: other.id });
            }
            if !unfinished {
                return Ok((answer::session(&other), false));
            }
        }
        let place = self.place(row.clone());
        let (link, opened, history) = take_up(&self.0.connections, &place, adoption).await?;
        let transcript = match adoption.method {
            OpenMethod::Load => {
                let mut ids = self.0.ids.clone();
                transcribe::history(&row, history, &mut self.0.context(&mut ids))
            }
            // It goes on where we cannot see how it began.
            OpenMethod::Resume => Transcript { messages: Vec::new(), turns: 1 },
        };
        let transcript = Transcript { turns: transcript.turns.max(1), ..transcript };
        let visited = Visited { opened: Some(Box::new(opened)), ..Visited::default() };
        self.put(project, row, transcript, visited, Some(link)).await
    }

    /// Makes a session of another one's conversation so far, at the agent and here.
    pub async fn fork_session(
        &self,
        project: &Selected,
        id: &SessionId,
        input: ForkInput,
    ) -> Result<(Session, bool), CreateError> {
        let source = self.row(project, id).await.map_err(CreateError::from)?;
        let now = clock::now();
        let forked = SessionRow {
            id: input.id.clone().unwrap_or_else(|| self.0.ids.session(now)),
            title: input.title.clone().unwrap_or_else(|| format!("{} (fork)", source.title)),
            created: now,
            updated: now,
            archived: None,
            pinned: None,
            deleting: false,
            revision: 0,
            latest_sequence: 0,
            latest_message: 0,
            version: self.0.config.version.clone(),
            meta: visit::forked(&source.id, &source.meta),
            ..source.clone()
        };
        let agent_session = match self.forked_before(&forked, id).await? {
            Some(existing) if existing.latest_message > 0 || source.latest_message == 0 => {
                return Ok((answer::session(&existing), false));
            }
            // Its transcript is still to come: whoever made it did not get that far.
            Some(existing) => existing.meta.agent_session,
            None => {
                let cwd = turn::working_directory(&self.place(forked.clone())).map_err(VisitError::from)?;
                self.visit(project, id, Errand::Fork(forked.id.clone(), cwd)).await?.forked
            }
        };
        let source = self.row(project, id).await.map_err(CreateError::from)?;
        let messages = self.0.store.messages(id, None).await?;
        let messages = transcribe::copied(rows(messages), &forked.id, now, &mut self.0.ids.clone());
        let mut forked =
            SessionRow { title: forked.title, meta: visit::forked(&source.id, &source.meta), ..forked };
        forked.meta.titled = input.title.is_some();
        forked.meta.agent_session = agent_session;
        let transcript = Transcript { messages, turns: source.meta.agent_turns };
        self.put(project, forked, transcript, Visited::default(), None).await
    }

    /// A fork that was made before under that id.
    async fn forked_before(
        &self,
        row: &SessionRow,
        source: &SessionId,
    ) -> Result<Option<SessionRow>, CreateError> {
        let Some(existing) = self.0.store.session(&row.id).await? else {
            let deleted = self.0.store.tombstone(&row.id).await?;
            return if deleted { Err(CreateError::Deleted(row.id.clone())) } else { Ok(None) };
        };
        if existing.meta.forked_from.as_ref() != Some(source) {
            return Err(CreateError::Conflict { session: row.id.clone(), what: "origin" });
        }
        Ok(Some(existing))
    }

    /// Records the session, then its conversation.
    async fn put(
        &self,
        project: &Selected,
        row: SessionRow,
        transcript: Transcript,
        visited: Visited,
        link: Option<Link>,
    ) -> Result<(Session, bool), CreateError> {
        let (row, new) = match self.0.store.create_session(row.clone()).await? {
            Creation::New(row) => (row, true),
            // Others made it meanwhile, as the same conversation or the same fork.
            Creation::Existing(found) if is_same_origin(&found, &row) => (found, false),
            Creation::Existing(found) => {
                return Err(CreateError::Conflict { session: found.id, what: "conversation" });
            }
            Creation::Deleted => return Err(CreateError::Deleted(row.id)),
        };
        let request = Request::TakeOver {
            transcript: Box::new(transcript),
            visited: Box::new(visited),
            link: link.map(Box::new),
        };
        match self.ask(project, &row.id, request).await {
            Ok(_) => {}
            Err(ActorError::Store(error)) => return Err(CreateError::Store(error)),
            Err(ActorError::NotFound | ActorError::Refused(_) | ActorError::TooMany) => {
                return Err(CreateError::Deleting(row.id));
            }
        }
        let session = answer::session(&row);
        if new {
            self.0.bus.tell(&row, &EventBody::SessionCreated { info: Box::new(session.clone()) });
        }
        Ok((session, new))
    }

    fn place(&self, row: SessionRow) -> Place {
        Place {
            row,
            unsent: Vec::new(),
            data_dir: self.0.config.data_dir.clone(),
            store: self.0.store.clone(),
        }
    }
}

/// Takes up a conversation of the agent: what is open, what it told of itself, and its history.
async fn take_up(
    connections: &Arc<Connections>,
    place: &Place,
    adoption: &Adoption,
) -> Result<(Link, Opened, Vec<AgentUpdate>), RunError> {
    let cwd = turn::working_directory(place)?;
    let (key, agent) = place.agent(connections)?;
    let profile = agent.profile(&place.row.agent);
    let lease = connections.get(&key).await?;
    let shared = lease.shared().clone();
    let connection = &shared.connection;
    turn::takes_up(connection, adoption.method)?;
    let mcp_servers = &connections.mcp_servers(&place.row, &shared)?;
    let at = Opening { cwd: &cwd, mcp_servers, system_prompt: None };
    let (sender, mut events) = openscience_acp::events(UPDATES_WAITING);
    let sender = sender.of(place.row.id.clone());
    let mut told = Told::default();
    let session: OpenedSession = match adoption.method {
        OpenMethod::Load => {
            let opening = connection.load_history(&adoption.agent_session, at, sender);
            let session = told.while_opening(opening, &mut events).await?;
            told.until_quiet(&mut events).await;
            session
        }
        OpenMethod::Resume => connection.resume_session(&adoption.agent_session, at, sender).await?,
    };
    shared.note_worked();
    let initialized = connection.initialized();
    let mut opened = Opened {
        fresh: true,
        agent_info: initialized.agent_info.clone(),
        about: Some(turn::about(initialized)),
        resumed: Some(adoption.method.as_str()),
        ..Opened::default()
    };
    let mut link = Link::new(lease, session, events);
    for event in told.news {
        link.events.keep(event);
    }
    opened.report = wishes::apply(&mut link, &place.row.meta.agent, profile).await?;
    turn::describe(&link, &mut opened);
    link.note(&place.row.meta);
    link.rest();
    Ok((link, opened, told.history))
}

/// What an agent tells while it takes a conversation up.
#[derive(Default)]
struct Told {
    history: Vec<AgentUpdate>,
    /// What is no part of the conversation.
    news: VecDeque<SessionEvent>,
}

impl Told {
    async fn while_opening<T>(&mut self, opening: impl Future<Output = T>, events: &mut EventStream) -> T {
        tokio::pin!(opening);
        loop {
            tokio::select! {
                biased;
                Some(event) = events.recv() => self.take(event),
                answer = &mut opening => return answer,
            }
        }
    }

    async fn until_quiet(&mut self, events: &mut EventStream) {
        while let Ok(Some(event)) = timeout(QUIET, events.recv()).await {
            self.take(event);
        }
    }

    fn take(&mut self, event: SessionEvent) {
        match event {
            SessionEvent::Update(update) if is_history(&update) => {
                if self.history.len() < HISTORY_UPDATES_MAX {
                    self.history.push(update);
                }
            }
            other => self.news.push_back(other),
        }
    }
}

fn is_history(update: &AgentUpdate) -> bool {
    match update {
        AgentUpdate::Known(known) => {
            matches!(**known, SessionUpdate::UserMessageChunk(_)) || transcribe::belongs(update)
        }
        AgentUpdate::Text(_) | AgentUpdate::Unknown { .. } | AgentUpdate::Stderr(_) => {
            transcribe::belongs(update)
        }
    }
}

/// True if one is a retry of the other.
fn is_same_origin(a: &SessionRow, b: &SessionRow) -> bool {
    match &a.meta.forked_from {
        Some(source) => b.meta.forked_from.as_ref() == Some(source),
        None => b.meta.forked_from.is_none() && a.meta.agent_session == b.meta.agent_session,
    }
}

/// A transcript as rows.
fn rows(messages: Vec<Message>) -> Vec<MessageRows> {
    let row = |(position, message): (i64, Message)| MessageRows {
        message: MessageRow { position, info: message.info },
        parts: (1..)
            .zip(message.parts)
            .map(|(at, part)| PartRow { message: position, position: at, part, open: false })
            .collect(),
        chunks: Vec::new(),
    };
    (1..).zip(messages).map(row).collect()
}
