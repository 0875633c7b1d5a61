//! Sessions and projects: made, found, listed, deleted.

use std::collections::{HashMap, HashSet};

use openscience_protocol::row::SessionRow;
use openscience_protocol::{AgentId, Millis, OwnerId, Project, ProjectId, RunId, SessionId};
use sqlx::sqlite::SqliteRow;
use sqlx::{Row, SqliteConnection};

use crate::decode::{self, Columns};
use crate::encode;
use crate::error::StoreError;
use crate::writer::{CreateRequest, NewSession, Op, Request, Small};
use crate::{Store, sql};

/// Sessions read at once while a title is searched: the search is done here, because SQLite folds
/// the case of ASCII only.
const SEARCH_PAGE: i64 = 256;

/// What became of the creation of a session.
#[derive(Debug, Clone, PartialEq)]
pub enum Creation {
    /// It was made; its counters are 0.
    New(SessionRow),
    /// There was one of that id already, which may differ in everything else.
    Existing(SessionRow),
    /// There was one of that id, and its id is never used again.
    Deleted,
}

/// Which sessions of a project to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionQuery {
    /// Only sessions without a parent.
    pub roots: bool,
    /// Only sessions updated at or after this time.
    pub updated_since: Option<Millis>,
    /// Part of the title, in any case.
    pub search: Option<String>,
    pub limit: Option<u32>,
    /// Only sessions created before this one; it may be deleted.
    pub before: Option<SessionId>,
    /// Only sessions of this agent.
    pub agent: Option<AgentId>,
}

