//! Which settings are in force? Defaults, the user's file, the project's file
//! and the content variable, each over the one before.
//!
//! A project's file comes with the project, so it may only choose and tighten
//! unless the user trusts it. Flags are not known here: whoever parses them
//! puts them over what this module answers.

mod agents;
mod document;
mod mcp;

use std::io;
use std::path::{Path, PathBuf};

use openscience_protocol::{AgentId, McpServer};
use serde_json::{Map, Value};

use crate::environment::Environment;

pub(crate) use self::agents::{Agents, Launch, is_agent, registry};
pub(crate) use self::document::{Document, ServerEntry, is_model};
use self::document::{Problem, normalize};

const FILE_NAME: &str = "openscience.json";
const CONTENT: &str = "OPENSCIENCE_CONFIG_CONTENT";

/// The data directory in the home directory. A build for development must never meet the data of
/// the installed one.
pub(crate) const DATA_DIR_NAME: &str =
    if cfg!(debug_assertions) { ".open-science-project" } else { ".open-science" };

/// Why there is no usable configuration.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{origin} could not be read")]
    Unreadable { origin: String, source: io::Error },
    #[error("{origin} is not valid JSON: line {line}, column {column}")]
    Syntax { origin: String, line: usize, column: usize },
    #[error("{origin} does not hold a JSON object")]
    NoObject { origin: String },
    #[error("{origin}: {key}: {expected}")]
    Key { origin: String, key: String, expected: String },
    #[error("agent {id} is neither configured nor known to the registry; configured: {known}")]
    AgentNotFound { id: AgentId, known: String },
    #[error("agents.{0}.command is not configured, and the registry does not know {0}")]
    NoCommand(AgentId),
    #[error("there is no home directory to keep data in: set OPENSCIENCE_DATA_DIR or --data-dir")]
    NoHome,
}

/// Where settings come from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources<'a> {
    /// Holds the user's file; none if there is no home directory.
    pub(crate) config_dir: Option<&'a Path>,
    /// Canonical; may hold a file of the project.
    pub(crate) project: &'a Path,
    pub(crate) read_project: bool,
    /// The text of `OPENSCIENCE_CONFIG_CONTENT`.
    pub(crate) content: Option<&'a str>,
    pub(crate) home: Option<&'a Path>,
}

/// The settings in force, and what a person should know about how they came about.
#[derive(Debug)]
pub(crate) struct Settings {
    pub(crate) document: Document,
    pub(crate) mcp_servers: Vec<McpServer>,
    pub(crate) origins: Vec<Origin>,
    pub(crate) warnings: Vec<String>,
}

/// A source of settings and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Origin {
    pub(crate) name: String,
    pub(crate) reading: Reading,
}

/// How far a source counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reading {
    /// In full.
    Full,
    /// Choices and tightening only: the project is not trusted.
    Reduced,
    Absent,
    /// It is there; whether it counts is not known because one of them is wrong.
    Present,
    /// Not looked at, because that was asked for.
    Disabled,
}

/// One source of settings.
#[derive(Debug, Clone)]
struct Layer {
    /// How to call it in a message.
    origin: String,
    object: Map<String, Value>,
}

impl Settings {
    /// Reads what this environment names, for a canonical project directory.
    pub(crate) fn read(environment: &Environment, project: &Path) -> Result<Self, ConfigError> {
        let config_dir = config_dir(environment);
        let mut settings = Self::load(&Sources::of(environment, config_dir.as_deref(), project))?;
        if let Some(url) = &environment.registry_url {
            settings.document.registry.url = Some(url.clone());
        }
        Ok(settings)
    }

    /// Reads all sources. Missing files are fine, wrong ones are not.
    pub(crate) fn load(sources: &Sources<'_>) -> Result<Self, ConfigError> {
        let mut warnings = Vec::new();
        let user = sources.config_dir.map(|dir| Layer::from_file(dir, sources.home)).transpose()?.flatten();
        let content = sources
            .content
            .map(|text| Layer::from_text(CONTENT, text, sources.project, sources.home))
            .transpose()?;
        for layer in [&user, &content].into_iter().flatten() {
            layer.check(&mut warnings)?;
        }
        let (project, reading) = project(sources, user.as_ref(), content.as_ref(), &mut warnings)?;
        let origins = origins(sources, user.is_some(), reading);
        for layer in [&project, &content].into_iter().flatten() {
            if layer.object.contains_key("trustedProjects") {
                warnings.push(format!("{}: trustedProjects counts in your own file only", layer.origin));
            }
        }
        let mut merged = Map::new();
        for layer in [user, project, content].into_iter().flatten() {
            merge(&mut merged, layer.object);
        }
        let document =
            Document::read(&merged).map_err(|problem| problem.within("the configuration"))?.document;
        let mcp_servers = mcp::servers(&document).map_err(|problem| problem.within("the configuration"))?;
        let without_effect = document.without_effect();
        if !without_effect.is_empty() {
            warnings.push(format!("not in effect in this version: {}", without_effect.join(", ")));
        }
        Ok(Self { document, mcp_servers, origins, warnings })
    }
}

