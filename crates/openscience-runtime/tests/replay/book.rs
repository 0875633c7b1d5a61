//! The rows and the journal of one session, kept in memory as the store keeps
//! them on disk. Checks nothing of their sense.

use openscience_protocol::message::{PartBody, ReasoningPart, TextPart};
use openscience_protocol::row::{
    Append, Appended, ChunkRow, DecisionRow, DecisionState, MessageRow, NewEvent, PartRow, RunRow,
    SessionPatch, SessionRow, SessionRows, TurnRow, Write,
};
use openscience_protocol::{MessageInfo, Part};

/// One session.
#[derive(Debug)]
pub(crate) struct Book {
    pub(crate) session: SessionRow,
    pub(crate) runs: Vec<RunRow>,
    pub(crate) turns: Vec<TurnRow>,
    pub(crate) messages: Vec<MessageRow>,
    pub(crate) parts: Vec<PartRow>,
    pub(crate) chunks: Vec<ChunkRow>,
    pub(crate) decisions: Vec<DecisionRow>,
    pub(crate) events: Vec<NewEvent>,
}

/// Replaces the row that is the same, else adds it.
fn put<T>(rows: &mut Vec<T>, row: T, same: impl Fn(&T, &T) -> bool) {
    match rows.iter_mut().find(|known| same(known, &row)) {
        Some(known) => *known = row,
        None => rows.push(row),
    }
}

impl Book {
    pub(crate) fn new(session: SessionRow) -> Self {
        Self {
            session,
            runs: Vec::new(),
            turns: Vec::new(),
            messages: Vec::new(),
            parts: Vec::new(),
            chunks: Vec::new(),
            decisions: Vec::new(),
            events: Vec::new(),
        }
    }

    pub(crate) fn append(&mut self, append: Append) -> Appended {
        let row = &mut self.session;
        assert_eq!(append.expected_revision, row.revision, "one writer has no rival");
        row.revision += i64::from(append.bump);
        row.latest_message += append.new_messages;
        row.latest_sequence += i64::try_from(append.events.len()).unwrap();
        let appended = Appended { revision: row.revision, latest_sequence: row.latest_sequence };
        append.writes.into_iter().for_each(|write| self.write(write));
        self.events.extend(append.events);
        appended
    }

    fn write(&mut self, write: Write) {
        match write {
            Write::Session(patch) => self.patch(patch),
            Write::Run(run) => put(&mut self.runs, *run, |a, b| a.id == b.id),
            Write::Grant(row) => panic!("no recording grants: {row:?}"),
            Write::Claim(_) | Write::Version(_) => panic!("no recording saves files: {write:?}"),
            Write::FollowUp(row) => panic!("no recording has a follow-up: {row:?}"),
            Write::Turn(turn) => put(&mut self.turns, *turn, |a, b| a.id == b.id),
            Write::Message(message) => put(&mut self.messages, message, |a, b| a.position == b.position),
            Write::Part(part) => {
                if !part.open {
                    self.chunks.retain(|chunk| (chunk.message, chunk.part) != (part.message, part.position));
                }
                put(&mut self.parts, *part, |a, b| (a.message, a.position) == (b.message, b.position));
            }
            Write::Chunk(chunk) => self.chunks.push(chunk),
            Write::Terminal(row) => panic!("no recording has a terminal: {row:?}"),
            Write::Decision(decision) => put(&mut self.decisions, *decision, |a, b| a.id == b.id),
        }
    }

    fn patch(&mut self, patch: SessionPatch) {
        let row = &mut self.session;
        row.title = patch.title.unwrap_or(std::mem::take(&mut row.title));
        row.updated = patch.updated.unwrap_or(row.updated);
        row.archived = patch.archived.unwrap_or(row.archived);
        row.pinned = patch.pinned.unwrap_or(row.pinned);
        row.deleting = patch.deleting.unwrap_or(row.deleting);
        row.meta = patch.meta.unwrap_or(std::mem::take(&mut row.meta));
    }

    /// What a restart would find.
    pub(crate) fn rows(&self) -> SessionRows {
        let runs: Vec<RunRow> = self.runs.iter().filter(|run| !run.state.is_terminal()).cloned().collect();
        let turns: Vec<TurnRow> = self.turns.iter().filter(|turn| turn.ended_at.is_none()).cloned().collect();
        let of_run = |message: &&MessageRow| {
            let prompt = match &message.info {
                MessageInfo::User(info) => &info.id,
                MessageInfo::Assistant(info) => &info.parent_id,
            };
            turns.iter().any(|turn| turn.message_id == *prompt)
        };
        let messages: Vec<MessageRow> = self.messages.iter().filter(of_run).cloned().collect();
        let live = |position: i64| messages.iter().any(|message| message.position == position);
        let waits =
            |row: &&DecisionRow| matches!(row.state, DecisionState::Pending | DecisionState::Indeterminate);
        SessionRows {
            session: self.session.clone(),
            parts: self.parts.iter().filter(|part| live(part.message)).cloned().collect(),
            chunks: self.chunks.iter().filter(|chunk| live(chunk.message)).cloned().collect(),
            decisions: self.decisions.iter().filter(waits).cloned().collect(),
            runs,
            turns,
            messages,
            terminals: Vec::new(),
            claims: Vec::new(),
        }
    }

    /// The parts of a message in order, each with all its text.
    pub(crate) fn parts_of(&self, message: &MessageRow) -> Vec<Part> {
        let mut rows: Vec<&PartRow> =
            self.parts.iter().filter(|row| row.message == message.position).collect();
        rows.sort_by_key(|row| row.position);
        rows.into_iter().map(|row| self.whole(row)).collect()
    }

    fn whole(&self, row: &PartRow) -> Part {
        let mut part = row.part.clone();
        let grown = self.chunks.iter().filter(|c| (c.message, c.part) == (row.message, row.position));
        let grown: String = grown.map(|chunk| chunk.text.as_str()).collect();
        if let PartBody::Text(TextPart { text, .. }) | PartBody::Reasoning(ReasoningPart { text, .. }) =
            &mut part.body
        {
            text.push_str(&grown);
        }
        part
    }
}
