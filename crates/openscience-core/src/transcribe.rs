//! How does a conversation that was held elsewhere become our transcript?
//!
//! History that an agent tells is lived through by a machine of its own, whose runs and events nobody
//! sees: what remains is its messages. Those of another session are copied under new ids.

use std::collections::BTreeMap;

use agent_client_protocol_schema::v1::{ContentBlock, EmbeddedResourceResource, SessionUpdate};
use openscience_protocol::message::MessageInfo;
use openscience_protocol::prompt::Effort;
use openscience_protocol::row::{MessageRow, MessageRows, PartRow, SessionRow, SessionRows, Write};
use openscience_protocol::{MessageId, PromptInput, SessionId};

use crate::admission;
use crate::input::{AgentUpdate, Command, Input, Observation, Opened, PromptCommand, TurnEnd};
use crate::session::{Context, Ids, SessionMachine};
use crate::visit::Transcript;

/// The transcript of what an agent told again of its conversation.
pub fn history(row: &SessionRow, updates: Vec<AgentUpdate>, cx: &mut Context<'_>) -> Transcript {
    let rows = SessionRows::at_rest(SessionRow { permission: None, deadline_ms: None, ..row.clone() });
    // What was saved in these turns was not saved here.
    let artifacts = std::mem::take(&mut cx.artifacts);
    let mut teller = Teller { machine: SessionMachine::restore(rows), kept: Kept::default(), turns: 0 };
    let mut asked: Option<String> = None;
    let mut told = false;
    for update in updates {
        if let AgentUpdate::Known(known) = &update
            && let SessionUpdate::UserMessageChunk(chunk) = &**known
        {
            if told {
                teller.end(cx);
                told = false;
            }
            asked.get_or_insert_default().push_str(&words(&chunk.content));
            continue;
        }
        if !belongs(&update) {
            continue;
        }
        if !told {
            teller.ask(asked.take().unwrap_or_default(), cx);
            told = true;
        }
        teller.step(&Input::Observation(Observation::Update(update)), cx);
    }
    if let Some(asked) = asked {
        teller.ask(asked, cx);
        told = true;
    }
    if told {
        teller.end(cx);
    }
    cx.artifacts = artifacts;
    Transcript { messages: teller.kept.rows(), turns: teller.turns }
}

/// Lives through the turns of a conversation.
struct Teller {
    machine: SessionMachine,
    kept: Kept,
    turns: u64,
}

impl Teller {
    fn ask(&mut self, message: String, cx: &mut Context<'_>) {
        self.turns += 1;
        let input = PromptInput {
            session_id: self.machine.state().row.id.clone(),
            effort: Effort::Normal,
            request_id: None,
            message_id: None,
            message: Some(message),
            parts: None,
            model: None,
            variant: None,
            tier: None,
            context: None,
            delegation: None,
            delegation_settings: None,
            deadline_ms: None,
        };
        let parts = admission::input_parts(&input);
        let prompt = PromptCommand { input, parts, found: None, message_taken: false };
        self.step(&Input::Command(Command::Prompt(Box::new(prompt))), cx);
        let opened = Opened {
            agent_session: self.machine.state().row.meta.agent_session.clone().unwrap_or_default(),
            ..Opened::default()
        };
        self.turn(|turn| Observation::SessionOpened { turn, opened: Box::new(opened) }, cx);
        self.turn(|turn| Observation::Prompted { turn }, cx);
    }

    fn end(&mut self, cx: &mut Context<'_>) {
        let end = TurnEnd::Answered { stop_reason: "end_turn".to_owned(), tokens: None };
        self.turn(|turn| Observation::TurnEnded { turn, end }, cx);
    }

    /// Tells the machine something of the turn that is open.
    fn turn(&mut self, of: impl FnOnce(openscience_protocol::TurnId) -> Observation, cx: &mut Context<'_>) {
        let open = self.machine.state().live.as_ref().and_then(|live| live.open_turn());
        if let Some(turn) = open.map(|turn| turn.id.clone()) {
            self.step(&Input::Observation(of(turn)), cx);
        }
    }

