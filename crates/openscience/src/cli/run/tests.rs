//! What arguments mean.

use clap::Parser as _;
use clap::error::ErrorKind;
use serde_json::{Value, json};

use super::*;

/// The arguments alone.
#[derive(Debug, clap::Parser)]
struct Line {
    #[command(flatten)]
    args: Args,
}

fn parse(arguments: &[&str]) -> Result<Args, ErrorKind> {
    let line = Line::try_parse_from(["run"].iter().chain(arguments));
    line.map(|line| line.args).map_err(|error| error.kind())
}

/// The prompt as a daemon gets it.
fn input(arguments: &[&str]) -> Value {
    let session = json!({
        "id": "ses_1", "slug": "1", "projectID": "prj_1", "directory": "/p", "workspace": "isolated", "title": "t",
        "version": "0", "time": {"created": 1, "updated": 1}, "agent": "codex",
    });
    let session: Session = serde_json::from_value(session).unwrap();
    let prompt = Prompt { text: "hi".to_owned(), files: Vec::new() };
    let mut input = json!(parse(arguments).unwrap().input(&session, prompt));
    assert!(input["requestID"].is_string(), "{input}");
    input.as_object_mut().unwrap().remove("requestID");
    input
}

#[test]
fn what_is_not_said_is_left_out_of_the_prompt() {
    assert_eq!(input(&["hi"]), json!({"sessionID": "ses_1", "effort": "normal", "message": "hi"}));
}

#[test]
fn every_flag_of_the_prompt_reaches_it() {
    let arguments = [
        "-m",
        "openai/o4/mini",
        "--variant",
        "high",
        "--effort",
        "ultra",
        "--deadline",
        "90",
        "--delegation",
        "light",
        "--worker-model",
        "small",
        "--autonomy",
        "autonomous",
        "--",
        "-hi",
    ];
    let settings = json!({
        "level": "light", "workerModel": {"providerID": "codex", "modelID": "small"}, "autonomy": "autonomous",
    });
    let expected = json!({
        "sessionID": "ses_1", "effort": "ultra", "message": "hi",
        "model": {"providerID": "openai", "modelID": "o4/mini"}, "variant": "high", "delegation": true,
        "delegationSettings": settings, "deadlineMs": 90_000,
    });
    assert_eq!(input(&arguments), expected);
    assert_eq!(parse(&arguments).unwrap().message, ["-hi"]);
}

#[test]
fn delegation_may_stand_alone() {
    assert_eq!(input(&["--delegation", "--", "hi"])["delegationSettings"]["level"], "standard");
    assert_eq!(input(&["--delegation", "off", "hi"])["delegation"], false);
}

#[test]
fn the_line_of_a_harness_is_understood() {
    let arguments = [
        "--format",
        "json",
        "--auto-approve",
        "--workspace",
        "project",
        "--model",
        "provider/model",
        "--",
        "do it",
    ];
    let args = parse(&arguments).unwrap();
    assert_eq!(args.policy(), Policy::Approve);
    assert_eq!((args.format, args.workspace), (Format::Json, Some(WorkspaceMode::Project)));
    assert_eq!(parse(&["--dangerously-skip-permissions", "x"]).unwrap().policy(), Policy::Approve);
    assert_eq!(parse(&["--deny-prompts", "x"]).unwrap().policy(), Policy::Deny);
}

#[test]
fn what_contradicts_itself_is_refused() {
    for arguments in [
        vec!["--auto-approve", "--deny-prompts", "x"],
        vec!["--session", "ses_1", "--continue", "x"],
        vec!["--session", "ses_1", "--title", "t", "x"],
        vec!["--attach", "http://127.0.0.1:1", "--data-dir", "/d", "x"],
    ] {
        assert_eq!(parse(&arguments).unwrap_err(), ErrorKind::ArgumentConflict, "{arguments:?}");
    }
    for arguments in
        [["--model", "/m"], ["--model", ""], ["--deadline", "0"], ["--deadline", "1m"], ["--session", "x"]]
    {
        assert_eq!(parse(&arguments).unwrap_err(), ErrorKind::ValueValidation, "{arguments:?}");
    }
    assert_eq!(parse(&["--workspace", "shared"]).unwrap_err(), ErrorKind::InvalidValue);
}
