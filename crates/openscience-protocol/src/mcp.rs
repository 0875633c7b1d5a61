//! MCP servers that are handed to an agent with a session, in the form ACP gives them.
//!
//! Nothing here starts or reaches one: the agent does.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Most servers of one session.
pub const MCP_SERVERS_MAX: usize = 64;
/// Most characters of all texts of a session's servers together.
pub const MCP_CHARS_MAX: usize = 100_000;

/// A variable or a header. Its value may be a secret and is never shown.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameValue {
    pub name: String,
    pub value: String,
}

impl fmt::Debug for NameValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NameValue").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How a server that is no process of the agent is reached. Only for agents that say they can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum McpTransport {
    Http,
    Sse,
}

impl McpTransport {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Sse => "sse",
        }
    }
}

/// One MCP server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum McpServer {
    Remote {
        r#type: McpTransport,
        name: String,
        url: String,
        headers: Vec<NameValue>,
    },
    /// Started by the agent, spoken to on its standard input and output.
    Stdio {
        name: String,
        command: String,
        args: Vec<String>,
        env: Vec<NameValue>,
    },
}

impl McpServer {
    /// Names the server among those of a session.
    pub fn name(&self) -> &str {
        match self {
            Self::Remote { name, .. } | Self::Stdio { name, .. } => name,
        }
    }

    /// Values of its variables or headers.
    pub fn values(&self) -> impl Iterator<Item = &str> {
        let (Self::Remote { headers: pairs, .. } | Self::Stdio { env: pairs, .. }) = self;
        pairs.iter().map(|pair| pair.value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_server_is_written_as_acp_has_it_and_read_back() {
        let written = json!([
            { "name": "a", "command": "/bin/a", "args": ["-x"], "env": [{ "name": "K", "value": "v" }] },
            { "type": "http", "name": "b", "url": "https://b", "headers": [{ "name": "H", "value": "v" }] },
            { "type": "sse", "name": "c", "url": "https://c", "headers": [] },
        ]);
        let servers: Vec<McpServer> = serde_json::from_value(written.clone()).unwrap();
        assert_eq!(servers.iter().map(McpServer::name).collect::<Vec<_>>(), ["a", "b", "c"]);
        assert_eq!(serde_json::to_value(&servers).unwrap(), written);
    }

    #[test]
    fn values_are_not_shown() {
        let pair = NameValue { name: "KEY".to_owned(), value: "s3cret".to_owned() };
        let server = McpServer::Stdio {
            name: "a".to_owned(),
            command: "a".to_owned(),
            args: Vec::new(),
            env: vec![pair],
        };
        assert!(!format!("{server:?}").contains("s3cret"));
        assert_eq!(server.values().collect::<Vec<_>>(), ["s3cret"]);
    }
}
