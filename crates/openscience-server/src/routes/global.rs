//! The daemon itself: is it alive, and what does it offer.

use std::sync::{Arc, LazyLock};

use axum::Json;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::ServerConfig;
use crate::document::Guarded;
use crate::routes::described::{Routes, routes};

pub(crate) fn routes() -> Routes {
    Routes::new().routes(routes!(health)).routes(routes!(doc))
}

/// That the daemon answers, and which one it is.
#[derive(Debug, Clone, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Health {
    /// Always true.
    healthy: bool,
    version: String,
    /// Commit of the sources, if known.
    #[schema(required = true)]
    source_sha: Option<String>,
    /// Hash of uncommitted sources, if any.
    #[schema(required = true)]
    source_worktree_hash: Option<String>,
    /// Names this start of the daemon.
    run_id: String,
}

impl Health {
    pub(crate) fn version(&self) -> &str {
        &self.version
    }

    pub(crate) fn new(config: ServerConfig) -> Self {
        Self {
            healthy: true,
            version: config.version,
            source_sha: config.source_sha,
            source_worktree_hash: config.source_worktree_hash,
            run_id: config.run_id,
        }
    }
}

/// Tell that the daemon answers.
///
/// Needs no token.
#[utoipa::path(
    get, path = "/global/health", operation_id = "global.health", tag = "global",
    responses(Guarded, (status = 200, description = "The daemon answers.", body = Health)),
    security(()),
)]
async fn health(State(health): State<Arc<Health>>) -> Json<Health> {
    Json(Health::clone(&health))
}

/// This document.
#[utoipa::path(
    get, path = "/doc", operation_id = "global.doc", tag = "global",
    responses(Guarded, (status = 200, description = "The OpenAPI document.", body = Object)),
)]
async fn doc() -> Response {
    static DOCUMENT: LazyLock<String> = LazyLock::new(crate::openapi);
    let json = HeaderValue::from_static("application/json");
    ([(header::CONTENT_TYPE, json)], DOCUMENT.as_str()).into_response()
}
