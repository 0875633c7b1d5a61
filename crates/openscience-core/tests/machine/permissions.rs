//! Decisions: asked, answered once, closed.

use openscience_core::answer::{Answer, Refusal};
use openscience_core::effect::Effect;
use openscience_core::input::{Command, Given, Input, Observation};
use openscience_core::session::Policy;
use openscience_protocol::event::{Actor, CancelSource, CloseReason};
use openscience_protocol::row::{DecisionRow, DecisionState, GrantRow, GrantScope};
use openscience_protocol::{DecisionId, DecisionInput, DecisionStatus, PermissionReply, PermissionRequest};
use serde_json::{Value, json};

use crate::world::{World, once_or_not, reply_to};

fn call(id: &str, command: &str) -> Value {
    json!({ "toolCallId": id, "kind": "execute", "rawInput": { "command": command } })
}

fn asking() -> (World, DecisionId) {
    let (mut world, _) = World::running("a");
    let id = world.ask(call("c", "ls"));
    (world, id)
}

/// State, reply, actor, close reason.
fn row(world: &World, id: &DecisionId) -> String {
    let DecisionRow { state, reply, actor, close_reason, .. } = &world.store.decisions[id];
    let lower = |debug: String| debug.to_lowercase();
    [
        lower(format!("{state:?}")),
        reply.map_or("-".to_owned(), |reply| reply.as_str().to_owned()),
        actor.map_or("-".to_owned(), |actor| actor.as_str().to_owned()),
        close_reason.map_or("-".to_owned(), |reason| lower(format!("{reason:?}"))),
    ]
    .join(" ")
}

/// The options given to the agent since, by decision.
fn given(world: &World) -> Vec<(String, Option<String>)> {
    let answer = |effect: &Effect| match effect {
        Effect::AnswerDecision { decision, given, .. } => Some((decision.to_string(), option(given))),
        _ => None,
    };
    world.effects.iter().filter_map(answer).collect()
}

/// The agent's own option; none if its request was cancelled.
fn option(given: &Given) -> Option<String> {
    match given {
        Given::Option(option) => Some(option.clone()),
        Given::Cancelled => None,
        other => panic!("no answer to a permission: {other:?}"),
    }
}

fn request<'a>(world: &'a World, id: &DecisionId) -> &'a PermissionRequest {
    world.store.decisions[id].permission().expect("a permission")
}

#[test]
fn an_answer_goes_through_three_states() {
    let (mut world, id) = asking();
    let answer = world.decide(&id, PermissionReply::Once).unwrap();
    let Answer::Decision { result, settled } = answer else { panic!("{answer:?}") };
    assert_eq!((result.status, settled), (DecisionStatus::Indeterminate, false));
    assert_eq!(row(&world, &id), "indeterminate once person -");
    assert_eq!(given(&world), [(id.to_string(), Some("yes".to_owned()))]);

    world.see(Observation::AnswerDelivered { decision: id.clone(), delivered: true });
    assert_eq!(row(&world, &id), "resolved once person -");
    assert_eq!(world.effects.last(), Some(&Effect::DecisionSettled { decision: id.clone() }));
    let again = world.decide(&id, PermissionReply::Once).unwrap();
    let Answer::Decision { result, settled } = again else { panic!("{again:?}") };
    assert_eq!((result.status, settled), (DecisionStatus::Resolved, true));
    assert_eq!(given(&world).len(), 1);
}

#[test]
fn an_answer_that_did_not_arrive_stays_indeterminate() {
    let (mut world, id) = asking();
    world.decide(&id, PermissionReply::Once).unwrap();
    world.see(Observation::AnswerDelivered { decision: id.clone(), delivered: false });
    assert_eq!(row(&world, &id), "indeterminate once person -");
    assert_eq!(world.effects.last(), Some(&Effect::DecisionSettled { decision: id.clone() }));
    world.end("end_turn");
    world.prompt("b", "next");
    assert_eq!(world.machine.state().live.as_ref().unwrap().decisions, [], "it belongs to the run before");
    assert!(world.decide(&id, PermissionReply::Once).is_ok());
}

