# Written by tools/generate.py; change the OpenAPI document or the generator instead.
"""The records of the HTTP interface, with the keys they have on the wire.

They are dictionaries: what a newer daemon adds stays in them, and where one of the words below is
listed, a newer daemon may send another. Times are milliseconds since 1970 unless they say otherwise.
"""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

AgentSource = Literal["built_in", "configured", "registry"]
"""Who knows an agent."""

ArtifactState = Literal["active", "trash"]
"""Whether a Result is listed or waits in the trash."""

Autonomy = Literal["interactive", "balanced", "autonomous"]
"""How freely delegated work may act."""

CaptureQuality = Literal["exact", "declared", "partial", "unknown"]
"""How well the bytes of a version are known to be what was made."""

ChangeType = Literal["write", "update"]
"""Whether a file was made or changed."""

Charset = Literal["utf-8", "utf-16le", "utf-16be", "iso-8859-1"]
"""How the file itself writes its text."""

ClaimState = Literal["pending", "finalized", "failed"]
"""Where a claim stands."""

ConfigKey = Literal["mode", "model", "effort"]
"""What of an agent's configuration a wish is for: one word for what agents call differently."""

ConfigOptionType = Literal["boolean", "number", "select", "string"]
"""What kind of value a config option has."""

ConfigStatus = Literal["applied", "already-set", "skipped", "failed"]
"""What came of a wish."""

ConnectionStatus = Literal["idle", "connecting", "connected", "error", "closed"]
"""Whether a process can be spoken to."""

DecisionStatus = Literal["resolved", "indeterminate"]
"""Whether the agent is known to have the answer."""

DelegationLevel = Literal["off", "light", "standard", "high"]
"""How much the agent may delegate."""

Delivery = Literal["coalesce", "sequential"]
"""How turns that wait together are sent to the agent."""

Effort = Literal["normal", "ultra"]
"""How hard the agent should think."""

EventKind = Literal[
    "system", "message", "thought", "tool", "plan", "permission", "artifact", "error", "stop", "raw"
]
"""Coarse class of an event, for clients that render by class."""

EventLevel = Literal["info", "warning", "error"]
"""How much attention an event of a connection deserves."""

FailureReason = Literal["cancelled", "failed", "permission_denied", "timeout"]
"""Why an operation came to nothing."""

LoginKind = Literal["agent", "env_var", "terminal"]
"""Who has to do something to log in."""

McpKind = Literal["stdio", "http", "sse"]
"""How a server is spoken to."""

OpenInput = Literal["load", "resume"]
"""How a conversation that the agent holds is taken up."""

OperationKind = Literal[
    "document_edit", "execute_command", "mcp_call", "network_request", "read_file", "unknown", "write_file"
]
"""What an operation does."""

OperationLifecycle = Literal["started", "updated", "completed", "failed"]
"""What happened to an operation."""

OperationPhase = Literal["proposed", "awaiting_permission", "running", "completed", "failed", "cancelled"]
"""How far an operation has come."""

PermissionDecision = Literal["allowed", "denied"]
"""What was decided."""

PermissionFamily = Literal["permission_request_cancelled", "permission_request_end_turn", "mode_denied"]
"""How a refusal showed itself."""

PermissionKind = Literal["document", "filesystem", "mcp", "network", "terminal", "unknown"]
"""What a permission is for."""

PermissionLifecycle = Literal["requested", "resolved"]
"""What happened to a permission."""

PermissionPhase = Literal["pending", "allowed", "denied"]
"""Where a permission stands."""

PermissionReply = Literal["once", "session", "project", "always", "reject"]
"""How far an answer reaches."""

PermissionScope = Literal["once", "session"]
"""How far a permission may reach."""

PreviewEncoding = Literal["utf8", "base64"]
"""How `content` stands for the file's bytes."""

PreviewKind = Literal["text", "markdown", "html", "json", "csv", "notebook", "fasta", "image", "binary"]
"""What a file is to a reader."""

RuleAction = Literal["allow", "deny", "ask"]
"""What a rule says."""

RunState = Literal["accepted", "running", "completed", "failed", "cancelled", "interrupted"]
"""Where a run stands. The last four are final and never change."""

SessionSource = Literal["local", "remote", "both"]
"""Who knows of a session."""

StandingScope = Literal["project", "global"]
"""How far a standing grant reaches."""

TargetType = Literal["command", "endpoint", "mcp_tool", "path", "unknown"]
"""What an operation is aimed at."""

TerminalStatus = Literal["unknown", "running", "completed"]
"""How a terminal stands."""

ThreadEntryStatus = Literal["streaming", "pending", "in_progress", "completed", "failed"]
"""How far an entry has come."""

TurnState = Literal["queued", "ready", "active", "completed", "cancelled", "coalesced", "withdrawn", "failed"]
"""Where a turn stands."""

Workspace = Literal["isolated", "project"]
"""Where the agent works."""


class _AgentRequired(TypedDict):
    id: str
    source: AgentSource | str
    builtIn: bool
    """Came with the daemon."""
    default: bool
    """Sessions that name no agent get this one."""
    command: str
    """What would be started now; empty if it is one of the registry that cannot be started here."""
    args: list[str]
    env: list[str]
    """Names of the configured variables; never their values."""
    installed: bool
    """Its program is here: starting it downloads nothing."""


class Agent(_AgentRequired, total=False):
    """An agent that sessions can be bound to."""

    type: str
    """The family whose ways it has, if that is known."""
    via: str
    """How one of the registry would be started: `path`, `installed`, `npx` or `uvx`."""
    problem: str
    """Why it cannot be started here."""
    registry: RegistryEntry
    """What the registry says of it."""


class _AgentConnectionRequired(TypedDict):
    id: str
    agent: str
    status: ConnectionStatus | str
    cwd: str
    """Directory it was started in."""
    sessionIds: list[str]
    """The agent's own ids of the sessions that are open there."""
    sessions: list[ConnectionSession]
    """The same sessions, with our ids of them."""
    events: list[ConnectionEvent]
    """The newest 500 things that happened there, oldest first, each cut to at most about 4 KiB."""
    pendingPermissions: list[PermissionRequest]
    """Permissions that wait for a person, oldest first."""
    capabilities: dict[str, Any]
    authMethods: list[dict[str, Any]]
    stderrTail: str
    """The last of what it wrote to stderr, configured values masked."""
    counters: ConnectionCounters
    promptInFlight: bool
    """It works on a prompt."""
    promptInFlightSessionIds: list[str]
    """The agent's ids of the sessions whose prompts it works on."""


class AgentConnection(_AgentConnectionRequired, total=False):
    """One agent process, what it told of itself and what happened there."""

    sessionId: str
    """The agent's id of the session that was opened or prompted last."""
    error: str
    """How it ended, if the status is `error`."""
    pid: int
    agentInfo: dict[str, Any]


class AgentLogin(TypedDict):
    """One way to log in to an agent."""

    id: str
    label: str
    type: LoginKind | str
    default: bool
    """The one that is meant if none is named."""


