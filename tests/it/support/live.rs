//! Is every frame of a live stream one line of data?

use reqwest::RequestBuilder;
use serde_json::Value;

use super::wait::PATIENCE;

/// A stream without cursor, read strictly.
#[derive(Debug)]
pub(crate) struct Live {
    response: reqwest::Response,
    buffer: Vec<u8>,
}

impl Live {
    pub(crate) async fn open(request: RequestBuilder) -> Self {
        let response = tokio::time::timeout(PATIENCE, request.send()).await.expect("headers at once");
        let response = response.expect("a response");
        assert_eq!(response.status().as_u16(), 200);
        assert_eq!(
            response.headers().get("content-type").and_then(|value| value.to_str().ok()),
            Some("text/event-stream")
        );
        Self { response, buffer: Vec::new() }
    }

    /// The next fact; none if the daemon ended the stream between two frames.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        loop {
            if let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
                let frame: Vec<u8> = self.buffer.drain(..end + 2).take(end).collect();
                let frame = String::from_utf8(frame).expect("frames are UTF-8");
                let data = frame.strip_prefix("data: ").unwrap_or_else(|| panic!("no data: {frame}"));
                return Some(serde_json::from_str(data).unwrap_or_else(|error| panic!("{error}: {data}")));
            }
            let chunk = tokio::time::timeout(PATIENCE, self.response.chunk()).await.expect("news in time");
            let Some(bytes) = chunk.expect("a stream that is not cut") else {
                assert!(self.buffer.is_empty(), "a clean end inside a frame");
                return None;
            };
            self.buffer.extend_from_slice(&bytes);
        }
    }

    /// Facts up to and with the first that `last` accepts.
    pub(crate) async fn until(&mut self, mut last: impl FnMut(&Value) -> bool) -> Vec<Value> {
        let mut facts = Vec::new();
        loop {
            let fact = self.next().await.unwrap_or_else(|| panic!("the stream ended after {facts:?}"));
            let stop = last(&fact);
            facts.push(fact);
            if stop {
                return facts;
            }
        }
    }
}
