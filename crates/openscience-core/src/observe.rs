//! What happened: facts of the agent and the clock. What names a turn that is
//! over changes nothing.

use openscience_protocol::event::CloseReason;
use openscience_protocol::message::{
    AssistantInfo, AssistantTime, MessageInfo, MessagePath, PartBody, StepStartPart, Tokens,
};
use openscience_protocol::row::{MessageRow, PartRow, RunRow, SessionMeta, TurnRow};
use openscience_protocol::run::{RunState, TurnState};
use openscience_protocol::{AgentId, DecisionId, Delivery, EventBody, MessageId, Part, SessionId, TurnId};

use crate::change::Change;
use crate::input::{Observation, Opened};
use crate::session::{Context, Live, State};
use crate::stop::Stop;
use crate::submit::current_model;
use crate::{artifact, broker, mapping, question, settle, stop, terminal, visit};

/// What an observation comes to.
pub(crate) fn decide(state: &State, observation: &Observation, cx: &mut Context<'_>) -> Vec<Change> {
    let live = state.live.as_ref();
    match observation {
        Observation::Update(update) => mapping::update(state, update, cx),
        Observation::SessionOpened { turn, opened } => match current(live, turn) {
            Some((live, turn)) => {
                // What ran for the conversation ended with the connection it had.
                let mut changes = if opened.fresh { terminal::lost(state, cx.now) } else { Vec::new() };
                changes.extend(opened_changes(state, live, opened));
                changes.extend(send(state, live, turn, cx));
                changes
            }
            None => Vec::new(),
        },
        Observation::Prompted { turn } => match current(live, turn) {
            Some((live, row)) if row.state == TurnState::Ready && row.sent_at.is_some() => {
                prompted(state, live, row, cx)
            }
            Some(_) | None => Vec::new(),
        },
        Observation::PermissionAsked(ask) => match live {
            Some(live) => broker::ask(state, live, ask, cx),
            None => vec![Change::RequestRefused(ask.key)],
        },
        Observation::QuestionAsked(ask) => match live {
            Some(live) => question::ask(state, live, ask, cx),
            None => vec![Change::RequestRefused(ask.key)],
        },
        Observation::RequestWithdrawn { decision } => withdrawn(live, decision, cx),
        Observation::AnswerDelivered { decision, delivered } => {
            broker::delivered(state, decision, *delivered)
        }
        Observation::TurnEnded { turn, end } => match current(live, turn) {
            Some((live, _)) => settle::drain(state, live, Some(end), state.waiting.as_ref(), cx),
            None => Vec::new(),
        },
        Observation::Saved { turn, files } => match current(live, turn) {
            Some((live, turn)) => artifact::claim(state, live, turn, files, cx),
            None => Vec::new(),
        },
        Observation::Drained { turn, end } => match current(live, turn) {
            Some((live, _)) => settle::turn_over(state, live, end.as_ref(), state.waiting.as_ref(), cx),
            None => Vec::new(),
        },
        Observation::Escalated { turn, still_running } => match current(live, turn) {
            Some((live, _)) if *still_running => {
                vec![Change::RunNoted(Box::new(RunRow { agent_still_running: true, ..live.run.clone() }))]
            }
            Some(_) | None => Vec::new(),
        },
        Observation::Stalled { turn } => match current(live, turn) {
            Some((live, row)) if row.state == TurnState::Active && live.pending().next().is_none() => {
                stop::stop(state, live, Stop::Stalled, state.waiting.as_ref(), cx)
            }
            Some(_) | None => Vec::new(),
        },
        Observation::TerminalSeen(seen) => {
            let row = terminal::seen(state, seen, cx.now);
            row.map(|row| Change::TerminalSet(Box::new(row))).into_iter().collect()
        }
        Observation::TerminalsLost => terminal::lost(state, cx.now),
        Observation::Tick => stop::tick(state, cx),
    }
}

/// The live turn of that id, if it has not ended.
fn current<'a>(live: Option<&'a Live>, turn: &TurnId) -> Option<(&'a Live, &'a TurnRow)> {
    let live = live?;
    let row = live.open_turn().filter(|row| row.id == *turn)?;
    Some((live, row))
}

fn opened_changes(state: &State, live: &Live, opened: &Opened) -> Vec<Change> {
    let known = &state.row.meta;
    let meta = visit::opened_meta(known, opened);
    let mut changes = Vec::new();
    if meta != *known {
        changes.push(Change::MetaSet { meta: Box::new(meta), body: None });
    }
    changes.extend(connected(&state.row.id, &live.run.agent, opened));
    if let Some(reason) = &opened.context_reset {
        let reason = reason.clone();
        changes.push(Change::RunNoted(Box::new(RunRow { context_reset: true, ..live.run.clone() })));
        changes.push(Change::Told(Box::new(EventBody::AgentReset {
            session_id: state.row.id.clone(),
            context_reset: true,
            reason,
        })));
    }
    changes
}

