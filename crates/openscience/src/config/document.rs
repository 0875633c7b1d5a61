//! What may stand in a configuration document, and where is it wrong?
//!
//! One document by itself: which of several wins is decided next door.

use std::fmt;
use std::marker::PhantomData;

use openscience_acp::catalog::is_safe_address;
use openscience_protocol::prompt::NAME_CHARS_MAX;
use openscience_protocol::session::RuleAction;
use openscience_protocol::{Limits, Rule};
use openscience_runtime::request::{Policy, Way};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::agents::is_built_in;
use super::mcp::{self, McpEntry};

/// A JSON object as a typed list: unlike a map it keeps the order in which people wrote it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ordered<T>(pub(crate) Vec<(String, T)>);

impl<T> Default for Ordered<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Ordered<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = Ordered<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Ordered(entries))
            }
        }

        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// Everything that can be configured.
#[derive(Debug, Clone, Default, PartialEq, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Document {
    pub(crate) model: Option<String>,
    pub(crate) agents: Ordered<AgentEntry>,
    pub(crate) default_agent: Option<String>,
    pub(crate) registry: RegistryEntry,
    pub(crate) permission: Ordered<Ordered<RuleAction>>,
    pub(crate) mcp: Ordered<McpEntry>,
    pub(crate) server: ServerEntry,
    pub(crate) limits: Limits,
    pub(crate) decision_timeout_ms: Option<u64>,
    pub(crate) decision_timeout_outcome: Option<TimeoutOutcome>,
    pub(crate) stall_timeout_ms: Option<u64>,
    pub(crate) trusted_projects: Vec<String>,
    /// Agents of other tools that share the file.
    agent: Option<Value>,
    #[serde(rename = "$schema")]
    schema: Option<Value>,
}

/// How the public registry of agents is used.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub(crate) struct RegistryEntry {
    pub(crate) enabled: Option<bool>,
    pub(crate) url: Option<String>,
    pub(crate) ways: Option<Vec<Way>>,
}

impl RegistryEntry {
    /// What comes from there is started: nobody on the way may change it.
    fn check(&self) -> Result<(), Problem> {
        if self.url.as_deref().is_some_and(|url| !is_safe_address(url)) {
            return Err(problem("registry.url".to_owned(), "an address that starts with https://"));
        }
        if self.ways.as_ref().is_some_and(Vec::is_empty) {
            return Err(problem("registry.ways".to_owned(), "at least one way"));
        }
        Ok(())
    }
}

/// How one agent is started.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct AgentEntry {
    pub(crate) command: Option<String>,
    pub(crate) args: Vec<String>,
    pub(crate) env: Ordered<String>,
    pub(crate) r#type: Option<String>,
    pub(crate) idle_timeout_ms: Option<u64>,
    pub(crate) start_timeout_ms: Option<u64>,
    pub(crate) context_reset: Option<ContextReset>,
    pub(crate) models: Option<Vec<String>>,
}

/// What to do when an agent has lost a conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ContextReset {
    /// Tell it what was said, from our transcript.
    Transcript,
    /// Refuse the run.
    Fail,
}

/// How a decision ends that nobody took in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TimeoutOutcome {
    Reject,
    Once,
}

/// Where the daemon listens and whom it answers.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub(crate) struct ServerEntry {
    pub(crate) port: Option<u16>,
    pub(crate) cors: Vec<String>,
    pub(crate) hosts: Vec<String>,
    hostname: Option<Value>,
    mdns: Option<Value>,
}

impl ServerEntry {
    /// A name no request could come from would be ignored in silence.
    fn check_names(&self) -> Result<(), Problem> {
        if let Some(at) = self.cors.iter().position(|origin| !openscience_server::is_origin(origin)) {
            return Err(problem(format!("server.cors[{at}]"), "an origin such as https://notebook.example"));
        }
        if let Some(at) = self.hosts.iter().position(|host| !openscience_server::is_host(host.trim())) {
            return Err(problem(format!("server.hosts[{at}]"), "a host name"));
        }
        Ok(())
    }
}

