//! Our side of one session: takes what comes, decides, keeps rows, acts, in the
//! order of the runtime's actor. Time is the test's, ids count up, nothing is
//! written to a disk.

use std::collections::HashMap;
use std::time::Duration;

use openscience_acp::{AgentError, Connection, Refused, SessionEvent};
use openscience_core::answer::{Answer, Refusal};
use openscience_core::coalesce::Coalescer;
use openscience_core::effect::{Effect, TurnPlan};
use openscience_core::input::{
    AgentUpdate, Command, Given, Input, Observation, Opened, PromptCommand, RequestKey, TextChunk, TurnEnd,
};
use openscience_core::session::{Context, Draft, Policy, SessionMachine};
use openscience_protocol::decision::PermissionAnswer;
use openscience_protocol::event::CancelSource;
use openscience_protocol::row::{SessionMeta, SessionRow};
use openscience_protocol::{
    DecisionId, DecisionInput, Limits, Millis, OwnerId, PermissionReply, PromptInput, ToolRef, TurnId,
    Workspace,
};
use serde_json::json;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use tokio::time::Instant;

use crate::book::Book;
use crate::ids::Counter;
use crate::link::{Link, Opening, events, open};

/// What a person asks of the session.
#[derive(Debug)]
pub(crate) enum Ask {
    Prompt {
        text: String,
    },
    /// Stop the live run, by its id.
    Cancel,
    /// Stop whatever is current.
    Abort,
    /// Answer the permission that is about that tool call.
    Decide {
        call: String,
        reply: PermissionReply,
    },
}

type Reply = oneshot::Sender<Result<Answer, Refusal>>;

/// A session at work.
#[derive(Debug)]
pub(crate) struct Host {
    asks: mpsc::Sender<(Ask, Reply)>,
    work: JoinHandle<Book>,
}

impl Host {
    pub(crate) fn start(connection: Connection, opening: Opening) -> Self {
        let (asks, inbox) = mpsc::channel(8);
        Self { asks, work: tokio::spawn(Session::new(connection, opening).work(inbox)) }
    }

    pub(crate) async fn ask(&self, ask: Ask) -> Result<Answer, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.asks.send((ask, reply)).await.unwrap();
        answer.await.unwrap()
    }

    /// What stands in the rows once nothing is left to do.
    pub(crate) async fn end(self) -> Book {
        drop(self.asks);
        self.work.await.unwrap()
    }
}

/// News of what was started.
enum Report {
    Opened(Box<Result<Link, AgentError>>),
    Delivered { decision: DecisionId, delivered: bool },
}

struct Session {
    machine: SessionMachine,
    book: Book,
    coalescer: Coalescer,
    ids: Counter,
    me: OwnerId,
    limits: Limits,
    born: Instant,
    connection: Connection,
    opening: Opening,
    link: Option<Link>,
    starting: Option<Box<TurnPlan>>,
    at_agent: Option<TurnId>,
    awaiting: HashMap<DecisionId, RequestKey>,
    reporter: mpsc::Sender<Report>,
    reports: mpsc::Receiver<Report>,
}

impl Session {
    fn new(connection: Connection, opening: Opening) -> Self {
        let (reporter, reports) = mpsc::channel(64);
        let row = row(&opening);
        let book = Book::new(row);
        Self {
            machine: SessionMachine::restore(book.rows()),
            book,
            coalescer: Coalescer::default(),
            ids: Counter::of(opening.number),
            me: "own_replay".parse().unwrap(),
            // A recording's second prompt comes too soon to be answered by what was recorded.
            limits: Limits { max_waiting_turns: 0, ..Limits::default() },
            born: Instant::now(),
            connection,
            opening,
            link: None,
            starting: None,
            at_agent: None,
            awaiting: HashMap::new(),
            reporter,
            reports,
        }
    }

    fn now(&self) -> Millis {
        Millis::try_from(self.born.elapsed().as_millis()).unwrap()
    }

    async fn work(mut self, mut inbox: mpsc::Receiver<(Ask, Reply)>) -> Book {
        loop {
            let timer = self.timer();
            tokio::select! {
                biased;
                ask = inbox.recv() => match ask {
                    Some((ask, reply)) => self.person(ask, reply),
                    None => break,
                },
                Some(report) = self.reports.recv() => self.report(report),
                events = events(self.link.as_mut()) => self.agent(events),
                () = sleep_until(timer) => self.clock(),
            }
        }
        assert_eq!(self.machine.state().live, None, "a run is still live");
        self.book
    }

    /// The next point in time something is due.
    fn timer(&self) -> Option<Instant> {
        let due =
            [self.machine.deadline(&self.me, &self.limits, &Policy::default()), self.coalescer.deadline()];
        let due = due.into_iter().flatten().min()?;
        Some(self.born + Duration::from_millis(u64::try_from(due).unwrap()))
    }

