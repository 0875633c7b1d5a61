//! Reads what the agent says and tells it on, in order.
//!
//! One task a connection. A full sink stops it, and with it the agent; nothing
//! is dropped. Once the agent is gone, what it had said is handed to each
//! session by a task of its own, so that no session waits for another.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use openscience_core::input::{AgentUpdate, Given, TurnEnd};
use openscience_protocol::TurnId;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::io::AsyncRead;
use tokio::time::{Instant, sleep_until, timeout_at};

use crate::channel::{EventSink, Unsent};
use crate::connection::SessionEvent;
use crate::decode::{Message, Noise, decode};
use crate::error::{Stage, excerpt};
use crate::frame::{Frame, FrameReader};
use crate::handlers::{self, Asked, code};
use crate::hold::Holds;
use crate::record::Note;
use crate::requests::Method;
use crate::state::{Ask, End, LiveTurn, Place, Route, Shared};
use crate::update;

/// What a dead agent left in its pipe is read for at most this long; only a process that is
/// not ours can keep the pipe open.
const DRAIN: Duration = Duration::from_secs(1);

/// Reads until the agent is gone, then ends what was open.
pub(crate) async fn run(shared: Arc<Shared>, stdout: impl AsyncRead + Unpin) {
    let mut frames = FrameReader::new(stdout, shared.limits.frame_bytes);
    let mut reader = Reader { shared, holds: Holds::default(), dead: false, backlog: HashMap::new() };
    let rest = reader.follow(&mut frames).await;
    if rest {
        reader.drain(&mut frames).await;
    }
    reader.finish().await;
}

pub(crate) struct Reader {
    pub(crate) shared: Arc<Shared>,
    pub(crate) holds: Holds,
    /// The agent is gone: events go to the backlog.
    dead: bool,
    backlog: HashMap<String, Vec<SessionEvent>>,
}

impl Reader {
    /// Reads while the agent lives. True if there may be more to read.
    async fn follow<R: AsyncRead + Unpin>(&mut self, frames: &mut FrameReader<R>) -> bool {
        let shared = Arc::clone(&self.shared);
        loop {
            self.tell_prompted().await;
            self.end_due(false).await;
            if self.dead {
                return true;
            }
            let due = self.holds.next();
            tokio::select! {
                biased;
                () = shared.gone.cancelled() => self.dead = true,
                frame = frames.next() => {
                    // The prompt this frame answers may have been written since the loop began.
                    self.tell_prompted().await;
                    match frame {
                        Ok(Frame::Line(line)) => self.line(line).await,
                        Ok(Frame::Oversized { head }) => self.oversized(head).await,
                        Ok(Frame::Endless) => {
                            shared.lock().endless_line = true;
                            shared.ask(End::Kill);
                            break;
                        }
                        Ok(Frame::End) | Err(_) => break,
                    }
                }
                () = shared.prompted.notified() => {}
                () = at(due) => self.end_due(true).await,
            }
        }
        shared.pipe_closed.cancel();
        shared.exited().await;
        self.dead = true;
        false
    }

    /// Reads what the agent had written before it went.
    async fn drain<R: AsyncRead + Unpin>(&mut self, frames: &mut FrameReader<R>) {
        let deadline = Instant::now() + DRAIN;
        let mut left = self.shared.limits.frame_bytes.saturating_mul(2);
        while let Ok(Ok(frame)) = timeout_at(deadline, frames.next()).await {
            self.tell_prompted().await;
            match frame {
                Frame::Line(line) if line.len() <= left => {
                    left -= line.len();
                    self.line(line).await;
                }
                Frame::Oversized { head } => self.oversized(head).await,
                Frame::Line(_) | Frame::Endless | Frame::End => break,
            }
        }
    }

