//! One actor per session: takes what waits, decides, commits, acts.
//!
//! The order of these steps is the durability contract: nothing is answered or
//! performed before its commit. The actor owns the machine; nothing else does.

mod intake;
mod perform;
mod saving;

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use openscience_acp::SessionEvent;
use openscience_core::answer::{Answer, Refusal};
use openscience_core::coalesce::Coalescer;
use openscience_core::effect::TurnPlan;
use openscience_core::input::{
    AgentUpdate, Blocks, Command, Input, Observation, Opened, PermissionAsk, RequestKey,
};
use openscience_core::pace::Pacer;
use openscience_core::permission;
use openscience_core::session::{Aside, Draft, SessionMachine};
use openscience_core::visit::Visited;
use openscience_protocol::artifact::SavedFile;
use openscience_protocol::row::{Append, MessageRows, SessionRow, SessionRows};
use openscience_protocol::{
    ArtifactRunId, DecisionId, DecisionResult, MessageId, ProjectId, RunError, SessionId, TurnId,
};
use openscience_store::{AppendError, StoreError};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use self::saving::Draining;
use crate::ask::{self, Request};
use crate::authority::{self, Asked, Place};
use crate::inquiry::Asker;
use crate::link::Link;
use crate::sessions::Activity;
use crate::shared::Inner;
use crate::visit::Visit;

/// How long a decision's caller waits to learn whether the agent has the answer.
const DELIVERY: Duration = Duration::from_secs(2);
/// How long the agent may work on while nothing can be recorded.
const UNRECORDED: Duration = Duration::from_secs(10);

/// Why a session could not answer a request.
#[derive(Debug, Clone)]
pub(crate) enum ActorError {
    NotFound,
    Refused(Refusal),
    /// As many runs as the limit allows are at work.
    TooMany,
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
    /// `link` is what is open, also if not all went well.
    Opened {
        turn: TurnId,
        /// What it saves its files under, if it was told so.
        handoff: Option<ArtifactRunId>,
        link: Option<Box<Link>>,
        result: Result<Box<Opened>, RunError>,
    },
    /// A start was given up: what was open for it is there again.
    Spared,
    /// The files of a turn's prompt were read, or could not be.
    Read {
        turn: TurnId,
        blocks: Result<Blocks, RunError>,
    },
    /// The prompt could not be handed to the agent.
    Unsent {
        turn: TurnId,
        error: RunError,
    },
    Delivered {
        decision: DecisionId,
        delivered: bool,
    },
    /// The agent took a request back before it was recorded.
    Withdrawn {
        decision: DecisionId,
    },
    Escalated {
        turn: TurnId,
    },
    /// What a turn has saved.
    Collected {
        turn: TurnId,
        files: Vec<SavedFile>,
    },
    /// The turn's files are put away, or were waited for long enough.
    Drained {
        turn: TurnId,
    },
    /// A visit is over; what is open was given back.
    Visited {
        visited: Box<Visited>,
        reply: Reply,
    },
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

    /// The request of the agent, if it is one.
    fn ask(&mut self) -> Option<&mut PermissionAsk> {
        match &mut self.input {
            Input::Observation(Observation::PermissionAsked(ask)) => Some(ask),
            Input::Observation(_) | Input::Command(_) => None,
        }
    }

    /// A command nobody waits for.
    fn command(command: Command) -> Self {
        Self { input: Input::Command(command), reply: None }
    }
}

