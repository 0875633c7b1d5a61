//! Is `openscience run` pleasant at a terminal?
//!
//! Runs it at a terminal of its own, reads what is shown there and types answers.

use std::time::Duration;

use serde_json::json;

use crate::support::{BINARY, Process, Serve, python, repository};

/// Runs the prompt at a terminal, types `line` once `text` is shown; exit code and what was shown.
async fn at_terminal(serve: &Serve, text: &str, line: &str, args: &[&str]) -> (Option<i32>, String) {
    let script = repository().join("tests/agents/at_terminal.py").display().to_string();
    let data = serve.world.data().display().to_string();
    let head = [script.as_str(), text, line, BINARY, "run", "--data-dir", &data];
    let args: Vec<String> = head.iter().chain(args).map(|&arg| arg.to_owned()).collect();
    let (world, mut env) = (&serve.world, serve.environment());
    env.push(("TERM".to_owned(), "xterm-256color".to_owned()));
    let mut process = Process::start(world, python(), &args, &env, &world.project());
    let code = process.end(Duration::from_secs(30)).await.code();
    (code, process.stdout())
}

#[tokio::test]
async fn a_person_at_the_terminal_is_asked_and_sees_the_answer_as_it_is_said() {
    let serve = Serve::new();
    let (code, shown) =
        at_terminal(&serve, "[y] once", "y", &["sleep 300\nsay 3\nask make\ntool bash {}\nsay 2"]).await;
    assert_eq!(code, Some(0), "{shown}");
    for text in ["at work", "w1 w2 w3", "The agent asks for bash: make", "✓", "bash done", "done (sim"] {
        let text = if text == "bash done" { "bash" } else { text };
        assert!(shown.contains(text), "{text}: {shown}");
    }
    assert!(shown.contains("allowed"), "{shown}");
    assert_eq!(shown.matches("w1 w2 w3").count(), 1, "nothing is said twice: {shown}");
}

#[tokio::test]
async fn a_person_may_refuse_and_a_wrong_key_is_asked_again() {
    let serve = Serve::new();
    let (code, shown) = at_terminal(&serve, "[y] once", "maybe\nn", &["ask make\nsay 1"]).await;
    assert_eq!(code, Some(0), "{shown}");
    assert!(shown.contains("Please answer") && shown.contains("rejected"), "{shown}");
}

#[tokio::test]
async fn colours_are_left_out_where_nobody_wants_them() {
    let coloured = |shown: &str| shown.contains("\u{1b}[32m") || shown.contains("\u{1b}[2m");
    let (_, shown) = at_terminal(&Serve::new(), "", "", &["tool bash {}"]).await;
    assert!(coloured(&shown), "{shown:?}");
    let (_, shown) = at_terminal(&Serve::new().env("NO_COLOR", "1"), "", "", &["tool bash {}"]).await;
    assert!(!coloured(&shown), "{shown:?}");
}

#[tokio::test]
async fn a_failure_is_shown_with_its_reason() {
    let serve = Serve::new().config(json!({"defaultAgent": "sim"}));
    let (code, shown) = at_terminal(&serve, "", "", &["fail -32603"]).await;
    assert_eq!(code, Some(1));
    assert!(shown.contains("failed: prompt_failed"), "{shown}");
}
