//! What does the daemon do with a request no ordinary client would send?

use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::{Daemon, Reply};

/// Sends exactly this head (lines without line ends) and body, and reads until the daemon closes.
///
/// The head must ask for `connection: close`; the body of the answer must not be chunked.
pub(crate) async fn raw(daemon: &Daemon, head: &[&str], body: &[u8]) -> Reply {
    let exchange = async {
        let mut stream = TcpStream::connect(("127.0.0.1", daemon.port())).await.expect("a connection");
        let mut request = head.join("\r\n").into_bytes();
        request.extend_from_slice(b"\r\n\r\n");
        request.extend_from_slice(body);
        stream.write_all(&request).await.expect("a written request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("an answer to the end");
        answer
    };
    let answer = tokio::time::timeout(Duration::from_secs(10), exchange).await.expect("an answer in time");
    parse(&answer)
}

fn parse(answer: &[u8]) -> Reply {
    let split = answer.windows(4).position(|window| window == b"\r\n\r\n").expect("an HTTP head");
    let (head, body) = answer.split_at(split);
    let head = String::from_utf8(head.to_vec()).expect("a text head");
    let mut lines = head.split("\r\n");
    let status = lines.next().and_then(|line| line.split(' ').nth(1)?.parse().ok()).expect("a status");
    let headers: HeaderMap = lines
        .filter_map(|line| line.split_once(": "))
        .map(|(name, value)| {
            let name: HeaderName = name.parse().expect("a header name");
            let value: HeaderValue = value.parse().expect("a header value");
            (name, value)
        })
        .collect();
    let chunked = headers.get("transfer-encoding").is_some_and(|coding| coding == "chunked");
    assert!(!chunked, "a chunked answer needs a better reader");
    Reply { status, headers, body: body.iter().copied().skip(4).collect() }
}