/// What is told of an agent that was reached, or has taken up the conversation.
pub(crate) fn connected(session: &SessionId, agent: &AgentId, opened: &Opened) -> Vec<Change> {
    let session_id = session.clone();
    let connected = opened.fresh.then(|| EventBody::AgentConnected {
        session_id: session_id.clone(),
        agent: agent.clone(),
        agent_info: opened.agent_info.clone(),
    });
    let resumed = opened
        .resumed
        .map(|method| EventBody::AgentResumed { session_id: session_id.clone(), method: method.to_owned() });
    connected.into_iter().chain(resumed).map(|body| Change::Told(Box::new(body))).collect()
}

/// The conversation is open: sends the turn's prompt, with those that wait behind it and may go along.
fn send(state: &State, live: &Live, turn: &TurnRow, cx: &Context<'_>) -> Vec<Change> {
    // Cancelled by another process: about to be ended here.
    if turn.sent_at.is_some() || live.closing() {
        return Vec::new();
    }
    let along: Vec<&TurnRow> = match state.row.meta.delivery {
        Delivery::Coalesce => live.queued().take_while(|other| other.settings == turn.settings).collect(),
        Delivery::Sequential => Vec::new(),
    };
    let coalesced = |other: &&TurnRow| {
        Change::TurnSet(Box::new(TurnRow {
            state: TurnState::Coalesced,
            ended_at: Some(cx.now),
            into_turn_id: Some(turn.id.clone()),
            ..(*other).clone()
        }))
    };
    let mut changes: Vec<Change> = along.iter().map(coalesced).collect();
    changes.push(Change::TurnNoted(Box::new(TurnRow { sent_at: Some(cx.now), ..turn.clone() })));
    changes
}

fn prompted(state: &State, live: &Live, turn: &TurnRow, cx: &mut Context<'_>) -> Vec<Change> {
    let now = cx.now;
    let run = RunRow { state: RunState::Running, updated_at: now, ..live.run.clone() };
    let active = TurnRow { state: TurnState::Active, active_at: Some(now), ..turn.clone() };
    let meta = SessionMeta { agent_turns: state.row.meta.agent_turns + 1, ..state.row.meta.clone() };
    let row = MessageRow {
        position: state.row.latest_message + 1,
        info: MessageInfo::Assistant(assistant_info(state, live, turn, cx)),
    };
    let part = Part {
        id: cx.ids.part(now),
        session_id: state.row.id.clone(),
        message_id: row.info.id().clone(),
        body: PartBody::StepStart(StepStartPart {}),
    };
    let part = PartRow { message: row.position, position: 1, part, open: false };
    vec![
        Change::RunNoted(Box::new(run)),
        Change::MetaSet { meta: Box::new(meta), body: None },
        Change::TurnSet(Box::new(active)),
        Change::MessageSet(row),
        Change::PartSet(Box::new(part)),
    ]
}

fn assistant_info(state: &State, live: &Live, turn: &TurnRow, cx: &mut Context<'_>) -> AssistantInfo {
    let asked: Vec<MessageId> = live.sent_as(turn).map(|turn| turn.message_id.clone()).collect();
    let model = current_model(state);
    let cwd = cx.working_directory(&state.row);
    AssistantInfo {
        id: cx.ids.message(cx.now),
        session_id: state.row.id.clone(),
        parent_id: asked.last().unwrap_or(&turn.message_id).clone(),
        parent_ids: asked,
        model_id: model.model_id,
        provider_id: model.provider_id,
        mode: state.row.meta.mode.clone().unwrap_or_else(|| "research".to_owned()),
        agent: "research".to_owned(),
        path: MessagePath { cwd, root: state.row.directory.clone() },
        time: AssistantTime { created: cx.now, completed: None },
        cost: 0.0,
        tokens: Tokens::default(),
        finish: None,
        error: None,
    }
}

fn withdrawn(live: Option<&Live>, id: &DecisionId, cx: &Context<'_>) -> Vec<Change> {
    let pending = live.into_iter().flat_map(Live::pending).find(|row| row.id == *id);
    pending.map(|row| broker::close(row, CloseReason::Withdrawn, cx.now)).into_iter().collect()
}
