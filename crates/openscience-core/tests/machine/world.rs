//! One process with one session: a machine, a store, a clock and ids that only count.

use openscience_core::answer::{Answer, Refusal};
use openscience_core::effect::Effect;
use openscience_core::input::{
    AgentUpdate, Asking, Command, Input, Observation, Opened, PermissionAsk, PromptCommand, QuestionAsk,
    RequestKey, TextChunk, TurnEnd,
};
use openscience_core::session::{Context, Draft, Ids, Policy, SessionMachine};
use openscience_protocol::event::CancelSource;
use openscience_protocol::prompt::{Effort, ModelRef, PromptAccepted};
use openscience_protocol::row::{AskedForm, DecisionRow, RunRow, TurnRow};
use openscience_protocol::{
    AgentId, ClaimId, DecisionId, DecisionInput, Limits, MessageId, Millis, OwnerId, PartId, PermissionReply,
    PromptInput, Rule, RunError, RunId, RuntimeRun, TurnId,
};
use serde_json::{Value, json};

use crate::store::{Store, session_id};

/// Ids that count, so that equal steps give equal rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Counter(u64);

impl Counter {
    fn next<T: std::str::FromStr<Err: std::fmt::Debug>>(&mut self, prefix: &str) -> T {
        self.0 += 1;
        format!("{prefix}_{:05}", self.0).parse().unwrap()
    }
}

impl Ids for Counter {
    fn message(&mut self, _: Millis) -> MessageId {
        self.next("msg")
    }
    fn part(&mut self, _: Millis) -> PartId {
        self.next("prt")
    }
    fn run(&mut self, _: Millis) -> RunId {
        self.next("run")
    }
    fn turn(&mut self, _: Millis) -> TurnId {
        self.next("trn")
    }
    fn permission(&mut self, _: Millis) -> DecisionId {
        self.next("per")
    }
    fn question(&mut self, _: Millis) -> DecisionId {
        self.next("que")
    }
    fn claim(&mut self, _: Millis) -> ClaimId {
        self.next("clm")
    }
}

#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) machine: SessionMachine,
    pub(crate) ids: Counter,
    pub(crate) now: Millis,
    pub(crate) me: OwnerId,
    pub(crate) limits: Limits,
    pub(crate) rules: Vec<Rule>,
    pub(crate) policy: Policy,
    pub(crate) default_model: Option<(AgentId, ModelRef)>,
    /// Turns can save files.
    pub(crate) artifacts: bool,
    /// What was to be done since the start.
    pub(crate) effects: Vec<Effect>,
    keys: u64,
}

impl World {
    pub(crate) fn new() -> Self {
        let store = Store::new();
        Self {
            machine: SessionMachine::restore(store.rows()),
            store,
            ids: Counter::default(),
            now: 1_000,
            me: "own_1".parse().unwrap(),
            limits: Limits::default(),
            rules: Vec::new(),
            policy: Policy::default(),
            default_model: None,
            artifacts: false,
            effects: Vec::new(),
            keys: 0,
        }
    }

    /// With one rule.
    pub(crate) fn ruled(rule: Value) -> Self {
        let mut world = Self::new();
        world.rules.push(serde_json::from_value(rule).unwrap());
        world
    }

    /// Decides and evolves; nothing is committed.
    pub(crate) fn draft(&mut self, inputs: &[Input]) -> Draft {
        let mut machine = self.machine.clone();
        let draft = self.with_context(|cx| machine.step(inputs, cx));
        self.machine = machine;
        draft
    }

    /// What a decision depends on, as it is now.
    pub(crate) fn with_context<T>(&mut self, decide: impl FnOnce(&mut Context<'_>) -> T) -> T {
        let Self { ids, now, me, limits, rules, policy, default_model, artifacts, .. } = self;
        let default_model = default_model.as_ref().map(|(agent, model)| (agent, model));
        let (now, artifacts, scratch) = (*now, *artifacts, "/scratch");
        decide(&mut Context { now, me, limits, policy, rules, default_model, artifacts, scratch, ids })
    }

    /// Commits a draft and hands out what must be done.
    pub(crate) fn commit(&mut self, draft: &Draft) {
        if let Some(append) = &draft.append {
            let appended = self.store.append(append).expect("nobody else writes");
            self.machine.committed(appended);
            let state = self.machine.state();
            assert!(state.ended.len().max(state.follow_ups.len()) <= 16, "memory is bounded");
        }
        self.effects.extend(draft.effects.iter().cloned());
        self.check_restored();
    }

    /// What is restored is what was lived, besides what is lost on purpose.
    pub(crate) fn check_restored(&self) {
        let restored = SessionMachine::restore(self.store.rows());
        assert_eq!(restored.state().row, self.machine.state().row);
        assert_eq!(restored.state().live, self.machine.state().live);
        assert_eq!(restored.state().waiting, self.machine.state().waiting);
        assert_eq!(restored.state().terminals, self.machine.state().terminals);
        assert_eq!(restored.state().claims, self.machine.state().claims);
    }

    /// Another process: same store, no memory.
    pub(crate) fn restart(&mut self, owner: &str) {
        self.me = owner.parse().unwrap();
        self.machine = SessionMachine::restore(self.store.rows());
    }

    pub(crate) fn step(&mut self, inputs: &[Input]) -> Draft {
        let draft = self.draft(inputs);
        self.commit(&draft);
        draft
    }

    pub(crate) fn command(&mut self, command: Command) -> Result<Answer, Refusal> {
        let mut draft = self.step(&[Input::Command(command)]);
        let (index, answer) = draft.answers.pop().expect("a command is answered");
        assert!(index == 0 && draft.answers.is_empty());
        answer
    }

    /// Tells an observation; the types of the events it brought.
    pub(crate) fn see(&mut self, observation: Observation) -> Vec<&'static str> {
        let before = self.store.events.len();
        let draft = self.step(&[Input::Observation(observation)]);
        assert!(draft.answers.is_empty());
        self.store.events.iter().skip(before).map(|(event_type, _)| *event_type).collect()
    }

