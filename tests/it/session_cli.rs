//! Do `openscience session`, `agent` and `completions` show and move what is there?

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::{BINARY, Daemon, Process, Prompt, Serve};

const LIMIT: Duration = Duration::from_secs(20);

/// Runs a command on a data directory; exit code, standard output and standard error.
async fn command(serve: &Serve, data: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let data = data.display().to_string();
    let args: Vec<String> = args.iter().copied().chain(["--data-dir", &data]).map(str::to_owned).collect();
    let (world, env) = (&serve.world, serve.environment());
    let mut process = Process::start(world, Path::new(BINARY), &args, &env, &world.project());
    let code = process.end(LIMIT).await.code();
    (code, process.stdout(), process.stderr())
}

/// The same for a command that must succeed.
async fn output(serve: &Serve, data: &Path, args: &[&str]) -> String {
    let (code, stdout, stderr) = command(serve, data, args).await;
    assert_eq!(code, Some(0), "{args:?}: {stderr}");
    stdout
}

async fn json(serve: &Serve, data: &Path, args: &[&str]) -> Value {
    let args: Vec<&str> = args.iter().copied().chain(["--format", "json"]).collect();
    serde_json::from_str(&output(serve, data, &args).await).expect("one JSON document")
}

/// A daemon with a session that holds a bit of everything.
async fn lived() -> (Daemon, String) {
    let daemon = Serve::new().start().await;
    let body = json!({"title": "A \u{1b}[2K title", "workspace": "project", "mcpServers": [
        {"type": "stdio", "name": "x", "command": "true", "args": [], "env": [{"name": "KEY", "value": "s3cret"}]},
    ]});
    let id = daemon.create(&body).await;
    let session = daemon.session(&id);
    let run = session.prompt(&Prompt::text("say 3\nask make\nplan a | b\nsay 2").key("one")).await;
    let asked = session.permission().await;
    let follow_up = session.prompt(&Prompt::text("think 2\nsay 1").key("two")).await;
    session.reply(asked["id"].as_str().expect("an id"), "once").await.json(200);
    assert_eq!((session.settled(&run).await["state"].as_str(), &follow_up), (Some("completed"), &run));
    session.finish("fail -32603").await;
    (daemon, id)
}

#[tokio::test]
async fn sessions_are_listed_shown_and_deleted_beside_a_daemon() {
    let (daemon, id) = lived().await;
    let (serve, data) = (&daemon.serve, daemon.world().data());
    let other = daemon.create(&json!({"title": "Other"})).await;
    let listed = json(serve, &data, &["session", "list"]).await;
    let ids: Vec<&Value> = listed.as_array().expect("a list").iter().map(|session| &session["id"]).collect();
    assert_eq!(ids, [&other, &id]);
    let text = output(serve, &data, &["session", "list"]).await;
    assert!(text.lines().count() == 2 && text.contains(&id) && !text.contains('\u{1b}'), "{text}");
    assert_eq!(json(serve, &data, &["session", "list", "--all"]).await, listed);

    let shown = json(serve, &data, &["session", "show", &id]).await;
    assert_eq!(shown["messages"], json!(daemon.session(&id).messages().await));
    assert_eq!(shown["runs"], daemon.session(&id).snapshot().await["runs"]);
    let text = output(serve, &data, &["session", "show", &id]).await;
    assert!(
        text.contains("w1 w2 w3") && text.contains("prompt_failed") && !text.contains('\u{1b}'),
        "{text}"
    );

    output(serve, &data, &["session", "delete", &other]).await;
    daemon.get(&format!("/session/{other}")).await.refusal(404, "session_not_found");
    for args in [["session", "show", &other], ["session", "delete", &other], ["session", "export", &other]] {
        let (code, stdout, stderr) = command(serve, &data, &args).await;
        assert_eq!((code, stdout.as_str()), (Some(1), ""), "{args:?}");
        assert!(stderr.contains("does not exist"), "{stderr}");
    }
}

/// Exports the session into a file.
async fn export(serve: &Serve, data: &Path, id: &str) -> PathBuf {
    let file = serve.world.root().join("session.json");
    output(serve, data, &["session", "export", id, "--output", &file.display().to_string()]).await;
    file
}

