# Written by tools/generate.py; change the OpenAPI document or the generator instead.
"""The stable words of the interface. A newer daemon may send further ones."""

from __future__ import annotations

from typing import Final


class AgentSource:
    """Who knows an agent."""

    BUILT_IN: Final = "built_in"
    CONFIGURED: Final = "configured"
    REGISTRY: Final = "registry"
    ALL: Final[frozenset[str]] = frozenset({BUILT_IN, CONFIGURED, REGISTRY})


class ArtifactState:
    """Whether a Result is listed or waits in the trash."""

    ACTIVE: Final = "active"
    TRASH: Final = "trash"
    ALL: Final[frozenset[str]] = frozenset({ACTIVE, TRASH})


class Autonomy:
    """How freely delegated work may act."""

    INTERACTIVE: Final = "interactive"
    BALANCED: Final = "balanced"
    AUTONOMOUS: Final = "autonomous"
    ALL: Final[frozenset[str]] = frozenset({INTERACTIVE, BALANCED, AUTONOMOUS})


class CaptureQuality:
    """How well the bytes of a version are known to be what was made."""

    EXACT: Final = "exact"
    DECLARED: Final = "declared"
    PARTIAL: Final = "partial"
    UNKNOWN: Final = "unknown"
    ALL: Final[frozenset[str]] = frozenset({EXACT, DECLARED, PARTIAL, UNKNOWN})


class ChangeType:
    """Whether a file was made or changed."""

    WRITE: Final = "write"
    UPDATE: Final = "update"
    ALL: Final[frozenset[str]] = frozenset({WRITE, UPDATE})


class Charset:
    """How the file itself writes its text."""

    UTF_8: Final = "utf-8"
    UTF_16LE: Final = "utf-16le"
    UTF_16BE: Final = "utf-16be"
    ISO_8859_1: Final = "iso-8859-1"
    ALL: Final[frozenset[str]] = frozenset({UTF_8, UTF_16LE, UTF_16BE, ISO_8859_1})


class ClaimState:
    """Where a claim stands."""

    PENDING: Final = "pending"
    FINALIZED: Final = "finalized"
    FAILED: Final = "failed"
    ALL: Final[frozenset[str]] = frozenset({PENDING, FINALIZED, FAILED})


class ConfigKey:
    """What of an agent's configuration a wish is for: one word for what agents call differently."""

    MODE: Final = "mode"
    MODEL: Final = "model"
    EFFORT: Final = "effort"
    ALL: Final[frozenset[str]] = frozenset({MODE, MODEL, EFFORT})


class ConfigOptionType:
    """What kind of value a config option has."""

    BOOLEAN: Final = "boolean"
    NUMBER: Final = "number"
    SELECT: Final = "select"
    STRING: Final = "string"
    ALL: Final[frozenset[str]] = frozenset({BOOLEAN, NUMBER, SELECT, STRING})


class ConfigStatus:
    """What came of a wish."""

    APPLIED: Final = "applied"
    ALREADY_SET: Final = "already-set"
    SKIPPED: Final = "skipped"
    FAILED: Final = "failed"
    ALL: Final[frozenset[str]] = frozenset({APPLIED, ALREADY_SET, SKIPPED, FAILED})


class ConnectionStatus:
    """Whether a process can be spoken to."""

    IDLE: Final = "idle"
    CONNECTING: Final = "connecting"
    CONNECTED: Final = "connected"
    ERROR: Final = "error"
    CLOSED: Final = "closed"
    ALL: Final[frozenset[str]] = frozenset({IDLE, CONNECTING, CONNECTED, ERROR, CLOSED})


class ContentPartType:
    """What `type` of ContentPart says."""

    TEXT: Final = "text"
    FILE: Final = "file"
    IMAGE: Final = "image"
    AUDIO: Final = "audio"
    RESOURCE: Final = "resource"
    JSON: Final = "json"
    ALL: Final[frozenset[str]] = frozenset({TEXT, FILE, IMAGE, AUDIO, RESOURCE, JSON})


class DecisionInputKind:
    """What `kind` of DecisionInput says."""

    PERMISSION: Final = "permission"
    QUESTION: Final = "question"
    QUESTION_REJECT: Final = "question_reject"
    ALL: Final[frozenset[str]] = frozenset({PERMISSION, QUESTION, QUESTION_REJECT})


