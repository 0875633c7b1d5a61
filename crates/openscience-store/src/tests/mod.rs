//! The store against real SQLite in a temporary directory.

mod appending;
mod artifacts;
mod inspecting;
mod journal;
mod opening;
mod owning;
mod reading;
mod sharing;
mod state;
mod statements;
mod transcript;

use openscience_protocol::event::{Actor, CancelSource};
use openscience_protocol::message::{
    AssistantInfo, AssistantTime, CacheTokens, MessagePath, TextPart, Tokens, ToolCompleted, ToolPart,
    ToolSpan, ToolState, UserInfo, UserTime,
};
use openscience_protocol::prompt::{Effort, ModelRef};
use openscience_protocol::row::{
    Append, Appended, Asked, ChunkRow, DecisionRow, DecisionState, MessageRow, NewEvent, PartRow, RunRow,
    SessionMeta, SessionRow, TurnRow, TurnSettings, Write,
};
use openscience_protocol::run::TurnState;
use openscience_protocol::session::ProjectTime;
use openscience_protocol::{
    MessageInfo, Part, PartBody, PermissionReply, PermissionRequest, Project, ProjectId, Rule, RuleAction,
    RunError, RunState, SessionId, Workspace,
};
use serde_json::{Map, json};
use sqlx::{ConnectOptions, SqliteConnection};
use tempfile::TempDir;

use crate::error::{AppendError, OpenError};
use crate::root::Root;
use crate::{Creation, OpenConfig, Store, schema};

const NOW: i64 = 1_700_000_000_000;

fn id<T: std::str::FromStr<Err: std::fmt::Debug>>(text: &str) -> T {
    text.parse().unwrap()
}

/// A data directory that lives as long as the test.
struct Data {
    folder: TempDir,
}

impl Data {
    fn new() -> Self {
        Self { folder: TempDir::new().unwrap() }
    }

    fn config(&self, owner: &str) -> OpenConfig {
        OpenConfig {
            data_dir: self.folder.path().to_owned(),
            owner: id(owner),
            version: "1.2.3".to_owned(),
            now: NOW,
        }
    }

    async fn try_open(&self, owner: &str) -> Result<Store, OpenError> {
        Store::open(self.config(owner)).await
    }

    async fn open(&self, owner: &str) -> Store {
        self.try_open(owner).await.unwrap()
    }

    /// A store that knows one project and one session, `ses_a`.
    async fn with_session(&self) -> Store {
        let store = self.open("own_a").await;
        store.record_project(&project("prj_a")).await.unwrap();
        create(&store, "ses_a").await;
        store
    }

    /// A connection of another kind: what a person with a SQLite shell could do.
    async fn shell(&self) -> SqliteConnection {
        let root = Root::prepare(self.folder.path()).unwrap();
        root.create_database().unwrap();
        schema::writer_options(&root).connect().await.unwrap()
    }
}

fn project(project: &str) -> Project {
    Project {
        id: id(project),
        worktree: format!("/srv/{project}"),
        vcs: Some("git".to_owned()),
        name: None,
        origin: "openscience".to_owned(),
        time: ProjectTime { created: NOW, updated: NOW },
        sandboxes: Vec::new(),
    }
}

fn session_row(session: &str) -> SessionRow {
    SessionRow {
        id: id(session),
        project_id: id("prj_a"),
        directory: "/srv/a".to_owned(),
        workspace: Workspace::Isolated,
        parent_id: None,
        title: "A title".to_owned(),
        agent: "sim".into(),
        permission: Some(vec![Rule {
            permission: "bash".to_owned(),
            pattern: "ls *".to_owned(),
            action: RuleAction::Allow,
        }]),
        deadline_ms: Some(60_000),
        version: "1.2.3".to_owned(),
        created: NOW,
        updated: NOW,
        archived: None,
        pinned: None,
        deleting: false,
        revision: 0,
        latest_sequence: 0,
        latest_message: 0,
        meta: SessionMeta { titled: true, ..SessionMeta::default() },
    }
}

async fn create(store: &Store, session: &str) -> SessionRow {
    match store.create_session(session_row(session)).await.unwrap() {
        Creation::New(row) => row,
        other => panic!("{other:?}"),
    }
}

fn user_info(message: &str) -> UserInfo {
    UserInfo {
        id: id(message),
        session_id: id("ses_a"),
        time: UserTime { created: NOW },
        agent: "research".to_owned(),
        model: ModelRef { provider_id: "sim".to_owned(), model_id: "default".to_owned() },
        effort: Effort::Normal,
        variant: None,
        tier: None,
        context: Some(7),
        delegation: None,
        delegation_settings: None,
    }
}

fn user(position: i64, message: &str) -> MessageRow {
    MessageRow { position, info: MessageInfo::User(user_info(message)) }
}

fn assistant(position: i64, message: &str, parent: &str) -> MessageRow {
    let info = AssistantInfo {
        id: id(message),
        session_id: id("ses_a"),
        parent_id: id(parent),
        parent_ids: vec![id(parent)],
        model_id: "default".to_owned(),
        provider_id: "sim".to_owned(),
        mode: "research".to_owned(),
        agent: "research".to_owned(),
        path: MessagePath { cwd: "/srv/a".to_owned(), root: "/srv/a".to_owned() },
        time: AssistantTime { created: NOW, completed: None },
        cost: 0.25,
        tokens: Tokens { input: 1, output: 2, reasoning: 3, cache: CacheTokens { read: 4, write: 5 } },
        finish: None,
        error: None,
    };
    MessageRow { position, info: MessageInfo::Assistant(info) }
}

