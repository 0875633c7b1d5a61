//! How does an agent that knows only MCP ask a person something? With one tool, `ask_question`.
//!
//! The daemon puts the questions to people and decides what becomes of them; this process carries them there over a
//! socket, one connection for each call, and waits. It is the agent's child: where either goes, the question is taken back.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openscience_files::socket::at_short_path;
use openscience_protocol::decision::{Answers, Question, QuestionOption};
use openscience_protocol::inquiry::{Inquiry, LINE_BYTES_MAX, Outcome, SERVER, TAKEN};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{
    CallToolResult, ContentBlock, Implementation, ProgressNotificationParam, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler, ServiceExt as _, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::UnixStream;
use tokio::time::{MissedTickBehavior, interval};

/// How often a client that can be told of progress is told that a person is still being waited for: well within
/// the time any of them allows between two signs of life.
const SIGN_OF_LIFE: Duration = Duration::from_secs(10);

/// Why the server ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    #[error("the client did not begin as MCP demands")]
    Handshake(#[source] Box<rmcp::service::ServerInitializeError>),
    #[error("the server stopped unexpectedly")]
    Stopped(#[from] tokio::task::JoinError),
}

/// Why questions could not be carried to the daemon and back.
#[derive(Debug, thiserror::Error)]
enum CarryError {
    #[error("the daemon cannot be reached")]
    Unreachable(#[source] io::Error),
    #[error("the daemon has gone")]
    Gone(#[source] io::Error),
}

/// Serves MCP on standard input and output until the input ends.
pub async fn serve(socket: PathBuf, pass: String) -> Result<(), ServeError> {
    let server = Questions { socket, pass };
    let service = server.serve(rmcp::transport::stdio()).await;
    let service = service.map_err(|error| ServeError::Handshake(Box::new(error)))?;
    service.waiting().await?;
    Ok(())
}

#[derive(Debug, Clone)]
struct Questions {
    socket: PathBuf,
    pass: String,
}

/// What is asked.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct Ask {
    /// One to a few questions, shown together
    questions: Vec<AskedQuestion>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct AskedQuestion {
    /// The question in full
    question: String,
    /// A few words that name it
    #[serde(default)]
    header: String,
    /// Answers to choose from; none for a free answer
    #[serde(default)]
    options: Vec<AskedOption>,
    /// Any number of options may be chosen
    #[serde(default)]
    multiple: Option<bool>,
    /// False: one of the options must be chosen. Otherwise any text is an answer
    #[serde(default)]
    custom: Option<bool>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
struct AskedOption {
    /// The answer
    label: String,
    /// What it means
    #[serde(default)]
    description: String,
}

impl From<AskedQuestion> for Question {
    fn from(asked: AskedQuestion) -> Self {
        let AskedQuestion { question, header, options, multiple, custom } = asked;
        let option = |AskedOption { label, description }| QuestionOption { label, description };
        Self {
            header: if header.is_empty() { "Question".to_owned() } else { header },
            question,
            options: options.into_iter().map(option).collect(),
            multiple,
            custom,
            optional: None,
        }
    }
}

#[tool_router]
impl Questions {
    /// Ask the person you work for and wait for the answer. Use it when you cannot go on well without a decision or a
    /// fact that only they have; not for permission to use a tool.
    // Codex asks for permission before it calls a tool that may change something.
    #[tool(name = "ask_question", annotations(read_only_hint = true, open_world_hint = false))]
    async fn ask_question(
        &self,
        Parameters(Ask { questions }): Parameters<Ask>,
        context: RequestContext<RoleServer>,
    ) -> CallToolResult {
        let questions: Vec<Question> = questions.into_iter().map(Question::from).collect();
        tokio::select! {
            outcome = carry(&self.socket, &self.pass, &questions) => told(&questions, outcome),
            () = show_life(&context) => cancelled(),
            // Dropping the connection takes the question back.
            () = context.ct.cancelled() => cancelled(),
        }
    }
}

#[tool_handler]
impl ServerHandler for Questions {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new(SERVER, env!("CARGO_PKG_VERSION"));
        info
    }
}

/// Carries questions to the daemon, waits for what becomes of them and says that it has arrived.
async fn carry(socket: &Path, pass: &str, questions: &[Question]) -> Result<Outcome, CarryError> {
    let stream = connect(socket).map_err(CarryError::Unreachable)?;
    let (read, mut write) = stream.into_split();
    let inquiry = Inquiry { pass: pass.to_owned(), questions: questions.to_vec() };
    let exchange = async {
        let mut line = serde_json::to_vec(&inquiry)?;
        line.push(b'\n');
        write.write_all(&line).await?;
        let mut answer = String::new();
        BufReader::new(read.take(LINE_BYTES_MAX)).read_line(&mut answer).await?;
        let outcome = serde_json::from_str(&answer)?;
        write.write_all(format!("{TAKEN}\n").as_bytes()).await?;
        Ok(outcome)
    };
    exchange.await.map_err(CarryError::Gone)
}

fn connect(socket: &Path) -> io::Result<UnixStream> {
    let stream = at_short_path(socket, |path| std::os::unix::net::UnixStream::connect(path))?;
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

/// Tells a client that asked for progress that there is some, for as long as it is polled.
async fn show_life(context: &RequestContext<RoleServer>) {
    let Some(token) = context.meta.get_progress_token() else { return std::future::pending().await };
    let mut signs = interval(SIGN_OF_LIFE);
    signs.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut count = 0.0;
    loop {
        signs.tick().await;
        count += 1.0;
        let progress = ProgressNotificationParam::new(token.clone(), count);
        let progress = progress.with_message("waiting for a person to answer");
        if context.peer.notify_progress(progress).await.is_err() {
            // The client has left; standard input says so too.
            return std::future::pending().await;
        }
    }
}

fn told(questions: &[Question], outcome: Result<Outcome, CarryError>) -> CallToolResult {
    match outcome {
        Ok(Outcome::Answered { answers }) => answered(questions, &answers),
        Ok(Outcome::Declined { reason: None }) => say(
            "Nobody answers this. Go on as well as you can without it, or say what you would need to know.",
        ),
        Ok(Outcome::Declined { reason: Some(reason) }) => {
            fail(&format!("The questions cannot be asked: {reason}."))
        }
        Ok(Outcome::Cancelled) => cancelled(),
        Ok(Outcome::Refused) => fail("Questions cannot be asked here now."),
        Err(error) => fail(&format!("Questions cannot be asked now: {error}.")),
    }
}

/// In words, since not every model is shown the structure.
fn answered(questions: &[Question], answers: &Answers) -> CallToolResult {
    let said =
        |labels: &Vec<String>| if labels.is_empty() { "(nothing)".to_owned() } else { labels.join(", ") };
    let lines: Vec<String> = questions
        .iter()
        .zip(answers)
        .map(|(question, labels)| format!("{}\n{}", question.question, said(labels)))
        .collect();
    let mut result = say(&lines.join("\n\n"));
    result.structured_content = Some(json!({ "answers": answers }));
    result
}

fn cancelled() -> CallToolResult {
    fail("The questions were cancelled: do not wait for an answer.")
}

fn say(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn fail(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}
