/** Does the package hold what the OpenAPI document says, and would it follow another document? */

import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { test } from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"

import * as sdk from "@openscience/sdk"

import { fake, json, stream } from "./support/fake.js"

const run = promisify(execFile)
const PACKAGE = fileURLToPath(new URL("../../", import.meta.url))
const REPOSITORY = join(PACKAGE, "..")

interface Schema {
  type?: string
  enum?: string[]
}
interface Operation {
  operationId: string
  parameters?: { in: string; name: string }[]
}
interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

async function document(): Promise<Document> {
  return JSON.parse(await readFile(join(REPOSITORY, "openapi/openscience.json"), "utf8")) as Document
}

test("the package has the version of the interface, and its lockfile names no registry", async () => {
  const { version } = JSON.parse(await readFile(join(PACKAGE, "package.json"), "utf8")) as { version: string }
  assert.equal(version, ((await document()) as unknown as { info: { version: string } }).info.version)
  const lockfile = await readFile(join(PACKAGE, "package-lock.json"), "utf8")
  assert.doesNotMatch(lockfile, /"resolved"/)
  assert.equal((JSON.parse(lockfile) as { version: string }).version, version)
})

test("what was generated is what the document says now", async () => {
  await run(process.execPath, ["scripts/generate.mjs", "--check"], { cwd: PACKAGE })
})

test("every operation of the document is reachable by its id and is sent to its place", async () => {
  const { paths } = await document()
  const { fetch, asked } = fake(() => json({}))
  const client = sdk.createOpenScienceClient({ baseUrl: "http://127.0.0.1:1", fetch }) as unknown as Record<
    string,
    unknown
  >
  let count = 0
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      const call = operation.operationId
        .split(".")
        .reduce<unknown>((at, word) => (at as Record<string, unknown>)[word], client)
      assert.equal(typeof call, "function", operation.operationId)
      const entry = (sdk.OPERATIONS as Record<string, sdk.OperationEntry>)[operation.operationId]
      const input = Object.fromEntries(Object.keys(entry?.paths ?? {}).map((name) => [name, "x"]))
      const made = (call as (input: object) => unknown)(input)
      await (made instanceof sdk.EventStream ? made.next().catch(() => undefined) : made)
      const sent = asked.at(-1)
      assert.equal(
        `${sent?.method} ${sent?.url.pathname}`,
        `${method.toUpperCase()} ${path.replaceAll(/\{[^}]+\}/g, "x")}`,
      )
      count += 1
      assert.equal(asked.length, count, operation.operationId)
      // Every parameter has a place in the input, or is an option of the client.
      const known = [entry?.paths, entry?.queries, entry?.headers].flatMap((names) => Object.values(names ?? {}))
      for (const { name } of operation.parameters ?? []) {
        assert.ok(
          known.includes(name) || /^(directory|project|projectID|x-openscience-(directory|project))$/.test(name),
          `${operation.operationId}: ${name}`,
        )
      }
    }
  }
  assert.equal(count, Object.keys(sdk.OPERATIONS).length)
})

test("every enumeration of the document is a constant, and the words we know by hand are among them", async () => {
  const { schemas } = (await document()).components
  const constants = Object.values(sdk as Record<string, unknown>).filter((value): value is readonly string[] =>
    Array.isArray(value),
  )
  const sorted = (words: readonly string[]): string => JSON.stringify(words)
  const known = new Set(constants.map(sorted))
  for (const [name, schema] of Object.entries(schemas)) {
    if (schema.type === "string" && schema.enum !== undefined) {
      assert.ok(known.has(sorted(schema.enum)), name)
    }
  }
  assert.deepEqual(sdk.RUN_STATES, schemas["RunState"]?.enum)
  assert.deepEqual(sdk.EVENT_KINDS, schemas["EventKind"]?.enum)
  assert.deepEqual(sdk.PERMISSION_REPLIES, schemas["PermissionReply"]?.enum)
  assert.ok(sdk.FINAL_RUN_STATES.every((state) => sdk.RUN_STATES.includes(state)))
})

test("the words of the tables of the documents are constants", async () => {
  const page = (name: string): Promise<string> => readFile(join(REPOSITORY, "docs", name), "utf8")
  const [errors, api] = [await page("errors.md"), await page("api.md")]
  for (const [words, text] of [
    [sdk.ERROR_CODES, errors],
    [sdk.RUN_ERROR_CODES, errors],
    [sdk.START_ERROR_CODES, errors],
    [sdk.EVENT_TYPES, api],
  ] as const) {
    assert.ok(words.length > 10)
    assert.ok(words.every((word) => text.includes(`\`${word}\``)))
  }
  const codes: readonly string[] = sdk.ERROR_CODES
  for (const code of ["cursor_expired", "cursor_ahead", "request_conflict", "decision_expired", "unauthorized"]) {
    assert.ok(codes.includes(code), code)
  }
  assert.ok((sdk.START_ERROR_CODES as readonly string[]).includes("port_in_use"))
  assert.ok(sdk.FINAL_EVENT_TYPES.every((type) => sdk.EVENT_TYPES.includes(type)))
})

