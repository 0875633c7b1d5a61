/**
 * Prompts, receipts, decisions and events of sessions, in the form a program wants that must not lose or repeat work.
 */

import { delayMs, pause } from "./backoff.js"
import { type Connection, type ConnectionOptions, checkedNumber, connect } from "./connection.js"
import { OpenScienceHttpError, RuntimeEventCursorError, isTransient } from "./errors.js"
import { type FollowOptions, follow } from "./follow.js"
import { OPERATIONS } from "./generated/operations.js"
import type {
  CancelInput,
  Capabilities,
  DecisionInput,
  DecisionResult,
  PromptAccepted,
  PromptInput,
  Replay,
  RuntimeEvent,
  RuntimeRun,
  Snapshot,
} from "./generated/types.js"
import type { CallOptions, OperationEntry } from "./operation.js"
import { type Given, request } from "./request.js"
import { isFinal } from "./states.js"
import { EventStream } from "./stream.js"

/** The runtime answers at once: what takes longer is no answer that still comes. */
const DEFAULT_TIMEOUT_MS = 60_000
/** One look at a receipt: a connection that died while the computer slept is given up soon. */
const LOOK_TIMEOUT_MS = 10_000

/** Which run. */
export interface RunQuery {
  sessionID: string
  runID: string
  /** A turn of it, whose state is then told as `turn`. */
  turnID?: string | undefined
}

/** What to wait for, and how. */
export interface WaitOptions extends RunQuery {
  /** Milliseconds between two looks at the receipt, at least 10; 1000 if left out. */
  intervalMs?: number | undefined
  /** `decision` also returns a run that waits for people (`run.waiting`); `end`, if left out, waits on. */
  until?: "end" | "decision" | undefined
  /**
   * Milliseconds for which the daemon may be out of reach, as during a restart, before the wait fails with the last error;
   * 60 000 if left out, Infinity for no bound.
   */
  unreachableMs?: number | undefined
  /** Ends the wait; it then rejects with the reason of the signal. The run goes on. */
  signal?: AbortSignal | undefined
}

/** Which stretch of the journal. */
export interface ReplayQuery {
  sessionID: string
  /** Sequence of the last event that was seen; all retained events if left out. */
  afterSequence?: number | undefined
}

/** What to follow, and how. */
export interface EventsOptions extends FollowOptions {
  /** Closes the stream; the loop over it then ends without an error. */
  signal?: AbortSignal | undefined
}

/** What an observer is told: where the session stands, then what happens. */
export type Observation = { type: "snapshot"; snapshot: Snapshot } | { type: "event"; event: RuntimeEvent }

/** What to observe, and how. */
export type ObserveOptions = Omit<EventsOptions, "afterSequence">

/**
 * The runtime of one daemon. It opens nothing by itself and keeps nothing between calls.
 *
 * Calls reject with `OpenScienceHttpError` when the daemon refuses and with `OpenScienceConnectionError` when no answer came.
 * Requests that can be repeated safely are, where it may help (`retry` of the connection).
 */
export class OpenScienceRuntime {
  readonly #connection: Connection

  /** @throws TypeError, RangeError if an option cannot be followed. */
  constructor(options: ConnectionOptions = {}) {
    this.#connection = connect(options, DEFAULT_TIMEOUT_MS)
  }