class DecisionStatus:
    """Whether the agent is known to have the answer."""

    RESOLVED: Final = "resolved"
    INDETERMINATE: Final = "indeterminate"
    ALL: Final[frozenset[str]] = frozenset({RESOLVED, INDETERMINATE})


class DelegationLevel:
    """How much the agent may delegate."""

    OFF: Final = "off"
    LIGHT: Final = "light"
    STANDARD: Final = "standard"
    HIGH: Final = "high"
    ALL: Final[frozenset[str]] = frozenset({OFF, LIGHT, STANDARD, HIGH})


class Delivery:
    """How turns that wait together are sent to the agent."""

    COALESCE: Final = "coalesce"
    SEQUENTIAL: Final = "sequential"
    ALL: Final[frozenset[str]] = frozenset({COALESCE, SEQUENTIAL})


class Effort:
    """How hard the agent should think."""

    NORMAL: Final = "normal"
    ULTRA: Final = "ultra"
    ALL: Final[frozenset[str]] = frozenset({NORMAL, ULTRA})


class ErrorCode:
    """`code` of a refused request (docs/errors.md)."""

    INVALID_REQUEST: Final = "invalid_request"
    INVALID_JSON: Final = "invalid_json"
    INVALID_CURSOR: Final = "invalid_cursor"
    INVALID_ANSWER: Final = "invalid_answer"
    NOT_AVAILABLE: Final = "not_available"
    SCOPE_NOT_AVAILABLE: Final = "scope_not_available"
    DEV_AGENT_UNAVAILABLE: Final = "dev_agent_unavailable"
    AGENT_NOT_FOUND: Final = "agent_not_found"
    ATTACHMENT_NOT_FOUND: Final = "attachment_not_found"
    UPLOAD_INCOMPLETE: Final = "upload_incomplete"
    DIRECTORY_INVALID: Final = "directory_invalid"
    MODE_NOT_FOUND: Final = "mode_not_found"
    CONFIG_OPTION_NOT_FOUND: Final = "config_option_not_found"
    CONFIG_VALUE_INVALID: Final = "config_value_invalid"
    AUTH_METHOD_NOT_FOUND: Final = "auth_method_not_found"
    SYSTEM_PROMPT_UNSUPPORTED: Final = "system_prompt_unsupported"
    UNAUTHORIZED: Final = "unauthorized"
    FORBIDDEN_HOST: Final = "forbidden_host"
    EXTERNAL_DIRECTORY: Final = "external_directory"
    FORBIDDEN_ORIGIN: Final = "forbidden_origin"
    NOT_FOUND: Final = "not_found"
    SESSION_NOT_FOUND: Final = "session_not_found"
    RUN_NOT_FOUND: Final = "run_not_found"
    ARTIFACT_NOT_FOUND: Final = "artifact_not_found"
    CLAIM_NOT_FOUND: Final = "claim_not_found"
    FILE_NOT_FOUND: Final = "file_not_found"
    PATH_NOT_ALLOWED: Final = "path_not_allowed"
    ARTIFACT_REFUSED: Final = "artifact_refused"
    CLAIM_CONFLICT: Final = "claim_conflict"
    CLAIM_NOT_FINALIZED: Final = "claim_not_finalized"
    ARTIFACT_DAMAGED: Final = "artifact_damaged"
    RANGE_NOT_SATISFIABLE: Final = "range_not_satisfiable"
    STORAGE_FULL: Final = "storage_full"
    TURN_NOT_FOUND: Final = "turn_not_found"
    MESSAGE_NOT_FOUND: Final = "message_not_found"
    GRANT_NOT_FOUND: Final = "grant_not_found"
    TERMINAL_NOT_FOUND: Final = "terminal_not_found"
    TOOL_CALL_NOT_FOUND: Final = "tool_call_not_found"
    OPERATION_NOT_FOUND: Final = "operation_not_found"
    PERMISSION_NOT_FOUND: Final = "permission_not_found"
    CONNECTION_NOT_FOUND: Final = "connection_not_found"
    UPLOAD_NOT_FOUND: Final = "upload_not_found"
    PROJECT_NOT_FOUND: Final = "project_not_found"
    METHOD_NOT_ALLOWED: Final = "method_not_allowed"
    REQUEST_TIMEOUT: Final = "request_timeout"
    PROJECT_MISMATCH: Final = "project_mismatch"
    WORKSPACE_MISMATCH: Final = "workspace_mismatch"
    SESSION_CONFLICT: Final = "session_conflict"
    QUEUE_FULL: Final = "queue_full"
    TURN_NOT_QUEUED: Final = "turn_not_queued"
    RUN_NOT_OWNED: Final = "run_not_owned"
    SESSION_BUSY: Final = "session_busy"
    SESSION_DELETING: Final = "session_deleting"
    SESSION_DELETED: Final = "session_deleted"
    AGENT_SESSION_MISSING: Final = "agent_session_missing"
    AGENT_SESSION_TAKEN: Final = "agent_session_taken"
    AUTH_TERMINAL: Final = "auth_terminal"
    AUTH_ENV: Final = "auth_env"
    REQUEST_CONFLICT: Final = "request_conflict"
    CURSOR_EXPIRED: Final = "cursor_expired"
    CURSOR_AHEAD: Final = "cursor_ahead"
    DECISION_CONFLICT: Final = "decision_conflict"
    DECISION_EXPIRED: Final = "decision_expired"
    DECISION_NOT_OWNED: Final = "decision_not_owned"
    UPLOAD_OFFSET: Final = "upload_offset"
    UPLOAD_BUSY: Final = "upload_busy"
    UPLOAD_SEALED: Final = "upload_sealed"
    UPLOAD_IN_USE: Final = "upload_in_use"
    PROJECT_STALE: Final = "project_stale"
    PAYLOAD_TOO_LARGE: Final = "payload_too_large"
    UNSUPPORTED_MEDIA_TYPE: Final = "unsupported_media_type"
    TOO_MANY_SESSIONS: Final = "too_many_sessions"
    TOO_MANY_SUBSCRIBERS: Final = "too_many_subscribers"
    INTERNAL: Final = "internal"
    AUTH_FAILED: Final = "auth_failed"
    STORE_UNAVAILABLE: Final = "store_unavailable"
    SHUTTING_DOWN: Final = "shutting_down"
    ACP_LOAD_ERROR: Final = "AcpLoadError"
    ACP_RESUME_ERROR: Final = "AcpResumeError"
    ACP_FORK_ERROR: Final = "AcpForkError"
    ACP_LIST_ERROR: Final = "AcpListError"
    ACP_AUTHENTICATION_ERROR: Final = "AcpAuthenticationError"
    ACP_INITIAL_CONFIG_ERROR: Final = "AcpInitialConfigError"
    ACP_SYSTEM_PROMPT_ERROR: Final = "AcpSystemPromptError"
    ACP_PROTOCOL_ERROR: Final = "AcpProtocolError"
    ACP_PROCESS_ERROR: Final = "AcpProcessError"
    ALL: Final[frozenset[str]] = frozenset({
        INVALID_REQUEST, INVALID_JSON, INVALID_CURSOR, INVALID_ANSWER, NOT_AVAILABLE, SCOPE_NOT_AVAILABLE,
        DEV_AGENT_UNAVAILABLE, AGENT_NOT_FOUND, ATTACHMENT_NOT_FOUND, UPLOAD_INCOMPLETE, DIRECTORY_INVALID,
        MODE_NOT_FOUND, CONFIG_OPTION_NOT_FOUND, CONFIG_VALUE_INVALID, AUTH_METHOD_NOT_FOUND,
        SYSTEM_PROMPT_UNSUPPORTED, UNAUTHORIZED, FORBIDDEN_HOST, EXTERNAL_DIRECTORY, FORBIDDEN_ORIGIN,
        NOT_FOUND, SESSION_NOT_FOUND, RUN_NOT_FOUND, ARTIFACT_NOT_FOUND, CLAIM_NOT_FOUND, FILE_NOT_FOUND,
        PATH_NOT_ALLOWED, ARTIFACT_REFUSED, CLAIM_CONFLICT, CLAIM_NOT_FINALIZED, ARTIFACT_DAMAGED,
        RANGE_NOT_SATISFIABLE, STORAGE_FULL, TURN_NOT_FOUND, MESSAGE_NOT_FOUND, GRANT_NOT_FOUND,
        TERMINAL_NOT_FOUND, TOOL_CALL_NOT_FOUND, OPERATION_NOT_FOUND, PERMISSION_NOT_FOUND,
        CONNECTION_NOT_FOUND, UPLOAD_NOT_FOUND, PROJECT_NOT_FOUND, METHOD_NOT_ALLOWED, REQUEST_TIMEOUT,
        PROJECT_MISMATCH, WORKSPACE_MISMATCH, SESSION_CONFLICT, QUEUE_FULL, TURN_NOT_QUEUED, RUN_NOT_OWNED,
        SESSION_BUSY, SESSION_DELETING, SESSION_DELETED, AGENT_SESSION_MISSING, AGENT_SESSION_TAKEN,
        AUTH_TERMINAL, AUTH_ENV, REQUEST_CONFLICT, CURSOR_EXPIRED, CURSOR_AHEAD, DECISION_CONFLICT,
        DECISION_EXPIRED, DECISION_NOT_OWNED, UPLOAD_OFFSET, UPLOAD_BUSY, UPLOAD_SEALED, UPLOAD_IN_USE,
        PROJECT_STALE, PAYLOAD_TOO_LARGE, UNSUPPORTED_MEDIA_TYPE, TOO_MANY_SESSIONS, TOO_MANY_SUBSCRIBERS,
        INTERNAL, AUTH_FAILED, STORE_UNAVAILABLE, SHUTTING_DOWN, ACP_LOAD_ERROR, ACP_RESUME_ERROR,
        ACP_FORK_ERROR, ACP_LIST_ERROR, ACP_AUTHENTICATION_ERROR, ACP_INITIAL_CONFIG_ERROR,
        ACP_SYSTEM_PROMPT_ERROR, ACP_PROTOCOL_ERROR, ACP_PROCESS_ERROR
    })


