//! May a file be called that?
//!
//! One path component that means the same on every system and in every listing. Whether a file of that name
//! exists is not asked here.

use std::fmt;

/// Longest name, as file systems count it.
const NAME_BYTES_MAX: usize = 255;

/// Names that stand for devices on some systems, with or without an extension.
const DEVICES: [&str; 22] = [
    "con", "prn", "aux", "nul", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Why a file cannot be called that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    #[error("the filename is empty")]
    Empty,
    #[error("the filename is longer than 255 bytes")]
    TooLong,
    #[error("the filename must be a plain name without a path")]
    Path,
    #[error("the filename holds a control character")]
    Control,
    #[error("the filename must not begin or end with a dot or a blank")]
    Edge,
    #[error("the filename is reserved for a device")]
    Device,
}

/// A name that is safe as one path component.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileName(String);

impl FileName {
    /// The name, if a file may be called that.
    pub fn new(name: &str) -> Result<Self, NameError> {
        let control = |c: char| c.is_control() || is_bidi(c);
        if name.is_empty() {
            return Err(NameError::Empty);
        }
        if name.contains(['/', '\\', ':']) || name == "." || name == ".." {
            return Err(NameError::Path);
        }
        if name.contains(control) {
            return Err(NameError::Control);
        }
        if name.len() > NAME_BYTES_MAX {
            return Err(NameError::TooLong);
        }
        let edge = |c: char| c == '.' || c.is_whitespace();
        if name.starts_with(edge) || name.ends_with(edge) {
            return Err(NameError::Edge);
        }
        let stem = name.split('.').next().unwrap_or(name).trim_end().to_ascii_lowercase();
        if DEVICES.contains(&stem.as_str()) {
            return Err(NameError::Device);
        }
        Ok(Self(name.to_owned()))
    }

    /// The name as it is.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Characters that make a name read otherwise than it is.
fn is_bidi(c: char) -> bool {
    matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_name_is_a_file_name() {
        for good in
            ["plot.png", "Daten für Ärzte.csv", "結果.tsv", "a b.txt", "-rf", "~", "con-fig.txt", "%2e%2e"]
        {
            assert_eq!(FileName::new(good).map(|name| name.0), Ok(good.to_owned()));
        }
        let long = "a".repeat(255);
        assert!(FileName::new(&long).is_ok());
        assert!(FileName::new(&"é".repeat(127)).is_ok());
    }

    #[test]
    fn a_name_that_is_a_path_a_device_or_cannot_be_seen_is_refused() {
        use NameError::{Control, Device, Edge, Empty, Path, TooLong};
        for (bad, why) in [
            ("", Empty),
            (".", Path),
            ("..", Path),
            ("../x", Path),
            ("a/b", Path),
            ("/etc/passwd", Path),
            ("a\\b", Path),
            ("..\\x", Path),
            ("C:x", Path),
            ("file:stream", Path),
            ("a\0b", Control),
            ("a\nb", Control),
            ("a\u{7f}", Control),
            ("a\u{85}b", Control),
            ("evil\u{202e}gnp.exe", Control),
            (".hidden", Edge),
            (".pending", Edge),
            ("trailing.", Edge),
            ("trailing ", Edge),
            (" leading", Edge),
            ("nbsp\u{a0}", Edge),
            ("CON", Device),
            ("nul.txt", Device),
            ("Com1.tar.gz", Device),
            ("aux .txt", Device),
        ] {
            assert_eq!(FileName::new(bad), Err(why), "{bad:?}");
        }
        assert_eq!(FileName::new(&"a".repeat(256)), Err(TooLong));
        assert_eq!(FileName::new(&"é".repeat(128)), Err(TooLong));
    }
}
