//! One write, many readers: how long until each has it? The write is part of the time.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use memchr::memmem;
use reqwest::Client;

use crate::load::{self, Request};
use crate::sse::Reader;

const MARK: &[u8] = b"MK@@";
/// Time in which everybody goes to sleep again, so that waking up is part of what is measured.
const GAP: Duration = Duration::from_millis(20);
const WRITE_MAX: Duration = Duration::from_secs(10);

/// What the body of write `number` must hold, so that readers know it.
pub(crate) fn mark(number: usize) -> String {
    format!("MK@@{number}.")
}

/// Milliseconds from sending each write until each reader had it: one value per write and reader.
pub(crate) async fn run(
    client: &Client,
    address: SocketAddr,
    path: &str,
    readers: usize,
    writes: &[Request],
) -> anyhow::Result<Vec<f64>> {
    let arrived = Arc::new(AtomicUsize::new(0));
    let mut tasks = Vec::with_capacity(readers);
    for _ in 0..readers {
        let reader = Reader::open(address, path).await?;
        tasks.push(tokio::spawn(arrivals(reader, writes.len(), Arc::clone(&arrived))));
    }
    let mut sent = Vec::with_capacity(writes.len());
    for (number, write) in writes.iter().enumerate() {
        tokio::time::sleep(GAP).await;
        sent.push(Instant::now());
        load::send(client, write).await?;
        let all = (number + 1) * readers;
        let delivered = async {
            while arrived.load(Ordering::Relaxed) < all {
                tokio::time::sleep(Duration::from_millis(1)).await;
            }
        };
        if tokio::time::timeout(WRITE_MAX, delivered).await.is_err() {
            for task in tasks.extract_if(.., |task| task.is_finished()) {
                task.await??;
            }
            bail!("write {number} did not reach all readers");
        }
    }
    let mut times = Vec::with_capacity(readers * writes.len());
    for task in tasks {
        let arrivals = task.await??;
        times.extend(arrivals.iter().zip(&sent).map(|(came, went)| (*came - *went).as_secs_f64() * 1e3));
    }
    ensure!(times.len() == readers * writes.len(), "{} deliveries are missing", readers * writes.len());
    Ok(times)
}

/// When each write came, in order; one that is missing or doubled is an error.
async fn arrivals(
    mut reader: Reader,
    count: usize,
    arrived: Arc<AtomicUsize>,
) -> anyhow::Result<Vec<Instant>> {
    let mut times = Vec::with_capacity(count);
    while times.len() < count {
        while let Some(number) = next_mark(&mut reader.body) {
            ensure!(number == times.len(), "write {number} came as number {}", times.len());
            times.push(Instant::now());
            arrived.fetch_add(1, Ordering::Relaxed);
        }
        if times.len() < count {
            reader.more().await?;
        }
    }
    Ok(times)
}

/// Takes the first complete mark out of what has come, and all before it.
fn next_mark(body: &mut Vec<u8>) -> Option<usize> {
    let start = memmem::find(body, MARK)? + MARK.len();
    let length = memchr::memchr(b'.', body.get(start..)?)?;
    let digits = std::str::from_utf8(body.get(start..start + length)?).ok()?;
    let number = digits.parse().ok()?;
    body.drain(..start + length);
    Some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_in_order_and_only_when_complete() {
        let mut body = b"data: MK@@0. x MK@@12. MK@@1".to_vec();
        assert_eq!(next_mark(&mut body), Some(0));
        assert_eq!(next_mark(&mut body), Some(12));
        assert_eq!(next_mark(&mut body), None);
        body.extend_from_slice(b"3.");
        assert_eq!(next_mark(&mut body), Some(13));
    }
}
