//! What a prompt brings besides text: looked for before it is admitted, read when it is sent.
//!
//! Nothing here holds a session up: a prompt is admitted with what was found, and while its files are read its
//! turn can be cancelled. What a file is to an agent is decided in `openscience-files`.

use std::io;
use std::path::{Path, PathBuf};

use agent_client_protocol_schema::v1::{
    AudioContent, ContentBlock, EmbeddedResource, EmbeddedResourceResource, ImageContent, ResourceLink,
    TextResourceContents,
};
use openscience_core::input::Blocks;
use openscience_core::rules::{self, Verdict};
use openscience_core::{admission, handover};
use openscience_files::attachment::{
    self, Accepts, Candidate, INLINE_BYTES_MAX, Lines, Reference, Shown, file_url,
};
use openscience_files::open::{FileFault, find, open_real};
use openscience_files::upload::{Sealed, UploadError, Uploads};
use openscience_files::{mime, upload};
use openscience_protocol::message::{ConversationPart, FilePart};
use openscience_protocol::prompt::{ConversationInput, FileInput, InputPart, MediaInput, ResourceInput};
use openscience_protocol::row::SessionRow;
use openscience_protocol::upload::url;
use openscience_protocol::{PartBody, PromptInput, RunError, UploadId, codes};
use serde_json::{Value, json};

use crate::error::{AttachError, AttachFault};
use crate::shared::Inner;
use crate::uploads::blocking;
use crate::{clock, turn};

/// The category of rules about files outside a session's directories.
const EXTERNAL_DIRECTORY: &str = "external_directory";

/// The type of a directory.
const DIRECTORY: &str = "inode/directory";

/// A file that came without a name.
const UNNAMED: &str = "attachment";

/// Longest name in the message of an error.
const NAME_CHARS_MAX: usize = 100;

impl From<FileFault> for AttachFault {
    fn from(fault: FileFault) -> Self {
        match fault {
            FileFault::Missing | FileFault::Moved => Self::Missing,
            FileFault::NotAFile => Self::Invalid(fault.to_string()),
            FileFault::Unreadable(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                Self::Invalid("the file cannot be read".to_owned())
            }
            FileFault::Unreadable(error) => Self::Io(error),
        }
    }
}

impl From<UploadError> for AttachFault {
    fn from(error: UploadError) -> Self {
        match error {
            UploadError::NotFound(_) => Self::Missing,
            UploadError::Incomplete | UploadError::Busy | UploadError::Offset { .. } => Self::Incomplete,
            UploadError::TooLarge { limit, size } => Self::TooLarge { limit, size },
            UploadError::Full => Self::Full,
            UploadError::Fault(fault) => fault.into(),
            UploadError::Sealed => Self::Io(io::Error::other("a file that is sealed was to be changed")),
            UploadError::Io(error) => Self::Io(error),
        }
    }
}

impl From<io::Error> for AttachFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

fn invalid(what: &str) -> AttachFault {
    AttachFault::Invalid(what.to_owned())
}

/// The parts of a prompt as they are stored: files by reference and with their sizes, conversations frozen.
pub(crate) async fn resolve(
    inner: &Inner,
    row: &SessionRow,
    input: &PromptInput,
) -> Result<Vec<PartBody>, AttachError> {
    let mut parts = Vec::new();
    for (index, part) in input.parts.iter().flatten().enumerate() {
        let at = |field: &str| format!("parts[{index}]{field}");
        let failed = |place: String| move |fault: AttachFault| AttachError { place, fault };
        if let Some(part) = admission::part(part) {
            parts.push(part);
            continue;
        }
        match part {
            InputPart::File(part) => {
                parts.push(file(inner, row, part).await.map_err(failed(at(".url")))?);
            }
            InputPart::Subtask(subtask) => {
                parts.push(admission::subtask(subtask));
                for (number, part) in subtask.attachments.iter().flatten().enumerate() {
                    let place = at(&format!(".attachments[{number}].url"));
                    parts.push(file(inner, row, part).await.map_err(failed(place))?);
                }
            }
            InputPart::Image(part) => {
                parts.push(media(inner, part, "image/").await.map_err(failed(at("")))?);
            }
            InputPart::Audio(part) => {
                parts.push(media(inner, part, "audio/").await.map_err(failed(at("")))?);
            }
            InputPart::Resource(part) => {
                parts.push(resource(inner, part).await.map_err(failed(at("")))?);
            }
            InputPart::Json(part) => {
                let bytes = format!("{:#}", part.value).into_bytes();
                let name = part.filename.as_deref().unwrap_or("value.json");
                let kept = keep(inner, bytes, name, "application/json").await.map_err(failed(at("")))?;
                parts.push(PartBody::File(kept));
            }
            InputPart::Conversation(part) => {
                let place = at(".sourceSessionID");
                parts.push(conversation(inner, row, part).await.map_err(failed(place))?);
            }
            InputPart::Text(_) | InputPart::Agent(_) => {}
        }
    }
    Ok(parts)
}

