//! The document an exported session is, and what is changed of it on the way.
//!
//! What belongs to one data directory or one agent process stays there: the agent's own session, the servers that
//! were handed to it with their secrets, the project.

use openscience_protocol::SessionId;
use openscience_runtime::request::Selected;
use openscience_store::SessionDump;
use serde::{Deserialize, Serialize};
use serde_json::Value;

const TYPE: &str = "openscience.session";
const VERSION: u32 = 1;

/// What a session knows that is of no use elsewhere, or nobody's business there. Programs are not taken in either: a document
/// must not say what is started.
const LEFT_BEHIND: [&str; 4] = ["agentSession", "agentTurns", "mcpServers", "forkedFrom"];
/// The same of what it knows of its agent.
const LEFT_BEHIND_OF_AGENT: [&str; 1] = ["launch"];

/// Why a document is none that can be taken in.
#[derive(Debug, thiserror::Error)]
pub(super) enum DocumentError {
    #[error("the document is no exported session: line {line}, column {column}")]
    Syntax { line: usize, column: usize },
    #[error("the document is no exported session of this version")]
    Kind,
    #[error("the document names no session")]
    Id,
}

/// An exported session.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Copied {
    r#type: String,
    schema_version: u32,
    /// Of the program that wrote it.
    version: String,
    #[serde(flatten)]
    dump: SessionDump,
}

impl Copied {
    pub(super) fn new(mut dump: SessionDump) -> Self {
        if let Some(Value::Object(meta)) = dump.session.get_mut("meta") {
            meta.retain(|key, _| !LEFT_BEHIND.contains(&key.as_str()));
            if let Some(Value::Object(agent)) = meta.get_mut("agent") {
                agent.retain(|key, _| !LEFT_BEHIND_OF_AGENT.contains(&key.as_str()));
            }
        }
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Self { r#type: TYPE.to_owned(), schema_version: VERSION, version, dump }
    }

    pub(super) fn read(text: &str) -> Result<Self, DocumentError> {
        let copied: Self = serde_json::from_str(text)
            .map_err(|error| DocumentError::Syntax { line: error.line(), column: error.column() })?;
        if copied.r#type != TYPE || copied.schema_version != VERSION {
            return Err(DocumentError::Kind);
        }
        Ok(copied)
    }

    /// The id it had.
    pub(super) fn id(&self) -> Result<SessionId, DocumentError> {
        let id = self.dump.session.get("id").and_then(Value::as_str);
        id.and_then(|id| id.parse().ok()).ok_or(DocumentError::Id)
    }

    /// The same session under an id, in a project.
    pub(super) fn placed(self, id: &SessionId, place: &Selected) -> SessionDump {
        let mut dump = Self::new(self.dump).dump;
        let old = dump.session.get("id").cloned().unwrap_or_default();
        let new = Value::from(id.as_str());
        for rows in dump.tables.values_mut() {
            rows.iter_mut().flat_map(|row| row.values_mut()).for_each(|value| rename(value, &old, &new));
        }
        let directory = place.directory.to_string_lossy().into_owned();
        let fields = [("id", new), ("project_id", place.id.as_str().into()), ("directory", directory.into())];
        for (key, value) in fields {
            dump.session.insert(key.to_owned(), value);
        }
        // Its parent did not come along, and whatever is done to it begins here.
        dump.session.insert("parent_id".to_owned(), Value::Null);
        dump.session.insert("deleting".to_owned(), 0.into());
        // A document may come from anybody: it may tighten what its agent is allowed and not loosen it.
        if let Some(Value::Array(rules)) = dump.session.get_mut("permission") {
            rules.retain(|rule| rule.get("action").is_none_or(|action| action != "allow"));
        }
        dump
    }
}

/// Wherever something says which session it belongs to.
fn rename(value: &mut Value, old: &Value, new: &Value) {
    match value {
        Value::Object(fields) => {
            for (key, field) in fields {
                if key == "sessionID" && field == old {
                    field.clone_from(new);
                } else {
                    rename(field, old, new);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| rename(item, old, new)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn document() -> String {
        let session = json!({
            "id": "ses_1", "project_id": "prj_1", "directory": "/old", "parent_id": "ses_0", "deleting": 1,
            "meta": {
                "titled": true, "agentSession": "x", "agentTurns": 3, "mcpServers": [{"env": "secret"}],
                "agent": {"launch": {"command": "rm"}, "systemPrompt": "p"},
            },
        });
        let info =
            json!({"sessionID": "ses_1", "nested": [{"sessionID": "ses_1"}, {"sessionID": "ses_other"}]});
        let message = json!({"position": 1, "id": "msg_1", "parent": "ses_1", "info": info});
        let copied = json!({
            "type": TYPE, "schemaVersion": VERSION, "version": "0", "schema": 1, "session": session,
            "tables": {"message": [message]},
        });
        copied.to_string()
    }

    #[test]
    fn what_belongs_to_one_data_directory_stays_there() {
        let place = Selected { id: "prj_2".parse().unwrap(), directory: "/new".into() };
        let dump = Copied::read(&document()).unwrap().placed(&"ses_2".parse().unwrap(), &place);
        let expected = json!({
            "id": "ses_2", "project_id": "prj_2", "directory": "/new", "parent_id": null, "deleting": 0,
            "meta": {"titled": true, "agent": {"systemPrompt": "p"}},
        });
        assert_eq!(json!(dump.session), expected);
    }

    #[test]
    fn a_new_id_stands_wherever_something_says_whose_it_is_and_nowhere_else() {
        let place = Selected { id: "prj_2".parse().unwrap(), directory: "/new".into() };
        let dump = Copied::read(&document()).unwrap().placed(&"ses_2".parse().unwrap(), &place);
        let row = dump.tables["message"].first().unwrap();
        assert_eq!(
            row["info"],
            json!({"sessionID": "ses_2", "nested": [{"sessionID": "ses_2"}, {"sessionID": "ses_other"}]})
        );
        assert_eq!(row["parent"], "ses_1", "a column of that text is something else");
    }

    #[test]
    fn what_is_no_exported_session_is_refused() {
        assert!(matches!(Copied::read("{"), Err(DocumentError::Syntax { line: 1, .. })));
        assert!(matches!(Copied::read("[]"), Err(DocumentError::Syntax { .. })));
        let other = document().replace(TYPE, "something.else");
        assert!(matches!(Copied::read(&other), Err(DocumentError::Kind)));
        let later = document().replace("\"schemaVersion\":1", "\"schemaVersion\":2");
        assert!(matches!(Copied::read(&later), Err(DocumentError::Kind)));
    }
}
