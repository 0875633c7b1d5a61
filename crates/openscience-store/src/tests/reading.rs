//! Do reads find what was written, and nothing else?

use openscience_protocol::row::{
    Append, DecisionState, FollowUpRow, GrantRow, GrantScope, Receipt, SessionRow, TurnRow, Write,
};
use openscience_protocol::run::TurnState;
use openscience_protocol::{RunState, SessionId};

use super::{
    Data, NOW, append_to, assistant, count, create, decision_row, event, id, live_run, project, project_id,
    run_row, session_row, turn_row, user, write,
};
use crate::error::{AppendError, StoreError};
use crate::{Creation, SessionQuery, Store};

async fn listed(store: &Store, query: SessionQuery) -> Vec<String> {
    let sessions = store.list_sessions(&project_id(), &query).await.unwrap();
    sessions.into_iter().map(|session| session.id.as_str().to_owned()).collect()
}

#[tokio::test]
async fn a_session_is_made_once() {
    let data = Data::new();
    let store = data.with_session().await;
    let other = SessionRow { title: "Other".to_owned(), ..session_row("ses_a") };
    let found = store.create_session(other).await.unwrap();
    assert_eq!(found, Creation::Existing(session_row("ses_a")));
    let stray = SessionRow { project_id: id("prj_none"), ..session_row("ses_b") };
    let (refused, made) =
        tokio::join!(store.create_session(stray), store.create_session(session_row("ses_c")));
    assert!(matches!(refused, Err(StoreError::Constraint(_))), "{refused:?}");
    assert_eq!(made.unwrap(), Creation::New(session_row("ses_c")));
    store.close().await;
}

#[tokio::test]
async fn a_deleted_session_leaves_its_id_and_nothing_else() {
    let data = Data::new();
    let store = data.with_session().await;
    write(&store, live_run(), vec![event("x")]).await.unwrap();
    let session: SessionId = id("ses_a");
    assert!(!store.tombstone(&session).await.unwrap());
    store.delete_session(&session, 5).await.unwrap();
    store.delete_session(&session, 6).await.unwrap();
    store.delete_session(&id("ses_none"), 5).await.unwrap();

    assert!(store.tombstone(&session).await.unwrap());
    assert!(!store.tombstone(&id("ses_none")).await.unwrap());
    for table in ["run", "turn", "message", "part", "part_chunk", "decision", "event"] {
        assert_eq!(count(&data, table).await, 0, "{table}");
    }
    assert_eq!(store.session(&session).await.unwrap(), None);
    assert_eq!(store.restore(&session).await.unwrap(), None);
    assert_eq!(store.snapshot(&session).await.unwrap(), None);
    assert_eq!(store.window(&session).await.unwrap(), None);
    assert_eq!(store.messages(&session, None).await.unwrap(), []);
    assert_eq!(listed(&store, SessionQuery::default()).await, Vec::<String>::new());
    assert!(matches!(store.append(append_to("ses_a", 0)).await, Err(AppendError::Gone)));
    assert_eq!(store.create_session(session_row("ses_a")).await.unwrap(), Creation::Deleted);
    store.close().await;
}

#[tokio::test]
async fn sessions_are_listed_newest_first_and_page_by_page() {
    let data = Data::new();
    let store = data.with_session().await;
    store.record_project(&project("prj_b")).await.unwrap();
    for (session, parent, title, updated, project) in [
        ("ses_b", Some("ses_a"), "Straße ÄPFEL", 5, "prj_a"),
        ("ses_c", None, "äpfel", 6, "prj_a"),
        ("ses_d", Some("ses_a"), "pears", 7, "prj_a"),
        ("ses_e", None, "äpfel", 8, "prj_b"),
    ] {
        let row = SessionRow {
            parent_id: parent.map(id),
            title: title.to_owned(),
            updated,
            project_id: id(project),
            ..session_row(session)
        };
        store.create_session(row).await.unwrap();
    }
    let query = SessionQuery::default;
    assert_eq!(listed(&store, query()).await, ["ses_d", "ses_c", "ses_b", "ses_a"]);
    assert_eq!(listed(&store, SessionQuery { roots: true, ..query() }).await, ["ses_c", "ses_a"]);
    assert_eq!(listed(&store, SessionQuery { limit: Some(2), ..query() }).await, ["ses_d", "ses_c"]);
    assert_eq!(listed(&store, SessionQuery { limit: Some(0), ..query() }).await, Vec::<String>::new());
    let next = SessionQuery { limit: Some(2), before: Some(id("ses_c")), ..query() };
    assert_eq!(listed(&store, next).await, ["ses_b", "ses_a"]);
    let unknown = SessionQuery { before: Some(id("ses_none")), ..query() };
    assert_eq!(listed(&store, unknown).await, Vec::<String>::new());
    let since = SessionQuery { updated_since: Some(6), ..query() };
    assert_eq!(listed(&store, since).await, ["ses_d", "ses_c", "ses_a"]);
    let search = SessionQuery { search: Some("Äpfel".to_owned()), ..query() };
    assert_eq!(listed(&store, search.clone()).await, ["ses_c", "ses_b"]);
    assert_eq!(listed(&store, SessionQuery { limit: Some(1), ..search }).await, ["ses_c"]);

    let children = store.children(&id("ses_a")).await.unwrap();
    let children: Vec<&str> = children.iter().map(|session| session.id.as_str()).collect();
    assert_eq!(children, ["ses_d", "ses_b"]);
    // A page goes on behind a session that was deleted meanwhile.
    store.delete_session(&id("ses_c"), 9).await.unwrap();
    let next = SessionQuery { before: Some(id("ses_c")), ..query() };
    assert_eq!(listed(&store, next).await, ["ses_b", "ses_a"]);
    store.close().await;
}