/// The project's file as far as it counts.
fn project(
    sources: &Sources<'_>,
    user: Option<&Layer>,
    content: Option<&Layer>,
    warnings: &mut Vec<String>,
) -> Result<(Option<Layer>, Reading), ConfigError> {
    if !sources.read_project {
        return Ok((None, Reading::Disabled));
    }
    if sources.is_own_project() {
        return Ok((None, Reading::Absent));
    }
    let Some(layer) = Layer::from_file(sources.project, sources.home)? else {
        return Ok((None, Reading::Absent));
    };
    let (layer, reading) = if is_trusted(user, sources) {
        (layer, Reading::Full)
    } else {
        (layer.reduced(&[user, content], warnings), Reading::Reduced)
    };
    layer.check(warnings)?;
    Ok((Some(layer), reading))
}

/// The user's own directory: the one that was chosen, else one in the home directory.
fn config_dir(environment: &Environment) -> Option<PathBuf> {
    let in_home = || environment.home.as_ref().map(|home| home.join(".config").join("openscience"));
    environment.config_dir.clone().or_else(in_home)
}

/// Which sources this environment names and whether they are there, without reading one: for when that fails.
pub(crate) fn seen(environment: &Environment, project: &Path) -> Vec<Origin> {
    let config_dir = config_dir(environment);
    let sources = Sources::of(environment, config_dir.as_deref(), project);
    let is_there = |dir: &Path| dir.join(FILE_NAME).symlink_metadata().is_ok();
    let project = match (sources.read_project, is_there(project)) {
        (false, _) => Reading::Disabled,
        (true, true) => Reading::Present,
        (true, false) => Reading::Absent,
    };
    let mut origins = origins(&sources, sources.config_dir.is_some_and(is_there), project);
    for origin in origins.iter_mut().filter(|origin| origin.reading == Reading::Full) {
        origin.reading = Reading::Present;
    }
    origins
}

impl<'a> Sources<'a> {
    fn of(environment: &'a Environment, config_dir: Option<&'a Path>, project: &'a Path) -> Self {
        Self {
            config_dir,
            project,
            read_project: !environment.disable_project_config,
            content: environment.config_content.as_deref(),
            home: environment.home.as_deref(),
        }
    }

    /// The user's own directory is no project beside itself.
    fn is_own_project(&self) -> bool {
        self.config_dir.is_some_and(|dir| {
            dir == self.project || std::fs::canonicalize(dir).is_ok_and(|dir| dir == self.project)
        })
    }
}

fn origins(sources: &Sources<'_>, user: bool, project: Reading) -> Vec<Origin> {
    let file = |dir: &Path, reading| Origin { name: dir.join(FILE_NAME).display().to_string(), reading };
    let found = |found: bool| if found { Reading::Full } else { Reading::Absent };
    let user = sources.config_dir.map(|dir| file(dir, found(user)));
    let project = (!sources.is_own_project()).then(|| file(sources.project, project));
    let content = Origin { name: CONTENT.to_owned(), reading: found(sources.content.is_some()) };
    user.into_iter().chain(project).chain([content]).collect()
}

impl Problem {
    fn within(self, origin: &str) -> ConfigError {
        ConfigError::Key { origin: origin.to_owned(), key: self.key, expected: self.expected }
    }
}

