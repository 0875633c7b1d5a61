//! Which MCP servers does the agent of a session get?
//!
//! The configured ones and those the session was created with. Starting and reaching them is the agent's business.

use std::path::Path;

use agent_client_protocol_schema::v1::McpCapabilities;
use openscience_protocol::artifact::ARTIFACT_SERVER;
use openscience_protocol::mcp::McpTransport;
use openscience_protocol::row::SessionRow;
use openscience_protocol::{AgentId, McpServer, RunError, Workspace, codes};
use serde_json::json;

use crate::request::RuntimeConfig;
use crate::turn;

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

/// The server through which the agent of the session saves files. None where this program cannot be started.
pub(crate) fn artifacts(config: &RuntimeConfig, session: &SessionRow) -> Option<McpServer> {
    let program = config.exec_child.as_ref()?.to_str()?.to_owned();
    let folder = config.data_dir.join("artifacts");
    let scratch = turn::scratch(&config.data_dir, session.id.as_str());
    let project = session.directory.as_str();
    // Where the agent works comes first: that is what a relative path means.
    let roots = match session.workspace {
        Workspace::Project => vec![project],
        Workspace::Isolated => vec![scratch.to_str()?, project],
    };
    let limits = &config.limits;
    let limits = json!({
        "artifactInlineBytes": limits.artifact_inline_bytes,
        "artifactFileBytes": limits.artifact_file_bytes,
        "artifactRunBytes": limits.artifact_run_bytes,
        "artifactSessionBytes": limits.artifact_session_bytes,
        "diskReserveBytes": limits.disk_reserve_bytes,
    });
    let mut args = ["mcp", "artifacts", "--folder", folder.to_str()?].map(str::to_owned).to_vec();
    args.extend(
        ["--project", session.project_id.as_str(), "--session", session.id.as_str()].map(str::to_owned),
    );
    args.extend(roots.into_iter().flat_map(|root| ["--root".to_owned(), root.to_owned()]));
    args.extend(["--limits".to_owned(), limits.to_string()]);
    Some(McpServer::Stdio { name: ARTIFACT_SERVER.to_owned(), command: program, args, env: Vec::new() })
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
