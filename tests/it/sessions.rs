//! Are sessions created once, listed, changed and deleted as clients expect?

use futures_util::future::join_all;
use serde_json::{Value, json};

use crate::support::{Daemon, Prompt, Serve, encode, eventually, scripted};

#[tokio::test]
async fn a_new_session_is_isolated_titled_and_bound_to_its_project() {
    let daemon = Daemon::start().await;
    let session = daemon.post("/session", &json!({"unknown": "dropped"})).await.json(200);
    assert_eq!(session["title"], "New session");
    assert_eq!(session["workspace"], "isolated");
    assert_eq!(session["agent"], "sim");
    assert_eq!(session["directory"], daemon.world().project().display().to_string());
    assert_eq!(session["version"], daemon.ready["version"]);
    let project = session["projectID"].as_str().and_then(|id| id.strip_prefix("prj_")).expect("a project");
    assert!(project.len() == 32 && project.bytes().all(|byte| byte.is_ascii_hexdigit()), "{project}");
    assert!(session["time"]["created"].as_i64().is_some_and(|time| time > 1_600_000_000_000));
    let path = format!("/session/{}", session["id"].as_str().expect("an id"));
    assert_eq!(daemon.get(&path).await.json(200), session);
    assert_eq!(daemon.get(&format!("{path}/message")).await.json(200), json!([]));
    assert_eq!(daemon.get(&format!("{path}/todo")).await.json(200), json!([]));
    let parent = json!({"parentID": session["id"]});
    let child = daemon.post("/session", &parent).await.json(200);
    let title = child["title"].as_str().expect("a title");
    assert!(title.starts_with("Child session - 2") && title.ends_with('Z'), "{title}");
    assert_eq!(daemon.get(&format!("{path}/children")).await.json(200), json!([child]));
}

#[tokio::test]
async fn creating_under_a_given_id_is_idempotent_and_conflicts_are_told() {
    let serve =
        Serve::new().config(json!({"agents": {"other": {"command": "/bin/cat"}}, "defaultAgent": "sim"}));
    let daemon = serve.start().await;
    let create = |extra: Value| {
        let mut body = json!({"id": "ses_mine", "title": "first"});
        body.as_object_mut().expect("an object").extend(extra.as_object().expect("an object").clone());
        let daemon = &daemon;
        async move { daemon.post("/session", &body).await }
    };
    let first = create(json!({"workspace": "project"})).await.json(200);
    assert_eq!(create(json!({"workspace": "project"})).await.json(200), first);
    assert_eq!(
        create(json!({"title": "second"})).await.json(200),
        first,
        "no workspace asked for: any is right"
    );
    let data = create(json!({"workspace": "isolated"})).await.named(409, "SessionWorkspaceMismatchError");
    assert_eq!(data["sessionID"], "ses_mine");
    assert_eq!((&data["workspace"], &data["requested"]), (&json!("project"), &json!("isolated")));
    create(json!({"agent": "other"})).await.refusal(409, "session_conflict");
    let other = daemon.world().folder("other").display().to_string();
    let elsewhere = format!("/session?directory={}", encode(&other));
    daemon.post(&elsewhere, &json!({"id": "ses_mine"})).await.refusal(409, "session_conflict");
    create(json!({"agent": "nobody", "id": "ses_new"})).await.refusal(400, "agent_not_found");
    daemon.post("/session", &json!({"id": "ses_../x"})).await.refused(400);
    daemon.post("/session", &json!({"parentID": "ses_nobody"})).await.refusal(404, "session_not_found");
    daemon.post("/session", &json!({"workspace": "moon"})).await.refusal(400, "invalid_request");
    assert_eq!(daemon.get("/session").await.json(200), json!([first]));
}

