// Takes the TypeScript blocks out of the documents, so that tests compile and run them.
//
// Blocks marked `ts run` become modules of their own, with the address and the directory of the documents replaced by those
// of a daemon under test. Blocks marked `ts` alone are only compiled.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const documents = {
  readme: here("../README.md"),
  guide: here("../../docs/typescript.md"),
  root: here("../../README.md"),
}
const folder = here("../snippets/")

rmSync(folder, { recursive: true, force: true })
mkdirSync(folder)
for (const [name, path] of Object.entries(documents)) {
  const blocks = readFileSync(path, "utf8").matchAll(/^```ts( run)?\n(.*?)^```$/gms)
  let number = 0
  for (const [, run, code] of blocks) {
    number += 1
    const text = code
      .replaceAll('"http://127.0.0.1:4096"', 'process.env["OPENSCIENCE_URL"]!')
      .replaceAll('"/absolute/path/to/project"', 'process.env["OPENSCIENCE_DIRECTORY"]!')
    const kind = run === undefined ? "compiled" : "run"
    writeFileSync(`${folder}${name}-${String(number).padStart(2, "0")}.${kind}.ts`, `${text}\nexport {}\n`)
  }
}
