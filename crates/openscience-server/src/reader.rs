//! One value of a request, read into a type of ours: what is expected where?
//!
//! Stricter and more patient than other deserializers, in the ways JSON wants
//! it: a struct is only ever an object and a word only ever a string, while
//! `1.0` and `1e3` are whole numbers. A fault is told in the words of JSON,
//! with its place and without what was received.

use std::fmt::{self, Display};
use std::vec;

use serde::de::value::{StrDeserializer, StringDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Error, Expected, IntoDeserializer, MapAccess, SeqAccess, Unexpected,
    Visitor,
};

use crate::problem::Issue;
use crate::tree::Tree;

/// What is wrong with a value, and where below it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault(Issue);

impl Fault {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self(Issue::new("", message))
    }

    /// The same fault, seen from the holder of the value.
    pub(crate) fn within(self, key: &str) -> Self {
        Self(Issue { path: joined(key, &self.0.path), message: self.0.message })
    }

    fn within_item(self, index: usize) -> Self {
        self.within(&format!("[{index}]"))
    }
}

impl From<Fault> for Issue {
    fn from(Fault(issue): Fault) -> Self {
        issue
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.path, self.0.message)
    }
}

impl std::error::Error for Fault {}

impl Error for Fault {
    /// Texts of our own types; they repeat nothing that was received.
    fn custom<T: Display>(text: T) -> Self {
        Self::new(text.to_string())
    }

    fn invalid_type(_: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {}", plain(&expected.to_string())))
    }

    fn invalid_value(received: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(received, expected)
    }

    fn invalid_length(_: usize, expected: &dyn Expected) -> Self {
        Self::new(format!("expected {}", plain(&expected.to_string())))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(format!("expected {}", alternatives(expected)))
    }

    /// The key is not repeated here: who knows whether it looks like one.
    fn unknown_field(_: &str, _: &'static [&'static str]) -> Self {
        Self::new("unknown key")
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new("required").within(field)
    }

    fn duplicate_field(field: &'static str) -> Self {
        Self::new("given more than once").within(field)
    }
}

/// What a type expects, in the words of JSON.
fn plain(expected: &str) -> &str {
    match expected {
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "i64" => "a whole number",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "an object",
        _ => expected,
    }
}

/// `a, b or c`.
fn alternatives(words: &[&str]) -> String {
    match words {
        [] => "nothing".to_owned(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// `a.b` or `a[0]`, whichever side may be empty.
pub(crate) fn joined(path: &str, below: &str) -> String {
    match (path, below) {
        ("", _) => below.to_owned(),
        (_, "") => path.to_owned(),
        _ if below.starts_with('[') => format!("{path}{below}"),
        _ => format!("{path}.{below}"),
    }
}

/// Of all that is received only the name of a key may come back, if it looks like one.
pub(crate) fn shown(key: &str) -> &str {
    let is_key = key.len() <= 64 && key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-');
    if is_key { key } else { "" }
}

/// How numbers and booleans are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// As JSON has them.
    Json,
    /// As text, in queries and paths.
    Text,
}

/// A word and how to read the rest of an object that has it.
pub(crate) type Variant<T> = (&'static str, fn(Reader) -> Result<T, Fault>);

/// One value and everything below it.
#[derive(Debug)]
pub(crate) struct Reader {
    tree: Tree,
    form: Form,
}

impl Reader {
    /// A value of a JSON body.
    pub(crate) fn of_json(tree: Tree) -> Self {
        Self { tree, form: Form::Json }
    }

    /// Pairs of a query or a path; a number is given by its digits.
    pub(crate) fn of_texts(pairs: impl Iterator<Item = (String, String)>) -> Self {
        let tree = Tree::Object(pairs.map(|(key, text)| (key, Tree::Text(text))).collect());
        Self { tree, form: Form::Text }
    }

    /// Takes a field out of an object. Null counts as left out.
    pub(crate) fn take(&mut self, key: &'static str) -> Result<Option<Self>, Fault> {
        let Tree::Object(fields) = &mut self.tree else { return Ok(None) };
        let (mut taken, kept): (Vec<_>, Vec<_>) =
            std::mem::take(fields).into_iter().partition(|(name, _)| name == key);
        *fields = kept;
        let value = taken.pop();
        if !taken.is_empty() {
            return Err(Fault::duplicate_field(key));
        }
        let form = self.form;
        Ok(match value {
            None | Some((_, Tree::Null)) => None,
            Some((_, tree)) => Some(Self { tree, form }),
        })
    }

    /// Reads an object as the variant that the word under `key` tells.
    pub(crate) fn variant<T>(mut self, key: &'static str, variants: &[Variant<T>]) -> Result<T, Fault> {
        if !matches!(self.tree, Tree::Object(_)) {
            return Err(Fault::new("expected an object"));
        }
        let tag = self.take(key)?.ok_or_else(|| Fault::missing_field(key))?;
        let known = match &tag.tree {
            Tree::Text(tag) => variants.iter().find(|(word, _)| word == tag),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::List(_) | Tree::Object(_) => None,
        };
        let Some((_, read)) = known else {
            let words: Vec<&str> = variants.iter().map(|(word, _)| *word).collect();
            return Err(Fault::new(format!("expected {}", alternatives(&words))).within(key));
        };
        read(self)
    }

    /// Reads each item of a list of `1..=max` items.
    pub(crate) fn items<T>(
        self,
        max: usize,
        read: impl Fn(Self) -> Result<T, Fault>,
    ) -> Result<Vec<T>, Fault> {
        let form = self.form;
        let Tree::List(list) = self.tree else { return Err(Fault::new("expected a list")) };
        if !(1..=max).contains(&list.len()) {
            return Err(Fault::new(format!("expected 1 to {max} items")));
        }
        let items = list.into_iter().enumerate();
        items
            .map(|(index, tree)| read(Self { tree, form }).map_err(|fault| fault.within_item(index)))
            .collect()
    }

    fn integer<'de, V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let text = match (&self.tree, self.form) {
            (Tree::Number(number), _) => match number.as_u64() {
                Some(number) => return visitor.visit_u64(number),
                // Written out it has a point only if it is not whole.
                None => number.as_f64().map(|number| number.to_string()),
            },
            (Tree::Text(text), Form::Text) => Some(text.clone()),
            (Tree::Null | Tree::Bool(_) | Tree::Text(_) | Tree::List(_) | Tree::Object(_), _) => None,
        };
        match text.as_deref().and_then(whole) {
            Some(number) => match u64::try_from(number) {
                Ok(number) => visitor.visit_u64(number),
                Err(_) => visitor.visit_i64(number),
            },
            None => Err(Fault::invalid_type(Unexpected::Unit, &visitor)),
        }
    }
}

/// A whole number of digits alone, with a minus before it or not.
fn whole(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.bytes().all(|b| b.is_ascii_digit()) { text.parse().ok() } else { None }
}

macro_rules! integers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.integer(visitor)
        })*
    };
}