class EventKind:
    """Coarse class of an event, for clients that render by class."""

    SYSTEM: Final = "system"
    MESSAGE: Final = "message"
    THOUGHT: Final = "thought"
    TOOL: Final = "tool"
    PLAN: Final = "plan"
    PERMISSION: Final = "permission"
    ARTIFACT: Final = "artifact"
    ERROR: Final = "error"
    STOP: Final = "stop"
    RAW: Final = "raw"
    ALL: Final[frozenset[str]] = frozenset({
        SYSTEM, MESSAGE, THOUGHT, TOOL, PLAN, PERMISSION, ARTIFACT, ERROR, STOP, RAW
    })


class EventLevel:
    """How much attention an event of a connection deserves."""

    INFO: Final = "info"
    WARNING: Final = "warning"
    ERROR: Final = "error"
    ALL: Final[frozenset[str]] = frozenset({INFO, WARNING, ERROR})


class EventType:
    """`type` of a RuntimeEvent."""

    RUNTIME_ACCEPTED: Final = "runtime.accepted"
    RUNTIME_COMPLETED: Final = "runtime.completed"
    RUNTIME_FAILED: Final = "runtime.failed"
    RUNTIME_CANCELLED: Final = "runtime.cancelled"
    TURN_UPDATED: Final = "turn.updated"
    MESSAGE_UPDATED: Final = "message.updated"
    MESSAGE_PART_UPDATED: Final = "message.part.updated"
    ARTIFACT_CREATED: Final = "artifact.created"
    TODO_UPDATED: Final = "todo.updated"
    PERMISSION_ASKED: Final = "permission.asked"
    PERMISSION_REPLIED: Final = "permission.replied"
    QUESTION_ASKED: Final = "question.asked"
    QUESTION_REPLIED: Final = "question.replied"
    QUESTION_REJECTED: Final = "question.rejected"
    QUESTION_CANCELLED: Final = "question.cancelled"
    PERMISSION_CANCELLED: Final = "permission.cancelled"
    SESSION_STATUS: Final = "session.status"
    SESSION_IDLE: Final = "session.idle"
    SESSION_ERROR: Final = "session.error"
    SESSION_UPDATED: Final = "session.updated"
    SESSION_CREATED: Final = "session.created"
    SESSION_DELETED: Final = "session.deleted"
    SESSION_CONTEXT: Final = "session.context"
    AGENT_CONNECTED: Final = "agent.connected"
    AGENT_RESUMED: Final = "agent.resumed"
    AGENT_RESET: Final = "agent.reset"
    AGENT_EXITED: Final = "agent.exited"
    AGENT_STDERR: Final = "agent.stderr"
    AGENT_RAW: Final = "agent.raw"
    ALL: Final[frozenset[str]] = frozenset({
        RUNTIME_ACCEPTED, RUNTIME_COMPLETED, RUNTIME_FAILED, RUNTIME_CANCELLED, TURN_UPDATED, MESSAGE_UPDATED,
        MESSAGE_PART_UPDATED, ARTIFACT_CREATED, TODO_UPDATED, PERMISSION_ASKED, PERMISSION_REPLIED,
        QUESTION_ASKED, QUESTION_REPLIED, QUESTION_REJECTED, QUESTION_CANCELLED, PERMISSION_CANCELLED,
        SESSION_STATUS, SESSION_IDLE, SESSION_ERROR, SESSION_UPDATED, SESSION_CREATED, SESSION_DELETED,
        SESSION_CONTEXT, AGENT_CONNECTED, AGENT_RESUMED, AGENT_RESET, AGENT_EXITED, AGENT_STDERR, AGENT_RAW
    })


