//! Does every permission get exactly one answer, from whoever may give it, and does none stay behind?

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Daemon, Event, Prompt, Serve, Session, eventually, kill, scripted};

fn id_of(permission: &Value) -> &str {
    permission["id"].as_str().expect("a decision id")
}

/// Events of one type, in order.
fn of_type(events: &[Event], event_type: &str) -> Vec<Value> {
    events.iter().filter(|event| event.is(event_type)).map(|event| event.properties.clone()).collect()
}

#[tokio::test]
async fn an_asked_permission_is_shown_everywhere_and_answered_once() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask \"rm -r build\"\nsay 1").await;
    let asked = session.permission().await;
    assert_eq!((&asked["permission"], &asked["patterns"]), (&json!("bash"), &json!(["rm -r build"])));
    assert_eq!(
        (&asked["sessionID"], &asked["metadata"]["rawInput"]),
        (&json!(id), &json!({"command": "rm -r build"}))
    );
    assert_eq!(daemon.get("/permission").await.json(200), json!([asked]));
    assert_eq!(of_type(&session.events(0).await, "permission.asked"), std::slice::from_ref(&asked));
    let result = session.reply(id_of(&asked), "once").await.json(200);
    assert_eq!((&result["status"], &result["requestID"]), (&json!("resolved"), &asked["id"]));
    assert!(result["decidedAt"].is_i64() && result["sessionID"] == id);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed");
    assert!(session.answer(&receipt).await.contains("allowed"));
    assert_eq!(session.snapshot().await["permissions"], json!([]));
    assert_eq!(daemon.get("/permission").await.json(200), json!([]));
    let replied = of_type(&session.events(0).await, "permission.replied");
    assert_eq!(
        replied,
        [json!({"sessionID": id, "requestID": asked["id"], "reply": "once", "actor": "person"})]
    );
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_rejection_does_not_end_a_turn_that_goes_on() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask bash\nsay 2").await;
    let asked = session.permission().await;
    session.reply(id_of(&asked), "reject").await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!((&receipt["state"], receipt.get("error")), (&json!("completed"), None));
    assert!(session.answer(&receipt).await.contains("rejected"));
    let turn = of_type(&session.events(0).await, "turn.updated").pop().expect("a turn");
    assert_eq!(turn["error"]["code"], "permission_denied", "{turn}");
    let messages = session.messages().await;
    let parts = messages.last().expect("an answer")["parts"].as_array().expect("parts").clone();
    let tool = parts.iter().find(|part| part["type"] == "tool").expect("a tool part");
    assert_eq!(tool["state"]["status"], "error", "{tool}");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_agent_that_stops_after_a_rejection_says_permission_denied_not_cancelled() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("text before\nask 1\nstop cancelled").await;
    let asked = session.permission().await;
    session.reply(id_of(&asked), "reject").await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("permission_denied"))
    );
}

#[tokio::test]
async fn a_repeated_answer_gets_its_receipt_and_another_one_is_refused() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let run = daemon.session(&id).say("ask bash").await;
    let asked = daemon.session(&id).permission().await;
    let first = daemon.session(&id).reply(id_of(&asked), "once").await.json(200);
    let check = async |session: Session<'_>| {
        assert_eq!(session.reply(id_of(&asked), "once").await.json(200), first);
        let conflict = session.reply(id_of(&asked), "reject").await.refusal(409, "decision_conflict");
        assert_eq!(conflict["error"], "decision_conflict");
        session.reply(id_of(&asked), "always").await.refusal(409, "decision_conflict");
    };
    check(daemon.session(&id)).await;
    daemon.session(&id).settled(&run).await;
    check(daemon.session(&id)).await;
    let daemon = daemon.stop().await.1.start().await;
    check(daemon.session(&id)).await;
}

