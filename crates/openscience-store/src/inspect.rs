//! What would a process find that opened this data directory now?
//!
//! Looks and changes nothing: no folder is made, no marker written, no owner registered, no schema migrated.

use std::path::Path;

use crate::error::OpenError;
use crate::owners::{self, LiveOwner};
use crate::root::{Place, Root};
use crate::schema;

/// What is there, and why it would be refused.
#[derive(Debug)]
pub struct Inspection {
    /// None if it would be refused.
    pub place: Option<Place>,
    /// Schema of the database; none if there is no database that could be read.
    pub found_schema: Option<i64>,
    /// Schema of this version.
    pub known_schema: i64,
    /// Processes at work on it.
    pub owners: Vec<LiveOwner>,
    /// Why the store would not open.
    pub trouble: Option<OpenError>,
}

/// Looks at a data directory.
pub async fn inspect(data_dir: &Path) -> Inspection {
    let mut inspection = Inspection {
        place: None,
        found_schema: None,
        known_schema: schema::version_of(schema::MIGRATIONS),
        owners: Vec::new(),
        trouble: None,
    };
    inspection.trouble = inspection.look(&Root::at(data_dir)).await.err();
    inspection
}

impl Inspection {
    /// Notes what it sees, as far as it gets.
    async fn look(&mut self, root: &Root) -> Result<(), OpenError> {
        self.place = Some(root.look()?);
        if !root.database().exists() {
            return Ok(());
        }
        let mut connection = schema::open_to_look(root).await?;
        let known = self.known_schema;
        let found = schema::found(&mut connection, root).await?;
        self.found_schema = Some(found);
        if found == 0 {
            return Ok(());
        }
        self.owners = owners::living(&mut connection, root).await?;
        if found > known {
            return Err(OpenError::Newer { found, known, path: root.database() });
        }
        if found == known {
            return schema::check_shape(&mut connection, root, schema::MIGRATIONS).await;
        }
        owners::refuse_live(&self.owners, root, found, known)
    }
}
