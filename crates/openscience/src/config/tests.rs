//! Layers, trust and the choice of the agent, on real files.

use std::fs;

use openscience_protocol::session::RuleAction;
use serde_json::json;
use tempfile::TempDir;

use super::*;

/// A user's configuration directory and a project.
struct Fixture {
    config: TempDir,
    project: TempDir,
}

impl Fixture {
    fn new(user: &Value, project: &Value) -> Self {
        let fixture = Self { config: TempDir::new().unwrap(), project: TempDir::new().unwrap() };
        for (dir, value) in [(&fixture.config, user), (&fixture.project, project)] {
            if !value.is_null() {
                fs::write(dir.path().join(FILE_NAME), value.to_string()).unwrap();
            }
        }
        fixture
    }

    fn project(&self) -> PathBuf {
        fs::canonicalize(self.project.path()).unwrap()
    }

    fn load(&self, content: Option<&str>) -> Result<Settings, ConfigError> {
        Settings::load(&Sources {
            config_dir: Some(self.config.path()),
            project: &self.project(),
            read_project: true,
            content,
            home: None,
        })
    }
}

fn load(user: &Value, project: &Value, content: &Value) -> Settings {
    let content = (!content.is_null()).then(|| content.to_string());
    Fixture::new(user, project).load(content.as_deref()).unwrap()
}

fn rules(settings: &Settings) -> Vec<String> {
    let word = |action| match action {
        RuleAction::Allow => "allow",
        RuleAction::Deny => "deny",
        RuleAction::Ask => "ask",
    };
    let rules = settings.document.rules().into_iter();
    rules.map(|rule| format!("{} {} {}", rule.permission, rule.pattern, word(rule.action))).collect()
}

fn resolve(document: &Document, chosen: Option<&str>) -> Result<Agents, ConfigError> {
    let launch = Launch { program: Path::new("/bin/openscience"), data_dir: Path::new("/data") };
    Agents::resolve(document, launch, chosen)
}

#[test]
fn nothing_configured_means_defaults_and_no_warnings() {
    let settings = load(&Value::Null, &Value::Null, &json!({}));
    assert_eq!(settings.document, Document::default());
    assert_eq!(settings.warnings, Vec::<String>::new());
}

#[test]
fn content_wins_over_the_users_file_key_by_key() {
    let settings = load(
        &json!({"server": {"port": 1, "cors": ["http://a"]}, "agents": {"a": {"command": "a", "args": ["x"]}}}),
        &Value::Null,
        &json!({"server": {"port": 2}, "agents": {"a": {"args": ["y"]}}}),
    );
    assert_eq!(settings.document.server.port, Some(2));
    assert_eq!(settings.document.server.cors, ["http://a"]);
    let agents = resolve(&settings.document, None).unwrap();
    let agent = &agents.configs[&AgentId::from("a")];
    assert_eq!((agent.command.as_path(), agent.args.as_slice()), (Path::new("a"), &["y".to_owned()][..]));
}

