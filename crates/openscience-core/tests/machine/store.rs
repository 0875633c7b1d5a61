//! What the store does with an append, in memory; it panics where the real one would refuse.

use std::collections::BTreeMap;

use openscience_protocol::artifact::ClaimState;
use openscience_protocol::message::{MessageInfo, PartBody};
use openscience_protocol::row::{
    Append, Appended, ChunkRow, ClaimRow, DecisionRow, DecisionState, FollowUpRow, GrantRow, MessageRow,
    MessageRows, PartRow, Receipt, RunRow, SessionMeta, SessionPatch, SessionRow, SessionRows, TerminalRow,
    TurnRow, VersionRow, Write,
};
use openscience_protocol::{DecisionId, MessageId, RunId, SessionId, TurnId, Workspace};
use serde_json::Value;

/// The rows of one session and all its events.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Store {
    pub(crate) session: SessionRow,
    /// In order of acceptance.
    pub(crate) runs: Vec<RunRow>,
    pub(crate) follow_ups: Vec<FollowUpRow>,
    pub(crate) turns: Vec<TurnRow>,
    pub(crate) messages: BTreeMap<i64, MessageRow>,
    pub(crate) parts: BTreeMap<(i64, i64), PartRow>,
    pub(crate) chunks: BTreeMap<(i64, i64, u64), ChunkRow>,
    pub(crate) decisions: BTreeMap<DecisionId, DecisionRow>,
    pub(crate) grants: Vec<GrantRow>,
    pub(crate) terminals: BTreeMap<String, TerminalRow>,
    pub(crate) claims: Vec<ClaimRow>,
    pub(crate) versions: Vec<VersionRow>,
    /// Parsed, with the type they are stored under.
    pub(crate) events: Vec<(&'static str, Value)>,
}

/// Someone else wrote first.
#[derive(Debug, PartialEq)]
pub(crate) struct Conflict;

impl Store {
    pub(crate) fn new() -> Self {
        let session = SessionRow {
            id: session_id(),
            project_id: "prj_p".parse().unwrap(),
            directory: "/ws".to_owned(),
            workspace: Workspace::Project,
            parent_id: None,
            title: "untitled".to_owned(),
            agent: "sim".into(),
            permission: None,
            deadline_ms: None,
            version: "0".to_owned(),
            created: 0,
            updated: 0,
            archived: None,
            pinned: None,
            deleting: false,
            revision: 0,
            latest_sequence: 0,
            latest_message: 0,
            meta: SessionMeta::default(),
        };
        Self {
            session,
            runs: Vec::new(),
            follow_ups: Vec::new(),
            turns: Vec::new(),
            messages: BTreeMap::new(),
            parts: BTreeMap::new(),
            chunks: BTreeMap::new(),
            decisions: BTreeMap::new(),
            grants: Vec::new(),
            terminals: BTreeMap::new(),
            claims: Vec::new(),
            versions: Vec::new(),
            events: Vec::new(),
        }
    }

    pub(crate) fn append(&mut self, append: &Append) -> Result<Appended, Conflict> {
        assert_eq!(append.session, self.session.id);
        let stands = |id: &String| self.grants.iter().any(|grant| grant.id == *id);
        if append.expected_revision != self.session.revision || !append.relies_on.iter().all(stands) {
            return Err(Conflict);
        }
        let messages = self.messages.len();
        for write in &append.writes {
            self.write(write);
        }
        assert!(self.runs.iter().all(|run| self.position(&run.message_id).is_some()));
        assert_eq!(messages + usize::try_from(append.new_messages).unwrap(), self.messages.len());
        self.session.latest_message += append.new_messages;
        assert_eq!(self.messages.keys().copied().max().unwrap_or(0), self.session.latest_message);
        for event in &append.events {
            assert!(!event.body.contains('\n'), "an event is one line");
            self.events.push((event.event_type, serde_json::from_str(&event.body).unwrap()));
        }
        self.session.revision += i64::from(append.bump);
        self.session.latest_sequence = i64::try_from(self.events.len()).unwrap();
        Ok(Appended { revision: self.session.revision, latest_sequence: self.session.latest_sequence })
    }

