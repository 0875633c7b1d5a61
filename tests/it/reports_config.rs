//! Does the daemon avoid what users of programs like it report: starts that hide their reason, databases that are
//! locked or torn between two writers?

use std::net::TcpListener;
use std::time::{Duration, Instant};

use futures_util::future::join_all;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{
    Daemon, Process, Prompt, Reply, Serve, eventually, free_port, python, scripted, signal, within,
};

/// Another program takes the database's write lock for so long, lets it go, and takes it again.
fn lock_holder(serve: &Serve, hold: f64, times: u32) -> Process {
    let script = format!(
        "import sqlite3, sys, time\n\
         database = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=30)\n\
         for number in range({times}):\n\
         \x20   database.execute('BEGIN IMMEDIATE')\n\
         \x20   print('held', number, flush=True)\n\
         \x20   time.sleep({hold})\n\
         \x20   database.execute('ROLLBACK')\n\
         \x20   time.sleep(0.1)\n"
    );
    let database = serve.world.data().join("openscience.db").display().to_string();
    let world = &serve.world;
    Process::start(world, python(), &["-c".to_owned(), script, database], &serve.environment(), &world.root())
}

#[tokio::test]
async fn a_lock_that_is_held_for_seconds_makes_everybody_wait_and_fails_nobody() {
    const HOLD: f64 = 2.0;
    let daemon = Daemon::start().await;
    let ids = join_all((0..12).map(|_| daemon.new_session())).await;
    let mut holder = lock_holder(&daemon.serve, HOLD, 2);
    eventually("the lock is held", async || holder.stdout().contains("held 0").then_some(())).await;
    let work = ids.iter().enumerate().map(|(number, id)| {
        let session = daemon.session(id);
        async move {
            let timed = async |begin: Instant, reply: Reply, status: u16| {
                assert!(begin.elapsed() < Duration::from_secs_f64(HOLD + 4.0), "took {:?}", begin.elapsed());
                reply.json(status)
            };
            for _ in 0..2 {
                let begin = Instant::now();
                let accepted =
                    timed(begin, session.submit(&Prompt::text("say 3\nask make\nsay 3")).await, 202).await;
                let run = accepted["runID"].as_str().expect("a run id");
                let asked = session.permission().await;
                let begin = Instant::now();
                let expected = if number % 3 == 0 {
                    timed(begin, session.cancel(run).await, 200).await;
                    "cancelled"
                } else {
                    let request = asked["id"].as_str().expect("an id");
                    timed(begin, session.reply(request, "once").await, 200).await;
                    "completed"
                };
                let receipt = session.settled(run).await;
                assert_eq!(receipt["state"], expected, "{receipt}");
            }
            session.assert_transcript_is_told().await;
        }
    });
    join_all(work).await;
    assert!(holder.end(Duration::from_secs(30)).await.success(), "{}", holder.stderr());
}

#[tokio::test]
async fn two_clients_that_do_everything_to_one_session_at_once_only_meet_documented_conflicts() {
    const ROUNDS: usize = 25;
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let documented = |reply: &Reply| {
        if reply.status >= 400 {
            let body = reply.refused(409);
            let code = body["code"].as_str().expect("a code");
            let known = ["session_busy", "queue_full", "decision_expired", "decision_conflict"];
            assert!(known.contains(&code), "{body}");
        }
    };
    let client = |name: &'static str| async move {
        for round in 0..ROUNDS {
            let title = json!({ "title": format!("{name} {round}") });
            session.daemon.patch(&format!("/session/{}", session.id()), &title).await.json(200);
            let reply = session.submit(&Prompt::text("say 2\nask make\nsay 2")).await;
            documented(&reply);
            let snapshot = session.snapshot().await;
            for asked in snapshot["permissions"].as_array().expect("a list") {
                let answer = if round % 2 == 0 { "once" } else { "reject" };
                documented(&session.reply(asked["id"].as_str().expect("an id"), answer).await);
            }
            if round % 5 == 4 && reply.status == 202 {
                let run = reply.json(202)["runID"].as_str().expect("a run id").to_owned();
                session.cancel(&run).await.json(200);
            }
            session.messages().await;
        }
    };
    tokio::join!(client("one"), client("two"));
    assert_eq!(daemon.post(&format!("/session/{id}/abort"), &json!({})).await.json(200), true);
    eventually("the session is idle", async || {
        let runs = session.snapshot().await["runs"].as_array().expect("runs").clone();
        let live = runs
            .iter()
            .any(|run| ["accepted", "running"].contains(&run["state"].as_str().unwrap_or_default()));
        (!live).then_some(())
    })
    .await;
    let title = daemon.get(&format!("/session/{id}")).await.json(200)["title"].clone();
    let last = format!("{}", ROUNDS - 1);
    assert!(title.as_str().is_some_and(|title| title.ends_with(&last)), "{title}");
    session.assert_transcript_is_told().await;
    assert_eq!(session.finish("say 1").await["state"], "completed");
}

