//! From the bytes of an event stream to events, wherever the bytes are cut.
//!
//! Each event is one `data:` line; what else is in a frame stands in its JSON too.

use openscience_protocol::RuntimeEvent;

/// Longer than any line we send; whoever sends one is no openscience daemon.
const LINE_BYTES_MAX: usize = 64 << 20;

/// Why bytes are no events of ours.
#[derive(Debug, thiserror::Error)]
pub(super) enum StreamError {
    #[error("an event cannot be read")]
    Event(#[from] serde_json::Error),
    #[error("a line of the event stream does not end")]
    Endless,
}

/// Keeps the line that has begun.
#[derive(Debug, Default)]
pub(super) struct Decoder(Vec<u8>);

impl Decoder {
    /// The events that are whole now.
    pub(super) fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RuntimeEvent>, StreamError> {
        self.0.extend_from_slice(bytes);
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            return if self.0.len() > LINE_BYTES_MAX { Err(StreamError::Endless) } else { Ok(Vec::new()) };
        };
        let rest = self.0.split_off(self.0.len() - (bytes.len() - end - 1));
        let lines = std::mem::replace(&mut self.0, rest);
        let data = lines.split(|byte| *byte == b'\n').filter_map(|line| line.strip_prefix(b"data:"));
        data.map(|data| serde_json::from_slice(data).map_err(StreamError::from)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAMES: &str = concat!(
        ": heartbeat\n\n",
        "id: 1\nevent: session.idle\n",
        r#"data: {"sequence":1,"sessionID":"ses_1","runID":"run_1","type":"session.idle","kind":"system","#,
        "\"properties\":{\"text\":\"α 🙂\"},\"time\":5}\n\n",
        "id: 2\nevent: session.idle\n",
        r#"data: {"sequence":2,"sessionID":"ses_1","runID":"run_1","type":"session.idle","kind":"system","#,
        "\"properties\":{},\"time\":6}\n\n",
    );

    #[test]
    fn events_are_the_same_wherever_their_bytes_are_cut() {
        for size in 1..FRAMES.len() {
            let mut decoder = Decoder::default();
            let pieces = FRAMES.as_bytes().chunks(size);
            let events: Vec<RuntimeEvent> = pieces.flat_map(|piece| decoder.feed(piece).unwrap()).collect();
            let sequences: Vec<i64> = events.iter().map(|event| event.sequence).collect();
            assert_eq!(sequences, [1, 2], "pieces of {size}");
            assert_eq!(events.first().unwrap().properties["text"], "α 🙂");
        }
    }

    #[test]
    fn what_is_no_event_is_an_error() {
        assert!(Decoder::default().feed(b"data: {}\n").is_err());
    }
}
