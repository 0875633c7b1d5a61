//! Does every question get exactly one answer, and does none stay behind?

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Daemon, Event, Serve, Session, eventually, kill};

/// Events about questions, without their session: type and properties.
fn told(events: &[Event]) -> Vec<(String, Value)> {
    let events = events.iter().filter(|event| event.name.starts_with("question."));
    let events = events.map(|event| {
        let mut properties = event.properties.clone();
        let object = properties.as_object_mut().expect("an object");
        assert_eq!(object.remove("sessionID"), Some(json!(event.session_id)));
        (event.name.clone(), properties)
    });
    events.collect()
}

async fn asked(session: Session<'_>, directive: &str) -> (String, Value) {
    let run = session.say(directive).await;
    (run, session.question().await)
}

#[tokio::test]
async fn a_question_is_shown_everywhere_and_its_answer_reaches_the_agent() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let (run, asked) = asked(session, "question Which one? | red | blue").await;
    let options = json!([{"label": "red", "description": ""}, {"label": "blue", "description": ""}]);
    assert_eq!(
        asked["questions"],
        json!([{"question": "Which one?", "header": "Answer", "options": options, "custom": false}])
    );
    assert_eq!((&asked["sessionID"], asked.get("expiresAt")), (&json!(id), None));
    assert_eq!(daemon.get("/question").await.json(200), json!([asked]));
    assert_eq!(session.snapshot().await["permissions"], json!([]));
    let waiting = &session.run(&run).await["waiting"];
    assert_eq!(waiting, &json!({"decisions": [asked["id"]], "since": asked["askedAt"]}));

    for wrong in [json!([["green"]]), json!([]), json!([[]]), json!([["red", "blue"]])] {
        session.tell(&asked, &wrong).await.refusal(400, "invalid_answer");
    }
    let receipt = session.tell(&asked, &json!([["blue"]])).await.json(200);
    assert_eq!((&receipt["status"], &receipt["requestID"]), (&json!("resolved"), &asked["id"]));
    let settled = session.settled(&run).await;
    assert_eq!(session.answer(&settled).await, "answer: blue");
    assert_eq!(session.tell(&asked, &json!([["blue"]])).await.json(200), receipt);
    session.tell(&asked, &json!([["red"]])).await.refusal(409, "decision_conflict");
    session.dismiss(&asked).await.refusal(409, "decision_conflict");
    let mut request = asked.clone();
    request.as_object_mut().expect("an object").remove("sessionID");
    assert_eq!(
        told(&session.events(0).await),
        [
            ("question.asked".to_owned(), request),
            (
                "question.replied".to_owned(),
                json!({"requestID": asked["id"], "answers": [["blue"]], "actor": "person"})
            ),
        ]
    );
    assert_eq!(daemon.get("/question").await.json(200), json!([]));
    session.assert_transcript_is_told().await;
    // The receipt outlives the process.
    let daemon = daemon.stop().await.1.start().await;
    assert_eq!(daemon.session(&id).tell(&asked, &json!([["blue"]])).await.json(200), receipt);
}

#[tokio::test]
async fn a_dismissed_question_is_declined_and_the_turn_goes_on() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let (run, asked) = asked(session, "question Why?\nsay 1").await;
    assert_eq!(asked["questions"][0]["options"], json!([]));
    session.dismiss(&asked).await.json(200);
    let settled = session.settled(&run).await;
    assert_eq!(settled["state"], "completed", "{settled}");
    assert!(session.answer(&settled).await.contains("the question was declined"));
    let events = told(&session.events(0).await);
    let rejected = json!({"requestID": asked["id"], "actor": "person"});
    assert_eq!(events.last(), Some(&("question.rejected".to_owned(), rejected)));
}

#[tokio::test]
async fn a_question_is_answered_by_its_id_alone_and_the_first_answer_stays() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let (run, asked) = asked(session, "question Why?").await;
    let path = format!("/question/{}/reply", asked["id"].as_str().expect("an id"));
    daemon.post(&path, &json!({"answers": []})).await.refusal(400, "invalid_answer");
    for answer in ["because", "whatever"] {
        let reply = daemon.post(&path, &json!({"answers": [[answer]]})).await.json(200);
        assert_eq!(reply, json!(true));
    }
    let reject = path.replace("reply", "reject");
    assert_eq!(daemon.post(&reject, &json!({})).await.json(200), json!(true), "a stored receipt wins");
    let settled = session.settled(&run).await;
    assert_eq!(session.answer(&settled).await, "answer: because");
    let (_, asked) = self::asked(session, "question Again?").await;
    let reject = format!("/question/{}/reject", asked["id"].as_str().expect("an id"));
    assert_eq!(daemon.post(&reject, &json!({})).await.json(200), json!(true));
    daemon.post(&reject.replace("que_", "que_x"), &json!({})).await.refusal(409, "decision_expired");
}

