/**
 * One request: from the input of an operation to its answer, or to an error that says what happened.
 *
 * It is sent once. Whether to send it again is for others to say.
 */

import type { Connection } from "./connection.js"
import {
  OpenScienceConnectionError,
  OpenScienceError,
  OpenScienceHttpError,
  OpenScienceProtocolError,
} from "./errors.js"
import { type Limited, limited } from "./limits.js"
import type { CallOptions, OperationEntry } from "./operation.js"

const DIRECTORY_HEADER = "x-openscience-directory"
const PROJECT_HEADER = "x-openscience-project"
/** A path that is the same when it is percent-decoded and can stand in a header as it is. */
const PLAIN_PATH = /^[A-Za-z0-9/._~-]+$/

/** An input as callers give it. */
export type Given = Readonly<Record<string, unknown>>

/** An answer whose head is here. */
export interface Opened {
  response: Response
  /** What ends the request; released by whoever reads the body. */
  limit: Limited
}

/** An answer that was read. */
export interface Answered {
  data: unknown
  response: Response
}

/**
 * Sends a request and reads its answer as the operation says.
 *
 * @throws OpenScienceError if there is none or it is a refusal; the reason of the signal if it was aborted.
 */
export async function request(
  connection: Connection,
  operation: OperationEntry,
  input: Given,
  options: CallOptions = {},
): Promise<Answered> {
  const { response, limit } = await open(connection, operation, input, options)
  if (operation.answer === "bytes") {
    // The body is the caller's: their signal still ends it, time does not.
    limit.stopTimer()
    return { data: response, response }
  }
  try {
    const text = await reading(limit, operation, () => response.text())
    return { data: parsed(operation, response, text), response }
  } finally {
    limit.release()
  }
}

/**
 * Sends a request and waits for the head of its answer.
 *
 * @throws the same as `request`.
 */
export async function open(
  connection: Connection,
  operation: OperationEntry,
  input: Given,
  options: CallOptions = {},
): Promise<Opened> {
  const timeoutMs = options.timeoutMs ?? connection.timeoutMs
  const limit = limited([options.signal], timeoutMs, told(operation))
  let isOpen = false
  try {
    limit.signal.throwIfAborted()
    const { url, init } = await prepared(connection, operation, input, options)
    const response = await reading(limit, operation, () => connection.fetch(url, { ...init, signal: limit.signal }))
    await refuse(operation, response, limit)
    isOpen = true
    return { response, limit }
  } finally {
    if (!isOpen) {
      limit.release()
    }
  }
}

/** What is asked, in words. */
export function told(operation: OperationEntry): string {
  return `${operation.method} ${operation.path}`
}

async function prepared(
  connection: Connection,
  operation: OperationEntry,
  input: Given,
  options: CallOptions,
): Promise<{ url: string; init: RequestInit }> {
  const headers = new Headers(connection.headers)
  headers.set(
    "accept",
    operation.answer === "stream" ? "text/event-stream, application/json" : "application/json, */*;q=0.8",
  )
  const token = await connection.token()
  if (token !== undefined && token !== "") {
    headers.set("authorization", `Bearer ${token}`)
  }
  select(headers, options.directory ?? connection.directory, options.project ?? connection.project)
  for (const [name, wire] of Object.entries(operation.headers)) {
    const value = input[name]
    if (value !== undefined && value !== null) {
      headers.set(wire, plain(name, value))
    }
  }
  const body = bodyOf(operation, input, headers)
  for (const [name, value] of Object.entries(options.headers ?? {})) {
    headers.set(name, value)
  }
  const init: RequestInit & { duplex?: "half" } = {
    method: operation.method,
    headers,
    body: body ?? null,
    cache: "no-store",
    credentials: "same-origin",
    // A daemon never redirects; what does must not get the token.
    redirect: "manual",
  }
  if (typeof ReadableStream !== "undefined" && body instanceof ReadableStream) {
    init.duplex = "half"
  }
  return { url: `${connection.baseUrl}${pathOf(operation, input)}${queryOf(operation, input)}`, init }
}

/**
 * Names the project in headers. A path that is not plain is encoded whole, also its slashes: it is then no absolute path
 * before it is decoded, so that a `%20` in a name is never taken for a blank.
 */
