//! Getting an agent ready for a turn: process, ACP session, model. Runs beside
//! the actor and reports to it; commits nothing.

use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol_schema::v1::{
    AgentCapabilities, SessionConfigKind, SessionConfigOption, SessionConfigOptionCategory,
    SessionConfigSelectOptions,
};
use openscience_acp::{AgentError, Connection, EventSink, OpenedSession, Opening};
use openscience_core::effect::TurnPlan;
use openscience_core::input::Opened;
use openscience_core::{handover, mapping};
use openscience_protocol::prompt::{Effort, ModelRef};
use openscience_protocol::row::SessionRow;
use openscience_protocol::{MessageId, RunError, Workspace, codes};
use openscience_store::Store;
use serde_json::{Value, json};

use crate::connections::{Connections, Key, Lease};
use crate::link::Link;
use crate::request::ContextReset;

/// Updates of one session that wait for its actor, besides the bound in bytes; beyond, the agent waits.
const UPDATES_WAITING: usize = 64;

/// Longest message of an error that names what was asked for and what is offered.
const MESSAGE_CHARS_MAX: usize = 2_000;

/// What starting a turn needs to know of its session.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub row: SessionRow,
    /// User messages the agent has not had: those of this turn and of turns that wait.
    pub unsent: Vec<MessageId>,
    pub data_dir: PathBuf,
    pub store: Store,
}

/// Opens what the turn needs. `held` is the open session, if there is one; it is used again if its
/// process still takes turns. What is open in the end is there too, whether or not this came to an end.
pub(crate) async fn open(
    connections: &Arc<Connections>,
    place: &Place,
    plan: &TurnPlan,
    held: &mut Option<Link>,
) -> Result<Opened, RunError> {
    let cwd = working_directory(place)?;
    let outdated = held.as_ref().is_some_and(|link| !link.is_newest(&place.row.meta));
    let usable = match held {
        Some(link) if !outdated => link.use_again(connections).await,
        Some(_) | None => false,
    };
    let (link, mut opened) = match held {
        Some(link) if usable => {
            // If nothing was said to it since it was opened, what was to be told before it still is.
            let handover = lost_conversation(place, Some(&link.session)).await?;
            let context_reset = handover.is_some().then(|| NOT_TAKEN_UP.to_owned());
            link.hand_over(handover);
            let fresh = place.row.meta.agent_session.as_ref() != Some(&link.session);
            let agent_info = link.shared.connection.initialized().agent_info.clone();
            (link, Opened { fresh, agent_info, context_reset, ..Opened::default() })
        }
        Some(_) | None => {
            // Released before another is opened in its place.
            *held = None;
            let (link, mut opened) = open_session(connections, place, plan, &cwd).await?;
            if outdated && opened.context_reset.is_some() {
                opened.context_reset = Some(FOREIGN_TURNS.to_owned());
            }
            (held.insert(link), opened)
        }
    };
    link.note(&place.row.meta);
    configure(link, plan).await?;
    opened.agent_session.clone_from(&link.session);
    if !link.config.is_empty() {
        opened.config = Some(json!(link.config));
        opened.model = mapping::model_value(&link.config);
    }
    Ok(opened)
}

fn working_directory(place: &Place) -> Result<PathBuf, RunError> {
    let missing = |what: &str| RunError::new(codes::run::DIRECTORY_MISSING, what).at("start");
    let project = PathBuf::from(&place.row.directory);
    if !project.is_dir() {
        return Err(missing("the project directory is gone"));
    }
    match place.row.workspace {
        Workspace::Project => Ok(project),
        Workspace::Isolated => {
            let scratch = scratch(&place.data_dir, place.row.id.as_str());
            let made = std::fs::DirBuilder::new();
            let made = private(made).recursive(true).create(&scratch);
            made.map_err(|_| missing("the session's scratch folder cannot be made"))?;
            Ok(scratch)
        }
    }
}

fn private(mut builder: std::fs::DirBuilder) -> std::fs::DirBuilder {
    use std::os::unix::fs::DirBuilderExt as _;
    builder.mode(0o700);
    builder
}

