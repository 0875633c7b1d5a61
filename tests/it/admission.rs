//! Is a prompt run once, whatever becomes of the answer, of the daemon and of its neighbour?

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use serde_json::json;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use crate::support::{Daemon, Lock, Log, Prompt, Reply, Serve, Session, eventually, scripted};

/// Sends a prompt and never reads the answer. The connection stays open as long as what is returned.
async fn send(session: Session<'_>, prompt: &Prompt) -> TcpStream {
    let body = prompt.clone().with("sessionID", session.id()).0.to_string();
    let head = format!(
        "POST /runtime/prompt HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    let mut stream = TcpStream::connect(("127.0.0.1", session.daemon.port())).await.expect("a connection");
    stream.write_all(format!("{head}{body}").as_bytes()).await.expect("a written request");
    stream
}

#[tokio::test]
async fn a_prompt_whose_answer_was_lost_is_retried_and_runs_once() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for round in 1..=3 {
        let prompt = Prompt::text("text done").key(&format!("key-{round}"));
        let lost = send(session, &prompt).await;
        eventually("the agent has it", async || {
            (log.received("session/prompt").len() == round).then_some(())
        })
        .await;
        drop(lost);
        let accepted = session.submit(&prompt).await.json(202);
        let run = accepted["runID"].as_str().expect("an id");
        assert_eq!(session.settled(run).await["state"], "completed");
        assert_eq!(session.submit(&prompt).await.json(202), accepted);
        assert_eq!(session.snapshot().await["runs"].as_array().map(Vec::len), Some(round));
        assert_eq!(log.received("session/prompt").len(), round, "the agent was asked once");
    }
}

/// A daemon that is killed once `there` says so, and its successor; with it the session and the prompt.
async fn killed(args: &[&str], there: &str) -> (Daemon, String, Prompt, Log) {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, args);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let prompt = Prompt::text("text done\nhang").key("once");
    let lock = if there == "received" { Some(Lock::hold(daemon.world()).await) } else { None };
    let waiting = send(session, &prompt).await;
    match there {
        // Nothing can be written, so nothing shows it: other requests that are answered pass the time.
        "received" => drop(join_all((0..20).map(|_| session.snapshot())).await),
        "told" => eventually("text", async || session.messages().await.get(1).map(drop)).await,
        method => eventually(method, async || log.received(method).first().map(drop)).await,
    }
    let serve = daemon.crash().await;
    drop((lock, waiting));
    (serve.start().await, id, prompt, log)
}

