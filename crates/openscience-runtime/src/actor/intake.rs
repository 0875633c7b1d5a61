//! What wakes an actor, and what of it becomes an input. Decides nothing.

use std::sync::atomic::Ordering;
use std::time::Duration;

use agent_client_protocol_schema::v1::{SessionUpdate, ToolCallContent, ToolCallUpdate};
use openscience_acp::SessionEvent;
use openscience_core::answer::Answer;
use openscience_core::input::{AgentUpdate, Command, Input, Observation, Opened, RequestKey, TurnEnd};
use openscience_core::{admission, authority};
use openscience_protocol::row::TerminalRow;
use openscience_protocol::{Millis, RunError, TurnId, codes};
use openscience_store::StoreError;
use tokio::time::Instant;

use super::{ActorError, Envelope, Pending, Report, SessionActor, Wake, answer, refuse, text};
use crate::ask::Request;
use crate::authority::Asked;
use crate::link::Link;
use crate::{clock, recovery};

/// Inputs taken at once.
const BATCH_INPUTS: usize = 256;
/// Text taken at once.
const BATCH_BYTES: usize = 1 << 20;
/// An actor without work or agent goes after this long; its state is in the rows.
const IDLE: Duration = Duration::from_secs(30);

/// ACP's error code for a session the agent does not have.
const RESOURCE_NOT_FOUND: i64 = -32002;

fn tool(update: ToolCallUpdate) -> Pending {
    let update = AgentUpdate::Known(Box::new(SessionUpdate::ToolCallUpdate(update)));
    Pending::fact(Observation::Update(update))
}

/// True if text that follows is a new part: its first piece goes out at once.
fn opens_part(event: &SessionEvent) -> bool {
    match event {
        SessionEvent::Update(AgentUpdate::Known(update)) => {
            matches!(**update, SessionUpdate::ToolCall(_) | SessionUpdate::ToolCallUpdate(_))
        }
        SessionEvent::Permission(_) => true,
        SessionEvent::Update(_)
        | SessionEvent::Question(_)
        | SessionEvent::Request { .. }
        | SessionEvent::Terminal(_)
        | SessionEvent::Prompted { .. }
        | SessionEvent::Withdrawn { .. }
        | SessionEvent::TurnEnded { .. }
        | SessionEvent::Exited(_) => false,
    }
}

impl SessionActor {
    pub(super) async fn next(&mut self) -> Wake {
        let timer = self.timer();
        let state = self.machine.state();
        let busy = state.live.is_some() || self.starting.is_some() || self.visiting;
        // An open agent session keeps the actor, but not the text of the last answer.
        let rest = !busy && (self.link.is_none() || state.recent.is_some());
        tokio::select! {
            biased;
            command = self.commands.recv() => match command {
                Some(first) => {
                    let mut envelopes = vec![first];
                    while envelopes.len() < BATCH_INPUTS
                        && let Ok(more) = self.commands.try_recv()
                    {
                        envelopes.push(more);
                    }
                    Wake::Commands(envelopes)
                }
                None => Wake::End,
            },
            Some(report) = self.reports.recv() => Wake::Report(report),
            events = next_events(self.link.as_mut()) => events.map_or(Wake::AgentGone, Wake::Agent),
            () = sleep_until(timer) => Wake::Timer,
            () = tokio::time::sleep(IDLE), if rest => Wake::Idle,
        }
    }

    /// The next point in time something is due.
    pub(super) fn timer(&self) -> Option<Instant> {
        let wall = [self.deadline(), self.coalescer.deadline(), self.pacer.deadline()];
        let waiting = self.deciding.iter().map(|(_, until, _)| *until);
        wall.into_iter().flatten().map(from_now).chain(waiting).chain(self.stalled_at()).min()
    }

    /// When the machine wants to be woken.
    fn deadline(&self) -> Option<Millis> {
        let config = &self.inner.config;
        self.machine.deadline(self.inner.store.owner(), &config.limits, &config.policy)
    }

    /// When the turn the agent has counts as stalled: not while a person is asked, nor while a command runs for it.
    fn stalled_at(&self) -> Option<Instant> {
        let limit = Duration::from_millis(self.inner.config.policy.stall_timeout_ms?);
        let live = self.machine.state().live.as_ref()?;
        let works = self.machine.state().terminals.iter().any(TerminalRow::is_running);
        let silent = self.at_agent.is_some() && !live.closing() && live.pending().next().is_none() && !works;
        silent.then(|| self.heard.checked_add(limit)).flatten()
    }

