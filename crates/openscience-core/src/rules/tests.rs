use openscience_protocol::RuleAction::{Allow, Ask, Deny};
use proptest::prelude::{ProptestConfig, prop_assert_eq, proptest};

use super::*;

const SESSION_ALLOWS: Verdict = Verdict::Allow { by: Source::Session };
const SESSION_DENIES: Verdict = Verdict::Deny { by: Source::Session };
const CONFIGURED_ALLOWS: Verdict = Verdict::Allow { by: Source::Configured };
const CONFIGURED_DENIES: Verdict = Verdict::Deny { by: Source::Configured };

type Rules<'a> = &'a [(&'a str, &'a str, RuleAction)];

fn rules(rules: Rules<'_>) -> Vec<Rule> {
    rules
        .iter()
        .map(|&(permission, pattern, action)| Rule {
            permission: permission.to_owned(),
            pattern: pattern.to_owned(),
            action,
        })
        .collect()
}

#[track_caller]
fn check(session: Rules<'_>, configured: Rules<'_>, request: (&str, &[&str]), expected: Verdict) {
    let patterns: Vec<String> = request.1.iter().map(|&pattern| pattern.to_owned()).collect();
    let verdict = evaluate(&rules(session), false, &rules(configured), request.0, &patterns);
    assert_eq!(verdict, expected, "{session:?} {configured:?} {request:?}");
}

#[test]
fn what_no_rule_covers_is_asked() {
    check(&[], &[], ("bash", &["ls"]), Verdict::Ask);
    check(&[("read", "*", Allow)], &[("bash", "rm *", Deny)], ("bash", &["ls"]), Verdict::Ask);
}

#[test]
fn each_action_is_told_with_its_source() {
    let ls: (&str, &[&str]) = ("bash", &["ls"]);
    check(&[("bash", "*", Allow)], &[], ls, SESSION_ALLOWS);
    check(&[("bash", "*", Deny)], &[], ls, SESSION_DENIES);
    check(&[("bash", "*", Ask)], &[], ls, Verdict::Ask);
    check(&[], &[("bash", "*", Allow)], ls, CONFIGURED_ALLOWS);
    check(&[], &[("bash", "*", Deny)], ls, CONFIGURED_DENIES);
    check(&[], &[("bash", "*", Ask)], ls, Verdict::Ask);
}

#[test]
fn a_denial_of_any_source_wins() {
    let ls: (&str, &[&str]) = ("bash", &["ls"]);
    check(&[("bash", "ls", Allow)], &[("*", "*", Deny)], ls, CONFIGURED_DENIES);
    check(&[("*", "*", Deny)], &[("bash", "ls", Allow)], ls, SESSION_DENIES);
    check(&[("bash", "ls", Ask)], &[("*", "*", Deny)], ls, CONFIGURED_DENIES);
}

#[test]
fn the_session_speaks_before_the_configuration() {
    let ls: (&str, &[&str]) = ("bash", &["ls"]);
    check(&[("*", "*", Ask)], &[("bash", "ls", Allow)], ls, Verdict::Ask);
    check(&[("*", "*", Allow)], &[("bash", "ls", Ask)], ls, SESSION_ALLOWS);
    check(&[("read", "*", Ask)], &[("bash", "ls", Allow)], ls, CONFIGURED_ALLOWS);
}

#[test]
fn the_most_specific_rule_of_a_source_counts() {
    let push: (&str, &[&str]) = ("bash", &["git push"]);
    check(&[("bash", "*", Deny), ("bash", "git *", Allow)], &[], push, SESSION_ALLOWS);
    check(&[("bash", "git *", Allow), ("bash", "*", Deny)], &[], push, SESSION_ALLOWS);
    check(&[("bash", "git *", Allow), ("bash", "git push*", Deny)], &[], push, SESSION_DENIES);
    check(&[("*", "git push", Deny), ("bash", "*", Allow)], &[], push, SESSION_ALLOWS);
    check(&[("*", "*", Allow), ("bash", "*", Ask)], &[], push, Verdict::Ask);
    check(&[("lab_*", "*", Deny), ("lab_read", "*", Allow)], &[], ("lab_read", &["x"]), SESSION_ALLOWS);
    check(&[("*", "*", Deny), ("lab_*", "*", Allow)], &[], ("lab_read", &["x"]), SESSION_ALLOWS);
}

