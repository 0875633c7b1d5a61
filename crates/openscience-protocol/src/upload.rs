//! Files a client handed over, as it sees them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::{Millis, UploadId};

/// What the URL of a file part starts with that names an upload.
pub const URL_PREFIX: &str = "upload:";

/// One uploaded file, whole or on its way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Upload {
    pub id: UploadId,
    /// `upload:` and the id: what a file part names it by.
    pub url: String,
    pub filename: String,
    pub mime: String,
    /// Bytes it has, or will have if that was said.
    pub size: u64,
    /// Digest of the bytes, once the file is whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Bytes that are here: where the next piece begins.
    pub offset: u64,
    pub created: Millis,
}

/// The URL by which a file part names the upload.
pub fn url(id: &UploadId) -> String {
    format!("{URL_PREFIX}{id}")
}