#[tokio::test]
async fn twenty_creations_of_one_id_make_one_session() {
    let daemon = Daemon::start().await;
    let body = json!({"id": "ses_race", "workspace": "project"});
    let replies = join_all((0..20).map(|_| daemon.post("/session", &body))).await;
    let sessions: Vec<Value> = replies.iter().map(|reply| reply.json(200)).collect();
    assert!(sessions.windows(2).all(|pair| matches!(pair, [a, b] if a == b)), "{sessions:?}");
    assert_eq!(daemon.get("/session").await.json(200).as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn lists_are_of_one_project_newest_first_and_paged() {
    let daemon = Daemon::start().await;
    let mut ids = Vec::new();
    for number in 0..4 {
        ids.insert(0, daemon.create(&json!({"title": format!("Title {number} ÄÖ")})).await);
    }
    ids.insert(0, daemon.create(&json!({"title": "Child", "parentID": ids.first()})).await);
    let other = daemon.world().folder("other").display().to_string();
    daemon.post(&format!("/session?directory={}", encode(&other)), &json!({})).await.json(200);
    let list = async |query: &str| -> Vec<String> {
        let list = daemon.get(&format!("/session{query}")).await.json(200);
        let id = |session: &Value| session["id"].as_str().expect("an id").to_owned();
        list.as_array().expect("an array").iter().map(id).collect()
    };
    assert_eq!(list("").await, ids);
    assert_eq!(list("?roots=false").await, ids, "false is false");
    assert_eq!(list("?search=tItLe%203").await.len(), 1);
    assert_eq!(list("?start=99999999999999").await, Vec::<String>::new());
    let roots = list("?roots=true").await;
    assert_eq!(roots.len(), 4);
    let first = daemon.get("/session?limit=2").await;
    let cursor = first.header("x-next-cursor").to_owned();
    assert_eq!(cursor, *ids.get(1).expect("a second"));
    assert_eq!(list(&format!("?limit=2&before={cursor}")).await, ids.get(2..4).expect("a page"));
    let third = daemon.get(&format!("/session?limit=2&before={}", ids.get(3).expect("a fourth"))).await;
    assert_eq!((third.json(200).as_array().map(Vec::len), third.header("x-next-cursor")), (Some(1), ""));
}

#[tokio::test]
async fn metadata_changes_do_not_move_a_session() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let path = format!("/session/{id}");
    let before = daemon.get(&path).await.json(200);
    let change = async |body: Value| daemon.patch(&path, &body).await.json(200);
    let named = change(json!({"title": "Zwölf Ähren 🌾", "time": {"archived": 5, "pinned": 7}})).await;
    assert_eq!(named["title"], "Zwölf Ähren 🌾");
    assert_eq!((&named["time"]["archived"], &named["time"]["pinned"]), (&json!(5), &json!(7)));
    assert_eq!(named["time"]["updated"], before["time"]["updated"]);
    let unpinned = change(json!({"time": {"pinned": 0}})).await;
    assert_eq!(unpinned["time"].get("pinned"), None);
    assert_eq!(unpinned["time"]["archived"], 5);
    assert_eq!(change(json!({})).await, unpinned);
    daemon.patch(&path, &json!({"title": 7})).await.refusal(400, "invalid_request");
    daemon.patch("/session/ses_nobody", &json!({"title": "x"})).await.refusal(404, "session_not_found");
    let daemon = daemon.stop().await.1.start().await;
    assert_eq!(daemon.get(&path).await.json(200), unpinned, "changes are durable");
}

#[tokio::test]
async fn a_deleted_session_takes_its_children_along_and_its_id_is_never_given_again() {
    let daemon = Daemon::start().await;
    let id = daemon.create(&json!({"id": "ses_parent"})).await;
    let child = daemon.create(&json!({"parentID": id})).await;
    let grandchild = daemon.create(&json!({"parentID": child})).await;
    daemon.session(&id).finish("say 2").await;
    assert_eq!(daemon.delete(&format!("/session/{id}")).await.json(200), json!(true));
    for gone in [&id, &child, &grandchild] {
        daemon.get(&format!("/session/{gone}")).await.refusal(404, "session_not_found");
        daemon.get(&format!("/runtime/snapshot?sessionID={gone}")).await.refusal(404, "session_not_found");
        daemon.get(&format!("/runtime/events?sessionID={gone}")).await.refusal(404, "session_not_found");
    }
    daemon.session(&id).submit(&Prompt::text("say 1")).await.refusal(404, "session_not_found");
    assert_eq!(daemon.delete(&format!("/session/{id}")).await.json(200), json!(true), "can be repeated");
    daemon.delete("/session/ses_nobody").await.refusal(404, "session_not_found");
    daemon.post("/session", &json!({"id": "ses_parent"})).await.refusal(409, "session_deleted");
    let daemon = daemon.stop().await.1.start().await;
    daemon.post("/session", &json!({"id": "ses_parent"})).await.refusal(409, "session_deleted");
    assert_eq!(daemon.get("/session").await.json(200), json!([]));
}

#[tokio::test]
async fn deleting_a_busy_session_ends_its_run_and_its_streams() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("say 3\nspawn\nhang").await;
    let mut stream = session.stream(0).await;
    stream.until(|event| event.run_id == run && event.is("message.part.updated")).await;
    assert_eq!(daemon.delete(&format!("/session/{id}")).await.json(200), json!(true));
    while stream.next().await.is_some() {}
    daemon.get(&format!("/session/{id}")).await.refusal(404, "session_not_found");
    assert_eq!(daemon.get("/session/status").await.json(200), json!({}));
    let next = daemon.new_session().await;
    assert_eq!(daemon.session(&next).finish("say 1").await["state"], "completed");
}

#[tokio::test]
async fn status_names_busy_sessions_only() {
    let daemon = Daemon::start().await;
    let (busy, idle) = (daemon.new_session().await, daemon.new_session().await);
    daemon.session(&idle).finish("say 1").await;
    let run = daemon.session(&busy).say("hang").await;
    let status = daemon.get("/session/status").await.json(200);
    assert_eq!(status, json!({ &*busy: {"type": "busy"} }));
    daemon.session(&busy).cancel(&run).await.json(200);
    daemon.session(&busy).settled(&run).await;
    assert_eq!(daemon.get("/session/status").await.json(200), json!({}));
}