#[tokio::test]
async fn a_wrong_address_consumes_nothing_and_twenty_answers_at_once_are_one() {
    let daemon = Daemon::start().await;
    let (id, other) = (daemon.new_session().await, daemon.new_session().await);
    let session = daemon.session(&id);
    let (run, asked) = asked(session, "question Why?").await;
    let answers = json!([["so"]]);
    daemon.session(&other).tell(&asked, &answers).await.refusal(409, "decision_expired");
    daemon.session("ses_nobody").tell(&asked, &answers).await.refusal(404, "session_not_found");
    session.tell(&json!({"id": "que_unknown"}), &answers).await.refusal(409, "decision_expired");
    session.tell(&json!({"id": "per_unknown"}), &answers).await.refusal(400, "invalid_request");
    assert_eq!(session.snapshot().await["questions"], json!([asked]), "still pending");
    let replies = join_all((0..20).map(|_| session.tell(&asked, &answers))).await;
    let first = replies.first().expect("replies").json(200);
    assert!(replies.iter().all(|reply| reply.json(200)["decidedAt"] == first["decidedAt"]));
    let settled = session.settled(&run).await;
    assert_eq!(session.answer(&settled).await, "answer: so");
}

#[tokio::test]
async fn cancel_exit_deletion_and_shutdown_close_what_is_asked() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let closed = async |session: Session<'_>, asked: &Value, reason: &str| {
        let events = told(&session.events(0).await);
        let expected = json!({"requestID": asked["id"], "reason": reason});
        assert_eq!(events.last(), Some(&("question.cancelled".to_owned(), expected)));
        session.tell(asked, &json!([["x"]])).await.refusal(409, "decision_expired");
        assert_eq!(session.daemon.get("/question").await.json(200), json!([]));
    };
    let (run, open) = asked(session, "question Why?").await;
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    closed(session, &open, "cancelled").await;

    let (run, open) = asked(session, "question Why?").await;
    daemon.agents().into_iter().for_each(kill);
    assert_eq!(session.settled(&run).await["error"]["code"], "agent_exited");
    closed(session, &open, "agent_exited").await;

    asked(session, "question Why?").await;
    assert_eq!(daemon.delete(&format!("/session/{id}")).await.json(200), json!(true));
    assert_eq!(daemon.get("/question").await.json(200), json!([]));

    let mut daemon = daemon;
    for crash in [false, true] {
        let id = daemon.new_session().await;
        let (run, open) = asked(daemon.session(&id), "question Why?").await;
        let serve = if crash { daemon.crash().await } else { daemon.stop().await.1 };
        daemon = serve.start().await;
        let session = daemon.session(&id);
        assert_eq!(session.run(&run).await["state"], "interrupted");
        closed(session, &open, "restart").await;
    }
}

#[tokio::test]
async fn a_question_nobody_answers_in_time_is_declined_whatever_the_policy_allows() {
    for outcome in ["reject", "once"] {
        let config = json!({"decisionTimeoutMs": 300, "decisionTimeoutOutcome": outcome});
        let daemon = Serve::new().config(config).start().await;
        let id = daemon.new_session().await;
        let session = daemon.session(&id);
        let (run, asked) = asked(session, "question Why?").await;
        assert_eq!(asked["expiresAt"].as_i64(), asked["askedAt"].as_i64().map(|asked| asked + 300));
        let settled = session.settled(&run).await;
        assert_eq!(session.answer(&settled).await, "the question was declined");
        let events = told(&session.events(0).await);
        let rejected = json!({"requestID": asked["id"], "actor": "timeout"});
        assert_eq!(events.last(), Some(&("question.rejected".to_owned(), rejected)));
    }
}

/// Sends a form by hand; what the agent was answered, as JSON.
async fn form(session: Session<'_>, params: &Value) -> String {
    let receipt = session.finish(&format!("call elicitation/create {params}")).await;
    session.answer(&receipt).await
}

