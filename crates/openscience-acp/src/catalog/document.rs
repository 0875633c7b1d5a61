//! What does the registry say of its agents? Reads its document.
//!
//! Leniently: what is not needed may be missing or of another form, and an entry that cannot be used is left
//! out. What would be started is read strictly: half a command line is none. Where the document comes from is
//! not known here.

use std::collections::BTreeMap;

use serde_json::Value;

/// The document that came with this binary: what is known of each agent, without addresses of archives.
const EMBEDDED: &str = include_str!("embedded.json");

/// Longest id and version that count: both become names of folders.
const NAME_CHARS_MAX: usize = 100;

/// Why a text is not a document of the registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    #[error("it is not JSON")]
    Syntax,
    #[error("it lists no agent that can be used")]
    NoAgents,
}

/// Agents by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Document(BTreeMap<String, Entry>);

/// One agent of the registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: String,
    pub name: Option<String>,
    pub version: Option<String>,
    pub description: Option<String>,
    pub(super) distribution: Distribution,
}

/// The ways to get it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Distribution {
    /// By platform, such as `linux-x86_64`.
    pub(super) binary: BTreeMap<String, Target>,
    pub(super) npx: Option<Package>,
    pub(super) uvx: Option<Package>,
}

/// A program for one platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Target {
    /// Where its archive is; the embedded document does not know.
    pub(super) archive: Option<String>,
    /// Path of the program within the archive.
    pub(super) command: String,
    pub(super) run: Run,
    pub(super) sha256: Option<String>,
}

/// A package that npx or uvx starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Package {
    /// Name, with or without a version.
    pub(super) spec: String,
    pub(super) run: Run,
}

/// What a program is started with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) args: Vec<String>,
    pub(super) env: BTreeMap<String, String>,
}

impl Document {
    /// Reads a document; an error if it is of no use at all.
    pub(super) fn parse(text: &[u8]) -> Result<Self, DocumentError> {
        let value: Value = serde_json::from_slice(text).map_err(|_| DocumentError::Syntax)?;
        let listed = value.get("agents").and_then(Value::as_array);
        let mut agents = BTreeMap::new();
        for entry in listed.into_iter().flatten().filter_map(Entry::read) {
            // Of two with the same id the first counts.
            agents.entry(entry.id.clone()).or_insert(entry);
        }
        if agents.is_empty() { Err(DocumentError::NoAgents) } else { Ok(Self(agents)) }
    }

    /// What came with this binary.
    pub(super) fn embedded() -> Self {
        Self::parse(EMBEDDED.as_bytes()).unwrap_or_default()
    }

    pub(super) fn get(&self, id: &str) -> Option<&Entry> {
        self.0.get(id)
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.0.values()
    }
}

impl Entry {
    fn read(value: &Value) -> Option<Self> {
        let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        let id = word("id").filter(|id| is_id(id))?;
        let distribution = Distribution::read(value.get("distribution")?);
        (distribution != Distribution::default()).then(|| Self {
            id,
            name: word("name"),
            version: word("version").filter(|version| is_version(version)),
            description: word("description"),
            distribution,
        })
    }
}

impl Distribution {
    fn read(value: &Value) -> Self {
        let platforms = value.get("binary").and_then(Value::as_object).into_iter().flatten();
        let binary =
            platforms.filter_map(|(platform, target)| Some((platform.clone(), Target::read(target)?)));
        let package = |key: &str| value.get(key).and_then(Package::read);
        Self { binary: binary.collect(), npx: package("npx"), uvx: package("uvx") }
    }
}

impl Target {
    fn read(value: &Value) -> Option<Self> {
        let word = |key: &str| value.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            archive: word("archive"),
            command: word("cmd").filter(|command| !command.trim().is_empty())?,
            run: Run::read(value)?,
            sha256: word("sha256").map(|digest| digest.trim().to_ascii_lowercase()),
        })
    }
}

impl Package {
    fn read(value: &Value) -> Option<Self> {
        let spec = value.get("package")?.as_str()?.trim();
        // One that looks like a flag would be read as one by npx.
        let usable = !spec.is_empty() && !spec.starts_with('-') && !spec.contains(char::is_whitespace);
        let run = Run::read(value)?;
        usable.then(|| Self { spec: spec.to_owned(), run })
    }
}

impl Run {
    /// None if an argument or a variable is not text.
    fn read(value: &Value) -> Option<Self> {
        let args = match value.get("args") {
            None | Some(Value::Null) => Vec::new(),
            Some(args) => {
                args.as_array()?.iter().map(|arg| Some(arg.as_str()?.to_owned())).collect::<Option<_>>()?
            }
        };
        let env = match value.get("env") {
            None | Some(Value::Null) => BTreeMap::new(),
            Some(env) => {
                let pair =
                    |(name, value): (&String, &Value)| Some((name.clone(), value.as_str()?.to_owned()));
                env.as_object()?.iter().map(pair).collect::<Option<_>>()?
            }
        };
        Some(Self { args, env })
    }
}