class _ArtifactClaimRequired(TypedDict):
    id: str
    state: ClaimState | str
    messageID: str
    """The message its files are for."""


class ArtifactClaim(_ArtifactClaimRequired, total=False):
    """A claim as people see it beside a file that is not with its message yet."""

    reason: str
    """Why it failed."""


class _ArtifactDetailRequired(TypedDict):
    schemaVersion: int
    id: str
    projectID: str
    title: str
    kind: str
    """image, table, notebook, document, code, data or file."""
    currentVersionID: str
    createdAt: int
    """Milliseconds since 1970."""
    updatedAt: int
    """Milliseconds since 1970."""
    state: ArtifactState | str
    versionCount: int
    current: ArtifactVersion
    versions: list[ArtifactVersion]
    """Newest first."""


class ArtifactDetail(_ArtifactDetailRequired, total=False):
    """A Result with all its versions."""

    summary: str
    """What a person said it is."""
    trashedAt: int
    """Milliseconds since 1970."""


class _ArtifactFileRequired(TypedDict):
    id: str
    """`sessionId:ownerId:filename`; the owner is the message, else the run."""
    projectName: str
    sessionId: str
    name: str
    size: int
    """Bytes."""
    mtimeMs: int
    """Milliseconds."""


class ArtifactFile(_ArtifactFileRequired, total=False):
    """A file that a turn saved."""

    messageId: str
    """The message it belongs to; absent while its claim is not finalized."""
    runId: str
    """The artifact run it was saved in; present while it is pending."""
    path: str
    """Where it is on this machine; absent in events and for callers elsewhere."""
    fileUrl: str
    """The same as a `file:` URL."""
    mimeType: str
    resultID: str
    versionID: str
    claim: ArtifactClaim
    """The claim of a file that is not with its message yet."""


class _ArtifactVersionRequired(TypedDict):
    id: str
    artifactID: str
    version: int
    """1 for the first."""
    filename: str
    mimeType: str
    size: int
    """Bytes."""
    sha256: str
    sessionID: str
    sourcePath: str
    """The file it was copied from, else its name."""
    captureQuality: CaptureQuality | str
    createdAt: int
    """Milliseconds since 1970."""


class ArtifactVersion(_ArtifactVersionRequired, total=False):
    """One version of a Result."""

    messageID: str


class _AssistantTimeRequired(TypedDict):
    created: int
    """Milliseconds since 1970."""


class AssistantTime(_AssistantTimeRequired, total=False):
    """Times of an assistant message."""

    completed: int
    """Milliseconds since 1970."""


class CacheTokens(TypedDict):
    """Tokens from and into the cache."""

    read: int
    write: int


class CancelInput(TypedDict):
    """Which run to cancel."""

    sessionID: str
    runID: str


class Capabilities(TypedDict):
    """What this runtime can do."""

    protocolVersion: str
    serverVersion: str
    idempotentPrompts: bool
    richInputs: bool
    runSnapshots: bool
    eventRetention: int
    crashRecovery: str
    decisionScope: str
    agent: CapabilityAgent
    files: CapabilityFiles


class CapabilityAgent(TypedDict):
    """The agent that answers when a session names none."""

    id: str
    builtIn: bool


class CapabilityFiles(TypedDict):
    """What files a prompt may bring, in bytes."""

    schemes: list[str]
    """Schemes a file part's `url` may have."""
    maxBodyBytes: int
    """One JSON body, and so what a `data:` URL can hold, in bytes."""
    maxUploadBytes: int
    """One uploaded or attached file, in bytes."""
    diskReserveBytes: int
    """Space that is left free on the disk, in bytes."""
    maxMediaBytes: int
    """An image or a sound up to this is shown to an agent that can see or hear it, in bytes."""
    maxTextBytes: int
    """A text up to this is shown to an agent that takes embedded texts, in bytes."""
    maxInlineBytes: int
    """All that is shown with one prompt; what is beyond is linked, in bytes."""


class _CellOutputRequired(TypedDict):
    type: str
    """stream, execute_result, display_data or error."""
    mime: str
    """Type of `text` or `data`."""


class CellOutput(_CellOutputRequired, total=False):
    """What a cell put out."""

    text: str
    data: str
    """Base64, of an image."""
    name: str
    """Of a stream: stdout or stderr."""


class ConfigChoice(TypedDict):
    """A value that a config option may have."""

    value: str
    name: str


class ConfigInput(TypedDict):
    """The option to set."""

    id: str
    """Id, category or name of the option."""
    value: Any
    """Its value or the name of it: a text, a number, or true or false."""


class _ConfigItemRequired(TypedDict):
    key: ConfigKey | str
    requestedValue: str
    status: ConfigStatus | str


class ConfigItem(_ConfigItemRequired, total=False):
    """One wish and what came of it."""

    appliedValue: str
    """The agent's own name of the value."""
    optionId: str
    """The agent's option it was set on; `currentModeId` for its mode."""
    reason: str
    """Why it was not set."""


class ConnectionCounters(TypedDict):
    """What a connection has counted since it began."""

    frames: int
    """Messages read."""
    noise: int
    """Lines that were no message."""
    invalidUtf8: int
    """Of these, lines that were not UTF-8."""
    oversized: int
    """Messages beyond the limit."""
    unknownUpdates: int
    """Updates of a kind this version does not know, or beyond the limit."""
    replayed: int
    """Updates that told history again."""
    unrouted: int
    """Updates and requests of sessions that are not open."""
    earlyDropped: int
    """Updates of unknown sessions that waited too long or were too many."""
    ignored: int
    """Notifications that are not served."""
    refused: int
    """Requests of the agent that were refused."""
    lateAnswers: int
    """Answers nobody waited for any more."""


class _ConnectionEventRequired(TypedDict):
    id: str
    """Unique among all connections."""
    kind: EventKind | str
    level: EventLevel | str
    timestamp: int
    """Milliseconds since 1970."""


class ConnectionEvent(_ConnectionEventRequired, total=False):
    """One thing that happened on a connection. For people who look at it: it is neither journaled nor numbered
    like the events of a session.
    """

    sessionId: str
    """The agent's id of the session it belongs to."""
    title: str
    text: str
    role: str
    """`user` or `assistant`."""
    messageId: str
    toolCallId: str
    toolKind: str
    status: str
    """Of a tool, or the code of a failure."""
    stopReason: str
    raw: dict[str, Any]
    """What the agent sent, if it is at most 1 KiB."""
    truncated: bool
    """True if something was too long and is cut or left out."""


class ConnectionSession(TypedDict):
    """A session that is open at an agent."""

    sessionId: str
    """The agent's id of it."""
    sessionID: str
    """Ours."""


class ContentPartText(TypedDict):
    text: str
    type: Literal["text"]


class _ContentPart2Required(TypedDict):
    uri: str
    mime_type: str
    type: Literal["file"]


class ContentPart2(_ContentPart2Required, total=False):
    title: str


class ContentPart3(TypedDict):
    uri: str
    mime_type: str
    type: Literal["image"]


class ContentPart4(TypedDict):
    uri: str
    mime_type: str
    type: Literal["audio"]


