/**
 * What the properties of an event hold, by its type.
 *
 * Clients must ignore types they do not know: there may be more than those listed here.
 */

import type {
  Effort,
  MessageError,
  MessageInfo,
  Part,
  PermissionReply,
  PermissionRequest,
  QuestionRequest,
  RunError,
  RuntimeEvent,
  SessionStatus,
  Todo,
  TurnState,
} from "./generated/types.js"
import { FINAL_EVENT_TYPES } from "./states.js"

/** A part in an event: without its `text` when only its growth is told. */
export type EventPart = Part & {
  /** Length of the whole text in UTF-16 units, where the text itself is left out. */
  textLength?: number
}

/** What the end of a run has in common. */
interface RunEnd {
  messageID?: string
  stopReason?: string
}

/** Properties of the events of the journal, by type. Times are milliseconds since 1970. */
export interface EventProperties {
  "runtime.accepted": { acceptedAt: number; effort: Effort }
  "runtime.completed": RunEnd & { messageID: string }
  /** `recovered`: written by another process than the one that died under the run. */
  "runtime.failed": RunEnd & { error: RunError; message: string; recovered?: boolean }
  "runtime.cancelled": RunEnd & { source: string; recovered?: boolean }
  "turn.updated": {
    turnID: string
    state: TurnState
    position?: number
    intoTurnID?: string
    messageID: string
    stopReason?: string
    error?: RunError
  }
  "message.updated": { info: MessageInfo }
  /** Either the whole part, or its growth: `delta` is to be put at `offset`, in UTF-16 units. */
  "message.part.updated": { part: EventPart; delta?: string; offset?: number }
  "todo.updated": { sessionID: string; todos: Todo[] }
  "permission.asked": PermissionRequest
  "permission.replied": {
    sessionID: string
    requestID: string
    reply: PermissionReply
    actor: string
    message?: string
  }
  "permission.cancelled": { sessionID: string; requestID: string; reason: string }
  "question.asked": QuestionRequest
  "question.replied": { sessionID: string; requestID: string; answers: string[][]; actor: string }
  "question.rejected": { sessionID: string; requestID: string; actor: string; message?: string }
  "question.cancelled": { sessionID: string; requestID: string; reason: string }
  "session.status": { sessionID: string; status: SessionStatus }
  "session.idle": { sessionID: string }
  "session.error": { sessionID: string; error: MessageError }
  "session.context": { sessionID: string; used: number; size: number; cost?: unknown }
  "agent.reset": { sessionID: string; contextReset: true; reason: string }
}

/** An event whose type is known here. */
export type KnownEvent<Type extends keyof EventProperties> = Omit<RuntimeEvent, "type" | "properties"> & {
  type: Type
  properties: EventProperties[Type]
}

/** Whether an event is of a type; its properties then have that type's shape. */
export function isEvent<Type extends keyof EventProperties>(
  event: RuntimeEvent,
  type: Type,
): event is RuntimeEvent & KnownEvent<Type> {
  return event.type === type
}

/** Whether an event is the last of its run. */
export function isFinalEvent(event: RuntimeEvent): boolean {
  return (FINAL_EVENT_TYPES as readonly string[]).includes(event.type)
}