    fn write(&mut self, write: &Write) {
        match write {
            Write::Session(patch) => self.patch(patch),
            Write::Run(row) => {
                if let Some(known) = self.runs.iter().find(|known| known.id == row.id) {
                    assert!(!known.state.is_terminal() || known == &**row, "a terminal receipt changed");
                }
                put(&mut self.runs, row, |a, b| a.id == b.id);
            }
            Write::FollowUp(row) => {
                assert!(self.run(&row.run_id).is_some());
                assert!(self.receipt(&row.id).is_none(), "a receipt is written once");
                self.follow_ups.push((**row).clone());
            }
            Write::Turn(row) => {
                assert!(self.run(&row.run_id).is_some());
                if let Some(known) = self.turns.iter().find(|known| known.id == row.id) {
                    assert!(known.ended_at.is_none(), "a turn that has ended changed");
                }
                put(&mut self.turns, &**row, |a, b| a.id == b.id);
            }
            Write::Message(row) => {
                let taken = self.position(row.info.id());
                assert!(taken.is_none_or(|position| position == row.position), "a message id is used twice");
                if let Some(known) = self.messages.insert(row.position, row.clone()) {
                    assert_eq!(known.info.id(), row.info.id(), "a position changed its message");
                }
            }
            Write::Part(row) => {
                assert_eq!(self.messages[&row.message].info.id(), &row.part.message_id);
                if let Some(known) = self.parts.insert((row.message, row.position), (**row).clone()) {
                    assert_eq!(known.part.id, row.part.id, "a position changed its part");
                }
                if !row.open {
                    self.chunks
                        .retain(|(message, part, _), _| (*message, *part) != (row.message, row.position));
                }
            }
            Write::Chunk(row) => {
                let part = &self.parts[&(row.message, row.part)];
                assert!(part.open, "only an open part grows");
                let last = self.chunks_of(part).next_back();
                let end =
                    last.map_or_else(|| units(&self.text(part)), |last| last.offset + units(&last.text));
                assert_eq!(row.offset, end, "a chunk starts where the text ends");
                self.chunks.insert((row.message, row.part, row.offset), row.clone());
            }
            Write::Grant(row) => self.grants.push((**row).clone()),
            Write::Claim(row) => {
                assert!(self.run(&row.run_id).is_some());
                let other = |known: &&ClaimRow| known.artifact_run == row.artifact_run && known.id != row.id;
                assert!(!self.claims.iter().any(|known| other(&known)), "files are claimed once");
                put(&mut self.claims, &**row, |a, b| a.id == b.id);
            }
            Write::Version(row) => {
                if !self.versions.iter().any(|known| known.id == row.id) {
                    self.versions.push((**row).clone());
                }
            }
            Write::Decision(row) => {
                assert!(self.run(&row.run_id).is_some());
                self.decisions.insert(row.id.clone(), (**row).clone());
            }
            Write::Terminal(row) => {
                let before = self.terminals.insert(row.id.clone(), (**row).clone());
                let known = before.map_or(0, |before| before.revision);
                assert!(row.revision > known, "a revision was used twice");
            }
        }
    }

    fn patch(&mut self, patch: &SessionPatch) {
        let SessionPatch { title, updated, archived, pinned, deleting, meta } = patch.clone();
        let row = &mut self.session;
        row.title = title.unwrap_or_else(|| row.title.clone());
        row.updated = updated.unwrap_or(row.updated);
        row.archived = archived.unwrap_or(row.archived);
        row.pinned = pinned.unwrap_or(row.pinned);
        row.deleting = deleting.unwrap_or(row.deleting);
        row.meta = meta.unwrap_or_else(|| row.meta.clone());
    }