#[test]
fn the_strictest_of_equally_specific_rules_counts() {
    let ls: (&str, &[&str]) = ("bash", &["ls"]);
    check(&[("bash", "ls", Deny), ("bash", "ls", Allow)], &[], ls, SESSION_DENIES);
    check(&[("bash", "ls", Allow), ("bash", "ls", Ask), ("bash", "ls", Deny)], &[], ls, SESSION_DENIES);
    check(&[("bash", "ls", Ask), ("bash", "ls", Allow)], &[], ls, Verdict::Ask);
    check(&[("bash", "l?", Allow), ("bash", "l*", Deny)], &[], ls, SESSION_DENIES);
}

#[test]
fn all_patterns_must_be_allowed() {
    let configured: Rules<'_> = &[("edit", "/ws/*", Allow), ("edit", "/ws/.git/*", Deny)];
    check(&[], configured, ("edit", &["/ws/a", "/ws/b"]), CONFIGURED_ALLOWS);
    check(&[], configured, ("edit", &["/ws/a", "/etc/b"]), Verdict::Ask);
    check(&[], configured, ("edit", &["/etc/b", "/ws/.git/x", "/ws/a"]), CONFIGURED_DENIES);
    check(&[("edit", "/etc/b", Allow)], configured, ("edit", &["/etc/b"]), SESSION_ALLOWS);
    check(&[("edit", "/etc/b", Allow)], configured, ("edit", &["/etc/b", "/ws/a"]), CONFIGURED_ALLOWS);
    check(&[("edit", "*", Allow)], configured, ("edit", &[]), Verdict::Ask);
}

#[test]
fn a_wildcard_stands_for_any_run_or_one_character() {
    let check = |pattern, text, expected| assert_eq!(matches(pattern, text), expected, "{pattern} {text}");
    check("", "", true);
    check("", "a", false);
    check("*", "", true);
    check("**", "a/b\nc", true);
    check("?", "", false);
    check("?", "é", true);
    check("???", "é👍a", true);
    check("/ws/*.rs", "/ws/a/b.rs", true);
    check("/ws/*.rs", "/ws/a/b.rsx", false);
    check("*abc", "ababc", true);
    check("a*b*c", "aXbXbc", true);
    check("a*b*c", "aXbXb", false);
    check("git *", "git", false);
    check("git*", "git", true);
    check("Git", "git", false);
    check("a.c", "abc", false);
    check("[a]", "a", false);
}

#[test]
fn matching_many_stars_ends_soon() {
    let pattern = "a*".repeat(200) + "b";
    assert!(!matches(&pattern, &"a".repeat(5_000)));
    assert!(matches(&pattern, &("a".repeat(5_000) + "b")));
}

/// The definition, tried in every way.
fn naive(pattern: &[char], text: &[char]) -> bool {
    match pattern {
        [] => text.is_empty(),
        ['*', rest @ ..] => (0..=text.len()).any(|taken| naive(rest, &text[taken..])),
        [expected, rest @ ..] => text
            .split_first()
            .is_some_and(|(found, text)| (*expected == '?' || expected == found) && naive(rest, text)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn matching_is_what_the_definition_says(pattern in "[ab*?é]{0,8}", text in "[abé*]{0,10}") {
        let characters = |text: &str| text.chars().collect::<Vec<_>>();
        prop_assert_eq!(matches(&pattern, &text), naive(&characters(&pattern), &characters(&text)));
    }
}
