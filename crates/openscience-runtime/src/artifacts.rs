//! Artifacts as people see them: the files of a session, and Results with their versions.

use std::collections::{HashSet, VecDeque};
use std::fs::File;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use openscience_core::artifact::{self, file};
use openscience_files::artifact::{BlobError, Budget, ImportRoots, SessionFiles, Verified, WriteError};
use openscience_files::mime;
use openscience_files::preview::{self, Asked, PreviewError, Source};
use openscience_protocol::artifact::{
    Artifact, ArtifactDetail, ArtifactFile, ArtifactState, ArtifactVersion, ClaimState,
};
use openscience_protocol::preview::Preview;
use openscience_protocol::row::{ClaimRow, SessionRow, VersionRow};
use openscience_protocol::{ArtifactId, ArtifactRunId, ClaimId, MessageId, SessionId, VersionId, Workspace};
use openscience_store::{NumberedVersion, ResultRow, SessionFile, StoreError};

use crate::error::{ArtifactError, ClaimError, DeclareError, SessionError};
use crate::request::Selected;
use crate::uploads::blocking;
use crate::{Runtime, clock, saving, turn};

/// Files that were compared with their digests and need not be again.
const VERIFIED_MAX: usize = 1_024;

/// Names one file of an artifact.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArtifactRef {
    /// A Result: its newest version.
    Result(ArtifactId),
    /// A file of a session, by the message or the run that has it: `sessionId:ownerId:filename`.
    File { session: SessionId, owner: String, name: String },
}

impl FromStr for ArtifactRef {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        const EXPECTED: &str = "expected art_… or sessionId:ownerId:filename";
        if let Ok(id) = text.parse() {
            return Ok(Self::Result(id));
        }
        let mut parts = text.splitn(3, ':');
        let (Some(session), Some(owner), Some(name)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(EXPECTED);
        };
        let known = owner.parse::<MessageId>().is_ok() || owner.parse::<ArtifactRunId>().is_ok();
        match session.parse() {
            Ok(session) if known && !name.is_empty() => {
                Ok(Self::File { session, owner: owner.to_owned(), name: name.to_owned() })
            }
            Ok(_) | Err(_) => Err(EXPECTED),
        }
    }
}

/// The bytes of an artifact, proved to be those that were saved.
#[derive(Debug)]
pub struct OpenArtifact {
    pub file: File,
    pub size: u64,
    pub mime_type: String,
    pub filename: String,
    pub sha256: String,
}

/// A page of a session's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArtifactPage {
    pub files: Vec<ArtifactFile>,
    /// Pass as `after` for the next page; none on the last.
    pub next: Option<VersionId>,
}

/// A file that a person names as a Result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewArtifact {
    pub path: String,
    pub session: SessionId,
    pub message: Option<MessageId>,
    pub summary: Option<String>,
}

/// Which files have been compared with their digests: reading a large one in parts would hash it each time. The lock
/// guards a look-up.
#[derive(Debug, Default)]
pub(crate) struct Seals(Mutex<Known>);

#[derive(Debug, Default)]
struct Known {
    seals: HashSet<Verified>,
    /// Oldest first.
    order: VecDeque<Verified>,
}

impl Seals {
    fn knows(&self, seal: &Verified) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).seals.contains(seal)
    }

    fn note(&self, seal: Verified) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.seals.insert(seal) {
            known.order.push_back(seal);
        }
        if known.order.len() > VERIFIED_MAX
            && let Some(oldest) = known.order.pop_front()
        {
            known.seals.remove(&oldest);
        }
    }
}

impl Runtime {
    /// Files that the session's turns have saved, oldest first, with where they are on this machine. Behind the last
    /// stand those that no turn has claimed.
    pub async fn session_artifacts(
        &self,
        project: &Selected,
        session: &SessionId,
        after: Option<&VersionId>,
        limit: Option<u32>,
    ) -> Result<ArtifactPage, SessionError> {
        let row = self.row(project, session).await?;
        let wanted = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        let mut found =
            self.0.store.session_files(session, after, limit.map(|limit| limit.saturating_add(1))).await?;
        let more = found.len() > wanted;
        found.truncate(wanted);
        let next = found.last().filter(|_| more).map(|file| file.version.id.clone());
        let Some(place) = saving::files(&self.0, &row.project_id, session) else {
            return Ok(ArtifactPage { files: Vec::new(), next: None });
        };
        let mut files: Vec<ArtifactFile> = found.iter().map(|file| shown(&place, file)).collect();
        if next.is_none() {
            files.extend(self.unclaimed(&row, place).await?);
        }
        Ok(ArtifactPage { files, next })
    }

