//! Which MCP servers are configured for the agents?
//!
//! Two ways of writing them are understood: that of ACP, and that of tools which share the file (`local` and `remote`, a
//! command as a list). Whether an agent can reach one is found out when it opens a session.

use openscience_protocol::McpServer;
use openscience_protocol::mcp::{MCP_SERVERS_MAX, McpTransport, NameValue};
use serde_json::{Map, Value};

use super::document::{Document, Ordered, Problem, check_variables, problem};

/// One entry of `mcp`.
#[derive(Debug, Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(default)]
pub(crate) struct McpEntry {
    r#type: Option<McpKind>,
    command: Option<String>,
    args: Vec<String>,
    env: Ordered<String>,
    url: Option<String>,
    headers: Ordered<String>,
    enabled: Option<bool>,
}

/// How a server is spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
enum McpKind {
    Stdio,
    Http,
    Sse,
}

/// Writes the other tools' form as ours.
pub(super) fn normalize(object: &mut Map<String, Value>) {
    let entries = object.get_mut("mcp").and_then(Value::as_object_mut);
    for entry in entries.into_iter().flatten().filter_map(|(_, entry)| entry.as_object_mut()) {
        match entry.get("type").and_then(Value::as_str) {
            Some("local") => drop(entry.insert("type".to_owned(), Value::from("stdio"))),
            Some("remote") => drop(entry.insert("type".to_owned(), Value::from("http"))),
            Some(_) | None => {}
        }
        if !entry.contains_key("env")
            && let Some(variables) = entry.remove("environment")
        {
            entry.insert("env".to_owned(), variables);
        }
        if let Some(Value::Array(words)) = entry.get("command") {
            let mut words = words.clone().into_iter();
            let command = words.next().unwrap_or_else(|| Value::from(""));
            entry.insert("command".to_owned(), command);
            entry.entry("args").or_insert_with(|| words.collect());
        }
    }
}

impl McpEntry {
    /// What is wrong with it by itself; another document may add what is missing.
    pub(super) fn check(&self, name: &str) -> Result<(), Problem> {
        let key = |field: &str| format!("mcp.{name}.{field}");
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(problem("mcp".to_owned(), "names of servers"));
        }
        if self.command.as_deref().is_some_and(|command| command.trim().is_empty() || command.contains('\0'))
        {
            return Err(problem(key("command"), "a program"));
        }
        if self.args.iter().any(|arg| arg.contains('\0')) {
            return Err(problem(key("args"), "values without NUL"));
        }
        if self.url.as_deref().is_some_and(|url| !is_address(url)) {
            return Err(problem(key("url"), "an http:// or https:// address"));
        }
        let impossible = |(name, value): &(String, String)| {
            let blank = |c: char| c.is_whitespace() || c.is_control() || c == ':';
            name.is_empty() || name.contains(blank) || value.contains(char::is_control)
        };
        if self.headers.0.iter().any(impossible) {
            return Err(problem(key("headers"), "names of headers and values of one line"));
        }
        check_variables(&key("env"), &self.env)
    }

    fn server(&self, name: &str) -> Result<McpServer, Problem> {
        let key = |field: &str| format!("mcp.{name}.{field}");
        let by_address = if self.url.is_some() { McpKind::Http } else { McpKind::Stdio };
        let transport = match self.r#type.unwrap_or(by_address) {
            McpKind::Stdio => {
                let command = self.command.clone().ok_or_else(|| problem(key("command"), "a program"))?;
                let (name, args) = (name.to_owned(), self.args.clone());
                return Ok(McpServer::Stdio { name, command, args, env: pairs(&self.env) });
            }
            McpKind::Http => McpTransport::Http,
            McpKind::Sse => McpTransport::Sse,
        };
        let url = self.url.clone().ok_or_else(|| problem(key("url"), "an http:// or https:// address"))?;
        Ok(McpServer::Remote { r#type: transport, name: name.to_owned(), url, headers: pairs(&self.headers) })
    }
}

fn is_address(url: &str) -> bool {
    let rest = url.strip_prefix("http://").or_else(|| url.strip_prefix("https://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'))
        && !url.contains(|c: char| c.is_whitespace() || c.is_control())
}

fn pairs(entries: &Ordered<String>) -> Vec<NameValue> {
    let pair = |(name, value): &(String, String)| NameValue { name: name.clone(), value: value.clone() };
    entries.0.iter().map(pair).collect()
}

/// The servers of the whole configuration, in the order written.
pub(super) fn servers(document: &Document) -> Result<Vec<McpServer>, Problem> {
    let enabled = document.mcp.0.iter().filter(|(_, entry)| entry.enabled != Some(false));
    let servers: Vec<McpServer> =
        enabled.map(|(name, entry)| entry.server(name)).collect::<Result<_, _>>()?;
    if servers.len() > MCP_SERVERS_MAX {
        return Err(problem("mcp".to_owned(), &format!("at most {MCP_SERVERS_MAX} servers")));
    }
    Ok(servers)
}
