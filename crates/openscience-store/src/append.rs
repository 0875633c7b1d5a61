//! Appends of many sessions as a fixed handful of statements.

use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use openscience_protocol::EVENT_RETENTION;
use openscience_protocol::row::{Append, Appended};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Row, SqliteConnection};

use crate::decode::Columns;
use crate::encode::{Encoded, Tail};
use crate::error::{AppendError, StoreError};
use crate::writer::{AppendRequest, Op, Request};
use crate::{Store, sql};

/// Events are pruned when a session passes a multiple of this: seldom enough to cost nothing.
/// Readers go by arithmetic, so how many more are stored is nobody's business.
const PRUNE_EVERY: i64 = 256;

impl Store {
    /// Writes all of `append` or nothing.
    ///
    /// Durable when it returns. Dropping the future does not take the append back once it is queued.
    pub async fn append(&self, append: Append) -> Result<Appended, AppendError> {
        let (request, answer) = Request::new(Encoded::new(&append)?);
        self.send(Op::Append(Box::new(request))).await?;
        answer.await.unwrap_or(Err(StoreError::Closed.into()))
    }
}

/// A session whose revision was the expected one, as it stands now.
struct Picked {
    key: i64,
    appended: Appended,
}

/// A JSON array of rows for one statement.
#[derive(Default)]
struct Rows(String);

impl Rows {
    /// Adds a row that starts with `head`.
    fn push(&mut self, head: std::fmt::Arguments<'_>, tail: &str) {
        self.0.push(if self.0.is_empty() { '[' } else { ',' });
        self.0.push('[');
        // Writing to a string cannot fail.
        self.0.write_fmt(head).ok();
        self.0.push_str(tail);
        self.0.push(']');
    }

    fn push_all(&mut self, key: i64, tails: &[Tail]) {
        for tail in tails {
            self.push(format_args!("{key}"), tail.as_str());
        }
    }

    /// Adds rows that carry their place, from 1, behind the key.
    fn push_numbered(&mut self, key: i64, tails: &[Tail]) {
        for (place, tail) in (1..).zip(tails) {
            let place: i64 = place;
            self.push(format_args!("{key},{place}"), tail.as_str());
        }
    }

    /// The whole array; none if it has no rows.
    fn into_array(mut self) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        self.0.push(']');
        Some(self.0)
    }
}

/// The rows of a batch, by statement.
#[derive(Default)]
struct Tables {
    patches: Rows,
    messages: Rows,
    parts: Rows,
    closed: Rows,
    chunks: Rows,
    runs: Rows,
    follow_ups: Rows,
    turns: Rows,
    decisions: Rows,
    grants: Rows,
    terminals: Rows,
    claims: Rows,
    results: Rows,
    versions: Rows,
    events: Rows,
    prune: Rows,
}

impl Tables {
    fn add(&mut self, picked: &Picked, input: &Encoded) {
        let Picked { key, appended } = picked;
        if let Some(patch) = &input.patch {
            self.patches.push(format_args!("{key}"), patch.as_str());
        }
        self.messages.push_all(*key, &input.messages);
        self.parts.push_all(*key, &input.parts);
        self.closed.push_all(*key, &input.closed);
        self.chunks.push_all(*key, &input.chunks);
        self.runs.push_numbered(*key, &input.runs);
        self.follow_ups.push_all(*key, &input.follow_ups);
        self.turns.push_all(*key, &input.turns);
        self.decisions.push_all(*key, &input.decisions);
        self.grants.push_all(*key, &input.grants);
        self.terminals.push_all(*key, &input.terminals);
        self.claims.push_all(*key, &input.claims);
        self.results.push_all(*key, &input.results);
        self.versions.push_all(*key, &input.versions);
        let latest = appended.latest_sequence;
        let before = latest - i64::try_from(input.events.len()).unwrap_or(0);
        for (sequence, event) in (before + 1..).zip(&input.events) {
            self.events.push(format_args!("{key},{sequence}"), event.as_str());
        }
        let oldest = latest - EVENT_RETENTION;
        if before / PRUNE_EVERY != latest / PRUNE_EVERY && oldest > 0 {
            self.prune.push(format_args!("{key},{oldest}"), "");
        }
    }

