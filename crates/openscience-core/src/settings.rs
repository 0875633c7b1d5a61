//! How is an agent to be set? Finds the agent's own names for what people ask for.
//!
//! Decides what to ask of the agent; asking is done by the runtime, one wish after another,
//! because an answer may change what is offered.

use agent_client_protocol_schema::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigSelectOption, SessionConfigSelectOptions,
    SessionModeState,
};
use openscience_protocol::agent_config::{ConfigItem, ConfigKey, ConfigStatus, Wish};
use serde_json::{Value, json};

use crate::profile::Profile;

/// The option id of a mode that is no option.
pub const CURRENT_MODE: &str = "currentModeId";

/// Longest text of what is offered, in characters.
const OFFER_CHARS_MAX: usize = 1_000;

/// Why a name stands for nothing the agent offers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unknown {
    /// The agent has no modes, or no options.
    Nothing,
    /// None of that name; what there is.
    None { offered: String },
    /// Several of that name; which.
    Several { offered: String },
}

/// One thing to ask of the agent for a wish, or why nothing is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// `session/set_mode`.
    Mode(String),
    /// `session/set_config_option`.
    Option { id: String, value: String },
    /// Nothing has to be asked, or can be.
    Settled(ConfigItem),
}

/// What to ask of the agent for a wish, as its modes and options are now.
pub fn steps(
    key: ConfigKey,
    wish: &Wish,
    profile: &Profile,
    modes: Option<&SessionModeState>,
    options: &[SessionConfigOption],
) -> Vec<Step> {
    let candidates = candidates(key, wish, profile);
    let settled = |status, option: Option<&str>, value: Option<String>, reason: Option<String>| {
        Step::Settled(ConfigItem {
            key,
            requested_value: wish.value.clone(),
            status,
            applied_value: value,
            option_id: option.map(str::to_owned),
            reason,
        })
    };
    let mut steps = Vec::new();
    let option = selected(key, profile, options);
    if let Some(option) = option {
        let found = candidates.iter().find_map(|candidate| value_of(option, candidate));
        let id = option.id.to_string();
        steps.push(match found {
            None => {
                let reason = format!("the agent offers {}", offer_of(option));
                settled(ConfigStatus::Skipped, Some(&id), None, Some(reason))
            }
            Some(value) if current(option).as_deref() == Some(&value) => {
                settled(ConfigStatus::AlreadySet, Some(&id), Some(value), None)
            }
            Some(value) => Step::Option { id, value },
        });
    }
    if key == ConfigKey::Mode {
        let found = candidates.iter().find_map(|candidate| mode_of(modes, candidate).ok());
        if let Some(mode) = found {
            // The option said no more than that it does not know the mode.
            steps.retain(|step| !matches!(step, Step::Settled(item) if item.status == ConfigStatus::Skipped));
            let is_current = modes.is_some_and(|modes| modes.current_mode_id.to_string() == mode);
            steps.push(if is_current {
                settled(ConfigStatus::AlreadySet, Some(CURRENT_MODE), Some(mode), None)
            } else {
                Step::Mode(mode)
            });
        }
    }
    if steps.is_empty() {
        let reason = match modes.filter(|_| key == ConfigKey::Mode) {
            Some(modes) => format!("the agent offers {}", offer_of_modes(modes)),
            None => format!("the agent offers no choice of {}", key.as_str()),
        };
        steps.push(settled(ConfigStatus::Skipped, None, None, Some(reason)));
    }
    steps
}

/// What a step that was carried out is told as.
pub fn outcome(key: ConfigKey, wish: &Wish, step: Step, refused: Option<String>) -> ConfigItem {
    let (option, value) = match step {
        Step::Settled(item) => return item,
        Step::Mode(mode) => (CURRENT_MODE.to_owned(), mode),
        Step::Option { id, value } => (id, value),
    };
    let status = if refused.is_some() { ConfigStatus::Failed } else { ConfigStatus::Applied };
    ConfigItem {
        key,
        requested_value: wish.value.clone(),
        status,
        applied_value: refused.is_none().then_some(value),
        option_id: Some(option),
        reason: refused,
    }
}

fn candidates(key: ConfigKey, wish: &Wish, profile: &Profile) -> Vec<String> {
    let known = profile.aliases(key, &wish.value);
    std::iter::once(&wish.value).chain(&wish.aliases).cloned().chain(known).collect()
}

/// The option for that, by the ids the family uses, then by category.
pub fn selected<'a>(
    key: ConfigKey,
    profile: &Profile,
    options: &'a [SessionConfigOption],
) -> Option<&'a SessionConfigOption> {
    let selector = profile.selector(key);
    let by_id = selector.ids.iter().find_map(|id| options.iter().find(|option| *option.id.0 == **id));
    let of =
        |category: &&str| options.iter().find(|option| category_of(option).as_deref() == Some(*category));
    by_id.or_else(|| selector.categories.iter().find_map(of))
}

