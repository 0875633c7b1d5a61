use openscience_protocol::{Rule, RuleAction};

use super::*;
use crate::input::RequestKey;
use crate::rules::{self, Verdict};

fn tool(mut fields: Value) -> ToolCallUpdate {
    fields["toolCallId"] = json!("call_1");
    serde_json::from_value(fields).expect("a tool call")
}

fn options(options: Value) -> Vec<PermissionOption> {
    serde_json::from_value(options).expect("options")
}

fn ask(fields: Value, options: Value) -> PermissionAsk {
    PermissionAsk {
        key: RequestKey(1),
        tool: tool(fields),
        options: Vec::new(),
        raw_options: options,
        grants: Vec::new(),
        real_paths: true,
        ours: None,
    }
}

#[track_caller]
fn check(fields: Value, category_expected: &str, patterns_expected: &[&str]) {
    let tool = tool(fields);
    assert_eq!(category(&tool), category_expected, "{tool:?}");
    assert_eq!(patterns(&tool), patterns_expected, "{tool:?}");
}

fn claude() -> Value {
    json!({
        "rawInput": { "command": "echo hi > marker_allow.txt; echo out-42", "description": "make a marker" },
        "title": "echo hi > marker_allow.txt; echo out-42",
        "kind": "execute",
        "content": [{ "type": "content", "content": { "type": "text", "text": "make a marker" } }],
    })
}

fn codex() -> Value {
    json!({
        "kind": "execute",
        "status": "pending",
        "title": "echo in-terminal",
        "rawInput": {
            "call_id": "call_16",
            "command": ["/bin/bash", "-lc", "echo in-terminal"],
            "cwd": "/ws",
            "reason": "command failed; retry without sandbox?",
            "proposed_execpolicy_amendment": ["echo", "in-terminal"],
            "parsed_cmd": [{ "type": "unknown", "cmd": "echo in-terminal" }],
        },
    })
}

fn opencode_write() -> Value {
    json!({
        "title": "/ws/written.txt",
        "kind": "edit",
        "status": "pending",
        "locations": [{ "path": "/ws/written.txt" }],
        "rawInput": { "filepath": "/ws/written.txt", "diff": "Index: /ws/written.txt\n+line one\n" },
    })
}

fn qwen() -> Value {
    json!({
        "status": "pending",
        "title": "echo hi > marker_cperm.txt (x)",
        "content": [],
        "locations": [],
        "kind": "execute",
        "rawInput": { "command": "echo hi > marker_cperm.txt", "description": "x" },
    })
}

#[test]
fn requests_of_real_agents_are_understood() {
    check(claude(), "bash", &["echo hi > marker_allow.txt", "echo out-42", "> marker_allow.txt"]);
    check(codex(), "bash", &["echo in-terminal"]);
    check(opencode_write(), "edit", &["/ws/written.txt"]);
    check(qwen(), "bash", &["echo hi > marker_cperm.txt", "> marker_cperm.txt"]);
}

#[test]
fn the_category_is_the_kind_else_the_name_else_the_kinds_word() {
    let check = |kind: Value, name: Value, expected: &str| {
        let tool = tool(json!({ "kind": kind, "name": name }));
        assert_eq!(category(&tool), expected, "{kind} {name}");
    };
    for (kind, expected) in [
        ("read", "read"),
        ("edit", "edit"),
        ("delete", "edit"),
        ("move", "edit"),
        ("execute", "bash"),
        ("fetch", "webfetch"),
        ("search", "search"),
        ("think", "lab"),
        ("switch_mode", "lab"),
        ("other", "lab"),
        ("a kind of tomorrow", "lab"),
    ] {
        check(json!(kind), json!("lab"), expected);
    }
    check(json!("think"), Value::Null, "think");
    check(json!("switch_mode"), json!(" "), "switch_mode");
    check(json!("other"), Value::Null, "other");
    check(Value::Null, json!("lab"), "lab");
    check(Value::Null, Value::Null, "other");
}