async fn file(inner: &Inner, row: &SessionRow, part: &FileInput) -> Result<PartBody, AttachFault> {
    if !part.mime.trim().is_empty() && !mime::is_valid(&part.mime) {
        return Err(invalid("expected a mime of two words and a slash"));
    }
    let text = part.url.clone();
    let reference = blocking(move || Ok::<_, AttachFault>(attachment::parse(&text))).await?;
    let found = match reference.map_err(|error| AttachFault::Invalid(error.to_string()))? {
        Reference::Data { mime, bytes } => {
            let mime = if part.mime.trim().is_empty() { mime } else { part.mime.clone() };
            keep(inner, bytes, part.filename.as_deref().unwrap_or(UNNAMED), &mime).await?
        }
        Reference::Upload(id) => {
            let (uploads, now) = (inner.uploads.clone(), clock::now());
            let sealed = blocking(move || uploads.seal(&id, now)).await?;
            let mime = if part.mime.trim().is_empty() { sealed.mime.clone() } else { part.mime.clone() };
            let filename = part.filename.as_deref().unwrap_or(&sealed.filename).to_owned();
            stored(&sealed, &mime, filename)
        }
        Reference::Path { path, lines } => by_path(inner, row, part, path, lines).await?,
    };
    let source = part.source.clone().map(Value::Object).or(found.source);
    Ok(PartBody::File(FilePart { source, ..found }))
}

fn stored(sealed: &Sealed, mime: &str, filename: String) -> FilePart {
    FilePart {
        mime: mime::settled(mime, &filename),
        url: url(&sealed.id),
        filename: Some(filename),
        size: Some(sealed.size),
        source: None,
    }
}

/// Keeps bytes that the prompt holds itself.
async fn keep(inner: &Inner, bytes: Vec<u8>, name: &str, mime: &str) -> Result<FilePart, AttachFault> {
    let (uploads, now) = (inner.uploads.clone(), clock::now());
    let mime = mime::settled(mime, name);
    let safe = if upload::is_file_name(name) { name } else { UNNAMED }.to_owned();
    let said = mime.clone();
    let sealed = blocking(move || uploads.keep(&bytes, &safe, &said, now)).await?;
    Ok(stored(&sealed, &mime, name.to_owned()))
}

async fn by_path(
    inner: &Inner,
    row: &SessionRow,
    part: &FileInput,
    path: PathBuf,
    lines: Option<Lines>,
) -> Result<FilePart, AttachFault> {
    let roots = roots(inner, row);
    let (found, real, inside) = blocking(move || {
        let found = find(&path);
        // What was found is judged, not what stands at the path by now.
        let real = found.as_ref().map_or_else(|_| real(&path), |found| found.path.clone());
        let inside = roots.iter().any(|root| real.starts_with(self::real(root)));
        Ok::<_, AttachFault>((found, real, inside))
    })
    .await?;
    // What is outside is not even told from what is not there.
    if !inside && !is_allowed(inner, row, &real).await? {
        tracing::info!(session.id = %row.id, "a file outside the session's directories was not attached");
        return Err(AttachFault::Outside);
    }
    let found = found?;
    let limit = inner.config.limits.max_upload_bytes;
    if let Some(size) = found.size.filter(|size| *size > limit) {
        return Err(AttachFault::TooLarge { limit, size });
    }
    let name = found.path.file_name().map(|name| name.to_string_lossy().into_owned());
    let filename = part.filename.clone().or(name);
    let url = file_url(&found.path, lines.as_ref()).ok_or(AttachFault::Missing)?;
    let mime = match found.size {
        Some(_) => mime::settled(&part.mime, filename.as_deref().unwrap_or_default()),
        None => DIRECTORY.to_owned(),
    };
    Ok(FilePart { mime, url, filename, size: found.size, source: None })
}

