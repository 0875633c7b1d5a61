use std::future::pending;

use futures_util::stream;

use super::*;

const LONG: Duration = Duration::from_hours(1);

fn frame(last: Sequence) -> Frames {
    Frames { bytes: Bytes::from(format!("id: {last}\n\n")), last }
}

async fn text(chunks: impl Stream<Item = Bytes>) -> String {
    let chunks: Vec<Bytes> = chunks.collect().await;
    String::from_utf8(chunks.concat()).unwrap()
}

#[test]
fn a_cursor_is_a_whole_number_and_the_header_wins() {
    #[track_caller]
    fn check(header: Option<&str>, query: Option<&str>, expected: Result<Option<Sequence>, ()>) {
        let mut headers = HeaderMap::new();
        if let Some(header) = header {
            headers.insert(LAST_EVENT_ID, header.parse().unwrap());
        }
        let cursor = stream_cursor(&headers, query);
        assert_eq!(cursor.map_err(|_| ()), expected, "{header:?} {query:?}");
    }

    check(None, None, Ok(None));
    check(None, Some("0"), Ok(Some(0)));
    check(Some(""), Some("7"), Ok(Some(7)));
    check(Some("9"), Some("7"), Ok(Some(9)));
    check(Some(" 9 "), None, Ok(Some(9)));
    check(Some("9"), Some("bad"), Ok(Some(9)));
    check(Some("bad"), Some("7"), Err(()));
    check(None, Some(""), Err(()));
    check(None, Some("-1"), Err(()));
    check(None, Some("+1"), Err(()));
    check(None, Some("1.0"), Err(()));
    check(None, Some("1e3"), Err(()));
    check(None, Some("99999999999999999999"), Err(()));
    let mut twice = HeaderMap::new();
    for value in ["9", "9"] {
        twice.append(LAST_EVENT_ID, value.parse().unwrap());
    }
    assert_eq!(stream_cursor(&twice, None).unwrap_err().to_json()["code"], "invalid_cursor");
}

#[test]
fn a_bad_cursor_has_its_own_code() {
    let problem = query_cursor(Some("x")).unwrap_err();
    assert_eq!(problem.status(), StatusCode::BAD_REQUEST);
    assert_eq!(problem.to_json()["error"], "invalid_cursor");
}

#[tokio::test]
async fn a_comment_comes_before_the_first_frame() {
    let body = chunks(stream::iter([Ok(frame(1)), Ok(frame(2))]), LONG, pending());
    assert_eq!(text(body).await, ": connected\n\nid: 1\n\nid: 2\n\n");
}

#[tokio::test]
async fn a_stream_that_is_over_ends_cleanly() {
    let overtaken = stream::iter([Ok(frame(1)), Err(ReadError::Overtaken), Ok(frame(9))]);
    assert_eq!(text(chunks(overtaken, LONG, pending())).await, ": connected\n\nid: 1\n\n");
}

#[tokio::test]
async fn a_stream_ends_when_the_runtime_stops() {
    let body = chunks(stream::pending(), LONG, std::future::ready(()));
    assert_eq!(text(body).await, ": connected\n\n");
}

#[tokio::test]
async fn an_idle_stream_beats() {
    let body = chunks(stream::pending(), Duration::from_millis(1), pending());
    assert_eq!(text(body.take(3)).await, ": connected\n\n: heartbeat\n\n: heartbeat\n\n");
}

#[tokio::test]
async fn a_stream_is_told_not_to_be_buffered_or_cached() {
    let response = respond(stream::iter([Ok(frame(1))]), LONG, pending());
    let header = |name: &str| response.headers()[name].to_str().unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(header("content-type"), "text/event-stream");
    assert_eq!(header("cache-control"), "no-cache");
    assert_eq!(header("x-accel-buffering"), "no");
}

#[tokio::test]
async fn a_live_stream_says_that_it_is_connected_and_beats_in_data() {
    let beating = |told: Told| {
        let (first, beat) = (told.connected(), Beat::Always(told.heartbeat()));
        text(beating(stream::pending(), first, beat, Duration::from_millis(1), pending()).take(2))
    };
    let frame = |word: &str| format!("{{\"type\":\"server.{word}\",\"properties\":{{}}}}");
    let (connected, heartbeat) = (frame("connected"), frame("heartbeat"));
    assert_eq!(beating(Told::Project).await, format!("data: {connected}\n\ndata: {heartbeat}\n\n"));
    let global = format!("data: {{\"payload\":{connected}}}\n\ndata: {{\"payload\":{heartbeat}}}\n\n");
    assert_eq!(beating(Told::Global).await, global);
}

#[tokio::test]
async fn a_live_stream_that_is_never_silent_beats_too() {
    let busy = stream::repeat(Bytes::from_static(b"data: {}\n\n")).then(async |frame| {
        tokio::task::yield_now().await;
        frame
    });
    let beat = Beat::Always(HEARTBEAT);
    let mut body = Box::pin(beating(busy, CONNECTED, beat, Duration::from_millis(1), pending()));
    while body.next().await.unwrap() != HEARTBEAT {}
}
