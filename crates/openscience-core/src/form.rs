//! Forms of agents as questions, and what a form is filled in with from their answers.
//!
//! Each field becomes a question that people can answer by labels or in words. A form with a field of
//! which that cannot be made, or that cannot be checked, is unfit as a whole: half a form helps nobody.

use agent_client_protocol_schema::v1::{
    ElicitationPropertySchema, EnumOption, IntegerPropertySchema, MultiSelectItems,
    MultiSelectPropertySchema, NumberPropertySchema, StringFormat, StringPropertySchema,
};
use jiff::civil::Date;
use openscience_protocol::decision::{Answers, Question, QuestionOption};
use openscience_protocol::row::AskedForm;
use regex::{Regex, RegexBuilder};
use serde::Deserialize as _;
use serde_json::{Map, Number, Value, json};

/// A quarter of an event: questions stand in rows, events and snapshots.
const BYTES_MAX: usize = 64 << 10;

/// More than anyone answers.
const QUESTIONS_MAX: usize = 32;

/// What a compiled pattern may take.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// The field beside a choice for an answer in one's own words: claude-agent-acp names it so.
const CUSTOM: &str = "_custom";

const YES: &str = "Yes";
const NO: &str = "No";

/// Why questions cannot be put to anyone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unfit {
    #[error("the questions are too many or too long")]
    TooLarge,
    #[error("the form cannot be read")]
    Malformed,
    #[error("a question has two options of one name, or none to choose from")]
    Options,
    #[error("the form has a field of a kind that cannot be asked")]
    Field,
    #[error("the form has a pattern that cannot be checked")]
    Pattern,
}

/// An answer is not what its field may hold.
#[derive(Debug)]
struct Misfit;

/// A form, read.
#[derive(Debug)]
pub(crate) struct Form {
    fields: Vec<Field>,
}

/// One field and its question.
#[derive(Debug)]
struct Field {
    name: String,
    question: Question,
    takes: Takes,
    /// The field that takes an answer that is none of the options.
    custom: Option<(String, Text)>,
}

/// What a field may hold.
#[derive(Debug)]
enum Takes {
    /// Nothing: a form without fields is only agreed to.
    Agreement,
    Yes,
    Choice(Vec<Offered>),
    Choices(Vec<Offered>, MultiSelectPropertySchema),
    Text(Text),
    Number(NumberPropertySchema),
    Integer(IntegerPropertySchema),
}

/// An option and the value it stands for.
#[derive(Debug)]
struct Offered {
    shown: QuestionOption,
    value: String,
}

#[derive(Debug)]
struct Text {
    schema: StringPropertySchema,
    pattern: Option<Regex>,
}

/// The questions, if they can be put to people.
pub(crate) fn checked(questions: Vec<Question>) -> Result<Vec<Question>, Unfit> {
    let bytes = serde_json::to_string(&questions).map_or(usize::MAX, |text| text.len());
    if questions.is_empty() || questions.len() > QUESTIONS_MAX || bytes > BYTES_MAX {
        return Err(Unfit::TooLarge);
    }
    let wrong = |question: &Question| {
        let labels: Vec<&str> = question.options.iter().map(|option| option.label.as_str()).collect();
        !are_distinct(&labels) || (labels.is_empty() && question.custom == Some(false))
    };
    if questions.iter().any(wrong) { Err(Unfit::Options) } else { Ok(questions) }
}

