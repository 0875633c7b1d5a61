use super::*;

fn form(message: &str, properties: &Value, required: &[&str]) -> AskedForm {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    AskedForm { message: message.to_owned(), schema }
}

fn read(properties: &Value, required: &[&str]) -> Form {
    Form::read(&form("Please.", properties, required)).unwrap()
}

fn labels(answers: &Value) -> Answers {
    serde_json::from_value(answers.clone()).unwrap()
}

/// What a form of one required field holds after that answer.
#[track_caller]
fn check(property: &Value, answer: &[&str], expected: Option<Value>) {
    let form = read(&json!({ "f": property }), &["f"]);
    let content = form.content(&labels(&json!([answer])));
    assert_eq!(
        content,
        expected.map(|value| Map::from_iter([("f".to_owned(), value)])),
        "{property} {answer:?}"
    );
}

#[test]
fn fields_become_questions_in_the_agents_order() {
    let form = read(
        &json!({
            "zeta": { "type": "string", "oneOf": [
                { "const": "r", "title": "Red" }, { "const": "b", "title": "Blue" },
            ], "title": "Colour", "description": "Which colour?" },
            "alpha": { "type": "boolean" },
            "beta": { "type": "array", "items": { "type": "string", "enum": ["x", "y"] } },
            "gamma": { "type": "integer", "title": "Count", "default": 3 },
        }),
        &["zeta", "alpha"],
    );
    let told = serde_json::to_value(form.questions()).unwrap();
    assert_eq!(
        told,
        json!([
            { "question": "Please.\nWhich colour?", "header": "Colour", "custom": false, "options": [
                { "label": "Red", "description": "" }, { "label": "Blue", "description": "" },
            ] },
            { "question": "alpha", "header": "alpha", "custom": false, "options": [
                { "label": "Yes", "description": "" }, { "label": "No", "description": "" },
            ] },
            { "question": "beta", "header": "beta", "multiple": true, "custom": false, "optional": true, "options": [
                { "label": "x", "description": "" }, { "label": "y", "description": "" },
            ] },
            { "question": "Count", "header": "Count", "optional": true, "options": [
                { "label": "3", "description": "the default" },
            ] },
        ])
    );
    let content = form.content(&labels(&json!([["Blue"], ["No"], [], ["7"]]))).unwrap();
    assert_eq!(Value::Object(content), json!({ "zeta": "b", "alpha": false, "gamma": 7 }));
}

#[test]
fn a_form_without_fields_is_agreed_to_or_dismissed() {
    for schema in [json!({ "type": "object" }), json!({ "type": "object", "properties": {} })] {
        let form = Form::read(&AskedForm { message: "Go on?".to_owned(), schema }).unwrap();
        let questions = form.questions();
        let [question] = questions.as_slice() else { panic!("one question") };
        assert_eq!(
            (question.question.as_str(), question.options.len(), question.custom),
            ("Go on?", 1, Some(false))
        );
        assert_eq!(form.content(&labels(&json!([["Yes"]]))), Some(Map::new()));
    }
}

#[test]
fn a_value_is_checked_against_its_field() {
    let text = json!({ "type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[a-zé]+$" });
    check(&text, &["éa"], Some(json!("éa")));
    check(&text, &["a"], None);
    check(&text, &["abcd"], None);
    check(&text, &["A1"], None);
    let number = json!({ "type": "number", "minimum": 0.5, "maximum": 10 });
    check(&number, &[" 2.5 "], Some(json!(2.5)));
    check(&number, &["3"], Some(json!(3)));
    check(&number, &["0.1"], None);
    check(&number, &["NaN"], None);
    check(&number, &["many"], None);
    let integer = json!({ "type": "integer", "minimum": -1, "maximum": 1 });
    check(&integer, &["-1"], Some(json!(-1)));
    check(&integer, &["2"], None);
    check(&integer, &["0.5"], None);
    check(&json!({ "type": "boolean" }), &["Yes"], Some(json!(true)));
    check(&json!({ "type": "string", "enum": ["a", "b"] }), &["b"], Some(json!("b")));
    check(&json!({ "type": "string", "enum": ["a", "b"] }), &["c"], None);
    let several = json!({ "type": "array", "minItems": 1, "maxItems": 2, "items": { "anyOf": [
        { "const": "1", "title": "One" }, { "const": "2", "title": "Two" }, { "const": "3", "title": "Three" },
    ] } });
    check(&several, &["Three", "One"], Some(json!(["3", "1"])));
    check(&several, &[], None);
    check(&several, &["One", "Two", "Three"], None);
}

