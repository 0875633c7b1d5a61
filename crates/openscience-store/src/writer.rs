//! The one task that writes: takes what is queued, commits it as one transaction, answers, repeats.
//!
//! No timers: while one batch is being committed the next one gathers. Within a session the order
//! is the order of calls; between sessions there is none.

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use openscience_protocol::row::{Appended, SessionRow};
use openscience_protocol::{Millis, OwnerId, SessionId};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, SqliteConnection};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use crate::encode::Encoded;
use crate::error::{AppendError, StoreError, code};
use crate::sessions::Creation;
use crate::{append, sessions, sql};

/// Operations in one transaction: beyond this a commit costs little per operation already.
const BATCH_LEN_MAX: usize = 256;
/// Text in one transaction: bounds the memory of a batch and how long it keeps others waiting.
const BATCH_BYTES_MAX: usize = 8 << 20;
/// Operations that wait: a full batch gathers while one is written; beyond that callers wait.
pub(crate) const QUEUE_LEN_MAX: usize = 512;

/// How long the writer tries to get the lock. Others hold it for milliseconds.
const BUSY_MAX: Duration = Duration::from_secs(5);
/// Pause between two tries: half of this and up to all of it. SQLite's own waits grow to 100 ms, in
/// which a busy neighbour takes the lock again and again.
const BUSY_PAUSE: Duration = Duration::from_millis(4);
/// Pause between batches while another process is alive, so that it gets its turn.
const SHARED_PAUSE: Duration = Duration::from_millis(1);

/// An operation, where its answer goes, and the answer until it is durable.
pub(crate) struct Request<I, T, E> {
    pub(crate) input: I,
    pub(crate) outcome: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<I, T, E: From<StoreError>> Request<I, T, E> {
    pub(crate) fn new(input: I) -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (reply, answer) = oneshot::channel();
        (Self { input, outcome: None, reply }, answer)
    }

    /// Answers with what was found out. A caller who has gone is no reason to undo anything.
    fn settle(self) {
        if let Some(outcome) = self.outcome {
            self.reply.send(outcome).ok();
        }
    }

    fn fail(self, error: &StoreError) {
        self.reply.send(Err(error.clone().into())).ok();
    }
}

/// A session to be made.
pub(crate) struct NewSession {
    pub(crate) row: SessionRow,
    pub(crate) encoded: String,
}

/// A statement for one row.
pub(crate) struct Small {
    pub(crate) sql: &'static str,
    /// Its only argument: a JSON array.
    pub(crate) row: String,
}

pub(crate) type AppendRequest = Request<Encoded, Appended, AppendError>;
pub(crate) type CreateRequest = Request<NewSession, Creation, StoreError>;
pub(crate) type DeleteRequest = Request<(SessionId, Millis), (), StoreError>;
pub(crate) type SmallRequest = Request<Small, bool, StoreError>;

pub(crate) enum Op {
    Append(Box<AppendRequest>),
    Create(Box<CreateRequest>),
    Delete(DeleteRequest),
    Small(SmallRequest),
    /// Answered outside transactions, on the connection that does not count its own commits.
    DataVersion(Request<(), i64, StoreError>),
    /// Take nothing more, finish what is queued, close.
    Close,
}

impl Op {
    fn session(&self) -> Option<&SessionId> {
        match self {
            Self::Append(request) => Some(&request.input.session),
            Self::Create(request) => Some(&request.input.row.id),
            Self::Delete(request) => Some(&request.input.0),
            Self::Small(_) | Self::DataVersion(_) | Self::Close => None,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Append(request) => request.input.bytes,
            Self::Create(request) => request.input.encoded.len(),
            Self::Small(request) => request.input.row.len(),
            Self::Delete(_) | Self::DataVersion(_) | Self::Close => 0,
        }
    }
}

/// What goes into one transaction: at most one operation of a session.
#[derive(Default)]
struct Batch {
    appends: Vec<AppendRequest>,
    creates: Vec<CreateRequest>,
    deletes: Vec<DeleteRequest>,
    smalls: Vec<SmallRequest>,
}

impl Batch {
    fn len(&self) -> usize {
        self.appends.len() + self.creates.len() + self.deletes.len() + self.smalls.len()
    }

