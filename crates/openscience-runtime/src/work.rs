//! Runs: admit, watch, cancel, decide.

use futures_util::Stream;
use openscience_core::admission;
use openscience_core::answer::{self, Answer, Refusal};
use openscience_core::window::{CursorError, resume_after};
use openscience_protocol::decision::{Answers, PermissionAnswer, QuestionAnswer, QuestionReject};
use openscience_protocol::event::CancelSource;
use openscience_protocol::prompt::PromptAccepted;
use openscience_protocol::snapshot::DECISION_SCOPE;
use openscience_protocol::{
    DecisionId, DecisionInput, DecisionResult, PartBody, PermissionReply, PromptInput, Replay, RunId,
    RuntimeRun, Sequence, SessionId, Snapshot, TurnId,
};
use openscience_store::StoreError;

use crate::actor::ActorError;
use crate::ask::Request;
use crate::error::{DecideError, FollowError, RunLookupError, SessionError, SubmitError};
use crate::reader::{self, Subscription};
use crate::request::Selected;
use crate::{Frames, ReadError, Runtime, attach, frame, recovery};

/// A replay answer ends after about this many bytes; the caller continues from its last sequence.
const REPLAY_BYTES: usize = 16 << 20;

impl Runtime {
    /// Admits a prompt. The receipt is durable when this returns.
    pub async fn submit_prompt(
        &self,
        project: &Selected,
        input: PromptInput,
    ) -> Result<PromptAccepted, SubmitError> {
        if self.is_stopping() {
            return Err(SubmitError::ShuttingDown);
        }
        let id = input.session_id.clone();
        let parts = match admission::input_parts(&input) {
            Some(parts) => Some(parts),
            None => self.looked_for(project, &input).await?,
        };
        let asked = self.ask(project, &id, Request::Prompt(Box::new((input, parts)))).await;
        match asked {
            Ok(Answer::Accepted(accepted)) => Ok(accepted),
            Ok(_) => Err(SubmitError::Store(StoreError::Closed)),
            Err(ActorError::NotFound) => Err(SubmitError::NotFound(id)),
            Err(ActorError::TooMany) => Err(SubmitError::TooManySessions),
            Err(ActorError::Store(error)) => Err(SubmitError::Store(error)),
            Err(ActorError::Refused(refusal)) => Err(match refusal {
                Refusal::Busy => SubmitError::Busy,
                Refusal::QueueFull => SubmitError::QueueFull,
                Refusal::Deleting => SubmitError::Deleting(id),
                Refusal::Conflict
                | Refusal::TurnNotFound
                | Refusal::TurnNotQueued
                | Refusal::RunNotOwned { .. }
                | Refusal::RunNotFound
                | Refusal::TerminalNotFound
                | Refusal::DecisionConflict
                | Refusal::DecisionExpired
                | Refusal::DecisionNotOwned { .. }
                | Refusal::ScopeNotAvailable
                | Refusal::InvalidAnswer => SubmitError::Conflict,
            }),
        }
    }

    /// The parts of a prompt with its files and conversations. None if its receipt is known: a retry gets it,
    /// whatever has become of them.
    async fn looked_for(
        &self,
        project: &Selected,
        input: &PromptInput,
    ) -> Result<Option<Vec<PartBody>>, SubmitError> {
        let id = &input.session_id;
        let row = self.0.store.session(id).await?.filter(|row| row.project_id == project.id);
        let row = row.ok_or_else(|| SubmitError::NotFound(id.clone()))?;
        if let Some(run) = admission::run_id(id, input)
            && self.0.store.receipt(id, &run).await?.is_some()
        {
            return Ok(None);
        }
        Ok(Some(attach::resolve(&self.0, &row, input).await?))
    }

    pub(crate) async fn ask(
        &self,
        project: &Selected,
        id: &SessionId,
        request: Request,
    ) -> Result<Answer, ActorError> {
        self.0.sessions.ask(&self.0, id, Some(project.id.clone()), request).await
    }

    /// The receipt of a run, with one of its turns if that is named. A follow-up's is that of the run
    /// it joined, with its own turn.
    pub async fn run(
        &self,
        project: &Selected,
        session: &SessionId,
        run: &RunId,
        turn: Option<&TurnId>,
    ) -> Result<RuntimeRun, RunLookupError> {
        self.known(project, session).await?;
        let missing = || RunLookupError::RunNotFound(run.clone());
        let mut joined = None;
        let mut found = self.0.store.run(session, run).await?;
        if found.is_none()
            && let Some((run, turn)) = self.0.store.follow_up(session, run).await?
        {
            joined = Some(turn);
            found = self.0.store.run(session, &run).await?;
        }
        let mut row = found.ok_or_else(missing)?;
        if !row.state.is_terminal() && row.owner != *self.0.store.owner() {
            // A dead owner's run is settled by whoever sees it first.
            recovery::sweep(&self.0).await?;
            row = self.0.store.run(session, &row.id).await?.ok_or_else(missing)?;
        }
        let mut view = if row.state.is_terminal() {
            answer::run(session, &row, &[])
        } else {
            answer::run(session, &row, &self.0.store.open_decisions(session).await?)
        };
        if !row.state.is_terminal() && row.owner == *self.0.store.owner() {
            view.last_activity_at = self.0.sessions.last_activity(session).map(|at| at.max(row.accepted_at));
        }
        if let Some(turn) = turn.or(joined.as_ref()) {
            let found = self.0.store.turn(session, turn).await?.filter(|found| found.run_id == row.id);
            let found = found.ok_or_else(|| RunLookupError::TurnNotFound(turn.clone()))?;
            view.turn = Some(answer::turn(&found));
        }
        Ok(view)
    }