/// The scratch folder of an isolated session. The id's alphabet makes it one path component.
pub(crate) fn scratch(data_dir: &std::path::Path, session: &str) -> PathBuf {
    workspaces(data_dir).join(session)
}

/// Where the scratch folders are.
pub(crate) fn workspaces(data_dir: &std::path::Path) -> PathBuf {
    data_dir.join("workspaces")
}

/// Opens the ACP session on the process of agent and project.
async fn open_session(
    connections: &Arc<Connections>,
    place: &Place,
    plan: &TurnPlan,
    cwd: &std::path::Path,
) -> Result<(Link, Opened), RunError> {
    let key = Key { agent: plan.agent.clone(), directory: PathBuf::from(&place.row.directory) };
    let lease = connections.get(&key).await?;
    let worked = lease.shared().has_worked();
    match open_on(lease, connections, place, plan, cwd).await {
        // It died at rest and nobody had noticed. No prompt was sent: a fresh one can do all of this.
        Err(error) if worked && error.code == codes::run::AGENT_EXITED => {
            tracing::info!(agent.id = %key.agent, "the agent was gone and is started again");
            open_on(connections.get(&key).await?, connections, place, plan, cwd).await
        }
        opened => opened,
    }
}

async fn open_on(
    lease: Lease,
    connections: &Arc<Connections>,
    place: &Place,
    plan: &TurnPlan,
    cwd: &std::path::Path,
) -> Result<(Link, Opened), RunError> {
    let shared = lease.shared().clone();
    let (sender, events) = openscience_acp::events(UPDATES_WAITING);
    let sender = sender.of(place.row.id.clone());
    let connection = &shared.connection;
    let mcp_servers = &connections.mcp_servers(&place.row.meta.mcp_servers, &shared)?;
    let at = Opening { cwd, mcp_servers };
    let kept = match &plan.agent_session {
        Some(id) => {
            let kept = reopen(connection, id, at, &sender).await;
            // An agent may refuse to take up what holds nothing.
            if place.row.meta.agent_turns > 0 {
                connections.reopened(&plan.agent, kept.is_some());
            }
            kept
        }
        None => None,
    };
    let handover =
        lost_conversation(place, kept.as_ref().map(|(session, _)| session.session_id.as_str())).await?;
    let refuses =
        connections.agent(&plan.agent).is_some_and(|agent| agent.context_reset == ContextReset::Fail);
    if handover.is_some() && refuses {
        let message = "the agent has lost the conversation, and its contextReset is fail";
        return Err(RunError::new(codes::run::CONTEXT_LOST, message).at("session"));
    }
    let resumed = kept.as_ref().map(|(_, method)| *method).filter(|_| handover.is_none());
    let session = if let Some((session, _)) = kept {
        session
    } else {
        let opened = new_session(connection, connections.environment(&plan.agent), at, sender).await;
        if let Err(AgentError::Timeout { .. }) = &opened {
            // It says nothing at all any more: whoever comes next gets a fresh one.
            connections.retire(&shared);
        }
        opened?
    };
    shared.note_worked();
    let opened = Opened {
        agent_session: session.session_id.clone(),
        fresh: true,
        agent_info: connection.initialized().agent_info.clone(),
        config: None,
        mode: session.modes.as_ref().map(|modes| modes.current_mode_id.to_string()),
        model: None,
        resumed,
        context_reset: handover
            .is_some()
            .then(|| lost_word(&connection.initialized().capabilities).to_owned()),
    };
    let config = session.config_options.unwrap_or_default();
    let mut link = Link::new(lease, session.session_id, events, config);
    link.hand_over(handover);
    Ok((link, opened))
}

/// Why the agent begins afresh, in the words of `agent.reset`.
const NOT_TAKEN_UP: &str = "load_failed";
const FOREIGN_TURNS: &str = "foreign_turns";

fn lost_word(capabilities: &AgentCapabilities) -> &'static str {
    let can = capabilities.load_session || capabilities.session_capabilities.resume.is_some();
    if can { NOT_TAKEN_UP } else { "not_supported" }
}