#[test]
fn a_command_is_told_as_the_shell_gets_it() {
    let check = |input: Value, expected: &str| {
        let tool = tool(json!({ "kind": "execute", "title": "the title", "rawInput": input }));
        assert_eq!(patterns(&tool).join(" + "), expected, "{input}");
    };
    check(json!({ "command": "ls -l" }), "ls -l");
    check(json!({ "command": "git", "args": ["push", "-f"] }), "git push -f");
    check(json!({ "command": ["git", "status"] }), "git status");
    check(json!({ "command": ["sh", "-c", "a | b"] }), "a + b");
    check(json!({ "command": ["/usr/bin/zsh", "-l", "-c", "a"] }), "a");
    check(json!({ "command": ["bash", "-lc", "a", "b"] }), "bash -lc a b");
    check(json!({ "command": ["bash", "script"] }), "bash script");
    check(json!({ "command": ["bash", "--norc", "script"] }), "bash --norc script");
    check(json!({ "command": ["python", "-c", "print(1)"] }), "python -c print + 1");
    check(json!({ "command": ["git", 1] }), "the title");
    check(json!({ "command": [] }), "the title");
    check(json!({ "command": ["sh", "-c", " "] }), "the title");
    check(json!({ "command": " " }), "the title");
    check(json!({ "cmd": "ls" }), "the title");
    check(json!("ls"), "the title");
    check(Value::Null, "the title");
}

#[test]
fn a_rule_about_one_command_says_nothing_of_another() {
    let rule = |action, pattern: &str| Rule { permission: "bash".into(), pattern: pattern.into(), action };
    let rules = [rule(RuleAction::Allow, "echo *"), rule(RuleAction::Deny, "rm *")];
    let check = |fields: Value, expected: &str| {
        let tool = tool(fields);
        let verdict = match rules::evaluate(&[], false, &rules, &category(&tool), &patterns(&tool)) {
            Verdict::Allow { .. } => "allow",
            Verdict::Deny { .. } => "deny",
            Verdict::Ask => "ask",
        };
        assert_eq!(verdict, expected, "{tool:?}");
    };
    for (command, expected) in [
        ("echo a", "allow"),
        ("echo 'a; rm -rf b' | echo \"$HOME\"", "allow"),
        ("echo a; rm -rf b", "deny"),
        ("echo a && x", "ask"),
        ("echo a || rm b", "deny"),
        ("echo a | x", "ask"),
        ("echo a & x", "ask"),
        ("echo a\nrm b", "deny"),
        ("echo $(rm b)", "deny"),
        ("echo \"$(x)\"", "ask"),
        ("echo `rm b`", "deny"),
        ("echo a <(rm b)", "deny"),
        ("echo a >(x)", "ask"),
        ("if true; then rm b; fi", "deny"),
        ("echo a # it's\nx #'", "ask"),
        ("echo $'\\''; x; echo '", "ask"),
    ] {
        check(json!({ "kind": "execute", "rawInput": { "command": command } }), expected);
        check(json!({ "kind": "execute", "rawInput": { "command": ["sh", "-c", command] } }), expected);
        check(json!({ "kind": "execute", "title": command }), expected);
        check(json!({ "kind": "other", "name": "bash", "title": command }), expected);
    }
}

