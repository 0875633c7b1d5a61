//! One actor per session: takes what waits, decides, commits, acts.
//!
//! The order of these steps is the durability contract: nothing is answered or
//! performed before its commit. The actor owns the machine; nothing else does.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use openscience_acp::SessionEvent;
use openscience_core::answer::{Answer, Refusal};
use openscience_core::coalesce::Coalescer;
use openscience_core::effect::{Effect, TurnPlan};
use openscience_core::input::{AgentUpdate, Command, Input, Observation, Opened, RequestKey, TurnEnd};
use openscience_core::session::{Context, Draft, SessionMachine};
use openscience_protocol::row::{Append, DecisionState};
use openscience_protocol::{
    DecisionId, DecisionResult, DecisionStatus, Millis, ProjectId, RunError, SessionId, TurnId,
};
use openscience_store::{AppendError, StoreError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::ask::Request;
use crate::clock;
use crate::shared::Inner;
use crate::turn::{self, Link, Place};

/// Inputs taken at once.
const BATCH_INPUTS: usize = 256;
/// Text taken at once.
const BATCH_BYTES: usize = 1 << 20;
/// An actor without work or agent goes after this long; its state is in the rows.
const IDLE: Duration = Duration::from_secs(30);
/// How long a decision's caller waits to learn whether the agent has the answer.
const DELIVERY: Duration = Duration::from_secs(2);
/// How long the agent may work on while nothing can be recorded.
const UNRECORDED: Duration = Duration::from_secs(10);

/// Why a session could not answer a request.
#[derive(Debug, Clone)]
pub(crate) enum ActorError {
    NotFound,
    Refused(Refusal),
    Store(StoreError),
}

pub(crate) type Reply = oneshot::Sender<Result<Answer, ActorError>>;

/// A request of a person, with the project it was made for.
#[derive(Debug)]
pub(crate) struct Envelope {
    /// None for the daemon's own requests.
    pub project: Option<ProjectId>,
    pub request: Request,
    pub reply: Reply,
}

/// News from tasks the actor started.
#[derive(Debug)]
enum Report {
    Opened { turn: TurnId, result: Result<Box<(Link, Opened)>, RunError> },
    Delivered { decision: DecisionId, delivered: bool },
    Escalated { turn: TurnId },
}

/// What woke the actor.
enum Wake {
    Commands(Vec<Envelope>),
    Report(Report),
    Agent(Vec<SessionEvent>),
    AgentGone,
    Timer,
    /// Nothing happened for long.
    Idle,
    /// Every handle is gone.
    End,
}

/// An input and who waits for its answer.
struct Pending {
    input: Input,
    reply: Option<Reply>,
}

impl Pending {
    fn fact(observation: Observation) -> Self {
        Self { input: Input::Observation(observation), reply: None }
    }
}

/// A stretch of time in which nothing could be written.
struct Trouble {
    since: Instant,
    /// The agent was told to stop.
    cancelled: bool,
}

pub(crate) struct SessionActor {
    id: SessionId,
    inner: Arc<Inner>,
    machine: SessionMachine,
    /// The machine is not what the rows say: restore it before it decides.
    stale: bool,
    commands: mpsc::Receiver<Envelope>,
    reports: mpsc::Receiver<Report>,
    reporter: mpsc::Sender<Report>,
    link: Option<Link>,
    /// The turn the agent has and has not ended.
    at_agent: Option<TurnId>,
    /// The turn whose agent is being made ready.
    starting: Option<(Box<TurnPlan>, CancellationToken)>,
    coalescer: Coalescer,
    awaiting: HashMap<DecisionId, RequestKey>,
    /// Callers that wait to learn whether the agent has their answer.
    deciding: Vec<(DecisionResult, Instant, Reply)>,
    /// Callers that wait for the live run to end.
    idle: Vec<Reply>,
}

impl SessionActor {
    /// Runs one session until it has nothing to do. Returns early if the session does not exist.
    pub(crate) async fn run(id: SessionId, inner: Arc<Inner>, mut commands: mpsc::Receiver<Envelope>) {
        let restored = inner.store.restore(&id).await;
        let machine = match restored {
            Ok(Some(rows)) => SessionMachine::restore(rows),
            Ok(None) => return refuse_all(&mut commands, &ActorError::NotFound),
            Err(error) => return refuse_all(&mut commands, &ActorError::Store(error)),
        };
        let (reporter, reports) = mpsc::channel(64);
        let mut actor = Self {
            id,
            inner,
            machine,
            stale: false,
            commands,
            reports,
            reporter,
            link: None,
            at_agent: None,
            starting: None,
            coalescer: Coalescer::default(),
            awaiting: HashMap::new(),
            deciding: Vec::new(),
            idle: Vec::new(),
        };
        actor.work().await;
    }

    async fn work(&mut self) {
        loop {
            let wake = self.next().await;
            let batch = match wake {
                Wake::Commands(envelopes) => self.take_commands(envelopes).await,
                Wake::Report(report) => self.take_report(report),
                Wake::Agent(events) => self.take_events(events),
                Wake::AgentGone => {
                    self.link = None;
                    Vec::new()
                }
                Wake::Timer => self.take_timer(),
                Wake::Idle => {
                    if self.inner.sessions.retire(&self.id, &self.commands) {
                        return;
                    }
                    Vec::new()
                }
                Wake::End => return,
            };
            if self.process(batch).await.is_err() {
                self.inner.sessions.remove(&self.id);
                return refuse_all(&mut self.commands, &ActorError::NotFound);
            }
            self.answer_waiters();
        }
    }

    async fn next(&mut self) -> Wake {
        let timer = self.timer();
        let busy = self.machine.state().live.is_some() || self.link.is_some() || self.starting.is_some();
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
            () = tokio::time::sleep(IDLE), if !busy => Wake::Idle,
        }
    }

    /// The next point in time something is due.
    fn timer(&self) -> Option<Instant> {
        let wall = [self.machine.deadline(&self.inner.config.limits), self.coalescer.deadline()];
        let waiting = self.deciding.iter().map(|(_, until, _)| *until);
        wall.into_iter().flatten().map(from_now).chain(waiting).min()
    }

    fn take_timer(&mut self) -> Vec<Pending> {
        let now = clock::now();
        let mut batch = Vec::new();
        if self.coalescer.deadline().is_some_and(|due| due <= now) {
            batch.extend(self.coalescer.flush().map(text));
        }
        if self.machine.deadline(&self.inner.config.limits).is_some_and(|due| due <= now) {
            batch.push(Pending::fact(Observation::Tick));
        }
        batch
    }

    fn take_events(&mut self, events: Vec<SessionEvent>) -> Vec<Pending> {
        let mut batch = Vec::new();
        for event in events {
            if let SessionEvent::Update(AgentUpdate::Text(chunk)) = event {
                batch.extend(self.coalescer.push(chunk, clock::now()).into_iter().map(text));
                continue;
            }
            batch.extend(self.coalescer.flush().map(text));
            batch.extend(self.take_event(event).map(Pending::fact));
        }
        batch
    }

    fn take_event(&mut self, event: SessionEvent) -> Option<Observation> {
        match event {
            SessionEvent::Prompted { turn } => Some(Observation::Prompted { turn }),
            SessionEvent::Update(update) => Some(Observation::Update(update)),
            SessionEvent::Permission(ask) => Some(Observation::PermissionAsked(ask)),
            SessionEvent::Withdrawn { key } => {
                let decision =
                    self.awaiting.iter().find(|(_, known)| **known == key).map(|(id, _)| id.clone())?;
                Some(Observation::RequestWithdrawn { decision })
            }
            SessionEvent::TurnEnded { turn, end } => {
                if self.at_agent.as_ref() == Some(&turn) {
                    self.at_agent = None;
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

    fn take_report(&mut self, report: Report) -> Vec<Pending> {
        let mut batch: Vec<Pending> = self.coalescer.flush().map(text).into_iter().collect();
        match report {
            Report::Opened { turn, result } => {
                if self.starting.as_ref().is_some_and(|(plan, _)| plan.turn == turn) {
                    batch.push(Pending::fact(self.take_opened(turn, result)));
                }
            }
            Report::Delivered { decision, delivered } => {
                batch.push(Pending::fact(Observation::AnswerDelivered { decision, delivered }));
            }
            Report::Escalated { turn } => {
                batch.push(Pending::fact(Observation::Escalated { turn, still_running: true }));
            }
        }
        batch
    }

    fn take_opened(&mut self, turn: TurnId, result: Result<Box<(Link, Opened)>, RunError>) -> Observation {
        match result {
            Ok(opened) => {
                let (link, opened) = *opened;
                self.link = Some(link);
                Observation::SessionOpened { turn, opened: Box::new(opened) }
            }
            Err(error) => {
                self.starting = None;
                Observation::TurnEnded { turn, end: TurnEnd::Failed(error) }
            }
        }
    }

    /// Turns requests into commands, with what the store knows of them.
    async fn take_commands(&mut self, envelopes: Vec<Envelope>) -> Vec<Pending> {
        let mut batch: Vec<Pending> = self.coalescer.flush().map(text).into_iter().collect();
        let me = self.inner.store.owner();
        if self.machine.state().live.as_ref().is_some_and(|live| live.run.owner != *me) {
            // Another process drives this run: what we remember of it may be old.
            match self.reload().await {
                Ok(()) => {}
                Err(error) => {
                    refuse(envelopes, &error);
                    return batch;
                }
            }
        }
        for Envelope { project, request, reply } in envelopes {
            if project.is_some_and(|project| project != self.machine.state().row.project_id) {
                answer(reply, Err(ActorError::NotFound));
                continue;
            }
            match self.command(request).await {
                Ok(Some(command)) => {
                    batch.push(Pending { input: Input::Command(command), reply: Some(reply) });
                }
                // Flushing is done; waiting for the end of the run is done by whoever ends it.
                Ok(None) => self.idle.push(reply),
                Err(error) => answer(reply, Err(ActorError::Store(error))),
            }
        }
        batch
    }

    async fn command(&self, request: Request) -> Result<Option<Command>, StoreError> {
        let live = self.machine.state().live.as_ref();
        request.into_command(&self.inner.store, &self.id, live).await
    }

    async fn reload(&mut self) -> Result<(), ActorError> {
        match self.inner.store.restore(&self.id).await {
            Ok(Some(rows)) => {
                self.machine = SessionMachine::restore(rows);
                self.stale = false;
                Ok(())
            }
            Ok(None) => Err(ActorError::NotFound),
            Err(error) => Err(ActorError::Store(error)),
        }
    }

    /// Decides, commits, answers and acts. An error means the session is gone.
    async fn process(&mut self, mut batch: Vec<Pending>) -> Result<(), ()> {
        let mut trouble = Trouble { since: Instant::now(), cancelled: false };
        while !batch.is_empty() {
            if self.stale {
                match self.reload().await {
                    Ok(()) => {}
                    Err(ActorError::Store(error)) => {
                        batch = self.hold(batch, &error, &mut trouble).await;
                        continue;
                    }
                    Err(ActorError::NotFound | ActorError::Refused(_)) => return self.vanish(batch),
                }
            }
            let inputs: Vec<Input> = batch.iter().map(|pending| pending.input.clone()).collect();
            let Draft { append, answers, effects } = self.step(&inputs);
            // Until the commit the machine is ahead of the rows.
            self.stale = true;
            match self.commit(append).await {
                Ok(()) => {
                    self.stale = false;
                    for effect in effects {
                        self.perform(effect);
                    }
                    self.reply(batch, answers);
                    self.prompt_if_ready();
                    return Ok(());
                }
                // Another process wrote first: restore and decide again.
                Err(AppendError::Revision) => {}
                Err(AppendError::Gone) => return self.vanish(batch),
                Err(AppendError::Store(error)) => batch = self.hold(batch, &error, &mut trouble).await,
            }
        }
        Ok(())
    }

    fn step(&mut self, inputs: &[Input]) -> Draft {
        let mut ids = self.inner.ids.clone();
        let mut cx = Context {
            now: clock::now(),
            me: self.inner.store.owner(),
            limits: &self.inner.config.limits,
            rules: &self.inner.config.rules,
            ids: &mut ids,
        };
        self.machine.step(inputs, &mut cx)
    }

    async fn commit(&mut self, append: Option<Append>) -> Result<(), AppendError> {
        let Some(append) = append else { return Ok(()) };
        let told = !append.events.is_empty();
        let appended = self.inner.store.append(append).await?;
        self.machine.committed(appended);
        if told {
            self.inner.heads.publish(&self.id, appended.latest_sequence);
        }
        Ok(())
    }

    /// The store cannot write. Commands are refused, facts kept; cancel alone acts without a commit.
    async fn hold(&mut self, batch: Vec<Pending>, error: &StoreError, trouble: &mut Trouble) -> Vec<Pending> {
        tracing::warn!(session.id = %self.id, %error, "the session cannot be written");
        let mut facts = Vec::new();
        let mut cancel = trouble.since.elapsed() > UNRECORDED;
        for pending in batch {
            match pending.reply {
                Some(reply) => {
                    cancel |= is_cancel(&pending.input);
                    answer(reply, Err(ActorError::Store(error.clone())));
                }
                None => facts.push(pending),
            }
        }
        if cancel
            && !std::mem::replace(&mut trouble.cancelled, true)
            && let (Some(link), Some(_)) = (&self.link, &self.at_agent)
        {
            link.shared.connection.cancel(&link.session);
        }
        while let Ok(envelope) = self.commands.try_recv() {
            answer(envelope.reply, Err(ActorError::Store(error.clone())));
        }
        if !facts.is_empty() {
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        facts
    }

    fn vanish(&mut self, batch: Vec<Pending>) -> Result<(), ()> {
        for reply in batch.into_iter().filter_map(|pending| pending.reply) {
            answer(reply, Err(ActorError::NotFound));
        }
        self.commands.close();
        Err(())
    }

    fn reply(&mut self, batch: Vec<Pending>, answers: Vec<(usize, Result<Answer, Refusal>)>) {
        let mut replies: Vec<Option<Reply>> = batch.into_iter().map(|pending| pending.reply).collect();
        for (index, outcome) in answers {
            let Some(reply) = replies.get_mut(index).and_then(Option::take) else { continue };
            match outcome {
                Ok(Answer::Decision { result, settled: false }) => {
                    self.deciding.push((result, Instant::now() + DELIVERY, reply));
                }
                Ok(taken) => answer(reply, Ok(taken)),
                Err(refusal) => answer(reply, Err(ActorError::Refused(refusal))),
            }
        }
    }

    /// Starts what a committed change asks for. Never waits.
    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::StartTurn(plan) => self.start_turn(plan),
            Effect::CancelTurn { turn } => {
                if let Some(link) = self.link.as_ref().filter(|_| self.at_agent.as_ref() == Some(&turn)) {
                    link.shared.connection.cancel(&link.session);
                }
            }
            Effect::EscalateTurn { turn } => self.escalate(turn),
            Effect::TurnOver { turn } => self.turn_over(&turn),
            Effect::AwaitDecision { decision, key } => {
                self.awaiting.insert(decision, key);
            }
            Effect::AnswerDecision { decision, key, option } => {
                let key = self.awaiting.remove(&decision).or(key);
                self.deliver(decision, key, option);
            }
            Effect::RefuseRequest { key } => {
                if let Some(link) = &self.link {
                    let connection = link.shared.connection.clone();
                    tokio::spawn(async move { connection.answer(key, None).await });
                }
            }
            Effect::DecisionSettled { decision } => self.settled(&decision),
            Effect::RunOver { .. } => {}
        }
    }

    fn start_turn(&mut self, plan: Box<TurnPlan>) {
        let abandoned = CancellationToken::new();
        let place =
            Place { row: self.machine.state().row.clone(), data_dir: self.inner.config.data_dir.clone() };
        let link = self.link.take();
        let (connections, reporter) = (Arc::clone(&self.inner.connections), self.reporter.clone());
        self.starting = Some((plan.clone(), abandoned.clone()));
        tokio::spawn(async move {
            let turn = plan.turn.clone();
            let opened = tokio::select! {
                opened = turn::open(&connections, &place, &plan, link) => opened.map(Box::new),
                () = abandoned.cancelled() => return,
            };
            // An actor that is gone wants no report.
            drop(reporter.send(Report::Opened { turn, result: opened }).await);
        });
    }

    /// Sends the prompt once the session is open and that is committed.
    fn prompt_if_ready(&mut self) {
        let (Some((plan, _)), Some(link)) = (&self.starting, &self.link) else { return };
        let connection = &link.shared.connection;
        match connection.prompt(&link.session, plan.turn.clone(), plan.blocks.clone()) {
            Ok(()) => self.at_agent = Some(plan.turn.clone()),
            Err(error) => {
                let (turn, reporter) = (plan.turn.clone(), self.reporter.clone());
                let result = Err(error.into());
                tokio::spawn(async move { drop(reporter.send(Report::Opened { turn, result }).await) });
                self.link = None;
                return;
            }
        }
        self.starting = None;
    }

    fn escalate(&mut self, turn: TurnId) {
        let Some(link) = self.link.as_ref().filter(|_| self.at_agent.as_ref() == Some(&turn)) else { return };
        let connection = link.shared.connection.clone();
        if connection.live_turns() > 1 {
            self.inner.connections.retire(&link.shared);
            let reporter = self.reporter.clone();
            tokio::spawn(async move { drop(reporter.send(Report::Escalated { turn }).await) });
        } else {
            tokio::spawn(async move { connection.stop().await });
        }
    }

    /// The turn is over for us. If the agent still has it, its later output is nobody's.
    fn turn_over(&mut self, turn: &TurnId) {
        if let Some((_, abandoned)) = self.starting.take_if(|(plan, _)| plan.turn == *turn) {
            abandoned.cancel();
        }
        if self.at_agent.take_if(|known| known == turn).is_some() {
            self.link = None;
        }
        self.awaiting.clear();
    }

    fn deliver(&self, decision: DecisionId, key: Option<RequestKey>, option: Option<String>) {
        let connection = self.link.as_ref().map(|link| link.shared.connection.clone());
        let reporter = self.reporter.clone();
        tokio::spawn(async move {
            let delivered = match (connection, key) {
                (Some(connection), Some(key)) => connection.answer(key, option).await,
                (Some(_) | None, _) => false,
            };
            drop(reporter.send(Report::Delivered { decision, delivered }).await);
        });
    }

    /// Tells who waits whether the agent has the answer.
    fn settled(&mut self, decision: &DecisionId) {
        let unknown = self.machine.state().live.as_ref().is_some_and(|live| {
            live.decisions.iter().any(|d| d.id == *decision && d.state == DecisionState::Indeterminate)
        });
        let status = if unknown { DecisionStatus::Indeterminate } else { DecisionStatus::Resolved };
        for (result, _, reply) in
            self.deciding.extract_if(.., |(result, _, _)| result.request_id == *decision)
        {
            let result = DecisionResult { status, ..result };
            answer(reply, Ok(Answer::Decision { result, settled: true }));
        }
    }

    fn answer_waiters(&mut self) {
        let now = Instant::now();
        let over = self.machine.state().live.is_none();
        for (result, _, reply) in self.deciding.extract_if(.., |(_, until, _)| over || *until <= now) {
            answer(reply, Ok(Answer::Decision { result, settled: false }));
        }
        if over {
            for reply in self.idle.drain(..) {
                answer(reply, Ok(Answer::Done));
            }
        }
    }
}

fn text(chunk: openscience_core::input::TextChunk) -> Pending {
    Pending::fact(Observation::Update(AgentUpdate::Text(chunk)))
}

fn is_cancel(input: &Input) -> bool {
    matches!(input, Input::Command(Command::Cancel { .. } | Command::Abort { .. } | Command::Stop { .. }))
}

/// A caller that went away needs no answer.
fn answer(reply: Reply, outcome: Result<Answer, ActorError>) {
    drop(reply.send(outcome));
}

fn refuse(envelopes: Vec<Envelope>, error: &ActorError) {
    for envelope in envelopes {
        answer(envelope.reply, Err(error.clone()));
    }
}

fn refuse_all(commands: &mut mpsc::Receiver<Envelope>, error: &ActorError) {
    commands.close();
    while let Ok(envelope) = commands.try_recv() {
        answer(envelope.reply, Err(error.clone()));
    }
}

/// What waits of the agent, at most a batch; none once the channel is closed.
async fn next_events(link: Option<&mut Link>) -> Option<Vec<SessionEvent>> {
    let Some(link) = link else { return std::future::pending().await };
    let first = link.events.recv().await?;
    let mut bytes = weight(&first);
    let mut events = vec![first];
    while events.len() < BATCH_INPUTS
        && bytes < BATCH_BYTES
        && let Ok(more) = link.events.try_recv()
    {
        bytes += weight(&more);
        events.push(more);
    }
    Some(events)
}

fn weight(event: &SessionEvent) -> usize {
    match event {
        SessionEvent::Update(AgentUpdate::Text(chunk)) => chunk.text.len(),
        // Other updates are seldom and small enough that the count bounds them.
        _ => 256,
    }
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
