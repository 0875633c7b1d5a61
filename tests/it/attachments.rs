//! Does an agent get the files that a prompt brings, and are they kept once and safely?
//!
//! How single files are shown is decided by tables in `openscience-files`; here is what really arrives.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::Digest as _;

use crate::support::{Daemon, Prompt, Serve, Session, encode, eventually, repository, scripted};

const MIB: usize = 1 << 20;

impl Daemon {
    /// Hands over a file.
    async fn upload(&self, query: &str, bytes: Vec<u8>) -> Value {
        let request = self.request(Method::POST, &format!("/file/upload?{query}")).body(bytes);
        self.send(request).await.json(200)
    }

    async fn put_piece(&self, upload: &Value, offset: usize, bytes: Vec<u8>) -> Value {
        let path = format!("/file/upload/{}?offset={offset}", upload["id"].as_str().expect("an id"));
        self.send(self.request(Method::PUT, &path).body(bytes)).await.json(200)
    }

    /// Folders of bytes that are kept.
    fn blobs(&self) -> usize {
        let folder = self.world().data().join("uploads/blobs");
        std::fs::read_dir(folder).map_or(0, Iterator::count)
    }
}

fn parts(parts: &Value) -> Prompt {
    Prompt(json!({"effort": "normal", "parts": parts}))
}

fn file(mime: &str, url: &str) -> Value {
    json!({"type": "file", "mime": mime, "url": url})
}

fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

fn url_of(upload: &Value) -> &str {
    upload["url"].as_str().expect("a url")
}

fn file_url(path: &Path) -> String {
    format!("file://{}", encode(&path.display().to_string()))
}

/// The path of a file URL that an agent was given.
fn path_of(uri: &Value) -> PathBuf {
    let url = reqwest::Url::parse(uri.as_str().expect("a uri")).expect("a URL");
    url.to_file_path().expect("a file URL")
}

/// Prompts the simulator to tell what it was given besides the text.
async fn arrived(session: Session<'_>, mut brought: Vec<Value>) -> Vec<Value> {
    brought.insert(0, text("blocks"));
    let run = session.prompt(&parts(&json!(brought))).await;
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let answer = session.answer(&receipt).await;
    let told = answer.lines().find(|line| line.starts_with('[')).expect("what it was given");
    let mut blocks: Vec<Value> = serde_json::from_str(told).expect("blocks");
    blocks.remove(0);
    blocks
}

fn sha256(bytes: impl AsRef<[u8]>) -> String {
    let digest = sha2::Sha256::digest(bytes);
    digest.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// What the simulator tells of a long text.
fn digest(text: &str) -> Value {
    json!({"bytes": text.len(), "sha256": sha256(text)})
}

fn base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[tokio::test]
async fn an_agent_is_shown_what_a_prompt_brings_and_the_transcript_keeps_references() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let png = std::fs::read(repository().join("tests/fixtures/preview/plot.png")).expect("a picture");
    let picture = daemon.upload("filename=plot.png", png.clone()).await;
    let table = daemon.world().project().join("größe 文 %20.csv");
    std::fs::write(&table, "a,b\n1,2\n3,4\n").expect("a table");
    let data = daemon.world().project().join("counts.h5");
    std::fs::write(&data, b"\x89HDF\r\n\x1a\n....").expect("data");
    let blocks = arrived(
        session,
        vec![
            file("text/plain", "data:text/plain;base64,aGVsbG8="),
            file("image/png", url_of(&picture)),
            file("", &file_url(&table)),
            file("text/csv", &format!("{}?start=2&end=2", file_url(&table))),
            file("", &file_url(&data)),
            file("", &file_url(&daemon.world().project())),
            json!({"type": "image", "mimeType": "image/png", "data": base64(&png)}),
            json!({"type": "audio", "mimeType": "audio/wav", "data": "UklGRg=="}),
            json!({"type": "resource", "uri": "note:1", "text": "a note", "mimeType": "text/markdown"}),
            json!({"type": "json", "value": {"n": 1}}),
            json!({
                "type": "subtask", "prompt": "count", "description": "", "agent": "research",
                "attachments": [{"mime": "text/plain", "url": "data:,with"}],
            }),
        ],
    )
    .await;
    let resource = |block: &Value| (block["resource"]["mimeType"].clone(), block["resource"]["text"].clone());
    let [plain, image, rows, second, link, folder, picture_again, sound, note, value, count, with] =
        blocks.as_slice()
    else {
        panic!("{blocks:?}")
    };
    assert_eq!(resource(plain), (json!("text/plain"), json!("hello")));
    assert_eq!((&image["mimeType"], &image["data"]), (&json!("image/png"), &json!(base64(&png))));
    assert_eq!(resource(rows), (json!("text/csv"), json!("a,b\n1,2\n3,4\n")));
    assert_eq!(path_of(&rows["resource"]["uri"]), table);
    assert_eq!(resource(second), (json!("text/csv"), json!("1,2\n")));
    assert_eq!(
        (&link["type"], &link["mimeType"], &link["size"], path_of(&link["uri"])),
        (&json!("resource_link"), &json!("application/x-hdf5"), &json!(12), data)
    );
    assert_eq!(resource(folder).1, "counts.h5\ngröße 文 %20.csv\n");
    assert_eq!(picture_again["data"], image["data"]);
    assert_eq!((&sound["type"], &sound["data"]), (&json!("audio"), &json!("UklGRg==")));
    assert_eq!(resource(note), (json!("text/markdown"), json!("a note")));
    assert_eq!(note["resource"]["uri"], "note:1");
    assert_eq!(resource(value), (json!("application/json"), json!("{\n  \"n\": 1\n}")));
    assert_eq!((&count["text"], resource(with).1), (&json!("count"), json!("with")));

    let messages = session.messages().await;
    let stored = json!(messages.first().expect("a prompt")["parts"]).to_string();
    assert!(!stored.contains("base64") && !stored.contains("aGVsbG8"), "{stored}");
    let second = &messages[0]["parts"][2];
    assert_eq!((&second["url"], &second["size"]), (&picture["url"], &json!(png.len())));
    session.assert_transcript_is_told().await;
}

