//! Does what the documents say really happen?
//!
//! Blocks marked `bash run` are run as one script against a daemon, blocks marked `json config` are given to one, and
//! tables are held against the words of the sources. Prose is for people to check.

use std::path::Path;
use std::time::Duration;

use serde_json::Value;

use crate::support::{BINARY, Daemon, Process, Serve, Transcript, repository};

const BASH: &str = "/bin/bash";

/// Waits, streams and settles of a whole walkthrough on a busy machine.
const WALKTHROUGH: Duration = Duration::from_secs(50);

fn read(path: &str) -> String {
    std::fs::read_to_string(repository().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The content of every code block whose opening line says `mark`.
fn blocks(document: &str, mark: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut open: Option<String> = None;
    for line in document.lines() {
        match &mut open {
            Some(block) if line == "```" => {
                found.push(std::mem::take(block));
                open = None;
            }
            Some(block) => {
                block.push_str(line);
                block.push('\n');
            }
            None if line == format!("```{mark}") => open = Some(String::new()),
            None => {}
        }
    }
    assert!(open.is_none(), "a block does not end");
    found
}

/// Pastes all marked blocks of a document into one bash; what it printed.
async fn walk_through(path: &str) -> String {
    let script = blocks(&read(path), "bash run").concat();
    assert!(script.contains("curl"), "{path} has no blocks to run");
    let daemon = Daemon::start().await;
    let mut env = daemon.serve.environment();
    env.push(("URL".into(), daemon.url.clone()));
    let args = ["-euo", "pipefail", "-c", &script].map(str::to_owned);
    let mut bash =
        Process::start(&daemon.serve.world, Path::new(BASH), &args, &env, &daemon.world().project());
    let status = bash.end(WALKTHROUGH).await;
    let (stdout, stderr) = (bash.stdout(), bash.stderr());
    assert!(status.success(), "{path}: {status}\n{stdout}\n{stderr}");
    assert_eq!(stderr, "", "{path}");
    stdout
}

/// Pastes the marked blocks of a document about commands into one bash that finds ours; what it printed.
async fn type_in(path: &str) -> String {
    let script = blocks(&read(path), "bash run").concat();
    let serve = Serve::new().config(serde_json::json!({"defaultAgent": "sim"}));
    let folder = Path::new(BINARY).parent().expect("a folder").display().to_string();
    let mut env = serve.environment();
    for (_, value) in env.iter_mut().filter(|(key, _)| key == "PATH") {
        *value = format!("{folder}:{value}");
    }
    let args = ["-euo", "pipefail", "-c", &script].map(str::to_owned);
    let mut bash = Process::start(&serve.world, Path::new(BASH), &args, &env, &serve.world.project());
    let status = bash.end(WALKTHROUGH).await;
    assert!(
        status.success() && bash.stderr().is_empty(),
        "{path}: {status}\n{}\n{}",
        bash.stdout(),
        bash.stderr()
    );
    bash.stdout()
}

#[tokio::test]
async fn the_examples_of_automation_work_when_pasted() {
    let output = type_in("docs/automation.md").await;
    let lines: Vec<&str> = output.lines().collect();
    assert_eq!(lines.get(..4), Some(&["w1 w2 w3", "w1 w2", "w1", "1"][..]), "{output}");
    let done =
        objects(&output).into_iter().find(|line| line["type"] == "done").expect("the last line of a run");
    assert_eq!((&done["status"], &done["exitCode"]), (&Value::from("completed"), &Value::from(0)));
    assert_eq!(lines.get(5..), Some(&["exit code 3", "w1 w2 w3 w4"][..]), "{output}");
}

#[tokio::test]
async fn the_examples_of_the_commands_work_when_pasted() {
    let output = type_in("docs/cli.md").await;
    for text in [
        "To be copied",
        "run run_",
        "wrote copied.json",
        "imported ses_",
        "deleted ses_",
        "* sim",
        "built in",
    ] {
        assert!(output.contains(text), "{text}: {output}");
    }
}

#[test]
fn every_type_of_line_and_every_flag_of_run_is_documented() {
    let document = read("docs/automation.md");
    let source = read("crates/openscience/src/cli/run/line.rs");
    let (_, kinds) = source.split_once("fn kind(").expect("the types");
    let (kinds, _) = kinds.split_once("/// What was asked for").expect("their end");
    let kinds = quoted(kinds, |line| line.contains("=> \""));
    assert!(kinds.len() >= 10, "{kinds:?}");
    for kind in kinds {
        assert!(document.contains(&format!("`{kind}`")), "docs/automation.md does not tell of {kind}");
    }
    let source = read("crates/openscience/src/cli/run.rs");
    let (_, args) = source.split_once("struct Args {").expect("the flags");
    let (args, _) = args.split_once("\n}").expect("their end");
    let fields =
        args.lines().filter_map(|line| line.strip_prefix("    ")?.split_once(": ")).map(|(name, _)| name);
    let flags = fields.filter(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
    let flags: Vec<String> = flags.map(|name| name.replace('_', "-")).collect();
    assert!(flags.len() >= 18, "{flags:?}");
    for flag in flags.iter().filter(|flag| !["message", "latest"].contains(&flag.as_str())) {
        assert!(document.contains(&format!("--{flag}")), "docs/automation.md does not tell of --{flag}");
    }
}

/// The numbers of all whole event frames, in the order they were printed.
fn sequences(output: &str) -> Vec<u64> {
    let frames =
        output.lines().filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok());
    frames.map(|event| event["sequence"].as_u64().expect("a sequence")).collect()
}

/// JSON objects that stand on a line of their own.
fn objects(output: &str) -> Vec<Value> {
    output.lines().filter_map(|line| serde_json::from_str(line).ok()).filter(Value::is_object).collect()
}

fn having<'a>(objects: &'a [Value], key: &str) -> Vec<&'a Value> {
    objects.iter().filter(|object| object.get(key).is_some()).collect()
}

