// Written by scripts/generate.mjs from openapi/openscience.json and docs/. Do not edit: npm run generate.

import type { components } from "./schema.js"

type Schemas = components["schemas"]

/** An agent that sessions can be bound to. */
export type Agent = Schemas["Agent"]
/** One agent process, what it told of itself and what happened there. */
export type AgentConnection = Schemas["AgentConnection"]
/** A mention of an agent; reaches the agent as the text `@name`. */
export type AgentInput = Schemas["AgentInput"]
/** One way to log in to an agent. */
export type AgentLogin = Schemas["AgentLogin"]
/** A mention of an agent. */
export type AgentPart = Schemas["AgentPart"]
/** Who knows an agent. */
export type AgentSource = Schemas["AgentSource"]
/** A Result: one thing that was made, with its newest version. */
export type Artifact = Schemas["Artifact"]
/** A claim as people see it beside a file that is not with its message yet. */
export type ArtifactClaim = Schemas["ArtifactClaim"]
/** A Result with all its versions. */
export type ArtifactDetail = Schemas["ArtifactDetail"]
/** A file that a turn saved. */
export type ArtifactFile = Schemas["ArtifactFile"]
/** Whether a Result is listed or waits in the trash. */
export type ArtifactState = Schemas["ArtifactState"]
/** One version of a Result. */
export type ArtifactVersion = Schemas["ArtifactVersion"]
/** What the agent answered in a turn. */
export type AssistantEntry = Schemas["AssistantEntry"]
/** An answer as it stands in the transcript. */
export type AssistantInfo = Schemas["AssistantInfo"]
/** Times of an assistant message. */
export type AssistantTime = Schemas["AssistantTime"]
/** How freely delegated work may act. */
export type Autonomy = Schemas["Autonomy"]
/** Tokens from and into the cache. */
export type CacheTokens = Schemas["CacheTokens"]
/** Which run to cancel. */
export type CancelInput = Schemas["CancelInput"]
/** What this runtime can do. */
export type Capabilities = Schemas["Capabilities"]
/** The agent that answers when a session names none. */
export type CapabilityAgent = Schemas["CapabilityAgent"]
/** What files a prompt may bring, in bytes. */
export type CapabilityFiles = Schemas["CapabilityFiles"]
/** How well the bytes of a version are known to be what was made. */
export type CaptureQuality = Schemas["CaptureQuality"]
/** What a cell put out. */
export type CellOutput = Schemas["CellOutput"]
/** Whether a file was made or changed. */
export type ChangeType = Schemas["ChangeType"]
/** How the file itself writes its text. */
export type Charset = Schemas["Charset"]
/** Where a claim stands. */
export type ClaimState = Schemas["ClaimState"]
/** The agent compacted its context. */
export type CompactionPart = Schemas["CompactionPart"]
/** A value that a config option may have. */
export type ConfigChoice = Schemas["ConfigChoice"]
/** The option to set. */
export type ConfigInput = Schemas["ConfigInput"]
/** One wish and what came of it. */
export type ConfigItem = Schemas["ConfigItem"]
/** What of an agent's configuration a wish is for: one word for what agents call differently. */
export type ConfigKey = Schemas["ConfigKey"]
/** What kind of value a config option has. */
export type ConfigOptionType = Schemas["ConfigOptionType"]
/** What came of a wish. */
export type ConfigStatus = Schemas["ConfigStatus"]
/** What a connection has counted since it began. */
export type ConnectionCounters = Schemas["ConnectionCounters"]
/**
 * One thing that happened on a connection. For people who look at it: it is neither journaled nor numbered
 * like the events of a session.
 */