    /// Ends every turn and every session, and lets all callers know.
    async fn finish(&mut self) {
        self.tell_prompted().await;
        let exit = self.shared.exited().await;
        for held in self.holds.take() {
            self.shared.lock().end_turn(&held.turn);
            let event = SessionEvent::TurnEnded { turn: held.turn, end: held.end };
            self.backlog.entry(held.session).or_default().push(event);
        }
        let (routes, turns) = {
            let mut state = self.shared.lock();
            state.closed = true;
            // Callers that wait learn of the exit when their reply slot goes.
            state.pending.clear();
            state.asks.clear();
            state.terminals.clear();
            state.loading.clear();
            let text = exit.exit.as_deref().unwrap_or_default();
            state.record(None, Note::system("Agent process exited", text).warning());
            (std::mem::take(&mut state.routes), std::mem::take(&mut state.turns))
        };
        for LiveTurn { session, turn, stderr_from, .. } in turns {
            let mut error = exit.run_error(Some(Stage::Prompt));
            // What it wrote before may be of another session, and that of another person.
            error.stderr = excerpt(&self.shared.stderr.tail_since(stderr_from));
            let end = TurnEnd::Failed(error);
            self.shared.lock().record(Some(&session), Note::end(&end));
            self.backlog.entry(session).or_default().push(SessionEvent::TurnEnded { turn, end });
        }
        self.shared.close_stdin.cancel();
        for (session, Route { sink, .. }) in routes {
            let mut events = self.backlog.remove(&session).unwrap_or_default();
            events.push(SessionEvent::Exited(exit.run_error(None)));
            tokio::spawn(async move {
                for event in events {
                    match sink.reserve(&event).await {
                        Some(room) => room.send(event),
                        None => break,
                    }
                }
            });
        }
    }

    /// Tells of prompts that were written.
    async fn tell_prompted(&mut self) {
        loop {
            let Some((session, turn)) = self.shared.lock().marks.pop_front() else { return };
            self.deliver(&session, SessionEvent::Prompted { turn }).await;
        }
    }

    /// Ends turns whose answer was held long enough.
    async fn end_due(&mut self, idle: bool) {
        while let Some(held) = self.holds.due(Instant::now(), idle) {
            self.end_turn(&held.session, held.turn, held.end).await;
        }
    }

    pub(crate) async fn end_turn(&mut self, session: &str, turn: TurnId, end: TurnEnd) {
        {
            let mut state = self.shared.lock();
            // Before who waits is told that it is over.
            state.record(Some(session), Note::end(&end));
            state.end_turn(&turn);
        }
        self.deliver(session, SessionEvent::TurnEnded { turn, end }).await;
    }

    /// Tells a session of an event, if it is still routed.
    pub(crate) async fn deliver(&mut self, session: &str, event: SessionEvent) {
        let sink = self.shared.lock().routes.get(session).map(|route| route.sink.clone());
        if let Some(sink) = sink {
            self.send(session, sink, event).await;
        }
    }

    pub(crate) async fn send(&mut self, session: &str, sink: EventSink, event: SessionEvent) {
        if self.dead {
            self.backlog.entry(session.to_owned()).or_default().push(event);
            return;
        }
        let event = match sink.try_send(event) {
            Ok(()) => return,
            Err(Unsent::Closed) => return self.forget(session, &sink),
            Err(Unsent::Full(event)) => event,
        };
        let shared = Arc::clone(&self.shared);
        let start = Instant::now();
        tokio::select! {
            biased;
            room = sink.reserve(&event) => match room {
                Some(room) => room.send(event),
                None => self.forget(session, &sink),
            },
            () = shared.gone.cancelled() => {
                self.dead = true;
                self.backlog.entry(session.to_owned()).or_default().push(event);
            }
        }
        self.holds.shift(start.elapsed());
    }

    /// Nobody listens to the session any more.
    fn forget(&self, session: &str, sink: &EventSink) {
        let mut state = self.shared.lock();
        if state.routes.get(session).is_some_and(|route| route.sink.same_channel(sink)) {
            state.routes.remove(session);
            state.went();
            self.shared.cancel_asks(&mut state, session);
        }
    }

