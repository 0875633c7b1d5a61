//! The turn queue of a session, and the turns a person takes out of its order.

use openscience_core::answer::{Answer, Refusal};
use openscience_core::queue;
use openscience_core::session::SessionMachine;
use openscience_protocol::queue::{Delivery, Queue, QueuedTurn};
use openscience_protocol::run::RunTurn;
use openscience_protocol::{SessionId, TurnId};
use openscience_store::StoreError;

use crate::Runtime;
use crate::actor::ActorError;
use crate::ask::Request;
use crate::error::TurnError;
use crate::request::Selected;

impl Runtime {
    /// The turns that wait, next first.
    pub async fn queue(&self, project: &Selected, session: &SessionId) -> Result<Queue, TurnError> {
        let rows = self.0.store.restore(session).await?;
        let rows = rows.filter(|rows| rows.session.project_id == project.id);
        let rows = rows.ok_or_else(|| TurnError::SessionNotFound(session.clone()))?;
        Ok(queue::view(SessionMachine::restore(rows).state()))
    }

    /// One turn that waits.
    pub async fn queued_turn(
        &self,
        project: &Selected,
        session: &SessionId,
        turn: &TurnId,
    ) -> Result<QueuedTurn, TurnError> {
        let queue = self.queue(project, session).await?;
        if let Some(found) = queue.turns.into_iter().find(|queued| queued.id == *turn) {
            return Ok(found);
        }
        Err(match self.0.store.turn(session, turn).await? {
            Some(_) => TurnError::NotQueued(turn.clone()),
            None => TurnError::NotFound(turn.clone()),
        })
    }

    /// Sets how waiting turns are sent from now on.
    pub async fn deliver(
        &self,
        project: &Selected,
        session: &SessionId,
        delivery: Delivery,
    ) -> Result<Queue, TurnError> {
        match self.ask_queue(project, session, None, Request::Deliver(delivery)).await? {
            Answer::Queue(queue) => Ok(queue),
            _ => Err(TurnError::Store(StoreError::Closed)),
        }
    }

    /// Takes every waiting turn back; how many that were. Their messages stay.
    pub async fn clear_queue(&self, project: &Selected, session: &SessionId) -> Result<u32, TurnError> {
        match self.ask_queue(project, session, None, Request::ClearQueue).await? {
            Answer::Withdrawn(count) => Ok(count),
            _ => Err(TurnError::Store(StoreError::Closed)),
        }
    }

    /// Takes a waiting turn back. Its message stays.
    pub async fn withdraw(
        &self,
        project: &Selected,
        session: &SessionId,
        turn: &TurnId,
    ) -> Result<RunTurn, TurnError> {
        self.ask_turn(project, session, turn, Request::Withdraw(turn.clone())).await
    }

    /// Puts a waiting turn first and stops the current one for it.
    pub async fn send_now(
        &self,
        project: &Selected,
        session: &SessionId,
        turn: &TurnId,
    ) -> Result<RunTurn, TurnError> {
        self.ask_turn(project, session, turn, Request::SendNow(turn.clone())).await
    }

    /// Stops one turn and not its run; takes it back if it waits. One that has ended is answered as it is.
    pub async fn cancel_turn(
        &self,
        project: &Selected,
        session: &SessionId,
        turn: &TurnId,
    ) -> Result<RunTurn, TurnError> {
        self.ask_turn(project, session, turn, Request::CancelTurn(turn.clone())).await
    }

    async fn ask_turn(
        &self,
        project: &Selected,
        session: &SessionId,
        turn: &TurnId,
        request: Request,
    ) -> Result<RunTurn, TurnError> {
        match self.ask_queue(project, session, Some(turn), request).await? {
            Answer::Turn(turn) => Ok(turn),
            _ => Err(TurnError::Store(StoreError::Closed)),
        }
    }

    async fn ask_queue(
        &self,
        project: &Selected,
        session: &SessionId,
        turn: Option<&TurnId>,
        request: Request,
    ) -> Result<Answer, TurnError> {
        if self.is_stopping() {
            return Err(TurnError::ShuttingDown);
        }
        let refusal = match self.ask(project, session, request).await {
            Ok(answer) => return Ok(answer),
            Err(ActorError::Refused(refusal)) => refusal,
            Err(ActorError::Store(error)) => return Err(TurnError::Store(error)),
            Err(ActorError::NotFound | ActorError::TooMany) => {
                return Err(TurnError::SessionNotFound(session.clone()));
            }
        };
        let missing = || TurnError::SessionNotFound(session.clone());
        let turn = turn.cloned();
        Err(match refusal {
            Refusal::TurnNotFound => turn.map_or_else(missing, TurnError::NotFound),
            Refusal::TurnNotQueued => turn.map_or_else(missing, TurnError::NotQueued),
            Refusal::RunNotOwned { owner } => {
                TurnError::NotOwned { url: self.0.store.owner_url(&owner).await? }
            }
            // What only prompts, runs and decisions are refused with.
            Refusal::Busy
            | Refusal::QueueFull
            | Refusal::Conflict
            | Refusal::Deleting
            | Refusal::RunNotFound
            | Refusal::TerminalNotFound
            | Refusal::DecisionConflict
            | Refusal::DecisionExpired
            | Refusal::DecisionNotOwned { .. }
            | Refusal::ScopeNotAvailable
            | Refusal::InvalidAnswer => TurnError::Store(StoreError::Closed),
        })
    }
}