class _ContentPart5Required(TypedDict):
    uri: str
    mime_type: str
    type: Literal["resource"]


class ContentPart5(_ContentPart5Required, total=False):
    text: str


class ContentPartJson(TypedDict):
    value: dict[str, Any]
    type: Literal["json"]


class _DecisionInputPermissionRequired(TypedDict):
    sessionID: str
    requestID: str
    reply: PermissionReply
    kind: Literal["permission"]


class DecisionInputPermission(_DecisionInputPermissionRequired, total=False):
    """The answer to a permission."""

    message: str | None


class DecisionInputQuestion(TypedDict):
    """The answers to a question, one list per question in order."""

    sessionID: str
    requestID: str
    answers: list[list[str]]
    kind: Literal["question"]


class DecisionInputQuestionReject(TypedDict):
    """Dismisses a question."""

    sessionID: str
    requestID: str
    kind: Literal["question_reject"]


class DecisionResult(TypedDict):
    """The receipt of a decision."""

    sessionID: str
    requestID: str
    status: DecisionStatus | str
    decidedAt: int
    """Milliseconds since 1970."""


class _DeclareInputRequired(TypedDict):
    path: str
    """Below the project, or below the session's own folder."""
    sessionID: str


class DeclareInput(_DeclareInputRequired, total=False):
    """A file to keep."""

    messageID: str | None
    summary: str | None


class DelegationSettings(TypedDict, total=False):
    """Settings of delegated work; kept on the message."""

    level: DelegationLevel | str
    workerModel: ModelRef
    autonomy: Autonomy | str


class Diagnostics(TypedDict, total=False):
    """The last that is worth knowing when something is wrong."""

    lastUsage: dict[str, Any]
    lastError: RunError
    """Of the newest run that failed."""


class _FileInputRequired(TypedDict):
    mime: str
    url: str


class FileInput(_FileInputRequired, total=False):
    """A file by URL (`data:`, `file:` or `upload:`)."""

    id: str | None
    filename: str | None
    source: dict[str, Any] | None


class FinalizeInput(TypedDict):
    """Which claim, and for which message."""

    claimID: str
    messageID: str


class ForkBody(TypedDict, total=False):
    """What the fork should be; everything may be left out."""

    id: str | None
    """Makes the fork idempotent: the fork of that id is returned if there is one."""
    title: str | None


class Health(TypedDict):
    """That the daemon answers, and which one it is."""

    healthy: bool
    """Always true."""
    version: str
    sourceSha: str | None
    """Commit of the sources, if known."""
    sourceWorktreeHash: str | None
    """Hash of uncommitted sources, if any."""
    runId: str
    """Names this start of the daemon."""


class InitialConfigInput(TypedDict, total=False):
    """How the agent is to be set when the session is opened: values by their common names."""

    mode: WishInput | None
    model: WishInput | None
    effort: WishInput | None
    strict: bool
    """The session is of no use unless all of it holds."""


class InitialConfigReport(TypedDict):
    """What came of all wishes of a session when it was opened last."""

    items: list[ConfigItem]
    ok: bool
    """The agent is as it was wished in all of them."""


class _InputPartTextRequired(TypedDict):
    text: str
    type: Literal["text"]


class InputPartText(_InputPartTextRequired, total=False):
    """Ordinary text."""

    id: str | None


class _InputPartFileRequired(TypedDict):
    mime: str
    url: str
    type: Literal["file"]


class InputPartFile(_InputPartFileRequired, total=False):
    """A file by URL (`data:`, `file:` or `upload:`)."""

    id: str | None
    filename: str | None
    source: dict[str, Any] | None


class _InputPartAgentRequired(TypedDict):
    name: str
    type: Literal["agent"]


class InputPartAgent(_InputPartAgentRequired, total=False):
    """A mention of an agent; reaches the agent as the text `@name`."""

    id: str | None
    source: AgentSource | None
    """Where the mention stands in the text; kept on the message."""


class _InputPartConversationRequired(TypedDict):
    sourceSessionID: str
    type: Literal["conversation"]


class InputPartConversation(_InputPartConversationRequired, total=False):
    """A reference to another conversation, frozen when the prompt is admitted."""

    id: str | None
    throughMessageID: str | None
    label: str | None


class _InputPartSubtaskRequired(TypedDict):
    prompt: str
    description: str
    agent: str
    type: Literal["subtask"]


class InputPartSubtask(_InputPartSubtaskRequired, total=False):
    """An explicit subtask."""

    id: str | None
    model: ModelRef | None
    command: str | None
    attachments: list[FileInput] | None


class _InputPartImageRequired(TypedDict):
    mimeType: str
    data: str
    """Base64."""
    type: Literal["image"]


class InputPartImage(_InputPartImageRequired, total=False):
    """An image or a sound in the prompt itself, as ACP has it."""

    id: str | None
    filename: str | None


class _InputPartAudioRequired(TypedDict):
    mimeType: str
    data: str
    """Base64."""
    type: Literal["audio"]


class InputPartAudio(_InputPartAudioRequired, total=False):
    """An image or a sound in the prompt itself, as ACP has it."""

    id: str | None
    filename: str | None


class _InputPartResourceRequired(TypedDict):
    uri: str
    """What the agent is told that it is; nothing is fetched."""
    type: Literal["resource"]


class InputPartResource(_InputPartResourceRequired, total=False):
    """A document in the prompt itself: exactly one of `text` and `blob`."""

    id: str | None
    mimeType: str | None
    text: str | None
    blob: str | None
    """Base64."""


class _InputPartJsonRequired(TypedDict):
    value: dict[str, Any]
    type: Literal["json"]


class InputPartJson(_InputPartJsonRequired, total=False):
    """A value that reaches the agent as a JSON document."""

    id: str | None
    filename: str | None


class Issue(TypedDict):
    """What is wrong with one place of a request. Never repeats what was received."""

    path: str
    """Where, such as `parts[0].text`; empty for the whole."""
    message: str


class LoginInput(TypedDict, total=False):
    """How to log in."""

    methodId: str | None
    """Id of one of the agent's ways; the marked or only one if left out."""


class _McpServerInputRequired(TypedDict):
    name: str
    """Unique in the session; stands in the place of a configured server of that name."""


class McpServerInput(_McpServerInputRequired, total=False):
    """An MCP server the session's agent starts (`command`) or reaches (`url`), in the form of ACP."""

    type: McpKind | None
    """`stdio` if left out."""
    command: str | None
    """A program by its absolute path, or a name that is looked up on `PATH`."""
    args: list[str] | None
    env: list[PairInput] | None
    url: str | None
    """Of `http` and `sse`."""
    headers: list[PairInput] | None


class Message(TypedDict):
    """A message with its parts in order."""

    info: MessageInfo
    parts: list[Part]


class MessageError(TypedDict):
    """Why an assistant message ended early."""

    name: str
    """`ProviderAuthError`, `MessageOutputLengthError`, `MessageAbortedError` or `UnknownError`."""
    data: dict[str, Any]


