//! What is found with which programs in place.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use tempfile::TempDir;

use super::super::document::Document;
use super::*;

/// A folder of `PATH` and the cache.
struct Machine(TempDir);

impl Machine {
    fn with(programs: &[&str]) -> Self {
        let machine = Self(TempDir::new().unwrap());
        std::fs::create_dir_all(machine.bin()).unwrap();
        for program in programs {
            let path = machine.bin().join(program);
            std::fs::write(&path, "").unwrap();
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
        machine
    }

    fn bin(&self) -> PathBuf {
        self.0.path().join("bin")
    }

    /// The way, the program's name, arguments.
    fn find(&self, entry: &Entry, ways: &[Way]) -> Result<(Way, String, Vec<String>), LaunchError> {
        let path = self.bin().display().to_string();
        let agents = self.0.path().join("agents");
        let here = Here { platform: "linux-x86_64", path: Some(&path), agents: &agents };
        find(entry, ways, here).map(|found| {
            let name = found.command.file_name().unwrap().to_str().unwrap().to_owned();
            assert!(found.command.is_absolute(), "{found:?}");
            (found.way, name, found.args)
        })
    }
}

fn entry(id: &str, distribution: &Value) -> Entry {
    let document = json!({"agents": [{"id": id, "version": "1.0.0", "distribution": distribution}]});
    Document::parse(document.to_string().as_bytes()).unwrap().get(id).unwrap().clone()
}

#[track_caller]
fn check(programs: &[&str], entry: &Entry, way: Way, expected: &str) {
    let (found, program, args) = Machine::with(programs).find(entry, &Way::ALL).unwrap();
    assert_eq!((found, [vec![program], args].concat().join(" ").as_str()), (way, expected));
}

fn embedded(id: &str) -> Entry {
    Document::embedded().get(id).unwrap().clone()
}

#[test]
fn a_package_is_started_as_the_registry_writes_it_with_or_without_a_version() {
    let npx = |package: &str, args: Value| json!({"npx": {"package": package, "args": args}});
    check(&["npx"], &entry("a", &npx("@scope/a", json!([]))), Way::Npx, "npx --yes @scope/a");
    check(
        &["npx"],
        &entry("a", &npx("@scope/a@1.2.3", json!(["--acp"]))),
        Way::Npx,
        "npx --yes @scope/a@1.2.3 --acp",
    );
    check(&["npx"], &entry("a", &npx("a@latest", json!(["x y"]))), Way::Npx, "npx --yes a@latest x y");
    let uvx = json!({"uvx": {"package": "crow-cli==0.1", "args": ["acp"]}});
    check(&["uvx"], &entry("a", &uvx), Way::Uvx, "uvx crow-cli==0.1 acp");
    check(&["npx"], &embedded("gemini"), Way::Npx, "npx --yes @google/gemini-cli --acp");
    check(
        &["npx"],
        &embedded("qwen-code"),
        Way::Npx,
        "npx --yes @qwen-code/qwen-code --acp --experimental-skills",
    );
    check(&["npx"], &embedded("kilo"), Way::Npx, "npx --yes @kilocode/cli acp");
    check(&["npx"], &embedded("claude-acp"), Way::Npx, "npx --yes @agentclientprotocol/claude-agent-acp");
    check(&["uvx"], &embedded("fast-agent"), Way::Uvx, "uvx fast-agent-acp -x");
}

#[test]
fn what_is_on_the_path_is_started_before_anything_is_fetched() {
    let both = ["npx", "uvx"];
    let with = |program| [&both[..], &[program]].concat();
    check(&with("claude-agent-acp"), &embedded("claude-acp"), Way::Path, "claude-agent-acp");
    check(&with("codex-acp"), &embedded("codex-acp"), Way::Path, "codex-acp");
    check(&with("gemini"), &embedded("gemini"), Way::Path, "gemini --acp");
    check(&with("qwen"), &embedded("qwen-code"), Way::Path, "qwen --acp --experimental-skills");
    check(&with("copilot"), &embedded("github-copilot-cli"), Way::Path, "copilot --acp");
    check(&with("opencode"), &embedded("opencode"), Way::Path, "opencode acp");
    check(&with("kilocode"), &embedded("kilo"), Way::Path, "kilocode acp");
    check(&with("pi-acp"), &embedded("pi-acp"), Way::Path, "pi-acp");
    check(&with("cursor-agent"), &embedded("cursor"), Way::Path, "cursor-agent acp");
    check(&with("crow-cli"), &embedded("crow-cli"), Way::Path, "crow-cli acp");
    // A program that only shares the name of the package is not taken for it.
    check(&with("gemini-cli"), &embedded("gemini"), Way::Npx, "npx --yes @google/gemini-cli --acp");
}

#[test]
fn the_path_within_an_archive_is_no_name_of_a_program() {
    let name = |command| program_name(command);
    assert_eq!(name("./dist-package/cursor-agent").as_deref(), Some("cursor-agent"));
    assert_eq!(name("dist-package\\cursor-agent.exe").as_deref(), Some("cursor-agent"));
    assert_eq!(name("goose").as_deref(), Some("goose"));
    assert_eq!((name("bin/"), name(".."), name("")), (None, None, None));
}

#[test]
fn variables_of_a_distribution_come_with_it() {
    let machine = Machine::with(&["npx"]);
    let path = machine.bin().display().to_string();
    let here = Here { platform: "linux-x86_64", path: Some(&path), agents: Path::new("/none") };
    let found = find(&embedded("auggie"), &Way::ALL, here).unwrap();
    assert_eq!(found.env["AUGMENT_DISABLE_AUTO_UPDATE"], "1");
}

#[test]
fn only_the_allowed_ways_are_tried_and_in_their_order() {
    let kilo = embedded("kilo");
    let machine = Machine::with(&["kilo", "npx"]);
    assert_eq!(machine.find(&kilo, &[Way::Npx, Way::Path]).unwrap().0, Way::Npx);
    let machine = Machine::with(&["npx"]);
    let error = machine.find(&kilo, &[Way::Path]).unwrap_err();
    assert!(
        matches!(&error, LaunchError::NotInstalled { looked_for, .. } if looked_for == &["kilo", "kilocode"])
    );
    assert!(matches!(machine.find(&kilo, &[Way::Uvx]), Err(LaunchError::NoWay { .. })));
}

#[test]
fn whoever_cannot_start_it_learns_what_was_looked_for() {
    let machine = Machine::with(&[]);
    let error = machine.find(&embedded("claude-acp"), &Way::ALL).unwrap_err().to_string();
    let bin = machine.bin();
    let expected = format!(
        "agent claude-acp is not installed: looked for claude-agent-acp, npx (searched in {})",
        bin.display()
    );
    assert_eq!(error, expected);
    let elsewhere = entry("far", &json!({"binary": {"windows-x86_64": {"cmd": "far.exe"}}}));
    assert_eq!(
        machine.find(&elsewhere, &Way::ALL).unwrap_err().to_string(),
        "the registry tells no way to start agent far on linux-x86_64 that the configuration allows"
    );
}
