//! A JSON text as a tree: is it JSON at all, and is it small enough to look at?
//!
//! What the values mean is asked later, by [`crate::reader`]. Unlike a
//! `serde_json::Value` a tree keeps keys that are given twice.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Number;

use crate::problem::Issue;
use crate::reader::{joined, shown};

/// Lists and objects inside each other; ours need five.
const DEPTH_MAX: usize = 64;
/// Values of all kinds in one text: each takes many times the bytes it takes in the text.
const VALUES_MAX: usize = 100_000;

/// One JSON value.
#[derive(Debug, Clone)]
pub(crate) enum Tree {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Self>),
    Object(Vec<(String, Self)>),
}

/// Why a text has no tree.
#[derive(Debug)]
pub(crate) enum TreeError {
    /// The text is not JSON from that place on; both count from 1.
    NotJson { line: usize, column: usize },
    /// It is JSON beyond what can be read.
    Beyond(Issue),
}

impl Tree {
    /// Reads a whole text.
    pub(crate) fn read(text: &[u8]) -> Result<Self, TreeError> {
        let mut growth = Growth { place: Vec::new(), left: VALUES_MAX, beyond: None };
        let mut source = serde_json::Deserializer::from_slice(text);
        let read = growth.node().deserialize(&mut source).and_then(|tree| source.end().map(|()| tree));
        read.map_err(|_| {
            if let Err(not_json) = check_json(text) {
                return not_json;
            }
            let unreadable = "holds a number that is too large, or half of a surrogate pair";
            TreeError::Beyond(Issue::new(growth.path(), growth.beyond.unwrap_or(unreadable)))
        })
    }
}

/// Takes any text of the grammar, however deep and however large its numbers.
fn check_json(text: &[u8]) -> Result<(), TreeError> {
    let text = std::str::from_utf8(text).map_err(|error| place(text, error.valid_up_to()))?;
    serde_json::from_str::<IgnoredAny>(text)
        .map(drop)
        .map_err(|error| TreeError::NotJson { line: error.line(), column: error.column().max(1) })
}

/// The place of the byte at `offset`.
fn place(text: &[u8], offset: usize) -> TreeError {
    let before = text.get(..offset).unwrap_or_default();
    let lines = before.split(|byte| *byte == b'\n');
    let (line, last) = (1..).zip(lines).last().unwrap_or((1, before));
    TreeError::NotJson { line, column: last.len() + 1 }
}

/// One step into a tree.
#[derive(Debug)]
enum Step {
    Key(String),
    Index(usize),
}

/// How far a tree has grown; after an error, where that was.
#[derive(Debug)]
struct Growth {
    place: Vec<Step>,
    left: usize,
    beyond: Option<&'static str>,
}

impl Growth {
    fn node(&mut self) -> Node<'_> {
        Node(self)
    }

    fn path(&self) -> String {
        self.place.iter().fold(String::new(), |path, step| match step {
            Step::Key(key) => joined(&path, key),
            Step::Index(index) => joined(&path, &format!("[{index}]")),
        })
    }

    fn refuse<E: Error>(&mut self, beyond: &'static str) -> E {
        self.beyond = Some(beyond);
        E::custom(beyond)
    }

    /// Makes room for one more value.
    fn grow<E: Error>(&mut self) -> Result<(), E> {
        if self.place.len() > DEPTH_MAX {
            return Err(self.refuse("lists and objects are nested too deeply"));
        }
        match self.left.checked_sub(1) {
            Some(left) => self.left = left,
            None => return Err(self.refuse("the body holds too many values")),
        }
        Ok(())
    }
}

/// The value that comes next.
struct Node<'a>(&'a mut Growth);