/// Where a document is wrong and what should stand there. Never repeats what stands there: it may be a secret.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Such as `agents.codex.args[0]`.
    pub(crate) key: String,
    pub(crate) expected: String,
}

/// A document that could be read, with the keys in it that nobody knows.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) document: Document,
    pub(crate) unknown: Vec<String>,
}

impl Document {
    /// Reads a document. Short forms must have been written out by [`normalize`].
    pub(crate) fn read(object: &Map<String, Value>) -> Result<Checked, Problem> {
        let mut unknown = Vec::new();
        let mut track = serde_path_to_error::Track::new();
        let read = Self::deserialize(serde_ignored::Deserializer::new(
            serde_path_to_error::Deserializer::new(object, &mut track),
            &mut |path: serde_ignored::Path<'_>| unknown.push(path.to_string()),
        ));
        let document = read.map_err(|error| Problem {
            key: track.path().to_string(),
            expected: expected(&error.to_string()),
        })?;
        document.check_bounds(object)?;
        Ok(Checked { document, unknown })
    }

    /// Zero means nothing sensible for any bound, and a name without a letter names nothing.
    fn check_bounds(&self, object: &Map<String, Value>) -> Result<(), Problem> {
        let limits = object.get("limits").and_then(Value::as_object);
        for (name, value) in limits.into_iter().flatten() {
            if value.as_u64() == Some(0) {
                return Err(problem(format!("limits.{name}"), "a whole number of at least 1"));
            }
        }
        let times =
            [("decisionTimeoutMs", self.decision_timeout_ms), ("stallTimeoutMs", self.stall_timeout_ms)];
        check_times("", times)?;
        self.server.check_names()?;
        self.registry.check()?;
        if self.model.as_deref().is_some_and(|model| !is_model(model)) {
            return Err(problem("model".to_owned(), "a model such as provider/model"));
        }
        for (name, entry) in &self.mcp.0 {
            entry.check(name)?;
        }
        for (id, agent) in &self.agents.0 {
            if id.is_empty() || id.chars().any(|c| c.is_whitespace() || c.is_control()) {
                return Err(problem("agents".to_owned(), "ids without blanks"));
            }
            if agent.command.as_deref().is_some_and(|command| command.trim().is_empty()) {
                return Err(problem(format!("agents.{id}.command"), "a program"));
            }
            let times =
                [("idleTimeoutMs", agent.idle_timeout_ms), ("startTimeoutMs", agent.start_timeout_ms)];
            check_times(&format!("agents.{id}."), times)?;
            check_variables(&format!("agents.{id}.env"), &agent.env)?;
        }
        Ok(())
    }

    /// The permission rules in the order written.
    pub(crate) fn rules(&self) -> Vec<Rule> {
        let rule = |category: &str, (pattern, action): &(String, RuleAction)| Rule {
            permission: category.to_owned(),
            pattern: pattern.clone(),
            action: *action,
        };
        let categories = self.permission.0.iter();
        categories
            .flat_map(|(category, rules)| rules.0.iter().map(move |entry| rule(category, entry)))
            .collect()
    }

    /// True if the key of other tools holds something that was meant for `agents`.
    pub(crate) fn misplaced_agents(&self) -> bool {
        let entries = self.agent.as_ref().and_then(Value::as_object);
        entries.is_some_and(|entries| entries.values().any(|entry| entry.get("command").is_some()))
    }

