//! One agent process, spoken to over ACP: how it is started, what it says, how
//! it ends.
//!
//! The transport is our own: bounded frames, updates in order, a slow reader
//! slows the agent, and what cannot be understood is kept raw instead of
//! breaking the connection. This crate knows no run and no event of ours and
//! decides nothing; it is the only one that starts processes.

mod answers;
mod calls;
pub mod catalog;
mod channel;
mod connection;
mod decode;
mod early;
mod error;
mod exec_child;
mod frame;
mod handlers;
mod hold;
mod initialize;
mod launch;
mod oversized;
mod pending;
mod process;
mod reader;
mod record;
mod requests;
mod standing;
mod state;
mod terminals;
mod text;
mod update;
mod writer;

pub use calls::{Opening, SystemPrompt};
pub use channel::{EventSink, EventStream, SESSION_BYTES, events, events_within};
pub use connection::{Connection, Counters, OpenedSession, SessionEvent, connect, connect_io};
pub use error::{AgentError, AgentExit, RpcError, Stage};
pub use exec_child::exec_child;
pub use handlers::request_key;
pub use initialize::Initialized;
pub use launch::{AcpLimits, Launch, allowed_environment, find_program, locate};
pub use openscience_core::authority::Offer;
pub use process::{MARK_VARIABLE, become_subreaper, sweep_marked};
pub use record::{Note, Record};
pub use requests::Refused;
pub use standing::{OpenSession, Standing};
pub use terminals::{TERMINALS_MAX, TerminalHandle};