/// Which source each key comes from, told by what only that source says.
#[test]
fn each_source_counts_over_the_ones_before_it_and_an_untrusted_project_only_where_it_may() {
    /// `said` are user, project, content. What is in force if the project is trusted, and if it is not.
    #[track_caller]
    fn check(said: [&Value; 3], key: &str, trusted: &Value, untrusted: &Value) {
        let [user, project, content] = said;
        for (trust, expected) in [(true, trusted), (false, untrusted)] {
            let fixture = Fixture::new(&Value::Null, project);
            let mut user = if user.is_null() { json!({}) } else { user.clone() };
            if trust {
                user["trustedProjects"] = json!([fixture.project()]);
            }
            fs::write(fixture.config.path().join(FILE_NAME), user.to_string()).unwrap();
            let content = (!content.is_null()).then(|| content.to_string());
            let settings = fixture.load(content.as_deref()).unwrap();
            assert_eq!(in_force(&settings, key), *expected, "{key}, trusted: {trust}, {said:?}");
            let reduced = settings.origins.iter().any(|origin| origin.reading == Reading::Reduced);
            assert_eq!(reduced, !trust && !project.is_null());
        }
    }

    const NO: &Value = &Value::Null;
    let model = |name: &str| json!({ "model": name });
    let (user, project, content) = (&model("user"), &model("project"), &model("content"));
    check([NO, NO, NO], "model", NO, NO);
    check([user, NO, NO], "model", &json!("user"), &json!("user"));
    check([user, project, NO], "model", &json!("project"), &json!("project"));
    check([user, project, content], "model", &json!("content"), &json!("content"));

    let port = |port: u16| json!({ "server": { "port": port } });
    let (user, project, content) = (&port(1), &port(2), &port(3));
    check([NO, project, NO], "port", &json!(2), NO);
    check([user, project, NO], "port", &json!(2), &json!(1));
    check([user, project, content], "port", &json!(3), &json!(3));

    let limit = |value: u64| json!({ "limits": { "heartbeatMs": value } });
    check([NO, NO, NO], "heartbeatMs", &json!(5_000), &json!(5_000));
    check([&limit(1), &limit(2), NO], "heartbeatMs", &json!(2), &json!(1));
    check([NO, &limit(2), &limit(3)], "heartbeatMs", &json!(3), &json!(3));

    let agent = |command: &str| json!({ "agents": { "a": { "command": command } } });
    check([&agent("/user"), &agent("/project"), NO], "command", &json!("/project"), &json!("/user"));
    check([NO, &agent("/project"), NO], "command", &json!("/project"), NO);
    check(
        [&agent("/user"), &agent("/project"), &agent("/content")],
        "command",
        &json!("/content"),
        &json!("/content"),
    );

    let server = |command: &str| json!({ "mcp": { "m": { "command": command } } });
    check([NO, &server("/project"), NO], "mcp", &json!(["/project"]), &json!([]));
    check([&server("/user"), &server("/project"), NO], "mcp", &json!(["/project"]), &json!(["/user"]));

    let rule = |action: &str| json!({ "permission": { "bash": action } });
    check([&rule("allow"), &rule("ask"), NO], "permission", &json!(["bash * ask"]), &json!(["bash * ask"]));
    check([&rule("ask"), &rule("allow"), NO], "permission", &json!(["bash * allow"]), &json!(["bash * ask"]));
    check(
        [NO, &rule("deny"), &rule("allow")],
        "permission",
        &json!(["bash * allow"]),
        &json!(["bash * allow"]),
    );

    let default = |id: &str| json!({ "defaultAgent": id });
    check([NO, &default("sim"), NO], "defaultAgent", &json!("sim"), &json!("sim"));
    check([NO, &default("nobody"), NO], "defaultAgent", &json!("nobody"), NO);
    check(
        [&default("sim"), NO, &default("simulator")],
        "defaultAgent",
        &json!("simulator"),
        &json!("simulator"),
    );
}

fn in_force(settings: &Settings, key: &str) -> Value {
    let document = &settings.document;
    let stdio = |server: &McpServer| match server {
        McpServer::Stdio { command, .. } => Some(command.clone()),
        McpServer::Remote { .. } => None,
    };
    match key {
        "model" => json!(document.model),
        "port" => json!(document.server.port),
        "heartbeatMs" => json!(document.limits.heartbeat_ms),
        "command" => json!(document.agents.0.first().map(|(_, agent)| agent.command.clone())),
        "mcp" => json!(settings.mcp_servers.iter().filter_map(stdio).collect::<Vec<_>>()),
        "permission" => json!(rules(settings)),
        "defaultAgent" => json!(document.default_agent),
        key => panic!("{key} is not looked at"),
    }
}

#[test]
fn mcp_servers_are_written_as_acp_has_them_or_as_tools_that_share_the_file_do() {
    let settings = load(
        &json!({"mcp": {
            "ours": {"command": "uvx", "args": ["server"], "env": {"KEY": "v"}},
            "theirs": {"type": "local", "command": ["npx", "-y", "x"], "environment": {"KEY": "v"}},
            "web": {"url": "https://web", "headers": {"Authorization": "Bearer v"}},
            "stream": {"type": "sse", "url": "https://stream"},
            "remote": {"type": "remote", "url": "https://remote"},
            "off": {"command": "off"},
        }}),
        &Value::Null,
        &json!({"mcp": {"off": {"enabled": false}}}),
    );
    assert_eq!(settings.warnings, Vec::<String>::new());
    assert_eq!(
        json!(settings.mcp_servers),
        json!([
            {"name": "ours", "command": "uvx", "args": ["server"], "env": [{"name": "KEY", "value": "v"}]},
            {"name": "theirs", "command": "npx", "args": ["-y", "x"], "env": [{"name": "KEY", "value": "v"}]},
            {"type": "http", "name": "web", "url": "https://web",
             "headers": [{"name": "Authorization", "value": "Bearer v"}]},
            {"type": "sse", "name": "stream", "url": "https://stream", "headers": []},
            {"type": "http", "name": "remote", "url": "https://remote", "headers": []},
        ])
    );
}

