//! What permission rules say about one request.
//!
//! Knows no requests and no people: it gets a category and patterns, and says
//! allow, deny or ask. What people have granted is told to it.

use std::cmp::Reverse;

use openscience_protocol::{Rule, RuleAction};

/// Where a rule came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Source {
    /// The session's own ruleset.
    Session,
    /// A person, earlier.
    Grant,
    /// The daemon's configuration.
    Configured,
}

/// What the rules say.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// Go on without asking.
    Allow { by: Source },
    /// Refuse without asking.
    Deny { by: Source },
    /// Ask a person.
    Ask,
}

/// Judges a request by its category and everything it wants to touch.
///
/// Each source speaks through its most specific rule; of equally specific ones
/// the strictest. A denial wins, then what the session allows, then what a person
/// granted, then the session's wish to be asked, then the configuration's word. The verdict over several patterns is the strictest of them;
/// a request that names no pattern is always asked about.
pub fn evaluate(
    session: &[Rule],
    granted: bool,
    configured: &[Rule],
    category: &str,
    patterns: &[String],
) -> Verdict {
    patterns
        .iter()
        .map(|pattern| {
            let configured = best(configured, category, pattern);
            judge(best(session, category, pattern), granted, configured)
        })
        .max_by_key(|verdict| match verdict {
            Verdict::Allow { by: Source::Session } => 0,
            Verdict::Allow { by: Source::Configured } => 1,
            Verdict::Allow { by: Source::Grant } => 2,
            Verdict::Ask => 3,
            Verdict::Deny { by: Source::Configured | Source::Grant } => 4,
            Verdict::Deny { by: Source::Session } => 5,
        })
        .unwrap_or(Verdict::Ask)
}

fn judge(session: Option<RuleAction>, granted: bool, configured: Option<RuleAction>) -> Verdict {
    match (session, configured) {
        (Some(RuleAction::Deny), _) => Verdict::Deny { by: Source::Session },
        (_, Some(RuleAction::Deny)) => Verdict::Deny { by: Source::Configured },
        (Some(RuleAction::Allow), _) => Verdict::Allow { by: Source::Session },
        _ if granted => Verdict::Allow { by: Source::Grant },
        (None, Some(RuleAction::Allow)) => Verdict::Allow { by: Source::Configured },
        (Some(RuleAction::Ask), _) | (None, Some(RuleAction::Ask) | None) => Verdict::Ask,
    }
}

/// What a source's most specific rule for this category and pattern says.
fn best(rules: &[Rule], category: &str, pattern: &str) -> Option<RuleAction> {
    rules
        .iter()
        .filter(|rule| matches(&rule.permission, category) && matches(&rule.pattern, pattern))
        .max_by_key(|rule| {
            let exact = rule.permission == category;
            (exact, literals(&rule.permission), literals(&rule.pattern), Reverse(leniency(rule.action)))
        })
        .map(|rule| rule.action)
}

fn leniency(action: RuleAction) -> u8 {
    match action {
        RuleAction::Deny => 0,
        RuleAction::Ask => 1,
        RuleAction::Allow => 2,
    }
}

/// Characters of a pattern that stand for themselves.
fn literals(pattern: &str) -> usize {
    pattern.chars().filter(|&character| character != '*' && character != '?').count()
}

/// True if the whole text has the form of the pattern: `*` stands for any run of
/// characters, slashes included, `?` for exactly one.
///
/// Only the last `*` is ever tried again, so time is bounded by the product of the lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let mut pattern = pattern.chars();
    let mut text = text.chars();
    let mut retry = None;
    loop {
        let (mut pattern_rest, mut text_rest) = (pattern.clone(), text.clone());
        match (pattern_rest.next(), text_rest.next()) {
            (Some('*'), _) => {
                retry = Some((pattern_rest.clone(), text.clone()));
                pattern = pattern_rest;
            }
            (None, None) => return true,
            (Some(expected), Some(found)) if expected == '?' || expected == found => {
                (pattern, text) = (pattern_rest, text_rest);
            }
            _ => {
                // The last star takes one character more.
                let Some((after_star, from)) = &mut retry else { return false };
                if from.next().is_none() {
                    return false;
                }
                (pattern, text) = (after_star.clone(), from.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests;
