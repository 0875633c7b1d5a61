//! Requests in a closed loop: so many at once, each sender waits for its answer.
//!
//! The senders share the machine with the server they measure, so their own cost is
//! part of every figure; it is the same for both servers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context as _, bail, ensure};
use bytes::Bytes;
use reqwest::{Client, Method, StatusCode};

use crate::stats::quantile;
use crate::subject::Subject;

/// One request, ready to be sent.
#[derive(Debug, Clone)]
pub(crate) struct Request {
    pub(crate) method: Method,
    pub(crate) url: String,
    /// JSON; none if empty.
    pub(crate) body: Bytes,
}

impl Request {
    pub(crate) fn get(url: String) -> Self {
        Self { method: Method::GET, url, body: Bytes::new() }
    }

    pub(crate) fn post(url: String, body: impl Into<Bytes>) -> Self {
        Self { method: Method::POST, url, body: body.into() }
    }
}

/// What a series of requests came to.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Milliseconds each request took.
    times: Vec<f64>,
    elapsed_s: f64,
    /// Processor time of the server per request, in milliseconds.
    pub(crate) cpu_ms: f64,
}

impl Outcome {
    pub(crate) fn count(&self) -> usize {
        self.times.len()
    }

    pub(crate) fn rate(&self) -> f64 {
        self.times.len() as f64 / self.elapsed_s
    }

    pub(crate) fn quantile_ms(&self, share: f64) -> f64 {
        quantile(&self.times, share)
    }
}

pub(crate) fn client() -> anyhow::Result<Client> {
    let builder = Client::builder().tcp_nodelay(true).pool_max_idle_per_host(64);
    builder.build().context("could not make a client")
}

/// Sends one request and returns the body of its answer, which must be a success.
pub(crate) async fn send(client: &Client, request: &Request) -> anyhow::Result<Bytes> {
    let mut builder = client.request(request.method.clone(), &request.url);
    if !request.body.is_empty() {
        builder = builder.header("content-type", "application/json").body(request.body.clone());
    }
    let answer = builder.send().await?;
    let status: StatusCode = answer.status();
    let body = answer.bytes().await?;
    if !status.is_success() {
        bail!("{} {}: {status} {}", request.method, request.url, String::from_utf8_lossy(&body));
    }
    Ok(body)
}

/// Sends all requests, `at_once` at a time. One that fails fails the series.
pub(crate) async fn run(
    client: &Client,
    subject: &Subject,
    requests: Vec<Request>,
    at_once: usize,
) -> anyhow::Result<Outcome> {
    let requests = Arc::new(requests);
    let next = Arc::new(AtomicUsize::new(0));
    let cpu_before = subject.cpu_ms();
    let began = Instant::now();
    let senders: Vec<_> = (0..at_once)
        .map(|_| tokio::spawn(send_all(client.clone(), Arc::clone(&requests), Arc::clone(&next))))
        .collect();
    let mut times = Vec::with_capacity(requests.len());
    for sender in senders {
        times.extend(sender.await??);
    }
    let elapsed_s = began.elapsed().as_secs_f64();
    ensure!(times.len() == requests.len(), "{} of {} requests were sent", times.len(), requests.len());
    let cpu_ms = (subject.cpu_ms() - cpu_before) / times.len() as f64;
    Ok(Outcome { times, elapsed_s, cpu_ms })
}

async fn send_all(
    client: Client,
    requests: Arc<Vec<Request>>,
    next: Arc<AtomicUsize>,
) -> anyhow::Result<Vec<f64>> {
    let mut times = Vec::new();
    while let Some(request) = requests.get(next.fetch_add(1, Ordering::Relaxed)) {
        let began = Instant::now();
        send(&client, request).await?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    Ok(times)
}
