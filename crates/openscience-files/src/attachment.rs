//! What does a prompt mean by a file, and what of it is an agent shown?
//!
//! Reads references and files. Whether a file may be read, and what an agent can take, is told to it.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use openscience_protocol::UploadId;
use openscience_protocol::upload::URL_PREFIX;
use percent_encoding::percent_decode_str;
use url::Url;

use crate::mime;

/// The largest image or sound that an agent is shown: more is not taken by models either.
pub const MEDIA_BYTES_MAX: u64 = 5 << 20;

/// The largest text that an agent is shown.
pub const TEXT_BYTES_MAX: u64 = 1 << 20;

/// All that an agent is shown with one prompt, so that base64 and escapes keep it below the frames that agents take.
pub const INLINE_BYTES_MAX: u64 = 16 << 20;

/// Entries of a directory that are told.
const ENTRIES_MAX: usize = 1_000;

/// What the URL of a file part means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference {
    /// The bytes themselves, with the type they are said to have.
    Data {
        mime: String,
        bytes: Vec<u8>,
    },
    /// A file or a directory, and which lines of it.
    Path {
        path: PathBuf,
        lines: Option<Lines>,
    },
    Upload(UploadId),
}

/// Lines of a text, counted from 1.
pub type Lines = RangeInclusive<u64>;

/// Why a URL means no file. Repeats nothing of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ReferenceError {
    #[error("expected a data:, file: or upload: URL")]
    Scheme,
    #[error("expected data:TYPE;base64,DATA or data:TYPE,TEXT")]
    Data,
    #[error("expected file:///PATH on this machine")]
    Path,
    #[error("expected ?start= and &end= to be lines, counted from 1")]
    Lines,
    #[error("expected upload: and the id of an upload")]
    Upload,
}

/// Reads the URL of a file part.
pub fn parse(url: &str) -> Result<Reference, ReferenceError> {
    if let Some(id) = url.strip_prefix(URL_PREFIX) {
        return id.parse().map(Reference::Upload).map_err(|_| ReferenceError::Upload);
    }
    let (scheme, rest) = url.split_once(':').ok_or(ReferenceError::Scheme)?;
    match scheme.to_ascii_lowercase().as_str() {
        "data" => data(rest),
        "file" => path(url),
        _ => Err(ReferenceError::Scheme),
    }
}

fn data(rest: &str) -> Result<Reference, ReferenceError> {
    let (head, payload) = rest.split_once(',').ok_or(ReferenceError::Data)?;
    let (mime, base64) = match head.trim().rsplit_once(';') {
        Some((mime, last)) if last.trim().eq_ignore_ascii_case("base64") => (mime, true),
        Some(_) | None if head.trim().eq_ignore_ascii_case("base64") => ("", true),
        Some(_) | None => (head, false),
    };
    let bytes: Vec<u8> = percent_decode_str(payload).collect();
    let bytes = if base64 { decode(&bytes).ok_or(ReferenceError::Data)? } else { bytes };
    Ok(Reference::Data { mime: mime::essence(mime), bytes })
}

/// Base64 with or without its padding, and with line breaks, as mail and notebooks have it.
pub fn decode(text: &[u8]) -> Option<Vec<u8>> {
    let kept: Vec<u8> = text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    let bare = kept.strip_suffix(b"==").or(kept.strip_suffix(b"=")).unwrap_or(&kept);
    STANDARD_NO_PAD.decode(bare).ok()
}

fn path(url: &str) -> Result<Reference, ReferenceError> {
    // Parsing makes `file:a` absolute: below which directory, nobody said.
    let absolute = url.get(5..).is_some_and(|rest| rest.starts_with('/'));
    let url = Url::parse(url).ok().filter(|_| absolute).ok_or(ReferenceError::Path)?;
    let path = url.to_file_path().map_err(|()| ReferenceError::Path)?;
    let line = |key: &str| {
        let mut found = url.query_pairs().filter(|(name, _)| name == key);
        found.next().map(|(_, value)| value.parse::<u64>().ok().filter(|line| *line > 0)).transpose_line()
    };
    let lines = match (line("start")?, line("end")?) {
        (None, None) => None,
        (start, end) => Some(start.unwrap_or(1)..=end.unwrap_or(u64::MAX)),
    };
    if lines.as_ref().is_some_and(RangeInclusive::is_empty) {
        return Err(ReferenceError::Lines);
    }
    Ok(Reference::Path { path, lines })
}

/// A line that was not given is fine, one that is none is not.
trait Line {
    fn transpose_line(self) -> Result<Option<u64>, ReferenceError>;
}

