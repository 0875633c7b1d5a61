//! The simple commands in a line of shell and the files it writes to, so that rules judge each of them.
//!
//! Not a shell: where quoting is beyond it, it splits at every mark that could
//! start a command, quoted or not. It may find too many commands and files, never too few.

use std::collections::HashSet;

/// Each level of nesting is copied: longer lines are only split.
const LINE_BYTES_MAX: usize = 64 << 10;

/// Nesting deeper than this is not followed.
const DEPTH_MAX: usize = 32;

/// Words that stand before a command and are none.
const BEFORE: [&str; 11] = ["if", "then", "elif", "else", "while", "until", "do", "!", "{", "time", "coproc"];

/// Words that stand alone and are no command.
const ALONE: [&str; 7] = ["then", "else", "do", "fi", "done", "esac", "}"];

/// Every simple command of the line, the inner ones of substitutions too; a command keeps the
/// substitutions and redirections that stand in it. Then every file that output is redirected to,
/// as `> file` whatever the operator. The line itself if it holds none of both.
///
/// No command begins with `>`: a rule about `> *` speaks of files only.
pub(super) fn commands(line: &str) -> Vec<String> {
    let found = scan(line).unwrap_or_else(|Beyond| split(line));
    let mut known = HashSet::new();
    let mut commands: Vec<String> = found
        .iter()
        .filter_map(|command| bare(command))
        .filter(|c| known.insert(*c))
        .map(str::to_owned)
        .collect();
    if commands.is_empty() {
        commands.extend(Some(line.trim().to_owned()).filter(|line| !line.is_empty()));
    }
    commands
}

fn scan(line: &str) -> Result<Vec<String>, Beyond> {
    if line.len() > LINE_BYTES_MAX {
        return Err(Beyond);
    }
    let characters: Vec<char> = line.chars().collect();
    let mut scan = Scan::new(&characters);
    scan.list(None)?;
    scan.found.append(&mut scan.outputs);
    Ok(scan.found)
}

/// What may be a command or a file, in any quoting.
fn split(line: &str) -> Vec<String> {
    let commands = line.split(MARKS).filter_map(bare).map(|command| match command.strip_prefix('>') {
        // Where the name of the file ends and the command begins is not known.
        Some(_) => format!("… {command}"),
        None => command.to_owned(),
    });
    commands.chain(output::anywhere(line)).collect()
}

/// Whatever may stand before a command, in any quoting.
const MARKS: [char; 8] = [';', '&', '|', '\n', '\r', '(', ')', '`'];

/// The command without the words of the shell before it; none if nothing is left.
fn bare(command: &str) -> Option<&str> {
    let mut command = command.trim();
    while let Some((word, rest)) = command.split_once(char::is_whitespace)
        && BEFORE.contains(&word)
    {
        command = rest.trim_start();
    }
    (!command.is_empty() && !ALONE.contains(&command)).then_some(command)
}

/// The line is written in a way this reader does not follow.
struct Beyond;

struct Scan<'a> {
    characters: &'a [char],
    at: usize,
    depth: usize,
    found: Vec<String>,
    outputs: Vec<String>,
}

impl<'a> Scan<'a> {
    fn new(characters: &'a [char]) -> Self {
        Self { characters, at: 0, depth: 0, found: Vec::new(), outputs: Vec::new() }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.characters.get(self.at + ahead).copied()
    }

    /// Commands up to the closing parenthesis, which is taken, or to the end of the line.
    fn list(&mut self, close: Option<char>) -> Result<(), Beyond> {
        let mut command = String::new();
        while let Some(next) = self.peek(0) {
            if close == Some(next) {
                self.at += 1;
                self.end(&mut command);
                return Ok(());
            }
            match (next, self.peek(1)) {
                (';' | '|' | '&' | '\n' | '\r', _) => {
                    self.at += 1;
                    self.end(&mut command);
                }
                ('(', _) => {
                    self.at += 1;
                    self.end(&mut command);
                    self.nested()?;
                }
                // A comment hides quotes; a here-document has its own.
                ('#', _) if command.chars().next_back().is_none_or(char::is_whitespace) => {
                    return Err(Beyond);
                }
                ('<', Some('<')) | (')', _) => return Err(Beyond),
                ('<' | '>', Some('(')) => self.substitution(&mut command)?,
                ('>', _) => self.output(&mut command)?,
                // What is escaped, and input from an open file.
                ('\\', _) | ('<', Some('&')) => self.copy(&mut command, 2),
                ('\'', _) => self.single(&mut command)?,
                ('"', _) => self.double(&mut command)?,
                ('$', _) => self.dollar(&mut command)?,
                ('`', _) => self.backtick(&mut command)?,
                _ => self.copy(&mut command, 1),
            }
        }
        self.end(&mut command);
        if close.is_none() { Ok(()) } else { Err(Beyond) }
    }

