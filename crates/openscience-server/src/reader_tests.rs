use std::collections::BTreeMap;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
struct Order {
    #[serde(default)]
    items: Vec<Item>,
    count: Option<u32>,
    price: Option<i64>,
    urgent: Option<bool>,
    size: Option<Size>,
    note: Option<Value>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Item {
    name: String,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case")]
enum Size {
    Small,
    Medium,
    Large,
}

fn reader(text: &str) -> Reader {
    Reader::of_json(Tree::read(text.as_bytes()).unwrap())
}

fn read<T: DeserializeOwned>(text: &str) -> Result<T, (String, String)> {
    T::deserialize(reader(text)).map_err(|Fault(issue)| (issue.path, issue.message))
}

#[track_caller]
fn refuses(text: &str, path: &str, message: &str) {
    assert_eq!(read::<Order>(text), Err((path.to_owned(), message.to_owned())), "{text}");
}

#[test]
fn a_fault_is_told_with_its_place_and_without_what_was_received() {
    refuses(r#"{"items":[{"name":7}]}"#, "items[0].name", "expected a string");
    refuses(r#"{"items":[{"name":"a"},{}]}"#, "items[1].name", "required");
    refuses(r#"{"items":"secret"}"#, "items", "expected a list");
    refuses(r#"{"items":{"0":{}}}"#, "items", "expected a list");
    refuses(r#"{"urgent":"true"}"#, "urgent", "expected true or false");
    refuses(r#"{"items":[],"items":[]}"#, "items", "given more than once");
    refuses(r#"{"system":1}"#, "system", "unknown key");
    refuses(r#"{"a secret, not a key":1}"#, "", "unknown key");
    refuses("[]", "", "expected an object");
    refuses("null", "", "expected an object");
}

#[test]
fn a_struct_is_only_ever_an_object_and_a_word_only_ever_a_string() {
    refuses(r#"{"items":[["name"]]}"#, "items[0]", "expected an object");
    refuses(r#"{"items":["name"]}"#, "items[0]", "expected an object");
    for word in [r#""huge""#, "5", "[]", "{}", r#"{"small":null}"#, r#"["small"]"#, "true"] {
        refuses(&format!(r#"{{"size":{word}}}"#), "size", "expected small, medium or large");
    }
    assert_eq!(read::<Order>(r#"{"size":"medium"}"#).unwrap().size, Some(Size::Medium));
}

#[test]
fn a_number_that_is_whole_is_a_whole_number_however_it_is_written() {
    let price = |number: &str| read::<Order>(&format!(r#"{{"price":{number}}}"#)).map(|order| order.price);
    for (number, expected) in
        [("1.0", 1), ("65536.0", 65_536), ("1e3", 1_000), ("-2.0", -2), ("-7", -7), ("-0.0", 0)]
    {
        assert_eq!(price(number), Ok(Some(expected)), "{number}");
    }
    for number in ["1.5", "1e300", "-1e300", "18446744073709551616", "true", "\"1\"", "[1]"] {
        assert_eq!(
            price(number),
            Err(("price".to_owned(), "expected a whole number".to_owned())),
            "{number}"
        );
    }
    refuses(r#"{"count":-1}"#, "count", "expected a whole number from 0 to 4294967295");
    refuses(r#"{"count":4294967296}"#, "count", "expected a whole number from 0 to 4294967295");
    assert_eq!(read::<Order>(r#"{"count":3.0}"#).unwrap().count, Some(3));
}

#[test]
fn null_is_the_same_as_leaving_a_field_out() {
    let nothing = read::<Order>("{}").unwrap();
    assert_eq!(read(r#"{"count":null,"size":null,"note":null}"#), Ok(nothing));
}

#[test]
fn free_values_and_maps_are_read_as_they_are() {
    let note = r#"{"a":[1,-1,1.5,true,null,"x"]}"#;
    let order = read::<Order>(&format!(r#"{{"note":{note}}}"#)).unwrap();
    assert_eq!(order.note, Some(serde_json::from_str(note).unwrap()));
    let map = read::<BTreeMap<String, u32>>(r#"{"a":1,"b":"secret"}"#);
    assert_eq!(map, Err(("b".to_owned(), "expected a whole number from 0 to 4294967295".to_owned())));
}

#[test]
fn in_texts_numbers_are_digits_and_booleans_are_their_words() {
    let read = |key: &str, text: &str| {
        let pairs = [(key.to_owned(), text.to_owned())].into_iter();
        Order::deserialize(Reader::of_texts(pairs)).map_err(|Fault(issue)| issue.path)
    };
    assert_eq!(read("count", "3").unwrap().count, Some(3));
    assert_eq!(read("price", "-3").unwrap().price, Some(-3));
    assert_eq!(read("urgent", "false").unwrap().urgent, Some(false));
    for text in ["", "+3", "3.0", "1e3", " 3", "-", "0x3", "null"] {
        assert_eq!(read("count", text), Err("count".to_owned()), "{text}");
    }
    for text in ["", "1", "True", "null"] {
        assert_eq!(read("urgent", text), Err("urgent".to_owned()), "{text}");
    }
}

#[test]
fn a_tag_tells_how_the_rest_is_read() {
    fn shape(text: &str) -> Result<String, (String, String)> {
        let variants: &[Variant<String>] = &[
            ("item", |fields| Item::deserialize(fields).map(|item| item.name)),
            ("count", |fields| BTreeMap::<String, u32>::deserialize(fields).map(|map| format!("{map:?}"))),
        ];
        reader(text).variant("kind", variants).map_err(|Fault(issue)| (issue.path, issue.message))
    }
    #[track_caller]
    fn refuses(text: &str, path: &str, message: &str) {
        assert_eq!(shape(text), Err((path.to_owned(), message.to_owned())), "{text}");
    }

    assert_eq!(shape(r#"{"name":"a","kind":"item"}"#), Ok("a".to_owned()));
    assert_eq!(shape(r#"{"kind":"count","a":1}"#), Ok(r#"{"a": 1}"#.to_owned()));
    refuses(r#"{"kind":"item"}"#, "name", "required");
    refuses(r#"{"name":"a"}"#, "kind", "required");
    refuses(r#"{"kind":"secret"}"#, "kind", "expected item or count");
    refuses(r#"{"kind":1}"#, "kind", "expected item or count");
    refuses(r#"{"kind":"item","kind":"item"}"#, "kind", "given more than once");
    refuses(r#"["item"]"#, "", "expected an object");
}

#[test]
fn the_items_of_a_list_are_counted_and_told_by_their_number() {
    let names = |text: &str| {
        let read = reader(text).items(2, |item| Item::deserialize(item).map(|item| item.name));
        read.map_err(|Fault(issue)| (issue.path, issue.message))
    };
    assert_eq!(names(r#"[{"name":"a"}]"#), Ok(vec!["a".to_owned()]));
    for (text, path, message) in [
        ("{}", "", "expected a list"),
        ("[]", "", "expected 1 to 2 items"),
        ("[1,2,3]", "", "expected 1 to 2 items"),
        (r#"[{"name":"a"},{"name":1}]"#, "[1].name", "expected a string"),
    ] {
        assert_eq!(names(text), Err((path.to_owned(), message.to_owned())), "{text}");
    }
}
