//! Stands in for the daemon where a test has to kill it.
//!
//! `host exec-child …` is the step before the agent; `host hold COMMAND ARG…`
//! starts an agent through that step, prints its pid and waits for its end.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "its output is what it is for")]

use std::collections::BTreeMap;
use std::process::ExitCode;

use openscience_acp::{AcpLimits, Launch, Offer, connect, exec_child};
use openscience_protocol::Limits;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut args = std::env::args_os().skip(1);
    let verb = args.next().unwrap_or_default();
    if verb == "exec-child" {
        eprintln!("{}", exec_child(args));
        return ExitCode::from(127);
    }
    let mut args = args.filter_map(|arg| arg.into_string().ok());
    let launch = Launch {
        agent: "held".into(),
        command: args.next().unwrap_or_default().into(),
        args: args.collect(),
        env: BTreeMap::new(),
        secrets: Vec::new(),
        base_env: std::env::vars().collect(),
        cwd: std::env::temp_dir(),
        exec_child: std::env::current_exe().ok(),
        ordered: true,
        offer: Offer::NONE,
        mark: format!("host-{}", std::process::id()),
    };
    match connect(launch, AcpLimits::from(&Limits::default())).await {
        Ok(connection) => {
            println!("{}", connection.pid().unwrap_or_default());
            connection.closed().await;
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
