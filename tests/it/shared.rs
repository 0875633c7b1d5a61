//! Can two daemons share one data directory without losing, doubling or stealing work?

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Daemon, Prompt, Serve, scripted, signal};

async fn pair(serve: &Serve) -> (Daemon, Daemon) {
    (serve.start().await, serve.start().await)
}

#[tokio::test]
async fn what_one_daemon_does_the_other_shows() {
    let (one, two) = pair(&Serve::new()).await;
    assert_ne!(one.port(), two.port());
    let id = one.new_session().await;
    assert_eq!(
        two.get(&format!("/session/{id}")).await.json(200),
        one.get(&format!("/session/{id}")).await.json(200)
    );
    let mut stream = two.session(&id).stream(0).await;
    let run = one.session(&id).say("say 30 5\ntool read {}\nsay 2").await;
    let live = stream.until_end(&run).await;
    assert_eq!(live, one.session(&id).events(0).await);
    assert_eq!(two.session(&id).run(&run).await, one.session(&id).run(&run).await);
    two.session(&id).assert_transcript_is_told().await;
    let next = two.session(&id).finish("say 1").await;
    assert_eq!(next["state"], "completed", "a session is not bound to a process: {next}");
    assert_eq!(one.session(&id).run(next["runID"].as_str().expect("an id")).await, next);
}

#[tokio::test]
async fn a_session_that_another_daemon_used_first_is_as_that_one_left_it() {
    let (one, two) = pair(&Serve::new()).await;
    let id = one.new_session().await;
    let prompt = Prompt::text("say 1").key("only once");
    let accepted = two.session(&id).submit(&prompt).await.json(202);
    assert_eq!(one.session(&id).submit(&prompt).await.json(202), accepted);
    let run = accepted["runID"].as_str().expect("an id");
    assert_eq!(one.session(&id).settled(run).await["state"], "completed");

    let renamed = one.new_session().await;
    two.patch(&format!("/session/{renamed}"), &json!({"title": "theirs"})).await.json(200);
    one.session(&renamed).finish("say 1").await;
    assert_eq!(one.get(&format!("/session/{renamed}")).await.json(200)["title"], "theirs");

    let deleted = one.new_session().await;
    two.delete(&format!("/session/{deleted}")).await.json(200);
    one.session(&deleted).submit(&Prompt::text("say 1")).await.refusal(404, "session_not_found");
}

#[tokio::test]
async fn identical_prompts_to_both_are_one_run() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let (one, two) = pair(&serve.config(config)).await;
    let id = one.new_session().await;
    for round in 0..5 {
        let prompt = Prompt::text("text done").key(&format!("key-{round}"));
        let both = (0..10).map(|number| {
            let daemon = if number % 2 == 0 { &one } else { &two };
            let (prompt, id) = (&prompt, &id);
            async move { daemon.session(id).submit(prompt).await.json(202) }
        });
        let accepted = join_all(both).await;
        let first = accepted.first().expect("answers");
        assert!(accepted.iter().all(|answer| answer == first), "{accepted:?}");
        let receipt = two.session(&id).settled(first["runID"].as_str().expect("an id")).await;
        assert_eq!(receipt["state"], "completed", "{receipt}");
    }
    assert_eq!(log.received("session/prompt").len(), 5);
    one.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_decision_belongs_to_the_process_that_runs_the_agent() {
    let (one, two) = pair(&Serve::new()).await;
    let id = one.new_session().await;
    let run = one.session(&id).say("ask make\nsay 1").await;
    let asked = one.session(&id).permission().await;
    let request = asked["id"].as_str().expect("an id");
    assert_eq!(two.session(&id).permission().await, asked, "everyone sees it");
    let refusal = two.session(&id).reply(request, "once").await.refusal(409, "decision_not_owned");
    assert_eq!(refusal["url"], one.url.as_str(), "{refusal}");
    let result = one.session(&id).reply(request, "once").await.json(200);
    assert_eq!(
        two.session(&id).reply(request, "once").await.json(200),
        result,
        "a stored receipt is for all"
    );
    two.session(&id).reply(request, "reject").await.refusal(409, "decision_conflict");
    assert_eq!(one.session(&id).settled(&run).await["state"], "completed");
}

#[tokio::test]
async fn what_is_given_for_the_project_at_one_daemon_answers_what_waits_at_another() {
    let (one, two) = pair(&Serve::new()).await;
    let (first, second) = (one.new_session().await, two.new_session().await);
    let run = one.session(&first).say("ask make\nsay 1").await;
    let asked = one.session(&first).permission().await;
    two.session(&second).say("ask make").await;
    let other = two.session(&second).permission().await;
    two.session(&second).reply(other["id"].as_str().expect("an id"), "project").await.json(200);
    assert_eq!(one.session(&first).settled(&run).await["state"], "completed", "nobody else was asked");
    let events = one.session(&first).events(0).await;
    let replied = events.iter().find(|event| event.is("permission.replied")).expect("an answer");
    assert_eq!(
        (&replied.properties["requestID"], &replied.properties["actor"]),
        (&asked["id"], &json!("grant"))
    );
}

