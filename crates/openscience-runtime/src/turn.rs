//! Getting an agent ready for a turn: process, ACP session, model. Runs beside
//! the actor and reports to it; commits nothing.

use std::path::PathBuf;
use std::sync::Arc;

use agent_client_protocol_schema::v1::{AgentCapabilities, SessionConfigOption, SessionConfigOptionCategory};
use openscience_acp::{AgentError, Connection, EventSink, Initialized, OpenedSession, Opening, SystemPrompt};
use openscience_core::effect::TurnPlan;
use openscience_core::input::{OpenMethod, Opened};
use openscience_core::profile::{Profile, SystemPromptWay};
use openscience_core::{handover, mapping, settings};
use openscience_protocol::agent_config::ConfigKey;
use openscience_protocol::prompt::{Effort, ModelRef};
use openscience_protocol::row::{AboutAgent, SessionRow};
use openscience_protocol::{MessageId, RunError, Workspace, codes};
use openscience_store::Store;
use serde_json::{Value, json};

use crate::connections::{self, Connections, Key, Lease};
use crate::link::Link;
use crate::request::{AgentConfig, ContextReset};
use crate::{visit, wishes};

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

impl Place {
    /// The process the session belongs on, and how its agent is configured.
    pub(crate) fn agent(&self, connections: &Connections) -> Result<(Key, AgentConfig), RunError> {
        let meta = &self.row.meta.agent;
        let Some(agent) = connections.agent(&self.row.agent, meta.launch.as_ref()) else {
            return Err(connections::unknown(&self.row.agent));
        };
        let agent = agent.into_owned();
        let arguments = agent.profile(&self.row.agent).arguments(meta.system_prompt.as_deref());
        let launch = meta.launch.clone().map(Arc::new);
        let directory = PathBuf::from(&self.row.directory);
        Ok((Key { launch, arguments, ..Key::known(self.row.agent.clone(), directory) }, agent))
    }

    fn profile(&self, connections: &Connections) -> &'static Profile {
        let agent = connections.agent(&self.row.agent, self.row.meta.agent.launch.as_ref());
        agent.map_or_else(|| Profile::of(self.row.agent.as_str()), |agent| agent.profile(&self.row.agent))
    }
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
            let wanted = Wanted::of(&place.row, None);
            let (link, mut opened) = open_session(connections, place, &wanted, &cwd).await?;
            if outdated && opened.context_reset.is_some() {
                opened.context_reset = Some(FOREIGN_TURNS.to_owned());
            }
            (held.insert(link), opened)
        }
    };
    link.note(&place.row.meta);
    configure(link, plan, place.profile(connections)).await?;
    describe(link, &mut opened);
    Ok(opened)
}

/// Tells how the agent is set.
pub(crate) fn describe(link: &Link, opened: &mut Opened) {
    opened.agent_session.clone_from(&link.session);
    if !link.config.is_empty() {
        opened.config = Some(json!(link.config));
        opened.model = mapping::model_value(&link.config);
    }
    if let Some(modes) = &link.modes {
        opened.mode = Some(modes.current_mode_id.to_string());
        opened.modes = Some(json!(modes.available_modes));
    }
}

pub(crate) fn working_directory(place: &Place) -> Result<PathBuf, RunError> {
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

/// The conversation that is to be opened.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    /// The ACP session that holds it so far.
    session: Option<&'a str>,
    /// The only way it may be taken up; if absent any, and else another is begun.
    method: Option<OpenMethod>,
}

impl<'a> Wanted<'a> {
    pub(crate) fn of(row: &'a SessionRow, method: Option<OpenMethod>) -> Self {
        Self { session: row.meta.agent_session.as_deref(), method }
    }
}

/// Opens the ACP session on the process of agent and project.
pub(crate) async fn open_session(
    connections: &Arc<Connections>,
    place: &Place,
    wanted: &Wanted<'_>,
    cwd: &std::path::Path,
) -> Result<(Link, Opened), RunError> {
    let (key, agent) = place.agent(connections)?;
    let lease = connections.get(&key).await?;
    let worked = lease.shared().has_worked();
    match open_on(lease, connections, place, wanted, cwd, &agent).await {
        // It died at rest and nobody had noticed. No prompt was sent: a fresh one can do all of this.
        Err(error) if worked && error.code == codes::run::AGENT_EXITED => {
            tracing::info!(agent.id = %key.agent, "the agent was gone and is started again");
            open_on(connections.get(&key).await?, connections, place, wanted, cwd, &agent).await
        }
        opened => opened,
    }
}

