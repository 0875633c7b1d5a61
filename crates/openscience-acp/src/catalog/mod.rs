//! Which agents does the public registry know, and how is one started here?
//!
//! What is known is, in this order: the document in the cache if it is younger than a day; the one the network
//! gives, asked only where nothing here suffices; an older one of the cache; the one that came with this
//! binary. Looking an agent up never waits for the network and never starts or downloads anything.

mod archive;
mod document;
mod fetch;
mod install;
mod installed;
mod ways;

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use openscience_core::profile::canonical;
use tokio::sync::{Mutex, watch};
use tokio::task::spawn_blocking;
use tokio::time::Instant;

pub use self::archive::ArchiveError;
use self::document::Document;
pub use self::document::{DocumentError, Entry};
pub use self::fetch::{FetchError, is_safe_address};
pub use self::install::{InstallError, Installation};
pub use self::ways::{LaunchError, Startable, Way};

/// Where the document is fetched from if nobody says otherwise.
pub const REGISTRY_URL: &str = "https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json";

/// A younger document is not fetched again.
const FRESH_TIME: Duration = Duration::from_hours(24);
/// After a failure the network is left alone for so long: who has none must not wait each time.
const RETRY_TIME: Duration = Duration::from_mins(5);

/// How the registry is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogSettings {
    /// Else nothing of it is known.
    pub enabled: bool,
    pub url: String,
    /// Holds the document and what was installed.
    pub cache_dir: PathBuf,
    /// The ways its agents may be started, most wanted first.
    pub ways: Vec<Way>,
}

/// Where what is known of the registry comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Younger than a day.
    Fresh,
    /// Older, and there was nothing newer.
    Stale,
    /// It came with this binary.
    Embedded,
}

impl Freshness {
    /// The word on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fresh => "fresh",
            Self::Stale => "stale",
            Self::Embedded => "embedded",
        }
    }
}

/// The agents of the registry; cheap to clone, shared by all who look something up.
#[derive(Debug, Clone)]
pub struct Catalog(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    settings: CatalogSettings,
    platform: String,
    known: watch::Sender<Arc<Known>>,
    /// Held while the network is asked, so that all who want it ask once; the last failure. No actor: there is
    /// nothing to do between two questions.
    asking: Mutex<Option<Instant>>,
}

/// A document and where it comes from.
#[derive(Debug)]
struct Known {
    document: Document,
    source: Source,
    /// When the cache was written, as it was found with this.
    cached: Option<SystemTime>,
}

#[derive(Debug, Clone, Copy)]
enum Source {
    Embedded,
    Cache(SystemTime),
    /// Came now, whether or not the cache could be written.
    Network(Instant),
}

impl Known {
    fn embedded(cached: Option<SystemTime>) -> Self {
        Self { document: Document::embedded(), source: Source::Embedded, cached }
    }

    fn freshness(&self) -> Freshness {
        let fresh = match self.source {
            Source::Embedded => return Freshness::Embedded,
            // A time to come tells of a clock that was set, not of a new document.
            Source::Cache(written) => written.elapsed().is_ok_and(|age| age < FRESH_TIME),
            Source::Network(at) => at.elapsed() < FRESH_TIME,
        };
        if fresh { Freshness::Fresh } else { Freshness::Stale }
    }
}

impl Catalog {
    /// Reads nothing yet.
    pub fn new(settings: CatalogSettings) -> Self {
        Self(Arc::new(Inner {
            settings,
            platform: ways::platform(),
            known: watch::Sender::new(Arc::new(Known::embedded(None))),
            asking: Mutex::default(),
        }))
    }

    /// One that knows no agent.
    pub fn disabled() -> Self {
        Self::new(CatalogSettings {
            enabled: false,
            url: String::new(),
            cache_dir: PathBuf::new(),
            ways: Vec::new(),
        })
    }

    pub fn is_enabled(&self) -> bool {
        self.0.settings.enabled
    }

    /// Where what is known comes from now.
    pub fn freshness(&self) -> Freshness {
        self.known().freshness()
    }

    /// All agents that are known here, by id.
    pub fn entries(&self) -> Vec<Entry> {
        if self.is_enabled() { self.known().document.entries().cloned().collect() } else { Vec::new() }
    }

    /// The agent of that id or alias, if it is known here.
    pub fn entry(&self, name: &str) -> Option<Entry> {
        self.known().document.get(canonical(name)).filter(|_| self.is_enabled()).cloned()
    }

    /// How the agent of that id or alias would be started here, with the programs that `path`, a value of `PATH`, leads to.
    pub fn find(&self, name: &str, path: Option<&str>) -> Result<Startable, LaunchError> {
        let entry =
            self.entry(name).ok_or_else(|| LaunchError::Unknown { id: canonical(name).to_owned() })?;
        let agents = self.agents_dir();
        let here = ways::Here { platform: &self.0.platform, path, agents: &agents };
        ways::find(&entry, &self.0.settings.ways, here)
    }

