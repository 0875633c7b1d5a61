//! What becomes of the files that agents save: with every end of a turn, every crash, and for everyone who asks?

use std::path::Path;
use std::sync::Arc;

use futures_util::future::{join, join_all};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Daemon, Event, Serve, encode, eventually};

/// A daemon that saves whatever room its disk has.
async fn start() -> Daemon {
    Serve::new().config(json!({"limits": {"diskReserveBytes": 1}})).start().await
}

/// Files of the session as listed.
async fn files(daemon: &Daemon, session: &str) -> Vec<Value> {
    let listed = daemon.get(&format!("/session/{session}/artifact")).await.json(200);
    listed.as_array().expect("files").clone()
}

/// The same once each is with its message.
async fn finalized(daemon: &Daemon, session: &str, count: usize) -> Vec<Value> {
    eventually("the files are with their messages", async || {
        let files = files(daemon, session).await;
        (files.len() == count && files.iter().all(|file| file["messageId"].is_string())).then_some(files)
    })
    .await
}

async fn raw(daemon: &Daemon, file: &Value) -> String {
    let id = encode(file["id"].as_str().expect("an id"));
    let reply = daemon.get(&format!("/artifact/{id}/raw")).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    reply.text()
}

fn created(events: &[Event]) -> Vec<&Event> {
    events.iter().filter(|event| event.is("artifact.created")).collect()
}

fn names(files: &[Value]) -> Vec<&str> {
    files.iter().map(|file| file["name"].as_str().expect("a name")).collect()
}

#[tokio::test]
async fn a_file_that_an_agent_saves_is_with_its_answer_and_is_a_result() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("say 2\nartifact notes.md \"# Notes\"").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    assert!(session.answer(&receipt).await.contains("notes.md was saved"));

    let events = session.events(0).await;
    let types: Vec<&str> = events.iter().map(|event| event.name.as_str()).collect();
    let tail = ["message.updated", "session.idle", "runtime.completed"];
    assert_eq!(types[types.len() - 3..], tail);
    let [told] = created(&events)[..] else { panic!("told once: {types:?}") };
    assert_eq!((told.kind.as_str(), &told.properties["runID"]), ("artifact", &receipt["runID"]));
    assert_eq!(told.properties["artifactSessionID"], json!(id));
    assert!(told.properties["artifactClaimID"].is_string() && told.properties["turnID"].is_string());
    let pending = &told.properties["files"][0];
    let run = pending["runId"].as_str().expect("a run").to_owned();
    assert_eq!(pending["id"], json!(format!("{id}:{run}:notes.md")));
    assert!(pending.get("path").is_none() && pending.get("messageId").is_none(), "{pending}");

    let files = files(&daemon, &id).await;
    let [file] = files.as_slice() else { panic!("{files:?}") };
    let message = receipt["resultMessageID"].as_str().expect("an answer");
    assert_eq!(file["id"], json!(format!("{id}:{message}:notes.md")));
    assert_eq!((&file["messageId"], file.get("runId")), (&json!(message), None));
    assert_eq!(
        (&file["mimeType"], &file["size"], &file["name"]),
        (&json!("text/markdown"), &json!(7), &json!("notes.md"))
    );
    assert_eq!((&file["resultID"], &file["versionID"]), (&pending["resultID"], &pending["versionID"]));
    let path = file["path"].as_str().expect("a path");
    assert_eq!(std::fs::read_to_string(path).expect("the file"), "# Notes");
    assert!(path.ends_with(&format!(
        "/artifacts/{}/{id}/{message}/notes.md",
        file["projectName"].as_str().expect("a project")
    )));
    let url = path.split('/').map(encode).collect::<Vec<_>>().join("/");
    assert_eq!(file["fileUrl"], json!(format!("file://{url}")));
    assert_eq!(raw(&daemon, file).await, "# Notes");
    assert_eq!(raw(&daemon, pending).await, "# Notes", "the name it was told under is its name for ever");

    let results = daemon.get("/file/artifact-store").await.json(200);
    let result = &results[0];
    assert_eq!(
        (&result["id"], &result["title"], &result["kind"]),
        (&file["resultID"], &json!("notes.md"), &json!("document"))
    );
    assert_eq!(
        (&result["state"], &result["versionCount"], &result["schemaVersion"]),
        (&json!("active"), &json!(1), &json!(1))
    );
    assert_eq!(
        (&result["current"]["messageID"], &result["current"]["captureQuality"]),
        (&json!(message), &json!("exact"))
    );
    let said = json!(session.messages().await).to_string();
    assert!(!said.contains(daemon.world().data().to_str().expect("a path")), "no path is told to the agent");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn whatever_ends_a_turn_its_files_are_kept() {
    let daemon = start().await;
    for (prompt, state) in [
        ("artifact a.txt kept\nexit 3", "failed"),
        ("artifact a.txt kept\nfail -32603", "failed"),
        ("artifact a.txt kept\nstop cancelled", "failed"),
        ("artifact a.txt kept\nstop max_tokens", "completed"),
    ] {
        let id = daemon.new_session().await;
        let receipt = daemon.session(&id).finish(prompt).await;
        assert_eq!(receipt["state"], state, "{prompt}: {receipt}");
        let files = files(&daemon, &id).await;
        assert_eq!(files.len(), 1, "{prompt}");
        assert_eq!(files[0]["messageId"], receipt["resultMessageID"], "{prompt}");
        assert_eq!(raw(&daemon, &files[0]).await, "kept");
        let events = daemon.session(&id).events(0).await;
        assert_eq!(created(&events).len(), 1);
        assert!(events.last().is_some_and(Event::is_terminal));
    }
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("artifact a.txt kept\nhang").await;
    eventually("it is saved", async || {
        (!session.messages().await.is_empty()
            && json!(session.messages().await).to_string().contains("was saved"))
        .then_some(())
    })
    .await;
    assert_eq!(files(&daemon, &id).await, [] as [Value; 0], "what the turn saves is told at its end");
    session.cancel(&run).await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "cancelled");
    assert_eq!(files(&daemon, &id).await[0]["messageId"], receipt["resultMessageID"]);
}

