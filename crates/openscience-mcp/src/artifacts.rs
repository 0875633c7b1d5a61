//! How does an agent save a file with its session? With one tool, `write_artifact_file`.
//!
//! Which turn it is saved in is read from the daemon's handoff, never taken from the agent; what the agent is told
//! names no path. What becomes of the file afterwards is the daemon's business.

use std::path::PathBuf;
use std::sync::Arc;

use openscience_files::artifact::{
    ArtifactStore, Budget, Encoding, ImportRoots, SessionFiles, Source, WriteError, WriteRequest,
};
use openscience_protocol::artifact::{ARTIFACT_SERVER, SavedFile};
use openscience_protocol::{Limits, SessionId};
use rmcp::handler::server::wrapper::Parameters;
use rmcp::model::{CallToolResult, ContentBlock, Implementation, ServerCapabilities, ServerConfig};
use rmcp::{ServerHandler, ServiceExt as _, schemars, tool, tool_handler, tool_router};
use serde::Deserialize;
use serde_json::json;

/// Why the server ended before its client did.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactServerError {
    #[error("the folder of artifacts cannot be opened")]
    Folder(#[source] std::io::Error),
    #[error("the project cannot be the name of a folder")]
    Project,
    #[error("the client did not begin as MCP demands")]
    Handshake(#[source] Box<rmcp::service::ServerInitializeError>),
    #[error("the server stopped unexpectedly")]
    Stopped(#[from] tokio::task::JoinError),
}

/// Whose files are saved where.
#[derive(Debug, Clone)]
pub struct ArtifactSettings {
    /// Holds the artifacts of all projects.
    pub folder: PathBuf,
    pub project: String,
    pub session: SessionId,
    /// Folders that files may be copied from.
    pub roots: Vec<PathBuf>,
    pub limits: Limits,
}

/// Serves MCP on standard input and output until the input ends.
pub async fn serve(settings: ArtifactSettings) -> Result<(), ArtifactServerError> {
    let server = Artifacts::new(&settings)?;
    let service = server.serve(rmcp::transport::stdio()).await;
    let service = service.map_err(|error| ArtifactServerError::Handshake(Box::new(error)))?;
    service.waiting().await?;
    Ok(())
}

#[derive(Debug, Clone)]
struct Artifacts {
    files: SessionFiles,
    session: SessionId,
    roots: Arc<ImportRoots>,
    budget: Budget,
}

/// A file to save.
#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "camelCase")]
struct Write {
    /// Plain name of the file, without a path, such as histogram.png
    filename: String,
    /// Type of the file, such as image/png; told from the name if absent
    #[serde(default)]
    mime_type: Option<String>,
    /// Where the bytes come from. If absent, the file of that name in the workspace
    #[serde(default)]
    #[schemars(with = "Option<WriteSource>")]
    source: Option<AnySource>,
    /// How earlier clients sent the bytes.
    #[serde(default)]
    #[schemars(skip)]
    content: Option<String>,
    #[serde(default)]
    #[schemars(skip)]
    encoding: Option<ContentEncoding>,
}

#[derive(Debug, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(tag = "kind", rename_all = "camelCase")]
enum WriteSource {
    /// The content itself
    Inline {
        content: String,
        /// base64 for binary content
        #[serde(default)]
        encoding: ContentEncoding,
    },
    /// A file that is already in the workspace: an absolute path, or one relative to it
    LocalPath { path: String },
}

/// Some models write the object as text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum AnySource {
    Object(WriteSource),
    Text(String),
}

#[derive(Debug, Clone, Copy, Default, Deserialize, schemars::JsonSchema)]
#[schemars(crate = "rmcp::schemars")]
#[serde(rename_all = "lowercase")]
enum ContentEncoding {
    #[default]
    Utf8,
    Base64,
}

impl From<ContentEncoding> for Encoding {
    fn from(encoding: ContentEncoding) -> Self {
        match encoding {
            ContentEncoding::Utf8 => Self::Utf8,
            ContentEncoding::Base64 => Self::Base64,
        }
    }
}

impl Write {
    /// Where the bytes come from, whichever way it was said; none if that cannot be understood.
    fn source(&mut self) -> Option<WriteSource> {
        match (self.source.take(), self.content.take()) {
            (Some(AnySource::Object(source)), _) => Some(source),
            (Some(AnySource::Text(text)), _) => serde_json::from_str(&text).ok(),
            (None, Some(content)) => {
                Some(WriteSource::Inline { content, encoding: self.encoding.unwrap_or_default() })
            }
            (None, None) => Some(WriteSource::LocalPath { path: self.filename.clone() }),
        }
    }
}

impl Artifacts {
    fn new(settings: &ArtifactSettings) -> Result<Self, ArtifactServerError> {
        let store = ArtifactStore::open(&settings.folder).map_err(ArtifactServerError::Folder)?;
        let session = settings.session.clone();
        let files = store.session(&settings.project, &session).ok_or(ArtifactServerError::Project)?;
        let roots = Arc::new(ImportRoots::open(settings.roots.iter().map(PathBuf::as_path)));
        Ok(Self { files, session, roots, budget: Budget::new(&settings.limits) })
    }

    /// Saves the file: on a thread of its own, because it may be large.
    async fn save(&self, mut write: Write) -> Option<Result<SavedFile, WriteError>> {
        let source = write.source()?;
        let (files, roots, budget) = (self.files.clone(), Arc::clone(&self.roots), self.budget);
        let saving = tokio::task::spawn_blocking(move || {
            let source = match &source {
                WriteSource::Inline { content, encoding } => {
                    Source::Inline { content, encoding: (*encoding).into() }
                }
                WriteSource::LocalPath { path } => Source::LocalPath { path },
            };
            let mime_type = write.mime_type.as_deref();
            files.write(WriteRequest { filename: &write.filename, mime_type, source }, &roots, &budget)
        });
        saving.await.ok()
    }
}

#[tool_router]
impl Artifacts {
    /// Save a file as a result of your work: a plot, a table, a report, a data set. The person sees it with your
    /// answer and keeps it. Send small text inline; for anything else write the file in the workspace first and pass its
    /// path. The same filename again replaces the file of this turn.
    #[tool(
        name = "write_artifact_file",
        annotations(read_only_hint = false, destructive_hint = false, open_world_hint = false)
    )]
    async fn write_artifact_file(&self, Parameters(write): Parameters<Write>) -> CallToolResult {
        match self.save(write).await {
            Some(Ok(saved)) => receipt(&self.session, &saved),
            Some(Err(error)) => fail(&error.to_string()),
            None => {
                fail("source must be an object: {kind: inline, content, encoding} or {kind: localPath, path}")
            }
        }
    }
}

#[tool_handler]
impl ServerHandler for Artifacts {
    fn get_info(&self) -> ServerConfig {
        let mut info = ServerConfig::new(ServerCapabilities::builder().enable_tools().build());
        info.server_info = Implementation::new(ARTIFACT_SERVER, env!("CARGO_PKG_VERSION"));
        info
    }
}

/// What was saved, without where.
fn receipt(session: &SessionId, saved: &SavedFile) -> CallToolResult {
    let artifact = json!({
        "artifact": {
            "artifact_id": saved.result_id,
            "filename": saved.name,
            "size_bytes": saved.size,
            "version_id": saved.version_id,
            "session_id": session,
        }
    });
    CallToolResult::success(vec![ContentBlock::text(artifact.to_string())])
}

fn fail(text: &str) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(text)])
}

#[cfg(test)]
mod tests;
