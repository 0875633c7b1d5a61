//! Is a file what it is called? Looks at its first bytes only.
//!
//! A type that has a signature must have it, and bytes that have one must not be called something else. Anything
//! without a signature is taken at its word.

/// As much of a file as is looked at.
pub(super) const HEAD_BYTES: usize = 512;

/// The bytes are not what the name or the type says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the content is {found}, and the file is called {called}")]
pub struct ContentError {
    found: &'static str,
    called: &'static str,
}

/// A kind of file that its first bytes tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Png,
    Jpeg,
    Gif,
    Webp,
    Pdf,
    Zip,
}

impl Kind {
    const ALL: [Self; 6] = [Self::Png, Self::Jpeg, Self::Gif, Self::Webp, Self::Pdf, Self::Zip];

    fn word(self) -> &'static str {
        match self {
            Self::Png => "PNG",
            Self::Jpeg => "JPEG",
            Self::Gif => "GIF",
            Self::Webp => "WebP",
            Self::Pdf => "PDF",
            Self::Zip => "ZIP",
        }
    }

    fn matches(self, head: &[u8]) -> bool {
        match self {
            Self::Png => head.starts_with(b"\x89PNG\r\n\x1a\n"),
            Self::Jpeg => head.starts_with(b"\xff\xd8\xff"),
            Self::Gif => head.starts_with(b"GIF87a") || head.starts_with(b"GIF89a"),
            Self::Webp => head.starts_with(b"RIFF") && head.get(8..12) == Some(b"WEBP"),
            Self::Pdf => head.starts_with(b"%PDF-"),
            Self::Zip => head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06"),
        }
    }

    /// What a type must be; none for one without a signature.
    fn of_type(mime: &str) -> Option<Self> {
        match mime {
            "image/png" => Some(Self::Png),
            "image/jpeg" => Some(Self::Jpeg),
            "image/gif" => Some(Self::Gif),
            "image/webp" => Some(Self::Webp),
            "application/pdf" => Some(Self::Pdf),
            "application/zip" | "application/epub+zip" | "application/java-archive" => Some(Self::Zip),
            _ if mime.starts_with("application/vnd.openxmlformats-officedocument.")
                || mime.starts_with("application/vnd.oasis.opendocument.") =>
            {
                Some(Self::Zip)
            }
            _ => None,
        }
    }

    fn of_extension(name: &str) -> Option<Self> {
        let (_, extension) = name.rsplit_once('.')?;
        match extension.to_ascii_lowercase().as_str() {
            "png" => Some(Self::Png),
            "jpg" | "jpeg" => Some(Self::Jpeg),
            "gif" => Some(Self::Gif),
            "webp" => Some(Self::Webp),
            "pdf" => Some(Self::Pdf),
            "zip" | "docx" | "xlsx" | "pptx" | "odt" | "ods" | "odp" | "epub" | "jar" => Some(Self::Zip),
            _ => None,
        }
    }
}

/// Compares what a file is called with what it begins with. An empty file is anything.
pub(super) fn check(name: &str, mime: Option<&str>, head: &[u8]) -> Result<(), ContentError> {
    let found = Kind::ALL.into_iter().find(|kind| kind.matches(head));
    let essence = mime.map(|mime| mime.split(';').next().unwrap_or(mime).trim().to_ascii_lowercase());
    // A type that says nothing agrees with everything.
    let essence = essence.filter(|essence| essence != "application/octet-stream");
    let declared = essence.as_deref().and_then(Kind::of_type);
    let named = Kind::of_extension(name);
    for called in [declared, named].into_iter().flatten() {
        if found != Some(called) && !head.is_empty() {
            let found = found.map_or("something else", Kind::word);
            return Err(ContentError { found, called: called.word() });
        }
    }
    // Bytes of a picture or a document under the name of a text are a mistake; archives hide in many names.
    let texts = essence.as_deref().is_some_and(|essence| essence.starts_with("text/"));
    match found.filter(|_| texts) {
        Some(found) => Err(ContentError { found: found.word(), called: "text" }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n....";
    const JPEG: &[u8] = b"\xff\xd8\xff\xe0....";
    const ZIP: &[u8] = b"PK\x03\x04....";

    #[test]
    fn bytes_name_and_type_must_agree_where_a_signature_tells() {
        let ok = |name: &str, mime: Option<&str>, head: &[u8]| check(name, mime, head).is_ok();
        let docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
        for (name, mime, head, good) in [
            ("a.png", Some("image/png"), PNG, true),
            ("a.PNG", Some("Image/PNG; x=y"), PNG, true),
            ("a.png", None, PNG, true),
            ("a.png", Some("application/octet-stream"), PNG, true),
            ("a.png", None, JPEG, false),
            ("a.png", Some("image/png"), b"hello" as &[u8], false),
            ("a.jpg", Some("image/png"), PNG, false),
            ("plot", Some("image/png"), PNG, true),
            ("plot", Some("image/png"), JPEG, false),
            ("report.docx", Some(docx), ZIP, true),
            ("report.docx", Some(docx), b"text", false),
            ("book.epub", None, ZIP, true),
            ("data.npz", None, ZIP, true),
            ("notes.txt", Some("text/plain"), b"hello", true),
            ("notes.txt", Some("text/plain"), b"%PDF-1.7", false),
            ("unknown.xyz", Some("chemical/x-xyz"), b"3\nwater", true),
            ("empty.png", Some("image/png"), b"", true),
            ("a.pdf", Some("application/pdf"), b"%PDF-1.7", true),
            ("a.webp", None, b"RIFF\0\0\0\0WEBPVP8 ", true),
            ("a.gif", Some("image/gif"), b"GIF89a", true),
        ] {
            assert_eq!(ok(name, mime, head), good, "{name} {mime:?}");
        }
    }
}