/// A stretch of time in which nothing could be written.
struct Trouble {
    since: Instant,
    /// It lasted so long that the run is stopped.
    given_up: bool,
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
    /// When the agent was last heard of.
    activity: Activity,
    link: Option<Link>,
    /// The turn the agent has and has not ended.
    at_agent: Option<TurnId>,
    /// When the agent last said something in that turn, or was told something.
    heard: Instant,
    /// The turn the agent was told to cancel; it is told once.
    cancelled: Option<TurnId>,
    /// The turn whose agent is being made ready.
    starting: Option<(Box<TurnPlan>, CancellationToken)>,
    /// The turn that was made ready, and what it saves its files under.
    handoff: Option<(TurnId, ArtifactRunId)>,
    /// The turn whose files are being looked for or put away.
    draining: Option<Draining>,
    /// Where the link comes back if that start is given up.
    spare: Option<oneshot::Receiver<Link>>,
    /// The agent is being visited between turns.
    visiting: bool,
    /// Visits that wait for it.
    visits: VecDeque<(Visit, Reply)>,
    /// The newest answers that are recorded, newest first: a machine that is restored knows the growing one only.
    answered: Vec<MessageId>,
    /// The live run is counted against the limit.
    counted: bool,
    coalescer: Coalescer,
    pacer: Pacer,
    /// Where the agent works, for what it asks us to do.
    place: Place,
    awaiting: HashMap<DecisionId, RequestKey>,
    /// Where the answers to questions of the agent's MCP server go.
    askers: HashMap<RequestKey, Asker>,
    /// What the agent has asked us to do and nobody has answered, and why it cannot be done.
    requests: HashMap<RequestKey, Asked>,
    /// Callers that wait to learn whether the agent has their answer.
    deciding: Vec<(DecisionResult, Instant, Reply)>,
    /// Callers that wait for the live run to end; some only for one of this process.
    idle: Vec<(bool, Reply)>,
}