fn part_row(message: (i64, &str), position: i64, open: bool, body: PartBody) -> PartRow {
    let part = Part {
        id: id(&format!("prt_{}_{position}", message.0)),
        session_id: id("ses_a"),
        message_id: id(message.1),
        body,
    };
    PartRow { message: message.0, position, part, open }
}

fn text_body(text: &str) -> PartBody {
    PartBody::Text(TextPart { text: text.to_owned(), synthetic: None, time: None, metadata: None })
}

fn tool_body(output: String) -> PartBody {
    PartBody::Tool(ToolPart {
        call_id: "call".to_owned(),
        tool: "bash".to_owned(),
        state: ToolState::Completed(ToolCompleted {
            input: json!({"command": "ls", "deep": [1, 2.5, null, "\u{0}\"\\ü"]}),
            output,
            title: "ls".to_owned(),
            metadata: Map::new(),
            time: ToolSpan { start: NOW, end: NOW + 1 },
        }),
        metadata: None,
    })
}

fn chunk(message: i64, part: i64, offset: u64, text: &str) -> ChunkRow {
    ChunkRow { message, part, offset, text: text.to_owned() }
}

fn run_row(run: &str, message: &str, state: RunState) -> RunRow {
    RunRow {
        id: id(run),
        request_id: Some("key 1".to_owned()),
        fingerprint: "f".repeat(64),
        message_id: id(message),
        turn_id: id("trn_a"),
        state,
        effort: Effort::Ultra,
        agent: "sim".into(),
        owner: id("own_a"),
        accepted_at: NOW,
        updated_at: NOW + 1,
        completed_at: state.is_terminal().then_some(NOW + 2),
        result_message_id: Some(id("msg_answer")),
        error: Some(RunError::new("run_failed", "it \"failed\"")),
        stop_reason: Some("end_turn".to_owned()),
        cancel: Some(CancelSource::RunnerTimeout),
        stop_at: Some(NOW + 3),
        deadline_at: Some(NOW + 4),
        agent_still_running: true,
        context_reset: true,
    }
}

fn turn_row(turn: &str, run: &str, message: &str, ended_at: Option<i64>) -> TurnRow {
    TurnRow {
        id: id(turn),
        run_id: id(run),
        message_id: id(message),
        state: if ended_at.is_some() { TurnState::Completed } else { TurnState::Active },
        rank: -1,
        settings: TurnSettings {
            effort: Effort::Ultra,
            model: Some(ModelRef { provider_id: "p".to_owned(), model_id: "m".to_owned() }),
            variant: Some("high".to_owned()),
            tier: None,
            context: Some(65_536),
        },
        queued_at: NOW,
        started_at: Some(NOW + 1),
        sent_at: Some(NOW + 2),
        active_at: Some(NOW + 3),
        cancel_at: Some(NOW + 4),
        ended_at,
        into_turn_id: None,
        stop_reason: None,
        error: None,
        refused: true,
        instead: true,
        escalated_at: Some(NOW + 2),
        artifact_run: Some(id("artifact-run-1-2")),
    }
}

fn decision_row(decision: &str, run: &str, state: DecisionState) -> DecisionRow {
    let answered = state == DecisionState::Resolved || state == DecisionState::Indeterminate;
    DecisionRow {
        id: id(decision),
        run_id: id(run),
        request: Asked::Permission(PermissionRequest {
            id: id(decision),
            session_id: id("ses_a"),
            permission: "bash".to_owned(),
            patterns: vec!["rm -rf *".to_owned()],
            metadata: Map::new(),
            always: Vec::new(),
            tool: None,
            asked_at: Some(NOW),
            expires_at: None,
        }),
        state,
        reply: answered.then_some(PermissionReply::Once),
        message: answered.then(|| "fine".to_owned()),
        answers: None,
        actor: answered.then_some(Actor::Person),
        close_reason: None,
        asked_at: NOW,
        decided_at: answered.then_some(NOW + 1),
    }
}

fn event(text: &str) -> NewEvent {
    NewEvent { event_type: "message.updated", body: json!({"properties": {"text": text}}).to_string() }
}

fn append_to(session: &str, expected_revision: i64) -> Append {
    Append {
        session: id(session),
        expected_revision,
        bump: false,
        new_messages: 0,
        writes: Vec::new(),
        events: Vec::new(),
        relies_on: Vec::new(),
    }
}

/// Appends to `ses_a` at its present revision.
async fn write(store: &Store, writes: Vec<Write>, events: Vec<NewEvent>) -> Result<Appended, AppendError> {
    let session: SessionId = id("ses_a");
    let revision = store.session(&session).await.unwrap().unwrap().revision;
    store.append(Append { writes, events, ..append_to("ses_a", revision) }).await
}

/// Writes of a run that was accepted and whose answer is growing.
fn live_run() -> Vec<Write> {
    vec![
        Write::Message(user(1, "msg_ask")),
        Write::Part(Box::new(part_row((1, "msg_ask"), 1, false, text_body("what?")))),
        Write::Run(Box::new(run_row("run_a", "msg_ask", RunState::Running))),
        Write::Turn(Box::new(turn_row("trn_a", "run_a", "msg_ask", None))),
        Write::Message(assistant(2, "msg_answer", "msg_ask")),
        Write::Part(Box::new(part_row((2, "msg_answer"), 1, true, text_body("a")))),
        Write::Chunk(chunk(2, 1, 1, "b\u{0}")),
        Write::Chunk(chunk(2, 1, 3, "c")),
        Write::Decision(Box::new(decision_row("per_a", "run_a", DecisionState::Pending))),
    ]
}

/// How many rows a table has, whosever they are.
async fn count(data: &Data, table: &str) -> i64 {
    let sql = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
    sqlx::query_scalar(sql).fetch_one(&mut data.shell().await).await.unwrap()
}

fn project_id() -> ProjectId {
    id("prj_a")
}
