//! Numbers for a monitoring system to collect.

use std::fmt::Write as _;
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{HeaderValue, header};
use openscience_runtime::{Figures, Runtime};

use crate::document::Guarded;
use crate::routes::described::{Routes, routes};
use crate::routes::global::Health;

pub(crate) fn routes() -> Routes {
    Routes::new().routes(routes!(metrics))
}

/// Read what is at work now, in the text format of Prometheus.
#[utoipa::path(
    get, path = "/metrics", operation_id = "global.metrics", tag = "global",
    responses(Guarded, (status = 200, description = "Gauges.", body = String, content_type = "text/plain")),
)]
async fn metrics(State(runtime): State<Runtime>, State(health): State<Arc<Health>>) -> Response {
    let text = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    let body = render(&runtime.figures(), health.version());
    ([(header::CONTENT_TYPE, text)], body).into_response()
}

/// The exposition format: <https://prometheus.io/docs/instrumenting/exposition_formats/>.
fn render(figures: &Figures, version: &str) -> String {
    let mut text = String::new();
    gauge(&mut text, "build_info", "The daemon's version.", [(Some(("version", version)), 1)]);
    gauge(&mut text, "live_runs", "Runs executed by this process.", [(None, figures.live_runs)]);
    gauge(&mut text, "subscribers", "Open event streams.", [(None, figures.subscribers)]);
    gauge(&mut text, "sessions", "Sessions held in memory.", [(None, figures.sessions)]);
    let agents = || figures.agents.iter();
    let processes = agents().map(|(id, agent)| (Some(("agent", id.as_str())), agent.processes));
    gauge(&mut text, "agent_processes", "Agent processes started.", processes);
    let turns = agents().map(|(id, agent)| (Some(("agent", id.as_str())), agent.turns));
    gauge(&mut text, "agent_turns", "Turns the agents have.", turns);
    text
}

fn gauge<'a>(
    text: &mut String,
    name: &str,
    help: &str,
    values: impl IntoIterator<Item = (Option<(&'a str, &'a str)>, usize)>,
) {
    // Writing to a string cannot fail.
    writeln!(text, "# HELP openscience_{name} {help}\n# TYPE openscience_{name} gauge").ok();
    for (label, value) in values {
        match label {
            Some((key, label)) => {
                let label = label.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                writeln!(text, "openscience_{name}{{{key}=\"{label}\"}} {value}").ok();
            }
            None => {
                writeln!(text, "openscience_{name} {value}").ok();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use openscience_runtime::AgentFigures;

    use super::*;

    #[test]
    fn figures_are_told_with_help_type_and_escaped_labels() {
        let agents = BTreeMap::from([("a\"b\\".into(), AgentFigures { processes: 2, turns: 3 })]);
        let figures = Figures { live_runs: 4, subscribers: 5, sessions: 6, agents };
        let text = render(&figures, "1.2.3");
        for line in [
            "# TYPE openscience_live_runs gauge",
            "openscience_build_info{version=\"1.2.3\"} 1",
            "openscience_live_runs 4",
            "openscience_subscribers 5",
            "openscience_sessions 6",
            "openscience_agent_processes{agent=\"a\\\"b\\\\\"} 2",
            "openscience_agent_turns{agent=\"a\\\"b\\\\\"} 3",
        ] {
            assert!(text.lines().any(|told| told == line), "{line}: {text}");
        }
        assert!(text.ends_with('\n'));
    }
}
