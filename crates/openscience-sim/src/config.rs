//! Which configuration options does a session offer, and which value has each?

use agent_client_protocol_schema::v1::{
    SessionConfigOption, SessionConfigOptionCategory, SessionConfigSelectOption,
};

const MODEL: &str = "model";
const THOUGHT_LEVEL: &str = "thought_level";
const THOUGHT_LEVELS: [&str; 2] = ["low", "high"];

/// The current values of one session. Without models there are no options.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    models: Vec<String>,
    model: String,
    thought_level: String,
}

impl Options {
    pub(crate) fn new(models: &[String]) -> Self {
        let model = models.first().cloned().unwrap_or_default();
        Self { models: models.to_owned(), model, thought_level: THOUGHT_LEVELS[0].to_owned() }
    }

    /// Whether the value was on offer; if not, nothing changes.
    pub(crate) fn set(&mut self, id: &str, value: &str) -> bool {
        let offered = match id {
            MODEL => self.models.iter().any(|model| model == value),
            THOUGHT_LEVEL => !self.models.is_empty() && THOUGHT_LEVELS.contains(&value),
            _ => false,
        };
        if offered {
            let current = if id == MODEL { &mut self.model } else { &mut self.thought_level };
            value.clone_into(current);
        }
        offered
    }

    pub(crate) fn offer(&self) -> Option<Vec<SessionConfigOption>> {
        if self.models.is_empty() {
            return None;
        }
        let models = self.models.iter().map(String::as_str);
        Some(vec![
            select(MODEL, "Model", &self.model, models).category(SessionConfigOptionCategory::Model),
            select(THOUGHT_LEVEL, "Thought level", &self.thought_level, THOUGHT_LEVELS.into_iter())
                .category(SessionConfigOptionCategory::ThoughtLevel),
        ])
    }
}

fn select<'a>(
    id: &'static str,
    name: &str,
    current: &str,
    values: impl Iterator<Item = &'a str>,
) -> SessionConfigOption {
    let values: Vec<_> =
        values.map(|value| SessionConfigSelectOption::new(value.to_owned(), value)).collect();
    SessionConfigOption::select(id, name, current.to_owned(), values)
}