#[test]
fn a_rule_about_a_command_says_nothing_of_the_files_it_writes_to() {
    let judged = |patterns: &[&str], command: &str| {
        let rule = |pattern: &&str| Rule {
            permission: "bash".into(),
            pattern: (*pattern).to_owned(),
            action: RuleAction::Allow,
        };
        let rules: Vec<Rule> = patterns.iter().map(rule).collect();
        let tool = tool(json!({ "kind": "execute", "rawInput": { "command": command } }));
        matches!(
            rules::evaluate(&[], false, &rules, &category(&tool), &self::patterns(&tool)),
            Verdict::Allow { .. }
        )
    };
    for (command, by_echo, by_out, by_any) in [
        ("echo a", true, true, true),
        ("echo a > /dev/null 2>&1", true, true, true),
        ("echo a > /etc/x", false, false, true),
        ("echo a>/etc/x", false, false, true),
        ("echo a >> /etc/x", false, false, true),
        ("echo a >| /etc/x", false, false, true),
        ("echo a &> /etc/x", false, false, true),
        ("echo a 2>/etc/x", false, false, true),
        ("echo a > ./out/x", false, true, true),
        ("echo a > \"./out/x y\"", false, true, true),
        ("echo a > ./out/x 2> /etc/x", false, false, true),
        ("echo a > ./out/../../etc/x", false, false, true),
        ("echo a > ./out/$X", false, false, true),
        ("echo a > ./out/'$X'", false, true, true),
        ("echo a > ./out/x; rm b", false, false, false),
        ("> ./out/x rm b", false, false, false),
        ("> ./out/x rm b # it's", false, false, false),
        ("echo a &> ./out/x rm b", false, false, false),
        ("echo it's > /etc/x", false, false, true),
    ] {
        assert_eq!(judged(&["echo *"], command), by_echo, "{command}");
        assert_eq!(judged(&["echo *", "> ./out/*"], command), by_out, "{command}");
        assert_eq!(judged(&["echo *", "> *"], command), by_any, "{command}");
    }
}

#[test]
fn patterns_that_are_shown_are_bounded() {
    let few = vec!["a".repeat(10_000), "b".to_owned()];
    assert_eq!(shown(few.clone()), few);
    let one = shown(vec!["\u{1}".repeat(1 << 20)]);
    assert!(one[0].contains("bytes left out") && one.len() == 1, "{}", one.len());
    let many = shown((0..100_000).map(|number| number.to_string()).collect());
    assert_eq!(many[0], "0");
    assert!(many.last().is_some_and(|last| last.ends_with(" more]")), "{:?}", many.last());
    assert!(trim::weight(&many) <= 66 << 10);
}

#[test]
fn paths_are_those_of_the_locations_else_of_the_input() {
    let locations = json!([{ "path": "/a" }, { "path": "/b", "line": 3 }, { "path": "/a" }]);
    let input = json!({ "path": "/c" });
    check(json!({ "kind": "move", "locations": locations, "rawInput": input }), "edit", &["/a", "/b"]);
    check(json!({ "kind": "read", "locations": [], "rawInput": input }), "read", &["/c"]);
    check(json!({ "kind": "edit", "rawInput": { "file_path": "/d" } }), "edit", &["/d"]);
    check(json!({ "kind": "edit", "rawInput": { "filePath": "/e" } }), "edit", &["/e"]);
    check(json!({ "kind": "delete", "rawInput": { "path": 1 }, "title": "t" }), "edit", &["t"]);
}

#[test]
fn a_fetch_is_told_by_its_host() {
    let check = |url: &str, expected: &str| {
        let tool = tool(json!({ "kind": "fetch", "title": "the title", "rawInput": { "url": url } }));
        assert_eq!(patterns(&tool), [expected], "{url}");
    };
    check("https://Example.com/a?b#c", "example.com");
    check("http://example.com:8080", "example.com");
    check("https://example.com.", "example.com");
    check("https://example.com?x=@evil.org", "example.com");
    check("https://user:pw@example.com/", "example.com");
    check("https://example.com@evil.org/", "evil.org");
    check("http://[2001:DB8::1]:80/", "2001:db8::1");
    check("https://münchen.example/", "münchen.example");
    check("https://evil.org\\@example.com/", "the title");
    check("https://exa mple.com/", "the title");
    check("https://ex%61mple.com/", "the title");
    check("https:///example.com", "the title");
    check("http://[::1", "the title");
    check("example.com", "the title");
    check("", "the title");
}

#[test]
fn what_the_agent_does_not_tell_is_a_star() {
    check(json!({}), "other", &["*"]);
    check(json!({ "title": " " }), "other", &["*"]);
    check(json!({ "kind": "execute", "rawInput": {} }), "bash", &["*"]);
    check(json!({ "kind": "search", "title": "needle in src" }), "search", &["needle in src"]);
}