#[tokio::test]
async fn an_agent_that_heeds_nothing_is_over_in_time_with_what_it_saved() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let run = session.say("artifact a.txt kept\nignore-cancel\nignore-term\nignore-eof\nsay 1\nhang").await;
    eventually("it hangs", async || json!(session.messages().await).to_string().contains("w1").then_some(()))
        .await;
    let begin = std::time::Instant::now();
    session.cancel(&run).await.json(200);
    let receipt = session.settled(&run).await;
    assert_eq!(receipt["state"], "cancelled");
    assert!(begin.elapsed().as_secs() < 12, "{:?}", begin.elapsed());
    assert_eq!(names(&finalized(&daemon, &id, 1).await), ["a.txt"]);
}

#[tokio::test]
async fn what_is_saved_after_the_turn_is_over_is_refused() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("artifact a.txt 1\nlate 50\nartifact b.txt 2").await;
    assert_eq!(receipt["state"], "completed");
    let told = eventually("the late call is answered", async || {
        let said = json!(session.messages().await).to_string();
        said.contains("b.txt was not saved").then_some(said)
    })
    .await;
    assert!(told.contains("no artifact run is active"), "{told}");
    assert_eq!(names(&files(&daemon, &id).await), ["a.txt"]);
    // The next turn saves again.
    session.finish("artifact c.txt 3").await;
    assert_eq!(names(&files(&daemon, &id).await), ["a.txt", "c.txt"]);
}