/// F085: the same 16 MB in three prompts.
#[tokio::test]
async fn the_same_large_file_in_three_prompts_is_on_disk_once_and_small_everywhere_else() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let mut pdf = b"%PDF-1.7\n".to_vec();
    pdf.resize(16 * MIB, b'x');
    for _ in 0..3 {
        let upload = daemon.upload("filename=paper.pdf", pdf.clone()).await;
        let blocks = arrived(session, vec![file("application/pdf", url_of(&upload))]).await;
        let [link] = blocks.as_slice() else { panic!("{blocks:?}") };
        assert_eq!(
            (&link["type"], &link["name"], &link["size"]),
            (&json!("resource_link"), &json!("paper.pdf"), &json!(16 * MIB))
        );
        let path = path_of(&link["uri"]);
        assert_eq!(path.extension().and_then(|ending| ending.to_str()), Some("pdf"));
        assert!(std::fs::read(path).expect("readable for the agent's own tools") == pdf);
    }
    assert_eq!(daemon.blobs(), 1);
    let parts = std::fs::read_dir(daemon.world().data().join("uploads")).expect("uploads");
    let large =
        parts.filter_map(|entry| Some(entry.ok()?.metadata().ok()?.len())).filter(|size| *size > 4_096);
    assert_eq!(large.count(), 0, "nothing large beside the one");
    for message in session.messages().await {
        assert!(message.to_string().len() < 4_096, "{message}");
    }
    for event in session.events(0).await {
        assert!(event.properties.to_string().len() < 4_096, "{}", event.properties);
    }
    assert!(session.snapshot().await.to_string().len() < 100 << 10);
}

/// F083: just under, at and over each limit; all that is under arrives intact.
#[tokio::test]
async fn what_is_within_a_limit_arrives_intact_and_what_is_not_is_linked_or_refused_at_once() {
    let serve = Serve::new().config(json!({"limits": {"maxUploadBytes": 6 * MIB}}));
    let daemon = serve.start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for (size, shown) in [(MIB - 1, true), (MIB, true), (MIB + 1, false)] {
        let body = "é".repeat(size / 2) + if size % 2 == 1 { "x" } else { "" };
        let upload = daemon.upload("filename=a.txt", body.clone().into_bytes()).await;
        let blocks = arrived(session, vec![file("text/plain", url_of(&upload))]).await;
        let told = &blocks[0]["resource"]["text"];
        assert_eq!(*told, if shown { digest(&body) } else { Value::Null }, "{size}");
        assert_eq!(blocks[0]["type"] == "resource_link", !shown, "{size}");
    }
    let png = std::fs::read(repository().join("tests/fixtures/preview/plot.png")).expect("a picture");
    for (size, shown) in [(5 * MIB, true), (5 * MIB + 1, false)] {
        let mut picture = png.clone();
        picture.resize(size, 0);
        let upload = daemon.upload("filename=a.png", picture.clone()).await;
        let blocks = arrived(session, vec![file("image/png", url_of(&upload))]).await;
        assert_eq!(blocks[0]["data"], if shown { digest(&base64(&picture)) } else { Value::Null }, "{size}");
    }
    let request = daemon.request(Method::POST, "/file/upload").body(vec![b'x'; 6 * MIB + 1]);
    let refused = daemon.send(request).await.refusal(413, "payload_too_large");
    assert_eq!((&refused["limit"], &refused["size"]), (&json!(6 * MIB), &json!(6 * MIB + 1)));
    let large = format!("data:text/plain,{}", "x".repeat(16 * MIB));
    let refused = session.submit(&parts(&json!([file("text/plain", &large)]))).await.refused(413);
    assert!(refused["message"].as_str().expect("a message").contains("/file/upload"), "{refused}");
    assert_eq!(
        session.snapshot().await["runs"].as_array().expect("runs").len(),
        5,
        "no run of what was refused"
    );
}

