//! Cache, network and what came with the binary; a whole installation. The network is a server on this machine.

use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::sync::atomic::{AtomicUsize, Ordering};

use openscience_core::admission::hex;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::*;

/// A server that gives everybody the same answer, and how often it was asked.
struct Server {
    url: String,
    asked: Arc<AtomicUsize>,
}

impl Server {
    /// Lives as long as the process of the test; each test has its own.
    fn answering(status: &str, body: impl AsRef<[u8]>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let url = format!("http://{}/registry.json", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let head = format!("HTTP/1.1 {status}\r\nlocation: http://127.0.0.1:1/\r\nconnection: close\r\n\r\n");
        let answer = [head.as_bytes(), body.as_ref()].concat();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let Ok(mut stream) = stream else { break };
                let mut request = [0; 4_096];
                let read = stream.read(&mut request).unwrap_or_default();
                if read > 0 {
                    count.fetch_add(1, Ordering::SeqCst);
                    // Who has enough hangs up.
                    stream.write_all(&answer).ok();
                }
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

fn document(id: &str) -> Value {
    json!({"version": "1", "agents": [{
        "id": id, "name": "One", "version": "1.0.0", "distribution": {"npx": {"package": format!("{id}@1.0.0")}},
    }]})
}

/// A cache, and the catalogs of one process or several.
struct Machine(TempDir);

impl Machine {
    fn new() -> Self {
        Self(TempDir::new().unwrap())
    }

    fn catalog(&self, url: &str) -> Catalog {
        Catalog::new(CatalogSettings {
            enabled: true,
            url: url.to_owned(),
            cache_dir: self.0.path().join("cache"),
            ways: Way::ALL.to_vec(),
        })
    }

    /// Nobody listens there.
    fn offline(&self) -> Catalog {
        self.catalog("http://127.0.0.1:1/registry.json")
    }

    fn cache(&self) -> PathBuf {
        self.0.path().join("cache").join("registry.json")
    }

    fn write_cache(&self, text: &str, age: Duration) {
        std::fs::create_dir_all(self.cache().parent().unwrap()).unwrap();
        let mut file = std::fs::File::create(self.cache()).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let written = file.metadata().unwrap().modified().unwrap();
        file.set_modified(written - age).unwrap();
    }
}

const DAY: Duration = Duration::from_hours(25);

fn knows(catalog: &Catalog) -> (bool, bool, Freshness) {
    (catalog.entry("one").is_some(), catalog.entry("claude").is_some(), catalog.freshness())
}

#[tokio::test]
async fn a_fresh_cache_is_enough_and_nothing_is_fetched() {
    let (machine, server) = (Machine::new(), Server::answering("200 OK", document("two").to_string()));
    machine.write_cache(&document("one").to_string(), Duration::from_mins(5));
    let catalog = machine.catalog(&server.url);
    assert_eq!(knows(&catalog), (true, false, Freshness::Fresh));
    assert!(!catalog.renewed().await);
    catalog.find_to_start("one", Some("/none")).await.unwrap_err();
    catalog.find_to_start("nobody", Some("/none")).await.unwrap_err();
    assert_eq!(server.asked(), 0);
}

#[tokio::test]
async fn what_is_fetched_is_kept_for_this_process_and_the_next() {
    let (machine, server) = (Machine::new(), Server::answering("200 OK", document("one").to_string()));
    let catalog = machine.catalog(&server.url);
    assert_eq!(knows(&catalog), (false, true, Freshness::Embedded));
    assert!(catalog.renewed().await);
    assert_eq!(knows(&catalog), (true, false, Freshness::Fresh));
    assert!(!catalog.renewed().await, "it is fresh");
    assert_eq!(knows(&machine.offline()), (true, false, Freshness::Fresh));
    assert_eq!(server.asked(), 1);
    let folder = machine.cache().parent().unwrap().read_dir().unwrap();
    assert_eq!(folder.count(), 1, "nothing half written stays");
    assert_eq!(catalog.update().await.unwrap(), 1, "who asks for it gets it");
    assert_eq!(server.asked(), 2);
}

#[tokio::test]
async fn all_who_want_it_at_once_ask_once() {
    let (machine, server) = (Machine::new(), Server::answering("200 OK", document("one").to_string()));
    let catalog = machine.catalog(&server.url);
    tokio::join!(catalog.renewed(), catalog.renewed(), catalog.renewed());
    assert_eq!(server.asked(), 1);
}

#[tokio::test]
async fn an_old_cache_counts_where_the_network_has_nothing() {
    let (machine, server) = (Machine::new(), Server::answering("500 Oops", ""));
    machine.write_cache(&document("one").to_string(), DAY);
    let catalog = machine.catalog(&server.url);
    assert_eq!(knows(&catalog), (true, false, Freshness::Stale));
    assert!(!catalog.renewed().await);
    assert_eq!(knows(&catalog), (true, false, Freshness::Stale));
    assert!(!catalog.renewed().await);
    assert_eq!(server.asked(), 1, "a failure is not repeated at once");
    assert!(matches!(catalog.update().await, Err(FetchError::Status(500))), "unless somebody asks for it");
    let server = Server::answering("200 OK", document("one").to_string());
    machine.catalog(&server.url).update().await.unwrap();
    assert_eq!(knows(&catalog), (true, false, Freshness::Fresh), "another process has renewed it");
}

#[tokio::test]
async fn without_cache_and_network_the_embedded_document_counts() {
    let machine = Machine::new();
    let catalog = machine.offline();
    let begin = Instant::now();
    let error = catalog.find_to_start("nobody", Some("/none")).await.unwrap_err();
    assert_eq!(error.to_string(), "agent nobody is neither configured nor known to the registry");
    assert!(begin.elapsed() < Duration::from_secs(5));
    assert_eq!(knows(&catalog), (false, true, Freshness::Embedded));
    assert!(matches!(catalog.update().await, Err(FetchError::Network(_))));
    machine.write_cache("half a docu", Duration::ZERO);
    assert_eq!(knows(&catalog), (false, true, Freshness::Embedded), "a damaged cache is none");
}

#[tokio::test]
async fn answers_that_are_no_document_change_nothing() {
    let check = async |status: &str, body: &[u8]| {
        let machine = Machine::new();
        let catalog = machine.catalog(&Server::answering(status, body).url);
        let error = catalog.update().await.unwrap_err();
        assert!(!machine.cache().exists());
        assert_eq!(catalog.freshness(), Freshness::Embedded);
        error
    };
    assert!(matches!(check("200 OK", b"<html>").await, FetchError::Document(DocumentError::Syntax)));
    assert!(matches!(
        check("200 OK", b"{\"agents\": []}").await,
        FetchError::Document(DocumentError::NoAgents)
    ));
    assert!(matches!(check("404 Not Found", b"{}").await, FetchError::Status(404)));
    assert!(matches!(check("302 Found", b"").await, FetchError::Status(302)));
    let large = vec![b' '; (8 << 20) + 1];
    assert!(matches!(check("200 OK", &large).await, FetchError::TooLarge(_)));
}

#[tokio::test]
async fn a_cache_that_cannot_be_written_costs_nothing_but_the_next_start() {
    let (machine, server) = (Machine::new(), Server::answering("200 OK", document("one").to_string()));
    std::fs::write(machine.0.path().join("cache"), "in the way").unwrap();
    let catalog = machine.catalog(&server.url);
    assert!(catalog.renewed().await);
    assert_eq!(knows(&catalog), (true, false, Freshness::Fresh));
}

#[tokio::test]
async fn a_disabled_registry_knows_nobody_and_asks_nobody() {
    let server = Server::answering("200 OK", document("one").to_string());
    let machine = Machine::new();
    machine.write_cache(&document("one").to_string(), Duration::ZERO);
    let settings = CatalogSettings { enabled: false, ..machine.catalog(&server.url).0.settings.clone() };
    let catalog = Catalog::new(settings);
    assert_eq!((catalog.entries(), catalog.entry("claude"), catalog.renewed().await), (vec![], None, false));
    assert!(matches!(catalog.update().await, Err(FetchError::Disabled)));
    assert!(matches!(catalog.install("one").await, Err(InstallError::Fetch(FetchError::Disabled))));
    assert_eq!(server.asked(), 0);
}

/// A tar.gz with a program.
fn archive() -> Vec<u8> {
    let mut builder = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(2);
    header.set_mode(0o644);
    builder.append_data(&mut header, "dist/one", &b"#!"[..]).unwrap();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(&builder.into_inner().unwrap()).unwrap();
    gz.finish().unwrap()
}

/// A machine that knows one agent whose archive is there.
fn offering(address: &str, command: &str, sha256: Option<&str>) -> Machine {
    let machine = Machine::new();
    let target = json!({
        "archive": address, "cmd": command, "args": ["acp"], "env": {"K": "v"}, "sha256": sha256,
    });
    let document = json!({"agents": [{
        "id": "one", "version": "1.0.0", "distribution": {"binary": {ways::platform(): target}},
    }]});
    machine.write_cache(&document.to_string(), Duration::ZERO);
    machine
}

fn installed(machine: &Machine) -> usize {
    machine.0.path().join("cache/agents/one").read_dir().map_or(0, Iterator::count)
}

#[tokio::test]
async fn an_installed_agent_is_found_without_being_on_the_path() {
    let bytes = archive();
    let server = Server::answering("200 OK", &bytes);
    let digest = hex(&Sha256::digest(&bytes)).to_uppercase();
    let machine = offering(&format!("{}/one.tar.gz", server.url), "./dist/one", Some(&digest));
    let catalog = machine.offline();
    assert!(matches!(catalog.find("one", Some("/none")), Err(LaunchError::NotInstalled { .. })));
    let first = catalog.install("one").await.unwrap();
    assert_eq!((first.version.as_str(), first.already, first.verified), ("1.0.0", false, true));
    let found = catalog.find("one", Some("/none")).unwrap();
    assert_eq!(
        (found.way, &found.command, found.args),
        (Way::Installed, &first.command, vec!["acp".to_owned()])
    );
    assert_eq!(found.env["K"], "v");
    assert_eq!(first.command.metadata().unwrap().permissions().mode() & 0o777, 0o700, "it can be started");
    assert_eq!(installed(&machine), 1, "nothing half done stays");
    let again = catalog.install("one").await.unwrap();
    assert!(again.already && again.command == first.command);
    assert_eq!(server.asked(), 1);

    // Another installation is under way.
    let (whole, staged) = ("cache/agents/one/1.0.0", "cache/agents/one/.new-x");
    std::fs::create_dir_all(machine.0.path().join(staged).join("files/dist")).unwrap();
    for file in ["launch.json", "files/dist/one"] {
        std::fs::copy(machine.0.path().join(whole).join(file), machine.0.path().join(staged).join(file))
            .unwrap();
    }
    // A newer document names another version: what is here is started until that one is installed.
    let text = std::fs::read_to_string(machine.cache()).unwrap().replace("1.0.0", "1.1.0");
    machine.write_cache(&text, Duration::from_secs(1));
    assert_eq!(catalog.find("one", Some("/none")).unwrap().command, first.command);
    let newer = catalog.install("one").await.unwrap();
    assert_eq!((newer.version.as_str(), newer.already), ("1.1.0", false));
    assert_eq!(catalog.find("one", Some("/none")).unwrap().command, newer.command);
}

#[tokio::test]
async fn what_is_not_as_the_registry_says_is_not_installed() {
    let server = Server::answering("200 OK", archive());
    let address = format!("{}/one.tgz", server.url);
    let check = async |machine: Machine| {
        let error = machine.offline().install("one").await.unwrap_err();
        assert_eq!(installed(&machine), 0, "{error}");
        error
    };
    let error = check(offering(&address, "dist/one", Some("00ff"))).await;
    assert!(matches!(&error, InstallError::Digest { expected, .. } if expected == "00ff"), "{error}");
    assert!(matches!(check(offering(&address, "dist/two", None)).await, InstallError::NoProgram));
    let outside = check(offering(&address, "../../one", None)).await;
    assert!(matches!(outside, InstallError::Archive(ArchiveError::Outside)));
    let plain = check(offering("http://agents.example/one.tgz", "dist/one", None)).await;
    assert!(matches!(plain, InstallError::Fetch(FetchError::Address)));
    let package = check(offering("https://agents.example/one.deb", "one", None)).await;
    assert!(matches!(package, InstallError::Archive(ArchiveError::Kind)));
    let gone = Server::answering("404 Not Found", "");
    let gone = check(offering(&format!("{}/one.tgz", gone.url), "one", None)).await;
    assert!(matches!(gone, InstallError::Fetch(FetchError::Status(404))));
}

#[tokio::test]
async fn a_download_that_is_too_large_ends_where_it_is() {
    let server = Server::answering("200 OK", [0; 1_001]);
    let mut file = tempfile::tempfile().unwrap();
    let url = server.url.clone();
    let fetched = spawn_blocking(move || fetch::download(&url, &mut file, 1_000)).await.unwrap();
    assert!(matches!(fetched, Err(FetchError::TooLarge(1_000))));
}

#[tokio::test]
async fn who_cannot_be_installed_is_told_why() {
    let machine = Machine::new();
    machine.write_cache(&document("one").to_string(), Duration::ZERO);
    let catalog = machine.offline();
    let packaged = catalog.install("one").await.unwrap_err().to_string();
    assert!(packaged.ends_with("; it is started through npx or uvx, which fetch it"), "{packaged}");
    assert_eq!(
        catalog.install("nobody").await.unwrap_err().to_string(),
        "the registry knows no agent nobody; it knows one"
    );
    // The embedded document has no archives: that the newest could not be had is what a person has to know.
    let error = Machine::new().offline().install("goose").await.unwrap_err();
    assert!(matches!(error, InstallError::Fetch(FetchError::Network(_))), "{error}");
}