class FailureReason:
    """Why an operation came to nothing."""

    CANCELLED: Final = "cancelled"
    FAILED: Final = "failed"
    PERMISSION_DENIED: Final = "permission_denied"
    TIMEOUT: Final = "timeout"
    ALL: Final[frozenset[str]] = frozenset({CANCELLED, FAILED, PERMISSION_DENIED, TIMEOUT})


class InputPartType:
    """What `type` of InputPart says."""

    TEXT: Final = "text"
    FILE: Final = "file"
    AGENT: Final = "agent"
    CONVERSATION: Final = "conversation"
    SUBTASK: Final = "subtask"
    IMAGE: Final = "image"
    AUDIO: Final = "audio"
    RESOURCE: Final = "resource"
    JSON: Final = "json"
    ALL: Final[frozenset[str]] = frozenset({
        TEXT, FILE, AGENT, CONVERSATION, SUBTASK, IMAGE, AUDIO, RESOURCE, JSON
    })


class LoginKind:
    """Who has to do something to log in."""

    AGENT: Final = "agent"
    ENV_VAR: Final = "env_var"
    TERMINAL: Final = "terminal"
    ALL: Final[frozenset[str]] = frozenset({AGENT, ENV_VAR, TERMINAL})


class McpKind:
    """How a server is spoken to."""

    STDIO: Final = "stdio"
    HTTP: Final = "http"
    SSE: Final = "sse"
    ALL: Final[frozenset[str]] = frozenset({STDIO, HTTP, SSE})


