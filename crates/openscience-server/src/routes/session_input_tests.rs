use http::{HeaderMap, header};
use serde_json::json;

use openscience_protocol::agent_config::Wish;
use openscience_protocol::{AgentLaunch, InitialConfig};
use openscience_runtime::request::{Adoption, AgentChoice, OpenMethod};

use super::*;
use crate::extract::parse;

fn read<T: JsonBody>(body: &Value) -> Result<T, Problem> {
    let json = (header::CONTENT_TYPE, "application/json".parse().unwrap());
    parse(&HeaderMap::from_iter([json]), body.to_string().as_bytes())
}

fn new_session(body: &Value) -> Result<NewSession, Value> {
    read::<SessionInput>(body).and_then(NewSession::try_from).map_err(|problem| problem.to_json())
}

fn patch(body: &Value) -> Result<SessionPatchInput, Value> {
    read::<SessionChange>(body).and_then(SessionPatchInput::try_from).map_err(|problem| problem.to_json())
}

#[test]
fn an_empty_body_makes_a_session_of_defaults() {
    assert_eq!(new_session(&json!({})).unwrap(), NewSession::default());
}

#[test]
fn every_field_of_a_new_session_is_passed_on_and_unknown_keys_are_dropped() {
    let body = json!({
        "id": "ses_a", "parentID": "ses_b", "title": "Title", "workspace": "project", "agent": " sim ",
        "permission": [{ "permission": "bash", "pattern": "*", "action": "deny" }],
        "deadlineMs": 5, "unheardOf": true,
    });
    let new = new_session(&body).unwrap();
    assert_eq!(new.id.unwrap().as_str(), "ses_a");
    assert_eq!(new.parent_id.unwrap().as_str(), "ses_b");
    assert_eq!(new.title.as_deref(), Some("Title"));
    assert_eq!(new.workspace, Some(Workspace::Project));
    assert_eq!(new.agent, Some(AgentChoice::Named(AgentId::from("sim"))));
    assert_eq!(new.permission.unwrap().len(), 1);
    assert_eq!(new.deadline_ms, Some(5));
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    #[track_caller]
    fn check(body: &Value, field: &str) {
        let problem = new_session(body).unwrap_err();
        assert_eq!(
            (&problem["code"], &problem["issues"][0]["path"]),
            (&json!("not_available"), &json!(field))
        );
    }

    check(&json!({ "workingRoot": "/somewhere" }), "workingRoot");
    check(&json!({ "workingRoot": "scratch", "workspace": "project" }), "workingRoot");
    assert!(new_session(&json!({ "workingRoot": "scratch", "queue": { "delivery": "sequential" } })).is_ok());
}

#[test]
fn values_of_a_new_session_are_checked() {
    let path = |body: Value| new_session(&body).unwrap_err()["issues"][0]["path"].clone();
    assert_eq!(path(json!({ "deadlineMs": 0 })), "deadlineMs");
    assert_eq!(path(json!({ "agent": 7 })), "agent");
    assert_eq!(path(json!({ "agent": " " })), "agent");
    assert_eq!(path(json!({ "id": "nope" })), "id");
    assert_eq!(path(json!({ "deadlineMs": 9_007_199_254_740_992_u64 })), "deadlineMs");
    for workspace in [json!("elsewhere"), json!(1), json!({ "isolated": null })] {
        assert_eq!(path(json!({ "workspace": workspace })), "workspace");
    }
    let rule = json!(["bash", "*", "deny"]);
    assert_eq!(path(json!({ "permission": [rule] })), "permission[0]");
    let rule = json!({ "permission": "bash", "pattern": "*", "action": 1 });
    assert_eq!(path(json!({ "permission": [rule] })), "permission[0].action");
}

#[test]
fn mcp_servers_are_taken_as_acp_has_them() {
    let written = json!([
        { "name": "a", "command": "/bin/a", "args": ["-x"], "env": [{ "name": "K", "value": "v" }] },
        { "type": "sse", "name": "b", "url": "https://b", "headers": [{ "name": "H", "value": "v" }] },
    ]);
    let servers = new_session(&json!({ "mcpServers": written })).unwrap().mcp_servers;
    assert_eq!(json!(servers), written);
    let short = json!([{ "type": "stdio", "name": "a", "command": "uvx" }, { "type": "http", "name": "b", "url": "http://b" }]);
    let servers = new_session(&json!({ "mcpServers": short })).unwrap().mcp_servers;
    assert_eq!(
        json!(servers),
        json!([
            { "name": "a", "command": "uvx", "args": [], "env": [] },
            { "type": "http", "name": "b", "url": "http://b", "headers": [] },
        ])
    );
}