impl Store {
    /// Makes the session, or finds the one of that id.
    pub async fn create_session(&self, row: SessionRow) -> Result<Creation, StoreError> {
        let row = SessionRow { revision: 0, latest_sequence: 0, latest_message: 0, deleting: false, ..row };
        let encoded = encode::new_session(&row)?;
        let (request, answer) = Request::new(NewSession { row, encoded });
        self.send(Op::Create(Box::new(request))).await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// Removes all rows of the session and keeps its id. Fine if it does not exist.
    pub async fn delete_session(&self, session: &SessionId, now: Millis) -> Result<(), StoreError> {
        let (request, answer) = Request::new((session.clone(), now));
        self.send(Op::Delete(request)).await?;
        answer.await.unwrap_or(Err(StoreError::Closed))
    }

    /// The session, unless it was deleted.
    pub async fn session(&self, session: &SessionId) -> Result<Option<SessionRow>, StoreError> {
        let row = sqlx::query(sql::SESSION)
            .bind(session.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        Ok(row.as_ref().map(decode::session).transpose()?.map(|keyed| keyed.row))
    }

    /// The session of the project that holds that conversation of the agent.
    pub async fn session_of_agent(
        &self,
        project: &ProjectId,
        agent: &AgentId,
        agent_session: &str,
    ) -> Result<Option<SessionRow>, StoreError> {
        let row = sqlx::query(sql::SESSION_OF_AGENT)
            .bind(project.as_str().to_owned())
            .bind(agent.as_str().to_owned())
            .bind(agent_session.to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        Ok(row.as_ref().map(decode::session).transpose()?.map(|keyed| keyed.row))
    }

    /// True if there was such a session and it was deleted.
    pub async fn tombstone(&self, session: &SessionId) -> Result<bool, StoreError> {
        let row = sqlx::query(sql::SESSION_TOMBSTONE)
            .bind(session.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        Ok(row.is_some())
    }

    /// Sessions of the project, newest created first.
    pub async fn list_sessions(
        &self,
        project: &ProjectId,
        query: &SessionQuery,
    ) -> Result<Vec<SessionRow>, StoreError> {
        let mut before = match &query.before {
            Some(session) => self.session_key(session).await?.unwrap_or(0),
            None => i64::MAX,
        };
        let limit = query.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let search = query.search.as_ref().map(|text| text.to_lowercase());
        let page = match (&search, query.limit) {
            (Some(_), _) => SEARCH_PAGE,
            (None, Some(limit)) => i64::from(limit),
            (None, None) => -1,
        };
        let mut found = Vec::new();
        loop {
            let rows = sqlx::query(sql::LIST_SESSIONS)
                .bind(project.as_str().to_owned())
                .bind(query.roots)
                .bind(query.updated_since)
                .bind(before)
                .bind(page)
                .bind(query.agent.as_ref().map(|agent| agent.as_str().to_owned()))
                .fetch_all(&self.0.readers)
                .await?;
            for row in &rows {
                let session = decode::session(row)?;
                before = session.key;
                let matches = |text: &String| session.row.title.to_lowercase().contains(text);
                if search.as_ref().is_none_or(matches) {
                    found.push(session.row);
                }
                if found.len() >= limit {
                    return Ok(found);
                }
            }
            if search.is_none() || i64::try_from(rows.len()).is_ok_and(|len| len < page) {
                return Ok(found);
            }
        }
    }

    /// Sessions made from this one, newest created first.
    pub async fn children(&self, session: &SessionId) -> Result<Vec<SessionRow>, StoreError> {
        let rows =
            sqlx::query(sql::CHILDREN).bind(session.as_str().to_owned()).fetch_all(&self.0.readers).await?;
        rows.iter().map(|row| Ok(decode::session(row)?.row)).collect()
    }

    /// Runs that are not terminal, of one project or of all, with the process that owns each.
    pub async fn live_sessions(
        &self,
        project: Option<&ProjectId>,
    ) -> Result<Vec<(SessionId, OwnerId, RunId)>, StoreError> {
        let rows = sqlx::query(sql::LIVE_SESSIONS)
            .bind(project.map(|id| id.as_str().to_owned()))
            .fetch_all(&self.0.readers)
            .await?;
        let live = |row: &SqliteRow| {
            let columns = Columns::new("run", row);
            Ok((columns.word("session")?, columns.word("owner")?, columns.word("id")?))
        };
        rows.iter().map(live).collect()
    }

    /// Remembers a project. One that is known stays as it is, and costs a read only.
    pub async fn record_project(&self, project: &Project) -> Result<(), StoreError> {
        if self.project(&project.id).await?.is_none() {
            let row = encode::project(project)?;
            self.small(Small { sql: sql::INSERT_PROJECT, row }).await?;
        }
        Ok(())
    }

    /// All known projects, in the order they were first selected.
    pub async fn projects(&self) -> Result<Vec<Project>, StoreError> {
        let rows = sqlx::query(sql::PROJECTS).fetch_all(&self.0.readers).await?;
        rows.iter().map(decode::project).collect()
    }

    pub async fn project(&self, project: &ProjectId) -> Result<Option<Project>, StoreError> {
        let row = sqlx::query(sql::PROJECT)
            .bind(project.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        row.as_ref().map(decode::project).transpose()
    }

    /// Sessions whose deletion was asked for and is not done.
    pub async fn deleting_sessions(&self) -> Result<Vec<SessionId>, StoreError> {
        let rows = sqlx::query(sql::DELETING_SESSIONS).fetch_all(&self.0.readers).await?;
        rows.iter().map(|row| Columns::new("session", row).word("id")).collect()
    }

    pub(crate) async fn session_key(&self, session: &SessionId) -> Result<Option<i64>, StoreError> {
        let key = sqlx::query_scalar(sql::SESSION_KEY)
            .bind(session.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        Ok(key)
    }
}

/// Makes those sessions whose id is free, and notes all outcomes.
pub(crate) async fn create(
    connection: &mut SqliteConnection,
    requests: &mut [CreateRequest],
) -> Result<(), StoreError> {
    if requests.is_empty() {
        return Ok(());
    }
    let rows: Vec<&str> = requests.iter().map(|request| request.input.encoded.as_str()).collect();
    let rows = format!("[{}]", rows.join(","));
    let made = sqlx::query(sql::INSERT_SESSIONS).bind(rows).fetch_all(&mut *connection).await?;
    let made: HashSet<String> = made.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?;
    let taken: Vec<&str> = requests
        .iter()
        .map(|request| request.input.row.id.as_str())
        .filter(|id| !made.contains(*id))
        .collect();
    let mut existing = read(connection, &taken).await?;
    for request in requests {
        let row = &request.input.row;
        request.outcome = Some(Ok(if made.contains(row.id.as_str()) {
            Creation::New(row.clone())
        } else {
            existing.remove(row.id.as_str()).map_or(Creation::Deleted, Creation::Existing)
        }));
    }
    Ok(())
}

/// Sessions by id, those that were deleted left out.
async fn read(
    connection: &mut SqliteConnection,
    ids: &[&str],
) -> Result<HashMap<String, SessionRow>, StoreError> {
    if ids.is_empty() {
        return Ok(HashMap::new());
    }
    let ids = serde_json::to_string(ids)?;
    let rows = sqlx::query(sql::SESSIONS_BY_ID).bind(ids).fetch_all(connection).await?;
    let mut sessions = HashMap::new();
    for row in &rows {
        let session = decode::session(row)?.row;
        sessions.insert(session.id.as_str().to_owned(), session);
    }
    Ok(sessions)
}

/// Removes the rows of a session, those that refer to others first, and leaves a tombstone.
pub(crate) async fn delete(
    connection: &mut SqliteConnection,
    session: &SessionId,
    now: Millis,
) -> Result<(), StoreError> {
    const CHILDREN_FIRST: [&str; 11] = [
        sql::DELETE_SESSION_EVENTS,
        sql::DELETE_SESSION_DECISIONS,
        sql::DELETE_SESSION_TERMINALS,
        sql::DELETE_SESSION_GRANTS,
        sql::DELETE_SESSION_CLAIMS,
        sql::DELETE_SESSION_TURNS,
        sql::DELETE_SESSION_FOLLOW_UPS,
        sql::DELETE_SESSION_RUNS,
        sql::DELETE_SESSION_CHUNKS,
        sql::DELETE_SESSION_PARTS,
        sql::DELETE_SESSION_MESSAGES,
    ];
    for statement in CHILDREN_FIRST {
        sqlx::query(statement).bind(session.as_str().to_owned()).execute(&mut *connection).await?;
    }
    let bury = sqlx::query(sql::BURY_SESSION).bind(session.as_str().to_owned()).bind(now);
    bury.execute(connection).await?;
    Ok(())
}
