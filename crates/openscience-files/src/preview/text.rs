//! Pages of text that split no character, whatever the file writes its text in.

use openscience_protocol::preview::Charset;

use super::{PreviewError, Source};

/// Longest tail of a character in UTF-8.
const TAIL_BYTES: u64 = 3;

/// Some text and where it stands.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) charset: Charset,
    /// Byte at which it begins.
    pub(super) offset: u64,
    /// Byte after its last.
    pub(super) end: u64,
    pub(super) text: String,
}

/// What the text is written in; none if it is no text. `whole` if nothing follows.
pub(super) fn charset(head: &[u8], whole: bool) -> Option<Charset> {
    match head {
        [0xff, 0xfe, ..] => return Some(Charset::Utf16Le),
        [0xfe, 0xff, ..] => return Some(Charset::Utf16Be),
        _ if head.contains(&0) => return None,
        _ => {}
    }
    match std::str::from_utf8(head) {
        Ok(_) => Some(Charset::Utf8),
        // The last character may go on behind the head.
        Err(error) if !whole && error.error_len().is_none() => Some(Charset::Utf8),
        Err(_) => Some(Charset::Latin1),
    }
}

/// The page at a byte. It begins and ends between characters: a little later than asked for.
pub(super) fn page(
    source: &Source<'_>,
    head: &[u8],
    offset: u64,
    bytes_max: u64,
) -> Result<Page, PreviewError> {
    let whole = head.len() as u64 == source.size;
    // Text was asked for of what is none: its bytes as characters.
    let charset = charset(head, whole).unwrap_or(Charset::Latin1);
    let aligned = match charset {
        Charset::Utf16Le | Charset::Utf16Be => offset - offset % 2,
        Charset::Utf8 | Charset::Latin1 => offset,
    };
    let bytes = source.read(aligned, bytes_max.max(4) + TAIL_BYTES)?;
    let wanted = usize::try_from(bytes_max.max(4)).unwrap_or(usize::MAX);
    let (from, to) = match charset {
        Charset::Utf8 => (utf8_start(&bytes, aligned), utf8_end(&bytes, wanted)),
        Charset::Utf16Le | Charset::Utf16Be => utf16_bounds(&bytes, charset, wanted),
        Charset::Latin1 => (0, bytes.len().min(wanted)),
    };
    let text = decode(charset, bytes.get(from..to).unwrap_or_default());
    // The mark of order is no text.
    let text = if aligned == 0 { text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned() } else { text };
    Ok(Page { charset, offset: aligned + from as u64, end: aligned + to.max(from) as u64, text })
}

/// The first line, to tell what a table is written with.
pub(super) fn start(charset: Charset, head: &[u8]) -> String {
    let text = decode(charset, head.get(..4_096).unwrap_or(head));
    text.trim_start_matches('\u{feff}').lines().next().unwrap_or_default().to_owned()
}

/// Bytes a text takes in the file.
pub(super) fn weight(charset: Charset, text: &str) -> u64 {
    let count = match charset {
        Charset::Utf8 => text.len(),
        Charset::Utf16Le | Charset::Utf16Be => text.encode_utf16().count() * 2,
        Charset::Latin1 => text.chars().count(),
    };
    count as u64
}

fn is_tail(byte: u8) -> bool {
    byte & 0b1100_0000 == 0b1000_0000
}

fn utf8_start(bytes: &[u8], offset: u64) -> usize {
    let tail = bytes.iter().take(3).take_while(|byte| is_tail(**byte)).count();
    if offset == 0 { 0 } else { tail }
}

fn utf8_end(bytes: &[u8], wanted: usize) -> usize {
    let end = wanted.min(bytes.len());
    let tail = bytes.get(end..).unwrap_or_default().iter().take_while(|byte| is_tail(**byte)).count();
    end + tail
}

fn unit(charset: Charset, pair: [u8; 2]) -> u16 {
    if charset == Charset::Utf16Be { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
}

fn utf16_bounds(bytes: &[u8], charset: Charset, wanted: usize) -> (usize, usize) {
    let low = |at: usize| {
        let pair = bytes.get(at..at + 2).and_then(|pair| <[u8; 2]>::try_from(pair).ok());
        pair.is_some_and(|pair| (0xdc00..0xe000).contains(&unit(charset, pair)))
    };
    let end = wanted.min(bytes.len());
    let end = end - end % 2;
    (if low(0) { 2 } else { 0 }, if low(end) { end + 2 } else { end })
}

fn decode(charset: Charset, bytes: &[u8]) -> String {
    match charset {
        Charset::Utf8 => String::from_utf8_lossy(bytes).into_owned(),
        Charset::Latin1 => bytes.iter().copied().map(char::from).collect(),
        Charset::Utf16Le | Charset::Utf16Be => {
            let pairs = bytes.chunks_exact(2).filter_map(|pair| <[u8; 2]>::try_from(pair).ok());
            let units: Vec<u16> = pairs.map(|pair| unit(charset, pair)).collect();
            String::from_utf16_lossy(&units)
        }
    }
}
