//! Files that clients hand over: taken, shown, thrown away once nobody uses them.
//!
//! Where they are and how they are written is the matter of `openscience-files`; here is who asks, and that
//! nobody waits for a disk on a thread of others.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use openscience_files::attachment::{INLINE_BYTES_MAX, MEDIA_BYTES_MAX, TEXT_BYTES_MAX};
pub use openscience_files::mime::is_valid as is_mime;
pub use openscience_files::preview::Asked;
use openscience_files::preview::{self, PreviewError, Source};
pub use openscience_files::upload::is_file_name;
use openscience_files::upload::{NewUpload, UploadError, Uploads, Writer};
use openscience_protocol::snapshot::CapabilityFiles;
use openscience_protocol::{Limits, Preview, Upload, UploadId};

use crate::error::FileError;
use crate::shared::Inner;
use crate::{Runtime, clock};

/// How often unused uploads are looked for.
const SWEEP: Duration = Duration::from_hours(1);

/// Most uploads in a list.
const LIST_MAX: usize = 1_000;

/// The folder of uploads.
pub(crate) fn folder(data_dir: &Path, limits: &Limits) -> Uploads {
    Uploads::new(data_dir.join("uploads"), limits.max_upload_bytes, limits.disk_reserve_bytes)
}

/// What files a prompt may bring.
pub(crate) fn capabilities(limits: &Limits) -> CapabilityFiles {
    CapabilityFiles {
        schemes: ["data", "file", "upload"].map(str::to_owned).to_vec(),
        max_body_bytes: limits.max_body_bytes as u64,
        max_upload_bytes: limits.max_upload_bytes,
        disk_reserve_bytes: limits.disk_reserve_bytes,
        max_media_bytes: MEDIA_BYTES_MAX,
        max_text_bytes: TEXT_BYTES_MAX,
        max_inline_bytes: INLINE_BYTES_MAX,
    }
}

/// Does work on files where it may take its time.
pub(crate) async fn blocking<T: Send + 'static, E: From<std::io::Error> + Send + 'static>(
    work: impl FnOnce() -> Result<T, E> + Send + 'static,
) -> Result<T, E> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => Err(std::io::Error::other(error).into()),
    }
}

/// Throws away what nobody uses, at once and then each hour.
pub(crate) async fn sweep_forever(inner: Arc<Inner>) {
    loop {
        match sweep(&inner).await {
            Ok(0) => {}
            Ok(count) => tracing::info!(count, "uploads that nobody used were removed"),
            Err(error) => tracing::warn!(%error, "could not look for unused uploads"),
        }
        if inner.stopping.run_until_cancelled(tokio::time::sleep(SWEEP)).await.is_none() {
            return;
        }
    }
}

async fn sweep(inner: &Inner) -> Result<usize, FileError> {
    let keep = i64::try_from(inner.config.limits.upload_keep_ms).unwrap_or(i64::MAX);
    let before = clock::now().saturating_sub(keep).max(0).unsigned_abs();
    let before = UNIX_EPOCH.checked_add(Duration::from_millis(before)).unwrap_or(SystemTime::UNIX_EPOCH);
    let used = inner.store.used_uploads().await?;
    let uploads = inner.uploads.clone();
    Ok(blocking(move || uploads.sweep(&used, before).map_err(UploadError::from)).await?)
}

/// An upload that comes in. Dropped, it keeps what has come and is not whole.
#[derive(Debug)]
pub struct Incoming {
    /// None while a piece is written.
    writer: Option<Writer>,
}

impl Incoming {
    async fn with<T: Send + 'static>(
        &mut self,
        work: impl FnOnce(&mut Writer) -> Result<T, UploadError> + Send + 'static,
    ) -> Result<T, UploadError> {
        let Some(mut writer) = self.writer.take() else { return Err(UploadError::Busy) };
        let (writer, done) = blocking(move || {
            let done = work(&mut writer);
            Ok::<_, UploadError>((writer, done))
        })
        .await?;
        self.writer = Some(writer);
        done
    }

    /// Appends bytes; nothing of them if they are too many.
    pub async fn write(&mut self, bytes: impl AsRef<[u8]> + Send + 'static) -> Result<(), FileError> {
        Ok(self.with(move |writer| writer.write(bytes.as_ref())).await?)
    }

    /// Makes it durable. `ended`: the piece came to its end.
    pub async fn finish(mut self, ended: bool) -> Result<Upload, FileError> {
        let Some(writer) = self.writer.take() else { return Err(UploadError::Busy.into()) };
        let now = clock::now();
        Ok(blocking(move || writer.finish(ended, now)).await?)
    }
}

impl Runtime {
    /// Begins an upload. `size` if it is known what it will be.
    pub async fn begin_upload(
        &self,
        filename: String,
        mime: String,
        size: Option<u64>,
    ) -> Result<(UploadId, Incoming), FileError> {
        if self.is_stopping() {
            return Err(FileError::ShuttingDown);
        }
        let now = clock::now();
        let id = self.0.ids.upload(now);
        let new = NewUpload { id: id.clone(), filename, mime, size, now };
        let uploads = self.0.uploads.clone();
        let writer = blocking(move || uploads.begin(new)).await?;
        Ok((id, Incoming { writer: Some(writer) }))
    }

    /// Goes on with an upload where it ended.
    pub async fn resume_upload(&self, id: UploadId, offset: u64) -> Result<Incoming, FileError> {
        if self.is_stopping() {
            return Err(FileError::ShuttingDown);
        }
        let uploads = self.0.uploads.clone();
        let writer = blocking(move || uploads.resume(&id, offset)).await?;
        Ok(Incoming { writer: Some(writer) })
    }

    /// One upload.
    pub async fn upload(&self, id: UploadId) -> Result<Upload, FileError> {
        let uploads = self.0.uploads.clone();
        Ok(blocking(move || uploads.look(&id)).await?)
    }

    /// The newest uploads, newest first.
    pub async fn uploads(&self) -> Result<Vec<Upload>, FileError> {
        let uploads = self.0.uploads.clone();
        Ok(blocking(move || uploads.list(LIST_MAX)).await?)
    }

    /// Throws an upload away that no message names.
    pub async fn remove_upload(&self, id: UploadId) -> Result<(), FileError> {
        if self.0.store.is_upload_used(&id).await? {
            return Err(FileError::InUse(id));
        }
        let uploads = self.0.uploads.clone();
        Ok(blocking(move || uploads.remove(&id)).await?)
    }

    /// A page of an upload.
    pub async fn preview_upload(&self, id: UploadId, asked: Asked) -> Result<Preview, FileError> {
        let uploads = self.0.uploads.clone();
        let page = blocking(move || {
            let (file, upload) = uploads.open(&id)?;
            let (mime, filename) = (upload.mime.as_str(), upload.filename.as_str());
            let source = Source { file, size: upload.offset, mime, filename };
            Ok::<_, UploadError>(preview::preview(&source, asked))
        });
        page.await?.map_err(|error| match error {
            PreviewError::Offset => FileError::BeyondEnd,
            PreviewError::Io(error) => UploadError::Io(error).into(),
        })
    }
}
