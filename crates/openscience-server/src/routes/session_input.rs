//! What a client may say of a session: bodies and queries, turned into what
//! the runtime takes.

use openscience_protocol::queue::QueuePolicy;
use openscience_protocol::session::{RULE_CHARS_MAX, RULES_MAX, TITLE_CHARS_MAX};
use openscience_protocol::whole::Whole;
use openscience_protocol::{AgentId, Millis, Rule, SessionId, Workspace};
use openscience_runtime::error::CreateError;
use openscience_runtime::request::{NewSession, SessionFilter, SessionPatchInput};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};

use crate::extract::JsonBody;
use crate::problem::{Issue, Problem};
use crate::routes::not_available::not_available;
use crate::routes::session_agent_input::{self, InitialConfigInput, OpenInput, SessionAgentInput};
use crate::routes::session_mcp::{self, McpServerInput};
use crate::validate::{check_chars, check_name};

/// What a new session should be; everything may be left out.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SessionInput {
    /// Makes the creation idempotent: an existing session of that id is returned.
    id: Option<SessionId>,
    #[serde(rename = "parentID")]
    parent_id: Option<SessionId>,
    #[schema(max_length = 1_000)]
    title: Option<String>,
    /// Rules of this session alone, before those of the configuration.
    #[schema(max_items = 1_000)]
    permission: Option<Vec<Rule>>,
    /// Where the agent works; isolated if left out.
    workspace: Option<Workspace>,
    /// Only `scratch`, which is what an isolated session has.
    working_root: Option<String>,
    /// The agent; the default agent if left out.
    #[schema(value_type = Option<SessionAgentInput>)]
    agent: Option<Value>,
    /// Default deadline of its runs, in milliseconds.
    #[schema(value_type = Option<u64>, minimum = 1, maximum = 9_007_199_254_740_991_i64)]
    deadline_ms: Option<Whole<1>>,
    /// A conversation the agent holds, which this session takes over now: the agent's id of it.
    #[serde(rename = "agentSessionID")]
    #[schema(max_length = 1_000)]
    agent_session_id: Option<String>,
    /// How it is taken up; with `agentSessionID`.
    open: Option<OpenInput>,
    /// How its agent is to be set when it is opened.
    initial_config: Option<InitialConfigInput>,
    /// Instructions its agent is opened with; not for a conversation that is taken over.
    #[schema(max_length = 100_000)]
    system_prompt: Option<String>,
    /// MCP servers its agent is given besides the configured ones.
    #[schema(max_items = 64)]
    mcp_servers: Option<Vec<McpServerInput>>,
    /// How prompts that wait for the agent are sent; coalesced if left out.
    queue: Option<QueuePolicy>,
}

impl JsonBody for SessionInput {}

impl TryFrom<SessionInput> for NewSession {
    type Error = Problem;

    fn try_from(input: SessionInput) -> Result<Self, Problem> {
        let scratch = input.working_root.as_deref().is_none_or(|root| root == "scratch");
        if !scratch || (input.working_root.is_some() && input.workspace == Some(Workspace::Project)) {
            return Err(not_available("workingRoot"));
        }
        let mut issues = Vec::new();
        check_chars(&mut issues, "title", input.title.as_deref(), TITLE_CHARS_MAX);
        check_name(&mut issues, "agent", input.agent.as_ref().and_then(Value::as_str));
        check_rules(&mut issues, input.permission.as_deref().unwrap_or_default());
        let mcp_servers = session_mcp::servers(&mut issues, input.mcp_servers.unwrap_or_default());
        let agent = session_agent_input::agent(&mut issues, input.agent);
        let initial_config = session_agent_input::initial_config(&mut issues, input.initial_config);
        let system_prompt = session_agent_input::system_prompt(&mut issues, input.system_prompt);
        let adopt = session_agent_input::adoption(&mut issues, input.agent_session_id, input.open);
        if !issues.is_empty() {
            return Err(Problem::invalid(issues));
        }
        if adopt.is_some() && system_prompt.is_some() {
            return Err(CreateError::SystemPromptUnsupported.into());
        }
        Ok(Self {
            id: input.id,
            parent_id: input.parent_id,
            title: input.title,
            permission: input.permission,
            workspace: input.workspace,
            agent,
            deadline_ms: input.deadline_ms.map(|Whole(deadline)| deadline),
            delivery: input.queue.map(|queue| queue.delivery).unwrap_or_default(),
            mcp_servers,
            system_prompt,
            initial_config,
            adopt,
        })
    }
}