async fn open_on(
    lease: Lease,
    connections: &Arc<Connections>,
    place: &Place,
    wanted: &Wanted<'_>,
    cwd: &std::path::Path,
    agent: &AgentConfig,
) -> Result<(Link, Opened), RunError> {
    let shared = lease.shared().clone();
    let (sender, events) = openscience_acp::events(UPDATES_WAITING);
    let sender = sender.of(place.row.id.clone());
    let connection = &shared.connection;
    let mcp_servers = &connections.mcp_servers(&place.row, &shared)?;
    let profile = agent.profile(&place.row.agent);
    let system_prompt = system_prompt(place.row.meta.agent.system_prompt.as_deref(), profile, connection)?;
    let at = Opening { cwd, mcp_servers, system_prompt };
    let kept = match (wanted.session, wanted.method) {
        (Some(id), None) => {
            let kept = reopen(connection, id, at, &sender).await;
            // An agent may refuse to take up what holds nothing.
            if place.row.meta.agent_turns > 0 {
                connections.reopened(&place.row.agent, kept.is_some());
            }
            kept
        }
        (Some(id), Some(method)) => {
            takes_up(connection, method)?;
            let session = match method {
                OpenMethod::Load => connection.load_session(id, at, sender.clone()).await?,
                OpenMethod::Resume => connection.resume_session(id, at, sender.clone()).await?,
            };
            Some((session, method.as_str()))
        }
        (None, _) => None,
    };
    let handover =
        lost_conversation(place, kept.as_ref().map(|(session, _)| session.session_id.as_str())).await?;
    if handover.is_some() && agent.context_reset == ContextReset::Fail {
        let message = "the agent has lost the conversation, and its contextReset is fail";
        return Err(RunError::new(codes::run::CONTEXT_LOST, message).at("session"));
    }
    let resumed = kept.as_ref().map(|(_, method)| *method).filter(|_| handover.is_none());
    let session = if let Some((session, _)) = kept {
        session
    } else {
        let opened = new_session(connection, agent.env.keys().cloned().collect(), at, sender).await;
        if let Err(AgentError::Timeout { .. }) = &opened {
            // It says nothing at all any more: whoever comes next gets a fresh one.
            connections.retire(&shared);
        }
        opened?
    };
    shared.note_worked();
    let initialized = connection.initialized();
    let mut opened = Opened {
        fresh: true,
        agent_info: initialized.agent_info.clone(),
        about: Some(about(initialized)),
        resumed,
        context_reset: handover.is_some().then(|| lost_word(&initialized.capabilities).to_owned()),
        ..Opened::default()
    };
    let mut link = Link::new(lease, session, events);
    if resumed.is_none() {
        opened.report = wishes::apply(&mut link, &place.row.meta.agent, profile).await?;
    }
    describe(&link, &mut opened);
    link.hand_over(handover);
    Ok((link, opened))
}

/// An error if the agent has no such way to take a conversation up.
pub(crate) fn takes_up(connection: &Connection, method: OpenMethod) -> Result<(), RunError> {
    let capabilities = &connection.initialized().capabilities;
    let (can, name) = match method {
        OpenMethod::Load => (capabilities.load_session, "session/load"),
        OpenMethod::Resume => (capabilities.session_capabilities.resume.is_some(), "session/resume"),
    };
    if can { Ok(()) } else { Err(visit::unsupported(name)) }
}

/// What an agent told of itself, as it is kept with a session.
pub(crate) fn about(initialized: &Initialized) -> AboutAgent {
    AboutAgent {
        info: initialized.agent_info.clone(),
        capabilities: serde_json::to_value(&initialized.capabilities).unwrap_or_default(),
        auth_methods: initialized.auth_methods.clone(),
    }
}

/// The session's instructions, as its agent is told of them when a session is opened.
pub(crate) fn system_prompt<'a>(
    text: Option<&'a str>,
    profile: &Profile,
    connection: &Connection,
) -> Result<Option<SystemPrompt<'a>>, RunError> {
    let Some(text) = text else { return Ok(None) };
    let advertised = connection.initialized().capabilities.session_capabilities.system_prompt.is_some();
    match profile.system_prompt {
        SystemPromptWay::Meta => Ok(Some(SystemPrompt::Meta(text))),
        SystemPromptWay::Standard if advertised => Ok(Some(SystemPrompt::Standard(text))),
        // Its process was started with it.
        SystemPromptWay::Arguments => Ok(None),
        SystemPromptWay::Standard | SystemPromptWay::None => {
            let message = "this version of the agent takes no system prompt";
            Err(RunError::new(codes::run::SYSTEM_PROMPT_UNSUPPORTED, message).at("session"))
        }
    }
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
    if holds_turns || (place.row.latest_message <= 1 && meta.agent_turns == 0) {
        return Ok(None);
    }
    let wanted = u32::try_from(handover::MESSAGES_MAX + place.unsent.len()).unwrap_or(u32::MAX);
    let read = place.store.messages(&place.row.id, Some(wanted)).await;
    let mut history = read.map_err(|error| {
        tracing::warn!(session.id = %place.row.id, %error, "the transcript cannot be read for the agent");
        RunError::new(codes::run::STORE_UNAVAILABLE, "the conversation could not be read").at("session")
    })?;
    history.retain(|message| !place.unsent.contains(message.info.id()));
    // What it held may have begun elsewhere.
    Ok(handover::render(&history).or_else(|| (meta.agent_turns > 0).then(handover::unknown)))
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
async fn configure(link: &mut Link, plan: &TurnPlan, profile: &Profile) -> Result<(), RunError> {
    if let Some(model) = &plan.settings.model {
        let option = mapping::model_option(&link.config).cloned();
        let value = option.as_ref().and_then(|option| wanted_model(option, model, profile));
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
    if settings::current(option).as_deref() == Some(value) {
        return Ok(());
    }
    Ok(link.set_option(&option.id.to_string(), value).await?)
}

/// The values a select option offers, in its order.
fn values(option: &SessionConfigOption) -> Vec<String> {
    settings::offered(option).into_iter().map(|choice| choice.value.to_string()).collect()
}

fn wanted_model(option: &SessionConfigOption, model: &ModelRef, profile: &Profile) -> Option<String> {
    let offered = values(option);
    let full = format!("{}/{}", model.provider_id, model.model_id);
    let aliases = profile.aliases(ConfigKey::Model, &model.model_id);
    [full, model.model_id.clone()].into_iter().chain(aliases).find(|candidate| offered.contains(candidate))
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
