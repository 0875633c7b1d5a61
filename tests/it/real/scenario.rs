//! What must hold with every real agent?

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::agent::Real;
use crate::support::{
    Event, Lines, Prompt, Session, encode, eventually, kill as kill_process, python, repository,
};

/// A shell call that every agent must ask for.
const WRITE: &str = "TOOL shell {\"command\":\"echo hi > f.txt\",\"description\":\"write it\"}";

/// The scripted model's answer to `SAY n`.
fn words(count: usize) -> String {
    (1..=count).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ")
}

pub(super) async fn stream(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let receipt = session.finish("SAY 2000").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    // An agent may say something of its own before; codex warns of a model it does not know.
    let text = session.answer(&receipt).await;
    assert!(text.ends_with(&words(2_000)), "{} bytes: …{}", text.len(), tail(&text));
    session.assert_transcript_is_told().await;
    let again = session.finish("SAY 30").await;
    assert!(session.answer(&again).await.ends_with(&words(30)));
}

fn tail(text: &str) -> String {
    text.chars().rev().take(60).collect::<Vec<_>>().into_iter().rev().collect()
}

/// Prompts for a command; what is asked about it.
async fn ask(session: Session<'_>) -> (String, String) {
    let run = session.say(WRITE).await;
    let asked = session.permission().await;
    assert_eq!(
        (&asked["permission"], &asked["patterns"]),
        (&json!("bash"), &json!(["echo hi > f.txt", "> f.txt"])),
        "{asked}"
    );
    (run, asked["id"].as_str().expect("an id").to_owned())
}

/// The only tool part of the newest answer.
async fn tool(session: Session<'_>) -> Value {
    let messages = session.messages().await;
    let parts = messages.last().expect("an answer")["parts"].as_array().expect("parts").clone();
    let tools: Vec<&Value> = parts.iter().filter(|part| part["type"] == "tool").collect();
    let [tool] = tools.as_slice() else { panic!("not one call: {parts:?}") };
    (*tool).clone()
}

pub(super) async fn allow(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let (run, asked) = ask(session).await;
    session.reply(&asked, "once").await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let file = std::fs::read_to_string(real.file("f.txt"));
    assert_eq!(file.ok().as_deref(), Some("hi\n"), "written: {}", json!(session.messages().await));
    let tool = tool(session).await;
    assert_eq!(tool["state"]["status"], "completed", "{tool}");
    session.assert_transcript_is_told().await;
}

