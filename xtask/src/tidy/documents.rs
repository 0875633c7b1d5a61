//! Do the documents speak of things that exist?

use super::Finding;
use super::files::{Files, TextFile};
use super::metadata::Workspace;

const ARCHITECTURE: &str = "ARCHITECTURE.md";
const DECISIONS: &str = "docs/adr/";
const DECISIONS_LIST: &str = "docs/adr/README.md";
/// A name in code style that ends like this is a file of ours.
const ENDINGS: [&str; 4] = [".rs", ".sql", ".md", ".toml"];

pub(super) fn check(workspace: &Workspace, files: &Files) -> Vec<Finding> {
    let Some(architecture) = files.find(ARCHITECTURE) else {
        return vec![Finding::new(ARCHITECTURE, 1, "the map of the code is missing")];
    };
    let mut findings = names(architecture, workspace, files);
    let lists = [Some(architecture), files.find(DECISIONS_LIST)];
    for decision in files.below(DECISIONS).filter(|file| file.path != DECISIONS_LIST) {
        let name = decision.path.strip_prefix(DECISIONS).unwrap_or(&decision.path);
        if !lists.iter().flatten().any(|list| list.text.contains(name)) {
            let says = format!("link it from {ARCHITECTURE} or {DECISIONS_LIST}");
            findings.push(Finding::new(&decision.path, 1, says));
        }
    }
    findings
}

/// Crates and paths in code style that do not exist.
fn names(document: &TextFile, workspace: &Workspace, files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut in_block = false;
    for (index, line) in document.text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        for name in line.split('`').skip(1).step_by(2) {
            if is_crate_name(name) && !workspace.contains(&name.replace('_', "-")) {
                findings.push(Finding::new(&document.path, index + 1, format!("there is no crate {name}")));
            } else if is_path(name, files) && !exists(name, files) {
                findings.push(Finding::new(&document.path, index + 1, format!("there is no {name}")));
            }
        }
    }
    findings
}

fn is_crate_name(name: &str) -> bool {
    let rest = name.strip_prefix("openscience-").or_else(|| name.strip_prefix("openscience_"));
    rest.is_some_and(|rest| {
        !rest.is_empty() && rest.chars().all(|c| c.is_ascii_lowercase() || c == '-' || c == '_')
    })
}

/// Methods of ACP have slashes too, so a path starts in a folder of ours or ends like a file of ours.
fn is_path(name: &str, files: &Files) -> bool {
    let is_plain = !name.is_empty() && !name.contains([' ', '*', '<', '{', ':', '(']);
    let first = name.split_once('/').map(|(first, _)| format!("{first}/"));
    let starts = first.is_some_and(|first| files.below(&first).next().is_some());
    let ends = ENDINGS.iter().any(|ending| name.ends_with(ending) && name.len() > ending.len());
    is_plain && (starts || ends)
}

/// True for a folder, a file, or the end of a file's path.
fn exists(name: &str, files: &Files) -> bool {
    let name = name.trim_end_matches('/');
    files.0.iter().any(|file| {
        let path = file.path.as_str();
        path == name
            || path.strip_suffix(name).is_some_and(|before| before.ends_with('/'))
            || path.strip_prefix(name).is_some_and(|after| after.starts_with('/'))
    })
}

#[cfg(test)]
mod tests {
    use super::super::metadata::Package;
    use super::*;

    fn found(files: Vec<(&str, &str)>) -> Vec<String> {
        let package = Package { name: "openscience-core".into(), ..Package::default() };
        let workspace = Workspace { packages: vec![package], ..Workspace::default() };
        let files = Files(files.into_iter().map(|(path, text)| TextFile::new(path, text)).collect());
        check(&workspace, &files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn names_in_the_map_must_exist() {
        let text = "`openscience-core` `openscience_core` `openscience-gone` `session/prompt` `crates/a/src/lib.rs`\n\
                    `a/src/lib.rs` `crates/a/src` `docs/x.md` `crates/b` `gone.rs` `openscience.db` `--flag` `.rs`\n\
                    ```\n`gone.rs`\n```\n";
        assert_eq!(
            found(vec![("ARCHITECTURE.md", text), ("crates/a/src/lib.rs", "")]),
            [
                "ARCHITECTURE.md:1: there is no crate openscience-gone",
                "ARCHITECTURE.md:2: there is no docs/x.md",
                "ARCHITECTURE.md:2: there is no crates/b",
                "ARCHITECTURE.md:2: there is no gone.rs",
            ]
        );
    }

    #[test]
    fn every_decision_is_linked_from_a_list() {
        let files = vec![
            ("ARCHITECTURE.md", "see docs/adr/0001-a.md"),
            ("docs/adr/README.md", "[b](0002-b.md)"),
            ("docs/adr/0001-a.md", ""),
            ("docs/adr/0002-b.md", ""),
            ("docs/adr/0003-c.md", ""),
        ];
        assert_eq!(
            found(files),
            ["docs/adr/0003-c.md:1: link it from ARCHITECTURE.md or docs/adr/README.md"]
        );
    }

    #[test]
    fn a_missing_map_is_found() {
        assert_eq!(found(vec![]), ["ARCHITECTURE.md:1: the map of the code is missing"]);
    }
}