fn is_id(id: &str) -> bool {
    id.starts_with(|c: char| c.is_ascii_lowercase())
        && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        && id.len() <= NAME_CHARS_MAX
}

/// True if it can name a folder wherever it comes from.
pub(super) fn is_version(version: &str) -> bool {
    version.starts_with(|c: char| c.is_ascii_alphanumeric())
        && version.chars().all(|c| c.is_ascii_alphanumeric() || "._+-".contains(c))
        && version.len() <= NAME_CHARS_MAX
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(value: &Value) -> Result<Document, DocumentError> {
        Document::parse(value.to_string().as_bytes())
    }

    #[test]
    fn a_document_is_read_with_whatever_else_stands_in_it() {
        let document = parse(&json!({
            "version": "1.0.0", "extensions": [1], "generated": {"by": "x"},
            "agents": [
                {
                    "id": "both", "name": "Both", "version": "1.2.3", "description": "Does both.",
                    "authors": "nobody", "icon": 7, "preview": {"version": "2.0.0", "distribution": {}},
                    "distribution": {
                        "binary": {"linux-x86_64": {
                            "archive": "https://a.example/a.tgz", "cmd": "./both", "args": ["acp"],
                            "env": {"K": "v"}, "sha256": " AB ", "size": 1,
                        }},
                        "npx": {"package": "@a/both@1.2.3"},
                        "docker": {"image": "x"},
                    },
                },
                {"id": "least", "distribution": {"uvx": {"package": "least", "args": null, "env": {}}}},
            ],
        }))
        .unwrap();
        let both = document.get("both").unwrap();
        assert_eq!((both.name.as_deref(), both.version.as_deref()), (Some("Both"), Some("1.2.3")));
        let target = &both.distribution.binary["linux-x86_64"];
        assert_eq!(target.command, "./both");
        assert_eq!(
            (target.run.args.as_slice(), target.run.env["K"].as_str()),
            (&["acp".to_owned()][..], "v")
        );
        assert_eq!(target.sha256.as_deref(), Some("ab"));
        assert_eq!(both.distribution.npx.as_ref().unwrap().spec, "@a/both@1.2.3");
        let least = document.get("least").unwrap();
        assert_eq!(
            (&least.version, least.distribution.uvx.as_ref().unwrap().spec.as_str()),
            (&None, "least")
        );
    }

    #[test]
    fn what_cannot_be_used_is_left_out_and_the_rest_stays() {
        let npx = |package: &str| json!({"npx": {"package": package}});
        let entry = |id: &str, distribution: Value| json!({"id": id, "distribution": distribution});
        let document = parse(&json!({"agents": [
            null, 3, {}, {"id": "none"}, entry("empty", json!({})), entry("Upper", npx("a")), entry("../up", npx("a")),
            entry("number", json!({"npx": {"package": 3}})), entry("flag", npx("--call=x")), entry("words", npx("a b")),
            entry("args", json!({"npx": {"package": "a", "args": ["ok", 1]}})),
            entry("env", json!({"uvx": {"package": "a", "env": {"K": 1}}})),
            entry("nocmd", json!({"binary": {"linux-x86_64": {"archive": "https://a.example/a.zip"}}})),
            entry("good", npx("first")), entry("good", npx("second")),
            {"id": "odd", "version": "../../x", "name": 1, "distribution": npx("odd")},
        ]}))
        .unwrap();
        let ids: Vec<&str> = document.entries().map(|entry| entry.id.as_str()).collect();
        assert_eq!(ids, ["good", "odd"]);
        assert_eq!(document.get("good").unwrap().distribution.npx.as_ref().unwrap().spec, "first");
        assert_eq!(document.get("odd").unwrap().version, None);
    }

    #[test]
    fn a_document_of_no_use_is_an_error() {
        assert_eq!(Document::parse(b"<html>"), Err(DocumentError::Syntax));
        assert_eq!(Document::parse(b""), Err(DocumentError::Syntax));
        for value in [json!([]), json!({}), json!({"agents": {}}), json!({"agents": [{"id": "x"}]})] {
            assert_eq!(parse(&value), Err(DocumentError::NoAgents), "{value}");
        }
    }

    #[test]
    fn the_embedded_document_is_whole() {
        let listed: Value = serde_json::from_str(EMBEDDED).unwrap();
        let listed = listed["agents"].as_array().unwrap();
        let document = Document::embedded();
        assert_eq!(document.entries().count(), listed.len(), "an entry cannot be read");
        for entry in document.entries() {
            assert!(entry.name.is_some() && entry.version.is_some(), "{}", entry.id);
        }
        assert!(listed.len() >= 28, "{}", listed.len());
        for (alias, id) in
            [("claude", "claude-acp"), ("codex", "codex-acp"), ("copilot", "github-copilot-cli")]
        {
            assert_eq!(openscience_core::profile::canonical(alias), id);
            assert!(document.get(id).is_some(), "{id}");
        }
    }
}
