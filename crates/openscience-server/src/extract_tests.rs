use std::io;

use futures_util::{StreamExt, stream};
use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

/// Longer than any test runs.
const NEVER: Duration = Duration::from_hours(1);

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Order {
    items: Vec<Item>,
    #[serde(default)]
    count: Option<u32>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Item {
    name: String,
}

impl JsonBody for Order {}

#[derive(Debug, Deserialize, PartialEq)]
struct Anything {
    note: Option<String>,
}

impl JsonBody for Anything {}

fn json_headers() -> HeaderMap {
    HeaderMap::from_iter([(header::CONTENT_TYPE, "application/json".parse().unwrap())])
}

fn refused<T: JsonBody + std::fmt::Debug>(headers: &HeaderMap, body: &str) -> (u16, Value) {
    let problem = parse::<T>(headers, body.as_bytes()).unwrap_err();
    (problem.status().as_u16(), problem.to_json())
}

#[track_caller]
fn check_issue(body: &str, path: &str, message: &str) {
    let (status, problem) = refused::<Order>(&json_headers(), body);
    assert_eq!(status, 400);
    assert_eq!(problem["issues"], json!([{ "path": path, "message": message }]), "{body}");
}

#[test]
fn a_fault_of_a_body_is_told_with_its_place() {
    check_issue(r#"{"items":[{"name":7}]}"#, "items[0].name", "expected a string");
    check_issue(r#"{"items":["x, expected y at line 9 column 9"]}"#, "items[0]", "expected an object");
    check_issue("[]", "", "expected an object");
    check_issue("[[]]", "", "expected an object");
}

#[test]
fn json_beyond_what_can_be_read_is_invalid_and_not_invalid_json() {
    let unreadable = "holds a number that is too large, or half of a surrogate pair";
    check_issue(r#"{"items":[],"count":1e400}"#, "count", unreadable);
    let deep = format!("{{\"items\":{}{}}}", "[".repeat(1_000), "]".repeat(1_000));
    let (status, problem) = refused::<Order>(&json_headers(), &deep);
    assert_eq!((status, &problem["code"]), (400, &json!("invalid_request")));
    assert_eq!(problem["success"], false);
}

#[test]
fn a_body_that_is_not_json_is_invalid_json_whatever_stands_before_the_fault() {
    for body in ["{", "nope", r#"{"items":[]} x"#, r#"{"items":7, oops"#, "\u{feff}{}"] {
        let (status, problem) = refused::<Order>(&json_headers(), body);
        assert_eq!((status, &problem["code"]), (400, &json!("invalid_json")), "{body}");
    }
}

#[test]
fn an_empty_body_is_an_empty_object() {
    assert_eq!(parse::<Anything>(&HeaderMap::new(), b"").unwrap(), Anything { note: None });
    assert_eq!(parse::<Anything>(&json_headers(), b"").unwrap(), Anything { note: None });
}

#[test]
fn only_json_media_types_are_read() {
    #[track_caller]
    fn check(media_type: &str, good: bool) {
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, media_type.parse().unwrap())]);
        let status = match parse::<Anything>(&headers, b"{}") {
            Ok(_) => 200,
            Err(problem) => problem.status().as_u16(),
        };
        assert_eq!(status, if good { 200 } else { 415 }, "{media_type}");
    }

    check("application/json", true);
    check("Application/JSON; charset=utf-8", true);
    check("application/merge-patch+json", true);
    check("text/json", false);
    check("text/plain", false);
    check("application/x-www-form-urlencoded", false);
    assert_eq!(refused::<Anything>(&HeaderMap::new(), "{}").0, 415);
    let mut twice = json_headers();
    twice.append(header::CONTENT_TYPE, "application/json".parse().unwrap());
    assert_eq!(refused::<Anything>(&twice, "{}").0, 415);
}

#[tokio::test]
async fn a_body_is_read_up_to_its_limit() {
    let read = |text: &'static str| read(Body::from(text), 4, NEVER);
    assert_eq!(read("1234").await.unwrap(), "1234");
    let problem = read("12345").await.unwrap_err();
    assert_eq!(problem.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(problem.to_json()["limit"], 4);
}

#[tokio::test]
async fn a_body_that_does_not_come_on_is_given_up_and_its_connection_closed() {
    let begun = stream::iter([Ok::<_, io::Error>("{")]).chain(stream::pending());
    let problem = read(Body::from_stream(begun), 4, Duration::from_millis(5)).await.unwrap_err();
    assert_eq!(problem.status(), StatusCode::REQUEST_TIMEOUT);
    assert_eq!(problem.to_json()["code"], "request_timeout");
    assert_eq!(problem.headers()[header::CONNECTION], "close");
}

#[tokio::test]
async fn a_body_that_is_cut_off_is_invalid_as_a_whole() {
    let cut = stream::iter([Ok("{"), Err(io::Error::from(io::ErrorKind::UnexpectedEof))]);
    let problem = read(Body::from_stream(cut), 4, NEVER).await.unwrap_err().to_json();
    assert_eq!((&problem["code"], &problem["success"]), (&json!("invalid_request"), &json!(false)));
    assert_eq!(problem["issues"], json!([{ "path": "", "message": "the body was cut off" }]));
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "camelCase")]
struct Page {
    limit: Option<u32>,
    roots: Option<bool>,
}

#[test]
fn numbers_and_booleans_of_a_query_are_strict() {
    #[track_caller]
    fn accepts(text: &str, limit: Option<u32>, roots: Option<bool>) {
        assert_eq!(query::<Page>(text).ok(), Some(Page { limit, roots }), "{text}");
    }

    accepts("", None, None);
    accepts("limit=3&roots=false&other=1", Some(3), Some(false));
    accepts("roots=true", None, Some(true));
    for text in
        ["limit=", "limit=%2B1", "limit=1e3", "limit=-1", "limit=1.5", "roots=1", "roots=", "limit=1&limit=2"]
    {
        assert!(query::<Page>(text).is_err(), "{text}");
    }
}

#[test]
fn a_fault_of_a_query_names_its_key() {
    let issues = |text: &str| query::<Page>(text).unwrap_err().to_json()["issues"].clone();
    let number = "expected a whole number from 0 to 4294967295";
    assert_eq!(issues("limit=secret"), json!([{ "path": "limit", "message": number }]));
    assert_eq!(issues("roots=yes"), json!([{ "path": "roots", "message": "expected true or false" }]));
}
