//! What an agent knows without any session of ours: its own sessions, and its ways to log in.

use std::path::Path;

use openscience_core::profile;
use openscience_core::profile::{AuthKind, AuthMethod, Profile};
use openscience_protocol::AgentId;
use openscience_protocol::session_agent::{
    AgentLogin, LoginKind, SessionReference, SessionReferences, SessionSource,
};
use openscience_store::SessionQuery;
use serde_json::Value;

use crate::Runtime;
use crate::connections::{Key, Lease};
use crate::error::{AgentError, LoginError};
use crate::request::{AgentConfig, Selected};
use crate::visit::unsupported;

impl Runtime {
    /// A page of the sessions an agent knows of the project; with `all`, also of ours with it.
    ///
    /// Ours come with the first page. One that the agent tells of on a later page is told again there.
    pub async fn agent_sessions(
        &self,
        project: &Selected,
        asked: Option<&AgentId>,
        all: bool,
        cursor: Option<&str>,
    ) -> Result<SessionReferences, AgentError> {
        let (agent, _) = self.configured(asked)?;
        let query = SessionQuery { agent: Some(agent.clone()), ..SessionQuery::default() };
        let ours = self.0.store.list_sessions(&project.id, &query).await?;
        let ours: Vec<SessionReference> = ours
            .into_iter()
            .map(|row| SessionReference {
                agent: row.agent,
                agent_session: row.meta.agent_session,
                session_id: Some(row.id),
                cwd: row.directory,
                title: Some(row.title),
                updated_at: Some(row.updated),
                source: SessionSource::Local,
            })
            .collect();
        let lease = self.reach(project, &agent).await?;
        let connection = &lease.shared().connection;
        if connection.initialized().capabilities.session_capabilities.list.is_none() {
            if all {
                return Ok(SessionReferences { sessions: ours, next_cursor: None });
            }
            return Err(unsupported("session/list").into());
        }
        let page = connection.list_sessions(&project.directory, cursor).await;
        let page = page.map_err(openscience_protocol::RunError::from)?;
        let next_cursor = page.get("nextCursor").and_then(Value::as_str).map(str::to_owned);
        let told = page.get("sessions").and_then(Value::as_array).into_iter().flatten();
        let remote: Vec<SessionReference> =
            told.filter_map(|told| reference(&agent, told)).map(|remote| merged(remote, &ours)).collect();
        let known =
            |local: &SessionReference| remote.iter().all(|remote| remote.session_id != local.session_id);
        let alone = ours.iter().filter(|local| all && cursor.is_none() && known(local)).cloned();
        Ok(SessionReferences { sessions: alone.chain(remote.iter().cloned()).collect(), next_cursor })
    }

    /// Logs in to an agent by one of its ways, the only or the marked one if none is named. Only what the
    /// agent does alone is done; for the rest the error says what a person has to do.
    pub async fn authenticate(
        &self,
        project: &Selected,
        asked: &AgentId,
        method: Option<&str>,
    ) -> Result<AgentLogin, LoginError> {
        let (agent, config) = self.configured(Some(asked)).map_err(LoginError::from)?;
        let lease = self.reach(project, &agent).await.map_err(LoginError::from)?;
        let connection = &lease.shared().connection;
        let command = config.command.to_string_lossy().into_owned();
        let told = &connection.initialized().auth_methods;
        let methods = self.auth_methods(config.profile(&agent), told, (&command, &config.args));
        let found: Option<&AuthMethod> = match method {
            Some(id) => methods.iter().find(|known| known.id == id),
            None => profile::preferred(&methods),
        };
        let Some(method) = found else {
            let known = methods.iter().map(login).collect();
            return Err(LoginError::MethodNotFound { known });
        };
        match &method.kind {
            AuthKind::Agent => match connection.authenticate(&method.id).await {
                Ok(()) => Ok(login(method)),
                // Nothing has to be done, it means.
                Err(error) if is_not_implemented(&error.to_string()) => Ok(login(method)),
                Err(error) => Err(LoginError::Failed(error.into())),
            },
            AuthKind::Environment(names) => {
                Err(LoginError::Environment { method: method.id.clone(), names: names.clone() })
            }
            AuthKind::Terminal(login) => {
                let own = login.command.is_none();
                let args = config.args.iter().filter(|_| own).chain(&login.args).cloned().collect();
                let env = config.env.keys().chain(login.env.iter().map(|(name, _)| name)).cloned().collect();
                Err(LoginError::Terminal {
                    method: method.id.clone(),
                    command: login.command.clone().unwrap_or(command),
                    args,
                    env,
                    label: method.label.clone(),
                    success_patterns: login.success_patterns.clone(),
                })
            }
        }
    }