    fn step(&mut self, input: &Input, cx: &mut Context<'_>) {
        let draft = self.machine.step([input], cx);
        for write in draft.append.into_iter().flat_map(|append| append.writes) {
            self.kept.take(write);
        }
    }
}

/// True for what is part of a conversation; the rest is news of the session.
pub fn belongs(update: &AgentUpdate) -> bool {
    match update {
        AgentUpdate::Text(_) => true,
        AgentUpdate::Known(known) => matches!(
            **known,
            SessionUpdate::AgentMessageChunk(_)
                | SessionUpdate::AgentThoughtChunk(_)
                | SessionUpdate::ToolCall(_)
                | SessionUpdate::ToolCallUpdate(_)
        ),
        AgentUpdate::Unknown { .. } | AgentUpdate::Stderr(_) => false,
    }
}

/// What a person said, as text.
fn words(block: &ContentBlock) -> String {
    match block {
        ContentBlock::Text(text) => text.text.clone(),
        ContentBlock::ResourceLink(link) => format!("[{}]", link.uri),
        ContentBlock::Resource(resource) => match &resource.resource {
            EmbeddedResourceResource::TextResourceContents(text) => text.text.clone(),
            EmbeddedResourceResource::BlobResourceContents(blob) => format!("[{}]", blob.uri),
            _ => String::new(),
        },
        ContentBlock::Image(image) => format!("[{}]", image.mime_type),
        ContentBlock::Audio(audio) => format!("[{}]", audio.mime_type),
        _ => String::new(),
    }
}

/// The messages that were written, as they are in the end.
#[derive(Default)]
struct Kept {
    messages: BTreeMap<i64, MessageRow>,
    parts: BTreeMap<(i64, i64), PartRow>,
}

impl Kept {
    fn take(&mut self, write: Write) {
        match write {
            Write::Message(row) => drop(self.messages.insert(row.position, row)),
            // The closing part has all the text of its chunks.
            Write::Part(row) => drop(self.parts.insert((row.message, row.position), *row)),
            Write::Chunk(_)
            | Write::Session(_)
            | Write::Run(_)
            | Write::FollowUp(_)
            | Write::Turn(_)
            | Write::Decision(_)
            | Write::Terminal(_)
            | Write::Grant(_)
            | Write::Claim(_)
            | Write::Version(_) => {}
        }
    }

    fn rows(self) -> Vec<MessageRows> {
        let Self { messages, parts } = self;
        let of = |position: i64| {
            parts.range((position, 0)..(position + 1, 0)).map(|(_, part)| part.clone()).collect()
        };
        let rows =
            |message: MessageRow| MessageRows { parts: of(message.position), message, chunks: Vec::new() };
        messages.into_values().map(rows).collect()
    }
}

/// The transcript of one session for another: the same words under new ids.
pub fn copied(messages: Vec<MessageRows>, to: &SessionId, now: i64, ids: &mut dyn Ids) -> Vec<MessageRows> {
    let mut known: BTreeMap<MessageId, MessageId> = BTreeMap::new();
    let mut new = |old: &MessageId, ids: &mut dyn Ids| {
        known.entry(old.clone()).or_insert_with(|| ids.message(now)).clone()
    };
    messages
        .into_iter()
        .map(|mut rows| {
            let id = new(rows.message.info.id(), ids);
            match &mut rows.message.info {
                MessageInfo::User(info) => {
                    (info.id, info.session_id) = (id.clone(), to.clone());
                }
                MessageInfo::Assistant(info) => {
                    info.parent_id = new(&info.parent_id, ids);
                    info.parent_ids = info.parent_ids.iter().map(|parent| new(parent, ids)).collect();
                    (info.id, info.session_id) = (id.clone(), to.clone());
                }
            }
            for part in &mut rows.parts {
                part.part.id = ids.part(now);
                part.part.session_id = to.clone();
                part.part.message_id = id.clone();
                part.open = false;
            }
            rows.chunks.clear();
            rows
        })
        .collect()
}