#[tokio::test]
async fn a_killed_daemons_files_are_claimed_and_put_away_by_the_next_one() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    let run = daemon.session(&id).say("artifact a.txt one\nartifact b.txt two\nsay 1\nhang").await;
    eventually("both are saved", async || {
        json!(daemon.session(&id).messages().await).to_string().contains("b.txt was saved").then_some(())
    })
    .await;
    let daemon = daemon.crash().await.start().await;
    assert_eq!(daemon.session(&id).run(&run).await["state"], "interrupted");
    let events = daemon.session(&id).events(0).await;
    assert_eq!(created(&events).len(), 1);
    let at = |name: &str| events.iter().position(|event| event.is(name));
    assert!(at("artifact.created") < at("runtime.failed"), "told before the end");
    let listed = finalized(&daemon, &id, 2).await;
    assert_eq!(names(&listed), ["a.txt", "b.txt"]);
    assert_eq!(join_all(listed.iter().map(|file| raw(&daemon, file))).await, ["one", "two"]);
    // A second start changes nothing.
    let daemon = daemon.crash().await.start().await;
    assert_eq!(files(&daemon, &id).await, listed);
    assert_eq!(daemon.session(&id).events(0).await, events);
    assert_eq!(daemon.get("/file/artifact-store").await.json(200).as_array().map(Vec::len), Some(2));
}

#[tokio::test]
async fn a_shutdown_in_mid_turn_keeps_what_was_saved() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).say("ignore-cancel\nartifact a.txt one\nhang").await;
    eventually("it is saved", async || {
        json!(daemon.session(&id).messages().await).to_string().contains("a.txt was saved").then_some(())
    })
    .await;
    let (status, serve) = daemon.stop().await;
    assert_eq!(status.code(), Some(0));
    let daemon = serve.start().await;
    let listed = finalized(&daemon, &id, 1).await;
    assert_eq!(raw(&daemon, &listed[0]).await, "one");
    let events = daemon.session(&id).events(0).await;
    assert_eq!(created(&events).len(), 1);
    assert!(events.last().is_some_and(Event::is_terminal));
}

#[tokio::test]
async fn files_are_bound_to_their_answer_while_others_change_the_session() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let save = (0..5).map(|number| format!("artifact f{number}.txt {number}")).collect::<Vec<_>>().join("\n");
    let rename = async {
        for number in 0..50 {
            let title = json!({ "title": format!("t{number}") });
            daemon.patch(&format!("/session/{id}"), &title).await.json(200);
        }
    };
    let (receipt, ()) = join(session.finish(&save), rename).await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let files = files(&daemon, &id).await;
    assert_eq!(files.len(), 5);
    assert!(files.iter().all(|file| file["messageId"] == receipt["resultMessageID"]), "{files:?}");
    session.assert_transcript_is_told().await;
}

#[tokio::test]
async fn saving_the_same_name_again_loses_no_bytes() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("artifact plot.txt one\nartifact plot.txt two\nartifact Plot.txt other").await;
    session.finish("artifact plot.txt three").await;
    let files = files(&daemon, &id).await;
    assert_eq!(names(&files), ["Plot.txt", "plot.txt", "plot.txt"]);
    assert_eq!(join_all(files.iter().map(|file| raw(&daemon, file))).await, ["other", "two", "three"]);
    let result = files[1]["resultID"].as_str().expect("a result");
    assert_eq!(files[2]["resultID"], result);
    let detail = daemon.get(&format!("/file/artifact-store/{result}")).await.json(200);
    let versions = detail["versions"].as_array().expect("versions");
    assert_eq!(
        versions.iter().map(|version| version["version"].as_i64()).collect::<Vec<_>>(),
        [Some(3), Some(2), Some(1)]
    );
    for (version, content) in versions.iter().zip(["three", "two", "one"]) {
        let id = version["id"].as_str().expect("an id");
        let reply = daemon.get(&format!("/file/artifact-store/{result}/raw?versionID={id}")).await;
        assert_eq!(reply.text(), content);
        assert_eq!(
            reply.header("etag"),
            format!("\"sha256:{}\"", version["sha256"].as_str().expect("a digest"))
        );
    }
    assert_eq!(daemon.get(&format!("/artifact/{result}/raw")).await.text(), "three");
}

