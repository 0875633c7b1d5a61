// Writes src/generated/ from the OpenAPI document: shapes, operations, words.
//
//   node scripts/generate.mjs [--check] [--document FILE] [--out FOLDER]
//
// --check writes nothing and fails if what is there is not what would be written.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

import openapiTS, { astToString } from "openapi-typescript"

import { describeOperations } from "./operations.mjs"
import { printConstants, printOperations, printTypes } from "./print.mjs"

const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const { values: flags } = parseArgs({
  options: {
    check: { type: "boolean", default: false },
    document: { type: "string", default: here("../../openapi/openscience.json") },
    out: { type: "string", default: here("../src/generated") },
  },
})

const document = JSON.parse(readFileSync(flags.document, "utf8"))
const operations = describeOperations(document)
const banner = "// Written by scripts/generate.mjs from openapi/openscience.json. Do not edit: npm run generate.\n\n"
const files = {
  "schema.ts": astToString(await openapiTS(document, { emptyObjectsUnknown: true })),
  "types.ts": printTypes(document),
  "constants.ts": printConstants(document),
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
  console.error(`src/generated/ is not what openapi/openscience.json says (${stale.join(", ")}): npm run generate`)
  process.exitCode = 1
}

function current(path) {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
