//! What the agent asks its client to do, read and answered: files and new terminals become events, because
//! somebody may have to allow them; a terminal that runs is asked for here and now.

use std::borrow::Cow;

use openscience_core::authority::{Request, Run};
use openscience_core::input::RequestKey;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::connection::{Connection, SessionEvent};
use crate::handlers::{AskKind, code, request_key};
use crate::reader::Reader;
use crate::record::Note;
use crate::state::{Ask, answer_line, refusal_line};

/// Why a request of the agent is not carried out, as it is told so.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    pub code: i32,
    /// Repeats nothing of the request.
    pub message: String,
}

impl Refused {
    /// It names something that is not there.
    pub const NOT_FOUND: i32 = -32002;
    /// It asks for something that cannot be.
    pub const INVALID: i32 = -32602;
    /// It was not allowed, or went wrong.
    pub const FAILED: i32 = -32603;
    /// Nobody answers it any more.
    pub const CANCELLED: i32 = code::CANCELLED;

    pub fn new(code: i32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    path: String,
    #[serde(default)]
    line: Option<u32>,
    #[serde(default)]
    limit: Option<u32>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Write<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    path: String,
    content: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Create<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    command: String,
    #[serde(default)]
    args: Option<Vec<String>>,
    #[serde(default)]
    env: Option<Vec<Variable>>,
    #[serde(default)]
    cwd: Option<String>,
    #[serde(default)]
    output_byte_limit: Option<u64>,
}

#[derive(Deserialize)]
struct Variable {
    name: String,
    value: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named<'a> {
    #[serde(borrow)]
    session_id: Cow<'a, str>,
    #[serde(borrow)]
    terminal_id: Cow<'a, str>,
}

/// What is asked of a terminal that was started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verb {
    Output,
    Wait,
    Kill,
    Release,
}

/// A method that is served here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Read,
    Write,
    Create,
    Terminal(TerminalVerb),
}

/// Hides the verbs: only this module acts on them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TerminalVerb(Verb);

impl Method {
    pub(crate) fn of(name: &str) -> Option<Self> {
        Some(match name {
            "fs/read_text_file" => Self::Read,
            "fs/write_text_file" => Self::Write,
            "terminal/create" => Self::Create,
            "terminal/output" => Self::Terminal(TerminalVerb(Verb::Output)),
            "terminal/wait_for_exit" => Self::Terminal(TerminalVerb(Verb::Wait)),
            "terminal/kill" => Self::Terminal(TerminalVerb(Verb::Kill)),
            "terminal/release" => Self::Terminal(TerminalVerb(Verb::Release)),
            _ => return None,
        })
    }
}

/// The session and what is asked for it; none if the request is malformed.
fn read(method: Method, params: &RawValue) -> Option<(Cow<'_, str>, Request)> {
    match method {
        Method::Read => {
            let Read { session_id, path, line, limit } = serde_json::from_str(params.get()).ok()?;
            Some((session_id, Request::Read { path, line, limit }))
        }
        Method::Write => {
            let Write { session_id, path, content } = serde_json::from_str(params.get()).ok()?;
            Some((session_id, Request::Write { path, content }))
        }
        Method::Create => {
            let create: Create<'_> = serde_json::from_str(params.get()).ok()?;
            let Create { session_id, command, args, env, cwd, output_byte_limit: output_bytes } = create;
            let env = env.unwrap_or_default().into_iter().map(|Variable { name, value }| (name, value));
            let run = Run { command, args: args.unwrap_or_default(), env: env.collect(), cwd, output_bytes };
            let whole = std::iter::once(&run.command).chain(&run.args).all(|word| !word.contains('\0'));
            let named = run.env.iter().all(|(name, value)| is_variable(name) && !value.contains('\0'));
            (whole && named && !run.command.trim().is_empty()).then_some((session_id, Request::Run(run)))
        }
        Method::Terminal(_) => None,
    }
}

fn is_variable(name: &str) -> bool {
    !name.is_empty() && !name.contains(['=', '\0'])
}

impl Reader {
    /// A request that is served.
    pub(crate) async fn serve(&mut self, method: Method, id: &RawValue, params: Option<&RawValue>) {
        match method {
            Method::Terminal(verb) => self.terminal(verb.0, id, params),
            Method::Read | Method::Write | Method::Create => self.requested(method, id, params).await,
        }
    }

    async fn requested(&mut self, method: Method, id: &RawValue, params: Option<&RawValue>) {
        let Some((session, request)) = params.and_then(|params| read(method, params)) else {
            return self.malformed(id);
        };
        self.heard(&session);
        let key = {
            let mut state = self.shared.lock();
            let routed = state.routes.contains_key(&*session) && !state.loading.contains_key(&*session);
            if !routed {
                state.counters.unrouted += 1;
                self.shared.refuse(&mut state, Some(id), code::INVALID_PARAMS, UNKNOWN_SESSION);
                return;
            }
            let key = request_key();
            state
                .asks
                .insert(key, Ask { id: id.to_owned(), session: session.to_string(), kind: AskKind::Client });
            state.record(Some(&session), Note::client_request(&request));
            key
        };
        self.deliver(&session, SessionEvent::Request { key, request: Box::new(request) }).await;
    }