class _MessageInfoUserRequired(TypedDict):
    id: str
    sessionID: str
    time: UserTime
    agent: str
    """Always `research`."""
    model: ModelRef
    effort: Effort | str
    role: Literal["user"]


class MessageInfoUser(_MessageInfoUserRequired, total=False):
    """A prompt as it stands in the transcript."""

    variant: str
    tier: str
    context: int
    delegation: bool
    delegationSettings: DelegationSettings


class _MessageInfoAssistantRequired(TypedDict):
    id: str
    sessionID: str
    parentID: str
    """The user message it answers; of several, the last."""
    modelID: str
    providerID: str
    mode: str
    agent: str
    """Always `research`."""
    path: MessagePath
    time: AssistantTime
    cost: float
    tokens: Tokens
    role: Literal["assistant"]


class MessageInfoAssistant(_MessageInfoAssistantRequired, total=False):
    """An answer as it stands in the transcript."""

    parentIDs: list[str]
    """All user messages it answers."""
    finish: str
    """stop, length, tool-calls, refusal, cancelled or the agent's own word."""
    error: MessageError


class MessagePath(TypedDict):
    """Where the agent worked."""

    cwd: str
    root: str


class ModeInput(TypedDict):
    """The mode to set."""

    mode: str
    """Id, name or alias."""


class ModelRef(TypedDict):
    """A model of a provider."""

    providerID: str
    modelID: str


class _NotebookCellRequired(TypedDict):
    type: str
    """code, markdown or raw."""
    source: str


class NotebookCell(_NotebookCellRequired, total=False):
    """One cell of a notebook."""

    executionCount: int
    outputs: list[CellOutput]


class _OperationRequired(TypedDict):
    id: str
    """Unique in the session: that of its tool call in the transcript, else of the permission it is."""
    kind: OperationKind | str
    phase: OperationPhase | str
    title: str
    startedAt: int
    """Milliseconds since 1970."""
    updatedAt: int
    """Milliseconds since 1970."""


class Operation(_OperationRequired, total=False):
    """One thing an agent did, or wants to do, outside of the conversation."""

    turnId: str
    toolCallId: str
    target: OperationTarget
    result: OperationResult
    failureReason: FailureReason | str
    permission: OperationPermission
    completedAt: int
    """Milliseconds since 1970."""


class OperationBundle(TypedDict):
    """An operation with the permissions that were asked for it."""

    operation: Operation
    permissionRequests: list[StatePermission]


class _OperationPermissionRequired(TypedDict):
    requested: bool


class OperationPermission(_OperationPermissionRequired, total=False):
    """What is known of the permission of an operation."""

    requestId: str
    decision: PermissionDecision | str
    family: PermissionFamily | str


class OperationResult(TypedDict):
    """What an operation came to."""

    output: list[ContentPart]
    outputText: str


class OperationTarget(TypedDict):
    """What an operation is aimed at."""

    type: TargetType | str
    value: str


class PairInput(TypedDict):
    """A variable or a header."""

    name: str
    value: str


class _PartTextRequired(TypedDict):
    text: str
    type: Literal["text"]
    id: str
    sessionID: str
    messageID: str


class PartText(_PartTextRequired, total=False):
    """Text of a prompt or an answer."""

    synthetic: bool
    time: PartTime
    metadata: dict[str, Any]


class _PartReasoningRequired(TypedDict):
    text: str
    time: PartTime
    type: Literal["reasoning"]
    id: str
    sessionID: str
    messageID: str


class PartReasoning(_PartReasoningRequired, total=False):
    """The agent's thoughts."""

    metadata: dict[str, Any]


class _PartFileRequired(TypedDict):
    mime: str
    url: str
    type: Literal["file"]
    id: str
    sessionID: str
    messageID: str


class PartFile(_PartFileRequired, total=False):
    """A file by URL."""

    filename: str
    size: int
    """Bytes of the file when the prompt was admitted."""
    source: dict[str, Any]


class _PartToolRequired(TypedDict):
    callID: str
    tool: str
    """The agent's tool name if given, else the ACP kind."""
    state: ToolState
    type: Literal["tool"]
    id: str
    sessionID: str
    messageID: str


class PartTool(_PartToolRequired, total=False):
    """A call of one of the agent's tools."""

    metadata: dict[str, Any]


class PartStepStart(TypedDict):
    """The agent was prompted."""

    type: Literal["step-start"]
    id: str
    sessionID: str
    messageID: str


class PartStepFinish(TypedDict):
    """The agent answered the prompt."""

    reason: str
    cost: float
    tokens: Tokens
    type: Literal["step-finish"]
    id: str
    sessionID: str
    messageID: str


class _PartAgentRequired(TypedDict):
    name: str
    type: Literal["agent"]
    id: str
    sessionID: str
    messageID: str


class PartAgent(_PartAgentRequired, total=False):
    """A mention of an agent."""

    source: dict[str, Any]


class PartConversation(TypedDict):
    """The frozen excerpt of another conversation."""

    sourceSessionID: str
    throughMessageID: str
    snapshotID: str
    label: str
    text: str
    type: Literal["conversation"]
    id: str
    sessionID: str
    messageID: str


class _PartSubtaskRequired(TypedDict):
    prompt: str
    description: str
    agent: str
    type: Literal["subtask"]
    id: str
    sessionID: str
    messageID: str


class PartSubtask(_PartSubtaskRequired, total=False):
    """An explicit subtask."""

    model: ModelRef
    command: str


class _PartCompactionRequired(TypedDict):
    auto: bool
    type: Literal["compaction"]
    id: str
    sessionID: str
    messageID: str


class PartCompaction(_PartCompactionRequired, total=False):
    """The agent compacted its context."""

    summary: str


class _PartTimeRequired(TypedDict):
    start: int
    """Milliseconds since 1970."""


class PartTime(_PartTimeRequired, total=False):
    """When a part was open."""

    end: int
    """Milliseconds since 1970."""


class PermissionChoice(TypedDict):
    """One option of the agent, as it named it."""

    id: str
    name: str
    kind: str


class _PermissionReplyInputRequired(TypedDict):
    reply: PermissionReply


class PermissionReplyInput(_PermissionReplyInputRequired, total=False):
    """The answer to a permission that the path names."""

    message: str | None


class _PermissionRequestRequired(TypedDict):
    id: str
    sessionID: str
    permission: str
    """Category: read, edit, bash, webfetch, search, external_directory, else the tool's own name."""
    patterns: list[str]
    """What exactly is asked for: commands, paths, hosts."""
    metadata: dict[str, Any]
    """What the agent told: title, kind, rawInput, options."""
    always: list[str]
    """Patterns a wider scope would grant; empty where none can be granted."""


class PermissionRequest(_PermissionRequestRequired, total=False):
    """A permission that waits for an answer."""

    tool: ToolRef
    askedAt: int
    """When the agent asked, in milliseconds since 1970."""
    expiresAt: int
    """When it is answered by itself: only if a limit is configured, in milliseconds since 1970."""


