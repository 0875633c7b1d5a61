//! Keeping a file that a person names: a version without a turn.

use std::path::Path;

use openscience_protocol::VersionId;
use openscience_protocol::artifact::{SavedFile, SavedSource};

use super::lock::Usage;
use super::write::{Content, made, media_type, space};
use super::{Budget, ImportRoots, SessionFiles, Source, WriteError, blob, content, quota};
use crate::dir;
use crate::name::FileName;

impl SessionFiles {
    /// Keeps the bytes of a file below the roots. It is under its own name a version of what that file is.
    pub fn declare(&self, path: &str, roots: &ImportRoots, budget: &Budget) -> Result<SavedFile, WriteError> {
        let content = Content::open(Source::LocalPath { path }, roots, budget)?;
        let source = content.source.clone();
        let real = match &source {
            SavedSource::LocalPath { path } => path.as_str(),
            SavedSource::Inline => path,
        };
        let name = Path::new(real).file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let name = FileName::new(name)?;
        let blobs = self.store.blobs(&self.project)?;
        quota::admit(content.size(), &Usage::default(), space(&blobs)?, budget)?;
        let draft = content.draft(&blobs, |head| Ok(content::check(name.as_str(), None, head)?))?;
        let kept = blob::keep(&blobs, &draft.sha256, &blobs, &draft.temporary);
        blobs.remove_file(&draft.temporary).ok();
        kept?;
        Ok(SavedFile {
            number: 0,
            name: name.as_str().to_owned(),
            mime_type: media_type(name.as_str(), None)?.map(str::to_owned),
            size: draft.size,
            mtime_ms: draft.mtime_ms,
            result_id: self.result_id(&source, name.as_str())?,
            version_id: made(VersionId::PREFIX, &["declared", &draft.sha256, &dir::temporary_name()?])?,
            sha256: draft.sha256,
            source,
            replaced: false,
        })
    }
}
