//! What can people have an agent do between turns, and what do they learn when it does not?

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Daemon, Log, Reply, Serve, Transcript, encode, python, repository, scripted};

const ALL: [&str; 8] =
    ["--reopen", "story", "--modes", "ask,plan,yolo", "--more", "fork,list,close", "--models", "small,large"];

/// A daemon whose agent serves everything.
async fn daemon(more: &[&str]) -> (Daemon, Log) {
    let serve = Serve::new();
    let args: Vec<&str> = ALL.iter().chain(more).copied().collect();
    let (config, log) = scripted(&serve.world, &args);
    (serve.config(config).start().await, log)
}

async fn ask(daemon: &Daemon, id: &str, verb: &str, body: &Value) -> Reply {
    daemon.post(&format!("/session/{id}/{verb}"), body).await
}

async fn agent(daemon: &Daemon, id: &str) -> Value {
    daemon.get(&format!("/session/{id}/agent")).await.json(200)
}

#[tokio::test]
async fn a_session_is_set_between_turns_without_a_prompt() {
    let (daemon, log) = daemon(&["--switch"]).await;
    let id = daemon.new_session().await;
    assert_eq!(agent(&daemon, &id).await["open"], false, "reading starts nothing");
    assert!(daemon.agents().is_empty());

    let set = ask(&daemon, &id, "agent/mode", &json!({"mode": "The PLAN mode"})).await.json(200);
    assert_eq!((&set["open"], &set["metadata"]["currentModeId"]), (&json!(true), &json!("plan")), "{set}");
    let set = ask(&daemon, &id, "agent/config", &json!({"id": "model", "value": "LARGE"})).await.json(200);
    assert_eq!(set["metadata"]["config"], json!({"model": "large", "switch": false}));
    let set = ask(&daemon, &id, "agent/config", &json!({"id": "big switch", "value": true})).await.json(200);
    assert_eq!(set["metadata"]["config"]["switch"], true);
    assert_eq!((log.received("session/new").len(), log.received("session/prompt").len()), (1, 0));
    let receipt = daemon.session(&id).finish("text on").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(log.received("session/new").len(), 1, "the prompt goes to what is open");

    for (verb, body, code) in [
        ("agent/mode", json!({"mode": "fast"}), "mode_not_found"),
        ("agent/config", json!({"id": "speed", "value": "x"}), "config_option_not_found"),
        ("agent/config", json!({"id": "model", "value": "huge"}), "config_value_invalid"),
        ("agent/config", json!({"id": "model", "value": []}), "invalid_request"),
        ("agent/mode", json!({"mode": " "}), "invalid_request"),
    ] {
        ask(&daemon, &id, verb, &body).await.refusal(400, code);
    }
    ask(&daemon, "ses_nope", "agent/mode", &json!({"mode": "plan"})).await.refusal(404, "session_not_found");
}

#[tokio::test]
async fn what_was_set_is_set_again_where_the_agent_begins_afresh() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &["--modes", "ask,plan", "--models", "small,large"]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    ask(&daemon, &id, "agent/mode", &json!({"mode": "plan"})).await.json(200);
    ask(&daemon, &id, "agent/config", &json!({"id": "model", "value": "large"})).await.json(200);
    daemon.session(&id).finish("text one").await;
    daemon.kill_agents().await;
    let receipt = daemon.session(&id).finish("text two").await;
    assert_eq!((&receipt["state"], &receipt["contextReset"]), (&json!("completed"), &json!(true)));
    let modes = log.received("session/set_mode");
    let options = log.received("session/set_config_option");
    assert_eq!((modes.len(), options.len()), (2, 2), "once by a person, once by us");
    assert_ne!(modes.first(), modes.last());
    assert_eq!(agent(&daemon, &id).await["metadata"]["currentModeId"], "plan");
}

#[tokio::test]
async fn an_agent_that_refuses_a_setting_is_quoted() {
    let (daemon, _) = daemon(&["--refuse", "plan"]).await;
    let id = daemon.new_session().await;
    let refused =
        ask(&daemon, &id, "agent/mode", &json!({"mode": "plan"})).await.refusal(502, "session_open_failed");
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("not that mode")), "{refused}");
    assert_eq!(refused["data"]["error"]["stage"], "configure");
    assert_eq!(daemon.session(&id).finish("text fine").await["state"], "completed");
}

