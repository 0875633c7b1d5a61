//! How does a turn tell the client what it does?
//!
//! Words, thoughts, tool calls and other session updates, in the order they are
//! called. What the agent said is gathered for the history.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use agent_client_protocol_schema::v1::{
    ContentBlock, ContentChunk, SessionId, SessionUpdate, ToolCall, ToolCallContent, ToolCallStatus,
    ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use serde::Serialize;
use serde_json::{Value, json};

use crate::wire::{Out, Outbox, encode_notification};

/// Bytes of words sent together when no pace is asked for.
const BATCH_BYTES: usize = 16 * 1024;
const UPDATE: &str = "session/update";

/// One turn's voice.
#[derive(Debug)]
pub(crate) struct Report {
    session: SessionId,
    /// Which turn of the session this is; makes tool call ids unique in it.
    turn: u64,
    outbox: Outbox,
    /// Shared by steps carried out together; held for a moment, never across an await.
    progress: Mutex<Progress>,
}

#[derive(Debug, Default)]
struct Progress {
    said: String,
    /// The last update that a reader sees as text was text, so more of it needs a new line.
    text_open: bool,
    calls: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct UpdateParams<'a, U> {
    session_id: &'a SessionId,
    update: &'a U,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Voice {
    Words,
    Thought,
}

impl Report {
    pub(crate) fn new(session: SessionId, turn: u64, outbox: Outbox) -> Self {
        Self { session, turn, outbox, progress: Mutex::default() }
    }

    pub(crate) fn session(&self) -> &SessionId {
        &self.session
    }

    pub(crate) fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// Everything said so far, leaving nothing.
    pub(crate) fn take_said(&self) -> String {
        std::mem::take(&mut self.progress().said)
    }

    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends any object as an update.
    pub(crate) async fn update<U: Serialize>(&self, update: &U) -> io::Result<()> {
        self.outbox.notify(UPDATE, &UpdateParams { session_id: &self.session, update }).await
    }

    /// Says `text` word by word; the spaces go with the words they follow.
    pub(crate) async fn say(&self, text: &str) -> io::Result<()> {
        self.speak(Voice::Words, text.split_inclusive(' ').map(str::to_owned), 0).await
    }

    /// Says `w1 w2 …`.
    pub(crate) async fn say_words(&self, words: u64, pace_ms: u64) -> io::Result<()> {
        self.speak(Voice::Words, numbered('w', words), pace_ms).await
    }

    /// Thinks `t1 t2 …`.
    pub(crate) async fn think_words(&self, words: u64) -> io::Result<()> {
        self.progress().text_open = false;
        self.speak(Voice::Thought, numbered('t', words), 0).await
    }

    async fn speak(
        &self,
        voice: Voice,
        pieces: impl Iterator<Item = String> + Send,
        pace_ms: u64,
    ) -> io::Result<()> {
        let (mut lines, mut said) = (Vec::new(), String::new());
        for (index, mut piece) in pieces.enumerate() {
            if index > 0 && pace_ms > 0 {
                tokio::time::sleep(Duration::from_millis(pace_ms)).await;
            }
            if index == 0 && voice == Voice::Words {
                self.open_text(&mut piece);
            }
            if voice == Voice::Words {
                said.push_str(&piece);
            }
            let chunk = ContentChunk::new(ContentBlock::from(piece));
            let update = match voice {
                Voice::Words => SessionUpdate::AgentMessageChunk(chunk),
                Voice::Thought => SessionUpdate::AgentThoughtChunk(chunk),
            };
            let params = UpdateParams { session_id: &self.session, update: &update };
            encode_notification(&mut lines, UPDATE, &params)?;
            if pace_ms > 0 || lines.len() >= BATCH_BYTES {
                self.flush(&mut lines, &mut said).await?;
            }
        }
        self.flush(&mut lines, &mut said).await
    }

    async fn flush(&self, lines: &mut Vec<u8>, said: &mut String) -> io::Result<()> {
        if !lines.is_empty() {
            self.outbox.send(Out::Lines(std::mem::take(lines))).await?;
            self.progress().said.push_str(said);
            said.clear();
        }
        Ok(())
    }

    /// Starts a new line where text would otherwise run into text.
    fn open_text(&self, piece: &mut String) {
        let mut progress = self.progress();
        if std::mem::replace(&mut progress.text_open, true) {
            piece.insert(0, '\n');
        } else if !progress.said.is_empty() {
            progress.said.push('\n');
        }
    }

    /// One message chunk whose line is `bytes` long with its newline, or as short as
    /// it can be. It is not remembered: a history should stay loadable.
    pub(crate) async fn say_huge(&self, bytes: u64) -> io::Result<()> {
        self.progress().text_open = true;
        let update = SessionUpdate::AgentMessageChunk(ContentChunk::new(ContentBlock::from("")));
        let params = UpdateParams { session_id: &self.session, update: &update };
        let mut head = Vec::new();
        encode_notification(&mut head, UPDATE, &params)?;
        let filler = bytes.saturating_sub(head.len() as u64);
        let text = br#""text":""#;
        let at = head.windows(text.len()).rposition(|window| window == text);
        let tail = head.split_off(at.map_or(0, |at| at + text.len()));
        self.outbox.send(Out::Huge { head, filler, tail }).await
    }

    /// Tells of a new tool call and answers it for further news.
    pub(crate) async fn open_call(&self, name: &str, kind: ToolKind, input: &Value) -> io::Result<Call<'_>> {
        let call = self.unannounced_call();
        let opened = ToolCall::new(call.id.clone(), name)
            .name(name.to_owned())
            .kind(kind)
            .status(ToolCallStatus::Pending)
            .raw_input(input.clone());
        // Written out: the type leaves a pending status away, and readers should see it.
        let mut update = serde_json::to_value(SessionUpdate::ToolCall(opened))?;
        if let Some(fields) = update.as_object_mut() {
            fields.insert("status".to_owned(), json!("pending"));
        }
        self.update(&update).await?;
        Ok(call)
    }

    /// A tool call id the client has not heard of.
    pub(crate) fn unannounced_call(&self) -> Call<'_> {
        let mut progress = self.progress();
        progress.calls += 1;
        progress.text_open = false;
        Call { report: self, id: format!("call-{}-{}", self.turn, progress.calls) }
    }
}

/// A tool call in progress.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    report: &'a Report,
    id: String,
}

impl Call<'_> {
    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) async fn start(&self) -> io::Result<()> {
        self.update(ToolCallUpdateFields::new().status(ToolCallStatus::InProgress)).await
    }

    /// Ends the call with a text and a raw output.
    pub(crate) async fn end(&self, failed: bool, text: &str, output: Value) -> io::Result<()> {
        let status = if failed { ToolCallStatus::Failed } else { ToolCallStatus::Completed };
        let content = vec![ToolCallContent::from(text.to_owned())];
        self.update(ToolCallUpdateFields::new().status(status).content(content).raw_output(output)).await
    }

    pub(crate) async fn update(&self, fields: ToolCallUpdateFields) -> io::Result<()> {
        // Text said while the call was open belongs before this update.
        self.report.progress().text_open = false;
        let update = ToolCallUpdate::new(self.id.clone(), fields);
        self.report.update(&SessionUpdate::ToolCallUpdate(update)).await
    }
}

fn numbered(letter: char, count: u64) -> impl Iterator<Item = String> + Send {
    (1..=count).map(
        move |number| {
            if number == 1 { format!("{letter}{number}") } else { format!(" {letter}{number}") }
        },
    )
}
