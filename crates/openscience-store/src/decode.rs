//! Stored rows into the words of the protocol. A row that breaks an invariant is an error that
//! names table, column and row.

use openscience_protocol::artifact::{CaptureQuality, ClaimState};
use openscience_protocol::message::{Part, PartBody};
use openscience_protocol::row::{
    ChunkRow, ClaimRow, DecisionRow, DecisionState, GrantRow, GrantScope, MessageRow, PartRow, Receipt,
    RunRow, SessionRow, TerminalRow, TurnRow, VersionRow,
};
use openscience_protocol::run::TurnState;
use openscience_protocol::session::ProjectTime;
use openscience_protocol::{MessageId, Project, SessionId};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde::de::IntoDeserializer;
use serde::de::value::{Error as WordError, StrDeserializer};
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Row, Sqlite, Type};

use crate::artifacts::{NumberedVersion, ResultRow};
use crate::error::StoreError;

/// One row of a table, read column by column.
pub(crate) struct Columns<'r> {
    table: &'static str,
    row: &'r SqliteRow,
}

impl<'r> Columns<'r> {
    pub(crate) fn new(table: &'static str, row: &'r SqliteRow) -> Self {
        Self { table, row }
    }

    /// The error that this column is not as it must be.
    pub(crate) fn corrupt(&self, column: &'static str) -> StoreError {
        let mut names = Vec::new();
        for key in ["id", "message", "part", "position", "offset", "sequence"] {
            if let Ok(number) = self.row.try_get::<i64, _>(key) {
                names.push(format!("{key} {number}"));
            } else if let Ok(text) = self.row.try_get::<&str, _>(key) {
                names.push(text.to_owned());
            }
        }
        StoreError::Corrupt { table: self.table, column, row: names.join(", ") }
    }

    /// A number, a text or an optional one of them.
    pub(crate) fn get<T: Decode<'r, Sqlite> + Type<Sqlite>>(
        &self,
        column: &'static str,
    ) -> Result<T, StoreError> {
        self.row.try_get(column).map_err(|_| self.corrupt(column))
    }

    /// A word: an id or a state.
    pub(crate) fn word<T: Deserialize<'r>>(&self, column: &'static str) -> Result<T, StoreError> {
        let text: &str = self.get(column)?;
        self.parse(column, text)
    }

    fn word_or_null<T: Deserialize<'r>>(&self, column: &'static str) -> Result<Option<T>, StoreError> {
        let text: Option<&str> = self.get(column)?;
        text.map(|text| self.parse(column, text)).transpose()
    }

    fn parse<T: Deserialize<'r>>(&self, column: &'static str, text: &'r str) -> Result<T, StoreError> {
        let deserializer: StrDeserializer<'r, WordError> = text.into_deserializer();
        T::deserialize(deserializer).map_err(|_| self.corrupt(column))
    }

    fn json<T: DeserializeOwned>(&self, column: &'static str) -> Result<T, StoreError> {
        let text: &str = self.get(column)?;
        serde_json::from_str(text).map_err(|_| self.corrupt(column))
    }

    fn json_or_null<T: DeserializeOwned>(&self, column: &'static str) -> Result<Option<T>, StoreError> {
        let text: Option<&str> = self.get(column)?;
        text.map(|text| serde_json::from_str(text).map_err(|_| self.corrupt(column))).transpose()
    }

    fn unsigned(&self, column: &'static str) -> Result<u64, StoreError> {
        let number: i64 = self.get(column)?;
        number.try_into().map_err(|_| self.corrupt(column))
    }
}

/// A session and the key its rows are stored under.
#[derive(Debug)]
pub(crate) struct Keyed {
    pub(crate) key: i64,
    pub(crate) row: SessionRow,
}

pub(crate) fn session(row: &SqliteRow) -> Result<Keyed, StoreError> {
    let columns = Columns::new("session", row);
    let deadline_ms: Option<i64> = columns.get("deadline_ms")?;
    let deadline_ms =
        deadline_ms.map(u64::try_from).transpose().map_err(|_| columns.corrupt("deadline_ms"))?;
    let row = SessionRow {
        id: columns.word("id")?,
        project_id: columns.word("project_id")?,
        directory: columns.get("directory")?,
        workspace: columns.word("workspace")?,
        parent_id: columns.word_or_null("parent_id")?,
        title: columns.get("title")?,
        agent: columns.word("agent")?,
        permission: columns.json_or_null("permission")?,
        deadline_ms,
        version: columns.get("version")?,
        created: columns.get("created")?,
        updated: columns.get("updated")?,
        archived: columns.get("archived")?,
        pinned: columns.get("pinned")?,
        deleting: columns.get("deleting")?,
        revision: columns.get("revision")?,
        latest_sequence: columns.get("latest_sequence")?,
        latest_message: columns.get("latest_message")?,
        meta: columns.json("meta")?,
    };
    Ok(Keyed { key: columns.get("key")?, row })
}