#[tokio::test]
async fn bytes_are_answered_whole_in_part_or_not_again_and_never_run() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("artifact page.html \"<script>alert(1)</script>\"").await;
    let file = files(&daemon, &id).await[0].clone();
    let path = format!("/artifact/{}/raw", file["resultID"].as_str().expect("a result"));
    let ask = async |header: &str, value: &str| {
        daemon.send(daemon.request(Method::GET, &path).header(header, value)).await
    };
    let whole = daemon.get(&path).await;
    assert_eq!(whole.header("content-type"), "text/html; charset=utf-8");
    assert!(whole.header("content-security-policy").starts_with("sandbox;"), "{:?}", whole.headers);
    assert_eq!(whole.header("x-content-type-options"), "nosniff");
    assert_eq!(whole.header("cache-control"), "private, no-store, max-age=0");
    assert_eq!(whole.header("content-disposition"), "inline; filename*=UTF-8''page.html");
    let tag = whole.header("etag").to_owned();
    let saved = daemon.get(&format!("{path}?download=true")).await;
    assert_eq!(saved.header("content-disposition"), "attachment; filename*=UTF-8''page.html");

    let part = ask("range", "bytes=1-6").await;
    assert_eq!(
        (part.status, part.text().as_str(), part.header("content-range")),
        (206, "script", "bytes 1-6/25")
    );
    assert_eq!(ask("range", "bytes=-9").await.text(), "</script>");
    let beyond = ask("range", "bytes=99-").await;
    beyond.refusal(416, "range_not_satisfiable");
    assert_eq!(beyond.header("content-range"), "bytes */25");
    let again = ask("if-none-match", &tag).await;
    assert_eq!((again.status, again.body.len()), (304, 0));
    let mut request = daemon.request(Method::GET, &path).header("range", "bytes=1-6");
    request = request.header("if-range", "\"sha256:other\"");
    assert_eq!(daemon.send(request).await.status, 200, "a part of other bytes is of no use");
    let head = daemon.send(daemon.request(Method::HEAD, &path)).await;
    assert_eq!((head.status, head.header("content-length"), head.body.len()), (200, "25", 0));

    // Bytes that are not what was saved are not sent.
    let digest = tag.trim_matches('"').strip_prefix("sha256:").expect("a digest");
    let kept = daemon.world().data().join("artifacts").join(file["projectName"].as_str().expect("a project"));
    let kept = kept.join(".blobs").join(digest.get(..2).expect("a digest")).join(digest);
    std::fs::remove_file(&kept).expect("kept there");
    std::fs::write(&kept, "other").expect("replaced");
    daemon.get(&path).await.refusal(500, "artifact_damaged");
    std::fs::remove_file(&kept).expect("replaced");
    daemon.get(&path).await.refusal(410, "artifact_damaged");
}

#[tokio::test]
async fn an_artifact_is_looked_at_a_page_at_a_time() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("artifact table.csv \"a,b\\n1,2\\n3,4\"").await;
    let file = finalized(&daemon, &id, 1).await[0].clone();
    let (result, own) = (file["resultID"].as_str().expect("a result"), file["id"].as_str().expect("an id"));
    let shown = daemon.get(&format!("/artifact/{result}/preview")).await.json(200);
    assert!(shown.to_string().contains('3'), "{shown}");
    assert_eq!(daemon.get(&format!("/artifact/{}/preview", encode(own))).await.json(200), shown);
    let page = daemon.get(&format!("/artifact/{result}/preview?offset=4&maxBytes=4")).await.json(200);
    assert_eq!((&page["rows"], &page["truncated"]), (&json!([["1", "2"]]), &json!(true)), "{page}");
    daemon.get(&format!("/artifact/{result}/preview?offset=99")).await.refusal(400, "invalid_request");
    daemon.get("/artifact/art_nope/preview").await.refusal(404, "artifact_not_found");
    daemon.session(&id).finish("artifact table.csv \"x,y\"").await;
    let version = file["versionID"].as_str().expect("a version");
    let before = daemon.get(&format!("/artifact/{result}/preview?versionID={version}")).await.json(200);
    assert_eq!(before, shown);
    daemon.get(&format!("/artifact/{result}/preview?versionID=x")).await.refusal(400, "invalid_request");
}

