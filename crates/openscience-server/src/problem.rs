//! The one error body of the HTTP surface.
//!
//! `error` is what older clients read, `code` is the stable word, `message`
//! is for people. Which failure becomes which problem is not decided here:
//! see [`crate::refusal`] and [`crate::guard`].

use std::error::Error;

use axum::Json;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use openscience_protocol::Sequence;
use openscience_protocol::codes::api;
use serde::Serialize;
use serde_json::{Map, Value, json};
use utoipa::ToSchema;

const ECHOED_CHARS_MAX: usize = 4_096;

/// What is wrong with one place of a request. Never repeats what was received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Issue {
    /// Where, such as `parts[0].text`; empty for the whole.
    pub(crate) path: String,
    pub(crate) message: String,
}

impl Issue {
    pub(crate) fn new(path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into() }
    }
}

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
#[schema(as = Problem)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProblemBody {
    /// A word, or a text where older clients expect one.
    error: String,
    /// Stable snake_case word to match on.
    code: String,
    /// For people.
    message: String,
    /// Name of the error for clients that know errors by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// What belongs to that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    data: Option<Map<String, Value>>,
    /// Every place that is wrong, if the request is invalid.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    issues: Vec<Issue>,
    /// False if the request is invalid, else absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    success: Option<bool>,
    /// The path no route has.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// More about a path no route has.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// Oldest event that can be replayed, if a cursor was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    oldest_sequence: Option<Sequence>,
    /// Newest event, if a cursor was refused.
    #[serde(skip_serializing_if = "Option::is_none")]
    latest_sequence: Option<Sequence>,
    /// The process that can do it.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// The bound that was passed, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    limit: Option<usize>,
    /// The bytes that passed it, as far as they were counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// Where an upload goes on.
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
}

/// A refusal: a status, a body, and headers some statuses need.
///
/// Made from any error of the runtime, so that whoever calls that without HTTP has the same words.
#[derive(Debug, Clone)]
pub struct Problem(Box<Refusal>);

#[derive(Debug, Clone)]
struct Refusal {
    status: StatusCode,
    headers: HeaderMap,
    body: ProblemBody,
}

impl Problem {
    /// Stable snake_case word to match on.
    pub fn code(&self) -> &str {
        &self.0.body.code
    }

    /// For people.
    pub fn message(&self) -> &str {
        &self.0.body.message
    }

    /// A refusal whose `error` is its code.
    pub(crate) fn new(status: StatusCode, code: &str, message: impl Into<String>) -> Self {
        Self(Box::new(Refusal {
            status,
            headers: HeaderMap::new(),
            body: ProblemBody {
                error: code.to_owned(),
                code: code.to_owned(),
                message: message.into(),
                name: None,
                data: None,
                issues: Vec::new(),
                success: None,
                path: None,
                detail: None,
                oldest_sequence: None,
                latest_sequence: None,
                url: None,
                limit: None,
                size: None,
                offset: None,
            },
        }))
    }

    /// The request breaks the rules of its route.
    pub(crate) fn invalid(issues: Vec<Issue>) -> Self {
        let message = match issues.as_slice() {
            [Issue { path, message }] if path.is_empty() => message.clone(),
            [Issue { path, message }] => format!("{path}: {message}"),
            _ => format!("the request has {} faults", issues.len()),
        };
        let mut problem = Self::new(StatusCode::BAD_REQUEST, api::INVALID_REQUEST, message);
        problem.0.body.issues = issues;
        problem.0.body.success = Some(false);
        problem
    }

    /// Something that does not exist.
    pub(crate) fn not_found(code: &str, message: impl Into<String>) -> Self {
        let message = message.into();
        let data = json!({ "message": message });
        Self::new(StatusCode::NOT_FOUND, code, message)
            .with_error(api::NOT_FOUND)
            .named("NotFoundError", data)
    }

    /// No route has this path.
    pub(crate) fn unknown_route(path: &str) -> Self {
        let mut problem = Self::new(StatusCode::NOT_FOUND, api::NOT_FOUND, "no route has this path");
        problem.0.body.path = Some(bounded(path));
        if path.starts_with("/api/") {
            problem.0.body.detail = Some("routes have no /api prefix here".to_owned());
        }
        problem
    }

    /// A failure of ours. The chain of causes is logged here, once, and not sent.
    pub(crate) fn internal(error: &(dyn Error + 'static)) -> Self {
        tracing::error!(error.chain = %chain(error), "request failed");
        Self::broken()
    }

    /// As [`Self::internal`], for a failure that has been logged.
    pub(crate) fn broken() -> Self {
        let message = "internal error";
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, api::INTERNAL, message)
            .named("UnknownError", json!({ "message": message }))
    }

    /// The disk does not take or give data now. The chain of causes is logged here, once.
    pub(crate) fn store_unavailable(error: &(dyn Error + 'static)) -> Self {
        tracing::error!(error.chain = %chain(error), "store unavailable");
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            api::STORE_UNAVAILABLE,
            "the store cannot be read or written now",
        )
    }

