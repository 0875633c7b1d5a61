//! Random things that may happen, each from one number: what it means depends on the world it meets.

use openscience_core::authority::{self, Request, Run};
use openscience_core::input::{
    AgentUpdate, Command, Input, MetaPatch, Observation, Opened, RequestKey, TerminalExit, TerminalSeen,
    TerminalStage, TurnEnd,
};
use openscience_core::session::Live;
use openscience_protocol::event::CancelSource;
use openscience_protocol::row::DecisionState;
use openscience_protocol::{DecisionId, Delivery, PermissionReply, PromptInput, TurnId};
use serde_json::{Value, json};

use crate::artifacts::saved;
use crate::world::{
    World, answered, answers_to, asked, dismissal_of, failed, form_asked, input, known, once_or_not,
    reply_to, words,
};

/// A world with a rule that allows and one that denies.
pub(crate) fn world() -> World {
    let mut world = World::ruled(json!({ "permission": "bash", "pattern": "rm *", "action": "deny" }));
    let allow = json!({ "permission": "bash", "pattern": "cat *", "action": "allow" });
    world.rules.push(serde_json::from_value(allow).unwrap());
    world.policy.decision_timeout_ms = Some(5_000);
    world.artifacts = true;
    world
}

/// A small generator (SplitMix64): good enough to pick, and the same everywhere.
#[derive(Debug, Clone)]
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    pub(crate) fn one_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<T: Clone>(&mut self, among: &[T]) -> T {
        let index = self.below(among.len() as u64);
        among[usize::try_from(index).unwrap()].clone()
    }
}

/// Something that may happen in this world now; `now` moves on by itself.
pub(crate) fn any(world: &mut World, dice: &mut Dice) -> Input {
    world.now += i64::try_from(dice.below(40)).unwrap();
    match (world.machine.state().live.as_ref(), dice.below(20)) {
        // Often what comes next anyway, so that runs get somewhere.
        (None, 0..=11) => Input::Command(world.prompt_of(prompt(dice))),
        (Some(live), 0..=5) if live.answer.is_none() => Input::Observation(opening(world, dice)),
        (_, 0..=13) => Input::Observation(update(dice)),
        (_, 14) => Input::Observation(permission(dice)),
        (_, 15..=17) => command(world, dice),
        _ => Input::Observation(happening(world, dice)),
    }
}

/// One of a few prompts; their keys and message ids meet often.
pub(crate) fn prompt(dice: &mut Dice) -> PromptInput {
    let mut fields = json!({ "message": dice.pick(&["go", "go on", "é👍"]) });
    if !dice.one_in(4) {
        fields["requestID"] = json!(format!("k{}", dice.below(12)));
    }
    if dice.one_in(3) {
        fields["messageID"] = json!(format!("msg_0123456789ab0123456789000{}", dice.below(6)));
    }
    if dice.one_in(5) {
        fields["effort"] = json!("ultra");
    }
    if dice.one_in(6) {
        fields["deadlineMs"] = json!(500);
    }
    input(fields)
}

fn opening(world: &World, dice: &mut Dice) -> Observation {
    let turn = world.turn();
    if dice.one_in(3) {
        let opened = Opened {
            agent_session: dice.pick(&["a", "b"]).to_owned(),
            fresh: dice.one_in(2),
            mode: Some("code".to_owned()),
            model: Some("p/m".to_owned()),
            context_reset: dice.one_in(3).then(|| "agent_exited".to_owned()),
            ..Opened::default()
        };
        return Observation::SessionOpened { turn, opened: Box::new(opened) };
    }
    Observation::Prompted { turn }
}

