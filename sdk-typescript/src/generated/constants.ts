// Written by scripts/generate.mjs from openapi/openscience.json. Do not edit: npm run generate.

/** How freely delegated work may act. */
export const AUTONOMIES = ["interactive", "balanced", "autonomous"] as const
/** What of an agent's configuration a wish is for: one word for what agents call differently. */
export const CONFIG_KEYS = ["mode", "model", "effort"] as const
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
/** Who has to do something to log in. */
export const LOGIN_KINDS = ["agent", "env_var", "terminal"] as const
/** How a server is spoken to. */
export const MCP_KINDS = ["stdio", "http", "sse"] as const
/** How a conversation that the agent holds is taken up. */
export const OPEN_INPUTS = ["load", "resume"] as const
/** How far an answer reaches. */
export const PERMISSION_REPLIES = ["once", "session", "project", "always", "reject"] as const
/** What a rule says. */
export const RULE_ACTIONS = ["allow", "deny", "ask"] as const
/** Where a run stands. The last four are final and never change. */
export const RUN_STATES = ["accepted", "running", "completed", "failed", "cancelled", "interrupted"] as const
/** Who knows of a session. */
export const SESSION_SOURCES = ["local", "remote", "both"] as const
/** How far a standing grant reaches. */
export const STANDING_SCOPES = ["project", "global"] as const
/** Where a turn stands. */
export const TURN_STATES = ["queued", "ready", "active", "completed", "cancelled", "coalesced", "withdrawn", "failed"] as const
/** Where the agent works. */
export const WORKSPACES = ["isolated", "project"] as const
