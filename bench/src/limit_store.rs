//! The limit server's store: one thread, one transaction for all that waits.

use std::path::Path;
use std::sync::mpsc;

use anyhow::Context as _;
use axum::http::StatusCode;
use bytes::Bytes;
use rusqlite::{Connection, Transaction, params};
use tokio::sync::oneshot;

use crate::limit_server::WINDOW;

/// As many operations as the daemon puts into one transaction.
const BATCH: usize = 256;

const SCHEMA: &str = "
    PRAGMA journal_mode = wal;
    PRAGMA synchronous = full;
    CREATE TABLE IF NOT EXISTS session (id INTEGER PRIMARY KEY, title TEXT);
    CREATE TABLE IF NOT EXISTS event (sequence INTEGER PRIMARY KEY, body BLOB);
";

#[derive(Debug)]
pub(crate) enum Write {
    /// The title, as JSON.
    Session(String),
    Event(Bytes),
}

type Request = (Write, oneshot::Sender<i64>);

#[derive(Debug, Clone)]
pub(crate) struct Store(mpsc::SyncSender<Request>);

impl Store {
    pub(crate) fn open(data: &Path) -> anyhow::Result<Self> {
        let connection = Connection::open(data.join("limit.db")).context("could not open the database")?;
        connection.execute_batch(SCHEMA)?;
        let newest =
            connection.query_row("SELECT coalesce(max(sequence), 0) FROM event", [], |row| row.get(0))?;
        let (sender, requests) = mpsc::sync_channel(4 * BATCH);
        std::thread::spawn(move || {
            if let Err(error) = write_forever(connection, newest, &requests) {
                eprintln!("the limit server cannot write: {error}");
            }
        });
        Ok(Self(sender))
    }

    /// Durable when it returns; the number of the row.
    pub(crate) async fn write(&self, write: Write) -> Result<i64, StatusCode> {
        let (reply, answer) = oneshot::channel();
        self.0.try_send((write, reply)).map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
        answer.await.map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
    }
}

fn write_forever(
    mut connection: Connection,
    mut newest: i64,
    requests: &mpsc::Receiver<Request>,
) -> rusqlite::Result<()> {
    while let Ok(first) = requests.recv() {
        let batch: Vec<Request> = [first].into_iter().chain(requests.try_iter().take(BATCH - 1)).collect();
        let transaction = connection.transaction()?;
        let mut numbers = Vec::with_capacity(batch.len());
        for (write, _) in &batch {
            numbers.push(apply(&transaction, write, &mut newest)?);
        }
        transaction.commit()?;
        for ((_, reply), number) in batch.into_iter().zip(numbers) {
            // A client that has gone needs no answer.
            reply.send(number).ok();
        }
    }
    Ok(())
}

fn apply(transaction: &Transaction<'_>, write: &Write, newest: &mut i64) -> rusqlite::Result<i64> {
    match write {
        Write::Session(title) => {
            transaction.prepare_cached("INSERT INTO session (title) VALUES (?1)")?.execute([title])?;
            Ok(transaction.last_insert_rowid())
        }
        Write::Event(body) => {
            *newest += 1;
            let insert = "INSERT INTO event (sequence, body) VALUES (?1, ?2)";
            transaction.prepare_cached(insert)?.execute(params![*newest, body.as_ref()])?;
            let oldest = *newest - i64::try_from(WINDOW).unwrap_or(i64::MAX);
            transaction.prepare_cached("DELETE FROM event WHERE sequence <= ?1")?.execute([oldest])?;
            Ok(*newest)
        }
    }
}
