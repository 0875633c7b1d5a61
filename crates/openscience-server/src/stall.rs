//! Cuts a connection whose client has stopped reading.
//!
//! The HTTP layer does not poll a body it cannot write, so nobody else would
//! notice: the socket itself must know when it last took something.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// A socket on which a write that makes no progress for a while is an error.
#[derive(Debug)]
pub(crate) struct Unstalled<S> {
    socket: S,
    patience: Duration,
    timer: Pin<Box<Sleep>>,
    /// The socket refused the last write and the timer runs.
    waiting: bool,
}

impl<S> Unstalled<S> {
    pub(crate) fn new(socket: S, patience: Duration) -> Self {
        Self { socket, patience, timer: Box::pin(sleep(patience)), waiting: false }
    }

    /// Passes progress on; without any, an error once patience has run out.
    fn judge<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = false;
            return written;
        }
        if !self.waiting {
            self.waiting = true;
            self.timer.as_mut().reset(Instant::now() + self.patience);
        }
        ready!(self.timer.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client stopped reading")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Unstalled<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Unstalled<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.socket).poll_write_vectored(context, slices);
        self.judge(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.socket).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[tokio::test]
    async fn a_write_nobody_reads_fails_in_the_end() {
        let (near, _far) = duplex(4);
        let mut socket = Unstalled::new(near, Duration::from_millis(20));
        let error = socket.write_all(b"more than four bytes").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test]
    async fn a_reader_that_goes_on_reading_is_never_cut() {
        let (near, mut far) = duplex(1);
        let mut socket = Unstalled::new(near, Duration::from_hours(1));
        let text = b"slowly, one byte at a time";
        let writing = async move { socket.write_all(text).await };
        let reading = async move {
            let mut read = vec![0; text.len()];
            far.read_exact(&mut read).await.map(|_| read)
        };
        let (written, read) = tokio::join!(writing, reading);
        written.unwrap();
        assert_eq!(read.unwrap(), text);
    }

    #[tokio::test]
    async fn patience_starts_anew_with_each_write_that_waits() {
        let (near, mut far) = duplex(4);
        let mut socket = Unstalled::new(near, Duration::from_millis(20));
        socket.write_all(b"full").await.unwrap();
        assert!(socket.write_all(b"more").await.is_err());

        let mut read = [0; 4];
        far.read_exact(&mut read).await.unwrap();
        socket.write_all(b"more").await.unwrap();
        let mut rest = [0; 4];
        far.read_exact(&mut rest).await.unwrap();
        assert_eq!(&rest, b"more");
    }
}
