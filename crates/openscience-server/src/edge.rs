//! What holds for every answer, whichever route gives it.

use std::any::Any;
use std::panic::AssertUnwindSafe;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::uri::PathAndQuery;
use http::{HeaderValue, StatusCode, Uri, header};
use openscience_protocol::codes::api;

use crate::guard::trimmed;
use crate::problem::Problem;

/// No route has this path.
pub(crate) async fn unknown_route(uri: Uri) -> Problem {
    Problem::unknown_route(uri.path())
}

/// The route exists, but not for this method; the router adds `Allow`.
pub(crate) async fn wrong_method() -> Problem {
    Problem::new(StatusCode::METHOD_NOT_ALLOWED, api::METHOD_NOT_ALLOWED, "this route has no such method")
}

/// Takes the slash off the end of a path, so that both forms match.
pub(crate) async fn unslashed(mut request: Request, next: Next) -> Response {
    if let Some(uri) = unslashed_uri(request.uri()) {
        *request.uri_mut() = uri;
    }
    next.run(request).await
}

fn unslashed_uri(uri: &Uri) -> Option<Uri> {
    let shorter = trimmed(uri.path());
    if shorter == uri.path() {
        return None;
    }
    let whole = match uri.query() {
        Some(query) => format!("{shorter}?{query}"),
        None => shorter.to_owned(),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(whole.parse::<PathAndQuery>().ok()?);
    Uri::from_parts(parts).ok()
}

/// Keeps JSON answers out of every cache.
pub(crate) async fn uncached(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    }
    response
}

/// Turns a panic of a handler into an answer; other requests go on.
pub(crate) async fn caught(request: Request, next: Next) -> Response {
    match AssertUnwindSafe(next.run(request)).catch_unwind().await {
        Ok(response) => response,
        Err(panic) => {
            tracing::error!(panic.message = panic_message(panic.as_ref()), "a request handler panicked");
            Problem::broken().into_response()
        }
    }
}

fn panic_message(panic: &(dyn Any + Send)) -> &str {
    if let Some(text) = panic.downcast_ref::<&str>() {
        text
    } else if let Some(text) = panic.downcast_ref::<String>() {
        text
    } else {
        "not a text"
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use http_body_util::BodyExt;
    use tower::ServiceExt;

    use super::*;

    #[test]
    fn the_query_survives_when_the_slash_goes() {
        #[track_caller]
        fn check(uri: &'static str, expected: Option<&str>) {
            let changed = unslashed_uri(&Uri::from_static(uri)).map(|uri| uri.to_string());
            assert_eq!(changed.as_deref(), expected, "{uri}");
        }

        check("/session/?directory=/tmp/", Some("/session?directory=/tmp/"));
        check("/session/", Some("/session"));
        check("/session", None);
        check("/", None);
    }

    #[tokio::test]
    async fn a_handler_that_panics_is_answered_without_its_text() {
        async fn fails() -> StatusCode {
            panic!("a secret")
        }
        let router = Router::new().route("/", get(fails)).layer(from_fn(uncached)).layer(from_fn(caught));
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status(), StatusCode::INTERNAL_SERVER_ERROR);
        assert_eq!(response.headers()[header::CACHE_CONTROL], "no-store");
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let problem: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!((&problem["code"], &problem["message"]), (&"internal".into(), &"internal error".into()));
    }

    #[test]
    fn the_text_of_a_panic_is_found_in_both_its_forms() {
        assert_eq!(panic_message(&"literal"), "literal");
        assert_eq!(panic_message(&String::from("formatted")), "formatted");
        assert_eq!(panic_message(&7), "not a text");
    }
}