#[tokio::test]
async fn nothing_is_asked_of_an_agent_that_has_a_turn() {
    let (daemon, _) = daemon(&[]).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("hang").await;
    session.running(&run).await;
    for (verb, body) in [
        ("agent/mode", json!({"mode": "plan"})),
        ("agent/config", json!({"id": "model", "value": "large"})),
        ("load", json!({})),
        ("resume", json!({})),
        ("close", json!({})),
        ("fork", json!({})),
    ] {
        ask(&daemon, &id, verb, &body).await.refusal(409, "session_busy");
    }
    session.cancel(&run).await.json(200);
    session.settled(&run).await;
    ask(&daemon, &id, "agent/mode", &json!({"mode": "plan"})).await.json(200);
}

#[tokio::test]
async fn a_prompt_during_a_visit_waits_for_it_and_uses_what_it_opened() {
    let (daemon, log) = daemon(&["--slow-config", "400"]).await;
    let id = daemon.new_session().await;
    let body = json!({"id": "model", "value": "large"});
    let (set, receipt) = tokio::join!(ask(&daemon, &id, "agent/config", &body), async {
        crate::support::eventually("the option is being set", async || {
            (!log.received("session/set_config_option").is_empty()).then_some(())
        })
        .await;
        daemon.session(&id).finish("text done").await
    });
    assert_eq!(set.json(200)["metadata"]["config"]["model"], "large");
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert_eq!(log.received("session/new").len(), 1);
}

#[tokio::test]
async fn a_conversation_is_let_go_and_taken_up_as_asked() {
    let (daemon, log) = daemon(&[]).await;
    let id = daemon.new_session().await;
    for verb in ["load", "resume", "fork"] {
        ask(&daemon, &id, verb, &json!({})).await.refusal(409, "agent_session_missing");
    }
    let session = daemon.session(&id);
    session.finish("text one").await;
    let before = session.messages().await;
    assert_eq!(ask(&daemon, &id, "close", &Value::Null).await.json(200), json!(true));
    assert_eq!(log.received("session/close").len(), 1);
    assert_eq!(agent(&daemon, &id).await["open"], false);
    ask(&daemon, &id, "close", &json!({})).await.json(200);
    let opened = ask(&daemon, &id, "resume", &json!({})).await.json(200);
    assert_eq!((&opened["open"], log.received("session/resume").len()), (&json!(true), 1));
    ask(&daemon, &id, "resume", &json!({})).await.json(200);
    assert_eq!(log.received("session/resume").len(), 1, "what is open stays open");
    ask(&daemon, &id, "close", &json!({})).await.json(200);
    ask(&daemon, &id, "load", &json!({})).await.json(200);
    assert_eq!(log.received("session/load").len(), 1);
    assert_eq!(session.messages().await, before, "nothing is told twice or lost");
    let receipt = session.finish("text two").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None));
    let refused = ask(&daemon, &id, "resume", &json!({"systemPrompt": "x"})).await;
    assert_eq!(refused.refusal(400, "system_prompt_unsupported")["name"], "AcpSystemPromptError");
}

#[tokio::test]
async fn a_way_the_agent_does_not_have_is_refused_and_no_other_tried() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &["--reopen", "broken"]);
    let daemon = serve.config(config).start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("text one").await;
    daemon.kill_agents().await;
    let refused = ask(&daemon, &id, "resume", &json!({})).await.refusal(409, "method_not_supported");
    assert_eq!(refused["name"], "AcpResumeError");
    let refused = ask(&daemon, &id, "load", &json!({})).await.refusal(502, "session_open_failed");
    assert_eq!(refused["name"], "AcpLoadError");
    ask(&daemon, &id, "fork", &json!({})).await.refused(409);
    ask(&daemon, &id, "agent/mode", &json!({"mode": "plan"})).await.refusal(409, "method_not_supported");
    let listed = daemon.get("/session?source=remote").await.refusal(409, "method_not_supported");
    assert_eq!(listed["name"], "AcpListError");
    assert_eq!(log.received("session/resume").len(), 0);
}

