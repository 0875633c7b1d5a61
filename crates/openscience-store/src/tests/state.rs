//! Are terminals kept as they were last seen, and is the read model given all there is?

use openscience_protocol::SessionId;
use openscience_protocol::row::{DecisionState, TerminalRow, Write};

use super::{Data, NOW, count, decision_row, id, live_run, write};

fn terminal(name: &str, revision: i64) -> TerminalRow {
    TerminalRow {
        id: name.to_owned(),
        command: "make \"all\"".to_owned(),
        cwd: "/srv".to_owned(),
        output: "a\né".to_owned(),
        truncated: true,
        exit_code: None,
        signal: None,
        created: NOW,
        updated: NOW + revision,
        completed: None,
        stop_requested: None,
        released: None,
        revision,
    }
}

fn put(row: &TerminalRow) -> Write {
    Write::Terminal(Box::new(row.clone()))
}

#[tokio::test]
async fn a_terminal_is_kept_as_it_was_last_seen_and_restored_until_it_is_released() {
    let data = Data::new();
    let store = data.with_session().await;
    let session: SessionId = id("ses_a");
    let held = terminal("ter_1", 1);
    write(&store, vec![put(&held), put(&terminal("ter_2", 1))], vec![]).await.unwrap();
    let over = TerminalRow {
        exit_code: Some(3),
        signal: Some("SIGKILL".to_owned()),
        completed: Some(NOW + 2),
        stop_requested: Some(NOW + 1),
        released: Some(NOW + 3),
        output: String::new(),
        truncated: false,
        ..terminal("ter_2", 2)
    };
    write(&store, vec![put(&over)], vec![]).await.unwrap();
    assert_eq!(store.terminal(&session, "ter_2").await.unwrap(), Some(over.clone()));
    assert_eq!(store.terminal(&session, "ter_3").await.unwrap(), None);
    assert_eq!(store.terminal(&id("ses_none"), "ter_2").await.unwrap(), None);
    // Nothing else is at work in the session.
    let restored = store.restore(&session).await.unwrap().unwrap();
    assert_eq!(restored.terminals, std::slice::from_ref(&held));
    assert_eq!(store.state(&session).await.unwrap().unwrap().terminals, [held, over]);
    store.delete_session(&session, NOW).await.unwrap();
    assert_eq!(count(&data, "terminal").await, 0);
    store.close().await;
}

#[tokio::test]
async fn the_read_model_is_given_everything_of_one_moment() {
    let data = Data::new();
    let store = data.with_session().await;
    let session: SessionId = id("ses_a");
    assert_eq!(store.state(&id("ses_none")).await.unwrap(), None);
    let mut writes = live_run();
    writes.push(Write::Decision(Box::new(decision_row("per_1", "run_a", DecisionState::Resolved))));
    write(&store, writes, vec![]).await.unwrap();
    let rows = store.state(&session).await.unwrap().unwrap();
    assert_eq!(rows.session, store.session(&session).await.unwrap().unwrap());
    assert_eq!(rows.messages, store.messages(&session, None).await.unwrap());
    let names: Vec<&str> = rows.decisions.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(names, ["per_1", "per_a"]);
    assert!(!rows.turns.is_empty());
    let allowed = store.allowed(&session, &id("run_a")).await.unwrap();
    let names: Vec<&str> = allowed.iter().map(|row| row.id.as_str()).collect();
    assert_eq!(names, ["per_1"]);
    assert_eq!(store.allowed(&session, &id("run_other")).await.unwrap(), []);
    store.close().await;
}
