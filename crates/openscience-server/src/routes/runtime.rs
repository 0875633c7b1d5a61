//! Prompts, receipts and decisions.

use axum::Json as Answer;
use axum::extract::State;
use http::StatusCode;
use http::request::Parts;
use openscience_protocol::codes::api;
use openscience_protocol::event::CancelSource;
use openscience_protocol::prompt::PromptAccepted;
use openscience_protocol::{
    Capabilities, DecisionInput, DecisionResult, PromptInput, RunId, RuntimeRun, SessionId, Snapshot, TurnId,
};
use openscience_runtime::Runtime;
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use crate::App;
use crate::document::{Guarded, Reading, Selecting};
use crate::extract::{Json, JsonBody, Query};
use crate::problem::{Problem, ProblemBody};
use crate::routes::described::{Routes, routes};
use crate::select::{Project, SelectorHeaders, SelectorQuery};
use crate::validate::{checked_decision, checked_prompt};

pub(crate) fn routes() -> Routes {
    Routes::new()
        .routes(routes!(capabilities))
        .routes(routes!(prompt))
        .routes(routes!(cancel))
        .routes(routes!(decide))
        .routes(routes!(run))
        .routes(routes!(snapshot))
}

/// Tell what this runtime can do.
#[utoipa::path(
    get, path = "/runtime/capabilities", operation_id = "runtime.capabilities", tag = "runtime",
    responses(Guarded, (status = 200, description = "Protocol support.", body = Capabilities)),
)]
async fn capabilities(State(runtime): State<Runtime>) -> Answer<Capabilities> {
    Answer(runtime.capabilities())
}

/// Refuses the header by which other servers choose an agent for one prompt.
struct NoDevAgent;

impl axum::extract::FromRequestParts<App> for NoDevAgent {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _app: &App) -> Result<Self, Problem> {
        if parts.headers.contains_key("x-openscience-dev-agent") {
            let message = "a development agent cannot be chosen here";
            return Err(Problem::new(StatusCode::BAD_REQUEST, api::DEV_AGENT_UNAVAILABLE, message));
        }
        Ok(Self)
    }
}

/// Submit a prompt.
///
/// Answers once the receipt is durable; the agent works on after the answer. The same `requestID`
/// with the same prompt gets the same receipt. During a live run the prompt joins it: the answer is that
/// run's receipt, with the turn the prompt became.
#[utoipa::path(
    post, path = "/runtime/prompt", operation_id = "runtime.prompt", tag = "runtime",
    params(SelectorQuery, SelectorHeaders),
    request_body = PromptInput,
    responses(
        Reading,
        (status = 202, description = "The prompt is admitted.", body = PromptAccepted),
        (status = 404, description = "The session does not exist in this project.", body = ProblemBody),
        (status = 409, description = "request_conflict, queue_full, session_busy or session_deleting.", body = ProblemBody),
        (status = 429, description = "too_many_sessions: come back after `Retry-After` seconds.", body = ProblemBody),
    ),
)]
async fn prompt(
    Project(project): Project,
    _: NoDevAgent,
    State(runtime): State<Runtime>,
    Json(input): Json<PromptInput>,
) -> Result<(StatusCode, Answer<PromptAccepted>), Problem> {
    let accepted = runtime.submit_prompt(&project, checked_prompt(input)?).await?;
    Ok((StatusCode::ACCEPTED, Answer(accepted)))
}

/// Which run to cancel.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelInput {
    #[serde(rename = "sessionID")]
    session_id: SessionId,
    #[serde(rename = "runID")]
    run_id: RunId,
}

impl JsonBody for CancelInput {}

/// Cancel a run.
///
/// A run that has ended is answered unchanged. Otherwise its terminal event follows.
#[utoipa::path(
    post, path = "/runtime/cancel", operation_id = "runtime.cancel", tag = "runtime",
    params(SelectorQuery, SelectorHeaders),
    request_body = CancelInput,
    responses(Reading, (status = 200, description = "The receipt as it stands now.", body = RuntimeRun)),
)]
async fn cancel(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Json(input): Json<CancelInput>,
) -> Result<Answer<RuntimeRun>, Problem> {
    let run = runtime.cancel(&project, &input.session_id, &input.run_id, CancelSource::User).await?;
    Ok(Answer(run))
}

/// Answer a permission or a question.
///
/// The same answer again gets the same receipt.
#[utoipa::path(
    post, path = "/runtime/decision", operation_id = "runtime.decide", tag = "runtime",
    params(SelectorQuery, SelectorHeaders),
    request_body = DecisionInput,
    responses(
        Reading,
        (status = 200, description = "The receipt of the decision.", body = DecisionResult),
        (status = 400, description = "invalid_request, invalid_answer or scope_not_available.", body = ProblemBody),
        (status = 404, description = "The session does not exist in this project.", body = ProblemBody),
        (
            status = 409,
            description = "decision_conflict, decision_expired, or decision_not_owned with the `url` that can.",
            body = ProblemBody,
        ),
    ),
)]
async fn decide(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Json(input): Json<DecisionInput>,
) -> Result<Answer<DecisionResult>, Problem> {
    Ok(Answer(runtime.decide(&project, checked_decision(input)?).await?))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct RunQuery {
    #[serde(rename = "sessionID")]
    session: SessionId,
    #[serde(rename = "runID")]
    run: RunId,
    /// A turn of the run, to be told with it.
    #[serde(rename = "turnID")]
    turn: Option<TurnId>,
}

/// Read the receipt of a run.
///
/// A prompt that joined a run shares its receipt, with its own turn.
#[utoipa::path(
    get, path = "/runtime/run", operation_id = "runtime.run", tag = "runtime",
    params(RunQuery, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "The receipt.", body = RuntimeRun)),
)]
async fn run(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Query(query): Query<RunQuery>,
) -> Result<Answer<RuntimeRun>, Problem> {
    Ok(Answer(runtime.run(&project, &query.session, &query.run, query.turn.as_ref()).await?))
}

#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SnapshotQuery {
    #[serde(rename = "sessionID")]
    session_id: SessionId,
}

/// Read where a session stands, and the cursor to follow it from.
#[utoipa::path(
    get, path = "/runtime/snapshot", operation_id = "runtime.snapshot", tag = "runtime",
    params(SnapshotQuery, SelectorQuery, SelectorHeaders),
    responses(Selecting, (status = 200, description = "Runs, pending decisions and the cursor.", body = Snapshot)),
)]
async fn snapshot(
    Project(project): Project,
    State(runtime): State<Runtime>,
    Query(query): Query<SnapshotQuery>,
) -> Result<Answer<Snapshot>, Problem> {
    Ok(Answer(runtime.snapshot(&project, &query.session_id).await?))
}
