//! The routes. Each parses, calls one method of the runtime and renders; each
//! carries its own part of the document.

mod agent;
mod artifact;
mod artifact_raw;
mod artifact_store;
pub(crate) mod described;
mod events;
mod file;
pub(crate) mod global;
mod live;
mod metrics;
mod not_available;
mod permission;
mod project;
mod question;
mod queue;
mod runtime;
mod session;
mod session_agent;
mod session_agent_input;
mod session_input;
mod session_mcp;
mod settings;
mod state;
mod transcript;

use crate::routes::described::Routes;

/// Every route.
pub(crate) fn all() -> Routes {
    Routes::new()
        .merge(global::routes())
        .merge(metrics::routes())
        .merge(runtime::routes())
        .merge(events::routes())
        .merge(session::routes())
        .merge(session_agent::routes())
        .merge(transcript::routes())
        .merge(permission::routes())
        .merge(question::routes())
        .merge(queue::routes())
        .merge(agent::routes())
        .merge(artifact::routes())
        .merge(artifact_store::routes())
        .merge(project::routes())
        .merge(live::routes())
        .merge(file::routes())
        .merge(state::routes())
        .merge(settings::routes())
}
