//! What the agent answers, and frames too large to tell what they were.
//!
//! Part of the reader's one task, so answers keep their place among updates.

use std::collections::HashSet;

use openscience_core::input::{AgentUpdate, TurnEnd};
use openscience_protocol::RunError;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::channel::EventSink;
use crate::connection::SessionEvent;
use crate::decode::own_id;
use crate::error::{AgentError, RpcError, Stage};
use crate::oversized;
use crate::pending::{CallError, Pending, rpc_error, turn_end};
use crate::reader::Reader;
use crate::record::Note;
use crate::state::{LiveTurn, Outgoing, Route, Written, call_line};

impl Reader {
    pub(crate) async fn response(&mut self, id: &RawValue, answer: Result<Option<&RawValue>, &RawValue>) {
        let pending = own_id(id).and_then(|id| self.shared.lock().pending.remove(&id));
        let answer = answer.map_err(|error| rpc_error(error, &self.shared.secrets));
        match pending {
            None => self.shared.lock().counters.late_answers += 1,
            Some(Pending::Prompt { session, turn }) => {
                let end = turn_end(answer, || self.shared.stderr_of(&turn));
                if self.shared.ordered {
                    self.end_turn(&session, turn, end).await;
                } else {
                    self.holds.hold(session, turn, end, Instant::now());
                }
            }
            // Whoever asked may have stopped waiting.
            Some(Pending::Call(reply)) => drop(reply.send(owned(answer))),
            Some(Pending::Open { session, sink, reply, .. }) => {
                let reopened = session.is_some();
                if let Some(session) = &session {
                    self.shared.lock().loaded(session);
                }
                let session = session.or_else(|| opened_id(answer.as_ref().ok().copied().flatten()?));
                match session {
                    // Its updates could be of either.
                    Some(session) if !reopened && self.is_open(&session) => {
                        drop(reply.send(Err(CallError::TakenId)));
                    }
                    Some(session) if answer.is_ok() && !reply.is_closed() => {
                        let early = self.route(&session, sink.clone(), reopened);
                        drop(reply.send(owned(answer)));
                        for update in early {
                            self.send(&session, sink.clone(), SessionEvent::Update(update)).await;
                        }
                    }
                    _ => drop(reply.send(owned(answer))),
                }
            }
        }
    }

    fn is_open(&self, session: &str) -> bool {
        self.shared.lock().routes.get(session).is_some_and(|route| !route.sink.is_closed())
    }

    /// Makes a session known. Returns what was told of it before.
    fn route(&self, session: &str, sink: EventSink, reopened: bool) -> Vec<AgentUpdate> {
        let now = Instant::now();
        let mut state = self.shared.lock();
        let route = Route { sink, switches: HashSet::new(), prompted: false, reopened };
        state.routes.insert(session.to_owned(), route);
        state.latest = Some(session.to_owned());
        let title = if reopened { "Session resumed" } else { "Session created" };
        state.record(Some(session), Note::system(title, ""));
        let early = state.early.take(session, now);
        for update in &early {
            state.record_update(session, update, None, now);
        }
        early
    }

    pub(crate) async fn oversized(&mut self, head: &[u8]) {
        {
            let mut state = self.shared.lock();
            state.last_frame = Instant::now();
            state.counters.oversized += 1;
        }
        if let Some(update) = oversized::scan(head) {
            let session = update.session.or_else(|| self.shared.lock().only_session());
            if let Some(session) = session {
                self.tell(&session, AgentUpdate::Unknown { kind: update.kind, raw: None }, None, head.len())
                    .await;
            }
            return;
        }
        let turns = self.give_up_all();
        for LiveTurn { session, turn, .. } in turns {
            let error = RunError::from(AgentError::FrameTooLarge { stage: Stage::Prompt });
            self.deliver(&session, SessionEvent::TurnEnded { turn, end: TurnEnd::Failed(error) }).await;
        }
    }

    /// A frame that cannot be read may have been any answer or question: nothing that waits can be
    /// relied on. Returns the turns that are lost; the agent is asked to stop them.
    fn give_up_all(&self) -> Vec<LiveTurn> {
        let mut state = self.shared.lock();
        let pending = std::mem::take(&mut state.pending);
        let (lost, kept): (Vec<_>, Vec<_>) = std::mem::take(&mut state.turns)
            .into_iter()
            .partition(|turn| pending.contains_key(&turn.request));
        state.turns = kept;
        state.went();
        state.loading.clear();
        for turn in &lost {
            if let Ok(line) = call_line(None, "session/cancel", &json!({"sessionId": turn.session})) {
                self.shared.enqueue(&mut state, Outgoing { line, written: Written::Nobody });
            }
        }
        for waiting in pending.into_values() {
            match waiting {
                Pending::Call(reply) | Pending::Open { reply, .. } => {
                    drop(reply.send(Err(CallError::TooLarge)));
                }
                Pending::Prompt { .. } => {}
            }
        }
        lost
    }
}

fn owned(answer: Result<Option<&RawValue>, RpcError>) -> Result<Box<RawValue>, CallError> {
    match answer {
        Ok(Some(raw)) => Ok(raw.to_owned()),
        Ok(None) => Ok(RawValue::NULL.to_owned()),
        Err(error) => Err(CallError::Refused(error)),
    }
}

fn opened_id(answer: &RawValue) -> Option<String> {
    let answer: Value = serde_json::from_str(answer.get()).ok()?;
    answer.get("sessionId")?.as_str().map(str::to_owned)
}
