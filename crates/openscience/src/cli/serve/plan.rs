//! What exactly is started? Arguments, environment and configuration, put
//! together once.

use std::net::Ipv4Addr;
use std::path::Path;

use openscience_runtime::request::RuntimeConfig;
use openscience_server::ServerConfig;

use super::Args;
use super::failure::StartFailure;
use crate::config::{self, Agents, Launch, ServerEntry, Settings};
use crate::environment::Environment;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Everything the daemon is started with.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) address: Ipv4Addr,
    /// 0 is any.
    pub(super) port: u16,
    pub(super) runtime: RuntimeConfig,
    pub(super) server: ServerConfig,
    /// What a person should know before it starts.
    pub(super) notices: Vec<String>,
}

impl Plan {
    pub(super) fn new(args: &Args, environment: &Environment) -> Result<Self, StartFailure> {
        let address = address(&args.hostname, environment.auth_token.is_some())?;
        let Prepared { runtime, server, notices } =
            Prepared::new(args.data_dir.as_deref(), args.agent.as_deref(), environment)?;
        let port = args.port.or(server.port).unwrap_or(0);
        let server = server_config(&server, &args.cors, environment)?;
        Ok(Self { address, port, runtime, server, notices })
    }
}

/// What every process that runs agents needs, whether or not it answers on a port.
#[derive(Debug)]
pub(in crate::cli) struct Prepared {
    pub(in crate::cli) runtime: RuntimeConfig,
    /// What the configuration says about answering on a port.
    pub(in crate::cli) server: ServerEntry,
    /// What a person should know before it starts.
    pub(in crate::cli) notices: Vec<String>,
}

impl Prepared {
    /// For the current directory. `data_dir` and `agent` are what flags say.
    pub(in crate::cli) fn new(
        data_dir: Option<&Path>,
        agent: Option<&str>,
        environment: &Environment,
    ) -> Result<Self, StartFailure> {
        let directory =
            std::env::current_dir().and_then(std::fs::canonicalize).map_err(StartFailure::Directory)?;
        let Settings { document, mcp_servers, warnings, origins: _ } =
            Settings::read(environment, &directory)?;
        let chosen = data_dir.or(environment.data_dir.as_deref());
        let data_dir = config::data_dir(chosen, environment.home.as_deref())?;
        let program = std::env::current_exe().map_err(StartFailure::Program)?;
        let launch = Launch { program: &program, data_dir: &data_dir };
        let agents = Agents::resolve(&document, launch, agent)?;
        let warnings = warnings.into_iter().map(|warning| format!("warning: {warning}"));
        let notices = warnings.chain(agents.notice).collect();
        let runtime = RuntimeConfig {
            data_dir,
            default_directory: directory,
            version: VERSION.to_owned(),
            agents: agents.configs,
            registry: agents.registry,
            default_agent: agents.default,
            default_model: agents.model,
            rules: document.rules(),
            mcp_servers,
            agent_environment: environment.for_agents.clone(),
            exec_child: Some(program),
            limits: document.limits.clone(),
            policy: document.policy(),
        };
        Ok(Self { runtime, server: document.server, notices })
    }
}

/// How requests are answered. `cors` is what flags say.
pub(in crate::cli) fn server_config(
    entry: &ServerEntry,
    cors: &[String],
    environment: &Environment,
) -> Result<ServerConfig, StartFailure> {
    Ok(ServerConfig {
        token: environment.auth_token.clone(),
        cors_origins: [entry.cors.as_slice(), cors].concat(),
        cors_domains: environment.cors_domains.clone(),
        hosts: entry.hosts.clone(),
        version: VERSION.to_owned(),
        source_sha: environment.source_sha.clone(),
        source_worktree_hash: environment.source_worktree_hash.clone(),
        run_id: match &environment.run_id {
            Some(id) => id.clone(),
            None => local_run_id()?,
        },
    })
}

/// Only this machine may call, unless a token keeps others out.
fn address(hostname: &str, has_token: bool) -> Result<Ipv4Addr, StartFailure> {
    match hostname {
        "127.0.0.1" | "localhost" => Ok(Ipv4Addr::LOCALHOST),
        "0.0.0.0" if has_token => Ok(Ipv4Addr::UNSPECIFIED),
        "0.0.0.0" => Err(StartFailure::TokenRequired),
        other => Err(StartFailure::Hostname(other.to_owned())),
    }
}

/// Names this start of the daemon if nobody else did.
fn local_run_id() -> Result<String, StartFailure> {
    let random =
        crate::cli::random_name().map_err(|source| StartFailure::System { what: "random bytes", source })?;
    Ok(format!("local-{random}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_served_unless_a_token_keeps_others_out() {
        let code = |hostname, has_token| address(hostname, has_token).map_err(|failure| failure.code());
        assert_eq!(code("localhost", false), Ok(Ipv4Addr::LOCALHOST));
        assert_eq!(code("127.0.0.1", true), Ok(Ipv4Addr::LOCALHOST));
        assert_eq!(code("0.0.0.0", true), Ok(Ipv4Addr::UNSPECIFIED));
        assert_eq!(code("0.0.0.0", false), Err("token_required"));
        assert_eq!(code("192.168.0.1", true), Err("hostname_not_allowed"));
        assert_eq!(code("::1", true), Err("hostname_not_allowed"));
    }

    #[test]
    fn a_start_without_a_name_gets_one_of_its_own() {
        let (one, two) = (local_run_id().unwrap(), local_run_id().unwrap());
        assert!(one.starts_with(&format!("local-{}-", std::process::id())), "{one}");
        assert_ne!(one, two);
    }
}
