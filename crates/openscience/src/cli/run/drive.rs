//! One run from its prompt to its end: follows the events, answers what is asked, and stops when it is told to.

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::StreamExt as _;
use openscience_protocol::codes::api;
use openscience_protocol::decision::{PermissionAnswer, QuestionAnswer, QuestionReject};
use openscience_protocol::prompt::PromptAccepted;
use openscience_protocol::{
    DecisionInput, Message, MessageId, PartId, PermissionReply, PromptInput, QuestionRequest, RunId,
    RuntimeEvent, Sequence, Session, SessionId,
};
use tokio::time::{Instant, interval, sleep, sleep_until};

use super::host::{ATTEMPTS, Events, Host, HostError, Lost, PAUSE};
use super::keyboard::Keyboard;
use super::line::{Line, Root};
use super::outcome::{CONNECTION_LOST, Ended, Outcome};
use super::translate::{Ask, Told, Translator};
use super::view::View;
use crate::cli::serve::signals::{Signals, StopSignal};
use crate::output;

/// How long an agent may take to end its turn once we were told to stop; then it is ended.
const STOP_TIME: Duration = Duration::from_secs(3);
/// How often a sign of life is shown.
const SIGN_OF_LIFE: Duration = Duration::from_millis(120);

/// Who answers what an agent asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Policy {
    /// Every permission once, every question its first choice.
    Approve,
    /// Nothing is allowed.
    Deny,
    /// Whoever sits at the terminal.
    Person,
}

/// Why it could not go on.
enum Broken {
    /// Nobody reads what we write.
    Unread,
    Host(HostError),
}

impl From<std::io::Error> for Broken {
    fn from(_: std::io::Error) -> Self {
        Self::Unread
    }
}

impl From<HostError> for Broken {
    fn from(error: HostError) -> Self {
        Self::Host(error)
    }
}

/// Everything one run needs.
pub(super) struct Drive<'a> {
    host: &'a Host,
    view: &'a mut View,
    signals: &'a mut Signals,
    policy: Policy,
    session: SessionId,
    translator: Translator,
    keyboard: Keyboard,
    /// What waits for whoever sits at the terminal.
    waiting: VecDeque<Ask>,
    stopped: Option<StopSignal>,
    /// We were told twice: nobody wants to wait.
    hurry: bool,
}

/// How it went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Finished {
    pub(super) exit_code: u8,
    /// Whatever is left is to be ended at once.
    pub(super) hurry: bool,
}

impl<'a> Drive<'a> {
    pub(super) fn new(
        host: &'a Host,
        view: &'a mut View,
        signals: &'a mut Signals,
        policy: Policy,
        session: &Session,
    ) -> Self {
        let root = Root {
            session: session.id.clone(),
            parent: session.parent_id.clone(),
            agent: session.agent.clone(),
        };
        Self {
            host,
            view,
            signals,
            policy,
            session: session.id.clone(),
            translator: Translator::new(root, session.time.updated),
            keyboard: Keyboard::default(),
            waiting: VecDeque::new(),
            stopped: None,
            hurry: false,
        }
    }

    /// Carries it out and tells it, to the last line.
    pub(super) async fn run(mut self, input: PromptInput) -> Finished {
        let ended = match self.carry_out(input).await {
            Ok(ended) => ended,
            Err(Broken::Host(HostError { code, message })) => Ended::failed(&code, message),
            // The runtime ends the run with the process.
            Err(Broken::Unread) => Ended::failed("output_closed", "nobody reads standard output"),
        };
        let outcome = Outcome::of(&ended, self.stopped);
        for line in self.translator.finish(&ended, &outcome) {
            // Nobody is left to tell if even this cannot be written.
            drop(self.view.line(&line));
        }
        Finished { exit_code: outcome.exit_code, hurry: self.hurry }
    }

    async fn carry_out(&mut self, input: PromptInput) -> Result<Ended, Broken> {
        let latest = self.host.snapshot(&self.session).await?.latest_sequence;
        let Some(PromptAccepted { run_id, accepted_at, turn_id: _ }) = self.submit(input).await? else {
            return Ok(Ended::Cancelled);
        };
        self.translator.accepted(run_id.clone(), accepted_at);
        let ended = self.follow(&run_id, latest).await;
        if let Err(Broken::Unread) = ended {
            drop(self.host.cancel(&self.session, &run_id).await);
        }
        ended
    }

    /// Sends the prompt until there is an answer: its request id makes it the same prompt. None if we are told to stop.
    async fn submit(&mut self, input: PromptInput) -> Result<Option<PromptAccepted>, HostError> {
        for _ in 1..ATTEMPTS {
            match self.host.prompt(input.clone()).await {
                Err(error) if error.code == CONNECTION_LOST => {}
                answered => return answered.map(Some),
            }
            tokio::select! {
                () = sleep(PAUSE) => {}
                signal = self.signals.next_kind() => {
                    self.stopped = Some(signal);
                    return Ok(None);
                }
            }
        }
        self.host.prompt(input).await.map(Some)
    }