    // ---- what people do ----

    /// A prompt with what the store knows of it.
    pub(crate) fn prompt_of(&self, input: PromptInput) -> Command {
        let key = openscience_core::admission::run_id(&session_id(), &input);
        let found = key.and_then(|key| self.store.receipt(&key));
        let message_taken = input.message_id.as_deref().is_some_and(|id| self.store.message_taken(id));
        let parts = openscience_core::admission::input_parts(&input);
        Command::Prompt(Box::new(PromptCommand { input, parts, found, message_taken }))
    }

    pub(crate) fn submit(&mut self, input: PromptInput) -> Result<PromptAccepted, Refusal> {
        match self.command(self.prompt_of(input))? {
            Answer::Accepted(accepted) => Ok(accepted),
            other => panic!("{other:?}"),
        }
    }

    /// Admits a prompt.
    pub(crate) fn prompt(&mut self, key: &str, text: &str) -> RunId {
        self.submit(input(json!({ "requestID": key, "message": text }))).expect("admitted").run_id
    }

    pub(crate) fn cancel(&mut self, run: &RunId) -> Result<RuntimeRun, Refusal> {
        let joined = self.store.receipt(run).map(|receipt| receipt.run_id);
        let found = joined.and_then(|run| self.store.run(&run)).cloned().map(Box::new);
        match self.command(Command::Cancel { run: run.clone(), source: CancelSource::User, found })? {
            Answer::Run(run) => Ok(*run),
            other => panic!("{other:?}"),
        }
    }

    pub(crate) fn decision_of(&self, answer: DecisionInput) -> Command {
        let found = self.store.decisions.get(answer.request_id()).cloned().map(Box::new);
        Command::Decide { answer, found }
    }

    pub(crate) fn decide(&mut self, id: &DecisionId, reply: PermissionReply) -> Result<Answer, Refusal> {
        self.command(self.decision_of(reply_to(id, reply, None)))
    }

    /// A command about a turn, with what the store knows of it.
    pub(crate) fn found(&self, turn: &TurnId) -> Option<Box<TurnRow>> {
        self.store.turn(turn).cloned().map(Box::new)
    }

    // ---- what agents do ----

    /// The live turn.
    pub(crate) fn turn(&self) -> TurnId {
        let live = self.machine.state().live.as_ref().expect("a live run");
        live.open_turn().or(live.queued().next()).expect("a turn").id.clone()
    }

    /// Opens the conversation and writes the prompt.
    pub(crate) fn start(&mut self) {
        let opened = Opened { agent_session: "a1".to_owned(), fresh: true, ..Opened::default() };
        self.see(Observation::SessionOpened { turn: self.turn(), opened: Box::new(opened) });
        self.see(Observation::Prompted { turn: self.turn() });
    }

    /// A run whose agent is at work.
    pub(crate) fn running(key: &str) -> (Self, RunId) {
        let mut world = Self::new();
        let run = world.prompt(key, "go");
        world.start();
        (world, run)
    }

