//! What a person types, and what is said where nobody does.

use serde_json::{Value, json};

use super::*;

fn permission(always: &[&str]) -> Ask {
    let request = json!({
        "id": "per_1", "sessionID": "ses_1", "permission": "bash", "patterns": ["make"], "metadata": {},
        "always": always,
    });
    Ask::Permission(serde_json::from_value(request).unwrap())
}

fn questions() -> QuestionRequest {
    let option = |label: &str| json!({"label": label, "description": ""});
    let request = json!({"id": "que_1", "sessionID": "ses_1", "questions": [
        {"question": "Which?", "header": "H", "options": [option("A (Recommended)"), option("B")]},
        {"question": "Why?", "header": "H", "options": []},
    ]});
    serde_json::from_value(request).unwrap()
}

#[test]
fn a_letter_answers_a_permission_and_anything_else_is_asked_again() {
    let answer = |ask: &Ask, line: &str| read_answer(ask, line).map(|answer| json!(answer)["reply"].clone());
    for (line, reply) in
        [("y", "once"), (" YES \n", "once"), ("n", "reject"), ("", "reject"), ("s", "session")]
    {
        assert_eq!(answer(&permission(&["make"]), line), Some(Value::from(reply)), "{line}");
    }
    assert_eq!(answer(&permission(&[]), "s"), None, "no wider scope is offered");
    assert_eq!(answer(&permission(&["make"]), "maybe"), None);
}

#[test]
fn questions_are_answered_by_number_or_in_words_one_each() {
    let answer = |line: &str| read_answer(&Ask::Question(questions()), line).map(|answer| json!(answer));
    assert_eq!(answer("2; because").unwrap()["answers"], json!([["B"], ["because"]]));
    assert_eq!(answer("9; 1").unwrap()["answers"], json!([["9"], ["1"]]), "no such choice: words");
    assert_eq!(answer("2"), None, "one answer is missing");
    assert_eq!(answer(" ").unwrap()["kind"], "question_reject");
}

#[test]
fn by_itself_every_question_gets_its_first_choice() {
    assert_eq!(first_choices(&questions()), [vec!["A (Recommended)".to_owned()], vec![]]);
}