#[test]
fn an_answer_may_arrive_when_the_run_is_over() {
    let (mut world, id) = asking();
    world.decide(&id, PermissionReply::Once).unwrap();
    world.end("end_turn");
    world.prompt("b", "next");
    let events = world.store.events.len();
    world.see(Observation::AnswerDelivered { decision: id.clone(), delivered: true });
    assert_eq!(row(&world, &id), "resolved once person -");
    assert_eq!(world.effects.last(), Some(&Effect::DecisionSettled { decision: id }));
    assert_eq!(world.store.events.len(), events);
}

#[test]
fn a_stored_receipt_is_given_to_the_same_answer_only() {
    let (mut world, id) = asking();
    world.command(world.decision_of(reply_to(&id, PermissionReply::Once, Some("fine")))).unwrap();
    for _ in 0..2 {
        let mut again = |reply, message| world.command(world.decision_of(reply_to(&id, reply, message)));
        assert!(again(PermissionReply::Once, Some("fine")).is_ok());
        assert_eq!(again(PermissionReply::Once, None), Err(Refusal::DecisionConflict));
        assert_eq!(again(PermissionReply::Reject, Some("fine")), Err(Refusal::DecisionConflict));
        assert_eq!(again(PermissionReply::Always, Some("fine")), Err(Refusal::DecisionConflict));
        if world.machine.state().live.is_some() {
            world.end("end_turn");
        }
        world.restart("own_2");
    }
}

#[test]
fn what_is_checked_first_wins() {
    let (mut world, id) = asking();
    let question = json!({ "kind": "question", "sessionID": "ses_s", "requestID": id, "answers": [] });
    let question: DecisionInput = serde_json::from_value(question).unwrap();
    assert_eq!(world.command(world.decision_of(question.clone())), Err(Refusal::DecisionExpired));
    let (mut told_little, _) = World::running("a");
    let vague = told_little.ask(json!({ "toolCallId": "c", "kind": "execute", "title": "make" }));
    for wider in [PermissionReply::Session, PermissionReply::Project, PermissionReply::Always] {
        assert_eq!(told_little.decide(&vague, wider), Err(Refusal::ScopeNotAvailable));
    }
    let mut elsewhere = reply_to(&id, PermissionReply::Once, None);
    if let DecisionInput::Permission(answer) = &mut elsewhere {
        answer.session_id = "ses_other".parse().unwrap();
    }
    assert_eq!(world.command(world.decision_of(elsewhere)), Err(Refusal::DecisionExpired));
    assert_eq!(world.decide(&"per_x".parse().unwrap(), PermissionReply::Once), Err(Refusal::DecisionExpired));

    // The owner of the run is asked first: also about scopes.
    world.restart("own_2");
    let owner = || Refusal::DecisionNotOwned { owner: "own_1".parse().unwrap() };
    assert_eq!(world.decide(&id, PermissionReply::Once), Err(owner()));
    assert_eq!(world.decide(&id, PermissionReply::Always), Err(owner()));

    // A stored receipt is known everywhere.
    world.restart("own_1");
    world.decide(&id, PermissionReply::Once).unwrap();
    world.restart("own_2");
    assert!(world.decide(&id, PermissionReply::Once).is_ok());
    assert_eq!(world.decide(&id, PermissionReply::Always), Err(Refusal::DecisionConflict));
    assert_eq!(world.command(world.decision_of(question)), Err(Refusal::DecisionConflict));
}

#[test]
fn what_was_closed_has_expired_for_everyone() {
    let (mut world, id) = asking();
    world.end("end_turn");
    assert_eq!(row(&world, &id), "closed - - withdrawn");
    assert_eq!(world.decide(&id, PermissionReply::Once), Err(Refusal::DecisionExpired));
    world.prompt("b", "next");
    world.restart("own_2");
    assert_eq!(world.decide(&id, PermissionReply::Once), Err(Refusal::DecisionExpired));
}