fn update(dice: &mut Dice) -> Observation {
    let call = format!("call_{}", dice.below(3));
    let status = dice.pick(&[
        Value::Null,
        json!("pending"),
        json!("in_progress"),
        json!("completed"),
        json!("failed"),
    ]);
    match dice.below(16) {
        0..=5 => {
            let message = dice.pick(&[None, Some("m1"), Some("m2")]);
            words(dice.one_in(3), message, dice.pick(&["a", "é", "👍 ", "\u{1}\n", ""]))
        }
        6 => known(
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": "x" } }),
        ),
        7 => known(json!({
            "sessionUpdate": "tool_call", "toolCallId": call, "title": "T", "kind": "execute", "status": status,
            "rawInput": { "command": "ls" },
        })),
        8 | 9 => known(json!({
            "sessionUpdate": "tool_call_update", "toolCallId": call, "status": status,
            "rawOutput": dice.pick(&[json!("out"), json!({ "output": "o" }), Value::Null]),
            "title": dice.pick(&[Value::Null, json!("better")]),
        })),
        10 => known(json!({
            "sessionUpdate": "plan",
            "entries": dice.pick(&[json!([]), json!([{ "content": "c", "priority": "low", "status": "pending" }])]),
        })),
        11 => known(
            json!({ "sessionUpdate": "current_mode_update", "currentModeId": dice.pick(&["ask", "code"]) }),
        ),
        12 => known(json!({ "sessionUpdate": "usage_update", "used": dice.below(3), "size": 10 })),
        13 => known(json!({ "sessionUpdate": "session_info_update", "title": dice.pick(&["one", "two"]) })),
        14 => known(json!({
            "sessionUpdate": "agent_thought_chunk",
            "content": { "type": "image", "data": "AA==", "mimeType": "image/png" },
        })),
        _ => Observation::Update(dice.pick(&[
            AgentUpdate::Unknown { kind: Some("odd".to_owned()), raw: None },
            AgentUpdate::Stderr("line".to_owned()),
        ])),
    }
}

fn permission(dice: &mut Dice) -> Observation {
    if dice.one_in(4) {
        let fields = dice.pick(&[
            json!({ "f": { "type": "string", "enum": ["a", "b"] } }),
            json!({ "f": { "type": "integer" } }),
            json!({ "f": { "type": "object" } }),
        ]);
        return form_asked(RequestKey(dice.next()), &fields);
    }
    if dice.one_in(3) {
        let path = "/ws/a".to_owned();
        let request = dice.pick(&[
            Request::Read { path: path.clone(), line: None, limit: None },
            Request::Write { path, content: "x".to_owned() },
            Request::Run(Run { command: "rm".to_owned(), args: vec!["x".to_owned()], ..Run::default() }),
        ]);
        let mut ask = authority::asked(RequestKey(dice.next()), &request);
        if let Some(ours) = &mut ask.ours {
            ours.possible = !dice.one_in(4);
        }
        return Observation::PermissionAsked(Box::new(ask));
    }
    let call = json!({
        "toolCallId": format!("call_{}", dice.below(4)), "kind": "execute",
        "rawInput": { "command": dice.pick(&["ls", "rm x", "cat y"]) },
    });
    let options = dice.pick(&[once_or_not(), once_or_not(), json!([])]);
    asked(RequestKey(dice.next()), call, options)
}

fn command(world: &World, dice: &mut Dice) -> Input {
    Input::Command(match dice.below(18) {
        0 | 12..=14 => world.prompt_of(prompt(dice)),
        15 => {
            let turn = queued(world, dice);
            let found = world.found(&turn);
            match dice.below(3) {
                0 => Command::Withdraw { turn, found },
                1 => Command::SendNow { turn, found },
                _ => Command::CancelTurn { turn, found },
            }
        }
        16 => Command::Deliver(dice.pick(&[Delivery::Coalesce, Delivery::Sequential])),
        17 if dice.one_in(4) => Command::ClearQueue,
        1 if !world.store.runs.is_empty() => {
            let run = dice.pick(&world.store.runs);
            let joined = world.store.follow_ups.iter().rfind(|row| row.run_id == run.id);
            let id = joined.filter(|_| dice.one_in(2)).map_or(&run.id, |row| &row.id).clone();
            Command::Cancel { run: id, source: CancelSource::RunnerTimeout, found: Some(Box::new(run)) }
        }
        2 if dice.one_in(2) => Command::Abort { source: CancelSource::User },
        3 => Command::Rename(MetaPatch {
            title: dice.one_in(2).then(|| "mine".to_owned()),
            pinned: dice.one_in(2).then_some(Some(1)),
            archived: None,
        }),
        4 if dice.one_in(4) => Command::Stop { force: dice.one_in(2), recovered: false, owner: None },
        5 if dice.one_in(40) => Command::BeginDelete,
        6 if !world.store.claims.is_empty() => {
            let claim = dice.pick(&world.store.claims).id;
            Command::SettleClaim { claim, failure: dice.one_in(3).then(|| "why".to_owned()) }
        }
        _ => {
            let replies = [
                PermissionReply::Once,
                PermissionReply::Once,
                PermissionReply::Reject,
                PermissionReply::Always,
            ];
            let message = dice.pick(&[None, None, Some("no")]);
            let reply = dice.pick(&replies);
            let decision = decision(world, dice);
            let question = decision.as_str().starts_with("que_");
            world.decision_of(match dice.below(4) {
                0 if question => dismissal_of(&decision),
                1..=2 if question => {
                    let label = dice.pick(&["a", "b", "7", "c"]);
                    answers_to(&decision, &[&[label]])
                }
                _ => reply_to(&decision, reply, message),
            })
        }
    })
}