    fn malformed(&self, id: &RawValue) {
        let mut state = self.shared.lock();
        self.shared.refuse(&mut state, Some(id), code::INVALID_PARAMS, "invalid params");
    }

    fn terminal(&mut self, verb: Verb, id: &RawValue, params: Option<&RawValue>) {
        let named: Option<Named<'_>> = params.and_then(|params| serde_json::from_str(params.get()).ok());
        let Some(Named { session_id, terminal_id }) = named else { return self.malformed(id) };
        self.heard(&session_id);
        let mut state = self.shared.lock();
        let Some(terminal) = state.terminals.find(&session_id, &terminal_id) else {
            let known = state.routes.contains_key(&*session_id);
            let why = if known { "there is no such terminal" } else { UNKNOWN_SESSION };
            self.shared.refuse(&mut state, Some(id), Refused::NOT_FOUND, why);
            return;
        };
        match verb {
            Verb::Output => self.shared.reply(&mut state, id, &terminal.output_answer()),
            Verb::Wait => {
                if let Some(exit) = terminal.exit_answer() {
                    return self.shared.reply(&mut state, id, &exit);
                }
                if !terminal.may_wait() {
                    self.shared.refuse(&mut state, Some(id), Refused::FAILED, "too many wait for it");
                    return;
                }
                drop(state);
                let (shared, id) = (std::sync::Arc::clone(&self.shared), id.to_owned());
                tokio::spawn(async move {
                    let exit = terminal.waited().await;
                    shared.reply(&mut shared.lock(), &id, &exit);
                });
            }
            Verb::Kill => {
                terminal.stop();
                self.shared.reply(&mut state, id, &json!({}));
            }
            Verb::Release => {
                state.terminals.release(&terminal);
                self.shared.reply(&mut state, id, &json!({}));
            }
        }
    }

    fn heard(&mut self, session: &str) {
        self.holds.heard(session, tokio::time::Instant::now());
    }
}

const UNKNOWN_SESSION: &str = "the session is not open";

impl Connection {
    /// Answers a request that was told as an event. True once the answer is written; false if it never
    /// can be.
    pub async fn respond(&self, key: RequestKey, answer: Result<Value, Refused>) -> bool {
        let shared = &self.0.shared;
        shared.lock().counters.refused += u64::from(answer.is_err());
        let written = shared.written(key, |ask| match &answer {
            Ok(result) => (answer_line(&ask.id, result).ok(), Note::client_response("done")),
            Err(Refused { code, message }) => {
                (refusal_line(Some(&ask.id), *code, message).ok(), Note::client_response(message))
            }
        });
        match written {
            Some(written) => written.await.is_ok(),
            None => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_of(method: &str, params: &Value) -> Option<Request> {
        let raw = RawValue::from_string(params.to_string()).unwrap();
        read(Method::of(method).unwrap(), &raw).map(|(session, request)| {
            assert_eq!(session, "s");
            request
        })
    }

    #[test]
    fn what_is_optional_may_be_left_out_or_null() {
        let path = "/ws/a".to_owned();
        for params in [
            json!({"sessionId": "s", "path": "/ws/a"}),
            json!({"sessionId": "s", "path": "/ws/a", "line": null, "limit": null, "_meta": {}}),
        ] {
            let expected = Request::Read { path: path.clone(), line: None, limit: None };
            assert_eq!(read_of("fs/read_text_file", &params), Some(expected));
        }
        let run = json!({"sessionId": "s", "command": "ls", "args": null, "env": null, "cwd": null, "outputByteLimit": null});
        let expected = Request::Run(Run { command: "ls".to_owned(), ..Run::default() });
        assert_eq!(read_of("terminal/create", &run), Some(expected));
        let run = json!({"sessionId": "s", "command": "ls", "args": ["-l"], "env": [{"name": "A", "value": "b=c"}],
            "cwd": "/ws", "outputByteLimit": 10});
        let expected = Request::Run(Run {
            command: "ls".to_owned(),
            args: vec!["-l".to_owned()],
            env: vec![("A".to_owned(), "b=c".to_owned())],
            cwd: Some("/ws".to_owned()),
            output_bytes: Some(10),
        });
        assert_eq!(read_of("terminal/create", &run), Some(expected));
    }

    #[test]
    fn what_cannot_be_meant_is_malformed() {
        for (method, params) in [
            ("fs/read_text_file", json!({"path": "/a"})),
            ("fs/read_text_file", json!({"sessionId": "s", "path": "/a", "line": -1})),
            ("fs/write_text_file", json!({"sessionId": "s", "path": "/a"})),
            ("terminal/create", json!({"sessionId": "s", "command": " "})),
            ("terminal/create", json!({"sessionId": "s", "command": "a\u{0}b"})),
            (
                "terminal/create",
                json!({"sessionId": "s", "command": "a", "env": [{"name": "A=B", "value": ""}]}),
            ),
        ] {
            assert_eq!(read_of(method, &params), None, "{method} {params}");
        }
    }
}