    pub(super) fn take_timer(&mut self) -> Vec<Pending> {
        let now = clock::now();
        let mut batch = Vec::new();
        let is_due = self.deadline().is_some_and(|due| due <= now);
        // What came before the point in time is told before it.
        if is_due || self.coalescer.deadline().is_some_and(|due| due <= now) {
            batch.extend(self.coalescer.flush().map(text));
        }
        batch.extend(self.pacer.due(now).into_iter().map(tool));
        if let Some(turn) = self.at_agent.clone()
            && self.stalled_at().is_some_and(|due| due <= Instant::now())
        {
            batch.push(Pending::fact(Observation::Stalled { turn }));
        }
        if is_due {
            batch.push(Pending::fact(Observation::Tick));
        }
        batch
    }

    pub(super) fn take_events(&mut self, events: Vec<SessionEvent>) -> Vec<Pending> {
        self.activity.note(clock::now());
        self.heard = Instant::now();
        let mut batch = Vec::new();
        for event in events {
            if let SessionEvent::Update(AgentUpdate::Text(chunk)) = event {
                batch.extend(self.coalescer.push(chunk, clock::now()).into_iter().map(text));
                continue;
            }
            let held = if opens_part(&event) { self.coalescer.interrupt() } else { self.coalescer.flush() };
            batch.extend(held.map(text));
            if matches!(event, SessionEvent::TurnEnded { .. } | SessionEvent::Exited(_)) {
                batch.extend(self.pacer.finish().into_iter().map(tool));
            }
            let gone = matches!(event, SessionEvent::Exited(_));
            batch.extend(self.terminals_in(&event));
            batch.extend(self.take_event(event).map(Pending::fact));
            if gone {
                batch.push(Pending::fact(Observation::TerminalsLost));
            }
        }
        batch
    }

    /// What the terminals show now that the update shows: it is told of the call.
    fn terminals_in(&self, event: &SessionEvent) -> Vec<Pending> {
        let content = match event {
            SessionEvent::Update(AgentUpdate::Known(update)) => match &**update {
                SessionUpdate::ToolCall(call) => &call.content[..],
                SessionUpdate::ToolCallUpdate(update) => update.fields.content.as_deref().unwrap_or_default(),
                _ => &[],
            },
            _ => &[],
        };
        let shown = |item: &ToolCallContent| match item {
            ToolCallContent::Terminal(terminal) => {
                let connection = &self.link.as_ref()?.shared.connection;
                connection.terminal(&self.id, &terminal.terminal_id.0)
            }
            _ => None,
        };
        let seen = content.iter().filter_map(shown).map(|terminal| Box::new(terminal.seen()));
        seen.map(|seen| Pending::fact(Observation::TerminalSeen(seen))).collect()
    }

    fn take_event(&mut self, event: SessionEvent) -> Option<Observation> {
        match event {
            SessionEvent::Prompted { turn } => Some(Observation::Prompted { turn }),
            SessionEvent::Update(update) => {
                if let (AgentUpdate::Known(known), Some(link)) = (&update, &mut self.link) {
                    link.hear(known);
                }
                let update = match update {
                    AgentUpdate::Known(known) => self.paced(*known)?,
                    AgentUpdate::Text(_) | AgentUpdate::Unknown { .. } | AgentUpdate::Stderr(_) => update,
                };
                Some(Observation::Update(update))
            }
            SessionEvent::Permission(ask) => Some(Observation::PermissionAsked(ask)),
            SessionEvent::Question(ask) => Some(Observation::QuestionAsked(ask)),
            SessionEvent::Request { key, request } => {
                let ask = authority::asked(key, &request);
                self.requests.insert(key, Asked { request: *request, refused: None });
                Some(Observation::PermissionAsked(Box::new(ask)))
            }
            SessionEvent::Terminal(seen) => Some(Observation::TerminalSeen(seen)),
            SessionEvent::Withdrawn { key } => {
                self.requests.remove(&key);
                self.withdrawn(key)
            }
            SessionEvent::TurnEnded { turn, end } => {
                // A turn that is over for us says nothing of the one the agent has now.
                let current = self.at_agent.take_if(|known| *known == turn).is_some();
                if current
                    && matches!(&end, TurnEnd::Failed(error) if error.agent_code == Some(RESOURCE_NOT_FOUND))
                {
                    // The agent has forgotten the session: the next prompt opens it again.
                    self.link = None;
                }
                Some(Observation::TurnEnded { turn, end })
            }
            SessionEvent::Exited(error) => {
                self.link = None;
                let turn = self.at_agent.take()?;
                Some(Observation::TurnEnded { turn, end: TurnEnd::Failed(error) })
            }
        }
    }

    /// The agent or its server takes a request back. One that is not recorded yet is closed once it is.
    fn withdrawn(&self, key: RequestKey) -> Option<Observation> {
        let decision = self.awaiting.iter().find(|(_, known)| **known == key).map(|(id, _)| id.clone())?;
        Some(Observation::RequestWithdrawn { decision })
    }