    async fn known(&self, project: &Selected, session: &SessionId) -> Result<(), RunLookupError> {
        match self.row(project, session).await {
            Ok(_) => Ok(()),
            Err(SessionError::Store(error)) => Err(RunLookupError::Store(error)),
            Err(SessionError::ShuttingDown) => Err(RunLookupError::ShuttingDown),
            Err(SessionError::NotFound(id) | SessionError::Deleting(id)) => {
                Err(RunLookupError::SessionNotFound(id))
            }
            Err(SessionError::MessageNotFound(_)) => Err(RunLookupError::SessionNotFound(session.clone())),
        }
    }

    /// Stops a run. The receipt may still say running: the terminal follows.
    pub async fn cancel(
        &self,
        project: &Selected,
        session: &SessionId,
        run: &RunId,
        source: CancelSource,
    ) -> Result<RuntimeRun, RunLookupError> {
        match self.ask(project, session, Request::Cancel { run: run.clone(), source }).await {
            Ok(Answer::Run(run)) => Ok(*run),
            Ok(_) => Err(RunLookupError::Store(StoreError::Closed)),
            Err(ActorError::NotFound) => Err(RunLookupError::SessionNotFound(session.clone())),
            Err(ActorError::Refused(_) | ActorError::TooMany) => {
                Err(RunLookupError::RunNotFound(run.clone()))
            }
            Err(ActorError::Store(error)) => Err(RunLookupError::Store(error)),
        }
    }

    /// Stops whatever the session is doing; fine if it is idle.
    pub async fn abort(
        &self,
        project: &Selected,
        session: &SessionId,
        source: CancelSource,
    ) -> Result<(), SessionError> {
        match self.ask(project, session, Request::Abort { source }).await {
            Ok(_) => Ok(()),
            Err(ActorError::NotFound | ActorError::Refused(_) | ActorError::TooMany) => {
                Err(SessionError::NotFound(session.clone()))
            }
            Err(ActorError::Store(error)) => Err(SessionError::Store(error)),
        }
    }

    /// Answers a decision. Returns once the agent has the answer, after 2 s at the latest.
    pub async fn decide(
        &self,
        project: &Selected,
        input: DecisionInput,
    ) -> Result<DecisionResult, DecideError> {
        let (session, decision) = (input.session_id().clone(), input.request_id().clone());
        match self.ask(project, &session, Request::Decide(input)).await {
            Ok(Answer::Decision { result, .. }) => Ok(result),
            Ok(_) => Err(DecideError::Store(StoreError::Closed)),
            Err(ActorError::NotFound | ActorError::TooMany) => Err(DecideError::SessionNotFound(session)),
            Err(ActorError::Store(error)) => Err(DecideError::Store(error)),
            Err(ActorError::Refused(refusal)) => Err(match refusal {
                Refusal::DecisionNotOwned { owner } => {
                    let url = self.0.store.owner_url(&owner).await?;
                    DecideError::NotOwned { decision, url }
                }
                Refusal::ScopeNotAvailable => DecideError::ScopeNotAvailable(decision),
                Refusal::InvalidAnswer => DecideError::InvalidAnswer,
                Refusal::DecisionConflict => DecideError::Conflict(decision),
                Refusal::DecisionExpired
                | Refusal::Busy
                | Refusal::QueueFull
                | Refusal::TurnNotFound
                | Refusal::TurnNotQueued
                | Refusal::RunNotOwned { .. }
                | Refusal::Conflict
                | Refusal::Deleting
                | Refusal::RunNotFound
                | Refusal::TerminalNotFound => DecideError::Expired(decision),
            }),
        }
    }

    /// Answers a permission that is known by its id alone. A stored receipt wins, whatever it says.
    pub async fn reply_permission(
        &self,
        project: &Selected,
        decision: DecisionId,
        reply: PermissionReply,
        message: Option<String>,
    ) -> Result<(), DecideError> {
        let answer = |session_id, request_id| {
            DecisionInput::Permission(PermissionAnswer { session_id, request_id, reply, message })
        };
        self.decide_by_id(project, decision, answer).await
    }