    fn settle(self) {
        self.appends.into_iter().for_each(Request::settle);
        self.creates.into_iter().for_each(Request::settle);
        self.deletes.into_iter().for_each(Request::settle);
        self.smalls.into_iter().for_each(Request::settle);
    }

    fn fail(self, error: &StoreError) {
        self.appends.into_iter().for_each(|request| request.fail(error));
        self.creates.into_iter().for_each(|request| request.fail(error));
        self.deletes.into_iter().for_each(|request| request.fail(error));
        self.smalls.into_iter().for_each(|request| request.fail(error));
    }

    /// The same operations, each in a batch of its own.
    fn split(self) -> Vec<Self> {
        let appends = self.appends.into_iter().map(|one| Self { appends: vec![one], ..Self::default() });
        let creates = self.creates.into_iter().map(|one| Self { creates: vec![one], ..Self::default() });
        let deletes = self.deletes.into_iter().map(|one| Self { deletes: vec![one], ..Self::default() });
        let smalls = self.smalls.into_iter().map(|one| Self { smalls: vec![one], ..Self::default() });
        creates.chain(appends).chain(deletes).chain(smalls).collect()
    }
}

/// Everything the writing task holds.
pub(crate) struct Writer {
    options: SqliteConnectOptions,
    /// None after a failure: the next batch opens a fresh one.
    connection: Option<SqliteConnection>,
    /// How often it was opened: each counts the commits of others from the beginning.
    opened: i64,
    inbox: mpsc::Receiver<Op>,
    /// Taken from the inbox, not yet written; in order.
    waiting: VecDeque<Op>,
    /// Another process is alive.
    shared: Arc<AtomicBool>,
    /// Tells the pauses of this process from those of others.
    jitter: DefaultHasher,
}

impl Writer {
    pub(crate) fn new(
        options: SqliteConnectOptions,
        connection: SqliteConnection,
        inbox: mpsc::Receiver<Op>,
        shared: Arc<AtomicBool>,
        owner: &OwnerId,
    ) -> Self {
        let mut jitter = DefaultHasher::new();
        owner.hash(&mut jitter);
        Self {
            // The waiting is done here, where its length is ours to choose.
            options: options.busy_timeout(Duration::ZERO),
            connection: Some(connection),
            opened: 1,
            inbox,
            waiting: VecDeque::new(),
            shared,
            jitter,
        }
    }

    /// Writes until the store is closed or every handle to it is dropped.
    pub(crate) async fn run(mut self) {
        while self.gather().await {
            let batch = self.next_batch().await;
            if batch.len() > 0 {
                self.write(batch).await;
            }
            if !self.waiting.is_empty() && self.shared.load(Ordering::Relaxed) {
                tokio::time::sleep(SHARED_PAUSE).await;
            }
        }
        if let Some(connection) = self.connection.take()
            && let Err(error) = connection.close().await
        {
            tracing::warn!(%error, "the database was not closed in order");
        }
    }

    /// Waits for an operation and takes what else is there. False when there will be none.
    async fn gather(&mut self) -> bool {
        if self.waiting.is_empty() {
            match self.inbox.recv().await {
                Some(op) => self.waiting.push_back(op),
                None => return false,
            }
        }
        while self.waiting.len() < QUEUE_LEN_MAX
            && let Ok(op) = self.inbox.try_recv()
        {
            self.waiting.push_back(op);
        }
        true
    }

    /// Takes operations out, the first of each session, until the batch is full.
    async fn next_batch(&mut self) -> Batch {
        let mut batch = Batch::default();
        let mut sessions = HashSet::new();
        let mut left = VecDeque::new();
        let mut bytes = 0;
        while let Some(op) = self.waiting.pop_front() {
            let full = batch.len() >= BATCH_LEN_MAX || (bytes > 0 && bytes + op.bytes() > BATCH_BYTES_MAX);
            if full {
                left.push_back(op);
                break;
            }
            if let Some(session) = op.session()
                && !sessions.insert(session.clone())
            {
                left.push_back(op);
                continue;
            }
            bytes += op.bytes();
            match op {
                Op::Append(request) => batch.appends.push(*request),
                Op::Create(request) => batch.creates.push(*request),
                Op::Delete(request) => batch.deletes.push(request),
                Op::Small(request) => batch.smalls.push(request),
                Op::DataVersion(request) => self.answer_version(request).await,
                Op::Close => self.inbox.close(),
            }
        }
        left.append(&mut self.waiting);
        self.waiting = left;
        batch
    }

