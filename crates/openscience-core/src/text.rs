//! Text parts: their length on the wire and cutting without splitting a character.

use openscience_protocol::Part;
use openscience_protocol::event::PartOutline;
use openscience_protocol::message::PartTime;

/// Length as the wire counts it: UTF-16 code units.
pub(crate) fn units(text: &str) -> u64 {
    text.chars().map(|c| c.len_utf16() as u64).sum()
}

/// A text part without its text.
pub(crate) fn outline(
    part: &Part,
    part_type: &'static str,
    text_length: u64,
    time: Option<PartTime>,
) -> PartOutline {
    PartOutline {
        id: part.id.clone(),
        session_id: part.session_id.clone(),
        message_id: part.message_id.clone(),
        part_type,
        text_length,
        time,
    }
}

/// The longest prefix of at most `bytes` that ends between characters, and the rest.
pub(crate) fn cut(text: &str, bytes: usize) -> (&str, &str) {
    let at = text.floor_char_boundary(bytes);
    text.split_at(at)
}

/// The longest suffix of at most `bytes` that starts between characters.
pub(crate) fn tail(text: &str, bytes: usize) -> &str {
    let at = text.ceil_char_boundary(text.len().saturating_sub(bytes));
    text.split_at(at).1
}

/// Pieces of at most `bytes` each, in order; never empty pieces unless the text is empty.
pub(crate) fn pieces(mut text: &str, bytes: usize) -> Vec<&str> {
    let mut out = Vec::new();
    while text.len() > bytes {
        let (head, rest) = cut(text, bytes.max(4));
        out.push(head);
        text = rest;
    }
    if !text.is_empty() || out.is_empty() {
        out.push(text);
    }
    out
}