#[tokio::test]
async fn a_claim_that_fails_is_its_own_state_and_can_be_asked_for_again() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let first = session.finish("artifact a.txt 1").await;
    let project = files(&daemon, &id).await[0]["projectName"].as_str().expect("a project").to_owned();
    let folder = daemon.world().data().join("artifacts").join(project).join(&id);
    // Nobody can say any more which message a run goes to.
    std::fs::rename(folder.join(".runs"), folder.join("aside")).expect("moved");
    std::fs::write(folder.join(".runs"), "").expect("written");
    let receipt = session.finish("artifact b.txt 2").await;
    assert_eq!(receipt["state"], "completed", "{receipt}");
    let listed = files(&daemon, &id).await;
    let failed = listed.iter().find(|file| file["name"] == "b.txt").expect("listed");
    assert_eq!((&failed["claim"]["state"], failed.get("messageId")), (&json!("failed"), None), "{failed}");
    assert!(failed["claim"]["reason"].as_str().is_some_and(|why| !why.contains('/')), "{failed}");
    assert_eq!(raw(&daemon, failed).await, "2", "nothing is lost");

    let finalize = async |claim: &Value, message: &Value| {
        daemon.post("/artifact/finalize", &json!({"claimID": claim, "messageID": message})).await
    };
    let (claim, message) = (&failed["claim"]["id"], &receipt["resultMessageID"]);
    finalize(claim, message).await.refusal(409, "claim_not_finalized");
    std::fs::remove_file(folder.join(".runs")).expect("removed");
    std::fs::rename(folder.join("aside"), folder.join(".runs")).expect("moved back");
    finalize(claim, &first["resultMessageID"]).await.refusal(409, "claim_conflict");
    let done = finalize(claim, message).await.json(200);
    assert_eq!((&done[0]["name"], &done[0]["messageId"]), (&json!("b.txt"), message));
    assert_eq!(finalize(claim, message).await.json(200), done, "again it is the same list");
    finalize(&json!("clm_unknown"), message).await.refusal(404, "claim_not_found");
    assert!(Path::new(done[0]["path"].as_str().expect("a path")).is_file());
    assert_eq!(
        session.run(receipt["runID"].as_str().expect("a run")).await,
        receipt,
        "the run is what it was"
    );
}

#[tokio::test]
async fn two_daemons_that_finalize_one_claim_answer_the_same() {
    let one = start().await;
    let two = Serve::on(&Arc::clone(&one.serve.world))
        .config(json!({"limits": {"diskReserveBytes": 1}}))
        .start()
        .await;
    let id = one.new_session().await;
    let receipt = one.session(&id).finish("artifact a.txt 1\nartifact b.txt 2").await;
    let claim = created(&one.session(&id).events(0).await)[0].properties["artifactClaimID"].clone();
    let body = json!({"claimID": claim, "messageID": receipt["resultMessageID"]});
    let asked = (0..4).flat_map(|_| [&one, &two]).map(|daemon| daemon.post("/artifact/finalize", &body));
    let answers: Vec<Value> = join_all(asked).await.iter().map(|reply| reply.json(200)).collect();
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(names(answers[0].as_array().expect("files")), ["a.txt", "b.txt"]);
    assert_eq!(files(&two, &id).await, files(&one, &id).await);
}

#[tokio::test]
async fn sessions_side_by_side_save_into_their_own() {
    let daemon = start().await;
    let ids = join_all((0..10).map(|_| daemon.new_session())).await;
    let turns = ids.iter().enumerate().map(async |(number, id)| {
        let session = daemon.session(id);
        session.finish(&format!("artifact a.txt {number}-1\nsay 3 5")).await;
        session.finish(&format!("say 3 5\nartifact b.txt {number}-2")).await;
    });
    join_all(turns).await;
    for (number, id) in ids.iter().enumerate() {
        let files = files(&daemon, id).await;
        assert_eq!(names(&files), ["a.txt", "b.txt"]);
        let contents = join_all(files.iter().map(|file| raw(&daemon, file))).await;
        assert_eq!(contents, [format!("{number}-1"), format!("{number}-2")]);
    }
}

