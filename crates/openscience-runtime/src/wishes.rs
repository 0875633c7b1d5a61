//! Sets an agent whose session begins afresh as the session wants it: its initial configuration,
//! then what people have set since.

use openscience_acp::AgentError;
use openscience_core::profile::Profile;
use openscience_core::settings::{self, Step};
use openscience_protocol::agent_config::{ChosenConfig, ConfigKey, ConfigReport, InitialConfig};
use openscience_protocol::row::AgentMeta;
use openscience_protocol::{RunError, codes};

use crate::link::Link;

/// Longest message of an error that says what could not be set.
const MESSAGE_CHARS_MAX: usize = 2_000;

/// What came of the initial configuration, if there is one. An error if something that is required does not hold.
pub(crate) async fn apply(
    link: &mut Link,
    meta: &AgentMeta,
    profile: &Profile,
) -> Result<Option<ConfigReport>, RunError> {
    let report = match &meta.initial_config {
        Some(config) if !config.is_empty() => Some(carry_out(link, config, profile).await?),
        Some(_) | None => None,
    };
    if let (Some(report), Some(config)) = (&report, &meta.initial_config) {
        required(config, report)?;
    }
    choose(link, &meta.chosen).await?;
    Ok(report)
}

/// Carries out one wish after another: what is offered may change with each.
async fn carry_out(
    link: &mut Link,
    config: &InitialConfig,
    profile: &Profile,
) -> Result<ConfigReport, AgentError> {
    let mut items = Vec::new();
    for key in ConfigKey::ALL {
        let Some(wish) = config.wish(key) else { continue };
        for step in settings::steps(key, wish, profile, link.modes.as_ref(), &link.config) {
            let asked = match &step {
                Step::Settled(_) => Ok(()),
                Step::Mode(mode) => link.set_mode(mode).await,
                Step::Option { id, value } => link.set_option(id, value).await,
            };
            items.push(settings::outcome(key, wish, step, refusal(asked)?));
        }
    }
    let ok = items.iter().all(openscience_protocol::agent_config::ConfigItem::holds);
    Ok(ConfigReport { items, ok })
}

/// What the agent said against it; an error if it says nothing any more.
fn refusal(asked: Result<(), AgentError>) -> Result<Option<String>, AgentError> {
    match asked {
        Ok(()) => Ok(None),
        Err(AgentError::Refused { error, .. } | AgentError::AuthRequired { error, .. }) => {
            Ok(Some(error.message))
        }
        Err(error) => Err(error),
    }
}

fn required(config: &InitialConfig, report: &ConfigReport) -> Result<(), RunError> {
    let is_required = |key| config.strict || config.wish(key).is_some_and(|wish| wish.required);
    let missing: Vec<String> = report
        .items
        .iter()
        .filter(|item| !item.holds() && is_required(item.key))
        .map(|item| {
            let reason = item.reason.as_deref().unwrap_or("it was not set");
            format!("{} {}: {reason}", item.key.as_str(), item.requested_value)
        })
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let message = format!("the agent is not as it has to be: {}", missing.join("; "));
    let message: String = message.chars().take(MESSAGE_CHARS_MAX).collect();
    Err(RunError::new(codes::run::INITIAL_CONFIG_FAILED, message).at("configure"))
}

/// Sets again what people have set. What the agent does not offer any more is left as it is.
async fn choose(link: &mut Link, chosen: &ChosenConfig) -> Result<(), AgentError> {
    if let Some(mode) = &chosen.mode
        && settings::mode_of(link.modes.as_ref(), mode).is_ok()
    {
        warn("mode", refusal(link.set_mode(mode).await)?);
    }
    for (id, value) in &chosen.options {
        let offered =
            settings::option(&link.config, id).ok().and_then(|option| settings::value_of(option, value));
        if let Some(value) = offered {
            warn(id, refusal(link.set_option(id, &value).await)?);
        }
    }
    Ok(())
}

fn warn(what: &str, refused: Option<String>) {
    if let Some(reason) = refused {
        tracing::warn!(option = what, reason, "the agent does not take what was set before");
    }
}