#[tokio::test]
async fn a_fork_goes_its_own_way_from_there() {
    let (daemon, log) = daemon(&[]).await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("text one").await;
    let body = json!({"id": "ses_fork", "title": "Elsewhere"});
    let fork = ask(&daemon, &id, "fork", &body).await.json(200);
    assert_eq!((&fork["id"], &fork["title"]), (&json!("ses_fork"), &json!("Elsewhere")));
    assert_eq!(ask(&daemon, &id, "fork", &body).await.json(200), fork, "a retry");
    assert_eq!(log.received("session/fork").len(), 1);
    let forked = daemon.session("ses_fork");
    let words = |messages: Vec<Value>| messages.iter().map(Transcript::text_of).collect::<Vec<_>>();
    assert_eq!(words(forked.messages().await), ["text one", "one"]);
    let receipt = forked.finish("text two").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
    assert_eq!(words(session.messages().await), ["text one", "one"], "the source stays");
    assert_eq!(words(forked.messages().await), ["text one", "one", "text two", "two"]);
    let ids = |messages: Vec<Value>| {
        messages.iter().map(|message| message["info"]["id"].to_string()).collect::<Vec<_>>()
    };
    let (ours, theirs) = (ids(session.messages().await), ids(forked.messages().await));
    assert!(ours.iter().all(|id| !theirs.contains(id)), "ids are their own");
    for message in forked.messages().await {
        assert_eq!(message["info"]["sessionID"], "ses_fork");
        assert!(
            message["parts"].as_array().expect("parts").iter().all(|part| part["sessionID"] == "ses_fork")
        );
    }
    let prompts = log.received("session/prompt");
    assert!(
        prompts.last().expect("two")["params"]["sessionId"]
            .as_str()
            .is_some_and(|id| id.starts_with("fork of"))
    );
    daemon.create(&json!({"id": "ses_other"})).await;
    ask(&daemon, &id, "fork", &json!({"id": "ses_other"})).await.refusal(409, "session_conflict");
}

#[tokio::test]
async fn a_conversation_of_the_agent_becomes_a_session_with_its_history() {
    let (daemon, log) = daemon(&[]).await;
    let body = json!({"id": "ses_story", "agentSessionID": "story", "open": "load", "initialConfig": {"mode": "yolo"}});
    let made = daemon.post("/session", &body).await.json(200);
    let session = daemon.session("ses_story");
    let messages = session.messages().await;
    let words: Vec<String> = messages.iter().map(Transcript::text_of).collect();
    assert_eq!(words, ["Once upon a time", "there wasa tool.", "And then?", "The end, or not."]);
    let kinds = |message: &Value| {
        let parts = message["parts"].as_array().expect("parts").iter();
        parts.map(|part| part["type"].as_str().expect("a type").to_owned()).collect::<Vec<_>>()
    };
    let first = messages.get(1).expect("an answer");
    assert_eq!(kinds(first), ["step-start", "reasoning", "text", "tool", "text", "step-finish"]);
    assert_eq!(first["parts"][3]["state"]["output"], "seen");
    assert_eq!(session.latest().await, 0, "history is no event");
    assert!(session.snapshot().await["runs"].as_array().is_some_and(Vec::is_empty), "and no run");

    let about = agent(&daemon, "ses_story").await;
    assert_eq!((&about["open"], &about["agentSessionID"]), (&json!(true), &json!("story")));
    assert_eq!(about["initialConfigReport"]["items"][0]["status"], "applied");
    assert_eq!(daemon.post("/session", &body).await.json(200)["id"], made["id"], "a retry");
    let taken = daemon.post("/session", &json!({"agentSessionID": "story", "open": "load"})).await;
    assert_eq!(taken.refusal(409, "agent_session_taken")["data"]["sessionID"], "ses_story");

    let receipt = session.finish("text goes on").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
    assert_eq!(log.received("session/load").len(), 1, "it is open still");
    assert_eq!(session.messages().await.len(), 6);
    let (_, serve) = daemon.stop().await;
    let daemon = serve.start().await;
    let receipt = daemon.session("ses_story").finish("text and on").await;
    assert_eq!((&receipt["state"], receipt.get("contextReset")), (&json!("completed"), None), "{receipt}");
    assert_eq!(daemon.session("ses_story").messages().await.len(), 8);
}

