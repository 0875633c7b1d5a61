//! Are the files of a session safe from names, paths, links, races, crashes and each other?

mod crashes;
mod paths;
mod writes;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use openscience_protocol::artifact::SavedFile;
use openscience_protocol::{ArtifactRunId, MessageId};
use tempfile::TempDir;

use super::{
    ArtifactStore, Budget, Encoding, FinalFile, Finalizing, ImportRoots, SessionFiles, Source, WriteError,
    WriteRequest,
};

const WAIT: Duration = Duration::from_secs(5);

const BUDGET: Budget =
    Budget { inline: 1 << 20, file: 8 << 20, run: 16 << 20, session: 32 << 20, reserve: 1 << 10 };

/// A data directory with one session that saves, and a folder its agent works in.
pub(super) struct Desk {
    dir: TempDir,
    pub store: ArtifactStore,
    pub files: SessionFiles,
    pub run: ArtifactRunId,
}

impl Desk {
    pub(super) fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("work")).unwrap();
        let store = ArtifactStore::open(&dir.path().join("artifacts")).unwrap();
        let files = store.session("prj_p", &"ses_s".parse().unwrap()).unwrap();
        let run = run(1);
        files.activate(&run).unwrap();
        Self { dir, store, files, run }
    }

    pub(super) fn work(&self, name: &str) -> PathBuf {
        self.dir.path().join("work").join(name)
    }

    /// What is in the session's folder.
    pub(super) fn kept(&self, below: &str) -> PathBuf {
        self.dir.path().join("artifacts/prj_p/ses_s").join(below)
    }

    pub(super) fn roots(&self) -> ImportRoots {
        ImportRoots::open([self.work("").as_path()])
    }

    pub(super) fn inline(&self, name: &str, text: &str) -> Result<SavedFile, WriteError> {
        self.files.write(inline(name, text), &self.roots(), &BUDGET)
    }

    pub(super) fn local(&self, name: &str, path: &str) -> Result<SavedFile, WriteError> {
        let request = WriteRequest { filename: name, mime_type: None, source: Source::LocalPath { path } };
        self.files.write(request, &self.roots(), &BUDGET)
    }

    pub(super) fn close(&self) -> Vec<SavedFile> {
        let closed = self.files.close(&self.run, WAIT).unwrap();
        assert!(!closed.late);
        closed.files
    }

    pub(super) fn finalizing(&self, files: &[SavedFile]) -> Finalizing {
        Finalizing {
            claim: "clm_c".parse().unwrap(),
            run: self.run.clone(),
            message: message(),
            files: files.iter().map(FinalFile::from).collect(),
        }
    }

    pub(super) fn bytes(&self, file: &SavedFile) -> Vec<u8> {
        use std::io::Read as _;
        let mut content = Vec::new();
        let (mut opened, _) = self.store.open_bytes("prj_p", &file.sha256, |_| false).unwrap();
        opened.read_to_end(&mut content).unwrap();
        content
    }

    /// Names of all files below the folder, besides what is kept of every version and the lock.
    pub(super) fn all(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(&self.kept(""), &self.kept(""), &mut found);
        found.sort();
        found
    }
}

fn walk(top: &Path, folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            walk(top, &path, found);
        } else {
            found.push(path.strip_prefix(top).unwrap().to_str().unwrap().to_owned());
        }
    }
}

pub(super) fn run(number: u32) -> ArtifactRunId {
    ArtifactRunId::new(1_700_000_000_000, number)
}

pub(super) fn message() -> MessageId {
    "msg_m".parse().unwrap()
}

pub(super) fn inline<'a>(name: &'a str, text: &'a str) -> WriteRequest<'a> {
    let source = Source::Inline { content: text, encoding: Encoding::Utf8 };
    WriteRequest { filename: name, mime_type: None, source }
}