impl Form {
    pub(crate) fn read(form: &AskedForm) -> Result<Self, Unfit> {
        if form.message.len() + form.schema.to_string().len() > BYTES_MAX {
            return Err(Unfit::TooLarge);
        }
        let schema = form.schema.as_object().ok_or(Unfit::Malformed)?;
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let none = Map::new();
        let properties = match schema.get("properties") {
            None | Some(Value::Null) => &none,
            Some(properties) => properties.as_object().ok_or(Unfit::Malformed)?,
        };
        let mut fields: Vec<Field> = Vec::new();
        for (name, property) in properties {
            let property = ElicitationPropertySchema::deserialize(property).map_err(|_| Unfit::Malformed)?;
            let optional = !required.contains(&name.as_str());
            match custom_of(fields.last_mut(), name, property, optional)? {
                None => {}
                Some(property) => fields.push(field(name, property, optional)?),
            }
        }
        if fields.is_empty() {
            fields.push(agreement());
        }
        // The message has no place of its own among questions.
        if let Some(first) = fields.first_mut() {
            let text = &first.question.question;
            first.question.question = match (form.message.trim(), text.is_empty()) {
                ("", _) => text.clone(),
                (message, true) => message.to_owned(),
                (message, false) => format!("{message}\n{text}"),
            };
        }
        for field in &mut fields {
            if field.question.question.is_empty() {
                field.question.question.clone_from(&field.question.header);
            }
        }
        checked(fields.iter().map(|field| field.question.clone()).collect())?;
        Ok(Self { fields })
    }

    pub(crate) fn questions(&self) -> Vec<Question> {
        self.fields.iter().map(|field| field.question.clone()).collect()
    }

    /// The form as the answers fill it in; none if one of them is not what its field may hold.
    pub(crate) fn content(&self, answers: &Answers) -> Option<Map<String, Value>> {
        let mut content = Map::new();
        for (field, labels) in self.fields.iter().zip(answers) {
            if let Some((name, value)) = field.filled(labels).ok()? {
                content.insert(name, value);
            }
        }
        Some(content)
    }
}

impl Field {
    /// What its answer fills in: nothing if it is left out.
    fn filled(&self, labels: &[String]) -> Result<Option<(String, Value)>, Misfit> {
        let held = |value: Value| Some((self.name.clone(), value));
        let custom = |text: &str| {
            let (name, takes) = self.custom.as_ref().ok_or(Misfit)?;
            Ok(Some((name.clone(), takes.value(text)?)))
        };
        let [label, ..] = labels else {
            return Ok(if self.takes_none()? { held(json!([])) } else { None });
        };
        match &self.takes {
            Takes::Agreement => Ok(None),
            Takes::Yes => Ok(held(json!(label == YES))),
            Takes::Choice(options) => match value_of(options, label) {
                Some(value) => Ok(held(json!(value))),
                None => custom(label),
            },
            Takes::Choices(options, schema) => {
                let values: Option<Vec<&str>> = labels.iter().map(|label| value_of(options, label)).collect();
                match values {
                    Some(values) if may_be_as_many(schema, values.len()) => Ok(held(json!(values))),
                    Some(_) => Err(Misfit),
                    // What is said in one's own words stands for the whole answer.
                    None => custom(&labels.join(", ")),
                }
            }
            Takes::Text(text) => text.value(label).map(held),
            Takes::Number(schema) => number(schema, label).map(held),
            Takes::Integer(schema) => integer(schema, label).map(held),
        }
    }

    /// True if no label at all is an empty list, false if it leaves the field out.
    fn takes_none(&self) -> Result<bool, Misfit> {
        match &self.takes {
            _ if self.question.optional == Some(true) => Ok(false),
            Takes::Choices(_, schema) if may_be_as_many(schema, 0) => Ok(true),
            _ => Err(Misfit),
        }
    }
}

impl Text {
    fn read(schema: StringPropertySchema) -> Result<Self, Unfit> {
        let compiled = |pattern: &String| RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build();
        let pattern = schema.pattern.as_ref().map(compiled).transpose().map_err(|_| Unfit::Pattern)?;
        Ok(Self { schema, pattern })
    }

