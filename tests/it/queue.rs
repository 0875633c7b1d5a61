//! What becomes of prompts that come while a run is live?

use std::collections::BTreeMap;
use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Daemon, Prompt, Serve, Session, Transcript, eventually, scripted};

/// A prompt that joins; its turn.
async fn join(session: Session<'_>, text: &str) -> String {
    let accepted = session.submit(&Prompt::text(text)).await.json(202);
    accepted["turnID"].as_str().unwrap_or_else(|| panic!("no follow-up: {accepted}")).to_owned()
}

/// Ids of the turns that wait.
async fn waiting(session: Session<'_>) -> Vec<String> {
    let queue = session.daemon.get(&format!("/session/{}/queue", session.id())).await.json(200);
    let turns = queue["turns"].as_array().expect("turns").iter();
    turns.map(|turn| turn["id"].as_str().expect("an id").to_owned()).collect()
}

/// The state of one turn of a run.
async fn turn(session: Session<'_>, run: &str, turn: &str) -> Value {
    let path = format!("/runtime/run?sessionID={}&runID={run}&turnID={turn}", session.id());
    session.daemon.get(&path).await.json(200)["turn"].clone()
}

/// How often each user message is answered.
fn answered(messages: &[Value]) -> BTreeMap<String, usize> {
    let infos = || messages.iter().map(|message| &message["info"]);
    let id = |value: &Value| value.as_str().expect("an id").to_owned();
    let mut counts: BTreeMap<String, usize> =
        infos().filter(|info| info["role"] == "user").map(|info| (id(&info["id"]), 0)).collect();
    for parent in infos().filter_map(|info| info["parentIDs"].as_array()).flatten() {
        *counts.get_mut(&id(parent)).expect("a user message") += 1;
    }
    counts
}

#[tokio::test]
async fn follow_ups_join_the_live_run_and_share_its_receipt() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let first = session.submit(&Prompt::text("say 40 10")).await.json(202);
    assert_eq!(first.get("turnID"), None, "{first}");
    let run = first["runID"].as_str().expect("an id");
    session.running(run).await;
    let prompt = Prompt::text("say 2").key("second");
    let second = session.submit(&prompt).await.json(202);
    assert_eq!((&second["runID"], &second["acceptedAt"]), (&first["runID"], &first["acceptedAt"]));
    let third = join(session, "say 3").await;
    assert_eq!(session.submit(&prompt).await.json(202), second, "a retry adds nothing");
    session.submit(&Prompt::text("else").key("second")).await.refusal(409, "request_conflict");
    let receipt = session.settled(run).await;
    assert_eq!(receipt["state"], "completed");
    assert_eq!(session.snapshot().await["runs"].as_array().map(Vec::len), Some(1));
    let second_turn = second["turnID"].as_str().expect("a turn");
    assert_eq!(turn(session, run, second_turn).await["state"], "completed");
    let coalesced = json!({"id": third, "state": "coalesced", "intoTurnID": second_turn});
    assert_eq!(turn(session, run, &third).await, coalesced);
    let missing = format!("/runtime/run?sessionID={id}&runID={run}&turnID=trn_none");
    daemon.get(&missing).await.refusal(404, "turn_not_found");
    let messages = session.messages().await;
    assert!(answered(&messages).values().all(|count| *count == 1), "{messages:?}");
    assert_eq!(messages.len(), 5, "three prompts and two answers");
    assert_eq!(session.submit(&prompt).await.json(202), second, "also when all is over");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_prompt_during_a_cancel_gets_a_run_of_its_own_which_starts_after_it() {
    let daemon = Serve::new().config(json!({"limits": {"cancelEscalateMs": 500}})).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let first = session.say("say 1\nignore-cancel\nhang").await;
    session.running(&first).await;
    session.cancel(&first).await.json(200);
    let next = session.say("say 2").await;
    assert_ne!(next, first);
    assert!(
        ["accepted", "running", "completed"]
            .contains(&session.run(&next).await["state"].as_str().expect("a state"))
    );
    assert_eq!(session.settled(&first).await["state"], "cancelled");
    assert_eq!(session.settled(&next).await["state"], "completed");
    session.assert_transcript_is_told().await;
    let events = session.events(0).await;
    let end = |run: &str| events.iter().position(|event| event.is_terminal() && event.run_id == run);
    assert!(end(&first) < end(&next));
    assert_eq!(events.iter().filter(|event| event.is_terminal()).count(), 2);
}

