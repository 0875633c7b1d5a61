//! What an agent asks us to do for it: read a file, write one, run a command. May we?
//!
//! Asks under the rules of all permissions, in the words of a tool call; doing it is the shell's business, and so
//! is whether a path lies where the session may work.

use agent_client_protocol_schema::v1::{
    PermissionOption, PermissionOptionKind, ToolCallLocation, ToolCallUpdate, ToolCallUpdateFields, ToolKind,
};
use openscience_protocol::message::PartBody;
use openscience_protocol::row::DecisionRow;
use openscience_protocol::{PermissionReply, Rule, RuleAction, ToolRef};
use serde_json::{Value, json};

use crate::change::Change;
use crate::input::{Ours, PermissionAsk, RequestKey};
use crate::rules::{self, Source, Verdict};
use crate::session::{Context, Live, State};
use crate::{broker, permission, tool};

/// The options of a request that we carry out ourselves.
pub const ALLOW: &str = "allow";
const REJECT: &str = "reject";

/// Content of a file up to this length is shown to who is asked.
const CONTENT_SHOWN: usize = 16 << 10;

/// One thing an agent asks us to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    Read { path: String, line: Option<u32>, limit: Option<u32> },
    Write { path: String, content: String },
    Run(Run),
}

/// A command to run in a terminal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Run {
    pub command: String,
    pub args: Vec<String>,
    pub env: Vec<(String, String)>,
    /// Where; the session's own directory if the agent names none.
    pub cwd: Option<String>,
    /// Most bytes of output that are kept.
    pub output_bytes: Option<u64>,
}

impl Run {
    /// The command and its arguments as one line.
    pub fn line(&self) -> String {
        std::iter::once(&self.command).chain(&self.args).map(String::as_str).collect::<Vec<_>>().join(" ")
    }
}

/// What is offered to an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Offer {
    pub read: bool,
    pub write: bool,
    pub terminal: bool,
}

impl Offer {
    /// Everything that is served.
    pub const ALL: Self = Self { read: true, write: true, terminal: true };
    /// Nothing.
    pub const NONE: Self = Self { read: false, write: false, terminal: false };

    /// What an agent of that id, started by that program, is offered: all but what it gets wrong.
    pub fn of(agent: &str, program: &str) -> Self {
        // gemini reads a file before it writes one, and takes any error for a failed write: with reading
        // offered it cannot make a file.
        let family = |name: &str| agent.starts_with(name) || program.starts_with(name);
        if family("gemini") { Self { read: false, ..Self::ALL } } else { Self::ALL }
    }
}

/// The request as a permission that may have to be asked for.
pub fn asked(key: RequestKey, request: &Request) -> PermissionAsk {
    let fields = ToolCallUpdateFields::new();
    let fields = match request {
        Request::Read { path, line, limit } => {
            let input = json!({ "path": path, "line": line, "limit": limit });
            fields
                .kind(ToolKind::Read)
                .title(format!("Read {path}"))
                .raw_input(given(input))
                .locations(at(path))
        }
        Request::Write { path, content } => {
            let mut input = json!({ "path": path, "bytes": content.len() });
            if content.len() <= CONTENT_SHOWN {
                input["content"] = json!(content);
            }
            fields.kind(ToolKind::Edit).title(format!("Write {path}")).raw_input(input).locations(at(path))
        }
        Request::Run(run) => {
            let mut input = json!({ "command": run.command, "args": run.args, "cwd": run.cwd });
            if !run.env.is_empty() {
                // Values may be secrets.
                input["env"] = run.env.iter().map(|(name, _)| name.as_str()).collect();
            }
            fields.kind(ToolKind::Execute).title(run.line()).raw_input(given(input))
        }
    };
    let option = |id: &'static str, name: &'static str, kind| PermissionOption::new(id, name, kind);
    let options = vec![
        option(ALLOW, "Allow", PermissionOptionKind::AllowOnce),
        option(REJECT, "Reject", PermissionOptionKind::RejectOnce),
    ];
    PermissionAsk {
        key,
        tool: ToolCallUpdate::new(String::new(), fields),
        raw_options: json!(options),
        options,
        grants: Vec::new(),
        real_paths: false,
        ours: Some(Ours {
            reads: matches!(request, Request::Read { .. }),
            possible: true,
            allowed: Vec::new(),
        }),
    }
}

/// The object without its nulls.
fn given(mut input: Value) -> Value {
    if let Some(fields) = input.as_object_mut() {
        fields.retain(|_, value| !value.is_null());
    }
    input
}

fn at(path: &str) -> Vec<ToolCallLocation> {
    vec![ToolCallLocation::new(path)]
}

