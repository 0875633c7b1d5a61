//! The life of the daemon: start, say where it listens, serve, end.

use std::process::ExitCode;
use std::time::Duration;

use openscience_runtime::Runtime;
use tokio::net::TcpListener;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::Format;
use super::failure::StartFailure;
use super::listen::{ListenError, Reservation};
use super::plan::Plan;
use super::signals::Signals;
use crate::output::{self, one_line};
use crate::telemetry::LogFile;

/// An orderly end takes at most this long; who started us may kill at 10 s.
pub(in crate::cli) const SHUTDOWN_TIME: Duration = Duration::from_secs(6);
/// A person who waits for longer wants to know what for.
const PATIENCE: Duration = Duration::from_millis(500);
/// The process ends by then even if nothing in it makes progress any more.
const WATCHDOG_TIME: Duration = Duration::from_secs(8);

/// Serves until a signal says otherwise.
pub(super) async fn run(plan: Plan, format: Format, log: Option<LogFile>) -> Result<ExitCode, StartFailure> {
    let mut signals =
        Signals::install().map_err(|source| StartFailure::System { what: "signal handlers", source })?;
    let reservation = Reservation::new(plan.address, plan.port)?;
    let data_dir = plan.runtime.data_dir.clone();
    let runtime = tokio::select! {
        started = Runtime::start(plan.runtime) => started?,
        () = signals.next() => return Ok(ExitCode::SUCCESS),
    };
    if let Some(Err(error)) = log.map(|log| log.open(&data_dir)) {
        output::notice(format_args!("warning: nothing is logged, the log file cannot be opened: {error}"));
    }
    let (listener, port) = match listen(reservation) {
        Ok(listening) => listening,
        Err(error) => {
            runtime.shutdown().await;
            return Err(error.into());
        }
    };
    let url = format!("http://127.0.0.1:{port}");
    let stop = CancellationToken::new();
    let router = openscience_server::router(runtime.clone(), plan.server);
    let mut serving = tokio::spawn(openscience_server::serve(listener, router, stop.clone()));
    if let Err(error) = runtime.announce_url(&url).await {
        tracing::warn!(error = one_line(&error), "other processes do not know where this one listens");
    }
    if let Err(error) = output::answer(&ready_line(format, &url)) {
        tracing::warn!(%error, "nobody could be told that the server is ready");
    }
    tracing::info!(url, "serving");
    let asked_to_end = tokio::select! {
        () = signals.next() => true,
        ended = &mut serving => {
            tracing::error!(?ended, "the server stopped by itself");
            false
        }
    };
    start_watchdog(&runtime);
    stop.cancel();
    let orderly = end(&runtime, &mut signals).await;
    Ok(if asked_to_end && orderly { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn listen(reservation: Reservation) -> Result<(TcpListener, u16), ListenError> {
    let listener = reservation.listen()?;
    let port = listener.local_addr().map_err(|source| ListenError::Refused { port: 0, source })?.port();
    Ok((listener, port))
}

/// Ends the process even if nothing in it makes progress any more.
pub(in crate::cli) fn start_watchdog(runtime: &Runtime) {
    let runtime = runtime.clone();
    std::thread::spawn(move || {
        std::thread::sleep(WATCHDOG_TIME);
        runtime.kill_all();
        std::process::exit(1);
    });
}

/// Ends all work. True if it ended in order, in time and without a second signal.
async fn end(runtime: &Runtime, signals: &mut Signals) -> bool {
    tracing::info!("stopping");
    let orderly = tokio::select! {
        ended = timeout(SHUTDOWN_TIME, runtime.shutdown()) => ended.unwrap_or(false),
        () = signals.next() => false,
        () = tell_who_waits() => false,
    };
    if orderly {
        tracing::info!("stopped");
    } else {
        tracing::warn!("stopped before everything had ended");
        runtime.kill_all();
    }
    orderly
}

/// Says once why the end takes a while.
async fn tell_who_waits() {
    tokio::time::sleep(PATIENCE).await;
    output::notice("stopping: agents are given a few seconds to end; a second signal kills them at once");
    std::future::pending::<()>().await;
}

/// The one line on standard output, whole programs wait for it.
fn ready_line(format: Format, url: &str) -> String {
    match format {
        Format::Text => format!("openscience server listening on {url}\n"),
        Format::Json => {
            let object = serde_json::json!({
                "type": "server.ready",
                "schemaVersion": 1,
                "url": url,
                "pid": std::process::id(),
                "version": env!("CARGO_PKG_VERSION"),
            });
            format!("{object}\n")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ready_lines_have_the_form_programs_wait_for() {
        let url = "http://127.0.0.1:4096";
        assert_eq!(ready_line(Format::Text, url), "openscience server listening on http://127.0.0.1:4096\n");
        assert_eq!(
            ready_line(Format::Json, url),
            format!(
                "{{\"type\":\"server.ready\",\"schemaVersion\":1,\"url\":\"{url}\",\"pid\":{},\"version\":\"{}\"}}\n",
                std::process::id(),
                env!("CARGO_PKG_VERSION")
            )
        );
    }
}