#[test]
fn an_mcp_server_that_nobody_could_start_or_reach_is_an_error() {
    let message = |entry: Value| {
        let content = json!({"mcp": {"x": entry}}).to_string();
        Fixture::new(&Value::Null, &Value::Null).load(Some(&content)).unwrap_err().to_string()
    };
    assert_eq!(message(json!({})), "the configuration: mcp.x.command: expected a program");
    assert!(message(json!({"command": "a\0"})).contains(": mcp.x.command: expected "));
    assert!(message(json!({"command": "a", "args": ["\0"]})).contains(": mcp.x.args: expected "));
    assert_eq!(
        message(json!({"type": "http", "command": "x"})),
        "the configuration: mcp.x.url: expected an http:// or https:// address"
    );
}

#[test]
fn the_configured_model_is_for_the_default_agent_unless_nobody_configured_one() {
    let model = |document: Value| {
        let settings = load(&document, &Value::Null, &Value::Null);
        let agents = resolve(&settings.document, None).unwrap();
        (agents.model.map(|model| format!("{} {}", model.provider_id, model.model_id)), agents.notice)
    };
    let agents = json!({"a": {"command": "a"}});
    assert_eq!(model(json!({"agents": agents, "model": "p/m/x"})), (Some("p m/x".to_owned()), None));
    assert_eq!(model(json!({"agents": agents, "model": "m"})), (Some("a m".to_owned()), None));
    assert_eq!(model(json!({"agents": agents})), (None, None));
    let (none, notice) = model(json!({"model": "p/m"}));
    assert_eq!(none, None);
    assert!(notice.unwrap().ends_with("without the configured model"));
    assert_eq!(model(json!({"defaultAgent": "sim", "model": "p/m"})).0.as_deref(), Some("p m"));
}

#[test]
fn only_the_users_own_file_can_vouch_and_whoever_else_tries_is_told() {
    let fixture = Fixture::new(&Value::Null, &json!({"server": {"port": 9}}));
    let content = json!({"trustedProjects": [fixture.project()]}).to_string();
    let settings = fixture.load(Some(&content)).unwrap();
    assert_eq!(settings.document.server.port, None);
    assert_eq!(
        settings.warnings.last().unwrap(),
        "OPENSCIENCE_CONFIG_CONTENT: trustedProjects counts in your own file only"
    );
}

#[test]
fn a_project_file_may_only_choose_and_tighten() {
    let settings = load(
        &json!({"agents": {"a": {"command": "a"}, "b": {"command": "b"}}, "permission": {"edit": "allow"}}),
        &json!({
            "agents": {"a": {"command": "/evil"}, "c": {"command": "/evil"}},
            "defaultAgent": "b",
            "permission": {"bash": "allow", "edit": {"*": "ask", "src/*": "deny"}},
            "server": {"port": 9},
            "sandbox": true,
        }),
        &Value::Null,
    );
    let agents = resolve(&settings.document, None).unwrap();
    assert_eq!(agents.default.as_str(), "b");
    assert_eq!(agents.configs[&AgentId::from("a")].command, Path::new("a"));
    assert!(!agents.configs.contains_key(&AgentId::from("c")));
    assert_eq!(settings.document.server.port, None);
    assert_eq!(rules(&settings), ["edit * ask", "edit src/* deny"]);
    let [warning] = settings.warnings.as_slice() else { panic!("{:?}", settings.warnings) };
    assert!(warning.ends_with(": agents, permission.bash.*, server, sandbox"), "{warning}");
}

#[test]
fn a_project_file_cannot_turn_a_denial_into_a_question() {
    for user in [json!({"bash": "deny"}), json!({"*": "deny"}), json!({"bash": {"rm *": "deny"}})] {
        let project = json!({"permission": {"bash": {"git *": "ask"}}});
        let settings = load(&json!({"permission": user}), &project, &Value::Null);
        assert!(!rules(&settings).contains(&"bash git * ask".to_owned()), "{:?}", rules(&settings));
        assert_eq!(settings.warnings.len(), 1);
    }
    let content = json!({"permission": {"bash": "deny"}});
    let settings = load(&Value::Null, &json!({"permission": {"bash": "ask"}}), &content);
    assert_eq!(rules(&settings), ["bash * deny"]);
}

#[test]
fn a_project_file_cannot_choose_an_agent_nobody_else_knows() {
    let settings = load(&Value::Null, &json!({"defaultAgent": "c"}), &Value::Null);
    assert_eq!(settings.document.default_agent, None);
    assert_eq!(settings.warnings.len(), 1);
    let settings = load(&Value::Null, &json!({"defaultAgent": "sim"}), &Value::Null);
    assert_eq!(settings.document.default_agent.as_deref(), Some("sim"));
    assert_eq!(settings.warnings.len(), 0);
}

