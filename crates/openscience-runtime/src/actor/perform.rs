//! What an actor does once a change is committed. Starts things, never waits for them.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use openscience_acp::Refused;
use openscience_core::answer::{Answer, Refusal};
use openscience_core::effect::{Effect, TurnPlan};
use openscience_core::input::{Blocks, Given, RequestKey};
use openscience_core::session::Live;
use openscience_core::visit::Visited;
use openscience_protocol::row::DecisionState;
use openscience_protocol::{DecisionId, DecisionResult, DecisionStatus, RunError, TurnId, codes};
use serde_json::Value;
use tokio::sync::oneshot;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::{ActorError, Reply, Report, SessionActor, answer};
use crate::ask::Request;
use crate::attach;
use crate::authority::{self, Asked};
use crate::clock;
use crate::link::Link;
use crate::saving;
use crate::turn::{self, Place};
use crate::visit::{self, Visit};

/// Visits of one session that wait for the one that is made; more are refused.
const VISITS_WAITING: usize = 16;

impl SessionActor {
    /// Starts what a committed change asks for. Never waits.
    pub(super) fn perform(&mut self, effect: Effect) {
        match effect {
            Effect::StartTurn(plan) => self.start_turn(plan),
            Effect::SendPrompt { turn, blocks } => self.send_prompt(turn, blocks),
            Effect::CancelTurn { turn } => {
                if self.at_agent.as_ref() == Some(&turn) {
                    self.cancel_at_agent();
                }
                self.end_terminals();
            }
            Effect::EscalateTurn { turn } => self.escalate(turn),
            Effect::TurnOver { turn } => self.turn_over(&turn),
            Effect::AwaitDecision { decision, key } => self.wait_for(decision, key),
            Effect::AnswerDecision { decision, key, given } => {
                let key = self.awaiting.remove(&decision).or(key);
                // It waited for the answer, not the other way round.
                self.heard = Instant::now();
                self.deliver(decision, key, given);
            }
            Effect::ServeRequest { key } => {
                let at = self.link.as_ref().map(|link| link.shared.connection.clone());
                if let (Some(asked), Some(connection)) = (self.requests.remove(&key), at) {
                    let done = self.carried_out(asked);
                    tokio::spawn(async move { connection.respond(key, done.await).await });
                }
            }
            Effect::RefuseRequest { key } => {
                if let Some(asker) = self.askers.remove(&key) {
                    // Nobody waits to learn whether that was heard.
                    drop(asker.send((Given::Cancelled, oneshot::channel().0)));
                } else if let Some(asked) = self.requests.remove(&key) {
                    self.refuse_request(key, asked);
                } else if let Some(link) = &self.link {
                    let connection = link.shared.connection.clone();
                    tokio::spawn(async move { connection.answer(key, Given::Cancelled).await });
                }
            }
            Effect::DecisionSettled { decision } => self.settled(&decision),
            Effect::TellGrants => {
                let inner = Arc::clone(&self.inner);
                tokio::spawn(async move { inner.sessions.ask_all(|| Request::Cover).await });
            }
            Effect::CollectFiles { turn, run, end, wait_ms } => {
                self.collect_files(turn, run, end.map(|end| *end), Duration::from_millis(wait_ms));
            }
            Effect::FinalizeFiles { claim } => self.finalize_files(claim),
            Effect::RunOver { .. } => {
                // A run of ours that waited for it takes over its place.
                let live = self.machine.state().live.as_ref();
                let ours = live.is_some_and(|live| live.run.owner == *self.inner.store.owner());
                if !ours && std::mem::take(&mut self.counted) {
                    self.inner.live_runs.fetch_sub(1, Ordering::Relaxed);
                }
            }
        }
    }

