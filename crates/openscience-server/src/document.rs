//! The OpenAPI document: what all routes share. Each route documents itself.

use std::collections::BTreeMap;

use http::StatusCode;
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{OpenApi as Document, Ref, RefOr};
use utoipa::{IntoResponses, Modify, OpenApi};

use crate::problem::ProblemBody;
use crate::{polish, routes};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "openscience",
        description = "Durable, resumable sessions with any ACP agent, over HTTP and server-sent events on localhost."
    ),
    tags(
        (name = "runtime", description = "Prompts, receipts, decisions and the event journal."),
        (name = "session", description = "Sessions and their transcripts."),
        (name = "permission", description = "Permissions that wait for an answer."),
        (name = "question", description = "Questions that wait for an answer."),
        (name = "queue", description = "Prompts of a session that wait for its agent."),
        (name = "state", description = "A session as objects: thread, diffs, terminals, tool calls, operations."),
        (name = "turn", description = "Single prompts of a run."),
        (name = "agent", description = "Agents that can be started, and their processes at work."),
        (name = "artifact", description = "Files that agents save."),
        (name = "results", description = "Results: what agents made, with all versions."),
        (name = "project", description = "Directories the daemon works for."),
        (name = "file", description = "Files that clients hand over for prompts."),
        (name = "event", description = "What happens now, without cursor."),
        (name = "settings", description = "What other servers keep and this daemon does not have."),
        (name = "global", description = "The daemon itself."),
    ),
    components(schemas(ProblemBody)),
    security(("bearer" = [])),
    modifiers(&Bearer),
)]
pub(crate) struct Base;

struct Bearer;

impl Modify for Bearer {
    fn modify(&self, document: &mut Document) {
        let bearer = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("Needed only if the daemon was started with a token."))
            .build();
        let components = document.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(bearer));
    }
}

/// The document as it is committed.
pub(crate) fn text() -> String {
    let document = serde_json::to_value(routes::all().into_document(Base::openapi())).map(polish::polished);
    let mut text = match document.and_then(|document| serde_json::to_string_pretty(&document)) {
        Ok(text) => text,
        Err(error) => {
            // Strings and maps with string keys always serialize.
            tracing::error!(error = &error as &dyn std::error::Error, "the document cannot be written");
            String::new()
        }
    };
    text.push('\n');
    text
}

/// Refusals every route may answer with.
pub(crate) struct Guarded;

impl IntoResponses for Guarded {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut all = refusals(&[
            (StatusCode::UNAUTHORIZED, "The bearer token is missing or wrong."),
            (StatusCode::FORBIDDEN, "The Host name or the origin is not allowed."),
            (StatusCode::INTERNAL_SERVER_ERROR, "A failure of the daemon; its log knows more."),
        ]);
        let other = "Any other refusal, such as 405 for a method the path does not have.";
        all.insert("default".to_owned(), refusal(other));
        all
    }
}

/// Refusals of every route that works on a selected project.
pub(crate) struct Selecting;

impl IntoResponses for Selecting {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut all = Guarded::responses();
        all.extend(refusals(&[
            (StatusCode::BAD_REQUEST, "The request or the directory is not valid."),
            (StatusCode::NOT_FOUND, "The project, or what the request names, does not exist."),
            (StatusCode::CONFLICT, "The directory is not that of the project, or see the code."),
            (StatusCode::GONE, "The directory of the project is gone."),
            (StatusCode::SERVICE_UNAVAILABLE, "The daemon shuts down or its store is unavailable."),
        ]));
        all
    }
}

/// Refusals of every route that reads a JSON body.
pub(crate) struct Reading;

impl IntoResponses for Reading {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let mut all = Selecting::responses();
        all.extend(refusals(&[
            (StatusCode::REQUEST_TIMEOUT, "The body did not come on for a minute."),
            (StatusCode::PAYLOAD_TOO_LARGE, "The body is longer than `limit` bytes."),
            (StatusCode::UNSUPPORTED_MEDIA_TYPE, "The body is not application/json."),
        ]));
        all
    }
}

fn refusals(list: &[(StatusCode, &str)]) -> BTreeMap<String, RefOr<Response>> {
    list.iter().map(|(status, description)| (status.as_str().to_owned(), refusal(description))).collect()
}

fn refusal(description: &str) -> RefOr<Response> {
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
    ResponseBuilder::new().description(description).content("application/json", content).build().into()
}
