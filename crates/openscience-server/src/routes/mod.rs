//! The routes. Each parses, calls one method of the runtime and renders; each
//! carries its own part of the document.

mod events;
pub(crate) mod global;
mod not_available;
mod permission;
mod project;
mod runtime;
mod session;
mod session_input;
mod transcript;

use utoipa::OpenApi;
use utoipa_axum::router::OpenApiRouter;

use crate::App;
use crate::document::Base;

/// Every route and its part of the document.
pub(crate) fn all() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Base::openapi())
        .merge(global::routes())
        .merge(runtime::routes())
        .merge(events::routes())
        .merge(session::routes())
        .merge(transcript::routes())
        .merge(permission::routes())
        .merge(project::routes())
}
