//! The agent between turns: opened, set, forked or let go because a person asked, and not a prompt.
//!
//! Runs beside the actor and reports to it; commits nothing. Whether a visit may be made is decided by the core.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use openscience_acp::{Connection, Opening};
use openscience_core::input::{OpenMethod, Opened};
use openscience_core::settings::{self, Unknown};
use openscience_core::visit::Visited;
use openscience_protocol::agent_config::ConfigKey;
use openscience_protocol::row::SessionRow;
use openscience_protocol::{RunError, SessionId, codes};
use serde_json::json;
use tokio::sync::oneshot;

use crate::connections::Connections;
use crate::error::VisitError;
use crate::link::Link;
use crate::turn::{self, Place, Wanted};

/// What the agent is visited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Errand {
    /// Take the conversation up, in that way and no other.
    Open(OpenMethod),
    /// Set the mode of that id, name or alias.
    Mode(String),
    /// Set the option of that id, category or name.
    Option { name: String, value: String },
    /// Let the conversation go. The agent keeps it.
    Close,
    /// Make another conversation of it, for that session, which works in that directory.
    Fork(SessionId, PathBuf),
}

/// What came of a visit besides what is recorded of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Brought {
    /// The agent's id of the conversation that was forked.
    pub forked: Option<String>,
}

/// A visit and who is told what came of it. It is recorded before its request is answered.
#[derive(Debug)]
pub(crate) struct Visit {
    pub errand: Errand,
    pub outcome: oneshot::Sender<Result<Brought, VisitError>>,
}

/// Makes a visit. `held` is the open conversation, if there is one; what is open in the end is there too.
pub(crate) async fn make(
    connections: &Arc<Connections>,
    place: &Place,
    errand: &Errand,
    held: &mut Option<Link>,
) -> Result<(Visited, Brought), VisitError> {
    if *errand == Errand::Close {
        close(held.take()).await;
        return Ok(Default::default());
    }
    let cwd = turn::working_directory(place)?;
    let method = match errand {
        Errand::Open(method) => Some(*method),
        Errand::Mode(_) | Errand::Option { .. } | Errand::Close | Errand::Fork(..) => None,
    };
    let takes_up = method.is_some() || matches!(errand, Errand::Fork(..));
    if takes_up && place.row.meta.agent_session.is_none() {
        return Err(VisitError::NoConversation(place.row.id.clone()));
    }
    let (link, opened) = open(connections, place, method, &cwd, held).await?;
    let mut visited = Visited { opened: opened.map(Box::new), ..Visited::default() };
    let mut brought = Brought::default();
    match errand {
        Errand::Open(_) | Errand::Close => {}
        Errand::Mode(wanted) => set_mode(link, place, connections, wanted, &mut visited).await?,
        Errand::Option { name, value } => set_option(link, name, value, &mut visited).await?,
        Errand::Fork(to, cwd) => brought.forked = Some(fork(connections, place, link, to, cwd).await?),
    }
    if let Some(opened) = &mut visited.opened {
        turn::describe(link, opened);
    }
    Ok((visited, brought))
}

/// The open conversation, opened if need be: then with what the agent told.
async fn open<'a>(
    connections: &Arc<Connections>,
    place: &Place,
    method: Option<OpenMethod>,
    cwd: &Path,
    held: &'a mut Option<Link>,
) -> Result<(&'a mut Link, Option<Opened>), RunError> {
    let usable = match held {
        Some(link) if link.is_newest(&place.row.meta) => link.use_again(connections).await,
        Some(_) | None => false,
    };
    let opened = if usable {
        None
    } else {
        // Released before another is opened in its place.
        *held = None;
        let wanted = Wanted::of(&place.row, method);
        let (link, opened) = turn::open_session(connections, place, &wanted, cwd).await?;
        *held = Some(link);
        // Who prompts next is told, and the receipt says so.
        Some(Opened { context_reset: None, ..opened })
    };
    let Some(link) = held else {
        return Err(
            RunError::new(codes::run::SESSION_OPEN_FAILED, "the conversation is not open").at("session")
        );
    };
    link.note(&place.row.meta);
    Ok((link, opened))
}

