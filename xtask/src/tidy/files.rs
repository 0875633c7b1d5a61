//! Every text file of the repository, and rules that hold for each by itself.

use std::fs;
use std::path::Path;

use super::Finding;
use super::scan;
use crate::run::{output, program, root};

/// One text file.
#[derive(Debug)]
pub(super) struct TextFile {
    /// Relative to the root, with slashes.
    pub(super) path: String,
    pub(super) text: String,
    /// The text without comments and literals, if it is Rust.
    pub(super) code: String,
}

impl TextFile {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let (path, text) = (path.into(), text.into());
        let code = if is_rust(&path) { scan::code(&text) } else { String::new() };
        Self { path, text, code }
    }

    pub(super) fn is_rust(&self) -> bool {
        is_rust(&self.path)
    }

    /// Code that ships: what stands below `src/` and is no test.
    pub(super) fn production(&self) -> Option<&str> {
        let ships = self.is_rust() && self.path.contains("/src/") && !self.is_test();
        ships.then(|| scan::production(&self.code))
    }

    /// The tests of a module, in a file beside it or a folder below it.
    fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        name == "tests.rs" || name.ends_with("_tests.rs") || self.path.contains("/tests/")
    }
}

fn is_rust(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "rs")
}

/// The files git knows or would know.
#[derive(Debug)]
pub(super) struct Files(pub(super) Vec<TextFile>);

/// Written by tools: what stands there is not ours to choose.
const GENERATED: [&str; 2] = ["Cargo.lock", "package-lock.json"];

impl Files {
    pub(super) fn load() -> anyhow::Result<Self> {
        let names = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
        let listed = output(program("git", &names))?;
        let mut files = Vec::new();
        for path in listed.split('\0').filter(|path| !path.is_empty()) {
            let name = path.rsplit('/').next().unwrap_or_default();
            // A file that cannot be read as text is deleted or holds none.
            if !GENERATED.contains(&name)
                && let Ok(text) = fs::read_to_string(root().join(path))
            {
                files.push(TextFile::new(path, text));
            }
        }
        Ok(Self(files))
    }

    pub(super) fn find(&self, path: &str) -> Option<&TextFile> {
        self.0.iter().find(|file| file.path == path)
    }

    pub(super) fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a TextFile> {
        self.0.iter().filter(move |file| file.path.starts_with(folder))
    }

    pub(super) fn check(&self) -> Vec<Finding> {
        self.0.iter().flat_map(check).collect()
    }
}

fn check(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    if file.is_rust() {
        let first = file.text.lines().find(|line| !line.trim().is_empty());
        // The tests of a module answer its question.
        if !file.is_test() && !first.is_some_and(|line| line.starts_with("//!")) {
            findings.push(Finding::new(&file.path, 1, "open the module with `//!`: the question it answers"));
        }
        let ignored = concat!("#[", "ignore");
        for (index, _) in file.code.lines().enumerate().filter(|(_, line)| line.contains(ignored)) {
            findings.push(Finding::new(&file.path, index + 1, "no test is ignored: fix or delete it"));
        }
    }
    // The license is quoted word for word, this file names what it looks for.
    if file.path == "LICENSE" || file.path == "xtask/src/tidy/files.rs" {
        return findings;
    }
    for (index, line) in file.text.lines().enumerate() {
        if unfinished(line) {
            findings.push(Finding::new(&file.path, index + 1, "name an issue: TODO(#123)"));
        }
        if let Some(path) = machine_path(line) {
            findings.push(Finding::new(&file.path, index + 1, format!("{path} exists on one machine only")));
        }
        if root().to_str().is_some_and(|root| line.contains(root)) {
            findings.push(Finding::new(
                &file.path,
                index + 1,
                "the repository lies elsewhere on other machines",
            ));
        }
    }
    findings
}

/// True if the line notes work to do without an issue that would remind us of it.
fn unfinished(line: &str) -> bool {
    ["TODO", "FIXME"].iter().any(|word| {
        scan::has_word(line, word)
            && !line.split(word).skip(1).all(|after| {
                let number = after.trim_start_matches(['(', ' ']).strip_prefix('#');
                number.is_some_and(|number| number.starts_with(|c: char| c.is_ascii_digit()))
            })
    })
}

/// Folders that hold people's or machines' own files.
const MACHINE_FOLDERS: [&str; 3] = ["/home/", "/root/", "/Users/"];
/// Homes of nobody, for examples.
const EXAMPLE_HOMES: [&str; 5] = ["user", "you", "me", "ada", "stub"];

fn machine_path(line: &str) -> Option<&'static str> {
    MACHINE_FOLDERS.into_iter().find(|folder| {
        line.match_indices(folder).any(|(at, _)| {
            let (before, rest) = line.split_at_checked(at).unwrap_or((line, ""));
            let inside = rest.strip_prefix(folder).unwrap_or_default();
            let owner = inside.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            // Elsewhere the same letters are part of a longer path or an address.
            let starts = !before.ends_with(|c: char| c.is_alphanumeric() || "._-~}".contains(c));
            starts && !owner.is_empty() && !EXAMPLE_HOMES.contains(&owner)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<String> {
        check(&TextFile::new(path, text)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_module_without_a_question_is_found() {
        assert_eq!(found("a.rs", "\n//! Yes.\n"), Vec::<String>::new());
        assert_eq!(found("a.rs", "use x;"), ["a.rs:1: open the module with `//!`: the question it answers"]);
        assert_eq!(found("a.txt", "use x;"), Vec::<String>::new());
        assert_eq!(found("src/a/tests.rs", "use x;"), Vec::<String>::new());
    }

    #[test]
    fn an_ignored_test_is_found_in_code_only() {
        let text = "//! x\n// #[ignore]\n#[ignore = \"slow\"]\nfn f() {}";
        assert_eq!(found("a.rs", text), ["a.rs:3: no test is ignored: fix or delete it"]);
    }

    #[test]
    fn work_to_do_needs_an_issue() {
        let check = |line: &str, expected: bool| assert_eq!(unfinished(line), expected, "{line}");
        check("// TODO: later", true);
        check("// TODO(#12): later", false);
        check("// TODO #12", false);
        check("// TODO(#12) and FIXME", true);
        check("todo.updated, TODOS", false);
    }

    #[test]
    fn paths_of_one_machine_are_found() {
        let check = |line: &str, expected: Option<&str>| assert_eq!(machine_path(line), expected, "{line}");
        check("see /root/x", Some("/root/"));
        check("\"/Users/x\"", Some("/Users/"));
        check("cd /home/jo/p", Some("/home/"));
        check("cd /home/you/p", None);
        check("https://host/home/b", None);
        check("/home/", None);
    }
}