impl<'de> DeserializeSeed<'de> for Node<'_> {
    type Value = Tree;

    fn deserialize<D: Deserializer<'de>>(self, source: D) -> Result<Tree, D::Error> {
        self.0.grow()?;
        source.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Node<'_> {
    type Value = Tree;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Tree, E> {
        Ok(Tree::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Tree, E> {
        Ok(Tree::Bool(value))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Tree, E> {
        Ok(Tree::Number(number.into()))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Tree, E> {
        Ok(Tree::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Tree, E> {
        Ok(Number::from_f64(number).map_or(Tree::Null, Tree::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Tree, E> {
        Ok(Tree::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Tree, E> {
        Ok(Tree::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut source: A) -> Result<Tree, A::Error> {
        let mut list = Vec::new();
        loop {
            self.0.place.push(Step::Index(list.len()));
            let Some(tree) = source.next_element_seed(self.0.node())? else { break };
            list.push(tree);
            self.0.place.pop();
        }
        self.0.place.pop();
        Ok(Tree::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut source: A) -> Result<Tree, A::Error> {
        let mut fields = Vec::new();
        while let Some(key) = source.next_key::<String>()? {
            self.0.place.push(Step::Key(shown(&key).to_owned()));
            fields.push((key, source.next_value_seed(self.0.node())?));
            self.0.place.pop();
        }
        Ok(Tree::Object(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Result<(), Option<(&str, &str)>>) {
        let read = Tree::read(text.as_bytes()).map(drop).map_err(|error| match error {
            TreeError::NotJson { .. } => None,
            TreeError::Beyond(issue) => Some((issue.path, issue.message)),
        });
        let expected =
            expected.map_err(|beyond| beyond.map(|(path, message)| (path.to_owned(), message.to_owned())));
        assert_eq!(read, expected, "{}", text.chars().take(80).collect::<String>());
    }

    #[test]
    fn a_text_that_is_not_json_has_no_tree_whatever_stands_before_the_fault() {
        for text in ["", "{", "nope", "{} x", r#"{"a":1e400, oops"#, "\u{feff}{}", "[\"\u{1}\"]", "01"] {
            check(text, Err(None));
        }
        assert!(matches!(Tree::read(b"\"\xff\""), Err(TreeError::NotJson { .. })));
    }

    #[test]
    fn the_place_of_a_fault_is_told_as_editors_count() {
        let place = |text: &[u8]| match Tree::read(text).unwrap_err() {
            TreeError::NotJson { line, column } => (line, column),
            TreeError::Beyond(issue) => panic!("{issue:?}"),
        };
        assert_eq!(place(b""), (1, 1));
        assert_eq!(place(b"{\"a\": nope}"), (1, 8));
        assert_eq!(place(b"{\n  \"a\": 1,\n}"), (3, 1));
        assert_eq!(place(b"{\n \"\xff\"}"), (2, 3));
        assert_eq!(place(b"{} x"), (1, 4));
    }

    #[test]
    fn json_that_cannot_be_read_is_told_with_its_place() {
        let unreadable = "holds a number that is too large, or half of a surrogate pair";
        check(r#"{"a":[0,1e400]}"#, Err(Some(("a[1]", unreadable))));
        check(r#"{"a":{"b":"\ud800"}}"#, Err(Some(("a.b", unreadable))));
        check("1e308", Ok(()));
        check("123456789012345678901234567890", Ok(()));
    }

    #[test]
    fn a_tree_has_bounds_in_depth_and_in_number() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        let beyond = Tree::read(nested(5_000).as_bytes()).unwrap_err();
        assert!(matches!(beyond, TreeError::Beyond(Issue { message, .. }) if message.contains("deeply")));
        check(&nested(DEPTH_MAX), Ok(()));
        check(&("[".repeat(5_000) + "}"), Err(None));
        let flat = |values: usize| format!("[{}0]", "0,".repeat(values - 2));
        check(&flat(VALUES_MAX), Ok(()));
        let path = format!("[{}]", VALUES_MAX - 1);
        check(&flat(VALUES_MAX + 1), Err(Some((&path, "the body holds too many values"))));
    }
}
