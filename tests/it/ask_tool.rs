//! Can an agent that knows only MCP ask a person something, and nothing more than that?

use std::os::unix::fs::PermissionsExt as _;

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Daemon, Log, Serve, Session, eventually, kill, scripted};

const ASK: &str = r#"mcp openscience-questions ask_question {"questions":[{"question":"Which colour?","header":"Colour","options":[{"label":"red","description":"like blood"},{"label":"blue"}]}]}"#;

async fn start(serve: Serve) -> (Daemon, Log) {
    let (config, log) = scripted(&serve.world, &[]);
    (serve.config(config).start().await, log)
}

/// Prompts for the tool; the run and the question.
async fn asked(session: Session<'_>) -> (String, Value) {
    let run = session.say(ASK).await;
    (run, session.question().await)
}

/// What the agent was told by the tool.
async fn told(session: Session<'_>, run: &str) -> String {
    let receipt = session.settled(run).await;
    session.answer(&receipt).await
}

/// The servers that agents have started.
fn servers(daemon: &Daemon) -> Vec<i32> {
    let asks = |pid: &i32| {
        let line = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        line.split(|byte| *byte == 0).any(|word| word == b"questions")
    };
    daemon.agents().into_iter().filter(asks).collect()
}

#[tokio::test]
async fn a_tool_call_is_a_question_and_its_answer_the_tools() {
    let (daemon, log) = start(Serve::new()).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let (run, asked) = asked(session).await;
    assert_eq!(
        asked["questions"],
        json!([{"question": "Which colour?", "header": "Colour", "options": [
            {"label": "red", "description": "like blood"}, {"label": "blue", "description": ""},
        ]}])
    );
    let receipt = session.tell(&asked, &json!([["blue"]])).await.json(200);
    assert_eq!(receipt["status"], "resolved", "the server said that it has it");
    assert_eq!(told(session, &run).await, "Which colour?\nblue");
    let entries = log.entries();
    let result = entries.iter().find(|entry| entry["result"].is_object() && entry["progress"].is_number());
    let result = result.expect("a result");
    assert_eq!(result["result"]["structuredContent"], json!({"answers": [["blue"]]}));
    assert!(
        result["progress"].as_u64() >= Some(1),
        "the client is told that somebody is waited for: {result}"
    );
    let listed = entries.iter().find_map(|entry| entry["tools"].as_array()).expect("the tools");
    let [tool] = listed.as_slice() else { panic!("one tool: {listed:?}") };
    assert_eq!(
        (&tool["name"], &tool["inputSchema"]["required"]),
        (&json!("ask_question"), &json!(["questions"]))
    );

    // Once more in the same conversation: a person may dismiss it, and an empty list is nothing to ask.
    let (run, asked) = self::asked(session).await;
    session.dismiss(&asked).await.json(200);
    assert!(told(session, &run).await.starts_with("Nobody answers this."));
    let run = session.say("mcp openscience-questions ask_question {\"questions\":[]}").await;
    let reason = "failed: The questions cannot be asked: the questions are too many or too long.";
    assert_eq!(told(session, &run).await, reason);
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn whoever_leaves_takes_the_question_back() {
    let (daemon, _log) = start(Serve::new()).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let closed = async |asked: &Value, reasons: &[&str]| {
        let closing = eventually("the question is closed", async || {
            let events = session.events(0).await;
            events
                .into_iter()
                .rfind(|event| event.is("question.cancelled") && event.properties["requestID"] == asked["id"])
        })
        .await;
        assert!(reasons.iter().any(|reason| closing.properties["reason"] == *reason), "{closing:?}");
        session.tell(asked, &json!([["red"]])).await.refusal(409, "decision_expired");
    };
    let (run, asked) = asked(session).await;
    servers(&daemon).into_iter().for_each(kill);
    assert_eq!(told(session, &run).await, "the server has gone");
    closed(&asked, &["withdrawn"]).await;

    let (run, asked) = self::asked(session).await;
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    closed(&asked, &["cancelled"]).await;

    let (run, asked) = self::asked(session).await;
    let server = servers(&daemon);
    daemon.agents().into_iter().filter(|pid| !server.contains(pid)).for_each(kill);
    assert_eq!(session.settled(&run).await["error"]["code"], "agent_exited");
    // Its server leaves with it, and either may be heard of first.
    closed(&asked, &["agent_exited", "withdrawn"]).await;

    // An agent that was started again asks as before.
    let (run, asked) = self::asked(session).await;
    session.tell(&asked, &json!([["red"]])).await.json(200);
    assert_eq!(told(session, &run).await, "Which colour?\nred");
}

#[tokio::test]
async fn the_pass_of_a_session_asks_for_that_session_and_opens_nothing_else() {
    let (daemon, log) = start(Serve::new().token("the-token")).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let (run, asked) = asked(session).await;
    let environment =
        log.entries().into_iter().find_map(|entry| entry.get("env").cloned()).expect("an environment");
    assert!(!environment.to_string().contains("the-token"), "our token reaches no child");
    let word = |name: &str| environment[name].as_str().expect("a variable").to_owned();
    let (socket, pass) = (word("OPENSCIENCE_QUESTIONS_SOCKET"), word("OPENSCIENCE_QUESTIONS_PASS"));
    let mode = std::fs::metadata(&socket).expect("a socket").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let client = reqwest::Client::new();
    let request = client.request(Method::GET, format!("{}/question", daemon.url)).bearer_auth(&pass);
    daemon.send(request).await.refused(401);

    // A pass that was made up, and one of the daemon before, ask nothing.
    let ask = async |pass: &str| {
        let line = json!({"pass": pass, "questions": asked["questions"]});
        let stream = tokio::net::UnixStream::connect(&socket).await.expect("a listener");
        say(stream, &line).await
    };
    let refused = json!({"outcome": "refused"});
    assert_eq!(ask("ses_x.00").await, refused);
    assert_eq!(ask(&pass.replace(&id, "ses_other")).await, refused);
    assert_eq!(ask("").await, refused);
    assert_eq!(daemon.get("/question").await.json(200), json!([asked]));
    session.tell(&asked, &json!([["red"]])).await.json(200);
    told(session, &run).await;
    assert_eq!(ask(&pass).await, json!({"outcome": "cancelled"}), "nobody is asked for a session at rest");

    let (status, serve) = daemon.stop().await;
    assert!(status.success() && !std::path::Path::new(&socket).exists());
    let daemon = serve.start().await;
    let (_, again) = self::asked(daemon.session(&id)).await;
    assert_ne!(again["id"], asked["id"]);
}

/// One line to the daemon, and its answer.
async fn say(mut stream: tokio::net::UnixStream, line: &Value) -> Value {
    use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};
    stream.write_all(format!("{line}\n").as_bytes()).await.expect("a written line");
    let mut answer = String::new();
    BufReader::new(&mut stream).read_line(&mut answer).await.expect("an answer");
    serde_json::from_str(&answer).expect("JSON")
}

#[tokio::test]
async fn servers_of_the_same_names_stand_in_the_place_of_ours() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let own = json!([
        {"name": "openscience-questions", "command": "/bin/true", "args": [], "env": []},
        {"name": "open-science-artifacts", "command": "/bin/true", "args": [], "env": []},
    ]);
    let id = daemon.create(&json!({"workspace": "project", "mcpServers": own})).await;
    daemon.session(&id).finish("text 1").await;
    let opened = log.received("session/new");
    assert_eq!(opened.first().map(|message| &message["params"]["mcpServers"]), Some(&own));
}
