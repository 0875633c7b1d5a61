//! Does every statement fit the schema, and does none read a whole table?

use sqlx::{AssertSqlSafe, Connection, Executor, Row, SqlSafeStr};

use super::Data;
use crate::sql;

#[tokio::test]
async fn every_statement_prepares_against_a_migrated_database() {
    let data = Data::new();
    let store = data.open("own_a").await;
    let mut shell = data.shell().await;
    assert!(sql::ALL.len() > 50);
    for (name, statement) in sql::ALL {
        let prepared = shell.prepare((*statement).into_sql_str()).await;
        assert!(prepared.is_ok(), "{name}: {:?}", prepared.err());
    }
    shell.close().await.unwrap();
    store.close().await;
}

#[tokio::test]
async fn no_statement_scans_a_table_that_grows() {
    let data = Data::new();
    let store = data.open("own_a").await;
    let mut shell = data.shell().await;
    // Live runs, open decisions and deletions under way are few whatever the history; owners and projects
    // are few.
    let fine = [
        "run_live",
        "decision_open",
        "session_deleting",
        // Asked for once an hour.
        "part_upload",
        "claim_open",
        "result_trashed",
        "json_each",
        "owner",
        "project",
        "sqlite_master",
        "sqlite_schema",
        "asked",
        "CONSTANT",
    ];
    for (name, statement) in sql::ALL {
        if statement.starts_with("PRAGMA") || ["BEGIN_WRITE", "COMMIT", "ROLLBACK"].contains(name) {
            continue;
        }
        let explain = AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
        for row in shell.fetch_all(explain).await.unwrap() {
            let step: String = row.get("detail");
            let scans = step.starts_with("SCAN") && !fine.iter().any(|word| step.contains(word));
            // The rows of the argument, and what a statement has made for itself of one session's page.
            let own = ["SCAN row", "SCAN head", "SCAN span", "SCAN page"].contains(&step.as_str())
                || step.starts_with("SCAN (subquery")
                || step.starts_with("SCAN j VIRTUAL TABLE");
            assert!(!scans || own, "{name}: {step}");
        }
    }
    shell.close().await.unwrap();
    store.close().await;
}
