//! Changes: the private facts a decision produces. Each has two projections,
//! the rows the store writes and the event the journal shows.

use openscience_protocol::event::{CloseReason, PartOutline};
use openscience_protocol::message::PartBody;
use openscience_protocol::row::{
    Asked, ChunkRow, ClaimRow, DecisionRow, FollowUpRow, GrantRow, MessageRow, NewEvent, PartRow, Receipt,
    RunRow, SessionMeta, SessionPatch, TerminalRow, TurnRow, VersionRow, Write,
};
use openscience_protocol::run::RunState;
use openscience_protocol::{
    ArtifactRunId, EventBody, EventKind, Millis, Part, RunError, RunId, SessionId, SessionStatus, codes,
};
use serde::Serialize;
use serde_json::json;

use crate::input::{Given, RequestKey, TurnEnd};
use crate::{text, trim};

/// A closing text longer than this is told by its length (UTF-8 bytes).
const CLOSING_TEXT_MAX: usize = 128 << 10;

/// Room for what a frame puts around the stored form: sequence, session id, field names.
const FRAME_BYTES: usize = 512;

/// Room for all that is around an event's properties.
const ENVELOPE_BYTES: usize = 1 << 10;

/// One fact. It becomes rows and, while the session has a live run, at most one event.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    RunAccepted(Box<RunRow>),
    /// State, cancel or intended end changed; told by other events.
    RunNoted(Box<RunRow>),
    RunEnded {
        run: Box<RunRow>,
        recovered: bool,
    },
    /// A prompt joined a run: its receipt, as admission and as the store know it.
    Joined(Box<Receipt>, Box<FollowUpRow>),
    /// A turn came; told once its message is.
    TurnAdded(Box<TurnRow>),
    /// A turn waits for the agent, behind `position` others.
    TurnQueued {
        turn: Box<TurnRow>,
        position: u32,
    },
    /// The turn's state changed.
    TurnSet(Box<TurnRow>),
    /// A fact about the turn that no client needs.
    TurnNoted(Box<TurnRow>),
    MessageSet(MessageRow),
    /// A message of a conversation that was held elsewhere: told nobody.
    MessageKept(MessageRow),
    /// A part of such a message.
    PartKept(Box<PartRow>),
    /// A part opened, changed state or closed.
    PartSet(Box<PartRow>),
    TextGrew {
        chunk: ChunkRow,
        outline: PartOutline,
    },
    /// Metadata changed; `body` says what.
    MetaSet {
        meta: Box<SessionMeta>,
        body: Option<Box<EventBody>>,
    },
    /// Title, times or the deleting mark changed.
    Patched {
        patch: SessionPatch,
        body: Option<Box<EventBody>>,
    },
    StatusSet(SessionStatus),
    /// An event without rows.
    Told(Box<EventBody>),
    DecisionAsked {
        row: Box<DecisionRow>,
        key: RequestKey,
    },
    /// Answered: by a person, or by a rule before anyone was asked (`key` set).
    DecisionAnswered {
        row: Box<DecisionRow>,
        given: Given,
        key: Option<RequestKey>,
    },
    /// Whether the answer reached the agent became known, or never will.
    DecisionDelivered {
        row: Box<DecisionRow>,
    },
    DecisionClosed {
        row: Box<DecisionRow>,
        reason: CloseReason,
    },
    /// A person allowed something for more than once.
    Granted(Box<GrantRow>),
    /// What follows holds only while the grant of that id stands.
    ReliedOn(String),
    /// The agent must be told to stop the turn.
    CancelSent(openscience_protocol::TurnId),
    /// A request that is answered as cancelled and never shown.
    RequestRefused(RequestKey),
    /// A request that we carry out without asking.
    RequestServed(RequestKey),
    /// A terminal came or changed.
    TerminalSet(Box<TerminalRow>),
    /// The turn is over at the agent; its files are looked for before it ends.
    Collecting {
        turn: openscience_protocol::TurnId,
        run: ArtifactRunId,
        end: Option<Box<TurnEnd>>,
        wait_ms: u64,
    },
    /// A file of the turn is a version of its Result.
    Versioned(Box<VersionRow>),
    /// The turn's files are bound to its message; `body` tells of them.
    Claimed {
        claim: Box<ClaimRow>,
        body: Box<EventBody>,
    },
    /// The files of a claim are with their message, or cannot be.
    ClaimSet(Box<ClaimRow>),
}

