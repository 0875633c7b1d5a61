//! Questions: asked, answered once or dismissed. Permissions are the broker's.
//!
//! A question never decides how a turn ends: an agent that gets no answer goes on as it likes.

use openscience_protocol::decision::{Answers, MESSAGE_UNITS_MAX, Question};
use openscience_protocol::event::Actor;
use openscience_protocol::row::{Asked, AskedForm, AskedQuestions, DecisionRow, DecisionState};
use openscience_protocol::{Millis, PermissionReply, QuestionRequest, ToolRef};

use crate::answer::{self, Answer, Refusal};
use crate::broker;
use crate::change::Change;
use crate::form::{self, Form};
use crate::input::{Asking, Given, QuestionAsk};
use crate::session::{Context, Decided, Live, State, after};
use crate::text;

/// What questions of the agent come to: asked, or declined with the reason if they cannot be put to anyone.
pub(crate) fn ask(state: &State, live: &Live, ask: &QuestionAsk, cx: &mut Context<'_>) -> Vec<Change> {
    let mine = live.run.owner == *cx.me && !live.closing();
    let open = live.open_turn().filter(|turn| mine && live.told(turn).is_none());
    let (Some(_), Some(message)) = (open, &live.answer) else {
        return vec![Change::RequestRefused(ask.key)];
    };
    let (questions, form) = match &ask.asking {
        Asking::Questions(questions) => (form::checked(questions.clone()), None),
        Asking::Form(form) => (Form::read(form).map(|form| form.questions()), Some(form.clone())),
    };
    let call = |call: &String| ToolRef { message_id: message.row.info.id().clone(), call_id: call.clone() };
    let request = |questions: Vec<Question>, cx: &mut Context<'_>| QuestionRequest {
        id: cx.ids.question(cx.now),
        session_id: state.row.id.clone(),
        questions,
        tool: ask.call.as_ref().map(call),
        asked_at: Some(cx.now),
        expires_at: cx.policy.decision_timeout_ms.map(|limit| after(cx.now, limit)),
    };
    match questions {
        Ok(questions) => {
            let row = row(live, request(questions, cx), form, cx.now);
            vec![Change::DecisionAsked { row: Box::new(row), key: ask.key }]
        }
        Err(unfit) => {
            // What could not be read is not kept: it may be of any size.
            let row = row(live, request(Vec::new(), cx), None, cx.now);
            let row = DecisionRow { message: Some(unfit.to_string()), ..row };
            let row = broker::answered(row, PermissionReply::Reject, Actor::Policy, cx.now);
            let given = Given::Declined(row.message.clone());
            vec![Change::DecisionAnswered { row: Box::new(row), given, key: Some(ask.key) }]
        }
    }
}

fn row(live: &Live, request: QuestionRequest, form: Option<AskedForm>, now: Millis) -> DecisionRow {
    broker::pending(live, request.id.clone(), Asked::Question(AskedQuestions { request, form }), now)
}

/// A person's answers to questions that wait.
pub(crate) fn answer(state: &State, row: &DecisionRow, answers: &Answers, now: Millis) -> Decided {
    let Asked::Question(asked) = &row.request else { return Decided::refuse(Refusal::DecisionExpired) };
    let units: u64 = answers.iter().flatten().map(|label| text::units(label)).sum();
    if units > MESSAGE_UNITS_MAX as u64 || !fits(&asked.request.questions, answers) {
        return Decided::refuse(Refusal::InvalidAnswer);
    }
    let given = match &asked.form {
        None => Given::Answers(answers.clone()),
        Some(form) => match Form::read(form).ok().and_then(|form| form.content(answers)) {
            Some(content) => Given::Content(content),
            None => return Decided::refuse(Refusal::InvalidAnswer),
        },
    };
    let row = DecisionRow {
        state: DecisionState::Indeterminate,
        answers: Some(answers.clone()),
        actor: Some(Actor::Person),
        decided_at: Some(now),
        ..row.clone()
    };
    decided(state, row, given)
}

/// A person dismisses questions that wait.
pub(crate) fn reject(state: &State, row: &DecisionRow, now: Millis) -> Decided {
    if row.question().is_none() {
        return Decided::refuse(Refusal::DecisionExpired);
    }
    let row = broker::answered(row.clone(), PermissionReply::Reject, Actor::Person, now);
    decided(state, row, Given::Declined(None))
}

fn decided(state: &State, row: DecisionRow, given: Given) -> Decided {
    let result = answer::decision(&state.row.id, &row);
    let changes = vec![Change::DecisionAnswered { row: Box::new(row), given, key: None }];
    Decided { changes, answer: result.map(|result| Ok(Answer::Decision { result, settled: false })) }
}

/// Questions that nobody answers.
pub(crate) fn declined(row: &DecisionRow, actor: Actor, now: Millis) -> Change {
    let row = broker::answered(row.clone(), PermissionReply::Reject, actor, now);
    Change::DecisionAnswered { row: Box::new(row), given: Given::Declined(None), key: None }
}

/// True if there are labels for each question, as many as it takes, and ones it knows (wire contract §6.8).
fn fits(questions: &[Question], answers: &Answers) -> bool {
    questions.len() == answers.len()
        && questions.iter().zip(answers).all(|(asked, labels)| fit(asked, labels))
}

fn fit(question: &Question, labels: &[String]) -> bool {
    let listed = |label: &String| question.options.iter().any(|option| option.label == *label);
    let known = question.custom != Some(false) || labels.iter().all(listed);
    let repeated =
        labels.iter().enumerate().any(|(place, label)| labels.iter().skip(place + 1).any(|l| l == label));
    let enough = question.optional == Some(true) || question.multiple == Some(true) || !labels.is_empty();
    let few = question.multiple == Some(true) || labels.len() <= 1;
    known && !repeated && enough && few
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(question: &Value, labels: &[&str], expected: bool) {
        let mut asked = json!({ "question": "q", "header": "h", "options": [
            { "label": "a", "description": "" }, { "label": "b", "description": "" },
        ] });
        asked.as_object_mut().unwrap().extend(question.as_object().unwrap().clone());
        let question: Question = serde_json::from_value(asked).unwrap();
        let labels = labels.iter().map(|&label| label.to_owned()).collect();
        assert_eq!(fits(std::slice::from_ref(&question), &vec![labels]), expected, "{question:?}");
    }

    #[test]
    fn an_answer_is_one_known_label_unless_the_question_says_otherwise() {
        check(&json!({}), &["a"], true);
        check(&json!({}), &["something else"], true);
        check(&json!({ "custom": false }), &["a"], true);
        check(&json!({ "custom": false }), &["something else"], false);
        check(&json!({ "custom": true }), &["something else"], true);
        check(&json!({}), &[], false);
        check(&json!({ "optional": true }), &[], true);
        check(&json!({}), &["a", "b"], false);
        check(&json!({ "multiple": true }), &["b", "a"], true);
        check(&json!({ "multiple": true }), &["a", "a"], false);
        check(&json!({ "multiple": true }), &[], true);
        check(&json!({ "multiple": true, "custom": false }), &["a", "c"], false);
    }

    #[test]
    fn there_is_one_list_of_labels_for_each_question() {
        assert!(!fits(&[], &vec![vec![]]));
        assert!(fits(&[], &vec![]));
    }
}