    /// Keys of the address that are accepted for other tools' sake and never followed.
    pub(crate) fn ignored_addresses(&self) -> Vec<&'static str> {
        let keys = [("server.hostname", &self.server.hostname), ("server.mdns", &self.server.mdns)];
        keys.into_iter().filter(|(_, value)| value.is_some()).map(|(key, _)| key).collect()
    }

    /// What is done where nobody acts in time.
    pub(crate) fn policy(&self) -> Policy {
        Policy {
            decision_timeout_ms: self.decision_timeout_ms,
            decision_timeout_allows: self.decision_timeout_outcome == Some(TimeoutOutcome::Once),
            stall_timeout_ms: self.stall_timeout_ms,
        }
    }

    /// Keys that are set, understood, and not acted on by this version.
    pub(crate) fn without_effect(&self) -> Vec<String> {
        let unused = |id: &str, agent: &AgentEntry| {
            agent.models.is_some() && (agent.command.is_some() || !is_built_in(id))
        };
        let of_agents = self.agents.0.iter().filter(|(id, agent)| unused(id, agent));
        of_agents.map(|(id, _)| format!("agents.{id}.models")).collect()
    }
}

/// A name, or a provider and a name: neither may be missing.
pub(crate) fn is_model(model: &str) -> bool {
    let (first, rest) = model.split_once('/').unwrap_or((model, model));
    [first, rest].iter().all(|name| !name.is_empty() && name.trim() == *name)
        && model.chars().count() <= NAME_CHARS_MAX
}

/// A time of zero is no time: what shall never end is left out.
fn check_times(prefix: &str, times: [(&str, Option<u64>); 2]) -> Result<(), Problem> {
    match times.into_iter().find(|(_, time)| *time == Some(0)) {
        None => Ok(()),
        Some((name, _)) => Err(problem(format!("{prefix}{name}"), "a whole number of at least 1")),
    }
}

/// Variables that a process can be started with.
pub(super) fn check_variables(key: &str, variables: &Ordered<String>) -> Result<(), Problem> {
    let impossible = |(name, value): &(String, String)| {
        name.is_empty() || name.contains(['=', '\0']) || value.contains('\0')
    };
    if variables.0.iter().any(impossible) {
        return Err(problem(key.to_owned(), "names without = and values without NUL"));
    }
    Ok(())
}

/// Writes short forms out, such as `"bash": "ask"` as `"bash": {"*": "ask"}`, so that documents can be merged key by key.
pub(crate) fn normalize(object: &mut Map<String, Value>) {
    mcp::normalize(object);
    let Some(categories) = object.get_mut("permission").and_then(Value::as_object_mut) else { return };
    for (_, rules) in categories.iter_mut() {
        if rules.is_string() {
            let action = rules.take();
            *rules = Value::Object(Map::from_iter([("*".to_owned(), action)]));
        }
    }
}

pub(super) fn problem(key: String, expected: &str) -> Problem {
    Problem { key, expected: format!("expected {expected}") }
}