impl Change {
    /// True if other processes' decisions may depend on it.
    pub fn bumps(&self) -> bool {
        match self {
            Self::RunAccepted(_)
            | Self::RunNoted(_)
            | Self::RunEnded { .. }
            | Self::Joined(..)
            | Self::TurnAdded(_)
            | Self::TurnSet(_)
            | Self::TurnNoted(_)
            | Self::MetaSet { .. }
            | Self::Patched { .. }
            | Self::DecisionAsked { .. }
            | Self::DecisionAnswered { .. }
            | Self::DecisionDelivered { .. }
            | Self::DecisionClosed { .. }
            | Self::TerminalSet(_)
            | Self::Claimed { .. }
            | Self::ClaimSet(_)
            | Self::Granted(_) => true,
            Self::TurnQueued { .. }
            | Self::MessageSet(_)
            | Self::MessageKept(_)
            | Self::PartSet(_)
            | Self::PartKept(_)
            | Self::TextGrew { .. }
            | Self::StatusSet(_)
            | Self::Told(_)
            | Self::ReliedOn(_)
            | Self::CancelSent(_)
            | Self::RequestServed(_)
            | Self::Collecting { .. }
            | Self::Versioned(_)
            | Self::RequestRefused(_) => false,
        }
    }

    /// What the store writes.
    pub fn write(&self) -> Option<Write> {
        match self {
            Self::RunAccepted(run) | Self::RunNoted(run) | Self::RunEnded { run, .. } => {
                Some(Write::Run(run.clone()))
            }
            Self::Joined(_, follow_up) => Some(Write::FollowUp(follow_up.clone())),
            Self::TurnAdded(turn) | Self::TurnSet(turn) | Self::TurnNoted(turn) => {
                Some(Write::Turn(turn.clone()))
            }
            Self::MessageSet(message) | Self::MessageKept(message) => Some(Write::Message(message.clone())),
            Self::PartSet(part) | Self::PartKept(part) => Some(Write::Part(part.clone())),
            Self::TextGrew { chunk, .. } => Some(Write::Chunk(chunk.clone())),
            Self::MetaSet { meta, .. } => {
                Some(Write::Session(SessionPatch { meta: Some((**meta).clone()), ..SessionPatch::default() }))
            }
            Self::Patched { patch, .. } => Some(Write::Session(patch.clone())),
            Self::DecisionAsked { row, .. }
            | Self::DecisionAnswered { row, .. }
            | Self::DecisionDelivered { row }
            | Self::DecisionClosed { row, .. } => Some(Write::Decision(row.clone())),
            Self::Granted(grant) => Some(Write::Grant(grant.clone())),
            Self::TerminalSet(row) => Some(Write::Terminal(row.clone())),
            Self::Versioned(version) => Some(Write::Version(version.clone())),
            Self::Claimed { claim, .. } | Self::ClaimSet(claim) => Some(Write::Claim(claim.clone())),
            Self::TurnQueued { .. }
            | Self::StatusSet(_)
            | Self::Told(_)
            | Self::ReliedOn(_)
            | Self::CancelSent(_)
            | Self::RequestServed(_)
            | Self::Collecting { .. }
            | Self::RequestRefused(_) => None,
        }
    }

    /// What the journal shows.
    pub fn event(&self, session: &SessionId, event_bytes_max: usize) -> Option<EventBody> {
        match self {
            Self::RunAccepted(run) => {
                Some(EventBody::RuntimeAccepted { accepted_at: run.accepted_at, effort: run.effort })
            }
            Self::RunEnded { run, recovered } => Some(terminal(run, *recovered)),
            Self::TurnQueued { turn, position } => Some(turn_event(turn, Some(*position))),
            Self::TurnSet(turn) => Some(turn_event(turn, None)),
            Self::MessageSet(row) => Some(EventBody::MessageUpdated { info: row.info.clone() }),
            Self::PartSet(row) => Some(part_event(&row.part, event_bytes_max)),
            Self::TextGrew { chunk, outline } => Some(EventBody::PartGrew {
                part: outline.clone(),
                delta: chunk.text.clone(),
                offset: chunk.offset,
            }),
            Self::MetaSet { body, .. } | Self::Patched { body, .. } => body.as_deref().cloned(),
            Self::StatusSet(SessionStatus::Idle) => {
                Some(EventBody::SessionIdle { session_id: session.clone() })
            }
            Self::StatusSet(status) => {
                Some(EventBody::SessionStatusChanged { session_id: session.clone(), status: *status })
            }
            Self::Told(body) | Self::Claimed { body, .. } => Some((**body).clone()),
            Self::DecisionAsked { row, .. } => Some(asked(row)),
            Self::DecisionAnswered { row, .. } => replied(session, row),
            Self::DecisionClosed { row, reason } => Some(closed(session, row, *reason)),
            Self::RunNoted(_)
            | Self::MessageKept(_)
            | Self::PartKept(_)
            | Self::Joined(..)
            | Self::TurnAdded(_)
            | Self::TurnNoted(_)
            | Self::DecisionDelivered { .. }
            | Self::Granted(_)
            | Self::ReliedOn(_)
            | Self::CancelSent(_)
            | Self::TerminalSet(_)
            | Self::RequestServed(_)
            | Self::Collecting { .. }
            | Self::Versioned(_)
            | Self::ClaimSet(_)
            | Self::RequestRefused(_) => None,
        }
    }
}