    fn clock(&mut self) {
        let now = self.now();
        let mut inputs = Vec::new();
        if self.coalescer.deadline().is_some_and(|due| due <= now) {
            inputs.extend(self.coalescer.flush().map(text));
        }
        if self.machine.deadline(&self.me, &self.limits, &Policy::default()).is_some_and(|due| due <= now) {
            inputs.push(Input::Observation(Observation::Tick));
        }
        self.process(&inputs);
    }

    fn person(&mut self, ask: Ask, reply: Reply) {
        let mut inputs: Vec<Input> = self.coalescer.flush().map(text).into_iter().collect();
        inputs.push(Input::Command(self.command(ask)));
        let mut answers = self.process(&inputs);
        reply.send(answers.pop().unwrap()).unwrap();
    }

    fn command(&self, ask: Ask) -> Command {
        let state = self.machine.state();
        match ask {
            Ask::Prompt { text } => {
                let model = self
                    .opening
                    .model
                    .as_ref()
                    .map(|id| json!({"providerID": self.book.session.agent.as_str(), "modelID": id}));
                let mut input = json!({"sessionID": state.row.id, "effort": "normal", "message": text});
                if let Some(model) = model {
                    input["model"] = model;
                }
                let input: PromptInput = serde_json::from_value(input).unwrap();
                let parts = openscience_core::admission::input_parts(&input);
                Command::Prompt(Box::new(PromptCommand { input, parts, found: None, message_taken: false }))
            }
            Ask::Cancel => {
                let run = state.live.as_ref().unwrap().run.id.clone();
                Command::Cancel { run, source: CancelSource::User, found: None }
            }
            Ask::Abort => Command::Abort { source: CancelSource::User },
            Ask::Decide { call, reply } => {
                let asked = state.live.as_ref().unwrap().decisions.iter();
                let about = |tool: &ToolRef| tool.call_id == call;
                let mut asked = asked.filter_map(|row| row.permission());
                let asked = asked.find(|asked| asked.tool.as_ref().is_some_and(about));
                let answer = DecisionInput::Permission(PermissionAnswer {
                    session_id: state.row.id.clone(),
                    request_id: asked.unwrap().id.clone(),
                    reply,
                    message: None,
                });
                Command::Decide { answer, found: None }
            }
        }
    }

    fn agent(&mut self, events: Vec<SessionEvent>) {
        let mut inputs = Vec::new();
        for event in events {
            if let SessionEvent::Update(AgentUpdate::Text(chunk)) = event {
                inputs.extend(self.coalescer.push(chunk, self.now()).into_iter().map(text));
                continue;
            }
            inputs.extend(self.coalescer.interrupt().map(text));
            inputs.extend(self.observation(event).map(Input::Observation));
        }
        self.process(&inputs);
    }

    fn observation(&mut self, event: SessionEvent) -> Option<Observation> {
        match event {
            SessionEvent::Prompted { turn } => Some(Observation::Prompted { turn }),
            SessionEvent::Update(update) => Some(Observation::Update(update)),
            SessionEvent::Permission(ask) => Some(Observation::PermissionAsked(ask)),
            SessionEvent::Question(ask) => Some(Observation::QuestionAsked(ask)),
            // As the recorded client did.
            SessionEvent::Request { key, .. } => {
                let connection = self.connection.clone();
                let refused = Refused::new(-32601, "method not found");
                tokio::spawn(async move { connection.respond(key, Err(refused)).await });
                None
            }
            SessionEvent::Terminal(seen) => Some(Observation::TerminalSeen(seen)),
            SessionEvent::Withdrawn { key } => {
                let awaited = self.awaiting.iter().find(|(_, known)| **known == key);
                let decision = awaited.map(|(decision, _)| decision.clone())?;
                Some(Observation::RequestWithdrawn { decision })
            }
            SessionEvent::TurnEnded { turn, end } => {
                self.at_agent.take_if(|known| *known == turn);
                Some(Observation::TurnEnded { turn, end })
            }
            SessionEvent::Exited(error) => {
                self.link = None;
                let turn = self.at_agent.take()?;
                Some(Observation::TurnEnded { turn, end: TurnEnd::Failed(error) })
            }
        }
    }

    fn report(&mut self, report: Report) {
        let mut inputs: Vec<Input> = self.coalescer.flush().map(text).into_iter().collect();
        inputs.push(Input::Observation(match report {
            Report::Opened(opened) => self.opened(*opened),
            Report::Delivered { decision, delivered } => Observation::AnswerDelivered { decision, delivered },
        }));
        self.process(&inputs);
    }