    /// As `SessionRows` documents.
    pub(crate) fn rows(&self) -> SessionRows {
        let runs: Vec<RunRow> = self.runs.iter().filter(|run| !run.state.is_terminal()).cloned().collect();
        let live = |id: &RunId| runs.iter().any(|run| run.id == *id);
        let unended = |id: &TurnId| self.turns.iter().any(|row| row.id == *id && row.ended_at.is_none());
        let open = |row: &&TurnRow| {
            let sent_with = row.into_turn_id.as_ref().is_some_and(unended);
            live(&row.run_id) && (row.ended_at.is_none() || sent_with)
        };
        let turns: Vec<TurnRow> = self.turns.iter().filter(open).cloned().collect();
        let asked = |id: &MessageId| turns.iter().any(|turn| turn.message_id == *id);
        let messages: Vec<MessageRow> = self
            .messages
            .values()
            .filter(|row| match &row.info {
                MessageInfo::User(info) => asked(&info.id),
                MessageInfo::Assistant(info) => asked(&info.parent_id),
            })
            .cloned()
            .collect();
        let named = |message: i64| messages.iter().any(|row| row.position == message);
        let undecided =
            |row: &&DecisionRow| matches!(row.state, DecisionState::Pending | DecisionState::Indeterminate);
        SessionRows {
            session: self.session.clone(),
            parts: self.parts.values().filter(|row| named(row.message)).cloned().collect(),
            chunks: self.chunks.values().filter(|row| named(row.message)).cloned().collect(),
            decisions: self.decisions.values().filter(undecided).cloned().collect(),
            claims: self.claims.iter().filter(|row| row.state == ClaimState::Pending).cloned().collect(),
            runs,
            turns,
            messages,
            terminals: self.terminals.values().filter(|row| row.released.is_none()).cloned().collect(),
        }
    }

    /// One message as it is stored.
    pub(crate) fn message_rows(&self, position: i64) -> MessageRows {
        MessageRows {
            message: self.messages[&position].clone(),
            parts: self.parts.values().filter(|row| row.message == position).cloned().collect(),
            chunks: self.chunks.values().filter(|row| row.message == position).cloned().collect(),
        }
    }

    pub(crate) fn run(&self, id: &RunId) -> Option<&RunRow> {
        self.runs.iter().find(|run| run.id == *id)
    }

    /// The receipt of that id: a run's own or a follow-up's.
    pub(crate) fn receipt(&self, id: &RunId) -> Option<Receipt> {
        let of = |run: &RunRow| Receipt {
            id: run.id.clone(),
            run_id: run.id.clone(),
            fingerprint: run.fingerprint.clone(),
            message_id: run.message_id.clone(),
            accepted_at: run.accepted_at,
            turn_id: None,
        };
        if let Some(run) = self.run(id) {
            return Some(of(run));
        }
        let row = self.follow_ups.iter().find(|row| row.id == *id)?;
        let joined = self.run(&row.run_id).map(of)?;
        let FollowUpRow { id, fingerprint, message_id, turn_id, .. } = row.clone();
        Some(Receipt { id, fingerprint, message_id, turn_id: Some(turn_id), ..joined })
    }

    pub(crate) fn turn(&self, id: &TurnId) -> Option<&TurnRow> {
        self.turns.iter().find(|turn| turn.id == *id)
    }

    pub(crate) fn position(&self, id: &MessageId) -> Option<i64> {
        self.messages.values().find(|row| row.info.id() == id).map(|row| row.position)
    }

    pub(crate) fn message_taken(&self, id: &str) -> bool {
        self.messages.values().any(|row| row.info.id().as_str() == id)
    }

    /// All text of a text or reasoning part; empty for others.
    pub(crate) fn text(&self, part: &PartRow) -> String {
        let mut text = match &part.part.body {
            PartBody::Text(body) => body.text.clone(),
            PartBody::Reasoning(body) => body.text.clone(),
            _ => String::new(),
        };
        text.extend(self.chunks_of(part).map(|chunk| chunk.text.as_str()));
        text
    }

    fn chunks_of(&self, part: &PartRow) -> impl DoubleEndedIterator<Item = &ChunkRow> {
        let key = |offset| (part.message, part.position, offset);
        self.chunks.range(key(0)..=key(u64::MAX)).map(|(_, chunk)| chunk)
    }
}

fn put<T: Clone>(rows: &mut Vec<T>, row: &T, same: impl Fn(&T, &T) -> bool) {
    match rows.iter_mut().find(|known| same(known, row)) {
        Some(known) => *known = row.clone(),
        None => rows.push(row.clone()),
    }
}

pub(crate) fn session_id() -> SessionId {
    "ses_s".parse().unwrap()
}

pub(crate) fn units(text: &str) -> u64 {
    text.encode_utf16().count() as u64
}