/// What the agent must be told of the conversation before the prompt: none if it holds the conversation,
/// or if there is none yet. `session` is the one it holds.
async fn lost_conversation(place: &Place, session: Option<&str>) -> Result<Option<String>, RunError> {
    let meta = &place.row.meta;
    let holds_turns = session.is_some() && session == meta.agent_session.as_deref() && meta.agent_turns > 0;
    // The prompt's own message is the first of a new conversation.
    if holds_turns || place.row.latest_message <= 1 {
        return Ok(None);
    }
    let wanted = u32::try_from(handover::MESSAGES_MAX + place.unsent.len()).unwrap_or(u32::MAX);
    let read = place.store.messages(&place.row.id, Some(wanted)).await;
    let mut history = read.map_err(|error| {
        tracing::warn!(session.id = %place.row.id, %error, "the transcript cannot be read for the agent");
        RunError::new(codes::run::STORE_UNAVAILABLE, "the conversation could not be read").at("session")
    })?;
    history.retain(|message| !place.unsent.contains(message.info.id()));
    Ok(handover::render(&history))
}

/// A new ACP session. An agent that wants a login first is given the one its configured environment
/// holds the variables of, or the only one it has; then it is asked once more.
async fn new_session(
    connection: &Connection,
    environment: Vec<String>,
    at: Opening<'_>,
    sink: EventSink,
) -> Result<OpenedSession, AgentError> {
    let refusal = match connection.new_session(at, sink.clone()).await {
        Err(error @ AgentError::AuthRequired { .. }) => error,
        other => return other,
    };
    let Some(method) = login(&connection.initialized().auth_methods, &environment) else {
        return Err(refusal);
    };
    tracing::info!(method, "the agent wants a login");
    connection.authenticate(&method).await?;
    connection.new_session(at, sink).await
}

/// The method that needs nobody: its variables are all set, or it is the agent's only or default one and
/// the agent does it alone.
pub fn login(methods: &Value, environment: &[String]) -> Option<String> {
    let methods = methods.as_array()?;
    let word = |method: &Value, key: &str| method.get(key).and_then(Value::as_str).map(str::to_owned);
    let is_set = |variable: &Value| word(variable, "name").is_some_and(|name| environment.contains(&name));
    let by_variables = methods.iter().find(|method| {
        let variables = method.get("vars").and_then(Value::as_array);
        variables.is_some_and(|variables| !variables.is_empty() && variables.iter().all(is_set))
    });
    let alone = methods.iter().find(|method| {
        let by_agent = word(method, "type").is_none_or(|kind| kind == "agent");
        let default = method.get("default").and_then(Value::as_bool) == Some(true);
        by_agent && (default || methods.len() == 1)
    });
    word(by_variables.or(alone)?, "id")
}

/// Takes up an earlier ACP session: resume, else load, and which of them it was. None if the agent cannot or will not.
async fn reopen(
    connection: &Connection,
    id: &str,
    at: Opening<'_>,
    sink: &EventSink,
) -> Option<(OpenedSession, &'static str)> {
    let capabilities = &connection.initialized().capabilities;
    if capabilities.session_capabilities.resume.is_some() {
        match connection.resume_session(id, at, sink.clone()).await {
            Ok(session) => return Some((session, "resume")),
            // Some agents advertise resume and do not serve it.
            Err(error) => tracing::info!(session.agent = id, %error, "the agent did not resume a session"),
        }
    }
    if capabilities.load_session {
        match connection.load_session(id, at, sink.clone()).await {
            Ok(session) => return Some((session, "load")),
            Err(error) => tracing::info!(session.agent = id, %error, "the agent did not load a session"),
        }
    }
    None
}

/// Sets the model and the thought level that were asked for.
async fn configure(link: &mut Link, plan: &TurnPlan) -> Result<(), RunError> {
    if let Some(model) = &plan.settings.model {
        let option = mapping::model_option(&link.config).cloned();
        let value = option.as_ref().and_then(|option| wanted_model(option, model));
        let (Some(option), Some(value)) = (option, value) else {
            return Err(no_model(model, &link.config));
        };
        set(link, &option, &value).await?;
    }
    let level =
        link.config.iter().find(|o| o.category == Some(SessionConfigOptionCategory::ThoughtLevel)).cloned();
    let Some(level) = level else { return Ok(()) };
    let values = values(&level);
    let wanted = match (&plan.settings.variant, plan.settings.effort) {
        (Some(variant), _) => values.iter().find(|value| *value == variant).cloned(),
        (None, Effort::Ultra) => values.last().cloned(),
        (None, Effort::Normal) => None,
    };
    match wanted {
        Some(value) => set(link, &level, &value).await,
        None => Ok(()),
    }
}