    /// What an MCP server of ours says, which is no request of a person; gives back what is one.
    fn take_inquiry(&mut self, request: Request, batch: &mut Vec<Pending>) -> Option<Request> {
        match request {
            Request::Question { ask, asker } => {
                self.askers.insert(ask.key, asker);
                batch.push(Pending::fact(Observation::QuestionAsked(ask)));
                None
            }
            Request::QuestionGone(key) => {
                batch.extend(self.withdrawn(key).map(Pending::fact));
                None
            }
            other => Some(other),
        }
    }

    /// The update, unless it tells of a running tool too soon again.
    fn paced(&mut self, update: SessionUpdate) -> Option<AgentUpdate> {
        let update = match update {
            SessionUpdate::ToolCallUpdate(update) => {
                SessionUpdate::ToolCallUpdate(self.pacer.push(update, clock::now())?)
            }
            other => other,
        };
        Some(AgentUpdate::Known(Box::new(update)))
    }

    /// The connection let go of the session without a word: no turn may wait for it for ever.
    pub(super) fn take_agent_gone(&mut self) -> Vec<Pending> {
        self.link = None;
        let mut batch: Vec<Pending> = self.coalescer.flush().map(text).into_iter().collect();
        if let Some(turn) = self.at_agent.take() {
            let error =
                RunError::new(codes::run::AGENT_EXITED, "the agent's connection was lost").at("prompt");
            batch.push(Pending::fact(Observation::TurnEnded { turn, end: TurnEnd::Failed(error) }));
        }
        batch.push(Pending::fact(Observation::TerminalsLost));
        batch
    }

    pub(super) fn take_report(&mut self, report: Report) -> Vec<Pending> {
        let mut batch: Vec<Pending> = self.coalescer.flush().map(text).into_iter().collect();
        match report {
            Report::Opened { turn, handoff, link, result } => {
                let awaited = self.starting.as_ref().is_some_and(|(plan, _)| plan.turn == turn);
                if let Some(run) = handoff.clone().filter(|_| !awaited) {
                    self.end_run(run);
                }
                if awaited {
                    self.handoff = handoff.map(|run| (turn.clone(), run));
                    self.link = link.map(|link| *link);
                    batch.push(Pending::fact(self.take_opened(turn, result)));
                } else {
                    self.take_spare(link.map(|link| *link));
                }
            }
            Report::Spared => self.take_given(),
            Report::Visited { visited, reply } => {
                self.visiting = false;
                self.take_given();
                let recorded = Input::Command(Command::Visited(visited));
                batch.push(Pending { input: recorded, reply: Some(reply) });
            }
            Report::Read { turn, blocks } => {
                // Unless it was cancelled meanwhile.
                if self.starting.as_ref().is_some_and(|(plan, _)| plan.turn == turn) {
                    match blocks {
                        Ok(blocks) => self.hand_over(turn, blocks),
                        Err(error) => batch.push(Pending::fact(self.take_opened(turn, Err(error)))),
                    }
                }
            }
            Report::Unsent { turn, error } => {
                batch.push(Pending::fact(Observation::TurnEnded { turn, end: TurnEnd::Failed(error) }));
            }
            Report::Delivered { decision, delivered } => {
                batch.push(Pending::fact(Observation::AnswerDelivered { decision, delivered }));
            }
            Report::Withdrawn { decision } => {
                batch.push(Pending::fact(Observation::RequestWithdrawn { decision }));
            }
            Report::Collected { turn, files } => batch.extend(self.take_collected(turn, files)),
            Report::Drained { turn } => batch.extend(self.take_drained(turn)),
            Report::Escalated { turn } => {
                batch.push(Pending::fact(Observation::Escalated { turn, still_running: true }));
            }
        }
        batch
    }

    /// Takes what was given back, unless a start waits for it.
    fn take_given(&mut self) {
        if self.starting.is_none() {
            let spare = self.spare.take().and_then(|mut spare| spare.try_recv().ok());
            self.take_spare(spare);
        }
    }

    /// True if nothing is open and nothing is being opened.
    fn is_at_rest(&self) -> bool {
        self.link.is_none() && self.starting.is_none() && self.spare.is_none() && !self.visiting
    }

    /// What was open for a start that came to nothing is kept: it holds the conversation.
    fn take_spare(&mut self, link: Option<Link>) {
        if self.starting.is_none() && self.link.is_none() {
            self.link = link;
            self.link.iter_mut().for_each(Link::rest);
        }
    }

    pub(super) fn take_opened(&mut self, turn: TurnId, result: Result<Box<Opened>, RunError>) -> Observation {
        match result {
            Ok(opened) => Observation::SessionOpened { turn, opened },
            Err(error) => {
                self.starting = None;
                self.link.iter_mut().for_each(Link::rest);
                Observation::TurnEnded { turn, end: TurnEnd::Failed(error) }
            }
        }
    }