#[test]
fn a_decision_closed_in_the_same_batch_is_not_answered() {
    let (mut world, id) = asking();
    let decide = world.decision_of(reply_to(&id, PermissionReply::Once, None));
    let cancel = Command::Abort { source: CancelSource::User };
    let draft = world.step(&[Input::Command(cancel), Input::Command(decide)]);
    assert_eq!(draft.answers, [(0, Ok(Answer::Done)), (1, Err(Refusal::DecisionExpired))]);
    assert_eq!(row(&world, &id), "closed - - cancelled");
    assert_eq!(given(&world), [(id.to_string(), None)]);
}

#[test]
fn a_rejection_refuses_the_others_and_leaves_the_turn_alone() {
    let (mut world, _) = asking();
    world.ask(call("d", "cp"));
    world.ask(call("e", "mv"));
    let [a, b, c] = &world.pending()[..] else { panic!() };
    let (a, b, c) = (a.clone(), b.clone(), c.clone());
    world.decide(&a, PermissionReply::Once).unwrap();
    world.command(world.decision_of(reply_to(&b, PermissionReply::Reject, Some("not that")))).unwrap();
    assert_eq!(row(&world, &a), "indeterminate once person -");
    assert_eq!(row(&world, &b), "indeterminate reject person -");
    assert_eq!(row(&world, &c), "indeterminate reject policy -");
    assert_eq!(world.store.decisions[&b].message.as_deref(), Some("not that"));
    let options: Vec<Option<String>> = given(&world).into_iter().map(|(_, option)| option).collect();
    assert_eq!(options, ["yes", "no", "no"].map(|option| Some(option.to_owned())));
    assert!(!world.effects.iter().any(|effect| matches!(effect, Effect::CancelTurn { .. })));
    assert!(world.store.turns[0].refused);
    assert!(
        world.decide(&c, PermissionReply::Reject).is_ok(),
        "the same answer is its receipt, whoever gave it"
    );
}

#[test]
fn rules_answer_before_anyone_is_asked() {
    let check = |action: &str, options: Value, expected: &str, option: Option<&str>| {
        let mut world = World::ruled(json!({ "permission": "bash", "pattern": "ls*", "action": action }));
        world.prompt("a", "go");
        world.start();
        let types = world.ask_with(call("c", "ls -l"), options);
        let id = world.store.decisions.keys().next().unwrap().clone();
        assert_eq!(row(&world, &id), expected);
        let asked = types.contains(&"permission.asked");
        assert_eq!(types.contains(&"permission.replied"), !asked);
        assert_eq!(asked, action == "ask");
        assert_eq!(world.store.turns[0].refused, expected.contains("reject"));
        if !asked {
            assert!(matches!(
                world.effects.last(),
                Some(Effect::AnswerDecision { key: Some(_), given, .. })
                    if self::option(given).as_deref() == option
            ));
        }
    };
    let lasting = json!([{ "optionId": "a", "name": "A", "kind": "allow_always" }]);
    check("allow", once_or_not(), "indeterminate once rule -", Some("yes"));
    check("deny", once_or_not(), "indeterminate reject rule -", Some("no"));
    check("ask", once_or_not(), "pending - - -", None);
    check("deny", json!([]), "indeterminate reject rule -", None);
    check("allow", lasting, "indeterminate reject rule -", None);
}

#[test]
fn the_tool_that_asks_a_person_needs_no_permission_of_a_person_unless_a_rule_denies_it() {
    let check = |rules: Value, call: Value, options: Value, expected: &str| {
        let (mut world, _) = World::running("a");
        world.rules = serde_json::from_value(rules.clone()).unwrap();
        world.ask_with(call.clone(), options);
        let id = world.store.decisions.keys().next().unwrap().clone();
        assert_eq!(row(&world, &id), expected, "{rules} {call}");
    };
    let name = "mcp__openscience-questions__ask_question";
    let call = |name: &str| json!({ "toolCallId": "c", "kind": "other", "name": name, "title": "Ask" });
    check(json!([]), call(name), once_or_not(), "indeterminate once rule -");
    let deny = json!([{ "permission": name, "pattern": "*", "action": "deny" }]);
    check(deny, call(name), once_or_not(), "indeterminate reject rule -");
    check(json!([]), call("mcp__other__ask_question"), once_or_not(), "pending - - -");
    // Neither a title nor what a call is given proves which tool it is.
    let told = json!({ "toolCallId": "c", "kind": "other", "title": name, "rawInput": { "name": name } });
    check(json!([]), told, once_or_not(), "pending - - -");
    let lasting = json!([{ "optionId": "a", "name": "A", "kind": "allow_always" }]);
    check(json!([]), call(name), lasting, "pending - - -");
}

