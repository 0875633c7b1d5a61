/** Daemons that are started by the package: ready, refused, ended, and never left behind. */

import assert from "node:assert/strict"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { after, test } from "node:test"
import { fileURLToPath } from "node:url"

import {
  type LaunchOptions,
  OpenScienceServerError,
  type ServerFailure,
  createOpenScience,
  createOpenScienceServer,
} from "@openscience/sdk/server"

import { until, world } from "./support/daemon.js"

const folder = await mkdtemp(join(tmpdir(), "openscience-sdk-server-"))
after(() => rm(folder, { recursive: true, force: true }))

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // A process that has ended is still there until its new parent looks.
    return process.platform !== "linux" || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"))
  } catch {
    return false
  }
}

let programs = 0

/** A program in the place of a daemon. */
async function program(source: string): Promise<LaunchOptions> {
  const path = join(folder, `program-${(programs += 1)}.mjs`)
  await writeFile(
    path,
    `#!${process.execPath}\nimport { appendFileSync } from "node:fs"\nappendFileSync(${JSON.stringify(`${path}.pid`)}, String(process.pid));\n${source}\n`,
  )
  await chmod(path, 0o755)
  return { executablePath: path, timeout: 20_000 }
}

/** The process that a program was. */
async function pidOf(options: LaunchOptions): Promise<number> {
  return Number(await readFile(`${options.executablePath}.pid`, "utf8"))
}

const READY = `(url, more = {}) => console.log(JSON.stringify({ type: "server.ready", schemaVersion: 1, url, pid: process.pid, version: "1", ...more }))`

/** A program that is ready, answers `health` like that, and does `more`. */
function answering(health: string, more = ""): Promise<LaunchOptions> {
  return program(`
    import { createServer } from "node:http"
    const ready = ${READY}
    const server = createServer((request, response) => { ${health} })
    server.listen(0, "127.0.0.1", () => ready("http://127.0.0.1:" + server.address().port))
    ${more}`)
}

const HEALTHY = `response.setHeader("content-type", "application/json"); response.end('{"healthy":true,"version":"9.9.9"}')`

async function fails(
  options: LaunchOptions,
  failure: ServerFailure,
  check: (error: OpenScienceServerError) => void = () => undefined,
): Promise<void> {
  await assert.rejects(createOpenScienceServer(options), (error) => {
    assert.ok(error instanceof OpenScienceServerError, String(error))
    assert.equal(error.failure, failure, error.message)
    check(error)
    return true
  })
}

test("a daemon is started, answers, and is gone after close", async () => {
  await using place = await world()
  const { server, client } = await createOpenScience(place.launch())
  assert.ok(isAlive(server.pid))
  assert.equal((await server.health()).version, server.version)
  const { data } = await client.project.current({}, { throwOnError: true })
  assert.equal(data.worktree, place.project)
  await Promise.all([server.close(), server.close()])
  assert.ok(!isAlive(server.pid))
  assert.deepEqual(await server.exited, { code: 0, signal: null })
  await assert.rejects(server.health())
  await server.close()
  await server.kill()
})

test("arguments, directory, environment, configuration and token reach the daemon", async () => {
  const dump = join(folder, "dump.json")
  const options = await answering(
    HEALTHY,
    `
    const { OPENSCIENCE_SERVER_READY_FORMAT: format, OPENSCIENCE_CONFIG_CONTENT: config, OPENSCIENCE_AUTH_TOKEN: token, MINE: mine, GONE: gone } = process.env
    appendFileSync(${JSON.stringify(dump)}, JSON.stringify({ arguments: process.argv.slice(2), cwd: process.cwd(), format, config, token, mine, gone }))`,
  )
  process.env["GONE"] = "x"
  const server = await createOpenScienceServer({
    ...options,
    executableArgs: ["first"],
    serveArgs: ["--cors", "https://a.test"],
    port: 5_000,
    logLevel: "DEBUG",
    cwd: folder,
    config: { defaultAgent: "sim" },
    token: "secret",
    env: { MINE: "1", GONE: undefined },
  })
  await server.close()
  assert.equal(server.token, "secret")
  assert.deepEqual(JSON.parse(await readFile(dump, "utf8")), {
    arguments: ["first", "serve", "--port", "5000", "--log-level", "DEBUG", "--cors", "https://a.test"],
    cwd: await realpath(folder),
    format: "json",
    config: '{"defaultAgent":"sim"}',
    token: "secret",
    mine: "1",
  })
})

