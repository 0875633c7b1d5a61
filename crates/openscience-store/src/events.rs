//! The journal: events after a cursor, and the window that can be replayed.

use futures_util::TryStreamExt;
use openscience_protocol::row::StoredEvent;
use openscience_protocol::{EVENT_RETENTION, Sequence, SessionId};
use sqlx::sqlite::SqliteRow;

use crate::decode::Columns;
use crate::error::StoreError;
use crate::{Store, sql};

/// A stretch of the journal, and the window at the same moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventPage {
    /// Consecutive. Empty only if there is nothing after the cursor.
    pub events: Vec<StoredEvent>,
    /// Sequence of the oldest event that can be replayed; 1 if there is none yet.
    pub oldest: Sequence,
    /// Sequence of the newest event; 0 if there is none yet.
    pub latest: Sequence,
}

/// The oldest event of the window, by arithmetic: what is stored beyond it does not count.
fn oldest(latest: Sequence) -> Sequence {
    (latest - EVENT_RETENTION + 1).max(1)
}

/// How far a session has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    pub session: SessionId,
    pub latest_sequence: Sequence,
    pub revision: i64,
}

impl Store {
    /// Events after `after`: at most `limit`, and no more than `max_bytes` of bodies but at least one.
    ///
    /// Begins with the oldest of the window if the cursor lies before it: compare `oldest`. `None`
    /// if the session does not exist.
    pub async fn events_after(
        &self,
        session: &SessionId,
        after: Sequence,
        limit: u32,
        max_bytes: usize,
    ) -> Result<Option<EventPage>, StoreError> {
        let mut rows = sqlx::query(sql::EVENTS_AFTER)
            .bind(session.as_str().to_owned())
            .bind(after)
            .bind(i64::from(limit.max(1)))
            .bind(EVENT_RETENTION)
            .fetch(&self.0.readers);
        let mut page: Option<EventPage> = None;
        let mut bytes = 0;
        while let Some(row) = rows.try_next().await? {
            let latest = Columns::new("session", &row).get("latest_sequence")?;
            let page =
                page.get_or_insert_with(|| EventPage { events: Vec::new(), oldest: oldest(latest), latest });
            let expected = match page.events.last() {
                Some(event) => event.sequence + 1,
                None => page.oldest.max(after + 1),
            };
            let Some(event) = read(session, &row, expected, latest)? else { break };
            bytes += event.body.len();
            if bytes > max_bytes && !page.events.is_empty() {
                break;
            }
            page.events.push(event);
        }
        Ok(page)
    }

    /// Where each of `sessions` stands now; sessions that do not exist are left out.
    pub async fn marks(&self, sessions: &[SessionId]) -> Result<Vec<Mark>, StoreError> {
        let ids = serde_json::to_string(sessions)?;
        let rows = sqlx::query(sql::MARKS).bind(ids).fetch_all(&self.0.readers).await?;
        rows.iter()
            .map(|row| {
                let columns = Columns::new("session", row);
                let (latest_sequence, revision) = (columns.get("latest_sequence")?, columns.get("revision")?);
                Ok(Mark { session: columns.word("id")?, latest_sequence, revision })
            })
            .collect()
    }

    /// Oldest and newest sequence that can be replayed. `None` if the session does not exist.
    pub async fn window(&self, session: &SessionId) -> Result<Option<(Sequence, Sequence)>, StoreError> {
        let latest: Option<Sequence> = sqlx::query_scalar(sql::LATEST_SEQUENCE)
            .bind(session.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        Ok(latest.map(|latest| (oldest(latest), latest)))
    }
}

/// The event of a row, which must be the expected one; `None` if the journal ends here.
fn read(
    session: &SessionId,
    row: &SqliteRow,
    expected: Sequence,
    latest: Sequence,
) -> Result<Option<StoredEvent>, StoreError> {
    let columns = Columns::new("event", row);
    let sequence: Option<Sequence> = columns.get("sequence")?;
    if sequence.is_none() && expected > latest {
        return Ok(None);
    }
    let sequence = sequence.filter(|sequence| *sequence == expected);
    let sequence = sequence.ok_or_else(|| StoreError::Corrupt {
        table: "event",
        column: "sequence",
        row: format!("{session}, sequence {expected}"),
    })?;
    Ok(Some(StoredEvent { sequence, event_type: columns.get("type")?, body: columns.get("body")? }))
}