    async fn follow(&mut self, run: &RunId, mut seen: Sequence) -> Result<Ended, Broken> {
        let mut events = self.open(seen).await?;
        let mut sign_of_life = interval(SIGN_OF_LIFE);
        let mut give_up = None;
        loop {
            let next = tokio::select! {
                biased;
                signal = self.signals.next_kind() => {
                    if self.stopped.replace(signal).is_some() {
                        self.hurry = true;
                        return Ok(Ended::Cancelled);
                    }
                    self.translator.stop();
                    give_up = Some(Instant::now() + STOP_TIME);
                    self.stop(run).await;
                    continue;
                }
                () = until(give_up) => return Ok(Ended::Cancelled),
                answer = self.keyboard.line(), if !self.waiting.is_empty() => {
                    self.typed(answer).await?;
                    continue;
                }
                next = events.next() => next,
                _ = sign_of_life.tick(), if self.view.is_live() => {
                    self.view.tick()?;
                    continue;
                }
            };
            match next {
                Some(Ok(event)) => {
                    seen = event.sequence;
                    if let Some(ended) = self.event(&event).await? {
                        return Ok(ended);
                    }
                }
                Some(Err(Lost::Overtaken)) => {
                    if let Some(ended) = self.catch_up(run, &mut seen).await? {
                        return Ok(ended);
                    }
                    events = self.open(seen).await?;
                }
                Some(Err(Lost::Gone { code, message })) => return Ok(Ended::failed(&code, message)),
                None => {
                    return Ok(Ended::failed(CONNECTION_LOST, "the event stream ended before the run did"));
                }
            }
        }
    }

    async fn open(&self, seen: Sequence) -> Result<Events, HostError> {
        match self.host.follow(&self.session, seen).await {
            Ok(events) => Ok(events),
            // Told by the stream, as where the daemon is asked.
            Err(lost) => Ok(Box::pin(futures_util::stream::iter([Err(lost)]))),
        }
    }

    /// Asks for the end; whoever executes the run brings it about.
    async fn stop(&self, run: &RunId) {
        if let Err(error) = self.host.cancel(&self.session, run).await {
            tracing::warn!(%error, "the run could not be cancelled");
        }
    }

    async fn event(&mut self, event: &RuntimeEvent) -> Result<Option<Ended>, Broken> {
        self.view.event(event)?;
        if let Some(id) = event.properties.get("requestID").and_then(|id| id.as_str()) {
            // Answered or closed, by us or by someone else.
            self.waiting.retain(|ask| ask.id().as_str() != id);
        }
        let told = self.translator.event(event);
        self.tell(told).await
    }

    async fn tell(&mut self, told: Vec<Told>) -> Result<Option<Ended>, Broken> {
        for told in told {
            match told {
                Told::Line(line) => self.view.line(&line)?,
                Told::Part { message, part } => {
                    let line = self.whole_part(&message, &part).await?;
                    self.write(line)?;
                }
                Told::User(message) => {
                    let message = self.host.message(&self.session, &message).await?;
                    let line = self.translator.user(message);
                    self.write(line)?;
                }
                Told::Asked(ask) => self.asked(ask).await,
                Told::Ended(ended) => return Ok(Some(ended)),
            }
        }
        Ok(None)
    }

    fn write(&mut self, lines: impl IntoIterator<Item = Line>) -> std::io::Result<()> {
        lines.into_iter().try_for_each(|line| self.view.line(&line))
    }

    async fn whole_part(&mut self, message: &MessageId, part: &PartId) -> Result<Option<Line>, HostError> {
        let message = self.host.message(&self.session, message).await?;
        Ok(message.parts.iter().find(|found| found.id == *part).and_then(|part| self.translator.part(part)))
    }

    /// Events were forgotten before we read them: the transcript has what they told.
    async fn catch_up(&mut self, run: &RunId, seen: &mut Sequence) -> Result<Option<Ended>, Broken> {
        let snapshot = self.host.snapshot(&self.session).await?;
        let receipt = self.host.run(&self.session, run).await?;
        let listed = self.host.messages(&self.session).await?;
        let first = listed.iter().position(|message| *message.info.id() == receipt.message_id).unwrap_or(0);
        for message in listed.into_iter().skip(first) {
            // The list may be cut; each message is whole by its id.
            let message: Message = self.host.message(&self.session, message.info.id()).await?;
            let lines = self.translator.catch_up(message);
            self.write(lines)?;
        }
        if let Some(ended) = Ended::of(&receipt) {
            return Ok(Some(ended));
        }
        *seen = snapshot.latest_sequence;
        let permissions = snapshot.permissions.into_iter().map(Ask::Permission);
        let asks = permissions.chain(snapshot.questions.into_iter().map(Ask::Question));
        for ask in asks.collect::<Vec<_>>() {
            let told = self.translator.asked(Some(ask));
            self.tell(told).await?;
        }
        Ok(None)
    }