#[test]
fn only_one_shot_options_are_chosen_by_their_id() {
    let qwen = options(json!([
        { "optionId": "proceed_always_project", "name": "Always Allow in project: echo *", "kind": "allow_always" },
        { "optionId": "proceed_once", "name": "Allow", "kind": "allow_once" },
        { "optionId": "again", "name": "Allow", "kind": "allow_once" },
        { "optionId": "never", "name": "Never", "kind": "reject_always" },
        { "optionId": "cancel", "name": "Reject", "kind": "reject_once" },
    ]));
    assert_eq!(choose(&qwen, true).as_deref(), Some("proceed_once"));
    assert_eq!(choose(&qwen, false).as_deref(), Some("cancel"));
    let lasting = options(json!([
        { "optionId": "a", "name": "", "kind": "allow_always" },
        { "optionId": "r", "name": "", "kind": "reject_always" },
    ]));
    assert_eq!((choose(&lasting, true), choose(&lasting, false)), (None, None));
    assert_eq!(choose(&[], true), None);
}

#[test]
fn people_see_what_the_agent_told() {
    let offered = json!([{ "optionId": "x", "kind": "a kind of tomorrow", "name": "X" }]);
    let told = metadata(&ask(
        json!({
            "title": "Write", "kind": "switch_mode", "rawInput": { "a": 1 },
            "locations": [{ "path": "/a" }, { "path": "/b", "line": 3 }],
        }),
        offered.clone(),
    ));
    assert_eq!(
        Value::Object(told),
        json!({
            "title": "Write", "kind": "switch_mode", "rawInput": { "a": 1 },
            "locations": [{ "path": "/a" }, { "path": "/b", "line": 3 }],
            "options": offered,
        })
    );
}

#[test]
fn people_see_what_the_agent_says_to_its_question() {
    let text = |text: &str| json!({ "type": "content", "content": { "type": "text", "text": text } });
    let diff = json!({ "type": "diff", "path": "/a", "oldText": null, "newText": "n" });
    let told = metadata(&ask(
        json!({ "content": [text("May I?"), diff, text("é".repeat(4 << 10).as_str())] }),
        json!([]),
    ));
    let content = told["content"].as_str().unwrap();
    assert!(content.starts_with("May I?\né") && content.len() < 3 << 10, "{content}");
}

#[test]
fn what_the_agent_did_not_tell_is_absent() {
    assert_eq!(
        Value::Object(metadata(&ask(json!({ "locations": [] }), json!([])))),
        json!({ "options": [] })
    );
}

#[test]
fn metadata_is_bounded_whatever_the_agent_sends() {
    let large = "\u{1}é".repeat(1 << 20);
    let locations: Vec<_> = (0..10_000).map(|number| json!({ "path": format!("/{number}") })).collect();
    let told = metadata(&ask(
        json!({
            "title": large, "kind": "edit", "rawInput": { "content": large, "path": "/a" }, "locations": locations,
        }),
        json!([{ "optionId": large }]),
    ));
    assert_eq!(told["rawInput"]["truncated"], json!(true));
    assert!(told["rawInput"]["bytes"].as_u64().is_some_and(|bytes| bytes > 2 << 20));
    assert_eq!(told["locations"]["truncated"], json!(true));
    assert_eq!(told["options"]["truncated"], json!(true));
    assert!(told["title"].as_str().is_some_and(|title| title.ends_with('…')));
    assert!(Value::Object(told).to_string().len() <= 64 << 10);
}

#[test]
fn the_largest_values_that_are_kept_fit_the_bound_together() {
    let filled = |bytes: usize| "x".repeat(bytes - 4);
    let told = metadata(&ask(
        json!({
            "title": "\u{1}".repeat(TITLE_CHARACTERS_MAX),
            "kind": "edit",
            "rawInput": [filled(RAW_INPUT_BYTES_MAX)],
            "locations": [{ "path": "x".repeat(LOCATIONS_BYTES_MAX - 13) }],
        }),
        json!([filled(OPTIONS_BYTES_MAX)]),
    ));
    assert!(told["rawInput"].is_array() && told["locations"].is_array() && told["options"].is_array());
    assert!(Value::Object(told).to_string().len() <= 66 << 10);
}
