//! What of a Rust source is code? Comments and the insides of literals are
//! blanked, so that a search finds only what the compiler sees.
//!
//! Not a parser: it knows just enough of the lexer to tell these apart.

/// The source with every character of comments and literals replaced by a blank; lines stay where they are.
pub(super) fn code(source: &str) -> String {
    let mut scanner = Scanner { rest: source, code: String::with_capacity(source.len()) };
    while !scanner.rest.is_empty() {
        scanner.step();
    }
    scanner.code
}

/// Lines (from 1) in which `needle` occurs and is not part of a longer word.
pub(super) fn lines_with<'a>(text: &'a str, needle: &'a str) -> impl Iterator<Item = usize> + 'a {
    text.lines().enumerate().filter(move |(_, line)| has_word(line, needle)).map(|(index, _)| index + 1)
}

/// True if `needle` occurs and is not part of a longer word.
pub(super) fn has_word(text: &str, needle: &str) -> bool {
    text.match_indices(needle).any(|(at, _)| {
        let (before, rest) = text.split_at_checked(at).unwrap_or((text, ""));
        let after = rest.strip_prefix(needle).unwrap_or_default();
        !before.chars().next_back().is_some_and(is_word) && !after.chars().next().is_some_and(is_word)
    })
}

/// Code without the inline test module at its end.
pub(super) fn production(code: &str) -> &str {
    let tests = code.match_indices("#[cfg(test)]").find(|(at, attribute)| {
        let after = code.split_at_checked(at + attribute.len()).map_or("", |(_, after)| after).trim_start();
        after.starts_with("mod ")
            && after.find('{').is_some_and(|brace| after.find(';').is_none_or(|end| brace < end))
    });
    tests.and_then(|(at, _)| code.split_at_checked(at)).map_or(code, |(before, _)| before)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

struct Scanner<'a> {
    rest: &'a str,
    code: String,
}

impl Scanner<'_> {
    fn step(&mut self) {
        if self.rest.starts_with("//") {
            let length = self.rest.find('\n').unwrap_or(self.rest.len());
            self.take(length, true);
        } else if self.rest.starts_with("/*") {
            self.take(block_comment(self.rest), true);
        } else if let Some(length) = raw_string(self.rest)
            && !self.code.chars().next_back().is_some_and(is_word)
        {
            self.take(length, true);
        } else if self.rest.starts_with('"') {
            self.take(quoted(self.rest, '"'), true);
        } else if self.rest.starts_with('\'') && is_character(self.rest) {
            self.take(quoted(self.rest, '\''), true);
        } else {
            self.take(self.rest.chars().next().map_or(0, char::len_utf8), false);
        }
    }

    /// Moves on by `length` bytes.
    fn take(&mut self, length: usize, blank: bool) {
        let (taken, rest) = self.rest.split_at_checked(length).unwrap_or((self.rest, ""));
        if blank {
            self.code.extend(taken.chars().map(|c| if c == '\n' { '\n' } else { ' ' }));
        } else {
            self.code.push_str(taken);
        }
        self.rest = rest;
    }
}

/// Length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut from = 0;
    while let Some(rest) = text.get(from..) {
        let next = [rest.find("/*"), rest.find("*/")];
        match next {
            [Some(open), close] if close.is_none_or(|close| open < close) => {
                depth += 1;
                from += open + 2;
            }
            [_, Some(close)] => {
                depth -= 1;
                from += close + 2;
                if depth == 0 {
                    return from;
                }
            }
            _ => break,
        }
    }
    text.len()
}

/// Length of a raw string that starts here, with any prefix.
fn raw_string(text: &str) -> Option<usize> {
    let after_r = ["r", "br", "cr"].iter().find_map(|prefix| text.strip_prefix(prefix))?;
    let body = after_r.trim_start_matches('#');
    let hashes = after_r.len() - body.len();
    let inner = body.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let start = text.len() - inner.len();
    Some(inner.find(&end).map_or(text.len(), |at| start + at + end.len()))
}

/// Length of a literal that starts and ends with `quote`.
fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// Tells a character from a lifetime.
fn is_character(text: &str) -> bool {
    let mut inner = text.chars().skip(1);
    match (inner.next(), inner.next()) {
        (Some('\\'), _) => true,
        (Some(_), Some(end)) => end == '\'',
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_are_blanked_and_lines_stay() {
        let check = |source: &str, expected: &str| assert_eq!(code(source), expected, "{source}");
        check("a // b\nc", "a     \nc");
        check("a /* b /* c */\n d */ e", "a             \n      e");
        check(r#"a "b \" c" d"#, "a          d");
        check("a r#\"b\" c\"# d", "a           d");
        check("'x' '\\'' &'a str 'b: loop", "         &'a str 'b: loop");
        check("for r in x {}", "for r in x {}");
        check("\"//\" b", "     b");
        check("bar\"x\"", "bar   ");
    }

    #[test]
    fn a_word_is_found_only_as_a_whole() {
        assert!(has_word("use tokio::net;", "tokio"));
        assert!(!has_word("use tokio_util::net;", "tokio"));
        assert!(has_word("x = std::fs::read()", "std::fs"));
        assert!(!has_word("mystd::fs", "std::fs"));
    }

    #[test]
    fn production_code_ends_at_the_inline_test_module() {
        assert_eq!(production("a\n#[cfg(test)]\nmod tests { b }"), "a\n");
        assert_eq!(production("a\n#[cfg(test)]\nmod tests;\nb"), "a\n#[cfg(test)]\nmod tests;\nb");
    }
}
