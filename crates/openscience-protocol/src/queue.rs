//! The turns of a session that wait for the agent.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::run::TurnState;
use crate::{MessageId, Millis, RunId, TurnId};

/// How turns that wait together are sent to the agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Delivery {
    /// Consecutive turns with the same settings become one prompt.
    #[default]
    Coalesce,
    /// One prompt each.
    Sequential,
}

impl Delivery {
    /// True for the delivery of a session that was never told one.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// How waiting turns are to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueuePolicy {
    pub delivery: Delivery,
}

/// The turn queue of a session. The turn the agent has is not in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Queue {
    pub delivery: Delivery,
    /// In the order they are sent.
    pub turns: Vec<QueuedTurn>,
}

/// A turn that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueuedTurn {
    pub id: TurnId,
    /// How many turns are sent before it.
    pub position: u32,
    /// ready.
    pub status: TurnState,
    /// When its prompt was admitted.
    pub queued_at: Millis,
    #[serde(rename = "messageID")]
    pub message_id: MessageId,
    /// The run that answers it.
    #[serde(rename = "runID")]
    pub run_id: RunId,
}
