/**
 * A daemon as a child process: started, known to be ready, ended, and never left behind.
 */

import { type ChildProcess, spawn } from "node:child_process"
import type { Socket } from "node:net"

import { connect } from "./connection.js"
import { OpenScienceProtocolError } from "./errors.js"
import { OPERATIONS } from "./generated/operations.js"
import type { Health } from "./generated/types.js"
import { guard } from "./guard.js"
import { OpenScienceServerError, type ServerFailure } from "./launch-error.js"
import { type Ready, failureCode, readLine } from "./readiness.js"
import { request } from "./request.js"

const DEFAULT_PORT = 4_096
const DEFAULT_TIMEOUT_MS = 5_000
const DEFAULT_SHUTDOWN_MS = 10_000
/** After SIGKILL only the system can be slow. */
const KILL_MS = 1_000
/** How long the rest of stderr is waited for after it has ended. */
const STDERR_MS = 250
/** How much of what it writes to stderr is kept, in UTF-16 units. */
const STDERR_UNITS = 8_192

/** How a daemon is started. */
export interface LaunchOptions {
  /** Only `127.0.0.1` (also if left out) and `localhost`. */
  hostname?: string | undefined
  /** 4096 if left out; that port or none. 0 takes 4096, 4097 or any that is free. */
  port?: number | undefined
  /** Milliseconds until it must be ready; 5 000 if left out. */
  timeout?: number | undefined
  /** Milliseconds it is given to end before it is killed; 10 000 if left out. A daemon needs at most six seconds. */
  shutdownTimeout?: number | undefined
  /** `openscience`, looked for in PATH, if left out. */
  executablePath?: string | undefined
  /** Arguments before `serve`. */
  executableArgs?: readonly string[] | undefined
  /** Arguments after those of the launcher, such as `["--data-dir", "…"]`. */
  serveArgs?: readonly string[] | undefined
  /** Its working directory, which is the project of requests that select none. */
  cwd?: string | undefined
  /** Variables on top of those of this process; undefined removes one. */
  env?: Readonly<Record<string, string | undefined>> | undefined
  /** Configuration, as in `openscience.json`. */
  config?: Readonly<Record<string, unknown>> | undefined
  /** Bearer token it shall want; `OPENSCIENCE_AUTH_TOKEN` of its environment if left out. */
  token?: string | undefined
  logLevel?: "DEBUG" | "INFO" | "WARN" | "ERROR" | undefined
  /** Ends the daemon, before it is ready and after. */
  signal?: AbortSignal | undefined
}

/** How a process ended. */
export interface ServerExit {
  code: number | null
  signal: string | null
}

