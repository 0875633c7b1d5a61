use openscience_protocol::agent_config::InitialConfig;

use super::*;

fn options(value: Value) -> Vec<SessionConfigOption> {
    serde_json::from_value(value).unwrap()
}

fn modes(current: &str) -> SessionModeState {
    serde_json::from_value(json!({
        "currentModeId": current,
        "availableModes": [
            { "id": "default", "name": "Always ask" },
            { "id": "https://agents/modes#plan", "name": "Plan Mode" },
            { "id": "bypassPermissions", "name": "Bypass" },
        ],
    }))
    .unwrap()
}

fn select(id: &str, category: &str, current: &str, values: &[&str]) -> Value {
    let choices: Vec<Value> =
        values.iter().map(|value| json!({ "value": value, "name": value.to_uppercase() })).collect();
    json!({ "id": id, "name": id, "category": category, "type": "select", "currentValue": current, "options": choices })
}

fn wish(value: &str, aliases: &[&str]) -> Wish {
    Wish {
        value: value.to_owned(),
        aliases: aliases.iter().map(|&alias| alias.to_owned()).collect(),
        required: false,
    }
}

#[track_caller]
fn check(key: ConfigKey, wish: &Wish, family: &str, options: &[SessionConfigOption], expected: &str) {
    let modes = modes("default");
    let steps = steps(key, wish, Profile::of(family), Some(&modes), options);
    let told: Vec<String> = steps.iter().map(told).collect();
    assert_eq!(told.join("; "), expected);
}

fn told(step: &Step) -> String {
    match step {
        Step::Mode(mode) => format!("mode {mode}"),
        Step::Option { id, value } => format!("{id} = {value}"),
        Step::Settled(item) => {
            let status = serde_json::to_value(item.status).unwrap();
            let rest = item.applied_value.as_ref().or(item.reason.as_ref()).unwrap();
            format!("{} {}: {rest}", status.as_str().unwrap(), item.option_id.as_deref().unwrap_or("-"))
        }
    }
}

#[test]
fn one_word_finds_what_agents_call_differently() {
    let codex = options(json!([
        select("model", "model", "gpt-5", &["gpt-5", "gpt-5.4"]),
        select("reasoning_effort", "thought_level", "low", &["low", "xhigh"]),
        select("effort", "other", "a", &["a"]),
    ]));
    check(ConfigKey::Model, &wish("GPT-5.4", &[]), "codex", &codex, "model = gpt-5.4");
    check(ConfigKey::Model, &wish("gpt-5", &[]), "codex", &codex, "already-set model: gpt-5");
    check(ConfigKey::Effort, &wish("max", &[]), "codex", &codex, "reasoning_effort = xhigh");
    check(ConfigKey::Effort, &wish("max", &[]), "goose", &codex, "skipped effort: the agent offers a");
    check(
        ConfigKey::Effort,
        &wish("enormous", &["low"]),
        "codex",
        &codex,
        "already-set reasoning_effort: low",
    );
    check(
        ConfigKey::Effort,
        &wish("max", &[]),
        "codex",
        &[],
        "skipped -: the agent offers no choice of effort",
    );
    let by_category = options(json!([select("depth", "thought_level", "a", &["a", "high"])]));
    check(ConfigKey::Effort, &wish("HIGH", &[]), "goose", &by_category, "depth = high");
}

#[test]
fn a_mode_is_found_among_modes_and_options() {
    check(ConfigKey::Mode, &wish("plan", &[]), "x", &[], "mode https://agents/modes#plan");
    check(ConfigKey::Mode, &wish("Always Ask", &[]), "x", &[], "already-set currentModeId: default");
    check(ConfigKey::Mode, &wish("yolo", &[]), "claude", &[], "mode bypassPermissions");
    let offer = "skipped -: the agent offers default, https://agents/modes#plan, bypassPermissions";
    check(ConfigKey::Mode, &wish("fast", &[]), "x", &[], offer);
    let option = options(json!([select("mode", "mode", "default", &["default", "plan"])]));
    check(ConfigKey::Mode, &wish("plan", &[]), "x", &option, "mode = plan; mode https://agents/modes#plan");
    check(ConfigKey::Mode, &wish("bypass", &[]), "x", &option, "mode bypassPermissions");
}

#[test]
fn options_are_known_by_id_category_and_name() {
    let all = options(json!([
        select("a", "model", "x", &["x"]),
        select("b", "other", "x", &["x"]),
        select("c", "other", "x", &["x"]),
        { "id": "d", "name": "Auto approve", "type": "boolean", "currentValue": false },
    ]));
    let id = |name: &str| option(&all, name).map(|option| option.id.to_string());
    assert_eq!(id("a"), Ok("a".to_owned()));
    assert_eq!(id("model"), Ok("a".to_owned()));
    assert_eq!(id("auto APPROVE"), Ok("d".to_owned()));
    assert_eq!(id("other"), Err(Unknown::Several { offered: "b, c".to_owned() }));
    assert_eq!(id("z"), Err(Unknown::None { offered: "a, b, c, d".to_owned() }));
    assert_eq!(option(&[], "z").map(|_| ()), Err(Unknown::Nothing));
    let switch = option(&all, "d").unwrap();
    assert_eq!(value_of(switch, " True "), Some("true".to_owned()));
    assert_eq!(value_of(switch, "1"), None);
    assert_eq!(values(&all), json!({ "a": "x", "b": "x", "c": "x", "d": false }));
}

#[test]
fn a_mode_that_could_be_several_is_none() {
    let several: SessionModeState = serde_json::from_value(json!({
        "currentModeId": "a#plan",
        "availableModes": [{ "id": "a#plan", "name": "A" }, { "id": "b#plan", "name": "B" }],
    }))
    .unwrap();
    assert_eq!(
        mode_of(Some(&several), "plan"),
        Err(Unknown::Several { offered: "a#plan, b#plan".to_owned() })
    );
    assert_eq!(mode_of(Some(&several), "b#plan"), Ok("b#plan".to_owned()));
    assert_eq!(mode_of(None, "plan"), Err(Unknown::Nothing));
}

#[test]
fn what_is_offered_is_told_within_bounds() {
    let many: Vec<String> = (0..1_000).map(|n| format!("value-{n}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let option = options(json!([select("a", "model", "x", &many)]));
    let text = offer_of(&option[0]);
    assert!(text.ends_with('…') && text.chars().count() < OFFER_CHARS_MAX + 10, "{text}");
}

#[test]
fn wishes_are_stored_as_they_were_given() {
    let config = InitialConfig { mode: Some(wish("plan", &["p"])), strict: true, ..InitialConfig::default() };
    let stored = serde_json::to_value(&config).unwrap();
    assert_eq!(stored, json!({ "mode": { "value": "plan", "aliases": ["p"] }, "strict": true }));
    assert_eq!(serde_json::from_value::<InitialConfig>(stored).unwrap(), config);
}
