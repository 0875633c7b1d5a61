//! What is summed up of a session: its name and settings, and what it has used.

use agent_client_protocol_schema::v1::{
    SessionConfigKind, SessionConfigOption, SessionConfigSelectOption, SessionConfigSelectOptions,
};
use openscience_protocol::message::PartBody;
use openscience_protocol::row::StateRows;
use openscience_protocol::state::{
    ConfigChoice, ConfigOptionType, StateCommand, StateConfigOption, StateMetadata, StateUsage,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::text;

pub(super) fn metadata(rows: &StateRows) -> StateMetadata {
    let session = &rows.session;
    let list = |value: &Option<Value>| value.as_ref().and_then(Value::as_array).cloned().unwrap_or_default();
    let options: Vec<StateConfigOption> = list(&session.meta.config).iter().filter_map(option).collect();
    let command = |told: &Value| {
        let description = text(told, "description").unwrap_or_default().to_owned();
        Some(StateCommand { name: text(told, "name")?.to_owned(), description })
    };
    StateMetadata {
        id: session.id.clone(),
        title: session.title.clone(),
        current_mode_id: session.meta.mode.clone(),
        config: options.iter().map(|option| (option.id.clone(), option.value.clone())).collect::<Map<_, _>>(),
        available_commands: list(&session.meta.commands).iter().filter_map(command).collect(),
        agent_config_options: options,
    }
}

/// An option as far as this version knows its kind.
fn option(told: &Value) -> Option<StateConfigOption> {
    let option = SessionConfigOption::deserialize(told).ok()?;
    let choice = |option: &SessionConfigSelectOption| ConfigChoice {
        value: option.value.to_string(),
        name: option.name.clone(),
    };
    let (option_type, value, options) = match &option.kind {
        SessionConfigKind::Select(select) => {
            let options = match &select.options {
                SessionConfigSelectOptions::Ungrouped(options) => options.iter().map(choice).collect(),
                SessionConfigSelectOptions::Grouped(groups) => {
                    groups.iter().flat_map(|group| &group.options).map(choice).collect()
                }
                _ => Vec::new(),
            };
            (ConfigOptionType::Select, json!(select.current_value), options)
        }
        SessionConfigKind::Boolean(switch) => {
            (ConfigOptionType::Boolean, json!(switch.current_value), Vec::new())
        }
        _ => return None,
    };
    Some(StateConfigOption {
        id: option.id.to_string(),
        name: option.name.clone(),
        option_type,
        value,
        category: option.category.as_ref().and_then(|category| json!(category).as_str().map(str::to_owned)),
        description: option.description,
        options,
    })
}

/// None if nothing was told. Zeros of a turn say nothing: they stand for what the agent does not tell.
pub(super) fn usage(rows: &StateRows) -> Option<StateUsage> {
    let told = rows.session.meta.usage.as_ref();
    let number = |key: &str| told?.get(key)?.as_u64();
    let cost = told.and_then(|told| told.get("cost"));
    let dollars = cost.filter(|cost| text(cost, "currency") == Some("USD"));
    let mut usage = StateUsage {
        context_used_tokens: number("used"),
        context_window_tokens: number("size"),
        cost_usd: dollars.and_then(|cost| cost.get("amount")?.as_f64()),
        ..StateUsage::default()
    };
    let finished = rows.messages.iter().rev().flat_map(|message| message.parts.iter().rev());
    let tokens = finished.filter_map(|part| match &part.body {
        PartBody::StepFinish(step) => Some(step.tokens),
        _ => None,
    });
    if let Some(tokens) =
        tokens.into_iter().find(|tokens| *tokens != openscience_protocol::message::Tokens::default())
    {
        usage.input_tokens = Some(tokens.input);
        usage.output_tokens = Some(tokens.output);
        usage.thought_tokens = Some(tokens.reasoning);
        usage.cached_read_tokens = Some(tokens.cache.read);
        usage.cached_write_tokens = Some(tokens.cache.write);
        usage.total_tokens = Some(tokens.input + tokens.output + tokens.reasoning);
    }
    (usage != StateUsage::default()).then_some(usage)
}
