//! What happens now, in one project or in all: a stream without cursor.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use openscience_runtime::Runtime;

use crate::document::{Guarded, Selecting};
use crate::problem::{Problem, ProblemBody};
use crate::routes::described::{Routes, routes};
use crate::select::{Project, SelectorHeaders, SelectorQuery};
use crate::serve::Stop;
use crate::sse::{self, Told, heartbeat, over};

pub(crate) fn routes() -> Routes {
    Routes::new().routes(routes!(event)).routes(routes!(global))
}

/// Listen to what happens in a project.
///
/// Frames of `data` alone, each `{type, properties}`: `server.connected` first, then whatever this daemon
/// does in the project from now on, journaled or not, and `server.heartbeat` at each interval. There
/// is no cursor: who needs every event of a session follows `/runtime/events`. Closed on a client that
/// falls 2,000 facts behind.
#[utoipa::path(
    get, path = "/event", operation_id = "event.subscribe", tag = "event",
    params(SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "Frames of facts.", body = String, content_type = "text/event-stream"),
        (status = 429, description = "too_many_subscribers: come back after `Retry-After` seconds.", body = ProblemBody),
    ),
)]
async fn event(
    Project(project): Project,
    State(runtime): State<Runtime>,
    stop: Option<Extension<Stop>>,
) -> Result<Response, Problem> {
    let facts = runtime.listen(Some(&project))?;
    Ok(sse::respond_live(facts, Told::Project, heartbeat(&runtime), over(runtime, stop)))
}

/// Listen to what happens in all projects.
///
/// As `/event`, each frame `{directory, payload: {type, properties}}`; those of the daemon itself have no
/// `directory`.
#[utoipa::path(
    get, path = "/global/event", operation_id = "global.event", tag = "global",
    responses(
        Guarded,
        (status = 200, description = "Frames of facts.", body = String, content_type = "text/event-stream"),
        (status = 429, description = "too_many_subscribers: come back after `Retry-After` seconds.", body = ProblemBody),
        (status = 503, description = "shutting_down.", body = ProblemBody),
    ),
)]
async fn global(State(runtime): State<Runtime>, stop: Option<Extension<Stop>>) -> Result<Response, Problem> {
    let facts = runtime.listen(None)?;
    Ok(sse::respond_live(facts, Told::Global, heartbeat(&runtime), over(runtime, stop)))
}
