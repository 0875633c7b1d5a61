//! Are agent processes stopped when nobody needs them and only then, kept within their limit, and shown as they are?

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{BINARY, Daemon, Serve, encode, eventually, kill};

/// A session of another project than the daemon's default one.
struct Elsewhere<'a> {
    daemon: &'a Daemon,
    query: String,
    session: String,
}

impl<'a> Elsewhere<'a> {
    async fn new(daemon: &'a Daemon, folder: &str) -> Self {
        let query = format!("directory={}", encode(&daemon.world().folder(folder).display().to_string()));
        let made =
            daemon.post(&format!("/session?{query}"), &json!({"workspace": "project"})).await.json(200);
        Self { daemon, query, session: made["id"].as_str().expect("an id").to_owned() }
    }

    async fn submit(&self, message: &str, extra: &Value) -> String {
        let mut body = json!({"sessionID": self.session, "effort": "normal", "message": message});
        body.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
        let accepted = self.daemon.post(&format!("/runtime/prompt?{}", self.query), &body).await.json(202);
        accepted["runID"].as_str().expect("an id").to_owned()
    }

    async fn say(&self, message: &str) -> String {
        self.submit(message, &json!({})).await
    }

    async fn run(&self, run: &str) -> Value {
        let path = format!("/runtime/run?{}&runID={run}&sessionID={}", self.query, self.session);
        self.daemon.get(&path).await.json(200)
    }

    async fn is(&self, run: &str, state: &str) -> Value {
        eventually(state, async || Some(self.run(run).await).filter(|receipt| receipt["state"] == state))
            .await
    }

    async fn cancel(&self, run: &str) {
        let body = json!({"sessionID": self.session, "runID": run});
        self.daemon.post(&format!("/runtime/cancel?{}", self.query), &body).await.json(200);
    }
}

async fn connections(daemon: &Daemon) -> Vec<Value> {
    daemon.get("/agent/connection").await.json(200).as_array().expect("an array").clone()
}

async fn connection_of(daemon: &Daemon, agent: &str) -> Option<Value> {
    connections(daemon).await.into_iter().find(|connection| connection["agent"] == agent)
}

/// Waits until that agent has no process any more.
async fn gone(daemon: &Daemon, agent: &str) {
    eventually("the process is gone", async || connection_of(daemon, agent).await.is_none().then_some(()))
        .await;
}

async fn was_reset(daemon: &Daemon, id: &str) -> bool {
    daemon.session(id).events(0).await.iter().any(|event| event.is("agent.reset"))
}

#[tokio::test]
async fn an_idle_agent_is_stopped_and_the_next_prompt_takes_the_conversation_up() {
    let config = json!({"agents": {"sim": {"idleTimeoutMs": 200}}, "defaultAgent": "sim"});
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    // A turn that lasts longer is not idle, whether the agent works or waits for a person.
    let run = session.say("ask make\nsleep 500\nsay 1").await;
    let asked = session.permission().await;
    let before = connection_of(&daemon, "sim").await.expect("a process");
    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    assert_eq!(session.settled(&run).await["state"], "completed");
    gone(&daemon, "sim").await;
    assert_eq!(daemon.agents(), Vec::<i32>::new());

    let receipt = session.finish("say 1\nsleep 100").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
    assert!(!was_reset(&daemon, &id).await);
    let connected = session.events(0).await.iter().filter(|event| event.is("agent.connected")).count();
    assert_eq!(connected, 2, "another process took it up");
    assert_eq!(before["sessionIds"].as_array().map(Vec::len), Some(1), "{before}");
    gone(&daemon, "sim").await;
    let (status, _) = daemon.stop().await;
    assert_eq!(status.code(), Some(0));
}

#[tokio::test]
async fn prompts_that_meet_a_process_as_it_is_stopped_are_answered_all_the_same() {
    let config = json!({"agents": {"sim": {"idleTimeoutMs": 1}}, "defaultAgent": "sim"});
    let daemon = Serve::new().config(config).start().await;
    let ids = join_all((0..4).map(|_| daemon.new_session())).await;
    let talks = ids.iter().enumerate().map(async |(number, id)| {
        for round in 0..12_usize {
            let receipt =
                daemon.session(id).finish(&format!("say 1 {}", (number * 7 + round * 3) % 11)).await;
            let outcome = (&receipt["state"], receipt.get("contextReset"));
            assert_eq!(outcome, (&json!("completed"), None), "{number} {round}: {receipt}");
        }
    });
    join_all(talks).await;
    gone(&daemon, "sim").await;
}

