/**
 * What can go wrong, as classes to tell apart with `instanceof`.
 *
 * Wrong arguments are `TypeError` and `RangeError`; what was aborted rejects with the reason of its signal. Everything else
 * that this package throws is an `OpenScienceError`.
 */

import type { ErrorCode } from "./generated/constants.js"
import type { Issue, Problem } from "./generated/types.js"

/** The root of all errors of this package. */
export class OpenScienceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
  }
}

/**
 * There was no (whole) answer: refused, reset, cut off, unknown host. Whether the request was carried out is not known:
 * send a prompt again only under the same `requestID`.
 */
export class OpenScienceConnectionError extends OpenScienceError {}

/** There was no whole answer in time. As with every lost answer, the request may have been carried out. */
export class OpenScienceTimeoutError extends OpenScienceConnectionError {
  constructor(
    /** The limit that was passed, in milliseconds. */
    readonly timeoutMs: number,
    what: string,
  ) {
    super(`${what}: no answer within ${timeoutMs} ms`)
  }
}

/** The answer is not one of this protocol: another program, another version, or something between rewrote it. */
export class OpenScienceProtocolError extends OpenScienceError {}

/** What is known of a refusal. */
export interface Refusal {
  status: number
  /** The parsed body, if it was JSON. */
  body: unknown
  /** Milliseconds to wait before another try, if the daemon said so. */
  retryAfterMs?: number | undefined
  /** What was asked, for the message. */
  what: string
  /** The answer itself, its body read. */
  response?: Response | undefined
}

/**
 * The daemon refused (status 4xx or 5xx). Match on `code`, which is stable.
 *
 * The members of the body are members of the error too: `error`, `code`, `message`, `data`, `issues`, …; `name` is the
 * body's, if it has one.
 */
export class OpenScienceHttpError extends OpenScienceError {
  /** HTTP status. */
  readonly status: number
  /** Stable snake_case word, such as `session_not_found`; `http_<status>` if the body had none. */
  readonly code: ErrorCode | (string & Record<never, never>)
  /** The code, or a text where older clients expect one. */
  readonly error: string
  /** The parsed body, whatever it was; undefined if it was no JSON. */
  readonly body: unknown
  /** The body as the daemon of this version writes it, for members that are not told here; `{}` if it was no object. */
  readonly problem: Partial<Problem>
  /** Milliseconds to wait before another try, if the daemon said so. */
  readonly retryAfterMs: number | undefined
  /** What belongs to the name of a named error. */
  readonly data: Record<string, unknown> | undefined
  /** Every place that is wrong, if the request was invalid. */
  readonly issues: readonly Issue[] | undefined
  /** Oldest event that can be replayed, if a cursor was refused. */
  readonly oldestSequence: number | undefined
  /** Newest event, if a cursor was refused. */
  readonly latestSequence: number | undefined
  /** The daemon that can do it, if this one cannot. */
  readonly url: string | undefined
  /** The bound that was passed, in bytes. */
  readonly limit: number | undefined
  /** Not shown when the error is printed. */
  readonly #response: Response | undefined

  constructor(refusal: Refusal) {
    const problem = problemOf(refusal.body)
    super(problem.message ?? `${refusal.what}: HTTP ${refusal.status}`)
    this.name = problem.name ?? this.name
    this.status = refusal.status
    this.code = problem.code ?? `http_${refusal.status}`
    this.error = problem.error ?? this.code
    this.body = refusal.body
    this.problem = objectOf(refusal.body)
    this.retryAfterMs = refusal.retryAfterMs
    this.data = problem.data
    this.issues = problem.issues
    this.oldestSequence = problem.oldestSequence
    this.latestSequence = problem.latestSequence
    this.url = problem.url
    this.limit = problem.limit
    this.#response = refusal.response
  }

  /** The answer, for its headers; its body is `body`. */
  get response(): Response | undefined {
    return this.#response
  }
}

/** Why a cursor leads nowhere. */
export type CursorReason = "expired" | "ahead" | "gap" | "foreign_session"

/**
 * Events cannot be followed from this cursor: it is too old (`expired`), of another session or data directory (`ahead`), or
 * the stream did not go on with the next event of the session (`gap`, `foreign_session`). Read a snapshot and the
 * transcript, and go on from `latestSequence` of the snapshot; never send the prompt again because of it.
 */
export class RuntimeEventCursorError extends OpenScienceError {
  /** HTTP status, if the daemon refused the cursor. */
  readonly status: number | undefined
  /** `cursor_expired` or `cursor_ahead` where the daemon said so, else `event_gap` or `foreign_session`. */
  readonly code: string
  /** The same word, as in the body of the refusal. */
  readonly error: string
  /** Oldest event that can be replayed, if known. */
  readonly oldestSequence: number | undefined
  /** Newest event, if known. */
  readonly latestSequence: number | undefined
  /** The parsed body of the refusal, if there was one. */
  readonly body: unknown

  constructor(
    readonly reason: CursorReason,
    message: string,
    refusal?: OpenScienceHttpError,
  ) {
    super(message, refusal === undefined ? undefined : { cause: refusal })
    this.status = refusal?.status
    this.code = refusal?.code ?? (reason === "gap" ? "event_gap" : reason)
    this.error = refusal?.error ?? this.code
    this.oldestSequence = refusal?.oldestSequence
    this.latestSequence = refusal?.latestSequence
    this.body = refusal?.body
  }

  /** The refused cursor of an answer, if it is one. */
  static from(error: unknown): RuntimeEventCursorError | undefined {
    if (!(error instanceof OpenScienceHttpError) || error.status !== 409) {
      return undefined
    }
    const reasons: Record<string, CursorReason> = { cursor_expired: "expired", cursor_ahead: "ahead" }
    const reason = reasons[error.code] ?? reasons[error.error]
    return reason === undefined ? undefined : new RuntimeEventCursorError(reason, error.message, error)
  }
}

/** True if the same request may succeed later without a change: no answer, 408, 429 or 5xx. */
export function isTransient(error: unknown): boolean {
  if (error instanceof OpenScienceHttpError) {
    return error.status === 408 || error.status === 429 || error.status >= 500
  }
  return error instanceof OpenScienceConnectionError
}

function objectOf(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : {}
}

/** The members of a body that have the type they should have. */
function problemOf(body: unknown): Partial<Problem> {
  const members = objectOf(body)
  const problem: Partial<Problem> = {}
  for (const name of ["error", "code", "message", "name", "url"] as const) {
    const value = members[name]
    if (typeof value === "string") {
      problem[name] = value
    }
  }
  for (const name of ["oldestSequence", "latestSequence", "limit"] as const) {
    const value = members[name]
    if (typeof value === "number") {
      problem[name] = value
    }
  }
  if (typeof members["data"] === "object" && members["data"] !== null) {
    problem.data = members["data"] as Record<string, unknown>
  }
  if (Array.isArray(members["issues"])) {
    problem.issues = members["issues"] as Issue[]
  }
  // Older daemons have the code in `error` only.
  if (problem.code === undefined && problem.error !== undefined && /^[a-z][a-z0-9_]*$/.test(problem.error)) {
    problem.code = problem.error
  }
  return problem
}
