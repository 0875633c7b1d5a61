//! What a client may say of a session's agent: one that is described, how it is to be set, its instructions.

use std::collections::BTreeMap;

use openscience_protocol::agent_config::{LAUNCH_CHARS_MAX, SYSTEM_PROMPT_CHARS_MAX, Wish};
use openscience_protocol::{AgentId, AgentLaunch, InitialConfig};
use openscience_runtime::request::{Adoption, AgentChoice, OpenMethod};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use crate::problem::Issue;
use crate::validate::check_chars;

/// Most other names of one value.
const ALIASES_MAX: usize = 32;
/// Longest value of an option, in characters.
const VALUE_CHARS_MAX: usize = 1_000;
/// Longest id an agent may have given a conversation, in characters.
const AGENT_SESSION_CHARS_MAX: usize = 1_000;

/// How a conversation that the agent holds is taken up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OpenInput {
    /// With its history, which becomes the session's transcript.
    Load,
    /// Without.
    Resume,
}

/// An agent by its id or alias, or described.
#[derive(Debug, ToSchema)]
#[schema(as = SessionAgentInput)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "only its schema is used: a body is read from the value itself, to tell what is wrong where"
)]
pub(crate) enum SessionAgentInput {
    Id(String),
    Described {
        /// An absolute path, or a name that is looked up on `PATH`.
        command: String,
        args: Option<Vec<String>>,
        env: Option<BTreeMap<String, String>>,
        /// The family whose ways it has, such as `claude-acp`.
        r#type: Option<String>,
    },
}

/// How the agent is to be set when the session is opened: values by their common names.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct InitialConfigInput {
    #[schema(value_type = Option<WishInput>)]
    mode: Option<Value>,
    #[schema(value_type = Option<WishInput>)]
    model: Option<Value>,
    #[schema(value_type = Option<WishInput>)]
    effort: Option<Value>,
    /// The session is of no use unless all of it holds.
    #[serde(default)]
    #[schema(required = false)]
    strict: bool,
}

/// A value, or one with more to say.
#[derive(Debug, ToSchema)]
#[serde(untagged)]
#[expect(
    dead_code,
    reason = "only its schema is used: a body is read from the value itself, to tell what is wrong where"
)]
pub(crate) enum WishInput {
    Value(String),
    Wish {
        value: String,
        /// Other names of the value, tried after it.
        #[schema(max_items = 32)]
        aliases: Option<Vec<String>>,
        /// The session is of no use without it.
        required: Option<bool>,
    },
}

/// The agent that was asked for.
pub(crate) fn agent(issues: &mut Vec<Issue>, value: Option<Value>) -> Option<AgentChoice> {
    match value? {
        Value::String(id) if !id.trim().is_empty() => Some(AgentChoice::Named(AgentId::from(id.trim()))),
        Value::Object(object) => launch(issues, object).map(AgentChoice::Described),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
            issues.push(Issue::new("agent", "expected the id of an agent, or an object that describes one"));
            None
        }
    }
}

fn launch(issues: &mut Vec<Issue>, mut object: Map<String, Value>) -> Option<AgentLaunch> {
    let before = issues.len();
    let mut fault = |field: &str, expected: &str| {
        issues.push(Issue::new(format!("agent.{field}"), format!("expected {expected}")));
    };
    let command = object.remove("command").and_then(text).filter(|command| {
        let bare = !command.contains('/');
        !command.trim().is_empty() && !command.contains('\0') && (bare || command.starts_with('/'))
    });
    if command.is_none() {
        fault("command", "an absolute path or a bare name");
    }
    let args = list(object.remove("args"));
    if args.is_none() {
        fault("args", "a list of texts without NUL");
    }
    let env = pairs(object.remove("env"));
    if env.is_none() {
        fault("env", "an object of names without = and values without NUL");
    }
    let kind = match object.remove("type") {
        None | Some(Value::Null) => Some(None),
        Some(Value::String(kind)) if !kind.trim().is_empty() => Some(Some(kind.trim().to_owned())),
        Some(_) => None,
    };
    if kind.is_none() {
        fault("type", "the id of a family of agents");
    }
    let launch = AgentLaunch { command: command?, args: args?, env: env?, kind: kind? };
    let texts = launch.args.iter().chain(launch.env.keys()).chain(launch.env.values()).chain(&launch.kind);
    if texts.chain([&launch.command]).map(|text| text.chars().count()).sum::<usize>() > LAUNCH_CHARS_MAX {
        issues.push(Issue::new("agent", format!("expected at most {LAUNCH_CHARS_MAX} characters in all")));
    }
    (issues.len() == before).then_some(launch)
}

