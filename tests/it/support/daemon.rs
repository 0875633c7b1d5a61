//! How is a daemon started for a test, spoken to, and stopped or crashed?

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::client::Reply;
use super::process::{Process, kill, signal};
use super::wait::eventually;
use super::world::World;

/// The binary under test.
pub(crate) const BINARY: &str = env!("CARGO_BIN_EXE_openscience");

/// A command line of `serve` with its environment, to start once or again.
#[derive(Debug, Clone)]
pub(crate) struct Serve {
    pub(crate) world: Arc<World>,
    args: Vec<String>,
    env: Vec<(String, String)>,
    config: Value,
    token: Option<String>,
    data: Option<PathBuf>,
}

impl Serve {
    /// In a world of its own.
    pub(crate) fn new() -> Self {
        Self::on(&Arc::new(World::new()))
    }

    /// In a world that exists.
    pub(crate) fn on(world: &Arc<World>) -> Self {
        Self {
            world: Arc::clone(world),
            args: Vec::new(),
            env: Vec::new(),
            config: json!({}),
            token: None,
            data: None,
        }
    }

    /// `OPENSCIENCE_CONFIG_CONTENT`.
    pub(crate) fn config(mut self, config: Value) -> Self {
        self.config = config;
        self
    }

    pub(crate) fn args(mut self, args: &[&str]) -> Self {
        self.args.extend(args.iter().map(|&arg| arg.to_owned()));
        self
    }

    pub(crate) fn env(mut self, key: &str, value: &str) -> Self {
        self.env.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Another data directory than the world's.
    pub(crate) fn data(mut self, data: PathBuf) -> Self {
        self.data = Some(data);
        self
    }

    /// Demands a bearer token.
    pub(crate) fn token(mut self, token: &str) -> Self {
        self.token = Some(token.to_owned());
        self
    }

    /// Runs the binary with these arguments and the world's environment, whatever comes of it.
    pub(crate) fn run(&self, args: &[&str]) -> Process {
        let args: Vec<String> = args.iter().map(|&arg| arg.to_owned()).chain(self.args.clone()).collect();
        Process::start(&self.world, Path::new(BINARY), &args, &self.environment(), &self.world.project())
    }

    /// Runs `serve` without waiting for it.
    pub(crate) fn spawn(&self) -> Process {
        let data = self.data.clone().unwrap_or_else(|| self.world.data()).display().to_string();
        let port = free_port(&self.world).to_string();
        self.run(&["serve", "--port", &port, "--format", "json", "--data-dir", &data])
    }

    /// Starts `serve` and waits until it says that it is ready.
    pub(crate) async fn start(&self) -> Daemon {
        self.adopt(self.spawn()).await
    }

    /// Waits until a process that was started some other way says that it is ready.
    pub(crate) async fn adopt(&self, mut process: Process) -> Daemon {
        let ready = eventually("the readiness line", async || {
            let line = process.stdout().split_once('\n').map(|(line, _)| line.to_owned());
            let ended = process.ended();
            assert!(line.is_some() || ended.is_none(), "ended {ended:?} before ready: {}", process.stderr());
            line
        })
        .await;
        let ready: Value = serde_json::from_str(&ready).expect("a JSON readiness line");
        let url = ready["url"].as_str().expect("a url").to_owned();
        Daemon { process, ready, http: client(), url, serve: self.clone() }
    }

    pub(crate) fn environment(&self) -> Vec<(String, String)> {
        let world = &self.world;
        let mut env: Vec<(String, String)> = vec![
            ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()),
            ("HOME".into(), world.home().display().to_string()),
            ("OPENSCIENCE_CONFIG_DIR".into(), world.config().display().to_string()),
            ("OPENSCIENCE_CONFIG_CONTENT".into(), self.config.to_string()),
            ("RUST_BACKTRACE".into(), "1".into()),
            // Nobody listens there: no test looks beyond this machine.
            ("OPENSCIENCE_REGISTRY_URL".into(), "http://127.0.0.1:1/registry.json".into()),
        ];
        env.extend(self.token.iter().map(|token| ("OPENSCIENCE_AUTH_TOKEN".into(), token.clone())));
        env.extend(self.env.clone());
        env
    }
}

/// A port nobody listens on. Not one that people expect a daemon of theirs on, which `--port 0` would take, and below those
/// that the system lends to clients.
pub(crate) fn free_port(world: &World) -> u16 {
    const FIRST: u64 = 10_000;
    const COUNT: u64 = 20_000;
    let mut hasher = DefaultHasher::new();
    // Differs from test to test and from one start to the next.
    world.outputs_so_far().hash(&mut hasher);
    let start = hasher.finish();
    let ports = (0..COUNT).map(|step| FIRST + start.wrapping_add(step) % COUNT);
    let ports = ports.filter_map(|port| u16::try_from(port).ok());
    let mut free = ports.filter(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok());
    free.next().expect("a free port")
}

fn client() -> reqwest::Client {
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .build()
        .expect("an HTTP client")
}

/// A daemon that serves.
#[derive(Debug)]
pub(crate) struct Daemon {
    pub(crate) process: Process,
    /// The readiness line.
    pub(crate) ready: Value,
    pub(crate) url: String,
    pub(crate) serve: Serve,
    http: reqwest::Client,
}

impl Daemon {
    /// A daemon with the simulator and nothing configured.
    pub(crate) async fn start() -> Self {
        Serve::new().start().await
    }

    pub(crate) fn world(&self) -> &World {
        &self.serve.world
    }

    pub(crate) fn port(&self) -> u16 {
        self.url.rsplit(':').next().and_then(|port| port.parse().ok()).expect("a port in the url")
    }

    /// A request with the token, if there is one.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.url));
        match &self.serve.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    pub(crate) async fn send(&self, request: RequestBuilder) -> Reply {
        let request = request.timeout(Duration::from_secs(30));
        Reply::read(request.send().await.expect("an answer")).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Reply {
        self.send(self.request(Method::DELETE, path)).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.send(self.request(Method::POST, path).json(body)).await
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Reply {
        self.send(self.request(Method::PUT, path).json(body)).await
    }

    pub(crate) async fn patch(&self, path: &str, body: &Value) -> Reply {
        self.send(self.request(Method::PATCH, path).json(body)).await
    }

    /// Processes of the test besides the daemon.
    pub(crate) fn agents(&self) -> Vec<i32> {
        self.world().processes().into_iter().filter(|pid| *pid != self.process.pid).collect()
    }

    /// Kills all agents and waits until the daemon has noticed.
    pub(crate) async fn kill_agents(&self) {
        self.agents().into_iter().for_each(kill);
        eventually("the agents are known to be gone", async || {
            let processes = self.get("/agent/connection").await.json(200);
            let connected = processes.as_array()?.iter().any(|process| process["status"] == "connected");
            (!connected && self.agents().is_empty()).then_some(())
        })
        .await;
    }

    /// kill -9, as a crash would do it. The directories stay.
    pub(crate) async fn crash(mut self) -> Serve {
        kill(self.process.pid);
        self.process.end(Duration::from_secs(5)).await;
        self.serve
    }

    /// SIGTERM; how it ended, and what to start again.
    pub(crate) async fn stop(mut self) -> (ExitStatus, Serve) {
        signal(self.process.pid, Signal::TERM);
        let status = self.process.end(Duration::from_secs(9)).await;
        (status, self.serve)
    }
}