#[tokio::test]
async fn an_exported_session_lives_on_in_another_data_directory_as_it_was() {
    let (daemon, id) = lived().await;
    let data = daemon.world().data();
    let file = export(&daemon.serve, &data, &id).await;
    let document = std::fs::read_to_string(&file).expect("the document");
    assert!(!document.contains("s3cret"), "secrets of servers stay");
    let there = daemon.session(&id);
    let (messages, events, runs) =
        (there.messages().await, there.events(0).await, there.snapshot().await["runs"].clone());

    let elsewhere = daemon.world().root().join("elsewhere");
    let text = file.display().to_string();
    let imported = json(&daemon.serve, &elsewhere, &["session", "import", &text]).await;
    assert_eq!(imported["id"], json!(id));
    let (code, _, stderr) = command(&daemon.serve, &elsewhere, &["session", "import", &text]).await;
    assert_eq!(code, Some(1));
    assert!(stderr.contains("exists already"), "{stderr}");

    let second = daemon.serve.clone().data(elsewhere).start().await;
    let here = second.session(&id);
    assert_eq!((here.messages().await, here.snapshot().await["runs"].clone()), (messages, runs));
    assert_eq!(here.events(0).await.len(), events.len());
    here.assert_transcript_is_told().await;
    assert_eq!(second.get(&format!("/session/{id}/todo")).await.json(200).as_array().map(Vec::len), Some(2));
    let first = here.prompt(&Prompt::text("say 3\nask make\nplan a | b\nsay 2").key("one")).await;
    assert_eq!(here.run(&first).await["state"], "completed", "the receipt of before, and no second run");
    let follow_up = here.submit(&Prompt::text("think 2\nsay 1").key("two")).await.json(202);
    assert_eq!(follow_up["runID"], json!(first));
    let receipt = here.finish("say 4").await;
    assert_eq!(
        (&receipt["state"], &receipt["contextReset"]),
        (&json!("completed"), &json!(true)),
        "{receipt}"
    );
    here.assert_transcript_is_told().await;
}

#[tokio::test]
async fn an_imported_session_can_have_an_id_of_its_own() {
    let (daemon, id) = lived().await;
    let data = daemon.world().data();
    let file = export(&daemon.serve, &data, &id).await.display().to_string();
    let copy = json(&daemon.serve, &data, &["session", "import", &file, "--new-id"]).await;
    let new = copy["id"].as_str().expect("an id").to_owned();
    assert_ne!(new, id);
    let session = daemon.session(&new);
    session.assert_transcript_is_told().await;
    assert_eq!(session.messages().await.len(), daemon.session(&id).messages().await.len());
    assert!(!json!(session.messages().await).to_string().contains(&id), "nothing names the old one");
    assert_eq!(session.finish("say 1").await["state"], "completed");
    daemon.delete(&format!("/session/{id}")).await.json(200);
    let (code, _, stderr) = command(&daemon.serve, &data, &["session", "import", &file]).await;
    assert_eq!(code, Some(1));
    assert!(stderr.contains("was deleted"), "an id is never used again: {stderr}");
}

#[tokio::test]
async fn a_document_may_tighten_what_its_agent_is_allowed_and_not_loosen_it() {
    let daemon = Serve::new().start().await;
    let (serve, data) = (&daemon.serve, daemon.world().data());
    let rule =
        |category: &str, action: &str| json!({"permission": category, "pattern": "*", "action": action});
    let rules = json!([rule("bash", "allow"), rule("edit", "deny"), rule("webfetch", "ask")]);
    let id = daemon.create(&json!({"permission": rules})).await;
    let file = export(serve, &data, &id).await.display().to_string();
    let copy = json(serve, &data, &["session", "import", &file, "--new-id"]).await;
    assert_eq!(copy["permission"], json!([rule("edit", "deny"), rule("webfetch", "ask")]));
}