#[tokio::test]
async fn projects_are_remembered_as_first_seen() {
    let data = Data::new();
    let store = data.open("own_a").await;
    let (a, b) = (project("prj_a"), project("prj_b"));
    store.record_project(&a).await.unwrap();
    store.record_project(&b).await.unwrap();
    let renamed = openscience_protocol::Project { worktree: "/elsewhere".to_owned(), ..a.clone() };
    store.record_project(&renamed).await.unwrap();
    assert_eq!(store.projects().await.unwrap(), [a.clone(), b]);
    assert_eq!(store.project(&a.id).await.unwrap(), Some(a));
    assert_eq!(store.project(&id("prj_none")).await.unwrap(), None);
    store.close().await;
}

#[tokio::test]
async fn a_session_at_rest_restores_without_its_history() {
    let data = Data::new();
    let store = data.with_session().await;
    let mut writes = live_run();
    writes.push(Write::Run(Box::new(run_row("run_a", "msg_ask", RunState::Completed))));
    writes.push(Write::Decision(Box::new(decision_row("per_a", "run_a", DecisionState::Resolved))));
    write(&store, writes, vec![]).await.unwrap();
    let rows = store.restore(&id("ses_a")).await.unwrap().unwrap();
    assert_eq!((rows.runs, rows.turns, rows.messages), (vec![], vec![], vec![]));
    assert_eq!((rows.parts, rows.chunks, rows.decisions), (vec![], vec![], vec![]));
    assert_eq!(store.live_sessions(None).await.unwrap(), []);
    store.close().await;
}

#[tokio::test]
async fn restoring_reads_the_live_run_and_leaves_out_what_has_ended() {
    let data = Data::new();
    let store = data.with_session().await;
    let first = vec![
        Write::Message(user(1, "msg_1")),
        Write::Message(assistant(2, "msg_2", "msg_1")),
        Write::Run(Box::new(run_row("run_1", "msg_1", RunState::Completed))),
        Write::Turn(Box::new(turn_row("trn_1", "run_1", "msg_1", Some(1)))),
    ];
    let second = vec![
        Write::Message(user(3, "msg_3")),
        Write::Run(Box::new(run_row("run_2", "msg_3", RunState::Running))),
        Write::Turn(Box::new(turn_row("trn_2", "run_2", "msg_3", Some(1)))),
        Write::Message(assistant(4, "msg_4", "msg_3")),
        // A follow-up of the same run and its answer.
        Write::Message(user(5, "msg_5")),
        Write::Turn(Box::new(turn_row("trn_3", "run_2", "msg_5", None))),
        Write::Message(user(6, "msg_6")),
        Write::Turn(Box::new(TurnRow {
            state: TurnState::Coalesced,
            into_turn_id: Some(id("trn_3")),
            ..turn_row("trn_4", "run_2", "msg_6", Some(2))
        })),
        Write::Message(assistant(7, "msg_7", "msg_6")),
        // Of no run at all.
        Write::Message(assistant(8, "msg_8", "msg_1")),
    ];
    write(&store, [first, second].concat(), vec![]).await.unwrap();
    let rows = store.restore(&id("ses_a")).await.unwrap().unwrap();
    let runs: Vec<&str> = rows.runs.iter().map(|run| run.id.as_str()).collect();
    let turns: Vec<&str> = rows.turns.iter().map(|turn| turn.id.as_str()).collect();
    let positions: Vec<i64> = rows.messages.iter().map(|message| message.position).collect();
    assert_eq!((runs, turns, positions), (vec!["run_2"], vec!["trn_3", "trn_4"], vec![5, 6, 7]));
    store.close().await;
}

