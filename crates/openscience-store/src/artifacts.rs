//! Claims, files of sessions, and Results with their versions: found, listed, put away.
//!
//! Where the bytes are is not known here.

use openscience_protocol::row::{ClaimRow, VersionRow};
use openscience_protocol::{ArtifactId, ArtifactRunId, ClaimId, Millis, ProjectId, SessionId, VersionId};
use sqlx::sqlite::SqliteRow;

use crate::decode::{self, Columns};
use crate::error::StoreError;
use crate::writer::Small;
use crate::{Store, encode, sql};

/// A version as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumberedVersion {
    /// 1 for the first of its Result.
    pub number: i64,
    pub row: VersionRow,
}

/// A Result as it is kept, with its newest version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResultRow {
    pub created: Millis,
    pub updated: Millis,
    pub trashed: Option<Millis>,
    pub versions: i64,
    pub current: NumberedVersion,
}

/// A file of a turn, with its claim as long as its session is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionFile {
    pub version: VersionRow,
    pub claim: Option<ClaimRow>,
}

impl Store {
    /// A claim and its session.
    pub async fn claim(&self, claim: &ClaimId) -> Result<Option<(SessionId, ClaimRow)>, StoreError> {
        let row =
            sqlx::query(sql::CLAIM).bind(claim.as_str().to_owned()).fetch_optional(&self.0.readers).await?;
        row.as_ref().map(session_claim).transpose()
    }

