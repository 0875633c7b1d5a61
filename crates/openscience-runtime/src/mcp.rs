//! Which MCP servers does the agent of a session get?
//!
//! The configured ones and those the session was created with. Starting and reaching them is the agent's business.

use std::path::Path;

use agent_client_protocol_schema::v1::McpCapabilities;
use openscience_protocol::mcp::McpTransport;
use openscience_protocol::{AgentId, McpServer, RunError, codes};

use crate::request::RuntimeConfig;

/// What a session's agent is given: a server that was asked for stands in the place of a configured one of its name.
///
/// A configured server that the agent cannot reach is left out, because the configuration is for all agents; one that was
/// asked for fails the run.
pub(crate) fn servers(
    config: &RuntimeConfig,
    asked: &[McpServer],
    agent: &AgentId,
    capabilities: &McpCapabilities,
) -> Result<Vec<McpServer>, RunError> {
    if let Some((server, transport)) =
        asked.iter().find_map(|server| unreachable(server, capabilities).map(|transport| (server, transport)))
    {
        let message =
            format!("agent {agent} does not take MCP servers over {}: {}", transport.as_str(), server.name());
        return Err(RunError::new(codes::run::SESSION_OPEN_FAILED, message).at("session"));
    }
    let replaced = |server: &McpServer| asked.iter().any(|asked| asked.name() == server.name());
    let mut given = Vec::new();
    for server in config.mcp_servers.iter().filter(|server| !replaced(server)) {
        match unreachable(server, capabilities) {
            None => given.push(server),
            Some(transport) => tracing::warn!(
                agent.id = %agent,
                mcp.server = server.name(),
                "the agent does not take MCP servers over {}: it works without this one",
                transport.as_str()
            ),
        }
    }
    let path = config.agent_environment.iter().rev().find(|(name, _)| name == "PATH");
    let path = path.map(|(_, value)| value.as_str());
    Ok(given.into_iter().chain(asked).map(|server| located(server.clone(), path)).collect())
}

/// The transport that the agent does not speak.
pub fn unreachable(server: &McpServer, capabilities: &McpCapabilities) -> Option<McpTransport> {
    match server {
        McpServer::Remote { r#type: McpTransport::Http, .. } if !capabilities.http => {
            Some(McpTransport::Http)
        }
        McpServer::Remote { r#type: McpTransport::Sse, .. } if !capabilities.sse => Some(McpTransport::Sse),
        McpServer::Remote { .. } | McpServer::Stdio { .. } => None,
    }
}

/// ACP wants programs by their path. One that cannot be found stays as it is: the agent may know it.
fn located(mut server: McpServer, path: Option<&str>) -> McpServer {
    if let McpServer::Stdio { command, .. } = &mut server
        && !command.contains('/')
        && let Some(found) = openscience_acp::find_program(Path::new(command.as_str()), path)
        && let Ok(found) = found.into_os_string().into_string()
    {
        *command = found;
    }
    server
}

/// What must not be shown of these servers. A header often holds a word before its secret.
pub fn secrets(servers: &[McpServer]) -> Vec<String> {
    let values = servers.iter().flat_map(McpServer::values);
    values
        .flat_map(|value| std::iter::once(value).chain(value.split_whitespace()))
        .map(str::to_owned)
        .collect()
}