fn text(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn list(value: Option<Value>) -> Option<Vec<String>> {
    match value {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Array(items)) => {
            items.into_iter().map(|item| text(item).filter(|item| !item.contains('\0'))).collect()
        }
        Some(Value::String(_) | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => None,
    }
}

fn pairs(value: Option<Value>) -> Option<BTreeMap<String, String>> {
    match value {
        None | Some(Value::Null) => Some(BTreeMap::new()),
        Some(Value::Object(object)) => object
            .into_iter()
            .map(|(name, value)| {
                let value = text(value).filter(|value| !value.contains('\0'))?;
                let possible = !name.is_empty() && !name.contains('=') && !name.contains('\0');
                possible.then_some((name, value))
            })
            .collect(),
        Some(Value::String(_) | Value::Bool(_) | Value::Number(_) | Value::Array(_)) => None,
    }
}

/// How the agent is to be set; none if nothing is wished.
pub(crate) fn initial_config(
    issues: &mut Vec<Issue>,
    input: Option<InitialConfigInput>,
) -> Option<InitialConfig> {
    let InitialConfigInput { mode, model, effort, strict } = input?;
    let mut wish = |key: &str, value: Option<Value>| wish(issues, &format!("initialConfig.{key}"), value?);
    let config = InitialConfig {
        mode: wish("mode", mode),
        model: wish("model", model),
        effort: wish("effort", effort),
        strict,
    };
    (!config.is_empty()).then_some(config)
}

fn wish(issues: &mut Vec<Issue>, path: &str, value: Value) -> Option<Wish> {
    let (value, aliases, required) = match value {
        Value::Object(mut object) => {
            let aliases = list(object.remove("aliases")).filter(|aliases| aliases.len() <= ALIASES_MAX);
            if aliases.is_none() {
                let message = format!("expected a list of at most {ALIASES_MAX} texts");
                issues.push(Issue::new(format!("{path}.aliases"), message));
            }
            let required = match object.remove("required") {
                None | Some(Value::Null) => Some(false),
                Some(Value::Bool(required)) => Some(required),
                Some(_) => None,
            };
            if required.is_none() {
                issues.push(Issue::new(format!("{path}.required"), "expected true or false"));
            }
            (object.remove("value").unwrap_or_default(), aliases?, required?)
        }
        Value::Null => return None,
        value => (value, Vec::new(), false),
    };
    let value = scalar(value);
    if value.is_none() {
        issues.push(Issue::new(path, "expected a text, a number, true or false, or an object with a value"));
    }
    for text in value.iter().chain(&aliases) {
        check_chars(issues, path, Some(text), VALUE_CHARS_MAX);
    }
    Some(Wish { value: value?, aliases, required })
}

/// A value of an option as text; agents know options by names, switches and numbers.
pub(crate) fn scalar(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text).filter(|text| !text.trim().is_empty()),
        Value::Bool(switch) => Some(switch.to_string()),
        Value::Number(number) => Some(number.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Instructions; blank ones are none.
pub(crate) fn system_prompt(issues: &mut Vec<Issue>, text: Option<String>) -> Option<String> {
    let text = text?;
    check_chars(issues, "systemPrompt", Some(&text), SYSTEM_PROMPT_CHARS_MAX);
    if text.contains('\0') {
        issues.push(Issue::new("systemPrompt", "expected a text without NUL"));
    }
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

/// A conversation to take over: its id and how, both or neither.
pub(crate) fn adoption(
    issues: &mut Vec<Issue>,
    agent_session: Option<String>,
    open: Option<OpenInput>,
) -> Option<Adoption> {
    check_chars(issues, "agentSessionID", agent_session.as_deref(), AGENT_SESSION_CHARS_MAX);
    match (agent_session, open) {
        (Some(id), Some(open)) if !id.is_empty() => {
            let method = match open {
                OpenInput::Load => OpenMethod::Load,
                OpenInput::Resume => OpenMethod::Resume,
            };
            Some(Adoption { agent_session: id, method })
        }
        (Some(id), _) if id.is_empty() => {
            issues.push(Issue::new("agentSessionID", "expected the agent's id of a conversation"));
            None
        }
        (Some(_), _) => {
            issues.push(Issue::new("open", "expected load or resume, for the agentSessionID"));
            None
        }
        (None, Some(_)) => {
            issues.push(Issue::new("agentSessionID", "expected the conversation that is to be opened"));
            None
        }
        (None, None) => None,
    }
}