export type ConnectionEvent = Schemas["ConnectionEvent"]
/** A session that is open at an agent. */
export type ConnectionSession = Schemas["ConnectionSession"]
/** Whether a process can be spoken to. */
export type ConnectionStatus = Schemas["ConnectionStatus"]
/** A part of a prompt or an answer. */
export type ContentPart = Schemas["ContentPart"]
/** A reference to another conversation, frozen when the prompt is admitted. */
export type ConversationInput = Schemas["ConversationInput"]
/** The frozen excerpt of another conversation. */
export type ConversationPart = Schemas["ConversationPart"]
export type DecisionId = Schemas["DecisionId"]
/** An answer to a pending decision. Strict: unknown keys are refused. */
export type DecisionInput = Schemas["DecisionInput"]
/** The receipt of a decision. */
export type DecisionResult = Schemas["DecisionResult"]
/** Whether the agent is known to have the answer. */
export type DecisionStatus = Schemas["DecisionStatus"]
/** A file to keep. */
export type DeclareInput = Schemas["DeclareInput"]
/** How much the agent may delegate. */
export type DelegationLevel = Schemas["DelegationLevel"]
/** Settings of delegated work; kept on the message. */
export type DelegationSettings = Schemas["DelegationSettings"]
/** How turns that wait together are sent to the agent. */
export type Delivery = Schemas["Delivery"]
/** The last that is worth knowing when something is wrong. */
export type Diagnostics = Schemas["Diagnostics"]
/** How hard the agent should think. */
export type Effort = Schemas["Effort"]
/** Coarse class of an event, for clients that render by class. */
export type EventKind = Schemas["EventKind"]
/** How much attention an event of a connection deserves. */
export type EventLevel = Schemas["EventLevel"]
/** Why an operation came to nothing. */
export type FailureReason = Schemas["FailureReason"]
/** A file by URL (`data:`, `file:` or `upload:`). */
export type FileInput = Schemas["FileInput"]
/** A file by URL. */
export type FilePart = Schemas["FilePart"]
/** Which claim, and for which message. */
export type FinalizeInput = Schemas["FinalizeInput"]
/** What the fork should be; everything may be left out. */
export type ForkBody = Schemas["ForkBody"]
/** That the daemon answers, and which one it is. */
export type Health = Schemas["Health"]
/** How the agent is to be set when the session is opened: values by their common names. */
export type InitialConfigInput = Schemas["InitialConfigInput"]
/** What came of all wishes of a session when it was opened last. */
export type InitialConfigReport = Schemas["InitialConfigReport"]
/** A part of a prompt. */
export type InputPart = Schemas["InputPart"]
/** What is wrong with one place of a request. Never repeats what was received. */
export type Issue = Schemas["Issue"]
/** A value that reaches the agent as a JSON document. */
export type JsonInput = Schemas["JsonInput"]
/** How to log in. */
export type LoginInput = Schemas["LoginInput"]
/** Who has to do something to log in. */
export type LoginKind = Schemas["LoginKind"]
/** How a server is spoken to. */
export type McpKind = Schemas["McpKind"]
/** An MCP server the session's agent starts (`command`) or reaches (`url`), in the form of ACP. */
export type McpServerInput = Schemas["McpServerInput"]
/** An image or a sound in the prompt itself, as ACP has it. */
export type MediaInput = Schemas["MediaInput"]
/** A message with its parts in order. */
export type Message = Schemas["Message"]
/** Why an assistant message ended early. */
export type MessageError = Schemas["MessageError"]
export type MessageId = Schemas["MessageId"]
/** What is known of a message besides its parts. */
export type MessageInfo = Schemas["MessageInfo"]
/** Where the agent worked. */
export type MessagePath = Schemas["MessagePath"]
/** The mode to set. */
export type ModeInput = Schemas["ModeInput"]
/** A model of a provider. */
export type ModelRef = Schemas["ModelRef"]
/** One cell of a notebook. */
export type NotebookCell = Schemas["NotebookCell"]
/** How a conversation is opened. Instructions are for new ones only. */
export type OpenBody = Schemas["OpenBody"]
/** How a conversation that the agent holds is taken up. */
export type OpenInput = Schemas["OpenInput"]
/** One thing an agent did, or wants to do, outside of the conversation. */
export type Operation = Schemas["Operation"]
/** An operation with the permissions that were asked for it. */
export type OperationBundle = Schemas["OperationBundle"]
/** What an operation does. */
export type OperationKind = Schemas["OperationKind"]
/** What happened to an operation. */
export type OperationLifecycle = Schemas["OperationLifecycle"]
/** What is known of the permission of an operation. */
export type OperationPermission = Schemas["OperationPermission"]
/** How far an operation has come. */
export type OperationPhase = Schemas["OperationPhase"]
/** What an operation came to. */
export type OperationResult = Schemas["OperationResult"]
/** What an operation is aimed at. */
export type OperationTarget = Schemas["OperationTarget"]
/** A variable or a header. */
export type PairInput = Schemas["PairInput"]
/** One part of a message. */
export type Part = Schemas["Part"]
/** What a part holds. */
export type PartBody = Schemas["PartBody"]
export type PartId = Schemas["PartId"]
/** When a part was open. */
export type PartTime = Schemas["PartTime"]
/** The answer to a permission. */
export type PermissionAnswer = Schemas["PermissionAnswer"]
/** One option of the agent, as it named it. */
export type PermissionChoice = Schemas["PermissionChoice"]
/** What was decided. */
export type PermissionDecision = Schemas["PermissionDecision"]
/** How a refusal showed itself. */
export type PermissionFamily = Schemas["PermissionFamily"]
/** What a permission is for. */
export type PermissionKind = Schemas["PermissionKind"]
/** What happened to a permission. */
export type PermissionLifecycle = Schemas["PermissionLifecycle"]
/** Where a permission stands. */
export type PermissionPhase = Schemas["PermissionPhase"]
/** How far an answer reaches. */
export type PermissionReply = Schemas["PermissionReply"]
/** The answer to a permission that the path names. */
export type PermissionReplyInput = Schemas["PermissionReplyInput"]
/** A permission that waits for an answer. */
export type PermissionRequest = Schemas["PermissionRequest"]
/** How far a permission may reach. */
export type PermissionScope = Schemas["PermissionScope"]
/** The agent's last plan. */
export type PlanEntry = Schemas["PlanEntry"]
/** One step of a plan. */
export type PlanStep = Schemas["PlanStep"]
/** A page of a file. */
export type Preview = Schemas["Preview"]
/** How `content` stands for the file's bytes. */
export type PreviewEncoding = Schemas["PreviewEncoding"]
/** What a file is to a reader. */
export type PreviewKind = Schemas["PreviewKind"]
/** Why a request was refused. */
export type Problem = Schemas["Problem"]
/** A directory the daemon works for. */
export type Project = Schemas["Project"]
export type ProjectId = Schemas["ProjectId"]
/** Times of a project. */
export type ProjectTime = Schemas["ProjectTime"]
/** The answer to an admitted prompt: it acknowledges admission, not success. */
export type PromptAccepted = Schemas["PromptAccepted"]
/** One prompt. Exactly one of `message` and `parts` is given. */
export type PromptInput = Schemas["PromptInput"]
/** One question of a request. */
export type Question = Schemas["Question"]
/** The answers to a question, one list per question in order. */
export type QuestionAnswer = Schemas["QuestionAnswer"]
/** One choice of a question. */
export type QuestionOption = Schemas["QuestionOption"]
/** Dismisses a question. */
export type QuestionReject = Schemas["QuestionReject"]
/** The answers to a question, one list per question in order. */
export type QuestionReplyInput = Schemas["QuestionReplyInput"]
/** Questions that wait for answers. */
export type QuestionRequest = Schemas["QuestionRequest"]
/** The turn queue of a session. The turn the agent has is not in it. */
export type Queue = Schemas["Queue"]
/** How waiting turns are to be sent. */
export type QueuePolicy = Schemas["QueuePolicy"]
/** A turn that waits. */
export type QueuedTurn = Schemas["QueuedTurn"]
/** The agent's thoughts. */
export type ReasoningPart = Schemas["ReasoningPart"]
/** An agent in the public registry. */
export type RegistryEntry = Schemas["RegistryEntry"]
/** A stretch of the journal. */
export type Replay = Schemas["Replay"]
/** A document in the prompt itself: exactly one of `text` and `blob`. */
export type ResourceInput = Schemas["ResourceInput"]
/** What to change of a Result. */
export type ResultChange = Schemas["ResultChange"]
/** One permission rule: a category, a pattern with `*`, and what it says. */
export type Rule = Schemas["Rule"]
/** What a rule says. */
export type RuleAction = Schemas["RuleAction"]
/** Why a run did not complete. */
export type RunError = Schemas["RunError"]
export type RunId = Schemas["RunId"]
/** Where a run stands. The last four are final and never change. */
export type RunState = Schemas["RunState"]
/** The turn a follow-up became. */
export type RunTurn = Schemas["RunTurn"]
/** One event as clients see it. */
export type RuntimeEvent = Schemas["RuntimeEvent"]
/** The durable receipt of a run. */
export type RuntimeRun = Schemas["RuntimeRun"]
/** One sequence that begins on the page. */
export type SequenceRecord = Schemas["SequenceRecord"]
/** One conversation, bound to one project directory and one agent. */
export type Session = Schemas["Session"]
/** The agent of a session: how it is started, what it told of itself, how it is set. */
export type SessionAgent = Schemas["SessionAgent"]
/** An agent by its id or alias, or described. */
export type SessionAgentInput = Schemas["SessionAgentInput"]
/** What to change of a session; what is left out stays. */
export type SessionChange = Schemas["SessionChange"]
export type SessionId = Schemas["SessionId"]
/** What a new session should be; everything may be left out. */
export type SessionInput = Schemas["SessionInput"]
/** Sessions of this daemon, or references to those an agent knows. */
export type SessionList = Schemas["SessionList"]
/** How the agent of a session is set, and what it offers. */
export type SessionMetadata = Schemas["SessionMetadata"]
/** A session that this daemon or an agent knows. */
export type SessionReference = Schemas["SessionReference"]
/** A page of them. */
export type SessionReferences = Schemas["SessionReferences"]
/** Who knows of a session. */
export type SessionSource = Schemas["SessionSource"]
/** Everything that is known of a session, at one revision. */
export type SessionState = Schemas["SessionState"]
/** What a session is doing. */
export type SessionStatus = Schemas["SessionStatus"]
/** Times of a session. */
export type SessionTime = Schemas["SessionTime"]
/** Marks of a session; 0 or null clears one. */
export type SessionTimeChange = Schemas["SessionTimeChange"]
/**
 * The state of a session and the cursor to follow it from.
 *
 * The cursor is taken first: an update made meanwhile may show up in both.
 */
