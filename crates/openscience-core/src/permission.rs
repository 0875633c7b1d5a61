//! What an agent asks permission for, in our words, and which of its options answers it.
//!
//! Reads what the agent told and nothing else: no roots, no file system, no rules.

use std::fmt::{self, Write};

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, ToolCallLocation, ToolCallUpdate, ToolKind,
};
use serde_json::{Map, Value, json};

use crate::input::PermissionAsk;
use crate::{tool, trim};

/// Shares of about 64 KiB, a quarter of an event: the request stands in rows, events and snapshots.
const RAW_INPUT_BYTES_MAX: usize = 44 << 10;
const OPTIONS_BYTES_MAX: usize = 10 << 10;
const LOCATIONS_BYTES_MAX: usize = 8 << 10;
const CONTENT_BYTES_MAX: usize = 2 << 10;
const TITLE_CHARACTERS_MAX: usize = 500;

/// Patterns of a request that stand in rows and events, all together and one where not all fit.
const PATTERNS_BYTES_MAX: usize = 48 << 10;
pub(crate) const PATTERN_BYTES_MAX: usize = 4 << 10;

/// Programs that run a command given as text after `-c`.
pub(crate) const SHELLS: [&str; 6] = ["bash", "sh", "zsh", "dash", "ash", "ksh"];

/// The tool by which agents ask people, as claude-agent-acp names it. Only the name an agent gives its tool counts:
/// what a call is given or called proves nothing.
const ASKS_A_PERSON: &str = "mcp__openscience-questions__ask_question";

/// True for the tool by which the agent asks a person: that may be asked without asking first.
pub(crate) fn asks_a_person(tool: &ToolCallUpdate) -> bool {
    tool.fields.name.as_deref().is_some_and(|name| name.trim() == ASKS_A_PERSON)
}

/// The category rules name: read, edit, bash, webfetch, search, else the tool's own name, else the
/// agent's word for its kind.
pub fn category(tool: &ToolCallUpdate) -> String {
    let kind = tool.fields.kind.unwrap_or_default();
    // codex calls `ls` a search and `cat` a read, but what it asks for is to run a command line:
    // a rule about commands must see it. (A `command` that is text can be an editor's verb.)
    let runs = tool.fields.raw_input.as_ref().and_then(|raw| raw.get("command")).is_some_and(Value::is_array);
    let known = match kind {
        _ if runs => Some("bash"),
        ToolKind::Read => Some("read"),
        ToolKind::Edit | ToolKind::Delete | ToolKind::Move => Some("edit"),
        ToolKind::Execute => Some("bash"),
        ToolKind::Fetch => Some("webfetch"),
        ToolKind::Search => Some("search"),
        _ => None,
    };
    let name = || tool.fields.name.as_deref().map(str::trim).filter(|name| !name.is_empty());
    known.or_else(name).unwrap_or(tool::kind_word(kind)).to_owned()
}

/// What exactly is asked for: the commands, the paths, the host, else the title. Never empty: `*`
/// stands for what the agent did not tell.
///
/// A shell command is taken apart: a rule about one command says nothing of another behind it, nor of
/// the files its output goes to, which are told as `> file`.
pub fn patterns(tool: &ToolCallUpdate) -> Vec<String> {
    let category = category(tool);
    let title = tool.fields.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let told = match category.as_str() {
        "bash" => {
            let command = command(tool).or_else(|| title.map(str::to_owned));
            command.map(|command| shell::commands(&command)).unwrap_or_default()
        }
        "read" | "edit" => paths(tool),
        "webfetch" => raw_text(tool, "url").and_then(host).into_iter().collect(),
        _ => Vec::new(),
    };
    if told.is_empty() { vec![title.unwrap_or("*").to_owned()] } else { told }
}

/// The patterns as people see them: what is too much is left out.
pub(crate) fn shown(patterns: Vec<String>) -> Vec<String> {
    let shorter = |pattern: &String| trim::middle(pattern, PATTERN_BYTES_MAX);
    if trim::weight(&patterns) <= PATTERNS_BYTES_MAX {
        return patterns;
    }
    let mut left = PATTERNS_BYTES_MAX;
    let mut kept: Vec<String> = Vec::new();
    for pattern in patterns.iter().map(shorter) {
        let Some(rest) = left.checked_sub(trim::weight(&pattern)) else { break };
        left = rest;
        kept.push(pattern);
    }
    if kept.len() < patterns.len() {
        kept.push(format!("[{} more]", patterns.len() - kept.len()));
    }
    kept
}

/// The agent's own one-shot option that allows or refuses; none if it offers none.
///
/// Never an option that makes the agent remember.
pub fn choose(options: &[PermissionOption], allow: bool) -> Option<String> {
    let wanted = if allow { PermissionOptionKind::AllowOnce } else { PermissionOptionKind::RejectOnce };
    options.iter().find(|option| option.kind == wanted).map(|option| option.option_id.to_string())
}

