//! What does an agent see of the tool, spoken to as MCP?

use std::time::Duration;

use openscience_protocol::ArtifactRunId;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf, split,
};

use super::*;

/// A client that has said hello.
struct Client {
    dir: TempDir,
    files: SessionFiles,
    read: BufReader<ReadHalf<DuplexStream>>,
    write: WriteHalf<DuplexStream>,
    next: u64,
}

impl Client {
    async fn new(limits: Limits) -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        let settings = ArtifactSettings {
            folder: dir.path().join("artifacts"),
            project: "prj_p".to_owned(),
            session: "ses_s".parse().unwrap(),
            roots: vec![dir.path().join("work")],
            // Whatever room the disk has.
            limits: Limits { disk_reserve_bytes: 1, ..limits },
        };
        let server = Artifacts::new(&settings).unwrap();
        let files = server.files.clone();
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        tokio::spawn(async move {
            if let Ok(service) = server.serve(theirs).await {
                drop(service.waiting().await);
            }
        });
        let (read, write) = split(ours);
        let mut client = Self { dir, files, read: BufReader::new(read), write, next: 0 };
        let hello = json!({
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "t", "version": "0" },
        });
        let told = client.ask("initialize", hello).await;
        assert_eq!(told["serverInfo"]["name"], "open-science-artifacts");
        client.send(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        client
    }

    async fn send(&mut self, message: Value) {
        self.write.write_all(format!("{message}\n").as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        loop {
            let mut line = String::new();
            assert!(self.read.read_line(&mut line).await.unwrap() > 0, "the server ended");
            let message: Value = serde_json::from_str(&line).unwrap();
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    }

    /// The text of a call and whether it is an error.
    async fn call(&mut self, arguments: Value) -> (String, bool) {
        let told =
            self.ask("tools/call", json!({ "name": "write_artifact_file", "arguments": arguments })).await;
        (told["content"][0]["text"].as_str().unwrap_or_default().to_owned(), told["isError"] == true)
    }

    fn begin(&self, number: u32) -> ArtifactRunId {
        let run = ArtifactRunId::new(1_700_000_000_000, number);
        self.files.activate(&run).unwrap();
        run
    }
}

#[tokio::test]
async fn one_tool_is_offered_with_what_it_takes() {
    let mut client = Client::new(Limits::default()).await;
    let told = client.ask("tools/list", json!({})).await;
    let tools = told["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 1);
    assert_eq!(tools[0]["name"], "write_artifact_file");
    let schema = &tools[0]["inputSchema"];
    assert_eq!(schema["required"], json!(["filename"]));
    let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["filename", "mimeType", "source"]);
    assert!(schema.to_string().contains("localPath") && schema.to_string().contains("base64"));
}

#[tokio::test]
async fn every_way_to_say_where_the_bytes_are_is_understood_and_no_path_is_told() {
    let mut client = Client::new(Limits::default()).await;
    let work = client.dir.path().join("work");
    std::fs::write(work.join("table.csv"), "a,b\n").unwrap();
    let run = client.begin(1);
    for arguments in [
        json!({ "filename": "n.md", "source": { "kind": "inline", "content": "# N" } }),
        json!({ "filename": "b.bin", "source": { "kind": "inline", "content": "AAE=", "encoding": "base64" } }),
        json!({ "filename": "t.csv", "mimeType": "text/csv", "source": { "kind": "localPath", "path": "table.csv" } }),
        json!({ "filename": "p.csv", "source": { "kind": "localPath", "path": work.join("table.csv") } }),
        json!({ "filename": "s.md", "source": "{\"kind\":\"inline\",\"content\":\"text\"}" }),
        json!({ "filename": "old.txt", "content": "legacy" }),
        json!({ "filename": "old.bin", "content": "AAE=", "encoding": "base64" }),
        json!({ "filename": "table.csv" }),
    ] {
        let (text, is_error) = client.call(arguments.clone()).await;
        assert!(!is_error, "{arguments}: {text}");
        let receipt: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(receipt["artifact"]["filename"], arguments["filename"]);
        assert!(receipt["artifact"]["artifact_id"].as_str().unwrap().starts_with("art_"));
        assert!(receipt["artifact"]["version_id"].as_str().unwrap().starts_with("ver_"));
        assert!(!text.contains(client.dir.path().to_str().unwrap()), "{text}");
    }
    let files = client.files.close(&run, Duration::from_secs(5)).unwrap().files;
    assert_eq!(files.len(), 8);
    assert_eq!(files[2].mime_type.as_deref(), Some("text/csv"));
    assert_eq!(files[0].mime_type.as_deref(), Some("text/markdown"), "told from the name");
}

#[tokio::test]
async fn what_cannot_be_saved_is_told_in_words_the_agent_can_act_on() {
    let mut client = Client::new(Limits { artifact_inline_bytes: 10, ..Limits::default() }).await;
    let inline = |name: &str, content: &str| json!({ "filename": name, "source": { "kind": "inline", "content": content } });
    let (text, is_error) = client.call(inline("a", "x")).await;
    assert!(is_error && text.starts_with("no artifact run is active"), "{text}");
    client.begin(1);
    for (arguments, told) in [
        (inline("../a", "x"), "the filename must be a plain name without a path"),
        (inline("a", "12345678901"), "the content is too long to be sent inline; at most 10 bytes"),
        (
            json!({ "filename": "a", "source": { "kind": "localPath", "path": "/etc/passwd" } }),
            "Artifact local source path is outside allowed artifact import roots.",
        ),
        (json!({ "filename": "gone.csv" }), "the file does not exist: save it in the workspace first"),
        (json!({ "filename": "a", "source": "nonsense" }), "source must be an object"),
    ] {
        let (text, is_error) = client.call(arguments).await;
        assert!(is_error && text.starts_with(told), "{text}");
        assert!(!text.contains(client.dir.path().to_str().unwrap()), "{text}");
    }
    // The server goes on, and a turn later the same agent saves in the next run.
    let second = client.begin(2);
    assert!(!client.call(inline("a", "x")).await.1);
    let files = client.files.close(&second, Duration::from_secs(5)).unwrap().files;
    assert_eq!(files.len(), 1);
    assert!(client.call(inline("late", "x")).await.1, "the turn is over");
}

#[test]
fn a_project_that_is_no_name_is_refused_at_the_start() {
    let dir = tempfile::tempdir().unwrap();
    let settings = ArtifactSettings {
        folder: dir.path().to_owned(),
        project: "../x".to_owned(),
        session: "ses_s".parse().unwrap(),
        roots: Vec::new(),
        limits: Limits::default(),
    };
    assert!(matches!(Artifacts::new(&settings), Err(ArtifactServerError::Project)));
}
