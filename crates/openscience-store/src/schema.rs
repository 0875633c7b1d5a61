//! Is the database at the schema this binary writes? Brings it there, or says why it cannot.

use std::collections::HashSet;
use std::path::Path;
use std::time::Duration;

use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection, SqliteConnection};

use crate::error::OpenError;
use crate::owners;
use crate::root::Root;
use crate::sql;

/// Every migration since the first, in order; the schema version is how many were applied.
pub(crate) const MIGRATIONS: &[&str] = &[include_str!("../../../migrations/0001_initial.sql")];

/// `osci` in ASCII: tells our database from another program's.
const APPLICATION_ID: i64 = 0x6f73_6369;

/// A short wait at start: a live process holds the lock for milliseconds.
const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Caps the file that is left after a burst; SQLite grows it again when it must.
const WAL_BYTES_MAX: &str = "67108864";

/// 16 MiB: at SQLite's own 1000 pages a full batch would copy its pages into the database each time.
const CHECKPOINT_PAGES: &str = "4000";

/// Options of every connection.
fn options(root: &Root) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(root.database())
        .busy_timeout(BUSY_TIMEOUT)
        .foreign_keys(true)
        .disable_statement_logging()
}

/// Options of the one connection that writes.
pub(crate) fn writer_options(root: &Root) -> SqliteConnectOptions {
    options(root)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .pragma("journal_size_limit", WAL_BYTES_MAX)
        .pragma("wal_autocheckpoint", CHECKPOINT_PAGES)
        // Batches join against a small table of their own; it need not become a file.
        .pragma("temp_store", "memory")
        // 16 MiB: the inner pages of every table of a busy daemon.
        .pragma("cache_size", "-16384")
}

/// Options of the connections that read.
pub(crate) fn reader_options(root: &Root) -> SqliteConnectOptions {
    options(root).read_only(true)
}

/// Opens the database for writing and migrates it. The caller holds the lock of the root.
pub(crate) async fn open(root: &Root, migrations: &[&'static str]) -> Result<SqliteConnection, OpenError> {
    let failed = |error| OpenError::database(root.database(), error);
    root.create_database()?;
    let mut connection = writer_options(root).connect().await.map_err(failed)?;
    match migrate(&mut connection, root, migrations).await {
        Ok(()) => Ok(connection),
        Err(error) => {
            // The first error is the one to tell.
            connection.close().await.ok();
            Err(error)
        }
    }
}

/// Opens a database to look at it. Nothing of it changes: without a log of unmerged writes not even SQLite's own files appear.
pub(crate) async fn open_to_look(root: &Root) -> Result<SqliteConnection, OpenError> {
    let mut log = root.database().into_os_string();
    log.push("-wal");
    let options = reader_options(root).immutable(!Path::new(&log).exists());
    options.connect().await.map_err(|error| OpenError::database(root.database(), error))
}

/// The schema version of a database of ours; 0 if nothing was ever written to it.
pub(crate) async fn found(connection: &mut SqliteConnection, root: &Root) -> Result<i64, OpenError> {
    let failed = |error| OpenError::database(root.database(), error);
    let found: i64 =
        sqlx::query_scalar("PRAGMA user_version").fetch_one(&mut *connection).await.map_err(failed)?;
    check_application(connection, root, found).await?;
    Ok(found)
}

async fn migrate(
    connection: &mut SqliteConnection,
    root: &Root,
    migrations: &[&'static str],
) -> Result<(), OpenError> {
    let failed = |error| OpenError::database(root.database(), error);
    let known = version_of(migrations);
    let found = found(connection, root).await?;
    if found > known {
        return Err(OpenError::Newer { found, known, path: root.database() });
    }
    if found == known {
        return check_shape(connection, root, migrations).await;
    }
    if found > 0 {
        let living = owners::living(connection, root).await?;
        owners::refuse_live(&living, root, found, known)?;
    }
    let applied = usize::try_from(found).unwrap_or(0);
    let mut transaction = connection.begin_with("BEGIN EXCLUSIVE").await.map_err(failed)?;
    for migration in migrations.iter().skip(applied) {
        sqlx::raw_sql(*migration).execute(&mut *transaction).await.map_err(failed)?;
    }
    let set = format!("PRAGMA user_version = {known}; PRAGMA application_id = {APPLICATION_ID}");
    sqlx::raw_sql(sqlx::AssertSqlSafe(set)).execute(&mut *transaction).await.map_err(failed)?;
    transaction.commit().await.map_err(failed)
}

/// A database that a version made which was never released has the same number and other tables: what is
/// expected and not there would fail much later. What somebody added is no matter.
pub(crate) async fn check_shape(
    connection: &mut SqliteConnection,
    root: &Root,
    migrations: &[&'static str],
) -> Result<(), OpenError> {
    let failed = |error| OpenError::database(root.database(), error);
    let mut model = SqliteConnectOptions::new().in_memory(true).connect().await.map_err(failed)?;
    for migration in migrations {
        sqlx::raw_sql(*migration).execute(&mut model).await.map_err(failed)?;
    }
    let expected: HashSet<String> =
        sqlx::query_scalar(sql::SHAPE).fetch_all(&mut model).await.map_err(failed)?.into_iter().collect();
    let found: HashSet<String> =
        sqlx::query_scalar(sql::SHAPE).fetch_all(connection).await.map_err(failed)?.into_iter().collect();
    model.close().await.ok();
    if expected.is_subset(&found) { Ok(()) } else { Err(OpenError::Unreleased { path: root.database() }) }
}

/// A database with tables that are not ours is left alone.
async fn check_application(
    connection: &mut SqliteConnection,
    root: &Root,
    version: i64,
) -> Result<(), OpenError> {
    let failed = |error| OpenError::database(root.database(), error);
    let id: i64 =
        sqlx::query_scalar("PRAGMA application_id").fetch_one(&mut *connection).await.map_err(failed)?;
    if id == APPLICATION_ID {
        return Ok(());
    }
    let tables: i64 = sqlx::query_scalar(sql::TABLE_COUNT).fetch_one(connection).await.map_err(failed)?;
    if id == 0 && version == 0 && tables == 0 {
        return Ok(());
    }
    Err(OpenError::ForeignDatabase { path: root.database() })
}

/// The schema version after all of `migrations`.
pub(crate) fn version_of(migrations: &[&'static str]) -> i64 {
    i64::try_from(migrations.len()).unwrap_or(i64::MAX)
}