impl Line for Option<Option<u64>> {
    fn transpose_line(self) -> Result<Option<u64>, ReferenceError> {
        self.map(|line| line.ok_or(ReferenceError::Lines)).transpose()
    }
}

/// The URL of a file, with the lines that are meant.
pub fn file_url(path: &Path, lines: Option<&Lines>) -> Option<String> {
    let mut url = Url::from_file_path(path).ok()?;
    if let Some(lines) = lines {
        let mut query = url.query_pairs_mut();
        query.append_pair("start", &lines.start().to_string());
        if *lines.end() != u64::MAX {
            query.append_pair("end", &lines.end().to_string());
        }
    }
    Some(url.into())
}

/// What an agent can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Accepts {
    pub image: bool,
    pub audio: bool,
    /// Texts embedded in the prompt.
    pub text: bool,
}

/// What an agent is shown of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shown {
    /// Base64.
    Image {
        mime: String,
        data: String,
    },
    /// Base64.
    Audio {
        mime: String,
        data: String,
    },
    Text {
        mime: String,
        text: String,
    },
    /// Nothing: it is told where the file is.
    Link {
        mime: String,
    },
}

/// A file that is about to be shown.
#[derive(Debug)]
pub struct Candidate<'a> {
    pub file: File,
    pub size: u64,
    /// What was said of its type.
    pub mime: &'a str,
    pub filename: &'a str,
    pub lines: Option<Lines>,
}

/// Reads what an agent that can take that much is shown of a file. `budget` is what may still be shown with the
/// prompt.
///
/// A picture is one by its bytes, whatever was said of it; a text is one if it is valid UTF-8 without NUL. What
/// is neither is linked and never put in words.
pub fn show(candidate: Candidate<'_>, accepts: Accepts, budget: &mut u64) -> io::Result<Shown> {
    let Candidate { file, size, mime, filename, lines } = candidate;
    let mime = mime::settled(mime, filename);
    let media = (mime::is_raster(&mime) && accepts.image) || (mime.starts_with("audio/") && accepts.audio);
    let max = if media {
        MEDIA_BYTES_MAX
    } else if mime::is_text(&mime) && accepts.text {
        TEXT_BYTES_MAX
    } else {
        return Ok(Shown::Link { mime });
    };
    if size > max.min(*budget) {
        return Ok(Shown::Link { mime });
    }
    let mut bytes = Vec::new();
    // It may have grown since it was looked at.
    file.take(max + 1).read_to_end(&mut bytes)?;
    let length = bytes.len() as u64;
    if length > max.min(*budget) {
        return Ok(Shown::Link { mime });
    }
    let shown = if media { media_of(mime, &bytes) } else { text_of(mime, bytes, lines) };
    if !matches!(shown, Shown::Link { .. }) {
        *budget -= length;
    }
    Ok(shown)
}

fn media_of(mime: String, bytes: &[u8]) -> Shown {
    if mime.starts_with("audio/") {
        return Shown::Audio { mime, data: STANDARD.encode(bytes) };
    }
    match mime::of_bytes(bytes).filter(|mime| mime::is_raster(mime)) {
        Some(mime) => Shown::Image { mime: mime.to_owned(), data: STANDARD.encode(bytes) },
        // It is not what it was said to be.
        None => Shown::Link { mime: mime::of_bytes(bytes).unwrap_or(mime::UNKNOWN).to_owned() },
    }
}

fn text_of(mime: String, bytes: Vec<u8>, lines: Option<Lines>) -> Shown {
    match String::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => {
            let text = lines.map_or_else(|| text.clone(), |lines| chosen(&text, &lines));
            Shown::Text { mime, text }
        }
        Ok(_) | Err(_) => Shown::Link { mime },
    }
}

/// Those lines, with their ends.
fn chosen(text: &str, lines: &Lines) -> String {
    let numbered = (1_u64..).zip(text.split_inclusive('\n'));
    numbered.filter(|(line, _)| lines.contains(line)).map(|(_, text)| text).collect()
}

/// What stands in a directory, a line each, directories with a slash.
pub fn listing(path: &Path) -> io::Result<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let slash = if entry.file_type().is_ok_and(|kind| kind.is_dir()) { "/" } else { "" };
        names.push(format!("{}{slash}\n", entry.file_name().to_string_lossy()));
    }
    names.sort_unstable();
    let more = names.len().saturating_sub(ENTRIES_MAX);
    names.truncate(ENTRIES_MAX);
    if more > 0 {
        names.push(format!("({more} more)\n"));
    }
    Ok(names.concat())
}

#[cfg(test)]
mod tests;
