//! The listener: takes connections, ends them, and survives what clients and
//! the system do to it. It knows nothing of what is served.

use std::convert::Infallible;
use std::io;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::response::Response;
use http::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::ServiceExt;

use crate::stall::Unstalled;

/// Bounds of a connection.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Patience {
    /// A write that makes no progress for this long ends the connection.
    write: Duration,
    /// A request head must be complete after this long; also how long an idle connection is kept.
    head: Duration,
    /// What is under way when the server stops may take this long to end.
    stop: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            write: Duration::from_secs(30),
            head: Duration::from_mins(1),
            stop: Duration::from_millis(500),
        }
    }
}

/// Bytes read ahead of a request and written behind an answer, of each connection:
/// bounds what a slow reader of events holds.
const BUFFER_BYTES: usize = 64 << 10;

/// A listener that cannot accept, for want of descriptors most of all, tries again this much later.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Resolves when the server stops; in the extensions of every request.
#[derive(Debug, Clone)]
pub(crate) struct Stop(CancellationToken);

impl Stop {
    pub(crate) async fn requested(self) {
        self.0.cancelled_owned().await;
    }
}

/// Whether a request came from this machine; in the extensions of every request.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Near(pub(crate) bool);

/// Serves until `stop` is cancelled, then closes the listener at once and every connection soon after.
///
/// Event streams end with the stop; other requests under way have half a second.
pub async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) -> io::Result<()> {
    serve_patiently(listener, router, stop, Patience::default()).await;
    Ok(())
}

async fn serve_patiently(listener: TcpListener, router: Router, stop: CancellationToken, patience: Patience) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            biased;
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((socket, _)) => {
                connections.spawn(converse(socket, router.clone(), stop.clone(), patience));
            }
            Err(error) if is_of_one_connection(&error) => {}
            Err(error) => {
                tracing::warn!(error = &error as &dyn std::error::Error, "could not accept a connection");
                tokio::select! {
                    () = stop.cancelled() => break,
                    () = tokio::time::sleep(ACCEPT_PAUSE) => {}
                }
            }
        }
    }
    drop(listener);
    connections.close();
    connections.wait().await;
}

/// True if an accept failed because its client has gone already.
fn is_of_one_connection(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionReset
            | io::ErrorKind::Interrupted
    )
}

async fn converse(socket: TcpStream, router: Router, stop: CancellationToken, patience: Patience) {
    if let Err(error) = socket.set_nodelay(true) {
        tracing::debug!(error = &error as &dyn std::error::Error, "a connection had gone");
        return;
    }
    let stopping = Stop(stop.clone());
    let near = Near(socket.peer_addr().is_ok_and(|peer| peer.ip().to_canonical().is_loopback()));
    let service = service_fn(move |mut request: Request<Incoming>| {
        request.extensions_mut().insert(stopping.clone());
        request.extensions_mut().insert(near);
        answer(router.clone(), request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_buf_size(BUFFER_BYTES)
        .serve_connection(TokioIo::new(Unstalled::new(socket, patience.write)), service);
    let mut connection = std::pin::pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = stop.cancelled() => {
            connection.as_mut().graceful_shutdown();
            match tokio::time::timeout(patience.stop, connection).await {
                Ok(ended) => ended,
                Err(_) => return,
            }
        }
    };
    if let Err(error) = ended {
        tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended early");
    }
}

async fn answer(router: Router, request: Request<Incoming>) -> Result<Response, Infallible> {
    router.oneshot(request.map(Body::new)).await
}

#[cfg(test)]
#[path = "serve_tests.rs"]
mod tests;
