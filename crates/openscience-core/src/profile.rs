//! What differs from agent to agent: one table of data, functions where a real
//! difference exists. Chosen by the agent's family, never by looking at it.

mod copilot;

use std::path::{Path, PathBuf};

use openscience_protocol::AgentId;
use openscience_protocol::agent_config::{AgentLaunch, ConfigKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::admission;

/// Names people use for agents, and their ids in the registry.
const ALIASES: [(&str, &str); 12] = [
    ("claude", "claude-acp"),
    ("codex", "codex-acp"),
    ("copilot", "github-copilot-cli"),
    ("github", "github-copilot-cli"),
    ("github-copilot", "github-copilot-cli"),
    ("cursor-agent", "cursor"),
    ("gemini-cli", "gemini"),
    ("open-code", "opencode"),
    ("pi", "pi-acp"),
    ("qwen", "qwen-code"),
    ("simulator", "sim"),
    ("simulator-agent-acp-local", "sim"),
];

/// The id an alias stands for; any other name stands for itself.
pub fn canonical(name: &str) -> &str {
    let name = name.trim();
    let known = ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(name));
    known.map_or(name, |(_, id)| id)
}

/// The id of an agent that is described with its session: the same for the same description.
pub fn launch_id(launch: &AgentLaunch) -> AgentId {
    let text = json!([launch.command, launch.args, launch.env, launch.kind]).to_string();
    let digest = admission::hex(&Sha256::digest(text)[..8]);
    AgentId::from(format!("custom-{digest}").as_str())
}

/// How an agent is given instructions of the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemPromptWay {
    /// It has no way.
    None,
    /// `systemPrompt` of ACP, where the agent advertises it.
    Standard,
    /// `_meta.systemPrompt` of `session/new`.
    Meta,
    /// `-c developer_instructions=…` when its process is started.
    Arguments,
}

/// The ways of one family of agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Profile {
    /// Id of the family in the registry; empty for all others.
    pub id: &'static str,
    pub system_prompt: SystemPromptWay,
    /// Ids under which the effort is offered, most likely first, then categories.
    effort: Selector,
}

/// Where an option is looked for: by id, then by category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Selector {
    pub ids: &'static [&'static str],
    pub categories: &'static [&'static str],
}

const EFFORT: Selector =
    Selector { ids: &["effort", "reasoning_effort"], categories: &["effort", "thought_level"] };

const OTHER: Profile = Profile { id: "", system_prompt: SystemPromptWay::None, effort: EFFORT };

const PROFILES: [Profile; 6] = [
    Profile { id: copilot::ID, ..OTHER },
    Profile { id: "gemini", ..OTHER },
    Profile { id: "pi-acp", ..OTHER },
    Profile { id: "claude-acp", system_prompt: SystemPromptWay::Meta, effort: EFFORT },
    Profile {
        id: "codex-acp",
        system_prompt: SystemPromptWay::Arguments,
        effort: Selector { ids: &["reasoning_effort", "effort"], categories: &["thought_level", "effort"] },
    },
    Profile { id: "sim", system_prompt: SystemPromptWay::Standard, effort: EFFORT },
];

/// Efforts that agents call by one of these names.
const HIGHEST: [&str; 4] = ["xhigh", "extra-high", "extra_high", "max"];