#[tokio::test]
async fn a_configured_port_is_used_unless_the_flag_says_another_and_a_busy_one_ends_the_start() {
    let serve = Serve::new();
    let data = serve.world.data().display().to_string();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port();
    let serve = serve.config(json!({"server": {"port": port}}));
    let begin = Instant::now();
    let mut refused = serve.run(&["serve", "--format", "json", "--data-dir", &data]);
    assert_eq!(refused.end(Duration::from_secs(5)).await.code(), Some(1));
    assert!(begin.elapsed() < Duration::from_secs(2), "took {:?}", begin.elapsed());
    let error: Value = serde_json::from_str(refused.stderr().lines().last().expect("a line")).expect("JSON");
    assert_eq!((&error["type"], &error["code"]), (&json!("server.error"), &json!("port_in_use")));
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains(&port.to_string()) && message.contains("--port"), "{message}");
    assert!(!serve.world.data().exists(), "a start that fails leaves nothing");
    let other = free_port(&serve.world).to_string();
    let process = serve.run(&["serve", "--port", &other, "--format", "json", "--data-dir", &data]);
    let daemon = serve.adopt(process).await;
    assert!(daemon.url.ends_with(&other));
    drop(taken);
    let process = serve.run(&["serve", "--format", "json", "--data-dir", &data]);
    let daemon = serve.adopt(process).await;
    assert!(daemon.url.ends_with(&port.to_string()));
}

#[tokio::test]
async fn an_agent_that_is_still_downloading_itself_fails_with_what_it_said_meanwhile() {
    let script = "echo 'resolving package: network is slow' >&2; exec sleep 1000";
    let agent = json!({"command": "sh", "args": ["-c", script], "startTimeoutMs": 2_000});
    let daemon = Serve::new().config(json!({"agents": {"npx": agent}})).start().await;
    let id = daemon.new_session().await;
    let error = &daemon.session(&id).finish("say 1").await["error"];
    assert_eq!((&error["code"], &error["stage"]), (&json!("agent_start_failed"), &json!("initialize")));
    assert_eq!(error["stderr"], "resolving package: network is slow", "{error}");
}

#[tokio::test]
async fn a_program_that_reads_standard_output_reads_json_and_nothing_else() {
    let serve = Serve::new();
    let (mut config, _log) = scripted(&serve.world, &["--noise"]);
    config["sandbox"] = json!({"unknown": true});
    let serve = serve.config(config).args(&["--print-logs", "--log-level", "DEBUG"]);
    let mut daemon = serve.start().await;
    let id = daemon.new_session().await;
    assert_eq!(daemon.session(&id).finish("text hello").await["state"], "completed");
    let failed = daemon.session(&id).finish("error -32603 broken").await;
    assert_eq!(failed["state"], "failed");
    signal(daemon.process.pid, Signal::TERM);
    assert_eq!(daemon.process.end(Duration::from_secs(9)).await.code(), Some(0));
    let stdout = daemon.process.stdout();
    let lines: Vec<Value> = stdout.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert!(matches!(lines.as_slice(), [ready] if ready["type"] == "server.ready"), "{stdout}");
    let stderr = daemon.process.stderr();
    assert!(
        stderr.contains("sandbox") && stderr.contains("serving"),
        "people and logs are told there: {stderr}"
    );
}

#[tokio::test]
async fn a_time_without_a_unit_or_of_nothing_is_refused_with_its_key() {
    let check = async |config: Value, key: &str| {
        let serve = Serve::new().config(config);
        let data = serve.world.data().display().to_string();
        let mut process = serve.run(&["serve", "--port", "0", "--data-dir", &data]);
        assert_eq!(process.end(Duration::from_secs(5)).await.code(), Some(1), "{key}");
        assert!(process.stderr().contains(key), "{key}: {}", process.stderr());
    };
    check(json!({"limits": {"startTimeoutMs": "60s"}}), "limits.startTimeoutMs").await;
    check(json!({"limits": {"startTimeoutMs": 0}}), "limits.startTimeoutMs").await;
    check(json!({"limits": {"heartbeatMs": -1}}), "limits.heartbeatMs").await;
    check(json!({"agents": {"a": {"command": "a", "startTimeoutMs": 1.5}}}), "agents.a.startTimeoutMs").await;
    check(json!({"agents": {"a": {"command": "a", "startTimeoutMs": 0}}}), "agents.a.startTimeoutMs").await;
}

#[tokio::test]
async fn two_daemons_that_start_at_the_same_moment_on_a_new_directory_both_serve() {
    let serve = Serve::new();
    let all = join_all((0..4).map(|_| serve.start())).await;
    let first = all.first().expect("a daemon");
    let id = first.new_session().await;
    for daemon in &all {
        assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
    }
    let owners = within(Duration::from_secs(5), "all are registered", async || {
        let locks = std::fs::read_dir(serve.world.data().join("owners")).expect("a folder").count();
        (locks == all.len()).then_some(locks)
    });
    assert_eq!(owners.await, 4);
}
