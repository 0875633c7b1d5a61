//! How do JSON-RPC messages get on and off the byte streams?
//!
//! One JSON object a line. Frames of all sessions share one bounded queue and
//! one writer, so what one task sends stays in order and a client that does not
//! read holds the agent back. Nothing here knows a method.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol_schema::v1::Error;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufRead, AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::sync::{mpsc, oneshot};

/// Frames waiting for the writer. Small: a stream of words arrives in batches.
pub(crate) const QUEUE_LEN_MAX: usize = 64;
/// Bytes gathered before one write.
const WRITE_BYTES: usize = 64 * 1024;
/// Longest line taken in; a prompt is far shorter.
const LINE_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Bytes for stdout that no other frame may come between.
#[derive(Debug)]
pub(crate) enum Out {
    /// Whole lines.
    Lines(Vec<u8>),
    /// A line too large to hold: `filler` times the letter x between two halves.
    Huge { head: Vec<u8>, filler: u64, tail: Vec<u8> },
}

/// The way to the client, shared by everything that speaks.
#[derive(Debug, Clone)]
pub(crate) struct Outbox {
    queue: mpsc::Sender<Out>,
    calls: Arc<Calls>,
}

/// Requests of ours that the client has not answered. A plain lock: it is held
/// for one map operation and never across an await.
#[derive(Debug, Default)]
struct Calls {
    next: AtomicU64,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Answer>>>,
}

/// What the client made of a request of ours.
pub(crate) type Answer = Result<Value, Value>;

#[derive(Serialize)]
struct Outgoing<'a, P> {
    jsonrpc: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    method: &'a str,
    params: &'a P,
}

#[derive(Serialize)]
struct Reply<'a, T> {
    jsonrpc: &'static str,
    id: Option<&'a Value>,
    #[serde(flatten)]
    outcome: Outcome<T>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome<T> {
    Result(T),
    Error(Error),
}

impl Outbox {
    pub(crate) fn new() -> (Self, mpsc::Receiver<Out>) {
        let (queue, frames) = mpsc::channel(QUEUE_LEN_MAX);
        (Self { queue, calls: Arc::default() }, frames)
    }