#[tokio::test]
async fn a_prompt_that_a_crash_cut_off_before_it_was_recorded_is_new_when_it_is_retried() {
    let (daemon, id, prompt, log) = killed(&[], "received").await;
    let session = daemon.session(&id);
    assert_eq!(session.snapshot().await["runs"], json!([]), "nothing was recorded");
    let accepted = session.submit(&prompt).await.json(202);
    let run = accepted["runID"].as_str().expect("an id");
    eventually("the agent has it", async || log.received("session/prompt").first().map(drop)).await;
    assert_eq!(session.submit(&prompt).await.json(202), accepted);
    session.cancel(run).await.json(200);
    assert_eq!(session.settled(run).await["state"], "cancelled");
    assert_eq!(log.received("session/prompt").len(), 1);
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_prompt_that_a_crash_cut_off_after_that_has_its_receipt_at_once_and_is_never_sent_again() {
    let steps: [(&[&str], &str, usize); 4] = [
        (&["--silent-at", "initialize"], "initialize", 0),
        (&["--silent-at", "session/new"], "session/new", 0),
        (&["--silent-at", "session/prompt"], "session/prompt", 1),
        (&[], "told", 1),
    ];
    let check = async |(args, there, prompts): (&[&str], &str, usize)| {
        let (daemon, id, prompt, log) = killed(args, there).await;
        let session = daemon.session(&id);
        let begin = Instant::now();
        let accepted = session.submit(&prompt).await.json(202);
        let receipt = session.run(accepted["runID"].as_str().expect("an id")).await;
        assert!(begin.elapsed() < Duration::from_secs(1), "{there}: took {:?}", begin.elapsed());
        assert_eq!(receipt["state"], "interrupted", "{there}: {receipt}");
        assert_eq!(receipt["error"]["code"], "runtime_stopped", "{there}: {receipt}");
        assert_eq!(session.submit(&prompt).await.json(202), accepted, "{there}");
        session.submit(&Prompt::text("text other").key("once")).await.refusal(409, "request_conflict");
        assert_eq!(log.received("session/prompt").len(), prompts, "{there}");
        session.assert_transcript_is_told().await;
    };
    join_all(steps.map(check)).await;
}

#[tokio::test]
async fn of_two_prompts_that_two_daemons_admit_at_once_under_one_key_one_counts() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let serve = serve.config(config);
    let (one, two) = (serve.start().await, serve.start().await);
    for round in 1..=4 {
        // Neither has an actor for the session.
        let id = one.new_session().await;
        let prompts = ["text a", "text b"].map(|text| Prompt::text(text).key("same"));
        let calls = [(&one, 0), (&two, 1), (&one, 1), (&two, 0)];
        let submit = async |(daemon, prompt): (&Daemon, usize)| {
            let text = prompts.get(prompt).expect("one of the two");
            (prompt, daemon.session(&id).submit(text).await)
        };
        // Both have decided when the lock is let go: one commit finds the other's.
        let lock = Lock::hold(one.world()).await;
        let free = async {
            for _ in 0..10 {
                tokio::join!(one.get("/session"), two.get("/session"));
            }
            drop(lock);
        };
        let (replies, ()) = tokio::join!(join_all(calls.map(submit)), free);
        let accepted: Vec<&(usize, Reply)> =
            replies.iter().filter(|(_, reply)| reply.status == 202).collect();
        let (winner, first) = accepted.first().expect("one is accepted");
        assert_eq!(accepted.len(), 2, "round {round}");
        let first = first.json(202);
        assert!(accepted.iter().all(|(prompt, reply)| prompt == winner && reply.json(202) == first));
        for (_, reply) in replies.iter().filter(|(prompt, _)| prompt != winner) {
            reply.refusal(409, "request_conflict");
        }
        let run = first["runID"].as_str().expect("an id");
        let receipt = two.session(&id).settled(run).await;
        assert_eq!(receipt["state"], "completed", "round {round}: {receipt}");
        assert_eq!(one.session(&id).messages().await.len(), 2, "round {round}");
        assert_eq!(log.received("session/prompt").len(), round);
        one.session(&id).assert_transcript_is_told().await;
    }
}

#[tokio::test]
async fn a_retry_at_the_living_daemon_gets_the_receipt_of_the_killed_one() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let serve = serve.config(config);
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.new_session().await;
    let prompt = Prompt::text("text done\nhang").key("once");
    let accepted = one.session(&id).submit(&prompt).await.json(202);
    eventually("the agent has it", async || log.received("session/prompt").first().map(drop)).await;
    one.crash().await;
    let session = two.session(&id);
    assert_eq!(session.submit(&prompt).await.json(202), accepted);
    let run = accepted["runID"].as_str().expect("an id");
    assert_eq!(session.settled(run).await["state"], "interrupted");
    assert_eq!(session.submit(&prompt).await.json(202), accepted);
    assert_eq!(log.received("session/prompt").len(), 1);
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn clients_that_work_on_one_session_at_the_same_time_disturb_nobody() {
    let serve = Serve::new();
    let (daemon, neighbour) = (serve.start().await, serve.start().await);
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let path = format!("/session/{id}");
    let rename = async {
        for number in 0..40 {
            let changed =
                neighbour.patch(&path, &json!({"title": format!("Title {number}")})).await.json(200);
            assert_eq!(changed["title"], format!("Title {number}"));
        }
    };
    let mark = async {
        for number in 1..=40 {
            daemon.patch(&path, &json!({"time": {"pinned": number}})).await.json(200);
        }
    };
    let work = async {
        for round in 0..6 {
            let run = session.say("say 20\nask make\nsay 20").await;
            let asked = session.permission().await;
            let wanted = match round % 3 {
                0 => {
                    session.cancel(&run).await.json(200);
                    "cancelled"
                }
                1 => {
                    session.reply(asked["id"].as_str().expect("an id"), "reject").await.json(200);
                    "completed"
                }
                _ => {
                    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
                    "completed"
                }
            };
            assert_eq!(session.settled(&run).await["state"], wanted, "round {round}");
        }
    };
    tokio::join!(rename, mark, work);
    let last = daemon.get(&path).await.json(200);
    assert_eq!((&last["title"], &last["time"]["pinned"]), (&json!("Title 39"), &json!(40)));
    assert_eq!(neighbour.get(&path).await.json(200), last);
    session.assert_transcript_is_told().await;
    let daemon = daemon.stop().await.1.start().await;
    assert_eq!(daemon.get(&path).await.json(200), last);
}