/// The path without links, as far as it exists.
fn real(path: &Path) -> PathBuf {
    let existing = path.ancestors().find_map(|existing| Some((existing, existing.canonicalize().ok()?)));
    let Some((existing, real)) = existing else { return path.to_owned() };
    path.strip_prefix(existing).map_or_else(|_| real.clone(), |rest| real.join(rest))
}

/// Where a session may read.
fn roots(inner: &Inner, row: &SessionRow) -> [PathBuf; 2] {
    [PathBuf::from(&row.directory), turn::scratch(&inner.config.data_dir, row.id.as_str())]
}

/// True if a rule or a grant allows a file that is outside. Nobody is asked: nothing of the prompt runs yet.
async fn is_allowed(inner: &Inner, row: &SessionRow, path: &Path) -> Result<bool, AttachFault> {
    let Some(text) = path.to_str().map(str::to_owned) else { return Ok(false) };
    let grants = inner.store.grants(&row.id).await.map_err(AttachFault::Store)?;
    let granted = grants.iter().any(|grant| {
        grant.permission == EXTERNAL_DIRECTORY
            && path.starts_with(&grant.pattern)
            && !grant.pattern.is_empty()
    });
    let session = row.permission.as_deref().unwrap_or_default();
    let verdict = rules::evaluate(session, granted, &inner.config.rules, EXTERNAL_DIRECTORY, &[text]);
    Ok(match verdict {
        Verdict::Allow { .. } => true,
        Verdict::Deny { .. } | Verdict::Ask => false,
    })
}

async fn media(inner: &Inner, part: &MediaInput, kind: &str) -> Result<PartBody, AttachFault> {
    let mime = mime::essence(&part.mime_type);
    if !mime::is_valid(&mime) || !mime.starts_with(kind) {
        return Err(AttachFault::Invalid(format!("expected a mimeType that starts with {kind}")));
    }
    let bytes = attachment::decode(part.data.as_bytes()).ok_or_else(|| invalid("expected data in base64"))?;
    let name = part.filename.as_deref().unwrap_or(UNNAMED);
    Ok(PartBody::File(keep(inner, bytes, name, &mime).await?))
}

async fn resource(inner: &Inner, part: &ResourceInput) -> Result<PartBody, AttachFault> {
    let (bytes, otherwise) = match (&part.text, &part.blob) {
        (Some(text), None) => (text.clone().into_bytes(), "text/plain"),
        (None, Some(blob)) => {
            let bytes = attachment::decode(blob.as_bytes());
            (bytes.ok_or_else(|| invalid("expected blob in base64"))?, mime::UNKNOWN)
        }
        (None, None) | (Some(_), Some(_)) => return Err(invalid("expected exactly one of text and blob")),
    };
    let name = part.uri.rsplit('/').find(|name| upload::is_file_name(name)).unwrap_or(UNNAMED);
    let mime = part.mime_type.as_deref().filter(|mime| mime::is_valid(mime)).unwrap_or(otherwise);
    let kept = keep(inner, bytes, name, mime).await?;
    let source = Some(json!({ "type": "resource", "uri": part.uri }));
    Ok(PartBody::File(FilePart { source, ..kept }))
}

