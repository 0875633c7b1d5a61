//! What happened: facts of the agent and the clock. What names a turn that is
//! over changes nothing.

use openscience_protocol::event::CloseReason;
use openscience_protocol::message::{
    AssistantInfo, AssistantTime, MessageInfo, MessagePath, PartBody, StepStartPart, Tokens,
};
use openscience_protocol::row::{DecisionState, MessageRow, PartRow, RunRow, SessionMeta, TurnRow};
use openscience_protocol::run::{RunState, TurnState};
use openscience_protocol::{DecisionId, EventBody, Part, TurnId, Workspace};

use crate::change::Change;
use crate::command::{self, Stop, current_model};
use crate::input::{Observation, Opened};
use crate::session::{Context, Live, State, after};
use crate::{broker, mapping, settle};

/// What an observation comes to.
pub(crate) fn decide(state: &State, observation: &Observation, cx: &mut Context<'_>) -> Vec<Change> {
    let live = state.live.as_ref();
    match observation {
        Observation::Update(update) => mapping::update(state, update, cx),
        Observation::SessionOpened { turn, opened } => match current(live, turn) {
            Some((live, _)) => opened_changes(state, live, opened),
            None => Vec::new(),
        },
        Observation::Prompted { turn } => match current(live, turn) {
            Some((live, row)) if row.state == TurnState::Ready => prompted(state, live, row, cx),
            Some(_) | None => Vec::new(),
        },
        Observation::PermissionAsked(ask) => match live {
            Some(live) => broker::ask(state, live, ask, cx),
            None => vec![Change::RequestRefused(ask.key)],
        },
        Observation::RequestWithdrawn { decision } => withdrawn(live, decision, cx),
        Observation::AnswerDelivered { decision, delivered } => {
            broker::delivered(state, decision, *delivered)
        }
        Observation::TurnEnded { turn, end } => match current(live, turn) {
            Some((live, _)) => settle::end(state, live, Some(end), false, cx),
            None => Vec::new(),
        },
        Observation::Escalated { turn, still_running } => match current(live, turn) {
            Some((live, _)) if *still_running => {
                vec![Change::RunNoted(Box::new(RunRow { agent_still_running: true, ..live.run.clone() }))]
            }
            Some(_) | None => Vec::new(),
        },
        Observation::Tick => tick(state, live, cx),
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
    let fresh = known.agent_session.as_deref() != Some(&opened.agent_session);
    let meta = SessionMeta {
        agent_session: Some(opened.agent_session.clone()),
        agent_turns: if fresh { 0 } else { known.agent_turns },
        mode: opened.mode.clone().or_else(|| known.mode.clone()),
        model: opened.model.clone().or_else(|| known.model.clone()),
        config: opened.config.clone().or_else(|| known.config.clone()),
        ..known.clone()
    };
    let mut changes = Vec::new();
    if meta != *known {
        changes.push(Change::MetaSet { meta: Box::new(meta), body: None });
    }
    let session_id = state.row.id.clone();
    if opened.fresh {
        changes.push(Change::Told(Box::new(EventBody::AgentConnected {
            session_id: session_id.clone(),
            agent: live.run.agent.clone(),
            agent_info: opened.agent_info.clone(),
        })));
    }
    if let Some(reason) = &opened.context_reset {
        let reason = reason.clone();
        changes.push(Change::Told(Box::new(EventBody::AgentReset {
            session_id,
            context_reset: true,
            reason,
        })));
    }
    changes
}

fn prompted(state: &State, live: &Live, turn: &TurnRow, cx: &mut Context<'_>) -> Vec<Change> {
    let now = cx.now;
    let run = RunRow { state: RunState::Running, updated_at: now, ..live.run.clone() };
    let turn = TurnRow { state: TurnState::Active, active_at: Some(now), ..turn.clone() };
    let meta = SessionMeta { agent_turns: state.row.meta.agent_turns + 1, ..state.row.meta.clone() };
    let row = MessageRow {
        position: state.row.latest_message + 1,
        info: MessageInfo::Assistant(assistant_info(state, live, cx)),
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
        Change::TurnSet(turn),
        Change::MessageSet(row),
        Change::PartSet(Box::new(part)),
    ]
}

fn assistant_info(state: &State, live: &Live, cx: &mut Context<'_>) -> AssistantInfo {
    let model = current_model(state);
    let cwd = match state.row.workspace {
        Workspace::Project => state.row.directory.clone(),
        Workspace::Isolated => format!("{}/{}", cx.scratch, state.row.id),
    };
    AssistantInfo {
        id: cx.ids.message(cx.now),
        session_id: state.row.id.clone(),
        parent_id: live.run.message_id.clone(),
        parent_ids: vec![live.run.message_id.clone()],
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
    let pending = live
        .into_iter()
        .flat_map(|live| &live.decisions)
        .find(|row| row.id == *id && row.state == DecisionState::Pending);
    pending.map(|row| broker::close(row, CloseReason::Withdrawn, cx.now)).into_iter().collect()
}

/// A point in time the machine asked to be woken at (see `SessionMachine::deadline`).
fn tick(state: &State, live: Option<&Live>, cx: &mut Context<'_>) -> Vec<Change> {
    let Some(live) = live.filter(|live| live.run.owner == *cx.me) else { return Vec::new() };
    let now = cx.now;
    let Some(stop) = live.run.stop_at else {
        return match (live.run.cancel, live.run.deadline_at) {
            // Recorded by another process.
            (Some(source), _) => command::stop(state, live, Stop::Cancel(source), cx),
            (None, Some(deadline)) if deadline <= now => command::stop(state, live, Stop::Deadline, cx),
            (None, _) => Vec::new(),
        };
    };
    let Some(turn) = live.open_turn() else { return Vec::new() };
    let mut changes = Vec::new();
    let mut live = live.clone();
    if turn.escalated_at.is_none() && after(stop, cx.limits.cancel_escalate_ms) <= now {
        let turn = TurnRow { escalated_at: Some(now), ..turn.clone() };
        live.turn = Some(turn.clone());
        changes.push(Change::TurnNoted(turn));
    }
    if after(stop, cx.limits.cancel_settle_ms) <= now {
        changes.extend(settle::end(state, &live, None, false, cx));
    }
    changes
}