#[tokio::test]
async fn what_cannot_be_asked_is_declined_with_a_reason_and_addresses_are_refused() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let schema = json!({"type": "object", "properties": {"a": {"type": "object"}}});
    let declined = form(session, &json!({"mode": "form", "message": "m", "requestedSchema": schema})).await;
    assert_eq!(declined, "elicitation/create: {\"action\":\"decline\"}");
    let events = told(&session.events(0).await);
    let [(name, rejected)] = events.as_slice() else { panic!("{events:?}") };
    assert_eq!((name.as_str(), &rejected["actor"]), ("question.rejected", &json!("policy")));
    assert_eq!(rejected["message"], "the form has a field of a kind that cannot be asked");
    for refused in [
        json!({"mode": "url", "message": "m", "url": "https://a.example", "elicitationId": "e"}),
        json!({"mode": "form", "message": "m"}),
        json!({"message": "m", "requestedSchema": {}}),
    ] {
        let answer = form(session, &refused).await;
        assert_eq!(answer, "elicitation/create failed: -32602 invalid params", "{refused}");
    }
    assert_eq!(told(&session.events(0).await).len(), 1, "nothing else was asked");
}

#[tokio::test]
async fn a_form_of_many_fields_is_one_request_with_a_question_for_each() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let properties = json!({
        "sure": {"type": "boolean", "title": "Sure?"},
        "several": {"type": "array", "items": {"anyOf": [
            {"const": "1", "title": "One"}, {"const": "2", "title": "Two"},
        ]}},
        "count": {"type": "integer", "minimum": 1},
        "note": {"type": "string"},
    });
    let schema =
        json!({"type": "object", "properties": properties, "required": ["sure", "several", "count"]});
    let params = json!({"mode": "form", "message": "Tell me.", "requestedSchema": schema});
    let (run, asked) = asked(session, &format!("call elicitation/create {params}")).await;
    let headers: Vec<&Value> = asked["questions"]
        .as_array()
        .expect("questions")
        .iter()
        .map(|question| &question["header"])
        .collect();
    assert_eq!(headers, ["Sure?", "several", "count", "note"]);
    let wrong = json!([["Yes"], ["One"], ["0"], []]);
    session.tell(&asked, &wrong).await.refusal(400, "invalid_answer");
    session.tell(&asked, &json!([["No"], ["Two", "One"], ["3"], []])).await.json(200);
    let settled = session.settled(&run).await;
    let answer = session.answer(&settled).await;
    let (_, answer) = answer.split_once(": ").expect("an answer");
    assert_eq!(
        serde_json::from_str::<Value>(answer).expect("JSON"),
        json!({"action": "accept", "content": {"sure": false, "several": ["2", "1"], "count": 3}})
    );
}

#[tokio::test]
async fn a_question_seen_through_another_daemon_names_its_owner_and_is_closed_by_a_cancel_there() {
    let serve = Serve::new();
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.new_session().await;
    let (run, asked) = asked(one.session(&id), "question Why?").await;
    let elsewhere = two.session(&id);
    assert_eq!(elsewhere.snapshot().await["questions"], json!([asked]));
    let refused = elsewhere.tell(&asked, &json!([["x"]])).await.refusal(409, "decision_not_owned");
    assert_eq!(refused["url"], json!(one.url));
    elsewhere.cancel(&run).await.json(200);
    eventually("it is closed", async || (elsewhere.snapshot().await["questions"] == json!([])).then_some(()))
        .await;
    elsewhere.tell(&asked, &json!([["x"]])).await.refusal(409, "decision_expired");
}

#[tokio::test]
async fn a_cancel_closes_the_questions_of_its_session_only() {
    let daemon = Daemon::start().await;
    let (one, two) = (daemon.new_session().await, daemon.new_session().await);
    let (stopped, _) = asked(daemon.session(&one), "question Why?").await;
    let (run, open) = asked(daemon.session(&two), "question Why?").await;
    daemon.session(&one).cancel(&stopped).await.json(200);
    daemon.session(&one).settled(&stopped).await;
    assert_eq!(daemon.get("/question").await.json(200), json!([open]), "one process serves both");
    daemon.session(&two).tell(&open, &json!([["so"]])).await.json(200);
    let settled = daemon.session(&two).settled(&run).await;
    assert_eq!(daemon.session(&two).answer(&settled).await, "answer: so");
}

#[tokio::test]
async fn after_decisions_nobody_made_and_after_an_interruption_the_next_prompt_is_admitted() {
    let daemon = Serve::new().config(json!({"decisionTimeoutMs": 100})).start().await;
    let id = daemon.new_session().await;
    for prompt in ["question Why?", "ask make", "ask make\nstop cancelled"] {
        daemon.session(&id).finish(prompt).await;
        assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed", "after {prompt}");
    }
    let run = daemon.session(&id).say("hang").await;
    daemon.session(&id).running(&run).await;
    let daemon = daemon.crash().await.start().await;
    assert_eq!(daemon.session(&id).run(&run).await["state"], "interrupted");
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
}
