//! Does `openscience run --attach` do through a daemon what it does by itself?

use std::path::Path;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::json;

use crate::support::{BINARY, Daemon, Lines, Process, Prompt, Serve, eventually, signal};

const LIMIT: Duration = Duration::from_secs(30);

fn start(daemon: &Daemon, args: &[&str]) -> Process {
    let attach = ["run", "--attach", &daemon.url, "--format", "json"];
    let args: Vec<String> = attach.iter().chain(args).map(|&arg| arg.to_owned()).collect();
    let (world, env) = (&daemon.serve.world, daemon.serve.environment());
    Process::start(world, Path::new(BINARY), &args, &env, &world.project())
}

async fn finish(mut process: Process) -> (Option<i32>, Lines) {
    let code = process.end(LIMIT).await.code();
    let lines = Lines::read(&process.stdout());
    assert_eq!(lines.done()["exitCode"].as_i64().map(i32::try_from), code.map(Ok), "{}", process.stderr());
    (code, lines)
}

async fn lines(daemon: &Daemon, args: &[&str]) -> Lines {
    finish(start(daemon, args)).await.1
}

#[tokio::test]
async fn an_attached_run_tells_the_same_lines_and_starts_nothing_of_its_own() {
    let daemon = Serve::new().token("secret").start().await;
    let prompt = "say 3\nthink 2\nask make\ntool bash {}\nsay 2";
    let lines =
        lines(&daemon, &["--auto-approve", "--workspace", "project", "--title", "Mine", prompt]).await;
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
    let session = daemon.get(&format!("/session/{}", lines.session())).await.json(200);
    assert_eq!((&session["title"], &session["workspace"]), (&json!("Mine"), &json!("project")));
    let again = self::lines(&daemon, &["--continue", "say 1"]).await;
    assert_eq!(again.session(), lines.session());
    let owners = std::fs::read_dir(daemon.world().data().join("owners")).expect("owners").count();
    assert_eq!(owners, 1, "the daemon alone");
    daemon.session(lines.session()).assert_transcript_is_told().await;
}

#[tokio::test]
async fn refusals_of_the_daemon_have_their_exit_codes() {
    let daemon = Serve::new().token("secret").start().await;
    let check = async |args: &[&str], says: &str, code: i32| {
        let mut process = start(&daemon, args);
        assert_eq!(process.end(LIMIT).await.code(), Some(code), "{}", process.stderr());
        assert!(process.stderr().contains(says) && process.stdout().is_empty(), "{}", process.stderr());
    };
    check(&["--agent", "nobody", "hi"], "configured: sim", 2).await;
    check(&["--session", "ses_missing", "hi"], "ses_missing", 2).await;
    let (_, model) = finish(start(&daemon, &["--model", "a/b", "hi"])).await;
    assert_eq!(
        (&model.done()["exitCode"], &model.done()["reason"]),
        (&json!(2), &json!("model_not_available"))
    );
    let stranger = daemon.serve.clone().token("another");
    let mut process = stranger.run(&["run", "--attach", &daemon.url, "hi"]);
    assert_eq!(process.end(LIMIT).await.code(), Some(2), "{}", process.stderr());
    let (_, serve) = daemon.stop().await;
    let mut nobody = serve.run(&["run", "--attach", "http://127.0.0.1:9", "hi"]);
    assert_eq!(nobody.end(LIMIT).await.code(), Some(1));
    assert!(nobody.stderr().contains("no daemon answers"), "{}", nobody.stderr());
}

#[tokio::test]
async fn a_signal_to_an_attached_run_cancels_it_at_the_daemon() {
    let daemon = Daemon::start().await;
    let mut process = start(&daemon, &["say 100000 5"]);
    started(&mut process).await;
    signal(process.pid, Signal::INT);
    let (code, lines) = finish(process).await;
    assert_eq!((code, &lines.done()["reason"]), (Some(130), &json!("cancelled")));
    let session = daemon.session(lines.session());
    let run = session.snapshot().await["runs"][0]["runID"].as_str().expect("a run").to_owned();
    assert_eq!(session.settled(&run).await["state"], "cancelled");
}

async fn started(process: &mut Process) {
    eventually("a step", async || process.stdout().contains("\"step_start\"").then_some(())).await;
}

#[tokio::test]
async fn a_daemon_that_crashes_and_comes_back_tells_how_the_run_ended() {
    let daemon = Daemon::start().await;
    let port = daemon.port().to_string();
    let mut process = start(&daemon, &["say 100000 5"]);
    started(&mut process).await;
    let serve = daemon.crash().await;
    let data = serve.world.data().display().to_string();
    let again = serve.run(&["serve", "--port", &port, "--format", "json", "--data-dir", &data]);
    let daemon = serve.adopt(again).await;
    let (code, lines) = finish(process).await;
    assert_eq!((code, &lines.done()["reason"]), (Some(1), &json!("runtime_stopped")));
    daemon.session(lines.session()).assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_prompt_that_joins_a_run_tells_only_steps_it_has_seen_begin() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.prompt(&Prompt::text("say 5\nsleep 1500\nsay 5")).await;
    session.running(&run).await;
    let lines = lines(&daemon, &["--session", &id, "say 2"]).await;
    assert_eq!(lines.types(), ["user", "step_start", "text", "step_finish", "done"]);
    assert_eq!(lines.text(), "w1 w2");
    assert_eq!(session.settled(&run).await["state"], "completed");
}
