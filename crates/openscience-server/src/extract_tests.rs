use serde::Deserialize;
use serde_json::{Value, json};

use super::*;

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
fn a_fault_is_told_with_its_place_and_without_what_was_received() {
    check_issue(r#"{"items":[{"name":7}]}"#, "items[0].name", "expected a string");
    check_issue(r#"{"items":[{"name":"a"},{}]}"#, "items[1].name", "required");
    check_issue("{}", "items", "required");
    check_issue(r#"{"items":"secret"}"#, "items", "expected a list");
    check_issue(r#"{"items":[],"count":-1}"#, "count", "expected a whole number, 0 or more");
    check_issue(r#"{"items":[],"count":1.5}"#, "count", "expected a whole number, 0 or more");
    check_issue(r#"{"items":["x, expected y at line 9 column 9"]}"#, "items[0]", "expected an object");
    check_issue(r#"{"items":[],"items":[]}"#, "items", "given more than once");
    check_issue("[]", "", "expected an object");
    check_issue("[[]]", "", "expected an object");
}

#[test]
fn an_unknown_key_of_a_strict_body_is_named_if_it_looks_like_a_key() {
    check_issue(r#"{"items":[],"system":1}"#, "system", "unknown key");
    check_issue(r#"{"items":[],"a secret, not a key":1}"#, "", "unknown key");
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
}

#[tokio::test]
async fn a_body_is_read_up_to_its_limit() {
    let read = |text: &'static str| read(Body::from(text), 4);
    assert_eq!(read("1234").await.unwrap(), "1234");
    let problem = read("12345").await.unwrap_err();
    assert_eq!(problem.status(), StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(problem.to_json()["limit"], 4);
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
    for text in ["limit=", "limit=1e3", "limit=-1", "limit=1.5", "roots=1", "roots=", "limit=1&limit=2"] {
        assert!(query::<Page>(text).is_err(), "{text}");
    }
}

#[test]
fn a_fault_of_a_query_names_its_key() {
    let problem = query::<Page>("limit=secret").unwrap_err().to_json();
    assert_eq!(problem["issues"][0]["path"], "limit");
    assert!(!problem.to_string().contains("secret"), "{problem}");
}
