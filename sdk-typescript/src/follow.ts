/**
 * The events of a session as one sequence, over as many connections as it takes.
 *
 * Each event is given once and in order, or the cursor is said to lead nowhere. Only what passes is tried again: no answer, a
 * cut, silence, 408, 429, 5xx. Following never touches a run.
 */

import { delayMs, pause } from "./backoff.js"
import type { Connection } from "./connection.js"
import { OpenScienceHttpError, OpenScienceProtocolError, RuntimeEventCursorError, isTransient } from "./errors.js"
import { openFrames } from "./frames.js"
import { OPERATIONS } from "./generated/operations.js"
import type { RuntimeEvent } from "./generated/types.js"
import type { StreamFrame } from "./operation.js"

/** How the connection stands. It says nothing about the run: that goes on without any observer. */
export type ConnectionState =
  | { state: "connecting"; attempt: number }
  | { state: "open" }
  /** The connection ended (`error` is absent if the daemon ended it in order); the next try is in `delayMs`. */
  | { state: "reconnecting"; error?: unknown; delayMs: number; lastSequence?: number | undefined }
  | { state: "closed" }

/** What to follow, and how. */
export interface FollowOptions {
  sessionID: string
  /** Sequence of the last event that was seen; all retained events if left out. */
  afterSequence?: number | undefined
  /** Milliseconds without a byte after which the connection counts as dead; 0 for never. 60 000 if left out. */
  idleTimeoutMs?: number | undefined
  /** Tries in a row that bring no event before the last error is thrown; no bound if left out. */
  maxReconnects?: number | undefined
  /** Told how the connection stands. */
  onConnection?: ((state: ConnectionState) => void) | undefined
}

/** Follows until the signal is aborted. */
export async function* follow(
  connection: Connection,
  options: FollowOptions,
  signal: AbortSignal,
): AsyncGenerator<RuntimeEvent, void, undefined> {
  const tell = options.onConnection ?? (() => undefined)
  const { sessionID, afterSequence, maxReconnects = Number.POSITIVE_INFINITY } = options
  let last = afterSequence
  let failures = 0
  try {
    for (let attempt = 1; ; attempt += 1) {
      tell({ state: "connecting", attempt })
      let failure: unknown
      try {
        // The query stays as it was, the header wins over it.
        const cursor = attempt === 1 || last === undefined ? undefined : String(last)
        const frames = openFrames(
          connection,
          OPERATIONS["runtime.events"],
          { sessionID, afterSequence, lastEventID: cursor },
          { signal, idleTimeoutMs: options.idleTimeoutMs, onOpen: () => tell({ state: "open" }) },
        )
        for await (const frame of frames) {
          const event = checkedEvent(frame, sessionID)
          if (isNext(event, last)) {
            last = event.sequence
            failures = 0
            yield event
          }
        }
      } catch (error) {
        if (signal.aborted || !isTransient(error)) {
          throw RuntimeEventCursorError.from(error) ?? error
        }
        failure = error
      }
      if (failures >= maxReconnects) {
        throw failure ?? new OpenScienceProtocolError("the daemon ends the event stream again and again")
      }
      const asked = failure instanceof OpenScienceHttpError ? failure.retryAfterMs : undefined
      const wait = delayMs(connection.retry, failures, asked)
      failures += 1
      tell({
        state: "reconnecting",
        delayMs: wait,
        lastSequence: last,
        ...(failure === undefined ? {} : { error: failure }),
      })
      await pause(wait, signal)
    }
  } finally {
    tell({ state: "closed" })
  }
}

/** False for what was given already; throws for what does not follow. */
function isNext(event: RuntimeEvent, last: number | undefined): boolean {
  if (last === undefined || event.sequence === last + 1) {
    return true
  }
  if (event.sequence <= last) {
    return false
  }
  throw new RuntimeEventCursorError("gap", `event ${event.sequence} came after event ${last}`)
}

function checkedEvent(frame: StreamFrame, sessionID: string): RuntimeEvent {
  const event = frame.data as Partial<RuntimeEvent> | null
  if (
    typeof event !== "object" ||
    event === null ||
    !Number.isSafeInteger(event.sequence) ||
    (event.sequence ?? 0) < 1
  ) {
    throw new OpenScienceProtocolError("a frame of the event stream holds no event")
  }
  if (frame.id !== undefined && frame.id !== String(event.sequence)) {
    throw new OpenScienceProtocolError(`the frame ${frame.id} holds event ${event.sequence}`)
  }
  if (event.sessionID !== sessionID) {
    throw new RuntimeEventCursorError("foreign_session", `event ${event.sequence} is of another session`)
  }
  return event as RuntimeEvent
}