#[tokio::test]
async fn a_wrong_address_consumes_nothing() {
    let daemon = Daemon::start().await;
    let (id, other) = (daemon.new_session().await, daemon.new_session().await);
    let session = daemon.session(&id);
    let run = session.say("ask bash").await;
    let asked = session.permission().await;
    session.reply("per_unknown", "once").await.refusal(409, "decision_expired");
    daemon.session(&other).reply(id_of(&asked), "once").await.refusal(409, "decision_expired");
    daemon.session("ses_nobody").reply(id_of(&asked), "once").await.refusal(404, "session_not_found");
    let body = |extra: Value| {
        let mut body =
            json!({"kind": "permission", "sessionID": id, "requestID": asked["id"], "reply": "once"});
        body.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
        body
    };
    for broken in [
        json!({"kind": "nothing"}),
        json!({"reply": "sometimes"}),
        json!({"requestID": "que_x"}),
        json!({"requestID": "foo"}),
        json!({"extra": 1}),
        json!({"message": "x".repeat(100_001)}),
    ] {
        daemon.post("/runtime/decision", &body(broken)).await.refused(400);
    }
    let project = daemon.world().folder("other").display().to_string();
    let elsewhere = format!("/runtime/decision?directory={}", crate::support::encode(&project));
    daemon.post(&elsewhere, &body(json!({}))).await.refusal(404, "session_not_found");
    assert_eq!(session.snapshot().await["permissions"], json!([asked]), "still pending");
    session.reply(id_of(&asked), "once").await.json(200);
    assert_eq!(session.settled(&run).await["state"], "completed");
}

#[tokio::test]
async fn a_scope_that_cannot_be_granted_is_refused_and_consumes_nothing() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask bash allow_always,reject_once").await;
    let asked = session.permission().await;
    for scope in ["session", "project", "always"] {
        session.reply(id_of(&asked), scope).await.refusal(400, "scope_not_available");
    }
    session.reply(id_of(&asked), "once").await.refused(400);
    assert_eq!(session.snapshot().await["permissions"], json!([asked]));
    session.reply(id_of(&asked), "reject").await.json(200);
    let receipt = session.settled(&run).await;
    assert!(session.answer(&receipt).await.contains("rejected"), "never the agent's own allow_always");
}

#[tokio::test]
async fn the_agent_gets_its_own_one_shot_option() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for (reply, chosen) in [("once", "allow_once"), ("reject", "reject_once")] {
        let run = session.say("ask bash allow_always,reject_always,future_kind,reject_once,allow_once").await;
        let asked = session.permission().await;
        let options = asked["metadata"]["options"].as_array().expect("options").clone();
        assert_eq!(options.len(), 5, "all are shown");
        session.reply(id_of(&asked), reply).await.json(200);
        let receipt = session.settled(&run).await;
        let result = receipt["resultMessageID"].as_str().expect("a result");
        let text = daemon.get(&format!("/session/{id}/message/{result}")).await.text();
        let word = if reply == "once" { "allowed" } else { "rejected" };
        assert!(text.contains(word), "{chosen}: {text}");
    }
}

#[tokio::test]
async fn five_requests_in_one_write_are_answered_in_reverse_order_each_its_own() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask 5").await;
    let asked = session.permissions(5).await;
    let patterns: Vec<&Value> = asked.iter().map(|permission| &permission["patterns"][0]).collect();
    assert_eq!(patterns, ["echo 0", "echo 1", "echo 2", "echo 3", "echo 4"], "in the order they were asked");
    for permission in asked.iter().rev() {
        session.reply(id_of(permission), "once").await.json(200);
    }
    let receipt = session.settled(&run).await;
    assert_eq!(session.answer(&receipt).await, "chosen y es/1,y es/1,y es/1,y es/1,y es/1");
    let answers: Vec<Value> =
        log.entries().into_iter().filter(|entry| entry.get("method").is_none()).collect();
    let order: Vec<&Value> = answers.iter().map(|answer| &answer["id"]).collect();
    assert_eq!(order, ["ask-5", "ask-4", "ask-3", "ask-2", "ask-1"]);
}