    /// Answers questions that are known by their id alone. A stored receipt wins, whatever it says.
    pub async fn reply_question(
        &self,
        project: &Selected,
        decision: DecisionId,
        answers: Answers,
    ) -> Result<(), DecideError> {
        let answer = |session_id, request_id| {
            DecisionInput::Question(QuestionAnswer { session_id, request_id, answers })
        };
        self.decide_by_id(project, decision, answer).await
    }

    /// Dismisses questions that are known by their id alone. A stored receipt wins, whatever it says.
    pub async fn reject_question(&self, project: &Selected, decision: DecisionId) -> Result<(), DecideError> {
        let answer =
            |session_id, request_id| DecisionInput::QuestionReject(QuestionReject { session_id, request_id });
        self.decide_by_id(project, decision, answer).await
    }

    async fn decide_by_id(
        &self,
        project: &Selected,
        decision: DecisionId,
        answer: impl FnOnce(SessionId, DecisionId) -> DecisionInput,
    ) -> Result<(), DecideError> {
        let found = self.0.store.decision_session(&project.id, &decision).await?;
        let Some(session) = found else { return Err(DecideError::Expired(decision)) };
        match self.decide(project, answer(session, decision.clone())).await {
            Ok(_) | Err(DecideError::Conflict(_)) => Ok(()),
            // Deleted between the two.
            Err(DecideError::SessionNotFound(_)) => Err(DecideError::Expired(decision)),
            Err(error) => Err(error),
        }
    }

    /// The state of a session and the cursor to follow it from.
    pub async fn snapshot(
        &self,
        project: &Selected,
        session: &SessionId,
    ) -> Result<Snapshot, RunLookupError> {
        let missing = || RunLookupError::SessionNotFound(session.clone());
        let rows = self.0.store.snapshot(session).await?.filter(|rows| rows.session.project_id == project.id);
        let rows = rows.ok_or_else(missing)?;
        let me = self.0.store.owner();
        let foreign = rows.runs.iter().any(|run| !run.state.is_terminal() && run.owner != *me);
        let rows = if foreign {
            recovery::sweep(&self.0).await?;
            self.0.store.snapshot(session).await?.ok_or_else(missing)?
        } else {
            rows
        };
        let latest = rows.session.latest_sequence;
        Ok(Snapshot {
            session_id: session.clone(),
            runs: rows.runs.iter().map(|run| answer::run(session, run, &rows.decisions)).collect(),
            runs_truncated: rows.truncated.then_some(true),
            oldest_sequence: openscience_core::window::Window { latest }.oldest(),
            latest_sequence: latest,
            permissions: rows.decisions.iter().filter_map(|row| row.permission().cloned()).collect(),
            questions: rows.decisions.iter().filter_map(|row| row.question().cloned()).collect(),
            decision_scope: DECISION_SCOPE.to_owned(),
        })
    }

    /// Where to read from, or why not.
    async fn cursor(
        &self,
        project: &Selected,
        session: &SessionId,
        after: Option<Sequence>,
    ) -> Result<Sequence, FollowError> {
        let row = self.0.store.session(session).await?.filter(|row| row.project_id == project.id);
        let row = row.ok_or_else(|| FollowError::SessionNotFound(session.clone()))?;
        resume_after(row.latest_sequence, after).map_err(|error| match error {
            CursorError::Expired { oldest, latest } => FollowError::Expired { oldest, latest },
            CursorError::Ahead { oldest, latest } => FollowError::Ahead { oldest, latest },
        })
    }

    /// Retained events after the cursor, at most about 16 MiB.
    pub async fn replay(
        &self,
        project: &Selected,
        session: &SessionId,
        after: Option<Sequence>,
    ) -> Result<Replay, FollowError> {
        let from = self.cursor(project, session, after).await?;
        let page = self.0.store.events_after(session, from, u32::MAX, REPLAY_BYTES).await?;
        let page = page.ok_or_else(|| FollowError::SessionNotFound(session.clone()))?;
        let events = page.events.iter().filter_map(|event| frame::value(session, event)).collect();
        Ok(Replay { events, oldest_sequence: page.oldest, latest_sequence: page.latest })
    }

    /// Every event after the cursor, then each new one. All retained ones if there is no cursor.
    ///
    /// Checks the cursor before it returns, so a refusal can be an ordinary answer.
    pub async fn follow(
        &self,
        project: &Selected,
        session: &SessionId,
        after: Option<Sequence>,
    ) -> Result<impl Stream<Item = Result<Frames, ReadError>> + Send + use<>, FollowError> {
        if self.is_stopping() {
            return Err(FollowError::ShuttingDown);
        }
        let max = self.0.config.limits.max_subscribers;
        let open = Subscription::open(&self.0.subscribers, max).ok_or(FollowError::TooManySubscribers)?;
        // Subscribed before the log is read: an event committed meanwhile wakes the reader.
        let head = self.0.heads.subscribe(session);
        let from = self.cursor(project, session, after).await?;
        Ok(reader::follow(self.0.store.clone(), session.clone(), head, from, open))
    }
}
