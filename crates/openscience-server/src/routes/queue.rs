//! The turn queue: prompts of a session that wait for the agent, and turns taken out of its order.

use axum::Json as Answer;
use axum::extract::State;
use openscience_protocol::queue::{Queue, QueuePolicy, QueuedTurn};
use openscience_protocol::run::RunTurn;
use openscience_protocol::{SessionId, TurnId};
use openscience_runtime::Runtime;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::document::{Reading, Selecting};
use crate::extract::{Json, JsonBody, Path};
use crate::problem::{Problem, ProblemBody};
use crate::routes::described::{Routes, routes};
use crate::routes::session::SessionPath;
use crate::select::{Project, SelectorHeaders, SelectorQuery};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(list, deliver, clear))
        .routes(routes!(get, withdraw))
        .routes(routes!(send_now))
        .routes(routes!(cancel))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct TurnPath {
    id: SessionId,
    #[serde(rename = "turnID")]
    turn: TurnId,
}

impl JsonBody for QueuePolicy {}

/// How many turns were taken back.
#[derive(Debug, Serialize, ToSchema)]
struct Withdrawn {
    withdrawn: u32,
}

/// List the turns that wait for the agent, next first.
#[utoipa::path(
    get, path = "/session/{id}/queue", operation_id = "queue.list", tag = "queue",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "The queue.", body = Queue)),
)]
async fn list(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Queue>, Problem> {
    Ok(Answer(runtime.queue(&project, &path.id).await?))
}

/// Set how waiting turns are sent from now on.
#[utoipa::path(
    put, path = "/session/{id}/queue", operation_id = "queue.set", tag = "queue",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    request_body = QueuePolicy,
    responses(Reading, (status = 200, description = "The queue as it is now.", body = Queue)),
)]
async fn deliver(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
    Json(policy): Json<QueuePolicy>,
) -> Result<Answer<Queue>, Problem> {
    Ok(Answer(runtime.deliver(&project, &path.id, policy.delivery).await?))
}

/// Take every waiting turn back.
///
/// Their messages stay. The turn the agent has goes on; a run that only waited ends cancelled.
#[utoipa::path(
    delete, path = "/session/{id}/queue", operation_id = "queue.clear", tag = "queue",
    params(SessionPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "How many.", body = Withdrawn),
        (status = 409, description = "run_not_owned with the `url` that can.", body = ProblemBody),
    ),
)]
async fn clear(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<SessionPath>,
) -> Result<Answer<Withdrawn>, Problem> {
    Ok(Answer(Withdrawn { withdrawn: runtime.clear_queue(&project, &path.id).await? }))
}

/// Read a turn that waits.
#[utoipa::path(
    get, path = "/session/{id}/queue/{turnID}", operation_id = "queue.get", tag = "queue",
    params(TurnPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The turn.", body = QueuedTurn),
        (status = 404, description = "session_not_found or turn_not_found.", body = ProblemBody),
        (status = 409, description = "turn_not_queued: it does not wait any more.", body = ProblemBody),
    ),
)]
async fn get(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<TurnPath>,
) -> Result<Answer<QueuedTurn>, Problem> {
    Ok(Answer(runtime.queued_turn(&project, &path.id, &path.turn).await?))
}

/// Take a waiting turn back.
///
/// Its message stays.
#[utoipa::path(
    delete, path = "/session/{id}/queue/{turnID}", operation_id = "queue.withdraw", tag = "queue",
    params(TurnPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The turn as it is now.", body = RunTurn),
        (status = 404, description = "session_not_found or turn_not_found.", body = ProblemBody),
        (status = 409, description = "turn_not_queued, or run_not_owned with the `url` that can.", body = ProblemBody),
    ),
)]
async fn withdraw(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<TurnPath>,
) -> Result<Answer<RunTurn>, Problem> {
    Ok(Answer(runtime.withdraw(&project, &path.id, &path.turn).await?))
}

/// Send a waiting turn next.
///
/// The turn the agent has is cancelled for it; the run goes on.
#[utoipa::path(
    post, path = "/session/{id}/queue/{turnID}/send-now", operation_id = "queue.send", tag = "queue",
    params(TurnPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The turn, which is next now.", body = RunTurn),
        (status = 404, description = "session_not_found or turn_not_found.", body = ProblemBody),
        (status = 409, description = "turn_not_queued, or run_not_owned with the `url` that can.", body = ProblemBody),
    ),
)]
async fn send_now(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<TurnPath>,
) -> Result<Answer<RunTurn>, Problem> {
    Ok(Answer(runtime.send_now(&project, &path.id, &path.turn).await?))
}

/// Cancel a turn and not its run.
///
/// The next turn of the run follows; a run without one ends cancelled. A turn that waits is taken
/// back; one that has ended is answered as it is.
#[utoipa::path(
    post, path = "/session/{id}/turn/{turnID}/cancel", operation_id = "turn.cancel", tag = "turn",
    params(TurnPath, SelectorQuery, SelectorHeaders),
    responses(
        Selecting,
        (status = 200, description = "The turn as it is now; its end may follow.", body = RunTurn),
        (status = 404, description = "session_not_found or turn_not_found.", body = ProblemBody),
        (status = 409, description = "run_not_owned with the `url` that can.", body = ProblemBody),
    ),
)]
async fn cancel(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Path(path): Path<TurnPath>,
) -> Result<Answer<RunTurn>, Problem> {
    Ok(Answer(runtime.cancel_turn(&project, &path.id, &path.turn).await?))
}
