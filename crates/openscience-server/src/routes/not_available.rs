//! What the surface names but this daemon does not do: refused by name, never ignored.

use http::StatusCode;
use openscience_protocol::codes::api;

use crate::problem::{Issue, Problem};

/// Refuses a field, a parameter or a value of one.
pub(crate) fn not_available(field: &str) -> Problem {
    let message = format!("{field} is not available yet");
    Problem::new(StatusCode::BAD_REQUEST, api::NOT_AVAILABLE, message.clone())
        .with_issue(Issue::new(field, message))
}