#[tokio::test]
async fn an_agent_that_may_not_take_up_a_conversation_is_not_stopped_until_it_has() {
    let serve = Serve::new();
    let history = serve.world.root().join("history").display().to_string();
    let mine =
        json!({"command": BINARY, "args": ["agent", "sim", "--history-dir", history], "idleTimeoutMs": 100});
    let config = json!({"agents": {"mine": mine, "sim": {"idleTimeoutMs": 900}}, "defaultAgent": "mine"});
    let daemon = serve.config(config).start().await;
    let id = daemon.create(&json!({"agent": "mine"})).await;
    let clock = daemon.create(&json!({"agent": "sim"})).await;
    daemon.session(&id).finish("say 1").await;
    daemon.session(&clock).finish("say 1").await;
    gone(&daemon, "sim").await;
    let kept = connection_of(&daemon, "mine").await.expect("the one that is idle for longer is still there");
    assert_eq!(kept["status"], "connected", "{kept}");

    // Once it has taken one up in another process, it is known to.
    let path = format!("/agent/connection/{}", kept["id"].as_str().expect("an id"));
    daemon.delete(&path).await.json(200);
    let receipt = daemon.session(&id).finish("say 1").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
    gone(&daemon, "mine").await;
    assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    assert!(!was_reset(&daemon, &id).await);
}

/// One agent process at most.
async fn narrow(extra: &Value) -> Daemon {
    let mut limits = json!({"maxConnections": 1});
    limits.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
    Serve::new().config(json!({ "limits": limits })).start().await
}

#[tokio::test]
async fn at_the_limit_the_idle_process_makes_room_and_loses_nothing() {
    let daemon = narrow(&json!({})).await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("say 1").await;
    let other = Elsewhere::new(&daemon, "other").await;
    let run = other.say("say 1").await;
    other.is(&run, "completed").await;
    assert_eq!(daemon.agents().len(), 1);
    let receipt = daemon.session(&id).finish("say 1").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
    assert!(!was_reset(&daemon, &id).await);
    assert_eq!(daemon.agents().len(), 1);
}

#[tokio::test]
async fn runs_wait_for_a_process_in_the_order_they_came_and_may_be_cancelled() {
    let daemon = narrow(&json!({})).await;
    let id = daemon.new_session().await;
    let busy = daemon.session(&id).say("say 1\nhang").await;
    daemon.session(&id).running(&busy).await;
    let others = join_all(["a", "b", "c"].map(|folder| Elsewhere::new(&daemon, folder))).await;
    let mut runs = Vec::new();
    for (number, other) in (1..).zip(&others) {
        runs.push(other.say("say 1").await);
        eventually("it waits", async || {
            let waiting =
                connections(&daemon).await.iter().filter(|process| process["status"] == "idle").count();
            (waiting == number).then_some(())
        })
        .await;
    }
    let [first, second, third] = others.as_slice() else { panic!("three") };
    assert_eq!(second.run(&runs[1]).await["state"], "accepted");
    second.cancel(&runs[1]).await;
    second.is(&runs[1], "cancelled").await;
    eventually("it waits no more", async || (connections(&daemon).await.len() == 3).then_some(())).await;
    assert_eq!(first.run(&runs[0]).await["state"], "accepted");

    daemon.session(&id).cancel(&busy).await.json(200);
    let one = first.is(&runs[0], "completed").await;
    let three = third.is(&runs[2], "completed").await;
    assert!(one["completedAt"].as_i64() <= three["completedAt"].as_i64(), "{one} {three}");
    assert_eq!(daemon.agents().len(), 1);
}

#[tokio::test]
async fn who_waits_too_long_fails_and_a_deadline_counts_meanwhile() {
    let daemon = narrow(&json!({"startTimeoutMs": 4_000})).await;
    let id = daemon.new_session().await;
    let busy = daemon.session(&id).say("say 1\nhang").await;
    daemon.session(&id).running(&busy).await;
    let (late, hasty) = (Elsewhere::new(&daemon, "late").await, Elsewhere::new(&daemon, "hasty").await);
    let waits = late.say("say 1").await;
    let deadline = hasty.submit("say 1", &json!({"deadlineMs": 300})).await;
    let receipt = hasty.is(&deadline, "failed").await;
    assert_eq!(receipt["error"]["code"], "deadline_exceeded", "{receipt}");
    assert_eq!(late.run(&waits).await["state"], "accepted");
    let receipt = late.is(&waits, "failed").await;
    assert_eq!(receipt["error"]["code"], "agent_capacity", "{receipt}");
    assert_eq!(receipt["error"]["stage"], "start", "{receipt}");
    assert_eq!(daemon.session(&id).run(&busy).await["state"], "running");
}

#[tokio::test]
async fn a_daemon_stops_in_time_while_runs_wait_for_a_process() {
    let daemon = narrow(&json!({})).await;
    let id = daemon.new_session().await;
    let busy = daemon.session(&id).say("say 1\nhang").await;
    daemon.session(&id).running(&busy).await;
    let other = Elsewhere::new(&daemon, "other").await;
    let waits = other.say("say 1").await;
    let (query, session) = (other.query.clone(), other.session.clone());
    let (status, serve) = daemon.stop().await;
    assert_eq!(status.code(), Some(0));
    let daemon = serve.start().await;
    let other = Elsewhere { daemon: &daemon, query, session };
    assert_eq!(other.run(&waits).await["error"]["code"], "runtime_stopped");
}