    pub(crate) fn say(&mut self, text: &str) -> Vec<&'static str> {
        self.see(words(false, None, text))
    }

    pub(crate) fn update(&mut self, update: Value) -> Vec<&'static str> {
        self.see(known(update))
    }

    pub(crate) fn ask(&mut self, call: Value) -> DecisionId {
        self.ask_with(call, once_or_not());
        self.pending().pop().expect("asked")
    }

    pub(crate) fn ask_with(&mut self, call: Value, options: Value) -> Vec<&'static str> {
        self.keys += 1;
        let mut asked = asked(RequestKey(self.keys), call, options);
        if let Observation::PermissionAsked(ask) = &mut asked {
            ask.grants.clone_from(&self.store.grants);
        }
        self.see(asked)
    }

    /// Asks to have a form filled in; the types of the events it brought.
    pub(crate) fn ask_form(&mut self, fields: &Value) -> Vec<&'static str> {
        self.keys += 1;
        self.see(form_asked(RequestKey(self.keys), fields))
    }

    /// Ids of the decisions that wait, oldest first.
    pub(crate) fn pending(&self) -> Vec<DecisionId> {
        let waits = |row: &&DecisionRow| row.state == openscience_protocol::row::DecisionState::Pending;
        self.store.decisions.values().filter(waits).map(|row| row.id.clone()).collect()
    }

    pub(crate) fn end(&mut self, stop_reason: &str) -> Vec<&'static str> {
        self.see(answered(&self.turn(), stop_reason))
    }

    pub(crate) fn fail(&mut self, code: &str) -> Vec<&'static str> {
        self.see(failed(&self.turn(), code))
    }

    /// Moves the clock to when the machine wants to be woken, and wakes it.
    pub(crate) fn wake(&mut self) -> Vec<&'static str> {
        let at = self.machine.deadline(&self.me, &self.limits, &self.policy).expect("wants to be woken");
        self.now = self.now.max(at);
        self.see(Observation::Tick)
    }

    pub(crate) fn receipt(&self, run: &RunId) -> RunRow {
        self.store.run(run).expect("a receipt").clone()
    }

    /// State, code and stop reason of a receipt, then state and code of its turn.
    pub(crate) fn outcome(&self, run: &RunId) -> String {
        let row = self.receipt(run);
        let turn = self.store.turn(&row.turn_id).expect("a turn");
        let code = |error: &Option<RunError>| error.as_ref().map_or("-".to_owned(), |e| e.code.clone());
        let stop = row.stop_reason.as_deref().unwrap_or("-");
        format!("{} {} {stop} / {:?} {}", row.state.as_str(), code(&row.error), turn.state, code(&turn.error))
    }
}

/// A prompt to the session; `effort` is normal unless told.
pub(crate) fn input(mut fields: Value) -> PromptInput {
    fields["sessionID"] = json!(session_id());
    if fields.get("effort").is_none() {
        fields["effort"] = json!(Effort::Normal);
    }
    serde_json::from_value(fields).unwrap()
}

pub(crate) fn reply_to(id: &DecisionId, reply: PermissionReply, message: Option<&str>) -> DecisionInput {
    let mut answer =
        json!({ "kind": "permission", "sessionID": session_id(), "requestID": id, "reply": reply });
    if let Some(message) = message {
        answer["message"] = json!(message);
    }
    serde_json::from_value(answer).unwrap()
}

pub(crate) fn answers_to(id: &DecisionId, answers: &[&[&str]]) -> DecisionInput {
    let answer =
        json!({ "kind": "question", "sessionID": session_id(), "requestID": id, "answers": answers });
    serde_json::from_value(answer).unwrap()
}

pub(crate) fn dismissal_of(id: &DecisionId) -> DecisionInput {
    let answer = json!({ "kind": "question_reject", "sessionID": session_id(), "requestID": id });
    serde_json::from_value(answer).unwrap()
}

pub(crate) fn words(thought: bool, message: Option<&str>, text: &str) -> Observation {
    let message = message.map(str::to_owned);
    Observation::Update(AgentUpdate::Text(TextChunk { thought, message, text: text.to_owned() }))
}

pub(crate) fn known(update: Value) -> Observation {
    Observation::Update(AgentUpdate::Known(Box::new(serde_json::from_value(update).unwrap())))
}

pub(crate) fn once_or_not() -> Value {
    json!([
        { "optionId": "always", "name": "Always", "kind": "allow_always" },
        { "optionId": "yes", "name": "Yes", "kind": "allow_once" },
        { "optionId": "no", "name": "No", "kind": "reject_once" },
    ])
}

/// A form with these fields, all required.
pub(crate) fn form_asked(key: RequestKey, fields: &Value) -> Observation {
    let required: Vec<&String> = fields.as_object().into_iter().flat_map(|fields| fields.keys()).collect();
    let schema = json!({ "type": "object", "properties": fields, "required": required });
    let form = AskedForm { message: "Tell me.".to_owned(), schema };
    Observation::QuestionAsked(Box::new(QuestionAsk {
        key,
        call: Some("c1".to_owned()),
        asking: Asking::Form(form),
    }))
}

pub(crate) fn asked(key: RequestKey, call: Value, options: Value) -> Observation {
    Observation::PermissionAsked(Box::new(PermissionAsk {
        key,
        tool: serde_json::from_value(call).unwrap(),
        options: serde_json::from_value(options.clone()).unwrap(),
        raw_options: options,
        grants: Vec::new(),
        real_paths: true,
        ours: None,
    }))
}

pub(crate) fn answered(turn: &TurnId, stop_reason: &str) -> Observation {
    let end = TurnEnd::Answered { stop_reason: stop_reason.to_owned(), tokens: None };
    Observation::TurnEnded { turn: turn.clone(), end }
}

pub(crate) fn failed(turn: &TurnId, code: &str) -> Observation {
    let end = TurnEnd::Failed(RunError::new(code, format!("why {code}")).at("prompt"));
    Observation::TurnEnded { turn: turn.clone(), end }
}