pub(super) async fn reject_ends_the_turn(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let (run, asked) = ask(session).await;
    session.reply(&asked, "reject").await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("permission_denied")),
        "{receipt}"
    );
    assert!(!real.file("f.txt").exists());
    assert_eq!(session.finish("SAY 3").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

pub(super) async fn reject_goes_on(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let (run, asked) = ask(session).await;
    session.reply(&asked, "reject").await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!((&receipt["state"], &receipt["stopReason"]), (&json!("completed"), &json!("end_turn")));
    assert!(session.answer(&receipt).await.contains("tool done"), "the model was told");
    assert!(!real.file("f.txt").exists());
    let tool = tool(session).await;
    assert_eq!(tool["state"]["status"], "error", "{tool}");
    let events = session.events(0).await;
    let turn = events.iter().rfind(|event| event.is("turn.updated")).expect("the end of the turn");
    assert_eq!(
        (&turn.properties["state"], &turn.properties["error"]["code"]),
        (&json!("completed"), &json!("permission_denied"))
    );
    session.assert_transcript_is_told().await;
}

/// Prompts for a long answer and waits until some of it has come.
async fn speak(session: Session<'_>) -> String {
    let run = session.say("SAY 4000 5").await;
    let mut stream = session.stream(0).await;
    stream.until(|event| growth(event).is_some_and(|delta| delta.contains("w4"))).await;
    run
}

fn growth(event: &Event) -> Option<&str> {
    event.properties["delta"].as_str()
}

pub(super) async fn cancel(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let run = speak(session).await;
    let begin = Instant::now();
    session.cancel(&run).await.json(200);
    let receipt = session.settled(&run).await;
    assert!(begin.elapsed() < Duration::from_secs(5), "took {:?}", begin.elapsed());
    assert_eq!(receipt["state"], "cancelled", "{receipt}");
    assert!(session.answer(&receipt).await.contains("w1 w2 w3"));
    assert_eq!(session.finish("SAY 3").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

pub(super) async fn cancel_while_it_asks(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let (run, asked) = ask(session).await;
    session.cancel(&run).await.json(200);
    assert_eq!(session.settled(&run).await["state"], "cancelled");
    assert_eq!(session.snapshot().await["permissions"], json!([]));
    session.reply(&asked, "once").await.refusal(409, "decision_expired");
    assert!(!real.file("f.txt").exists());
    assert_eq!(session.finish("SAY 3").await["state"], "completed");
}

pub(super) async fn two_sessions(real: Real) {
    let (one, two) = (real.daemon.new_session().await, real.daemon.new_session().await);
    let (one, two) = (real.daemon.session(&one), real.daemon.session(&two));
    let runs = [one.say("SAY 300 2").await, two.say("THINK 20\nSAY 200 3").await];
    let [first, second] = runs;
    let (first, second) = (one.settled(&first).await, two.settled(&second).await);
    assert!(one.answer(&first).await.ends_with(&words(300)), "{first}");
    assert!(two.answer(&second).await.ends_with(&words(200)), "{second}");
    for session in [one, two] {
        let events = session.events(0).await;
        assert!(events.iter().all(|event| event.session_id == session.id()));
        session.assert_transcript_is_told().await;
    }
}

pub(super) async fn kill(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let run = speak(session).await;
    for pid in real.agents() {
        kill_process(pid);
    }
    let receipt = session.settled(&run).await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"]),
        (&json!("failed"), &json!("agent_exited")),
        "{receipt}"
    );
    assert!(session.answer(&receipt).await.contains("w1 w2 w3"), "the text is kept");
    let next = session.finish("SAY 5").await;
    assert_eq!(next["state"], "completed", "{next}");
    let answer = session.answer(&next).await;
    assert!(answer.ends_with(&words(5)), "{next}: {} bytes, …{}", answer.len(), tail(&answer));
    session.assert_transcript_is_told().await;
    assert!(!real.agents().is_empty());
    let (status, (world, model)) = real.stop_daemon().await;
    assert_eq!(status.code(), Some(0));
    eventually("nothing but the model is left", async || {
        world.processes().iter().all(|pid| *pid == model.pid).then_some(())
    })
    .await;
}

pub(super) async fn model_error(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let receipt = session.finish("FAIL 400").await;
    assert_eq!(
        (&receipt["state"], &receipt["error"]["code"], &receipt["error"]["agentCode"]),
        (&json!("failed"), &json!("prompt_failed"), &json!(-32603)),
        "{receipt}"
    );
    assert_eq!(session.finish("SAY 3").await["state"], "completed");
    session.assert_transcript_is_told().await;
}

/// A prompt that comes while the agent answers is answered next; a cancelled turn gives way to it.
pub(super) async fn follow_up(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let run = speak(session).await;
    let joined = session.submit(&Prompt::text("SAY 6")).await.json(202);
    assert_eq!(joined["runID"], run.as_str(), "{joined}");
    let current = session.events(0).await.into_iter().rfind(|event| event.properties["state"] == "active");
    let current = current.expect("an active turn").properties["turnID"].as_str().expect("an id").to_owned();
    real.daemon.post(&format!("/session/{id}/turn/{current}/cancel"), &json!({})).await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert!(session.answer(&receipt).await.ends_with(&words(6)));
    let turns = session.events(0).await;
    let ends: Vec<&Value> = turns
        .iter()
        .filter(|event| event.is("turn.updated"))
        .map(|event| &event.properties["state"])
        .filter(|state| ["completed", "cancelled", "failed"].iter().any(|end| state == end))
        .collect();
    assert_eq!(ends, ["cancelled", "completed"]);
    session.assert_transcript_is_told().await;
}

/// What is said with a rejection is answered, whatever the agent makes of the rejection itself.
pub(super) async fn reject_saying(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let (run, asked) = ask(session).await;
    let body = json!({
        "kind": "permission", "sessionID": id, "requestID": asked, "reply": "reject", "message": "SAY 4",
    });
    real.daemon.post("/runtime/decision", &body).await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert!(session.answer(&receipt).await.ends_with(&words(4)), "{receipt}");
    assert!(!real.file("f.txt").exists());
    session.assert_transcript_is_told().await;
}

/// A daemon that was stopped and started takes the conversation up where it was, and stores it once.
pub(super) async fn reopen(real: Real) {
    let id = real.daemon.new_session().await;
    let first = real.daemon.session(&id).finish("SAY 3 bluebird").await;
    assert_eq!(first["state"], "completed", "{first}");
    let real = real.restart().await;
    let session = real.daemon.session(&id);
    let receipt = session.finish("RECALL bluebird").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let events = session.events(0).await;
    let reset = events.iter().find(|event| event.is("agent.reset"));
    assert!(session.answer(&receipt).await.ends_with("remembered"), "{reset:?}");
    assert_eq!(reset, None);
    let resumed = events.iter().filter(|event| event.is("agent.resumed")).count();
    assert_eq!(resumed, 1);
    assert_eq!(session.messages().await.len(), 4, "history is not stored twice");
    session.assert_transcript_is_told().await;
}

pub(super) async fn mcp_server(real: Real) {
    let log = real.file("mcp.log");
    let script = repository().join("tests/agents/mcp_server.py");
    let server = json!({
        "name": "tiny", "command": python(), "args": [script, log],
        "env": [{"name": "MCP_MARK", "value": "of this session"}],
    });
    let id = real.daemon.create(&json!({"workspace": "project", "mcpServers": [server]})).await;
    let session = real.daemon.session(&id);
    let receipt = session.finish("SAY 3").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let told = eventually("the server is asked for its tools", async || {
        let text = std::fs::read_to_string(&log).unwrap_or_default();
        text.contains("tools/list").then_some(text)
    })
    .await;
    let requests: Vec<Value> = told.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    assert_eq!(requests.first(), Some(&json!({"method": "initialize", "mark": "of this session"})), "{told}");
    let (status, (world, model)) = real.stop_daemon().await;
    assert!(status.success());
    assert_eq!(world.processes(), [model.pid], "it ends with its agent");
}

/// A call of the tool that saves a file; some agents ask before it.
pub(super) async fn artifact(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let call = "TOOL write_artifact_file {\"filename\":\"table.csv\",\"mimeType\":\"text/csv\",\
                \"source\":{\"kind\":\"inline\",\"content\":\"a,b\\n1,2\\n\"}}";
    let run = session.say(call).await;
    let receipt = eventually("the run settles", async || {
        for asked in session.snapshot().await["permissions"].as_array().expect("permissions") {
            session.reply(asked["id"].as_str().expect("an id"), "once").await;
        }
        let receipt = session.run(&run).await;
        receipt["completedAt"].is_i64().then_some(receipt)
    })
    .await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let files = real.daemon.get(&format!("/session/{id}/artifact")).await.json(200);
    let told = json!(session.messages().await).to_string();
    assert_eq!(
        (&files[0]["name"], &files[0]["mimeType"], &files[0]["messageId"]),
        (&json!("table.csv"), &json!("text/csv"), &receipt["resultMessageID"]),
        "{told}"
    );
    let path = files[0]["path"].as_str().expect("a path");
    assert_eq!(std::fs::read_to_string(path).expect("the file"), "a,b\n1,2\n");
    let events = session.events(0).await;
    assert_eq!(events.iter().filter(|event| event.is("artifact.created")).count(), 1);
    session.assert_transcript_is_told().await;
}

/// A conversation is let go, found again at the agent, and taken over by another session with its history.
pub(super) async fn adopt(real: Real) {
    let id = real.daemon.create(&json!({"workspace": "project"})).await;
    let session = real.daemon.session(&id);
    let receipt = session.finish("SAY 5").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let about = real.daemon.get(&format!("/session/{id}/agent")).await.json(200);
    let held = about["agentSessionID"].as_str().expect("a conversation").to_owned();
    assert!(about["capabilities"].is_object(), "{about}");
    assert_eq!(real.daemon.post(&format!("/session/{id}/close"), &json!({})).await.json(200), json!(true));
    let listed = real.daemon.get("/session?source=remote").await.json(200);
    let found = listed["sessions"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|one| one["agentSessionID"] == json!(held));
    assert_eq!(
        found.map(|one| (&one["source"], &one["sessionID"])),
        Some((&json!("both"), &json!(id))),
        "{listed}"
    );
    let taken = json!({"workspace": "project", "agentSessionID": held, "open": "load"});
    real.daemon.post("/session", &taken).await.refusal(409, "agent_session_taken");
    real.daemon.delete(&format!("/session/{id}")).await.json(200);
    let adopted = real.daemon.create(&taken).await;
    let session = real.daemon.session(&adopted);
    let texts: Vec<String> =
        session.messages().await.iter().map(crate::support::Transcript::text_of).collect();
    assert!(texts.iter().any(|text| text.contains("SAY 5")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains(&words(5))), "{texts:?}");
    let receipt = session.finish("SAY 3").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
    assert!(session.answer(&receipt).await.ends_with(&words(3)));
}

/// The mode is set over HTTP, between turns, and the conversation is forked.
pub(super) async fn mode_and_fork(real: Real) {
    let id = real.daemon.create(&json!({"workspace": "project", "systemPrompt": "Answer briefly."})).await;
    let session = real.daemon.session(&id);
    let path = format!("/session/{id}/agent/mode");
    let set = real.daemon.post(&path, &json!({"mode": "plan"})).await.json(200);
    assert_eq!(set["metadata"]["currentModeId"], "plan", "{set}");
    let unknown = real.daemon.post(&path, &json!({"mode": "warp"})).await.refusal(400, "mode_not_found");
    assert!(unknown["message"].as_str().is_some_and(|text| text.contains("plan")), "{unknown}");
    real.daemon.post(&path, &json!({"mode": "default"})).await.json(200);
    let receipt = session.finish("SAY 4").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let fork = real.daemon.post(&format!("/session/{id}/fork"), &json!({})).await.json(200);
    let fork = real.daemon.session(fork["id"].as_str().expect("an id"));
    let receipt = fork.finish("SAY 2").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
    assert!(fork.answer(&receipt).await.ends_with(&words(2)));
    assert_eq!((fork.messages().await.len(), session.messages().await.len()), (4, 2));
}

/// The tool that every agent is given, called by the model.
pub(super) async fn question(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let questions = json!([{
        "question": "Which colour?", "header": "Colour",
        "options": [{"label": "red", "description": ""}, {"label": "blue", "description": ""}],
    }]);
    let run = session.say(&format!("TOOL ask_question {}", json!({"questions": questions}))).await;
    let asked = eventually("it asks", async || {
        let snapshot = session.snapshot().await;
        assert_eq!(snapshot["permissions"], json!([]), "nobody is asked whether it may ask");
        let receipt = session.run(&run).await;
        assert!(receipt.get("completedAt").is_none(), "{receipt}: {:?}", session.messages().await);
        snapshot["questions"].as_array().expect("questions").first().cloned()
    })
    .await;
    assert_eq!(asked["questions"], questions, "{asked}");
    let receipt = session.tell(&asked, &json!([["blue"]])).await.json(200);
    assert_eq!(receipt["status"], "resolved");
    let settled = session.settled(&run).await;
    assert_eq!(settled["state"], "completed", "{settled}");
    let answer = session.answer(&settled).await;
    assert!(answer.contains("blue"), "the model was told: {answer}");
    let events = session.events(0).await;
    let others: Vec<&Event> = events.iter().filter(|event| event.is("permission.asked")).collect();
    assert!(others.is_empty(), "nobody is asked whether it may ask: {others:?}");
    session.assert_transcript_is_told().await;
}

/// The agent's own tool for questions, which it puts into a form: options, and room for another answer.
pub(super) async fn form(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let ask = json!({"questions": [{
        "question": "Which colour?", "header": "Colour", "multiSelect": false,
        "options": [{"label": "Red", "description": "like blood"}, {"label": "Blue", "description": "like the sky"}],
    }]});
    for answer in ["Blue", "Green"] {
        let run = session.say(&format!("TOOL AskUserQuestion {ask}")).await;
        let asked = session.question().await;
        let options = json!([
            {"label": "Red", "description": "like blood"}, {"label": "Blue", "description": "like the sky"},
        ]);
        let question = json!({
            "question": "Which colour?", "header": "Colour", "options": options, "custom": true, "optional": true,
        });
        assert_eq!(asked["questions"], json!([question]), "{asked}");
        session.tell(&asked, &json!([[answer]])).await.json(200);
        let settled = session.settled(&run).await;
        assert_eq!(settled["state"], "completed", "{settled}");
        let messages = json!(session.messages().await).to_string();
        assert!(
            messages.contains(&format!("Which colour?\\\"=\\\"{answer}")),
            "the model was told: {messages}"
        );
    }
    session.assert_transcript_is_told().await;
}

/// Prompts with a picture and a text file; how many pictures the model was shown. The words stand where this
/// agent leaves them alone: qwen writes references to files onto what follows them, claude puts files behind.
async fn attach(real: &Real, session: Session<'_>, words_first: bool) -> String {
    let picture = std::fs::read(repository().join("tests/fixtures/preview/plot.png")).expect("a picture");
    let upload = real.daemon.request(reqwest::Method::POST, "/file/upload?filename=plot.png").body(picture);
    let upload = real.daemon.send(upload).await.json(200);
    std::fs::write(real.file("notes.txt"), "the word is bluebird").expect("a file");
    let notes = format!("file://{}", encode(&real.file("notes.txt").display().to_string()));
    let mut parts = vec![
        json!({"type": "file", "mime": "text/plain", "url": notes}),
        json!({"type": "file", "mime": "image/png", "url": upload["url"]}),
    ];
    parts.insert(if words_first { 0 } else { 2 }, json!({"type": "text", "text": "IMAGES"}));
    let run = session.prompt(&Prompt(json!({"effort": "normal", "parts": parts}))).await;
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    session.answer(&receipt).await
}

/// What a prompt brings is in front of the model, and what the model has not seen it cannot recall.
pub(super) async fn attachments(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let answer = attach(&real, session, false).await;
    assert!(answer.ends_with("images 1"), "{answer}");
    recall(session).await;
}

/// The same where the agent keeps pictures from a model that it takes for blind.
pub(super) async fn attachments_for_the_blind(real: Real) {
    let id = real.daemon.new_session().await;
    let session = real.daemon.session(&id);
    let answer = attach(&real, session, true).await;
    assert!(answer.ends_with("images 0"), "{answer}");
    recall(session).await;
}

async fn recall(session: Session<'_>) {
    let receipt = session.finish("RECALL bluebird").await;
    let answer = session.answer(&receipt).await;
    assert!(answer.ends_with("remembered"), "{answer}");
    session.assert_transcript_is_told().await;
}

/// `openscience run`, as a harness calls it: a process of its own on the data of the daemon.
pub(super) async fn harness(real: Real) {
    let run = async |args: &[&str]| {
        let data = real.daemon.world().data().display().to_string();
        let head = ["run", "--format", "json", "--workspace", "project", "--data-dir", &data];
        let args: Vec<&str> = head.iter().chain(args).copied().collect();
        let mut process = real.daemon.serve.run(&args);
        process.end(Duration::from_secs(40)).await;
        let lines = Lines::read(&process.stdout());
        assert!(!process.stderr().contains("\"type\""), "{}", process.stderr());
        lines
    };
    let said = run(&["--", "SAY 2000"]).await;
    assert!(said.text().ends_with(&words(2_000)), "{}", said.done());
    assert_eq!((&said.done()["status"], said.of("step_start").count()), (&json!("completed"), 1));
    let allowed = run(&["--auto-approve", "--", WRITE]).await;
    assert_eq!(allowed.done()["status"], "completed", "{}", allowed.done());
    assert_eq!(std::fs::read_to_string(real.file("f.txt")).ok().as_deref(), Some("hi\n"));
    assert!(allowed.of("permission").all(|line| line["reply"] == "once") && allowed.has("permission"));
    let states: Vec<&Value> = allowed.of("tool_use").map(|line| &line["part"]["state"]["status"]).collect();
    assert_eq!(states, ["completed"]);
    let wrong = run(&["--model", "no/such", "--", "SAY 1"]).await;
    assert_eq!(
        (&wrong.done()["exitCode"], &wrong.done()["reason"]),
        (&json!(2), &json!("model_not_available"))
    );
    real.daemon.session(allowed.session()).assert_transcript_is_told().await;
}
