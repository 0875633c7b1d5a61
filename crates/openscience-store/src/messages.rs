//! The transcript as clients read it: messages with their parts, open text joined.

use openscience_protocol::row::{ChunkRow, MessageRow, MessageRows, PartRow};
use openscience_protocol::{Message, MessageId, SessionId};
use sqlx::SqliteConnection;

use crate::cut::Cut;
use crate::decode::{self, Columns};
use crate::error::StoreError;
use crate::runs::read_session;
use crate::{Store, sql};

/// A list of messages is about this long at most: its largest parts are cut. Clients refuse answers
/// twice as long.
pub(crate) const LIST_BYTES_MAX: usize = 16 << 20;

/// Messages whose parts are read at once: bounds what is in memory before it is shortened.
const READ_AHEAD: usize = 32;

impl Store {
    /// True if the id names a stored message. A receipt never exists without its message.
    pub async fn message_used(&self, session: &SessionId, message: &str) -> Result<bool, StoreError> {
        let row = sqlx::query(sql::MESSAGE_USED)
            .bind(session.as_str().to_owned())
            .bind(message.to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        Ok(row.is_some())
    }

    /// The newest `limit` messages, or all, oldest first.
    ///
    /// About 16 MiB at most: the largest tool outputs, then inputs, then texts are cut and marked
    /// `truncated`. Each message is whole by its id.
    pub async fn messages(
        &self,
        session: &SessionId,
        limit: Option<u32>,
    ) -> Result<Vec<Message>, StoreError> {
        self.messages_within(session, limit, LIST_BYTES_MAX).await
    }

    pub(crate) async fn messages_within(
        &self,
        session: &SessionId,
        limit: Option<u32>,
        bytes_max: usize,
    ) -> Result<Vec<Message>, StoreError> {
        let mut moment = self.0.readers.begin().await?;
        let Some(keyed) = read_session(&mut moment, session).await? else { return Ok(Vec::new()) };
        let messages = messages_of(&mut moment, keyed.key, session, limit, bytes_max).await?;
        moment.rollback().await?;
        Ok(messages)
    }

    /// One message, whole.
    pub async fn message(
        &self,
        session: &SessionId,
        message: &MessageId,
    ) -> Result<Option<Message>, StoreError> {
        let mut moment = self.0.readers.begin().await?;
        let found = read_message(&mut moment, session, message).await?;
        let Some((key, message)) = found else { return Ok(None) };
        let mut cut = Cut::new(usize::MAX);
        read_parts(&mut moment, key, session, &[message], &mut cut).await?;
        moment.rollback().await?;
        Ok(cut.finish().pop())
    }

    /// One message as it is stored, for a machine that goes on with it.
    pub async fn message_rows(
        &self,
        session: &SessionId,
        message: &MessageId,
    ) -> Result<Option<MessageRows>, StoreError> {
        let mut moment = self.0.readers.begin().await?;
        let found = read_message(&mut moment, session, message).await?;
        let Some((key, message)) = found else { return Ok(None) };
        let parts = parts_of(&mut moment, key, session, std::slice::from_ref(&message)).await?;
        let chunks = open_chunks(&mut moment, key, &parts).await?;
        moment.rollback().await?;
        Ok(Some(MessageRows { message, parts, chunks }))
    }
}

/// The newest `limit` messages of a session, or all, oldest first, cut to about so many bytes.
pub(crate) async fn messages_of(
    connection: &mut SqliteConnection,
    key: i64,
    session: &SessionId,
    limit: Option<u32>,
    bytes_max: usize,
) -> Result<Vec<Message>, StoreError> {
    let limit = limit.map_or(-1, i64::from);
    let mut rows =
        sqlx::query(sql::NEWEST_MESSAGES).bind(key).bind(limit).fetch_all(&mut *connection).await?;
    rows.reverse();
    let rows = rows.iter().map(decode::message).collect::<Result<Vec<MessageRow>, _>>()?;
    let mut cut = Cut::new(bytes_max);
    for some in rows.chunks(READ_AHEAD) {
        read_parts(connection, key, session, some, &mut cut).await?;
    }
    Ok(cut.finish())
}

/// A message, with the key of its session.
async fn read_message(
    connection: &mut SqliteConnection,
    session: &SessionId,
    message: &MessageId,
) -> Result<Option<(i64, MessageRow)>, StoreError> {
    let row = sqlx::query(sql::MESSAGE)
        .bind(session.as_str().to_owned())
        .bind(message.as_str().to_owned())
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some((Columns::new("message", &row).get("key")?, decode::message(&row)?)))
}

/// Hands consecutive messages with their parts to `cut`.
async fn read_parts(
    connection: &mut SqliteConnection,
    key: i64,
    session: &SessionId,
    messages: &[MessageRow],
    cut: &mut Cut,
) -> Result<(), StoreError> {
    let (Some(first), Some(last)) = (messages.first(), messages.last()) else { return Ok(()) };
    let rows = sqlx::query(sql::PARTS_BETWEEN)
        .bind(key)
        .bind(first.position)
        .bind(last.position)
        .fetch_all(&mut *connection)
        .await?;
    let mut rows = rows.iter().peekable();
    for message in messages {
        cut.message(message.info.clone());
        while let Some(row) = rows.peek() {
            let columns = Columns::new("part", row);
            if columns.get::<i64>("message")? != message.position {
                break;
            }
            let bytes = columns.get::<&str>("body")?.len();
            let mut part = decode::part(session, message.info.id(), row)?;
            let chunks = if part.open { chunks(connection, key, &part).await? } else { Vec::new() };
            if !chunks.is_empty() {
                decode::join(&mut part, &chunks)?;
            }
            cut.part(part.part, bytes, chunks.iter().map(|chunk| chunk.text.as_str()));
            rows.next();
        }
    }
    Ok(())
}

/// What an open part has grown by, in order.
async fn chunks(
    connection: &mut SqliteConnection,
    key: i64,
    part: &PartRow,
) -> Result<Vec<ChunkRow>, StoreError> {
    let rows = sqlx::query(sql::CHUNKS_OF)
        .bind(key)
        .bind(part.message)
        .bind(part.position)
        .fetch_all(connection)
        .await?;
    rows.iter().map(decode::chunk).collect()
}

/// What the open ones of these parts have grown by.
pub(crate) async fn open_chunks(
    connection: &mut SqliteConnection,
    key: i64,
    parts: &[PartRow],
) -> Result<Vec<ChunkRow>, StoreError> {
    let mut all = Vec::new();
    for part in parts.iter().filter(|part| part.open) {
        all.extend(chunks(connection, key, part).await?);
    }
    Ok(all)
}

/// The parts of these messages.
pub(crate) async fn parts_of(
    connection: &mut SqliteConnection,
    key: i64,
    session: &SessionId,
    messages: &[MessageRow],
) -> Result<Vec<PartRow>, StoreError> {
    let positions: Vec<i64> = messages.iter().map(|message| message.position).collect();
    let positions = serde_json::to_string(&positions)?;
    let rows = sqlx::query(sql::PARTS_OF).bind(key).bind(positions).fetch_all(connection).await?;
    let mut parts = Vec::with_capacity(rows.len());
    for row in &rows {
        let position: i64 = Columns::new("part", row).get("message")?;
        if let Some(message) = messages.iter().find(|message| message.position == position) {
            parts.push(decode::part(session, message.info.id(), row)?);
        }
    }
    Ok(parts)
}
