//! Which crate may know what? The table of ARCHITECTURE.md, as a check.

use super::Finding;
use super::files::Files;
use super::metadata::Workspace;
use super::scan;

/// Each crate and those of ours it may be built with.
const EDGES: [(&str, &[&str]); 11] = [
    ("openscience-protocol", &[]),
    ("openscience-core", &["openscience-protocol"]),
    ("openscience-store", &["openscience-protocol"]),
    ("openscience-files", &["openscience-protocol"]),
    ("openscience-acp", &["openscience-core", "openscience-protocol"]),
    (
        "openscience-runtime",
        &[
            "openscience-core",
            "openscience-store",
            "openscience-files",
            "openscience-acp",
            "openscience-protocol",
        ],
    ),
    ("openscience-mcp", &["openscience-files", "openscience-protocol"]),
    ("openscience-server", &["openscience-runtime", "openscience-protocol"]),
    ("openscience-sim", &[]),
    (
        "openscience",
        &[
            "openscience-protocol",
            "openscience-core",
            "openscience-store",
            "openscience-files",
            "openscience-acp",
            "openscience-runtime",
            "openscience-mcp",
            "openscience-server",
            "openscience-sim",
        ],
    ),
    ("xtask", &[]),
];

/// Foreign crates that only these of ours may name. HTTP is spoken at both ends: the server answers, `run --attach` asks.
const ONLY_IN: [(&str, &[&str]); 9] = [
    ("sqlx", &["openscience-store"]),
    ("axum", &["openscience-server"]),
    ("utoipa-axum", &["openscience-server"]),
    ("hyper", &["openscience-server", "openscience"]),
    ("hyper-util", &["openscience-server", "openscience"]),
    ("clap", &["openscience"]),
    ("ureq", &["openscience-acp"]),
    ("tar", &["openscience-acp"]),
    ("zip", &["openscience-acp"]),
];

/// What the rules of a session must not know: everything that is not an argument.
const NOT_IN_CORE: [&str; 7] =
    ["tokio", "std::fs", "std::process", "std::env", "std::net", "SystemTime::now", "Instant::now"];

/// What nothing the core is built with may bring.
const NOT_BELOW_CORE: [&str; 4] = ["tokio", "sqlx", "axum", "getrandom"];

pub(super) fn check(workspace: &Workspace, files: &Files) -> Vec<Finding> {
    let mut findings = manifests(workspace, files);
    for file in &files.0 {
        let (Some(package), Some(code)) = (workspace.package_of(&file.path), file.production()) else {
            continue;
        };
        let forbidden: &[&str] = match package.name.as_str() {
            "openscience-core" => &NOT_IN_CORE,
            // The simulator is an agent, in a process of its own, and leaves a child behind when it is told to.
            "openscience-acp" | "openscience-sim" | "xtask" => &[],
            _ => &["process::Command", "Command::new"],
        };
        let why = if package.name == "openscience-core" {
            "is not for the core: it has no clock and no IO"
        } else {
            "is not for this crate: openscience-acp starts processes"
        };
        for word in forbidden {
            for line in scan::lines_with(code, word) {
                findings.push(Finding::new(&file.path, line, format!("`{word}` {why}")));
            }
        }
    }
    findings
}

fn manifests(workspace: &Workspace, files: &Files) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let path = format!("{}/Cargo.toml", package.folder);
        let mut find = |name: &str, says: String| {
            let line = files.find(&path).and_then(|file| {
                file.text.lines().position(|line| line.split(['.', ' ', '=']).next() == Some(name))
            });
            findings.push(Finding::new(&path, line.map_or(1, |line| line + 1), says));
        };
        let allowed = EDGES.iter().find(|(name, _)| *name == package.name).map(|(_, allowed)| *allowed);
        if allowed.is_none() {
            find("name", format!("{} is not among the crates that xtask's borders name", package.name));
        }
        for dependency in package.dependencies.iter().filter(|dependency| dependency.is_normal) {
            let name = dependency.name.as_str();
            let ours = workspace.contains(name);
            if ours && allowed.is_some_and(|allowed| !allowed.contains(&name)) {
                find(name, format!("{} must not depend on {name}", package.name));
            }
            let may = |owners: &[&str]| owners.contains(&package.name.as_str());
            if let Some((_, owners)) =
                ONLY_IN.iter().find(|(foreign, owners)| *foreign == name && !may(owners))
            {
                find(name, format!("only {} may depend on {name}", owners.join(" and ")));
            }
        }
        if package.name == "openscience-core" {
            let tree = workspace.trees.get(&package.name).into_iter().flatten();
            for name in tree.filter(|name| NOT_BELOW_CORE.contains(&name.as_str())) {
                find("name", format!("{name} is among what openscience-core is built with"));
            }
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::super::files::TextFile;
    use super::super::metadata::{Dependency, Package};
    use super::*;

    fn workspace(name: &str, dependency: &str) -> Workspace {
        let of = |name: &str| Package {
            name: name.into(),
            folder: format!("crates/{name}"),
            ..Package::default()
        };
        let ident = dependency.replace('-', "_");
        let dependencies = vec![Dependency { name: dependency.into(), ident, is_normal: true }];
        let packages = vec![Package { dependencies, ..of(name) }, of("openscience-runtime")];
        Workspace { packages, ..Workspace::default() }
    }

    fn found(name: &str, dependency: &str, files: Vec<TextFile>) -> Vec<String> {
        check(&workspace(name, dependency), &Files(files)).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_edge_that_is_not_drawn_is_found_with_its_line() {
        let manifest = TextFile::new(
            "crates/openscience-core/Cargo.toml",
            "[dependencies]\nopenscience-runtime.workspace = true\n",
        );
        assert_eq!(
            found("openscience-core", "openscience-runtime", vec![manifest]),
            ["crates/openscience-core/Cargo.toml:2: openscience-core must not depend on openscience-runtime"]
        );
        assert_eq!(found("openscience-server", "openscience-runtime", vec![]), Vec::<String>::new());
    }

    #[test]
    fn a_foreign_crate_behind_the_wrong_border_is_found() {
        assert_eq!(
            found("openscience-server", "sqlx", vec![]),
            ["crates/openscience-server/Cargo.toml:1: only openscience-store may depend on sqlx"]
        );
        assert_eq!(found("openscience-store", "sqlx", vec![]), Vec::<String>::new());
    }

    #[test]
    fn io_in_the_core_is_found_unless_a_test_does_it() {
        let file = |path: &str| {
            TextFile::new(format!("crates/openscience-core/{path}"), "//! x\nuse std::fs;\n// tokio")
        };
        assert_eq!(
            found(
                "openscience-core",
                "serde",
                vec![file("src/a.rs"), file("tests/a.rs"), file("src/a/tests.rs")]
            ),
            ["crates/openscience-core/src/a.rs:2: `std::fs` is not for the core: it has no clock and no IO"]
        );
    }
}