    fn opened(&mut self, opened: Result<Link, AgentError>) -> Observation {
        let turn = self.starting.as_ref().unwrap().turn.clone();
        match opened {
            Ok(link) => {
                let opened = Box::new(link.opened.clone());
                self.link = Some(link);
                Observation::SessionOpened { turn, opened }
            }
            Err(error) => {
                self.starting = None;
                Observation::TurnEnded { turn, end: TurnEnd::Failed(error.into()) }
            }
        }
    }

    /// Decides, commits, acts. The answers to the commands among the inputs, in order.
    fn process(&mut self, inputs: &[Input]) -> Vec<Result<Answer, Refusal>> {
        let now = self.now();
        let mut cx = Context {
            now,
            me: &self.me,
            limits: &self.limits,
            policy: &Policy::default(),
            rules: &[],
            default_model: None,
            artifacts: false,
            scratch: "/scratch",
            ids: &mut self.ids,
        };
        let Draft { append, answers, effects, asides: _ } = self.machine.step(inputs, &mut cx);
        if let Some(append) = append {
            self.machine.committed(self.book.append(append));
            self.assert_a_restart_would_know_the_same();
        }
        for effect in effects {
            self.perform(effect);
        }
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    fn assert_a_restart_would_know_the_same(&self) {
        let restored = SessionMachine::restore(self.book.rows());
        let (restored, state) = (restored.state(), self.machine.state());
        assert_eq!((&restored.row, &restored.live), (&state.row, &state.live));
    }

    fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::StartTurn(plan) => self.start(plan),
            Effect::SendPrompt { turn, blocks } => {
                self.starting = None;
                let link = self.link.as_ref().unwrap();
                self.connection.prompt(&link.session, turn.clone(), blocks).unwrap();
                self.at_agent = Some(turn);
            }
            Effect::CancelTurn { turn } => {
                assert_eq!(self.at_agent, Some(turn));
                self.connection.cancel(&self.link.as_ref().unwrap().session);
            }
            Effect::TurnOver { turn } => {
                self.starting.take_if(|plan| plan.turn == turn);
                if self.at_agent.take_if(|known| *known == turn).is_some() {
                    self.unlink();
                }
                self.awaiting.clear();
            }
            Effect::AwaitDecision { decision, key } => {
                self.awaiting.insert(decision, key);
            }
            Effect::AnswerDecision { decision, key, given } => self.answer(decision, key, given),
            Effect::EscalateTurn { .. }
            | Effect::RefuseRequest { .. }
            | Effect::ServeRequest { .. }
            | Effect::TellGrants
            | Effect::CollectFiles { .. }
            | Effect::FinalizeFiles { .. } => {
                panic!("no recording comes to {effect:?}")
            }
            Effect::DecisionSettled { .. } | Effect::RunOver { .. } => {}
        }
    }

    fn start(&mut self, plan: Box<TurnPlan>) {
        assert_eq!(plan.agent_session, self.book.session.meta.agent_session);
        self.starting = Some(plan);
        let link = self.link.take();
        let (connection, opening, reporter) =
            (self.connection.clone(), self.opening.clone(), self.reporter.clone());
        tokio::spawn(async move {
            let opened = match link {
                Some(link) => Ok(Link { opened: Opened { fresh: false, ..link.opened }, ..link }),
                None => open(&connection, &opening).await,
            };
            // A session that is over wants no report.
            drop(reporter.send(Report::Opened(Box::new(opened))).await);
        });
    }

    fn answer(&mut self, decision: DecisionId, key: Option<RequestKey>, given: Given) {
        let key = self.awaiting.remove(&decision).or(key).unwrap();
        let (connection, reporter) = (self.connection.clone(), self.reporter.clone());
        tokio::spawn(async move {
            let delivered = connection.answer(key, given).await;
            // A session that is over wants no report.
            drop(reporter.send(Report::Delivered { decision, delivered }).await);
        });
    }

    fn unlink(&mut self) {
        if let Some(link) = self.link.take() {
            self.connection.release(&link.session);
        }
    }
}

fn text(chunk: TextChunk) -> Input {
    Input::Observation(Observation::Update(AgentUpdate::Text(chunk)))
}

fn row(opening: &Opening) -> SessionRow {
    SessionRow {
        id: "ses_replay".parse().unwrap(),
        project_id: "prj_replay".parse().unwrap(),
        directory: "/ws".to_owned(),
        workspace: Workspace::Project,
        parent_id: None,
        title: "New session".to_owned(),
        agent: opening.agent.as_str().into(),
        permission: None,
        deadline_ms: None,
        version: "0".to_owned(),
        created: 0,
        updated: 0,
        archived: None,
        pinned: None,
        deleting: false,
        revision: 0,
        latest_sequence: 0,
        latest_message: 0,
        meta: SessionMeta { agent_session: opening.known.clone(), ..SessionMeta::default() },
    }
}

async fn sleep_until(at: Option<Instant>) {
    match at {
        Some(at) => tokio::time::sleep_until(at).await,
        None => std::future::pending().await,
    }
}