#[test]
fn a_trusted_project_counts_in_full() {
    let fixture =
        Fixture::new(&Value::Null, &json!({"server": {"port": 9}, "permission": {"bash": "allow"}}));
    let user = json!({"trustedProjects": [fixture.project().display().to_string()]});
    fs::write(fixture.config.path().join(FILE_NAME), user.to_string()).unwrap();
    let settings = fixture.load(None).unwrap();
    assert_eq!(settings.document.server.port, Some(9));
    assert_eq!(rules(&settings), ["bash * allow"]);
    assert_eq!(settings.warnings, Vec::<String>::new());
}

#[test]
fn a_project_file_cannot_vouch_for_itself() {
    let fixture = Fixture::new(&Value::Null, &Value::Null);
    let project =
        json!({"trustedProjects": [fixture.project().display().to_string()], "server": {"port": 9}});
    fs::write(fixture.project.path().join(FILE_NAME), project.to_string()).unwrap();
    assert_eq!(fixture.load(None).unwrap().document.server.port, None);
}

#[test]
fn a_disabled_project_file_is_not_even_read() {
    let fixture = Fixture::new(&Value::Null, &Value::Null);
    fs::write(fixture.project.path().join(FILE_NAME), "{").unwrap();
    let project = fixture.project();
    let sources =
        Sources { config_dir: None, project: &project, read_project: false, content: None, home: None };
    assert_eq!(Settings::load(&sources).unwrap().document, Document::default());
}

