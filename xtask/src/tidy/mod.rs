//! Rules about the repository that no compiler checks. Each finding is one
//! line that names a place and says what to do.

mod borders;
mod dependencies;
mod documents;
mod files;
mod metadata;
mod modules;
mod scan;

use std::fmt;

use anyhow::bail;

use crate::run::say;

/// One thing that is not as it should be.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    /// Relative to the root of the repository.
    file: String,
    /// From 1.
    line: usize,
    says: String,
}

impl Finding {
    fn new(file: impl Into<String>, line: usize, says: impl Into<String>) -> Self {
        Self { file: file.into(), line, says: says.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.says)
    }
}

/// Fails if anything is found, after all of it has been told.
pub(crate) fn check() -> anyhow::Result<()> {
    let workspace = metadata::Workspace::load()?;
    let files = files::Files::load()?;
    let found = [
        borders::check(&workspace, &files),
        dependencies::check(&workspace, &files),
        modules::check(&workspace, &files),
        documents::check(&workspace, &files),
        files.check(),
    ];
    let mut findings: Vec<Finding> = found.into_iter().flatten().collect();
    findings.sort();
    for finding in &findings {
        say(finding);
    }
    if findings.is_empty() { Ok(()) } else { bail!("{} finding(s)", findings.len()) }
}