#[tokio::test]
async fn a_receipt_is_found_by_its_own_id_whether_it_is_a_runs_or_a_follow_ups() {
    let data = Data::new();
    let store = data.with_session().await;
    let joined = FollowUpRow {
        id: id("run_b"),
        run_id: id("run_a"),
        request_id: None,
        fingerprint: "g".to_owned(),
        message_id: id("msg_more"),
        turn_id: id("trn_b"),
    };
    let mut writes = live_run();
    writes.push(Write::Message(user(3, "msg_more")));
    writes.push(Write::FollowUp(Box::new(joined.clone())));
    write(&store, writes, vec![]).await.unwrap();

    let session = id("ses_a");
    let run = run_row("run_a", "msg_ask", RunState::Running);
    let own = Receipt {
        id: run.id.clone(),
        run_id: run.id.clone(),
        fingerprint: run.fingerprint,
        message_id: run.message_id,
        accepted_at: run.accepted_at,
        turn_id: None,
    };
    let theirs = Receipt {
        id: joined.id,
        fingerprint: joined.fingerprint,
        message_id: joined.message_id,
        turn_id: Some(joined.turn_id.clone()),
        ..own.clone()
    };
    assert_eq!(store.receipt(&session, &id("run_a")).await.unwrap(), Some(own));
    assert_eq!(store.receipt(&session, &id("run_b")).await.unwrap(), Some(theirs));
    assert_eq!(store.receipt(&session, &id("run_c")).await.unwrap(), None);
    assert_eq!(store.run(&session, &id("run_b")).await.unwrap(), None, "it is no run of its own");
    let of = (id("run_a"), joined.turn_id);
    assert_eq!(store.follow_up(&session, &id("run_b")).await.unwrap(), Some(of));
    assert_eq!(store.follow_up(&session, &id("run_a")).await.unwrap(), None);
    assert_eq!(
        store.turn(&session, &id("trn_a")).await.unwrap(),
        Some(turn_row("trn_a", "run_a", "msg_ask", None))
    );
    assert_eq!(store.turn(&session, &id("trn_none")).await.unwrap(), None);
    store.delete_session(&session, NOW).await.unwrap();
    assert_eq!(count(&data, "follow_up").await, 0);
    store.close().await;
}

#[tokio::test]
async fn a_grant_reaches_as_far_as_its_scope_and_an_append_that_relies_on_a_revoked_one_is_not_written() {
    let data = Data::new();
    let store = data.with_session().await;
    let grant = |place: &str, scope| GrantRow {
        id: format!("per_a-{place}"),
        scope,
        permission: "bash".to_owned(),
        pattern: "ls *%".to_owned(),
        created: NOW,
    };
    let (own, project, always) =
        (grant("0", GrantScope::Session), grant("1", GrantScope::Project), grant("2", GrantScope::Always));
    let all = [own.clone(), project.clone(), always.clone()];
    let writes = all.iter().map(|grant| Write::Grant(Box::new(grant.clone()))).collect();
    write(&store, writes, vec![]).await.unwrap();
    let again = Write::Grant(Box::new(GrantRow { id: "per_b-0".to_owned(), ..project.clone() }));
    write(&store, vec![again], vec![]).await.unwrap();

    assert_eq!(store.grants(&id("ses_a")).await.unwrap(), all, "given once");
    create(&store, "ses_b").await;
    assert_eq!(store.grants(&id("ses_b")).await.unwrap(), [project.clone(), always.clone()]);
    assert_eq!(store.standing_grants(&project_id()).await.unwrap(), [project.clone(), always.clone()]);
    assert_eq!(store.standing_grants(&id("prj_none")).await.unwrap(), std::slice::from_ref(&always));

    let relying = || Append { relies_on: vec![project.id.clone()], ..append_to("ses_b", 0) };
    store.append(relying()).await.unwrap();
    assert!(!store.revoke_grant(&id("prj_none"), &project.id).await.unwrap(), "of another project");
    assert!(!store.revoke_grant(&project_id(), &own.id).await.unwrap(), "it ends with its session");
    assert!(store.revoke_grant(&project_id(), &project.id).await.unwrap());
    assert!(matches!(store.append(relying()).await, Err(AppendError::Revision)));
    store.delete_session(&id("ses_a"), NOW).await.unwrap();
    assert_eq!(count(&data, "grant").await, 1);
    store.close().await;
}

