//! The ACP session that holds a conversation, as its actor has it.
//!
//! Speaks and listens; opening one is done in `turn`, deciding in the core.

use std::collections::VecDeque;
use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    ContentBlock, EmbeddedResource, EmbeddedResourceResource, SessionConfigOption, SessionModeState,
    SessionUpdate, TextResourceContents,
};
use openscience_acp::{AgentError, Connection, EventStream, OpenedSession, SessionEvent};
use openscience_core::input::{AgentUpdate, Blocks, Given, RequestKey};
use openscience_files::attachment::Accepts;
use openscience_protocol::TurnId;
use openscience_protocol::row::SessionMeta;
use tokio::sync::mpsc::error::TryRecvError;
use tokio::time::timeout;

use crate::authority;
use crate::connections::{Connections, Lease, Shared};

/// Names what an agent is told of a conversation it has lost.
const HANDOVER_URI: &str = "openscience:conversation";

/// Events that are kept while the agent is asked something between turns; beyond, it waits.
const KEPT_MAX: usize = 4_096;

/// An ACP session that is open.
#[derive(Debug)]
pub(crate) struct Link {
    pub shared: Shared,
    /// The agent's id of the session.
    pub session: String,
    pub events: Heard,
    /// Config options as last told to us.
    pub config: Vec<SessionConfigOption>,
    /// Modes as last told to us.
    pub modes: Option<SessionModeState>,
    /// Held until the prompt is on its way.
    lease: Option<Lease>,
    /// What the agent is told of the conversation before the next prompt, because it has lost it.
    handover: Option<String>,
    /// The ACP session that held the conversation, and its turns, when a turn was last made ready here.
    seen: (Option<String>, u64),
}

impl Link {
    pub(crate) fn new(lease: Lease, opened: OpenedSession, events: EventStream) -> Self {
        let OpenedSession { session_id: session, modes, config_options, .. } = opened;
        let config = config_options.unwrap_or_default();
        let shared = lease.shared().clone();
        let connection = shared.connection.clone();
        let events = Heard { stream: events, kept: VecDeque::new(), muted: None, connection };
        Self { shared, session, events, config, modes, lease: Some(lease), handover: None, seen: (None, 0) }
    }

    /// Notes how the conversation stood when a turn was made ready.
    pub(crate) fn note(&mut self, meta: &SessionMeta) {
        self.seen = (meta.agent_session.clone(), meta.agent_turns);
    }

    /// True if nobody else has worked on the conversation since: what another process has an agent say, this
    /// one does not know.
    pub(crate) fn is_newest(&self, meta: &SessionMeta) -> bool {
        let (session, turns) = &self.seen;
        let mine = Some(&self.session);
        let before = if session.as_ref() == mine { *turns } else { 0 };
        let went_on = meta.agent_session.as_ref() == mine && meta.agent_turns <= before + 1;
        // Nothing came of that turn.
        let unchanged = meta.agent_session == *session && meta.agent_turns == *turns;
        went_on || unchanged
    }

    /// What the agent is told before the next prompt.
    pub(crate) fn hand_over(&mut self, conversation: Option<String>) {
        self.handover = conversation;
    }

    /// Takes up what the agent tells of how it is set.
    pub(crate) fn hear(&mut self, update: &SessionUpdate) {
        match update {
            SessionUpdate::ConfigOptionUpdate(told) => self.config.clone_from(&told.config_options),
            SessionUpdate::CurrentModeUpdate(told) => {
                if let Some(modes) = &mut self.modes {
                    modes.current_mode_id = told.current_mode_id.clone();
                }
            }
            _ => {}
        }
    }

    /// Sets an option, and takes up how the agent is set then.
    pub(crate) async fn set_option(&mut self, id: &str, value: &str) -> Result<(), AgentError> {
        let connection = self.shared.connection.clone();
        let asking = connection.set_config_option(&self.session, id, value);
        if let Some(config) = self.events.while_asking(asking).await? {
            self.config = config;
        }
        Ok(())
    }

    /// Sets the mode.
    pub(crate) async fn set_mode(&mut self, mode: &str) -> Result<(), AgentError> {
        let connection = self.shared.connection.clone();
        self.events.while_asking(connection.set_mode(&self.session, mode)).await?;
        if let Some(modes) = &mut self.modes {
            modes.current_mode_id = mode.to_owned().into();
        }
        Ok(())
    }

    /// What of a prompt's files the agent can be shown.
    pub(crate) fn accepts(&self) -> Accepts {
        let can = &self.shared.connection.initialized().capabilities.prompt_capabilities;
        Accepts { image: can.image, audio: can.audio, text: can.embedded_context }
    }

    /// Queues a prompt. What the agent needs to know comes before it, once.
    pub(crate) fn prompt(&mut self, turn: TurnId, blocks: Blocks) -> Result<(), AgentError> {
        let connection = &self.shared.connection;
        let embeds = self.accepts().text;
        let handover = self.handover.as_deref().map(|text| told(text, embeds));
        let blocks = handover.into_iter().chain(blocks).collect();
        connection.prompt(&self.session, turn, blocks)?;
        self.handover = None;
        self.lease = None;
        Ok(())
    }

    /// The turn it was made ready for is over, whether or not it was prompted.
    pub(crate) fn rest(&mut self) {
        self.lease = None;
    }