#[test]
fn mcp_servers_are_checked_and_their_values_not_repeated() {
    #[track_caller]
    fn check(servers: &Value, path: &str) {
        let problem = new_session(&json!({ "mcpServers": servers })).unwrap_err();
        assert_eq!(problem["issues"][0]["path"], path, "{problem}");
        assert!(!problem.to_string().contains("s3cret"), "{problem}");
    }

    check(&json!({}), "mcpServers");
    check(&json!([{ "command": "a" }]), "mcpServers[0].name");
    check(&json!([{ "name": " ", "command": "a" }]), "mcpServers[0].name");
    check(&json!([{ "name": "a", "command": "a" }, { "name": "a", "command": "b" }]), "mcpServers[1].name");
    check(&json!([{ "name": "a" }]), "mcpServers[0].command");
    check(&json!([{ "name": "a", "command": "bin/s3cret" }]), "mcpServers[0].command");
    check(&json!([{ "name": "a", "command": "a", "args": [1] }]), "mcpServers[0].args[0]");
    check(&json!([{ "name": "a", "command": "a", "env": { "K": "s3cret" } }]), "mcpServers[0].env");
    let env = json!([{ "name": "K=", "value": "s3cret" }]);
    check(&json!([{ "name": "a", "command": "a", "env": env }]), "mcpServers[0].env");
    check(&json!([{ "name": "a", "type": "http", "url": "s3cret" }]), "mcpServers[0].url");
    check(&json!([{ "name": "a", "command": "a\0s3cret" }]), "mcpServers[0].command");
    check(&json!([{ "name": "a", "command": "a", "args": ["-v", "s3cret\0"] }]), "mcpServers[0].args");
    check(&json!([{ "name": "a", "type": "http", "url": "http://b\ns3cret" }]), "mcpServers[0].url");
    for header in
        [json!({ "name": "K:", "value": "s3cret" }), json!({ "name": "K", "value": "s3cret\r\nX: y" })]
    {
        let server = json!({ "name": "a", "type": "http", "url": "http://b", "headers": [header] });
        check(&json!([server]), "mcpServers[0].headers");
    }
    check(&json!([{ "name": "a", "type": "pipe" }]), "mcpServers[0].type");
    check(&json!(vec![json!({ "name": "a", "command": "a" }); 65]), "mcpServers");
    check(&json!([{ "name": "a", "command": "a", "args": ["x".repeat(100_000)] }]), "mcpServers");
}

#[test]
fn texts_of_a_session_are_bounded_and_so_is_the_number_of_its_rules() {
    let long = "é".repeat(1_001);
    let most = "é".repeat(1_000);
    let rule = |permission: &str, pattern: &str| json!({ "permission": permission, "pattern": pattern, "action": "deny" });
    let path = |body: Value| new_session(&body).unwrap_err()["issues"][0]["path"].clone();

    assert!(new_session(&json!({ "title": most, "permission": vec![rule(&most, &most); 1_000] })).is_ok());
    assert_eq!(path(json!({ "title": long })), "title");
    assert_eq!(path(json!({ "agent": long })), "agent");
    assert_eq!(path(json!({ "permission": [rule("bash", &long)] })), "permission[0].pattern");
    assert_eq!(path(json!({ "permission": [rule(&long, "*")] })), "permission[0].permission");
    assert_eq!(path(json!({ "permission": vec![rule("bash", "*"); 1_001] })), "permission");
    assert!(patch(&json!({ "title": most })).is_ok());
    assert_eq!(patch(&json!({ "title": long })).unwrap_err()["issues"][0]["path"], "title");
}

#[test]
fn a_mark_is_left_set_or_cleared() {
    let pinned = |time: Value| patch(&json!({ "time": time })).unwrap().pinned;
    assert_eq!(pinned(json!({})), None);
    assert_eq!(pinned(json!({ "pinned": 7 })), Some(Some(7)));
    assert_eq!(pinned(json!({ "pinned": 0 })), Some(None));
    assert_eq!(pinned(json!({ "pinned": null })), Some(None));
    assert_eq!(patch(&json!({})).unwrap(), SessionPatchInput::default());
    assert_eq!(patch(&json!({ "title": "New" })).unwrap().title.as_deref(), Some("New"));
    for time in [json!(-1), json!(9_007_199_254_740_992_u64), json!("now")] {
        let problem = patch(&json!({ "time": { "archived": time } })).unwrap_err();
        let message = "expected a whole number from 0 to 9007199254740991";
        assert_eq!(problem["issues"], json!([{ "path": "time.archived", "message": message }]));
    }
    let list = patch(&json!({ "time": [7, 7] })).unwrap_err();
    assert_eq!(list["issues"], json!([{ "path": "time", "message": "expected an object" }]));
}