pub(crate) fn project(row: &SqliteRow) -> Result<Project, StoreError> {
    let columns = Columns::new("project", row);
    Ok(Project {
        id: columns.word("id")?,
        worktree: columns.get("worktree")?,
        vcs: columns.get("vcs")?,
        name: columns.get("name")?,
        origin: "openscience".to_owned(),
        time: ProjectTime { created: columns.get("created")?, updated: columns.get("updated")? },
        sandboxes: Vec::new(),
    })
}

pub(crate) fn run(row: &SqliteRow) -> Result<RunRow, StoreError> {
    let columns = Columns::new("run", row);
    Ok(RunRow {
        id: columns.word("id")?,
        request_id: columns.get("request_id")?,
        fingerprint: columns.get("fingerprint")?,
        message_id: columns.word("message_id")?,
        turn_id: columns.word("turn_id")?,
        state: columns.word("state")?,
        effort: columns.word("effort")?,
        agent: columns.word("agent")?,
        owner: columns.word("owner")?,
        accepted_at: columns.get("accepted_at")?,
        updated_at: columns.get("updated_at")?,
        completed_at: columns.get("completed_at")?,
        result_message_id: columns.word_or_null("result_message_id")?,
        error: columns.json_or_null("error")?,
        stop_reason: columns.get("stop_reason")?,
        cancel: columns.word_or_null("cancel")?,
        stop_at: columns.get("stop_at")?,
        deadline_at: columns.get("deadline_at")?,
        agent_still_running: columns.get("agent_still_running")?,
        context_reset: columns.get::<Option<bool>>("context_reset")?.unwrap_or_default(),
    })
}

pub(crate) fn receipt(row: &SqliteRow) -> Result<Receipt, StoreError> {
    let columns = Columns::new("run", row);
    Ok(Receipt {
        id: columns.word("id")?,
        run_id: columns.word("run_id")?,
        fingerprint: columns.get("fingerprint")?,
        message_id: columns.word("message_id")?,
        accepted_at: columns.get("accepted_at")?,
        turn_id: columns.word_or_null("turn_id")?,
    })
}

pub(crate) fn turn(row: &SqliteRow) -> Result<TurnRow, StoreError> {
    let columns = Columns::new("turn", row);
    Ok(TurnRow {
        id: columns.word("id")?,
        run_id: columns.word("run_id")?,
        message_id: columns.word("message_id")?,
        state: columns.word::<TurnState>("state")?,
        rank: columns.get("rank")?,
        settings: columns.json("settings")?,
        queued_at: columns.get("queued_at")?,
        started_at: columns.get("started_at")?,
        sent_at: columns.get("sent_at")?,
        active_at: columns.get("active_at")?,
        cancel_at: columns.get("cancel_at")?,
        ended_at: columns.get("ended_at")?,
        into_turn_id: columns.word_or_null("into_turn_id")?,
        stop_reason: columns.get("stop_reason")?,
        error: columns.json_or_null("error")?,
        refused: columns.get("refused")?,
        instead: columns.get("instead")?,
        escalated_at: columns.get("escalated_at")?,
        artifact_run: columns.word_or_null("artifact_run")?,
    })
}

pub(crate) fn decision(row: &SqliteRow) -> Result<DecisionRow, StoreError> {
    let columns = Columns::new("decision", row);
    let state: &str = columns.get("state")?;
    Ok(DecisionRow {
        id: columns.word("id")?,
        run_id: columns.word("run_id")?,
        request: columns.json("request")?,
        state: DecisionState::parse(state).ok_or_else(|| columns.corrupt("state"))?,
        reply: columns.word_or_null("reply")?,
        message: columns.get("message")?,
        answers: columns.json_or_null("answers")?,
        actor: columns.word_or_null("actor")?,
        close_reason: columns.word_or_null("close_reason")?,
        asked_at: columns.get("asked_at")?,
        decided_at: columns.get("decided_at")?,
    })
}

pub(crate) fn grant(row: &SqliteRow) -> Result<GrantRow, StoreError> {
    let columns = Columns::new("grant", row);
    let scope: &str = columns.get("scope")?;
    Ok(GrantRow {
        id: columns.get("id")?,
        scope: GrantScope::parse(scope).ok_or_else(|| columns.corrupt("scope"))?,
        permission: columns.get("permission")?,
        pattern: columns.get("pattern")?,
        created: columns.get("created")?,
    })
}

pub(crate) fn terminal(row: &SqliteRow) -> Result<TerminalRow, StoreError> {
    let columns = Columns::new("terminal", row);
    Ok(TerminalRow {
        id: columns.get("id")?,
        command: columns.get("command")?,
        cwd: columns.get("cwd")?,
        output: columns.get("output")?,
        truncated: columns.get("truncated")?,
        exit_code: columns.get("exit_code")?,
        signal: columns.get("signal")?,
        created: columns.get("created")?,
        updated: columns.get("updated")?,
        completed: columns.get("completed")?,
        stop_requested: columns.get("stop_requested")?,
        released: columns.get("released")?,
        revision: columns.get("revision")?,
    })
}