async fn set(link: &mut Link, option: &SessionConfigOption, value: &str) -> Result<(), RunError> {
    if current(option).as_deref() == Some(value) {
        return Ok(());
    }
    let connection = link.shared.connection.clone();
    let id = option.id.to_string();
    let asking = connection.set_config_option(&link.session, &id, value);
    let told = link.events.while_asking(asking).await?;
    if let Some(config) = told {
        link.config = config;
    }
    Ok(())
}

fn current(option: &SessionConfigOption) -> Option<String> {
    match &option.kind {
        SessionConfigKind::Select(select) => Some(select.current_value.to_string()),
        _ => None,
    }
}

/// The values a select option offers, in its order.
fn values(option: &SessionConfigOption) -> Vec<String> {
    let SessionConfigKind::Select(select) = &option.kind else { return Vec::new() };
    match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => {
            options.iter().map(|o| o.value.to_string()).collect()
        }
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).map(|o| o.value.to_string()).collect()
        }
        _ => Vec::new(),
    }
}

fn wanted_model(option: &SessionConfigOption, model: &ModelRef) -> Option<String> {
    let offered = values(option);
    let full = format!("{}/{}", model.provider_id, model.model_id);
    [full, model.model_id.clone()].into_iter().find(|candidate| offered.contains(candidate))
}

fn no_model(model: &ModelRef, config: &[SessionConfigOption]) -> RunError {
    let offered = mapping::model_option(config).map(values).unwrap_or_default();
    let shown: Vec<&str> = offered.iter().take(20).map(String::as_str).collect();
    let offer = if shown.is_empty() { "no choice of models".to_owned() } else { shown.join(", ") };
    let ModelRef { provider_id, model_id } = model;
    let message = format!("model {provider_id}/{model_id} is not available; the agent offers {offer}");
    // Client and agent may both use names of any length.
    let message: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
    RunError::new(codes::run::MODEL_NOT_AVAILABLE, message).at("configure")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_about_a_model_is_bounded() {
        let model = |id: &str| ModelRef { provider_id: "p".to_owned(), model_id: id.to_owned() };
        let short = no_model(&model("m"), &[]);
        assert_eq!(short.message, "model p/m is not available; the agent offers no choice of models");
        let long = no_model(&model(&"é".repeat(1_000_000)), &[]);
        assert_eq!(long.message.chars().count(), MESSAGE_CHARS_MAX);
    }

    #[test]
    fn a_login_that_needs_nobody_is_found() {
        #[track_caller]
        fn check(methods: &Value, environment: &[&str], expected: Option<&str>) {
            let environment: Vec<String> = environment.iter().map(|name| (*name).to_owned()).collect();
            assert_eq!(login(methods, &environment).as_deref(), expected, "{methods}");
        }

        let codex = json!([
            { "id": "chatgpt", "name": "Login with ChatGPT" },
            { "type": "env_var", "id": "codex-api-key", "vars": [{ "name": "CODEX_API_KEY" }] },
            { "type": "env_var", "id": "openai-api-key", "vars": [{ "name": "OPENAI_API_KEY" }] },
        ]);
        check(&codex, &["OPENAI_API_KEY"], Some("openai-api-key"));
        check(&codex, &["CODEX_API_KEY", "OPENAI_API_KEY"], Some("codex-api-key"));
        // A person must choose, and do something.
        check(&codex, &[], None);
        check(&json!([{ "id": "token", "type": "agent" }]), &[], Some("token"));
        check(&json!([{ "id": "browser", "type": "terminal" }]), &[], None);
        check(&json!([{ "id": "a" }, { "id": "b", "default": true }]), &[], Some("b"));
        check(&json!([{ "id": "key", "type": "env_var", "vars": [] }]), &[], None);
        check(&json!(null), &["X"], None);
    }
}