/// What such a request comes to.
pub(crate) fn decide(
    state: &State,
    live: &Live,
    ask: &PermissionAsk,
    ours: &Ours,
    cx: &mut Context<'_>,
) -> Vec<Change> {
    let Some(turn) = live.open_turn().filter(|turn| live.told(turn).is_none() && !live.closing()) else {
        return vec![Change::RequestRefused(ask.key)];
    };
    if !ours.possible || live.answer.is_none() {
        return vec![Change::RequestRefused(ask.key)];
    }
    let category = permission::category(&ask.tool);
    let patterns = permission::patterns(&ask.tool);
    let configured = if ours.reads { with_default(cx.rules) } else { Vec::new() };
    let configured = if ours.reads { &configured } else { cx.rules };
    let session_rules = state.row.permission.as_deref().unwrap_or_default();
    let verdict = rules::evaluate(session_rules, false, configured, &category, &patterns);
    let served = match verdict {
        // Not worth a record each: what is read inside the session's directories harms nobody.
        Verdict::Allow { by: Source::Session | Source::Configured } => ours.reads,
        Verdict::Ask => ours.allowed.iter().any(|row| covers(row, live, &category, &patterns)),
        Verdict::Allow { by: Source::Grant } | Verdict::Deny { .. } => false,
    };
    if served {
        return vec![Change::RequestServed(ask.key)];
    }
    let linked = link(live);
    broker::ask_for(state, live, turn, ask, (category, &patterns), linked, cx)
}

/// The rules with a last word of their own: who says nothing of reading allows it. As weak as can be,
/// and where a rule is as weak the stricter one counts.
fn with_default(configured: &[Rule]) -> Vec<Rule> {
    let default = Rule { permission: "*".to_owned(), pattern: "*".to_owned(), action: RuleAction::Allow };
    configured.iter().cloned().chain([default]).collect()
}

/// True if just this was allowed in the same turn: qwen asks for an edit, then has us write the file.
fn covers(row: &DecisionRow, live: &Live, category: &str, patterns: &[String]) -> bool {
    let answer = live.answer.as_ref().map(|answer| answer.row.info.id());
    let Some(request) = row.permission() else { return false };
    let here = request.tool.as_ref().is_some_and(|tool| Some(&tool.message_id) == answer);
    let allowed = !matches!(row.reply, None | Some(PermissionReply::Reject));
    let told = |pattern: &String| request.patterns.contains(pattern);
    here && allowed && request.permission == category && patterns.iter().all(told)
}

/// The tool call it belongs to, where only one is open: the agent does not tell.
fn link(live: &Live) -> Option<ToolRef> {
    let answer = live.answer.as_ref()?;
    let mut open = answer.tools.iter().filter_map(|row| match &row.part.body {
        PartBody::Tool(part) if !tool::is_over(part) => Some(&part.call_id),
        _ => None,
    });
    let (Some(call), None) = (open.next(), open.next()) else { return None };
    Some(ToolRef { message_id: answer.row.info.id().clone(), call_id: call.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> PermissionAsk {
        asked(RequestKey(1), &Request::Read { path: path.to_owned(), line: Some(2), limit: None })
    }

    #[test]
    fn a_request_is_asked_for_in_the_words_of_a_tool_call() {
        let check = |ask: &PermissionAsk, category: &str, pattern: &str, input: Value| {
            assert_eq!(permission::category(&ask.tool), category);
            assert_eq!(permission::patterns(&ask.tool), [pattern]);
            assert_eq!(ask.tool.fields.raw_input, Some(input));
            assert_eq!(permission::choose(&ask.options, true).as_deref(), Some(ALLOW));
            assert_eq!(permission::choose(&ask.options, false).as_deref(), Some("reject"));
        };
        check(&read("/ws/a"), "read", "/ws/a", json!({ "path": "/ws/a", "line": 2 }));
        let write = |content: &str| Request::Write { path: "/ws/a".to_owned(), content: content.to_owned() };
        let input = json!({ "path": "/ws/a", "bytes": 1, "content": "x" });
        check(&asked(RequestKey(1), &write("x")), "edit", "/ws/a", input);
        let large = "x".repeat(CONTENT_SHOWN + 1);
        let input = json!({ "path": "/ws/a", "bytes": large.len() });
        check(&asked(RequestKey(1), &write(&large)), "edit", "/ws/a", input);
        let run = Request::Run(Run {
            command: "make".to_owned(),
            args: vec!["all".to_owned()],
            env: vec![("KEY".to_owned(), "secret".to_owned())],
            ..Run::default()
        });
        let input = json!({ "command": "make", "args": ["all"], "env": ["KEY"] });
        check(&asked(RequestKey(1), &run), "bash", "make all", input);
    }

    #[test]
    fn gemini_is_not_offered_to_read() {
        assert_eq!(Offer::of("codex", "codex-acp"), Offer::ALL);
        let gemini = Offer { read: false, ..Offer::ALL };
        assert_eq!(Offer::of("gemini-cli", "x"), gemini);
        assert_eq!(Offer::of("mine", "gemini"), gemini);
    }
}