    /// Turns requests into commands, with what the store knows of them.
    pub(super) async fn take_commands(&mut self, envelopes: Vec<Envelope>) -> Vec<Pending> {
        let mut batch: Vec<Pending> = self.coalescer.flush().map(text).into_iter().collect();
        let minds = envelopes.iter().any(|envelope| envelope.request.minds_the_live_run());
        if let Err(error) = self.look_elsewhere(minds).await {
            refuse(envelopes, &error);
            return batch;
        }
        for Envelope { project, request, reply } in envelopes {
            if project.is_some_and(|project| project != self.machine.state().row.project_id) {
                answer(reply, Err(ActorError::NotFound));
                continue;
            }
            if let Request::Refresh { revision } = request {
                self.stale |= revision > self.machine.state().row.revision;
                continue;
            }
            let Some(request) = self.take_inquiry(request, &mut batch) else {
                answer(reply, Ok(Answer::Done));
                continue;
            };
            let request = match request {
                Request::Visit(visit) => {
                    self.take_visit(visit, reply);
                    continue;
                }
                Request::TakeOver { link: Some(link), transcript, visited } if self.is_at_rest() => {
                    self.link = Some(*link);
                    Request::TakeOver { link: None, transcript, visited }
                }
                other => other,
            };
            if matches!(request, Request::Stop { force: true }) {
                batch.extend(self.last_files().await);
            }
            let own = matches!(request, Request::WaitIdle { own: true });
            match self.command(request).await {
                Ok(Some(command)) if self.beyond_limit(&command) && !self.joins_elsewhere().await => {
                    answer(reply, Err(ActorError::TooMany));
                }
                Ok(Some(command)) => {
                    batch.push(Pending { input: Input::Command(command), reply: Some(reply) });
                }
                // Flushing is done; waiting for the end of the run is done by whoever ends it.
                Ok(None) => self.idle.push((own, reply)),
                Err(error) => answer(reply, Err(ActorError::Store(error))),
            }
        }
        batch
    }

    /// Restores the machine if another process may have changed what it knows of the live run.
    async fn look_elsewhere(&mut self, minds_the_live_run: bool) -> Result<(), ActorError> {
        let state = self.machine.state();
        if state.live.as_ref().is_some_and(|live| live.run.owner != *self.inner.store.owner()) {
            // A prompt must not join a run whose owner is dead.
            recovery::sweep(&self.inner).await.map_err(ActorError::Store)?;
            return self.reload().await;
        }
        if !minds_the_live_run {
            return Ok(());
        }
        let marks = self.inner.store.marks(std::slice::from_ref(&self.id)).await;
        let marks = marks.map_err(ActorError::Store)?;
        let old = marks.first().is_none_or(|mark| mark.revision != state.row.revision);
        if old { self.reload().await } else { Ok(()) }
    }

    /// True if another process has begun a run of this session, which a prompt joins: asked before one is
    /// refused for too many runs. The append meets the revision and is decided again.
    async fn joins_elsewhere(&self) -> bool {
        let marks = self.inner.store.marks(std::slice::from_ref(&self.id)).await;
        let known = self.machine.state().row.revision;
        marks.is_ok_and(|marks| marks.first().is_some_and(|mark| mark.revision != known))
    }

    /// True for a prompt that would start a run too many. A retry of a known one is always answered.
    fn beyond_limit(&self, command: &Command) -> bool {
        let Command::Prompt(prompt) = command else { return false };
        let max = self.inner.config.limits.max_sessions;
        if self.machine.state().live.is_some() || self.inner.live_runs.load(Ordering::Relaxed) < max {
            return false;
        }
        let key = admission::run_id(&self.id, &prompt.input);
        prompt.found.is_none() && !key.is_some_and(|run| self.machine.knows_run(&run))
    }

    pub(super) async fn command(&self, request: Request) -> Result<Option<Command>, StoreError> {
        request.into_command(&self.inner.store, &self.id, &self.machine).await
    }
}

/// What waits of the agent, at most a batch; none once the channel is closed.
async fn next_events(link: Option<&mut Link>) -> Option<Vec<SessionEvent>> {
    let Some(link) = link else { return std::future::pending().await };
    let first = link.events.recv().await?;
    let mut bytes = first.weight();
    let mut events = vec![first];
    while events.len() < BATCH_INPUTS
        && bytes < BATCH_BYTES
        && let Ok(more) = link.events.try_recv()
    {
        bytes += more.weight();
        events.push(more);
    }
    Some(events)
}

fn from_now(at: Millis) -> Instant {
    let wait = u64::try_from(at.saturating_sub(clock::now())).unwrap_or_default();
    Instant::now() + Duration::from_millis(wait)
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