    /// Files in the session's folder that no turn has claimed.
    async fn unclaimed(
        &self,
        row: &SessionRow,
        place: SessionFiles,
    ) -> Result<Vec<ArtifactFile>, StoreError> {
        let looking = place.clone();
        let left = match tokio::task::spawn_blocking(move || looking.left()).await {
            Ok(Ok(left)) => left,
            Ok(Err(error)) => {
                tracing::warn!(session.id = %row.id, %error, "pending files could not be looked for");
                return Ok(Vec::new());
            }
            Err(_) => return Ok(Vec::new()),
        };
        let mut files = Vec::new();
        for (run, saved) in left {
            if self.0.store.is_claimed(&row.id, &run).await? || self.at_work(&row.id, &run).await? {
                continue;
            }
            for file in saved.iter().filter(|file| !file.replaced) {
                let version = artifact::declared(&row.project_id, &row.id, None, None, file, file.mtime_ms);
                let version = VersionRow { artifact_run: Some(run.clone()), ..version };
                let unclaimed = shown(&place, &SessionFile { version, claim: None });
                // Nothing is recorded of it yet.
                files.push(ArtifactFile { result_id: None, version_id: None, ..unclaimed });
            }
        }
        Ok(files)
    }

    /// True if a turn that has not ended saves under that name: its files are about to be claimed.
    async fn at_work(&self, session: &SessionId, run: &ArtifactRunId) -> Result<bool, StoreError> {
        let rows = self.0.store.restore(session).await?;
        let turns = rows.iter().flat_map(|rows| &rows.turns);
        Ok(turns.filter(|turn| turn.ended_at.is_none()).any(|turn| turn.artifact_run.as_ref() == Some(run)))
    }

    /// Puts the files of a claim with their message, if they are not there. Another message is a conflict.
    pub async fn finalize_artifacts(
        &self,
        project: &Selected,
        id: &ClaimId,
        message: &MessageId,
    ) -> Result<Vec<ArtifactFile>, ClaimError> {
        let claim = self.claim_of(project, id).await?;
        if claim.1.message_id != *message {
            return Err(ClaimError::Conflict(id.clone()));
        }
        if claim.1.state == ClaimState::Finalized {
            return self.claimed_files(project, &claim).await;
        }
        saving::settle_again(&self.0, &claim.0, &claim.1).await?;
        let claim = self.claim_of(project, id).await?;
        match claim.1.state {
            ClaimState::Finalized => self.claimed_files(project, &claim).await,
            ClaimState::Pending | ClaimState::Failed => {
                let reason = claim.1.reason.unwrap_or_else(|| "it could not be recorded".to_owned());
                Err(ClaimError::NotFinalized { claim: id.clone(), reason })
            }
        }
    }

    async fn claim_of(&self, project: &Selected, id: &ClaimId) -> Result<(SessionId, ClaimRow), ClaimError> {
        let missing = || ClaimError::NotFound(id.clone());
        let (session, claim) = self.0.store.claim(id).await?.ok_or_else(missing)?;
        let row = self.0.store.session(&session).await?.filter(|row| row.project_id == project.id);
        row.ok_or_else(missing)?;
        Ok((session, claim))
    }

    async fn claimed_files(
        &self,
        project: &Selected,
        (session, claim): &(SessionId, ClaimRow),
    ) -> Result<Vec<ArtifactFile>, ClaimError> {
        let place = saving::files(&self.0, &project.id, session);
        let versions = self.0.store.claimed_versions(session, &claim.id).await?;
        let of = |version: VersionRow| {
            let claimed = SessionFile { version, claim: Some(claim.clone()) };
            place.as_ref().map(|place| shown(place, &claimed))
        };
        let mut files: Vec<ArtifactFile> =
            versions.into_iter().filter(|version| !version.replaced).filter_map(of).collect();
        files.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(files)
    }

    /// Opens an artifact's bytes. A Result's are those of its newest version, unless another is named.
    pub async fn open_artifact(
        &self,
        project: &Selected,
        artifact: &ArtifactRef,
        version: Option<&VersionId>,
    ) -> Result<OpenArtifact, ArtifactError> {
        let row = match artifact {
            ArtifactRef::Result(id) => self.version_of(project, id, version).await?,
            ArtifactRef::File { session, owner, name } => {
                let found = self.0.store.session_file(&project.id, session, owner, name).await?;
                let found = found.map(|file| file.version);
                let named = |row: &VersionRow| version.is_none_or(|version| row.id == *version);
                found.filter(named).ok_or(ArtifactError::NotFound)?
            }
        };
        let (store, inner, sha256) = (self.0.artifacts.clone(), self.0.clone(), row.sha256.clone());
        let folder = project.id.clone();
        let opened = tokio::task::spawn_blocking(move || {
            let opened = store.open_bytes(folder.as_str(), &sha256, |seal| inner.seals.knows(seal));
            opened.inspect(|(_, seal)| inner.seals.note(*seal))
        });
        let opened = opened.await.map_err(|_| ArtifactError::Store(StoreError::Closed))?;
        let (file, _) = opened.map_err(|error| match error {
            BlobError::Missing => ArtifactError::Gone,
            BlobError::Damaged => ArtifactError::Damaged,
            BlobError::Io(cause) => ArtifactError::Unreadable(cause),
        })?;
        let mime_type = media(&row);
        Ok(OpenArtifact { file, size: row.size, mime_type, filename: row.name, sha256: row.sha256 })
    }