class PlanStep(TypedDict):
    """One step of a plan."""

    content: str
    priority: str
    """high, medium or low."""
    status: str
    """pending, in_progress or completed."""


class _PreviewRequired(TypedDict):
    kind: PreviewKind | str
    mime: str
    filename: str
    size: int
    """Bytes of the whole file."""
    truncated: bool
    """More of the file follows."""
    offset: int
    """Where the page begins: a byte; of a notebook a cell."""
    encoding: PreviewEncoding | str


class Preview(_PreviewRequired, total=False):
    """A page of a file."""

    nextOffset: int
    """Where the next page begins, if more follows."""
    charset: Charset | str
    content: str
    """The page as text or base64; absent where rows or cells stand for it, and for what is neither text nor
    image unless base64 is asked for.
    """
    rows: list[list[str]]
    cells: list[NotebookCell]
    records: list[SequenceRecord]
    width: int
    """Pixels."""
    height: int
    metadata: dict[str, Any]
    """Of a notebook: its language and the like, as it says."""


class _ProblemRequired(TypedDict):
    error: str
    """A word, or a text where older clients expect one."""
    code: str
    """Stable snake_case word to match on."""
    message: str
    """For people."""


class Problem(_ProblemRequired, total=False):
    """Why a request was refused."""

    name: str
    """Name of the error for clients that know errors by name."""
    data: dict[str, Any]
    """What belongs to that name."""
    issues: list[Issue]
    """Every place that is wrong, if the request is invalid."""
    success: bool
    """False if the request is invalid, else absent."""
    path: str
    """The path no route has."""
    detail: str
    """More about a path no route has."""
    oldestSequence: int
    """Oldest event that can be replayed, if a cursor was refused."""
    latestSequence: int
    """Newest event, if a cursor was refused."""
    url: str
    """The process that can do it."""
    limit: int
    """The bound that was passed, in bytes."""
    size: int
    """The bytes that passed it, as far as they were counted."""
    offset: int
    """Where an upload goes on."""


class _ProjectRequired(TypedDict):
    id: str
    worktree: str
    """Canonical directory."""
    origin: str
    """Always `openscience`."""
    time: ProjectTime
    sandboxes: list[str]


class Project(_ProjectRequired, total=False):
    """A directory the daemon works for."""

    vcs: str
    """`git` if the directory holds a git checkout."""
    name: str


class ProjectTime(TypedDict):
    """Times of a project."""

    created: int
    """Milliseconds since 1970."""
    updated: int
    """Milliseconds since 1970."""


class _PromptAcceptedRequired(TypedDict):
    runID: str
    acceptedAt: int
    """Milliseconds since 1970."""


class PromptAccepted(_PromptAcceptedRequired, total=False):
    """The answer to an admitted prompt: it acknowledges admission, not success."""

    turnID: str
    """The turn of a follow-up: the prompt joined that run."""


class _PromptInputRequired(TypedDict):
    sessionID: str
    effort: Effort


class PromptInput(_PromptInputRequired, total=False):
    """One prompt. Exactly one of `message` and `parts` is given."""

    requestID: str | None
    """Idempotency key: the same key in the same session returns the same receipt. 1 to 200 characters."""
    messageID: str | None
    """A native message id, `^msg_[0-9a-fA-F]{12}[A-Za-z0-9]{14}$`; for advanced clients."""
    message: str | None
    """The prompt as one text; left out if there are `parts`."""
    parts: list[InputPart] | None
    """The prompt in parts; left out if there is a `message`."""
    model: ModelRef | None
    variant: str | None
    tier: str | None
    context: int | None
    """Context budget in tokens, greater than 0."""
    delegation: bool | None
    delegationSettings: DelegationSettings | None
    deadlineMs: int | None
    """Milliseconds from acceptance after which the run is stopped and fails `deadline_exceeded`."""


class _QuestionRequired(TypedDict):
    question: str
    header: str
    options: list[QuestionOption]


class Question(_QuestionRequired, total=False):
    """One question of a request."""

    multiple: bool
    """True: any number of labels answers it, else one."""
    custom: bool
    """False: only the options answer it. Otherwise any text does."""
    optional: bool
    """True: an empty list leaves it unanswered."""


class QuestionOption(TypedDict):
    """One choice of a question."""

    label: str
    description: str


class QuestionReplyInput(TypedDict):
    """The answers to a question, one list per question in order."""

    answers: list[list[str]]


class _QuestionRequestRequired(TypedDict):
    id: str
    sessionID: str
    questions: list[Question]


class QuestionRequest(_QuestionRequestRequired, total=False):
    """Questions that wait for answers."""

    tool: ToolRef
    askedAt: int
    """When the agent asked, in milliseconds since 1970."""
    expiresAt: int
    """When it is answered by itself: only if a limit is configured, in milliseconds since 1970."""


class Queue(TypedDict):
    """The turn queue of a session. The turn the agent has is not in it."""

    delivery: Delivery | str
    turns: list[QueuedTurn]
    """In the order they are sent."""


class QueuePolicy(TypedDict):
    """How waiting turns are to be sent."""

    delivery: Delivery


class QueuedTurn(TypedDict):
    """A turn that waits."""

    id: str
    position: int
    """How many turns are sent before it."""
    status: TurnState | str
    """ready."""
    queuedAt: int
    """When its prompt was admitted, in milliseconds since 1970."""
    messageID: str
    runID: str
    """The run that answers it."""


class _RegistryEntryRequired(TypedDict):
    id: str
    document: str
    """Where this is known from: `fresh`, `stale` (older than a day) or `embedded` (it came with the daemon).
    """


class RegistryEntry(_RegistryEntryRequired, total=False):
    """An agent in the public registry."""

    name: str
    version: str
    description: str


class Replay(TypedDict):
    """A stretch of the journal."""

    events: list[RuntimeEvent]
    oldestSequence: int
    latestSequence: int


class ResultChange(TypedDict):
    """What to change of a Result."""

    title: str


class Rule(TypedDict):
    """One permission rule: a category, a pattern with `*`, and what it says."""

    permission: str
    pattern: str
    action: RuleAction | str


class _RunErrorRequired(TypedDict):
    code: str
    """Stable snake_case word (see the table in docs/errors)."""
    message: str
    """For people; bounded, without secrets, paths of the daemon or the prompt."""


class RunError(_RunErrorRequired, total=False):
    """Why a run did not complete."""

    stage: str
    """What the daemon was doing: `start`, `initialize`, `session`, `configure`, `prompt`."""
    exit: str
    """Exit status or signal of the agent process, as text (`exit status: 7`, `signal: 9`)."""
    stderr: str
    """Last lines the agent wrote to stderr; bounded, configured secrets masked."""
    agentCode: int
    """JSON-RPC error code the agent answered with."""


class _RunTurnRequired(TypedDict):
    id: str
    state: TurnState | str
    """queued, ready, active, completed, cancelled, coalesced, withdrawn or failed."""


class RunTurn(_RunTurnRequired, total=False):
    """The turn a follow-up became."""

    intoTurnID: str
    """The turn its prompt was sent with."""


