//! Agents as processes: how they start, die and leave nothing behind. The
//! agents are shell scripts; ids of our requests count from 1.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use openscience_acp::{
    AcpLimits, AgentError, Connection, Launch, MARK_VARIABLE, Offer, SessionEvent, become_subreaper, connect,
    events,
};
use openscience_protocol::RunError;
use rustix::process::{Pid, PidfdFlags, pidfd_open};
use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::peer::{Events, answered, blocks, failed, limits, turn};

const INITIALIZE: &str = r#"read -r _; echo '{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}';"#;
const NEW: &str = r#"read -r _; echo '{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s1"}}';"#;

fn launch(script: &str) -> Launch {
    Launch {
        agent: "script".into(),
        command: "sh".into(),
        args: vec!["-c".to_owned(), script.to_owned()],
        env: BTreeMap::from([
            ("KEY".to_owned(), "sk-very-secret".to_owned()),
            ("MODE".to_owned(), "on".to_owned()),
        ]),
        secrets: vec!["key-of-a-server".to_owned()],
        base_env: vec![("PATH".to_owned(), "/usr/local/bin:/usr/bin:/bin".to_owned())],
        cwd: std::env::temp_dir(),
        exec_child: None,
        ordered: false,
        offer: Offer::ALL,
        mark: format!("{}-{:?}", std::process::id(), std::thread::current().id()),
    }
}

fn quick() -> AcpLimits {
    AcpLimits { stop_grace: Duration::from_millis(400), ..limits() }
}

async fn opened(script: &str) -> (Connection, Events) {
    let connection = connect(launch(&[INITIALIZE, NEW, script].concat()), quick()).await.unwrap();
    let (sink, events) = events(64);
    connection.new_session(Path::new("/"), sink).await.unwrap();
    (connection, Events(events))
}

/// A shell line that tells a text of session `s1`.
fn say(text: &str) -> String {
    format!(
        r#"printf '{{"method":"session/update","params":{{"sessionId":"s1","update":{{"sessionUpdate":"agent_message_chunk","content":{{"type":"text","text":"%s"}}}}}}}}\n' "{text}";"#
    )
}

/// Resolves when the process is dead.
pub(crate) async fn death(pid: i32) {
    let Ok(handle) = pidfd_open(Pid::from_raw(pid).unwrap(), PidfdFlags::empty()) else { return };
    #[expect(deprecated, reason = "its successor is unsafe; an owned descriptor is fine")]
    let handle = AsyncFd::new(handle).unwrap();
    let dead = tokio::time::timeout(Duration::from_secs(20), handle.readable()).await;
    dead.expect("the process lives").unwrap().clear_ready();
}

fn exists(pid: i32) -> bool {
    Path::new(&format!("/proc/{pid}")).exists()
}

#[tokio::test]
async fn an_exit_before_the_handshake_is_told_with_its_reason() {
    let script = "echo one >&2; echo $KEY two key-of-a-server >&2; echo three >&2; exit 7";
    let error = RunError::from(connect(launch(script), quick()).await.unwrap_err());
    assert_eq!((error.code.as_str(), error.stage.as_deref()), ("agent_start_failed", Some("initialize")));
    assert_eq!(error.exit.as_deref(), Some("exit status: 7"));
    assert_eq!(error.stderr.as_deref(), Some("one\n[masked] two [masked]\nthree"));

    // One real agent says goodbye on stdout and exits with success.
    let error = RunError::from(connect(launch("echo no longer maintained"), quick()).await.unwrap_err());
    assert_eq!((error.code.as_str(), error.exit.as_deref()), ("agent_start_failed", Some("exit status: 0")));
    assert_eq!(error.stderr.as_deref(), Some("no longer maintained"));
}

#[tokio::test]
async fn an_exit_before_the_session_is_told_with_its_reason() {
    let script = format!("{INITIALIZE} read -r _; echo broke >&2; exit 3");
    let connection = connect(launch(&script), quick()).await.unwrap();
    let (sink, _events) = events(8);
    let error = RunError::from(connection.new_session(Path::new("/"), sink).await.unwrap_err());
    assert_eq!((error.code.as_str(), error.stage.as_deref()), ("agent_exited", Some("session")));
    assert_eq!((error.exit.as_deref(), error.stderr.as_deref()), (Some("exit status: 3"), Some("broke")));
    assert!(connection.is_closed() && connection.pid().is_none());
}

