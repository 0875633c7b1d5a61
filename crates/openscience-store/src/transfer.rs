//! One session as one document: taken out of a database, and put into another.
//!
//! Tables are copied by what the database says of them, so that a column of a later version is not forgotten here.
//! What the rows mean is nobody's business in this file; whose they are to be is decided by the caller.

use std::collections::BTreeMap;
use std::path::Path;

use openscience_protocol::{EVENT_RETENTION, SessionId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sqlx::sqlite::{SqliteArguments, SqliteRow};
use sqlx::{
    AssertSqlSafe, Column as _, Connection as _, Row as _, SqliteConnection, TypeInfo as _, ValueRef as _,
};

use crate::error::{OpenError, StoreError, code, primary_code};
use crate::root::Root;
use crate::{decode, schema, sql};

/// The tables of a session, those that others refer to first. Grants are left out: who allowed something did so for that
/// data directory.
const TABLES: [&str; 8] = ["message", "part", "part_chunk", "run", "follow_up", "turn", "decision", "event"];

/// Columns that hold JSON: in the document they are what they hold.
const JSON_COLUMNS: [&str; 8] =
    ["info", "body", "error", "settings", "request", "permission", "meta", "config"];

/// A row, by the names of its columns.
pub type DumpRow = Map<String, Value>;

/// Everything that is kept of one session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionDump {
    /// Schema of the database it comes from.
    pub schema: i64,
    pub session: DumpRow,
    /// Rows by table, without the key of their session.
    pub tables: BTreeMap<String, Vec<DumpRow>>,
}

/// Why a session was not copied.
#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("session {0} does not exist")]
    NotFound(SessionId),
    #[error("session {0} is at work: wait for its run, or cancel it")]
    AtWork(SessionId),
    #[error("a session of that id exists already, or was deleted")]
    Taken,
    #[error("the document has schema {found}, this version knows {known}")]
    Schema { found: i64, known: i64 },
    #[error("the document is damaged: table {table} has no column of that name, or no such row can be")]
    Damaged { table: String },
    #[error("could not read or write the database")]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for TransferError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

/// Reads a session that is at rest, at one moment.
pub async fn export_session(data_dir: &Path, session: &SessionId) -> Result<SessionDump, TransferError> {
    let root = Root::at(data_dir);
    let mut connection = schema::open_to_look(&root).await?;
    let known = schema::version_of(schema::MIGRATIONS);
    let found = schema::found(&mut connection, &root).await?;
    if found != known {
        return Err(TransferError::Schema { found, known });
    }
    let mut moment = connection.begin().await?;
    let row =
        sqlx::query(sql::DUMP_SESSION).bind(session.as_str().to_owned()).fetch_optional(&mut *moment).await?;
    let row = row.ok_or_else(|| TransferError::NotFound(session.clone()))?;
    let key: i64 = row.try_get("key")?;
    let live: i64 = sqlx::query_scalar(sql::LIVE_RUN_COUNT).bind(key).fetch_one(&mut *moment).await?;
    if live > 0 {
        return Err(TransferError::AtWork(session.clone()));
    }
    let mut tables = BTreeMap::new();
    for table in TABLES {
        let query = format!("SELECT * FROM {table} WHERE session = ?1");
        let rows = sqlx::query(AssertSqlSafe(query)).bind(key).fetch_all(&mut *moment).await?;
        let rows = rows.iter().map(|row| read(row, "session")).collect::<Result<_, _>>()?;
        tables.insert(table.to_owned(), rows);
    }
    let session = read(&row, "key")?;
    moment.rollback().await?;
    Ok(SessionDump { schema: found, session, tables })
}

/// All columns of a row but the one that names its session.
fn read(row: &SqliteRow, key: &str) -> Result<DumpRow, TransferError> {
    let mut out = DumpRow::new();
    for column in row.columns().iter().filter(|column| column.name() != key) {
        let (name, at) = (column.name(), column.ordinal());
        let raw = row.try_get_raw(at)?;
        let value = if raw.is_null() {
            Value::Null
        } else if raw.type_info().name() == "INTEGER" {
            row.try_get::<i64, _>(at)?.into()
        } else {
            let text: String = row.try_get(at)?;
            // Text that only looks like JSON must stay as it is to the byte.
            let json = JSON_COLUMNS.contains(&name).then(|| serde_json::from_str(&text).ok()).flatten();
            json.unwrap_or(Value::String(text))
        };
        out.insert(name.to_owned(), value);
    }
    Ok(out)
}

/// Writes a session whose id is free, all of it or nothing. The row says which id and which project it gets.
pub async fn import_session(data_dir: &Path, dump: &SessionDump) -> Result<(), TransferError> {
    let known = schema::version_of(schema::MIGRATIONS);
    if dump.schema != known {
        return Err(TransferError::Schema { found: dump.schema, known });
    }
    let root = Root::prepare(data_dir)?;
    let lock = root.lock().await?;
    let mut connection = schema::open(&root, schema::MIGRATIONS).await?;
    drop(lock);
    let mut moment = connection.begin_with(sql::BEGIN_WRITE).await?;
    let key = match insert(&mut moment, "session", &dump.session, None).await {
        Err(TransferError::Damaged { .. }) if taken(&mut moment, &dump.session).await? => {
            return Err(TransferError::Taken);
        }
        inserted => inserted?,
    };
    for table in TABLES {
        for row in dump.tables.get(table).into_iter().flatten() {
            insert(&mut moment, table, row, Some(key)).await?;
        }
    }
    check(&mut moment, key).await?;
    moment.commit().await?;
    connection.close().await?;
    Ok(())
}