class RuntimeEvent(TypedDict):
    """One event as clients see it."""

    sequence: int
    sessionID: str
    runID: str
    type: str
    kind: EventKind | str
    properties: dict[str, Any]
    time: int
    """Milliseconds since 1970."""


class _RuntimeRunRequired(TypedDict):
    runID: str
    sessionID: str
    messageID: str
    """The user message this run answers."""
    state: RunState | str
    acceptedAt: int
    """Milliseconds since 1970."""
    updatedAt: int
    """Milliseconds since 1970."""


class RuntimeRun(_RuntimeRunRequired, total=False):
    """The durable receipt of a run."""

    requestID: str
    """The key the client chose, if any."""
    completedAt: int
    """Milliseconds since 1970."""
    resultMessageID: str
    """The assistant message that holds the result."""
    error: RunError
    stopReason: str
    """Why the agent stopped, in ACP's words; unknown words are kept."""
    agent: str
    """The agent that answers."""
    agentStillRunning: bool
    """The agent did not end its turn and could not be stopped without harming other sessions."""
    contextReset: bool
    """The agent had lost the conversation and began afresh, with the newest of the transcript."""
    waiting: Waiting
    lastActivityAt: int
    """When the agent was last heard of, in milliseconds since 1970."""
    deadlineAt: int
    """When the run is stopped, whatever it has reached, in milliseconds since 1970."""
    turn: RunTurn
    """The turn that was asked for, or that a follow-up became."""


class _SequenceRecordRequired(TypedDict):
    id: str
    length: int
    """Letters of it that stand on the page."""


class SequenceRecord(_SequenceRecordRequired, total=False):
    """One sequence that begins on the page."""

    description: str


class _SessionRequired(TypedDict):
    id: str
    slug: str
    """Short name for people; the id without its prefix."""
    projectID: str
    directory: str
    """Canonical project directory."""
    workspace: Workspace | str
    title: str
    version: str
    """Version of the daemon that created it."""
    time: SessionTime
    agent: str
    """The agent it is bound to."""


class Session(_SessionRequired, total=False):
    """One conversation, bound to one project directory and one agent."""

    parentID: str
    permission: list[Rule]
    deadlineMs: int
    """Default deadline of its runs, in milliseconds."""


class _SessionAgentRequired(TypedDict):
    agent: str
    args: list[str]
    env: list[str]
    """Names of the configured variables; never their values."""
    open: bool
    """The conversation is open on a process of this daemon."""
    authMethods: list[AgentLogin]
    metadata: SessionMetadata
    diagnostics: Diagnostics


class SessionAgent(_SessionAgentRequired, total=False):
    """The agent of a session: how it is started, what it told of itself, how it is set."""

    type: str
    """The family whose ways it has, if that is known."""
    command: str
    """Absent if the agent is not configured any more."""
    agentSessionID: str
    """The agent's id of the conversation; absent before there is one."""
    agentInfo: dict[str, Any]
    """Name and version, as it told them when it was opened last."""
    capabilities: dict[str, Any]
    """As it told them when it was opened last."""
    initialConfigReport: InitialConfigReport
    """What came of the initial configuration; absent if there was none."""


class _SessionAgentInputObjectRequired(TypedDict):
    command: str
    """An absolute path, or a name that is looked up on `PATH`."""


class SessionAgentInputObject(_SessionAgentInputObjectRequired, total=False):
    args: list[str] | None
    env: dict[str, str] | None
    type: str | None
    """The family whose ways it has, such as `claude-acp`."""


class SessionChange(TypedDict, total=False):
    """What to change of a session; what is left out stays."""

    title: str | None
    time: SessionTimeChange | None


class SessionInput(TypedDict, total=False):
    """What a new session should be; everything may be left out."""

    id: str | None
    """Makes the creation idempotent: an existing session of that id is returned."""
    parentID: str | None
    title: str | None
    permission: list[Rule] | None
    """Rules of this session alone, before those of the configuration."""
    workspace: Workspace | None
    """Where the agent works; isolated if left out."""
    workingRoot: str | None
    """Only `scratch`, which is what an isolated session has."""
    agent: SessionAgentInput | None
    """The agent; the default agent if left out."""
    deadlineMs: int | None
    """Default deadline of its runs, in milliseconds."""
    agentSessionID: str | None
    """A conversation the agent holds, which this session takes over now: the agent's id of it."""
    open: OpenInput | None
    """How it is taken up; with `agentSessionID`."""
    initialConfig: InitialConfigInput | None
    """How its agent is to be set when it is opened."""
    systemPrompt: str | None
    """Instructions its agent is opened with; not for a conversation that is taken over."""
    mcpServers: list[McpServerInput] | None
    """MCP servers its agent is given besides the configured ones."""
    queue: QueuePolicy | None
    """How prompts that wait for the agent are sent; coalesced if left out."""


class _SessionMetadataRequired(TypedDict):
    title: str
    config: dict[str, Any]
    """Values by option id."""
    availableCommands: list[dict[str, Any]]
    agentModes: list[dict[str, Any]]
    agentConfigOptions: list[dict[str, Any]]


class SessionMetadata(_SessionMetadataRequired, total=False):
    """How the agent of a session is set, and what it offers."""

    id: str
    """The agent's id of the conversation."""
    currentModeId: str


class _SessionReferenceRequired(TypedDict):
    agent: str
    cwd: str
    source: SessionSource | str


class SessionReference(_SessionReferenceRequired, total=False):
    """A session that this daemon or an agent knows."""

    agentSessionID: str
    """The agent's id of it."""
    sessionID: str
    """Ours, if there is one."""
    title: str
    updatedAt: int
    """Milliseconds since 1970."""


class _SessionReferencesRequired(TypedDict):
    sessions: list[SessionReference]


class SessionReferences(_SessionReferencesRequired, total=False):
    """A page of them."""

    nextCursor: str
    """Pass as `cursor` for the next page; absent on the last."""


class _SessionStateRequired(TypedDict):
    sessionID: str
    revision: int
    """Grows with every change of the session; an update of that revision or an older one is part of this."""
    threads: list[ThreadEntry]
    diffs: list[StateDiff]
    terminals: list[StateTerminal]
    toolCalls: list[ToolCallBundle]
    operations: list[OperationBundle]
    permissions: list[StatePermission]
    metadata: StateMetadata


class SessionState(_SessionStateRequired, total=False):
    """Everything that is known of a session, at one revision."""

    usage: StateUsage
    """Absent as long as the agent has told none."""


class SessionStatusIdle(TypedDict):
    type: Literal["idle"]


class SessionStatusBusy(TypedDict):
    type: Literal["busy"]


class _SessionTimeRequired(TypedDict):
    created: int
    """Milliseconds since 1970."""
    updated: int
    """Milliseconds since 1970."""


class SessionTime(_SessionTimeRequired, total=False):
    """Times of a session."""

    archived: int
    """Milliseconds since 1970."""
    pinned: int
    """Milliseconds since 1970."""


class SessionTimeChange(TypedDict, total=False):
    """Marks of a session; 0 or null clears one."""

    archived: int | None
    """Milliseconds since 1970."""
    pinned: int | None
    """Milliseconds since 1970."""


