// Written by scripts/generate.mjs from openapi/openscience.json and docs/. Do not edit: npm run generate.

/** Who knows an agent. */
export const AGENT_SOURCES = ["built_in", "configured", "registry"] as const
/** Whether a Result is listed or waits in the trash. */
export const ARTIFACT_STATES = ["active", "trash"] as const
/** How freely delegated work may act. */
export const AUTONOMIES = ["interactive", "balanced", "autonomous"] as const
/** How well the bytes of a version are known to be what was made. */
export const CAPTURE_QUALITIES = ["exact", "declared", "partial", "unknown"] as const
/** Whether a file was made or changed. */
export const CHANGE_TYPES = ["write", "update"] as const
/** How the file itself writes its text. */
export const CHARSETS = ["utf-8", "utf-16le", "utf-16be", "iso-8859-1"] as const
/** Where a claim stands. */
export const CLAIM_STATES = ["pending", "finalized", "failed"] as const
/** What of an agent's configuration a wish is for: one word for what agents call differently. */
export const CONFIG_KEYS = ["mode", "model", "effort"] as const
/** What kind of value a config option has. */
export const CONFIG_OPTION_TYPES = ["boolean", "number", "select", "string"] as const
/** What came of a wish. */
export const CONFIG_STATUSES = ["applied", "already-set", "skipped", "failed"] as const
/** Whether a process can be spoken to. */
export const CONNECTION_STATUSES = ["idle", "connecting", "connected", "error", "closed"] as const
/** Whether the agent is known to have the answer. */
export const DECISION_STATUSES = ["resolved", "indeterminate"] as const
/** How much the agent may delegate. */
export const DELEGATION_LEVELS = ["off", "light", "standard", "high"] as const
/** How turns that wait together are sent to the agent. */
export const DELIVERIES = ["coalesce", "sequential"] as const
/** How hard the agent should think. */
export const EFFORTS = ["normal", "ultra"] as const
/** Coarse class of an event, for clients that render by class. */
export const EVENT_KINDS = ["system", "message", "thought", "tool", "plan", "permission", "artifact", "error", "stop", "raw"] as const
/** How much attention an event of a connection deserves. */
export const EVENT_LEVELS = ["info", "warning", "error"] as const
/** Why an operation came to nothing. */
export const FAILURE_REASONS = ["cancelled", "failed", "permission_denied", "timeout"] as const
/** Who has to do something to log in. */
export const LOGIN_KINDS = ["agent", "env_var", "terminal"] as const
/** How a server is spoken to. */
export const MCP_KINDS = ["stdio", "http", "sse"] as const
/** How a conversation that the agent holds is taken up. */
export const OPEN_INPUTS = ["load", "resume"] as const
/** What an operation does. */
export const OPERATION_KINDS = ["document_edit", "execute_command", "mcp_call", "network_request", "read_file", "unknown", "write_file"] as const
/** What happened to an operation. */
export const OPERATION_LIFECYCLES = ["started", "updated", "completed", "failed"] as const
/** How far an operation has come. */
export const OPERATION_PHASES = ["proposed", "awaiting_permission", "running", "completed", "failed", "cancelled"] as const
/** What was decided. */
export const PERMISSION_DECISIONS = ["allowed", "denied"] as const
/** How a refusal showed itself. */
export const PERMISSION_FAMILIES = ["permission_request_cancelled", "permission_request_end_turn", "mode_denied"] as const
/** What a permission is for. */
export const PERMISSION_KINDS = ["document", "filesystem", "mcp", "network", "terminal", "unknown"] as const
/** What happened to a permission. */
export const PERMISSION_LIFECYCLES = ["requested", "resolved"] as const
/** Where a permission stands. */
export const PERMISSION_PHASES = ["pending", "allowed", "denied"] as const
/** How far an answer reaches. */
export const PERMISSION_REPLIES = ["once", "session", "project", "always", "reject"] as const
/** How far a permission may reach. */
export const PERMISSION_SCOPES = ["once", "session"] as const
/** How `content` stands for the file's bytes. */
export const PREVIEW_ENCODINGS = ["utf8", "base64"] as const
/** What a file is to a reader. */
export const PREVIEW_KINDS = ["text", "markdown", "html", "json", "csv", "notebook", "fasta", "image", "binary"] as const
/** What a rule says. */
export const RULE_ACTIONS = ["allow", "deny", "ask"] as const
/** Where a run stands. The last four are final and never change. */
export const RUN_STATES = ["accepted", "running", "completed", "failed", "cancelled", "interrupted"] as const
/** Who knows of a session. */
export const SESSION_SOURCES = ["local", "remote", "both"] as const
/** How far a standing grant reaches. */
export const STANDING_SCOPES = ["project", "global"] as const
/** What an operation is aimed at. */
export const TARGET_TYPES = ["command", "endpoint", "mcp_tool", "path", "unknown"] as const
/** How a terminal stands. */
export const TERMINAL_STATUSES = ["unknown", "running", "completed"] as const
/** How far an entry has come. */
export const THREAD_ENTRY_STATUSES = ["streaming", "pending", "in_progress", "completed", "failed"] as const
/** Where a turn stands. */
export const TURN_STATES = ["queued", "ready", "active", "completed", "cancelled", "coalesced", "withdrawn", "failed"] as const
/** Where the agent works. */
export const WORKSPACES = ["isolated", "project"] as const
/** Why a request was refused. */
export const ERROR_CODES = ["AcpAuthenticationError", "AcpForkError", "AcpInitialConfigError", "AcpListError", "AcpLoadError", "AcpProcessError", "AcpProtocolError", "AcpResumeError", "AcpSystemPromptError", "agent_not_found", "agent_session_missing", "agent_session_taken", "artifact_damaged", "artifact_not_found", "artifact_refused", "attachment_not_found", "auth_env", "auth_failed", "auth_method_not_found", "auth_terminal", "claim_conflict", "claim_not_finalized", "claim_not_found", "config_option_not_found", "config_value_invalid", "connection_not_found", "cursor_ahead", "cursor_expired", "decision_conflict", "decision_expired", "decision_not_owned", "dev_agent_unavailable", "directory_invalid", "external_directory", "file_not_found", "forbidden_host", "forbidden_origin", "grant_not_found", "internal", "invalid_answer", "invalid_cursor", "invalid_json", "invalid_request", "message_not_found", "method_not_allowed", "mode_not_found", "not_available", "not_found", "operation_not_found", "path_not_allowed", "payload_too_large", "permission_not_found", "project_mismatch", "project_not_found", "project_stale", "queue_full", "range_not_satisfiable", "request_conflict", "request_timeout", "run_not_found", "run_not_owned", "scope_not_available", "session_busy", "session_conflict", "session_deleted", "session_deleting", "session_not_found", "shutting_down", "storage_full", "store_unavailable", "system_prompt_unsupported", "terminal_not_found", "too_many_sessions", "too_many_subscribers", "tool_call_not_found", "turn_not_found", "turn_not_queued", "unauthorized", "unsupported_media_type", "upload_busy", "upload_in_use", "upload_incomplete", "upload_not_found", "upload_offset", "upload_sealed", "workspace_mismatch"] as const
/** Why a request was refused. */
export type ErrorCode = (typeof ERROR_CODES)[number]
/** Why a run or a turn failed. */
export const RUN_ERROR_CODES = ["agent_cancelled", "agent_capacity", "agent_exited", "agent_stalled", "agent_start_failed", "attachment_unreadable", "auth_required", "cancelled", "context_lost", "deadline_exceeded", "directory_missing", "frame_too_large", "initial_config_failed", "method_not_supported", "model_not_available", "permission_denied", "prompt_failed", "run_failed", "runtime_stopped", "session_open_failed", "store_unavailable", "system_prompt_unsupported"] as const
/** Why a run or a turn failed. */
export type RunErrorCode = (typeof RUN_ERROR_CODES)[number]
/** Why a daemon did not start. */
export const START_ERROR_CODES = ["agent_not_found", "config_invalid", "data_dir_foreign", "data_dir_format", "data_dir_unusable", "database_in_use", "database_newer", "database_unusable", "directory_unusable", "hostname_not_allowed", "port_in_use", "port_unusable", "system_error", "token_required", "usage"] as const
/** Why a daemon did not start. */
export type StartErrorCode = (typeof START_ERROR_CODES)[number]
/** Types of events. There may be others: ignore those. */
export const EVENT_TYPES = ["agent.connected", "agent.exited", "agent.raw", "agent.reset", "agent.resumed", "agent.stderr", "artifact.created", "message.part.updated", "message.updated", "permission.asked", "permission.cancelled", "permission.replied", "question.asked", "question.cancelled", "question.rejected", "question.replied", "runtime.accepted", "runtime.cancelled", "runtime.completed", "runtime.failed", "session.context", "session.created", "session.deleted", "session.error", "session.idle", "session.status", "session.updated", "todo.updated", "turn.updated"] as const
/** Types of events. There may be others: ignore those. */
export type EventType = (typeof EVENT_TYPES)[number]
