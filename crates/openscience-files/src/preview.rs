//! What does a file look like, a page at a time?
//!
//! Reads as much as it shows and no more. Whose file it is, and who may see it, is asked elsewhere.

mod fasta;
mod notebook;
mod table;
mod text;

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openscience_protocol::preview::{
    PREVIEW_BYTES, PREVIEW_BYTES_MAX, Preview, PreviewEncoding, PreviewKind,
};

use crate::mime;
use text::Page;

/// Read to tell what a file is, and how large a picture: cameras put a lot before that.
const HEAD_BYTES: u64 = 256 << 10;

/// Why a page cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum PreviewError {
    #[error("the offset is beyond the end")]
    Offset,
    #[error("the file cannot be read")]
    Io(#[from] io::Error),
}

/// A file to look at.
#[derive(Debug)]
pub struct Source<'a> {
    pub file: File,
    pub size: u64,
    /// What was said of its type.
    pub mime: &'a str,
    pub filename: &'a str,
}

/// Which page of it, and how.
#[derive(Debug, Clone, Copy, Default)]
pub struct Asked {
    pub offset: u64,
    /// [`PREVIEW_BYTES`] if absent.
    pub bytes_max: Option<u32>,
    /// As the kind of file wants it if absent.
    pub encoding: Option<PreviewEncoding>,
}

impl Source<'_> {
    /// Bytes from there, fewer at the end.
    fn read(&self, from: u64, count: u64) -> io::Result<Vec<u8>> {
        let mut file = &self.file;
        file.seek(SeekFrom::Start(from))?;
        let mut bytes = Vec::new();
        file.take(count).read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

/// One page of a file.
pub fn preview(source: &Source<'_>, asked: Asked) -> Result<Preview, PreviewError> {
    let bytes_max = u64::from(asked.bytes_max.unwrap_or(PREVIEW_BYTES).clamp(1, PREVIEW_BYTES_MAX));
    let head = source.read(0, HEAD_BYTES)?;
    let (kind, mime) = kind_of(source, &head);
    if kind == PreviewKind::Notebook
        && asked.encoding.is_none()
        && let Some(shown) = notebook::show(source, &mime, asked.offset, bytes_max)?
    {
        return Ok(shown);
    }
    if asked.offset > source.size {
        return Err(PreviewError::Offset);
    }
    let blank = blank(source, kind, mime, asked.offset);
    match (asked.encoding, kind) {
        (None, PreviewKind::Binary) => Ok(Preview { truncated: source.size > 0, ..blank }),
        (Some(PreviewEncoding::Base64), _) | (None, PreviewKind::Image) => {
            let bytes = source.read(asked.offset, bytes_max)?;
            let (width, height) = pixels(kind, &head).unzip();
            let content = Some(STANDARD.encode(&bytes));
            let end = asked.offset + bytes.len() as u64;
            Ok(Preview { encoding: PreviewEncoding::Base64, content, width, height, ..ended(blank, end) })
        }
        (Some(PreviewEncoding::Utf8) | None, _) => {
            let page = text::page(source, &head, asked.offset, bytes_max)?;
            Ok(words(source, blank, page, &head))
        }
    }
}

/// A page of text, taken apart where that helps.
fn words(source: &Source<'_>, blank: Preview, page: Page, head: &[u8]) -> Preview {
    let Page { charset, offset, end, text } = page;
    let shown = Preview { charset: Some(charset), offset, ..blank };
    match shown.kind {
        PreviewKind::Csv => {
            let delimiter = table::delimiter(&shown.mime, &text::start(charset, head));
            let more = end < source.size;
            let (rows, left) = table::rows(&text, delimiter, more);
            let end = end - text::weight(charset, left);
            Preview { rows: Some(rows), ..ended(shown, end) }
        }
        PreviewKind::Fasta => {
            let records = Some(fasta::records(&text));
            Preview { records, content: Some(text), ..ended(shown, end) }
        }
        PreviewKind::Text
        | PreviewKind::Markdown
        | PreviewKind::Html
        | PreviewKind::Json
        | PreviewKind::Notebook
        | PreviewKind::Image
        | PreviewKind::Binary => Preview { content: Some(text), ..ended(shown, end) },
    }
}

fn blank(source: &Source<'_>, kind: PreviewKind, mime: String, offset: u64) -> Preview {
    Preview {
        kind,
        mime,
        filename: source.filename.to_owned(),
        size: source.size,
        truncated: false,
        offset,
        next_offset: None,
        encoding: PreviewEncoding::Utf8,
        charset: None,
        content: None,
        rows: None,
        cells: None,
        records: None,
        width: None,
        height: None,
        metadata: None,
    }
}

/// The same, with where the page ends.
fn ended(shown: Preview, end: u64) -> Preview {
    let truncated = end < shown.size;
    Preview { truncated, next_offset: truncated.then_some(end), ..shown }
}

/// What the file is, by its bytes first, and its type.
fn kind_of(source: &Source<'_>, head: &[u8]) -> (PreviewKind, String) {
    let mime = mime::settled(source.mime, source.filename);
    if let Some(found) = mime::of_bytes(head) {
        if mime::is_raster(found) {
            return (PreviewKind::Image, found.to_owned());
        }
        let mime = if mime == mime::UNKNOWN || mime::is_text(&mime) { found.to_owned() } else { mime };
        return (PreviewKind::Binary, mime);
    }
    let whole = head.len() as u64 == source.size;
    let textual = text::charset(head, whole).is_some();
    let kind = match mime.as_str() {
        _ if !textual => PreviewKind::Binary,
        "text/csv" | "text/tab-separated-values" | "text/x-pipe-separated-values" => PreviewKind::Csv,
        "text/markdown" => PreviewKind::Markdown,
        "text/html" => PreviewKind::Html,
        "text/x-fasta" => PreviewKind::Fasta,
        "application/x-ipynb+json" => PreviewKind::Notebook,
        "application/json" => PreviewKind::Json,
        other if other.ends_with("+json") => PreviewKind::Json,
        other if mime::is_text(other) => PreviewKind::Text,
        mime::UNKNOWN => return (PreviewKind::Text, "text/plain".to_owned()),
        _ => PreviewKind::Binary,
    };
    (kind, mime)
}

/// Width and height of a picture, if its head tells.
fn pixels(kind: PreviewKind, head: &[u8]) -> Option<(u64, u64)> {
    let size = imagesize::blob_size(head).ok().filter(|_| kind == PreviewKind::Image)?;
    Some((size.width as u64, size.height as u64))
}

#[cfg(test)]
mod tests;