class MessageInfoRole:
    """What `role` of MessageInfo says."""

    USER: Final = "user"
    ASSISTANT: Final = "assistant"
    ALL: Final[frozenset[str]] = frozenset({USER, ASSISTANT})


class OpenInput:
    """How a conversation that the agent holds is taken up."""

    LOAD: Final = "load"
    RESUME: Final = "resume"
    ALL: Final[frozenset[str]] = frozenset({LOAD, RESUME})


class OperationKind:
    """What an operation does."""

    DOCUMENT_EDIT: Final = "document_edit"
    EXECUTE_COMMAND: Final = "execute_command"
    MCP_CALL: Final = "mcp_call"
    NETWORK_REQUEST: Final = "network_request"
    READ_FILE: Final = "read_file"
    UNKNOWN: Final = "unknown"
    WRITE_FILE: Final = "write_file"
    ALL: Final[frozenset[str]] = frozenset({
        DOCUMENT_EDIT, EXECUTE_COMMAND, MCP_CALL, NETWORK_REQUEST, READ_FILE, UNKNOWN, WRITE_FILE
    })


class OperationLifecycle:
    """What happened to an operation."""

    STARTED: Final = "started"
    UPDATED: Final = "updated"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    ALL: Final[frozenset[str]] = frozenset({STARTED, UPDATED, COMPLETED, FAILED})


class OperationPhase:
    """How far an operation has come."""

    PROPOSED: Final = "proposed"
    AWAITING_PERMISSION: Final = "awaiting_permission"
    RUNNING: Final = "running"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    CANCELLED: Final = "cancelled"
    ALL: Final[frozenset[str]] = frozenset({
        PROPOSED, AWAITING_PERMISSION, RUNNING, COMPLETED, FAILED, CANCELLED
    })