impl Profile {
    /// The profile of a family, by its id or an alias.
    pub fn of(family: &str) -> &'static Self {
        let id = canonical(family);
        PROFILES.iter().find(|profile| profile.id.eq_ignore_ascii_case(id)).unwrap_or(&OTHER)
    }

    /// Where the agent offers a choice of that.
    pub fn selector(&self, key: ConfigKey) -> Selector {
        match key {
            ConfigKey::Mode => Selector { ids: &["mode"], categories: &["mode"] },
            ConfigKey::Model => Selector { ids: &["model"], categories: &["model"] },
            ConfigKey::Effort => self.effort,
        }
    }

    /// Other names a value has with this agent.
    pub fn aliases(&self, key: ConfigKey, value: &str) -> Vec<String> {
        let lower = value.to_ascii_lowercase();
        let names: &[&str] = match (key, self.id) {
            (ConfigKey::Effort, "claude-acp" | "codex-acp") if HIGHEST.contains(&lower.as_str()) => &HIGHEST,
            (ConfigKey::Model, "claude-acp") if lower.contains("opus") => &["opus", "claude-opus"],
            (ConfigKey::Model, "claude-acp") if lower.contains("sonnet") => &["sonnet", "claude-sonnet"],
            (ConfigKey::Model, "claude-acp") if lower.contains("haiku") => &["haiku", "claude-haiku"],
            (ConfigKey::Model, "codex-acp") if lower.starts_with("gpt-") => {
                return vec![lower.clone(), lower.to_ascii_uppercase()];
            }
            (ConfigKey::Mode, "claude-acp") if lower == "yolo" => &["bypassPermissions"],
            _ => &[],
        };
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// Arguments its process is started with besides the configured ones.
    pub fn arguments(&self, system_prompt: Option<&str>) -> Vec<String> {
        match (self.system_prompt, system_prompt) {
            (SystemPromptWay::Arguments, Some(text)) => {
                // The program reads the value as TOML, whose basic strings are written as those of JSON.
                vec!["-c".to_owned(), format!("developer_instructions={}", json!(text))]
            }
            (SystemPromptWay::None | SystemPromptWay::Standard | SystemPromptWay::Meta, _)
            | (SystemPromptWay::Arguments, None) => Vec::new(),
        }
    }

    /// The agent's ways to log in, with what this family does not say itself.
    pub fn auth_methods(&self, told: &Value, launch: (&str, &[String])) -> Vec<AuthMethod> {
        let mut methods: Vec<AuthMethod> =
            told.as_array().into_iter().flatten().filter_map(AuthMethod::read).collect();
        match self.id {
            // It opens the whole interactive program, and has a way of its own.
            "pi-acp" => {
                for method in methods.iter_mut().filter(|method| method.id == "pi_terminal_login") {
                    method.kind = AuthKind::Agent;
                }
            }
            "codex-acp" => mark_login(&mut methods),
            "gemini" if methods.is_empty() => methods.push(gemini_login(launch)),
            _ => {}
        }
        if self.id == "claude-acp" || self.id == "gemini" {
            for method in &mut methods {
                if let AuthKind::Terminal(terminal) = &mut method.kind {
                    terminal.success_patterns =
                        vec!["Login successful".to_owned(), "Type your message".to_owned()];
                }
            }
        }
        methods
    }
}

impl Profile {
    /// The file that tells whether somebody is logged in, where that decides what a login takes.
    pub fn login_file(&self, methods: &[AuthMethod], home: &Path) -> Option<PathBuf> {
        (self.id == copilot::ID).then(|| copilot::login_file(methods, home)).flatten()
    }

    /// Changes what a login takes by the text of that file.
    pub fn note_login(&self, methods: &mut [AuthMethod], text: &str) {
        if self.id == copilot::ID {
            copilot::note_login(methods, text);
        }
    }
}

/// One way to log in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthMethod {
    pub id: String,
    pub label: String,
    /// The agent, or what is known of it, prefers this one.
    pub default: bool,
    pub kind: AuthKind,
}

/// Who has to do what.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AuthKind {
    /// The agent does it when it is asked to.
    Agent,
    /// These variables of its environment have to be set.
    Environment(Vec<String>),
    /// A person runs a program.
    Terminal(TerminalLogin),
}

/// The program a person runs to log in.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TerminalLogin {
    /// The agent's own program if absent.
    pub command: Option<String>,
    /// After the agent's own arguments if the program is its own.
    pub args: Vec<String>,
    /// Variables it needs besides the agent's own.
    pub env: Vec<(String, String)>,
    /// What it prints once all is well, where it does not end by itself.
    pub success_patterns: Vec<String>,
}

