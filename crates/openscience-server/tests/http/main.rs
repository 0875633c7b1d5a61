//! The router in process: a real runtime in a temporary directory, no agent.
#![expect(clippy::unwrap_used, reason = "a helper that fails is a test that fails")]

mod agent;
mod body;
mod contract;
mod file;
mod guard;
mod live;
mod runtime;
mod select;
mod session;
mod state;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes};
use http::{HeaderMap, Request, StatusCode};
use http_body_util::BodyExt;
use openscience_protocol::{AgentId, Limits};
use openscience_runtime::Runtime;
use openscience_runtime::request::{AgentConfig, Catalog, ContextReset, Policy, RuntimeConfig};
use openscience_server::{ServerConfig, router};
use serde_json::Value;
use tempfile::TempDir;
use tower::ServiceExt;

/// A daemon without a listener.
struct Daemon {
    router: Router,
    runtime: Runtime,
    /// The project of requests that select none.
    directory: PathBuf,
    _root: TempDir,
}

/// An answer, read whole.
#[derive(Debug)]
struct Answer {
    status: StatusCode,
    headers: HeaderMap,
    body: Bytes,
}

async fn daemon() -> Daemon {
    daemon_with(ServerConfig::default(), Limits::default()).await
}

async fn daemon_with(server: ServerConfig, limits: Limits) -> Daemon {
    let root = TempDir::new().unwrap();
    let directory = root.path().join("project");
    std::fs::create_dir(&directory).unwrap();
    let directory = directory.canonicalize().unwrap();
    let agent = AgentConfig {
        command: PathBuf::from("/nonexistent/agent"),
        args: Vec::new(),
        env: BTreeMap::from([("KEY".to_owned(), "secret".to_owned())]),
        kind: None,
        built_in: true,
        from_registry: false,
        ordered: true,
        start_timeout: None,
        idle_timeout: Duration::from_mins(10),
        context_reset: ContextReset::Transcript,
    };
    let runtime = Runtime::start(RuntimeConfig {
        data_dir: root.path().join("data"),
        default_directory: directory.clone(),
        version: "1.2.3".to_owned(),
        agents: BTreeMap::from([(AgentId::from("sim"), agent)]),
        registry: Catalog::disabled(),
        default_agent: AgentId::from("sim"),
        default_model: None,
        rules: Vec::new(),
        mcp_servers: Vec::new(),
        agent_environment: Vec::new(),
        exec_child: None,
        limits,
        policy: Policy::default(),
    })
    .await
    .unwrap();
    Daemon { router: router(runtime.clone(), server), runtime, directory, _root: root }
}

impl Daemon {
    async fn send(&self, request: Request<Body>) -> Answer {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let body = body.collect().await.unwrap().to_bytes();
        Answer { status: parts.status, headers: parts.headers, body }
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(request("GET", path).body(Body::empty()).unwrap()).await
    }

    async fn send_json(&self, method: &str, path: &str, body: &Value) -> Answer {
        let request = request(method, path).header("content-type", "application/json");
        self.send(request.body(Body::from(body.to_string())).unwrap()).await
    }

    async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send_json("POST", path, body).await
    }

    /// A new session's id.
    async fn session(&self) -> String {
        let answer = self.send(request("POST", "/session").body(Body::empty()).unwrap()).await;
        answer.json()["id"].as_str().unwrap().to_owned()
    }
}

impl Answer {
    fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map(|value| value.to_str().unwrap()).unwrap_or_default()
    }

    /// Asserts a refusal: its status, its code, and the form all refusals have.
    #[track_caller]
    fn assert_refused(&self, status: u16, code: &str) {
        let body = self.json();
        assert_eq!((self.status.as_u16(), body["code"].as_str().unwrap()), (status, code), "{body}");
        assert!(body["error"].is_string() && body["message"].is_string(), "{body}");
        assert_eq!(self.header("content-type"), "application/json");
        assert_eq!(self.header("cache-control"), "no-store");
    }
}

fn request(method: &str, path: &str) -> http::request::Builder {
    Request::builder().method(method).uri(path).header("host", "localhost")
}
