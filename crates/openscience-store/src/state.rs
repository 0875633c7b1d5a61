//! All that a session's read model is derived from, at one moment.

use openscience_protocol::SessionId;
use openscience_protocol::row::StateRows;

use crate::error::StoreError;
use crate::messages::{LIST_BYTES_MAX, messages_of};
use crate::runs::read_session;
use crate::{Store, decode, sql};

impl Store {
    /// The rows of the read model; none if there is no such session. Messages are cut as in a list of them.
    pub async fn state(&self, session: &SessionId) -> Result<Option<StateRows>, StoreError> {
        let mut moment = self.0.readers.begin().await?;
        let Some(keyed) = read_session(&mut moment, session).await? else { return Ok(None) };
        let key = keyed.key;
        let messages = messages_of(&mut moment, key, session, None, LIST_BYTES_MAX).await?;
        let turns = sqlx::query(sql::TURNS).bind(key).fetch_all(&mut *moment).await?;
        let decisions = sqlx::query(sql::DECISIONS).bind(key).fetch_all(&mut *moment).await?;
        let terminals = sqlx::query(sql::TERMINALS).bind(key).fetch_all(&mut *moment).await?;
        moment.rollback().await?;
        Ok(Some(StateRows {
            session: keyed.row,
            messages,
            turns: turns.iter().map(decode::turn).collect::<Result<_, _>>()?,
            decisions: decisions.iter().map(decode::decision).collect::<Result<_, _>>()?,
            terminals: terminals.iter().map(decode::terminal).collect::<Result<_, _>>()?,
        }))
    }
}