test("the events whose properties are typed here are among those the daemon tells", async () => {
  const source = await readFile(join(PACKAGE, "src/event.ts"), "utf8")
  const names = [...source.matchAll(/^ {2}"([a-z.]+)":/gm)].map(([, name]) => name ?? "")
  assert.ok(names.length > 10)
  const unknown = names.filter((name) => !(sdk.EVENT_TYPES as readonly string[]).includes(name))
  assert.deepEqual(unknown, [])
})

/** The document with operations of every kind that others may add. */
async function doctored(): Promise<Document> {
  const changed = await document()
  const text = (type: string): object => ({
    "200": { description: "It.", content: { [type]: { schema: { type: "string" } } } },
  })
  const given = (schema: object): object => ({
    "200": { description: "It.", content: { "application/json": { schema } } },
  })
  const path = (name: string): object => ({ name, in: "path", required: true, schema: { type: "string" } })
  const query = (name: string, required = false): object => ({
    name,
    in: "query",
    required,
    schema: { type: "string" },
  })
  const header = (name: string): object => ({ name, in: "header", required: false, schema: { type: "string" } })
  const body = (schema: object, required = true): object => ({ required, content: { "application/json": { schema } } })
  const object = (properties: Record<string, string>): object => ({
    type: "object",
    required: Object.keys(properties),
    properties: Object.fromEntries(Object.entries(properties).map(([name, type]) => [name, { type }])),
  })
  const session = { $ref: "#/components/schemas/Session" }
  Object.assign(changed.components.schemas, {
    DemoKind: { type: "string", enum: ["threads", "diffs"], description: "What is read." },
    // Names that this package has a meaning for already.
    EventStream: { type: "object", properties: { x: { type: "string" } } },
    Success: { type: "object", properties: { y: { type: "string" } } },
  })
  Object.assign(changed.paths, {
    "/demo/{id}/fork": {
      post: {
        operationId: "demo.fork",
        summary: "Fork.",
        parameters: [path("id")],
        requestBody: body(object({ messageID: "string" }), false),
        responses: given(session),
      },
    },
    "/demo/{id}/agent/config": {
      post: {
        operationId: "demo.agent.config",
        parameters: [path("id")],
        requestBody: body(object({ id: "string", value: "string" })),
        responses: given({ type: "boolean" }),
      },
    },
    "/demo/{id}/agent": {
      get: {
        operationId: "demo.agent",
        parameters: [path("id")],
        responses: given({ $ref: "#/components/schemas/Agent" }),
      },
    },
    "/demo/{id}/clash": {
      post: {
        operationId: "demo.clash",
        parameters: [path("id"), query("limit")],
        requestBody: body(object({ demoID: "string" })),
        responses: given({ type: "boolean" }),
      },
    },
    "/demo/{id}/list": {
      post: {
        operationId: "demo.put",
        parameters: [path("id")],
        requestBody: body({ type: "array", items: { type: "string" } }),
        responses: { "204": { description: "Done." } },
      },
    },
    "/demo/{id}/state/events": {
      get: {
        operationId: "demo.state.events",
        parameters: [path("id"), header("Last-Event-ID")],
        responses: {
          "200": {
            description: "It.",
            content: { "text/event-stream": { schema: { $ref: "#/components/schemas/EventStream" } } },
          },
        },
      },
    },
    "/demo/{id}/state/terminals/{tid}/wait": {
      post: {
        operationId: "demo.state.name",
        parameters: [path("id"), path("tid")],
        responses: given({ type: "integer" }),
      },
    },
    "/demo/upload": {
      post: {
        operationId: "demo.upload",
        parameters: [query("filename", true), query("mime")],
        requestBody: {
          required: true,
          content: { "application/octet-stream": { schema: { type: "string", format: "binary" } } },
        },
        responses: given(object({ url: "string" })),
      },
    },
    "/demo/{id}/raw": {
      get: {
        operationId: "demo.raw",
        parameters: [path("id"), header("Range")],
        responses: {
          ...text("application/octet-stream"),
          ...{ "206": { description: "A part.", content: { "image/png": {} } } },
        },
      },
    },
    "/demo/artifact-store/{id}": {
      delete: { operationId: "demo.remove", parameters: [path("id")], responses: { "204": { description: "Gone." } } },
    },
    "/demo/compute/jobs/{id}/log": {
      get: { operationId: "demo.compute.jobs.log", parameters: [path("id")], responses: text("text/plain") },
    },
  })
  return changed
}