impl AuthMethod {
    /// Reads what an agent told; none without an id.
    fn read(told: &Value) -> Option<Self> {
        let word = |value: &Value, key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let id = word(told, "id")?;
        let meta = told.get("_meta");
        let kind = match told.get("type").and_then(Value::as_str) {
            Some("terminal") => AuthKind::Terminal(terminal(told)),
            Some("env_var") => AuthKind::Environment(variables(told)),
            _ => match meta.and_then(|meta| meta.get("terminal-auth")) {
                // How it was told before ACP had a type for it.
                Some(login) => {
                    AuthKind::Terminal(TerminalLogin { command: word(login, "command"), ..terminal(login) })
                }
                None => AuthKind::Agent,
            },
        };
        let marked = |key: &str, of: Option<&Value>| {
            of.and_then(|of| of.get(key)).and_then(Value::as_bool) == Some(true)
        };
        Some(Self {
            label: word(told, "name").unwrap_or_else(|| id.clone()),
            default: marked("default", Some(told)) || marked("acp-runtime/default-auth-method", meta),
            id,
            kind,
        })
    }
}

fn terminal(told: &Value) -> TerminalLogin {
    let args = told.get("args").and_then(Value::as_array).into_iter().flatten();
    let env = told.get("env");
    let pairs = env.and_then(Value::as_object).into_iter().flatten();
    let pairs = pairs.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned())));
    let listed = env.and_then(Value::as_array).into_iter().flatten().filter_map(|pair| {
        Some((pair.get("name")?.as_str()?.to_owned(), pair.get("value")?.as_str()?.to_owned()))
    });
    TerminalLogin {
        command: None,
        args: args.filter_map(Value::as_str).map(str::to_owned).collect(),
        env: pairs.chain(listed).collect(),
        success_patterns: Vec::new(),
    }
}

fn variables(told: &Value) -> Vec<String> {
    let vars = told.get("vars").and_then(Value::as_array).into_iter().flatten();
    let named = vars.filter_map(|var| var.get("name").or(Some(var)).and_then(Value::as_str));
    // An older form names one.
    let one = told.get("varName").and_then(Value::as_str);
    named.chain(one).map(str::to_owned).collect()
}

/// Several of its ways are the same; logging in is meant for people.
fn mark_login(methods: &mut [AuthMethod]) {
    if methods.iter().any(|method| method.default) {
        return;
    }
    let by_agent = |method: &&mut AuthMethod| method.kind == AuthKind::Agent;
    let is_login = |label: &str| {
        let label = label.to_ascii_lowercase();
        label.contains("login") || label.contains("chatgpt")
    };
    let mut agents: Vec<&mut AuthMethod> = methods.iter_mut().filter(by_agent).collect();
    let at = agents.iter().position(|method| is_login(&method.label)).unwrap_or(0);
    if let Some(method) = agents.get_mut(at) {
        method.default = true;
    }
}

/// It may tell of no way to log in: people run the program itself.
fn gemini_login((command, args): (&str, &[String])) -> AuthMethod {
    let own = |arg: &&String| !matches!(arg.as_str(), "--acp" | "--experimental-acp");
    AuthMethod {
        id: "spawn-gemini-cli".to_owned(),
        label: "Login".to_owned(),
        default: false,
        kind: AuthKind::Terminal(TerminalLogin {
            command: Some(command.to_owned()),
            args: args.iter().filter(own).cloned().collect(),
            ..TerminalLogin::default()
        }),
    }
}

/// The method that needs no choice: the one that is marked, else the only one.
pub fn preferred(methods: &[AuthMethod]) -> Option<&AuthMethod> {
    match methods {
        [only] => Some(only),
        several => several.iter().find(|method| method.default),
    }
}

#[cfg(test)]
mod tests;