#[tokio::test]
async fn a_deleted_session_leaves_its_results_and_nothing_pending() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    session.finish("artifact kept.txt 1").await;
    let file = files(&daemon, &id).await[0].clone();
    let run = session.say("artifact last.txt 2\nhang").await;
    eventually("it is saved", async || {
        json!(session.messages().await).to_string().contains("last.txt was saved").then_some(())
    })
    .await;
    session.running(&run).await;
    daemon.delete(&format!("/session/{id}")).await.json(200);
    daemon.get(&format!("/session/{id}/artifact")).await.refusal(404, "session_not_found");
    let path = Path::new(file["path"].as_str().expect("a path"));
    assert_eq!(std::fs::read_to_string(path).expect("kept"), "1");
    let pending = path.parent().and_then(Path::parent).expect("a folder").join(".pending");
    assert!(!pending.exists(), "{}", pending.display());
    let results = daemon.get("/file/artifact-store").await.json(200);
    let titles: Vec<&str> =
        results.as_array().expect("results").iter().filter_map(|result| result["title"].as_str()).collect();
    assert_eq!(titles.len(), 2, "{results}");
    for result in results.as_array().expect("results") {
        assert_eq!(result["current"]["sessionID"], json!(id));
        let raw = daemon.get(&format!("/artifact/{}/raw", result["id"].as_str().expect("an id"))).await;
        assert_eq!(raw.text(), if result["title"] == "kept.txt" { "1" } else { "2" });
    }
    assert_eq!(raw(&daemon, &file).await, "1", "also by the name it had in its session");
}

#[tokio::test]
async fn results_are_renamed_put_into_the_trash_and_taken_out_again() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("artifact a.csv x").await;
    let result = daemon.get("/file/artifact-store").await.json(200)[0].clone();
    let path = format!("/file/artifact-store/{}", result["id"].as_str().expect("an id"));
    assert_eq!(daemon.patch(&path, &json!({"title": "Table 1"})).await.json(200)["title"], "Table 1");
    for bad in [json!({}), json!({"title": " "}), json!({"title": "x".repeat(241)})] {
        daemon.patch(&path, &bad).await.refusal(400, "invalid_request");
    }
    let trashed = daemon.delete(&path).await.json(200);
    assert_eq!((&trashed["state"], trashed["trashedAt"].is_i64()), (&json!("trash"), true));
    assert_eq!(daemon.get("/file/artifact-store").await.json(200), json!([]));
    assert_eq!(daemon.get("/file/artifact-store?state=trash").await.json(200)[0], trashed);
    assert_eq!(daemon.get(&format!("{path}/raw")).await.text(), "x");
    let back = daemon.post(&format!("{path}/restore"), &json!({})).await.json(200);
    assert_eq!((&back["state"], back.get("trashedAt")), (&json!("active"), None));
    // What is saved again comes out of the trash, under the name it was given.
    daemon.delete(&path).await.json(200);
    daemon.session(&id).finish("artifact a.csv y").await;
    let again = daemon.get("/file/artifact-store").await.json(200)[0].clone();
    assert_eq!((&again["title"], &again["versionCount"]), (&json!("Table 1"), &json!(2)));
    for unknown in ["/file/artifact-store/art_none", "/artifact/art_none/raw", "/artifact/ses_x:msg_y:z/raw"]
    {
        daemon.get(unknown).await.refusal(404, "artifact_not_found");
    }
    daemon.get("/artifact/nonsense/raw").await.refusal(400, "invalid_request");
    daemon.get("/file/artifact-store?state=gone").await.refusal(400, "invalid_request");
}

