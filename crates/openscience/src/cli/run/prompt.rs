//! What is asked: the words, what is piped in, and the files that go with them.

use std::io::{IsTerminal as _, Read};
use std::path::{Path, PathBuf};

use openscience_protocol::prompt::{FileInput, InputPart, MESSAGE_UNITS_MAX, TextInput};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// Bytes of the longest prompt: no UTF-16 unit takes more than three.
const STDIN_BYTES_MAX: u64 = 3 * MESSAGE_UNITS_MAX as u64;

/// Why there is nothing that could be sent.
#[derive(Debug, thiserror::Error)]
pub(super) enum PromptError {
    #[error("there is nothing to do: give a prompt as arguments or on standard input")]
    Empty,
    #[error("the prompt is longer than {MESSAGE_UNITS_MAX} characters: attach it with --file")]
    TooLong,
    #[error("standard input could not be read")]
    Stdin(#[source] std::io::Error),
    #[error("standard input is not UTF-8 text")]
    NoText,
    #[error("--file {}: it cannot be read", .path.display())]
    File { path: PathBuf, source: std::io::Error },
    #[error("--file {}: its path is not UTF-8 text", .0.display())]
    Path(PathBuf),
}

/// The words and the files.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Prompt {
    pub(super) text: String,
    pub(super) files: Vec<FileInput>,
}

impl Prompt {
    /// Of the arguments and, unless it is a terminal, of standard input.
    pub(super) fn read(words: &[String], files: &[PathBuf]) -> Result<Self, PromptError> {
        let files = files.iter().map(|path| file(path)).collect::<Result<_, _>>()?;
        let stdin = std::io::stdin();
        let piped = if stdin.is_terminal() { String::new() } else { text(stdin.lock())? };
        Ok(Self { text: join(words, &piped)?, files })
    }

    /// The parts, if there is more than words.
    pub(super) fn parts(&self) -> Option<Vec<InputPart>> {
        if self.files.is_empty() {
            return None;
        }
        let text = InputPart::Text(TextInput { id: None, text: self.text.clone() });
        Some([text].into_iter().chain(self.files.iter().cloned().map(InputPart::File)).collect())
    }
}

fn text(source: impl Read) -> Result<String, PromptError> {
    let mut bytes = Vec::new();
    source.take(STDIN_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(PromptError::Stdin)?;
    if bytes.len() as u64 > STDIN_BYTES_MAX {
        return Err(PromptError::TooLong);
    }
    String::from_utf8(bytes).map_err(|_| PromptError::NoText)
}

/// The words, then what is piped in, after a line break.
fn join(words: &[String], piped: &str) -> Result<String, PromptError> {
    let words = words.join(" ");
    let both = [words.trim(), piped.trim()];
    let text = both.iter().filter(|text| !text.is_empty()).copied().collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        Err(PromptError::Empty)
    } else if text.encode_utf16().count() > MESSAGE_UNITS_MAX {
        Err(PromptError::TooLong)
    } else {
        Ok(text)
    }
}

/// Everything that could end a path or begin something else.
const NOT_IN_PATHS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'?')
    .add(b'`')
    .add(b'{')
    .add(b'}');

/// Leaves it to the runtime what the file is: that looks at it.
const UNKNOWN: &str = "application/octet-stream";

/// A file or directory that can be read, by its real path.
fn file(path: &Path) -> Result<FileInput, PromptError> {
    let unreadable = |source| PromptError::File { path: path.to_owned(), source };
    let real = path.canonicalize().map_err(unreadable)?;
    // Opened, because to exist is not enough.
    std::fs::File::open(&real).map_err(unreadable)?;
    let text = real.to_str().ok_or_else(|| PromptError::Path(path.to_owned()))?;
    let filename = path.file_name().and_then(|name| name.to_str()).map(str::to_owned);
    Ok(FileInput {
        id: None,
        mime: UNKNOWN.to_owned(),
        url: format!("file://{}", utf8_percent_encode(text, NOT_IN_PATHS)),
        filename,
        source: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_piped_in_follows_the_words_after_a_line_break() {
        let join = |words: &[&str], piped: &str| {
            let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            join(&words, piped).ok()
        };
        assert_eq!(join(&["fix", "it"], "").as_deref(), Some("fix it"));
        assert_eq!(join(&["fix it"], "line 1\nline 2\n").as_deref(), Some("fix it\nline 1\nline 2"));
        assert_eq!(join(&[], "only this\n").as_deref(), Some("only this"));
        assert_eq!(join(&["", " "], " \n"), None);
        assert_eq!(join(&[], ""), None);
    }

    #[test]
    fn a_prompt_that_is_too_long_or_no_text_is_refused() {
        assert!(join(&["x".repeat(MESSAGE_UNITS_MAX)], "").is_ok());
        assert!(matches!(join(&["x".repeat(MESSAGE_UNITS_MAX)], "y"), Err(PromptError::TooLong)));
        assert!(matches!(text(&b"\xff"[..]), Err(PromptError::NoText)));
        assert!(matches!(text(std::io::repeat(b'x')), Err(PromptError::TooLong)));
    }

    #[test]
    fn a_file_is_named_by_its_real_path_with_everything_odd_escaped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap().join("α %41 #1?.png");
        std::fs::write(&path, "x").unwrap();
        let input = file(&path).unwrap();
        let end = "/%CE%B1%20%2541%20%231%3F.png";
        assert!(input.url.starts_with("file:///") && input.url.ends_with(end), "{}", input.url);
        assert_eq!((input.mime.as_str(), input.filename.as_deref()), (UNKNOWN, Some("α %41 #1?.png")));
        assert!(matches!(file(&folder.path().join("none")), Err(PromptError::File { .. })));
    }
}