#[tokio::test]
async fn the_walkthrough_of_the_readme_works_when_pasted() {
    let output = walk_through("README.md").await;
    let seen = sequences(&output);
    let expected: Vec<u64> = (1..=seen.len() as u64).collect();
    assert!(!seen.is_empty() && seen == expected, "the reconnect loses or repeats: {seen:?}");
    let objects = objects(&output);
    let receipts = having(&objects, "state");
    let states: Vec<&Value> = receipts.iter().map(|receipt| &receipt["state"]).collect();
    let [first, second, asked, last] = states.as_slice() else { panic!("{states:?}") };
    assert_eq!([*first, *second, *last], ["completed", "completed", "cancelled"]);
    assert!(["accepted", "running", "cancelled"].contains(&asked.as_str().expect("a state")), "{asked}");
    let retried =
        objects.iter().find(|object| object.get("acceptedAt").is_some() && object.get("state").is_none());
    assert_eq!(
        retried.expect("the answer to the retry")["runID"],
        receipts.first().expect("a receipt")["runID"]
    );
    assert_eq!(having(&objects, "code").first().expect("a refusal")["code"], "request_conflict");
    assert_eq!(having(&objects, "decidedAt").first().expect("a decision")["status"], "resolved");
    let transcript: Vec<Value> =
        serde_json::from_str(output.lines().next_back().expect("the transcript")).expect("messages");
    // The cancel may come before the agent has its prompt: then there is no third answer.
    assert!((5..=6).contains(&transcript.len()), "{transcript:?}");
    assert!(
        Transcript::text_of(transcript.get(1).expect("an answer")).ends_with("w39 w40"),
        "{transcript:?}"
    );
}

#[tokio::test]
async fn the_walkthrough_of_the_api_works_when_pasted() {
    let output = walk_through("docs/api.md").await;
    let objects = objects(&output);
    let states: Vec<&Value> = having(&objects, "state").iter().map(|receipt| &receipt["state"]).collect();
    assert!(states.contains(&&Value::from("cancelled")), "{states:?}");
    assert_eq!(states.last().expect("receipts"), &"completed", "{states:?}");
    let turns = having(&objects, "turn");
    assert_eq!(turns.last().expect("a follow-up")["turn"]["state"], "completed");
    assert_eq!(having(&objects, "decidedAt").first().expect("a decision")["status"], "resolved");
    assert_eq!(having(&objects, "slug").last().expect("the renamed session")["title"], "Done");
    assert_eq!(output.lines().rev().find(|line| !line.is_empty()), Some("true"), "the session is deleted");
}

#[tokio::test]
async fn every_configuration_in_the_documents_is_accepted_without_a_warning() {
    let documents = ["README.md", "docs/agents.md", "docs/configuration.md", "docs/simulator.md"];
    for path in documents {
        let configurations = blocks(&read(path), "json config");
        assert!(!configurations.is_empty(), "{path} shows none");
        for text in configurations {
            let mut config: Value =
                serde_json::from_str(&text).unwrap_or_else(|error| panic!("{path}: {error}"));
            if let Some(server) = config.get_mut("server").and_then(Value::as_object_mut) {
                // Other tests may hold it.
                server.remove("port");
            }
            let serve = Serve::new();
            let own = serve.world.config().join("openscience.json");
            std::fs::write(own, config.to_string()).expect("the user's file");
            let daemon = serve.start().await;
            let stderr = daemon.process.stderr();
            assert!(!stderr.contains("warning"), "{path}: {stderr}");
            daemon.stop().await;
        }
    }
}

