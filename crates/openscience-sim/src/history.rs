//! What was said in a session, and how does it outlive the process?
//!
//! One NDJSON file a session, appended to and never rewritten, or memory when
//! there is no directory. Several processes may share a directory: a new id is
//! claimed by creating its file.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use agent_client_protocol_schema::v1::{SessionId, SessionInfo};
use serde::{Deserialize, Serialize};
use tokio::fs::{self, OpenOptions};
use tokio::io::AsyncWriteExt as _;
use tokio::sync::Mutex;

/// One line of a session's history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "entry", rename_all = "snake_case")]
pub(crate) enum Entry {
    /// Always the first line.
    Opened {
        cwd: PathBuf,
    },
    User {
        text: String,
    },
    Agent {
        text: String,
    },
    Title {
        text: String,
    },
    Option {
        id: String,
        value: String,
    },
}

const EXTENSION: &str = "ndjson";

/// The histories of all sessions this process can open.
#[derive(Debug)]
pub(crate) struct History {
    dir: Option<PathBuf>,
    /// Guards the in-memory sessions and the last number given out; held while a
    /// file is claimed, so that ids of one process are in order.
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    sessions: BTreeMap<SessionKey, Vec<Entry>>,
    last: u64,
}

/// Orders sessions by their number, not by its spelling.
type SessionKey = (u64, Arc<str>);

impl History {
    pub(crate) fn new(dir: Option<PathBuf>) -> Self {
        Self { dir, memory: Mutex::default() }
    }

    /// Claims a new id.
    pub(crate) async fn create(&self, cwd: &Path) -> io::Result<SessionId> {
        let opened = Entry::Opened { cwd: cwd.to_owned() };
        let mut memory = self.memory.lock().await;
        let Some(dir) = &self.dir else {
            memory.last += 1;
            // The process id keeps a client that outlives us from opening a stranger's session.
            let id: Arc<str> = format!("sim-{}-{}", std::process::id(), memory.last).into();
            let key = (memory.last, Arc::clone(&id));
            memory.sessions.insert(key, vec![opened]);
            return Ok(SessionId::new(id));
        };
        fs::create_dir_all(dir).await?;
        if memory.last == 0 {
            memory.last = ids_in(dir).await?.last().map_or(0, |(number, _)| *number);
        }
        loop {
            memory.last += 1;
            let id = format!("sim-{}", memory.last);
            let path = dir.join(&id).with_extension(EXTENSION);
            match OpenOptions::new().append(true).create_new(true).open(path).await {
                Ok(file) => {
                    write(file, &opened).await?;
                    return Ok(SessionId::from(id));
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Adds to a session that exists.
    pub(crate) async fn append(&self, id: &SessionId, entry: Entry) -> io::Result<()> {
        let key = key_of(&id.0).ok_or(io::ErrorKind::NotFound)?;
        if let Some(dir) = &self.dir {
            let path = dir.join(&*key.1).with_extension(EXTENSION);
            return write(OpenOptions::new().append(true).open(path).await?, &entry).await;
        }
        let mut memory = self.memory.lock().await;
        memory.sessions.get_mut(&key).ok_or(io::ErrorKind::NotFound)?.push(entry);
        Ok(())
    }

    /// Everything remembered of a session, or nothing if there is none. A line cut
    /// short by a crash is left out.
    pub(crate) async fn read(&self, id: &SessionId) -> io::Result<Option<Vec<Entry>>> {
        let Some(key) = key_of(&id.0) else { return Ok(None) };
        let Some(dir) = &self.dir else {
            return Ok(self.memory.lock().await.sessions.get(&key).cloned());
        };
        match fs::read(dir.join(&*key.1).with_extension(EXTENSION)).await {
            Ok(bytes) => {
                let lines = bytes.split(|byte| *byte == b'\n');
                Ok(Some(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// All sessions, oldest first.
    pub(crate) async fn ids(&self) -> io::Result<Vec<SessionId>> {
        let keys = match &self.dir {
            Some(dir) => ids_in(dir).await?,
            None => self.memory.lock().await.sessions.keys().cloned().collect(),
        };
        Ok(keys.into_iter().map(|(_, id)| SessionId::new(id)).collect())
    }
}

async fn write(mut file: fs::File, entry: &Entry) -> io::Result<()> {
    let mut line = serde_json::to_vec(entry)?;
    line.push(b'\n');
    file.write_all(&line).await?;
    file.flush().await
}

async fn ids_in(dir: &Path) -> io::Result<Vec<SessionKey>> {
    let mut keys = Vec::new();
    let mut entries = match fs::read_dir(dir).await {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(keys),
        Err(error) => return Err(error),
    };
    while let Some(entry) = entries.next_entry().await? {
        let path = entry.path();
        if path.extension().is_some_and(|extension| extension == EXTENSION) {
            keys.extend(path.file_stem().and_then(|stem| stem.to_str()).and_then(key_of));
        }
    }
    keys.sort();
    Ok(keys)
}

/// Only ids of our own making name a file, so no id reaches outside the directory.
fn key_of(id: &str) -> Option<SessionKey> {
    let numbers = id.strip_prefix("sim-")?;
    let plain = numbers.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let number = numbers.rsplit('-').next()?.parse().ok()?;
    plain.then(|| (number, id.into()))
}

/// How a session is listed; none for a file without its first line, which a crash
/// can leave.
pub(crate) fn summary(id: SessionId, entries: Vec<Entry>) -> Option<SessionInfo> {
    let (mut cwd, mut title) = (None, None);
    for entry in entries {
        match entry {
            Entry::Opened { cwd: opened } => cwd = Some(opened),
            Entry::Title { text } => title = Some(text),
            Entry::User { .. } | Entry::Agent { .. } | Entry::Option { .. } => {}
        }
    }
    Some(SessionInfo::new(id, cwd?).title(title))
}