    fn value(&self, text: &str) -> Result<Value, Misfit> {
        let Self { schema, pattern } = self;
        let length = u32::try_from(text.chars().count()).unwrap_or(u32::MAX);
        let short = schema.min_length.is_some_and(|least| length < least);
        let long = schema.max_length.is_some_and(|most| length > most);
        let matches = pattern.as_ref().is_none_or(|pattern| pattern.is_match(text));
        let formed = schema.format.as_ref().is_none_or(|format| has_format(*format, text));
        if !short && !long && matches && formed { Ok(json!(text)) } else { Err(Misfit) }
    }
}

/// Takes a text field that is there for other answers to the choice before it; gives back any other.
fn custom_of(
    before: Option<&mut Field>,
    name: &str,
    property: ElicitationPropertySchema,
    optional: bool,
) -> Result<Option<ElicitationPropertySchema>, Unfit> {
    let Some(before) = before.filter(|before| name.strip_suffix(CUSTOM) == Some(&before.name)) else {
        return Ok(Some(property));
    };
    match property {
        ElicitationPropertySchema::String(schema)
            if optional
                && schema.enum_values.is_none()
                && schema.one_of.is_none()
                && matches!(before.takes, Takes::Choice(_) | Takes::Choices(..)) =>
        {
            before.custom = Some((name.to_owned(), Text::read(schema)?));
            before.question.custom = Some(true);
            Ok(None)
        }
        property => Ok(Some(property)),
    }
}

fn field(name: &str, property: ElicitationPropertySchema, optional: bool) -> Result<Field, Unfit> {
    let (title, description, takes) = match property {
        ElicitationPropertySchema::Boolean(schema) => (schema.title, schema.description, Takes::Yes),
        ElicitationPropertySchema::Number(schema) => {
            (schema.title.clone(), schema.description.clone(), Takes::Number(schema))
        }
        ElicitationPropertySchema::Integer(schema) => {
            (schema.title.clone(), schema.description.clone(), Takes::Integer(schema))
        }
        ElicitationPropertySchema::String(schema) => {
            let (title, description) = (schema.title.clone(), schema.description.clone());
            let takes = match (&schema.one_of, &schema.enum_values) {
                (Some(options), _) => Takes::Choice(titled(options)),
                (None, Some(values)) => Takes::Choice(plain(values)),
                (None, None) => Takes::Text(Text::read(schema)?),
            };
            (title, description, takes)
        }
        ElicitationPropertySchema::Array(schema) => {
            let options = match &schema.items {
                MultiSelectItems::String(items) => plain(&items.values),
                MultiSelectItems::Titled(items) => titled(&items.options),
                _ => return Err(Unfit::Field),
            };
            (schema.title.clone(), schema.description.clone(), Takes::Choices(options, schema))
        }
        _ => return Err(Unfit::Field),
    };
    let question = Question {
        question: description.unwrap_or_default(),
        header: title.filter(|title| !title.is_empty()).unwrap_or_else(|| name.to_owned()),
        options: takes.options(),
        multiple: matches!(takes, Takes::Choices(..)).then_some(true),
        custom: matches!(takes, Takes::Yes | Takes::Choice(_) | Takes::Choices(..)).then_some(false),
        optional: optional.then_some(true),
    };
    Ok(Field { name: name.to_owned(), question, takes, custom: None })
}

/// The one question of a form that asks for nothing but agreement; dismissing it declines the form.
fn agreement() -> Field {
    let question = Question {
        question: String::new(),
        header: "Agree".to_owned(),
        options: Takes::Agreement.options(),
        multiple: None,
        custom: Some(false),
        optional: None,
    };
    Field { name: String::new(), question, takes: Takes::Agreement, custom: None }
}

impl Takes {
    fn options(&self) -> Vec<QuestionOption> {
        let default = |text: Option<String>| -> Vec<QuestionOption> {
            text.filter(|text| !text.is_empty()).map(|text| shown(&text, "the default")).into_iter().collect()
        };
        match self {
            Self::Agreement => vec![shown(YES, "")],
            Self::Yes => vec![shown(YES, ""), shown(NO, "")],
            Self::Choice(options) | Self::Choices(options, _) => {
                options.iter().map(|option| option.shown.clone()).collect()
            }
            Self::Text(text) => default(text.schema.default.clone()),
            Self::Number(schema) => default(schema.default.map(|value| value.to_string())),
            Self::Integer(schema) => default(schema.default.map(|value| value.to_string())),
        }
    }
}