/// The texts between double quotes on lines that `chosen` accepts.
fn quoted(source: &str, chosen: impl Fn(&str) -> bool) -> Vec<String> {
    let lines = source.lines().filter(|line| chosen(line));
    lines.filter_map(|line| line.split('"').nth(1)).map(str::to_owned).collect()
}

#[test]
fn every_error_code_is_explained() {
    let document = read("docs/errors.md");
    let source = read("crates/openscience-protocol/src/codes.rs");
    let codes = quoted(&source, |line| line.trim_start().starts_with("pub const"));
    assert!(codes.len() > 50, "{codes:?}");
    for code in codes {
        assert!(document.contains(&format!("| `{code}` |")), "docs/errors.md does not explain {code}");
    }
}

#[test]
fn every_limit_is_listed_with_its_default() {
    let document = read("docs/configuration.md");
    let source = read("crates/openscience-protocol/src/limits.rs");
    let (_, defaults) = source.split_once("fn default()").expect("the defaults");
    let fields = defaults.lines().filter_map(|line| line.trim().strip_suffix(',')?.split_once(": "));
    let mut found = 0;
    for (field, value) in fields {
        found += 1;
        let row = format!("| `{}` | {}", camel_case(field), with_commas(evaluated(value)));
        let listed =
            document.lines().any(|line| line.strip_prefix(&row).is_some_and(|rest| rest.starts_with(' ')));
        assert!(listed, "docs/configuration.md has no row that starts with {row}");
    }
    assert!(found >= 14, "{found} limits");
}

fn camel_case(field: &str) -> String {
    let mut words = field.split('_');
    let mut name = words.next().unwrap_or_default().to_owned();
    for word in words {
        let (first, rest) = word.split_at(1);
        name.push_str(&first.to_uppercase());
        name.push_str(rest);
    }
    name
}

/// `16 << 20`, `60_000`.
fn evaluated(value: &str) -> u64 {
    let number = |text: &str| text.trim().replace('_', "").parse::<u64>().expect("a number");
    match value.split_once("<<") {
        Some((value, shift)) => number(value) << number(shift),
        None => number(value),
    }
}

fn with_commas(number: u64) -> String {
    let digits = number.to_string();
    let places = digits.len();
    let with_comma = |(index, digit): (usize, char)| {
        let comma = index > 0 && (places - index).is_multiple_of(3);
        [comma.then_some(','), Some(digit)]
    };
    digits.chars().enumerate().flat_map(with_comma).flatten().collect()
}

#[test]
fn every_event_that_is_told_is_in_the_table_and_no_other() {
    let document = read("docs/api.md");
    let (_, table) = document.split_once("| type | kind | properties |").expect("the table of events");
    let listed: Vec<&str> =
        table.lines().filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect();
    let source = read("crates/openscience-protocol/src/event.rs");
    let is_type = |line: &str| line.contains('"') && line.contains('.') && !line.contains("serde");
    let (_, types) = source.split_once("pub fn event_type").expect("the types");
    let (types, _) = types.split_once("pub fn kind").expect("their end");
    let mut types = quoted(types, is_type);
    types.sort();
    let mut listed: Vec<String> = listed.into_iter().map(str::to_owned).collect();
    listed.sort();
    assert_eq!(listed, types);
}

#[tokio::test]
async fn the_directives_of_the_simulator_are_those_its_help_shows() {
    let mut process = Serve::new().run(&["agent", "sim", "--help"]);
    assert!(process.end(Duration::from_secs(10)).await.success());
    let help = process.stdout();
    let documented = blocks(&read("docs/simulator.md"), "text").concat();
    assert!(documented.lines().count() > 30 && help.contains(&documented), "the help says:\n{help}");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let documents = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
        "docs/agents.md",
        "docs/api.md",
        "docs/automation.md",
        "docs/cli.md",
        "docs/artifacts.md",
        "docs/configuration.md",
        "docs/errors.md",
        "docs/operations.md",
        "docs/python.md",
        "docs/simulator.md",
        "sdk-python/README.md",
        "docs/typescript.md",
        "docs/adr/README.md",
        "sdk-typescript/README.md",
        "tooling/harbor/README.md",
    ];
    for path in documents {
        let text = read(path);
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.starts_with("http") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((target, ""));
            let folder = Path::new(path).parent().expect("a folder");
            let linked =
                if file.is_empty() { path.to_owned() } else { folder.join(file).display().to_string() };
            assert!(repository().join(&linked).exists(), "{path}: {target}");
            let known = heading.is_empty() || headings(&read(&linked)).any(|name| name == heading);
            assert!(known, "{path}: {target} has no such heading");
        }
    }
}

/// The names by which the headings of a document are linked.
fn headings(document: &str) -> impl Iterator<Item = String> + '_ {
    let lines = document.lines().filter(|line| line.starts_with('#'));
    lines.map(|line| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|c| c.is_alphanumeric() || *c == ' ' || *c == '-' || *c == '_');
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    })
}
