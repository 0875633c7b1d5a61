//! What do the manifests say? The workspace as cargo sees it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context as _, bail};
use serde_json::Value;

use crate::run::{output, program, root};

/// One of our packages.
#[derive(Debug, Clone, Default)]
pub(super) struct Package {
    pub(super) name: String,
    /// Relative to the root, with slashes.
    pub(super) folder: String,
    pub(super) dependencies: Vec<Dependency>,
    /// Root files of its targets, relative to the root.
    pub(super) roots: Vec<String>,
}

/// One dependency a package names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    pub(super) name: String,
    /// What code calls it.
    pub(super) ident: String,
    /// Compiled into what ships.
    pub(super) is_normal: bool,
}

/// All packages of the workspace.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) packages: Vec<Package>,
    /// For each of our packages the names of all it is built with, through any number of steps.
    pub(super) trees: BTreeMap<String, BTreeSet<String>>,
}

impl Workspace {
    pub(super) fn load() -> anyhow::Result<Self> {
        let text = output(program("cargo", &["metadata", "--format-version", "1", "--locked"]))?;
        let metadata: Value = serde_json::from_str(&text).context("cargo metadata is not JSON")?;
        let members: BTreeSet<&str> = strings(&metadata["workspace_members"]).collect();
        let all = array(&metadata["packages"]);
        let ours: Vec<&Value> = all
            .iter()
            .filter(|package| package["id"].as_str().is_some_and(|id| members.contains(id)))
            .collect();
        let names: BTreeMap<&str, &str> =
            all.iter().filter_map(|p| Some((p["id"].as_str()?, p["name"].as_str()?))).collect();
        let edges = edges(&metadata);
        let mut workspace = Self::default();
        for package in ours {
            let read = read(package)?;
            let tree = package["id"].as_str().map(|id| reach(id, &edges)).unwrap_or_default();
            let tree = tree.into_iter().filter_map(|id| names.get(id).map(|&name| name.to_owned())).collect();
            workspace.trees.insert(read.name.clone(), tree);
            workspace.packages.push(read);
        }
        Ok(workspace)
    }

    pub(super) fn contains(&self, name: &str) -> bool {
        self.packages.iter().any(|package| package.name == name)
    }

    /// The package a file belongs to.
    pub(super) fn package_of(&self, path: &str) -> Option<&Package> {
        let owns =
            |package: &&Package| path.strip_prefix(&package.folder).is_some_and(|rest| rest.starts_with('/'));
        self.packages.iter().find(owns)
    }
}

fn read(package: &Value) -> anyhow::Result<Package> {
    let text = |value: &Value| value.as_str().map(str::to_owned).context("cargo metadata lacks a text");
    let name = text(&package["name"])?;
    let manifest = relative(&text(&package["manifest_path"])?)?;
    let folder = manifest.strip_suffix("/Cargo.toml").unwrap_or_default().to_owned();
    let mut dependencies = Vec::new();
    for dependency in array(&package["dependencies"]) {
        let name = text(&dependency["name"])?;
        let ident = dependency["rename"].as_str().unwrap_or(&name).replace('-', "_");
        dependencies.push(Dependency { name, ident, is_normal: dependency["kind"].is_null() });
    }
    let roots = array(&package["targets"])
        .iter()
        .map(|target| relative(&text(&target["src_path"])?))
        .collect::<anyhow::Result<_>>()?;
    Ok(Package { name, folder, dependencies, roots })
}

/// A path below the root of the repository; cargo may write `..` into it.
fn relative(path: &str) -> anyhow::Result<String> {
    let path = std::fs::canonicalize(path).with_context(|| format!("{path} does not exist"))?;
    let root = std::fs::canonicalize(root())?;
    match path.strip_prefix(&root).ok().and_then(|path| path.to_str()) {
        Some(path) => Ok(path.to_owned()),
        None => bail!("{} lies outside the repository", path.display()),
    }
}

/// From each package to those it is built with, development aside.
fn edges(metadata: &Value) -> BTreeMap<&str, Vec<&str>> {
    let nodes = array(&metadata["resolve"]["nodes"]).iter();
    nodes
        .filter_map(|node| {
            let built = array(&node["deps"]).iter().filter(|dependency| {
                array(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"] != "dev")
            });
            Some((node["id"].as_str()?, built.filter_map(|dependency| dependency["pkg"].as_str()).collect()))
        })
        .collect()
}

fn reach<'a>(from: &'a str, edges: &BTreeMap<&'a str, Vec<&'a str>>) -> BTreeSet<&'a str> {
    let mut seen = BTreeSet::new();
    let mut open = vec![from];
    while let Some(id) = open.pop() {
        for next in edges.get(id).into_iter().flatten() {
            if seen.insert(*next) {
                open.push(next);
            }
        }
    }
    seen
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn strings(value: &Value) -> impl Iterator<Item = &str> {
    array(value).iter().filter_map(Value::as_str)
}
