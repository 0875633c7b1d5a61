//! Does `openscience run` carry out one prompt and say so in well-formed lines?
//!
//! Black box, as a harness sees it: arguments and standard input in, lines and an exit code out.

use std::fs::File;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{BINARY, Lines, Process, Serve, alive, eventually, kill, python, scripted, signal};

const LIMIT: Duration = Duration::from_secs(30);

/// A finished run.
struct Finished {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

/// Starts `run` with the world's data directory.
fn start(serve: &Serve, args: &[&str]) -> Process {
    start_fed(serve, args, Stdio::null())
}

fn start_fed(serve: &Serve, args: &[&str], stdin: Stdio) -> Process {
    let data = serve.world.data().display().to_string();
    let args = ["run", "--data-dir", &data].iter().chain(args).map(|&arg| arg.to_owned()).collect::<Vec<_>>();
    let (world, env) = (&serve.world, serve.environment());
    Process::fed(world, Path::new(BINARY), &args, &env, &world.project(), stdin)
}

async fn finish(mut process: Process) -> Finished {
    let code = process.end(LIMIT).await.code();
    Finished { code, stdout: process.stdout(), stderr: process.stderr() }
}

async fn run(serve: &Serve, args: &[&str]) -> Finished {
    finish(start(serve, args)).await
}

/// A run that tells JSON lines, which are well formed; its exit code is the one it tells.
async fn lines(serve: &Serve, args: &[&str]) -> Lines {
    let args: Vec<&str> = ["--format", "json"].iter().chain(args).copied().collect();
    told(&run(serve, &args).await)
}

fn told(finished: &Finished) -> Lines {
    let Finished { code, stdout, stderr } = finished;
    assert!(
        stdout.lines().all(|line| line.starts_with('{')),
        "standard output is for lines alone:\n{stdout}"
    );
    assert!(!stderr.lines().any(is_line), "no line of ours on standard error:\n{stderr}");
    let lines = Lines::read(stdout);
    assert_eq!(lines.done()["exitCode"].as_i64().map(i32::try_from), code.map(Ok), "{stdout}\n{stderr}");
    lines
}

fn is_line(text: &str) -> bool {
    serde_json::from_str::<Value>(text).is_ok_and(|value| value["type"].is_string())
}

fn wait_for_line(process: &mut Process, kind: &str) -> impl Future<Output = ()> {
    let wanted = format!("{{\"type\":\"{kind}\"");
    eventually("a line", async move || process.stdout().contains(&wanted).then_some(()))
}

#[tokio::test]
async fn a_prompt_is_carried_out_and_told_in_well_formed_lines() {
    let serve = Serve::new();
    let prompt = "say 3\nthink 2\nask make\ntool bash {\"command\":\"ls\"}\nusage 9\nsay 2";
    let lines = lines(&serve, &["--auto-approve", "--", prompt]).await;
    assert_eq!(
        lines.types(),
        [
            "user",
            "step_start",
            "text",
            "reasoning",
            "permission",
            "tool_use",
            "text",
            "tool_use",
            "text",
            "step_finish",
            "done"
        ]
    );
    assert_eq!(lines.of("user").next().expect("the prompt")["parts"][0]["text"], prompt);
    let permission = lines.of("permission").next().expect("a permission");
    let request = &permission["request"];
    assert_eq!((&request["permission"], &request["patterns"]), (&json!("bash"), &json!(["make"])));
    assert_eq!((&permission["reply"], &request["sessionID"]), (&json!("once"), &permission["sessionID"]));
    let done = lines.done();
    assert_eq!(
        (&done["status"], &done["agent"], &done["children"]),
        (&json!("completed"), &json!("sim"), &json!([]))
    );
    assert_eq!(done.get("reason"), None);
}

#[tokio::test]
async fn the_line_of_a_harness_with_an_unknown_model_ends_with_error_and_done_and_exit_code_2() {
    let serve = Serve::new();
    let data = serve.world.data().display().to_string();
    let line = "exec \"$0\" run --format json --auto-approve --workspace project --model provider/model -- \
                \"instruction\" </dev/null 2>&1";
    let args = ["-c", line, BINARY].map(str::to_owned);
    let mut env = serve.environment();
    env.retain(|(key, _)| key != "OPENSCIENCE_CONFIG_CONTENT");
    env.extend([
        ("OPENSCIENCE_DATA_DIR".to_owned(), data),
        ("OPENSCIENCE_DISABLE_PROJECT_CONFIG".to_owned(), "1".to_owned()),
        ("OPENSCIENCE_DISABLE_AUTOUPDATE".to_owned(), "1".to_owned()),
        ("OPENSCIENCE_SKIP_MIGRATION".to_owned(), "true".to_owned()),
    ]);
    let shared = json!({
        "permission": {"*": "allow"}, "sandbox": {"x": 1}, "agent": {"build": {}}, "provider": {}, "experimental": {},
        "mcp": {"files": {"type": "local", "command": ["true"]}},
    });
    let own = serve.world.config().join("openscience.json");
    std::fs::write(own, shared.to_string()).expect("the configuration");
    let process = Process::start(&serve.world, Path::new("/bin/bash"), &args, &env, &serve.world.project());
    let finished = finish(process).await;
    let lines = Lines::read(&finished.stdout);
    assert_eq!(lines.types(), ["user", "error", "done"]);
    let done = lines.done();
    assert_eq!((&done["exitCode"], finished.code), (&json!(2), Some(2)));
    assert_eq!((&done["status"], &done["reason"]), (&json!("error"), &json!("model_not_available")));
    let said = |text: &str| finished.stdout.lines().filter(|line| line.contains(text)).count();
    assert_eq!(said("the built-in simulator answers"), 1, "{}", finished.stdout);
    assert_eq!(said("unknown keys are ignored"), 1, "{}", finished.stdout);
}

#[tokio::test]
async fn the_line_of_a_harness_with_a_model_that_is_offered_completes() {
    let config = json!({"agents": {"sim": {"models": ["provider/model"]}}});
    let serve = Serve::new().config(config);
    let args = ["--auto-approve", "--workspace", "project", "--model", "provider/model", "--", "instruction"];
    let lines = lines(&serve, &args).await;
    assert_eq!(
        (&lines.done()["status"], lines.text().as_str()),
        (&json!("completed"), "You said: instruction")
    );
}

#[tokio::test]
async fn each_end_has_its_exit_code_and_its_reason() {
    let check = async |prompt: &str, args: &[&str], code: i64, reason: &str| {
        let serve = Serve::new();
        let args: Vec<&str> = args.iter().copied().chain(["--", prompt]).collect();
        let lines = lines(&serve, &args).await;
        let done = lines.done();
        assert_eq!((&done["exitCode"], &done["reason"]), (&json!(code), &json!(reason)), "{prompt}");
        assert!(lines.has("error"), "{prompt}: {:?}", lines.types());
    };
    check("say 2\nfail -32603", &[], 1, "prompt_failed").await;
    check("say 2\nexit 7", &[], 1, "agent_exited").await;
    check("say 2\nhang", &["--deadline", "1"], 1, "deadline_exceeded").await;
    check("say 2\nstop cancelled", &[], 1, "agent_cancelled").await;
    check("ask make\nstop cancelled", &["--deny-prompts"], 3, "permission_denied").await;
    check("ask make\nstop cancelled", &[], 3, "permission_denied").await;
}

#[tokio::test]
async fn a_denied_tool_does_not_end_the_run_and_a_configured_deny_stays_one() {
    let serve = Serve::new().config(json!({"permission": {"bash": {"rm *": "deny"}}}));
    let allowed = lines(&serve, &["--auto-approve", "--", "ask \"rm -rf x\"\nask make\nsay 1"]).await;
    let statuses: Vec<&Value> = allowed.of("tool_use").map(|line| &line["part"]["state"]["status"]).collect();
    assert_eq!(statuses, ["error", "completed"]);
    assert_eq!(allowed.done()["status"], "completed");
    let replies: Vec<&Value> = allowed.of("permission").map(|line| &line["reply"]).collect();
    assert_eq!(replies, ["once"], "what a rule denies is asked of nobody");

    let denied = lines(&serve, &["--deny-prompts", "--", "ask make\nsay 1"]).await;
    assert_eq!(denied.of("permission").next().expect("a permission")["reply"], "reject");
    assert_eq!(denied.done()["status"], "completed", "the agent went on without it");

    let nothing_once =
        lines(&serve, &["--auto-approve", "--", "ask make allow_always,reject_once\nsay 1"]).await;
    assert_eq!(nothing_once.of("permission").next().expect("a permission")["reply"], "reject");
}

#[tokio::test]
async fn a_question_gets_its_first_choice_or_is_dismissed() {
    let serve = Serve::new();
    let answered = lines(&serve, &["--auto-approve", "--", "question Which? | A | B\nsay 1"]).await;
    let line = answered.of("question").next().expect("a question");
    assert_eq!(line["answers"], json!([["A"]]), "{line}");
    assert_eq!(line["request"]["questions"][0]["options"][1]["label"], "B", "{line}");
    assert_eq!(answered.done()["status"], "completed");
    let dismissed = lines(&serve, &["--deny-prompts", "--", "question Which? | A | B\nsay 1"]).await;
    assert_eq!(dismissed.of("question").next().expect("a question")["answers"], json!([]));
}

#[tokio::test]
async fn wrong_arguments_end_with_exit_code_2_and_begin_nothing() {
    let check = async |args: &[&str], says: &str| {
        let serve = Serve::new();
        let args: Vec<&str> = ["--format", "json"].iter().chain(args).copied().collect();
        let Finished { code, stdout, stderr } = run(&serve, &args).await;
        assert_eq!((code, stdout.as_str()), (Some(2), ""), "{args:?}: {stderr}");
        assert!(stderr.contains(says) && !stderr.lines().any(is_line), "{args:?}: {stderr}");
        assert!(!serve.world.data().join("openscience.db").exists() || says.contains("session"), "{args:?}");
    };
    check(&[], "nothing to do").await;
    check(&["--", " \n "], "nothing to do").await;
    check(&["--nope", "hi"], "--nope").await;
    check(&["--auto-approve", "--deny-prompts", "hi"], "--deny-prompts").await;
    check(&["--file", "missing.txt", "hi"], "missing.txt").await;
    check(&["--agent", "nobody", "hi"], "configured: sim").await;
    check(&["--deadline", "1m", "hi"], "--deadline").await;
    check(&["--attach", "https://127.0.0.1:1", "hi"], "--attach").await;
    check(&["--session", "ses_missing", "hi"], "session").await;
    check(&["--continue", "hi"], "session").await;
}

#[tokio::test]
async fn a_wrong_configuration_ends_with_exit_code_2() {
    let serve = Serve::new().config(json!({"stallTimeoutMs": "5s"}));
    let Finished { code, stdout, stderr } = run(&serve, &["--format", "json", "hi"]).await;
    assert_eq!((code, stdout.as_str()), (Some(2), ""));
    assert!(stderr.contains("stallTimeoutMs"), "{stderr}");
}

#[tokio::test]
async fn what_is_piped_in_is_part_of_the_prompt() {
    let serve = Serve::new();
    let path = serve.world.root().join("piped");
    std::fs::write(&path, "say 2\n").expect("a file");
    let piped = || Stdio::from(File::open(&path).expect("a file"));
    let both = finish(start_fed(&serve, &["--format", "json", "think 1"], piped())).await;
    assert_eq!(told(&both).of("user").next().expect("the prompt")["parts"][0]["text"], "think 1\nsay 2");
    let alone = finish(start_fed(&serve, &[], piped())).await;
    assert_eq!((alone.code, alone.stdout.as_str()), (Some(0), "w1 w2\n"));
}

#[tokio::test]
async fn piped_output_carries_the_words_of_the_answer_and_nothing_else() {
    let serve = Serve::new().config(json!({"defaultAgent": "sim"}));
    let finished = run(&serve, &["say 2\nthink 5\nask make\ntool bash {}\nsay 1"]).await;
    assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
    assert_eq!(finished.stdout, "w1 w2\nrejected\nw1\n");
}

#[tokio::test]
async fn an_agent_that_fails_is_quoted_and_its_words_pass_for_none_of_ours() {
    let serve = Serve::new();
    let script = r#"echo '{"type":"done","exitCode":0}' >&2; echo 'no credits' >&2; exit 7"#;
    let agent = json!({"command": "sh", "args": ["-c", script]});
    let serve = serve.config(json!({"agents": {"broken": agent}}));
    let json = lines(&serve, &["hi"]).await;
    let error = &json.of("error").next().expect("an error")["error"];
    assert_eq!(json.done()["reason"], "agent_start_failed");
    assert!(error["data"]["stderr"].as_str().expect("stderr").contains("no credits"), "{error}");
    let text = run(&serve, &["hi"]).await;
    assert_eq!((text.code, text.stdout.as_str()), (Some(1), ""));
    assert!(text.stderr.contains("  | no credits") && !text.stderr.lines().any(is_line), "{}", text.stderr);
}

#[tokio::test]
async fn a_signal_cancels_the_run_closes_its_step_and_ends_with_done() {
    for (sent, code) in [(Signal::INT, 130), (Signal::TERM, 143)] {
        let serve = Serve::new();
        let mut process = start(&serve, &["--format", "json", "think 1\nsay 100000 5"]);
        // The thought ends when the first word is said.
        wait_for_line(&mut process, "reasoning").await;
        signal(process.pid, sent);
        let finished = finish(process).await;
        let lines = told(&finished);
        assert_eq!(finished.code, Some(code));
        let done = lines.done();
        assert_eq!((&done["status"], &done["reason"]), (&json!("error"), &json!("cancelled")));
        let end = lines.of("step_finish").next().expect("the end of the step");
        assert_eq!(end["part"]["reason"], "error");
        assert!(lines.text().starts_with("w1"), "what was said is kept");
        assert_eq!(serve.world.processes(), Vec::<i32>::new(), "nothing is left behind");
    }
}

#[tokio::test]
async fn an_agent_that_ignores_the_cancel_does_not_keep_a_stopped_run() {
    let serve = Serve::new();
    let prompt = "ignore-eof\nignore-term\nignore-cancel\nsay 1\nhang";
    let mut process = start(&serve, &["--format", "json", prompt]);
    wait_for_line(&mut process, "step_start").await;
    signal(process.pid, Signal::TERM);
    let begin = std::time::Instant::now();
    let finished = finish(process).await;
    assert!(begin.elapsed() < Duration::from_secs(10), "took {:?}", begin.elapsed());
    let lines = told(&finished);
    assert_eq!((finished.code, &lines.done()["reason"]), (Some(143), &json!("cancelled")));
    assert_eq!(lines.of("step_finish").next().expect("an end")["part"]["reason"], "error");
    assert_eq!(serve.world.processes(), Vec::<i32>::new(), "nothing is left behind");
    let daemon = serve.start().await;
    let receipt = daemon.session(lines.session()).snapshot().await["runs"][0].clone();
    assert_eq!(receipt["state"], "cancelled", "{receipt}");
}

#[tokio::test]
async fn a_second_signal_ends_everything_at_once() {
    let serve = Serve::new();
    let prompt = "ignore-eof\nignore-term\nignore-cancel\nthink 1\nsay 1\nhang";
    let mut process = start(&serve, &["--format", "json", prompt]);
    wait_for_line(&mut process, "reasoning").await;
    signal(process.pid, Signal::INT);
    let begin = std::time::Instant::now();
    // The first must have been taken, or both count as one.
    eventually("the cancel is recorded", async || recorded_cancel(&serve).await.then_some(())).await;
    signal(process.pid, Signal::INT);
    let finished = finish(process).await;
    assert!(begin.elapsed() < Duration::from_secs(3), "took {:?}", begin.elapsed());
    assert_eq!((finished.code, &told(&finished).done()["reason"]), (Some(130), &json!("cancelled")));
    assert_eq!(serve.world.processes(), Vec::<i32>::new(), "nothing is left behind");
}

/// True once the database says that somebody has cancelled.
async fn recorded_cancel(serve: &Serve) -> bool {
    let script = "import sqlite3, sys; print(sqlite3.connect(sys.argv[1]).execute(\
                  'SELECT count(*) FROM run WHERE cancel IS NOT NULL').fetchone()[0])";
    let database = serve.world.data().join("openscience.db").display().to_string();
    let args = ["-c".to_owned(), script.to_owned(), database];
    let mut process =
        Process::start(&serve.world, python(), &args, &serve.environment(), &serve.world.root());
    process.end(LIMIT).await;
    process.stdout().trim() == "1"
}

#[tokio::test]
async fn a_session_is_continued_by_its_id_and_by_being_the_newest() {
    let serve = Serve::new();
    let first = lines(&serve, &["--workspace", "project", "--title", "First", "say 1"]).await;
    let second = lines(&serve, &["say 2"]).await;
    assert_ne!(first.session(), second.session());
    let by_id = lines(&serve, &["--session", first.session(), "say 3"]).await;
    assert_eq!((by_id.session(), by_id.text().as_str()), (first.session(), "w1 w2 w3"));
    let newest = lines(&serve, &["--continue", "say 4"]).await;
    assert_eq!(newest.session(), first.session(), "the one that was used last");

    let refuse = async |args: &[&str], says: &str| {
        let Finished { code, stderr, .. } = run(&serve, args).await;
        assert_eq!(code, Some(2), "{stderr}");
        assert!(stderr.contains(says), "{stderr}");
    };
    refuse(&["-s", first.session(), "--workspace", "isolated", "hi"], "works in project").await;
    let daemon = serve.start().await;
    let title = daemon.get(&format!("/session/{}", first.session())).await.json(200)["title"].clone();
    assert_eq!(title, "First");
}

#[tokio::test]
async fn what_is_kept_with_the_prompt_is_on_its_message() {
    let serve = Serve::new();
    let args = [
        "--delegation",
        "high",
        "--worker-model",
        "a/b",
        "--autonomy",
        "autonomous",
        "--variant",
        "deep",
        "hi",
    ];
    let lines = lines(&serve, &args).await;
    let daemon = serve.start().await;
    let info = daemon.session(lines.session()).messages().await.first().expect("the prompt")["info"].clone();
    let settings = json!({
        "level": "high", "workerModel": {"providerID": "a", "modelID": "b"}, "autonomy": "autonomous",
    });
    assert_eq!((&info["delegation"], &info["delegationSettings"]), (&json!(true), &settings));
    assert_eq!(info["variant"], "deep");
}

#[tokio::test]
async fn a_daemon_on_the_same_data_sees_the_run_and_cannot_decide_for_it() {
    let daemon = Serve::new().start().await;
    let mut process = start_fed(
        &daemon.serve,
        &["--format", "json", "--port", "0", "say 1\nsleep 400\nask make\nhang"],
        Stdio::null(),
    );
    wait_for_line(&mut process, "step_start").await;
    let first: Value = serde_json::from_str(process.stdout().lines().next().expect("a line")).expect("JSON");
    let id = first["sessionID"].as_str().expect("a session").to_owned();
    let session = daemon.session(&id);
    let run = session.snapshot().await["runs"][0]["runID"].as_str().expect("a run").to_owned();
    session.running(&run).await;
    // Rejected at once where nobody is asked: another process cannot have done that.
    wait_for_line(&mut process, "permission").await;
    signal(process.pid, Signal::INT);
    let lines = told(&finish(process).await);
    assert_eq!(lines.done()["exitCode"], 130);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_run_that_is_killed_is_settled_by_a_daemon_and_its_agent_is_gone() {
    let daemon = Serve::new().start().await;
    let mut process = start(&daemon.serve, &["--format", "json", "say 100000 5"]);
    wait_for_line(&mut process, "step_start").await;
    let first: Value = serde_json::from_str(process.stdout().lines().next().expect("a line")).expect("JSON");
    let id = first["sessionID"].as_str().expect("a session").to_owned();
    let session = daemon.session(&id);
    let run = session.snapshot().await["runs"][0]["runID"].as_str().expect("a run").to_owned();
    let agents = daemon.agents();
    kill(process.pid);
    process.end(LIMIT).await;
    let receipt = session.settled(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("interrupted"), &json!("runtime_stopped"))
    );
    eventually("its agent is gone", async || (!agents.iter().any(|pid| alive(*pid))).then_some(())).await;
    assert_eq!(session.finish("say 1").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn others_may_watch_and_decide_on_the_port_that_was_asked_for() {
    let serve = Serve::new();
    let mut process = start(&serve, &["--format", "json", "--port", "0", "say 1\nsleep 500\nsay 1"]);
    let url = eventually("the address", async || {
        let stderr = process.stderr();
        let (_, rest) = stderr.split_once("listening on ")?;
        Some(rest.split_once(' ')?.0.to_owned())
    })
    .await;
    wait_for_line(&mut process, "step_start").await;
    let health = reqwest::get(format!("{url}/global/health")).await.expect("an answer");
    assert_eq!(health.status(), 200);
    assert_eq!(told(&finish(process).await).done()["status"], "completed");
    assert!(reqwest::get(format!("{url}/global/health")).await.is_err(), "it ends with the run");
}

#[tokio::test]
async fn a_port_that_is_taken_ends_the_run_before_it_begins() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let serve = Serve::new();
    let Finished { code, stdout, stderr } = run(&serve, &["--format", "json", "--port", &port, "hi"]).await;
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert!(stderr.contains(&port) && stderr.contains("--port"), "{stderr}");
}

#[tokio::test]
async fn a_prompt_whose_agent_did_not_start_is_kept_and_can_be_gone_on_with() {
    let serve = Serve::new();
    let broken = serve.clone().config(json!({"agents": {"x": {"command": "no-such-program"}}}));
    let failed = lines(&broken, &["--", "do what takes long to type"]).await;
    assert_eq!(failed.done()["reason"], "agent_start_failed");
    let error = failed.of("error").next().expect("an error")["error"]["data"].clone();
    assert!(error["message"].as_str().expect("a message").contains("no-such-program"), "{error}");
    let mended = serve.config(json!({"agents": {"x": {"command": BINARY, "args": ["agent", "sim"]}}}));
    let again = lines(&mended, &["--continue", "--", "say 1"]).await;
    assert_eq!((again.session(), &again.done()["status"]), (failed.session(), &json!("completed")));
    let daemon = mended.start().await;
    let first = daemon.session(again.session()).messages().await.first().expect("a message").clone();
    assert_eq!(first["parts"][0]["text"], "do what takes long to type");
}

/// Reads as slowly as somebody who has not begun.
const SLOW_READER: &str = "import subprocess, sys, time\n\
    child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE)\n\
    while not __import__('os').path.exists(sys.argv[1]): time.sleep(0.01)\n\
    sys.stdout.buffer.write(child.stdout.read())\n\
    sys.exit(child.wait())\n";

#[tokio::test]
async fn a_reader_that_is_overtaken_by_the_journal_still_gets_every_part_once() {
    const CALLS: usize = 1_500;
    let daemon = Serve::new().start().await;
    let world = &daemon.serve.world;
    let go = world.root().join("go");
    let data = world.data().display().to_string();
    let prompt = format!("say 1\nrepeat {CALLS} tool bash {{\"command\":\"ls\"}}\nsay 3\nhang");
    let args = [
        "-c",
        SLOW_READER,
        &go.display().to_string(),
        BINARY,
        "run",
        "--data-dir",
        &data,
        "--format",
        "json",
        "--deadline",
        "20",
        &prompt,
    ];
    let args = args.map(str::to_owned);
    let process = Process::start(world, python(), &args, &daemon.serve.environment(), &world.project());
    // All of it is said, and nothing beyond the pipe is read yet.
    let id = eventually("it is all said", async || {
        let sessions = daemon.get("/session").await.json(200);
        let id = sessions[0]["id"].as_str()?.to_owned();
        let session = daemon.session(&id);
        let run = session.snapshot().await["latestSequence"].as_u64()?;
        (run > 2 * CALLS as u64 + 5).then_some(id)
    })
    .await;
    let session = daemon.session(&id);
    let run = session.snapshot().await["runs"][0]["runID"].as_str().expect("a run").to_owned();
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    File::create(&go).expect("a file");
    let finished = finish(process).await;
    let lines = told(&finished);
    assert_eq!(lines.of("tool_use").count(), CALLS);
    assert!(lines.text().ends_with("w1 w2 w3"), "{}", lines.text());
    assert_eq!((&lines.done()["reason"], finished.code), (&json!("cancelled"), Some(1)));
}

#[tokio::test]
async fn long_answers_and_long_tool_output_are_told_whole() {
    let fed = async |serve: &Serve, prompt: &str| {
        let path = serve.world.root().join("prompt");
        std::fs::write(&path, prompt).expect("a file");
        let stdin = Stdio::from(File::open(&path).expect("a file"));
        told(&finish(start_fed(serve, &["--format", "json"], stdin)).await)
    };
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &[]);
    let serve = serve.config(config);
    let prompt = format!("text {}", "x".repeat(300_000));
    let lines = fed(&serve, &prompt).await;
    assert_eq!(lines.text().len(), 300_000);
    assert_eq!(lines.of("user").next().expect("the prompt")["parts"][0]["text"], prompt);
    let output = "y".repeat(400_000);
    let lines = fed(&Serve::new(), &format!("tool bash {{\"output\":\"{output}\"}}")).await;
    let told = lines.of("tool_use").next().expect("a call")["part"]["state"]["output"].clone();
    assert_eq!(told.as_str().expect("output").len(), output.len());
}

#[tokio::test]
async fn nobody_reading_the_output_ends_the_run() {
    let serve = Serve::new();
    let data = serve.world.data().display().to_string();
    let prompt = "tool a {}\nsleep 300\ntool b {}\nsleep 300\ntool c {}\nhang";
    let script = format!(
        "'{BINARY}' run --format json --data-dir '{data}' '{prompt}' | head -n 2; exit ${{PIPESTATUS[0]}}"
    );
    let args = ["-c", &script].map(str::to_owned);
    let (world, env) = (&serve.world, serve.environment());
    let finished = finish(Process::start(world, Path::new("/bin/bash"), &args, &env, &world.project())).await;
    assert_eq!((finished.code, finished.stdout.lines().count()), (Some(1), 2), "{}", finished.stderr);
    assert_eq!(world.processes(), Vec::<i32>::new(), "nothing is left behind");
}

#[tokio::test]
async fn the_help_names_what_a_harness_looks_for_and_the_version_stands_alone() {
    let serve = Serve::new();
    let help = run(&serve, &["--help"]).await;
    assert_eq!(help.code, Some(0));
    for text in ["--workspace", "--auto-approve", "Examples:", "Exit codes:"] {
        assert!(help.stdout.contains(text), "{text}: {}", help.stdout);
    }
    let version = finish(serve.run(&["--version"])).await;
    assert_eq!((version.code, version.stdout), (Some(0), format!("{}\n", env!("CARGO_PKG_VERSION"))));
}