class PartType:
    """What `type` of Part says."""

    TEXT: Final = "text"
    REASONING: Final = "reasoning"
    FILE: Final = "file"
    TOOL: Final = "tool"
    STEP_START: Final = "step-start"
    STEP_FINISH: Final = "step-finish"
    AGENT: Final = "agent"
    CONVERSATION: Final = "conversation"
    SUBTASK: Final = "subtask"
    COMPACTION: Final = "compaction"
    ALL: Final[frozenset[str]] = frozenset({
        TEXT, REASONING, FILE, TOOL, STEP_START, STEP_FINISH, AGENT, CONVERSATION, SUBTASK, COMPACTION
    })


class PermissionDecision:
    """What was decided."""

    ALLOWED: Final = "allowed"
    DENIED: Final = "denied"
    ALL: Final[frozenset[str]] = frozenset({ALLOWED, DENIED})


class PermissionFamily:
    """How a refusal showed itself."""

    PERMISSION_REQUEST_CANCELLED: Final = "permission_request_cancelled"
    PERMISSION_REQUEST_END_TURN: Final = "permission_request_end_turn"
    MODE_DENIED: Final = "mode_denied"
    ALL: Final[frozenset[str]] = frozenset({
        PERMISSION_REQUEST_CANCELLED, PERMISSION_REQUEST_END_TURN, MODE_DENIED
    })


class PermissionKind:
    """What a permission is for."""

    DOCUMENT: Final = "document"
    FILESYSTEM: Final = "filesystem"
    MCP: Final = "mcp"
    NETWORK: Final = "network"
    TERMINAL: Final = "terminal"
    UNKNOWN: Final = "unknown"
    ALL: Final[frozenset[str]] = frozenset({DOCUMENT, FILESYSTEM, MCP, NETWORK, TERMINAL, UNKNOWN})


class PermissionLifecycle:
    """What happened to a permission."""

    REQUESTED: Final = "requested"
    RESOLVED: Final = "resolved"
    ALL: Final[frozenset[str]] = frozenset({REQUESTED, RESOLVED})


class PermissionPhase:
    """Where a permission stands."""

    PENDING: Final = "pending"
    ALLOWED: Final = "allowed"
    DENIED: Final = "denied"
    ALL: Final[frozenset[str]] = frozenset({PENDING, ALLOWED, DENIED})


class PermissionReply:
    """How far an answer reaches."""

    ONCE: Final = "once"
    SESSION: Final = "session"
    PROJECT: Final = "project"
    ALWAYS: Final = "always"
    REJECT: Final = "reject"
    ALL: Final[frozenset[str]] = frozenset({ONCE, SESSION, PROJECT, ALWAYS, REJECT})


class PermissionScope:
    """How far a permission may reach."""

    ONCE: Final = "once"
    SESSION: Final = "session"
    ALL: Final[frozenset[str]] = frozenset({ONCE, SESSION})


class PreviewEncoding:
    """How `content` stands for the file's bytes."""

    UTF8: Final = "utf8"
    BASE64: Final = "base64"
    ALL: Final[frozenset[str]] = frozenset({UTF8, BASE64})


class PreviewKind:
    """What a file is to a reader."""

    TEXT: Final = "text"
    MARKDOWN: Final = "markdown"
    HTML: Final = "html"
    JSON: Final = "json"
    CSV: Final = "csv"
    NOTEBOOK: Final = "notebook"
    FASTA: Final = "fasta"
    IMAGE: Final = "image"
    BINARY: Final = "binary"
    ALL: Final[frozenset[str]] = frozenset({TEXT, MARKDOWN, HTML, JSON, CSV, NOTEBOOK, FASTA, IMAGE, BINARY})


class RuleAction:
    """What a rule says."""

    ALLOW: Final = "allow"
    DENY: Final = "deny"
    ASK: Final = "ask"
    ALL: Final[frozenset[str]] = frozenset({ALLOW, DENY, ASK})


