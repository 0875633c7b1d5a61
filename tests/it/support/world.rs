//! Where does a test's daemon live? In a temporary directory that nothing else names.
//!
//! The path doubles as the mark by which every process of the test is found: it stands in the
//! `HOME` that agents inherit, however far a grandchild has wandered off.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::process;

/// Directories of one test. Dropping it ends every process that still carries its mark.
#[derive(Debug)]
pub(crate) struct World {
    root: tempfile::TempDir,
    spawned: AtomicUsize,
}

impl World {
    pub(crate) fn new() -> Self {
        let root =
            tempfile::Builder::new().prefix("openscience it α #").tempdir().expect("temporary directory");
        let world = Self { root, spawned: AtomicUsize::new(0) };
        for folder in [world.home(), world.project(), world.config()] {
            std::fs::create_dir(folder).expect("folder of the test");
        }
        world
    }

    /// Canonical path of everything.
    pub(crate) fn root(&self) -> PathBuf {
        self.root.path().canonicalize().expect("canonical temporary directory")
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.root().join("home")
    }

    /// Working directory of the daemon and its default project.
    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("project")
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.root().join("config")
    }

    /// Data directory; the daemon creates it.
    pub(crate) fn data(&self) -> PathBuf {
        self.root().join("data")
    }

    /// Another existing project directory.
    pub(crate) fn folder(&self, name: &str) -> PathBuf {
        let path = self.root().join(name);
        std::fs::create_dir_all(&path).expect("folder of the test");
        path
    }

    /// Files that catch what the next process prints: stdout, then stderr.
    pub(crate) fn outputs(&self) -> (PathBuf, PathBuf) {
        let number = self.spawned.fetch_add(1, Ordering::Relaxed);
        (self.root().join(format!("stdout.{number}")), self.root().join(format!("stderr.{number}")))
    }

    /// Names this moment of this test: changes with every process that is started.
    pub(crate) fn outputs_so_far(&self) -> (PathBuf, usize) {
        (self.root(), self.spawned.load(Ordering::Relaxed))
    }

    /// Ids of all living processes of this test: daemons, agents and whatever they started.
    pub(crate) fn processes(&self) -> Vec<i32> {
        process::marked_by(&self.root())
    }

    fn show_outputs(&self) {
        for number in 0..self.spawned.load(Ordering::Relaxed) {
            let text = std::fs::read(self.root().join(format!("stderr.{number}"))).unwrap_or_default();
            let tail = text.len().saturating_sub(8_192);
            let tail = String::from_utf8_lossy(text.get(tail..).unwrap_or_default()).into_owned();
            eprintln!("--- stderr of process {number}\n{tail}");
        }
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.show_outputs();
        }
        for pid in self.processes() {
            process::kill(pid);
        }
    }
}

/// The repository.
pub(crate) fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository")
}