#[tokio::test]
async fn a_project_sees_its_own_results_only() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    daemon.session(&id).finish("artifact a.txt secret").await;
    let file = files(&daemon, &id).await[0].clone();
    let other = encode(&daemon.world().folder("other").display().to_string());
    let result = file["resultID"].as_str().expect("a result");
    let composite = encode(file["id"].as_str().expect("an id"));
    assert_eq!(daemon.get(&format!("/file/artifact-store?directory={other}")).await.json(200), json!([]));
    for path in [
        format!("/artifact/{result}/raw?directory={other}"),
        format!("/artifact/{composite}/raw?directory={other}"),
        format!("/file/artifact-store/{result}?directory={other}"),
    ] {
        daemon.get(&path).await.refusal(404, "artifact_not_found");
    }
    daemon.get(&format!("/session/{id}/artifact?directory={other}")).await.refusal(404, "session_not_found");
}

#[tokio::test]
async fn a_file_that_a_person_names_is_the_next_version_of_what_it_is() {
    let daemon = start().await;
    let id = daemon.new_session().await;
    let project = daemon.world().project();
    std::fs::write(project.join("table.csv"), "a\n").expect("written");
    let declare = async |path: &str| {
        daemon.post("/file/artifact", &json!({"path": path, "sessionID": id, "summary": "why"})).await
    };
    let first = declare("table.csv").await.json(200);
    assert_eq!(
        (&first["title"], &first["kind"], &first["summary"]),
        (&json!("table.csv"), &json!("table"), &json!("why"))
    );
    std::fs::write(project.join("table.csv"), "b\n").expect("written");
    let second = declare(project.join("./table.csv").to_str().expect("a path")).await.json(200);
    assert_eq!((&second["id"], &second["versionCount"]), (&first["id"], &json!(2)));
    assert_eq!(second["current"]["captureQuality"], "declared");
    declare("/etc/passwd").await.refusal(403, "path_not_allowed");
    declare("../x").await.refusal(403, "path_not_allowed");
    declare("gone.csv").await.refusal(404, "file_not_found");
    declare(".").await.refusal(400, "artifact_refused");
    let sparse = std::fs::File::create(project.join("big")).expect("made");
    sparse.set_len((1 << 30) + 1).expect("sparse");
    assert_eq!(declare("big").await.refusal(413, "payload_too_large")["limit"], json!(1 << 30));
    daemon
        .post("/file/artifact", &json!({"path": "table.csv", "sessionID": "ses_none"}))
        .await
        .refusal(404, "session_not_found");
}

#[tokio::test]
async fn bounds_are_told_to_the_agent_and_many_files_are_listed_in_pages() {
    let config =
        json!({"limits": {"artifactInlineBytes": 10, "artifactRunBytes": 50, "diskReserveBytes": 1}});
    let daemon = Serve::new().config(config).start().await;
    let id = daemon.new_session().await;
    let session = daemon.session(&id);
    let receipt = session.finish("artifact a.txt 12345678901\nartifact ../b.txt x").await;
    let answer = session.answer(&receipt).await;
    assert!(answer.contains("too long to be sent inline; at most 10 bytes"), "{answer}");
    assert!(answer.contains("plain name without a path"), "{answer}");
    assert_eq!(files(&daemon, &id).await, [] as [Value; 0]);
    let many =
        (0..12).map(|number| format!("artifact f{number:02}.txt 12345")).collect::<Vec<_>>().join("\n");
    let receipt = session.finish(&many).await;
    assert!(session.answer(&receipt).await.contains("one turn may save at most 50 bytes"));
    let mut seen = Vec::new();
    let mut path = format!("/session/{id}/artifact?limit=4");
    loop {
        let page = daemon.get(&path).await;
        let listed = page.json(200).as_array().expect("files").clone();
        assert!(listed.len() <= 4);
        seen.extend(listed);
        let next = page.header("x-next-cursor");
        if next.is_empty() {
            break;
        }
        path = format!("/session/{id}/artifact?limit=4&after={next}");
    }
    let expected: Vec<String> = (0..10).map(|number| format!("f{number:02}.txt")).collect();
    assert_eq!(names(&seen), expected);
}