#[tokio::test]
async fn a_cancel_reaches_the_owner() {
    let (one, two) = pair(&Serve::new()).await;
    let id = one.new_session().await;
    let run = one.session(&id).say("say 1\nhang").await;
    two.session(&id).running(&run).await;
    two.session(&id).cancel(&run).await.json(200);
    assert_eq!(two.session(&id).settled(&run).await["state"], "cancelled");
    assert_eq!(one.session(&id).run(&run).await, two.session(&id).run(&run).await);
}

#[tokio::test]
async fn the_work_of_a_killed_daemon_is_settled_by_the_living_one() {
    let (one, two) = pair(&Serve::new()).await;
    let id = one.new_session().await;
    let run = one.session(&id).say("say 3\nask make").await;
    one.session(&id).permission().await;
    let mut stream = two.session(&id).stream(0).await;
    one.crash().await;
    let events = stream.until_end(&run).await;
    let last = events.last().expect("events");
    assert!(last.is("runtime.failed") && last.properties["recovered"] == true, "{last:?}");
    let session = two.session(&id);
    assert_eq!(session.run(&run).await["state"], "interrupted");
    assert_eq!(session.snapshot().await["permissions"], json!([]));
    assert_eq!(session.finish("say 1").await["state"], "completed");
    session.assert_transcript_is_told().await;
    let states: Vec<Value> = session.snapshot().await["runs"].as_array().expect("runs").clone();
    assert_eq!(states.len(), 2);
}

#[tokio::test]
async fn a_cancel_elsewhere_counts_however_soon_it_comes() {
    let (one, two) = pair(&Serve::new()).await;
    let id = one.new_session().await;
    // The other process has seen the session idle.
    assert_eq!(two.session(&id).finish("say 1").await["state"], "completed");
    for round in 0..10 {
        let run = one.session(&id).say("say 400 20").await;
        if round % 2 == 0 {
            two.session(&id).cancel(&run).await.json(200);
        } else {
            assert_eq!(two.post(&format!("/session/{id}/abort"), &json!({})).await.json(200), true);
        }
        let receipt = one.session(&id).settled(&run).await;
        assert_eq!(receipt["state"], "cancelled", "round {round}: {receipt}");
    }
}

#[tokio::test]
async fn a_session_is_deleted_wherever_its_run_is() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let (one, two) = pair(&serve.config(config)).await;
    for prompt in ["text going\nhang", "text going\nask 1"] {
        let id = one.new_session().await;
        let run = one.session(&id).say(prompt).await;
        two.session(&id).running(&run).await;
        let mut stream = one.session(&id).stream(0).await;
        let cancels = log.received("session/cancel").len();
        assert_eq!(two.delete(&format!("/session/{id}")).await.json(200), json!(true));
        while stream.next().await.is_some() {}
        for daemon in [&one, &two] {
            daemon.get(&format!("/session/{id}")).await.refusal(404, "session_not_found");
            daemon.session(&id).submit(&Prompt::text("text x")).await.refusal(404, "session_not_found");
            assert_eq!(daemon.get("/permission").await.json(200), json!([]));
            assert_eq!(daemon.get("/session/status").await.json(200), json!({}));
        }
        assert_eq!(log.received("session/cancel").len(), cancels + 1, "its agent was told");
    }
    let id = one.new_session().await;
    assert_eq!(one.session(&id).finish("text fine").await["state"], "completed");
}

#[tokio::test]
async fn a_session_of_a_given_id_is_made_once_wherever_it_is_asked_for() {
    let (one, two) = pair(&Serve::new()).await;
    for round in 0..5 {
        let body = json!({"id": format!("ses_{round}"), "workspace": "project"});
        let calls = [&one, &two, &one, &two].map(|daemon| daemon.post("/session", &body));
        let made: Vec<Value> = join_all(calls).await.iter().map(|reply| reply.json(200)).collect();
        assert!(made.windows(2).all(|pair| matches!(pair, [a, b] if a == b)), "{made:?}");
    }
    assert_eq!(two.get("/session").await.json(200).as_array().map(Vec::len), Some(5));
}

#[tokio::test]
async fn work_of_a_killed_daemon_is_settled_once_by_all_who_see_it() {
    let serve = Serve::new();
    let (one, two) = pair(&serve).await;
    let three = serve.start().await;
    let ids = join_all((0..6).map(|_| one.new_session())).await;
    let mut runs = Vec::new();
    for id in &ids {
        runs.push(one.session(id).say("say 2\nhang").await);
        one.session(id).stream(0).await.until(|event| event.is("turn.updated")).await;
    }
    one.crash().await;
    // A cancel that comes at the same time counts or comes too late.
    let cancelled = ids.first().expect("sessions");
    two.session(cancelled).cancel(runs.first().expect("runs")).await.json(200);
    for (id, run) in ids.iter().zip(&runs) {
        let receipt = three.session(id).settled(run).await;
        let state = receipt["state"].as_str().expect("a state");
        assert!(state == "interrupted" || (id == cancelled && state == "cancelled"), "{receipt}");
        assert_eq!(two.session(id).run(run).await, receipt);
        let events = two.session(id).events(0).await;
        assert_eq!(events.iter().filter(|event| event.is_terminal()).count(), 1);
        two.session(id).assert_transcript_is_told().await;
    }
}