pub(crate) fn claim(row: &SqliteRow) -> Result<ClaimRow, StoreError> {
    let columns = Columns::new("claim", row);
    let state: &str = columns.get("state")?;
    Ok(ClaimRow {
        id: columns.word("claim")?,
        run_id: columns.word("run_id")?,
        turn_id: columns.word("turn_id")?,
        artifact_run: columns.word("claim_run")?,
        message_id: columns.word("claim_message")?,
        state: ClaimState::parse(state).ok_or_else(|| columns.corrupt("state"))?,
        reason: columns.get("reason")?,
        owner: columns.word("owner")?,
        created: columns.get("claim_created")?,
        updated: columns.get("claim_updated")?,
    })
}

/// The claim of a row that may have none.
pub(crate) fn claim_or_null(row: &SqliteRow) -> Result<Option<ClaimRow>, StoreError> {
    let id: Option<&str> = Columns::new("claim", row).get("claim")?;
    id.map(|_| claim(row)).transpose()
}

/// A version and its number.
pub(crate) fn version(row: &SqliteRow) -> Result<NumberedVersion, StoreError> {
    let columns = Columns::new("version", row);
    let capture: &str = columns.get("capture")?;
    let version = VersionRow {
        id: columns.word("id")?,
        artifact_id: columns.word("result")?,
        project_id: columns.word("project_id")?,
        session_id: columns.word("session_id")?,
        claim_id: columns.word_or_null("claim_id")?,
        artifact_run: columns.word_or_null("artifact_run")?,
        message_id: columns.word_or_null("message_id")?,
        write: columns.unsigned("write")?,
        name: columns.get("name")?,
        mime_type: columns.get("mime_type")?,
        size: columns.unsigned("size")?,
        sha256: columns.get("sha256")?,
        mtime: columns.get("mtime")?,
        source_path: columns.get("source_path")?,
        capture: CaptureQuality::parse(capture).ok_or_else(|| columns.corrupt("capture"))?,
        replaced: columns.get("replaced")?,
        title: columns.get("title")?,
        kind: columns.get("kind")?,
        summary: columns.get("summary")?,
        created: columns.get("created")?,
    };
    Ok(NumberedVersion { number: columns.get("number")?, row: version })
}

/// A Result with its newest version.
pub(crate) fn result(row: &SqliteRow) -> Result<ResultRow, StoreError> {
    let columns = Columns::new("result", row);
    Ok(ResultRow {
        created: columns.get("result_created")?,
        updated: columns.get("updated")?,
        trashed: columns.get("trashed")?,
        versions: columns.get("versions")?,
        current: version(row)?,
    })
}

pub(crate) fn message(row: &SqliteRow) -> Result<MessageRow, StoreError> {
    let columns = Columns::new("message", row);
    Ok(MessageRow { position: columns.get("position")?, info: columns.json("info")? })
}

/// A part of `message`, which belongs to `session`.
pub(crate) fn part(session: &SessionId, message: &MessageId, row: &SqliteRow) -> Result<PartRow, StoreError> {
    let columns = Columns::new("part", row);
    Ok(PartRow {
        message: columns.get("message")?,
        position: columns.get("position")?,
        part: Part {
            id: columns.word("id")?,
            session_id: session.clone(),
            message_id: message.clone(),
            body: columns.json("body")?,
        },
        open: columns.get("open")?,
    })
}

pub(crate) fn chunk(row: &SqliteRow) -> Result<ChunkRow, StoreError> {
    let columns = Columns::new("part_chunk", row);
    Ok(ChunkRow {
        message: columns.get("message")?,
        part: columns.get("part")?,
        offset: columns.unsigned("offset")?,
        text: columns.get("text")?,
    })
}

/// Adds its chunks to an open part; each must continue exactly where the text stands.
pub(crate) fn join(part: &mut PartRow, chunks: &[ChunkRow]) -> Result<(), StoreError> {
    let Some(text) = text_of(&mut part.part.body) else { return Ok(()) };
    let mut units = text.encode_utf16().count() as u64;
    for chunk in chunks {
        if chunk.offset != units {
            return Err(StoreError::Corrupt {
                table: "part_chunk",
                column: "offset",
                row: format!("{}, offset {}", part.part.id, chunk.offset),
            });
        }
        text.push_str(&chunk.text);
        units += chunk.text.encode_utf16().count() as u64;
    }
    Ok(())
}

/// The text of a part that can grow.
fn text_of(body: &mut PartBody) -> Option<&mut String> {
    match body {
        PartBody::Text(part) => Some(&mut part.text),
        PartBody::Reasoning(part) => Some(&mut part.text),
        PartBody::File(_)
        | PartBody::Tool(_)
        | PartBody::StepStart(_)
        | PartBody::StepFinish(_)
        | PartBody::Agent(_)
        | PartBody::Conversation(_)
        | PartBody::Subtask(_)
        | PartBody::Compaction(_) => None,
    }
}