    /// The same with another text in `error`.
    pub(crate) fn with_error(mut self, error: &str) -> Self {
        error.clone_into(&mut self.0.body.error);
        self
    }

    /// The same with a name; `data` is an object.
    pub(crate) fn named(mut self, name: &str, data: Value) -> Self {
        self.0.body.name = Some(name.to_owned());
        self.0.body.data = match data {
            Value::Object(map) => Some(map),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => None,
        };
        self
    }

    /// The same under another name, unless it has one that says more.
    pub(crate) fn with_name(mut self, name: &str) -> Self {
        let known = self.0.body.name.as_deref();
        if known.is_none_or(|known| matches!(known, "AcpProcessError" | "AcpProtocolError")) {
            self.0.body.name = Some(name.to_owned());
            self.0.body.data.get_or_insert_default();
        }
        self
    }

    /// The same with the place it is about.
    pub(crate) fn with_issue(mut self, issue: Issue) -> Self {
        self.0.body.issues.push(issue);
        self
    }

    /// The same with the bounds of the journal.
    pub(crate) fn with_window(mut self, oldest: Sequence, latest: Sequence) -> Self {
        self.0.body.oldest_sequence = Some(oldest);
        self.0.body.latest_sequence = Some(latest);
        self
    }

    /// The same with the address of the process that can do it.
    pub(crate) fn with_url(mut self, url: Option<String>) -> Self {
        self.0.body.url = url;
        self
    }

    /// The same with the bound that was passed.
    pub(crate) fn with_limit(mut self, limit: usize) -> Self {
        self.0.body.limit = Some(limit);
        self
    }

    /// The same with the bytes that passed the bound.
    pub(crate) fn with_size(mut self, size: u64) -> Self {
        self.0.body.size = Some(size);
        self
    }

    /// The same with where an upload goes on.
    pub(crate) fn with_offset(mut self, offset: u64) -> Self {
        self.0.body.offset = Some(offset);
        self
    }

    /// The same with a header.
    pub(crate) fn with_header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.insert(name, value);
        self
    }

    /// True if a token is missing or wrong.
    pub(crate) fn is_unauthorized(&self) -> bool {
        self.0.status == StatusCode::UNAUTHORIZED
    }

    #[cfg(test)]
    pub(crate) fn status(&self) -> StatusCode {
        self.0.status
    }

    #[cfg(test)]
    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.0.headers
    }

    #[cfg(test)]
    pub(crate) fn to_json(&self) -> Value {
        serde_json::to_value(&self.0.body).unwrap()
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let Refusal { status, mut headers, body } = *self.0;
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        (status, headers, Json(body)).into_response()
    }
}

/// What was received, as far as it may come back: no longer than a path can be.
pub(crate) fn bounded(text: &str) -> String {
    text.chars().take(ECHOED_CHARS_MAX).collect()
}

/// An error and its causes on one line.
fn chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_thing_is_told_by_error_code_name_and_data() {
        let problem = Problem::not_found(api::SESSION_NOT_FOUND, "session ses_a does not exist");
        assert_eq!(problem.status(), StatusCode::NOT_FOUND);
        assert_eq!(
            problem.to_json(),
            json!({
                "error": "not_found",
                "code": "session_not_found",
                "message": "session ses_a does not exist",
                "name": "NotFoundError",
                "data": { "message": "session ses_a does not exist" },
            })
        );
    }

    #[test]
    fn an_invalid_request_lists_its_issues() {
        let one = Problem::invalid(vec![Issue::new("effort", "missing")]);
        assert_eq!(
            one.to_json(),
            json!({
                "error": "invalid_request",
                "code": "invalid_request",
                "message": "effort: missing",
                "issues": [{ "path": "effort", "message": "missing" }],
                "success": false,
            })
        );
        let two = Problem::invalid(vec![Issue::new("a", "missing"), Issue::new("b", "missing")]);
        assert_eq!(two.to_json()["message"], "the request has 2 faults");
    }

    #[test]
    fn an_unknown_route_is_named_and_explained_below_api() {
        let plain = Problem::unknown_route("/nothing").to_json();
        assert_eq!(plain["error"], "not_found");
        assert_eq!(plain["path"], "/nothing");
        assert_eq!(plain.get("detail"), None);
        assert!(Problem::unknown_route("/api/session").to_json()["detail"].is_string());
        let long = Problem::unknown_route(&"/é".repeat(4_096)).to_json();
        assert_eq!(long["path"].as_str().unwrap(), "/é".repeat(2_048));
    }

    #[test]
    fn an_internal_error_tells_nothing_of_its_cause() {
        let cause = std::io::Error::other("/secret/path");
        let body = Problem::internal(&cause).to_json().to_string();
        assert!(!body.contains("secret"), "{body}");
    }
}