#[test]
fn a_wrong_document_is_named_with_the_place_that_is_wrong() {
    let message = |content: &str| Fixture::new(&Value::Null, &Value::Null).load(Some(content)).unwrap_err();
    assert_eq!(
        message("{\n  \"a\": ,\n}").to_string(),
        "OPENSCIENCE_CONFIG_CONTENT is not valid JSON: line 2, column 8"
    );
    assert_eq!(message("[]").to_string(), "OPENSCIENCE_CONFIG_CONTENT does not hold a JSON object");
    assert_eq!(
        message(r#"{"agents": {"a": {"args": "x"}}}"#).to_string(),
        "OPENSCIENCE_CONFIG_CONTENT: agents.a.args: expected a list"
    );
    let fixture = Fixture::new(&json!({"server": {"port": "4096"}}), &Value::Null);
    let file = fixture.config.path().join(FILE_NAME);
    assert_eq!(
        fixture.load(None).unwrap_err().to_string(),
        format!("{}: server.port: expected a whole number from 0 to 65535", file.display())
    );
}

#[test]
fn each_oddity_is_told_once() {
    let settings = load(
        &json!({
            "provider": {}, "experimental": {}, "agent": {"x": {"command": "x"}},
            "server": {"hostname": "0.0.0.0"}, "agents": {"a": {"command": "a", "models": ["m"]}},
        }),
        &Value::Null,
        &json!({}),
    );
    let warnings: Vec<&str> = settings
        .warnings
        .iter()
        .map(|warning| warning.rsplit("openscience.json: ").next().unwrap())
        .collect();
    assert_eq!(
        warnings,
        [
            "unknown keys are ignored: provider, experimental",
            "ignored, use --hostname: server.hostname",
            "`agent` belongs to other tools; use `agents` to configure one",
            "not in effect in this version: agents.a.models",
        ]
    );
}

#[test]
fn the_simulator_answers_when_nothing_is_configured_and_says_so() {
    let agents = resolve(&Document::default(), None).unwrap();
    assert_eq!(agents.default.as_str(), "sim");
    assert_eq!(agents.notice.as_deref(), Some("no agent is configured: the built-in simulator answers"));
    let sim = &agents.configs[&agents.default];
    assert_eq!(sim.command, Path::new("/bin/openscience"));
    assert_eq!(sim.args, ["agent", "sim", "--history-dir", "/data/cache/sim"]);
    assert!(sim.built_in && sim.ordered);
}

#[test]
fn the_simulator_that_was_asked_for_answers_without_a_notice() {
    for id in ["sim", "simulator"] {
        let agents = resolve(&Document::default(), Some(id)).unwrap();
        assert_eq!((agents.default.as_str(), agents.notice), ("sim", None), "{id}");
    }
    let settings = load(&json!({"agents": {"sim": {"models": ["a/b", "c"]}}}), &Value::Null, &Value::Null);
    let agents = resolve(&settings.document, None).unwrap();
    let args = agents.configs[&agents.default].args.join(" ");
    assert_eq!(
        (args.as_str(), agents.notice),
        ("agent sim --history-dir /data/cache/sim --model a/b --model c", None)
    );
    assert_eq!(settings.warnings, Vec::<String>::new());
}

#[test]
fn the_default_agent_is_the_flags_then_the_configured_then_the_first() {
    let agents = json!({"b": {"command": "b"}, "a": {"command": "a"}});
    let settings = load(&json!({"agents": agents, "defaultAgent": "a"}), &Value::Null, &Value::Null);
    assert_eq!(resolve(&settings.document, Some("b")).unwrap().default.as_str(), "b");
    assert_eq!(resolve(&settings.document, None).unwrap().default.as_str(), "a");
    let settings = load(&json!({"agents": agents}), &Value::Null, &Value::Null);
    let first = resolve(&settings.document, None).unwrap();
    assert_eq!(first.default.as_str(), "b");
    assert!(first.notice.is_some());
}

#[test]
fn an_agent_nobody_configured_is_an_error_that_names_the_configured_ones() {
    let error = resolve(&Document::default(), Some("nobody")).unwrap_err();
    assert_eq!(
        error.to_string(),
        "agent nobody is neither configured nor known to the registry; configured: sim"
    );
    let settings = load(&json!({"agents": {"a": {"args": []}}}), &Value::Null, &Value::Null);
    assert_eq!(
        resolve(&settings.document, None).unwrap_err().to_string(),
        "agents.a.command is not configured, and the registry does not know a"
    );
}

#[test]
fn an_agent_of_the_registry_needs_no_command_and_may_be_the_default() {
    let chosen = |document: Value, chosen: Option<&str>| {
        let settings = load(&document, &Value::Null, &Value::Null);
        let agents = resolve(&settings.document, chosen).unwrap();
        let from: Vec<_> = agents.configs.values().map(|config| config.from_registry).collect();
        (agents.default.as_str().to_owned(), from, agents.notice)
    };
    // Nothing configured but the default: the simulator is there as ever.
    assert_eq!(chosen(json!({"defaultAgent": "claude"}), None), ("claude-acp".to_owned(), vec![false], None));
    assert_eq!(chosen(json!({}), Some("opencode")).0, "opencode");
    let own = json!({"agents": {"claude": {"env": {"K": "v"}}}});
    assert_eq!(chosen(own.clone(), None), ("claude".to_owned(), vec![true, false], None));
    assert_eq!(
        chosen(own, Some("claude-acp")).0,
        "claude",
        "one that is configured wins, whatever both are called"
    );
    let settings = load(&json!({"registry": {"enabled": false}}), &Value::Null, &Value::Null);
    assert!(resolve(&settings.document, Some("claude")).is_err());
}

/// A project could have anything downloaded and started otherwise.
#[test]
fn an_untrusted_project_cannot_choose_an_agent_of_the_registry() {
    let project = json!({"defaultAgent": "claude", "registry": {"url": "https://evil.example/r.json"}});
    let settings = load(&json!({}), &project, &Value::Null);
    assert_eq!((&settings.document.default_agent, &settings.document.registry.url), (&None, &None));
    let warnings = settings.warnings.join("\n");
    assert!(warnings.contains("defaultAgent claude") && warnings.contains("registry"), "{warnings}");
}

#[test]
fn a_relative_command_starts_from_where_it_is_written_and_a_bare_name_stays() {
    let command = |command: &str| {
        let text = json!({"agents": {"a": {"command": command}}}).to_string();
        let layer = Layer::from_text("x", &text, Path::new("/conf"), Some(Path::new("/home/user"))).unwrap();
        layer.object["agents"]["a"]["command"].as_str().unwrap().to_owned()
    };
    assert_eq!(command("codex-acp"), "codex-acp");
    assert_eq!(command("bin/agent"), "/conf/bin/agent");
    assert_eq!(command("/bin/agent"), "/bin/agent");
    assert_eq!(command("~/bin/agent"), "/home/user/bin/agent");
}

#[test]
fn the_data_root_is_the_chosen_one_or_lies_in_the_home_directory() {
    let home = Some(Path::new("/home/user"));
    assert_eq!(data_dir(Some(Path::new("/data")), home).unwrap(), Path::new("/data"));
    assert_eq!(data_dir(None, home).unwrap(), Path::new("/home/user/.open-science-project"));
    assert!(matches!(data_dir(None, None), Err(ConfigError::NoHome)));
}
