//! Permissions people gave for more than once: which reach a session, which stand, taking one back.

use openscience_protocol::row::GrantRow;
use openscience_protocol::{ProjectId, SessionId};

use crate::error::StoreError;
use crate::writer::Small;
use crate::{Store, decode, sql};

impl Store {
    /// Grants that reach the session, oldest first.
    pub async fn grants(&self, session: &SessionId) -> Result<Vec<GrantRow>, StoreError> {
        let rows =
            sqlx::query(sql::GRANTS).bind(session.as_str().to_owned()).fetch_all(&self.0.readers).await?;
        rows.iter().map(decode::grant).collect()
    }

    /// Grants that outlive sessions and reach the project, oldest first.
    pub async fn standing_grants(&self, project: &ProjectId) -> Result<Vec<GrantRow>, StoreError> {
        let rows = sqlx::query(sql::STANDING_GRANTS)
            .bind(project.as_str().to_owned())
            .fetch_all(&self.0.readers)
            .await?;
        rows.iter().map(decode::grant).collect()
    }

    /// Takes a standing grant back; false if there is none of that id. No append that relies on it and
    /// comes later is written.
    pub async fn revoke_grant(&self, project: &ProjectId, id: &str) -> Result<bool, StoreError> {
        let row = serde_json::to_string(&(id, project))?;
        self.small(Small { sql: sql::REVOKE_GRANT, row }).await
    }
}