#[test]
fn formats_are_checked() {
    let check = |format: &str, text: &str, good: bool| {
        let property = json!({ "type": "string", "format": format });
        let filled = read(&json!({ "f": property }), &["f"]).content(&labels(&json!([[text]])));
        assert_eq!(filled.is_some(), good, "{format} {text}");
    };
    check("email", "a@b.example", true);
    check("email", "a b@c", false);
    check("email", "a@", false);
    check("uri", "https://a.example/x", true);
    check("uri", "a.example", false);
    check("date", "2024-02-29", true);
    check("date", "2023-02-29", false);
    check("date", "2024-02-29T10:00:00Z", false);
    check("date-time", "2024-02-29T10:00:00+01:00", true);
    check("date-time", "2024-02-29", false);
}

/// As claude-agent-acp asks what its own tool for questions asks.
#[test]
fn a_text_field_beside_a_choice_takes_what_is_none_of_its_options() {
    let form = read(
        &json!({
            "question_0": { "type": "string", "title": "Colour", "oneOf": [
                { "const": "Red", "title": "Red — like blood" }, { "const": "Blue", "title": "Blue" },
            ] },
            "question_0_custom": { "type": "string", "title": "Other" },
            "question_1": { "type": "array", "items": { "anyOf": [
                { "const": "a", "title": "a" }, { "const": "b", "title": "b" },
            ] } },
            "question_1_custom": { "type": "string", "title": "Other" },
        }),
        &[],
    );
    let questions = form.questions();
    assert_eq!(questions.len(), 2);
    let red = questions.first().and_then(|question| question.options.first()).unwrap();
    assert_eq!((red.label.as_str(), red.description.as_str()), ("Red", "like blood"));
    assert!(
        questions.iter().all(|question| question.custom == Some(true) && question.optional == Some(true))
    );
    let check = |answers: Value, content: Value| {
        assert_eq!(form.content(&labels(&answers)).map(Value::Object), Some(content), "{answers}");
    };
    check(json!([["Red"], ["a", "b"]]), json!({ "question_0": "Red", "question_1": ["a", "b"] }));
    check(
        json!([["green"], ["a", "c"]]),
        json!({ "question_0_custom": "green", "question_1_custom": "a, c" }),
    );
    check(json!([[], []]), json!({}));
}

#[test]
fn options_of_one_title_are_told_apart_by_their_values() {
    let property = json!({ "type": "string", "oneOf": [
        { "const": "1", "title": "Same" }, { "const": "2", "title": "Same" },
    ] });
    check(&property, &["2"], Some(json!("2")));
    check(&property, &["Same"], None);
}

#[test]
fn a_form_that_cannot_be_asked_or_checked_is_unfit_as_a_whole() {
    let check = |properties: Value, expected: Unfit| {
        let asked = form("m", &properties, &[]);
        assert_eq!(Form::read(&asked).unwrap_err(), expected, "{properties}");
    };
    check(json!({ "a": { "type": "object" } }), Unfit::Field);
    check(json!({ "a": { "type": "string" }, "b": { "type": "null" } }), Unfit::Field);
    check(json!({ "a": { "type": "array", "items": { "type": "object" } } }), Unfit::Field);
    check(json!({ "a": "text" }), Unfit::Malformed);
    check(json!([1]), Unfit::Malformed);
    check(json!({ "a": { "type": "string", "pattern": "(" } }), Unfit::Pattern);
    check(json!({ "a": { "type": "string", "enum": [] } }), Unfit::Options);
    check(json!({ "a": { "type": "string", "enum": ["x", "x"] } }), Unfit::Options);
    check(json!({ "a": { "type": "string", "description": "d".repeat(BYTES_MAX) } }), Unfit::TooLarge);
    let many: Map<String, Value> =
        (0..=QUESTIONS_MAX).map(|n| (format!("f{n}"), json!({ "type": "boolean" }))).collect();
    check(Value::Object(many), Unfit::TooLarge);
    let form = AskedForm { message: String::new(), schema: json!("x") };
    assert_eq!(Form::read(&form).unwrap_err(), Unfit::Malformed);
}
