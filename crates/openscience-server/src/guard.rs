//! Who may ask: the checks every request passes before its route is looked at.
//!
//! In this order: Host, Origin, token; then the CORS headers. The checks are
//! functions of headers and configuration; what a route does is not known here.

use std::hint::black_box;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::header::{self, HeaderValue};
use http::{HeaderMap, HeaderName, Method, StatusCode, Uri};
use openscience_protocol::codes::api;

use crate::problem::Problem;
use crate::{App, ServerConfig, extract, origin};

const LOOPBACK_HOSTS: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];
const METHODS: HeaderValue = HeaderValue::from_static("GET,HEAD,PUT,POST,DELETE,PATCH");
/// Headers of ours a browser script may read.
const EXPOSED: HeaderValue = HeaderValue::from_static("x-next-cursor,retry-after");
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What the guards compare with, made once from the configuration.
#[derive(Debug, Clone)]
pub(crate) struct Guard {
    token: Option<Vec<u8>>,
    hosts: Vec<String>,
    origins: Vec<String>,
    domains: Vec<String>,
}

impl Guard {
    pub(crate) fn new(config: &ServerConfig) -> Self {
        let lower = |list: &[String], cut: &[char]| -> Vec<String> {
            let trimmed = list.iter().map(|entry| entry.trim().trim_matches(cut).to_ascii_lowercase());
            trimmed.filter(|entry| !entry.is_empty()).collect()
        };
        let configured = lower(&config.hosts, &[]);
        let origins = config.cors_origins.iter().filter_map(|entry| origin::canonical(entry));
        Self {
            token: config.token.clone().filter(|token| !token.is_empty()).map(String::into_bytes),
            hosts: configured.iter().map(|host| host_part(host).unwrap_or(host).to_owned()).collect(),
            origins: origins.collect(),
            domains: lower(&config.cors_domains, &['.']),
        }
    }

    /// The checks, in their order.
    pub(crate) fn check(&self, method: &Method, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        self.check_host(uri, headers)?;
        self.check_origin(headers)?;
        if trimmed(uri.path()) == "/global/health" || is_preflight(method, headers) {
            return Ok(());
        }
        self.check_token(headers)
    }

    fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Problem> {
        let mut hosts = headers.get_all(header::HOST).iter();
        let only = (hosts.next(), hosts.next());
        let named = match only {
            (Some(host), None) => host.to_str().is_ok_and(|host| self.allows_host(host)),
            (None | Some(_), _) => false,
        };
        // A request line with a whole URL names a host of its own.
        if named && uri.authority().is_none_or(|authority| self.allows_host(authority.as_str())) {
            return Ok(());
        }
        Err(Problem::new(StatusCode::FORBIDDEN, api::FORBIDDEN_HOST, "this Host name is not served")
            .with_error("Forbidden host"))
    }

    fn check_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let mut origins = headers.get_all(header::ORIGIN).iter().peekable();
        let allowed = if origins.peek().is_none() {
            headers.get_all(SEC_FETCH_SITE).iter().all(|site| site != "cross-site")
        } else {
            origins.all(|origin| origin.to_str().is_ok_and(|origin| self.allows_origin(origin)))
        };
        if allowed {
            return Ok(());
        }
        Err(Problem::new(StatusCode::FORBIDDEN, api::FORBIDDEN_ORIGIN, "this origin is not allowed")
            .with_error("Forbidden origin"))
    }

    fn check_token(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let Some(token) = &self.token else { return Ok(()) };
        let sent = extract::only(headers, header::AUTHORIZATION.as_str()).ok().flatten();
        let sent = sent.and_then(|value| bearer(value.as_bytes()));
        if sent.is_some_and(|sent| same(sent, token)) {
            return Ok(());
        }
        let realm = HeaderValue::from_static("Bearer realm=\"openscience\"");
        Err(Problem::new(StatusCode::UNAUTHORIZED, api::UNAUTHORIZED, "a valid bearer token is needed")
            .with_error("Unauthorized")
            .with_header(header::WWW_AUTHENTICATE, realm))
    }

    fn allows_host(&self, host: &str) -> bool {
        let Some(name) = host_part(host) else { return false };
        let mut allowed = LOOPBACK_HOSTS.into_iter().chain(self.hosts.iter().map(String::as_str));
        allowed.any(|host| host.eq_ignore_ascii_case(name))
    }

    fn allows_origin(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        if origin == "tauri://localhost" || origin == "http://tauri.localhost" {
            return true;
        }
        if self.origins.contains(&origin) {
            return true;
        }
        if let Some(host) = origin.strip_prefix("http://") {
            return matches!(host_part(host), Some("localhost" | "127.0.0.1"));
        }
        origin.strip_prefix("https://").is_some_and(|host| {
            self.domains.iter().any(|apex| {
                let label = host.strip_suffix(apex.as_str()).and_then(|rest| rest.strip_suffix('.'));
                label.is_some_and(is_label)
            })
        })
    }
}

/// Checks every request, answers preflights and adds the CORS headers to what comes back.
pub(crate) async fn guard(State(app): State<App>, request: Request, next: Next) -> Response {
    let (method, headers) = (request.method(), request.headers());
    let origin = headers.get(header::ORIGIN).cloned();
    if let Err(problem) = app.guard.check(method, request.uri(), headers) {
        // A page of an allowed origin may read why its token was refused; no other may.
        let readable = problem.is_unauthorized();
        return with_cors(problem.into_response(), origin.filter(|_| readable));
    }
    if is_preflight(method, headers) {
        let wanted = headers.get(header::ACCESS_CONTROL_REQUEST_HEADERS).cloned();
        return with_cors(preflight(wanted), origin);
    }
    with_cors(next.run(request).await, origin)
}

fn preflight(wanted: Option<HeaderValue>) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    if let Some(wanted) = wanted {
        headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, wanted);
    }
    response
}

fn with_cors(mut response: Response, origin: Option<HeaderValue>) -> Response {
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if let Some(origin) = origin {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
    }
    response
}

fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// A path without the slash at its end: both forms name the same route.
pub(crate) fn trimmed(path: &str) -> &str {
    match path.strip_suffix('/') {
        Some(shorter) if !shorter.is_empty() => shorter,
        Some(_) | None => path,
    }
}

/// The name in `name:port`, brackets kept; none if it is neither that nor a name alone.
fn host_part(host: &str) -> Option<&str> {
    let (name, port) = match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        Some(_) | None => (host, None),
    };
    let port_is_number = port.is_none_or(|port| port.bytes().all(|digit| digit.is_ascii_digit()));
    (port_is_number && !name.is_empty()).then_some(name)
}

fn is_label(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
}

/// What follows `bearer ` in any case.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked("bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"bearer ").then_some(token)
}

/// Compares without telling by its time where the two differ.
fn same(sent: &[u8], token: &[u8]) -> bool {
    let differing = token
        .iter()
        .enumerate()
        .fold(0_u8, |seen, (at, byte)| black_box(seen | (byte ^ sent.get(at).copied().unwrap_or_default())));
    differing == 0 && sent.len() == token.len()
}

#[cfg(test)]
#[path = "guard_tests.rs"]
mod tests;