/// The option of that id; else the only one of that category, or of that name.
pub fn option<'a>(
    options: &'a [SessionConfigOption],
    name: &str,
) -> Result<&'a SessionConfigOption, Unknown> {
    if options.is_empty() {
        return Err(Unknown::Nothing);
    }
    let name = name.trim();
    if let Some(option) = options.iter().find(|option| *option.id.0 == *name) {
        return Ok(option);
    }
    let offer = |options: &mut dyn Iterator<Item = &SessionConfigOption>| {
        bounded(options.map(|option| option.id.to_string()))
    };
    let of_category = |option: &&SessionConfigOption| category_of(option).as_deref() == Some(name);
    let of_name = |option: &&SessionConfigOption| option.name.eq_ignore_ascii_case(name);
    let mut found: Vec<_> = options.iter().filter(of_category).collect();
    if found.is_empty() {
        found = options.iter().filter(of_name).collect();
    }
    match found.as_slice() {
        [only] => Ok(only),
        [] => Err(Unknown::None { offered: offer(&mut options.iter()) }),
        several => Err(Unknown::Several { offered: offer(&mut several.iter().copied()) }),
    }
}

/// The agent's name of a value of that option: exactly so, then its label, then both in any case.
pub fn value_of(option: &SessionConfigOption, wanted: &str) -> Option<String> {
    let wanted = wanted.trim();
    match &option.kind {
        SessionConfigKind::Boolean(_) => {
            let lower = wanted.to_ascii_lowercase();
            (lower == "true" || lower == "false").then_some(lower)
        }
        SessionConfigKind::Select(_) => {
            let offered = offered(option);
            let tests: [fn(&SessionConfigSelectOption, &str) -> bool; 4] = [
                |choice, wanted| *choice.value.0 == *wanted,
                |choice, wanted| choice.name == wanted,
                |choice, wanted| choice.value.0.eq_ignore_ascii_case(wanted),
                |choice, wanted| choice.name.eq_ignore_ascii_case(wanted),
            ];
            let found = tests.iter().find_map(|test| offered.iter().find(|choice| test(choice, wanted)));
            found.map(|choice| choice.value.to_string())
        }
        _ => None,
    }
}

/// What a select option offers, in its order.
pub fn offered(option: &SessionConfigOption) -> Vec<&SessionConfigSelectOption> {
    let SessionConfigKind::Select(select) = &option.kind else { return Vec::new() };
    match &select.options {
        SessionConfigSelectOptions::Ungrouped(options) => options.iter().collect(),
        SessionConfigSelectOptions::Grouped(groups) => {
            groups.iter().flat_map(|group| &group.options).collect()
        }
        _ => Vec::new(),
    }
}

/// The value an option has.
pub fn current(option: &SessionConfigOption) -> Option<String> {
    match &option.kind {
        SessionConfigKind::Select(select) => Some(select.current_value.to_string()),
        SessionConfigKind::Boolean(switch) => Some(switch.current_value.to_string()),
        _ => None,
    }
}

/// The values of an option, for a message.
pub fn offer_of(option: &SessionConfigOption) -> String {
    match &option.kind {
        SessionConfigKind::Boolean(_) => "true, false".to_owned(),
        _ => bounded(offered(option).into_iter().map(|choice| choice.value.to_string())),
    }
}

/// The id of a mode by id, name, key or the part of its id after the last `#`, in any case.
pub fn mode_of(modes: Option<&SessionModeState>, wanted: &str) -> Result<String, Unknown> {
    let Some(modes) = modes.filter(|modes| !modes.available_modes.is_empty()) else {
        return Err(Unknown::Nothing);
    };
    let wanted = wanted.trim();
    let exact = modes.available_modes.iter().find(|mode| *mode.id.0 == *wanted);
    if let Some(mode) = exact {
        return Ok(mode.id.to_string());
    }
    let is_meant = |id: &str, name: &str| {
        let fragment = id.rsplit_once('#').map(|(_, fragment)| fragment);
        let key =
            fragment.map_or_else(|| name.to_lowercase().replace(char::is_whitespace, "-"), str::to_owned);
        [Some(id), Some(name), fragment, Some(&key)]
            .into_iter()
            .flatten()
            .any(|known| known.eq_ignore_ascii_case(wanted))
    };
    let meant: Vec<_> =
        modes.available_modes.iter().filter(|mode| is_meant(&mode.id.0, &mode.name)).collect();
    match meant.as_slice() {
        [only] => Ok(only.id.to_string()),
        [] => Err(Unknown::None { offered: offer_of_modes(modes) }),
        several => Err(Unknown::Several { offered: bounded(several.iter().map(|mode| mode.id.to_string())) }),
    }
}

fn offer_of_modes(modes: &SessionModeState) -> String {
    bounded(modes.available_modes.iter().map(|mode| mode.id.to_string()))
}

/// The category's word.
fn category_of(option: &SessionConfigOption) -> Option<String> {
    let word = serde_json::to_value(option.category.as_ref()?).ok()?;
    word.as_str().map(str::to_owned)
}

/// Agents may offer any number of values of any length.
fn bounded(names: impl Iterator<Item = String>) -> String {
    let mut text = String::new();
    for name in names {
        let separator = if text.is_empty() { "" } else { ", " };
        if text.chars().count() + name.chars().count() > OFFER_CHARS_MAX {
            text.push_str(separator);
            text.push('…');
            break;
        }
        text.push_str(separator);
        text.push_str(&name);
    }
    text
}

/// Current values by option id, as clients see them.
pub fn values(options: &[SessionConfigOption]) -> Value {
    let pairs = options.iter().filter_map(|option| {
        let value = match &option.kind {
            SessionConfigKind::Boolean(switch) => json!(switch.current_value),
            _ => json!(current(option)?),
        };
        Some((option.id.to_string(), value))
    });
    Value::Object(pairs.collect())
}

#[cfg(test)]
mod tests;