class RunErrorCode:
    """`error.code` of a run that did not complete."""

    AGENT_START_FAILED: Final = "agent_start_failed"
    SESSION_OPEN_FAILED: Final = "session_open_failed"
    AUTH_REQUIRED: Final = "auth_required"
    MODEL_NOT_AVAILABLE: Final = "model_not_available"
    ATTACHMENT_UNREADABLE: Final = "attachment_unreadable"
    PROMPT_FAILED: Final = "prompt_failed"
    AGENT_EXITED: Final = "agent_exited"
    FRAME_TOO_LARGE: Final = "frame_too_large"
    AGENT_CAPACITY: Final = "agent_capacity"
    CONTEXT_LOST: Final = "context_lost"
    INITIAL_CONFIG_FAILED: Final = "initial_config_failed"
    SYSTEM_PROMPT_UNSUPPORTED: Final = "system_prompt_unsupported"
    METHOD_NOT_SUPPORTED: Final = "method_not_supported"
    DIRECTORY_MISSING: Final = "directory_missing"
    PERMISSION_DENIED: Final = "permission_denied"
    AGENT_STALLED: Final = "agent_stalled"
    AGENT_CANCELLED: Final = "agent_cancelled"
    DEADLINE_EXCEEDED: Final = "deadline_exceeded"
    RUNTIME_STOPPED: Final = "runtime_stopped"
    RUN_FAILED: Final = "run_failed"
    CANCELLED: Final = "cancelled"
    STORE_UNAVAILABLE: Final = "store_unavailable"
    ALL: Final[frozenset[str]] = frozenset({
        AGENT_START_FAILED, SESSION_OPEN_FAILED, AUTH_REQUIRED, MODEL_NOT_AVAILABLE, ATTACHMENT_UNREADABLE,
        PROMPT_FAILED, AGENT_EXITED, FRAME_TOO_LARGE, AGENT_CAPACITY, CONTEXT_LOST, INITIAL_CONFIG_FAILED,
        SYSTEM_PROMPT_UNSUPPORTED, METHOD_NOT_SUPPORTED, DIRECTORY_MISSING, PERMISSION_DENIED, AGENT_STALLED,
        AGENT_CANCELLED, DEADLINE_EXCEEDED, RUNTIME_STOPPED, RUN_FAILED, CANCELLED, STORE_UNAVAILABLE
    })


class RunState:
    """Where a run stands. The last four are final and never change."""

    ACCEPTED: Final = "accepted"
    RUNNING: Final = "running"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    CANCELLED: Final = "cancelled"
    INTERRUPTED: Final = "interrupted"
    ALL: Final[frozenset[str]] = frozenset({ACCEPTED, RUNNING, COMPLETED, FAILED, CANCELLED, INTERRUPTED})


class SessionSource:
    """Who knows of a session."""

    LOCAL: Final = "local"
    REMOTE: Final = "remote"
    BOTH: Final = "both"
    ALL: Final[frozenset[str]] = frozenset({LOCAL, REMOTE, BOTH})


class SessionStatusType:
    """What `type` of SessionStatus says."""

    IDLE: Final = "idle"
    BUSY: Final = "busy"
    ALL: Final[frozenset[str]] = frozenset({IDLE, BUSY})


class StandingScope:
    """How far a standing grant reaches."""

    PROJECT: Final = "project"
    GLOBAL: Final = "global"
    ALL: Final[frozenset[str]] = frozenset({PROJECT, GLOBAL})


class StartErrorCode:
    """Why the daemon did not start."""

    USAGE: Final = "usage"
    CONFIG_INVALID: Final = "config_invalid"
    AGENT_NOT_FOUND: Final = "agent_not_found"
    HOSTNAME_NOT_ALLOWED: Final = "hostname_not_allowed"
    TOKEN_REQUIRED: Final = "token_required"
    PORT_IN_USE: Final = "port_in_use"
    PORT_UNUSABLE: Final = "port_unusable"
    DIRECTORY_UNUSABLE: Final = "directory_unusable"
    DATA_DIR_UNUSABLE: Final = "data_dir_unusable"
    DATA_DIR_FOREIGN: Final = "data_dir_foreign"
    DATA_DIR_FORMAT: Final = "data_dir_format"
    DATABASE_UNUSABLE: Final = "database_unusable"
    DATABASE_NEWER: Final = "database_newer"
    DATABASE_IN_USE: Final = "database_in_use"
    SYSTEM_ERROR: Final = "system_error"
    ALL: Final[frozenset[str]] = frozenset({
        USAGE, CONFIG_INVALID, AGENT_NOT_FOUND, HOSTNAME_NOT_ALLOWED, TOKEN_REQUIRED, PORT_IN_USE,
        PORT_UNUSABLE, DIRECTORY_UNUSABLE, DATA_DIR_UNUSABLE, DATA_DIR_FOREIGN, DATA_DIR_FORMAT,
        DATABASE_UNUSABLE, DATABASE_NEWER, DATABASE_IN_USE, SYSTEM_ERROR
    })


