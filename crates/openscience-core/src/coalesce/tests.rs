use proptest::prelude::{Just, ProptestConfig, Strategy, prop_assert, prop_assert_eq, prop_oneof, proptest};

use super::*;

fn chunk(message: &str, text: &str) -> TextChunk {
    TextChunk { thought: false, message: Some(message.to_owned()), text: text.to_owned() }
}

fn thought(text: &str) -> TextChunk {
    TextChunk { thought: true, message: None, text: text.to_owned() }
}

#[test]
fn the_first_text_of_a_part_goes_out_at_once() {
    let mut coalescer = Coalescer::default();
    assert_eq!(coalescer.push(chunk("a", "1"), 0), [chunk("a", "1")]);
    assert_eq!(coalescer.deadline(), None);
    assert_eq!(coalescer.push(chunk("b", "2"), 1), [chunk("b", "2")]);
    assert_eq!(coalescer.push(thought("3"), 2), [thought("3")]);
}

#[test]
fn later_text_is_held_and_merged_until_it_is_flushed() {
    let mut coalescer = Coalescer::default();
    coalescer.push(chunk("a", "1"), 0);
    assert_eq!(coalescer.push(chunk("a", "2"), 10), []);
    assert_eq!(coalescer.push(chunk("a", "3"), 20), []);
    assert_eq!(coalescer.deadline(), Some(60), "50 ms after the first held text");
    assert_eq!(coalescer.flush(), Some(chunk("a", "23")));
    assert_eq!((coalescer.deadline(), coalescer.flush()), (None, None));
    assert_eq!(coalescer.push(chunk("a", "4"), 70), [], "a flush does not end the part");
    assert_eq!(coalescer.deadline(), Some(120));
}

#[test]
fn text_that_comes_at_the_deadline_takes_the_held_text_along() {
    let mut coalescer = Coalescer::default();
    coalescer.push(chunk("a", "1"), 0);
    assert_eq!(coalescer.push(chunk("a", "2"), 10), []);
    assert_eq!(coalescer.push(chunk("a", "3"), 59), []);
    assert_eq!(coalescer.push(chunk("a", "4"), 60), [chunk("a", "234")]);
}

#[test]
fn held_text_goes_out_before_the_next_part() {
    let mut coalescer = Coalescer::default();
    coalescer.push(chunk("a", "1"), 0);
    coalescer.push(chunk("a", "2"), 1);
    assert_eq!(coalescer.push(chunk("b", "3"), 2), [chunk("a", "2"), chunk("b", "3")]);
    assert_eq!(coalescer.push(chunk("a", "4"), 3), [chunk("a", "4")], "a part that comes back is new");
}

#[test]
fn an_interruption_gives_the_held_text_and_ends_the_part() {
    let mut coalescer = Coalescer::default();
    coalescer.push(chunk("a", "1"), 0);
    coalescer.push(chunk("a", "2"), 1);
    assert_eq!(coalescer.interrupt(), Some(chunk("a", "2")));
    assert_eq!(coalescer.interrupt(), None);
    assert_eq!(coalescer.push(chunk("a", "3"), 2), [chunk("a", "3")]);
}

#[test]
fn text_is_not_merged_beyond_the_size_limit() {
    let long = "x".repeat(SIZE_MAX - 1);
    let mut coalescer = Coalescer::default();
    coalescer.push(chunk("a", "1"), 0);
    assert_eq!(coalescer.push(chunk("a", &long), 1), []);
    assert_eq!(coalescer.push(chunk("a", "yy"), 2), [chunk("a", &long)]);
    assert_eq!(coalescer.deadline(), Some(52));
    let huge = "z".repeat(SIZE_MAX);
    assert_eq!(coalescer.push(chunk("a", &huge), 3), [chunk("a", "yy"), chunk("a", &huge)]);
    assert_eq!(coalescer.deadline(), None);
}

#[test]
fn an_empty_chunk_changes_nothing() {
    let mut coalescer = Coalescer::default();
    assert_eq!(coalescer.push(chunk("a", ""), 0), []);
    assert_eq!(coalescer.push(chunk("a", "1"), 0), [chunk("a", "1")]);
    assert_eq!(coalescer.push(chunk("a", "2"), 1), []);
    assert_eq!(coalescer.push(thought(""), 2), []);
    assert_eq!(coalescer.push(chunk("a", "3"), 3), []);
    assert_eq!(coalescer.push(chunk("a", ""), 51), [chunk("a", "23")]);
}

#[derive(Debug, Clone)]
enum Step {
    Push(TextChunk),
    Flush,
    Interrupt,
    Wait(Millis),
}

fn step() -> impl Strategy<Value = Step> {
    let message = prop_oneof![Just(None), Just(Some("a".to_owned())), Just(Some("b".to_owned()))];
    let text = prop_oneof![8 => "[a-zé👍]{0,6}", 1 => Just("w".repeat(9_000))];
    let push = (proptest::bool::weighted(0.2), message, text)
        .prop_map(|(thought, message, text)| Step::Push(TextChunk { thought, message, text }));
    prop_oneof![
        12 => push,
        1 => Just(Step::Flush),
        1 => Just(Step::Interrupt),
        3 => (0..60_i64).prop_map(Step::Wait),
    ]
}

/// Consecutive texts of one part as one, interruptions (`None`) between them kept.
fn joined(entries: &[Option<TextChunk>]) -> Vec<Option<TextChunk>> {
    let mut joined: Vec<Option<TextChunk>> = Vec::new();
    for entry in entries {
        match (joined.last_mut(), entry) {
            (_, Some(chunk)) if chunk.text.is_empty() => {}
            (Some(Some(last)), Some(chunk))
                if last.thought == chunk.thought && last.message == chunk.message =>
            {
                last.text.push_str(&chunk.text);
            }
            _ => joined.push(entry.clone()),
        }
    }
    joined
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn text_keeps_its_order_and_none_is_lost(steps in proptest::collection::vec(step(), 0..60)) {
        let mut coalescer = Coalescer::default();
        let (mut now, mut given, mut out) = (0, Vec::new(), Vec::new());
        for step in steps {
            match step {
                Step::Push(chunk) => {
                    given.push(Some(chunk.clone()));
                    out.extend(coalescer.push(chunk, now).into_iter().map(Some));
                    prop_assert!(coalescer.deadline().is_none_or(|due| now < due && due <= now + HOLD_MS));
                }
                Step::Flush => out.extend(coalescer.flush().map(Some)),
                Step::Interrupt => {
                    given.push(None);
                    out.extend(coalescer.interrupt().map(Some));
                    out.push(None);
                }
                Step::Wait(time) => now += time,
            }
        }
        out.extend(coalescer.flush().map(Some));
        prop_assert!(out.iter().flatten().all(|chunk| (1..=SIZE_MAX).contains(&chunk.text.len())));
        prop_assert_eq!(joined(&out), joined(&given));
    }
}
