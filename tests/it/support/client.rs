//! What did the daemon answer?
//!
//! Holds every error body to the rule that all of them share; says nothing about single routes.

use reqwest::header::HeaderMap;
use serde_json::Value;

/// One finished HTTP answer.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) async fn read(response: reqwest::Response) -> Self {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let body = response.bytes().await.expect("a whole body").to_vec();
        Self { status, headers, body }
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    /// A header's text; empty if absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }

    /// The JSON body of an answer with this status.
    #[track_caller]
    pub(crate) fn json(&self, status: u16) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert!(self.header("content-type").starts_with("application/json"), "{:?}", self.headers);
        assert_eq!(self.header("cache-control"), "no-store", "{:?}", self.headers);
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The body of a refusal with this status, in the form every refusal has.
    #[track_caller]
    pub(crate) fn refused(&self, status: u16) -> Value {
        let body = self.json(status);
        let word = |key: &str| body[key].as_str().is_some_and(|text| !text.is_empty());
        assert!(word("error") && word("code") && word("message"), "{body}");
        body
    }

    /// A refusal with this code.
    #[track_caller]
    pub(crate) fn refusal(&self, status: u16, code: &str) -> Value {
        let body = self.refused(status);
        assert_eq!(body["code"], code, "{body}");
        body
    }

    /// A refusal with this error name; its data.
    #[track_caller]
    pub(crate) fn named(&self, status: u16, name: &str) -> Value {
        let body = self.refused(status);
        assert_eq!(body["name"], name, "{body}");
        assert!(body["data"].is_object(), "{body}");
        body["data"].clone()
    }
}

/// Percent-encodes a query value.
pub(crate) fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                char::from(byte).to_string()
            }
            other => format!("%{other:02X}"),
        })
        .collect()
}