#[test]
fn a_list_is_of_ours_or_asked_of_an_agent() {
    let filter = |query: SessionsQuery| SessionFilter::try_from(query).map_err(|problem| problem.to_json());
    let local =
        SessionsQuery { source: Some(SourceInput::Local), limit: Some(0), ..SessionsQuery::default() };
    assert!(local.of_agent().is_none());
    assert_eq!(filter(local).unwrap(), SessionFilter::default());
    let remote = |source| SessionsQuery {
        source: Some(source),
        cursor: Some("c".to_owned()),
        ..SessionsQuery::default()
    };
    assert!(!remote(SourceInput::Remote).of_agent().unwrap().all);
    let all = remote(SourceInput::All).of_agent().unwrap();
    assert_eq!((all.all, all.cursor.as_deref()), (true, Some("c")));
    let astray = SessionsQuery { cursor: Some("c".to_owned()), ..SessionsQuery::default() };
    assert_eq!(filter(astray).unwrap_err()["issues"][0]["path"], "cursor");
}

#[test]
fn what_is_wished_of_the_agent_is_passed_on() {
    let new = new_session(&json!({
        "agent": { "command": "uvx", "args": ["x"], "env": { "K": "v" }, "type": "claude" },
        "initialConfig": {
            "mode": "plan", "model": { "value": "opus", "aliases": ["o"], "required": true }, "effort": 3, "strict": true,
        },
        "systemPrompt": "  Be brief.\n",
    }));
    let new = new.unwrap();
    let env = [("K".to_owned(), "v".to_owned())].into();
    let kind = Some("claude".to_owned());
    let launch = AgentLaunch { command: "uvx".to_owned(), args: vec!["x".to_owned()], env, kind };
    assert_eq!(new.agent, Some(AgentChoice::Described(launch)));
    let wish = |value: &str| Some(Wish { value: value.to_owned(), aliases: Vec::new(), required: false });
    let model = Some(Wish { value: "opus".to_owned(), aliases: vec!["o".to_owned()], required: true });
    let config = InitialConfig { mode: wish("plan"), model, effort: wish("3"), strict: true };
    assert_eq!(new.initial_config, Some(config));
    assert_eq!(new.system_prompt.as_deref(), Some("Be brief."));
    assert_eq!(new.adopt, None);

    let adopting = new_session(&json!({ "agentSessionID": "s", "open": "resume" })).unwrap();
    let adoption = Adoption { agent_session: "s".to_owned(), method: OpenMethod::Resume };
    assert_eq!(adopting.adopt, Some(adoption));
    let blank = new_session(&json!({ "systemPrompt": " ", "initialConfig": { "strict": true } })).unwrap();
    assert_eq!(blank, NewSession::default());
}

#[test]
fn what_is_wished_of_the_agent_is_checked_and_not_repeated() {
    #[track_caller]
    fn check(body: &Value, path: &str) {
        let problem = new_session(body).unwrap_err();
        assert_eq!(
            (&problem["code"], &problem["issues"][0]["path"]),
            (&json!("invalid_request"), &json!(path))
        );
        assert!(!problem.to_string().contains("s3cret"), "{problem}");
    }

    check(&json!({ "agentSessionID": "x" }), "open");
    check(&json!({ "open": "load" }), "agentSessionID");
    check(&json!({ "agentSessionID": "", "open": "load" }), "agentSessionID");
    check(&json!({ "agentSessionID": "x", "open": "s3cret" }), "open");
    check(&json!({ "agent": { "command": "bin/s3cret" } }), "agent.command");
    check(&json!({ "agent": {} }), "agent.command");
    check(&json!({ "agent": { "command": "x", "args": "s3cret" } }), "agent.args");
    check(&json!({ "agent": { "command": "x", "env": { "A=": "s3cret" } } }), "agent.env");
    check(&json!({ "agent": { "command": "x", "env": { "A": "s3cret\0" } } }), "agent.env");
    check(&json!({ "agent": { "command": "x", "type": 1 } }), "agent.type");
    check(&json!({ "agent": { "command": "x", "args": ["y".repeat(100_001)] } }), "agent");
    check(&json!({ "initialConfig": { "mode": [] } }), "initialConfig.mode");
    check(&json!({ "initialConfig": { "mode": " " } }), "initialConfig.mode");
    check(
        &json!({ "initialConfig": { "model": { "value": "x", "aliases": "s3cret" } } }),
        "initialConfig.model.aliases",
    );
    check(
        &json!({ "initialConfig": { "model": { "value": "x", "required": 1 } } }),
        "initialConfig.model.required",
    );
    check(&json!({ "systemPrompt": "x\0s3cret" }), "systemPrompt");
    check(&json!({ "systemPrompt": "x".repeat(100_001) }), "systemPrompt");
    let both =
        new_session(&json!({ "agentSessionID": "x", "open": "load", "systemPrompt": "s3cret" })).unwrap_err();
    assert_eq!(
        (&both["code"], &both["name"]),
        (&json!("system_prompt_unsupported"), &json!("AcpSystemPromptError"))
    );
}
