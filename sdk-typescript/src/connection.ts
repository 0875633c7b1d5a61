/**
 * Which daemon is spoken to, and how?
 *
 * Checks what a caller says once, so that later code need not. Opens nothing.
 */

import { type Retry, type RetryOptions, checkedRetry } from "./backoff.js"

/** Port of a daemon that was started without one. */
const DEFAULT_URL = "http://127.0.0.1:4096"
/** A daemon sends events of at most 256 KiB; it may be configured to send larger ones. */
const DEFAULT_MAX_EVENT_BYTES = 4 * 1024 * 1024

/** Which daemon is spoken to, and how. */
export interface ConnectionOptions {
  /** Address the daemon printed when it started; `http://127.0.0.1:4096` if left out. */
  baseUrl?: string | undefined
  /** Absolute directory of the project; the daemon's own if left out. It selects and does not authorize. */
  directory?: string | undefined
  /** Id of the project (`prj_…`), instead of or besides its directory. */
  project?: string | undefined
  /** Bearer token the daemon was started with, or where to get it for each request. */
  token?: string | (() => string | Promise<string>) | undefined
  /** Further headers of every request. */
  headers?: Readonly<Record<string, string>> | undefined
  /** Instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /**
   * Milliseconds until a request without an answer fails with `OpenScienceTimeoutError`; 0 for no limit. If left out: 60 000
   * for the runtime, whose answers come at once, and no limit of our own for the client, some of whose operations wait for
   * agents. Streams are not limited by it once they are open.
   */
  timeoutMs?: number | undefined
  /** How the runtime repeats requests that can be repeated safely; false for never. */
  retry?: RetryOptions | false | undefined
  /** Longest event that is accepted, in UTF-16 units of its frame; 4 Mi if left out. */
  maxEventBytes?: number | undefined
}

/** The same, checked and filled up. */
export interface Connection {
  readonly baseUrl: string
  readonly directory: string | undefined
  readonly project: string | undefined
  readonly token: () => string | undefined | Promise<string | undefined>
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: typeof globalThis.fetch
  readonly timeoutMs: number
  readonly retry: Retry
  readonly maxEventBytes: number
}

/**
 * Checks options.
 *
 * @throws TypeError, RangeError if one of them cannot be followed.
 */
export function connect(options: ConnectionOptions, defaultTimeoutMs: number): Connection {
  const { token } = options
  const fetch = options.fetch ?? globalThis.fetch
  if (typeof fetch !== "function") {
    throw new TypeError("there is no fetch here: give one as the option fetch")
  }
  return {
    baseUrl: checkedUrl(options.baseUrl ?? DEFAULT_URL),
    directory: options.directory,
    project: options.project,
    token: typeof token === "function" ? token : () => token,
    headers: options.headers ?? {},
    // Not called as a method: browsers want fetch to be called on nothing.
    fetch: (input, init) => fetch(input, init),
    timeoutMs: checkedNumber("timeoutMs", options.timeoutMs ?? defaultTimeoutMs, 0),
    retry: checkedRetry(options.retry),
    maxEventBytes: checkedNumber("maxEventBytes", options.maxEventBytes ?? DEFAULT_MAX_EVENT_BYTES, 1),
  }
}

/** A finite number that is at least so much. */
export function checkedNumber(name: string, value: number, least: number): number {
  if (typeof value !== "number" || Number.isNaN(value) || value < least) {
    throw new RangeError(`${name} must be a number and at least ${least}`)
  }
  return value
}

/** The address without a slash at its end. */
function checkedUrl(text: string): string {
  const url = new URL(text)
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError("baseUrl must begin with http:// or https://")
  }
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new TypeError("baseUrl must have no user, query or fragment; a token is the option token")
  }
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "")
}
