//! Does an agent that has lost a conversation learn of it, and does everybody learn that it had?

use std::fs;

use serde_json::{Value, json};

use crate::support::{Daemon, Prompt, Serve, scripted};

/// The simulator forgets every conversation.
async fn forgotten(daemon: Daemon) -> Serve {
    let (_, serve) = daemon.stop().await;
    let history = serve.world.data().join("cache/sim");
    fs::rename(&history, serve.world.root().join("forgotten")).expect("its history");
    serve
}

/// It remembers them again.
fn remembered(serve: &Serve) {
    let history = serve.world.data().join("cache/sim");
    fs::remove_dir_all(&history).ok();
    fs::rename(serve.world.root().join("forgotten"), history).expect("its history");
}

async fn resets(daemon: &Daemon, id: &str, run: &Value) -> Vec<Value> {
    let events = daemon.session(id).events(0).await;
    let of_run = events.iter().filter(|event| event.is("agent.reset") && event.run_id == run["runID"]);
    of_run.map(|event| event.properties.clone()).collect()
}

#[tokio::test]
async fn an_agent_that_has_lost_the_conversation_is_told_of_it_once_and_the_receipt_says_so() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let first = daemon.session(&id).finish("say 3").await;
    assert_eq!(first.get("contextReset"), None, "{first}");
    let daemon = forgotten(daemon).await.start().await;
    let session = daemon.session(&id);

    let second = session.finish("say 1").await;
    assert_eq!((&second["state"], &second["contextReset"]), (&json!("completed"), &json!(true)), "{second}");
    let expected = json!({"sessionID": id, "contextReset": true, "reason": "load_failed"});
    assert_eq!(resets(&daemon, &id, &second).await, [expected]);
    assert!(session.answer(&second).await.contains("[resource openscience:conversation]"));

    let third = session.finish("say 1").await;
    assert_eq!(third.get("contextReset"), None, "{third}");
    assert_eq!(resets(&daemon, &id, &third).await, [] as [Value; 0]);
    assert!(!session.answer(&third).await.contains("[resource"));

    // What people see is what they wrote.
    let prompts: Vec<Value> = session
        .messages()
        .await
        .iter()
        .filter(|m| m["info"]["role"] == "user")
        .map(|m| m["parts"].clone())
        .collect();
    let texts: Vec<&Value> = prompts.iter().map(|parts| &parts[0]["text"]).collect();
    assert_eq!(texts, ["say 3", "say 1", "say 1"]);
    assert!(
        prompts.iter().all(|parts| parts.as_array().is_some_and(|parts| parts.len() == 1)),
        "{prompts:?}"
    );
    session.assert_transcript_is_told().await;
    let snapshot = session.snapshot().await;
    let told: Vec<&Value> =
        snapshot["runs"].as_array().expect("runs").iter().map(|run| &run["contextReset"]).collect();
    assert_eq!(told, [&Value::Null, &json!(true), &Value::Null], "it is durable");
}

#[tokio::test]
async fn an_agent_without_load_and_resume_gets_what_was_said_before_the_prompt() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("text The answer is 42.").await;
    let daemon = daemon.stop().await.1.start().await;
    let receipt = daemon.session(&id).finish("text And 43?").await;
    assert_eq!(
        (&receipt["state"], &receipt["contextReset"]),
        (&json!("completed"), &json!(true)),
        "{receipt}"
    );
    let prompts: Vec<Value> =
        log.received("session/prompt").iter().map(|frame| frame["params"]["prompt"].clone()).collect();
    let [first, second] = prompts.as_slice() else { panic!("{prompts:?}") };
    assert_eq!(*first, json!([{"type": "text", "text": "text The answer is 42."}]));
    assert_eq!(second[1], json!({"type": "text", "text": "text And 43?"}));
    let told = second[0]["resource"]["text"].as_str().unwrap_or_else(|| panic!("{second}"));
    assert!(told.contains("User: text The answer is 42.\n\nAssistant: The answer is 42."), "{told}");
    assert!(!told.contains("43"), "the prompt itself is not history: {told}");
}

#[tokio::test]
async fn where_a_reset_is_refused_the_run_fails_and_nothing_is_lost() {
    let config = json!({"agents": {"sim": {"contextReset": "fail"}}, "defaultAgent": "sim"});
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("say 3").await;
    let daemon = forgotten(daemon).await.start().await;
    let refused = daemon.session(&id).finish("say 1").await;
    assert_eq!(
        (&refused["state"], &refused["error"]["code"]),
        (&json!("failed"), &json!("context_lost")),
        "{refused}"
    );
    assert_eq!(refused.get("contextReset"), None);
    let other = daemon.new_session().await;
    assert_eq!(daemon.session(&other).finish("say 1").await["state"], "completed", "it may begin others");

    let (_, serve) = daemon.stop().await;
    remembered(&serve);
    let daemon = serve.start().await;
    let taken_up = daemon.session(&id).finish("say 1").await;
    assert_eq!((&taken_up["state"], taken_up.get("contextReset")), (&json!("completed"), None), "{taken_up}");
}

#[tokio::test]
async fn a_conversation_that_never_began_is_not_lost() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    // The agent never gets the first prompt.
    let model = json!({"providerID": "nobody", "modelID": "offers-it"});
    let run = daemon.session(&id).prompt(&Prompt::text("say 1").with("model", model)).await;
    let failed = daemon.session(&id).settled(&run).await;
    assert_eq!(failed["error"]["code"], "model_not_available", "{failed}");
    let daemon = forgotten(daemon).await.start().await;
    let receipt = daemon.session(&id).finish("say 1").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
}

#[tokio::test]
async fn a_run_that_fails_before_its_prompt_does_not_cost_the_conversation() {
    let serve = Serve::new();
    // This agent can take up nothing: what it holds is all there is.
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("text one").await;
    let model = json!({"providerID": "nobody", "modelID": "offers-it"});
    let run = session.prompt(&Prompt::text("text two").with("model", model)).await;
    let failed = session.settled(&run).await;
    assert_eq!(failed["error"]["code"], "model_not_available", "{failed}");
    let receipt = session.finish("text three").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
    assert_eq!(log.received("session/new").len(), 1);
}