    /// Writes all rows and commits. Referenced rows before those that refer to them; chunks of closed parts
    /// go before new ones come.
    ///
    /// One query, because each costs two changes of thread, which take longer than most statements.
    async fn commit(self, connection: &mut SqliteConnection) -> Result<(), StoreError> {
        let tables = [
            (sql::PATCH_SESSIONS, self.patches),
            (sql::UPSERT_MESSAGES, self.messages),
            (sql::UPSERT_PARTS, self.parts),
            (sql::DELETE_CHUNKS, self.closed),
            (sql::INSERT_CHUNKS, self.chunks),
            (sql::UPSERT_RUNS, self.runs),
            (sql::INSERT_FOLLOW_UPS, self.follow_ups),
            (sql::UPSERT_TURNS, self.turns),
            (sql::UPSERT_DECISIONS, self.decisions),
            (sql::INSERT_GRANTS, self.grants),
            (sql::UPSERT_TERMINALS, self.terminals),
            (sql::UPSERT_CLAIMS, self.claims),
            (sql::UPSERT_RESULTS, self.results),
            (sql::INSERT_VERSIONS, self.versions),
            (sql::INSERT_EVENTS, self.events),
            (sql::PRUNE_EVENTS, self.prune),
        ];
        let (mut statements, mut arguments) = (String::new(), Vec::new());
        for (statement, rows) in tables {
            if let Some(rows) = rows.into_array() {
                statements.push_str(statement);
                statements.push(';');
                arguments.push(rows);
            }
        }
        statements.push_str(sql::COMMIT);
        // Constants of ours alone.
        let query = sqlx::query(AssertSqlSafe(statements));
        arguments.into_iter().fold(query, Query::bind).execute(connection).await?;
        Ok(())
    }
}

/// Writes those appends whose session has the expected revision, notes all outcomes, and commits.
pub(crate) async fn commit(
    connection: &mut SqliteConnection,
    requests: &mut [AppendRequest],
) -> Result<(), StoreError> {
    if requests.is_empty() {
        sqlx::query(sql::COMMIT).execute(connection).await?;
        return Ok(());
    }
    let picked = pick(connection, requests).await?;
    let existing = if picked.len() < requests.len() {
        let others = requests.iter().map(|request| request.input.session.as_str());
        existing(connection, others.filter(|id| !picked.contains_key(*id)).collect()).await?
    } else {
        HashSet::new()
    };
    let mut tables = Tables::default();
    for request in requests {
        let session = request.input.session.as_str();
        request.outcome = Some(match picked.get(session) {
            Some(picked) => {
                tables.add(picked, &request.input);
                Ok(picked.appended)
            }
            None if existing.contains(session) => Err(AppendError::Revision),
            None => Err(AppendError::Gone),
        });
    }
    tables.commit(connection).await
}

async fn pick(
    connection: &mut SqliteConnection,
    requests: &[AppendRequest],
) -> Result<HashMap<String, Picked>, StoreError> {
    let mut rows = Vec::with_capacity(requests.len());
    for request in requests {
        let Encoded { session, expected_revision, bump, events, new_messages, relies_on, .. } =
            &request.input;
        let grants = (!relies_on.is_empty()).then_some(relies_on);
        rows.push((session, expected_revision, *bump, events.len(), new_messages, grants));
    }
    let rows = serde_json::to_string(&rows)?;
    let rows = sqlx::query(sql::PICK).bind(rows).fetch_all(connection).await?;
    let mut picked = HashMap::with_capacity(rows.len());
    for row in &rows {
        let columns = Columns::new("session", row);
        let appended =
            Appended { revision: columns.get("revision")?, latest_sequence: columns.get("latest_sequence")? };
        picked.insert(columns.get("id")?, Picked { key: columns.get("key")?, appended });
    }
    Ok(picked)
}

/// Which of `ids` are sessions, whatever their revision.
async fn existing(connection: &mut SqliteConnection, ids: Vec<&str>) -> Result<HashSet<String>, StoreError> {
    let ids = serde_json::to_string(&ids)?;
    let rows = sqlx::query(sql::EXISTING_IDS).bind(ids).fetch_all(connection).await?;
    rows.iter().map(|row| row.try_get(0).map_err(StoreError::from)).collect()
}
