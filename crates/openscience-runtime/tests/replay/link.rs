//! The agent's session: how a recording's client opened it, and what comes of it.

use std::path::Path;

use openscience_acp::{AgentError, Connection, EventStream, OpenedSession, SessionEvent};
use openscience_core::input::Opened;
use openscience_core::mapping;
use serde_json::json;

/// How the session is opened at the agent.
#[derive(Debug, Clone, Default)]
pub(crate) struct Opening {
    /// Which session of the recording it is.
    pub(crate) number: usize,
    pub(crate) agent: String,
    /// `session/new`, `session/load` or `session/resume`.
    pub(crate) method: String,
    /// The agent's session that holds the conversation already.
    pub(crate) known: Option<String>,
    /// The model that is asked for.
    pub(crate) model: Option<String>,
}

/// The agent's session, open.
#[derive(Debug)]
pub(crate) struct Link {
    pub(crate) session: String,
    pub(crate) events: EventStream,
    pub(crate) opened: Opened,
}

/// Opens the agent's session as the recording's client did.
pub(crate) async fn open(connection: &Connection, opening: &Opening) -> Result<Link, AgentError> {
    let (sink, events) = openscience_acp::events(256);
    let cwd = Path::new("/ws");
    let known = opening.known.as_deref().unwrap_or_default();
    let OpenedSession { session_id: session, modes, config_options, .. } = match opening.method.as_str() {
        "session/load" => connection.load_session(known, cwd, sink).await?,
        "session/resume" => connection.resume_session(known, cwd, sink).await?,
        _ => connection.new_session(cwd, sink).await?,
    };
    let mut config = config_options.unwrap_or_default();
    if let Some(model) = &opening.model {
        let option = mapping::model_option(&config).unwrap().id.to_string();
        config = connection.set_config_option(&session, &option, model).await?.unwrap();
    }
    let opened = Opened {
        agent_session: session.clone(),
        fresh: true,
        agent_info: connection.initialized().agent_info.clone(),
        mode: modes.map(|modes| modes.current_mode_id.to_string()),
        model: mapping::model_value(&config),
        config: Some(json!(config)),
        ..Opened::default()
    };
    Ok(Link { session, events, opened })
}

/// What waits of the agent.
pub(crate) async fn events(link: Option<&mut Link>) -> Vec<SessionEvent> {
    let Some(link) = link else { return std::future::pending().await };
    // Its last event is that it is gone, which takes the link away.
    let mut events = vec![link.events.recv().await.unwrap()];
    while let Ok(more) = link.events.try_recv() {
        events.push(more);
    }
    events
}
