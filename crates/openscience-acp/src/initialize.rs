//! The handshake: what we offer an agent and what it tells of itself.

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    AgentCapabilities, BooleanConfigOptionCapabilities, ClientCapabilities, ClientSessionCapabilities,
    ElicitationCapabilities, ElicitationFormCapabilities, FileSystemCapabilities, Implementation,
    InitializeRequest, SessionConfigOptionsCapabilities,
};
use openscience_core::authority::Offer;
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::{AgentError, Stage};

/// What an agent told of itself.
#[derive(Debug, Clone, PartialEq)]
pub struct Initialized {
    /// `name`, `title` and `version`, if it tells.
    pub agent_info: Option<Value>,
    pub capabilities: AgentCapabilities,
    /// As they came: agents use types beyond the schema's.
    pub auth_methods: Value,
    pub protocol_version: u16,
}

/// What we offer: only what is served.
pub(crate) fn request(offer: Offer) -> InitializeRequest {
    let options = SessionConfigOptionsCapabilities::new().boolean(BooleanConfigOptionCapabilities::new());
    let session = ClientSessionCapabilities::new().config_options(options);
    // Addresses to be opened are not offered: agents may not send any.
    let questions = ElicitationCapabilities::new().form(ElicitationFormCapabilities::new());
    let files = FileSystemCapabilities::new().read_text_file(offer.read).write_text_file(offer.write);
    let client = ClientCapabilities::new().fs(files).terminal(offer.terminal);
    InitializeRequest::new(ProtocolVersion::V1)
        .client_capabilities(client.session(session).elicitation(questions))
        .client_info(Implementation::new("openscience", env!("CARGO_PKG_VERSION")))
}

/// Reads the answer, however much of it is there.
pub(crate) fn read(answer: &RawValue) -> Result<Initialized, AgentError> {
    let unreadable = || AgentError::BadAnswer { stage: Stage::Initialize };
    let answer: Value = serde_json::from_str(answer.get()).map_err(|_| unreadable())?;
    let Value::Object(mut answer) = answer else { return Err(unreadable()) };
    let version = answer
        .get("protocolVersion")
        .map_or(Some(1), |version| version.as_i64().or_else(|| version.as_str()?.trim().parse().ok()));
    if version != Some(1) {
        return Err(AgentError::ProtocolVersion(version.unwrap_or_default()));
    }
    Ok(Initialized {
        agent_info: answer.remove("agentInfo").filter(Value::is_object),
        capabilities: answer
            .get("agentCapabilities")
            .and_then(|value| AgentCapabilities::deserialize(value).ok())
            .unwrap_or_default(),
        auth_methods: answer
            .remove("authMethods")
            .filter(Value::is_array)
            .unwrap_or_else(|| Value::Array(Vec::new())),
        protocol_version: 1,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(value: &Value) -> Result<Initialized, AgentError> {
        read(&RawValue::from_string(value.to_string()).unwrap())
    }

    #[test]
    fn an_agent_may_tell_little_of_itself() {
        let initialized =
            answer(&json!({"protocolVersion": 1, "agentInfo": null, "authMethods": null})).unwrap();
        assert_eq!(initialized.agent_info, None);
        assert_eq!(initialized.auth_methods, json!([]));
        assert!(!initialized.capabilities.load_session);

        let initialized = answer(&json!({
            "protocolVersion": "1",
            "agentInfo": {"name": "a"},
            "agentCapabilities": {"loadSession": true, "sessionCapabilities": {"resume": {}}, "novel": 1},
            "authMethods": [{"type": "env_var", "id": "k"}],
        }))
        .unwrap();
        assert!(initialized.capabilities.load_session);
        assert!(initialized.capabilities.session_capabilities.resume.is_some());
        assert_eq!(initialized.auth_methods, json!([{"type": "env_var", "id": "k"}]));
    }

    #[test]
    fn another_protocol_version_is_refused() {
        assert!(matches!(answer(&json!({"protocolVersion": 2})), Err(AgentError::ProtocolVersion(2))));
        assert!(matches!(answer(&json!("hi")), Err(AgentError::BadAnswer { .. })));
    }

    #[test]
    fn files_and_terminals_are_offered_as_far_as_the_agent_bears_it() {
        let offered = |offer| serde_json::to_value(request(offer)).unwrap()["clientCapabilities"].clone();
        let all = offered(Offer::ALL);
        assert_eq!(all["fs"], json!({"readTextFile": true, "writeTextFile": true}));
        assert_eq!(
            (&all["terminal"], &all["session"]),
            (&json!(true), &json!({"configOptions": {"boolean": {}}}))
        );
        let less = offered(Offer { read: false, ..Offer::ALL });
        assert_eq!(less["fs"], json!({"readTextFile": false, "writeTextFile": true}));
        let none = offered(Offer::NONE);
        assert_eq!(none["fs"], json!({"readTextFile": false, "writeTextFile": false}));
        assert_eq!(none["terminal"], json!(false));
        assert_eq!(all["elicitation"], json!({"form": {}}));
    }
}