class StateEventType:
    """What `type` of StateEvent says."""

    THREAD_ENTRY_ADDED: Final = "thread_entry_added"
    THREAD_ENTRY_UPDATED: Final = "thread_entry_updated"
    DIFF_UPDATED: Final = "diff_updated"
    TERMINAL_UPDATED: Final = "terminal_updated"
    OPERATION_PROJECTION_UPDATED: Final = "operation_projection_updated"
    PERMISSION_PROJECTION_UPDATED: Final = "permission_projection_updated"
    METADATA_PROJECTION_UPDATED: Final = "metadata_projection_updated"
    USAGE_PROJECTION_UPDATED: Final = "usage_projection_updated"
    ALL: Final[frozenset[str]] = frozenset({
        THREAD_ENTRY_ADDED, THREAD_ENTRY_UPDATED, DIFF_UPDATED, TERMINAL_UPDATED,
        OPERATION_PROJECTION_UPDATED, PERMISSION_PROJECTION_UPDATED, METADATA_PROJECTION_UPDATED,
        USAGE_PROJECTION_UPDATED
    })


class TargetType:
    """What an operation is aimed at."""

    COMMAND: Final = "command"
    ENDPOINT: Final = "endpoint"
    MCP_TOOL: Final = "mcp_tool"
    PATH: Final = "path"
    UNKNOWN: Final = "unknown"
    ALL: Final[frozenset[str]] = frozenset({COMMAND, ENDPOINT, MCP_TOOL, PATH, UNKNOWN})


class TerminalStatus:
    """How a terminal stands."""

    UNKNOWN: Final = "unknown"
    RUNNING: Final = "running"
    COMPLETED: Final = "completed"
    ALL: Final[frozenset[str]] = frozenset({UNKNOWN, RUNNING, COMPLETED})


class ThreadEntryKind:
    """What `kind` of ThreadEntry says."""

    USER_MESSAGE: Final = "user_message"
    ASSISTANT_MESSAGE: Final = "assistant_message"
    ASSISTANT_THOUGHT: Final = "assistant_thought"
    PLAN: Final = "plan"
    TOOL_CALL: Final = "tool_call"
    ALL: Final[frozenset[str]] = frozenset({
        USER_MESSAGE, ASSISTANT_MESSAGE, ASSISTANT_THOUGHT, PLAN, TOOL_CALL
    })


class ThreadEntryStatus:
    """How far an entry has come."""

    STREAMING: Final = "streaming"
    PENDING: Final = "pending"
    IN_PROGRESS: Final = "in_progress"
    COMPLETED: Final = "completed"
    FAILED: Final = "failed"
    ALL: Final[frozenset[str]] = frozenset({STREAMING, PENDING, IN_PROGRESS, COMPLETED, FAILED})


class ToolContentKind:
    """What `kind` of ToolContent says."""

    CONTENT: Final = "content"
    DIFF: Final = "diff"
    TERMINAL: Final = "terminal"
    ALL: Final[frozenset[str]] = frozenset({CONTENT, DIFF, TERMINAL})


class ToolStateStatus:
    """What `status` of ToolState says."""

    PENDING: Final = "pending"
    RUNNING: Final = "running"
    COMPLETED: Final = "completed"
    ERROR: Final = "error"
    ALL: Final[frozenset[str]] = frozenset({PENDING, RUNNING, COMPLETED, ERROR})


class TurnState:
    """Where a turn stands."""

    QUEUED: Final = "queued"
    READY: Final = "ready"
    ACTIVE: Final = "active"
    COMPLETED: Final = "completed"
    CANCELLED: Final = "cancelled"
    COALESCED: Final = "coalesced"
    WITHDRAWN: Final = "withdrawn"
    FAILED: Final = "failed"
    ALL: Final[frozenset[str]] = frozenset({
        QUEUED, READY, ACTIVE, COMPLETED, CANCELLED, COALESCED, WITHDRAWN, FAILED
    })


class Workspace:
    """Where the agent works."""

    ISOLATED: Final = "isolated"
    PROJECT: Final = "project"
    ALL: Final[frozenset[str]] = frozenset({ISOLATED, PROJECT})
