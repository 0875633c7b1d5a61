//! The words of openscience: what stands on the wire and in the database.
//!
//! This crate answers "what is it called and what does it look like". It has
//! no behaviour: nothing here decides, reads a clock or does IO.

pub mod agent;
pub mod agent_config;
pub mod artifact;
pub mod codes;
pub mod decision;
pub mod event;
pub mod id;
pub mod inquiry;
pub mod limits;
pub mod mcp;
pub mod message;
pub mod preview;
pub mod prompt;
pub mod queue;
pub mod row;
pub mod run;
pub mod session;
pub mod session_agent;
pub mod snapshot;
pub mod state;
pub mod upload;
pub mod whole;

pub use agent_config::{AgentLaunch, InitialConfig};
pub use artifact::{ArtifactFile, ArtifactRunId};
pub use decision::{
    DecisionInput, DecisionResult, DecisionStatus, PermissionReply, PermissionRequest, QuestionRequest,
    ToolRef,
};
pub use event::{EventBody, EventKind, RuntimeEvent};
pub use id::{
    AgentId, ArtifactId, ClaimId, DecisionId, IdError, MessageId, OwnerId, PartId, ProjectId, RunId,
    SessionId, TurnId, UploadId, VersionId,
};
pub use limits::Limits;
pub use mcp::McpServer;
pub use message::{Message, MessageInfo, Part, PartBody, Todo};
pub use preview::Preview;
pub use prompt::PromptInput;
pub use queue::{Delivery, Queue};
pub use run::{RunError, RunState, RuntimeRun};
pub use session::{Project, Rule, RuleAction, Session, SessionStatus, Workspace};
pub use snapshot::{Capabilities, Replay, Snapshot};
pub use upload::Upload;

/// Milliseconds since the Unix epoch.
pub type Millis = i64;

/// Position of an event in its session's journal: starts at 1, grows by exactly 1.
pub type Sequence = i64;

/// Events of a session that can be replayed; older ones are pruned.
pub const EVENT_RETENTION: i64 = 2_048;

/// Version of the runtime protocol spoken here.
pub const PROTOCOL_VERSION: &str = "1.0";