#[tokio::test]
async fn a_conversation_that_is_resumed_goes_on_without_its_history_and_its_loss_is_said() {
    let (daemon, _) = daemon(&[]).await;
    let id = daemon.create(&json!({"agentSessionID": "somewhere", "open": "resume"})).await;
    let session = daemon.session(&id);
    assert!(session.messages().await.is_empty());
    assert_eq!(session.finish("text one").await.get("contextReset"), None);

    let serve = Serve::new();
    let (config, _) = scripted(&serve.world, &["--reopen", "resume"]);
    let daemon = serve.config(config).start().await;
    let id = daemon.create(&json!({"agentSessionID": "somewhere", "open": "resume"})).await;
    daemon.kill_agents().await;
    let (_, serve) = daemon.stop().await;
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let receipt = daemon.session(&id).finish("text one").await;
    assert_eq!(
        (&receipt["state"], &receipt["contextReset"]),
        (&json!("completed"), &json!(true)),
        "{receipt}"
    );
    let prompt = log.received("session/prompt").pop().expect("one");
    assert!(prompt["params"]["prompt"].to_string().contains("not known here"), "{prompt}");
}

#[tokio::test]
async fn a_conversation_the_agent_does_not_take_up_makes_no_session() {
    let serve = Serve::new();
    let (config, _) = scripted(&serve.world, &["--reopen", "missing"]);
    let daemon = serve.config(config).start().await;
    let body = json!({"id": "ses_a", "agentSessionID": "gone", "open": "load"});
    daemon.post("/session", &body).await.refusal(502, "session_open_failed");
    let body = json!({"id": "ses_a", "agentSessionID": "gone", "open": "resume"});
    daemon.post("/session", &body).await.refusal(409, "method_not_supported");
    daemon.get("/session/ses_a").await.refusal(404, "session_not_found");
    daemon.create(&json!({"id": "ses_a"})).await;
}

#[tokio::test]
async fn an_agent_is_opened_as_the_session_wishes_and_what_came_of_it_is_told() {
    let (daemon, log) = daemon(&["--refuse", "large"]).await;
    let wishes = json!({"mode": "plan", "model": "large", "effort": "high"});
    let id = daemon.create(&json!({"initialConfig": wishes})).await;
    assert_eq!(agent(&daemon, &id).await.get("initialConfigReport"), None, "nothing is open yet");
    assert_eq!(daemon.session(&id).finish("text on").await["state"], "completed");
    let report = agent(&daemon, &id).await["initialConfigReport"].clone();
    let statuses: Vec<&str> = report["items"]
        .as_array()
        .expect("items")
        .iter()
        .map(|item| item["status"].as_str().expect("a word"))
        .collect();
    assert_eq!(
        (report["ok"].as_bool(), statuses),
        (Some(false), vec!["applied", "failed", "skipped"]),
        "{report}"
    );
    assert_eq!(report["items"][1]["reason"], "not today");
    assert_eq!(log.received("session/set_mode").len(), 1);

    let strict = json!({"initialConfig": {"mode": "plan", "effort": "high", "strict": true}});
    let id = daemon.create(&strict).await;
    let receipt = daemon.session(&id).finish("text never").await;
    assert_eq!(receipt["error"]["code"], "initial_config_failed", "{receipt}");
    let refused =
        ask(&daemon, &id, "agent/mode", &json!({"mode": "ask"})).await.refusal(409, "initial_config_failed");
    assert_eq!(refused["name"], "AcpInitialConfigError");
    let alias =
        json!({"initialConfig": {"mode": {"value": "plan-mode", "aliases": ["yolo"], "required": true}}});
    let id = daemon.create(&alias).await;
    assert_eq!(daemon.session(&id).finish("text on").await["state"], "completed");
    assert_eq!(agent(&daemon, &id).await["metadata"]["currentModeId"], "yolo");
}

/// The scripted agent as an agent of that family.
fn of_family(config: &mut Value, family: &str) {
    config["agents"]["scripted"]["type"] = json!(family);
}