#[test]
fn the_sessions_own_rules_count_too() {
    let mut world = World::ruled(json!({ "permission": "bash", "pattern": "*", "action": "ask" }));
    let rule = json!([{ "permission": "bash", "pattern": "*", "action": "allow" }]);
    world.store.session.permission = serde_json::from_value(rule).unwrap();
    world.restart("own_1");
    world.prompt("a", "go");
    world.start();
    world.ask_with(call("c", "ls"), once_or_not());
    assert_eq!(world.pending(), []);
}

#[test]
fn where_no_one_shot_option_is_offered_a_person_can_only_refuse() {
    let (mut world, _) = World::running("a");
    let lasting = json!([
        { "optionId": "a", "name": "A", "kind": "allow_always" },
        { "optionId": "r", "name": "R", "kind": "reject_always" },
    ]);
    world.ask_with(call("c", "ls"), lasting);
    let id = world.pending().pop().unwrap();
    assert_eq!(world.decide(&id, PermissionReply::Once), Err(Refusal::ScopeNotAvailable));
    world.decide(&id, PermissionReply::Reject).unwrap();
    assert_eq!(given(&world), [(id.to_string(), None)]);
}

#[test]
fn an_option_of_a_kind_we_do_not_know_is_shown_and_never_chosen() {
    let (mut world, _) = World::running("a");
    let odd = json!({ "optionId": "odd", "name": "Odd", "kind": "allow_tomorrow" });
    let understood = json!([{ "optionId": "yes", "name": "Yes", "kind": "allow_once" }]);
    let ask = openscience_core::input::PermissionAsk {
        key: openscience_core::input::RequestKey(9),
        tool: serde_json::from_value(call("c", "ls")).unwrap(),
        options: serde_json::from_value(understood.clone()).unwrap(),
        raw_options: json!([odd, understood[0]]),
        grants: Vec::new(),
        real_paths: true,
        ours: None,
    };
    world.see(Observation::PermissionAsked(Box::new(ask)));
    let id = world.pending().pop().unwrap();
    assert_eq!(request(&world, &id).metadata["options"][0], odd);
    world.decide(&id, PermissionReply::Once).unwrap();
    assert_eq!(given(&world), [(id.to_string(), Some("yes".to_owned()))]);
}

#[test]
fn a_request_for_a_run_that_ends_is_refused_and_never_asked() {
    let refused = |world: &mut World| {
        let before = world.store.clone();
        world.ask_with(call("c", "ls"), once_or_not());
        assert!(matches!(world.effects.last(), Some(Effect::RefuseRequest { .. })));
        assert_eq!(world.store, before);
    };
    let mut world = World::new();
    refused(&mut world);
    world.prompt("a", "go");
    refused(&mut world);
    world.start();
    world.command(Command::Abort { source: CancelSource::User }).unwrap();
    refused(&mut world);
    world.end("cancelled");
    refused(&mut world);
}

#[test]
fn every_end_closes_what_is_asked_and_says_why() {
    let check = |script: fn(&mut World, &DecisionId), expected: CloseReason| {
        let (mut world, id) = asking();
        script(&mut world, &id);
        let row = &world.store.decisions[&id];
        assert_eq!((row.state, row.close_reason), (DecisionState::Closed, Some(expected)));
        assert_eq!(given(&world), [(id.to_string(), None)]);
        let cancelled =
            world.store.events.iter().rfind(|(event_type, _)| *event_type == "permission.cancelled");
        assert_eq!(cancelled.unwrap().1["properties"]["reason"], json!(expected));
    };
    check(|world, _| drop(world.end("end_turn")), CloseReason::Withdrawn);
    check(|world, _| drop(world.fail("prompt_failed")), CloseReason::Withdrawn);
    check(|world, _| drop(world.fail("agent_exited")), CloseReason::AgentExited);
    check(
        |world, id| drop(world.see(Observation::RequestWithdrawn { decision: id.clone() })),
        CloseReason::Withdrawn,
    );
    check(
        |world, _| drop(world.command(Command::Abort { source: CancelSource::User })),
        CloseReason::Cancelled,
    );
    check(|world, _| drop(world.command(Command::BeginDelete)), CloseReason::Cancelled);
    check(|world, _| stop(world, false), CloseReason::Restart);
    check(|world, _| stop(world, true), CloseReason::Restart);
}

