//! Runs and decisions as they stand: one receipt, a snapshot, and what a session is restored from.

use openscience_protocol::row::{
    DecisionRow, DecisionState, MessageRow, Receipt, RunRow, SessionRow, SessionRows, TerminalRow, TurnRow,
};
use openscience_protocol::{DecisionId, ProjectId, RunId, SessionId, TurnId};
use sqlx::SqliteConnection;

use crate::decode::{self, Columns, Keyed};
use crate::error::StoreError;
use crate::{Store, messages, sql};

/// Receipts in a snapshot besides the live ones.
const SNAPSHOT_RUNS_MAX: usize = 100;

/// A session at one moment.
#[derive(Debug, Clone, PartialEq)]
pub struct SnapshotRows {
    pub session: SessionRow,
    /// The newest 100 and all that are not terminal, in order of acceptance.
    pub runs: Vec<RunRow>,
    /// Older runs were left out.
    pub truncated: bool,
    /// Decisions that wait for an answer, oldest first.
    pub decisions: Vec<DecisionRow>,
}

impl Store {
    /// What the session's machine is restored from, at one moment. One query if it is at rest.
    pub async fn restore(&self, session: &SessionId) -> Result<Option<SessionRows>, StoreError> {
        let row = sqlx::query(sql::SESSION_AT_WORK)
            .bind(session.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        let Some(row) = row else { return Ok(None) };
        if !Columns::new("session", &row).get::<bool>("at_work")? {
            return Ok(Some(SessionRows::at_rest(decode::session(&row)?.row)));
        }
        let mut moment = self.0.readers.begin().await?;
        let rows = match read_session(&mut moment, session).await? {
            Some(keyed) => Some(at_work(&mut moment, keyed).await?),
            None => None,
        };
        moment.rollback().await?;
        Ok(rows)
    }

    /// The receipt of a run.
    pub async fn run(&self, session: &SessionId, run: &RunId) -> Result<Option<RunRow>, StoreError> {
        let row = sqlx::query(sql::RUN)
            .bind(session.as_str().to_owned())
            .bind(run.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        row.as_ref().map(decode::run).transpose()
    }

    /// The run and the turn of a follow-up, by its own run id.
    pub async fn follow_up(
        &self,
        session: &SessionId,
        id: &RunId,
    ) -> Result<Option<(RunId, TurnId)>, StoreError> {
        let row = sqlx::query(sql::FOLLOW_UP)
            .bind(session.as_str().to_owned())
            .bind(id.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        let row = row.as_ref().map(|row| {
            let columns = Columns::new("follow_up", row);
            Ok::<_, StoreError>((columns.word("run_id")?, columns.word("turn_id")?))
        });
        row.transpose()
    }

    /// The receipt of a run or a follow-up, as admission needs it.
    pub async fn receipt(&self, session: &SessionId, id: &RunId) -> Result<Option<Receipt>, StoreError> {
        let row = sqlx::query(sql::RECEIPT)
            .bind(session.as_str().to_owned())
            .bind(id.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        row.as_ref().map(decode::receipt).transpose()
    }

    /// A turn, whatever became of it.
    pub async fn turn(&self, session: &SessionId, turn: &TurnId) -> Result<Option<TurnRow>, StoreError> {
        let row = sqlx::query(sql::TURN)
            .bind(session.as_str().to_owned())
            .bind(turn.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        row.as_ref().map(decode::turn).transpose()
    }

    /// The session with its newest and live runs and its pending decisions, at one moment.
    pub async fn snapshot(&self, session: &SessionId) -> Result<Option<SnapshotRows>, StoreError> {
        let mut moment = self.0.readers.begin().await?;
        let rows = match read_session(&mut moment, session).await? {
            Some(keyed) => Some(snapshot(&mut moment, keyed).await?),
            None => None,
        };
        moment.rollback().await?;
        Ok(rows)
    }

    /// A decision and its receipt.
    pub async fn decision(
        &self,
        session: &SessionId,
        decision: &DecisionId,
    ) -> Result<Option<DecisionRow>, StoreError> {
        let row = sqlx::query(sql::DECISION)
            .bind(session.as_str().to_owned())
            .bind(decision.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        row.as_ref().map(decode::decision).transpose()
    }

    /// What was allowed in a run, by whomever.
    pub async fn allowed(&self, session: &SessionId, run: &RunId) -> Result<Vec<DecisionRow>, StoreError> {
        let rows = sqlx::query(sql::ALLOWED_DECISIONS)
            .bind(session.as_str().to_owned())
            .bind(run.as_str().to_owned())
            .fetch_all(&self.0.readers)
            .await?;
        rows.iter().map(decode::decision).collect()
    }

    /// A terminal of the session, whatever became of it.
    pub async fn terminal(&self, session: &SessionId, id: &str) -> Result<Option<TerminalRow>, StoreError> {
        let row = sqlx::query(sql::TERMINAL)
            .bind(session.as_str().to_owned())
            .bind(id.to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        row.as_ref().map(decode::terminal).transpose()
    }

    /// The session of the project that the decision belongs to.
    pub async fn decision_session(
        &self,
        project: &ProjectId,
        decision: &DecisionId,
    ) -> Result<Option<SessionId>, StoreError> {
        let row = sqlx::query(sql::DECISION_SESSION)
            .bind(project.as_str().to_owned())
            .bind(decision.as_str().to_owned())
            .fetch_optional(&self.0.readers)
            .await?;
        row.as_ref().map(|row| Columns::new("decision", row).word("id")).transpose()
    }

    /// Decisions of the session that are pending or whose answer is on its way, oldest first.
    pub async fn open_decisions(&self, session: &SessionId) -> Result<Vec<DecisionRow>, StoreError> {
        let Some(key) = self.session_key(session).await? else { return Ok(Vec::new()) };
        let mut connection = self.0.readers.acquire().await?;
        open_decisions(&mut connection, key).await
    }

    /// Decisions of the project's sessions that wait for an answer, oldest first.
    pub async fn pending_decisions(&self, project: &ProjectId) -> Result<Vec<DecisionRow>, StoreError> {
        let rows = sqlx::query(sql::PENDING_DECISIONS)
            .bind(project.as_str().to_owned())
            .fetch_all(&self.0.readers)
            .await?;
        rows.iter().map(decode::decision).collect()
    }
}

/// The session, within a transaction.
pub(crate) async fn read_session(
    connection: &mut SqliteConnection,
    session: &SessionId,
) -> Result<Option<Keyed>, StoreError> {
    let row = sqlx::query(sql::SESSION).bind(session.as_str().to_owned()).fetch_optional(connection).await?;
    row.as_ref().map(decode::session).transpose()
}

async fn at_work(connection: &mut SqliteConnection, session: Keyed) -> Result<SessionRows, StoreError> {
    let Keyed { key, row } = session;
    let runs = live_runs(connection, key).await?;
    let turns = sqlx::query(sql::OPEN_TURNS).bind(key).fetch_all(&mut *connection).await?;
    let turns = turns.iter().map(decode::turn).collect::<Result<Vec<TurnRow>, _>>()?;
    let messages = sqlx::query(sql::LIVE_MESSAGES).bind(key).fetch_all(&mut *connection).await?;
    let messages = messages.iter().map(decode::message).collect::<Result<Vec<MessageRow>, _>>()?;
    let parts = messages::parts_of(connection, key, &row.id, &messages).await?;
    let chunks = messages::open_chunks(connection, key, &parts).await?;
    let decisions = open_decisions(connection, key).await?;
    let terminals = sqlx::query(sql::HELD_TERMINALS).bind(key).fetch_all(&mut *connection).await?;
    let terminals = terminals.iter().map(decode::terminal).collect::<Result<Vec<TerminalRow>, _>>()?;
    let claims = sqlx::query(sql::PENDING_CLAIMS).bind(key).fetch_all(connection).await?;
    let claims = claims.iter().map(decode::claim).collect::<Result<_, _>>()?;
    Ok(SessionRows { session: row, runs, turns, messages, parts, chunks, decisions, terminals, claims })
}

async fn snapshot(connection: &mut SqliteConnection, session: Keyed) -> Result<SnapshotRows, StoreError> {
    let Keyed { key, row } = session;
    // One more than wanted tells whether there are more.
    let wanted = i64::try_from(SNAPSHOT_RUNS_MAX + 1).unwrap_or(i64::MAX);
    let newest = sqlx::query(sql::NEWEST_RUNS).bind(key).bind(wanted).fetch_all(&mut *connection).await?;
    let mut truncated = false;
    let mut runs = Vec::new();
    if newest.len() > SNAPSHOT_RUNS_MAX {
        let first_shown: i64 = match newest.get(SNAPSHOT_RUNS_MAX - 1) {
            Some(row) => Columns::new("run", row).get("seq")?,
            None => 0,
        };
        let live = sqlx::query(sql::LIVE_RUNS).bind(key).fetch_all(&mut *connection).await?;
        for row in &live {
            if Columns::new("run", row).get::<i64>("seq")? < first_shown {
                runs.push(decode::run(row)?);
            }
        }
        let count: i64 = sqlx::query_scalar(sql::RUN_COUNT).bind(key).fetch_one(&mut *connection).await?;
        truncated = usize::try_from(count).is_ok_and(|count| count > runs.len() + SNAPSHOT_RUNS_MAX);
    }
    for row in newest.iter().take(SNAPSHOT_RUNS_MAX).rev() {
        runs.push(decode::run(row)?);
    }
    let mut decisions = open_decisions(connection, key).await?;
    decisions.retain(|decision| decision.state == DecisionState::Pending);
    Ok(SnapshotRows { session: row, runs, truncated, decisions })
}

async fn live_runs(connection: &mut SqliteConnection, key: i64) -> Result<Vec<RunRow>, StoreError> {
    let rows = sqlx::query(sql::LIVE_RUNS).bind(key).fetch_all(connection).await?;
    rows.iter().map(decode::run).collect()
}

/// Decisions that are pending or indeterminate, oldest first.
async fn open_decisions(connection: &mut SqliteConnection, key: i64) -> Result<Vec<DecisionRow>, StoreError> {
    let rows = sqlx::query(sql::OPEN_DECISIONS).bind(key).fetch_all(connection).await?;
    rows.iter().map(decode::decision).collect()
}