export type Snapshot = Schemas["Snapshot"]
/** A permission that was given for more than one session. */
export type StandingGrant = Schemas["StandingGrant"]
/** How far a standing grant reaches. */
export type StandingScope = Schemas["StandingScope"]
/** A command the agent offers. */
export type StateCommand = Schemas["StateCommand"]
/** An option the agent offers. */
export type StateConfigOption = Schemas["StateConfigOption"]
/** What became of a file by the agent's tools: the newest change of each path. */
export type StateDiff = Schemas["StateDiff"]
/** An update with the revision of the session at which it holds. */
export type StateEvent = Schemas["StateEvent"]
/** What a session is called and set to. */
export type StateMetadata = Schemas["StateMetadata"]
/** A permission that was asked for, or answered by a rule before anyone was. */
export type StatePermission = Schemas["StatePermission"]
/** A command that runs, or ran, for the agent in a terminal of the daemon's. */
export type StateTerminal = Schemas["StateTerminal"]
/** One object of the read model that came or changed, whole. */
export type StateUpdate = Schemas["StateUpdate"]
/** Tokens and cost, as far as the agent told them: those of the newest turn, and how full its context is. */
export type StateUsage = Schemas["StateUsage"]
/** The agent answered the prompt. */
export type StepFinishPart = Schemas["StepFinishPart"]
/** The agent was prompted. */
export type StepStartPart = Schemas["StepStartPart"]
/** An explicit subtask. */
export type SubtaskInput = Schemas["SubtaskInput"]
/** An explicit subtask. */
export type SubtaskPart = Schemas["SubtaskPart"]
/** What an operation is aimed at. */
export type TargetType = Schemas["TargetType"]
/** How a terminal stands. */
export type TerminalStatus = Schemas["TerminalStatus"]
/** Ordinary text. */
export type TextInput = Schemas["TextInput"]
/** Text of a prompt or an answer. */
export type TextPart = Schemas["TextPart"]
/** What the agent thought in a turn. */
export type ThoughtEntry = Schemas["ThoughtEntry"]
/** One entry of the conversation. Its id never changes; those of messages and tool calls are theirs in the transcript. */
export type ThreadEntry = Schemas["ThreadEntry"]
/** How far an entry has come. */
export type ThreadEntryStatus = Schemas["ThreadEntryStatus"]
/** One entry of the agent's plan. */
export type Todo = Schemas["Todo"]
/** Tokens used; 0 where the agent does not tell. */
export type Tokens = Schemas["Tokens"]
/** A tool call with what it changed and ran. */
export type ToolCallBundle = Schemas["ToolCallBundle"]
/** A call of one of the agent's tools. */
export type ToolCallEntry = Schemas["ToolCallEntry"]
/** Done. */
export type ToolCompleted = Schemas["ToolCompleted"]
/** One item of what a call came to; `id` is its kind and place. */
export type ToolContent = Schemas["ToolContent"]
/** Failed, refused or cut off. */
export type ToolError = Schemas["ToolError"]
/** A place a call is about. */
export type ToolLocation = Schemas["ToolLocation"]
/** A call of one of the agent's tools. */
export type ToolPart = Schemas["ToolPart"]
/** Announced, not started. */
export type ToolPending = Schemas["ToolPending"]
/** The tool call a decision is about. */
export type ToolRef = Schemas["ToolRef"]
/** At work. */
export type ToolRunning = Schemas["ToolRunning"]
/** When a tool ran. */
export type ToolSpan = Schemas["ToolSpan"]
/** When a tool started. */
export type ToolStart = Schemas["ToolStart"]
/** Where a tool call stands. */
export type ToolState = Schemas["ToolState"]
export type TurnId = Schemas["TurnId"]
/** Where a turn stands. */
export type TurnState = Schemas["TurnState"]
/** One uploaded file, whole or on its way. */
export type Upload = Schemas["Upload"]
export type UploadId = Schemas["UploadId"]
/** A prompt. */
export type UserEntry = Schemas["UserEntry"]
/** A prompt as it stands in the transcript. */
export type UserInfo = Schemas["UserInfo"]
/** Times of a user message. */
export type UserTime = Schemas["UserTime"]
/** What a run waits for: people, not the agent. */
export type Waiting = Schemas["Waiting"]
/** A value, or one with more to say. */
export type WishInput = Schemas["WishInput"]
/** How many turns were taken back. */
export type Withdrawn = Schemas["Withdrawn"]
/** Where the agent works. */
export type Workspace = Schemas["Workspace"]