#[tokio::test]
async fn a_follow_up_whose_answer_was_lost_is_retried_and_sent_once() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("ask 1").await;
    let asked = session.permission().await;
    let prompt = Prompt::text("text after").key("follow-up");
    let lost = send(session, &prompt).await;
    eventually("it is admitted", async || (session.messages().await.len() == 3).then_some(())).await;
    drop(lost);
    let accepted = session.submit(&prompt).await.json(202);
    assert_eq!(accepted["runID"], run);
    session.submit(&Prompt::text("text other").key("follow-up")).await.refusal(409, "request_conflict");
    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    assert_eq!(session.settled(&run).await["state"], "completed");
    assert_eq!(session.submit(&prompt).await.json(202), accepted, "also after the end");
    assert_eq!((log.received("session/prompt").len(), session.messages().await.len()), (2, 4));
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_follow_up_that_two_daemons_admit_at_once_is_one_turn() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let serve = serve.config(config);
    let (one, two) = (serve.start().await, serve.start().await);
    let id = one.new_session().await;
    for round in 1..=3 {
        let run = one.session(&id).say("ask 1").await;
        let asked = one.session(&id).permission().await;
        let prompt = Prompt::text("text after").key(&format!("key-{round}"));
        let calls = [&one, &two, &one, &two].map(|daemon| (daemon, &prompt, &id));
        let submit = async |(daemon, prompt, id): (&Daemon, &Prompt, &String)| {
            daemon.session(id).submit(prompt).await.json(202)
        };
        let accepted = join_all(calls.map(submit)).await;
        let first = accepted.first().expect("answers");
        assert_eq!(first["runID"], run, "round {round}");
        assert!(accepted.iter().all(|answer| answer == first), "{accepted:?}");
        one.session(&id).reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
        assert_eq!(two.session(&id).settled(&run).await["state"], "completed");
        assert_eq!(log.received("session/prompt").len(), 2 * round);
        assert_eq!(two.session(&id).messages().await.len(), 4 * round);
    }
    two.session(&id).assert_transcript_is_told().await;
}

#[tokio::test]
async fn prompts_that_chase_cancels_all_end_and_leave_the_session_idle() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let mut runs = Vec::new();
    for round in 0..40_usize {
        let run = session.say(["say 30 3", "hang", "say 1", "say 2\nask make"][round % 4]).await;
        for _ in 0..round % 3 {
            session.snapshot().await;
        }
        session.cancel(&run).await.json(200);
        // At once, whatever has become of that one.
        runs.push(run);
    }
    runs.push(session.say("say 5").await);
    for run in &runs {
        let receipt = session.settled(run).await;
        let state = receipt["state"].as_str().expect("a state");
        assert!(["completed", "cancelled"].contains(&state), "{receipt}");
    }
    let last = session.run(runs.last().expect("runs")).await;
    assert_eq!(last["state"], "completed", "{last}");
    assert!(session.answer(&last).await.ends_with("w1 w2 w3 w4 w5"));
    eventually("it is idle", async || {
        (daemon.get("/session/status").await.json(200) == json!({})).then_some(())
    })
    .await;
    let events = session.events(0).await;
    let ends = events.iter().filter(|event| event.is_terminal()).count();
    runs.sort_unstable();
    runs.dedup();
    assert_eq!(ends, runs.len(), "each run ends once");
    session.assert_transcript_is_told().await;
}
