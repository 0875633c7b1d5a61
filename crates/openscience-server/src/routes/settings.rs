//! What other servers keep here and this daemon does not have: answered as empty.

use axum::Json as Answer;
use serde_json::Value;

use crate::document::Guarded;
use crate::routes::described::{Routes, routes};

pub(crate) fn routes() -> Routes {
    Routes::new().routes(routes!(jobs))
}

/// List compute jobs.
///
/// Always empty: this daemon runs agents and no jobs.
#[utoipa::path(
    get, path = "/settings/compute/jobs", operation_id = "settings.jobs", tag = "settings",
    responses(Guarded, (status = 200, description = "No jobs.", body = Vec<Object>)),
)]
async fn jobs() -> Answer<[Value; 0]> {
    Answer([])
}