/** A daemon that this process started. It ends with this process, however that ends. */
export interface OpenScienceServer {
  /** Its address, without a slash at the end. */
  readonly url: string
  readonly pid: number
  readonly version: string
  /** The token it wants, if any. */
  readonly token: string | undefined
  /** Settles when it has ended, by itself or not. Never rejects. */
  readonly exited: Promise<ServerExit>
  /** The end of what it wrote to stderr. */
  stderr(): string
  /** @throws OpenScienceError if it does not answer. */
  health(signal?: AbortSignal): Promise<Health>
  /**
   * Asks it to end, kills it after `shutdownTimeout`, and waits until it is gone. Its runs end as interrupted. May be called
   * more than once.
   *
   * @throws OpenScienceServerError `not_ended` if even that did not end it.
   */
  close(): Promise<void>
  /** Ends it at once, as a crash would, and waits until it is gone. */
  kill(): Promise<void>
  /** This process may end before it; it then ends too. */
  unref(): void
  /** This process stays as long as it runs, which is so from the start. */
  ref(): void
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * Starts a daemon and waits until it answers.
 *
 * @throws RangeError for a port, host or time that cannot be; OpenScienceServerError if it does not come up, with the end of its
 * stderr; the reason of the signal if that was aborted. In all cases no process is left.
 */
export async function createOpenScienceServer(options: LaunchOptions = {}): Promise<OpenScienceServer> {
  const plan = checked(options)
  options.signal?.throwIfAborted()
  const child = new Child(plan)
  const stop = (): void => void child.end(plan.shutdownMs).catch(() => undefined)
  options.signal?.addEventListener("abort", stop, { once: true })
  child.exited.then(() => options.signal?.removeEventListener("abort", stop))
  try {
    const ready = await child.ready(plan, options.signal)
    return served(child, plan, ready)
  } catch (error) {
    await child.end(KILL_MS).catch(() => undefined)
    options.signal?.throwIfAborted()
    throw error
  }
}

interface Plan {
  command: string
  arguments: string[]
  cwd: string | undefined
  env: NodeJS.ProcessEnv
  token: string | undefined
  timeoutMs: number
  shutdownMs: number
}

function checked(options: LaunchOptions): Plan {
  const { hostname = "127.0.0.1", port = DEFAULT_PORT } = options
  if (hostname !== "127.0.0.1" && hostname !== "localhost") {
    throw new RangeError("hostname must be 127.0.0.1 or localhost: a daemon listens on this machine only")
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new RangeError("port must be a whole number from 0 to 65535")
  }
  const times = [options.timeout ?? DEFAULT_TIMEOUT_MS, options.shutdownTimeout ?? DEFAULT_SHUTDOWN_MS]
  if (!times.every((ms) => Number.isFinite(ms) && ms >= 0 && ms < 2 ** 31)) {
    throw new RangeError("timeout and shutdownTimeout must be milliseconds, 0 or more")
  }
  const env: NodeJS.ProcessEnv = { ...process.env, ...options.env }
  env["OPENSCIENCE_SERVER_READY_FORMAT"] = "json"
  if (options.config !== undefined || env["OPENSCIENCE_CONFIG_CONTENT"] === undefined) {
    env["OPENSCIENCE_CONFIG_CONTENT"] = JSON.stringify(options.config ?? {})
  }
  if (options.token !== undefined) {
    env["OPENSCIENCE_AUTH_TOKEN"] = options.token
  }
  const level = options.logLevel === undefined ? [] : ["--log-level", options.logLevel]
  const serve = ["serve", "--port", String(port), ...level, ...(options.serveArgs ?? [])]
  const [timeoutMs = 0, shutdownMs = 0] = times
  return {
    command: options.executablePath ?? "openscience",
    arguments: [...(options.executableArgs ?? []), ...serve],
    cwd: options.cwd,
    env,
    token: env["OPENSCIENCE_AUTH_TOKEN"] === "" ? undefined : env["OPENSCIENCE_AUTH_TOKEN"],
    timeoutMs,
    shutdownMs,
  }
}

function served(child: Child, plan: Plan, ready: Ready & { version: string; pid: number }): OpenScienceServer {
  return {
    url: ready.url,
    pid: ready.pid,
    version: ready.version,
    token: plan.token,
    exited: child.exited,
    stderr: () => child.stderr,
    health: (signal) => health(ready.url, plan.token, signal),
    close: () => child.end(plan.shutdownMs),
    kill: () => child.end(0),
    unref: () => child.keep(false),
    ref: () => child.keep(true),
    [asyncDispose]: () => child.end(plan.shutdownMs),
  } as OpenScienceServer
}

/** Node 20 has it; what runs this may be told otherwise by its types. */
const asyncDispose: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("nodejs.asyncDispose")

async function health(url: string, token: string | undefined, signal: AbortSignal | undefined): Promise<Health> {
  const connection = connect(
    { baseUrl: url, ...(token === undefined ? {} : { token }), retry: false },
    DEFAULT_TIMEOUT_MS,
  )
  const { data } = await request(connection, OPERATIONS["global.health"], {}, { signal })
  const { healthy, version } = (data ?? {}) as Partial<Health>
  if (healthy !== true || typeof version !== "string") {
    throw new OpenScienceProtocolError("it answers that it is not healthy")
  }
  return data as Health
}

/** The process, and what it said. */
class Child {
  readonly process: ChildProcess
  readonly exited: Promise<ServerExit>
  /** The end of what it wrote to stderr. */
  stderr = ""
  #hasEnded = false
  #failedToStart: Error | undefined
  #ending: Promise<void> | undefined
  /** What stands on stdout and was not taken yet; dropped once the daemon is ready. */
  #line: ((line: string) => void) | undefined

  constructor(plan: Plan) {
    this.process = spawn(plan.command, plan.arguments, {
      ...(plan.cwd === undefined ? {} : { cwd: plan.cwd }),
      env: plan.env,
      stdio: ["ignore", "pipe", "pipe"],
      windowsHide: true,
    })
    const letGo = guard(this.process)
    this.exited = new Promise((resolve) => {
      const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
        this.#hasEnded = true
        letGo()
        resolve({ code, signal })
      }
      this.process.once("error", (error) => {
        this.#failedToStart ??= error
        if (this.process.pid === undefined) {
          ended(null, null)
        }
      })
      // `close` comes after the last of stderr, which others may hold open.
      this.process.once("close", ended)
      this.process.once("exit", (code, signal) => setTimeout(ended, STDERR_MS, code, signal).unref())
    })
    this.#listen()
  }

