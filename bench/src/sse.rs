//! Readers of event streams on plain sockets: what arrives when, and is anything missing?

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use memchr::memmem;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpSocket, TcpStream};

/// Nothing that is measured is silent for longer.
const SILENCE_MAX: Duration = Duration::from_secs(30);
const READ: usize = 256 << 10;

/// An open stream; its body without the pieces HTTP cuts it into.
#[derive(Debug)]
pub(crate) struct Reader {
    socket: TcpStream,
    /// None if the body comes in one piece.
    chunks: Option<Chunks>,
    buffer: Vec<u8>,
    /// All of the body so far that was not cleared.
    pub(crate) body: Vec<u8>,
    /// From before the connection until the status and the headers were there.
    pub(crate) opened_in: Duration,
}

impl Reader {
    /// Connects and waits for the headers of a 200.
    pub(crate) async fn open(address: SocketAddr, path: &str) -> anyhow::Result<Self> {
        let began = Instant::now();
        let mut socket = TcpStream::connect(address).await?;
        socket.set_nodelay(true)?;
        let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n");
        socket.write_all(head.as_bytes()).await?;
        let mut buffer = vec![0; READ];
        let mut head = Vec::new();
        let end = loop {
            let count = read(&mut socket, &mut buffer).await?;
            head.extend_from_slice(buffer.get(..count).unwrap_or_default());
            if let Some(end) = memmem::find(&head, b"\r\n\r\n") {
                break end;
            }
        };
        let opened_in = began.elapsed();
        let rest = head.split_off(end + 4);
        let text = String::from_utf8_lossy(&head).to_ascii_lowercase();
        ensure!(text.starts_with("http/1.1 200"), "{path}: {text} {}", String::from_utf8_lossy(&rest));
        let chunks = text.contains("transfer-encoding: chunked").then(Chunks::default);
        let mut reader = Self { socket, chunks, buffer, body: Vec::new(), opened_in };
        reader.take(&rest)?;
        Ok(reader)
    }

    /// Waits for more of the body.
    pub(crate) async fn more(&mut self) -> anyhow::Result<()> {
        let mut buffer = std::mem::take(&mut self.buffer);
        let count = read(&mut self.socket, &mut buffer).await?;
        self.take(buffer.get(..count).unwrap_or_default())?;
        self.buffer = buffer;
        Ok(())
    }

    fn take(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        if let Some(chunks) = &mut self.chunks {
            return chunks.decode(bytes, &mut self.body);
        }
        self.body.extend_from_slice(bytes);
        Ok(())
    }

    /// Waits until `needle` was seen `count` times in all.
    pub(crate) async fn until(&mut self, needle: &[u8], count: usize) -> anyhow::Result<()> {
        let finder = memmem::Finder::new(needle);
        let (mut seen, mut from) = (0, 0);
        loop {
            let rest = self.body.get(from..).unwrap_or_default();
            if let Some(at) = finder.find(rest) {
                seen += 1;
                from += at + needle.len();
                if seen == count {
                    return Ok(());
                }
            } else {
                // The needle may be cut by the end of what has come.
                from = from.max(self.body.len().saturating_sub(needle.len() - 1));
                self.more().await?;
            }
        }
    }

    /// Sequences of the events that came; an error if one is missing or doubled.
    pub(crate) fn sequences(&self) -> anyhow::Result<Vec<u64>> {
        let text = String::from_utf8_lossy(&self.body);
        let mut sequences = Vec::new();
        for line in text.lines().filter_map(|line| line.strip_prefix("id: ")) {
            let sequence: u64 =
                line.parse().with_context(|| format!("a sequence is not a number: {line}"))?;
            if let Some(last) = sequences.last() {
                ensure!(sequence == last + 1, "event {sequence} came after {last}");
            }
            sequences.push(sequence);
        }
        Ok(sequences)
    }
}

/// A client that asks for a stream and never reads it.
#[derive(Debug)]
pub(crate) struct Stuck(TcpStream);

/// So little that the system does not take the stream off the server's hands.
const STUCK_BUFFER: u32 = 4 << 10;

impl Stuck {
    pub(crate) async fn open(address: SocketAddr, path: &str) -> anyhow::Result<Self> {
        let socket = TcpSocket::new_v4()?;
        socket.set_recv_buffer_size(STUCK_BUFFER)?;
        let mut socket = socket.connect(address).await?;
        let head = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: text/event-stream\r\n\r\n");
        socket.write_all(head.as_bytes()).await?;
        Ok(Self(socket))
    }

    /// Reads after all: it must have been given what it asked for.
    pub(crate) async fn was_answered(mut self) -> anyhow::Result<()> {
        let mut status = [0; 12];
        tokio::time::timeout(SILENCE_MAX, self.0.read_exact(&mut status)).await.context("no answer")??;
        ensure!(&status == b"HTTP/1.1 200", "a reader was refused: {}", String::from_utf8_lossy(&status));
        Ok(())
    }
}

async fn read(socket: &mut TcpStream, buffer: &mut [u8]) -> anyhow::Result<usize> {
    let count =
        tokio::time::timeout(SILENCE_MAX, socket.read(buffer)).await.context("the stream is silent")??;
    if count == 0 {
        bail!("the stream ended");
    }
    Ok(count)
}

/// Takes apart a body that is sent in chunks.
#[derive(Debug, Default)]
struct Chunks {
    state: State,
    /// Of the line that is being read.
    line: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    /// In the line that says how long the next chunk is.
    #[default]
    Size,
    /// So many bytes of the chunk are still to come.
    Data(usize),
    /// In the line end behind a chunk.
    End,
}

impl Chunks {
    fn decode(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) -> anyhow::Result<()> {
        while !bytes.is_empty() {
            match self.state {
                State::Data(left) => {
                    let (data, rest) = bytes.split_at(left.min(bytes.len()));
                    out.extend_from_slice(data);
                    bytes = rest;
                    self.state = if data.len() == left { State::End } else { State::Data(left - data.len()) };
                }
                State::Size | State::End => {
                    let end = memchr::memchr(b'\n', bytes);
                    let (line, rest) = bytes.split_at(end.map_or(bytes.len(), |end| end + 1));
                    self.line.extend_from_slice(line);
                    bytes = rest;
                    if end.is_some() {
                        self.next()?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A line is complete.
    fn next(&mut self) -> anyhow::Result<()> {
        let line = std::mem::take(&mut self.line);
        self.state = match self.state {
            State::End => State::Size,
            State::Size | State::Data(_) => {
                let size = usize::from_str_radix(String::from_utf8_lossy(&line).trim(), 16)?;
                ensure!(size > 0, "the stream ended");
                State::Data(size)
            }
        };
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_are_put_together_wherever_they_are_cut() {
        let wire = b"5\r\nid: 1\r\nA\r\n\ndata: {}\n\r\n";
        for cut in 0..wire.len() {
            let (first, second) = wire.split_at(cut);
            let (mut chunks, mut body) = (Chunks::default(), Vec::new());
            chunks.decode(first, &mut body).unwrap();
            chunks.decode(second, &mut body).unwrap();
            assert_eq!(body, b"id: 1\ndata: {}\n", "cut at {cut}");
        }
    }

    #[test]
    fn the_last_chunk_ends_the_stream() {
        let (mut chunks, mut body) = (Chunks::default(), Vec::new());
        assert!(chunks.decode(b"1\r\nx\r\n0\r\n\r\n", &mut body).is_err());
        assert_eq!(body, b"x");
    }
}