/// The part of a message of serde that says what should stand there.
fn expected(message: &str) -> String {
    let expected = match message.rsplit_once("expected ") {
        Some((_, "u16")) => "a whole number from 0 to 65535",
        Some((_, "u64" | "usize")) => "a whole number",
        Some((_, "a map")) => "an object",
        Some((_, "a sequence")) => "a list",
        Some((_, expected)) if expected.starts_with("struct ") => "an object",
        Some((_, expected)) => expected,
        None => return "cannot be read".to_owned(),
    };
    format!("expected {expected}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(value: Value) -> Result<Checked, Problem> {
        let Value::Object(mut object) = value else { unreachable!("tests pass objects") };
        normalize(&mut object);
        Document::read(&object)
    }

    #[test]
    fn every_documented_key_is_known() {
        let checked = read(json!({
            "$schema": "x",
            "model": "provider/model",
            "agents": {"codex": {
                "command": "codex-acp", "args": ["-v"], "env": {"KEY": "v"}, "type": "codex", "idleTimeoutMs": 1,
                "startTimeoutMs": 2, "contextReset": "fail", "models": ["a"],
            }},
            "defaultAgent": "codex",
            "registry": {"enabled": true, "url": "https://a.example/r.json", "ways": ["path", "installed", "npx", "uvx"]},
            "permission": {"bash": "ask", "edit": {"*": "deny", "docs/*": "allow"}},
            "mcp": {
                "x": {"type": "local", "command": ["x", "-v"], "environment": {"K": "v"}, "enabled": true},
                "y": {"type": "stdio", "command": "y", "args": ["-v"], "env": {"K": "v"}},
                "z": {"type": "remote", "url": "https://z", "headers": {"H": "v"}},
            },
            "server": {"port": 1, "hostname": "x", "mdns": true, "cors": ["http://a"], "hosts": ["b"]},
            "limits": {
                "maxSessions": 1, "maxConnections": 1, "maxSubscribers": 1, "maxWaitingTurns": 1, "maxBodyBytes": 1,
                "maxFrameBytes": 1, "maxEventBytes": 1, "maxPartBytes": 1, "heartbeatMs": 1, "startTimeoutMs": 1,
                "openTimeoutMs": 1, "cancelEscalateMs": 1, "cancelSettleMs": 1, "stderrTailBytes": 1,
            },
            "decisionTimeoutMs": 1,
            "decisionTimeoutOutcome": "reject",
            "stallTimeoutMs": 1,
            "trustedProjects": ["/p"],
            "agent": {"build": {"prompt": "p"}},
        }))
        .unwrap();
        assert_eq!(checked.unknown, Vec::<String>::new());
        assert_eq!(checked.document.limits.max_sessions, 1);
        assert_eq!(checked.document.ignored_addresses(), ["server.hostname", "server.mdns"]);
    }

    #[test]
    fn a_limit_that_is_not_set_keeps_its_default() {
        let limits = read(json!({"limits": {"heartbeatMs": 10}})).unwrap().document.limits;
        assert_eq!(limits, Limits { heartbeat_ms: 10, ..Limits::default() });
    }

    #[test]
    fn unknown_keys_are_told_by_their_path() {
        let checked = read(json!({
            "sandbox": 1, "agents": {"a": {"command": "a", "arg": []}}, "limits": {"x": 1}, "server": {"y": 1},
        }))
        .unwrap();
        assert_eq!(checked.unknown, ["sandbox", "agents.a.arg", "limits.x", "server.y"]);
    }

    #[test]
    fn the_registry_is_read_from_where_nobody_can_change_it_and_started_in_known_ways() {
        let check = |value: Value, key: &str, expected: &str| {
            let problem = read(value).unwrap_err();
            assert_eq!((problem.key.as_str(), problem.expected.as_str()), (key, expected));
        };
        let https = "expected an address that starts with https://";
        check(json!({"registry": {"url": "http://a.example/r.json"}}), "registry.url", https);
        check(json!({"registry": {"ways": []}}), "registry.ways", "expected at least one way");
        check(
            json!({"registry": {"ways": ["path", "curl"]}}),
            "registry.ways[1]",
            "expected one of `path`, `installed`, `npx`, `uvx`",
        );
        let ways = read(json!({"registry": {"ways": ["npx", "path"]}})).unwrap().document.registry.ways;
        assert_eq!(ways, Some(vec![Way::Npx, Way::Path]));
    }

    #[test]
    fn a_wrong_value_is_told_by_its_path_and_what_should_stand_there() {
        let check = |value: Value, key: &str, expected: &str| {
            let problem = read(value).unwrap_err();
            assert_eq!((problem.key.as_str(), problem.expected.as_str()), (key, expected));
        };
        check(json!({"agents": {"a": {"args": ["x", 3]}}}), "agents.a.args[1]", "expected a string");
        check(json!({"agents": {"a": {"env": {"K": 5}}}}), "agents.a.env.K", "expected a string");
        check(
            json!({"agents": {"a": {"env": {"K=": "v"}}}}),
            "agents.a.env",
            "expected names without = and values without NUL",
        );
        check(
            json!({"agents": {"a": {"idleTimeoutMs": 0}}}),
            "agents.a.idleTimeoutMs",
            "expected a whole number of at least 1",
        );
        check(json!({"agents": []}), "agents", "expected an object");
        check(json!({"agents": {"a": {"command": " "}}}), "agents.a.command", "expected a program");
        check(json!({"server": {"port": 70_000}}), "server.port", "expected a whole number from 0 to 65535");
        check(json!({"server": 7}), "server", "expected an object");
        for origin in ["*", "nonsense", "notebook.example", "http://a/path"] {
            let document = json!({"server": {"cors": ["http://a", origin]}});
            check(document, "server.cors[1]", "expected an origin such as https://notebook.example");
        }
        check(json!({"server": {"hosts": ["*"]}}), "server.hosts[0]", "expected a host name");
        check(json!({"stallTimeoutMs": "5s"}), "stallTimeoutMs", "expected a whole number");
        check(json!({"stallTimeoutMs": -5}), "stallTimeoutMs", "expected a whole number");
        for name in ["decisionTimeoutMs", "stallTimeoutMs"] {
            check(json!({name: 0}), name, "expected a whole number of at least 1");
        }
        check(
            json!({"limits": {"heartbeatMs": 0}}),
            "limits.heartbeatMs",
            "expected a whole number of at least 1",
        );
        check(json!({"limits": {"heartbeatMs": 1.5}}), "limits.heartbeatMs", "expected a whole number");
        check(
            json!({"permission": {"bash": "maybe"}}),
            "permission.bash.*",
            "expected one of `allow`, `deny`, `ask`",
        );
        check(json!({"permission": "ask"}), "permission", "expected an object");
        check(json!({"model": {}}), "model", "expected a string");
        for model in ["", " ", "/m", "p/", "p / m"] {
            check(json!({"model": model}), "model", "expected a model such as provider/model");
        }
        check(
            json!({"agents": {"a": {"startTimeoutMs": 0}}}),
            "agents.a.startTimeoutMs",
            "expected a whole number of at least 1",
        );
        check(json!({"mcp": {"x": {"command": ["x", 3]}}}), "mcp.x.args[0]", "expected a string");
        check(json!({"mcp": {"x": {"command": " "}}}), "mcp.x.command", "expected a program");
        check(
            json!({"mcp": {"x": {"type": "pipe"}}}),
            "mcp.x.type",
            "expected one of `stdio`, `http`, `sse`",
        );
        check(
            json!({"mcp": {"x": {"url": "x.example"}}}),
            "mcp.x.url",
            "expected an http:// or https:// address",
        );
        check(
            json!({"mcp": {"x": {"headers": {"a b": "v"}}}}),
            "mcp.x.headers",
            "expected names of headers and values of one line",
        );
    }

    #[test]
    fn a_wrong_value_is_never_repeated() {
        let problem = read(json!({"agents": {"a": {"env": "s3cret, expected x"}}})).unwrap_err();
        assert!(!problem.expected.contains("s3cret"), "{problem:?}");
    }

    #[test]
    fn rules_keep_the_order_in_which_they_were_written() {
        let document =
            read(json!({"permission": {"edit": {"z": "ask", "a": "deny"}, "bash": "allow", "*": "ask"}}));
        let rules: Vec<String> = document
            .unwrap()
            .document
            .rules()
            .into_iter()
            .map(|rule| format!("{} {} {:?}", rule.permission, rule.pattern, rule.action))
            .collect();
        assert_eq!(rules, ["edit z Ask", "edit a Deny", "bash * Allow", "* * Ask"]);
    }

    #[test]
    fn the_agent_key_of_other_tools_is_suspicious_only_if_it_holds_commands() {
        let misplaced = |value| read(json!({"agent": value})).unwrap().document.misplaced_agents();
        assert!(misplaced(json!({"codex": {"command": "codex-acp"}})));
        assert!(!misplaced(json!({"build": {"prompt": "p"}})));
        assert!(!misplaced(json!("x")));
    }
}