#[tokio::test]
async fn a_snapshot_has_the_newest_runs_and_every_live_one() {
    let data = Data::new();
    let store = data.with_session().await;
    let accept = |number: i64, state| {
        let message = format!("msg_{number}");
        [
            Write::Message(user(number, &message)),
            Write::Run(Box::new(run_row(&format!("run_{number}"), &message, state))),
        ]
    };
    let mut writes: Vec<Write> = Vec::new();
    writes.extend(accept(1, RunState::Completed));
    writes.extend(accept(2, RunState::Running));
    writes.extend((3..=101).flat_map(|number| accept(number, RunState::Completed)));
    writes.push(Write::Decision(Box::new(decision_row("per_a", "run_2", DecisionState::Pending))));
    writes.push(Write::Decision(Box::new(decision_row("per_b", "run_2", DecisionState::Indeterminate))));
    write(&store, writes, vec![event("x")]).await.unwrap();

    let shown = async || {
        let rows = store.snapshot(&id("ses_a")).await.unwrap().unwrap();
        let first = rows.runs.iter().take(2).map(|run| run.id.as_str().to_owned()).collect::<Vec<_>>();
        (first, rows.runs.len(), rows.truncated)
    };
    assert_eq!(shown().await, (vec!["run_2".to_owned(), "run_3".to_owned()], 100, true));
    write(&store, accept(102, RunState::Accepted).to_vec(), vec![]).await.unwrap();
    assert_eq!(shown().await, (vec!["run_2".to_owned(), "run_3".to_owned()], 101, true));
    write(&store, accept(103, RunState::Completed).to_vec(), vec![]).await.unwrap();
    assert_eq!(shown().await, (vec!["run_2".to_owned(), "run_4".to_owned()], 101, true));

    let rows = store.snapshot(&id("ses_a")).await.unwrap().unwrap();
    assert_eq!(rows.session.latest_sequence, 1);
    assert_eq!(rows.decisions, [decision_row("per_a", "run_2", DecisionState::Pending)]);
    store.close().await;
}

#[tokio::test]
async fn a_snapshot_of_few_runs_is_whole() {
    let data = Data::new();
    let store = data.with_session().await;
    write(&store, live_run(), vec![]).await.unwrap();
    let rows = store.snapshot(&id("ses_a")).await.unwrap().unwrap();
    assert_eq!(rows.runs, [run_row("run_a", "msg_ask", RunState::Running)]);
    assert!(!rows.truncated);
    store.close().await;
}

#[tokio::test]
async fn decisions_and_live_runs_are_found_by_project() {
    let data = Data::new();
    let store = data.with_session().await;
    write(&store, live_run(), vec![]).await.unwrap();
    let pending = decision_row("per_a", "run_a", DecisionState::Pending);
    assert_eq!(store.decision(&id("ses_a"), &pending.id).await.unwrap(), Some(pending.clone()));
    assert_eq!(store.decision(&id("ses_a"), &id("per_none")).await.unwrap(), None);
    let session_of = async |project: &str, decision: &str| {
        store.decision_session(&id(project), &id(decision)).await.unwrap()
    };
    assert_eq!(session_of(project_id().as_str(), "per_a").await, Some(id("ses_a")));
    assert_eq!(session_of(project_id().as_str(), "per_none").await, None);
    assert_eq!(session_of("prj_none", "per_a").await, None);
    assert_eq!(store.pending_decisions(&project_id()).await.unwrap(), [pending]);
    assert_eq!(store.pending_decisions(&id("prj_none")).await.unwrap(), []);
    let live = [(id("ses_a"), id("own_a"), id("run_a"))];
    assert_eq!(store.live_sessions(Some(&project_id())).await.unwrap(), live);
    assert_eq!(store.live_sessions(Some(&id("prj_none"))).await.unwrap(), []);
    let answered = decision_row("per_a", "run_a", DecisionState::Indeterminate);
    write(&store, vec![Write::Decision(Box::new(answered.clone()))], vec![]).await.unwrap();
    assert_eq!(store.pending_decisions(&project_id()).await.unwrap(), []);
    assert_eq!(store.restore(&id("ses_a")).await.unwrap().unwrap().decisions, [answered]);
    store.close().await;
}

#[tokio::test]
async fn a_session_lists_only_its_own() {
    let data = Data::new();
    let store = data.with_session().await;
    create(&store, "ses_b").await;
    write(&store, live_run(), vec![]).await.unwrap();
    let other: SessionId = id("ses_b");
    assert_eq!(store.run(&other, &id("run_a")).await.unwrap(), None);
    assert!(store.run(&id("ses_a"), &id("run_a")).await.unwrap().is_some());
    assert!(!store.message_used(&other, "msg_ask").await.unwrap());
    assert!(store.message_used(&id("ses_a"), "msg_ask").await.unwrap());
    assert_eq!(store.message(&other, &id("msg_ask")).await.unwrap(), None);
    assert_eq!(store.restore(&other).await.unwrap().unwrap().runs, []);
    store.close().await;
}