impl<'de> Deserializer<'de> for Reader {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.tree {
            Tree::Null => visitor.visit_unit(),
            Tree::Bool(value) => visitor.visit_bool(value),
            Tree::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), _, _) => visitor.visit_u64(number),
                (None, Some(number), _) => visitor.visit_i64(number),
                (None, None, Some(number)) => visitor.visit_f64(number),
                (None, None, None) => visitor.visit_unit(),
            },
            Tree::Text(text) => visitor.visit_string(text),
            Tree::List(list) => {
                visitor.visit_seq(Items { rest: list.into_iter(), index: 0, form: self.form })
            }
            Tree::Object(fields) => {
                visitor.visit_map(Fields { rest: fields.into_iter(), next: None, form: self.form })
            }
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match (&self.tree, self.form) {
            (Tree::Text(text), Form::Text) if text == "true" => visitor.visit_bool(true),
            (Tree::Text(text), Form::Text) if text == "false" => visitor.visit_bool(false),
            _ => self.deserialize_any(visitor),
        }
    }

    integers! {
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.tree {
            Tree::Null => visitor.visit_none(),
            Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_) | Tree::Object(_) => {
                visitor.visit_some(self)
            }
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.tree {
            Tree::Object(_) => self.deserialize_any(visitor),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::Text(_) | Tree::List(_) => {
                Err(Fault::new("expected an object"))
            }
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        words: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        match self.tree {
            Tree::Text(word) => visitor.visit_enum(StringDeserializer::new(word)),
            Tree::Null | Tree::Bool(_) | Tree::Number(_) | Tree::List(_) | Tree::Object(_) => {
                Err(Fault::unknown_variant("", words))
            }
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_unit()
    }

    serde::forward_to_deserialize_any! {
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map identifier
    }
}

/// Items of a list that are still to be read.
struct Items {
    rest: vec::IntoIter<Tree>,
    index: usize,
    form: Form,
}

impl<'de> SeqAccess<'de> for Items {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(tree) = self.rest.next() else { return Ok(None) };
        let index = self.index;
        self.index += 1;
        let item = Reader { tree, form: self.form };
        seed.deserialize(item).map(Some).map_err(|fault| fault.within_item(index))
    }
}

/// Fields of an object that are still to be read.
struct Fields {
    rest: vec::IntoIter<(String, Tree)>,
    next: Option<(String, Tree)>,
    form: Form,
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        self.next = self.rest.next();
        let Some((key, _)) = &self.next else { return Ok(None) };
        let name: StrDeserializer<'_, Fault> = key.as_str().into_deserializer();
        seed.deserialize(name).map(Some).map_err(|fault| fault.within(shown(key)))
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        let Some((key, tree)) = self.next.take() else {
            return Err(Fault::new("a value without a key"));
        };
        let value = Reader { tree, form: self.form };
        seed.deserialize(value).map_err(|fault| fault.within(shown(&key)))
    }
}

#[cfg(test)]
#[path = "reader_tests.rs"]
mod tests;
