//! HTTP, SSE and the OpenAPI document over the runtime.
//!
//! Answers how a request becomes one call of [`Runtime`] and how its answer
//! or refusal looks on the wire. It holds no rules about sessions and keeps
//! no state of its own.

mod document;
mod edge;
mod extract;
mod guard;
mod origin;
mod polish;
mod problem;
mod reader;
mod refusal;
#[expect(unused_qualifications, reason = "the macros that document routes write whole paths")]
mod routes;
mod select;
mod serve;
mod sse;
mod stall;
mod tree;
mod validate;

use std::sync::Arc;

use axum::Router;
use axum::extract::FromRef;
use axum::middleware::{from_fn, from_fn_with_state};
use openscience_runtime::Runtime;

use crate::guard::Guard;
use crate::routes::global::Health;

pub use crate::origin::{is_domain, is_host, is_origin};
pub use crate::problem::Problem;
pub use crate::serve::serve;

/// What the server needs besides the runtime, read once by the binary.
#[derive(Debug, Clone, Default)]
pub struct ServerConfig {
    /// Bearer token every request must show; none or empty means no check.
    pub token: Option<String>,
    /// Further origins that may read answers in a browser, such as `https://notebook.example`.
    pub cors_origins: Vec<String>,
    /// Apex domains: `https://<label>.<apex>` is an allowed origin, the apex itself is not.
    pub cors_domains: Vec<String>,
    /// Further Host names served besides loopback.
    pub hosts: Vec<String>,
    /// Version shown by health.
    pub version: String,
    /// Commit of the sources, if known.
    pub source_sha: Option<String>,
    /// Hash of uncommitted sources, if any.
    pub source_worktree_hash: Option<String>,
    /// Names this start of the daemon.
    pub run_id: String,
}

/// Shared by all requests.
#[derive(Debug, Clone)]
struct App {
    runtime: Runtime,
    guard: Arc<Guard>,
    health: Arc<Health>,
}

impl FromRef<App> for Runtime {
    fn from_ref(app: &App) -> Self {
        app.runtime.clone()
    }
}

impl FromRef<App> for Arc<Health> {
    fn from_ref(app: &App) -> Self {
        Arc::clone(&app.health)
    }
}

/// Every route behind its guards.
pub fn router(runtime: Runtime, config: ServerConfig) -> Router {
    let guard = Arc::new(Guard::new(&config));
    let app = App { runtime, guard, health: Arc::new(Health::new(config)) };
    let routes = routes::all().into_router().fallback(edge::unknown_route);
    let routes: Router = routes.method_not_allowed_fallback(edge::wrong_method).with_state(app.clone());
    // The layers stand before routing, so that they see what no route matches and may change the path.
    Router::new()
        .fallback_service(routes)
        .layer(from_fn(edge::unslashed))
        .layer(from_fn(edge::uncached))
        .layer(from_fn(edge::caught))
        .layer(from_fn_with_state(app, guard::guard))
}

/// The OpenAPI document as it is committed: pretty JSON with a newline at its end.
pub fn openapi() -> String {
    document::text()
}