    pub(super) fn start_turn(&mut self, plan: Box<TurnPlan>) {
        if !std::mem::replace(&mut self.counted, true) {
            self.inner.live_runs.fetch_add(1, Ordering::Relaxed);
        }
        if let Some((_, other)) = self.starting.take() {
            other.cancel();
        }
        let abandoned = CancellationToken::new();
        let place = self.place();
        let (link, before) = (self.link.take(), self.spare.take());
        let (give, spare) = oneshot::channel();
        self.spare = Some(spare);
        let (inner, reporter) = (Arc::clone(&self.inner), self.reporter.clone());
        self.starting = Some((plan.clone(), abandoned.clone()));
        tokio::spawn(async move {
            // A start that was given up for this one lets go of the conversation at once.
            let mut link = held(link, before).await;
            let opened = tokio::select! {
                opened = turn::open(&inner.connections, &place, &plan, &mut link) => Some(opened),
                () = abandoned.cancelled() => None,
            };
            // Before the prompt is sent: what the agent saves then is this turn's.
            let handoff = plan.artifact_run.clone().filter(|_| matches!(opened, Some(Ok(_))));
            if let Some(run) = handoff.clone() {
                saving::activate(&inner, &place.row, run).await;
            }
            let report = if let Some(result) = opened.filter(|_| !abandoned.is_cancelled()) {
                let (turn, link) = (plan.turn.clone(), link.map(Box::new));
                Report::Opened { turn, handoff, link, result: result.map(Box::new) }
            } else {
                if let Some(link) = link {
                    // To the start that comes in its place, else to the actor.
                    drop(give.send(link));
                }
                if let Some(run) = handoff {
                    saving::collect(&inner, &place.row.project_id, &place.row.id, &run, Duration::ZERO).await;
                }
                Report::Spared
            };
            // An actor that is gone wants no report.
            drop(reporter.send(report).await);
        });
    }

    /// Takes a visit on. One that cannot be made is refused.
    pub(super) fn take_visit(&mut self, visit: Visit, reply: Reply) {
        if self.visits.len() >= VISITS_WAITING {
            return answer(reply, Err(ActorError::Refused(Refusal::Busy)));
        }
        self.visits.push_back((visit, reply));
        self.visit_next();
    }

    /// Makes the next visit that may be made, one at a time.
    pub(super) fn visit_next(&mut self) {
        while !self.visiting
            && let Some((visit, reply)) = self.visits.pop_front()
        {
            match self.machine.may_visit() {
                Ok(()) => self.visit(visit, reply),
                Err(refusal) => answer(reply, Err(ActorError::Refused(refusal))),
            }
        }
    }

    /// Has the agent visited. A turn that starts meanwhile waits for what the visit gives back.
    fn visit(&mut self, visit: Visit, reply: Reply) {
        self.visiting = true;
        let place = self.place();
        let (link, before) = (self.link.take(), self.spare.take());
        let (give, spare) = oneshot::channel();
        self.spare = Some(spare);
        let (connections, reporter) = (Arc::clone(&self.inner.connections), self.reporter.clone());
        tokio::spawn(async move {
            let mut link = held(link, before).await;
            let Visit { errand, outcome } = visit;
            let (visited, brought) = match visit::make(&connections, &place, &errand, &mut link).await {
                Ok((visited, brought)) => (visited, Ok(brought)),
                Err(error) => (Visited::default(), Err(error)),
            };
            if let Some(mut link) = link {
                link.rest();
                // To the start that waits for it, else to the actor.
                drop(give.send(link));
            }
            // Who asked may have gone; so may the actor.
            drop(outcome.send(brought));
            drop(reporter.send(Report::Visited { visited: Box::new(visited), reply }).await);
        });
    }

    /// What opening the conversation needs to know of the session.
    fn place(&self) -> Place {
        let state = self.machine.state();
        let unsent = state.runs().flat_map(|run| &run.turns).map(|turn| turn.message_id.clone());
        Place {
            row: state.row.clone(),
            unsent: unsent.collect(),
            data_dir: self.inner.config.data_dir.clone(),
            store: self.inner.store.clone(),
        }
    }

    /// Sends the prompt of a turn whose conversation is open, once what it brings is read.
    fn send_prompt(&mut self, turn: TurnId, blocks: Blocks) {
        let Some(link) = self.link.as_ref().filter(|_| attach::needs_reading(&blocks)) else {
            return self.hand_over(turn, blocks);
        };
        let accepts = link.accepts();
        let (uploads, reporter) = (self.inner.uploads.clone(), self.reporter.clone());
        tokio::spawn(async move {
            let blocks = attach::read(blocks, accepts, uploads).await;
            drop(reporter.send(Report::Read { turn, blocks }).await);
        });
    }