#[test]
fn a_deadline_closes_what_is_asked() {
    let mut world = World::new();
    world.store.session.deadline_ms = Some(50);
    world.restart("own_1");
    world.prompt("a", "go");
    world.start();
    let id = world.ask(call("c", "ls"));
    assert_eq!(world.wake(), ["permission.cancelled"]);
    assert_eq!(row(&world, &id), "closed - - deadline");
}

fn stop(world: &mut World, force: bool) {
    world.command(Command::Stop { force, recovered: false, owner: None }).unwrap();
}

#[test]
fn a_request_may_leave_out_what_was_told_of_its_call() {
    let mut world = World::ruled(json!({ "permission": "bash", "pattern": "rm *", "action": "deny" }));
    world.prompt("a", "go");
    world.start();
    world.update(json!({
        "sessionUpdate": "tool_call", "toolCallId": "c", "title": "Remove", "kind": "execute",
        "rawInput": { "command": "cd x && rm -rf ." }, "locations": [{ "path": "/ws" }],
    }));
    world.ask_with(json!({ "toolCallId": "c" }), once_or_not());
    let row = world.store.decisions.values().next().unwrap();
    assert_eq!((row.actor, row.reply), (Some(Actor::Rule), Some(PermissionReply::Reject)));
    assert_eq!(row.permission().unwrap().permission, "bash");
    assert_eq!(row.permission().unwrap().patterns, ["cd x", "rm -rf ."]);
    assert_eq!(row.permission().unwrap().metadata["rawInput"]["command"], "cd x && rm -rf .");
    assert_eq!(row.permission().unwrap().metadata["title"], "Remove");
    assert_eq!(row.permission().unwrap().tool.as_ref().unwrap().call_id, "c");
}

/// A world in which nobody answers, with its run and what is asked.
fn unanswered(allows: bool) -> (World, DecisionId) {
    let (mut world, _) = World::running("a");
    world.policy =
        Policy { decision_timeout_ms: Some(700), decision_timeout_allows: allows, ..Policy::default() };
    let asked = world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "ls" } }));
    (world, asked)
}

#[test]
fn what_nobody_answers_in_time_is_answered_as_the_policy_says() {
    for (allows, reply, option) in [(false, "reject", "no"), (true, "once", "yes")] {
        let (mut world, asked) = unanswered(allows);
        let request = request(&world, &asked).clone();
        assert_eq!((request.asked_at, request.expires_at), (Some(1_000), Some(1_700)));
        world.wake();
        assert_eq!(world.now, 1_700);
        assert_eq!(row(&world, &asked), format!("indeterminate {reply} timeout -"));
        let answered = world.effects.last().unwrap();
        assert!(
            matches!(answered, Effect::AnswerDecision { given: Given::Option(given), .. } if given == option),
            "{answered:?}"
        );
        assert_eq!(world.machine.deadline(&world.me, &world.limits, &world.policy), None, "once");
        let late = world.decide(&asked, PermissionReply::Once);
        assert_eq!(late.is_ok(), allows, "a person came too late: the same answer is its receipt");
    }
}

#[test]
fn a_decision_without_a_limit_waits_for_ever() {
    let (mut world, _) = World::running("a");
    let asked = world.ask(json!({ "toolCallId": "c", "kind": "execute" }));
    assert_eq!(request(&world, &asked).expires_at, None);
    assert_eq!(world.machine.deadline(&world.me, &world.limits, &world.policy), None);
}