    async fn answer_version(&mut self, mut request: Request<(), i64, StoreError>) {
        let version = match self.connection().await {
            Ok(connection) => sqlx::query_scalar(sql::DATA_VERSION).fetch_one(connection).await,
            Err(error) => Err(error),
        };
        // SQLite's number has 32 bits.
        let version = version.map(|version: i64| (self.opened << 32) + version);
        request.outcome = Some(version.map_err(StoreError::from));
        request.settle();
    }

    /// Writes a batch and answers. One that breaks a constraint is written again one by one, so that
    /// only the operation at fault fails.
    async fn write(&mut self, mut batch: Batch) {
        match self.try_write(&mut batch).await {
            Ok(()) => batch.settle(),
            Err(StoreError::Constraint(_)) if batch.len() > 1 => {
                for mut one in batch.split() {
                    match self.try_write(&mut one).await {
                        Ok(()) => one.settle(),
                        Err(error) => one.fail(&error),
                    }
                }
            }
            Err(error) => batch.fail(&error),
        }
    }

    /// One transaction; nothing of it stays if it fails.
    async fn try_write(&mut self, batch: &mut Batch) -> Result<(), StoreError> {
        self.begin().await?;
        let connection = self.connection().await?;
        let written = commit(connection, batch).await;
        if let Err(error) = &written {
            // SQLite may have rolled back already, so this may fail.
            let rolled_back = sqlx::query(sql::ROLLBACK).execute(connection).await;
            if rolled_back.is_err() || !matches!(error, StoreError::Constraint(_)) {
                self.reset().await;
            }
        }
        written
    }

    /// Takes the lock for writing, waiting for others a bounded time.
    async fn begin(&mut self) -> Result<(), StoreError> {
        let deadline = Instant::now() + BUSY_MAX;
        loop {
            let begun = match self.connection().await {
                Ok(connection) => sqlx::query(sql::BEGIN_WRITE).execute(connection).await,
                Err(error) => Err(error),
            };
            let error = match begun {
                Ok(_) => return Ok(()),
                Err(error) => StoreError::from(error),
            };
            if !is_busy(&error) || Instant::now() >= deadline {
                self.reset().await;
                return Err(error);
            }
            tokio::time::sleep(self.pause()).await;
        }
    }

    /// Not random, but not in step with another process either.
    fn pause(&mut self) -> Duration {
        self.jitter.write_u8(0);
        let part = u32::try_from(self.jitter.finish() % 1_000).unwrap_or(0);
        BUSY_PAUSE / 2 + BUSY_PAUSE * part / 2_000
    }

    async fn connection(&mut self) -> Result<&mut SqliteConnection, sqlx::Error> {
        if self.connection.is_none() {
            self.connection = Some(self.options.connect().await?);
            self.opened += 1;
        }
        self.connection.as_mut().ok_or(sqlx::Error::WorkerCrashed)
    }

    /// Gives up a connection whose state is not known.
    async fn reset(&mut self) {
        if let Some(connection) = self.connection.take()
            && let Err(error) = connection.close().await
        {
            tracing::debug!(%error, "a connection was closed after a failure");
        }
    }
}

fn is_busy(error: &StoreError) -> bool {
    match error {
        StoreError::Unavailable(cause) => matches!(cause.code(), Some(code::BUSY | code::LOCKED)),
        StoreError::Constraint(_)
        | StoreError::Corrupt { .. }
        | StoreError::Encode(_)
        | StoreError::Closed => false,
    }
}

/// Writes all operations of a batch, notes their outcomes and commits. Appends come last, because they
/// commit by the way; no operation depends on another one of its batch.
async fn commit(connection: &mut SqliteConnection, batch: &mut Batch) -> Result<(), StoreError> {
    sessions::create(connection, &mut batch.creates).await?;
    for request in &mut batch.deletes {
        let (session, now) = &request.input;
        sessions::delete(connection, session, *now).await?;
        request.outcome = Some(Ok(()));
    }
    for request in &mut batch.smalls {
        let Small { sql, row } = &request.input;
        let done = sqlx::query(*sql).bind(row.clone()).execute(&mut *connection).await?;
        request.outcome = Some(Ok(done.rows_affected() > 0));
    }
    append::commit(connection, &mut batch.appends).await
}