/// Mostly one that waits.
fn decision(world: &World, dice: &mut Dice) -> DecisionId {
    let pending = world.pending();
    let all: Vec<DecisionId> = world.store.decisions.keys().cloned().collect();
    match (pending.is_empty(), all.is_empty(), dice.one_in(4)) {
        (false, _, false) => dice.pick(&pending),
        (_, false, _) => dice.pick(&all),
        _ => "per_unknown".parse().unwrap(),
    }
}

/// Mostly one that waits.
fn queued(world: &World, dice: &mut Dice) -> TurnId {
    let waiting: Vec<TurnId> =
        world.machine.state().runs().flat_map(Live::queued).map(|turn| turn.id.clone()).collect();
    if waiting.is_empty() || dice.one_in(3) { turn(world, dice) } else { dice.pick(&waiting) }
}

/// Mostly the live turn's.
fn turn(world: &World, dice: &mut Dice) -> TurnId {
    match (&world.machine.state().live, world.store.turns.is_empty()) {
        (Some(_), _) if !dice.one_in(5) => world.turn(),
        (_, false) => dice.pick(&world.store.turns).id,
        _ => "trn_unknown".parse().unwrap(),
    }
}

/// One that is new, or changes.
fn terminal(world: &World, dice: &mut Dice) -> TerminalSeen {
    let held: Vec<String> = world.machine.state().terminals.iter().map(|row| row.id.clone()).collect();
    let new = held.is_empty() || dice.one_in(3);
    let seen = TerminalSeen {
        // Never given twice, also not to inputs that are made before the first of them is taken.
        id: if new { format!("ter_{}", dice.below(1_000_000_000)) } else { dice.pick(&held) },
        command: "make".to_owned(),
        cwd: "/ws".to_owned(),
        output: dice.pick(&["", "a", "a\nb"]).to_owned(),
        ..TerminalSeen::default()
    };
    if new {
        return TerminalSeen { stage: TerminalStage::Started, ..seen };
    }
    let exit = dice.one_in(2).then_some(TerminalExit { code: Some(0), signal: None });
    let stage = if dice.one_in(4) { TerminalStage::Released } else { TerminalStage::Held };
    TerminalSeen { exit, stop_requested: dice.one_in(3), stage, ..seen }
}

fn happening(world: &mut World, dice: &mut Dice) -> Observation {
    let turn = turn(world, dice);
    match dice.below(12) {
        8 => Observation::TerminalSeen(Box::new(terminal(world, dice))),
        9 if dice.one_in(4) => Observation::TerminalsLost,
        10 => Observation::Saved { turn, files: (0..dice.below(3)).map(saved).collect() },
        11 => Observation::Drained {
            turn,
            end: dice
                .one_in(2)
                .then(|| TurnEnd::Answered { stop_reason: "end_turn".to_owned(), tokens: None }),
        },
        0 => answered(&turn, dice.pick(&["end_turn", "cancelled", "max_tokens", "refusal", "odd"])),
        1 if dice.one_in(2) => failed(&turn, dice.pick(&["agent_exited", "prompt_failed"])),
        2 => Observation::RequestWithdrawn { decision: decision(world, dice) },
        3 | 4 => {
            let on_its_way =
                world.store.decisions.values().rfind(|row| row.state == DecisionState::Indeterminate);
            let decision = on_its_way.map_or_else(|| decision(world, dice), |row| row.id.clone());
            Observation::AnswerDelivered { decision, delivered: !dice.one_in(4) }
        }
        5 => Observation::Escalated { turn, still_running: dice.one_in(2) },
        6 if dice.one_in(4) => Observation::Stalled { turn },
        6 => Observation::Prompted { turn },
        _ => {
            if let Some(at) =
                world.machine.deadline(&world.me, &world.limits, &world.policy).filter(|_| dice.one_in(2))
            {
                world.now = world.now.max(at);
            }
            Observation::Tick
        }
    }
}