/// What the agent told, for people to see: title, kind, rawInput, locations and options as they came,
/// and the text of its content.
///
/// Bounded to about 64 KiB: a value that is too large is replaced by a note of its size.
pub fn metadata(ask: &PermissionAsk) -> Map<String, Value> {
    let fields = &ask.tool.fields;
    let mut told = Map::new();
    if let Some(title) = &fields.title {
        told.insert("title".to_owned(), json!(shortened(title)));
    }
    if let Some(kind) = fields.kind {
        told.insert("kind".to_owned(), json!(tool::kind_word(kind)));
    }
    if let Some(input) = &fields.raw_input {
        told.insert("rawInput".to_owned(), bounded(input, RAW_INPUT_BYTES_MAX));
    }
    if let Some(locations) = fields.locations.as_ref().filter(|locations| !locations.is_empty()) {
        let locations = locations.iter().map(location).collect();
        told.insert("locations".to_owned(), bounded(&locations, LOCATIONS_BYTES_MAX));
    }
    let texts: Vec<String> = fields.content.iter().flatten().filter_map(tool::content_text).collect();
    if !texts.is_empty() {
        told.insert("content".to_owned(), json!(trim::middle(&texts.join("\n"), CONTENT_BYTES_MAX)));
    }
    told.insert("options".to_owned(), bounded(&ask.raw_options, OPTIONS_BYTES_MAX));
    told
}

pub(crate) fn raw_text<'a>(tool: &'a ToolCallUpdate, key: &str) -> Option<&'a str> {
    tool.fields.raw_input.as_ref()?.get(key)?.as_str().filter(|text| !text.trim().is_empty())
}

/// The command as one line of text.
pub(crate) fn command(tool: &ToolCallUpdate) -> Option<String> {
    let input = tool.fields.raw_input.as_ref()?;
    let words = |key: &str| match input.get(key)? {
        Value::Array(words) => words.iter().map(Value::as_str).collect::<Option<Vec<_>>>(),
        _ => None,
    };
    let text = match (raw_text(tool, "command"), words("command")) {
        // The shape of ACP's own terminal/create: a program and its arguments.
        (Some(program), _) => {
            let arguments = words("args").unwrap_or_default();
            [program].into_iter().chain(arguments).collect::<Vec<_>>().join(" ")
        }
        (None, Some(words)) => unwrapped(&words).map_or_else(|| words.join(" "), str::to_owned),
        (None, None) => return None,
    };
    Some(text).filter(|text| !text.trim().is_empty())
}

/// The command inside `["/bin/bash", "-lc", "…"]`, as codex gives every command.
fn unwrapped<'a>(words: &[&'a str]) -> Option<&'a str> {
    let [program, flags @ .., command] = words else { return None };
    let shell = program.rsplit('/').next().is_some_and(|name| SHELLS.contains(&name));
    let (last, before) = flags.split_last()?;
    let short = |flag: &str| {
        flag.strip_prefix('-').is_some_and(|letters| letters.bytes().all(|b| b.is_ascii_alphabetic()))
    };
    let takes_text = short(last) && last.ends_with('c');
    (shell && takes_text && before.iter().all(|flag| short(flag))).then_some(*command)
}

/// The paths told as locations, else the one in the raw input.
pub fn paths(tool: &ToolCallUpdate) -> Vec<String> {
    let mut paths: Vec<String> = Vec::new();
    for location in tool.fields.locations.iter().flatten() {
        let path = location.path.to_string_lossy();
        if !path.is_empty() && !paths.iter().any(|known| *known == path) {
            paths.push(path.into_owned());
        }
    }
    if paths.is_empty() {
        // `filepath` is opencode's word.
        let told = ["path", "file_path", "filePath", "filepath"].iter().find_map(|key| raw_text(tool, key));
        paths.extend(told.map(str::to_owned));
    }
    paths
}

/// The host of a URL in lower case, without user and port; `None` where readers of URLs may disagree.
pub(crate) fn host(url: &str) -> Option<String> {
    let (_, rest) = url.trim().split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let address = authority.rsplit('@').next()?;
    // A backslash is a slash to some readers and part of the host to others.
    if authority.contains('\\') {
        return None;
    }
    let name = if let Some(bracketed) = address.strip_prefix('[') {
        let (inside, _) = bracketed.split_once(']')?;
        inside.bytes().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.')).then_some(inside)?
    } else {
        let name = address.split(':').next()?;
        let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_');
        name.chars().all(plain).then(|| name.trim_end_matches('.'))?
    };
    (!name.is_empty()).then(|| name.to_lowercase())
}

fn location(location: &ToolCallLocation) -> Value {
    let path = location.path.to_string_lossy();
    match location.line {
        Some(line) => json!({ "path": path, "line": line }),
        None => json!({ "path": path }),
    }
}

fn shortened(title: &str) -> String {
    let mut characters = title.chars();
    let mut kept: String = characters.by_ref().take(TITLE_CHARACTERS_MAX).collect();
    if characters.next().is_some() {
        kept.push('…');
    }
    kept
}

/// The value, or a note of its size if its JSON is longer than `bytes_max`.
fn bounded(value: &Value, bytes_max: usize) -> Value {
    let mut size = Size(0);
    // Counting cannot fail.
    write!(size, "{value}").ok();
    if size.0 <= bytes_max { value.clone() } else { json!({ "truncated": true, "bytes": size.0 }) }
}

/// Counts what is written to it.
struct Size(usize);

impl Write for Size {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0 += text.len();
        Ok(())
    }
}

mod shell;
#[cfg(test)]
mod tests;
