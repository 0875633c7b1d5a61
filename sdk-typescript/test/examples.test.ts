/** Programs of the documents and of examples/, run as they stand; and what browsers get. */

import assert from "node:assert/strict"
import { execFile } from "node:child_process"
import { mkdir, readFile, readdir } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { after, before, test } from "node:test"
import { fileURLToPath, pathToFileURL } from "node:url"
import { promisify } from "node:util"

import { type Daemon, binary, daemon } from "./support/daemon.js"

const run = promisify(execFile)
const BUILD = fileURLToPath(new URL("../", import.meta.url))
const DIST = resolve(BUILD, "../dist")

let it: Daemon

before(async () => {
  it = await daemon()
})
after(() => it?.stop())

/** What a program prints; it must succeed and say nothing on stderr. */
async function printed(path: string, options: { cwd?: string; arguments?: string[] } = {}): Promise<string> {
  const env = {
    ...process.env,
    OPENSCIENCE_URL: it.server.url,
    OPENSCIENCE_DIRECTORY: it.world.project,
    OPENSCIENCE_CONFIG_DIR: join(it.world.root, "config"),
    OPENSCIENCE_BINARY: binary(),
  }
  const { stdout, stderr } = await run(process.execPath, [path, ...(options.arguments ?? [])], {
    env,
    cwd: options.cwd ?? it.world.project,
    timeout: 50_000,
  })
  assert.equal(stderr, "", path)
  return stdout
}

const example = (name: string): string => join(BUILD, `examples/${name}.js`)

test("the quickstart prints the answer as it comes", async () => {
  assert.match(await printed(example("quickstart"), { arguments: ["say 5 10"] }), /w1 w2 w3 w4 w5\ncompleted\n$/)
})

test("the example that decides allows what it knows and rejects the rest", async () => {
  const output = await printed(example("decide"))
  assert.match(output, /^make: once \(resolved\)$/m)
  assert.match(output, /^curl: reject \(resolved\)$/m)
  assert.match(output, /completed\n$/)
})

test("the example with a daemon of its own ends it", async () => {
  const cwd = join(it.world.root, "own")
  await mkdir(cwd)
  const output = await printed(example("own-server"), {
    cwd,
    arguments: ["--data-dir", join(it.world.root, "own-data")],
  })
  assert.match(output, /^openscience \d+\.\d+\.\d+.*\nw1 w2 w3\n$/)
})

test("every example has a test", async () => {
  assert.deepEqual((await readdir(join(BUILD, "examples"))).filter((name) => name.endsWith(".js")).sort(), [
    "decide.js",
    "own-server.js",
    "quickstart.js",
  ])
})

const snippets = (await readdir(join(BUILD, "snippets"))).filter((name) => name.endsWith(".run.js"))

test("the documents have programs to run", () => {
  assert.ok(snippets.filter((name) => name.startsWith("guide")).length >= 5)
  assert.ok(snippets.some((name) => name.startsWith("readme")))
})

for (const name of snippets) {
  test(`the program ${name} of the documents works when pasted`, async () => {
    assert.notEqual(await printed(join(BUILD, "snippets", name)), "", "it prints something")
  })
}

/** The modules that one imports, with those that they import. */
async function reached(path: string, seen = new Map<string, string[]>()): Promise<Map<string, string[]>> {
  const text = await readFile(path, "utf8")
  const imports = [...text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g)].map(([, target]) => target ?? "")
  seen.set(path, imports)
  for (const target of imports.filter((one) => one.startsWith("."))) {
    const next = resolve(dirname(path), target)
    if (!seen.has(next)) {
      await reached(next, seen)
    }
  }
  return seen
}

test("what browsers import reaches no module of Node and no other package", async () => {
  const modules = await reached(join(DIST, "index.js"))
  assert.ok(modules.size > 10)
  for (const [path, imports] of modules) {
    assert.deepEqual(
      imports.filter((target) => !target.startsWith(".")),
      [],
      path,
    )
    const text = await readFile(path, "utf8")
    assert.doesNotMatch(text, /\bprocess\.|\bBuffer\b|\brequire\(/, path)
  }
  assert.ok(!modules.has(join(DIST, "launch.js")))
  const server = await reached(join(DIST, "server.js"))
  assert.ok([...server.values()].flat().includes("node:child_process"), "the search would have found it")
})

test("what browsers import works with nothing but what browsers have", async () => {
  // In a world of its own, which has the names below and those of the language, and no others.
  const program = `
    import { readFile } from "node:fs/promises"
    import vm from "node:vm"
    const names = ["fetch", "Headers", "Response", "URL", "URLSearchParams", "TextDecoder", "AbortController", "ReadableStream",
      "setTimeout", "clearTimeout"]
    const lines = []
    const context = vm.createContext({ ...Object.fromEntries(names.map((name) => [name, globalThis[name]])), say: (line) => lines.push(line) })
    const modules = new Map()
    const load = async (specifier, from) => {
      const url = new URL(specifier, from)
      if (!modules.has(url.href)) {
        modules.set(url.href, new vm.SourceTextModule(await readFile(url, "utf8"), { context, identifier: url.href }))
      }
      return modules.get(url.href)
    }
    const main = new vm.SourceTextModule(\`
      import { createOpenScienceRuntime, createOpenScienceClient } from "./index.js"
      const connection = { baseUrl: ${JSON.stringify(it.server.url)}, directory: "/tmp" }
      const session = await createOpenScienceClient(connection).session.create({}, { throwOnError: true })
      const runtime = createOpenScienceRuntime(connection)
      await runtime.prompt({ sessionID: session.data.id, requestID: "k", effort: "normal", message: "say 2" })
      for await (const event of runtime.events({ sessionID: session.data.id })) {
        if (event.type === "runtime.completed") break
      }
      say(typeof process + " done")\`, { context, identifier: ${JSON.stringify(`${pathToFileURL(DIST).href}/main.js`)} })
    await main.link((specifier, from) => load(specifier, from.identifier))
    await main.evaluate()
    console.log(lines.join())`
  const flags = ["--experimental-vm-modules", "--no-warnings", "--input-type=module", "-e", program]
  assert.equal((await run(process.execPath, flags)).stdout, "undefined done\n")
})