fn turn_event(turn: &TurnRow, position: Option<u32>) -> EventBody {
    EventBody::TurnUpdated {
        turn_id: turn.id.clone(),
        state: turn.state,
        position,
        into_turn_id: turn.into_turn_id.clone(),
        message_id: turn.message_id.clone(),
        stop_reason: turn.stop_reason.clone(),
        error: turn.error.clone(),
    }
}

fn asked(row: &DecisionRow) -> EventBody {
    match &row.request {
        Asked::Permission(request) => EventBody::PermissionAsked(request.clone()),
        Asked::Question(asked) => EventBody::QuestionAsked(asked.request.clone()),
    }
}

fn replied(session: &SessionId, row: &DecisionRow) -> Option<EventBody> {
    let (session_id, request_id) = (session.clone(), row.id.clone());
    let (actor, message) = (row.actor?, row.message.clone());
    Some(match (&row.request, &row.answers) {
        (Asked::Permission(_), _) => {
            EventBody::PermissionReplied { session_id, request_id, reply: row.reply?, actor, message }
        }
        (Asked::Question(_), Some(answers)) => {
            EventBody::QuestionReplied { session_id, request_id, answers: answers.clone(), actor }
        }
        (Asked::Question(_), None) => EventBody::QuestionRejected { session_id, request_id, actor, message },
    })
}

fn closed(session: &SessionId, row: &DecisionRow, reason: CloseReason) -> EventBody {
    let (session_id, request_id) = (session.clone(), row.id.clone());
    match &row.request {
        Asked::Permission(_) => EventBody::PermissionCancelled { session_id, request_id, reason },
        Asked::Question(_) => EventBody::QuestionCancelled { session_id, request_id, reason },
    }
}

/// The last event of a run, from its final receipt.
fn terminal(run: &RunRow, recovered: bool) -> EventBody {
    let recovered = recovered.then_some(true);
    let message_id = run.result_message_id.clone();
    let stop_reason = run.stop_reason.clone();
    match run.state {
        RunState::Completed => EventBody::RuntimeCompleted { message_id, stop_reason },
        RunState::Cancelled => EventBody::RuntimeCancelled {
            source: run.cancel.unwrap_or(openscience_protocol::event::CancelSource::User),
            message_id,
            stop_reason,
            recovered,
        },
        RunState::Failed | RunState::Interrupted | RunState::Accepted | RunState::Running => {
            let error = run
                .error
                .clone()
                .unwrap_or_else(|| RunError::new(codes::run::RUN_FAILED, "the run ended without a reason"));
            EventBody::RuntimeFailed {
                message: error.message.clone(),
                error,
                message_id,
                stop_reason,
                recovered,
            }
        }
    }
}

/// A part on the wire: whole, or cut so that one event stays within its bound.
fn part_event(part: &Part, event_bytes_max: usize) -> EventBody {
    let bytes_max = event_bytes_max.saturating_sub(ENVELOPE_BYTES);
    // Escaping can make a text that is short enough too long.
    let long = |text: &str| text.len() > CLOSING_TEXT_MAX || trim::weight(part) > bytes_max;
    match &part.body {
        PartBody::Text(body) if long(&body.text) => EventBody::PartClosed {
            part: text::outline(part, "text", text::units(&body.text), body.time.clone()),
        },
        PartBody::Reasoning(body) if long(&body.text) => EventBody::PartClosed {
            part: text::outline(part, "reasoning", text::units(&body.text), Some(body.time.clone())),
        },
        _ => EventBody::PartUpdated { part: trim::for_event(part, bytes_max) },
    }
}

/// The properties of a fact that is only told live, cut like those of an event.
pub fn properties(body: &EventBody, event_bytes_max: usize) -> String {
    let whole = serde_json::to_string(body).unwrap_or_default();
    let bytes_max = event_bytes_max.saturating_sub(ENVELOPE_BYTES);
    if whole.len() <= bytes_max { whole } else { trim::fit(&json!(body), bytes_max).to_string() }
}

/// The stored form of an event; what is too long in it is cut, so that its frame keeps the bound.
pub fn encode(body: &EventBody, run: &RunId, time: Millis, event_bytes_max: usize) -> NewEvent {
    let bytes_max = event_bytes_max.saturating_sub(ENVELOPE_BYTES);
    let mut stored = stored(body, body, run, time);
    if stored.len() > event_bytes_max.saturating_sub(FRAME_BYTES) {
        stored = self::stored(body, &trim::fit(&json!(body), bytes_max), run, time);
    }
    NewEvent { event_type: body.event_type(), body: stored }
}

fn stored(body: &EventBody, properties: &impl Serialize, run: &RunId, time: Millis) -> String {
    #[derive(Serialize)]
    struct Stored<'a, P> {
        #[serde(rename = "runID")]
        run_id: &'a RunId,
        #[serde(rename = "type")]
        event_type: &'static str,
        kind: EventKind,
        properties: &'a P,
        time: Millis,
    }
    let stored = Stored { run_id: run, event_type: body.event_type(), kind: body.kind(), properties, time };
    serde_json::to_string(&stored).unwrap_or_default()
}