    /// Hands the agent a prompt.
    pub(super) fn hand_over(&mut self, turn: TurnId, blocks: Blocks) {
        self.starting = None;
        let sent = match &mut self.link {
            Some(link) => link.prompt(turn.clone(), blocks).map_err(RunError::from),
            // It went while files were read.
            None => {
                Err(RunError::new(codes::run::AGENT_EXITED, "the agent's connection was lost").at("prompt"))
            }
        };
        match sent {
            Ok(()) => {
                self.at_agent = Some(turn);
                self.heard = Instant::now();
            }
            Err(error) => {
                self.link = None;
                let reporter = self.reporter.clone();
                tokio::spawn(async move { drop(reporter.send(Report::Unsent { turn, error }).await) });
            }
        }
    }

    /// Sends `session/cancel` for the turn the agent has, once.
    pub(super) fn cancel_at_agent(&mut self) {
        if self.at_agent == self.cancelled {
            return;
        }
        if let Some(link) = &self.link {
            link.shared.connection.cancel(&link.session);
            self.cancelled.clone_from(&self.at_agent);
        }
    }

    pub(super) fn escalate(&mut self, turn: TurnId) {
        let Some(link) = self.link.as_ref().filter(|_| self.at_agent.as_ref() == Some(&turn)) else { return };
        let connection = link.shared.connection.clone();
        if connection.live_turns() > 1 || link.shared.is_wanted() {
            self.inner.connections.retire(&link.shared);
            let reporter = self.reporter.clone();
            tokio::spawn(async move { drop(reporter.send(Report::Escalated { turn }).await) });
        } else {
            tokio::spawn(async move { connection.stop().await });
        }
    }

    /// The turn is over for us. If the agent still has it, its later output is nobody's.
    pub(super) fn turn_over(&mut self, turn: &TurnId) {
        self.files_over(turn);
        if let Some((_, abandoned)) = self.starting.take_if(|(plan, _)| plan.turn == *turn) {
            abandoned.cancel();
            if let Some(link) = &mut self.link {
                link.rest();
            }
        }
        if self.at_agent.as_ref() == Some(turn) {
            // A turn nobody waits for is not worked on.
            self.cancel_at_agent();
            self.at_agent = None;
            let connections = &self.inner.connections;
            drop(self.link.take_if(|link| !link.abandon(connections, turn)));
        }
        self.awaiting.clear();
        for (key, asked) in std::mem::take(&mut self.requests) {
            self.refuse_request(key, asked);
        }
    }

    /// True while a permission waits for a person.
    pub(super) fn asks_permission(&self) -> bool {
        let live = self.machine.state().live.as_ref();
        live.is_some_and(|live| live.pending().any(|row| row.permission().is_some()))
    }

    /// Remembers which request a decision answers. One that was taken back meanwhile is closed.
    fn wait_for(&mut self, decision: DecisionId, key: RequestKey) {
        let waits = match self.askers.get(&key) {
            Some(asker) => !asker.is_closed(),
            None => self.link.as_ref().is_some_and(|link| link.shared.connection.is_asking(key)),
        };
        self.awaiting.insert(decision.clone(), key);
        if self.asks_permission() {
            // A grant may have been given elsewhere after it was looked for and before this was recorded.
            self.activity.asks(true);
            self.inner.sessions.cover(Some(&self.id));
        }
        if !waits {
            let reporter = self.reporter.clone();
            tokio::spawn(async move { drop(reporter.send(Report::Withdrawn { decision }).await) });
        }
    }

    /// Ends what runs for the agent, if the run is to end: a cancel of one turn is the agent's to follow.
    fn end_terminals(&self) {
        let closing = self.machine.state().live.as_ref().is_none_or(Live::closing);
        if let Some(link) = self.link.as_ref().filter(|_| closing) {
            link.shared.connection.end_terminals(&link.session);
        }
    }