test("without a configuration an empty one is given, and port 4096 is asked for", async () => {
  const dump = join(folder, "dump-2.json")
  const options = await answering(
    HEALTHY,
    `appendFileSync(${JSON.stringify(dump)}, JSON.stringify([process.argv.slice(2), process.env.OPENSCIENCE_CONFIG_CONTENT]))`,
  )
  await (await createOpenScienceServer({ ...options, env: { OPENSCIENCE_CONFIG_CONTENT: undefined } })).close()
  assert.deepEqual(JSON.parse(await readFile(dump, "utf8")), [["serve", "--port", "4096"], "{}"])
})

test("health is asked for with the token", async () => {
  const options = await answering(
    `if (request.headers.authorization !== "Bearer secret") { response.statusCode = 401; response.end("{}") } else { ${HEALTHY} }`,
  )
  await (await createOpenScienceServer({ ...options, token: "secret" })).close()
  await fails(options, "not_understood")
})

test("a daemon that says in text where it listens is understood", async () => {
  const options = await program(`
    import { createServer } from "node:http"
    const server = createServer((request, response) => { ${HEALTHY} })
    server.listen(0, "127.0.0.1", () => process.stdout.write("some line\\nopenscience server listening on http://localhost:" + server.address().port + "\\n"))`)
  const server = await createOpenScienceServer(options)
  assert.equal(server.version, "9.9.9")
  await server.close()
})

test("the line may come in pieces and after others", async () => {
  const options = await answering(HEALTHY, `process.stdout.write('{"type":"something.else"}\\n\\nnoise\\n')`)
  await (await createOpenScienceServer(options)).close()
})

test("what cannot be is refused before anything is started", async () => {
  for (const options of [
    { port: -1 },
    { port: 1.5 },
    { port: 65_536 },
    { hostname: "0.0.0.0" },
    { timeout: -1 },
    { shutdownTimeout: Number.NaN },
  ]) {
    await assert.rejects(createOpenScienceServer({ executablePath: "/nothing/there", ...options }), RangeError)
  }
})

test("a program that is not there is told", async () => {
  await fails({ executablePath: join(folder, "missing") }, "not_started", (error) =>
    assert.match(error.message, /ENOENT/),
  )
})

test("a daemon that ends at once is told with its reason and the end of its stderr", async () => {
  await using place = await world()
  const other = createServer().listen(0, "127.0.0.1")
  await once(other, "listening")
  const { port } = other.address() as AddressInfo
  await fails(place.launch({ port }), "exited", (error) => {
    assert.equal(error.code, "port_in_use")
    assert.match(error.message, new RegExp(String(port)))
  })
  other.close()
  const long = await program(`process.stderr.write("x".repeat(20_000) + "the end"); process.exitCode = 3`)
  await fails(long, "exited", (error) => {
    assert.match(error.message, /status 3/)
    assert.equal(error.stderr.length, 8_192)
    assert.match(error.stderr, /the end$/)
  })
})

test("a daemon that is never ready, never healthy or not ours is told and ended", async () => {
  const bad: [LaunchOptions, ServerFailure][] = [
    [{ ...(await program("setInterval(() => {}, 1000)")), timeout: 2_000 }, "timeout"],
    [{ ...(await answering("")), timeout: 2_000 }, "timeout"],
    [await answering(`response.statusCode = 500; response.end("{}")`), "not_understood"],
    [await answering(`response.end("<html>")`), "not_understood"],
    [
      await answering(
        `response.setHeader("content-type", "application/json"); response.end('{"healthy":false,"version":"1"}')`,
      ),
      "not_understood",
    ],
    [
      await answering(`response.statusCode = 302; response.setHeader("location", "/x"); response.end()`),
      "not_understood",
    ],
    [await program(`(${READY})("http://127.0.0.1:1", { pid: 1 }); setInterval(() => {}, 1000)`), "not_understood"],
    [await program(`(${READY})("http://example.com:1"); setInterval(() => {}, 1000)`), "not_understood"],
    [await program(`console.log("{ no JSON"); setInterval(() => {}, 1000)`), "not_understood"],
  ]
  await Promise.all(
    bad.map(async ([options, failure]) => {
      await fails(options, failure)
      // On a busy machine it may be ended before it has written down its number.
      const pid = await pidOf(options).catch(() => undefined)
      assert.ok(pid === undefined || !isAlive(pid), "nothing is left running")
    }),
  )
})

