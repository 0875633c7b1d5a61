use std::net::SocketAddr;

use axum::Extension;
use axum::body::Bytes;
use axum::routing::get;
use futures_util::{StreamExt, stream};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::task::JoinHandle;

use super::*;

/// Long enough that a test which waits for it fails by its own timeout first.
const NEVER: Duration = Duration::from_hours(1);
const SOON: Duration = Duration::from_secs(10);

struct Served {
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

async fn served(router: Router, patience: Patience) -> Served {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let task = tokio::spawn(serve_patiently(listener, router, stop.clone(), patience));
    Served { address, stop, task }
}

fn patient() -> Patience {
    Patience { write: NEVER, head: NEVER, stop: NEVER }
}

async fn ask(address: SocketAddr, path: &str) -> TcpStream {
    let mut socket = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    socket.write_all(request.as_bytes()).await.unwrap();
    socket
}

async fn read_until(socket: &mut TcpStream, end: &str) -> String {
    let mut text = Vec::new();
    while !String::from_utf8_lossy(&text).ends_with(end) {
        let mut byte = [0];
        socket.read_exact(&mut byte).await.unwrap();
        text.extend_from_slice(&byte);
    }
    String::from_utf8(text).unwrap()
}

async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(SOON, future).await.expect("in time")
}

/// Endless zeroes; `dropped` is cancelled when nobody writes them any more.
fn flood(dropped: CancellationToken) -> Router {
    let handler = async move || {
        let guard = dropped.clone().drop_guard();
        let endless = stream::repeat_with(move || {
            let _held = &guard;
            Ok::<_, Infallible>(Bytes::from_static(&[0; 16_384]))
        });
        Body::from_stream(endless)
    };
    Router::new().route("/flood", get(handler))
}

#[tokio::test]
async fn a_client_that_stops_reading_is_cut_off() {
    let dropped = CancellationToken::new();
    let patience = Patience { write: Duration::from_millis(50), ..patient() };
    let served = served(flood(dropped.clone()), patience).await;
    let socket = ask(served.address, "/flood").await;

    soon(dropped.cancelled()).await;
    drop(socket);
    served.stop.cancel();
}

#[tokio::test]
async fn a_head_that_never_ends_is_cut_off() {
    let served = served(Router::new(), Patience { head: Duration::from_millis(50), ..patient() }).await;
    let mut socket = TcpStream::connect(served.address).await.unwrap();
    socket.write_all(b"GET / HTTP/1.1\r\nHost: loc").await.unwrap();
    let mut rest = Vec::new();
    soon(socket.read_to_end(&mut rest)).await.unwrap();
}

#[tokio::test]
async fn a_stop_closes_the_listener_and_idle_connections() {
    let router = Router::new().route("/", get(|| async { "done" }));
    let served = served(router, patient()).await;
    let mut idle = ask(served.address, "/").await;
    soon(read_until(&mut idle, "done")).await;

    served.stop.cancel();
    soon(served.task).await.unwrap();
    assert_eq!(soon(idle.read(&mut [0])).await.unwrap(), 0);
    assert!(TcpStream::connect(served.address).await.is_err());
}

#[tokio::test]
async fn a_stop_is_known_to_requests_under_way() {
    let router = Router::new().route(
        "/",
        get(|Extension(stop): Extension<Stop>| async move {
            let first = stream::iter([Bytes::from_static(b"first.")]);
            let last = stream::once(async move {
                stop.requested().await;
                Bytes::from_static(b"last.")
            });
            Body::from_stream(first.chain(last).map(Ok::<_, Infallible>))
        }),
    );
    let served = served(router, patient()).await;
    let mut socket = ask(served.address, "/").await;
    soon(read_until(&mut socket, "first.\r\n")).await;

    served.stop.cancel();
    let mut rest = String::new();
    soon(socket.read_to_string(&mut rest)).await.unwrap();
    assert!(rest.contains("last."), "{rest}");
    soon(served.task).await.unwrap();
}

#[tokio::test]
async fn a_request_that_does_not_end_is_dropped_after_a_stop() {
    let router = Router::new().route("/", get(std::future::pending::<()>));
    let patience = Patience { stop: Duration::from_millis(20), ..patient() };
    let served = served(router, patience).await;
    let mut socket = ask(served.address, "/").await;

    served.stop.cancel();
    soon(served.task).await.unwrap();
    let mut rest = Vec::new();
    // Reset or closed: either way nothing comes any more.
    if soon(socket.read_to_end(&mut rest)).await.is_ok() {
        assert_eq!(rest, b"");
    }
}

#[test]
fn only_faults_of_the_listener_make_it_pause() {
    let of_one = |kind: io::ErrorKind| is_of_one_connection(&kind.into());
    assert!(of_one(io::ErrorKind::ConnectionAborted));
    assert!(of_one(io::ErrorKind::ConnectionReset));
    // EMFILE
    assert!(!is_of_one_connection(&io::Error::from_raw_os_error(24)));
}
