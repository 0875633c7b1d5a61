//! What an agent's questions server and the daemon say to each other, over a socket of their own.
//!
//! One connection is one request: a line with the questions, a line with what became of them, and a line by
//! which the server says that it has that. Whoever goes earlier takes the request back.

use serde::{Deserialize, Serialize};

use crate::decision::{Answers, Question};

/// What the MCP server is called, and its one tool.
pub const SERVER: &str = "openscience-questions";
pub const TOOL: &str = "ask_question";

/// Environment of the server: where the daemon listens, and what shows whose agent asks.
pub const SOCKET_VARIABLE: &str = "OPENSCIENCE_QUESTIONS_SOCKET";
pub const PASS_VARIABLE: &str = "OPENSCIENCE_QUESTIONS_PASS";

/// Longest line of either side: four times the questions of one request, for what escaping adds.
pub const LINE_BYTES_MAX: u64 = 256 << 10;

/// The line by which the server says that it has the outcome.
pub const TAKEN: &str = "taken";

/// Questions of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inquiry {
    /// Shows for which session they are.
    pub pass: String,
    pub questions: Vec<Question>,
}

/// What became of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "snake_case")]
pub enum Outcome {
    Answered {
        answers: Answers,
    },
    /// Nobody answers them, and why if anybody says so.
    Declined {
        reason: Option<String>,
    },
    /// The run they were asked in is over or being stopped.
    Cancelled,
    /// They could not be taken: the pass is of no session here, or nothing can be recorded.
    Refused,
}
