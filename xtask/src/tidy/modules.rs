//! Is every source file compiled? A file that no crate root leads to is read
//! by people and by nobody else.

use std::collections::BTreeSet;

use super::Finding;
use super::files::Files;
use super::metadata::Workspace;

const FOLDERS: [&str; 3] = ["crates/", "tests/", "xtask/"];

pub(super) fn check(workspace: &Workspace, files: &Files) -> Vec<Finding> {
    let mut reached = BTreeSet::new();
    for root in workspace.packages.iter().flat_map(|package| &package.roots) {
        follow(root, true, files, &mut reached);
    }
    let ours =
        files.0.iter().filter(|file| file.is_rust() && FOLDERS.iter().any(|f| file.path.starts_with(f)));
    ours.filter(|file| !reached.contains(&file.path) && !is_foreign(&file.path, workspace, files))
        .map(|file| {
            Finding::new(&file.path, 1, "no crate root leads here: declare it as a module or delete it")
        })
        .collect()
}

/// True if the file belongs to a workspace of its own.
fn is_foreign(path: &str, workspace: &Workspace, files: &Files) -> bool {
    let mut folder = path;
    while let Some((parent, _)) = folder.rsplit_once('/') {
        if files.find(&format!("{parent}/Cargo.toml")).is_some() {
            return !workspace.packages.iter().any(|package| package.folder == parent);
        }
        folder = parent;
    }
    false
}

/// Notes the file and every file its module declarations lead to.
fn follow(path: &str, is_root: bool, files: &Files, reached: &mut BTreeSet<String>) {
    let Some(file) = files.find(path) else { return };
    if !reached.insert(path.to_owned()) {
        return;
    }
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.strip_suffix(".rs").unwrap_or(name);
    let inner = if is_root || stem == "mod" { folder.to_owned() } else { format!("{folder}/{stem}") };
    for declaration in declarations(&file.text, &file.code) {
        let candidates = match &declaration.path {
            Some(path) => vec![normal(&format!("{folder}/{path}"))],
            None => vec![
                format!("{inner}/{}.rs", declaration.name),
                format!("{inner}/{}/mod.rs", declaration.name),
            ],
        };
        for candidate in candidates {
            // A file named by a path behaves like `mod.rs` of its folder.
            follow(&candidate, declaration.path.is_some(), files, reached);
        }
    }
}

/// `mod name;`, with the path it is given, if any.
#[derive(Debug, PartialEq, Eq)]
struct Declaration {
    name: String,
    path: Option<String>,
}

fn declarations(text: &str, code: &str) -> Vec<Declaration> {
    let mut declared = Vec::new();
    let mut path = None;
    for (line, code) in text.lines().zip(code.lines()) {
        let code = code.trim();
        if code.starts_with("#[path") {
            path = line.split('"').nth(1).map(str::to_owned);
            continue;
        }
        let word = code.strip_suffix(';').and_then(|code| code.split_whitespace().next_back());
        let is_module = code.split_whitespace().rev().nth(1) == Some("mod");
        if let Some(name) = word.filter(|_| is_module) {
            let name = name.trim_start_matches("r#").to_owned();
            declared.push(Declaration { name, path: path.take() });
        } else if !code.starts_with('#') && !code.is_empty() {
            path = None;
        }
    }
    declared
}

/// The path without `.` and `..`.
fn normal(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::super::files::TextFile;
    use super::super::metadata::Package;
    use super::*;

    #[test]
    fn a_file_that_no_declaration_leads_to_is_found() {
        let package = Package {
            name: "a".into(),
            folder: "crates/a".into(),
            roots: vec!["crates/a/src/lib.rs".into(), "tests/it/main.rs".into()],
            ..Package::default()
        };
        let workspace = Workspace { packages: vec![package], ..Workspace::default() };
        let files = Files(vec![
            TextFile::new("crates/a/src/lib.rs", "pub mod b;\nmod c; // why\n// mod lost;\n"),
            TextFile::new(
                "crates/a/src/b.rs",
                "#[cfg(test)]\n#[path = \"b_tests.rs\"]\nmod tests;\nmod deep;",
            ),
            TextFile::new("crates/a/src/b_tests.rs", ""),
            TextFile::new("crates/a/src/b/deep.rs", ""),
            TextFile::new("crates/a/src/c/mod.rs", "pub(crate) mod d;"),
            TextFile::new("crates/a/src/c/d.rs", ""),
            TextFile::new("crates/a/src/lost.rs", ""),
            TextFile::new("tests/it/main.rs", "mod one;"),
            TextFile::new("tests/it/one.rs", ""),
            TextFile::new("tests/it/two.rs", ""),
            TextFile::new("tests/fake/Cargo.toml", ""),
            TextFile::new("tests/fake/src/main.rs", ""),
            TextFile::new("bench/src/main.rs", ""),
        ]);
        let found: Vec<String> = check(&workspace, &files).into_iter().map(|finding| finding.file).collect();
        assert_eq!(found, ["crates/a/src/lost.rs", "tests/it/two.rs"]);
    }
}