#[tokio::test]
async fn an_exit_in_mid_turn_fails_the_turn_and_keeps_its_text() {
    for (end, exit) in
        [("exit 0", "exit status: 0"), ("exit 137", "exit status: 137"), ("kill -9 $$", "signal: 9")]
    {
        let script = format!("read -r _; {} echo why >&2; {end}", say("words"));
        let (connection, mut events) = opened(&script).await;
        connection.prompt("s1", turn(1), blocks("hi")).unwrap();
        let (text, ended) = events.rest().await;
        let error = failed(ended);
        assert_eq!((text.as_str(), error.code.as_str()), ("words", "agent_exited"));
        assert_eq!((error.exit.as_deref(), error.stderr.as_deref()), (Some(exit), Some("why")));
        assert_eq!(error.stage.as_deref(), Some("prompt"));
        assert!(
            matches!(events.next().await, SessionEvent::Exited(error) if error.exit.as_deref() == Some(exit))
        );
    }
}

#[tokio::test]
async fn what_cannot_be_started_is_told_apart() {
    let missing = Launch { command: "no-such-agent".into(), ..launch("") };
    let error = RunError::from(connect(missing, quick()).await.unwrap_err());
    assert_eq!((error.code.as_str(), error.stage.as_deref()), ("agent_start_failed", Some("start")));
    assert!(
        error.message.contains("no-such-agent") && error.message.contains("/usr/bin"),
        "{}",
        error.message
    );

    let elsewhere = Launch { cwd: "/no/such/folder".into(), ..launch("") };
    assert!(matches!(connect(elsewhere, quick()).await, Err(AgentError::DirectoryMissing)));

    let no_program = Launch { command: "/etc/passwd".into(), ..launch("") };
    assert!(matches!(connect(no_program, quick()).await, Err(AgentError::Spawn(_))));
}

#[tokio::test]
async fn an_agent_that_says_nothing_is_given_up_and_killed() {
    let limits = AcpLimits { start_timeout: Duration::from_millis(300), ..quick() };
    let error = connect(launch("echo $$ >&2; exec sleep 1000"), limits).await.unwrap_err();
    let AgentError::Timeout { stderr, .. } = &error else { panic!("{error:?}") };
    death(stderr.trim().parse().unwrap()).await;
    assert_eq!(RunError::from(error).code, "agent_start_failed");
}

#[tokio::test]
async fn the_child_gets_the_given_environment_and_nothing_else() {
    let connection = connect(launch(&format!("{INITIALIZE} env >&2; read -r _")), quick()).await.unwrap();
    connection.stop().await;
    let tail = connection.stderr_tail();
    let mut names: Vec<&str> = tail.lines().filter_map(|line| line.split('=').next()).collect();
    names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name));
    names.sort_unstable();
    assert_eq!(names, ["KEY", "MODE", MARK_VARIABLE, "PATH"]);
    assert!(tail.contains("KEY=[masked]") && tail.contains("MODE=on"), "{tail}");
}

/// An agent with a child, an escapee of another session and one without environment.
const FAMILY: &str = "sleep 1000 & a=$!; setsid sleep 1000 & b=$!; env -i setsid sleep 1000 & c=$!;";

async fn family(rest: &str) -> (Connection, Vec<i32>) {
    become_subreaper().unwrap();
    let (connection, mut events) = opened(&format!("{FAMILY} {} {rest}", say("$$ $a $b $c"))).await;
    let pids: Vec<i32> = events.text().await.split(' ').map(|pid| pid.parse().unwrap()).collect();
    assert!(pids.len() == 4 && pids.iter().all(|pid| exists(*pid)), "{pids:?}");
    (connection, pids)
}

#[tokio::test]
async fn stopping_ends_the_whole_tree() {
    let (connection, pids) = family("read -r _").await;
    assert_eq!(connection.pid(), u32::try_from(pids[0]).ok());
    connection.stop().await;
    assert_eq!(pids.iter().filter(|pid| exists(**pid)).count(), 0, "{pids:?}");
    connection.stop().await;
}