/** Uses all of it, as a program would: what is wrong here does not compile. */
const USAGE = `
import { type Session, type Agent, type EventStream as Theirs, DEMO_KINDS, createOpenScienceClient, EventStream, RUN_STATES } from "./src/index.js"
const client = createOpenScienceClient({ throwOnError: true, fetch: (globalThis as any).prepared })
const strict = { throwOnError: true } as const
const forked: Session = (await client.demo.fork({ demoID: "s" }, strict)).data
await client.demo.fork({ demoID: "s", messageID: "m" })
const agent: Agent = (await client.demo.agent({ demoID: "s" }, strict)).data
const set: boolean = (await client.demo.agent.config({ demoID: "s", id: "model", value: "x" }, strict)).data
await client.demo.clash({ demoID: "s", limit: "1", body: { demoID: "t" } })
const nothing: undefined = (await client.demo.put({ demoID: "s", body: ["a"] }, strict)).data
for await (const frame of client.demo.state.events({ demoID: "s", lastEventID: "4" })) { const typed: string | undefined = frame.data.x; void typed }
const exit: number = (await client.demo.state.name({ demoID: "s", tid: "t" }, strict)).data
const { url } = (await client.demo.upload({ filename: "ü.bin", body: new Uint8Array([1, 2]) }, strict)).data
const raw: Response = (await client.demo.raw({ demoID: "a", range: "bytes=0-" }, strict)).data
await client.demo.remove({ artifactStoreID: "a" })
const log: string = (await client.demo.compute.jobs.log({ jobsID: "j" }, strict)).data
const kind: "threads" | "diffs" = DEMO_KINDS[0]
// @ts-expect-error a member that the body must have is missing
void (() => client.demo.agent.config({ demoID: "s", id: "model" }))
// @ts-expect-error a required query parameter is missing
void (() => client.demo.upload({ body: "x" }))
// Names of ours win over those of the document.
const ours: typeof EventStream<number> = EventStream
export { forked, agent, set, nothing, exit, url, raw, log, kind, ours, RUN_STATES, type Theirs }
export const text = await raw.text()
`

test("another document is followed by generating anew, with nothing written by hand", async () => {
  const folder = await mkdtemp(join(tmpdir(), "openscience-sdk-document-"))
  try {
    await cp(join(PACKAGE, "src"), join(folder, "src"), { recursive: true })
    await symlink(join(PACKAGE, "node_modules"), join(folder, "node_modules"), "dir")
    await writeFile(join(folder, "package.json"), '{ "type": "module" }')
    await writeFile(join(folder, "document.json"), JSON.stringify(await doctored()))
    const generate = ["scripts/generate.mjs", "--document", join(folder, "document.json")]
    await run(process.execPath, [...generate, "--out", join(folder, "src/generated")], { cwd: PACKAGE })
    await assert.rejects(run(process.execPath, [...generate, "--check"], { cwd: PACKAGE }), /npm run generate/)
    await writeFile(join(folder, "usage.ts"), USAGE)
    const { compilerOptions } = JSON.parse(await readFile(join(PACKAGE, "tsconfig.json"), "utf8")) as {
      compilerOptions: object
    }
    const options = {
      ...compilerOptions,
      rootDir: ".",
      outDir: "out",
      types: [],
      declaration: false,
      declarationMap: false,
      sourceMap: false,
    }
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: ["usage.ts"] }))
    await mkdir(join(folder, "out"))
    await writeFile(join(folder, "out/package.json"), '{ "type": "module" }')
    const compiled = run(process.execPath, [join(PACKAGE, "node_modules/typescript/bin/tsc"), "-p", folder])
    await compiled.catch((error: { stdout: string }) => assert.fail(error.stdout))

    const { fetch, asked } = fake((one) => {
      if (one.url.pathname.endsWith("/events")) {
        return stream(['id: 5\ndata: {"revision":1}\n\n'])
      }
      return one.url.pathname.endsWith("/raw")
        ? new Response("raw bytes", { status: 206 })
        : one.method === "DELETE" || one.url.pathname.endsWith("/list")
          ? new Response(null, { status: 204 })
          : json({ url: "upload:1" })
    })
    Object.assign(globalThis, { prepared: fetch })
    const usage = (await import(pathToFileURL(join(folder, "out/usage.js")).href)) as { text: string; url: string }
    assert.equal(usage.text, "raw bytes")
    assert.equal(usage.url, "upload:1")
    assert.deepEqual(
      asked.map((one) => [`${one.method} ${one.url.pathname}${one.url.search}`, one.body]),
      [
        ["POST /demo/s/fork", undefined],
        ["POST /demo/s/fork", { messageID: "m" }],
        ["GET /demo/s/agent", undefined],
        ["POST /demo/s/agent/config", { id: "model", value: "x" }],
        ["POST /demo/s/clash?limit=1", { demoID: "t" }],
        ["POST /demo/s/list", ["a"]],
        ["GET /demo/s/state/events", undefined],
        ["POST /demo/s/state/terminals/t/wait", undefined],
        ["POST /demo/upload?filename=%C3%BC.bin", Uint8Array.of(1, 2)],
        ["GET /demo/a/raw", undefined],
        ["DELETE /demo/artifact-store/a", undefined],
        ["GET /demo/compute/jobs/j/log", undefined],
      ],
    )
    const sent = (path: string, name: string): string | null | undefined =>
      asked.find((one) => one.url.pathname === path)?.headers.get(name)
    assert.equal(sent("/demo/s/state/events", "last-event-id"), "4")
    assert.equal(sent("/demo/a/raw", "range"), "bytes=0-")
    assert.equal(sent("/demo/upload", "content-type"), "application/octet-stream")
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
