//! Sessions and projects.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{AgentId, Millis, ProjectId, SessionId};

/// Longest title, in characters.
pub const TITLE_CHARS_MAX: usize = 1_000;

/// Most permission rules of a session: all are looked at for each permission.
pub const RULES_MAX: usize = 1_000;

/// Longest category and longest pattern of a rule, in characters.
pub const RULE_CHARS_MAX: usize = 1_000;

/// Where the agent works.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Workspace {
    /// A scratch folder of the session's own.
    #[default]
    Isolated,
    /// The project directory.
    Project,
}

impl Workspace {
    /// The word on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Isolated => "isolated",
            Self::Project => "project",
        }
    }
}

/// What a rule says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleAction {
    Allow,
    Deny,
    Ask,
}

/// One permission rule: a category, a pattern with `*`, and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Rule {
    #[schema(max_length = 1_000)]
    pub permission: String,
    #[schema(max_length = 1_000)]
    pub pattern: String,
    pub action: RuleAction,
}

/// Times of a session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionTime {
    pub created: Millis,
    pub updated: Millis,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub archived: Option<Millis>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pinned: Option<Millis>,
}

/// One conversation, bound to one project directory and one agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Session {
    pub id: SessionId,
    /// Short name for people; the id without its prefix.
    pub slug: String,
    #[serde(rename = "projectID")]
    pub project_id: ProjectId,
    /// Canonical project directory.
    pub directory: String,
    pub workspace: Workspace,
    #[serde(rename = "parentID", default, skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<SessionId>,
    pub title: String,
    /// Version of the daemon that created it.
    pub version: String,
    pub time: SessionTime,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permission: Option<Vec<Rule>>,
    /// The agent it is bound to.
    #[schema(value_type = String)]
    pub agent: AgentId,
    /// Default deadline of its runs, in milliseconds.
    #[serde(rename = "deadlineMs", default, skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
}

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum SessionStatus {
    Idle,
    Busy,
}

/// Times of a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProjectTime {
    pub created: Millis,
    pub updated: Millis,
}

/// A directory the daemon works for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Project {
    pub id: ProjectId,
    /// Canonical directory.
    pub worktree: String,
    /// `git` if the directory holds a git checkout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vcs: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Always `openscience`.
    pub origin: String,
    pub time: ProjectTime,
    pub sandboxes: Vec<String>,
}
