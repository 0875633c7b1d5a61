//! How is something read from the network within bounds? Over https, or from this machine itself.
//!
//! The calls block; callers put them on a thread that may. What is read is not looked at here.

use std::fs::File;
use std::io::{self, Read, Write};
use std::time::Duration;

use openscience_core::admission::hex;
use sha2::{Digest as _, Sha256};
use ureq::Agent;
use ureq::config::Config;

use super::document::DocumentError;

/// Longest document of the registry.
const DOCUMENT_BYTES_MAX: u64 = 8 << 20;
/// Largest archive of an agent.
pub(super) const ARCHIVE_BYTES_MAX: u64 = 256 << 20;

/// Without a network names and connections may hang: somebody waits for them.
const CONNECT_TIME: Duration = Duration::from_secs(3);
/// From the question to the whole document.
const DOCUMENT_TIME: Duration = Duration::from_secs(15);
/// Silence in an archive.
const READ_TIME: Duration = Duration::from_secs(30);
const ARCHIVE_TIME: Duration = Duration::from_mins(30);

/// Why something could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("its address is not https")]
    Address,
    #[error("the server answered with status {0}")]
    Status(u16),
    #[error("it is larger than {0} bytes")]
    TooLarge(u64),
    #[error("the network did not deliver it")]
    Network(#[source] Box<ureq::Error>),
    #[error("it could not be read or written")]
    Io(#[from] io::Error),
    #[error("the server's answer is no document of the registry")]
    Document(#[from] DocumentError),
    #[error("it could not be fetched a moment ago")]
    Recently,
    #[error("the registry is disabled")]
    Disabled,
}

/// True if nobody between here and there can change what comes.
pub fn is_safe_address(url: &str) -> bool {
    url.starts_with("https://") || is_local(url)
}

/// True for a server on this machine.
fn is_local(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = authority.rsplit_once(':').map_or(authority, |(host, port)| {
        if port.bytes().all(|byte| byte.is_ascii_digit()) { host } else { authority }
    });
    matches!(host, "127.0.0.1" | "localhost" | "[::1]")
}

/// The document at that address, as it comes.
pub(super) fn document(url: &str) -> Result<Vec<u8>, FetchError> {
    let mut reader =
        open(url, |config| config.timeout_global(Some(DOCUMENT_TIME)))?.take(DOCUMENT_BYTES_MAX + 1);
    let mut text = Vec::new();
    reader.read_to_end(&mut text)?;
    if text.len() as u64 > DOCUMENT_BYTES_MAX {
        return Err(FetchError::TooLarge(DOCUMENT_BYTES_MAX));
    }
    Ok(text)
}

/// Writes what is at that address into a file; its SHA-256 in hexadecimal digits.
pub(super) fn download(url: &str, into: &mut File, bytes_max: u64) -> Result<String, FetchError> {
    let mut reader =
        open(url, |config| config.timeout_global(Some(ARCHIVE_TIME)).timeout_per_read(Some(READ_TIME)))?;
    let (mut digest, mut total, mut buffer) = (Sha256::new(), 0_u64, vec![0; 64 << 10]);
    loop {
        let count = reader.read(&mut buffer)?;
        let Some(read) = buffer.get(..count).filter(|read| !read.is_empty()) else { break };
        total += count as u64;
        if total > bytes_max {
            return Err(FetchError::TooLarge(bytes_max));
        }
        digest.update(read);
        into.write_all(read)?;
    }
    Ok(hex(&digest.finalize()))
}

type Building = ureq::config::ConfigBuilder<ureq::typestate::AgentScope>;

fn open(url: &str, bounds: impl FnOnce(Building) -> Building) -> Result<impl Read, FetchError> {
    if !is_safe_address(url) {
        return Err(FetchError::Address);
    }
    let local = is_local(url);
    let mut config = Config::builder()
        .timeout_resolve(Some(CONNECT_TIME))
        .timeout_connect(Some(CONNECT_TIME))
        // Also where a redirect leads.
        .https_only(!local)
        .http_status_as_error(false)
        .user_agent(concat!("openscience/", env!("CARGO_PKG_VERSION")));
    if local {
        config = config.proxy(None).max_redirects(0);
    }
    let agent = Agent::new_with_config(bounds(config).build());
    let answer = agent.get(url).call().map_err(|error| FetchError::Network(Box::new(error)))?;
    if answer.status() != 200 {
        return Err(FetchError::Status(answer.status().as_u16()));
    }
    Ok(answer.into_body().into_reader())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine_are_spoken_to() {
        let check = |url: &str, safe: bool| assert_eq!(is_safe_address(url), safe, "{url}");
        check("https://registry.example/registry.json", true);
        check("http://127.0.0.1:8080/x", true);
        check("http://localhost/x", true);
        check("http://[::1]:1/x", true);
        check("http://registry.example/registry.json", false);
        check("http://localhost.example/x", false);
        check("http://localhost@evil.example/x", false);
        check("http://127.0.0.1:80@evil.example/x", false);
        check("file:///etc/passwd", false);
        check("", false);
        assert!(matches!(document("http://registry.example/x"), Err(FetchError::Address)));
    }
}