#[tokio::test]
async fn instructions_reach_each_family_in_its_own_way() {
    let start = async |family: &str, args: &[&str]| {
        let serve = Serve::new();
        let (mut config, log) = scripted(&serve.world, args);
        of_family(&mut config, family);
        let daemon = serve.config(config).start().await;
        let id = daemon.create(&json!({"systemPrompt": " Be \"brief\".\n"})).await;
        let receipt = daemon.session(&id).finish("text on").await;
        let new = log.received("session/new").pop().map(|new| new["params"].clone()).unwrap_or_default();
        let started = log.entries().into_iter().find_map(|entry| entry.get("override").cloned());
        (receipt, new, started)
    };
    let (receipt, new, started) = start("claude", &[]).await;
    assert_eq!((&receipt["state"], started), (&json!("completed"), None));
    assert_eq!(new["_meta"], json!({"systemPrompt": "Be \"brief\"."}));
    let (receipt, new, started) = start("codex-acp", &[]).await;
    assert_eq!((&receipt["state"], new.get("_meta")), (&json!("completed"), None));
    assert_eq!(started, Some(json!("developer_instructions=\"Be \\\"brief\\\".\"")));
    let (receipt, new, _) = start("sim", &["--instructed"]).await;
    let prompt = json!({"mode": "append", "content": [{"type": "text", "text": "Be \"brief\"."}]});
    assert_eq!((&receipt["state"], &new["systemPrompt"]), (&json!("completed"), &prompt));
    let (receipt, ..) = start("sim", &[]).await;
    assert_eq!(receipt["error"]["code"], "system_prompt_unsupported");

    let (daemon, _) = daemon(&[]).await;
    let refused = daemon
        .post("/session", &json!({"systemPrompt": "x"}))
        .await
        .refusal(400, "system_prompt_unsupported");
    assert_eq!(refused["name"], "AcpSystemPromptError");
}

#[tokio::test]
async fn sessions_with_other_instructions_have_a_process_of_their_own_where_those_are_arguments() {
    let serve = Serve::new();
    let (mut config, log) = scripted(&serve.world, &[]);
    of_family(&mut config, "codex");
    let daemon = serve.config(config).start().await;
    for text in [json!("one"), json!("two"), Value::Null, json!("one")] {
        let id = daemon.create(&json!({"systemPrompt": text})).await;
        assert_eq!(daemon.session(&id).finish("text on").await["state"], "completed");
    }
    assert_eq!(log.received("initialize").len(), 3);
}

#[tokio::test]
async fn an_agent_may_be_described_with_its_session() {
    let daemon = Daemon::start().await;
    let log = daemon.world().root().join("described.log");
    let script = repository().join("tests/agents/scripted_agent.py");
    let described = json!({
        "command": python(), "args": [script, "--log", log], "env": {"SECRET_OF_MINE": "s3cret-value"}, "type": "claude",
    });
    let made = daemon.post("/session", &json!({"id": "ses_own", "agent": described})).await.json(200);
    let again = daemon.post("/session", &json!({"id": "ses_own", "agent": described})).await.json(200);
    assert_eq!(made, again);
    let mut other = described.clone();
    other["env"]["SECRET_OF_MINE"] = json!("another");
    daemon.post("/session", &json!({"id": "ses_own", "agent": other})).await.refusal(409, "session_conflict");
    let session = daemon.session("ses_own");
    let receipt = session.finish("text one\nenv").await;
    assert!(session.answer(&receipt).await.contains("s3cret-value"), "it has its environment");
    let about = agent(&daemon, "ses_own").await;
    assert_eq!((&about["type"], &about["env"]), (&json!("claude-acp"), &json!(["SECRET_OF_MINE"])));
    assert!(!about.to_string().contains("s3cret-value"), "{about}");
    assert_eq!(about["agent"], made["agent"]);
    let (_, serve) = daemon.stop().await;
    let daemon = serve.start().await;
    assert_eq!(
        daemon.session("ses_own").finish("text two").await["state"],
        "completed",
        "it is known after a restart"
    );
    let id = daemon.create(&json!({"agent": {"command": "no-such-program"}})).await;
    assert_eq!(daemon.session(&id).finish("hi").await["error"]["code"], "agent_start_failed");
}

