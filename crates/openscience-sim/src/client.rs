//! What does a turn ask of its client, and what does it make of the answer?
//!
//! Permissions, questions, files, terminals and any other request. What the
//! client did not offer is not asked for; the turn says so instead.

use std::io;
use std::ops::ControlFlow;

use agent_client_protocol_schema::v1::{ToolCallUpdateFields, ToolKind};
use serde_json::{Map, Value, json};

use crate::turn::{End, Flow, GO_ON, Turn};
use crate::wire::Answer;

impl Turn {
    /// A request with the session's id in it.
    async fn request(&self, method: &str, mut params: Value) -> io::Result<Answer> {
        if let Some(params) = params.as_object_mut() {
            let session = serde_json::to_value(self.report.session())?;
            params.entry("sessionId").or_insert(session);
        }
        self.report.outbox().call(method, &params).await
    }

    pub(crate) async fn ask(&self, name: &str, kinds: &[String], announced: bool) -> Flow {
        let input = json!({"command": name});
        let call = if announced {
            self.report.open_call(name, ToolKind::Execute, &input).await?
        } else {
            // codex, gemini and qwen ask before they tell of the call.
            self.report.unannounced_call()
        };
        let options = permission_options(kinds);
        let tool_call = json!({
            "toolCallId": call.id(), "title": name, "name": name, "kind": "execute",
            "status": "pending", "rawInput": input,
        });
        let params = json!({"toolCall": tool_call, "options": options});
        let outcome = match self.request("session/request_permission", params).await? {
            Ok(answer) if answer["outcome"]["outcome"] == "cancelled" => {
                return Ok(ControlFlow::Break(End::cancelled()));
            }
            Ok(answer) => chosen(&options, &answer["outcome"]["optionId"]),
            Err(error) => Err(format!("permission failed: {}", described(&error))),
        };
        let (allowed, told) = match outcome {
            Ok(true) => (true, "allowed".to_owned()),
            Ok(false) => (false, "rejected".to_owned()),
            Err(problem) => (false, problem),
        };
        call.end(!allowed, &told, json!({"outcome": told})).await?;
        self.report.say(&told).await?;
        GO_ON
    }

    pub(crate) async fn question(&self, text: &str, choices: &[String]) -> io::Result<()> {
        if self.client.elicitation.as_ref().is_none_or(|offered| offered.form.is_none()) {
            return self.report.say("the client does not answer questions").await;
        }
        let mut property = json!({"type": "string", "title": "Answer"});
        if !choices.is_empty() {
            property["enum"] = json!(choices);
        }
        let schema = json!({"type": "object", "properties": {"answer": property}, "required": ["answer"]});
        let params = json!({"mode": "form", "message": text, "requestedSchema": schema});
        let told = match self.request("elicitation/create", params).await? {
            Ok(answer) => match answer["action"].as_str() {
                Some("accept") => format!("answer: {}", plain(&answer["content"]["answer"])),
                Some("decline") => "the question was declined".to_owned(),
                Some("cancel") => "the question was cancelled".to_owned(),
                _ => "the question was answered with an unknown action".to_owned(),
            },
            Err(error) => format!("question failed: {}", described(&error)),
        };
        self.report.say(&told).await
    }

    pub(crate) async fn read(&self, path: &str) -> io::Result<()> {
        if !self.client.fs.read_text_file {
            return self.report.say("the client does not read files").await;
        }
        let params = json!({"path": self.session.cwd.join(path)});
        let told = match self.request("fs/read_text_file", params).await? {
            Ok(answer) => plain(&answer["content"]),
            Err(error) => format!("read failed: {}", described(&error)),
        };
        self.report.say(&told).await
    }

    pub(crate) async fn write(&self, path: &str, text: &str) -> io::Result<()> {
        if !self.client.fs.write_text_file {
            return self.report.say("the client does not write files").await;
        }
        let params = json!({"path": self.session.cwd.join(path), "content": text});
        let told = match self.request("fs/write_text_file", params).await? {
            Ok(_) => format!("wrote {path}"),
            Err(error) => format!("write failed: {}", described(&error)),
        };
        self.report.say(&told).await
    }

    /// Shows the command's terminal in a tool call, waits for it and releases it.
    pub(crate) async fn terminal(&self, command: &str, args: &[String]) -> io::Result<()> {
        if !self.client.terminal {
            return self.report.say("the client has no terminal").await;
        }
        let input = json!({"command": command, "args": args});
        let call = self.report.open_call(command, ToolKind::Execute, &input).await?;
        let create = json!({"command": command, "args": args, "cwd": self.session.cwd});
        let id = match self.request("terminal/create", create).await? {
            Ok(answer) => json!({"terminalId": answer["terminalId"]}),
            Err(error) => {
                let problem = format!("terminal failed: {}", described(&error));
                call.end(true, &problem, Value::Null).await?;
                return self.report.say(&problem).await;
            }
        };
        let shown = json!({
            "status": "in_progress",
            "content": [{"type": "terminal", "terminalId": id["terminalId"]}],
        });
        call.update(serde_json::from_value::<ToolCallUpdateFields>(shown)?).await?;
        let exit = self.request("terminal/wait_for_exit", id.clone()).await?.unwrap_or_else(|error| error);
        let seen = self.request("terminal/output", id.clone()).await?.unwrap_or_else(|error| error);
        let released = self.request("terminal/release", id).await?;
        let code = plain(&exit["exitCode"]);
        let ended = json!({
            "status": if code == "0" { "completed" } else { "failed" },
            "rawOutput": {"exit": exit, "output": seen["output"], "released": released.is_ok()},
        });
        call.update(serde_json::from_value::<ToolCallUpdateFields>(ended)?).await?;
        self.report.say(&format!("exit {code}: {}", plain(&seen["output"]))).await
    }

    pub(crate) async fn call(&self, method: &str, params: &Map<String, Value>) -> io::Result<()> {
        let told = match self.request(method, Value::Object(params.clone())).await? {
            Ok(answer) => format!("{method}: {answer}"),
            Err(error) => format!("{method} failed: {}", described(&error)),
        };
        self.report.say(&told).await
    }
}

/// Options with ids of their own, also where a kind occurs twice (vibe and qwen
/// offer two ways to allow always). A kind may be one that no client knows.
fn permission_options(kinds: &[String]) -> Vec<Value> {
    let mut options = Vec::new();
    for (index, kind) in kinds.iter().enumerate() {
        let name = kind.replace('_', " ");
        let before = kinds.iter().take(index).filter(|earlier| *earlier == kind).count();
        let suffix = if before == 0 { String::new() } else { format!("-{}", before + 1) };
        let id = format!("opt-{}{suffix}", kind.replace('_', "-"));
        options.push(json!({"optionId": id, "name": name, "kind": kind}));
    }
    options
}

/// Whether the chosen option allows, or what is wrong with the choice.
fn chosen(options: &[Value], id: &Value) -> Result<bool, String> {
    let option = options.iter().find(|option| option["optionId"] == *id);
    let kind = option.and_then(|option| option["kind"].as_str());
    kind.map(|kind| kind.starts_with("allow")).ok_or_else(|| "the chosen option was not offered".to_owned())
}

/// A string without its quotes, anything else as JSON.
fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn described(error: &Value) -> String {
    format!("{} {}", plain(&error["code"]), plain(&error["message"]))
}