#[test]
fn an_allowed_timeout_without_an_option_for_just_once_is_a_rejection() {
    let (mut world, _) = World::running("a");
    world.policy =
        Policy { decision_timeout_ms: Some(700), decision_timeout_allows: true, ..Policy::default() };
    let wide = json!([{ "optionId": "always", "name": "Always", "kind": "allow_always" }]);
    world.ask_with(json!({ "toolCallId": "c", "kind": "execute" }), wide);
    let asked = world.pending().pop().unwrap();
    world.wake();
    assert_eq!(row(&world, &asked), "indeterminate reject timeout -");
    world.end("cancelled");
    let run = world.store.runs.last().unwrap();
    assert_eq!(run.error.as_ref().unwrap().code, "permission_denied");
}

/// Rejects what waits, and says something with it.
fn reject_saying(world: &mut World, message: &str) {
    let asked = world.pending().pop().unwrap();
    let reject = reply_to(&asked, PermissionReply::Reject, Some(message));
    world.command(world.decision_of(reject)).unwrap();
}

#[test]
fn what_is_said_with_a_rejection_is_the_next_turn_of_the_run() {
    for stop_reason in ["end_turn", "cancelled"] {
        let (mut world, run) = World::running("a");
        let waits = world.prompt("b", "waits");
        assert_eq!(waits, run);
        world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "make" } }));
        reject_saying(&mut world, " use ninja ");
        world.end(stop_reason);
        assert_eq!(world.receipt(&run).state, openscience_protocol::RunState::Running, "{stop_reason}");
        world.start();
        let Some(Effect::SendPrompt { blocks, .. }) = world.effects.last() else { panic!("nothing is sent") };
        let texts: Vec<Value> = blocks.iter().map(|block| json!(block)["text"].clone()).collect();
        assert_eq!(texts, ["use ninja", "waits"]);
        world.end("end_turn");
        let receipt = world.receipt(&run);
        assert_eq!((receipt.state.as_str(), receipt.error), ("completed", None));
    }
}

#[test]
fn a_turn_that_ends_over_a_rejection_without_words_ends_its_run() {
    let (mut world, run) = World::running("a");
    world.prompt("b", "waits");
    world.ask(json!({ "toolCallId": "c", "kind": "execute", "rawInput": { "command": "make" } }));
    reject_saying(&mut world, "  ");
    world.end("cancelled");
    assert_eq!(world.receipt(&run).error.unwrap().code, "permission_denied");
}

fn make(call: &str, command: &str) -> Value {
    json!({ "toolCallId": call, "kind": "execute", "rawInput": { "command": command } })
}

#[test]
fn a_wider_answer_is_remembered_and_covers_exactly_what_was_asked() {
    let (mut world, _) = World::running("a");
    let asked = world.ask(make("c", "make && ls"));
    assert_eq!(request(&world, &asked).always, ["make && ls"]);
    world.decide(&asked, PermissionReply::Session).unwrap();
    let granted: Vec<&str> = world.store.grants.iter().map(|grant| grant.pattern.as_str()).collect();
    assert_eq!(granted, ["make && ls"]);
    world.ask_with(make("d", "make && ls"), once_or_not());
    let covered = world.store.decisions.values().last().unwrap();
    assert_eq!((covered.actor, covered.reply), (Some(Actor::Grant), Some(PermissionReply::Once)));
    assert!(
        matches!(world.effects.last(), Some(Effect::AnswerDecision { given: Given::Option(option), .. }) if option == "yes"),
        "only ever the agent's own one-shot option"
    );
    for other in ["make", "ls", "ls && make", "make && ls -a", "m*", "make && ls > out"] {
        let before = world.pending().len();
        world.ask_with(make("e", other), once_or_not());
        assert_eq!(world.pending().len(), before + 1, "{other}");
    }
}

