//! What would a wider answer remember of a request? All that it does, or nothing.
//!
//! Only what the agent told in its input counts, and only where nothing else in
//! it could change what is done: what is not understood is asked each time.

use agent_client_protocol_schema::v1::{ToolCallUpdate, ToolKind};
use serde_json::Value;

use crate::input::PermissionAsk;
use crate::permission::{self, PATTERN_BYTES_MAX, SHELLS};

/// Most files of one request that are remembered.
const FILES_MAX: usize = 64;

/// Fields of a command's input that do not change what it does, besides those that are compared.
const COMMAND_FIELDS: [&str; 15] = [
    "command",
    "args",
    "cwd",
    "workdir",
    "description",
    "timeout",
    "timeout_ms",
    // codex
    "call_id",
    "turn_id",
    "started_at_ms",
    "reason",
    "proposed_execpolicy_amendment",
    "available_decisions",
    "parsed_cmd",
    "id",
];

/// The same for a page that is fetched.
const FETCH_FIELDS: [&str; 6] = ["url", "prompt", "description", "format", "timeout", "max_length"];

/// Where a session works.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub project: &'a str,
    /// The directory its agent works in.
    pub cwd: &'a str,
}

/// What is remembered: the whole command line, each file, or the host. Empty if nothing can be.
pub(crate) fn grantable(ask: &PermissionAsk, patterns: &[String], place: Place<'_>) -> Vec<String> {
    let tool = &ask.tool;
    match permission::category(tool).as_str() {
        "bash" => command(tool, patterns, place).into_iter().collect(),
        "read" | "edit" if ask.real_paths => files(tool, patterns, place.project),
        "webfetch" => host(tool).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The line, if it would do the same again: in the session's own directory, by a plain shell, with its
/// output inside the project.
fn command(tool: &ToolCallUpdate, patterns: &[String], place: Place<'_>) -> Option<String> {
    let line = permission::command(tool).filter(|line| line.len() <= PATTERN_BYTES_MAX)?;
    let input = tool.fields.raw_input.as_ref()?.as_object()?;
    let known = input.keys().all(|key| COMMAND_FIELDS.contains(&key.as_str()));
    let told = ["cwd", "workdir"].iter().filter_map(|key| input.get(*key));
    let here =
        told.map(Value::as_str).all(|cwd| cwd.is_some_and(|cwd| cwd.trim_end_matches('/') == place.cwd));
    let outputs = patterns.iter().filter_map(|pattern| pattern.strip_prefix("> "));
    let inside = outputs.into_iter().all(|path| is_clean(path) || is_below(place.project, path));
    (known && here && inside && by_a_plain_shell(input.get("command"))).then_some(line)
}

/// True for text, and for `[shell, flags, text]` with a shell of the system.
fn by_a_plain_shell(command: Option<&Value>) -> bool {
    let Some(Value::Array(words)) = command else { return true };
    let Some(program) = words.first().and_then(Value::as_str) else { return false };
    let name = program.rsplit('/').next().unwrap_or(program);
    let folder = program.strip_suffix(name).unwrap_or_default();
    !SHELLS.contains(&name) || ["", "/bin/", "/usr/bin/"].contains(&folder)
}

/// The files, if they are read or changed in place; moving or deleting one is another matter.
fn files(tool: &ToolCallUpdate, patterns: &[String], project: &str) -> Vec<String> {
    let in_place = matches!(tool.fields.kind, Some(ToolKind::Read | ToolKind::Edit));
    let inside = patterns.iter().all(|path| is_below(project, path) && path.len() <= PATTERN_BYTES_MAX);
    if in_place && inside && patterns.len() <= FILES_MAX { patterns.to_vec() } else { Vec::new() }
}

fn host(tool: &ToolCallUpdate) -> Option<String> {
    let input = tool.fields.raw_input.as_ref()?.as_object()?;
    let url = permission::raw_text(tool, "url")?.trim();
    let (scheme, _) = url.split_once("://")?;
    let known = input.keys().all(|key| FETCH_FIELDS.contains(&key.as_str()));
    (known && ["http", "https"].contains(&scheme)).then(|| permission::host(url)).flatten()
}

/// True for a path that names something below the directory and nothing else.
fn is_below(directory: &str, path: &str) -> bool {
    path.strip_prefix(directory).and_then(|rest| rest.strip_prefix('/')).is_some_and(is_clean)
}

/// True for a relative path without steps that lead elsewhere.
fn is_clean(path: &str) -> bool {
    !path.starts_with('~')
        && !path.contains('$')
        && path.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::RequestKey;
    use serde_json::json;

    const PLACE: Place<'_> = Place { project: "/ws", cwd: "/ws" };

    #[track_caller]
    fn check(fields: &Value, expected: &[&str]) {
        let mut tool = fields.clone();
        tool["toolCallId"] = json!("c");
        let tool: ToolCallUpdate = serde_json::from_value(tool).unwrap();
        let patterns = permission::patterns(&tool);
        let options = Vec::new();
        let ask = PermissionAsk {
            key: RequestKey(1),
            tool,
            options,
            raw_options: json!([]),
            grants: Vec::new(),
            real_paths: true,
            ours: None,
        };
        assert_eq!(grantable(&ask, &patterns, PLACE), expected, "{fields}");
    }

    fn run(input: &Value) -> Value {
        json!({ "kind": "execute", "rawInput": input })
    }

    #[test]
    fn a_command_is_its_whole_line() {
        check(&run(&json!({ "command": "cd build && make > log" })), &["cd build && make > log"]);
        check(&run(&json!({ "command": ["/bin/bash", "-lc", "make"], "cwd": "/ws/" })), &["make"]);
        check(&run(&json!({ "command": "make", "args": ["all"], "description": "d" })), &["make all"]);
    }

    #[test]
    fn a_command_that_could_do_something_else_next_time_is_not_remembered() {
        for more in ["env", "stdin", "with_escalated_permissions", "script", "host", "path", "working_dir"] {
            check(&run(&json!({ "command": "make", more: "x" })), &[]);
        }
        for cwd in ["/ws/sub", "/", "sub"] {
            check(&run(&json!({ "command": "make", "cwd": cwd })), &[]);
        }
        for output in ["/etc/x", "../x", "~/x", "$HOME/x"] {
            check(&run(&json!({ "command": format!("make > {output}") })), &[]);
        }
        check(&run(&json!({ "command": ["/tmp/bash", "-c", "make"] })), &[]);
        check(&run(&json!({ "command": "x".repeat(5 << 10) })), &[]);
        // A title is words, not what will be done.
        check(&json!({ "kind": "execute", "title": "make" }), &[]);
    }

    #[test]
    fn files_are_remembered_inside_the_project_and_in_place() {
        let edit = |kind: &str, path: &str| json!({ "kind": kind, "locations": [{ "path": "/ws/a" }, { "path": path }] });
        check(&edit("edit", "/ws/src/b.rs"), &["/ws/a", "/ws/src/b.rs"]);
        check(&edit("read", "/ws/b"), &["/ws/a", "/ws/b"]);
        for outside in ["/etc/passwd", "/ws", "/ws/", "/ws/../etc/passwd", "/wsx/a", "/ws/./a", "a.rs"] {
            check(&edit("edit", outside), &[]);
        }
        for kind in ["delete", "move"] {
            check(&edit(kind, "/ws/b"), &[]);
        }
    }

    #[test]
    fn a_host_is_remembered_for_pages() {
        let fetch = |input: Value| json!({ "kind": "fetch", "rawInput": input });
        check(&fetch(json!({ "url": "https://Example.org/x" })), &["example.org"]);
        for input in [
            json!({ "url": "file://example.org/etc/passwd" }),
            json!({ "url": "https://a.org", "command": "x" }),
            json!({ "url": "https://a.org", "urls": ["https://b.org"] }),
        ] {
            check(&fetch(input), &[]);
        }
        check(&json!({ "kind": "fetch", "title": "example.org" }), &[]);
        check(&json!({ "kind": "other", "name": "deploy", "rawInput": { "to": "prod" } }), &[]);
    }
}
