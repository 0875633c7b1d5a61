//! The runtime in this process. Nobody can call it, unless a port was asked for.

use std::net::Ipv4Addr;

use futures_util::{Stream, StreamExt as _};
use openscience_protocol::event::CancelSource;
use openscience_protocol::prompt::PromptAccepted;
use openscience_protocol::{
    DecisionInput, Message, MessageId, PromptInput, RunId, RuntimeEvent, RuntimeRun, Sequence, Session,
    SessionId, Snapshot,
};
use openscience_runtime::request::{AgentChoice, NewSession, Selected, Selector, SessionFilter};
use openscience_runtime::{Frames, ReadError, Runtime};
use openscience_server::Problem;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::host::{Events, HostError, Lost, Wanted};
use super::sse::Decoder;
use crate::cli::serve::daemon::{SHUTDOWN_TIME, start_watchdog};
use crate::cli::serve::failure::StartFailure;
use crate::cli::serve::listen::Reservation;
use crate::cli::serve::plan::{Prepared, server_config};
use crate::environment::Environment;
use crate::output;
use crate::telemetry::LogFile;

/// A runtime and the project it works for.
#[derive(Debug)]
pub(super) struct Local {
    runtime: Runtime,
    project: Selected,
    /// Ends whoever answers on a port.
    stop: CancellationToken,
}

impl From<Problem> for HostError {
    fn from(problem: Problem) -> Self {
        Self { code: problem.code().to_owned(), message: problem.message().to_owned() }
    }
}

fn refused(error: impl Into<Problem>) -> HostError {
    error.into().into()
}