#[tokio::test]
async fn a_rejection_refuses_what_else_is_pending() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask 3").await;
    let asked = session.permissions(3).await;
    session.reply(id_of(asked.get(1).expect("a second")), "reject").await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(session.answer(&receipt).await, "chosen n:o,n:o,n:o");
    let replied = of_type(&session.events(0).await, "permission.replied");
    assert!(replied.iter().all(|reply| reply["reply"] == "reject"), "{replied:?}");
    assert_eq!(replied.len(), 3);
}

#[tokio::test]
async fn twenty_identical_answers_at_once_reach_the_agent_once() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask 1").await;
    let asked = session.permission().await;
    let replies = join_all((0..20).map(|_| session.reply(id_of(&asked), "once"))).await;
    let first = replies.first().expect("replies").json(200);
    assert!(replies.iter().all(|reply| reply.json(200)["decidedAt"] == first["decidedAt"]));
    assert_eq!(session.settled(&run).await["state"], "completed");
    let answers = log.entries().into_iter().filter(|entry| entry.get("method").is_none()).count();
    assert_eq!(answers, 1);
}

#[tokio::test]
async fn rules_decide_before_anyone_is_asked() {
    let configured =
        json!({"permission": {"webfetch": "deny", "bash": {"git *": "allow", "git push*": "deny"}}});
    let daemon = Serve::new().config(configured).start().await;
    let ruleset = json!([
        {"permission": "bash", "pattern": "ls*", "action": "allow"},
        {"permission": "bash", "pattern": "rm *", "action": "deny"},
        {"permission": "bash", "pattern": "git status", "action": "deny"},
    ]);
    let id = daemon.create(&json!({"workspace": "project", "permission": ruleset})).await;
    let session = daemon.session(&id);
    let decided = async |command: &str| {
        let cursor = session.latest().await;
        let receipt = session.finish(&format!("ask \"{command}\"")).await;
        assert_eq!(receipt["state"], "completed", "{command}");
        let events = session.events(cursor).await;
        assert_eq!(of_type(&events, "permission.asked"), Vec::<Value>::new(), "{command}: nobody is asked");
        let replied = of_type(&events, "permission.replied");
        let [reply] = replied.as_slice() else { panic!("{command}: {replied:?}") };
        assert_eq!(reply["actor"], "rule", "{command}");
        session.answer(&receipt).await.trim().to_owned()
    };
    assert_eq!(decided("ls -la").await, "allowed");
    assert_eq!(decided("rm -r /").await, "rejected");
    assert_eq!(decided("git log").await, "allowed", "the configuration speaks where the session is silent");
    assert_eq!(decided("git push origin").await, "rejected", "the most specific rule");
    assert_eq!(decided("git status").await, "rejected", "a denial of any source wins");
    let run = session.say("ask make").await;
    let asked = session.permission().await;
    assert_eq!(asked["patterns"], json!(["make"]), "no rule: a person is asked");
    session.reply(id_of(&asked), "once").await.json(200);
    session.settled(&run).await;
}

#[tokio::test]
async fn cancel_exit_and_deletion_close_what_is_pending() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let closed = async |asked: &Value, reason: &str| {
        eventually("nothing is pending", async || {
            let snapshot = session.snapshot().await;
            (snapshot["permissions"] == json!([])).then_some(())
        })
        .await;
        let events = session.events(0).await;
        let closing = of_type(&events, "permission.cancelled").pop().expect("an event");
        let expected = json!({"sessionID": id, "requestID": asked["id"], "reason": reason});
        assert_eq!(closing, expected);
        session.reply(id_of(asked), "once").await.refusal(409, "decision_expired");
        assert_eq!(daemon.get("/permission").await.json(200), json!([]));
    };
    let run = session.say("ask bash").await;
    let asked = session.permission().await;
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    closed(&asked, "cancelled").await;

    let run = session.say("ask bash").await;
    let asked = session.permission().await;
    for pid in daemon.agents() {
        kill(pid);
    }
    assert_eq!(session.settled(&run).await["error"]["code"], "agent_exited");
    closed(&asked, "agent_exited").await;

    session.say("ask bash").await;
    session.permission().await;
    assert_eq!(daemon.delete(&format!("/session/{id}")).await.json(200), json!(true));
    assert_eq!(daemon.get("/permission").await.json(200), json!([]));
}