function select(headers: Headers, directory: string | undefined, project: string | undefined): void {
  if (directory !== undefined && directory !== "") {
    headers.set(DIRECTORY_HEADER, PLAIN_PATH.test(directory) ? directory : encodeURIComponent(directory))
  }
  if (project !== undefined && project !== "") {
    headers.set(PROJECT_HEADER, project)
  }
}

function pathOf(operation: OperationEntry, input: Given): string {
  const byWire = new Map(Object.entries(operation.paths).map(([name, wire]) => [wire, name]))
  return operation.path.replaceAll(/\{([^}]+)\}/g, (_, wire: string) => {
    const name = byWire.get(wire) ?? wire
    const value = plain(name, input[name])
    // Addresses drop such segments, however they are encoded.
    if (value === "" || value === "." || value === "..") {
      throw new TypeError(`${told(operation)}: ${name} must be an id`)
    }
    return encodeURIComponent(value)
  })
}

function queryOf(operation: OperationEntry, input: Given): string {
  const query = new URLSearchParams()
  for (const [name, wire] of Object.entries(operation.queries)) {
    const value = input[name]
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) {
        query.append(wire, plain(name, one))
      }
    }
  }
  const text = query.toString()
  return text === "" ? "" : `?${text}`
}

function plain(name: string, value: unknown): string {
  if (
    typeof value === "string" ||
    typeof value === "number" ||
    typeof value === "boolean" ||
    typeof value === "bigint"
  ) {
    return String(value)
  }
  throw new TypeError(`${name} must be a string, a number or a boolean`)
}

function bodyOf(operation: OperationEntry, input: Given, headers: Headers): BodyInit | undefined {
  const { body } = operation
  const parameters = [operation.paths, operation.queries, operation.headers].flatMap((names) => Object.keys(names))
  const members = Object.entries(input).filter(([name, value]) => value !== undefined && !parameters.includes(name))
  if (body.form === "members") {
    return members.length === 0 ? undefined : json(headers, body.type, Object.fromEntries(members))
  }
  const stranger = members.find(([name]) => body.form === "none" || name !== "body")
  if (stranger !== undefined) {
    throw new TypeError(`${told(operation)} takes no ${stranger[0]}`)
  }
  if (body.form === "none" || input["body"] === undefined) {
    return undefined
  }
  if (body.form === "json") {
    return json(headers, body.type, input["body"])
  }
  headers.set("content-type", body.type)
  return input["body"] as BodyInit
}

function json(headers: Headers, type: string, value: unknown): string {
  headers.set("content-type", type)
  return JSON.stringify(value)
}

/** Runs something that fails if the request does, and says what that means. */
async function reading<Value>(limit: Limited, operation: OperationEntry, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read()
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : lost(operation, error)
  }
}

/** No whole answer came. */
export function lost(operation: OperationEntry, error: unknown): unknown {
  if (error instanceof OpenScienceError) {
    return error
  }
  const why = error instanceof Error ? reasonOf(error) : String(error)
  return new OpenScienceConnectionError(`${told(operation)}: ${why}`, { cause: error })
}

/** The innermost reason that says something: Node's fetch only says that it failed. */
function reasonOf(error: Error): string {
  const { cause } = error
  if (cause instanceof Error) {
    return reasonOf(cause)
  }
  const { code } = error as { code?: unknown }
  return error.message === "" && typeof code === "string" ? code : error.message
}

async function refuse(operation: OperationEntry, response: Response, limit: Limited): Promise<void> {
  if (response.ok) {
    return
  }
  if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400)) {
    await response.body?.cancel()
    throw new OpenScienceProtocolError(`${told(operation)}: redirected, which no daemon does`)
  }
  const text = await reading(limit, operation, () => response.text())
  throw new OpenScienceHttpError({
    status: response.status,
    body: parsedOr(text),
    retryAfterMs: retryAfterMs(response.headers.get("retry-after")),
    what: told(operation),
    response,
  })
}

/** What `Retry-After` asks for: seconds, or a date. */
function retryAfterMs(value: string | null): number | undefined {
  if (value === null || value.trim() === "") {
    return undefined
  }
  const seconds = Number(value)
  const ms = Number.isNaN(seconds) ? Date.parse(value) - Date.now() : seconds * 1_000
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

function parsedOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function parsed(operation: OperationEntry, response: Response, text: string): unknown {
  if (operation.answer === "text") {
    return text
  }
  if (operation.answer === "none" || (text === "" && response.status !== 200)) {
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new OpenScienceProtocolError(`${told(operation)}: the answer is no JSON`, { cause: error })
  }
}
