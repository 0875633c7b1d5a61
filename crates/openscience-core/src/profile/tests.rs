use serde_json::json;

use super::*;

#[test]
fn an_alias_stands_for_its_id_in_any_case_and_another_name_for_itself() {
    let check = |name: &str, id: &str| assert_eq!(canonical(name), id, "{name}");
    check("claude", "claude-acp");
    check(" Codex ", "codex-acp");
    check("GITHUB-COPILOT", "github-copilot-cli");
    check("simulator", "sim");
    check("claude-acp", "claude-acp");
    check("My-Agent", "My-Agent");
}

#[test]
fn a_family_without_a_profile_has_no_way_for_instructions() {
    let way = |family: &str| Profile::of(family).system_prompt;
    assert_eq!(way("claude"), SystemPromptWay::Meta);
    assert_eq!(way("codex-acp"), SystemPromptWay::Arguments);
    assert_eq!(way("sim"), SystemPromptWay::Standard);
    assert_eq!(way("goose"), SystemPromptWay::None);
}

#[test]
fn instructions_become_an_argument_that_one_shell_word_holds() {
    let of = |family: &str, text| Profile::of(family).arguments(text);
    let text = "Say \"hi\".\nThen stop.";
    assert_eq!(of("codex", Some(text)), ["-c", "developer_instructions=\"Say \\\"hi\\\".\\nThen stop.\""]);
    assert_eq!(of("codex", None), Vec::<String>::new());
    assert_eq!(of("claude", Some(text)), Vec::<String>::new());
}

#[test]
fn values_have_other_names_with_some_families() {
    let of = |family: &str, key, value: &str| Profile::of(family).aliases(key, value);
    assert_eq!(of("claude", ConfigKey::Effort, "XHigh"), ["xhigh", "extra-high", "extra_high", "max"]);
    assert_eq!(of("claude", ConfigKey::Model, "claude-opus-4-5"), ["opus", "claude-opus"]);
    assert_eq!(of("codex", ConfigKey::Model, "GPT-5.4"), ["gpt-5.4", "GPT-5.4"]);
    assert_eq!(of("goose", ConfigKey::Effort, "max"), Vec::<String>::new());
    assert_eq!(of("claude", ConfigKey::Effort, "high"), Vec::<String>::new());
}

fn methods(family: &str, told: &Value) -> Vec<AuthMethod> {
    Profile::of(family).auth_methods(told, ("gemini", &["--acp".to_owned(), "-d".to_owned()]))
}

#[test]
fn what_an_agent_tells_of_logging_in_is_read_in_every_form() {
    let told = json!([
        { "id": "a", "name": "Token" },
        { "id": "b", "name": "Key", "type": "env_var", "vars": [{ "name": "KEY" }, "OTHER"] },
        { "id": "c", "type": "terminal", "args": ["login"], "env": { "X": "1" } },
        { "id": "d", "_meta": { "terminal-auth": { "command": "login", "args": ["-q"], "env": { "Y": "2" } } } },
        { "name": "without an id" },
    ]);
    let read = methods("goose", &told);
    let kinds: Vec<_> =
        read.iter().map(|method| (method.id.as_str(), method.label.as_str(), &method.kind)).collect();
    let terminal = |command: Option<&str>, arg: &str, name: &str, value: &str| {
        AuthKind::Terminal(TerminalLogin {
            command: command.map(str::to_owned),
            args: vec![arg.to_owned()],
            env: vec![(name.to_owned(), value.to_owned())],
            success_patterns: Vec::new(),
        })
    };
    assert_eq!(
        kinds,
        [
            ("a", "Token", &AuthKind::Agent),
            ("b", "Key", &AuthKind::Environment(vec!["KEY".to_owned(), "OTHER".to_owned()])),
            ("c", "c", &terminal(None, "login", "X", "1")),
            ("d", "d", &terminal(Some("login"), "-q", "Y", "2")),
        ]
    );
    assert_eq!(preferred(&read), None);
    assert_eq!(preferred(&read[..1]).map(|method| method.id.as_str()), Some("a"));
}

#[test]
fn families_say_what_their_agents_leave_out() {
    let codex = methods(
        "codex",
        &json!([{ "id": "key", "name": "API key" }, { "id": "web", "name": "Login with ChatGPT" }]),
    );
    assert_eq!(preferred(&codex).map(|method| method.id.as_str()), Some("web"));

    let gemini = methods("gemini", &json!([]));
    let AuthKind::Terminal(login) = &gemini[0].kind else { panic!("{gemini:?}") };
    assert_eq!((login.command.as_deref(), login.args.as_slice()), (Some("gemini"), &["-d".to_owned()][..]));
    assert_eq!(login.success_patterns.len(), 2);
    assert_eq!(methods("gemini", &json!([{ "id": "own" }])).len(), 1);

    let pi = methods("pi", &json!([{ "id": "pi_terminal_login", "type": "terminal", "args": ["x"] }]));
    assert_eq!(pi[0].kind, AuthKind::Agent);
}
