//! What a client may say of the MCP servers of a session.

use std::collections::BTreeSet;

use http::{HeaderName, HeaderValue};
use openscience_protocol::McpServer;
use openscience_protocol::mcp::{MCP_CHARS_MAX, MCP_SERVERS_MAX, McpTransport, NameValue};
use serde::Deserialize;
use utoipa::ToSchema;

use crate::problem::Issue;
use crate::validate::check_name;

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum McpKind {
    Stdio,
    Http,
    Sse,
}

/// An MCP server the session's agent starts (`command`) or reaches (`url`), in the form of ACP.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct McpServerInput {
    /// `stdio` if left out.
    r#type: Option<McpKind>,
    /// Unique in the session; stands in the place of a configured server of that name.
    #[schema(min_length = 1, max_length = 1_000)]
    name: String,
    /// A program by its absolute path, or a name that is looked up on `PATH`.
    command: Option<String>,
    args: Option<Vec<String>>,
    env: Option<Vec<PairInput>>,
    /// Of `http` and `sse`.
    url: Option<String>,
    headers: Option<Vec<PairInput>>,
}

/// A variable or a header.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct PairInput {
    name: String,
    value: String,
}

/// The servers, with an issue for everything that is wrong with them.
pub(crate) fn servers(issues: &mut Vec<Issue>, inputs: Vec<McpServerInput>) -> Vec<McpServer> {
    if inputs.len() > MCP_SERVERS_MAX {
        issues.push(Issue::new("mcpServers", format!("expected at most {MCP_SERVERS_MAX} servers")));
        return Vec::new();
    }
    if inputs.iter().map(chars).sum::<usize>() > MCP_CHARS_MAX {
        let message = format!("expected at most {MCP_CHARS_MAX} characters in all");
        issues.push(Issue::new("mcpServers", message));
        return Vec::new();
    }
    let mut names = BTreeSet::new();
    let mut servers = Vec::new();
    for (index, input) in inputs.into_iter().enumerate() {
        let path = format!("mcpServers[{index}]");
        check_name(issues, &format!("{path}.name"), Some(&input.name));
        if input.name.trim().is_empty() {
            issues.push(Issue::new(format!("{path}.name"), "expected a name"));
        } else if !names.insert(input.name.clone()) {
            issues.push(Issue::new(format!("{path}.name"), "given more than once"));
        }
        match server(input) {
            Ok(server) => servers.push(server),
            Err((field, expected)) => {
                issues.push(Issue::new(format!("{path}.{field}"), format!("expected {expected}")));
            }
        }
    }
    servers
}

fn chars(input: &McpServerInput) -> usize {
    let pairs = input.env.iter().chain(&input.headers).flatten();
    let pairs = pairs.flat_map(|pair| [&pair.name, &pair.value]);
    let texts = input.command.iter().chain(&input.url).chain(input.args.iter().flatten());
    texts.chain(pairs).chain([&input.name]).map(|text| text.chars().count()).sum()
}

/// The server, or the field that is wrong and what should stand there.
fn server(input: McpServerInput) -> Result<McpServer, (&'static str, &'static str)> {
    let McpServerInput { r#type, name, command, args, env, url, headers } = input;
    let transport = match r#type.unwrap_or(McpKind::Stdio) {
        McpKind::Stdio => {
            let runs = |command: &String| {
                !command.trim().is_empty()
                    && !command.contains('\0')
                    && (command.starts_with('/') || !command.contains('/'))
            };
            let command = command.filter(runs).ok_or(("command", "an absolute path or a bare name"))?;
            if args.iter().flatten().any(|arg| arg.contains('\0')) {
                return Err(("args", "values without NUL"));
            }
            let possible =
                |pair: &PairInput| !pair.name.is_empty() && !pair.name.contains('=') && !has_nul(pair);
            if env.iter().flatten().all(possible) {
                return Ok(McpServer::Stdio {
                    name,
                    command,
                    args: args.unwrap_or_default(),
                    env: pairs(env),
                });
            }
            return Err(("env", "names without = and values without NUL"));
        }
        McpKind::Http => McpTransport::Http,
        McpKind::Sse => McpTransport::Sse,
    };
    let http = |url: &String| {
        (url.starts_with("http://") || url.starts_with("https://")) && !url.contains(char::is_control)
    };
    let url = url.filter(http).ok_or(("url", "an http:// or https:// address"))?;
    if headers.iter().flatten().any(|pair| !is_header(pair)) {
        return Err(("headers", "names of headers and values of one line"));
    }
    Ok(McpServer::Remote { r#type: transport, name, url, headers: pairs(headers) })
}

/// Whether a request can carry it: RFC 9110 §5.1 and §5.5.
fn is_header(pair: &PairInput) -> bool {
    HeaderName::from_bytes(pair.name.as_bytes()).is_ok()
        && HeaderValue::from_bytes(pair.value.as_bytes()).is_ok()
}

fn has_nul(pair: &PairInput) -> bool {
    pair.name.contains('\0') || pair.value.contains('\0')
}

fn pairs(inputs: Option<Vec<PairInput>>) -> Vec<NameValue> {
    let pair = |PairInput { name, value }| NameValue { name, value };
    inputs.unwrap_or_default().into_iter().map(pair).collect()
}