  /** Whether this process stays as long as the daemon runs. */
  keep(stays: boolean): void {
    const word = stays ? "ref" : "unref"
    this.process[word]()
    for (const pipe of [this.process.stdout, this.process.stderr]) {
      // Pipes are sockets, which their types do not say.
      ;(pipe as unknown as Socket | null)?.[word]()
    }
  }

  #listen(): void {
    const { stdout, stderr } = this.process
    stderr?.setEncoding("utf8")
    stderr?.on("data", (text: string) => {
      this.stderr = (this.stderr + text).slice(-STDERR_UNITS)
    })
    stdout?.setEncoding("utf8")
    let open = ""
    stdout?.on("data", (text: string) => {
      if (this.#line === undefined) {
        return
      }
      const lines = (open + text).split("\n")
      open = lines.pop() ?? ""
      for (const line of lines) {
        this.#line?.(line.replace(/\r$/, ""))
      }
    })
  }

  /** Waits for the line that says where it listens, then for an answer there. */
  async ready(plan: Plan, signal: AbortSignal | undefined): Promise<Ready & { version: string; pid: number }> {
    const overall = new AbortController()
    const stop = (): void => overall.abort(signal?.reason)
    signal?.addEventListener("abort", stop, { once: true })
    const late = setTimeout(
      () => overall.abort(this.#failure("timeout", `it was not ready within ${plan.timeoutMs} ms`)),
      plan.timeoutMs,
    )
    const aborted = new Promise<never>((_, reject) => {
      overall.signal.addEventListener("abort", () => reject(overall.signal.reason), { once: true })
    })
    const gone = this.exited.then((exit) => {
      throw this.#early(exit, plan.command)
    })
    // Whoever loses the race below may still fail afterwards.
    aborted.catch(() => undefined)
    gone.catch(() => undefined)
    try {
      const said = await Promise.race([this.#said(), gone, aborted])
      const answer = this.#answering(said, plan, overall.signal)
      return { ...said, ...(await Promise.race([answer, gone, aborted])) }
    } finally {
      this.#line = undefined
      clearTimeout(late)
      signal?.removeEventListener("abort", stop)
    }
  }

  #said(): Promise<Ready> {
    return new Promise((resolve, reject) => {
      this.#line = (line) => {
        try {
          const said = readLine(line, this.process.pid)
          if (said !== undefined) {
            resolve(said)
          }
        } catch (error) {
          reject(this.#failure("not_understood", error instanceof Error ? error.message : String(error), error))
        }
      }
    })
  }

  async #answering(said: Ready, plan: Plan, signal: AbortSignal): Promise<{ version: string; pid: number }> {
    try {
      const { version } = await health(said.url, plan.token, signal)
      return { version, pid: said.pid ?? this.process.pid ?? 0 }
    } catch (error) {
      signal.throwIfAborted()
      throw this.#failure("not_understood", `it says that it is ready and does not answer: ${String(error)}`, error)
    }
  }

  /** Ends it: SIGTERM, after a grace SIGKILL. The first call says how long the grace is; 0 shortens it to nothing. */
  end(graceMs: number): Promise<void> {
    if (graceMs === 0) {
      this.process.kill("SIGKILL")
    }
    this.#ending ??= this.#end(graceMs)
    return this.#ending
  }

  async #end(graceMs: number): Promise<void> {
    if (this.#hasEnded) {
      return
    }
    this.process.kill(graceMs === 0 ? "SIGKILL" : "SIGTERM")
    if (graceMs > 0 && (await this.#endsWithin(graceMs))) {
      return
    }
    this.process.kill("SIGKILL")
    if (!(await this.#endsWithin(Math.max(graceMs, KILL_MS)))) {
      throw this.#failure("not_ended", "it did not end although it was killed")
    }
  }

  async #endsWithin(ms: number): Promise<boolean> {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(() => resolve(false), ms)
    })
    try {
      return await Promise.race([this.exited.then(() => true as const), late])
    } finally {
      clearTimeout(timer)
    }
  }

  #early(exit: ServerExit, command: string): OpenScienceServerError {
    if (this.#failedToStart !== undefined && exit.code === null && exit.signal === null) {
      return this.#failure(
        "not_started",
        `${command} could not be run: ${this.#failedToStart.message}`,
        this.#failedToStart,
      )
    }
    const how = exit.signal === null ? `status ${exit.code}` : exit.signal
    return this.#failure("exited", `it ended with ${how} before it was ready`)
  }

  #failure(failure: ServerFailure, message: string, cause?: unknown): OpenScienceServerError {
    const tail = this.stderr.trim()
    const whole = tail === "" ? message : `${message}\n${tail}`
    const options = cause === undefined ? undefined : { cause }
    return new OpenScienceServerError(failure, whole, this.stderr, failureCode(this.stderr), options)
  }
}
