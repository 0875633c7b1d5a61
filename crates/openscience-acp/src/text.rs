//! Text of agents made fit to be shown: bounded, without secrets and without
//! terminal control.

use std::ops::Range;

/// Longest message of an agent in an error, in characters.
const MESSAGE_CHARS: usize = 2_000;

/// Lines of stderr in an error.
const STDERR_LINES: usize = 20;

/// Bytes of stderr in an error.
const STDERR_BYTES: usize = 4 << 10;

/// What stands where a secret stood.
const MASKED: &str = "[masked]";

/// `text` with every secret replaced. Longer secrets come first in `secrets`.
pub(crate) fn mask(text: &str, secrets: &[String]) -> String {
    secrets.iter().fold(text.to_owned(), |text, secret| {
        if text.contains(secret.as_str()) { text.replace(secret.as_str(), MASKED) } else { text }
    })
}

/// The secret that a cut at that byte would break in two.
pub(crate) fn secret_across(bytes: &[u8], at: usize, secrets: &[String]) -> Option<Range<usize>> {
    secrets.iter().find_map(|secret| {
        let reach = secret.len().saturating_sub(1);
        let from = at.saturating_sub(reach);
        // Whatever is found in so little lies on both sides.
        let around = bytes.get(from..bytes.len().min(at.saturating_add(reach)))?;
        let start = from + memchr::memmem::find(around, secret.as_bytes())?;
        Some(start..start + secret.len())
    })
}

/// The first characters of a message, marked if there were more.
pub(crate) fn bounded(text: &str) -> String {
    bounded_to(text, MESSAGE_CHARS)
}

/// The first `most` characters, marked if there were more.
pub(crate) fn bounded_to(text: &str, most: usize) -> String {
    let mut chars = text.chars();
    let mut head: String = chars.by_ref().take(most).collect();
    if chars.next().is_some() {
        head.push('…');
    }
    head
}

/// The last lines of stderr that fit into an error.
pub(crate) fn last_lines(text: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut bytes = 0;
    for line in text.trim_end().lines().rev().take(STDERR_LINES) {
        bytes += line.len() + 1;
        if bytes > STDERR_BYTES {
            if kept.is_empty() {
                return tail_of(line, STDERR_BYTES);
            }
            break;
        }
        kept.push(line);
    }
    kept.reverse();
    kept.join("\n")
}

fn tail_of(line: &str, most: usize) -> String {
    let from = (line.len() - most..line.len()).find(|&at| line.is_char_boundary(at)).unwrap_or(line.len());
    line.get(from..).unwrap_or_default().to_owned()
}

/// Without escape sequences and control characters other than tab and line feed.
pub(crate) fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\u{1b}' if chars.peek() == Some(&'[') => {
                chars.next();
                // Parameters of a control sequence end with the first letter.
                while chars.next().is_some_and(|next| !('@'..='~').contains(&next)) {}
            }
            '\n' | '\t' => plain.push(char),
            _ if char.is_control() => {}
            _ => plain.push(char),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_replaced_wherever_they_stand() {
        let secrets = ["sk-longer-secret".to_owned(), "sk-longer".to_owned()];
        assert_eq!(
            mask("a sk-longer-secret b sk-longer sk-longer", &secrets),
            "a [masked] b [masked] [masked]"
        );
    }

    #[test]
    fn a_secret_is_across_a_cut_only_with_bytes_on_both_sides() {
        let secrets = ["secret".to_owned()];
        let check =
            |at, expected| assert_eq!(secret_across(b"a secret secret", at, &secrets), expected, "{at}");
        for at in [0, 1, 2, 8, 9, 15, 99] {
            check(at, None);
        }
        for at in 3..8 {
            check(at, Some(2..8));
        }
        for at in 10..15 {
            check(at, Some(9..15));
        }
    }

    #[test]
    fn the_last_twenty_lines_or_four_kilobytes_are_shown() {
        let many = (0..100).map(|n| format!("line {n}")).collect::<Vec<_>>().join("\n");
        assert_eq!(last_lines(&many).lines().count(), 20);
        assert!(last_lines(&many).ends_with("line 99"));

        let wide = format!("{}\nlast", "é".repeat(10_000));
        assert_eq!(last_lines(&wide), "last");
        assert_eq!(last_lines(&"é".repeat(10_000)).len(), 4 << 10);
    }

    #[test]
    fn colours_and_control_characters_are_dropped() {
        assert_eq!(plain("\u{1b}[31;1mred\u{1b}[0m\r\n\ttab\u{7}"), "red\n\ttab");
    }

    #[test]
    fn a_long_message_is_cut_between_characters() {
        let text = bounded(&"é".repeat(3_000));
        assert_eq!(text.chars().count(), 2_001);
        assert!(text.ends_with('…'));
    }
}