    /// A page of an artifact, as people look at it.
    pub async fn preview_artifact(
        &self,
        project: &Selected,
        artifact: &ArtifactRef,
        version: Option<&VersionId>,
        asked: Asked,
    ) -> Result<Preview, ArtifactError> {
        let OpenArtifact { file, size, mime_type, filename, .. } =
            self.open_artifact(project, artifact, version).await?;
        blocking(move || {
            let source = Source { file, size, mime: &mime_type, filename: &filename };
            preview::preview(&source, asked).map_err(|error| match error {
                PreviewError::Offset => ArtifactError::BeyondEnd,
                PreviewError::Io(cause) => ArtifactError::Unreadable(cause),
            })
        })
        .await
    }

    async fn version_of(
        &self,
        project: &Selected,
        id: &ArtifactId,
        version: Option<&VersionId>,
    ) -> Result<VersionRow, ArtifactError> {
        let result = self.result_of(project, id).await?;
        let Some(version) = version else { return Ok(result.current.row) };
        let mut versions = self.0.store.versions(id).await?.into_iter().map(|known| known.row);
        versions.find(|row| row.id == *version).ok_or(ArtifactError::NotFound)
    }

    async fn result_of(&self, project: &Selected, id: &ArtifactId) -> Result<ResultRow, ArtifactError> {
        self.0.store.result(&project.id, id).await?.ok_or(ArtifactError::NotFound)
    }

    /// Results of the project, the newest first.
    pub async fn artifacts(
        &self,
        project: &Selected,
        state: ArtifactState,
    ) -> Result<Vec<Artifact>, ArtifactError> {
        let results = self.0.store.results(&project.id, state == ArtifactState::Trash).await?;
        Ok(results.iter().map(result).collect())
    }

    /// One Result with all its versions, in the trash or not.
    pub async fn artifact(
        &self,
        project: &Selected,
        id: &ArtifactId,
    ) -> Result<ArtifactDetail, ArtifactError> {
        let artifact = result(&self.result_of(project, id).await?);
        let versions = self.0.store.versions(id).await?;
        Ok(ArtifactDetail { artifact, versions: versions.iter().map(version).collect() })
    }

    /// Gives a Result another title.
    pub async fn rename_artifact(
        &self,
        project: &Selected,
        id: &ArtifactId,
        title: &str,
    ) -> Result<Artifact, ArtifactError> {
        self.0.store.rename_result(&project.id, id, title, clock::now()).await?;
        Ok(result(&self.result_of(project, id).await?))
    }

    /// Puts a Result into the trash, where it is kept for thirty days.
    pub async fn trash_artifact(
        &self,
        project: &Selected,
        id: &ArtifactId,
    ) -> Result<Artifact, ArtifactError> {
        self.0.store.trash_result(&project.id, id, clock::now()).await?;
        Ok(result(&self.result_of(project, id).await?))
    }

    /// Takes a Result out of the trash.
    pub async fn restore_artifact(
        &self,
        project: &Selected,
        id: &ArtifactId,
    ) -> Result<Artifact, ArtifactError> {
        self.0.store.restore_result(&project.id, id).await?;
        Ok(result(&self.result_of(project, id).await?))
    }

    /// Keeps a file of the session's folders as a version of a Result.
    pub async fn declare_artifact(
        &self,
        project: &Selected,
        new: NewArtifact,
    ) -> Result<Artifact, DeclareError> {
        if self.is_stopping() {
            return Err(DeclareError::ShuttingDown);
        }
        let NewArtifact { path, session, message, summary } = new;
        let row = self.0.store.session(&session).await?.filter(|row| row.project_id == project.id);
        let row = row.ok_or_else(|| DeclareError::SessionNotFound(session.clone()))?;
        if let Some(message) = &message
            && self.0.store.message_rows(&session, message).await?.is_none()
        {
            return Err(DeclareError::MessageNotFound(message.clone()));
        }
        let files = saving::files(&self.0, &row.project_id, &session);
        let files = files.ok_or_else(|| DeclareError::SessionNotFound(session.clone()))?;
        let roots = self.roots(&row);
        let budget = Budget::new(self.limits());
        let saved = tokio::task::spawn_blocking(move || {
            let roots = ImportRoots::open(roots.iter().map(PathBuf::as_path));
            files.declare(&path, &roots, &budget)
        });
        let saved = saved.await.map_err(|_| DeclareError::ShuttingDown)?.map_err(refused)?;
        let version = artifact::declared(&project.id, &session, message, summary, &saved, clock::now());
        self.0.store.record_version(&version).await?;
        match self.0.store.result(&project.id, &saved.result_id).await? {
            Some(row) => Ok(result(&row)),
            None => Err(DeclareError::Store(StoreError::Closed)),
        }
    }