    /// As [`Self::find`], to start it now: asks the network first where it has to be asked anyway, or where
    /// nobody here knows the agent.
    pub async fn find_to_start(&self, name: &str, path: Option<&str>) -> Result<Startable, LaunchError> {
        let found = self.find(name, path);
        let newer_helps = match &found {
            Ok(startable) => startable.way.downloads(),
            Err(LaunchError::Unknown { .. }) => true,
            Err(LaunchError::NotInstalled { .. } | LaunchError::NoWay { .. }) => false,
        };
        if newer_helps && self.renewed().await {
            return self.find(name, path);
        }
        found
    }

    /// Gets a document of less than a day, if need be and possible. True if there is a new one.
    pub async fn renewed(&self) -> bool {
        if !self.is_enabled() || self.freshness() == Freshness::Fresh {
            return false;
        }
        match self.renew(Urgency::Wanted).await {
            Ok(()) => true,
            Err(FetchError::Recently) => false,
            Err(error) => {
                tracing::info!(
                    ?error,
                    "the registry of agents was not fetched; what is known already counts"
                );
                false
            }
        }
    }

    /// Fetches the document whatever is known, because a person asked for it. How many agents it lists.
    pub async fn update(&self) -> Result<usize, FetchError> {
        if !self.is_enabled() {
            return Err(FetchError::Disabled);
        }
        self.renew(Urgency::Asked).await?;
        Ok(self.known().document.entries().count())
    }

    /// Downloads and unpacks the program of an agent.
    pub async fn install(&self, name: &str) -> Result<Installation, InstallError> {
        if !self.is_enabled() {
            return Err(FetchError::Disabled.into());
        }
        let renewed = match self.freshness() {
            Freshness::Fresh => Ok(()),
            Freshness::Stale | Freshness::Embedded => self.renew(Urgency::Asked).await,
        };
        let Some(entry) = self.entry(name) else {
            renewed?;
            let ids: Vec<String> = self.entries().into_iter().map(|entry| entry.id).collect();
            return Err(InstallError::Unknown { id: canonical(name).to_owned(), known: ids.join(", ") });
        };
        let (platform, agents) = (self.0.platform.clone(), self.agents_dir());
        let work = spawn_blocking(move || install::install(&entry, &platform, &agents));
        match work.await.map_err(|error| InstallError::Io(io::Error::other(error)))? {
            // A newer document might have had one.
            Err(error @ InstallError::NoArchive { .. }) => renewed.map_err(Into::into).and(Err(error)),
            installed => installed,
        }
    }

    async fn renew(&self, urgency: Urgency) -> Result<(), FetchError> {
        let mut failed = self.0.asking.lock().await;
        match urgency {
            // Who held the lock before may have brought it.
            Urgency::Wanted if self.freshness() == Freshness::Fresh => return Ok(()),
            Urgency::Wanted if failed.is_some_and(|at| at.elapsed() < RETRY_TIME) => {
                return Err(FetchError::Recently);
            }
            Urgency::Wanted | Urgency::Asked => {}
        }
        let (url, path) = (self.0.settings.url.clone(), self.cache_path());
        let fetched = spawn_blocking(move || fetch(&url, &path)).await;
        match fetched.map_err(|error| FetchError::Io(io::Error::other(error))).flatten() {
            Ok(document) => {
                *failed = None;
                let source = Source::Network(Instant::now());
                self.0.known.send_replace(Arc::new(Known { document, source, cached: self.cached() }));
                Ok(())
            }
            Err(error) => {
                *failed = Some(Instant::now());
                Err(error)
            }
        }
    }

    /// What is known now. Another process may have renewed the cache: its time is looked at, and the file read
    /// when that has changed.
    fn known(&self) -> Arc<Known> {
        let known = Arc::clone(&self.0.known.borrow());
        if !self.is_enabled() {
            return known;
        }
        let cached = self.cached();
        if known.cached == cached {
            return known;
        }
        let document = cached.and_then(|_| Document::parse(&std::fs::read(self.cache_path()).ok()?).ok());
        let known = Arc::new(match (document, cached) {
            (Some(document), Some(written)) => Known { document, source: Source::Cache(written), cached },
            _ => Known::embedded(cached),
        });
        self.0.known.send_replace(Arc::clone(&known));
        known
    }

    fn cached(&self) -> Option<SystemTime> {
        self.cache_path().metadata().and_then(|meta| meta.modified()).ok()
    }

    fn cache_path(&self) -> PathBuf {
        self.0.settings.cache_dir.join("registry.json")
    }

    fn agents_dir(&self) -> PathBuf {
        self.0.settings.cache_dir.join("agents")
    }
}

#[derive(Debug, Clone, Copy)]
enum Urgency {
    /// It would be good to have.
    Wanted,
    /// A person waits for it.
    Asked,
}

/// Fetches the document, and keeps it if it is one.
fn fetch(url: &str, cache: &Path) -> Result<Document, FetchError> {
    let text = fetch::document(url)?;
    let document = Document::parse(&text)?;
    if let Err(error) = keep(&text, cache) {
        // Known all the same, until this process ends.
        tracing::warn!(%error, "the registry of agents could not be kept");
    }
    Ok(document)
}

/// Whoever reads the file finds the old document or the new one.
fn keep(text: &[u8], path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests;
