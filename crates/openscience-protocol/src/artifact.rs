//! Artifacts: files that an agent saved through the artifact tool, the claims that bind them to a message, and the
//! Results they are versions of.
//!
//! An [`ArtifactFile`] is the record of one turn's file and keeps the spelling of its own documents; an [`Artifact`]
//! is what people keep of it, with all versions.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{ArtifactId, ClaimId, MessageId, Millis, ProjectId, SessionId, VersionId};

/// The MCP server that saves files.
pub const ARTIFACT_SERVER: &str = "open-science-artifacts";

/// The project folder of sessions that belong to none.
pub const DEFAULT_PROJECT_NAME: &str = "default-project";

/// Longest title of a Result (UTF-16 units).
pub const TITLE_UNITS_MAX: usize = 240;

/// How long a Result stays in the trash before it is gone, in milliseconds.
pub const TRASH_KEPT_MS: Millis = 30 * 24 * 60 * 60 * 1_000;

/// Names what one turn saves: `artifact-run-<milliseconds>-<number>`. The agent never chooses it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactRunId(Arc<str>);

/// The text is not `artifact-run-<digits>-<digits>`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArtifactRunIdError;

impl fmt::Display for ArtifactRunIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected artifact-run-<digits>-<digits>")
    }
}

impl std::error::Error for ArtifactRunIdError {}

impl ArtifactRunId {
    /// The run of that moment; `number` keeps runs of one moment apart.
    pub fn new(now: Millis, number: u32) -> Self {
        Self(format!("artifact-run-{}-{number}", now.unsigned_abs()).into())
    }

    /// The id as it stands in paths and on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for ArtifactRunId {
    type Err = ArtifactRunIdError;

    fn from_str(text: &str) -> Result<Self, ArtifactRunIdError> {
        let digits =
            |part: &str| (1..=20).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit());
        let parts = text.strip_prefix("artifact-run-").and_then(|rest| rest.split_once('-'));
        match parts {
            Some((ms, number)) if digits(ms) && digits(number) => Ok(Self(text.into())),
            Some(_) | None => Err(ArtifactRunIdError),
        }
    }
}

impl fmt::Display for ArtifactRunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ArtifactRunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Serialize for ArtifactRunId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for ArtifactRunId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// Where the bytes of a saved file came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum SavedSource {
    /// The agent sent them.
    Inline,
    /// They were copied from this file; its real path.
    LocalPath { path: String },
}

/// One accepted write of the artifact tool, as it is recorded beside the bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SavedFile {
    /// 1 for the first write of its run.
    pub number: u64,
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    pub size: u64,
    /// Lower-case hex.
    pub sha256: String,
    pub mtime_ms: Millis,
    pub source: SavedSource,
    /// The Result it is a version of: the same source gives the same one.
    pub result_id: ArtifactId,
    pub version_id: VersionId,
    /// A later write of the run has the same name: this one is a version and no file of the turn.
    #[serde(default)]
    pub replaced: bool,
}

/// Where a claim stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ClaimState {
    /// Its files wait to be put with their message.
    Pending,
    /// They are there.
    Finalized,
    /// They could not be; they are kept, and it can be asked for again.
    Failed,
}

impl ClaimState {
    /// The word on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Finalized => "finalized",
            Self::Failed => "failed",
        }
    }

    /// The state of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Pending, Self::Finalized, Self::Failed].into_iter().find(|state| state.as_str() == word)
    }
}

/// A claim as people see it beside a file that is not with its message yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArtifactClaim {
    #[schema(value_type = String)]
    pub id: ClaimId,
    pub state: ClaimState,
    /// The message its files are for.
    #[serde(rename = "messageID")]
    #[schema(value_type = String)]
    pub message_id: MessageId,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A file that a turn saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactFile {
    /// `sessionId:ownerId:filename`; the owner is the message, else the run.
    pub id: String,
    pub project_name: String,
    #[schema(value_type = String)]
    pub session_id: SessionId,
    /// The message it belongs to; absent while its claim is not finalized.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub message_id: Option<MessageId>,
    /// The artifact run it was saved in; present while it is pending.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub run_id: Option<ArtifactRunId>,
    pub name: String,
    /// Where it is on this machine; absent in events and for callers elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The same as a `file:` URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    pub size: u64,
    pub mtime_ms: Millis,
    #[serde(rename = "resultID", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub result_id: Option<ArtifactId>,
    #[serde(rename = "versionID", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub version_id: Option<VersionId>,
    /// The claim of a file that is not with its message yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub claim: Option<ArtifactClaim>,
}

/// How well the bytes of a version are known to be what was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaptureQuality {
    /// Taken when the agent saved it.
    Exact,
    /// Taken when a person named the file.
    Declared,
    Partial,
    Unknown,
}

impl CaptureQuality {
    /// The word on the wire and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Declared => "declared",
            Self::Partial => "partial",
            Self::Unknown => "unknown",
        }
    }

    /// The quality of that word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::Exact, Self::Declared, Self::Partial, Self::Unknown]
            .into_iter()
            .find(|quality| quality.as_str() == word)
    }
}

/// Whether a Result is listed or waits in the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ArtifactState {
    #[default]
    Active,
    Trash,
}

/// One version of a Result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactVersion {
    #[schema(value_type = String)]
    pub id: VersionId,
    #[serde(rename = "artifactID")]
    #[schema(value_type = String)]
    pub artifact_id: ArtifactId,
    /// 1 for the first.
    pub version: i64,
    pub filename: String,
    pub mime_type: String,
    pub size: u64,
    pub sha256: String,
    #[serde(rename = "sessionID")]
    #[schema(value_type = String)]
    pub session_id: SessionId,
    #[serde(rename = "messageID", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub message_id: Option<MessageId>,
    /// The file it was copied from, else its name.
    pub source_path: String,
    pub capture_quality: CaptureQuality,
    pub created_at: Millis,
}

/// A Result: one thing that was made, with its newest version.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Artifact {
    pub schema_version: u32,
    #[schema(value_type = String)]
    pub id: ArtifactId,
    #[serde(rename = "projectID")]
    #[schema(value_type = String)]
    pub project_id: ProjectId,
    pub title: String,
    /// image, table, notebook, document, code, data or file.
    pub kind: String,
    /// What a person said it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(rename = "currentVersionID")]
    #[schema(value_type = String)]
    pub current_version_id: VersionId,
    pub created_at: Millis,
    pub updated_at: Millis,
    pub state: ArtifactState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trashed_at: Option<Millis>,
    pub version_count: i64,
    pub current: ArtifactVersion,
}

/// A Result with all its versions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ArtifactDetail {
    #[serde(flatten)]
    pub artifact: Artifact,
    /// Newest first.
    pub versions: Vec<ArtifactVersion>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_artifact_run_has_exactly_its_form() {
        let check =
            |text: &str, good: bool| assert_eq!(text.parse::<ArtifactRunId>().is_ok(), good, "{text}");
        check("artifact-run-1-2", true);
        check(ArtifactRunId::new(1_700_000_000_000, 7).as_str(), true);
        for wrong in
            ["artifact-run-1", "artifact-run--2", "artifact-run-1-", "artifact-run-1-2-3", "../x", ""]
        {
            check(wrong, false);
        }
        check("artifact-run-1-2/..", false);
    }
}
