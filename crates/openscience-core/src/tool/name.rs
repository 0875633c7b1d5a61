//! Which tool does a call use, where the agent tells it beside ACP's own fields? Not what kind it is.

use agent_client_protocol_schema::v1::Meta;
use serde_json::Value;

/// The name in the metadata of a call: `toolName`, by itself (qwen) or among what is claude's own.
pub(super) fn in_meta(meta: Option<&Meta>) -> Option<String> {
    let meta = meta?;
    let name = meta.get("toolName").or_else(|| meta.get("claudeCode")?.get("toolName"));
    name.and_then(Value::as_str).filter(|name| !name.trim().is_empty()).map(str::to_owned)
}
