//! The agent of a session between turns, for callers: what it is, how it is set, open it, let it go.

use openscience_core::answer::Refusal;
use openscience_core::input::OpenMethod;
use openscience_core::settings;
use openscience_protocol::SessionId;
use openscience_protocol::row::SessionRow;
use openscience_protocol::session_agent::{Diagnostics, SessionAgent, SessionMetadata};
use serde_json::Value;
use tokio::sync::oneshot;

use crate::Runtime;
use crate::actor::ActorError;
use crate::ask::Request;
use crate::connections::Seen;
use crate::error::{SessionError, VisitError};
use crate::remote::login;
use crate::request::Selected;
use crate::visit::{Brought, Errand, Visit};

impl Runtime {
    /// The agent of a session: how it is started, what it told of itself, how it is set.
    pub async fn session_agent(
        &self,
        project: &Selected,
        id: &SessionId,
    ) -> Result<SessionAgent, SessionError> {
        let row = self.row(project, id).await?;
        let runs = self.0.store.snapshot(id).await?.map(|rows| rows.runs).unwrap_or_default();
        let last_error =
            runs.iter().rev().find_map(|run| run.error.clone().filter(|_| run.state.is_terminal()));
        Ok(self.described(row, last_error))
    }

    fn described(&self, row: SessionRow, last_error: Option<openscience_protocol::RunError>) -> SessionAgent {
        let meta = row.meta;
        let agent = self.0.connections.agent(&row.agent, meta.agent.launch.as_ref());
        let about = meta.agent.about.clone().unwrap_or_default();
        let options = meta.config.as_ref().and_then(Value::as_array).into_iter().flatten();
        let options: Vec<_> =
            options.filter_map(|option| serde_json::from_value(option.clone()).ok()).collect();
        let profile = agent.as_ref().map(|agent| agent.profile(&row.agent));
        // One of the registry that cannot be started has none.
        let startable = agent.as_ref().filter(|agent| !agent.command.as_os_str().is_empty());
        let launch = startable.map(|agent| (agent.command.to_string_lossy().into_owned(), &agent.args));
        let logins = match (profile, &launch) {
            (Some(profile), Some((command, args))) => {
                self.auth_methods(profile, &about.auth_methods, (command, args))
            }
            _ => Vec::new(),
        };
        SessionAgent {
            agent: row.agent.clone(),
            kind: profile.map(|profile| profile.id.to_owned()).filter(|id| !id.is_empty()),
            command: launch.as_ref().map(|(command, _)| command.clone()),
            args: launch.map(|(_, args)| args.clone()).unwrap_or_default(),
            env: agent.as_ref().map(|agent| agent.env.keys().cloned().collect()).unwrap_or_default(),
            open: self.is_open(&row.id),
            agent_session: meta.agent_session.clone(),
            agent_info: about.info,
            capabilities: Some(about.capabilities).filter(Value::is_object),
            auth_methods: logins.iter().map(login).collect(),
            metadata: SessionMetadata {
                id: meta.agent_session,
                title: row.title,
                current_mode_id: meta.mode,
                config: settings::values(&options),
                available_commands: meta.commands.unwrap_or_else(|| Value::Array(Vec::new())),
                agent_modes: meta.agent.modes.unwrap_or_else(|| Value::Array(Vec::new())),
                agent_config_options: meta.config.unwrap_or_else(|| Value::Array(Vec::new())),
            },
            initial_config_report: meta.agent.initial_config_report,
            diagnostics: Diagnostics { last_usage: meta.usage, last_error },
        }
    }

    /// True if the conversation is open on a process of this daemon.
    fn is_open(&self, id: &SessionId) -> bool {
        self.0.connections.seen().iter().any(|seen| match seen {
            Seen::Started(shared) if shared.usable() => {
                shared.connection.standing().sessions.iter().any(|open| open.of.as_ref() == Some(id))
            }
            Seen::Started(_) | Seen::Waiting { .. } | Seen::Connecting { .. } => false,
        })
    }

    /// Takes the conversation up now, in that way and no other.
    pub async fn open_session(
        &self,
        project: &Selected,
        id: &SessionId,
        method: OpenMethod,
    ) -> Result<SessionAgent, VisitError> {
        self.visited(project, id, Errand::Open(method)).await
    }

    /// Sets the mode by id, name or alias.
    pub async fn set_mode(
        &self,
        project: &Selected,
        id: &SessionId,
        mode: String,
    ) -> Result<SessionAgent, VisitError> {
        self.visited(project, id, Errand::Mode(mode)).await
    }

    /// Sets a config option by id, category or name.
    pub async fn set_option(
        &self,
        project: &Selected,
        id: &SessionId,
        name: String,
        value: String,
    ) -> Result<SessionAgent, VisitError> {
        self.visited(project, id, Errand::Option { name, value }).await
    }

    /// Lets the conversation go: the agent frees what it holds of it, nothing is deleted.
    pub async fn close_session(&self, project: &Selected, id: &SessionId) -> Result<(), VisitError> {
        self.visit(project, id, Errand::Close).await.map(|_| ())
    }

    async fn visited(
        &self,
        project: &Selected,
        id: &SessionId,
        errand: Errand,
    ) -> Result<SessionAgent, VisitError> {
        self.visit(project, id, errand).await?;
        Ok(self.session_agent(project, id).await?)
    }

    /// Has the agent visited. What came of it is recorded when this returns.
    pub(crate) async fn visit(
        &self,
        project: &Selected,
        id: &SessionId,
        errand: Errand,
    ) -> Result<Brought, VisitError> {
        if self.is_stopping() {
            return Err(VisitError::ShuttingDown);
        }
        let (outcome, brought) = oneshot::channel();
        match self.ask(project, id, Request::Visit(Visit { errand, outcome })).await {
            Ok(_) => brought.await.unwrap_or(Err(VisitError::ShuttingDown)),
            Err(ActorError::NotFound | ActorError::TooMany) => Err(VisitError::SessionNotFound(id.clone())),
            Err(ActorError::Refused(Refusal::Deleting)) => Err(VisitError::Deleting(id.clone())),
            Err(ActorError::Refused(_)) => Err(VisitError::Busy(id.clone())),
            Err(ActorError::Store(error)) => Err(VisitError::Store(error)),
        }
    }
}

impl From<SessionError> for VisitError {
    fn from(error: SessionError) -> Self {
        match error {
            SessionError::NotFound(id) => Self::SessionNotFound(id),
            SessionError::Deleting(id) => Self::Deleting(id),
            // No message is named here.
            SessionError::MessageNotFound(_) | SessionError::ShuttingDown => Self::ShuttingDown,
            SessionError::Store(error) => Self::Store(error),
        }
    }
}