#[tokio::test]
async fn a_pending_permission_does_not_survive_the_daemon_unseen() {
    for crash in [false, true] {
        let daemon = Daemon::start().await;
        let id = daemon.new_session().await;
        let prompt = Prompt::text("ask bash").key("k");
        let run = daemon.session(&id).prompt(&prompt).await;
        let asked = daemon.session(&id).permission().await;
        let serve = if crash { daemon.crash().await } else { daemon.stop().await.1 };
        let daemon = serve.start().await;
        let session = daemon.session(&id);
        assert_eq!(session.snapshot().await["permissions"], json!([]));
        assert_eq!(session.run(&run).await["state"], "interrupted");
        session.reply(id_of(&asked), "once").await.refusal(409, "decision_expired");
        let events = session.events(0).await;
        let closing = of_type(&events, "permission.cancelled");
        assert_eq!(closing, [json!({"sessionID": id, "requestID": asked["id"], "reason": "restart"})]);
        assert!(events.last().expect("events").is("runtime.failed"));
    }
}

/// Both came before anything was recorded.
#[tokio::test]
async fn a_request_that_is_taken_back_at_once_leaves_nothing_to_answer() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("takeback\nhang").await;
    let closing = eventually("it is closed", async || {
        let events = session.events(0).await;
        let asked = of_type(&events, "permission.asked").pop()?;
        of_type(&events, "permission.cancelled").pop().map(|closing| (asked, closing))
    })
    .await;
    let (asked, closing) = closing;
    assert_eq!((&closing["requestID"], &closing["reason"]), (&asked["id"], &json!("withdrawn")));
    assert_eq!(session.snapshot().await["permissions"], json!([]));
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
}

#[tokio::test]
async fn a_request_without_an_announced_call_is_asked_all_the_same() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask-first make").await;
    let asked = session.permission().await;
    assert!(asked["tool"]["callID"].is_string(), "{asked}");
    session.reply(id_of(&asked), "once").await.json(200);
    session.settled(&run).await;
    let messages = session.messages().await;
    let parts = messages.last().expect("an answer")["parts"].as_array().expect("parts").clone();
    let tools: Vec<&Value> = parts.iter().filter(|part| part["type"] == "tool").collect();
    let [tool] = tools.as_slice() else { panic!("not one tool part: {parts:?}") };
    assert_eq!((&tool["callID"], &tool["state"]["status"]), (&asked["tool"]["callID"], &json!("completed")));
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_permission_nobody_answers_in_time_is_answered_by_the_policy() {
    for outcome in ["reject", "once"] {
        let config = json!({"decisionTimeoutMs": 300, "decisionTimeoutOutcome": outcome});
        let daemon = Serve::new().config(config).start().await;
        let id = daemon.new_session().await;
        let session = daemon.session(&id);
        let run = session.say("ask make\nsay 1").await;
        let asked = session.permission().await;
        let limit =
            asked["expiresAt"].as_i64().expect("a limit") - asked["askedAt"].as_i64().expect("a time");
        assert_eq!(limit, 300, "{asked}");
        let receipt = session.settled(&run).await;
        assert_eq!(receipt["state"], "completed", "the simulator goes on either way: {receipt}");
        let events = session.events(0).await;
        let replied = events.iter().find(|event| event.is("permission.replied")).expect("an answer");
        assert_eq!(
            (&replied.properties["actor"], &replied.properties["reply"]),
            (&json!("timeout"), &json!(outcome))
        );
        session.assert_transcript_is_told().await;
    }
}

