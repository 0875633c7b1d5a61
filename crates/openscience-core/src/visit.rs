//! Between turns: what people have the agent open, set or close while no run is live, and
//! conversations that come from the agent or from another session.
//!
//! What is asked of the agent is done by the runtime; here is when it may be, and what is kept of it.

use openscience_protocol::row::{AgentMeta, MessageRows, SessionMeta};
use openscience_protocol::{EventBody, SessionId};
use serde_json::Value;

use crate::answer::{Answer, Refusal};
use crate::change::Change;
use crate::input::Opened;
use crate::mapping;
use crate::observe;
use crate::session::{Decided, State};

/// What came of a visit to the agent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Visited {
    /// What was opened, or is open.
    pub opened: Option<Box<Opened>>,
    /// The mode that was set.
    pub mode: Option<String>,
    /// The option that was set, by id, with its value.
    pub option: Option<(String, String)>,
    /// Config options as the agent told them then.
    pub config: Option<Value>,
}

/// A conversation that was held elsewhere.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    pub messages: Vec<MessageRows>,
    /// Turns the agent's session has been prompted with.
    pub turns: u64,
}

/// Whether the agent may be visited now.
pub(crate) fn may_visit(state: &State) -> Result<(), Refusal> {
    if state.row.deleting {
        return Err(Refusal::Deleting);
    }
    if state.runs().next().is_some() { Err(Refusal::Busy) } else { Ok(()) }
}

/// Records what came of a visit. A run may have begun meanwhile.
pub(crate) fn record(state: &State, visited: &Visited) -> Decided {
    recorded(state, visited, None)
}

fn recorded(state: &State, visited: &Visited, turns: Option<u64>) -> Decided {
    let mut meta = match &visited.opened {
        Some(opened) => opened_meta(&state.row.meta, opened),
        None => state.row.meta.clone(),
    };
    meta.agent_turns = turns.unwrap_or(meta.agent_turns);
    let (mut mode, mut config) = (None, None);
    if let Some(set) = &visited.mode {
        meta.mode = Some(set.clone());
        meta.agent.chosen.mode = Some(set.clone());
        mode = Some(set.clone());
    }
    if let Some((id, value)) = &visited.option {
        meta.agent.chosen.options.insert(id.clone(), value.clone());
    }
    if let Some(told) = &visited.config {
        meta.config = Some(told.clone());
        meta.model = mapping::model_of(told).or(meta.model);
        config = Some(told.clone());
    }
    let body = (mode.is_some() || config.is_some()).then(|| {
        let session_id = state.row.id.clone();
        Box::new(EventBody::SessionUpdated { session_id, title: None, mode, config, commands: None })
    });
    let mut changes = Vec::new();
    if meta != state.row.meta || body.is_some() {
        changes.push(Change::MetaSet { meta: Box::new(meta), body });
    }
    if let Some(opened) = &visited.opened {
        let agent = &state.row.agent;
        changes.extend(observe::connected(&state.row.id, agent, opened));
    }
    Decided { changes, answer: Some(Ok(Answer::Done)) }
}

/// What the session knows once that is open.
pub(crate) fn opened_meta(known: &SessionMeta, opened: &Opened) -> SessionMeta {
    let fresh = known.agent_session.as_deref() != Some(&opened.agent_session);
    // Another conversation of the agent's is set by what it tells of itself, and by what is wished anew.
    let (mode, config) = if fresh { (None, None) } else { (known.mode.clone(), known.config.clone()) };
    let agent = AgentMeta {
        modes: opened.modes.clone().or_else(|| known.agent.modes.clone()),
        about: opened.about.clone().or_else(|| known.agent.about.clone()),
        initial_config_report: opened.report.clone().or_else(|| known.agent.initial_config_report.clone()),
        ..(*known.agent).clone()
    };
    SessionMeta {
        agent_session: Some(opened.agent_session.clone()),
        agent_turns: if fresh { 0 } else { known.agent_turns },
        mode: opened.mode.clone().or(mode),
        model: opened.model.clone().or_else(|| known.model.clone()),
        config: opened.config.clone().or(config),
        agent: Box::new(agent),
        ..known.clone()
    }
}

/// Takes a conversation into a session that has none. One that has one keeps it: this may be a retry.
pub(crate) fn take_over(state: &State, transcript: &Transcript, visited: &Visited) -> Decided {
    if let Err(refusal) = may_visit(state) {
        return Decided::refuse(refusal);
    }
    if state.row.latest_message > 0 {
        return Decided::answer(Answer::Done);
    }
    let mut decided = recorded(state, visited, Some(transcript.turns));
    for rows in &transcript.messages {
        decided.changes.push(Change::MessageKept(rows.message.clone()));
        decided.changes.extend(rows.parts.iter().map(|part| Change::PartKept(Box::new(part.clone()))));
    }
    decided
}

/// A session's meta for one that is forked from it.
pub fn forked(source: &SessionId, meta: &SessionMeta) -> SessionMeta {
    let agent = AgentMeta { initial_config_report: None, ..(*meta.agent).clone() };
    SessionMeta {
        delivery: meta.delivery,
        mcp_servers: meta.mcp_servers.clone(),
        agent: Box::new(agent),
        forked_from: Some(source.clone()),
        ..SessionMeta::default()
    }
}