    /// The turn is over for us while the agent still has it: what it says until it ends is nobody's, and
    /// then the conversation goes on. False if the process takes no new turns: then the link is of no use.
    pub(crate) fn abandon(&mut self, connections: &Arc<Connections>, turn: &TurnId) -> bool {
        if !self.shared.usable() {
            return false;
        }
        self.events.muted = Some(turn.clone());
        connections.abandon(&self.shared, &self.session, turn);
        true
    }

    /// Takes it for another turn, once the agent has ended the one before. False if the agent does not, or
    /// if its process takes no new turns.
    pub(crate) async fn use_again(&mut self, connections: &Connections) -> bool {
        // By then the process was stopped or retired for it.
        let settled = timeout(connections.settle_limit(), self.events.settled()).await;
        self.lease = connections.lease_again(&self.shared).filter(|_| settled == Ok(true));
        self.lease.is_some()
    }
}

impl Drop for Link {
    /// What the agent says in a session nobody holds is nobody's.
    fn drop(&mut self) {
        self.shared.connection.release(&self.session);
    }
}

/// What the agent tells of a session, less what belongs to a turn that is over for us.
#[derive(Debug)]
pub(crate) struct Heard {
    stream: EventStream,
    /// Taken from the stream and not handed out yet.
    kept: VecDeque<SessionEvent>,
    /// A turn that is over for us and not for the agent.
    muted: Option<TurnId>,
    connection: Connection,
}

impl Heard {
    /// The next event; none once the connection has let go of the session.
    pub(crate) async fn recv(&mut self) -> Option<SessionEvent> {
        loop {
            if let Some(event) = self.kept.pop_front() {
                return Some(event);
            }
            let event = self.stream.recv().await?;
            self.sift(event);
        }
    }

    /// Hears on while something is asked of the agent: whoever answers through the same channel must not
    /// wait for a session that nobody listens to.
    pub(crate) async fn while_asking<T>(&mut self, asking: impl Future<Output = T>) -> T {
        tokio::pin!(asking);
        loop {
            let full = self.kept.len() >= KEPT_MAX;
            tokio::select! {
                biased;
                answer = &mut asking => return answer,
                Some(event) = self.stream.recv(), if !full => self.sift(event),
                else => return asking.await,
            }
        }
    }

    /// Puts an event behind those that wait: it was heard before anybody listened.
    pub(crate) fn keep(&mut self, event: SessionEvent) {
        self.kept.push_back(event);
    }

    /// The next event, if one waits.
    pub(crate) fn try_recv(&mut self) -> Result<SessionEvent, TryRecvError> {
        loop {
            if let Some(event) = self.kept.pop_front() {
                return Ok(event);
            }
            let event = self.stream.try_recv()?;
            self.sift(event);
        }
    }

    /// Resolves when no turn is muted. False if the connection has let go of the session.
    async fn settled(&mut self) -> bool {
        while self.muted.is_some() {
            match self.stream.recv().await {
                Some(SessionEvent::Exited(_)) | None => return false,
                Some(event) => self.sift(event),
            }
        }
        true
    }

    /// Nobody can answer a request of a turn that is over.
    fn turn_down(&self, key: RequestKey) {
        let connection = self.connection.clone();
        tokio::spawn(async move { connection.answer(key, Given::Cancelled).await });
    }

    /// Keeps an event that is somebody's.
    fn sift(&mut self, event: SessionEvent) {
        let Some(muted) = &self.muted else { return self.kept.push_back(event) };
        match event {
            SessionEvent::TurnEnded { turn, .. } if turn == *muted => self.muted = None,
            SessionEvent::Permission(ask) => self.turn_down(ask.key),
            SessionEvent::Question(ask) => self.turn_down(ask.key),
            SessionEvent::Update(AgentUpdate::Known(update)) if is_of_the_session(&update) => {
                self.kept.push_back(SessionEvent::Update(AgentUpdate::Known(update)));
            }
            SessionEvent::Request { key, .. } => {
                let connection = self.connection.clone();
                tokio::spawn(async move { connection.respond(key, Err(authority::over())).await });
            }
            SessionEvent::Exited(_) | SessionEvent::Terminal(_) => self.kept.push_back(event),
            SessionEvent::Prompted { .. }
            | SessionEvent::Update(_)
            | SessionEvent::Withdrawn { .. }
            | SessionEvent::TurnEnded { .. } => {}
        }
    }
}

/// True for news of the session as a whole, whatever the turn.
fn is_of_the_session(update: &SessionUpdate) -> bool {
    matches!(
        update,
        SessionUpdate::AvailableCommandsUpdate(_)
            | SessionUpdate::CurrentModeUpdate(_)
            | SessionUpdate::ConfigOptionUpdate(_)
            | SessionUpdate::SessionInfoUpdate(_)
            | SessionUpdate::UsageUpdate(_)
    )
}

/// What was said so far, as an agent can tell it from the prompt: embedded, if it knows what that is.
fn told(text: &str, embeds: bool) -> ContentBlock {
    if !embeds {
        return ContentBlock::from(text);
    }
    let contents = TextResourceContents::new(text, HANDOVER_URI).mime_type("text/markdown".to_owned());
    ContentBlock::Resource(EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(contents)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_said_is_embedded_where_that_is_understood() {
        let block = |embeds| serde_json::to_value(told("User: hi", embeds)).unwrap();
        assert_eq!(block(false), json!({"type": "text", "text": "User: hi"}));
        let resource = json!({"uri": HANDOVER_URI, "mimeType": "text/markdown", "text": "User: hi"});
        assert_eq!(block(true), json!({"type": "resource", "resource": resource}));
    }
}
