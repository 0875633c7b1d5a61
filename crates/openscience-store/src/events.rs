//! The journal: events after a cursor, and the window that can be replayed.

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

/// A stretch of the journal as the database gave it: its text stays where SQLite put it.
#[derive(Debug)]
pub struct EventText {
    /// Its text has a line for each body, and between two of them the type of the second. None of them holds a
    /// line break. None is missing: there is no text then.
    row: SqliteRow,
    first: Sequence,
    max_bytes: usize,
    /// As in [`EventPage`].
    pub oldest: Sequence,
    /// As in [`EventPage`].
    pub latest: Sequence,
}

/// One event of an [`EventText`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRef<'a> {
    pub sequence: Sequence,
    pub event_type: &'a str,
    /// As in [`openscience_protocol::row::NewEvent::body`].
    pub body: &'a str,
}

/// A page is never larger: it is one text in memory, here and in SQLite.
const BYTES_MAX: usize = 64 << 20;

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
        let Some(text) = self.event_text(session, after, limit, max_bytes).await? else { return Ok(None) };
        let EventText { oldest, latest, .. } = text;
        let events = text.events()?.map(EventRef::to_stored).collect();
        Ok(Some(EventPage { events, oldest, latest }))
    }

    /// The same as one text: for readers that pass events on and keep none.
    pub async fn event_text(
        &self,
        session: &SessionId,
        after: Sequence,
        limit: u32,
        max_bytes: usize,
    ) -> Result<Option<EventText>, StoreError> {
        let row = sqlx::query(sql::EVENTS_AFTER)
            .bind(session.as_str().to_owned())
            .bind(after)
            .bind(i64::from(limit.max(1)))
            .bind(EVENT_RETENTION)
            .bind(i64::try_from(max_bytes.min(BYTES_MAX)).unwrap_or_default())
            .fetch_optional(&self.0.readers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        let latest = Columns::new("session", &row).get("latest")?;
        let oldest = oldest(latest);
        let text = EventText { row, first: oldest.max(after + 1), max_bytes, oldest, latest };
        if text.bytes()? == 0 && text.first <= latest {
            return Err(missing(session, text.first));
        }
        Ok(Some(text))
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

fn missing(session: &SessionId, sequence: Sequence) -> StoreError {
    StoreError::Corrupt { table: "event", column: "sequence", row: format!("{session}, sequence {sequence}") }
}

impl EventText {
    /// Length of the text, which is a little more than that of all bodies.
    pub fn bytes(&self) -> Result<usize, StoreError> {
        // Not as text, which would be checked to be UTF-8 each time.
        let text: Option<&[u8]> = Columns::new("event", &self.row).get("events")?;
        Ok(text.map_or(0, <[u8]>::len))
    }

    /// The events in order, at most the bytes asked for but at least one.
    pub fn events(&self) -> Result<impl Iterator<Item = EventRef<'_>>, StoreError> {
        let columns = Columns::new("event", &self.row);
        let text: Option<&str> = columns.get("events")?;
        let mut lines = text.unwrap_or_default().split('\n');
        let mut next_type: Option<&str> = columns.get("first_type")?;
        let (mut sequence, mut bytes) = (self.first, 0);
        Ok(std::iter::from_fn(move || {
            let (event_type, body) = (next_type?, lines.next()?);
            bytes += body.len();
            if bytes > self.max_bytes && sequence > self.first {
                next_type = None;
                return None;
            }
            next_type = lines.next();
            let event = EventRef { sequence, event_type, body };
            sequence += 1;
            Some(event)
        }))
    }
}

impl EventRef<'_> {
    fn to_stored(self) -> StoredEvent {
        let Self { sequence, event_type, body } = self;
        StoredEvent { sequence, event_type: event_type.to_owned(), body: body.to_owned() }
    }
}
