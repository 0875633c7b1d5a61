//! Is every dependency used? A name that never occurs in a crate's code is not.

use super::Finding;
use super::files::Files;
use super::metadata::{Dependency, Package, Workspace};
use super::scan;

pub(super) fn check(workspace: &Workspace, files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let manifest = format!("{}/Cargo.toml", package.folder);
        for dependency in &package.dependencies {
            if !is_used(package, dependency, files) {
                let line = line_of(files, &manifest, &dependency.name);
                findings.push(Finding::new(&manifest, line, format!("{} is not used", dependency.name)));
            }
        }
    }
    findings.extend(unnamed(workspace, files));
    findings
}

/// What ships must use a normal dependency; anything of the package may use one of its tests.
fn is_used(package: &Package, dependency: &Dependency, files: &Files) -> bool {
    let own = format!("{}/", package.folder);
    let sources = format!("{}/src/", package.folder);
    let mut folders = vec![if dependency.is_normal { sources } else { own }];
    if !dependency.is_normal {
        let targets = package.roots.iter().filter_map(|root| root.rsplit_once('/'));
        folders.extend(targets.map(|(folder, _)| format!("{folder}/")));
    }
    folders
        .iter()
        .flat_map(|folder| files.below(folder))
        .any(|file| scan::has_word(&file.code, &dependency.ident))
}

/// Dependencies the workspace offers and no member takes.
fn unnamed(workspace: &Workspace, files: &Files) -> Vec<Finding> {
    let Some(manifest) = files.find("Cargo.toml") else { return Vec::new() };
    let mut section = "";
    let mut findings = Vec::new();
    for (index, line) in manifest.text.lines().enumerate() {
        if line.starts_with('[') {
            section = line;
        }
        let Some((name, _)) = line.split_once(" = ").filter(|_| section == "[workspace.dependencies]") else {
            continue;
        };
        let mut taken = workspace.packages.iter().flat_map(|package| &package.dependencies);
        if !name.starts_with('#') && !taken.any(|dependency| dependency.name == name) {
            findings.push(Finding::new("Cargo.toml", index + 1, format!("no member depends on {name}")));
        }
    }
    findings
}

fn line_of(files: &Files, manifest: &str, name: &str) -> usize {
    let lines = files.find(manifest).map(|file| file.text.lines()).into_iter().flatten();
    let found = lines.enumerate().find(|(_, line)| line.split(['.', ' ', '=']).next() == Some(name));
    found.map_or(1, |(index, _)| index + 1)
}

#[cfg(test)]
mod tests {
    use super::super::files::TextFile;
    use super::*;

    #[test]
    fn a_dependency_that_code_never_names_is_found() {
        let dependency = |name: &str, is_normal| Dependency {
            name: name.into(),
            ident: name.replace('-', "_"),
            is_normal,
        };
        let package = Package {
            name: "a".into(),
            folder: "crates/a".into(),
            dependencies: vec![
                dependency("tokio-util", true),
                dependency("bytes", true),
                dependency("insta", false),
            ],
            roots: vec!["crates/a/src/lib.rs".into(), "tests/it/main.rs".into()],
        };
        let workspace = Workspace { packages: vec![package], ..Workspace::default() };
        let files = Files(vec![
            TextFile::new("crates/a/Cargo.toml", "[dependencies]\nbytes.workspace = true\n"),
            TextFile::new("crates/a/src/lib.rs", "//! bytes\nuse tokio_util::sync;"),
            TextFile::new("tests/it/main.rs", "use insta;"),
            TextFile::new("Cargo.toml", "[workspace.dependencies]\nbytes = \"1\"\nanyhow = \"1\"\n"),
        ]);
        let found: Vec<String> = check(&workspace, &files).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["crates/a/Cargo.toml:2: bytes is not used", "Cargo.toml:3: no member depends on anyhow"]
        );
    }
}
