//! One event on the wire: its SSE frame, and the JSON inside. Knows nothing of where events come from.

use bytes::{BufMut as _, BytesMut};
use openscience_protocol::row::StoredEvent;
use openscience_protocol::{RuntimeEvent, Sequence, SessionId};

/// Room a frame needs besides the body it carries.
pub(crate) const OVERHEAD: usize = 160;

/// Adds one event as an SSE frame. `body` is the stored one.
pub(crate) fn put(out: &mut BytesMut, session: &SessionId, sequence: Sequence, event_type: &str, body: &str) {
    let number = sequence.to_string();
    for piece in ["id: ", &number, "\nevent: ", event_type, "\ndata: "] {
        out.put_slice(piece.as_bytes());
    }
    data(out, session, &number, body);
    out.put_slice(b"\n\n");
}

/// The event's JSON: its stored body with the number and the session in front.
fn data(out: &mut BytesMut, session: &SessionId, number: &str, body: &str) {
    let rest = body.strip_prefix('{').unwrap_or(body);
    for piece in ["{\"sequence\":", number, ",\"sessionID\":\"", session.as_str(), "\",", rest] {
        out.put_slice(piece.as_bytes());
    }
}

/// The event as a value, for the replay answer.
pub(crate) fn value(session: &SessionId, event: &StoredEvent) -> Option<RuntimeEvent> {
    let mut out = BytesMut::with_capacity(event.body.len() + OVERHEAD);
    data(&mut out, session, &event.sequence.to_string(), &event.body);
    serde_json::from_slice(&out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BODY: &str =
        r#"{"runID":"run_1","type":"session.idle","kind":"system","properties":{"a":1},"time":5}"#;

    #[test]
    fn a_frame_names_its_number_and_its_type_and_puts_number_and_session_into_the_json() {
        let mut out = BytesMut::new();
        put(&mut out, &"ses_1".parse().unwrap(), 7, "session.idle", BODY);
        let text = String::from_utf8(out.to_vec()).unwrap();
        let expected = concat!(
            "id: 7\nevent: session.idle\n",
            r#"data: {"sequence":7,"sessionID":"ses_1","runID":"run_1","type":"session.idle","kind":"system","#,
            "\"properties\":{\"a\":1},\"time\":5}\n\n",
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn the_replayed_value_is_the_streamed_one() {
        let session = "ses_1".parse::<SessionId>().unwrap();
        let event = StoredEvent { sequence: 7, event_type: "session.idle".to_owned(), body: BODY.to_owned() };
        let value = value(&session, &event).unwrap();
        assert_eq!((value.sequence, value.session_id, value.time), (7, session, 5));
    }
}