    pub(crate) async fn send(&self, out: Out) -> io::Result<()> {
        self.queue.send(out).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    pub(crate) async fn notify<P: Serialize>(&self, method: &str, params: &P) -> io::Result<()> {
        let mut line = Vec::new();
        encode_notification(&mut line, method, params)?;
        self.send(Out::Lines(line)).await
    }

    /// Answers a request; `id` none is the answer to a line that had no readable one.
    pub(crate) async fn reply<T: Serialize>(
        &self,
        id: Option<&Value>,
        outcome: Result<T, Error>,
    ) -> io::Result<()> {
        let outcome = match outcome {
            Ok(result) => Outcome::Result(result),
            Err(error) => Outcome::Error(error),
        };
        let mut line = serde_json::to_vec(&Reply { jsonrpc: "2.0", id, outcome })?;
        line.push(b'\n');
        self.send(Out::Lines(line)).await
    }

    /// Sends a request and waits for its answer, for ever if need be.
    pub(crate) async fn call<P: Serialize + Sync>(&self, method: &str, params: &P) -> io::Result<Answer> {
        let id = self.calls.next.fetch_add(1, Ordering::Relaxed);
        let (answered, answer) = oneshot::channel();
        self.calls.waiting.lock().unwrap_or_else(PoisonError::into_inner).insert(id, answered);
        let mut line = serde_json::to_vec(&Outgoing { jsonrpc: "2.0", id: Some(id), method, params })?;
        line.push(b'\n');
        self.send(Out::Lines(line)).await?;
        answer.await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }

    /// Hands an answer to the call that waits for it. One that nothing waits for,
    /// because its turn was cancelled, is dropped.
    pub(crate) fn answered(&self, id: &Value, answer: Answer) {
        let mut waiting = self.calls.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(call) = id.as_u64().and_then(|id| waiting.remove(&id)) {
            drop(call.send(answer));
        }
    }
}

/// Appends one notification line.
pub(crate) fn encode_notification<P: Serialize>(
    lines: &mut Vec<u8>,
    method: &str,
    params: &P,
) -> io::Result<()> {
    serde_json::to_writer(&mut *lines, &Outgoing { jsonrpc: "2.0", id: None, method, params })?;
    lines.push(b'\n');
    Ok(())
}

/// Writes frames until every sender is gone: all that wait at once, then a flush.
pub(crate) async fn write_frames<W: AsyncWrite + Unpin>(
    mut frames: mpsc::Receiver<Out>,
    mut writer: W,
) -> io::Result<()> {
    let mut batch = Vec::new();
    let mut bytes = Vec::with_capacity(WRITE_BYTES);
    while frames.recv_many(&mut batch, QUEUE_LEN_MAX).await > 0 {
        for out in batch.drain(..) {
            match out {
                Out::Lines(lines) => bytes.extend_from_slice(&lines),
                Out::Huge { head, filler, tail } => {
                    bytes.extend_from_slice(&head);
                    writer.write_all(&bytes).await?;
                    bytes.clear();
                    write_filler(&mut writer, filler).await?;
                    bytes.extend_from_slice(&tail);
                }
            }
            if bytes.len() >= WRITE_BYTES {
                writer.write_all(&bytes).await?;
                bytes.clear();
            }
        }
        writer.write_all(&bytes).await?;
        bytes.clear();
        writer.flush().await?;
    }
    Ok(())
}

async fn write_filler<W: AsyncWrite + Unpin>(writer: &mut W, mut filler: u64) -> io::Result<()> {
    let block = [b'x'; 8 * 1024];
    while filler > 0 {
        let count = usize::try_from(filler).map_or(block.len(), |left| left.min(block.len()));
        writer.write_all(block.get(..count).unwrap_or_default()).await?;
        filler -= count as u64;
    }
    Ok(())
}

/// A line from the client, without its newline; none is a line too long to hold.
pub(crate) type Line = Option<Vec<u8>>;

/// Hands on line after line until the stream ends or nobody takes them.
pub(crate) async fn read_lines<R: AsyncBufRead + Unpin>(mut reader: R, lines: mpsc::Sender<Line>) {
    let mut line = Some(Vec::new());
    while let Ok(chunk) = reader.fill_buf().await {
        let end = chunk.iter().position(|byte| *byte == b'\n');
        let part = end.map_or(chunk, |end| chunk.get(..end).unwrap_or_default());
        line = line.filter(|line| line.len() + part.len() <= LINE_BYTES_MAX);
        if let Some(line) = &mut line {
            line.extend_from_slice(part);
        }
        let (taken, ended) = (chunk.len(), chunk.is_empty());
        reader.consume(end.map_or(taken, |end| end + 1));
        // The last line counts even without its newline.
        let complete = end.is_some() || (ended && line.as_ref().is_none_or(|line| !line.is_empty()));
        if complete && lines.send(line.replace(Vec::new())).await.is_err() {
            return;
        }
        if ended {
            return;
        }
    }
}

/// One message from the client.
#[derive(Debug)]
pub(crate) enum Incoming {
    Request { id: Value, method: String, params: Box<RawValue> },
    Notification { method: String, params: Box<RawValue> },
    Response { id: Value, answer: Answer },
}

#[derive(Deserialize)]
struct Envelope {
    #[serde(default)]
    id: Option<Value>,
    #[serde(default)]
    method: Option<String>,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default)]
    result: Option<Value>,
    #[serde(default)]
    error: Option<Value>,
}

impl Incoming {
    /// Reads one line; the error is ready to be sent and repeats nothing of it.
    pub(crate) fn parse(line: &[u8]) -> Result<Self, Error> {
        let envelope: Envelope = serde_json::from_slice(line).map_err(|error| {
            let kind = if error.is_data() { Error::invalid_request } else { Error::parse_error };
            kind()
        })?;
        // A batch would pass for the fields of one message in their order.
        if !line.trim_ascii_start().starts_with(b"{") {
            return Err(Error::invalid_request());
        }
        let params = envelope.params.unwrap_or_else(|| RawValue::NULL.to_owned());
        match (envelope.method, envelope.id) {
            (Some(method), None) => Ok(Self::Notification { method, params }),
            (Some(method), Some(id @ (Value::String(_) | Value::Number(_)))) => {
                Ok(Self::Request { id, method, params })
            }
            (None, Some(id @ (Value::String(_) | Value::Number(_)))) => {
                let answer = envelope.error.map_or(Ok(envelope.result.unwrap_or_default()), Err);
                Ok(Self::Response { id, answer })
            }
            (_, Some(_)) | (None, None) => Err(Error::invalid_request()),
        }
    }
}
