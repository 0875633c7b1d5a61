//! Which uploads do messages name?

use std::collections::HashSet;

use openscience_protocol::{UploadId, upload};

use crate::decode::Columns;
use crate::error::StoreError;
use crate::{Store, sql};

impl Store {
    /// Ids of all uploads that a message names.
    pub async fn used_uploads(&self) -> Result<HashSet<String>, StoreError> {
        let rows = sqlx::query(sql::USED_UPLOADS).fetch_all(&self.0.readers).await?;
        let url = |row| Columns::new("part", row).get::<String>("url");
        let urls = rows.iter().map(url).collect::<Result<Vec<String>, _>>()?;
        Ok(urls.iter().filter_map(|url| url.strip_prefix(upload::URL_PREFIX)).map(str::to_owned).collect())
    }

    /// True if a message names the upload.
    pub async fn is_upload_used(&self, id: &UploadId) -> Result<bool, StoreError> {
        let row = sqlx::query(sql::UPLOAD_USED).bind(upload::url(id)).fetch_optional(&self.0.readers).await?;
        Ok(row.is_some())
    }
}