#[tokio::test]
async fn the_last_plan_is_kept_as_todos() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("plan read | write\nplan measure | think | publish").await;
    let todos = daemon.get(&format!("/session/{id}/todo")).await.json(200);
    let contents: Vec<&str> =
        todos.as_array().expect("an array").iter().filter_map(|todo| todo["content"].as_str()).collect();
    assert_eq!(contents, ["measure", "think", "publish"], "{todos}");
    let events = session.events(0).await;
    let last = events.iter().rfind(|event| event.is("todo.updated")).expect("an event");
    assert_eq!((last.kind.as_str(), &last.properties["todos"]), ("plan", &todos));
}

#[tokio::test]
async fn messages_are_read_whole_by_number_and_by_id() {
    let daemon = Daemon::start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    for prompt in ["say 1", "say 2", "say 3"] {
        assert_eq!(session.finish(prompt).await["state"], "completed");
    }
    let all = session.messages().await;
    let roles: Vec<&str> = all.iter().filter_map(|message| message["info"]["role"].as_str()).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant", "user", "assistant"]);
    let list = async |query: &str| daemon.get(&format!("/session/{id}/message{query}")).await.json(200);
    assert_eq!(list("?limit=0").await, json!(all));
    assert_eq!(list("?limit=2").await, json!(all.get(4..).expect("two")));
    assert_eq!(list("?limit=100").await, json!(all));
    for message in &all {
        let one = message["info"]["id"].as_str().expect("an id");
        assert_eq!(daemon.get(&format!("/session/{id}/message/{one}")).await.json(200), *message);
    }
    let other = daemon.new_session().await;
    let foreign = all.first().and_then(|message| message["info"]["id"].as_str()).expect("an id");
    daemon.get(&format!("/session/{other}/message/{foreign}")).await.refusal(404, "message_not_found");
}

#[tokio::test]
async fn an_isolated_session_works_in_a_folder_of_its_own() {
    let serve = Serve::new();
    let (config, log) = scripted(&serve.world, &[]);
    let daemon = serve.config(config).start().await;
    let isolated = daemon.create(&json!({})).await;
    let another = daemon.create(&json!({"workspace": "isolated"})).await;
    let project = daemon.create(&json!({"workspace": "project"})).await;
    let mut folders = Vec::new();
    for id in [&isolated, &another, &project] {
        assert_eq!(daemon.session(id).finish("text done").await["state"], "completed");
        let opened = log.received("session/new").pop().expect("a session was opened");
        folders.push(opened["params"]["cwd"].as_str().expect("a folder").to_owned());
    }
    let scratch = daemon.world().data().join("workspaces");
    let expected = [scratch.join(&isolated), scratch.join(&another), daemon.world().project()];
    assert_eq!(folders, expected.map(|path| path.display().to_string()));
}

#[tokio::test]
async fn hundreds_of_sessions_that_come_and_go_never_share_an_id() {
    let daemon = Daemon::start().await;
    let mut seen = std::collections::BTreeSet::new();
    for round in 0..300 {
        let id = daemon.new_session().await;
        assert!(seen.insert(id.clone()), "{id} was given before");
        if round % 100 == 0 {
            assert_eq!(daemon.session(&id).finish("say 1").await["state"], "completed");
        }
        assert_eq!(daemon.delete(&format!("/session/{id}")).await.json(200), json!(true));
    }
    assert_eq!(daemon.get("/session").await.json(200), json!([]));
}

#[tokio::test]
async fn scratch_folders_that_a_crash_left_go_at_the_next_start_and_others_stay() {
    let daemon = Daemon::start().await;
    let scratch = daemon.world().data().join("workspaces");
    let [kept, deleted] = [daemon.create(&json!({})).await, daemon.create(&json!({})).await];
    for id in [&kept, &deleted] {
        assert_eq!(daemon.session(id).finish("say 1").await["state"], "completed");
        std::fs::write(scratch.join(id).join("notes.txt"), "mine").expect("a file in its folder");
    }
    daemon.delete(&format!("/session/{deleted}")).await.json(200);
    assert!(!scratch.join(&deleted).exists());
    // As if the daemon had died before it removed the folder.
    for name in [&deleted, "ses_neverwas", "a note"] {
        std::fs::create_dir(scratch.join(name)).expect("a folder");
    }
    let outside = daemon.world().folder("outside");
    std::fs::write(outside.join("a"), "stays").expect("a file");
    std::os::unix::fs::symlink(&outside, scratch.join(&deleted).join("link")).expect("a link");
    let daemon = daemon.crash().await.start().await;
    eventually("it is gone", async || (!scratch.join(&deleted).exists()).then_some(())).await;
    for name in [kept.as_str(), "ses_neverwas", "a note"] {
        assert!(scratch.join(name).exists(), "{name}");
    }
    assert!(outside.join("a").exists(), "links are not followed");
    assert!(scratch.join(&kept).join("notes.txt").exists());
    assert_eq!(daemon.session(&kept).finish("say 1").await["state"], "completed");
}