impl Drop for SessionActor {
    fn drop(&mut self) {
        // A panic must not keep a place for ever.
        if self.counted {
            self.inner.live_runs.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl SessionActor {
    /// Runs one session until it has nothing to do. Returns early if the session does not exist. `made` is
    /// its row if nothing has been asked of it yet.
    pub(crate) async fn run(
        id: SessionId,
        inner: Arc<Inner>,
        made: Option<SessionRow>,
        mut commands: mpsc::Receiver<Envelope>,
        activity: Activity,
    ) {
        let restored = match made {
            Some(row) => Ok(Some(SessionRows::at_rest(row))),
            None => inner.store.restore(&id).await,
        };
        let machine = match restored {
            Ok(Some(rows)) => SessionMachine::restore(rows),
            Ok(None) => return refuse_all(&mut commands, &ActorError::NotFound).await,
            Err(error) => return refuse_all(&mut commands, &ActorError::Store(error)).await,
        };
        let place = Place::of(&machine.state().row, &inner.config.data_dir);
        let (reporter, reports) = mpsc::channel(64);
        let mut actor = Self {
            id,
            inner,
            machine,
            stale: false,
            commands,
            reports,
            reporter,
            activity,
            link: None,
            at_agent: None,
            heard: Instant::now(),
            cancelled: None,
            starting: None,
            handoff: None,
            draining: None,
            spare: None,
            visiting: false,
            visits: VecDeque::new(),
            answered: Vec::new(),
            counted: false,
            coalescer: Coalescer::default(),
            pacer: Pacer::default(),
            place,
            awaiting: HashMap::new(),
            askers: HashMap::new(),
            requests: HashMap::new(),
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
                Wake::AgentGone => self.take_agent_gone(),
                Wake::Timer => self.take_timer(),
                Wake::Idle => {
                    self.machine.forget_recent();
                    self.answered.clear();
                    if self.link.is_none() && self.inner.sessions.retire(&self.id, &self.commands) {
                        return;
                    }
                    Vec::new()
                }
                Wake::End => return,
            };
            let gone = batch.is_empty() && self.stale && self.refreshed().await.is_err();
            if gone || self.process(batch).await.is_err() {
                self.inner.sessions.remove(&self.id);
                return refuse_all(&mut self.commands, &ActorError::NotFound).await;
            }
            self.visit_next();
            self.answer_waiters();
            self.activity.asks(self.asks_permission());
        }
    }

    /// Takes up what another process changed. An error means the session is gone; what cannot be
    /// read now is read before the next decision.
    async fn refreshed(&mut self) -> Result<(), ()> {
        match self.reload().await {
            Ok(()) | Err(ActorError::Store(_) | ActorError::Refused(_) | ActorError::TooMany) => Ok(()),
            Err(ActorError::NotFound) => self.vanish(Vec::new()),
        }
    }

    async fn reload(&mut self) -> Result<(), ActorError> {
        match self.inner.store.restore(&self.id).await {
            Ok(Some(rows)) => {
                let mut machine = SessionMachine::restore(rows);
                if let Some(rows) = self.last_answer(&machine).await.map_err(ActorError::Store)? {
                    machine.recall(&rows);
                }
                self.machine = machine;
                self.stale = false;
                Ok(())
            }
            Ok(None) => Err(ActorError::NotFound),
            Err(error) => Err(ActorError::Store(error)),
        }
    }

    /// The newest answer that is over, while the agent may have more to say of it. As it is recorded: the
    /// machine that is given up may be ahead of that.
    async fn last_answer(&self, restored: &SessionMachine) -> Result<Option<MessageRows>, StoreError> {
        if self.link.is_none() && self.starting.is_none() {
            return Ok(None);
        }
        let over = |id: &&MessageId| restored.answers().all(|growing| growing != *id);
        match self.answered.iter().find(over) {
            Some(message) => self.inner.store.message_rows(&self.id, message).await,
            None => Ok(None),
        }
    }

    /// Decides, commits, answers and acts. An error means the session is gone.
    async fn process(&mut self, mut batch: Vec<Pending>) -> Result<(), ()> {
        let mut trouble = Trouble { since: Instant::now(), given_up: false };
        while !batch.is_empty() {
            if self.stale {
                match self.restored(&mut batch).await {
                    Ok(()) => {}
                    Err(ActorError::Store(error)) => {
                        batch = self.hold(batch, &error, &mut trouble).await;
                        continue;
                    }
                    Err(ActorError::NotFound | ActorError::Refused(_) | ActorError::TooMany) => {
                        return self.vanish(batch);
                    }
                }
            }
            if let Err(error) = self.look_up_grants(&mut batch).await {
                batch = self.hold(batch, &error, &mut trouble).await;
                continue;
            }
            let Draft { append, answers, effects, asides } = self.step(&batch);
            // Until the commit the machine is ahead of the rows.
            self.stale = true;
            match self.commit(append, &asides).await {
                Ok(()) => {
                    self.stale = false;
                    for effect in effects {
                        self.perform(effect);
                    }
                    self.reply(batch, answers);
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

    /// Restores the machine, and looks up again what the commands of the batch refer to.
    async fn restored(&mut self, batch: &mut [Pending]) -> Result<(), ActorError> {
        self.reload().await?;
        for pending in batch {
            if let Input::Command(command) = &pending.input {
                let again = ask::look_up(command.clone(), &self.inner.store, &self.id, &self.machine).await;
                pending.input = Input::Command(again.map_err(ActorError::Store)?);
            }
        }
        Ok(())
    }

    /// Tells requests of the agent what people have granted, as the store has it now.
    async fn look_up_grants(&mut self, batch: &mut [Pending]) -> Result<(), StoreError> {
        if !batch.iter_mut().any(|pending| pending.ask().is_some()) {
            return Ok(());
        }
        let grants = self.inner.store.grants(&self.id).await?;
        for pending in batch.iter_mut() {
            if let Some(ask) = pending.ask() {
                ask.grants.clone_from(&grants);
                ask.real_paths = crate::paths::are_real(&permission::paths(&ask.tool)).await;
            }
        }
        self.look_at_requests(batch).await
    }

    /// Tells what the agent asks us to do whether it can be done, and what was allowed in the run.
    async fn look_at_requests(&mut self, batch: &mut [Pending]) -> Result<(), StoreError> {
        let asks = batch.iter_mut().filter_map(Pending::ask);
        for (key, ours) in asks.filter_map(|ask| Some((ask.key, ask.ours.as_mut()?))) {
            let Some(asked) = self.requests.get_mut(&key) else { continue };
            asked.refused = authority::impossible(&self.place, &asked.request).await;
            ours.possible = asked.refused.is_none();
            if let Some(live) = self.machine.state().live.as_ref().filter(|_| !ours.reads) {
                ours.allowed = self.inner.store.allowed(&self.id, &live.run.id).await?;
            }
        }
        Ok(())
    }

    fn step(&mut self, batch: &[Pending]) -> Draft {
        let mut ids = self.inner.ids.clone();
        let inputs = batch.iter().map(|pending| &pending.input);
        self.machine.step(inputs, &mut self.inner.context(&mut ids))
    }

    async fn commit(&mut self, append: Option<Append>, asides: &[Aside]) -> Result<(), AppendError> {
        let Some(append) = append else {
            self.inner.bus.publish(&self.machine.state().row, &[], asides);
            return Ok(());
        };
        let told = !append.events.is_empty();
        // Who begins to follow later than this reads the log.
        let heard = self.inner.heads.is_followed(&self.id) || self.inner.bus.is_heard();
        let events = if heard { append.events.clone() } else { Vec::new() };
        let appended = self.inner.store.append(append).await?;
        self.machine.committed(appended);
        self.answered = self.machine.answers().cloned().collect();
        if told {
            self.inner.heads.publish_events(&self.id, appended.latest_sequence, &events);
        } else if heard {
            self.inner.heads.touch(&self.id);
        }
        self.inner.bus.publish(&self.machine.state().row, &events, asides);
        Ok(())
    }

    /// The store cannot write. Commands are refused, facts kept. Cancel alone acts without a commit; what
    /// it meant is kept before the facts, so that the end is the intended one when the store is back.
    async fn hold(&mut self, batch: Vec<Pending>, error: &StoreError, trouble: &mut Trouble) -> Vec<Pending> {
        tracing::warn!(session.id = %self.id, %error, "the session cannot be written");
        let (mut intents, mut facts) = (Vec::new(), Vec::new());
        for pending in batch {
            match pending {
                Pending { input, reply: None } => facts.push(Pending { input, reply: None }),
                Pending { input, reply: Some(reply) } => {
                    answer(reply, Err(ActorError::Store(error.clone())));
                    if self.is_cancel(&input) {
                        intents.push(Pending { input, reply: None });
                    }
                }
            }
        }
        while let Ok(envelope) = self.commands.try_recv() {
            answer(envelope.reply, Err(ActorError::Store(error.clone())));
            let intent = envelope.request.cancel().map(Pending::command);
            intents.extend(intent.filter(|intent| self.is_cancel(&intent.input)));
        }
        if trouble.since.elapsed() > UNRECORDED && !std::mem::replace(&mut trouble.given_up, true) {
            intents.push(Pending::command(Command::GiveUp));
        }
        if !intents.is_empty() {
            self.cancel_at_agent();
        }
        intents.append(&mut facts);
        if !intents.is_empty() {
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
        intents
    }

    /// True for a command that stops what the agent has now. What has ended, or is not known, stops nothing.
    fn is_cancel(&self, input: &Input) -> bool {
        let Input::Command(command) = input else { return false };
        let live = self.machine.state().live.as_ref();
        match command {
            Command::Abort { .. } | Command::Stop { .. } => true,
            Command::Cancel { run, found, .. } => {
                let joined = self.machine.state().follow_ups.iter().find(|receipt| receipt.id == *run);
                let meant = found.as_ref().map(|row| &row.id).or(joined.map(|receipt| &receipt.run_id));
                live.is_some_and(|live| live.run.id == *meant.unwrap_or(run))
            }
            Command::CancelTurn { turn, .. } => self.at_agent.as_ref() == Some(turn),
            Command::Prompt(_)
            | Command::Decide { .. }
            | Command::Rename(_)
            | Command::BeginDelete
            | Command::GiveUp
            | Command::Cover(_)
            | Command::Deliver(_)
            | Command::ClearQueue
            | Command::Withdraw { .. }
            | Command::LookAt(_)
            | Command::SendNow { .. }
            | Command::SettleClaim { .. }
            | Command::ReopenClaim(_)
            | Command::Visited(_)
            | Command::TakeOver { .. } => false,
        }
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
}

fn text(chunk: openscience_core::input::TextChunk) -> Pending {
    Pending::fact(Observation::Update(AgentUpdate::Text(chunk)))
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

/// Refuses what waits, and what is on its way already.
async fn refuse_all(commands: &mut mpsc::Receiver<Envelope>, error: &ActorError) {
    commands.close();
    while let Some(envelope) = commands.recv().await {
        answer(envelope.reply, Err(error.clone()));
    }
}