/// What was said in another session so far, as it is now.
async fn conversation(
    inner: &Inner,
    row: &SessionRow,
    part: &ConversationInput,
) -> Result<PartBody, AttachFault> {
    let id = &part.source_session_id;
    if *id == row.id {
        return Err(invalid("a conversation cannot refer to itself"));
    }
    let source = inner.store.session(id).await.map_err(AttachFault::Store)?;
    let source = source.filter(|source| source.project_id == row.project_id).ok_or(AttachFault::Missing)?;
    // Up to a message: how many come after it is not known.
    let newest = u32::try_from(handover::MESSAGES_MAX).ok().filter(|_| part.through_message_id.is_none());
    let mut messages = inner.store.messages(id, newest).await.map_err(AttachFault::Store)?;
    if let Some(through) = &part.through_message_id {
        let at = messages.iter().position(|message| message.info.id() == through);
        messages.truncate(at.ok_or(AttachFault::Missing)? + 1);
    }
    let text = handover::excerpt(&messages);
    let (Some(last), Some(text)) = (messages.last(), text) else {
        return Err(invalid("nothing was said in that conversation"));
    };
    let through_message_id = last.info.id().clone();
    Ok(PartBody::Conversation(ConversationPart {
        source_session_id: id.clone(),
        snapshot_id: format!("{id}.{through_message_id}"),
        through_message_id,
        label: part.label.clone().unwrap_or(source.title),
        text,
    }))
}

/// True if something of the prompt must be read, or said otherwise, for the agent it goes to.
pub(crate) fn needs_reading(blocks: &Blocks) -> bool {
    blocks.iter().any(|block| matches!(block, ContentBlock::ResourceLink(_) | ContentBlock::Resource(_)))
}

/// The prompt as that agent can take it, with its files read.
pub(crate) async fn read(blocks: Blocks, accepts: Accepts, uploads: Uploads) -> Result<Blocks, RunError> {
    let read = tokio::task::spawn_blocking(move || {
        let mut budget = INLINE_BYTES_MAX;
        blocks.into_iter().map(|block| block_of(block, accepts, &uploads, &mut budget)).collect()
    });
    read.await.unwrap_or_else(|_| Err(unreadable("a file")))
}

fn unreadable(name: &str) -> RunError {
    let name: String = name.chars().take(NAME_CHARS_MAX).collect();
    let message = format!("{name} is gone or cannot be read any more");
    RunError::new(codes::run::ATTACHMENT_UNREADABLE, message).at("prompt")
}

fn block_of(
    block: ContentBlock,
    accepts: Accepts,
    uploads: &Uploads,
    budget: &mut u64,
) -> Result<ContentBlock, RunError> {
    match block {
        ContentBlock::ResourceLink(link) => shown(&link, accepts, uploads, budget).map_err(|error| {
            tracing::info!(%error, "a file of a prompt cannot be read any more");
            unreadable(&link.name)
        }),
        ContentBlock::Resource(EmbeddedResource {
            resource: EmbeddedResourceResource::TextResourceContents(text),
            ..
        }) if !accepts.text => Ok(ContentBlock::from(text.text)),
        other => Ok(other),
    }
}

fn shown(
    link: &ResourceLink,
    accepts: Accepts,
    uploads: &Uploads,
    budget: &mut u64,
) -> Result<ContentBlock, UploadError> {
    let mime = link.mime_type.as_deref().unwrap_or_default();
    let (file, size, path, lines) = match attachment::parse(&link.uri) {
        Ok(Reference::Upload(id)) => by_upload(uploads, &id, &link.name)?,
        Ok(Reference::Path { path, .. }) if mime == DIRECTORY => return directory(link, &path, accepts),
        Ok(Reference::Path { path, lines }) => {
            let (file, metadata) = open_real(&path)?;
            (file, metadata.len(), path, lines)
        }
        Ok(Reference::Data { .. }) | Err(_) => return Err(FileFault::Missing.into()),
    };
    let uri = file_url(&path, None).ok_or(FileFault::Missing)?;
    let shown =
        attachment::show(Candidate { file, size, mime, filename: &link.name, lines }, accepts, budget)?;
    Ok(match shown {
        Shown::Image { mime, data } => ContentBlock::Image(ImageContent::new(data, mime).uri(uri)),
        Shown::Audio { mime, data } => ContentBlock::Audio(AudioContent::new(data, mime)),
        Shown::Text { mime, text } => embedded(text, link.title.clone().unwrap_or(uri), mime),
        Shown::Link { mime } => {
            let size = i64::try_from(size).ok();
            let linked = ResourceLink::new(link.name.clone(), uri).mime_type(mime).size(size);
            ContentBlock::ResourceLink(linked.title(link.title.clone()))
        }
    })
}