#[tokio::test]
async fn an_agent_that_can_take_less_is_told_where_the_files_are() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &["--takes", ""]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let png = std::fs::read(repository().join("tests/fixtures/preview/plot.png")).expect("a picture");
    let brought = json!([
        text("text hi"),
        {"type": "image", "mimeType": "image/png", "data": base64(&png), "filename": "a.png"},
        file("text/plain", "data:,words"),
        file("", &file_url(&daemon.world().project())),
    ]);
    let run = session.prompt(&parts(&brought)).await;
    assert_eq!(session.settled(&run).await["state"], "completed");
    let prompts = log.received("session/prompt");
    let blocks = prompts.last().expect("a prompt")["params"]["prompt"].as_array().expect("blocks").clone();
    let kinds: Vec<&Value> = blocks.iter().map(|block| &block["type"]).collect();
    assert_eq!(kinds, ["text", "resource_link", "resource_link", "resource_link"]);
    assert_eq!(std::fs::read(path_of(&blocks[1]["uri"])).expect("the picture"), png);
    assert_eq!(blocks[1]["name"], "a.png");
    assert_eq!(blocks[3]["mimeType"], "inode/directory");
}

#[tokio::test]
async fn a_conversation_is_frozen_when_the_prompt_is_admitted() {
    let daemon = Daemon::start().await;
    let other = daemon.create(&json!({"workspace": "project", "title": "Earlier"})).await;
    let source = daemon.session(&other);
    source.finish("first").await;
    let until = source.messages().await[0]["info"]["id"].clone();
    source.finish("second").await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let whole = json!({"type": "conversation", "sourceSessionID": other});
    let part = json!({
        "type": "conversation", "sourceSessionID": other, "throughMessageID": until, "label": "The beginning",
    });
    let blocks = arrived(session, vec![whole, part]).await;
    let told = |block: &Value| block["resource"]["text"].as_str().expect("text").to_owned();
    assert_eq!(
        told(&blocks[0]),
        "User: first\n\nAssistant: You said: first\n\nUser: second\n\nAssistant: You said: second"
    );
    assert_eq!(told(&blocks[1]), "User: first");
    assert_eq!(blocks[0]["resource"]["mimeType"], "text/markdown");
    daemon.delete(&format!("/session/{other}")).await.json(200);
    let stored = session.messages().await[0]["parts"].clone();
    assert_eq!((&stored[1]["label"], &stored[2]["label"]), (&json!("Earlier"), &json!("The beginning")));
    assert_eq!(stored[2]["throughMessageID"], until);
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn a_file_that_is_gone_or_swapped_before_it_is_sent_fails_the_run_and_the_next_goes_on() {
    let serve = Serve::new();
    let (config, _log) = scripted(&serve.world, &["--slow", "700"]);
    let daemon = serve.config(config).start().await;
    let project = daemon.world().project();
    let secret = daemon.world().folder("elsewhere").join("secret.txt");
    std::fs::write(&secret, "secret").expect("a file");
    let path = project.join("a.txt");
    for swap in [false, true] {
        let id = daemon.new_session().await;
        let session = daemon.session(&id);
        std::fs::write(&path, "words").expect("a file");
        let run =
            session.prompt(&parts(&json!([text("text hi"), file("text/plain", &file_url(&path))]))).await;
        std::fs::remove_file(&path).expect("it is there");
        if swap {
            std::os::unix::fs::symlink(&secret, &path).expect("a link");
        }
        let receipt = session.settled(&run).await;
        let error = &receipt["error"];
        assert_eq!(
            (&receipt["state"], &error["code"], &error["stage"]),
            (&json!("failed"), &json!("attachment_unreadable"), &json!("prompt")),
            "{receipt}"
        );
        assert_eq!(error["message"], "a.txt is gone or cannot be read any more");
        assert_eq!(session.finish("text on").await["state"], "completed");
        if swap {
            std::fs::remove_file(&path).expect("the link");
        }
        daemon.kill_agents().await;
    }
}

#[tokio::test]
async fn follow_ups_bring_files_of_their_own() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 40 20").await;
    session.running(&run).await;
    for name in ["one", "two"] {
        let brought = json!([text("blocks"), file("text/plain", &format!("data:,{name}"))]);
        let joined = session.submit(&parts(&brought)).await.json(202);
        assert_eq!(joined["runID"], run.as_str());
    }
    let receipt = session.settled(&run).await;
    let answer = session.answer(&receipt).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let place = |word: &str| answer.find(&format!("\"text\":\"{word}\"")).expect("both were sent");
    assert!(place("one") < place("two"), "{answer}");
}

