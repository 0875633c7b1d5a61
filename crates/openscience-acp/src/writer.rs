//! Writes messages to the agent, one after another.
//!
//! A full stdin stops only this task. That a prompt was written is noted in
//! the same moment as its last byte, under the lock: no update that answers
//! it can be handled before.

use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use crate::state::{Outgoing, Shared, State, Written};

/// Writes until stdin shall be closed or cannot be written any more.
pub(crate) async fn run(shared: Arc<Shared>, stdin: impl AsyncWrite + Unpin) {
    tokio::select! {
        () = shared.close_stdin.cancelled() => {}
        () = write_all(&shared, stdin) => {
            // The agent closed its stdin: nothing will reach it any more.
            shared.pipe_closed.cancel();
            shared.close_stdin.cancel();
        }
    }
    shared.drop_outbox();
}

async fn write_all(shared: &Shared, mut stdin: impl AsyncWrite + Unpin) {
    loop {
        let Some(message) = shared.next_outgoing() else {
            shared.outbox_ready.notified().await;
            continue;
        };
        if write(shared, &mut stdin, message).await.is_err() || stdin.flush().await.is_err() {
            return;
        }
    }
}

async fn write(
    shared: &Shared,
    stdin: &mut (impl AsyncWrite + Unpin),
    message: Outgoing,
) -> std::io::Result<()> {
    let Outgoing { line, written } = message;
    let mut rest = line.as_slice();
    let mut written = Some(written);
    std::future::poll_fn(|context| {
        while !rest.is_empty() {
            let mut state = shared.lock();
            let Poll::Ready(result) = Pin::new(&mut *stdin).poll_write(context, rest) else {
                return Poll::Pending;
            };
            let count = match result {
                Ok(0) => return Poll::Ready(Err(std::io::ErrorKind::WriteZero.into())),
                Ok(count) => count,
                Err(error) => return Poll::Ready(Err(error)),
            };
            rest = rest.get(count..).unwrap_or_default();
            if rest.is_empty()
                && let Some(written) = written.take()
            {
                note(shared, &mut state, written);
            }
        }
        Poll::Ready(Ok(()))
    })
    .await
}

fn note(shared: &Shared, state: &mut State, written: Written) {
    match written {
        Written::Nobody => {}
        Written::Prompt { session, turn } => {
            state.marks.push_back((session, turn));
            shared.prompted.notify_one();
        }
        // Whoever asked may have stopped waiting.
        Written::Answer(told) => drop(told.send(())),
    }
}
