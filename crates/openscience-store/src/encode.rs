//! Rows into the JSON that batch statements take: done by the caller of an append, so the
//! writer only puts pieces together.
//!
//! Each row is the tail of a JSON array; the writer puts the session's key in front of it.

use std::collections::HashMap;
use std::hash::Hash;

use openscience_protocol::row::{
    Append, ChunkRow, ClaimRow, DecisionRow, FollowUpRow, GrantRow, MessageRow, PartRow, RunRow,
    SessionPatch, SessionRow, TerminalRow, TurnRow, VersionRow, Write,
};
use openscience_protocol::{MessageInfo, Millis, Project, SessionId};
use serde::Serialize;

use crate::error::StoreError;

/// The tail of a row: each value with a comma before it.
#[derive(Debug, Default)]
pub(crate) struct Tail(String);

impl Tail {
    /// A column whose JSON form is its SQL form: text, a word, a number, null.
    pub(crate) fn value(mut self, value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        self.0.push(',');
        self.0.push_str(&serde_json::to_string(value)?);
        Ok(self)
    }

    /// A column that holds JSON text.
    fn json(self, value: &impl Serialize) -> Result<Self, serde_json::Error> {
        let text = serde_json::to_string(value)?;
        self.value(&text)
    }

    /// A column that holds JSON text or null.
    fn json_or_null(self, value: Option<&impl Serialize>) -> Result<Self, serde_json::Error> {
        match value {
            Some(value) => self.json(value),
            None => self.value(&()),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// The whole row, for statements that need no key.
    pub(crate) fn into_array(mut self) -> String {
        self.0.replace_range(..1, "[");
        self.0.push(']');
        self.0
    }
}

/// Rows by key: a later one replaces an earlier one, in its place.
#[derive(Debug)]
struct Latest<K> {
    index: HashMap<K, usize>,
    rows: Vec<Tail>,
}

impl<K: Eq + Hash> Latest<K> {
    fn new() -> Self {
        Self { index: HashMap::new(), rows: Vec::new() }
    }

    fn put(&mut self, key: K, row: Tail) {
        let next = self.rows.len();
        let at = *self.index.entry(key).or_insert(next);
        match self.rows.get_mut(at) {
            Some(place) => *place = row,
            None => self.rows.push(row),
        }
    }
}

/// An append, ready for the writer.
#[derive(Debug)]
pub(crate) struct Encoded {
    pub(crate) session: SessionId,
    pub(crate) expected_revision: i64,
    pub(crate) bump: bool,
    pub(crate) new_messages: i64,
    /// After the sequence: type and body.
    pub(crate) events: Vec<Tail>,
    pub(crate) patch: Option<Tail>,
    pub(crate) messages: Vec<Tail>,
    pub(crate) parts: Vec<Tail>,
    /// Parts that are no longer open: message and position.
    pub(crate) closed: Vec<Tail>,
    pub(crate) chunks: Vec<Tail>,
    pub(crate) runs: Vec<Tail>,
    pub(crate) follow_ups: Vec<Tail>,
    pub(crate) turns: Vec<Tail>,
    pub(crate) decisions: Vec<Tail>,
    pub(crate) grants: Vec<Tail>,
    pub(crate) terminals: Vec<Tail>,
    pub(crate) claims: Vec<Tail>,
    pub(crate) results: Vec<Tail>,
    pub(crate) versions: Vec<Tail>,
    /// Ids of grants that must stand.
    pub(crate) relies_on: Vec<String>,
    /// Length of all of it, about.
    pub(crate) bytes: usize,
}

impl Encoded {
    pub(crate) fn new(append: &Append) -> Result<Self, StoreError> {
        let mut messages = Latest::new();
        let mut parts = Latest::new();
        let mut closed = Latest::new();
        let mut chunks: Vec<(i64, i64, Tail)> = Vec::new();
        let mut runs = Latest::new();
        let mut follow_ups = Vec::new();
        let mut turns = Latest::new();
        let mut decisions = Latest::new();
        let mut grants = Vec::new();
        let mut terminals = Latest::new();
        let mut claims = Latest::new();
        let mut results = Vec::new();
        let mut versions = Vec::new();
        let mut patch: Option<SessionPatch> = None;
        for write in &append.writes {
            match write {
                Write::Session(more) => merge(patch.get_or_insert_default(), more),
                Write::Run(row) => runs.put(row.id.clone(), run(row)?),
                Write::FollowUp(row) => follow_ups.push(follow_up(row)?),
                Write::Turn(row) => turns.put(row.id.clone(), turn(row)?),
                Write::Message(row) => messages.put(row.position, message(row)?),
                Write::Part(row) => {
                    let key = (row.message, row.position);
                    parts.put(key, part(row)?);
                    if !row.open {
                        chunks.retain(|(message, part, _)| (*message, *part) != key);
                        closed.put(key, Tail::default().value(&row.message)?.value(&row.position)?);
                    }
                }
                Write::Chunk(row) => chunks.push((row.message, row.part, chunk(row)?)),
                Write::Grant(row) => grants.push(grant(row)?),
                Write::Decision(row) => decisions.put(row.id.clone(), decision(row)?),
                Write::Terminal(row) => terminals.put(row.id.clone(), terminal(row)?),
                Write::Claim(row) => claims.put(row.id.clone(), claim(row)?),
                Write::Version(row) => {
                    results.push(result(row)?);
                    versions.push(version(row)?);
                }
            }
        }
        let events =
            append.events.iter().map(|event| Tail::default().value(event.event_type)?.value(&event.body));
        let mut encoded = Self {
            session: append.session.clone(),
            expected_revision: append.expected_revision,
            bump: append.bump,
            new_messages: append.new_messages,
            events: events.collect::<Result<_, _>>()?,
            patch: patch.as_ref().map(session_patch).transpose()?,
            messages: messages.rows,
            parts: parts.rows,
            closed: closed.rows,
            chunks: chunks.into_iter().map(|(_, _, tail)| tail).collect(),
            runs: runs.rows,
            follow_ups,
            turns: turns.rows,
            decisions: decisions.rows,
            grants,
            terminals: terminals.rows,
            claims: claims.rows,
            results,
            versions,
            relies_on: append.relies_on.clone(),
            bytes: 0,
        };
        encoded.bytes = encoded.length();
        Ok(encoded)
    }

    fn length(&self) -> usize {
        let tables = [
            &self.events,
            &self.messages,
            &self.parts,
            &self.closed,
            &self.chunks,
            &self.runs,
            &self.follow_ups,
            &self.turns,
            &self.decisions,
            &self.grants,
            &self.terminals,
            &self.claims,
            &self.results,
            &self.versions,
        ];
        let rows = tables.into_iter().flatten().chain(&self.patch);
        rows.map(|row| row.as_str().len()).sum()
    }
}

/// Adds a later patch to an earlier one.
fn merge(patch: &mut SessionPatch, more: &SessionPatch) {
    let SessionPatch { title, updated, archived, pinned, deleting, meta } = more;
    if title.is_some() {
        patch.title.clone_from(title);
    }
    if meta.is_some() {
        patch.meta.clone_from(meta);
    }
    patch.updated = updated.or(patch.updated);
    patch.archived = archived.or(patch.archived);
    patch.pinned = pinned.or(patch.pinned);
    patch.deleting = deleting.or(patch.deleting);
}

fn session_patch(patch: &SessionPatch) -> Result<Tail, serde_json::Error> {
    Tail::default()
        .value(&patch.title)?
        .value(&patch.updated)?
        .value(&patch.archived.is_some())?
        .value(&patch.archived.flatten())?
        .value(&patch.pinned.is_some())?
        .value(&patch.pinned.flatten())?
        .value(&patch.deleting)?
        .json_or_null(patch.meta.as_ref())
}

fn message(row: &MessageRow) -> Result<Tail, serde_json::Error> {
    let parent = match &row.info {
        MessageInfo::User(_) => None,
        MessageInfo::Assistant(info) => Some(&info.parent_id),
    };
    Tail::default().value(&row.position)?.value(row.info.id())?.value(&parent)?.json(&row.info)
}

fn part(row: &PartRow) -> Result<Tail, serde_json::Error> {
    Tail::default()
        .value(&row.message)?
        .value(&row.position)?
        .value(&row.part.id)?
        .value(&row.open)?
        .json(&row.part.body)
}

fn chunk(row: &ChunkRow) -> Result<Tail, serde_json::Error> {
    Tail::default().value(&row.message)?.value(&row.part)?.value(&row.offset)?.value(&row.text)
}

// The rows below are taken apart by name, so that a new field cannot be forgotten here.

fn run(row: &RunRow) -> Result<Tail, serde_json::Error> {
    let RunRow {
        id,
        request_id,
        fingerprint,
        message_id,
        turn_id,
        state,
        effort,
        agent,
        owner,
        accepted_at,
        updated_at,
        completed_at,
        result_message_id,
        error,
        stop_reason,
        cancel,
        stop_at,
        deadline_at,
        agent_still_running,
        context_reset,
    } = row;
    Tail::default()
        .value(id)?
        .value(request_id)?
        .value(fingerprint)?
        .value(message_id)?
        .value(turn_id)?
        .value(state)?
        .value(effort)?
        .value(agent)?
        .value(owner)?
        .value(accepted_at)?
        .value(updated_at)?
        .value(completed_at)?
        .value(result_message_id)?
        .json_or_null(error.as_ref())?
        .value(stop_reason)?
        .value(cancel)?
        .value(stop_at)?
        .value(deadline_at)?
        .value(agent_still_running)?
        .value(&context_reset.then_some(true))
}

fn follow_up(row: &FollowUpRow) -> Result<Tail, serde_json::Error> {
    let FollowUpRow { id, run_id, request_id, fingerprint, message_id, turn_id } = row;
    Tail::default()
        .value(id)?
        .value(run_id)?
        .value(request_id)?
        .value(fingerprint)?
        .value(message_id)?
        .value(turn_id)
}

fn turn(row: &TurnRow) -> Result<Tail, serde_json::Error> {
    let TurnRow {
        id,
        run_id,
        message_id,
        state,
        rank,
        settings,
        queued_at,
        started_at,
        sent_at,
        active_at,
        cancel_at,
        ended_at,
        into_turn_id,
        stop_reason,
        error,
        refused,
        instead,
        escalated_at,
        artifact_run,
    } = row;
    Tail::default()
        .value(run_id)?
        .value(id)?
        .value(message_id)?
        .value(state)?
        .value(rank)?
        .value(queued_at)?
        .value(started_at)?
        .value(sent_at)?
        .value(active_at)?
        .value(cancel_at)?
        .value(ended_at)?
        .value(into_turn_id)?
        .value(stop_reason)?
        .json_or_null(error.as_ref())?
        .value(refused)?
        .value(instead)?
        .value(escalated_at)?
        .value(artifact_run)?
        .json(settings)
}

fn decision(row: &DecisionRow) -> Result<Tail, serde_json::Error> {
    let DecisionRow {
        id,
        run_id,
        request,
        state,
        reply,
        message,
        answers,
        actor,
        close_reason,
        asked_at,
        decided_at,
    } = row;
    Tail::default()
        .value(id)?
        .value(run_id)?
        .value(state.as_str())?
        .json(request)?
        .value(reply)?
        .value(message)?
        .json_or_null(answers.as_ref())?
        .value(actor)?
        .value(close_reason)?
        .value(asked_at)?
        .value(decided_at)
}

fn grant(row: &GrantRow) -> Result<Tail, serde_json::Error> {
    let GrantRow { id, scope, permission, pattern, created } = row;
    let tail = Tail::default().value(id)?.value(scope.as_str())?;
    tail.value(permission)?.value(pattern)?.value(created)
}

fn terminal(row: &TerminalRow) -> Result<Tail, serde_json::Error> {
    let TerminalRow {
        id,
        command,
        cwd,
        output,
        truncated,
        exit_code,
        signal,
        created,
        updated,
        completed,
        stop_requested,
        released,
        revision,
    } = row;
    Tail::default()
        .value(id)?
        .value(revision)?
        .value(created)?
        .value(updated)?
        .value(completed)?
        .value(stop_requested)?
        .value(released)?
        .value(exit_code)?
        .value(signal)?
        .value(truncated)?
        .value(command)?
        .value(cwd)?
        .value(output)
}

fn claim(row: &ClaimRow) -> Result<Tail, serde_json::Error> {
    let ClaimRow { id, run_id, turn_id, artifact_run, message_id, state, reason, owner, created, updated } =
        row;
    Tail::default()
        .value(id)?
        .value(run_id)?
        .value(turn_id)?
        .value(artifact_run)?
        .value(message_id)?
        .value(state.as_str())?
        .value(reason)?
        .value(owner)?
        .value(created)?
        .value(updated)
}

/// What a version brings of its Result.
pub(crate) fn result(row: &VersionRow) -> Result<Tail, serde_json::Error> {
    Tail::default()
        .value(&row.artifact_id)?
        .value(&row.project_id)?
        .value(&row.title)?
        .value(&row.kind)?
        .value(&row.summary)?
        .value(&row.created)
}

pub(crate) fn version(row: &VersionRow) -> Result<Tail, serde_json::Error> {
    let VersionRow {
        id,
        artifact_id,
        project_id: _,
        session_id,
        claim_id,
        artifact_run,
        message_id,
        write,
        name,
        mime_type,
        size,
        sha256,
        mtime,
        source_path,
        capture,
        replaced,
        title: _,
        kind: _,
        summary: _,
        created,
    } = row;
    Tail::default()
        .value(artifact_id)?
        .value(id)?
        .value(session_id)?
        .value(claim_id)?
        .value(artifact_run)?
        .value(message_id)?
        .value(write)?
        .value(name)?
        .value(mime_type)?
        .value(size)?
        .value(sha256)?
        .value(mtime)?
        .value(source_path)?
        .value(capture.as_str())?
        .value(replaced)?
        .value(created)
}

/// A new session; its counters start at 0.
pub(crate) fn new_session(row: &SessionRow) -> Result<String, serde_json::Error> {
    let SessionRow {
        id,
        project_id,
        directory,
        workspace,
        parent_id,
        title,
        agent,
        permission,
        deadline_ms,
        version,
        created,
        updated,
        archived,
        pinned,
        deleting: _,
        revision: _,
        latest_sequence: _,
        latest_message: _,
        meta,
    } = row;
    let tail = Tail::default()
        .value(id)?
        .value(project_id)?
        .value(parent_id)?
        .value(directory)?
        .value(workspace)?
        .value(agent)?
        .value(version)?
        .value(created)?
        .value(updated)?
        .value(archived)?
        .value(pinned)?
        .value(deadline_ms)?
        .value(title)?
        .json_or_null(permission.as_ref())?
        .json(meta)?;
    Ok(tail.into_array())
}

pub(crate) fn project(project: &Project) -> Result<String, serde_json::Error> {
    let tail = Tail::default()
        .value(&project.id)?
        .value(&project.worktree)?
        .value(&project.vcs)?
        .value(&project.name)?
        .value(&project.time.created)?
        .value(&project.time.updated)?;
    Ok(tail.into_array())
}

/// The row of a process that starts.
pub(crate) fn owner(
    id: &str,
    boot_id: &str,
    schema_version: i64,
    version: &str,
    started: Millis,
) -> Result<String, serde_json::Error> {
    let tail = Tail::default()
        .value(id)?
        .value(&std::process::id())?
        .value(boot_id)?
        .value(&schema_version)?
        .value(version)?
        .value(&started)?;
    Ok(tail.into_array())
}