    async fn line(&mut self, line: &[u8]) {
        let message = match decode(line) {
            Ok(message) => message,
            Err(noise) => return self.noise(noise, line),
        };
        {
            let mut state = self.shared.lock();
            state.last_frame = Instant::now();
            state.counters.frames += 1;
        }
        match message {
            Message::Notification { method, params } => match method.as_ref() {
                "session/update" => self.update(params, line.len()).await,
                "$/cancel_request" => self.withdraw(params).await,
                _ => self.shared.lock().counters.ignored += 1,
            },
            Message::Request { id, method, params } => match method.as_ref() {
                "session/request_permission" => self.asked(id, handlers::permission(params)).await,
                "elicitation/create" => {
                    let form = handlers::form(&self.shared.lock(), params);
                    self.asked(id, form).await;
                }
                // Told as a request by mistake: the text matters more than the form.
                "session/update" => {
                    self.update(params, line.len()).await;
                    self.shared.reply(&mut self.shared.lock(), id, &json!({}));
                }
                other => {
                    if let Some(method) = Method::of(other) {
                        self.serve(method, id, params).await;
                    } else {
                        let mut state = self.shared.lock();
                        self.shared.refuse(&mut state, Some(id), code::METHOD_NOT_FOUND, "method not found");
                    }
                }
            },
            Message::Response { id, answer } => self.response(id, answer).await,
        }
    }

    fn noise(&self, noise: Noise, line: &[u8]) {
        {
            let mut state = self.shared.lock();
            state.counters.noise += 1;
            match noise {
                Noise::Encoding => state.counters.invalid_utf8 += 1,
                Noise::Malformed if !state.outbox_busy() => {
                    self.shared.refuse(&mut state, None, code::PARSE, "parse error");
                }
                Noise::Empty | Noise::Text | Noise::Malformed | Noise::NoMessage => {}
            }
        }
        if noise != Noise::Empty {
            self.shared.keep_noise(line);
        }
    }

    async fn update(&mut self, params: Option<&RawValue>, bytes: usize) {
        let Some((session, update)) = params.and_then(update::parse) else {
            self.shared.lock().counters.ignored += 1;
            return;
        };
        self.tell(&session, update, params.map(RawValue::get), bytes).await;
    }

    pub(crate) async fn tell(&mut self, session: &str, update: AgentUpdate, raw: Option<&str>, bytes: usize) {
        let now = Instant::now();
        self.holds.heard(session, now);
        let place = {
            let mut state = self.shared.lock();
            if matches!(update, AgentUpdate::Unknown { .. }) {
                state.counters.unknown_updates += 1;
            }
            state.place(session, update, raw, bytes, now)
        };
        if let Place::Sink(sink, update) = place {
            self.send(session, sink, SessionEvent::Update(update)).await;
        }
    }

    async fn asked(&mut self, id: &RawValue, asked: Option<Asked>) {
        let Some(Asked { session, event, note, key, kind }) = asked else {
            let mut state = self.shared.lock();
            self.shared.refuse(&mut state, Some(id), code::INVALID_PARAMS, "invalid params");
            return;
        };
        self.holds.heard(&session, Instant::now());
        {
            let mut state = self.shared.lock();
            let routed = state.routes.contains_key(&session) && !state.loading.contains_key(&session);
            if !routed {
                state.counters.unrouted += 1;
                self.shared.reply(&mut state, id, &handlers::outcome(kind, &Given::Cancelled));
                return;
            }
            state.asks.insert(key, Ask { id: id.to_owned(), session: session.clone(), kind });
            state.record(Some(&session), note);
        }
        self.deliver(&session, event).await;
    }

    async fn withdraw(&mut self, params: Option<&RawValue>) {
        let (key, ask) = {
            let mut state = self.shared.lock();
            let Some(key) = handlers::cancelled(&state, params) else { return };
            let Some(ask) = state.asks.remove(&key) else { return };
            self.shared.refuse(&mut state, Some(&ask.id), code::CANCELLED, "request cancelled");
            state.record(Some(&ask.session), Note::ask_over(ask.kind.withdrawn(), ""));
            (key, ask)
        };
        self.deliver(&ask.session, SessionEvent::Withdrawn { key }).await;
    }
}

async fn at(time: Option<Instant>) {
    match time {
        Some(time) => sleep_until(time).await,
        None => std::future::pending().await,
    }
}