#[test]
fn how_far_a_grant_reaches_depends_on_the_scope_and_on_what_is_granted() {
    let fetch = json!({ "toolCallId": "c", "kind": "fetch", "rawInput": { "url": "https://a.org" } });
    let cases = [
        (PermissionReply::Session, make("c", "ls"), GrantScope::Session),
        (PermissionReply::Project, make("c", "ls"), GrantScope::Project),
        (PermissionReply::Always, make("c", "ls"), GrantScope::Project),
        (PermissionReply::Always, fetch, GrantScope::Always),
    ];
    for (reply, call, scope) in cases {
        let (mut world, _) = World::running("a");
        let asked = world.ask(call);
        let before = world.effects.len();
        world.decide(&asked, reply).unwrap();
        assert_eq!(world.store.grants[0].scope, scope);
        let told = world.effects[before..].iter().any(|effect| matches!(effect, Effect::TellGrants));
        assert_eq!(told, scope != GrantScope::Session, "others may wait for the same");
    }
}

#[test]
fn a_grant_answers_what_waits_already() {
    let (mut world, _) = World::running("a");
    world.ask_with(make("c", "ls"), once_or_not());
    world.ask_with(make("d", "ls"), once_or_not());
    world.ask_with(make("e", "ls && pwd"), once_or_not());
    let [first, second, third] = <[DecisionId; 3]>::try_from(world.pending()).unwrap();
    world.decide(&first, PermissionReply::Project).unwrap();
    assert_eq!(row(&world, &second), "indeterminate once grant -");
    assert_eq!(world.pending(), [third], "not wholly covered");
    // Given in another session meanwhile.
    let mut elsewhere = world.store.grants[0].clone();
    (elsewhere.id, elsewhere.pattern) = ("per_x-0".to_owned(), "ls && pwd".to_owned());
    world.store.grants.push(elsewhere);
    world.command(Command::Cover(world.store.grants.clone())).unwrap();
    assert_eq!(world.pending(), []);
}

#[test]
fn a_grant_that_was_revoked_meanwhile_allows_nothing() {
    let (mut world, _) = World::running("a");
    let asked = world.ask(make("c", "ls"));
    world.decide(&asked, PermissionReply::Project).unwrap();
    let mut again =
        crate::world::asked(openscience_core::input::RequestKey(77), make("d", "ls"), once_or_not());
    if let Observation::PermissionAsked(ask) = &mut again {
        ask.grants.clone_from(&world.store.grants);
    }
    let draft = world.draft(&[Input::Observation(again)]);
    world.store.grants.clear();
    assert!(world.store.append(draft.append.as_ref().unwrap()).is_err(), "decided again, without it");
}

#[test]
fn a_denial_wins_over_a_grant_and_a_grant_over_the_wish_to_be_asked() {
    for (action, actor) in [("deny", Actor::Rule), ("ask", Actor::Grant)] {
        let (mut world, _) = World::running("a");
        let asked = world.ask(make("c", "ls"));
        world.decide(&asked, PermissionReply::Always).unwrap();
        let rule = json!({ "permission": "bash", "pattern": "ls", "action": action });
        world.rules.push(serde_json::from_value(rule).unwrap());
        world.ask_with(make("d", "ls"), once_or_not());
        assert_eq!(world.store.decisions.values().last().unwrap().actor, Some(actor), "{action}");
    }
}

#[test]
fn a_command_granted_in_a_folder_of_its_own_stays_there() {
    let mut world = World::new();
    world.store.session.workspace = openscience_protocol::Workspace::Isolated;
    world.restart("own_1");
    world.prompt("a", "go");
    world.start();
    let asked = world.ask(make("c", "rm -rf -- *"));
    for wider in [PermissionReply::Project, PermissionReply::Always] {
        assert_eq!(world.decide(&asked, wider), Err(Refusal::ScopeNotAvailable));
    }
    // What another session was granted for the project's own directory.
    let id = "per_x-0".to_owned();
    let (permission, pattern) = ("bash".to_owned(), "rm -rf -- *".to_owned());
    world.store.grants.push(GrantRow { id, scope: GrantScope::Project, permission, pattern, created: 1 });
    world.command(Command::Cover(world.store.grants.clone())).unwrap();
    assert_eq!(world.pending(), std::slice::from_ref(&asked));
    world.decide(&asked, PermissionReply::Session).unwrap();
    world.ask_with(make("d", "rm -rf -- *"), once_or_not());
    assert_eq!(world.pending(), []);
}