#[tokio::test]
async fn a_daemon_that_sleeps_for_a_while_keeps_its_work() {
    let (one, two) = pair(&Serve::new()).await;
    let id = one.new_session().await;
    let run = one.session(&id).say("say 20 5\nask make\nsay 5").await;
    let asked = one.session(&id).permission().await;
    let cursor = two.session(&id).latest().await;
    signal(one.process.pid, Signal::STOP);
    let mut stream = two.session(&id).stream(cursor).await;
    let nothing = tokio::time::timeout(Duration::from_millis(1_500), stream.next()).await;
    assert!(nothing.is_err(), "its run is not settled by others: {nothing:?}");
    signal(one.process.pid, Signal::CONT);
    one.session(&id).reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    stream.until_end(&run).await;
    assert_eq!(two.session(&id).run(&run).await["state"], "completed");
    two.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn how_a_queue_is_delivered_is_as_whoever_set_it_last_wanted() {
    let (one, two) = pair(&Serve::new()).await;
    let id = one.new_session().await;
    let path = format!("/session/{id}/queue");
    let set = async |daemon: &Daemon, delivery: &str| {
        let queue = daemon.put(&path, &json!({"delivery": delivery})).await.json(200);
        assert_eq!(queue["delivery"], delivery);
    };
    set(&two, "coalesce").await;
    set(&one, "coalesce").await;
    for round in 0..20 {
        let (first, last) = if round % 2 == 0 { (&one, &two) } else { (&two, &one) };
        set(first, "sequential").await;
        set(last, "coalesce").await;
        for daemon in [first, last] {
            assert_eq!(daemon.get(&path).await.json(200)["delivery"], "coalesce", "round {round}");
        }
    }
}

#[tokio::test]
async fn a_prompt_joins_a_run_that_another_daemon_has_just_begun_however_many_are_at_work() {
    let serve = Serve::new().config(json!({"limits": {"maxSessions": 1}}));
    let (one, two) = pair(&serve).await;
    let (id, busy) = (one.new_session().await, one.new_session().await);
    one.session(&busy).say("say 1\nhang").await;
    for round in 0..8 {
        // The first daemon knows the session at rest.
        one.patch(&format!("/session/{id}"), &json!({"title": format!("round {round}")})).await.json(200);
        let run = two.session(&id).say("say 400 20").await;
        let joined = one.session(&id).submit(&Prompt::text("say 1")).await.json(202);
        assert_eq!(joined["runID"], run.as_str(), "round {round}");
        two.session(&id).cancel(&run).await.json(200);
        two.session(&id).settled(&run).await;
    }
    let rest = one.new_session().await;
    one.session(&rest).submit(&Prompt::text("say 1")).await.refusal(429, "too_many_sessions");
}

#[tokio::test]
async fn a_run_gives_its_place_back_also_if_one_of_another_daemon_follows() {
    let serve = Serve::new();
    let (mut config, _log) = scripted(&serve.world, &[]);
    config["limits"] = json!({"maxSessions": 1});
    let (one, two) = pair(&serve.config(config)).await;
    let (id, other) = (one.new_session().await, one.new_session().await);
    let run = one.session(&id).say("text going\nlinger 300").await;
    one.session(&id).stream(0).await.until(|event| event.properties["part"]["text"] == "going").await;
    one.session(&id).cancel(&run).await.json(200);
    let next = two.session(&id).say("text done").await;
    assert_eq!(two.session(&id).run(&next).await["state"], "accepted", "it waits for the one before");
    assert_eq!(two.session(&id).settled(&next).await["state"], "completed");
    assert_eq!(one.session(&id).run(&run).await["state"], "cancelled");
    assert_eq!(one.session(&other).finish("text done").await["state"], "completed");
}

#[tokio::test]
async fn a_daemon_that_is_stopped_does_not_wait_for_the_runs_of_another() {
    let (one, two) = pair(&Serve::new()).await;
    let id = one.new_session().await;
    let run = one.session(&id).say("say 1\nhang").await;
    two.session(&id).running(&run).await;
    let joined = two.session(&id).submit(&Prompt::text("say 1")).await.json(202);
    assert_eq!(joined["runID"], run.as_str());
    let begin = Instant::now();
    let (status, _) = two.stop().await;
    assert!(status.success());
    assert!(begin.elapsed() < Duration::from_millis(1_500), "{:?}", begin.elapsed());
    assert_eq!(one.session(&id).run(&run).await["state"], "running");
}
