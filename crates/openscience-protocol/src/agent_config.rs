//! What a session wants of its agent besides a conversation, and what came of it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Longest system prompt, in characters.
pub const SYSTEM_PROMPT_CHARS_MAX: usize = 100_000;

/// Most characters of all texts of an agent that is described with its session.
pub const LAUNCH_CHARS_MAX: usize = 100_000;

/// An agent that is described with its session instead of configured.
#[derive(Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct AgentLaunch {
    /// An absolute path, or a name that is looked up on `PATH`.
    pub command: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Values may be secrets and are never shown.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// The family whose ways it has, as in the configuration.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

impl fmt::Debug for AgentLaunch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AgentLaunch")
            .field("command", &self.command)
            .field("args", &self.args.len())
            .field("env", &self.env.keys())
            .field("kind", &self.kind)
            .finish()
    }
}

/// What of an agent's configuration a wish is for: one word for what agents call differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ConfigKey {
    Mode,
    Model,
    Effort,
}

impl ConfigKey {
    /// The order in which wishes are carried out: a model may change what efforts there are.
    pub const ALL: [Self; 3] = [Self::Mode, Self::Model, Self::Effort];

    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mode => "mode",
            Self::Model => "model",
            Self::Effort => "effort",
        }
    }
}

/// One wish.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wish {
    pub value: String,
    /// Other names of the value, tried in this order after it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<String>,
    /// The session is of no use without it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub required: bool,
}

/// How an agent is to be set when its session is opened.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct InitialConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<Wish>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<Wish>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<Wish>,
    /// All of them are required.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub strict: bool,
}

impl InitialConfig {
    /// The wish for one of them.
    pub fn wish(&self, key: ConfigKey) -> Option<&Wish> {
        match key {
            ConfigKey::Mode => self.mode.as_ref(),
            ConfigKey::Model => self.model.as_ref(),
            ConfigKey::Effort => self.effort.as_ref(),
        }
    }

    /// True if it wants nothing.
    pub fn is_empty(&self) -> bool {
        ConfigKey::ALL.into_iter().all(|key| self.wish(key).is_none())
    }
}

/// What came of a wish.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ConfigStatus {
    Applied,
    /// It was so before.
    AlreadySet,
    /// The agent has no such option or no such value.
    Skipped,
    /// The agent refused it.
    Failed,
}

/// One wish and what came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ConfigItem {
    pub key: ConfigKey,
    pub requested_value: String,
    pub status: ConfigStatus,
    /// The agent's own name of the value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub applied_value: Option<String>,
    /// The agent's option it was set on; `currentModeId` for its mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub option_id: Option<String>,
    /// Why it was not set.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl ConfigItem {
    /// True if the agent is as it was wished.
    pub fn holds(&self) -> bool {
        match self.status {
            ConfigStatus::Applied | ConfigStatus::AlreadySet => true,
            ConfigStatus::Skipped | ConfigStatus::Failed => false,
        }
    }
}

/// What came of all wishes of a session when it was opened last.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, ToSchema)]
#[schema(as = InitialConfigReport)]
pub struct ConfigReport {
    pub items: Vec<ConfigItem>,
    /// The agent is as it was wished in all of them.
    pub ok: bool,
}

/// What a person set between turns: set again where the agent begins afresh.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ChosenConfig {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Values by option, in the agent's own names.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, String>,
}

impl ChosenConfig {
    /// True if nothing was set.
    pub fn is_empty(&self) -> bool {
        self.mode.is_none() && self.options.is_empty()
    }
}