#[tokio::test]
async fn a_session_at_work_and_a_document_that_is_none_are_refused_and_change_nothing() {
    let daemon = Serve::new().start().await;
    let (serve, data) = (&daemon.serve, daemon.world().data());
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("hang").await;
    session.running(&run).await;
    let (code, stdout, stderr) = command(serve, &data, &["session", "export", &id]).await;
    assert_eq!((code, stdout.as_str()), (Some(1), ""));
    assert!(stderr.contains("at work"), "{stderr}");
    session.cancel(&run).await.json(200);
    session.settled(&run).await;

    let mut document: Value =
        serde_json::from_str(&output(serve, &data, &["session", "export", &id]).await).expect("JSON");
    let file = serve.world.root().join("damaged.json");
    let check = async |document: String, says: &str| {
        std::fs::write(&file, document).expect("a file");
        let (code, _, stderr) =
            command(serve, &data, &["session", "import", &file.display().to_string(), "--new-id"]).await;
        assert_eq!(code, Some(1));
        assert!(stderr.contains(says) && stderr.lines().count() == 1, "{stderr}");
    };
    check("{".to_owned(), "line 1").await;
    check("{}".to_owned(), "line 1").await;
    document["tables"]["part"][0]["no_such"] = json!(1);
    check(document.to_string(), "table part").await;
    document["tables"]["part"][0].as_object_mut().expect("a row").remove("no_such");
    document["tables"]["part"][0]["id); DROP TABLE part; --"] = json!(1);
    check(document.to_string(), "table part").await;
    for (place, value, table) in [
        ("/session/workspace", json!("zz"), "session"),
        ("/session/meta", json!({"agent": 5}), "session"),
        ("/session/deadline_ms", json!(-1), "session"),
        ("/session/deleted", json!(1), "session"),
        ("/session/latest_sequence", json!(1), "event"),
        ("/session/latest_message", json!(0), "message"),
        ("/tables/run/0/state", json!("zz"), "run"),
        ("/tables/run/0/state", json!("running"), "run"),
        ("/tables/event", json!([]), "event"),
        ("/tables/part/0/body", json!({"type": "zz"}), "part"),
    ] {
        let mut wrong: Value =
            serde_json::from_str(&output(serve, &data, &["session", "export", &id]).await).expect("JSON");
        *wrong.pointer_mut(place).unwrap_or_else(|| panic!("no {place}")) = value;
        check(wrong.to_string(), &format!("table {table}")).await;
    }
    document["schema"] = json!(99);
    check(document.to_string(), "schema 99").await;
    assert_eq!(json(serve, &data, &["session", "list"]).await.as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn agents_are_shown_as_the_daemon_shows_them() {
    let config =
        json!({"agents": {"codex": {"command": "codex-acp", "args": ["-v"], "env": {"KEY": "s3cret"}}}});
    let daemon = Serve::new().config(config).start().await;
    let (serve, data) = (&daemon.serve, daemon.world().data());
    assert_eq!(json(serve, &data, &["agent", "list"]).await, daemon.get("/agent").await.json(200));
    assert_eq!(
        json(serve, &data, &["agent", "show", "simulator"]).await,
        daemon.get("/agent/sim").await.json(200)
    );
    let text = output(serve, &data, &["agent", "show", "codex"]).await;
    assert!(text.contains("codex-acp -v") && text.contains("KEY") && !text.contains("s3cret"), "{text}");
    let (code, _, stderr) = command(serve, &data, &["agent", "show", "nobody"]).await;
    assert_eq!(code, Some(1));
    assert!(stderr.contains("configured: codex, sim"), "{stderr}");
}

#[tokio::test]
async fn every_shell_gets_completions_that_know_the_commands() {
    let serve = Serve::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let mut process = serve.run(&["completions", shell]);
        assert_eq!(process.end(LIMIT).await.code(), Some(0), "{}", process.stderr());
        let script = process.stdout();
        assert!(script.contains("auto-approve") && script.contains("session"), "{shell}: {script}");
    }
    let script = "source <(\"$0\" completions bash); COMP_WORDS=(openscience ru); COMP_CWORD=1; \
                  _openscience openscience ru openscience; echo \"${COMPREPLY[@]}\"";
    let args = ["-c", script, BINARY].map(str::to_owned);
    let mut bash = Process::start(
        &serve.world,
        Path::new("/bin/bash"),
        &args,
        &serve.environment(),
        &serve.world.project(),
    );
    bash.end(LIMIT).await;
    assert_eq!(bash.stdout(), "run\n", "{}", bash.stderr());
}

#[tokio::test]
async fn each_command_explains_itself_with_examples() {
    let serve = Serve::new();
    for (command, example) in [
        (vec!["--help"], "openscience run"),
        (vec!["run", "--help"], "--auto-approve --workspace project"),
        (vec!["session", "--help"], "openscience session export"),
        (vec!["completions", "--help"], "source <("),
    ] {
        let mut process = serve.run(&command);
        assert_eq!(process.end(LIMIT).await.code(), Some(0));
        assert!(process.stdout().contains(example), "{command:?}: {}", process.stdout());
    }
}
