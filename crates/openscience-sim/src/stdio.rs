//! How are the process's own streams read and written without holding it up?
//!
//! tokio's stdin and stdout keep a runtime from shutting down while a read or a
//! write is blocked, and a client that stops reading blocks one for ever. Here
//! plain threads do the blocking; they end with the process.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::thread;
use std::time::Duration;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

/// How long the last bytes may take to go out when the process ends. A client
/// that has stopped reading must not keep it.
pub(crate) const DRAIN: Duration = Duration::from_millis(500);

/// Bytes moved at a time, and held between the two sides.
const CHUNK: usize = 64 * 1024;

/// Ends, empty, once everything written has gone out or cannot.
pub(crate) type Written = oneshot::Receiver<Infallible>;

/// What `source` yields, until it ends.
pub(crate) fn reader(mut source: impl Read + Send + 'static) -> io::Result<DuplexStream> {
    let (reader, mut feed) = tokio::io::duplex(CHUNK);
    let handle = Handle::current();
    thread::Builder::new().spawn(move || {
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = source.read(&mut chunk) {
            let bytes = chunk.get(..count).unwrap_or_default();
            if handle.block_on(feed.write_all(bytes)).is_err() {
                return;
            }
        }
    })?;
    Ok(reader)
}

/// A way to `target`; it breaks when `target` does.
pub(crate) fn writer(mut target: impl Write + Send + 'static) -> io::Result<(DuplexStream, Written)> {
    let (writer, mut drain) = tokio::io::duplex(CHUNK);
    let (done, written) = oneshot::channel();
    let handle = Handle::current();
    thread::Builder::new().spawn(move || {
        let mut chunk = vec![0; CHUNK];
        while let Ok(count @ 1..) = handle.block_on(drain.read(&mut chunk)) {
            let bytes = chunk.get(..count).unwrap_or_default();
            if target.write_all(bytes).and_then(|()| target.flush()).is_err() {
                break;
            }
        }
        // In this order: who is told of the end finds the way broken.
        drop(drain);
        drop(done);
    })?;
    Ok((writer, written))
}

/// Waits for the last bytes of all streams, but not for long.
pub(crate) async fn drained(streams: [Written; 2]) {
    let all = async {
        for written in streams {
            drop(written.await);
        }
    };
    // A stream that does not drain in time is given up.
    drop(tokio::time::timeout(DRAIN, all).await);
}

#[cfg(test)]
mod tests {
    use std::io::{PipeReader, pipe};

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::{drained, reader, writer};

    fn read_all(mut source: PipeReader) -> Vec<u8> {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut source, &mut bytes).unwrap();
        bytes
    }

    #[tokio::test]
    async fn bytes_pass_in_both_directions_until_the_end() {
        let bytes = vec![7; 200_000];
        let (source, feed) = pipe().unwrap();
        let (drain, target) = pipe().unwrap();
        let (mut out, written) = writer(feed).unwrap();
        let (copy, also_written) = writer(target).unwrap();
        drop(copy);
        let mut back = reader(source).unwrap();

        let (sent, received) = tokio::join!(
            async {
                out.write_all(&bytes).await.unwrap();
                drop(out);
                drained([written, also_written]).await;
            },
            async {
                let mut received = Vec::new();
                back.read_to_end(&mut received).await.unwrap();
                received
            }
        );

        assert_eq!((sent, received), ((), bytes));
        assert_eq!(read_all(drain), b"");
    }

    #[tokio::test]
    async fn a_closed_target_breaks_the_way_to_it() {
        let (source, target) = pipe().unwrap();
        drop(source);
        let (mut out, written) = writer(target).unwrap();

        out.write_all(b"lost").await.unwrap();

        assert!(written.await.is_err());
        assert!(out.write_all(b"refused").await.is_err());
    }
}