test("a daemon that does not end is killed after its grace", async () => {
  const server = await createOpenScienceServer({
    ...(await answering(HEALTHY, `process.on("SIGTERM", () => {})`)),
    shutdownTimeout: 100,
  })
  await server.close()
  assert.deepEqual(await server.exited, { code: null, signal: "SIGKILL" })
  assert.ok(!isAlive(server.pid))
})

test("a kill does not wait for the grace of a close that is under way", async () => {
  const server = await createOpenScienceServer({
    ...(await answering(HEALTHY, `process.on("SIGTERM", () => {})`)),
    shutdownTimeout: 60_000,
  })
  const closing = server.close()
  await server.kill()
  await closing
  assert.equal((await server.exited).signal, "SIGKILL")
})

test("a signal that is aborted ends the daemon before, during and after its start", async () => {
  const options = await program("setInterval(() => {}, 1000)")
  await assert.rejects(
    createOpenScienceServer({ ...options, signal: AbortSignal.abort(new Error("before")) }),
    /before/,
  )
  await assert.rejects(readFile(`${options.executablePath}.pid`), "it was not even started")

  const during = new AbortController()
  const starting = createOpenScienceServer({ ...options, signal: during.signal })
  await until("the program", async () => (await pidOf(options).catch(() => 0)) > 0)
  during.abort(new Error("during"))
  await assert.rejects(starting, /during/)
  assert.ok(!isAlive(await pidOf(options)))

  await using place = await world()
  const later = new AbortController()
  const server = await createOpenScienceServer(place.launch({ signal: later.signal }))
  later.abort()
  assert.equal((await server.exited).code, 0)
})

test("a daemon that ends by itself is told", async () => {
  const server = await createOpenScienceServer(
    await answering(HEALTHY, `setTimeout(() => { console.error("tired"); process.exit(4) }, 300)`),
  )
  assert.deepEqual(await server.exited, { code: 4, signal: null })
  assert.match(server.stderr(), /tired/)
})

/** Starts the program that starts a daemon. */
async function parent(how: string, launch: LaunchOptions): Promise<{ parent: ChildProcess; pid: number }> {
  const path = fileURLToPath(new URL("support/orphan.js", import.meta.url))
  const { env, ...rest } = launch
  // What is undefined does not survive JSON.
  const environment = { ...process.env, ...env }
  const started = spawn(process.execPath, [path, how, JSON.stringify(rest)], {
    env: environment,
    stdio: ["ignore", "pipe", "ignore"],
  })
  const [line] = (await once(started.stdout, "data")) as [Buffer]
  return { parent: started, pid: (JSON.parse(line.toString()) as { pid: number }).pid }
}

for (const how of ["return", "exit", "throw", "SIGTERM", "SIGINT", "SIGHUP", "SIGKILL"] as const) {
  test(`no daemon is left when its parent ends by ${how}`, async () => {
    await using place = await world()
    const isSignal = how.startsWith("SIG")
    const { parent: started, pid } = await parent(isSignal ? "stay" : how, place.launch())
    const ended = started.exitCode === null && started.signalCode === null ? once(started, "exit") : Promise.resolve()
    if (isSignal) {
      assert.ok(isAlive(pid), "it runs as long as its parent")
      started.kill(how as NodeJS.Signals)
    }
    await ended
    assert.deepEqual(
      { code: started.exitCode, signal: started.signalCode },
      { code: { return: 0, exit: 7, throw: 1 }[how as string] ?? null, signal: isSignal ? how : null },
      "the parent ends as it would without a daemon",
    )
    await until("the daemon to end", async () => !isAlive(pid))
  })
}
