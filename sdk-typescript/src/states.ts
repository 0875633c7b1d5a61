/**
 * Words of the wire that stand in no enumeration of the document, and what follows from a state.
 */

import type { EventType } from "./generated/constants.js"
import type { RunState, RuntimeRun } from "./generated/types.js"

/** The protocol this package speaks; compare it with `capabilities().protocolVersion`. */
export const PROTOCOL_VERSION = "1.0"

/** How many events of a session can be replayed. */
export const EVENT_RETENTION = 2_048

/** The ends of a run; a receipt that shows one never changes again. */
export const FINAL_RUN_STATES = [
  "completed",
  "failed",
  "cancelled",
  "interrupted",
] as const satisfies readonly RunState[]

/** Events that end a run: each run has exactly one, and it is its last. */
export const FINAL_EVENT_TYPES = [
  "runtime.completed",
  "runtime.failed",
  "runtime.cancelled",
] as const satisfies readonly EventType[]

/** Whether a run has ended. A state that is not known counts as an end if the receipt says when the run ended. */
export function isFinal(run: Pick<RuntimeRun, "state" | "completedAt">): boolean {
  return (FINAL_RUN_STATES as readonly string[]).includes(run.state) || run.completedAt !== undefined
}
