//! Stable snake_case codes that clients may match on. Chosen once, for ever.

/// Codes in error bodies of the HTTP surface.
pub mod api {
    pub const INVALID_REQUEST: &str = "invalid_request";
    pub const INVALID_JSON: &str = "invalid_json";
    pub const INVALID_CURSOR: &str = "invalid_cursor";
    pub const INVALID_ANSWER: &str = "invalid_answer";
    pub const NOT_AVAILABLE: &str = "not_available";
    pub const SCOPE_NOT_AVAILABLE: &str = "scope_not_available";
    pub const DEV_AGENT_UNAVAILABLE: &str = "dev_agent_unavailable";
    pub const AGENT_NOT_FOUND: &str = "agent_not_found";
    pub const AGENT_SESSION_MISSING: &str = "agent_session_missing";
    pub const AGENT_SESSION_TAKEN: &str = "agent_session_taken";
    pub const MODE_NOT_FOUND: &str = "mode_not_found";
    pub const CONFIG_OPTION_NOT_FOUND: &str = "config_option_not_found";
    pub const CONFIG_VALUE_INVALID: &str = "config_value_invalid";
    pub const AUTH_METHOD_NOT_FOUND: &str = "auth_method_not_found";
    pub const AUTH_TERMINAL: &str = "auth_terminal";
    pub const AUTH_ENV: &str = "auth_env";
    pub const AUTH_FAILED: &str = "auth_failed";
    pub const UNAUTHORIZED: &str = "unauthorized";
    pub const FORBIDDEN_HOST: &str = "forbidden_host";
    pub const FORBIDDEN_ORIGIN: &str = "forbidden_origin";
    pub const NOT_FOUND: &str = "not_found";
    pub const SESSION_NOT_FOUND: &str = "session_not_found";
    pub const RUN_NOT_FOUND: &str = "run_not_found";
    pub const TURN_NOT_FOUND: &str = "turn_not_found";
    pub const MESSAGE_NOT_FOUND: &str = "message_not_found";
    pub const TERMINAL_NOT_FOUND: &str = "terminal_not_found";
    pub const TOOL_CALL_NOT_FOUND: &str = "tool_call_not_found";
    pub const OPERATION_NOT_FOUND: &str = "operation_not_found";
    pub const PERMISSION_NOT_FOUND: &str = "permission_not_found";
    pub const CONNECTION_NOT_FOUND: &str = "connection_not_found";
    pub const GRANT_NOT_FOUND: &str = "grant_not_found";
    pub const PROJECT_NOT_FOUND: &str = "project_not_found";
    pub const PROJECT_STALE: &str = "project_stale";
    pub const PROJECT_MISMATCH: &str = "project_mismatch";
    pub const DIRECTORY_INVALID: &str = "directory_invalid";
    pub const WORKSPACE_MISMATCH: &str = "workspace_mismatch";
    pub const METHOD_NOT_ALLOWED: &str = "method_not_allowed";
    pub const REQUEST_TIMEOUT: &str = "request_timeout";
    pub const REQUEST_CONFLICT: &str = "request_conflict";
    pub const SESSION_BUSY: &str = "session_busy";
    pub const QUEUE_FULL: &str = "queue_full";
    pub const TURN_NOT_QUEUED: &str = "turn_not_queued";
    pub const RUN_NOT_OWNED: &str = "run_not_owned";
    pub const SESSION_DELETING: &str = "session_deleting";
    pub const SESSION_DELETED: &str = "session_deleted";
    pub const SESSION_CONFLICT: &str = "session_conflict";
    pub const CURSOR_EXPIRED: &str = "cursor_expired";
    pub const CURSOR_AHEAD: &str = "cursor_ahead";
    pub const DECISION_CONFLICT: &str = "decision_conflict";
    pub const DECISION_EXPIRED: &str = "decision_expired";
    pub const DECISION_NOT_OWNED: &str = "decision_not_owned";
    pub const PAYLOAD_TOO_LARGE: &str = "payload_too_large";
    pub const ATTACHMENT_NOT_FOUND: &str = "attachment_not_found";
    pub const EXTERNAL_DIRECTORY: &str = "external_directory";
    pub const UPLOAD_NOT_FOUND: &str = "upload_not_found";
    pub const UPLOAD_INCOMPLETE: &str = "upload_incomplete";
    pub const UPLOAD_OFFSET: &str = "upload_offset";
    pub const UPLOAD_BUSY: &str = "upload_busy";
    pub const UPLOAD_SEALED: &str = "upload_sealed";
    pub const UPLOAD_IN_USE: &str = "upload_in_use";
    pub const STORAGE_FULL: &str = "storage_full";
    pub const UNSUPPORTED_MEDIA_TYPE: &str = "unsupported_media_type";
    pub const TOO_MANY_SESSIONS: &str = "too_many_sessions";
    pub const TOO_MANY_SUBSCRIBERS: &str = "too_many_subscribers";
    pub const STORE_UNAVAILABLE: &str = "store_unavailable";
    pub const SHUTTING_DOWN: &str = "shutting_down";
    pub const INTERNAL: &str = "internal";
}

/// Codes of a failed or interrupted run.
pub mod run {
    pub const RUN_FAILED: &str = "run_failed";
    pub const CANCELLED: &str = "cancelled";
    pub const RUNTIME_STOPPED: &str = "runtime_stopped";
    pub const AGENT_START_FAILED: &str = "agent_start_failed";
    pub const SESSION_OPEN_FAILED: &str = "session_open_failed";
    pub const AGENT_EXITED: &str = "agent_exited";
    pub const AUTH_REQUIRED: &str = "auth_required";
    pub const MODEL_NOT_AVAILABLE: &str = "model_not_available";
    pub const FRAME_TOO_LARGE: &str = "frame_too_large";
    pub const DIRECTORY_MISSING: &str = "directory_missing";
    pub const ATTACHMENT_UNREADABLE: &str = "attachment_unreadable";
    pub const PROMPT_FAILED: &str = "prompt_failed";
    pub const DEADLINE_EXCEEDED: &str = "deadline_exceeded";
    pub const AGENT_CAPACITY: &str = "agent_capacity";
    pub const CONTEXT_LOST: &str = "context_lost";
    pub const INITIAL_CONFIG_FAILED: &str = "initial_config_failed";
    pub const SYSTEM_PROMPT_UNSUPPORTED: &str = "system_prompt_unsupported";
    pub const METHOD_NOT_SUPPORTED: &str = "method_not_supported";
    pub const PERMISSION_DENIED: &str = "permission_denied";
    pub const AGENT_STALLED: &str = "agent_stalled";
    pub const AGENT_CANCELLED: &str = "agent_cancelled";
    pub const STORE_UNAVAILABLE: &str = "store_unavailable";
}