    async fn asked(&mut self, ask: Ask) {
        match self.policy {
            Policy::Approve => self.approve(&ask).await,
            Policy::Deny => self.answer(reject(&ask)).await,
            Policy::Person => {
                if self.waiting.is_empty() {
                    self.view.ask(&ask);
                }
                self.waiting.push_back(ask);
            }
        }
    }

    async fn approve(&self, ask: &Ask) {
        let wanted = match ask {
            Ask::Permission(_) => reply(ask, PermissionReply::Once),
            Ask::Question(request) => answers(request, first_choices(request)),
        };
        match self.host.decide(wanted).await {
            // It cannot be answered like that, and nobody is there who could answer otherwise.
            Err(error) if [api::SCOPE_NOT_AVAILABLE, api::INVALID_ANSWER].contains(&error.code.as_str()) => {
                self.answer(reject(ask)).await;
            }
            decided => note(decided),
        }
    }

    async fn answer(&self, answer: DecisionInput) {
        note(self.host.decide(answer).await);
    }

    /// What the person at the terminal typed about what is asked; none if there is nobody any more.
    async fn typed(&mut self, line: Option<String>) -> Result<(), Broken> {
        let Some(ask) = self.waiting.front().cloned() else { return Ok(()) };
        let Some(line) = line else {
            self.policy = Policy::Deny;
            for ask in std::mem::take(&mut self.waiting) {
                self.answer(reject(&ask)).await;
            }
            return Ok(());
        };
        match read_answer(&ask, &line) {
            Some(answer) => {
                self.waiting.pop_front();
                self.answer(answer).await;
            }
            None => output::complain("Please answer with one of the letters or numbers shown.\n"),
        }
        if let Some(next) = self.waiting.front() {
            self.view.ask(next);
        }
        Ok(())
    }
}

async fn until(moment: Option<Instant>) {
    match moment {
        Some(moment) => sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

/// Someone may have been faster; another process may be the only one who can.
fn note(decided: Result<(), HostError>) {
    match decided {
        Err(error) if error.code == api::DECISION_NOT_OWNED => {
            output::notice(format_args!("{error}: it is answered there"));
        }
        Err(error) => tracing::info!(%error, "a decision was not taken here"),
        Ok(()) => {}
    }
}

fn reply(ask: &Ask, reply: PermissionReply) -> DecisionInput {
    match ask {
        Ask::Permission(request) => DecisionInput::Permission(PermissionAnswer {
            session_id: request.session_id.clone(),
            request_id: request.id.clone(),
            reply,
            message: None,
        }),
        Ask::Question(request) => reject_question(request),
    }
}

fn reject(ask: &Ask) -> DecisionInput {
    reply(ask, PermissionReply::Reject)
}

fn reject_question(request: &QuestionRequest) -> DecisionInput {
    let (session_id, request_id) = (request.session_id.clone(), request.id.clone());
    DecisionInput::QuestionReject(QuestionReject { session_id, request_id })
}

fn answers(request: &QuestionRequest, answers: Vec<Vec<String>>) -> DecisionInput {
    let (session_id, request_id) = (request.session_id.clone(), request.id.clone());
    DecisionInput::Question(QuestionAnswer { session_id, request_id, answers })
}

/// By convention the first choice is the recommended one.
fn first_choices(request: &QuestionRequest) -> Vec<Vec<String>> {
    let first = |question: &openscience_protocol::decision::Question| {
        question.options.first().map(|option| option.label.clone()).into_iter().collect()
    };
    request.questions.iter().map(first).collect()
}

/// What a typed line says: a letter for a permission; for questions a number, or words, each after a semicolon.
fn read_answer(ask: &Ask, line: &str) -> Option<DecisionInput> {
    match ask {
        Ask::Permission(request) => {
            let wanted = match line.trim().to_lowercase().as_str() {
                "y" | "yes" => PermissionReply::Once,
                "s" if !request.always.is_empty() => PermissionReply::Session,
                "n" | "no" | "" => PermissionReply::Reject,
                _ => return None,
            };
            Some(reply(ask, wanted))
        }
        Ask::Question(request) if line.trim().is_empty() => Some(reject_question(request)),
        Ask::Question(request) => {
            let typed: Vec<&str> = line.split(';').map(str::trim).collect();
            if typed.len() != request.questions.len() {
                return None;
            }
            let read = request.questions.iter().zip(typed).map(|(question, typed)| {
                let number = typed.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
                let option = number.and_then(|index| question.options.get(index));
                vec![option.map_or_else(|| typed.to_owned(), |option| option.label.clone())]
            });
            Some(answers(request, read.collect()))
        }
    }
}

#[cfg(test)]
mod tests;