#[tokio::test]
async fn killing_ends_the_whole_tree_at_once() {
    let (connection, pids) = family("trap '' TERM; while :; do sleep 1000; done").await;
    connection.kill();
    for pid in &pids {
        death(*pid).await;
    }
    assert_eq!(connection.closed().await.exit.as_deref(), Some("signal: 9"));
    assert_eq!(pids.iter().filter(|pid| exists(**pid)).count(), 0, "{pids:?}");
}

#[tokio::test]
async fn what_an_agent_leaves_behind_goes_with_it() {
    become_subreaper().unwrap();
    let script = format!("sleep 1000 & a=$!; setsid sleep 1000 & b=$!; {} read -r _; exit 5", say("$a $b"));
    let (connection, mut events) = opened(&script).await;
    let pids: Vec<i32> = events.text().await.split(' ').map(|pid| pid.parse().unwrap()).collect();
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    assert_eq!(connection.closed().await.exit.as_deref(), Some("exit status: 5"));
    assert_eq!(pids.iter().filter(|pid| exists(**pid)).count(), 0, "{pids:?}");
}

#[tokio::test]
async fn orphans_that_died_long_ago_are_reaped() {
    become_subreaper().unwrap();
    let orphan = "p=$(sh -c 'setsid sleep 0.1 >/dev/null & echo $!'); sleep 0.3;";
    let (connection, mut events) = opened(&format!("{orphan} {} read -r _", say("$p"))).await;
    let pid: i32 = events.text().await.parse().unwrap();
    assert!(exists(pid), "it waits to be reaped");
    connection.stop().await;
    assert!(!exists(pid));
}

#[tokio::test]
async fn an_agent_that_ignores_everything_is_killed_within_the_grace() {
    let (connection, _events) = opened("trap '' TERM HUP INT; while :; do sleep 1000; done").await;
    let start = Instant::now();
    connection.stop().await;
    assert!(start.elapsed() >= quick().stop_grace && start.elapsed() < Duration::from_secs(10));
    assert_eq!(connection.closed().await.exit.as_deref(), Some("signal: 9"));
}

#[tokio::test]
async fn an_agent_that_goes_when_asked_is_not_killed() {
    let (connection, _events) = opened("read -r _; exit 0").await;
    connection.stop().await;
    assert_eq!(connection.closed().await.exit.as_deref(), Some("exit status: 0"));
}

#[tokio::test]
async fn an_agent_that_closed_its_stdout_is_of_no_use() {
    let (connection, mut events) = opened("exec sleep 1000 >&-").await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    assert_eq!(failed(events.rest().await.1).code, "agent_exited");
}

#[tokio::test]
async fn an_agent_that_closed_its_stdin_is_of_no_use() {
    let script = format!("exec <&-; {} exec sleep 1000", say("deaf"));
    let (connection, mut events) = opened(&script).await;
    assert_eq!(events.text().await, "deaf");
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    assert_eq!(failed(events.rest().await.1).code, "agent_exited");
    assert!(connection.is_closed());
}

#[tokio::test]
async fn the_agent_goes_with_the_last_who_can_speak_to_it() {
    let (connection, _events) = opened("read -r _").await;
    let pid = i32::try_from(connection.pid().unwrap()).unwrap();
    let clone = connection.clone();
    drop(connection);
    assert!(!clone.is_closed());
    drop(clone);
    death(pid).await;
}