class _SnapshotRequired(TypedDict):
    sessionID: str
    runs: list[RuntimeRun]
    """All live runs and the newest 100, by acceptance."""
    oldestSequence: int
    latestSequence: int
    permissions: list[PermissionRequest]
    questions: list[QuestionRequest]
    decisionScope: str


class Snapshot(_SnapshotRequired, total=False):
    """The state of a session and the cursor to follow it from.

    The cursor is taken first: an update made meanwhile may show up in both.
    """

    runsTruncated: bool
    """Present and true if older runs were left out."""


class StandingGrant(TypedDict):
    """A permission that was given for more than one session."""

    id: str
    permission: str
    """The category it allows."""
    pattern: str
    """Exactly what it allows."""
    scope: StandingScope | str
    created: int
    """When it was given, in milliseconds since 1970."""


class StateCommand(TypedDict):
    """A command the agent offers."""

    name: str
    description: str


class _StateConfigOptionRequired(TypedDict):
    id: str
    name: str
    type: ConfigOptionType | str
    value: dict[str, Any]


class StateConfigOption(_StateConfigOptionRequired, total=False):
    """An option the agent offers."""

    category: str
    description: str
    options: list[ConfigChoice]


class _StateDiffRequired(TypedDict):
    path: str
    changeType: ChangeType | str
    newText: str
    newLineCount: int
    toolCallId: str
    """The call that changed it last."""
    createdAt: int
    """Milliseconds since 1970."""
    updatedAt: int
    """Milliseconds since 1970."""
    revision: int
    """1 for the first, then one more with each change."""


class StateDiff(_StateDiffRequired, total=False):
    """What became of a file by the agent's tools: the newest change of each path."""

    oldText: str
    oldLineCount: int


class StateEventThreadEntryAdded(TypedDict):
    entry: ThreadEntry
    type: Literal["thread_entry_added"]
    revision: int


class StateEventThreadEntryUpdated(TypedDict):
    entry: ThreadEntry
    type: Literal["thread_entry_updated"]
    revision: int


class StateEventDiffUpdated(TypedDict):
    diff: StateDiff
    type: Literal["diff_updated"]
    revision: int


class StateEventTerminalUpdated(TypedDict):
    terminal: StateTerminal
    type: Literal["terminal_updated"]
    revision: int


class _StateEvent5Required(TypedDict):
    operation: Operation
    lifecycle: OperationLifecycle | str
    type: Literal["operation_projection_updated"]
    revision: int


class StateEvent5(_StateEvent5Required, total=False):
    turn_id: str
    error_message: str


class _StateEvent6Required(TypedDict):
    operation: Operation
    request: StatePermission
    lifecycle: PermissionLifecycle | str
    type: Literal["permission_projection_updated"]
    revision: int


class StateEvent6(_StateEvent6Required, total=False):
    turn_id: str
    decision: PermissionDecision | str


class StateEventMetadataProjectionUpdated(TypedDict):
    metadata: StateMetadata
    type: Literal["metadata_projection_updated"]
    revision: int


class StateEventUsageProjectionUpdated(TypedDict):
    usage: StateUsage
    type: Literal["usage_projection_updated"]
    revision: int


class _StateMetadataRequired(TypedDict):
    id: str
    title: str
    config: dict[str, Any]
    """Current value of each config option by its id."""
    availableCommands: list[StateCommand]
    agentConfigOptions: list[StateConfigOption]


class StateMetadata(_StateMetadataRequired, total=False):
    """What a session is called and set to."""

    currentModeId: str


class _StatePermissionRequired(TypedDict):
    id: str
    operationId: str
    kind: PermissionKind | str
    phase: PermissionPhase | str
    title: str
    scopeOptions: list[PermissionScope | str]
    """What an answer may choose from."""
    options: list[PermissionChoice]
    permission: str
    """Its category, as rules name it."""
    patterns: list[str]
    requestedAt: int
    """Milliseconds since 1970."""


class StatePermission(_StatePermissionRequired, total=False):
    """A permission that was asked for, or answered by a rule before anyone was."""

    turnId: str
    reason: str
    """What was said with the answer."""
    actor: str
    """Who answered: rule, grant, policy, person or timeout."""
    closeReason: str
    """Why nobody can answer any more."""
    resolvedAt: int
    """Milliseconds since 1970."""


class _StateTerminalRequired(TypedDict):
    terminalId: str
    status: TerminalStatus | str
    command: str
    cwd: str
    output: str
    """The end of what it wrote, at most 64 KiB."""
    outputLength: int
    """In UTF-16 units."""
    outputLineCount: int
    truncated: bool
    """Earlier output was dropped."""
    createdAt: int
    """Milliseconds since 1970."""
    updatedAt: int
    """Milliseconds since 1970."""
    revision: int
    """1 for the first, then one more with each change."""


class StateTerminal(_StateTerminalRequired, total=False):
    """A command that runs, or ran, for the agent in a terminal of the daemon's."""

    exitCode: int
    signal: str
    toolCallId: str
    """The call that shows it."""
    completedAt: int
    """Milliseconds since 1970."""
    stopRequestedAt: int
    """Milliseconds since 1970."""
    releasedAt: int
    """Milliseconds since 1970."""


class StateUsage(TypedDict, total=False):
    """Tokens and cost, as far as the agent told them: those of the newest turn, and how full its context is.
    """

    inputTokens: int
    outputTokens: int
    totalTokens: int
    thoughtTokens: int
    cachedReadTokens: int
    cachedWriteTokens: int
    contextUsedTokens: int
    contextWindowTokens: int
    costUsd: float
    """Only if the agent tells it in dollars."""


class _ThreadEntryUserMessageRequired(TypedDict):
    id: str
    text: str
    content: list[ContentPart]
    kind: Literal["user_message"]


class ThreadEntryUserMessage(_ThreadEntryUserMessageRequired, total=False):
    """A prompt."""

    turnId: str


class _ThreadEntryAssistantMessageRequired(TypedDict):
    id: str
    text: str
    output: list[ContentPart]
    status: ThreadEntryStatus | str
    """streaming, completed or failed."""
    kind: Literal["assistant_message"]


class ThreadEntryAssistantMessage(_ThreadEntryAssistantMessageRequired, total=False):
    """What the agent answered in a turn."""

    turnId: str


class _ThreadEntryAssistantThoughtRequired(TypedDict):
    id: str
    text: str
    status: ThreadEntryStatus | str
    """streaming, completed or failed."""
    kind: Literal["assistant_thought"]


class ThreadEntryAssistantThought(_ThreadEntryAssistantThoughtRequired, total=False):
    """What the agent thought in a turn."""

    turnId: str


class _ThreadEntryPlanRequired(TypedDict):
    id: str
    plan: list[PlanStep]
    kind: Literal["plan"]


class ThreadEntryPlan(_ThreadEntryPlanRequired, total=False):
    """The agent's last plan."""

    turnId: str