  /** What the daemon can do. `protocolVersion` is `1.0` for this package. */
  async capabilities(options?: CallOptions): Promise<Capabilities> {
    return (await this.#repeated(OPERATIONS["runtime.capabilities"], {}, options)) as Capabilities
  }

  /**
   * Submits a prompt, exactly as given. The answer acknowledges admission, not success.
   *
   * With a `requestID` (or `messageID`) it is sent again if no answer came: the same key and prompt are one run, however often
   * they are sent. Without one it is sent once, and after an `OpenScienceConnectionError` nobody knows whether it was
   * admitted. Store session, key and prompt before you call.
   *
   * During a live run it joins that run: `runID` is the live run's, `turnID` names the turn.
   *
   * @throws OpenScienceHttpError `request_conflict` if the key was used for another prompt; `session_busy`, `queue_full`,
   * `session_not_found`, `invalid_request`, …
   */
  async prompt(input: PromptInput, options?: CallOptions): Promise<PromptAccepted> {
    const hasKey = typeof input.requestID === "string" || typeof input.messageID === "string"
    const operation = OPERATIONS["runtime.prompt"]
    const answer = hasKey
      ? this.#repeated(operation, { ...input }, options)
      : this.#once(operation, { ...input }, options)
    return (await answer) as PromptAccepted
  }

  /** The receipt of a run. */
  async getRun(query: RunQuery, options?: CallOptions): Promise<RuntimeRun> {
    const { sessionID, runID, turnID } = query
    return (await this.#repeated(OPERATIONS["runtime.run"], { sessionID, runID, turnID }, options)) as RuntimeRun
  }

  /** Where a session stands: live runs and the newest 100, pending decisions, and the cursor to follow it from. */
  async snapshot(query: { sessionID: string }, options?: CallOptions): Promise<Snapshot> {
    return (await this.#repeated(OPERATIONS["runtime.snapshot"], { sessionID: query.sessionID }, options)) as Snapshot
  }

  /**
   * Stops a run, and that run only. The answer may still say `running`: the end follows within ten seconds. A run that has
   * ended is answered unchanged.
   */
  async cancel(input: CancelInput, options?: CallOptions): Promise<RuntimeRun> {
    return (await this.#repeated(OPERATIONS["runtime.cancel"], { ...input }, options)) as RuntimeRun
  }

  /**
   * Answers a permission or a question of a fresh snapshot. The same answer again gets the same receipt.
   *
   * `indeterminate`: the answer is recorded, and whether it reached the agent is not known: look at the state, do not repeat
   * the action.
   *
   * @throws OpenScienceHttpError `decision_conflict` if it was answered differently, `decision_expired` if nobody can answer
   * it any more, `decision_not_owned` (with `url`) if another daemon must be asked, `scope_not_available`, `invalid_answer`.
   */
  async decide(input: DecisionInput, options?: CallOptions): Promise<DecisionResult> {
    return (await this.#repeated(OPERATIONS["runtime.decide"], { ...input }, options)) as DecisionResult
  }

  /**
   * Events after a cursor, at most about 16 MiB of them: go on from the last sequence until there are none.
   *
   * @throws RuntimeEventCursorError if the cursor is too old or beyond the newest event.
   */
  async replay(query: ReplayQuery, options?: CallOptions): Promise<Replay> {
    const { sessionID, afterSequence } = query
    try {
      return (await this.#repeated(OPERATIONS["runtime.replay"], { sessionID, afterSequence }, options)) as Replay
    } catch (error) {
      throw RuntimeEventCursorError.from(error) ?? error
    }
  }

  /**
   * Waits until a run has ended, by looking at its receipt. It grants nothing and sends no prompt again, and it survives
   * restarts of the daemon.
   *
   * States this package does not know count as live, unless the receipt says when the run ended.
   *
   * @throws what `getRun` throws; RangeError for an interval below 10 ms.
   */
  async wait(options: WaitOptions): Promise<RuntimeRun> {
    const { sessionID, runID, turnID, until = "end", unreachableMs = 60_000, signal } = options
    const intervalMs = checkedNumber("intervalMs", options.intervalMs ?? 1_000, 10)
    const input = { sessionID, runID, turnID }
    const limit = this.#connection.timeoutMs
    const timeoutMs = limit === 0 ? LOOK_TIMEOUT_MS : Math.min(limit, LOOK_TIMEOUT_MS)
    // Since the first failure, not since the last answer: a computer may have slept between the two.
    let failingSince: number | undefined
    for (let failures = 0; ; ) {
      signal?.throwIfAborted()
      let delay = intervalMs
      try {
        const run = (await this.#once(OPERATIONS["runtime.run"], input, { signal, timeoutMs })) as RuntimeRun
        if (isFinal(run) || (until === "decision" && run.waiting !== undefined)) {
          return run
        }
        failingSince = undefined
        failures = 0
      } catch (error) {
        failingSince ??= Date.now()
        if (!isTransient(error) || Date.now() - failingSince >= unreachableMs) {
          throw error
        }
        delay = delayMs(this.#connection.retry, failures, askedMs(error))
        failures += 1
      }
      await pause(delay, signal)
    }
  }

  /**
   * Follows the events of a session: first what came after the cursor, then what is new, each once and in order, over as
   * many connections as it takes. It does not end with a run. Nothing is requested before the first event is asked for.
   *
   * @throws from the loop: RuntimeEventCursorError, see there; OpenScienceHttpError for other refusals (4xx).
   */
  events(options: EventsOptions): EventStream<RuntimeEvent> {
    const { signal, ...rest } = options
    checkedCursor(rest.afterSequence)
    return new EventStream((inner) => follow(this.#connection, rest, inner), signal)
  }

  /**
   * Follows a session from where it stands now: a snapshot, then the events after it. Where the cursor leads nowhere any
   * more, the next observation is another snapshot: what was known before it must be read anew. An update made while a
   * snapshot was taken may be in both.
   *
   * @throws from the loop: OpenScienceHttpError for refusals (4xx).
   */
  observe(options: ObserveOptions): EventStream<Observation> {
    const { signal, ...rest } = options
    return new EventStream((inner) => this.#observe(rest, inner), signal)
  }

  async *#observe(options: FollowOptions, signal: AbortSignal): AsyncGenerator<Observation, void, undefined> {
    for (let failures = 0; ; ) {
      try {
        const snapshot = await this.snapshot({ sessionID: options.sessionID }, { signal })
        yield { type: "snapshot", snapshot }
        const cursor = { ...options, afterSequence: snapshot.latestSequence }
        for await (const event of follow(this.#connection, cursor, signal)) {
          failures = 0
          yield { type: "event", event }
        }
      } catch (error) {
        if (signal.aborted || !(error instanceof RuntimeEventCursorError || isTransient(error))) {
          throw error
        }
        if (failures >= (options.maxReconnects ?? Number.POSITIVE_INFINITY)) {
          throw error
        }
        // A new snapshot is taken at once the first time: a cursor that expired is no failure of anything.
        if (failures > 0 || isTransient(error)) {
          await pause(delayMs(this.#connection.retry, failures, askedMs(error)), signal)
        }
        failures += 1
      }
    }
  }

  async #once(operation: OperationEntry, input: Given, options: CallOptions = {}): Promise<unknown> {
    return (await request(this.#connection, operation, input, options)).data
  }

  async #repeated(operation: OperationEntry, input: Given, options: CallOptions = {}): Promise<unknown> {
    const { retry } = this.#connection
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.#once(operation, input, options)
      } catch (error) {
        if (options.signal?.aborted === true || failures >= retry.attempts || !isTransient(error)) {
          throw error
        }
        await pause(delayMs(retry, failures, askedMs(error)), options.signal)
      }
    }
  }
}

/**
 * The runtime of a daemon.
 *
 * @throws TypeError, RangeError if an option cannot be followed.
 */
export function createOpenScienceRuntime(options: ConnectionOptions = {}): OpenScienceRuntime {
  return new OpenScienceRuntime(options)
}

function askedMs(error: unknown): number | undefined {
  return error instanceof OpenScienceHttpError ? error.retryAfterMs : undefined
}

function checkedCursor(sequence: number | undefined): void {
  if (sequence !== undefined && !(Number.isSafeInteger(sequence) && sequence >= 0)) {
    throw new RangeError("afterSequence must be a whole number, 0 or more")
  }
}