/// What was written must be what a daemon reads: a row it cannot read, or a counter that is not that of its rows,
/// would fail every request for the session and each list it is in.
async fn check(connection: &mut SqliteConnection, key: i64) -> Result<(), TransferError> {
    let readable = |table: &str, row: Result<(), StoreError>| match row {
        Ok(()) => Ok(()),
        Err(StoreError::Corrupt { .. } | StoreError::Encode(_)) => Err(damaged(table)),
        Err(error) => Err(error.into()),
    };
    let row = sqlx::query(sql::SESSION_OF_KEY).bind(key).fetch_optional(&mut *connection).await?;
    let row = row.ok_or_else(|| damaged("session"))?;
    let session = match decode::session(&row) {
        Ok(session) => session.row,
        Err(error) => return readable("session", Err(error)),
    };
    let counted = sqlx::query(sql::COUNTED).bind(key).fetch_one(&mut *connection).await?;
    let [events, first, last, messages, newest, live] =
        ["events", "first", "last", "messages", "newest", "live"]
            .map(|column| counted.try_get::<i64, _>(column));
    let (events, first, last) = (events?, first?, last?);
    let whole = events == last - first + 1 && last == session.latest_sequence;
    if !(whole && first <= (last - EVENT_RETENTION + 1).max(1) || events == 0 && session.latest_sequence == 0)
    {
        return Err(damaged("event"));
    }
    let messages = messages?;
    if messages != newest? || messages != session.latest_message {
        return Err(damaged("message"));
    }
    if live? != 0 || session.deleting {
        return Err(damaged("run"));
    }
    for row in sqlx::query(sql::ALL_RUNS).bind(key).fetch_all(&mut *connection).await? {
        readable("run", decode::run(&row).map(drop))?;
    }
    for row in sqlx::query(sql::TURNS).bind(key).fetch_all(&mut *connection).await? {
        readable("turn", decode::turn(&row).map(drop))?;
    }
    for row in sqlx::query(sql::DECISIONS).bind(key).fetch_all(&mut *connection).await? {
        readable("decision", decode::decision(&row).map(drop))?;
    }
    for row in sqlx::query(sql::NEWEST_MESSAGES).bind(key).bind(-1).fetch_all(&mut *connection).await? {
        let message = match decode::message(&row) {
            Ok(message) => message,
            Err(error) => return readable("message", Err(error)),
        };
        let at = message.position;
        for row in
            sqlx::query(sql::PARTS_BETWEEN).bind(key).bind(at).bind(at).fetch_all(&mut *connection).await?
        {
            readable("part", decode::part(&session.id, message.info.id(), &row).map(drop))?;
        }
    }
    Ok(())
}

fn damaged(table: &str) -> TransferError {
    TransferError::Damaged { table: table.to_owned() }
}

async fn taken(connection: &mut SqliteConnection, session: &DumpRow) -> Result<bool, TransferError> {
    let Some(id) = session.get("id").and_then(Value::as_str) else { return Ok(false) };
    let key: Option<i64> =
        sqlx::query_scalar(sql::ANY_SESSION_KEY).bind(id.to_owned()).fetch_optional(connection).await?;
    Ok(key.is_some())
}

/// Inserts a row; the key of a session that is new.
async fn insert(
    connection: &mut SqliteConnection,
    table: &str,
    row: &DumpRow,
    session: Option<i64>,
) -> Result<i64, TransferError> {
    let damaged = || damaged(table);
    let word = |name: &String| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    if !row.keys().all(word) {
        return Err(damaged());
    }
    let names: Vec<&str> =
        session.map(|_| "session").into_iter().chain(row.keys().map(String::as_str)).collect();
    let marks = vec!["?"; names.len()].join(", ");
    let returning = if session.is_some() { "" } else { " RETURNING key" };
    // Names are words, so nothing but a column can be meant by one.
    let statement = format!("INSERT INTO {table} ({}) VALUES ({marks}){returning}", names.join(", "));
    let mut query = sqlx::query::<_>(AssertSqlSafe(statement));
    if let Some(session) = session {
        query = query.bind(session);
    }
    for value in row.values() {
        query = bind(query, value).ok_or_else(damaged)?;
    }
    let inserted = query.fetch_optional(connection).await.map_err(|error| match primary_code(&error) {
        Some(code::CONSTRAINT | code::ERROR) => damaged(),
        _ => error.into(),
    })?;
    match inserted {
        Some(row) => Ok(row.try_get("key")?),
        None => session.ok_or_else(damaged),
    }
}

type Query<'q> = sqlx::query::Query<'q, sqlx::Sqlite, SqliteArguments>;

/// None for a value that no column holds.
fn bind<'q>(query: Query<'q>, value: &Value) -> Option<Query<'q>> {
    match value {
        Value::Null => Some(query.bind(None::<String>)),
        Value::Number(number) => Some(query.bind(number.as_i64()?)),
        Value::String(text) => Some(query.bind(text.clone())),
        Value::Object(_) | Value::Array(_) => Some(query.bind(value.to_string())),
        Value::Bool(_) => None,
    }
}
