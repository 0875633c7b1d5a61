//! Permissions people gave for more than one session: which stand, taking one back.

use openscience_core::answer;
use openscience_protocol::decision::StandingGrant;

use crate::Runtime;
use crate::error::GrantError;
use crate::request::Selected;

impl Runtime {
    /// Grants that reach the project, oldest first.
    pub async fn standing_grants(&self, project: &Selected) -> Result<Vec<StandingGrant>, GrantError> {
        let rows = self.0.store.standing_grants(&project.id).await?;
        Ok(rows.iter().filter_map(answer::standing).collect())
    }

    /// Takes a grant back: the next request it would have covered is asked.
    pub async fn revoke_grant(&self, project: &Selected, id: &str) -> Result<(), GrantError> {
        let revoked = self.0.store.revoke_grant(&project.id, id).await?;
        if revoked { Ok(()) } else { Err(GrantError::NotFound) }
    }
}