fn shown(label: &str, description: &str) -> QuestionOption {
    QuestionOption { label: label.to_owned(), description: description.to_owned() }
}

/// The value that the label stands for.
fn value_of<'a>(options: &'a [Offered], label: &str) -> Option<&'a str> {
    options.iter().find(|option| option.shown.label == label).map(|option| option.value.as_str())
}

fn plain(values: &[String]) -> Vec<Offered> {
    values.iter().map(|value| Offered { shown: shown(value, ""), value: value.clone() }).collect()
}

/// By their titles, unless two options have the same.
fn titled(options: &[EnumOption]) -> Vec<Offered> {
    let titles: Vec<&str> = options.iter().map(|option| option.title.as_str()).collect();
    let distinct = are_distinct(&titles);
    let offered = |option: &EnumOption| {
        let (label, behind) = split(&option.title, &option.value);
        let description = option.description.as_deref().unwrap_or(behind);
        let label = if distinct { label } else { &option.value };
        Offered { shown: shown(label, description), value: option.value.clone() }
    };
    options.iter().map(offered).collect()
}

/// claude-agent-acp puts the description of an option into its title, behind the value.
fn split<'a>(title: &'a str, value: &str) -> (&'a str, &'a str) {
    match title.split_once(" — ") {
        Some((name, description)) if name == value => (name, description),
        Some(_) | None => (title, ""),
    }
}

fn are_distinct(labels: &[&str]) -> bool {
    let mut sorted = labels.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| !matches!(pair, [a, b] if a == b)) && !labels.contains(&"")
}

fn may_be_as_many(schema: &MultiSelectPropertySchema, count: usize) -> bool {
    let count = count as u64;
    schema.min_items.is_none_or(|least| count >= least) && schema.max_items.is_none_or(|most| count <= most)
}

fn number(schema: &NumberPropertySchema, text: &str) -> Result<Value, Misfit> {
    let value: f64 = text.trim().parse().map_err(|_| Misfit)?;
    let low = schema.minimum.is_some_and(|least| value < least);
    let high = schema.maximum.is_some_and(|most| value > most);
    if low || high {
        return Err(Misfit);
    }
    // As it was written where that is exact.
    let whole: Option<i64> = text.trim().parse().ok();
    whole.map(Value::from).or_else(|| Number::from_f64(value).map(Value::Number)).ok_or(Misfit)
}

fn integer(schema: &IntegerPropertySchema, text: &str) -> Result<Value, Misfit> {
    let value: i64 = text.trim().parse().map_err(|_| Misfit)?;
    let low = schema.minimum.is_some_and(|least| value < least);
    let high = schema.maximum.is_some_and(|most| value > most);
    if low || high { Err(Misfit) } else { Ok(json!(value)) }
}

fn has_format(format: StringFormat, text: &str) -> bool {
    let blank = text.contains(char::is_whitespace);
    match format {
        StringFormat::Email => {
            let parts = text.split_once('@');
            !blank
                && parts
                    .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
        }
        StringFormat::Uri => {
            let scheme = |scheme: &str| {
                scheme.starts_with(|c: char| c.is_ascii_alphabetic())
                    && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
            };
            !blank && text.split_once(':').is_some_and(|(before, rest)| scheme(before) && !rest.is_empty())
        }
        StringFormat::Date => Date::strptime("%Y-%m-%d", text).is_ok(),
        StringFormat::DateTime => text.parse::<jiff::Timestamp>().is_ok(),
        // A form of writing we do not know is the agent's to check.
        _ => true,
    }
}

#[cfg(test)]
mod tests;