impl Layer {
    fn from_file(dir: &Path, home: Option<&Path>) -> Result<Option<Self>, ConfigError> {
        let path = dir.join(FILE_NAME);
        let origin = path.display().to_string();
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::from_text(&origin, &text, dir, home).map(Some),
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                Ok(None)
            }
            Err(source) => Err(ConfigError::Unreadable { origin, source }),
        }
    }

    /// `base` is what relative commands in the text start from.
    fn from_text(origin: &str, text: &str, base: &Path, home: Option<&Path>) -> Result<Self, ConfigError> {
        let origin = origin.to_owned();
        match serde_json::from_str(text) {
            Ok(Value::Object(mut object)) => {
                normalize(&mut object);
                agents::anchor_commands(&mut object, base, home);
                Ok(Self { origin, object })
            }
            Ok(_) => Err(ConfigError::NoObject { origin }),
            Err(error) => Err(ConfigError::Syntax { origin, line: error.line(), column: error.column() }),
        }
    }

    /// Fails if this layer by itself is wrong, so that the message can name it.
    fn check(&self, warnings: &mut Vec<String>) -> Result<(), ConfigError> {
        let checked = Document::read(&self.object).map_err(|problem| problem.within(&self.origin))?;
        if !checked.unknown.is_empty() {
            warnings.push(format!(
                "{}: unknown keys are ignored: {}",
                self.origin,
                checked.unknown.join(", ")
            ));
        }
        let ignored = checked.document.ignored_addresses();
        if !ignored.is_empty() {
            warnings.push(format!("{}: ignored, use --hostname: {}", self.origin, ignored.join(", ")));
        }
        if checked.document.misplaced_agents() {
            warnings.push(format!(
                "{}: `agent` belongs to other tools; use `agents` to configure one",
                self.origin
            ));
        }
        Ok(())
    }

    /// What counts of a project's file that nobody vouched for: it may choose and tighten, not loosen or start programs.
    fn reduced(self, others: &[Option<&Self>], warnings: &mut Vec<String>) -> Self {
        let mut kept = Map::new();
        let mut ignored = Vec::new();
        for (key, value) in self.object {
            match (key.as_str(), value) {
                ("defaultAgent", Value::String(id)) if !is_known_agent(&id, others) => {
                    ignored.push(format!("defaultAgent {id}"));
                }
                ("model" | "defaultAgent", value) => drop(kept.insert(key, value)),
                ("permission", Value::Object(categories)) => {
                    let tightening = tightening(categories, others, &mut ignored);
                    kept.insert(key, Value::Object(tightening));
                }
                ("$schema" | "agent", _) => {}
                _ => ignored.push(key),
            }
        }
        if !ignored.is_empty() {
            warnings.push(format!(
                "{}: ignored because the directory is not among trustedProjects of your own {FILE_NAME}: {}",
                self.origin,
                ignored.join(", ")
            ));
        }
        Self { origin: self.origin, object: kept }
    }
}

/// Rules that ask or deny, without those that ask where someone else denies.
fn tightening(
    categories: Map<String, Value>,
    others: &[Option<&Layer>],
    ignored: &mut Vec<String>,
) -> Map<String, Value> {
    let mut kept = Map::new();
    for (category, rules) in categories {
        let Value::Object(rules) = rules else {
            ignored.push(format!("permission.{category}"));
            continue;
        };
        let asking_loosens = others.iter().flatten().any(|layer| layer.denies_in(&category));
        let (tight, loose): (Map<_, _>, Map<_, _>) = rules
            .into_iter()
            .partition(|(_, action)| action == "deny" || (action == "ask" && !asking_loosens));
        ignored.extend(loose.keys().map(|pattern| format!("permission.{category}.{pattern}")));
        kept.insert(category, Value::Object(tight));
    }
    kept
}

impl Layer {
    /// True if a rule denies something a rule of `category` might be more specific than.
    fn denies_in(&self, category: &str) -> bool {
        let categories = self.object.get("permission").and_then(Value::as_object);
        categories.into_iter().flatten().any(|(name, rules)| {
            (name == category || name.contains('*') || category.contains('*'))
                && rules.as_object().is_some_and(|rules| rules.values().any(|action| action == "deny"))
        })
    }
}

fn is_known_agent(id: &str, layers: &[Option<&Layer>]) -> bool {
    agents::is_built_in(id)
        || layers
            .iter()
            .flatten()
            .any(|layer| layer.object.get("agents").is_some_and(|a| a.get(id).is_some()))
}

/// True if the user's own file vouches for the project.
fn is_trusted(user: Option<&Layer>, sources: &Sources<'_>) -> bool {
    let listed = user.and_then(|layer| layer.object.get("trustedProjects")).and_then(Value::as_array);
    listed.into_iter().flatten().filter_map(Value::as_str).any(|directory| {
        let directory = agents::expand_home(directory, sources.home);
        std::fs::canonicalize(directory).is_ok_and(|directory| directory == sources.project)
    })
}

/// Puts `upper` over `lower`: objects key by key, everything else as a whole.
fn merge(lower: &mut Map<String, Value>, upper: Map<String, Value>) {
    for (key, value) in upper {
        match (lower.get_mut(&key), value) {
            (Some(Value::Object(below)), Value::Object(above)) => merge(below, above),
            (_, value) => drop(lower.insert(key, value)),
        }
    }
}

/// Where data is kept: the directory someone chose, else one in the home directory.
pub(crate) fn data_dir(chosen: Option<&Path>, home: Option<&Path>) -> Result<PathBuf, ConfigError> {
    if let Some(path) = chosen {
        return std::path::absolute(path)
            .map_err(|source| ConfigError::Unreadable { origin: path.display().to_string(), source });
    }
    Ok(home.ok_or(ConfigError::NoHome)?.join(DATA_DIR_NAME))
}

#[cfg(test)]
mod tests;