#[tokio::test]
async fn a_flood_on_stderr_stops_nobody() {
    let flood = "yes \"a line with $KEY in it\" | head -c 10000000 >&2;";
    let script =
        format!(r#"read -r _; {flood} echo '{{"id":3,"result":{{"stopReason":"end_turn"}}}}'; read -r _"#);
    let (connection, mut events) = opened(&script).await;
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    assert_eq!(answered(events.rest().await.1), "end_turn");
    connection.stop().await;
    let tail = connection.stderr_tail();
    assert!(tail.len() <= 64 << 10 && tail.len() > 32 << 10, "{}", tail.len());
    assert!(!tail.contains("secret") && tail.contains("a line with [masked] in it"));
}

/// An agent of two sessions that works for the first and fails for the second.
async fn of_two_sessions(failure: &str) -> (Connection, [Events; 2]) {
    let second = r#"read -r _; echo '{"id":3,"result":{"sessionId":"s2"}}';"#;
    let work = format!(
        r#"echo at start >&2; {second} read -r _; echo "of the first $KEY" >&2; {}
        echo '{{"id":4,"result":{{"stopReason":"end_turn"}}}}'; read -r _; {failure}"#,
        say("done")
    );
    let (connection, mut first) = opened(&work).await;
    let (sink, events) = events(64);
    connection.new_session(Path::new("/"), sink).await.unwrap();
    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    assert_eq!(first.stderr().await, "of the first [masked]");
    assert_eq!(answered(first.rest().await.1), "end_turn");
    (connection, [first, Events(events)])
}

#[tokio::test]
async fn the_error_of_a_turn_tells_the_stderr_of_that_turn_only() {
    let refusal = r#"echo '{"id":5,"error":{"code":-32603,"message":"no"}}'; read -r _"#;
    let (connection, [_, mut second]) = of_two_sessions(refusal).await;
    connection.prompt("s2", turn(2), blocks("hi")).unwrap();
    let error = failed(second.rest().await.1);
    assert_eq!((error.code.as_str(), error.stderr), ("prompt_failed", None));
    assert_eq!(connection.stderr_tail(), "at start\nof the first [masked]\n");

    let own_words = format!("echo of the second >&2; read -r _; {refusal}");
    let (connection, [_, mut second]) = of_two_sessions(&own_words).await;
    connection.prompt("s2", turn(2), blocks("hi")).unwrap();
    assert_eq!(second.stderr().await, "of the second");
    // The line it waits for before it answers.
    connection.cancel("s2");
    let error = failed(second.rest().await.1);
    assert_eq!((error.code.as_str(), error.stderr.as_deref()), ("prompt_failed", Some("of the second")));
}

#[tokio::test]
async fn an_exit_tells_a_turn_what_was_written_during_it_and_nothing_of_others() {
    for (failure, stderr) in [("exit 3", None), ("echo of the second >&2; exit 3", Some("of the second"))] {
        let (connection, [mut first, mut second]) = of_two_sessions(failure).await;
        connection.prompt("s2", turn(2), blocks("hi")).unwrap();
        let error = failed(second.rest().await.1);
        assert_eq!((error.code.as_str(), error.stderr.as_deref()), ("agent_exited", stderr));
        let SessionEvent::Exited(error) = first.next().await else { panic!("no exit") };
        assert!(error.stderr.is_some_and(|all| all.starts_with("at start\nof the first")));
    }
}

#[tokio::test]
async fn an_agent_dies_with_the_process_that_started_it() {
    let host = host();
    #[expect(clippy::disallowed_methods, reason = "the test plays the user who starts the daemon")]
    let mut child = tokio::process::Command::new(&host)
        .args(["hold", "sh", "-c"])
        .arg(format!("{INITIALIZE} exec sleep 1000"))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let pid: i32 = lines.next_line().await.unwrap().expect("a pid").parse().unwrap();
    assert!(exists(pid));
    child.kill().await.unwrap();
    death(pid).await;
}

#[tokio::test]
async fn the_step_before_the_agent_passes_everything_on() {
    let script = format!("{INITIALIZE} read -r _; echo \"$0 $1\" >&2; exit 4");
    let mut launch = launch(&script);
    launch.args.extend(["--flag".to_owned(), "a b".to_owned()]);
    launch.exec_child = Some(host());
    let connection = connect(launch, quick()).await.unwrap();
    let refused = connection.set_mode("s", "m").await.unwrap_err();
    let error = RunError::from(refused);
    assert_eq!(
        (error.exit.as_deref(), error.stderr.as_deref()),
        (Some("exit status: 4"), Some("--flag a b"))
    );
}

/// The example that stands in for the daemon; built with the tests.
fn host() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    test.parent().and_then(Path::parent).unwrap().join("examples").join("host")
}