    /// True if the files of that run are claimed.
    pub async fn is_claimed(&self, session: &SessionId, run: &ArtifactRunId) -> Result<bool, StoreError> {
        let row = sqlx::query(sql::CLAIM_OF_RUN)
            .bind(session.as_str().to_owned())
            .bind(run.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        Ok(row.is_some())
    }

    /// Pending claims whose process is gone, oldest first.
    pub async fn left_claims(&self) -> Result<Vec<(SessionId, ClaimRow)>, StoreError> {
        let rows = sqlx::query(sql::LEFT_CLAIMS).fetch_all(&self.0.readers).await?;
        rows.iter().map(session_claim).collect()
    }

    /// Every version that came with the claim, in the order they were written.
    pub async fn claimed_versions(
        &self,
        session: &SessionId,
        claim: &ClaimId,
    ) -> Result<Vec<VersionRow>, StoreError> {
        let rows = sqlx::query(sql::VERSIONS_OF_CLAIM)
            .bind(session.as_str().to_owned())
            .bind(claim.as_str().to_owned())
            .fetch_all(&self.0.readers)
            .await?;
        rows.iter().map(|row| Ok(decode::version(row)?.row)).collect()
    }

    /// Files of the session's turns, oldest first, those after `after` only.
    pub async fn session_files(
        &self,
        session: &SessionId,
        after: Option<&VersionId>,
        limit: Option<u32>,
    ) -> Result<Vec<SessionFile>, StoreError> {
        let rows = sqlx::query(sql::SESSION_FILES)
            .bind(session.as_str().to_owned())
            .bind(after.map(|id| id.as_str().to_owned()))
            .bind(limit.map_or(-1, i64::from))
            .fetch_all(&self.0.readers)
            .await?;
        rows.iter().map(session_file).collect()
    }

    /// The file of that name which a message, or a turn while it is pending, has. The session may be gone.
    pub async fn session_file(
        &self,
        project: &ProjectId,
        session: &SessionId,
        owner: &str,
        name: &str,
    ) -> Result<Option<SessionFile>, StoreError> {
        let row = sqlx::query(sql::SESSION_FILE)
            .bind(session.as_str().to_owned())
            .bind(owner.to_owned())
            .bind(name.to_owned())
            .bind(project.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        row.as_ref().map(session_file).transpose()
    }

    /// Records a version outside a turn.
    pub async fn record_version(&self, version: &VersionRow) -> Result<(), StoreError> {
        let rows = |tail: &encode::Tail| format!("[[0{}]]", tail.as_str());
        let result = rows(&encode::result(version)?);
        let version = rows(&encode::version(version)?);
        // A Result without a version is shown to nobody, and its next version completes it.
        self.small(Small { sql: sql::UPSERT_RESULTS, row: result }).await?;
        self.small(Small { sql: sql::INSERT_VERSIONS, row: version }).await?;
        Ok(())
    }

    /// Results of the project, the newest first: those that are kept, or those in the trash.
    pub async fn results(&self, project: &ProjectId, trash: bool) -> Result<Vec<ResultRow>, StoreError> {
        let rows = sqlx::query(sql::RESULTS)
            .bind(project.as_str().to_owned())
            .bind(trash)
            .fetch_all(&self.0.readers)
            .await?;
        rows.iter().map(decode::result).collect()
    }

    /// One Result of the project.
    pub async fn result(
        &self,
        project: &ProjectId,
        id: &ArtifactId,
    ) -> Result<Option<ResultRow>, StoreError> {
        let row = sqlx::query(sql::RESULT)
            .bind(id.as_str().to_owned())
            .bind(project.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        row.as_ref().map(decode::result).transpose()
    }

    /// Every version of a Result, the newest first.
    pub async fn versions(&self, id: &ArtifactId) -> Result<Vec<NumberedVersion>, StoreError> {
        let rows = sqlx::query(sql::VERSIONS).bind(id.as_str().to_owned()).fetch_all(&self.0.readers).await?;
        rows.iter().map(decode::version).collect()
    }

    /// Gives a Result another title; false if there is none of that id.
    pub async fn rename_result(
        &self,
        project: &ProjectId,
        id: &ArtifactId,
        title: &str,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let row = serde_json::to_string(&(id, project, title, now))?;
        self.small(Small { sql: sql::RENAME_RESULT, row }).await
    }

    /// Puts a Result into the trash; false if it is not there to be put.
    pub async fn trash_result(
        &self,
        project: &ProjectId,
        id: &ArtifactId,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let row = serde_json::to_string(&(id, project, now))?;
        self.small(Small { sql: sql::TRASH_RESULT, row }).await
    }

    /// Takes a Result out of the trash; false if it is not in it.
    pub async fn restore_result(&self, project: &ProjectId, id: &ArtifactId) -> Result<bool, StoreError> {
        let row = serde_json::to_string(&(id, project))?;
        self.small(Small { sql: sql::RESTORE_RESULT, row }).await
    }

    /// Forgets what has been in the trash since before that time. Answers the bytes that no version has any more.
    pub async fn empty_trash(&self, before: Millis) -> Result<Vec<(ProjectId, String)>, StoreError> {
        let rows = sqlx::query(sql::OLD_TRASH).bind(before).fetch_all(&self.0.readers).await?;
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let row = serde_json::to_string(&[before])?;
        self.small(Small { sql: sql::DELETE_OLD_VERSIONS, row: row.clone() }).await?;
        self.small(Small { sql: sql::DELETE_OLD_RESULTS, row }).await?;
        let mut unused = Vec::new();
        for row in &rows {
            let columns = Columns::new("result", row);
            let (project, sha256): (ProjectId, String) =
                (columns.word("project_id")?, columns.get("sha256")?);
            let used = sqlx::query(sql::BYTES_USED)
                .bind(sha256.clone())
                .bind(project.as_str().to_owned())
                .fetch_optional(&self.0.readers)
                .await?;
            if used.is_none() {
                unused.push((project, sha256));
            }
        }
        Ok(unused)
    }
}

fn session_claim(row: &SqliteRow) -> Result<(SessionId, ClaimRow), StoreError> {
    Ok((Columns::new("claim", row).word("session")?, decode::claim(row)?))
}

fn session_file(row: &SqliteRow) -> Result<SessionFile, StoreError> {
    Ok(SessionFile { version: decode::version(row)?.row, claim: decode::claim_or_null(row)? })
}