#[tokio::test]
async fn the_queue_can_be_read_emptied_and_told_how_to_deliver() {
    let daemon = Daemon::start().await;
    let id = daemon.create(&json!({"workspace": "project", "queue": {"delivery": "sequential"}})).await;
    let session = daemon.session(&id);
    let path = format!("/session/{id}/queue");
    assert_eq!(daemon.get(&path).await.json(200), json!({"delivery": "sequential", "turns": []}));
    let run = session.say("say 1\nhang").await;
    session.running(&run).await;
    let (a, b, c) =
        (join(session, "say 1").await, join(session, "say 2").await, join(session, "say 3").await);
    assert_eq!(waiting(session).await, [a.clone(), b.clone(), c.clone()]);
    let one = daemon.get(&format!("{path}/{b}")).await.json(200);
    assert_eq!((&one["position"], &one["status"], &one["runID"]), (&json!(1), &json!("ready"), &json!(run)));
    assert_eq!(daemon.delete(&format!("{path}/{b}")).await.json(200), json!({"id": b, "state": "withdrawn"}));
    daemon.delete(&format!("{path}/{b}")).await.refusal(409, "turn_not_queued");
    daemon.get(&format!("{path}/{b}")).await.refusal(409, "turn_not_queued");
    daemon.get(&format!("{path}/trn_none")).await.refusal(404, "turn_not_found");
    daemon.delete(&format!("{path}/trn_none")).await.refusal(404, "turn_not_found");
    assert_eq!(daemon.delete(&path).await.json(200), json!({"withdrawn": 2}));
    assert_eq!(waiting(session).await, Vec::<String>::new());
    let set = daemon.put(&path, &json!({"delivery": "coalesce"})).await.json(200);
    assert_eq!(set["delivery"], "coalesce");
    daemon.put(&path, &json!({"delivery": "pigeon"})).await.refusal(400, "invalid_request");
    daemon.put(&path, &json!({})).await.refusal(400, "invalid_request");
    daemon.get("/session/ses_none/queue").await.refusal(404, "session_not_found");
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_cancelled_turn_gives_way_to_the_next_and_a_turn_sent_now_overtakes() {
    let daemon = Daemon::start().await;
    let id = daemon.create(&json!({"workspace": "project", "queue": {"delivery": "sequential"}})).await;
    let session = daemon.session(&id);
    let run = session.say("say 1\nhang").await;
    session.running(&run).await;
    let (b, c) = (join(session, "say 2\nhang").await, join(session, "say 3\nhang").await);
    let send = format!("/session/{id}/queue/{c}/send-now");
    assert_eq!(daemon.post(&send, &json!({})).await.json(200)["id"], c.as_str());
    let is = async |id: &str, state: &str| {
        eventually("the turn moves on", async || {
            (turn(session, &run, id).await["state"] == state).then_some(())
        })
        .await;
    };
    is(&c, "active").await;
    assert_eq!(waiting(session).await, std::slice::from_ref(&b));
    daemon.post(&send, &json!({})).await.refusal(409, "turn_not_queued");
    daemon.post(&format!("/session/{id}/turn/{c}/cancel"), &json!({})).await.json(200);
    is(&b, "active").await;
    assert_eq!(turn(session, &run, &c).await["state"], "cancelled");
    let over = daemon.post(&format!("/session/{id}/turn/{c}/cancel"), &json!({})).await.json(200);
    assert_eq!(over, json!({"id": c, "state": "cancelled"}));
    assert_eq!(session.run(&run).await["state"], "running", "the run goes on");
    daemon.post(&format!("/session/{id}/turn/{b}/cancel"), &json!({})).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    daemon
        .post(&format!("/session/{id}/turn/trn_none/cancel"), &json!({}))
        .await
        .refusal(404, "turn_not_found");
    assert!(Transcript::text_of(session.messages().await.last().expect("an answer")).contains("w2"));
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_full_queue_refuses_and_keeps_nothing() {
    let serve = Serve::new().config(json!({"limits": {"maxWaitingTurns": 2}}));
    let daemon = serve.start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 1\nhang").await;
    session.running(&run).await;
    join(session, "say 1").await;
    let second = join(session, "say 2").await;
    let refused = Prompt::text("say 3").key("third");
    session.submit(&refused).await.refusal(409, "queue_full");
    let messages = session.messages().await.len();
    daemon.delete(&format!("/session/{id}/queue/{second}")).await.json(200);
    let accepted = session.submit(&refused).await.json(202);
    assert_eq!(accepted["runID"], run.as_str(), "the refused key is free");
    assert_eq!(session.messages().await.len(), messages + 1);
}

/// Prompts are sent while the turn before them ends, at every distance from it.
#[tokio::test]
async fn every_prompt_that_races_an_end_is_answered_once() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for round in 0_u64..40 {
        let prompts = (0..3).map(|number| async move {
            tokio::time::sleep(Duration::from_millis(round * number % 23)).await;
            let key = format!("{round}-{number}");
            session.submit(&Prompt::text("text done").key(&key)).await.json(202)
        });
        for accepted in join_all(prompts).await {
            let run = accepted["runID"].as_str().expect("an id");
            assert_eq!(session.settled(run).await["state"], "completed", "{accepted}");
        }
    }
    let counts = answered(&session.messages().await);
    assert_eq!(counts.len(), 120);
    assert!(counts.values().all(|count| *count == 1), "{counts:?}");
    let sent: usize = log
        .received("session/prompt")
        .iter()
        .map(|prompt| prompt["params"]["prompt"].as_array().map_or(0, Vec::len))
        .sum();
    assert_eq!(sent, 120, "each is sent once");
    let snapshot = session.snapshot().await;
    let terminals = session.events(0).await.iter().filter(|event| event.is_terminal()).count();
    assert_eq!(snapshot["runs"].as_array().map(Vec::len), Some(terminals));
}

#[tokio::test]
async fn a_prompt_through_another_daemon_joins_the_run_and_its_owner_answers_it() {
    let serve = Serve::new();
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.new_session().await;
    let run = one.session(&id).say("say 60 10").await;
    two.session(&id).running(&run).await;
    let prompt = Prompt::text("say 7").key("elsewhere");
    let joined = two.session(&id).submit(&prompt).await.json(202);
    assert_eq!(joined["runID"], run.as_str());
    let path = format!("/session/{id}/queue/{}", joined["turnID"].as_str().expect("a turn"));
    let refusal = two.delete(&path).await.refusal(409, "run_not_owned");
    assert_eq!(refusal["url"], one.url.as_str());
    assert_eq!(two.session(&id).settled(&run).await["state"], "completed");
    let messages = two.session(&id).messages().await;
    assert!(answered(&messages).values().all(|count| *count == 1), "{messages:?}");
    assert_eq!(one.session(&id).submit(&prompt).await.json(202), joined);
    one.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_prompt_through_another_daemon_during_a_cancel_is_run_there_afterwards() {
    let serve = Serve::new().config(json!({"limits": {"cancelEscalateMs": 500}}));
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.new_session().await;
    let first = one.session(&id).say("say 1\nignore-cancel\nhang").await;
    one.session(&id).running(&first).await;
    one.session(&id).cancel(&first).await.json(200);
    let next = two.session(&id).say("say 4").await;
    assert_ne!(next, first);
    assert_eq!(two.session(&id).settled(&next).await["state"], "completed");
    assert_eq!(one.session(&id).run(&first).await["state"], "cancelled");
    two.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_run_that_waits_for_one_of_a_killed_daemon_is_executed_by_its_own() {
    let serve = Serve::new();
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.new_session().await;
    let first = one.session(&id).say("say 1\nignore-cancel\nhang").await;
    one.session(&id).running(&first).await;
    one.session(&id).cancel(&first).await.json(200);
    let next = two.session(&id).say("say 4").await;
    assert_eq!(two.session(&id).run(&next).await["state"], "accepted");
    one.crash().await;
    assert_eq!(two.session(&id).settled(&next).await["state"], "completed");
    assert_eq!(two.session(&id).run(&first).await["state"], "cancelled");
    two.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn what_waited_in_a_killed_daemon_is_withdrawn_and_its_receipt_is_that_of_the_run() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let run = daemon.session(&id).say("say 3\nhang").await;
    daemon.session(&id).running(&run).await;
    let prompt = Prompt::text("say 2").key("waits");
    let joined = daemon.session(&id).submit(&prompt).await.json(202);
    let daemon = daemon.crash().await.start().await;
    let session = daemon.session(&id);
    assert_eq!(session.run(&run).await["state"], "interrupted");
    assert_eq!(turn(session, &run, joined["turnID"].as_str().expect("a turn")).await["state"], "withdrawn");
    assert_eq!(session.submit(&prompt).await.json(202), joined, "nothing is executed again");
    assert_eq!(session.messages().await.len(), 3, "its message stays");
    assert_eq!(session.finish("say 1").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

/// What one agent is asked with: a model, which it takes its time to set.
fn model(id: &str) -> Value {
    json!({"providerID": "p", "modelID": id})
}

/// More is said than anybody takes at once, before the agent answers.
#[tokio::test]
async fn an_agent_that_talks_on_while_it_is_configured_does_not_wait_for_itself() {
    let serve = Serve::new();
    let (mut config, _log) = scripted(&serve.world, &["--models", "p/a,p/b", "--slow-config", "700"]);
    config["limits"] = json!({"openTimeoutMs": 1_500});
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("text first\nwait 100\nlate 400 350").await;
    session.running(&run).await;
    let prompt = Prompt::text("text second").with("model", model("b"));
    let joined = session.submit(&prompt).await.json(202);
    assert_eq!(joined["runID"], run.as_str());
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(session.answer(&receipt).await, "second");
}

#[tokio::test]
async fn the_end_of_a_turn_that_does_not_end_spares_the_one_that_is_made_ready_beside_it() {
    let serve = Serve::new();
    let (mut config, _log) = scripted(&serve.world, &["--models", "p/a,p/b", "--slow-config", "600"]);
    config["limits"] = json!({"cancelEscalateMs": 300, "cancelSettleMs": 1_000});
    let daemon = serve.config(config).start().await;
    let (stuck, other) = (daemon.new_session().await, daemon.new_session().await);
    let run = daemon.session(&stuck).say("text going\nignore").await;
    daemon.session(&stuck).running(&run).await;
    daemon.session(&stuck).stream(0).await.until(|event| event.properties["part"]["text"] == "going").await;
    daemon.session(&stuck).cancel(&run).await.json(200);
    let prompt = Prompt::text("text fine").with("model", model("b"));
    let next = daemon.session(&other).prompt(&prompt).await;
    let receipt = daemon.session(&other).settled(&next).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(daemon.session(&stuck).settled(&run).await["state"], "cancelled");
}

/// What comes late of a turn that is over belongs to its answer, also if the queue was changed elsewhere
/// meanwhile.
#[tokio::test]
async fn the_late_end_of_a_tool_is_its_own_turns_also_if_another_daemon_wrote_meanwhile() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let serve = serve.config(config);
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.create(&json!({"workspace": "project", "queue": {"delivery": "sequential"}})).await;
    let session = one.session(&id);
    let run = session.say("text first\nbegin T1\nwait 100").await;
    session.running(&run).await;
    let second = join(session, "text second\nwait 500\nend T1\ntext more").await;
    eventually("the second turn runs", async || (log.received("session/prompt").len() == 2).then_some(()))
        .await;
    // The owner meets this when it writes next, and takes the rows up.
    let third = join(two.session(&id), "text third").await;
    eventually("the owner knows", async || waiting(session).await.contains(&third).then_some(())).await;
    session.stream(0).await.until(|event| event.properties["part"]["text"] == "second").await;
    assert_eq!(session.settled(&run).await["state"], "completed");
    assert_eq!(turn(session, &run, &second).await["state"], "completed");
    let messages = session.messages().await;
    let answers: Vec<&Value> =
        messages.iter().filter(|message| message["info"]["role"] == "assistant").collect();
    let kinds = |message: &Value| -> Vec<String> {
        let parts = message["parts"].as_array().expect("parts").iter();
        parts.map(|part| part["type"].as_str().expect("a type").to_owned()).collect()
    };
    let [first, second, _third] = answers[..] else { panic!("{messages:?}") };
    assert_eq!(kinds(first), ["step-start", "text", "tool", "step-finish"]);
    assert_eq!(kinds(second), ["step-start", "text", "step-finish"]);
    assert_eq!(Transcript::text_of(second), "secondmore");
}