class _ThreadEntryToolCallRequired(TypedDict):
    id: str
    toolCallId: str
    """The agent's own id; some agents count anew each turn."""
    title: str
    status: ThreadEntryStatus | str
    """pending, in_progress, completed or failed."""
    content: list[ToolContent]
    kind: Literal["tool_call"]


class ThreadEntryToolCall(_ThreadEntryToolCallRequired, total=False):
    """A call of one of the agent's tools."""

    turnId: str
    toolKind: str
    locations: list[ToolLocation]
    rawInput: dict[str, Any]


class Todo(TypedDict):
    """One entry of the agent's plan."""

    id: str
    content: str
    status: str
    """pending, in_progress or completed."""
    priority: str
    """high, medium or low."""


class Tokens(TypedDict):
    """Tokens used; 0 where the agent does not tell."""

    input: int
    output: int
    reasoning: int
    cache: CacheTokens


class ToolCallBundle(TypedDict):
    """A tool call with what it changed and ran."""

    toolCall: ToolCallEntry
    diffs: list[StateDiff]
    terminals: list[StateTerminal]


class _ToolCallEntryRequired(TypedDict):
    id: str
    toolCallId: str
    """The agent's own id; some agents count anew each turn."""
    title: str
    status: ThreadEntryStatus | str
    """pending, in_progress, completed or failed."""
    content: list[ToolContent]


class ToolCallEntry(_ToolCallEntryRequired, total=False):
    """A call of one of the agent's tools."""

    turnId: str
    toolKind: str
    locations: list[ToolLocation]
    rawInput: dict[str, Any]


class ToolContent1(TypedDict):
    id: str
    text: str
    kind: Literal["content"]


class _ToolContent2Required(TypedDict):
    id: str
    path: str
    new_text: str
    change_type: ChangeType | str
    kind: Literal["diff"]


class ToolContent2(_ToolContent2Required, total=False):
    old_text: str


class _ToolContent3Required(TypedDict):
    id: str
    terminal_id: str
    status: TerminalStatus | str
    kind: Literal["terminal"]


class ToolContent3(_ToolContent3Required, total=False):
    command: str
    cwd: str
    output: str
    truncated: bool
    exit_code: int


class _ToolLocationRequired(TypedDict):
    path: str


class ToolLocation(_ToolLocationRequired, total=False):
    """A place a call is about."""

    line: int


class ToolRef(TypedDict):
    """The tool call a decision is about."""

    messageID: str
    callID: str


class ToolSpan(TypedDict):
    """When a tool ran."""

    start: int
    """Milliseconds since 1970."""
    end: int
    """Milliseconds since 1970."""


class ToolStart(TypedDict):
    """When a tool started."""

    start: int
    """Milliseconds since 1970."""


class ToolStatePending(TypedDict):
    """Announced, not started."""

    input: dict[str, Any]
    raw: str
    """The input as text."""
    status: Literal["pending"]


class _ToolStateRunningRequired(TypedDict):
    input: dict[str, Any]
    time: ToolStart
    status: Literal["running"]


class ToolStateRunning(_ToolStateRunningRequired, total=False):
    """At work."""

    title: str
    metadata: dict[str, Any]


class ToolStateCompleted(TypedDict):
    """Done."""

    input: dict[str, Any]
    output: str
    title: str
    metadata: dict[str, Any]
    time: ToolSpan
    status: Literal["completed"]


class _ToolStateErrorRequired(TypedDict):
    input: dict[str, Any]
    error: str
    time: ToolSpan
    status: Literal["error"]


class ToolStateError(_ToolStateErrorRequired, total=False):
    """Failed, refused or cut off."""

    metadata: dict[str, Any]


class _UploadRequired(TypedDict):
    id: str
    url: str
    """`upload:` and the id: what a file part names it by."""
    filename: str
    mime: str
    size: int
    """Bytes it has, or will have if that was said."""
    offset: int
    """Bytes that are here: where the next piece begins."""
    created: int
    """Milliseconds since 1970."""


class Upload(_UploadRequired, total=False):
    """One uploaded file, whole or on its way."""

    sha256: str
    """Digest of the bytes, once the file is whole."""


class UserTime(TypedDict):
    """Times of a user message."""

    created: int
    """Milliseconds since 1970."""


class Waiting(TypedDict):
    """What a run waits for: people, not the agent."""

    decisions: list[str]
    """Ids of the pending decisions."""
    since: int
    """When the oldest of them was asked, in milliseconds since 1970."""


class _WishInputObjectRequired(TypedDict):
    value: str


class WishInputObject(_WishInputObjectRequired, total=False):
    aliases: list[str] | None
    """Other names of the value, tried after it."""
    required: bool | None
    """The session is of no use without it."""


class Withdrawn(TypedDict):
    """How many turns were taken back."""

    withdrawn: int


ContentPart = Union[ContentPartText, ContentPart2, ContentPart3, ContentPart4, ContentPart5, ContentPartJson]
"""A part of a prompt or an answer."""

DecisionInput = Union[DecisionInputPermission, DecisionInputQuestion, DecisionInputQuestionReject]
"""An answer to a pending decision. Strict: unknown keys are refused."""

InputPart = Union[
    InputPartText, InputPartFile, InputPartAgent, InputPartConversation, InputPartSubtask, InputPartImage,
    InputPartAudio, InputPartResource, InputPartJson
]
"""A part of a prompt."""

MessageInfo = Union[MessageInfoUser, MessageInfoAssistant]
"""What is known of a message besides its parts."""

OpenBody = dict[str, Any]
"""How a conversation is opened. Instructions are for new ones only."""

Part = Union[
    PartText, PartReasoning, PartFile, PartTool, PartStepStart, PartStepFinish, PartAgent, PartConversation,
    PartSubtask, PartCompaction
]
"""One part of a message."""

SessionAgentInput = str | SessionAgentInputObject
"""An agent by its id or alias, or described."""

SessionList = list[Session] | SessionReferences
"""Sessions of this daemon, or references to those an agent knows."""

SessionStatus = Union[SessionStatusIdle, SessionStatusBusy]
"""What a session is doing."""

StateEvent = Union[
    StateEventThreadEntryAdded, StateEventThreadEntryUpdated, StateEventDiffUpdated,
    StateEventTerminalUpdated, StateEvent5, StateEvent6, StateEventMetadataProjectionUpdated,
    StateEventUsageProjectionUpdated
]
"""An update with the revision of the session at which it holds."""

ThreadEntry = Union[
    ThreadEntryUserMessage, ThreadEntryAssistantMessage, ThreadEntryAssistantThought, ThreadEntryPlan,
    ThreadEntryToolCall
]
"""One entry of the conversation. Its id never changes; those of messages and tool calls are theirs in the
transcript.
"""

ToolContent = Union[ToolContent1, ToolContent2, ToolContent3]
"""One item of what a call came to; `id` is its kind and place."""

ToolState = Union[ToolStatePending, ToolStateRunning, ToolStateCompleted, ToolStateError]
"""Where a tool call stands."""

WishInput = str | WishInputObject
"""A value, or one with more to say."""