#[tokio::test]
async fn an_upload_goes_on_after_a_crash_and_is_thrown_away_when_nobody_uses_it() {
    let serve = Serve::new().config(json!({"limits": {"uploadKeepMs": 1}}));
    let daemon = serve.start().await;
    let id = daemon.new_session().await;
    let used = daemon.upload("filename=used.txt", b"used".to_vec()).await;
    let run = daemon.session(&id).prompt(&parts(&json!([file("text/plain", url_of(&used))]))).await;
    assert_eq!(daemon.session(&id).settled(&run).await["state"], "completed");
    let bytes: Vec<u8> = (0..3 * MIB).map(|n| u8::try_from(n % 251).expect("small")).collect();
    let half = daemon.upload(&format!("filename=a.bin&size={}", bytes.len()), bytes[..MIB].to_vec()).await;
    let left = daemon.crash().await;

    // Long enough to keep what is on its way.
    let daemon = left.config(json!({"limits": {"uploadKeepMs": 600_000}})).start().await;
    let path = format!("/file/upload/{}", half["id"].as_str().expect("an id"));
    assert_eq!(daemon.get(&path).await.json(200)["offset"], MIB);
    let more = daemon.put_piece(&half, MIB, bytes[MIB..2 * MIB].to_vec()).await;
    assert_eq!((more["offset"].as_u64(), more.get("sha256")), (Some(2 * MIB as u64), None));
    let whole = daemon.put_piece(&half, 2 * MIB, bytes[2 * MIB..].to_vec()).await;
    assert_eq!(whole["sha256"], sha256(&bytes));
    let (_, left) = daemon.stop().await;

    let daemon = left.config(json!({"limits": {"uploadKeepMs": 1}})).start().await;
    eventually("what nobody uses is thrown away", async || {
        (daemon.get(&path).await.status == 404).then_some(())
    })
    .await;
    let kept = daemon.get("/file/upload").await.json(200);
    assert_eq!((kept.as_array().map(Vec::len), &kept[0]["id"]), (Some(1), &used["id"]));
    assert_eq!(daemon.blobs(), 1);
    daemon.delete(&format!("/session/{id}")).await.json(200);
    let (_, left) = daemon.stop().await;
    let daemon = left.start().await;
    eventually("with the session its files go", async || (daemon.blobs() == 0).then_some(())).await;
}

#[tokio::test]
async fn a_body_that_is_cut_off_keeps_what_came() {
    let daemon = Daemon::start().await;
    let head =
        "POST /file/upload?filename=a.txt HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhello";
    {
        let address = ("127.0.0.1", daemon.port());
        let mut socket = std::net::TcpStream::connect(address).expect("a connection");
        socket.write_all(head.as_bytes()).expect("written");
        eventually("it has begun", async || {
            let uploads = daemon.get("/file/upload").await.json(200);
            (uploads.as_array().map(Vec::len) == Some(1)).then_some(())
        })
        .await;
    }
    let upload = eventually("what came is kept", async || {
        let uploads = daemon.get("/file/upload").await.json(200);
        (uploads[0]["offset"] == 5).then(|| uploads[0].clone())
    })
    .await;
    assert_eq!(upload.get("sha256"), None, "it is not whole");
    let id = daemon.new_session().await;
    let prompt = parts(&json!([file("text/plain", url_of(&upload))]));
    daemon.session(&id).submit(&prompt).await.refusal(400, "upload_incomplete");
    let whole = daemon.put_piece(&upload, 5, b" world".to_vec()).await;
    assert_eq!((whole["size"].as_u64(), whole["sha256"].is_string()), (Some(11), true));
}
