//! What if another program holds the database?

use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;

use super::process::command;
use super::scripted::python;
use super::world::World;

/// Holds the lock for writing, or takes it and lets it go again and again.
const HOLDER: &str = "
import sqlite3, sys, time
database, held = sys.argv[1], float(sys.argv[2])
connection = sqlite3.connect(database, isolation_level=None, timeout=30)
while True:
    connection.execute('BEGIN IMMEDIATE')
    print('held', flush=True)
    time.sleep(held or 600)
    connection.execute('ROLLBACK')
    time.sleep(0.01)
";

/// Another program that has the database locked for writing until this is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _holder: Child,
}

impl Lock {
    /// Held all the time.
    pub(crate) async fn hold(world: &World) -> Self {
        Self::start(world, 0).await
    }

    /// Held for so many milliseconds, free for ten, and so on.
    pub(crate) async fn hold_again_and_again(world: &World, milliseconds: u32) -> Self {
        Self::start(world, milliseconds).await
    }

    async fn start(world: &World, milliseconds: u32) -> Self {
        let database = world.data().join("openscience.db");
        let mut child = holder(&database, milliseconds);
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        assert_eq!(lines.next_line().await.expect("text").as_deref(), Some("held"));
        // The pipe is read to its end, so that the holder never waits for us.
        tokio::spawn(async move { while let Ok(Some(_)) = lines.next_line().await {} });
        Self { _holder: child }
    }
}

fn holder(database: &Path, milliseconds: u32) -> Child {
    command(python())
        .args(["-c", HOLDER])
        .arg(database)
        .arg((f64::from(milliseconds) / 1_000.0).to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("a holder of the lock")
}