/// Why the runtime of this process cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum LocalError {
    #[error(transparent)]
    Start(#[from] StartFailure),
    #[error(transparent)]
    Refused(#[from] HostError),
}

impl Local {
    /// Starts the runtime; `port` is where others may call it meanwhile.
    pub(super) async fn start(
        prepared: Prepared,
        port: Option<u16>,
        environment: &Environment,
        log: Option<LogFile>,
    ) -> Result<Self, LocalError> {
        let Prepared { runtime, server, notices: _ } = prepared;
        let reservation = port.map(|port| Reservation::new(Ipv4Addr::LOCALHOST, port)).transpose();
        let reservation = reservation.map_err(StartFailure::from)?;
        let (data_dir, directory) = (runtime.data_dir.clone(), runtime.default_directory.clone());
        let runtime = Runtime::start(runtime).await.map_err(StartFailure::from)?;
        if let Some(Err(error)) = log.map(|log| log.open(&data_dir)) {
            output::notice(format_args!(
                "warning: nothing is logged, the log file cannot be opened: {error}"
            ));
        }
        let directories = vec![directory.to_string_lossy().into_owned()];
        let project = runtime.select(Selector { project: None, directories }).await.map_err(refused)?;
        let local = Self { runtime, project, stop: CancellationToken::new() };
        if let Some(reservation) = reservation {
            let config = server_config(&server, &[], environment)?;
            local.listen(reservation, config).await?;
        }
        Ok(local)
    }

    async fn listen(
        &self,
        reservation: Reservation,
        config: openscience_server::ServerConfig,
    ) -> Result<(), StartFailure> {
        let listener = reservation.listen()?;
        let system = |source| StartFailure::System { what: "the address of a port", source };
        let url = format!("http://127.0.0.1:{}", listener.local_addr().map_err(system)?.port());
        let router = openscience_server::router(self.runtime.clone(), config);
        tokio::spawn(openscience_server::serve(listener, router, self.stop.clone()));
        if let Err(error) = self.runtime.announce_url(&url).await {
            tracing::warn!(%error, "other processes do not know where this one listens");
        }
        output::notice(format_args!("listening on {url} while it runs"));
        Ok(())
    }

    pub(super) async fn create(&self, wanted: Wanted) -> Result<Session, HostError> {
        let Wanted { title, workspace, agent } = wanted;
        let agent = agent.map(AgentChoice::Named);
        let new = NewSession { title, workspace: Some(workspace), agent, ..NewSession::default() };
        let (session, _) = self.runtime.create_session(&self.project, new).await.map_err(refused)?;
        Ok(session)
    }

    pub(super) async fn session(&self, id: &SessionId) -> Result<Session, HostError> {
        self.runtime.session(&self.project, id).await.map_err(refused)
    }

    pub(super) async fn roots(&self) -> Result<Vec<Session>, HostError> {
        let filter = SessionFilter { roots: true, ..SessionFilter::default() };
        Ok(self.runtime.sessions(&self.project, filter).await.map_err(refused)?.sessions)
    }

    pub(super) async fn snapshot(&self, id: &SessionId) -> Result<Snapshot, HostError> {
        self.runtime.snapshot(&self.project, id).await.map_err(refused)
    }

    pub(super) async fn prompt(&self, input: PromptInput) -> Result<PromptAccepted, HostError> {
        self.runtime.submit_prompt(&self.project, input).await.map_err(refused)
    }

    pub(super) async fn follow(&self, id: &SessionId, after: Sequence) -> Result<Events, Lost> {
        use openscience_runtime::error::FollowError;
        match self.runtime.follow(&self.project, id, Some(after)).await {
            Ok(frames) => Ok(Box::pin(events(frames))),
            Err(FollowError::Expired { .. }) => Err(Lost::Overtaken),
            Err(error) => Err(refused(error).into()),
        }
    }

    pub(super) async fn decide(&self, answer: DecisionInput) -> Result<(), HostError> {
        self.runtime.decide(&self.project, answer).await.map(drop).map_err(refused)
    }

    pub(super) async fn cancel(&self, id: &SessionId, run: &RunId) -> Result<(), HostError> {
        let cancelled = self.runtime.cancel(&self.project, id, run, CancelSource::User).await;
        cancelled.map(drop).map_err(refused)
    }

    pub(super) async fn run(&self, id: &SessionId, run: &RunId) -> Result<RuntimeRun, HostError> {
        self.runtime.run(&self.project, id, run, None).await.map_err(refused)
    }

    pub(super) async fn message(&self, id: &SessionId, message: &MessageId) -> Result<Message, HostError> {
        self.runtime.message(&self.project, id, message).await.map_err(refused)
    }

    pub(super) async fn messages(&self, id: &SessionId) -> Result<Vec<Message>, HostError> {
        self.runtime.messages(&self.project, id, None).await.map_err(refused)
    }

    /// Ends agents and runtime; `killed` resolves when nobody wants to wait for that.
    pub(super) async fn end(self, killed: impl Future<Output = ()>) {
        start_watchdog(&self.runtime);
        self.stop.cancel();
        let orderly = tokio::select! {
            biased;
            () = killed => false,
            ended = timeout(SHUTDOWN_TIME, self.runtime.shutdown()) => ended.unwrap_or(false),
        };
        if !orderly {
            self.runtime.kill_all();
        }
    }
}

impl From<HostError> for Lost {
    fn from(HostError { code, message }: HostError) -> Self {
        Self::Gone { code, message }
    }
}

/// The events in the frames of a stream.
fn events(
    frames: impl Stream<Item = Result<Frames, ReadError>> + Send,
) -> impl Stream<Item = Result<RuntimeEvent, Lost>> + Send {
    let mut decoder = Decoder::default();
    frames.flat_map(move |frames| {
        let events = match frames {
            Ok(frames) => decoder.feed(&frames.bytes).map_err(|error| gone("internal", &error.to_string())),
            Err(ReadError::Overtaken) => Err(Lost::Overtaken),
            Err(ReadError::Gone) => Err(gone("session_deleted", "the session was deleted")),
            Err(ReadError::Store(error)) => Err(gone("store_unavailable", &error.to_string())),
        };
        futures_util::stream::iter(match events {
            Ok(events) => events.into_iter().map(Ok).collect(),
            Err(lost) => vec![Err(lost)],
        })
    })
}

fn gone(code: &str, message: &str) -> Lost {
    Lost::Gone { code: code.to_owned(), message: message.to_owned() }
}