#[tokio::test]
async fn what_is_said_with_a_rejection_reaches_the_agent_as_the_next_turn() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask make").await;
    let asked = session.permission().await;
    let body = json!({
        "kind": "permission", "sessionID": id, "requestID": asked["id"], "reply": "reject", "message": "say 7",
    });
    let receipt = daemon.post("/runtime/decision", &body).await.json(200);
    assert_eq!(daemon.post("/runtime/decision", &body).await.json(200), receipt);
    let settled = session.settled(&run).await;
    assert_eq!(settled["state"], "completed");
    assert!(session.answer(&settled).await.ends_with("w7"));
    assert_eq!(session.messages().await.len(), 4, "said once");
    session.assert_transcript_is_told().await;
}

/// Prompts for a command; true if somebody was asked.
async fn is_asked(session: Session<'_>, command: &str) -> bool {
    let run = session.say(&format!("ask {command}")).await;
    let asked = eventually("it is asked or answered", async || {
        let snapshot = session.snapshot().await;
        if let Some(asked) = snapshot["permissions"][0]["id"].as_str() {
            session.reply(asked, "once").await.json(200);
            return Some(true);
        }
        (session.run(&run).await["state"] == "completed").then_some(false)
    })
    .await;
    session.settled(&run).await;
    asked
}

#[tokio::test]
async fn a_permission_is_given_for_a_session_or_a_project_listed_and_revoked() {
    let daemon = Daemon::start().await;
    let (one, two) = (daemon.new_session().await, daemon.new_session().await);
    let (one, two) = (daemon.session(&one), daemon.session(&two));
    for (scope, command, elsewhere) in [("session", "make", true), ("project", "ls", false)] {
        let run = one.say(&format!("ask {command}")).await;
        let asked = one.permission().await;
        assert_eq!(asked["always"], json!([command]), "{asked}");
        let id = asked["id"].as_str().expect("an id");
        let receipt = one.reply(id, scope).await.json(200);
        assert_eq!(one.reply(id, scope).await.json(200), receipt, "given once");
        one.reply(id, "once").await.refusal(409, "decision_conflict");
        one.settled(&run).await;
        assert!(!is_asked(one, command).await, "{scope}");
        assert_eq!(is_asked(two, command).await, elsewhere, "{scope}");
    }
    let standing = daemon.get("/permission/standing").await.json(200);
    let [grant] = standing.as_array().expect("grants").as_slice() else { panic!("only one: {standing}") };
    assert_eq!(
        (&grant["permission"], &grant["pattern"], &grant["scope"]),
        (&json!("bash"), &json!("ls"), &json!("project"))
    );
    let path = format!("/permission/standing/{}", grant["id"].as_str().expect("an id"));
    assert_eq!(daemon.delete(&path).await.json(200), json!(true));
    daemon.delete(&path).await.refusal(404, "grant_not_found");
    assert!(is_asked(two, "ls").await, "revoked");
    let events = one.events(0).await;
    let actors: Vec<&Value> = events
        .iter()
        .filter(|event| event.is("permission.replied"))
        .map(|event| &event.properties["actor"])
        .collect();
    assert_eq!(actors, ["person", "grant", "person", "grant"]);
    one.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_grant_of_the_project_answers_what_waits_in_another_session_and_survives_a_restart() {
    let daemon = Daemon::start().await;
    let (one, two) = (daemon.new_session().await, daemon.new_session().await);
    let waits = daemon.session(&two).say("ask make\nsay 2").await;
    daemon.session(&two).permission().await;
    daemon.session(&one).say("ask make").await;
    let asked = daemon.session(&one).permission().await;
    let id = asked["id"].as_str().expect("an id");
    daemon.session(&one).reply(id, "project").await.json(200);
    assert_eq!(daemon.session(&two).settled(&waits).await["state"], "completed", "nobody else was asked");
    let daemon = daemon.crash().await.start().await;
    assert!(!is_asked(daemon.session(&one), "make").await);
}