type Opened = (std::fs::File, u64, PathBuf, Option<Lines>);

fn by_upload(uploads: &Uploads, id: &UploadId, name: &str) -> Result<Opened, UploadError> {
    let (file, sealed) = uploads.sealed_as(id, Some(name))?;
    Ok((file, sealed.size, sealed.path, None))
}

fn embedded(text: String, uri: String, mime: String) -> ContentBlock {
    let contents = TextResourceContents::new(text, uri).mime_type(mime);
    ContentBlock::Resource(EmbeddedResource::new(EmbeddedResourceResource::TextResourceContents(contents)))
}

/// A directory: what stands in it, to an agent that takes texts.
fn directory(link: &ResourceLink, path: &Path, accepts: Accepts) -> Result<ContentBlock, UploadError> {
    let found = find(path)?;
    if found.path != path || found.size.is_some() {
        return Err(FileFault::Moved.into());
    }
    let uri = file_url(path, None).ok_or(FileFault::Missing)?;
    if accepts.text {
        return Ok(embedded(attachment::listing(path)?, uri, "text/plain".to_owned()));
    }
    Ok(ContentBlock::ResourceLink(ResourceLink::new(link.name.clone(), uri).mime_type(DIRECTORY.to_owned())))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: Accepts = Accepts { image: false, audio: false, text: false };

    fn uploads(root: &tempfile::TempDir) -> Uploads {
        Uploads::new(root.path().join("uploads"), 1 << 20, 0)
    }

    #[tokio::test]
    async fn a_document_is_words_to_an_agent_that_takes_no_documents() {
        let root = tempfile::tempdir().unwrap();
        let blocks =
            vec![ContentBlock::from("hi"), embedded("said".into(), "x:y".into(), "text/plain".into())];
        assert!(needs_reading(&blocks) && !needs_reading(&vec![ContentBlock::from("hi")]));
        let words = read(blocks.clone(), NONE, uploads(&root)).await.unwrap();
        assert_eq!(words, [ContentBlock::from("hi"), ContentBlock::from("said")]);
        let accepts = Accepts { text: true, ..NONE };
        assert_eq!(read(blocks.clone(), accepts, uploads(&root)).await.unwrap(), blocks);
    }

    #[tokio::test]
    async fn a_file_of_which_nothing_is_left_is_named_and_not_where_it_was() {
        let root = tempfile::tempdir().unwrap();
        for uri in ["file:///no/such/file", "upload:upl_none", "https://a.example/"] {
            let link = ResourceLink::new("notes.txt", uri).mime_type("text/plain".to_owned());
            let read = read(vec![ContentBlock::ResourceLink(link)], NONE, uploads(&root)).await;
            let error = read.unwrap_err();
            assert_eq!(error.code, codes::run::ATTACHMENT_UNREADABLE);
            assert_eq!(error.message, "notes.txt is gone or cannot be read any more");
        }
    }

    #[test]
    fn a_path_is_real_as_far_as_it_exists() {
        let root = tempfile::tempdir().unwrap();
        let at = root.path().canonicalize().unwrap();
        std::fs::create_dir(at.join("a")).unwrap();
        std::os::unix::fs::symlink(at.join("a"), at.join("link")).unwrap();
        assert_eq!(real(&at.join("link/to/come")), at.join("a/to/come"));
        assert_eq!(real(&at.join("link")), at.join("a"));
    }
}
