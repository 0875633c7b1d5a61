use serde_json::json;

use super::{Directive, HELP, parse};

#[track_caller]
fn check(line: &str, expected: &Directive) {
    assert_eq!(&parse(line), expected, "{line:?}");
}

#[track_caller]
fn told(line: &str, expected: &str) {
    check(line, &Directive::Tell(expected.to_owned()));
}

#[test]
fn a_line_that_names_no_directive_is_answered_in_words() {
    told("  hello there \r", "You said: hello there");
    told("Say 3", "You said: Say 3");
    told("saying 3", "You said: saying 3");
}

#[test]
fn a_malformed_directive_says_what_is_wrong() {
    told("say", "say: expected a number");
    told("say hello", "say: expected a number");
    told("say 1 2 3", "say: too many arguments");
    told("think 1 2", "think: too many arguments");
    told("say 99999999999", "say: at most 10000000");
    told("tool", "tool: expected a name: tool NAME {JSON}");
    told("tool x {\"a\":", "tool: expected a JSON object");
    told("raw [1]", "raw: expected a JSON object");
    told("exit 256", "exit: expected an exit code from 0 to 255");
    told("fail soon", "fail: expected an error code");
    told("hang on", "hang: takes no arguments");
    told("read a b", "read: expected one path: read PATH");
    told("write \"broken", "write: expected a path: write PATH TEXT");
    told("plan |", "plan: expected entries: plan A | B");
    told("repeat 3", "repeat: expected a number and a directive: repeat N DIRECTIVE");
    told("together ;;", "together: expected directives: together D ;; D");
    told("next session/new say 1", "next: expected a method and a fault: next METHOD fail CODE");
    told("next session/new fail", "next: expected a method and a fault: next METHOD fail CODE");
    told("spawn quietly", "spawn: expected detached, holding or nothing");
    told("ask ls what,ever else", "ask: expected options without spaces, such as allow_once,reject_once");
    told("terminal ls \"x", "terminal: an argument is not a JSON string");
}

#[test]
fn a_json_string_holds_an_argument_with_spaces() {
    check(r#"read "My Dir/\u03b1""#, &Directive::Read("My Dir/α".into()));
    check(
        r#"write a.txt "two\nlines""#,
        &Directive::Write { path: "a.txt".into(), text: "two\nlines".into() },
    );
    check(
        r#"ask "rm -rf x" allow_once"#,
        &Directive::Ask { name: "rm -rf x".into(), options: vec!["allow_once".into()], announced: true },
    );
    check(
        r#"terminal sh -c "echo hi""#,
        &Directive::Terminal { command: "sh".into(), args: vec!["-c".into(), "echo hi".into()] },
    );
}

#[test]
fn arguments_have_defaults() {
    check("say 3", &Directive::Say { words: 3, pace_ms: 0 });
    check("say 3 5", &Directive::Say { words: 3, pace_ms: 5 });
    check(
        "ask-first ls",
        &Directive::Ask {
            name: "ls".into(),
            options: vec!["allow_once".into(), "reject_once".into()],
            announced: false,
        },
    );
    check("tool grep", &Directive::Tool { name: "grep".into(), input: json!({}) });
    check("write empty", &Directive::Write { path: "empty".into(), text: String::new() });
    check("fail -32603", &Directive::Fail(-32603));
}

#[test]
fn directives_nest_but_not_without_end() {
    check(
        "repeat 2 together say 1 ;; hang",
        &Directive::Repeat {
            times: 2,
            step: Box::new(Directive::Together(vec![
                Directive::Say { words: 1, pace_ms: 0 },
                Directive::Hang,
            ])),
        },
    );
    let deep = format!("{}say 1", "repeat 1 ".repeat(200_000));
    assert!(matches!(parse(&deep), Directive::Repeat { .. }));
}

#[test]
fn every_directive_of_the_reference_is_one() {
    let names = HELP.lines().filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let names: Vec<_> = names.filter_map(|line| line.split_whitespace().next()).collect();
    assert!(names.len() > 25, "{names:?}");
    for name in names {
        assert_ne!(parse(name), Directive::Tell(format!("You said: {name}")), "{name}");
    }
}