#[tokio::test]
async fn a_connection_shows_its_newest_events_in_order_and_each_session_its_own() {
    let daemon = Daemon::start().await;
    let (one, two) = (daemon.new_session().await, daemon.new_session().await);
    daemon.session(&one).finish("say 700 1").await;
    let long = format!("tool read {}\nsay 1", json!({"path": "x".repeat(9_000)}));
    daemon.session(&two).finish(&long).await;
    let shown = connection_of(&daemon, "sim").await.expect("a process");
    let events = shown["events"].as_array().expect("events");
    assert_eq!(events.len(), 500);
    let id = shown["id"].as_str().expect("an id");
    let number = |event: &Value| -> u64 {
        let name = event["id"].as_str().expect("an id");
        name.strip_prefix(&format!("{id}-event-")).and_then(|number| number.parse().ok()).expect("a number")
    };
    assert!(events.windows(2).all(|pair| matches!(pair, [a, b] if number(a) + 1 == number(b))), "{events:?}");
    assert!(events.windows(2).all(|pair| pair[0]["timestamp"].as_i64() <= pair[1]["timestamp"].as_i64()));
    assert!(events.iter().all(|event| event.to_string().len() <= 4 << 10));

    let agent_session = |session: &str| -> String {
        let pairs = shown["sessions"].as_array().expect("sessions");
        let pair = pairs.iter().find(|pair| pair["sessionID"] == session).expect("the session");
        pair["sessionId"].as_str().expect("the agent's id").to_owned()
    };
    let of = |session: &str| -> Vec<&Value> {
        let name = agent_session(session);
        events.iter().filter(|event| event["sessionId"] == *name).collect()
    };
    let (first, second) = (of(&one), of(&two));
    assert_eq!(first.len() + second.len(), 500, "every event here is of a session");
    let words: Vec<&str> = first
        .iter()
        .filter(|event| event["role"] == "assistant")
        .filter_map(|event| event["text"].as_str())
        .collect();
    assert_eq!(words.last().map(|word| word.trim()), Some("w700"), "{words:?}");
    let kinds: Vec<&str> = second.iter().filter_map(|event| event["kind"].as_str()).collect();
    assert_eq!((kinds.first(), kinds.last()), (Some(&"system"), Some(&"stop")), "{kinds:?}");
    let tools: Vec<&&Value> = second.iter().filter(|event| event["kind"] == "tool").collect();
    assert!(tools.iter().any(|event| event["truncated"] == true && event.get("raw").is_none()), "{tools:?}");
    assert_eq!(second.last().expect("events")["stopReason"], "end_turn");
    assert_eq!(shown["sessionId"], *agent_session(&two));
    assert_eq!((&shown["promptInFlight"], &shown["pendingPermissions"]), (&json!(false), &json!([])));
}

#[tokio::test]
async fn a_connection_shows_what_it_works_on_what_it_waits_for_and_how_it_ended() {
    let daemon = Daemon::start().await;
    let (asking, idle) = (daemon.new_session().await, daemon.new_session().await);
    daemon.session(&idle).finish("say 1").await;
    let run = daemon.session(&asking).say("ask make\nsay 1").await;
    let asked = daemon.session(&asking).permission().await;
    let shown = connection_of(&daemon, "sim").await.expect("a process");
    assert_eq!(shown["pendingPermissions"], json!([asked]));
    assert_eq!(shown["sessionIds"].as_array().map(Vec::len), Some(2), "{shown}");
    let pair =
        shown["sessions"].as_array().expect("sessions").iter().find(|pair| pair["sessionID"] == *asking);
    assert_eq!(shown["promptInFlightSessionIds"], json!([pair.expect("the session")["sessionId"]]));
    assert_eq!(shown["promptInFlight"], true);

    daemon.session(&asking).reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    daemon.session(&asking).settled(&run).await;
    let shown = connection_of(&daemon, "sim").await.expect("a process");
    assert_eq!((&shown["pendingPermissions"], &shown["promptInFlightSessionIds"]), (&json!([]), &json!([])));
    let permissions: Vec<&Value> = shown["events"]
        .as_array()
        .expect("events")
        .iter()
        .filter(|event| event["kind"] == "permission")
        .map(|event| &event["title"])
        .collect();
    assert_eq!(permissions, ["Permission requested", "Permission response sent"]);

    kill(i32::try_from(shown["pid"].as_i64().expect("a pid")).expect("a pid"));
    let ended = eventually("it has ended", async || {
        connection_of(&daemon, "sim").await.filter(|connection| connection["status"] == "error")
    })
    .await;
    assert_eq!(ended["error"], "the agent exited (signal: 9)", "{ended}");
    assert_eq!((ended.get("pid"), &ended["sessionIds"]), (None, &json!([])));
    let last = ended["events"].as_array().and_then(|events| events.last().cloned()).expect("events");
    assert_eq!(
        (&last["title"], &last["level"]),
        (&json!("Agent process exited"), &json!("warning")),
        "{last}"
    );
    let path = format!("/agent/connection/{}", ended["id"].as_str().expect("an id"));
    assert_eq!(daemon.delete(&path).await.json(200), true);
    assert_eq!(connections(&daemon).await, Vec::<Value>::new());
}
