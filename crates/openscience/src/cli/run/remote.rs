//! A daemon that serves already, spoken to over HTTP.
//!
//! Plain http only: a daemon listens on this machine and serves no TLS. One connection a request: there are a few
//! in the life of a run, and one that stays for the events.

use std::time::Duration;

use bytes::Bytes;
use futures_util::Stream;
use http::{Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use openscience_protocol::prompt::PromptAccepted;
use openscience_protocol::{
    DecisionInput, Message, MessageId, PromptInput, RunId, RuntimeEvent, RuntimeRun, Sequence, Session,
    SessionId, Snapshot,
};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::host::{ATTEMPTS, Events, HostError, Lost, PAUSE, Wanted};
use super::outcome::CONNECTION_LOST;
use super::sse::Decoder;

/// A request that takes longer is answered by nobody; deciding may take 2 s, deleting 10.
const ANSWER_TIME: Duration = Duration::from_secs(30);
/// A stream is silent for 5 s at most.
const SILENCE: Duration = Duration::from_secs(20);
/// Longer answers are not ours.
const ANSWER_BYTES_MAX: usize = 64 << 20;

/// Why an address cannot be attached to.
#[derive(Debug, thiserror::Error)]
#[error("--attach expects the address of a daemon on this machine, such as http://127.0.0.1:4096")]
pub(super) struct BadAddress;

/// Where the daemon is, and for which project it is asked.
#[derive(Debug, Clone)]
pub(super) struct Remote {
    /// As in the `Host` header.
    authority: String,
    host: String,
    port: u16,
    token: Option<String>,
    directory: String,
}

impl Remote {
    pub(super) fn new(url: &str, token: Option<String>, directory: String) -> Result<Self, BadAddress> {
        let uri: Uri = url.parse().map_err(|_| BadAddress)?;
        let bare = uri.path_and_query().is_none_or(|path| path.as_str() == "/");
        let authority = uri.authority().filter(|authority| !authority.as_str().contains('@'));
        match (uri.scheme_str(), authority) {
            (Some("http"), Some(authority)) if bare => Ok(Self {
                authority: authority.as_str().to_owned(),
                host: authority.host().trim_matches(['[', ']']).to_owned(),
                port: authority.port_u16().unwrap_or(80),
                token,
                directory,
            }),
            _ => Err(BadAddress),
        }
    }

    fn unreachable(&self, why: &dyn std::fmt::Display) -> HostError {
        let message = format!("no daemon answers at http://{}: {why}", self.authority);
        HostError { code: CONNECTION_LOST.to_owned(), message }
    }

    async fn open(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<Value>,
    ) -> Result<http::Response<Incoming>, HostError> {
        let query = form_urlencoded::Serializer::new(String::new())
            .append_pair("directory", &self.directory)
            .extend_pairs(query)
            .finish();
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{path}?{query}"))
            .header(header::HOST, &self.authority)
            .header(header::CONNECTION, "close");
        if let Some(token) = &self.token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        if body.is_some() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let body = Full::new(body.map_or_else(Bytes::new, |body| Bytes::from(body.to_string())));
        let request = request.body(body).map_err(|error| self.unreachable(&error))?;
        let exchange = async {
            let stream = TcpStream::connect((self.host.as_str(), self.port)).await;
            let stream = stream.map_err(|error| self.unreachable(&error))?;
            let (mut sender, connection) =
                http1::handshake(TokioIo::new(stream)).await.map_err(|error| self.unreachable(&error))?;
            // It ends with the answer's body.
            tokio::spawn(connection);
            sender.send_request(request).await.map_err(|error| self.unreachable(&error))
        };
        timeout(ANSWER_TIME, exchange).await.unwrap_or_else(|late| Err(self.unreachable(&late)))
    }

    async fn read(&self, response: http::Response<Incoming>) -> Result<(StatusCode, Bytes), HostError> {
        let status = response.status();
        let body = timeout(ANSWER_TIME, Limited::new(response.into_body(), ANSWER_BYTES_MAX).collect()).await;
        let body = body.map_err(|late| self.unreachable(&late))?.map_err(|error| self.unreachable(&error))?;
        Ok((status, body.to_bytes()))
    }

    async fn ask<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        query: &[(&str, &str)],
        body: Option<Value>,
    ) -> Result<T, HostError> {
        let (status, body) = self.read(self.open(method, path, query, body).await?).await?;
        if !status.is_success() {
            return Err(refusal(status, &body));
        }
        serde_json::from_slice(&body).map_err(|error| self.unreachable(&error))
    }

    async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> Result<T, HostError> {
        self.ask(Method::GET, path, query, None).await
    }

    async fn post<T: DeserializeOwned>(&self, path: &str, body: Value) -> Result<T, HostError> {
        self.ask(Method::POST, path, &[], Some(body)).await
    }

    pub(super) async fn create(&self, wanted: Wanted) -> Result<Session, HostError> {
        let Wanted { title, workspace, agent } = wanted;
        let mut body = json!({ "workspace": workspace });
        if let Some(title) = title {
            body["title"] = title.into();
        }
        if let Some(agent) = agent {
            body["agent"] = agent.as_str().into();
        }
        self.post("/session", body).await
    }

    pub(super) async fn session(&self, id: &SessionId) -> Result<Session, HostError> {
        self.get(&format!("/session/{id}"), &[]).await
    }

    pub(super) async fn roots(&self) -> Result<Vec<Session>, HostError> {
        self.get("/session", &[("roots", "true")]).await
    }

    pub(super) async fn snapshot(&self, id: &SessionId) -> Result<Snapshot, HostError> {
        self.get("/runtime/snapshot", &[("sessionID", id.as_str())]).await
    }

    pub(super) async fn prompt(&self, input: PromptInput) -> Result<PromptAccepted, HostError> {
        self.post("/runtime/prompt", json!(input)).await
    }

    pub(super) async fn decide(&self, answer: DecisionInput) -> Result<(), HostError> {
        let _: Value = self.post("/runtime/decision", json!(answer)).await?;
        Ok(())
    }

    pub(super) async fn cancel(&self, id: &SessionId, run: &RunId) -> Result<(), HostError> {
        let _: Value = self.post("/runtime/cancel", json!({ "sessionID": id, "runID": run })).await?;
        Ok(())
    }

    pub(super) async fn run(&self, id: &SessionId, run: &RunId) -> Result<RuntimeRun, HostError> {
        self.get("/runtime/run", &[("sessionID", id.as_str()), ("runID", run.as_str())]).await
    }

    pub(super) async fn message(&self, id: &SessionId, message: &MessageId) -> Result<Message, HostError> {
        self.get(&format!("/session/{id}/message/{message}"), &[]).await
    }

    pub(super) async fn messages(&self, id: &SessionId) -> Result<Vec<Message>, HostError> {
        self.get(&format!("/session/{id}/message"), &[]).await
    }

    /// Every event after the cursor. A stream that breaks is opened again where it broke.
    pub(super) fn follow(&self, id: &SessionId, after: Sequence) -> Events {
        let reader =
            Reader { remote: self.clone(), session: id.clone(), seen: after, open: None, failures: 0 };
        Box::pin(events(reader))
    }
}