    /// Does what was asked, beside the actor.
    fn carried_out(&self, asked: Asked) -> impl Future<Output = Result<Value, Refused>> + Send + use<> {
        let at = self.link.as_ref().map(|link| (link.shared.connection.clone(), link.session.clone()));
        let (place, id) = (self.place.clone(), self.inner.ids.terminal(clock::now()));
        async move {
            match at {
                Some((connection, session)) => {
                    authority::carry_out(&connection, &session, &place, asked.request, id).await
                }
                None => Err(authority::over()),
            }
        }
    }

    /// Refuses what the agent asked us to do.
    fn refuse_request(&self, key: RequestKey, asked: Asked) {
        let Some(link) = &self.link else { return };
        let connection = link.shared.connection.clone();
        let refused = asked.refused.unwrap_or_else(authority::over);
        tokio::spawn(async move { connection.respond(key, Err(refused)).await });
    }

    pub(super) fn deliver(&mut self, decision: DecisionId, key: Option<RequestKey>, given: Given) {
        let connection = self.link.as_ref().map(|link| link.shared.connection.clone());
        let reporter = self.reporter.clone();
        if let (Some(key), Some(connection)) = (key, connection.clone())
            && let Some(asked) = self.requests.remove(&key)
        {
            let (allowed, denied) = match &given {
                Given::Option(option) => (option == openscience_core::authority::ALLOW, authority::denied()),
                Given::Cancelled | Given::Content(_) | Given::Answers(_) | Given::Declined(_) => {
                    (false, authority::over())
                }
            };
            let done = allowed.then(|| self.carried_out(asked));
            tokio::spawn(async move {
                let answer = match done {
                    Some(done) => done.await,
                    None => Err(denied),
                };
                let delivered = connection.respond(key, answer).await;
                drop(reporter.send(Report::Delivered { decision, delivered }).await);
            });
            return;
        }
        let asker = key.and_then(|key| self.askers.remove(&key));
        tokio::spawn(async move {
            let delivered = match (asker, connection, key) {
                (Some(asker), _, _) => {
                    let (taken, heard) = oneshot::channel();
                    asker.send((given, taken)).is_ok() && heard.await.is_ok()
                }
                (None, Some(connection), Some(key)) => connection.answer(key, given).await,
                (None, _, _) => false,
            };
            drop(reporter.send(Report::Delivered { decision, delivered }).await);
        });
    }

    /// Tells who waits whether the agent has the answer.
    pub(super) fn settled(&mut self, decision: &DecisionId) {
        let state = self.machine.state();
        let known = state.live.iter().flat_map(|live| &live.decisions).chain(&state.undelivered);
        let unknown =
            known.filter(|row| row.id == *decision).any(|d| d.state == DecisionState::Indeterminate);
        let status = if unknown { DecisionStatus::Indeterminate } else { DecisionStatus::Resolved };
        for (result, _, reply) in
            self.deciding.extract_if(.., |(result, _, _)| result.request_id == *decision)
        {
            let result = DecisionResult { status, ..result };
            answer(reply, Ok(Answer::Decision { result, settled: true }));
        }
    }

    pub(super) fn answer_waiters(&mut self) {
        let now = Instant::now();
        let me = self.inner.store.owner();
        let idle = self.machine.state().live.is_none();
        let at_work = self.machine.state().runs().any(|live| live.run.owner == *me);
        for (result, _, reply) in self.deciding.extract_if(.., |(_, until, _)| *until <= now) {
            answer(reply, Ok(Answer::Decision { result, settled: false }));
        }
        for (_, reply) in self.idle.extract_if(.., |(own, _)| idle || (*own && !at_work)) {
            answer(reply, Ok(Answer::Done));
        }
    }
}

/// The open conversation, also if it is still to be given back.
async fn held(link: Option<Link>, before: Option<oneshot::Receiver<Link>>) -> Option<Link> {
    match (link, before) {
        (None, Some(before)) => before.await.ok(),
        (link, _) => link,
    }
}
