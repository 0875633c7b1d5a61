//! Is everything we write what the published schema demands?

use std::path::Path;

use agent_client_protocol_schema::v1::{
    AuthenticateRequest, CancelNotification, InitializeRequest, LoadSessionRequest, NewSessionRequest,
    PromptRequest, RequestPermissionResponse, ResumeSessionRequest, SetSessionConfigOptionRequest,
    SetSessionModeRequest,
};
use openscience_acp::{AgentError, Connection, OpenedSession, SessionEvent, connect_io, events};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::peer::{Events, Peer, answered, blocks, limits, pipes, turn};

/// Panics unless the schema's type says the same; lists that are empty may be left out there.
#[track_caller]
fn conforms<T: DeserializeOwned + Serialize>(value: &Value) {
    let typed: T = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{error}: {value}"));
    let again = serde_json::to_value(typed).unwrap();
    for (key, field) in value.as_object().unwrap() {
        assert!(*field == json!([]) || again[key] == *field, "{key} of {value} reads as {again}");
    }
}

/// The next request, checked as a whole.
async fn request<T: DeserializeOwned + Serialize>(peer: &mut Peer, method: &str) -> Value {
    let message = peer.expect(method).await;
    assert_eq!((&message["jsonrpc"], message["id"].is_i64()), (&json!("2.0"), true), "{message}");
    assert_eq!(message.as_object().unwrap().len(), 4, "{message}");
    conforms::<T>(&message["params"]);
    message
}

/// An agent that has checked the handshake.
async fn connected() -> (Connection, Peer) {
    let (mut peer, stdin, stdout) = pipes(64 << 10);
    let connecting = connect_io("strict".into(), stdout, stdin, true, limits());
    let (connection, ()) = tokio::join!(connecting, async {
        let message = request::<InitializeRequest>(&mut peer, "initialize").await;
        assert!(message["params"]["protocolVersion"].is_u64(), "{message}");
        assert!(message["params"]["clientCapabilities"].is_object(), "{message}");
        peer.answer(&message, json!({"protocolVersion": 1})).await;
    });
    (connection.unwrap(), peer)
}

/// Answers the request that opens a session, which must name directory and servers.
async fn opens<T: DeserializeOwned + Serialize>(peer: &mut Peer, method: &str) {
    let message = request::<T>(peer, method).await;
    let params = &message["params"];
    assert!(params["cwd"].is_string() && params["mcpServers"].is_array(), "{message}");
    peer.answer(&message, json!({"sessionId": "s1"})).await;
}

async fn asked(peer: &mut Peer, events: &mut Events, id: Value) -> openscience_core::input::RequestKey {
    let options = json!([{"optionId": "y es/1", "name": "Go", "kind": "allow_once"}]);
    let params = json!({"sessionId": "s1", "toolCall": {"toolCallId": "c"}, "options": options});
    peer.send(json!({"jsonrpc": "2.0", "id": id, "method": "session/request_permission", "params": params}))
        .await;
    let SessionEvent::Permission(ask) = events.next().await else { panic!("no permission") };
    ask.key
}

#[tokio::test]
async fn a_whole_life_of_a_session_keeps_to_the_schema() {
    let (connection, mut peer) = connected().await;
    let (done, ()) = tokio::join!(connection.authenticate("key"), async {
        let message = request::<AuthenticateRequest>(&mut peer, "authenticate").await;
        peer.answer(&message, json!({})).await;
    });
    done.unwrap();
    let (sink, events) = events(64);
    let mut events = Events(events);
    let (opened, ()) = tokio::join!(
        connection.new_session(Path::new("/wörk space"), sink),
        opens::<NewSessionRequest>(&mut peer, "session/new")
    );
    opened.unwrap();
    let (set, ()) = tokio::join!(connection.set_mode("s1", "plan"), async {
        let message = request::<SetSessionModeRequest>(&mut peer, "session/set_mode").await;
        peer.answer(&message, json!({})).await;
    });
    set.unwrap();
    let (set, ()) = tokio::join!(connection.set_config_option("s1", "model", "large"), async {
        let method = "session/set_config_option";
        let message = request::<SetSessionConfigOptionRequest>(&mut peer, method).await;
        peer.answer(&message, json!({"configOptions": []})).await;
    });
    set.unwrap();

    connection.prompt("s1", turn(1), blocks("hi")).unwrap();
    let prompt = request::<PromptRequest>(&mut peer, "session/prompt").await;
    events.prompted().await;
    for (id, option) in [(json!(0), Some("y es/1".to_owned())), (json!("ask"), None)] {
        let key = asked(&mut peer, &mut events, id.clone()).await;
        assert!(connection.answer(key, openscience_core::input::Given::option(option)).await);
        let answer = peer.recv().await;
        assert_eq!((&answer["jsonrpc"], &answer["id"]), (&json!("2.0"), &id));
        conforms::<RequestPermissionResponse>(&answer["result"]);
    }
    connection.cancel("s1");
    let cancel = peer.expect("session/cancel").await;
    assert_eq!((&cancel["jsonrpc"], cancel.get("id")), (&json!("2.0"), None), "a notification");
    conforms::<CancelNotification>(&cancel["params"]);
    peer.answer(&prompt, json!({"stopReason": "cancelled"})).await;
    assert_eq!(answered(events.rest().await.1), "cancelled");
}

#[tokio::test]
async fn taking_a_session_up_again_keeps_to_the_schema() {
    let (connection, mut peer) = connected().await;
    let (sink, _events) = events(64);
    let (resumed, ()) = tokio::join!(
        connection.resume_session("s1", Path::new("/ws"), sink.clone()),
        opens::<ResumeSessionRequest>(&mut peer, "session/resume")
    );
    let (loaded, ()) = tokio::join!(
        connection.load_session("s1", Path::new("/ws"), sink),
        opens::<LoadSessionRequest>(&mut peer, "session/load")
    );
    let id = |opened: Result<OpenedSession, AgentError>| opened.unwrap().session_id;
    assert_eq!((id(resumed).as_str(), id(loaded).as_str()), ("s1", "s1"));
}