/// What the daemon says of a request it does not carry out.
fn refusal(status: StatusCode, body: &[u8]) -> HostError {
    #[derive(Deserialize)]
    struct Body {
        code: String,
        message: String,
    }
    match serde_json::from_slice(body) {
        Ok(Body { code, message }) => HostError { code, message },
        Err(_) => HostError { code: "internal".to_owned(), message: format!("the daemon answered {status}") },
    }
}

/// Where the stream stands.
struct Reader {
    remote: Remote,
    session: SessionId,
    seen: Sequence,
    open: Option<(Incoming, Decoder)>,
    failures: u32,
}

fn events(reader: Reader) -> impl Stream<Item = Result<RuntimeEvent, Lost>> + Send {
    let pages = futures_util::stream::unfold(Some(reader), |reader| async move {
        let mut reader = reader?;
        match reader.page().await {
            Ok(events) => Some((events.into_iter().map(Ok).collect(), Some(reader))),
            Err(lost) => Some((vec![Err(lost)], None)),
        }
    });
    futures_util::StreamExt::flat_map(pages, futures_util::stream::iter)
}

impl Reader {
    /// The next events, or why there are no more.
    async fn page(&mut self) -> Result<Vec<RuntimeEvent>, Lost> {
        loop {
            if let Some((body, decoder)) = &mut self.open {
                if let Ok(Some(Ok(frame))) = timeout(SILENCE, body.frame()).await {
                    let bytes = frame.into_data().unwrap_or_default();
                    let mut events = decoder.feed(&bytes).map_err(|error| {
                        Lost::from(HostError { code: "internal".to_owned(), message: error.to_string() })
                    })?;
                    events.retain(|event| event.sequence > self.seen);
                    self.seen = events.last().map_or(self.seen, |event| event.sequence);
                    self.failures = 0;
                    return Ok(events);
                }
                self.open = None;
            }
            match self.connect().await {
                Ok(body) => self.open = Some((body, Decoder::default())),
                Err(error) => match error.code.as_str() {
                    "cursor_expired" => return Err(Lost::Overtaken),
                    CONNECTION_LOST | "shutting_down" | "store_unavailable" if self.failures < ATTEMPTS => {
                        self.failures += 1;
                        sleep(PAUSE).await;
                    }
                    _ => return Err(error.into()),
                },
            }
        }
    }

    async fn connect(&self) -> Result<Incoming, HostError> {
        let after = self.seen.to_string();
        let query = [("sessionID", self.session.as_str()), ("afterSequence", &after)];
        let response = self.remote.open(Method::GET, "/runtime/events", &query, None).await?;
        if response.status().is_success() {
            return Ok(response.into_body());
        }
        let (status, body) = self.remote.read(response).await?;
        Err(refusal(status, &body))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_address_is_attached_to() {
        let to = |url: &str| {
            let remote = Remote::new(url, None, "/p".to_owned()).ok()?;
            Some((remote.host, remote.port, remote.authority))
        };
        let at = |host: &str, port, authority: &str| Some((host.to_owned(), port, authority.to_owned()));
        assert_eq!(to("http://127.0.0.1:4096"), at("127.0.0.1", 4096, "127.0.0.1:4096"));
        assert_eq!(to("http://localhost:4096/"), at("localhost", 4096, "localhost:4096"));
        assert_eq!(to("http://[::1]:4096"), at("::1", 4096, "[::1]:4096"));
        for wrong in
            ["https://127.0.0.1:4096", "127.0.0.1:4096", "http://u@h:1", "http://h:1/x", "http://", ""]
        {
            assert_eq!(to(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_refusal_is_told_in_the_daemon_s_own_words() {
        let body = br#"{"error":"not_found","code":"session_not_found","message":"no such session"}"#;
        let error = refusal(StatusCode::NOT_FOUND, body);
        assert_eq!((error.code.as_str(), error.message.as_str()), ("session_not_found", "no such session"));
        assert_eq!(refusal(StatusCode::BAD_GATEWAY, b"<html>").code, "internal");
    }
}