    /// The agent's ways to log in, as things are on this machine.
    pub(crate) fn auth_methods(
        &self,
        profile: &Profile,
        told: &Value,
        launch: (&str, &[String]),
    ) -> Vec<AuthMethod> {
        let mut methods = profile.auth_methods(told, launch);
        let home = self.0.config.agent_environment.iter().rev().find(|(name, _)| name == "HOME");
        let file = home.and_then(|(_, home)| profile.login_file(&methods, Path::new(home)));
        if let Some(text) = file.and_then(|file| std::fs::read_to_string(file).ok()) {
            profile.note_login(&mut methods, &text);
        }
        methods
    }

    fn configured(&self, asked: Option<&AgentId>) -> Result<(AgentId, AgentConfig), AgentError> {
        let id = match asked {
            Some(asked) => self.agent(asked).ok_or_else(|| AgentError::NotFound(self.agent_ids()))?,
            None => self.0.config.default_agent.clone(),
        };
        match self.0.connections.agent(&id, None) {
            Some(config) => Ok((id, config.into_owned())),
            None => Err(AgentError::NotFound(self.agent_ids())),
        }
    }

    async fn reach(&self, project: &Selected, agent: &AgentId) -> Result<Lease, AgentError> {
        if self.is_stopping() {
            return Err(AgentError::ShuttingDown);
        }
        let key = Key::known(agent.clone(), project.directory.clone());
        Ok(self.0.connections.get(&key).await?)
    }
}

/// A way to log in as clients see it.
pub(crate) fn login(method: &AuthMethod) -> AgentLogin {
    let kind = match method.kind {
        AuthKind::Agent => LoginKind::Agent,
        AuthKind::Environment(_) => LoginKind::EnvVar,
        AuthKind::Terminal(_) => LoginKind::Terminal,
    };
    AgentLogin { id: method.id.clone(), label: method.label.clone(), kind, default: method.default }
}

/// Some agents answer so where there is nothing to do.
fn is_not_implemented(message: &str) -> bool {
    message.to_ascii_lowercase().contains("authentication not implemented")
}

/// A session as the agent told of it; none without an id.
fn reference(agent: &AgentId, told: &Value) -> Option<SessionReference> {
    let word = |key: &str| told.get(key).and_then(Value::as_str).map(str::to_owned);
    let updated = word("updatedAt").and_then(|time| time.parse::<jiff::Timestamp>().ok());
    Some(SessionReference {
        agent: agent.clone(),
        agent_session: Some(word("sessionId")?),
        session_id: None,
        cwd: word("cwd").unwrap_or_default(),
        title: word("title"),
        updated_at: updated.map(jiff::Timestamp::as_millisecond),
        source: SessionSource::Remote,
    })
}

/// The agent's word on a session counts, but for when it was last worked on here.
fn merged(remote: SessionReference, ours: &[SessionReference]) -> SessionReference {
    let Some(local) = ours.iter().find(|local| local.agent_session == remote.agent_session) else {
        return remote;
    };
    SessionReference {
        session_id: local.session_id.clone(),
        title: remote.title.or_else(|| local.title.clone()),
        updated_at: local.updated_at.or(remote.updated_at),
        source: SessionSource::Both,
        ..remote
    }
}
