//! Digests as text.

use std::fmt::Write as _;
use std::io::{self, Read};

use sha2::{Digest as _, Sha256};

/// Read at once.
const BUFFER_BYTES: usize = 256 << 10;

/// The digest in hexadecimal.
pub(crate) fn finished(hasher: Sha256) -> String {
    hasher.finalize().iter().fold(String::with_capacity(64), |mut text, byte| {
        // Writing to a String cannot fail.
        write!(text, "{byte:02x}").ok();
        text
    })
}

/// The digest of all that follows, in hexadecimal.
pub(crate) fn of(mut source: impl Read) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; BUFFER_BYTES];
    loop {
        let count = source.read(&mut buffer)?;
        if count == 0 {
            return Ok(finished(hasher));
        }
        hasher.update(buffer.get(..count).unwrap_or_default());
    }
}
