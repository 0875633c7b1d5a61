/**
 * Every operation of the daemon, as the OpenAPI document lists them.
 *
 * `client.<group>.<verb>(input, options)`; the interfaces in generated/operations.ts say what each takes and gives. A call
 * is sent once: what may be repeated is for the runtime to know.
 */

import { type Connection, type ConnectionOptions, connect } from "./connection.js"
import { OpenScienceError, OpenScienceHttpError } from "./errors.js"
import { OPERATIONS, type Operations } from "./generated/operations.js"
import type { OperationEntry, Result, ReturningOptions, StreamFrame, Success } from "./operation.js"
import { openFrames } from "./frames.js"
import { type Given, request } from "./request.js"
import { EventStream } from "./stream.js"

/** Options of a client. */
export interface ClientOptions extends ConnectionOptions {
  /** Whether calls that do not say so reject when the daemon refuses; false if left out. */
  throwOnError?: boolean | undefined
}

/** All operations, by group. */
export type OpenScienceClient = Operations

/**
 * A client for every operation. It opens nothing by itself.
 *
 * A call resolves to `{ data, response }` or `{ error, response }`; with `throwOnError: true` it rejects with the error
 * instead. An aborted call always rejects with the reason of its signal, a call with wrong arguments with a `TypeError`.
 *
 * @throws TypeError, RangeError if an option cannot be followed.
 */
export function createOpenScienceClient(options: ClientOptions = {}): OpenScienceClient {
  const connection = connect(options, 0)
  const throws = options.throwOnError ?? false
  const root: Record<string, unknown> = {}
  // Groups before what is in them: a group may be an operation too.
  const all = Object.entries<OperationEntry>(OPERATIONS).sort(([a], [b]) => a.length - b.length)
  for (const [id, operation] of all) {
    place(root, id.split("."), callOf(connection, operation, throws))
  }
  return root as unknown as OpenScienceClient
}

type Call = (input?: Given, options?: ReturningOptions) => unknown

function place(root: Record<string, unknown>, words: readonly string[], call: Call): void {
  const groups = words.slice(0, -1)
  const last = words.at(-1) ?? ""
  let at = root
  for (const word of groups) {
    if (!Object.hasOwn(at, word)) {
      define(at, word, {})
    }
    at = at[word] as Record<string, unknown>
  }
  define(at, last, call)
}

/** Also for names that functions have by themselves, such as `name`. */
function define(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: false })
}

function callOf(connection: Connection, operation: OperationEntry, throws: boolean): Call {
  if (operation.answer === "stream") {
    return (input = {}, options = {}) =>
      new EventStream<StreamFrame>(
        (signal) => openFrames(connection, operation, input, { ...options, signal }),
        options.signal,
      )
  }
  return (input = {}, options = {}) => called(connection, operation, input, { throwOnError: throws, ...options })
}

async function called(
  connection: Connection,
  operation: OperationEntry,
  input: Given,
  options: ReturningOptions,
): Promise<Result<unknown>> {
  try {
    return (await request(connection, operation, input, options)) satisfies Success<unknown>
  } catch (error) {
    if (options.throwOnError === true || !(error instanceof OpenScienceError)) {
      throw error
    }
    return { error, response: error instanceof OpenScienceHttpError ? error.response : undefined }
  }
}
