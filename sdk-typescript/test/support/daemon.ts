/** Daemons for tests: each with a project, a data directory and a configuration of its own. */

import assert from "node:assert/strict"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

import { type LaunchOptions, type OpenScience, createOpenScience } from "@openscience/sdk/server"

/** The program under test. */
export function binary(): string {
  const path =
    process.env["OPENSCIENCE_BINARY"] ?? fileURLToPath(new URL("../../../../target/debug/openscience", import.meta.url))
  assert.ok(existsSync(path), `${path} is not there: build the daemon, or name one in OPENSCIENCE_BINARY`)
  return path
}

/** A folder that is removed afterwards. */
export interface World extends AsyncDisposable {
  root: string
  project: string
  /** Options that start a daemon here. */
  launch(options?: LaunchOptions): LaunchOptions
}

export async function world(name = "project"): Promise<World> {
  const root = await realpath(await mkdtemp(join(tmpdir(), "openscience-sdk-")))
  const project = join(root, name)
  await mkdir(project)
  return {
    root,
    project,
    launch: (options = {}) => ({
      executablePath: binary(),
      port: 0,
      cwd: project,
      serveArgs: ["--data-dir", join(root, "data")],
      // A loaded machine is slow and still works.
      timeout: 30_000,
      ...options,
      env: {
        OPENSCIENCE_CONFIG_DIR: join(root, "config"),
        OPENSCIENCE_AUTH_TOKEN: undefined,
        OPENSCIENCE_DATA_DIR: undefined,
        ...options.env,
      },
    }),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true, maxRetries: 5 }),
  }
}

/** A daemon, its world, and how to speak to it. */
export interface Daemon extends OpenScience {
  world: World
  port: number
  /** Ends it as a crash would and starts another on the same data and port. */
  restart(): Promise<OpenScience>
  stop(): Promise<void>
}

export async function daemon(options: LaunchOptions = {}): Promise<Daemon> {
  const place = await world()
  const first = await createOpenScience(place.launch(options))
  const port = Number(new URL(first.server.url).port)
  const all = [first]
  return {
    ...first,
    world: place,
    port,
    restart: async () => {
      await all.at(-1)?.server.kill()
      const next = await createOpenScience(place.launch({ ...options, port }))
      all.push(next)
      return next
    },
    stop: async () => {
      await all.at(-1)?.server.kill()
      await place[Symbol.asyncDispose]()
    },
  }
}

/** Waits for a condition of the world outside this process. */
export async function until<Value>(what: string, look: () => Promise<Value | undefined | false>): Promise<Value> {
  const deadline = Date.now() + 30_000
  for (;;) {
    const found = await look()
    if (found !== undefined && found !== false) {
      return found
    }
    assert.ok(Date.now() < deadline, `waited too long for ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
