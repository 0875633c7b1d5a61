//! The files that a line of shell redirects output to.
//!
//! A name that is known before the line runs is told as it is, without quotes. Any other is told
//! within quotes, so that a rule about one directory does not speak of it.

use super::{ALONE, BEFORE, Beyond, Scan};

/// What is thrown away is written nowhere.
const NOWHERE: &str = "/dev/null";

/// Characters that end an unquoted word.
const ENDS: [char; 11] = [' ', '\t', '\n', '\r', ';', '&', '|', '<', '>', '(', ')'];

/// Characters from which a shell may make another word.
const EXPANDED: [char; 4] = ['*', '?', '[', '{'];

/// A word of the shell.
#[derive(Default)]
struct Word {
    /// Without quotes.
    value: String,
    /// The shell puts something in that is not known here.
    open: bool,
    quoted: bool,
}

impl Scan<'_> {
    /// A redirection of output, from its `>` on. One that stands before its command is left out of
    /// it: `> f rm x` is `rm x`.
    pub(super) fn output(&mut self, command: &mut String) -> Result<(), Beyond> {
        let leads = leads(command);
        if leads {
            command.clear();
        }
        let mut text = String::new();
        self.copy(&mut text, 1);
        let mut descriptor = false;
        for part in ['>', '&', '|'] {
            if self.peek(0) == Some(part) {
                self.copy(&mut text, 1);
                descriptor |= part == '&';
            }
        }
        self.blanks(&mut text);
        // Output into a command: it is found as a command.
        if matches!((self.peek(0), self.peek(1)), (Some('<' | '>'), Some('('))) {
            self.substitution(&mut text)?;
        } else {
            let start = self.at;
            let word = self.word(&mut text)?;
            let raw: String = self.characters.get(start..self.at).unwrap_or_default().iter().collect();
            if word.value.is_empty() && !word.quoted && !word.open {
                return Err(Beyond);
            }
            self.outputs.extend(told(&word.value, &raw, !word.open, descriptor));
        }
        if !leads {
            command.push_str(&text);
        }
        Ok(())
    }

    /// Space before a word, over the end of a line that goes on.
    fn blanks(&mut self, text: &mut String) {
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some(' ' | '\t'), _) => self.copy(text, 1),
                (Some('\\'), Some('\n')) => self.copy(text, 2),
                _ => return,
            }
        }
    }

    fn word(&mut self, text: &mut String) -> Result<Word, Beyond> {
        let mut word = Word::default();
        if self.peek(0) == Some('#') {
            return Err(Beyond);
        }
        while let Some(next) = self.peek(0).filter(|next| !ENDS.contains(next)) {
            let start = self.at;
            match next {
                '\\' => {
                    word.value.extend(self.peek(1).filter(|escaped| *escaped != '\n'));
                    word.quoted = true;
                    self.copy(text, 2);
                }
                '\'' => {
                    self.single(text)?;
                    word.value.extend(self.inside(start));
                    word.quoted = true;
                }
                '"' => {
                    self.double(text)?;
                    let inside = self.inside(start);
                    word.open |= inside.iter().any(|c| matches!(c, '$' | '`' | '\\'));
                    word.value.extend(inside);
                    word.quoted = true;
                }
                '$' => {
                    self.dollar(text)?;
                    word.open = true;
                }
                '`' => {
                    self.backtick(text)?;
                    word.open = true;
                }
                _ => {
                    word.open |= EXPANDED.contains(&next);
                    word.value.push(next);
                    self.copy(text, 1);
                }
            }
        }
        // Some shells take a parenthesis for a part of the word.
        if self.peek(0) == Some('(') { Err(Beyond) } else { Ok(word) }
    }

    /// What stands between quotes that open at `start` and close right before here.
    fn inside(&self, start: usize) -> &[char] {
        self.characters.get(start + 1..self.at - 1).unwrap_or_default()
    }
}

/// True if no word of a command stands before the redirection.
fn leads(command: &str) -> bool {
    let mut rest = command.trim_start();
    while let Some(after) = BEFORE.iter().chain(&ALONE).find_map(|word| {
        let after = rest.strip_prefix(word)?;
        (after.is_empty() || after.starts_with(char::is_whitespace)).then_some(after)
    }) {
        rest = after.trim_start();
    }
    let name = rest.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    rest.chars().all(|c| c.is_ascii_digit())
        || name.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'))
}

/// How a file is told; none if nothing is written there.
fn told(value: &str, raw: &str, known: bool, descriptor: bool) -> Option<String> {
    if !known {
        return Some(format!("> \"{raw}\""));
    }
    let number = value.strip_suffix('-').unwrap_or(value);
    let open_already = descriptor && number.chars().all(|c| c.is_ascii_digit());
    if value == NOWHERE || open_already {
        return None;
    }
    // Back out of a directory that was named: where that is, only the file system knows.
    let leaves = value.split('/').skip_while(|part| *part == "..").any(|part| part == "..");
    Some(if leaves || value.is_empty() { format!("> \"{value}\"") } else { format!("> {value}") })
}

/// The files after every `>`, quoted or not.
pub(super) fn anywhere(line: &str) -> Vec<String> {
    let mut outputs = Vec::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once('>') {
        let target = after.trim_start_matches(['>', '&', '|']);
        let operator = after.len() - target.len();
        let descriptor = after.chars().take(operator).any(|c| c == '&');
        rest = target.trim_start_matches([' ', '\t']);
        let end = rest.find(|c| c == '`' || ENDS.contains(&c)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(end);
        rest = behind;
        // The word goes on where something is put in.
        let goes_on = behind.starts_with('`') || (behind.starts_with('(') && !word.is_empty());
        if word.is_empty() && !goes_on {
            continue;
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+:@%,=~".contains(c);
        let known = !goes_on && word.chars().all(plain);
        outputs.extend(told(word, word, known, descriptor));
    }
    outputs
}
