// Removes the folders of this package that are named.

import { rmSync } from "node:fs"

for (const folder of process.argv.slice(2)) {
  rmSync(new URL(`../${folder}`, import.meta.url), { recursive: true, force: true })
}