    /// Folders whose files may be kept, the one the agent works in first.
    fn roots(&self, row: &SessionRow) -> Vec<PathBuf> {
        let project = PathBuf::from(&row.directory);
        match row.workspace {
            Workspace::Project => vec![project],
            Workspace::Isolated => {
                vec![turn::scratch(&self.0.config.data_dir, row.id.as_str()), project]
            }
        }
    }
}

fn refused(error: WriteError) -> DeclareError {
    match error {
        WriteError::Outside => DeclareError::Outside,
        WriteError::Missing => DeclareError::Missing,
        WriteError::FileTooLarge { limit, .. }
        | WriteError::InlineTooLarge { limit }
        | WriteError::RunFull { limit }
        | WriteError::SessionFull { limit } => DeclareError::TooLarge { limit },
        WriteError::DiskFull => DeclareError::Full,
        WriteError::Name(_)
        | WriteError::Mime
        | WriteError::NotAFile
        | WriteError::Unreadable
        | WriteError::Changed
        | WriteError::Base64
        | WriteError::TooManyFiles { .. }
        | WriteError::NameConflict
        | WriteError::Content(_)
        | WriteError::NotActive
        | WriteError::Busy => DeclareError::Refused(error),
        WriteError::Io(cause) => DeclareError::Unwritable(cause),
    }
}

/// The file with where it is.
fn shown(place: &SessionFiles, found: &SessionFile) -> ArtifactFile {
    let SessionFile { version, claim } = found;
    let shown = file(version, claim.as_ref());
    let path = match (&shown.message_id, &shown.run_id) {
        (Some(message), _) => Some(place.message_path(message, &version.name)),
        (None, Some(run)) => Some(place.pending_path(run, &version.name)),
        (None, None) => None,
    };
    ArtifactFile { path: path.and_then(|path| path.into_os_string().into_string().ok()), ..shown }
}

fn media(row: &VersionRow) -> String {
    row.mime_type.clone().unwrap_or_else(|| mime::UNKNOWN.to_owned())
}

fn version(known: &NumberedVersion) -> ArtifactVersion {
    let row = &known.row;
    ArtifactVersion {
        id: row.id.clone(),
        artifact_id: row.artifact_id.clone(),
        version: known.number,
        filename: row.name.clone(),
        mime_type: media(row),
        size: row.size,
        sha256: row.sha256.clone(),
        session_id: row.session_id.clone(),
        message_id: row.message_id.clone(),
        source_path: row.source_path.clone(),
        capture_quality: row.capture,
        created_at: row.created,
    }
}

fn result(row: &ResultRow) -> Artifact {
    let current = version(&row.current);
    let of = &row.current.row;
    Artifact {
        schema_version: 1,
        id: of.artifact_id.clone(),
        project_id: of.project_id.clone(),
        title: of.title.clone(),
        kind: of.kind.clone(),
        summary: of.summary.clone(),
        current_version_id: current.id.clone(),
        created_at: row.created,
        updated_at: row.updated,
        state: if row.trashed.is_some() { ArtifactState::Trash } else { ArtifactState::Active },
        trashed_at: row.trashed,
        version_count: row.versions,
        current,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_is_named_by_its_result_or_by_session_owner_and_name() {
        let file = |session: &str, owner: &str, name: &str| {
            let session = session.parse().unwrap();
            Ok(ArtifactRef::File { session, owner: owner.to_owned(), name: name.to_owned() })
        };
        assert_eq!("art_1".parse(), Ok(ArtifactRef::Result("art_1".parse().unwrap())));
        assert_eq!("ses_1:msg_2:a.png".parse(), file("ses_1", "msg_2", "a.png"));
        assert_eq!("ses_1:artifact-run-1-2:a:b".parse(), file("ses_1", "artifact-run-1-2", "a:b"));
        for bad in ["", "art_", "ses_1", "ses_1:msg_2", "ses_1:msg_2:", "x:msg_2:a", "ses_1:../x:a", "ver_1"]
        {
            assert!(bad.parse::<ArtifactRef>().is_err(), "{bad}");
        }
    }
}