fn check_rules(issues: &mut Vec<Issue>, rules: &[Rule]) {
    if rules.len() > RULES_MAX {
        issues.push(Issue::new("permission", format!("expected at most {RULES_MAX} rules")));
        return;
    }
    for (index, rule) in rules.iter().enumerate() {
        for (field, text) in [("permission", &rule.permission), ("pattern", &rule.pattern)] {
            check_chars(issues, &format!("permission[{index}].{field}"), Some(text), RULE_CHARS_MAX);
        }
    }
}

/// What to change of a session; what is left out stays.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct SessionChange {
    #[schema(max_length = 1_000)]
    title: Option<String>,
    time: Option<SessionTimeChange>,
}

/// Marks of a session; 0 or null clears one.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub(crate) struct SessionTimeChange {
    #[serde(default, deserialize_with = "null_as_zero")]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    archived: Option<Whole<0>>,
    #[serde(default, deserialize_with = "null_as_zero")]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 9_007_199_254_740_991_i64)]
    pinned: Option<Whole<0>>,
}

/// Tells null, which clears as 0 does, from a key that is left out.
fn null_as_zero<'de, D: Deserializer<'de>>(source: D) -> Result<Option<Whole<0>>, D::Error> {
    Ok(Some(Option::deserialize(source)?.unwrap_or(Whole(0))))
}

impl JsonBody for SessionChange {}

impl TryFrom<SessionChange> for SessionPatchInput {
    type Error = Problem;

    fn try_from(change: SessionChange) -> Result<Self, Problem> {
        let mut issues = Vec::new();
        check_chars(&mut issues, "title", change.title.as_deref(), TITLE_CHARS_MAX);
        if !issues.is_empty() {
            return Err(Problem::invalid(issues));
        }
        let SessionTimeChange { archived, pinned } = change.time.unwrap_or_default();
        let mark = |Whole(time): Whole<0>| -> Option<Millis> { (time != 0).then_some(time.cast_signed()) };
        Ok(Self { title: change.title, archived: archived.map(mark), pinned: pinned.map(mark) })
    }
}

/// Which sessions to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionsQuery {
    /// Only sessions without a parent.
    #[serde(default)]
    #[param(required = false)]
    roots: bool,
    /// Only sessions updated at or after this time, in milliseconds.
    start: Option<Millis>,
    /// Part of the title, in any case.
    search: Option<String>,
    /// At most this many; all if absent or 0.
    limit: Option<u32>,
    /// Only sessions listed after this one.
    before: Option<SessionId>,
    /// Whose sessions: this daemon's (`local`, the default), those an agent knows (`remote`), or both
    /// (`all`). The last two answer an object of references and take `agent` and `cursor` alone.
    #[param(inline)]
    source: Option<SourceInput>,
    /// The agent that is asked; the default agent if left out.
    agent: Option<String>,
    /// Of the page before, for `remote` and `all`.
    cursor: Option<String>,
}

/// Whose sessions to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SourceInput {
    #[default]
    Local,
    Remote,
    All,
}

/// A list that an agent is asked for.
#[derive(Debug)]
pub(crate) struct AgentList {
    pub(crate) agent: Option<AgentId>,
    pub(crate) all: bool,
    pub(crate) cursor: Option<String>,
}

impl SessionsQuery {
    /// The list of an agent, if that is what is wanted.
    pub(crate) fn of_agent(&self) -> Option<AgentList> {
        let all = match self.source.unwrap_or_default() {
            SourceInput::Local => return None,
            SourceInput::Remote => false,
            SourceInput::All => true,
        };
        let agent = self.agent.as_deref().map(AgentId::from);
        Some(AgentList { agent, all, cursor: self.cursor.clone() })
    }
}

impl TryFrom<SessionsQuery> for SessionFilter {
    type Error = Problem;

    fn try_from(query: SessionsQuery) -> Result<Self, Problem> {
        let mut issues = Vec::new();
        check_name(&mut issues, "agent", query.agent.as_deref());
        if query.cursor.is_some() && query.of_agent().is_none() {
            issues.push(Issue::new("cursor", "is for source=remote and source=all"));
        }
        if !issues.is_empty() {
            return Err(Problem::invalid(issues));
        }
        Ok(Self {
            roots: query.roots,
            agent: query.agent.as_deref().map(AgentId::from),
            start: query.start,
            search: query.search.filter(|search| !search.is_empty()),
            limit: query.limit.filter(|limit| *limit != 0),
            before: query.before,
        })
    }
}

#[cfg(test)]
#[path = "session_input_tests.rs"]
mod tests;