    fn end(&mut self, command: &mut String) {
        self.found.push(std::mem::take(command));
    }

    fn copy(&mut self, command: &mut String, count: usize) {
        for _ in 0..count {
            command.extend(self.peek(0));
            self.at += 1;
        }
    }

    fn nested(&mut self) -> Result<(), Beyond> {
        if self.depth == DEPTH_MAX {
            return Err(Beyond);
        }
        self.depth += 1;
        self.list(Some(')'))?;
        self.depth -= 1;
        Ok(())
    }

    /// A substitution stays in its command, and what is in it is read too.
    fn substitution(&mut self, command: &mut String) -> Result<(), Beyond> {
        let start = self.at;
        self.at += 2;
        self.nested()?;
        command.extend(self.characters.get(start..self.at).unwrap_or_default());
        Ok(())
    }

    /// The old form ends at the next backtick, whatever quotes stand between; a backslash changes that.
    fn backtick(&mut self, command: &mut String) -> Result<(), Beyond> {
        let inside = self.characters.get(self.at + 1..).unwrap_or_default();
        let length = inside.iter().position(|next| *next == '`').ok_or(Beyond)?;
        let inside = inside.get(..length).unwrap_or_default();
        if inside.contains(&'\\') {
            return Err(Beyond);
        }
        let mut scan = Scan::new(inside);
        scan.list(None)?;
        self.found.append(&mut scan.found);
        self.outputs.append(&mut scan.outputs);
        self.copy(command, length + 2);
        Ok(())
    }

    fn single(&mut self, command: &mut String) -> Result<(), Beyond> {
        self.copy(command, 1);
        while let Some(next) = self.peek(0) {
            // Some shells take this for an escaped quote.
            if next == '\\' && self.peek(1) == Some('\'') {
                return Err(Beyond);
            }
            self.copy(command, 1);
            if next == '\'' {
                return Ok(());
            }
        }
        Err(Beyond)
    }

    fn double(&mut self, command: &mut String) -> Result<(), Beyond> {
        self.copy(command, 1);
        while let Some(next) = self.peek(0) {
            match next {
                '"' => {
                    self.copy(command, 1);
                    return Ok(());
                }
                '\\' => self.copy(command, 2),
                '$' if self.peek(1) == Some('"') => self.copy(command, 1),
                '$' => self.dollar(command)?,
                '`' => self.backtick(command)?,
                _ => self.copy(command, 1),
            }
        }
        Err(Beyond)
    }

    /// The length of a sum such as `$((40+2))`: among digits and signs no command can hide.
    fn arithmetic(&self) -> Option<usize> {
        let inside = self.characters.get(self.at..)?.strip_prefix(&['$', '(', '('])?;
        let length = inside.iter().take_while(|c| c.is_ascii_digit() || "+-*/% ".contains(**c)).count();
        inside.get(length..)?.starts_with(&[')', ')']).then_some(length + 5)
    }

    fn dollar(&mut self, command: &mut String) -> Result<(), Beyond> {
        match self.peek(1) {
            Some('(') => match self.arithmetic() {
                Some(length) => {
                    self.copy(command, length);
                    Ok(())
                }
                None => self.substitution(command),
            },
            // Quotes with escapes of their own.
            Some('\'' | '"') => Err(Beyond),
            Some('{') => {
                let plain = |c: &char| c.is_ascii_alphanumeric() || *c == '_';
                let inside = self.characters.get(self.at + 2..).unwrap_or_default();
                let name = inside.iter().take_while(|c| plain(c)).count();
                if inside.get(name) != Some(&'}') {
                    return Err(Beyond);
                }
                self.copy(command, name + 3);
                Ok(())
            }
            _ => {
                self.copy(command, 1);
                Ok(())
            }
        }
    }
}

mod output;
#[cfg(test)]
mod tests;
