// Writes src/generated/ from the OpenAPI document: shapes, operations, words. Words that stand in no enumeration there, codes of
// errors and types of events, are read from the tables of the documents, which the daemon's tests hold against its code.
//
//   node scripts/generate.mjs [--check] [--document FILE] [--docs FOLDER] [--out FOLDER]
//
// --check writes nothing and fails if what is there is not what would be written.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

import openapiTS, { astToString } from "openapi-typescript"

import { describeOperations } from "./operations.mjs"
import { printConstants, printOperations, printTypes } from "./print.mjs"
import { firstColumn } from "./tables.mjs"

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const { values: flags } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    document: { type: "string", default: here("../../openapi/openscience.json") },
    docs: { type: "string", default: here("../../docs") },
    out: { type: "string", default: here("../src/generated") },
  },
})

const document = JSON.parse(readFileSync(flags.document, "utf8"))
const operations = describeOperations(document)
const page = (name) => readFileSync(join(flags.docs, name), "utf8")
const banner =
  "// Written by scripts/generate.mjs from openapi/openscience.json and docs/. Do not edit: npm run generate.\n\n"
const files = {
  "schema.ts": astToString(await openapiTS(document, { emptyObjectsUnknown: true })),
  "types.ts": printTypes(document),
  "constants.ts": printConstants(document, {
    ErrorCode: ["Why a request was refused.", firstColumn(page("errors.md"), "Refused requests")],
    RunErrorCode: ["Why a run or a turn failed.", firstColumn(page("errors.md"), "Failed runs")],
    StartErrorCode: ["Why a daemon did not start.", firstColumn(page("errors.md"), "The daemon does not start")],
    EventType: ["Types of events. There may be others: ignore those.", firstColumn(page("api.md"), "Events")],
  }),
  "operations.ts": printOperations(operations),
}

const stale = []
mkdirSync(flags.out, { recursive: true })
for (const [name, text] of Object.entries(files)) {
  const path = join(flags.out, name)
  const wanted = banner + text
  if (!flags.check) {
    writeFileSync(path, wanted)
  } else if (current(path) !== wanted) {
    stale.push(name)
  }
}
if (stale.length > 0) {
  console.error(
    `src/generated/ is not what openapi/openscience.json and docs/ say (${stale.join(", ")}): npm run generate`,
  )
  process.exitCode = 1
}

function current(path) {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