async fn set_mode(
    link: &mut Link,
    place: &Place,
    connections: &Connections,
    wanted: &str,
    visited: &mut Visited,
) -> Result<(), VisitError> {
    let (_, agent) = place.agent(connections)?;
    let profile = agent.profile(&place.row.agent);
    let names = std::iter::once(wanted.to_owned()).chain(profile.aliases(ConfigKey::Mode, wanted));
    let mut unknown = Unknown::Nothing;
    for name in names {
        match settings::mode_of(link.modes.as_ref(), &name) {
            Ok(mode) => {
                link.set_mode(&mode).await.map_err(RunError::from)?;
                visited.mode = Some(mode);
                visited.config = config(link);
                return Ok(());
            }
            Err(why) => unknown = why,
        }
    }
    // Some agents have their modes among their options only.
    let option = settings::selected(ConfigKey::Mode, profile, &link.config).cloned();
    match (option, unknown) {
        (Some(option), Unknown::Nothing) => match settings::value_of(&option, wanted) {
            Some(value) => put(link, &option.id.to_string(), value, visited).await,
            None => Err(VisitError::UnknownMode { offered: settings::offer_of(&option) }),
        },
        (_, Unknown::Nothing) => Err(unsupported("modes").into()),
        (_, Unknown::None { offered } | Unknown::Several { offered }) => {
            Err(VisitError::UnknownMode { offered })
        }
    }
}

async fn set_option(
    link: &mut Link,
    name: &str,
    value: &str,
    visited: &mut Visited,
) -> Result<(), VisitError> {
    let (id, value) = match settings::option(&link.config, name) {
        Ok(option) => match settings::value_of(option, value) {
            Some(value) => (option.id.to_string(), value),
            None => return Err(VisitError::InvalidValue { offered: settings::offer_of(option) }),
        },
        Err(Unknown::Nothing) => return Err(unsupported("config options").into()),
        Err(Unknown::None { offered } | Unknown::Several { offered }) => {
            return Err(VisitError::UnknownOption { offered });
        }
    };
    put(link, &id, value, visited).await
}

async fn put(link: &mut Link, id: &str, value: String, visited: &mut Visited) -> Result<(), VisitError> {
    link.set_option(id, &value).await.map_err(RunError::from)?;
    visited.option = Some((id.to_owned(), value));
    visited.config = config(link);
    Ok(())
}

fn config(link: &Link) -> Option<serde_json::Value> {
    (!link.config.is_empty()).then(|| json!(link.config))
}

async fn fork(
    connections: &Connections,
    place: &Place,
    link: &Link,
    to: &SessionId,
    cwd: &Path,
) -> Result<String, VisitError> {
    let connection = &link.shared.connection;
    if connection.initialized().capabilities.session_capabilities.fork.is_none() {
        return Err(unsupported("session/fork").into());
    }
    // As the fork will open it: some agents begin afresh where that differs. Who asks in the fork is the fork.
    let fork = SessionRow { id: to.clone(), ..place.row.clone() };
    let mcp_servers = &connections.mcp_servers(&fork, &link.shared)?;
    let (_, agent) = place.agent(connections)?;
    let text = place.row.meta.agent.system_prompt.as_deref();
    let system_prompt = turn::system_prompt(text, agent.profile(&place.row.agent), connection)?;
    let at = Opening { cwd, mcp_servers, system_prompt };
    Ok(connection.fork_session(&link.session, at).await.map_err(RunError::from)?)
}

/// Has the agent free what it holds. If it cannot be told, it is let go all the same.
async fn close(link: Option<Link>) {
    let Some(link) = link else { return };
    let connection: Connection = link.shared.connection.clone();
    let can = connection.initialized().capabilities.session_capabilities.close.is_some();
    if can
        && !connection.is_closed()
        && let Err(error) = connection.close_session(&link.session).await
    {
        tracing::info!(session.agent = link.session, %error, "the agent did not close a session");
    }
}

/// What this agent does not do.
pub(crate) fn unsupported(what: &str) -> RunError {
    let message = format!("the agent does not offer {what}");
    RunError::new(codes::run::METHOD_NOT_SUPPORTED, message).at("session")
}
