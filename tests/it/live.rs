//! Does a client without a cursor hear what happens, and can people see and end agent processes?

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Daemon, Live, Serve, eventually};

#[tokio::test]
async fn a_run_is_told_live_as_it_is_journaled() {
    let daemon = Daemon::start().await;
    let mut live = Live::open(daemon.request(Method::GET, "/event")).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("say 20\ntool read {}").await;
    let told = live.until(|fact| fact["type"] == "runtime.completed").await;
    let types: Vec<&str> = told.iter().filter_map(|fact| fact["type"].as_str()).take(2).collect();
    assert_eq!(types, ["server.connected", "session.created"]);
    let beside = |fact: &&Value| {
        let event_type = fact["type"].as_str().expect("a type");
        !event_type.starts_with("server.")
            && fact["properties"].get("info").is_none_or(|info| info.get("slug").is_none())
    };
    let told: Vec<Value> = told.iter().filter(beside).cloned().collect();
    let journaled: Vec<Value> = session
        .events(0)
        .await
        .into_iter()
        .map(|event| json!({"type": event.name, "properties": event.properties}))
        .collect();
    assert_eq!(told, journaled);
}

#[tokio::test]
async fn live_streams_of_all_projects_beat_and_end_with_the_daemon() {
    let daemon = Serve::new().config(json!({"limits": {"heartbeatMs": 20}})).start().await;
    let mut live = Live::open(daemon.request(Method::GET, "/global/event")).await;
    let told = live.until(|fact| fact["payload"]["type"] == "server.heartbeat").await;
    assert_eq!(told.first(), Some(&json!({"payload": {"type": "server.connected", "properties": {}}})));
    daemon.new_session().await;
    let told = live.until(|fact| fact["payload"]["type"] == "session.created").await;
    let directory = daemon.world().project().canonicalize().expect("a directory");
    assert_eq!(told.last().expect("a fact")["directory"], json!(directory));
    let (status, _) = daemon.stop().await;
    assert!(status.success(), "{status}");
    while live.next().await.is_some() {}
}

#[tokio::test]
async fn a_permission_is_answered_by_its_id_alone_and_the_first_answer_stays() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask make\nsay 1").await;
    let asked = session.permission().await;
    let path = format!("/permission/{}/reply", asked["id"].as_str().expect("an id"));
    daemon.post(&path, &json!({"reply": "forever"})).await.refused(400);
    assert_eq!(daemon.post(&path, &json!({"reply": "once"})).await.json(200), true);
    let receipt = session.settled(&run).await;
    assert!(session.answer(&receipt).await.contains("allowed"));
    assert_eq!(daemon.post(&path, &json!({"reply": "reject"})).await.json(200), true);

    let run = session.say("ask make").await;
    let asked = session.permission().await;
    session.cancel(&run).await.json(200);
    session.settled(&run).await;
    let path = format!("/permission/{}/reply", asked["id"].as_str().expect("an id"));
    daemon.post(&path, &json!({"reply": "once"})).await.refusal(409, "decision_expired");
}

#[tokio::test]
async fn an_agent_process_is_shown_and_can_be_ended_under_its_turn() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 5\nhang").await;
    let process = eventually("a prompt in flight", async || {
        let all = daemon.get("/agent/connection").await.json(200);
        all.as_array()?.iter().find(|process| process["promptInFlight"] == true).cloned()
    })
    .await;
    assert_eq!((&process["agent"], &process["status"]), (&json!("sim"), &json!("connected")), "{process}");
    assert!(process["capabilities"].is_object() && process["authMethods"].is_array(), "{process}");
    assert_eq!(process["sessionIds"].as_array().map(Vec::len), Some(1), "{process}");
    let pid = i32::try_from(process["pid"].as_i64().expect("a pid")).expect("a pid");
    assert!(daemon.agents().contains(&pid));

    let path = format!("/agent/connection/{}", process["id"].as_str().expect("an id"));
    assert_eq!(daemon.delete(&path).await.json(200), true);
    let receipt = session.settled(&run).await;
    assert_eq!((&receipt["state"], &receipt["error"]["code"]), (&json!("failed"), &json!("agent_exited")));
    assert!(!daemon.agents().contains(&pid));
    daemon.delete(&path).await.refusal(404, "connection_not_found");
    assert_eq!(daemon.get("/agent/connection").await.json(200), json!([]));
    assert_eq!(session.finish("say 1").await["state"], "completed");
}

#[tokio::test]
async fn work_that_begins_while_a_process_is_ended_ends_and_so_does_what_comes_after() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for round in 0..6 {
        session.finish("say 1").await;
        let processes = daemon.get("/agent/connection").await.json(200);
        let path = format!("/agent/connection/{}", processes[0]["id"].as_str().expect("a process"));
        let (ended, run) = tokio::join!(daemon.delete(&path), session.say("say 1"));
        assert_eq!(ended.json(200), true);
        let receipt = session.settled(&run).await;
        let failed = receipt["error"]["code"] == "agent_exited";
        assert!(receipt["state"] == "completed" || failed, "round {round}: {receipt}");
        assert_eq!(session.finish("say 2").await["state"], "completed", "round {round}");
        assert_eq!(daemon.agents().len(), 1, "round {round}");
    }
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn what_is_at_work_is_told_in_numbers() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 1\nhang").await;
    let stream = session.stream(0).await;
    let told = async || {
        let reply = daemon.get("/metrics").await;
        assert_eq!((reply.status, reply.header("content-type").starts_with("text/plain")), (200, true));
        reply.text()
    };
    let expected =
        ["openscience_live_runs 1", "openscience_subscribers 1", "openscience_agent_turns{agent=\"sim\"} 1"];
    eventually("the run is at work", async || {
        let text = told().await;
        expected.iter().all(|line| text.lines().any(|told| told == *line)).then_some(())
    })
    .await;
    drop(stream);
    session.cancel(&run).await.json(200);
    session.settled(&run).await;
    assert!(told().await.lines().any(|line| line == "openscience_live_runs 0"));
}