#[tokio::test]
async fn what_an_agent_knows_is_listed_with_what_we_know() {
    let (daemon, _) = daemon(&[]).await;
    let id = daemon.create(&json!({"agentSessionID": "story", "open": "load", "title": "Mine"})).await;
    let plain = daemon.new_session().await;
    let listed = daemon.get("/session?source=remote").await.json(200);
    let story = json!({
        "agent": "scripted", "agentSessionID": "story", "sessionID": id, "title": "A story", "source": "both",
    });
    let found = listed["sessions"].as_array().expect("a list").last().expect("one").clone();
    for (key, value) in story.as_object().expect("an object") {
        assert_eq!(&found[key], value, "{key}: {found}");
    }
    assert_eq!(listed["nextCursor"], "page 2");
    let next = daemon.get(&format!("/session?source=remote&cursor={}", encode("page 2"))).await.json(200);
    assert_eq!(
        (&next["sessions"][0]["agentSessionID"], &next["sessions"][0]["source"]),
        (&json!("older"), &json!("remote"))
    );
    assert_eq!(next.get("nextCursor"), None);
    let all = daemon.get("/session?source=all&agent=scripted").await.json(200);
    let local: Vec<&Value> =
        all["sessions"].as_array().expect("a list").iter().filter(|one| one["source"] == "local").collect();
    assert_eq!(local.iter().map(|one| &one["sessionID"]).collect::<Vec<_>>(), [&json!(plain)]);
    let ours = daemon.get("/session?agent=scripted").await.json(200);
    assert_eq!(ours.as_array().map(Vec::len), Some(2));
    assert_eq!(daemon.get("/session?source=local&agent=sim").await.json(200), json!([]));
    daemon.get("/session?source=remote&agent=nope").await.refusal(400, "agent_not_found");
    daemon.get("/session?source=everywhere").await.refusal(400, "invalid_request");
    daemon.get("/session?cursor=x").await.refusal(400, "invalid_request");
}

#[tokio::test]
async fn a_login_is_made_by_the_agent_or_told_to_whoever_must_make_it() {
    let login = async |kind: &str, body: &Value| {
        let serve = Serve::new();
        let (config, log) = scripted(&serve.world, &["--auth", kind]);
        let daemon = serve.config(config).start().await;
        let reply =
            daemon.send(daemon.request(Method::POST, "/agent/scripted/authenticate").json(body)).await;
        (reply, log.received("authenticate").len())
    };
    let (reply, asked) = login("agent", &json!({"methodId": "own"})).await;
    assert_eq!(
        (reply.json(200), asked),
        (json!({"id": "own", "label": "Own login", "type": "agent", "default": false}), 1)
    );
    let (reply, asked) = login("agent", &json!({})).await;
    assert_eq!((reply.json(200)["id"].clone(), asked), (json!("own"), 1));
    let (reply, _) = login("refusing", &json!({})).await;
    let failed = reply.refusal(502, "auth_failed");
    assert!(failed["message"].as_str().is_some_and(|text| text.contains("wrong account")), "{failed}");
    let (reply, asked) = login("terminal", &json!({})).await;
    let terminal = reply.refusal(409, "auth_terminal");
    assert_eq!((&terminal["name"], asked), (&json!("AcpAuthenticationError"), 0));
    let data = &terminal["data"];
    assert_eq!(
        (&data["methodId"], &data["label"], &data["env"]),
        (&json!("tty"), &json!("At a terminal"), &json!(["TTY_SECRET"]))
    );
    assert_eq!(data["args"].as_array().and_then(|args| args.last()), Some(&json!("login")));
    assert!(!terminal.to_string().contains("hush-hush"));
    let (reply, asked) = login("env_var", &json!({})).await;
    assert_eq!(
        (reply.refusal(409, "auth_env")["data"]["names"].clone(), asked),
        (json!(["SCRIPTED_KEY"]), 0)
    );
    let (reply, _) = login("agent", &json!({"methodId": "nope"})).await;
    assert_eq!(reply.refusal(400, "auth_method_not_found")["data"]["authMethods"][0]["id"], "own");
    let daemon = Daemon::start().await;
    daemon.post("/agent/nope/authenticate", &json!({})).await.refusal(404, "agent_not_found");
}

#[tokio::test]
async fn the_simulator_forks_and_takes_instructions() {
    let daemon = Daemon::start().await;
    let id = daemon.create(&json!({"systemPrompt": "Be kind."})).await;
    let session = daemon.session(&id);
    session.finish("say 3").await;
    let receipt = session.finish("instructions").await;
    assert_eq!(session.answer(&receipt).await, "Be kind.");
    let fork = ask(&daemon, &id, "fork", &json!({})).await.json(200);
    let fork = fork["id"].as_str().expect("an id");
    let receipt = daemon.session(fork).finish("instructions").await;
    assert_eq!(
        (daemon.session(fork).answer(&receipt).await.as_str(), receipt.get("contextReset")),
        ("Be kind.", None)
    );
    let listed = daemon.get("/session?source=remote").await.json(200);
    assert!(
        listed["sessions"].as_array().is_some_and(Vec::is_empty),
        "another directory than the project's: {listed}"
    );
}
